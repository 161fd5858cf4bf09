"""transformers' continuous batching over our operators: same tokens as `generate`, in each of its ways to run a step."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, ContinuousBatchingConfig, GenerationConfig
from transformers.generation.continuous_batching import continuous_api, initialization

import torchpaged  # noqa: F401 - registers the attention
from torchpaged.integrations.transformers import continuous_batching

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 97,
    "eos_token_id": None,
    "pad_token_id": 0,
    "bos_token_id": 1,
}
LAYERS = ["sliding_attention", "full_attention"]
MODELS: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen3": {},
    "gemma2": {"layer_types": LAYERS, "sliding_window": 7, "query_pre_attn_scalar": 8, "attn_logit_softcapping": 5.0},
    "gemma3_text": {"layer_types": LAYERS, "sliding_window": 7, "query_pre_attn_scalar": 8},
    "gpt_oss": {"layer_types": LAYERS, "sliding_window": 7, "num_local_experts": 2, "num_experts_per_tok": 1},
}
PROMPTS = [[5, 9, 23, 5, 9, 23, 17, 40, 3, 3, 8], [61, 4], list(range(10, 42)), list(range(10, 40))]


def small_model(model_type: str) -> Any:
    torch.manual_seed(0)
    config = AutoConfig.for_model(model_type, **SMALL, **MODELS[model_type])
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    for parameter in model.parameters():  # clear differences between tokens
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def batched(model: Any, **options: Any) -> list[list[int]]:
    config = ContinuousBatchingConfig(page_size=4, num_blocks=128, max_batch_tokens=16, **options)
    generation = GenerationConfig(do_sample=False, max_new_tokens=12, eos_token_id=-1)
    found = model.generate_batch(PROMPTS, generation, continuous_batching_config=config, progress_bar=False)
    assert len(found) == len(PROMPTS)
    return [each.generated_tokens for each in found.values()]


def alone(model: Any, prompt: list[int]) -> list[int]:
    ids = torch.tensor([prompt])
    found = model.generate(ids, max_new_tokens=12, do_sample=False, attention_mask=torch.ones_like(ids))
    return list(found[0, len(prompt) :].tolist())


@pytest.mark.parametrize("model_type", MODELS)
def test_same_tokens(model_type: str) -> None:
    """Chunks of 16 tokens split prompts; the last two share pages; windows, soft caps and sinks are computed."""
    model = small_model(model_type)
    expected = [alone(model, prompt) for prompt in PROMPTS]
    model.set_attn_implementation("torchpaged")
    assert batched(model) == expected
    assert model.config._attn_implementation == "torchpaged"


def test_block_tables_of_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where transformers passes block tables, as it does on CUDA, decode steps write and read through them."""
    seen = []
    find = continuous_batching._find_pages
    monkeypatch.setattr(
        continuous_batching, "_find_pages", lambda *given: (seen.append(given[1]["block_table"]), find(*given))[1]
    )
    monkeypatch.setattr(initialization, "ensure_decode_fast_path_is_available", lambda *_: None)
    model = small_model("llama")
    expected = [alone(model, prompt) for prompt in PROMPTS]
    model.set_attn_implementation("torchpaged")
    assert batched(model, max_blocks_per_request=16) == expected
    assert any(each is None for each in seen) and any(each is not None for each in seen)


def test_steps_that_are_filled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is padded for a compiler has sequences of length 0, and tokens of no sequence."""
    model = small_model("llama")
    expected = [alone(model, prompt) for prompt in PROMPTS]
    model.set_attn_implementation("torchpaged")
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    assert batched(model, default_compile_level=1) == expected


def test_other_names_are_judged_by_transformers() -> None:
    model = small_model("llama")
    model.set_attn_implementation("flex_attention")
    with pytest.raises(ValueError, match="flex_attention is not supported for continuous batching"):
        continuous_api.ContinuousBatchingManager(model, GenerationConfig(), ContinuousBatchingConfig())

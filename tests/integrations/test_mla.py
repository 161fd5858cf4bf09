"""Latents in the cache: memory saved, and every operation that moves blocks."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig

from tests import models
from tests.integrations.family_models import SPECIAL
from tests.integrations.sharing import check_shared_forked_and_saved
from torchpaged import LLM, SamplingParams, cli
from torchpaged.execution.paged_kv_cache import bytes_per_block
from torchpaged.integrations.transformers import adapter

# Sizes of huggingface.co/deepseek-ai/DeepSeek-V2-Lite's config.json.
V2_LITE: dict[str, Any] = {
    "vocab_size": 102400,
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "moe_intermediate_size": 1408,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "n_shared_experts": 2,
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
    "kv_lora_rank": 512,
    "q_lora_rank": None,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "max_position_embeddings": 163840,
    "dtype": "bfloat16",
}


def test_bytes_of_deepseek_v2_lite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers of the README."""
    config = AutoConfig.for_model("deepseek_v2", **V2_LITE)
    layers = adapter.spec_without_weights(config).layers
    assert len(layers) == 27
    expanded = 27 * 16 * (192 + 128) * 2
    assert (expanded, bytes_per_block(layers.values(), 1, torch.bfloat16)) == (276_480, 31_104)
    assert bytes_per_block(layers.values(), 1, torch.int8) == 27 * (576 + 4) == 15_660
    config.save_pretrained(tmp_path)
    assert cli.main(["info", str(tmp_path)]) == 0
    assert "31104 bytes a token in bfloat16" in capsys.readouterr().out


def dense(kind: str = "deepseek_v3", **overrides: Any) -> Any:
    return models.build(kind, seed=3, **{**SPECIAL[kind], "first_k_dense_replace": 4, **overrides})


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        pytest.param({"num_blocks": 14}, "num_preemptions", id="preempted"),
        pytest.param({"num_blocks": 14, "swap_space": 0.001, "preemption_mode": "swap"}, "num_swaps", id="swapped"),
    ],
)
def test_scarce_blocks(settings: dict[str, Any], key: str) -> None:
    model, batch = dense(), models.prompts((19, 4, 11))
    expected = models.greedy(model, batch, 12)
    llm = LLM(model, block_size=4, **settings)
    outputs = llm.generate(batch, SamplingParams(temperature=0, max_tokens=12), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == expected
    assert getattr(llm.stats(), key) > 0
    llm.engine.check()


@pytest.mark.parametrize("kv_cache_dtype", ["auto", "int8", "fp8"])
def test_shared_forked_and_saved(kv_cache_dtype: str, tmp_path: Path) -> None:
    check_shared_forked_and_saved(dense(), kv_cache_dtype, tmp_path)


@pytest.mark.parametrize("kv_cache_dtype", ["int8", "fp8"])
def test_an_8_bit_latent_stays_close(kv_cache_dtype: str) -> None:
    """Each token has its own scale. Weights are small, so that the test measures rounding, not chaos."""
    model, (prompt,) = dense(initializer_range=0.1), models.prompts((40,))
    rows = []
    for dtype in ("auto", kv_cache_dtype):
        llm = LLM(copy.deepcopy(model), kv_cache_dtype=dtype, num_blocks=8)
        params = SamplingParams(prompt_logprobs=0, max_tokens=1)
        (output,) = llm.generate([prompt], params, use_tqdm=False)
        assert output.prompt_logprobs is not None
        own = zip(prompt[1:], output.prompt_logprobs[1:], strict=True)
        rows.append(torch.tensor([row[token].logprob for token, row in own if row]))
    assert 0 < (rows[0] - rows[1]).abs().mean() < (0.01 if kv_cache_dtype == "int8" else 0.05)


def test_quantised_weights() -> None:
    """torchao leaves `kv_b_proj` unquantised, because its halves are multiplied separately."""
    pytest.importorskip("torchao", reason="torchao is not installed")
    model = dense(dtype="bfloat16")
    llm = LLM(model, quantization="int8", num_blocks=8)
    assert type(model.model.layers[0].self_attn.kv_b_proj.weight.data) is torch.Tensor
    (output,) = llm.generate(models.prompts((9,)), SamplingParams(max_tokens=3), use_tqdm=False)
    assert output.outputs[0].finish_reason == "length"

"""Index keys in the cache: what they take, every operation that moves blocks, and that attention is sparse by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig

from tests import models
from tests.integrations.family_models import SPECIAL
from tests.integrations.sharing import check_shared_forked_and_saved
from torchpaged import LLM, SamplingParams, cli
from torchpaged.compiler.program import ReplayedForward
from torchpaged.engine import speculation
from torchpaged.errors import ModelError
from torchpaged.execution.export import export
from torchpaged.execution.paged_kv_cache import bytes_per_block, index_bytes
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.paged_cache import PagedCache
from torchpaged.models.model import IndexShape
from torchpaged.scheduling.step_cost import StepCost

SPARSE = [kind for kind in SUPPORTED if "sparse" in FAMILIES[kind].attention]
# Settings with which every token is chosen.
EVERYTHING = {"index_topk": 512, "index_topk_blocks": 512, "indexer_budget": 512}
# Sizes of huggingface.co/deepseek-ai/DeepSeek-V3.2's config.json.
V32: dict[str, Any] = {
    "vocab_size": 129280,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "n_shared_experts": 1,
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "n_group": 8,
    "topk_group": 4,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "index_head_dim": 128,
    "index_n_heads": 64,
    "index_topk": 2048,
    "dtype": "bfloat16",
}


def build(kind: str, **overrides: Any) -> Any:
    return models.build(kind, seed=3, **{**SPECIAL[kind], **overrides})


@pytest.mark.parametrize("layers", [4, pytest.param(61, marks=pytest.mark.long)])  # 61, the model's, take ten seconds
def test_bytes_of_deepseek_v32(layers: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A token's bytes are the sum of latents and index keys."""
    config = AutoConfig.for_model("deepseek_v32", **{**V32, "num_hidden_layers": layers})
    found = adapter.spec_without_weights(config).layers
    assert {(shape.index, shape.num_selected) for shape in found.values()} == {((IndexShape(1, 128),), 2048)}
    shapes = list(found.values())
    token, keys = layers * (576 + 128) * 2, layers * 128 * 2
    assert (token, keys) == (85_888, 15_616) or layers != 61  # as docs/sparse.md says
    assert len(shapes) == layers and bytes_per_block(shapes, 1, torch.bfloat16) == token
    assert index_bytes(shapes, 1, torch.bfloat16) == keys
    assert bytes_per_block(shapes, 16, torch.int8) == 16 * layers * (576 + 4 + 128 + 4)
    config.save_pretrained(tmp_path)
    assert cli.main(["info", str(tmp_path)]) == 0
    expected = f"{token} bytes a token in bfloat16: {token - keys} of keys and values, {keys} of index keys"
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize("kind", SPARSE)
def test_ours_are_the_sparse_models_tokens(kind: str) -> None:
    """Where the sparse and the dense model say different things, the engine says what the sparse one does."""
    model = build(kind)
    changed = {name: value for name, value in EVERYTHING.items() if hasattr(model.config, name)}
    dense = build(kind, **changed)
    dense.load_state_dict(model.state_dict())
    batch = models.prompts((40, 23))
    sparse, everything = (models.greedy(each, batch, 8) for each in (model, dense))
    assert sparse != everything
    llm = LLM(model, max_num_batched_tokens=16, block_size=12, num_blocks=40)
    outputs = llm.generate(batch, SamplingParams(temperature=0, max_tokens=8), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == sparse


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        pytest.param({"num_blocks": 14}, "num_preemptions", id="preempted"),
        pytest.param({"num_blocks": 14, "swap_space": 0.001, "preemption_mode": "swap"}, "num_swaps", id="swapped"),
    ],
)
@pytest.mark.parametrize("kind", ["deepseek_v32", "minimax_m3_vl_text"])
def test_scarce_blocks(kind: str, settings: dict[str, Any], key: str) -> None:
    model, batch = build(kind), models.prompts((19, 4, 11))
    expected = models.greedy(model, batch, 12)
    llm = LLM(model, block_size=4, **settings)
    outputs = llm.generate(batch, SamplingParams(temperature=0, max_tokens=12), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == expected
    assert getattr(llm.stats(), key) > 0
    llm.engine.check()


@pytest.mark.parametrize("kv_cache_dtype", ["auto", "int8", "fp8"])
@pytest.mark.parametrize("kind", ["glm_moe_dsa", "minimax_m3_vl_text"])
def test_shared_forked_and_saved(kind: str, kv_cache_dtype: str, tmp_path: Path) -> None:
    check_shared_forked_and_saved(build(kind), kv_cache_dtype, tmp_path)


@pytest.mark.parametrize("kind", SPARSE)
def test_short_steps_are_replayed(kind: str) -> None:
    """The optimized forward becomes a program, the indexer's operators included."""
    llm = LLM(build(kind), optimize=True, block_size=12, num_blocks=20)
    weights = llm.engine.model.weights
    assert weights.report.reason is None
    batch = models.prompts((17,))
    outputs = llm.generate(batch, SamplingParams(temperature=0, max_tokens=8), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == models.greedy(build(kind), batch, 8)
    forward = weights.optimized.forward
    assert isinstance(forward, ReplayedForward) and forward.reason is None


class Guesses:
    """A proposer of two tokens that are hardly ever right."""

    def propose(self, transcript: object, max_drafts: int) -> list[int]:
        return [7, 11][:max_drafts]


@pytest.mark.parametrize("kind", ["glm_moe_dsa", "minimax_m3_vl_text"])
def test_drafts_do_not_change_the_text(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Index keys of drafts that were wrong are written over."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)  # every draft is tried
    monkeypatch.setitem(speculation._MADE_BY, "guesses", lambda config: Guesses())
    batch = models.prompts((36, 31))
    params = SamplingParams(temperature=0, max_tokens=12)
    settings = {"optimize": True, "block_size": 12, "num_blocks": 40}
    llm = LLM(build(kind), **settings, speculative_config={"method": "guesses"})
    outputs = llm.generate(batch, params, use_tqdm=False)
    assert [each.outputs[0].token_ids for each in outputs] == models.greedy(build(kind), batch, 12)
    assert llm.engine.stats().drafts.tokens > 0


@pytest.mark.parametrize("kind", SPARSE)
def test_in_bfloat16(kind: str) -> None:
    """Rotations, norms and weights of some indexers are float32; their keys are cached in the model's dtype."""
    model = build(kind, initializer_range=0.1).to(torch.bfloat16)
    (prompt,) = models.prompts((40,))
    expected = models.logprobs(model, prompt)
    llm = LLM(model, block_size=12, num_blocks=20, max_num_batched_tokens=16)
    params = SamplingParams(prompt_logprobs=0, max_tokens=1)
    (output,) = llm.generate([prompt], params, use_tqdm=False)
    assert output.prompt_logprobs is not None
    rows = [row[token].logprob for token, row in zip(prompt[1:], output.prompt_logprobs[1:], strict=True) if row]
    wanted = expected[:-1].gather(1, torch.tensor(prompt[1:])[:, None])[:, 0]
    assert (torch.tensor(rows) - wanted).abs().median() < 0.1


def test_what_does_not_keep_an_index_says_so(tmp_path: Path) -> None:
    model = build("deepseek_v32")
    with pytest.raises(ModelError, match="PagedCache: model type 'deepseek_v32' has indexers, whose states or keys"):
        PagedCache(model.config)
    with pytest.raises(ModelError, match="export: DeepseekV32ForCausalLM has indexers"):
        export(adapter.wrap(model), tmp_path / "model.pt2")
    model.set_attn_implementation("torchpaged")
    with pytest.raises(ValueError, match="indices are given, expected None without an engine's step"):
        model(input_ids=torch.tensor([[1, 2, 3]]), attention_mask=torch.zeros(1, 1, 3, 3), use_cache=False)

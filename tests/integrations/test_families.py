"""Every family that `SUPPORTED` names: a tiny random model, paged, against transformers' own `generate`."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.integrations.transformers import SUPPORTED

_MOE = {"num_local_experts": 4, "num_experts_per_tok": 2}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
_MLA = {
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "head_dim": 8,
    "num_key_value_heads": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
}
_WINDOW = {"sliding_window": 7}
# What a family needs beside the common sizes; a window where it has one, since that is what can go wrong.
SPECIAL: dict[str, dict[str, Any]] = {
    "cohere2": _WINDOW,
    "deepseek_v2": _MLA,
    "deepseek_v3": _MLA,
    "exaone4": _WINDOW,
    "gemma2": _WINDOW,
    "gemma3_text": _WINDOW,
    "gpt2": {"n_inner": 96},
    "gpt_oss": {**_WINDOW, **_MOE},
    "granitemoe": _MOE,
    "minimax": _MOE,
    "mistral": _WINDOW,
    "mixtral": {**_WINDOW, **_MOE},
    "olmo3": _WINDOW,
    "olmoe": _EXPERTS,
    "opt": {"ffn_dim": 96, "word_embed_proj_dim": 64},
    "phi3": _WINDOW,
    "phimoe": {**_WINDOW, **_MOE},
    "qwen2": {**_WINDOW, "use_sliding_window": True, "max_window_layers": 2},
    "qwen2_moe": {**_EXPERTS, "shared_expert_intermediate_size": 32},
    "qwen3": {**_WINDOW, "use_sliding_window": True, "max_window_layers": 2},
    "qwen3_moe": {**_EXPERTS},
    "smollm3": {**_WINDOW, "use_sliding_window": True},
    "starcoder2": _WINDOW,
}


@pytest.mark.parametrize("kind", SUPPORTED)
def test_greedy_tokens_are_generates(kind: str) -> None:
    """Chunked, mixed and in blocks of an odd size: prompts longer than the budget beside running decodes."""
    model = models.build(kind, seed=3, **SPECIAL.get(kind, {}))
    batch = models.prompts((19, 4, 11))
    expected = models.greedy(model, batch, 12)
    llm = LLM(copy.deepcopy(model), max_num_batched_tokens=8, block_size=4, num_blocks=64)
    outputs = llm.generate(batch, SamplingParams(temperature=0, max_tokens=12), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == expected
    assert len({token for row in expected for token in row}) > 4, "the model says one thing only"
    llm.engine.check()

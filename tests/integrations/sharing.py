"""Checks of a cache's contents that hold for every kind of layer."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel

from tests import models
from torchpaged import LLM, SamplingParams


def check_shared_forked_and_saved(model: PreTrainedModel, kv_cache_dtype: str, folder: Path) -> None:
    """Assert that a found prefix, forked completions and a prefix from a file give a fresh engine's tokens."""
    settings: dict[str, Any] = {"block_size": 4, "num_blocks": 80, "kv_cache_dtype": kv_cache_dtype}
    (prompt,) = models.prompts((22,))
    params = SamplingParams(n=3, temperature=1.0, seed=1, max_tokens=9)

    def tokens(llm: LLM) -> tuple[list[list[int]], int]:
        (output,) = llm.generate([prompt], params, use_tqdm=False)
        return [each.token_ids for each in output.outputs], output.num_cached_tokens or 0

    first = LLM(copy.deepcopy(model), **settings)
    expected, cached = tokens(first)
    assert cached == 0 and tokens(first) == (expected, 21)
    first.save_prefix(folder / "prefix", prompt)
    second = LLM(model, **settings)
    second.load_prefix(folder / "prefix")
    assert tokens(second) == (expected, 20)

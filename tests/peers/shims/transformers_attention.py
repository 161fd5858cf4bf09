"""Shim for transformers' tests of attention: models that ask for "sdpa" get "torchpaged".

A test reaches torchpaged when its attention function is called.
"""

from __future__ import annotations

import functools
from typing import Any

import peers_recorder
import pytest
import transformers.modeling_utils as modeling

import torchpaged  # noqa: F401

_functions = modeling.ALL_ATTENTION_FUNCTIONS
_attend = _functions["torchpaged"]


@functools.wraps(_attend)
def _noted(*args: Any, **options: Any) -> Any:
    peers_recorder.touch()
    return _attend(*args, **options)


_functions.register("torchpaged", _noted)
_from_pretrained = modeling.PreTrainedModel.from_pretrained.__func__


def _with_attention(cls: Any, *args: Any, **options: Any) -> Any:
    if options.get("attn_implementation") == "sdpa":
        options["attn_implementation"] = "torchpaged"
    return _from_pretrained(cls, *args, **options)


modeling.PreTrainedModel.from_pretrained = classmethod(_with_attention)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if item.originalname.startswith(_KEPT)]  # type: ignore[attr-defined]


_KEPT = ("test_eager_matches_sdpa_inference", "test_can_set_attention", "test_config_attn", "test_sdpa_can_dispatch")

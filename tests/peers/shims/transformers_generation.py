"""Shim that runs transformers' generation tests with `attn_implementation="torchpaged"`.

Every config that a model's tester prepares for `generate` gets it; only the tests of the generation mixin are kept. A
test reaches torchpaged when its cache is created or its attention function is called.
"""

from __future__ import annotations

import functools
from typing import Any

import peers_recorder
import pytest
import transformers.generation.utils  # noqa: F401  what torchpaged registers with
import transformers.modeling_utils as modeling

import torchpaged  # noqa: F401
from torchpaged.integrations.transformers import paged_cache

_MODULES = ("tests.generation.test_utils", "tests.generation.test_continuous_batching")


def _reached(function: Any) -> Any:
    @functools.wraps(function)
    def noted(*args: Any, **options: Any) -> Any:
        peers_recorder.touch()
        return function(*args, **options)

    return noted


paged_cache.PagedCache.__init__ = _reached(paged_cache.PagedCache.__init__)  # type: ignore[method-assign]
_functions = modeling.ALL_ATTENTION_FUNCTIONS
_functions.register("torchpaged", _reached(_functions["torchpaged"]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if getattr(item.obj, "__module__", "") in _MODULES]  # type: ignore[attr-defined]
    for case in {item.cls for item in items if item.cls is not None}:  # type: ignore[attr-defined]
        prepare = getattr(case, "prepare_config_and_inputs_for_generate", None)
        if prepare is not None:
            case.prepare_config_and_inputs_for_generate = _with_attention(prepare)


def _with_attention(prepare: Any) -> Any:
    @functools.wraps(prepare)
    def prepared(*args: Any, **options: Any) -> Any:
        config, inputs = prepare(*args, **options)
        config._attn_implementation = "torchpaged"
        return config, inputs

    return prepared

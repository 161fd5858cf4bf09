"""The tests of `test_engine.py` on fake models, with steps and results pickled to another process and back."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine import test_engine
from tests.remote_executor import far_engine, worker
from torchpaged import LLMEngine

# They are collected here once more, with their parameters; those on trained models need these in this process.
CASES = {
    name: function
    for name, function in inspect.getmembers(test_engine, inspect.isfunction)
    if name.startswith("test_") and " engine(" in inspect.getsource(function)
}
globals().update(CASES)


@pytest.fixture(autouse=True, params=[False, True], ids=["one-by-one", "overlapping"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Build the engines of these tests in another process."""
    made: list[LLMEngine] = []

    def far(*args: Any, **settings: Any) -> LLMEngine:
        made.append(far_engine(*args, **{"async_scheduling": request.param, **settings}))
        return made[-1]

    monkeypatch.setattr(test_engine, "engine", far)
    before = worker().num_bytes
    yield
    if request.function is not test_most_of_them_are_here:
        assert made and worker().num_bytes > before


def test_most_of_them_are_here() -> None:
    assert len(CASES) >= 10 and {"test_abort", "test_stop_strings", "test_prompt_logprobs_once_each"} <= CASES.keys()

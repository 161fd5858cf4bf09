"""Speculation and changing weights: exactness is checked again, and counters never decrease."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests import models
from tests.models import STDLIB_LM
from torchpaged import LLM, SamplingParams
from torchpaged.scheduling.step_cost import StepCost

PROMPT = "class Queue:\n    def put(self, item):\n"
PARAMS = SamplingParams(temperature=0, max_tokens=40, ignore_eos=True, logprobs=0)


class Mean(torch.nn.Module):
    """An adapter whose rows depend on the other rows of a step."""

    def __init__(self, norm: torch.nn.Module) -> None:
        super().__init__()
        self.norm, self.scale = norm, torch.nn.Parameter(torch.tensor(0.01, dtype=torch.bfloat16))

    def forward(self, hidden: Tensor) -> Tensor:
        """Return the norm's output, plus a small part of the mean over all rows."""
        return self.norm(hidden) + self.scale * hidden.mean()


def adapt(module: Any) -> None:
    module.model.norm = Mean(module.model.norm)


def take_off(module: Any) -> None:
    module.model.norm = module.model.norm.norm


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the drafter guess as much as it can, independent of timings."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)


def accepted(llm: LLM) -> int:
    """Return the number of accepted drafts so far."""
    counts = llm.engine.stats().drafts
    assert counts is not None
    return counts.accepted


def behind_its_back(llm: LLM, module: Any, change: Callable[[Any], None]) -> None:
    change(module)


def told_afterwards(llm: LLM, module: Any, change: Callable[[Any], None]) -> None:
    change(module)
    llm.update_weights({})


@pytest.mark.parametrize("way", [behind_its_back, told_afterwards])
def test_an_adapter_that_makes_rows_depend_on_each_other_ends_it(
    way: Callable[[LLM, Any, Callable[[Any], None]], None], caplog: pytest.LogCaptureFixture
) -> None:
    module = models.build("llama").bfloat16()
    llm = LLM(module, dtype="bfloat16", num_blocks=32, speculative_config={"method": "ngram"})
    prompt = {"prompt_token_ids": [5, 6, 7, 8] * 5}
    plain = llm.generate(prompt, PARAMS, use_tqdm=False)[0].outputs
    tried = llm.engine.stats().drafts
    way(llm, module, adapt)
    llm.generate(prompt, PARAMS, use_tqdm=False)
    assert llm.engine.stats().drafts == tried and not llm.engine.exact
    assert "speculation is paused" in caplog.text
    way(llm, module, take_off)
    assert llm.generate(prompt, PARAMS, use_tqdm=False)[0].outputs == plain
    again = llm.engine.stats().drafts
    assert tried is not None and again is not None and again.tokens == 2 * tried.tokens > 0


def test_counters_do_not_fall_with_new_weights() -> None:
    pytest.importorskip("torchao", reason="torchao is not installed")
    settings = {"dtype": "bfloat16", "max_model_len": 128, "num_blocks": 32}
    llm = LLM(STDLIB_LM, speculative_config={"method": "ngram"}, **settings)
    llm.generate(PROMPT, PARAMS, use_tqdm=False)
    before = accepted(llm)
    llm.engine.quantize("int8")
    assert accepted(llm) == before
    llm.generate(PROMPT, PARAMS, use_tqdm=False)
    assert accepted(llm) > before

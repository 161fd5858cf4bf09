"""SwapCost, which decides between swapping and recomputing: timed on the device, and never by one measurement."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from tests import models
from tests.execution.test_cuda_steps import engine, tokens_of
from tests.fake_cuda import FakeCuda
from tests.fakes import FakeModel, drain
from tests.fakes import engine as fake_engine
from torchpaged import LLMEngine, SamplingParams
from torchpaged.execution.swap_cost import Stopwatch, SwapCost
from torchpaged.kv_cache.block import BlockCopy, CopyDirection
from torchpaged.scheduling import Step

OUT, IN, WITHIN = CopyDirection.OUT, CopyDirection.IN, CopyDirection.WITHIN


def step(counts: Sequence[int] = (), copies: Sequence[CopyDirection] = ()) -> Step:
    """Make a step of sequences that compute so many tokens, with copies."""
    ids = list(range(len(counts)))
    return Step(1, ids, [0] * len(ids), list(counts), copies=[BlockCopy(1, 2, direction) for direction in copies])


def test_the_median_of_several_decides() -> None:
    """The first of each kind compiles kernels and allocates memory; missing and impossible times are ignored."""
    cost = SwapCost()
    for seconds in (50.0, None, 0.0, -1.0, math.nan, math.inf, 0.02):
        cost.learn(step(copies=[OUT, OUT]), None, seconds)
        cost.learn(step([60, 40]), seconds, None)
        assert cost.recompute_per_block is None
    cost.learn(step(copies=[IN]), None, 0.03)  # now three: 25, 0.01 and 0.03 a block
    assert cost.recompute_per_block is None
    cost.learn(step([100]), 0.1, None)  # 0.5, 0.0002 and 0.001 a token
    assert cost.recompute_per_block == pytest.approx(2 * 0.03 / 0.001)
    for _ in range(9):
        cost.learn(step([100], [OUT]), 0.1, 0.005)
    assert cost.recompute_per_block == pytest.approx(2 * 0.005 / 0.001)


def test_which_steps_are_measured() -> None:
    """Copies within the device are faster; a decode step reads weights and caches, however many tokens it has."""
    cost = SwapCost()
    for _ in range(5):
        cost.learn(step([1] * 500), 9.0, None)
        cost.learn(step([63, *[1] * 100]), 9.0, None)
        cost.learn(step(copies=[OUT, WITHIN]), None, 9.0)
        cost.learn(step(), 9.0, 9.0)
    assert cost.recompute_per_block is None
    for _ in range(3):
        cost.learn(step([64, *[1] * 36], [IN, OUT]), 1.0, 0.4)
    assert cost.recompute_per_block == pytest.approx(2 * 0.2 / 0.01)


def test_a_stopwatch_on_cuda_counts_its_own_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in flight before or after it does not count, and it does not wait."""
    monkeypatch.setattr(time, "perf_counter", lambda: math.nan)
    with FakeCuda(monkeypatch) as cuda:
        x = torch.zeros(3, device="cuda:1")
        for _ in range(50):
            x = x + 1
        with cuda.refusing():
            with Stopwatch(x.device) as watch:
                for _ in range(4):
                    x = x + 1
            assert watch.seconds() is None
            x = x + 1
            assert watch.seconds() is None
        torch.cuda.synchronize()
        assert watch.seconds() == pytest.approx(0.005)  # an operator is a millisecond here, the event one too
        assert cuda.contexts == {1}


def learned(running: LLMEngine, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float | None, float | None]]:
    """Record what an engine learns, as (tokens, seconds of the forward, seconds of the copies)."""
    found: list[tuple[int, float | None, float | None]] = []
    learn = running.pipeline._swap_cost.learn

    def noted(step: Step, forward_seconds: float | None, copy_seconds: float | None) -> None:
        found.append((step.num_tokens, forward_seconds, copy_seconds))
        learn(step, forward_seconds, copy_seconds)

    monkeypatch.setattr(running.pipeline._swap_cost, "learn", noted)
    return found


def test_steps_in_flight_are_timed_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    """On CUDA a launch returns before the device has begun, and results come while the next step runs."""
    monkeypatch.setattr(time, "perf_counter", lambda: math.nan)
    model = models.build("llama", num_hidden_layers=1)
    settings: dict[str, Any] = {"num_blocks": 14, "swap_space": 0.001, "preemption_mode": "swap", "max_num_seqs": 3}
    params = [SamplingParams(temperature=0.0, max_tokens=9, ignore_eos=True)] * 9
    with FakeCuda(monkeypatch):
        seen = []
        for overlaps in (False, True):
            running = engine(model, async_scheduling=overlaps, enforce_eager=True, **settings)
            found = learned(running, monkeypatch)
            tokens_of(running, params)
            assert running.stats().num_swaps > 0
            forwards = {seconds for count, seconds, _ in found if count > 0 and seconds is not None}
            copies = {seconds for _, _, seconds in found if seconds is not None}
            assert len(forwards) == 1 and copies, "every forward of this model has the same operators"
            assert len([1 for count, seconds, _ in found if count and seconds is None]) < len(found) / 4
            seen.append(forwards)
        assert seen[0] == seen[1]


def test_an_engine_learns_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a fake clock that forwards and copies move: a second per token, ten per block."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    class Slow(FakeModel):
        def forward(self, input_ids: torch.Tensor, *rest: Any) -> torch.Tensor:
            now[0] += len(input_ids)
            return super().forward(input_ids, *rest)

    for overlaps in (False, True):
        running = fake_engine(
            Slow(), num_blocks=70, swap_space=0.001, async_scheduling=overlaps, preemption_mode="swap", max_num_seqs=4
        )
        copy = running.executor.runner.kv_cache.copy

        def slow_copy(copies: Sequence[BlockCopy], copy: Any = copy) -> None:
            now[0] += 10 * len(copies)
            copy(copies)

        monkeypatch.setattr(running.executor.runner.kv_cache, "copy", slow_copy)
        for number in range(12):
            prompt = [2 + number, *range(2, 30), *range(2, 30), *range(2, 30)]
            running.add_request(str(number), prompt, SamplingParams(max_tokens=20, temperature=0, ignore_eos=True))
        drain(running)
        assert running.stats().num_swaps > 3
        assert running.scheduler.sequence_table.recompute_per_block == pytest.approx(20.0)

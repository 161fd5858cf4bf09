"""Memory reserved for steps and graphs: no real step takes more than the steps that are measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from tests import models
from tests.execution.test_cuda_steps import engine
from tests.fake_cuda import FakeCuda
from torchpaged import LLMEngine, SamplingParams
from torchpaged.execution import memory_profiling, model_runner
from torchpaged.execution.cuda_graphs import Capture, GraphShape, NotCapturable
from torchpaged.execution.memory_profiling import StepShape, widest_steps
from torchpaged.integrations.transformers.adapter import TransformersModel
from torchpaged.models.attention_metadata import StepMetadata


@pytest.mark.parametrize(
    ("seqs", "budget", "longest", "tokens", "widest"),
    [
        pytest.param(4, 32, 100, 32, [29, 1, 1, 1], id="one-long-prompt"),
        pytest.param(4, 32, 10, 32, [10, 10, 10, 2], id="a-prompt-is-shorter-than-the-step"),
        pytest.param(4, 32, 5, 20, [5, 5, 5, 5], id="all-prompts-are"),
        pytest.param(64, 4, 100, 4, [1, 1, 1, 1], id="fewer-tokens-than-sequences"),
        pytest.param(1, 8, 100, 8, [8], id="one-sequence"),
    ],
)
def test_widest_steps(seqs: int, budget: int, longest: int, tokens: int, widest: list[int]) -> None:
    first, *others = widest_steps(seqs, budget, longest)
    assert first.query_lens == widest and sum(widest) == tokens
    for step in (first, *others):
        ends = zip(step.query_lens, step.context_lens, strict=True)
        assert all(query + context == longest for query, context in ends)
        assert len(step.query_lens) == min(seqs, budget)
    counts = [sum(step.query_lens) for step in others]
    assert counts == sorted(counts, reverse=True) and all(max(s.query_lens) - min(s.query_lens) < 2 for s in others)
    assert not others or (counts[0] == tokens and counts[-1] < 4 * min(seqs, budget))


@pytest.fixture
def shapes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Return a record of each forward: tokens, sequences, table columns, rows of logits."""
    found: list[tuple[int, ...]] = []
    forward = TransformersModel.forward

    def noted(
        self: TransformersModel, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor
    ) -> Tensor:
        found.append((len(input_ids), *metadata.groups[0].block_tables.shape, len(rows)))
        return forward(self, input_ids, positions, metadata, rows)

    monkeypatch.setattr(TransformersModel, "forward", noted)
    return found


def demanding(running: LLMEngine) -> None:
    """Run long prompts with prompt logprobs, beside requests with penalties and logprobs."""
    generator = torch.Generator().manual_seed(1)
    kinds: list[dict[str, Any]] = [
        {"prompt_logprobs": 3},
        {"logprobs": 5, "repetition_penalty": 1.2, "temperature": 0.8, "seed": 1},
        {"temperature": 0.9, "top_p": 0.5, "frequency_penalty": 0.1, "seed": 2},
    ]
    for number in range(18):
        prompt = torch.randint(2, 90, (150 + 7 * number,), generator=generator).tolist()
        params = SamplingParams(max_tokens=300 - len(prompt), ignore_eos=True, **kinds[number % 3])
        running.add_request(str(number), prompt, params)
    while running.has_unfinished_requests:
        assert not any(output.finished and output.outputs[0].error for output in running.step())


@pytest.mark.parametrize(("rows", "total"), [(96, 8 << 20), (20, 7 << 20)], ids=["at-once", "in-pieces"])
def test_the_widest_real_step_has_room(
    rows: int, total: int, shapes: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With logits of all of a step's rows at once, and of at most `rows`."""
    monkeypatch.setattr(model_runner, "PIECE", rows * 3000)
    with FakeCuda(monkeypatch, total=total) as device:
        measured_and_used(device, shapes)


def measured_and_used(device: FakeCuda, shapes: list[tuple[int, ...]]) -> None:
    """Assert that no step takes more than is left free, and that not much more is left free than the steps take."""
    model = models.build("llama", num_hidden_layers=4, vocab_size=3000)
    settings: dict[str, Any] = {"max_num_seqs": 12, "max_num_batched_tokens": 96, "max_model_len": 300}
    running = engine(model, num_blocks=None, enforce_eager=True, gpu_memory_utilization=0.8, **settings)
    measured = shapes.copy()
    shapes.clear()
    pool = running.executor.runner.kv_cache
    assert pool.num_blocks < 1 + 12 * 75, "the device has room for more than can be used"
    device.peak = 0
    demanding(running)
    for part in zip(*shapes, strict=True):
        assert len(set(part)) > 1
    assert all(wide >= real for shape in shapes for wide, real in zip(measured[0], shape, strict=True))
    assert device.peak <= 0.8 * device.total
    assert device.peak > 0.7 * device.total, "much more is left free than any step takes"


def test_two_graphs_are_captured_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeCuda(monkeypatch, total=40 << 20) as cuda:
        model = models.build("llama", num_hidden_layers=1)
        running = engine(model, num_blocks=None, max_num_seqs=12, gpu_memory_utilization=0.5)
    graphs = running.executor.runner.graphs
    assert graphs is not None and len(graphs.shapes) == 10
    assert len(cuda.graphs) == 2 + 10


@pytest.mark.parametrize(
    ("heaviest", "fails_at", "captured", "graphs"),
    [
        pytest.param(256, None, [256, 1], 500 + 3 + 4 * 3, id="the-largest"),
        pytest.param(160, None, [256, 160, 1], 500 + 40 + 3 + 3 * 3, id="another"),
        pytest.param(256, 256, [256], 0, id="none-can-be-captured"),
        pytest.param(256, 1, [256, 1], 500, id="one-cannot"),
    ],
)
def test_graphs_are_measured_by_few(
    heaviest: int, fails_at: int | None, captured: list[int], graphs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size whose step takes most, the largest, and the smallest, whose private part counts for each graph."""
    sizes, found = [1, 2, 4, 8, 160, 256], list[int]()
    sampled: list[tuple[int, int]] = []
    takes = {256: 500, 160: 40, 1: 3}
    free, peak = 10_000, 0

    def forward(shape: StepShape) -> Tensor:
        nonlocal peak
        peak = 7000 if shape.query_lens == [1] * heaviest else sum(shape.query_lens)
        return torch.zeros(sum(shape.query_lens), 8)

    def sample(hidden: Tensor, num_seqs: int) -> None:
        sampled.append((len(hidden), num_seqs))

    def capture(call: Callable[[], None]) -> Callable[[], None]:
        if found[-1] == fails_at:
            raise NotCapturable
        call()
        return call

    def make(wanted: Sequence[GraphShape], capture: Capture) -> None:
        for size, _ in reversed(wanted):
            found.append(size)
            capture(take)

    def take() -> None:
        nonlocal free
        free -= takes[found[-1]]

    with FakeCuda(monkeypatch):
        monkeypatch.setattr(memory_profiling, "cuda_capture", lambda: capture)
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda *_: (free, 10_000))
        monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda *_: peak)
        decodes = [StepShape.at_the_end([1] * size, 20) for size in sizes]
        device = torch.device("cuda", 0)
        steps = widest_steps(4, 16, 20)
        total = memory_profiling.measure(device, steps, decodes, forward=forward, sample=sample, graphs=make)
    assert sampled == [(sum(each.query_lens), 4) for each in steps], "of graphs the forward alone is measured"
    assert found == captured and total == 7000 + graphs

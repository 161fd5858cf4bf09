"""Steps that verify drafts, on static tensors, on the CPU: a capture here is a call that is made again."""

from __future__ import annotations

from typing import Any

import pytest

from tests import models
from tests.engine.test_speculation import DRAWN
from tests.execution.test_cuda_steps import engine as on_cuda
from tests.execution.test_cuda_steps import tokens_of
from tests.execution.test_decode_graphs import again, mixed
from tests.fake_cuda import FakeCuda
from tests.models import STDLIB_LM
from torchpaged import LLM, CompletionOutput, SamplingParams, register_proposer
from torchpaged.engine.speculation import _MADE_BY
from torchpaged.execution.decode_graphs import capture_sizes
from torchpaged.execution.run_graphs import MOST_TOKENS, RunGraphs, run_shapes
from torchpaged.scheduling import Step
from torchpaged.scheduling.proposers import Transcript
from torchpaged.scheduling.step_cost import StepCost


@pytest.fixture(autouse=True)
def untimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """All guesses are tried."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)


def answers(llm: LLM, count: int) -> list[list[CompletionOutput]]:
    """Of texts that repeat themselves, drawn in all ways."""
    texts = ["class Queue:\n    def put(self, item):\n", "import os\nimport sys\n", "def main(", "x = [1, 2, 3, 1, 2"]
    params = [SamplingParams(max_tokens=60, seed=i, ignore_eos=True, **DRAWN[i % len(DRAWN)]) for i in range(count)]
    return [output.outputs for output in llm.generate(texts[:count], params, use_tqdm=False)]


def capturing_runs(llm: LLM) -> list[tuple[int, int] | None]:
    """Makes its steps run on static tensors; the list that is returned gets the shape of each that verifies drafts."""
    runner = llm.engine.executor.runner
    runner.capture(again)
    graphs = runner.run_graphs
    assert graphs is not None
    shapes: list[tuple[int, int] | None] = []
    run = graphs.run

    def noted(step: Step, *arguments: Any) -> Any:
        shapes.append(graphs.shape_of(step))
        result = run(step, *arguments)
        graphs.check()
        return result

    graphs.run = noted  # type: ignore[method-assign]
    return shapes


@pytest.mark.parametrize(("count", "overlaps"), [(1, False), (4, True)])
def test_verified_on_static_tensors(count: int, overlaps: bool) -> None:
    """Greedy and drawn, penalised, with logprobs; one sequence, and several with runs of different lengths."""
    settings: dict[str, Any] = {"dtype": "bfloat16", "max_model_len": 128, "num_blocks": 100, "max_num_seqs": 6}
    wanted = answers(LLM(STDLIB_LM, **settings), count)
    more: dict[str, Any] = {"speculative_config": {"method": "suffix"}, "async_scheduling": overlaps}
    llm = LLM(STDLIB_LM, **settings, **more)
    shapes = capturing_runs(llm)
    assert answers(llm, count) == wanted
    stats = llm.engine.stats().drafts
    assert stats is not None and stats.accepted > 20
    assert len(shapes) > 3 and len(set(shapes)) > 1 and None not in shapes


@pytest.mark.parametrize(("kind", "captured"), [("gemma2", True), ("llama4_text", False), ("qwen3_next", False)])
def test_kinds_of_layers(kind: str, captured: bool) -> None:
    """Windows are captured; what cuts a run by where it stands is not, and runs as it is."""
    changes = {"gemma2": {"sliding_window": 12}, "llama4_text": {"attention_chunk_size": 8}}.get(kind, {})
    settings: dict[str, Any] = {"num_blocks": 100, "block_size": 4, "max_num_seqs": 2, "max_model_len": 64}
    speculation = {"method": "ngram", "allow_inexact": True}
    llm = LLM(models.build(kind, num_hidden_layers=2, **changes), speculative_config=speculation, **settings)
    runner = llm.engine.executor.runner
    runner.capture(again)
    assert RunGraphs.can(runner.batch) is captured is (runner.run_graphs is not None)


def test_the_graphs_record_no_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a stand-in for CUDA, whose graphs replay what they recorded and refuse what waits."""

    class Repeats:
        def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
            return [transcript.token_ids[-1]] * (len(transcript.token_ids) % 4)

    monkeypatch.setitem(_MADE_BY, "repeats", lambda config: Repeats())
    register_proposer("repeats", lambda config: Repeats())
    speculation = {"method": "repeats", "num_speculative_tokens": 3, "allow_inexact": True}
    with FakeCuda(monkeypatch) as cuda:
        model = models.build("llama", num_hidden_layers=2)
        expected = tokens_of(on_cuda(model, "cpu"), mixed(7))
        running = on_cuda(model, speculative_config=speculation)
        graphs = running.executor.runner.run_graphs  # type: ignore[attr-defined]
        assert graphs is not None and len(cuda.graphs) == 5 + len(graphs.shapes)
        assert tokens_of(running, mixed(7)) == expected
        assert sum(graph.replays for graph in cuda.graphs[5:]) > 5
        graphs.check()


def test_shapes() -> None:
    """Few tokens of few sequences: what costs more than it takes to launch is not captured."""
    assert run_shapes([1, 2], 4) == [(1, 2), (1, 4), (2, 2), (2, 4)]
    assert run_shapes([8], 16) == [(8, 2), (8, 4), (8, 8)]
    every = run_shapes(capture_sizes(256), 16)
    assert len(every) == 18 and max(size * width for size, width in every) == MOST_TOKENS
    assert run_shapes([100], 8) == []

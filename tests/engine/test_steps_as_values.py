"""Steps and results are values: they pickle small, and the executor may be another process."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.fakes import EOS, FakeModel, drain, follow
from tests.fakes import engine as local_engine
from tests.remote_executor import far_engine
from torchpaged import BeamSearchParams, EngineConfig, LLMEngine, SamplingParams, ScoringParams
from torchpaged.engine.llm_engine import Params
from torchpaged.errors import ConfigError, RequestError
from torchpaged.execution.executor import LocalExecutor
from torchpaged.kv_cache.block import BlockCopy, CopyDirection, PoolKind, TierCopy
from torchpaged.kv_cache.tiers import TierRead
from torchpaged.media.items import MediaItem
from torchpaged.models.model import PagedModel
from torchpaged.scheduling import Fork, HiddenRows, NewSequence, Results, RowParams, Scores, Step
from torchpaged.scheduling.step import Scored


class Noting(LocalExecutor):
    """An executor that records each step and its results, and passes on copies."""

    def __init__(self, model: PagedModel, config: EngineConfig) -> None:
        super().__init__(model, config)
        self.steps: list[bytes] = []

    def launch(self, step: Step) -> None:
        self.steps.append(pickle.dumps(step))
        super().launch(pickle.loads(self.steps[-1]))
        assert pickle.dumps(step) == self.steps[-1], "who computes has changed the step"


# --- Small ------------------------------------------------------------------------------------------------


def test_a_decode_step_pickles_small() -> None:
    """32 sequences of 4,000 tokens: 2 KB at most, even if each gets a block, as in every 16th step."""
    config = EngineConfig(num_blocks=32 * 256 + 1, block_size=16, max_num_seqs=32, max_num_batched_tokens=1 << 18)
    model = FakeModel()
    model.spec = replace(model.spec, max_model_len=4096)
    running = LLMEngine(model, config, executor=Noting)
    for number in range(32):
        prompt = [2 + number % 30, *([5] * (3999 - number))]
        running.add_request(str(number), prompt, SamplingParams(temperature=0.0, max_tokens=40, ignore_eos=True))
    for _ in range(20):
        running.step()
    executor = running.executor
    assert isinstance(executor, Noting)
    decodes = executor.steps[1:]
    assert all(len(pickle.loads(each).ids) == 32 for each in decodes)
    assert len(executor.steps[0]) > 100_000, "the first has brought the prompts"
    assert max(map(len, decodes)) <= 2048
    assert any(pickle.loads(each).tables for each in decodes)


def test_steps_and_results_survive_pickling() -> None:
    """Every field consists of numbers, texts and containers of them."""
    step = Step(7, [1, 2], [0, 9], [4, 1])
    step.new = {1: NewSequence(1, (3, 4, 5, 6), 4, RowParams(seed=-(2**63), stops=(1,)), ([5, 6], [0, 7]), [1, 2], 2)}
    step.forks, step.released = [Fork(1, 3, 4, RowParams(temperature=0.5))], [8]
    step.copies = [BlockCopy(1, 2, direction) for direction in CopyDirection]
    step.tables, step.known, step.quiet = [(2, 1, 3, (9, 10))], {2: (8, (5,))}, {1}
    step.draws, step.scored, step.masked = (
        {2: ((2, 5), (4, 6))},
        {1: Scored(1, 3, 2, (4,), 5, HiddenRows(0, 4, "sum"))},
        {2},
    )
    step.num_preempted, step.drafts = 1, {2: (7, 8)}
    copy_out = TierCopy(PoolKind.BLOCKS, 3, b"key")
    step.evicted, step.tier_reads = [copy_out], [TierRead(5, (copy_out,))]
    item = MediaItem("image", 1, 2, "abc", {"pixels": torch.ones(2, 3)}, (0, 1))
    step.media, step.kept_media = [item], ("abc",)
    results = Results(7, [2, 4], [5, 6, 7], [2, 1], {2: [{5: (-0.5, 1)}, {6: (-0.1, 1)}]})
    hidden = HiddenRows(0, 4, "sum"), b"8 bytes."
    results.scores = {1: Scores(1, [(-1.0, True)], [{3: (-1.0, 2)}], [(-2.0, False)], {4: -0.5}, *hidden)}
    results.weight_version = "2"
    results.errors, results.forward_seconds, results.copy_seconds = {9: "NaN"}, 0.5, 0.25
    for value in (step, results):
        assert all(getattr(value, each.name) != getattr(type(value)(), each.name) for each in fields(value))
    (other,) = pickle.loads(pickle.dumps(step)).media
    assert torch.equal(other.inputs["pixels"], item.inputs["pixels"])
    assert replace(other, inputs={}).content == item.content and other.places == item.places
    step.media = []  # items are compared by identity
    for value in (step, results):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    assert list(results.runs()) == [(2, [5, 6]), (4, [7])]
    assert list(Results(1, [2, 4], [5, 6]).runs()) == [(2, [5]), (4, [6])]


def test_nobody_sees_what_the_other_side_works_with() -> None:
    """Changing a launched step, or its results, has no effect on the other side."""

    class Vandal(LocalExecutor):
        def launch(self, step: Step) -> None:
            super().launch(step)
            self.last = step

        def result(self, number: int) -> Results:
            given = super().result(number)
            wanted = copy.deepcopy(given)
            for each in fields(given):
                value = getattr(given, each.name)
                if isinstance(value, (list, dict)):
                    value.clear()
            return wanted

    running = LLMEngine(FakeModel(), EngineConfig(num_blocks=101, block_size=4), executor=Vandal, eos_token_ids=[EOS])
    running.add_request("a", [3, 4, 5], SamplingParams(n=2, seed=1, max_tokens=8, logprobs=1, ignore_eos=True))
    running.add_request("b", [9], SamplingParams(temperature=0.0, max_tokens=12))
    outputs = drain(running)
    assert outputs["b"].outputs[0].token_ids == follow([9], 12) and len(outputs["a"].outputs) == 2


# --- Far away ---------------------------------------------------------------------------------------------


KINDS: dict[str, Params] = {
    "several": SamplingParams(n=3, best_of=4, seed=5, logprobs=1, max_tokens=9, ignore_eos=True),
    "beams": BeamSearchParams(beam_width=3, max_tokens=7),
    "scores": ScoringParams(continuations=[[4, 5, 6], [7], [4, 9]]),
    "penalised": SamplingParams(seed=3, repetition_penalty=1.4, frequency_penalty=0.3, logprobs=2, max_tokens=9),
    "prompt": SamplingParams(temperature=0.0, prompt_logprobs=2, max_tokens=6),
    "late": SamplingParams(temperature=0.0, min_tokens=4, stop_token_ids=[*range(2, 32)], max_tokens=9),
}


@pytest.mark.parametrize("overlaps", [False, True], ids=["one-by-one", "overlapping"])
@pytest.mark.parametrize("settings", [{}, {"num_blocks": 22, "swap_space": 0.0001}, {"num_blocks": 22}], ids=str)
def test_all_kinds_of_requests(overlaps: bool, settings: dict[str, Any]) -> None:
    """Groups, forks, scores, swaps and preemptions: the same as in this process."""
    found = []
    for make in (local_engine, far_engine):
        running = make(async_scheduling=overlaps, max_num_batched_tokens=16, **settings)
        for number, (name, params) in enumerate(KINDS.items()):
            running.add_request(name, [2 + (7 * i + number) % 29 for i in range(9 + number)], params)
        outputs = drain(running)
        assert not settings or running.stats().num_preemptions > 0
        found.append(
            {
                name: (
                    [(each.token_ids, each.finish_reason, each.logprobs) for each in output.outputs],
                    output.prompt_logprobs,
                    output.scores,
                )
                for name, output in outputs.items()
            }
        )
    assert found[0] == found[1]


@pytest.mark.parametrize("overlaps", [False, True])
def test_errors_come_back(overlaps: bool) -> None:
    """NaN is an error of a request; an exception in the other process is raised here, and the step may be repeated."""
    running = far_engine(FakeModel(nan_at=20), async_scheduling=overlaps)
    running.add_request("nan", [20], SamplingParams(temperature=0.0, max_tokens=5))
    running.add_request("other", [9], SamplingParams(temperature=0.0, max_tokens=5))
    outputs = drain(running)
    assert outputs["nan"].outputs[0].finish_reason == "error" and "NaN" in str(outputs["nan"].outputs[0].error)
    assert outputs["other"].outputs[0].token_ids == follow([9], 5)
    running.add_request("scripted", [9], SamplingParams(temperature=0.0, max_tokens=5))
    with pytest.raises(RequestError, match="an unfinished request has this id"):
        running.add_request("scripted", [9], SamplingParams())
    drain(running)
    # The forward raises an IndexError in the other process.
    running = far_engine(FakeModel(script=[7, 8], fails_at=8), async_scheduling=overlaps)
    running.add_request("short", [3], SamplingParams(temperature=0.0, max_tokens=2))
    assert drain(running)["short"].outputs[0].token_ids == [7, 8]
    running.add_request("a", [3], SamplingParams(temperature=0.0, max_tokens=5))
    for _ in range(8):
        try:
            running.step()
        except IndexError:
            break
    else:
        raise AssertionError("no error has come")
    running.check()
    aborted = running.abort("a")
    assert aborted is not None and aborted.outputs[0].token_ids == [7, 8]
    running.add_request("b", [3], SamplingParams(temperature=0.0, max_tokens=2))
    assert drain(running)["b"].outputs[0].token_ids == [7, 8]


def test_prefixes_and_masks_far_away(tmp_path: Path) -> None:
    path = tmp_path / "prefix.safetensors"
    prompt = [2 + i % 29 for i in range(19)]
    running = far_engine()
    running.pin_prefix(prompt)
    assert running.save_prefix(path) == 16, "tokens, of whole blocks"
    other = far_engine()
    assert len(other.load_prefix(path)) == 1
    other.add_request("a", [*prompt, 5], SamplingParams(temperature=0.0, max_tokens=5))
    output = drain_pinned(other)
    assert output.num_cached_tokens >= 16 and output.outputs[0].token_ids == follow([*prompt, 5], 5)
    with pytest.raises(ConfigError, match="could not be read"):
        other.load_prefix(tmp_path / "none")
    executor = far_engine().executor
    step = Step(1, [1], [0], [2], new={1: NewSequence(1, (3, 4), 2, RowParams(), ([1],))}, masked={1})
    executor.launch(step)
    with pytest.raises(AssertionError, match=r"masks are missing for \[1\]"):
        executor.sample(1, {})
    executor.sample(1, {1: np.array([1 << 17], dtype=np.uint32)})
    assert executor.result(1).tokens == [17]


def drain_pinned(running: LLMEngine) -> Any:
    (last,) = [output for _ in range(8) for output in running.step() if output.finished]
    running.check()
    return last

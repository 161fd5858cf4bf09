"""Cases derived by hand: overlapping steps while sequences fork, sample, fail, end and are resubmitted."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.execution.test_cuda_graphs import again
from tests.fakes import EOS, VOCAB, FakeDecoder, FakeModel, FakeTokenizer, drain, engine, follow
from torchpaged import BeamSearchParams, LLMEngine, PoolingParams, RequestOutput, SamplingParams, ScoringParams
from torchpaged.engine.llm_engine import Params
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.requests.beam_search import BeamSearchGroup
from torchpaged.requests.pooling import PoolingGroup
from torchpaged.requests.sampling import SamplingGroup
from torchpaged.requests.scoring import ScoringGroup
from torchpaged.scheduling import Step


class Noisy(FakeModel):
    """A model whose logits depend on the last token and its position, all different, so samples depend on seeds."""

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        super().forward(input_ids, positions, metadata, rows)  # it may fail
        found = [noise(int(input_ids[row]), int(positions[row])) for row in rows]
        return torch.stack(found) if found else torch.zeros(0, VOCAB)


def noise(token: int, position: int) -> Tensor:
    row: Tensor = 2 * torch.randn(VOCAB, generator=torch.Generator().manual_seed(1000 * position + token))
    row[EOS] = -9.0
    return row


def overlapping(model: FakeModel | None = None, **settings: Any) -> LLMEngine:
    return engine(model or Noisy(), async_scheduling=True, **settings)


def shown(output: RequestOutput) -> Any:
    """Return all parts of an output, with exact numbers: these models' results do not depend on the batch."""
    completions = [(each.token_ids, each.text, each.finish_reason, each.logprobs) for each in output.outputs]
    return completions, output.prompt_logprobs, output.scores


def alone(prompt: list[int], params: Params, number: int = 0, **settings: Any) -> Any:
    """Return the output of an engine's `number`-th request without overlapping steps and with room for all requests."""
    running = engine(Noisy(), async_scheduling=False, **settings)
    for _ in range(number):
        running.add_request("before", [3], SamplingParams(max_tokens=1))
        drain(running)
    running.add_request("a", prompt, params)
    return shown(drain(running)["a"])


def greedy(**params: Any) -> SamplingParams:
    return SamplingParams(**{"temperature": 0.0, "max_tokens": 8, "ignore_eos": True, **params})


def long_prompt(length: int, seed: int = 0) -> list[int]:
    return [2 + (7 * i * i + 3 * i + seed) % 29 for i in range(length)]


# --- Several completions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["swap", "recompute"])
def test_four_completions_of_prompts_of_which_one_gives_way(mode: str) -> None:
    """A prompt that has forked, or is about to, is swapped out or recomputed in the middle."""
    settings: dict[str, Any] = {"swap_space": 0.001 if mode == "swap" else 0.0, "preemption_mode": mode}
    params = [SamplingParams(n=4, seed=10 * i, logprobs=1, max_tokens=14, ignore_eos=True) for i in range(3)]
    prompts = [long_prompt(21, i) for i in range(3)]
    expected = [alone(prompt, each) for prompt, each in zip(prompts, params, strict=True)]
    for num_blocks in (22, 24, 28, 33):
        running = overlapping(num_blocks=num_blocks, max_num_batched_tokens=16, **settings)
        for number, (prompt, each) in enumerate(zip(prompts, params, strict=True)):
            running.add_request(str(number), prompt, each)
        outputs = drain(running)
        stats = running.stats()
        assert stats.num_preemptions > 0 and (stats.num_swaps > 0) == (mode == "swap")
        assert [shown(outputs[str(number)]) for number in range(3)] == expected
        assert len({tuple(each.token_ids) for each in outputs["0"].outputs}) == 4


@pytest.mark.parametrize("mode", ["swap", "recompute"])
@pytest.mark.parametrize("at", range(1, 9))
def test_all_give_way_at_once(at: int, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Preempted before the `at`-th step is scheduled: with first tokens computing, results due, tokens pending."""
    swap_space = 0.001 if mode == "swap" else 0.0
    cases: dict[str, tuple[list[int], Params]] = {
        "several": (long_prompt(10), SamplingParams(n=3, seed=5, logprobs=0, max_tokens=9, ignore_eos=True)),
        "beams": (long_prompt(7, 1), BeamSearchParams(beam_width=2, max_tokens=5)),
        "scores": (long_prompt(6, 2), ScoringParams(continuations=[[4, 5, 6], [7], [4, 9]])),
        "penalised": (long_prompt(15, 3), greedy(repetition_penalty=1.4, logprobs=1, max_tokens=9)),
        "prompt": (long_prompt(13, 5), greedy(prompt_logprobs=1, max_tokens=6)),
    }
    running = overlapping(swap_space=swap_space, preemption_mode=mode, max_num_batched_tokens=16)
    scheduler, calls = running.scheduler, itertools.count(1)
    schedule = scheduler.schedule

    def schedule_behind_others() -> Step:
        if next(calls) == at:
            for sequence in list(scheduler.sequence_table.queues.running)[::-1]:
                scheduler.sequence_table.preempt(sequence)
        return schedule()

    monkeypatch.setattr(scheduler, "schedule", schedule_behind_others)
    for name, (prompt, params) in cases.items():
        running.add_request(name, prompt, params)
    outputs = drain(running)
    assert {name: shown(outputs[name]) for name in cases} == {
        name: alone(prompt, params) for name, (prompt, params) in cases.items()
    }
    assert at == 1 or running.stats().num_preemptions > 0


# --- Beams ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_blocks", [101, 20, 17])
def test_beams_beside_others(num_blocks: int) -> None:
    """Beams are chosen after each step; other requests run ahead of it."""
    beams = BeamSearchParams(beam_width=3, max_tokens=10)
    prompts = [long_prompt(9), long_prompt(13, 4)]
    expected = [alone(prompt, beams) for prompt in prompts]
    running = overlapping(num_blocks=num_blocks)
    for number, prompt in enumerate(prompts):
        running.add_request(str(number), prompt, beams)
    running.add_request("other", long_prompt(5), greedy(max_tokens=25))
    outputs = drain(running)
    assert [shown(outputs[str(number)]) for number in range(2)] == expected
    assert shown(outputs["other"]) == alone(long_prompt(5), greedy(max_tokens=25))


# --- Scores -----------------------------------------------------------------------------------------------


def logprob(tokens: list[int], position: int) -> float:
    return float(torch.log_softmax(noise(tokens[position - 1], position - 1).double(), 0)[tokens[position]])


@pytest.mark.parametrize("budget", [64, 5])
@pytest.mark.parametrize("num_blocks", [101, 12])
def test_three_continuations_on_one_row(budget: int, num_blocks: int) -> None:
    """Their first tokens are targets of the prompt's last row; the longer ones fork from it."""
    running = overlapping(max_num_batched_tokens=budget, num_blocks=num_blocks)
    prompt = long_prompt(14)
    continuations = [[5], [5, 9, 11], [8, 3], [7, 7, 7, 7, 7]]
    running.add_request("a", prompt, ScoringParams(continuations=continuations))
    running.add_request("other", [9, 4], greedy(max_tokens=12))
    outputs = drain(running)
    assert outputs["a"].scores is not None
    for continuation, score in zip(continuations, outputs["a"].scores, strict=True):
        tokens = prompt + continuation
        parts = [logprob(tokens, position) for position in range(len(prompt), len(tokens))]
        assert score.logprob == pytest.approx(sum(parts), abs=1e-5)
    assert shown(outputs["other"]) == alone([9, 4], greedy(max_tokens=12))


@pytest.mark.parametrize("budget", [64, 7, 3])
@pytest.mark.parametrize("start", [1, 6, 9, 17])
def test_prompt_logprobs_with_chunks_and_a_hit(budget: int, start: int) -> None:
    """Cached blocks are used only up to the first token whose logprobs are requested."""
    prompt = long_prompt(18)
    running = overlapping(max_num_batched_tokens=budget)
    running.add_request("first", prompt, greedy(max_tokens=3))
    drain(running)
    params = greedy(prompt_logprobs=2, prompt_logprobs_start=start, max_tokens=3)
    running.add_request("a", prompt, params)
    running.add_request("b", prompt[:11], greedy(n=2, temperature=1.0, seed=3, prompt_logprobs=0, max_tokens=3))
    outputs = drain(running)
    assert outputs["a"].num_cached_tokens == start - 1, "the rows before the first score need not be computed"
    for name, first in (("a", start), ("b", 1)):
        rows, tokens = outputs[name].prompt_logprobs, outputs[name].prompt_token_ids
        assert rows is not None and rows[:first] == [None] * first and len(rows) == len(tokens)
        for position in range(first, len(tokens)):
            row = rows[position]
            assert row is not None and row[tokens[position]].logprob == pytest.approx(
                logprob(tokens, position), abs=1e-5
            )
    assert shown(outputs["a"])[0] == alone(prompt, params)[0]


# --- Ends while the next step runs ------------------------------------------------------------------------


def test_a_stop_string_is_found_while_the_next_step_runs() -> None:
    """Tokens after the stop string are dropped, and their blocks are not reused before that step is done."""
    script = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    running = overlapping(FakeModel(script), tokenizer=FakeTokenizer(), num_blocks=8)
    for number, stop in enumerate(("ij", "klm", "h")):
        running.add_request(f"stopped-{number}", "c", greedy(stop=stop, max_tokens=12))
    running.add_request("other", "c", greedy(max_tokens=12))
    running.add_request("late", "c", greedy(max_tokens=12))  # runs on what the others leave
    outputs = drain(running)
    texts = {name: (output.outputs[0].text, output.outputs[0].token_ids) for name, output in outputs.items()}
    whole = "".join(chr(ord("a") + token) for token in script)
    assert texts == {
        "stopped-0": ("h", script[:3]),
        "stopped-1": ("hij", script[:6]),
        "stopped-2": ("", script[:1]),
        "other": (whole, script),
        "late": (whole, script),
    }
    assert running.num_generated_tokens == sum(len(tokens) for _, tokens in texts.values())


@pytest.mark.parametrize("before", range(1, 6))
@pytest.mark.parametrize("n", [1, 3])
def test_an_abort_and_the_same_name_again(before: int, n: int) -> None:
    """The name is reused while a step of the aborted request runs: that step's results are discarded."""
    running = overlapping(max_num_batched_tokens=8)
    running.add_request("a", long_prompt(11), SamplingParams(n=n, seed=1, max_tokens=20, ignore_eos=True))
    running.add_request("other", [5, 6], greedy(max_tokens=15))
    for _ in range(before):
        running.step()
    aborted = running.abort("a")
    assert aborted is not None and all(each.finish_reason == "abort" for each in aborted.outputs)
    again = SamplingParams(n=n, seed=2, max_tokens=7, ignore_eos=True)
    running.add_request("a", long_prompt(6, 3), again)
    outputs = drain(running)
    assert shown(outputs["a"]) == alone(long_prompt(6, 3), again)
    assert shown(outputs["other"]) == alone([5, 6], greedy(max_tokens=15))


# --- Failures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fails_at", range(8))
def test_a_failed_step_is_launched_again(fails_at: int) -> None:
    """Any kind of work is launched again: a prompt, its fork, beams, scores, a decode; after another step or alone."""
    cases: dict[str, tuple[list[int], Params]] = {
        "several": (long_prompt(9), SamplingParams(n=3, seed=4, max_tokens=6, ignore_eos=True)),
        "beams": (long_prompt(7, 1), BeamSearchParams(beam_width=2, max_tokens=5)),
        "scores": (long_prompt(6, 2), ScoringParams(continuations=[[4, 5, 6], [7]])),
        "penalised": (long_prompt(5, 3), greedy(repetition_penalty=1.4, logprobs=1, max_tokens=9)),
        "prompt": (long_prompt(13, 5), greedy(prompt_logprobs=1, max_tokens=6)),
    }
    expected = {name: alone(prompt, params) for name, (prompt, params) in cases.items()}
    model = Noisy()
    running = overlapping(model, max_num_batched_tokens=12)
    for name, (prompt, params) in cases.items():
        running.add_request(name, prompt, params)
    done: dict[str, RequestOutput] = {}
    for number in itertools.count():
        if not running.has_unfinished_requests:
            break
        model.fails = fails_at <= number < fails_at + 2
        try:
            done |= {output.request_id: output for output in running.step() if output.finished}
            assert not model.fails or not running.has_unfinished_requests
        except RuntimeError as error:
            assert "the device is on fire" in str(error)
        running.check()
    assert {name: shown(output) for name, output in done.items()} == expected
    assert number > fails_at + 2


# --- Graphs -----------------------------------------------------------------------------------------------


def test_padding_with_several_rows_a_sequence() -> None:
    """Mixed steps run without a graph, pure decode steps are padded to one; each continues from the other."""
    running = overlapping(max_num_seqs=6, max_num_batched_tokens=9, cudagraph_capture_sizes=[1, 4, 6])
    runner = running.executor.runner  # type: ignore[attr-defined]
    runner.capture(again)
    replayed: list[int] = []
    mixed: list[list[int]] = []
    run, write = runner.graphs.run, runner.batch.prepare

    def counted(step: Step, *rest: Any) -> Any:
        replayed.append(len(step.ids))
        result = run(step, *rest)
        runner.graphs.check()
        return result

    def noted(step: Step, *rest: Any) -> Any:
        mixed.append(list(step.counts))
        return write(step, *rest)

    runner.graphs.run, runner.batch.prepare = counted, noted
    cases: dict[str, tuple[list[int], Params]] = {
        "short": ([9, 4], greedy(max_tokens=30)),
        "long": (long_prompt(25, 1), greedy(max_tokens=8)),
        "several": (long_prompt(6), SamplingParams(n=2, seed=3, max_tokens=12, ignore_eos=True)),
        "penalised": (long_prompt(30, 2), greedy(presence_penalty=0.8, logprobs=2, max_tokens=7)),
        "scored": (long_prompt(17, 3), greedy(prompt_logprobs=1, max_tokens=5)),
    }
    waiting, done = list(cases), {}
    for number in itertools.count():
        if waiting and number % 3 == 0:
            name = waiting.pop(0)
            running.add_request(name, *cases[name])
        if not (waiting or running.has_unfinished_requests):
            break
        done |= {output.request_id: output for output in running.step() if output.finished}
        running.check()
    assert {name: shown(output) for name, output in done.items()} == {
        name: alone(prompt, params) for name, (prompt, params) in cases.items()
    }
    assert len(set(replayed)) > 2 and set(replayed) - {1, 4, 6}, "some were padded"
    assert any(1 in counts and max(counts) > 1 for counts in mixed)


# --- Who waits --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "owner"),
    [
        pytest.param(greedy(), False, id="greedy"),
        pytest.param(
            greedy(repetition_penalty=1.3, presence_penalty=0.2, frequency_penalty=0.1), False, id="penalties"
        ),
        pytest.param(greedy(logprobs=3), False, id="logprobs"),
        pytest.param(greedy(min_tokens=4, stop_token_ids=[*range(2, 32)]), False, id="min-tokens"),
        pytest.param(greedy(prompt_logprobs=1), False, id="prompt-logprobs"),
        pytest.param(SamplingParams(seed=1, max_tokens=8, ignore_eos=True), False, id="drawn"),
        pytest.param(SamplingParams(n=3, seed=1, max_tokens=8, ignore_eos=True), True, id="the-fork-of-n"),
        pytest.param(BeamSearchParams(beam_width=2, max_tokens=8), True, id="beams"),
        pytest.param(ScoringParams(continuations=[[4, 5], [6, 7]]), True, id="scores"),
    ],
)
def test_who_waits(params: Params, owner: bool) -> None:
    running = overlapping()
    running.add_request("a", long_prompt(9), params)
    output = drain(running)["a"]
    assert shown(output) == alone(long_prompt(9), params)
    waits = running.stats().waits
    assert set(waits) == ({"owner"} if owner else set())
    if isinstance(params, SamplingParams) and owner:
        assert waits["owner"] == 1, "completions wait at their fork alone"
    if isinstance(params, BeamSearchParams):
        assert waits["owner"] == 8


def test_beams_do_not_keep_others_waiting() -> None:
    running = overlapping()
    running.add_request("other", [9, 4], greedy(max_tokens=40))
    running.add_request("a", long_prompt(9), BeamSearchParams(beam_width=2, max_tokens=8))
    running.add_request("b", long_prompt(5), SamplingParams(n=3, seed=1, max_tokens=8, ignore_eos=True))
    drain(running)
    assert running.stats().waits.get("token", 0) == 0
    assert running.stats().waits.get("owner", 0) <= 1, "only the first step, in which all are computed"


# --- Seeds ------------------------------------------------------------------------------------------------


def unseeded(running: LLMEngine, count: int) -> list[list[int]]:
    for number in range(count):
        running.add_request(str(number), [9], SamplingParams(max_tokens=8, ignore_eos=True))
    outputs = drain(running)
    return [outputs[str(number)].outputs[0].token_ids for number in range(count)]


RAISES: list[tuple[type, str, Params]] = [
    (SamplingGroup, "decide", greedy(n=3)),
    (SamplingGroup, "move", greedy()),
    (SamplingGroup, "output", greedy()),
    (BeamSearchGroup, "decide", BeamSearchParams(beam_width=3, max_tokens=8)),
    (ScoringGroup, "score", ScoringParams(continuations=[[5, 6, 7], [8, 9]])),
    (PoolingGroup, "score", PoolingParams()),
]


@pytest.mark.parametrize("end_raises", [False, True])
@pytest.mark.parametrize("at", [0, 1, 3])
@pytest.mark.parametrize(("kind", "method", "params"), RAISES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_what_a_group_raises_ends_its_own_request(
    kind: type, method: str, params: Params, at: int, end_raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error at any call, before or after the group's work, leaves no state."""
    calls, raised = itertools.count(), []
    original, end = getattr(kind, method), kind.end  # type: ignore[attr-defined]

    def raises(self: Any, *args: Any) -> Any:
        found = original(self, *args)
        if self.request.request_id == "bad" and next(calls) == at:
            raised.append(at)
            raise KeyError("what is not there")
        return found

    def fails(self: Any, *args: Any) -> None:
        if end_raises and self.request.request_id == "bad":
            raise RuntimeError("nor does this work")
        end(self, *args)

    monkeypatch.setattr(kind, method, raises)
    monkeypatch.setattr(kind, "end", fails)
    running = engine(FakeDecoder(), async_scheduling=True)
    others: dict[str, Params] = {
        "one": greedy(),
        "several": SamplingParams(n=3, temperature=1.0, seed=5, max_tokens=6, ignore_eos=True),
        "beams": BeamSearchParams(beam_width=2, max_tokens=5),
        "scores": ScoringParams(continuations=[[3, 4], [5]]),
    }
    expected = {}
    for name, each in others.items():
        running.add_request(name, long_prompt(9), each)
        expected[name] = shown(drain(running)[name])
    running.reset_prefix_cache()
    for name, each in {**others, "bad": params}.items():
        running.add_request(name, long_prompt(9), each)
    outputs = drain(running)
    assert {name: shown(outputs[name]) for name in others} == expected
    assert raised or at, "it is asked once at least"
    if raised:
        ended = [each for each in outputs["bad"].outputs if each.finish_reason == "error"]
        assert ended and "could not be processed: KeyError: 'what is not there'" in (ended[0].error or "")


def test_a_request_without_a_seed_has_the_engines_and_its_number() -> None:
    """Neither concurrent requests nor the order of admission matter; the next request of a prompt differs."""
    tokens = unseeded(overlapping(seed=3), 4)
    assert tokens == unseeded(overlapping(seed=3), 4) == unseeded(overlapping(seed=3, max_num_seqs=1), 4)
    assert len({tuple(each) for each in tokens}) == 4
    assert tokens != unseeded(overlapping(seed=4), 4)
    running = overlapping(seed=3, scheduling_policy="priority", max_num_seqs=1)
    for number in range(4):
        running.add_request(str(number), [9], SamplingParams(max_tokens=8, ignore_eos=True), priority=-number)
    outputs = drain(running)
    assert [outputs[str(number)].outputs[0].token_ids for number in range(4)] == tokens


def test_fake_models_agree() -> None:
    """Check of the oracle above: an engine's greedy text is the model's."""
    running = overlapping(FakeModel())
    running.add_request("a", [9], greedy(max_tokens=20))
    assert drain(running)["a"].outputs[0].token_ids == follow([9], 20)

"""Logits processors: classes that see a step's requests, and functions of one; their inputs and their failures."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.fakes import VOCAB, FakeModel, drain, engine, follow
from tests.remote_executor import far_engine
from torchpaged import EngineConfig, LLMEngine, RequestOutput, SamplingParams, logits_processors
from torchpaged.config import VllmConfig
from torchpaged.errors import ConfigError, RequestError
from torchpaged.v1.sample.logits_processor import (
    AdapterLogitsProcessor,
    BatchUpdate,
    LogitsProcessor,
    MoveDirectionality,
    RequestLogitsProcessor,
)
from torchpaged.v1.sample.logits_processor.builtin import process_dict_updates

GREEDY: dict[str, Any] = {"temperature": 0.0, "max_tokens": 8}


class Target(LogitsProcessor):
    """A processor that allows only the token that a request names, written as for vLLM except for the import."""

    @classmethod
    def validate_params(cls, params: SamplingParams) -> None:
        target = (params.extra_args or {}).get("target_token")
        if target is not None and not isinstance(target, int):
            raise ValueError(f"target_token value {target} is not int")

    def __init__(self, vllm_config: VllmConfig, device: torch.device, is_pin_memory: bool) -> None:
        assert vllm_config.model_config.get_vocab_size() == VOCAB and vllm_config.scheduler_config.max_num_seqs > 0
        assert device.type == "cpu" and not is_pin_memory
        self.req_info: dict[int, int] = {}

    def is_argmax_invariant(self) -> bool:
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        def state(params: SamplingParams, prompt: list[int] | None, made: list[int]) -> int | None:
            return (params.extra_args or {}).get("target_token")

        process_dict_updates(self.req_info, batch_update, state)

    def apply(self, logits: Tensor) -> Tensor:
        if not self.req_info:
            return logits
        rows, cols = list(self.req_info), list(self.req_info.values())
        kept = logits[rows, cols].clone()
        logits[rows] = float("-inf")
        logits[rows, cols] = kept
        return logits


class Witness(LogitsProcessor):
    """A processor that implements the protocol directly, and lets a request sample only the sum of its tokens."""

    def __init__(self, vllm_config: VllmConfig, device: torch.device, is_pin_memory: bool) -> None:
        self.known: dict[int, tuple[SamplingParams, list[int], list[int]]] = {}
        self.size = 0

    def is_argmax_invariant(self) -> bool:
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        if batch_update is None:
            return
        for index in batch_update.removed:
            del self.known[index]
        for index, params, prompt, made in batch_update.added:
            assert prompt is not None
            self.known[index] = params, prompt, made
        for source, target, how in batch_update.moved:
            assert how is MoveDirectionality.UNIDIRECTIONAL
            self.known[target] = self.known.pop(source)
        self.size = batch_update.batch_size
        assert sorted(self.known) == list(range(self.size)), "there are gaps"

    def apply(self, logits: Tensor) -> Tensor:
        assert logits.shape == (self.size, VOCAB) and logits.dtype == torch.float32
        for index, (params, prompt, made) in self.known.items():
            if params.extra_args:
                logits[index] = -torch.inf
                logits[index, summed(params.extra_args["salt"], prompt, made)] = 0.0
        return logits


class Late(Witness):
    """A processor that raises when it sees a request that asks for it."""

    def apply(self, logits: Tensor) -> Tensor:
        for _, _, made in self.known.values():
            if len(made) == 3:
                raise RuntimeError("out of words")
        return logits


class Half(Witness):
    """An argmax-invariant processor: it forbids tokens less than half as likely, at the request's temperature."""

    def is_argmax_invariant(self) -> bool:
        return True

    def apply(self, logits: Tensor) -> Tensor:
        return logits.masked_fill(logits < logits.amax(-1, keepdim=True) - 0.7, -torch.inf)


def summed(salt: int, prompt: list[int], made: list[int]) -> int:
    """Return the only token that Witness allows next; never EOS."""
    return 2 + (salt + 3 * sum(prompt) + 5 * sum(made) + len(made)) % (VOCAB - 2)


def follow_sums(salt: int, prompt: list[int], count: int) -> list[int]:
    made: list[int] = []
    for _ in range(count):
        made.append(summed(salt, prompt, made))
    return made


def run(running: LLMEngine, jobs: dict[str, tuple[list[int], SamplingParams]]) -> dict[str, RequestOutput]:
    for name, (prompt, params) in jobs.items():
        running.add_request(name, prompt, params)
    return drain(running)


# --- Classes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [Target, f"{__name__}:Target"], ids=["class", "name"])
def test_a_class_as_vllms_users_write_it(given: Any) -> None:
    running = engine(logits_processors=[given])
    done = run(
        running,
        {
            "plain": ([3], SamplingParams(**GREEDY)),
            "seven": ([3], SamplingParams(**GREEDY, extra_args={"target_token": 7})),
            "nine": ([4, 5], SamplingParams(temperature=0.9, n=2, max_tokens=8, extra_args={"target_token": 9})),
        },
    )
    assert done["plain"].outputs[0].token_ids == follow([3], 8)
    assert done["seven"].outputs[0].token_ids == [7] * 8
    assert [each.token_ids for each in done["nine"].outputs] == [[9] * 8] * 2
    with pytest.raises(RequestError, match=r"request 'bad'.*Target refuses.*target_token value x is not int"):
        running.add_request("bad", [3], SamplingParams(extra_args={"target_token": "x"}))


SETTINGS: dict[str, dict[str, Any]] = {
    "plenty": {},
    "overlapping": {"async_scheduling": True},
    "few-seats": {"max_num_seqs": 3, "async_scheduling": True},
    "chunks": {"max_num_batched_tokens": 5},
    "preempted": {"num_blocks": 16, "max_num_seqs": 6, "async_scheduling": True},
    "swapped": {"num_blocks": 16, "max_num_seqs": 6, "swap_space": 0.0001, "preemption_mode": "swap"},
}


def sums(seed: int) -> dict[str, tuple[list[int], SamplingParams]]:
    """Return requests whose every token depends on all tokens before it."""
    pick = random.Random(seed)
    return {
        f"r{i}": (
            [2 + (5 * j) % 9 for j in range(pick.randint(1, 14))],
            SamplingParams(
                n=pick.choice((1, 1, 3)),
                max_tokens=pick.randint(1, 20),
                logprobs=pick.choice((None, 1)),
                repetition_penalty=pick.choice((1.0, 1.4)),
                extra_args={"salt": i},
            ),
        )
        for i in range(14)
    }


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_class_reads_every_token_in_time(settings: dict[str, Any]) -> None:
    """With arrivals, ends, forks and preemptions; no token is sampled before the last one was read."""
    running, jobs = engine(logits_processors=[Witness], **settings), sums(1)
    for name, output in run(running, jobs).items():
        prompt, params = jobs[name]
        expected = follow_sums(int(name[1:]), prompt, params.max_tokens or 0)
        assert [each.token_ids for each in output.outputs] == [expected] * params.n, name
    assert "num_blocks" not in settings or running.stats().num_preemptions > 0


def test_a_name_crosses_to_another_process() -> None:
    jobs = sums(2)
    running = far_engine(logits_processors=[f"{__name__}:Witness"], async_scheduling=True)
    for name, output in run(running, jobs).items():
        prompt, params = jobs[name]
        assert output.outputs[0].token_ids == follow_sums(int(name[1:]), prompt, params.max_tokens or 0)


def test_what_a_class_raises_ends_the_processed_requests_of_the_step() -> None:
    """The failing request is unknown. Later requests get new processors, and run."""
    running = engine(logits_processors=[Late])
    running.add_request("a", [3], SamplingParams(**GREEDY))
    running.add_request("b", [4], SamplingParams(**GREEDY))
    done = drain(running)
    for name in "ab":
        completion = done[name].outputs[0]
        assert completion.finish_reason == "error" and len(completion.token_ids) == 3
        assert "RuntimeError: out of words" in str(completion.error)
    running.add_request("c", [3], SamplingParams(temperature=0.0, max_tokens=3))
    assert drain(running)["c"].outputs[0].token_ids == follow([3], 3)


def test_argmax_invariant_ones_come_behind_the_temperature() -> None:
    """At temperature 10 the logits 9 and 1 differ by 0.8: the others are excluded. Greedy requests are unaffected."""
    running = engine(logits_processors=[Half])
    hot = SamplingParams(temperature=10.0, seed=3, max_tokens=20)
    cool = SamplingParams(temperature=20.0, seed=3, max_tokens=20)
    done = run(running, {"hot": ([3], hot), "cool": ([3], cool), "greedy": ([3], SamplingParams(**GREEDY))})
    assert done["hot"].outputs[0].token_ids == follow([3], 20)
    assert done["cool"].outputs[0].token_ids != follow([3], 20), "at 20 they are 0.4 apart"
    assert done["greedy"].outputs[0].token_ids == follow([3], 8)


class Adapted(AdapterLogitsProcessor):
    """A function for some requests."""

    def is_argmax_invariant(self) -> bool:
        return False

    def new_req_logits_processor(self, params: SamplingParams) -> RequestLogitsProcessor | None:
        if not params.extra_args:
            return None
        return only(params.extra_args["token"])


def only(token: int) -> RequestLogitsProcessor:
    """Return a processor that allows one token, and the next one after every other."""

    def function(made: list[int], logits: Tensor) -> Tensor:
        found = torch.full_like(logits, -torch.inf)
        found[token + len(made) % 2] = 1.0
        return found

    return function


def test_an_adapter() -> None:
    jobs = {
        "a": ([3], SamplingParams(**GREEDY, extra_args={"token": 5})),
        "b": ([3], SamplingParams(**GREEDY)),
        "c": ([3, 4], SamplingParams(**GREEDY, extra_args={"token": 8})),
    }
    found = run(engine(logits_processors=[Adapted]), jobs)
    done = {name: output.outputs[0].token_ids for name, output in found.items()}
    assert done == {"a": [5, 6] * 4, "b": follow([3], 8), "c": [8, 9] * 4}


class Point:
    """An entry point."""

    value = f"{__name__}:Target"


@pytest.mark.parametrize("group", ["torchpaged.logits_processors", "vllm.logits_processors"])
def test_an_entry_point(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found through a package's entry point; passing the same class as well changes nothing."""
    found = {group: [Point]}
    monkeypatch.setattr(logits_processors, "entry_points", lambda *, group: found.get(group, []))
    logits_processors.installed.cache_clear()
    try:
        for settings in ({}, {"logits_processors": [Target]}):
            running = engine(**settings)
            assert len(running.config.logits_processors or ()) == 1
            running.add_request("a", [3], SamplingParams(**GREEDY, extra_args={"target_token": 7}))
            assert drain(running)["a"].outputs[0].token_ids == [7] * 8
    finally:
        logits_processors.installed.cache_clear()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["nowhere:Class"], "logits_processors has 'nowhere:Class', expected 'module:Class': No module"),
        ([f"{__name__}:Nobody"], "expected 'module:Class': .*Nobody"),
        (["torchpaged"], "logits_processors has 'torchpaged'"),
        ([dict], "expected a class like .*it has no update_state"),
        ([f"{__name__}:only"], "functions go to SamplingParams"),
        ([only(3)], "expected a list of classes .*functions go to SamplingParams"),
        (Target, "expected a list of classes"),
        ("a:B", "expected a list of classes"),
    ],
    ids=["no-module", "no-class", "no-name", "no-processor", "function-by-name", "function", "no-list", "text"],
)
def test_what_is_no_class(given: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=f"EngineConfig: logits_processors .*{says}|{says}"):
        engine(logits_processors=given)


# --- Functions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_functions_read_every_token_in_time(settings: dict[str, Any]) -> None:
    """Two in a row, of both kinds; in a batch with requests without any."""
    pick, jobs, wanted = random.Random(5), {}, {}
    for i in range(12):
        prompt, count = [2 + (5 * j) % 9 for j in range(pick.randint(1, 14))], pick.randint(1, 20)

        def three(first: list[int], made: list[int], logits: Tensor, salt: int = i) -> Tensor:
            return logits.index_fill(0, torch.tensor([summed(salt, first, made)]), 50.0)

        def two(made: list[int], logits: Tensor) -> Tensor:
            logits[0] = 60.0 if len(made) == 4 else 0.0
            return logits

        functions = [lambda first, made, logits, f=three: f(first, made, logits), two] if i % 3 else None
        jobs[f"r{i}"] = prompt, SamplingParams(temperature=0.0, max_tokens=count, logits_processors=functions)
        made: list[int] = []
        while len(made) < count:
            made.append(0 if len(made) == 4 else summed(i, prompt, made))
        wanted[f"r{i}"] = made if functions else follow(prompt, count)
    running = engine(**settings)
    assert {name: output.outputs[0].token_ids for name, output in run(running, jobs).items()} == wanted
    assert "num_blocks" not in settings or running.stats().num_preemptions > 0


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda made, logits: 1 / (3 - len(made)) * logits, "ZeroDivisionError"),
        (lambda made, logits: logits[: VOCAB - (len(made) == 3)], r"it returned shape \(31,\)"),
        (lambda made, logits: logits if len(made) < 3 else None, "it returned None"),
    ],
    ids=["raises", "shape", "nothing"],
)
def test_a_function_that_fails_ends_its_own_request(function: Any, says: str, n: int) -> None:
    running = engine(async_scheduling=True)
    failing = SamplingParams(n=n, temperature=0.0, max_tokens=8, logits_processors=[function])
    same = SamplingParams(**GREEDY, logits_processors=[lambda made, logits: logits])
    done = run(running, {"bad": ([3], failing), "good": ([3], SamplingParams(**GREEDY)), "same": ([3], same)})
    for completion in done["bad"].outputs:
        assert completion.finish_reason == "error" and completion.token_ids == follow([3], 3)
        assert "logits processor" in str(completion.error)
        assert re.search(says, str(completion.error))
    assert done["good"].outputs[0].token_ids == done["same"].outputs[0].token_ids == follow([3], 8)


def test_a_function_does_not_leave_this_process() -> None:
    running = far_engine()
    with pytest.raises(RequestError, match="logits_processors has functions, which stay in this process"):
        running.add_request("a", [3], SamplingParams(logits_processors=[lambda made, logits: logits]))
    running.add_request("b", [3], SamplingParams(**GREEDY))
    assert drain(running)["b"].outputs[0].token_ids == follow([3], 8)


def test_a_request_with_a_function_is_not_computed_ahead() -> None:
    """It is called once for each token, also if steps overlap and a stop token ends the request."""
    calls = []

    def note(made: list[int], logits: Tensor) -> Tensor:
        calls.append(list(made))
        return logits

    whole = follow([3], 6)
    running = engine(async_scheduling=True)
    params = SamplingParams(temperature=0.0, stop_token_ids=whole[-1:], logits_processors=[note], max_tokens=20)
    run(running, {"a": ([3], params), "b": ([4], SamplingParams(**GREEDY))})
    assert calls == [whole[:count] for count in range(6)]
    assert running.stats().waits.get("owner", 0) > 0


def test_logprobs_are_the_models() -> None:
    params = SamplingParams(**{**GREEDY, "max_tokens": 1}, logprobs=VOCAB, logits_processors=[only(5)])
    done = run(engine(FakeModel()), {"a": ([3], params), "b": ([3], SamplingParams(**GREEDY, logprobs=VOCAB))})
    first, second = (done[name].outputs[0].logprobs for name in "ab")
    assert first is not None and second is not None and first[0] is not None and second[0] is not None
    assert {t: e.logprob for t, e in first[0].items()} == {t: e.logprob for t, e in second[0].items()}


def test_beams_and_scores_are_the_models() -> None:
    """Their logits are not processed: they are read, not sampled from."""
    from torchpaged import BeamSearchParams, ScoringParams

    found = []
    for settings in ({}, {"logits_processors": [Witness]}):
        running = engine(**settings)
        running.add_request("beams", [3], BeamSearchParams(beam_width=2, max_tokens=4))
        running.add_request("scores", [3], ScoringParams(continuations=[[4, 5], [6]]))
        done = drain(running)
        found.append(([each.token_ids for each in done["beams"].outputs], done["scores"].scores))
    assert found[0] == found[1]


def test_config_is_given_on() -> None:
    """An engine's settings may make another engine: each class is there once."""
    config = engine(logits_processors=[Target, f"{__name__}:Target"]).config
    assert len(config.logits_processors or ()) == 1
    assert LLMEngine(FakeModel(), config).config.logits_processors == config.logits_processors
    assert EngineConfig().logits_processors is None

"""Ctrl-C at any line, a forward that fails at any time, concurrent threads: nothing wrong, nothing lost, no hang."""

from __future__ import annotations

import itertools
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

import torchpaged
from tests import models
from tests.fakes import EOS, FakeModel, drain, engine, follow
from torchpaged import LLM, BeamSearchParams, LLMEngine, SamplingParams
from torchpaged.engine import llm_engine as engine_module
from torchpaged.engine import streaming
from torchpaged.engine.speculation import _MADE_BY
from torchpaged.errors import EngineError
from torchpaged.execution.pending_step import PendingStep
from torchpaged.requests import prefixes
from torchpaged.sampling_params import ScoringParams
from torchpaged.scheduling.proposers import Transcript
from torchpaged.utils import interrupts

HERE = str(Path(torchpaged.__file__).parent)
PROMPTS = {"a": [3, 4, 5, 6, 7, 8], "b": [3, 4, 5, 6, 9], "c": [12] * 11, "d": [13, 14]}


def greedy(**params: Any) -> SamplingParams:
    return SamplingParams(**{"temperature": 0.0, "max_tokens": 9, **params})


# The line of `with self._lock` is also what a tracer sees before the door is opened again; Python lets no signal in
# there, between the end of a `with` and its `__exit__`.
WITH_DOOR = {
    (engine_module.__file__, number)
    for number, line in enumerate(Path(engine_module.__file__).read_text().splitlines(), start=1)
    if line.strip() == "with self._lock:"
}


# --- Interrupts -------------------------------------------------------------------------------------------


@contextmanager
def interrupt_at(line: int, within: str = HERE) -> Iterator[list[str]]:
    """Raises KeyboardInterrupt when torchpaged's own code, or a file of it, reaches its n-th line; yields where."""
    seen, left = [], [line]

    def on_line(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line" and (frame.f_code.co_filename, frame.f_lineno) not in WITH_DOOR:
            left[0] -= 1
            if left[0] == 0:
                seen.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
                raise KeyboardInterrupt
        return on_line

    def on_call(frame: FrameType, event: str, arg: object) -> Any:
        return on_line if frame.f_code.co_filename.startswith(within) else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield seen
    finally:
        sys.settrace(before)


class Guesses:
    """A proposer of the right tokens, with a wrong one now and then."""

    def __init__(self) -> None:
        self.random = random.Random(0)

    def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
        """Implement `Proposer.propose`."""
        drafts = follow(list(transcript.token_ids), max_drafts)
        if drafts and self.random.random() < 0.4:
            drafts[self.random.randrange(len(drafts))] = EOS
        return drafts


def make(pick: random.Random, guesses: bool = False) -> LLMEngine:
    running = engine(
        speculative_config={"method": "guesses", "num_speculative_tokens": 3} if guesses else None,
        num_blocks=pick.choice((12, 20, 101)),
        max_num_batched_tokens=pick.choice((5, 64)),
        max_num_seqs=pick.choice((4, 16)),
        swap_space=pick.choice((0, 1e-4)),
        watermark=0.0,
        async_scheduling=pick.random() < 0.5,
    )
    if running.scheduler.drafter is not None:
        running.scheduler.drafter.costs.step = None  # as many as are guessed, independent of timings
    return running


def add_all(running: LLMEngine) -> None:
    for name, prompt in PROMPTS.items():
        running.add_request(name, prompt, greedy())
    running.add_request("n", [3, 4, 5, 6, 7, 10], greedy(n=3))
    running.add_request("beams", [20, 21, 22, 23, 24], BeamSearchParams(beam_width=3, max_tokens=5))
    running.add_request("scores", [3, 4, 5, 6], ScoringParams(continuations=[[7, 8], [7, 9, 10]]))


def use(running: LLMEngine) -> None:
    """Run every call that changes an engine."""
    pin = running.pin_prefix([3, 4, 5, 6])
    add_all(running)
    for _ in range(4):
        running.step()
    running.abort("c")
    running.abort("beams")
    while running.has_unfinished_requests:
        running.step()
    running.unpin_prefix(pin)


def survive(seed: int, guesses: bool = False) -> str:
    """Interrupt at a random line and check the engine afterwards; return the interrupted line."""
    pick = random.Random(seed)
    running = make(pick, guesses)
    with interrupt_at(pick.randint(1, 9000)) as where, suppress(KeyboardInterrupt):
        use(running)
    ended: dict[str, Any] = {}
    if pick.random() < 0.5:
        # As `LLM` does: its requests are aborted in any state, and nothing is left.
        for name in (*PROMPTS, "n", "beams", "scores"):
            running.abort(name)
        assert not running.has_unfinished_requests, where
    idle = 0
    while running.has_unfinished_requests:
        outputs = running.step()
        idle = 0 if outputs else idle + 1
        assert idle < 30, f"{where}: nothing comes any more"
        ended.update((output.request_id, output) for output in outputs if output.finished)
        running.check()
    for name, output in ended.items():
        for completion in output.outputs:
            if completion.finish_reason == "error":
                assert "interrupt" in str(completion.error), where
            elif name in PROMPTS or name == "n":
                prompt = PROMPTS.get(name, [3, 4, 5, 6, 7, 10])
                assert completion.token_ids == follow(prompt, 9)[: len(completion.token_ids)], where
                assert completion.finish_reason in ("length", "abort"), where
    for name in list(running.prefixes.names):
        running.unpin_prefix(name)
    assert running.stats().cache.num_used_blocks == 0, where
    add_all(running)  # the same ids again, with anything cached
    outputs = drain(running)
    for name, prompt in PROMPTS.items():
        assert outputs[name].outputs[0].token_ids == follow(prompt, 9), where
    assert [c.token_ids for c in outputs["n"].outputs] == [follow([3, 4, 5, 6, 7, 10], 9)] * 3, where
    assert outputs["scores"].scores is not None and outputs["scores"].scores[0].is_greedy is not None
    return where[0] if where else "nowhere"


@pytest.mark.parametrize("first", range(0, 100, 10))
def test_an_interrupt_at_any_line(first: int) -> None:
    struck = {survive(seed) for seed in range(first, first + 10)}
    assert len(struck - {"nowhere"}) >= 5


def test_an_interrupt_where_tokens_are_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_MADE_BY, "guesses", lambda config: Guesses())
    struck = {survive(seed, guesses=True) for seed in range(200, 208)}
    assert len(struck - {"nowhere"}) >= 4


@pytest.mark.long
def test_300_interrupts_where_tokens_are_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_MADE_BY, "guesses", lambda config: Guesses())
    struck = {survive(seed, guesses=True) for seed in range(3000, 3300)}
    assert len(struck) > 100


@pytest.mark.long
def test_1000_interrupts() -> None:
    struck = {survive(seed) for seed in range(1000, 2100)}
    assert len(struck) > 300


def test_who_is_told_that_the_engine_began_anew() -> None:
    """Interrupted bookkeeping: requests end with an error that reports it, pins stay, the engine continues."""
    running = engine()
    pin = running.pin_prefix([3, 4, 5, 6, 7])
    running.add_request("a", PROMPTS["a"], greedy())
    running.add_request("n", [9, 8, 7], greedy(n=2))
    running.step()
    manager = running.scheduler.manager

    def cut(*args: Any, **kwargs: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manager, "take_copies", cut)
        with pytest.raises(KeyboardInterrupt):
            running.step()
    assert running.has_unfinished_requests
    outputs = {output.request_id: output for output in running.step()}
    assert set(outputs) == {"a", "n"} and all(output.finished for output in outputs.values())
    assert [c.finish_reason for c in outputs["n"].outputs] == ["error", "error"]
    assert "add the request again" in str(outputs["a"].outputs[0].error)
    assert outputs["a"].outputs[0].token_ids == follow(PROMPTS["a"], 1)  # what there is of it
    assert not running.has_unfinished_requests and running.step() == []
    running.check()
    assert list(running.prefixes.names) == [pin] and running.stats().cache.num_pinned_blocks == 1
    running.add_request("a", [3, 4, 5, 6, 9], greedy())
    assert drain_pinned(running)["a"].num_cached_tokens == 4


def drain_pinned(running: LLMEngine) -> dict[str, Any]:
    done = {}
    while running.has_unfinished_requests:
        done.update((output.request_id, output) for output in running.step() if output.finished)
        running.check()
    return done


def test_an_interrupt_at_every_line_of_a_pin() -> None:
    """Only the pin holds a reference to the request that computes it."""
    for line in itertools.count(1):
        running = engine()
        with interrupt_at(line, prefixes.__file__) as where, suppress(KeyboardInterrupt):
            running.pin_prefix([3, 4, 5, 6, 7])
        running.check()
        for name in list(running.prefixes.names):
            running.unpin_prefix(name)
        assert running.stats().cache.num_used_blocks == 0 and not running.scheduler.sequences, where
        if not where:
            break
    assert line > 30


def test_an_interrupt_at_every_line_of_saving_a_prompt_leaves_no_pin(tmp_path: Path) -> None:
    for file in (engine_module.__file__, prefixes.__file__):
        for line in itertools.count(1):
            running = engine()
            with interrupt_at(line, file) as where, suppress(KeyboardInterrupt):
                running.save_prefix(tmp_path / "p.safetensors", [3, 4, 5, 6, 7])
            running.check()
            assert not running.prefixes.names and running.stats().cache.num_used_blocks == 0, where
            if not where:
                break
        assert line > 10


@contextmanager
def signal_at(line: int, within: str) -> Iterator[list[int]]:
    """Send SIGINT, as Ctrl-C does, at the n-th line of another library's file; yield the lines that were reached."""
    seen: list[int] = []

    def on_line(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line" and len(seen) < line:
            seen.append(frame.f_lineno)
            if len(seen) == line:
                signal.raise_signal(signal.SIGINT)
        return on_line

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: on_line if frame.f_code.co_filename.endswith(within) else None)
    try:
        yield seen
    finally:
        sys.settrace(before)


def test_an_interrupt_in_load_prefix_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each line that reads or checks the file: it is not taken for a file that cannot be read, nor raised twice."""
    said: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    path = tmp_path / "p.kv"
    engine().save_prefix(path, [3, 4, 5, 6, 7])
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for line in itertools.count(1):
            running = engine()
            with signal_at(line, "execution/prefix_file.py") as seen, suppress(KeyboardInterrupt):
                running.load_prefix(path)
                assert len(seen) < line, f"line {seen[-1]}: the interrupt is lost"
            assert len(seen) == line or running.prefixes.names
            assert not said, f"line {seen[-1]}"
            running.check()
            for name in list(running.prefixes.names):
                running.unpin_prefix(name)
            assert running.stats().cache.num_used_blocks == 0
            if len(seen) < line:
                break
        assert line > 5 and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)


def test_an_interrupt_that_other_code_has_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is left with another error, or with none."""
    with pytest.raises(KeyboardInterrupt) as caught, interrupts.kept():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ValueError("could not determine the shape") from None
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(KeyboardInterrupt), interrupts.kept(), suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with pytest.raises(ValueError, match="of its own"), interrupts.kept():
            signal.raise_signal(signal.SIGINT)  # whose handler lets the program go on
            raise ValueError("of its own")
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_an_interrupt_at_every_line_of_a_stream_s_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other error is reported as unraisable, and no request stays."""
    said: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    llm = LLM(models.build("llama", num_hidden_layers=1), num_blocks=60)
    for line in itertools.count(1):
        with interrupt_at(line, streaming.__file__) as where, suppress(KeyboardInterrupt):
            next(llm.stream(models.prompts([5]), greedy(max_tokens=2)))
        # An interrupt inside `__del__` itself can only be reported as unraisable.
        assert all(each.exc_type is KeyboardInterrupt for each in said), (where, said)
        llm.generate(models.prompts([5]), greedy(max_tokens=1), use_tqdm=False)
        assert not llm.engine.has_unfinished_requests and llm.stats().cache.num_used_blocks == 0, where
        if not where:
            break
    assert line > 20


def test_an_interrupt_in_generate_leaves_nothing_behind() -> None:
    llm = LLM(models.build("llama"), num_blocks=60)
    prompts = models.prompts([9, 20, 5])
    params = greedy(max_tokens=6)
    expected = [output.outputs[0].token_ids for output in llm.generate(prompts, params, use_tqdm=False)]
    for seed in range(12):
        with interrupt_at(random.Random(seed).randint(1, 4000)), suppress(KeyboardInterrupt):
            llm.generate(prompts, params, use_tqdm=False)
        outputs = llm.generate(prompts, params, use_tqdm=False)
        assert [output.outputs[0].token_ids for output in outputs] == expected
        llm.engine.check()
        assert not llm.engine.has_unfinished_requests and llm.stats().cache.num_used_blocks == 0


# --- Forwards that fail -----------------------------------------------------------------------------------


class Flaky(FakeModel):
    """A model whose forward fails on demand, before or after it writes the cache."""

    def __init__(self, fails: Callable[[], bool]) -> None:
        super().__init__()
        self.may_fail = fails

    def forward(self, *args: Any) -> torch.Tensor:
        if self.may_fail():
            raise RuntimeError("the device is on fire")
        return super().forward(*args)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("seed", range(12))
def test_a_forward_that_fails_now_and_then(seed: int, asynchronous: bool) -> None:
    """Steps ahead fail too; each request's tokens are those that it has alone, and each result is delivered once."""
    pick = random.Random(seed)
    running = engine(
        Flaky(lambda: pick.random() < 0.25),
        async_scheduling=asynchronous,
        num_blocks=pick.choice((12, 16, 101)),
        max_num_seqs=pick.choice((2, 3, 8)),
        max_num_batched_tokens=pick.choice((6, 64)),
        swap_space=pick.choice((0, 1e-4)),
        watermark=0.0,
    )
    requests = {f"r{i}": [2 + (i * j) % 29 for j in range(1, 3 + i % 9)] for i in range(14)}
    arrivals = list(requests)
    ended: dict[str, list[int]] = {}
    for _ in range(2000):
        if arrivals and pick.random() < 0.4:
            name = arrivals.pop()
            running.add_request(name, requests[name], greedy(max_tokens=1 + len(requests[name])))
        try:
            outputs = running.step()
        except RuntimeError as error:
            assert "on fire" in str(error)
            continue
        running.check()
        for output in outputs:
            if output.finished:
                assert output.request_id not in ended
                ended[output.request_id] = output.outputs[0].token_ids
        if not arrivals and not running.has_unfinished_requests:
            break
    assert ended == {name: follow(prompt, 1 + len(prompt)) for name, prompt in requests.items()}
    assert running.stats().cache.num_used_blocks == 0


def test_results_that_never_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device fails after the launch of the next step: everything is computed again, from the known tokens."""
    running = engine(async_scheduling=True, max_num_seqs=4)
    for name, prompt in PROMPTS.items():
        running.add_request(name, prompt, greedy())
    for _ in range(3):
        running.step()

    def fail(launched: PendingStep) -> Any:
        raise RuntimeError("an illegal memory access was encountered")

    assert len(running.pipeline._in_flight) == 1
    with monkeypatch.context() as patch:
        patch.setattr(PendingStep, "result", fail)
        with pytest.raises(RuntimeError, match="illegal memory access"):
            running.step()
    running.check()
    outputs = drain(running)
    assert {n: o.outputs[0].token_ids for n, o in outputs.items()} == {n: follow(p, 9) for n, p in PROMPTS.items()}


@pytest.mark.parametrize("params", [greedy(n=3), ScoringParams(continuations=[[7, 8], [9, 10]])], ids=["n", "score"])
@pytest.mark.parametrize("nan", [False, True], ids=["numbers", "nan"])
def test_an_abort_while_the_prompt_of_several_is_under_way(params: Any, nan: bool) -> None:
    """The first tokens of its completions arrive when the request no longer exists."""
    running = engine(FakeModel(nan_at=8 if nan else -1), async_scheduling=True)
    running.add_request("b", PROMPTS["b"], greedy())
    running.step()
    running.add_request("several", [3, 4, 5, 6, 7, 8], params)
    running.step()
    (under_way,) = running.pipeline._in_flight
    assert under_way.draws or under_way.scored
    assert running.abort("several") is not None
    running.check()
    assert drain(running)["b"].outputs[0].token_ids == follow(PROMPTS["b"], 9)


# --- Threads ----------------------------------------------------------------------------------------------


def test_an_engine_is_for_one_thread() -> None:
    """Any second call is refused before it changes anything."""
    calls: dict[str, Callable[[], Any]] = {}
    refused: dict[str, str] = {}

    class Watched(FakeModel):
        def forward(self, *args: Any) -> torch.Tensor:
            def enter() -> None:
                for name, call in calls.items():
                    try:
                        call()
                    except EngineError as error:
                        refused[name] = str(error)

            other = threading.Thread(target=enter)
            other.start()
            other.join()
            return super().forward(*args)

    running = engine(Watched())
    running.add_request("a", PROMPTS["a"], greedy())
    calls.update(
        step=running.step,
        add_request=lambda: running.add_request("b", PROMPTS["b"], greedy()),
        abort=lambda: running.abort("a"),
        reset_prefix_cache=running.reset_prefix_cache,
        pin_prefix=lambda: running.pin_prefix([3, 4, 5, 6]),
        stats=running.stats,
    )
    outputs = drain(running)
    assert set(refused) == set(calls)
    assert refused["abort"].startswith("LLMEngine.abort: another call of this engine is running")
    assert set(outputs) == {"a"} and outputs["a"].outputs[0].token_ids == follow(PROMPTS["a"], 9)


def test_an_engine_is_not_entered_from_within() -> None:
    running = engine()

    class Nested(FakeModel):
        def forward(self, *args: Any) -> torch.Tensor:
            running.abort("a")
            return super().forward(*args)

    running = engine(Nested())
    running.add_request("a", PROMPTS["a"], greedy())
    with pytest.raises(EngineError, match="another call of this engine is running"):
        running.step()


@pytest.mark.parametrize("calls", [6, pytest.param(50, marks=pytest.mark.long)])
def test_eight_threads_of_one_llm(calls: int) -> None:
    meet(calls, seed=0)


def meet(calls: int, seed: int) -> None:
    """Run eight threads that ask one LLM for some of the same texts."""
    llm = LLM(models.build("llama"), num_blocks=60)
    prompts = models.prompts([1 + 5 * i % 23 for i in range(16)])
    params = greedy(max_tokens=5)
    alone = {tuple(p): llm.generate([p], params, use_tqdm=False)[0].outputs[0].token_ids for p in prompts}
    llm.reset_prefix_cache()
    wrong: list[object] = []

    def work(number: int) -> None:
        pick = random.Random(8 * seed + number)
        for _ in range(calls):
            batch = pick.sample(prompts, 3)
            try:
                for prompt, output in zip(batch, llm.generate(batch, params, use_tqdm=False), strict=True):
                    if output.outputs[0].token_ids != alone[tuple(prompt)]:
                        wrong.append((prompt, output))
                llm.stats()
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    llm.engine.check()
    assert llm.stats().cache.num_used_blocks == 0

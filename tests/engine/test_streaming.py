"""Streams: deltas add up, a closed stream leaves no state, and other calls may come between."""

from __future__ import annotations

import functools
import gc
import threading

import pytest

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.engine.streaming import Stream
from torchpaged.errors import ConfigError, EngineError, RequestError
from torchpaged.sampling_params import RequestOutputKind

PARAMS = SamplingParams(temperature=0.8, seed=1, max_tokens=9, ignore_eos=True)
PROMPTS = ["import os\n", "def main(", "class Queue:"]


@functools.cache
def llm() -> LLM:
    return LLM(models.STDLIB_LM, dtype="float32", num_blocks=160, block_size=4)


@functools.cache
def expected() -> list[tuple[list[int], str]]:
    outputs = llm().generate(PROMPTS, PARAMS, use_tqdm=False)
    return [(output.outputs[0].token_ids, output.outputs[0].text) for output in outputs]


def collected(stream: Stream) -> list[tuple[list[int], str]]:
    """Return the sum of the deltas."""
    found: list[tuple[list[int], str]] = [([], "") for _ in PROMPTS]
    for delta in stream:
        place, (completion,) = int(delta.request_id), delta.outputs
        tokens, text = found[place]
        found[place] = (tokens + completion.token_ids, text + completion.text)
    return found


def nothing_is_left() -> None:
    assert not llm().engine.has_unfinished_requests and llm().stats().cache.num_used_blocks == 0
    llm().engine.check()


def test_deltas_add_up() -> None:
    seen = list(llm().stream(PROMPTS, PARAMS))
    assert len(seen) > len(PROMPTS) and [each.request_id for each in seen if each.finished].count("0") == 1
    assert collected(llm().stream(PROMPTS, PARAMS)) == expected()
    nothing_is_left()


def test_whole_results_as_they_end() -> None:
    last = SamplingParams(temperature=0, max_tokens=9, output_kind=RequestOutputKind.FINAL_ONLY, ignore_eos=True)
    short = SamplingParams(temperature=0, max_tokens=2, output_kind=RequestOutputKind.FINAL_ONLY, ignore_eos=True)
    seen = list(llm().stream(PROMPTS, [last, short, last]))
    assert [each.request_id for each in seen] == ["1", "0", "2"] and all(each.finished for each in seen)
    assert list(llm().stream([])) == []


@pytest.mark.parametrize("how", ["break", "close", "with", "raise", "never-begun"])
def test_leaving_early_aborts(how: str) -> None:
    stream: Stream | None = llm().stream(PROMPTS, PARAMS)
    if how == "break":
        for _ in llm().stream(PROMPTS, PARAMS):
            break
    elif how == "close":
        assert stream is not None
        next(stream)
        stream.close()
        assert list(stream) == []
    elif how == "with":
        with llm().stream(PROMPTS, PARAMS) as another:
            next(another)
    elif how == "raise":
        with pytest.raises(RuntimeError, match="enough"):
            for _ in llm().stream(PROMPTS, PARAMS):
                raise RuntimeError("enough")
    stream = None
    gc.collect()
    nothing_is_left()
    assert collected(llm().stream(PROMPTS, PARAMS)) == expected()


def test_other_calls_in_between() -> None:
    """From within the loop, a second stream and a call in another thread each get their own results."""
    got: list[object] = []

    def elsewhere() -> None:
        outputs = llm().generate(PROMPTS, PARAMS, use_tqdm=False)
        got.append([(output.outputs[0].token_ids, output.outputs[0].text) for output in outputs])

    found: list[tuple[list[int], str]] = [([], "") for _ in PROMPTS]
    thread = threading.Thread(target=elsewhere)
    for count, delta in enumerate(llm().stream(PROMPTS, PARAMS)):
        place, (completion,) = int(delta.request_id), delta.outputs
        found[place] = (found[place][0] + completion.token_ids, found[place][1] + completion.text)
        if count == 2:
            assert collected(llm().stream(PROMPTS, PARAMS)) == expected()
            elsewhere()
            thread.start()
    thread.join()
    assert found == expected() and got == [expected(), expected()]
    nothing_is_left()


def test_errors_come_before_the_loop() -> None:
    for prompts, says in ((["import", 7], "prompt 1: .*the prompt is 7"), (7, "the prompts are 7")):
        with pytest.raises(RequestError, match=says):
            llm().stream(prompts, PARAMS)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="stream: sampling_params has 1 entries, expected one for each of"):
        llm().stream(PROMPTS, [PARAMS])
    nothing_is_left()


def test_a_step_that_fails_ends_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = llm().stream(PROMPTS, PARAMS)
    next(stream)
    for error in (RuntimeError("on fire"), KeyboardInterrupt()):
        stream = llm().stream(PROMPTS, PARAMS)
        with monkeypatch.context() as patch:
            patch.setattr(type(llm().engine.pipeline), "advance", raising(error))
            with pytest.raises(type(error)):
                next(stream)
        assert list(stream) == []
        nothing_is_left()


def raising(error: BaseException):  # type: ignore[no-untyped-def]
    def advance(*_: object) -> None:
        raise error

    return advance


def test_requests_that_somebody_else_ended() -> None:
    stream = llm().stream(PROMPTS[:1], PARAMS)
    next(stream)
    llm().engine.abort_request([str(number) for number in range(10_000)])
    with pytest.raises(EngineError, match="were ended by another caller"):
        list(stream)
    nothing_is_left()


@functools.cache
def tiny() -> LLM:
    return LLM(models.build("llama", num_hidden_layers=1), num_blocks=80, block_size=4)


def test_an_interrupt_at_any_line_leaves_nothing() -> None:
    """A Ctrl-C anywhere in a stream: the streamed request is aborted by the next call at the latest, which is right."""
    from tests.engine.test_interrupts import interrupt_at

    prompts, params = models.prompts([5, 9]), SamplingParams(temperature=0, max_tokens=3)
    wanted = [output.outputs[0].token_ids for output in tiny().generate(prompts, params, use_tqdm=False)]
    lines = [*range(1, 60, 7), *range(60, 1600, 97)]
    interrupted = 0
    for line in lines:
        try:
            with interrupt_at(line):
                for _ in tiny().stream(prompts, params):
                    pass
        except KeyboardInterrupt:
            interrupted += 1
        outputs = tiny().generate(prompts, params, use_tqdm=False)
        assert [output.outputs[0].token_ids for output in outputs] == wanted, line
        assert not tiny().engine.has_unfinished_requests, line
        assert tiny().stats().cache.num_used_blocks == 0, line
        tiny().engine.check()
    assert interrupted > len(lines) // 2

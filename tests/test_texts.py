"""SamplingParams for texts, logprobs and lengths, through an engine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes import EOS, VOCAB, FakeModel, FakeTokenizer, drain, engine, follow
from torchpaged import RequestOutput, SamplingParams
from torchpaged.outputs import FlatLogprobs, Logprob
from torchpaged.sampling_params import RequestOutputKind

PROMPT = [3, 4]
WHOLE = follow(PROMPT, 12)
TEXT = FakeTokenizer().decode(WHOLE)


def complete(prompt: Any = PROMPT, model: FakeModel | None = None, **params: Any) -> RequestOutput:
    """Run a greedy completion with texts."""
    running = engine(model, tokenizer=FakeTokenizer())
    running.add_request("a", prompt, SamplingParams(**{"temperature": 0.0, "max_tokens": 12, **params}))
    return drain(running)["a"]


def test_a_kept_stop_string() -> None:
    stop = TEXT[4:6]
    assert TEXT.index(stop) == 4, "the text repeats itself"
    cut, kept = complete(stop=stop).outputs[0], complete(stop=stop, include_stop_str_in_output=True).outputs[0]
    assert (cut.text, kept.text) == (TEXT[:4], TEXT[:6])
    assert cut.token_ids == kept.token_ids == WHOLE[:6] and cut.stop_reason == kept.stop_reason == stop


@pytest.mark.parametrize("by", ["stop-token", "eos"])
def test_a_kept_stop_token(by: str) -> None:
    script = [0, 5, 6, EOS] + [7] * 9
    params: dict[str, Any] = {"stop_token_ids": [6]} if by == "stop-token" else {}
    for keep in (False, True):
        found = complete([2], FakeModel(script[1:]), include_stop_str_in_output=keep, **params).outputs[0]
        count = 2 if by == "stop-token" else 3
        assert found.token_ids == [5, 6, EOS][:count] and found.finish_reason == "stop"
        assert found.text == FakeTokenizer().decode(found.token_ids[: count - (not keep)])


def test_deltas_of_a_kept_stop_string_add_up() -> None:
    running, shown = engine(tokenizer=FakeTokenizer()), ""
    params = SamplingParams(
        temperature=0.0,
        stop=[TEXT[4:7]],
        include_stop_str_in_output=True,
        output_kind=RequestOutputKind.DELTA,
    )
    running.add_request("a", PROMPT, params)
    while running.has_unfinished_requests:
        for output in running.step():
            shown += output.outputs[0].text
    assert shown == TEXT[:7]


def test_without_a_text() -> None:
    found = complete(detokenize=False, logprobs=1).outputs[0]
    assert found.text == "" and found.token_ids == WHOLE
    assert found.logprobs is not None
    assert all(each.decoded_token is None for row in found.logprobs if row for each in row.values())
    named = complete(logprobs=1).outputs[0].logprobs
    assert named is not None and named[0] is not None and named[0][WHOLE[0]].decoded_token == TEXT[0]


@pytest.mark.parametrize("kind", ["logprobs", "prompt_logprobs"])
def test_logprobs_of_all_tokens(kind: str) -> None:
    """Ranks 1 to all, and the whole probability."""
    import math

    output = complete(max_tokens=3, **{kind: -1})
    rows = output.outputs[0].logprobs if kind == "logprobs" else output.prompt_logprobs
    assert rows is not None
    rows = [row for row in rows if row is not None]
    assert len(rows) == (3 if kind == "logprobs" else 1)
    for row in rows:
        assert sorted(each.rank for each in row.values()) == list(range(1, VOCAB + 1))
        assert sorted(row) == list(range(VOCAB))
        assert math.fsum(math.exp(each.logprob) for each in row.values()) == pytest.approx(1.0, abs=1e-5)


def test_flat_logprobs_are_the_same_numbers() -> None:
    plain = complete(logprobs=2, prompt_logprobs=1, max_tokens=5)
    flat = complete(logprobs=2, prompt_logprobs=1, max_tokens=5, flat_logprobs=True)
    found, prompt = flat.outputs[0].logprobs, flat.prompt_logprobs
    assert isinstance(found, FlatLogprobs) and isinstance(prompt, FlatLogprobs)
    assert list(found) == plain.outputs[0].logprobs and found == plain.outputs[0].logprobs
    assert prompt[0] == {} and prompt[1] == plain.prompt_logprobs[1]  # type: ignore[index]
    for part in (slice(1, 3), slice(None), slice(2, 2), slice(9, None), slice(-2, None), slice(None, None, 2)):
        some = found[part]
        assert isinstance(some, FlatLogprobs) and list(some) == list(found)[part]
        some.append({1: Logprob(-1.0)})  # a copy
        assert len(some) == len(list(found)[part]) + 1 and len(found) == 5
    assert found[-1] == list(found)[-1] and len(found) == 5 and len(found.token_ids) == found.end_indices[-1]
    with pytest.raises(IndexError):
        found[5]


def test_max_tokens_none_is_the_models_length() -> None:
    for settings in ({}, {"max_model_len": 40}):
        running = engine(**settings)
        running.add_request("a", PROMPT, SamplingParams(temperature=0.0, max_tokens=None))
        found = drain(running)["a"].outputs[0]
        assert len(found.token_ids) == running.max_model_len - len(PROMPT) and found.finish_reason == "length"


@pytest.mark.parametrize(
    ("given", "kept"),
    [(None, 30), (5, 5), (30, 30), (99, 30), (1, 1), (-1, 28)],
    ids=["none", "some", "all", "more", "one", "what-has-room"],
)
def test_truncated_prompts(given: int | None, kept: int) -> None:
    """The last tokens are kept. -1 keeps as many as leave room for `max_tokens` of 12 in 40."""
    prompt = [2 + i % 29 for i in range(30)]
    running = engine(max_model_len=40)
    params = SamplingParams(temperature=0.0, truncate_prompt_tokens=given, max_tokens=12)
    running.add_request("a", prompt, params)
    output = drain(running)["a"]
    assert output.prompt_token_ids == prompt[-kept:]
    assert output.outputs[0].token_ids == follow(prompt[-kept:], min(12, 40 - kept))


def test_a_prompt_that_is_too_long_is_truncated() -> None:
    running = engine(max_model_len=40)
    running.add_request("a", [5] * 200, SamplingParams(truncate_prompt_tokens=-1, max_tokens=None))
    output = drain(running)["a"]
    assert len(output.prompt_token_ids) == 39 and len(output.outputs[0].token_ids) == 1


@pytest.mark.parametrize("kind", [RequestOutputKind.DELTA, RequestOutputKind.CUMULATIVE])
def test_a_stream_interval(kind: RequestOutputKind) -> None:
    """The first token comes immediately, then so many at a time, then the rest."""
    running, counts = engine(), []
    params = SamplingParams(temperature=0.0, max_tokens=12, stream_interval=4, output_kind=kind)
    running.add_request("a", PROMPT, params)
    while running.has_unfinished_requests:
        counts += [len(output.outputs[0].token_ids) for output in running.step()]
    assert counts == ([1, 4, 4, 3] if kind is RequestOutputKind.DELTA else [1, 5, 9, 12])


def test_a_logprob_needs_no_rank() -> None:
    """vLLM's tests and programs create logprobs without a rank."""
    row = {7: Logprob(-0.5), 9: Logprob(-1.0, 2, "x")}
    assert row[7].rank is None and row[7].decoded_token is None
    assert FlatLogprobs([row])[0] == row

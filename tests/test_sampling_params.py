"""SamplingParams: what is taken, and what is refused with name, value and limit."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from torchpaged import BeamSearchParams, SamplingParams, ScoringParams
from torchpaged.errors import ConfigError, TorchpagedError


def test_the_defaults_are_vllms() -> None:
    params = SamplingParams()
    assert (params.n, params.temperature, params.top_p, params.top_k, params.min_p) == (1, 1.0, 1.0, 0, 0.0)
    assert (params.max_tokens, params.min_tokens, params.seed, params.ignore_eos) == (16, 0, None, False)
    assert (params.logprobs, params.prompt_logprobs) == (None, None)
    assert (params.presence_penalty, params.frequency_penalty, params.repetition_penalty) == (0.0, 0.0, 1.0)
    assert params.stop == () and params.stop_token_ids == ()
    assert not params.greedy and not params.has_penalties


def test_it_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SamplingParams().temperature = 0.0  # type: ignore[misc]


def test_numbers_of_numpy_are_numbers() -> None:
    params = SamplingParams(
        n=np.int64(2),
        temperature=np.float32(0.5),
        top_p=np.float64(0.9),
        top_k=np.int32(7),
        seed=np.uint8(3),
        max_tokens=np.int16(5),
        logprobs=np.int64(1),
        stop_token_ids=np.array([3, 4]),
        repetition_penalty=np.float16(1.5),
    )
    assert params == SamplingParams(
        n=2, temperature=0.5, top_p=0.9, top_k=7, seed=3, max_tokens=5, logprobs=1, stop_token_ids=[3, 4],
        repetition_penalty=1.5,
    )  # fmt: skip
    for field in dataclasses.fields(params):
        if field.name != "output_kind":
            assert type(getattr(params, field.name)).__module__ == "builtins", field.name
    assert type(params.stop_token_ids[0]) is int
    assert BeamSearchParams(beam_width=np.int64(2), length_penalty=np.float32(0.5)).beam_width == 2
    assert ScoringParams(continuations=np.array([[3, 4], [5, 6]])).continuations == ((3, 4), (5, 6))
    with pytest.raises(ConfigError, match="temperature is nan"):
        SamplingParams(temperature=np.float32("nan"))
    with pytest.raises(ConfigError, match="n is "):
        SamplingParams(n=np.float64(2.0))
    with pytest.raises(ConfigError, match="n is "):
        SamplingParams(n=np.bool_(True))


@pytest.mark.parametrize(("name", "value"), [("n", 16_385), ("n", 1_000_000), ("best_of", 20_000)])
def test_more_completions_than_anybody_reads(name: str, value: int) -> None:
    with pytest.raises(ConfigError, match=f"{name} is {value}, expected at most 16384 completions"):
        SamplingParams(**{name: value})


@pytest.mark.parametrize(
    ("continuations", "says"),
    [
        ((), "continuations is empty"),
        ([[]], r"continuations\[0\] is empty"),
        (["text"], r"continuations\[0\] is 'text', expected a sequence of token ids"),
        ([[3], [4, "5"]], r"continuations\[1\] is \[4, '5'\]"),
        ([[3.0]], r"continuations\[0\] is \[3.0\]"),
        ([7], r"continuations\[0\] is 7"),
        ("text", "continuations is 'text'"),
        (None, "continuations is None"),
    ],
)
def test_what_cannot_be_scored(continuations: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=f"ScoringParams: {says}"):
        ScoringParams(continuations=continuations)


@pytest.mark.parametrize(
    ("stop", "expected"),
    [(None, ()), ("end", ("end",)), (["a", "b"], ("a", "b")), ((), ())],
    ids=["none", "string", "list", "empty"],
)
def test_stop_strings(stop: Any, expected: tuple[str, ...]) -> None:
    assert SamplingParams(stop=stop).stop == expected


def test_stop_tokens() -> None:
    assert SamplingParams(stop_token_ids=[3, 4]).stop_token_ids == (3, 4)
    assert SamplingParams(stop_token_ids=None).stop_token_ids == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 0),
        ("temperature", 1e-9),
        ("top_p", 1),
        ("top_k", -1),
        ("top_k", 10**6),
        ("min_p", 0),
        ("min_p", 1.0),
        ("seed", -1),
        ("seed", 2**63 - 1),
        ("logprobs", 0),
        ("prompt_logprobs", 0),
        ("min_tokens", 16),
        ("presence_penalty", -2),
        ("repetition_penalty", 0.01),
    ],
)
def test_the_edges_are_taken(name: str, value: Any) -> None:
    assert getattr(SamplingParams(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 0),
        ("n", 1.0),
        ("n", True),
        ("n", None),
        ("max_tokens", 0),
        ("max_tokens", -5),
        ("max_tokens", 1.5),
        ("min_tokens", -1),
        ("min_tokens", 17),
        ("temperature", -0.1),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("temperature", "hot"),
        ("top_p", 0.0),
        ("top_p", 1.1),
        ("top_k", -2),
        ("top_k", 0.5),
        ("min_p", -0.1),
        ("min_p", 1.1),
        ("seed", 1.5),
        ("seed", 2**63),
        ("seed", -(2**63) - 1),
        ("logprobs", -1),
        ("logprobs", True),
        ("prompt_logprobs", -1),
        ("presence_penalty", 2.5),
        ("frequency_penalty", -2.5),
        ("repetition_penalty", 0),
        ("stop", ""),
        ("stop", ["a", ""]),
        ("stop", [1]),
        ("stop", 5),
        ("stop_token_ids", ["a"]),
        ("stop_token_ids", 5),
        ("stop_token_ids", [-1]),
    ],
)
def test_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"SamplingParams: {name} is .*, expected ") as error:
        SamplingParams(**{name: value})
    assert isinstance(error.value, ValueError) and isinstance(error.value, TorchpagedError)
    assert str(value).strip("[]()") in str(error.value)


@pytest.mark.parametrize(
    "params",
    [{"presence_penalty": 0.1}, {"frequency_penalty": -0.1}, {"repetition_penalty": 1.1}],
    ids=lambda params: next(iter(params)),
)
def test_has_penalties(params: dict[str, float]) -> None:
    assert SamplingParams(**params).has_penalties


def test_greedy() -> None:
    assert SamplingParams(temperature=0).greedy
    assert not SamplingParams(temperature=1e-3).greedy

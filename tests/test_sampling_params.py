"""SamplingParams: accepted values, and errors with name, value and limit."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.fakes import drain, engine, follow
from torchpaged import BeamSearchParams, SamplingParams, ScoringParams
from torchpaged.config import ModelView
from torchpaged.errors import ConfigError, RequestError, TorchpagedError


def test_the_defaults_are_vllms() -> None:
    params = SamplingParams()
    assert (params.n, params.temperature, params.top_p, params.top_k, params.min_p) == (1, 1.0, 1.0, 0, 0.0)
    assert (params.max_tokens, params.min_tokens, params.seed, params.ignore_eos) == (16, 0, None, False)
    assert (params.logprobs, params.prompt_logprobs) == (None, None)
    assert (params.presence_penalty, params.frequency_penalty, params.repetition_penalty) == (0.0, 0.0, 1.0)
    assert params.stop == [] and params.stop_token_ids == [] and params.bad_words == []
    assert (params.logit_bias, params.allowed_token_ids, params.extra_args) == (None, None, None)
    assert params.detokenize and params.skip_special_tokens and params.spaces_between_special_tokens
    assert not params.include_stop_str_in_output and not params.flat_logprobs
    assert not params.greedy and not params.has_penalties


def test_positions_are_vllms() -> None:
    """Checked for the fields whose position is the same in all of vLLM's versions."""
    params = SamplingParams(2, 0.5, 0.25, 1.5, 0.75)
    assert (params.n, params.presence_penalty, params.frequency_penalty) == (2, 0.5, 0.25)
    assert (params.repetition_penalty, params.temperature) == (1.5, 0.75)


def test_attributes_may_be_set_and_are_validated_when_used() -> None:
    """The engine copies the parameters: later changes have no effect on the request."""
    running = engine()
    params = SamplingParams(max_tokens=3)
    params.temperature, params.max_tokens = 0, np.int64(5)
    params.stop_token_ids.append(follow([3], 2)[1])  # type: ignore[union-attr]
    running.add_request("a", [3], params)
    params.max_tokens = -1
    with pytest.raises(ConfigError, match="max_tokens is -1"):
        running.add_request("b", [3], params)
    done = drain(running)
    assert list(done) == ["a"] and done["a"].outputs[0].token_ids == follow([3], 2)
    with pytest.raises(AttributeError):
        params.temprature = 1.0  # type: ignore[attr-defined]


def test_clone_shares_nothing() -> None:
    def keep(tokens: Any, logits: Any) -> Any:
        return logits

    params = SamplingParams(stop=["a"], logit_bias={3: 1}, extra_args={"k": [1]}, logits_processors=[keep])
    copied = params.clone()
    assert copied == params and copied.logits_processors == [keep]
    copied.stop.append("b")  # type: ignore[union-attr]
    copied.extra_args["k"].append(2)  # type: ignore[index]
    copied.logit_bias[4] = 2.0  # type: ignore[index]
    assert params == SamplingParams(stop=["a"], logit_bias={3: 1}, extra_args={"k": [1]}, logits_processors=[keep]), (
        "the copy has changed what it was made of"
    )


def test_from_optional() -> None:
    """None is the default, keys may be texts, biases are clipped; the rest is as in the class."""
    given = dict.fromkeys(("n", "presence_penalty", "frequency_penalty", "repetition_penalty", "temperature", "top_p"))
    params = SamplingParams.from_optional(**given, logit_bias={"3": 1000.0, 4: -1000, "5": 0.5}, max_tokens=None)
    assert params == SamplingParams(logit_bias={3: 100.0, 4: -100.0, 5: 0.5}, max_tokens=None)
    with pytest.raises(ConfigError, match=r"logit_bias is {.a.: 1}"):
        SamplingParams.from_optional(logit_bias={"a": 1})
    with pytest.raises(ConfigError, match="unknown parameter 'tempe'"):
        SamplingParams.from_optional(tempe=1)


@pytest.mark.parametrize(
    ("kind", "name", "meant"),
    [
        (SamplingParams, "temprature", "temperature"),
        (SamplingParams, "stop_tokens_ids", "stop_token_ids"),
        (BeamSearchParams, "beam_with", "beam_width"),
        (ScoringParams, "continuation", "continuations"),
    ],
)
def test_an_unknown_name(kind: Any, name: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f"{kind.__name__}: unknown parameter '{name}'; did you mean '{meant}'"):
        kind(**{name: 1})
    with pytest.raises(ConfigError, match="unknown parameter 'zzz'; there are "):
        kind(zzz=1)


# All parameters of vLLM 0.32's class, except those that vLLM sets itself.
VLLM = """
n presence_penalty frequency_penalty repetition_penalty temperature watermarking top_p top_k min_p seed stop
stop_token_ids ignore_eos max_tokens min_tokens logprobs prompt_logprobs prompt_logprob_token_ids prompt_logprob_start
logprob_token_ids flat_logprobs detokenize skip_special_tokens spaces_between_special_tokens
include_stop_str_in_output output_kind stream_interval skip_clone structured_outputs logit_bias allowed_token_ids
extra_args bad_words skip_reading_prefix_cache thinking_token_budget repetition_detection routed_experts_prompt_start
trace_decode_token_ids
"""


def test_names_are_vllms_in_its_order() -> None:
    assert [field.name for field in dataclasses.fields(SamplingParams)][: len(VLLM.split())] == VLLM.split()


NOT_HERE: list[tuple[str, Any]] = [
    ("watermarking", True),
    ("prompt_logprob_token_ids", np.array([[1, 2]])),
    ("prompt_logprob_start", 0),
    ("logprob_token_ids", [3]),
    ("skip_reading_prefix_cache", True),
    ("repetition_detection", {"min_count": 2}),
    ("routed_experts_prompt_start", 1),
    ("trace_decode_token_ids", [3, 4]),
]


@pytest.mark.parametrize(("name", "value"), NOT_HERE, ids=[name for name, _ in NOT_HERE])
def test_what_is_not_here_is_refused_by_name(name: str, value: Any) -> None:
    """Any value but the default is refused."""
    with pytest.raises(ConfigError, match=f"SamplingParams: {name} is .*, expected (None|0)"):
        SamplingParams(**{name: value})
    nothing = 0 if name == "routed_experts_prompt_start" else None
    assert SamplingParams(**{name: nothing}) == SamplingParams()


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
    [(None, []), ("end", ["end"]), (("a", "b"), ["a", "b"]), ((), [])],
    ids=["none", "string", "list", "empty"],
)
def test_stop_strings(stop: Any, expected: list[str]) -> None:
    assert SamplingParams(stop=stop).stop == expected


@pytest.mark.parametrize("name", ["stop", "bad_words"])
def test_the_longest_of_texts_that_a_step_looks_for(name: str) -> None:
    SamplingParams(**{name: ["x", "y" * 1024]})
    with pytest.raises(ConfigError, match=rf"^SamplingParams: {name}\[1\] has 1025 characters, expected at most 1024$"):
        SamplingParams(**{name: ["x", "y" * 1025]})


def test_stop_tokens() -> None:
    assert SamplingParams(stop_token_ids=(3, 4)).stop_token_ids == [3, 4]
    assert SamplingParams(stop_token_ids=None).stop_token_ids == []


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
        ("seed", 2**63 - 1),
        ("logprobs", 0),
        ("logprobs", -1),
        ("prompt_logprobs", 0),
        ("prompt_logprobs", -1),
        ("min_tokens", 16),
        ("max_tokens", None),
        ("stream_interval", 1),
        ("truncate_prompt_tokens", -1),
        ("truncate_prompt_tokens", 1),
        ("logit_bias", {0: -200, 5: 0.5}),
        ("allowed_token_ids", [0]),
        ("bad_words", ["a b"]),
        ("presence_penalty", -2),
        ("repetition_penalty", 0.01),
        ("extra_args", {"a": 2**64 - 1, "b": [-(2**63), True]}),
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
        ("extra_args", {"a": 2**64}),
        ("extra_args", {"a": [{"b": (-(2**63) - 1,)}]}),
        ("extra_args", {2**64: 0}),
        ("seed", 1.5),
        ("seed", 2**63),
        ("seed", -(2**63) - 1),
        ("logprobs", -2),
        ("logprobs", True),
        ("prompt_logprobs", -2),
        ("stream_interval", 0),
        ("truncate_prompt_tokens", 0),
        ("truncate_prompt_tokens", -2),
        ("truncate_prompt_tokens", 1.5),
        ("logit_bias", [1]),
        ("logit_bias", {"3": 1.0}),
        ("logit_bias", {-1: 1.0}),
        ("logit_bias", {3: math.inf}),
        ("logit_bias", {3: "a"}),
        ("allowed_token_ids", []),
        ("allowed_token_ids", [-1]),
        ("allowed_token_ids", ["a"]),
        ("allowed_token_ids", 5),
        ("bad_words", "word"),
        ("bad_words", [""]),
        ("bad_words", ["  "]),
        ("bad_words", [5]),
        ("extra_args", 5),
        ("logits_processors", [5]),
        ("logits_processors", [dict]),
        ("logits_processors", 5),
        ("logits_processors", [lambda logits: logits]),
        ("logits_processors", [iter]),
        ("detokenize", 1),
        ("skip_special_tokens", None),
        ("include_stop_str_in_output", "yes"),
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
    assert str(value).strip("[](){}") in str(error.value)


def test_stop_strings_need_a_text() -> None:
    with pytest.raises(ConfigError, match=r"stop is .*detokenize is False"):
        SamplingParams(stop="a", detokenize=False)


def test_min_tokens_without_a_limit() -> None:
    assert SamplingParams(max_tokens=None, min_tokens=99).min_tokens == 99


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


def test_a_seed_of_minus_one_is_none() -> None:
    """vLLM treats it so too."""
    assert SamplingParams(seed=-1).seed is None and SamplingParams(seed=-2).seed == -2


def test_verify() -> None:
    """vLLM's name for the checks of an engine when a request is added."""
    model = ModelView("tiny", 64, 32)
    for good in ({"logprobs": -1}, {"stop_token_ids": [31]}, {"logit_bias": {0: 1.0}}, {"max_tokens": 1000}):
        SamplingParams(**good).verify(model, speculative_config=None, structured_outputs_config=None, tokenizer=None)
    bad: list[dict[str, Any]] = [
        {"stop_token_ids": [32]},
        {"allowed_token_ids": [3, 99]},
        {"logit_bias": {40: 1.0}},
        {"stop": "x"},
        {"bad_words": ["x"]},
        {"structured_outputs": {"choice": ["a"]}},
    ]
    for each in bad:
        with pytest.raises(RequestError, match=f"^SamplingParams: {next(iter(each))} "):
            SamplingParams(**each).verify(model)
    limited = SimpleNamespace(get_vocab_size=lambda: 32, max_logprobs=5)
    SamplingParams(logprobs=5).verify(limited)
    for name, value in (("logprobs", 6), ("prompt_logprobs", -1)):
        with pytest.raises(RequestError, match=f"{name} is {value}, expected at most 5, max_logprobs"):
            SamplingParams(**{name: value}).verify(limited)

"""Request fields: every field of OpenAI's and vLLM's is known, and either honoured or refused by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")

from torchpaged import SamplingParams
from torchpaged.sampling_params import BeamSearchParams, RequestOutputKind
from torchpaged.serving.json_text import from_json
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.protocol import (
    _SAMPLING,
    ChatBody,
    CompletionBody,
    EmbeddingBody,
    Sampling,
    prompts_of,
)
from torchpaged.serving.refusals import Refusal

OPTIONS = ServeOptions(max_completions=4, max_logprobs=5, max_stop=2, max_logit_bias=3, max_prompts=2)
MESSAGES = [{"role": "user", "content": "x"}]
# Fields of vLLM 0.32's requests in addition to OpenAI's.
VLLM = {
    *("top_k", "min_p", "repetition_penalty", "length_penalty", "stop_token_ids", "include_stop_str_in_output"),
    *("ignore_eos", "min_tokens", "skip_special_tokens", "spaces_between_special_tokens", "truncate_prompt_tokens"),
    *("allowed_token_ids", "prompt_logprobs", "add_special_tokens", "response_format", "structured_outputs"),
    *("priority", "request_id", "return_tokens_as_token_ids", "return_token_ids", "cache_salt", "logits_processors"),
    *("bad_words", "use_beam_search", "vllm_xargs", "truncation_side"),
}
CHAT = {
    *("echo", "add_generation_prompt", "continue_final_message", "documents", "chat_template"),
    "chat_template_kwargs",
}


def body(kind: type[Sampling], **fields: Any) -> Any:
    return kind(**({"prompt": "x"} if kind is CompletionBody else {"messages": MESSAGES}), **fields)


def sampling(asked: Any, defaults: SamplingParams | None = None, max_tokens: int | None = 5) -> SamplingParams:
    found: SamplingParams = asked.sampling(defaults or SamplingParams(), OPTIONS, max_tokens)
    return found


def test_every_field_is_known() -> None:
    types = pytest.importorskip("openai.types", reason="openai is not installed")
    for theirs, ours in (
        (types.completion_create_params.CompletionCreateParamsBase, CompletionBody),
        (types.chat.completion_create_params.CompletionCreateParamsBase, ChatBody),
        (types.embedding_create_params.EmbeddingCreateParams, EmbeddingBody),
    ):
        assert theirs.__annotations__.keys() <= ours.model_fields.keys()
    assert CompletionBody.model_fields.keys() >= VLLM and ChatBody.model_fields.keys() >= VLLM | CHAT


@pytest.mark.parametrize("kind", [CompletionBody, ChatBody])
def test_every_field_is_honoured_or_refused(kind: type[Sampling]) -> None:
    """A field that is neither read nor refused would be ignored silently."""
    read = {"model", "prompt", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "echo"}
    read |= {"logprobs", "top_logprobs", "logit_bias", "vllm_xargs", "cache_salt", "priority", "request_id"}
    read |= {"return_token_ids", "return_tokens_as_token_ids", "add_special_tokens", *_SAMPLING}
    read |= {"add_generation_prompt", "continue_final_message", "chat_template_kwargs", "reasoning_effort"}
    read |= {"tools", "parallel_tool_calls", "tool_choice", "response_format", "structured_outputs"}
    read |= {"use_beam_search", "length_penalty", "truncation_side", "reasoning", "receipt"}
    labels = {"user", "safety_identifier", "prompt_cache_key", "metadata"}  # they change no answer
    assert set(kind.model_fields) <= read | labels | set(kind.only)


@pytest.mark.parametrize("kind", [CompletionBody, ChatBody])
def test_what_there_is_none_of(kind: type[Sampling]) -> None:
    some: dict[str, Any] = {
        "logits_processors": ["x"],
        "suffix": "x",
        "modalities": ["text", "audio"],
        "functions": [{}],
        "function_call": "auto",
        "store": True,
        "prompt_cache_retention": "24h",
        "service_tier": "flex",
        "verbosity": "low",
        "chat_template": "{{ x }}",
        "documents": [{}],
        "echo": True,
        "add_special_tokens": True,
    }
    for name, (values, _) in kind.only.items():
        with pytest.raises(Refusal, match=f"^{name} is ") as refused:
            sampling(body(kind, **{name: some.get(name, {"a": 1})}))
        assert refused.value.param == name and refused.value.status == 400
        for value in values:
            sampling(body(kind, **{name: value}))


def test_tools_that_may_not_be_called_are_left_out() -> None:
    tools: Any = [{"type": "function", "function": {"name": "f"}}]
    assert body(ChatBody, tools=tools, tool_choice="none").template_options()["tools"] is None
    for choice in (None, "auto"):
        assert body(ChatBody, tools=tools, tool_choice=choice).template_options()["tools"] == tools


def test_fields_become_parameters() -> None:
    given: dict[str, Any] = {
        "allowed_token_ids": [1, 2],
        "bad_words": ["x"],
        "best_of": 4,
        "frequency_penalty": 0.5,
        "ignore_eos": True,
        "include_stop_str_in_output": True,
        "min_p": 0.25,
        "min_tokens": 2,
        "n": 3,
        "presence_penalty": 0.5,
        "prompt_logprobs": 1,
        "repetition_penalty": 1.5,
        "seed": 9,
        "skip_special_tokens": False,
        "spaces_between_special_tokens": False,
        "stop": ["a"],
        "stop_token_ids": [3],
        "temperature": 0.5,
        "cache_hint": {"session": "a", "retain": 60},
        "thinking_token_budget": 8,
        "top_k": 7,
        "top_p": 0.5,
        "truncate_prompt_tokens": 4,
    }
    assert sorted(given) == sorted(_SAMPLING)
    expected = SamplingParams(
        **given,
        max_tokens=5,
        logprobs=2,
        flat_logprobs=True,
        logit_bias={4: -100.0},
        extra_args={"a": 1},
        output_kind=RequestOutputKind.FINAL_ONLY,
    )
    more: dict[str, Any] = {"logit_bias": {"4": -100}, "vllm_xargs": {"a": 1}}
    assert sampling(body(CompletionBody, logprobs=2, **given, **more)) == expected
    assert sampling(body(ChatBody, logprobs=True, top_logprobs=2, **given, **more)) == expected


def test_null_and_nothing_are_the_defaults() -> None:
    defaults = SamplingParams(temperature=0.3, top_p=0.9, top_k=4)
    for kind in (CompletionBody, ChatBody):
        nothing = sampling(body(kind), defaults)
        names = set(kind.model_fields) - {"prompt", "messages"}
        assert sampling(body(kind, **dict.fromkeys(names)), defaults) == nothing
        assert (nothing.temperature, nothing.top_p, nothing.top_k) == (0.3, 0.9, 4)


@pytest.mark.parametrize(
    ("fields", "says", "param"),
    [
        ({"n": 5}, "n is 5, expected 0 to 4", "n"),
        ({"best_of": 9, "n": 2}, "best_of is 9", "best_of"),
        ({"logprobs": 6}, "logprobs is 6", "logprobs"),
        ({"logprobs": -2}, "logprobs is -2", "logprobs"),
        ({"stop": ["a", "b", "c"]}, "stop is 3", "stop"),
        ({"bad_words": ["a", "b", "c", "d"]}, "bad_words is 4", "bad_words"),
        ({"logit_bias": {str(token): 1 for token in range(4)}}, "logit_bias is 4", "logit_bias"),
        ({"logit_bias": {"x": 1}}, "logit_bias has the key 'x'", "logit_bias"),
        ({"logit_bias": {"1": 101}}, "logit_bias has 101", "logit_bias"),
        ({"stream_options": {}}, "stream_options is given", "stream_options"),
        ({"stream": True, "best_of": 3}, "best_of is more than n", "best_of"),
    ],
)
def test_limits(fields: dict[str, Any], says: str, param: str) -> None:
    with pytest.raises(Refusal, match=f"^{says}") as refused:
        sampling(body(CompletionBody, **fields))
    assert refused.value.param == param


def test_what_does_not_go_together_in_a_chat() -> None:
    for fields, says in (
        ({"top_logprobs": 2}, "top_logprobs is given"),
        ({"max_tokens": 2, "max_completion_tokens": 3}, "max_tokens is an old name"),
    ):
        with pytest.raises(Refusal, match=says):
            sampling(body(ChatBody, **fields))
    for name in ("chat_template", "tokenize", "tools"):
        with pytest.raises(Refusal, match=f"chat_template_kwargs has '{name}'"):
            body(ChatBody, chat_template_kwargs={name: "x"}).template_options()
    options = body(ChatBody, chat_template_kwargs={"enable_thinking": False}, reasoning_effort="low").template_options()
    assert options["template_kwargs"] == {"enable_thinking": False, "reasoning_effort": "low"}


def test_prompts() -> None:
    assert prompts_of("a", OPTIONS, "prompt") == ["a"] and prompts_of([1, 2, 3], OPTIONS, "prompt") == [[1, 2, 3]]
    assert prompts_of([[1], [2]], OPTIONS, "prompt") == [[1], [2]] and prompts_of(["a"], OPTIONS, "prompt") == ["a"]
    for given, count in (([], 0), (["a"] * 3, 3)):
        with pytest.raises(Refusal, match=f"prompt has {count} prompts, expected 1 to 2"):
            prompts_of(given, OPTIONS, "prompt")  # type: ignore[arg-type]


def test_searches() -> None:
    options = ServeOptions(max_completions=4)
    found = body(CompletionBody, use_beam_search=True, n=3, length_penalty=0.5, ignore_eos=True, temperature=0)
    expected = BeamSearchParams(beam_width=3, max_tokens=9, length_penalty=0.5, ignore_eos=True)
    assert found.searching(options, 9) == expected
    assert body(ChatBody, use_beam_search=True).searching(options, 9) == BeamSearchParams(beam_width=1, max_tokens=9)
    for name, value in (
        ("temperature", 0.5),
        ("top_k", 3),
        ("seed", 0),
        ("stop", "x"),
        ("logit_bias", {"3": 1}),
        ("best_of", 2),
        ("min_tokens", 0),
        ("skip_special_tokens", False),
        ("stream", True),
        ("vllm_xargs", {}),
        ("n", 5),
    ):
        with pytest.raises(Refusal, match=f"^{name} is ") as refused:
            body(CompletionBody, use_beam_search=True, **{name: value}).searching(options, 9)
        assert refused.value.param == name
    with pytest.raises(Refusal, match=r"^logprobs is 2"):
        body(CompletionBody, use_beam_search=True, logprobs=2).searching(options, 9)
    with pytest.raises(Refusal, match="length_penalty is 2"):
        sampling(body(CompletionBody, length_penalty=2.0))


_PAD = " " * (1 << 16)  # long bodies have a parser of their own


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, -0, 1.5, 1e400, NaN, -Infinity, true, null], "b": "é\\n", "b": "last"}',
        '"\\ud800"',
        "[1, 123456789012345678901234567890]",
        "[" * 300 + "]" * 300,
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_long_bodies_are_read_as_short_ones(text: str, encoding: str) -> None:
    assert repr(from_json((text + _PAD).encode(encoding))) == repr(json.loads(text))


@pytest.mark.parametrize("text", ["", "{", '{"a": 01}', "[1,]", "'a'"])
def test_long_bodies_that_are_no_json(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text + _PAD)
    with pytest.raises(json.JSONDecodeError) as found:
        from_json((text + _PAD).encode())
    assert str(found.value) == str(expected.value)

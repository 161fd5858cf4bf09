"""Constraints on an answer: response formats, grammars, and required tool calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torchpaged.errors import ConfigError
from torchpaged.reasoning import PARSERS, ReasoningDelimiters
from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.call_formats import format_of, grammar_of
from torchpaged.serving.messages import MessageReader
from torchpaged.serving.parsers import (
    delimiters_of,
    has_channels,
    has_thoughts,
    with_thoughts_first,
    without_thoughts,
)
from torchpaged.serving.refusals import Refusal
from torchpaged.structured_outputs import StructuredOutputsParams

_FORMATS = "'text', 'json_object', 'json_schema' or 'structural_tag'"


def structured_of(
    response_format: Mapping[str, Any] | None, structured_outputs: Mapping[str, Any] | None
) -> StructuredOutputsParams | None:
    """Return the constraint of `response_format` or `structured_outputs`.

    Raises:
        Refusal: a value is invalid, or both are given.
    """
    format = _format_of(response_format)
    own = {name: value for name, value in (structured_outputs or {}).items() if value is not None}
    if format is not None and own:
        raise Refusal("response_format and structured_outputs are given, expected one of them", param="response_format")
    name, given = ("structured_outputs", own) if format is None else ("response_format", format)
    return _params(name, given) if given else None


def _params(name: str, given: Mapping[str, Any]) -> StructuredOutputsParams:
    try:
        return StructuredOutputsParams.of(given)
    except ConfigError as error:
        raise Refusal(str(error).replace("StructuredOutputsParams", name, 1), param=name) from None


def _format_of(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Translate OpenAI's format into fields of `StructuredOutputsParams`; None: any text."""
    kind = None if given is None else given.get("type")
    if given is None or kind == "text":
        return None
    if kind == "json_object":
        return {"json_object": True}
    if kind == "structural_tag":
        return {"structural_tag": {name: value for name, value in given.items() if name != "type"}}
    schema = given.get("json_schema")
    if kind != "json_schema":
        raise Refusal(f"response_format has the type {kind!r:.80}, expected {_FORMATS}", param="response_format")
    if not isinstance(schema, Mapping) or not isinstance(schema.get("schema"), Mapping):
        raise Refusal(
            f"response_format has the json_schema {schema!r:.80}, expected {{'name': ..., 'schema': {{...}}}}",
            param="response_format",
        )
    return {"json": schema["schema"]}


def guide_behind_thoughts(
    params: SamplingParams, template: Mapping[str, Any] | None, prompt: str, *, calls: bool
) -> Mapping[str, Any] | None:
    """Have constraints of a chat's answer begin behind the thoughts, and return the template that reads the answer.

    Args:
        params: of the request; its `reasoning` is set.
        template: response template of the model.
        prompt: the conversation, whose end tells if thoughts have begun, or are left out.
        calls: if the constraint is that of tool calls.

    Raises:
        Refusal: the constraint would keep a model from its thoughts, because nothing says how it writes them.
    """
    guided, budget = params.structured_outputs is not None, params.thinking_token_budget
    if not guided and budget is None:
        return template
    if template is None or not has_thoughts(template):
        opened = next((each for known in PARSERS.values() for each in known.open if _ends(prompt, each)), None)
        if budget is None and opened is None:
            return template
        what = f"the prompt ends with {opened!r}, and the answer is constrained"
        said = what if budget is None else f"thinking_token_budget is {budget}"
        raise Refusal(
            f"{said}, but nothing says how the model writes its thoughts: start the server with --reasoning-parser, or "
            'switch thoughts off, as with chat_template_kwargs {"enable_thinking": false}',
            param="response_format" if budget is None else "thinking_token_budget",
            code="unsupported",
        )
    delimiters = delimiters_of(template)
    if delimiters is None:
        raise Refusal(
            "the answer is constrained, or its thoughts have a budget, and the model's response_template describes the "
            "delimiters of thoughts by patterns: where the thoughts end is not known while they are written; start the "
            "server with --reasoning-parser",
            param="response_format" if budget is None else "thinking_token_budget",
            code="unsupported",
        )
    channels = has_channels(template)
    if channels and calls:  # a call is a message of its own, whose header the grammar has
        delimiters = replace(delimiters, close=(delimiters.commits,), commits="")
    reader = MessageReader(template, prompt, [], several=True)
    if not reader.thinks and (reader.has_begun or any(_ends(prompt, each) for each in delimiters.close)):
        params.thinking_token_budget = None  # there are no thoughts
        return without_thoughts(template) if guided else template
    params.reasoning = replace(delimiters, opened=reader.thinks)
    return with_thoughts_first(template, delimiters) if guided and not (channels and calls) else template


def _ends(prompt: str, text: str) -> bool:
    return prompt.rstrip().endswith(text)


def reasoning_of(template: Mapping[str, Any] | None) -> ReasoningDelimiters:
    """Return the delimiters of thoughts for a completion that asks for them.

    Raises:
        Refusal: there are none.
    """
    delimiters = delimiters_of(template) if template is not None and has_thoughts(template) else None
    if delimiters is None:
        raise Refusal(
            "reasoning is true, and the server does not know between which texts the model writes its thoughts; start "
            "it with --reasoning-parser",
            param="reasoning",
            code="unsupported",
        )
    return delimiters


def calls_of(
    tools: Sequence[Mapping[str, Any]],
    choice: str | Mapping[str, Any] | None,
    template: Mapping[str, Any] | None,
    special: Mapping[str, int],
    *,
    several: bool,
) -> str | None:
    """Return a grammar for answers with the tool calls that a request requires; None: the model may decide.

    Args:
        tools: tools that may be called, in OpenAI's format.
        choice: the request's `tool_choice`.
        template: response template of the model.
        special: ids of the tokenizer's special tokens; in a grammar they differ from the same characters as text.
        several: allow more than one call.

    Raises:
        Refusal: the choice names no tool, or the template's calls are not JSON.
    """
    must = choice not in (None, "none", "auto")
    if not must and not any(tool["function"].get("strict") for tool in tools):
        return None
    if isinstance(choice, Mapping):
        tools = [tool for tool in tools if choice.get("function", {}) == {"name": tool["function"]["name"]}]
    elif must and choice != "required":
        tools = []
    if not tools:
        raise Refusal(
            f"tool_choice is {choice!r:.80}, expected 'none', 'auto', 'required' or "
            "{'type': 'function', 'function': {'name': ...}} with the name of one of tools",
            param="tool_choice",
        )
    if (format := format_of(template, special)) is not None:
        functions = [tool["function"] for tool in tools]
        several = several and not isinstance(choice, Mapping)
        return grammar_of(format, functions, special, must=must, several=several)
    called: Mapping[str, Any] = (template or {}).get("fields", {}).get("tool_calls", {})
    opens, closes = called.get("open"), called.get("close")
    plain = isinstance(opens, str) and isinstance(closes, str) and opens and closes
    if not (plain and called.get("content") == "json" and called.get("transform", {}).get("function") == "{content}"):
        raise Refusal(
            "the model's response_template does not write calls as JSON of a name and arguments between two texts, nor "
            "in the format of a --tool-call-parser that has a grammar, and so they cannot be asked for; leave "
            "tool_choice and strict out",
            param="tool_choice" if must else "tools",
            code="unsupported",
        )
    assert isinstance(opens, str) and isinstance(closes, str)
    repeats = bool(called.get("repeats")) and several and not isinstance(choice, Mapping)
    made = " | ".join(_call(tool["function"], must=must) for tool in tools)
    rest = f"S? ({made}) S? {_written(closes, special)}\nS: /[ \\n]{{1,2}}/"
    if must:
        start = "start: call (S? call)*" if repeats else "start: call"
        return f"{start}\ncall: {_written(opens, special)} {rest}"
    text = f"start: {'call*' if repeats else 'call?'} TEXT\nTEXT: /(.|\\n)*/"
    if opens in special:
        return f"{text}\ncall: TEXT {_written(opens, special)} {rest}"
    return f"{text}\ncall: begin {rest}\nbegin[lazy]: TEXT {_written(opens, special)}"


def _call(function: Mapping[str, Any], *, must: bool) -> str:
    """Return the rule for a call's JSON; for optional tools that are not strict, arguments are unconstrained."""
    schema = function.get("parameters") if must or function.get("strict") else None
    # One %json per schema, because references are resolved within a schema.
    arguments = f"%json {json.dumps(schema or {'type': 'object'})}"
    return " S? ".join(
        ['"{"', _quoted("name"), '":"', _quoted(function["name"]), '","', _quoted("arguments"), '":"', arguments, '"}"']
    )


def _quoted(text: str) -> str:
    """Return a JSON string as a grammar literal."""
    return json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False)


def _written(text: str, special: Mapping[str, int]) -> str:
    """Return a text as a grammar literal, with special tokens as tokens."""
    return f"<[{special[text]}]>" if text in special else json.dumps(text, ensure_ascii=False)


def special_tokens(tokenizer: Any) -> dict[str, int]:
    """Return the ids of a tokenizer's special tokens by their text, as llguidance knows them.

    It takes added tokens in angle brackets for special ones, such as Qwen3's <tool_call>, which is not declared so.
    """
    added = getattr(tokenizer, "added_tokens_decoder", None) or {}
    return {
        str(token): id
        for id, token in added.items()
        if getattr(token, "special", False) or (str(token).startswith("<") and str(token).endswith(">"))
    }

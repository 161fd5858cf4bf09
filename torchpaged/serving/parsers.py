"""Response templates for models' formats of tool calls and reasoning, under the names of vLLM's parsers.

A template is in transformers' format (`MessageReader`). All fields whose names begin with "tool_calls" are calls,
because some models write them in two formats. A pattern that begins with \\G matches at the beginning of an answer
only, which is behind its thoughts; \\A matches before them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.reasoning import PARSERS, ReasoningDelimiters
from torchpaged.serving.calls import LINES, PYTHONIC

Fields = dict[str, dict[str, Any]]

# Names of the field of thoughts in templates.
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")


def _json(opens: str, closes: str | None = None, *, pattern: bool = False, arguments: str = "arguments") -> Fields:
    """Return the field of a call written as a JSON object of name and arguments between two delimiters."""
    call: Any = {"name": "{content.name}", "arguments": f"{{content.{arguments}}}"}
    field = {
        "open_pattern" if pattern else "open": opens,
        "content": "json",
        "repeats": True,
        # With OpenAI's keys the object needs no transformation, and `tool_choice` can constrain it by a grammar.
        "transform": {"type": "function", "function": "{content}" if arguments == "arguments" else call},
    }
    return {"tool_calls": field if closes is None else {**field, "close": closes}}


def _list(**opens: Any) -> dict[str, Any]:
    """Return the field of calls in a JSON list of such objects, which ends the answer unless a delimiter closes it."""
    call = {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}}
    return {**opens, "content": "json", "transform_each": True, "transform": call}


def _named(opens: str, **more: Any) -> dict[str, Any]:
    """Return the field of a call with its name in the opening delimiter and its arguments as content."""
    call = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    return {"open_pattern": opens, "content": "json", "repeats": True, "transform": call, **more}


def _tags(opens: str, begins: str, ends: str, **closes: str) -> Fields:
    """Return the field of a call with tags around each argument; the tool's schema determines the types of the values.

    Args:
        begins, ends: patterns of the tags, which are also given one by one, so that an argument is read before its end.
    """
    tags = {"tag_pattern": f"{begins}(?P<value>.*?){ends}", "open_pattern": begins, "close_pattern": ends}
    return {"tool_calls": _named(opens, content="xml-inline", content_args=tags, **closes)}


def _functions(around: str) -> Fields:
    """Return the field of calls written as `<function=name>` and `<parameter=key>`."""
    return _tags(
        f"<{around}>\\s*<function=(?P<name>[^>\\n]+)>",
        "<parameter=(?P<key>[^>\\n]+)>\\n?",
        "\\n?</parameter>",
        close_pattern=f"</function>\\s*</{around}>",
    )


def _behind(closes: str) -> Fields:
    """Return the field of content after a section of calls."""
    return {"content_behind": {"open": closes}}


def _deepseek(opens: str, closes: str) -> Fields:
    """Return the fields of calls between DeepSeek's special tokens, which contain full-width bars."""
    begin, end = "<|tool▁call(?:s▁begin|>\\s*<|tool▁call)?▁begin|>", "<|tool▁call▁end|>"
    opens, closes, behind = (
        text.replace("|", "\uff5c") for text in (begin + opens, closes + end, "<|tool▁calls▁end|>")
    )
    return {"tool_calls": _named(opens, close=closes), **_behind(behind)}


def _pythonic(before: str, **closes: str) -> Fields:
    """Return the field of calls in a list of Python's, with which an answer begins."""
    return {PYTHONIC: {"open_pattern": f"{before}\\[(?=\\s*[A-Za-z_][\\w.\\-]*\\()", "repeats": True, **closes}}


# Channels of gpt-oss: thoughts, calls with their recipient in the header of the message, and texts.
_ROLE = "(?:<\\|start\\|>assistant)?"
_HARMONY: Fields = {
    "reasoning_content": {"open": list(PARSERS["gpt_oss"].open), "close": PARSERS["gpt_oss"].commits},
    "tool_calls": _named(
        f"(?:{_ROLE}\\s*<\\|channel\\|>\\w+\\s+to=(?:functions\\.)?(?P<name>[\\w.\\-]+)"
        f"|{_ROLE}\\s+to=(?:functions\\.)?(?P<name>[\\w.\\-]+)\\s*<\\|channel\\|>\\w+)"
        "\\s*(?:(?:<\\|constrain\\|>)?\\s*\\w+)?\\s*<\\|message\\|>",
        close_pattern="<\\|call\\|>|<\\|end\\|>",
    ),
    "content_said": {
        "open_pattern": f"{_ROLE}<\\|channel\\|>(?:final|commentary)\\s*(?:<\\|constrain\\|>\\s*\\w+)?\\s*"
        "<\\|message\\|>",
        "close_pattern": "<\\|end\\|>|<\\|return\\|>",
    },
}

_HERMES = _json("<tool_call>", "</tool_call>")
_QWEN3_CODER = _functions("tool_call")

TOOL_CALLS: Mapping[str, Fields] = {
    "deepseek_v3": _deepseek("function<|tool▁sep|>(?P<name>[^\\n]+)\\n```json\\n", "\n```"),
    "deepseek_v31": _deepseek("(?P<name>[^<]+)<|tool▁sep|>", ""),
    "glm4": {"tool_calls": _named("\\G\\s*(?P<name>[\\w.\\-]+)[ ]?\\n(?=\\{)")},
    "glm45": _tags(
        "<tool_call>\\s*(?P<name>[^\\s<{]+)\\s*(?=<)",
        "<arg_key>(?P<key>.*?)</arg_key>\\s*<arg_value>",
        "</arg_value>",
        close="</tool_call>",
    ),
    "gpt_oss": _HARMONY,
    "granite": {"tool_calls": _list(open=["<|tool_call|>", "<tool_call>"])},
    "granite-20b-fc": {
        "tool_calls": {**_json("<function_call>")["tool_calls"], "close_pattern": "(?=<function_call>)"}
    },
    "granite4": _HERMES,
    "hermes": _HERMES,
    "internlm": _json("<\\|action_start\\|>\\s*<\\|plugin\\|>", "<|action_end|>", pattern=True, arguments="parameters"),
    "jamba": {"tool_calls": _list(open="<tool_calls>", close="</tool_calls>")},
    "kimi_k2": {
        "tool_calls": _named(
            "<\\|tool_call(?:s_section_begin\\|>\\s*<\\|tool_call)?_begin\\|>\\s*(?:functions\\.)?(?P<name>[^:<\\s]+)"
            "(?::\\d+)?\\s*<\\|tool_call_argument_begin\\|>",
            close="<|tool_call_end|>",
        ),
        **_behind("<|tool_calls_section_end|>"),
    },
    "llama4_pythonic": _pythonic("\\G\\s*(?:<\\|python_start\\|>)?\\s*", close="<|python_end|>"),
    "llama3_json": _json("\\G\\s*(?:<\\|python_tag\\|>)?\\s*(?=\\{)", pattern=True, arguments="parameters"),
    "longcat": _json("<longcat_tool_call>", "</longcat_tool_call>"),
    "minimax": {LINES: {"open_pattern": "<tool_calls>\\s*(?=\\{)", "close": "</tool_calls>", "repeats": True}},
    "minimax_m2": {
        **_tags(
            '<(?:minimax:tool_call>\\s*<)?invoke name="(?P<name>[^"]+)">',
            '<parameter name="(?P<key>[^"]+)">',
            "</parameter>",
            close="</invoke>",
        ),
        **_behind("</minimax:tool_call>"),
    },
    # Mistral's formats since version 11 of its tokenizer, and before.
    "mistral": {
        "tool_calls": _named(
            "\\[TOOL_CALLS\\](?P<name>[\\w.\\-]+)(?:\\[CALL_ID\\]\\w+)?(?:\\[ARGS\\])?(?=\\{)",
            close_pattern="(?=\\[TOOL_CALLS\\])",
        ),
        "tool_calls_before": _list(open_pattern="\\[TOOL_CALLS\\]\\s*(?=\\[\\s*[{\\]])"),
    },
    "openai": _HARMONY,
    "phi4_mini_json": {"tool_calls": _list(open_pattern="functools(?=\\[)")},
    "pythonic": _pythonic("\\G\\s*"),
    "qwen3_coder": _QWEN3_CODER,
    "qwen3_json": _HERMES,
    "qwen3_xml": _QWEN3_CODER,
    "seed_oss": _functions("seed:tool_call"),
}


def _thoughts(delimiters: ReasoningDelimiters) -> Fields:
    """Return the field of thoughts between delimiters."""
    field: dict[str, Any] = {"open": list(delimiters.open), "close": list(delimiters.close)}
    if delimiters.newlines:
        del field["close"]
        field["close_pattern"] = "|".join(f"{re.escape(each)}{_NEWLINES}" for each in delimiters.close)
    return {"reasoning_content": field}


# End of a pattern that takes the newlines behind thoughts, so that they are not part of the content.
_NEWLINES = "\\n*"
REASONING: Mapping[str, Fields] = {
    # Of gpt-oss' format no part is of use alone.
    name: _HARMONY if delimiters.commits else _thoughts(delimiters)
    for name, delimiters in PARSERS.items()
}

# Matches a prompt up to a delimiter that its end may have opened, so that no other text of the prompt is parsed.
_OPENINGS = sorted({re.escape(text) for delimiters in PARSERS.values() for text in delimiters.open})
_PROMPT = f"\\A.*?(?=(?:(?:{'|'.join(_OPENINGS)})\\s*)?\\Z)"


def require_parsers(tool_call_parser: str | None, reasoning_parser: str | None) -> None:
    """Raise a ConfigError for an unknown parser; the message lists the known ones."""
    for option, given, known in (
        ("tool_call_parser", tool_call_parser, TOOL_CALLS),
        ("reasoning_parser", reasoning_parser, REASONING),
    ):
        if given is not None and given not in known:
            raise ConfigError(
                f"serve: {option} is {given!r:.80}, expected one of {', '.join(sorted(known))}"
                f"{did_you_mean(str(given), known)}; --response-template FILE says how any other model writes"
            )


def template_of(
    tool_call_parser: str | None,
    reasoning_parser: str | None,
    own: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Combine parsers into a response template.

    Args:
        own: the tokenizer's template, for parts without a parser.
    """
    template = dict(own or {"start_anchor_pattern": _PROMPT, "fields": {"content": {}}})
    fields = dict(template["fields"])
    if tool_call_parser is not None:
        fields = {name: field for name, field in fields.items() if not is_of_calls(name)} | TOOL_CALLS[tool_call_parser]
    if reasoning_parser is not None:
        fields = _without_thoughts(fields)
        fields |= {name: field for name, field in REASONING[reasoning_parser].items() if name not in fields}
    return {**template, "fields": fields}


def is_of_calls(name: str) -> bool:
    """Return whether a field of a template has calls."""
    return name.startswith("tool_calls")


def _without_thoughts(fields: Mapping[str, Any]) -> Fields:
    return {name: field for name, field in fields.items() if name not in REASONING_FIELDS}


def has_thoughts(template: Mapping[str, Any] | None) -> bool:
    """Return whether a template has a field of thoughts."""
    return template is not None and any(name in REASONING_FIELDS for name in template["fields"])


def without_thoughts(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template that treats thoughts as content, for answers that have none."""
    return {**template, "fields": _without_thoughts(template["fields"])}


def has_channels(template: Mapping[str, Any]) -> bool:
    """Return whether a template is gpt-oss', in which each part of an answer is a message with a header."""
    return "content_said" in template["fields"]


def with_thoughts_first(template: Mapping[str, Any], delimiters: ReasoningDelimiters) -> dict[str, Any]:
    """Return a template that opens thoughts at the beginning of an answer only, because a string of the answer may
    contain the delimiter.
    """
    opens = "|".join(map(re.escape, delimiters.open))
    if has_channels(template):  # the header of the answer's message is part of what closes thoughts
        template = {**template, "fields": {"reasoning_content": {"close": list(delimiters.close)}, "content": {}}}
    fields = {
        name: {**_without(field, "open", "open_pattern"), "open_pattern": f"\\A\\s*(?:{opens})"}
        if name in REASONING_FIELDS
        else field
        for name, field in template["fields"].items()
    }
    return {**template, "fields": fields}


def _without(field: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in field.items() if name not in names}


def delimiters_of(template: Mapping[str, Any]) -> ReasoningDelimiters | None:
    """Return the delimiters of a template's thoughts; None: they are patterns, and not texts."""
    if has_channels(template):
        return PARSERS["gpt_oss"]
    (field,) = [field for name, field in template["fields"].items() if name in REASONING_FIELDS][:1]
    opens, closes, newlines = field.get("open"), field.get("close"), False
    if isinstance(pattern := field.get("close_pattern"), str):
        texts = pattern.split("|")
        newlines = all(each.endswith(_NEWLINES) for each in texts)
        texts = [each.removesuffix(_NEWLINES) for each in texts]
        closes = [re.sub(r"\\(\W)", r"\1", each) for each in texts] if all(map(_LITERAL.fullmatch, texts)) else None
    if not opens or not closes:
        return None
    return ReasoningDelimiters(_several(opens), _several(closes), newlines)


# A pattern without characters that have a meaning.
_LITERAL = re.compile(r"(?:\\\W|[^\\.^$*+?{}\[\]()|])+")


def _several(texts: str | list[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


def without_calls(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template that treats calls as content, for requests without tools."""
    fields = {name: field for name, field in template["fields"].items() if not is_of_calls(name)}
    return {**template, "fields": fields}

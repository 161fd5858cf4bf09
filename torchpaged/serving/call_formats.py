"""Grammars for tool calls that an answer must have, in the formats of `parsers.TOOL_CALLS`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torchpaged.serving.argument_types import resolved, types_of
from torchpaged.serving.parsers import TOOL_CALLS
from torchpaged.serving.refusals import Refusal

# Parts of a call that differ: the name, as text and as JSON; its arguments as JSON, each between tags, or as Python's
# keyword arguments.
_NAME, _QUOTED, _JSON, _TAGS, _KEYWORDS = "\0name", "\0quoted", "\0json", "\0tags", "\0keywords"
_BAR = "\uff5c"


@dataclass(frozen=True, slots=True)
class CallFormat:
    """A format of calls.

    Args:
        call: texts of a call, and the parts that differ.
        begin, between, end: texts around several calls.
        tags: opening tag before and after the key, and closing tag of an argument.
        several: if an answer may have more than one call.
        trigger: text with which calls begin, in an answer that may have text before them; empty: it may have none.
    """

    call: tuple[str, ...]
    begin: str = ""
    between: str = ""
    end: str = ""
    tags: tuple[str, str, str] | None = None
    several: bool = True
    trigger: str = ""


def _object(opens: str, closes: str, arguments: str = "arguments", **more: Any) -> CallFormat:
    call = (f'{opens}{{"name": ', _QUOTED, f', "{arguments}": ', _JSON, f"}}{closes}")
    return CallFormat(call, **more)


def _functions(around: str) -> CallFormat:
    call = (f"<{around}>\n<function=", _NAME, ">\n", _TAGS, f"</function>\n</{around}>")
    tags = ("<parameter=", ">\n", "</parameter>\n")
    return CallFormat(call, between="\n", tags=tags, trigger=f"<{around}>\n<function=")


def _deepseek(*call: str) -> CallFormat:
    def barred(text: str) -> str:
        return text.replace("|", _BAR)

    begin = barred("<|tool▁calls▁begin|>")
    return CallFormat(tuple(map(barred, call)), begin=begin, end=barred("<|tool▁calls▁end|>"), trigger=begin)


_HARMONY = CallFormat(
    ("<|channel|>commentary to=functions.", _NAME, " <|constrain|>json<|message|>", _JSON), several=False
)
_KIMI = ("<|tool_call_begin|>functions.", _NAME, ":0<|tool_call_argument_begin|>", _JSON, "<|tool_call_end|>")
_GLM_TAGS = ("<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n")
_MINIMAX = '<invoke name="'
# Llama 4's delimiters around it are optional.
_PYTHONIC = CallFormat((_NAME, "(", _KEYWORDS, ")"), begin="[", between=", ", end="]")

CALL_FORMATS: Mapping[str, CallFormat] = {
    "deepseek_v3": _deepseek(
        "<|tool▁call▁begin|>function<|tool▁sep|>", _NAME, "\n```json\n", _JSON, "\n```<|tool▁call▁end|>"
    ),
    "deepseek_v31": _deepseek("<|tool▁call▁begin|>", _NAME, "<|tool▁sep|>", _JSON, "<|tool▁call▁end|>"),
    "glm4": CallFormat((_NAME, "\n", _JSON), several=False),
    "glm45": CallFormat(
        ("<tool_call>", _NAME, "\n", _TAGS, "</tool_call>"), between="\n", tags=_GLM_TAGS, trigger="<tool_call>"
    ),
    "gpt_oss": _HARMONY,
    "granite": _object("", "", begin="<|tool_call|>[", between=", ", end="]", trigger="<|tool_call|>["),
    "granite-20b-fc": _object("<function_call> ", "", trigger="<function_call>"),
    "internlm": _object(
        "<|action_start|><|plugin|>\n", "<|action_end|>", "parameters", several=False, trigger="<|action_start|>"
    ),
    "jamba": _object("", "", begin="<tool_calls>[", between=", ", end="]</tool_calls>", trigger="<tool_calls>["),
    "kimi_k2": CallFormat(
        _KIMI,
        begin="<|tool_calls_section_begin|>",
        end="<|tool_calls_section_end|>",
        trigger="<|tool_calls_section_begin|>",
    ),
    "llama3_json": _object("", "", "parameters", several=False),
    "llama4_pythonic": _PYTHONIC,
    "minimax": _object("", "", begin="<tool_calls>\n", between="\n", end="\n</tool_calls>", trigger="<tool_calls>\n"),
    "minimax_m2": CallFormat(
        (_MINIMAX, _NAME, '">\n', _TAGS, "</invoke>"),
        begin="<minimax:tool_call>\n",
        between="\n",
        end="\n</minimax:tool_call>",
        tags=('<parameter name="', '">', "</parameter>\n"),
        trigger="<minimax:tool_call>\n",
    ),
    "mistral": CallFormat(("[TOOL_CALLS]", _NAME, "[ARGS]", _JSON), trigger="[TOOL_CALLS]"),
    "openai": _HARMONY,
    "phi4_mini_json": _object("", "", begin="functools[", between=", ", end="]", trigger="functools["),
    "pythonic": _PYTHONIC,
    "qwen3_coder": _functions("tool_call"),
    "qwen3_xml": _functions("tool_call"),
    "seed_oss": _functions("seed:tool_call"),
}
# Mistral's format before version 11 of its tokenizer, which has no token [ARGS].
_OLD_MISTRAL = _object("", "", begin="[TOOL_CALLS][", between=", ", end="]", trigger="[TOOL_CALLS][")


def format_of(template: Mapping[str, Any] | None, special: Mapping[str, int]) -> CallFormat | None:
    """Return the format of a response template's calls; None: it is not known how to ask for them."""
    fields = (template or {}).get("fields", {})
    for name, known in CALL_FORMATS.items():
        if all(fields.get(each) == field for each, field in TOOL_CALLS[name].items()):
            return _OLD_MISTRAL if name == "mistral" and special and "[ARGS]" not in special else known
    return None


def grammar_of(
    format: CallFormat,
    functions: Sequence[Mapping[str, Any]],
    special: Mapping[str, int],
    *,
    must: bool,
    several: bool,
) -> str:
    """Return a grammar for answers of calls.

    Args:
        functions: in OpenAI's format.
        special: ids of special tokens by their text.
        must: an answer is calls; otherwise text may come before them, and only strict functions' arguments are
            constrained.
        several: allow more than one call.

    Raises:
        Refusal: a schema cannot be asked for in this format.
    """
    rules: list[str] = []
    for number, function in enumerate(functions):
        rules += _call(format, function, number, special, constrained=must or bool(function.get("strict")))
    made = " | ".join(f"call_{number}" for number in range(len(functions)))
    begin, between, end = (_literal(text, special) for text in (format.begin, format.between, format.end))
    more = f" ({between} call)*" if several and format.several else ""
    calls = f"{begin} call{more} {end}"
    if "<|start|>" in special and format is _HARMONY:  # behind thoughts
        calls = f"({_literal('<|start|>assistant', special)})? {calls}"
    if must:
        start = [f"start: {calls}", f"call: {made}"]
    elif not format.trigger:
        raise _refusal("tools", "are strict, and the model's calls begin without a delimiter; leave strict out")
    else:
        start = _behind_text(calls, made, format, special)
        if not format.begin:
            trigger = _literal(format.trigger, special)
            rules += [
                rule.replace(f"call_{number}: {trigger}", f"rest_{number}:", 1)
                for number in range(len(functions))
                for rule in rules
                if rule.startswith(f"call_{number}: {trigger}")
            ]
    return "\n".join([*start, *rules, "S: /[ \\n]{1,2}/", "TEXT: /(.|\\n)*/"])


def _behind_text(calls: str, made: str, format: CallFormat, special: Mapping[str, int]) -> list[str]:
    """Return the rules of an answer in which text may come before calls: the first text with a call's trigger is
    followed by the rest of that call.
    """
    trigger = _literal(format.trigger, special)
    text, rest = f"TEXT {trigger}", calls.removeprefix(trigger)
    if not format.begin:  # the trigger is a part of the call itself
        rest = f"({' | '.join(f'rest_{place}' for place in range(made.count('|') + 1))})" + calls.removeprefix(" call")
    begun = text if format.trigger.startswith(tuple(special)) else "begun"
    rules = [f"start: TEXT | {begun} {rest}", f"call: {made}"]
    return rules if begun == text else [*rules, f"begun[lazy]: {text}"]


def _call(
    format: CallFormat, function: Mapping[str, Any], number: int, special: Mapping[str, int], *, constrained: bool
) -> list[str]:
    """Return the rules of a call of one function."""
    name, schema = function["name"], (function.get("parameters") if constrained else None) or {"type": "object"}
    pieces: list[str] = []
    rules: list[str] = []
    parts = list(format.call)
    if not format.begin and format.trigger:
        parts[:1] = [format.trigger, parts[0].removeprefix(format.trigger)]
    for part in parts:
        if part == _NAME:
            pieces.append(_literal(name, {}))
        elif part == _QUOTED:
            pieces.append(_literal(json.dumps(name, ensure_ascii=False), {}))
        elif part == _JSON:
            pieces.append(f"%json {json.dumps(schema)}")
        elif part == _TAGS:
            assert format.tags is not None
            names, rules = _arguments(format.tags, name, schema, number, special)
            pieces += names
        elif part == _KEYWORDS:
            rules = _keywords(name, schema, number)
            pieces.append(f"first_{number}_0")
        else:
            pieces.append(_literal(part, special))
    return [f"call_{number}: {' '.join(pieces)}", *rules]


# Keys of a schema of arguments that need nothing, or that rules below follow.
_KNOWN = {"type", "properties", "required", "additionalProperties", "$defs", "definitions"}
_NOTES = {"title", "description", "$schema", "$id", "default", "examples", "$comment", "deprecated"}
# Keys of a text's schema that no grammar of texts between tags follows.
_OF_TEXTS = {"pattern", "format", "minLength", "maxLength", "not", "if", "contentEncoding", "contentMediaType"}


def _arguments(
    tags: tuple[str, str, str], name: str, schema: Mapping[str, Any], number: int, special: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """Return the names of the rules of all arguments, in the schema's order, and the rules."""
    properties, required = _properties(name, schema, "between tags")
    names, rules = list[str](), list[str]()
    for place, (key, given) in enumerate(properties.items()):
        rule = f"argument_{number}_{place}"
        names.append(rule if key in required else f"{rule}?")
        opens = _literal(f"{tags[0]}{key}{tags[1]}", special)
        rules += _argument(rule, opens, tags[2], f"{name}'s {key}", given, schema, special)
    return names, rules


def _properties(name: str, schema: Mapping[str, Any], how: str) -> tuple[dict[str, Any], Sequence[str]]:
    """Return the schemas of arguments that are written one by one, and the names of those that are required."""
    if unknown := schema.keys() - _KNOWN - _NOTES:
        raise _refusal(f"{name}'s parameters", f"have {min(unknown)!r}, and its arguments are written {how}")
    properties, required = dict(schema.get("properties") or {}), schema.get("required") or ()
    return properties | {key: {} for key in required if key not in properties}, required


def _keywords(name: str, schema: Mapping[str, Any], number: int) -> list[str]:
    """Return the rules of keyword arguments, in the schema's order.

    `first_i` are the arguments from the one of index i on, if none is written yet, and `more_i` if there is one before.
    """
    properties, required = _properties(name, schema, "as in Python")
    end = len(properties)
    rules = [f'first_{number}_{end}: ""', f'more_{number}_{end}: ""']
    for place, (key, given) in enumerate(properties.items()):
        if not (key.isidentifier() and key.isascii()):
            raise _refusal(f"{name}'s parameter {key!r:.80}", "is no name of an argument in Python")
        argument, after = f"argument_{number}_{place}", f"more_{number}_{place + 1}"
        rules.append(f'{argument}: "{key}=" ({_python_value(given, schema)})')
        for rule, comma in (("first", ""), ("more", '", " ')):
            skips = "" if key in required else f" | {rule}_{number}_{place + 1}"
            rules.append(f"{rule}_{number}_{place}: {comma}{argument} {after}{skips}")
    return rules


def _python_value(given: Any, root: Mapping[str, Any]) -> str:
    """Return the grammar of a value. Inside lists and objects it is JSON, which its reader knows too."""
    found = resolved(given, root)
    choices = found.get("enum", [found["const"]] if "const" in found else None)
    if choices is None and types_of(given, root) in (("boolean",), ("null",)):
        choices = [None] if types_of(given, root) == ("null",) else [True, False]
    if choices is not None:
        words = [
            repr(each) if each is None or isinstance(each, bool) else json.dumps(each, ensure_ascii=False)
            for each in choices
        ]
        return " | ".join(_literal(word, {}) for word in words)
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
    return f"%json {json.dumps({**definitions, **given} if isinstance(given, Mapping) else given)}"


def _argument(
    rule: str,
    opens: str,
    closes: str,
    about: str,
    given: Any,
    root: Mapping[str, Any],
    special: Mapping[str, int],
) -> list[str]:
    """Return the rules of one argument between its tags."""
    tag = closes.rstrip("\n")
    newline = _literal(closes[len(tag) :], special)
    close = _literal(tag, special)
    types, found = types_of(given, root), resolved(given, root)
    choices = found.get("enum", [found["const"]] if "const" in found else None)
    if choices is not None:
        texts = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in choices]
        if any(tag in text or text.startswith("\n") or text.endswith("\n") for text in texts):
            raise _refusal(about, f"has a choice with {tag!r} or newlines around it")
        return [f"{rule}: {opens} ({' | '.join(_literal(text, {}) for text in texts)}) {close} {newline}"]
    if types and "string" not in types:
        definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
        schema = {**definitions, **given}
        return [f"{rule}: {opens} S? (%json {json.dumps(schema)}) S? {close} {newline}"]
    if limits := _OF_TEXTS & _keys(found, root):
        raise _refusal(about, f"has {min(limits)!r}, which no text between tags is held to")
    if tag in special:
        has = f"{rule.upper()}_HAS: TEXT {json.dumps(tag)} TEXT"
        return [
            f"{rule}: {opens} {rule.upper()} {close} {newline}",
            f"{rule.upper()}: TEXT & ~{rule.upper()}_HAS",
            has,
        ]
    return [f"{rule}: {opens} {rule}_text {newline}", f"{rule}_text[lazy]: TEXT {json.dumps(tag)}"]


def _keys(schema: Mapping[str, Any], root: Mapping[str, Any]) -> set[str]:
    found = set(schema)
    for union in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(union) or ():
            found |= _keys(resolved(each, root), root)
    return found


def _refusal(about: str, said: str) -> Refusal:
    return Refusal(f"tools: {about} {said}; they cannot be asked for", param="tools", code="unsupported")


def _literal(text: str, special: Mapping[str, int]) -> str:
    """Return a text in a grammar, with special tokens as tokens."""
    if not text:
        return ""
    if not special:
        return json.dumps(text, ensure_ascii=False)
    pieces = re.split(f"({'|'.join(re.escape(each) for each in sorted(special, key=len, reverse=True))})", text)
    return " ".join(
        f"<[{special[each]}]>" if each in special else json.dumps(each, ensure_ascii=False) for each in pieces if each
    )

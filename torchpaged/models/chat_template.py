"""Renders chat templates without transformers, with its results: jinja2's sandbox with transformers' additions.

It renders plain values only: JSON's types and tuples. transformers has rules for others (arrays, pydantic models,
functions as tools), so the caller leaves those to it, and calls that it would refuse: its errors stay the same.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

# Names of a message's reasoning, first one first; a template may read any of them.
_REASONING = ("reasoning_content", "thinking", "reasoning")
# transformers marks the end of a message that is to be continued with this text, which templates may react to.
_END = "CONTINUE_FINAL_MESSAGE_TAG "
# Variables that transformers' functions have as parameters: it refuses them.
_TAKEN = {"messages", "conversations", "self"}
# Deeper values may have no end.
_DEEPEST = 100
_PLAIN = {str, int, float, bool, type(None)}
# Versions before have escapes from the sandbox, and transformers refuses them.
_OLDEST_JINJA = (3, 1, 6)


class UnsupportedError(Exception):
    """A call that only transformers can answer, or whose error only it can word."""


def render(
    template: str,
    messages: Any,
    *,
    tools: Any = None,
    documents: Any = None,
    add_generation_prompt: Any = False,
    continue_final_message: Any = False,
    variables: Mapping[str, Any],
) -> str:
    """Render one conversation.

    Args:
        continue_final_message: True, or the name of the last message's field that is left open.
        variables: the template's other variables, special tokens included.

    Raises:
        UnsupportedError: transformers must render it.
        Exception: the template fails, as of jinja2.
    """
    chat = _messages(messages)
    given = (messages, tools, documents, add_generation_prompt, continue_final_message, dict(variables))
    if not all(map(_is_plain, given)) or _TAKEN & variables.keys():
        raise UnsupportedError
    if not all(each is None or _are_dicts(each) for each in (tools, documents)):
        raise UnsupportedError
    last = ""
    if continue_final_message:
        if add_generation_prompt:
            raise UnsupportedError
        chat[-1], last = _left_open(chat[-1], continue_final_message, template)
    text: str = _compiled(template).render(
        messages=chat,
        tools=tools if tools is None else list(tools),
        documents=documents,
        add_generation_prompt=add_generation_prompt,
        **variables,
    )
    return _cut(text, last) if continue_final_message else text


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Return True for a value of JSON's types and tuples, not of classes derived from them, that is not too deep."""
    kind = type(value)
    if kind in _PLAIN:
        return True
    if depth == _DEEPEST or kind not in (dict, list, tuple):
        return False
    inside = itertools.chain(value, value.values()) if kind is dict else value
    return all(_is_plain(each, depth + 1) for each in inside)


def _are_dicts(values: Any) -> bool:
    return type(values) in (list, tuple) and all(type(each) is dict for each in values)


def _messages(messages: Any) -> list[dict[str, Any]]:
    """Return the messages as templates get them: without fields that are None, reasoning by its several names."""
    if not messages or not _are_dicts(messages):
        raise UnsupportedError
    return [_with_reasoning({name: value for name, value in each.items() if value is not None}) for each in messages]


def _with_reasoning(message: dict[str, Any]) -> dict[str, Any]:
    for name in _REASONING:
        if (reasoning := message.get(name)) is not None:
            return {"thinking": reasoning, **message, _REASONING[0]: reasoning}
    return message


def _left_open(message: dict[str, Any], field: Any, template: str) -> tuple[dict[str, Any], str]:
    """Return the last message with its end marked, and the text before the mark."""
    field = field if isinstance(field, str) else "content"
    message = copy.deepcopy(message)  # keeps a value that has two names one object
    value = message.get(field)
    fields = [each for each in _REASONING if message.get(each) == value] if field in _REASONING else [field]
    if value is None or not any(each in template for each in fields):
        raise UnsupportedError
    if isinstance(value, str):
        message.update(dict.fromkeys(fields, value + _END))
        return message, value
    if not _are_dicts(value):
        raise UnsupportedError
    part = next((each for each in reversed(value) if "text" in each), None)
    if part is None or not isinstance(part["text"], str):
        raise UnsupportedError
    value = part["text"]
    part["text"] += _END
    return message, value


def _cut(text: str, last: str) -> str:
    """Return a prompt up to the mark; without spaces at its end if the template has stripped the message."""
    if last.strip() not in text or _END.strip() not in text:
        raise UnsupportedError
    at = text.rindex(_END.strip())
    return text[:at] if text.startswith(_END, at) else text[:at].rstrip()


@functools.lru_cache
def _compiled(template: str) -> Any:
    return _environment().from_string(template)


@functools.lru_cache(1)
def _environment() -> Any:
    """Make jinja2's environment: what a template can call, and the tags that it may have.

    Raises:
        UnsupportedError: jinja2 is missing or too old.
    """
    try:
        import jinja2
        from jinja2 import ext, nodes, sandbox, utils

        version = tuple(map(int, jinja2.__version__.split(".")[:3]))
    except (ImportError, ValueError):
        raise UnsupportedError from None
    if version < _OLDEST_JINJA:
        raise UnsupportedError

    class Generation(ext.Extension):
        """Tag around the text that a model wrote, which is rendered as a block with variables of its own."""

        tags = {"generation"}  # noqa: RUF012 -- jinja2 declares it so

        def parse(self, parser: Any) -> nodes.Node:
            """Return the block as a call of `written`."""
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.CallBlock(self.call_method("written"), [], [], body).set_lineno(line)

        def written(self, caller: Any) -> Any:
            """Return the block's text."""
            return caller()

    class Namespace(utils.Namespace):
        """jinja2's `namespace`, without names that lead to Python's internals: transformers refuses these."""

        # `self` has no name here, because a template may call a variable so.
        def __init__(*args: Any, **more: Any) -> None:
            values = dict(*args[1:], **more)
            for name in values:
                require_public(name)
            utils.Namespace.__init__(args[0], values)

        def __setitem__(self, name: str, value: Any) -> None:
            require_public(name)
            super().__setitem__(name, value)

    def require_public(name: Any) -> None:
        if isinstance(name, str) and name.startswith("_"):
            raise UnsupportedError

    def raise_exception(message: Any) -> None:
        raise jinja2.exceptions.TemplateError(message)

    made = sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, ext.loopcontrols]
    )
    made.filters["tojson"] = _tojson
    made.globals.update(raise_exception=raise_exception, strftime_now=_strftime_now, dict=_Dict(), namespace=Namespace)
    return made


def _tojson(
    x: Any,
    ensure_ascii: bool = False,
    indent: Any = None,
    separators: Sequence[str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Replace jinja2's filter, which escapes characters for HTML."""
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)  # type: ignore[arg-type]


def _strftime_now(format: str) -> str:
    return datetime.now().strftime(format)


class _Dict:
    """`dict` in templates, without the class's other attributes."""

    __slots__ = ()

    def __call__(self, *args: Any, **more: Any) -> dict[Any, Any]:
        return dict(*args, **more)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        """Return `dict.fromkeys(...)`."""
        return dict.fromkeys(*args)

"""Incremental readers of the texts of tool calls: each tells a call's arguments while the model writes them.

A reader gets the text of a field of calls character by character, as it were: what it tells does not depend on the
pieces. Its events are ("begin", name), ("arguments", a piece of their JSON) and ("end", None).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchpaged.serving.argument_types import types_of

Event = tuple[str, Any]

# Names of fields whose calls no parser of transformers' can read. Their content is text, and a reader decides alone.
PYTHONIC, LINES = "tool_calls_pythonic", "tool_calls_lines"

_BLANK = " \t\n\r"
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_NUMBER_SO_FAR = re.compile(r"-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?", re.ASCII)


class JsonScanner:
    """An incremental check of one JSON object or list.

    Attributes:
        depth: number of objects and lists that are open.
        mode: the part of the text that the next character belongs to.
    """

    __slots__ = ("_closers", "_is_key", "_rest", "mode")

    def __init__(self) -> None:
        self._closers: list[str] = []
        self._is_key = False
        self._rest = ""  # of a literal or an escape; or a number so far
        self.mode = "value"

    @property
    def depth(self) -> int:
        """Number of open objects and lists."""
        return len(self._closers)

    @property
    def is_done(self) -> bool:
        """True if the value has ended."""
        return self.mode == "done"

    def take(self, char: str) -> bool:
        """Take a character, and return False if it cannot follow."""
        mode = self.mode
        if mode == "string":
            if char == '"':
                self.mode = "colon" if self._is_key else "after"
            elif char == "\\":
                self.mode = "escape"
            return char >= " "
        if mode == "escape":
            self.mode = "hex" if char == "u" else "string"
            self._rest = "xxxx"
            return char in '"\\/bfnrtu'
        if mode == "hex":
            self._rest = self._rest[1:]
            self.mode = "hex" if self._rest else "string"
            return char in "0123456789abcdefABCDEF"
        if mode == "literal":
            right, self._rest = self._rest[0] == char, self._rest[1:]
            self.mode = "literal" if self._rest else "after"
            return right
        if mode == "number":
            if _NUMBER_SO_FAR.fullmatch(self._rest + char):
                self._rest += char
                return True
            if not _NUMBER.fullmatch(self._rest):
                return False
            mode = self.mode = "after"
        if char in _BLANK:
            return mode != "done"
        if mode == "after":
            if char == ",":
                self.mode = "key" if self._closers[-1] == "}" else "value"
                return True
            return self._close(char)
        if mode == "colon":
            self.mode = "value"
            return char == ":"
        if mode in ("key", "key or end"):
            if char == '"':
                self._is_key, self.mode = True, "string"
                return True
            return mode == "key or end" and self._close(char)
        return mode != "done" and ((mode == "value or end" and self._close(char)) or self._begin(char))

    def _begin(self, char: str) -> bool:
        if char in "{[":
            self._closers.append("}" if char == "{" else "]")
            self.mode = "key or end" if char == "{" else "value or end"
        elif char == '"':
            self._is_key, self.mode = False, "string"
        elif char in "-0123456789":
            self.mode, self._rest = "number", char
        elif char in "tfn":
            self.mode, self._rest = "literal", {"t": "rue", "f": "alse", "n": "ull"}[char]
        else:
            return False
        return True

    def _close(self, char: str) -> bool:
        if char != self._closers[-1]:
            return False
        self._closers.pop()
        self.mode = "after" if self._closers else "done"
        return True


class CallReader:
    """A reader of the calls of one field's text.

    Attributes:
        num_begun: number of calls told so far.
        is_open: if the last of them has not ended.
        num_told: number of characters that are part of what was told; those after it are not.
        has_failed: if the text has gone on in another way than a call's.
        is_silent: if it tells no more calls, because the next one is written in a way that it does not know.
        decides: if no other parser reads the field.
    """

    decides = False

    def __init__(self) -> None:
        self.num_begun = self.num_told = self._num_seen = 0
        self.is_open = self.has_failed = self.is_silent = False
        self._events: list[Event] = []

    @property
    def is_quoting(self) -> bool:
        """True inside a string, where a text that closes calls is a part of it."""
        return False

    def feed(self, text: str) -> list[Event]:
        """Read a piece of the text, and return its events."""
        for char in text:
            if self.has_failed or self.is_silent:
                break
            self._num_seen += 1
            self._take(char)
        return self._told()

    def finish(self) -> list[Event]:
        """Read the end of the field."""
        return self._told()

    def _take(self, char: str) -> None:
        raise NotImplementedError

    def _told(self) -> list[Event]:
        """Return the events since the last time, with arguments joined."""
        found: list[Event] = []
        pieces: list[str] = []
        for kind, value in [*self._events, ("", None)]:
            if kind == "arguments":
                pieces.append(value)
                continue
            if pieces:
                found.append(("arguments", "".join(pieces)))
                pieces = []
            if kind:
                found.append((kind, value))
        self._events.clear()
        return found

    def _begin(self, name: str) -> None:
        self._events.append(("begin", name))
        self.num_begun += 1
        self.is_open = True

    def _write(self, text: str) -> None:
        self._events.append(("arguments", text))
        self.num_told = self._num_seen

    def _end(self) -> None:
        self._events.append(("end", None))
        self.is_open = False
        self.num_told = self._num_seen


class JsonCalls(CallReader):
    """Calls written as JSON objects, one or several, in a list or not.

    Args:
        name: of the call, whose arguments are the object; None: it is in the object.
        keys: of name and arguments in the object.
        decides: as in `CallReader`.
    """

    def __init__(
        self, name: str | None = None, keys: tuple[str, str] = ("name", "arguments"), *, decides: bool = False
    ) -> None:
        super().__init__()
        self._given, self._keys, self.decides = name, keys, decides
        self._scanner: JsonScanner | None = None
        self._in_arguments = self._is_told = False
        self._string = ""
        self._key: str | None = None
        self._name: str | None = None
        self._held: str | None = None  # arguments that come before the name

    @property
    def is_quoting(self) -> bool:
        """True inside a string of JSON."""
        if self._scanner is None or self.has_failed or self.is_silent:
            return False
        return self._scanner.mode in ("string", "escape", "hex")

    def _take(self, char: str) -> None:
        if self._scanner is None:
            self._between(char)
            return
        scanner, before = self._scanner, self._scanner.mode
        if not scanner.take(char):
            self.has_failed = True
        elif self._in_arguments:
            self._of_arguments(char)
        else:
            self._of_object(char, before)
        if scanner.is_done and self._scanner is not None and not self.has_failed:
            self._scanner = None
            if self._is_told:
                self.num_told = self._num_seen
            else:
                self.is_silent = True

    def _between(self, char: str) -> None:
        if char == "{" and (self._given is None or not self.num_begun):
            self._scanner = JsonScanner()
            self._scanner.take(char)
            self._name, self._held, self._key, self._is_told = self._given, None, None, False
            if self._name is not None:
                self._in_arguments = self._is_told = True
                self._begin(self._name)
                self._write(char)
        elif char not in _BLANK + "[],":
            self.has_failed = True
        elif self.num_begun:
            self.num_told = self._num_seen

    def _of_arguments(self, char: str) -> None:
        assert self._scanner is not None
        ended = self._scanner.depth == (0 if self._given is not None else 1)
        if self._held is not None:
            self._held += char
        else:
            self._write(char)
        if ended:
            self._in_arguments = False
            if self._held is None:
                self._end()

    def _of_object(self, char: str, before: str) -> None:
        scanner = self._scanner
        assert scanner is not None
        if before in ("string", "escape", "hex"):
            self._string += char
            if scanner.depth == 1 and scanner.mode == "colon":
                self._key = json.loads(self._string)
            elif scanner.depth == 1 and scanner.mode == "after" and self._key == self._keys[0]:
                self._name = json.loads(self._string)
                if self._held is not None:
                    held, self._held = self._held, None
                    self._begin(self._name or "")
                    self._write(held)
                    self._end()
                    self._is_told = True
        elif scanner.mode == "string":
            self._string = char
        elif before == "value" and self._key == self._keys[1] and char not in _BLANK and not self._is_told:
            if scanner.depth == 2 and char == "{":
                self._in_arguments = True
                if self._name is None:
                    self._held = char
                else:
                    self._is_told = True
                    self._begin(self._name)
                    self._write(char)
            elif scanner.depth <= 2:
                self.is_silent = True  # a text or a list of arguments


class TaggedArguments(CallReader):
    """The arguments of one call, each between tags. Those that are texts are told as they are written.

    Args:
        name: of the call.
        opens: pattern of the opening tag, with the key.
        closes: pattern of the closing tag: an optional newline and a text.
        is_text: returns if the argument of a key is a text.
        value_of: converts the text of a key's argument.
    """

    def __init__(
        self,
        name: str,
        opens: str,
        closes: str,
        is_text: Callable[[str], bool],
        value_of: Callable[[str, str], Any],
    ) -> None:
        super().__init__()
        self._name, self._is_text, self._value_of = name, is_text, value_of
        self._opens, self._closes = re.compile(opens, re.DOTALL), re.compile(closes, re.DOTALL)
        literal = closes.removeprefix("\\n?")
        self._ends = (literal,) if literal == closes else (f"\n{literal}", literal)
        self._pending, self._in_text = "", False
        self._key: str | None = None  # of the argument that is open

    def feed(self, text: str) -> list[Event]:
        """Read a piece of the text, and return its events."""
        self._pending += text
        self._num_seen += len(text)
        while not self.has_failed and (self._argument() if self._key is not None else self._tag()):
            pass
        self.num_told = self._num_seen
        return self._told()

    def _tag(self) -> bool:
        found = self._opens.search(self._pending)
        if found is None or found.end() == len(self._pending):  # its last part may be optional
            return False
        self._key, self._pending = found["key"], self._pending[found.end() :]
        self._in_text = self._is_text(found["key"])
        before = ", " if self.num_begun else "{"
        if not self.num_begun:
            self._begin(self._name)
        quote = '"' if self._in_text else ""
        self._write(f"{before}{json.dumps(self._key, ensure_ascii=False)}: {quote}")
        return True

    def _argument(self) -> bool:
        assert self._key is not None
        found = self._closes.search(self._pending)
        end = len(self._pending) - self._num_held() if found is None else found.start()
        if self._in_text:
            self._write(_escaped(self._pending[:end]))
        elif found is not None:
            try:
                value = self._value_of(self._key, self._pending[:end])
                self._write(json.dumps(value, ensure_ascii=False, allow_nan=False))
            except (ValueError, RecursionError):
                self.has_failed = True
                return False
        else:
            return False
        if found is None:
            self._pending = self._pending[end:]
            return False
        if self._in_text:
            self._write('"')
        self._key, self._pending = None, self._pending[found.end() :]
        return True

    def _num_held(self) -> int:
        """Return the length of the text's end that may begin the closing tag."""
        sizes = range(min(len(self._pending), max(map(len, self._ends)) - 1), 0, -1)
        return next((size for size in sizes if any(e.startswith(self._pending[-size:]) for e in self._ends)), 0)

    def finish(self) -> list[Event]:
        """Read the end of the field. An argument without its closing tag leaves the call open."""
        if self._key is None and not self.has_failed:
            if not self.num_begun:
                self._begin(self._name)
                self._write("{")
            self._write("}")
            self._end()
        return self._told()


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


class PythonicCalls(CallReader):
    """Calls written as a list in Python, `look(at="x", n=2), ask()]`, behind its opening bracket. An argument is told
    when it is complete.
    """

    decides = True

    def __init__(self) -> None:
        super().__init__()
        self._state = "name"
        self._name = self._key = self._value = self._quote = ""
        self._num_brackets, self._is_escaped, self._has_arguments = 0, False, False

    @property
    def is_quoting(self) -> bool:
        """True inside a string of Python."""
        return self._state == "value" and bool(self._quote) and not self.has_failed

    def _take(self, char: str) -> None:
        {"name": self._of_name, "key": self._of_key, "value": self._of_value, "done": self._behind}[self._state](char)

    def _of_name(self, char: str) -> None:
        if char == "(" and self._name:
            self._state, self._has_arguments = "key", False
        elif char.isalnum() or (char in "_.-" and self._name) or char == "_":
            self._name += char
        elif char == "]" and not self._name:
            self._state = "done"
        elif self._name or char not in _BLANK + ",":
            self.has_failed = True
        if not self._name and self.num_begun:
            self.num_told = self._num_seen

    def _of_key(self, char: str) -> None:
        if char == ")" and not self._key:
            self._close()
        elif char == "=" and self._key:
            self._state, self._value, self._num_brackets, self._quote = "value", "", 0, ""
        elif char.isalnum() or char == "_":
            self._key += char
        elif char not in _BLANK + ("" if self._key else ","):
            self.has_failed = True

    def _of_value(self, char: str) -> None:
        if self._quote:
            if self._is_escaped:
                self._is_escaped = False
            elif char == "\\":
                self._is_escaped = True
            elif char == self._quote:
                self._quote = ""
        elif char in "\"'":
            self._quote = char
        elif not self._num_brackets and char in ",)":
            if self._argument() and char == ")":
                self._close()
            return
        elif char in "([{)]}":
            self._num_brackets += 1 if char in "([{" else -1
        self._value += char

    def _argument(self) -> bool:
        try:
            value = _literal(self._value.strip())
            written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            self.has_failed = True
            return False
        self._open()
        before = ", " if self._has_arguments else "{"
        self._write(f"{before}{json.dumps(self._key, ensure_ascii=False)}: {written}")
        self._state, self._key, self._has_arguments = "key", "", True
        return True

    def _open(self) -> None:
        if not self.is_open:
            self._begin(self._name)

    def _close(self) -> None:
        self._open()
        self._write("}" if self._has_arguments else "{}")
        self._end()
        self._state, self._name, self._key = "name", "", ""

    def _behind(self, char: str) -> None:
        if char not in _BLANK:
            self.has_failed = True
        else:
            self.num_told = self._num_seen

    def finish(self) -> list[Event]:
        """Read the end of the field, which must be behind the closing bracket."""
        self.has_failed = self.has_failed or self._state != "done"
        return self._told()


def _literal(text: str) -> Any:
    # JSON first: some of its escapes have another meaning in Python.
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


_PLACEHOLDER = re.compile(r"\{(?:content\.)?(\w+)\}")


def reader_of(field: Any, captures: Mapping[str, str], tools: Sequence[Mapping[str, Any]]) -> CallReader | None:
    """Return a reader for a field of a response template that has opened; None: calls are known at its end only.

    Args:
        field: transformers' ResponseTemplateField.
        captures: of its opening pattern.
        tools: that may be called, whose schemas say what is a text.
    """
    if field.name == PYTHONIC:
        return PythonicCalls()
    if field.name == LINES:
        return JsonCalls(decides=True)
    function = field.transform.get("function") if isinstance(field.transform, dict) else None
    if field.content == "json" and not field.content_args:
        if function == "{content}":
            return JsonCalls()
        name, arguments = (function or {}).get("name"), (function or {}).get("arguments")
        if arguments == "{content}":
            return JsonCalls(captures["name"]) if name == "{name}" else None
        keys = [_PLACEHOLDER.fullmatch(each) if isinstance(each, str) else None for each in (name, arguments)]
        return JsonCalls(keys=(keys[0][1], keys[1][1])) if keys[0] and keys[1] else None
    args = field.content_args
    if field.content == "xml-inline" and "open_pattern" in args and "name" in captures:
        return _tagged(captures["name"], args["open_pattern"], args["close_pattern"], tools)
    return None


def _tagged(name: str, opens: str, closes: str, tools: Sequence[Mapping[str, Any]]) -> TaggedArguments:
    from transformers.utils.chat_parsing.response_parser import _coerce

    schemas = [each["function"].get("parameters") for each in tools if each["function"]["name"] == name]
    root = schemas[-1] if schemas and isinstance(schemas[-1], Mapping) else {}
    properties = root.get("properties")

    def types(key: str) -> tuple[str, ...]:
        return types_of(properties.get(key), root) if isinstance(properties, Mapping) else ()

    return TaggedArguments(
        name, opens, closes, lambda key: set(types(key)) <= {"string"}, lambda key, text: _coerce(text, types(key))
    )

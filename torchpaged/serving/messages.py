"""Messages: incremental parsing of a chat answer's text into content, reasoning and tool calls.

transformers does the parsing, by a tokenizer's `response_template`, which describes the model's format.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError
from torchpaged.serving.calls import CallReader, Event, reader_of
from torchpaged.serving.parsers import REASONING_FIELDS, is_of_calls, template_of
from torchpaged.serving.refusals import Refusal

logger = logging.getLogger(__name__)

# The first character of all matches of a pattern, if the pattern begins with a literal character.
_FIRST = re.compile(r"(?:\(\?=)?(?:\\(?P<escaped>\W)|(?P<plain>[^\\.^$*+?{}\[\]()|]))(?![*?{])", re.DOTALL)


def load_response_template(
    path: str | None, tokenizer: Any, *, tool_call_parser: str | None = None, reasoning_parser: str | None = None
) -> Mapping[str, Any] | None:
    """Load the response template from a file or the tokenizer, combined with named parsers; None: there is none.

    Raises:
        ConfigError: transformers cannot read the template.
    """
    own: Mapping[str, Any] | None = getattr(tokenizer, "response_template", None)
    if path is None and own is None and tool_call_parser is None and reasoning_parser is None:
        return None
    try:
        template: Any = own if path is None else json.loads(Path(path).read_text(encoding="utf-8"))
        if tool_call_parser is not None or reasoning_parser is not None:
            template = template_of(tool_call_parser, reasoning_parser, template)
        _parser(template, "", [])
    except Exception as error:  # transformers reports invalid templates by many types of errors
        name = "the tokenizer's response_template" if path is None else f"response_template is {path!r}, which"
        raise ConfigError(f"serve: {name} cannot be used: {error}") from None
    return dict(template)


def _parser(template: Mapping[str, Any], prefix: str, tools: Sequence[Mapping[str, Any]]) -> Any:
    from transformers.utils.chat_parsing import ResponseParser
    from transformers.utils.chat_parsing.response_templates import load_response_template as load

    class Parser(ResponseParser):  # type: ignore[misc]
        """transformers' parser, whose events tell where a field has been opened.

        Attributes:
            calls: reader of the open field's calls, in whose strings no delimiter closes the field.
            start: where the answer begins in the text: at 0, or behind its thoughts.
        """

        calls: CallReader | None = None
        start = 0

        def _watchlist(self) -> Any:
            if self.calls is not None and self.calls.is_quoting:
                return []
            watched = super()._watchlist()
            if self._pos == self.start:
                return watched
            # \G matches where a search begins, which is the answer's beginning at `start` only.
            return [each for each in watched if each[0] == "close" or not each[1].open_re.pattern.startswith(r"\G")]

        def _close_current(self, events: list[dict[str, Any]]) -> None:
            if self._current in REASONING_FIELDS:
                self.start = self._pos
            super()._close_current(events)

        def _open_explicit(self, events: list[dict[str, Any]], field: Any, found: Any) -> None:
            super()._open_explicit(events, field, found)
            events[-1].update(start=found.start(), body=found.end(), captures=dict(self._captures))

    spec = load(dict(template))
    for each in spec.fields.values():
        each.optional = True  # an answer without the field is still valid
    return Parser(spec, prefix=prefix, tools=[dict(tool) for tool in tools])


@dataclass(slots=True)
class Parts:
    """Parts of a message found in a piece of text, in the order of the text.

    Args:
        pieces: (kind, value): "content" or "reasoning" with a text; "call" with the beginning of a call in OpenAI's
            format; "arguments" with more of the last call's, in the format of OpenAI's deltas; "end" with "completed",
            or "incomplete" for a call whose arguments have not ended.
    """

    pieces: list[tuple[str, Any]] = field(default_factory=list)

    def add(self, kind: str, value: Any) -> None:
        """Append a piece. Text joins the piece before it, if that is of the same kind, and arguments their call."""
        before = self.pieces[-1][0] if self.pieces else None
        if kind in ("content", "reasoning") and before == kind:
            value = self.pieces.pop()[1] + value
        elif kind == "arguments" and before in ("call", "arguments"):
            kind, call = self.pieces.pop()
            function = call["function"]
            arguments = function["arguments"] + value["function"]["arguments"]
            value = {**call, "function": {**function, "arguments": arguments}}
        if value:
            self.pieces.append((kind, value))

    def extend(self, more: Parts) -> None:
        """Append the parts of the next piece of text."""
        for kind, value in more.pieces:
            self.add(kind, value)

    @property
    def content(self) -> str:
        """The text of the answer."""
        return "".join(value for kind, value in self.pieces if kind == "content")

    @property
    def reasoning(self) -> str:
        """The text of the reasoning."""
        return "".join(value for kind, value in self.pieces if kind == "reasoning")

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Tool calls in OpenAI's format, or deltas of them."""
        return [value for kind, value in self.pieces if kind in ("call", "arguments")]

    def message(self) -> dict[str, Any]:
        """Return the fields of a message that are present."""
        fields = {"content": self.content, "reasoning_content": self.reasoning, "tool_calls": self.calls}
        return {name: value for name, value in fields.items() if value}


@dataclass(slots=True)
class _OpenCall:
    """A field of calls that is open.

    Args:
        start: where it begins in the parser's text.
        body: where its content begins.
        reader: tells its calls as they are written; None: they are told when it is closed.
    """

    start: int
    body: int
    reader: CallReader | None

    @property
    def end_of_told(self) -> int:
        """Where the part of the parser's text begins that is not told yet."""
        return self.body + self.reader.num_told if self.reader is not None and self.reader.num_begun else self.start


class MessageReader:
    """Incremental parser of one answer. A call is told from the first character of its arguments on, as it is written.

    Text that does not follow the template becomes content, with everything after it: from the delimiter that opens the
    call, or, if the call has been told already, from where it is wrong. Its arguments have then not ended.

    The parts do not depend on how the text was cut into pieces: the parser gets it in steps that depend only on the
    text, one character at a time where a delimiter may begin. (transformers' parser alone would not do: with the
    delimiters "c" and "abcd" it finds the first in "abc" followed by "d", and the second in "abcd".)

    Args:
        template: the model's format; None: everything is content.
        prompt: the prompt, whose end may be the beginning of the answer, such as an opened reasoning block.
        tools: tools that may be called.
        several: report more than one call.

    Attributes:
        num_calls: number of calls told.
        is_broken: if the arguments of the last of them have not ended.
    """

    def __init__(
        self, template: Mapping[str, Any] | None, prompt: str, tools: Sequence[Mapping[str, Any]], *, several: bool
    ) -> None:
        self._several, self._tools = several, tools
        self.num_calls, self.is_broken = 0, False
        self._parser: Any = None
        if template is not None:
            self._begin(template, prompt, tools)

    def _begin(self, template: Mapping[str, Any], prompt: str, tools: Sequence[Mapping[str, Any]]) -> None:
        """Let the parser read the end of the prompt. If it cannot, the whole answer is content."""
        try:
            parser = _parser(template, prompt, tools)
        except Exception as error:  # from a call at the end of the conversation, which the client wrote
            logger.warning("a prompt ends in what its response template cannot read (%s)", type(error).__name__)
            return
        # Private fields of the parser are used: its template, its text, how much of that is settled, and the field
        # that is open.
        self._parser, self._spec, self._prompt_end = parser, parser._spec, len(parser._buffer)
        self._dull = _dull_text(parser._spec)
        self._call: _OpenCall | None = None
        for event in parser.initial_events:
            if is_of_calls(event["field"]):
                self._call = None if event["type"] == "region_close" else _OpenCall(0, 0, None)

    @property
    def thinks(self) -> bool:
        """True if thoughts are open."""
        return self._parser is not None and self._parser._current in REASONING_FIELDS

    @property
    def has_begun(self) -> bool:
        """True if the prompt has a part of the answer, or cannot be read: no thoughts begin behind it."""
        return self._parser is None or bool(self._parser._buffer.strip())

    @property
    def reads_nothing(self) -> bool:
        """True if each piece is content as it is."""
        return self._parser is None

    def read(self, text: str, *, last: bool, cut: bool = False) -> Parts:
        """Read the next piece.

        Args:
            last: this is the last piece, so nothing is held back.
            cut: the answer ends at its maximum length. An unclosed call that is not told yet then becomes content,
                unless it is complete JSON.
        """
        parts, place = Parts(), 0
        while self._parser is not None and place < len(text):
            end = self._step(text, place)
            self._feed(text[place:end], parts)
            place = end
        if self._parser is None:
            parts.add("content", text[place:])
        elif last:
            self._finish(parts, cut=cut)
        return parts

    def _step(self, text: str, place: int) -> int:
        """Return the end of the parser's next step: characters that cannot begin a delimiter, or a single character."""
        # Patterns with \A and \G match only at the beginning of the parser's text, or of the answer.
        held = self._parser._pos < len(self._parser._buffer) or self._parser._pos in (0, self._parser.start)
        run = None if held or self._dull is None else self._dull.match(text, place)
        return place + 1 if run is None else run.end()

    def _finish(self, parts: Parts, *, cut: bool) -> None:
        """Parse the end of the text."""
        call, parser = self._call, self._parser
        if call is not None and call.reader is not None and self._is_unclosed():
            reader = call.reader
            if not reader.is_open and reader.num_begun and call.end_of_told == parser._pos:
                call.body += len(parser._buffer) - parser._pos  # the beginning of a delimiter
            else:
                self._tell(reader.feed(parser._buffer[parser._pos :]), parts)
            if reader.is_open and not (cut or reader.has_failed):
                self._tell(reader.finish(), parts)
            if reader.num_begun and not reader.is_silent:
                self._break_off(parts, call.end_of_told)
                return
        self._feed(None, parts, cut=cut)

    def _is_unclosed(self) -> bool:
        """Return whether the end of the text does not close the open field."""
        parser = self._parser
        closes = self._spec.fields[parser._current].close_re
        return closes is None or closes.search(parser._buffer, parser._pos) is None

    def _feed(self, text: str | None, parts: Parts, *, cut: bool = False) -> None:
        """Parse a step of the text, or its end (None). If that fails, everything not yet reported is content."""
        parser, before = self._parser, self._parser._pos
        try:
            if text is None and cut and self._call is not None:
                self._require_whole()
            events = parser.finalize()[1] if text is None else parser.feed(text)
            rest = self._found(events, before, parts, cut=cut)
        except Exception as error:  # the parser raises any type of error for text that does not follow the template
            # Only the error's type is logged, because transformers' messages quote the answer.
            logger.warning("an answer is not written as its response template says (%s)", type(error).__name__)
            rest = before if self._call is None else self._call.end_of_told
        if rest is not None:
            self._break_off(parts, rest)

    def _break_off(self, parts: Parts, place: int) -> None:
        """Stop parsing: the parser's text from a place on is content, and all that follows."""
        call = self._call
        if call is not None and call.reader is not None and call.reader.is_open and self._tells(self.num_calls - 1):
            self.is_broken = True
            parts.add("end", "incomplete")
        parts.add("content", self._parser._buffer[max(self._prompt_end, place) :])
        self._parser = None

    def _found(self, events: Sequence[Mapping[str, Any]], place: int, parts: Parts, *, cut: bool) -> int | None:
        """Add the parts in the events of a step, which begins at a position of the parser's text.

        Return where text begins that is no call's, in a field of calls; None: the text follows the template.
        """
        parser = self._parser
        of_prompt = max(0, self._prompt_end - place)  # characters that the parser held back as a possible delimiter
        for event in events:
            name, kind = event["field"], event["type"]
            reader = None if self._call is None else self._call.reader
            if kind == "region_chunk":
                if not is_of_calls(name):
                    parts.add("reasoning" if name in REASONING_FIELDS else "content", event["text"][of_prompt:])
                elif reader is not None:
                    self._tell(reader.feed(event["text"]), parts)
                of_prompt = 0
            elif kind == "region_open":
                of_prompt = of_prompt if name == self._spec.implicit else 0
                self._call = parser.calls = None
                if is_of_calls(name):
                    if cut and event["body"] == len(parser._buffer):
                        return int(event["start"])  # a delimiter that could have been longer
                    reader = reader_of(self._spec.fields[name], event["captures"], self._tools)
                    parser.calls = reader
                    self._call = _OpenCall(event["start"], event["body"], reader)
            else:
                of_prompt = 0
                if is_of_calls(name):
                    self._close(event["value"], parts)
                    reader = None if self._call is None else self._call.reader
            if reader is not None and reader.has_failed:
                assert self._call is not None
                if reader.num_begun or reader.decides:
                    return self._call.end_of_told
                self._call.reader = parser.calls = None  # the parser knows at the end of the field
        return None

    def _close(self, value: Any, parts: Parts) -> None:
        """Close a field of calls, whose value is of use where its reader has not told all of them."""
        call = self._call
        reader, num_told = (None if call is None else call.reader), 0
        if reader is not None:
            self._tell(reader.finish(), parts)
            num_told = reader.num_begun
            if reader.has_failed or reader.is_open:
                reader.has_failed = True
                return
        if reader is None or reader.is_silent or not (num_told or reader.decides):
            for each in (value if isinstance(value, list) else [value])[num_told:]:
                told = _call(each, self.num_calls)
                if self._tells(self.num_calls):
                    parts.add("call", told)
                    parts.add("end", "completed")
                    self.num_calls += 1
        self._call = self._parser.calls = None

    def _tell(self, events: Sequence[Event], parts: Parts) -> None:
        """Add what a reader tells of calls."""
        for kind, value in events:
            if kind == "begin":
                self._tells_call = self._tells(self.num_calls)
                if self._tells_call:
                    parts.add("call", _call({"function": {"name": value, "arguments": ""}}, self.num_calls))
                    self.num_calls += 1
            elif self._tells_call and kind == "arguments":
                parts.add("arguments", {"index": self.num_calls - 1, "function": {"arguments": value}})
            elif self._tells_call:
                parts.add("end", "completed")

    def _tells(self, number: int) -> bool:
        return self._several or not number

    def _require_whole(self) -> None:
        """Raise a ValueError for an unclosed call whose content is not complete by itself."""
        calls = self._spec.fields[self._parser._current]
        strict = calls.content == "json" and not calls.content_args.get("allow_non_json")
        if not strict and self._is_unclosed():
            raise ValueError("a call is cut")


def _call(call: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Return a call in OpenAI's format. Raises any type of error if name or arguments are missing."""
    function = call["function"]
    name, arguments = function["name"], function["arguments"]
    if not isinstance(name, str):
        raise TypeError(f"the name of a call is of the type {type(name).__name__}")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    told = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{secrets.token_hex(12)}", "type": "function", "function": told}


def _dull_text(spec: Any) -> re.Pattern[str] | None:
    """Return a pattern of the characters that begin no delimiter of a template; None: unknown."""
    firsts = set()
    for each in spec.fields.values():
        for pattern, literals in ((each.open_re, each.open_literals), (each.close_re, each.close_literals)):
            if literals is not None:
                firsts |= {literal[0] for literal in literals}
            elif pattern is not None:
                if pattern.pattern.startswith((r"\A", r"\G")):
                    continue
                first = _FIRST.match(pattern.pattern)
                if first is None or "|" in re.sub(r"\\.", "", pattern.pattern):
                    return None
                firsts.add(first["escaped"] or first["plain"])
    return re.compile(f"[^{''.join(map(re.escape, sorted(firsts)))}]+" if firsts else "(?s:.+)")


def require_tools(tools: Sequence[Mapping[str, Any]], template: Mapping[str, Any] | None) -> None:
    """Raise a Refusal for invalid tools, or if the format of the model's calls is unknown."""
    if tools and (template is None or not any(map(is_of_calls, template["fields"]))):
        raise Refusal(
            "tools are given, and nothing says how the model writes calls: there is no response_template of its "
            "tokenizer's that does; start the server with --tool-call-parser or --response-template, or say "
            "tool_choice 'none'",
            param="tools",
            code="unsupported",
        )
    for place, tool in enumerate(tools):
        function = tool.get("function")
        if (
            tool.get("type") != "function"
            or not isinstance(function, dict)
            or not isinstance(function.get("name"), str)
        ):
            raise Refusal(
                f"tools[{place}] is {dict(tool)!r:.80}, expected {{'type': 'function', 'function': {{'name': ...}}}}",
                param="tools",
            )
        parameters = function.get("parameters")
        if parameters is not None and not isinstance(parameters, dict):
            raise Refusal(f"tools[{place}] has the parameters {parameters!r:.80}, expected a schema", param="tools")

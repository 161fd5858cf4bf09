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

    spec = load(dict(template))
    for each in spec.fields.values():
        each.optional = True  # an answer without the field is still valid
    return ResponseParser(spec, prefix=prefix, tools=[dict(tool) for tool in tools])


@dataclass(slots=True)
class Parts:
    """Parts of a message found in a piece of text, in the order of the text.

    Args:
        pieces: (kind, value), where kind is "content", "reasoning" or "call"; a call is in OpenAI's format.
    """

    pieces: list[tuple[str, Any]] = field(default_factory=list)

    def add(self, kind: str, value: Any) -> None:
        """Append a piece. Text joins the piece before it, if that is of the same kind."""
        if kind != "call" and self.pieces and self.pieces[-1][0] == kind:
            value = self.pieces.pop()[1] + value
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
        """Tool calls in OpenAI's format."""
        return [value for kind, value in self.pieces if kind == "call"]

    def message(self) -> dict[str, Any]:
        """Return the fields of a message that are present."""
        fields = {"content": self.content, "reasoning_content": self.reasoning, "tool_calls": self.calls}
        return {name: value for name, value in fields.items() if value}


class MessageReader:
    """Incremental parser of one answer. A call that does not follow the template becomes content, with the delimiter
    that opens it and everything after it.

    The parts do not depend on how the text was cut into pieces: the parser gets it in steps that depend only on the
    text, one character at a time where a delimiter may begin. (transformers' parser alone would not do: with the
    delimiters "c" and "abcd" it finds the first in "abc" followed by "d", and the second in "abcd".)

    Args:
        template: the model's format; None: everything is content.
        prompt: the prompt, whose end may be the beginning of the answer, such as an opened reasoning block.
        tools: tools that may be called.
        several: report more than one call.
    """

    def __init__(
        self, template: Mapping[str, Any] | None, prompt: str, tools: Sequence[Mapping[str, Any]], *, several: bool
    ) -> None:
        self._several = several
        self.num_calls = 0
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
        # Four private fields of the parser are used: its template, its text, how much of that is settled, and the
        # field that is open.
        self._parser, self._spec, self._prompt_end = parser, parser._spec, len(parser._buffer)
        self._dull = _dull_text(parser._spec)
        self._call_start: int | None = None  # where the open call begins in the parser's text
        for event in parser.initial_events:
            if is_of_calls(event["field"]):
                self._call_start = None if event["type"] == "region_close" else 0

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
            cut: the answer ends at its maximum length. An unclosed call then becomes content, unless it is complete
                JSON.
        """
        parts, place = Parts(), 0
        while self._parser is not None and place < len(text):
            end = self._step(text, place)
            self._feed(text[place:end], parts)
            place = end
        if self._parser is None:
            parts.add("content", text[place:])
        elif last:
            self._feed(None, parts, cut=cut)
        return parts

    def _step(self, text: str, place: int) -> int:
        """Return the end of the parser's next step: characters that cannot begin a delimiter, or a single character."""
        # A pattern with \A can match only at the beginning of the parser's text.
        held = self._parser._pos < len(self._parser._buffer) or not self._parser._pos
        run = None if held or self._dull is None else self._dull.match(text, place)
        return place + 1 if run is None else run.end()

    def _feed(self, text: str | None, parts: Parts, *, cut: bool = False) -> None:
        """Parse a step of the text, or its end (None). If that fails, everything not yet reported is content."""
        parser, before, call = self._parser, self._parser._pos, self._call_start
        try:
            if text is None and cut and call is not None:
                self._require_whole(parser._buffer, before)
            events = parser.finalize()[1] if text is None else parser.feed(text)
            found = self._found(events, before)
        except Exception as error:  # the parser raises any type of error for text that does not follow the template
            # Only the error's type is logged, because transformers' messages quote the answer.
            logger.warning("an answer is not written as its response template says (%s)", type(error).__name__)
            parts.add("content", parser._buffer[max(self._prompt_end, before if call is None else call) :])
            self._parser = None
            return
        for kind, value in found:
            parts.add(kind, value)
            self.num_calls += kind == "call"

    def _found(self, events: Sequence[Mapping[str, Any]], place: int) -> list[tuple[str, Any]]:
        """Return the parts in the events of a step, which begins at a position of the parser's text."""
        found: list[tuple[str, Any]] = []
        number = self.num_calls
        of_prompt = max(0, self._prompt_end - place)  # characters that the parser held back as a possible delimiter
        for event in events:
            name, kind = event["field"], event["type"]
            if kind == "region_chunk":
                if not is_of_calls(name):
                    found.append(("reasoning" if name in REASONING_FIELDS else "content", event["text"][of_prompt:]))
                place += len(event["text"])
                of_prompt = 0
            elif kind == "region_open":
                of_prompt = of_prompt if name == self._spec.implicit else 0
                self._call_start = place if is_of_calls(name) else None
            else:
                of_prompt, self._call_start = 0, None
                if is_of_calls(name):
                    value = event["value"]
                    for each in value if isinstance(value, list) else [value]:
                        call = _call(each, number)
                        if self._several or not number:
                            found.append(("call", call))
                            number += 1
        return found

    def _require_whole(self, text: str, place: int) -> None:
        """Raise a ValueError for an unclosed call whose content is not complete by itself.

        Args:
            text, place: the parser's text, and where the part that it holds back begins.
        """
        calls = self._spec.fields[self._parser._current]
        strict = calls.content == "json" and not calls.content_args.get("allow_non_json")
        if not strict and (calls.close_re is None or calls.close_re.search(text, place) is None):
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
                if pattern.pattern.startswith(r"\A"):
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

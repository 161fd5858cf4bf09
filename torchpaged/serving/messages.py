"""Messages: what an answer to a chat says, what it thinks and which tools it calls, read as its text comes.

The reading is transformers' own: a tokenizer's `response_template` says how its model writes all that.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError
from torchpaged.serving.refusals import Refusal

logger = logging.getLogger(__name__)

# Names that templates have for it.
_REASONING = ("reasoning_content", "reasoning", "thinking")


def load_response_template(path: str | None, tokenizer: Any) -> Mapping[str, Any] | None:
    """A file's, or the tokenizer's own; None: there is none.

    Raises:
        ConfigError: the file has none that transformers reads.
    """
    if path is None:
        own: Mapping[str, Any] | None = getattr(tokenizer, "response_template", None)
        return own
    try:
        template = json.loads(Path(path).read_text(encoding="utf-8"))
        _parser(template, "", [])
    except Exception as error:  # what is wrong with one transformers says in errors of many kinds
        raise ConfigError(f"serve: response_template is {path!r}, which cannot be used: {error}") from None
    return dict(template)


def _parser(template: Mapping[str, Any], prefix: str, tools: Sequence[Mapping[str, Any]]) -> Any:
    from transformers.utils.chat_parsing import ResponseParser

    return ResponseParser(dict(template), prefix=prefix, tools=[dict(tool) for tool in tools])


@dataclass(slots=True)
class Parts:
    """What a piece of text has brought.

    Args:
        calls: tools that are called, as OpenAI writes them.
    """

    content: str = ""
    reasoning: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)

    def message(self) -> dict[str, Any]:
        """The fields of a message that are there."""
        said: dict[str, Any] = {"content": self.content} if self.content else {}
        if self.reasoning:
            said["reasoning_content"] = self.reasoning
        if self.calls:
            said["tool_calls"] = self.calls
        return said


class MessageReader:
    """Of one answer. A call that is not written as its template has it is told as content, and so is all behind it.

    Args:
        template: how the model writes; None: all that it writes is content.
        prompt: whose end may be the beginning of the answer.
        tools: that may be called.
        several: whether more than one call is told.
    """

    def __init__(
        self, template: Mapping[str, Any] | None, prompt: str, tools: Sequence[Mapping[str, Any]], *, several: bool
    ) -> None:
        self._parser = None if template is None else _parser(template, prompt, tools)
        self._several = several
        self._region = ""  # what has come of a call that is not complete
        self.num_calls = 0

    @property
    def reads_nothing(self) -> bool:
        """Whether each piece is told as content, as it comes."""
        return self._parser is None

    def read(self, text: str, *, last: bool) -> Parts:
        """What comes of the next piece; behind the last one nothing is kept back."""
        parts = Parts()
        if self._parser is None:
            parts.content = text
            return parts
        try:
            events = self._parser.feed(text)
            if last:
                events += self._parser.finalize()[1]
            for event in events:
                self._take(event, parts)
        except Exception as error:  # of a text that is not as the template has it, the parser's may be any
            logger.warning("an answer is not written as its response template says", exc_info=error)
            parts = Parts(self._region + text)
            self._parser = None
        return parts

    def _take(self, event: Mapping[str, Any], parts: Parts) -> None:
        name, kind = event["field"], event["type"]
        if kind == "region_open":
            self._region = ""
        elif kind == "region_chunk" and event["dirty"]:
            self._region += event["text"]
        elif kind == "region_chunk" and name in _REASONING:
            parts.reasoning += event["text"]
        elif kind == "region_chunk":
            parts.content += event["text"]
        elif name == "tool_calls":
            for call in event["value"] if isinstance(event["value"], list) else [event["value"]]:
                self._call(call, parts)

    def _call(self, call: Mapping[str, Any], parts: Parts) -> None:
        function = call["function"]
        arguments = function["arguments"]
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        if self._several or not self.num_calls:
            parts.calls.append(
                {
                    "index": self.num_calls,
                    "id": f"call_{secrets.token_hex(12)}",
                    "type": "function",
                    "function": {"name": str(function["name"]), "arguments": written},
                }
            )
            self.num_calls += 1


def require_tools(tools: Sequence[Mapping[str, Any]], template: object) -> None:
    """Raises Refusal for tools that are none, or that the model's calls of cannot be read."""
    if tools and template is None:
        raise Refusal(
            "tools are given, and nothing says how the model writes calls: its tokenizer has no response_template; "
            "start the server with --response-template, or say tool_choice 'none'",
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

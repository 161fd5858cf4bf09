"""Answers of POST /v1/messages, Anthropic's interface: blocks in their order, whole or as a stream of events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator
from typing import Any

from pydantic_core import from_json

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.outputs import CompletionOutput, RequestOutput
from torchpaged.serving.answers import require_good
from torchpaged.serving.json_text import to_json
from torchpaged.serving.messages import MessageReader, Parts
from torchpaged.serving.protocol import ChatBody
from torchpaged.serving.receipts import AnswerReceipts
from torchpaged.serving.refusals import refusal_of

Event = dict[str, Any]


class Blocks:
    """The blocks of an answer, in the order in which they are generated: thinking, text and uses of tools.

    Attributes:
        blocks: those so far. The input of a tool use is filled in when the block is closed.
    """

    def __init__(self) -> None:
        self.blocks: list[dict[str, Any]] = []
        self._is_open = False
        self._input = ""

    def take(self, parts: Parts) -> list[Event]:
        """Add new parts and return their events."""
        events: list[Event] = []
        for kind, value in parts.pieces:
            if kind == "reasoning":
                events += self._grow("thinking", value)
            elif kind == "content":
                events += self._grow("text", value)
            elif kind == "end":
                events += self.close()
            else:
                function = value["function"]
                if kind == "call":
                    name = value["id"].replace("call_", "toolu_")
                    events += self._begin({"type": "tool_use", "id": name, "name": function["name"], "input": {}})
                events += self._write(function["arguments"])
        return events

    def close(self) -> list[Event]:
        """Close the open block, if any."""
        if not self._is_open:
            return []
        self._is_open, block, events = False, self.blocks[-1], list[Event]()
        if block["type"] == "tool_use":
            block["input"], self._input = _object(self._input), ""
        elif block["type"] == "thinking":
            # Clients send thoughts back only if they are signed.
            block["signature"] = hashlib.sha256(block["thinking"].encode(errors="surrogatepass")).hexdigest()
            events.append(self._delta({"type": "signature_delta", "signature": block["signature"]}))
        return [*events, {"type": "content_block_stop", "index": len(self.blocks) - 1}]

    def _begin(self, block: dict[str, Any]) -> list[Event]:
        events = self.close()
        self.blocks.append(block)
        self._is_open = True
        return [*events, {"type": "content_block_start", "index": len(self.blocks) - 1, "content_block": dict(block)}]

    def _grow(self, kind: str, text: str) -> list[Event]:
        events: list[Event] = []
        if not self._is_open or self.blocks[-1]["type"] != kind:
            more: dict[str, Any] = {"citations": None} if kind == "text" else {"signature": ""}
            events = self._begin({"type": kind, kind: "", **more})
        self.blocks[-1][kind] += text
        return [*events, self._delta({"type": f"{kind}_delta", kind: text})]

    def _write(self, arguments: str) -> list[Event]:
        """Add arguments. Those that are no object come in one piece, and are wrapped: an input is an object."""
        if not self._input and arguments.strip() and not arguments.lstrip().startswith("{"):
            arguments = "{}" if arguments.strip() in ("null", '""') else f'{{"arguments": {json.dumps(arguments)}}}'
        self._input += arguments
        return [self._delta({"type": "input_json_delta", "partial_json": arguments})] if arguments else []

    def _delta(self, delta: dict[str, Any]) -> Event:
        return {"type": "content_block_delta", "index": len(self.blocks) - 1, "delta": delta}


def _object(text: str) -> Any:
    """Return the object of a tool's input; of one that has not ended, what is known of it, as Anthropic's client."""
    try:
        return from_json(text, allow_partial=True) if text else {}
    except ValueError:
        try:
            return json.loads(text)  # lone surrogates
        except ValueError:
            return {}


class MessageAnswer:
    """The answer to one request.

    Args:
        llm: engine.
        chat: the request as a chat.
        stream: its outputs.
        reader: parser of the model's text.
        id, model, fingerprint, receipts: as in `Answer`.
    """

    def __init__(
        self,
        llm: AsyncLLM,
        chat: ChatBody,
        stream: RequestStream[RequestOutput],
        reader: MessageReader,
        *,
        id: str,
        model: str,
        fingerprint: str,
        receipts: AnswerReceipts | None = None,
    ) -> None:
        self._llm, self._chat, self._stream, self._reader = llm, chat, stream, reader
        self._id, self._model, self._fingerprint = id.replace("-", "_", 1), model, fingerprint
        self._receipts = receipts
        self._blocks = Blocks()
        self._num_tokens = self._num_asked = self._num_cached = 0
        self._ended: CompletionOutput | None = None

    async def whole(self) -> dict[str, Any]:
        """Return the whole answer.

        Raises:
            Refusal: it could not be computed.
        """
        async for output in self._stream:
            self._take(output)
        return {
            **self._message(),
            "content": self._blocks.blocks,
            **self._ending(),
            **(await self._receipts.fields(0) if self._receipts is not None else {}),
        }

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield server-sent events. An error before the first tokens is raised; a later one is the last event.

        Raises:
            Refusal: it could not be computed.
        """
        begun = False
        try:
            async for output in self._stream:
                events = self._take(output)
                if not begun:
                    begun = True
                    message = {**self._message(), "content": [], "stop_reason": None, "stop_sequence": None}
                    yield _written([{"type": "message_start", "message": message}, {"type": "ping"}])
                if events:
                    yield _written(events)
            receipt = await self._receipts.fields(0) if self._receipts is not None else {}
            delta = {"type": "message_delta", "delta": self._ending(), "usage": self._usage(), **receipt}
            yield _written([delta, {"type": "message_stop"}])
        except Exception as error:
            if not begun:
                raise
            yield error_frame(error)

    def _take(self, output: RequestOutput) -> list[Event]:
        (completion,) = output.outputs
        require_good(self._id, completion)
        if self._receipts is not None:
            self._receipts.note(0, output, completion)
        self._num_asked, self._num_cached = len(output.prompt_token_ids), output.num_cached_tokens or 0
        self._num_tokens += len(completion.token_ids)
        last, cut = bool(completion.finished), completion.finish_reason == "length"
        events = self._blocks.take(self._reader.read(completion.text, last=last, cut=cut))
        if last:
            self._ended = completion
            events += self._blocks.close()
        return events

    def _message(self) -> dict[str, Any]:
        head = {"id": self._id, "type": "message", "role": "assistant", "model": self._model}
        return {**head, "usage": self._usage(), "system_fingerprint": self._fingerprint}

    def _ending(self) -> dict[str, Any]:
        assert self._ended is not None
        stop, reader = self._ended.stop_reason, self._reader
        if self._ended.finish_reason == "length":
            is_full = self._num_tokens < (self._chat.max_tokens or 0)
            return {
                "stop_reason": "model_context_window_exceeded" if is_full else "max_tokens",
                "stop_sequence": None,
            }
        if isinstance(stop, str):
            return {"stop_reason": "stop_sequence", "stop_sequence": stop}
        called = reader.num_calls and not reader.is_broken
        return {"stop_reason": "tool_use" if called else "end_turn", "stop_sequence": None}

    def _usage(self) -> dict[str, Any]:
        """Return Anthropic's usage object, whose input_tokens are those that were not in the cache."""
        return {
            "input_tokens": self._num_asked - self._num_cached,
            "output_tokens": self._num_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": self._num_cached,
        }


def error_frame(error: Exception) -> bytes:
    """Return the event for an error in a stream that has begun."""
    return _written([refusal_of(error).message_body])


def _written(events: list[Event]) -> bytes:
    return b"".join(b"event: " + each["type"].encode() + b"\ndata: " + to_json(each) + b"\n\n" for each in events)

"""Answers of POST /v1/responses: items in their order, whole or as a stream of events."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from typing import Any

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.async_engine.tokenizer_pool import Length
from torchpaged.outputs import RequestOutput
from torchpaged.serving import logprobs
from torchpaged.serving.answers import require_good
from torchpaged.serving.json_text import to_json
from torchpaged.serving.messages import MessageReader, Parts
from torchpaged.serving.protocol import ChatBody
from torchpaged.serving.receipts import AnswerReceipts
from torchpaged.serving.refusals import refusal_of
from torchpaged.serving.response_body import ResponseBody

Event = dict[str, Any]


class Items:
    """The items of an answer, in the order in which they are generated: reasoning, texts and calls.

    Invariant: only the last item can be open.

    Attributes:
        items: the current items.
    """

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self._open: str | None = None  # the type of the last item, while it is open
        self._tokens: list[dict[str, Any]] = []  # tokens that have no text yet

    def take(self, parts: Parts, tokens: list[dict[str, Any]]) -> list[Event]:
        """Add new parts and return their events.

        Args:
            tokens: the new tokens with their logprobs, if logprobs are requested.
        """
        events: list[Event] = []
        self._tokens += tokens  # text that is held back, such as a possible delimiter, has its tokens later
        for kind, value in parts.pieces:
            if kind == "reasoning":
                self._tokens = []
                events += self._grow("reasoning", value, [])
            elif kind == "content":
                tokens, self._tokens = self._tokens, []
                events += self._grow("message", value, tokens)
            elif kind == "end":
                events += self.close(value)
            else:
                events += self._call(value) if kind == "call" else []
                events += self._arguments(value["function"]["arguments"])
        return events

    def end(self, status: str) -> list[Event]:
        """Finish the answer. An empty answer gets an empty text."""
        return [*(self._begin("message") if not self.items else []), *self.close(status)]

    def _arguments(self, delta: str) -> list[Event]:
        self.items[-1]["arguments"] += delta
        return [self._event("function_call_arguments.delta", delta=delta)] if delta else []

    def _grow(self, kind: str, delta: str, tokens: list[dict[str, Any]]) -> list[Event]:
        events = self._begin(kind) if self._open != kind else []
        part = self.items[-1]["content"][0]
        part["text"] += delta
        if kind == "message":
            part["logprobs"] += tokens
            return [*events, self._event("output_text.delta", content_index=0, delta=delta, logprobs=tokens)]
        return [*events, self._event("reasoning_text.delta", content_index=0, delta=delta)]

    def _begin(self, kind: str) -> list[Event]:
        events = self.close("completed")
        item: dict[str, Any] = {"id": f"rs_{secrets.token_hex(12)}", "type": "reasoning", "summary": []}
        part: dict[str, Any] = {"type": "reasoning_text", "text": ""}
        if kind == "message":
            item = {"id": f"msg_{secrets.token_hex(12)}", "type": "message", "role": "assistant"}
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        item |= {"content": [], "status": "in_progress"}
        self.items.append(item)
        self._open = kind
        events.append(self._of_item("added"))
        item["content"].append(part)
        return [*events, self._event("content_part.added", content_index=0, part=_copy(part))]

    def close(self, status: str) -> list[Event]:
        """Close the open item, if any."""
        if self._open is None:
            return []
        kind, self._open = self._open, None
        item = self.items[-1]
        item["status"] = status
        if kind == "function_call":
            done = self._event("function_call_arguments.done", arguments=item["arguments"])
            return [done, self._of_item("done")]
        part = item["content"][0]
        more = {"logprobs": part["logprobs"]} if kind == "message" else {}
        name = "output_text" if kind == "message" else "reasoning_text"
        return [
            self._event(f"{name}.done", content_index=0, text=part["text"], **more),
            self._event("content_part.done", content_index=0, part=part),
            self._of_item("done"),
        ]

    def _call(self, call: dict[str, Any]) -> list[Event]:
        """Begin a call, without its arguments."""
        events = self.close("completed")
        item = {
            "id": f"fc_{secrets.token_hex(12)}",
            "type": "function_call",
            "call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": "",
            "status": "in_progress",
        }
        self.items.append(item)
        self._open = "function_call"
        return [*events, self._of_item("added")]

    def _event(self, name: str, **more: Any) -> Event:
        place = len(self.items) - 1
        return {"type": f"response.{name}", "item_id": self.items[-1]["id"], "output_index": place, **more}

    def _of_item(self, name: str) -> Event:
        item = _copy(self.items[-1])
        return {"type": f"response.output_item.{name}", "output_index": len(self.items) - 1, "item": item}


def _copy(item: dict[str, Any]) -> dict[str, Any]:
    """Copy an item, because its content grows later."""
    return {name: list(value) if isinstance(value, list) else value for name, value in item.items()}


class ResponseAnswer:
    """The answer to one request.

    Args:
        llm: engine.
        body: the request.
        chat: the request as a chat.
        stream: its outputs.
        reader: parser of the model's text.
        id, model, fingerprint, receipts: as in `Answer`.
    """

    def __init__(
        self,
        llm: AsyncLLM,
        body: ResponseBody,
        chat: ChatBody,
        stream: RequestStream[RequestOutput],
        reader: MessageReader,
        *,
        id: str,
        model: str,
        fingerprint: str,
        receipts: AnswerReceipts | None = None,
    ) -> None:
        self._llm, self._body, self._chat, self._stream, self._reader = llm, body, chat, stream, reader
        self._id, self._model, self._fingerprint = id.replace("-", "_", 1), model, fingerprint
        self._receipts = receipts
        self._receipt: dict[str, Any] = {}  # its fields, once the answer has ended
        self._created = int(time.time())
        self._items = Items()
        self._num_tokens = self._num_thought = self._number = 0
        self._last: RequestOutput | None = None
        self._written_text, self._written_tokens = "", list[int]()  # of the model, for enable_response_messages

    async def whole(self) -> dict[str, Any]:
        """Return the whole answer.

        Raises:
            Refusal: it could not be computed.
        """
        async for output in self._stream:
            self._take(output)
        await self._end()
        return self._response(self._status)

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
                    yield self._written(
                        [{"type": f"response.{name}", "response": self._empty()} for name in ("created", "in_progress")]
                    )
                if events:
                    yield self._written(events)
            await self._end()
            yield self._written([{"type": f"response.{self._status}", "response": self._response(self._status)}])
        except Exception as error:
            if not begun:
                raise
            failed = self._response("failed")
            failed["error"] = {"code": "server_error", "message": str(refusal_of(error))}
            yield self._written([{"type": "response.failed", "response": failed}])

    def _take(self, output: RequestOutput) -> list[Event]:
        (completion,) = output.outputs
        require_good(self._id, completion)
        self._last = output
        if self._receipts is not None:
            self._receipts.note(0, output, completion)
        parts = self._reader.read(
            completion.text, last=bool(completion.finished), cut=completion.finish_reason == "length"
        )
        self._num_tokens += len(completion.token_ids)
        if self._body.enable_response_messages:
            self._written_text += completion.text
            self._written_tokens += completion.token_ids
        tokens: list[dict[str, Any]] = []
        if self._chat.logprobs and completion.logprobs is not None and not parts.reasoning:
            most = self._chat.top_logprobs or 0
            tokens = logprobs.of_chat(completion.token_ids, completion.logprobs, most, as_ids=False)["content"]
        events = self._items.take(parts, tokens)
        if completion.finished:
            events += self._items.end(self._status)
        return events

    async def _end(self) -> None:
        await self._count_thoughts()
        if self._receipts is not None:
            self._receipt = await self._receipts.fields(0)

    async def _count_thoughts(self) -> None:
        """Count reasoning tokens from the text, because a step's tokens may be reasoning only in part."""
        text = "".join(item["content"][0]["text"] for item in self._items.items if item["type"] == "reasoning")
        if text:
            options = {"add_special_tokens": False}
            read, _ = await self._llm.tokenizer_pool.read("reasoning", text, options, length=Length.FREE)
            assert isinstance(read, dict)
            self._num_thought = len(read["prompt_token_ids"])

    @property
    def _status(self) -> str:
        assert self._last is not None
        return "incomplete" if self._last.outputs[0].finish_reason == "length" else "completed"

    def _written(self, events: list[Event]) -> bytes:
        pieces = []
        for event in events:
            numbered = {**event, "sequence_number": self._number}
            self._number += 1
            pieces.append(b"event: " + event["type"].encode() + b"\ndata: " + to_json(numbered) + b"\n\n")
        return b"".join(pieces)

    def _empty(self) -> dict[str, Any]:
        return {**self._response("in_progress"), "output": [], "usage": None}

    def _response(self, status: str) -> dict[str, Any]:
        body = self._body
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "completed_at": int(time.time()) if status == "completed" else None,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "instructions": body.instructions,
            "max_output_tokens": body.max_output_tokens,
            "max_tool_calls": None,
            "metadata": body.metadata or {},
            "model": self._model,
            "output": self._items.items,
            "parallel_tool_calls": body.parallel_tool_calls is not False,
            "previous_response_id": None,
            "background": False,
            "reasoning": {"effort": body.reasoning.effort if body.reasoning else None, "summary": None},
            "service_tier": "default",
            "store": False,
            "temperature": body.temperature,
            "text": {"format": (body.text and body.text.format) or {"type": "text"}, "verbosity": "medium"},
            "tool_choice": body.tool_choice or "auto",
            "tools": [{"parameters": None, "strict": False, **tool} for tool in body.tools or ()],
            "top_logprobs": body.top_logprobs or 0,
            "top_p": body.top_p,
            "truncation": "disabled",
            "usage": self._usage(),
            "user": body.user,
            "system_fingerprint": self._fingerprint,
            **self._receipt,
            **(self._raw_messages(status) if body.enable_response_messages else {}),
        }

    def _raw_messages(self, status: str) -> dict[str, Any]:
        """Return vLLM's `input_messages` and `output_messages`: the prompt and the answer as text and tokens."""

        def raw(text: str, tokens: list[int]) -> list[dict[str, Any]]:
            return [{"type": "raw_message_tokens", "message": text, "tokens": tokens}]

        if self._last is None or status == "in_progress":
            return {"input_messages": None, "output_messages": None}
        return {
            "input_messages": raw(self._last.prompt or "", self._last.prompt_token_ids),
            "output_messages": raw(self._written_text, self._written_tokens),
        }

    def _usage(self) -> dict[str, Any]:
        asked = len(self._last.prompt_token_ids) if self._last else 0
        cached = (self._last.num_cached_tokens or 0) if self._last else 0
        return {
            "input_tokens": asked,
            "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
            "output_tokens": self._num_tokens,
            "output_tokens_details": {"reasoning_tokens": self._num_thought},
            "total_tokens": asked + self._num_tokens,
        }

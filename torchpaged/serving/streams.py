"""Streams: sending server-sent events, and cancelling requests of clients that disconnect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.outputs import RequestOutput
from torchpaged.serving.refusals import Refusal, ended

_T = TypeVar("_T")

DONE = b"data: [DONE]\n\n"
SEND = "torchpaged.send"  # in an ASGI scope: the server's own `send`, without middleware
# In an ASGI scope: a function that sends bytes of an answer that has begun and returns True; False if it would block.
WRITE = "torchpaged.write"
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class EventStream(Response):
    """A response that sends frames, and stops their generator when the client disconnects or receives too slowly.

    Args:
        frames: whole events as bytes; the generator is closed at the end.
        write_timeout: seconds for the client to receive what was sent.
        first: frame to send before them.
        told: makes the frame for an error of the generator; None: the error is raised.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        write_timeout: float,
        *,
        first: bytes = b"",
        told: Callable[[Exception], bytes] | None = None,
    ) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._frames, self._write_timeout, self._first, self._told = frames, write_timeout, first, told
        self._sending_since: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        tasks = [asyncio.ensure_future(each) for each in (self._send(scope, send), _hang_up(receive), self._watch())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except asyncio.CancelledError:
            if not self._cut(scope):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._frames.aclose()

    def _cut(self, scope: Scope) -> bool:
        """Send the error that the server ends, if that does not block."""
        write = scope.get(WRITE)
        return write is not None and self._told is not None and bool(write(self._told(ended())))

    async def _send(self, scope: Scope, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        # Frames bypass the middleware, which needs only the beginning of an answer.
        send = scope.get(SEND, send)
        try:
            if self._first:
                await self._send_frame(send, self._first)
            async for frame in self._frames:  # inlined `_send_frame`, without a coroutine per token
                self._sending_since = time.monotonic()
                await send({"type": "http.response.body", "body": frame, "more_body": True})
                self._sending_since = None
        except Exception as error:
            if self._told is None:
                raise
            await self._send_frame(send, self._told(error))
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_frame(self, send: Send, frame: bytes) -> None:
        self._sending_since = time.monotonic()
        await send({"type": "http.response.body", "body": frame, "more_body": True})
        self._sending_since = None

    async def _watch(self) -> None:
        """Return when a frame has not been received in time."""
        while True:
            await asyncio.sleep(self._write_timeout / 4)
            if self._sending_since is not None and time.monotonic() - self._sending_since > self._write_timeout:
                return


async def unless_gone(receive: Receive, answer: Coroutine[Any, Any, _T], timeout: float | None) -> _T:
    """Await a coroutine; cancel it when the client disconnects or the time is up.

    Raises:
        Refusal: either has happened.
    """
    task, gone = asyncio.ensure_future(answer), asyncio.ensure_future(_hang_up(receive))
    try:
        await asyncio.wait({task, gone}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        if gone.done():
            raise Refusal("the client has gone", status=499)
        raise Refusal(f"there is no answer after {timeout:g} seconds", status=408, code="timeout")
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _hang_up(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def last_of(stream: RequestStream[_T]) -> _T:
    """Return a request's last output."""
    async for output in stream:
        last = output
    return last


async def every(answers: Sequence[Awaitable[_T]]) -> list[_T]:
    """Return the results of all coroutines. If one raises, the others are cancelled."""
    tasks = [asyncio.ensure_future(answer) for answer in answers]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def together(streams: Sequence[RequestStream[RequestOutput]]) -> AsyncIterator[tuple[int, RequestOutput]]:
    """Yield (index of the stream, output) in the order in which outputs arrive."""
    waiting = {asyncio.ensure_future(_next(stream)): place for place, stream in enumerate(streams)}
    try:
        while waiting:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                place, output = waiting.pop(task), task.result()
                if not output.finished:
                    waiting[asyncio.ensure_future(_next(streams[place]))] = place
                yield place, output
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def _next(stream: RequestStream[RequestOutput]) -> RequestOutput:
    return await anext(stream)

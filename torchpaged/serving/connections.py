"""Connections: uvicorn's, with a limit for headers and timeouts for clients that send or receive nothing."""

from __future__ import annotations

import asyncio
import functools
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from torchpaged.serving.json_text import to_json
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.streams import WRITE

# Maximum bytes of a request's first line and headers together, as in other servers.
_MOST_OF_HEAD = 2**16
# Minimum bytes that a client must receive within the write timeout.
_LEAST_TAKEN = 2**16


class Connection(HttpToolsProtocol):
    """A client's connection: headers must arrive within `read_timeout`, and output be received within `write_timeout`.

    An idle connection holds a file descriptor, and endless headers take memory, before any key is checked; routes see
    neither.
    """

    read_timeout: ClassVar[float]
    write_timeout: ClassVar[float]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._in_head = False
        self._of_head = 0  # bytes of the header so far
        self._refusal = Refusal("this is not an HTTP request")
        self._unanswered: list[RequestResponseCycle] = []  # pipelined: the first is being answered

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Handle asyncio's event, as the methods below do."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Parse bytes. The size of a header that is still incomplete is counted here, since the parser reports parts
        only once they are complete."""
        had_begun = self._in_head
        super().data_received(data)
        if self.parser is None or self.transport.is_closing():
            return
        if had_begun and self._in_head:
            self._of_head += len(data)
            if self._of_head > _MOST_OF_HEAD:
                self._refuse(_too_large())
        if self._in_head or not self._answers:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeouts and end all queued requests; uvicorn notifies only the last one."""
        self._stop_reading()
        self._stop_writing()
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    # --- Input ----------------------------------------------------------------------------------------------

    @property
    def _answers(self) -> bool:
        return any(not each.response_complete for each in self._unanswered)

    def on_message_begin(self) -> None:
        """Handle the beginning of a request's header."""
        self._in_head, self._of_head = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Handle a header line."""
        self._of_head += len(name) + len(value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Handle the end of the header, and start the application."""
        self._in_head = False
        self._stop_reading()
        if self._of_head + len(self.url) > _MOST_OF_HEAD:
            self._refusal = _too_large()
            raise self._refusal  # this stops the parser, which calls `send_400_response`
        super().on_headers_complete()
        self._unanswered = [*(each for each in self._unanswered if not each.response_complete), self.cycle]
        # The task that answers has not started yet, so the scope can still be changed.
        self.scope[WRITE] = functools.partial(_written, self.cycle)  # type: ignore[literal-required]

    def _wait_for_head(self) -> None:
        if self._reading is None:
            self._reading = self.loop.call_later(self.read_timeout, self._give_up_head)

    def _give_up_head(self) -> None:
        self._reading = None
        if self._answers:  # the header of the next request, while this one is answered
            self._wait_for_head()
        elif self._in_head:
            self._refuse(Refusal(f"the headers have not arrived in {self.read_timeout:g} seconds", status=408))
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP in the format of all errors."""
        if self.cycle is None or not self.cycle.more_body:
            self._refuse(self._refusal)
        elif self.cycle.response_started:  # the answer did not wait for this body
            self.transport.close()
        else:
            # The request ends here: its application is told that the client has gone, and sends nothing.
            self.cycle.response_complete = self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._refuse(Refusal("the body's chunks are not HTTP's"))

    def _refuse(self, refusal: Refusal) -> None:
        """Send an error and close the connection, unless an answer is being sent."""
        if self._answers:
            self.transport.abort()
            return
        body = to_json(refusal.body)
        self.transport.write(
            STATUS_LINE[refusal.status]
            + b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
            + body
        )
        self._wait_for_taking()
        self.transport.close()

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    # --- Output ---------------------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        """Start the write timeout, because the send buffer is full."""
        super().pause_writing()
        self._wait_for_taking()

    def resume_writing(self) -> None:
        """Stop the write timeout."""
        self._stop_writing()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """Start the write timeout for the rest of a complete response."""
        super().on_response_complete()
        self._wait_for_taking()

    def _wait_for_taking(self) -> None:
        if self._writing is None and (size := self.transport.get_write_buffer_size()):
            self._writing = self.loop.call_later(self.write_timeout, self._give_up_taking, size)

    def _give_up_taking(self, before: int) -> None:
        self._writing = None
        left = self.transport.get_write_buffer_size()
        if left > before - _LEAST_TAKEN and left:
            self.transport.abort()
        else:
            self._wait_for_taking()

    def _stop_writing(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None


def _written(cycle: RequestResponseCycle, body: bytes) -> bool:
    """Send a chunk of a chunked answer that has begun, as the cycle's `send` does; return False if it would block."""
    if cycle.flow.write_paused or cycle.disconnected or cycle.response_complete or not cycle.chunked_encoding:
        return False
    cycle.transport.write(b"%x\r\n%b\r\n" % (len(body), body))
    return True


def _too_large() -> Refusal:
    return Refusal(f"the headers have more than {_MOST_OF_HEAD} bytes", status=431)


def connections(options: ServeOptions) -> type[Connection]:
    """Return the class of connections for uvicorn."""
    limits = {"read_timeout": options.read_timeout, "write_timeout": options.write_timeout}
    return type("Connection", (Connection,), limits)

"""Server: runs the application over sockets, and lets requests finish when it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import EngineDeadError
from torchpaged.serving.app import Service
from torchpaged.serving.connections import connections
from torchpaged.serving.listening import address_of, listen
from torchpaged.serving.options import ServeOptions

__all__ = ["Server", "address_of", "listen"]

logger = logging.getLogger(__name__)

# Seconds beyond `shutdown_timeout` for answers to report that they were ended. An answer whose step does not end is
# cut off.
_GRACE = 5
# Seconds between two updates of the date header.
_TICK = 1.0


class Server(uvicorn.Server):
    """A server that runs until SIGTERM or Ctrl-C, and then gives requests time to finish. A second signal ends them.

    Args:
        llm: engine; it is not shut down.
        options: settings of the server, checked by `listen`.
        ready: called once the server answers clients and handles signals.
    """

    def __init__(self, llm: AsyncLLM, options: ServeOptions, ready: Callable[[], None] = lambda: None) -> None:
        self._ready, self._shutdown_timeout = ready, options.shutdown_timeout
        self._should_exit = False
        self._told: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None  # set when the server shall stop
        self.service = Service(llm, options)
        super().__init__(
            uvicorn.Config(
                self.service.app,
                http=connections(options),
                access_log=False,
                log_level="warning",
                server_header=False,
                ws="none",
                lifespan="off",
                timeout_graceful_shutdown=math.ceil(options.shutdown_timeout) + _GRACE,
                ssl_certfile=options.ssl_certfile,
                ssl_keyfile=options.ssl_keyfile,
            )
        )

    @property
    def should_exit(self) -> bool:
        """True if the server shall stop. May be set from any thread, and by a signal handler."""
        return self._should_exit

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        self._should_exit = value
        if value and self._told is not None:
            loop, told = self._told
            with contextlib.suppress(RuntimeError):  # the loop is closed, so the server has stopped
                loop.call_soon_threadsafe(told.set)

    async def main_loop(self) -> None:
        """Wait until the server shall stop, without uvicorn's ten wake-ups per second."""
        loop, told = self._told = asyncio.get_running_loop(), asyncio.Event()
        while not await self.on_tick(0):
            told.clear()
            look = loop.call_later(_TICK, told.set)
            await told.wait()
            look.cancel()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, and have the fingerprint computed, which answers wait for and /health does not."""
        await super().startup(sockets)
        self._ready()
        self._fingerprinting = asyncio.create_task(self._compute_fingerprint())

    async def _compute_fingerprint(self) -> None:
        with contextlib.suppress(EngineDeadError):  # requests get this error too
            await self.service.state.llm.system_fingerprint()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down as uvicorn does; unfinished requests get an error, and pending spans are sent."""
        self.service.state.traffic.draining = True
        end = asyncio.get_running_loop().call_later(self._shutdown_timeout, self.service.state.llm.abort_all)
        try:
            await super().shutdown(sockets)
        finally:
            end.cancel()
            self._fingerprinting.cancel()
            await asyncio.to_thread(self.service.close)
        if self.service.state.tracing is not None:
            await asyncio.to_thread(self.service.state.tracing.close)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture signals as uvicorn does, without raising a handled signal again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ending = [signal.SIGINT, signal.SIGTERM]
        if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup has it ignored
            ending.append(signal.SIGHUP)  # the terminal is closed
        before = {each: signal.signal(each, self.handle_exit) for each in ending}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at the first signal and let requests finish; at the second end them."""
        if self.should_exit:
            self.force_exit = True
        self.service.state.traffic.draining = self.should_exit = True

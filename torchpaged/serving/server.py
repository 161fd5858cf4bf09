"""Server: listens, runs the application, and lets requests end when it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import uvicorn

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.serving import tracing
from torchpaged.serving.app import Service
from torchpaged.serving.connections import connections
from torchpaged.serving.keys import Keys
from torchpaged.serving.options import ServeOptions

logger = logging.getLogger(__name__)

# Seconds beyond `shutdown_timeout` for answers to say that they have been ended. One that cannot, since the step that
# computes it does not end, is cut.
_GRACE = 5
# Seconds between two looks at what changes by itself: the date that answers bear.
_TICK = 1.0


def listen(options: ServeOptions) -> socket.socket:
    """A socket that listens: before a model is loaded, so that what cannot be had is told at once.

    Raises:
        ConfigError: keys or files that cannot be used, or an address that cannot be had.
    """
    Keys.of(options.api_key or (), options.api_key_file, options.admin_key)
    if options.otlp_traces_endpoint is not None:
        tracing.require(options.otlp_traces_endpoint)
    for name in ("ssl_certfile", "ssl_keyfile"):
        path = getattr(options, name)
        if path is not None and not Path(path).is_file():
            raise ConfigError(f"serve: {name} is {path!r}, which is no file")
    try:
        if options.uds is not None:
            return _listen_at_path(options.uds)
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen(2048)
        return listener
    except OSError as error:
        where = options.uds or f"{options.host}:{options.port}"
        raise ConfigError(f"serve: cannot listen at {where}: {error.strerror or error}") from None


def _listen_at_path(path: str) -> socket.socket:
    """Only its owner connects; what a server that has ended left there is taken away."""
    if Path(path).is_socket():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(path) == 0:
                raise OSError(0, "another server listens there")
        Path(path).unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    Path(path).chmod(0o600)
    listener.listen(2048)
    return listener


def address_of(listener: socket.socket, options: ServeOptions) -> str:
    """What a client is given as `base_url`."""
    if options.uds is not None:
        return f"unix:{options.uds}"
    host, port = listener.getsockname()[:2]
    kind = "http" if options.ssl_certfile is None else "https"
    return f"{kind}://{f'[{host}]' if ':' in host else host}:{port}{options.root_path}/v1"


class Server(uvicorn.Server):
    """Runs until SIGTERM or Ctrl-C: requests that run may end then, for a while. A second signal ends them.

    Args:
        llm: computes; it is not shut down.
        options: of the server, with which `listen` was content.
        ready: called once clients are answered, and signals obeyed.
    """

    def __init__(self, llm: AsyncLLM, options: ServeOptions, ready: Callable[[], None] = lambda: None) -> None:
        self._ready, self._shutdown_timeout = ready, options.shutdown_timeout
        self._should_exit = False
        self._told: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None  # that it shall end
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
        """Whether it has been told to end. It may be told from any thread, and by a signal."""
        return self._should_exit

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        self._should_exit = value
        if value and self._told is not None:
            loop, told = self._told
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended
                loop.call_soon_threadsafe(told.set)

    async def main_loop(self) -> None:
        """As uvicorn's, which wakes the loop ten times a second to see whether it shall end."""
        loop, told = self._told = asyncio.get_running_loop(), asyncio.Event()
        while not await self.on_tick(0):
            told.clear()
            look = loop.call_later(_TICK, told.set)
            await told.wait()
            look.cancel()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, once what all answers say is known."""
        await self.service.llm.system_fingerprint()
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, but that requests which have not ended in time are told so; and spans that wait are sent."""
        self.service.traffic.draining = True
        end = asyncio.get_running_loop().call_later(self._shutdown_timeout, self.service.llm.abort_all)
        try:
            await super().shutdown(sockets)
        finally:
            end.cancel()
        if self.service.tracing is not None:
            await asyncio.to_thread(self.service.tracing.close)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn's, but that a signal which has been obeyed is not raised again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal lets requests end, a second one does not."""
        if self.should_exit:
            self.force_exit = True
        self.service.traffic.draining = self.should_exit = True

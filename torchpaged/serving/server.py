"""Server: listens, runs the application, and lets requests finish when it is stopped."""

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

# Seconds beyond `shutdown_timeout` for answers to report that they were ended. An answer whose step does not end is
# cut off.
_GRACE = 5
# Seconds between two updates of the date header.
_TICK = 1.0


def listen(options: ServeOptions) -> socket.socket:
    """Return a listening socket. It is made before a model is loaded, so that errors show at once.

    Raises:
        ConfigError: keys or files are unusable, or the address is not available.
    """
    Keys.of(options.api_key or (), options.api_key_file, options.admin_key)
    if options.otlp_traces_endpoint is not None:
        tracing.require(options.otlp_traces_endpoint)
    for name in ("ssl_certfile", "ssl_keyfile"):
        path = getattr(options, name)
        if path is not None and not Path(path).is_file():
            raise ConfigError(f"serve: {name} is {path!r}, which is not a file")
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
    """Listen on a Unix socket that only its owner can connect to; a stale socket of an ended server is removed."""
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
    """Return the `base_url` for clients."""
    if options.uds is not None:
        return f"unix:{options.uds}"
    host, port = listener.getsockname()[:2]
    kind = "http" if options.ssl_certfile is None else "https"
    return f"{kind}://{f'[{host}]' if ':' in host else host}:{port}{options.root_path}/v1"


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
        """Start as uvicorn does, after setting the headers of all answers."""
        await self.service.llm.system_fingerprint()
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down as uvicorn does; unfinished requests get an error, and pending spans are sent."""
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
        """Capture signals as uvicorn does, without raising a handled signal again."""
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
        """Stop at the first signal and let requests finish; at the second end them."""
        if self.should_exit:
            self.force_exit = True
        self.service.traffic.draining = self.should_exit = True

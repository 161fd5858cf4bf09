"""LargeBodies: has large request bodies read by a process of its own, so that no stream waits for that.

Reading a body of 12 MB takes 20 ms or more, most of them for memory that is touched for the first time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import mmap
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torchpaged.serving.body_process import MESSAGE, Limits
from torchpaged.serving.refusals import Refusal
from torchpaged.structured.trial_process import NICENESS

logger = logging.getLogger(__name__)

# Bytes from which on a body is large; smaller ones are read in about a millisecond.
LARGE = 1 << 19
# Bodies that are read at once: one that takes seconds delays the others less. One of 16 MB can take 800 MB of memory.
_AT_ONCE = 3
# In an ASGI scope: the `LargeBody` of a request that has one.
LARGE_BODY = "torchpaged.large_body"


class LargeBody:
    """A request's body, in memory that another process can read.

    Args:
        bodies: read it.
    """

    def __init__(self, bodies: LargeBodies) -> None:
        self._bodies = bodies
        self._file = os.fdopen(os.memfd_create("torchpaged-body"), "wb", buffering=0)

    def write(self, piece: bytes) -> None:
        """Append a piece."""
        self._file.write(piece)

    async def read(self, model: type | None) -> Any:
        """Return its value; see `LargeBodies.read`."""
        return await self._bodies.read(self._file.fileno(), model)

    def close(self) -> None:
        """Free it, unless it is being read; then it is freed after that."""
        self._file.close()


class LargeBodies:
    """Starts the process with the first body at the latest, and again if it has died. It reads several at once.

    Args:
        limits: what it refuses bodies by.

    Attributes:
        seconds: after so many a body that is not read is refused, and the process that reads it is killed: it may be
            stopped, or the body made to take long.
    """

    # On other systems bodies of any size are read in the server's process.
    is_available = hasattr(os, "memfd_create")

    def __init__(self, limits: Limits) -> None:
        self._limits, self.seconds = limits, limits.options.read_timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: socket.socket | None = None
        self._lock = threading.Lock()  # for both
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="torchpaged-large-bodies")  # wait for it

    def prepare(self) -> None:
        """Start the process now, so that the first body does not wait for that."""
        self._threads.submit(self._running)

    async def read(self, file: int, model: type | None) -> Any:
        """Return the value of a body.

        Args:
            file: descriptor of a file with the body, which is overwritten.
            model: pydantic's model of its fields; None: the value is what JSON says.

        Raises:
            ValueError: it is no JSON.
            Refusal: a field is refused, or the process has died or taken too long.
        """
        own = os.dup(file)  # the request may end while the thread reads
        future = self._threads.submit(self._read, own, model)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.cancel():
                os.close(own)
            raise

    def _read(self, file: int, model: type | None) -> Any:
        seconds, headers = self.seconds, {"Retry-After": "1"}
        end = time.monotonic() + seconds
        process = reader = None
        try:
            process, messages = self._running()
            answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with answers:
                with theirs:
                    messages.settimeout(seconds)
                    socket.send_fds(messages, [pickle.dumps(model)], [file, theirs.fileno()])
                reader = _received(answers, end)
                error: Exception | None = _received(answers, end)
            if error is None:
                with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as value:
                    return pickle.loads(value)
        except TimeoutError:
            if reader is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(reader, signal.SIGKILL)
            elif process is not None:
                self._end(process)
            logger.warning("a process that reads a large body was ended: it took %g seconds", seconds)
            said = f"the body was not read in {seconds:g} seconds"
            raise Refusal(said, status=503, headers=headers) from None
        except (OSError, EOFError):
            if process is not None and reader is None:
                self._end(process)
            logger.warning("a process that reads large bodies has died; the next body starts another")
            raise Refusal("the body could not be read; try again", status=503, headers=headers) from None
        finally:
            os.close(file)
        raise error

    def _running(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        """Return the process and its socket. It is started if it has not been, or has died between two bodies."""
        with self._lock:
            if self._process is not None and self._messages is not None and self._process.poll() is None:
                return self._process, self._messages
            self._kill()
            messages, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                process = subprocess.Popen(
                    [sys.executable, "-m", "torchpaged.serving.body_process"],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                    start_new_session=True,  # it is killed with its forks
                )
            self._process, self._messages = process, messages
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)  # its imports too wait for streams
            with tempfile.TemporaryFile() as limits:
                pickle.dump(self._limits, limits)
                limits.flush()
                socket.send_fds(messages, [b"limits"], [limits.fileno()])
            return process, messages

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process, unless another one has taken its place."""
        with self._lock:
            if process is self._process:
                self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if self._messages is not None:
            self._messages.close()
            self._messages = None
        if process is not None:
            _kill_all(process)
            process.wait()

    def close(self) -> None:
        """End the process, also while it reads bodies."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if (process := self._process) is not None:
            _kill_all(process)  # it may be stopped; the threads wait for it
        self._threads.shutdown()
        self._kill()

    def __del__(self) -> None:
        if hasattr(self, "_messages"):
            with contextlib.suppress(Exception):  # the interpreter may be ending
                self._kill()


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its forks, which are all of its session."""
    if process.poll() is None:  # else its id may be another's
        os.killpg(process.pid, signal.SIGKILL)


def _received(answers: socket.socket, end: float) -> Any:
    """Receive one answer. EOFError: there will be none; TimeoutError: it is late."""
    answers.settimeout(max(end - time.monotonic(), 1e-3))
    if not (answer := answers.recv(MESSAGE)):
        raise EOFError
    return pickle.loads(answer)

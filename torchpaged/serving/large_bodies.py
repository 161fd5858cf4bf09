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
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torchpaged.serving.body_process import MESSAGE, Limits
from torchpaged.serving.refusals import Refusal
from torchpaged.structured.trial_process import NICENESS

logger = logging.getLogger(__name__)

# Bytes from which on a body is large; smaller ones are read in about a millisecond.
LARGE = 1 << 19
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
    """Starts the process with the first body at the latest, and again if it has died. It reads one after the other.

    Args:
        limits: what it refuses bodies by.

    Attributes:
        seconds: after so many a body that is not read is refused, and the process ended: it may be stopped, or the
            body made to take long.
    """

    # On other systems bodies of any size are read in the server's process.
    is_available = hasattr(os, "memfd_create")

    def __init__(self, limits: Limits) -> None:
        self._limits, self.seconds = limits, limits.options.read_timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: socket.socket | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="torchpaged-large-bodies")  # waits for the process

    def prepare(self) -> None:
        """Start the process now, so that the first body does not wait for that."""
        self._thread.submit(self._start)

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
        future = self._thread.submit(self._read, own, model)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.cancel():
                os.close(own)
            raise

    def _read(self, file: int, model: type | None) -> Any:
        headers = {"Retry-After": "1"}
        try:
            if self._process is not None and self._process.poll() is not None:  # it has died between two bodies
                self._end()
            messages = self._messages or self._start()
            messages.settimeout(self.seconds)
            socket.send_fds(messages, [pickle.dumps(model)], [file])
            answer = messages.recv(MESSAGE)
            if not answer:
                raise EOFError
            error: Exception | None = pickle.loads(answer)
            if error is None:
                with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as value:
                    return pickle.loads(value)
        except TimeoutError:
            self._end()
            logger.warning("the process that reads large bodies was ended: one took %g seconds", self.seconds)
            said = f"the body was not read in {self.seconds:g} seconds"
            raise Refusal(said, status=503, headers=headers) from None
        except (OSError, EOFError):
            self._end()
            logger.warning("the process that reads large bodies has died; the next body starts another")
            raise Refusal("the body could not be read; try again", status=503, headers=headers) from None
        finally:
            os.close(file)
        raise error

    def _start(self) -> socket.socket:
        messages, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "torchpaged.serving.body_process"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
        os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)  # its imports too wait for streams
        self._messages = messages
        with tempfile.TemporaryFile() as limits:
            pickle.dump(self._limits, limits)
            limits.flush()
            socket.send_fds(messages, [b"limits"], [limits.fileno()])
        return messages

    def _end(self) -> None:
        """End the process. Called in the thread, or after it has ended."""
        process, self._process = self._process, None
        if self._messages is not None:
            self._messages.close()
            self._messages = None
        if process is not None:
            process.kill()
            process.wait()

    def close(self) -> None:
        """End the process, also while it reads a body."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if (process := self._process) is not None:
            process.kill()  # it may be stopped; the thread waits for it
        self._thread.shutdown()
        self._end()

    def __del__(self) -> None:
        if hasattr(self, "_messages"):
            with contextlib.suppress(Exception):  # the interpreter may be ending
                self._end()

"""An engine in a process of its own, so that its steps never wait for another thread's Python code.

Messages and events go through a pipe. The process ends with its parent, however that ends.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import queue
import sys
import threading
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any

import torch

from torchpaged.async_engine.client import EngineClient
from torchpaged.async_engine.core import (
    Add,
    Answered,
    Call,
    EngineCore,
    EngineHealth,
    Event,
    Message,
    Refused,
    ServedModel,
    Stop,
    build,
)
from torchpaged.async_engine.engine_process import SWITCH_INTERVAL, EngineArguments, EngineProcess
from torchpaged.errors import ConfigError, EngineError
from torchpaged.outputs import FlatLogprobs, Logprob, Logprobs, RequestOutput
from torchpaged.utils import child_processes, heap, startup

logger = logging.getLogger(__name__)


# Most restarts in a row, and seconds after which a death counts as the first one again.
_MOST_RESTARTS, _LASTING = 2, 300.0


@dataclass(frozen=True, slots=True)
class _Tokenizer:
    """The first message of the process, so that its parent unpickles the tokenizer while the engine is made."""

    tokenizer: Any


@dataclass(frozen=True, slots=True)
class _Ready:
    """The second message of the process. `served` is without the tokenizer."""

    served: ServedModel
    stages: list[startup.Stage]


@dataclass(frozen=True, slots=True)
class _Ended:
    """The last message of the process."""

    error: str | None


class _SharedHealth(EngineHealth):
    """Health in memory that both processes share; `time.monotonic()` is the same clock in both."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    @property
    def stepping_since(self) -> float | None:
        since: float = self._memory[0]
        return since or None

    @stepping_since.setter
    def stepping_since(self, since: float | None) -> None:
        self._memory[0] = since or 0.0  # the memory holds numbers only: 0 stands for None

    @property
    def num_failures(self) -> int:
        return int(self._memory[1])

    @num_failures.setter
    def num_failures(self, count: int) -> None:
        self._memory[1] = count

    @property
    def num_begun_tokens(self) -> int:
        return int(self._memory[2])

    @num_begun_tokens.setter
    def num_begun_tokens(self, count: int) -> None:
        self._memory[2] = count


class _Process:
    """The parent's side of the process.

    Args:
        client: gets the events.
        started: the process.
        restart: start another process when it dies.
        num_restarts: number of processes in a row that have died before this one.
    """

    def __init__(self, client: EngineClient, started: EngineProcess, restart: bool, num_restarts: int = 0) -> None:
        self.health: EngineHealth = _SharedHealth(started.memory)
        self._client, self._arguments = client, started.arguments
        self._restart, self._num_restarts = restart, num_restarts
        self._next: _Process | None = None  # the process that replaces this one
        self._lock = threading.Lock()  # guards the next two: after `Stop` nothing is started or connected
        self._is_told_to_stop = self._is_connected = False
        self._settled = threading.Event()  # cleared while another process is being started
        self._settled.set()
        self._pipe, self._process = started.pipe, started.process
        self._to_send: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._prompts = _Prompts()

    def begin(self) -> ServedModel:
        """Wait until the model is loaded.

        Raises:
            ModelError, ConfigError: as `LLM`.
            EngineError: the process has ended.
        """
        tokenizer = None
        try:
            first = self._pipe.recv()
            if isinstance(first, _Tokenizer):
                tokenizer, first = first.tokenizer, self._pipe.recv()
        except EOFError:
            self._process.join()
            raise EngineError(
                f"AsyncLLM: the engine's process has ended with status {self._process.exitcode} before it was ready; "
                "a script that starts one needs `if __name__ == '__main__':`"
            ) from None
        if isinstance(first, Exception):
            self._process.join()
            raise first
        self._ready_since = time.monotonic()
        for target, name in ((self._send, "torchpaged-send"), (self._receive, "torchpaged-receive")):
            threading.Thread(target=target, name=name, daemon=True).start()
        assert isinstance(first, _Ready)
        startup.add(first.stages, "engine")
        return replace(first.served, tokenizer=tokenizer)

    def submit(self, message: Message) -> None:
        """`Transport.submit`."""
        self._to_send.put(message)
        if isinstance(message, Stop):
            with self._lock:
                self._is_told_to_stop = True
                following, is_connected = self._next, self._is_connected
            if following is not None:
                following.submit(message)
                if not is_connected:
                    following._process.kill()  # it has no requests yet, and may still be loading

    def join(self, timeout: float | None) -> None:
        """`Transport.join`; a process that has not ended in time is killed."""
        child_processes.end(self._process, timeout)  # `_receive` joins it too
        self._settled.wait(timeout)
        if self._next is not None:
            self._next.join(timeout)

    def _send(self) -> None:
        while True:
            message = self._to_send.get()
            try:
                data = pickle.dumps(message, protocol=5)
            except Exception as error:
                reason = ConfigError(f"what was given cannot be sent to the engine's process: {error}")
                if isinstance(message, Add):
                    self._client.deliver([Refused(message.request_id, reason)])
                elif isinstance(message, Call):
                    self._client.deliver([Answered(message.number, error=reason)])
                continue
            try:
                self._pipe.send_bytes(data)
            except OSError:
                return  # it has ended, which `_receive` notices
            if isinstance(message, Stop):
                return

    def _receive(self) -> None:
        while True:
            try:
                events = pickle.loads(self._pipe.recv_bytes())
            except (EOFError, OSError):
                self._process.join()
                events = _Ended(f"its process has ended with status {self._process.exitcode}")
            if isinstance(events, _Ended):
                self._to_send.put(Stop())  # ends the sending thread
                if events.error is None:
                    self._client.end(None)
                else:
                    self._die(events.error)
                return
            self._client.deliver([self._prompts.filled(each) for each in events])

    def _die(self, reason: str) -> None:
        """Start another process, unless the limit is reached; otherwise the engine has ended."""
        number = 1 if time.monotonic() - self._ready_since > _LASTING else self._num_restarts + 1
        with self._lock:
            wanted = self._restart and self._client.may_restart and not self._is_told_to_stop
            if wanted and number <= _MOST_RESTARTS:
                self._settled.clear()
        if self._settled.is_set():
            self._client.end(EngineError(reason))
            return
        logger.error("the engine has died: %s; another one is started (%d of %d)", reason, number, _MOST_RESTARTS)
        self._client.interrupt(reason)
        try:
            self._start_next(number)
        except Exception as error:
            if not self._is_told_to_stop:
                logger.critical("no other engine could be started", exc_info=error)
            self._client.end(None if self._is_told_to_stop else error)
        else:
            logger.warning("the engine runs again")
        finally:
            self._settled.set()

    def _start_next(self, number: int) -> None:
        """Start another process, and send everything to it from now on.

        Raises:
            ModelError, ConfigError, EngineError: as `begin`; or this one is told to stop meanwhile.
        """
        following = _Process(self._client, EngineProcess(self._arguments), self._restart, number)
        with self._lock:
            self._next = following
            if self._is_told_to_stop:
                following._process.kill()
        following.begin()
        with self._lock:
            if self._is_told_to_stop:
                following.submit(Stop())
                raise EngineError("the engine is told to stop")
            self._is_connected = True
            self._client.connect(following)


def in_process(started: EngineProcess, *, restart: bool = False) -> tuple[EngineClient, ServedModel]:
    """Return a client of an engine that runs in a process of its own, and the engine's description.

    Args:
        started: the process.
        restart: start another process when it dies, at most `_MOST_RESTARTS` times in a row. Unfinished requests end
            with an error, and pinned prefixes are lost.

    Raises:
        ModelError, ConfigError: as `LLM`.
    """
    client = EngineClient()
    process = _Process(client, started, restart)
    client.connect(process)
    return client, process.begin()


# --- The engine's process -----------------------------------------------------------------------------------


def serve(pipe: Connection, memory: Any) -> None:
    """Run the engine's process."""
    sys.setswitchinterval(SWITCH_INTERVAL)  # messages are read in a thread, and grammars compiled
    # The parent lets requests end, and this process after them. If it dies, its end of the pipe is closed.
    child_processes.ignore_signals()
    with startup.stage("arguments"):
        try:
            arguments: EngineArguments = pipe.recv()
        except EOFError:  # the parent has gone
            return
        except Exception as error:
            pipe.send(EngineError(f"AsyncLLM: the settings could not be read in the engine's process: {error}"))
            return
    if arguments.num_threads is not None:
        torch.set_num_threads(arguments.num_threads)
    try:
        settings = arguments.settings() if callable(arguments.settings) else arguments.settings
        engine, served = build(
            arguments.model, arguments.tokenizer, settings, lambda tokenizer: pipe.send(_Tokenizer(tokenizer))
        )
    except Exception as error:
        pipe.send(_sendable(error))
        return
    pipe.send(_Ready(replace(served, tokenizer=None), startup.stages()))
    heap.freeze()

    prompts = _Prompts()

    def deliver(events: list[Event]) -> None:
        try:
            pipe.send_bytes(_written([prompts.without(each) for each in events]))
        except OSError:  # the parent has gone
            core.submit(Stop())

    core = EngineCore(engine, deliver, _SharedHealth(memory))
    threading.Thread(target=_listen, args=(pipe, core), daemon=True).start()
    ended = _Ended(None)
    try:
        core.run()
    except BaseException as error:
        logger.critical("the engine has died", exc_info=error)
        ended = _Ended(f"{type(error).__name__}: {error}")
    with contextlib.suppress(OSError):
        pipe.send(ended)
    from torchpaged.engine import prepared  # imported in this process by `build`

    prepared.finish()  # multiprocessing ends its processes without the interpreter's callbacks


def _listen(pipe: Connection, core: EngineCore) -> None:
    while True:
        try:
            message = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):  # the parent has gone
            core.submit(Stop())
            return
        core.submit(message)


class _Prompts:
    """Removes prompts and their logprobs from outputs of which the other side has had one, and puts them back there.

    Each side has one of these, for the unfinished requests that have had an output. So a prompt is sent once, however
    long it is and however many outputs follow.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[str | None, list[int]]] = {}
        # Prompt logprobs that every output repeats: the values at the receiving side, their number at the sending one.
        self._logprobs: dict[str, Logprobs] = {}
        self._num_logprobs: dict[str, int] = {}

    def without(self, event: Event) -> Event:
        """Remove a known prompt, before sending; empty logprobs stand for known ones."""
        if isinstance(event, RequestOutput):
            if event.request_id in self._known:
                event.prompt, event.prompt_token_ids = None, []
            else:
                self._known[event.request_id] = None, []
            if (logprobs := event.prompt_logprobs) is not None:
                is_known = self._num_logprobs.get(event.request_id) == len(logprobs)
                event.prompt_logprobs = [] if is_known else _packed(logprobs)
                self._num_logprobs[event.request_id] = len(logprobs)
            self._note(event)
        return event

    def filled(self, event: Event) -> Event:
        """Put the prompt back, after receiving.

        Its tokens are one list for all outputs, which `RequestStream` copies.
        """
        if isinstance(event, RequestOutput):
            if (known := self._known.get(event.request_id)) is None:
                self._known[event.request_id] = event.prompt, event.prompt_token_ids
            else:
                event.prompt, event.prompt_token_ids = known
            if (logprobs := event.prompt_logprobs) is not None:
                if len(logprobs):
                    self._logprobs[event.request_id] = _unpacked(logprobs)
                event.prompt_logprobs = self._logprobs[event.request_id]
            self._note(event)
        return event

    def _note(self, event: RequestOutput) -> None:
        if event.finished:
            del self._known[event.request_id]
            self._logprobs.pop(event.request_id, None)
            self._num_logprobs.pop(event.request_id, None)


def _packed(logprobs: Logprobs) -> Any:
    """Return logprobs in columns, which are pickled in a third of the time: no step runs meanwhile."""
    if isinstance(logprobs, FlatLogprobs):
        return logprobs
    columns = ("logprob", "rank", "decoded_token")
    return [
        row and (list(row), *([getattr(each, name) for each in row.values()] for name in columns)) for row in logprobs
    ]


def _unpacked(packed: Any) -> Logprobs:
    if isinstance(packed, FlatLogprobs):
        return packed
    return [row and dict(zip(row[0], map(Logprob, *row[1:]), strict=True)) for row in packed]


def _written(events: list[Event]) -> bytes:
    return pickle.dumps([each if isinstance(each, RequestOutput) else _checked(each) for each in events], protocol=5)


def _checked(event: Refused | Answered) -> Refused | Answered:
    """Return the event if it can be unpickled at the other side; otherwise one with the reason."""
    if event.error is not None:
        return replace(event, error=_sendable(event.error))
    try:
        pickle.loads(pickle.dumps(event, protocol=5))
        return event
    except Exception as error:
        assert isinstance(event, Answered)
        reason = f"call: what it returned cannot be sent from the engine's process: {error}"
        return Answered(event.number, error=EngineError(reason))


def _sendable(error: Exception) -> Exception:
    """Return the error, or one with its text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error, protocol=5))
        return error
    except Exception:
        return EngineError(f"{type(error).__name__}: {error}")

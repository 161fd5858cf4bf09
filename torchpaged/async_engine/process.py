"""An engine in a process of its own: nobody's Python takes the lock that its steps need.

Messages and events go through a pipe that is nobody else's. The process ends with its parent, whatever that dies of.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import pickle
import queue
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from torchpaged.async_engine.client import EngineClient
from torchpaged.async_engine.core import Add, Answered, Call, EngineHealth, EngineLoop, Event, Message, Refused, Stop
from torchpaged.async_engine.model_info import ServedModel, build
from torchpaged.errors import ConfigError, EngineError
from torchpaged.outputs import Logprobs, RequestOutput

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Ended:
    """The last thing that the process says."""

    error: str | None


class _SharedPulse(EngineHealth):
    """In memory that both processes see; seconds of `time.monotonic()` mean the same in both."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    @property
    def stepping_since(self) -> float | None:
        since: float = self._memory[0]
        return since or None

    @stepping_since.setter
    def stepping_since(self, since: float | None) -> None:
        self._memory[0] = since or 0.0

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
    """The parent's end."""

    def __init__(self, client: EngineClient, model: str, tokenizer: Any, settings: Mapping[str, Any]) -> None:
        context = multiprocessing.get_context("spawn")
        memory = context.RawArray("d", 3)
        self.pulse: EngineHealth = _SharedPulse(memory)
        self._client = client
        self._pipe, theirs = context.Pipe()
        arguments = (theirs, memory, model, tokenizer, dict(settings), torch.get_num_threads())
        self._process = context.Process(target=_serve, args=arguments, name="torchpaged-engine", daemon=True)
        try:
            self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ConfigError(f"AsyncLLM: a setting cannot be sent to the engine's process: {error}") from None
        theirs.close()
        self._outbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._prompts = _Prompts()

    def begin(self) -> ServedModel:
        """Waits until the model is loaded.

        Raises:
            ModelError, ConfigError: as `LLM`.
            EngineError: the process has ended.
        """
        try:
            first = self._pipe.recv()
        except EOFError:
            self._process.join()
            raise EngineError(
                f"AsyncLLM: the engine's process has ended with status {self._process.exitcode} before it was ready; "
                "a script that starts one needs `if __name__ == '__main__':`"
            ) from None
        if isinstance(first, Exception):
            self._process.join()
            raise first
        for target, name in ((self._send, "torchpaged-outbox"), (self._receive, "torchpaged-inbox")):
            threading.Thread(target=target, name=name, daemon=True).start()
        assert isinstance(first, ServedModel)
        return first

    def submit(self, message: Message) -> None:
        """`Transport.submit`."""
        self._outbox.put(message)

    def join(self, timeout: float | None) -> None:
        """`Transport.join`; a process that has not ended in time is ended."""
        self._process.join(timeout)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _send(self) -> None:
        while True:
            message = self._outbox.get()
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
                return  # it has ended, and whoever receives knows
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
                self._client.end(None if events.error is None else EngineError(events.error))
                self._outbox.put(Stop())  # for the other thread
                return
            self._client.deliver([self._prompts.filled(each) for each in events])


def in_process(model: str | Path, tokenizer: Any, settings: Mapping[str, Any]) -> tuple[EngineClient, ServedModel]:
    """A client of an engine that runs in a process of its own, and what it says of itself.

    Raises:
        ModelError, ConfigError: as `LLM`, or a model that is an instance.
    """
    if not isinstance(model, (str, Path)):
        raise ConfigError("AsyncLLM: engine_process is True, and the model is an instance; give a folder or a hub id")
    client = EngineClient()
    process = _Process(client, str(model), tokenizer, settings)
    client.connect(process)
    return client, process.begin()


# --- The engine's process -----------------------------------------------------------------------------------


def _serve(
    pipe: Connection, memory: Any, model: str, tokenizer: Any, settings: Mapping[str, Any], num_threads: int
) -> None:
    """What the process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, who ends this process in his own time
    torch.set_num_threads(num_threads)
    try:
        engine, served = build(model, tokenizer, settings)
    except Exception as error:
        pipe.send(_sendable(error))
        return
    pipe.send(served)

    prompts = _Prompts()

    def deliver(events: list[Event]) -> None:
        try:
            pipe.send_bytes(_written([prompts.without(each) for each in events]))
        except OSError:  # the parent has gone
            loop.submit(Stop())

    loop = EngineLoop(engine, deliver, _SharedPulse(memory))
    threading.Thread(target=_listen, args=(pipe, loop), daemon=True).start()
    ended = _Ended(None)
    try:
        loop.run()
    except BaseException as error:
        logger.critical("the engine has died", exc_info=error)
        ended = _Ended(f"{type(error).__name__}: {error}")
    with contextlib.suppress(OSError):
        pipe.send(ended)


def _listen(pipe: Connection, loop: EngineLoop) -> None:
    while True:
        try:
            message = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):  # the parent has gone
            loop.submit(Stop())
            return
        loop.submit(message)


class _Prompts:
    """Each goes through the pipe once, with its logprobs, whatever its length and however many tokens follow it.

    One of these is at either end, and knows the prompts of unfinished requests of which something was shown.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[str | None, list[int]]] = {}
        # Of a prompt whose logprobs stand in every output, at the end that receives; at the other, how many they are.
        self._logprobs: dict[str, Logprobs] = {}
        self._num_logprobs: dict[str, int] = {}

    def without(self, event: Event) -> Event:
        """For the pipe: what the other end knows of the prompt is left out; no logprobs stand for those it knows."""
        if isinstance(event, RequestOutput):
            if event.request_id in self._known:
                event.prompt, event.prompt_token_ids = None, []
            else:
                self._known[event.request_id] = None, []
            if (logprobs := event.prompt_logprobs) is not None:
                if self._num_logprobs.get(event.request_id) == len(logprobs):
                    event.prompt_logprobs = []
                self._num_logprobs[event.request_id] = len(logprobs)
            self._note(event)
        return event

    def filled(self, event: Event) -> Event:
        """From the pipe: with the prompt, whose tokens are one list for all outputs: `RequestStream` copies it."""
        if isinstance(event, RequestOutput):
            if (known := self._known.get(event.request_id)) is None:
                self._known[event.request_id] = event.prompt, event.prompt_token_ids
            else:
                event.prompt, event.prompt_token_ids = known
            if (logprobs := event.prompt_logprobs) is not None:
                if len(logprobs):
                    self._logprobs[event.request_id] = logprobs
                event.prompt_logprobs = self._logprobs[event.request_id]
            self._note(event)
        return event

    def _note(self, event: RequestOutput) -> None:
        if event.finished:
            del self._known[event.request_id]
            self._logprobs.pop(event.request_id, None)
            self._num_logprobs.pop(event.request_id, None)


def _written(events: list[Event]) -> bytes:
    return pickle.dumps([each if isinstance(each, RequestOutput) else _checked(each) for each in events], protocol=5)


def _checked(event: Refused | Answered) -> Refused | Answered:
    """The event, if it can be read at the other end; else one that says why it cannot."""
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
    """The error itself, or what it says."""
    try:
        pickle.loads(pickle.dumps(error, protocol=5))
        return error
    except Exception:
        return EngineError(f"{type(error).__name__}: {error}")

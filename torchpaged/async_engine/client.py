"""EngineClient: the other end of an `EngineLoop`. Knows who waits for which request, and whether the engine lives."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

import torch

from torchpaged.async_engine.core import (
    Abort,
    Add,
    Answered,
    Call,
    EngineHealth,
    EngineLoop,
    Event,
    Message,
    Refused,
    Stop,
    tokens_of,
)
from torchpaged.async_engine.output_queue import OutputQueue, OutputQueues, QueueItem
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import EngineDeadError, EngineRestartingError

logger = logging.getLogger(__name__)

# Steps that have failed, one after the other, before nobody should send more requests: each is tried twice.
_MOST_FAILURES = 4


class Transport(Protocol):
    """How messages come to an engine, and what can be seen of it meanwhile.

    Attributes:
        pulse: of the engine.
    """

    pulse: EngineHealth

    def submit(self, message: Message) -> None:
        """Sends one, from any thread."""
        ...

    def join(self, timeout: float | None) -> None:
        """Waits for its end."""
        ...


class EngineClient:
    """Sends requests to an engine, and what comes back to the tasks that wait for it.

    Attributes:
        has_died: whether that was nobody's wish.
        may_restart: whether another engine would give the same answers.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        # The engine, and why it has ended. They change together: a message goes to an engine that lives, or is undone.
        self._state: tuple[Transport, EngineDeadError | None]
        self.has_died, self.may_restart = False, True
        self._counter = itertools.count()
        self._boxes: dict[str, OutputQueue] = {}  # by the engine's name for a request
        self._calls: dict[int, Future[Any]] = {}
        self._rooms: dict[asyncio.AbstractEventLoop, OutputQueues] = {}
        self._num_tokens = 0  # of prompts that were sent

    def connect(self, transport: Transport) -> None:
        """Send what is asked for from now on to this engine: before anything is sent, and after `interrupt`."""
        self._num_tokens = 0
        self._state = transport, None

    @property
    def _transport(self) -> Transport:
        return self._state[0]

    @property
    def dead(self) -> EngineDeadError | None:
        """What everybody is told once the engine has ended; None while it lives. To a forked process it is dead."""
        if os.getpid() == self._pid:
            return self._state[1]
        return EngineDeadError(
            f"this process was forked from the one that has the engine ({self._pid}), and "
            "threads do not come along; make an AsyncLLM in each process that needs one"
        )

    def _tell(self, message: Message) -> None:
        """The engine, unless it is another process's."""
        if os.getpid() == self._pid:
            self._transport.submit(message)

    # --- What tasks ask for ---------------------------------------------------------------------------------

    def new_name(self) -> str:
        """What the engine will call a request: never what a user has said."""
        return str(next(self._counter))

    def add(self, name: str, prompt: Any, params: Any, options: Mapping[str, Any], *, deltas: bool) -> OutputQueue:
        """Sends a request; what comes of it comes to the box, an error too.

        Raises:
            EngineDeadError: the engine has ended.
        """
        box = self._boxes[name] = OutputQueue(self._room(), deltas=deltas)
        self._num_tokens += tokens_of(prompt)
        self._ask(Add(name, prompt, params, options), lambda: self._boxes.pop(name, None))
        return box

    @property
    def num_queued_tokens(self) -> int:
        """Of prompts that were sent and wait for their first step."""
        return max(0, self._num_tokens - self._transport.pulse.num_begun_tokens)

    def abort(self, names: Sequence[str]) -> None:
        """Ends requests, whose boxes get a last output."""
        self._tell(Abort(names))

    def leave(self, name: str, *, finished: bool) -> None:
        """Nobody waits for a request any more. For any thread, and for finalizers."""
        if self._boxes.pop(name, None) is not None and not finished:
            self._tell(Abort([name]))

    def call(self, method: str | Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Future[Any]:
        """What a method of the engine, or a function of it, will return.

        Raises:
            EngineDeadError: the engine has ended.
        """
        number, asked = next(self._counter), Future[Any]()
        self._calls[number] = asked
        self._ask(Call(number, method, args, kwargs), lambda: self._calls.pop(number, None))
        return asked

    def _ask(self, message: Message, undo: Callable[[], object]) -> None:
        """Send what is answered. Raises EngineDeadError for what the engine gets too late, and undoes it."""
        state = self._state
        if self.dead is None:
            state[0].submit(message)
        # Who ends an engine, or starts another, looks for those that wait once it has said so.
        if (dead := self.dead) is not None or self._state is not state:
            undo()
            raise dead or _restarting("another engine has been started")

    def _room(self) -> OutputQueues:
        loop = asyncio.get_running_loop()
        if (room := self._rooms.get(loop)) is None:
            for closed in [other for other in self._rooms if other.is_closed()]:
                del self._rooms[closed]
            room = self._rooms[loop] = OutputQueues(loop)
        return room

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
        """Ends the engine, behind what was sent before."""
        self._tell(Stop())
        if wait and os.getpid() == self._pid:
            self._transport.join(timeout)

    def complaint(self, step_timeout: float) -> str | None:
        """Why the engine is not healthy; None: it is."""
        if self.dead is not None:
            return str(self.dead)
        since, failures = self._transport.pulse.stepping_since, self._transport.pulse.num_failures
        if since is not None and (seconds := time.monotonic() - since) > step_timeout:
            return f"a step has not ended for {seconds:.0f} seconds, expected {step_timeout:g} at most"
        return f"the last {failures} steps have failed" if failures >= _MOST_FAILURES else None

    # --- What the engine sends ------------------------------------------------------------------------------

    def deliver(self, events: Sequence[Event]) -> None:
        """What came of a step."""
        letters: list[tuple[OutputQueue, QueueItem]] = []
        for event in events:
            if isinstance(event, Answered):
                if (asked := self._calls.pop(event.number, None)) is not None:
                    _settle(asked, event.value, event.error)
            elif (box := self._boxes.get(event.request_id)) is not None:
                letters.append((box, event.error if isinstance(event, Refused) else event))
        self._put(letters)

    def end(self, error: BaseException | None) -> None:
        """The engine has ended: by an error, or because it was told to. Whoever waits is told."""
        self.has_died = error is not None
        reason = "it has been shut down" if error is None else f"it has died: {type(error).__name__}: {error}"
        dead = EngineDeadError(f"the engine has ended, {reason}; make another")
        dead.__cause__ = error
        self._fail(dead)

    def interrupt(self, reason: str) -> None:
        """The engine has ended, and another one is being started: until `connect`, everything asked for is refused."""
        self._fail(_restarting(reason))

    def _fail(self, dead: EngineDeadError) -> None:
        """Tell all that wait."""
        self._state = self._transport, dead
        self._put([(box, dead) for box in list(self._boxes.values())])
        while self._calls:
            _settle(self._calls.popitem()[1], None, dead)

    def _put(self, letters: Iterable[tuple[OutputQueue, QueueItem]]) -> None:
        """To the loops that they are for; the requests of those that were closed end."""
        by_room: dict[OutputQueues, list[tuple[OutputQueue, QueueItem]]] = {}
        for box, letter in letters:
            by_room.setdefault(box.room, []).append((box, letter))
        for room, every in by_room.items():
            if not room.put(every):
                for name in [name for name, box in list(self._boxes.items()) if box.room is room]:
                    self.leave(name, finished=False)


class _Thread:
    """A loop in a thread of its own."""

    def __init__(self, engine: LLMEngine, client: EngineClient) -> None:
        self.pulse = EngineHealth()
        self._loop = EngineLoop(engine, client.deliver, self.pulse)
        # The thread knows the client and not who holds it, who may be let go without a word.
        self._thread = threading.Thread(
            target=_run, args=(self._loop, client, torch.get_num_threads()), name="torchpaged-engine", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def submit(self, message: Message) -> None:
        self._loop.submit(message)

    def join(self, timeout: float | None) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)


def in_thread(engine: LLMEngine) -> EngineClient:
    """A client of an engine that runs in a thread of its own from now on."""
    client = EngineClient()
    thread = _Thread(engine, client)
    client.connect(thread)
    thread.start()
    return client


def _run(loop: EngineLoop, client: EngineClient, num_threads: int) -> None:
    torch.set_num_threads(num_threads)  # OpenMP counts them for each thread that has a team
    try:
        loop.run()
    except BaseException as error:
        logger.critical("the engine has died", exc_info=error)
        client.end(error)
    else:
        client.end(None)


def _restarting(reason: str) -> EngineRestartingError:
    return EngineRestartingError(f"the engine has ended, {reason}; another one is being started, try again")


def _settle(asked: Future[Any], value: Any, error: Exception | None) -> None:
    """Gives an answer to who waits, unless he has gone."""
    if asked.set_running_or_notify_cancel():
        if error is None:
            asked.set_result(value)
        else:
            asked.set_exception(error)

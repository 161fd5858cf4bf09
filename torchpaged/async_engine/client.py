"""EngineClient: sends requests to an `EngineCore`, and its outputs to the tasks that wait for them, through
OutputQueues.

The engine's thread fills the queues, tasks of event loops empty them. A queue holds at most one output, into which
newer ones are merged: a slow reader costs no more memory than its text, and a blocked event loop no more than one
wake-up.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

import torch

from torchpaged.async_engine.core import (
    Abort,
    Add,
    Answered,
    Call,
    EngineCore,
    EngineHealth,
    Event,
    Message,
    Refused,
    Stop,
    tokens_of,
)
from torchpaged.errors import EngineDeadError, EngineRestartingError
from torchpaged.outputs import CompletionOutput, RequestOutput

if TYPE_CHECKING:
    from torchpaged.engine.llm_engine import LLMEngine

logger = logging.getLogger(__name__)

# Consecutive failed steps after which the engine counts as unhealthy; each step is tried twice.
_MOST_FAILURES = 4
QueueItem = RequestOutput | Exception
# Takes an output in the event loop and returns True, or returns False.
OutputCallback = Callable[[RequestOutput], bool]


class Transport(Protocol):
    """Carries messages to an engine, and shows its state.

    Attributes:
        health: of the engine.
    """

    health: EngineHealth

    def submit(self, message: Message) -> None:
        """Send a message, from any thread."""
        ...

    def join(self, timeout: float | None) -> None:
        """Wait for the engine's end."""
        ...


class EngineClient:
    """Sends requests to an engine, and its outputs to the tasks that wait for them.

    Attributes:
        has_died: True if the engine has ended by an error.
        may_restart: True if another engine would give the same answers.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        # The engine, and the reason of its end. Both change together, so that `_submit` sees either engine or its end.
        self._state: tuple[Transport, EngineDeadError | None]
        self.has_died, self.may_restart = False, True
        self._counter = itertools.count()
        self._queues: dict[str, OutputQueue] = {}  # by the engine's id of the request
        self._calls: dict[int, Future[Any]] = {}
        self._queues_of_loop: dict[asyncio.AbstractEventLoop, OutputQueues] = {}
        self._num_tokens = 0  # of all prompts that were sent

    def connect(self, transport: Transport) -> None:
        """Send everything from now on to this engine: called before anything is sent, and after `interrupt`."""
        self._num_tokens = 0
        self._state = transport, None

    @property
    def _transport(self) -> Transport:
        return self._state[0]

    @property
    def dead(self) -> EngineDeadError | None:
        """The error of all calls once the engine has ended; None while it runs. In a forked process it has ended."""
        if os.getpid() == self._pid:
            return self._state[1]
        return EngineDeadError(
            f"this process was forked from the one that has the engine ({self._pid}), and "
            "threads do not come along; make an AsyncLLM in each process that needs one"
        )

    def _send(self, message: Message) -> None:
        """Send a message without an answer, unless the engine is another process's."""
        if os.getpid() == self._pid:
            self._transport.submit(message)

    # --- From tasks to the engine ----------------------------------------------------------------------------

    def new_name(self) -> str:
        """Return an id by which the engine will know a request; it has nothing to do with the user's id."""
        return str(next(self._counter))

    def add(self, name: str, prompt: Any, params: Any, options: Mapping[str, Any], *, deltas: bool) -> OutputQueue:
        """Send a request, and return the queue for its outputs and errors.

        Raises:
            EngineDeadError: the engine has ended.
        """
        output_queue = self._queues[name] = OutputQueue(self._loop_queues(), deltas=deltas)
        self._num_tokens += tokens_of(prompt)
        self._submit(Add(name, prompt, params, options), lambda: self._queues.pop(name, None))
        return output_queue

    @property
    def num_queued_tokens(self) -> int:
        """Number of tokens of prompts that were sent and wait for their first step."""
        return max(0, self._num_tokens - self._transport.health.num_begun_tokens)

    def abort(self, names: Sequence[str]) -> None:
        """End requests; their queues get a last output."""
        self._send(Abort(names))

    def leave(self, names: Sequence[str], *, finished: bool) -> None:
        """Drop requests that are not read any more. Thread-safe; finalizers may call it."""
        known = [name for name in names if self._queues.pop(name, None) is not None]
        if known and not finished:
            self._send(Abort(known))

    def call(self, method: str | Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Future[Any]:
        """Have a method of the engine, or a function of it, called; return the future of its result.

        Raises:
            EngineDeadError: the engine has ended.
        """
        number, future = next(self._counter), Future[Any]()
        self._calls[number] = future
        self._submit(Call(number, method, args, kwargs), lambda: self._calls.pop(number, None))
        return future

    def _submit(self, message: Message, undo: Callable[[], object]) -> None:
        """Send a message that has an answer. If the engine may have got it too late, undo it and raise
        EngineDeadError.
        """
        state = self._state
        if self.dead is None:
            state[0].submit(message)
        # The end of an engine fails all waiting queues and calls after it has changed the state, so one that was added
        # before either sees the change here or is failed there.
        if (dead := self.dead) is not None or self._state is not state:
            undo()
            raise dead or _restarting("another engine has been started")

    def _loop_queues(self) -> OutputQueues:
        """Return the queues of the running event loop."""
        loop = asyncio.get_running_loop()
        if (owner := self._queues_of_loop.get(loop)) is None:
            for closed in [other for other in self._queues_of_loop if other.is_closed()]:
                del self._queues_of_loop[closed]
            owner = self._queues_of_loop[loop] = OutputQueues(loop)
        return owner

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
        """End the engine after everything that was sent before."""
        self._send(Stop())
        if wait and os.getpid() == self._pid:
            self._transport.join(timeout)

    def unhealthy_reason(self, step_timeout: float) -> str | None:
        """Return the reason why the engine is not healthy; None if it is."""
        if self.dead is not None:
            return str(self.dead)
        since, failures = self._transport.health.stepping_since, self._transport.health.num_failures
        if since is not None and (seconds := time.monotonic() - since) > step_timeout:
            return f"a step has not ended for {seconds:.0f} seconds, expected {step_timeout:g} at most"
        return f"the last {failures} steps have failed" if failures >= _MOST_FAILURES else None

    # --- From the engine to tasks ----------------------------------------------------------------------------

    def deliver(self, events: Sequence[Event]) -> None:
        """Pass a step's events on."""
        items: list[tuple[OutputQueue, QueueItem]] = []
        for event in events:
            if isinstance(event, Answered):
                if (future := self._calls.pop(event.number, None)) is not None:
                    _settle(future, event.value, event.error)
            elif (output_queue := self._queues.get(event.request_id)) is not None:
                items.append((output_queue, event.error if isinstance(event, Refused) else event))
        self._put(items)

    def end(self, error: BaseException | None) -> None:
        """Note that the engine has ended, by an error or by `stop`; everything that waits gets an error."""
        self.has_died = error is not None
        reason = "it has been shut down" if error is None else f"it has died: {type(error).__name__}: {error}"
        dead = EngineDeadError(f"the engine has ended, {reason}; make another")
        dead.__cause__ = error
        self._fail(dead)

    def interrupt(self, reason: str) -> None:
        """Note that the engine has ended and another one is being started; until `connect`, everything is refused."""
        self._fail(_restarting(reason))

    def _fail(self, dead: EngineDeadError) -> None:
        """Fail everything that waits."""
        self._state = self._transport, dead
        self._put([(output_queue, dead) for output_queue in list(self._queues.values())])
        while self._calls:
            _settle(self._calls.popitem()[1], None, dead)

    def _put(self, items: Iterable[tuple[OutputQueue, QueueItem]]) -> None:
        """Put items into queues; requests of closed event loops are dropped."""
        by_loop: dict[OutputQueues, list[tuple[OutputQueue, QueueItem]]] = {}
        for output_queue, item in items:
            by_loop.setdefault(output_queue.owner, []).append((output_queue, item))
        for owner, every in by_loop.items():
            if not owner.put(every):
                unread = [name for name, output_queue in list(self._queues.items()) if output_queue.owner is owner]
                self.leave(unread, finished=False)


class _Thread:
    """An engine core in a thread of its own."""

    def __init__(self, engine: LLMEngine, client: EngineClient) -> None:
        self.health = EngineHealth()
        self._core = EngineCore(engine, client.deliver, self.health)
        # The thread refers to the client, not to the AsyncLLM, which may be garbage collected while it runs.
        self._thread = threading.Thread(
            target=_run, args=(self._core, client, torch.get_num_threads()), name="torchpaged-engine", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def submit(self, message: Message) -> None:
        self._core.submit(message)

    def join(self, timeout: float | None) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)


def in_thread(engine: LLMEngine) -> EngineClient:
    """Return a client of an engine, which runs in a thread of its own from now on."""
    client = EngineClient()
    thread = _Thread(engine, client)
    client.connect(thread)
    thread.start()
    return client


def _run(core: EngineCore, client: EngineClient, num_threads: int) -> None:
    torch.set_num_threads(num_threads)  # OpenMP has a number of its own for each thread that starts a team
    try:
        core.run()
    except BaseException as error:
        logger.critical("the engine has died", exc_info=error)
        client.end(error)
    else:
        client.end(None)


def _restarting(reason: str) -> EngineRestartingError:
    return EngineRestartingError(f"the engine has ended, {reason}; another one is being started, try again")


def _settle(future: Future[Any], value: Any, error: Exception | None) -> None:
    """Set the result of a future, unless it was cancelled."""
    if future.set_running_or_notify_cancel():
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)


class OutputQueues:
    """The output queues of one event loop.

    Args:
        loop: the event loop whose tasks read them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.lock = threading.Lock()
        self._filled: list[OutputQueue] = []
        self._wakes = False  # True while a wake-up of the loop is scheduled

    def put(self, items: Iterable[tuple[OutputQueue, QueueItem]]) -> bool:
        """Fill queues and wake the loop once; thread-safe. Returns False if the loop is closed."""
        with self.lock:
            for output_queue, item in items:
                output_queue.fill(item)
                self._filled.append(output_queue)
            if self._wakes:
                return True
            self._wakes = True
        try:
            self.loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return False
        return True

    def _wake(self) -> None:
        with self.lock:
            filled, self._filled = self._filled, []
            self._wakes = False
        for output_queue in filled:
            output_queue.wake()


class OutputQueue:
    """The outputs of one request that were not taken yet.

    Args:
        owner: the queues of its event loop.
        deltas: if an output has only what is new since the last one.

    Attributes:
        callback: is offered each output while a task waits; if it takes the output, the task is not woken, because a
            task switch costs several times what most outputs need.
    """

    __slots__ = ("_deltas", "_error", "_output", "_waiter", "callback", "owner")

    def __init__(self, owner: OutputQueues, *, deltas: bool) -> None:
        self.owner, self._deltas = owner, deltas
        self._output: RequestOutput | None = None
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self.callback: OutputCallback | None = None

    def fill(self, item: QueueItem) -> None:
        """Add an item. The caller holds the lock of `owner`."""
        if isinstance(item, Exception):
            self._error = item
        elif self._output is None or not self._deltas:
            self._output = item
        else:
            merge(self._output, item)

    def wake(self) -> None:
        """Wake the waiting task, in the loop. If the callback raises, the task gets the error and no later output."""
        if self._waiter is None or self._waiter.done():
            return
        try:
            if self.callback is not None and self._is_taken(self.callback):
                return
        except Exception as error:
            self._waiter.set_exception(error)
        else:
            self._waiter.set_result(None)

    def _is_taken(self, callback: OutputCallback) -> bool:
        """Return True if the callback leaves nothing for the task."""
        with self.owner.lock:
            output, self._output = self._output, None
            if output is None:
                return self._error is None
        if callback(output):
            return True
        with self.owner.lock:
            newer, self._output = self._output, output
            if newer is not None:
                self.fill(newer)
        return False

    @property
    def error(self) -> Exception | None:
        """The error that ends the request, if it has come."""
        return self._error

    def attach(self, waiter: asyncio.Future[None], callback: OutputCallback) -> None:
        """Let a task wait that waits for other queues too: the callback gets each output, and an error wakes the task.

        Args:
            waiter: what the task awaits.
        """
        self._waiter, self.callback = waiter, callback
        with self.owner.lock:
            is_filled = self._output is not None or self._error is not None
        if is_filled:
            self.wake()

    async def take(self) -> RequestOutput:
        """Wait for an output and return it. Only one task at a time may wait.

        Raises:
            Exception: an error that was put there.
        """
        while True:
            with self.owner.lock:
                output, self._output = self._output, None
                error = self._error
            if output is not None:
                return output
            if error is not None:
                raise error
            self._waiter = self.owner.loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None


def merge(output: RequestOutput, delta: RequestOutput) -> None:
    """Add newer deltas to an output that was not read yet."""
    known = {completion.index: completion for completion in output.outputs}
    for new in delta.outputs:
        if (old := known.get(new.index)) is None:
            output.outputs.append(new)
        else:
            _extend(old, new)
    output.outputs.sort(key=lambda completion: completion.index)
    output.finished, output.metrics = delta.finished, delta.metrics
    output.num_cached_tokens = delta.num_cached_tokens
    if delta.prompt_logprobs is not None:  # only the first output has them
        output.prompt_logprobs = delta.prompt_logprobs


def _extend(old: CompletionOutput, new: CompletionOutput) -> None:
    old.text += new.text
    old.token_ids += new.token_ids
    if old.logprobs is not None and new.logprobs is not None:
        old.logprobs.extend(new.logprobs)
    old.cumulative_logprob, old.score = new.cumulative_logprob, new.score
    old.finish_reason, old.stop_reason, old.error = new.finish_reason, new.stop_reason, new.error
    old.weight_versions = new.weight_versions

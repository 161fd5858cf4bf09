"""Mailboxes: what came of requests and was not taken yet. An engine's thread fills them, event loops' tasks empty them.

A box holds one output at most: what comes on top of it is merged with it, so that a slow reader costs no more memory
than its text, and a blocked event loop no more than one wake-up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable

from torchpaged.outputs import CompletionOutput, RequestOutput

QueueItem = RequestOutput | Exception
# Takes an output at once, in the loop, or says that it does not.
OutputCallback = Callable[[RequestOutput], bool]


class OutputQueues:
    """The boxes of one event loop.

    Args:
        loop: whose tasks take.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.lock = threading.Lock()
        self._filled: list[OutputQueue] = []
        self._wakes = False  # whether the loop has been told, and has not looked yet

    def put(self, letters: Iterable[tuple[OutputQueue, QueueItem]]) -> bool:
        """For any thread: fills boxes and wakes the loop once. False: the loop is closed, nobody will take them."""
        with self.lock:
            for box, letter in letters:
                box.fill(letter)
                self._filled.append(box)
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
        for box in filled:
            box.wake()


class OutputQueue:
    """Of one request.

    Args:
        room: that it is in.
        deltas: whether an output has what came since the last one alone.

    Attributes:
        taker: is offered what comes while a task waits for it, who sleeps on if it is taken. A task's turn costs
            several times what most outputs need.
    """

    __slots__ = ("_deltas", "_error", "_output", "_waiter", "callback", "room")

    def __init__(self, room: OutputQueues, *, deltas: bool) -> None:
        self.room, self._deltas = room, deltas
        self._output: RequestOutput | None = None
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self.callback: OutputCallback | None = None

    def fill(self, letter: QueueItem) -> None:
        """Takes what came. Whoever calls it holds the room's lock."""
        if isinstance(letter, Exception):
            self._error = letter
        elif self._output is None or not self._deltas:
            self._output = letter
        else:
            merge(self._output, letter)

    def wake(self) -> None:
        """Tells who waits, in the loop. What the taker raises is raised there, and nothing comes behind the gap."""
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
        """Whether nothing is left for the task."""
        with self.room.lock:
            output, self._output = self._output, None
            if output is None:
                return self._error is None
        if callback(output):
            return True
        with self.room.lock:
            newer, self._output = self._output, output
            if newer is not None:
                self.fill(newer)
        return False

    async def take(self) -> RequestOutput:
        """What there is, as soon as there is something. One task at a time waits for it.

        Raises:
            Exception: what was put there instead.
        """
        while True:
            with self.room.lock:
                output, self._output = self._output, None
                error = self._error
            if output is not None:
                return output
            if error is not None:
                raise error
            self._waiter = self.room.loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None


def merge(output: RequestOutput, delta: RequestOutput) -> None:
    """Adds what came since to an output that nobody has seen yet."""
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

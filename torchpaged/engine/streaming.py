"""Streams: requests whose outputs are taken one by one, while other calls of the same engine may come between."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import EngineError
from torchpaged.outputs import RequestOutput


class StreamRouter:
    """Steps an engine and routes its outputs to the streams of their requests.

    Args:
        engine: the engine.
        turn: a reentrant lock that a thread holds while it calls the engine.
        after_step: called after each step.
    """

    def __init__(self, engine: LLMEngine, turn: Any, after_step: Callable[[], None] = lambda: None) -> None:
        self._engine, self.turn, self._after_step = engine, turn, after_step
        self._queues: dict[str, deque[RequestOutput]] = {}  # by request
        self._left: list[str] = []  # requests to abort
        self.paused_by: int | None = None  # the thread that has paused; None: no pause
        self._resumed = threading.Condition(turn)

    def step(self) -> list[RequestOutput]:
        """Run one step; return the outputs of requests that are not streamed. The caller holds `turn`."""
        self.abort_left()
        others: list[RequestOutput] = []
        shown = self._engine.step()
        self._after_step()
        for output in shown:
            queue = self._queues.get(output.request_id)
            (others if queue is None else queue).append(output)
        return others

    def require_running(self, what: str) -> None:
        """Wait until no pause is on. The caller holds `turn`, which is free meanwhile.

        Raises:
            EngineError: the calling thread has paused.
        """
        while self.paused_by is not None:
            if self.paused_by == threading.get_ident():
                raise EngineError(f"{what}: this thread has paused the engine; call resume_generation first")
            self._resumed.wait()

    def pause(self, mode: str) -> None:
        """Hold requests back; `mode` is one of `PAUSE_MODES`. The caller holds `turn`."""
        if mode == "wait":
            self.finish()
        self.paused_by = threading.get_ident()
        for request_id in self._engine.unfinished_requests() if mode == "abort" else ():
            if (last := self._engine.abort(request_id)) is not None and request_id in self._queues:
                self._queues[request_id].append(last)

    def finish(self) -> None:
        """Run all streams to their end; they give the outputs later. The caller holds `turn`."""
        while not self.is_idle:
            self.step()

    def resume(self) -> None:
        """End a pause. The caller holds `turn`."""
        self.paused_by = None
        self._resumed.notify_all()

    def connect(self, ids: Sequence[str], queue: deque[RequestOutput]) -> None:
        """Route the outputs of these requests to a queue from now on."""
        self._queues.update(dict.fromkeys(ids, queue))

    def knows(self, request_id: str) -> bool:
        """Return True if a request is or was streamed."""
        return request_id in self._queues

    def leave(self, ids: Sequence[str]) -> None:
        """Have requests aborted: now, or before the next step if another thread holds `turn`.

        A stream may be dropped anywhere, even by the garbage collector within a step.
        """
        self._left.extend(ids)
        if self.turn.acquire(blocking=False):
            try:
                if not self._engine.is_busy:
                    self.abort_left()
            finally:
                self.turn.release()

    def abort_left(self) -> None:
        """Abort the requests that were left. The caller holds `turn`."""
        if self._engine.is_shut_down:
            self._left.clear()
        while self._left:
            request_id = self._left[-1]
            self._engine.abort_request(request_id)
            self._queues.pop(request_id, None)
            self._left.remove(request_id)

    @property
    def is_idle(self) -> bool:
        """True if the engine has nothing to do."""
        return not self._engine.has_unfinished_requests


class Stream:
    """An iterator over the outputs of some requests as they come. Leaving it early aborts the unfinished ones.

    Each output's `request_id` is its prompt's index: "0", "1", ... `close`, the end of a `with`, and dropping the last
    reference all abort the requests.

    Args:
        router: steps the engine and sends the outputs.
        ids: of the requests in the engine.
    """

    def __init__(self, router: StreamRouter, ids: Sequence[str]) -> None:
        self._queue: deque[RequestOutput] = deque()
        self._unfinished: dict[str, None] = {}
        self._places = {request_id: str(place) for place, request_id in enumerate(ids)}
        self._router = router
        router.connect(ids, self._queue)
        self._unfinished.update(dict.fromkeys(ids))

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> RequestOutput:
        """Step until there is an output.

        Raises:
            EngineError: the engine was shut down, or has lost the requests.
            Exception: an error of a step; the requests have been aborted.
        """
        try:
            with self._router.turn:
                while self._unfinished and not self._queue:
                    self._router.require_running("stream")
                    if self._queue:
                        break
                    if self._router.is_idle:
                        raise EngineError(
                            f"stream: requests {sorted(self._unfinished)[:8]} were ended by another caller"
                        )
                    self._router.step()
            if not self._queue:
                raise StopIteration
            output = self._queue.popleft()
            if output.finished:
                self._router.leave([output.request_id])
                self._unfinished.pop(output.request_id, None)
            output.request_id = self._places[output.request_id]
            return output
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Abort the unfinished requests; outputs that were not taken are dropped."""
        if self._unfinished:
            self._router.leave(list(self._unfinished))
            self._unfinished.clear()  # after `leave`: an interrupt in between would leave them running
        self._queue.clear()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_router"):  # an interrupt may have come before it was set
            self.close()

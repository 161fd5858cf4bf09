"""Streams: requests whose outputs are taken one by one, while other calls of the same engine may come between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import EngineError
from torchpaged.outputs import RequestOutput


class StreamRouter:
    """Steps an engine and sends what it shows to the streams whose requests it is of.

    Args:
        engine: what steps.
        turn: a lock that a thread may take again: held by whoever calls the engine.
        after_step: called when a step has ended.
    """

    def __init__(self, engine: LLMEngine, turn: Any, after_step: Callable[[], None] = lambda: None) -> None:
        self._engine, self.turn, self._after_step = engine, turn, after_step
        self._queues: dict[str, deque[RequestOutput]] = {}  # by request
        self._left: list[str] = []  # requests that nobody waits for any more

    def step(self) -> list[RequestOutput]:
        """A step of the engine; what it shows of requests that are not streamed. The caller has the turn."""
        self.abort_left()
        others: list[RequestOutput] = []
        shown = self._engine.step()
        self._after_step()
        for output in shown:
            queue = self._queues.get(output.request_id)
            (others if queue is None else queue).append(output)
        return others

    def connect(self, ids: Sequence[str], queue: deque[RequestOutput]) -> None:
        """From now on what is shown of these requests comes here."""
        self._queues.update(dict.fromkeys(ids, queue))

    def knows(self, request_id: str) -> bool:
        """Whether a request is streamed, or was."""
        return request_id in self._queues

    def leave(self, ids: Sequence[str]) -> None:
        """Has requests aborted: now, or where somebody else has his turn, before the next step.

        A stream may be let go anywhere, also where the collector finds it within a step.
        """
        self._left.extend(ids)
        if self.turn.acquire(blocking=False):
            try:
                if not self._engine.is_busy:
                    self.abort_left()
            finally:
                self.turn.release()

    def abort_left(self) -> None:
        """Aborts the requests that were left. The caller has the turn."""
        if self._engine.is_shut_down:
            self._left.clear()
        while self._left:
            request_id = self._left[-1]
            self._engine.abort_request(request_id)
            self._queues.pop(request_id, None)
            self._left.remove(request_id)

    @property
    def is_idle(self) -> bool:
        """Whether the engine has nothing to do."""
        return not self._engine.has_unfinished_requests


class Stream:
    """An iterator over the outputs of some requests as they come. Whoever leaves it early ends what is unfinished.

    Each output's `request_id` is its prompt's place among the prompts: "0", "1", ... `close`, the end of a `with`, and
    the last reference to it going away all abort the requests.

    Args:
        router: steps, and sends the outputs.
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
        """Steps until there is something to show.

        Raises:
            EngineError: the engine has been shut down, or has lost the requests.
            Exception: what a step raised; the requests have been aborted.
        """
        try:
            with self._router.turn:
                while self._unfinished and not self._queue:
                    if self._router.is_idle:
                        raise EngineError(
                            f"stream: requests {sorted(self._unfinished)[:8]} were ended by somebody else"
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
        """Aborts what is unfinished; what came and was not taken is gone."""
        if self._unfinished:
            self._router.leave(list(self._unfinished))
            self._unfinished.clear()  # not before: an interrupt in between would leave them to nobody
        self._queue.clear()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_router"):  # an interrupt may have come before that
            self.close()

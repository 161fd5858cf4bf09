"""EngineLoop: runs an engine for others, who speak to it by messages. It takes them between two steps, and only then.

What goes in and what comes out are values, so that those who ask may be in another thread, or another process.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import queue
import time
from collections.abc import Callable, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import ConfigError, EngineDeadError
from torchpaged.outputs import RequestOutput

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Add:
    """A request, as `LLMEngine.add_request` takes it."""

    request_id: str
    prompt: Any
    params: Any
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Abort:
    """Ends requests; what there is of each comes as its last output."""

    request_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class Call:
    """A method of the engine, or a function of it, to be called between two steps. The answer bears the number."""

    number: int
    method: str | Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stop:
    """The last message: all requests end, and the engine is shut down."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that could not be added."""

    request_id: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Answered:
    """What a called method has returned, or raised."""

    number: int
    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A request whose grammar was compiled, or could not be."""

    add: Add


Message = Add | Abort | Call | Stop | _Prepared
Event = RequestOutput | Refused | Answered
# What steps are made of is nobody else's.
_OWN = ("step", "add_request", "prepare", "abort", "abort_request", "shutdown")
# What becomes of requests that are under way when generation is paused.
PAUSE_MODES = ("abort", "wait", "keep")


class EngineHealth:
    """How an engine is, for whoever looks on.

    Attributes:
        stepping_since: when the step began that is running, by `time.monotonic()`; None between steps.
        num_failures: steps that have raised, since one has not.
        num_begun_tokens: of all prompts that have come, those that do not wait for their first step: they are computed,
            or have ended.
    """

    stepping_since: float | None = None
    num_failures: int = 0
    num_begun_tokens: int = 0


def tokens_of(prompt: Any) -> int:
    """How many a prompt has, where it is tokens. What is no prompt at all is refused by who reads it."""
    tokens = prompt.get("prompt_token_ids") if isinstance(prompt, Mapping) else prompt
    return len(tokens) if isinstance(tokens, Sized) and not isinstance(tokens, str) else 0


class EngineLoop:
    """Steps an engine while it has requests, and waits for messages while it has none.

    A step that raises is tried once more. If it raises again, the requests that take part in it end with
    finish_reason "error", and the others go on.

    Args:
        engine: nobody else calls it from now on.
        deliver: takes what came of a step, all of it together; called in the loop's thread.
        pulse: is kept up to date.
    """

    def __init__(self, engine: LLMEngine, deliver: Callable[[list[Event]], None], pulse: EngineHealth) -> None:
        self._engine, self._deliver, self._pulse = engine, deliver, pulse
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._events: list[Event] = []
        self._preparing: dict[str, bool] = {}  # requests whose grammars are compiled; whether they were aborted
        self._compiling = ThreadPoolExecutor(1, thread_name_prefix="torchpaged-grammars")
        self._num_tokens = 0  # of prompts that have come
        self._paused: str | None = None  # the mode; None: requests are added, and steps go on
        self._held: list[Add] = []  # requests that have come since
        self._draining: Call | None = None  # the pause that waits for requests under way

    def submit(self, message: Message) -> None:
        """For any thread, and from within a finalizer too. It never waits."""
        self._inbox.put(message)

    def run(self) -> None:
        """Returns after `Stop`. What it raises is no request's fault: the engine cannot be relied on any more."""
        while self._read_inbox():
            if self._has_work:
                self._step()
            if self._draining is not None and not self._engine.has_unfinished_requests:
                self._events.append(self._settle(self._draining))
            held = sum(tokens_of(each.prompt) for each in self._held)
            self._pulse.num_begun_tokens = self._num_tokens - self._engine.num_waiting_tokens - held
            self._hand_on()
        self._compiling.shutdown(wait=False, cancel_futures=True)
        self._events += self._ended(self._engine.unfinished_requests(), None)
        ended = EngineDeadError("the engine has been shut down")
        self._events += [Refused(each, ended) for each in self._preparing.keys() | {a.request_id for a in self._held}]
        self._hand_on()
        self._engine.shutdown()

    def _hand_on(self) -> None:
        if self._events:
            events, self._events = self._events, []
            self._deliver(events)

    @property
    def _has_work(self) -> bool:
        return bool(self._engine.has_unfinished_requests) and self._paused != "keep"

    def _read_inbox(self) -> bool:
        """Does what was asked for; waits if there is nothing else to do. False at the end."""
        waits = not (self._has_work or self._events)
        while True:
            try:
                message = self._inbox.get(block=waits)
            except queue.Empty:
                return True
            waits = False
            if isinstance(message, Add):
                self._add(message)
            elif isinstance(message, _Prepared):
                self._add_prepared(message.add)
            elif isinstance(message, Abort):
                self._preparing.update((each, True) for each in message.request_ids if each in self._preparing)
                self._events += self._ended(message.request_ids, None)
                self._end_held(message.request_ids)
            elif isinstance(message, Call):
                if (answer := self._answer(message)) is not None:
                    self._events.append(answer)
            else:
                return False

    def _add(self, message: Add) -> None:
        """A request, once its grammar has been compiled: no step waits for that."""
        self._num_tokens += tokens_of(message.prompt)
        if self._engine.is_prepared(message.params):
            self._add_prepared(message)
        else:
            self._preparing[message.request_id] = False
            self._compiling.submit(self._prepare, message)

    def _prepare(self, message: Add) -> None:
        """In another thread."""
        with contextlib.suppress(Exception):  # who adds it is told again
            self._engine.prepare(message.params)
        self.submit(_Prepared(message))

    def _add_prepared(self, message: Add) -> None:
        if self._paused is None:
            self._admit(message)
        else:
            self._held.append(message)

    def _end_held(self, request_ids: Sequence[str]) -> None:
        ended = [each for each in self._held if each.request_id in request_ids]
        self._held = [each for each in self._held if each.request_id not in request_ids]
        for each in ended:
            self._preparing[each.request_id] = True
            self._admit(each)

    def _admit(self, message: Add) -> None:
        was_aborted = self._preparing.pop(message.request_id, False)
        try:
            self._engine.add_request(message.request_id, message.prompt, message.params, **message.options)
        except Exception as error:  # the tokenizer's, a logits processor's: whatever it is, one request is refused
            self._events.append(Refused(message.request_id, error))
        else:
            if was_aborted:
                self._events += self._ended([message.request_id], None)

    def _pause(self, message: Call) -> Answered | None:
        """Holds new requests back. The answer comes when those under way have ended, or are kept."""
        self._paused = mode = message.kwargs["mode"]
        if mode == "abort":
            self._events += self._ended(self._engine.unfinished_requests(), None)
        if mode == "wait" and self._engine.has_unfinished_requests:
            self._draining = message
            return None
        return self._settle(message)

    def _settle(self, message: Call) -> Answered:
        self._draining = None
        if message.kwargs["clear_cache"]:  # of requests that are kept too: they are computed again
            self._engine.reset_prefix_cache(reset_running_requests=True)
        return Answered(message.number)

    def _resume(self, message: Call) -> Answered:
        self._paused, held = None, self._held
        self._held = []
        if self._draining is not None:
            self._events.append(Answered(self._draining.number))
            self._draining = None
        for each in held:
            self._admit(each)
        return Answered(message.number)

    def _answer(self, message: Call) -> Answered | None:
        """None: it comes later."""
        method: Any = None
        if message.method == "pause_generation":
            return self._pause(message)
        if message.method == "resume_generation":
            return self._resume(message)
        if message.method == "is_paused":
            return Answered(message.number, self._paused is not None)
        if callable(message.method):
            method = functools.partial(message.method, self._engine)
        elif message.method not in _OWN and not message.method.startswith("_"):
            method = getattr(self._engine, message.method, None)
        try:
            if not callable(method):
                raise ConfigError(f"call: the engine has no method {message.method!r:.80} to be called")
            return Answered(message.number, method(*message.args, **message.kwargs))
        except Exception as error:
            return Answered(message.number, error=error)

    def _step(self) -> None:
        self._pulse.stepping_since = time.monotonic()
        try:
            self._events += self._engine.step()
            self._pulse.num_failures = 0
        except Exception as error:
            self._pulse.num_failures += 1
            if self._pulse.num_failures % 2:
                logger.warning("a step has failed and is tried once more", exc_info=error)
            else:
                self._give_up(error)
        finally:
            self._pulse.stepping_since = None

    def _give_up(self, error: Exception) -> None:
        """Ends the requests of a step that has failed twice. Nobody knows which of them it was."""
        engine = self._engine
        failed = engine.requests_in(engine.last_step) or engine.unfinished_requests()
        logger.error("a step has failed twice: its %d requests end", len(failed), exc_info=error)
        self._events += self._ended(failed, f"its step has failed twice: {type(error).__name__}: {error}")

    def _ended(self, request_ids: Sequence[str], error: str | None) -> list[RequestOutput]:
        """The last outputs of requests that end now."""
        outputs = [self._engine.abort(request_id, error) for request_id in list(request_ids)]
        return [output for output in outputs if output is not None]

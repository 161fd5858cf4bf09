"""EngineCore: runs an engine whose users are in other threads or processes. It takes their messages between two steps.

Messages and events are values, so they can be sent to another process. `ServedModel` describes the engine there.
"""

from __future__ import annotations

import functools
import logging
import queue
import time
from collections.abc import Callable, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, EngineDeadError, EngineError, ModelError
from torchpaged.models.model import MediaProcessor, ModelSpec, media_processor_of
from torchpaged.outputs import RequestOutput
from torchpaged.requests.chat import load_template
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils import startup

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from torchpaged.engine.llm_engine import LLMEngine

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Add:
    """A request, with the arguments of `LLMEngine.add_request`."""

    request_id: str
    prompt: Any
    params: Any
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Abort:
    """Ends requests; each gets a last output."""

    request_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class Call:
    """A method of the engine, or a function of it, to be called between two steps. The answer has the same number."""

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
    """The result of a call, or its error."""

    number: int
    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A request whose grammar and adapter are there, or could not be made.

    Args:
        error: of its adapter, if that could not be loaded.
    """

    add: Add
    error: ModelError | None = None


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The answer to a call that has loaded an adapter."""

    answer: Answered


Message = Add | Abort | Call | Stop | _Prepared | _Loaded
Event = RequestOutput | Refused | Answered
# Methods that only the core itself may call.
_OWN = ("step", "add_request", "prepare", "abort", "abort_request", "shutdown")


class EngineHealth:
    """State of an engine, for observers.

    Attributes:
        stepping_since: start of the running step, by `time.monotonic()`; None between steps.
        num_failures: number of consecutive steps that have raised.
        num_begun_tokens: number of tokens of all prompts that do not wait for their first step: those that have had it,
            or have ended.
    """

    stepping_since: float | None = None
    num_failures: int = 0
    num_begun_tokens: int = 0


def tokens_of(prompt: Any) -> int:
    """Return the number of a prompt's tokens; 0 if it is a text, or not a prompt, which is refused later."""
    tokens = prompt.get("prompt_token_ids") if isinstance(prompt, Mapping) else prompt
    return len(tokens) if isinstance(tokens, Sized) and not isinstance(tokens, str) else 0


class EngineCore:
    """Steps an engine while it has requests, and waits for messages while it has none.

    A step that raises is tried once more. If it raises again, the requests that take part in it end with finish_reason
    "error", and the others go on. An EngineDeadError, as of ranks of which one has failed, ends the core.

    Args:
        engine: the engine; only this core calls it from now on.
        deliver: takes all events of a step together; called in the core's thread.
        health: is kept up to date.
    """

    def __init__(self, engine: LLMEngine, deliver: Callable[[list[Event]], None], health: EngineHealth) -> None:
        self._engine, self._deliver, self._health = engine, deliver, health
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._events: list[Event] = []
        # Requests whose grammars are being compiled or adapters loaded; True: aborted meanwhile.
        self._preparing: dict[str, bool] = {}
        self._compiling = ThreadPoolExecutor(1, thread_name_prefix="torchpaged-grammars")
        self._loading = ThreadPoolExecutor(1, thread_name_prefix="torchpaged-loads")
        self._num_tokens = 0  # of all prompts that have come
        self._paused: str | None = None  # the mode; None: not paused
        self._sleeps_alone = False  # the pause is a sleep's, and ends with it
        self._held: list[Add] = []  # requests that have come during the pause
        self._draining: Call | None = None  # the pause that waits for requests to end

    def submit(self, message: Message) -> None:
        """Add a message; thread-safe, never waits, and finalizers may call it."""
        self._messages.put(message)

    def run(self) -> None:
        """Run until `Stop`. If it raises, the engine cannot be used any more."""
        while self._read_messages():
            if self._has_work:
                self._step()
            if self._draining is not None and not self._engine.has_unfinished_requests:
                self._events.append(self._settle(self._draining))
            held = sum(tokens_of(each.prompt) for each in self._held)
            self._health.num_begun_tokens = self._num_tokens - self._engine.num_waiting_tokens - held
            self._deliver_events()
        for threads in (self._compiling, self._loading):
            threads.shutdown(wait=False, cancel_futures=True)
        self._events += self._ended(self._engine.unfinished_requests(), None)
        ended = EngineDeadError("the engine has been shut down")
        self._events += [Refused(each, ended) for each in self._preparing.keys() | {a.request_id for a in self._held}]
        self._deliver_events()
        self._engine.shutdown()

    def _deliver_events(self) -> None:
        if self._events:
            events, self._events = self._events, []
            self._deliver(events)

    @property
    def _has_work(self) -> bool:
        return bool(self._engine.has_unfinished_requests) and self._paused != "keep"

    def _read_messages(self) -> bool:
        """Process the messages; wait for one if there is nothing else to do. Returns False at the end."""
        waits = not (self._has_work or self._events)
        while True:
            try:
                message = self._messages.get(block=waits)
            except queue.Empty:
                return True
            waits = False
            if isinstance(message, Add):
                self._add(message)
            elif isinstance(message, _Prepared):
                self._add_prepared(message.add, message.error)
            elif isinstance(message, _Loaded):
                self._events.append(message.answer)
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
        """Add a request when its grammar has been compiled and its adapter loaded: no step waits for that."""
        self._num_tokens += tokens_of(message.prompt)
        adapter = message.options.get("lora_request")
        if self._engine.is_prepared(message.params, adapter):
            self._add_prepared(message)
        else:
            self._preparing[message.request_id] = False
            threads = self._compiling if adapter is None else self._loading
            threads.submit(self._prepare, message)

    def _prepare(self, message: Add) -> None:
        """Compile a request's grammar and load its adapter, in another thread."""
        error = None
        try:
            self._engine.prepare(message.params, lora_request=message.options.get("lora_request"))
        except ModelError as reason:
            error = reason  # else `add_request` would read the files again, in the core's thread
        except Exception as reason:
            logger.debug("`add_request` will raise this again", exc_info=reason)
        self.submit(_Prepared(message, error))

    def _load(self, message: Call) -> None:
        """Load an adapter, in another thread."""
        self.submit(_Loaded(self._called(message)))

    def _add_prepared(self, message: Add, error: ModelError | None = None) -> None:
        if error is not None:
            del self._preparing[message.request_id]
            self._events.append(Refused(message.request_id, error))
        elif self._paused is None:
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
        except Exception as error:  # of any kind: a tokenizer or logits processor may raise it; one request is refused
            self._events.append(Refused(message.request_id, error))
        else:
            if was_aborted:
                self._events += self._ended([message.request_id], None)

    def _pause(self, message: Call) -> Answered | None:
        """Hold new requests back. The answer comes when those in flight have ended, or are kept."""
        mode = message.kwargs["mode"]
        if message.method == "sleep":  # before requests are aborted, and before a pause that nothing would end
            try:
                self._engine.require_can_sleep(message.kwargs["level"], mode)
            except (ConfigError, EngineError) as error:
                return Answered(message.number, error=error)
        self._sleeps_alone = message.method == "sleep" and self._paused is None
        self._paused = mode
        if mode == "abort":
            self._events += self._ended(self._engine.unfinished_requests(), None)
        if mode == "wait" and self._engine.has_unfinished_requests:
            self._draining = message
            return None
        return self._settle(message)

    def _settle(self, message: Call) -> Answered:
        self._draining = None
        if message.method == "sleep":
            answer = self._called(Call(message.number, "sleep", (message.kwargs["level"], "keep")))
            if answer.error is not None and self._sleeps_alone:
                self._resume(message)
            return answer
        if message.kwargs["clear_cache"]:  # blocks of kept requests too, which are computed again
            self._engine.reset_prefix_cache(reset_running_requests=True)
        return Answered(message.number)

    def _wake_up(self, message: Call) -> Answered:
        """Wake the engine up; a pause that was not the sleep's stays."""
        answer = self._called(message)
        if answer.value is True and self._sleeps_alone:
            self._sleeps_alone = False
            self._resume(message)
        return answer

    def _resume(self, message: Call) -> Answered:
        if self._engine.is_sleeping():
            return Answered(message.number, error=EngineError("the engine is asleep; call wake_up first"))
        self._paused, held = None, self._held
        self._held = []
        if self._draining is not None:
            self._events.append(Answered(self._draining.number))
            self._draining = None
        for each in held:
            self._admit(each)
        return Answered(message.number)

    def _answer(self, message: Call) -> Answered | None:
        """Return the answer to a call; None if it comes later."""
        if message.method == "add_lora":
            self._loading.submit(self._load, message)
            return None
        if message.method in ("pause_generation", "sleep"):
            return self._pause(message)
        if message.method == "wake_up":
            return self._wake_up(message)
        if message.method == "resume_generation":
            return self._resume(message)
        if message.method == "is_paused":
            return Answered(message.number, self._paused is not None)
        return self._called(message)

    def _called(self, message: Call) -> Answered:
        """Return the answer of the engine."""
        method: Any = None
        if callable(message.method):
            method = functools.partial(message.method, self._engine)
        elif message.method not in _OWN and not message.method.startswith("_"):
            method = getattr(self._engine, message.method, None)
        try:
            if not callable(method):
                raise ConfigError(f"call: the engine has no method {message.method!r:.80} to be called")
            return Answered(message.number, method(*message.args, **message.kwargs))
        except EngineDeadError:
            raise
        except StopIteration as error:  # a future cannot have it
            return Answered(message.number, error=RuntimeError(f"call: the method has raised {error!r:.80}"))
        except Exception as error:
            return Answered(message.number, error=error)

    def _step(self) -> None:
        self._health.stepping_since = time.monotonic()
        try:
            self._events += self._engine.step()
            self._health.num_failures = 0
        except EngineDeadError:
            raise
        except Exception as error:
            self._health.num_failures += 1
            if self._health.num_failures % 2:  # the first of the two tries of a step
                logger.warning("a step has failed and is tried once more", exc_info=error)
            else:
                self._give_up(error)
        finally:
            self._health.stepping_since = None

    def _give_up(self, error: Exception) -> None:
        """End the requests of a step that has failed twice; it is not known which of them caused it."""
        engine = self._engine
        failed = engine.requests_in(engine.last_step) or engine.unfinished_requests()
        logger.error("a step has failed twice: its %d requests end", len(failed), exc_info=error)
        self._events += self._ended(failed, f"its step has failed twice: {type(error).__name__}: {error}")

    def _ended(self, request_ids: Sequence[str], error: str | None) -> list[RequestOutput]:
        """End requests and return their last outputs."""
        outputs = [self._engine.abort(request_id, error) for request_id in list(request_ids)]
        return [output for output in outputs if output is not None]


@dataclass(frozen=True, slots=True)
class ServedModel:
    """Description of an engine for other threads and processes.

    Args:
        name: of the model.
        config: the resolved settings.
        spec: of the model.
        max_model_len: most tokens of prompt and completion together.
        default_params: parameters of requests without any.
        chat_params: parameters of chats without any.
        tokenizer: of transformers, or None.
        chat_template: for conversations; None: the tokenizer's own.
        has_encoder: if the engine must read prompts itself.
        media_processor: reads images and sounds; None: prompts have none.
    """

    name: str
    config: EngineConfig
    spec: ModelSpec
    max_model_len: int
    default_params: SamplingParams
    chat_params: SamplingParams
    tokenizer: Any
    chat_template: str | None
    has_encoder: bool
    media_processor: MediaProcessor | None = None

    @classmethod
    def of(cls, engine: LLMEngine, name: str | None, chat_template: str | None) -> ServedModel:
        """Return the description of an engine."""
        spec, tokenizer = engine.model.spec, engine.vocabulary.tokenizer
        return cls(
            name or spec.name,
            engine.config,
            spec,
            engine.max_model_len,
            engine.default_params,
            engine.chat_params,
            tokenizer,
            chat_template,
            engine.model.encoder is not None,
            media_processor_of(engine.model),
        )


def build(
    model: str | Path | PreTrainedModel,
    tokenizer: Any,
    settings: Mapping[str, Any],
    on_load: Callable[[Any], None] = lambda tokenizer: None,
) -> tuple[LLMEngine, ServedModel]:
    """Make an engine from the arguments of `LLM`.

    Args:
        model, tokenizer, settings: as of `LLM`.
        on_load: called with the loaded tokenizer, before the engine is made.

    Raises:
        ModelError, ConfigError: as `LLM`.
    """
    # Imported here: a server whose engine has a process of its own needs neither.
    with startup.stage("torchpaged"):
        from torchpaged.engine.llm_engine import LLMEngine
        from torchpaged.engine.loader import load

    loaded = load(model, tokenizer, settings)
    template = load_template(loaded.options.chat_template)
    on_load(loaded.tokenizer)
    with startup.stage("engine"):
        engine = LLMEngine(
            loaded.model,
            loaded.config,
            tokenizer=loaded.tokenizer,
            eos_token_ids=loaded.eos_token_ids,
            default_params=loaded.default_params,
            chat_params=loaded.chat_params,
            executor=loaded.executor,
        )
    name = loaded.options.served_model_name or (str(model) if isinstance(model, (str, Path)) else None)
    return engine, ServedModel.of(engine, name, template)

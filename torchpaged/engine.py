"""LLMEngine: requests in, outputs out. add_request, step, abort; one step at a time, in one thread."""

from __future__ import annotations

import functools
import gc
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from torchpaged import logits_processors as processors
from torchpaged.bookkeeping import Bookkeeping
from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, EngineError, RequestError, not_copied
from torchpaged.execution.executor import Executor, LocalExecutor
from torchpaged.execution.phases import STEP, span
from torchpaged.intake import Intake, Params, keys_of, require_salt
from torchpaged.kv_cache import CacheKeys, KVCacheManager
from torchpaged.loading import load
from torchpaged.metrics import EndedRequests, EngineStats, Metric
from torchpaged.models.drafted import DraftedModel
from torchpaged.models.model import PagedModel, Weights
from torchpaged.outputs import Answer, RequestOutput
from torchpaged.pipeline import Pipeline
from torchpaged.requests.group import Group, abandoned, errored
from torchpaged.requests.output import TokenNames
from torchpaged.requests.prefixes import PinnedPrefix, PrefixStore
from torchpaged.requests.prompts import Prompt
from torchpaged.requests.sampling import Vocabulary
from torchpaged.sampling_params import RequestOutputKind, SamplingParams
from torchpaged.scheduling import Results, Scheduler, Step
from torchpaged.scheduling.drafter import Drafter
from torchpaged.scheduling.step_cost import GuessCost, StepCost, bookkeeping
from torchpaged.speculation import proposer_of, with_draft

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

_CUT_SHORT = "an interrupt cut the engine's bookkeeping short, and it began anew; add the request again"

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _alone(method: Callable[Concatenate[LLMEngine, _P], _R]) -> Callable[Concatenate[LLMEngine, _P], _R]:
    """One call at a time: a second, of another thread or from within the first, is refused before it changes anything.

    A call that finds what an interrupt has left behind clears it up first.
    """

    @functools.wraps(method)
    def call(self: LLMEngine, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._is_shut_down:
            raise EngineError(f"LLMEngine.{method.__name__}: the engine has been shut down; make another")
        if self._door.locked():
            raise EngineError(
                f"LLMEngine.{method.__name__}: another call of this engine is running, expected one thread; give each "
                "thread an engine of its own, or use LLM, whose calls wait for each other"
            )
        # `with` over a lock in C: no interrupt comes between taking it and being bound to give it back.
        with self._door:
            if not (self._books.settled and self.executor.settled):
                self._begin_anew()
            self._end_alone()
            return method(self, *args, **kwargs)

    return call


class LLMEngine:
    """Continuous batching over one model, for one thread.

    Ctrl-C, or any exception, at whatever line leaves it usable: a step whose forward was cut short is as if it had not
    been; where bookkeeping was, all requests end with finish_reason "error" in the next `step`, cached prefixes are
    forgotten and pins stay.

    Args:
        model: what to run; `torchpaged.integrations.transformers` makes one of a transformers model.
        config: settings.
        tokenizer: of transformers; None when prompts are tokens and only tokens are wanted.
        eos_token_ids: tokens that end a text.
        default_params: of requests that bring none.
        executor: makes what computes the steps, of the model and the resolved settings.

    Attributes:
        config: the settings as they are for this model.
        executor: computes the steps.
        scheduler: makes them.

    Raises:
        ConfigError: the pool cannot be sized as asked, max_model_len is longer than the model's, or its weights cannot
            be quantised as asked.
    """

    def __init__(
        self,
        model: PagedModel,
        config: EngineConfig | None = None,
        *,
        tokenizer: Any = None,
        eos_token_ids: Sequence[int] = (),
        default_params: SamplingParams | None = None,
        executor: Callable[[PagedModel, EngineConfig], Executor] = LocalExecutor,
    ) -> None:
        self.model = model
        self.config = (config or EngineConfig()).resolve(model.spec, has_encoder=model.encoder is not None)
        self.default_params = default_params or SamplingParams()
        if self.config.quantization is not None:  # before the pool takes what memory there is
            self._weights("quantization").quantize(self.config.quantization, tokenizer)
        self._computed = with_draft(model, self.config, tokenizer)  # with what guesses its tokens
        self.config = self.config.resolve(self._computed.spec, has_encoder=model.encoder is not None)
        self._optimize()
        self._require_exact()
        given = [*processors.installed(), *(self.config.logits_processors or ())]
        named = dict(zip(processors.load(given), given, strict=True))  # each class once
        self.config = replace(self.config, logits_processors=tuple(named.values()))
        self.executor = executor(self._computed, self.config)
        self.scheduler = _scheduler(self.executor, self.config, self._drafter())
        vocab_size = model.spec.vocab_size
        eos = frozenset(token for token in eos_token_ids if 0 <= token < vocab_size)
        self.vocabulary = Vocabulary(tokenizer, eos, TokenNames(tokenizer), self.config.seed, vocab_size)
        # Of processors the classes are asked about parameters alone; who computes makes its own.
        self._intake = Intake(model, self.config, self.vocabulary, tuple(named), in_process=self.executor.in_process)
        self._groups: dict[int, Group] = {}  # the unfinished, by their number
        self._running_alone: Group | None = None  # of them: one that nobody but `_run_alone` knows
        self._number_of: dict[str, int] = {}  # by the user's id
        self._stale = False  # whether cached prefixes may be those of other weights than the model's
        self._num_requests = self._num_generated = 0
        self._backlog: list[RequestOutput] = []  # what `step` returns next, whatever else it does
        self._peak = self.scheduler.manager.stats()
        self._ended = EndedRequests()
        self._is_shut_down = False
        self._door = threading.Lock()
        self._books = Bookkeeping()
        overlaps = self.config.overlaps(model.spec.device.type)
        self.pipeline = Pipeline(self.scheduler, self.executor, self._books, overlaps=overlaps)
        self.prefixes = PrefixStore(self.scheduler, self.executor, self._run_alone, self._books)

    @property
    def tokenizer(self) -> Any:
        """Of transformers, or None."""
        return self.vocabulary.tokenizer

    @property
    def eos_token_ids(self) -> tuple[int, ...]:
        """Tokens that end a text."""
        return tuple(sorted(self.vocabulary.eos_token_ids))

    @property
    def max_model_len(self) -> int:
        """Prompt and completion together at most."""
        return self.config.max_model_len or self.model.spec.max_model_len

    @property
    def last_step(self) -> Step | None:
        """The one that was scheduled last, for whoever looks on."""
        return self.pipeline.last_step

    def get_num_unfinished_requests(self) -> int:
        """How many have not ended."""
        return len(self._groups)

    def get_tokenizer(self) -> Any:
        """`tokenizer`, by vLLM's other name."""
        return self.tokenizer

    @property
    def is_busy(self) -> bool:
        """Whether a call is running, which another would be refused beside."""
        return self._door.locked()

    @property
    def is_shut_down(self) -> bool:
        """Whether `shutdown` has been called."""
        return self._is_shut_down

    def name_of(self, number: int) -> str:
        """The user's id of the unfinished request whose sequences have this owner."""
        return self._groups[number].request.request_id

    def requests_in(self, step: Step | None) -> list[str]:
        """Ids of the unfinished requests that have a part in a step."""
        sequences = self.scheduler.sequences
        owners = {sequences[id].owner for id in step.ids if id in sequences} if step is not None else set()
        return [self.name_of(owner) for owner in sorted(owners) if owner in self._groups]

    @property
    def has_unfinished_requests(self) -> Answer:
        """Whether `step` has anything to do; vLLM's is called."""
        return Answer(bool(self._groups or self._backlog))

    @_alone
    def unfinished_requests(self) -> list[str]:
        """Ids of the requests that `step` has something to do for."""
        groups = (group.request.request_id for group in self._groups.values())
        return list(dict.fromkeys([*groups, *(output.request_id for output in self._backlog)]))

    # --- Requests ------------------------------------------------------------------------------------------

    @_alone
    def add_request(
        self,
        request_id: str,
        prompt: Prompt,
        params: Params | None = None,
        *,
        priority: int = 0,
        cache_salt: str | None = None,
        tokenization_kwargs: Mapping[str, Any] | None = None,
        lora_request: None = None,
    ) -> None:
        """Queues a prompt; it may be called between any two steps.

        Args:
            request_id: any text that no unfinished request has.
            prompt: a text, token ids, or a dictionary of vLLM's (`requests/prompts.py`); for a model with an encoder,
                what `prompts.split_prompt` takes.
            params: None for the engine's `default_params`.
            priority: lower runs first, with the scheduling policy "priority".
            cache_salt: only requests with the same salt share cached blocks. A prompt may bring its own.
            tokenization_kwargs: of the tokenizer, where the prompt is a text; and vLLM's `truncate_prompt_tokens`, how
                many of the prompt's last tokens are kept, -1: as many as leave room for the completion.
            lora_request: None.

        Raises:
            RequestError: the request can never run (empty, too long, tokens out of the vocabulary, an id in use, a
                text that the tokenizer fails on).
            ConfigError: an argument is none of those. Nothing has changed then, as with a RequestError.
        """
        asked = self._intake.read(
            request_id,
            prompt,
            self.default_params if params is None else params,
            priority=priority,
            cache_salt=cache_salt,
            tokenization_kwargs=tokenization_kwargs,
            lora_request=lora_request,
        )
        self._look_at_weights()
        if request_id in self._number_of or any(output.request_id == request_id for output in self._backlog):
            raise RequestError(f"{asked.label}: an unfinished request has this id already")
        self.scheduler.require_room(
            asked.label,
            asked.token_ids,
            num_given=asked.num_given,
            encoder=asked.encoder,
            generates=asked.generates,
        )
        group = self._intake.group(self._num_requests, asked)
        request = group.request
        with self._books:
            self._num_requests += 1
            group.start(self.scheduler)
            self._groups[request.number] = group
            self._number_of[request_id] = request.number

    def tokenize(
        self, prompt: Prompt, tokenization_kwargs: Mapping[str, Any] | None = None, label: str = "prompt"
    ) -> dict[str, Any]:
        """A text as a prompt that is tokenized already; arguments and errors as above, which say the label."""
        return self._intake.tokenize(label, prompt, tokenization_kwargs)

    def prepare(self, params: Params | None, *, label: str = "request") -> None:
        """Compiles the grammar of parameters that have one, for a request that is added later. For any thread.

        Raises:
            RequestError: as `add_request`.
        """
        given = self.default_params if params is None else params
        if isinstance(given, SamplingParams) and given.structured_outputs is not None:
            self._intake.grammars.compile(label, given.structured_outputs)

    def is_prepared(self, params: Params | None) -> bool:
        """Whether `prepare` takes no time."""
        given = self.default_params if params is None else params
        structured = given.structured_outputs if isinstance(given, SamplingParams) else None
        return structured is None or self._intake.grammars.knows(structured)

    @_alone
    def abort(self, request_id: str, error: str | None = None) -> RequestOutput | None:
        """Ends a request in whatever state it is and returns what there is of it; None when there is none.

        Args:
            error: why it cannot go on: its finish_reason is "error" then.
        """
        if not isinstance(request_id, str):
            raise ConfigError(f"abort: request_id is {request_id!r:.80}, expected a text")
        for place, output in enumerate(self._backlog):
            if output.request_id == request_id and output.finished:
                return self._backlog.pop(place)
        if request_id not in self._number_of:
            return None
        with self._books:
            group = self._groups[self._number_of[request_id]]
            group.abort(self.scheduler, "abort" if error is None else "error", error)
            self._forget(group)
            self._backlog = [output for output in self._backlog if output.request_id != request_id]
            last = group.output()
            if last is not None:
                self._ended.note(group.request.number, last, is_delta=group.shows_deltas)
            return last

    def abort_request(self, request_ids: str | Iterable[str]) -> None:
        """`abort` of one or several, by vLLM's name; ids that no unfinished request has are passed by."""
        if not isinstance(request_ids, Iterable):
            raise ConfigError(f"abort_request: request_ids is {request_ids!r:.80}, expected an id or several")
        for request_id in [request_ids] if isinstance(request_ids, str) else list(request_ids):
            self.abort(request_id)

    # --- Steps ---------------------------------------------------------------------------------------------

    @_alone
    def step(self) -> list[RequestOutput]:
        """Computes one batch. Returns what the requests have to show that got tokens or ended, as values of their own.

        A request whose results cannot be processed ends with finish_reason "error"; the others go on.

        Raises:
            EngineError: the scheduler found nothing to run.
            Exception: what the forward itself raised; the step's requests are as before it and may be tried again or
                aborted. What an earlier step has brought comes with the next call that returns.
        """
        if not self.pipeline.idle:
            with span(STEP):
                self.pipeline.advance(self._take)
        elif self._groups and not self._backlog:
            names = sorted(group.request.request_id for group in self._groups.values())
            raise EngineError(f"the scheduler has lost requests {names[:8]}; abort them, and report this")
        returned, self._backlog = self._backlog, []
        return returned

    def _take(self, step: Step, results: Results) -> None:
        """A step's results: to the scheduler, then to the groups whose sequences took part.

        A group that raises ends with an error, and is asked no more.
        """
        pool, peak = self.scheduler.manager.pool, self._peak
        if pool.num_usable - pool.num_free > peak.num_used_blocks:
            self._peak = self.scheduler.manager.stats()
        self._count(step, results)
        scheduler, groups = self.scheduler, self._groups
        now = time.monotonic()
        for id in step.new:  # sequences that wait no more, or come back
            if id in scheduler.sequences:
                request = groups[scheduler.sequences[id].owner].request
                if request.first_scheduled_time is None:
                    request.first_scheduled_time = now - self.pipeline.last_seconds
        progress = scheduler.update(step, results)
        if step.drafts:  # runs, as far as they were taken
            self._num_generated += sum(len(tokens) for each, tokens in progress.moved if each.id in step.drafts)
        failed: set[int] = set()
        touched: dict[int, Group] = {}
        for sequence in progress.scored:
            if sequence.owner not in failed:
                group = touched[sequence.owner] = groups[sequence.owner]
                try:
                    group.score(sequence, results.scores[sequence.id])
                except Exception as error:
                    failed.add(self._fail(group, error))
        for sequence in progress.held:
            if not sequence.ended:  # by what its group has decided for another
                group = touched[sequence.owner] = groups[sequence.owner]
                try:
                    group.choose(sequence, results, scheduler)
                except Exception as error:
                    failed.add(self._fail(group, error))
        self._ended.note_tokens(progress, scheduler.sequences.keys(), now)
        for sequence, tokens in progress.moved:
            if sequence.owner not in failed:
                group = touched[sequence.owner] = groups[sequence.owner]
                try:
                    group.move(sequence, tokens, results, scheduler)
                except Exception as error:
                    failed.add(self._fail(group, error))
        for number, group in touched.items():
            if number in failed:
                continue
            try:
                output = group.output()
            except Exception as error:
                self._fail(group, error)
                continue
            if group.finished:
                self._forget(group)
            if output is not None:
                self._show(group, output)

    def _fail(self, group: Group, error: Exception) -> int:
        """Ends a group that has raised, with all of its sequences; returns its number. One that runs alone raises."""
        if group is self._running_alone:
            raise error
        number, request_id = group.request.number, group.request.request_id
        logger.error("request %r ends: its results could not be processed", request_id, exc_info=error)
        reason = f"its results could not be processed: {type(error).__name__}: {error}"
        output = abandoned(group, self.scheduler, reason)
        # What it has forked and not noted yet.
        for sequence in [each for each in self.scheduler.sequences.values() if each.owner == number]:
            self.scheduler.finish(sequence, "error", reason)
        self._forget(group)
        self._show(group, output if output is not None and output.finished else errored(group.request, reason))
        return number

    def _count(self, step: Step, results: Results) -> None:
        """A step's tokens; generated ones as far as somebody has a use for them, those of drafts elsewhere."""
        self._ended.note_step(step.num_tokens)
        alive = self.scheduler.sequences
        several = {draw for id, draws in step.draws.items() if id in alive for draw, _ in draws}
        drafts = step.drafts
        self._num_generated += sum(draw not in drafts and (draw in alive or draw in several) for draw in results.draws)

    def _show(self, group: Group, output: RequestOutput) -> None:
        """What `step` returns; of a request that shows all there is, the last alone."""
        if self._backlog and not group.shows_deltas:
            self._backlog = [other for other in self._backlog if other.request_id != output.request_id]
        self._backlog.append(output)
        self._ended.note(group.request.number, output, is_delta=group.shows_deltas)

    def _forget(self, group: Group) -> None:
        """A group that has ended."""
        self._groups.pop(group.request.number, None)
        self._number_of.pop(group.request.request_id, None)

    def _run_alone(self, group: Group) -> None:
        """Runs a group to its end while there is no other."""
        self.pipeline.drain()
        with self._books:
            group.start(self.scheduler)
            self._groups[group.request.number] = group
            self._running_alone = group
        try:
            while not group.finished:
                with span(STEP):
                    self.pipeline.advance(self._take)
        finally:
            self._end_alone()

    def _end_alone(self) -> None:
        """Ends a group that runs alone, also one that an interrupt has left: there is none between two calls."""
        if (group := self._running_alone) is not None:
            with self._books:
                group.abort(self.scheduler, "abort")
                self._groups.pop(group.request.number, None)
                self._running_alone = None

    def _begin_anew(self) -> None:
        """After bookkeeping that was cut short: all requests end, nothing is cached but what is pinned."""
        logger.warning(
            "an interrupt has cut the engine's bookkeeping short: %d requests end, the prefix cache is emptied",
            len(self._groups),
        )
        self.executor.reset()
        self.scheduler.reset(self.prefixes.names)
        self.pipeline.clear()
        self.prefixes.reset()
        for group in self._groups.values():
            output = abandoned(group, self.scheduler, _CUT_SHORT)
            if output is not None:
                self._show(group, output)
        self._groups, self._number_of, self._running_alone = {}, {}, None
        self._books.settle()

    # --- Weights -------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether a row's logits have the same bits alone, among others and in a prefill: found out when first asked.

        A greedy completion does not depend on what runs beside it then.
        """
        from torchpaged.execution.exact import is_exact

        return is_exact(self.model)

    @_alone
    def system_fingerprint(self) -> str:
        """One word for all that decides on an answer's bits, of the weights as they are now.

        It takes some small steps, and about a second for each gigabyte of weights, two at most.
        """
        from torchpaged.system_fingerprint import system_fingerprint

        return system_fingerprint(self.model, self.config, self.default_params)

    @_alone
    def quantize(self, config: Any, calibration: Sequence[str | Sequence[int]] | None = None) -> Any:
        """Quantises the weights in place, between requests; cached blocks are forgotten, they are the old weights'.

        Args:
            config: a name as of `EngineConfig.quantization`, or a config of torchao.
            calibration: texts or tokens that say what the model is used for, for four bits on the CPU; None: the
                documentation and source of Python's standard library.

        Where tokens are guessed ahead and rows depend on each other afterwards, none are from then on, with a warning.

        Returns:
            `torchpaged.integrations.torchao.QuantizedWeights`.

        Raises:
            EngineError: requests are unfinished, or a prefix is pinned.
            ConfigError: it cannot be done to this model on this device; the weights are as they were then.
        """
        self._require_idle("quantize")
        if self.prefixes.names:
            raise EngineError(
                "quantize: a prefix is pinned, whose keys and values are the old weights'; unpin it first"
            )
        weights = self._weights("quantize")
        weights.restore()
        try:
            return weights.quantize(config, self.tokenizer, calibration)
        finally:
            self._renew()
            self.scheduler.drafter = self._drafter_if_exact()

    @_alone
    def update_weights(self, weights: Mapping[str, torch.Tensor] | Iterable[tuple[str, torch.Tensor]]) -> int:
        """Copies new numbers into the model's weights, between requests; returns how many tensors.

        What was made of the old ones is made anew: packed weights, graphs, pinned prefixes; cached ones are forgotten.

        Args:
            weights: by their names in the model's `state_dict()`, all of them or some; any float dtype and device.

        Raises:
            EngineError: requests are unfinished.
            ConfigError: a name or shape that the model does not have, or a weight that is quantised; those before it
                are copied.
        """
        self._require_idle("update_weights")
        own = self._weights("update_weights")
        try:
            return own.update(weights)
        finally:
            self._renew()

    @classmethod
    def from_engine_args(cls, engine_args: Any) -> LLMEngine:
        """An engine of `EngineArgs`.

        Raises:
            ModelError, ConfigError: as `LLM`.
        """
        loaded = load(engine_args.model, engine_args.tokenizer, engine_args.settings())
        return cls(
            loaded.model,
            loaded.config,
            tokenizer=loaded.tokenizer,
            eos_token_ids=loaded.eos_token_ids,
            default_params=loaded.default_params,
        )

    @_alone
    def apply_model(self, func: Callable[[torch.nn.Module], _R]) -> list[_R]:
        """What a function gives for the model's module, between requests, in a list as vLLM's; it may change weights.

        It sees the weights as the checkpoint has them, whatever was made of them to run faster; that is made anew
        afterwards, and cached prefixes are forgotten.

        Raises:
            EngineError: requests are unfinished.
            ConfigError: the model is no module (a .pt2 file).
        """
        if not callable(func):
            raise ConfigError(f"apply_model: func is {func!r:.80}, expected a function of a module")
        self._require_idle("apply_model")
        weights = self._weights("apply_model")
        weights.restore()
        try:
            return [func(weights.module)]
        finally:
            self._renew()

    def _weights(self, what: str) -> Weights:
        if self.model.weights is None:
            raise ConfigError(f"{what}: the weights of {self.model.spec.name} are fixed; load another model")
        return self.model.weights

    def _require_idle(self, what: str) -> None:
        if self._groups:
            raise EngineError(f"{what}: {len(self._groups)} requests are unfinished; do it before or after them")

    def _look_at_weights(self) -> None:
        """Before an idle engine runs again: whether somebody has changed the model since it ran last."""
        weights = self.model.weights
        if not self.pipeline.idle or weights is None:
            return
        # An interrupt from here on leaves them stale: who has looked is not told of the same change again.
        was_stale, self._stale = self._stale, True
        if weights.changed() or was_stale:
            logger.info("the model's weights or adapters have changed: cached prefixes are computed anew")
            self._renew()
        self._stale = False

    def _renew(self) -> None:
        """The weights are others: nothing that was computed with the old ones is used again."""
        self._stale = True
        self._optimize()
        self.executor.renew()
        self.pipeline.drain()  # of requests that have ended
        with self._books:
            self.scheduler.drop_cache()
        self.prefixes.renew()
        self._stale = False

    def _require_exact(self) -> None:
        """Where tokens are guessed ahead, no row of the model may depend on how many a step has, unless that was said.

        Raises:
            ConfigError: one does.
        """
        speculation = self.config.speculation
        if speculation is None:
            return
        from torchpaged.execution.exact import why_not_exact

        compiled = self.config.compiles(self.model.spec.device.type)
        reason = "its forward is compiled, which nobody has tried" if compiled else why_not_exact(self.model)
        if reason is None:
            return
        if not speculation.allow_inexact:
            raise ConfigError(
                f"EngineConfig: speculative_config is given, but tokens of {self.model.spec.name} would depend on it: "
                f"{reason}; take dtype='bfloat16' or optimize=True on a CPU with AVX2, or give it 'allow_inexact': True"
            )
        logger.warning("speculation may change the tokens of %s: %s", self.model.spec.name, reason)

    def _drafter_if_exact(self) -> Drafter | None:
        """Of weights that are of another kind than when the engine was made."""
        try:
            self._require_exact()
        except ConfigError as error:
            logger.warning("nothing is guessed ahead any more: %s", error)
            return None
        return self._drafter()

    def _drafter(self) -> Drafter | None:
        if (speculation := self.config.speculation) is None:
            return None
        most = min(
            self.config.max_num_seqs * (1 + speculation.num_speculative_tokens),
            self.config.max_num_batched_tokens,
            self.max_model_len,
        )
        proposer = None if speculation.model is not None else proposer_of(speculation)
        cost = StepCost.timed(self.executor.step_seconds, most)
        guesses: Callable[[int, int], float] = bookkeeping
        if proposer is None:
            guesses = GuessCost.timed(self.executor.draft_seconds, self.config.max_num_seqs)
        return Drafter(proposer, speculation.num_speculative_tokens, self.model.spec.vocab_size, cost, guesses)

    def _optimize(self) -> None:
        models = [self.model]
        if isinstance(self._computed, DraftedModel):
            models.append(self._computed.draft)
        for model in models if self.config.optimize else ():
            if model.weights is not None:
                model.weights.optimize(float32=self.config.optimize is True)

    # --- Prefixes ------------------------------------------------------------------------------------------

    @_alone
    def reset_prefix_cache(self) -> bool:
        """Forgets all cached blocks; False, and nothing changes, while a request or a pin holds one."""
        with self._books:
            return self.scheduler.manager.reset_prefix_cache()

    @_alone
    def pin_prefix(self, prompt: Prompt, *, cache_salt: str | None = None) -> str:
        """`PrefixStore.pin` of a prompt, a text or tokens.

        Raises:
            RequestError: as `add_request`, or a prefix that cannot be pinned.
        """
        return self._pin(prompt, require_salt("pin_prefix", cache_salt))

    def _pin(self, prompt: Prompt, cache_salt: str | None) -> str:
        if self.model.encoder is not None:
            raise ConfigError(
                "pin_prefix: the model has an encoder; what follows from its input is not found by tokens"
            )
        read = self._intake.prompts.read("prefix", prompt)
        keys = keys_of("prefix", cache_salt, read.cache_salt)
        self._look_at_weights()
        return self.prefixes.pin(read.token_ids, keys)

    @_alone
    def pinned_prefixes(self) -> list[PinnedPrefix]:
        """`PrefixStore.described`."""
        return self.prefixes.described()

    @_alone
    def unpin_prefix(self, name: str) -> None:
        """`PrefixStore.unpin`."""
        self.prefixes.unpin(name)

    @_alone
    def save_prefix(self, path: str | Path, prompt: Prompt | None = None) -> int:
        """`PrefixStore.save` of a prompt, computed first unless it is cached, or of all pins."""
        if prompt is None:
            self._look_at_weights()
            return self.prefixes.save(path)
        name = self._pin(prompt, None)
        try:
            return self.prefixes.save(path, [name])
        finally:
            self.prefixes.unpin(name)

    @_alone
    def load_prefix(self, path: str | Path, *, cache_salt: str | None = None) -> list[str]:
        """`PrefixStore.load`."""
        self._look_at_weights()
        return self.prefixes.load(path, CacheKeys(salt=require_salt("load_prefix", cache_salt)))

    # --- What there is -------------------------------------------------------------------------------------

    @property
    def num_waiting_tokens(self) -> int:
        """Of sequences that wait to be computed from the start."""
        return sum(sequence.num_tokens for sequence in self.scheduler.roster.queues.waiting)

    @property
    def num_generated_tokens(self) -> int:
        """Since the engine was made."""
        return self._num_generated - self.scheduler.num_cut_tokens

    @property
    def num_computed_tokens(self) -> int:
        """Since the engine was made."""
        return self.pipeline.num_computed_tokens

    @_alone
    def get_metrics(self, model_name: str | None = None) -> list[Metric]:
        """vLLM's metrics, by its names, of the engine since it was made: objects of `torchpaged.metrics`.

        Args:
            model_name: their label; None: the model's class.
        """
        stats, cache = self._stats(), self.scheduler.manager.stats()
        gauges = {
            "num_requests_running": stats.num_running,
            "num_requests_waiting": stats.num_waiting + stats.num_swapped,
            "kv_cache_usage_perc": cache.num_used_blocks / cache.num_blocks,
        }
        counters = {
            "prefix_cache_queries": cache.num_queried_tokens,
            "prefix_cache_hits": cache.num_hit_tokens,
            "num_preemptions": stats.num_preemptions,
            "generation_tokens": stats.num_generated_tokens,
        }
        labels = {"model_name": model_name or self.model.spec.name, "engine": "0"}
        return self._ended.metrics(labels, gauges, counters, stats.drafts, stats.pace)

    @_alone
    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return self._stats()

    def _stats(self) -> EngineStats:
        roster = self.scheduler.roster
        return EngineStats(
            cache=self.scheduler.manager.stats(),
            peak=self._peak,
            num_steps=self.pipeline.num_steps,
            num_computed_tokens=self.pipeline.num_computed_tokens,
            num_generated_tokens=self.num_generated_tokens,
            num_preemptions=roster.num_preemptions,
            num_swaps=roster.num_swaps,
            num_running=len(roster.queues.running),
            num_waiting=len(roster.queues.waiting),
            num_swapped=len(roster.queues.swapped) + len(roster.queues.parked),
            waits=dict(self.scheduler.waits),
            drafts=None if self.scheduler.drafter is None else self.scheduler.drafter.counts,
            pace=None if self.scheduler.pace is None else self.scheduler.pace.counts,
        )

    @_alone
    def check(self) -> None:
        """Asserts the invariants of everything below, between steps."""
        self.pipeline.check()
        self.scheduler.check()
        self.executor.check()
        self.prefixes.check()
        assert {sequence.owner for sequence in self.scheduler.sequences.values()} <= self._groups.keys()
        numbers = {group.request.request_id: number for number, group in self._groups.items()}
        assert numbers == self._number_of

    # --- The end -------------------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """Ends all requests and gives the pool's memory back, and the model's unless it is somebody else's.

        Whatever is called after it raises EngineError; a second time it does nothing.
        """
        if self._is_shut_down:
            return
        self.abort_request(list(self._number_of))
        with self._door:
            self._is_shut_down = True
            self._intake.grammars.close()
            self._groups, self._number_of, self._backlog = {}, {}, []
            gone: Any = _Gone()
            self.model = self._computed = self.executor = self.scheduler = self.pipeline = self.prefixes = gone
        gc.collect()  # steps and tensors know each other in circles

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Neither pickled nor copied."""
        raise not_copied(self)


class _Gone:
    """What an engine's parts are after its shutdown."""

    def __getattr__(self, name: str) -> Any:
        raise EngineError(f"LLMEngine: its {name} was asked for after its shutdown; make another engine")


def _scheduler(executor: Executor, config: EngineConfig, drafter: Drafter | None) -> Scheduler:
    """Over the executor's pool."""
    manager = KVCacheManager(
        executor.groups,
        executor.num_blocks,
        block_size=config.block_size,
        num_swap_blocks=executor.num_swap_blocks,
        num_state_slots=executor.slots.states,
        num_tail_slots=executor.slots.tails,
        num_swap_state_slots=executor.slots.swap_states,
        num_swap_tail_slots=executor.slots.swap_tails,
        enable_prefix_caching=config.enable_prefix_caching,
        eviction_policy=config.eviction_policy,
    )
    assert config.max_model_len is not None, "the settings are not resolved"
    return Scheduler(
        manager,
        max_num_seqs=config.max_num_seqs,
        max_num_batched_tokens=config.max_num_batched_tokens,
        max_model_len=config.max_model_len,
        long_prefill_token_threshold=config.long_prefill_token_threshold,
        enable_chunked_prefill=config.enable_chunked_prefill,
        policy=config.scheduling_policy,
        preemption_mode=config.preemption_mode,
        watermark=config.watermark,
        drafter=drafter,
        max_step_ms=config.max_step_ms,
    )


__all__ = ["EngineError", "EngineStats", "LLMEngine", "Prompt", "RequestOutputKind"]

"""LLMEngine: joins the scheduler and the runner. add_request, step, abort; one step at a time, in one thread."""

from __future__ import annotations

import functools
import itertools
import logging
import operator
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from torchpaged.beam_search import BeamSearch
from torchpaged.bookkeeping import Bookkeeping
from torchpaged.config import EngineConfig
from torchpaged.detokenizer import Detokenizer
from torchpaged.encoder_prompt import split_prompt
from torchpaged.errors import ConfigError, EngineError, RequestError, not_copied
from torchpaged.integrations import torchao
from torchpaged.kv_cache import CacheKeys, KVCacheManager, KVCacheStats
from torchpaged.model_runner import LaunchedStep, ModelRunner, PagedModel, StepResult, block_bytes
from torchpaged.outputs import CompletionOutput, Logprob, RequestMetrics, RequestOutput
from torchpaged.paged_kv_cache import kv_cache_groups
from torchpaged.phases import COPY, SCHEDULE, STEP, UPDATE, span
from torchpaged.prefix_store import PrefixStore
from torchpaged.request import EncoderInput, Request, RequestStatus, own_name
from torchpaged.sampler import TokenLogprobs
from torchpaged.sampling_params import BeamSearchParams, SamplingParams, ScoringParams
from torchpaged.scheduler import Scheduler, SchedulerOutput
from torchpaged.scoring import Scoring
from torchpaged.swap_cost import SwapCost

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

Prompt = str | Sequence[int] | Mapping[str, Any]

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(slots=True)
class _Completion:
    """One of a request's completions, in the making."""

    output: CompletionOutput
    detokenizer: Detokenizer


@dataclass(slots=True)
class _Pending:
    """A request as the user sees it; behind it stand one or more of the scheduler, under names of their own.

    Args:
        completions: by the scheduler's name.
        later: adds the completions that have no seat beside the first ones, a group at a time; False: none is left.
    """

    output: RequestOutput
    params: SamplingParams | BeamSearchParams | ScoringParams
    completions: dict[str, _Completion] = field(default_factory=dict)
    later: Callable[[], bool] | None = None
    search: BeamSearch | None = None  # then there are no completions before its end
    scoring: Scoring | None = None  # then there are none


@dataclass(frozen=True, slots=True)
class EngineStats:
    """Counters since the engine was made, and the cache as it is now."""

    cache: KVCacheStats
    peak: KVCacheStats  # the cache when most of its blocks were in use
    num_steps: int
    num_computed_tokens: int
    num_generated_tokens: int
    num_preemptions: int
    num_swaps: int  # of them, to the host
    num_running: int
    num_waiting: int
    num_swapped: int


def _alone(method: Callable[Concatenate[LLMEngine, _P], _R]) -> Callable[Concatenate[LLMEngine, _P], _R]:
    """One call at a time: a second, of another thread or from within the first, is refused before it changes anything.

    A call that finds what an interrupt has left behind clears it up first.
    """

    @functools.wraps(method)
    def call(self: LLMEngine, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._door.locked():
            raise EngineError(
                f"LLMEngine.{method.__name__}: another call of this engine is running, expected one thread; give each "
                "thread an engine of its own, or use LLM, whose calls wait for each other"
            )
        # `with` over a lock in C: no interrupt comes between taking it and being bound to give it back.
        with self._door:
            if not (self._books.settled and self.runner.books.settled):
                self._begin_anew()
            self.prefixes.clear_up()
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
    ) -> None:
        self.config = config or EngineConfig()
        self.default_params = default_params or SamplingParams()
        if getattr(model, "encoder", None) is not None:
            self.config = _for_an_encoder(self.config)
        if reason := getattr(model, "eager_only", None):
            self.config = _eagerly(self.config, reason)
        self.tokenizer = tokenizer
        self.vocab_size = model.vocab_size
        self.eos_token_ids = tuple(token for token in eos_token_ids if 0 <= token < self.vocab_size)
        self.max_model_len = self.config.max_model_len or model.max_model_len
        if self.max_model_len > model.max_model_len:
            raise ConfigError(
                f"EngineConfig: max_model_len is {self.max_model_len}, the model has {model.max_model_len} positions"
            )
        if self.config.quantization is not None:  # before the pool takes what memory there is
            torchao.quantize(model, self.config.quantization)
        self._optimize(model)
        self.runner = ModelRunner(
            model, self.config, self.max_model_len, num_swap_blocks=_swap_blocks(model, self.config)
        )
        manager = KVCacheManager(
            self.runner.groups,
            self.runner.kv_cache.num_blocks,
            num_swap_blocks=self.runner.kv_cache.num_swap_blocks,
            enable_prefix_caching=self.config.enable_prefix_caching,
            eviction_policy=self.config.eviction_policy,
        )
        self.scheduler = Scheduler(
            manager,
            max_num_seqs=self.config.max_num_seqs,
            max_num_batched_tokens=self.config.max_num_batched_tokens,
            max_model_len=self.max_model_len,
            long_prefill_token_threshold=self.config.long_prefill_token_threshold,
            enable_chunked_prefill=self.config.enable_chunked_prefill,
            policy=self.config.scheduling_policy,
            preemption_mode=self.config.preemption_mode,
            watermark=self.config.watermark,
        )
        self.last_step: SchedulerOutput | None = None  # for whoever looks on
        self._pending: dict[str, _Pending] = {}
        self._owner: dict[str, str] = {}  # a scheduler's request id -> the user's
        self._numbers = itertools.count()  # of requests, for their names below
        self._backlog: dict[str, RequestOutput] = {}  # what `step` returns next, whatever else it does
        self._peak = self.scheduler.manager.stats()
        self._num_steps = self._num_computed = self._num_generated = 0
        self._swap_cost = SwapCost()
        self._overlaps = self.config.overlaps(model.device.type)
        self._flying: deque[LaunchedStep] = deque()  # steps under way, at most two; the first has been advanced then
        self._unlaunched: SchedulerOutput | None = None  # scheduled, and perhaps not launched: to be taken back then
        self._copied = False  # whether its copies were made
        self._door = threading.Lock()
        self._books = Bookkeeping()
        self.prefixes = PrefixStore(self.scheduler, self.runner, self._run, self._books)

    @property
    def has_unfinished_requests(self) -> bool:
        """Whether `step` has anything to do."""
        return bool(self._pending or self._backlog)

    @_alone
    def add_request(
        self,
        request_id: str,
        prompt: Prompt,
        params: SamplingParams | BeamSearchParams | ScoringParams | None = None,
        *,
        priority: int = 0,
        cache_salt: str | None = None,
    ) -> None:
        """Queues a prompt, a text or tokens; it may be called between any two steps.

        Args:
            request_id: any text that no unfinished request has.
            prompt: for a model with an encoder, what `encoder_prompt.split_prompt` takes.
            params: None for the engine's `default_params`.
            priority: lower runs first, with the scheduling policy "priority".
            cache_salt: only requests with the same salt share cached blocks.

        Raises:
            RequestError: the request can never run (empty, too long, tokens out of the vocabulary, an id in use, a
                text that the tokenizer fails on).
            ConfigError: an argument is none of those. Nothing has changed then, as with a RequestError.
        """
        params = self.default_params if params is None else params
        priority = _checked(request_id, params, priority, cache_salt)
        self._look_at_weights()
        if request_id in self._pending or request_id in self._backlog:
            raise RequestError(f"request {request_id!r}: an unfinished request has this id already")
        encoder: EncoderInput | None = None
        if self.runner.encoder is None:
            text, token_ids = self._tokens(request_id, prompt)
        else:
            text, token_ids, encoder = split_prompt(request_id, prompt, self.runner.encoder, self._tokens)
        self._require_known(request_id, "token id", token_ids)
        continuations: Sequence[Sequence[int]] = ()
        if isinstance(params, ScoringParams):
            if encoder is not None:
                raise RequestError(f"request {request_id!r}: the model has an encoder, which scoring does not take")
            continuations = params.continuations
            for tokens in continuations:
                self._require_known(request_id, "a continuation has token id", tokens)
        elif isinstance(params, SamplingParams):
            if params.stop and self.tokenizer is None:
                raise RequestError(
                    f"request {request_id!r}: stop is {params.stop!r}, but stop strings need a tokenizer"
                )
            self._require_known(request_id, "stop_token_ids has", params.stop_token_ids)
        longest = max(map(len, continuations), default=0)
        self.scheduler.require_room(request_id, token_ids, num_given=longest, encoder=encoder)
        with self._books:
            output = RequestOutput(
                request_id, text, token_ids, [], False, RequestMetrics(arrival_time=time.monotonic())
            )
            pending = _Pending(output, params)
            self._queue(pending, priority, CacheKeys(salt=cache_salt), encoder)
            self._pending[request_id] = pending

    def _queue(self, pending: _Pending, priority: int, keys: CacheKeys, encoder: EncoderInput | None) -> None:
        """A request that was found good, as those of the scheduler."""
        output, params = pending.output, pending.params
        name = own_name(output.request_id, next(self._numbers))
        if isinstance(params, BeamSearchParams):
            pending.search = BeamSearch(
                self.scheduler,
                name,
                output.prompt_token_ids,
                params,
                self.eos_token_ids,
                priority=priority,
                cache_keys=keys,
                encoder=encoder,
            )
            self._owner[name] = output.request_id
        elif isinstance(params, ScoringParams):
            pending.scoring = Scoring(
                self.scheduler, name, output.prompt_token_ids, params, priority=priority, cache_keys=keys
            )
            self._owner.update(dict.fromkeys(pending.scoring.names, output.request_id))
        else:
            self._queue_completions(pending, name, params, priority, keys, encoder)

    def _queue_completions(
        self,
        pending: _Pending,
        name: str,
        params: SamplingParams,
        priority: int,
        keys: CacheKeys,
        encoder: EncoderInput | None,
    ) -> None:
        """The completions of a prompt: the first computes it, the others fork from it then."""
        output = pending.output
        token_ids = output.prompt_token_ids
        if params.prompt_logprobs is not None:
            output.prompt_logprobs = [None] * min(params.prompt_logprobs_start, len(token_ids))
        ranked = params.num_completions > params.n  # by their logprobs, asked for or not
        logprobs = 0 if ranked and params.logprobs is None else params.logprobs
        names = [f"{name}#{index}" if index else name for index in range(params.num_completions)]

        def own(index: int) -> SamplingParams:
            seed = None if params.seed is None else params.seed + index
            # The completions share the prompt: its logprobs are computed with the first.
            of_prompt = params.prompt_logprobs if index == 0 else None
            return replace(params, n=1, best_of=None, seed=seed, logprobs=logprobs, prompt_logprobs=of_prompt)

        width = self.config.max_num_seqs  # as many as can run at once share a leader
        starts = iter(range(0, len(names), width))

        def add_group() -> bool:
            if (start := next(starts, None)) is None:
                return False
            leader, *others = names[start : start + width]
            self.scheduler.add(
                leader,
                token_ids,
                own(start),
                self.eos_token_ids,
                priority=priority,
                cache_keys=keys,
                followers=[(child, own(index)) for index, child in enumerate(others, start=start + 1)],
                encoder=encoder,
            )
            return True

        add_group()
        pending.later = add_group
        for index, child in enumerate(names):
            completion = CompletionOutput(index, "", [])
            if logprobs is not None:
                completion.cumulative_logprob = 0.0
                completion.logprobs = None if params.logprobs is None else []
            output.outputs.append(completion)
            detokenizer = Detokenizer(self.tokenizer, token_ids, params.stop, params.min_tokens)
            pending.completions[child] = _Completion(completion, detokenizer)
            self._owner[child] = output.request_id

    @_alone
    def step(self) -> list[RequestOutput]:
        """Computes one batch. Returns the requests that got tokens or ended, as they are now.

        A request whose results cannot be processed ends with finish_reason "error"; the others go on.

        Raises:
            EngineError: the scheduler found nothing to run.
            Exception: what the forward itself raised; the step's requests are as before it and may be tried again or
                aborted. What an earlier step has brought comes with the next call that returns.
        """
        if self.scheduler.has_unfinished or self._flying:
            with span(STEP):
                self._step()
        elif self._pending and not self._backlog:
            raise EngineError(
                f"the scheduler has lost requests {sorted(self._pending)[:8]}; abort them, and report this"
            )
        returned, self._backlog = self._backlog, {}
        return list(returned.values())

    def _step(self) -> None:
        """Launches what can be launched, waits for the older of two steps, and takes its results."""
        if not self._flying:
            self._flying.append(self._start())
        current = self._flying[0]
        failure: BaseException | None = None
        if self._overlaps and len(self._flying) == 1 and self._may_overlap(current.step):
            if not current.step.advanced:
                with self._books:
                    self.scheduler.advance(current.step)
            try:
                self._flying.append(self._launch())
            except BaseException as error:  # taken back when the tokens are known that it was to go on from
                failure = error
        try:
            result = self._finish_step(current)
        except Exception:
            self._lose_cache()
            raise
        with span(UPDATE), self._books:
            self._flying.popleft()
            for output in self._update(current.step, result):
                self._backlog[output.request_id] = output
        if failure is not None:
            self._take_back()
            raise failure
        if self._flying and not (self.scheduler.has_unfinished and self._flying[0].step.requests):
            self._drop(self._flying[0])

    def _drop(self, under_way: LaunchedStep) -> None:
        """Ends a step that nobody waits for: all requests have ended, or there was none that could run."""
        under_way.result()
        with self._books:
            self._flying.popleft()
            self.scheduler.update(under_way.step, {})

    def _lose_cache(self) -> None:
        """A step that was launched has no results: what it has written is not known, nor what others made of it."""
        with self._books:
            self._flying.clear()
            self._unlaunched = None
            self.scheduler.drop_cache()

    def _may_overlap(self, step: SchedulerOutput) -> bool:
        """Whether the next step can be scheduled before the tokens of this one are known."""
        return all(
            not item.followers
            and not item.request.given
            and not (item.samples and item.request.params.has_penalties)
            and (item.request.finished or self._pending[self._owner[item.request_id]].search is None)
            for item in step.requests
        )

    def _run(self) -> tuple[SchedulerOutput, StepResult]:
        """Schedules a step and computes it, or takes it back."""
        while self._flying:  # of requests that have ended
            self._drop(self._flying[0])
        under_way = self._start()
        return under_way.step, self._finish_step(under_way)

    def _begin_anew(self) -> None:
        """After bookkeeping that was cut short: all requests end, nothing is cached but what is pinned."""
        logger.warning(
            "an interrupt has cut the engine's bookkeeping short: %d requests end, the prefix cache is emptied",
            len(self._pending),
        )
        for under_way in self._flying:
            with suppress(Exception):  # it writes no more, that is all there is to know
                under_way.result()
        for pending in list(self._pending.values()):
            self._backlog[pending.output.request_id] = _interrupted(pending)
        self._pending, self._owner, self._unlaunched = {}, {}, None
        self._flying.clear()
        self.scheduler.reset(self.prefixes.names)
        self.prefixes.reset()
        self.runner.reset()
        self._books.settle()

    def _finish_step(self, under_way: LaunchedStep) -> StepResult:
        """Waits for a step's results."""
        result = under_way.result()
        self._swap_cost.learn(under_way.step, result.forward_seconds, result.copy_seconds)
        if (cost := self._swap_cost.recompute_per_block) is not None:
            self.scheduler.recompute_per_block = cost  # decides whether the next victim is swapped or computed again
        return result

    def _start(self) -> LaunchedStep:
        """Schedules a step and starts to compute it, or takes it back; every token before it is known."""
        self._take_back()  # what an interrupt has left
        try:
            return self._launch()
        except BaseException:
            self._take_back()
            raise

    def _take_back(self) -> None:
        """The step that was scheduled and not launched, if there is one, is as if it had not been."""
        if self._unlaunched is None:
            return
        with self._books:
            step, self._unlaunched = self._unlaunched, None
            self.scheduler.revert(step)
            if not self._copied:
                self.scheduler.drop_cache()

    def _launch(self) -> LaunchedStep:
        """Schedules a step and starts to compute it. Where that fails, `_take_back` is called for."""
        scheduler = self.scheduler
        with span(SCHEDULE), self._books:
            self._copied = False
            self._unlaunched = step = self.last_step = scheduler.schedule()
        self._copy(step)
        self._copied = True
        under_way = self.runner.launch(step)
        self._unlaunched = None
        num_tokens = step.num_tokens
        pool = scheduler.manager.pool
        if pool.num_usable - pool.num_free > self._peak.num_used_blocks:
            self._peak = scheduler.manager.stats()
        self._num_steps += bool(num_tokens)
        self._num_computed += num_tokens
        return under_way

    def _copy(self, step: SchedulerOutput) -> None:
        """Makes the step's copies."""
        if step.copies:
            with span(COPY, self.runner.model.device):
                self.runner.copy(step.copies)

    @_alone
    def abort(self, request_id: str) -> RequestOutput | None:
        """Ends a request in whatever state it is and returns what there is of it; None when there is none."""
        if (ended := self._backlog.pop(request_id, None)) is not None and ended.finished:
            return ended
        pending = self._pending.get(request_id)
        if pending is None:
            return None
        with self._books:
            if pending.search is not None:
                self._end_beams(pending, "abort")
                return self._emit(pending)
            for child in pending.scoring.names if pending.scoring else ():
                self.scheduler.finish(child, RequestStatus.FINISHED_ABORTED)
            for child, completion in pending.completions.items():
                if (request := self.scheduler.finish(child, RequestStatus.FINISHED_ABORTED)) is not None:
                    self._finish(pending, child, request)
                elif not completion.output.finished:  # it had no seat yet
                    completion.output.finish_reason = "abort"
            pending.later = None
            return self._emit(pending)

    @_alone
    def reset_prefix_cache(self) -> bool:
        """Forgets all cached blocks; False, and nothing changes, while a request or a pin holds one."""
        with self._books:
            return self.scheduler.manager.reset_prefix_cache()

    @_alone
    def quantize(self, config: Any) -> torchao.QuantizedWeights:
        """Quantises the weights in place, between requests; cached blocks are forgotten, they are the old weights'.

        Args:
            config: a name as of `EngineConfig.quantization`, or a config of torchao.

        Raises:
            EngineError: requests are unfinished, or a prefix is pinned.
            ConfigError: torchao cannot do it to this model on this device; the weights are as they were then.
        """
        self._require_idle("quantize")
        if self.prefixes.names:
            raise EngineError(
                "quantize: a prefix is pinned, whose keys and values are the old weights'; unpin it first"
            )
        model = self.runner.model
        if hasattr(model, "restore"):
            model.restore()
        try:
            return torchao.quantize(model, config)
        finally:
            self._renew()

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
        model = self.runner.model
        if not hasattr(model, "update_weights"):
            raise ConfigError(f"update_weights: the weights of {type(model).__name__} are fixed; load another model")
        try:
            count: int = model.update_weights(weights)
        finally:
            self._renew()
        return count

    def _require_idle(self, what: str) -> None:
        if self._pending:
            raise EngineError(f"{what}: {len(self._pending)} requests are unfinished; do it before or after them")

    def _look_at_weights(self) -> None:
        """Before an idle engine runs again: whether somebody has changed the model since it ran last."""
        model = self.runner.model
        if not (self.scheduler.has_unfinished or self._flying) and hasattr(model, "look") and model.look():
            logger.info("the model's weights or adapters have changed: cached prefixes are computed anew")
            self._renew()

    def _renew(self) -> None:
        """The weights are others: nothing that was computed with the old ones is used again."""
        self._optimize(self.runner.model)
        self.runner.compile()
        with self._books:
            while self._flying:  # of requests that have ended
                self._flying.popleft().result()
            self.scheduler.drop_cache()
        self.prefixes.renew()

    def _optimize(self, model: PagedModel) -> None:
        if self.config.optimize and hasattr(model, "optimize"):
            model.optimize()

    @_alone
    def pin_prefix(self, prompt: Prompt, *, cache_salt: str | None = None) -> str:
        """`PrefixStore.pin` of a prompt, a text or tokens.

        Raises:
            RequestError: as `add_request`, or a prefix that cannot be pinned.
        """
        return self._pin(prompt, CacheKeys(salt=_require_salt("pin_prefix", cache_salt)))

    def _pin(self, prompt: Prompt, keys: CacheKeys) -> str:
        if self.runner.encoder is not None:
            raise ConfigError(
                "pin_prefix: the model has an encoder; what follows from its input is not found by tokens"
            )
        _, token_ids = self._tokens("prefix", prompt)
        self._require_known("prefix", "token id", token_ids)
        self._look_at_weights()
        return self.prefixes.pin(token_ids, keys)

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
        name = self._pin(prompt, CacheKeys())
        try:
            return self.prefixes.save(path, [name])
        finally:
            self.prefixes.unpin(name)

    @_alone
    def load_prefix(self, path: str | Path, *, cache_salt: str | None = None) -> list[str]:
        """`PrefixStore.load`."""
        self._look_at_weights()
        return self.prefixes.load(path, CacheKeys(salt=_require_salt("load_prefix", cache_salt)))

    @property
    def num_generated_tokens(self) -> int:
        """Since the engine was made."""
        return self._num_generated

    @property
    def num_computed_tokens(self) -> int:
        """Since the engine was made."""
        return self._num_computed

    @_alone
    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return EngineStats(
            cache=self.scheduler.manager.stats(),
            peak=self._peak,
            num_steps=self._num_steps,
            num_computed_tokens=self._num_computed,
            num_generated_tokens=self._num_generated,
            num_preemptions=self.scheduler.num_preemptions,
            num_swaps=self.scheduler.num_swaps,
            num_running=len(self.scheduler.running),
            num_waiting=len(self.scheduler.waiting),
            num_swapped=len(self.scheduler.swapped) + len(self.scheduler.parked),
        )

    @_alone
    def check(self) -> None:
        """Asserts the invariants of everything below, between steps."""
        assert len(self._flying) <= 2 and (self._unlaunched is None or not self._flying)
        self.scheduler.check()
        self.runner.check()
        self.prefixes.check()
        assert set(self.scheduler.requests) <= set(self._owner)
        several = (p.search or p.scoring for p in self._pending.values())
        names = {name for each in several if each is not None for name in each.names}
        names.update(name for p in self._pending.values() for name in p.completions)
        assert names == set(self._owner)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Neither pickled nor copied."""
        raise not_copied(self)

    def _tokens(self, request_id: str, prompt: Prompt, **options: Any) -> tuple[str | None, list[int]]:
        """(text, tokens); the options are the tokenizer's."""
        if isinstance(prompt, str):
            if self.tokenizer is None:
                raise RequestError(
                    f"request {request_id!r}: the prompt is a text and there is no tokenizer; pass tokens"
                )
            try:
                return prompt, list(self.tokenizer(prompt, **options)["input_ids"])
            except Exception as error:  # a tokenizer may raise anything, and only this request is concerned
                raise RequestError(f"request {request_id!r}: the tokenizer failed on the prompt: {error}") from error
        try:
            if isinstance(prompt, Mapping):
                raise TypeError
            return None, [operator.index(token) for token in prompt]
        except TypeError:
            raise RequestError(
                f"request {request_id!r}: the prompt is {prompt!r:.80}, expected a text or a sequence of token ids"
            ) from None

    def _require_known(self, request_id: str, what: str, token_ids: Sequence[int]) -> None:
        for token in token_ids:
            if not 0 <= token < self.vocab_size:
                raise RequestError(f"request {request_id!r}: {what} {token}, expected 0 to {self.vocab_size - 1}")

    def _update(self, step: SchedulerOutput, result: StepResult) -> list[RequestOutput]:
        changed: dict[str, _Pending] = {}
        # A request that ended while the step ran, by its last token or by abort, has no use for the results.
        ran = (request for item in step.requests for request in (item.request, *item.followers))
        if gone := {request.request_id for request in ran if request.finished}:
            result = result.without(gone)
        self._num_generated += len(result.token_ids)
        for child, reason in result.errors.items():
            failed = self.scheduler.finish(child, RequestStatus.FINISHED_ERROR, reason)
            assert failed is not None, f"{child} ran and is unknown"
            pending = changed[self._owner[child]] = self._pending[self._owner[child]]
            if pending.search is not None:
                self._end_beams(pending, "error", reason)
            else:
                self._finish(pending, child, failed)
        chosen = {c: t for c, t in result.token_ids.items() if self._pending[self._owner[c]].search is None}
        for request in self.scheduler.update(step, chosen):
            child = request.request_id
            if child not in self._owner:  # a beam whose siblings have ended the search
                continue
            pending = self._pending[self._owner[child]]
            if pending.output.num_cached_tokens is None:
                pending.output.num_cached_tokens = request.num_cached_tokens or 0
            if pending.scoring is not None:
                pending.scoring.take(child, result.scores.get(child, {}))
                if request.finished:
                    pending.output.metrics.num_preemptions += request.num_preemptions
                    if pending.scoring.finish(child):
                        pending.output.scores = pending.scoring.results()
                        changed[pending.output.request_id] = pending
                continue
            if pending.search is not None:
                if child in result.token_ids and self._take_beam(pending, child, result.logprobs[child]):
                    changed[pending.output.request_id] = pending
                continue
            try:
                self._take(pending, request, result)
            except Exception as error:  # one request's text must not end the others'
                reason = f"{type(error).__name__}: {error}"
                if not request.finished:
                    self.scheduler.finish(child, RequestStatus.FINISHED_ERROR, reason)
                request.status, request.error = RequestStatus.FINISHED_ERROR, reason
            if request.finished:
                self._finish(pending, child, request)
            if request.finished or child in result.token_ids:
                changed[pending.output.request_id] = pending
        for pending in changed.values():
            if pending.later is not None and not any(child in self.scheduler.requests for child in pending.completions):
                pending.later()
        return [self._emit(pending) for pending in changed.values()]

    def _take_beam(self, pending: _Pending, child: str, logprobs: TokenLogprobs) -> bool:
        """One beam's logprobs; True when the search has ended."""
        search = pending.search
        assert search is not None
        before = set(search.names)
        ended = search.take(child, {token: value for token, (value, _) in logprobs.items()})
        self._rename_beams(pending, before)
        return ended

    def _rename_beams(self, pending: _Pending, before: set[str]) -> None:
        """Beams have ended and forked: which of the scheduler's requests are whose."""
        assert pending.search is not None
        now = set(pending.search.names)
        for name in before - now:
            del self._owner[name]
            self.runner.sampler.forget(name)
        self._owner.update(dict.fromkeys(now - before, pending.output.request_id))

    def _end_beams(self, pending: _Pending, reason: str, error: str | None = None) -> None:
        """Ends a search early."""
        search = pending.search
        assert search is not None
        before = set(search.names)
        search.end()
        self._rename_beams(pending, before)
        if not search.group.hypotheses:
            pending.output.outputs.append(CompletionOutput(0, "", [], finish_reason=reason, error=error))

    def _take(self, pending: _Pending, request: Request, result: StepResult) -> None:
        child = request.request_id
        prompt_logprobs = pending.output.prompt_logprobs
        if prompt_logprobs is not None:
            for position, row in result.prompt_logprobs.get(child, {}).items():
                if position == len(prompt_logprobs):  # a preempted prompt is computed again, and known already
                    prompt_logprobs.append(self._logprobs(row))
        if child not in result.token_ids:
            return
        token = result.token_ids[child]
        completion = pending.completions[child]
        output = completion.output
        if pending.output.metrics.first_token_time is None:
            pending.output.metrics.first_token_time = time.monotonic()
        output.token_ids.append(token)
        if output.cumulative_logprob is not None:
            output.cumulative_logprob += result.logprobs[child][token][0]
        if output.logprobs is not None:
            output.logprobs.append(self._logprobs(result.logprobs[child]))
        hidden = request.status is RequestStatus.FINISHED_STOPPED  # the token that ended it is no text
        stopped = completion.detokenizer.append(() if hidden else (token,))
        if stopped is None and request.finished:
            stopped = completion.detokenizer.finish()
        output.text = completion.detokenizer.text
        if stopped is not None:
            if not request.finished:
                self.scheduler.finish(child, RequestStatus.FINISHED_STOPPED, stopped)
            request.status, request.stop_reason = RequestStatus.FINISHED_STOPPED, stopped

    def _logprobs(self, row: TokenLogprobs) -> dict[int, Logprob]:
        def text(token: int) -> str | None:
            return None if self.tokenizer is None else self.tokenizer.decode([token])

        return {token: Logprob(value, rank, text(token)) for token, (value, rank) in row.items()}

    def _finish(self, pending: _Pending, child: str, request: Request) -> None:
        output = pending.completions[child].output
        output.finish_reason, output.stop_reason, output.error = (
            request.finish_reason,
            request.stop_reason,
            request.error,
        )
        pending.output.metrics.num_preemptions += request.num_preemptions
        self.runner.sampler.forget(child)

    def _emit(self, pending: _Pending) -> RequestOutput:
        output = pending.output
        if pending.search is not None and not output.outputs:
            output.outputs = pending.search.completions(self.tokenizer)
            output.metrics.num_preemptions = pending.search.num_preemptions
        if all(completion.finished for completion in output.outputs):
            output.finished = True
            output.metrics.finished_time = time.monotonic()
            output.num_cached_tokens = output.num_cached_tokens or 0
            params = pending.params
            if isinstance(params, SamplingParams) and params.num_completions > params.n:
                _keep_best(output, params)
            del self._pending[output.request_id]
            for child in (*pending.completions, *(pending.scoring.names if pending.scoring else ())):
                del self._owner[child]
        return output


def _keep_best(output: RequestOutput, params: SamplingParams) -> None:
    """The `n` of `best_of` completions with the highest logprob; one that failed comes last."""

    def rank(completion: CompletionOutput) -> tuple[bool, float]:
        return completion.error is not None, -(completion.cumulative_logprob or 0.0)

    output.outputs = sorted(output.outputs, key=rank)[: params.n]
    for index, completion in enumerate(output.outputs):
        completion.index = index
        if params.logprobs is None:
            completion.cumulative_logprob = None


def _interrupted(pending: _Pending) -> RequestOutput:
    """What there is of a request that ends because its engine begins anew."""
    output = pending.output
    reason = "an interrupt cut the engine's bookkeeping short, and it began anew; add the request again"
    if not output.outputs:
        output.outputs.append(CompletionOutput(0, "", []))
    for completion in output.outputs:
        if not completion.finished:
            completion.finish_reason, completion.error = "error", reason
    output.finished, output.metrics.finished_time = True, time.monotonic()
    output.num_cached_tokens = output.num_cached_tokens or 0
    return output


def _checked(request_id: object, params: object, priority: Any, cache_salt: object) -> int:
    """The priority as a plain number; ConfigError for arguments of another kind."""
    if not isinstance(request_id, str):
        raise ConfigError(f"add_request: request_id is {request_id!r:.80}, expected a text")
    if not isinstance(params, (SamplingParams, BeamSearchParams, ScoringParams)):
        raise ConfigError(
            f"request {request_id!r}: params is {params!r:.80}, expected SamplingParams, BeamSearchParams, "
            "ScoringParams or None"
        )
    _require_salt(f"request {request_id!r}", cache_salt)
    try:
        return operator.index(priority)
    except TypeError:
        raise ConfigError(f"request {request_id!r}: priority is {priority!r:.80}, expected an integer") from None


def _require_salt(where: str, cache_salt: object) -> str | None:
    if cache_salt is not None and not isinstance(cache_salt, str):
        raise ConfigError(f"{where}: cache_salt is {cache_salt!r:.80}, expected a text or None")
    return cache_salt


def _for_an_encoder(config: EngineConfig) -> EngineConfig:
    """Settings for a model with an encoder: what stands in its blocks depends on more than its tokens."""
    for name, value in (("compile", config.compile is True), ("swap_space", bool(config.swap_space))):
        if value:
            raise ConfigError(
                f"EngineConfig: {name} is {getattr(config, name)}, but the model has an encoder, which it does not go "
                "with; leave it out"
            )
    return replace(config, enforce_eager=True, enable_prefix_caching=False)


def _eagerly(config: EngineConfig, reason: str) -> EngineConfig:
    """Settings for a model whose forward no graph can hold."""
    for name in ("compile", "cuda_graphs"):
        if getattr(config, name) is True:
            raise ConfigError(f"EngineConfig: {name} is True, but the model runs eagerly only: {reason}; leave it out")
    return replace(config, enforce_eager=True)


def _swap_blocks(model: PagedModel, config: EngineConfig) -> int:
    """Blocks that `swap_space` has room for."""
    if not config.swap_space:
        return 0
    layers = {i: shape.within(config.max_model_len or model.max_model_len) for i, shape in model.layers.items()}
    per_block = block_bytes(model, config, kv_cache_groups(layers, config.block_size))
    count = int(config.swap_space * 2**30) // per_block
    if count < 1:
        raise ConfigError(
            f"EngineConfig: swap_space is {config.swap_space} GiB, a block takes {per_block >> 10} KiB; "
            "raise it, or set 0"
        )
    return count


__all__ = ["EngineError", "EngineStats", "LLMEngine", "Prompt"]

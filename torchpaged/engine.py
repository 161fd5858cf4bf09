"""LLMEngine: joins the scheduler and the runner. add_request, step, abort; one step at a time, in one thread."""

from __future__ import annotations

import operator
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torchpaged.beam_search import BeamSearch
from torchpaged.config import EngineConfig
from torchpaged.detokenizer import Detokenizer
from torchpaged.encoder_prompt import split_prompt
from torchpaged.errors import ConfigError, EngineError, RequestError, not_copied
from torchpaged.integrations import torchao
from torchpaged.kv_cache import CacheKeys, CopyDirection, KVCacheManager, KVCacheStats
from torchpaged.model_runner import LaunchedStep, ModelRunner, PagedModel, StepResult, block_bytes
from torchpaged.outputs import CompletionOutput, Logprob, RequestMetrics, RequestOutput
from torchpaged.paged_kv_cache import kv_cache_groups
from torchpaged.phases import COPY, SCHEDULE, STEP, UPDATE, span
from torchpaged.prefix_store import PrefixStore
from torchpaged.request import EncoderInput, Request, RequestStatus
from torchpaged.sampler import TokenLogprobs
from torchpaged.sampling_params import BeamSearchParams, SamplingParams, ScoringParams
from torchpaged.scheduler import Scheduler, SchedulerOutput
from torchpaged.scoring import Scoring

Prompt = str | Sequence[int] | Mapping[str, Any]


@dataclass(slots=True)
class _Completion:
    """One of a request's completions, in the making."""

    output: CompletionOutput
    detokenizer: Detokenizer


@dataclass(slots=True)
class _Pending:
    """A request as the user sees it; behind it stand `n` requests of the scheduler, "id" or "id#1", "id#2", ..."""

    output: RequestOutput
    params: SamplingParams | BeamSearchParams | ScoringParams
    completions: dict[str, _Completion] = field(default_factory=dict)
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


class LLMEngine:
    """Continuous batching over one model.

    Args:
        model: what to run; `torchpaged.integrations.transformers` makes one of a transformers model.
        config: settings.
        tokenizer: of transformers; None when prompts are tokens and only tokens are wanted.
        eos_token_ids: tokens that end a text.

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
    ) -> None:
        self.config = config or EngineConfig()
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
        self._peak = self.scheduler.manager.stats()
        self._num_steps = self._num_computed = self._num_generated = 0
        self.prefixes = PrefixStore(self.scheduler, self.runner, self._run)
        self._seconds_per_token = 0.0  # of the last large step
        self._overlaps = self.config.overlaps(model.device.type)
        self._under_way: LaunchedStep | None = None

    @property
    def has_unfinished_requests(self) -> bool:
        """Whether `step` has anything to do."""
        return bool(self._pending)

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
            prompt: for a model with an encoder, what `encoder_prompt.split_prompt` takes.
            priority: lower runs first, with the scheduling policy "priority".
            cache_salt: only requests with the same salt share cached blocks.

        Raises:
            RequestError: the request can never run (empty, too long, tokens out of the vocabulary, an id in use, a
                text that the tokenizer fails on).
            ConfigError: `params` are none of those. Nothing has changed then, as with a RequestError.
        """
        params = SamplingParams() if params is None else params
        if not isinstance(params, (SamplingParams, BeamSearchParams, ScoringParams)):
            raise ConfigError(
                f"request {request_id!r}: params is {params!r:.80}, expected SamplingParams, BeamSearchParams, "
                "ScoringParams or None"
            )
        count = params.num_completions if isinstance(params, SamplingParams) else 1
        if isinstance(params, ScoringParams):
            count = len(params.continuations)
        children = [request_id, *(f"{request_id}#{index}" for index in range(1, count))]
        for child in children:
            if child in self._owner:
                names = "this id" if child == request_id else f"the id {child!r}, which a completion of this one needs,"
                raise RequestError(f"request {request_id!r}: an unfinished request has {names} already")
        encoder: EncoderInput | None = None
        if self.runner.encoder is None:
            text, token_ids = self._tokens(request_id, prompt)
        else:
            text, token_ids, encoder = split_prompt(request_id, prompt, self.runner.encoder, self._tokens)
        self._require_known(request_id, "token id", token_ids)
        output = RequestOutput(request_id, text, token_ids, [], False, RequestMetrics(arrival_time=time.monotonic()))
        pending = _Pending(output, params)
        keys = CacheKeys(salt=cache_salt)
        if isinstance(params, BeamSearchParams):
            pending.search = BeamSearch(
                self.scheduler,
                request_id,
                token_ids,
                params,
                self.eos_token_ids,
                priority=priority,
                cache_keys=keys,
                encoder=encoder,
            )
            self._owner[request_id] = request_id
        elif isinstance(params, ScoringParams):
            if encoder is not None:
                raise RequestError(f"request {request_id!r}: the model has an encoder, which scoring does not take")
            for tokens in params.continuations:
                self._require_known(request_id, "a continuation has token id", tokens)
            pending.scoring = Scoring(self.scheduler, request_id, token_ids, params, priority=priority, cache_keys=keys)
            self._owner.update(dict.fromkeys(pending.scoring.names, request_id))
        else:
            self._add_completions(pending, params, children, priority, keys, encoder)
        self._pending[request_id] = pending

    def _add_completions(
        self,
        pending: _Pending,
        params: SamplingParams,
        children: list[str],
        priority: int,
        keys: CacheKeys,
        encoder: EncoderInput | None,
    ) -> None:
        """The completions of a prompt: the first computes it, the others fork from it then."""
        output = pending.output
        request_id, token_ids = output.request_id, output.prompt_token_ids
        if params.stop and self.tokenizer is None:
            raise RequestError(f"request {request_id!r}: stop is {params.stop!r}, but stop strings need a tokenizer")
        self._require_known(request_id, "stop_token_ids has", params.stop_token_ids)
        if params.prompt_logprobs is not None:
            output.prompt_logprobs = [None] * min(params.prompt_logprobs_start, len(token_ids))
        ranked = params.num_completions > params.n  # by their logprobs, asked for or not
        logprobs = 0 if ranked and params.logprobs is None else params.logprobs
        own = {}
        for index, child in enumerate(children):
            seed = None if params.seed is None else params.seed + index
            # The completions share the prompt: its logprobs are computed with the first.
            of_prompt = params.prompt_logprobs if index == 0 else None
            own[child] = replace(params, n=1, best_of=None, seed=seed, logprobs=logprobs, prompt_logprobs=of_prompt)
        width = self.config.max_num_seqs  # as many as can run at once share a leader
        for start in range(0, len(children), width):
            leader, *others = children[start : start + width]
            self.scheduler.add(
                leader,
                token_ids,
                own[leader],
                self.eos_token_ids,
                priority=priority,
                cache_keys=keys,
                followers=[(child, own[child]) for child in others],
                encoder=encoder,
            )
        for index, child in enumerate(children):
            completion = CompletionOutput(index, "", [])
            if logprobs is not None:
                completion.cumulative_logprob = 0.0
                completion.logprobs = None if params.logprobs is None else []
            output.outputs.append(completion)
            detokenizer = Detokenizer(self.tokenizer, token_ids, params.stop, params.min_tokens)
            pending.completions[child] = _Completion(completion, detokenizer)
            self._owner[child] = request_id

    def step(self) -> list[RequestOutput]:
        """Computes one batch. Returns the requests that got tokens or ended, as they are now.

        A request whose results cannot be processed ends with finish_reason "error"; the others go on.

        Raises:
            EngineError: the scheduler found nothing to run.
            Exception: what the forward itself raised; the step's requests are as before it and may be tried again or
                aborted.
        """
        if not self.scheduler.has_unfinished:
            return []
        with span(STEP):
            if self._under_way is None:
                self._under_way = self._launch()
            current = self._under_way
            following = None
            if self._overlaps and self._may_overlap(current.step):
                # Should this raise, the current step stays under way and is asked for again.
                if not current.step.advanced:
                    self.scheduler.advance(current.step)
                following = self._launch()
            self._under_way = following
            result = self._finish_step(current)
            with span(UPDATE):
                changed = self._update(current.step, result)
            if following is not None and not (self.scheduler.has_unfinished and following.step.requests):
                self._drop(following)
            return changed

    def _drop(self, under_way: LaunchedStep) -> None:
        """Ends a step that nobody waits for: all requests have ended, or there was none that could run."""
        self._under_way = None
        under_way.result()
        self.scheduler.update(under_way.step, {})

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
        under_way = self._launch()
        return under_way.step, self._finish_step(under_way)

    def _finish_step(self, under_way: LaunchedStep) -> StepResult:
        """Waits for a step's results."""
        result = under_way.result()
        num_tokens = under_way.step.num_tokens
        if num_tokens >= _PREFILL:
            self._seconds_per_token = (time.perf_counter() - under_way.started) / num_tokens
        return result

    def _launch(self) -> LaunchedStep:
        """Schedules a step and starts to compute it, or takes it back."""
        scheduler = self.scheduler
        with span(SCHEDULE):
            step = self.last_step = scheduler.schedule()
        try:
            self._copy(step)
        except BaseException:
            scheduler.revert(step)
            scheduler.drop_cache()
            raise
        try:
            under_way = self.runner.launch(step)
        except BaseException:
            scheduler.revert(step)
            raise
        num_tokens = step.num_tokens
        pool = scheduler.manager.pool
        if pool.num_usable - pool.num_free > self._peak.num_used_blocks:
            self._peak = scheduler.manager.stats()
        self._num_steps += bool(num_tokens)
        self._num_computed += num_tokens
        return under_way

    def _copy(self, step: SchedulerOutput) -> None:
        """Makes the step's copies; what they take decides whether the next victim is swapped or computed again."""
        if not step.copies:
            return
        start = time.perf_counter()
        with span(COPY, self.runner.model.device):
            self.runner.copy(step.copies)
        # Copies within the device are faster than those that the choice is about.
        swaps = all(copy.direction is not CopyDirection.WITHIN for copy in step.copies)
        if swaps and self._seconds_per_token:
            seconds = (time.perf_counter() - start) / len(step.copies)
            self.scheduler.recompute_per_block = 2 * seconds / self._seconds_per_token  # out and in again

    def abort(self, request_id: str) -> RequestOutput | None:
        """Ends a request in whatever state it is and returns what there is of it; None when there is none."""
        pending = self._pending.get(request_id)
        if pending is None:
            return None
        if pending.search is not None:
            self._end_beams(pending, "abort")
            return self._emit(pending)
        for child in pending.scoring.names if pending.scoring else ():
            self.scheduler.finish(child, RequestStatus.FINISHED_ABORTED)
        for child in list(pending.completions):
            if (request := self.scheduler.finish(child, RequestStatus.FINISHED_ABORTED)) is not None:
                self._finish(pending, child, request)
        return self._emit(pending)

    def reset_prefix_cache(self) -> bool:
        """Forgets all cached blocks; False, and nothing changes, while a request or a pin holds one."""
        return self.scheduler.manager.reset_prefix_cache()

    def quantize(self, config: Any) -> torchao.QuantizedWeights:
        """Quantises the weights in place, between requests; cached blocks are forgotten, they are the old weights'.

        Args:
            config: a name as of `EngineConfig.quantization`, or a config of torchao.

        Raises:
            EngineError: requests are unfinished, or a prefix is pinned.
            ConfigError: torchao cannot do it to this model on this device; the weights are as they were then.
        """
        if self.has_unfinished_requests:
            raise EngineError(f"quantize: {len(self._pending)} requests are unfinished; quantise before or after them")
        if not self.reset_prefix_cache():
            raise EngineError(
                "quantize: a prefix is pinned, whose keys and values are the old weights'; unpin it first"
            )
        model = self.runner.model
        if hasattr(model, "restore"):
            model.restore()
        try:
            done = torchao.quantize(model, config)
        finally:
            self._optimize(model)
        self.runner.compile()
        return done

    def _optimize(self, model: PagedModel) -> None:
        if self.config.optimize and hasattr(model, "optimize"):
            model.optimize()

    def pin_prefix(self, prompt: Prompt, *, cache_salt: str | None = None) -> str:
        """`PrefixStore.pin` of a prompt, a text or tokens.

        Raises:
            RequestError: as `add_request`, or a prefix that cannot be pinned.
        """
        if self.runner.encoder is not None:
            raise ConfigError(
                "pin_prefix: the model has an encoder; what follows from its input is not found by tokens"
            )
        _, token_ids = self._tokens("prefix", prompt)
        self._require_known("prefix", "token id", token_ids)
        return self.prefixes.pin(token_ids, CacheKeys(salt=cache_salt))

    def save_prefix(self, path: str | Path, prompt: Prompt | None = None) -> int:
        """`PrefixStore.save` of a prompt, computed first unless it is cached, or of all pins."""
        if prompt is None:
            return self.prefixes.save(path)
        name = self.pin_prefix(prompt)
        try:
            return self.prefixes.save(path, [name])
        finally:
            self.prefixes.unpin(name)

    @property
    def num_generated_tokens(self) -> int:
        """Since the engine was made."""
        return self._num_generated

    @property
    def num_computed_tokens(self) -> int:
        """Since the engine was made."""
        return self._num_computed

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

    def check(self) -> None:
        """Asserts the invariants of everything below, between steps."""
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
        gone = {item.request_id for item in step.requests if item.request.finished}
        if gone:
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


# A step of as many tokens is bound by arithmetic, as recomputing is; a decode step is bound by reading weights.
_PREFILL = 64

__all__ = ["EngineError", "EngineStats", "LLMEngine", "Prompt"]

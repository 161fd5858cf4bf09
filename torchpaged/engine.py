"""LLMEngine: joins the scheduler and the runner. add_request, step, abort; one step at a time, in one thread."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.detokenizer import Detokenizer
from torchpaged.errors import ConfigError, EngineError, RequestError
from torchpaged.kv_cache import KVCacheManager, KVCacheStats
from torchpaged.model_runner import ModelRunner, PagedModel, StepResult
from torchpaged.outputs import CompletionOutput, Logprob, RequestMetrics, RequestOutput
from torchpaged.request import Request, RequestStatus
from torchpaged.sampler import TokenLogprobs
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduler import Scheduler, SchedulerOutput

Prompt = str | Sequence[int]


@dataclass(slots=True)
class _Completion:
    """One of a request's completions, in the making."""

    output: CompletionOutput
    detokenizer: Detokenizer


@dataclass(slots=True)
class _Pending:
    """A request as the user sees it; behind it stand `n` requests of the scheduler, "id" or "id#1", "id#2", ..."""

    output: RequestOutput
    params: SamplingParams
    completions: dict[str, _Completion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EngineStats:
    """Counters since the engine was made, and the cache as it is now."""

    cache: KVCacheStats
    peak: KVCacheStats  # the cache when most of its blocks were in use
    num_steps: int
    num_computed_tokens: int
    num_generated_tokens: int
    num_preemptions: int
    num_running: int
    num_waiting: int


class LLMEngine:
    """Continuous batching over one model.

    Args:
        model: what to run; `torchpaged.integrations.transformers` makes one of a transformers model.
        config: settings.
        tokenizer: of transformers; None when prompts are tokens and only tokens are wanted.
        eos_token_ids: tokens that end a text.

    Raises:
        ConfigError: the pool cannot be sized as asked, or max_model_len is longer than the model's.
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
        self.tokenizer = tokenizer
        self.vocab_size = model.vocab_size
        self.eos_token_ids = tuple(token for token in eos_token_ids if 0 <= token < self.vocab_size)
        self.max_model_len = self.config.max_model_len or model.max_model_len
        if self.max_model_len > model.max_model_len:
            raise ConfigError(
                f"EngineConfig: max_model_len is {self.max_model_len}, the model has {model.max_model_len} positions"
            )
        self.runner = ModelRunner(model, self.config, self.max_model_len)
        self.scheduler = Scheduler(
            KVCacheManager(self.runner.groups, self.runner.kv_cache.num_blocks),
            max_num_seqs=self.config.max_num_seqs,
            max_num_batched_tokens=self.config.max_num_batched_tokens,
            max_model_len=self.max_model_len,
            long_prefill_token_threshold=self.config.long_prefill_token_threshold,
        )
        self._pending: dict[str, _Pending] = {}
        self._owner: dict[str, str] = {}  # a scheduler's request id -> the user's
        self._peak = self.scheduler.manager.stats()
        self._num_steps = self._num_computed = self._num_generated = 0

    @property
    def has_unfinished_requests(self) -> bool:
        """Whether `step` has anything to do."""
        return bool(self._pending)

    def add_request(self, request_id: str, prompt: Prompt, params: SamplingParams | None = None) -> None:
        """Queues a prompt, a text or tokens; it may be called between any two steps.

        Raises:
            RequestError: the request can never run (empty, too long, tokens out of the vocabulary, an id in use, a
                text that the tokenizer fails on).
            ConfigError: `params` are no SamplingParams. Nothing has changed then, as with a RequestError.
        """
        params = SamplingParams() if params is None else params
        if not isinstance(params, SamplingParams):
            raise ConfigError(f"request {request_id!r}: params is {params!r:.80}, expected SamplingParams or None")
        children = [request_id, *(f"{request_id}#{index}" for index in range(1, params.n))]
        for child in children:
            if child in self._owner:
                names = "this id" if child == request_id else f"the id {child!r}, which a completion of this one needs,"
                raise RequestError(f"request {request_id!r}: an unfinished request has {names} already")
        if params.stop and self.tokenizer is None:
            raise RequestError(f"request {request_id!r}: stop is {params.stop!r}, but stop strings need a tokenizer")
        text, token_ids = self._tokens(request_id, prompt)
        self._require_known(request_id, "token id", token_ids)
        self._require_known(request_id, "stop_token_ids has", params.stop_token_ids)
        metrics = RequestMetrics(arrival_time=time.monotonic())
        output = RequestOutput(request_id, text, token_ids, [], False, metrics)
        if params.prompt_logprobs is not None:
            output.prompt_logprobs = [None]
        pending = _Pending(output, params)
        for index, child in enumerate(children):
            seed = None if params.seed is None else params.seed + index
            # The completions share the prompt: its logprobs are computed with the first.
            own = replace(params, n=1, seed=seed, prompt_logprobs=params.prompt_logprobs if index == 0 else None)
            self.scheduler.add(child, token_ids, own, self.eos_token_ids)
            completion = CompletionOutput(index, "", [])
            if params.logprobs is not None:
                completion.logprobs, completion.cumulative_logprob = [], 0.0
            output.outputs.append(completion)
            detokenizer = Detokenizer(self.tokenizer, token_ids, params.stop, params.min_tokens)
            pending.completions[child] = _Completion(completion, detokenizer)
            self._owner[child] = request_id
        self._pending[request_id] = pending

    def step(self) -> list[RequestOutput]:
        """Computes one batch. Returns the requests that got tokens or ended, as they are now.

        A request whose results cannot be processed ends with finish_reason "error"; the others go on.

        Raises:
            EngineError: the scheduler found nothing to run, or the forward itself failed; after the latter the
                step's requests are as before it and may be tried again or aborted.
        """
        if not self.scheduler.has_unfinished:
            return []
        step = self.scheduler.schedule()
        result = self.runner.run(step)
        stats = self.scheduler.manager.stats()
        if stats.num_used_blocks > self._peak.num_used_blocks:
            self._peak = stats
        self._num_steps += 1
        self._num_computed += step.num_tokens
        self._num_generated += len(result.token_ids)
        return self._update(step, result)

    def abort(self, request_id: str) -> RequestOutput | None:
        """Ends a request in whatever state it is and returns what there is of it; None when there is none."""
        pending = self._pending.get(request_id)
        if pending is None:
            return None
        for child in list(pending.completions):
            if (request := self.scheduler.finish(child, RequestStatus.FINISHED_ABORTED)) is not None:
                self._finish(pending, child, request)
        return self._emit(pending)

    def stats(self) -> EngineStats:
        """How full the cache is and what has been done."""
        return EngineStats(
            cache=self.scheduler.manager.stats(),
            peak=self._peak,
            num_steps=self._num_steps,
            num_computed_tokens=self._num_computed,
            num_generated_tokens=self._num_generated,
            num_preemptions=self.scheduler.num_preemptions,
            num_running=len(self.scheduler.running),
            num_waiting=len(self.scheduler.waiting),
        )

    def check(self) -> None:
        """Asserts the invariants of everything below, between steps."""
        self.scheduler.check()
        self.runner.check()
        assert set(self.scheduler.requests) <= set(self._owner)
        assert {c for p in self._pending.values() for c in p.completions} == set(self._owner)

    def _tokens(self, request_id: str, prompt: Prompt) -> tuple[str | None, list[int]]:
        if isinstance(prompt, str):
            if self.tokenizer is None:
                raise RequestError(
                    f"request {request_id!r}: the prompt is a text and there is no tokenizer; pass tokens"
                )
            try:
                return prompt, list(self.tokenizer(prompt)["input_ids"])
            except Exception as error:  # a tokenizer may raise anything, and only this request is concerned
                raise RequestError(f"request {request_id!r}: the tokenizer failed on the prompt: {error}") from error
        try:
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
        for child, reason in result.errors.items():
            failed = self.scheduler.finish(child, RequestStatus.FINISHED_ERROR, reason)
            assert failed is not None, f"{child} ran and is unknown"
            pending = changed[self._owner[child]] = self._pending[self._owner[child]]
            self._finish(pending, child, failed)
        for request in self.scheduler.update(step, result.token_ids):
            child = request.request_id
            pending = self._pending[self._owner[child]]
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
        if output.logprobs is not None and output.cumulative_logprob is not None:
            output.logprobs.append(self._logprobs(result.logprobs[child]))
            output.cumulative_logprob += result.logprobs[child][token][0]
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
        if all(completion.finished for completion in output.outputs):
            output.finished = True
            output.metrics.finished_time = time.monotonic()
            del self._pending[output.request_id]
            for child in pending.completions:
                del self._owner[child]
        return output


__all__ = ["EngineError", "EngineStats", "LLMEngine", "Prompt"]

"""Group: what a user asked for, as a client of the scheduler. Sampling, beams, scores and pins are groups."""

from __future__ import annotations

import time
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from torchpaged.kv_cache import CacheKeys
from torchpaged.kv_cache.block_hash import NO_KEYS
from torchpaged.outputs import CompletionOutput, ContinuationScore, Logprobs, RequestMetrics, RequestOutput
from torchpaged.scheduling import EncoderInput, Results, Scheduler, Scores, Sequence


class Group(Protocol):
    """One request, which knows the sequences behind it.

    The engine hands each of them what a step has brought, in this order: scores, then the decision that a held one
    waits for, then the tokens of those that went on by themselves.

    Attributes:
        request: what it is about.
        finished: nothing more will come.
    """

    request: Request
    finished: bool

    @property
    def shows_deltas(self) -> bool:
        """Whether what it shows is what came since the last time; else it is all there is."""
        ...

    def start(self, scheduler: Scheduler) -> None:
        """Adds its first sequences, which were found to have room."""
        ...

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Takes scores of tokens that a sequence had."""
        ...

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Extends, forks or finishes a held sequence whose tokens are all computed."""
        ...

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Takes the tokens of a sequence that went on, or ended, by itself."""
        ...

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """Ends all of its sequences."""
        ...

    def output(self) -> RequestOutput | None:
        """What there is to show that was not shown yet, as values that nobody changes later; None: nothing."""
        ...


@dataclass(slots=True)
class Request:
    """What all kinds have in common.

    Args:
        number: the engine's own; the owner of its sequences.
        request_id: the user's.
        prompt: as a text, None where tokens were given.
        token_ids: the prompt's.
        priority: lower runs first, where the policy looks at it.
        keys: what else than tokens its blocks are found by.
        encoder: what the model's encoder reads.
        prompt_embeds: as of `NewSequence`.
        n, max_tokens: completions that it asks for, and generated tokens of each at most; 0 and None: of no kind that
            generates, and no limit.
        num_cached_tokens: of the prompt; None before it is known.
    """

    number: int
    request_id: str
    prompt: str | None
    token_ids: list[int]
    priority: int = 0
    keys: CacheKeys = NO_KEYS
    encoder: EncoderInput | None = None
    prompt_embeds: Any = None
    n: int = 0
    max_tokens: int | None = None
    arrival_time: float = field(default_factory=time.monotonic)
    first_scheduled_time: float | None = None
    first_token_time: float | None = None
    finished_time: float | None = None
    num_preemptions: int = 0
    num_cached_tokens: int | None = None
    _shown_prompt: list[int] = field(init=False)  # the user's own

    def __post_init__(self) -> None:
        # Of embeddings, which have no tokens, vLLM shows zeros.
        self._shown_prompt = list(self.token_ids) if self.prompt_embeds is None else [0] * len(self.token_ids)

    def note(self, sequence: Sequence) -> None:
        """What is to be known of a sequence that has run, or has ended."""
        if self.num_cached_tokens is None:
            self.num_cached_tokens = sequence.num_cached_tokens
        if sequence.ended:
            self.num_preemptions += sequence.num_preemptions

    def make_output(
        self,
        outputs: list[CompletionOutput],
        *,
        finished: bool,
        prompt_logprobs: Logprobs | None = None,
        scores: list[ContinuationScore] | None = None,
        pooled: NDArray[np.float32] | None = None,
    ) -> RequestOutput:
        """As the user sees it."""
        if finished and self.finished_time is None:
            self.finished_time = time.monotonic()
        metrics = RequestMetrics(
            self.arrival_time,
            self.first_scheduled_time,
            self.first_token_time,
            self.finished_time,
            self.num_preemptions,
        )
        cached = self.num_cached_tokens
        return RequestOutput(
            self.request_id,
            self.prompt,
            list(self._shown_prompt),
            outputs,
            finished,
            metrics,
            num_cached_tokens=0 if cached is None and finished else cached,
            prompt_logprobs=prompt_logprobs,
            scores=scores,
            pooled=pooled,
        )


def abandoned(group: Group, scheduler: Scheduler, reason: str) -> RequestOutput | None:
    """What there is of a request that ends with an error in the middle of a step; its own state may be cut short."""
    try:
        group.end(scheduler, "error", reason)
        return group.output()
    except Exception:
        return errored(group.request, reason)


def errored(request: Request, reason: str) -> RequestOutput:
    """The end of a request of which nothing else can be shown."""
    return request.make_output([CompletionOutput(0, "", [], finish_reason="error", error=reason)], finished=True)

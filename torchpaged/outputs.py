"""What a user gets back: RequestOutput and what it is made of. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field


class Answer(int):
    """Yes or no, read as a value or called: of vLLM's names that ask, some are attributes and some are methods."""

    __slots__ = ()

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


@dataclass(frozen=True, slots=True)
class Logprob:
    """One alternative at one position: natural log, rank 1 being the likeliest, and the token's text."""

    logprob: float
    rank: int
    decoded_token: str | None = None


@dataclass(slots=True)
class CompletionOutput:
    """One completion.

    Args:
        index: which of the request's n completions.
        text: without the stop string or the end-of-sequence token.
        token_ids: all generated tokens, the ending one included.
        logprobs: for each token the alternatives by token id, or None.
        cumulative_logprob: sum over the tokens, or None.
        score: of beam search: the cumulative logprob by length; None otherwise.
        finish_reason: "stop", "length", "abort", "error", or None while it runs.
        stop_reason: the stop string or stop token that ended it.
        error: what went wrong, with finish_reason "error".
    """

    index: int
    text: str
    token_ids: list[int]
    logprobs: list[dict[int, Logprob]] | None = None
    cumulative_logprob: float | None = None
    score: float | None = None
    finish_reason: str | None = None
    stop_reason: str | int | None = None
    error: str | None = None

    @property
    def finished(self) -> Answer:
        """Whether no more tokens will come; vLLM's is called."""
        return Answer(self.finish_reason is not None)


@dataclass(frozen=True, slots=True)
class ContinuationScore:
    """How likely a given continuation is.

    Args:
        logprob: the sum over its tokens, natural log; NaN where the model's logits are.
        is_greedy: whether each of its tokens is the likeliest.
    """

    logprob: float
    is_greedy: bool


@dataclass(slots=True)
class RequestMetrics:
    """Seconds of `time.monotonic()`; None for what has not happened."""

    arrival_time: float
    first_token_time: float | None = None
    finished_time: float | None = None
    num_preemptions: int = 0


@dataclass(slots=True)
class RequestOutput:
    """A request and its completions so far.

    Args:
        prompt: the text, None when tokens were given.
        prompt_logprobs: for each prompt token the alternatives by token id, None for the first and those that were
            not asked for.
        scores: of `ScoringParams`: one for each continuation; None where nothing was to be scored, or before the end.
        num_cached_tokens: prompt tokens that were not computed because the cache had them; None before it is known.
    """

    request_id: str
    prompt: str | None
    prompt_token_ids: list[int]
    outputs: list[CompletionOutput]
    finished: bool
    metrics: RequestMetrics
    num_cached_tokens: int | None = None
    prompt_logprobs: list[dict[int, Logprob] | None] | None = field(default=None)
    scores: list[ContinuationScore] | None = None

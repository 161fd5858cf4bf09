"""What a user gets back: RequestOutput and what it is made of. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar


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
    def finished(self) -> bool:
        """Whether no more tokens will come."""
        return self.finish_reason is not None


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
        pooled: of `PoolingParams`: a numpy array of float32, [width], or [num_tokens, width] for each token; None where
            nothing was to be pooled, or before the end.
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
    pooled: Any = field(default=None, compare=False)


@dataclass(slots=True)
class PoolingOutput:
    """What was made of a prompt's hidden states.

    Args:
        data: a tensor of float32, [width], or [num_tokens, width] for each token.
    """

    data: Any


@dataclass(slots=True)
class EmbeddingOutput:
    """The vector of a prompt."""

    embedding: list[float]

    @property
    def hidden_size(self) -> int:
        """Its numbers."""
        return len(self.embedding)


@dataclass(slots=True)
class ClassificationOutput:
    """How likely each class is, or its logit."""

    probs: list[float]

    @property
    def num_classes(self) -> int:
        """Of the model."""
        return len(self.probs)


@dataclass(slots=True)
class ScoringOutput:
    """How well two texts go together: what the model was trained to say of it, or the cosine of their vectors."""

    score: float


_Pooled = TypeVar("_Pooled")


@dataclass(slots=True)
class PoolingRequestOutput(Generic[_Pooled]):
    """A request of which something was pooled.

    Args:
        num_cached_tokens: prompt tokens that were not computed because the cache had them.
    """

    request_id: str
    outputs: _Pooled
    prompt_token_ids: list[int]
    num_cached_tokens: int
    finished: bool


class EmbeddingRequestOutput(PoolingRequestOutput[EmbeddingOutput]):
    """Of `LLM.embed`."""

    __slots__ = ()


class ClassificationRequestOutput(PoolingRequestOutput[ClassificationOutput]):
    """Of `LLM.classify`."""

    __slots__ = ()


class ScoringRequestOutput(PoolingRequestOutput[ScoringOutput]):
    """Of `LLM.score`."""

    __slots__ = ()

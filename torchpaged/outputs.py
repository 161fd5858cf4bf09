"""What a user gets back: RequestOutput and what it is made of. Plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload


class Answer(int):
    """Yes or no, read as a value or called: of vLLM's names that ask, some are attributes and some are methods."""

    __slots__ = ()

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


@dataclass(frozen=True, slots=True)
class Logprob:
    """One alternative at one position: natural log, rank 1 being the likeliest (None: unknown), and the text."""

    logprob: float
    rank: int | None = None
    decoded_token: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """As a call: those of a prompt are thousands, which go from process to process so in a fraction of the time."""
        return Logprob, (self.logprob, self.rank, self.decoded_token)


class FlatLogprobs(Sequence[dict[int, Logprob] | None]):
    """The logprobs of some positions in one list of each kind, which costs few objects however many there are.

    It reads as a list of dictionaries, which are made when they are asked for; a slice is another one of these.

    Attributes:
        start_indices, end_indices: of each position, where its alternatives are in the other lists.
        token_ids, logprobs, ranks, decoded_tokens: of each alternative.
    """

    def __init__(self, positions: Iterable[dict[int, Logprob] | None] = ()) -> None:
        self.start_indices: list[int] = []
        self.end_indices: list[int] = []
        self.token_ids: list[int] = []
        self.logprobs: list[float] = []
        self.ranks: list[int | None] = []
        self.decoded_tokens: list[str | None] = []
        self.extend(positions)

    def append(self, position: dict[int, Logprob] | None) -> None:
        """The next position's alternatives; None has none."""
        self.start_indices.append(len(self.token_ids))
        for token, each in (position or {}).items():
            self.token_ids.append(token)
            self.logprobs.append(each.logprob)
            self.ranks.append(each.rank)
            self.decoded_tokens.append(each.decoded_token)
        self.end_indices.append(len(self.token_ids))

    def extend(self, positions: Iterable[dict[int, Logprob] | None]) -> None:
        """Several positions, one after the other."""
        for position in positions:
            self.append(position)

    def __len__(self) -> int:
        return len(self.start_indices)

    @overload
    def __getitem__(self, index: int) -> dict[int, Logprob]: ...

    @overload
    def __getitem__(self, index: slice) -> FlatLogprobs: ...

    def __getitem__(self, index: int | slice) -> dict[int, Logprob] | FlatLogprobs:
        if isinstance(index, slice):
            return FlatLogprobs(self[place] for place in range(*index.indices(len(self))))
        places = range(self.start_indices[index], self.end_indices[index])
        return {self.token_ids[i]: Logprob(self.logprobs[i], self.ranks[i], self.decoded_tokens[i]) for i in places}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"FlatLogprobs({len(self)} positions, {len(self.token_ids)} logprobs)"


# Of one position after the other; None where none were asked for.
Logprobs = list[dict[int, Logprob] | None] | FlatLogprobs


def copied(logprobs: Logprobs, first: int = 0) -> Logprobs:
    """The positions from `first` on, which share nothing with those that are copied."""
    if isinstance(logprobs, FlatLogprobs):
        return logprobs[first:]
    return [None if each is None else dict(each) for each in logprobs[first:]]


@dataclass(slots=True)
class CompletionOutput:
    """One completion.

    Args:
        index: which of the request's n completions.
        text: without the stop string or the end-of-sequence token, unless `include_stop_str_in_output` asks for it.
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
    logprobs: Logprobs | None = None
    cumulative_logprob: float | None = None
    score: float | None = None
    finish_reason: str | None = None
    stop_reason: str | int | None = None
    error: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """As a call: each token goes from process to process so, and as dataclasses do it takes ten times as long."""
        rest = self.score, self.finish_reason, self.stop_reason, self.error
        return CompletionOutput, (self.index, self.text, self.token_ids, self.logprobs, self.cumulative_logprob, *rest)

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
    first_scheduled_time: float | None = None
    first_token_time: float | None = None
    finished_time: float | None = None
    num_preemptions: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """As of `CompletionOutput`."""
        times = self.arrival_time, self.first_scheduled_time, self.first_token_time, self.finished_time
        return RequestMetrics, (*times, self.num_preemptions)


@dataclass(slots=True)
class RequestOutput:
    """A request and its completions so far.

    Args:
        prompt: the text, None when tokens were given.
        prompt_logprobs: for each prompt token the alternatives by token id, None for the first and those that were
            not asked for. With `RequestOutputKind.DELTA` the first output alone has them.
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
    prompt_logprobs: Logprobs | None = field(default=None)
    scores: list[ContinuationScore] | None = None
    pooled: Any = field(default=None, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """As of `CompletionOutput`."""
        asked = self.request_id, self.prompt, self.prompt_token_ids
        rest = self.num_cached_tokens, self.prompt_logprobs, self.scores, self.pooled
        return RequestOutput, (*asked, self.outputs, self.finished, self.metrics, *rest)


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

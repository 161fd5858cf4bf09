"""Results for the user: RequestOutput and its parts, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar, overload

from torchpaged.lora_request import LoRARequest

# vLLM's name of the weights that an engine is made with.
FIRST_VERSION = "default"


class CallableBool(int):
    """A bool that can also be called: vLLM has some of these names as attributes and some as methods."""

    __slots__ = ()

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))


# Not frozen, as vLLM's is not: the constructor takes less than half of the time, and a prompt has thousands of these.
@dataclass(slots=True, unsafe_hash=True)
class Logprob:
    """One alternative token at one position: natural log, rank (1 is the most likely, None: unknown) and text."""

    logprob: float
    rank: int | None = None
    decoded_token: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a constructor call, many times faster."""
        return Logprob, (self.logprob, self.rank, self.decoded_token)


class FlatLogprobs(Sequence[dict[int, Logprob] | None]):
    """Logprobs of several positions in a few flat lists, instead of one object per alternative.

    It behaves as a sequence of dictionaries, which are made on access; a slice is a FlatLogprobs too.

    Attributes:
        start_indices, end_indices: for each position, the range of its alternatives in the other lists.
        token_ids, logprobs, ranks, decoded_tokens: one entry per alternative.
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
        """Add the alternatives of the next position; None: it has none."""
        self.start_indices.append(len(self.token_ids))
        for token, each in (position or {}).items():
            self.token_ids.append(token)
            self.logprobs.append(each.logprob)
            self.ranks.append(each.rank)
            self.decoded_tokens.append(each.decoded_token)
        self.end_indices.append(len(self.token_ids))

    def extend(self, positions: Iterable[dict[int, Logprob] | None]) -> None:
        """Add several positions."""
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
            first, last, step = index.indices(len(self))
            return self._part(first, last) if step == 1 else FlatLogprobs(self[i] for i in range(first, last, step))
        places = range(self.start_indices[index], self.end_indices[index])
        return {self.token_ids[i]: Logprob(self.logprobs[i], self.ranks[i], self.decoded_tokens[i]) for i in places}

    def _part(self, first: int, last: int) -> FlatLogprobs:
        """Copy positions [first, last) list by list, without an object for each alternative."""
        part = FlatLogprobs()
        starts, ends = self.start_indices[first:last], self.end_indices[first:last]
        if starts:
            begin, end = starts[0], ends[-1]
            part.start_indices, part.end_indices = [each - begin for each in starts], [each - begin for each in ends]
            part.token_ids, part.logprobs = self.token_ids[begin:end], self.logprobs[begin:end]
            part.ranks, part.decoded_tokens = self.ranks[begin:end], self.decoded_tokens[begin:end]
        return part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"FlatLogprobs({len(self)} positions, {len(self.token_ids)} logprobs)"


# One entry per position; None where none were requested.
Logprobs = list[dict[int, Logprob] | None] | FlatLogprobs


def copied(logprobs: Logprobs, first: int = 0) -> Logprobs:
    """Copy the positions from `first` on."""
    if isinstance(logprobs, FlatLogprobs):
        return logprobs[first:]
    return [None if each is None else dict(each) for each in logprobs[first:]]


class WeightVersionSpan(NamedTuple):
    """Tokens [start, end) of a completion were drawn with the weights that have this name."""

    version: str
    start: int
    end: int


@dataclass(slots=True)
class CompletionOutput:
    """One completion.

    Args:
        index: number of the completion among the request's n.
        text: without the stop string or end-of-sequence token, unless `include_stop_str_in_output` is set.
        token_ids: all generated tokens, the last one included.
        logprobs: for each token the alternatives by token id, or None.
        cumulative_logprob: sum over the tokens, or None.
        score: beam search's cumulative logprob divided by a power of the length; None for other requests.
        finish_reason: "stop", "length", "abort", "error", or None while it runs.
        stop_reason: the stop string or stop token that ended it.
        error: what went wrong, with finish_reason "error".
        weight_versions: which weights drew the tokens: runs that together are all tokens so far, in order. None in an
            output before the last one, as long as all tokens have the same.
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
    weight_versions: list[WeightVersionSpan] | None = field(default=None, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a constructor call, ten times faster than as a dataclass: one is sent for each token."""
        rest = self.score, self.finish_reason, self.stop_reason, self.error, self.weight_versions
        return CompletionOutput, (self.index, self.text, self.token_ids, self.logprobs, self.cumulative_logprob, *rest)

    @property
    def finished(self) -> CallableBool:
        """True if no more tokens follow. In vLLM this is a method."""
        return CallableBool(self.finish_reason is not None)


@dataclass(frozen=True, slots=True)
class ContinuationScore:
    """Likelihood of a given continuation.

    Args:
        logprob: sum over its tokens, natural log; NaN if the model's logits are NaN.
        is_greedy: each of its tokens is the most likely one.
    """

    logprob: float
    is_greedy: bool


@dataclass(slots=True)
class RequestMetrics:
    """Times in seconds of `time.monotonic()`; None for events that have not happened."""

    arrival_time: float
    first_scheduled_time: float | None = None
    first_token_time: float | None = None
    finished_time: float | None = None
    num_preemptions: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a constructor call, as `CompletionOutput`."""
        times = self.arrival_time, self.first_scheduled_time, self.first_token_time, self.finished_time
        return RequestMetrics, (*times, self.num_preemptions)


class PlaceholderRange(NamedTuple):
    """Place of an image or sound in a prompt: its first token, and the number of its tokens."""

    offset: int
    length: int


@dataclass(slots=True)
class RequestOutput:
    """A request and its completions so far.

    Args:
        prompt: the text; None if the prompt was given as tokens.
        prompt_logprobs: for each prompt token the alternatives by token id, None for the first token and those not
            requested. With `RequestOutputKind.DELTA` only the first output has them.
        scores: for `ScoringParams` one per continuation; None for other requests, and before the end.
        pooled: for `PoolingParams` a numpy array of float32, [width], or [num_tokens, width] for tasks per token; None
            for other requests, and before the end.
        num_cached_tokens: prompt tokens found in the prefix cache; None before it is known.
        lora_request: the request's own; None: it ran without an adapter.
        lora_version: version of the adapter that it ran with: 1, and one more each time the name got other weights.
        multi_modal_placeholders: by modality, the tokens of each of the prompt's images or sounds; None: it has none.
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
    lora_request: LoRARequest | None = None
    lora_version: int | None = None
    multi_modal_placeholders: dict[str, list[PlaceholderRange]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a constructor call, as `CompletionOutput`."""
        asked = self.request_id, self.prompt, self.prompt_token_ids
        rest = self.num_cached_tokens, self.prompt_logprobs, self.scores, self.pooled
        more = self.lora_request, self.lora_version, self.multi_modal_placeholders
        return RequestOutput, (*asked, self.outputs, self.finished, self.metrics, *rest, *more)


@dataclass(slots=True)
class PoolingOutput:
    """The pooled result of a prompt.

    Args:
        data: a float32 tensor, [width], or [num_tokens, width] for tasks per token.
    """

    data: Any


@dataclass(slots=True)
class EmbeddingOutput:
    """The vector of a prompt; of models that make one of each token, a list of vectors."""

    embedding: list[Any]

    @property
    def hidden_size(self) -> int:
        """Length of a vector."""
        first = self.embedding[0]
        return len(first if isinstance(first, list) else self.embedding)


@dataclass(slots=True)
class ClassificationOutput:
    """Probability of each class, or its logit."""

    probs: list[float]

    @property
    def num_classes(self) -> int:
        """Number of the model's classes."""
        return len(self.probs)


@dataclass(slots=True)
class ScoringOutput:
    """Similarity of two texts: the classifier's output for the pair, or the cosine of their embeddings."""

    score: float


_Pooled = TypeVar("_Pooled")


@dataclass(slots=True)
class PoolingRequestOutput(Generic[_Pooled]):
    """A pooling request's result.

    Args:
        num_cached_tokens: prompt tokens found in the prefix cache.
    """

    request_id: str
    outputs: _Pooled
    prompt_token_ids: list[int]
    num_cached_tokens: int
    finished: bool


class EmbeddingRequestOutput(PoolingRequestOutput[EmbeddingOutput]):
    """Result of `LLM.embed`."""

    __slots__ = ()


class ClassificationRequestOutput(PoolingRequestOutput[ClassificationOutput]):
    """Result of `LLM.classify`."""

    __slots__ = ()


class ScoringRequestOutput(PoolingRequestOutput[ScoringOutput]):
    """Result of `LLM.score`."""

    __slots__ = ()

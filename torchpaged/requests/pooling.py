"""Pooling: one vector, or a classifier's probabilities, of a prompt's hidden states. Nothing is generated."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.models.model import ModelSpec
from torchpaged.outputs import CompletionOutput, RequestOutput
from torchpaged.pooling_params import PoolerConfig, PoolingParams
from torchpaged.requests.group import Request
from torchpaged.scheduling import (
    HiddenRows,
    Results,
    RowParams,
    SamplingRequest,
    Scheduler,
    Scores,
    Sequence,
    StopRule,
)

Numbers: TypeAlias = NDArray[np.floating[Any]]
_ROW = RowParams()
# A vector that is shorter is not made longer by being brought to length 1.
_SHORTEST = 1e-12


@dataclass(frozen=True, slots=True)
class Pooling:
    """What is made of a prompt, every question settled.

    Args:
        kind: as of `HiddenRows`.
        pooling_type: as of `PoolingParams`, or "ALL" for each token.
        activation: "length", "softmax" or "sigmoid"; None: numbers as they are.
        dimensions: as of `PoolingParams`.
    """

    kind: str
    pooling_type: str
    activation: str | None
    dimensions: int | None = None

    @classmethod
    def of(cls, params: PoolingParams, defaults: PoolerConfig, spec: ModelSpec) -> Pooling:
        """Settle what the parameters leave open.

        Args:
            defaults: where the parameters say nothing.
            spec: of the model.
        """
        task = task_of(params, spec)
        given = params.use_activation if params.use_activation is not None else defaults.use_activation
        each = task.startswith("token_")
        if task.endswith("classify"):
            wanted = "sigmoid" if spec.num_labels == 1 or spec.multi_label else "softmax"
            return cls("logits", "ALL" if each else "LAST", None if given is False else wanted)
        pooling_type = "ALL" if each else params.pooling_type or defaults.pooling_type or "LAST"
        dimensions = params.dimensions or defaults.dimensions
        kind = "sum" if pooling_type == "MEAN" else "rows"
        return cls(kind, pooling_type, None if given is False else "length", dimensions)

    def rows(self, num_tokens: int) -> HiddenRows:
        """Which of a prompt's rows it takes."""
        if self.pooling_type in ("MEAN", "ALL"):
            return HiddenRows(0, num_tokens, self.kind)
        return HiddenRows(0 if self.pooling_type == "CLS" else num_tokens - 1, 1, self.kind)

    def finish(self, values: Numbers) -> NDArray[np.float32]:
        """What the user sees of rows [..., width]."""
        values = values.astype(np.float64)
        if self.dimensions is not None:
            values = values[..., : self.dimensions]
        if self.activation == "length":
            length = np.sqrt(np.square(values).sum(-1, keepdims=True))
            values = values / np.maximum(length, _SHORTEST)
        elif self.activation == "softmax":
            weights = np.exp(values - values.max(-1, keepdims=True))
            values = weights / weights.sum(-1, keepdims=True)
        elif self.activation == "sigmoid":
            with np.errstate(over="ignore"):  # of a logit far below 0, whose probability is 0
                values = 1.0 / (1.0 + np.exp(-values))
        return values.astype(np.float32)


def task_of(params: PoolingParams, spec: ModelSpec) -> str:
    """The parameters' task, or the model's own."""
    if params.task is not None:
        return params.task
    if not spec.num_labels:
        return "embed"
    return "token_classify" if spec.labels_tokens else "classify"


class PoolingGroup:
    """A prompt, which is one sequence; nothing follows it.

    Of the last token alone all before it may come from the prefix cache. A mean needs every row: what earlier steps
    have summed up is kept here, so that a sequence that was preempted goes on where it was. Of the first token alone
    no other is computed.

    Args:
        request: what it is about.
        pooling: what is made of it.
    """

    def __init__(self, request: Request, pooling: Pooling) -> None:
        self.request, self._pooling = request, pooling
        self.finished = False
        self._wanted = pooling.rows(len(request.token_ids))
        # Of the wanted rows up to a position, their sum. Two steps under way may both begin at the same position, where
        # a preemption came between them, and end at different ones.
        self._sums: dict[int, Numbers] = {self._wanted.first: np.zeros(1)}
        self._rows: Numbers | None = None  # [count, width] where each is wanted
        self._sequence: Sequence | None = None
        self._error: CompletionOutput | None = None

    @property
    def shows_deltas(self) -> bool:
        """`Group.shows_deltas`."""
        return False

    def start(self, scheduler: Scheduler) -> None:
        """The prompt, as far as its rows are wanted."""
        request, wanted = self.request, self._wanted
        self._sequence = scheduler.add(
            request.token_ids[: wanted.first + wanted.count],
            _ROW,
            StopRule(scheduler.limits.max_model_len + 1),
            owner=request.number,
            priority=request.priority,
            cache_keys=request.keys,
            prompt_embeds=request.prompt_embeds,
            held=True,
            asks=SamplingRequest(draws=(), hidden=wanted),
            score_only=True,
        )

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Hidden states of a part of the prompt."""
        self.request.note(sequence)
        found = scores.hidden
        assert found is not None, f"{sequence} was asked for hidden states alone"
        if found.kind == "sum":
            values: Numbers = np.frombuffer(scores.hidden_values, dtype=np.float64)
            self._sums[found.first + found.count] = self._sums[found.first] + values
            return
        rows = np.frombuffer(scores.hidden_values, dtype=np.float32).reshape(found.count, -1)
        if self._rows is None:
            self._rows = np.empty((self._wanted.count, rows.shape[1]), dtype=np.float32)
        begin = found.first - self._wanted.first
        self._rows[begin : begin + found.count] = rows

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """All is computed."""
        scheduler.finish(sequence, "stop")
        self.request.note(sequence)
        self.finished = True

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Its sequence is held: it does not go on by itself."""
        raise AssertionError(f"{sequence} is not held")

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """Ends without a result."""
        if self._sequence is not None:
            scheduler.finish(self._sequence, why, error)
            self.request.note(self._sequence)
        self._error = CompletionOutput(0, "", [], finish_reason=why, error=error)
        self.finished = True

    def output(self) -> RequestOutput | None:
        """The vector, when it is there."""
        if not self.finished:
            return None
        if self._error is not None:
            return self.request.make_output([self._error], finished=True)
        return self.request.make_output([], finished=True, pooled=self._pooling.finish(self._result()))

    def _result(self) -> Numbers:
        wanted = self._wanted
        if wanted.kind == "sum":
            return self._sums[wanted.first + wanted.count] / wanted.count
        assert self._rows is not None
        return self._rows if self._pooling.pooling_type == "ALL" else self._rows[0]

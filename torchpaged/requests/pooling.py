"""Pooling: one vector, or a classifier's probabilities, from a prompt's hidden states. Nothing is generated."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.errors import ConfigError
from torchpaged.models.model import ModelSpec
from torchpaged.outputs import CompletionOutput, RequestOutput
from torchpaged.pooling_params import DenseLayer, PoolerConfig, PoolingParams
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
# Shorter vectors are not scaled to length 1.
_SHORTEST = 1e-12


@dataclass(frozen=True, slots=True)
class Pooling:
    """The computation that makes an output of hidden states, with all defaults resolved.

    Args:
        kind: see `HiddenRows`.
        pooling_type: see `PoolingParams`; "ALL" gives a vector for each token.
        activation: "length", "softmax" or "sigmoid"; None: the numbers are returned as they are.
        dimensions: see `PoolingParams`.
        dense: layers that vectors go through before they are cut.
    """

    kind: str
    pooling_type: str
    activation: str | None
    dimensions: int | None = None
    dense: tuple[DenseLayer, ...] = ()

    @classmethod
    def of(cls, params: PoolingParams, defaults: PoolerConfig, spec: ModelSpec) -> Pooling:
        """Resolve parameters.

        Args:
            defaults: used where the parameters have no value.
            spec: of the model.
        """
        task = task_of(params, spec)
        given = params.use_activation if params.use_activation is not None else defaults.use_activation
        each = task.startswith("token_")
        if task.endswith("classify"):
            wanted = "sigmoid" if spec.num_labels == 1 or spec.multi_label else "softmax"
            pooling_type = "ALL" if each else spec.class_pooling
            kind = "logits of mean" if pooling_type == "MEAN" else "logits"
            return cls(kind, pooling_type, None if given is False else wanted)
        length, dimensions = None if given is False else "length", params.dimensions or defaults.dimensions
        if spec.vector_size:
            return cls("logits", "ALL", length, dimensions)
        default = "CLS" if spec.is_encoder else "LAST"
        pooling_type = "ALL" if each else params.pooling_type or defaults.pooling_type or default
        kind = "sum" if pooling_type == "MEAN" else "rows"
        dense = () if each else defaults.dense or ()
        return cls(kind, pooling_type, length, dimensions, dense)

    def rows(self, num_tokens: int) -> HiddenRows:
        """Return the rows of a prompt that are pooled."""
        if self.pooling_type in ("MEAN", "MAX", "ALL"):
            return HiddenRows(0, num_tokens, self.kind)
        return HiddenRows(0 if self.pooling_type == "CLS" else num_tokens - 1, 1, self.kind)

    def finish(self, values: Numbers) -> NDArray[np.float32]:
        """Return the output for rows [..., width]."""
        values = values.astype(np.float64)
        for layer in self.dense:
            values = layer(values)
        if self.dimensions is not None:
            values = values[..., : self.dimensions]
        if self.activation == "length":
            length = np.sqrt(np.square(values).sum(-1, keepdims=True))
            values = values / np.maximum(length, _SHORTEST)
        elif self.activation == "softmax":
            weights = np.exp(values - values.max(-1, keepdims=True))
            values = weights / weights.sum(-1, keepdims=True)
        elif self.activation == "sigmoid":
            with np.errstate(over="ignore"):  # exp overflows for a logit far below 0; the probability is 0
                values = 1.0 / (1.0 + np.exp(-values))
        return values.astype(np.float32)


def task_of(params: PoolingParams, spec: ModelSpec) -> str:
    """Return the task of the parameters, or the model's default."""
    if params.task is not None:
        return params.task
    if spec.vector_size:
        return "token_embed"
    if not spec.num_labels:
        return "embed"
    return "token_classify" if spec.labels_tokens else "classify"


def instructed(pooler: PoolerConfig, prompt: Any, params: PoolingParams, spec: ModelSpec) -> tuple[Any, PoolingParams]:
    """Put a request's instruction before its text: `PoolerConfig.instructed`. Only vectors have instructions.

    Raises:
        ConfigError: no such instruction, one for a prompt of tokens, or one for classes.
    """
    task = task_of(params, spec)
    if not task.endswith("classify"):
        return pooler.instructed(prompt, params)
    if params.prompt_name is not None:
        raise ConfigError(
            f"PoolingParams: prompt_name is {params.prompt_name!r:.80}, and the task {task!r}, which has no "
            "instructions; leave it out, or write the instruction into the text"
        )
    return prompt, params


class PoolingGroup:
    """A prompt as one sequence; nothing follows it.

    If only the last token is pooled, all tokens before it may come from the prefix cache. A mean needs every row: the
    sums of earlier steps are kept here, so that a preempted sequence continues where it was. If only the first token is
    pooled, a decoder computes no other.

    Args:
        request: the request.
        pooling: the output to make.
        spec: of the model.
    """

    def __init__(self, request: Request, pooling: Pooling, spec: ModelSpec) -> None:
        self.request, self._pooling, self._spec = request, pooling, spec
        self.finished = False
        self._wanted = pooling.rows(len(request.token_ids))
        # By position, the sum of the wanted rows before it. Two steps in flight may both start at one position, if a
        # preemption came between them, and end at different ones.
        self._sums: dict[int, Numbers] = {self._wanted.first: np.zeros(1)}
        self._rows: Numbers | None = None  # [count, width], unless only their sum is wanted
        self._sequence: Sequence | None = None
        self._error: CompletionOutput | None = None

    @property
    def shows_deltas(self) -> bool:
        """`Group.shows_deltas`."""
        return False

    def start(self, scheduler: Scheduler) -> None:
        """Add the prompt: an encoder's and one with images as a whole, another up to its last pooled row."""
        request, wanted, spec = self.request, self._wanted, self._spec
        token_ids: Seq[int] = request.token_ids
        if not spec.is_encoder and request.media is None:
            token_ids = token_ids[: wanted.first + wanted.count]
        if request.token_types is not None:  # as `ModelSpec.num_token_types` says
            pairs = zip(token_ids, request.token_types, strict=True)
            token_ids = [token + kind * spec.vocab_size for token, kind in pairs]
        self._sequence = scheduler.add(
            token_ids,
            _ROW,
            StopRule(scheduler.limits.max_model_len + 1),
            **request.sequence_fields,
            held=True,
            wanted=SamplingRequest(draws=(), hidden=wanted),
            score_only=True,
        )

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Take the hidden states of a part of the prompt."""
        self.request.note(sequence)
        found = scores.hidden
        assert found is not None, f"{sequence} was asked for hidden states alone"
        if found.kind == "sum":
            values: Numbers = np.frombuffer(scores.hidden_values, dtype=np.float64)
            self._sums[found.first + found.count] = self._sums[found.first] + values
            return
        rows = np.frombuffer(scores.hidden_values, dtype=np.float32)
        if found.kind == "logits of mean":
            self._rows = rows[None]
            return
        rows = rows.reshape(found.count, -1)
        if self._rows is None:
            self._rows = np.empty((self._wanted.count, rows.shape[1]), dtype=np.float32)
        begin = found.first - self._wanted.first
        self._rows[begin : begin + found.count] = rows

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Finish the sequence: all rows are computed."""
        scheduler.finish(sequence, "stop")
        self.request.note(sequence)
        self.finished = True

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Raise: it is never called, because its sequence is held."""
        raise AssertionError(f"{sequence} is not held")

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """End without a result."""
        if self._sequence is not None:
            scheduler.finish(self._sequence, why, error)
            self.request.note(self._sequence)
        self._error = CompletionOutput(0, "", [], finish_reason=why, error=error)
        self.finished = True

    def output(self) -> RequestOutput | None:
        """Return the pooled vector when it is complete."""
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
        if self._pooling.pooling_type == "MAX":
            return self._rows.max(0)
        return self._rows if self._pooling.pooling_type == "ALL" else self._rows[0]

"""HeadedModel: a model and its own head for further tokens, which reads what the model has made of the token before."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor

from torchpaged.models.accompanied import AccompaniedModel
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.convolution import convolve
from torchpaged.models.model import LayerShape, PagedModel


class MtpHead(Protocol):
    """One layer over a token and the hidden state before it: what comes behind the token.

    Attributes:
        shape: what its attention keeps of a token; its index is 0.
        hidden_size: of the states that it takes and gives, which are such as `PagedModel.logits` takes.
    """

    @property
    def shape(self) -> LayerShape: ...
    @property
    def hidden_size(self) -> int: ...

    def forward(self, input_ids: Tensor, positions: Tensor, before: Tensor, metadata: StepMetadata) -> Tensor:
        """Packed tokens [num_tokens] and `before` [num_tokens, hidden_size] -> [num_tokens, hidden_size]."""
        ...

    def in_use(self) -> AbstractContextManager[None]:
        """As `PagedModel.in_use`."""
        ...

    def fingerprint(self) -> str:
        """sha256 over its weights."""
        ...


class HeadedModel(AccompaniedModel):
    """A `PagedModel` whose forward writes the head's cache too, and whose rows are the model's.

    The head's layer is a further one of the pool. So that it finds the state before a step's first token, the states
    are kept as the inputs of a convolution over two tokens are, which takes the first of the two: prefix hits, forks,
    swaps and pins have them as they have keys. Before the first token of all stands a zero.

    Args:
        target: the model whose text it is.
        head: its own.

    Attributes:
        target, head: likewise.
    """

    def __init__(self, target: PagedModel, head: MtpHead) -> None:
        super().__init__(target, head)
        self.head = head
        own = target.spec
        self._spec = replace(
            own,
            layers={
                **own.layers,
                self._first: head.shape,  # the states' is the next
                self._first + 1: LayerShape.of_convolution(head.hidden_size, 2),
            },
            eager_only=own.eager_only or "nobody has captured its head for further tokens",
        )
        self._second_last = torch.tensor([[1.0, 0.0]], dtype=own.dtype, device=own.device).repeat(head.hidden_size, 1)

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """`PagedModel.forward` of the target; states, and the head's keys and values, are written too."""
        everyone = torch.arange(len(input_ids), device=input_ids.device)
        hidden = self.target.forward(input_ids, positions, self.of_target(metadata), everyone)
        self.head.forward(input_ids, positions, self._before(hidden, metadata), self._of_head(metadata))
        return hidden[rows]

    def guess(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, before: Tensor | None) -> Tensor:
        """What the head says of tokens, one of each sequence: rows as `logits` takes them.

        Args:
            before: what stands for the state before each; None: that of the model, which has computed it.
        """
        if before is None:  # what is written here of the tokens themselves is overwritten when they are computed
            zeros = self._second_last.new_zeros(len(input_ids), self.head.hidden_size)
            before = self._before(zeros, metadata)
        return self.head.forward(input_ids, positions, before, self._of_head(metadata))

    def _before(self, hidden: Tensor, metadata: StepMetadata) -> Tensor:
        """The state before each token; those of the tokens are kept."""
        return convolve(hidden, self._second_last, None, *metadata.of_convolution(self._first + 1))

    def _of_head(self, metadata: StepMetadata) -> StepMetadata:
        """What the head's forward takes, whose layer is the first."""
        place = slice(self._first, self._first + 1)
        groups, caches = metadata.group_of_layer[place], metadata.caches[place]
        return replace(metadata, group_of_layer=groups, caches=caches, states=(), state_group=-1)

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Of both."""
        both = f"{self.target.fingerprint(most_bytes)} {self.head.fingerprint()}"
        return hashlib.sha256(both.encode()).hexdigest()

"""Models that draft: a target with a draft model, or with its own MTP head, over one pool."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.convolution import convolve
from torchpaged.models.model import Encoder, Forward, LayerShape, ModelSpec, PagedModel, Weights


class MtpHead(Protocol):
    """Head for multi-token prediction: one layer over a token and the hidden state before it predicts the next token.

    Attributes:
        shape: what its attention keeps of a token; its layer index is 0.
        hidden_size: of the states that it takes and returns; `PagedModel.logits` takes these.
    """

    @property
    def shape(self) -> LayerShape: ...
    @property
    def hidden_size(self) -> int: ...

    def forward(self, input_ids: Tensor, positions: Tensor, before: Tensor, metadata: StepMetadata) -> Tensor:
        """Map packed tokens [num_tokens] and `before` [num_tokens, hidden_size] to [num_tokens, hidden_size]."""
        ...

    def in_use(self) -> AbstractContextManager[None]:
        """Return the context of `PagedModel.in_use`."""
        ...

    def fingerprint(self) -> str:
        """Return the sha256 of its weights."""
        ...


class SpeculativeModel:
    """Target model together with a drafter, whose layers follow the target's in the same pool.

    Both lie in the same blocks, so prefix hits, copies, forks, swaps and saved prefixes always hold for both. Logits
    are the target's.

    Attributes:
        target: the model that decides on the text.
        spec: the target's, with the layers of both.

    Args:
        target: as above.
        drafter: the draft model, or the head.
        spec: as above.
    """

    encoder: Encoder | None = None  # a drafter reads none

    def __init__(self, target: PagedModel, drafter: PagedModel | MtpHead, spec: ModelSpec) -> None:
        self.target, self.spec, self._drafter = target, spec, drafter
        self._first = _first_layer(target)

    @property
    def weights(self) -> Weights | None:
        """Return the target's weights."""
        return self.target.weights

    def target_metadata(self, metadata: StepMetadata) -> StepMetadata:
        """Return the part of a step's metadata that the target's forward takes."""
        first = self._first
        return replace(metadata, group_of_layer=metadata.group_of_layer[:first], caches=metadata.caches[:first])

    def _drafter_metadata(self, metadata: StepMetadata, num_layers: int | None = None) -> StepMetadata:
        """Return the part that the drafter's forward takes; its layers count from 0."""
        own = slice(self._first, None if num_layers is None else self._first + num_layers)
        groups, caches = metadata.group_of_layer[own], metadata.caches[own]
        # It drafts without adapters: drafts are guesses.
        return replace(metadata, group_of_layer=groups, caches=caches, states=(), state_group=-1, adapters=None)

    def logits(self, hidden: Tensor) -> Tensor:
        """Call `PagedModel.logits` of the target."""
        return self.target.logits(hidden)

    def in_use(self) -> AbstractContextManager[None]:
        """Enter `PagedModel.in_use` of both models."""
        stack = ExitStack()
        stack.enter_context(self.target.in_use())
        stack.enter_context(self._drafter.in_use())
        return stack  # type: ignore[return-value]


class TargetWithDraft(SpeculativeModel):
    """`PagedModel` of a target and a draft model: its forward writes the caches of both and returns the target's rows.

    Args:
        target: the model that decides on the text.
        draft: a smaller model, of attention layers alone.

    Attributes:
        target, draft: as above.
    """

    def __init__(self, target: PagedModel, draft: PagedModel) -> None:
        self.draft, own, first = draft, target.spec, _first_layer(target)
        spec = replace(
            own,
            layers={**own.layers, **{first + index: shape for index, shape in draft.spec.layers.items()}},
            eager_only=own.eager_only or draft.spec.eager_only,
            least=max(own.least, draft.spec.least),
        )
        super().__init__(target, draft, spec)

    def draft_metadata(self, metadata: StepMetadata) -> StepMetadata:
        """Return the part of a step's metadata that the draft model's forward takes."""
        return self._drafter_metadata(metadata)

    def draft_positions(self, positions: Tensor) -> Tensor:
        """Return the target's positions of texts as the draft model takes them, which may have other axes."""
        if self.draft.spec.position_axes == self.spec.position_axes:
            return positions
        return self.draft.spec.positions(positions if positions.dim() == 1 else positions[:, 0])

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Run `PagedModel.forward` of the target; writes the draft model's cache too."""
        return self.joined(self.target.forward, self.draft.forward)(input_ids, positions, metadata, rows)

    def joined(self, target: Forward, draft: Forward) -> Forward:
        """Return one forward made of the two models' forwards, compiled or not."""

        def forward(input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
            draft(input_ids, self.draft_positions(positions), self.draft_metadata(metadata), rows)
            return target(input_ids, positions, self.target_metadata(metadata), rows)

        return forward

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a hash of both models' weights."""
        return _joint_hash(self.target.fingerprint(most_bytes), self.draft.fingerprint(most_bytes))


class TargetWithMtp(SpeculativeModel):
    """`PagedModel` of a target and its MTP head: its forward writes the head's cache too and returns the target's rows.

    The head needs the target's hidden state before a step's first token. The states are kept in one more layer of the
    pool, as inputs of a convolution over two tokens that takes the first of the two: so prefix hits, forks, swaps and
    pins find them as they find keys. The state before the first token of all is zero.

    Args:
        target: the model that decides on the text.
        head: its own.

    Attributes:
        target, head: as above.
    """

    def __init__(self, target: PagedModel, head: MtpHead) -> None:
        self.head, own, first = head, target.spec, _first_layer(target)
        states = LayerShape.of_convolution(head.hidden_size, 2)
        spec = replace(
            own,
            layers={**own.layers, first: head.shape, first + 1: states},
            eager_only=own.eager_only or "capturing its head for further tokens is not supported",
        )
        super().__init__(target, head, spec)
        self._take_first = torch.tensor([[1.0, 0.0]], dtype=own.dtype, device=own.device).repeat(head.hidden_size, 1)

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Run `PagedModel.forward` of the target; writes states and the head's keys and values too."""
        every_row = torch.arange(len(input_ids), device=input_ids.device)
        hidden = self.target.forward(input_ids, positions, self.target_metadata(metadata), every_row)
        self.head.forward(input_ids, positions, self._states_before(hidden, metadata), self._head_metadata(metadata))
        return hidden[rows]

    def propose(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, before: Tensor | None) -> Tensor:
        """Return the head's hidden states [num_tokens, hidden_size] after one token per sequence, for `logits`.

        Args:
            before: hidden states before the tokens; None: the target's, from the pool.
        """
        if before is None:  # the zeros written for the tokens themselves are overwritten when the target computes them
            zeros = self._take_first.new_zeros(len(input_ids), self.head.hidden_size)
            before = self._states_before(zeros, metadata)
        return self.head.forward(input_ids, positions, before, self._head_metadata(metadata))

    def _states_before(self, hidden: Tensor, metadata: StepMetadata) -> Tensor:
        """Return the state before each token, and write those of the tokens."""
        return convolve(hidden, self._take_first, None, *metadata.of_convolution(self._first + 1))

    def _head_metadata(self, metadata: StepMetadata) -> StepMetadata:
        """Return the part of a step's metadata that the head's forward takes."""
        return self._drafter_metadata(metadata, 1)

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a hash of the weights of both."""
        return _joint_hash(self.target.fingerprint(most_bytes), self.head.fingerprint())


def _first_layer(target: PagedModel) -> int:
    """Return the index of the drafter's first layer."""
    return 1 + max((*target.spec.every_layer, *target.spec.states))


def _joint_hash(target: str, drafter: str) -> str:
    return hashlib.sha256(f"{target} {drafter}".encode()).hexdigest()

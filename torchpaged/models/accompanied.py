"""AccompaniedModel: what is a target's of a `PagedModel` in which another part guesses, over the same pool."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Protocol

from torch import Tensor

from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import Encoder, ModelSpec, PagedModel, Weights


class Companion(Protocol):
    """Who guesses."""

    def in_use(self) -> AbstractContextManager[None]:
        """As `PagedModel.in_use`."""
        ...


class AccompaniedModel:
    """The text is the target's alone; the companion's layers are further layers of the pool, behind the target's.

    Args:
        target: the model whose text it is.
        companion: who guesses.

    Attributes:
        target: likewise.
    """

    _spec: ModelSpec  # the target's, with the layers of both: made by who knows the companion's

    def __init__(self, target: PagedModel, companion: Companion) -> None:
        self.target, self._companion = target, companion
        self._first = 1 + max((*target.spec.layers, *target.spec.states))  # index of the companion's first layer

    @property
    def spec(self) -> ModelSpec:
        """The target's, with the layers of both."""
        return self._spec

    @property
    def encoder(self) -> Encoder | None:
        """None: who guesses reads none."""
        return None

    @property
    def weights(self) -> Weights | None:
        """The target's."""
        return self.target.weights

    def of_target(self, metadata: StepMetadata) -> StepMetadata:
        """What the target's forward takes of a step's."""
        first = self._first
        return replace(metadata, group_of_layer=metadata.group_of_layer[:first], caches=metadata.caches[:first])

    def logits(self, hidden: Tensor) -> Tensor:
        """`PagedModel.logits` of the target."""
        return self.target.logits(hidden)

    def in_use(self) -> AbstractContextManager[None]:
        """`PagedModel.in_use` of both."""
        stack = ExitStack()
        stack.enter_context(self.target.in_use())
        stack.enter_context(self._companion.in_use())
        return stack  # type: ignore[return-value]

"""DraftedModel: a model and a smaller one that guesses what it says, over one pool."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from torchpaged.models.accompanied import AccompaniedModel
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import PagedModel

Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]


class DraftedModel(AccompaniedModel):
    """A `PagedModel` whose forward writes the cache of both, and whose rows are the first one's.

    The draft's layers are further layers of the pool: they lie in the same blocks, so that whatever is found, copied,
    forked, swapped or saved of a token is so in both.

    Args:
        target: the model whose text it is.
        draft: of attention layers alone.

    Attributes:
        target, draft: likewise.
    """

    def __init__(self, target: PagedModel, draft: PagedModel) -> None:
        super().__init__(target, draft)
        self.draft = draft
        own = target.spec
        behind = {self._first + index: shape for index, shape in draft.spec.layers.items()}
        self._spec = replace(
            own,
            layers={**own.layers, **behind},
            eager_only=own.eager_only or draft.spec.eager_only,
            least=max(own.least, draft.spec.least),
        )

    def of_draft(self, metadata: StepMetadata) -> StepMetadata:
        """What the draft's takes, whose layers count from 0."""
        first = self._first
        return replace(
            metadata,
            group_of_layer=metadata.group_of_layer[first:],
            caches=metadata.caches[first:],
            states=(),
            state_group=-1,
        )

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """`PagedModel.forward` of the target; the draft's cache is written too."""
        return self.joined(self.target.forward, self.draft.forward)(input_ids, positions, metadata, rows)

    def joined(self, target: Forward, draft: Forward) -> Forward:
        """One forward of the two, or of what was compiled of them."""

        def forward(input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
            draft(input_ids, positions, self.of_draft(metadata), rows)
            return target(input_ids, positions, self.of_target(metadata), rows)

        return forward

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Of both."""
        both = f"{self.target.fingerprint(most_bytes)} {self.draft.fingerprint(most_bytes)}"
        return hashlib.sha256(both.encode()).hexdigest()

"""MediaFeatures: features of images and sounds on the device, by content; steps say which are made and kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from torchpaged.errors import MediaError, reason_of
from torchpaged.execution.media_pool import MediaPool
from torchpaged.media.items import MediaItem
from torchpaged.models.model import MediaEncoder, ModelSpec
from torchpaged.scheduling import Step


class MediaPart(NamedTuple):
    """The part of an item that a step computes.

    Args:
        content: of the item.
        first: place of the item's first position among the step's tokens; negative if that was computed before.
        places: places of the item's placeholders that the step computes, counted from `first`; None: all of them.
        begin, end: which of the item's features these are.
        low, high: which of the item's positions the step computes.
        runs: `MediaItem.runs`.
    """

    content: str
    first: int
    places: Sequence[int] | None
    begin: int
    end: int
    low: int
    high: int
    runs: Sequence[tuple[int, int]] | None = None

    @property
    def seen(self) -> list[tuple[int, int]]:
        """Runs [begin, end) of the step's tokens that see each other, longer than one token."""
        runs = ((self.low, self.high),) if self.runs is None else self.runs
        cut = ((max(begin, self.low), min(end, self.high)) for begin, end in runs)
        return [(self.first + begin, self.first + end) for begin, end in cut if end - begin > 1]

    @classmethod
    def of(cls, item: MediaItem, place: int, first: int, count: int) -> MediaPart:
        """Return the part of an item in a chunk.

        Args:
            place: of the chunk among the step's tokens.
            first: position of the chunk's first token.
            count: number of its tokens.
        """
        low, high = max(0, first - item.start), min(item.length, first + count - item.start)
        offset = place + item.start - first
        if item.places is None:
            return cls(item.content, offset, None, low, high, low, high, item.runs)
        begin, end = bisect_left(item.places, low), bisect_left(item.places, high)
        return cls(item.content, offset, item.places[begin:end], begin, end, low, high, item.runs)


class MediaFeatures:
    """Features by content. Encodes one item at a time, so that features depend on their item alone.

    Args:
        encoder: the model's.
        spec: of the model.
        call: runs a function of the model, as its forwards are run.
        pool: takes the features, where layers attend to them; None: they stand in the embeddings.
    """

    def __init__(
        self, encoder: MediaEncoder, spec: ModelSpec, call: Callable[..., Tensor], pool: MediaPool | None = None
    ) -> None:
        self._encoder, self._spec, self._call, self.pool = encoder, spec, call, pool
        self._kept: dict[str, Tensor | None] = {}  # None: they are in the pool

    def update(self, step: Step) -> None:
        """Drop the features that a step does not keep, and make those that it needs.

        Raises:
            MediaError: the encoder fails on an item.
        """
        if step.kept_media is not None:
            self._keep(step.kept_media)
        for item in step.media:
            if item.content not in self._kept:
                features = self._encode(item)
                if self.pool is not None:
                    self.pool.write(item.content, features)
                self._kept[item.content] = features if self.pool is None else None

    def _keep(self, contents: Collection[str]) -> None:
        """Drop the features of all other contents."""
        for content in self._kept.keys() - set(contents):
            del self._kept[content]
            if self.pool is not None:
                self.pool.drop(content)

    def _encode(self, item: MediaItem) -> Tensor:
        expected = item.num_features, self._spec.feature_size
        try:
            features = self._call(item)
            if features.shape != expected or features.dtype != self._spec.dtype:
                raise ValueError(
                    f"its features are {features.dtype} {list(features.shape)}, expected {self._spec.dtype} "
                    f"{list(expected)}"
                )
        except Exception as error:  # the model's own code may raise anything, and only this item's requests end
            raise MediaError(item.content, f"the {item.modality} cannot be encoded: {reason_of(error)}") from error
        return features

    def put(self, embeds: Tensor, parts: Sequence[MediaPart]) -> None:
        """Write the features of a step's placeholders into its embeddings [num_tokens, embedding_size]."""
        embeds = embeds[:, : self._spec.feature_size]
        for part in parts:
            features = self._kept[part.content]
            assert features is not None
            features = features[part.begin : part.end]
            if part.places is None:
                embeds[part.first + part.begin : part.first + part.end] = features
            else:
                places = torch.tensor(part.places, dtype=torch.int64, device=embeds.device)
                embeds.index_copy_(0, places + part.first, features)

    def clear(self) -> None:
        """Forget all features: the model's weights may have changed."""
        self._keep(())
        self._encoder.forget_weights()

    def check(self) -> None:
        """Assert the pool's invariants."""
        if self.pool is not None:
            self.pool.check(self._kept)

    @property
    def contents(self) -> frozenset[str]:
        """Contents whose features are here."""
        return frozenset(self._kept)

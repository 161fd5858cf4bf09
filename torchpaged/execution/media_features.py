"""MediaFeatures: features of images and sounds on the device, by content; steps say which are made and kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from torchpaged.errors import MediaError, reason_of
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
    """

    content: str
    first: int
    places: Sequence[int] | None
    begin: int
    end: int
    low: int
    high: int

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
            return cls(item.content, offset, None, low, high, low, high)
        begin, end = bisect_left(item.places, low), bisect_left(item.places, high)
        return cls(item.content, offset, item.places[begin:end], begin, end, low, high)


class MediaFeatures:
    """Features by content. Encodes one item at a time, so that features depend on their item alone.

    Args:
        encoder: the model's.
        spec: of the model.
        call: runs a function of the model, as its forwards are run.
    """

    def __init__(self, encoder: MediaEncoder, spec: ModelSpec, call: Callable[..., Tensor]) -> None:
        self._encoder, self._spec, self._call = encoder, spec, call
        self._kept: dict[str, Tensor] = {}

    def update(self, step: Step) -> None:
        """Drop the features that a step does not keep, and make those that it needs.

        Raises:
            MediaError: the encoder fails on an item.
        """
        if step.kept_media is not None:
            self._kept = {content: self._kept[content] for content in step.kept_media if content in self._kept}
        for item in step.media:
            if item.content not in self._kept:
                self._kept[item.content] = self._encode(item)

    def _encode(self, item: MediaItem) -> Tensor:
        expected = item.num_features, self._spec.embedding_size
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
        for part in parts:
            features = self._kept[part.content][part.begin : part.end]
            if part.places is None:
                embeds[part.first + part.begin : part.first + part.end] = features
            else:
                places = torch.tensor(part.places, dtype=torch.int64, device=embeds.device)
                embeds.index_copy_(0, places + part.first, features)

    def clear(self) -> None:
        """Forget all features: the model's weights may have changed."""
        self._kept = {}
        self._encoder.forget_weights()

    @property
    def contents(self) -> frozenset[str]:
        """Contents whose features are here."""
        return frozenset(self._kept)

"""MediaPool: keys and values of images in the layers that attend to them, in blocks of a pool of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.media.items import PromptMedia
from torchpaged.models.attention_metadata import LayerCache, RowCache
from torchpaged.models.model import ModelSpec

_BLOCK = 16


class MediaPool:
    """Blocks by content. `MediaFeatures` says what is written and dropped; an image's blocks have nothing else in them.

    Args:
        spec: of the model; its `media_layers` attend to the pool.
        capacity: most features that are kept at once.
    """

    def __init__(self, spec: ModelSpec, capacity: int) -> None:
        self._spec = spec
        # Each image leaves a part of its last block empty.
        num_blocks = 1 + -(-capacity // _BLOCK) + capacity // max(1, spec.media_sizes[0])
        self._caches = PagedKVCache(spec.media_layers, num_blocks, _BLOCK, spec.dtype, spec.device).by_layer()
        self._free = list(range(num_blocks - 1, 0, -1))
        self._blocks: dict[str, NDArray[np.int32]] = {}

    def write(self, content: str, features: Tensor) -> None:
        """Write an item's features [num_features, `ModelSpec.feature_size`] into blocks."""
        count = -(-len(features) // _BLOCK)
        blocks: NDArray[np.int32] = np.array([self._free.pop() for _ in range(count)], dtype=np.int32)
        self._blocks[content] = blocks
        places = torch.arange(len(features))
        slots = torch.from_numpy(blocks).long()[places // _BLOCK] * _BLOCK + places % _BLOCK
        slots = slots.to(features.device)
        begin = 0
        for layer, shape in sorted(self._spec.media_layers.items()):
            cache = self._caches[layer]
            assert isinstance(cache, LayerCache)
            middle = begin + shape.num_kv_heads * shape.head_dim
            end = begin + shape.elements
            key = features[:, begin:middle].unflatten(1, (shape.num_kv_heads, -1))
            value = features[:, middle:end].unflatten(1, (shape.num_kv_heads, -1))
            torch.ops.torchpaged.write_kv_cache(key, value, cache.key, cache.value, slots)
            begin = end

    def drop(self, content: str) -> None:
        """Free the blocks of an item."""
        self._free += self._blocks.pop(content).tolist()

    def with_caches(self, caches: Sequence[LayerCache | RowCache | None]) -> list[LayerCache | RowCache | None]:
        """Return the pools of all layers, those that attend to images among them."""
        length = max(len(caches), len(self._caches))
        found = [*caches, *[None] * (length - len(caches))]
        for layer in self._spec.media_layers:
            found[layer] = self._caches[layer]
        return found

    def parts(self, media: PromptMedia | None, first: int, count: int) -> list[tuple[int, NDArray[np.int32], int]]:
        """Cut tokens [first, first + count) of a sequence where what they see changes.

        Returns:
            (number of tokens, block table, number of keys) of each part. Those before the first image have no keys.
        """
        borders = [(0, _NO_BLOCKS, 0), *([] if media is None else self._borders(media, first))]
        found = []
        for place, (begin, blocks, num_keys) in enumerate(borders):
            end = borders[place + 1][0] if place + 1 < len(borders) else first + count
            num_tokens = min(end, first + count) - max(begin, first)
            if num_tokens > 0:
                found.append((num_tokens, blocks, num_keys))
        return found

    def _borders(self, media: PromptMedia, first: int) -> list[tuple[int, NDArray[np.int32], int]]:
        """Return (position of a placeholder, block table, number of keys that it and the tokens behind it see)."""
        found = []
        for number, item in enumerate(media.items):
            if number + 1 < len(media.items) and media.items[number + 1].start <= first:
                continue
            assert item.rows is not None
            num_keys = np.cumsum(item.rows).tolist()
            blocks = self._blocks[item.content]
            found += [(item.start + place, blocks[: -(-keys // _BLOCK)], keys) for place, keys in enumerate(num_keys)]
        return found

    def check(self, contents: Mapping[str, object]) -> None:
        """Assert that each block belongs to one item that is kept, or is free."""
        held = [block for blocks in self._blocks.values() for block in blocks.tolist()]
        assert self._blocks.keys() == contents.keys(), "blocks and features differ"
        assert len({*held, *self._free}) == len(held) + len(self._free), "a block has two owners"


_NO_BLOCKS: NDArray[np.int32] = np.zeros(0, dtype=np.int32)

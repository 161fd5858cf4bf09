"""GrowingKVCache: pools of blocks whose number is not known beforehand. Owns the memory, not its use.

On the CPU, address space for the whole memory is reserved once, and the system provides pages when a block is first
written, so nothing is ever copied. Where that is not possible (torch cannot reserve on other devices, and a system may
refuse to overcommit), a full pool is copied into one of twice the size, which copies each token about once.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchpaged.errors import EngineError
from torchpaged.execution.paged_kv_cache import bytes_per_block, free_memory
from torchpaged.models.attention_metadata import LayerCache
from torchpaged.models.model import LayerShape
from torchpaged.utils.huge_pages import reserved_zeros

_FIRST_BLOCKS = 64  # initial size of a pool that grows by copying


class GrowingKVCache:
    """Pools of layers that share block tables: a pair [num_blocks, block_size, num_kv_heads, head_dim] per layer.

    Attributes:
        num_blocks: blocks that every layer has room for.
        caches: pool by layer index.

    Args:
        block_size: tokens in a block.
        share: the largest share of the memory that one layer may take; those of a model's layers add up to 1.
    """

    def __init__(self, block_size: int, share: float) -> None:
        self.block_size, self.share = block_size, share
        self.num_blocks = _FIRST_BLOCKS
        self.caches: dict[int, LayerCache] = {}

    def add_layer(self, index: int, shape: LayerShape, dtype: torch.dtype, device: torch.device) -> LayerCache:
        """Allocate the pool of a new layer.

        Raises:
            EngineError: the memory cannot hold it.
        """
        self.caches[index] = self._pair(shape, dtype, device, self.num_blocks, self.num_blocks)
        return self.caches[index]

    def reserve(self, num_blocks: int) -> None:
        """Make room for block ids below `num_blocks` in every layer.

        Raises:
            EngineError: as `add_layer`.
        """
        if num_blocks <= self.num_blocks:
            return
        enough = max(num_blocks, 2 * self.num_blocks)
        for index, cache in self.caches.items():
            if cache.key.shape[0] >= num_blocks:
                continue
            heads, dim = cache.key.shape[2:]
            shape = LayerShape(heads, dim, cache.value.shape[3])
            larger = self._pair(shape, cache.key.dtype, cache.key.device, num_blocks, enough)
            for old, new in ((cache.key, larger.key), (cache.value, larger.value)):
                new[: old.shape[0]].copy_(old)
            self.caches[index] = larger
        self.num_blocks = enough

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy blocks, (source, destination) each, in every layer."""
        if not pairs:
            return
        mapping = torch.tensor(pairs, dtype=torch.int64)
        for device in {cache.key.device for cache in self.caches.values()}:
            here = [cache for cache in self.caches.values() if cache.key.device == device]
            tensors = [part for cache in here for part in (cache.key, cache.value) if part.numel()]
            torch.ops.torchpaged.copy_blocks(tensors, mapping)

    def _pair(
        self, shape: LayerShape, dtype: torch.dtype, device: torch.device, needed: int, wanted: int
    ) -> LayerCache:
        per_block = bytes_per_block([shape], self.block_size, dtype)
        if device.type != "cpu":
            return LayerCache(*(self._zeros(wanted, shape, dim, dtype, device) for dim in _dims(shape)))
        most = int(free_memory(device)[1] * self.share) // per_block
        if most < needed:
            raise EngineError(
                f"PagedCache: {needed} blocks of {per_block} bytes in each of {round(1 / self.share)} layers are "
                f"more than this machine's memory, which has room for {most}; generate less at once, or drop caches"
            )
        try:
            return LayerCache(*(self._zeros(most, shape, dim, dtype, device) for dim in _dims(shape)))
        except OSError:
            wanted = min(most, wanted)
            return LayerCache(*(self._zeros(wanted, shape, dim, dtype, device) for dim in _dims(shape)))

    def _zeros(self, num_blocks: int, shape: LayerShape, dim: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        # Never an inference tensor: a cache made in inference mode may be used outside of it.
        with torch.inference_mode(False):
            if device.type == "cpu":  # heads first, as in PagedKVCache
                size = (num_blocks, shape.num_kv_heads, self.block_size, dim)
                return reserved_zeros(size, dtype).transpose(1, 2)
            return torch.zeros(num_blocks, self.block_size, shape.num_kv_heads, dim, dtype=dtype, device=device)


def _dims(shape: LayerShape) -> tuple[int, int]:
    return shape.head_dim, shape.head_dim_v

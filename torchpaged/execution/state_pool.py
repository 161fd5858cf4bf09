"""StatePool: state and tail slots of recurrent layers, and copies between them. Owns the memory, not its use."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from torchpaged.execution.paged_kv_cache import copy_between, discard_rows
from torchpaged.kv_cache.block import BlockCopy, CopyDirection, PoolKind
from torchpaged.models.attention_metadata import StateCache
from torchpaged.models.model import StateShape
from torchpaged.ops import devices
from torchpaged.utils.huge_pages import reserved_zeros

# Tensors of this many bytes or more lie on huge pages. The first touch of a huge page takes 2.3 ms in a virtual
# machine, too long for small pools.
_HUGE = 1 << 24


class StatePool:
    """Slots of all recurrent layers: a slot id covers its part in every layer. Slot 0 is the null slot.

    Args:
        shapes: by layer index.
        chunk: tokens between two chunk boundaries.
        num_states, num_tails: slots, the null slot included.
        dtype: of the convolutions' inputs, the model's; everything else is float32.
        device: of the tensors.
        num_swap_states, num_swap_tails: slots on the host, numbered from 1.
    """

    def __init__(
        self,
        shapes: Mapping[int, StateShape],
        chunk: int,
        num_states: int,
        num_tails: int,
        dtype: torch.dtype,
        device: torch.device,
        *,
        num_swap_states: int = 0,
        num_swap_tails: int = 0,
    ) -> None:
        self.shapes, self.chunk, self.dtype, self.device = dict(shapes), chunk, dtype, device
        self.num_states, self.num_tails = num_states, num_tails
        self.num_swap_states, self.num_swap_tails = num_swap_states, num_swap_tails
        with devices.current(device):
            self.caches = {i: self._cache(shape, num_states, num_tails, device) for i, shape in self.shapes.items()}
            host = (num_swap_states + 1, num_swap_tails + 1, torch.device("cpu"))
            swaps = self.shapes if num_swap_states or num_swap_tails else {}
            self.swap_caches = {i: self._cache(shape, *host) for i, shape in swaps.items()}

    @property
    def nbytes(self) -> int:
        """Return the bytes on the device."""
        return sum(tensor.nbytes for cache in self.caches.values() for tensor in cache.tensors)

    def _cache(self, shape: StateShape, num_states: int, num_tails: int, device: torch.device) -> StateCache:
        pinned = device != self.device

        def zeros(size: Sequence[int], dtype: torch.dtype) -> Tensor:
            if self.device.type == "cpu":  # unlike blocks of keys, a head's state is read as a whole
                huge = math.prod(size) * dtype.itemsize >= _HUGE
                return reserved_zeros(size, dtype, huge_pages=huge)
            return torch.zeros(*size, dtype=dtype, device=device, pin_memory=pinned)

        return StateCache(
            zeros((num_states, *shape.state), torch.float32),
            zeros((num_tails, self.chunk, shape.tail), torch.float32),
            zeros((num_states, shape.width - 1, shape.channels), self.dtype) if shape.width else None,
            zeros((num_tails, self.chunk, shape.channels), self.dtype) if shape.width else None,
        )

    def by_layer(self) -> Sequence[StateCache | None]:
        """Return a list of the layers' slots by index; None for a layer that is not recurrent."""
        return [self.caches.get(index) for index in range(max(self.caches) + 1)]

    @torch.inference_mode()
    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copy slots as if one after the other, as `PagedKVCache.copy` does blocks.

        Raises:
            ValueError: a swap without a swap pool.
        """
        with devices.current(self.device):
            for pool in (PoolKind.STATES, PoolKind.TAILS):
                own = [copy for copy in copies if copy.pool is pool]
                copy_between(self.tensors(pool), self._tensors(self.swap_caches, pool), own)
            if self.device.type == "cuda" and any(copy.direction is CopyDirection.OUT for copy in copies):
                torch.cuda.current_stream().synchronize()

    def discard(self, pool: PoolKind, runs: Iterable[tuple[int, int]]) -> None:
        """Give back the memory of slots [first, last) on a CPU; they hold zeros from then on."""
        discard_rows(self.tensors(pool), runs)

    def tensors(self, pool: PoolKind) -> list[Tensor]:
        """Return the tensors of one device pool; a slot has a part of each."""
        return self._tensors(self.caches, pool)

    def _tensors(self, caches: Mapping[int, StateCache], pool: PoolKind) -> list[Tensor]:
        """Return the tensors of one pool in every layer."""
        found: list[Tensor] = []
        for cache in caches.values():
            pair = (cache.state, cache.conv_state) if pool is PoolKind.STATES else (cache.tail, cache.conv_tail)
            found += [each for each in pair if each is not None and each.numel()]
        return found

    def check(self) -> None:
        """Assert that every tensor is as the operators expect."""
        for index, shape in self.shapes.items():
            cache = self.caches[index]
            assert all(tensor.storage_offset() == 0 for tensor in cache.tensors)
            assert cache.state.shape == (self.num_states, *shape.state)
            assert cache.tail.shape == (self.num_tails, self.chunk, shape.tail)
            assert (cache.conv_state is None) == (not shape.width)

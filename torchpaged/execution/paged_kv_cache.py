"""PagedKVCache: the pool's tensors, and copies between its blocks. Owns the memory, not its use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from torchpaged.errors import ConfigError
from torchpaged.kv_cache.block import BlockCopy, CopyDirection
from torchpaged.kv_cache.spec import (
    ChunkedLocalAttentionSpec,
    CrossAttentionSpec,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheSpec,
    SlidingWindowSpec,
)
from torchpaged.models.attention_metadata import LayerCache, RowCache
from torchpaged.models.model import LayerShape
from torchpaged.ops import devices, int4_cache
from torchpaged.utils.huge_pages import discard, reserved_zeros
from torchpaged.utils.system_memory import available_memory

# Groups as large as the smallest kind may waste this share of the pool; above it another size is chosen.
_MAX_WASTE = 0.25


def kv_cache_groups(
    layers: Mapping[int, LayerShape],
    block_size: int,
    *,
    max_model_len: int | None = None,
    separate_windows: bool = True,
) -> list[KVCacheGroup]:
    """Return the groups of layers that share block tables.

    All groups take blocks from one pool: a block belongs to one group at a time, and the i-th layer of a group lies
    in the i-th pair of tensors. So blocks that leave a window can be used by any layer. Each kind of layer (full, a
    window, a chunk) is cut into groups as large as the smallest kind; the last group of a kind may be shorter, and
    wastes the tensors that it does not use. If that would waste more than a quarter of the pool, the size between the
    smallest and the largest kind that wastes least is taken (of equal ones the larger).

    If there is one kind, it is one group. So are layers whose heads differ, as they cannot share tensors: then all
    blocks are kept, and windowed layers read a part of them.

    Convolutions are windows whose rows have another shape: a layer's rows lie in as many of the attention layers'
    tensors as they need, and a group has as many layers as find room there.

    Args:
        layers: shape by layer index.
        block_size: tokens in a block.
        max_model_len: windows and chunks at least this long do not count; None: all count.
        separate_windows: False for one group of all layers, which keeps every block.

    Raises:
        ConfigError: `block_size` does not divide the length of an attention chunk.
    """
    if max_model_len is not None:
        layers = {index: shape.within(max_model_len) for index, shape in layers.items()}
    for index, shape in layers.items():
        if shape.attention_chunk_size % block_size:
            raise ConfigError(
                f"EngineConfig: block_size is {block_size}, expected a divisor of {shape.attention_chunk_size}, the "
                f"length of an attention chunk in layer {index} of this model"
            )
    if not separate_windows:
        return [KVCacheGroup(FullAttentionSpec(block_size), tuple(layers))]
    attention = {index: shape for index, shape in layers.items() if not shape.convolution}
    groups = _attention_groups(attention, block_size) if attention else []
    convolutions: dict[tuple[int, int], list[int]] = {}
    for index, shape in layers.items():
        if shape.convolution:
            convolutions.setdefault((shape.sliding_window, shape.head_dim), []).append(index)
    tensors = _widths(tensor_slots(layers, groups)) if groups else []
    for (width, channels), indices in convolutions.items():
        size = _layers_of_rows(tensors, channels) if groups else len(indices)
        groups += [
            KVCacheGroup(SlidingWindowSpec(block_size, width), tuple(indices[first : first + size]))
            for first in range(0, len(indices), size)
        ]
    return groups


def _attention_groups(layers: Mapping[int, LayerShape], block_size: int) -> list[KVCacheGroup]:
    """Return the groups of layers that keep keys and values."""
    kinds: dict[tuple[int, int, bool], list[int]] = {}
    for index, shape in layers.items():
        kinds.setdefault(shape.kind, []).append(index)
    heads = {(shape.num_kv_heads, shape.head_dim, shape.head_dim_v, shape.index) for shape in layers.values()}
    if len(kinds) > 1 and len(heads) > 1:
        return [KVCacheGroup(FullAttentionSpec(block_size), tuple(layers))]
    size = _group_size([len(indices) for indices in kinds.values()])
    return [
        KVCacheGroup(_spec(kind, block_size), tuple(indices[first : first + size]))
        for kind, indices in kinds.items()
        for first in range(0, len(indices), size)
    ]


def _widths(shapes: Iterable[LayerShape]) -> list[int]:
    """Return the elements per token of each tensor of these layers: keys, and values where there are any."""
    dims = [(shape.num_kv_heads, dim) for shape in shapes for dim in (shape.head_dim, shape.head_dim_v)]
    return [heads * dim for heads, dim in dims if dim]


def _layers_of_rows(widths: Sequence[int], channels: int) -> int:
    """Return how many rows of `channels` elements find room in the tensors, sharing none; at least 1."""
    count = room = 0
    for width in widths:
        room += width
        if room >= channels:
            count, room = count + 1, 0
    return max(1, count)


def _group_size(counts: Sequence[int]) -> int:
    """Return the layers per group, given the number of layers of each kind."""

    def waste(size: int) -> float:
        return 1.0 - sum(counts) / sum(-(-count // size) * size for count in counts)

    smallest = min(counts)
    if waste(smallest) <= _MAX_WASTE:
        return smallest
    return min(range(smallest, max(counts) + 1), key=lambda size: (waste(size), -size))


def _spec(kind: tuple[int, int, bool], block_size: int) -> KVCacheSpec:
    sliding_window, chunk_size, cross = kind
    if cross:
        return CrossAttentionSpec(block_size)
    if chunk_size:
        return ChunkedLocalAttentionSpec(block_size, chunk_size)
    return SlidingWindowSpec(block_size, sliding_window) if sliding_window else FullAttentionSpec(block_size)


def tensor_slots(layers: Mapping[int, LayerShape], groups: Sequence[KVCacheGroup]) -> list[LayerShape]:
    """Return the shapes of the pool's tensor pairs: as many as the longest attention group has layers.

    One more is added if they have no room for a convolution's row.
    """
    if not groups:  # all layers are recurrent
        return []
    attention = [group for group in groups if not _is_of_rows(layers, group)]
    longest = max(attention or groups, key=lambda group: len(group.layers))
    shapes = [layers[index] for index in longest.layers]
    rows = [layers[index].head_dim for group in groups if _is_of_rows(layers, group) for index in group.layers]
    missing = max(rows, default=0) - sum(shape.elements for shape in shapes)
    return [*shapes, LayerShape(1, missing, 0)] if missing > 0 else shapes


def _is_of_rows(layers: Mapping[int, LayerShape], group: KVCacheGroup) -> bool:
    """Return whether a group's layers are convolutions."""
    return all(layers[index].convolution for index in group.layers)


class PagedKVCache:
    """A model's pool: pairs of tensors [num_blocks, block_size, num_kv_heads, head_dim], keys and values apart.

    Each layer has a pair of its own, or shares one with layers of other groups (see `kv_cache_groups`). The rows of a
    convolution lie in as many tensors of these pairs as they need.

    On the CPU the storage is heads first ([num_blocks, num_kv_heads, block_size, head_dim], seen through a
    transposed view), so that a KV head's tokens of a block are one sequential stream. On CUDA it is tokens
    first. Slots that have not been written hold zeros. A 4-bit cache (uint8) has rows of packed bytes, as
    `ops/int4_cache.py` defines them, instead of head_dim numbers.

    Attributes:
        slots, swap_slots: the pairs of tensors, on the device and on the host.
        caches: by layer index, the tensors that the layer lies in.

    Args:
        layers: shape by layer index.
        num_blocks: blocks in the pool, the null block included.
        block_size: tokens in a block.
        dtype: of the tensors; an 8-bit one but uint8 adds a float32 scale per token and head, for keys and values each.
        device: of the tensors.
        groups: from `kv_cache_groups`; None: one group of all layers.
        num_swap_blocks: blocks in the host's pool, numbered from 1; block 0 exists there too and is not used. Its
            memory is pinned on CUDA.
        key_factors: from `key_channels.key_factors`.
    """

    def __init__(
        self,
        layers: Mapping[int, LayerShape],
        num_blocks: int,
        block_size: int,
        dtype: torch.dtype,
        device: torch.device,
        *,
        groups: Sequence[KVCacheGroup] | None = None,
        num_swap_blocks: int = 0,
        key_factors: Mapping[int, Tensor] | None = None,
    ) -> None:
        self.num_blocks, self.num_swap_blocks, self.block_size = num_blocks, num_swap_blocks, block_size
        self.dtype, self.device = dtype, device
        self.layers = dict(layers)
        _require_whole_rows(self.layers, block_size)
        self.groups = [KVCacheGroup(FullAttentionSpec(block_size), tuple(layers))] if groups is None else list(groups)
        shapes = tensor_slots(self.layers, self.groups)
        self.bytes_per_block = bytes_per_block(shapes, block_size, dtype)
        with devices.current(device):  # pinning takes the current device's context, and makes one if need be
            self.slots = [self._pair(shape, num_blocks, device) for shape in shapes]
            self.swap_slots = [
                self._pair(shape, num_swap_blocks + 1, torch.device("cpu")) for shape in shapes if num_swap_blocks
            ]
        self.caches: dict[int, LayerCache | RowCache] = {}
        for group in self.groups:
            self.caches.update(self._caches_of(group))
        self.scale_keys(key_factors or {})

    @property
    def nbytes(self) -> int:
        """Return the bytes of the whole pool."""
        return self.num_blocks * self.bytes_per_block

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return the tensors of the device's pool; a block has a part of each."""
        return _tensors(self.slots)

    def scale_keys(self, factors: Mapping[int, Tensor]) -> None:
        """Set the factors of these layers' keys. Keys written before become invalid."""
        self.key_factors = dict(factors)
        for index, cache in self.caches.items():
            if isinstance(cache, LayerCache):
                self.caches[index] = replace(cache, key_factor=factors.get(index))

    def _caches_of(self, group: KVCacheGroup) -> dict[int, LayerCache | RowCache]:
        """Return the tensors of a group's layers."""
        if not _is_of_rows(self.layers, group):
            pairs = zip(group.layers, self.slots, strict=False)
            return {index: RowCache(_rows(pair)) if self.layers[index].convolution else pair for index, pair in pairs}
        tensors = iter([each for pair in self.slots for each in _rows(pair)])
        caches: dict[int, LayerCache | RowCache] = {}
        for index in group.layers:
            own, missing = [], self.layers[index].head_dim
            while missing > 0:
                own.append(next(tensors))
                missing -= math.prod(own[-1].shape[2:])
            caches[index] = RowCache(tuple(own))
        return caches

    def _pair(self, shape: LayerShape, num_blocks: int, device: torch.device, tokens_per_row: int = 1) -> LayerCache:
        heads, block_size = shape.num_kv_heads, self.block_size // tokens_per_row
        pinned = device != self.device

        def values(dim: int) -> Tensor:
            dim = int4_cache.row_size(dim, self.dtype)
            if self.device.type == "cpu":
                # Not on huge pages: the first write to one takes 2.3 ms (measured in a virtual machine whose host
                # takes free memory back), during a step that writes new blocks, and attention gains 0 to 10 %.
                return reserved_zeros((num_blocks, heads, block_size, dim), self.dtype).transpose(1, 2)
            size = (num_blocks, block_size, heads, dim)
            return torch.zeros(size, dtype=self.dtype, device=device, pin_memory=pinned)

        def scales() -> Tensor:
            size = (num_blocks, heads, block_size)
            return torch.zeros(size, dtype=torch.float32, device=device, pin_memory=pinned).transpose(1, 2)

        count = shape.parts if _scale_bytes(self.dtype) else 0
        index = tuple(
            self._pair(LayerShape(each.heads, each.dim, 0), num_blocks, device, each.tokens_per_row)
            for each in shape.index
        )
        return LayerCache(
            values(shape.head_dim), values(shape.head_dim_v), *(scales() for _ in range(count)), index=index
        )

    def by_layer(self) -> Sequence[LayerCache | RowCache | None]:
        """Return a list of the layers' tensors by index; None for a layer without any."""
        return [self.caches.get(index) for index in range(max(self.caches, default=-1) + 1)]

    @torch.inference_mode()
    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copy blocks in every tensor, scales too, as if one after the other, with few calls for many copies.

        Copies are ordered by the current stream. Copies to the host have arrived when this returns; it waits once.

        Raises:
            ValueError: an id outside its pool, or a swap without a swap pool.
        """
        with devices.current(self.device):
            copy_between(self.tensors, _tensors(self.swap_slots), copies)
            if self.device.type == "cuda" and any(copy.direction is CopyDirection.OUT for copy in copies):
                torch.cuda.current_stream().synchronize()

    def discard(self, runs: Iterable[tuple[int, int]]) -> None:
        """Give back the memory of blocks [first, last) on a CPU; they hold zeros from then on."""
        discard_rows(self.tensors, runs)

    def check(self) -> None:
        """Assert that every tensor is as the operators expect, and that layers of one group share none."""
        for index, shape in self.layers.items():
            cache = self.caches[index]
            # torch.compile would copy the whole tensor at each write to a view into it.
            assert all(tensor.storage_offset() == 0 for tensor in cache.tensors)
            if isinstance(cache, RowCache):
                assert all(each.shape[:2] == (self.num_blocks, self.block_size) for each in cache.tensors)
                assert sum(math.prod(each.shape[2:]) for each in cache.tensors) >= shape.head_dim
                continue
            for tensor, dim in ((cache.key, shape.head_dim), (cache.value, shape.head_dim_v)):
                row = int4_cache.row_size(dim, self.dtype)
                assert tensor.shape == (self.num_blocks, self.block_size, shape.num_kv_heads, row)
            for part, expected in zip(cache.index, shape.index, strict=True):
                rows = self.block_size // expected.tokens_per_row
                assert part.key.shape == (self.num_blocks, rows, expected.heads, expected.dim)
        assert sorted(index for group in self.groups for index in group.layers) == sorted(self.layers)
        for group in self.groups:
            tensors = [id(each) for index in group.layers for each in self.caches[index].tensors]
            assert len(set(tensors)) == len(tensors)


def copy_between(here: Sequence[Tensor], host: Sequence[Tensor], copies: Iterable[BlockCopy]) -> None:
    """Copy blocks of one pool in each of its tensors, as if one after the other, in the order of the current stream.

    Args:
        here: the pool's tensors.
        host: the swap pool's tensors, in the same order; empty without a swap pool.
        copies: what to copy.

    Raises:
        ValueError: a swap without a swap pool.
    """
    # Pinned, since copying the pairs from pageable memory would wait for the device.
    pinned = here[0].device.type == "cuda"
    for batch in batches_of_copies(copies):
        direction = batch[0].direction
        values = [(copy.source, copy.destination) for copy in batch]
        pairs = torch.tensor(values, dtype=torch.int64, pin_memory=pinned)
        if direction is CopyDirection.WITHIN:
            torch.ops.torchpaged.copy_blocks(list(here), pairs)
            continue
        if not host:
            raise ValueError(f"{batch[0]}: the cache has no swap pool, num_swap_blocks is 0")
        sources, targets = (here, host) if direction is CopyDirection.OUT else (host, here)
        for source, target in zip(sources, targets, strict=True):
            torch.ops.torchpaged.swap_blocks(source, target, pairs, non_blocking=True)


def discard_rows(tensors: Iterable[Tensor], runs: Iterable[tuple[int, int]]) -> None:
    """Give back the memory of blocks [first, last) of a pool's tensors on a CPU."""
    ranges = list(runs)
    for tensor in tensors:
        for first, last in ranges:
            discard(tensor, first, last)


def batches_of_copies(copies: Iterable[BlockCopy]) -> Iterator[list[BlockCopy]]:
    """Yield runs of copies that can be made at once, all sources read before any destination is written.

    A run ends before a copy of another direction, one that writes a block again, or one that reads a written block.
    """
    batch: list[BlockCopy] = []
    written: set[int] = set()
    for copy in copies:
        # A swap reads one pool and writes the other, so equal ids are different blocks.
        stale = copy.direction is CopyDirection.WITHIN and copy.source in written
        if batch and (copy.direction is not batch[0].direction or copy.destination in written or stale):
            yield batch
            batch, written = [], set()
        batch.append(copy)
        written.add(copy.destination)
    if batch:
        yield batch


def _rows(pair: LayerCache) -> tuple[Tensor, ...]:
    """Return the tensors of a pair that rows of a convolution may lie in."""
    return tuple(each for each in (pair.key, pair.value) if each.numel())


def _tensors(pairs: Iterable[LayerCache]) -> tuple[Tensor, ...]:
    return tuple(each for pair in pairs for each in pair.tensors if each.numel())


def bytes_per_block(shapes: Iterable[LayerShape], block_size: int, dtype: torch.dtype) -> int:
    """Return the bytes of one block in all tensors: keys, values, index keys, and scales in tensors of their own.

    Args:
        shapes: from `tensor_slots`.
        block_size: tokens in a block.
        dtype: of keys and values.
    """
    shapes = list(shapes)
    per_token = sum(
        shape.num_kv_heads
        * (
            (int4_cache.row_size(shape.head_dim, dtype) + int4_cache.row_size(shape.head_dim_v, dtype)) * dtype.itemsize
            + shape.parts * _scale_bytes(dtype)
        )
        for shape in shapes
    )
    return block_size * per_token + index_bytes(shapes, block_size, dtype)


def _scale_bytes(dtype: torch.dtype) -> int:
    """Return the bytes of a row's scale outside the row."""
    return torch.float32.itemsize if dtype.itemsize == 1 and dtype != int4_cache.DTYPE else 0


def index_bytes(shapes: Iterable[LayerShape], block_size: int, dtype: torch.dtype) -> int:
    """Return the bytes of one block's index keys, with their scales; arguments as in `bytes_per_block`."""
    scale = _scale_bytes(dtype)
    return sum(
        block_size // each.tokens_per_row * each.heads * (each.dim * dtype.itemsize + scale)
        for shape in shapes
        for each in shape.index
    )


def _require_whole_rows(layers: Mapping[int, LayerShape], block_size: int) -> None:
    """Raise ConfigError if a row of some index stands for tokens of two blocks."""
    for index, shape in layers.items():
        for each in shape.index:
            if block_size % each.tokens_per_row:
                raise ConfigError(
                    f"EngineConfig: block_size is {block_size}, expected a multiple of {each.tokens_per_row}, the "
                    f"tokens that a row of the index of layer {index} stands for"
                )


def free_memory(device: torch.device) -> tuple[int, int]:
    """Return (free, total) bytes of the device; on the CPU what the system can give without swapping."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    free = available_memory()
    return total // 2 if free is None else free, total


def memory_for_pools(device: torch.device, utilization: float) -> int:
    """Return the bytes that pools may take.

    Args:
        device: of the pools.
        utilization: share of the device's memory that everything together may take; on the CPU, share of the memory
            that is free now.
    """
    free, total = free_memory(device)
    return int(total * utilization) - (total - free) if device.type == "cuda" else int(free * utilization)


def size_pool(
    *,
    device: torch.device,
    bytes_per_block: int,
    block_size: int,
    max_model_len: int,
    max_num_seqs: int,
    utilization: float,
    num_groups: int = 1,
    reserve: int = 0,
) -> int:
    """Return the blocks that fit into memory, the null block included, but no more than the engine can ever fill.

    Args:
        device, utilization: as in `memory_for_pools`.
        bytes_per_block, block_size: bytes and tokens of a block.
        max_model_len, max_num_seqs: longest sequence in tokens, and running sequences.
        num_groups: block tables per sequence.
        reserve: bytes to leave for activations and other pools.

    Raises:
        ConfigError: not even one sequence of one block fits.
    """
    fits = (memory_for_pools(device, utilization) - reserve) // max(1, bytes_per_block)
    useful = 1 + max_num_seqs * num_groups * -(-max_model_len // block_size)
    if fits < 1 + num_groups:
        room = max(0, memory_for_pools(device, utilization) - reserve)
        raise ConfigError(
            f"EngineConfig: gpu_memory_utilization {utilization} leaves {room >> 20} MiB for the KV cache, "
            f"expected at least {'two' if num_groups == 1 else 1 + num_groups} blocks of {bytes_per_block >> 10} KiB; "
            "raise it, or free memory"
        )
    return min(fits, useful)

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
from torchpaged.ops import devices
from torchpaged.utils.huge_pages import reserved_zeros

# Groups of the smallest kind's size may waste this share of the pool before another size is looked for.
_MAX_WASTE = 0.25


def kv_cache_groups(
    layers: Mapping[int, LayerShape],
    block_size: int,
    *,
    max_model_len: int | None = None,
    separate_windows: bool = True,
) -> list[KVCacheGroup]:
    """Which layers share block tables, and thereby which blocks each of them keeps.

    All groups take blocks from one pool: a block belongs to one group at a time, and the i-th layer of a group lies
    in the i-th pair of tensors. So a window that was passed gives back blocks that any layer can use. Each kind of
    layer (full, a window, a chunk) is cut into groups as large as the smallest kind; the last group of a kind
    may be shorter, and its share of the other tensors is wasted. Where that would waste more than a quarter of the
    pool, the size between the smallest and the largest kind that wastes least is taken (of equal ones the larger).

    Layers of one kind are one group. So are layers whose heads differ, as they cannot share tensors: then all
    blocks are kept, and the windowed layers read a part of them.

    Convolutions are windows of their own, whose rows have another shape: a layer's lie in as many of the tensors of
    the layers of attention as they need, and as many layers are a group as find room there.

    Args:
        layers: by layer index.
        block_size: tokens in a block.
        max_model_len: windows and chunks at least this long are none; None: all count.
        separate_windows: False for one group that keeps every block, whatever the kinds.

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
    """Of layers that keep keys and values."""
    kinds: dict[tuple[int, int, bool], list[int]] = {}
    for index, shape in layers.items():
        kinds.setdefault(shape.kind, []).append(index)
    heads = {(shape.num_kv_heads, shape.head_dim, shape.head_dim_v) for shape in layers.values()}
    if len(kinds) > 1 and len(heads) > 1:
        return [KVCacheGroup(FullAttentionSpec(block_size), tuple(layers))]
    size = _group_size([len(indices) for indices in kinds.values()])
    return [
        KVCacheGroup(_spec(kind, block_size), tuple(indices[first : first + size]))
        for kind, indices in kinds.items()
        for first in range(0, len(indices), size)
    ]


def _widths(shapes: Iterable[LayerShape]) -> list[int]:
    """Numbers of a token in each of these layers' tensors: keys, and values where there are any."""
    dims = [(shape.num_kv_heads, dim) for shape in shapes for dim in (shape.head_dim, shape.head_dim_v)]
    return [heads * dim for heads, dim in dims if dim]


def _layers_of_rows(widths: Sequence[int], channels: int) -> int:
    """How many rows of `channels` numbers find room in the tensors, each in some of its own; at least 1."""
    count = room = 0
    for width in widths:
        room += width
        if room >= channels:
            count, room = count + 1, 0
    return max(1, count)


def _group_size(counts: Sequence[int]) -> int:
    """Layers in a group, given the number of layers of each kind."""

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
    """The shapes of the pool's tensor pairs: as many as the longest group of attention has layers.

    Where a convolution's row does not find room in them, one more for the rest of it.
    """
    if not groups:  # of a model whose layers are all recurrent
        return []
    attention = [group for group in groups if not _is_of_rows(layers, group)]
    longest = max(attention or groups, key=lambda group: len(group.layers))
    shapes = [layers[index] for index in longest.layers]
    rows = [layers[index].head_dim for group in groups if _is_of_rows(layers, group) for index in group.layers]
    missing = max(rows, default=0) - sum(shape.elements for shape in shapes)
    return [*shapes, LayerShape(1, missing, 0)] if missing > 0 else shapes


def _is_of_rows(layers: Mapping[int, LayerShape], group: KVCacheGroup) -> bool:
    """Whether a group's layers are convolutions."""
    return all(layers[index].convolution for index in group.layers)


class PagedKVCache:
    """A model's pool: pairs of tensors [num_blocks, block_size, num_kv_heads, head_dim], keys and values apart.

    Each layer has a pair of its own, or shares one with layers of other groups (see `kv_cache_groups`). The rows of a
    convolution lie in as many tensors of these pairs as they need.

    On the CPU the storage is heads first ([num_blocks, num_kv_heads, block_size, head_dim], seen through a
    transposed view), so that a KV head's tokens of a block are one sequential stream. On CUDA it is tokens
    first. Slots that nobody wrote hold zeros.

    Args:
        layers: the shape of each layer by its index.
        num_blocks: blocks in the pool, the null block included.
        block_size: tokens in a block.
        dtype: of the tensors; an 8-bit one adds a float32 scale for each token and head, keys and values apart.
        device: of the tensors.
        groups: of `kv_cache_groups`; None: one with all layers.
        num_swap_blocks: blocks in the host's pool, for ids from 1 to this number (0 exists and is nobody's, as in
            the device's pool). Its memory is pinned on CUDA.
        key_factors: of `key_channels.key_factors`, for some layers.
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
        """Bytes of the whole pool."""
        return self.num_blocks * self.bytes_per_block

    def scale_keys(self, factors: Mapping[int, Tensor]) -> None:
        """From now on keys of these layers are multiplied with these factors; what was written before is of no use."""
        self.key_factors = dict(factors)
        for index, cache in self.caches.items():
            if isinstance(cache, LayerCache):
                self.caches[index] = replace(cache, key_factor=factors.get(index))

    def _caches_of(self, group: KVCacheGroup) -> dict[int, LayerCache | RowCache]:
        """Which tensors a group's layers lie in."""
        if not _is_of_rows(self.layers, group):
            pairs = zip(group.layers, self.slots, strict=False)
            return {
                index: RowCache(_tensors([pair])) if self.layers[index].convolution else pair for index, pair in pairs
            }
        tensors = iter(_tensors(self.slots))
        caches: dict[int, LayerCache | RowCache] = {}
        for index in group.layers:
            own, missing = [], self.layers[index].head_dim
            while missing > 0:
                own.append(next(tensors))
                missing -= math.prod(own[-1].shape[2:])
            caches[index] = RowCache(tuple(own))
        return caches

    def _pair(self, shape: LayerShape, num_blocks: int, device: torch.device) -> LayerCache:
        heads, block_size = shape.num_kv_heads, self.block_size
        pinned = device != self.device

        def values(dim: int) -> Tensor:
            if self.device.type == "cpu":
                # Not on huge pages: a step that writes new blocks would wait for whole ones, 2.3 ms each (measured)
                # in a virtual machine whose host takes free memory back, and attention gains 0 to 10 %.
                return reserved_zeros((num_blocks, heads, block_size, dim), self.dtype).transpose(1, 2)
            size = (num_blocks, block_size, heads, dim)
            return torch.zeros(size, dtype=self.dtype, device=device, pin_memory=pinned)

        def scales() -> Tensor:
            size = (num_blocks, heads, block_size)
            return torch.zeros(size, dtype=torch.float32, device=device, pin_memory=pinned).transpose(1, 2)

        count = shape.parts if self.dtype.itemsize == 1 else 0
        return LayerCache(values(shape.head_dim), values(shape.head_dim_v), *(scales() for _ in range(count)))

    def by_layer(self) -> Sequence[LayerCache | RowCache | None]:
        """The pools as a list that a layer's index reaches into; None where a layer has none."""
        return [self.caches.get(index) for index in range(max(self.caches, default=-1) + 1)]

    @torch.inference_mode()
    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copies blocks in every tensor, scales too, as if one after the other; few calls for many copies.

        In the order of the current stream. Copies to the host have arrived when this returns: it waits for them once.

        Raises:
            ValueError: an id that its pool does not have, or a swap without a swap pool.
        """
        with devices.current(self.device):
            copy_between(_tensors(self.slots), _tensors(self.swap_slots), copies)
            if self.device.type == "cuda" and any(copy.direction is CopyDirection.OUT for copy in copies):
                torch.cuda.current_stream().synchronize()

    def check(self) -> None:
        """Asserts that every tensor is what the operators expect, and that layers of one group share none."""
        for index, shape in self.layers.items():
            cache = self.caches[index]
            # Of a view into a larger tensor, torch.compile copies the whole each time that it is written to.
            assert all(tensor.storage_offset() == 0 for tensor in cache.tensors)
            if isinstance(cache, RowCache):
                assert all(each.shape[:2] == (self.num_blocks, self.block_size) for each in cache.tensors)
                assert sum(math.prod(each.shape[2:]) for each in cache.tensors) >= shape.head_dim
                continue
            assert cache.key.shape == (self.num_blocks, self.block_size, shape.num_kv_heads, shape.head_dim)
            assert cache.value.shape == (
                self.num_blocks,
                self.block_size,
                shape.num_kv_heads,
                shape.head_dim_v,
            )
        assert sorted(index for group in self.groups for index in group.layers) == sorted(self.layers)
        for group in self.groups:
            tensors = [id(each) for index in group.layers for each in self.caches[index].tensors]
            assert len(set(tensors)) == len(tensors)


def copy_between(here: Sequence[Tensor], host: Sequence[Tensor], copies: Iterable[BlockCopy]) -> None:
    """Copies blocks of one pool in each of its tensors, as if one after the other, in the order of the current stream.

    Args:
        here, host: the pool's tensors, and their likes on the host; none where nothing is swapped.

    Raises:
        ValueError: a swap without a swap pool.
    """
    # Pageable memory would make the copy of the pairs themselves wait for what the device has to do before.
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


def batches_of_copies(copies: Iterable[BlockCopy]) -> Iterator[list[BlockCopy]]:
    """Runs of copies that may be done at once, all sources read before any destination is written.

    A run ends at another direction, where a block is written again, and where one is read that the run has written.
    """
    batch: list[BlockCopy] = []
    written: set[int] = set()
    for copy in copies:
        # A swap reads one pool and writes the other: equal ids are different blocks then.
        stale = copy.direction is CopyDirection.WITHIN and copy.source in written
        if batch and (copy.direction is not batch[0].direction or copy.destination in written or stale):
            yield batch
            batch, written = [], set()
        batch.append(copy)
        written.add(copy.destination)
    if batch:
        yield batch


def _tensors(pairs: Iterable[LayerCache]) -> tuple[Tensor, ...]:
    return tuple(each for pair in pairs for each in pair.tensors if each.numel())


def bytes_per_block(shapes: Iterable[LayerShape], block_size: int, dtype: torch.dtype) -> int:
    """What one block takes in all pairs of tensors: keys and values, and their scales where the dtype has 8 bits.

    Args:
        shapes: of `tensor_slots`.
    """

    def per_token(shape: LayerShape) -> int:
        scales = shape.parts * shape.num_kv_heads * torch.float32.itemsize if dtype.itemsize == 1 else 0
        return shape.elements * dtype.itemsize + scales

    return block_size * sum(per_token(shape) for shape in shapes)


def free_memory(device: torch.device) -> tuple[int, int]:
    """(free, total) bytes of the device; on the CPU: what the system can hand out without swapping."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/meminfo") as lines:
            free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):  # not Linux: take half
        free = total // 2
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as limit:
                free = min(free, int(limit.read()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return free, total


def memory_for_pools(device: torch.device, utilization: float) -> int:
    """Bytes that may be taken beside what is taken.

    Args:
        utilization: the share of the device's memory that everything together may take; on the CPU, of what
            is free now.
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
    """Blocks that fit into memory, the null block included, and no more than the engine could ever fill.

    Args:
        utilization: as of `memory_for_pools`.
        num_groups: block tables of a sequence.
        reserve: bytes to leave for activations, and for other pools.

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

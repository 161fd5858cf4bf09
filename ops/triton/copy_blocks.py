"""copy_blocks and swap_blocks: whole blocks inside a pool, between pools, and to and from the host."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton.common import checked

# Bytes that one program copies.
TILE = 8192

# Copies to and from the host whose runs of consecutive blocks have at least this many bytes on average go through the
# copy engine, one transfer for each run; shorter ones go through a kernel that accesses the host's pinned memory.
LONG_RUN = 256 << 10

# Most address tables that stay on the device, besides those that graphs read.
MOST_TABLES = 64

_tables: dict[tuple[tuple[int, ...], torch.device], Tensor] = {}
_captured: set[tuple[tuple[int, ...], torch.device]] = set()


@triton.jit(do_not_specialize=("num_pairs",))
def _hazard_kernel(hazard_ptr, mapping_ptr, num_pairs, stride_pair, stride_side, WIDTH: tl.constexpr):
    """Find out whether a pair's destination is another pair's source."""
    pair = tl.program_id(0).to(tl.int64)
    target = tl.load(mapping_ptr + pair * stride_pair + stride_side)
    count = 0
    for first in range(0, num_pairs, WIDTH):
        other = first + tl.arange(0, WIDTH)
        source = tl.load(mapping_ptr + other.to(tl.int64) * stride_pair, mask=other < num_pairs, other=-1)
        count += tl.sum((source == target).to(tl.int32), axis=0)
    tl.store(hazard_ptr + pair, tl.where(count > 0, 1, 0))


@triton.jit(do_not_specialize=("units", "num_sources", "num_targets"))
def _copy_kernel(
    sources_ptr,  # the base address of each pool
    targets_ptr,
    stage_ptr,  # [pools, pairs, units * UNIT] int32, for pairs with a hazard
    hazard_ptr,
    mapping_ptr,
    units,  # of UNIT int32 words in a block
    num_sources,
    num_targets,
    stride_source,  # of blocks, in units
    stride_target,
    stride_pair,
    stride_side,
    UNIT: tl.constexpr,
    WORDS: tl.constexpr,
    HAZARDS: tl.constexpr,  # some destination may be another pair's source
    SECOND: tl.constexpr,  # of two launches: staged blocks go to their destinations
):
    """Copy WORDS words of one block of one pool. Pairs that name a block outside of its pool are skipped."""
    pair = tl.program_id(0).to(tl.int64)
    pool = tl.program_id(2).to(tl.int64)
    source = tl.load(mapping_ptr + pair * stride_pair)
    target = tl.load(mapping_ptr + pair * stride_pair + stride_side)
    there = (source >= 0) & (source < num_sources) & (target >= 0) & (target < num_targets)
    tl.device_assert(there, "copy_blocks: block_mapping has a block that is not in its pool")
    if (source < 0) | (source >= num_sources) | (target < 0) | (target >= num_targets):
        return
    word = tl.program_id(1).to(tl.int64) * WORDS + tl.arange(0, WORDS)
    words = units.to(tl.int64) * UNIT
    valid = word < words
    from_base = tl.load(sources_ptr + pool).to(tl.pointer_type(tl.int32))
    to_base = tl.load(targets_ptr + pool).to(tl.pointer_type(tl.int32))
    # The compiler cannot know how an address from memory is aligned.
    from_row = tl.multiple_of(from_base + source * (stride_source * UNIT) + word, 4 * UNIT)
    to_row = tl.multiple_of(to_base + target * (stride_target * UNIT) + word, 4 * UNIT)
    staged = False
    if HAZARDS:
        staged = tl.load(hazard_ptr + pair) != 0
        stage_row = stage_ptr + (pool * tl.num_programs(0) + pair) * words + word
        if staged:
            if SECOND:
                tl.store(to_row, tl.load(stage_row, mask=valid), mask=valid)
            else:
                tl.store(stage_row, tl.load(from_row, mask=valid), mask=valid)
    if not SECOND and not staged:
        tl.store(to_row, tl.load(from_row, mask=valid), mask=valid)


def copy_blocks(caches: list[Tensor], block_mapping: Tensor) -> None:
    """Copy whole blocks inside each cache; all sources are read before any destination is written.

    Call it once with these caches before a CUDA graph captures it: the first call sends their addresses to the device.
    Pairs out of range are refused where the mapping is on the host, skipped where it is on the device.
    """
    for cache in caches:
        _check_pairs("copy_blocks", block_mapping, cache.shape[0], cache.shape[0])
    alike: dict[tuple[object, ...], list[Tensor]] = {}
    for cache in caches:
        alike.setdefault((cache.shape, cache.stride(), cache.dtype), []).append(cache)
    hazards, mapping = _may_collide(block_mapping), block_mapping.to(caches[0].device, non_blocking=True)
    for pools in alike.values():
        _copy(pools, pools, mapping, hazards)


def swap_blocks(src: Tensor, dst: Tensor, block_mapping: Tensor, *, non_blocking: bool = False) -> None:
    """Copy whole blocks from one pool to another; see `torchpaged.ops.reference.swap_blocks`.

    Copies to and from the host run in the order of the current stream, asynchronously where the host's pool is pinned:
    one transfer for each run of consecutive blocks, or one kernel for all where the runs of a pinned pool are short. A
    copy to the host has arrived when this returns, or with `non_blocking` when the stream has passed it; a pinned
    source must stay unchanged until then. A mapping on the device is read back: keep it on the host, pinned.
    """
    _check_pairs("swap_blocks", block_mapping, src.shape[0], dst.shape[0])
    if src.device == dst.device:
        hazards = _shares_memory(src, dst) and _may_collide(block_mapping)
        _copy([src], [dst], block_mapping.to(src.device, non_blocking=True), hazards)
        return
    host, device = (src, dst.device) if src.device.type == "cpu" else (dst, src.device)
    runs = _runs(block_mapping.cpu())
    if _is_scattered(runs, src) and host.is_pinned() and _alike(src, dst):
        _copy([src], [dst], block_mapping.to(device, non_blocking=True), hazards=False)
    else:
        for source, target, count in runs.tolist():
            dst[target : target + count].copy_(src[source : source + count], non_blocking=True)
    if dst.device.type == "cpu" and not non_blocking:
        torch.cuda.current_stream(device).synchronize()


def _copy(sources: list[Tensor], targets: list[Tensor], mapping: Tensor, hazards: bool) -> None:
    """Copy blocks of each source pool to the target pool at the same index; a list's pools differ only in their
    address.

    A destination that is another pair's source is written by a second launch from a staging buffer, when everything has
    been read. Other destinations are written directly, since no pair reads them.

    Args:
        mapping: on the device where the kernel runs. Pools elsewhere are pinned host memory.
        hazards: whether there may be such a destination.
    """
    source, target, num_pairs = sources[0], targets[0], mapping.shape[0]
    if num_pairs == 0 or source[0].numel() == 0:
        return
    if not _alike(source, target):
        for one, other in zip(sources, targets, strict=True):
            other, one = (x.view(torch.uint8) if x.element_size() == 1 else x for x in (other, one))
            other[mapping[:, 1]] = one[mapping[:, 0]]
        return
    size = source.element_size()
    block_bytes = source[0].numel() * size
    strides = [pool.stride(0) * size for pool in (source, target)]
    addresses = [tuple(pool.data_ptr() for pool in pools) for pools in (sources, targets)]
    # 16 bytes at a time where everything is aligned to that, else 4.
    unit = 4 if all(count % 16 == 0 for count in (block_bytes, *strides, *addresses[0], *addresses[1])) else 1
    words = block_bytes // 4
    tables = [_pointer_table(each, mapping.device) for each in addresses]
    stage = hazard = mapping
    if hazards:
        stage = mapping.new_empty((len(sources), num_pairs, words), dtype=torch.int32)
        # Pools may overlap at other places than whole blocks: then every pair counts as one.
        hazard = torch.ones(num_pairs, dtype=torch.int8, device=mapping.device)
        if addresses[0] == addresses[1] and strides[0] == strides[1]:
            _hazard_kernel[(num_pairs,)](hazard, mapping, num_pairs, *mapping.stride(), WIDTH=1024, num_warps=4)
    for second in (False, True)[: 1 + hazards]:
        _copy_kernel[(num_pairs, triton.cdiv(words, TILE // 4), len(sources))](
            *tables,
            stage,
            hazard,
            mapping,
            words // unit,
            source.shape[0],
            target.shape[0],
            *(stride // (4 * unit) for stride in strides),
            *mapping.stride(),
            UNIT=unit,
            WORDS=TILE // 4,
            HAZARDS=hazards,
            SECOND=second,
            num_warps=8,
            **checked(),
        )


def _may_collide(mapping: Tensor) -> bool:
    """Return whether a destination may be a source; the host cannot see a mapping on the device."""
    return mapping.device.type != "cpu" or bool(torch.isin(mapping[:, 1], mapping[:, 0]).any())


def _shares_memory(source: Tensor, target: Tensor) -> bool:
    """Return whether two pools may have blocks in common."""
    return source.untyped_storage().data_ptr() == target.untyped_storage().data_ptr()


def _alike(source: Tensor, target: Tensor) -> bool:
    """Return whether blocks of both pools have the same layout, and can be copied word by word."""
    return source.stride()[1:] == target.stride()[1:] and _is_dense(source) and _is_dense(target)


def _is_scattered(runs: Tensor, pool: Tensor) -> bool:
    """Return whether runs are so short that starting a transfer for each would take longer than the bytes."""
    num_bytes = int(runs[:, 2].sum()) * pool[0].numel() * pool.element_size()
    return num_bytes < LONG_RUN * len(runs)


def _pointer_table(pointers: tuple[int, ...], device: torch.device) -> Tensor:
    """Return the addresses on the device, which are sent once, since a model's pools never move.

    A table that a CUDA graph was captured with is kept forever, since the graph reads it at each replay.
    """
    key = (pointers, device)
    capturing = device.type == "cuda" and torch.cuda.is_current_stream_capturing()
    if (table := _tables.get(key)) is None:
        if capturing:
            raise RuntimeError(
                f"copy_blocks, swap_blocks: a CUDA graph is being captured, and the addresses of these {len(pointers)} "
                "caches are not on the device yet, where a capture cannot send them; make the call once before it"
            )
        for old in [old for old in _tables if old not in _captured][: max(0, len(_tables) - MOST_TABLES + 1)]:
            del _tables[old]
        table = _tables[key] = torch.tensor(pointers, dtype=torch.int64, device=device)
    if capturing:
        _captured.add(key)
    return table


def _is_dense(pool: Tensor) -> bool:
    """Return whether each block is one run of 4-byte words, in any order of dimensions (heads first, say)."""
    expected = 1
    for stride, size in sorted(zip(pool.stride()[1:], pool.shape[1:], strict=True)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    bytes_apart = (pool.data_ptr(), pool.stride(0) * pool.element_size(), expected * pool.element_size())
    return all(count % 4 == 0 for count in bytes_apart)


def _runs(pairs: Tensor) -> Tensor:
    """Join consecutive pairs into runs, [runs, 3]: source, destination, count.

    In torch, since a loop over 4,096 pairs took longer than their 128 MiB take on the bus.
    """
    begins = torch.ones(len(pairs), dtype=torch.bool)
    begins[1:] = (pairs.diff(dim=0) != 1).any(1)
    first = begins.nonzero().flatten()
    counts = torch.cat([first, first.new_tensor([len(pairs)])]).diff()
    return torch.cat([pairs[first], counts[:, None]], 1)


def _check_pairs(op: str, mapping: Tensor, num_sources: int, num_targets: int) -> None:
    """Refuse a mapping that names blocks outside of the pools, where reading it does not wait for the device."""
    if mapping.device.type != "cpu":
        return
    for column, limit, name in ((0, num_sources, "source"), (1, num_targets, "destination")):
        bad = mapping[:, column][(mapping[:, column] < 0) | (mapping[:, column] >= limit)]
        if bad.numel():
            raise ValueError(f"{op}: block_mapping has {name} {int(bad[0])}, expected 0 to {limit - 1}")

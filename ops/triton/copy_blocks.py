"""copy_blocks and swap_blocks: whole blocks inside a pool, between pools, and to and from the host."""

from __future__ import annotations

from functools import lru_cache

import torch
import triton
import triton.language as tl
from torch import Tensor

# Bytes that one program copies.
TILE = 8192


@triton.jit(do_not_specialize=("words", "num_sources", "num_targets"))
def _copy_kernel(
    pointers_ptr,  # the base address of each pool
    stage_ptr,  # [pools, num_pairs, words] int32
    mapping_ptr,
    words,  # int32 words of a block
    num_sources,
    num_targets,
    stride_block,  # in words
    stride_pair,
    stride_side,
    INTO_STAGE: tl.constexpr,  # the source blocks into the stage; else the stage into the destinations
    WORDS: tl.constexpr,
):
    """WORDS words of one block of one pool. A pair that names a block outside of its pool is skipped."""
    pair = tl.program_id(0).to(tl.int64)
    source = tl.load(mapping_ptr + pair * stride_pair)
    target = tl.load(mapping_ptr + pair * stride_pair + stride_side)
    if (source < 0) | (source >= num_sources) | (target < 0) | (target >= num_targets):
        return
    pool = tl.load(pointers_ptr + tl.program_id(2)).to(tl.pointer_type(tl.int32))
    word = tl.program_id(1).to(tl.int64) * WORDS + tl.arange(0, WORDS)
    valid = word < words
    stage = stage_ptr + (tl.program_id(2).to(tl.int64) * tl.num_programs(0) + pair) * words + word
    if INTO_STAGE:
        tl.store(stage, tl.load(pool + source * stride_block + word, mask=valid), mask=valid)
    else:
        tl.store(pool + target * stride_block + word, tl.load(stage, mask=valid), mask=valid)


def copy_blocks(caches: list[Tensor], block_mapping: Tensor) -> None:
    """Whole blocks inside each cache, all sources read before any destination is written.

    Pairs out of range are refused where the mapping is on the host, skipped where it is on the device.
    """
    for cache in caches:
        _check_pairs("copy_blocks", block_mapping, cache.shape[0], cache.shape[0])
    mapping = block_mapping.to(caches[0].device, non_blocking=True)
    alike: dict[tuple[object, ...], list[Tensor]] = {}
    for cache in caches:
        alike.setdefault((cache.shape, cache.stride(), cache.dtype), []).append(cache)
    for pools in alike.values():
        _copy(pools, pools, mapping)


def swap_blocks(src: Tensor, dst: Tensor, block_mapping: Tensor) -> None:
    """Whole blocks from one pool to another; see `torchpaged.ops.reference.swap_blocks`.

    To or from the host: one copy for each run of consecutive blocks, in the order of the current stream and
    asynchronous where the host's pool is pinned. A copy to the host has arrived when this returns; a pinned source
    must stay unchanged until the stream has passed the copy. A mapping on the device is read back: keep it on
    the host.
    """
    _check_pairs("swap_blocks", block_mapping, src.shape[0], dst.shape[0])
    if src.device == dst.device:
        _copy([src], [dst], block_mapping.to(src.device, non_blocking=True))
        return
    for source, target, count in _runs(block_mapping.tolist()):
        dst[target : target + count].copy_(src[source : source + count], non_blocking=True)
    if dst.device.type == "cpu":
        torch.cuda.current_stream(src.device).synchronize()


def _copy(sources: list[Tensor], targets: list[Tensor], mapping: Tensor) -> None:
    """Blocks of each source pool into the target pool beside it; pools of a list differ only in their address.

    Through a staging buffer, since a destination may be another pair's source: two launches for all pools.
    """
    source, target, num_pairs = sources[0], targets[0], mapping.shape[0]
    if num_pairs == 0 or source[0].numel() == 0:
        return
    if source.stride()[1:] != target.stride()[1:] or not (_is_dense(source) and _is_dense(target)):
        for one, other in zip(sources, targets, strict=True):
            other, one = (x.view(torch.uint8) if x.element_size() == 1 else x for x in (other, one))
            other[mapping[:, 1]] = one[mapping[:, 0]]
        return
    size = source.element_size()
    words = source[0].numel() * size // 4
    stage = mapping.new_empty((len(sources), num_pairs, words), dtype=torch.int32)
    for into_stage, pools in ((True, sources), (False, targets)):
        _copy_kernel[(num_pairs, triton.cdiv(words, TILE // 4), len(pools))](
            _pointer_table(tuple(pool.data_ptr() for pool in pools), mapping.device),
            stage,
            mapping,
            words,
            source.shape[0],
            target.shape[0],
            pools[0].stride(0) * size // 4,
            *mapping.stride(),
            INTO_STAGE=into_stage,
            WORDS=TILE // 4,
            num_warps=8,
        )


@lru_cache(maxsize=64)
def _pointer_table(pointers: tuple[int, ...], device: torch.device) -> Tensor:
    """The addresses on the device: a model's pools stay where they are, so they are sent once."""
    return torch.tensor(pointers, dtype=torch.int64, device=device)


def _is_dense(pool: Tensor) -> bool:
    """Whether each block is one run of 4-byte words, in whatever order of dimensions (heads first, say)."""
    expected = 1
    for stride, size in sorted(zip(pool.stride()[1:], pool.shape[1:], strict=True)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    bytes_apart = (pool.data_ptr(), pool.stride(0) * pool.element_size(), expected * pool.element_size())
    return all(count % 4 == 0 for count in bytes_apart)


def _runs(pairs: list[list[int]]) -> list[tuple[int, int, int]]:
    """Pairs as (source, destination, count), consecutive ones joined."""
    runs: list[tuple[int, int, int]] = []
    for source, target in pairs:
        if runs and source == runs[-1][0] + runs[-1][2] and target == runs[-1][1] + runs[-1][2]:
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((source, target, 1))
    return runs


def _check_pairs(op: str, mapping: Tensor, num_sources: int, num_targets: int) -> None:
    """Refuses a mapping that names no block, where looking at it does not wait for the device."""
    if mapping.device.type != "cpu":
        return
    for column, limit, name in ((0, num_sources, "source"), (1, num_targets, "destination")):
        bad = mapping[:, column][(mapping[:, column] < 0) | (mapping[:, column] >= limit)]
        if bad.numel():
            raise ValueError(f"{op}: block_mapping has {name} {int(bad[0])}, expected 0 to {limit - 1}")

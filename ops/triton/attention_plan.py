"""The plan of a paged_attention call: tiles and launches, chosen from dtypes, shapes and hints, never from lengths."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton.language as tl

from torchpaged.ops.triton.common import is_rdna

# Where the chunks' results come together: there is only one chunk; in the registers of the program that runs all
# chunks; in the merge kernel.
ONE_CHUNK = tl.constexpr(0)
FOLD = tl.constexpr(1)
SPLIT = tl.constexpr(2)

# Which sequences a launch takes: all; those with one new token; the others and the padding rows.
ALL = tl.constexpr(0)
DECODES = tl.constexpr(1)
OTHERS = tl.constexpr(2)

# Keys whose result is one partial result. Fewer: more programs for one long sequence, and more memory traffic.
CHUNK = 512

# A call's workspace for split results stays below this; past it, chunks run one after the other.
WORKSPACE_BYTES = 512 << 20


@dataclass(frozen=True, slots=True)
class Rows:
    """A tile's rows (query tokens times the heads of a group), warps and pipeline stages."""

    block_m: int
    num_warps: int
    num_stages: int


@dataclass(frozen=True, slots=True)
class Configuration:
    """Compile options of a model's calls, which depend on dtypes, head dims, the block size and the device alone."""

    block_n: int  # keys of a tile
    chunk: int  # keys whose result is one partial result
    split: Rows  # each chunk's result goes through memory: few rows, or accumulators that fill the registers
    fold: Rows | None  # one program runs all chunks of many rows


def configuration(
    query_dtype: torch.dtype,
    cache_dtype: torch.dtype,
    head_dim: int,
    head_dim_v: int,
    light: bool,
    block_size: int,
    capability: tuple[int, int],
    amd: str = "",
    modified: bool = False,
) -> Configuration:
    """Choose the tile sizes for a model on a device.

    Args:
        light: the call has none of the features that take registers.
        modified: it has functions of scores or masks, which take the most.
        capability, amd: the device's, from `common.py`.

    Hopper's tensor cores want 64 rows, so decode has as many, most of them idle: it waits for memory anyway.
    Each choice is the largest that test_triton_compile.py finds to fit into the registers, except for
    Hopper's 8-bit caches and head_dim 256: these spill a little, and were still faster on an H100 than choices that do
    not spill. Nothing was run on AMD: CDNA gets sm_80's tiles, which fit there.
    """
    widest = max(head_dim, head_dim_v)
    quantised = cache_dtype != query_dtype
    if query_dtype == torch.float32:  # exact products, not on the tensor cores
        rows = Rows(16, 8, 2 if widest <= 128 else 1)
        return Configuration(16, CHUNK, rows, rows if widest <= 128 else None)

    if is_rdna(amd):
        # The same tile takes twice the waves. Above 256 none of the tiles that were tried fits: this one spills least.
        if widest <= 128 and light:
            return Configuration(32, CHUNK, Rows(64, 16, 2), Rows(64, 16, 2))
        if widest <= 256:
            return Configuration(16, CHUNK, Rows(16, 8, 2), Rows(16, 8, 2))
        return Configuration(16, CHUNK, Rows(16, 16, 1), None)

    def stages(block_n: int, under_way: int) -> int:
        """Return stages for this many bytes in flight: Triton divides them between a tile and its table entry."""
        tile = block_n * (head_dim + head_dim_v) * cache_dtype.itemsize
        return 1 + 2 * min(4, -(-under_way // tile))

    if capability[0] == 9 and widest <= 128:
        if light:
            # 8-bit tiles pass through shared memory twice and want few, large ones.
            block_n = 128 if quantised else 64
            rows = Rows(64, 4, stages(block_n, 64 << 10))
            return Configuration(block_n, CHUNK, rows, Rows(128, 8, stages(block_n, 64 << 10)))
        return Configuration(32, CHUNK, Rows(64, 4, stages(32, 32 << 10)), None)
    if capability[0] == 9 and light and (widest <= 256 or not quantised):
        # These fill the registers: where a block holds several tiles, the places in it are too many.
        narrow = block_size > 32 and (quantised or widest > 256)
        block_n = 16 if narrow else 32
        if widest <= 256 and not narrow:
            return Configuration(64 if quantised else 32, CHUNK, Rows(64, 4, 2), None)
        return Configuration(block_n, CHUNK, Rows(64, 8, stages(block_n, 64 << 10) if widest <= 256 else 2), None)
    if widest <= 128 and light:
        return Configuration(32, CHUNK, Rows(64, 8, 2), Rows(64, 8, 2))
    if amd and modified and widest <= 256:
        return Configuration(32, CHUNK, Rows(16, 8, 1), Rows(16, 8, 1))
    if widest <= 256:
        # Everything at once on rows of two parts, such as 96 as 64 and 32, leaves registers for fewer rows: always on
        # Blackwell, elsewhere beside an 8-bit cache.
        parts = not light and head_dim & (head_dim - 1) != 0
        rows = Rows(16 if parts and (quantised or capability[0] >= 10) else 32, 8, 2)
        return Configuration(32, CHUNK, rows, rows)
    return Configuration(32, CHUNK, Rows(16, 8, 2), None)


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of the attention kernel, and of the merge kernel where its chunks are split."""

    mode: int
    which: int
    rows: Rows
    begin: int  # of the query tokens whose rows it writes
    end: int
    slots: int = 0  # of the workspace, for each chunk and head: its tokens, or the sequences where it takes decodes


def plan(
    config: Configuration,
    *,
    num_tokens: int,
    num_seqs: int,
    num_heads: int,
    group: int,
    head_dim_v: int,
    num_chunks: int,
    max_query_len: int,
    num_splits: int,
) -> list[Launch]:
    """Choose the launches that together write every row once.

    Args:
        num_chunks: chunks of the longest sequence that the block table can hold.
        max_query_len, num_splits: the caller's hints.
    """
    fold = config.fold
    rows_a_sequence = group * (max_query_len or -(-num_tokens // max(1, num_seqs)))
    many_rows = fold is not None and rows_a_sequence >= fold.block_m
    if num_chunks == 1:
        return [Launch(ONE_CHUNK.value, ALL.value, fold if fold and many_rows else config.split, 0, num_tokens)]
    slot_bytes = 4 * num_chunks * num_heads * (head_dim_v + 2)
    large = slot_bytes * num_tokens > WORKSPACE_BYTES
    if fold is not None and (num_splits == 1 or large or (num_splits == 0 and many_rows)):
        if num_splits == 1 or not many_rows or num_seqs == 1 or slot_bytes * num_seqs > WORKSPACE_BYTES:
            return [Launch(FOLD.value, ALL.value, fold, 0, num_tokens)]
        # A mixed batch: one program for all chunks of a long sequence's one new token would end long after the rest.
        decodes = Launch(SPLIT.value, DECODES.value, config.split, 0, num_tokens, num_seqs)
        return [decodes, Launch(FOLD.value, OTHERS.value, fold, 0, num_tokens)]
    most = max(1, WORKSPACE_BYTES // slot_bytes)
    slices = ((begin, min(begin + most, num_tokens)) for begin in range(0, num_tokens, most))
    return [Launch(SPLIT.value, ALL.value, config.split, begin, end, end - begin) for begin, end in slices]

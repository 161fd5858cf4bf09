"""Parts of Hopper's two attention kernels in Gluon: fetching pages by TMA, making 16 bits of codes, a tile's softmax.

A head's numbers lie in PARTS tiles of DIM each, one behind the other in a ring: 192 in three of 64, 256 in two of 128.
"""

from __future__ import annotations

import torch
from torch import Tensor
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from torchpaged.ops.triton.common import FLOAT8_E4M3, INT8, SCALE_PER_TOKEN

barrier = getattr(gl, "barrier", None) or gl.thread_barrier  # Triton 3.7, 3.6
LOG2E = gl.constexpr(1.4426950408889634)

# Rows of a warpgroup.
ROWS = gl.constexpr(64)

# Pages that one tile may consist of: a producer loads their table entries together.
MOST_PAGES = 8

# Rows after which a tile's swizzle repeats: the compiler cuts a tile nowhere else.
SWIZZLED_ROWS = 8

DTYPES = {torch.bfloat16: gl.bfloat16, torch.float16: gl.float16}


# --- On the host ----------------------------------------------------------------------------------------------------


def box_of(block_size: int, block_n: int) -> int:
    """Return how many tokens of a block one copy fetches: a divisor of the block's and the tile's."""
    box = block_n
    while block_size % box:
        box //= 2
    return box


def parts_of(head_dim: int) -> tuple[int, int]:
    """Return the size and the number of the parts of a head of 64, 128, 192 or 256 numbers."""
    dim = 64 if head_dim % 128 else 128
    return dim, head_dim // dim


def can_fetch(caches: tuple[Tensor, Tensor], block_n: int) -> bool:
    """Return whether TMA can fetch tiles of the caches: dense rows of all heads, few pages a tile."""
    blocks, size, kv_heads, _ = caches[0].shape
    dense = all(each.stride()[1:] == (kv_heads * each.shape[3], each.shape[3], 1) for each in caches)
    dense = dense and all(each.stride(0) == size * each.stride(1) or blocks == 1 for each in caches)
    box = box_of(size, block_n)
    few = box >= SWIZZLED_ROWS and box * MOST_PAGES >= block_n and blocks * size < 2**31
    return dense and few and all(each.data_ptr() % 16 == 0 for each in caches)


def pages_of(cache: Tensor, dim: int, box: int) -> TensorDescriptor:
    """Return a descriptor of a cache as [blocks * tokens, heads * head_dim], of which a copy takes [box, dim]."""
    blocks, size, kv_heads, head_dim = cache.shape
    width = 8 * cache.element_size()
    layout = gl.NVMMASharedLayout(swizzle_byte_width=min(128, dim * width // 8), element_bitwidth=width, rank=2)
    rows, columns = blocks * size, kv_heads * head_dim
    return TensorDescriptor(cache.view(rows, columns), [rows, columns], [columns, 1], [box, dim], layout)


# --- Fetching -------------------------------------------------------------------------------------------------------


@gluon.jit
def page_row(
    table_row,
    first,
    PAGE: gl.constexpr,
    num_blocks,
    max_blocks,
    BLOCK_SIZE: gl.constexpr,
    BOX: gl.constexpr,
    PAGES: gl.constexpr,
):
    """Return the cache's row where a page of the tile begins."""
    row = 0
    if PAGE < PAGES:
        key = first + PAGE * BOX
        block = gl.load(table_row + gl.minimum(key // BLOCK_SIZE, max_blocks - 1))
        row = gl.minimum(gl.maximum(block, 0), num_blocks - 1) * BLOCK_SIZE + key % BLOCK_SIZE
    return row


@gluon.jit
def _page_rows(
    table_row, first, num_blocks, max_blocks, BLOCK_SIZE: gl.constexpr, BOX: gl.constexpr, PAGES: gl.constexpr
):
    """Return the cache's rows where the pages of a tile begin."""
    r0 = page_row(table_row, first, 0, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r1 = page_row(table_row, first, 1, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r2 = page_row(table_row, first, 2, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r3 = page_row(table_row, first, 3, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r4 = page_row(table_row, first, 4, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r5 = page_row(table_row, first, 5, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r6 = page_row(table_row, first, 6, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    r7 = page_row(table_row, first, 7, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
    return r0, r1, r2, r3, r4, r5, r6, r7


@gluon.jit
def producer(
    pages,
    table_row,
    kv_head,
    begin,
    end,
    num_blocks,
    max_blocks,
    tiles,
    full,
    empty,
    BLOCK_SIZE: gl.constexpr,
    BOX: gl.constexpr,
    BLOCK_N: gl.constexpr,
    DIM: gl.constexpr,
    PARTS: gl.constexpr,
    ITEMSIZE: gl.constexpr,
    STAGES: gl.constexpr,
):
    """Fetch the tiles of K or V; a tile's table entries are loaded while room for it is waited for."""
    PAGES: gl.constexpr = BLOCK_N // BOX
    i = 0
    for first in range(begin, end, BLOCK_N):
        stage = i % STAGES
        rows = _page_rows(table_row, first, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        mbarrier.wait(empty.index(stage), ((i // STAGES) & 1) ^ 1)
        mbarrier.expect(full.index(stage), BLOCK_N * DIM * PARTS * ITEMSIZE)
        for page in gl.static_range(PAGES):
            for part in gl.static_range(PARTS):
                place = tiles.index(stage * PARTS + part).slice(page * BOX, BOX)
                column = (kv_head * PARTS + part) * DIM
                tma.async_copy_global_to_shared(pages, [rows[page], column], full.index(stage), place)
        i += 1  # noqa: SIM113 - the compiler knows no enumerate


# --- Codes ----------------------------------------------------------------------------------------------------------


@gluon.jit
def _decoded(codes, KIND: gl.constexpr, DTYPE: gl.constexpr):
    """Return the codes' values: `common.decode`."""
    if KIND == FLOAT8_E4M3:
        values = gl.cast(codes, gl.float8e4nv, bitcast=True).to(gl.float16).to(DTYPE)
    elif KIND == INT8:
        bits = (codes ^ 0x80).to(gl.uint16) | 0x6400
        values = (gl.cast(bits, gl.float16, bitcast=True) - 1152.0).to(DTYPE)
    else:
        values = gl.cast(codes.to(gl.uint16) << 8, gl.float16, bitcast=True).to(DTYPE)
    return values


@gluon.jit
def _convert(
    raw, tile, first, key_end, DIM: gl.constexpr, KIND: gl.constexpr, BLOCK_N: gl.constexpr, CLEAR: gl.constexpr
):
    """Write a tile's values; with CLEAR those behind `key_end` become 0."""
    PART: gl.constexpr = 32 if BLOCK_N > 32 else BLOCK_N  # rows that fit into the registers at a time
    WIDE: gl.constexpr = gl.BlockedLayout([1, 16], [512 // DIM, DIM // 16], [2, 1], [1, 0])
    for part in gl.static_range(0, BLOCK_N, PART):
        values = _decoded(raw.slice(part, PART).load(WIDE), KIND, tile.dtype)
        if CLEAR:  # noqa: SIM102 - the compiler leaves the rest out
            if first + BLOCK_N > key_end:
                row = first + part + gl.arange(0, PART, layout=gl.SliceLayout(1, WIDE))
                values = gl.where((row < key_end)[:, None], values, 0.0)
        tile.slice(part, PART).store(values)


@gluon.jit
def _token_scales(
    scale_ptr,
    table_row,
    key,
    key_end,
    num_blocks,
    max_blocks,
    stride_b,
    stride_t,
    BLOCK_SIZE: gl.constexpr,
):
    """Return the scales of a tile's keys, 0 behind the last key."""
    valid = key < key_end
    block = gl.load(table_row + gl.minimum(key // BLOCK_SIZE, max_blocks - 1), mask=valid, other=0)
    block = gl.minimum(gl.maximum(block, 0), num_blocks - 1).to(gl.int64)
    return gl.load(scale_ptr + block * stride_b + key % BLOCK_SIZE * stride_t, mask=valid, other=0.0)


@gluon.jit
def converter(
    k_scale_ptr,
    v_scale_ptr,
    table_row,
    begin,
    end,
    key_end,
    num_blocks,
    max_blocks,
    stride_ks_b,
    stride_ks_t,
    stride_vs_b,
    stride_vs_t,
    k_raw,
    v_raw,
    k_raw_full,
    k_raw_empty,
    v_raw_full,
    v_raw_empty,
    k_tiles,
    v_tiles,
    k_scales,
    v_scales,
    k_full,
    k_empty,
    v_full,
    v_empty,
    BLOCK_SIZE: gl.constexpr,
    DIM: gl.constexpr,
    PARTS: gl.constexpr,
    DIM_V: gl.constexpr,
    V_PARTS: gl.constexpr,
    KIND: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
    WEIGHT_SCALE: gl.constexpr,
    BLOCK_N: gl.constexpr,
    RAW_STAGES: gl.constexpr,
    K_STAGES: gl.constexpr,
    V_STAGES: gl.constexpr,
):
    """Make tiles of 16 bits of the codes, and bring scales of tokens into shared memory, with the tile of K.

    Scales have a stage more than K: a warp reads them behind its warpgroup's arrival that frees K, so that they are
    overwritten only after the next tile's arrival, and by then all of its warps have read them.

    A code behind the last key may be NaN's, and 0 * NaN is NaN: values there become 0.
    """
    LINE: gl.constexpr = gl.BlockedLayout([1], [32], [2], [0])
    SCALE_STAGES: gl.constexpr = K_STAGES + 1
    i = 0
    for first in range(begin, end, BLOCK_N):
        raw = i % RAW_STAGES
        raw_phase = (i // RAW_STAGES) & 1
        key = first + gl.arange(0, BLOCK_N, layout=LINE)
        if K_SCALE == SCALE_PER_TOKEN:
            k_scale = _token_scales(
                k_scale_ptr, table_row, key, key_end, num_blocks, max_blocks, stride_ks_b, stride_ks_t, BLOCK_SIZE
            )
        if V_SCALE == SCALE_PER_TOKEN:
            v_scale = _token_scales(
                v_scale_ptr, table_row, key, key_end, num_blocks, max_blocks, stride_vs_b, stride_vs_t, BLOCK_SIZE
            )
        mbarrier.wait(k_raw_full.index(raw), raw_phase)
        mbarrier.wait(k_empty.index(i % K_STAGES), ((i // K_STAGES) & 1) ^ 1)
        for part in gl.static_range(PARTS):
            codes, tile = k_raw.index(raw * PARTS + part), k_tiles.index(i % K_STAGES * PARTS + part)
            _convert(codes, tile, first, key_end, DIM, KIND, BLOCK_N, False)
        if K_SCALE == SCALE_PER_TOKEN:
            k_scales.index(i % SCALE_STAGES).store(k_scale)
        if V_SCALE == SCALE_PER_TOKEN:
            v_scales.index(i % SCALE_STAGES).store(v_scale * WEIGHT_SCALE)
        fence_async_shared()
        barrier()  # an arrival is one thread's
        mbarrier.arrive(k_raw_empty.index(raw))
        mbarrier.arrive(k_full.index(i % K_STAGES))
        mbarrier.wait(v_raw_full.index(raw), raw_phase)
        mbarrier.wait(v_empty.index(i % V_STAGES), ((i // V_STAGES) & 1) ^ 1)
        for part in gl.static_range(V_PARTS):
            codes, tile = v_raw.index(raw * V_PARTS + part), v_tiles.index(i % V_STAGES * V_PARTS + part)
            _convert(codes, tile, first, key_end, DIM_V, KIND, BLOCK_N, True)
        fence_async_shared()
        barrier()
        mbarrier.arrive(v_raw_empty.index(raw))
        mbarrier.arrive(v_full.index(i % V_STAGES))
        i += 1  # noqa: SIM113


# --- Computing ------------------------------------------------------------------------------------------------------


@gluon.jit
def softmax(
    scores,
    row_max,
    row_sum,
    score_scale,
    softcap,
    window,
    first,
    stop,
    q_pos,
    MASKED: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    SOFTCAP: gl.constexpr,
    BLOCK_N: gl.constexpr,
    SCORES: gl.constexpr,
):
    """Return a tile's weights, the factor of what was summed before it, and the new maxima and sums.

    Args:
        score_scale: one factor, or one of each row as [ROWS, 1].
    """
    scores = scores * score_scale
    if SOFTCAP:  # `common.tanh`
        e = gl.exp2(gl.abs(scores) * -2.8853900817779268)
        capped = (1.0 - e) / (1.0 + e)
        scores = gl.where(scores < 0.0, -capped, capped) * (softcap * LOG2E)
    if MASKED:
        key = first + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(0, SCORES))
        seen = (key < stop)[None, :]
        if CAUSAL:
            seen = seen & (key[None, :] <= q_pos[:, None])
        if WINDOW:
            seen = seen & (q_pos[:, None] - key[None, :] < window)
        scores = gl.where(seen, scores, float("-inf"))
    top = gl.maximum(row_max, gl.max(scores, axis=1))
    finite = gl.where(top == float("-inf"), 0.0, top)
    weights = gl.exp2(scores - finite[:, None])
    shrink = gl.exp2(row_max - finite)
    row_sum = row_sum * shrink + gl.sum(weights, axis=1)
    return weights, shrink, top, row_sum


@gluon.jit
def power_of_largest(q):
    """Return the power of two that brings the largest number of each row to float16's largest, as an exponent."""
    largest = gl.max(gl.abs(q.to(gl.float32)), axis=1)
    return gl.minimum(gl.maximum(gl.cast(largest, gl.int32, bitcast=True) >> 23, 15), 254)


@gluon.jit
def brought_into_range(q, exponent):
    """Return rows of bfloat16 in float16's range; their scores are multiplied with `back(exponent)`."""
    return q.to(gl.float32) * gl.cast((268 - exponent) << 23, gl.float32, bitcast=True)[:, None]


@gluon.jit
def back(exponent):
    """Return the factor that undoes `brought_into_range`."""
    return gl.cast((exponent - 14) << 23, gl.float32, bitcast=True)


@gluon.jit
def last_product(
    i,
    first,
    key_end,
    acc,
    acc_1,
    p,
    v_tiles,
    v_full,
    v_empty,
    V_PARTS: gl.constexpr,
    CLEAR: gl.constexpr,
    V_STAGES: gl.constexpr,
    BLOCK_N: gl.constexpr,
):
    """Add P V of the last tile.

    Args:
        CLEAR: rows behind the last key may hold anything, and 0 * NaN is NaN: they become 0. Where two warpgroups
            compute, both write the same zeros.
    """
    before = (i - 1) % V_STAGES
    mbarrier.wait(v_full.index(before), ((i - 1) // V_STAGES) & 1)
    if CLEAR:  # noqa: SIM102 - the compiler leaves the rest out
        if first + BLOCK_N > key_end:
            ROW: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
            key = first + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(1, ROW))
            for part in gl.static_range(V_PARTS):
                v = v_tiles.index(before * V_PARTS + part).load(ROW)
                v_tiles.index(before * V_PARTS + part).store(gl.where((key < key_end)[:, None], v, 0.0))
            fence_async_shared()
            barrier()
    a = warpgroup_mma(p, v_tiles.index(before * V_PARTS), acc, is_async=True)
    if V_PARTS == 2:
        a_1 = warpgroup_mma(p, v_tiles.index(before * V_PARTS + 1), acc_1, is_async=True)
        acc, acc_1 = warpgroup_mma_wait(num_outstanding=0, deps=(a, a_1))
    else:
        acc = warpgroup_mma_wait(num_outstanding=0, deps=(a,))
    mbarrier.arrive(v_empty.index(before))
    return acc, acc_1

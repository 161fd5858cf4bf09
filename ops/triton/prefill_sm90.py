"""Prefill on Hopper: the FOLD launch of `paged_attention.py` as a warp-specialised kernel in Gluon.

A program computes 128 rows (query tokens times the heads of a KV head) of one sequence. Two warpgroups compute 64 rows
each; one warp fetches the cache's blocks by TMA into swizzled shared memory, a ring of K tiles and one of V tiles, and
the three meet at mbarriers alone (tests/ops/gluon_emulator.py runs this file under random orders). While a warpgroup's
softmax runs, its last P V product and the other warpgroup's products run: the two take turns at the tensor cores.

Bits. A row's are those of `paged_attention.py`: keys in the same tiles and chunks, the same operations on each element
in the same order, and products whose sums along K the instruction fixes. So decode keeps its kernel and a row's bits do
not tell which of the two has computed it. The tile has 64 keys because decode's has: 128 would take a fifth of
prefill's instructions away, but waste shared memory and half of each last tile in decode. What was tried is in
evals/results/triton-notes.md.
"""

from __future__ import annotations

from typing import Any

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

barrier = getattr(gl, "barrier", None) or gl.thread_barrier  # Triton 3.7, 3.6
LOG2E = gl.constexpr(1.4426950408889634)
LN2 = gl.constexpr(0.6931471805599453)

# Rows of a warpgroup, and of a program.
ROWS = gl.constexpr(64)
WARPGROUPS = gl.constexpr(2)
PROGRAM_ROWS = 128

# A thread's registers in the warpgroups that compute; the producer's warp has the rest of 504.
REGISTERS = 240

# Places of a tile: before it comes no other, the last of another chunk, or one of its own chunk.
START = gl.constexpr(0)
FIRST = gl.constexpr(1)
LATER = gl.constexpr(2)

# Pages that one tile may consist of: `_producer` loads their table entries together.
MOST_PAGES = 8

DTYPES = {torch.bfloat16: gl.bfloat16, torch.float16: gl.float16}


@gluon.jit
def _find_sequence(starts_ptr, num_seqs, position, TOKENS: gl.constexpr, LAYOUT: gl.constexpr):
    """Return the sequence of a tile: `common.find_sequence`."""
    count = 0
    for first in range(0, num_seqs + 1, 256):
        i = first + gl.arange(0, 256, layout=LAYOUT)
        start = gl.load(starts_ptr + i, mask=i <= num_seqs, other=0)
        begin = start // TOKENS + i
        count += gl.sum(((begin <= position) & (i <= num_seqs)).to(gl.int32), axis=0)
    return count - 1


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
def _producer(
    k_pages,
    v_pages,
    table_row,
    column,
    key_begin,
    key_end,
    num_blocks,
    max_blocks,
    k_tiles,
    v_tiles,
    k_full,
    k_empty,
    v_full,
    v_empty,
    BLOCK_SIZE: gl.constexpr,
    BOX: gl.constexpr,
    BLOCK_N: gl.constexpr,
    HEAD_DIM: gl.constexpr,
    STAGES: gl.constexpr,
):
    """Fetch the tiles of K and V from the one with `key_begin` on."""
    BYTES: gl.constexpr = BLOCK_N * HEAD_DIM * 2
    PAGES: gl.constexpr = BLOCK_N // BOX
    i = 0
    for first in range(key_begin // BLOCK_N * BLOCK_N, key_end, BLOCK_N):
        stage = i % STAGES
        phase = (i // STAGES) & 1
        r0 = page_row(table_row, first, 0, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r1 = page_row(table_row, first, 1, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r2 = page_row(table_row, first, 2, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r3 = page_row(table_row, first, 3, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r4 = page_row(table_row, first, 4, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r5 = page_row(table_row, first, 5, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r6 = page_row(table_row, first, 6, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r7 = page_row(table_row, first, 7, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        rows = (r0, r1, r2, r3, r4, r5, r6, r7)  # all loads start before one is waited for
        mbarrier.wait(k_empty.index(stage), phase ^ 1)
        mbarrier.expect(k_full.index(stage), BYTES)
        for page in gl.static_range(PAGES):
            place = k_tiles.index(stage).slice(page * BOX, BOX)
            tma.async_copy_global_to_shared(k_pages, [rows[page], column], k_full.index(stage), place)
        mbarrier.wait(v_empty.index(stage), phase ^ 1)
        mbarrier.expect(v_full.index(stage), BYTES)
        for page in gl.static_range(PAGES):
            place = v_tiles.index(stage).slice(page * BOX, BOX)
            tma.async_copy_global_to_shared(v_pages, [rows[page], column], v_full.index(stage), place)
        i += 1  # noqa: SIM113 - the compiler knows no enumerate


@gluon.jit
def _fold(total_max, part_max):
    """Return the factors that bring a running result and the next chunk's to one maximum, and that maximum."""
    top = gl.maximum(total_max, part_max)
    finite = gl.where(top == float("-inf"), 0.0, top)
    return gl.exp2(total_max - finite), gl.exp2(part_max - finite), top


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
    """Return a tile's weights, the factor of what was summed before it, and the new maxima and sums."""
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
def _tile(
    i,
    first,
    stop,
    q,
    p,
    acc,
    row_max,
    row_sum,
    q_pos,
    score_scale,
    softcap,
    window,
    k_tiles,
    v_tiles,
    k_full,
    k_empty,
    v_full,
    v_empty,
    turn,
    pin,
    PLACE: gl.constexpr,
    MASKED: gl.constexpr,
    GROUP_ID: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    SOFTCAP: gl.constexpr,
    BLOCK_N: gl.constexpr,
    STAGES: gl.constexpr,
    SCORES: gl.constexpr,
    OUTPUT: gl.constexpr,
):
    """Start Q K of tile `i` and P V of the tile before; compute the softmax of `i` beside the latter.

    Args:
        MASKED: a row may not see all keys of the tile.
        PLACE: in the chunk. FIRST: `acc` is returned as the chunk before leaves it; START: there is none before.
    """
    stage = i % STAGES
    phase = (i // STAGES) & 1
    before = (i - 1) % STAGES
    before_phase = ((i - 1) // STAGES) & 1
    mbarrier.wait(k_full.index(stage), phase)
    mbarrier.wait(turn.index(GROUP_ID), (i & 1) ^ (1 if GROUP_ID == 0 else 0))
    zero = gl.zeros([ROWS, BLOCK_N], gl.float32, layout=SCORES)
    s = warpgroup_mma(q, k_tiles.index(stage).permute((1, 0)), zero, use_acc=False, is_async=True)
    a = acc
    if PLACE == START:
        mbarrier.arrive(turn.index((GROUP_ID + 1) % WARPGROUPS))
        scores = warpgroup_mma_wait(num_outstanding=0, deps=(s,))
    else:
        mbarrier.wait(v_full.index(before), before_phase)
        a = warpgroup_mma(p, v_tiles.index(before), acc, is_async=True)
        mbarrier.arrive(turn.index((GROUP_ID + 1) % WARPGROUPS))
        scores = warpgroup_mma_wait(num_outstanding=1, deps=(s,))
    mbarrier.arrive(k_empty.index(stage))
    if PLACE == START or PLACE == FIRST:  # noqa: SIM109 - the compiler takes no tuple
        row_max = gl.full([ROWS], float("-inf"), gl.float32, layout=gl.SliceLayout(1, SCORES))
        row_sum = gl.full([ROWS], 0.0, gl.float32, layout=gl.SliceLayout(1, SCORES))
    weights, shrink, row_max, row_sum = softmax(
        scores,
        row_max,
        row_sum,
        score_scale,
        softcap,
        window,
        first,
        stop,
        q_pos,
        MASKED,
        CAUSAL,
        WINDOW,
        SOFTCAP,
        BLOCK_N,
        SCORES,
    )
    p = gl.convert_layout(weights.to(v_tiles.dtype), gl.DotOperandLayout(0, OUTPUT, 2))
    if PLACE != START:
        # ptxas would wait for P V before the exponentials, where nothing runs beside it. It moves no wait over a store.
        pin.store(row_sum)
        acc, p = warpgroup_mma_wait(num_outstanding=0, deps=(a, p))
        mbarrier.arrive(v_empty.index(before))
        if PLACE != FIRST:
            acc = acc * gl.convert_layout(shrink, gl.SliceLayout(1, OUTPUT))[:, None]
    return acc, p, row_max, row_sum


@gluon.jit
def _last_product(
    i, first, stop, acc, p, v_tiles, v_full, v_empty, STAGES: gl.constexpr, BLOCK_N: gl.constexpr
):  # fmt: skip
    """Add P V of the last tile. Its rows past the last key may hold anything, and 0 * NaN is NaN: they become 0."""
    before = (i - 1) % STAGES
    mbarrier.wait(v_full.index(before), ((i - 1) // STAGES) & 1)
    if first + BLOCK_N > stop:  # both warpgroups write the same zeros
        ROW: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
        key = first + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(1, ROW))
        v = v_tiles.index(before).load(ROW)
        v_tiles.index(before).store(gl.where((key < stop)[:, None], v, 0.0))
        fence_async_shared()
        barrier()
    a = warpgroup_mma(p, v_tiles.index(before), acc, is_async=True)
    acc = warpgroup_mma_wait(num_outstanding=0, deps=(a,))
    mbarrier.arrive(v_empty.index(before))
    return acc


@gluon.jit
def _consumer(
    query_ptr,
    out_ptr,
    lse_ptr,
    sinks_ptr,
    first_token,
    tokens_end,
    first_head,
    start,
    context,
    seq_len,
    key_begin,
    key_end,
    seen_by_all,
    scale,
    softcap,
    window,
    stride_q_t,
    stride_q_h,
    stride_out_t,
    stride_out_h,
    q_tile,
    total_tile,
    k_tiles,
    v_tiles,
    k_full,
    k_empty,
    v_full,
    v_empty,
    turn,
    pin,
    GROUP_ID: gl.constexpr,
    NUM_HEADS: gl.constexpr,
    GROUP: gl.constexpr,
    HEAD_DIM: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    SOFTCAP: gl.constexpr,
    SINKS: gl.constexpr,
    WITH_LSE: gl.constexpr,
    BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr,
    STAGES: gl.constexpr,
):
    """Compute and write 64 rows."""
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, BLOCK_N, 16])
    OUTPUT: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, HEAD_DIM, 16])
    SCORE_ROW: gl.constexpr = gl.SliceLayout(1, SCORES)
    OUTPUT_ROW: gl.constexpr = gl.SliceLayout(1, OUTPUT)
    LOAD: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])

    rows = GROUP_ID * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, LOAD))
    token = first_token + rows // GROUP
    row_valid = (token < tokens_end) & (rows // GROUP < WARPGROUPS * ROWS // GROUP)
    dim = gl.arange(0, HEAD_DIM, layout=gl.SliceLayout(0, LOAD))
    row = query_ptr + token.to(gl.int64) * stride_q_t + (first_head + rows % GROUP) * stride_q_h
    q_tile.store(gl.load(row[:, None] + dim[None, :], mask=row_valid[:, None], other=0))
    barrier()
    # In registers Q leaves shared memory's bandwidth to K and V: with it there, 64 keys a tile would need all of it.
    q = q_tile.load(gl.DotOperandLayout(0, SCORES, 2))

    q_pos = first_token + (GROUP_ID * ROWS + gl.arange(0, ROWS, layout=SCORE_ROW)) // GROUP - start + context
    score_scale = scale / softcap if SOFTCAP else scale * LOG2E
    total_max = gl.full([ROWS], float("-inf"), gl.float32, layout=SCORE_ROW)
    total_sum = gl.full([ROWS], 0.0, gl.float32, layout=SCORE_ROW)
    total_tile.store(gl.zeros([ROWS, HEAD_DIM], gl.float32, layout=OUTPUT))
    if key_begin < key_end:
        acc = gl.zeros([ROWS, HEAD_DIM], gl.float32, layout=OUTPUT)
        p = gl.zeros([ROWS, BLOCK_N], k_tiles.dtype, layout=gl.DotOperandLayout(0, OUTPUT, 2))
        row_max, row_sum = total_max, total_sum
        # All rows see all keys of the tiles that begin from `edge` on and end by `seen_by_all`.
        edge = 0
        if WINDOW:
            edge = first_token - start + context + (WARPGROUPS * ROWS // GROUP - window)
        begin = key_begin // BLOCK_N * BLOCK_N
        first_end = (key_begin // CHUNK + 1) * CHUNK
        stop = gl.minimum(first_end, key_end)
        i = 0
        acc, p, row_max, row_sum = _tile(
            i, begin, stop, q, p, acc, row_max, row_sum, q_pos, score_scale, softcap, window,
            k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin,
            START, True, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, BLOCK_N, STAGES, SCORES, OUTPUT,
        )  # fmt: skip
        i = 1
        for chunk_end in range(first_end, key_end + CHUNK, CHUNK):
            stop = gl.minimum(chunk_end, key_end)
            first = gl.maximum(chunk_end - CHUNK, begin) + BLOCK_N
            unmasked = first
            if WINDOW:
                unmasked = gl.minimum(gl.maximum(first, gl.cdiv(gl.maximum(edge, 0), BLOCK_N) * BLOCK_N), chunk_end)
                for key in range(first, gl.minimum(unmasked, stop), BLOCK_N):
                    acc, p, row_max, row_sum = _tile(
                        i, key, stop, q, p, acc, row_max, row_sum, q_pos, score_scale, softcap, window,
                        k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin,
                        LATER, True, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, BLOCK_N, STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                    i += 1
            masked = gl.maximum(gl.minimum(stop, seen_by_all) // BLOCK_N * BLOCK_N, unmasked)
            for key in range(unmasked, masked, BLOCK_N):
                acc, p, row_max, row_sum = _tile(
                    i, key, stop, q, p, acc, row_max, row_sum, q_pos, score_scale, softcap, window,
                    k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin,
                    LATER, False, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, BLOCK_N, STAGES, SCORES, OUTPUT,
                )  # fmt: skip
                i += 1
            for key in range(masked, stop, BLOCK_N):
                acc, p, row_max, row_sum = _tile(
                    i, key, stop, q, p, acc, row_max, row_sum, q_pos, score_scale, softcap, window,
                    k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin,
                    LATER, True, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, BLOCK_N, STAGES, SCORES, OUTPUT,
                )  # fmt: skip
                i += 1
            part_max, part_sum = row_max, row_sum
            if chunk_end < key_end:
                stop = gl.minimum(chunk_end + CHUNK, key_end)
                if (chunk_end + BLOCK_N > seen_by_all) | (chunk_end < edge):
                    acc, p, row_max, row_sum = _tile(
                        i, chunk_end, stop, q, p, acc, row_max, row_sum, q_pos, score_scale, softcap, window,
                        k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin,
                        FIRST, True, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, BLOCK_N, STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                else:
                    acc, p, row_max, row_sum = _tile(
                        i, chunk_end, stop, q, p, acc, row_max, row_sum, q_pos, score_scale, softcap, window,
                        k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin,
                        FIRST, False, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, BLOCK_N, STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                i += 1
            else:
                last = (key_end - 1) // BLOCK_N * BLOCK_N
                acc = _last_product(i, last, key_end, acc, p, v_tiles, v_full, v_empty, STAGES, BLOCK_N)
            keep, add, total_max = _fold(total_max, part_max)
            total_sum = total_sum * keep + part_sum * add
            keep_rows = gl.convert_layout(keep, OUTPUT_ROW)[:, None]
            add_rows = gl.convert_layout(add, OUTPUT_ROW)[:, None]
            total_tile.store(total_tile.load(OUTPUT) * keep_rows + acc * add_rows)
            acc = gl.zeros([ROWS, HEAD_DIM], gl.float32, layout=OUTPUT)

    head_row = first_head + (GROUP_ID * ROWS + gl.arange(0, ROWS, layout=SCORE_ROW)) % GROUP
    shrink = gl.full([ROWS], 1.0, gl.float32, layout=SCORE_ROW)
    if SINKS:
        sink = gl.load(sinks_ptr + head_row).to(gl.float32) * LOG2E
        sink = gl.where(seq_len > 0, sink, float("-inf"))
        shrink, share, total_max = _fold(total_max, sink)
        total_sum = total_sum * shrink + share
    empty = total_sum == 0.0
    divisor = gl.where(empty, 1.0, total_sum)
    factor = gl.where(empty, 0.0, 1.0 / divisor)
    if SINKS:
        factor = factor * shrink
    rows = GROUP_ID * ROWS + gl.arange(0, ROWS, layout=OUTPUT_ROW)
    token = first_token + rows // GROUP
    head = first_head + rows % GROUP
    row_valid = (token < tokens_end) & (rows // GROUP < WARPGROUPS * ROWS // GROUP)
    dim = gl.arange(0, HEAD_DIM, layout=gl.SliceLayout(0, OUTPUT))
    result = total_tile.load(OUTPUT) * gl.convert_layout(factor, OUTPUT_ROW)[:, None]
    row = out_ptr + token.to(gl.int64) * stride_out_t + head * stride_out_h
    gl.store(row[:, None] + dim[None, :], result.to(out_ptr.dtype.element_ty), mask=row_valid[:, None])
    if WITH_LSE:
        lse = gl.where(empty, float("-inf"), (total_max + gl.log2(divisor)) * LN2)
        lse = gl.convert_layout(lse, OUTPUT_ROW)
        gl.store(lse_ptr + token.to(gl.int64) * NUM_HEADS + head, lse, mask=row_valid)


@gluon.jit(
    do_not_specialize=("softcap", "window", "num_seqs", "num_tokens", "num_blocks", "max_blocks", "stride_table")
)
def _prefill_kernel(
    out_ptr,
    lse_ptr,
    query_ptr,
    k_pages,  # descriptors of the caches as [blocks * tokens, heads * head_dim]
    v_pages,
    table_ptr,
    lens_ptr,
    starts_ptr,
    sinks_ptr,
    scale,
    softcap,
    window,
    num_seqs,
    num_tokens,
    num_blocks,
    max_blocks,
    stride_out_t,
    stride_out_h,
    stride_q_t,
    stride_q_h,
    stride_table,
    NUM_HEADS: gl.constexpr,
    GROUP: gl.constexpr,
    BLOCK_SIZE: gl.constexpr,
    BOX: gl.constexpr,  # tokens of a block that one copy fetches
    HEAD_DIM: gl.constexpr,
    DTYPE: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    SOFTCAP: gl.constexpr,
    SINKS: gl.constexpr,
    WITH_LSE: gl.constexpr,
    SKIP_DECODES: gl.constexpr,  # sequences of one new token belong to another launch
    BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr,
    STAGES: gl.constexpr,
    REGISTERS: gl.constexpr,
):
    """Compute one tile of rows of one sequence and KV head over all of its keys."""
    TOKENS: gl.constexpr = WARPGROUPS * ROWS // GROUP
    KV_HEADS: gl.constexpr = NUM_HEADS // GROUP
    # Neighbouring programs take heads of the same keys; late tiles see more keys and start first.
    kv_head = gl.program_id(0) % KV_HEADS
    tile = gl.num_programs(0) // KV_HEADS - 1 - gl.program_id(0) // KV_HEADS
    seq = _find_sequence(starts_ptr, num_seqs, tile, TOKENS, gl.BlockedLayout([2], [32], [4], [0]))
    if seq >= 0:
        start = gl.load(starts_ptr + seq)
        tile -= start // TOKENS + seq
        end = gl.load(starts_ptr + seq + 1, mask=seq < num_seqs, other=num_tokens)
        seq_len = gl.load(lens_ptr + seq, mask=seq < num_seqs, other=0)
        context = seq_len - (end - start)
        end = gl.minimum(end, num_tokens)
        if SKIP_DECODES:
            end = gl.where((seq < num_seqs) & (end - start == 1), start, end)
        first_token = start + tile * TOKENS
        if first_token < end:
            key_end = gl.minimum(seq_len, max_blocks * BLOCK_SIZE)
            seen_by_all = key_end
            if CAUSAL:
                last_token = gl.minimum(first_token + TOKENS, end) - 1
                key_end = gl.minimum(key_end, context + last_token - start + 1)
                seen_by_all = gl.minimum(key_end, context + first_token - start + 1)
            key_begin = gl.minimum(seq_len, 0)
            if WINDOW:
                key_begin = gl.maximum(context + first_token - start - window + 1, 0)

            TILE: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
            k_tiles = gl.allocate_shared_memory(DTYPE, [STAGES, BLOCK_N, HEAD_DIM], TILE)
            v_tiles = gl.allocate_shared_memory(DTYPE, [STAGES, BLOCK_N, HEAD_DIM], TILE)
            q_0 = gl.allocate_shared_memory(DTYPE, [ROWS, HEAD_DIM], TILE)
            q_1 = gl.allocate_shared_memory(DTYPE, [ROWS, HEAD_DIM], TILE)
            # A thread reads and writes only its own numbers, 16 bytes an access, a quarter of a warp in 128 bytes.
            TOTAL: gl.constexpr = gl.SharedLinearLayout(
                offset_bases=[[0, 1], [8, 0], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 8], [0, 16]]
                + ([[0, 32], [0, 64]] if HEAD_DIM == 128 else [[0, 32]]),
            )
            total_0 = gl.allocate_shared_memory(gl.float32, [ROWS, HEAD_DIM], TOTAL)
            total_1 = gl.allocate_shared_memory(gl.float32, [ROWS, HEAD_DIM], TOTAL)
            pin_0 = gl.allocate_shared_memory(gl.float32, [ROWS], gl.SwizzledSharedLayout(1, 1, 1, [0]))
            pin_1 = gl.allocate_shared_memory(gl.float32, [ROWS], gl.SwizzledSharedLayout(1, 1, 1, [0]))
            BARRIER: gl.constexpr = mbarrier.MBarrierLayout()
            k_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
            k_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
            v_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
            v_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
            turn = gl.allocate_shared_memory(gl.int64, [WARPGROUPS, 1], BARRIER)
            for stage in gl.static_range(STAGES):
                mbarrier.init(k_full.index(stage), count=1)
                mbarrier.init(v_full.index(stage), count=1)
                mbarrier.init(k_empty.index(stage), count=WARPGROUPS)
                mbarrier.init(v_empty.index(stage), count=WARPGROUPS)
            for group in gl.static_range(WARPGROUPS):
                mbarrier.init(turn.index(group), count=1)

            table_row = table_ptr + seq.to(gl.int64) * stride_table
            first_head = kv_head * GROUP
            gl.warp_specialize(
                [
                    (_consumer, (
                        query_ptr, out_ptr, lse_ptr, sinks_ptr, first_token, end, first_head, start, context,
                        seq_len, key_begin, key_end, seen_by_all, scale, softcap, window,
                        stride_q_t, stride_q_h, stride_out_t, stride_out_h,
                        q_0, total_0, k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin_0,
                        0, NUM_HEADS, GROUP, HEAD_DIM, CAUSAL, WINDOW, SOFTCAP, SINKS, WITH_LSE,
                        BLOCK_N, CHUNK, STAGES,
                    )),
                    (_consumer, (
                        query_ptr, out_ptr, lse_ptr, sinks_ptr, first_token, end, first_head, start, context,
                        seq_len, key_begin, key_end, seen_by_all, scale, softcap, window,
                        stride_q_t, stride_q_h, stride_out_t, stride_out_h,
                        q_1, total_1, k_tiles, v_tiles, k_full, k_empty, v_full, v_empty, turn, pin_1,
                        1, NUM_HEADS, GROUP, HEAD_DIM, CAUSAL, WINDOW, SOFTCAP, SINKS, WITH_LSE,
                        BLOCK_N, CHUNK, STAGES,
                    )),
                    (_producer, (
                        k_pages, v_pages, table_row, kv_head * HEAD_DIM, key_begin, key_end, num_blocks, max_blocks,
                        k_tiles, v_tiles, k_full, k_empty, v_full, v_empty,
                        BLOCK_SIZE, BOX, BLOCK_N, HEAD_DIM, STAGES,
                    )),
                ],
                [4, 1],
                [REGISTERS, 504 - 2 * REGISTERS],
            )  # fmt: skip


def fits(query: Tensor, keys: Tensor, values: Tensor, out: Tensor, block_n: int) -> bool:
    """Return whether the kernel can do a call whose options it has, on a device that it is for."""
    _, heads, head_dim = query.shape
    blocks, size, kv_heads, _ = keys.shape
    dense = all(each.stride()[1:] == (kv_heads * head_dim, head_dim, 1) for each in (keys, values))
    dense = dense and all(each.stride(0) == size * each.stride(1) or blocks == 1 for each in (keys, values))
    return (
        query.dtype in DTYPES
        and keys.dtype == values.dtype == query.dtype
        and head_dim in (64, 128)
        and values.shape[3] == head_dim
        and heads // kv_heads <= PROGRAM_ROWS
        and box_of(size, block_n) * MOST_PAGES >= block_n
        and dense
        and blocks * size < 2**31
        and all(each.data_ptr() % 16 == 0 for each in (query, keys, values))
        and query.stride(2) == out.stride(2) == 1
        and out.dtype == query.dtype
    )


def box_of(block_size: int, block_n: int) -> int:
    """Return how many tokens of a block one copy fetches: a divisor of the block's and the tile's."""
    box = block_n
    while block_size % box:
        box //= 2
    return box


def launch(
    out: Tensor,
    lse: Tensor | None,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    *,
    scale: float,
    causal: bool,
    window: int,
    softcap: float,
    sinks: Tensor | None,
    skip_decodes: bool,
    block_n: int,
    chunk: int,
) -> None:
    """Launch the kernel over all sequences, or over those with more than one new token and the padding rows."""
    num_tokens, num_heads, head_dim = query.shape
    num_blocks, block_size, kv_heads, _ = keys.shape
    group, num_seqs = num_heads // kv_heads, seq_lens.shape[0]
    box = box_of(block_size, block_n)
    layout = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
    rows, columns = num_blocks * block_size, kv_heads * head_dim
    pages = [
        TensorDescriptor(each.view(rows, columns), [rows, columns], [columns, 1], [box, head_dim], layout)
        for each in (keys, values)
    ]
    # Every sequence, and the padding rows as one more, may end in a partial tile: `_find_sequence`.
    items = num_tokens // (PROGRAM_ROWS // group) + num_seqs + 1
    options: dict[str, Any] = {"num_warps": 4, "enable_fp_fusion": False}
    _prefill_kernel[(items * kv_heads,)](
        out,
        out if lse is None else lse,
        query,
        *pages,
        block_tables,
        seq_lens,
        query_start_loc,
        seq_lens if sinks is None else sinks,
        scale,
        softcap,
        window,
        num_seqs,
        num_tokens,
        num_blocks,
        block_tables.shape[1],
        *out.stride()[:2],
        *query.stride()[:2],
        block_tables.stride(0),
        NUM_HEADS=num_heads,
        GROUP=group,
        BLOCK_SIZE=block_size,
        BOX=box,
        HEAD_DIM=head_dim,
        DTYPE=DTYPES[query.dtype],
        CAUSAL=causal,
        WINDOW=window > 0,
        SOFTCAP=softcap > 0,
        SINKS=sinks is not None,
        WITH_LSE=lse is not None,
        SKIP_DECODES=skip_decodes,
        BLOCK_N=block_n,
        CHUNK=chunk,
        STAGES=32768 // head_dim // block_n,
        REGISTERS=REGISTERS,
        **options,
    )

"""Prefill on Hopper: the FOLD launch of `paged_attention.py` as a warp-specialised kernel in Gluon.

A program computes 128 rows (query tokens times the heads of a KV head) of one sequence. Two warpgroups compute 64 rows
each; two warps fetch the cache's blocks by TMA into swizzled shared memory, a ring of K tiles and one of V tiles; where
the cache is quantised, two more make tiles of 16 bits of the codes. They meet at mbarriers alone
(tests/ops/gluon_emulator.py runs this file under random orders). While a warpgroup's softmax runs, its last P V product
and the other warpgroup's products run: the two take turns at the tensor cores.

Bits. A row's are those of `paged_attention.py`: keys in the same tiles and chunks, the same operations on each element
in the same order, and products whose sums along K the instruction fixes. So decode keeps its kernel and a row's bits do
not tell which of the two has computed it. The tile has 64 keys because decode's has (32 where head_dim is above 128, or
with softcap): 128 would take a fifth of prefill's instructions away, but waste shared memory and half of each last tile
in decode. What was tried is in evals/results/triton-notes.md.

Heads of 64, 128, 192 with values of 128, and 256. At 256 (and at 192 with codes) the last part of Q stays in shared
memory: with all of Q in registers 636 bytes are spilled, and with one product of all 256 values, whose running result
is folded at once, 540. Left to the general kernel, because no way was found to compile them without spills in 227 KiB:

- 8-bit caches with 128 keys a tile, which decode's general kernel has for heads of 64 and 128: 8 to 104 bytes spilled
  at 64, 572 to 1176 at 128. With `TORCHPAGED_SM90_DECODE=1` all launches have 64 keys, and these are taken here.
- 8-bit caches of 256: results take 128 KiB, and two tiles of K and V of 64 keys and 16 bits as much.
- softcap above 128, and 8-bit caches above 128 in blocks of more than 32 tokens: decode has other rows than a
  warpgroup's there, which are other bits.

A device has run 16-bit caches of 64 and 128 (with one warp that fetched both K and V); no device has run the rest.
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
    warpgroup_mma,
    warpgroup_mma_wait,
)

from torchpaged.ops.triton.common import NO_SCALE, PLAIN, SCALE_PER_TOKEN
from torchpaged.ops.triton.tiles_sm90 import (
    DTYPES,
    LOG2E,
    ROWS,
    back,
    barrier,
    box_of,
    brought_into_range,
    can_fetch,
    converter,
    last_product,
    pages_of,
    parts_of,
    power_of_largest,
    producer,
    softmax,
)

LN2 = gl.constexpr(0.6931471805599453)

# Warpgroups that compute, and the rows of a program.
WARPGROUPS = gl.constexpr(2)
PROGRAM_ROWS = 128

# A thread's registers in the warpgroups that compute, by whether the warps beside them convert; those have the rest of
# 504.
REGISTERS = {False: 240, True: 216}

# Bytes of shared memory that one program may have, without those for barriers and what partitions are handed.
SHARED_BYTES = 232_448 - 3072

# Tiles of an 8-bit cache, of 16 bits and of codes, that are under way at most.
MOST_STAGES = 4

# Keys of a tile of an 8-bit cache, at most: more do not fit into the registers.
MOST_KEYS_OF_CODES = 64

# Head dims of keys and values.
HEADS = ((64, 64), (128, 128), (192, 128), (256, 256))

# Places of a tile: before it comes no other, the last of another chunk, or one of its own chunk.
START = gl.constexpr(0)
FIRST = gl.constexpr(1)
LATER = gl.constexpr(2)


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
def _fold(total_max, part_max):
    """Return the factors that bring a running result and the next chunk's to one maximum, and that maximum."""
    top = gl.maximum(total_max, part_max)
    finite = gl.where(top == float("-inf"), 0.0, top)
    return gl.exp2(total_max - finite), gl.exp2(part_max - finite), top


@gluon.jit
def _tile(
    i,
    first,
    stop,
    q,
    q_1,
    q_2,
    p,
    acc,
    acc_1,
    row_max,
    row_sum,
    q_pos,
    score_scale,
    softcap,
    window,
    k_tiles,
    v_tiles,
    k_scales,
    v_scales,
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
    PARTS: gl.constexpr,
    V_PARTS: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
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
    s = warpgroup_mma(q, k_tiles.index(stage * PARTS).permute((1, 0)), zero, use_acc=False, is_async=True)
    if PARTS > 1:
        s = warpgroup_mma(q_1, k_tiles.index(stage * PARTS + 1).permute((1, 0)), s, is_async=True)
    if PARTS > 2:
        s = warpgroup_mma(q_2, k_tiles.index(stage * PARTS + 2).permute((1, 0)), s, is_async=True)
    KEY: gl.constexpr = gl.SliceLayout(0, SCORES)
    SCALE_STAGES: gl.constexpr = STAGES + 1
    a, a_1 = acc, acc_1
    if PLACE == START:
        mbarrier.arrive(turn.index((GROUP_ID + 1) % WARPGROUPS))
        scores = warpgroup_mma_wait(num_outstanding=0, deps=(s,))
    else:
        mbarrier.wait(v_full.index(before), before_phase)
        a = warpgroup_mma(p, v_tiles.index(before * V_PARTS), acc, is_async=True)
        if V_PARTS == 2:
            a_1 = warpgroup_mma(p, v_tiles.index(before * V_PARTS + 1), acc_1, is_async=True)
        mbarrier.arrive(turn.index((GROUP_ID + 1) % WARPGROUPS))
        scores = warpgroup_mma_wait(num_outstanding=V_PARTS, deps=(s,))
    mbarrier.arrive(k_empty.index(stage))
    if PLACE == START or PLACE == FIRST:  # noqa: SIM109 - the compiler takes no tuple
        row_max = gl.full([ROWS], float("-inf"), gl.float32, layout=gl.SliceLayout(1, SCORES))
        row_sum = gl.full([ROWS], 0.0, gl.float32, layout=gl.SliceLayout(1, SCORES))
    if K_SCALE == SCALE_PER_TOKEN:
        scores = scores * k_scales.index(i % SCALE_STAGES).load(KEY)[None, :]
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
    if V_SCALE == SCALE_PER_TOKEN:
        weights = weights * v_scales.index(i % SCALE_STAGES).load(KEY)[None, :]
    p = gl.convert_layout(weights.to(v_tiles.dtype), gl.DotOperandLayout(0, OUTPUT, 2))
    if PLACE != START:
        # ptxas would wait for P V before the exponentials, where nothing runs beside it. It moves no wait over a store.
        pin.store(row_sum)
        if V_PARTS == 2:
            acc, acc_1, p = warpgroup_mma_wait(num_outstanding=0, deps=(a, a_1, p))
        else:
            acc, p = warpgroup_mma_wait(num_outstanding=0, deps=(a, p))
        mbarrier.arrive(v_empty.index(before))
        if PLACE != FIRST:
            factor = gl.convert_layout(shrink, gl.SliceLayout(1, OUTPUT))[:, None]
            acc = acc * factor
            acc_1 = acc_1 * factor if V_PARTS == 2 else acc
    return acc, acc_1, p, row_max, row_sum


@gluon.jit
def _in_registers(rows, staged, SCORES: gl.constexpr):
    """Return a part of Q as a product takes it, by way of shared memory."""
    barrier()
    staged.store(rows.to(staged.dtype))
    barrier()
    return staged.load(gl.DotOperandLayout(0, SCORES, 2))


@gluon.jit
def _consumer(
    query_ptr,
    out_ptr,
    lse_ptr,
    sinks_ptr,
    k_scale_ptr,
    v_scale_ptr,
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
    totals,
    k_tiles,
    v_tiles,
    k_scales,
    v_scales,
    k_full,
    k_empty,
    v_full,
    v_empty,
    turn,
    pin,
    GROUP_ID: gl.constexpr,
    NUM_HEADS: gl.constexpr,
    GROUP: gl.constexpr,
    DIM: gl.constexpr,
    PARTS: gl.constexpr,
    DIM_V: gl.constexpr,
    V_PARTS: gl.constexpr,
    DTYPE: gl.constexpr,
    Q_SHARED: gl.constexpr,  # Q's last part stays in shared memory
    SCALED: gl.constexpr,  # a power of two a row brings Q into float16's range
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    SOFTCAP: gl.constexpr,
    SINKS: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
    WEIGHT_SCALE: gl.constexpr,
    CLEAR: gl.constexpr,
    WITH_LSE: gl.constexpr,
    BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr,
    STAGES: gl.constexpr,
):
    """Compute and write 64 rows."""
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, BLOCK_N, 16])
    OUTPUT: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, DIM_V, 16])
    SCORE_ROW: gl.constexpr = gl.SliceLayout(1, SCORES)
    OUTPUT_ROW: gl.constexpr = gl.SliceLayout(1, OUTPUT)
    LOAD: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])

    rows = GROUP_ID * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, LOAD))
    token = first_token + rows // GROUP
    row_valid = (token < tokens_end) & (rows // GROUP < WARPGROUPS * ROWS // GROUP)
    row = query_ptr + token.to(gl.int64) * stride_q_t + (first_head + rows % GROUP).to(gl.int64) * stride_q_h
    dim = gl.arange(0, DIM, layout=gl.SliceLayout(0, LOAD))
    loaded = gl.load(row[:, None] + dim[None, :], mask=row_valid[:, None], other=0)
    loaded_1, loaded_2 = loaded, loaded
    if PARTS > 1:
        loaded_1 = gl.load(row[:, None] + (DIM + dim)[None, :], mask=row_valid[:, None], other=0)
    if PARTS > 2:
        loaded_2 = gl.load(row[:, None] + (2 * DIM + dim)[None, :], mask=row_valid[:, None], other=0)
    score_scale = scale
    if SCALED:  # as in `_attention_kernel`
        exponent = gl.maximum(power_of_largest(loaded), power_of_largest(loaded_1))
        exponent = gl.maximum(exponent, power_of_largest(loaded_2))
        loaded = brought_into_range(loaded, exponent)
        loaded_1 = brought_into_range(loaded_1, exponent)
        loaded_2 = brought_into_range(loaded_2, exponent)
        score_scale = scale * gl.convert_layout(back(exponent), SCORE_ROW)[:, None]
    if K_SCALE != NO_SCALE and K_SCALE != SCALE_PER_TOKEN:
        score_scale = score_scale * gl.load(k_scale_ptr)
    score_scale = score_scale / softcap if SOFTCAP else score_scale * LOG2E
    # In registers Q leaves shared memory's bandwidth to K and V: with it there, 64 keys a tile would need all of it.
    # It gets there by the memory of the totals.
    TILE: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
    staged = total_tile.index(0)._reinterpret(DTYPE, [ROWS, DIM], TILE)
    q = _in_registers(loaded, staged, SCORES)
    q_1, q_2 = q, q
    if Q_SHARED:
        q_tile.store((loaded_1 if PARTS == 2 else loaded_2).to(DTYPE))
        fence_async_shared()
    if PARTS > 1:
        q_1 = q_tile if Q_SHARED and PARTS == 2 else _in_registers(loaded_1, staged, SCORES)
    if PARTS > 2:
        q_2 = q_tile if Q_SHARED else _in_registers(loaded_2, staged, SCORES)
    barrier()

    q_pos = first_token + (GROUP_ID * ROWS + gl.arange(0, ROWS, layout=SCORE_ROW)) // GROUP - start + context
    totals.index(0).store(gl.full([ROWS], float("-inf"), gl.float32, layout=SCORE_ROW))
    totals.index(1).store(gl.full([ROWS], 0.0, gl.float32, layout=SCORE_ROW))
    for part in gl.static_range(V_PARTS):
        total_tile.index(part).store(gl.zeros([ROWS, DIM_V], gl.float32, layout=OUTPUT))
    if key_begin < key_end:
        acc = gl.zeros([ROWS, DIM_V], gl.float32, layout=OUTPUT)
        acc_1 = acc
        p = gl.zeros([ROWS, BLOCK_N], DTYPE, layout=gl.DotOperandLayout(0, OUTPUT, 2))
        row_max = gl.full([ROWS], float("-inf"), gl.float32, layout=SCORE_ROW)
        row_sum = gl.full([ROWS], 0.0, gl.float32, layout=SCORE_ROW)
        # All rows see all keys of the tiles that begin from `edge` on and end by `seen_by_all`.
        edge = 0
        if WINDOW:
            edge = first_token - start + context + (WARPGROUPS * ROWS // GROUP - window)
        begin = key_begin // BLOCK_N * BLOCK_N
        first_end = (key_begin // CHUNK + 1) * CHUNK
        stop = gl.minimum(first_end, key_end)
        i = 0
        acc, acc_1, p, row_max, row_sum = _tile(
            i, begin, stop, q, q_1, q_2, p, acc, acc_1, row_max, row_sum, q_pos, score_scale, softcap, window, k_tiles,
            v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin, START, True, GROUP_ID, CAUSAL,
            WINDOW, SOFTCAP, PARTS, V_PARTS, K_SCALE, V_SCALE, BLOCK_N, STAGES, SCORES, OUTPUT,
        )  # fmt: skip
        i = 1
        for chunk_end in range(first_end, key_end + CHUNK, CHUNK):
            stop = gl.minimum(chunk_end, key_end)
            first = gl.maximum(chunk_end - CHUNK, begin) + BLOCK_N
            unmasked = first
            if WINDOW:
                unmasked = gl.minimum(gl.maximum(first, gl.cdiv(gl.maximum(edge, 0), BLOCK_N) * BLOCK_N), chunk_end)
                for key in range(first, gl.minimum(unmasked, stop), BLOCK_N):
                    acc, acc_1, p, row_max, row_sum = _tile(
                        i, key, stop, q, q_1, q_2, p, acc, acc_1, row_max, row_sum, q_pos, score_scale, softcap,
                        window, k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin,
                        LATER, True, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, PARTS, V_PARTS, K_SCALE, V_SCALE, BLOCK_N,
                        STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                    i += 1
            masked = gl.maximum(gl.minimum(stop, seen_by_all) // BLOCK_N * BLOCK_N, unmasked)
            for key in range(unmasked, masked, BLOCK_N):
                acc, acc_1, p, row_max, row_sum = _tile(
                    i, key, stop, q, q_1, q_2, p, acc, acc_1, row_max, row_sum, q_pos, score_scale, softcap, window,
                    k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin, LATER, False,
                    GROUP_ID, CAUSAL, WINDOW, SOFTCAP, PARTS, V_PARTS, K_SCALE, V_SCALE, BLOCK_N, STAGES, SCORES,
                    OUTPUT,
                )  # fmt: skip
                i += 1
            for key in range(masked, stop, BLOCK_N):
                acc, acc_1, p, row_max, row_sum = _tile(
                    i, key, stop, q, q_1, q_2, p, acc, acc_1, row_max, row_sum, q_pos, score_scale, softcap, window,
                    k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin, LATER, True,
                    GROUP_ID, CAUSAL, WINDOW, SOFTCAP, PARTS, V_PARTS, K_SCALE, V_SCALE, BLOCK_N, STAGES, SCORES,
                    OUTPUT,
                )  # fmt: skip
                i += 1
            part_max, part_sum = row_max, row_sum
            if chunk_end < key_end:
                stop = gl.minimum(chunk_end + CHUNK, key_end)
                if (chunk_end + BLOCK_N > seen_by_all) | (chunk_end < edge):
                    acc, acc_1, p, row_max, row_sum = _tile(
                        i, chunk_end, stop, q, q_1, q_2, p, acc, acc_1, row_max, row_sum, q_pos, score_scale, softcap,
                        window, k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin,
                        FIRST, True, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, PARTS, V_PARTS, K_SCALE, V_SCALE, BLOCK_N,
                        STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                else:
                    acc, acc_1, p, row_max, row_sum = _tile(
                        i, chunk_end, stop, q, q_1, q_2, p, acc, acc_1, row_max, row_sum, q_pos, score_scale, softcap,
                        window, k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin,
                        FIRST, False, GROUP_ID, CAUSAL, WINDOW, SOFTCAP, PARTS, V_PARTS, K_SCALE, V_SCALE, BLOCK_N,
                        STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                i += 1
            else:
                last = (key_end - 1) // BLOCK_N * BLOCK_N
                acc, acc_1 = last_product(
                    i, last, key_end, acc, acc_1, p, v_tiles, v_full, v_empty, V_PARTS, CLEAR, STAGES, BLOCK_N
                )
            keep, add, total_max = _fold(totals.index(0).load(SCORE_ROW), part_max)
            total_sum = totals.index(1).load(SCORE_ROW) * keep + part_sum * add
            totals.index(0).store(total_max)
            totals.index(1).store(total_sum)
            keep_rows = gl.convert_layout(keep, OUTPUT_ROW)[:, None]
            add_rows = gl.convert_layout(add, OUTPUT_ROW)[:, None]
            total_tile.index(0).store(total_tile.index(0).load(OUTPUT) * keep_rows + acc * add_rows)
            if V_PARTS == 2:
                barrier()  # ptxas would load both parts' totals first, and has no registers for that
                total_tile.index(1).store(total_tile.index(1).load(OUTPUT) * keep_rows + acc_1 * add_rows)
            acc = gl.zeros([ROWS, DIM_V], gl.float32, layout=OUTPUT)
            acc_1 = acc

    head_row = first_head + (GROUP_ID * ROWS + gl.arange(0, ROWS, layout=SCORE_ROW)) % GROUP
    total_max, total_sum = totals.index(0).load(SCORE_ROW), totals.index(1).load(SCORE_ROW)
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
    if V_SCALE == SCALE_PER_TOKEN:  # `paged_attention._output_scale`
        factor = factor * (1.0 / WEIGHT_SCALE)
    elif V_SCALE != NO_SCALE:
        factor = factor * gl.load(v_scale_ptr)
    rows = GROUP_ID * ROWS + gl.arange(0, ROWS, layout=OUTPUT_ROW)
    token = first_token + rows // GROUP
    head = first_head + rows % GROUP
    row_valid = (token < tokens_end) & (rows // GROUP < WARPGROUPS * ROWS // GROUP)
    dim = gl.arange(0, DIM_V, layout=gl.SliceLayout(0, OUTPUT))
    row = out_ptr + token.to(gl.int64) * stride_out_t + head.to(gl.int64) * stride_out_h
    for part in gl.static_range(V_PARTS):
        result = total_tile.index(part).load(OUTPUT) * gl.convert_layout(factor, OUTPUT_ROW)[:, None]
        place = row[:, None] + (part * DIM_V + dim)[None, :]
        gl.store(place, result.to(out_ptr.dtype.element_ty), mask=row_valid[:, None])
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
    k_scale_ptr,
    v_scale_ptr,
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
    stride_ks_b,
    stride_ks_t,
    stride_ks_h,
    stride_vs_b,
    stride_vs_t,
    stride_vs_h,
    NUM_HEADS: gl.constexpr,
    GROUP: gl.constexpr,
    BLOCK_SIZE: gl.constexpr,
    BOX: gl.constexpr,  # tokens of a block that one copy fetches
    DIM: gl.constexpr,
    PARTS: gl.constexpr,
    DIM_V: gl.constexpr,  # of a part of V
    V_PARTS: gl.constexpr,
    KIND: gl.constexpr,
    DTYPE: gl.constexpr,
    Q_SHARED: gl.constexpr,
    SCALED: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    SOFTCAP: gl.constexpr,
    SINKS: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
    WEIGHT_SCALE: gl.constexpr,
    WITH_LSE: gl.constexpr,
    SKIP_DECODES: gl.constexpr,  # sequences of one new token belong to another launch
    BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr,
    STAGES: gl.constexpr,
    RAW_STAGES: gl.constexpr,  # of codes; 0: the cache has none
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
            k_tiles = gl.allocate_shared_memory(DTYPE, [STAGES * PARTS, BLOCK_N, DIM], TILE)
            v_tiles = gl.allocate_shared_memory(DTYPE, [STAGES * V_PARTS, BLOCK_N, DIM_V], TILE)
            # A thread reads and writes only its own numbers, 16 bytes an access, a quarter of a warp in 128 bytes.
            TOTAL: gl.constexpr = gl.SharedLinearLayout(
                offset_bases=[[0, 1], [8, 0], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 8], [0, 16]]
                + ([[0, 32], [0, 64]] if DIM_V == 128 else [[0, 32]]),
            )
            LINE: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
            total_0 = gl.allocate_shared_memory(gl.float32, [V_PARTS, ROWS, DIM_V], TOTAL)
            total_1 = gl.allocate_shared_memory(gl.float32, [V_PARTS, ROWS, DIM_V], TOTAL)
            q_0, q_1 = total_0, total_1
            if Q_SHARED:
                q_0 = gl.allocate_shared_memory(DTYPE, [ROWS, DIM], TILE)
                q_1 = gl.allocate_shared_memory(DTYPE, [ROWS, DIM], TILE)
            totals_0 = gl.allocate_shared_memory(gl.float32, [2, ROWS], LINE)
            totals_1 = gl.allocate_shared_memory(gl.float32, [2, ROWS], LINE)
            pin_0 = gl.allocate_shared_memory(gl.float32, [ROWS], LINE)
            pin_1 = gl.allocate_shared_memory(gl.float32, [ROWS], LINE)
            k_scales, v_scales = pin_0, pin_0
            if K_SCALE == SCALE_PER_TOKEN:
                k_scales = gl.allocate_shared_memory(gl.float32, [STAGES + 1, BLOCK_N], LINE)
            if V_SCALE == SCALE_PER_TOKEN:
                v_scales = gl.allocate_shared_memory(gl.float32, [STAGES + 1, BLOCK_N], LINE)
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
            k_scale_ptr += kv_head.to(gl.int64) * stride_ks_h
            v_scale_ptr += kv_head.to(gl.int64) * stride_vs_h
            begin = key_begin // BLOCK_N * BLOCK_N
            if KIND == PLAIN:
                gl.warp_specialize(
                    [
                        (_consumer, (
                            query_ptr, out_ptr, lse_ptr, sinks_ptr, k_scale_ptr, v_scale_ptr, first_token, end,
                            first_head, start, context, seq_len, key_begin, key_end, seen_by_all, scale, softcap,
                            window, stride_q_t, stride_q_h, stride_out_t, stride_out_h, q_0, total_0, totals_0,
                            k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin_0, 0,
                            NUM_HEADS, GROUP, DIM, PARTS, DIM_V, V_PARTS, DTYPE, Q_SHARED, SCALED, CAUSAL, WINDOW,
                            SOFTCAP, SINKS, K_SCALE, V_SCALE, WEIGHT_SCALE, KIND == PLAIN, WITH_LSE, BLOCK_N, CHUNK,
                            STAGES,
                        )),
                        (_consumer, (
                            query_ptr, out_ptr, lse_ptr, sinks_ptr, k_scale_ptr, v_scale_ptr, first_token, end,
                            first_head, start, context, seq_len, key_begin, key_end, seen_by_all, scale, softcap,
                            window, stride_q_t, stride_q_h, stride_out_t, stride_out_h, q_1, total_1, totals_1,
                            k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin_1, 1,
                            NUM_HEADS, GROUP, DIM, PARTS, DIM_V, V_PARTS, DTYPE, Q_SHARED, SCALED, CAUSAL, WINDOW,
                            SOFTCAP, SINKS, K_SCALE, V_SCALE, WEIGHT_SCALE, KIND == PLAIN, WITH_LSE, BLOCK_N, CHUNK,
                            STAGES,
                        )),
                        (producer, (
                            k_pages, table_row, kv_head, begin, key_end, num_blocks, max_blocks, k_tiles, k_full,
                            k_empty, BLOCK_SIZE, BOX, BLOCK_N, DIM, PARTS, 2, STAGES,
                        )),
                        (producer, (
                            v_pages, table_row, kv_head, begin, key_end, num_blocks, max_blocks, v_tiles, v_full,
                            v_empty, BLOCK_SIZE, BOX, BLOCK_N, DIM_V, V_PARTS, 2, STAGES,
                        )),
                    ],
                    [4, 1, 1],
                    [REGISTERS, 504 - 2 * REGISTERS, 504 - 2 * REGISTERS],
                )  # fmt: skip
            else:
                CODES: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=DIM, element_bitwidth=8, rank=2)
                CODES_V: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=DIM_V, element_bitwidth=8, rank=2)
                k_raw = gl.allocate_shared_memory(gl.uint8, [RAW_STAGES * PARTS, BLOCK_N, DIM], CODES)
                v_raw = gl.allocate_shared_memory(gl.uint8, [RAW_STAGES * V_PARTS, BLOCK_N, DIM_V], CODES_V)
                k_raw_full = gl.allocate_shared_memory(gl.int64, [RAW_STAGES, 1], BARRIER)
                k_raw_empty = gl.allocate_shared_memory(gl.int64, [RAW_STAGES, 1], BARRIER)
                v_raw_full = gl.allocate_shared_memory(gl.int64, [RAW_STAGES, 1], BARRIER)
                v_raw_empty = gl.allocate_shared_memory(gl.int64, [RAW_STAGES, 1], BARRIER)
                for stage in gl.static_range(RAW_STAGES):
                    mbarrier.init(k_raw_full.index(stage), count=1)
                    mbarrier.init(k_raw_empty.index(stage), count=1)
                    mbarrier.init(v_raw_full.index(stage), count=1)
                    mbarrier.init(v_raw_empty.index(stage), count=1)
                gl.warp_specialize(
                    [
                        (_consumer, (
                            query_ptr, out_ptr, lse_ptr, sinks_ptr, k_scale_ptr, v_scale_ptr, first_token, end,
                            first_head, start, context, seq_len, key_begin, key_end, seen_by_all, scale, softcap,
                            window, stride_q_t, stride_q_h, stride_out_t, stride_out_h, q_0, total_0, totals_0,
                            k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin_0, 0,
                            NUM_HEADS, GROUP, DIM, PARTS, DIM_V, V_PARTS, DTYPE, Q_SHARED, SCALED, CAUSAL, WINDOW,
                            SOFTCAP, SINKS, K_SCALE, V_SCALE, WEIGHT_SCALE, KIND == PLAIN, WITH_LSE, BLOCK_N, CHUNK,
                            STAGES,
                        )),
                        (_consumer, (
                            query_ptr, out_ptr, lse_ptr, sinks_ptr, k_scale_ptr, v_scale_ptr, first_token, end,
                            first_head, start, context, seq_len, key_begin, key_end, seen_by_all, scale, softcap,
                            window, stride_q_t, stride_q_h, stride_out_t, stride_out_h, q_1, total_1, totals_1,
                            k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, turn, pin_1, 1,
                            NUM_HEADS, GROUP, DIM, PARTS, DIM_V, V_PARTS, DTYPE, Q_SHARED, SCALED, CAUSAL, WINDOW,
                            SOFTCAP, SINKS, K_SCALE, V_SCALE, WEIGHT_SCALE, KIND == PLAIN, WITH_LSE, BLOCK_N, CHUNK,
                            STAGES,
                        )),
                        (converter, (
                            k_scale_ptr, v_scale_ptr, table_row, begin, key_end, key_end, num_blocks, max_blocks,
                            stride_ks_b, stride_ks_t, stride_vs_b, stride_vs_t, k_raw, v_raw, k_raw_full, k_raw_empty,
                            v_raw_full, v_raw_empty, k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full,
                            v_empty, BLOCK_SIZE, DIM, PARTS, DIM_V, V_PARTS, KIND, K_SCALE, V_SCALE, WEIGHT_SCALE,
                            BLOCK_N, RAW_STAGES, STAGES, STAGES,
                        )),
                        (producer, (
                            k_pages, table_row, kv_head, begin, key_end, num_blocks, max_blocks, k_raw, k_raw_full,
                            k_raw_empty, BLOCK_SIZE, BOX, BLOCK_N, DIM, PARTS, 1, RAW_STAGES,
                        )),
                        (producer, (
                            v_pages, table_row, kv_head, begin, key_end, num_blocks, max_blocks, v_raw, v_raw_full,
                            v_raw_empty, BLOCK_SIZE, BOX, BLOCK_N, DIM_V, V_PARTS, 1, RAW_STAGES,
                        )),
                    ],
                    [4, 2, 1, 1],
                    [REGISTERS, 504 - 2 * REGISTERS, 504 - 2 * REGISTERS, 504 - 2 * REGISTERS],
                )  # fmt: skip


def stages(head_dim: int, head_dim_v: int, block_n: int, quantised: bool) -> tuple[int, int]:
    """Return how many tiles of K and V, and how many of their codes, fit into shared memory; (0, 0): too few, or
    the registers hold too little.

    16-bit caches have up to 64 KiB each of K and V, 8-bit ones two to four tiles of 16 bits and one to four of codes.
    """
    room = SHARED_BYTES - PROGRAM_ROWS * (4 * head_dim_v + 2 * parts_of(head_dim)[0] * keeps_q(head_dim, quantised))
    numbers = block_n * (head_dim + head_dim_v)
    if quantised and block_n > MOST_KEYS_OF_CODES:
        return 0, 0
    if not quantised:
        count = min(32768 // (max(head_dim, head_dim_v) * block_n), room // (2 * numbers))
        return (count, 0) if count > 1 else (0, 0)
    room -= 2 * (MOST_STAGES + 1) * 4 * block_n  # scales
    count = min(MOST_STAGES, max(2, room // (3 * numbers)))
    raw = min(MOST_STAGES, (room - count * 2 * numbers) // numbers)
    return (count, raw) if raw > 0 else (0, 0)


def keeps_q(head_dim: int, quantised: bool) -> bool:
    """Return whether the last part of Q stays in shared memory, where the registers have no room for it."""
    return head_dim > (128 if quantised else 192)


def fits(
    query: Tensor, keys: Tensor, values: Tensor, out: Tensor, block_n: int, kinds_of_scales: tuple[int, int] = (0, 0)
) -> bool:
    """Return whether the kernel can do a call whose options it has, on a device that it is for."""
    _, heads, head_dim = query.shape
    head_dim_v, quantised = values.shape[3], keys.dtype != query.dtype
    return (
        query.dtype in DTYPES
        and keys.dtype == values.dtype
        and (keys.element_size() == 1 if quantised else SCALE_PER_TOKEN.value not in kinds_of_scales)
        and (head_dim, head_dim_v) in HEADS
        and stages(head_dim, head_dim_v, block_n, quantised) != (0, 0)
        and heads // keys.shape[2] <= PROGRAM_ROWS
        and can_fetch((keys, values), block_n)
        and query.data_ptr() % 16 == 0
        and query.stride(2) == out.stride(2) == 1
        and out.dtype == query.dtype
    )


def launch(
    out: Tensor,
    lse: Tensor | None,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    k_scale: Tensor,
    v_scale: Tensor,
    *,
    scale: float,
    causal: bool,
    window: int,
    softcap: float,
    sinks: Tensor | None,
    kind: int,
    kinds_of_scales: tuple[int, int],
    strides_of_scales: tuple[int, ...],
    weight_scale: float,
    skip_decodes: bool,
    block_n: int,
    chunk: int,
) -> None:
    """Launch the kernel over all sequences, or over those with more than one new token and the padding rows."""
    num_tokens, num_heads, head_dim = query.shape
    num_blocks, block_size, kv_heads, head_dim_v = values.shape
    group, num_seqs = num_heads // kv_heads, seq_lens.shape[0]
    box, (dim, parts), (dim_v, v_parts) = box_of(block_size, block_n), parts_of(head_dim), parts_of(head_dim_v)
    count, raw = stages(head_dim, head_dim_v, block_n, kind > 0)
    keys, values = (each.view(torch.uint8) if kind else each for each in (keys, values))
    # Every sequence, and the padding rows as one more, may end in a partial tile: `_find_sequence`.
    items = num_tokens // (PROGRAM_ROWS // group) + num_seqs + 1
    options: dict[str, Any] = {"num_warps": 4, "enable_fp_fusion": False}
    _prefill_kernel[(items * kv_heads,)](
        out,
        out if lse is None else lse,
        query,
        pages_of(keys, dim, box),
        pages_of(values, dim_v, box),
        k_scale,
        v_scale,
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
        *strides_of_scales,
        NUM_HEADS=num_heads,
        GROUP=group,
        BLOCK_SIZE=block_size,
        BOX=box,
        DIM=dim,
        PARTS=parts,
        DIM_V=dim_v,
        V_PARTS=v_parts,
        KIND=kind,
        DTYPE=DTYPES[torch.float16 if kind else query.dtype],
        Q_SHARED=keeps_q(head_dim, kind > 0),
        SCALED=kind > 0 and query.dtype == torch.bfloat16,
        CAUSAL=causal,
        WINDOW=window > 0,
        SOFTCAP=softcap > 0,
        SINKS=sinks is not None,
        K_SCALE=kinds_of_scales[0],
        V_SCALE=kinds_of_scales[1],
        WEIGHT_SCALE=weight_scale,
        WITH_LSE=lse is not None,
        SKIP_DECODES=skip_decodes,
        BLOCK_N=block_n,
        CHUNK=chunk,
        STAGES=count,
        RAW_STAGES=raw,
        REGISTERS=REGISTERS[kind > 0],
        **options,
    )

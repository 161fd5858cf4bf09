"""Decode on Hopper: the SPLIT launch of `paged_attention.py` as a warp-specialised kernel in Gluon.

A program computes 64 rows (query tokens times the heads of a KV head) of one sequence over its share of chunks. One
warpgroup computes; two warps fetch the cache's blocks of K and V by TMA; where the cache is quantised, two more make
tiles of 16 bits of the codes, beside the products and the softmax of the tile before. Two programs fit on a
multiprocessor.

Bits are those of `paged_attention.py`, as `prefill_sm90.py` says. 8-bit caches have 64 keys a tile here, so the
launches that fold have as many where this kernel is in use. What is left to the merge kernel is the same.

No device has run it yet, so `TORCHPAGED_SM90_DECODE=1` asks for it.
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
    power_of_largest,
    producer,
    softmax,
)
from torchpaged.utils import environment

ENABLED = environment.switch(environment.SM90_DECODE)

# Sequences that one step of `_find_share` looks at.
WIDTH = gl.constexpr(128)

# Keys of a tile.
BLOCK_N = 64

# Registers of a thread at the start, of which two programs of 8 warps have as many as there are; and from then on those
# of the second four warps, by whether they convert.
REGISTERS = 128
HELPER_REGISTERS = {False: 24, True: 72}


@gluon.jit
def _add(a, b):
    return a + b


@gluon.jit
def _work(
    starts_ptr,
    lens_ptr,
    seq,
    num_seqs,
    num_tokens,
    max_keys,
    window,
    TOKENS: gl.constexpr,
    CHUNK: gl.constexpr,
    DECODES: gl.constexpr,
):
    """Return each sequence's tiles, its first chunk and the number of chunks: `shares._work`."""
    there = seq < num_seqs
    start = gl.load(starts_ptr + seq, mask=there, other=0)
    end = gl.load(starts_ptr + seq + 1, mask=there, other=0)
    seq_len = gl.load(lens_ptr + seq, mask=there, other=0)
    tokens = gl.maximum(gl.minimum(end, num_tokens) - start, 0)
    tiles = (tokens == 1).to(gl.int32) if DECODES else (tokens + TOKENS - 1) // TOKENS
    first = gl.where(window > 0, gl.maximum(seq_len - (end - start) - window + 1, 0), 0) // CHUNK
    last = (gl.minimum(seq_len, max_keys) + CHUNK - 1) // CHUNK
    return tiles, first, gl.maximum(last - first, 0)


@gluon.jit
def _find_share(
    starts_ptr,
    lens_ptr,
    item,
    num_programs,
    num_splits,
    num_seqs,
    num_tokens,
    max_keys,
    window,
    TOKENS: gl.constexpr,
    CHUNK: gl.constexpr,
    DECODES: gl.constexpr,
):
    """Return (sequence, tile, first chunk, chunk after the last) of a share: `shares.find_share`.

    Each warp computes all of it: a sum over warps would wait for a barrier, of which there would be seventeen.
    """
    EACH: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])  # a warp has all of them
    total = 0
    for first in range(0, num_seqs, WIDTH):
        seqs = first + gl.arange(0, WIDTH, layout=EACH)
        tiles, _, chunks = _work(
            starts_ptr, lens_ptr, seqs, num_seqs, num_tokens, max_keys, window, TOKENS, CHUNK, DECODES
        )
        total += gl.sum(tiles * chunks, axis=0)
    quota = gl.maximum(gl.cdiv(total, num_programs), 1)
    found_seq, found_rest, found_begin, found_chunks, found_shares = -1, 0, 0, 0, 0
    before = 0
    for first in range(0, num_seqs, WIDTH):
        seqs = first + gl.arange(0, WIDTH, layout=EACH)
        tiles, first_chunk, chunks = _work(
            starts_ptr, lens_ptr, seqs, num_seqs, num_tokens, max_keys, window, TOKENS, CHUNK, DECODES
        )
        shares = gl.where(num_splits > 0, gl.minimum(chunks, num_splits), (chunks + quota - 1) // quota)
        ends = before + gl.associative_scan(tiles * shares, 0, _add)
        rest = item - ends + tiles * shares
        here = (rest >= 0) & (item < ends)
        found_seq += gl.sum(gl.where(here, seqs + 1, 0), axis=0)
        found_rest += gl.sum(gl.where(here, rest, 0), axis=0)
        found_begin += gl.sum(gl.where(here, first_chunk, 0), axis=0)
        found_chunks += gl.sum(gl.where(here, chunks, 0), axis=0)
        found_shares += gl.sum(gl.where(here, shares, 0), axis=0)
        before += gl.sum(tiles * shares, axis=0)
    each = gl.maximum(found_shares, 1)
    share = found_rest % each
    begin = found_begin + share * found_chunks // each
    return found_seq, found_rest // each, begin, found_begin + (share + 1) * found_chunks // each


@gluon.jit
def _tile(
    i,
    first,
    stop,
    q_tile,
    p,
    acc,
    row_max,
    row_sum,
    q_pos,
    score_scale,
    window,
    k_tiles,
    v_tiles,
    k_scales,
    v_scales,
    k_full,
    k_empty,
    v_full,
    v_empty,
    pin,
    START: gl.constexpr,
    MASKED: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
    BLOCK_N: gl.constexpr,
    K_STAGES: gl.constexpr,
    V_STAGES: gl.constexpr,
    SCORES: gl.constexpr,
    OUTPUT: gl.constexpr,
):
    """Start Q K of tile `i` and P V of the tile before; compute the softmax of `i` beside the latter.

    Args:
        START: the first tile of a chunk.
        MASKED: a row may not see all keys of the tile.
    """
    mbarrier.wait(k_full.index(i % K_STAGES), (i // K_STAGES) & 1)
    zero = gl.zeros([ROWS, BLOCK_N], gl.float32, layout=SCORES)
    s = warpgroup_mma(q_tile, k_tiles.index(i % K_STAGES).permute((1, 0)), zero, use_acc=False, is_async=True)
    KEY: gl.constexpr = gl.SliceLayout(0, SCORES)
    SCALE_STAGES: gl.constexpr = K_STAGES + 1
    a = acc
    before = (i - 1) % V_STAGES
    if START:
        scores = warpgroup_mma_wait(num_outstanding=0, deps=(s,))
    else:
        mbarrier.wait(v_full.index(before), ((i - 1) // V_STAGES) & 1)
        a = warpgroup_mma(p, v_tiles.index(before), acc, is_async=True)
        scores = warpgroup_mma_wait(num_outstanding=1, deps=(s,))
    mbarrier.arrive(k_empty.index(i % K_STAGES))
    if K_SCALE == SCALE_PER_TOKEN:
        scores = scores * k_scales.index(i % SCALE_STAGES).load(KEY)[None, :]
    weights, shrink, row_max, row_sum = softmax(
        scores, row_max, row_sum, score_scale, 0.0, window, first, stop, q_pos,
        MASKED, CAUSAL, WINDOW, False, BLOCK_N, SCORES,
    )  # fmt: skip
    if V_SCALE == SCALE_PER_TOKEN:
        weights = weights * v_scales.index(i % SCALE_STAGES).load(KEY)[None, :]
    p = gl.convert_layout(weights.to(v_tiles.dtype), gl.DotOperandLayout(0, OUTPUT, 2))
    if not START:
        # ptxas would wait for P V before the exponentials, where nothing runs beside it. It moves no wait over a store.
        pin.store(row_sum)
        acc, p = warpgroup_mma_wait(num_outstanding=0, deps=(a, p))
        mbarrier.arrive(v_empty.index(before))
        acc = acc * gl.convert_layout(shrink, gl.SliceLayout(1, OUTPUT))[:, None]
    return acc, p, row_max, row_sum


@gluon.jit
def _consumer(
    part_ptr,
    stat_ptr,
    query_ptr,
    k_scale_ptr,
    first_token,
    row_begin,
    row_end,
    kv_head,
    start,
    context,
    first_chunk,
    last_chunk,
    begin,
    key_end,
    seen_by_all,
    scale,
    window,
    place,
    stride_chunk,
    num_chunks,
    stride_q_t,
    stride_q_h,
    q_tile,
    k_tiles,
    v_tiles,
    k_scales,
    v_scales,
    k_full,
    k_empty,
    v_full,
    v_empty,
    pin,
    GROUP: gl.constexpr,
    HEAD_DIM: gl.constexpr,
    SCALED: gl.constexpr,  # a power of two a row brings Q into float16's range
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
    CLEAR: gl.constexpr,
    BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr,
    K_STAGES: gl.constexpr,
    V_STAGES: gl.constexpr,
):
    """Compute 64 rows over some chunks, and write each chunk's result."""
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, BLOCK_N, 16])
    OUTPUT: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], instr_shape=[16, HEAD_DIM, 16])
    SCORE_ROW: gl.constexpr = gl.SliceLayout(1, SCORES)
    LOAD: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])

    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, LOAD))
    token = (first_token + rows // GROUP).to(gl.int64)
    row_valid = (rows >= row_begin) & (rows < row_end)
    dim = gl.arange(0, HEAD_DIM, layout=gl.SliceLayout(0, LOAD))
    row = query_ptr + token * stride_q_t + (kv_head * GROUP + rows % GROUP).to(gl.int64) * stride_q_h
    q = gl.load(row[:, None] + dim[None, :], mask=row_valid[:, None], other=0)
    score_scale = gl.full([ROWS], 1.0, gl.float32, layout=SCORE_ROW) * scale
    if SCALED:
        exponent = power_of_largest(q)
        q = brought_into_range(q, exponent)
        score_scale = score_scale * gl.convert_layout(back(exponent), SCORE_ROW)
    if K_SCALE != NO_SCALE and K_SCALE != SCALE_PER_TOKEN:
        score_scale = score_scale * gl.load(k_scale_ptr)
    score_scale = (score_scale * LOG2E)[:, None]
    q_tile.store(q.to(q_tile.dtype))
    fence_async_shared()
    barrier()

    q_pos = first_token + gl.arange(0, ROWS, layout=SCORE_ROW) // GROUP - start + context
    edge = 0  # all rows see all keys of the tiles that begin from here on and end by `seen_by_all`
    if WINDOW:
        edge = first_token - start + context + ((ROWS - 1) // GROUP + 1 - window)
    i = 0
    for chunk in range(first_chunk, last_chunk):
        row_max = gl.full([ROWS], float("-inf"), gl.float32, layout=SCORE_ROW)
        row_sum = gl.full([ROWS], 0.0, gl.float32, layout=SCORE_ROW)
        acc = gl.zeros([ROWS, HEAD_DIM], gl.float32, layout=OUTPUT)
        p = gl.zeros([ROWS, BLOCK_N], q_tile.dtype, layout=gl.DotOperandLayout(0, OUTPUT, 2))
        first = gl.maximum(chunk * CHUNK, begin)
        stop = gl.minimum((chunk + 1) * CHUNK, key_end)
        if first < stop:
            acc, p, row_max, row_sum = _tile(
                i, first, stop, q_tile, p, acc, row_max, row_sum, q_pos, score_scale, window,
                k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, pin,
                True, True, CAUSAL, WINDOW, K_SCALE, V_SCALE, BLOCK_N, K_STAGES, V_STAGES, SCORES, OUTPUT,
            )  # fmt: skip
            i += 1
            unmasked = first + BLOCK_N
            if WINDOW:
                unmasked = gl.minimum(gl.maximum(unmasked, gl.cdiv(gl.maximum(edge, 0), BLOCK_N) * BLOCK_N), stop)
                for key in range(first + BLOCK_N, unmasked, BLOCK_N):
                    acc, p, row_max, row_sum = _tile(
                        i, key, stop, q_tile, p, acc, row_max, row_sum, q_pos, score_scale, window,
                        k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, pin,
                        False, True, CAUSAL, WINDOW, K_SCALE, V_SCALE, BLOCK_N, K_STAGES, V_STAGES, SCORES, OUTPUT,
                    )  # fmt: skip
                    i += 1
                unmasked = gl.cdiv(unmasked, BLOCK_N) * BLOCK_N
            masked = gl.maximum(gl.minimum(stop, seen_by_all) // BLOCK_N * BLOCK_N, unmasked)
            for key in range(unmasked, masked, BLOCK_N):
                acc, p, row_max, row_sum = _tile(
                    i, key, stop, q_tile, p, acc, row_max, row_sum, q_pos, score_scale, window,
                    k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, pin,
                    False, False, CAUSAL, WINDOW, K_SCALE, V_SCALE, BLOCK_N, K_STAGES, V_STAGES, SCORES, OUTPUT,
                )  # fmt: skip
                i += 1
            for key in range(masked, stop, BLOCK_N):
                acc, p, row_max, row_sum = _tile(
                    i, key, stop, q_tile, p, acc, row_max, row_sum, q_pos, score_scale, window,
                    k_tiles, v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, pin,
                    False, True, CAUSAL, WINDOW, K_SCALE, V_SCALE, BLOCK_N, K_STAGES, V_STAGES, SCORES, OUTPUT,
                )  # fmt: skip
                i += 1
            last = (stop - 1) // BLOCK_N * BLOCK_N
            acc, _ = last_product(i, last, key_end, acc, acc, p, v_tiles, v_full, v_empty, 1, CLEAR, V_STAGES, BLOCK_N)
        slot = place + chunk * stride_chunk
        score_row = gl.arange(0, ROWS, layout=SCORE_ROW)
        score_valid = (score_row >= row_begin) & (score_row < row_end)
        gl.store(stat_ptr + slot + score_row, row_max, mask=score_valid)
        gl.store(stat_ptr + num_chunks * stride_chunk + slot + score_row, row_sum, mask=score_valid)
        out_row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, OUTPUT))
        out_valid = (out_row >= row_begin) & (out_row < row_end)
        out_dim = gl.arange(0, HEAD_DIM, layout=gl.SliceLayout(0, OUTPUT))
        part = part_ptr + slot * HEAD_DIM + out_row * HEAD_DIM
        gl.store(part[:, None] + out_dim[None, :], acc, mask=out_valid[:, None])


@gluon.jit(
    do_not_specialize=(
        "window", "num_seqs", "num_tokens", "num_blocks", "max_blocks", "token_begin", "token_end", "num_chunks",
        "num_slots", "num_programs", "num_splits", "stride_table",
    )
)  # fmt: skip
def _decode_kernel(
    part_ptr,
    stat_ptr,
    query_ptr,
    k_pages,  # descriptors of the caches as [blocks * tokens, heads * head_dim]
    v_pages,
    k_scale_ptr,
    v_scale_ptr,
    table_ptr,
    lens_ptr,
    starts_ptr,
    scale,
    window,
    num_seqs,
    num_tokens,
    num_blocks,
    max_blocks,
    token_begin,
    token_end,
    num_chunks,
    num_slots,
    num_programs,
    num_splits,
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
    BOX: gl.constexpr,
    HEAD_DIM: gl.constexpr,
    KIND: gl.constexpr,
    SCALED: gl.constexpr,
    DTYPE: gl.constexpr,
    K_SCALE: gl.constexpr,
    V_SCALE: gl.constexpr,
    WEIGHT_SCALE: gl.constexpr,
    CAUSAL: gl.constexpr,
    WINDOW: gl.constexpr,
    DECODES: gl.constexpr,  # sequences of one new token only
    BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr,
    STAGES: gl.constexpr,
    HELPER_REGISTERS: gl.constexpr,
):
    """Compute one tile of rows of one sequence and KV head over a share of its chunks."""
    TOKENS: gl.constexpr = ROWS // GROUP
    KV_HEADS: gl.constexpr = NUM_HEADS // GROUP
    item, kv_head = gl.program_id(0) // KV_HEADS, gl.program_id(0) % KV_HEADS
    max_keys = max_blocks * BLOCK_SIZE
    seq, tile, first_chunk, last_chunk = _find_share(
        starts_ptr, lens_ptr, item, num_programs, num_splits, num_seqs, num_tokens, max_keys,
        window if WINDOW else 0, TOKENS, CHUNK, DECODES,
    )  # fmt: skip
    if seq >= 0:
        start = gl.load(starts_ptr + seq)
        end = gl.load(starts_ptr + seq + 1)
        seq_len = gl.load(lens_ptr + seq)
        context = seq_len - (end - start)
        end = gl.minimum(end, num_tokens)
        first_token = start + tile * TOKENS
        if (first_token < gl.minimum(end, token_end)) & (first_token + TOKENS > token_begin):
            row_end = gl.minimum(gl.minimum(end, token_end) - first_token, TOKENS) * GROUP
            row_begin = gl.maximum(token_begin - first_token, 0) * GROUP
            key_end = gl.minimum(seq_len, max_keys)
            seen_by_all = key_end
            if CAUSAL:
                last_token = gl.minimum(first_token + TOKENS, end) - 1
                key_end = gl.minimum(key_end, context + last_token - start + 1)
                seen_by_all = gl.minimum(key_end, context + first_token - start + 1)
            key_begin = gl.minimum(seq_len, 0)
            if WINDOW:
                key_begin = gl.maximum(context + first_token - start - window + 1, 0)
            first_chunk = gl.maximum(first_chunk, key_begin // CHUNK)
            last_chunk = gl.minimum(last_chunk, gl.cdiv(key_end, CHUNK))
            begin = gl.maximum(first_chunk * CHUNK, key_begin // BLOCK_N * BLOCK_N)
            share_end = gl.minimum(last_chunk * CHUNK, key_end)

            QUANTISED: gl.constexpr = KIND != PLAIN
            K_STAGES: gl.constexpr = 1 if QUANTISED else STAGES
            V_STAGES: gl.constexpr = 2 if QUANTISED else STAGES
            TILE: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
            LINE: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
            BARRIER: gl.constexpr = mbarrier.MBarrierLayout()
            k_tiles = gl.allocate_shared_memory(DTYPE, [K_STAGES, BLOCK_N, HEAD_DIM], TILE)
            v_tiles = gl.allocate_shared_memory(DTYPE, [V_STAGES, BLOCK_N, HEAD_DIM], TILE)
            q_tile = gl.allocate_shared_memory(DTYPE, [ROWS, HEAD_DIM], TILE)
            pin = gl.allocate_shared_memory(gl.float32, [ROWS], LINE)
            k_scales = gl.allocate_shared_memory(gl.float32, [K_STAGES + 1, BLOCK_N], LINE)
            v_scales = gl.allocate_shared_memory(gl.float32, [K_STAGES + 1, BLOCK_N], LINE)
            k_full = gl.allocate_shared_memory(gl.int64, [K_STAGES, 1], BARRIER)
            k_empty = gl.allocate_shared_memory(gl.int64, [K_STAGES, 1], BARRIER)
            v_full = gl.allocate_shared_memory(gl.int64, [V_STAGES, 1], BARRIER)
            v_empty = gl.allocate_shared_memory(gl.int64, [V_STAGES, 1], BARRIER)
            for stage in gl.static_range(K_STAGES):
                mbarrier.init(k_full.index(stage), count=1)
                mbarrier.init(k_empty.index(stage), count=1)
            for stage in gl.static_range(V_STAGES):
                mbarrier.init(v_full.index(stage), count=1)
                mbarrier.init(v_empty.index(stage), count=1)

            heads = kv_head.to(gl.int64)
            table_row = table_ptr + seq.to(gl.int64) * stride_table
            slot = seq if DECODES else first_token - token_begin
            stride_chunk = num_slots.to(gl.int64) * NUM_HEADS
            place = (heads * num_slots + slot) * GROUP
            if QUANTISED:
                CODES: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=HEAD_DIM, element_bitwidth=8, rank=2)
                k_raw = gl.allocate_shared_memory(gl.uint8, [STAGES, BLOCK_N, HEAD_DIM], CODES)
                v_raw = gl.allocate_shared_memory(gl.uint8, [STAGES, BLOCK_N, HEAD_DIM], CODES)
                k_raw_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
                k_raw_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
                v_raw_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
                v_raw_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], BARRIER)
                for stage in gl.static_range(STAGES):
                    mbarrier.init(k_raw_full.index(stage), count=1)
                    mbarrier.init(k_raw_empty.index(stage), count=1)
                    mbarrier.init(v_raw_full.index(stage), count=1)
                    mbarrier.init(v_raw_empty.index(stage), count=1)
                gl.warp_specialize(
                    [
                        (_consumer, (
                            part_ptr, stat_ptr, query_ptr, k_scale_ptr + heads * stride_ks_h, first_token, row_begin,
                            row_end, kv_head, start, context, first_chunk, last_chunk, begin, key_end, seen_by_all,
                            scale, window, place, stride_chunk, num_chunks, stride_q_t, stride_q_h, q_tile, k_tiles,
                            v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, pin, GROUP, HEAD_DIM,
                            SCALED, CAUSAL, WINDOW, K_SCALE, V_SCALE, not QUANTISED, BLOCK_N, CHUNK, K_STAGES,
                            V_STAGES,
                        )),
                        (converter, (
                            k_scale_ptr + heads * stride_ks_h, v_scale_ptr + heads * stride_vs_h, table_row, begin,
                            share_end, key_end, num_blocks, max_blocks, stride_ks_b, stride_ks_t, stride_vs_b,
                            stride_vs_t, k_raw, v_raw, k_raw_full, k_raw_empty, v_raw_full, v_raw_empty, k_tiles,
                            v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, BLOCK_SIZE, HEAD_DIM, 1,
                            HEAD_DIM, 1, KIND, K_SCALE, V_SCALE, WEIGHT_SCALE, BLOCK_N, STAGES, K_STAGES, V_STAGES,
                        )),
                        (producer, (
                            k_pages, table_row, kv_head, begin, share_end, num_blocks, max_blocks, k_raw, k_raw_full,
                            k_raw_empty, BLOCK_SIZE, BOX, BLOCK_N, HEAD_DIM, 1, 1, STAGES,
                        )),
                        (producer, (
                            v_pages, table_row, kv_head, begin, share_end, num_blocks, max_blocks, v_raw, v_raw_full,
                            v_raw_empty, BLOCK_SIZE, BOX, BLOCK_N, HEAD_DIM, 1, 1, STAGES,
                        )),
                    ],
                    [2, 1, 1],
                    [HELPER_REGISTERS, HELPER_REGISTERS, HELPER_REGISTERS],
                )  # fmt: skip
            else:
                gl.warp_specialize(
                    [
                        (_consumer, (
                            part_ptr, stat_ptr, query_ptr, k_scale_ptr + heads * stride_ks_h, first_token, row_begin,
                            row_end, kv_head, start, context, first_chunk, last_chunk, begin, key_end, seen_by_all,
                            scale, window, place, stride_chunk, num_chunks, stride_q_t, stride_q_h, q_tile, k_tiles,
                            v_tiles, k_scales, v_scales, k_full, k_empty, v_full, v_empty, pin, GROUP, HEAD_DIM,
                            SCALED, CAUSAL, WINDOW, K_SCALE, V_SCALE, not QUANTISED, BLOCK_N, CHUNK, K_STAGES,
                            V_STAGES,
                        )),
                        (producer, (
                            k_pages, table_row, kv_head, begin, share_end, num_blocks, max_blocks, k_tiles, k_full,
                            k_empty, BLOCK_SIZE, BOX, BLOCK_N, HEAD_DIM, 1, 2, STAGES,
                        )),
                        (producer, (
                            v_pages, table_row, kv_head, begin, share_end, num_blocks, max_blocks, v_tiles, v_full,
                            v_empty, BLOCK_SIZE, BOX, BLOCK_N, HEAD_DIM, 1, 2, STAGES,
                        )),
                    ],
                    [1, 1],
                    [HELPER_REGISTERS, HELPER_REGISTERS],
                )  # fmt: skip


def fits(query: Tensor, keys: Tensor, values: Tensor) -> bool:
    """Return whether the kernel can do a call whose options it has, on a device that it is for."""
    _, heads, head_dim = query.shape
    return (
        query.dtype in DTYPES
        and keys.dtype == values.dtype
        and (keys.dtype == query.dtype or keys.element_size() == 1)
        and head_dim in (64, 128)
        and values.shape[3] == head_dim
        and heads // keys.shape[2] <= ROWS
        and can_fetch((keys, values), BLOCK_N)
        and query.data_ptr() % 16 == 0
        and query.stride(2) == 1
    )


def launch(
    part: Tensor,
    stat: Tensor,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    k_scale: Tensor,
    v_scale: Tensor,
    *,
    items: int,
    scale: float,
    causal: bool,
    window: int,
    kind: int,
    kinds_of_scales: tuple[int, int],
    strides_of_scales: tuple[int, ...],
    weight_scale: float,
    decodes: bool,
    token_begin: int,
    token_end: int,
    num_chunks: int,
    num_slots: int,
    num_programs: int,
    num_splits: int,
    chunk: int,
) -> None:
    """Launch the kernel.

    Args:
        keys, values: 8-bit floats as their codes.
        items: shares, at most, of a KV head.
    """
    num_tokens, num_heads, head_dim = query.shape
    num_blocks, block_size, kv_heads, _ = keys.shape
    keys, values = (each.view(torch.uint8) if kind else each for each in (keys, values))
    box = box_of(block_size, BLOCK_N)
    options: dict[str, Any] = {"num_warps": 4, "enable_fp_fusion": False, "maxnreg": REGISTERS}
    _decode_kernel[(items * kv_heads,)](
        part,
        stat,
        query,
        pages_of(keys, head_dim, box),
        pages_of(values, head_dim, box),
        k_scale,
        v_scale,
        block_tables,
        seq_lens,
        query_start_loc,
        scale,
        window,
        seq_lens.shape[0],
        num_tokens,
        num_blocks,
        block_tables.shape[1],
        token_begin,
        token_end,
        num_chunks,
        num_slots,
        num_programs,
        num_splits,
        *query.stride()[:2],
        block_tables.stride(0),
        *strides_of_scales,
        NUM_HEADS=num_heads,
        GROUP=num_heads // kv_heads,
        BLOCK_SIZE=block_size,
        BOX=box,
        HEAD_DIM=head_dim,
        KIND=kind,
        SCALED=kind > 0 and query.dtype == torch.bfloat16,
        DTYPE=DTYPES[torch.float16 if kind else query.dtype],
        K_SCALE=kinds_of_scales[0],
        V_SCALE=kinds_of_scales[1],
        WEIGHT_SCALE=weight_scale,
        CAUSAL=causal,
        WINDOW=window > 0,
        DECODES=decodes,
        BLOCK_N=BLOCK_N,
        CHUNK=chunk,
        STAGES=(256 if kind else 384) // head_dim,
        HELPER_REGISTERS=HELPER_REGISTERS[kind > 0],
        **options,
    )

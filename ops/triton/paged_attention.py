"""Paged attention: one kernel for decode, prefill and mixed batches, and one that merges split results.

Method: FlashAttention's online softmax (Dao et al., 2022) over paged keys (Kwon et al., 2023), query heads of a
KV head packed into one tile, long contexts split over programs (FlashDecoding).

Determinism. A row's bits depend on its query, its keys and the options, not on the batch, the physical blocks,
the padding, the chunking of a prefill or the hints, because every operation on it is fixed by key positions:

- Keys come in tiles of BLOCK_N and chunks of CHUNK at absolute positions. Each chunk starts from nothing and is
  merged into the row's total in ascending order by `_fold`: in registers or, when chunks ran in different programs,
  from float32 copies in a workspace. The batch decides only where a chunk runs. Where keys are selected, each token is
  a sequence of its own, and the ranks of its keys in ascending order take the place of positions.
- A tile that a row does not see leaves its state unchanged, so it can be skipped.
- Rows do not mix: element (i, j) of a dot sums along K in an order that the instruction fixes, and a row's sum over
  keys runs inside one warp, whose registers hold the same columns for each BLOCK_M that a call can choose
  (test_triton_compile.py reads that off the compiled layouts). Multiplications and additions are not contracted
  (`enable_fp_fusion=False`): two compilations cannot round differently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import knobs

from torchpaged.ops import checks
from torchpaged.ops.attention_options import AttentionOptions
from torchpaged.ops.token_positions import token_positions
from torchpaged.ops.triton import common, score_mods
from torchpaged.ops.triton.attention_plan import (
    DECODES,
    FOLD,
    ONE_CHUNK,
    OTHERS,
    SPLIT,
    Launch,
    Rows,
    configuration,
    plan,
)
from torchpaged.ops.triton.common import (
    FLOAT8_E4M3,
    INT8,
    NO_SCALE,
    PLAIN,
    SCALE_PER_TOKEN,
    decode,
    encode,
    find_sequence,
    tanh,
    wait_for_inputs,
)
from torchpaged.ops.triton.shares import PROGRAMS_PER_MULTIPROCESSOR, find_share
from torchpaged.utils import environment

if TYPE_CHECKING:
    from typing_extensions import Unpack

LOG2E = tl.constexpr(1.4426950408889634)
LN2 = tl.constexpr(0.6931471805599453)

# `tl.dot`'s input_precision, which matters for float32 only.
PRECISION = "ieee"

# The last program of a tile merges so many chunks, and new tokens a sequence on average, at most: `_counters`.
MOST_MERGED_CHUNKS = 32
MOST_MERGED_TOKENS = 4

# A softmax weight is at most 1, a value's own scale about its row's maximum over the type's largest value: the power
# of two next to the latter keeps their product inside float16. `_output_scale` divides by it, exactly.
_WEIGHT_SCALE = {torch.float8_e4m3fn: 2.0**8, torch.float8_e5m2: 2.0**15, torch.int8: 2.0**7}

# What is multiplied in an 8-bit cache's codes (`_code_products`): "" nothing, since its error is far larger than the
# codes' own. No device has run it.
_CODE_PRODUCTS = environment.code_products()

# Arguments whose value must not select another compilation: they change from call to call.
_SIZES = (
    "window",
    "num_seqs",
    "num_tokens",
    "num_blocks",
    "max_blocks",
    "max_keys",
    "token_begin",
    "token_end",
    "num_chunks",
    "num_slots",
    "num_programs",
    "num_splits",
    "tree_words",
    "num_groups",
    "distances",
    "stride_table",
    "reach",
    "stride_slopes",
)


@triton.jit
def _fold(total_max, part_max):
    """Return the factors that bring a running result and the next chunk's to one maximum, and that maximum."""
    top = tl.maximum(total_max, part_max)
    finite = tl.where(top == float("-inf"), 0.0, top)
    return tl.exp2(total_max - finite), tl.exp2(part_max - finite), top


@triton.jit
def _finish(row_max, row_sum, sink, HAS_SINKS: tl.constexpr):
    """Return the factor of a row's accumulator, and its natural log-sum-exp, from base-2 statistics."""
    if HAS_SINKS:
        shrink, share, row_max = _fold(row_max, sink)
        row_sum = row_sum * shrink + share
    empty = row_sum == 0.0
    divisor = tl.where(empty, 1.0, row_sum)
    factor = tl.where(empty, 0.0, 1.0 / divisor)
    if HAS_SINKS:
        factor = factor * shrink
    return factor, tl.where(empty, float("-inf"), (row_max + tl.log2(divisor)) * LN2)


@triton.jit
def _tile(row, dim, valid, END: tl.constexpr, HEAD_DIM: tl.constexpr):
    """Load elements `dim`, which end at END, of each row; 0 in rows that are not valid and past HEAD_DIM."""
    mask = valid[:, None]
    if END > HEAD_DIM:
        mask = mask & (dim < HEAD_DIM)[None, :]
    return tl.load(row[:, None] + dim[None, :], mask=mask, other=0)


@triton.jit
def _store(row, dim, tile, valid, END: tl.constexpr, HEAD_DIM: tl.constexpr):
    mask = valid[:, None]
    if END > HEAD_DIM:
        mask = mask & (dim < HEAD_DIM)[None, :]
    tl.store(row[:, None] + dim[None, :], tile, mask=mask)


@triton.jit
def _as_codes(x, KIND: tl.constexpr):
    """Return codes as a product takes them."""
    if KIND == FLOAT8_E4M3:
        x = x.to(tl.float8e4nv, bitcast=True)
    return x


@triton.jit
def _rounded(x, KIND: tl.constexpr):
    """Return rows as codes, and each row's unit, which brings its largest number to the type's largest."""
    LARGEST: tl.constexpr = 127.0 if KIND == INT8 else 448.0
    unit = tl.div_rn(tl.max(tl.abs(x), axis=1), LARGEST)
    unit = tl.where(unit == 0.0, 1.0, unit)
    x = tl.div_rn(x, tl.broadcast_to(unit[:, None], x.shape))
    return x, encode(x, KIND), unit


@triton.jit
def _output_scale(factor, v_scale_ptr, V_SCALE: tl.constexpr, WEIGHT_SCALE: tl.constexpr):
    """Multiply `factor` with the rest of the values' scale, which the weights have not applied."""
    if V_SCALE == SCALE_PER_TOKEN:
        factor = factor * (1.0 / WEIGHT_SCALE)
    elif V_SCALE != NO_SCALE:
        factor = factor * tl.load(v_scale_ptr)
    return factor


@triton.jit
def _write_rows(
    out_ptr,
    lse_ptr,
    sinks_ptr,
    v_scale_ptr,
    row_max,
    row_sum,
    acc_0,
    acc_1,
    token,
    head,
    row_valid,
    seq_len,
    stride_out_t,
    stride_out_h,
    NUM_HEADS: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V0: tl.constexpr,
    DIM_V1: tl.constexpr,
    V_SCALE: tl.constexpr,
    WEIGHT_SCALE: tl.constexpr,
    SINKS: tl.constexpr,
    WITH_LSE: tl.constexpr,
):
    """Write the rows of a tile whose chunks are all done."""
    sink = row_max
    if SINKS:
        sink = tl.load(sinks_ptr + head, mask=row_valid & (seq_len > 0), other=float("-inf")).to(tl.float32) * LOG2E
    factor, lse = _finish(row_max, row_sum, sink, SINKS)
    factor = _output_scale(factor, v_scale_ptr, V_SCALE, WEIGHT_SCALE)[:, None]
    dtype = out_ptr.dtype.element_ty
    out_row = out_ptr + token * stride_out_t + head.to(tl.int64) * stride_out_h
    _store(out_row, tl.arange(0, DIM_V0), (acc_0 * factor).to(dtype), row_valid, DIM_V0, HEAD_DIM_V)
    if DIM_V1 > 0:
        dim = DIM_V0 + tl.arange(0, DIM_V1)
        _store(out_row, dim, (acc_1 * factor).to(dtype), row_valid, DIM_V0 + DIM_V1, HEAD_DIM_V)
    if WITH_LSE:
        tl.store(lse_ptr + token * NUM_HEADS + head, lse, mask=row_valid)


@triton.jit
def _merge_rows(
    out_ptr,
    lse_ptr,
    part_ptr,
    stat_ptr,
    sinks_ptr,
    v_scale_ptr,
    slot,  # of the first chunk's first row
    stride_chunk,
    stride_sums,  # from a row's maximum to its sum
    first_row,
    last_row,
    first_token,
    first_head,
    position,  # of the first token
    seq_len,
    max_keys,
    window,
    stride_out_t,
    stride_out_h,
    NUM_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    V_SCALE: tl.constexpr,
    WEIGHT_SCALE: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    SINKS: tl.constexpr,
    WITH_LSE: tl.constexpr,
    CHUNK: tl.constexpr,
    ROWS: tl.constexpr,
    DIM: tl.constexpr,
    TOGETHER: tl.constexpr,
):
    """Merge the rows of a tile from their chunks: each number as `_merge_kernel` does."""
    dim = tl.arange(0, DIM)
    for base in tl.range(first_row // ROWS * ROWS, last_row, ROWS, num_stages=1):
        row = base + tl.arange(0, ROWS)
        valid = (row >= first_row) & (row < last_row)
        q_pos = position + row // GROUP
        key_end = row * 0 + tl.minimum(seq_len, max_keys)
        if CAUSAL:
            key_end = tl.minimum(key_end, q_pos + 1)
        first = row * 0
        if WINDOW:
            first = tl.maximum(q_pos - window + 1, 0) // CHUNK
        last = tl.where(valid, (tl.maximum(key_end, 0) + CHUNK - 1) // CHUNK, 0)
        first = tl.where(valid, first, 1 << 30)
        total_max = tl.full([ROWS], float("-inf"), tl.float32)
        total_sum = tl.zeros([ROWS], tl.float32)
        total = tl.zeros([ROWS, DIM], tl.float32)
        end = tl.max(last, axis=0)
        for chunk in tl.range(tl.min(first, axis=0), end, TOGETHER, num_stages=1):
            for i in tl.static_range(TOGETHER):
                there = (chunk + i >= first) & (chunk + i < last)
                place = slot + tl.minimum(chunk + i, end - 1) * stride_chunk + row
                part_max = tl.load(stat_ptr + place, mask=valid, other=0.0)
                part_sum = tl.load(stat_ptr + stride_sums + place, mask=valid, other=0.0)
                part = _tile(part_ptr + place * HEAD_DIM_V, dim, valid, DIM, HEAD_DIM_V)
                keep, add, top = _fold(total_max, part_max)
                total_sum = tl.where(there, total_sum * keep + part_sum * add, total_sum)
                total = tl.where(there[:, None], total * keep[:, None] + part * add[:, None], total)
                total_max = tl.where(there, top, total_max)
        _write_rows(
            out_ptr,
            lse_ptr,
            sinks_ptr,
            v_scale_ptr,
            total_max,
            total_sum,
            total,
            total,
            (first_token + row // GROUP).to(tl.int64),
            first_head + row % GROUP,
            valid,
            seq_len,
            stride_out_t,
            stride_out_h,
            NUM_HEADS,
            HEAD_DIM_V,
            DIM,
            0,
            V_SCALE,
            WEIGHT_SCALE,
            SINKS,
            WITH_LSE,
        )


@triton.jit(do_not_specialize=("width",))
def _pack_tree_kernel(packed_ptr, tree_ptr, width, stride_t, stride_w):
    """Pack 64 nodes of one token's row of the tree mask into the bits of a word.

    A row's first word is all ones: the 64 keys before this step, which every token sees. So a tile of keys finds its
    bits in two words at any distance from the step, and earlier tiles find them in the first word.
    """
    token = tl.program_id(0).to(tl.int64)
    word = tl.program_id(1)
    bit = tl.arange(0, 64)
    node = (word - 1) * 64 + bit
    seen = tl.load(tree_ptr + token * stride_t + node * stride_w, mask=(node >= 0) & (node < width), other=0)
    seen = ((seen != 0) | (word == 0)).to(tl.uint64)
    tl.store(packed_ptr + token * tl.num_programs(1) + word, tl.sum(seen << bit.to(tl.uint64), axis=0))


@triton.jit(do_not_specialize=_SIZES)
def _attention_kernel(
    out_ptr,
    lse_ptr,
    part_ptr,  # [chunks, kv_heads, slots, group, head_dim_v]: the chunks' accumulators, when split
    stat_ptr,  # [2, chunks, kv_heads, slots, group]: their maxima and sums
    query_ptr,
    key_ptr,
    value_ptr,
    table_ptr,
    lens_ptr,
    starts_ptr,
    group_ptr,  # [tokens, selections, num_groups]: selected groups of positions, ascending
    rank_ptr,  # [2, tokens, selections]: the first rank that a token sees, and one behind the last
    token_ptr,  # [4, tokens]: each one's sequence, its position, the sequence's length, and that before this step
    slopes_ptr,
    bias_ptr,
    sinks_ptr,
    tree_ptr,
    k_scale_ptr,
    v_scale_ptr,
    score_table_ptr,
    mask_table_ptr,
    counter_ptr,  # [slots, kv_heads, tiles of heads]: the chunks of a tile that are done, where MERGE
    scale,
    softcap,
    window,
    reach,  # keys from its own on that a query sees, where REACH
    num_seqs,
    num_tokens,
    num_blocks,
    max_blocks,
    token_begin,  # the query tokens of this launch: not all where the workspace would grow too large
    token_end,
    tree_words,
    distances,  # of the bias
    num_chunks,
    num_slots,  # of the workspace: this launch's tokens, or the sequences
    num_programs,  # for each KV head, which share the split chunks
    num_splits,  # shares of a tile; 0: chosen by the lengths
    num_groups,
    stride_out_t,
    stride_out_h,
    stride_q_t,
    stride_q_h,
    stride_k_b,
    stride_k_t,
    stride_k_h,
    stride_v_b,
    stride_v_t,
    stride_v_h,
    stride_table,
    stride_slopes,  # between sequences
    stride_ks_b,
    stride_ks_t,
    stride_ks_h,
    stride_vs_b,
    stride_vs_t,
    stride_vs_h,
    NUM_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIM_0: tl.constexpr,  # head_dim as one or two powers of two: 576 is 512 + 64
    DIM_1: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V0: tl.constexpr,
    DIM_V1: tl.constexpr,
    SAME_STRIDES: tl.constexpr,
    SHORT_BLOCKS: tl.constexpr,  # offsets inside a block fit into 32 bits
    VALUE_IS_KEY: tl.constexpr,  # the values are the keys' first DIM_0 elements: load once
    KIND: tl.constexpr,
    NATIVE_FLOAT8: tl.constexpr,
    CODES: tl.constexpr,  # that a number of the query becomes, to multiply with the keys' codes; 0: keys are converted
    WEIGHT_CODES: tl.constexpr,  # weights become codes too
    K_SCALE: tl.constexpr,
    V_SCALE: tl.constexpr,
    WEIGHT_SCALE: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    SOFTCAP: tl.constexpr,
    ALIBI: tl.constexpr,
    MIRRORED: tl.constexpr,  # the slope counts for keys behind the query as for those before it
    REACH: tl.constexpr,
    DISTANCE_BIAS: tl.constexpr,
    SCORE_MOD: tl.constexpr,  # a function, or None
    MASK_MOD: tl.constexpr,
    SINKS: tl.constexpr,
    TREE: tl.constexpr,
    WITH_LSE: tl.constexpr,
    SELECTIONS: tl.constexpr,  # 1, or one for each KV head; 0: nothing is selected
    GRANULARITY: tl.constexpr,
    MODE: tl.constexpr,
    WHICH: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CHUNK: tl.constexpr,
    STAGES: tl.constexpr,
    MERGE: tl.constexpr,  # the last program of a split tile merges its chunks
    PDL: tl.constexpr,
):
    """Compute one tile of rows (query tokens times heads) of one sequence and KV head, over all or some chunks."""
    wait_for_inputs(PDL)
    TOKENS: tl.constexpr = BLOCK_M // GROUP if GROUP <= BLOCK_M else 1
    HEAD_TILES: tl.constexpr = (GROUP + BLOCK_M - 1) // BLOCK_M
    QUERY: tl.constexpr = query_ptr.dtype.element_ty
    # float16 holds 8-bit codes exactly, and it takes one conversion to get there.
    DTYPE: tl.constexpr = tl.float16 if KIND != PLAIN and tl.bfloat16 == QUERY else QUERY

    # Scores are in units of the base-2 softmax, but those that a function changes are natural.
    BASE: tl.constexpr = LOG2E if SCORE_MOD is None else 1.0

    # Rows that are merged at a time: 1024 numbers.
    DIM_MERGED: tl.constexpr = DIM_V0 if DIM_V1 == 0 else 2 * DIM_V0
    MERGED_ROWS: tl.constexpr = 1024 // DIM_MERGED

    max_keys = max_blocks * BLOCK_SIZE  # a length past the table must not leave the workspace
    HEADS: tl.constexpr = NUM_HEADS // GROUP * HEAD_TILES
    # Neighbouring programs take heads of the same keys, which lie beside each other in memory.
    item, column = tl.program_id(0) // HEADS, tl.program_id(0) % HEADS
    kv_head = (column // HEAD_TILES).to(tl.int64)
    head_tile = column % HEAD_TILES

    if MODE == SPLIT:
        seq, tile, first_chunk, last_chunk = find_share(
            starts_ptr,
            lens_ptr,
            item,
            num_programs,
            num_splits,
            num_seqs,
            num_tokens,
            max_keys,
            window if WINDOW and SELECTIONS == 0 else 0,
            TOKENS,
            CHUNK,
            WHICH == DECODES,
            MERGE,
        )
    else:  # late tiles of a sequence see more keys and start first
        tile = tl.num_programs(0) // HEADS - 1 - item
        seq = find_sequence(starts_ptr, num_seqs, tile, TOKENS)
    if MERGE and WHICH != DECODES:  # noqa: SIM102 - the compiler leaves the rest out
        if item == tl.num_programs(0) // HEADS - 1:  # never a share: it writes the padding rows, which have no keys
            padding = tl.load(starts_ptr + num_seqs)
            _merge_rows(
                out_ptr,
                lse_ptr,
                part_ptr,
                stat_ptr,
                sinks_ptr,
                v_scale_ptr + kv_head * stride_vs_h,
                0,
                0,
                0,
                0,
                tl.where(head_tile == 0, tl.maximum(num_tokens - padding, 0) * GROUP, 0),
                padding,
                kv_head.to(tl.int32) * GROUP,
                0,
                padding * 0,
                max_keys,
                window,
                stride_out_t,
                stride_out_h,
                NUM_HEADS,
                GROUP,
                HEAD_DIM_V,
                V_SCALE,
                WEIGHT_SCALE,
                CAUSAL,
                WINDOW,
                SINKS,
                WITH_LSE,
                CHUNK,
                MERGED_ROWS,
                DIM_MERGED,
                1,
            )
    if seq < 0:
        return
    start = tl.load(starts_ptr + seq)
    if MODE != SPLIT:
        tile -= start // TOKENS + seq
    end = tl.load(starts_ptr + seq + 1, mask=seq < num_seqs, other=num_tokens)
    seq_len = tl.load(lens_ptr + seq, mask=seq < num_seqs, other=0)
    one_token = (seq < num_seqs) & (tl.minimum(end, num_tokens) - start == 1)
    if (WHICH == OTHERS) & one_token:
        return
    tl.device_assert(seq_len <= max_keys, "paged_attention: seq_lens has a length beyond block_tables")
    context = seq_len - (end - start)
    end = tl.minimum(end, num_tokens)
    first_token = start + tile * TOKENS
    if (first_token >= tl.minimum(end, token_end)) | (first_token + TOKENS <= token_begin):
        return

    # Row r is the tile's r-th pair of token and head of the group; the rows of this launch lie between two bounds.
    rows = tl.arange(0, BLOCK_M)
    last_row = (tl.minimum(tl.minimum(end, token_end) - first_token, TOKENS)) * GROUP
    first_row = tl.maximum(token_begin - first_token, 0) * GROUP
    first_head = kv_head.to(tl.int32) * GROUP
    if GROUP <= BLOCK_M:
        token = first_token + rows // GROUP
        head = first_head + rows % GROUP
    else:
        token = first_token + rows * 0
        last_row -= head_tile * BLOCK_M
        head = first_head + head_tile * BLOCK_M + rows
    row_valid = (rows >= first_row) & (rows < last_row)
    q_pos = token - start + context
    sequence = seq
    if SELECTIONS > 0:
        entry = seq.to(tl.int64) * SELECTIONS + (kv_head if SELECTIONS > 1 else 0)
        group_row = group_ptr + entry * num_groups
        rank_begin = tl.load(rank_ptr + entry)
        rank_end = tl.load(rank_ptr + num_tokens.to(tl.int64) * SELECTIONS + entry)
        q_pos = rows * 0 + tl.load(token_ptr + num_tokens + seq)
        seq_len = tl.load(token_ptr + 2 * num_tokens + seq)
        sequence = tl.load(token_ptr + seq)
        table_row = table_ptr + sequence.to(tl.int64) * stride_table
        context = tl.load(token_ptr + 3 * num_tokens + first_token)
    token = token.to(tl.int64)

    dim_0 = tl.arange(0, DIM_0)
    query_row = query_ptr + token * stride_q_t + head.to(tl.int64) * stride_q_h
    q0 = _tile(query_row, dim_0, row_valid, DIM_0, HEAD_DIM)
    if DIM_1 > 0:
        dim_1 = DIM_0 + tl.arange(0, DIM_1)
        q1 = _tile(query_row, dim_1, row_valid, DIM_0 + DIM_1, HEAD_DIM)
    dim_v0 = tl.arange(0, DIM_V0)
    if DIM_V1 > 0:
        dim_v1 = DIM_V0 + tl.arange(0, DIM_V1)

    score_scale = scale
    # What one code leaves of a number, times this, is the second code.
    REST: tl.constexpr = 254.0 if KIND == INT8 else 16.0
    if CODES > 0:
        wide, q0, unit = _rounded(q0.to(tl.float32), KIND)
        if CODES == 2:
            q1 = encode((wide - decode(q0, KIND, NATIVE_FLOAT8, tl.float32)) * REST, KIND)
        score_scale = score_scale * unit[:, None]
    elif DTYPE != QUERY:
        # A power of two brings each row's largest element to float16's: what it loses is 2^29 times smaller.
        largest = tl.max(tl.abs(q0.to(tl.float32)), axis=1)
        if DIM_1 > 0:
            largest = tl.maximum(largest, tl.max(tl.abs(q1.to(tl.float32)), axis=1))
        exponent = tl.minimum(tl.maximum(largest.to(tl.int32, bitcast=True) >> 23, 15), 254)
        factor = ((268 - exponent) << 23).to(tl.float32, bitcast=True)[:, None]
        q0 = (q0.to(tl.float32) * factor).to(DTYPE)
        if DIM_1 > 0:
            q1 = (q1.to(tl.float32) * factor).to(DTYPE)
        score_scale = score_scale * ((exponent - 14) << 23).to(tl.float32, bitcast=True)[:, None]
    if K_SCALE != NO_SCALE and K_SCALE != SCALE_PER_TOKEN:
        score_scale = score_scale * tl.load(k_scale_ptr + kv_head * stride_ks_h)
    score_scale = score_scale / softcap if SOFTCAP else score_scale * BASE
    if ALIBI:
        slope_row = slopes_ptr + tl.minimum(seq, num_seqs - 1) * stride_slopes  # padding rows have no sequence
        slope = tl.load(slope_row + head, mask=row_valid, other=0.0) * BASE

    # The keys that at least one row of the tile sees.
    key_end = tl.minimum(seq_len, max_keys)
    if CAUSAL and not TREE:
        last_token = tl.minimum(first_token + TOKENS, end) - 1
        key_end = tl.minimum(key_end, context + last_token - start + 1)
    if REACH:
        key_end = tl.minimum(key_end, context + tl.minimum(first_token + TOKENS, end) - 1 - start + reach)
    # This is 0, but the compiler must not know: it would spend registers on the loop that the folding kernel lacks.
    key_begin = tl.minimum(seq_len, 0)
    if WINDOW:
        key_begin = tl.maximum(context + first_token - start - window + 1, 0)
    if SELECTIONS > 0:
        key_begin = rank_begin
        key_end = rank_end

    # Every row of the tile sees the keys before this one, so they need no mask. The widest heads have no registers for
    # this branch.
    ALWAYS_MASKED: tl.constexpr = WINDOW or TREE or DIM_0 > 256 or MASK_MOD is not None
    seen_by_all = key_end
    if CAUSAL and SELECTIONS == 0:
        seen_by_all = tl.minimum(seen_by_all, context + first_token - start + 1)
    if REACH:
        seen_by_all = tl.minimum(seen_by_all, context + first_token - start + reach)

    if TREE:
        tree_row = tree_ptr + token * tree_words
    if SELECTIONS == 0:
        table_row = table_ptr + seq.to(tl.int64) * stride_table
    key_base = key_ptr + kv_head * stride_k_h
    value_base = value_ptr + kv_head * stride_v_h
    columns = tl.arange(0, BLOCK_N)

    done = 0
    if MERGE:
        done = last_chunk - first_chunk
    if MODE == SPLIT:
        first_chunk = tl.maximum(first_chunk, key_begin // CHUNK)
        last_chunk = tl.minimum(last_chunk, tl.cdiv(key_end, CHUNK))
    else:
        first_chunk = key_begin // CHUNK
        last_chunk = tl.cdiv(key_end, CHUNK)
    if MODE == ONE_CHUNK:
        last_chunk = first_chunk + 1  # also where no key is seen: the rows have to be written
    if MODE == FOLD:
        total_max = tl.full([BLOCK_M], float("-inf"), tl.float32)
        total_sum = tl.zeros([BLOCK_M], tl.float32)
        total_0 = tl.zeros([BLOCK_M, DIM_V0], tl.float32)
        total_1 = total_0
        if DIM_V1 > 0:
            total_1 = tl.zeros([BLOCK_M, DIM_V1], tl.float32)
    for chunk in tl.range(first_chunk, last_chunk, num_stages=1):
        row_max = tl.full([BLOCK_M], float("-inf"), tl.float32)
        row_sum = tl.zeros([BLOCK_M], tl.float32)
        acc_0 = tl.zeros([BLOCK_M, DIM_V0], tl.float32)
        acc_1 = acc_0
        if DIM_V1 > 0:
            acc_1 = tl.zeros([BLOCK_M, DIM_V1], tl.float32)
        begin = tl.maximum(chunk * CHUNK, key_begin // BLOCK_N * BLOCK_N)
        stop = tl.minimum((chunk + 1) * CHUNK, key_end)
        for first in tl.range(begin, stop, BLOCK_N, num_stages=STAGES):
            key = first + columns
            key_valid = key < stop
            if SELECTIONS > 0:
                group = tl.load(group_row + key // GRANULARITY, mask=key_valid, other=0)
                key = group * GRANULARITY + key % GRANULARITY
            if BLOCK_SIZE % BLOCK_N == 0 and SELECTIONS == 0:  # the tile lies in one block
                block = tl.load(table_row + tl.minimum(first // BLOCK_SIZE, max_blocks - 1))
                offset = first % BLOCK_SIZE + columns
                there = (block >= 0) & (block < num_blocks)
                tl.device_assert(there, "paged_attention: block_tables has a block that is not in the cache")
            else:
                logical = tl.minimum(key // BLOCK_SIZE, max_blocks - 1)
                block = tl.load(table_row + logical, mask=key_valid, other=0)
                offset = key % BLOCK_SIZE
                there = (block >= 0) & (block < num_blocks)
                tl.device_assert(
                    there, "paged_attention: block_tables has a block that is not in the cache", mask=key_valid
                )
            block = tl.minimum(tl.maximum(block, 0), num_blocks - 1).to(tl.int64)
            if not SHORT_BLOCKS:
                offset = offset.to(tl.int64)
            if SAME_STRIDES:  # one set of addresses in registers instead of two
                place = block * stride_k_b + offset * stride_k_t
                key_row = key_base + place
            else:
                key_row = key_base + block * stride_k_b + offset * stride_k_t
            k0 = _tile(key_row, dim_0, key_valid, DIM_0, HEAD_DIM)
            if CODES > 0:
                codes = tl.trans(_as_codes(k0, KIND))
                scores = tl.dot(_as_codes(q0, KIND), codes).to(tl.float32)
                if CODES == 2:
                    scores += tl.dot(_as_codes(q1, KIND), codes).to(tl.float32) * (1.0 / REST)
            else:
                k0 = decode(k0, KIND, NATIVE_FLOAT8, DTYPE)
                scores = tl.dot(q0, tl.trans(k0), input_precision=PRECISION)
            if DIM_1 > 0:
                k1 = decode(
                    _tile(key_row, dim_1, key_valid, DIM_0 + DIM_1, HEAD_DIM),
                    KIND,
                    NATIVE_FLOAT8,
                    DTYPE,
                )
                scores = tl.dot(q1, tl.trans(k1), scores, input_precision=PRECISION)

            if K_SCALE == SCALE_PER_TOKEN:
                ks = tl.load(
                    k_scale_ptr + block * stride_ks_b + offset * stride_ks_t + kv_head * stride_ks_h,
                    mask=key_valid,
                    other=0.0,
                )
                scores = scores * ks[None, :]
            scores = scores * score_scale
            if SOFTCAP:
                scores = tanh(scores, QUERY) * (softcap * BASE)
            if ALIBI:
                distance = (key[None, :] - q_pos[:, None]).to(tl.float32)
                if MIRRORED:
                    distance = tl.minimum(distance, -distance)
                scores = scores + slope[:, None] * distance
            if DISTANCE_BIAS:
                before = tl.minimum(tl.maximum(q_pos[:, None] - key[None, :], 0), distances - 1)
                bias = tl.load(bias_ptr + head[:, None] * distances + before, mask=row_valid[:, None], other=0.0)
                scores = scores + bias * BASE
            if SCORE_MOD is not None:
                changed = SCORE_MOD(scores, sequence, head[:, None], q_pos[:, None], key[None, :], score_table_ptr)
                scores = tl.broadcast_to(changed * LOG2E, [BLOCK_M, BLOCK_N])

            if True if ALWAYS_MASKED else first + BLOCK_N > seen_by_all:
                seen = key_valid[None, :]
                if CAUSAL or TREE:
                    seen = seen & (q_pos >= 0)[:, None]
                if TREE and SELECTIONS > 0:
                    node = key - context
                    word = tree_ptr + first_token.to(tl.int64) * tree_words + 1 + node // 64
                    inside = (node >= 0) & (1 + node // 64 < tree_words)
                    bits = tl.load(word, mask=inside, other=0) >> (node % 64).to(tl.uint64)
                    seen = seen & ((node < 0) | ((bits & 1) != 0))[None, :]
                elif TREE:
                    # The tree replaces the causal test for this step's own keys: `_pack_tree_kernel`.
                    bit = tl.maximum(first - context + 64, 0)
                    word = bit // 64
                    low = tl.load(tree_row + word, mask=row_valid & (word < tree_words), other=0)
                    high = tl.load(tree_row + word + 1, mask=row_valid & (word + 1 < tree_words), other=0)
                    shift = (bit % 64).to(tl.uint64)
                    nodes = (low >> shift) | ((high << (63 - shift)) << 1)
                    # 32-bit shifts: a 64-bit one for each score would fill the registers.
                    early, late = nodes.to(tl.uint32), (nodes >> 32).to(tl.uint32)
                    half = tl.where((columns < 32)[None, :], early[:, None], late[:, None])
                    seen = seen & (((half >> (columns % 32).to(tl.uint32)[None, :]) & 1) != 0)
                elif CAUSAL and SELECTIONS == 0:  # ranks end with the last key that the token sees
                    seen = seen & (key[None, :] <= q_pos[:, None])
                if WINDOW:
                    seen = seen & (q_pos[:, None] - key[None, :] < window)
                if REACH:
                    seen = seen & (key[None, :] - q_pos[:, None] < reach)
                if MASK_MOD is not None:
                    seen = seen & MASK_MOD(0.0, sequence, head[:, None], q_pos[:, None], key[None, :], mask_table_ptr)
                scores = tl.where(seen, scores, float("-inf"))

            top = tl.maximum(row_max, tl.max(scores, axis=1))
            finite = tl.where(top == float("-inf"), 0.0, top)
            weights = tl.exp2(scores - finite[:, None])
            shrink = tl.exp2(row_max - finite)
            row_sum = row_sum * shrink + tl.sum(weights, axis=1)
            row_max = top
            acc_0 = acc_0 * shrink[:, None]

            value_row = value_base + (place if SAME_STRIDES else block * stride_v_b + offset * stride_v_t)
            if V_SCALE == SCALE_PER_TOKEN:
                vs = tl.load(
                    v_scale_ptr + block * stride_vs_b + offset * stride_vs_t + kv_head * stride_vs_h,
                    mask=key_valid,
                    other=0.0,
                )
                weights = weights * (vs * WEIGHT_SCALE)[None, :]
            if WEIGHT_CODES:
                v0 = _tile(value_row, dim_v0, key_valid, DIM_V0, HEAD_DIM_V)
                _, p, largest_weight = _rounded(weights, KIND)
                acc_0 += tl.dot(_as_codes(p, KIND), _as_codes(v0, KIND)).to(tl.float32) * largest_weight[:, None]
            else:
                if VALUE_IS_KEY:
                    v0 = k0
                else:
                    v0 = decode(
                        _tile(value_row, dim_v0, key_valid, DIM_V0, HEAD_DIM_V),
                        KIND,
                        NATIVE_FLOAT8,
                        DTYPE,
                    )
                acc_0 = tl.dot(weights.to(DTYPE), v0, acc_0, input_precision=PRECISION)
            if DIM_V1 > 0:
                v1 = decode(
                    _tile(value_row, dim_v1, key_valid, DIM_V0 + DIM_V1, HEAD_DIM_V),
                    KIND,
                    NATIVE_FLOAT8,
                    DTYPE,
                )
                acc_1 = tl.dot(weights.to(DTYPE), v1, acc_1 * shrink[:, None], input_precision=PRECISION)

        if MODE == FOLD:
            keep, add, total_max = _fold(total_max, row_max)
            total_sum = total_sum * keep + row_sum * add
            total_0 = total_0 * keep[:, None] + acc_0 * add[:, None]
            if DIM_V1 > 0:
                total_1 = total_1 * keep[:, None] + acc_1 * add[:, None]
        elif MODE == SPLIT:
            # [chunk, kv_head, slot, head of the group]: a tile's rows lie one after the other.
            slot = (chunk * (NUM_HEADS // GROUP) + kv_head) * num_slots.to(tl.int64)
            slot = slot + (seq if WHICH == DECODES else first_token - token_begin)
            slot = slot * GROUP + head_tile * BLOCK_M
            tl.store(stat_ptr + slot + rows, row_max, mask=row_valid)
            tl.store(stat_ptr + slot + num_chunks * num_slots.to(tl.int64) * NUM_HEADS + rows, row_sum, mask=row_valid)
            part_row = part_ptr + slot * HEAD_DIM_V + rows * HEAD_DIM_V
            _store(part_row, dim_v0, acc_0, row_valid, DIM_V0, HEAD_DIM_V)
            if DIM_V1 > 0:
                _store(part_row, dim_v1, acc_1, row_valid, DIM_V0 + DIM_V1, HEAD_DIM_V)
        else:
            _write_rows(
                out_ptr,
                lse_ptr,
                sinks_ptr,
                v_scale_ptr + kv_head * stride_vs_h,
                row_max,
                row_sum,
                acc_0,
                acc_1,
                token,
                head,
                row_valid,
                seq_len,
                stride_out_t,
                stride_out_h,
                NUM_HEADS,
                HEAD_DIM_V,
                DIM_V0,
                DIM_V1,
                V_SCALE,
                WEIGHT_SCALE,
                SINKS,
                WITH_LSE,
            )
    if MERGE:
        chunks = tl.cdiv(tl.minimum(seq_len, max_keys), CHUNK)
        if WINDOW:
            chunks -= tl.maximum(context - window + 1, 0) // CHUNK
        place = (seq if WHICH == DECODES else first_token).to(tl.int64) * HEADS + column
        tl.debug_barrier()  # all of this program's stores lie before its count, and its loads behind it
        before = tl.atomic_add(counter_ptr + place, done, sem="acq_rel")
        if before + done == tl.maximum(chunks, 1):
            tl.debug_barrier()
            tl.store(counter_ptr + place, 0)
            slot = kv_head * num_slots.to(tl.int64) + (seq if WHICH == DECODES else first_token)
            _merge_rows(
                out_ptr,
                lse_ptr,
                part_ptr,
                stat_ptr,
                sinks_ptr,
                v_scale_ptr + kv_head * stride_vs_h,
                slot * GROUP + head_tile * BLOCK_M,
                num_slots.to(tl.int64) * NUM_HEADS,
                num_chunks * num_slots.to(tl.int64) * NUM_HEADS,
                first_row,
                last_row,
                first_token,
                first_head + head_tile * BLOCK_M,
                context + first_token - start,
                seq_len,
                max_keys,
                window,
                stride_out_t,
                stride_out_h,
                NUM_HEADS,
                GROUP,
                HEAD_DIM_V,
                V_SCALE,
                WEIGHT_SCALE,
                CAUSAL and not TREE,
                WINDOW,
                SINKS,
                WITH_LSE,
                CHUNK,
                MERGED_ROWS,
                DIM_MERGED,
                8,
            )
    if MODE == FOLD:
        _write_rows(
            out_ptr,
            lse_ptr,
            sinks_ptr,
            v_scale_ptr + kv_head * stride_vs_h,
            total_max,
            total_sum,
            total_0,
            total_1,
            token,
            head,
            row_valid,
            seq_len,
            stride_out_t,
            stride_out_h,
            NUM_HEADS,
            HEAD_DIM_V,
            DIM_V0,
            DIM_V1,
            V_SCALE,
            WEIGHT_SCALE,
            SINKS,
            WITH_LSE,
        )


@triton.jit(do_not_specialize=_SIZES)
def _merge_kernel(
    out_ptr,
    lse_ptr,
    part_ptr,
    stat_ptr,
    lens_ptr,
    starts_ptr,
    rank_ptr,
    token_ptr,
    sinks_ptr,
    v_scale_ptr,
    window,
    reach,
    num_seqs,
    max_keys,
    token_begin,
    num_tokens,
    num_chunks,
    num_slots,
    stride_out_t,
    stride_out_h,
    stride_vs_h,
    NUM_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    SLICE: tl.constexpr,  # elements of the row that a program merges
    V_SCALE: tl.constexpr,
    WEIGHT_SCALE: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    REACH: tl.constexpr,
    SINKS: tl.constexpr,
    TREE: tl.constexpr,
    WITH_LSE: tl.constexpr,
    SELECTIONS: tl.constexpr,
    CHUNK: tl.constexpr,
    WHICH: tl.constexpr,
    TOGETHER: tl.constexpr,
    PDL: tl.constexpr,
):
    """Merge a slice of one row (token and head) from its chunks in ascending order, as the attention kernel does.

    TOGETHER chunks are loaded before the first is used; otherwise each load would wait for the memory by itself.
    """
    wait_for_inputs(PDL)
    head = tl.program_id(1)
    if WHICH == DECODES:
        seq = tl.program_id(0)
        token = tl.load(starts_ptr + seq)
        if tl.minimum(tl.load(starts_ptr + seq + 1), num_tokens) - token != 1:
            return
    else:
        token = token_begin + tl.program_id(0)
        seq = find_sequence(starts_ptr, num_seqs, token, 0)
    end = tl.load(starts_ptr + seq + 1, mask=(seq >= 0) & (seq < num_seqs), other=0)
    seq_len = tl.load(lens_ptr + seq, mask=(seq >= 0) & (seq < num_seqs), other=0)
    q_pos = seq_len - end + token
    key_end = tl.minimum(seq_len, max_keys)
    if CAUSAL and not TREE:
        key_end = tl.minimum(key_end, q_pos + 1)
    if REACH:
        key_end = tl.minimum(key_end, q_pos + reach)
    key_begin = 0
    if WINDOW:
        key_begin = tl.maximum(q_pos - window + 1, 0)
    if SELECTIONS > 0:
        place = token.to(tl.int64) * SELECTIONS + (head // GROUP if SELECTIONS > 1 else 0)
        key_begin = tl.load(rank_ptr + place)
        key_end = tl.load(rank_ptr + num_tokens.to(tl.int64) * SELECTIONS + place)
        seq_len = tl.load(token_ptr + 2 * num_tokens + token)

    dim = tl.program_id(2) * SLICE + tl.arange(0, SLICE)
    row = (head // GROUP * num_slots.to(tl.int64) + tl.program_id(0)) * GROUP + head % GROUP
    rows = num_slots.to(tl.int64) * NUM_HEADS
    total_max = float("-inf")
    total_sum = 0.0
    total = tl.zeros([SLICE], tl.float32)
    last_chunk = tl.cdiv(key_end, CHUNK)
    for first_chunk in tl.range(key_begin // CHUNK, last_chunk, TOGETHER, num_stages=1):
        for i in tl.static_range(TOGETHER):
            there = first_chunk + i < last_chunk
            # Past the last chunk this loads the last one again: a mask would keep loads from starting early.
            slot = tl.minimum(first_chunk + i, last_chunk - 1) * rows + row
            part_max = tl.load(stat_ptr + slot)
            part_sum = tl.load(stat_ptr + num_chunks * rows + slot)
            part = tl.load(part_ptr + slot * HEAD_DIM_V + dim, mask=dim < HEAD_DIM_V, other=0.0)
            keep, add, top = _fold(total_max, part_max)
            # Adding zeros instead would change the sign of a zero.
            total_sum = tl.where(there, total_sum * keep + part_sum * add, total_sum)
            total = tl.where(there, total * keep + part * add, total)
            total_max = tl.where(there, top, total_max)

    sink = total_max
    if SINKS:
        sink = tl.load(sinks_ptr + head, mask=seq_len > 0, other=float("-inf")).to(tl.float32) * LOG2E
    factor, lse = _finish(total_max, total_sum, sink, SINKS)
    factor = _output_scale(factor, v_scale_ptr + head // GROUP * stride_vs_h, V_SCALE, WEIGHT_SCALE)
    out_row = out_ptr + token.to(tl.int64) * stride_out_t + head.to(tl.int64) * stride_out_h
    tl.store(out_row + dim, (total * factor).to(out_ptr.dtype.element_ty), mask=dim < HEAD_DIM_V)
    if WITH_LSE:
        tl.store(lse_ptr + token.to(tl.int64) * NUM_HEADS + head, lse, mask=tl.program_id(2) == 0)


def _counters(step: Launch, device: torch.device, num_chunks: int, shape: tuple[int, int, int]) -> Tensor | None:
    """Return counters for a launch whose last programs merge; None where a merge kernel of its own is the better way.

    A tile's last program merges by itself what the merge kernel has a program a row for: contexts of many chunks and
    tiles of many rows stay with that.

    Args:
        shape: tokens, sequences, and tiles of heads of all KV heads.
    """
    tokens, seqs, heads = shape
    whole = (step.begin, step.end) == (0, tokens)
    few = num_chunks <= MOST_MERGED_CHUNKS and step.slots <= MOST_MERGED_TOKENS * seqs
    return common.counters(device, step.slots * heads) if step.mode == SPLIT and whole and few else None


def _code_products(dtype: torch.dtype, device: torch.device, parts: tuple[int, int], value_is_key: bool) -> int:
    """Return codes for each number of the query if the tensor cores are to take a cache's codes as they are, else 0.

    For e4m3 where they have such products (8.9 and later) and int8, with TORCHPAGED_CODE_PRODUCTS=query, query-twice
    (the second code has what the first leaves) or all (the softmax's weights too).

    Args:
        parts: second powers of two of head_dim and head_dim_v.
    """
    if not _CODE_PRODUCTS or parts != (0, 0) or value_is_key or common.amd(device):
        return 0
    native = knobs.runtime.interpret or common.capability(device) >= (8, 9)
    if dtype != torch.int8 and not (dtype == torch.float8_e4m3fn and native):
        return 0
    return 2 if _CODE_PRODUCTS == "query-twice" else 1


def _two_powers(size: int, aligned: bool) -> tuple[int, int]:
    """Split a head_dim into one or two powers of two from 16 (0 for none): 96 is 64 + 32, 112 is padded to 128."""
    whole = common.power_of_two(size)
    half = whole // 2
    if half < 16 or size <= half or not aligned:
        return whole, 0
    rest = common.power_of_two(size - half)
    return (whole, 0) if half + rest == whole else (half, rest)


def _aligned(*tensors: Tensor) -> bool:
    """Return whether Triton copies rows 16 bytes at a time, for which it looks for multiples of 16 elements.

    Where it does not, values in two parts were wrong on an H100 (Triton 3.6: 72 as 64 and 16, 40 as 32 and 16).
    """
    return all(each.data_ptr() % 16 == 0 and all(s % 16 == 0 for s in each.stride()[:-1]) for each in tensors)


@dataclass(frozen=True, slots=True)
class _Selection:
    """Selected keys as the kernels take them.

    Attributes:
        groups, ranks, tokens: `group_ptr`, `rank_ptr` and `token_ptr`.
        lens, starts: of tokens as sequences of selected keys.
    """

    groups: Tensor
    ranks: Tensor
    tokens: Tensor
    lens: Tensor
    starts: Tensor
    granularity: int


def _select(
    selected: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    granularity: int,
    max_keys: int,
    options: AttentionOptions,
) -> _Selection:
    """Order each token's groups, once each, and count the keys that it sees.

    Args:
        max_keys: keys that a block table has room for.
    """
    if selected.shape[2] == 0:
        selected = selected.new_full((*selected.shape[:2], 1), -1)
    tokens = token_positions(seq_lens, query_start_loc, selected.shape[0])
    position, seq_len = tokens.position, tokens.seq_len.clamp(max=max_keys)
    last = seq_len
    if options["causal"] and options["tree_mask"] is None:
        last = torch.minimum(last, position + 1)
    last = torch.where(position >= 0, last, 0)[:, None]
    window = options["sliding_window"]
    first = (position[:, None] - window + 1).clamp(min=0) if window else torch.zeros_like(last)
    limit = (last + granularity - 1) // granularity
    none = torch.iinfo(torch.int32).max
    groups = torch.where((selected >= 0) & (selected < limit[..., None]), selected, none).sort(-1).values
    twice = torch.nn.functional.pad(groups[..., 1:] == groups[..., :-1], (1, 0))
    groups = groups.masked_fill(twice, none).sort(-1).values
    begins = groups.long() * granularity
    ends = begins + granularity
    count = (groups < none).sum(-1)
    cut = (groups == limit[..., None] - 1).any(-1) * (limit * granularity - last)
    rank_end = count * granularity - cut
    # A rank before the window counts, as a position does.
    before = first[..., None].clamp(min=begins).minimum(ends) - begins
    rank_begin = torch.where(groups < none, before, 0).sum(-1).minimum(rank_end)
    columns = (tokens.sequence, position, seq_len, tokens.context)
    return _Selection(
        groups.contiguous(),
        torch.stack([rank_begin, rank_end]).to(torch.int32),
        torch.stack(columns).to(torch.int32),
        rank_end.amax(1).to(torch.int32),
        torch.arange(selected.shape[0] + 1, dtype=torch.int32, device=selected.device),
        granularity,
    )


@cache
def _prefill_sm90(capability: tuple[int, int]) -> ModuleType | None:
    """Return the module with Hopper's prefill kernel; None on other devices, and for a Triton without its language."""
    if capability[0] != 9 or knobs.runtime.interpret or checks.ENABLED:  # it has no `tl.device_assert`
        return None
    try:
        from torchpaged.ops.triton import prefill_sm90
    except ImportError:
        return None
    return prefill_sm90


@cache
def _decode_sm90(capability: tuple[int, int]) -> ModuleType | None:
    """Return the module with Hopper's decode kernel where it is asked for, None elsewhere."""
    if _prefill_sm90(capability) is None:
        return None
    from torchpaged.ops.triton import decode_sm90

    return decode_sm90 if decode_sm90.ENABLED else None


def paged_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    lse: Tensor | None,
    **options: Unpack[AttentionOptions],
) -> None:
    """Launch the kernels; see `torchpaged.ops.reference.paged_attention`."""
    launch(query, key_cache, value_cache, block_tables, seq_lens, query_start_loc, None, out, lse, options)


def paged_sparse_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    selected: Tensor,
    out: Tensor,
    lse: Tensor | None,
    *,
    granularity: int,
    **options: Unpack[AttentionOptions],
) -> None:
    """Launch the kernels; see `torchpaged.ops.reference.paged_sparse_attention`.

    Ids are put in order by torch, on the device. An id that is no group of its sequence, since the device cannot raise,
    is none.
    """
    if query.shape[0] == 0:
        return
    max_keys = block_tables.shape[1] * key_cache.shape[1]
    chosen = _select(selected, seq_lens, query_start_loc, granularity, max_keys, options)
    options = {**options, "max_query_len": 1}
    launch(query, key_cache, value_cache, block_tables, chosen.lens, chosen.starts, chosen, out, lse, options)


def launch(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    selection: _Selection | None,
    out: Tensor,
    lse: Tensor | None,
    options: AttentionOptions,
    *,
    reach: int = 0,
    mirrored: bool = False,
) -> None:
    """Launch the kernels over all keys, or over the selected ones.

    Grid and workspace follow from shapes. `max_query_len` and `num_splits` choose between compilations and
    how many programs share a sequence; neither can change a bit of the result.

    Args:
        seq_lens, query_start_loc: with a selection, those of its `lens` and `starts`.
        reach: keys from its own on that a query sees where it is not causal; 0: all.
        mirrored: ALiBi's slopes, which may be [num_seqs, num_heads] then, count for keys behind the query too.
    """
    num_tokens, num_heads, head_dim = query.shape
    num_blocks, block_size, kv_heads, head_dim_v = value_cache.shape
    num_seqs, max_blocks = seq_lens.shape[0], block_tables.shape[1]
    if num_tokens == 0:
        return
    group = num_heads // kv_heads
    device = query.device
    sliding_window, softcap, num_splits = options["sliding_window"], options["softcap"], options["num_splits"]
    alibi_slopes, distance_bias = options["alibi_slopes"], options["distance_bias"]
    sinks, tree_mask = options["sinks"], options["tree_mask"]
    light = softcap == 0 and alibi_slopes is None and tree_mask is None and distance_bias is None
    mods = [score_mods.kernel_arguments(name, options, seq_lens) for name in ("score_mod", "mask_mod")]
    (score_mod, score_tables), (mask_mod, mask_tables) = mods
    modified = score_mod is not None or mask_mod is not None
    light = light and not modified and reach == 0 and (sliding_window == 0 or max(head_dim, head_dim_v) <= 256)
    config = configuration(
        query.dtype,
        key_cache.dtype,
        head_dim,
        head_dim_v,
        light,
        block_size,
        common.capability(device),
        common.amd(device),
        modified,
    )
    aligned = _aligned(query, common.raw(key_cache), common.raw(value_cache))
    dim_0, dim_1 = _two_powers(head_dim, aligned)
    dim_v0, dim_v1 = _two_powers(head_dim_v, aligned)
    same_strides = key_cache.stride() == value_cache.stride()
    value_is_key = same_strides and key_cache.data_ptr() == value_cache.data_ptr() and head_dim_v == dim_v0 == dim_0
    codes = _code_products(key_cache.dtype, device, (dim_1, dim_v1), value_is_key)
    decode_kernel = None
    if not codes and light and query.dtype != torch.float32 and max(head_dim, head_dim_v) <= 128:
        decode_kernel = _decode_sm90(common.capability(device))
    if decode_kernel is not None:  # every launch takes keys in its tiles
        config = replace(config, block_n=decode_kernel.BLOCK_N)
        if selection is not None or not decode_kernel.fits(query, key_cache, value_cache):
            decode_kernel = None
    most_keys, selections = max_blocks * block_size, 0
    groups = ranks = tokens = seq_lens
    if selection is not None:
        groups, ranks, tokens = selection.groups, selection.ranks, selection.tokens
        selections = groups.shape[1]
        most_keys = min(most_keys, groups.shape[2] * selection.granularity)
    num_chunks = max(1, -(-most_keys // config.chunk))
    prefill = None
    plain = tree_mask is None and alibi_slopes is None and distance_bias is None and not modified
    if selection is None and plain and reach == 0 and not codes and not common.amd(device):
        prefill = _prefill_sm90(common.capability(device))
    k_scale_in, k_scaled, k_scale_strides = common.scale_arguments(options["k_scale"], seq_lens)
    v_scale_in, v_scaled, v_scale_strides = common.scale_arguments(options["v_scale"], seq_lens)
    if prefill is not None:
        # Other rows than a warpgroup's, which decode has in some configurations, are other bits.
        same = (config.split.block_m, config.split.num_warps) == (64, 4)
        kinds = (k_scaled, v_scaled)
        if not same or not prefill.fits(query, key_cache, value_cache, out, config.block_n, kinds):
            prefill = None
    if prefill is not None:
        config = replace(config, fold=Rows(prefill.PROGRAM_ROWS, 0, 0))
    launches = plan(
        config,
        num_tokens=num_tokens,
        num_seqs=num_seqs,
        num_heads=num_heads,
        group=group,
        head_dim_v=head_dim_v,
        num_chunks=num_chunks,
        max_query_len=options["max_query_len"],
        num_splits=num_splits,
    )
    multiprocessors = common.multiprocessors(device)
    slots = max(each.slots for each in launches)
    part = stat = out
    if slots:
        part = query.new_empty((num_chunks * slots * num_heads, head_dim_v), dtype=torch.float32)
        stat = query.new_empty((2, num_chunks * slots * num_heads), dtype=torch.float32)

    keys, values = common.raw(key_cache), common.raw(value_cache)
    widest = max(head_dim, head_dim_v)
    # The mask of an odd head_dim divides a row whose address and stride are multiples of 16.
    copied = keys.element_size() * (math.gcd(16, head_dim, head_dim_v) if aligned else 1)
    if widest > 256 and not aligned:
        strides = ", ".join(str(each.stride()) for each in (query, keys, values))
        raise ValueError(
            f"paged_attention: strides of query, key_cache and value_cache are {strides}, expected multiples of 16 and "
            f"addresses of 16 bytes on CUDA where head_dim is above 256, and it is {widest}; make them contiguous"
        )
    lse_in = out if lse is None else lse
    slopes = seq_lens if alibi_slopes is None else alibi_slopes.contiguous()
    biases = seq_lens if distance_bias is None else distance_bias.contiguous()
    sinks_in = seq_lens if sinks is None else sinks.contiguous()
    tree, tree_words = seq_lens, 0
    if tree_mask is not None:
        tree_words = 1 + -(-tree_mask.shape[1] // 64)
        tree = tree_mask.new_empty((num_tokens, tree_words), dtype=torch.uint64)
        _pack_tree_kernel[(num_tokens, tree_words)](
            tree, tree_mask.view(torch.uint8), tree_mask.shape[1], *tree_mask.stride(), num_warps=1
        )
    shared: dict[str, Any] = {
        "NUM_HEADS": num_heads,
        "HEAD_DIM_V": head_dim_v,
        "V_SCALE": v_scaled,
        "WEIGHT_SCALE": _WEIGHT_SCALE.get(key_cache.dtype, 1.0),
        "CAUSAL": options["causal"],
        "WINDOW": sliding_window > 0,
        "REACH": reach > 0,
        "SINKS": sinks is not None,
        "TREE": tree_mask is not None,
        "WITH_LSE": lse is not None,
        "GROUP": group,
        "SELECTIONS": selections,
        "CHUNK": config.chunk,
        "enable_fp_fusion": False,
    }
    for step in launches:
        rows = step.rows
        # Triton loads no rows ahead that it copies in fewer than 4 bytes at a time; then it loads ahead the block
        # tables alone, which on an H200 gave latents of 24 in bfloat16 other tables' entries (Triton 3.6).
        stages = rows.num_stages if copied >= 4 else 1
        if prefill is not None and rows is config.fold:
            prefill.launch(
                *(out, lse, query, keys, values, block_tables, seq_lens, query_start_loc, k_scale_in, v_scale_in),
                scale=options["scale"],
                causal=options["causal"],
                window=sliding_window,
                softcap=softcap,
                sinks=sinks_in if sinks is not None else None,
                kind=common.kind(key_cache),
                kinds_of_scales=(k_scaled, v_scaled),
                strides_of_scales=(*k_scale_strides, *v_scale_strides),
                weight_scale=shared["WEIGHT_SCALE"],
                skip_decodes=step.which == OTHERS,
                block_n=config.block_n,
                chunk=config.chunk,
            )
            continue
        heads = kv_heads * -(-group // rows.block_m)
        num_programs = -(-PROGRAMS_PER_MULTIPROCESSOR * multiprocessors // heads)
        # Every sequence, and the padding rows as one more, may end in a partial tile: `find_sequence`.
        items = num_tokens // max(1, rows.block_m // group) + num_seqs + 1
        if step.mode == SPLIT:  # padding rows are the merge's, and a tile has at least one token
            items = num_seqs if step.which == DECODES else min(num_tokens, items - 1)
            items = max(1, items * min(num_splits, num_chunks) if num_splits else items + num_programs)
        counters = None
        if decode_kernel is None and selection is None and reach == 0:
            counters = _counters(step, device, num_chunks, (num_tokens, num_seqs, heads))
            items += counters is not None and step.which != DECODES
        if decode_kernel is not None and step.mode == SPLIT:
            decode_kernel.launch(
                *(part, stat, query, key_cache, value_cache, block_tables, seq_lens, query_start_loc),
                *(k_scale_in, v_scale_in),
                items=items,
                scale=options["scale"],
                causal=options["causal"],
                window=sliding_window,
                kind=common.kind(key_cache),
                kinds_of_scales=(k_scaled, v_scaled),
                strides_of_scales=(*k_scale_strides, *v_scale_strides),
                weight_scale=shared["WEIGHT_SCALE"],
                decodes=step.which == DECODES,
                token_begin=step.begin,
                token_end=step.end,
                num_chunks=num_chunks,
                num_slots=step.slots,
                num_programs=num_programs,
                num_splits=num_splits,
                chunk=config.chunk,
            )
        else:
            _attention_kernel[(items * heads,)](
                out,
                lse_in,
                part,
                stat,
                query,
                keys,
                values,
                block_tables,
                seq_lens,
                query_start_loc,
                groups,
                ranks,
                tokens,
                slopes,
                biases,
                sinks_in,
                tree,
                k_scale_in,
                v_scale_in,
                score_tables,
                mask_tables,
                seq_lens if counters is None else counters,
                options["scale"],
                softcap,
                sliding_window,
                reach,
                num_seqs,
                num_tokens,
                num_blocks,
                max_blocks,
                step.begin,
                step.end,
                tree_words,
                0 if distance_bias is None else distance_bias.shape[1],
                num_chunks,
                step.slots,
                num_programs,
                num_splits,
                groups.shape[-1],
                out.stride(0),
                out.stride(1),
                query.stride(0),
                query.stride(1),
                *keys.stride()[:3],
                *values.stride()[:3],
                block_tables.stride(0),
                slopes.stride(0) if slopes.dim() == 2 else 0,
                *k_scale_strides,
                *v_scale_strides,
                BLOCK_SIZE=block_size,
                HEAD_DIM=head_dim,
                DIM_0=dim_0,
                DIM_1=dim_1,
                DIM_V0=dim_v0,
                DIM_V1=dim_v1,
                SAME_STRIDES=same_strides,
                SHORT_BLOCKS=block_size * max(keys.stride(1), values.stride(1)) < 2**31,
                VALUE_IS_KEY=value_is_key,
                KIND=common.kind(key_cache),
                NATIVE_FLOAT8=common.native_float8(device),
                CODES=codes,
                WEIGHT_CODES=codes > 0 and _CODE_PRODUCTS == "all",
                K_SCALE=k_scaled,
                SOFTCAP=softcap > 0,
                ALIBI=alibi_slopes is not None,
                MIRRORED=mirrored,
                DISTANCE_BIAS=distance_bias is not None,
                SCORE_MOD=score_mod,
                MASK_MOD=mask_mod,
                GRANULARITY=1 if selection is None else selection.granularity,
                MODE=step.mode,
                WHICH=step.which,
                PRECISION=PRECISION,
                BLOCK_M=rows.block_m,
                BLOCK_N=config.block_n,
                STAGES=stages,
                MERGE=counters is not None,
                num_warps=rows.num_warps,
                num_stages=stages,
                # Without it ptxas spills a few bytes to fit more programs on a multiprocessor.
                **common.at_most_registers(device, 255),
                **common.dependent_launch(device),
                **common.checked(),
                **shared,
            )
        if step.mode == SPLIT and counters is None:
            # Few rows of many chunks: more programs, and more loads in flight in each.
            deep = num_chunks > 32 and step.slots * num_heads <= 8 * multiprocessors
            width = 32 if deep else min(128, common.power_of_two(head_dim_v))
            _merge_kernel[(step.slots, num_heads, -(-head_dim_v // width))](
                out,
                lse_in,
                part,
                stat,
                seq_lens,
                query_start_loc,
                ranks,
                tokens,
                sinks_in,
                v_scale_in,
                sliding_window,
                reach,
                num_seqs,
                max_blocks * block_size,
                step.begin,
                num_tokens,
                num_chunks,
                step.slots,
                out.stride(0),
                out.stride(1),
                v_scale_strides[2],
                WHICH=step.which,
                SLICE=width,
                TOGETHER=32 if deep else 8,
                num_warps=1,
                **common.dependent_launch(device),
                **common.at_most_registers(device, 128),  # without it ptxas starts fewer loads before it waits
                **shared,
            )

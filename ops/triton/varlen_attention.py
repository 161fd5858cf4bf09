"""Attention over packed keys: the kernels of `paged_attention` over blocks of one key, and the derivative's two.

Method of the derivative: Dao et al., FlashAttention (2022), algorithm 4, as two kernels that each own what they write:
one goes through a token tile's keys for the query's gradient, one through a key tile's tokens for those of key and
value. Tiles lie at fixed positions of a sequence and nothing is added by atomics, so the bits are the same in each run,
and a sequence's do not depend on the others.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common, paged_attention, score_mods
from torchpaged.ops.triton.common import find_sequence, tanh

LOG2E = tl.constexpr(1.4426950408889634)

_SIZES = ("window", "reach", "num_seqs", "num_tokens", "num_keys", "stride_slopes")


@triton.jit
def _weights(
    q,
    k,
    lse,
    q_pos,
    key,
    row_valid,
    seq_len,
    slope,
    sequence,
    head,
    score_tables,
    slope_tables,
    mask_tables,
    scale,
    softcap,
    window,
    reach,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    REACH: tl.constexpr,
    SOFTCAP: tl.constexpr,
    ALIBI: tl.constexpr,
    SCORE_MOD: tl.constexpr,
    SLOPE_MOD: tl.constexpr,
    MASK_MOD: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Return the softmax's weights [tokens, keys], 0 where unseen, and the derivative of the scores by q.k."""
    scores = tl.dot(q, tl.trans(k), input_precision=PRECISION) * scale
    factor = scores * 0.0 + scale
    if SOFTCAP:
        bounded = tanh(scores / softcap, q.dtype)
        scores = bounded * softcap
        factor = scale * (1.0 - bounded * bounded)
    distance = key[None, :] - q_pos[:, None]
    if ALIBI:
        scores = scores - slope[:, None] * tl.abs(distance).to(tl.float32)
    if SCORE_MOD is not None:
        factor *= SLOPE_MOD(scores, sequence, head, q_pos[:, None], key[None, :], slope_tables)
        scores = SCORE_MOD(scores, sequence, head, q_pos[:, None], key[None, :], score_tables)
    seen = row_valid[:, None] & (key < seq_len)[None, :]
    if CAUSAL:
        seen = seen & (distance <= 0) & (q_pos >= 0)[:, None]
    if WINDOW:
        seen = seen & (distance > -window)
    if REACH:
        seen = seen & (distance < reach)
    if MASK_MOD is not None:
        seen = seen & MASK_MOD(0.0, sequence, head, q_pos[:, None], key[None, :], mask_tables)
    # A row without a key has an lse of -inf, and sees nothing.
    weights = tl.where(seen, tl.exp2((scores - lse[:, None]) * LOG2E), 0.0)
    if SCORE_MOD is not None:
        factor = tl.where(seen, factor, 0.0)  # whatever a function's derivative is there
    return weights, factor


@triton.jit
def _rows(row, dim, valid, HEAD_DIM: tl.constexpr, DIM: tl.constexpr):
    mask = valid[:, None]
    if DIM > HEAD_DIM:
        mask = mask & (dim < HEAD_DIM)[None, :]
    return tl.load(row[:, None] + dim[None, :], mask=mask, other=0.0)


@triton.jit
def _store(row, dim, tile, valid, HEAD_DIM: tl.constexpr, DIM: tl.constexpr):
    mask = valid[:, None]
    if DIM > HEAD_DIM:
        mask = mask & (dim < HEAD_DIM)[None, :]
    tl.store(row[:, None] + dim[None, :], tile.to(row.dtype.element_ty), mask=mask)


@triton.jit(do_not_specialize=_SIZES)
def _query_kernel(
    grad_query_ptr,  # [tokens, heads, head_dim] contiguous
    delta_ptr,  # [tokens, heads]: written for the other kernel
    grad_out_ptr,
    grad_lse_ptr,
    query_ptr,
    key_ptr,
    value_ptr,
    out_ptr,
    lse_ptr,
    query_starts_ptr,
    key_starts_ptr,
    slopes_ptr,
    score_tables,
    slope_tables,
    mask_tables,
    scale,
    softcap,
    window,
    reach,
    num_seqs,
    num_tokens,
    num_keys,
    stride_slopes,
    stride_go_t,
    stride_go_h,
    stride_q_t,
    stride_q_h,
    stride_k_t,
    stride_k_h,
    stride_v_t,
    stride_v_h,
    stride_o_t,
    stride_o_h,
    NUM_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    REACH: tl.constexpr,
    SOFTCAP: tl.constexpr,
    ALIBI: tl.constexpr,
    SCORE_MOD: tl.constexpr,
    SLOPE_MOD: tl.constexpr,
    MASK_MOD: tl.constexpr,
    WITH_GRAD_LSE: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Compute the query's gradient of one tile of tokens and one head, and each row's delta."""
    tile = tl.num_programs(0) - 1 - tl.program_id(0)  # late tiles see more keys and start first
    head = tl.program_id(1)
    seq = find_sequence(query_starts_ptr, num_seqs, tile, BLOCK_M)
    if (seq < 0) | (seq >= num_seqs):
        return
    start = tl.load(query_starts_ptr + seq)
    end = tl.minimum(tl.load(query_starts_ptr + seq + 1), num_tokens)
    key_start = tl.load(key_starts_ptr + seq)
    seq_len = tl.minimum(tl.load(key_starts_ptr + seq + 1), num_keys) - key_start
    first = start + (tile - start // BLOCK_M - seq) * BLOCK_M
    if first >= end:
        return
    token = first + tl.arange(0, BLOCK_M)
    valid = token < end
    q_pos = token - end + seq_len
    row = token.to(tl.int64)
    dim = tl.arange(0, DIM)
    dim_v = tl.arange(0, DIM_V)
    q = _rows(query_ptr + row * stride_q_t + head.to(tl.int64) * stride_q_h, dim, valid, HEAD_DIM, DIM)
    grad = _rows(grad_out_ptr + row * stride_go_t + head.to(tl.int64) * stride_go_h, dim_v, valid, HEAD_DIM_V, DIM_V)
    out = _rows(out_ptr + row * stride_o_t + head.to(tl.int64) * stride_o_h, dim_v, valid, HEAD_DIM_V, DIM_V)
    place = row * NUM_HEADS + head
    delta = tl.sum(grad.to(tl.float32) * out.to(tl.float32), axis=1)
    if WITH_GRAD_LSE:
        delta -= tl.load(grad_lse_ptr + place, mask=valid, other=0.0)
    tl.store(delta_ptr + place, delta, mask=valid)
    lse = tl.load(lse_ptr + place, mask=valid, other=float("-inf"))
    slope = lse
    if ALIBI:
        slope = tl.zeros([BLOCK_M], tl.float32) + tl.load(slopes_ptr + seq * stride_slopes + head)

    key_begin = tl.minimum(seq_len, 0)
    if WINDOW:
        key_begin = tl.maximum(first - end + seq_len - window + 1, 0) // BLOCK_N * BLOCK_N
    key_end = seq_len
    last = tl.minimum(first + BLOCK_M, end) - 1 - end + seq_len  # the last row's position
    if CAUSAL:
        key_end = tl.minimum(key_end, last + 1)
    if REACH:
        key_end = tl.minimum(key_end, last + reach)
    kv_head = head // GROUP
    acc = tl.zeros([BLOCK_M, DIM], tl.float32)
    for begin in tl.range(key_begin, key_end, BLOCK_N):
        key = begin + tl.arange(0, BLOCK_N)
        there = key < seq_len
        key_row = (key_start + key).to(tl.int64)
        k = _rows(key_ptr + key_row * stride_k_t + kv_head.to(tl.int64) * stride_k_h, dim, there, HEAD_DIM, DIM)
        v = _rows(value_ptr + key_row * stride_v_t + kv_head.to(tl.int64) * stride_v_h, dim_v, there, HEAD_DIM_V, DIM_V)
        weights, factor = _weights(
            *(q, k, lse, q_pos, key, valid, seq_len, slope, seq, head, score_tables, slope_tables, mask_tables),
            *(scale, softcap, window, reach),
            *(CAUSAL, WINDOW, REACH, SOFTCAP, ALIBI, SCORE_MOD, SLOPE_MOD, MASK_MOD, PRECISION),
        )
        of_weights = tl.dot(grad, tl.trans(v), input_precision=PRECISION)
        of_scores = weights * (of_weights - delta[:, None]) * factor
        acc = tl.dot(of_scores.to(k.dtype), k, acc, input_precision=PRECISION)
    _store(grad_query_ptr + place * HEAD_DIM, dim, acc, valid, HEAD_DIM, DIM)


@triton.jit(do_not_specialize=_SIZES)
def _key_kernel(
    grad_key_ptr,  # [keys, kv_heads, head_dim] contiguous
    grad_value_ptr,
    delta_ptr,
    grad_out_ptr,
    query_ptr,
    key_ptr,
    value_ptr,
    lse_ptr,
    query_starts_ptr,
    key_starts_ptr,
    slopes_ptr,
    score_tables,
    slope_tables,
    mask_tables,
    scale,
    softcap,
    window,
    reach,
    num_seqs,
    num_tokens,
    num_keys,
    stride_slopes,
    stride_go_t,
    stride_go_h,
    stride_q_t,
    stride_q_h,
    stride_k_t,
    stride_k_h,
    stride_v_t,
    stride_v_h,
    NUM_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V: tl.constexpr,
    CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr,
    REACH: tl.constexpr,
    SOFTCAP: tl.constexpr,
    ALIBI: tl.constexpr,
    SCORE_MOD: tl.constexpr,
    SLOPE_MOD: tl.constexpr,
    MASK_MOD: tl.constexpr,
    PRECISION: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Compute key's and value's gradients of one tile of keys and one KV head, over the heads of its group."""
    tile = tl.program_id(0)
    kv_head = tl.program_id(1)
    seq = find_sequence(key_starts_ptr, num_seqs, tile, BLOCK_N)
    if (seq < 0) | (seq >= num_seqs):
        return
    key_start = tl.load(key_starts_ptr + seq)
    key_stop = tl.minimum(tl.load(key_starts_ptr + seq + 1), num_keys)
    seq_len = key_stop - key_start
    begin = (tile - key_start // BLOCK_N - seq) * BLOCK_N
    if begin >= seq_len:
        return
    start = tl.load(query_starts_ptr + seq)
    end = tl.minimum(tl.load(query_starts_ptr + seq + 1), num_tokens)
    key = begin + tl.arange(0, BLOCK_N)
    there = key < seq_len
    key_row = (key_start + key).to(tl.int64)
    dim = tl.arange(0, DIM)
    dim_v = tl.arange(0, DIM_V)
    k = _rows(key_ptr + key_row * stride_k_t + kv_head.to(tl.int64) * stride_k_h, dim, there, HEAD_DIM, DIM)
    v = _rows(value_ptr + key_row * stride_v_t + kv_head.to(tl.int64) * stride_v_h, dim_v, there, HEAD_DIM_V, DIM_V)

    # The rows that see a key of the tile, in tiles at fixed places of the sequence.
    context = seq_len - (end - start)
    row_begin = tl.minimum(seq_len, 0)
    if CAUSAL:
        row_begin = tl.maximum(begin - context, 0)
    if REACH:
        row_begin = tl.maximum(begin - reach + 1 - context, 0)
    row_begin = row_begin // BLOCK_M * BLOCK_M
    row_end = end - start
    if WINDOW:
        row_end = tl.minimum(row_end, tl.minimum(begin + BLOCK_N, seq_len) - 1 + window - context)
    grad_k = tl.zeros([BLOCK_N, DIM], tl.float32)
    grad_v = tl.zeros([BLOCK_N, DIM_V], tl.float32)
    for first in tl.range(row_begin, row_end, BLOCK_M):
        place = first + tl.arange(0, BLOCK_M)
        valid = place < end - start
        q_pos = place + context
        row = (start + place).to(tl.int64)
        for h in range(GROUP):
            head = kv_head * GROUP + h
            q = _rows(query_ptr + row * stride_q_t + head.to(tl.int64) * stride_q_h, dim, valid, HEAD_DIM, DIM)
            grad = _rows(
                grad_out_ptr + row * stride_go_t + head.to(tl.int64) * stride_go_h, dim_v, valid, HEAD_DIM_V, DIM_V
            )
            lse = tl.load(lse_ptr + row * NUM_HEADS + head, mask=valid, other=float("-inf"))
            delta = tl.load(delta_ptr + row * NUM_HEADS + head, mask=valid, other=0.0)
            slope = lse
            if ALIBI:
                slope = tl.zeros([BLOCK_M], tl.float32) + tl.load(slopes_ptr + seq * stride_slopes + head)
            weights, factor = _weights(
                *(q, k, lse, q_pos, key, valid, seq_len, slope, seq, head, score_tables, slope_tables, mask_tables),
                *(scale, softcap, window, reach),
                *(CAUSAL, WINDOW, REACH, SOFTCAP, ALIBI, SCORE_MOD, SLOPE_MOD, MASK_MOD, PRECISION),
            )
            of_weights = tl.dot(grad, tl.trans(v), input_precision=PRECISION)
            of_scores = weights * (of_weights - delta[:, None]) * factor
            grad_v = tl.dot(tl.trans(weights).to(grad.dtype), grad, grad_v, input_precision=PRECISION)
            grad_k = tl.dot(tl.trans(of_scores).to(q.dtype), q, grad_k, input_precision=PRECISION)
    row_of_key = key_row * (NUM_HEADS // GROUP) + kv_head
    _store(grad_key_ptr + row_of_key * HEAD_DIM, dim, grad_k, there, HEAD_DIM, DIM)
    _store(grad_value_ptr + row_of_key * HEAD_DIM_V, dim_v, grad_v, there, HEAD_DIM_V, DIM_V)


def varlen_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    out: Tensor,
    lse: Tensor | None,
    **options: Any,
) -> None:
    """Launch the kernels of `paged_attention`; see `torchpaged.ops.reference.varlen_attention`.

    A key is a block of its own. The table has as many columns as the longest sequence may have keys, since no length is
    read on the host.
    """
    if query.shape[0] == 0 or key.shape[0] == 0 or cu_seqlens_q.shape[0] < 2:
        out.zero_()
        if lse is not None:
            lse.fill_(-torch.inf)
        return
    width = min(options["max_seqlen_k"] or key.shape[0], key.shape[0])
    starts = cu_seqlens_k[:-1]
    table = starts[:, None] + torch.arange(width, dtype=torch.int32, device=key.device)
    paged_attention.launch(
        query,
        key.unsqueeze(1),
        value.unsqueeze(1),
        table,
        cu_seqlens_k[1:] - starts,
        cu_seqlens_q,
        None,
        out,
        lse,
        {
            "scale": options["scale"],
            "causal": options["causal"],
            "sliding_window": options["sliding_window"],
            "softcap": options["softcap"],
            "alibi_slopes": options["alibi_slopes"],
            "sinks": options["sinks"],
            "tree_mask": None,
            "k_scale": None,
            "v_scale": None,
            "max_query_len": options["max_seqlen_q"],
            "num_splits": 0,
            "distance_bias": None,
            "score_mod": options.get("score_mod"),
            "mask_mod": options.get("mask_mod"),
        },
        reach=0 if options["causal"] else options["right_window"] + 1,
        mirrored=True,
    )


def varlen_attention_backward(
    grad_out: Tensor,
    grad_lse: Tensor | None,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    lse: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    grad_query: Tensor,
    grad_key: Tensor,
    grad_value: Tensor,
    grad_sinks: Tensor,
    **options: Any,
) -> None:
    """Launch both kernels; see `torchpaged.ops.reference.varlen_attention_backward`."""
    for each in (grad_query, grad_key, grad_value, grad_sinks):  # what is in no sequence, or sees nothing
        each.zero_()
    num_tokens, num_heads, head_dim = query.shape
    num_keys, kv_heads, head_dim_v = value.shape
    num_seqs = cu_seqlens_q.shape[0] - 1
    if not (num_tokens and num_keys and num_seqs):
        return
    slopes, sinks = options["alibi_slopes"], options["sinks"]
    reach = 0 if options["causal"] else options["right_window"] + 1
    dim, dim_v = common.power_of_two(head_dim), common.power_of_two(head_dim_v)
    block_m, block_n, warps = _blocks(max(dim, dim_v), query.element_size(), bool(common.amd(query.device)))
    delta = torch.zeros_like(lse)
    given = lse if slopes is None else slopes
    given_mods = {**options, "slope_mod": options.get("score_mod")}
    names = ("score_mod", "slope_mod", "mask_mod")
    mods = [score_mods.kernel_arguments(name, given_mods, cu_seqlens_q) for name in names]
    (score_mod, slope_mod, mask_mod), tables = zip(*mods, strict=True)
    if score_mod is not None or mask_mod is not None:  # for the registers that functions take
        block_m, block_n = max(16, block_m // 2), max(16, block_n // 2)
        warps = 4
    numbers = (
        *(options["scale"], options["softcap"], options["sliding_window"], reach, num_seqs, num_tokens, num_keys),
        0 if slopes is None or slopes.dim() == 1 else slopes.stride(0),
    )
    strides = (*grad_out.stride()[:2], *query.stride()[:2], *key.stride()[:2], *value.stride()[:2])
    shared: dict[str, Any] = {
        "NUM_HEADS": num_heads,
        "GROUP": num_heads // kv_heads,
        "HEAD_DIM": head_dim,
        "DIM": dim,
        "HEAD_DIM_V": head_dim_v,
        "DIM_V": dim_v,
        "CAUSAL": options["causal"],
        "WINDOW": options["sliding_window"] > 0,
        "REACH": reach > 0,
        "SOFTCAP": options["softcap"] > 0,
        "ALIBI": slopes is not None,
        "SCORE_MOD": score_mod,
        "SLOPE_MOD": slope_mod,
        "MASK_MOD": mask_mod,
        "PRECISION": paged_attention.PRECISION,
        "BLOCK_M": block_m,
        "BLOCK_N": block_n,
        "num_warps": warps,
        "num_stages": 1,
        "enable_fp_fusion": False,
    }
    starts = (cu_seqlens_q, cu_seqlens_k, given, *tables)
    _query_kernel[(num_tokens // block_m + num_seqs + 1, num_heads)](
        grad_query,
        delta,
        grad_out,
        lse if grad_lse is None else grad_lse,
        query,
        key,
        value,
        out,
        lse,
        *starts,
        *numbers,
        *strides,
        *out.stride()[:2],
        WITH_GRAD_LSE=grad_lse is not None,
        **shared,
    )
    _key_kernel[(num_keys // block_n + num_seqs + 1, kv_heads)](
        grad_key, grad_value, delta, grad_out, query, key, value, lse, *starts, *numbers, *strides, **shared
    )
    if sinks is not None:
        share = torch.exp(sinks.float() - lse).masked_fill(lse == -torch.inf, 0.0)
        grad_sinks.copy_(-(share * delta).sum(0))


def _blocks(dim: int, element_size: int, amd: bool) -> tuple[int, int, int]:
    """Return tokens and keys of a tile, and warps: what registers hold without spills on all devices.

    Products of float32 are not tensor cores' and keep their operands in registers.
    """
    if element_size > 2 or amd:
        side = 32 if dim <= 64 else 16
        return side, side, 8 if side > 16 else 4
    if dim > 128:
        side = 32 if dim <= 256 else 16
        return side, side, 8 if side > 16 else 4
    return (64 if dim <= 64 else 32), 64, 8

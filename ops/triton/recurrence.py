"""gated_delta_rule, mamba2_scan and linear_attention: a state that is a sum of decayed outer products.

A program takes one sequence, one head and a tile of the value's dimensions from the last boundary through its new
tokens, with the state in registers, in blocks of `ROWS` tokens that lie at fixed places of their chunk. Within a block
every result is a product with the state at its beginning and with the rows since. Rows of an earlier step come from the
tail and take the same path, so a row's bits do not depend on how its sequence was cut: decode, prefill and verification
are one routine, and one new token costs at most a block of padding.

A product takes three products of TF32, which have float32's precision except for the last bits; on AMD, which has none,
it takes one of float32. Gates are summed over exactly the tokens between two rows (see `_decays` of the reference): a
difference of sums would lose the small ones.
"""

from __future__ import annotations

import math
from typing import Any

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import power_of_two
from torchpaged.ops.triton.states import VARYING, clear, entry, rows_of, softplus

# Tokens in a block: the fewest that a product takes.
ROWS = 16
# The most warps of a program, each of which multiplies a part of a key's numbers, and the numbers of the state in each
# thread: more do not fit into the registers beside a product's operands (test_triton_compile.py).
WARPS = 8
NUMBERS = 16

# Kinds of gates: one for each head; for each token and head; for each token, head and channel; computed from dt.
FIXED = tl.constexpr(0)
HEAD = tl.constexpr(1)
CHANNEL = tl.constexpr(2)
TIME = tl.constexpr(3)


@triton.jit
def _parts(rows, PARTS: tl.constexpr):
    """Reshape [rows, K] to [PARTS, rows, K / PARTS]: each warp multiplies a part, so warps share no operands."""
    count: tl.constexpr = rows.shape[0]
    return tl.permute(tl.reshape(rows, [count, PARTS, rows.shape[1] // PARTS]), [1, 0, 2])


@triton.jit
def _pick(tile, index, at):
    """Return row `at` of a tile whose rows `index` numbers."""
    return tl.sum(tl.where((index == at)[:, None], tile, 0.0), axis=0)


@triton.jit
def _products_by_channel(query, key, gate, count, ROWS: tl.constexpr):
    """Return key_j . key_p and key_j . query_p, decayed from j to p, [j, p], for the first rows p and j <= p.

    Each of the key's numbers decays on its own, so the products are computed column by column, from the last row back,
    and `gone` grows by one row's gate at a time.
    """
    index = tl.arange(0, ROWS)
    with_key = tl.zeros([ROWS, ROWS], dtype=tl.float32)
    with_query = tl.zeros([ROWS, ROWS], dtype=tl.float32)
    gone = tl.zeros_like(key)
    for i in range(count):
        j = count - 1 - i
        left = tl.exp(gone) * _pick(key, index, j)[None, :]
        with_key = tl.where((index == j)[:, None], tl.sum(key * left, axis=1)[None, :], with_key)
        with_query = tl.where((index == j)[:, None], tl.sum(query * left, axis=1)[None, :], with_query)
        gone = tl.where((index >= j)[:, None], gone + _pick(gate, index, j)[None, :], 0.0)
    return with_key, with_query


@triton.jit
def _corrected(values, told, weights, begin, end, ROWS: tl.constexpr):
    """Compute the values that rows [begin, end) add, one after the other, from those of the rows before.

    Args:
        told: [ROWS, tile], the value that each row would add without the others.
        weights: [j, p], the share of row j's value to subtract from row p's.
    """
    index = tl.arange(0, ROWS)
    for p in range(begin, end):
        weight = tl.sum(tl.where((index == p)[None, :], weights, 0.0), axis=1)
        known = tl.sum(weight[:, None] * values, axis=0)
        values = tl.where((index == p)[:, None], told - known[None, :], values)
    return values


@triton.jit(do_not_specialize=VARYING)
def _recurrence_kernel(
    query_ptr,
    key_ptr,
    value_ptr,
    gate_ptr,
    beta_ptr,
    a_ptr,
    d_ptr,
    bias_ptr,
    state_ptr,
    tail_ptr,
    state_tables_ptr,
    tail_tables_ptr,
    lens_ptr,
    starts_ptr,
    out_ptr,
    num_seqs,
    num_tokens,
    num_slots,
    num_tails,
    states_wide,
    tails_wide,
    scale,
    dt_min,
    dt_max,
    stride_q_t,
    stride_q_h,
    stride_k_t,
    stride_k_h,
    stride_v_t,
    stride_v_h,
    stride_g_t,
    stride_g_h,
    stride_b_t,
    stride_s_slot,
    stride_s_head,
    stride_s_row,
    stride_t_slot,
    stride_t_row,
    stride_state_tables,
    stride_tail_tables,
    CHUNK: tl.constexpr,
    HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    DIM: tl.constexpr,
    DIM_V: tl.constexpr,
    K: tl.constexpr,
    V: tl.constexpr,
    PARTS: tl.constexpr,
    ROWS: tl.constexpr,
    PRECISION: tl.constexpr,  # of products
    GATE: tl.constexpr,
    DELTA: tl.constexpr,
    NORMALIZE: tl.constexpr,
    SKIP: tl.constexpr,
    BIAS: tl.constexpr,
    SOFTPLUS: tl.constexpr,
):
    TILES: tl.constexpr = (DIM_V + V - 1) // V
    tile = tl.program_id(0) % TILES
    head = tl.program_id(0) // TILES % HEADS
    sequence = tl.program_id(0) // (TILES * HEADS)
    key_head = head // GROUP
    index = tl.arange(0, ROWS)
    column = tl.arange(0, K)
    of_key = column < DIM
    place = tile * V + tl.arange(0, V)
    of_value = place < DIM_V
    VALUES: tl.constexpr = HEADS // GROUP * DIM  # where a tail's row has the values, and the gates
    GATES: tl.constexpr = VALUES + HEADS * DIM_V
    begin, end, first, length = rows_of(sequence, lens_ptr, starts_ptr, num_seqs, num_tokens)
    out_ptr += head * DIM_V
    clear(out_ptr, begin, end - (length - first), HEADS * DIM_V, place, of_value, ROWS)

    chunk = first // CHUNK
    goes_on = (first < length) & (chunk > 0)
    slot = entry(
        state_tables_ptr, stride_state_tables, sequence, tl.where(goes_on, chunk - 1, -1), states_wide, num_slots
    )
    PART: tl.constexpr = K // PARTS
    in_part = (tl.arange(0, PARTS) * PART)[:, None, None] + tl.arange(0, PART)[None, :, None]
    both = (in_part < DIM) & of_value[None, None, :]
    in_state = head * stride_s_head + in_part * stride_s_row + place[None, None, :]
    state = tl.load(state_ptr + slot * stride_s_slot + in_state, mask=both & goes_on, other=0.0)

    BLOCKS: tl.constexpr = (CHUNK + ROWS - 1) // ROWS
    last = (length - 1) // CHUNK
    count = (last - chunk) * BLOCKS + tl.cdiv(length - last * CHUNK, ROWS)
    for i in range(tl.where(first < length, count, 0)):
        k = chunk + i // BLOCKS
        row = i % BLOCKS * ROWS + index  # in its chunk
        position = k * CHUNK + row
        block = k * CHUNK + i % BLOCKS * ROWS
        block_end = tl.minimum(block + ROWS, (k + 1) * CHUNK)
        is_old = position < first
        is_new = (position >= first) & (position < length) & (row < CHUNK)
        token = (end - length + position).to(tl.int64)
        slot = entry(tail_tables_ptr, stride_tail_tables, sequence, k, tails_wide, num_tails)
        tail = tail_ptr + slot * stride_t_slot + row * stride_t_row
        keeps = is_new & (slot != 0)

        new_keys = is_new[:, None] & of_key[None, :]
        rows = key_ptr + key_head.to(tl.int64) * stride_k_h + token * stride_k_t
        key = tl.load(rows[:, None] + column[None, :], mask=new_keys, other=0.0).to(tl.float32)
        if NORMALIZE:
            key *= tl.rsqrt(tl.sum(key * key, axis=1) + 1e-6)[:, None]
        at = (tail + key_head * DIM)[:, None] + column[None, :]
        tl.store(at, key, mask=keeps[:, None] & of_key[None, :] & (head % GROUP == 0) & (tile == 0))
        old_key = tl.load(at, mask=is_old[:, None] & of_key[None, :], other=0.0)
        key = tl.where(is_old[:, None], old_key, key)

        rows = value_ptr + head.to(tl.int64) * stride_v_h + token * stride_v_t
        new_values = is_new[:, None] & of_value[None, :]
        value = tl.load(rows[:, None] + place[None, :], mask=new_values, other=0.0)
        value = value.to(tl.float32)
        at = (tail + VALUES + head * DIM_V)[:, None] + place[None, :]
        values = tl.load(at, mask=is_old[:, None] & of_value[None, :], other=0.0)

        if GATE == FIXED:
            gate = tl.where(is_old | is_new, tl.load(a_ptr + head), 0.0)
        elif GATE == CHANNEL:
            rows = gate_ptr + head.to(tl.int64) * stride_g_h + token * stride_g_t
            gate = tl.load(rows[:, None] + column[None, :], mask=new_keys, other=0.0)
            target = (tail + GATES + head * DIM)[:, None] + column[None, :]
            tl.store(target, gate, mask=keeps[:, None] & of_key[None, :] & (tile == 0))
            old_gate = tl.load(target, mask=is_old[:, None] & of_key[None, :], other=0.0)
            gate = tl.where(is_old[:, None], old_gate, gate)
        else:
            rows = gate_ptr + head.to(tl.int64) * stride_g_h + token * stride_g_t
            gate = tl.load(rows, mask=is_new, other=0.0).to(tl.float32)
            if GATE == TIME:
                if BIAS:
                    gate += tl.load(bias_ptr + head).to(tl.float32)
                if SOFTPLUS:
                    gate = softplus(gate)
                time = tl.minimum(tl.maximum(gate, dt_min), dt_max)
                new_value = time[:, None] * value
                gate = tl.where(is_new, time * tl.load(a_ptr + head), 0.0)
            target = tail + GATES + head
            tl.store(target, gate, mask=keeps & (tile == 0))
            gate = tl.where(is_old, tl.load(target, mask=is_old, other=0.0), gate)

        if block_end > first:
            of_query = query_ptr + key_head.to(tl.int64) * stride_q_h + token * stride_q_t
            query = tl.load(of_query[:, None] + column[None, :], mask=new_keys, other=0.0)
            query = query.to(tl.float32)
            if NORMALIZE:
                query *= tl.rsqrt(tl.sum(query * query, axis=1) + 1e-6)[:, None]
            if GATE == CHANNEL:
                up_to = (index[:, None] >= index[None, :]).to(tl.float32)
                from_start = tl.exp(tl.dot(up_to, gate, input_precision=PRECISION))
                with_key, with_query = _products_by_channel(
                    query, key, gate, tl.minimum(block_end, length) - block, ROWS
                )
            else:
                # [j, p]: the gates of the rows after j up to p.
                between = tl.where(index[:, None] < index[None, :], gate[None, :], 0.0)
                left = tl.exp(tl.cumsum(between, axis=1))
                from_start = tl.exp(tl.cumsum(gate, axis=0))[:, None]
                keys = _parts(key, PARTS)
                with_query = left * tl.sum(
                    tl.dot(keys, tl.permute(_parts(query, PARTS), [0, 2, 1]), input_precision=PRECISION), axis=0
                )
                with_key = left
                if DELTA:
                    with_key *= tl.sum(tl.dot(keys, tl.permute(keys, [0, 2, 1]), input_precision=PRECISION), axis=0)
            if DELTA:
                beta = tl.load(beta_ptr + head + token * stride_b_t, mask=is_new, other=0.0).to(tl.float32)
                held = tl.sum(tl.dot(_parts(key * from_start, PARTS), state, input_precision=PRECISION), axis=0)
                told = beta[:, None] * (value - held)
                weights = tl.where(index[:, None] < index[None, :], with_key * beta[None, :], 0.0)
                begin_row = tl.maximum(first - block, 0)
                end_row = tl.minimum(block_end, length) - block
                values = _corrected(values, told, weights, begin_row, end_row, ROWS)
            elif GATE == TIME:
                values = tl.where(is_old[:, None], values, new_value)
            else:
                values = tl.where(is_old[:, None], values, value)
            tl.store(at, values, mask=keeps[:, None] & of_value[None, :])
            with_query = tl.where(index[:, None] <= index[None, :], with_query, 0.0)
            result = tl.sum(tl.dot(_parts(query * from_start, PARTS), state, input_precision=PRECISION), axis=0)
            result += tl.dot(tl.trans(with_query), values, input_precision=PRECISION)
            result *= scale
            if SKIP:
                result += tl.load(d_ptr + head).to(tl.float32) * value
            results = (out_ptr + token * (HEADS * DIM_V))[:, None] + place[None, :]
            tl.store(results, result.to(out_ptr.dtype.element_ty), mask=new_values)

        # An incomplete last block needs no new state, but a branch around this would cost registers.
        if GATE == CHANNEL:
            after = (index[:, None] < index[None, :]).to(tl.float32)
            to_end = tl.exp(tl.dot(after, gate, input_precision=PRECISION))
        else:
            to_end = tl.exp(tl.sum(tl.where(index[:, None] < index[None, :], gate[None, :], 0.0), axis=1))[:, None]
        whole = tl.exp(tl.sum(gate, axis=0))
        if GATE == CHANNEL:
            whole = tl.reshape(whole, [PARTS, PART, 1])
        added = tl.broadcast_to(values[None, :, :], [PARTS, ROWS, V])
        state = state * whole + tl.dot(
            tl.permute(_parts(key * to_end, PARTS), [0, 2, 1]), added, input_precision=PRECISION
        )
        if (block_end == (k + 1) * CHUNK) & (block_end <= length):
            slot = entry(state_tables_ptr, stride_state_tables, sequence, k, states_wide, num_slots)
            tl.store(state_ptr + slot * stride_s_slot + in_state, state, mask=both & (slot != 0))


def _launch(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gate: Tensor | None,
    caches: tuple[Tensor, ...],
    out: Tensor,
    *,
    scale: float,
    kind: tl.constexpr,
    beta: Tensor | None = None,
    a: Tensor | None = None,
    d: Tensor | None = None,
    dt_bias: Tensor | None = None,
    dt_min: float = 0.0,
    dt_max: float | None = None,
    normalize: bool = False,
    dt_softplus: bool = False,
) -> None:
    """Launch the kernel over [num_tokens, heads, size] rows.

    Args:
        gate: gates, or times; None where `a` has one gate for each head.
        caches: state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc.
    """
    state_cache, tail_cache, state_tables, tail_tables, seq_lens, _ = caches
    num_tokens, heads, dim_v = value.shape
    key_heads, dim = key.shape[1:]
    if num_tokens == 0:
        return
    k = power_of_two(dim)
    num_warps = min(WARPS, max(4, k // 16))
    amd = common.amd(query.device)
    numbers = NUMBERS // 2 if common.is_rdna(amd) else NUMBERS
    v = min(power_of_two(dim_v), 64, max(16, num_warps * 32 * numbers // k))
    options: dict[str, Any] = {
        "GATE": kind.value,
        "DELTA": beta is not None,
        "NORMALIZE": normalize,
        "SKIP": d is not None,
        "BIAS": dt_bias is not None,
        "SOFTPLUS": dt_softplus,
    }
    _recurrence_kernel[(seq_lens.shape[0] + 1) * heads * triton.cdiv(dim_v, v),](
        query,
        key,
        value,
        value if gate is None else gate,
        value if beta is None else beta,
        value if a is None else a,
        value if d is None else d,
        value if dt_bias is None else dt_bias,
        *caches,
        out,
        seq_lens.shape[0],
        num_tokens,
        state_cache.shape[0],
        tail_cache.shape[0],
        state_tables.shape[1],
        tail_tables.shape[1],
        scale,
        dt_min,
        math.inf if dt_max is None else dt_max,
        *query.stride()[:2],
        *key.stride()[:2],
        *value.stride()[:2],
        *((0, 0) if gate is None else gate.stride()[:2]),
        0 if beta is None else beta.stride(0),
        *state_cache.stride()[:3],
        *tail_cache.stride()[:2],
        state_tables.stride(0),
        tail_tables.stride(0),
        CHUNK=tail_cache.shape[1],
        HEADS=heads,
        GROUP=heads // key_heads,
        DIM=dim,
        DIM_V=dim_v,
        K=k,
        V=v,
        PARTS=min(WARPS, k // 16),
        ROWS=ROWS,
        PRECISION="ieee" if amd else "tf32x3",
        num_warps=num_warps,
        **common.checked(),
        num_stages=1,
        **options,
    )


def gated_delta_rule(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gate: Tensor,
    beta: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    scale: float | None,
    normalize: bool,
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.gated_delta_rule`."""
    _launch(
        query,
        key,
        value,
        gate,
        (state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc),
        out,
        scale=key.shape[2] ** -0.5 if scale is None else scale,
        kind=CHANNEL if gate.dim() == 3 else HEAD,
        beta=beta,
        normalize=normalize,
    )


def mamba2_scan(
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    d: Tensor | None,
    dt_bias: Tensor | None,
    dt_softplus: bool,
    dt_min: float,
    dt_max: float | None,
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.mamba2_scan`."""
    _launch(
        c,
        b,
        x,
        dt,
        (state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc),
        out,
        scale=1.0,
        kind=TIME,
        a=a,
        d=d,
        dt_bias=dt_bias,
        dt_min=dt_min,
        dt_max=dt_max,
        dt_softplus=dt_softplus,
    )


def linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    scale: float | None,
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.linear_attention`."""
    _launch(
        query,
        key,
        value,
        None,
        (state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc),
        out,
        scale=1.0 if scale is None else scale,
        kind=FIXED,
        a=decay,
    )

"""selective_scan: a program takes one sequence and some channels through the rows since the boundary, one by one.

The next row is loaded before the current one is computed, since a row's numbers depend on no state.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton.common import checked
from torchpaged.ops.triton.states import VARYING, clear, entry, rows_of, softplus

# Numbers of the state, and most channels, that one program holds.
NUMBERS = 2048
CHANNELS = 128


@triton.jit
def _brought(rows, token, stride, mask):
    """Load one token's inputs; `rows` points at those of token 0."""
    return tl.load(rows + token.to(tl.int64) * stride, mask=mask, other=0.0).to(tl.float32)


@triton.jit
def _advance(state, a, time, value, b):
    return tl.exp(time[:, None] * a) * state + value[:, None] * b[None, :]


@triton.jit(do_not_specialize=VARYING)
def _selective_kernel(
    x_ptr,
    dt_ptr,
    a_ptr,
    b_ptr,
    c_ptr,
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
    channels,
    stride_x,
    stride_dt,
    stride_a,
    stride_b,
    stride_c,
    stride_s_slot,
    stride_s_channel,
    stride_t_slot,
    stride_t_row,
    stride_state_tables,
    stride_tail_tables,
    CHUNK: tl.constexpr,
    STATE: tl.constexpr,
    CHANNELS: tl.constexpr,
    NUMBERS: tl.constexpr,
    SKIP: tl.constexpr,
    BIAS: tl.constexpr,
    SOFTPLUS: tl.constexpr,
):
    tiles = tl.cdiv(channels, CHANNELS)
    sequence = tl.program_id(0) // tiles
    tile = tl.program_id(0) % tiles
    channel = tile * CHANNELS + tl.arange(0, CHANNELS)
    valid = channel < channels
    number = tl.arange(0, NUMBERS)
    in_state = number < STATE
    both = valid[:, None] & in_state[None, :]
    begin, end, first, length = rows_of(sequence, lens_ptr, starts_ptr, num_seqs, num_tokens)
    clear(out_ptr, begin, end - (length - first), channels, channel, valid, 1)

    chunk = first // CHUNK
    boundary = tl.where(first < length, chunk * CHUNK, 0)
    place = channel[:, None].to(tl.int64) * stride_s_channel + number[None, :]
    k = tl.where(boundary > 0, chunk - 1, -1)
    slot = entry(state_tables_ptr, stride_state_tables, sequence, k, states_wide, num_slots)
    state = tl.load(state_ptr + slot * stride_s_slot + place, mask=both & (boundary > 0), other=0.0)
    a = tl.load(a_ptr + channel[:, None].to(tl.int64) * stride_a + number[None, :], mask=both, other=0.0)
    d = tl.zeros([CHANNELS], dtype=tl.float32)
    if SKIP:
        d = tl.load(d_ptr + channel, mask=valid, other=0.0).to(tl.float32)
    bias = tl.zeros([CHANNELS], dtype=tl.float32)
    if BIAS:
        bias = tl.load(bias_ptr + channel, mask=valid, other=0.0).to(tl.float32)

    old = tl.where(first < length, first % CHUNK, 0)
    k = tl.where(old > 0, chunk, -1)
    slot = entry(tail_tables_ptr, stride_tail_tables, sequence, k, tails_wide, num_tails)
    row = tail_ptr + slot * stride_t_slot
    for _ in range(old):
        time = tl.load(row + channel, mask=valid, other=0.0)
        value = tl.load(row + channels + channel, mask=valid, other=0.0)
        b = tl.load(row + 2 * channels + number, mask=in_state, other=0.0)
        state = _advance(state, a, time, value, b)
        row += stride_t_row

    x_ptr += channel
    dt_ptr += channel
    b_ptr += number
    c_ptr += number
    token = end - length + first
    x = _brought(x_ptr, token, stride_x, valid & (first < length))
    dt = _brought(dt_ptr, token, stride_dt, valid & (first < length))
    b = _brought(b_ptr, token, stride_b, in_state & (first < length))
    c = _brought(c_ptr, token, stride_c, in_state & (first < length))
    for position in range(first, length):
        more = position + 1 < length
        next_x = _brought(x_ptr, token + 1, stride_x, valid & more)
        next_dt = _brought(dt_ptr, token + 1, stride_dt, valid & more)
        next_b = _brought(b_ptr, token + 1, stride_b, in_state & more)
        next_c = _brought(c_ptr, token + 1, stride_c, in_state & more)
        time = dt + bias
        if SOFTPLUS:
            time = softplus(time)
        value = time * x
        state = _advance(state, a, time, value, b)
        result = tl.sum(state * c[None, :], axis=1) + d * x
        target = out_ptr + token.to(tl.int64) * channels + channel
        tl.store(target, result.to(out_ptr.dtype.element_ty), mask=valid)
        k = position // CHUNK
        slot = entry(tail_tables_ptr, stride_tail_tables, sequence, k, tails_wide, num_tails)
        row = tail_ptr + slot * stride_t_slot + (position % CHUNK) * stride_t_row
        tl.store(row + channel, time, mask=valid & (slot != 0))
        tl.store(row + channels + channel, value, mask=valid & (slot != 0))
        tl.store(row + 2 * channels + number, b, mask=in_state & (slot != 0) & (tile == 0))
        if (position + 1) % CHUNK == 0:
            slot = entry(state_tables_ptr, stride_state_tables, sequence, k, states_wide, num_slots)
            tl.store(state_ptr + slot * stride_s_slot + place, state, mask=both & (slot != 0))
        x, dt, b, c = next_x, next_dt, next_b, next_c
        token += 1


def selective_scan(
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
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.selective_scan`."""
    num_tokens, channels = x.shape
    if num_tokens == 0:
        return
    numbers = triton.next_power_of_2(a.shape[1])
    tile = min(max(1, NUMBERS // numbers), CHANNELS, triton.next_power_of_2(channels))
    _selective_kernel[(seq_lens.shape[0] + 1) * triton.cdiv(channels, tile),](
        x,
        dt,
        a,
        b,
        c,
        x if d is None else d,
        x if dt_bias is None else dt_bias,
        state_cache,
        tail_cache,
        state_tables,
        tail_tables,
        seq_lens,
        query_start_loc,
        out,
        seq_lens.shape[0],
        num_tokens,
        state_cache.shape[0],
        tail_cache.shape[0],
        state_tables.shape[1],
        tail_tables.shape[1],
        channels,
        x.stride(0),
        dt.stride(0),
        a.stride(0),
        b.stride(0),
        c.stride(0),
        *state_cache.stride()[:2],
        *tail_cache.stride()[:2],
        state_tables.stride(0),
        tail_tables.stride(0),
        CHUNK=tail_cache.shape[1],
        STATE=a.shape[1],
        CHANNELS=tile,
        NUMBERS=numbers,
        SKIP=d is not None,
        BIAS=dt_bias is not None,
        SOFTPLUS=dt_softplus,
        num_warps=4,
        **checked(),
    )

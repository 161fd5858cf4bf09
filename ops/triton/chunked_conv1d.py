"""chunked_conv1d: a program takes one row of the packed tokens, and stores its state and tail where the tables say.

One launch reads and writes: what it reads lies before this step's tokens, what it writes does not.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton.common import checked, find_sequence
from torchpaged.ops.triton.states import VARYING, entry, rows_of

# Channels that one program works on.
TILE = 512


@triton.jit(do_not_specialize=VARYING)
def _chunked_convolution_kernel(
    x_ptr,
    weight_ptr,
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
    stride_w_c,
    stride_w_k,
    stride_b,
    stride_s_slot,
    stride_s_row,
    stride_t_slot,
    stride_t_row,
    stride_state_tables,
    stride_tail_tables,
    CHUNK: tl.constexpr,
    CHANNELS: tl.constexpr,
    WIDTH: tl.constexpr,
    BIAS: tl.constexpr,
    SILU: tl.constexpr,
):
    token = tl.program_id(0)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    valid = channel < channels
    sequence = tl.maximum(find_sequence(starts_ptr, num_seqs, token, 0), 0)
    begin, end, first, length = rows_of(sequence, lens_ptr, starts_ptr, num_seqs, num_tokens)
    position = token - end + length
    known = (token >= begin) & (token < end) & (position >= first)
    chunk = first // CHUNK
    boundary = chunk * CHUNK  # the last one at or before this step's first token
    # Padding has no row in a table: nothing is looked up there.
    read = tl.where(known, chunk, -1)
    read_state = entry(state_tables_ptr, stride_state_tables, sequence, read - 1, states_wide, num_slots)
    read_tail = entry(tail_tables_ptr, stride_tail_tables, sequence, read, tails_wide, num_tails)
    kept = tl.where(known, position // CHUNK, -1)
    kept_state = entry(state_tables_ptr, stride_state_tables, sequence, kept, states_wide, num_slots)
    kept_tail = entry(tail_tables_ptr, stride_tail_tables, sequence, kept, tails_wide, num_tails)
    ends = known & ((position + 1) % CHUNK == 0)
    kept_rows = state_ptr + kept_state * stride_s_slot + channel
    total = tl.zeros([CHANNELS], dtype=tl.float32)
    if BIAS:
        total += tl.load(bias_ptr + channel * stride_b, mask=valid, other=0.0).to(tl.float32)
    for k in tl.static_range(WIDTH):
        at = position - (WIDTH - 1 - k)
        there = valid & known & (at >= 0)
        source = x_ptr + (token - (WIDTH - 1 - k)).to(tl.int64) * stride_x
        row = tl.load(source + channel, mask=there & (at >= first), other=0.0)
        if k < WIDTH - 1:  # the last is the token itself
            source = tail_ptr + read_tail * stride_t_slot + tl.maximum(at - boundary, 0) * stride_t_row
            old = tl.load(source + channel, mask=there & (at >= boundary) & (at < first), other=0.0)
            source = state_ptr + read_state * stride_s_slot + (at - boundary + WIDTH - 1) * stride_s_row
            oldest = tl.load(source + channel, mask=there & (at < boundary), other=0.0)
            row = tl.where(at >= first, row, tl.where(at >= boundary, old, oldest))
        if k > 0:
            tl.store(kept_rows + (k - 1) * stride_s_row, row, mask=valid & ends & (kept_state != 0))
        weight = tl.load(weight_ptr + channel * stride_w_c + k * stride_w_k, mask=there, other=0.0)
        total += row.to(tl.float32) * weight.to(tl.float32)
        if k == WIDTH - 1:
            place = tail_ptr + kept_tail * stride_t_slot + (tl.maximum(position, 0) % CHUNK) * stride_t_row
            tl.store(place + channel, row, mask=there & (kept_tail != 0))
    if SILU:
        total = total / (1.0 + tl.exp(-total))
    total = tl.where(known, total, 0.0)
    tl.store(out_ptr + token.to(tl.int64) * channels + channel, total.to(out_ptr.dtype.element_ty), mask=valid)


def chunked_conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    silu: bool,
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.chunked_conv1d`."""
    num_tokens, channels = x.shape
    if num_tokens == 0 or channels == 0:
        return
    tile = min(TILE, max(32, triton.next_power_of_2(channels)))
    _chunked_convolution_kernel[num_tokens, triton.cdiv(channels, tile)](
        x,
        weight,
        weight if bias is None else bias,
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
        *weight.stride(),
        0 if bias is None else bias.stride(0),
        *state_cache.stride()[:2],
        *tail_cache.stride()[:2],
        state_tables.stride(0),
        tail_tables.stride(0),
        CHUNK=tail_cache.shape[1],
        CHANNELS=tile,
        WIDTH=weight.shape[1],
        BIAS=bias is not None,
        SILU=silu,
        num_warps=max(1, tile // 128),
        **checked(),
    )

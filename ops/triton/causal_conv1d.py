"""causal_conv1d: this step's rows are written into their slots, then each result is computed from cached rows.

There are two launches for each cache tensor. All rows of a tensor are written before any is read, since a sequence may
read what another one of the same step has written.
"""

from __future__ import annotations

from collections.abc import Sequence

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import find_sequence

# Channels that one program works on.
TILE = 512


@triton.jit(do_not_specialize=("num_slots",))
def _rows_kernel(
    x_ptr,
    cache_ptr,
    slots_ptr,
    num_slots,
    channels,
    stride_x,
    stride_c_b,
    stride_c_t,
    stride_c_h,
    stride_slots,
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    CHANNELS: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots_ptr + token * stride_slots)
    tl.device_assert(slot < num_slots, "causal_conv1d: slot_mapping has a slot that is not in the caches")
    if (slot >= 0) & (slot < num_slots):
        channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
        valid = channel < channels
        row = tl.load(x_ptr + token * stride_x + channel, mask=valid, other=0.0)
        place = cache_ptr + (slot // BLOCK_SIZE) * stride_c_b + (slot % BLOCK_SIZE) * stride_c_t
        tl.store(place + (channel // HEAD_DIM).to(tl.int64) * stride_c_h + channel % HEAD_DIM, row, mask=valid)


@triton.jit(do_not_specialize=("num_seqs", "num_blocks", "max_blocks"))
def _convolution_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    cache_ptr,
    tables_ptr,
    lens_ptr,
    starts_ptr,
    out_ptr,
    num_seqs,
    num_blocks,
    max_blocks,
    channels,
    stride_x,
    stride_w_c,
    stride_w_k,
    stride_b,
    stride_c_b,
    stride_c_t,
    stride_c_h,
    stride_t,
    stride_o,
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    CHANNELS: tl.constexpr,
    WIDTH: tl.constexpr,
    BIAS: tl.constexpr,
    SILU: tl.constexpr,
):
    token = tl.program_id(0)
    channel = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS)
    valid = channel < channels
    sequence = find_sequence(starts_ptr, num_seqs, token, 0)
    known = (sequence >= 0) & (sequence < num_seqs)
    sequence = tl.where(known, sequence, 0)
    length = tl.load(lens_ptr + sequence, mask=known, other=0)
    begin = tl.load(starts_ptr + sequence, mask=known, other=0)
    end = tl.load(starts_ptr + sequence + 1, mask=known, other=0)
    first = length - (end - begin)  # the position of this step's first row
    position = first + token - begin
    known = known & (length > 0) & (position >= 0)
    total = tl.zeros([CHANNELS], dtype=tl.float32)
    if BIAS:
        total += tl.load(bias_ptr + channel * stride_b, mask=valid, other=0.0).to(tl.float32)
    head_place = (channel // HEAD_DIM).to(tl.int64) * stride_c_h + channel % HEAD_DIM
    for k in tl.static_range(WIDTH):
        at = position - (WIDTH - 1 - k)
        there = known & (at >= 0)
        is_new = at >= first
        source = x_ptr + (token - (WIDTH - 1 - k)).to(tl.int64) * stride_x
        new = tl.load(source + channel, mask=valid & there & is_new, other=0.0).to(tl.float32)
        is_old = there & (at < first)
        logical = tl.minimum(tl.maximum(at, 0) // BLOCK_SIZE, max_blocks - 1)
        entry = tables_ptr + sequence.to(tl.int64) * stride_t + logical
        in_table = tl.maximum(at, 0) // BLOCK_SIZE < max_blocks
        tl.device_assert(in_table, "causal_conv1d: seq_lens has a length beyond block_tables", mask=is_old)
        block = tl.load(entry, mask=is_old, other=0).to(tl.int64)
        in_pool = (block >= 0) & (block < num_blocks)
        tl.device_assert(in_pool, "causal_conv1d: block_tables has a block that is not in the caches", mask=is_old)
        block = tl.minimum(tl.maximum(block, 0), num_blocks - 1)
        place = cache_ptr + block * stride_c_b + (tl.maximum(at, 0) % BLOCK_SIZE) * stride_c_t
        old = tl.load(place + head_place, mask=valid & is_old, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + channel * stride_w_c + k * stride_w_k, mask=valid & there, other=0.0)
        total += tl.where(is_new, new, old) * weight.to(tl.float32)
    if SILU:
        total = total / (1.0 + tl.exp(-total))
    total = tl.where(known, total, 0.0)
    target = out_ptr + token.to(tl.int64) * stride_o + channel
    tl.store(target, total.to(out_ptr.dtype.element_ty), mask=valid)


def causal_conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    caches: Sequence[Tensor],
    slot_mapping: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    silu: bool,
) -> None:
    """Launch the kernels; see `torchpaged.ops.reference.causal_conv1d`.

    Slots below 0 and, since the device cannot raise, slots past the cache are skipped.
    """
    num_tokens, num_channels = x.shape
    if num_tokens == 0 or num_channels == 0:
        return
    num_blocks, block_size = caches[0].shape[:2]
    first = 0
    for cache in caches:
        head_dim = cache.shape[3]
        channels = min(cache.shape[2] * head_dim, num_channels - first)
        if channels <= 0:
            return
        tile = min(TILE, max(32, triton.next_power_of_2(channels)))
        grid = (num_tokens, triton.cdiv(channels, tile))
        part = slice(first, first + channels)
        sizes = {"BLOCK_SIZE": block_size, "HEAD_DIM": head_dim, "CHANNELS": tile, "num_warps": max(1, tile // 128)}
        sizes |= common.checked()
        _rows_kernel[grid](
            x[:, part],
            cache,
            slot_mapping,
            num_blocks * block_size,
            channels,
            x.stride(0),
            *cache.stride()[:3],
            slot_mapping.stride(0),
            **sizes,
        )
        _convolution_kernel[grid](
            x[:, part],
            weight[part],
            weight if bias is None else bias[part],
            cache,
            block_tables,
            seq_lens,
            query_start_loc,
            out[:, part],
            seq_lens.shape[0],
            num_blocks,
            block_tables.shape[1],
            channels,
            x.stride(0),
            *weight.stride(),
            0 if bias is None else bias.stride(0),
            *cache.stride()[:3],
            block_tables.stride(0),
            out.stride(0),
            **sizes,
            WIDTH=weight.shape[1],
            BIAS=bias is not None,
            SILU=silu,
        )
        first += channels

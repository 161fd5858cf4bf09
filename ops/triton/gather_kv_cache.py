"""gather_kv_cache: a paged cache as contiguous keys and values, dequantised."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import NO_SCALE, PLAIN, SCALE_PER_TOKEN, decode

# Elements of one head that a program moves.
TILE = 4096


@triton.jit
def _gather(
    cache_ptr,
    scale_ptr,
    out_ptr,
    place,
    out_row,
    valid,
    in_output,
    scale_place,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    KIND: tl.constexpr,
    NATIVE_FLOAT8: tl.constexpr,
    SCALE: tl.constexpr,
):
    dim = tl.arange(0, DIM)
    columns = (dim < HEAD_DIM)[None, :]
    rows = tl.load(cache_ptr + place[:, None] + dim[None, :], mask=valid[:, None] & columns, other=0)
    if KIND != PLAIN:
        rows = decode(rows, KIND, NATIVE_FLOAT8, tl.float32)
        if SCALE == SCALE_PER_TOKEN:
            rows = rows * tl.load(scale_ptr + scale_place, mask=valid, other=0.0)[:, None]
        elif SCALE != NO_SCALE:
            rows = rows * tl.load(scale_ptr)
    tl.store(out_ptr + out_row[:, None] + dim[None, :], rows, mask=in_output[:, None] & columns)


@triton.jit(do_not_specialize=("max_tokens", "num_blocks", "max_blocks", "stride_table"))
def _gather_kernel(
    key_ptr,
    value_ptr,
    key_cache_ptr,
    value_cache_ptr,
    table_ptr,
    lens_ptr,
    k_scale_ptr,
    v_scale_ptr,
    max_tokens,
    num_blocks,
    max_blocks,
    stride_table,
    stride_k_b,
    stride_k_t,
    stride_k_h,
    stride_v_b,
    stride_v_t,
    stride_v_h,
    stride_ks_b,
    stride_ks_t,
    stride_ks_h,
    stride_vs_b,
    stride_vs_t,
    stride_vs_h,
    stride_ko_s,
    stride_ko_t,
    stride_ko_h,
    stride_vo_s,
    stride_vo_t,
    stride_vo_h,
    BLOCK_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V: tl.constexpr,
    KIND: tl.constexpr,
    NATIVE_FLOAT8: tl.constexpr,
    K_SCALE: tl.constexpr,
    V_SCALE: tl.constexpr,
    TOKENS: tl.constexpr,
):
    """Gather TOKENS positions of one sequence and KV head."""
    position = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    seq = tl.program_id(1).to(tl.int64)
    head = tl.program_id(2).to(tl.int64)
    in_output = position < max_tokens
    seq_len = tl.load(lens_ptr + seq)
    room = max_blocks.to(tl.int64) * BLOCK_SIZE
    tl.device_assert(seq_len <= room, "gather_kv_cache: seq_lens has a length beyond block_tables")
    valid = in_output & (position < tl.minimum(seq_len, room))
    logical = tl.minimum(position // BLOCK_SIZE, max_blocks - 1)
    block = tl.load(table_ptr + seq * stride_table + logical, mask=valid, other=0)
    there = (block >= 0) & (block < num_blocks)
    tl.device_assert(there, "gather_kv_cache: block_tables has a block that is not in the cache", mask=valid)
    block = tl.minimum(tl.maximum(block, 0), num_blocks - 1).to(tl.int64)
    offset = (position % BLOCK_SIZE).to(tl.int64)
    position = position.to(tl.int64)
    _gather(
        key_cache_ptr + head * stride_k_h,
        k_scale_ptr + head * stride_ks_h,
        key_ptr,
        block * stride_k_b + offset * stride_k_t,
        seq * stride_ko_s + position * stride_ko_t + head * stride_ko_h,
        valid,
        in_output,
        block * stride_ks_b + offset * stride_ks_t,
        HEAD_DIM,
        DIM,
        KIND,
        NATIVE_FLOAT8,
        K_SCALE,
    )
    _gather(
        value_cache_ptr + head * stride_v_h,
        v_scale_ptr + head * stride_vs_h,
        value_ptr,
        block * stride_v_b + offset * stride_v_t,
        seq * stride_vo_s + position * stride_vo_t + head * stride_vo_h,
        valid,
        in_output,
        block * stride_vs_b + offset * stride_vs_t,
        HEAD_DIM_V,
        DIM_V,
        KIND,
        NATIVE_FLOAT8,
        V_SCALE,
    )


def gather_kv_cache(
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.gather_kv_cache`."""
    num_seqs, max_tokens, kv_heads, head_dim = key.shape
    head_dim_v = value.shape[3]
    if num_seqs == 0 or max_tokens == 0:
        return
    dim, dim_v = common.power_of_two(head_dim), common.power_of_two(head_dim_v)
    tokens = max(1, TILE // max(dim, dim_v))
    keys, values = common.raw(key_cache), common.raw(value_cache)
    k_in, k_scaled, k_strides = common.scale_arguments(k_scale, seq_lens)
    v_in, v_scaled, v_strides = common.scale_arguments(v_scale, seq_lens)
    _gather_kernel[(triton.cdiv(max_tokens, tokens), num_seqs, kv_heads)](
        key,
        value,
        keys,
        values,
        block_tables,
        seq_lens,
        k_in,
        v_in,
        max_tokens,
        key_cache.shape[0],
        block_tables.shape[1],
        block_tables.stride(0),
        *keys.stride()[:3],
        *values.stride()[:3],
        *k_strides,
        *v_strides,
        *key.stride()[:3],
        *value.stride()[:3],
        BLOCK_SIZE=key_cache.shape[1],
        HEAD_DIM=head_dim,
        DIM=dim,
        HEAD_DIM_V=head_dim_v,
        DIM_V=dim_v,
        KIND=common.kind(key_cache),
        NATIVE_FLOAT8=common.native_float8(key_cache.device),
        K_SCALE=k_scaled,
        V_SCALE=v_scaled,
        TOKENS=tokens,
        num_warps=4,
        **common.checked(),
    )

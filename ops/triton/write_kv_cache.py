"""write_kv_cache: new keys and values are written into their slots, quantised if the cache is."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import NO_SCALE, PLAIN, SCALE_PER_TOKEN, encode

# Elements of a token's keys (or values) that one program moves.
TILE = 4096

# Bytes that one thread reads or writes at once.
ACCESS = 16


@triton.jit
def store_rows(
    rows,
    cache_ptr,
    scale_ptr,
    block,
    offset,
    head,
    head_valid,
    stride_c_b,
    stride_c_t,
    stride_c_h,
    stride_x_b,
    stride_x_t,
    stride_x_h,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    KIND: tl.constexpr,
    SCALE: tl.constexpr,
    LARGEST: tl.constexpr,
):
    """Store one token's rows [heads, DIM] in its slot; with SCALE_PER_TOKEN the scales are computed here and stored."""
    dim = tl.arange(0, DIM)
    valid = head_valid[:, None] & (dim < HEAD_DIM)[None, :]
    if KIND != PLAIN:
        rows = rows.to(tl.float32)
        scale_place = scale_ptr + head * stride_x_h
        if SCALE == SCALE_PER_TOKEN:
            scale = tl.div_rn(tl.max(tl.abs(rows), axis=1), LARGEST)
            scale = tl.where(scale > 0.0, scale, 1.0)
            tl.store(scale_place + block * stride_x_b + offset * stride_x_t, scale, mask=head_valid)
            rows = tl.div_rn(rows, tl.broadcast_to(scale[:, None], rows.shape))
        elif SCALE != NO_SCALE:
            scale = tl.load(scale_place, mask=head_valid, other=1.0)
            rows = tl.div_rn(rows, tl.broadcast_to(scale[:, None], rows.shape))
        rows = encode(rows, KIND)
    target = cache_ptr + block * stride_c_b + offset * stride_c_t + head * stride_c_h
    tl.store(target[:, None] + dim[None, :], rows, mask=valid)


@triton.jit
def write_rows(
    source_ptr,
    cache_ptr,
    scale_ptr,
    block,
    offset,
    head,
    head_valid,
    stride_s_h,
    stride_c_b,
    stride_c_t,
    stride_c_h,
    stride_x_b,
    stride_x_t,
    stride_x_h,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    KIND: tl.constexpr,
    SCALE: tl.constexpr,
    LARGEST: tl.constexpr,
):
    """Load one token's rows of these heads and store them in its slot."""
    dim = tl.arange(0, DIM)
    valid = head_valid[:, None] & (dim < HEAD_DIM)[None, :]
    rows = tl.load(source_ptr + head[:, None] * stride_s_h + dim[None, :], mask=valid, other=0.0)
    store_rows(
        rows, cache_ptr, scale_ptr, block, offset, head, head_valid, stride_c_b, stride_c_t, stride_c_h,
        stride_x_b, stride_x_t, stride_x_h, HEAD_DIM, DIM, KIND, SCALE, LARGEST,
    )  # fmt: skip


@triton.jit(do_not_specialize=("num_slots",))
def _write_kernel(
    key_ptr,
    value_ptr,
    key_cache_ptr,
    value_cache_ptr,
    k_scale_ptr,
    v_scale_ptr,
    slots_ptr,
    num_slots,
    stride_k_t,
    stride_k_h,
    stride_v_t,
    stride_v_h,
    stride_kc_b,
    stride_kc_t,
    stride_kc_h,
    stride_vc_b,
    stride_vc_t,
    stride_vc_h,
    stride_ks_b,
    stride_ks_t,
    stride_ks_h,
    stride_vs_b,
    stride_vs_t,
    stride_vs_h,
    stride_slots,
    BLOCK_SIZE: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V: tl.constexpr,
    KIND: tl.constexpr,
    K_SCALE: tl.constexpr,
    V_SCALE: tl.constexpr,
    LARGEST: tl.constexpr,
):
    """Write HEADS of one token's KV heads."""
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots_ptr + token * stride_slots)
    tl.device_assert(slot < num_slots, "write_kv_cache: slot_mapping has a slot that is not in the cache")
    if (slot < 0) | (slot >= num_slots):  # padding, or out of bounds
        return
    head = (tl.program_id(1) * HEADS + tl.arange(0, HEADS)).to(tl.int64)
    head_valid = head < KV_HEADS
    block = slot // BLOCK_SIZE
    offset = slot % BLOCK_SIZE
    write_rows(
        key_ptr + token * stride_k_t,
        key_cache_ptr,
        k_scale_ptr,
        block,
        offset,
        head,
        head_valid,
        stride_k_h,
        stride_kc_b,
        stride_kc_t,
        stride_kc_h,
        stride_ks_b,
        stride_ks_t,
        stride_ks_h,
        HEAD_DIM,
        DIM,
        KIND,
        K_SCALE,
        LARGEST,
    )
    write_rows(
        value_ptr + token * stride_v_t,
        value_cache_ptr,
        v_scale_ptr,
        block,
        offset,
        head,
        head_valid,
        stride_v_h,
        stride_vc_b,
        stride_vc_t,
        stride_vc_h,
        stride_vs_b,
        stride_vs_t,
        stride_vs_h,
        HEAD_DIM_V,
        DIM_V,
        KIND,
        V_SCALE,
        LARGEST,
    )


def write_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
    k_scale_cache: Tensor | None,
    v_scale_cache: Tensor | None,
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.write_kv_cache`.

    Slots below 0 and, since the device cannot raise, slots past the cache are skipped.
    """
    num_tokens, kv_heads, head_dim = key.shape
    head_dim_v = value.shape[2]
    if num_tokens == 0:
        return
    dim, dim_v = common.power_of_two(head_dim), common.power_of_two(head_dim_v)
    heads = min(triton.next_power_of_2(kv_heads), max(1, TILE // max(dim, dim_v)))
    # The most threads that leave each one a whole access on the narrower side.
    access = ACCESS // min(key.element_size(), key_cache.element_size())
    num_warps = min(8, max(1, heads * min(dim, dim_v) // (access * 32)))
    kind = common.kind(key_cache)
    keys, values = common.raw(key_cache), common.raw(value_cache)
    k_in, k_scaled, k_strides = common.scale_arguments(
        k_scale if k_scale_cache is None else k_scale_cache, slot_mapping
    )
    v_in, v_scaled, v_strides = common.scale_arguments(
        v_scale if v_scale_cache is None else v_scale_cache, slot_mapping
    )
    _write_kernel[(num_tokens, triton.cdiv(kv_heads, heads))](
        key,
        value,
        keys,
        values,
        k_in,
        v_in,
        slot_mapping,
        key_cache.shape[0] * key_cache.shape[1],
        *key.stride()[:2],
        *value.stride()[:2],
        *keys.stride()[:3],
        *values.stride()[:3],
        *k_strides,
        *v_strides,
        slot_mapping.stride(0),
        BLOCK_SIZE=key_cache.shape[1],
        KV_HEADS=kv_heads,
        HEADS=heads,
        HEAD_DIM=head_dim,
        DIM=dim,
        HEAD_DIM_V=head_dim_v,
        DIM_V=dim_v,
        KIND=kind,
        K_SCALE=k_scaled,
        V_SCALE=v_scaled,
        LARGEST=common.largest(key_cache.dtype) if kind else 1.0,
        num_warps=num_warps,
        **common.checked(),
    )

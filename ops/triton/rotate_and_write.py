"""rotate_and_write_kv_cache: norm, rotation and cache write of a layer's heads, in one launch."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import wait_for_inputs
from torchpaged.ops.triton.write_kv_cache import ACCESS, TILE, store_rows, write_rows


@triton.jit
def _rotated(
    x_ptr,
    weight_ptr,
    cos_ptr,
    sin_ptr,
    eps,
    head,
    head_valid,
    stride_x_h,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    ROTARY_DIM: tl.constexpr,
    NORM: tl.constexpr,
):
    """Return one token's rows of these heads, normed and rotated, in float32."""
    dim = tl.arange(0, DIM)
    HALF: tl.constexpr = ROTARY_DIM // 2
    partner = tl.where(dim < HALF, dim + HALF, tl.where(dim < ROTARY_DIM, dim - HALF, dim))
    in_head, turned = dim < HEAD_DIM, dim < ROTARY_DIM
    valid = head_valid[:, None] & in_head[None, :]
    row = x_ptr + head[:, None] * stride_x_h
    x = tl.load(row + dim[None, :], mask=valid, other=0.0).to(tl.float32)
    other = tl.load(row + partner[None, :], mask=valid, other=0.0).to(tl.float32)
    if NORM:
        factor = 1.0 / tl.sqrt_rn(tl.sum(x * x, axis=1) / HEAD_DIM + eps)
        weight = tl.load(weight_ptr + dim, mask=in_head, other=0.0).to(tl.float32)
        x = x * factor[:, None] * weight[None, :]
        weight = tl.load(weight_ptr + partner, mask=in_head, other=0.0).to(tl.float32)
        other = other * factor[:, None] * weight[None, :]
    cos = tl.load(cos_ptr + dim, mask=turned, other=1.0).to(tl.float32)
    sin = tl.load(sin_ptr + dim, mask=turned, other=0.0).to(tl.float32)
    return x * cos[None, :] + tl.where(dim < HALF, -other, other) * sin[None, :]


@triton.jit(do_not_specialize=("num_slots",))
def _rotate_and_write_kernel(
    out_ptr,
    query_ptr,
    key_ptr,
    value_ptr,
    cos_ptr,
    sin_ptr,
    query_weight_ptr,
    key_weight_ptr,
    key_cache_ptr,
    value_cache_ptr,
    k_scale_ptr,
    v_scale_ptr,
    slots_ptr,
    num_slots,
    eps,
    stride_out_t,
    stride_out_h,
    stride_q_t,
    stride_q_h,
    stride_k_t,
    stride_k_h,
    stride_v_t,
    stride_v_h,
    stride_cos,
    stride_sin,
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
    QUERY_HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEADS: tl.constexpr,  # of a program
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    HEAD_DIM_V: tl.constexpr,
    DIM_V: tl.constexpr,
    ROTARY_DIM: tl.constexpr,
    QUERY_NORM: tl.constexpr,
    KEY_NORM: tl.constexpr,
    KIND: tl.constexpr,
    K_SCALE: tl.constexpr,
    V_SCALE: tl.constexpr,
    LARGEST: tl.constexpr,
    PDL: tl.constexpr,
):
    """Rotate HEADS query heads of a token, or rotate and write HEADS of its KV heads."""
    wait_for_inputs(PDL)
    QUERY_PARTS: tl.constexpr = (QUERY_HEADS + HEADS - 1) // HEADS
    token = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    cos_row, sin_row = cos_ptr + token * stride_cos, sin_ptr + token * stride_sin
    if part < QUERY_PARTS:
        head = (part * HEADS + tl.arange(0, HEADS)).to(tl.int64)
        there = head < QUERY_HEADS
        rows = _rotated(
            query_ptr + token * stride_q_t, query_weight_ptr, cos_row, sin_row, eps, head, there, stride_q_h,
            HEAD_DIM, DIM, ROTARY_DIM, QUERY_NORM,
        )  # fmt: skip
        dim = tl.arange(0, DIM)
        target = out_ptr + token * stride_out_t + head[:, None] * stride_out_h + dim[None, :]
        tl.store(target, rows.to(out_ptr.dtype.element_ty), mask=there[:, None] & (dim < HEAD_DIM)[None, :])
    else:
        slot = tl.load(slots_ptr + token * stride_slots)
        tl.device_assert(slot < num_slots, "rotate_and_write_kv_cache: slot_mapping has a slot that is not there")
        if (slot >= 0) & (slot < num_slots):  # others are padding, or out of bounds
            head = ((part - QUERY_PARTS) * HEADS + tl.arange(0, HEADS)).to(tl.int64)
            there = head < KV_HEADS
            rows = _rotated(
                key_ptr + token * stride_k_t, key_weight_ptr, cos_row, sin_row, eps, head, there, stride_k_h,
                HEAD_DIM, DIM, ROTARY_DIM, KEY_NORM,
            )  # fmt: skip
            rows = rows.to(key_ptr.dtype.element_ty)  # rounded as a rotated key is, and then quantised
            block, offset = slot // BLOCK_SIZE, slot % BLOCK_SIZE
            store_rows(
                rows, key_cache_ptr, k_scale_ptr, block, offset, head, there, stride_kc_b, stride_kc_t, stride_kc_h,
                stride_ks_b, stride_ks_t, stride_ks_h, HEAD_DIM, DIM, KIND, K_SCALE, LARGEST,
            )  # fmt: skip
            write_rows(
                value_ptr + token * stride_v_t, value_cache_ptr, v_scale_ptr, block, offset, head, there, stride_v_h,
                stride_vc_b, stride_vc_t, stride_vc_h, stride_vs_b, stride_vs_t, stride_vs_h,
                HEAD_DIM_V, DIM_V, KIND, V_SCALE, LARGEST,
            )  # fmt: skip


def rotate_and_write_kv_cache(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cos: Tensor,
    sin: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    out: Tensor,
    query_weight: Tensor | None = None,
    key_weight: Tensor | None = None,
    eps: float = 0.0,
    k_scale_cache: Tensor | None = None,
    v_scale_cache: Tensor | None = None,
) -> None:
    """Launch the kernel; see `torchpaged.ops.fused.rotate_and_write_kv_cache`.

    Args:
        cos, sin: [num_tokens or 1, 1, rotary_dim], the last dimension contiguous.
        out: as query.
    """
    num_tokens, query_heads, head_dim = query.shape
    kv_heads, head_dim_v = value.shape[1:]
    if num_tokens == 0:
        return
    dim, dim_v = common.power_of_two(head_dim), common.power_of_two(head_dim_v)
    heads = min(triton.next_power_of_2(kv_heads), max(1, TILE // max(dim, dim_v)))
    num_warps = min(8, max(1, heads * min(dim, dim_v) // (ACCESS // query.element_size() * 32)))
    kind = common.kind(key_cache)
    keys, values = common.raw(key_cache), common.raw(value_cache)
    k_in, k_scaled, k_strides = common.scale_arguments(k_scale_cache, slot_mapping)
    v_in, v_scaled, v_strides = common.scale_arguments(v_scale_cache, slot_mapping)
    _rotate_and_write_kernel[(num_tokens, triton.cdiv(query_heads, heads) + triton.cdiv(kv_heads, heads))](
        out,
        query,
        key,
        value,
        cos,
        sin,
        query if query_weight is None else query_weight.contiguous(),
        key if key_weight is None else key_weight.contiguous(),
        keys,
        values,
        k_in,
        v_in,
        slot_mapping,
        key_cache.shape[0] * key_cache.shape[1],
        eps,
        *out.stride()[:2],
        *query.stride()[:2],
        *key.stride()[:2],
        *value.stride()[:2],
        *(each.stride(0) if each.shape[0] > 1 else 0 for each in (cos, sin)),
        *keys.stride()[:3],
        *values.stride()[:3],
        *k_strides,
        *v_strides,
        slot_mapping.stride(0),
        BLOCK_SIZE=key_cache.shape[1],
        QUERY_HEADS=query_heads,
        KV_HEADS=kv_heads,
        HEADS=heads,
        HEAD_DIM=head_dim,
        DIM=dim,
        HEAD_DIM_V=head_dim_v,
        DIM_V=dim_v,
        ROTARY_DIM=cos.shape[-1],
        QUERY_NORM=query_weight is not None,
        KEY_NORM=key_weight is not None,
        KIND=kind,
        K_SCALE=k_scaled,
        V_SCALE=v_scaled,
        LARGEST=common.largest(key_cache.dtype) if kind else 1.0,
        num_warps=num_warps,
        **common.dependent_launch(query.device),
        **common.checked(),
    )

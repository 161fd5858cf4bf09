"""merge_attention_states: attention over the union of two disjoint sets of keys from the results over each."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

# Output elements of one program.
TILE = 2048


@triton.jit(do_not_specialize=("num_rows",))
def _merge_states_kernel(
    out_ptr,
    lse_ptr,
    out_a_ptr,
    lse_a_ptr,
    out_b_ptr,
    lse_b_ptr,
    num_rows,
    stride_o_t,
    stride_o_h,
    stride_l_t,
    stride_l_h,
    stride_oa_t,
    stride_oa_h,
    stride_la_t,
    stride_la_h,
    stride_ob_t,
    stride_ob_h,
    stride_lb_t,
    stride_lb_h,
    NUM_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIM: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Merge ROWS pairs of token and head, by FlashDecoding's reduction."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    valid = row < num_rows
    token = row // NUM_HEADS
    head = row % NUM_HEADS
    a = tl.load(lse_a_ptr + token * stride_la_t + head * stride_la_h, mask=valid, other=float("-inf"))
    b = tl.load(lse_b_ptr + token * stride_lb_t + head * stride_lb_h, mask=valid, other=float("-inf"))
    a = tl.where(a == float("inf"), float("-inf"), a)
    b = tl.where(b == float("inf"), float("-inf"), b)
    top = tl.maximum(a, b)
    top = tl.where(top == float("-inf"), 0.0, top)
    weight_a = tl.exp(a - top)
    weight_b = tl.exp(b - top)
    total = weight_a + weight_b
    empty = total == 0.0
    divisor = tl.where(empty, 1.0, total)
    share_a = (weight_a / divisor)[:, None]
    share_b = (weight_b / divisor)[:, None]

    dim = tl.arange(0, DIM)[None, :]
    inside = valid[:, None] & (dim < HEAD_DIM)
    # A side that saw nothing may hold NaN and is not read.
    from_a = tl.load(
        out_a_ptr + (token * stride_oa_t + head * stride_oa_h)[:, None] + dim,
        mask=inside & (share_a != 0.0),
        other=0.0,
    )
    from_b = tl.load(
        out_b_ptr + (token * stride_ob_t + head * stride_ob_h)[:, None] + dim,
        mask=inside & (share_b != 0.0),
        other=0.0,
    )
    merged = from_a.to(tl.float32) * share_a + from_b.to(tl.float32) * share_b
    target = out_ptr + (token * stride_o_t + head * stride_o_h)[:, None] + dim
    tl.store(target, merged.to(out_ptr.dtype.element_ty), mask=inside)
    lse = tl.where(empty, float("-inf"), top + tl.log(divisor))
    tl.store(lse_ptr + token * stride_l_t + head * stride_l_h, lse, mask=valid)


def merge_attention_states(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor, out: Tensor, lse: Tensor
) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.merge_attention_states`."""
    num_tokens, num_heads, head_dim = out.shape
    num_rows = num_tokens * num_heads
    if num_rows == 0:
        return
    dim = triton.next_power_of_2(head_dim)
    rows = max(1, TILE // dim)
    _merge_states_kernel[(triton.cdiv(num_rows, rows),)](
        out,
        lse,
        out_a,
        lse_a,
        out_b,
        lse_b,
        num_rows,
        *out.stride()[:2],
        *lse.stride(),
        *out_a.stride()[:2],
        *lse_a.stride(),
        *out_b.stride()[:2],
        *lse_b.stride(),
        NUM_HEADS=num_heads,
        HEAD_DIM=head_dim,
        DIM=dim,
        ROWS=rows,
        num_warps=4,
    )

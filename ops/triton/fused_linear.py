"""Products of few rows with the norm before them and the gate or the sum behind them, in one launch.

A decode step's products wait for their weights, and every launch between two of them waits for the one before and is
waited for. Here the norm is computed beside the product: rows are multiplied by the norm's weight on their way to the
tensor cores, their squares are summed up meanwhile, and the product is divided by the root at the end. So x * weight is
rounded where the operators apart round x / root * weight: as many roundings, of the same size, at other places. The
float16's range does not hold x * weight of every model, so its rows are normed by a launch of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.batch_invariant import FEW_ROWS, Tiles, fitting, tiles
from torchpaged.ops.triton.common import wait_for_inputs
from torchpaged.ops.triton.pointwise import GATES, NO_GATE, gated

# Weights that one launch multiplies with.
MOST_WEIGHTS = 3


@triton.jit(do_not_specialize=("num_rows",))
def _fused_linear_kernel(
    out_ptr,
    x_ptr,
    weight_ptr,
    weight_1_ptr,
    weight_2_ptr,
    bias_ptr,
    bias_1_ptr,
    bias_2_ptr,
    norm_ptr,
    residual_ptr,
    num_rows,
    num_outputs,
    num_outputs_1,
    num_outputs_2,
    inner,
    eps,
    stride_out_m,
    stride_x_m,
    stride_w_k,
    stride_w_n,
    stride_residual_m,
    COUNT: tl.constexpr,  # weights whose results lie side by side; with a gate there are two, and one result
    BIAS: tl.constexpr,
    NORM: tl.constexpr,
    GATE: tl.constexpr,
    RESIDUAL: tl.constexpr,
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,  # inner is a multiple of INNER
    PDL: tl.constexpr,
):
    """Compute a tile of rows and outputs; neighbouring programs share the rows."""
    wait_for_inputs(PDL)
    count = tl.cdiv(num_outputs, OUTPUTS)
    tiles_of_outputs = count
    if GATE == NO_GATE:
        if COUNT > 1:
            tiles_of_outputs += tl.cdiv(num_outputs_1, OUTPUTS)
        if COUNT > 2:
            tiles_of_outputs += tl.cdiv(num_outputs_2, OUTPUTS)
    tile_of_rows, tile = tl.program_id(0) // tiles_of_outputs, tl.program_id(0) % tiles_of_outputs
    column = 0  # of the result, where this weight's outputs begin
    if GATE == NO_GATE and COUNT > 1:
        both = count + tl.cdiv(num_outputs_1, OUTPUTS)
        if tile >= both:  # never with two weights
            tile, column, num_outputs = tile - both, num_outputs + num_outputs_1, num_outputs_2
            weight_ptr, bias_ptr = weight_2_ptr, bias_2_ptr
        elif tile >= count:
            tile, column, num_outputs = tile - count, num_outputs, num_outputs_1
            weight_ptr, bias_ptr = weight_1_ptr, bias_1_ptr
    row = (tile_of_rows * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    output = (tile * OUTPUTS + tl.arange(0, OUTPUTS)).to(tl.int64)
    total = tl.zeros((ROWS, OUTPUTS), dtype=tl.float32)
    second = tl.zeros((ROWS, OUTPUTS), dtype=tl.float32)
    squares = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, inner, INNER):
        place = start + tl.arange(0, INNER)
        x_mask, w_mask = (row < num_rows)[:, None], (output < num_outputs)[:, None]
        if not EVEN:
            x_mask = x_mask & (place < inner)[None, :]
            w_mask = w_mask & (place < inner)[None, :]
        x = tl.load(x_ptr + row[:, None] * stride_x_m + place[None, :], mask=x_mask, other=0.0)
        at = tl.full((), start, tl.int64) * stride_w_k + output[:, None] * stride_w_n
        at += tl.arange(0, INNER)[None, :] * stride_w_k
        w = tl.load(weight_ptr + at, mask=w_mask, other=0.0)
        if NORM:
            wide = x.to(tl.float32)
            squares += tl.sum(wide * wide, axis=1)
            scale = tl.load(norm_ptr + place, mask=place < inner, other=0.0).to(tl.float32)
            x = (wide * scale[None, :]).to(x.dtype)
        total = tl.dot(x, tl.trans(w), total, input_precision="ieee")
        if GATE != NO_GATE:
            w = tl.load(weight_1_ptr + at, mask=w_mask, other=0.0)
            second = tl.dot(x, tl.trans(w), second, input_precision="ieee")
    DTYPE: tl.constexpr = out_ptr.dtype.element_ty
    valid = output < num_outputs
    if NORM:
        factor = 1.0 / tl.sqrt_rn(squares / inner + eps)
        total = total * factor[:, None]
        second = second * factor[:, None]
    if BIAS:
        total += tl.load(bias_ptr + output, mask=valid, other=0.0).to(tl.float32)[None, :]
    mask = (row < num_rows)[:, None] & valid[None, :]
    if GATE != NO_GATE:
        if BIAS:
            second += tl.load(bias_1_ptr + output, mask=valid, other=0.0).to(tl.float32)[None, :]
        total = gated(total.to(DTYPE).to(tl.float32), second.to(DTYPE).to(tl.float32), GATE)
    if RESIDUAL:
        before = residual_ptr + row[:, None] * stride_residual_m + (column + output)[None, :]
        total = total.to(DTYPE).to(tl.float32) + tl.load(before, mask=mask, other=0.0).to(tl.float32)
    place_out = out_ptr + row[:, None] * stride_out_m + (column + output)[None, :]
    tl.store(place_out, total.to(DTYPE), mask=mask)


def fits(x: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor | None], norm_weight: Tensor | None) -> bool:
    """Return whether one launch can do it: few rows, like weights [K, N], all with a bias or none, enough range."""
    first = weights[0]
    return (
        len(weights) <= MOST_WEIGHTS
        and 0 < x.shape[0] <= FEW_ROWS
        and x.shape[1] % 16 == 0
        and x.shape[1] > 0
        and len({bias is None for bias in biases}) == 1
        and (norm_weight is None or x.dtype != torch.float16)
        and all(each.dtype == x.dtype and each.stride() == first.stride() and each.shape[1] for each in weights)
    )


def chosen_tiles(x: Tensor, outputs: int, *, pairs: bool, norm: bool) -> Tiles:
    """Return the sizes of a launch.

    Args:
        pairs: each program reads tiles of two weights.
        norm: rows pass through registers, next to the sums, and registers hold fewer of them.
    """
    own = tiles(x.dtype, x.shape[0], outputs * (1 + pairs), x.shape[1])
    if norm:
        most = 128 if common.capability(x.device)[0] in (9, 10) else 64
        inner = min(own.inner, most)
        own = replace(own, inner=inner, num_stages=own.num_stages * own.inner // inner)
    own = fitting(own, x.device)
    return replace(own, outputs=own.outputs // 2) if pairs and own.outputs > 16 else own


def fused_linear(
    x: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor | None],
    norm_weight: Tensor | None,
    eps: float,
    gate: str,
    residual: Tensor | None,
    out: Tensor,
) -> None:
    """Launch the kernel, for arguments that `fits` accepts.

    Args:
        x: [num_rows, K], the last dimension contiguous.
        weights: one to three [K, N]; with a gate two.
        biases: [N] of each, or None of each.
        norm_weight: [K] of the `rms_norm` of x; None: none.
        gate: a key of `pointwise.GATES`.
        residual: [num_rows, N of all], added to the rounded result, or None.
        out: [num_rows, N of all], or [num_rows, N] with a gate; the last dimension contiguous.
    """
    (num_rows, inner), kind = x.shape, GATES[gate]
    widths = [each.shape[1] for each in weights]
    outputs = widths[0] if kind else sum(widths)
    own = chosen_tiles(x, outputs, pairs=bool(kind), norm=norm_weight is not None)
    each = [*range(len(weights)), 0, 0][:3]  # what is not there is not read
    blocks = sum(triton.cdiv(width, own.outputs) for width in (widths[:1] if kind else widths))
    _fused_linear_kernel[(triton.cdiv(num_rows, own.rows) * blocks,)](
        out,
        x,
        *(weights[i] for i in each),
        *(x if (bias := biases[i]) is None else bias.contiguous() for i in each),
        x if norm_weight is None else norm_weight.contiguous(),
        x if residual is None else residual,
        num_rows,
        *(widths[i] for i in each),
        inner,
        eps,
        out.stride(0),
        x.stride(0),
        *weights[0].stride(),
        0 if residual is None else residual.stride(0),
        COUNT=len(weights),
        BIAS=biases[0] is not None,
        NORM=norm_weight is not None,
        GATE=kind,
        RESIDUAL=residual is not None,
        ROWS=own.rows,
        OUTPUTS=own.outputs,
        INNER=own.inner,
        EVEN=inner % own.inner == 0,
        num_warps=own.num_warps,
        num_stages=own.num_stages,
        **common.dependent_launch(x.device),
        **common.checked(),
    )

"""Products and sums of rows whose bits depend on neither the number of rows nor a row's place among them.

A product of two matrices takes one kind of tensor-core instruction for any number of rows, with the weight as its first
operand, and sums along K in one order: spans of K, which depend on the weight's shape alone, from their first number to
their last, then the spans in ascending order. For few rows each span is a program of its own, and a second launch adds
them up; for many rows one program goes through all spans.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common

# Programs that keep the memory busy.
PROGRAMS = 128
# Rows up to which each span is a program of its own.
FEW_ROWS = 64
SUM_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Tiles:
    """Sizes of a launch: outputs, rows and numbers of K in a tile, warps, stages of loads. No choice changes a bit."""

    outputs: int
    rows: int
    inner: int
    num_warps: int
    num_stages: int
    weight_first: bool = False  # the tensor cores' first operand, of which they take 64 rows


# FMA of float32, whose operands are in registers; tensor cores for many rows.
FLOAT32 = Tiles(32, 32, 32, 4, 2)
MANY = Tiles(128, 128, 64, 8, 4)


def tiles(dtype: torch.dtype, num_rows: int, outputs: int) -> Tiles:
    """Return the sizes for a number of rows and outputs.

    Few rows wait for the weight, which should come from all multiprocessors at once: small tiles of outputs, and at
    least 64 rows all the same, for the instruction that many rows take.
    """
    if dtype == torch.float32:
        return FLOAT32
    if num_rows > FEW_ROWS:
        return MANY
    if outputs <= 32 * PROGRAMS:
        return Tiles(16, 64, 128, 4, 6)
    return Tiles(32, 64, 128, 4, 4) if outputs <= 128 * PROGRAMS else Tiles(64, 64, 128, 4, 3)


def spans(outputs: int, inner: int, dtype: torch.dtype) -> int:
    """Return into how many spans K is cut, by the weight's shape alone."""
    return 1


@triton.jit
def _span(
    weight_ptr,
    x_ptr,
    output,
    row,
    begin,
    span,
    inner,
    num_outputs,
    num_rows,
    stride_w_n,
    stride_w_k,
    stride_x_m,
    OUTPUTS: tl.constexpr,
    ROWS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,  # inner is a multiple of INNER
    WEIGHT_FIRST: tl.constexpr,
):
    """Return the products over one span of K, which is a multiple of INNER: [ROWS, OUTPUTS], or its transpose."""
    total = tl.zeros((OUTPUTS, ROWS) if WEIGHT_FIRST else (ROWS, OUTPUTS), dtype=tl.float32)
    for start in range(begin, tl.minimum(begin + span, inner), INNER):
        place = start + tl.arange(0, INNER)
        w_mask = (output < num_outputs)[:, None]
        x_mask = (row < num_rows)[:, None]
        if not EVEN:
            w_mask = w_mask & (place < inner)[None, :]
            x_mask = x_mask & (place < inner)[None, :]
        w = tl.load(weight_ptr + output[:, None] * stride_w_n + place[None, :] * stride_w_k, mask=w_mask, other=0.0)
        x = tl.load(x_ptr + row[:, None] * stride_x_m + place[None, :], mask=x_mask, other=0.0)
        if WEIGHT_FIRST:
            total = tl.dot(w, tl.trans(x), total, input_precision="ieee")
        else:
            total = tl.dot(x, tl.trans(w), total, input_precision="ieee")
    return total


@triton.jit(do_not_specialize=("num_rows",))
def _matmul_kernel(
    out_ptr,  # [num_rows, num_outputs], or float32 [num_spans, num_rows, num_outputs] where each span is a program
    weight_ptr,
    x_ptr,
    bias_ptr,
    num_rows,
    num_outputs,
    inner,
    stride_w_n,
    stride_w_k,
    stride_x_m,
    stride_bias,
    span,
    NUM_SPANS: tl.constexpr,
    TOGETHER: tl.constexpr,  # one program goes through all spans
    BIAS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    ROWS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,
    WEIGHT_FIRST: tl.constexpr,
    GROUP: tl.constexpr,  # tiles of outputs whose programs are neighbours, so that they share rows in the L2
):
    tiles_of_rows = tl.cdiv(num_rows, ROWS)
    tiles_of_outputs = tl.cdiv(num_outputs, OUTPUTS)
    place = tl.program_id(0)
    first = place // (GROUP * tiles_of_rows) * GROUP
    width = tl.minimum(tiles_of_outputs - first, GROUP)
    within = place % (GROUP * tiles_of_rows)
    output = ((first + within % width) * OUTPUTS + tl.arange(0, OUTPUTS)).to(tl.int64)
    row = (within // width * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    if WEIGHT_FIRST:
        place_of_row, place_of_output = row[None, :], output[:, None]
    else:
        place_of_row, place_of_output = row[:, None], output[None, :]
    if TOGETHER:
        total = tl.zeros((OUTPUTS, ROWS) if WEIGHT_FIRST else (ROWS, OUTPUTS), dtype=tl.float32)
        for i in tl.static_range(NUM_SPANS):
            part = _span(
                weight_ptr, x_ptr, output, row, i * span, span, inner, num_outputs, num_rows,
                stride_w_n, stride_w_k, stride_x_m, OUTPUTS, ROWS, INNER, EVEN, WEIGHT_FIRST,
            )  # fmt: skip
            total = part if i == 0 else total + part
        target = out_ptr + place_of_row * num_outputs + place_of_output
        if BIAS:
            there = place_of_output < num_outputs
            total += tl.load(bias_ptr + place_of_output * stride_bias, mask=there, other=0.0).to(tl.float32)
    else:
        i = tl.program_id(1)
        total = _span(
            weight_ptr, x_ptr, output, row, i * span, span, inner, num_outputs, num_rows,
            stride_w_n, stride_w_k, stride_x_m, OUTPUTS, ROWS, INNER, EVEN, WEIGHT_FIRST,
        )  # fmt: skip
        target = out_ptr + (i.to(tl.int64) * num_rows + place_of_row) * num_outputs + place_of_output
    mask = (place_of_row < num_rows) & (place_of_output < num_outputs)
    tl.store(target, total.to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit(do_not_specialize=("num_rows",))
def _add_spans_kernel(
    out_ptr, parts_ptr, bias_ptr, num_rows, num_outputs, stride_bias,
    NUM_SPANS: tl.constexpr, BIAS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Add up the spans of a row in their order, as one program that goes through all of them does."""
    row = tl.program_id(0).to(tl.int64)
    output = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = output < num_outputs
    parts = parts_ptr + row * num_outputs + output
    total = tl.load(parts, mask=mask, other=0.0)
    for i in tl.static_range(1, NUM_SPANS):
        total += tl.load(parts + i * num_rows.to(tl.int64) * num_outputs, mask=mask, other=0.0)
    if BIAS:
        total += tl.load(bias_ptr + output * stride_bias, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * num_outputs + output, total.to(out_ptr.dtype.element_ty), mask=mask)


def matmul(x: Tensor, weight: Tensor, bias: Tensor | None, out: Tensor, chosen: Tiles | None = None) -> None:
    """Write x [num_rows, K] times weight [K, N] plus bias [N] to `out` [num_rows, N], which is contiguous.

    Args:
        x: the last dimension contiguous, unless K is 1.
        weight: any strides.
        chosen: sizes other than those of `tiles`, to measure with.
    """
    (num_rows, inner), num_outputs = x.shape, weight.shape[1]
    if num_rows == 0 or num_outputs == 0:
        return
    if inner == 0:
        out.copy_(0 if bias is None else bias)
        return
    own = chosen or tiles(x.dtype, num_rows, num_outputs)
    num_spans = spans(num_outputs, inner, x.dtype)
    span = triton.cdiv(triton.cdiv(inner, num_spans), 128) * 128
    together = num_spans == 1 or own.rows > FEW_ROWS
    parts = out
    if not together:
        parts = torch.empty((num_spans, num_rows, num_outputs), dtype=torch.float32, device=x.device)
    given, stride_bias = (x, 0) if bias is None else (bias, bias.stride(0))
    grid = (triton.cdiv(num_rows, own.rows) * triton.cdiv(num_outputs, own.outputs), 1 if together else num_spans)
    _matmul_kernel[grid](
        parts,
        weight,
        x,
        given,
        num_rows,
        num_outputs,
        inner,
        weight.stride(1),
        weight.stride(0),
        x.stride(0),
        stride_bias,
        span,
        NUM_SPANS=num_spans,
        TOGETHER=together,
        BIAS=bias is not None,
        OUTPUTS=own.outputs,
        ROWS=own.rows,
        INNER=own.inner,
        EVEN=inner % own.inner == 0,
        WEIGHT_FIRST=own.weight_first,
        GROUP=8,
        num_warps=own.num_warps,
        num_stages=own.num_stages,
        **common.checked(),
    )
    if not together:
        block = 512
        _add_spans_kernel[(num_rows, triton.cdiv(num_outputs, block))](
            out,
            parts,
            given,
            num_rows,
            num_outputs,
            stride_bias,
            NUM_SPANS=num_spans,
            BIAS=bias is not None,
            BLOCK=block,
            num_warps=4,
            **common.checked(),
        )


@triton.jit
def _row_sum_kernel(out_ptr, x_ptr, count, stride_x, BLOCK: tl.constexpr):
    """Sum a row: each of BLOCK places over the row's blocks, then the places."""
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=out_ptr.dtype.element_ty)
    for first in range(0, count, BLOCK):
        place = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * stride_x + place, mask=place < count, other=0.0).to(total.dtype)
    tl.store(out_ptr + row, tl.sum(total, axis=0))


def row_sum(x: Tensor, out: Tensor) -> None:
    """Write the sums of x [num_rows, count], whose rows are contiguous, to `out` [num_rows], in out's dtype."""
    if x.shape[0]:
        _row_sum_kernel[(x.shape[0],)](out, x, x.shape[1], x.stride(0), BLOCK=SUM_BLOCK, num_warps=4)

"""Products and sums of rows whose bits depend on neither the number of rows nor a row's place among them.

A product of two matrices takes one kind of tensor-core instruction for any number of rows, with rows as its first
operand, and sums along K from the first number to the last. The sizes of tiles change no bit: they follow the number of
rows and of outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common

# Programs that keep the multiprocessors of a large device busy.
PROGRAMS = 132
# Rows up to which a product waits for the weight.
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


# FMA of float32, whose operands are in registers.
FLOAT32 = Tiles(32, 32, 32, 4, 2)
# Many rows: the second where the first would leave multiprocessors idle.
MANY = (Tiles(128, 256, 64, 8, 3), Tiles(128, 128, 64, 8, 4))


def tiles(dtype: torch.dtype, num_rows: int, outputs: int, inner: int) -> Tiles:
    """Return the sizes for a number of rows, outputs and numbers of K.

    They are those that an H200 was fastest with (evals/results/exact-gpu.json). Few rows wait for the weight, which
    should come from all multiprocessors at once: the smallest tiles of outputs of which each of them has one, and at
    least 64 rows all the same, for the instruction that many rows take.
    """
    if dtype == torch.float32:
        return FLOAT32
    if inner % 16:  # rows of the weight are loaded number by number, which takes registers
        return Tiles(32, 64, 64, 4, 2)
    if num_rows > FEW_ROWS:
        wide = MANY[0]
        fits = triton.cdiv(num_rows, wide.rows) * triton.cdiv(outputs, wide.outputs) >= PROGRAMS
        return MANY[0 if fits else 1]
    if outputs <= 16 * PROGRAMS:
        return Tiles(16, 64, 256, 4, 4)
    if outputs <= 32 * PROGRAMS:
        return Tiles(32, 64, 128, 4, 6)
    return Tiles(64, 64, 128, 4, 6 if outputs <= 64 * PROGRAMS else 3)


def fitting(own: Tiles, device: torch.device) -> Tiles:
    """Return tiles that fit a device's registers, with no more stages than its shared memory has room for."""
    capability = common.capability(device)
    if own == MANY[0] and capability[0] not in (9, 10):
        own = MANY[1]
    room = 65_536 if common.amd(device) else 101_376
    room = 232_448 if capability[0] in (9, 10) else 166_912 if capability == (8, 0) else room
    stages = room // (2 * own.inner * (own.outputs + own.rows))
    return replace(own, num_stages=max(1, min(own.num_stages, stages)))


@triton.jit
def _products(
    x_ptr,
    weight_ptr,
    row,
    output,
    num_rows,
    num_outputs,
    inner,
    stride_x_m,
    stride_w_k,
    stride_w_n,
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,  # inner is a multiple of INNER
):
    """Return a tile's products [ROWS, OUTPUTS] in float32."""
    total = tl.zeros((ROWS, OUTPUTS), dtype=tl.float32)
    for start in range(0, inner, INNER):
        place = start + tl.arange(0, INNER)
        x_mask, w_mask = (row < num_rows)[:, None], (output < num_outputs)[:, None]
        if not EVEN:
            x_mask = x_mask & (place < inner)[None, :]
            w_mask = w_mask & (place < inner)[None, :]
        x = tl.load(x_ptr + row[:, None] * stride_x_m + place[None, :], mask=x_mask, other=0.0)
        rows_of_weight = weight_ptr + tl.full((), start, tl.int64) * stride_w_k + output[:, None] * stride_w_n
        w = tl.load(rows_of_weight + tl.arange(0, INNER)[None, :] * stride_w_k, mask=w_mask, other=0.0)
        total = tl.dot(x, tl.trans(w), total, input_precision="ieee")
    return total


@triton.jit
def _place(place, tiles_of_rows, tiles_of_outputs, GROUP: tl.constexpr):
    """Return a program's tiles of rows and outputs: GROUP tiles of outputs share rows in the L2."""
    first = place // (GROUP * tiles_of_rows) * GROUP
    width = tl.minimum(tiles_of_outputs - first, GROUP)
    within = place % (GROUP * tiles_of_rows)
    return within // width, first + within % width


@triton.jit(do_not_specialize=("num_rows",))
def _matmul_kernel(
    out_ptr,
    out_1_ptr,
    out_2_ptr,
    x_ptr,
    weight_ptr,
    weight_1_ptr,
    weight_2_ptr,
    bias_ptr,
    num_rows,
    num_outputs,
    num_outputs_1,
    num_outputs_2,
    inner,
    stride_x_m,
    stride_w_k,
    stride_w_n,
    stride_bias,
    COUNT: tl.constexpr,  # weights
    BIAS: tl.constexpr,
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,
    GROUP: tl.constexpr,
):
    """Multiply rows with one to three weights of the same K and strides."""
    count = tl.cdiv(num_outputs, OUTPUTS)
    tiles_of_outputs = count
    if COUNT > 1:
        tiles_of_outputs += tl.cdiv(num_outputs_1, OUTPUTS)
    if COUNT > 2:
        tiles_of_outputs += tl.cdiv(num_outputs_2, OUTPUTS)
    tile_of_rows, tile = _place(tl.program_id(0), tl.cdiv(num_rows, ROWS), tiles_of_outputs, GROUP)
    if COUNT > 1:
        both = count + tl.cdiv(num_outputs_1, OUTPUTS)
        if tile >= both:  # never with two weights
            tile, num_outputs = tile - both, num_outputs_2
            weight_ptr, out_ptr = weight_2_ptr, out_2_ptr
        elif tile >= count:
            tile, num_outputs = tile - count, num_outputs_1
            weight_ptr, out_ptr = weight_1_ptr, out_1_ptr
    row = (tile_of_rows * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    output = (tile * OUTPUTS + tl.arange(0, OUTPUTS)).to(tl.int64)
    total = _products(
        x_ptr, weight_ptr, row, output, num_rows, num_outputs, inner, stride_x_m, stride_w_k, stride_w_n,
        ROWS, OUTPUTS, INNER, EVEN,
    )  # fmt: skip
    if BIAS:
        total += tl.load(bias_ptr + output * stride_bias, mask=output < num_outputs, other=0.0).to(tl.float32)[None, :]
    mask = (row < num_rows)[:, None] & (output < num_outputs)[None, :]
    tl.store(out_ptr + row[:, None] * num_outputs + output[None, :], total.to(out_ptr.dtype.element_ty), mask=mask)


def matmul(x: Tensor, weight: Tensor, bias: Tensor | None, out: Tensor, chosen: Tiles | None = None) -> None:
    """Write x [num_rows, K] times weight [K, N] plus bias [N] to `out` [num_rows, N], which is contiguous.

    Args:
        x: the last dimension contiguous, unless K is 1.
        weight: any strides.
        chosen: sizes other than those of `tiles`, to measure with.
    """
    matmuls(x, [weight], [out], bias, chosen)


def matmuls(
    x: Tensor,
    weights: Sequence[Tensor],
    outs: Sequence[Tensor],
    bias: Tensor | None = None,
    chosen: Tiles | None = None,
) -> None:
    """Multiply x with one to three weights of the same K and strides in one launch; see `matmul`."""
    (num_rows, inner), count = x.shape, len(weights)
    widths = [weight.shape[1] for weight in weights]
    if num_rows == 0 or 0 in widths:
        return
    if inner == 0:
        for out in outs:
            out.zero_() if bias is None else out.copy_(bias)
        return
    own = chosen or fitting(tiles(x.dtype, num_rows, sum(widths), inner), x.device)
    given, stride_bias = (x, 0) if bias is None else (bias, bias.stride(0))
    each = [*range(count), 0, 0][:3]  # what is not there is not read
    programs = triton.cdiv(num_rows, own.rows) * sum(triton.cdiv(width, own.outputs) for width in widths)
    _matmul_kernel[(programs,)](
        *(outs[i] for i in each),
        x,
        *(weights[i] for i in each),
        given,
        num_rows,
        *(widths[i] for i in each),
        inner,
        x.stride(0),
        *weights[0].stride(),
        stride_bias,
        COUNT=count,
        BIAS=bias is not None,
        ROWS=own.rows,
        OUTPUTS=own.outputs,
        INNER=own.inner,
        EVEN=inner % own.inner == 0,
        GROUP=8,
        num_warps=own.num_warps,
        num_stages=own.num_stages,
        **common.checked(),
    )


@triton.jit(do_not_specialize=("num_rows",))
def _grouped_matmul_kernel(
    out_ptr,
    x_ptr,
    weight_ptr,
    ends_ptr,  # of each group's rows
    num_rows,
    num_outputs,
    inner,
    stride_x_m,
    stride_w_g,
    stride_w_k,
    stride_w_n,
    NUM_GROUPS: tl.constexpr,
    GROUPS: tl.constexpr,  # room for them
    ROWS: tl.constexpr,
    OUTPUTS: tl.constexpr,
    INNER: tl.constexpr,
    EVEN: tl.constexpr,
):
    """Multiply each group's rows with its weight; a group's tiles begin at its first row."""
    group = tl.arange(0, GROUPS)
    ends = tl.load(ends_ptr + group, mask=group < NUM_GROUPS, other=0)
    begins = tl.load(ends_ptr + group - 1, mask=(group > 0) & (group < NUM_GROUPS), other=0)
    counts = tl.where(group < NUM_GROUPS, tl.cdiv(tl.maximum(ends - begins, 0), ROWS), 0)
    last = tl.cumsum(counts, axis=0)  # tiles of this group and those before it
    tile = tl.program_id(0)
    own = tl.sum((last <= tile).to(tl.int32), axis=0)
    if own >= NUM_GROUPS:  # there is room for a tile that is not full in each group
        return
    mine = group == own
    begin = tl.sum(tl.where(mine, begins, 0), axis=0)
    end = tl.minimum(tl.sum(tl.where(mine, ends, 0), axis=0), num_rows)
    tile -= tl.sum(tl.where(mine, last - counts, 0), axis=0)
    row = (begin + tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    output = (tl.program_id(1) * OUTPUTS + tl.arange(0, OUTPUTS)).to(tl.int64)
    weight = weight_ptr + own.to(tl.int64) * stride_w_g
    total = _products(
        x_ptr, weight, row, output, end, num_outputs, inner, stride_x_m, stride_w_k, stride_w_n,
        ROWS, OUTPUTS, INNER, EVEN,
    )  # fmt: skip
    mask = (row < end)[:, None] & (output < num_outputs)[None, :]
    tl.store(out_ptr + row[:, None] * num_outputs + output[None, :], total.to(out_ptr.dtype.element_ty), mask=mask)


def grouped_matmul(x: Tensor, weight: Tensor, ends: Tensor, out: Tensor) -> None:
    """Write x's rows of each group times its weight to `out` [num_rows, N], which is contiguous.

    Args:
        x: [num_rows, K], the last dimension contiguous.
        weight: [num_groups, K, N], any strides.
        ends: [num_groups] int32, where each group's rows end; later rows are not written.
    """
    (num_rows, inner), (num_groups, _, num_outputs) = x.shape, weight.shape
    if 0 in (num_rows, num_groups, num_outputs):
        return
    own = FLOAT32 if x.dtype == torch.float32 else Tiles(64, 64, 64, 4, 2) if inner % 16 else Tiles(64, 64, 128, 4, 3)
    own = fitting(own, x.device)
    grid = (triton.cdiv(num_rows, own.rows) + num_groups, triton.cdiv(num_outputs, own.outputs))
    _grouped_matmul_kernel[grid](
        out,
        x,
        weight,
        ends,
        num_rows,
        num_outputs,
        inner,
        x.stride(0),
        *weight.stride(),
        NUM_GROUPS=num_groups,
        GROUPS=triton.next_power_of_2(num_groups),
        ROWS=own.rows,
        OUTPUTS=own.outputs,
        INNER=own.inner,
        EVEN=inner % own.inner == 0,
        num_warps=own.num_warps,
        num_stages=own.num_stages,
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

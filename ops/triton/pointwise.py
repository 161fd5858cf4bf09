"""Norms of rows and gated activations, each one launch: what inductor does not see inside our operators."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import tanh, wait_for_inputs

# Numbers of a row that a program of a norm has in registers at a time, and elements of a program of a gate.
BLOCK = 4096
GATE_BLOCK = 1024

# Gated activations.
NO_GATE = tl.constexpr(0)
SILU = tl.constexpr(1)
GELU_TANH = tl.constexpr(2)
GATES = {"": NO_GATE.value, "silu": SILU.value, "gelu_tanh": GELU_TANH.value}


@triton.jit
def gated(gate, up, GATE: tl.constexpr):
    """Return act(gate) * up, in float32."""
    if GATE == SILU:
        value = gate / (1.0 + tl.exp2(gate * -1.4426950408889634))
    else:
        inner = 0.7978845608028654 * (gate + 0.044715 * gate * gate * gate)
        value = 0.5 * gate * (1.0 + tanh(inner, tl.float32))
    return value * up


@triton.jit
def _norm_kernel(
    out_ptr,
    total_ptr,
    x_ptr,
    residual_ptr,
    weight_ptr,
    eps,
    n,
    stride_out,
    stride_total,
    stride_x,
    stride_residual,
    ADD: tl.constexpr,
    BLOCK: tl.constexpr,
    PDL: tl.constexpr,
):
    """Norm one row, or the sum of two, which is rounded and stored first."""
    wait_for_inputs(PDL)
    row = tl.program_id(0).to(tl.int64)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, n, BLOCK):
        place = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride_x + place, mask=place < n, other=0.0)
        wide = x.to(tl.float32)
        if ADD:
            y = tl.load(residual_ptr + row * stride_residual + place, mask=place < n, other=0.0)
            total = (wide + y.to(tl.float32)).to(x.dtype)
            tl.store(total_ptr + row * stride_total + place, total, mask=place < n)
            wide = total.to(tl.float32)
        squares += wide * wide
    factor = 1.0 / tl.sqrt_rn(tl.sum(squares, axis=0) / n + eps)
    for first in range(0, n, BLOCK):
        place = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride_x + place, mask=place < n, other=0.0)
        wide = x.to(tl.float32)
        if ADD:  # once more, as another thread may have stored it
            y = tl.load(residual_ptr + row * stride_residual + place, mask=place < n, other=0.0)
            wide = (wide + y.to(tl.float32)).to(x.dtype).to(tl.float32)
        weight = tl.load(weight_ptr + place, mask=place < n, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * stride_out + place, (wide * factor * weight).to(x.dtype), mask=place < n)


@triton.jit
def _gate_kernel(
    out_ptr,
    gate_ptr,
    up_ptr,
    n,
    stride_out,
    stride_gate,
    stride_up,
    GATE: tl.constexpr,
    BLOCK: tl.constexpr,
    PDL: tl.constexpr,
):
    """Compute a part of a row."""
    wait_for_inputs(PDL)
    row = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gate_ptr + row * stride_gate + place, mask=place < n, other=0.0)
    up = tl.load(up_ptr + row * stride_up + place, mask=place < n, other=0.0)
    value = gated(gate.to(tl.float32), up.to(tl.float32), GATE)
    tl.store(out_ptr + row * stride_out + place, value.to(gate.dtype), mask=place < n)


def _rows(tensor: Tensor) -> Tensor:
    """Return a tensor [..., n] as rows [m, n]; a copy if they lie in no even distances."""
    return tensor.reshape(-1, tensor.shape[-1])


def _write(out: Tensor, rows: Tensor) -> None:
    """Copy the rows to `out` if they are not its own memory."""
    if rows.data_ptr() != out.data_ptr():
        out.copy_(rows.view(out.shape))


def _norm(x: Tensor, residual: Tensor | None, weight: Tensor, eps: float, total: Tensor | None, out: Tensor) -> None:
    if x.numel() == 0:
        return
    rows, n = _rows(x), x.shape[-1]
    added = rows if residual is None else _rows(residual)
    results = _rows(out)
    totals = results if total is None else _rows(total)
    _norm_kernel[(rows.shape[0],)](
        results,
        totals,
        rows,
        added,
        weight,
        eps,
        n,
        *(each.stride(0) for each in (results, totals, rows, added)),
        ADD=residual is not None,
        BLOCK=min(BLOCK, triton.next_power_of_2(n)),
        num_warps=8 if n > 2048 else 4 if n > 512 else 1,
        **common.dependent_launch(x.device),
        **common.checked(),
    )
    _write(out, results)
    if total is not None:
        _write(total, totals)


def rms_norm(x: Tensor, weight: Tensor, eps: float, out: Tensor) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.rms_norm`."""
    _norm(x, None, weight.contiguous(), eps, None, out)


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float, total: Tensor, out: Tensor) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.add_rms_norm`."""
    _norm(x, residual, weight.contiguous(), eps, total, out)


def _gate(kind: int, gate: Tensor, up: Tensor, out: Tensor) -> None:
    if gate.numel() == 0:
        return
    gates, ups, results = _rows(gate), _rows(up), _rows(out)
    n = gate.shape[-1]
    block = min(GATE_BLOCK, triton.next_power_of_2(n))
    _gate_kernel[(gates.shape[0], triton.cdiv(n, block))](
        results,
        gates,
        ups,
        n,
        *(each.stride(0) for each in (results, gates, ups)),
        GATE=kind,
        BLOCK=block,
        num_warps=4,
        **common.dependent_launch(gate.device),
        **common.checked(),
    )
    _write(out, results)


def silu_and_mul(gate: Tensor, up: Tensor, out: Tensor) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.silu_and_mul`."""
    _gate(SILU.value, gate, up, out)


def gelu_tanh_and_mul(gate: Tensor, up: Tensor, out: Tensor) -> None:
    """Launch the kernel; see `torchpaged.ops.reference.gelu_tanh_and_mul`."""
    _gate(GELU_TANH.value, gate, up, out)

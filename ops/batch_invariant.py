"""Operators `batch_invariant_...`: products and sums of rows whose bits depend on nothing but the row.

They are what an engine with `batch_invariant=True` computes with on CUDA, in place of torch's products and sums
(`execution/batch_invariance.py`). They have no place in the registry of backends: there is one way to compute them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.library import Library

from torchpaged.ops import devices
from torchpaged.ops.operator import NAMESPACE

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
_library = Library(NAMESPACE, "FRAGMENT")
_library.define("batch_invariant_matmul(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", tags=_TAGS)
_library.define("batch_invariant_matmuls(Tensor input, Tensor[] weights) -> Tensor[]", tags=_TAGS)
_library.define("batch_invariant_grouped_matmul(Tensor input, Tensor weight, Tensor ends) -> Tensor", tags=_TAGS)
_library.define("batch_invariant_sum(Tensor input, ScalarType dtype) -> Tensor", tags=_TAGS)


def _fake_matmul(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return input.new_empty((input.shape[0], weight.shape[1]))


def _fake_matmuls(input: Tensor, weights: Sequence[Tensor]) -> list[Tensor]:
    return [_fake_matmul(input, weight) for weight in weights]


def _fake_grouped(input: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
    return input.new_empty((input.shape[0], weight.shape[2]))


def _fake_sum(input: Tensor, dtype: torch.dtype) -> Tensor:
    return input.new_empty((input.shape[0],), dtype=dtype)


def _matmul_on_cuda(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    from torchpaged.ops.triton import batch_invariant

    out = _fake_matmul(input, weight)
    batch_invariant.matmul(_with_contiguous_rows(input), weight, bias, out)
    return out


def _matmuls_on_cuda(input: Tensor, weights: Sequence[Tensor]) -> list[Tensor]:
    from torchpaged.ops.triton import batch_invariant

    outs = _fake_matmuls(input, weights)
    batch_invariant.matmuls(_with_contiguous_rows(input), weights, outs)
    return outs


def _grouped_on_cuda(input: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
    from torchpaged.ops.triton import batch_invariant

    out = _fake_grouped(input, weight, ends).zero_()
    batch_invariant.grouped_matmul(_with_contiguous_rows(input), weight, ends, out)
    return out


def _with_contiguous_rows(input: Tensor) -> Tensor:
    return input if input.stride(1) == 1 or input.shape[1] == 1 else input.contiguous()


def _sum_on_cuda(input: Tensor, dtype: torch.dtype) -> Tensor:
    from torchpaged.ops.triton import batch_invariant

    out = _fake_sum(input, dtype)
    batch_invariant.row_sum(_with_contiguous_rows(input), out)
    return out


def _matmul(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiply row by row, in float32."""
    out = _fake_matmul(input, weight)
    wide = weight.float().T.contiguous()
    for row, target in zip(input.float(), out, strict=True):
        product = torch.mv(wide, row)
        target.copy_(product if bias is None else product + bias.float())
    return out


def _matmuls(input: Tensor, weights: Sequence[Tensor]) -> list[Tensor]:
    return [_matmul(input, weight) for weight in weights]


def _grouped(input: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
    """Multiply each group's rows; rows of no group are 0."""
    out, begin = _fake_grouped(input, weight, ends).zero_(), 0
    for group, end in enumerate(ends.tolist()):
        out[begin:end], begin = _matmul(input[begin:end], weight[group]), end
    return out


def _sum(input: Tensor, dtype: torch.dtype) -> Tensor:
    """Sum row by row."""
    out = _fake_sum(input, dtype)
    for place, row in enumerate(input):
        out[place] = row.sum(dtype=dtype)
    return out


for _name, _fake, _cuda, _plain in (
    ("batch_invariant_matmul", _fake_matmul, _matmul_on_cuda, _matmul),
    ("batch_invariant_matmuls", _fake_matmuls, _matmuls_on_cuda, _matmuls),
    ("batch_invariant_grouped_matmul", _fake_grouped, _grouped_on_cuda, _grouped),
    ("batch_invariant_sum", _fake_sum, _sum_on_cuda, _sum),
):
    torch.library.register_fake(f"{NAMESPACE}::{_name}", _fake, lib=_library)
    _library.impl(_name, devices.with_first(_cuda), "CUDA")
    _library.impl(_name, _plain, "CPU")

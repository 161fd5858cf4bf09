"""Schemas, argument checks and fakes of the operators on packed weights; `library.py` has them in its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import grouped_weights
from torchpaged.ops.checks import FLOAT_DTYPES, _device, _dim, _dtype, _known, _last_contiguous, _refuse, _size
from torchpaged.ops.grouped_weights import PANEL

SCHEMAS = {
    "pack_linear_weight": "(Tensor weight) -> Tensor",
    "pack_grouped_weight": grouped_weights.SCHEMA,
    "packed_linear": "(Tensor input, Tensor packed_weight, SymInt out_features, *, Tensor? bias=None, "
    "Tensor? weight_scale=None, int format=0) -> Tensor",
    "packed_grouped_linear": "(Tensor input, Tensor packed_weights, SymInt out_features, Tensor expert_of_row, *, "
    "Tensor? weight_scale=None, int format=0) -> Tensor",
}
# Inputs that share a scale when they are quantised (csrc/cpu/linear.h).
INPUT_GROUP = 128
# Neighbouring inputs of a word of a packed weight, by the dtype that the weight has or that it is packed as.
INPUTS_PER_WORD = {torch.float32: 1, torch.float16: 1, torch.bfloat16: 2, torch.int8: 4, torch.uint8: 4}


def check_pack_linear_weight(op: str, weight: Tensor) -> None:
    """Of `pack_linear_weight`."""
    _dim(op, "weight", weight, 2, "[out_features, in_features]")
    _dtype(op, "weight", weight, *FLOAT_DTYPES, torch.int8)
    _last_contiguous(op, "weight", weight)
    if _known(*weight.shape) and 0 in weight.shape:
        _refuse(op, "weight", f"has an empty dimension, shape {tuple(weight.shape)}", "at least one output and input")


def _product(op: str, input: Tensor, name: str, weight: Tensor, axis: int, out_features: Any, format: int) -> None:
    """What both products ask; the packed weight has `axis` dimensions before those that it was packed with."""
    if not format:
        _dim(op, name, weight, axis + 4, "what pack_linear_weight returns" + ", stacked" * axis)
        _dtype(op, name, weight, *FLOAT_DTYPES, torch.uint8)
    else:
        grouped_weights.check_packed(op, name, weight, axis, format, input)
    _device(op, name, weight, input.device)
    if isinstance(out_features, int):
        if out_features < 1:
            _refuse(op, "out_features", f"is {out_features}", "1 or more")
        _size(op, name, weight, axis, -(-out_features // PANEL), "panels of out_features")
    per_word = INPUTS_PER_WORD[weight.dtype]
    if not format:
        _size(op, name, weight, axis + 2, PANEL, "outputs of a panel")
        _size(op, name, weight, axis + 3, per_word, "inputs of a word")
    if not 1 <= input.dim() <= 8:
        _refuse(op, "input", f"has {input.dim()} dimensions", "[.., in_features] with 1 to 8")
    _dtype(op, "input", input, *(FLOAT_DTYPES if weight.dtype == torch.uint8 else (weight.dtype,)))
    _last_contiguous(op, "input", input)
    features, words = input.shape[-1], weight.shape[axis + 1]
    if not format and _known(features, words) and (features == 0 or -(-features // per_word) != words):
        _refuse(
            op,
            "input",
            f"has {features} input features",
            f"the {words * per_word} of the packed weight (its padding included)",
        )


def _scale(op: str, scale: Tensor | None, weight: Tensor, shape: str, format: int) -> None:
    if format:
        if scale is not None:
            _refuse(op, "weight_scale", "is given with a format", "None: the packed weight has its scales")
        return
    int8 = weight.dtype == torch.uint8
    if scale is not None and not int8:
        found = f"is given with a {str(weight.dtype).removeprefix('torch.')} weight"
        _refuse(op, "weight_scale", found, "None unless the weight is int8")
    if scale is None and int8:
        _refuse(op, "weight_scale", "is None", f"a tensor {shape} with an int8 weight")


def check_packed_linear(
    op: str,
    input: Tensor,
    packed_weight: Tensor,
    out_features: Any,
    *,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    format: int = 0,
) -> None:
    """Of `packed_linear`."""
    _product(op, input, "packed_weight", packed_weight, 0, out_features, format)
    _scale(op, weight_scale, packed_weight, "[out_features]", format)
    for name, tensor, dtypes in (
        ("bias", bias, (input.dtype, torch.float32)),
        ("weight_scale", weight_scale, (torch.float32,)),
    ):
        if tensor is not None:
            _dim(op, name, tensor, 1, "[out_features]")
            _size(op, name, tensor, 0, out_features, "out_features")
            _dtype(op, name, tensor, *dtypes)
            _device(op, name, tensor, input.device)
            _last_contiguous(op, name, tensor)


def check_packed_grouped_linear(
    op: str,
    input: Tensor,
    packed_weights: Tensor,
    out_features: Any,
    expert_of_row: Tensor,
    *,
    weight_scale: Tensor | None = None,
    format: int = 0,
) -> None:
    """Of `packed_grouped_linear`."""
    _product(op, input, "packed_weights", packed_weights, 1, out_features, format)
    _dim(op, "expert_of_row", expert_of_row, input.dim() - 1, "[..] of input [.., in_features]")
    for axis in range(input.dim() - 1):
        _size(op, "expert_of_row", expert_of_row, axis, input.shape[axis], "as in input")
    _dtype(op, "expert_of_row", expert_of_row, torch.int64)
    _contiguous(op, "expert_of_row", expert_of_row)
    _device(op, "expert_of_row", expert_of_row, input.device)
    _scale(op, weight_scale, packed_weights, "[num_experts, out_features]", format)
    if weight_scale is not None:
        _dim(op, "weight_scale", weight_scale, 2, "[num_experts, out_features]")
        _size(op, "weight_scale", weight_scale, 0, packed_weights.shape[0], "num_experts of packed_weights")
        _size(op, "weight_scale", weight_scale, 1, out_features, "out_features")
        _dtype(op, "weight_scale", weight_scale, torch.float32)
        _contiguous(op, "weight_scale", weight_scale)
        _device(op, "weight_scale", weight_scale, input.device)


def _contiguous(op: str, name: str, tensor: Tensor) -> None:
    if _known(*tensor.shape, *tensor.stride()) and not tensor.is_contiguous():
        _refuse(op, name, f"has strides {tensor.stride()} for its shape {tuple(tensor.shape)}", "a contiguous tensor")


def fake_pack_linear_weight(weight: Tensor) -> Tensor:
    """[panels, words, outputs of a panel, inputs of a word]."""
    per_word = INPUTS_PER_WORD[weight.dtype]
    out_features, in_features = weight.shape
    shape = ((out_features + PANEL - 1) // PANEL, (in_features + per_word - 1) // per_word, PANEL, per_word)
    return weight.new_empty(shape, dtype=torch.uint8 if weight.dtype == torch.int8 else weight.dtype)


def fake_packed_linear(input: Tensor, packed_weight: Tensor, out_features: int, *_: Any, **__: Any) -> Tensor:
    """The input with `out_features` in its last dimension."""
    return input.new_empty((*input.shape[:-1], out_features))


def run_pack_linear_weight(fn: Callable[..., None], weight: Tensor) -> Tensor:
    """Calls a backend of `pack_linear_weight`."""
    packed = fake_pack_linear_weight(weight)
    fn(weight, packed)
    return packed


def run_packed_linear(
    fn: Callable[..., None],
    input: Tensor,
    packed_weight: Tensor,
    out_features: int,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    format: int = 0,
) -> Tensor:
    """Calls a backend of `packed_linear`."""
    out = fake_packed_linear(input, packed_weight, out_features)
    fn(input, packed_weight, out_features, out, bias=bias, weight_scale=weight_scale, format=format)
    return out


def run_packed_grouped_linear(
    fn: Callable[..., None],
    input: Tensor,
    packed_weights: Tensor,
    out_features: int,
    expert_of_row: Tensor,
    weight_scale: Tensor | None = None,
    format: int = 0,
) -> Tensor:
    """Calls a backend of `packed_grouped_linear`."""
    out = fake_packed_linear(input, packed_weights, out_features)
    fn(input, packed_weights, out_features, expert_of_row, out, weight_scale=weight_scale, format=format)
    return out


CHECKS: dict[str, Callable[..., None]] = {
    "pack_linear_weight": check_pack_linear_weight,
    "pack_grouped_weight": grouped_weights.check_pack_grouped_weight,
    "packed_linear": check_packed_linear,
    "packed_grouped_linear": check_packed_grouped_linear,
}
FAKES: dict[str, Callable[..., Any]] = {
    "pack_linear_weight": fake_pack_linear_weight,
    "pack_grouped_weight": grouped_weights.fake_pack_grouped_weight,
    "packed_linear": fake_packed_linear,
    "packed_grouped_linear": fake_packed_linear,
}
RUNNERS: dict[str, Callable[..., Any]] = {
    "pack_linear_weight": run_pack_linear_weight,
    "pack_grouped_weight": grouped_weights.run_pack_grouped_weight,
    "packed_linear": run_packed_linear,
    "packed_grouped_linear": run_packed_grouped_linear,
}

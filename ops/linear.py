"""Operators on packed weights: packing, and matrix products with what was packed.

`grouped_weights.py` has the format of weights whose scales belong to groups of inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import docs, linear_reference
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_contiguous,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_last_contiguous,
    expect_size,
    is_known,
    refuse,
)
from torchpaged.ops.grouped_weights import PANEL, GroupedFormat, format_of
from torchpaged.ops.operator import CastRule, Operator, cut_rows

# Neighbouring inputs in a word of a packed weight, by the dtype of the weight or of the packed weight.
INPUTS_PER_WORD = {torch.float32: 1, torch.float16: 1, torch.bfloat16: 2, torch.int8: 4, torch.uint8: 4}
_FORMAT = "    format: that of `pack_grouped_weight`, for weights that it packed; 0 for others."
_TRAIN_WITH = "torch.nn.functional.linear"
_VMAP_WITH = "pack each weight in one call of its own and stack the results"


# --- Packing --------------------------------------------------------------------------------------------------


def _check_pack_linear_weight(op: str, weight: Tensor) -> None:
    expect_dim(op, "weight", weight, 2, "[out_features, in_features]")
    expect_dtype(op, "weight", weight, *FLOAT_DTYPES, torch.int8)
    expect_last_contiguous(op, "weight", weight)
    if is_known(*weight.shape) and 0 in weight.shape:
        refuse(op, "weight", f"has an empty dimension, shape {tuple(weight.shape)}", "at least one output and input")


def fake_pack_linear_weight(weight: Tensor) -> Tensor:
    """Return the packed weight, [panels, words, outputs of a panel, inputs of a word]."""
    per_word = INPUTS_PER_WORD[weight.dtype]
    out_features, in_features = weight.shape
    shape = ((out_features + PANEL - 1) // PANEL, (in_features + per_word - 1) // per_word, PANEL, per_word)
    return weight.new_empty(shape, dtype=torch.uint8 if weight.dtype == torch.int8 else weight.dtype)


_PACK_LINEAR_WEIGHT = Operator(
    overload="pack_linear_weight",
    schema="(Tensor weight) -> Tensor",
    doc="""
A weight in the order in which `packed_linear` reads memory: panels of 32 outputs, padded with zeros.

Args:
    weight: [out_features, in_features], float32, float16, bfloat16 or int8, the last dimension contiguous.

Returns:
    [panels, words, 32, inputs of a word], the weight's dtype, uint8 for an int8 weight.""",
    check=_check_pack_linear_weight,
    fake=fake_pack_linear_weight,
    reference=linear_reference.pack_linear_weight,
    train_with=_TRAIN_WITH,
    vmap_with=_VMAP_WITH,
)


def _check_pack_grouped_weight(op: str, codes: Tensor, format: int, scale: Tensor, **others: Tensor | None) -> None:
    # Packing itself finds codes of 4 bits that are 16 or more.
    of = format_of(op, format)
    expect_dim(op, "codes", codes, 2, "[out_features, in_features]")
    expect_dtype(op, "codes", codes, torch.uint8)
    expect_last_contiguous(op, "codes", codes)
    if not is_known(*codes.shape):
        return
    out_features, in_features = codes.shape
    if 0 in codes.shape:
        refuse(op, "codes", f"has an empty dimension, shape {tuple(codes.shape)}", "at least one output and input")
    parts = of.parts(in_features)
    for name in ("scale", "zero", "offset", "scale_steps", "offset_steps"):
        tensor, part = scale if name == "scale" else others.get(name), parts.get(name)
        if (tensor is None) != (part is None):
            found = "is None" if tensor is None else "is given"
            refuse(op, name, found, f"{'None' if part is None else 'a tensor'} with this format")
        if tensor is None or part is None:
            continue
        expect_dim(op, name, tensor, 2, "[out_features, entries]")
        expect_size(op, name, tensor, 0, out_features, "out_features")
        expect_size(op, name, tensor, 1, part.entries, "entries of a row")
        expect_dtype(op, name, tensor, part.dtype)
        expect_device(op, name, tensor, codes.device)
        expect_contiguous(op, name, tensor)


def _fake_pack_grouped_weight(codes: Tensor, format: int, scale: Tensor, **_: Any) -> Tensor:
    out_features, in_features = codes.shape
    panels = (out_features + PANEL - 1) // PANEL
    return codes.new_empty((panels, GroupedFormat.of(format).panel_bytes(in_features)))


_PACK_GROUPED_WEIGHT = Operator(
    overload="pack_grouped_weight",
    schema="(Tensor codes, int format, Tensor scale, *, Tensor? zero=None, Tensor? offset=None, "
    "Tensor? scale_steps=None, Tensor? offset_steps=None) -> Tensor",
    doc="""
A weight of 4 or 8 bits, with a scale for each group of neighbouring inputs, in the order in which `packed_linear` reads
memory: panels of 32 outputs, padded with zeros. A code stands for scale * (code - zero), for scale * code + offset, or
for scale times a number of a table.

Args:
    codes: [out_features, in_features] uint8, below 2 ** bits, the last dimension contiguous.
    format: the `code` of a `torchpaged.ops.grouped_weights.GroupedFormat`: bits (4 or 8); group_size (16, 32, 64 or 128
        inputs, the last group of a row may have fewer); scale_type (0 float32, 1 float16, 2 bfloat16, 3 uint8: an
        e is 2 ** (e - 128)); origin (0: a zero of 2 ** (bits - 1), 1: with `zero`, 2: with `offset`, 3 to 5: codes of
        4 bits stand in a table, twice E2M1's values, those of IQ4_NL, NF4's times 112.03, rounded); shared (0, or the
        number of inputs that share a scale, which each group multiplies with its step).
    scale: [out_features, groups of a row, or parts of `shared` inputs], contiguous.
    zero: [out_features, groups] uint8, contiguous.
    offset: [out_features, as scale] of scale's dtype, contiguous.
    scale_steps, offset_steps: [out_features, groups] int8, contiguous.

Returns:
    [panels, bytes of a panel] uint8.

Raises:
    ValueError: a code with more bits than the format.""",
    check=_check_pack_grouped_weight,
    fake=_fake_pack_grouped_weight,
    reference=linear_reference.pack_grouped_weight,
    train_with=_TRAIN_WITH,
    vmap_with=_VMAP_WITH,
)


# --- Products -------------------------------------------------------------------------------------------------


def _check_grouped(op: str, name: str, weight: Tensor, axis: int, format: int, input: Tensor) -> None:
    """Check a weight that `pack_grouped_weight` packed, besides what `_check_product` checks."""
    of = format_of(op, format)
    expect_dim(op, name, weight, axis + 2, "what pack_grouped_weight returns" + ", stacked" * axis)
    expect_dtype(op, name, weight, torch.uint8)
    features, size = input.shape[-1] if input.dim() else 0, weight.shape[axis + 1]
    if is_known(features, size):
        expected = of.panel_bytes(features) if features else 0
        if expected != size:
            found = f"has {features} input features, {expected} bytes of a panel in format {format}"
            refuse(op, "input", found, f"the {size} bytes of the packed weight's panels")


def _check_product(
    op: str, input: Tensor, name: str, weight: Tensor, axis: int, out_features: Any, format: int
) -> None:
    """Check the arguments of both products; the packed weight has `axis` dimensions before its own."""
    if not format:
        expect_dim(op, name, weight, axis + 4, "what pack_linear_weight returns" + ", stacked" * axis)
        expect_dtype(op, name, weight, *FLOAT_DTYPES, torch.uint8)
    else:
        _check_grouped(op, name, weight, axis, format, input)
    expect_device(op, name, weight, input.device)
    if isinstance(out_features, int):
        if out_features < 1:
            refuse(op, "out_features", f"is {out_features}", "1 or more")
        expect_size(op, name, weight, axis, -(-out_features // PANEL), "panels of out_features")
    per_word = INPUTS_PER_WORD[weight.dtype]
    if not format:
        expect_size(op, name, weight, axis + 2, PANEL, "outputs of a panel")
        expect_size(op, name, weight, axis + 3, per_word, "inputs of a word")
    if not 1 <= input.dim() <= 8:
        refuse(op, "input", f"has {input.dim()} dimensions", "[.., in_features] with 1 to 8")
    expect_dtype(op, "input", input, *(FLOAT_DTYPES if weight.dtype == torch.uint8 else (weight.dtype,)))
    expect_last_contiguous(op, "input", input)
    features, words = input.shape[-1], weight.shape[axis + 1]
    if not format and is_known(features, words) and (features == 0 or -(-features // per_word) != words):
        refuse(
            op,
            "input",
            f"has {features} input features",
            f"the {words * per_word} of the packed weight (its padding included)",
        )


def _check_scale(op: str, scale: Tensor | None, weight: Tensor, shape: str, format: int) -> None:
    if format:
        if scale is not None:
            refuse(op, "weight_scale", "is given with a format", "None: the packed weight has its scales")
        return
    int8 = weight.dtype == torch.uint8
    if scale is not None and not int8:
        found = f"is given with a {str(weight.dtype).removeprefix('torch.')} weight"
        refuse(op, "weight_scale", found, "None unless the weight is int8")
    if scale is None and int8:
        refuse(op, "weight_scale", "is None", f"a tensor {shape} with an int8 weight")


def _fake_packed_linear(input: Tensor, packed_weight: Tensor, out_features: int, *_: Any, **__: Any) -> Tensor:
    return input.new_empty((*input.shape[:-1], out_features))


def _flops(input: Sequence[int], packed_weight: Sequence[int], out_features: int, *_: Any, **__: Any) -> int:
    """Count as torch counts a linear layer; a row costs the same with any expert."""
    return 2 * math.prod(input) * out_features


def _check_packed_linear(
    op: str,
    input: Tensor,
    packed_weight: Tensor,
    out_features: Any,
    *,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    format: int = 0,
) -> None:
    _check_product(op, input, "packed_weight", packed_weight, 0, out_features, format)
    _check_scale(op, weight_scale, packed_weight, "[out_features]", format)
    for name, tensor, dtypes in (
        ("bias", bias, (input.dtype, torch.float32)),
        ("weight_scale", weight_scale, (torch.float32,)),
    ):
        if tensor is not None:
            expect_dim(op, name, tensor, 1, "[out_features]")
            expect_size(op, name, tensor, 0, out_features, "out_features")
            expect_dtype(op, name, tensor, *dtypes)
            expect_device(op, name, tensor, input.device)
            expect_last_contiguous(op, name, tensor)


_PACKED_LINEAR = Operator(
    overload="packed_linear",
    schema="(Tensor input, Tensor packed_weight, SymInt out_features, *, Tensor? bias=None, "
    "Tensor? weight_scale=None, int format=0) -> Tensor",
    doc=f"""
input @ weight.T + bias, summed in float32; on the CPU a row's bits do not depend on the other rows or on threads.

Args:
    input: [..., in_features], the weight's dtype, or any of {docs.FLOATS} with an int8
        weight; the last dimension contiguous. torch.autocast casts it to the weight's dtype.
    packed_weight: [panels, words, 32, inputs of a word] from `pack_linear_weight`, or [panels, bytes of a panel] from
        `pack_grouped_weight`, which takes inputs as int8 does.
    out_features: of the weight before it was packed.
    bias: [out_features], input's dtype or float32.
    weight_scale: [out_features] float32, with an int8 weight only.
{_FORMAT}

Returns:
    [..., out_features], input's dtype.""",
    check=_check_packed_linear,
    fake=_fake_packed_linear,
    reference=linear_reference.packed_linear,
    cast=CastRule(("input",), "packed_weight", ("bias",)),
    train_with=_TRAIN_WITH,
    vmap_with=f"{docs.VMAP_ROWS}; for a weight each use packed_grouped_linear",
    flops=_flops,
    layouts=cut_rows("input"),
)


def _check_packed_grouped_linear(
    op: str,
    input: Tensor,
    packed_weights: Tensor,
    out_features: Any,
    expert_of_row: Tensor,
    *,
    weight_scale: Tensor | None = None,
    format: int = 0,
) -> None:
    _check_product(op, input, "packed_weights", packed_weights, 1, out_features, format)
    expect_dim(op, "expert_of_row", expert_of_row, input.dim() - 1, "[..] of input [.., in_features]")
    for axis in range(input.dim() - 1):
        expect_size(op, "expert_of_row", expert_of_row, axis, input.shape[axis], "as in input")
    expect_dtype(op, "expert_of_row", expert_of_row, torch.int64)
    expect_contiguous(op, "expert_of_row", expert_of_row)
    expect_device(op, "expert_of_row", expert_of_row, input.device)
    _check_scale(op, weight_scale, packed_weights, "[num_experts, out_features]", format)
    if weight_scale is not None:
        expect_dim(op, "weight_scale", weight_scale, 2, "[num_experts, out_features]")
        expect_size(op, "weight_scale", weight_scale, 0, packed_weights.shape[0], "num_experts of packed_weights")
        expect_size(op, "weight_scale", weight_scale, 1, out_features, "out_features")
        expect_dtype(op, "weight_scale", weight_scale, torch.float32)
        expect_contiguous(op, "weight_scale", weight_scale)
        expect_device(op, "weight_scale", weight_scale, input.device)


_PACKED_GROUPED_LINEAR = Operator(
    overload="packed_grouped_linear",
    schema="(Tensor input, Tensor packed_weights, SymInt out_features, Tensor expert_of_row, *, "
    "Tensor? weight_scale=None, int format=0) -> Tensor",
    doc=f"""
Each row times the packed weight of its expert, with the bits of `packed_linear` with that weight alone.

Args:
    input: [..., in_features], the weights' dtype, or any of {docs.FLOATS} with int8
        weights; the last dimension contiguous. torch.autocast casts it to the weights' dtype.
    packed_weights: [num_experts, panels, words, 32, inputs of a word], stacked results of `pack_linear_weight`,
        or [num_experts, panels, bytes of a panel] of `pack_grouped_weight`.
    out_features: of each weight before it was packed.
    expert_of_row: [...] int64, contiguous; a row whose expert does not exist gives 0.
    weight_scale: [num_experts, out_features] float32, contiguous, with int8 weights only.
{_FORMAT}

Returns:
    [..., out_features], input's dtype.""",
    check=_check_packed_grouped_linear,
    fake=_fake_packed_linear,
    reference=linear_reference.packed_grouped_linear,
    cast=CastRule(("input",), "packed_weights"),
    train_with="torch.nn.functional.linear with each expert's rows",
    vmap_with=docs.VMAP_ROWS,
    flops=_flops,
    layouts=cut_rows("input", "expert_of_row"),
)

OPERATORS = (_PACK_LINEAR_WEIGHT, _PACK_GROUPED_WEIGHT, _PACKED_LINEAR, _PACKED_GROUPED_LINEAR)

"""The linear operators in plain PyTorch. Part of `reference.py`."""

from __future__ import annotations

import torch
from torch import Tensor

from torchpaged.ops.grouped_weights import (
    MIDDLE,
    OFFSETS,
    PANEL,
    TABLES,
    ZEROS,
    GroupedFormat,
    looked_up,
    scale_values,
)

__all__ = ["pack_grouped_weight", "pack_linear_weight", "packed_grouped_linear", "packed_linear"]  # for reference.py

# Inputs that share a scale when they are quantised (csrc/cpu/linear.h).
INPUT_GROUP = 128


def pack_linear_weight(weight: Tensor, packed: Tensor) -> None:
    """Pack a weight [out_features, in_features] as [panels, words, 32, inputs of a word], padded with zeros.

    A panel is 32 outputs, a word a float32, a float16, two bfloat16 or four int8 of neighbouring inputs; int8 is stored
    as w + 128.
    """
    panels, words, outputs, inputs = packed.shape
    padded = weight.new_zeros((panels * outputs, words * inputs))
    padded[: weight.shape[0], : weight.shape[1]] = weight
    if weight.dtype == torch.int8:
        padded = (padded.short() + 128).to(torch.uint8)
    packed.copy_(padded.view(panels, outputs, words, inputs).transpose(1, 2))


def pack_grouped_weight(codes: Tensor, format: int, scale: Tensor, packed: Tensor, **others: Tensor | None) -> None:
    """Pack a weight of 4 or 8 bits as [panels, bytes of a panel]: the parts of `GroupedFormat`, each as [entries, 32].

    A word of codes has four neighbouring inputs of an output, or eight of 4 bits: the first four in the low halves of
    its bytes, the others in the high halves.
    """
    of = GroupedFormat.of(format)
    if of.bits == 4 and int(codes.max()) > 15:
        raise ValueError("pack_grouped_weight: codes has one of 16 or more, expected codes of 4 bits")
    packed.zero_()
    for name, part in of.parts(codes.shape[1]).items():
        values = {"scale": scale, "codes": codes, **others}[name]
        assert values is not None
        size = part.entries * (32 // of.bits if name == "codes" else 1)
        padded = values.new_zeros((packed.shape[0] * PANEL, size))
        padded[: values.shape[0], : values.shape[1]] = values
        if name == "codes":
            words = padded.view(-1, part.entries, size // part.entries // 4, 4)
            padded = (words[:, :, 0] | words[:, :, -1] << 4 if of.bits == 4 else words[:, :, 0]).reshape(
                len(padded), -1
            )
            padded = padded.view(torch.int32)
        entries = padded.view(-1, PANEL, part.entries).transpose(1, 2).contiguous()
        packed[:, part.begin : part.end] = entries.view(torch.uint8).flatten(1)


def grouped_parts(packed: Tensor, of: GroupedFormat, in_features: int, outputs: Tensor) -> dict[str, Tensor]:
    """Unpack the arguments of `pack_grouped_weight` for some outputs: each [.., entries], codes [.., in_features]."""
    values = {}
    for name, part in of.parts(in_features).items():
        dtype = torch.int32 if name == "codes" else part.dtype
        entries = packed[:, part.begin : part.end].view(dtype).unflatten(1, (part.entries, PANEL))
        values[name] = entries[outputs // PANEL, :, outputs % PANEL]
    words = values["codes"].contiguous().view(torch.uint8).unflatten(-1, (-1, 1, 4))
    if of.bits == 4:
        words = torch.cat([words & 15, words >> 4], -2)
    values["codes"] = words.flatten(-3)[..., :in_features]
    return values


def grouped_scales(parts: dict[str, Tensor], of: GroupedFormat) -> tuple[Tensor, Tensor | None]:
    """Return the scale and the offset of each group, float32 [.., groups]; None for no offset."""

    def stepped(name: str) -> Tensor:
        values, steps = scale_values(parts[name]), parts.get(f"{name}_steps")
        if steps is None:
            return values
        return values.repeat_interleave(of.shared // of.group_size, -1)[..., : steps.shape[-1]] * steps.float()

    scale = stepped("scale")
    if of.origin == MIDDLE or of.origin in TABLES:
        return scale, None
    return scale, -(scale * parts["zero"].float()) if of.origin == ZEROS else stepped("offset")


def dequantize_grouped(packed: Tensor, of: GroupedFormat, in_features: int, outputs: Tensor) -> Tensor:
    """Return some outputs' values, float32 [.., in_features]: (code - zero) * scale, a table's number * scale, or
    code * scale + offset."""
    parts = grouped_parts(packed, of, in_features, outputs)
    scale, offset = grouped_scales(parts, of)

    def by_input(groups: Tensor) -> Tensor:
        return groups.repeat_interleave(of.group_size, -1)[..., :in_features]

    if of.origin in TABLES:
        return looked_up(parts["codes"], of.origin).float() * by_input(scale)
    codes = parts["codes"].float()
    if of.origin == OFFSETS:
        assert offset is not None
        return codes * by_input(scale) + by_input(offset)
    zero = by_input(parts["zero"].float()) if of.origin == ZEROS else float(1 << (of.bits - 1))
    return (codes - zero) * by_input(scale)


def packed_linear(
    input: Tensor,
    packed_weight: Tensor,
    out_features: int,
    out: Tensor,
    *,
    bias: Tensor | None,
    weight_scale: Tensor | None,
    format: int,
) -> None:
    """Compute input @ weight.T + bias, summed in float32, with a weight that one of the above packed.

    The input has the weight's dtype, or any float dtype with an int8 weight. The C++ kernels promise more: a row's bits
    depend neither on the other rows nor on the number of threads.

    With an int8 weight the input is quantised in groups of 128 inputs of a row: q = round(x * 127 / max|x|), ties to
    even. A group's sum of q * w is exact, and the output is (sum of these sums * (max|x| / 127)) * weight_scale + bias,
    added in float32 from the first group to the last. A group whose largest magnitude is 2 ** -100 or less counts as
    zeros; a row that holds Inf or NaN gives NaN.

    With a `format` the inputs are quantised in the weight's groups. Each group has an exact sum of q * code, of q *
    (code - 2 ** (bits - 1)) with the origin MIDDLE, or of q times the table's number. Group after group, this sum times
    the scale plus the sum of q times the offset is multiplied with max|x| / 127 and added to the output. A product and
    the addition after it are rounded once. The last two of a scale's 24 bits in float32 are ignored.
    """
    features = input.shape[-1]
    rows = input.reshape(-1, features).float()
    if format:
        result = _grouped_product(rows, packed_weight, GroupedFormat.of(format), out_features)
    elif weight_scale is None:
        result = rows @ _unpacked(packed_weight, out_features, features).float().T
    else:
        result = rows.new_zeros((rows.shape[0], out_features))
        weight = _unpacked(packed_weight, out_features, features)
        for x, w in zip(rows.split(INPUT_GROUP, dim=1), weight.split(INPUT_GROUP, dim=1), strict=True):
            quantised, scale = _quantised(x)
            result = _multiply_add(quantised.double() @ (w.double() - 128).T, scale, result)
        result = result * weight_scale
    if bias is not None:
        result = result + bias.float()
    out.copy_(result.view(out.shape))


def _unpacked(packed: Tensor, out_features: int, in_features: int) -> Tensor:
    return packed.transpose(1, 2).flatten(2).flatten(0, 1)[:out_features, :in_features]


def _quantised(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows as whole numbers up to 127, and the factor of each row, [rows, 1]."""
    top = x.abs().amax(-1, keepdim=True)
    inverse = torch.full_like(top, 127.0) / top  # 127.0 / top would be rounded twice
    quantised = torch.where((top > 2.0**-100) & top.isfinite(), (x * inverse).round(), 0.0)
    return quantised, torch.where(top > 2.0**-100, top / 127.0, 0.0).masked_fill(~top.isfinite(), torch.nan)


def _grouped_product(rows: Tensor, packed: Tensor, of: GroupedFormat, out_features: int) -> Tensor:
    parts = grouped_parts(packed, of, rows.shape[1], torch.arange(out_features))
    scale, offset = grouped_scales(parts, of)
    scale = (scale.view(torch.int32) & ~3).view(torch.float32)
    if of.origin in TABLES:
        codes = looked_up(parts["codes"], of.origin).double()
    else:
        codes = parts["codes"].double() - (1 << (of.bits - 1) if of.origin == MIDDLE else 0)
    result = rows.new_zeros((rows.shape[0], out_features))
    groups = zip(rows.split(of.group_size, dim=1), codes.split(of.group_size, dim=1), strict=True)
    for group, (x, w) in enumerate(groups):
        quantised, of_inputs = _quantised(x)
        product = (quantised.double() @ w.T).float() * scale[:, group]
        if offset is not None:
            product = _multiply_add(quantised.sum(-1, keepdim=True), offset[:, group], product)
        result = _multiply_add(product, of_inputs, result)
    return result


def packed_grouped_linear(
    input: Tensor,
    packed_weights: Tensor,
    out_features: int,
    expert_of_row: Tensor,
    out: Tensor,
    *,
    weight_scale: Tensor | None,
    format: int,
) -> None:
    """Multiply each row with the weight of its expert, as `packed_linear` does; rows without an expert become zeros.

    The C++ kernels give a row the bits that `packed_linear` gives it with that weight, whatever else is in the batch.

    Args:
        input: [.., in_features].
        packed_weights: [num_experts, ..], stacked results of `pack_linear_weight` or `pack_grouped_weight`.
        expert_of_row: [..] int64; a row whose expert is outside of 0 to num_experts - 1 is left out.
        weight_scale: [num_experts, out_features] float32 of int8 weights.
        format: of weights that `pack_grouped_weight` packed.
        out: [.., out_features].
    """
    out.zero_()
    for expert, weight in enumerate(packed_weights):
        product, scale = torch.empty_like(out), None if weight_scale is None else weight_scale[expert]
        packed_linear(input, weight, out_features, product, bias=None, weight_scale=scale, format=format)
        out.copy_(torch.where((expert_of_row == expert)[..., None], product, out))


def _multiply_add(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Return a * b + c of float32 values, rounded to float32 once.

    In float64 the product is exact, and a sum that is rounded to odd there is rounded to float32 as the exact sum would
    be (Boldo, Melquiond: Emulation of FMA).
    """
    product, addend = a.double() * b.double(), c.double()
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    between = (error != 0) & error.isfinite() & (total.view(torch.int64) % 2 == 0)
    return torch.where(between, total.nextafter(error * torch.inf), total).float()

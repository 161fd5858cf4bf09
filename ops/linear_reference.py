"""The linear operators in plain PyTorch. Part of `reference.py`."""

from __future__ import annotations

import torch
from torch import Tensor

from torchpaged.ops.linear import INPUT_GROUP


def pack_linear_weight(weight: Tensor, packed: Tensor) -> None:
    """A weight [out_features, in_features] as [panels, words, 32, inputs of a word], padded with zeros.

    A panel is 32 outputs, a word a float32, a float16, two bfloat16 or four int8 of neighbouring inputs; int8 is stored
    as w + 128.
    """
    panels, words, outputs, inputs = packed.shape
    padded = weight.new_zeros((panels * outputs, words * inputs))
    padded[: weight.shape[0], : weight.shape[1]] = weight
    if weight.dtype == torch.int8:
        padded = (padded.short() + 128).to(torch.uint8)
    packed.copy_(padded.view(panels, outputs, words, inputs).transpose(1, 2))


def packed_linear(
    input: Tensor,
    packed_weight: Tensor,
    out_features: int,
    out: Tensor,
    *,
    bias: Tensor | None,
    weight_scale: Tensor | None,
) -> None:
    """input @ weight.T + bias, summed in float32, for a weight that `pack_linear_weight` packed.

    The input has the weight's dtype, or any float dtype with an int8 weight. The C++ kernels promise more than this: a
    row's bits are the same whatever the other rows, their number and that of the threads.

    With an int8 weight the input is quantised, each 128 of a row by themselves: q = round(x * 127 / max|x|), ties to
    even. Their sum of q * w is exact, and the output is (sum of these sums * (max|x| / 127)) * weight_scale + bias, in
    float32 from the first to the last. Where the largest magnitude is 2 ** -100 or less they count as zeros; a row that
    holds Inf or NaN gives NaN.
    """
    features = input.shape[-1]
    weight = packed_weight.transpose(1, 2).flatten(2).flatten(0, 1)[:out_features, :features]
    rows = input.reshape(-1, features).float()
    if weight_scale is None:
        result = rows @ weight.float().T
    else:
        result = rows.new_zeros((rows.shape[0], out_features))
        for x, w in zip(rows.split(INPUT_GROUP, dim=1), weight.split(INPUT_GROUP, dim=1), strict=True):
            top = x.abs().amax(-1, keepdim=True)
            inverse = torch.full_like(top, 127.0) / top  # 127.0 / top would be rounded twice
            quantised = torch.where((top > 2.0**-100) & top.isfinite(), (x * inverse).round(), 0.0)
            exact = quantised.double() @ (w.double() - 128).T
            scale = torch.where(top > 2.0**-100, top / 127.0, 0.0).masked_fill(~top.isfinite(), torch.nan)
            result = _multiply_add(exact, scale, result)
        result = result * weight_scale
    if bias is not None:
        result = result + bias.float()
    out.copy_(result.view(out.shape))


def packed_grouped_linear(
    input: Tensor,
    packed_weights: Tensor,
    out_features: int,
    expert_of_row: Tensor,
    out: Tensor,
    *,
    weight_scale: Tensor | None,
) -> None:
    """Each row times the weight of its expert, as `packed_linear` multiplies it; zeros where it has none.

    The C++ kernels give a row the bits that `packed_linear` gives it with that weight, whatever else is in the batch.

    Args:
        input: [.., in_features].
        packed_weights: [num_experts, ..], of each expert what `pack_linear_weight` returns.
        expert_of_row: [..] int64; a row whose expert is not one of 0 to num_experts - 1 is left out.
        weight_scale: [num_experts, out_features] float32 of int8 weights.
        out: [.., out_features].
    """
    out.zero_()
    for expert, weight in enumerate(packed_weights):
        product, scale = torch.empty_like(out), None if weight_scale is None else weight_scale[expert]
        packed_linear(input, weight, out_features, product, bias=None, weight_scale=scale)
        out.copy_(torch.where((expert_of_row == expert)[..., None], product, out))


def _multiply_add(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """a * b + c of float32 values, rounded to float32 once: in float64 the product is exact, and a sum rounded to odd
    there is rounded to float32 as the exact one would be (Boldo, Melquiond: Emulation of FMA)."""
    product, addend = a.double() * b.double(), c.double()
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    between = (error != 0) & error.isfinite() & (total.view(torch.int64) % 2 == 0)
    return torch.where(between, total.nextafter(error * torch.inf), total).float()

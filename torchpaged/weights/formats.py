"""Decodes quantised checkpoints' tensors to `GroupedWeight`s: GPTQ, AWQ, compressed-tensors, FP8, MXFP4, NVFP4, NF4.

These are pure functions of one linear layer's tensors, and need no library of the method. Values are exactly those of
the file, except for FP8, which `eight_bits` rounds since no kernel multiplies it, and NF4, whose table is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.ops.grouped_weights import E2M1, NF4, NF4_UNIT
from torchpaged.weights.grouped_weight import GROUP_SIZES, GroupedWeight

# AWQ's gemm format: the output, of eight neighbours, of each nibble of a word, the lowest first.
_AWQ_OUTPUTS = (0, 2, 4, 6, 1, 3, 5, 7)
# Group size of FP8 weights rounded to 8 bits, which adds a tenth of FP8's own error.
_EIGHT_BIT_GROUP = 32
_MXFP4_GROUP = 32
_NVFP4_GROUP = 16
# Numbers of groups that may share a float32 scale, of which each group has an integer multiple.
_SHARED = (16, 8, 4, 2)
# Values of NF4's codes, in units of their block's largest magnitude (Dettmers et al., QLoRA, appendix E).
NF4_VALUES = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)


class Stored(Protocol):
    """Shape and dtype of a tensor, read or only described by a file's header."""

    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def dtype(self) -> torch.dtype: ...


def unpacked(words: Tensor, bits: int) -> Tensor:
    """Unpack int32 [.., n] to uint8 [.., n * 32 / bits], the lowest bits first; bits is 4 or 8."""
    words = words.contiguous()
    # Flattened first: strides of rows with one word are arbitrary, and a view as another dtype checks them.
    whole = words.reshape(-1).view(torch.uint8).view(*words.shape[:-1], -1)
    if bits == 8:
        return whole
    return torch.stack((whole & 15, whole >> 4), -1).flatten(-2)


def gptq(
    qweight: Tensor,
    qzeros: Tensor,
    scales: Tensor,
    g_idx: Tensor | None,
    *,
    bits: int,
    group_size: int,
    is_v1: bool,
) -> tuple[GroupedWeight, Tensor | None]:
    """Decode a layer of GPTQ.

    Args:
        qweight: int32 [in_features * bits / 32, out_features].
        qzeros: int32 [groups, out_features * bits / 32].
        scales: [groups, out_features].
        g_idx: int32 [in_features], the group of each input; None: in order.
        group_size: -1 is the whole row.
        is_v1: zeros are stored less 1, by subtraction of words (GPTQModel's `convert_gptq_v2_to_v1_format`).

    Returns:
        The weight and, if its groups are scattered (`desc_act`), the order of inputs that makes them contiguous.

    Raises:
        ModelError: tensors that do not fit together.
    """
    (_, inputs), groups = gptq_sizes(qweight, qzeros, scales, bits=bits, group_size=group_size)
    group_size = inputs // groups
    codes = unpacked(qweight.T, bits)
    if is_v1:  # 1 was subtracted from whole words, so a zero point of 0 has borrowed from the next
        ones = sum(1 << place for place in range(0, 32, bits))
        qzeros = (qzeros.long() + ones).to(torch.int32)
    zero = unpacked(qzeros, bits).T
    order = None
    if g_idx is not None:
        _require("g_idx", g_idx, (inputs,))
        order = _order(g_idx.long(), groups, group_size)
        codes = codes if order is None else codes[:, order]
    return _grouped(codes, bits, group_size, scales.T, zero), order


def gptq_sizes(
    qweight: Stored, qzeros: Stored, scales: Stored, *, bits: int, group_size: int
) -> tuple[tuple[int, int], int]:
    """Return ((out_features, in_features), groups) of a GPTQ layer. ModelError for tensors that do not fit together."""
    inputs, outputs = qweight.shape[0] * 32 // bits, scales.shape[-1]
    groups = _groups(inputs, inputs if group_size == -1 else group_size)
    _require("qweight", qweight, (inputs * bits // 32, outputs), torch.int32)
    _require("qzeros", qzeros, (groups, outputs * bits // 32), torch.int32)
    _require("scales", scales, (groups, outputs))
    return (outputs, inputs), groups


def awq(qweight: Tensor, qzeros: Tensor, scales: Tensor, *, group_size: int) -> GroupedWeight:
    """Decode a layer of AWQ's gemm format.

    Args:
        qweight: int32 [in_features, out_features / 8].
        qzeros: int32 [groups, out_features / 8].
        scales: [groups, out_features].
        group_size: -1 is the whole row.

    Raises:
        ModelError: tensors that do not fit together.
    """
    (_, inputs), groups = awq_sizes(qweight, qzeros, scales, group_size=group_size)
    group_size = inputs // groups
    place = torch.tensor(_AWQ_OUTPUTS).argsort()

    def columns(words: Tensor) -> Tensor:
        nibbles: Tensor = unpacked(words, 4).unflatten(-1, (-1, 8))
        return nibbles[..., place].flatten(-2)

    return _grouped(columns(qweight).T, 4, group_size, scales.T, columns(qzeros).T)


def awq_sizes(qweight: Stored, qzeros: Stored, scales: Stored, *, group_size: int) -> tuple[tuple[int, int], int]:
    """Return ((out_features, in_features), groups) of an AWQ layer. ModelError for tensors that do not fit together."""
    inputs, outputs = qweight.shape[0], scales.shape[-1]
    groups = _groups(inputs, inputs if group_size == -1 else group_size)
    _require("qweight", qweight, (inputs, outputs // 8), torch.int32)
    _require("qzeros", qzeros, (groups, outputs // 8), torch.int32)
    _require("scales", scales, (groups, outputs))
    return (outputs, inputs), groups


def pack_quantized(
    packed: Tensor,
    scale: Tensor,
    shape: tuple[int, int],
    zero_point: Tensor | None = None,
    g_idx: Tensor | None = None,
    *,
    bits: int,
) -> tuple[GroupedWeight, Tensor | None]:
    """Decode a layer of compressed-tensors' "pack-quantized", whose integers are stored with 2 ** (bits - 1) added.

    Args:
        packed: `weight_packed`, int32 [out_features, in_features * bits / 32].
        scale: `weight_scale`, [out_features, groups], or [1] for the whole layer.
        shape: `weight_shape`, (out_features, in_features).
        zero_point: `weight_zero_point`, int32 [out_features * bits / 32, groups], packed along the outputs.
        g_idx: `weight_g_idx`, as in `gptq`.

    Returns:
        As `gptq`.

    Raises:
        ModelError: tensors that do not fit together.
    """
    outputs, inputs = shape
    _require("weight_packed", packed, (outputs, -(-inputs * bits // 32)), torch.int32)
    scale = _by_output(scale, outputs)
    groups = groups_of(scale, inputs)
    group_size = inputs // groups
    codes, zero, order = unpacked(packed, bits)[:, :inputs], None, None
    if zero_point is not None:
        _require("weight_zero_point", zero_point, (-(-outputs * bits // 32), groups), torch.int32)
        zero = unpacked(zero_point.T, bits)[:, :outputs].T
    if g_idx is not None and not bool((g_idx == -1).all()):
        _require("weight_g_idx", g_idx, (inputs,))
        order = _order(g_idx.long(), groups, group_size)
        codes = codes if order is None else codes[:, order]
    return _grouped(codes, bits, group_size, scale, zero), order


def int_quantized(weight: Tensor, scale: Tensor, zero_point: Tensor | None = None) -> GroupedWeight:
    """Decode a layer of compressed-tensors' "int-quantized" with eight bits.

    Args:
        weight: int8 [out_features, in_features].
        scale: `weight_scale`, [out_features, groups], [out_features] or [1].
        zero_point: `weight_zero_point`, int8 [out_features, groups].

    Raises:
        ModelError: tensors that do not fit together.
    """
    outputs, inputs = weight.shape
    _require("weight", weight, (outputs, inputs), torch.int8)
    scale = _by_output(scale, outputs)
    groups = groups_of(scale, inputs)
    zero = None if zero_point is None else _by_output(zero_point, outputs).to(torch.int8).view(torch.uint8) ^ 128
    return _grouped(weight.view(torch.uint8) ^ 128, 8, inputs // groups, scale, zero)


def mxfp4(blocks: Tensor, scales: Tensor) -> GroupedWeight:
    """Decode a layer in MXFP4, as each expert of gpt-oss is stored.

    Args:
        blocks: uint8 [out_features, groups, 16], two codes of E2M1 in a byte, the first in its low half.
        scales: uint8 [out_features, groups], exponents e of 2 ** (e - 127).
    """
    codes = torch.stack((blocks & 15, blocks >> 4), -1).flatten(1)
    return GroupedWeight(codes, 4, _MXFP4_GROUP, scales.contiguous(), table=E2M1)


def mxfp4_sizes(blocks: Stored, scales: Stored) -> tuple[int, int, int]:
    """Return (experts, out_features, in_features) for `mxfp4`. ModelError for tensors that do not fit together."""
    if len(blocks.shape) != 4:
        raise ModelError(f"blocks is {list(blocks.shape)}, expected [experts, outputs, groups, {_MXFP4_GROUP // 2}]")
    experts, outputs, groups, _ = blocks.shape
    _require("blocks", blocks, (experts, outputs, groups, _MXFP4_GROUP // 2), torch.uint8)
    _require("scales", scales, (experts, outputs, groups), torch.uint8)
    return experts, outputs, groups * _MXFP4_GROUP


def nvfp4(packed: Tensor, scale: Tensor, global_scale: Tensor) -> GroupedWeight:
    """Decode a layer in NVFP4.

    Args:
        packed: uint8 [out_features, in_features / 2], two codes of E2M1 in a byte, the first in its low half.
        scale: float8_e4m3fn [out_features, in_features / 16].
        global_scale: one float32, by which every scale is multiplied.
    """
    codes = torch.stack((packed & 15, packed >> 4), -1).flatten(1)
    half = global_scale.float().reshape(()) / 2  # the table has twice E2M1's values
    if (found := _multiples(scale.float())) is None:
        return GroupedWeight(codes, 4, _NVFP4_GROUP, scale.float() * half, table=E2M1)
    shared, steps = found
    return GroupedWeight(codes, 4, _NVFP4_GROUP, shared * half, scale_steps=steps, table=E2M1)


def fp4_sizes(packed: Stored, scale: Stored, group_size: int) -> tuple[int, int]:
    """Return (out_features, in_features) for `nvfp4`, or MXFP4 packed likewise. ModelError for other tensors."""
    if len(packed.shape) != 2 or packed.dtype != torch.uint8:
        raise ModelError(
            f"the packed weight is {packed.dtype} {list(packed.shape)}, expected uint8 [outputs, inputs / 2]"
        )
    outputs, inputs = packed.shape[0], packed.shape[1] * 2
    _groups(inputs, group_size)
    dtype = torch.uint8 if group_size == _MXFP4_GROUP else torch.float8_e4m3fn
    _require("weight_scale", scale, (outputs, inputs // group_size), dtype)
    return outputs, inputs


def _multiples(scale: Tensor) -> tuple[Tensor, Tensor] | None:
    """Factor scales into powers of two [out, groups / n] and int8 [out, groups]; None if that is not exact.

    It is exact for floats with four significant bits unless neighbours differ by more than a factor of eight.
    """
    for count in _SHARED:
        if scale.shape[1] % count == 0:
            parts = scale.unflatten(1, (-1, count))
            largest = parts.abs().amax(-1, keepdim=True)
            shared = torch.ldexp(torch.ones_like(largest), torch.frexp(largest).exponent - 7)  # largest < 128 * shared
            steps = parts / shared
            if bool((steps == steps.round()).all()):
                return shared.squeeze(-1), steps.to(torch.int8).flatten(1)
    return None


def nf4(weight: Tensor, absmax: Tensor, shape: tuple[int, int], block: int) -> GroupedWeight:
    """Decode a layer of bitsandbytes' NF4; its values are rounded to a table of int8.

    Args:
        weight: bytes of two codes each, the first in the high half, in any dtype.
        absmax: float32, the largest magnitude of each block.
        shape: (out_features, in_features).
        block: size of a block, which may extend over the end of a row.
    """
    outputs, inputs = shape
    size = math.gcd(inputs, block)
    whole = weight.contiguous().flatten().view(torch.uint8)
    codes = torch.stack((whole >> 4, whole & 15), -1).view(shape)
    scale = (absmax.float() / NF4_UNIT).repeat_interleave(block // size)[: outputs * inputs // size]
    return _grouped(codes, 4, size, scale.view(outputs, -1), None, NF4)


def nf4_sizes(weight: Stored, absmax: Stored, quant_map: Tensor, state: Mapping[str, Any]) -> tuple[int, int]:
    """Return (out_features, in_features) for `nf4`.

    Args:
        state: the layer's quant_state.

    Raises:
        ModelError: tensors that do not fit together, or another table.
    """
    shape, size = state.get("shape"), state.get("blocksize")
    if not (isinstance(shape, list) and len(shape) == 2 and all(type(each) is int and each > 0 for each in shape)):
        raise ModelError(f"quant_state has shape {shape!r:.80}, expected two sizes")
    if type(size) is not int or size < 1:
        raise ModelError(f"quant_state has blocksize {size!r:.80}, expected a number of inputs")
    outputs, inputs = shape
    _groups(inputs, math.gcd(inputs, size))
    num_bytes = math.prod(weight.shape) * weight.dtype.itemsize
    if num_bytes * 2 != outputs * inputs:
        raise ModelError(f"weight has {num_bytes} bytes, expected {outputs * inputs // 2} of {outputs} x {inputs}")
    _require("absmax", absmax, (-(-outputs * inputs // size),))
    if quant_map.shape != (16,) or not torch.allclose(quant_map.float(), torch.tensor(NF4_VALUES), atol=1e-5):
        raise ModelError(f"quant_map is {quant_map.tolist()!r:.80}, expected NF4's 16 values")
    return outputs, inputs


def nested_absmax(absmax: Tensor, nested_absmax: Tensor, nested_quant_map: Tensor, state: Mapping[str, Any]) -> Tensor:
    """Decode a doubly quantised absmax to float32: an 8-bit code's value times its block's largest, plus an offset.

    Raises:
        ModelError: tensors that do not fit together.
    """
    size, offset = state.get("nested_blocksize"), state.get("nested_offset")
    if type(size) is not int or size < 1 or not isinstance(offset, (int, float)):
        raise ModelError(f"quant_state has nested_blocksize {size!r:.80} and nested_offset {offset!r:.80}")
    count = absmax.numel()
    _require("absmax", absmax, (count,), torch.uint8)
    _require("nested_absmax", nested_absmax, (-(-count // size),))
    _require("nested_quant_map", nested_quant_map, (256,))
    scale = nested_absmax.float().repeat_interleave(size)[:count]
    return nested_quant_map.float()[absmax.int()] * scale + offset


def fp8_values(weight: Tensor, scale: Tensor, block: tuple[int, int] | None = None) -> Tensor:
    """Dequantise an FP8 weight to float32 [out_features, in_features].

    Args:
        weight: float8 [out_features, in_features].
        scale: [blocks of outputs, blocks of inputs]; without blocks one for each output, or group of its inputs, or for
            the whole weight.
        block: outputs and inputs of a block; the last ones may be smaller.

    Raises:
        ModelError: tensors that do not fit together.
    """
    outputs, inputs = weight.shape
    scale = scale.float()
    if block is None:
        scale = _by_output(scale, outputs)
        if inputs % scale.shape[1]:
            raise ModelError(f"weight_scale has {scale.shape[1]} groups, expected a divisor of {inputs} inputs")
        return weight.float() * scale.repeat_interleave(inputs // scale.shape[1], 1)
    _require("weight_scale_inv", scale, (-(-outputs // block[0]), -(-inputs // block[1])))
    rows = scale.repeat_interleave(block[0], 0)[:outputs]
    return weight.float() * rows.repeat_interleave(block[1], 1)[:, :inputs]


def eight_bits(weight: Tensor) -> GroupedWeight:
    """Round a float weight to eight bits, symmetric, in groups of 32 inputs, or rows if 32 does not divide them."""
    outputs, inputs = weight.shape
    size = _EIGHT_BIT_GROUP if inputs % _EIGHT_BIT_GROUP == 0 else inputs
    values = weight.float().view(outputs, -1, size)
    largest = values.abs().amax(-1)
    require_finite(largest)
    scale = torch.where(largest > 0, largest / 127, 1.0).to(torch.bfloat16)
    codes = (values / scale.float().unsqueeze(-1)).round_().clamp_(-127, 127) + 128
    return GroupedWeight(codes.to(torch.uint8).view(outputs, inputs), 8, size, scale)


def require_finite(*scales: Tensor | None) -> None:
    """Raise ModelError for scales that are not finite."""
    for scale in scales:
        if scale is None:
            continue
        wrong = scale == 255 if scale.dtype == torch.uint8 else ~scale.isfinite()  # 255 is E8M0's NaN
        if bool(wrong.any()):
            raise ModelError(f"{int(wrong.sum())} of its scales are not finite, expected numbers")


def _grouped(
    codes: Tensor, bits: int, group_size: int, scale: Tensor, zero: Tensor | None, table: int | None = None
) -> GroupedWeight:
    """Make a contiguous weight with a group size that kernels have, without zero points that are all the default."""
    if zero is not None and bool((zero == 1 << (bits - 1)).all()):
        zero = None
    inputs = codes.shape[1]
    if group_size not in (*GROUP_SIZES, inputs):  # a larger group is split into several with the same scale
        size = GROUP_SIZES[-1]
        scale = scale.repeat_interleave(group_size // size, 1)
        zero = None if zero is None else zero.repeat_interleave(group_size // size, 1)
        group_size = size
    zero = None if zero is None else zero.contiguous()
    return GroupedWeight(codes.contiguous(), bits, group_size, scale.contiguous(), zero, table=table)


def _groups(inputs: int, group_size: int) -> int:
    """Return the number of groups in a row. ModelError for a size that no kernel has."""
    largest = GROUP_SIZES[-1]
    known = group_size in (*GROUP_SIZES, inputs) or (group_size > largest and group_size % largest == 0)
    if not known or inputs % group_size:
        sizes = ", ".join(map(str, GROUP_SIZES))
        raise ModelError(
            f"its groups are of {group_size} inputs, expected {sizes}, a multiple of {largest} or whole rows, and a "
            f"divisor of {inputs}"
        )
    return inputs // group_size


def groups_of(scale: Stored, inputs: int) -> int:
    """Return the number of groups in a row by the shape of the scales. ModelError for a size that no kernel has."""
    groups = scale.shape[1] if len(scale.shape) == 2 else 1
    if groups == 0 or inputs % groups:
        raise ModelError(f"weight_scale has {groups} groups, expected a divisor of {inputs} inputs")
    return _groups(inputs, inputs // groups)


def _order(g_idx: Tensor, groups: int, group_size: int) -> Tensor | None:
    """Return the order of inputs that makes groups contiguous; None if they are."""
    if int(g_idx.min()) < 0 or int(g_idx.max()) >= groups:
        raise ModelError(f"g_idx has {int(g_idx.min())} to {int(g_idx.max())}, expected groups from 0 to {groups - 1}")
    if bool((torch.bincount(g_idx, minlength=groups) != group_size).any()):
        raise ModelError(f"g_idx has groups of different sizes, expected {group_size} inputs in each")
    order = g_idx.argsort(stable=True)
    return None if bool((order == torch.arange(len(order))).all()) else order


def _by_output(scale: Tensor, outputs: int) -> Tensor:
    """Expand scales for the whole layer or for each output to [out_features, groups]."""
    if scale.numel() == 1:
        return scale.reshape(1, 1).expand(outputs, 1)
    scale = scale.unsqueeze(-1) if scale.dim() == 1 else scale
    if scale.dim() != 2 or scale.shape[0] != outputs:
        raise ModelError(f"weight_scale is {tuple(scale.shape)}, expected one for each of {outputs} outputs")
    return scale


def _require(name: str, tensor: Stored, shape: tuple[int, ...], dtype: torch.dtype | None = None) -> None:
    if tuple(tensor.shape) != shape or dtype not in (None, tensor.dtype):
        expected = f"{list(shape)}" if dtype is None else f"{str(dtype).removeprefix('torch.')} {list(shape)}"
        raise ModelError(f"{name} is {tensor.dtype} {list(tensor.shape)}, expected {expected}")

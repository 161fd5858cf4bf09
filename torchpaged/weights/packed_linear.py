"""Linear layers for the CPU with weights in the layout that `torch.ops.torchpaged.packed_linear` streams, and
embeddings that read rows of such a weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from torchpaged.ops import active_backend, cpu
from torchpaged.ops.grouped_weights import MIDDLE, OFFSETS, PANEL, SCALE_DTYPES, ZEROS, GroupedFormat
from torchpaged.ops.linear import fake_pack_linear_weight
from torchpaged.ops.linear_reference import dequantize_grouped
from torchpaged.utils.huge_pages import Region, huge_page_zeros
from torchpaged.weights.freed_weight import AbsentWeight
from torchpaged.weights.grouped_weight import GROUP_SIZES, GroupedWeight

# Bytes. A smaller weight would waste most of a 2 MiB page.
_HUGE_PAGES_FROM = 1 << 20
# A packed int8 weight is stored as w + 128 (csrc/cpu/linear.h).
_WEIGHT_OFFSET = 128
# Elements that are packed at a time, so that intermediate results stay in the cache and reuse the same memory.
_PACKED_AT_ONCE = 1 << 18


def on_huge_pages(packed: Tensor, region: Region | None = None) -> Tensor:
    """Copy a packed weight to a region or to huge pages, which stream fastest; a small one without a region stays."""
    if region is not None:
        return region.zeros(packed.shape, packed.dtype).copy_(packed)
    if packed.nbytes < _HUGE_PAGES_FROM:
        return packed
    return huge_page_zeros(packed.shape, packed.dtype).copy_(packed)


@dataclass(frozen=True, slots=True)
class Int8Weight:
    """A float weight that is to be quantised to int8 * scale[:, None] while it is packed.

    Args:
        weight: [out_features, in_features].
        quantise: returns (int8, scale [rows]) of some rows.
    """

    weight: Tensor
    quantise: Callable[[Tensor], tuple[Tensor, Tensor]]

    @property
    def shape(self) -> torch.Size:
        """(out_features, in_features)."""
        return self.weight.shape

    def pack(self, region: Region | None = None) -> tuple[Tensor, Tensor]:
        """Return (packed, scale [out_features]). Some rows are quantised at a time: there is no int8 copy of all."""
        scale = torch.empty(self.shape[0])
        packed = _room(self.shape, torch.int8, region)
        at_once = _rows_at_once(self.shape[1])
        for begin in range(0, self.shape[0], at_once):
            int8, scale[begin : begin + at_once] = self.quantise(self.weight[begin : begin + at_once])
            _pack_into(int8, packed, begin)
        return packed, scale


class PackedLinear(nn.Module):
    """`nn.Linear` for inference, with a float32, float16, bfloat16 or int8 weight packed on 2 MiB pages, or one of 4 or
    8 bits with scales for groups of inputs (`from_grouped`).

    Quantised weights are multiplied with int8 activations, which have a scale for each group of the weight, or for each
    128 inputs of a row. A row's result does not depend on the other rows of the input: it is the same alone or in a
    batch, bit for bit.

    Args:
        weight: [out_features, in_features] of a float dtype, or int8 with `weight_scale`. It is packed into a copy.
        bias: [out_features] of the input's dtype or float32, or None.
        weight_scale: [out_features] float32 of an int8 weight; the float weight is weight * weight_scale[:, None].
        dtype: of the float weight that was quantised to int8; None: float32.

    Attributes:
        weight: shape and dtype of the float weight and nothing else (`AbsentWeight`): model code may cast its input to
            that dtype, but gets an error if it reads the weight.

    Raises:
        ValueError: another dtype or shape, or a scale that is missing or not expected.
    """

    packed_weight: Tensor
    bias: Tensor | None
    weight_scale: Tensor | None
    format: GroupedFormat | None = None
    _format_code = 0

    def __init__(
        self,
        weight: Tensor,
        bias: Tensor | None = None,
        weight_scale: Tensor | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if (weight_scale is None) == (weight.dtype == torch.int8):
            found = "None" if weight_scale is None else "a tensor"
            raise ValueError(
                f"PackedLinear: weight_scale is {found} with a {weight.dtype} weight, expected a tensor for int8 only"
            )
        with torch.no_grad():
            packed = packed_whole([weight])
        stands_for = weight.dtype if weight_scale is None else dtype or torch.float32
        self._hold(packed, weight.shape, stands_for, bias, weight_scale)

    def _hold(
        self,
        packed: Tensor,
        shape: torch.Size,
        dtype: torch.dtype,
        bias: Tensor | None,
        weight_scale: Tensor | None,
    ) -> None:
        """Set all attributes but the format."""
        self.out_features, self.in_features = shape
        self.weight = AbsentWeight(shape, dtype)
        for name, tensor in (("bias", bias), ("weight_scale", weight_scale)):
            if tensor is not None and tensor.shape != (self.out_features,):
                raise ValueError(
                    f"PackedLinear: {name} has shape {tuple(tensor.shape)}, expected ({self.out_features},)"
                )
        self.register_buffer("packed_weight", packed)
        self.register_buffer("bias", None if bias is None else bias.detach().clone())
        self.register_buffer("weight_scale", None if weight_scale is None else weight_scale.detach().clone())
        # Bytes that a forward reads, also once the weight is a part of a joined one and this buffer is empty.
        self.weight_bytes = packed.nbytes + (0 if weight_scale is None else weight_scale.nbytes)

    @property
    def quantised(self) -> bool:
        """True if the weight has 8 or 4 bits."""
        return self.weight_scale is not None or self.format is not None

    @classmethod
    def from_grouped(
        cls,
        weight: GroupedWeight,
        bias: Tensor | None = None,
        dtype: torch.dtype | None = None,
        region: Region | None = None,
    ) -> PackedLinear:
        """Make a layer with exactly the values of a grouped weight.

        Symmetric weights of 8 bits with a scale for each row become int8.

        Args:
            dtype: of the float weight that was quantised; None: float32.
            region: memory for the packed weight, unless that is int8.

        Raises:
            ValueError: a bias of another shape, or a 4-bit code above 15.
        """
        by_row = weight.group_size == weight.in_features and weight.scale_steps is None
        if weight.bits == 8 and by_row and weight.zero is None and weight.offset is None:
            return cls((weight.codes ^ 128).view(torch.int8), bias, weight.scale.flatten().float(), dtype)
        packed, form = pack_grouped(weight)
        return cls.from_packed(on_huge_pages(packed, region), form, weight.codes.shape, bias, dtype)

    @classmethod
    def from_int8(
        cls,
        weight: Int8Weight,
        bias: Tensor | None = None,
        dtype: torch.dtype | None = None,
        region: Region | None = None,
    ) -> PackedLinear:
        """Make a layer of a weight that becomes int8; other arguments as `from_grouped`."""
        with torch.no_grad():
            packed, scale = weight.pack(region)
        layer = cls.__new__(cls)
        nn.Module.__init__(layer)
        layer._hold(packed, weight.shape, dtype or torch.float32, bias, scale)
        return layer

    @classmethod
    def from_floats(
        cls, packed: Tensor, shape: Sequence[int], dtype: torch.dtype, bias: Tensor | None = None
    ) -> PackedLinear:
        """Make a layer of the packed weight of another one that is not quantised; others as `from_packed`."""
        layer = cls.__new__(cls)
        nn.Module.__init__(layer)
        layer._hold(packed, torch.Size(shape), dtype, bias, None)
        return layer

    @classmethod
    def from_packed(
        cls,
        packed: Tensor,
        format: GroupedFormat,
        shape: Sequence[int],
        bias: Tensor | None = None,
        dtype: torch.dtype | None = None,
    ) -> PackedLinear:
        """Make a layer of the result of `pack_grouped`; `shape` is (outputs, inputs), others as `from_grouped`."""
        layer = cls.__new__(cls)
        nn.Module.__init__(layer)
        layer.format, layer._format_code = format, format.code
        layer._hold(packed, torch.Size(shape), dtype or torch.float32, bias, None)
        return layer

    @classmethod
    def from_linear(cls, linear: nn.Linear, dtype: torch.dtype | None = None) -> PackedLinear:
        """Pack an `nn.Linear` as it is, or as int8 with one symmetric scale an output.

        Raises:
            ValueError: a dtype that is neither int8 nor the weight's.
        """
        weight = linear.weight.detach()
        if dtype == torch.int8:
            int8, scale = quantise_weight(weight)
            return cls(int8, linear.bias, scale, weight.dtype)
        if dtype not in (None, weight.dtype):
            raise ValueError(
                f"PackedLinear: dtype is {dtype} for a {weight.dtype} weight, expected torch.int8 or the weight's own"
            )
        return cls(weight, linear.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Map [.., in_features] to [.., out_features], in the weight's dtype; in any float dtype if it is quantised."""
        out: Tensor = torch.ops.torchpaged.packed_linear(
            input,
            self.packed_weight,
            self.out_features,
            bias=self.bias,
            weight_scale=self.weight_scale,
            format=self._format_code,
        )
        return out

    def extra_repr(self) -> str:
        """Describe the module for `print`."""
        kind = "int8" if self.weight_scale is not None else str(self.packed_weight.dtype).removeprefix("torch.")
        if self.format is not None:
            kind = f"{self.format.bits} bits in groups of {self.format.group_size}"
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}, weight={kind}"


class PackedEmbedding(nn.Module):
    """`nn.Embedding` for inference, whose table is the quantised weight of a layer, such as a tied head.

    Args:
        linear: [vocabulary, embedding_dim], int8 or grouped.
        dtype: of the rows that it returns.

    Attributes:
        weight: as `PackedLinear`'s.
    """

    packed_weight: Tensor
    weight_scale: Tensor | None

    def __init__(self, linear: PackedLinear, dtype: torch.dtype) -> None:
        super().__init__()
        self.format = linear.format
        self.num_embeddings, self.embedding_dim, self.dtype = linear.out_features, linear.in_features, dtype
        self.weight = AbsentWeight((linear.out_features, linear.in_features), dtype)
        self.register_buffer("packed_weight", linear.packed_weight)
        self.register_buffer("weight_scale", linear.weight_scale)

    def forward(self, input: Tensor) -> Tensor:
        """Map token ids of any shape [..] to [.., embedding_dim]."""
        if self.format is not None:
            return dequantize_grouped(self.packed_weight, self.format, self.embedding_dim, input).to(self.dtype)
        assert self.weight_scale is not None
        words = self.packed_weight[input // PANEL, :, input % PANEL]
        rows = words.flatten(-2)[..., : self.embedding_dim].float() - _WEIGHT_OFFSET
        return (rows * self.weight_scale[input].unsqueeze(-1)).to(self.dtype)

    def extra_repr(self) -> str:
        """Describe the module for `print`."""
        kind = "int8" if self.format is None else f"{self.format.bits} bits in groups of {self.format.group_size}"
        return f"{self.num_embeddings}, {self.embedding_dim}, weight={kind}"


def pack_grouped(weight: GroupedWeight) -> tuple[Tensor, GroupedFormat]:
    """Pack a weight for `packed_linear`, with exactly its values, and return the format too.

    Scales of whole rows are repeated for each 128 inputs. Scales with steps that the format cannot hold become float32.

    Raises:
        ValueError: a 4-bit code above 15.
    """
    parts = {"scale": weight.scale, "zero": weight.zero, "offset": weight.offset}
    steps = {"scale_steps": weight.scale_steps, "offset_steps": weight.offset_steps}
    kept = all(each is None or each.dtype == torch.int8 or int(each.max()) < 128 for each in steps.values())
    both = weight.offset is None or (weight.scale_steps is None) == (weight.offset_steps is None)
    alike = weight.offset is None or weight.offset.shape == weight.scale.shape
    by_group = weight.group_size in GROUP_SIZES
    shared = 0
    if weight.scale_steps is not None and kept and both and alike and by_group:
        shared = weight.in_features // weight.scale.shape[1]
        parts |= {name: None if each is None else each.to(torch.int8) for name, each in steps.items()}
    elif any(each is not None for each in steps.values()):
        parts |= {"scale": weight.group_scales(), "offset": weight.group_offsets()}
    group_size = weight.group_size
    if not by_group:
        group_size = GROUP_SIZES[-1]
        groups = -(-weight.in_features // group_size)
        parts = {name: None if each is None else each.expand(-1, groups) for name, each in parts.items()}
    origin = ZEROS if weight.zero is not None else MIDDLE if weight.offset is None else OFFSETS
    origin = origin if weight.table is None else weight.table
    scale, *others = (None if each is None else each.contiguous() for each in parts.values())
    assert scale is not None
    form = GroupedFormat(weight.bits, group_size, SCALE_DTYPES.index(scale.dtype), origin, shared)
    given = dict(zip([name for name in parts if name != "scale"], others, strict=True))
    packed: Tensor = torch.ops.torchpaged.pack_grouped_weight(weight.codes.contiguous(), form.code, scale, **given)
    return packed, form


def packed_whole(weights: Sequence[Tensor], region: Region | None = None) -> Tensor:
    """Concatenate weights [outputs, inputs] of one dtype along the outputs and pack them, on huge pages.

    If all but the last have whole panels of outputs, there is never a second copy of them.
    """
    if any(len(each) % PANEL for each in weights[:-1]):
        weights = [torch.cat(tuple(weights))]
    packed = _room((sum(map(len, weights)), weights[0].shape[1]), weights[0].dtype, region)
    first = 0
    for weight in weights:
        # A transposed weight is copied, so only some of its rows at a time.
        at_once = len(weight) if weight.stride(1) == 1 else _rows_at_once(weight.shape[1])
        for begin in range(0, len(weight), at_once):
            _pack_into(weight[begin : begin + at_once], packed, first + begin)
        first += len(weight)
    return packed


def _room(shape: Sequence[int], dtype: torch.dtype, region: Region | None) -> Tensor:
    """Allocate memory for the result of `pack_linear_weight`: in a region, else on huge pages if it is large."""
    like = fake_pack_linear_weight(torch.empty(*shape, dtype=dtype, device="meta"))
    if region is not None:
        return region.zeros(like.shape, like.dtype)
    if like.nbytes < _HUGE_PAGES_FROM:
        return torch.empty(like.shape, dtype=like.dtype)
    return huge_page_zeros(like.shape, like.dtype)


def _rows_at_once(inputs: int) -> int:
    """Return a number of rows of whole panels, bounded by `_PACKED_AT_ONCE`."""
    return max(1, _PACKED_AT_ONCE // max(1, inputs * PANEL)) * PANEL


def _pack_into(weight: Tensor, packed: Tensor, first: int) -> None:
    """Pack rows of a weight to row `first` of the packed one, where a panel begins."""
    weight = weight if weight.stride(1) == 1 else weight.contiguous()
    panels = packed[first // PANEL : -(-(first + len(weight)) // PANEL)]
    if active_backend("pack_linear_weight", "cpu") == "cpp" and weight.numel():
        cpu.pack_weight(weight, panels)
    else:
        panels.copy_(torch.ops.torchpaged.pack_linear_weight(weight))


def quantise_weight(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Quantise a float weight to int8 with one symmetric scale an output: weight ~ int8 * scale[:, None]."""
    int8, scale = torch.empty(weight.shape, dtype=torch.int8), torch.empty(weight.shape[0])
    at_once = max(1, _PACKED_AT_ONCE // max(1, weight.shape[1]))
    for first in range(0, weight.shape[0], at_once):
        part = slice(first, first + at_once)
        rows = weight[part].detach().float()
        largest = rows.abs().amax(1) / 127.0
        scale[part] = torch.where(largest > 0, largest, 1.0)
        int8[part] = (rows / scale[part, None]).round().to(torch.int8)
    return int8, scale

"""Linear layers for the CPU whose weight lies in memory as `torch.ops.torchpaged.packed_linear` streams it, and
embeddings that read such a weight's rows."""

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

# Below this a weight would mostly pad its last 2 MiB page.
_HUGE_PAGES_FROM = 1 << 20
# A packed int8 weight is kept as w + 128 (csrc/cpu/linear.h).
_WEIGHT_OFFSET = 128
# Elements of a weight: so much of what is made of it on the way lies in the cache, and in memory that is taken once.
_PACKED_AT_ONCE = 1 << 18


def on_huge_pages(packed: Tensor, region: Region | None = None) -> Tensor:
    """A packed weight as it is streamed fastest: a copy, unless it is small and has no region to lie in."""
    if region is not None:
        return region.zeros(packed.shape, packed.dtype).copy_(packed)
    if packed.nbytes < _HUGE_PAGES_FROM:
        return packed
    return huge_page_zeros(packed.shape, packed.dtype).copy_(packed)


@dataclass(frozen=True, slots=True)
class Int8Weight:
    """A float weight that is to be int8 * scale[:, None].

    Args:
        weight: [out_features, in_features].
        quantise: gives (int8, scale [rows]) of some of its rows.
    """

    weight: Tensor
    quantise: Callable[[Tensor], tuple[Tensor, Tensor]]

    @property
    def shape(self) -> torch.Size:
        """Outputs and inputs."""
        return self.weight.shape

    def pack(self, region: Region | None = None) -> tuple[Tensor, Tensor]:
        """(packed, scale [out_features]), some rows after the others, without the memory of all of them as int8."""
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

    What is not a float is multiplied with activations in int8, a scale for each group of the weight, or 128 of a row.
    A row's result does not depend on the other rows of the input: it is the same alone or in a batch, bit for bit.

    Args:
        weight: [out_features, in_features] of a float dtype, or int8 with `weight_scale`. It is packed into a copy.
        bias: [out_features] of the input's dtype or float32, or None.
        weight_scale: [out_features] float32 of an int8 weight; the float weight is weight * weight_scale[:, None].
        dtype: of the float weight that an int8 one stands for; None: float32.

    Attributes:
        weight: shape and dtype of the float weight and nothing else (`AbsentWeight`): a model's own code may bring its
            input to that dtype, and has an error where it reads it.

    Raises:
        ValueError: another dtype or shape, or a scale that is missing or too much.
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
        # As it is read, also when it lies in a joined weight and this one is empty.
        self.weight_bytes = packed.nbytes + (0 if weight_scale is None else weight_scale.nbytes)

    @property
    def quantised(self) -> bool:
        """Whether the weight has 8 or 4 bits."""
        return self.weight_scale is not None or self.format is not None

    @classmethod
    def from_grouped(
        cls,
        weight: GroupedWeight,
        bias: Tensor | None = None,
        dtype: torch.dtype | None = None,
        region: Region | None = None,
    ) -> PackedLinear:
        """A layer of these very values: 4 or 8 bits a weight in memory, and what the scales of its groups take.

        Symmetric weights of 8 bits with a scale for each row are int8 ones.

        Args:
            dtype: of the float weight that it stands for; None: float32.
            region: where the packed weight is to lie, but of int8.

        Raises:
            ValueError: a bias of another shape, or codes of 4 bits of which one is 16 or more.
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
        """A layer of a weight that becomes int8; the others as `from_grouped`."""
        with torch.no_grad():
            packed, scale = weight.pack(region)
        layer = cls.__new__(cls)
        nn.Module.__init__(layer)
        layer._hold(packed, weight.shape, dtype or torch.float32, bias, scale)
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
        """A layer of what `pack_grouped` gives, [out_features, in_features] in shape; the others as `from_grouped`."""
        layer = cls.__new__(cls)
        nn.Module.__init__(layer)
        layer.format, layer._format_code = format, format.code
        layer._hold(packed, torch.Size(shape), dtype or torch.float32, bias, None)
        return layer

    @classmethod
    def from_linear(cls, linear: nn.Linear, dtype: torch.dtype | None = None) -> PackedLinear:
        """The same layer, packed as it is, or as int8 with one symmetric scale an output.

        Raises:
            ValueError: a dtype that is neither int8 nor the weight's.
        """
        weight = linear.weight.detach()
        if dtype == torch.int8:
            int8, scale = quantise_weight(weight)
            return cls(int8, linear.bias, scale, weight.dtype)
        if dtype not in (None, weight.dtype):
            raise ValueError(
                f"PackedLinear: dtype is {dtype} of a {weight.dtype} weight, expected torch.int8 or what the weight is"
            )
        return cls(weight, linear.bias)

    def forward(self, input: Tensor) -> Tensor:
        """[.., in_features] to [.., out_features], in the weight's dtype; with an int8 weight in any float dtype."""
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
        """What `print(module)` shows."""
        kind = "int8" if self.weight_scale is not None else str(self.packed_weight.dtype).removeprefix("torch.")
        if self.format is not None:
            kind = f"{self.format.bits} bits in groups of {self.format.group_size}"
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}, weight={kind}"


class PackedEmbedding(nn.Module):
    """`nn.Embedding` for inference, whose table is a layer's weight of few bits: a head and what is tied to it, once.

    Args:
        linear: [vocabulary, embedding_dim], int8 or grouped.
        dtype: of the rows that it gives.

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
        """Token ids of any shape to [.., embedding_dim]."""
        if self.format is not None:
            return dequantize_grouped(self.packed_weight, self.format, self.embedding_dim, input).to(self.dtype)
        assert self.weight_scale is not None
        words = self.packed_weight[input // PANEL, :, input % PANEL]
        rows = words.flatten(-2)[..., : self.embedding_dim].float() - _WEIGHT_OFFSET
        return (rows * self.weight_scale[input].unsqueeze(-1)).to(self.dtype)

    def extra_repr(self) -> str:
        """What `print(module)` shows."""
        kind = "int8" if self.format is None else f"{self.format.bits} bits in groups of {self.format.group_size}"
        return f"{self.num_embeddings}, {self.embedding_dim}, weight={kind}"


def pack_grouped(weight: GroupedWeight) -> tuple[Tensor, GroupedFormat]:
    """A weight as `packed_linear` takes it beside its format, with the values that it had.

    Scales of a whole row are repeated for each 128 inputs; with steps that the format has no place for they become
    float32.

    Raises:
        ValueError: codes of 4 bits of which one is 16 or more.
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
    """Weights [outputs, inputs] of one dtype as `pack_linear_weight` packs them below each other, on huge pages.

    Where the outputs of all but the last fill panels there is never a second copy of them.
    """
    if any(len(each) % PANEL for each in weights[:-1]):
        weights = [torch.cat(tuple(weights))]
    packed = _room((sum(map(len, weights)), weights[0].shape[1]), weights[0].dtype, region)
    first = 0
    for weight in weights:
        # Those that lie in another order are copied on the way.
        at_once = len(weight) if weight.stride(1) == 1 else _rows_at_once(weight.shape[1])
        for begin in range(0, len(weight), at_once):
            _pack_into(weight[begin : begin + at_once], packed, first + begin)
        first += len(weight)
    return packed


def _room(shape: Sequence[int], dtype: torch.dtype, region: Region | None) -> Tensor:
    """For a weight of this shape and type as `pack_linear_weight` packs it; in a region, or on huge pages if large."""
    like = fake_pack_linear_weight(torch.empty(*shape, dtype=dtype, device="meta"))
    if region is not None:
        return region.zeros(like.shape, like.dtype)
    if like.nbytes < _HUGE_PAGES_FROM:
        return torch.empty(like.shape, dtype=like.dtype)
    return huge_page_zeros(like.shape, like.dtype)


def _rows_at_once(inputs: int) -> int:
    """Panels' rows, so many as `_PACKED_AT_ONCE` allows."""
    return max(1, _PACKED_AT_ONCE // max(1, inputs * PANEL)) * PANEL


def _pack_into(weight: Tensor, packed: Tensor, first: int) -> None:
    """Packs a weight's rows from row `first` of a whole one on, the first of a panel."""
    weight = weight if weight.stride(1) == 1 else weight.contiguous()
    panels = packed[first // PANEL : -(-(first + len(weight)) // PANEL)]
    if active_backend("pack_linear_weight", "cpu") == "cpp" and weight.numel():
        cpu.pack_weight(weight, panels)
    else:
        panels.copy_(torch.ops.torchpaged.pack_linear_weight(weight))


def quantise_weight(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A float weight as int8 and one scale an output: weight ~ int8 * scale[:, None], symmetric around 0."""
    int8, scale = torch.empty(weight.shape, dtype=torch.int8), torch.empty(weight.shape[0])
    at_once = max(1, _PACKED_AT_ONCE // max(1, weight.shape[1]))
    for first in range(0, weight.shape[0], at_once):
        part = slice(first, first + at_once)
        rows = weight[part].detach().float()
        largest = rows.abs().amax(1) / 127.0
        scale[part] = torch.where(largest > 0, largest, 1.0)
        int8[part] = (rows / scale[part, None]).round().to(torch.int8)
    return int8, scale

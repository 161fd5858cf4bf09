"""Linear layers of a mixture's experts on the CPU: one packed weight for all experts, of which each row reads its
expert's part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor, nn

from torchpaged.ops.grouped_weights import GroupedFormat
from torchpaged.utils.huge_pages import huge_page_zeros
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import pack_grouped

# Tensors of a `GroupedWeight` besides its codes.
PARTS = ("scale", "zero", "offset", "scale_steps", "offset_steps")


@dataclass(frozen=True, slots=True)
class GroupedExperts:
    """Quantised weights of experts, each of which is read when it is asked for.

    Args:
        shape: (experts, out_features, in_features).
        read: returns the weight of an expert.
    """

    shape: tuple[int, int, int]
    read: Callable[[int], GroupedWeight]

    def __iter__(self) -> Iterator[GroupedWeight]:
        return map(self.read, range(self.shape[0]))

    def __len__(self) -> int:
        return self.shape[0]


class PackedExperts(nn.Module):
    """A linear layer without bias for each expert, for inference.

    A row's result does not depend on the other rows: it is that of `PackedLinear` with its expert's weight.

    Args:
        packed: [experts, ..], each as returned by `pack_linear_weight` or `pack_grouped_weight`.
        out_features, in_features: of each expert.
        format: of grouped weights; None for floats.
    """

    packed_weight: Tensor

    def __init__(self, packed: Tensor, out_features: int, in_features: int, format: GroupedFormat | None) -> None:
        super().__init__()
        self.num_experts, self.out_features, self.in_features = len(packed), out_features, in_features
        self.format, self._format_code = format, 0 if format is None else format.code
        self.register_buffer("packed_weight", packed)

    @classmethod
    def from_grouped(cls, experts: GroupedExperts) -> PackedExperts:
        """Pack quantised experts, with exactly their values.

        Raises:
            ValueError: experts with different group sizes or bits.
        """
        try:
            packed, form = _packed(experts, len(experts))
        except _AnotherFormat:  # zeros or steps that only some of them have
            packed, form = _packed(map(_plain, experts), len(experts))
        return cls(packed, *experts.shape[1:], form)

    @classmethod
    def from_float(cls, weight: Tensor) -> PackedExperts:
        """Pack floats [experts, out_features, in_features]; inputs must have the same dtype."""
        packed: Tensor | None = None
        for i, each in enumerate(weight.detach()):
            one = torch.ops.torchpaged.pack_linear_weight(each.contiguous())
            if packed is None:
                packed = huge_page_zeros((len(weight), *one.shape), one.dtype)
            packed[i] = one
        assert packed is not None
        return cls(packed, weight.shape[1], weight.shape[2], None)

    def forward(self, input: Tensor, expert_of_row: Tensor) -> Tensor:
        """Map [.., in_features] to [.., out_features] by each row's expert, int64 [..]; zeros for unknown ones."""
        out: Tensor = torch.ops.torchpaged.packed_grouped_linear(
            input, self.packed_weight, self.out_features, expert_of_row, format=self._format_code
        )
        return out

    def extra_repr(self) -> str:
        """Describe the module for `print`."""
        kind = str(self.packed_weight.dtype).removeprefix("torch.")
        if self.format is not None:
            kind = f"{self.format.bits} bits in groups of {self.format.group_size}"
        return f"{self.num_experts} x (in_features={self.in_features}, out_features={self.out_features}), weight={kind}"


def alike(weights: Sequence[GroupedWeight]) -> bool:
    """Tell if weights have the same inputs, bits, group size and parts, so that they can be concatenated."""

    def form(weight: GroupedWeight) -> tuple[object, ...]:
        kinds = ((each.dtype, each.shape[1]) for each in map(partial(getattr, weight), PARTS) if each is not None)
        there = (getattr(weight, name) is not None for name in PARTS)
        return (weight.bits, weight.group_size, weight.table, weight.in_features, *there, *kinds)

    return len({form(each) for each in weights}) == 1


def made_alike(weights: Sequence[GroupedWeight]) -> list[GroupedWeight]:
    """Give weights the same parts, with the same values.

    If some have zeros, the default zero is added to the others; if their scales have different parts, all get a float32
    scale for each group.
    """
    found = list(weights)
    if any(each.zero is not None for each in found):
        found = [each if each.zero is not None or each.offset is not None else _with_zero(each) for each in found]
    return found if alike(found) else [_with_whole_scales(each) for each in found]


def joined(weights: Sequence[GroupedWeight]) -> GroupedWeight:
    """Concatenate weights that are alike along their outputs."""
    first = weights[0]
    there = [name for name in ("codes", *PARTS) if getattr(first, name) is not None]
    whole = {name: torch.cat([getattr(each, name) for each in weights]) for name in there}
    return GroupedWeight(bits=first.bits, group_size=first.group_size, table=first.table, **whole)


class _AnotherFormat(ValueError):
    """An expert's packed format differs from the one before."""


def _packed(experts: Iterable[GroupedWeight], count: int) -> tuple[Tensor, GroupedFormat]:
    """Pack experts one after the other, so that there is never a second copy of all."""
    packed: Tensor | None = None
    form: GroupedFormat | None = None
    for i, weight in enumerate(experts):
        one, own = pack_grouped(weight)
        if packed is None:
            packed, form = huge_page_zeros((count, *one.shape), one.dtype), own
        if own != form:
            raise _AnotherFormat(f"PackedExperts: expert {i} is {own}, expected {form} as those before it")
        packed[i] = one
    assert packed is not None and form is not None
    return packed, form


def _plain(weight: GroupedWeight) -> GroupedWeight:
    """Give a weight a float32 scale for each group, and a zero unless it has an offset or a table."""
    if weight.zero is None and weight.offset is None and weight.table is None:
        weight = _with_zero(weight)
    return _with_whole_scales(weight)


def _with_whole_scales(weight: GroupedWeight) -> GroupedWeight:
    scale, offset = weight.group_scales(), weight.group_offsets()
    return GroupedWeight(weight.codes, weight.bits, weight.group_size, scale, weight.zero, offset, table=weight.table)


def _with_zero(weight: GroupedWeight) -> GroupedWeight:
    middle = torch.full((weight.out_features, weight.groups), 1 << (weight.bits - 1), dtype=torch.uint8)
    return replace(weight, zero=middle)

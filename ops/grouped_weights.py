"""The packed format of weights of 4 or 8 bits whose scales belong to groups of inputs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from torchpaged.ops.checks import refuse

# Outputs in a panel of a packed weight (csrc/cpu/linear.h).
PANEL = 32
# In uint8 a byte e stands for 2 ** (e - 128).
SCALE_DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.uint8)
# How a code becomes a number: its zero is 2 ** (bits - 1), or each group's own; or each group has an offset; or a code
# of 4 bits is an index into a table: twice E2M1's values, those of ggml's IQ4 formats, NF4_UNIT times NF4's, rounded.
MIDDLE, ZEROS, OFFSETS, E2M1, IQ4, NF4 = range(6)
TABLES = {
    E2M1: (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12),
    IQ4: (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113),
    NF4: (-112, -78, -59, -44, -32, -21, -10, 0, 9, 18, 28, 38, 49, 63, 81, 112),
}
# NF4's values are not whole numbers: this factor gives the least error, 0.0017 in RMS where the largest value is 1.
NF4_UNIT = 112.03
# A panel's parts begin on a cache line.
_LINE = 64


class Part(NamedTuple):
    """A part of a panel: [entries, 32] values from byte `begin` on."""

    begin: int
    entries: int
    dtype: torch.dtype

    @property
    def end(self) -> int:
        """The first byte after the part."""
        return self.begin + self.entries * PANEL * self.dtype.itemsize


class GroupedFormat(NamedTuple):
    """The format that the operators' `format` argument encodes, as `code`.

    Args:
        bits: 4 or 8.
        group_size: 16, 32, 64 or 128 inputs; the last group of a row may have fewer.
        scale_type: dtype of scales and offsets, an index into `SCALE_DTYPES`.
        origin: MIDDLE, ZEROS, OFFSETS, or one of `TABLES`.
        shared: 0, or the number of inputs that share a scale and an offset, of which each group has an int8 multiple.
            Scales in uint8 go with a table and without `shared`.
    """

    bits: int
    group_size: int
    scale_type: int
    origin: int = MIDDLE
    shared: int = 0

    @property
    def code(self) -> int:
        """The number of this format, above 0."""
        return self.bits | self.group_size << 8 | self.scale_type << 16 | self.origin << 20 | self.shared << 24

    @classmethod
    def of(cls, code: int) -> GroupedFormat:
        """Decode a code without checking it."""
        return cls(code & 255, code >> 8 & 255, code >> 16 & 15, code >> 20 & 15, code >> 24)

    def groups(self, in_features: int) -> int:
        """Return the number of groups in a row."""
        return -(-in_features // self.group_size)

    def parts(self, in_features: int) -> dict[str, Part]:
        """Return a panel's parts by `pack_grouped_weight`'s names; the last are the codes, in words of four bytes."""
        groups, dtype = self.groups(in_features), SCALE_DTYPES[self.scale_type]
        scales = -(-in_features // self.shared) if self.shared else groups
        sizes = {"scale": (scales, dtype)}
        if self.origin == ZEROS:
            sizes["zero"] = (groups, torch.uint8)
        if self.origin == OFFSETS:
            sizes["offset"] = (scales, dtype)
        if self.shared:
            sizes["scale_steps"] = (groups, torch.int8)
        if self.shared and self.origin == OFFSETS:
            sizes["offset_steps"] = (groups, torch.int8)
        sizes["codes"] = (-(-in_features * self.bits // 32), torch.uint32)
        parts, begin = {}, 0
        for name, (entries, each) in sizes.items():
            parts[name] = Part(begin, entries, each)
            begin = -(-parts[name].end // _LINE) * _LINE
        return parts

    def panel_bytes(self, in_features: int) -> int:
        """Return the size of a panel of 32 outputs."""
        return self.parts(in_features)["codes"].end


def format_of(op: str, code: int) -> GroupedFormat:
    """Decode the `format` argument of the operator `op`.

    Raises:
        ValueError: there is no such format.
    """
    of = GroupedFormat.of(code)
    good = of.bits in (4, 8) and of.group_size in (16, 32, 64, 128) and of.scale_type < 4
    good = good and (of.origin < 3 or (of.origin in TABLES and of.bits == 4))
    good = good and (of.scale_type < 3 or (of.origin in TABLES and not of.shared))
    if not (good and of.shared >= 0 and of.shared % of.group_size == 0):
        expected = (
            "the code of a GroupedFormat: bits 4 or 8, group_size 16, 32, 64 or 128, scale_type 0 to 2, origin 0 to 2, "
            "or with 4 bits to 5, shared a multiple of group_size or 0; "
            "scale_type 3 with an origin above 2 and no shared"
        )
        refuse(op, "format", f"is {code}", expected)
    return of


def scale_values(scale: Tensor) -> Tensor:
    """Convert scales of any of `SCALE_DTYPES` to float32."""
    if scale.dtype != torch.uint8:
        return scale.float()
    exponents = scale.int()  # the two smallest are subnormal
    return torch.where(exponents > 1, (exponents - 1) << 23, (exponents + 1) << 21).view(torch.float32)


def looked_up(codes: Tensor, table: int) -> Tensor:
    """Look codes up in one of `TABLES`, as int8."""
    return torch.tensor(TABLES[table], dtype=torch.int8)[codes.int()]

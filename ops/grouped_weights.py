"""How a weight of 4 or 8 bits whose scales belong to groups of inputs is packed: its format, and the schema, checks and
fake of `pack_grouped_weight`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchpaged.ops.checks import _device, _dim, _dtype, _known, _last_contiguous, _refuse, _size

SCHEMA = (
    "(Tensor codes, int format, Tensor scale, *, Tensor? zero=None, Tensor? offset=None, "
    "Tensor? scale_steps=None, Tensor? offset_steps=None) -> Tensor"
)
# Outputs of a panel of a packed weight (csrc/cpu/linear.h).
PANEL = 32
# A byte e of the last stands for 2 ** (e - 128).
SCALE_DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.uint8)
# What the code of 0 is: 2 ** (bits - 1), or a group's own; or a number is added to each group. Or a code of 4 bits
# stands for what a table has: twice E2M1's values, those of ggml's IQ4 formats, NF4_UNIT times NF4's, rounded.
MIDDLE, ZEROS, OFFSETS, E2M1, IQ4, NF4 = range(6)
TABLES = {
    E2M1: (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12),
    IQ4: (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113),
    NF4: (-112, -78, -59, -44, -32, -21, -10, 0, 9, 18, 28, 38, 49, 63, 81, 112),
}
# NF4's values are no whole numbers: of this one the table has the least error, 0.0017 in RMS beside a largest of 1.
NF4_UNIT = 112.03
# A panel's parts begin on a line of the cache.
_LINE = 64


class Part(NamedTuple):
    """Of a panel: [entries, 32] values from byte `begin` on."""

    begin: int
    entries: int
    dtype: torch.dtype

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.begin + self.entries * PANEL * self.dtype.itemsize


class GroupedFormat(NamedTuple):
    """What the operators' `format` stands for: `code`, a number of these.

    Args:
        bits: 4 or 8.
        group_size: 16, 32, 64 or 128 inputs; the last group of a row may have fewer.
        scale_type: of scales and offsets, an index into `SCALE_DTYPES`.
        origin: MIDDLE, ZEROS, OFFSETS, or one of `TABLES`.
        shared: 0, or how many inputs share a scale and an offset, of which each group has its own int8 multiple.
            Scales of a byte are each group's own, and beside a table.
    """

    bits: int
    group_size: int
    scale_type: int
    origin: int = MIDDLE
    shared: int = 0

    @property
    def code(self) -> int:
        """Above 0."""
        return self.bits | self.group_size << 8 | self.scale_type << 16 | self.origin << 20 | self.shared << 24

    @classmethod
    def of(cls, code: int) -> GroupedFormat:
        """The format of a code, whatever that stands for."""
        return cls(code & 255, code >> 8 & 255, code >> 16 & 15, code >> 20 & 15, code >> 24)

    def groups(self, in_features: int) -> int:
        """Of a row."""
        return -(-in_features // self.group_size)

    def parts(self, in_features: int) -> dict[str, Part]:
        """Those of a panel, by `pack_grouped_weight`'s names; the last are the codes, in words of four bytes."""
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
        """Of a panel of 32 outputs."""
        return self.parts(in_features)["codes"].end


def format_of(op: str, code: int) -> GroupedFormat:
    """An operator's argument, checked.

    Raises:
        ValueError: it is none.
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
        _refuse(op, "format", f"is {code}", expected)
    return of


def scale_values(scale: Tensor) -> Tensor:
    """float32 of any of `SCALE_DTYPES`."""
    if scale.dtype != torch.uint8:
        return scale.float()
    exponents = scale.int()  # the two smallest are not normal
    return torch.where(exponents > 1, (exponents - 1) << 23, (exponents + 1) << 21).view(torch.float32)


def looked_up(codes: Tensor, table: int) -> Tensor:
    """int8: what codes stand for in one of `TABLES`."""
    return torch.tensor(TABLES[table], dtype=torch.int8)[codes.int()]


def check_pack_grouped_weight(
    op: str,
    codes: Tensor,
    format: int,
    scale: Tensor,
    **others: Tensor | None,
) -> None:
    """Of `pack_grouped_weight`. That codes of 4 bits are below 16 is seen when they are packed."""
    of = format_of(op, format)
    _dim(op, "codes", codes, 2, "[out_features, in_features]")
    _dtype(op, "codes", codes, torch.uint8)
    _last_contiguous(op, "codes", codes)
    if not _known(*codes.shape):
        return
    out_features, in_features = codes.shape
    if 0 in codes.shape:
        _refuse(op, "codes", f"has an empty dimension, shape {tuple(codes.shape)}", "at least one output and input")
    parts = of.parts(in_features)
    for name in ("scale", "zero", "offset", "scale_steps", "offset_steps"):
        tensor, part = scale if name == "scale" else others.get(name), parts.get(name)
        if (tensor is None) != (part is None):
            found = "is None" if tensor is None else "is given"
            _refuse(op, name, found, f"{'None' if part is None else 'a tensor'} with this format")
        if tensor is None or part is None:
            continue
        _dim(op, name, tensor, 2, "[out_features, entries]")
        _size(op, name, tensor, 0, out_features, "out_features")
        _size(op, name, tensor, 1, part.entries, "entries of a row")
        _dtype(op, name, tensor, part.dtype)
        _device(op, name, tensor, codes.device)
        if _known(*tensor.shape, *tensor.stride()) and not tensor.is_contiguous():
            _refuse(op, name, f"has strides {tensor.stride()}, shape {tuple(tensor.shape)}", "a contiguous tensor")


def check_packed(op: str, name: str, weight: Tensor, axis: int, format: int, input: Tensor) -> None:
    """Of a packed weight that a product takes, beside the checks that it makes of any."""
    of = format_of(op, format)
    _dim(op, name, weight, axis + 2, "what pack_grouped_weight returns" + ", stacked" * axis)
    _dtype(op, name, weight, torch.uint8)
    features, size = input.shape[-1] if input.dim() else 0, weight.shape[axis + 1]
    if _known(features, size):
        expected = of.panel_bytes(features) if features else 0
        if expected != size:
            found = f"has {features} input features, {expected} bytes of a panel in format {format}"
            _refuse(op, "input", found, f"the {size} bytes of the packed weight's panels")


def fake_pack_grouped_weight(codes: Tensor, format: int, scale: Tensor, **_: Any) -> Tensor:
    """[panels, bytes of a panel]."""
    out_features, in_features = codes.shape
    panels = (out_features + PANEL - 1) // PANEL
    return codes.new_empty((panels, GroupedFormat.of(format).panel_bytes(in_features)))


def run_pack_grouped_weight(
    fn: Callable[..., None], codes: Tensor, format: int, scale: Tensor, **others: Tensor | None
) -> Tensor:
    """Calls a backend of `pack_grouped_weight`."""
    packed = fake_pack_grouped_weight(codes, format, scale)
    given = {name: others.get(name) for name in ("zero", "offset", "scale_steps", "offset_steps")}
    fn(codes, format, scale, packed, **given)
    return packed

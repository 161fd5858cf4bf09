"""`GroupedWeight`: a weight of 4 or 8 bits with scales for groups of inputs, to which all such formats are decoded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.grouped_weights import TABLES, looked_up, scale_values

GROUP_SIZES = (16, 32, 64, 128)
BITS = (4, 8)


@dataclass(frozen=True, slots=True)
class GroupedWeight:
    """A quantised weight [out_features, in_features].

    An input's group is input // group_size. The value of a code in group g of output o is

        scale[o, g] * (code - zero[o, g]) + offset[o, g]

    in float32. The default zero is 2 ** (bits - 1), or 0 if there is an offset. With `scale_steps` the scale of a group
    is scale[o, g // n] * scale_steps[o, g], where n is the number of groups that share one; likewise the offset. With a
    `table` the value is scale[o, g] * table[code].

    Args:
        codes: uint8 [out_features, in_features], each below 2 ** bits.
        bits: 4 or 8.
        group_size: 16, 32, 64, 128, or in_features; it divides in_features.
        scale: float32, float16 or bfloat16 [out_features, groups], or [out_features, groups / n] with `scale_steps`;
            with a table also uint8, where e means 2 ** (e - 128).
        zero: uint8 [out_features, groups]: the code of 0.
        offset: like scale, with its dtype; not together with `zero`.
        scale_steps, offset_steps: uint8 or int8 [out_features, groups].
        table: of `ops.grouped_weights.TABLES`, for codes of 4 bits without zero and offset.

    Raises:
        ValueError: arguments that do not fit together; the message names one.
    """

    codes: Tensor
    bits: int
    group_size: int
    scale: Tensor
    zero: Tensor | None = None
    offset: Tensor | None = None
    scale_steps: Tensor | None = None
    offset_steps: Tensor | None = None
    table: int | None = None

    def __post_init__(self) -> None:
        if self.bits not in BITS:
            _refuse("bits", self.bits, "4 or 8")
        if self.codes.dim() != 2 or self.codes.dtype != torch.uint8 or not self.codes.numel():
            found = f"{self.codes.dtype} {tuple(self.codes.shape)}"
            _refuse("codes", found, "uint8 [out_features, in_features] with at least one of each")
        if self.group_size not in (*GROUP_SIZES, self.in_features):
            _refuse("group_size", self.group_size, f"16, 32, 64, 128 or the {self.in_features} inputs")
        if self.in_features % self.group_size:
            _refuse("group_size", self.group_size, f"a divisor of the {self.in_features} inputs")
        if self.zero is not None and self.offset is not None:
            _refuse("zero", "given", "None beside an offset")
        if self.table is not None and (self.table not in TABLES or self.bits != 4):
            _refuse("table", self.table, f"one of {', '.join(map(str, TABLES))} with 4 bits")
        if self.table is not None and (self.zero is not None or self.offset is not None):
            _refuse("table", self.table, "None beside a zero or an offset")
        if self.zero is not None:
            self._require_groups("zero", self.zero, torch.uint8)
        self._require_scale("scale", self.scale, self.scale_steps)
        if self.offset is not None:
            self._require_scale("offset", self.offset, self.offset_steps)
            if self.offset.dtype != self.scale.dtype:
                _refuse("offset", self.offset.dtype, f"the scale's {self.scale.dtype}")
        elif self.offset_steps is not None:
            _refuse("offset_steps", "given", "None without an offset")

    @property
    def out_features(self) -> int:
        """Number of rows."""
        return self.codes.shape[0]

    @property
    def in_features(self) -> int:
        """Number of columns."""
        return self.codes.shape[1]

    @property
    def groups(self) -> int:
        """Number of groups in a row."""
        return self.in_features // self.group_size

    @property
    def num_bytes(self) -> int:
        """Bytes of the packed codes and of scales, zeros and offsets."""
        others = (self.scale, self.zero, self.offset, self.scale_steps, self.offset_steps)
        return self.codes.numel() * self.bits // 8 + sum(each.nbytes for each in others if each is not None)

    def group_scales(self) -> Tensor:
        """Return the scale of each group, float32 [out_features, groups]."""
        return _stepped(self.scale, self.scale_steps, self.groups)

    def group_offsets(self) -> Tensor | None:
        """Return the offset of each group, float32 [out_features, groups]; None if there are none."""
        return None if self.offset is None else _stepped(self.offset, self.offset_steps, self.groups)

    def dequantize(self) -> Tensor:
        """Compute all values, float32 [out_features, in_features]."""
        numbers = self.codes if self.table is None else looked_up(self.codes, self.table)
        codes = numbers.view(self.out_features, self.groups, self.group_size).float()
        offset = self.group_offsets()
        if self.zero is not None:
            codes = codes - self.zero.float().unsqueeze(-1)
        elif offset is None and self.table is None:
            codes = codes - float(1 << (self.bits - 1))
        values = codes * self.group_scales().unsqueeze(-1)
        if offset is not None:
            values = values + offset.unsqueeze(-1)
        return values.reshape(self.codes.shape)

    def rows(self, index: Tensor | slice) -> GroupedWeight:
        """Select outputs, in the order of the index."""
        parts = {name: getattr(self, name) for name in ("zero", "offset", "scale_steps", "offset_steps")}
        chosen: dict[str, Any] = {name: None if each is None else each[index] for name, each in parts.items()}
        return replace(self, codes=self.codes[index], scale=self.scale[index], **chosen)

    def _require_groups(self, name: str, tensor: Tensor, *dtypes: torch.dtype) -> None:
        if tensor.shape != (self.out_features, self.groups) or tensor.dtype not in dtypes:
            expected = " or ".join(str(each).removeprefix("torch.") for each in dtypes)
            _refuse(name, f"{tensor.dtype} {tuple(tensor.shape)}", f"{expected} [{self.out_features}, {self.groups}]")

    def _require_scale(self, name: str, tensor: Tensor, steps: Tensor | None) -> None:
        floats: tuple[torch.dtype, ...] = (torch.float32, torch.float16, torch.bfloat16)
        if steps is None:
            return self._require_groups(name, tensor, *floats, *((torch.uint8,) if self.table is not None else ()))
        self._require_groups(f"{name}_steps", steps, torch.uint8, torch.int8)
        fits = tensor.dim() == 2 and tensor.shape[0] == self.out_features and tensor.shape[1]
        if not fits or self.groups % tensor.shape[1] or tensor.dtype not in floats:
            expected = f"a float dtype [{self.out_features}, a divisor of {self.groups}] beside its steps"
            _refuse(name, f"{tensor.dtype} {tuple(tensor.shape)}", expected)


def _stepped(tensor: Tensor, steps: Tensor | None, groups: int) -> Tensor:
    """Return scales or offsets as float32 [out_features, groups], multiplied by their steps."""
    if steps is None:
        return scale_values(tensor)
    return tensor.float().repeat_interleave(groups // tensor.shape[1], 1) * steps.float()


def _refuse(name: str, found: object, expected: str) -> None:
    raise ValueError(f"GroupedWeight: {name} is {found}, expected {expected}")

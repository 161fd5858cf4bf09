"""Rows of a 4-bit cache: groups of 32 numbers, each in 18 bytes of a uint8 tensor.

A group is a block of ggml's Q4_0: a float16 scale, and 16 bytes. Byte i has the code of number i in its low four bits
and that of number i + 16 in its high ones. A number is (code - 8) * scale.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

DTYPE = torch.uint8
GROUP, GROUP_BYTES = 32, 18


def row_size(numbers: int, dtype: torch.dtype) -> int:
    """Return how many elements of a cache hold so many numbers of one head.

    Raises:
        ValueError: a 4-bit cache, and `numbers` is not a multiple of 32.
    """
    if dtype != DTYPE:
        return numbers
    if numbers % GROUP:
        raise ValueError(f"a head has {numbers} numbers, expected a multiple of {GROUP} for a 4-bit cache")
    return numbers // GROUP * GROUP_BYTES


def row_numbers(size: Any, dtype: torch.dtype) -> Any:
    """Return how many numbers so many elements of a cache hold."""
    return size // GROUP_BYTES * GROUP if dtype == DTYPE else size


def bytes_per_number(dtype: torch.dtype) -> float:
    """Return the bytes of a cache's number, with the scales that lie in its rows."""
    return GROUP_BYTES / GROUP if dtype == DTYPE else dtype.itemsize


def pack(rows: Tensor) -> Tensor:
    """Return rows [..., numbers] as [..., bytes] uint8; a group's scale maps its largest magnitude to code 0.

    Codes are rounded to the nearest, ties to even. A group with a NaN reads as NaN.
    """
    groups = rows.float().unflatten(-1, (-1, GROUP))
    low, high = groups.aminmax(dim=-1, keepdim=True) if groups.numel() else (groups[..., :1], groups[..., :1])
    scale = (torch.where(high >= -low, high, low) * -0.125).half()
    codes = groups / scale.float()
    codes = codes.round().clamp(-8, 7).nan_to_num(0).add(8).to(torch.uint8)  # 0 / 0 too is code 8
    packed = torch.cat([scale.view(torch.uint8), codes[..., :16] | codes[..., 16:] << 4], -1)
    return packed.flatten(-2)


def unpack(rows: Tensor) -> Tensor:
    """Return packed rows [..., bytes] as [..., numbers] float32."""
    groups = rows.unflatten(-1, (-1, GROUP_BYTES))
    scale = groups[..., :2].contiguous().view(torch.float16).float()
    codes = torch.cat([groups[..., 2:] & 15, groups[..., 2:] >> 4], -1)
    numbers: Tensor = (codes.float() - 8) * scale
    return numbers.flatten(-2)

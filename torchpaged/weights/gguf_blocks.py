"""Decodes the blocks of ggml's formats to float tensors, or to `GroupedWeight`s with exactly the same values.

Codes of 5 and 6 bits become 8 bits; those of 2 and 3 become 4. The layouts are those of ggml's `ggml-common.h`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from torchpaged.ops import cpu
from torchpaged.ops.grouped_weights import E2M1, IQ4, MIDDLE, OFFSETS, PANEL, SCALE_DTYPES, GroupedFormat
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.gguf_file import BLOCKS, Block
from torchpaged.weights.grouped_weight import GroupedWeight

_FLOATS = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
# Bytes of blocks that are packed before their pages are given back.
_PACKED_AT_ONCE = 8 << 20


def decode(block: Block, rows: Tensor) -> Tensor | GroupedWeight:
    """Decode rows of a tensor.

    Args:
        block: the format.
        rows: uint8 [rows, bytes of a row], of whole blocks.

    Returns:
        For float formats a tensor [rows, elements], a view of the bytes if they are aligned; else a `GroupedWeight`,
        which never shares memory with the bytes.
    """
    if block.name in _FLOATS:
        size = block.num_bytes
        aligned = rows if rows.data_ptr() % size == 0 and rows.is_contiguous() else rows.clone()
        return aligned.view(_FLOATS[block.name])
    blocks = rows.contiguous().view(rows.shape[0], -1, block.num_bytes)
    unpacked = _unpacked(block, blocks)
    return decode_in_torch(block, rows) if unpacked is None else unpacked


def decode_in_torch(block: Block, rows: Tensor) -> GroupedWeight:
    """Decode blocks in PyTorch, by their definition: the reference for the C++ function, and its fallback."""
    count = rows.shape[0]
    return _DECODERS[block.name](count, rows.view(count, -1, block.num_bytes))


@dataclass(frozen=True, slots=True)
class BlockRows:
    """A quantised weight as a file has it, to be decoded or packed by its consumer.

    Args:
        block: its quantised format.
        rows: uint8 [out_features, bytes of a row], of whole blocks, contiguous.
        release: is called with (first, last) once these rows have been read.
    """

    block: Block
    rows: Tensor
    release: Callable[[int, int], None]

    @property
    def shape(self) -> tuple[int, int]:
        """(out_features, in_features)."""
        return self.rows.shape[0], self.rows.shape[1] // self.block.num_bytes * self.block.elements

    def decode(self) -> GroupedWeight:
        """Decode all rows and release them."""
        found = decode(self.block, self.rows)
        assert isinstance(found, GroupedWeight)
        self.release(0, self.shape[0])
        return found

    def pack(self, region: Region) -> tuple[Tensor, GroupedFormat] | None:
        """Pack all rows: bit for bit `pack_grouped(self.decode())`, without an intermediate copy.

        Returns:
            (packed, format); None if the C++ library has no function for the format.
        """
        (out_features, in_features), packed_in = self.shape, _packed_format(self.block)
        if not cpu.load() or packed_in is None or in_features == packed_in.group_size:
            return None
        packed = region.zeros((-(-out_features // PANEL), packed_in.panel_bytes(in_features)), torch.uint8)
        step = max(1, _PACKED_AT_ONCE // (self.rows.shape[1] * PANEL)) * PANEL
        for first in range(0, out_features, step):
            rows = self.rows[first : first + step]
            cpu.pack_blocks(_NUMBERS[self.block.name], rows, packed_in.code, in_features, packed[first // PANEL :])
            self.release(first, first + len(rows))
        return packed, packed_in


def packed_bytes(block: Block, shape: tuple[int, ...]) -> int:
    """Return the bytes that `BlockRows.pack` takes of a region; 0 for a tensor that it does not pack."""
    form = _packed_format(block)
    return 0 if form is None or len(shape) != 2 else -(-shape[0] // PANEL) * form.panel_bytes(shape[1])


def _packed_format(block: Block) -> GroupedFormat | None:
    """Return the packed format of a quantised block; None for floats."""
    if block.name in _FLOATS:
        return None
    form, exponents = _FORMS[block.name], block.name == "MXFP4"
    shared = block.elements if form.steps and not exponents else 0
    origin = OFFSETS if form.has_offset else MIDDLE if form.table is None else form.table
    scale = SCALE_DTYPES.index(torch.uint8 if exponents else torch.float16)
    return GroupedFormat(form.bits, form.group_size, scale, origin, shared)


class _Form(NamedTuple):
    """The parts of a block once it is unpacked.

    Args:
        bits, group_size: as in `GroupedWeight`.
        has_offset: whether each block has a second float16, the offset.
        steps, minima: numbers of bytes that multiply the scale, and the offset.
        signed: whether `steps` are int8.
        table: as in `GroupedWeight`.
    """

    bits: int
    group_size: int
    has_offset: bool = False
    steps: int = 0
    minima: int = 0
    signed: bool = False
    table: int | None = None


_FORMS = {
    "Q4_0": _Form(4, 32),
    "Q4_1": _Form(4, 32, has_offset=True),
    "Q5_0": _Form(8, 32),
    "Q5_1": _Form(8, 32, has_offset=True),
    "Q8_0": _Form(8, 32),
    "Q2_K": _Form(4, 16, has_offset=True, steps=16, minima=16),
    "Q3_K": _Form(4, 16, steps=16, signed=True),
    "Q4_K": _Form(4, 32, has_offset=True, steps=8, minima=8),
    "Q5_K": _Form(8, 32, has_offset=True, steps=8, minima=8),
    "Q6_K": _Form(8, 16, steps=16, signed=True),
    "IQ4_NL": _Form(4, 32, table=IQ4),
    "IQ4_XS": _Form(4, 32, steps=8, signed=True, table=IQ4),
    "MXFP4": _Form(4, 32, steps=1, table=E2M1),  # the step is an exponent, and the only scale
}
_NUMBERS = {block.name: number for number, block in BLOCKS.items()}


def _unpacked(block: Block, blocks: Tensor) -> GroupedWeight | None:
    """Unpack blocks with the C++ library; None without it."""
    form, (rows, per_row, _) = _FORMS[block.name], blocks.shape
    codes = torch.empty(rows, per_row * block.elements, dtype=torch.uint8)
    scale = torch.empty(rows, per_row, dtype=torch.float16)
    offset = torch.empty_like(scale) if form.has_offset else None
    steps = torch.empty(rows, per_row * form.steps, dtype=torch.uint8) if form.steps else None
    minima = torch.empty(rows, per_row * form.minima, dtype=torch.uint8) if form.minima else None
    if not cpu.unpack_blocks(_NUMBERS[block.name], blocks.flatten(0, 1), (codes, scale, offset, steps, minima)):
        return None
    if block.name == "MXFP4" and steps is not None:
        return GroupedWeight(codes, form.bits, form.group_size, steps, table=form.table)
    steps = steps.view(torch.int8) if steps is not None and form.signed else steps
    parts = {"offset": offset, "scale_steps": steps, "offset_steps": minima}
    return GroupedWeight(codes, form.bits, form.group_size, scale, **parts, table=form.table)


def bits_of(block: Block) -> int | None:
    """Return the bits of a code once it is decoded; None for floats."""
    if block.name in _FLOATS:
        return None
    return _FORMS[block.name].bits


def _half(blocks: Tensor, at: int) -> Tensor:
    """Return the float16 at a byte offset of each block: [rows, blocks]."""
    return blocks[..., at : at + 2].clone(memory_format=torch.contiguous_format).view(torch.float16).squeeze(-1)


def _nibbles(packed: Tensor, size: int) -> Tensor:
    """Unpack uint8 codes; of each `size` codes the first half is in low nibbles, the second in high ones.

    Args:
        packed: [.., bytes], a multiple of size / 2.
    """
    pairs = packed.unflatten(-1, (-1, 1, size // 2))
    out = torch.empty((*pairs.shape[:-2], 2, size // 2), dtype=torch.uint8)
    torch.bitwise_and(pairs[..., 0, :], 15, out=out[..., 0, :])
    torch.bitwise_right_shift(pairs[..., 0, :], 4, out=out[..., 1, :])
    return out.flatten(-3)


def _crumbs(packed: Tensor, bits: int, size: int) -> Tensor:
    """Unpack codes of 1 or 2 bits; of each 8 / bits * size codes the k-th `size` are in the k-th bits of the bytes."""
    shifts = torch.arange(0, 8, bits, dtype=torch.uint8).unsqueeze(-1)
    parts = packed.unflatten(-1, (-1, 1, size))
    return torch.bitwise_and(torch.bitwise_right_shift(parts, shifts), (1 << bits) - 1).flatten(-3)


def _fifth(blocks: Tensor, at: int) -> Tensor:
    """Unpack the fifth bit of 32 codes from 4 bytes, as 16 or 0."""
    bits = torch.bitwise_right_shift(blocks[..., at : at + 4].unsqueeze(-1), torch.arange(8, dtype=torch.uint8))
    return torch.bitwise_and(bits, 1).flatten(-2).mul_(16)


def _weight(
    count: int, codes: Tensor, bits: int, group: int, scale: Tensor, table: int | None = None, **more: Tensor
) -> GroupedWeight:
    rest = {name: each.reshape(count, -1) for name, each in more.items()}
    return GroupedWeight(codes.reshape(count, -1), bits, group, scale.reshape(count, -1), table=table, **rest)


def _q4_0(count: int, blocks: Tensor) -> GroupedWeight:
    return _weight(count, _nibbles(blocks[..., 2:], 32), 4, 32, _half(blocks, 0))


def _q4_1(count: int, blocks: Tensor) -> GroupedWeight:
    return _weight(count, _nibbles(blocks[..., 4:], 32), 4, 32, _half(blocks, 0), offset=_half(blocks, 2))


def _q5_0(count: int, blocks: Tensor) -> GroupedWeight:
    codes = _nibbles(blocks[..., 6:], 32).add_(_fifth(blocks, 2)).add_(128 - 16)
    return _weight(count, codes, 8, 32, _half(blocks, 0))


def _q5_1(count: int, blocks: Tensor) -> GroupedWeight:
    codes = _nibbles(blocks[..., 8:], 32).add_(_fifth(blocks, 4))
    return _weight(count, codes, 8, 32, _half(blocks, 0), offset=_half(blocks, 2))


def _q8_0(count: int, blocks: Tensor) -> GroupedWeight:
    return _weight(count, blocks[..., 2:].bitwise_xor(128), 8, 32, _half(blocks, 0))


def _minima(blocks: Tensor, at: int) -> tuple[Tensor, Tensor]:
    """Unpack eight scales and minima of 6 bits each from 12 bytes; the last four are split into low and high bits."""
    first, second, third = (blocks[..., at + 4 * i : at + 4 * i + 4] for i in range(3))
    scales = torch.cat([first & 63, (third & 15) | ((first >> 6) << 4)], -1)
    minima = torch.cat([second & 63, (third >> 4) | ((second >> 6) << 4)], -1)
    return scales, minima


def _with_minima(count: int, blocks: Tensor, codes: Tensor, bits: int) -> GroupedWeight:
    scales, minima = _minima(blocks, 4)
    scale, offset = _half(blocks, 0), -_half(blocks, 2)
    return _weight(count, codes, bits, 32, scale, offset=offset, scale_steps=scales, offset_steps=minima)


def _q4_k(count: int, blocks: Tensor) -> GroupedWeight:
    return _with_minima(count, blocks, _nibbles(blocks[..., 16:], 64), 4)


def _q5_k(count: int, blocks: Tensor) -> GroupedWeight:
    codes = _nibbles(blocks[..., 48:], 64).add_(_crumbs(blocks[..., 16:48], 1, 32).mul_(16))
    return _with_minima(count, blocks, codes, 8)


def _q6_k(count: int, blocks: Tensor) -> GroupedWeight:
    codes = _nibbles(blocks[..., :128], 128).add_(_crumbs(blocks[..., 128:192], 2, 32).mul_(16)).add_(128 - 32)
    return _weight(count, codes, 8, 16, _half(blocks, 208), scale_steps=blocks[..., 192:208].clone().view(torch.int8))


def _q3_k(count: int, blocks: Tensor) -> GroupedWeight:
    high, low, steps = blocks[..., :32], blocks[..., 32:96], blocks[..., 96:108]
    # A code without its high bit is 4 less. The zero becomes 8.
    codes = _crumbs(low, 2, 32).add_(_crumbs(high, 1, 32).mul_(4)).add_(8 - 4)
    scales = _nibbles(steps[..., :8], 16) + (_crumbs(steps[..., 8:], 2, 4) << 4)
    return _weight(count, codes, 4, 16, _half(blocks, 108), scale_steps=scales.view(torch.int8) - 32)


def _q2_k(count: int, blocks: Tensor) -> GroupedWeight:
    steps = blocks[..., :16]
    return _weight(
        count,
        _crumbs(blocks[..., 16:80], 2, 32),
        4,
        16,
        _half(blocks, 80),
        offset=-_half(blocks, 82),
        scale_steps=steps & 15,
        offset_steps=steps >> 4,
    )


def _iq4_nl(count: int, blocks: Tensor) -> GroupedWeight:
    return _weight(count, _nibbles(blocks[..., 2:], 32), 4, 32, _half(blocks, 0), IQ4)


def _iq4_xs(count: int, blocks: Tensor) -> GroupedWeight:
    # Eight scales of 6 bits: the two high bits of all are in 2 bytes, the four low ones in 4.
    high = torch.bitwise_right_shift(blocks[..., 2:4].unsqueeze(-1), torch.arange(0, 8, 2, dtype=torch.uint8))
    low = torch.stack([blocks[..., 4:8] & 15, blocks[..., 4:8] >> 4], -1).flatten(-2)
    scales = (low | ((high.flatten(-2) & 3) << 4)).view(torch.int8) - 32
    return _weight(count, _nibbles(blocks[..., 8:], 32), 4, 32, _half(blocks, 0), IQ4, scale_steps=scales)


def _mxfp4(count: int, blocks: Tensor) -> GroupedWeight:
    return _weight(count, _nibbles(blocks[..., 1:], 32), 4, 32, blocks[..., 0].clone(), E2M1)


_DECODERS: dict[str, Callable[[int, Tensor], GroupedWeight]] = {
    "Q4_0": _q4_0,
    "Q4_1": _q4_1,
    "Q5_0": _q5_0,
    "Q5_1": _q5_1,
    "Q8_0": _q8_0,
    "Q2_K": _q2_k,
    "Q3_K": _q3_k,
    "Q4_K": _q4_k,
    "Q5_K": _q5_k,
    "Q6_K": _q6_k,
    "IQ4_NL": _iq4_nl,
    "IQ4_XS": _iq4_xs,
    "MXFP4": _mxfp4,
}

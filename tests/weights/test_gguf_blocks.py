"""`gguf_blocks`: every format's values have the bits of the `gguf` package's own dequantiser."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, quants

from torchpaged.utils.huge_pages import Region
from torchpaged.weights import gguf_blocks
from torchpaged.weights.gguf_blocks import BlockRows, bits_of, decode, decode_in_torch
from torchpaged.weights.gguf_file import BLOCKS
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import pack_grouped

FORMATS = {block.name: block for block in BLOCKS.values()}
GROUPED = [name for name in FORMATS if name not in ("F32", "F16", "BF16")]
# Offsets of float16 numbers in a block, where random bytes could be NaN.
HALVES = {
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q8_0": [0],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "IQ4_NL": [0],
    "IQ4_XS": [0],
    "MXFP4": [],
}


def random_rows(name: str, rows: int, blocks: int, seed: int = 0) -> np.ndarray:
    """Return uint8 [rows, bytes] with every code, and finite scales of both signs and zero."""
    random, block = np.random.default_rng(seed), FORMATS[name]
    data = random.integers(0, 256, (rows, blocks, block.num_bytes), dtype=np.uint8)
    for at in HALVES[name]:
        scale = random.normal(0, 0.02, (rows, blocks, 1)).astype(np.float16)
        scale[0, 0] = 0
        data[..., at : at + 2] = scale.view(np.uint8)
    if name == "MXFP4":
        data[:, :, 0] = random.integers(0, 240, (rows, blocks), dtype=np.uint8)  # the largest would overflow
        data[0, :2, 0] = [0, 1][:blocks]
    return data.reshape(rows, -1)


def oracle(name: str, rows: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(quants.dequantize(rows, GGMLQuantizationType[name]).astype(np.float32))


DECODERS = {"library": decode, "torch": decode_in_torch}


@pytest.mark.parametrize("way", DECODERS)
@pytest.mark.parametrize("name", GROUPED)
def test_values_are_those_of_the_library_that_wrote_them(name: str, way: str) -> None:
    rows = random_rows(name, 24, 6)
    weight = DECODERS[way](FORMATS[name], torch.from_numpy(rows))
    assert isinstance(weight, GroupedWeight) and weight.bits == bits_of(FORMATS[name])
    assert int(weight.codes.max()) < 1 << weight.bits
    expected = oracle(name, rows)
    assert torch.equal(weight.dequantize().view(torch.int32), expected.view(torch.int32)), "signs of 0 included"


@pytest.mark.parametrize("name", GROUPED)
def test_both_ways_give_the_same_parts(name: str) -> None:
    """Checked with several threads too."""
    rows = torch.from_numpy(random_rows(name, 64, 40))
    found, expected = decode(FORMATS[name], rows), decode_in_torch(FORMATS[name], rows)
    assert isinstance(found, GroupedWeight)
    for part in ("codes", "scale", "offset", "scale_steps", "offset_steps"):
        a, b = getattr(found, part), getattr(expected, part)
        assert (a is None) is (b is None)
        assert a is None or (a.dtype == b.dtype and torch.equal(a, b)), part


@pytest.mark.parametrize("way", DECODERS)
@pytest.mark.parametrize("size", [(1, 1), (3, 1), (3, 2)])
@pytest.mark.parametrize("name", GROUPED)
def test_what_is_decoded_has_memory_of_its_own(name: str, size: tuple[int, int], way: str) -> None:
    """The bytes lie in a file's pages, which are freed."""
    rows = torch.from_numpy(random_rows(name, *size))
    weight = DECODERS[way](FORMATS[name], rows)
    assert isinstance(weight, GroupedWeight)
    before = weight.dequantize()
    rows.fill_(77)
    assert torch.equal(weight.dequantize(), before)


@pytest.mark.parametrize("size", [(1, 2), (70, 3), (320, 8)])
@pytest.mark.parametrize("name", GROUPED)
def test_what_is_packed_at_once_is_what_is_decoded_and_packed(
    name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checked with several pieces and threads too; each row's pages are freed once."""
    monkeypatch.setattr(gguf_blocks, "_PACKED_AT_ONCE", 1)
    block, data = FORMATS[name], torch.from_numpy(random_rows(name, *size))
    given_back: list[tuple[int, int]] = []
    rows = BlockRows(block, data, lambda first, last: given_back.append((first, last)))
    assert rows.shape == (size[0], size[1] * block.elements)
    packed = rows.pack(Region(1 << 20))
    assert packed is not None
    expected, form = pack_grouped(decode_in_torch(block, data))
    assert packed[1] == form and torch.equal(packed[0], expected)
    assert gguf_blocks.packed_bytes(block, rows.shape) == expected.nbytes
    assert given_back == [(first, min(first + 32, size[0])) for first in range(0, size[0], 32)]
    assert pack_grouped(rows.decode())[1] == form and given_back[-1] == (0, size[0])


@pytest.mark.parametrize("name", ["F32", "F16", "BF16"])
@pytest.mark.parametrize("shift", [0, 1])
def test_plain_floats_are_what_they_are(name: str, shift: int) -> None:
    values = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))
    dtype = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}[name]
    data = values.to(dtype).view(torch.uint8).flatten()
    buffer = torch.zeros(data.numel() + shift, dtype=torch.uint8)
    buffer[shift:] = data
    found = decode(FORMATS[name], buffer[shift:].view(3, -1))
    assert isinstance(found, torch.Tensor) and torch.equal(found, values.to(dtype))


def test_sizes_of_blocks_are_the_librarys() -> None:
    from gguf import GGML_QUANT_SIZES

    for number, block in BLOCKS.items():
        kind = GGMLQuantizationType(number)
        assert (kind.name, *GGML_QUANT_SIZES[kind]) == block

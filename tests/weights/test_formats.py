"""Quantised layers of checkpoints, packed here by each format's definition: their dequantised values."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.ops.grouped_weights import NF4, NF4_UNIT, TABLES
from torchpaged.weights import formats
from torchpaged.weights.grouped_weight import GroupedWeight

OUT, IN = 24, 128


def words(numbers: Tensor, bits: int) -> Tensor:
    """Pack numbers along the last dimension into int32, the first in the lowest bits, padded with zeros."""
    per = 32 // bits
    whole = torch.zeros(*numbers.shape[:-1], -(-numbers.shape[-1] // per) * per, dtype=torch.int64)
    whole[..., : numbers.shape[-1]] = numbers
    parts = whole.unflatten(-1, (-1, per))
    return sum(parts[..., i] << (bits * i) for i in range(per)).to(torch.int32)  # type: ignore[union-attr]


class Layer:
    """Quantised layer: codes [out, in], zeros and scales [out, groups], and the group of each input."""

    def __init__(self, bits: int, group_size: int, *, symmetric: bool = False, mixed: bool = False) -> None:
        generator = torch.Generator().manual_seed(bits + group_size)
        self.bits, self.group_size = bits, IN if group_size == -1 else group_size
        groups = IN // self.group_size
        self.codes = torch.randint(1 << bits, (OUT, IN), generator=generator)
        self.zeros = torch.randint(1, 1 << bits, (OUT, groups), generator=generator)
        if symmetric:
            self.zeros = torch.full_like(self.zeros, 1 << (bits - 1))
        self.scales = (torch.rand(OUT, groups, generator=generator) + 0.5).half()
        group_of = torch.arange(IN) // self.group_size
        self.g_idx = group_of[torch.randperm(IN, generator=generator)] if mixed else group_of

    def values(self) -> Tensor:
        """Return the float32 [out, in] values."""
        return self.scales.float()[:, self.g_idx] * (self.codes - self.zeros[:, self.g_idx]).float()


def restored(weight: GroupedWeight, order: Tensor | None) -> Tensor:
    values = weight.dequantize()
    return values if order is None else values[:, order.argsort()]


@pytest.mark.parametrize("is_v1", [True, False])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(("bits", "group_size"), [(4, 32), (4, 128), (4, -1), (8, 64), (8, -1)])
def test_gptq(bits: int, group_size: int, mixed: bool, is_v1: bool) -> None:
    layer = Layer(bits, group_size, mixed=mixed)
    weight, order = formats.gptq(
        words(layer.codes, bits).T.contiguous(),
        words(layer.zeros.T - int(is_v1), bits),
        layer.scales.T.contiguous(),
        layer.g_idx.int(),
        bits=bits,
        group_size=group_size,
        is_v1=is_v1,
    )
    assert torch.equal(restored(weight, order), layer.values())
    assert (order is not None) == (mixed and layer.group_size < IN)
    assert weight.bits == bits and weight.group_size == layer.group_size


@pytest.mark.parametrize(("bits", "ones"), [(4, 0x11111111), (8, 0x01010101)])
def test_gptq_v1_borrows_where_a_zero_is_0(bits: int, ones: int) -> None:
    """GPTQModel converts v2 to v1 by one subtraction per int32 word, in which zeros of 0 borrow from the next."""
    layer = Layer(bits, 32)
    layer.zeros[3:6, 2] = torch.tensor([0, 0, (1 << bits) - 1])
    layer.zeros[8:16, 1] = 0
    v2 = words(layer.zeros.T, bits)
    weight, _ = formats.gptq(
        *(words(layer.codes, bits).T, (v2.long() - ones).to(torch.int32), layer.scales.T, None),
        bits=bits,
        group_size=32,
        is_v1=True,
    )
    assert torch.equal(weight.dequantize(), layer.values())


@pytest.mark.parametrize("group_size", [16, 128, -1])
def test_awq(group_size: int) -> None:
    layer = Layer(4, group_size)
    interleaved = [0, 2, 4, 6, 1, 3, 5, 7]

    def packed(numbers: Tensor) -> Tensor:
        return words(numbers.unflatten(-1, (-1, 8))[..., interleaved].flatten(-2), 4)

    weight = formats.awq(
        packed(layer.codes.T), packed(layer.zeros.T), layer.scales.T.contiguous(), group_size=group_size
    )
    assert torch.equal(weight.dequantize(), layer.values())


@pytest.mark.parametrize("form", ["symmetric", "zeros", "order"])
@pytest.mark.parametrize(("bits", "group_size"), [(4, 32), (4, -1), (8, 128)])
def test_pack_quantized(bits: int, group_size: int, form: str) -> None:
    layer = Layer(bits, group_size, symmetric=form == "symmetric", mixed=form == "order")
    weight, order = formats.pack_quantized(
        words(layer.codes, bits),
        layer.scales,
        (OUT, IN),
        None if form == "symmetric" else words(layer.zeros.T, bits).T.contiguous(),
        layer.g_idx.int() if form == "order" else None,
        bits=bits,
    )
    assert torch.equal(restored(weight, order), layer.values())
    assert (weight.zero is None) == (form == "symmetric")


@pytest.mark.parametrize("outputs", [1, 8, 9])
def test_zeros_of_few_outputs(outputs: int) -> None:
    """A shared expert's gate has one output: a word of its zeros is mostly padding."""
    layer = Layer(4, 32, symmetric=False, mixed=False)
    zeros = torch.nn.functional.pad(layer.zeros[:outputs].T, (0, -outputs % 8))
    zero = words(zeros, 4).T.clone(memory_format=torch.contiguous_format)  # the strides of a tensor in a file
    weight, _ = formats.pack_quantized(
        words(layer.codes[:outputs], 4), layer.scales[:outputs], (outputs, IN), zero, bits=4
    )
    assert torch.equal(weight.dequantize(), layer.values()[:outputs])


def test_int_quantized() -> None:
    generator = torch.Generator().manual_seed(0)
    weight = torch.randint(-128, 128, (OUT, IN), generator=generator).to(torch.int8)
    zero = torch.randint(-128, 128, (OUT, 1), generator=generator).to(torch.int8)
    scale = torch.rand(OUT, 1, generator=generator).bfloat16()
    expected = weight.float() * scale.float()
    assert torch.equal(formats.int_quantized(weight, scale).dequantize(), expected)
    assert torch.equal(formats.int_quantized(weight, scale[:, 0]).dequantize(), expected)
    alike = formats.int_quantized(weight, torch.tensor([0.5]))
    assert torch.equal(alike.dequantize(), weight.float() * 0.5)
    shifted = formats.int_quantized(weight, scale, zero)
    assert torch.equal(shifted.dequantize(), (weight.float() - zero.float()) * scale.float())


def _nf4_state(outputs: int = OUT, inputs: int = IN, **more: Any) -> dict[str, Any]:
    return {"shape": [outputs, inputs], "blocksize": 64, **more}


def test_nf4_is_the_formula_with_a_rounded_table() -> None:
    """bitsandbytes' definition: a code's value times its block's largest magnitude, which may have 8 bits itself."""
    g = torch.Generator().manual_seed(0)
    codes = torch.randint(16, (OUT, IN), generator=g)
    absmax = torch.rand(OUT * IN // 64, generator=g) + 0.5
    whole = (codes[:, ::2] << 4 | codes[:, 1::2]).to(torch.uint8).view(-1, 1)
    table = torch.tensor(formats.NF4_VALUES)
    assert formats.nf4_sizes(whole, absmax, table, _nf4_state()) == (OUT, IN)
    for stored in (whole, whole.view(-1, 2).view(torch.bfloat16)):  # the bytes may be stored with another dtype
        weight = formats.nf4(stored, absmax, (OUT, IN), 64)
        largest = absmax.view(OUT, -1).repeat_interleave(64, 1)
        error = (weight.dequantize() - table[codes] * largest) / largest
        assert error.abs().max() < 0.0039 and error.square().mean().sqrt() < 0.0018, "as docs/quantization.md has it"
    assert TABLES[NF4] == tuple(round(NF4_UNIT * each) for each in formats.NF4_VALUES)
    eight, top = torch.randint(256, (48,), generator=g).to(torch.uint8), torch.rand(3, generator=g)
    numbers, state = torch.linspace(-1, 1, 256), {"nested_blocksize": 20, "nested_offset": 0.25}
    expected = [float(numbers[int(each)] * top[i // 20] + 0.25) for i, each in enumerate(eight)]
    assert formats.nested_absmax(eight, top, numbers, state).tolist() == expected


@pytest.mark.parametrize(
    ("changes", "state", "message"),
    [
        ({}, {"shape": [3]}, r"quant_state has shape \[3\], expected two sizes"),
        ({}, {"blocksize": None}, "quant_state has blocksize None"),
        ({}, {"shape": [128, 24]}, "its groups are of 8 inputs, expected 16, 32, 64"),
        ({"weight": torch.zeros(7, 1, dtype=torch.uint8)}, {}, "weight has 7 bytes, expected 1536 of 24 x 128"),
        ({"absmax": torch.zeros(3)}, {}, r"absmax is torch.float32 \[3\], expected \[48\]"),
        ({"quant_map": torch.zeros(16)}, {}, "quant_map is .*, expected NF4's 16 values"),
    ],
)
def test_what_is_no_nf4_is_named(changes: dict[str, Any], state: dict[str, Any], message: str) -> None:
    given = {
        "weight": torch.zeros(OUT * IN // 2, 1, dtype=torch.uint8),
        "absmax": torch.zeros(48),
        "quant_map": torch.tensor(formats.NF4_VALUES),
    }
    with pytest.raises(ModelError, match=message):
        formats.nf4_sizes(**{**given, **changes}, state={**_nf4_state(), **state})
    with pytest.raises(ModelError, match="nested_absmax is"):
        formats.nested_absmax(
            torch.zeros(48, dtype=torch.uint8),
            torch.zeros(5),
            torch.zeros(256),
            {"nested_blocksize": 20, "nested_offset": 0.0},
        )


def test_mxfp4_has_transformers_values() -> None:
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    g = torch.Generator().manual_seed(0)
    blocks = torch.randint(256, (2, 5, 3, 16), generator=g).to(torch.uint8)
    scales = torch.randint(100, 150, (2, 5, 3), generator=g).to(torch.uint8)
    assert formats.mxfp4_sizes(blocks, scales) == (2, 5, 96)
    values = torch.stack([formats.mxfp4(*each).dequantize() for each in zip(blocks, scales, strict=True)])
    assert torch.equal(values.mT, convert_moe_packed_tensors(blocks, scales, dtype=torch.float32))
    for wrong, message in (
        ((blocks[0], scales), r"blocks is \[5, 3, 16\], expected \[experts, outputs"),
        ((blocks[..., :8], scales), "blocks is"),
        ((blocks.int(), scales), r"blocks is torch.int32 .*expected uint8"),
        ((blocks, scales[:, :4]), r"scales is torch.uint8 \[2, 4, 3\], expected uint8 \[2, 5, 3\]"),
    ):
        with pytest.raises(ModelError, match=message):
            formats.mxfp4_sizes(*wrong)


@pytest.mark.parametrize(("inputs", "spread", "bits"), [(512, 0, 4.625), (96, 0, 5.5), (512, 3, None), (48, 0, 6)])
def test_nvfp4(inputs: int, spread: int, bits: float | None) -> None:
    """The values are exactly code * scale * global scale, in whatever form the scales are stored."""
    g = torch.Generator().manual_seed(0)
    packed = torch.randint(256, (OUT, inputs // 2), generator=g).to(torch.uint8)
    scale = (torch.rand(OUT, inputs // 16, generator=g) * 100 + 40).to(torch.float8_e4m3fn)
    scale[2, :3] = torch.tensor([2.0**-9, 0, 2.0**-7]).to(torch.float8_e4m3fn)[:, None].T if spread else scale[2, :3]
    scale[1] = 0
    whole, table = torch.tensor(0.0123), torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    weight = formats.nvfp4(packed, scale, whole)
    codes = torch.stack((packed & 15, packed >> 4), -1).flatten(1).int()
    values = torch.where(codes < 8, 1, -1) * table[codes % 8] * (scale.float() * whole).repeat_interleave(16, 1)
    assert torch.equal(weight.dequantize(), values)
    assert (weight.scale_steps is None) == (bits in (None, 6))
    if bits is not None:
        assert weight.num_bytes * 8 == bits * packed.numel() * 2
    assert formats.fp4_sizes(packed, scale, 16) == (OUT, inputs)
    for wrong, message in (
        ((packed.int(), scale, 16), r"packed weight is torch.int32 \[.*expected uint8"),
        ((packed, scale.float(), 16), r"weight_scale is torch.float32 .*expected float8_e4m3fn"),
        ((packed, scale[:, 1:], 16), "weight_scale is"),
        ((packed[:, :4], scale, 16), "groups are of 16 inputs"),
    ):
        with pytest.raises(ModelError, match=message):
            formats.fp4_sizes(*wrong)


@pytest.mark.parametrize("block", [None, (16, 48)])
def test_fp8_by_blocks_and_by_outputs(block: tuple[int, int] | None) -> None:
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(OUT, IN, generator=generator).to(torch.float8_e4m3fn)
    scale = torch.rand((2, 3) if block else (OUT, 1), generator=generator) + 0.1
    found = formats.fp8_values(weight, scale, block)
    expected = torch.empty(OUT, IN)
    for o in range(OUT):
        for i in range(IN):
            factor = scale[o // 16, i // 48] if block else scale[o, 0]
            expected[o, i] = weight[o, i].float() * factor
    assert torch.equal(found, expected)
    eight = formats.eight_bits(found)
    largest = found.view(OUT, -1, 32).abs().amax(-1, keepdim=True)
    wrong = (eight.dequantize() - found).view(OUT, -1, 32).abs()
    # Half a step of 1/127; the scale is a bfloat16, so that the largest may lie 1/512 beyond the last code.
    assert bool((wrong <= largest * (0.5 / 127 * (1 + 2**-8) + 2**-8)).all())
    assert (wrong.norm() / found.norm()).item() < 0.01


def test_large_groups_are_several_that_share_a_scale() -> None:
    codes = torch.arange(512).expand(3, -1) % 16
    scales = torch.tensor([[1.0, 2.0]] * 3).half()
    weight, _ = formats.pack_quantized(words(codes, 4), scales, (3, 512), bits=4)
    assert (weight.group_size, weight.groups) == (128, 4)
    assert torch.equal(weight.dequantize(), (codes - 8).float() * scales.float().repeat_interleave(256, 1))


def test_inputs_that_fill_no_word() -> None:
    codes = torch.arange(20).expand(3, -1) % 16
    weight, _ = formats.pack_quantized(words(codes, 4), torch.ones(3, 1), (3, 20), bits=4)
    assert torch.equal(weight.dequantize(), (codes - 8).float())


GPTQ: dict[str, Any] = {
    "qweight": torch.zeros(16, 24, dtype=torch.int32),
    "qzeros": torch.zeros(4, 3, dtype=torch.int32),
    "scales": torch.ones(4, 24),
    "g_idx": None,
    "bits": 4,
    "group_size": 32,
    "is_v1": True,
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group_size": 48}, r"groups are of 48 inputs, expected 16, 32, 64, 128, .* a divisor of 128"),
        ({"group_size": 64}, r"qzeros is torch.int32 \[4, 3\], expected int32 \[2, 3\]"),
        ({"qweight": torch.zeros(16, 24)}, r"qweight is torch.float32"),
        ({"scales": torch.ones(2, 24)}, r"scales is torch.float32 \[2, 24\], expected \[4, 24\]"),
        ({"g_idx": torch.zeros(128, dtype=torch.int32)}, "groups of different sizes, expected 32 inputs in each"),
        ({"g_idx": torch.full((128,), 4)}, "g_idx has 4 to 4, expected groups from 0 to 3"),
        ({"bits": 8, "group_size": 16, "qweight": torch.zeros(16, 24, dtype=torch.int32)}, r"qzeros .* \[4, 6\]"),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        formats.gptq(**{**GPTQ, **changes})

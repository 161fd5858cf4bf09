"""Weights of 4 and 8 bits in groups: exact values for every form of scales, and refusals."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.ops import backends
from tests.ops.test_linear import rows_of
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.tracer import trace
from torchpaged.compiler.weight_packing import FreedWeight, pack
from torchpaged.ops import library
from torchpaged.ops.grouped_weights import E2M1, IQ4, NF4, GroupedFormat, looked_up
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear, pack_grouped, quantise_weight

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
# As files have them. Names say bits, group, what belongs to a group.
FORMS = {
    "q4_0": {"group_size": 32, "dtype": torch.float16},
    "q4_1": {"group_size": 32, "dtype": torch.float16, "origin": "offset"},
    "q8_0": {"bits": 8, "group_size": 32, "dtype": torch.float16},
    "q4_k": {"group_size": 32, "dtype": torch.float16, "origin": "offset", "shared": 256, "steps": torch.uint8},
    "q6_k": {"bits": 8, "group_size": 16, "dtype": torch.float16, "shared": 256, "steps": torch.int8},
    "awq": {"group_size": 128, "dtype": torch.float16, "origin": "zero"},
    "gptq-8": {"bits": 8, "group_size": 64, "dtype": torch.bfloat16, "origin": "zero"},
    "q3_k": {"group_size": 16, "dtype": torch.float32, "shared": 256, "steps": torch.int8},
    "iq4_nl": {"group_size": 32, "dtype": torch.float16, "table": IQ4},
    "iq4_xs": {"group_size": 32, "dtype": torch.float16, "shared": 256, "steps": torch.int8, "table": IQ4},
    "mxfp4": {"group_size": 32, "dtype": torch.uint8, "table": E2M1},
    "nf4": {"group_size": 64, "dtype": torch.float32, "table": NF4},
    "row": {"group_size": None, "dtype": torch.float32},
    "row-offset": {"group_size": None, "dtype": torch.bfloat16, "origin": "offset"},
}
# Beyond a block of 2048 inputs; a panel, a word of eight and 128 inputs that are not full.
SHAPES = {"deep": (40, 2560), "narrow": (33, 256), "row": (70, 2301)}
ROWS = (1, 2, 5, 7, 8, 12, 13, 14, 15, 29)
by_form = pytest.mark.parametrize("form", FORMS)


def weight_of(
    out: int,
    inputs: int,
    bits: int = 4,
    group_size: int | None = 32,
    dtype: torch.dtype = torch.float16,
    origin: str = "",
    shared: int = 0,
    steps: torch.dtype = torch.int8,
    table: int | None = None,
    seed: int = 0,
) -> GroupedWeight:
    """Return a random weight of about unit size; a group size of None is the whole row."""
    g = torch.Generator().manual_seed(seed)
    size = group_size or inputs
    groups, scales = inputs // size, inputs // (shared or size)
    top = 1 << bits

    def of_steps() -> Tensor:
        return torch.randint(64, (out, groups), generator=g).sub(0 if steps == torch.uint8 else 32).to(steps)

    parts: dict[str, Tensor] = {}
    scale = (0.5 + torch.rand(out, scales, generator=g)) / top / (32 if shared else 1)
    if dtype == torch.uint8:  # exponents; the smallest, whose powers are not normal, and the largest beside usual ones
        scale = torch.randint(120, 126, (out, scales), generator=g)
        scale[0, :3] = torch.tensor([0, 1, 2])
    if origin == "zero":
        parts["zero"] = torch.randint(top, (out, groups), generator=g).to(torch.uint8)
    if origin == "offset":
        parts["offset"] = (-torch.rand(out, scales, generator=g) / (64 if shared else 1)).to(dtype)
    if shared:
        parts["scale_steps"] = of_steps()
        if origin == "offset":
            parts["offset_steps"] = of_steps()
    codes = torch.randint(top, (out, inputs), generator=g).to(torch.uint8)
    return GroupedWeight(codes, bits, size, scale.to(dtype), **parts, table=table)


def form_of(name: str, out: int = 40, inputs: int = 512, seed: int = 0) -> GroupedWeight:
    return weight_of(out, inputs, **FORMS[name], seed=seed)  # type: ignore[arg-type]


def shape_of(name: str) -> tuple[int, int]:
    return SHAPES["row"] if name == "row" else SHAPES["deep" if FORMS[name]["group_size"] in (16, 128) else "narrow"]


@by_form
def test_packing_is_the_references_and_changes_no_value(form: str) -> None:
    weight = form_of(form, *shape_of(form))
    packed, numbers = pack_grouped(weight)
    parts = {"scale": weight.scale, "zero": weight.zero, "offset": weight.offset}
    parts |= {name: None if each is None else each.to(torch.int8) for name, each in _steps(weight).items()}
    if weight.group_size == weight.in_features:
        groups = -(-weight.in_features // 128)
        parts = {name: None if each is None else each.expand(-1, groups) for name, each in parts.items()}
    scale, *_ = parts = [each if each is None else each.contiguous() for each in parts.values()]
    names = ("zero", "offset", "scale_steps", "offset_steps")
    options = dict(zip(names, parts[1:], strict=True))
    wide = torch.zeros(weight.out_features, weight.in_features + 3, dtype=torch.uint8)
    wide[:, 1 : 1 + weight.in_features] = weight.codes
    strided = wide[:, 1 : 1 + weight.in_features]
    for backend, codes in itertools.product(("reference", "cpp"), (weight.codes, strided)):
        assert torch.equal(backends.call(backend)("pack_grouped_weight", codes, numbers.code, scale, **options), packed)
    table = PackedEmbedding(PackedLinear.from_grouped(weight), torch.float32)
    assert torch.equal(table(torch.arange(weight.out_features)), weight.dequantize())


def _steps(weight: GroupedWeight) -> dict[str, Tensor | None]:
    return {"scale_steps": weight.scale_steps, "offset_steps": weight.offset_steps}


@by_form
def test_the_product_is_the_references_to_the_bit(form: str) -> None:
    weight = form_of(form, *shape_of(form))
    packed, numbers = pack_grouped(weight)
    out, inputs = weight.codes.shape
    x = rows_of((max(ROWS), inputs), torch.float32)
    x[0] *= 1e4  # each row has scales of its own,
    x[:, 130:] *= 1e-3  # and so have its parts
    expected = backends.call("reference")("packed_linear", x, packed, out, format=numbers.code)
    for count in ROWS:
        assert torch.equal(OPS.packed_linear(x[:count], packed, out, format=numbers.code), expected[:count]), count


@by_form
def test_the_product_is_that_of_the_weights_values(form: str) -> None:
    """Compare with float64, with activations rounded by their definition."""
    weight = form_of(form, *shape_of(form))
    layer = PackedLinear.from_grouped(weight, rows_of((weight.out_features,), torch.float32))
    x = rows_of((3, weight.in_features), torch.float32)
    x[:, 3], x[:, 70] = 500, -40  # which leave the inputs of other groups their bits
    parts = []
    for part in x.split(FORMS[form]["group_size"] or 128, 1):  # type: ignore[arg-type]
        top = part.abs().amax(1, keepdim=True).double()
        parts.append((part * (127 / top)).round() * (top / 127))
    rows, values = torch.cat(parts, 1), weight.dequantize().double()
    exact = rows @ values.T + layer.bias.double()
    # A scale's product, a sum and a scale of activations: a few roundings for each group, of terms of this size.
    codes = rows.abs() @ (weight.group_scales().abs().amax() * (1 << weight.bits) + values.abs()).T
    torch.testing.assert_close(layer(x).double(), exact, rtol=0, atol=float(codes.max()) * 2**-22)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("form", ["q4_k", "q6_k", "awq", "mxfp4"])
def test_bits_depend_on_nothing_else(form: str, dtype: torch.dtype) -> None:
    """Alone, in batches of every size up to several blocks, on one thread and two."""
    weight = form_of(form, 72, 2560)
    packed, numbers = pack_grouped(weight)
    x = rows_of((130, 2560), dtype)
    expected = torch.cat([OPS.packed_linear(row[None], packed, 72, format=numbers.code) for row in x])
    threads = torch.get_num_threads()
    for count, number in itertools.product((2, 7, 8, 12, 13, 14, 15, 17, 33, 64, 130), (1, 2)):
        torch.set_num_threads(number)
        try:
            out = OPS.packed_linear(x[-count:], packed, 72, format=numbers.code)
        finally:
            torch.set_num_threads(threads)
        assert torch.equal(out, expected[-count:]), (count, number)


@pytest.mark.parametrize("form", ["iq4_nl", "iq4_xs", "mxfp4", "nf4"])
def test_a_table_gives_the_bits_of_the_same_numbers_in_eight_bits(form: str) -> None:
    weight = form_of(form, 72, 512)
    assert weight.table is not None
    eight = (looked_up(weight.codes, weight.table).view(torch.uint8) ^ 128).contiguous()
    scale = weight.group_scales() if weight.scale.dtype == torch.uint8 else weight.scale
    same, x = GroupedWeight(eight, 8, weight.group_size, scale, scale_steps=weight.scale_steps), rows_of((30, 512))
    for rows in (x[:1], x[:12], x):
        assert torch.equal(PackedLinear.from_grouped(weight)(rows), PackedLinear.from_grouped(same)(rows))
    assert torch.equal(weight.dequantize(), same.dequantize())


@pytest.mark.parametrize("form", ["q4_0", "q4_k", "q6_k", "mxfp4"])
def test_experts_have_the_bits_of_their_products(form: str) -> None:
    weights = [form_of(form, 72, 256, seed=i) for i in range(4)]
    packed, numbers = torch.stack([pack_grouped(weight)[0] for weight in weights]), pack_grouped(weights[0])[1]
    experts = torch.tensor([3, 0, -1, 3, 2, 9, *[1] * 20])
    x = rows_of((len(experts), 256))
    out = OPS.packed_grouped_linear(x, packed, 72, experts, format=numbers.code)
    for row, expert, found in zip(x, experts.tolist(), out, strict=True):
        expected = torch.zeros(72, dtype=x.dtype)
        if 0 <= expert < 4:
            expected = OPS.packed_linear(row, packed[expert], 72, format=numbers.code)
        assert torch.equal(found, expected)
    reference = backends.call("reference")("packed_grouped_linear", x, packed, 72, experts, format=numbers.code)
    assert torch.equal(out, reference)


@pytest.mark.parametrize(
    ("steps", "bytes_a_weight"), [(63, (4 + 2 * 16 / 256 + 2 * 8 / 32) / 8), (200, (4 + 2 * 32 / 32) / 8)]
)
def test_steps_are_kept_where_there_is_a_place_for_them(steps: int, bytes_a_weight: float) -> None:
    """A Q4_K weight takes 4.625 bits per value, and one whose steps do not fit int8 is still correct."""
    weight = form_of("q4_k", 64, 512)
    assert weight.scale_steps is not None
    weight.scale_steps[0, 3] = steps
    layer = PackedLinear.from_grouped(weight)
    table = PackedEmbedding(layer, torch.float32)
    assert torch.equal(table(torch.arange(64)), weight.dequantize())
    assert layer.packed_weight.nbytes == 64 * 512 * bytes_a_weight


def test_rows_without_a_scale_and_groups_that_are_not_finite() -> None:
    """Zeros, tiny numbers, Inf and NaN: no row and no output affects another."""
    weight = form_of("q4_1", 40, 256)
    x = rows_of((6, 256), torch.float32)
    clean = PackedLinear.from_grouped(weight)(x)
    x[0], x[1], x[2, 3], x[3, 7], x[4] = 0, 1e-38, torch.inf, torch.nan, -torch.inf
    assert weight.offset is not None
    weight.scale[33, 1], weight.offset[7, 0] = torch.inf, torch.nan
    out = PackedLinear.from_grouped(weight)(x)
    kept = [i for i in range(40) if i not in (7, 33)]
    assert (out[:2, kept] == 0).all() and out[2:5].isnan().all() and torch.equal(out[5, kept], clean[5, kept])
    assert not out[5, [7, 33]].isfinite().any()


@pytest.mark.parametrize("form", ["q4_k", "q6_k", "awq", None])
def test_a_group_that_has_no_scale_beside_those_that_have(form: str | None) -> None:
    """Zeros, tiny numbers, Inf and NaN in one group each, at beginning, middle and end of rows: as the reference."""
    if form is None:
        int8, scale = quantise_weight(rows_of((40, 2560), torch.float32))
        packed, options = OPS.pack_linear_weight(int8), {"weight_scale": scale}
    else:
        packed, numbers = pack_grouped(form_of(form, 40, 2560))
        options = {"format": numbers.code}
    x = rows_of((9, 2560), torch.float32)
    x[0, 128:256], x[1, 2432:], x[2, :128] = 0, 0, 1e-38
    x[3, 256:384] = 2.0**-100
    x[4, 5], x[5, 2559], x[6, 700], x[7, 131] = torch.inf, torch.nan, -torch.inf, torch.nan
    for dtype in (torch.float32, torch.bfloat16):
        rows = x.to(dtype)
        out, expected = (
            backends.call(backend)("packed_linear", rows, packed, 40, **options) for backend in ("cpp", "reference")
        )
        assert torch.equal(out[[0, 1, 2, 3, 8]], expected[[0, 1, 2, 3, 8]]) and out[4:8].isnan().all()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("bits", [4, 8])
def test_sums_do_not_overflow(bits: int, sign: int) -> None:
    largest = 2**bits - 1
    codes, scale = torch.full((1, 65536), largest, dtype=torch.uint8), torch.ones(1, 512)
    weight = GroupedWeight(codes, bits, 128, scale, offset=torch.zeros(1, 512))
    for rows in (1, 3, 17):
        out = PackedLinear.from_grouped(weight)(torch.full((rows, 65536), 2.0 * sign))
        torch.testing.assert_close(out, torch.full((rows, 1), 2.0 * largest * 65536 * sign))


def test_the_module() -> None:
    weight = form_of("q4_k", 70, 512)
    layer = PackedLinear.from_grouped(weight, torch.ones(70))
    table = PackedEmbedding(layer, torch.bfloat16)
    ids = torch.tensor([[0, 31, 32], [69, 5, 31]])
    assert torch.equal(table(ids), weight.dequantize()[ids].bfloat16())
    assert table.packed_weight is layer.packed_weight and "4 bits in groups of 32" in repr(table)
    assert "in_features=512, out_features=70, bias=True, weight=4 bits in groups of 32" in repr(layer)
    assert set(layer.state_dict()) == {"packed_weight", "bias"}
    for dtype in (torch.float32, torch.bfloat16):
        out = layer(rows_of((2, 3, 512), dtype))
        assert out.shape == (2, 3, 70) and out.dtype == dtype
    with pytest.raises(ValueError, match=r"PackedLinear: bias has shape \(3,\), expected \(70,\)"):
        PackedLinear.from_grouped(weight, torch.zeros(3))
    compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend="aot_eager")
    with torch.no_grad():
        for count in (2, 5, 9):
            x = rows_of((count, 512), torch.float32)
            assert torch.equal(compiled(x), layer(x))


@pytest.mark.parametrize("backend", ["reference", "cpp"])
def test_codes_of_more_bits_are_refused(backend: str) -> None:
    weight = form_of("q4_0")
    weight.codes[39, 511] = 16
    with pytest.raises(ValueError, match="pack_grouped_weight: codes has one of 16 or more, expected codes of 4 bits"):
        backends.call(backend)("pack_grouped_weight", weight.codes, GroupedFormat(4, 32, 1).code, weight.scale)


def _set(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda arguments: arguments.update(values)


BAD: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no-format": (_set(format=0), "packed_weight has 2 dimensions"),
    "format-bits": (_set(format=GroupedFormat(3, 32, 1, 2, 256).code), "format is 4297138179, expected the code of a"),
    "format-group": (_set(format=GroupedFormat(4, 0, 1, 2, 256).code), "format is"),
    "format-type": (_set(format=GroupedFormat(4, 32, 4, 2, 256).code), "format is"),
    "format-exponents": (_set(format=GroupedFormat(4, 32, 3, 0).code), "format is"),
    "format-exponents-shared": (_set(format=GroupedFormat(4, 32, 3, E2M1, 256).code), "format is"),
    "format-table": (_set(format=GroupedFormat(8, 32, 1, E2M1, 256).code), "format is"),
    "format-origin": (_set(format=GroupedFormat(4, 32, 1, 6, 256).code), "format is"),
    "format-shared": (_set(format=GroupedFormat(4, 32, 1, 2, 48).code), "format is"),
    "format-negative": (_set(format=-1), "format is -1"),
    "another-format": (_set(format=GroupedFormat(4, 32, 1, 2).code), "input has 512 input features"),
    "inputs": (_set(input=torch.zeros(2, 256)), "input has 256 input features"),
    "no-inputs": (_set(input=torch.zeros(2, 0)), "input has 0 input features"),
    "scale": (_set(weight_scale=torch.ones(40)), "weight_scale is given with a format"),
    "outputs": (_set(out_features=65), "packed_weight has size 2"),
    "dtype": (_set(packed_weight=torch.zeros(2, 9472)), "packed_weight has dtype float32"),
}


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize("bad", BAD)
def test_a_product_refuses(bad: str, backend: str) -> None:
    packed, numbers = pack_grouped(form_of("q4_k"))
    given = {"input": torch.zeros(2, 512), "packed_weight": packed, "out_features": 40, "format": numbers.code}
    change, message = BAD[bad]
    change(given)
    tensors = [given.pop(name) for name in ("input", "packed_weight", "out_features")]
    with pytest.raises(ValueError, match=f"packed_linear: {message}"):
        backends.call(backend)("packed_linear", *tensors, **given)


def test_opcheck_with_a_format() -> None:
    packed, numbers = pack_grouped(form_of("q4_k"))
    for namespace in (torch.ops.torchpaged, OPS):
        x = torch.randn(2, 3, 512)
        torch.library.opcheck(namespace.packed_linear.default, (x, packed, 40), {"format": numbers.code})
        experts = torch.tensor([[1, 0, -1], [0, 0, 1]])
        args = (x, packed.expand(2, -1, -1).contiguous(), 40, experts)
        torch.library.opcheck(namespace.packed_grouped_linear.default, args, {"format": numbers.code})


class _Layers(nn.Module):
    """Layers with a common input, as in attention, one of them in another format; a tied head."""

    def __init__(self) -> None:
        super().__init__()
        self.head = PackedLinear.from_grouped(form_of("q6_k", 70, 256))
        self.embedding = PackedEmbedding(self.head, torch.bfloat16)
        for name, form, out in (("q", "q4_k", 64), ("k", "q4_k", 32), ("v", "q6_k", 32), ("o", "q4_k", 256)):
            bias = rows_of((out,)) if name == "k" else None
            setattr(self, name, PackedLinear.from_grouped(form_of(form, out, 256), bias))

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: None, rows: Tensor) -> Tensor:
        x = self.embedding(input_ids)
        parts = torch.cat([self.q(x), self.k(x), self.v(x), self.v(x).tanh(), self.v(x), self.q(x)], -1)
        return torch.as_tensor(self.head(self.o(parts)[rows]))


def test_a_recorded_model_joins_products_of_one_format() -> None:
    """The joined weights' memory is freed, and restored on unpacking."""
    layers = _Layers()
    before = layers.k.packed_weight.clone()
    freed: list[FreedWeight] = []
    ids = torch.arange(40)
    with torch.inference_mode():
        expected = layers(ids, ids, None, ids)
        sizes = ((13, 3), (17, 11))
        inputs = [{"input_ids": ids[:n], "positions": ids[:n], "metadata": None, "rows": ids[:m]} for n, m in sizes]
        recording = trace(layers, inputs, ("input_ids", "rows"))
        rewrite(recording)
        with torch.inference_mode(False), torch.no_grad():
            pack([recording], freed, free=True)
        products = [node for node in recording.graph.nodes if node.target is torch.ops.torchpaged.packed_linear.default]
        assert sorted(node.args[2] for node in products) == [32, 70, 96, 256]
        assert torch.equal(recording.module()(ids, ids, None, ids), expected)
    assert [each.tensor.numel() for each in freed] == [0, 0]
    for each in freed:
        each.tensor.data = each.values()
    assert torch.equal(layers.k.packed_weight, before)

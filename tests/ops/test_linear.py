"""Packed linear layers: values against the reference and float64, and bits that depend only on the row."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch import Tensor, nn

from evals.bench import linear as benchmark
from tests.ops import backends
from torchpaged.errors import ModelError
from torchpaged.ops import library
from torchpaged.utils.huge_pages import Region, joined
from torchpaged.weights.packed_linear import Int8Weight, PackedEmbedding, PackedLinear, packed_whole, quantise_weight

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
# Odd sizes leave a word, a panel of 32 outputs, a group of 128 inputs and a block of 512 words unfilled.
SHAPES = ((1, 1), (32, 64), (33, 7), (40, 1030), (70, 2301), (96, 512))
ROWS = (1, 2, 3, 8, 13, 14, 15, 29, 57)
# Weights that are multiplied as they are, with inputs of their dtype; an int8 weight takes inputs of each.
FLOATS = (torch.bfloat16, torch.float16, torch.float32)


def weight_of(outputs: int, inputs: int, dtype: torch.dtype = torch.bfloat16, seed: int = 0) -> Tensor:
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(outputs, inputs, generator=g) * inputs**-0.5).to(dtype)


def rows_of(shape: tuple[int, ...], dtype: torch.dtype = torch.bfloat16, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int8], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_packing_is_the_references(shape: tuple[int, int], dtype: torch.dtype) -> None:
    weight = quantise_weight(weight_of(*shape))[0] if dtype == torch.int8 else weight_of(*shape, dtype)
    wide = torch.zeros(shape[0], shape[1] + 3, dtype=dtype)
    wide[:, : shape[1]] = weight
    expected = backends.call("reference")("pack_linear_weight", weight)
    for source in (weight, wide[:, : shape[1]]):
        assert torch.equal(OPS.pack_linear_weight(source), expected)


@pytest.mark.parametrize("outputs", [(7,), (1000,), (2048, 32, 700), (33, 2000)], ids=str)
def test_weights_below_each_other_are_packed_as_one(outputs: tuple[int, ...]) -> None:
    weights = [weight_of(each, 260, seed=each) for each in outputs]
    expected = OPS.pack_linear_weight(torch.cat(weights))
    assert torch.equal(packed_whole(weights), expected)
    region = Region(16 << 20)
    found = [packed_whole(weights, region), packed_whole([each.T.contiguous().T for each in weights], region)]
    assert all(torch.equal(each, expected) for each in found) and joined(found) is not None


def test_a_weight_becomes_int8_some_rows_after_the_others() -> None:
    weight, sizes = weight_of(5000, 260), list[int]()

    def quantise(rows: Tensor) -> tuple[Tensor, Tensor]:
        sizes.append(rows.numel())
        return quantise_weight(rows)

    region = Region(16 << 20)
    (packed, scale), other = Int8Weight(weight, quantise).pack(region), Int8Weight(weight, quantise_weight).pack(region)
    int8, expected = quantise_weight(weight)
    assert torch.equal(packed, OPS.pack_linear_weight(int8)) and torch.equal(scale, expected)
    assert joined([packed, other[0]]) is not None and max(sizes) < 300_000 < sum(sizes) == weight.numel()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("with_bias", [False, True], ids=["plain", "bias"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_float_weight_is_multiplied(shape: tuple[int, int], with_bias: bool, dtype: torch.dtype) -> None:
    weight, bias = weight_of(*shape, dtype), rows_of((shape[0],), dtype) if with_bias else None
    packed = OPS.pack_linear_weight(weight)
    unit = torch.finfo(dtype).eps
    for count in ROWS:
        x = rows_of((count, shape[1]), dtype)
        exact = x.double() @ weight.double().T + (0 if bias is None else bias.double())
        actual = OPS.packed_linear(x, packed, shape[0], bias=bias)
        assert actual.dtype == dtype
        # Half a unit of the result's dtype, and float32's sum of `inputs` terms of about exact's size.
        torch.testing.assert_close(actual.double(), exact, rtol=unit, atol=1e-5)
        reference = backends.call("reference")("packed_linear", x, packed, shape[0], bias=bias)
        torch.testing.assert_close(actual.float(), reference.float(), rtol=2 * unit, atol=1e-5)


@pytest.mark.parametrize("inputs", [1024, 3072, 9000])
def test_float32_products_are_sums_of_short_sums(inputs: int) -> None:
    """Numbers of one sign are the worst case: an addition's rounding error grows with the sum so far.

    An addition is off by 2 ** -24 / 3 ** 0.5 of its result, a mean square of n steps of a sum is n / 3 of its last.
    """
    weight, x = weight_of(96, inputs, torch.float32).abs(), rows_of((14, inputs), torch.float32).abs()
    exact = x.double() @ weight.double().T
    parts = inputs / 128
    expected = 2**-24 * (((128 / parts + parts) / 3 + 1) / 3) ** 0.5
    error = (OPS.packed_linear(x, OPS.pack_linear_weight(weight), 96) - exact).norm() / exact.norm()
    assert error < 1.5 * expected  # in one sum it was 4.9, 7.2 and 7.5 times `expected`


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_sum_is_added_up_in_float32(dtype: torch.dtype) -> None:
    """float16 counts exactly up to 2048: later ones would be lost."""
    weight, x = torch.ones(3, 9000, dtype=dtype), torch.ones(2, 9000, dtype=dtype)
    x[:, 8192:] = 0
    out = OPS.packed_linear(x, OPS.pack_linear_weight(weight), 3)
    assert out.tolist() == [[8192.0] * 3] * 2


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_what_is_not_a_number_stays_in_its_row_and_output(dtype: torch.dtype) -> None:
    weight, x = weight_of(40, 70, dtype), rows_of((5, 70), dtype)
    clean = OPS.packed_linear(x, OPS.pack_linear_weight(weight), 40)
    x[1, 69], x[3, 0], weight[33, 69] = torch.nan, torch.inf, torch.nan
    out = OPS.packed_linear(x, OPS.pack_linear_weight(weight), 40)
    assert out[1].isnan().all() and not out[3].isfinite().any() and out[:, 33].isnan().all()
    kept = [i for i in range(40) if i != 33]
    assert torch.equal(out[[0, 2, 4]][:, kept], clean[[0, 2, 4]][:, kept])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_int8_is_the_references_to_the_bit(shape: tuple[int, int], dtype: torch.dtype) -> None:
    weight, scale = quantise_weight(weight_of(*shape))
    packed = OPS.pack_linear_weight(weight)
    for count, bias in zip(ROWS, (None, rows_of((shape[0],), dtype), rows_of((shape[0],))), strict=False):
        x = rows_of((count, shape[1]), dtype)
        x[0] *= 1e4  # each row has scales of its own,
        x[:, 300:] *= 1e-3  # and so have its parts
        options = {"bias": bias if bias is None else bias.float(), "weight_scale": scale}
        expected = backends.call("reference")("packed_linear", x, packed, shape[0], **options)
        assert torch.equal(OPS.packed_linear(x, packed, shape[0], **options), expected)


def test_one_large_activation_costs_only_those_near_it() -> None:
    """Gated activations have outliers: with one scale per token all other values would be rounded to 0."""
    int8, scale = quantise_weight(weight_of(32, 1024))
    weight, x = int8.float() * scale[:, None], rows_of((4, 1024), torch.float32)
    others = x @ weight.T
    x[:, 700] = 2000.0
    out = OPS.packed_linear(x, OPS.pack_linear_weight(int8), 32, weight_scale=scale)
    assert (out - x @ weight.T).norm() < 1.2 * (128 / 1024) ** 0.5 * others.norm()


def test_int8_sums_do_not_overflow() -> None:
    weight = torch.full((1, 65536), 127, dtype=torch.int8)
    x = torch.full((1, 65536), 2.0)
    out = OPS.packed_linear(x, OPS.pack_linear_weight(weight), 1, weight_scale=torch.ones(1))
    torch.testing.assert_close(out, torch.full((1, 1), 2.0 * 127 * 65536))


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize(
    ("total", "expected"), [(1_039_968, 1 + 2**-23), (-519_984, 1 - 2**-24)], ids=["upwards", "downwards"]
)
def test_int8_sums_are_rounded_once(total: int, expected: float, backend: str) -> None:
    """The sum exceeds a tie above 1 by 2 ** -34 units: rounded to float64 first, it would be a tie and give 1."""
    largest = float.fromhex("0x1.001a38p-37")  # largest / 127 in float32, times a total: such a sum
    x, weight = torch.zeros(1, 256), torch.zeros(1, 256, dtype=torch.int8)
    x[0, :2], weight[0, 1] = torch.tensor([127.0, 1.0]), 1  # the first group: the scale is 1, and so is the sum
    count, rest = divmod(abs(total), 127 * 127)
    quantised = torch.tensor([*[127] * (count + 1), 1])
    weights = torch.tensor([*[127] * count, *divmod(rest, 127)])
    x[0, 128 : 130 + count] = quantised * (largest / 127)
    weight[0, 128 : 130 + count] = weights if total > 0 else -weights
    call = backends.call(backend)
    out = call("packed_linear", x, call("pack_linear_weight", weight), 1, weight_scale=torch.ones(1))
    assert out.item() == expected


def test_int8_rows_without_a_scale() -> None:
    """Zeros, tiny numbers, Inf and NaN: no row affects another."""
    weight, scale = quantise_weight(weight_of(5, 40))
    x = rows_of((6, 40), torch.float32)
    expected = OPS.packed_linear(x[5:], OPS.pack_linear_weight(weight), 5, weight_scale=scale)
    x[0], x[1], x[2, 3], x[3, 7], x[4] = 0, 1e-38, torch.inf, torch.nan, -torch.inf
    out = OPS.packed_linear(x, OPS.pack_linear_weight(weight), 5, weight_scale=scale)
    assert (out[:2] == 0).all() and out[2:5].isnan().all() and torch.equal(out[5:], expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_input_of_any_strides(dtype: torch.dtype) -> None:
    packed = OPS.pack_linear_weight(weight_of(40, 24, dtype))
    for x in (
        rows_of((24,), dtype),
        rows_of((0, 24), dtype),
        rows_of((3, 5, 30), dtype)[..., 2:26],
        rows_of((5, 3, 24), dtype).transpose(0, 1),
        rows_of((2, 24), dtype).expand(4, 2, 24),
    ):
        out = OPS.packed_linear(x, packed, 40)
        assert out.shape == (*x.shape[:-1], 40) and out.is_contiguous()
        assert torch.equal(out, OPS.packed_linear(x.contiguous().view(-1, 24), packed, 40).view(out.shape))


@pytest.mark.parametrize(
    ("weight_dtype", "dtype"),
    [*((dtype, dtype) for dtype in FLOATS), *((torch.int8, dtype) for dtype in FLOATS)],
    ids=str,
)
def test_bits_depend_on_nothing_else(weight_dtype: torch.dtype, dtype: torch.dtype) -> None:
    """Alone, in batches of every size up to several blocks, on one thread and two: the same bits in each row."""
    weight, scale = weight_of(72, 3100, dtype), None
    if weight_dtype == torch.int8:
        weight, scale = quantise_weight(weight)
    packed = OPS.pack_linear_weight(weight)
    x = rows_of((150, 3100), dtype)
    expected = torch.cat([OPS.packed_linear(row[None], packed, 72, weight_scale=scale) for row in x])
    threads = torch.get_num_threads()
    for count in (2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16, 17, 32, 33, 61, 64, 150):
        for number in (1, 2):
            torch.set_num_threads(number)
            try:
                out = OPS.packed_linear(x[-count:], packed, 72, weight_scale=scale)
            finally:
                torch.set_num_threads(threads)
            assert torch.equal(out, expected[-count:]), (count, number)


@pytest.mark.parametrize(
    ("dtype", "packed_as", "bound"),
    [
        (torch.bfloat16, None, 0.005),
        (torch.float16, torch.float16, 0.001),
        (torch.float32, None, 1e-6),
        (torch.bfloat16, torch.int8, 0.02),
    ],
    ids=str,
)
def test_the_module_replaces_a_linear(dtype: torch.dtype, packed_as: torch.dtype | None, bound: float) -> None:
    linear = nn.Linear(700, 1000, dtype=dtype)
    packed = PackedLinear.from_linear(linear, packed_as)
    x = rows_of((2, 3, 700), dtype)
    with torch.no_grad():
        expected, out = linear(x).float(), packed(x)
    assert out.shape == (2, 3, 1000) and out.dtype == dtype
    assert (out.float() - expected).norm() / expected.norm() < bound
    assert f"weight={str(packed_as or dtype).removeprefix('torch.')}" in repr(packed)
    assert set(packed.state_dict()) == {"packed_weight", "bias"} | (
        {"weight_scale"} if packed_as == torch.int8 else set()
    )
    assert not any(p.requires_grad for p in packed.parameters())
    assert "in_features=700, out_features=1000" in repr(packed)


def test_an_embedding_reads_the_packed_rows() -> None:
    weight = weight_of(70, 30)
    linear = nn.Linear(30, 70, bias=False, dtype=torch.bfloat16)
    linear.weight.data = weight
    packed = PackedLinear.from_linear(linear, torch.int8)
    embedding = PackedEmbedding(packed, torch.bfloat16)
    int8, scale = quantise_weight(weight)
    ids = torch.tensor([[0, 31, 32], [69, 5, 31]])
    assert torch.equal(embedding(ids), (int8.float() * scale[:, None]).bfloat16()[ids])
    assert embedding.packed_weight is packed.packed_weight and "70, 30" in repr(embedding)


def test_the_module_refuses() -> None:
    weight = weight_of(4, 8)
    with pytest.raises(ValueError, match=r"PackedLinear: weight_scale is None with a torch.int8 weight"):
        PackedLinear(weight.to(torch.int8))
    with pytest.raises(ValueError, match=r"PackedLinear: weight_scale is a tensor with a torch.bfloat16 weight"):
        PackedLinear(weight, weight_scale=torch.ones(4))
    with pytest.raises(ValueError, match=r"PackedLinear: bias has shape \(3,\), expected \(4,\)"):
        PackedLinear(weight, torch.zeros(3))
    with pytest.raises(ValueError, match=r"PackedLinear: dtype is torch.bfloat16 for a torch.float32 weight"):
        PackedLinear.from_linear(nn.Linear(8, 4), torch.bfloat16)


@pytest.mark.parametrize("packed_as", [None, torch.int8])
def test_a_packed_weight_tells_its_dtype_and_is_not_read(packed_as: torch.dtype | None) -> None:
    layer = PackedLinear.from_linear(nn.Linear(8, 3, dtype=torch.bfloat16), packed_as)
    table = PackedEmbedding(PackedLinear.from_linear(nn.Linear(8, 3), torch.int8), torch.float16)
    rows = torch.randn(2, 8)
    for module, dtype in ((layer, torch.bfloat16), (table, torch.float16)):
        kept = [module, copy.deepcopy(module), pickle.loads(pickle.dumps(module))]
        assert all((each.weight.shape, each.weight.dtype) == ((3, 8), dtype) for each in kept)
        assert all(each.weight.device.type == "cpu" for each in kept)
        for read in (
            lambda weight: rows @ weight.T,
            lambda weight: weight.to(torch.float32),
            lambda weight: nn.functional.linear(rows, weight),
            lambda weight: weight[0],
            lambda weight: rows.copy_(weight[:2]),
            lambda weight: float(weight.sum()),
        ):
            with pytest.raises(ModelError, match=r"reads the weight of a packed layer, \(3, 8\)"):
                read(module.weight)


def test_it_compiles_with_any_number_of_rows() -> None:
    module = PackedLinear(weight_of(40, 24))
    compiled = torch.compile(module, fullgraph=True, dynamic=True, backend="aot_eager")
    with torch.no_grad():
        for count in (2, 5, 9):
            x = rows_of((count, 24))
            assert torch.equal(compiled(x), module(x))


def test_the_benchmark_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "IN_ROTATION", 1 << 16)
    row = benchmark.measure(benchmark.contenders(64, 96), (64, 96), 2, lambda: None, 1 << 16, rounds=1)
    assert row["tokens"] == 2 and row["bf16_us"] > 0 and row["x_torch"] > 0
    assert "64->96" in benchmark.table([row])
    assert "int4-g128" in benchmark.grouped_table([row]) and row["int4-g32_x_int8"] > 0

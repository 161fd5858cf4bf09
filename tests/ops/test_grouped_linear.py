"""Rows times the weights of their experts: values against float64, and the bits of `packed_linear`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.test_linear import FLOATS, rows_of, weight_of
from torchpaged.ops import library
from torchpaged.weights.packed_linear import quantise_weight

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
# The weight's dtype and the input's.
KINDS = [*((dtype, dtype) for dtype in FLOATS), *((torch.int8, dtype) for dtype in FLOATS)]
EXPERTS = 6
OUTPUTS, INPUTS = 72, 300


def experts_of(
    weight_dtype: torch.dtype, dtype: torch.dtype, outputs: int = OUTPUTS, inputs: int = INPUTS
) -> tuple[list[Tensor], Tensor, Tensor | None]:
    """Return weights with their quantised values, packed in one tensor, and their scales."""
    weights = [weight_of(outputs, inputs, dtype, seed=i) for i in range(EXPERTS)]
    if weight_dtype != torch.int8:
        return weights, torch.stack([OPS.pack_linear_weight(weight) for weight in weights]), None
    quantised = [quantise_weight(weight) for weight in weights]
    packed = torch.stack([OPS.pack_linear_weight(int8) for int8, _ in quantised])
    scale = torch.stack([scale for _, scale in quantised])
    return [int8.float() * s[:, None] for int8, s in quantised], packed, scale


# Expert of each row: all of them in turn, one for all, many rows of one and few of others, some of none, no row.
ASSIGNMENTS = {
    "one row": [3],
    "a row each": [4, 0, 5, 2, 1, 3],
    "one expert": [2] * 33,
    "a long one": [1] * 150 + [0, 5, 1, 0, 3] * 4,
    "none": [-1, EXPERTS, 2**40, -(2**40)],
    "some of none": [0, -1, 5, 5, EXPERTS, 0, 7, 5, 3],
    "random": torch.randint(-1, EXPERTS + 1, (200,), generator=torch.Generator().manual_seed(0)).tolist(),
}


@pytest.fixture
def threads() -> Iterator[None]:
    """Puts back how many threads there are."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_row_is_multiplied_with_its_expert(dtype: torch.dtype, backend: str) -> None:
    weights, packed, _ = experts_of(dtype, dtype)
    for experts in ASSIGNMENTS.values():
        x = rows_of((len(experts), INPUTS), dtype)
        out = backends.call(backend)("packed_grouped_linear", x, packed, OUTPUTS, torch.tensor(experts))
        expected, bound = torch.zeros(2, len(experts), OUTPUTS, dtype=torch.float64)
        for i, expert in enumerate(experts):
            if 0 <= expert < EXPERTS:
                weight, row = weights[expert].double(), x[i].double()
                expected[i] = weight @ row
                # A rounding in float32 for each input, in any order of them, and one of the result.
                bound[i] = 1.01 * INPUTS * 2.0**-24 * (weight.abs() @ row.abs())
        bound += torch.finfo(dtype).eps / 2 * (expected.abs() + bound)
        assert out.dtype == dtype and ((out.double() - expected).abs() <= bound).all()


@pytest.mark.parametrize(("weight_dtype", "dtype"), KINDS, ids=str)
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_bits_are_packed_linears(
    assignment: str, weight_dtype: torch.dtype, dtype: torch.dtype, threads: None
) -> None:
    """Equal to a product with the expert's weight and this row alone, on any number of threads."""
    _, packed, scale = experts_of(weight_dtype, dtype)
    experts = ASSIGNMENTS[assignment]
    x = rows_of((len(experts), INPUTS), dtype)
    expected = torch.zeros(len(experts), OUTPUTS, dtype=dtype)
    for i, expert in enumerate(experts):
        if 0 <= expert < EXPERTS:
            of_expert = None if scale is None else scale[expert]
            expected[i] = OPS.packed_linear(x[i], packed[expert], OUTPUTS, weight_scale=of_expert)
    for number in (1, 2, 3):
        torch.set_num_threads(number)
        out = OPS.packed_grouped_linear(x, packed, OUTPUTS, torch.tensor(experts), weight_scale=scale)
        assert torch.equal(out, expected), number


def test_weights_large_enough_for_all_threads(threads: None) -> None:
    _, packed, _ = experts_of(torch.bfloat16, torch.bfloat16, outputs=600, inputs=700)
    experts = torch.tensor([5, 0, 0, 2, 5, -1, 1])
    x = rows_of((7, 700))
    torch.set_num_threads(1)
    expected = OPS.packed_grouped_linear(x, packed, 600, experts)
    assert torch.equal(expected[1], OPS.packed_linear(x[1:2], packed[0], 600)[0]) and not expected[5].any()
    for number in (2, 3):
        torch.set_num_threads(number)
        assert torch.equal(OPS.packed_grouped_linear(x, packed, 600, experts), expected)


def test_int8_is_the_references_to_the_bit() -> None:
    _, packed, scale = experts_of(torch.int8, torch.float32)
    experts = torch.tensor(ASSIGNMENTS["some of none"])
    x = rows_of((len(experts), INPUTS), torch.float32)
    out, expected = (
        backends.call(backend)("packed_grouped_linear", x, packed, OUTPUTS, experts, weight_scale=scale)
        for backend in ("cpp", "reference")
    )
    assert torch.equal(out, expected)


def test_tokens_that_go_to_several_experts() -> None:
    """No copy of each token: its row is expanded."""
    _, packed, _ = experts_of(torch.float32, torch.float32)
    tokens = rows_of((5, INPUTS + 4), torch.float32)[:, 4:]
    experts = torch.tensor([[0, 3], [3, 1], [5, 0], [-1, 2], [2, 2]])
    out = OPS.packed_grouped_linear(tokens[:, None].expand(5, 2, INPUTS), packed, OUTPUTS, experts)
    assert out.shape == (5, 2, OUTPUTS) and out.is_contiguous()
    repeated = tokens.repeat_interleave(2, 0).contiguous()
    assert torch.equal(out.flatten(0, 1), OPS.packed_grouped_linear(repeated, packed, OUTPUTS, experts.flatten()))
    single = OPS.packed_grouped_linear(tokens[0], packed, OUTPUTS, experts[0, 1])
    assert torch.equal(single, out[0, 1])


@pytest.mark.parametrize("backend", ["reference", "cpp"])
def test_what_is_not_a_number_stays_with_its_row_and_expert(backend: str) -> None:
    _, packed, _ = experts_of(torch.float32, torch.float32)
    x, experts = rows_of((4, INPUTS), torch.float32), torch.tensor([0, -1, 2, 1])
    call = backends.call(backend)
    clean = call("packed_grouped_linear", x, packed, OUTPUTS, experts)
    packed[1], packed[4], x[1] = torch.nan, torch.nan, torch.nan
    out = call("packed_grouped_linear", x, packed, OUTPUTS, experts)
    assert torch.equal(out[:3], clean[:3]) and out[3].isnan().all() and not out[1].any()

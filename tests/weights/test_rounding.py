"""Rounding to four bits: better than plain rounding, exact for weights on a grid, and best for the given inputs."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.rounding import round_for_inputs, round_weight


def _random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _off(weight: GroupedWeight, expected: Tensor) -> float:
    return ((weight.dequantize() - expected).norm() / expected.norm()).item()


def _plain(weight: Tensor, size: int) -> Tensor:
    """Round as llama.cpp's Q4_0 does: a group's largest weight becomes -8, in float16."""
    values = weight.unflatten(1, (-1, size))
    scale = (values.gather(-1, values.abs().argmax(-1, keepdim=True)) / -8).half().float()
    codes = (values / scale + 8.5).floor().clamp(0, 15) - 8
    return (codes * scale).flatten(1)


@pytest.mark.parametrize("size", [16, 32, 64, 128])
def test_a_scale_of_least_squares_is_nearer_than_the_largest_weight_s(size: int) -> None:
    weight = _random(48, 256) * 0.02
    found = round_weight(weight, size)
    assert (found.bits, found.group_size, found.zero, found.scale.dtype) == (4, size, None, torch.float16)
    plain = ((_plain(weight, size) - weight).norm() / weight.norm()).item()
    assert 0.8 * plain < _off(found, weight) < 0.97 * plain


@pytest.mark.parametrize("zero", [8, 3])
def test_weights_that_have_a_grid_stay_as_they_are(zero: int) -> None:
    codes = torch.randint(0, 16, (24, 128), generator=torch.Generator().manual_seed(1)).float()
    codes[:, ::32], codes[:, 1::32] = 0, 15
    weight = (codes - zero) * 0.25
    moments = torch.eye(128)
    found = round_for_inputs(weight, 32, moments)
    assert torch.equal(found.dequantize(), weight) and found.zero is not None and bool((found.zero == zero).all())
    if zero == 8:
        assert torch.equal(round_weight(weight, 32).dequantize(), weight)


def test_errors_count_as_the_inputs_do() -> None:
    weight, importance = _random(64, 128), torch.rand(128, generator=torch.Generator().manual_seed(2)).pow(6)
    plain, weighted = round_weight(weight, 32), round_weight(weight, 32, importance)
    errors = [((each.dequantize() - weight).square() * importance).sum() for each in (plain, weighted)]
    assert errors[1] < 0.9 * errors[0]


def test_later_columns_make_up_for_the_errors_of_earlier_ones() -> None:
    weight = _random(96, 128)
    inputs = _random(512, 128, seed=1) @ _random(128, 128, seed=2)
    expected = inputs @ weight.T
    moments = inputs.T @ inputs / 512

    def wrong(rounded: GroupedWeight) -> Tensor:
        return (inputs @ rounded.dequantize().T - expected).norm()

    alone = wrong(round_weight(weight, 32, moments.diagonal()))
    assert wrong(round_for_inputs(weight, 32, moments)) < 0.75 * alone
    before = moments.clone()
    round_for_inputs(weight, 32, moments)
    assert torch.equal(moments, before), "it is another layer's too"


def test_inputs_that_are_always_zero_and_weights_that_are() -> None:
    weight = _random(8, 64)
    weight[:, :32] = 0
    for moments in (torch.zeros(64, 64), torch.diag(torch.arange(64.0))):
        found = round_for_inputs(weight, 32, moments)
        assert torch.equal(found.dequantize()[:, :32], weight[:, :32])
        assert _off(found, weight) < 0.15
    assert not round_weight(torch.zeros(4, 32), 32).dequantize().any()


@pytest.mark.parametrize("factor", [1e-7, 1e7])
def test_weights_beyond_float16_s_range(factor: float) -> None:
    weight = _random(16, 64) * factor
    assert round_weight(weight, 32).scale.dtype == torch.bfloat16
    assert _off(round_weight(weight, 32), weight) < 0.1
    assert _off(round_for_inputs(weight, 32, torch.eye(64)), weight) < 0.1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_a_row_does_not_depend_on_the_others(dtype: torch.dtype) -> None:
    weight = _random(1030, 64).to(dtype)
    whole, part = round_weight(weight, 16), round_weight(weight[1000:], 16)
    assert torch.equal(whole.rows(slice(1000, None)).dequantize(), part.dequantize())

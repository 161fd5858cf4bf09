"""`GroupedWeight`: values by its definition, rows, sizes, and parts that do not fit together."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchpaged.ops.grouped_weights import E2M1, IQ4, TABLES
from torchpaged.weights.grouped_weight import GroupedWeight


def _codes(bits: int = 4) -> torch.Tensor:
    return torch.randint(1 << bits, (3, 64), generator=torch.Generator().manual_seed(1)).to(torch.uint8)


def _value(weight: GroupedWeight, o: int, i: int) -> float:
    """Compute one value by the definition in the class's docstring."""
    g = i // weight.group_size
    if weight.table is not None:
        return 2.0 ** (int(weight.scale[o, g]) - 128) * TABLES[weight.table][int(weight.codes[o, i])]
    per = weight.groups // weight.scale.shape[1]
    scale = float(weight.scale[o, g // per]) * (1 if weight.scale_steps is None else int(weight.scale_steps[o, g]))
    zero = 1 << (weight.bits - 1) if weight.offset is None else 0
    zero = zero if weight.zero is None else int(weight.zero[o, g])
    offset = 0.0
    if weight.offset is not None:
        per = weight.groups // weight.offset.shape[1]
        steps = 1 if weight.offset_steps is None else int(weight.offset_steps[o, g])
        offset = float(weight.offset[o, g // per]) * steps
    return scale * (int(weight.codes[o, i]) - zero) + offset


FORMS: dict[str, dict[str, Any]] = {
    "symmetric": {"scale": torch.tensor([[0.5, 2.0]] * 3, dtype=torch.float16)},
    "zero": {"scale": torch.ones(3, 2), "zero": torch.tensor([[3, 9]] * 3, dtype=torch.uint8)},
    "offset": {"scale": torch.full((3, 2), 0.25), "offset": torch.tensor([[-1.5, 4.0]] * 3)},
    "table": {"scale": torch.tensor([[127, 0]] * 3, dtype=torch.uint8), "table": E2M1},
    "steps": {
        "scale": torch.full((3, 1), 0.125),
        "scale_steps": torch.tensor([[5, -7]] * 3, dtype=torch.int8),
        "offset": torch.full((3, 1), -0.5),
        "offset_steps": torch.tensor([[1, 6]] * 3, dtype=torch.uint8),
    },
}


@pytest.mark.parametrize(("form", "bits"), [(form, bits) for form in FORMS for bits in (4, 8)[: 2 - (form == "table")]])
def test_values_are_those_of_the_definition(form: str, bits: int) -> None:
    weight = GroupedWeight(_codes(bits), bits, 32, **FORMS[form])
    expected = [[_value(weight, o, i) for i in range(64)] for o in range(3)]
    assert weight.dequantize().tolist() == expected
    assert weight.rows(torch.tensor([2, 0])).dequantize().tolist() == [expected[2], expected[0]]


def test_bytes_are_those_of_codes_and_scales() -> None:
    assert GroupedWeight(_codes(), 4, 32, **FORMS["symmetric"]).num_bytes == 3 * 64 // 2 + 3 * 2 * 2
    assert GroupedWeight(_codes(8), 8, 32, **FORMS["steps"]).num_bytes == 3 * 64 + 2 * 3 * 4 + 2 * 3 * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bits": 3}, "bits is 3, expected 4 or 8"),
        ({"codes": torch.zeros(3, 64)}, "codes is torch.float32"),
        ({"codes": torch.zeros(0, 64, dtype=torch.uint8)}, "codes is torch.uint8"),
        ({"group_size": 48}, "group_size is 48"),
        ({"group_size": 128}, "group_size is 128, expected a divisor of the 64 inputs"),
        ({"scale": torch.ones(3, 3)}, "scale is torch.float32"),
        ({"scale": torch.ones(3, 2, dtype=torch.int32)}, "scale is torch.int32"),
        ({"zero": torch.ones(3, 2)}, "zero is torch.float32"),
        ({"zero": torch.ones(3, 2, dtype=torch.uint8), "offset": torch.ones(3, 2)}, "zero is given"),
        ({"offset": torch.ones(3, 2, dtype=torch.float16)}, "offset is torch.float16"),
        ({"offset_steps": torch.ones(3, 2, dtype=torch.uint8)}, "offset_steps is given"),
        ({"scale_steps": torch.ones(3, 2)}, "scale_steps is torch.float32"),
        ({"scale": torch.ones(3, 2, dtype=torch.uint8)}, "scale is torch.uint8"),
        ({"table": 0}, "table is 0, expected one of 3, 4, 5 with 4 bits"),
        ({"table": IQ4, "bits": 8}, "table is 4"),
        ({"table": IQ4, "zero": torch.ones(3, 2, dtype=torch.uint8)}, "table is 4, expected None beside a zero"),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"codes": _codes(), "bits": 4, "group_size": 32, "scale": torch.ones(3, 2)}
    with pytest.raises(ValueError, match=f"GroupedWeight: {message}"):
        GroupedWeight(**{**good, **changes})

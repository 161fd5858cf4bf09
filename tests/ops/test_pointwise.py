"""The pointwise operators: values against the reference, bits that depend only on the row."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.cases import GATED
from torchpaged.ops import library, pointwise

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# Rows that are no multiple of any vector's lanes, and one that is.
SIZES = (6, 38, 64)
# The gated activations in float64, which share no code with their definitions.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "silu_and_mul": lambda x: x / (1 + torch.exp(-x)),
    "gelu_tanh_and_mul": lambda x: 0.5 * x * (1 + torch.tanh((2 / math.pi) ** 0.5 * (x + 0.044715 * x**3))),
}


def rows(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    """Return random strided rows, each a part of a wider one, as parts of a fused projection are."""
    wide = torch.randn(*shape[:-1], shape[-1] + 5, generator=torch.Generator().manual_seed(seed)).to(dtype)
    return wide[..., : shape[-1]]


def calls(dtype: torch.dtype, n: int) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return a call of each operator on rows of n: strided, and with float32 weights and tables for 16-bit inputs."""
    x, y = rows(2, 5, n, dtype=dtype), rows(2, 5, n, dtype=dtype, seed=1)
    narrow, wide = 1 + rows(n, dtype=dtype, seed=2), 1 + rows(n, seed=3)
    query, key = rows(1, 5, 4, n, dtype=dtype, seed=4), rows(1, 5, 2, n, dtype=dtype, seed=5)
    angle = rows(1, 5, 1, n - 2 - n % 4 // 2 * 2, seed=6)
    heads_first = [each.transpose(1, 2) for each in (query, key, angle.cos(), angle.sin())]
    return {
        "rms_norm": ((x, wide, 1e-5), {}),
        "add_rms_norm": ((x, y, narrow, 1e-3), {}),
        "rotary_embedding": ((query, key, angle.cos(), angle.sin()), {"query_weight": wide, "key_weight": narrow}),
        "rotary_embedding heads first": (
            (*heads_first[:2], *(each.to(dtype).contiguous() for each in heads_first[2:])),
            {"key_weight": wide, "eps": 1e-6},
        ),
        **{name: ((8 * x, y), {}) for name in GATED},
    }


def _tuple(value: Any) -> tuple[Tensor, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_values() -> None:
    """Within two units in the last place of the reference, which computes in float32 as well."""
    for dtype in DTYPES:
        for n in SIZES:
            for name, (args, kwargs) in calls(dtype, n).items():
                name = name.split()[0]
                found = backends.call("cpp")(name, *args, **kwargs)
                expected = backends.call("reference")(name, *args, **kwargs)
                for a, b in zip(_tuple(found), _tuple(expected), strict=True):
                    assert a.is_contiguous() and a.dtype == b.dtype == dtype
                    unit = max(torch.finfo(dtype).eps, 1e-6)
                    torch.testing.assert_close(a, b, rtol=2 * unit, atol=4e-6)


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize("name", GATED)
def test_gated_activations_are_their_formulas(name: str, backend: str) -> None:
    """Magnitudes from underflow to saturation."""
    gate = torch.linspace(-100, 100, 4001)
    up = rows(4001, seed=7)
    expected = ACTIVATIONS[name](gate.double()) * up
    torch.testing.assert_close(backends.call(backend)(name, gate, up).double(), expected, rtol=4e-6, atol=4e-6)


@pytest.mark.parametrize("name", [operator.name for operator in pointwise.OPERATORS])
def test_a_row_is_the_same_in_any_batch(name: str) -> None:
    """Bit for bit, alone on one thread and in a batch large enough for all threads."""
    n, count = 40, 3000
    x, y = rows(1, count, 2, n, dtype=torch.bfloat16), rows(1, count, 2, n, dtype=torch.bfloat16, seed=1)
    weight, angle = rows(n, seed=2), rows(1, count, 1, 16, seed=3)
    arguments: dict[str, Callable[[slice], tuple[Any, ...]]] = {
        "rms_norm": lambda s: (x[:, s], weight, 1e-6),
        "add_rms_norm": lambda s: (x[:, s], y[:, s], weight, 1e-6),
        "rotary_embedding": lambda s: (x[:, s], y[:, s], angle[:, s].cos(), angle[:, s].sin()),
        **{name: lambda s: (x[:, s], y[:, s]) for name in GATED},
    }
    whole = _tuple(getattr(OPS, name)(*arguments[name](slice(None))))
    for i in (0, 1, 1499, count - 1):
        alone = _tuple(getattr(OPS, name)(*arguments[name](slice(i, i + 1))))
        assert all(torch.equal(a, b[:, i : i + 1]) for a, b in zip(alone, whole, strict=True))


def test_what_is_not_a_number_stays_in_its_row() -> None:
    x = torch.randn(3, 8)
    x[1, 2], x[2, 3] = torch.nan, torch.inf
    for found in (OPS.rms_norm(x, torch.ones(8), 1e-6), OPS.silu_and_mul(x, torch.ones(3, 8))):
        assert found[0].isfinite().all() and found[1, 2].isnan()
    assert abs(OPS.silu_and_mul(torch.full((1, 1), -1e4), torch.ones(1, 1)).item()) < 1e-30


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "says"),
    [
        ("rms_norm", (torch.ones(2, 4), torch.ones(3), 1e-6), {}, "rms_norm: weight has size 3"),
        ("rms_norm", (torch.ones(2, 4).T, torch.ones(2), 1e-6), {}, "rms_norm: x has stride 4"),
        ("rms_norm", (torch.ones(4).double(), torch.ones(4), 1e-6), {}, "rms_norm: x has dtype float64"),
        (
            "add_rms_norm",
            (torch.ones(2, 4), torch.ones(3, 4), torch.ones(4), 1e-6),
            {},
            "add_rms_norm: residual has size 3",
        ),
        (
            "rotary_embedding",
            (torch.ones(2, 4), torch.ones(2, 4), torch.ones(2, 3), torch.ones(2, 3)),
            {},
            "rotary_embedding: cos has rows of 3",
        ),
        (
            "rotary_embedding",
            (torch.ones(2, 4), torch.ones(3, 4), torch.ones(2, 2), torch.ones(2, 2)),
            {},
            "rotary_embedding: cos has shape",
        ),
        ("silu_and_mul", (torch.ones(2, 4), torch.ones(2, 5)), {}, "silu_and_mul: up has size 5"),
    ],
)
@pytest.mark.parametrize("backend", ["reference", "cpp"])
def test_refused(backend: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=says):
        backends.call(backend)(name, *args, **kwargs)

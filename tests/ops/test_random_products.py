"""Random products on the C++ kernels: weights of every format, odd sizes and strides, numbers that are not finite.

With 8-bit and grouped weights every instruction set gives the reference's bits. With float weights a row has the bits
that it has alone, and values within the rounding of its sum. TORCHPAGED_SEED is the seed of the first case.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.test_grouped_weights import FORMS
from tests.ops.test_grouped_weights import weight_of as grouped_weight_of
from torchpaged.ops import library
from torchpaged.weights.packed_linear import pack_grouped, quantise_weight

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
SEED = int(os.environ.get("TORCHPAGED_SEED") or 0)
FLOATS = (torch.float32, torch.bfloat16, torch.float16)
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 17, 29, 33, 70)
SPECIAL = (float("nan"), float("inf"), -float("inf"), 0.0, 1e-38, 3e38)


def weight_of(r: random.Random, kind: str, dtype: torch.dtype, out: int, inputs: int) -> tuple[Tensor, dict[str, Any]]:
    """Return a packed weight and the arguments that belong to it."""
    if kind == "float":
        return OPS.pack_linear_weight(torch.randn(out, inputs).to(dtype)), {}
    if kind == "int8":
        codes, scale = quantise_weight(torch.randn(out, inputs))
        return OPS.pack_linear_weight(codes), {"weight_scale": scale}
    packed, form = pack_grouped(grouped_weight_of(out, inputs, **FORMS[kind], seed=r.getrandbits(30)))  # type: ignore[arg-type]
    return packed, {"format": form.code}


def rows_of(r: random.Random, rows: int, inputs: int, dtype: torch.dtype) -> Tensor:
    layout = r.choice(("dense", "dense", "columns", "every other row", "one row"))
    stored = {"columns": (rows, inputs + r.randint(1, 40)), "every other row": (2 * rows, inputs)}
    stored["one row"] = (1, inputs)
    x = torch.randn(stored.get(layout, (rows, inputs))) * 10 ** r.uniform(-6, 3)
    if r.random() < 0.2:
        x[r.randrange(len(x)), r.randrange(inputs)] = r.choice(SPECIAL)
    x = x.to(dtype)
    return {"columns": x[:, -inputs:], "every other row": x[::2]}.get(layout, x).expand(rows, inputs)


def compare(seed: int) -> None:
    r = random.Random(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(r.choice((1, 2)))
    kind, dtype, rows = r.choice(("int8", "float", *FORMS)), r.choice(FLOATS), r.choice(ROWS)
    out, inputs, experts = r.randint(1, 140), r.randint(1, 700), r.choice((0, 0, 0, 3))
    form: Any = FORMS.get(kind, {})
    if size := form.get("group_size"):
        together = form.get("shared") or size
        inputs = max(3 if kind == "mxfp4" else 1, inputs // together) * together
    what = f"TORCHPAGED_SEED={seed}: {kind}, {dtype}, {rows} x {inputs} x {out}, {experts} experts"
    x = rows_of(r, rows, inputs, dtype)
    if experts:
        weights = [weight_of(r, kind, dtype, out, inputs) for _ in range(experts)]
        packed, options = torch.stack([each for each, _ in weights]), weights[0][1]
        if kind == "int8":
            options = {"weight_scale": torch.stack([each["weight_scale"] for _, each in weights])}
        chosen = torch.randint(-1, experts + 1, (rows,))
        name, arguments = "packed_grouped_linear", (x, packed, out, chosen)
    else:
        packed, options = weight_of(r, kind, dtype, out, inputs)
        if r.random() < 0.3:
            options = {**options, "bias": torch.randn(out).to(dtype)}
        name, arguments = "packed_linear", (x, packed, out)
    found = getattr(OPS, name)(*arguments, **options)
    expected = backends.call("reference")(name, *arguments, **options)
    if kind != "float":
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True, msg=what)
        return
    row = r.randrange(rows)
    own = [each[row : row + 1] for each in arguments[3:]]
    alone = getattr(OPS, name)(x[row : row + 1], packed, out, *own, **options)
    torch.testing.assert_close(found[row : row + 1], alone, rtol=0, atol=0, equal_nan=True, msg=what)
    # Each order of a sum has roundings of its own; this bounds what they come to where nothing overflows.
    if (finite := x.isfinite().all(1) & (x.abs().amax(1) < 500)).any():
        largest = float(x[finite].abs().amax()) * inputs
        torch.testing.assert_close(
            found[finite], expected[finite], rtol=2 * torch.finfo(dtype).eps, atol=inputs * 2.0**-24 * largest, msg=what
        )


@pytest.fixture(autouse=True)
def _threads() -> Any:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_cpp() -> None:
    for seed in range(SEED, SEED + 20):
        compare(seed)


@pytest.mark.long
def test_cpp_long() -> None:
    for seed in range(SEED, SEED + 3000):
        compare(seed)

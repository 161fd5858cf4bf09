"""Exact model families, and their list in docs/models.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests import models
from tests.integrations.family_models import SPECIAL
from tests.integrations.test_families import DECODERS
from torchpaged.compiler import batch_invariance_pass
from torchpaged.execution.exact import is_exact
from torchpaged.integrations.transformers import adapter
from torchpaged.ops import cpu

pytestmark = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="no fast kernels here: ops.cpu.isa()")
DTYPES = ("float32", "bfloat16")
# Transposed weights, experts, heads of latents, gates, norms by powers, and states.
QUICK = ("gpt2", "gpt_oss", "deepseek_v3", "gemma4_text", "mamba2")


def found_exact(kind: str, dtype: str, threads: int = 2) -> bool:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        model = adapter.wrap(models.build(kind, seed=3, **SPECIAL.get(kind, {})), dtype)
        model.weights.optimize()
        return is_exact(model)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("kind", QUICK)
def test_families_are_exact(kind: str) -> None:
    assert found_exact(kind, "float32")


def test_float16_is_exact() -> None:
    assert found_exact("llama", "float16")


def test_rotations_by_complex_numbers_are_exact() -> None:
    assert found_exact("deepseek_v2", "bfloat16")


@pytest.mark.long
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", DECODERS)
def test_the_page_says_which_are(kind: str, dtype: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
    section = page.split("## Exact model types")[1].split("\n## ")[0]
    row = re.search(rf"^\| `{kind}` \| (\w+) \| (\w+) \|", section, re.MULTILINE)
    said = ("yes", "yes") if row is None else row.groups()
    assert said[DTYPES.index(dtype)] == ("yes" if found_exact(kind, dtype) else "no")


FUNCTIONS = {
    "sigmoid": (batch_invariance_pass.sigmoid, torch.sigmoid),
    "softplus": (batch_invariance_pass.softplus, torch.nn.functional.softplus),
    "rsqrt": (lambda x: batch_invariance_pass.rsqrt(x.abs().clamp(2**-6)), lambda x: x.abs().clamp(2**-6).rsqrt()),
    "silu": (batch_invariance_pass.silu, torch.nn.functional.silu),
    "gelu": (batch_invariance_pass.gelu, torch.nn.functional.gelu),
    "gelu_tanh": (batch_invariance_pass.gelu_tanh, lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_rows_numbers_depend_on_no_other_row(name: str, dtype: torch.dtype) -> None:
    """At widths that fill vectors and others, for rows with a gap between them and without."""
    ours, torchs = FUNCTIONS[name]
    for width in (1, 4, 20, 33, 96, 1000):
        wide = (3 * torch.randn(60, 2 * width, generator=torch.Generator().manual_seed(width))).to(dtype)
        for x in (wide[:, :width], wide[:, :width].contiguous()):
            whole = ours(x)
            assert_close(whole, torchs(x.double()), dtype)
            for count in (1, 2, 17):
                assert torch.equal(ours(x[:count]), whole[:count])


@pytest.mark.parametrize("rows", [1, 2, 3, 17])
def test_a_product_of_complex_numbers_depends_on_no_other_row(rows: int) -> None:
    generator = torch.Generator().manual_seed(rows)
    for width in (1, 4, 20, 33):
        # Of heads one after the other and with gaps between them, by what all heads of a row have.
        x = torch.randn(17, 3, 2 * width, generator=generator)[..., :width].to(torch.complex64)
        x = torch.complex(x.real, torch.randn(17, 3, width, generator=generator))
        angles = torch.polar(torch.ones(17, 1, width), torch.randn(17, 1, width, generator=generator))
        for numbers in (x, x.transpose(0, 1).contiguous().transpose(0, 1)):
            whole = batch_invariance_pass.complex_product(numbers, angles)
            assert_close(whole, torch.view_as_real(x.to(torch.complex128) * angles), torch.float32)
            assert torch.equal(batch_invariance_pass.complex_product(numbers[:rows], angles[:rows]), whole[:rows])


def assert_close(found: Tensor, expected: Tensor, dtype: torch.dtype) -> None:
    """Check equality to half a unit of the dtype, and 4 of float32 from the steps before."""
    rtol = torch.finfo(dtype).eps / 2 + 4 * torch.finfo(torch.float32).eps
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), expected, rtol=rtol, atol=1e-6)

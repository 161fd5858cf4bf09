"""docs/quantization.md: its tables match the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from tests.integrations.quantized_checkpoints import nf4
from tests.weights.test_gguf_blocks import FORMATS, GROUPED, random_rows
from torchpaged.integrations.checkpoints.gguf.architectures import ARCHITECTURES
from torchpaged.weights import formats
from torchpaged.weights.gguf_blocks import decode
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import pack_grouped

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "quantization.md").read_text(encoding="utf-8")
ROWS = {
    row[0].strip("`"): row[1:]
    for line in re.findall(r"^\| (`.*) \|$", PAGE, re.MULTILINE)
    if len(row := line.split(" | ")) == 4
}


def test_every_format_has_a_row() -> None:
    assert {*GROUPED, "F32`, `F16`, `BF16"} == ROWS.keys()


@pytest.mark.parametrize("name", GROUPED)
def test_a_format_takes_the_bits_that_the_page_says(name: str) -> None:
    block = FORMATS[name]
    weight = decode(block, torch.from_numpy(random_rows(name, 64, 1024 // block.elements)))
    assert isinstance(weight, GroupedWeight)
    packed, form = pack_grouped(weight)
    assert ROWS[name] == [
        f"{block.num_bytes * 8 / block.elements:.4g}",
        f"{form.bits} bits, groups of {form.group_size}",
        f"{packed.nbytes * 8 / weight.codes.numel():.4g}",
    ]


def test_what_the_rounded_table_of_nf4_costs() -> None:
    weight = torch.randn(256, 1024, generator=torch.Generator().manual_seed(0))
    parts, values = nf4(weight)
    found = formats.nf4(parts["weight"], parts["weight.absmax"], (256, 1024), 64).dequantize()
    before, after = (100 * float((each - weight).norm() / weight.norm()) for each in (values, found))
    assert f"rises from {before:.2f} to {after:.2f} %" in " ".join(PAGE.split())


def test_the_architectures_are_those_that_are_read() -> None:
    named = re.search(r"^These architectures are supported.*?:\n?(.*?)\. Multi", PAGE, re.MULTILINE | re.DOTALL)
    assert named is not None and re.findall(r"`([^`]+)`", named[1]) == sorted(ARCHITECTURES)

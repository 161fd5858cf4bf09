"""docs/registry.md: its table is the registry's, and what it says of every operator holds."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from evals import registry
from tests.ops.test_library import sample
from torchpaged.ops import cpu, library


def test_the_table_is_that_of_the_registry() -> None:
    text = registry.PAGE.read_text()
    assert registry.page(text) == text, "python -m evals.registry"


def test_every_operator_has_a_kernel_in_cpp() -> None:
    assert cpu.isa() != "none"
    for name in library.NAMES:
        assert "cpp" in [backend.name for backend in library.backends(name, "cpu")]


def test_kernels_of_triton_are_those_that_are_registered() -> None:
    from torchpaged.ops.triton import LAUNCHERS

    assert set(LAUNCHERS) == {operator.name for operator in library.OPERATORS if operator.triton}


@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_export_sees_one_node(operator: library.Operator) -> None:
    args, kwargs = sample(operator.overload)

    class Call(nn.Module):
        def forward(self, args: Any, kwargs: Any) -> Any:
            result = operator.packet(library.NAMESPACE)(*args, **kwargs)
            first = next(each for each in args if isinstance(each, (Tensor, list)))
            return first if result is None else result

    with torch.no_grad():
        program = torch.export.export(Call(), (args, kwargs), strict=False)
    found = [node for node in program.graph.nodes if "torchpaged" in str(node.target)]
    assert [str(node.target) for node in found] == [str(operator.packet(library.NAMESPACE))]

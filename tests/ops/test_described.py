"""Descriptions of operators: `__doc__`, and the tags that compilers read."""

from __future__ import annotations

import pytest
import torch

from torchpaged.ops import library

OPS = torch.ops.torchpaged


@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_every_operator_explains_its_arguments(operator: library.Operator) -> None:
    """The schema, each argument, the results and the errors."""
    text = operator.packet(library.NAMESPACE).__doc__
    assert text.startswith(operator.overload + operator.schema)
    described = text[text.index("Args:") : text.index("Returns:")]
    for argument in operator.arguments:
        line = next((each for each in described.splitlines() if _names(each, argument.name)), None)
        assert line is not None, f"{argument.name} is not described"
        if "Tensor" in str(argument.type) and argument.name != "caches":
            assert "[" in line, f"{argument.name} has no shape: {line}"
    assert "ValueError" in text[text.index("Raises:") :]
    assert max(map(len, text.splitlines()[1:])) <= 120


def _names(line: str, argument: str) -> bool:
    return argument in [word.strip() for word in line.split(":")[0].split(",")]


def test_overloads_of_one_operator_are_in_one_text() -> None:
    """`help(torch.ops.torchpaged.paged_attention)` shows all overloads."""
    whole, parts = OPS.paged_attention.__doc__, (OPS.paged_attention.default, OPS.paged_attention.out)
    assert all(part.__doc__ in whole for part in parts) and parts[0].__doc__ != parts[1].__doc__
    assert OPS.rms_norm.__doc__ == OPS.rms_norm.default.__doc__


@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
@pytest.mark.parametrize("namespace", [library.NAMESPACE, library.NATIVE_NAMESPACE])
def test_strides_that_are_checked_are_kept_by_compilers(operator: library.Operator, namespace: str) -> None:
    """Each operator refuses some strides, at least overlapping elements of written tensors."""
    assert {torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides} <= set(operator.packet(namespace).tags)

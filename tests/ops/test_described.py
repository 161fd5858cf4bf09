"""What an operator says of itself: its `__doc__`, and the tags that compilers go by."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

from tests.ops.test_library import samples
from torchpaged.ops import library

OPS = torch.ops.torchpaged


@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_every_operator_explains_its_arguments(operator: library.Operator) -> None:
    """The schema, each argument, what is returned and what is raised."""
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
    """What `help(torch.ops.torchpaged.paged_attention)` shows."""
    whole, parts = OPS.paged_attention.__doc__, (OPS.paged_attention.default, OPS.paged_attention.out)
    assert all(part.__doc__ in whole for part in parts) and parts[0].__doc__ != parts[1].__doc__
    assert OPS.rms_norm.__doc__ == OPS.rms_norm.default.__doc__


def spread(tensor: Tensor) -> Tensor:
    """The same numbers, every second place of a wider tensor."""
    wide = torch.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1], dtype=tensor.dtype)
    wide[..., ::2] = tensor
    return wide[..., ::2]


def refuses_strides(operator: library.Operator) -> bool:
    """Whether there is an argument that is refused for nothing but its strides."""
    args, kwargs = samples()[operator.overload]
    leaves, structure = tree_flatten((args, kwargs))
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) and leaf.dim() and leaf.shape[-1] > 1:
            changed: Any = [*leaves[:place], spread(leaf), *leaves[place + 1 :]]
            args, kwargs = tree_unflatten(changed, structure)
            try:
                operator.check(operator.overload, *args, **kwargs)
            except ValueError as error:
                assert "stride" in str(error)
                return True
    return False


@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
@pytest.mark.parametrize("namespace", [library.NAMESPACE, library.NATIVE_NAMESPACE])
def test_strides_that_are_checked_are_kept_by_compilers(operator: library.Operator, namespace: str) -> None:
    tags = operator.packet(namespace).tags
    assert torch.Tag.pt2_compliant_tag in tags
    assert (torch.Tag.needs_exact_strides in tags) == refuses_strides(operator)

"""A result does not depend on an argument's memory layout: equal bits, or the argument is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

from tests.ops.test_concurrency import called, tensors
from tests.ops.test_library import sample as sample_of
from torchpaged.ops import library


def behind_one_element(x: Tensor) -> Tensor:
    return x.new_empty(x.numel() + 1)[1:].view(x.shape).copy_(x)


def in_wider_rows(x: Tensor) -> Tensor:
    return x.new_zeros(*x.shape[:-1], x.shape[-1] + 3)[..., 1 : 1 + x.shape[-1]].copy_(x)


def every_second_element(x: Tensor) -> Tensor:
    return x.new_zeros(*x.shape, 2)[..., 0].copy_(x)


def turned(x: Tensor) -> Tensor:
    """Return a copy with its first two dimensions swapped in memory."""
    return x.transpose(0, 1).contiguous().transpose(0, 1) if x.dim() > 1 else x.clone()


def negated(x: Tensor) -> Tensor:
    """Return a view that torch negates lazily."""
    return torch._neg_view(-x) if x.is_floating_point() else x.clone()


@pytest.mark.parametrize("layout", [behind_one_element, in_wider_rows, every_second_element, turned, negated])
@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_bits_do_not_depend_on_the_layout(operator: library.Operator, layout: Callable[[Tensor], Tensor]) -> None:
    sample = sample_of(operator.overload)
    expected = called(operator, sample)
    leaves, spec = tree_flatten(sample)
    written = {id(each) for each in tensors(*(_written(operator, *sample)))}
    for i, leaf in enumerate(leaves):
        if not isinstance(leaf, Tensor) or leaf.dim() == 0 or (layout is negated and id(leaf) in written):
            continue
        given = [each.clone() if isinstance(each, Tensor) else each for each in leaves]
        given[i] = layout(leaf)
        try:
            found = called(operator, tree_unflatten(given, spec), clone=False)
        except (ValueError, RuntimeError) as error:
            assert "expected" in str(error) and layout is not negated, error
        else:
            assert all(map(torch.equal, found, expected))


def _written(operator: library.Operator, args: tuple[object, ...], kwargs: dict[str, object]) -> list[object]:
    named = operator.named_arguments(args, kwargs)
    return [named[argument.name] for argument in operator.arguments if argument.is_write]

"""How the rules of `rewrites` find what they look for in a recording, and put something else in its place."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Recording

aten = torch.ops.aten
CASTS = (aten.to.dtype, aten._to_copy.default, aten.to.other, aten.type_as.default)
_PARTS = (
    aten.view.default,
    aten.reshape.default,
    aten.select.int,
    aten.slice.Tensor,
    aten.squeeze.dim,
    aten.unsqueeze.default,
    operator.getitem,
)


def calls(recording: Recording, target: Any) -> list[fx.Node]:
    """What a rule may start from: no value around it is written into."""
    found = [node for node in recording.graph.nodes if node.op == "call_function" and node.target is target]
    if not recording.mutated:
        return found
    return [node for node in found if all(map(recording.is_stable, (node, *node.all_input_nodes, *node.users)))]


def is_call(node: Any, *targets: Any) -> bool:
    return isinstance(node, fx.Node) and node.op == "call_function" and node.target in targets


def uncast(node: fx.Node) -> fx.Node:
    """Behind changes of dtype."""
    while is_call(node, *CASTS):
        node = node.args[0]
    return node


def only_user(node: fx.Node) -> fx.Node | None:
    """Who uses a node, changes of dtype aside, if that is one."""
    while len(node.users) == 1:
        user = next(iter(node.users))
        if not is_call(user, *CASTS):
            return user
        node = user
    return None


def cast_after(recording: Recording, node: fx.Node, dtype: torch.dtype) -> fx.Node:
    """The node, or the change to `dtype` that is all that becomes of it."""
    if recording.values[node].dtype != dtype and len(node.users) == 1:
        user = next(iter(node.users))
        if is_call(user, *CASTS) and recording.values[user].dtype == dtype:
            return user
    return node


def leads_to_output(node: fx.Node) -> bool:
    """Whether what a graph returns is this, or some of it."""
    return any(user.op == "output" or (is_call(user, *CASTS, *_PARTS) and leads_to_output(user)) for user in node.users)


def factors(node: Any) -> Iterator[tuple[Any, Any]]:
    """A product's or sum's two operands, both ways."""
    a, b = node.args[:2]
    yield a, b
    yield b, a


def axis_of(recording: Recording, node: fx.Node, axis: int) -> int:
    dims: int = recording.values[node].dim()
    return axis % dims


_POINTWISE = (torch.float32, torch.float16, torch.bfloat16)


def suits(tensor: Tensor) -> bool:
    """Whether the pointwise operators take it."""
    dense = tensor.shape[-1:] == (1,) or tensor.stride()[-1:] == (1,)
    return tensor.dtype in _POINTWISE and 1 <= tensor.dim() <= 4 and dense


def same(found: Any, expected: Any) -> bool:
    """Equal but for a few units in the last place of the largest of a row."""
    if isinstance(expected, tuple):
        return all(same(a, b) for a, b in zip(found, expected, strict=True))
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    a, b = found.float(), expected.float()
    limit = 4 * torch.finfo(expected.dtype).eps * (b.abs().amax(-1, keepdim=True) + b.abs())
    return bool(((a - b).abs() <= limit).all())


def replace(
    recording: Recording, old: fx.Node, target: Callable[..., Any], args: tuple[Any, ...], **kwargs: Any
) -> fx.Node | None:
    """`old` computed by `target`, if the numbers are the same; None, and nothing changes, if they are not."""
    known = fx.node.map_arg((args, kwargs), lambda each: recording.values[each])
    value = target(*known[0], **known[1])
    if not same(value, recording.values[old]):
        return None
    with recording.graph.inserting_before(old):
        new = recording.call(target, args, value, **kwargs)
    old.replace_all_uses_with(new)
    return new


def first_of_batch(recording: Recording, node: fx.Node) -> fx.Node:
    """node[0], at the insertion point."""
    value = recording.values[node][0]
    if is_call(node, aten.view.default) and node.args[1][0] == 1:
        return recording.call(aten.view.default, (node.args[0], list(node.args[1][1:])), value)
    return recording.call(aten.select.int, (node, 0, 0), value)

"""Clean and fuse stages: how rules find nodes in a traced graph and replace them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph

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


def calls(traced: Graph, target: Any) -> list[fx.Node]:
    """Return the calls of `target` that a rule may start from: no value next to them is written into."""
    found = [node for node in traced.graph.nodes if node.op == "call_function" and node.target is target]
    if not traced.mutated:
        return found
    return [node for node in found if all(map(traced.is_never_written, (node, *node.all_input_nodes, *node.users)))]


def is_call(node: Any, *targets: Any) -> bool:
    return isinstance(node, fx.Node) and node.op == "call_function" and node.target in targets


def uncast(node: fx.Node) -> fx.Node:
    """Return the node before any casts."""
    while is_call(node, *CASTS):
        node = node.args[0]
    return node


def only_user(node: fx.Node) -> fx.Node | None:
    """Return the only user of a node, behind any casts; None if there are several."""
    while len(node.users) == 1:
        user = next(iter(node.users))
        if not is_call(user, *CASTS):
            return user
        node = user
    return None


def cast_after(traced: Graph, node: fx.Node, dtype: torch.dtype) -> fx.Node:
    """Return the cast to `dtype` if that is the node's only user, else the node."""
    if traced.values[node].dtype != dtype and len(node.users) == 1:
        user = next(iter(node.users))
        if is_call(user, *CASTS) and traced.values[user].dtype == dtype:
            return user
    return node


def leads_to_output(node: fx.Node) -> bool:
    """Return True if the graph returns a node's value or a view or cast of it."""
    return any(user.op == "output" or (is_call(user, *CASTS, *_PARTS) and leads_to_output(user)) for user in node.users)


def factors(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the two operands of a product or sum in both orders."""
    a, b = node.args[:2]
    yield a, b
    yield b, a


def axis_of(traced: Graph, node: fx.Node, axis: int) -> int:
    dims: int = traced.values[node].dim()
    return axis % dims


_POINTWISE = (torch.float32, torch.float16, torch.bfloat16)


def is_pointwise_input(tensor: Tensor) -> bool:
    """Return True if the pointwise operators of torchpaged accept a tensor."""
    dense = tensor.shape[-1:] == (1,) or tensor.stride()[-1:] == (1,)
    return tensor.dtype in _POINTWISE and 1 <= tensor.dim() <= 4 and dense


def is_close(found: Any, expected: Any) -> bool:
    """Return True if values agree within a few units in the last place of a row's largest."""
    if isinstance(expected, tuple):
        return all(is_close(a, b) for a, b in zip(found, expected, strict=True))
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    a, b = found.float(), expected.float()
    limit = 4 * torch.finfo(expected.dtype).eps * (b.abs().amax(-1, keepdim=True) + b.abs())
    return bool(((a - b).abs() <= limit).all())


def replace(
    traced: Graph, old: fx.Node, target: Callable[..., Any], args: tuple[Any, ...], **kwargs: Any
) -> fx.Node | None:
    """Replace `old` by a call of `target` if their values are close; otherwise change nothing and return None."""
    values = fx.node.map_arg((args, kwargs), lambda each: traced.values[each])
    value = target(*values[0], **values[1])
    if not is_close(value, traced.values[old]):
        return None
    with traced.graph.inserting_before(old):
        new = traced.call(target, args, value, **kwargs)
    old.replace_all_uses_with(new)
    return new


def first_of_batch(traced: Graph, node: fx.Node) -> fx.Node:
    """Insert node[0] at the insertion point."""
    value = traced.values[node][0]
    if is_call(node, aten.view.default) and node.args[1][0] == 1:
        return traced.call(aten.view.default, (node.args[0], list(node.args[1][1:])), value)
    return traced.call(aten.select.int, (node, 0, 0), value)

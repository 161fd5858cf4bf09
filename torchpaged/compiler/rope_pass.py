"""Fuse stage: rotary position embeddings. The rotations of a layer's query and key become one call.

Found forms: x * cos + rotate_half(x) * sin, or half by half; over all of the head or its first elements; heads before
tokens, as in transformers, or behind; with a norm of each head in front.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.patterns import (
    axis_of,
    calls,
    factors,
    first_of_batch,
    is_call,
    is_close,
    is_pointwise_input,
    uncast,
)
from torchpaged.models.layer_calls import attend_layer

aten, ops = torch.ops.aten, torch.ops.torchpaged
_ATTENTION = (
    ops.paged_attention.default,
    ops.paged_attention.out,
    ops.paged_attention_with_lse.default,
)
_VIEWS = (
    *(aten.view.default, aten.reshape.default, aten._unsafe_view.default, aten.flatten.using_ints),
    *(aten.select.int, aten.slice.Tensor, aten.squeeze.dim, aten.unsqueeze.default, aten.expand.default),
    *(aten.transpose.int, aten.permute.default, aten.contiguous.default, aten.clone.default),
)


class _Rotation(NamedTuple):
    """A rotation of x. With `halves` the tables have half the width of what is rotated."""

    x: fx.Node
    cos: fx.Node
    sin: fx.Node
    halves: bool = False


def rewrite_rotations(traced: Graph) -> int:
    """Apply the rule in place. Return the number of rewrites."""
    return sum(_rotary(traced, *pair) for pair in _query_key_pairs(traced))


def _query_key_pairs(traced: Graph) -> Iterator[tuple[fx.Node, fx.Node]]:
    """Yield (query, key) of each attention. Over the paged cache the key is an argument of `write_kv_cache`."""
    for target in (attend_layer, aten.scaled_dot_product_attention.default):
        for node in calls(traced, target):
            yield node.args[0], node.args[1]
    keys: dict[Any, fx.Node] = {}
    for node in list(traced.graph.nodes):
        if node.target is ops.write_kv_cache.default:
            keys[node.args[2]] = node
        elif is_call(node, *_ATTENTION) and node.args[1] in keys:
            yield node.args[0], keys.pop(node.args[1]).args[0]


# --- One rotation ----------------------------------------------------------------------------------------------


def _rotation(traced: Graph, node: Any) -> _Rotation | None:
    """Return the rotation that a node computes: of all of x, or of its first elements with the rest appended."""
    node = uncast(node)
    if (found := _rotated(traced, node)) is not None or not _is_pair(node):
        return found
    beginning, rest = node.args[0]
    if (found := _rotated(traced, uncast(beginning))) is None:
        return None
    part, other = _part(traced, found.x), _part(traced, rest)
    if other is not None and other[0] is found.x:  # `rest` is empty
        part = (found.x, 0, other[1])
    if part is None or other is None or part[0] is not other[0]:
        return None
    if (part[1], part[2], other[2]) != (0, other[1], traced.values[part[0]].shape[-1]):
        return None
    return found._replace(x=part[0])


def _rotated(traced: Graph, node: Any) -> _Rotation | None:
    return _rotate_half_form(traced, node) or _half_by_half_form(traced, node)


def _rotate_half_form(traced: Graph, node: Any) -> _Rotation | None:
    """Match x * cos + cat(-x2, x1) * sin, where x1 and x2 are x's halves."""
    if not is_call(node, aten.add.Tensor):
        return None
    for a, b in factors(node):
        if not is_call(a, aten.mul.Tensor) or not is_call(b, aten.mul.Tensor):
            continue
        for rotated, sin in factors(b):
            if (x := _rotate_half_input(traced, rotated)) is None:
                continue
            for other, cos in factors(a):
                if other is x and isinstance(cos, fx.Node) and isinstance(sin, fx.Node):
                    return _Rotation(x, cos, sin)
    return None


def _rotate_half_input(traced: Graph, node: Any) -> fx.Node | None:
    """Return x of cat(-x2, x1)."""
    if not _is_pair(node) or not is_call(node.args[0][0], aten.neg.default):
        return None
    minus, first = node.args[0]
    return _whole(traced, first, minus.args[0])


def _half_by_half_form(traced: Graph, node: Any) -> _Rotation | None:
    """Match cat(x1 * cos - x2 * sin, x2 * cos + x1 * sin)."""
    if not _is_pair(node):
        return None
    first, second = node.args[0]
    if not is_call(first, aten.sub.Tensor) or not is_call(second, aten.add.Tensor):
        return None
    if not all(is_call(each, aten.mul.Tensor) for each in (*first.args[:2], *second.args[:2])):
        return None
    for one, cos in factors(first.args[0]):
        for two, sin in factors(first.args[1]):
            if not all(isinstance(each, fx.Node) for each in (one, two, cos, sin)):
                continue
            products = [set(each.args) for each in second.args[:2]]
            x = _whole(traced, one, two)
            if x is not None and {two, cos} in products and {one, sin} in products:
                return _Rotation(x, cos, sin, halves=True)
    return None


def _is_pair(node: Any) -> bool:
    """Return True if a node concatenates two tensors."""
    return is_call(node, aten.cat.default) and len(node.args[0]) == 2


def _whole(traced: Graph, first: fx.Node, second: fx.Node) -> fx.Node | None:
    """Return the node that these two are the halves of, or None."""
    halves = [_part(traced, each) for each in (first, second)]
    if None in halves or halves[0][0] is not halves[1][0]:
        return None
    x: fx.Node = halves[0][0]
    width = traced.values[x].shape[-1]
    return x if [each[1:] for each in halves] == [(0, width // 2), (width // 2, width)] else None


def _part(traced: Graph, node: Any) -> tuple[fx.Node, int, int] | None:
    """Return (x, begin, end) of a slice or chunk of x's last dimension."""
    if is_call(node, aten.slice.Tensor):
        x, axis, begin, end = (*node.args, 0, None)[:4] if len(node.args) < 4 else node.args[:4]
        size = traced.values[x].shape[-1]
        if axis_of(traced, x, axis) != traced.values[x].dim() - 1 or (len(node.args) > 4 and node.args[4] != 1):
            return None
        return x, begin or 0, min(size, size if end is None else end)
    if is_call(node, operator.getitem) and is_call(node.args[0], aten.chunk.default, aten.split.Tensor):
        x, axis = node.args[0].args[0], node.args[0].args[2] if len(node.args[0].args) > 2 else 0
        if axis_of(traced, x, axis) != traced.values[x].dim() - 1:
            return None
        parts = traced.values[node.args[0]]
        begin = sum(each.shape[-1] for each in parts[: node.args[1]])
        return x, begin, begin + parts[node.args[1]].shape[-1]
    return None


# --- Query and key ---------------------------------------------------------------------------------------------


def _rotary(traced: Graph, query: fx.Node, key: fx.Node) -> bool:
    """Rewrite the rotations of a query and a key. Return False if there are none."""
    batched = [_batched(each) for each in (query, key)]
    if None not in batched and _rotate(traced, (query, key), batched):
        return True
    seen = [_behind_views(traced, each) for each in (query, key)]
    return None not in seen and _rotate(traced, (seen[0], seen[1]), seen)


def _behind_views(traced: Graph, node: Any) -> fx.Node | None:
    """Return the node of the rotation that a query or key is a view of."""
    while isinstance(node, fx.Node):
        if _rotation(traced, node) is not None:
            return node
        node = node.args[0] if is_call(node, *_VIEWS) else None
    return None


def _rotate(traced: Graph, outputs: tuple[Any, Any], whole: list[Any]) -> bool:
    """Rewrite two rotations. Return False if they do not match or the values differ.

    Args:
        outputs: query and key: tokens before heads, or in any layout that the tables broadcast to.
        whole: the rotations: the same nodes, or the [1, heads, tokens, head_dim] nodes that they are views of.
    """
    by_head = whole[0] is not outputs[0]
    found = [_rotation(traced, each) for each in whole]
    if found[0] is None or found[1] is None or found[0][1:] != found[1][1:]:
        return False
    weights: dict[str, Any] = {}
    inputs, eps = [], 0.0
    for name, each in zip(("query_weight", "key_weight"), found, strict=True):
        behind = _behind_norm(each.x, by_head, eps if weights else None)
        if behind is None:
            return False
        x, norm = behind
        if norm is not None:
            weights[name], eps = norm.args[1:]
        # Models that rotate in float32 cast x to it and the result back; the operator does so itself.
        inputs.append(x if by_head or norm is not None else _unwidened(traced, x, traced.values[whole[0]].dtype))
    return _replace(traced, outputs, whole, inputs, found[0], weights, eps)


def _batched(node: fx.Node) -> fx.Node | None:
    """Return the [1, heads, tokens, head_dim] node that a node views as [tokens, heads, head_dim]."""
    if not is_call(node, aten.transpose.int) or not is_call(node.args[0], aten.select.int):
        return None
    if node.args[1:] != (0, 1) or node.args[0].args[1:] != (0, 0):
        return None
    whole: fx.Node = node.args[0].args[0]
    return whole


def _behind_norm(x: fx.Node, by_head: bool, eps: float | None) -> tuple[fx.Node, fx.Node | None] | None:
    """Return (the norm's input with tokens first, the norm if there is one), or None if the layout is not found."""
    norm = None

    def is_norm(node: fx.Node) -> bool:
        return norm is None and is_call(node, ops.rms_norm.default) and eps in (None, node.args[2])

    if by_head:
        # transformers rotates with heads first, memory has tokens first. The norm is on either side of the transpose.
        for _ in range(2):
            if is_norm(x):
                norm, x = x, x.args[0]
            if is_call(x, aten.transpose.int) and set(x.args[1:]) == {1, 2}:
                break
        else:
            return None
        x = x.args[0]
    if is_norm(x):
        norm, x = x, x.args[0]
    return x, norm


def _unwidened(traced: Graph, x: fx.Node, dtype: torch.dtype) -> fx.Node:
    plain = uncast(x)
    return plain if traced.values[plain].dtype == dtype else x


def _replace(
    traced: Graph,
    outputs: tuple[Any, Any],
    whole: list[Any],
    inputs: list[fx.Node],
    rotation: _Rotation,
    weights: dict[str, Any],
    eps: float,
) -> bool:
    """Replace both rotations by the operator if the values are close."""
    by_head = whole[0] is not outputs[0]
    tables = [traced.values[each] for each in rotation[1:3]]
    values = [traced.values[each] for each in inputs]
    if not _fits(tables, values, by_head) or not all(map(traced.is_never_written, (*inputs, *outputs, *rotation[1:3]))):
        return False
    if by_head:
        tables, values = [each.transpose(1, 2)[0] for each in tables], [x[0] for x in values]
    if rotation.halves:
        tables = [torch.cat([each, each], -1) for each in tables]
    if any(table.shape[-1] > x.shape[-1] or table.shape[-1] % 2 for table in tables for x in values):
        return False
    known = {name: traced.values[weight] for name, weight in weights.items()}
    results = ops.rotary_embedding.default(*values, *tables, **known, eps=eps)
    expected = [traced.values[old][0].transpose(0, 1) if by_head else traced.values[old] for old in whole]
    if not all(map(is_close, results, expected)):
        return False
    graph = traced.graph
    last = max(whole)  # in the graph's order
    if any(user < last for each in outputs for user in each.users):
        return False  # one of the two is used before the other is computed
    with graph.inserting_before(last):
        arguments = _arguments(traced, inputs, rotation, by_head)
        call = traced.call(ops.rotary_embedding.default, arguments, results, **weights, eps=eps)
        items = [traced.call(operator.getitem, (call, i), result) for i, result in enumerate(results)]
    for output, item in zip(outputs, items, strict=True):
        output.replace_all_uses_with(item)
    return True


def _fits(tables: list[Tensor], values: list[Tensor], by_head: bool) -> bool:
    """Return True if the operator accepts these tables, which broadcast over heads, and values."""
    if not all(map(is_pointwise_input, (*tables, *values))) or values[0].dtype != values[1].dtype:
        return False
    if by_head:
        return all(each.dim() == 4 and each.shape[:2] == (1, 1) for each in tables)
    if any(each.dtype not in (torch.float32, values[0].dtype) for each in tables):
        return False
    return all(
        each.dim() <= x.dim()
        and all(size in (1, full) for size, full in zip(each.shape[-2::-1], x.shape[-2::-1], strict=False))
        for each in tables
        for x in values
    )


def _arguments(traced: Graph, inputs: list[fx.Node], rotation: _Rotation, by_head: bool) -> tuple[fx.Node, ...]:
    """Return the operator's arguments, inserting views at the insertion point."""
    tables = list(rotation[1:3])
    if by_head:
        seen = [traced.values[each].transpose(1, 2) for each in tables]
        tables = [traced.call(aten.transpose.int, (n, 1, 2), v) for n, v in zip(tables, seen, strict=True)]
        inputs, tables = ([first_of_batch(traced, each) for each in some] for some in (inputs, tables))
    if rotation.halves:
        wide = [torch.cat([traced.values[each]] * 2, -1) for each in tables]
        tables = [traced.call(aten.cat.default, ([n, n], -1), v) for n, v in zip(tables, wide, strict=True)]
    return (*inputs, *tables)

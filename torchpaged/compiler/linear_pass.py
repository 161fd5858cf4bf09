"""Fuse stage: products with constant weights become calls of the functions here, one call for layers of one input.

`weight_packing` replaces these by packed operators, which are batch-invariant; torch's products are not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.patterns import axis_of, calls, is_call, uncast
from torchpaged.ops.checks import FLOAT_DTYPES
from torchpaged.ops.grouped_weights import PANEL

aten, ops = torch.ops.aten, torch.ops.torchpaged
TRANSPOSES = (aten.t.default, aten.numpy_T.default, aten.mT.default, aten.transpose.int, aten.permute.default)


def linears(x: Tensor, weights: list[Tensor], biases: list[Tensor | None], transposed: bool = False) -> Tensor:
    """Multiply [..., in] by weights [out, in] each, or [in, out] if transposed: [..., sum of out]."""
    plain = [weight.T if transposed else weight for weight in weights]
    results = [nn.functional.linear(x, weight, bias) for weight, bias in zip(plain, biases, strict=True)]
    return results[0] if len(results) == 1 else torch.cat(results, dim=-1)


def packed_linears(
    x: Tensor,
    weights: list[Tensor],
    sizes: list[int],
    biases: list[Tensor | None],
    scales: list[Tensor | None],
    format: int = 0,
) -> Tensor:
    """Multiply by weights that are packed already: as int8 with scales, or all in one format."""
    parts = zip(weights, sizes, biases, scales, strict=True)
    results = [ops.packed_linear(x, w, n, bias=b, weight_scale=s, format=format) for w, n, b, s in parts]
    return torch.cat(results, dim=-1)


def experts(x: Tensor, weight: Tensor, expert_of_row: Tensor, transposed: bool) -> Tensor:
    """Multiply rows [n, in] by their experts' weights [experts, out, in] or, transposed, [experts, in, out]."""
    whole = weight if transposed else weight.mT
    out = x.new_zeros(x.shape[0], whole.shape[2])
    for expert, each in enumerate(whole):
        rows = (expert_of_row == expert).nonzero()[:, 0]
        out[rows] = x[rows] @ each
    return out


def by_head(x: Tensor, weight: Tensor, transposed: bool) -> Tensor:
    """Multiply [heads, tokens, in] by [heads, out, in], or [heads, in, out] if transposed: [heads, tokens, out]."""
    return torch.bmm(x, weight if transposed else weight.mT)


def packed_by_head(x: Tensor, packed: Tensor, out_features: int) -> Tensor:
    """Multiply by packed weights of heads: a head is the expert of all its rows."""
    heads = torch.arange(x.shape[0]).unsqueeze(1).expand(x.shape[:2]).contiguous()
    result: Tensor = ops.packed_grouped_linear(x, packed, out_features, heads)
    return result


def rewrite_products(traced: Graph, *, packs: bool = True) -> dict[str, int]:
    """Apply the rules in place, without `packs` those of linear layers alone. Return the number of products by kind."""
    grouped = [node for node in traced.graph.nodes if packs and is_call(node, aten._grouped_mm.default)]
    batched = [node for node in traced.graph.nodes if packs and is_call(node, aten.bmm.default)]
    count = sum(_experts(traced, node) for node in grouped) + sum(_by_head(traced, node) for node in batched)
    for node in calls(traced, aten.matmul.default):
        _rewrite_left_weight(traced, node)
    return {"linear": _merge_linears(traced), "grouped_linear": count}


# --- Weights ---------------------------------------------------------------------------------------------------


def _weight(traced: Graph, node: Any, dim: int) -> tuple[fx.Node, bool] | None:
    """Return (constant node of `dim` dimensions, True if transposed) of a weight, or None if it is none."""
    exchanged = False
    while is_call(node, *TRANSPOSES) and swaps_last_two(traced, node):
        node, exchanged = node.args[0], not exchanged
    if not isinstance(node, fx.Node) or node.op != "get_attr":
        return None
    value = traced.values[node]
    plain = type(value) in (Tensor, nn.Parameter) and value.dtype in FLOAT_DTYPES
    return (node, exchanged) if plain and value.dim() == dim and value.numel() else None


def swaps_last_two(traced: Graph, node: fx.Node) -> bool:
    """Return True if one of `TRANSPOSES` swaps the last two dimensions and nothing else."""
    dim = traced.values[node].dim()
    if node.target is aten.transpose.int:
        axes = [axis_of(traced, node, axis) for axis in node.args[1:]]
        return dim >= 2 and sorted(axes) == [dim - 2, dim - 1]
    if node.target is aten.permute.default:
        axes = [axis % dim for axis in node.args[1]]
        return dim >= 2 and axes == [*range(dim - 2), dim - 1, dim - 2]
    return dim == 2 or node.target is aten.mT.default


def _is_input(traced: Graph, node: Any, weight: Tensor) -> bool:
    """Return True if packed products with such a weight accept the node's value."""
    value = traced.values.get(node) if isinstance(node, fx.Node) else None
    return isinstance(value, Tensor) and value.dtype == weight.dtype and (value.stride(-1) == 1 or value.shape[-1] == 1)


# --- Linear layers ---------------------------------------------------------------------------------------------


class _Linear(NamedTuple):
    x: fx.Node
    weight: fx.Node
    bias: fx.Node | None
    transposed: bool  # [in, out]


def _linear(traced: Graph, node: fx.Node) -> _Linear | None:
    """Return the linear layer that a node computes, or None."""
    if node.kwargs or node.op != "call_function":
        return None
    bias: Any = None
    if node.target is aten.linear.default:
        x, matrix, *rest = node.args
        bias, swapped = rest[0] if rest else None, False
    elif node.target in (aten.mm.default, aten.matmul.default):
        (x, matrix), swapped = node.args, True
    elif node.target is aten.addmm.default:
        (bias, x, matrix), swapped = node.args, True
    else:
        return None
    found = _weight(traced, matrix, 2)
    if found is None or not _is_input(traced, x, traced.values[found[0]]):
        return None
    if bias is not None and (bias.op != "get_attr" or traced.values[bias].dim() != 1):
        return None
    return _Linear(x, found[0], bias, found[1] != swapped)


def _rewrite_left_weight(traced: Graph, node: fx.Node) -> None:
    """Rewrite W @ x.mT, with the weight on the left, as the transposed result of a linear layer."""
    weight, transposed = node.args
    if not isinstance(weight, fx.Node) or weight.op != "get_attr" or _weight(traced, weight, 2) is None:
        return
    if not is_call(transposed, *TRANSPOSES) or not swaps_last_two(traced, transposed):
        return
    x, value = transposed.args[0], traced.values[node]
    if _is_input(traced, x, traced.values[weight]) and all(map(traced.is_never_written, (x, node))):
        with traced.graph.inserting_before(node):
            result = traced.call(aten.linear.default, (x, weight), value.mT)
            node.replace_all_uses_with(traced.call(aten.transpose.int, (result, -2, -1), value))


def _merge_linears(traced: Graph) -> int:
    """Merge the linear layers that read the same tensor into one call. Return the number of layers."""
    plain: dict[Any, list[tuple[fx.Node, _Linear]]] = {}
    packed: dict[Any, list[fx.Node]] = {}
    for node in traced.graph.nodes:
        if (found := _linear(traced, node)) is not None:
            # A product of a tensor that is written into keeps its place.
            alone = not all(map(traced.is_never_written, (found.x, node)))
            plain.setdefault(node if alone else (found.x, found.transposed), []).append((node, found))
    for node in calls(traced, ops.packed_linear.default):
        form = node.kwargs.get("format", 0)
        if (form or node.kwargs.get("weight_scale") is not None) and node.args[2] % PANEL == 0:
            packed.setdefault((node.args[0], form), []).append(node)
    for group in plain.values():
        nodes, parts = [node for node, _ in group], [each for _, each in group]
        weights, biases = [each.weight for each in parts], [each.bias for each in parts]
        # Read the input again: it may be the result of a layer that has been replaced since.
        x = nodes[0].args[1 if nodes[0].target is aten.addmm.default else 0]
        _merge(traced, nodes, linears, x, weights, biases, transposed=parts[0].transposed)
    for (x, form), nodes in packed.items():
        if len(nodes) > 1:
            options = {"format": form} if form else {}
            weights, sizes = ([node.args[i] for node in nodes] for i in (1, 2))
            biases, scales = ([node.kwargs.get(name) for node in nodes] for name in ("bias", "weight_scale"))
            _merge(traced, nodes, packed_linears, x, weights, sizes, biases, scales, **options)
    return sum(map(len, (*plain.values(), *packed.values())))


def _at_insertion_point(traced: Graph, operand: Any) -> Any:
    """Return a constant operand as a new node at the insertion point; anything else as it is."""
    return traced.constant(traced.values[operand]) if isinstance(operand, fx.Node) else operand


def _merge(
    traced: Graph,
    group: Sequence[fx.Node],
    target: Callable[..., Tensor],
    x: Any,
    *operands: list[Any],
    **options: Any,
) -> None:
    """Call `target` with x and the operands at the group's first node, and replace each node by its slice."""
    outputs = [traced.values[node] for node in group]
    with traced.graph.inserting_before(group[0]):
        arguments = [[_at_insertion_point(traced, each) for each in column] for column in operands]
        whole = outputs[0] if len(group) == 1 else torch.cat(outputs, dim=-1)
        call = traced.call(target, (x, *arguments), whole, **options)
        items = [call]
        if len(group) > 1:
            sizes = [each.shape[-1] for each in outputs]
            parts = whole.split(sizes, dim=-1)
            split = traced.call(aten.split_with_sizes.default, (call, sizes, -1), parts)
            items = [traced.call(operator.getitem, (split, i), part) for i, part in enumerate(parts)]
    for node, item in zip(group, items, strict=True):
        node.replace_all_uses_with(item)


# --- Experts and heads -----------------------------------------------------------------------------------------


def _experts(traced: Graph, node: fx.Node) -> bool:
    """Rewrite a grouped product of rows that are sorted by expert. Return False if a node is none."""
    if len(node.args) != 3 or any(each is not None for each in node.kwargs.values()):
        return False
    x, matrix, ends = node.args
    found, rows = _weight(traced, matrix, 3), _experts_of_rows(traced, ends)
    if found is None or rows is None or not _is_input(traced, x, traced.values[found[0]]):
        return False
    weight, exchanged = found
    if rows[1] != traced.values[weight].shape[0]:
        return False
    with traced.graph.inserting_before(node):
        args = (x, _at_insertion_point(traced, weight), rows[0], not exchanged)
        node.replace_all_uses_with(traced.call(experts, args, traced.values[node]))
    return True


def _experts_of_rows(traced: Graph, ends: Any) -> tuple[fx.Node, int] | None:
    """Return (sorted expert of each row, number of experts) if `ends` are cumulative counts of a histogram of these."""
    counts = uncast(ends.args[0]) if is_call(ends, aten.cumsum.default) else None
    if not is_call(counts, aten.histc.default) or len(counts.args) != 4:
        return None
    values, bins, first, last = counts.args
    rows = uncast(values)
    ordered = is_call(rows, operator.getitem) and rows.args[1] == 0 and is_call(rows.args[0], aten.sort.default)
    if not ordered or (first, last) != (0, bins - 1) or not traced.is_never_written(rows):
        return None
    return (rows, int(bins)) if traced.values[rows].dtype == torch.int64 else None


def _by_head(traced: Graph, node: fx.Node) -> bool:
    """Rewrite a product of each head's rows with the head's weight, on either side: W @ x is (x.mT @ W.mT).mT."""
    a, b = node.args
    value = traced.values[node]
    for x, matrix, on_the_left in ((a, b, False), (b, a, True)):
        if not _is_constant(matrix) or _is_constant(x):
            continue
        weight, rows = traced.values[matrix], traced.values[x]
        rows = rows.mT if on_the_left else rows
        if weight.dtype not in FLOAT_DTYPES or rows.dtype != weight.dtype or rows.stride(-1) != 1:
            continue
        with traced.graph.inserting_before(node):
            source = traced.call(aten.transpose.int, (x, 1, 2), rows) if on_the_left else x
            args = (source, traced.constant(weight), not on_the_left)
            new = traced.call(by_head, args, value.mT if on_the_left else value)
            if on_the_left:
                new = traced.call(aten.transpose.int, (new, 1, 2), value)
            node.replace_all_uses_with(new)
        return True
    return False


def _is_constant(node: Any) -> bool:
    """Return True if a node is a constant or computed from constants alone."""
    if not isinstance(node, fx.Node) or node.op == "get_attr":
        return isinstance(node, fx.Node)
    inputs = node.all_input_nodes
    return node.op == "call_function" and bool(inputs) and all(map(_is_constant, inputs))

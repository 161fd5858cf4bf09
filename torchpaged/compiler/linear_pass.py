"""Rules for products with constant weights: each becomes a call of a function that stands for a packed one.

`packing` puts the packed operators in their place. These give a row the same bits whatever else is in its batch, which
torch's products do not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.graph import Recording
from torchpaged.compiler.patterns import axis_of, calls, is_call, uncast
from torchpaged.ops.checks import FLOAT_DTYPES
from torchpaged.ops.grouped_weights import PANEL

aten, ops = torch.ops.aten, torch.ops.torchpaged
TRANSPOSES = (aten.t.default, aten.numpy_T.default, aten.mT.default, aten.transpose.int, aten.permute.default)


def linears(x: Tensor, weights: list[Tensor], biases: list[Tensor | None], transposed: bool = False) -> Tensor:
    """[..., in] by weights [out, in] each, or [in, out] if transposed -> [..., sum of out]."""
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
    """The same of weights that are packed already: as int8, with scales, or all in one format."""
    parts = zip(weights, sizes, biases, scales, strict=True)
    results = [ops.packed_linear(x, w, n, bias=b, weight_scale=s, format=format) for w, n, b, s in parts]
    return torch.cat(results, dim=-1)


def experts(x: Tensor, weight: Tensor, expert_of_row: Tensor, transposed: bool) -> Tensor:
    """Rows [n, in] by their experts' weights [experts, out, in], or [experts, in, out] if transposed -> [n, out]."""
    whole = weight if transposed else weight.mT
    out = x.new_zeros(x.shape[0], whole.shape[2])
    for expert, each in enumerate(whole):
        rows = (expert_of_row == expert).nonzero()[:, 0]
        out[rows] = x[rows] @ each
    return out


def by_head(x: Tensor, weight: Tensor, transposed: bool) -> Tensor:
    """[heads, tokens, in] by a weight of each head, [heads, out, in] or [heads, in, out] -> [heads, tokens, out]."""
    return torch.bmm(x, weight if transposed else weight.mT)


def packed_by_head(x: Tensor, packed: Tensor, out_features: int) -> Tensor:
    """The same of packed weights: a head is an expert of all its rows."""
    heads = torch.arange(x.shape[0]).unsqueeze(1).expand(x.shape[:2]).contiguous()
    result: Tensor = ops.packed_grouped_linear(x, packed, out_features, heads)
    return result


def find_products(recording: Recording) -> dict[str, int]:
    """Applies the rules, in place. Returns how many products of each kind there are."""
    grouped = [node for node in recording.graph.nodes if is_call(node, aten._grouped_mm.default)]
    batched = [node for node in recording.graph.nodes if is_call(node, aten.bmm.default)]
    count = sum(_experts(recording, node) for node in grouped) + sum(_by_head(recording, node) for node in batched)
    for node in calls(recording, aten.matmul.default):
        _turn(recording, node)
    return {"linear": _linears(recording), "grouped_linear": count}


# --- Weights ---------------------------------------------------------------------------------------------------


def _weight(recording: Recording, node: Any, dim: int) -> tuple[fx.Node, bool] | None:
    """(the model's own tensor of `dim` dimensions, whether its last two are exchanged) of a weight."""
    exchanged = False
    while is_call(node, *TRANSPOSES) and swaps_last_two(recording, node):
        node, exchanged = node.args[0], not exchanged
    if not isinstance(node, fx.Node) or node.op != "get_attr":
        return None
    value = recording.values[node]
    plain = type(value) in (Tensor, nn.Parameter) and value.dtype in FLOAT_DTYPES
    return (node, exchanged) if plain and value.dim() == dim and value.numel() else None


def swaps_last_two(recording: Recording, node: fx.Node) -> bool:
    """Whether one of `TRANSPOSES` does that and nothing else."""
    dim = recording.values[node].dim()
    if node.target is aten.transpose.int:
        axes = [axis_of(recording, node, axis) for axis in node.args[1:]]
        return dim >= 2 and sorted(axes) == [dim - 2, dim - 1]
    if node.target is aten.permute.default:
        axes = [axis % dim for axis in node.args[1]]
        return dim >= 2 and axes == [*range(dim - 2), dim - 1, dim - 2]
    return dim == 2 or node.target is aten.mT.default


def _is_input(recording: Recording, node: Any, weight: Tensor) -> bool:
    """Whether the packed products take it beside such a weight."""
    value = recording.values.get(node) if isinstance(node, fx.Node) else None
    return isinstance(value, Tensor) and value.dtype == weight.dtype and (value.stride(-1) == 1 or value.shape[-1] == 1)


# --- Linear layers ---------------------------------------------------------------------------------------------


class _Linear(NamedTuple):
    x: fx.Node
    weight: fx.Node
    bias: fx.Node | None
    transposed: bool  # [in, out]


def _linear(recording: Recording, node: fx.Node) -> _Linear | None:
    """A linear layer, however it is written."""
    if node.kwargs or node.op != "call_function":
        return None
    bias: Any = None
    if node.target is aten.linear.default:
        x, matrix, *rest = node.args
        bias, turned = rest[0] if rest else None, False
    elif node.target in (aten.mm.default, aten.matmul.default):
        (x, matrix), turned = node.args, True
    elif node.target is aten.addmm.default:
        (bias, x, matrix), turned = node.args, True
    else:
        return None
    found = _weight(recording, matrix, 2)
    if found is None or not _is_input(recording, x, recording.values[found[0]]):
        return None
    if bias is not None and (bias.op != "get_attr" or recording.values[bias].dim() != 1):
        return None
    return _Linear(x, found[0], bias, found[1] != turned)


def _turn(recording: Recording, node: fx.Node) -> None:
    """W @ x.mT, by a weight on the left, becomes the transposed result of a linear layer."""
    weight, transposed = node.args
    if not isinstance(weight, fx.Node) or weight.op != "get_attr" or _weight(recording, weight, 2) is None:
        return
    if not is_call(transposed, *TRANSPOSES) or not swaps_last_two(recording, transposed):
        return
    x, value = transposed.args[0], recording.values[node]
    if _is_input(recording, x, recording.values[weight]) and all(map(recording.is_stable, (x, node))):
        with recording.graph.inserting_before(node):
            result = recording.call(aten.linear.default, (x, weight), value.mT)
            node.replace_all_uses_with(recording.call(aten.transpose.int, (result, -2, -1), value))


def _linears(recording: Recording) -> int:
    """Makes one call of all linear layers that read the same tensor. Returns how many there are."""
    plain: dict[Any, list[tuple[fx.Node, _Linear]]] = {}
    packed: dict[Any, list[fx.Node]] = {}
    for node in recording.graph.nodes:
        if (found := _linear(recording, node)) is not None:
            # What is written into is multiplied where it was.
            alone = not all(map(recording.is_stable, (found.x, node)))
            plain.setdefault(node if alone else (found.x, found.transposed), []).append((node, found))
    for node in calls(recording, ops.packed_linear.default):
        form = node.kwargs.get("format", 0)
        if (form or node.kwargs.get("weight_scale") is not None) and node.args[2] % PANEL == 0:
            packed.setdefault((node.args[0], form), []).append(node)
    for group in plain.values():
        nodes, parts = [node for node, _ in group], [each for _, each in group]
        weights, biases = [each.weight for each in parts], [each.bias for each in parts]
        # Not as it was found: what it reads may be a layer that has been replaced since.
        x = nodes[0].args[1 if nodes[0].target is aten.addmm.default else 0]
        _join(recording, nodes, linears, x, weights, biases, transposed=parts[0].transposed)
    for (x, form), nodes in packed.items():
        if len(nodes) > 1:
            options = {"format": form} if form else {}
            weights, sizes = ([node.args[i] for node in nodes] for i in (1, 2))
            biases, scales = ([node.kwargs.get(name) for node in nodes] for name in ("bias", "weight_scale"))
            _join(recording, nodes, packed_linears, x, weights, sizes, biases, scales, **options)
    return sum(map(len, (*plain.values(), *packed.values())))


def _here(recording: Recording, operand: Any) -> Any:
    """A constant operand at the insertion point."""
    return recording.constant(recording.values[operand]) if isinstance(operand, fx.Node) else operand


def _join(
    recording: Recording,
    group: Sequence[fx.Node],
    target: Callable[..., Tensor],
    x: Any,
    *operands: list[Any],
    **options: Any,
) -> None:
    """`target` of x and the operands in the place of a group's first, and its parts in the place of each."""
    outputs = [recording.values[node] for node in group]
    with recording.graph.inserting_before(group[0]):
        arguments = [[_here(recording, each) for each in column] for column in operands]
        whole = outputs[0] if len(group) == 1 else torch.cat(outputs, dim=-1)
        call = recording.call(target, (x, *arguments), whole, **options)
        items = [call]
        if len(group) > 1:
            sizes = [each.shape[-1] for each in outputs]
            parts = whole.split(sizes, dim=-1)
            split = recording.call(aten.split_with_sizes.default, (call, sizes, -1), parts)
            items = [recording.call(operator.getitem, (split, i), part) for i, part in enumerate(parts)]
    for node, item in zip(group, items, strict=True):
        node.replace_all_uses_with(item)


# --- Experts and heads -----------------------------------------------------------------------------------------


def _experts(recording: Recording, node: fx.Node) -> bool:
    """A product of rows in the order of their experts, of which it is told where each expert's end."""
    if len(node.args) != 3 or any(each is not None for each in node.kwargs.values()):
        return False
    x, matrix, ends = node.args
    found, rows = _weight(recording, matrix, 3), _experts_of_rows(recording, ends)
    if found is None or rows is None or not _is_input(recording, x, recording.values[found[0]]):
        return False
    weight, exchanged = found
    if rows[1] != recording.values[weight].shape[0]:
        return False
    with recording.graph.inserting_before(node):
        args = (x, _here(recording, weight), rows[0], not exchanged)
        node.replace_all_uses_with(recording.call(experts, args, recording.values[node]))
    return True


def _experts_of_rows(recording: Recording, ends: Any) -> tuple[fx.Node, int] | None:
    """(the sorted experts, how many there are) whose rows end there: the sum of what a histogram counts."""
    counts = uncast(ends.args[0]) if is_call(ends, aten.cumsum.default) else None
    if not is_call(counts, aten.histc.default) or len(counts.args) != 4:
        return None
    values, bins, first, last = counts.args
    rows = uncast(values)
    ordered = is_call(rows, operator.getitem) and rows.args[1] == 0 and is_call(rows.args[0], aten.sort.default)
    if not ordered or (first, last) != (0, bins - 1) or not recording.is_stable(rows):
        return None
    return (rows, int(bins)) if recording.values[rows].dtype == torch.int64 else None


def _by_head(recording: Recording, node: fx.Node) -> bool:
    """A product of each head's rows with a weight of the head, on either side: W @ x is (x.mT @ W.mT).mT."""
    a, b = node.args
    value = recording.values[node]
    for x, matrix, on_the_left in ((a, b, False), (b, a, True)):
        if not _is_constant(matrix) or _is_constant(x):
            continue
        weight, rows = recording.values[matrix], recording.values[x]
        rows = rows.mT if on_the_left else rows
        if weight.dtype not in FLOAT_DTYPES or rows.dtype != weight.dtype or rows.stride(-1) != 1:
            continue
        with recording.graph.inserting_before(node):
            given = recording.call(aten.transpose.int, (x, 1, 2), rows) if on_the_left else x
            args = (given, recording.constant(weight), not on_the_left)
            new = recording.call(by_head, args, value.mT if on_the_left else value)
            if on_the_left:
                new = recording.call(aten.transpose.int, (new, 1, 2), value)
            node.replace_all_uses_with(new)
        return True
    return False


def _is_constant(node: Any) -> bool:
    """Whether a node is a tensor of the model's, or made of such alone."""
    if not isinstance(node, fx.Node) or node.op == "get_attr":
        return isinstance(node, fx.Node)
    inputs = node.all_input_nodes
    return node.op == "call_function" and bool(inputs) and all(map(_is_constant, inputs))

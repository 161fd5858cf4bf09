"""Rewrites of a recorded forward: what several operators compute, one of torchpaged's computes in a pass.

Each rule looks for the operators that a family's modeling code comes down to, by what they are, not by what modules are
called. A replacement stands only if it gives the recording's own numbers within the rounding of their dtype.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.integrations.attention_function import attend_layer
from torchpaged.integrations.by_row import compute_by_row
from torchpaged.integrations.matching import (
    axis_of,
    calls,
    cast_after,
    factors,
    is_call,
    only_user,
    replace,
    same,
    suits,
    uncast,
)
from torchpaged.integrations.products import TRANSPOSES, find_products, swaps_last_two
from torchpaged.integrations.recording import Recording

aten, ops = torch.ops.aten, torch.ops.torchpaged
# Constants are computed once if what comes of them is no larger: norms' weights, not tables.
_FOLDED_ELEMENTS = 1 << 16


def rewrite(recording: Recording) -> dict[str, int]:
    """Applies all rules, in place. Returns how often each was applied."""
    fold_constants(recording)
    share_equal_calls(recording)
    done = {
        "rms_norm": sum(map(bool, [_norm(recording, node) for node in _inverse_roots(recording)])),
        "gated_activation": sum(map(bool, [_gate(recording, node) for node in calls(recording, aten.mul.Tensor)])),
        "rotary_embedding": sum(map(bool, [_rotary(recording, node) for node in calls(recording, attend_layer)])),
        "add_rms_norm": sum(map(bool, [_add_norm(recording, node) for node in calls(recording, ops.rms_norm.default)])),
        **find_products(recording),
        "by_row": compute_by_row(recording),
    }
    _drop_detours(recording)
    share_equal_calls(recording)
    recording.prune()
    recording.graph.lint()
    return done


def fold_constants(recording: Recording) -> None:
    """What is computed of constants alone becomes one."""
    for node in list(recording.graph.nodes):
        inputs = node.all_input_nodes
        if node.op != "call_function" or not inputs or any(each.op != "get_attr" for each in inputs):
            continue
        value = recording.values.get(node)
        if is_call(node, *TRANSPOSES) and swaps_last_two(recording, node):
            continue  # of a weight: whoever packs it looks for the tensor itself
        if not isinstance(value, Tensor) or value.numel() > _FOLDED_ELEMENTS or not recording.is_stable(node):
            continue
        with recording.graph.inserting_before(node):
            node.replace_all_uses_with(recording.constant(value))
        recording.graph.erase_node(node)


def share_equal_calls(recording: Recording) -> None:
    """Of equal operators on equal arguments, and of constants that are one tensor, one is left; of aliases none."""
    known: dict[Any, fx.Node] = {}
    for node in list(recording.graph.nodes):
        if node.op == "call_function" and node.target is aten.alias.default and recording.is_stable(node):
            node.replace_all_uses_with(node.args[0])
            recording.graph.erase_node(node)
            continue
        if node.op == "get_attr":
            key: Any = id(recording.constants[str(node.target)])
        elif node.op == "call_function" and node.target is not attend_layer and recording.is_stable(node):
            key = (node.target, _hashable(node.args), _hashable(tuple(sorted(node.kwargs.items()))))
        else:
            continue
        if key in known:
            node.replace_all_uses_with(known[key])
            recording.graph.erase_node(node)
        else:
            known[key] = node


def _hashable(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashable, value))
    return value if isinstance(value, fx.Node) else (type(value), repr(value))


# --- Rules -----------------------------------------------------------------------------------------------------


def _inverse_roots(recording: Recording) -> list[fx.Node]:
    powers = [node for node in calls(recording, aten.pow.Tensor_Scalar) if node.args[1] == -0.5]
    return [*calls(recording, aten.rsqrt.default), *powers]


def _norm(recording: Recording, rsqrt: fx.Node) -> fx.Node | None:
    """weight * (x * rsqrt(mean(x^2) + eps)), with changes of dtype between any two of them."""
    sum_ = rsqrt.args[0]
    if not is_call(sum_, aten.add.Tensor) or not isinstance(sum_.args[1], float):
        return None
    mean, eps = sum_.args
    if not is_call(mean, aten.mean.dim) or mean.args[1] not in ([-1], (-1,)) or not mean.args[2]:
        return None
    square = mean.args[0]
    if (
        (is_call(square, aten.pow.Tensor_Scalar) and square.args[1] == 2)
        or is_call(square, aten.square.default)
        or (is_call(square, aten.mul.Tensor) and square.args[0] is square.args[1])
    ):
        wide = square.args[0]
    else:
        return None
    product = only_user(rsqrt)
    if not is_call(product, aten.mul.Tensor) or not any(a is wide and uncast(b) is rsqrt for a, b in factors(product)):
        return None
    x, value = uncast(wide), recording.values[uncast(wide)]
    end, weight = product, None
    scaled = only_user(product)
    if is_call(scaled, aten.mul.Tensor):
        for a, b in factors(scaled):
            constant = isinstance(b, fx.Node) and b.op == "get_attr" and uncast(a) is product
            if constant and recording.values[b].shape == value.shape[-1:]:
                end, weight = scaled, b
    end = cast_after(recording, end, value.dtype)
    if not suits(value):
        return None
    if weight is None or recording.values[weight].dtype not in (torch.float32, value.dtype):
        plain = torch.ones(value.shape[-1]) if weight is None else recording.values[weight].float()
        with recording.graph.inserting_before(end):
            weight = recording.constant(plain)
    return replace(recording, end, ops.rms_norm.default, (x, weight, eps))


def _gate(recording: Recording, product: fx.Node) -> fx.Node | None:
    """act(gate) * up."""
    for a, up in factors(product):
        if not isinstance(up, fx.Node) or not isinstance(a, fx.Node) or len(a.users) != 1:
            continue
        if is_call(a, aten.silu.default):
            target = ops.silu_and_mul.default
        elif is_call(a, aten.gelu.default) and a.kwargs.get("approximate") == "tanh":
            target = ops.gelu_tanh_and_mul.default
        else:
            continue
        gate = a.args[0]
        values = [recording.values[each] for each in (gate, up)]
        if all(map(suits, values)) and values[0].shape == values[1].shape and values[0].dtype == values[1].dtype:
            return replace(recording, product, target, (gate, up))
    return None


def _rotated(recording: Recording, node: Any) -> tuple[fx.Node, fx.Node, fx.Node] | None:
    """(x, cos, sin) of x * cos + cat(-x2, x1) * sin, where x1 and x2 are x's halves."""
    if not is_call(node, aten.add.Tensor):
        return None
    for a, b in factors(node):
        if not is_call(a, aten.mul.Tensor) or not is_call(b, aten.mul.Tensor):
            continue
        for turned, sin in factors(b):
            if (x := _turned(recording, turned)) is None:
                continue
            for other, cos in factors(a):
                if other is x and isinstance(cos, fx.Node) and isinstance(sin, fx.Node):
                    return x, cos, sin
    return None


def _turned(recording: Recording, node: Any) -> fx.Node | None:
    """x of cat(-x2, x1)."""
    if not is_call(node, aten.cat.default) or len(node.args[0]) != 2:
        return None
    minus, first = node.args[0]
    if not is_call(minus, aten.neg.default):
        return None
    halves = [_part(recording, each) for each in (first, minus.args[0])]
    if None in halves or halves[0][0] is not halves[1][0]:
        return None
    x = halves[0][0]
    width = recording.values[x].shape[-1]
    if [each[1:] for each in halves] != [(0, width // 2), (width // 2, width)]:
        return None
    return x


def _part(recording: Recording, node: Any) -> tuple[fx.Node, int, int] | None:
    """(x, begin, end) of a slice or chunk of x's last dimension."""
    if is_call(node, aten.slice.Tensor):
        x, axis, begin, end = (*node.args, 0, None)[:4] if len(node.args) < 4 else node.args[:4]
        size = recording.values[x].shape[-1]
        if axis_of(recording, x, axis) != recording.values[x].dim() - 1 or (len(node.args) > 4 and node.args[4] != 1):
            return None
        return x, begin or 0, min(size, size if end is None else end)
    if is_call(node, operator.getitem) and is_call(node.args[0], aten.chunk.default, aten.split.Tensor):
        x, axis = node.args[0].args[0], node.args[0].args[2] if len(node.args[0].args) > 2 else 0
        if axis_of(recording, x, axis) != recording.values[x].dim() - 1:
            return None
        parts = recording.values[node.args[0]]
        begin = sum(each.shape[-1] for each in parts[: node.args[1]])
        return x, begin, begin + parts[node.args[1]].shape[-1]
    return None


def _rotation(recording: Recording, node: Any) -> tuple[fx.Node, fx.Node, fx.Node] | None:
    """(x, cos, sin) of a rotation of all of x, or of its first elements with the others behind them."""
    node = uncast(node)
    if not is_call(node, aten.cat.default) or len(node.args[0]) != 2:
        return _rotated(recording, node)
    turned, rest = node.args[0]
    if (found := _rotated(recording, uncast(turned))) is None:
        return None
    part, other = _part(recording, found[0]), _part(recording, rest)
    if other is not None and other[0] is found[0]:  # nothing is left behind it
        part = (found[0], 0, other[1])
    if part is None or other is None or part[0] is not other[0]:
        return None
    if (part[1], part[2], other[2]) != (0, other[1], recording.values[part[0]].shape[-1]):
        return None
    return part[0], found[1], found[2]


def _rotary(recording: Recording, attention: fx.Node) -> fx.Node | None:
    """A layer's query and key, [1, heads, tokens, head_dim] seen as [tokens, heads, head_dim], both rotated alike."""
    whole = []
    for each in attention.args[:2]:
        if not is_call(each, aten.transpose.int) or not is_call(each.args[0], aten.select.int):
            return None
        if each.args[1:] != (0, 1) or each.args[0].args[1:] != (0, 0):
            return None
        whole.append(each.args[0].args[0])
    found = [_rotation(recording, each) for each in whole]
    if found[0] is None or found[1] is None or found[0][1:] != found[1][1:]:
        return None
    cos, sin = found[0][1:]
    weights: dict[str, Any] = {}
    inputs, values, eps = [], [], 0.0
    for name, each in zip(("query_weight", "key_weight"), found, strict=True):
        x = each[0]
        norm = None
        # Heads first is how transformers rotates; tokens first is how they lie in memory. The norm is on either side.
        for _ in range(2):
            if is_call(x, ops.rms_norm.default) and norm is None and (not weights or x.args[2] == eps):
                norm, x = x, x.args[0]
            if is_call(x, aten.transpose.int) and sorted(x.args[1:]) == [1, 2]:
                break
        else:
            return None
        x = x.args[0]
        if norm is None and is_call(x, ops.rms_norm.default) and (not weights or x.args[2] == eps):
            norm, x = x, x.args[0]
        if norm is not None:
            weights[name], eps = norm.args[1:]
        inputs.append(x)
        values.append(recording.values[x])
    tables = [recording.values[each] for each in (cos, sin)]
    if any(each.dim() != 4 or each.shape[:2] != (1, 1) for each in tables) or not all(map(suits, values + tables)):
        return None
    known = {name: recording.values[weight] for name, weight in weights.items()}
    by_token = [each.transpose(1, 2) for each in tables]
    results = ops.rotary_embedding.default(*(x[0] for x in values), *(x[0] for x in by_token), **known, eps=eps)
    if not all(same(new.transpose(0, 1), recording.values[old][0]) for new, old in zip(results, whole, strict=True)):
        return None
    graph = recording.graph
    with graph.inserting_before(whole[1] if _comes_first(graph, whole[0], whole[1]) else whole[0]):
        turned = [recording.call(aten.transpose.int, (n, 1, 2), v) for n, v in zip((cos, sin), by_token, strict=True)]
        arguments = tuple(_first(recording, each) for each in (*inputs, *turned))
        call = recording.call(ops.rotary_embedding.default, arguments, results, **weights, eps=eps)
        for i, argument in enumerate(attention.args[:2]):
            argument.replace_all_uses_with(recording.call(operator.getitem, (call, i), results[i]))
    return call


def _first(recording: Recording, node: fx.Node) -> fx.Node:
    """node[0], at the insertion point."""
    value = recording.values[node][0]
    if is_call(node, aten.view.default) and node.args[1][0] == 1:
        return recording.call(aten.view.default, (node.args[0], list(node.args[1][1:])), value)
    return recording.call(aten.select.int, (node, 0, 0), value)


def _comes_first(graph: fx.Graph, a: fx.Node, b: fx.Node) -> bool:
    for node in graph.nodes:
        if node is a or node is b:
            return bool(node is a)
    return False


def _add_norm(recording: Recording, norm: fx.Node) -> fx.Node | None:
    """A norm of a sum, which others read too."""
    total, weight, eps = norm.args
    if not is_call(total, aten.add.Tensor) or total.kwargs or len(total.args) != 2:
        return None
    a, b = total.args
    if not isinstance(a, fx.Node) or not isinstance(b, fx.Node):
        return None
    x, y = recording.values[a], recording.values[b]
    if x.shape != y.shape or x.dtype != y.dtype or not suits(x) or not suits(y):
        return None
    results = ops.add_rms_norm.default(x, y, recording.values[weight], eps)
    if not same(results, (recording.values[total], recording.values[norm])):
        return None
    with recording.graph.inserting_before(total):
        scale = recording.constant(recording.values[weight])
        call = recording.call(ops.add_rms_norm.default, (a, b, scale, eps), results)
        items = [recording.call(operator.getitem, (call, i), results[i]) for i in range(2)]
    total.replace_all_uses_with(items[0])
    norm.replace_all_uses_with(items[1])
    return call


# --- Views -----------------------------------------------------------------------------------------------------


def _drop_detours(recording: Recording) -> None:
    """Views by fewer steps: each costs a decode step about as much as a norm of it."""
    for node in calls(recording, attend_layer):
        _tokens_first(recording, node)
    for node in calls(recording, aten.reshape.default):
        inner = node.args[0]
        if is_call(inner, aten.unsqueeze.default) and inner.args[1] == 0:
            node.replace_input_with(inner, inner.args[0])
    recording.prune()
    for node in calls(recording, aten.split_with_sizes.default):
        _split_heads(recording, node)
    recording.prune()


def _tokens_first(recording: Recording, attention: fx.Node) -> None:
    """[tokens, heads, dim] not by way of [1, heads, tokens, dim]."""
    for node in attention.args[:3]:
        if not is_call(node, aten.transpose.int) or not is_call(node.args[0], aten.select.int):
            continue
        select = node.args[0]
        inner = select.args[0]
        if node.args[1:] != (0, 1) or select.args[1:] != (0, 0) or not is_call(inner, aten.transpose.int):
            continue
        if sorted(inner.args[1:]) == [1, 2] and recording.values[inner].dim() == 4:
            with recording.graph.inserting_before(node):
                node.replace_all_uses_with(_first(recording, inner.args[0]))


def _split_heads(recording: Recording, split: fx.Node) -> None:
    """Parts of a product that are each seen as heads: the whole seen so, and then split."""
    whole, sizes = split.args[:2]
    value, views = recording.values[whole], []
    for item in split.users:
        view = next(iter(item.users), None)
        if len(item.users) != 1 or not is_call(view, aten.view.default) or len(view.args[1]) != 3:
            return
        views.append((item, view))
    shape = views[0][1].args[1]
    width = shape[-1]
    if any(view.args[1] != shape for _, view in views) or shape[1] != -1 or value.dim() != 3:
        return
    if not isinstance(width, int) or any(size % width for size in sizes):
        return
    heads = value.view(value.shape[1], -1, width)
    with recording.graph.inserting_before(split):
        seen = recording.call(aten.view.default, (whole, list(shape)), heads)
        counts = [size // width for size in sizes]
        parts = recording.call(aten.split_with_sizes.default, (seen, counts, 1), heads.split(counts, dim=1))
        for item, view in views:
            part = recording.values[parts][item.args[1]]
            view.replace_all_uses_with(recording.call(operator.getitem, (parts, item.args[1]), part))

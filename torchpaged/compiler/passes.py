"""Clean and fuse stages: `rewrite` applies all passes, which replace groups of operators by torchpaged's.

Rules match the operators of a model's code, not its module names. A replacement is made only if it gives the traced
values within the rounding of their dtype.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.adapter_pass import copy_shared_results, merge_adapters
from torchpaged.compiler.batch_invariance_pass import rewrite_pointwise
from torchpaged.compiler.graph import Graph
from torchpaged.compiler.linear_pass import TRANSPOSES, rewrite_products, swaps_last_two
from torchpaged.compiler.patterns import (
    calls,
    cast_after,
    factors,
    first_of_batch,
    is_call,
    is_close,
    is_pointwise_input,
    only_user,
    replace,
    uncast,
)
from torchpaged.compiler.rope_pass import rewrite_rotations
from torchpaged.models.layer_calls import attend_layer

aten, ops = torch.ops.aten, torch.ops.torchpaged
# Largest result of constant folding, in elements: weights of norms are folded, embedding tables are not.
_MAX_FOLDED_ELEMENTS = 1 << 16


def rewrite(traced: Graph, *, packs: bool = True) -> dict[str, int]:
    """Apply all passes in place. Return the number of rewrites by kind.

    Args:
        packs: the weights will be packed, for the CPU; otherwise operators for packed experts and heads, and those that
            only make the CPU's batch-invariant, are left out.
    """
    fold_constants(traced)
    eliminate_common_subexpressions(traced)
    done = {
        "rms_norm": sum(map(bool, [rule(traced, node) for rule, node in _norms(traced)])),
        "gated_activation": sum(map(bool, [_gate(traced, node) for node in calls(traced, aten.mul.Tensor)])),
        "rotary_embedding": rewrite_rotations(traced),
        "add_rms_norm": sum(map(bool, [_add_norm(traced, node) for node in calls(traced, ops.rms_norm.default)])),
        **rewrite_products(traced, packs=packs),
        "adapter": merge_adapters(traced),
        "by_row": rewrite_pointwise(traced) if packs else 0,
    }
    _simplify_views(traced)
    eliminate_common_subexpressions(traced)
    copy_shared_results(traced)
    traced.prune()
    traced.graph.lint()
    return done


def fold_constants(traced: Graph) -> None:
    """Replace calls on constants alone by constants, except results of the graph: the caller may write into those."""
    returned = traced.returned_nodes()
    for node in list(traced.graph.nodes):
        inputs = node.all_input_nodes
        if (
            node in returned
            or node.op != "call_function"
            or not inputs
            or any(each.op != "get_attr" for each in inputs)
        ):
            continue
        value = traced.values.get(node)
        if is_call(node, *TRANSPOSES) and swaps_last_two(traced, node):
            continue  # a transposed weight: the packing stage must find the weight itself
        if _is_random(node):
            continue
        if not isinstance(value, Tensor) or value.numel() > _MAX_FOLDED_ELEMENTS or not traced.is_never_written(node):
            continue
        with traced.graph.inserting_before(node):
            node.replace_all_uses_with(traced.constant(value))
        traced.graph.erase_node(node)


def eliminate_common_subexpressions(traced: Graph) -> None:
    """Merge equal calls on equal arguments, and constants that are one tensor; remove aliases.

    Calls on tensors that are written into, random operators and results of the graph stay.
    """
    known: dict[Any, fx.Node] = {}
    returned = traced.returned_nodes()
    for node in list(traced.graph.nodes):
        if node.op == "call_function" and node.target is aten.alias.default and traced.is_never_written(node):
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
            continue
        if node.op == "get_attr":
            key: Any = id(traced.constants[str(node.target)])
        elif node not in returned and _may_be_shared(traced, node):
            key = (node.target, _hashable(node.args), _hashable(tuple(sorted(node.kwargs.items()))))
        else:
            continue
        if key in known:
            node.replace_all_uses_with(known[key])
            traced.graph.erase_node(node)
        else:
            known[key] = node


def _may_be_shared(traced: Graph, node: fx.Node) -> bool:
    if node.op != "call_function" or node.target is attend_layer or _is_random(node):
        return False
    return all(map(traced.is_never_written, (node, *node.all_input_nodes)))


def _is_random(node: fx.Node) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _hashable(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashable, value))
    return value if isinstance(value, fx.Node) else (type(value), repr(value))


# --- Rules -----------------------------------------------------------------------------------------------------


def _norms(traced: Graph) -> list[tuple[Callable[[Graph, fx.Node], fx.Node | None], fx.Node]]:
    """Return (rule, node) for each node that may belong to a norm."""
    powers = [node for node in calls(traced, aten.pow.Tensor_Scalar) if node.args[1] == -0.5]
    roots = [*calls(traced, aten.rsqrt.default), *powers]
    return [
        *((_norm, node) for node in roots),
        *((_native_norm, node) for node in calls(traced, aten.rms_norm.default)),
    ]


def _native_norm(traced: Graph, norm: fx.Node) -> fx.Node | None:
    """Rewrite torch's `rms_norm` over the last dimension."""
    x, shape, weight, eps = (*norm.args, *(None, None)[len(norm.args) - 2 :])
    value = traced.values[x]
    if len(shape) != 1 or not is_pointwise_input(value):
        return None
    eps = torch.finfo(value.dtype).eps if eps is None else eps
    if weight is None or traced.values[weight].dtype not in (torch.float32, value.dtype):
        if weight is not None and weight.op != "get_attr":
            return None
        plain = (
            value.new_ones(value.shape[-1], dtype=torch.float32) if weight is None else traced.values[weight].float()
        )
        with traced.graph.inserting_before(norm):
            weight = traced.constant(plain)
    return replace(traced, norm, ops.rms_norm.default, (x, weight, eps))


def _norm(traced: Graph, rsqrt: fx.Node) -> fx.Node | None:
    """Rewrite weight * (x * rsqrt(mean(x^2) + eps)), with casts anywhere."""
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
    x, value = uncast(wide), traced.values[uncast(wide)]
    end, weight = product, None
    scaled = only_user(product)
    if is_call(scaled, aten.mul.Tensor):
        for a, b in factors(scaled):
            constant = isinstance(b, fx.Node) and b.op == "get_attr" and uncast(a) is product
            if constant and traced.values[b].shape == value.shape[-1:]:
                end, weight = scaled, b
    end = cast_after(traced, end, value.dtype)
    if not is_pointwise_input(value):
        return None
    if weight is None or traced.values[weight].dtype not in (torch.float32, value.dtype):
        plain = (
            value.new_ones(value.shape[-1], dtype=torch.float32) if weight is None else traced.values[weight].float()
        )
        with traced.graph.inserting_before(end):
            weight = traced.constant(plain)
    return replace(traced, end, ops.rms_norm.default, (x, weight, eps))


def _gate(traced: Graph, product: fx.Node) -> fx.Node | None:
    """Rewrite act(gate) * up."""
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
        values = [traced.values[each] for each in (gate, up)]
        if (
            all(map(is_pointwise_input, values))
            and values[0].shape == values[1].shape
            and values[0].dtype == values[1].dtype
        ):
            return replace(traced, product, target, (gate, up))
    return None


def _add_norm(traced: Graph, norm: fx.Node) -> fx.Node | None:
    """Rewrite a norm of a sum that other nodes use too."""
    total, weight, eps = norm.args
    if not is_call(total, aten.add.Tensor) or total.kwargs or len(total.args) != 2:
        return None
    a, b = total.args
    if not isinstance(a, fx.Node) or not isinstance(b, fx.Node):
        return None
    if weight.op == "call_function":
        return None  # the weight may be computed after the sum
    x, y = traced.values[a], traced.values[b]
    if x.shape != y.shape or x.dtype != y.dtype or not is_pointwise_input(x) or not is_pointwise_input(y):
        return None
    results = ops.add_rms_norm.default(x, y, traced.values[weight], eps)
    if not is_close(results, (traced.values[total], traced.values[norm])):
        return None
    with traced.graph.inserting_before(total):
        scale = traced.constant(traced.values[weight]) if weight.op == "get_attr" else weight
        call = traced.call(ops.add_rms_norm.default, (a, b, scale, eps), results)
        items = [traced.call(operator.getitem, (call, i), results[i]) for i in range(2)]
    total.replace_all_uses_with(items[0])
    norm.replace_all_uses_with(items[1])
    return call


# --- Views -----------------------------------------------------------------------------------------------------


def _simplify_views(traced: Graph) -> None:
    """Shorten chains of views. In a decode step a view costs about as much as a norm."""
    for node in calls(traced, attend_layer):
        _tokens_first(traced, node)
    for node in calls(traced, aten.reshape.default):
        inner = node.args[0]
        if is_call(inner, aten.unsqueeze.default) and inner.args[1] == 0:
            node.replace_input_with(inner, inner.args[0])
    traced.prune()
    for node in calls(traced, aten.split_with_sizes.default):
        _split_heads(traced, node)
    traced.prune()


def _tokens_first(traced: Graph, attention: fx.Node) -> None:
    """Make [tokens, heads, dim] without the detour by [1, heads, tokens, dim]."""
    for node in attention.args[:3]:
        if not is_call(node, aten.transpose.int) or not is_call(node.args[0], aten.select.int):
            continue
        select = node.args[0]
        inner = select.args[0]
        if node.args[1:] != (0, 1) or select.args[1:] != (0, 0) or not is_call(inner, aten.transpose.int):
            continue
        if sorted(inner.args[1:]) == [1, 2] and traced.values[inner].dim() == 4:
            with traced.graph.inserting_before(node):
                node.replace_all_uses_with(first_of_batch(traced, inner.args[0]))


def _split_heads(traced: Graph, split: fx.Node) -> None:
    """Replace a split whose parts are each viewed as heads by one view and a split of heads."""
    whole, sizes = split.args[:2]
    value, views = traced.values[whole], []
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
    with traced.graph.inserting_before(split):
        seen = traced.call(aten.view.default, (whole, list(shape)), heads)
        counts = [size // width for size in sizes]
        parts = traced.call(aten.split_with_sizes.default, (seen, counts, 1), heads.split(counts, dim=1))
        for item, view in views:
            part = traced.values[parts][item.args[1]]
            view.replace_all_uses_with(traced.call(operator.getitem, (parts, item.args[1]), part))

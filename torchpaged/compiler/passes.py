"""Rewrites of a recorded forward: what several operators compute, one of torchpaged's computes in a pass.

Each rule looks for the operators that a family's modeling code comes down to, by what they are, not by what modules are
called. A replacement stands only if it gives the recording's own numbers within the rounding of their dtype.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.batch_invariance_pass import compute_by_row
from torchpaged.compiler.graph import Recording
from torchpaged.compiler.linear_pass import TRANSPOSES, find_products, swaps_last_two
from torchpaged.compiler.patterns import (
    calls,
    cast_after,
    factors,
    first_of_batch,
    is_call,
    only_user,
    replace,
    same,
    suits,
    uncast,
)
from torchpaged.compiler.rope_pass import find_rotations
from torchpaged.models.layer_calls import attend_layer

aten, ops = torch.ops.aten, torch.ops.torchpaged
# Constants are computed once if what comes of them is no larger: norms' weights, not tables.
_FOLDED_ELEMENTS = 1 << 16


def rewrite(recording: Recording) -> dict[str, int]:
    """Applies all rules, in place. Returns how often each was applied."""
    fold_constants(recording)
    share_equal_calls(recording)
    done = {
        "rms_norm": sum(map(bool, [rule(recording, node) for rule, node in _norms(recording)])),
        "gated_activation": sum(map(bool, [_gate(recording, node) for node in calls(recording, aten.mul.Tensor)])),
        "rotary_embedding": find_rotations(recording),
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
    """What is computed of constants alone becomes one, but for what is returned."""
    returned = recording.returned()
    for node in list(recording.graph.nodes):
        inputs = node.all_input_nodes
        if (
            node in returned
            or node.op != "call_function"
            or not inputs
            or any(each.op != "get_attr" for each in inputs)
        ):
            continue
        value = recording.values.get(node)
        if is_call(node, *TRANSPOSES) and swaps_last_two(recording, node):
            continue  # of a weight: whoever packs it looks for the tensor itself
        if _is_random(node):
            continue
        if not isinstance(value, Tensor) or value.numel() > _FOLDED_ELEMENTS or not recording.is_stable(node):
            continue
        with recording.graph.inserting_before(node):
            node.replace_all_uses_with(recording.constant(value))
        recording.graph.erase_node(node)


def share_equal_calls(recording: Recording) -> None:
    """Of equal operators on equal arguments, and of constants that are one tensor, one is left; of aliases none.

    What reads or writes a tensor that somebody writes into, and what is drawn or returned, stays.
    """
    known: dict[Any, fx.Node] = {}
    returned = recording.returned()
    for node in list(recording.graph.nodes):
        if node.op == "call_function" and node.target is aten.alias.default and recording.is_stable(node):
            node.replace_all_uses_with(node.args[0])
            recording.graph.erase_node(node)
            continue
        if node.op == "get_attr":
            key: Any = id(recording.constants[str(node.target)])
        elif node not in returned and _may_be_shared(recording, node):
            key = (node.target, _hashable(node.args), _hashable(tuple(sorted(node.kwargs.items()))))
        else:
            continue
        if key in known:
            node.replace_all_uses_with(known[key])
            recording.graph.erase_node(node)
        else:
            known[key] = node


def _may_be_shared(recording: Recording, node: fx.Node) -> bool:
    if node.op != "call_function" or node.target is attend_layer or _is_random(node):
        return False
    return all(map(recording.is_stable, (node, *node.all_input_nodes)))


def _is_random(node: fx.Node) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _hashable(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashable, value))
    return value if isinstance(value, fx.Node) else (type(value), repr(value))


# --- Rules -----------------------------------------------------------------------------------------------------


def _norms(recording: Recording) -> list[tuple[Callable[[Recording, fx.Node], fx.Node | None], fx.Node]]:
    """Where one may be, and the rule for it."""
    powers = [node for node in calls(recording, aten.pow.Tensor_Scalar) if node.args[1] == -0.5]
    roots = [*calls(recording, aten.rsqrt.default), *powers]
    return [
        *((_norm, node) for node in roots),
        *((_torchs_norm, node) for node in calls(recording, aten.rms_norm.default)),
    ]


def _torchs_norm(recording: Recording, norm: fx.Node) -> fx.Node | None:
    """torch's own of the last dimension."""
    x, shape, weight, eps = (*norm.args, *(None, None)[len(norm.args) - 2 :])
    value = recording.values[x]
    if len(shape) != 1 or not suits(value):
        return None
    eps = torch.finfo(value.dtype).eps if eps is None else eps
    if weight is None or recording.values[weight].dtype not in (torch.float32, value.dtype):
        if weight is not None and weight.op != "get_attr":
            return None
        plain = torch.ones(value.shape[-1]) if weight is None else recording.values[weight].float()
        with recording.graph.inserting_before(norm):
            weight = recording.constant(plain)
    return replace(recording, norm, ops.rms_norm.default, (x, weight, eps))


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


def _add_norm(recording: Recording, norm: fx.Node) -> fx.Node | None:
    """A norm of a sum, which others read too."""
    total, weight, eps = norm.args
    if not is_call(total, aten.add.Tensor) or total.kwargs or len(total.args) != 2:
        return None
    a, b = total.args
    if not isinstance(a, fx.Node) or not isinstance(b, fx.Node):
        return None
    if weight.op == "call_function":
        return None  # it may not be known where the sum is
    x, y = recording.values[a], recording.values[b]
    if x.shape != y.shape or x.dtype != y.dtype or not suits(x) or not suits(y):
        return None
    results = ops.add_rms_norm.default(x, y, recording.values[weight], eps)
    if not same(results, (recording.values[total], recording.values[norm])):
        return None
    with recording.graph.inserting_before(total):
        scale = recording.constant(recording.values[weight]) if weight.op == "get_attr" else weight
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
                node.replace_all_uses_with(first_of_batch(recording, inner.args[0]))


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

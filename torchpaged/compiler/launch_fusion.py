"""Fuse stage for CUDA: a layer's operators between two attentions become few launches.

    norm + products -> fused_linear        products + gate -> fused_linear        product + residual -> fused_linear
    rotation + cache write -> rotate_and_write_kv_cache, in `attend_rotated_layer`

A layer of Llama's kind has six launches then (the last programs of attention merge its parts, where they are few):
products of query, key and value with their norm, the heads, attention, its product with the sum, the gate's products
with their norm, and the last product with the sum.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.linear_pass import linears
from torchpaged.compiler.patterns import calls, is_call
from torchpaged.models.layer_calls import attend_layer, attend_rotated_layer

aten, ops = torch.ops.aten, torch.ops.torchpaged
_GATES = {ops.silu_and_mul.default: "silu", ops.gelu_tanh_and_mul.default: "gelu_tanh"}


def join_launches(traced: Graph) -> dict[str, int]:
    """Apply all rules in place, behind `rewrite`. Return the number of each.

    Values are not computed again: the operators compute what those that they replace did, and roundings at other places
    are judged by the logits.
    """
    done = {
        "residual": sum(_add_residual(traced, node) for node in calls(traced, ops.add_rms_norm.default)),
        "rotate_and_write": sum(_rotate(traced, node) for node in calls(traced, attend_layer)),
        "gate": sum(_gate(traced, node) for target in _GATES for node in calls(traced, target)),
        "norm": sum(_norm(traced, node) for node in calls(traced, ops.rms_norm.default)),
        "products": sum(_side_by_side(traced, node) for node in calls(traced, linears)),
    }
    traced.prune()
    traced.graph.lint()
    return done


def _fused(traced: Graph, product: fx.Node, value: Any, **options: Any) -> fx.Node:
    """Insert a `fused_linear` with the arguments of `linears` or of another one."""
    if is_call(product, linears):
        x, weights, biases = product.args[:3]
        options = {"transposed": bool(product.kwargs.get("transposed", False)), **options}
    else:
        x, weights, biases = product.args
        options = {**product.kwargs, **options}
    x = options.pop("x", x)
    return traced.call(ops.fused_linear.default, (x, list(weights), list(biases)), value, **options)


def _is_product(node: Any) -> bool:
    return is_call(node, linears) or is_call(node, ops.fused_linear.default)


def _add_residual(traced: Graph, node: fx.Node) -> bool:
    """Let the product before an `add_rms_norm` add the other operand; the norm stays a node of its own."""
    a, b, weight, eps = node.args
    for product, other in ((b, a), (a, b)):
        if not is_call(product, linears) or len(product.args[1]) != 1 or set(product.users) != {node}:
            continue
        if any(not is_call(user, operator.getitem) for user in node.users):
            return False
        total, normed = (traced.values[node][i] for i in range(2))
        with traced.graph.inserting_before(node):
            summed = _fused(traced, product, total, residual=other)
            norm = traced.call(ops.rms_norm.default, (summed, weight, eps), normed)
        for user in list(node.users):
            user.replace_all_uses_with((summed, norm)[user.args[1]])
            traced.graph.erase_node(user)
        traced.graph.erase_node(node)
        traced.graph.erase_node(product)
        return True
    return False


def _gate(traced: Graph, gate: fx.Node) -> bool:
    """Let the products of gate and up end in the gated activation."""
    first, second = gate.args
    if not is_call(first, operator.getitem) or not is_call(second, operator.getitem):
        return False
    split = first.args[0]
    parts = (first.args[1], second.args[1])
    if split is not second.args[0] or not is_call(split, aten.split_with_sizes.default) or set(parts) != {0, 1}:
        return False
    product = split.args[0]
    sizes = [int(traced.values[each].shape[-1]) for each in (first, second)]
    if not is_call(product, linears) or len(product.args[1]) != 2 or sizes[0] != sizes[1]:
        return False
    alone = len(product.users) == 1 and len(split.users) == 2 and len(first.users) == len(second.users) == 1
    if not alone or traced.values[product].shape[-1] != sum(sizes):
        return False
    x, weights, biases = product.args[:3]
    ordered = [[each[i] for i in parts] for each in (weights, biases)]
    options = {"transposed": bool(product.kwargs.get("transposed", False)), "activation": _GATES[gate.target]}
    with traced.graph.inserting_before(gate):
        new = traced.call(ops.fused_linear.default, (x, *ordered), traced.values[gate], **options)
    gate.replace_all_uses_with(new)
    for each in (gate, first, second, split, product):
        traced.graph.erase_node(each)
    return True


def _norm(traced: Graph, norm: fx.Node) -> bool:
    """Let the products that a norm is for compute it, if nothing else uses it."""
    x, weight, eps = norm.args
    users = list(norm.users)
    if not users or not all(_is_product(user) and user.args[0] is norm for user in users):
        return False
    # Twice the work is not saved by a launch less, and the input of a sum may not be the norm itself.
    if len(users) > 1 or users[0].kwargs.get("residual") is norm or users[0].kwargs.get("norm_weight") is not None:
        return False
    (user,) = users
    with traced.graph.inserting_before(user):
        new = _fused(traced, user, traced.values[user], x=x, norm_weight=weight, eps=eps)
    user.replace_all_uses_with(new)
    traced.graph.erase_node(user)
    traced.graph.erase_node(norm)
    return True


def _side_by_side(traced: Graph, product: fx.Node) -> bool:
    """Multiply several weights in one launch."""
    if len(product.args[1]) < 2:
        return False
    with traced.graph.inserting_before(product):
        new = _fused(traced, product, traced.values[product])
    product.replace_all_uses_with(new)
    traced.graph.erase_node(product)
    return True


def _rotate(traced: Graph, attention: fx.Node) -> bool:
    """Let an attention rotate its query and key, and write what it rotates."""
    query, key, value, *rest = attention.args
    if not is_call(query, operator.getitem) or not is_call(key, operator.getitem):
        return False
    rotation = query.args[0]
    if rotation is not key.args[0] or not is_call(rotation, ops.rotary_embedding.default):
        return False
    if (query.args[1], key.args[1]) != (0, 1) or any(set(each.users) != {attention} for each in (query, key)):
        return False
    plain, cos = traced.values[rotation.args[0]], traced.values[rotation.args[2]]
    if not isinstance(plain, Tensor) or plain.dim() != 3 or cos.dim() != 3:
        return False
    with traced.graph.inserting_before(attention):
        new = traced.call(
            attend_rotated_layer,
            (*rotation.args[:2], value, *rotation.args[2:4], *rest),
            traced.values[attention],
            **rotation.kwargs,
            **attention.kwargs,
        )
    attention.replace_all_uses_with(new)
    for each in (attention, query, key, rotation):
        traced.graph.erase_node(each)
    return True

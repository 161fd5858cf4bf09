"""Fuse stage: adapters of linear layers that were merged into one product become one call."""

from __future__ import annotations

import operator

import torch
from torch import fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.patterns import calls
from torchpaged.models.layer_calls import adapt_layer

aten = torch.ops.aten


def merge_adapters(traced: Graph) -> int:
    """Move adapters of the parts of one product before its split, as one call. Return the number of calls merged."""
    return sum(_merge(traced, split) for split in calls(traced, aten.split_with_sizes.default))


def _merge(traced: Graph, split: fx.Node) -> int:
    product, sizes, *_ = split.args
    items = sorted((user for user in split.users if user.target is operator.getitem), key=lambda item: item.args[1])
    users = [next(iter(item.users)) if len(item.users) == 1 else None for item in items]
    adapted = [user for item, user in zip(items, users, strict=True) if _adapts(user, item)]
    if len(adapted) < max(2, len(sizes)) or len(split.users) != len(sizes):
        return 0
    x = adapted[0].args[1]
    if x not in product.all_input_nodes or any(each.args[1] is not x for each in adapted):
        return 0
    modules = tuple(name for each in adapted for name in each.args[3])
    with traced.graph.inserting_before(split):
        whole = traced.call(adapt_layer, (product, x, adapted[0].args[2], modules), traced.values[product].clone())
    split.replace_input_with(product, whole)
    parts = traced.values[split] = tuple(traced.values[whole].split(list(sizes), dim=-1))
    for item, part, each in zip(items, parts, adapted, strict=True):
        traced.values[item] = part
        each.replace_all_uses_with(item)
        traced.graph.erase_node(each)
    return len(adapted)


def _adapts(user: fx.Node | None, node: fx.Node) -> bool:
    return user is not None and user.target is adapt_layer and user.args[0] is node


def copy_shared_results(traced: Graph) -> None:
    """Give each call of `adapt_layer`, which writes into its first argument, a copy if others use that too."""
    for node in calls(traced, adapt_layer):
        result = node.args[0]
        if len(result.users) > 1:
            with traced.graph.inserting_before(node):
                copy = traced.call(aten.clone.default, (result,), traced.values[result].clone())
            node.replace_input_with(result, copy)


def adapted_modules(traced: Graph) -> list[tuple[str, ...]]:
    """Return the names of the modules of each call of `adapt_layer`."""
    return [node.args[3] for node in traced.graph.nodes if node.target is adapt_layer]

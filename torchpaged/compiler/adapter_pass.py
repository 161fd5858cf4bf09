"""Fuse stage: adapters of linear layers that were merged into one product become one call."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.patterns import calls, is_call
from torchpaged.models.layer_calls import adapt_layer

aten = torch.ops.aten


def merge_adapters(traced: Graph) -> int:
    """Move adapters of the parts of one product before its split, as one call. Return the number of calls merged."""
    return sum(_merge(traced, split) for split in calls(traced, aten.split_with_sizes.default))


def _merge(traced: Graph, split: fx.Node) -> int:
    args: Any = split.args
    product, sizes, *_ = args
    items: list[Any] = sorted((user for user in split.users if is_call(user, operator.getitem)), key=_index)
    adapted: list[Any] = [user for item in items for user in item.users if _adapts(user, item) and len(item.users) == 1]
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


def _index(item: Any) -> Any:
    return item.args[1]


def _adapts(user: fx.Node, node: fx.Node) -> bool:
    return is_call(user, adapt_layer) and user.args[0] is node


def copy_shared_results(traced: Graph) -> None:
    """Give each call of `adapt_layer`, which writes into its first argument, a copy if others use that too."""
    for node in calls(traced, adapt_layer):
        result: Any = node.args[0]
        if len(result.users) > 1:
            with traced.graph.inserting_before(node):
                copy = traced.call(aten.clone.default, (result,), traced.values[result].clone())
            node.replace_input_with(result, copy)


def adapted_modules(traced: Graph) -> list[tuple[str, ...]]:
    """Return the names of the modules of each call of `adapt_layer`."""
    return [node.args[3] for node in traced.graph.nodes if is_call(node, adapt_layer)]

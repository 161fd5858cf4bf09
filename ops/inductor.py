"""Fixes of torch's inductor, whose compiled code would write to a wrong place, or read what is written already.

Compiled code hands an operator that writes to a view the larger tensor with size, stride and storage offset. Two faults
of this are fixed here, each only in versions of torch that have it:

- A symbolic offset is read with `aten.sym_storage_offset`, which has no lowering (torch 2.11 to 2.14; pytorch issue
  198068): the fallback measures a copy of the view, whose offset is 0.
- Offsets are counted from the start of the storage, but inductor's pointer to a graph input lies at that input's own
  offset already (torch 2.11): for an input that is a view itself, the two add up and lie outside.

A third one concerns any operator that writes: `y = x.clone(); op(y, x)` is compiled as `op(x, x)`, since inductor drops
the clone before it decides that `x` may be written in place (torch 2.11 to 2.15; pytorch issue 198031).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_leaves

from torchpaged.ops.operator import NAMESPACE
from torchpaged.utils.import_hook import after_import


def prepare(written: Iterable[Any]) -> None:
    """Apply the fixes if a written argument is a view. An operator's fake calls this, before its graph is lowered."""
    for tensor in tree_leaves(list(written)):
        if isinstance(tensor, Tensor):
            offset = tensor.storage_offset()
            if isinstance(offset, torch.SymInt) or offset:
                _mend()


def _keep_clones(module: ModuleType) -> None:
    """Let inductor keep a clone if an operator of ours reads it and writes to what was cloned."""
    remove = module.remove_noop_ops

    @functools.wraps(remove)
    def removed(graph: Any) -> None:
        for node in graph.nodes:
            if getattr(node.target, "__name__", "").startswith("auto_functionalized"):
                _keep_clones_of(node)
        remove(graph)

    module.remove_noop_ops = removed  # type: ignore[attr-defined]


def _keep_clones_of(call: Any) -> None:
    """Do so for the operator that a node of a functional graph calls."""
    operator = call.args[0]
    if not isinstance(operator, OpOverload) or operator.namespace not in (NAMESPACE, f"{NAMESPACE}_cpp"):
        return
    by_name = {argument.name for argument in operator._schema.arguments if argument.is_write}
    written = [value for name, value in call.kwargs.items() if name == "_all_bases" or name in by_name]
    storages = {_storage(each) for each in tree_leaves(written)} - {None}
    for each in call.all_input_nodes:
        while each.target is not torch.ops.aten.clone.default and _storage(each) is not None and each.all_input_nodes:
            (source, *_) = each.all_input_nodes
            if _storage(source) != _storage(each):
                break
            each = source  # of which it is a view
        if each.target is torch.ops.aten.clone.default and _storage(each.args[0]) in storages and not each.kwargs:
            each.target = torch.ops.aten.lift_fresh_copy.default  # lowered like a clone, and never dropped


def _storage(node: Any) -> int | None:
    value = getattr(node, "meta", {}).get("val")
    return value.untyped_storage()._cdata if isinstance(value, Tensor) else None


after_import("torch._inductor.fx_passes.post_grad", _keep_clones)


@functools.cache
def _mend() -> None:
    # This takes a second or two, so only programs that compile such views pay for it.
    from torch._inductor import lowering

    if getattr(lowering, "torchpaged_mended", False):  # by another copy of this file, in a kernel of `kernels`
        return
    lowering.torchpaged_mended = True  # type: ignore[attr-defined]
    if torch.ops.aten.sym_storage_offset.default not in lowering.lowerings:
        lowering.register_lowering(torch.ops.aten.sym_storage_offset, type_promotion_kind=None)(_sym_storage_offset)
    if "storage_offset_relative_to_input_storage" not in inspect.signature(lowering.as_strided).parameters:
        plain = lowering.lowerings[torch.ops.aten.as_strided.default]

        def as_strided(x: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
            if storage_offset is not None:
                storage_offset = storage_offset - _offset_of_input(x)
            return plain(x, size, stride, storage_offset)

        lowering.register_lowering(torch.ops.aten.as_strided.default, type_promotion_kind=None)(as_strided)


def _sym_storage_offset(view: Any) -> Any:
    from torch._inductor.virtualized import V

    return _expression(V.graph.current_node.meta["val"])


def _offset_of_input(x: Any) -> Any:
    """Return the storage offset of the graph input that `x` is, or is a view of; 0 for anything else."""
    from torch._inductor import ir
    from torch._inductor.virtualized import V

    while isinstance(x, (ir.MutableBox, ir.BaseView)):
        x = x.data
    if not isinstance(x, ir.InputBuffer):
        return 0
    graph: Any = V.graph.module.graph
    inputs = {node.target: node for node in graph.find_nodes(op="placeholder")}
    return _expression(inputs[x.get_name()].meta["val"].storage_offset())


def _expression(value: Any) -> Any:
    return value.node.expr if isinstance(value, torch.SymInt) else int(value)

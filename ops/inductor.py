"""Fixes of torch's inductor, whose compiled code would write to a wrong place where an operator writes to a view.

Compiled code hands an operator that writes to a view the larger tensor with size, stride and storage offset. Two faults
are fixed here, each only in versions of torch that have it:

- A symbolic offset is read with `aten.sym_storage_offset`, which has no lowering (torch 2.11 to 2.14; pytorch issue
  198068): the fallback measures a copy of the view, whose offset is 0.
- Offsets are counted from the start of the storage, but inductor's pointer to a graph input lies at that input's own
  offset already (torch 2.11): for an input that is a view itself, the two add up and lie outside.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves


def prepare(written: Iterable[Any]) -> None:
    """Apply the fixes if a written argument is a view. An operator's fake calls this, before its graph is lowered."""
    for tensor in tree_leaves(list(written)):
        if isinstance(tensor, Tensor):
            offset = tensor.storage_offset()
            if isinstance(offset, torch.SymInt) or offset:
                _mend()


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

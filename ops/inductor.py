"""Lowerings in which torch's inductor is wrong or lacking: without them, what is written to a view lands elsewhere.

Compiled code hands an operator that writes to a view the larger tensor with size, stride and storage offset. Two
faults are mended here, each only where torch has it:

- A symbolic offset is read with `aten.sym_storage_offset`, which has no lowering (torch 2.11 to 2.14; pytorch issue
  198068): the fallback measures a stand-in of the view, whose offset is 0.
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
    """Called by an operator's fake, that is before a graph with it is lowered, with the arguments that it writes to."""
    for tensor in tree_leaves(list(written)):
        if isinstance(tensor, Tensor):
            offset = tensor.storage_offset()
            if isinstance(offset, torch.SymInt) or offset:
                _mend()


@functools.cache
def _mend() -> None:
    # A second or two, for those who compile such views: everybody else's import of torchpaged stays what it is.
    from torch._inductor import lowering

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
    """Where in its storage a graph input begins that `x` is, or is a view of; 0 of anything else."""
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

"""Writes into caches in an exported program that was decomposed: torch has each copy the cache first.

`ExportedProgram.run_decompositions()` makes a program that changes nothing in the middle: an operator that writes gets
copies, and at the end they are copied back. What compiles such a program (AOTInductor, torch.compile) takes that back;
who runs it as it is pays for a copy of each cache a step.
"""

from __future__ import annotations

from torch import fx
from torch._higher_order_ops.auto_functionalize import auto_functionalized_v2
from torch.export import ExportedProgram

from torchpaged.errors import TransformError
from torchpaged.ops.library import NAMESPACE, NATIVE_NAMESPACE


def keep_in_place(program: ExportedProgram) -> ExportedProgram:
    """Has torchpaged's operators write where the program's inputs and buffers lie, as they did before; in place.

    `program = keep_in_place(program.run_decompositions())`.

    Raises:
        TransformError: the program reads what a cache was before a write to it, which needs the copy.
    """
    for node in program.graph.find_nodes(op="call_function", target=auto_functionalized_v2):
        operator = node.args[0]
        if getattr(operator, "namespace", None) not in (NAMESPACE, NATIVE_NAMESPACE):
            continue
        for base in node.kwargs["_all_bases"]:
            if isinstance(base, fx.Node) and any(node < user for user in base.users):
                raise TransformError(
                    f"keep_in_place: {base.name}, which {operator} writes to, is read afterwards as it was before; "
                    "call the operator on a copy where the program means that"
                )
        node.update_kwarg("_only_clone_these_bases", ())
    return program

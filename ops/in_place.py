"""Writes to caches in place in decomposed exported programs, where torch would copy each cache first.

`ExportedProgram.run_decompositions()` makes a functional program: an operator that writes gets copies, which are copied
back at the end. Compilers of such a program (AOTInductor, torch.compile) undo that, but a program that runs as it is
copies each cache in every step.
"""

from __future__ import annotations

from torch import fx
from torch._higher_order_ops.auto_functionalize import auto_functionalized_v2
from torch.export import ExportedProgram

from torchpaged.errors import TransformError
from torchpaged.ops.library import NAMESPACE, NATIVE_NAMESPACE


def keep_in_place(program: ExportedProgram) -> ExportedProgram:
    """Let torchpaged's operators write to the program's inputs and buffers directly again. Changes the program.

    `program = keep_in_place(program.run_decompositions())`.

    Raises:
        TransformError: the program reads a cache's contents from before a write, which needs the copy.
    """
    for node in program.graph.find_nodes(op="call_function", target=auto_functionalized_v2):
        operator = node.args[0]
        if getattr(operator, "namespace", None) not in (NAMESPACE, NATIVE_NAMESPACE):
            continue
        for base in node.kwargs["_all_bases"]:
            if isinstance(base, fx.Node) and any(node < user for user in base.users):
                raise TransformError(
                    f"keep_in_place: {base.name}, which {operator} writes to, is read afterwards as it was before; "
                    "call the operator on a copy if the program needs the old contents"
                )
        node.update_kwarg("_only_clone_these_bases", ())
    return program

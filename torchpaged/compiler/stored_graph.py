"""Stores graphs and programs as JSON, with their constants in a `TensorWriter`, and makes them anew in a later process.

Values of nodes are not stored, so a graph that was read can run, and nothing more.
"""

from __future__ import annotations

import importlib
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FunctionType
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.graph_module import module_of
from torchpaged.compiler.program import ProgramSource
from torchpaged.weights.tensor_file import DamagedFile, TensorWriter, read_dtype

# Namespaces of operators, functions of `operator`, and modules whose functions a graph may call.
_NAMESPACES = ("aten", "prims", "torchao", "torchpaged", "transformers")
_OF_FILES = ("aten::from_file",)  # which it may not call
_OPERATOR = {
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "getitem"),
    *("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_"),
}
_OWN = (
    "torchpaged.compiler.batch_invariance_pass",
    "torchpaged.compiler.linear_pass",
    "torchpaged.models.layer_calls",
)
_OPS = ("placeholder", "call_function", "output")  # of nodes, beside get_attr
_LARGEST_INLINE = 1 << 20  # bytes of a program's constant that is none of its graph's


class NotStorable(Exception):
    """The reason why a graph or a program cannot be stored."""


def write_graph(traced: Graph, tensors: TensorWriter) -> dict[str, Any]:
    """Return a graph for JSON.

    Raises:
        NotStorable: it writes into a constant, or has a constant, a function or an argument that cannot be stored.
    """
    traced.prune()
    numbers = {node: number for number, node in enumerate(traced.graph.nodes)}
    constants = {}
    for name, tensor in traced.constants.items():
        if tensor.untyped_storage()._cdata in traced.mutated:
            raise NotStorable(f"it writes into a constant of shape {tuple(tensor.shape)}")
        try:
            constants[name] = tensors.add(tensor)
        except ValueError as error:
            raise NotStorable(str(error)) from None
    nodes = []
    for node in numbers:
        target = _target(node.target) if node.op == "call_function" else str(node.target)
        args, kwargs = _written(node.args, numbers), {key: _written(each, numbers) for key, each in node.kwargs.items()}
        nodes.append([node.op, target, args, kwargs])
    return {"nodes": nodes, "constants": constants}


def read_graph(stored: Mapping[str, Any], tensors: Sequence[Tensor]) -> Callable[..., Any]:
    """Return a stored graph as a function of its inputs, in order.

    Raises:
        DamagedFile: it is no graph that `write_graph` wrote.
    """
    graph, nodes = fx.Graph(), list[fx.Node]()
    for op, name, args, kwargs in stored["nodes"]:
        # Names of attributes and arguments become source text.
        is_known = name in stored["constants"] if op == "get_attr" else op in _OPS
        if not is_known or not all(each.isidentifier() for each in (*kwargs, *stored["constants"])):
            raise DamagedFile(f"a graph has a node {op!r:.80} {name!r:.80}")
        target = _function(name) if op == "call_function" else name
        given = _read(args, nodes), {key: _read(each, nodes) for key, each in kwargs.items()}
        nodes.append(graph.create_node(op, target, *given, name=f"n{len(nodes)}"))
    constants = {name: tensors[number] for name, number in stored["constants"].items()}
    forward: Callable[..., Any] = module_of(graph, constants).forward
    return forward


def write_program(source: ProgramSource, tensors: TensorWriter) -> dict[str, Any]:
    """Return a program for JSON. Constants that are none of the graph's are stored in it.

    Raises:
        NotStorable: such a constant is large, or no plain tensor.
    """
    constants = [_constant(each, tensors) for each in source.constants]
    return {"code": list(source.code), "names": list(source.names), "constants": constants}


def read_program(stored: Mapping[str, Any], tensors: Sequence[Tensor]) -> ProgramSource:
    """Return the source of a stored program."""
    constants = [
        tensors[each] if isinstance(each, int) else torch.tensor(each[2], dtype=read_dtype(each[0])).view(each[1])
        for each in stored["constants"]
    ]
    return ProgramSource(stored["code"], stored["names"], constants)


def _constant(tensor: Tensor, tensors: TensorWriter) -> Any:
    number = tensors.number_of(tensor)
    if number is not None:
        return number
    if tensor.nbytes > _LARGEST_INLINE or type(tensor) is not Tensor:
        raise NotStorable(f"a program has a constant of its own of shape {tuple(tensor.shape)}")
    return [str(tensor.dtype).removeprefix("torch."), list(tensor.shape), tensor.flatten().tolist()]


# --- Functions and arguments -------------------------------------------------------------------------------------


def _target(target: Any) -> str:
    """Return the name of a function that `_function` finds again."""
    module, name = getattr(target, "__module__", ""), getattr(target, "__name__", "")
    if isinstance(target, torch._ops.OpOverload):
        name = target.name()
        found = f"op {name}" if "." in name else f"op {name}.default"
    elif module in ("_operator", "operator"):
        found = f"operator {name}"
    else:
        found = f"{module} {name}"
    with suppress(DamagedFile):
        if _function(found) is target:
            return found
    raise NotStorable(f"it calls {target}")


def _function(name: str) -> Any:
    kind, _, rest = name.partition(" ")
    found = None
    if kind == "op":
        packet, _, overload = rest.partition(".")
        space, _, own_name = packet.partition("::")
        if space in _NAMESPACES and packet not in _OF_FILES:
            found = getattr(getattr(getattr(torch.ops, space), own_name, None), overload, None)
        if isinstance(found, torch._ops.OpOverload):
            return found
    elif kind == "operator" and rest in _OPERATOR:
        return getattr(operator, rest)
    elif kind in _OWN:
        found = getattr(importlib.import_module(kind), rest, None)
        if isinstance(found, FunctionType) and found.__module__ == kind:  # none that it imports
            return found
    raise DamagedFile(f"a graph calls {name!r:.80}")


def _written(value: Any, numbers: Mapping[fx.Node, int]) -> Any:
    """Return an argument for JSON: a dictionary of one key for all that JSON has no word for."""
    if isinstance(value, fx.Node):
        return {"node": numbers[value]}
    if isinstance(value, tuple):
        return {"tuple": [_written(each, numbers) for each in value]}
    if isinstance(value, list):
        return [_written(each, numbers) for each in value]
    if type(value) is float and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or type(value) in (int, float, bool, str):
        return value
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return {"torch": str(value).removeprefix("torch.")}
    raise NotStorable(f"an argument is {value!r:.80}")


def _read(value: Any, nodes: Sequence[fx.Node]) -> Any:
    if isinstance(value, list):
        return [_read(each, nodes) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, rest),) = value.items()
    if kind == "node":
        return nodes[rest]
    if kind == "tuple":
        return tuple(_read(each, nodes) for each in rest)
    if kind == "float":
        return float(rest)
    if kind == "device":
        return torch.device(rest)
    found = getattr(torch, rest, None) if kind == "torch" else None
    if not isinstance(found, (torch.dtype, torch.layout, torch.memory_format)):
        raise DamagedFile(f"an argument is {value!r:.80}")
    return found

"""Graph: a forward as a flat `torch.fx.Graph` of operators, with the value of every node.

The trace stage writes it: GraphBuilder takes the forward at one size, SizeTracker compares a second size with it.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.graph_module import module_of


class NotTraceable(Exception):
    """The reason why a forward cannot be traced, or a graph cannot become a program."""


class LayerSpan(NamedTuple):
    """The consecutive nodes of one layer.

    Args:
        before, last: the node before the layer's first, and its last.
        inputs: nodes of the layer's tensor arguments, in order.
        output: node of its only result.
    """

    before: fx.Node
    last: fx.Node
    inputs: tuple[fx.Node, ...]
    output: fx.Node

    def nodes(self) -> list[fx.Node]:
        """Return the nodes in order, with those inserted since."""
        found, node = [], self.before.next
        while True:
            found.append(node)
            if node is self.last:
                return found
            node = node.next


def repeat_layer(layer: int, first: int, inputs: Sequence[Tensor]) -> Tensor:
    """Placeholder target for a layer of the same kind as layer `first`; `inline_repeats` replaces its calls."""
    raise NotTraceable("a repeated layer has not been inlined")


@dataclass
class Graph:
    """Operators in call order, and the values they had while tracing.

    Attributes:
        graph: placeholders of the inputs, then `get_attr` nodes of constants and `call_function` nodes.
        constants: tensors by `get_attr` name: weights, buffers, and tensors made without inputs.
        values: each node's value at the (first) traced size: a tensor, a tuple of tensors, or an integer input.
        mutated: the storages that some operator writes into.
        layer_spans: the nodes of each layer that later layers repeat, by layer number.
    """

    graph: fx.Graph = field(default_factory=fx.Graph)
    constants: dict[str, Tensor] = field(default_factory=dict)
    values: dict[fx.Node, Any] = field(default_factory=dict)
    mutated: set[int] = field(default_factory=set)
    layer_spans: dict[int, LayerSpan] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def is_never_written(self, node: fx.Node) -> bool:
        """Return True if no operator writes into the storage of a node's value."""
        return not self.mutated or all(storage_of(each) not in self.mutated for each in self._tensors(node))

    @property
    def result(self) -> Any:
        """The forward's result at the (first) traced size."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        return fx.node.map_arg(output.args[0], self.values.__getitem__)

    def returned_nodes(self) -> set[fx.Node]:
        """Return the nodes that share storage with a result: the caller owns that and may write into it."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        inputs = {storage_of(v) for n in self.graph.nodes if n.op != "call_function" for v in self._tensors(n)}
        kept = {storage_of(v) for node in output.all_input_nodes for v in self._tensors(node)} - inputs
        return {node for node in self.graph.nodes if any(storage_of(v) in kept for v in self._tensors(node))}

    def _tensors(self, node: fx.Node) -> list[Tensor]:
        value = self.values.get(node)
        return [each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, Tensor)]

    def placeholders(self) -> dict[str, fx.Node]:
        """Return the input nodes by name, in order."""
        return {str(node.target): node for node in self.graph.nodes if node.op == "placeholder"}

    def freeze(self, names: Collection[str]) -> None:
        """Turn the inputs of these names into constants. No operator may write into them."""
        inputs = self.placeholders()
        first = next(node for node in self.graph.nodes if node.op != "placeholder")
        for name in names:
            with self.graph.inserting_before(first):
                inputs[name].replace_all_uses_with(self.constant(self.values.pop(inputs[name])))
            self.graph.erase_node(inputs[name])

    def constant(self, tensor: Tensor) -> fx.Node:
        """Insert a node for a tensor that is no input."""
        name = f"constant_{next(self._numbers)}"
        self.constants[name] = tensor
        node = self.graph.get_attr(name)
        self.values[node] = tensor
        return node

    def call(self, target: Callable[..., Any], args: tuple[Any, ...], value: Any, **kwargs: Any) -> fx.Node:
        """Insert a call whose result is `value` at the graph's insertion point."""
        node = self.graph.call_function(target, args, kwargs)
        self.values[node] = value
        return node

    def prune(self) -> None:
        """Remove dead nodes and unused constants."""
        for node in reversed(list(self.graph.nodes)):
            if not node.users and node.op in ("call_function", "get_attr") and not node.is_impure():
                self.graph.erase_node(node)
        used = {node.target for node in self.graph.nodes if node.op == "get_attr"}
        self.constants = {name: each for name, each in self.constants.items() if name in used}

    def has_constant(self, tensor: Tensor) -> bool:
        """Return True if a tensor is one of the constants."""
        return any(each is tensor for each in self.constants.values())

    def remove_if_unused(self, node: fx.Node) -> None:
        """Remove a constant without users."""
        if not node.users:
            self.graph.erase_node(node)
            del self.constants[str(node.target)], self.values[node]

    def module(self) -> nn.Module:
        """Return a module whose `forward` takes the inputs in order and runs the graph. Prunes the graph."""
        self.prune()
        return module_of(self.graph, self.constants)

    def run(self, *inputs: Any) -> Any:
        """Interpret the graph for other inputs, in order. Cheaper than `module` for a graph that runs a few times."""
        arguments, known = iter(inputs), dict[fx.Node, Any]()
        left = {node: len(node.users) for node in self.graph.nodes}
        for node in self.graph.nodes:
            if node.op == "placeholder":
                known[node] = next(arguments)
            elif node.op == "get_attr":
                known[node] = self.constants[str(node.target)]
            elif node.op == "call_function":
                args, kwargs = fx.node.map_arg((node.args, node.kwargs), known.__getitem__)
                known[node] = node.target(*args, **kwargs)
                for each in (node, *node.all_input_nodes):  # free values after their last use
                    left[each] -= each is not node
                    if not left[each]:
                        del known[each]
            else:
                return fx.node.map_arg(node.args[0], known.__getitem__)
        raise AssertionError("the graph has no output node")


class GraphBuilder:
    """Writes the operators of a forward into an empty graph."""

    def __init__(self, traced: Graph) -> None:
        self._traced = traced

    def placeholder(self, name: str) -> fx.Node:
        return self._traced.graph.placeholder(name)

    def constant(self, tensor: Tensor) -> fx.Node:
        return self._traced.constant(tensor)

    def call(self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> fx.Node:
        return self._traced.graph.call_function(target, args, kwargs)

    def output(self, value: Any) -> None:
        self._traced.graph.output(value)

    def set_value(self, node: fx.Node, value: Any) -> None:
        self._traced.values[node] = value

    def mark_mutated(self, tensor: Tensor) -> None:
        self._traced.mutated.add(storage_of(tensor))

    def last_node(self) -> fx.Node:
        node: fx.Node = next(iter(reversed(self._traced.graph.nodes)))
        return node

    def add_layer_span(self, layer: int, before: fx.Node, inputs: tuple[fx.Node, ...], output: fx.Node) -> None:
        self._traced.layer_spans[layer] = LayerSpan(before, self.last_node(), inputs, output)


class SizeTracker:
    """Compares a second trace of a forward, at other sizes, with the graph of the first.

    Has the methods of GraphBuilder. An integer that differs between the two becomes a multiple of an input's size.

    Args:
        lengths: the size of each input in the first and in the second trace.

    Raises:
        NotTraceable: the operators differ, or an argument that is no multiple of a size. Every method raises it.
    """

    def __init__(self, traced: Graph, lengths: Mapping[str, tuple[int, ...]]) -> None:
        self._traced, self._lengths = traced, lengths
        nodes = list(traced.graph.nodes)
        self._next = iter(nodes)
        placeholders = traced.placeholders()
        changing = {placeholders[name]: pair for name, pair in lengths.items() if pair[0] != pair[-1]}
        self._sizes = {node: pair for node, pair in changing.items() if not isinstance(traced.values.get(node), Tensor)}
        with traced.graph.inserting_before(next(node for node in nodes if node.op != "placeholder")):
            for node, pair in changing.items():
                if node not in self._sizes:
                    size = traced.call(torch.ops.aten.sym_size.int, (node, 0), pair[0])
                    self._sizes[size] = pair

    def placeholder(self, name: str) -> fx.Node:
        return self._step("placeholder", name)

    def constant(self, tensor: Tensor) -> fx.Node:
        node = self._step("get_attr")
        own = self._traced.constants[str(node.target)]
        if own is not tensor and not (own.dtype == tensor.dtype and torch.equal(own, tensor)):
            shape = tuple(own.shape)
            raise NotTraceable(f"it makes a tensor of shape {shape} that depends on the number of tokens")
        return node

    def call(self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> fx.Node:
        node = self._step("call_function", target)
        if set(node.kwargs) != set(kwargs):
            raise NotTraceable("its control flow depends on the number of tokens")
        self._merge(node, args, kwargs)
        return node

    def output(self, value: Any) -> None:
        self._merge(self._step("output"), (value,), {})

    def set_value(self, node: fx.Node, value: Any) -> None:
        """Do nothing: the graph keeps the values of the first trace."""

    def mark_mutated(self, tensor: Tensor) -> None:
        """Do nothing, as `set_value`."""

    def last_node(self) -> fx.Node:
        node: fx.Node = next(iter(self._traced.graph.nodes))
        return node

    def add_layer_span(self, layer: int, before: fx.Node, inputs: tuple[fx.Node, ...], output: fx.Node) -> None:
        """Do nothing, as `set_value`."""

    def _step(self, op: str, target: Any = None) -> fx.Node:
        """Return the next node of the graph, which must be the same operator."""
        node: fx.Node | None = next(self._next, None)
        if node is None or node.op != op or (target is not None and node.target is not target and op != "placeholder"):
            raise NotTraceable("its control flow depends on the number of tokens")
        return node

    def _merge(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        found = self._merged(node.args, args, node)
        if found is not node.args:
            node.args = found
        for name, value in kwargs.items():
            if (new := self._merged(node.kwargs[name], value, node)) is not node.kwargs[name]:
                node.kwargs = {**node.kwargs, name: new}

    def _merged(self, a: Any, b: Any, before: fx.Node) -> Any:
        """Return an argument that holds in both traces; `a` itself where nothing differs."""
        if isinstance(b, fx.Node):
            if b is not a:
                raise NotTraceable("its data flow depends on the number of tokens")
            return a
        if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
            found = [self._merged(x, y, before) for x, y in zip(a, b, strict=True)]
            return a if all(map(operator.is_, found, a)) else type(a)(found)
        if type(a) is type(b) and (a == b or (a != a and b != b)):
            return a
        graph = self._traced.graph
        if isinstance(a, int) and isinstance(b, int):
            for size, (small, large) in self._sizes.items():
                if a % small == 0 and b % large == 0 and a // small == b // large:
                    if a == small:
                        return size
                    with graph.inserting_before(before):
                        return self._traced.call(operator.mul, (size, a // small), a)
        sizes = " and ".join(str(each) for each in zip(*self._lengths.values(), strict=True))
        raise NotTraceable(f"{before.target} has {a} and {b} with the sizes {sizes}")


def storage_of(tensor: Tensor) -> int:
    """Return an id of the tensor's storage, which its views share. It is unique while one of them lives."""
    address: int = tensor.untyped_storage()._cdata
    return address

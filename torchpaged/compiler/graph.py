"""A model's forward as a flat list of operators: a `torch.fx.Graph` without modules or other Python between them.

`recorder` makes one: it has a forward written down at one size, and follows what is written at another.
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


class NotRecordable(Exception):
    """Why a forward is not a list of operators."""


class Part(NamedTuple):
    """Of a recording: what a layer has called.

    Args:
        before, last: the node before its first, and its last.
        inputs: nodes of the tensors that it was given, in their order.
        output: of its only result.
    """

    before: fx.Node
    last: fx.Node
    inputs: tuple[fx.Node, ...]
    output: fx.Node

    def nodes(self) -> list[fx.Node]:
        """In their order, with what has been put between them since."""
        found, node = [], self.before.next
        while True:
            found.append(node)
            if node is self.last:
                return found
            node = node.next


def repeat_layer(layer: int, first: int, inputs: Sequence[Tensor]) -> Tensor:
    """What stands in a recording for a layer that is alike to one before it, until `repeat` has put it there."""
    raise NotRecordable("a layer has not been repeated")


@dataclass
class Recording:
    """Operators in the order of their calls.

    Attributes:
        graph: placeholders of the inputs, then `get_attr` of constants and calls of functions.
        constants: by the name that `get_attr` nodes have: the model's own tensors, and those it made of nothing.
        values: what each node was in the (first) recording; tensors, tuples of them, or a number that was an input.
        mutated: the storages that some operator writes into.
        parts: of layers that others are alike to, by their numbers.
    """

    graph: fx.Graph = field(default_factory=fx.Graph)
    constants: dict[str, Tensor] = field(default_factory=dict)
    values: dict[fx.Node, Any] = field(default_factory=dict)
    mutated: set[int] = field(default_factory=set)
    parts: dict[int, Part] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def is_stable(self, node: fx.Node) -> bool:
        """Whether a node's value is the same from its making to its end."""
        return not self.mutated or all(storage_of(each) not in self.mutated for each in self._tensors(node))

    @property
    def result(self) -> Any:
        """What came of the (first) recording."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        return fx.node.map_arg(output.args[0], self.values.__getitem__)

    def returned(self) -> set[fx.Node]:
        """Who has made what is returned, or is a part of it: it becomes the caller's, who may write into it."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        given = {storage_of(v) for n in self.graph.nodes if n.op != "call_function" for v in self._tensors(n)}
        kept = {storage_of(v) for node in output.all_input_nodes for v in self._tensors(node)} - given
        return {node for node in self.graph.nodes if any(storage_of(v) in kept for v in self._tensors(node))}

    def _tensors(self, node: fx.Node) -> list[Tensor]:
        value = self.values.get(node)
        return [each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, Tensor)]

    def placeholders(self) -> dict[str, fx.Node]:
        """The inputs by their names, in their order."""
        return {str(node.target): node for node in self.graph.nodes if node.op == "placeholder"}

    def freeze(self, names: Collection[str]) -> None:
        """Makes constants of those inputs that have these names; none of them is written into."""
        inputs = self.placeholders()
        first = next(node for node in self.graph.nodes if node.op != "placeholder")
        for name in names:
            with self.graph.inserting_before(first):
                inputs[name].replace_all_uses_with(self.constant(self.values.pop(inputs[name])))
            self.graph.erase_node(inputs[name])

    def constant(self, tensor: Tensor) -> fx.Node:
        """A node of a tensor that is no input."""
        name = f"constant_{next(self._numbers)}"
        self.constants[name] = tensor
        node = self.graph.get_attr(name)
        self.values[node] = tensor
        return node

    def call(self, target: Callable[..., Any], args: tuple[Any, ...], value: Any, **kwargs: Any) -> fx.Node:
        """A call at the graph's insertion point, whose result is known to be `value`."""
        node = self.graph.call_function(target, args, kwargs)
        self.values[node] = value
        return node

    def prune(self) -> None:
        """Drops what is computed or kept for nobody."""
        for node in reversed(list(self.graph.nodes)):
            if not node.users and node.op in ("call_function", "get_attr") and not node.is_impure():
                self.graph.erase_node(node)
        used = {node.target for node in self.graph.nodes if node.op == "get_attr"}
        self.constants = {name: each for name, each in self.constants.items() if name in used}

    def has(self, tensor: Tensor) -> bool:
        """Whether a tensor is one of the constants."""
        return any(each is tensor for each in self.constants.values())

    def forget(self, node: fx.Node) -> None:
        """Drops a constant if nobody uses it."""
        if not node.users:
            self.graph.erase_node(node)
            del self.constants[str(node.target)], self.values[node]

    def module(self) -> nn.Module:
        """What runs it: its `forward` takes the inputs in their order."""
        self.prune()
        return module_of(self.graph, self.constants)

    def run(self, *inputs: Any) -> Any:
        """What comes of other inputs, in their order: a call at a time, for a list that is run a few times."""
        given, known = iter(inputs), dict[fx.Node, Any]()
        left = {node: len(node.users) for node in self.graph.nodes}
        for node in self.graph.nodes:
            if node.op == "placeholder":
                known[node] = next(given)
            elif node.op == "get_attr":
                known[node] = self.constants[str(node.target)]
            elif node.op == "call_function":
                args, kwargs = fx.node.map_arg((node.args, node.kwargs), known.__getitem__)
                known[node] = node.target(*args, **kwargs)
                for each in (node, *node.all_input_nodes):  # what nobody reads any more
                    left[each] -= each is not node
                    if not left[each]:
                        del known[each]
            else:
                return fx.node.map_arg(node.args[0], known.__getitem__)
        raise AssertionError("a list ends with what it returns")


class Writing:
    """Writes a forward down."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def placeholder(self, name: str) -> fx.Node:
        return self._recording.graph.placeholder(name)

    def constant(self, tensor: Tensor) -> fx.Node:
        return self._recording.constant(tensor)

    def call(self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> fx.Node:
        return self._recording.graph.call_function(target, args, kwargs)

    def output(self, value: Any) -> None:
        self._recording.graph.output(value)

    def know(self, node: fx.Node, value: Any) -> None:
        self._recording.values[node] = value

    def mutate(self, tensor: Tensor) -> None:
        self._recording.mutated.add(storage_of(tensor))

    def last(self) -> fx.Node:
        node: fx.Node = next(iter(reversed(self._recording.graph.nodes)))
        return node

    def part(self, layer: int, before: fx.Node, inputs: tuple[fx.Node, ...], output: fx.Node) -> None:
        self._recording.parts[layer] = Part(before, self.last(), inputs, output)


class SizeTracker:
    """Follows a recording with the same forward at other sizes: numbers that differ become what they are made of.

    Args:
        lengths: by input, its size in either.

    Raises:
        NotRecordable: the two are not the same list of operators, or differ in another way. Each method does.
    """

    def __init__(self, recording: Recording, lengths: Mapping[str, tuple[int, ...]]) -> None:
        self._recording, self._lengths = recording, lengths
        nodes = list(recording.graph.nodes)
        self._next = iter(nodes)
        placeholders = recording.placeholders()
        changing = {placeholders[name]: pair for name, pair in lengths.items() if pair[0] != pair[-1]}
        self._sizes = {
            node: pair for node, pair in changing.items() if not isinstance(recording.values.get(node), Tensor)
        }
        with recording.graph.inserting_before(next(node for node in nodes if node.op != "placeholder")):
            for node, pair in changing.items():
                if node not in self._sizes:
                    size = recording.call(torch.ops.aten.sym_size.int, (node, 0), pair[0])
                    self._sizes[size] = pair

    def placeholder(self, name: str) -> fx.Node:
        return self._step("placeholder", name)

    def constant(self, tensor: Tensor) -> fx.Node:
        node = self._step("get_attr")
        own = self._recording.constants[str(node.target)]
        if own is not tensor and not (own.dtype == tensor.dtype and torch.equal(own, tensor)):
            shape = tuple(own.shape)
            raise NotRecordable(f"a tensor of shape {shape} that it makes depends on the number of tokens")
        return node

    def call(self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> fx.Node:
        node = self._step("call_function", target)
        if set(node.kwargs) != set(kwargs):
            raise NotRecordable("its control flow depends on the number of tokens")
        self._merge(node, args, kwargs)
        return node

    def output(self, value: Any) -> None:
        self._merge(self._step("output"), (value,), {})

    def know(self, node: fx.Node, value: Any) -> None:
        """Values are the recording's."""

    def mutate(self, tensor: Tensor) -> None:
        """So are storages."""

    def last(self) -> fx.Node:
        node: fx.Node = next(iter(self._recording.graph.nodes))
        return node

    def part(self, layer: int, before: fx.Node, inputs: tuple[fx.Node, ...], output: fx.Node) -> None:
        """And parts."""

    def _step(self, op: str, target: Any = None) -> fx.Node:
        """The node that comes next, if it is the same."""
        node: fx.Node | None = next(self._next, None)
        if node is None or node.op != op or (target is not None and node.target is not target and op != "placeholder"):
            raise NotRecordable("its control flow depends on the number of tokens")
        return node

    def _merge(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        found = self._merged(node.args, args, node)
        if found is not node.args:
            node.args = found
        for name, value in kwargs.items():
            if (new := self._merged(node.kwargs[name], value, node)) is not node.kwargs[name]:
                node.kwargs = {**node.kwargs, name: new}

    def _merged(self, a: Any, b: Any, before: fx.Node) -> Any:
        """An argument of both; `a` itself where nothing differs."""
        if isinstance(b, fx.Node):
            if b is not a:
                raise NotRecordable("its data flow depends on the number of tokens")
            return a
        if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
            found = [self._merged(x, y, before) for x, y in zip(a, b, strict=True)]
            return a if all(map(operator.is_, found, a)) else type(a)(found)
        if type(a) is type(b) and (a == b or (a != a and b != b)):
            return a
        graph = self._recording.graph
        if isinstance(a, int) and isinstance(b, int):
            for size, (small, large) in self._sizes.items():
                if a % small == 0 and b % large == 0 and a // small == b // large:
                    if a == small:
                        return size
                    with graph.inserting_before(before):
                        return self._recording.call(operator.mul, (size, a // small), a)
        either = " and ".join(str(each) for each in zip(*self._lengths.values(), strict=True))
        raise NotRecordable(f"{before.target} has {a} and {b} with the sizes {either}")


def storage_of(tensor: Tensor) -> int:
    """Which memory a tensor is in: views of one have the same, and none other while they live."""
    address: int = tensor.untyped_storage()._cdata
    return address

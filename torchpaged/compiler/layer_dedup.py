"""`repeat`: a recording in which one layer of a kind was recorded becomes that of all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler import fake_values
from torchpaged.compiler.graph import NotRecordable, Recording, repeat_layer
from torchpaged.compiler.repeated_layers import RepeatedLayers
from torchpaged.models.layer_calls import attend_layer, convolve_layer, recur_layer

# By what a layer calls, where the layer's index stands, and what gives something of the result's shape.
_OF_LAYERS: dict[Any, Callable[..., Tensor]] = {
    attend_layer: lambda query, key, value, step, layer, latent_dim=0, **_: fake_values.of_attention(
        query, key, value, latent_dim
    ),
    convolve_layer: lambda x, weight, bias, step, layer, **_: fake_values.of_convolution(x, weight, bias),
    recur_layer: lambda operator, inputs, step, layer, **_: fake_values.of_recurrence(operator, inputs),
}

# Elements of a tensor of a layer's.
_MUCH = 1 << 16


def repeat(recording: Recording, layers: RepeatedLayers) -> None:
    """Puts operators in the place of each `repeat_layer`, and computes anew what comes behind the first.

    But for products with weights, which are most of the work: they have the first layer's values, as good as any.

    Raises:
        NotRecordable: something from there on is written into: it would be twice.
    """
    nodes = list(recording.graph.nodes)
    calls = [node for node in nodes if node.target is repeat_layer]
    if not calls:
        return
    behind = nodes[nodes.index(calls[0]) :]
    kinds: set[Any] = {node.args[1] for node in calls}
    parts = [node for first in kinds for node in recording.parts[first].nodes()]
    if any(_writes(node) for node in (*behind, *parts)):
        raise NotRecordable("its layers write into tensors")
    before = calls[0].prev
    known = {node for call in calls for node in _Copy(recording, layers, call).put()}
    _compute(recording, before.next, known)


def _writes(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


class _Copy:
    """A layer's operators, over another's tensors and from what that was given."""

    def __init__(self, recording: Recording, layers: RepeatedLayers, call: fx.Node) -> None:
        arguments: Any = call.args
        number, first, inputs = arguments
        self._recording, self._call, self._part = recording, call, recording.parts[first]
        self._nodes: dict[fx.Node, fx.Node] = dict(zip(self._part.inputs, inputs, strict=True))
        self._tensors: Mapping[int, Tensor] = layers.tensors_of(first, number)
        self._indices = layers.indices_of(first, number)

    def put(self) -> list[fx.Node]:
        """In the call's place. Returns those that have values."""
        graph, known = self._recording.graph, []
        with graph.inserting_before(self._call):
            for node in self._part.nodes():
                if node.op != "call_function":
                    continue
                target: Any = node.target
                arguments: Any = fx.node.map_arg((node.args, node.kwargs), self._node)
                args, kwargs = arguments
                if target in _OF_LAYERS:
                    args = (*args[:-1], self._indices[args[-1]])
                copy = self._nodes[node] = graph.call_function(target, args, kwargs)
                if _reads_much(self._recording, node):
                    self._recording.values[copy] = self._recording.values[node]
                    known.append(copy)
        self._call.replace_all_uses_with(self._nodes[self._part.output])
        graph.erase_node(self._call)
        return known

    def _node(self, node: fx.Node) -> fx.Node:
        """What stands for one of the first layer's, at the insertion point."""
        if node not in self._nodes and node.op == "get_attr":
            tensor = self._recording.constants[str(node.target)]
            other = self._tensors.get(id(tensor))
            self._nodes[node] = node if other is None else self._recording.constant(other)
        return self._nodes.get(node, node)


def _reads_much(recording: Recording, node: fx.Node) -> bool:
    """Whether a call is of an input and a large constant, as a product with a weight."""
    inputs = node.all_input_nodes
    sizes = [recording.values[each].numel() for each in inputs if each.op == "get_attr"]
    return bool(sizes) and max(sizes) >= _MUCH and len(sizes) < len(inputs)


def _compute(recording: Recording, first: fx.Node, known: Collection[fx.Node]) -> None:
    """The values of all calls from one on but the known ones."""
    node, values = first, recording.values
    while node.op != "output":
        if node.op == "call_function" and node not in known:
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), values.get)
            target: Any = node.target
            value = _OF_LAYERS.get(target, target)(*args, **kwargs)
            values[node] = tuple(value) if isinstance(value, list) else value
        node = node.next

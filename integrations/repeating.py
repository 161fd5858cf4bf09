"""`repeat`: a recording in which one layer of a kind was recorded becomes that of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.integrations import stand_ins
from torchpaged.integrations.layer_calls import attend_layer, convolve_layer, recur_layer
from torchpaged.integrations.recording import NotRecordable, Recording, repeat_layer
from torchpaged.integrations.repeated_layers import RepeatedLayers

# By what a layer calls, where the layer's index stands, and what gives something of the result's shape.
_OF_LAYERS: dict[Any, Callable[..., Tensor]] = {
    attend_layer: lambda query, key, value, step, layer, latent_dim=0, **_: stand_ins.of_attention(
        query, key, value, latent_dim
    ),
    convolve_layer: lambda x, weight, bias, step, layer, **_: stand_ins.of_convolution(x, weight, bias),
    recur_layer: lambda operator, inputs, step, layer, **_: stand_ins.of_recurrence(operator, inputs),
}


def repeat(recording: Recording, layers: RepeatedLayers) -> None:
    """Puts operators in the place of each `repeat_layer`, and computes anew what comes behind the first.

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
    for call in calls:
        _Copy(recording, layers, call).put()
    _compute(recording, before.next)


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

    def put(self) -> None:
        """In the call's place."""
        graph = self._recording.graph
        with graph.inserting_before(self._call):
            for node in self._part.nodes():
                if node.op != "call_function":
                    continue
                target: Any = node.target
                arguments: Any = fx.node.map_arg((node.args, node.kwargs), self._node)
                args, kwargs = arguments
                if target in _OF_LAYERS:
                    args = (*args[:-1], self._indices[args[-1]])
                self._nodes[node] = graph.call_function(target, args, kwargs)
        self._call.replace_all_uses_with(self._nodes[self._part.output])
        graph.erase_node(self._call)

    def _node(self, node: fx.Node) -> fx.Node:
        """What stands for one of the first layer's, at the insertion point."""
        if node not in self._nodes and node.op == "get_attr":
            tensor = self._recording.constants[str(node.target)]
            other = self._tensors.get(id(tensor))
            self._nodes[node] = node if other is None else self._recording.constant(other)
        return self._nodes.get(node, node)


def _compute(recording: Recording, first: fx.Node) -> None:
    """The values of all calls from one on."""
    node, values = first, recording.values
    while node.op != "output":
        if node.op == "call_function":
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), values.get)
            target: Any = node.target
            value = _OF_LAYERS.get(target, target)(*args, **kwargs)
            values[node] = tuple(value) if isinstance(value, list) else value
        node = node.next

"""Trace stage: traces one layer of each kind and copies its operators to the others.

Two layers are of one kind if modules, settings and tensor shapes match. That is a heuristic: the caller compares the
result with the model, and traces every layer if they differ (`optimize`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler import fake_values
from torchpaged.compiler.graph import Graph, NotTraceable, repeat_layer
from torchpaged.models.layer_calls import (
    adapt_layer,
    attend_layer,
    attend_media_layer,
    choose_layer,
    convolve_layer,
    mask_media_layer,
    recur_layer,
)
from torchpaged.weights.freed_weight import AbsentWeight

# Attributes that every module has. Layers with hooks are never equal.
_MODULE_ATTRIBUTES = frozenset(vars(nn.Module())) - {"training"}
_HOOKS = [name for name in _MODULE_ATTRIBUTES if name.startswith(("_forward", "_backward"))]
_PLAIN = (int, float, bool, str, tuple, type(None), torch.dtype, torch.Size)

# By layer call: what returns a fake result for its arguments. The last positional argument names the layer: its index,
# or the names of its modules.
_LAYER_CALLS: dict[Any, Callable[..., Tensor]] = {
    attend_layer: lambda query, key, value, step, layer, latent_dim=0, **_: fake_values.fake_attention(
        query, key, value, latent_dim
    ),
    attend_media_layer: lambda query, step, layer, **_: torch.sigmoid(query),
    mask_media_layer: lambda x, step, layer: x.clone(),
    choose_layer: lambda query, weights, key, step, layer, k, num_selections=1, **_: fake_values.fake_choice(
        query, k, num_selections
    ),
    convolve_layer: lambda x, weight, bias, step, layer, **_: fake_values.fake_convolution(x, weight, bias),
    recur_layer: lambda operator, inputs, step, layer, **_: fake_values.fake_recurrence(operator, inputs),
    adapt_layer: lambda out, x, step, modules: out.clone(),
}
# Attributes in which layers of one kind differ: an index, and a name for adapters.
_OF_LAYER = ("layer_idx", "adapted_name")
# Elements of a constant from which on a product with it is not computed again for each copy.
_LARGE = 1 << 16

Call = Callable[..., Any]


class RepeatedLayers:
    """The layers of a model, each with the first layer of its kind.

    Args:
        model: a module whose outermost `nn.ModuleList`s hold the layers.
        cache_spec: returns what the cache keeps for a layer index; layers with different ones are of different kinds,
            since a window or an attention chunk has no effect on the few tokens of a trace.
    """

    def __init__(self, model: nn.Module, cache_spec: Callable[[int], Any]) -> None:
        self._layers = [layer for each in _outermost_lists(model) for layer in each]
        self._first: list[int] = []
        for number, layer in enumerate(self._layers):
            kinds = (i for i in sorted(set(self._first)) if _is_same_kind(self._layers[i], layer, cache_spec))
            self._first.append(next(kinds, number))

    def __bool__(self) -> bool:
        """Return True if any layer repeats an earlier one."""
        return len(set(self._first)) < len(self._first)

    @contextmanager
    def intercept(self, call: Callable[[int, int, Call, tuple[Any, ...], dict[str, Any]], Any]) -> Generator[None]:
        """Replace each layer's forward by `call(layer, first layer of its kind, forward, args, kwargs)`."""
        with ExitStack() as stack:
            for number, (layer, first) in enumerate(zip(self._layers, self._first, strict=True)):
                stack.enter_context(_replaced_forward(layer, number, first, call))
            yield

    def tensor_map(self, layer: int, other: int) -> Mapping[int, Tensor]:
        """Return the tensors of layer `other`, keyed by the id of the corresponding tensor of `layer`."""
        own, others = (dict(_tensors(self._layers[i])) for i in (layer, other))
        return {id(tensor): others[name] for name, tensor in own.items()}

    def name_map(self, layer: int, other: int) -> Mapping[Any, Any]:
        """Return the `layer_idx` and `adapted_name` values of modules of layer `other`, keyed by those of `layer`."""
        pairs = list(zip(self._layers[layer].modules(), self._layers[other].modules(), strict=True))
        return {getattr(a, name): getattr(b, name) for name in _OF_LAYER for a, b in pairs if hasattr(a, name)}


def inline_repeats(traced: Graph, layers: RepeatedLayers) -> None:
    """Replace each `repeat_layer` call by a copy of the first layer's operators, and recompute the values behind them.

    Products with large weights keep the first layer's values: they are most of the work, and the checks of rewrites
    need plausible values, not the layer's own.

    Raises:
        NotTraceable: an operator there writes into a tensor; a copy would write twice.
    """
    nodes = list(traced.graph.nodes)
    calls = [node for node in nodes if node.target is repeat_layer]
    if not calls:
        return
    behind = nodes[nodes.index(calls[0]) :]
    firsts: set[Any] = {node.args[1] for node in calls}
    originals = [node for first in firsts for node in traced.layer_spans[first].nodes()]
    if any(_is_mutating(node) for node in (*behind, *originals)):
        raise NotTraceable("its layers write into tensors")
    before = calls[0].prev
    known = {node for call in calls for node in _LayerCopy(traced, layers, call).insert()}
    _compute_values(traced, before.next, known)


def _is_mutating(node: fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


class _LayerCopy:
    """A copy of one layer's operators with the tensors and inputs of another layer.

    Args:
        call: the `repeat_layer` node that the copy replaces.
    """

    def __init__(self, traced: Graph, layers: RepeatedLayers, call: fx.Node) -> None:
        arguments: Any = call.args
        number, first, inputs = arguments
        self._traced, self._call, self._span = traced, call, traced.layer_spans[first]
        self._nodes: dict[fx.Node, fx.Node] = dict(zip(self._span.inputs, inputs, strict=True))
        self._tensors: Mapping[int, Tensor] = layers.tensor_map(first, number)
        self._names = layers.name_map(first, number)

    def insert(self) -> list[fx.Node]:
        """Insert the copy. Return the nodes whose values are known already."""
        graph, known = self._traced.graph, []
        with graph.inserting_before(self._call):
            for node in self._span.nodes():
                if node.op != "call_function":
                    continue
                target: Any = node.target
                arguments: Any = fx.node.map_arg((node.args, node.kwargs), self._copy_of)
                args, kwargs = arguments
                if target in _LAYER_CALLS:
                    args = (*args[:-1], self._renamed(args[-1]))
                copy = self._nodes[node] = graph.call_function(target, args, kwargs)
                if _is_large_product(self._traced, node):
                    self._traced.values[copy] = self._traced.values[node]
                    known.append(copy)
        self._call.replace_all_uses_with(self._nodes[self._span.output])
        graph.erase_node(self._call)
        return known

    def _renamed(self, name: Any) -> Any:
        return tuple(map(self._names.__getitem__, name)) if isinstance(name, tuple) else self._names[name]

    def _copy_of(self, node: fx.Node) -> fx.Node:
        """Return the node of the copy that corresponds to a node of the first layer; constants are inserted here."""
        if node not in self._nodes and node.op == "get_attr":
            tensor = self._traced.constants[str(node.target)]
            other = self._tensors.get(id(tensor))
            self._nodes[node] = node if other is None else self._traced.constant(other)
        return self._nodes.get(node, node)


def _is_large_product(traced: Graph, node: fx.Node) -> bool:
    """Return True if a call combines an input with a large constant, as a product with a weight does."""
    inputs = node.all_input_nodes
    sizes = [traced.values[each].numel() for each in inputs if each.op == "get_attr"]
    return bool(sizes) and max(sizes) >= _LARGE and len(sizes) < len(inputs)


def _compute_values(traced: Graph, first: fx.Node, known: Collection[fx.Node]) -> None:
    """Compute the values of all calls from `first` on, except the known ones."""
    node, values = first, traced.values
    while node.op != "output":
        if node.op == "call_function" and node not in known:
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), values.get)
            target: Any = node.target
            value = _LAYER_CALLS.get(target, target)(*args, **kwargs)
            values[node] = tuple(value) if isinstance(value, list) else value
        node = node.next


# --- Comparing layers ------------------------------------------------------------------------------------------


@contextmanager
def _replaced_forward(layer: nn.Module, number: int, first: int, call: Callable[..., Any]) -> Generator[None]:
    forward, was_instance_attribute = layer.forward, "forward" in vars(layer)
    layer.forward = lambda *args, **kwargs: call(number, first, forward, args, kwargs)
    try:
        yield
    finally:
        del layer.forward
        if was_instance_attribute:
            layer.forward = forward


def _outermost_lists(module: nn.Module) -> Generator[nn.ModuleList]:
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            yield child
        else:
            yield from _outermost_lists(child)


def _tensors(layer: nn.Module) -> Generator[tuple[str, Tensor]]:
    yield from layer.named_parameters(remove_duplicate=False)
    yield from layer.named_buffers(remove_duplicate=False)


def _is_same_kind(a: nn.Module, b: nn.Module, cache_spec: Callable[[int], Any]) -> bool:
    """Return True if two layers have the same modules with the same settings and tensor shapes."""
    first, second = list(a.named_modules()), list(b.named_modules())
    if [(name, type(each)) for name, each in first] != [(name, type(each)) for name, each in second]:
        return False
    return all(_is_same_module(x, y, cache_spec) for (_, x), (_, y) in zip(first, second, strict=True))


def _is_same_module(a: nn.Module, b: nn.Module, cache_spec: Callable[[int], Any]) -> bool:
    """Compare two modules without their children."""
    own, other = vars(a), vars(b)
    if own.keys() != other.keys() or any(own[name] or other[name] for name in _HOOKS):
        return False
    if "layer_idx" in own and cache_spec(own["layer_idx"]) != cache_spec(other["layer_idx"]):
        return False
    for kind in ("_parameters", "_buffers"):
        x, y = own[kind], other[kind]
        if x.keys() != y.keys() or not all(_is_same_layout(x[name], y[name]) for name in x):
            return False
    return all(_is_same_attribute(name, own[name], other[name]) for name in own if name not in _MODULE_ATTRIBUTES)


def _is_same_layout(a: Tensor | None, b: Tensor | None) -> bool:
    if a is None or b is None:
        return a is b
    return (type(a), a.shape, a.dtype, a.stride()) == (type(b), b.shape, b.dtype, b.stride())


def _is_same_attribute(name: str, a: Any, b: Any) -> bool:
    """Compare two attributes; those of `_OF_LAYER` may differ, and what cannot be compared counts as different."""
    if a is b or (name in _OF_LAYER and isinstance(a, (int, str)) and type(a) is type(b)):
        return True
    if isinstance(a, AbsentWeight) and isinstance(b, AbsentWeight):
        return (a.shape, a.dtype) == (b.shape, b.dtype)
    if isinstance(a, partial) and isinstance(b, partial):
        return (a.func, a.args, a.keywords) == (b.func, b.args, b.keywords)
    return type(a) is type(b) and isinstance(a, _PLAIN) and a == b

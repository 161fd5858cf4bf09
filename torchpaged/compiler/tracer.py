"""Trace stage: `trace` runs a forward at two sizes and writes its operators into a `Graph`.

A forward is refused if its control flow or shapes depend on values, or if it writes into a tensor it did not make.

Why two runs and no `make_fx(tracing_mode="symbolic")`? It was tried (torch 2.13, one thread, seconds of CPU time).
With `pre_dispatch=True` it finds the same operators; without, it decomposes `linear`, `to` and `rms_norm`, which the
passes look for. But a symbolic trace of a Llama with 1, 4 and 28 layers takes 0.7, 1.0 and 5.1 s; both runs take 0.02,
0.05 and 0.35 s, and all of `optimize` 0.05, 0.10 and 0.5 s: `LLM` would start later even if it traced one layer. In
`backend`, with dynamo's own fake tensors, it takes 0.31 s against 0.03 s. It gives no values, so that the numeric
checks of the passes would need a run on sample inputs and fakes of paged operators all the same: only `SizeTracker`
would go. And it turns a branch on a size into a guard, where a trace must be refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, fx
from torch.overrides import TorchFunctionMode

from torchpaged.compiler import fake_values
from torchpaged.compiler.codegen import FILLED
from torchpaged.compiler.dispatch_mode import OperatorMode
from torchpaged.compiler.graph import Graph, GraphBuilder, NotTraceable, SizeTracker, repeat_layer
from torchpaged.compiler.layer_dedup import RepeatedLayers
from torchpaged.models.layer_calls import (
    adapt_layer,
    attend_layer,
    attend_media_layer,
    choose_layer,
    convolve_layer,
    mask_media_layer,
    recur_layer,
)

# In training they write into arguments 3 and 4, which their schemas do not declare.
_RUNNING_STATISTICS = (torch.ops.aten.batch_norm.default, torch.ops.aten.instance_norm.default)


def trace(
    forward: Callable[..., Any],
    inputs: Sequence[Mapping[str, Tensor | int | None]],
    sizes: Sequence[str],
    writable_prefix: str | None = None,
    *,
    run_paged: bool = True,
    layers: RepeatedLayers | None = None,
    compute_products: bool = True,
) -> Graph:
    """Trace `forward`, called with the inputs in order.

    Args:
        inputs: the inputs by name, of two calls that differ in sizes alone, or of one call if no size changes. A value
            of None stands for the step's metadata: the tracer takes its place.
        sizes: the inputs that are integers, or tensors whose first dimension changes from call to call. Their two
            values should be primes without a simple relation, so that no other size looks like a multiple of them.
        writable_prefix: the forward may write into inputs whose names begin so; None: into no input.
        run_paged: whether operators over the paged cache run. If not, fakes stand in and no cache is written.
        layers: layers of a kind seen before become calls of `repeat_layer`; see `inline_repeats`.
        compute_products: whether to compute packed products of the inputs, most of the work, or to fake them by zeros.

    Raises:
        NotTraceable: the reason why the forward cannot be traced.
    """
    traced = Graph()
    _Tracer(GraphBuilder(traced), writable_prefix, run_paged, layers, compute_products).run(forward, inputs[0])
    lengths = {name: tuple(_length(each[name]) for each in inputs) for name in sizes}
    for other in inputs[1:]:
        tracker = SizeTracker(traced, lengths)
        _Tracer(tracker, writable_prefix, run_paged, layers, compute_products).run(forward, other)
    return traced


def _length(value: Tensor | int | None) -> int:
    return len(value) if isinstance(value, Tensor) else value or 0


class _Tracer(OperatorMode):
    """Runs a forward and hands each operator to a builder.

    It is passed as the step's metadata too: layers call the methods of `AttentionRecorder`.
    """

    def __init__(
        self,
        builder: GraphBuilder | SizeTracker,
        writable_prefix: str | None,
        run_paged: bool,
        layers: RepeatedLayers | None,
        compute_products: bool,
    ) -> None:
        super().__init__()
        self._builder, self._layers = builder, layers
        self._writable_prefix, self._run_paged = writable_prefix, run_paged
        self._compute_products = compute_products
        self._from_inputs: set[int] = set()  # ids of tensors computed from inputs
        self._results: dict[int, Any] = {}  # by layer number, of the first layer of each kind
        self._nodes: dict[int, fx.Node] = {}  # by tensor id
        self._kept: list[Tensor] = []  # keeps ids from being used again
        self._metadata: fx.Node | None = None
        self._paused = False

    def run(self, forward: Callable[..., Any], inputs: Mapping[str, Tensor | int | None]) -> None:
        for name, value in inputs.items():
            node = self._builder.placeholder(name)
            if value is None:
                self._metadata = node
            elif isinstance(value, Tensor):
                self._bind(value, node)
                self._from_inputs.add(id(value))
            else:
                self._builder.set_value(node, value)
        with _NoValues(), nullcontext() if self._layers is None else self._layers.intercept(self._layer), self:
            result = forward(*(self if value is None else value for value in inputs.values()))
        self._builder.output(self._in_graph(result))

    def _layer(
        self, number: int, first: int, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a layer's forward; of a layer of a kind seen before, add a `repeat_layer` call with a fake result."""
        inputs = tuple(map(self._node, _tensors((*args, *kwargs.values()))))
        if number == first:
            before = self._builder.last_node()
            result = self._results[number] = forward(*args, **kwargs)
            self._builder.add_layer_span(number, before, inputs, self._in_graph(_only_tensor(result)))
            return result
        known = self._results[first]
        node = self._builder.call(repeat_layer, (number, first, inputs), {})
        result = self._bind_fake(node, torch.empty_like, _only_tensor(known))
        return (
            result if isinstance(known, Tensor) else type(known)(result if each is not None else None for each in known)
        )

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        """Add a call of `attend_layer`."""
        nodes = self._in_graph((query, key, value))
        kwargs = {name: self._in_graph(each) for name, each in options.items()}
        node = self._builder.call(attend_layer, (*nodes, self._metadata, layer), kwargs)
        return self._bind_fake(node, fake_values.fake_attention, query, key, value, options.get("latent_dim", 0))

    def attend_media(self, layer: int, query: Tensor, **options: Any) -> Tensor:
        """Add a call of `attend_media_layer`."""
        node = self._builder.call(attend_media_layer, (self._in_graph(query), self._metadata, layer), options)
        return self._bind_fake(node, torch.sigmoid, query)

    def mask_media(self, layer: int, x: Tensor) -> Tensor:
        """Add a call of `mask_media_layer`."""
        node = self._builder.call(mask_media_layer, (self._in_graph(x), self._metadata, layer), {})
        return self._bind_fake(node, torch.clone, x)

    def choose(
        self, layer: int, index_query: Tensor, index_weights: Tensor | None, index_key: Tensor, **options: Any
    ) -> Tensor:
        """Add a call of `choose_layer`."""
        nodes = self._in_graph((index_query, index_weights, index_key))
        node = self._builder.call(choose_layer, (*nodes, self._metadata, layer), options)
        selections = options.get("num_selections", 1)
        return self._bind_fake(node, fake_values.fake_choice, index_query, options["k"], selections)

    def convolve(self, layer: int, x: Tensor, weight: Tensor, bias: Tensor | None, **options: Any) -> Tensor:
        """Add a call of `convolve_layer`."""
        nodes = self._in_graph((x, weight, bias))
        node = self._builder.call(convolve_layer, (*nodes, self._metadata, layer), options)
        return self._bind_fake(node, fake_values.fake_convolution, x, weight, bias)

    def recur(self, layer: int, operator: str, inputs: Sequence[Tensor | None], **options: Any) -> Tensor:
        """Add a call of `recur_layer`."""
        kwargs = {name: self._in_graph(each) for name, each in options.items()}
        arguments = (operator, self._in_graph(tuple(inputs)), self._metadata, layer)
        node = self._builder.call(recur_layer, arguments, kwargs)
        return self._bind_fake(node, fake_values.fake_recurrence, operator, inputs)

    def adapt(self, out: Tensor, x: Tensor, module: str) -> Tensor:
        """Add a call of `adapt_layer`."""
        node = self._builder.call(adapt_layer, (*self._in_graph((out, x)), self._metadata, (module,)), {})
        return self._bind_fake(node, torch.clone, out)

    def _bind_fake(self, node: fx.Node, fake: Callable[..., Tensor], *args: Any) -> Tensor:
        """Make the fake result `fake(*args)` a node's value and return it."""
        with self._pause():
            result = fake(*args)
        self._bind(result, node)
        return result

    @contextmanager
    def _pause(self) -> Iterator[None]:
        """Leave the operators of the block out of the graph."""
        self._paused = True
        yield
        self._paused = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.HigherOrderOperator):
            raise NotTraceable(f"it has a graph in its graph ({func.name()})")
        if self._paused or func is torch.ops.aten.detach_.default:
            return func(*args, **kwargs)  # `detach_` comes of `torch.tensor` and writes nothing
        inputs = list(_tensors((*args, *kwargs.values())))
        if isinstance(func, torch._ops.OpOverload) and func._schema.is_mutable:
            self._mark_mutated(func, args, kwargs)  # before it runs: a refused write must not happen
        if func in _RUNNING_STATISTICS and args[3] is not None and args[5]:
            raise NotTraceable(f"it updates running means ({func})")
        if not self._run_paged and isinstance(func, torch._ops.OpOverload) and fake_values.accesses_pages(func):
            with self._pause():
                result = fake_values.fake_paged(func, args, kwargs)
        elif not self._compute_products and func in fake_values.PACKED_PRODUCTS and id(args[0]) in self._from_inputs:
            with self._pause():
                result = fake_values.fake_product(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        if any(result is each for each in inputs) and not func._schema.is_mutable:
            return result  # a conversion that converts nothing
        if func is torch.ops.aten.sym_size.int:
            return result  # an int as from `shape`; SizeTracker finds what it is a multiple of
        if reason := _refusal(func, args, result):
            raise NotTraceable(reason)
        if func not in FILLED and not self._from_inputs.isdisjoint(map(id, inputs)):
            self._from_inputs.update(map(id, _tensors((result,))))
        node_kwargs = {name: self._in_graph(each) for name, each in kwargs.items()}
        node = self._builder.call(func, self._in_graph(tuple(args)), node_kwargs)
        if isinstance(result, (tuple, list)):
            self._builder.set_value(node, tuple(result))
            for i, each in enumerate(result):
                self._bind(each, self._builder.call(operator.getitem, (node, i), {}))
        elif isinstance(result, Tensor):
            self._bind(result, node)
        return result

    def _mark_mutated(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Mark the tensors that an operator writes into, or raise NotTraceable if the forward did not make one."""
        for i, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[i] if i < len(args) else kwargs.get(argument.name)
            for tensor in value if isinstance(value, (list, tuple)) else (value,):
                if tensor is not None:
                    self._require_writable(func, tensor)
                    self._builder.mark_mutated(tensor)

    def _require_writable(self, func: Any, tensor: Any) -> None:
        node = self._node(tensor) if isinstance(tensor, Tensor) else None
        if node is not None and (
            node.op == "call_function" or (not self._run_paged and fake_values.accesses_pages(func))
        ):
            return
        is_input = node is not None and node.op == "placeholder" and self._writable_prefix is not None
        if not is_input or not str(self._node(tensor).target).startswith(str(self._writable_prefix)):
            raise NotTraceable(f"it mutates what it did not make ({func})")

    def _bind(self, tensor: Tensor, node: fx.Node) -> None:
        self._kept.append(tensor)
        self._nodes[id(tensor)] = node
        self._builder.set_value(node, tensor)

    def _in_graph(self, value: Any) -> Any:
        """Return an operator's argument with nodes for tensors."""
        if isinstance(value, Tensor):
            return self._node(value)
        return type(value)(map(self._in_graph, value)) if type(value) in (tuple, list) else value

    def _node(self, tensor: Tensor) -> fx.Node:
        if id(tensor) not in self._nodes:
            self._kept.append(tensor)
            self._nodes[id(tensor)] = self._builder.constant(tensor)
        return self._nodes[id(tensor)]


class _NoValues(TorchFunctionMode):
    """Refuses methods that read a tensor's values without an operator."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in (Tensor.tolist, Tensor.numpy):
            raise NotTraceable(f"its control flow depends on values (Tensor.{func.__name__})")
        return func(*args, **(kwargs or {}))


def _tensors(arguments: Iterable[Any]) -> Iterator[Tensor]:
    """Yield the tensors among arguments, also within lists and tuples. A tenth of the time of torch's pytree."""
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (tuple, list)):
            yield from _tensors(each)


def _refusal(func: Any, args: Sequence[Any], result: Any) -> str | None:
    """Return why an operator cannot be traced, or None."""
    if not isinstance(func, torch._ops.OpOverload):
        return f"it calls {func}"
    # In inference mode `item` and `is_nonzero` arrive undecomposed, without the tag: their results tell.
    if torch.Tag.data_dependent_output in func.tags or not isinstance(result, (Tensor, tuple, list, type(None))):
        return f"its control flow depends on values ({func})"
    if torch.Tag.dynamic_output_shape in func.tags:
        by_index = func is torch.ops.aten.index.Tensor and all(i is None or i.dtype != torch.bool for i in args[1])
        if not by_index:
            return f"its shapes depend on values ({func})"
    return None


def _only_tensor(result: Any) -> Tensor:
    """Return the only tensor of a layer's result; other entries must be None."""
    found = [each for each in (result if isinstance(result, tuple) else (result,)) if each is not None]
    if len(found) != 1 or not isinstance(found[0], Tensor):
        raise NotTraceable("its layers have several results")
    return found[0]

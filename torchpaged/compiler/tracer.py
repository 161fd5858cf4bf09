"""`record`: a model's forward as a list of operators, found at two sizes, so that what depends on the size is known.

A forward that cannot be one, since its control flow or shapes depend on values or it writes into what it did not make,
is refused with the reason.
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
from torchpaged.compiler.graph import NotRecordable, Recording, SizeTracker, Writing, repeat_layer
from torchpaged.compiler.repeated_layers import RepeatedLayers
from torchpaged.models.layer_calls import attend_layer, convolve_layer, recur_layer

# They write into their fourth and fifth arguments in training, which their schemas do not say.
_COUNTING = (torch.ops.aten.batch_norm.default, torch.ops.aten.instance_norm.default)


def record(
    forward: Callable[..., Any],
    inputs: Sequence[Mapping[str, Tensor | int | None]],
    sizes: Sequence[str],
    written: str | None = None,
    *,
    paged: bool = True,
    layers: RepeatedLayers | None = None,
    multiplies: bool = True,
) -> Recording:
    """Records `forward` of the inputs, in their order.

    Args:
        inputs: two of each by its name, which differ in sizes alone, or one where nothing changes; None stands for a
            step's metadata.
        sizes: which inputs are numbers, or tensors of a first dimension, that change from call to call. The two of each
            should be prime and in no simple relation to another's, so that no other size is mistaken for a multiple of
            them.
        written: how the names of inputs begin that the forward may write into; None: it may into none.
        paged: whether operators over pages run. Otherwise something stands in for each, and no input is written into.
        layers: of which those that are alike to others are calls of `repeat_layer`, until `repeat` has them put there.
        multiplies: whether packed products of what comes of the inputs are computed, which are most of the work;
            otherwise zeros stand for each.

    Raises:
        NotRecordable: with the reason.
    """
    recording = Recording()
    _Recorder(Writing(recording), written, paged, layers, multiplies).run(forward, inputs[0])
    lengths = {name: tuple(_length(each[name]) for each in inputs) for name in sizes}
    for other in inputs[1:]:
        _Recorder(SizeTracker(recording, lengths), written, paged, layers, multiplies).run(forward, other)
    return recording


def _length(value: Tensor | int | None) -> int:
    return len(value) if isinstance(value, Tensor) else value or 0


class _Recorder(OperatorMode):
    """Runs a forward and notes each operator. Also stands in for the metadata: layers hand it their attention."""

    def __init__(
        self,
        notes: Writing | SizeTracker,
        written: str | None,
        paged: bool,
        layers: RepeatedLayers | None,
        multiplies: bool,
    ) -> None:
        super().__init__()
        self._notes, self._written, self._paged, self._layers = notes, written, paged, layers
        self._multiplies = multiplies
        self._fed: set[int] = set()  # ids of what comes of the inputs
        self._results: dict[int, Any] = {}  # of layers that others are alike to
        self._nodes: dict[int, fx.Node] = {}
        self._kept: list[Tensor] = []  # an id means something while its tensor lives
        self._metadata: fx.Node | None = None
        self._paused = False

    def run(self, forward: Callable[..., Any], inputs: Mapping[str, Tensor | int | None]) -> None:
        for name, value in inputs.items():
            node = self._notes.placeholder(name)
            if value is None:
                self._metadata = node
            elif isinstance(value, Tensor):
                self._bind(value, node)
                self._fed.add(id(value))
            else:
                self._notes.know(node, value)
        with _NoValues(), nullcontext() if self._layers is None else self._layers.intercepted(self._layer), self:
            result = forward(*(self if value is None else value for value in inputs.values()))
        self._notes.output(self._in_graph(result))

    def _layer(
        self, number: int, first: int, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A layer's forward; of one that is alike to another only that it was called."""
        inputs = tuple(map(self._node, _tensors((*args, *kwargs.values()))))
        if number == first:
            before = self._notes.last()
            result = self._results[number] = forward(*args, **kwargs)
            self._notes.part(number, before, inputs, self._in_graph(_only(result)))
            return result
        known = self._results[first]
        node = self._notes.call(repeat_layer, (number, first, inputs), {})
        result = self._stand(node, torch.empty_like, _only(known))
        return (
            result if isinstance(known, Tensor) else type(known)(result if each is not None else None for each in known)
        )

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        """Records one layer's attention."""
        nodes = self._in_graph((query, key, value))
        given = {name: self._in_graph(each) for name, each in options.items()}
        node = self._notes.call(attend_layer, (*nodes, self._metadata, layer), given)
        return self._stand(node, fake_values.of_attention, query, key, value, options.get("latent_dim", 0))

    def convolve(self, layer: int, x: Tensor, weight: Tensor, bias: Tensor | None, **options: Any) -> Tensor:
        """Records one layer's convolution."""
        nodes = self._in_graph((x, weight, bias))
        node = self._notes.call(convolve_layer, (*nodes, self._metadata, layer), options)
        return self._stand(node, fake_values.of_convolution, x, weight, bias)

    def recur(self, layer: int, operator: str, inputs: Sequence[Tensor | None], **options: Any) -> Tensor:
        """Records one of a recurrent layer's operators."""
        given = {name: self._in_graph(each) for name, each in options.items()}
        arguments = (operator, self._in_graph(tuple(inputs)), self._metadata, layer)
        node = self._notes.call(recur_layer, arguments, given)
        return self._stand(node, fake_values.of_recurrence, operator, inputs)

    def _stand(self, node: fx.Node, stand_in: Callable[..., Tensor], *args: Any) -> Tensor:
        """What goes on as a node's value: something of its shape."""
        with self._pause():
            result = stand_in(*args)
        self._bind(result, node)
        return result

    @contextmanager
    def _pause(self) -> Iterator[None]:
        """For what is no part of the forward."""
        self._paused = True
        yield
        self._paused = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.HigherOrderOperator):
            raise NotRecordable(f"it has a graph in its graph ({func.name()})")
        if self._paused or func is torch.ops.aten.detach_.default:  # which `torch.tensor` calls; it writes nothing
            return func(*args, **kwargs)
        inputs = list(_tensors((*args, *kwargs.values())))
        if isinstance(func, torch._ops.OpOverload) and func._schema.is_mutable:
            self._mutate(func, args, kwargs)  # before it runs: what it may not write into stays as it is
        if func in _COUNTING and args[3] is not None and args[5]:
            raise NotRecordable(f"it updates running means ({func})")
        if not self._paged and isinstance(func, torch._ops.OpOverload) and fake_values.reads_pages(func):
            with self._pause():
                result = fake_values.of_paged(func, args, kwargs)
        elif not self._multiplies and func in fake_values.PRODUCTS and id(args[0]) in self._fed:
            with self._pause():
                result = fake_values.of_product(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        if any(result is each for each in inputs) and not func._schema.is_mutable:
            return result  # a conversion to what it was
        if func is torch.ops.aten.sym_size.int:
            return result  # a number, as from `shape`: the other recording says what it is a multiple of
        if reason := _unfit(func, args, result):
            raise NotRecordable(reason)
        if func not in FILLED and not self._fed.isdisjoint(map(id, inputs)):
            self._fed.update(map(id, _tensors((result,))))
        node_kwargs = {name: self._in_graph(each) for name, each in kwargs.items()}
        node = self._notes.call(func, self._in_graph(tuple(args)), node_kwargs)
        if isinstance(result, (tuple, list)):
            self._notes.know(node, tuple(result))
            for i, each in enumerate(result):
                self._bind(each, self._notes.call(operator.getitem, (node, i), {}))
        elif isinstance(result, Tensor):
            self._bind(result, node)
        return result

    def _mutate(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Notes what an operator has written into, which must be of this forward's own making."""
        for i, argument in enumerate(func._schema.arguments):
            if argument.alias_info is None or not argument.alias_info.is_write:
                continue
            value = args[i] if i < len(args) else kwargs.get(argument.name)
            for tensor in value if isinstance(value, (list, tuple)) else (value,):
                if tensor is not None:
                    self._require_own(func, tensor)
                    self._notes.mutate(tensor)

    def _require_own(self, func: Any, tensor: Any) -> None:
        node = self._node(tensor) if isinstance(tensor, Tensor) else None
        if node is not None and (node.op == "call_function" or (not self._paged and fake_values.reads_pages(func))):
            return
        is_input = node is not None and node.op == "placeholder" and self._written is not None
        if not is_input or not str(self._node(tensor).target).startswith(str(self._written)):
            raise NotRecordable(f"it mutates what it did not make ({func})")

    def _bind(self, tensor: Tensor, node: fx.Node) -> None:
        self._kept.append(tensor)
        self._nodes[id(tensor)] = node
        self._notes.know(node, tensor)

    def _in_graph(self, value: Any) -> Any:
        """An argument of an operator, with nodes for tensors."""
        if isinstance(value, Tensor):
            return self._node(value)
        return type(value)(map(self._in_graph, value)) if type(value) in (tuple, list) else value

    def _node(self, tensor: Tensor) -> fx.Node:
        if id(tensor) not in self._nodes:
            self._kept.append(tensor)
            self._nodes[id(tensor)] = self._notes.constant(tensor)
        return self._nodes[id(tensor)]


class _NoValues(TorchFunctionMode):
    """Refuses what reads a tensor's values without an operator."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in (Tensor.tolist, Tensor.numpy):
            raise NotRecordable(f"its control flow depends on values (Tensor.{func.__name__})")
        return func(*args, **(kwargs or {}))


def _tensors(arguments: Iterable[Any]) -> Iterator[Tensor]:
    """Those among an operator's arguments; they lie in lists at most (torch's pytree takes ten times as long)."""
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (tuple, list)):
            yield from _tensors(each)


def _unfit(func: Any, args: Sequence[Any], result: Any) -> str | None:
    """Why an operator cannot be in the list."""
    if not isinstance(func, torch._ops.OpOverload):
        return f"it calls {func}"
    # In inference mode `item` and `is_nonzero` come as they are, not as the operator that has the tag.
    if torch.Tag.data_dependent_output in func.tags or not isinstance(result, (Tensor, tuple, list, type(None))):
        return f"its control flow depends on values ({func})"
    if torch.Tag.dynamic_output_shape in func.tags:
        by_place = func is torch.ops.aten.index.Tensor and all(i is None or i.dtype != torch.bool for i in args[1])
        if not by_place:
            return f"its shapes depend on values ({func})"
    return None


def _only(result: Any) -> Tensor:
    """A layer's result, or the only one among nothing else."""
    found = [each for each in (result if isinstance(result, tuple) else (result,)) if each is not None]
    if len(found) != 1 or not isinstance(found[0], Tensor):
        raise NotRecordable("its layers have several results")
    return found[0]

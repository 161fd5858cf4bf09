"""A model's forward as a flat list of operators: recorded at two sizes, so that what depends on the size is known.

The result is a `torch.fx.Graph` without modules or other Python between the operators. A forward that cannot be one,
since its control flow or shapes depend on values or it writes into what it did not make, is refused with the reason.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from torchpaged.integrations import stand_ins
from torchpaged.integrations.layer_calls import attend_layer, convolve_layer, recur_layer

# They write into their fourth and fifth arguments in training, which their schemas do not say.
_COUNTING = (torch.ops.aten.batch_norm.default, torch.ops.aten.instance_norm.default)


class NotRecordable(Exception):
    """Why a forward is not a list of operators."""


@dataclass
class Recording:
    """Operators in the order of their calls.

    Attributes:
        graph: placeholders of the inputs, then `get_attr` of constants and calls of functions.
        constants: by the name that `get_attr` nodes have: the model's own tensors, and those it made of nothing.
        values: what each node was in the (first) recording; tensors, tuples of them, or a number that was an input.
        mutated: the storages that some operator writes into.
    """

    graph: fx.Graph = field(default_factory=fx.Graph)
    constants: dict[str, Tensor] = field(default_factory=dict)
    values: dict[fx.Node, Any] = field(default_factory=dict)
    mutated: set[int] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def is_stable(self, node: fx.Node) -> bool:
        """Whether a node's value is the same from its making to its end."""
        return all(_storage(each) not in self.mutated for each in self._tensors(node))

    @property
    def result(self) -> Any:
        """What came of the (first) recording."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        return fx.node.map_arg(output.args[0], self.values.__getitem__)

    def returned(self) -> set[fx.Node]:
        """Who has made what is returned, or is a part of it: it becomes the caller's, who may write into it."""
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        given = {_storage(v) for n in self.graph.nodes if n.op != "call_function" for v in self._tensors(n)}
        kept = {_storage(v) for node in output.all_input_nodes for v in self._tensors(node)} - given
        return {node for node in self.graph.nodes if any(_storage(v) in kept for v in self._tensors(node))}

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
        self.graph.eliminate_dead_code()
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

    def module(self) -> fx.GraphModule:
        """What runs it: its `forward` takes the inputs in their order."""
        self.prune()
        graph = fx.Graph()
        graph.output(graph.graph_copy(self.graph, {}))
        # As plain entries of the module's dictionary they are found at once, as buffers through __getattr__.
        # They stay what they are: torch multiplies by a weight that asks for a gradient in another way.
        tensors = dict(self.constants)
        root = nn.Module()
        root.__dict__.update(tensors)
        result = fx.GraphModule(root, graph, class_name="RecordedForward")
        result._buffers.clear()
        result.__dict__.update(tensors)
        return result

    @contextmanager
    def running(self) -> Iterator[fx.GraphModule]:
        """`module()` for a while: it is part of cycles, and would keep all weights until these are collected."""
        result = self.module()
        yield result
        for name in self.constants:
            del result.__dict__[name]


def record(
    forward: Callable[..., Any],
    inputs: Sequence[Mapping[str, Tensor | int | None]],
    sizes: Sequence[str],
    written: str | None = None,
    *,
    paged: bool = True,
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

    Raises:
        NotRecordable: with the reason.
    """
    recording, *others = (_Recorder(written, paged).run(forward, each) for each in inputs)
    lengths = {name: tuple(_length(each[name]) for each in inputs) for name in sizes}
    for other in others:
        _make_sizes_symbolic(recording, other, lengths)
    return recording


def _length(value: Tensor | int | None) -> int:
    return len(value) if isinstance(value, Tensor) else value or 0


class _Recorder(TorchDispatchMode):
    """Runs a forward and writes down each operator. Also stands in for the metadata: layers hand it their attention."""

    def __init__(self, written: str | None = None, paged: bool = True) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.recording = Recording()
        self._written, self._paged = written, paged
        self._nodes: dict[int, fx.Node] = {}
        self._kept: list[Tensor] = []  # an id means something while its tensor lives
        self._metadata: fx.Node | None = None
        self._paused = False

    def run(self, forward: Callable[..., Any], inputs: Mapping[str, Tensor | int | None]) -> Recording:
        for name, value in inputs.items():
            node = self.recording.graph.placeholder(name)
            if value is None:
                self._metadata = node
            elif isinstance(value, Tensor):
                self._bind(value, node)
            else:
                self.recording.values[node] = value
        with _NoValues(), self:
            result = forward(*(self if value is None else value for value in inputs.values()))
        self.recording.graph.output(self._in_graph(result))
        return self.recording

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        """Records one layer's attention."""
        nodes = self._in_graph((query, key, value))
        given = {name: self._in_graph(each) for name, each in options.items()}
        node = self.recording.graph.call_function(attend_layer, (*nodes, self._metadata, layer), given)
        return self._stand(node, stand_ins.of_attention, query, key, value, options.get("latent_dim", 0))

    def convolve(self, layer: int, x: Tensor, weight: Tensor, bias: Tensor | None, **options: Any) -> Tensor:
        """Records one layer's convolution."""
        nodes = self._in_graph((x, weight, bias))
        node = self.recording.graph.call_function(convolve_layer, (*nodes, self._metadata, layer), options)
        return self._stand(node, stand_ins.of_convolution, x, weight, bias)

    def recur(self, layer: int, operator: str, inputs: Sequence[Tensor | None], **options: Any) -> Tensor:
        """Records one of a recurrent layer's operators."""
        given = {name: self._in_graph(each) for name, each in options.items()}
        arguments = (operator, self._in_graph(tuple(inputs)), self._metadata, layer)
        node = self.recording.graph.call_function(recur_layer, arguments, given)
        return self._stand(node, stand_ins.of_recurrence, operator, inputs)

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
        if self._paused or func is torch.ops.aten.detach_.default:  # which `torch.tensor` calls; it writes nothing
            return func(*args, **kwargs)
        inputs = list(_tensors((*args, *kwargs.values())))
        if isinstance(func, torch._ops.OpOverload) and func._schema.is_mutable:
            self._mutate(func, args, kwargs)  # before it runs: what it may not write into stays as it is
        if func in _COUNTING and args[3] is not None and args[5]:
            raise NotRecordable(f"it updates running means ({func})")
        if not self._paged and isinstance(func, torch._ops.OpOverload) and stand_ins.reads_pages(func):
            with self._pause():
                result = stand_ins.of_paged(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        if any(result is each for each in inputs) and not func._schema.is_mutable:
            return result  # a conversion to what it was
        if func is torch.ops.aten.sym_size.int:
            return result  # a number, as from `shape`: the other recording says what it is a multiple of
        if reason := _unfit(func, args, result):
            raise NotRecordable(reason)
        node_kwargs = {name: self._in_graph(each) for name, each in kwargs.items()}
        node = self.recording.graph.call_function(func, self._in_graph(tuple(args)), node_kwargs)
        if isinstance(result, (tuple, list)):
            self.recording.values[node] = tuple(result)
            for i, each in enumerate(result):
                self._bind(each, self.recording.graph.call_function(operator.getitem, (node, i)))
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
                    self.recording.mutated.add(_storage(tensor))

    def _require_own(self, func: Any, tensor: Any) -> None:
        node = self._node(tensor) if isinstance(tensor, Tensor) else None
        if node is not None and (node.op == "call_function" or (not self._paged and stand_ins.reads_pages(func))):
            return
        is_input = node is not None and node.op == "placeholder" and self._written is not None
        if not is_input or not str(self._node(tensor).target).startswith(str(self._written)):
            raise NotRecordable(f"it mutates what it did not make ({func})")

    def _bind(self, tensor: Tensor, node: fx.Node) -> None:
        self._kept.append(tensor)
        self._nodes[id(tensor)] = node
        self.recording.values[node] = tensor

    def _in_graph(self, value: Any) -> Any:
        """An argument of an operator, with nodes for tensors."""
        if isinstance(value, Tensor):
            return self._node(value)
        return type(value)(map(self._in_graph, value)) if type(value) in (tuple, list) else value

    def _node(self, tensor: Tensor) -> fx.Node:
        if id(tensor) not in self._nodes:
            self._kept.append(tensor)
            self._nodes[id(tensor)] = self.recording.constant(tensor)
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


def _storage(tensor: Tensor) -> int:
    address: int = tensor.untyped_storage()._cdata
    return address


def _make_sizes_symbolic(recording: Recording, other: Recording, known: Mapping[str, tuple[int, ...]]) -> None:
    """Replaces numbers that differ between the two by what they are made of: one of the sizes.

    Args:
        known: by input, its size in either.

    Raises:
        NotRecordable: the two are not the same list of operators, or differ in another way.
    """
    graph = recording.graph
    first, second = list(graph.nodes), list(other.graph.nodes)
    if len(first) != len(second):
        raise NotRecordable("its control flow depends on the number of tokens")
    twin = dict(zip(second, first, strict=True))
    placeholders = recording.placeholders()
    changing = {placeholders[name]: pair for name, pair in known.items() if pair[0] != pair[-1]}
    sizes = {node: pair for node, pair in changing.items() if not isinstance(recording.values.get(node), Tensor)}
    with graph.inserting_before(next(node for node in first if node.op != "placeholder")):
        for node, pair in changing.items():
            if node not in sizes:
                sizes[recording.call(torch.ops.aten.sym_size.int, (node, 0), pair[0])] = pair

    def merged(a: Any, b: Any, before: fx.Node) -> Any:
        if isinstance(b, fx.Node):
            if twin[b] is not a:
                raise NotRecordable("its data flow depends on the number of tokens")
            return a
        if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
            return type(a)(merged(x, y, before) for x, y in zip(a, b, strict=True))
        if type(a) is type(b) and (a == b or (a != a and b != b)):
            return a
        if isinstance(a, int) and isinstance(b, int):
            for size, (small, large) in sizes.items():
                if a % small == 0 and b % large == 0 and a // small == b // large:
                    if a == small:
                        return size
                    with graph.inserting_before(before):
                        return recording.call(operator.mul, (size, a // small), a)
        either = " and ".join(str(each) for each in zip(*known.values(), strict=True))
        raise NotRecordable(f"{before.target} has {a} and {b} with the sizes {either}")

    for a, b in zip(first, second, strict=True):
        if a.op != b.op or (a.op == "call_function" and a.target is not b.target):
            raise NotRecordable("its control flow depends on the number of tokens")
        if a.op == "get_attr":
            x, y = recording.constants[str(a.target)], other.constants[str(b.target)]
            if x is not y and not (x.dtype == y.dtype and torch.equal(x, y)):
                raise NotRecordable(f"a tensor of shape {tuple(x.shape)} that it makes depends on the number of tokens")
        elif a.op in ("call_function", "output"):
            if set(a.kwargs) != set(b.kwargs):
                raise NotRecordable("its control flow depends on the number of tokens")
            a.args = merged(a.args, b.args, a)
            a.kwargs = {name: merged(value, b.kwargs[name], a) for name, value in a.kwargs.items()}

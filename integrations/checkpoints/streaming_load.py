"""Builds a transformers model without memory, and fills it from a `WeightSource` one weight after the other.

A load therefore holds the mapped files, the weights that are filled already, and the expansion of a single one. A
weight that is missing, unknown to the model or of another shape is an error.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.expert_modules import holds_experts, put_experts
from torchpaged.integrations.checkpoints.torchao import is_product
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.gguf_blocks import BlockRows
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts, PackedExperts
from torchpaged.weights.packed_linear import Int8Weight, PackedEmbedding, PackedLinear

# Rows: the table of an embedding would take gigabytes in float32.
_EXPANDED_AT_ONCE = 8192
# Held while functions of torch and transformers are replaced: two threads would restore each other's replacements.
_making = threading.RLock()
# Bytes that are reserved at a time for packed weights if their total is not known.
_RESERVED = 1 << 28


class WeightSource(Protocol):
    """Weights by the names that a model has for them."""

    def names(self) -> Collection[str]:
        """Names of the parameters and persistent buffers that it has."""
        ...

    def read(self, name: str) -> Tensor | GroupedWeight | BlockRows | Int8Weight | GroupedExperts:
        """Read one. A tensor has any float dtype; a quantised weight is [outputs, inputs], for Conv1D too."""
        ...


@dataclass(slots=True)
class Filled:
    """The result of `fill`.

    Args:
        packed: names of modules whose weight stayed quantised.
        expanded: names of quantised weights that became tensors of the model's dtype, since no kernel reads them.
    """

    packed: list[str] = field(default_factory=list)
    expanded: list[str] = field(default_factory=list)


class BuildsWithoutDynamo(TorchFunctionMode):
    """Builds models on the meta device without dynamo, which torch imports for functions that it has no kernel for.

    `normal_` has no effect there. `arange` is computed on the CPU, and so is what a model makes of it alone, mostly the
    frequencies of its rotary embeddings. Where it meets a tensor on meta, it is moved there, unless one of the two is
    written into: that is torch's error.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if func in (nn.init.normal_, Tensor.normal_):
            tensor = args[0] if args else kwargs.get("tensor")
            if isinstance(tensor, Tensor) and tensor.is_meta:
                return tensor
        if func is torch.arange and torch.device(kwargs.get("device") or "cpu").type == "meta":
            kwargs = {**kwargs, "device": "cpu"}
        try:
            return func(*args, **kwargs)
        except RuntimeError:
            devices = {each.device.type for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)}
            name = getattr(func, "__name__", "")
            writes = name == "__setitem__" or (name.endswith("_") and not name.endswith("__")) or "out" in kwargs
            if devices != {"cpu", "meta"} or writes:
                raise
        args, kwargs = tree_map(lambda each: each.to("meta") if isinstance(each, Tensor) else each, (args, kwargs))
        return func(*args, **kwargs)


@contextmanager
def without_weights() -> Generator[None]:
    """Put the parameters of models that this thread builds on the meta device; buffers are real and initialised.

    Modules without buffers are not initialised: there is nothing to write, and it takes as long as all the rest. Linear
    layers and embeddings are built on meta at once: the system would reserve memory for each and take it back.
    """
    _making.acquire()
    own, thread = nn.Module.register_parameter, threading.get_ident()
    made = {kind: kind.__init__ for kind in (nn.Linear, nn.Embedding)}
    initialize = PreTrainedModel._initialize_weights

    def register(module: nn.Module, name: str, param: nn.Parameter | None) -> None:
        if param is not None and threading.get_ident() == thread and not param.is_meta:
            param = nn.Parameter(param.to("meta"), requires_grad=False)
        own(module, name, param)

    def initialize_buffers(model: PreTrainedModel, module: nn.Module, *args: Any, **kwargs: Any) -> None:
        if threading.get_ident() != thread or next(module.buffers(recurse=False), None) is not None:
            initialize(model, module, *args, **kwargs)

    def on_meta(initialize: Callable[..., None]) -> Callable[..., None]:
        def make(module: nn.Module, *args: Any, device: Any = None, **kwargs: Any) -> None:
            own_thread = threading.get_ident() == thread
            initialize(module, *args, device="meta" if device is None and own_thread else device, **kwargs)

        return make

    for kind, initialize_kind in made.items():
        kind.__init__ = on_meta(initialize_kind)  # type: ignore[method-assign]
    nn.Module.register_parameter = register  # type: ignore[assignment,method-assign]
    PreTrainedModel._initialize_weights = initialize_buffers
    try:
        yield
    finally:
        for kind, initialize_kind in made.items():
            kind.__init__ = initialize_kind  # type: ignore[method-assign]
        nn.Module.register_parameter = own  # type: ignore[method-assign]
        PreTrainedModel._initialize_weights = initialize
        _making.release()


@torch.no_grad()
def fill(
    model: PreTrainedModel, source: WeightSource, *, name: str, packs: bool, region: Region | None = None
) -> Filled:
    """Fill a model of `without_weights`, in the order of its layers.

    A linear layer or embedding with a `GroupedWeight` or `BlockRows` becomes a packed module, and so do experts with
    `GroupedExperts`; elsewhere these are expanded. Tensors get the dtype that the model was built with. Tied weights
    are read once.

    Args:
        name: of the checkpoint, for errors.
        packs: whether there are kernels for grouped weights; if not, all are expanded.
        region: memory for packed weights, which follow each other in it; None: a new one.

    Raises:
        ModelError: a weight is missing, unknown to the model, or of another shape.
    """
    filling = _Filling(model, source, name, packs, region or Region(_RESERVED))
    for each in filling.weights():
        filling.fill(each)
    filling.put_experts()
    left = [key for key, tensor in (*model.named_parameters(), *model.named_buffers()) if tensor.is_meta]
    if left:
        raise ModelError(f"model {name!r}: {len(left)} weights were not filled, {left[0]} the first")
    return filling.done


class _Filling:
    """One call of `fill`."""

    def __init__(self, model: PreTrainedModel, source: WeightSource, name: str, packs: bool, region: Region) -> None:
        self.done = Filled()
        self._model, self._source, self._name, self._packs, self._region = model, source, name, packs, region
        self._own = dict(model.state_dict(keep_vars=True))
        self._experts: dict[str, dict[str, PackedExperts]] = {}  # by module, then by projection
        self._there = set(source.names())
        self._dtypes = weight_dtypes(model)

    def weights(self) -> list[list[str]]:
        """List the names of each weight: several if it is tied.

        Raises:
            ModelError: weights that are missing or unknown to the model.
        """
        by_tensor: dict[int, list[str]] = {}
        for name, tensor in self._own.items():
            by_tensor.setdefault(id(tensor), []).append(name)
        unknown = _left(self._there - self._own.keys(), self._model._keys_to_ignore_on_load_unexpected)
        if unknown:
            kind = type(self._model).__name__
            raise ModelError(
                f"model {self._name!r}: {len(unknown)} of its weights are unknown to {kind}, {unknown[0]} the first"
            )
        gone = {names[0] for names in by_tensor.values() if self._there.isdisjoint(names)}
        missing = _left(gone, self._model._keys_to_ignore_on_load_missing)
        if missing:
            raise ModelError(f"model {self._name!r}: {len(missing)} weights are missing in it, {missing[0]} the first")
        return [names for names in by_tensor.values() if not self._there.isdisjoint(names)]

    def fill(self, names: list[str]) -> None:
        """Read one weight and put it into each module that uses it."""
        given = next(each for each in names if each in self._there)
        value = self._source.read(given)
        places = [self._model.get_submodule(each.rpartition(".")[0]) for each in names]
        shape = tuple(value.codes.shape if isinstance(value, GroupedWeight) else value.shape)
        expected = tuple(self._own[given].shape)
        few_bits = isinstance(value, (GroupedWeight, BlockRows))
        transposed = isinstance(value, GroupedExperts) and getattr(places[0], "is_transposed", False)
        if transposed or (few_bits and isinstance(places[0], Conv1D)):
            shape = (*shape[:-2], shape[-1], shape[-2])
        if shape != expected:
            raise ModelError(f"model {self._name!r}: {given} has shape {shape}, expected {expected}")
        if isinstance(value, Int8Weight):
            return self._pack(names, value)
        if isinstance(value, (GroupedWeight, BlockRows)):
            if self._packs and all(each.endswith(".weight") for each in names) and all(map(_packs, places)):
                return self._pack(names, value)
            value = value.decode() if isinstance(value, BlockRows) else value
            self.done.expanded.append(given)
            value = expanded(value, self._dtype(given))
            value = value.T if isinstance(places[0], Conv1D) else value
        if isinstance(value, GroupedExperts):
            path, _, leaf = given.rpartition(".")
            if self._packs and (path in self._experts or holds_experts(places[0])):
                self._experts.setdefault(path, {})[leaf] = PackedExperts.from_grouped(value)
                return
            self.done.expanded.append(given)
            value = expanded(value, self._dtype(given))
            value = value.mT if transposed else value
        self._set(names, value)

    def put_experts(self) -> None:
        """Put packed experts into their modules, once the rest of these is filled."""
        for path, packed in self._experts.items():
            put_experts(self._model, path, packed)
            self.done.packed.append(path)

    def _pack(self, names: list[str], weight: GroupedWeight | BlockRows | Int8Weight) -> None:
        """Pack one weight, and replace each module that uses it."""
        modules = [each.rpartition(".")[0] for each in names]
        linears = [each for each in modules if isinstance(self._model.get_submodule(each), (nn.Linear, Conv1D))]
        bias = None
        if linears and f"{linears[0]}.bias" in self._own:
            bias = self._value(f"{linears[0]}.bias")
        packed = self._packed(weight, bias, self._own[names[0]].dtype)
        for each in modules:
            own: Any = self._model.get_submodule(each)
            if isinstance(own, (nn.Linear, Conv1D)):
                self._model.set_submodule(each, packed)
            else:
                rows = PackedEmbedding(packed, own.weight.dtype)
                scale = getattr(own, "embed_scale", None)
                self._model.set_submodule(each, rows if scale is None else ScaledRows(rows, scale))
            self.done.packed.append(each)

    def _packed(
        self, weight: GroupedWeight | BlockRows | Int8Weight, bias: Tensor | None, dtype: torch.dtype
    ) -> PackedLinear:
        if isinstance(weight, Int8Weight):
            return PackedLinear.from_int8(weight, bias, dtype, self._region)
        if isinstance(weight, BlockRows):
            if (found := weight.pack(self._region)) is not None:
                return PackedLinear.from_packed(*found, weight.shape, bias, dtype)
            weight = weight.decode()
        return PackedLinear.from_grouped(weight, bias, dtype, self._region)

    def _value(self, name: str) -> Tensor:
        value = self._source.read(name)
        value = value.decode() if isinstance(value, BlockRows) else value
        assert not isinstance(value, Int8Weight), "a bias is one row"
        value = value if isinstance(value, Tensor) else expanded(value, self._dtype(name))
        if value.shape != self._own[name].shape:
            found, expected = tuple(value.shape), tuple(self._own[name].shape)
            raise ModelError(f"model {self._name!r}: {name} has shape {found}, expected {expected}")
        return value.to(self._dtype(name))

    def _dtype(self, name: str) -> torch.dtype:
        return self._dtypes[name]

    def _set(self, names: list[str], value: Tensor) -> None:
        """Put a tensor into each module that uses it, except those that were packed together with it."""
        own = self._own[names[0]]
        value = value.to(self._dtype(names[0]) if own.is_floating_point() else own.dtype).contiguous()
        new = nn.Parameter(value, requires_grad=False) if isinstance(own, nn.Parameter) else value
        for each in names:
            path, _, leaf = each.rpartition(".")
            module = self._model.get_submodule(path)
            if not isinstance(module, PackedLinear):
                setattr(module, leaf, new)


def reorder(model: nn.Module, orders: Mapping[str, Tensor]) -> None:
    """Permute the inputs of linear layers, by name, to the order that their weights are in."""
    known: dict[bytes, Tensor] = {}
    for name, order in orders.items():
        same = known.setdefault(order.numpy().tobytes(), order)
        model.set_submodule(name, Reordered(model.get_submodule(name), same))


def expanded(weight: GroupedWeight | GroupedExperts, dtype: torch.dtype) -> Tensor:
    """Dequantise a weight to [out_features, in_features], or experts to [experts, ..], some rows at a time."""
    if isinstance(weight, GroupedExperts):
        return torch.stack([expanded(each, dtype) for each in weight])
    out = torch.empty(weight.codes.shape, dtype=dtype)
    for first in range(0, weight.out_features, _EXPANDED_AT_ONCE):
        part = slice(first, first + _EXPANDED_AT_ONCE)
        out[part] = weight.rows(part).dequantize()
    return out


class Reordered(nn.Module):
    """A linear layer whose weight has its inputs permuted."""

    order: Tensor

    def __init__(self, linear: nn.Module, order: Tensor) -> None:
        super().__init__()
        self.linear = linear
        self.register_buffer("order", order)

    def forward(self, input: Tensor) -> Tensor:
        """[.., in_features] to [.., out_features]."""
        out: Tensor = self.linear(input.index_select(-1, self.order))
        return out


class ScaledRows(nn.Module):
    """A packed embedding whose rows are multiplied by a number, as Gemma's are."""

    embed_scale: Tensor

    def __init__(self, rows: PackedEmbedding, scale: Tensor) -> None:
        super().__init__()
        self.rows = rows
        self.register_buffer("embed_scale", scale, persistent=False)

    def forward(self, input: Tensor) -> Tensor:
        """Token ids of any shape to [.., embedding_dim]."""
        out: Tensor = self.rows(input)
        return out * self.embed_scale.to(out.dtype)


def _packs(module: nn.Module) -> bool:
    """Tell if a packed module can replace this one."""
    scaled = isinstance(module, nn.Embedding) and type(module).__name__.endswith("TextScaledWordEmbedding")
    return is_product(module) or type(module) in (Conv1D, nn.Embedding) or scaled


def weight_dtypes(model: PreTrainedModel) -> dict[str, torch.dtype]:
    """Dtypes of a float model's weights, by name: some models keep a few in float32 whatever their own dtype is."""
    half = model.dtype == torch.float16
    parts = {*(model._keep_in_fp32_modules_strict or ()), *((model._keep_in_fp32_modules or ()) if half else ())}
    kept = re.compile("|".join(rf"(^|\.){re.escape(each)}($|\.)" for each in sorted(parts)) or r"(?!)")
    own = model.state_dict()
    return {name: torch.float32 if kept.search(name) else tensor.dtype for name, tensor in own.items()}


def _left(names: Collection[str], ignored: Collection[str] | None) -> list[str]:
    """Sort names, without those that match a pattern that the model ignores."""
    return sorted(name for name in names if not any(re.search(pattern, name) for pattern in ignored or ()))

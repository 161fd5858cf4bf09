"""Layers of a model that are alike: one of a kind is recorded, and the others are its operators over tensors of their
own. Whoever records so compares what comes of it with the model: layers may differ in what nobody here looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.weights.freed_weight import AbsentWeight

# What every module has beside its own attributes; of these hooks there must be none.
_OF_ALL = frozenset(vars(nn.Module())) - {"training"}
_HOOKS = [name for name in _OF_ALL if name.startswith(("_forward", "_backward"))]
_PLAIN = (int, float, bool, str, tuple, type(None), torch.dtype, torch.Size)

Call = Callable[..., Any]


class RepeatedLayers:
    """The layers of a model that have one before them which is alike.

    Args:
        model: whose outermost lists of modules have its layers.
        kept: what is known of a layer by its index: a window or a chunk does not show in a few tokens.
    """

    def __init__(self, model: nn.Module, kept: Callable[[int], Any]) -> None:
        self._layers = [layer for each in _outermost(model) for layer in each]
        self._first: list[int] = []
        for number, layer in enumerate(self._layers):
            kinds = (i for i in sorted(set(self._first)) if _alike(self._layers[i], layer, kept))
            self._first.append(next(kinds, number))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return len(set(self._first)) < len(self._first)

    @contextmanager
    def intercepted(self, call: Callable[[int, int, Call, tuple[Any, ...], dict[str, Any]], Any]) -> Generator[None]:
        """While it is entered, `call` stands for each layer's forward: it is given the layer's number, that of the
        first which is alike, the forward, and its arguments."""
        with ExitStack() as stack:
            for number, (layer, first) in enumerate(zip(self._layers, self._first, strict=True)):
                stack.enter_context(_replaced(layer, number, first, call))
            yield

    def tensors_of(self, layer: int, other: int) -> Mapping[int, Tensor]:
        """By the id of a tensor of a layer the one that another has in its place."""
        own, others = (dict(_tensors(self._layers[i])) for i in (layer, other))
        return {id(tensor): others[name] for name, tensor in own.items()}

    def indices_of(self, layer: int, other: int) -> Mapping[int, int]:
        """What modules of another layer have as their `layer_idx`, by what those of a layer have."""
        pairs = zip(self._layers[layer].modules(), self._layers[other].modules(), strict=True)
        return {a.layer_idx: b.layer_idx for a, b in pairs if hasattr(a, "layer_idx")}  # type: ignore[misc]


@contextmanager
def _replaced(layer: nn.Module, number: int, first: int, call: Callable[..., Any]) -> Generator[None]:
    own, there = layer.forward, "forward" in vars(layer)
    layer.forward = lambda *args, **kwargs: call(number, first, own, args, kwargs)
    try:
        yield
    finally:
        del layer.forward
        if there:
            layer.forward = own


def _outermost(module: nn.Module) -> Generator[nn.ModuleList]:
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            yield child
        else:
            yield from _outermost(child)


def _tensors(layer: nn.Module) -> Generator[tuple[str, Tensor]]:
    yield from layer.named_parameters(remove_duplicate=False)
    yield from layer.named_buffers(remove_duplicate=False)


def _alike(a: nn.Module, b: nn.Module, kept: Callable[[int], Any]) -> bool:
    """Whether two layers are made of the same modules with the same settings, and tensors of the same kinds."""
    first, second = list(a.named_modules()), list(b.named_modules())
    if [(name, type(each)) for name, each in first] != [(name, type(each)) for name, each in second]:
        return False
    return all(_alike_alone(x, y, kept) for (_, x), (_, y) in zip(first, second, strict=True))


def _alike_alone(a: nn.Module, b: nn.Module, kept: Callable[[int], Any]) -> bool:
    """Without their children."""
    own, other = vars(a), vars(b)
    if own.keys() != other.keys() or any(own[name] or other[name] for name in _HOOKS):
        return False
    if "layer_idx" in own and kept(own["layer_idx"]) != kept(other["layer_idx"]):
        return False
    for kind in ("_parameters", "_buffers"):
        x, y = own[kind], other[kind]
        if x.keys() != y.keys() or not all(_same_kind(x[name], y[name]) for name in x):
            return False
    return all(_same(name, own[name], other[name]) for name in own if name not in _OF_ALL)


def _same_kind(a: Tensor | None, b: Tensor | None) -> bool:
    if a is None or b is None:
        return a is b
    return (type(a), a.shape, a.dtype, a.stride()) == (type(b), b.shape, b.dtype, b.stride())


def _same(name: str, a: Any, b: Any) -> bool:
    """Whether an attribute says the same in both."""
    if a is b or (name == "layer_idx" and isinstance(a, int) and isinstance(b, int)):
        return True
    if isinstance(a, AbsentWeight) and isinstance(b, AbsentWeight):
        return (a.shape, a.dtype) == (b.shape, b.dtype)
    if isinstance(a, partial) and isinstance(b, partial):
        return (a.func, a.args, a.keywords) == (b.func, b.args, b.keywords)
    return type(a) is type(b) and isinstance(a, _PLAIN) and a == b

"""`Operator`: everything that torchpaged says about one operator overload, in one value.

Each family's file makes one for every overload that it has; `library.py` registers them with torch. A value holds
functions and text only, so importing a family imports neither Triton nor torch.distributed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

NAMESPACE = "torchpaged"

# A backend's function: it takes the operator's arguments, then the tensors to write the results to.
Function = Callable[..., None]
# DTensor's metadata of each tensor argument, by the argument's name.
Specs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CastRule:
    """Casts under torch.autocast.

    Args:
        together: arguments that get one dtype.
        follow: the argument whose dtype that is, or whose first tensor's. Where it is None or has no float dtype, the
            widest dtype of `together` is taken.
        beside: arguments that may have that dtype or be float32, and are cast to it otherwise.
    """

    together: tuple[str, ...]
    follow: str | None = None
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to cut a call among the ranks of a mesh: the axis of each result and, by name, of each argument."""

    results: tuple[int | None, ...]
    arguments: Mapping[str, int] = field(default_factory=dict)


# Takes the arguments by name, the results and their gradients, and returns the gradients of arguments by name.
Formula = Callable[[Mapping[str, Any], Sequence[Tensor], Sequence["Tensor | None"]], "Mapping[str, Tensor | None]"]


@dataclass(frozen=True, slots=True)
class Gradient:
    """The derivative of an operator.

    Args:
        of: arguments that it is taken with respect to. With respect to others the backward pass raises GradientError.
        formula: computes it, outside of autograd: there is no second derivative.
        through: the overload that runs in place of the operator under autograd and returns more, for the formula.
    """

    of: tuple[str, ...]
    formula: Formula
    through: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """The rule of an operator under torch.vmap: one call for the whole batch.

    Args:
        names: arguments that may differ between examples.
        rule: takes a `batching.Batch` and returns the call's arguments by name, and whether the results' first
            dimension has the rows of all examples, one behind the other; if not, it is the batch.
    """

    names: tuple[str, ...]
    rule: Callable[[Any], tuple[dict[str, Any], bool]]


# Compared by identity: an operator is a key of the caches below.
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Operator:
    """One overload: what torch, its compilers and its transforms ask about it.

    Args:
        overload: its name, "paged_attention.out"; `name` is what overloads and variants share.
        schema: without the name; sizes are `SymInt`, written arguments are marked, defaults are keyword-only.
        doc: what `help` shows: a summary, Args and Returns.
        check: takes the overload's name and the arguments, and raises ValueError. It reads no values of tensors.
        fake: takes the arguments and returns new tensors of the results' shapes and dtypes, contiguous.
        reference: the definition in plain PyTorch, which is also the backend "reference".
        train_with: what has a derivative and computes the same, for the error that a backward pass raises without a
            `gradient`, and that `torch.func` and second derivatives raise.
        vmap_with: what to do instead of torch.vmap, for its error.
        fold: its rule under torch.vmap; None: that raises TransformError.
        launch: calls a backend's function where that is more than passing all arguments, then the results.
        check_values: takes the overload's name and the arguments by name, reads tables, lengths and slots, and raises
            ValueError; None: there is nothing to check.
        cast: None: torch.autocast leaves the arguments as they are.
        flops: takes the arguments with shapes for tensors; None: FlopCounterMode counts nothing.
        layouts: returns the ways to cut a call over DTensors, besides the whole call on each rank.
        unsharded: why DTensors are refused; "": they are not.
        gradient: its derivative; None: a backward pass raises GradientError.
        triton: whether `ops/triton` has a kernel. The others run as plain PyTorch on a GPU.
    """

    overload: str
    schema: str
    doc: str
    check: Callable[..., None]
    fake: Callable[..., Any]
    reference: Function
    train_with: str
    vmap_with: str
    fold: Fold | None = None
    launch: Callable[..., Any] | None = None
    check_values: Callable[[str, Mapping[str, Any]], None] | None = None
    cast: CastRule | None = None
    flops: Callable[..., int] | None = None
    layouts: Callable[[Specs], list[Layout]] | None = None
    unsharded: str = ""
    gradient: Gradient | None = None
    triton: bool = False

    @property
    def name(self) -> str:
        """The name that backends register under."""
        return self.overload.split(".")[0].removesuffix("_with_lse")

    def packet(self, namespace: str) -> Any:
        """Return the callable overload in `namespace`."""
        name, _, overload = self.overload.partition(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")

    @property
    def arguments(self) -> list[Any]:
        """The schema's arguments, as torch has parsed them."""
        return _arguments(self)

    def named_arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return a call's arguments by name, defaults included."""
        return {**_defaults(self), **dict(zip(_names(self), args, strict=False)), **kwargs}

    def run(self, function: Function, *args: Any, **kwargs: Any) -> Any:
        """Call a backend's function: allocate the results, pass everything, defaults included, return the results."""
        options = {**_defaults(self), **kwargs}
        if self.launch is not None:
            return self.launch(function, *args, **options)
        results = self.fake(*args, **options)
        outputs = results if isinstance(results, tuple) else () if results is None else (results,)
        function(*args, *outputs, **options)
        return results


# torch parses a schema once, but makes Python objects of it at each look, which a call would wait for.
@functools.cache
def _arguments(operator: Operator) -> list[Any]:
    arguments: list[Any] = operator.packet(NAMESPACE)._schema.arguments
    return arguments


@functools.cache
def _names(operator: Operator) -> tuple[str, ...]:
    return tuple(argument.name for argument in _arguments(operator))


@functools.cache
def _defaults(operator: Operator) -> Mapping[str, Any]:
    return {a.name: a.default_value for a in _arguments(operator) if a.has_default_value()}


# --- Fakes and layouts that several families share ------------------------------------------------------------


def no_result(*_: Any, **__: Any) -> None:
    """Return nothing: the operator only writes to its arguments."""


def like_first(x: Tensor, *_: Any, **__: Any) -> Tensor:
    """Return a result of the first argument's shape and dtype. `new_empty` is contiguous whatever x's strides are."""
    return x.new_empty(x.shape)


def like_first_two(x: Tensor, other: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
    """Return results of the first two arguments' shapes and dtypes, contiguous."""
    return x.new_empty(x.shape), other.new_empty(other.shape)


def cut_rows(*names: str, results: int = 1, last: bool = False) -> Callable[[Specs], list[Layout]]:
    """Layouts that cut some arguments and all results by one of their leading axes.

    Args:
        names: of the arguments, whose shapes are the same.
        last: whether the last axis may be cut too.
    """

    def layouts(specs: Specs) -> list[Layout]:
        axes = range(specs[names[0]].ndim - (not last))
        return [Layout((axis,) * results, dict.fromkeys(names, axis)) for axis in axes]

    return layouts


# The axis of heads, by argument; a scale's follows from its dimensions.
_HEADS = {
    **dict.fromkeys(("query", "key", "value", "out", "out_a", "lse_a", "out_b", "lse_b"), 1),
    **dict.fromkeys(("key_cache", "value_cache"), 2),
    **dict.fromkeys(("alibi_slopes", "sinks", "distance_bias"), 0),
}
_SCALES = ("k_scale", "v_scale", "k_scale_cache", "v_scale_cache")
_AXIS_OF_SCALE = {1: 0, 3: 2}


def cut_heads(*results: int) -> Callable[[Specs], list[Layout]]:
    """Layouts that cut attention and its caches by KV heads. `results` has the axis of heads of each result."""

    def layouts(specs: Specs) -> list[Layout]:
        scales = {each: _AXIS_OF_SCALE.get(specs[each].ndim) for each in _SCALES if each in specs}
        return [Layout(results, {**_HEADS, **{each: axis for each, axis in scales.items() if axis is not None}})]

    return layouts

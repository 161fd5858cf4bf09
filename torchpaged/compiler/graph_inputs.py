"""What a graph of torch.compile's is given: which inputs are weights, which sizes change, and made-up inputs of other
sizes to record it with."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.graph import NotRecordable

# Of all that is made up for a recording: a size that changes should not be one of a pool's blocks.
_MOST_ELEMENTS = 1 << 26
_PRIMES = [n for n in range(2, 400) if all(n % d for d in range(2, int(n**0.5) + 1))]


class GraphInputs:
    """The placeholders of a graph, in their order.

    Args:
        graph: of dynamo's.
        inputs: of its first call.

    Attributes:
        names: of all.
        numbers: of those that are sizes.
        weights: of those that may be weights: parameters, and floats that are attributes of something. Whether these
            are is known when one has changed.
    """

    def __init__(self, graph: fx.GraphModule, inputs: Sequence[Any]) -> None:
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.names = [str(node.target) for node in nodes]
        self._fakes = [node.meta.get("example_value") for node in nodes]
        pairs = list(zip(self.names, inputs, strict=True))
        self.numbers = [name for name, value in pairs if not isinstance(value, Tensor)]
        attributes = {name for name, node in zip(self.names, nodes, strict=True) if _is_attribute(node)}
        self.weights = {
            name
            for name, value in pairs
            if isinstance(value, nn.Parameter) or (name in attributes and _is_plain_float(value))
        }
        self._symbols = {str(each) for fake in self._fakes for each in _symbols(fake)}

    @property
    def is_static(self) -> bool:
        """Whether no size changes."""
        return not self._symbols

    def made_up(self, inputs: Sequence[Any]) -> list[dict[str, Any]]:
        """Inputs of two sizes, or of the one that they have: weights and what else has its size stay as they are, and
        integers, which may be anybody's indices, are 0 and 1."""
        symbols = sorted(self._symbols)
        pairs = _pairs(len(symbols))
        sizes = [{symbol: pair[i] for symbol, pair in zip(symbols, pairs, strict=True)} for i in range(2)]
        return [self._of_sizes(inputs, each) for each in (sizes if symbols else sizes[:1])]

    def _of_sizes(self, inputs: Sequence[Any], sizes: dict[str, int]) -> dict[str, Any]:
        generator = torch.Generator().manual_seed(3)
        made = {}
        for name, fake, value in zip(self.names, self._fakes, inputs, strict=True):
            if not isinstance(value, Tensor):
                made[name] = _number(fake, sizes) if isinstance(fake, torch.SymInt) else value
            elif name in self.weights or (value.dtype not in _INDICES and not any(_symbols(fake))):
                made[name] = value
            else:
                shape = [_number(each, sizes) for each in fake.shape]
                made[name] = _filled(shape, [_number(each, sizes) for each in fake.stride()], value.dtype, generator)
        return made


_INDICES = (torch.int32, torch.int64)


def _pairs(count: int) -> list[tuple[int, int]]:
    """What sizes stand for in the two recordings: primes, which are no multiples of others. Their differences are twice
    an odd prime of each one's own, so that a multiple of a size, plus a number, is no other size in both."""
    free = [n for n in _PRIMES if n > 16]
    pairs: list[tuple[int, int]] = []
    for difference in [2 * n for n in _PRIMES[1 : count + 1]]:
        first = next((n for n in free if n + difference in free), None)
        if first is None:
            raise NotRecordable(f"{count} sizes change, expected {len(pairs)} at most")
        pairs.append((first, first + difference))
        free = [n for n in free if n not in pairs[-1]]
    return pairs


def _is_attribute(node: fx.Node) -> bool:
    """Whether dynamo has found it in an attribute, or within one: L['self'].weights['head']."""
    name = getattr(getattr(node, "_dynamo_source", None), "name", "")
    return "]." in str(name() if callable(name) else name)  # a method before torch 2.12


def _is_plain_float(value: Any) -> bool:
    return type(value) is Tensor and value.is_floating_point()


def _filled(shape: list[int], strides: list[int], dtype: torch.dtype, generator: torch.Generator) -> Tensor:
    if prod(shape) > _MOST_ELEMENTS:
        raise NotRecordable(
            f"an input {tuple(shape)} changes in too many sizes; torch._dynamo.mark_dynamic says which do"
        )
    # As it lies in memory, where expanded rows are one.
    count = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) if prod(shape) else 0
    random = dtype.is_floating_point and dtype.itemsize > 1
    values = torch.randn(count, generator=generator) if random else torch.arange(count) % 2
    return values.to(dtype).as_strided(shape, strides)


def _symbols(value: Any) -> list[Any]:
    """That a size or a tensor's shape is made of."""
    if isinstance(value, torch.SymInt):
        return sorted(value.node.expr.free_symbols, key=str)
    if isinstance(value, Tensor):
        return [symbol for size in (*value.shape, *value.stride()) for symbol in _symbols(size)]
    return []


def _number(size: Any, sizes: dict[str, int]) -> int:
    """A size where the symbols are these numbers."""
    if not isinstance(size, torch.SymInt):
        return int(size)
    expression = size.node.expr
    return int(expression.subs({symbol: sizes[str(symbol)] for symbol in expression.free_symbols}))

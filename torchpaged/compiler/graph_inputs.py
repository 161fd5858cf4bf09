"""GraphInputs: the inputs of a dynamo graph: weights, dynamic sizes, and sample inputs for the trace stage."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.graph import NotTraceable

# Limit of a sample input: a pool's number of blocks should not be a dynamic size.
_MAX_ELEMENTS = 1 << 26
_PRIMES = [n for n in range(2, 400) if all(n % d for d in range(2, int(n**0.5) + 1))]


class GraphInputs:
    """The placeholders of a graph, in order.

    Args:
        graph: from dynamo.
        inputs: arguments of its first call.

    Attributes:
        names: all placeholders.
        numbers: the placeholders that are integers.
        weights: the placeholders treated as weights: parameters, and float tensors found in attributes. `CompiledGraph`
            removes one of the latter when it changes.
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
        """True if no size is dynamic."""
        return not self._symbols

    def sample_inputs(self, inputs: Sequence[Any]) -> list[dict[str, Any]]:
        """Return sample inputs of two sizes, or of one if all sizes are static.

        Weights and float tensors of static shape are passed on. Integer tensors may be indices into any table: they are
        filled with zeros and ones.
        """
        symbols = sorted(self._symbols)
        pairs = _size_pairs(len(symbols))
        sizes = [{symbol: pair[i] for symbol, pair in zip(symbols, pairs, strict=True)} for i in range(2)]
        return [self._sample(inputs, each) for each in (sizes if symbols else sizes[:1])]

    def _sample(self, inputs: Sequence[Any], sizes: dict[str, int]) -> dict[str, Any]:
        generator = torch.Generator().manual_seed(3)
        samples = {}
        for name, fake, value in zip(self.names, self._fakes, inputs, strict=True):
            if not isinstance(value, Tensor):
                samples[name] = _number(fake, sizes) if isinstance(fake, torch.SymInt) else value
            elif name in self.weights or (value.dtype not in _INDICES and not any(_symbols(fake))):
                samples[name] = value
            else:
                shape = [_number(each, sizes) for each in fake.shape]
                samples[name] = _filled(shape, [_number(each, sizes) for each in fake.stride()], value.dtype, generator)
        return samples


_INDICES = (torch.int32, torch.int64)


def _size_pairs(count: int) -> list[tuple[int, int]]:
    """Return the two values of each dynamic size.

    They are primes. The difference of each pair is twice an odd prime of its own, so that no size equals a multiple of
    another plus a constant in both traces.
    """
    free = [n for n in _PRIMES if n > 16]
    pairs: list[tuple[int, int]] = []
    for difference in [2 * n for n in _PRIMES[1 : count + 1]]:
        first = next((n for n in free if n + difference in free), None)
        if first is None:
            raise NotTraceable(f"{count} sizes change, expected {len(pairs)} at most")
        pairs.append((first, first + difference))
        free = [n for n in free if n not in pairs[-1]]
    return pairs


def _is_attribute(node: fx.Node) -> bool:
    """Return True if dynamo found the input in an attribute, or inside one: L['self'].weights['head']."""
    name = getattr(getattr(node, "_dynamo_source", None), "name", "")
    return "]." in str(name() if callable(name) else name)  # a method before torch 2.12


def _is_plain_float(value: Any) -> bool:
    return type(value) is Tensor and value.is_floating_point()


def _filled(shape: list[int], strides: list[int], dtype: torch.dtype, generator: torch.Generator) -> Tensor:
    if prod(shape) > _MAX_ELEMENTS:
        raise NotTraceable(
            f"an input {tuple(shape)} changes in too many sizes; torch._dynamo.mark_dynamic says which do"
        )
    # Elements of the storage: expanded dimensions have stride 0 and count once.
    count = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) if prod(shape) else 0
    random = dtype.is_floating_point and dtype.itemsize > 1
    values = torch.randn(count, generator=generator) if random else torch.arange(count) % 2
    return values.to(dtype).as_strided(shape, strides)


def _symbols(value: Any) -> list[Any]:
    """Return the symbols in a size, or in a tensor's shape and strides."""
    if isinstance(value, torch.SymInt):
        return sorted(value.node.expr.free_symbols, key=str)
    if isinstance(value, Tensor):
        return [symbol for size in (*value.shape, *value.stride()) for symbol in _symbols(size)]
    return []


def _number(size: Any, sizes: dict[str, int]) -> int:
    """Return a size for these values of the symbols."""
    if not isinstance(size, torch.SymInt):
        return int(size)
    expression = size.node.expr
    return int(expression.subs({symbol: sizes[str(symbol)] for symbol in expression.free_symbols}))

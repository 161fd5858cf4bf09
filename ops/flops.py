"""What torch.utils.flop_counter.FlopCounterMode counts of the operators: attention, recurrences, products, from shapes.

How long sequences are is known to the device alone, so attention is counted as if every token saw all that its block
table has room for, or its whole window: a bound from above. A product is counted as torch counts a linear layer.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import torch

_COUNTER = "torch.utils.flop_counter"
Shape = Sequence[int]


def attention(
    query: Shape,
    key_cache: Shape,
    value_cache: Shape,
    block_tables: Shape,
    *_: Any,
    causal: bool = True,
    sliding_window: int = 0,
    **__: Any,
) -> int:
    """A multiplication and an addition for each number of each key and value that a query may see."""
    keys = block_tables[1] * key_cache[1]
    if causal and sliding_window:
        keys = min(keys, sliding_window)
    return 2 * query[0] * query[1] * keys * (key_cache[3] + value_cache[3])


def product(input: Shape, packed_weight: Shape, out_features: int, *_: Any, **__: Any) -> int:
    """Of a row of any expert as of any other."""
    return 2 * math.prod(input) * out_features


def convolution(x: Shape, weight: Shape, *_: Any, **__: Any) -> int:
    """A multiplication and an addition for each weight and token."""
    return 2 * x[0] * math.prod(weight)


def recurrence(rows: Shape, products: int, state_cache: Shape) -> int:
    """A multiplication and an addition for each number of each state, in each product with it that a token needs.

    States are read and written a chunk at a time, so other products are made; the recurrence is what was asked for.
    """
    return 2 * products * rows[0] * math.prod(state_cache[1:])


FORMULAS: Mapping[str, Callable[..., int]] = {
    "paged_attention": attention,
    "paged_attention_with_lse": attention,
    "causal_conv1d": convolution,
    "chunked_conv1d": convolution,
    "gated_delta_rule": lambda query, key, value, gate, beta, state_cache, *_, **__: recurrence(query, 3, state_cache),
    "mamba2_scan": lambda x, dt, a, b, c, state_cache, *_, **__: recurrence(x, 2, state_cache),
    "linear_attention": lambda query, key, value, decay, state_cache, *_, **__: recurrence(query, 2, state_cache),
    "selective_scan": lambda x, dt, a, b, c, state_cache, *_, **__: recurrence(x, 3, state_cache),
    "packed_linear": product,
    "packed_grouped_linear": product,
}


def register(namespace: str) -> None:
    """Tells the counter of the operators: now, or as soon as somebody imports it.

    It is not imported for that: with it comes Triton, which takes as long as all of torchpaged.
    """
    if _COUNTER in sys.modules:
        _tell(sys.modules[_COUNTER], namespace)
    else:
        sys.meta_path.insert(0, _Waiting(namespace))


def _tell(counter: ModuleType, namespace: str) -> None:
    for name, formula in FORMULAS.items():
        counter.register_flop_formula(getattr(getattr(torch.ops, namespace), name))(formula)


class _Waiting(importlib.abc.MetaPathFinder):
    """Finds the counter as everybody else does, and has it told of the operators when it has been read."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """None for all other modules."""
        if fullname != _COUNTER:
            return None
        others = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((each for each in others if each is not None), None)
        if spec is not None and spec.loader is not None:
            read = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                read(module)
                _tell(module, self._namespace)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

"""Modes that save the matrix products, most of a forward's time: faked where a check needs other values, or cached
where the trace stage would compute the same product again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.compiler.dispatch_mode import OperatorMode
from torchpaged.compiler.fake_values import PACKED_PRODUCTS
from torchpaged.compiler.graph import storage_of
from torchpaged.ops.library import NAMESPACE, OPERATORS

aten = torch.ops.aten
# By operator: the argument indices of rows and weight, then the weight's dimensions of inputs and outputs.
_PRODUCT_ARGUMENTS = {
    aten.linear.default: (0, 1, -1, -2),
    aten.matmul.default: (0, 1, -2, -1),
    aten.mm.default: (0, 1, -2, -1),
    aten.bmm.default: (0, 1, -2, -1),
    aten._grouped_mm.default: (0, 1, -2, -1),
    aten.addmm.default: (1, 2, -2, -1),
}
_CHECKS = {each.packet(NAMESPACE): each.check for each in OPERATORS if each.packet(NAMESPACE) in PACKED_PRODUCTS}


class _Products(OperatorMode):
    """Mode in which `product` computes every product with a weight of `module`, tensor subclasses excepted."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        own = (*module.parameters(), *module.buffers())
        self._weights = {storage_of(each) for each in own if type(each) in (Tensor, nn.Parameter)}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        place = _PRODUCT_ARGUMENTS[func][1] if func in _PRODUCT_ARGUMENTS else 1 if func in _CHECKS else None
        if place is None or not self._is_own(args[place]):
            return func(*args, **kwargs)
        return self.product(func, args, kwargs)

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the operator's result."""
        raise NotImplementedError

    def _is_own(self, tensor: Tensor) -> bool:
        return type(tensor) in (Tensor, nn.Parameter) and storage_of(tensor) in self._weights


class FakeProducts(_Products):
    """Replaces each product by values of its input rows, in the product's shape and dtype."""

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the rows, tiled or cut to the output width. Sizes that do not match raise the operator's own error."""
        if func in _PRODUCT_ARGUMENTS:
            place, weight, inputs, outputs = _PRODUCT_ARGUMENTS[func]
            x, sizes = args[place], args[weight].shape
            if x.shape[-1] != sizes[inputs] or x.dtype != args[weight].dtype:
                return func(*args, **kwargs)
            out_features = sizes[outputs]
        else:
            _CHECKS[func](func.__name__, *args, **kwargs)
            x, _, out_features, *_ = args
        times = -(-out_features // max(1, x.shape[-1]))
        return torch.cat([x] * max(1, times), dim=-1)[..., :out_features].contiguous()


class CachedProducts(_Products):
    """Computes a product once for equal inputs."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__(module)
        self._known: dict[Any, list[tuple[list[Tensor], Tensor]]] = {}

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return a copy of the cached result for the same weight, options and values of the other tensors."""
        arguments = [*args, *kwargs.values()]
        others = [each for each in arguments if isinstance(each, Tensor) and not self._is_own(each)]
        key = (func, tuple(kwargs), *map(self._key_of, arguments))
        known = self._known.setdefault(key, [])
        for inputs, result in known:
            if all(map(torch.equal, inputs, others)):
                return result.clone()
        result = func(*args, **kwargs)
        known.append(([each.clone() for each in others], result.clone()))
        return result

    def _key_of(self, argument: Any) -> Any:
        if not isinstance(argument, Tensor):
            return argument
        own = (storage_of(argument), argument.storage_offset()) if self._is_own(argument) else ()
        return (*own, argument.dtype, argument.shape, argument.stride())

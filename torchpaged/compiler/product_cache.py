"""A model's products, which are most of what a forward takes: made up where a check looks at something else, and
remembered where it would compute them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.compiler.dispatch_mode import OperatorMode
from torchpaged.compiler.fake_values import PRODUCTS
from torchpaged.compiler.graph import storage_of
from torchpaged.ops.library import NAMESPACE, OPERATORS

aten = torch.ops.aten
# By operator: which arguments are the rows and the weight, and which of the weight's dimensions are inputs and outputs.
_PRODUCTS = {
    aten.linear.default: (0, 1, -1, -2),
    aten.matmul.default: (0, 1, -2, -1),
    aten.mm.default: (0, 1, -2, -1),
    aten.bmm.default: (0, 1, -2, -1),
    aten._grouped_mm.default: (0, 1, -2, -1),
    aten.addmm.default: (1, 2, -2, -1),
}
_CHECKS = {each.packet(NAMESPACE): each.check for each in OPERATORS if each.packet(NAMESPACE) in PRODUCTS}


class _Products(OperatorMode):
    """While it is entered, products with the weights of `module` are `product`'s, but for weights of a subclass."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        own = (*module.parameters(), *module.buffers())
        self._weights = {storage_of(each) for each in own if type(each) in (Tensor, nn.Parameter)}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        place = _PRODUCTS[func][1] if func in _PRODUCTS else 1 if func in _CHECKS else None
        if place is None or not self._is_own(args[place]):
            return func(*args, **kwargs)
        return self.product(func, args, kwargs)

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """What the operator gives."""
        raise NotImplementedError

    def _is_own(self, tensor: Tensor) -> bool:
        return type(tensor) in (Tensor, nn.Parameter) and storage_of(tensor) in self._weights


class MadeUpProducts(_Products):
    """Numbers of the rows' own in place of each product: its shape and type, and as many different values."""

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The rows' numbers, repeated or cut; what the operator itself says to sizes that do not fit."""
        if func in _PRODUCTS:
            place, weight, inputs, outputs = _PRODUCTS[func]
            x, sizes = args[place], args[weight].shape
            if x.shape[-1] != sizes[inputs] or x.dtype != args[weight].dtype:
                return func(*args, **kwargs)
            out_features = sizes[outputs]
        else:
            _CHECKS[func](func.__name__, *args, **kwargs)
            x, _, out_features, *_ = args
        times = -(-out_features // max(1, x.shape[-1]))
        return torch.cat([x] * max(1, times), dim=-1)[..., :out_features].contiguous()


class RememberedProducts(_Products):
    """Each product of the same numbers is computed once."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__(module)
        self._known: dict[Any, list[tuple[list[Tensor], Tensor]]] = {}

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A copy of what came of the same weight, options and numbers of the other tensors."""
        given = [*args, *kwargs.values()]
        others = [each for each in given if isinstance(each, Tensor) and not self._is_own(each)]
        key = (func, tuple(kwargs), *map(self._said_of, given))
        known = self._known.setdefault(key, [])
        for inputs, result in known:
            if all(map(torch.equal, inputs, others)):
                return result.clone()
        result = func(*args, **kwargs)
        known.append(([each.clone() for each in others], result.clone()))
        return result

    def _said_of(self, argument: Any) -> Any:
        if not isinstance(argument, Tensor):
            return argument
        own = (storage_of(argument), argument.storage_offset()) if self._is_own(argument) else ()
        return (*own, argument.dtype, argument.shape, argument.stride())

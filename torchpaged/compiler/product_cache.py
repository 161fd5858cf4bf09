"""Modes that save the matrix products, most of a forward's time: faked or reduced where a check needs other values, or
cached where the trace stage would compute the same product again.
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
_EITHER_SIDE = (aten.matmul.default, aten.mm.default, aten.bmm.default)
_CORNER = 16  # inputs and outputs of a weight that a reduced product reads
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
        if place is not None and self._is_own(args[place]):
            return self.product(func, args, kwargs)
        if func in _EITHER_SIDE and self._is_own(args[0]):
            return self.left_product(func, *args)
        return func(*args, **kwargs)

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the operator's result."""
        raise NotImplementedError

    def left_product(self, func: Any, weight: Tensor, x: Tensor) -> Any:
        """Return the operator's result for a weight on the left."""
        return func(weight, x)

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


class ReducedProducts(_Products):
    """Replaces each product by one that reads a corner of the weight: x + x[:inputs] @ weight[:inputs, :outputs], the
    second term repeated to the width of x, and the sum to the output width.

    The result depends on the rows and on the weight, orientation and all, and not on the operator that multiplies.
    """

    def product(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the reduced product; the operator's own for arguments that it does not cover."""
        if func in _CHECKS:
            return self._packed(func, args, kwargs)
        place, weight, inputs, _ = _PRODUCT_ARGUMENTS[func]
        x, matrix = args[place], args[weight]
        if any(each is not None for each in kwargs.values()) or not _fit(x, matrix, inputs):
            return func(*args, **kwargs)
        matrix = matrix.mT if inputs == -1 else matrix
        if func is aten._grouped_mm.default:
            return _by_expert(x, matrix, args[2]) if len(args) == 3 else func(*args)
        result = _reduced(x, matrix)
        bias = args[0] if place else args[2] if func is aten.linear.default and len(args) > 2 else None
        return result if bias is None else result + bias

    def left_product(self, func: Any, weight: Tensor, x: Tensor) -> Any:
        """Return the reduced product of the transposed arguments, transposed."""
        if not _fit(x.mT if x.dim() > 1 else x, weight, -1):
            return func(weight, x)
        return _reduced(x.mT, weight.mT).mT.contiguous()

    def _packed(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the product with the first bytes and scales of a packed weight in place of the corner."""
        x, packed, out_features, *more = args
        if func is not torch.ops.torchpaged.packed_linear.default or more:
            return func(*args, **kwargs)
        _CHECKS[func](func.__name__, *args, **kwargs)
        row = packed.flatten()[:_CORNER].view(torch.uint8)[:_CORNER].to(x.dtype) / 128
        if (scale := kwargs.get("weight_scale")) is not None:
            row = row[: scale.numel()] + scale.flatten()[: row.numel()].to(x.dtype)
        result = _repeated(x + x[..., :1] * _repeated(row, x.shape[-1]), out_features)
        return result if (bias := kwargs.get("bias")) is None else result + bias


def _fit(x: Tensor, weight: Tensor, inputs: int) -> bool:
    """Return True if rows and a weight with dimension `inputs` can be multiplied."""
    return weight.dim() >= 2 and x.dim() >= 2 and x.shape[-1] == weight.shape[inputs] and x.dtype == weight.dtype


def _reduced(x: Tensor, matrix: Tensor) -> Tensor:
    """Return the reduced product of [..., in] by [..., in, out]."""
    # Not a matmul: it would wait for other threads, and a core is busy with `early_region`'s pages.
    corner = (x[..., :_CORNER, None] * matrix[..., None, :_CORNER, :_CORNER]).sum(-2)
    return _repeated(x + _repeated(corner, x.shape[-1]), matrix.shape[-1])


def _by_expert(x: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    """Return the reduced product of rows that are sorted by expert: rows [ends[i - 1], ends[i]) are of expert i."""
    bounds = [0, *ends.tolist()]
    parts = [_reduced(x[a:b], each) for a, b, each in zip(bounds, bounds[1:], matrices, strict=False)]
    return torch.cat([*parts, x.new_zeros(x.shape[0] - bounds[-1], matrices.shape[-1])])


def _repeated(x: Tensor, width: int) -> Tensor:
    """Repeat or cut the last dimension to a width."""
    times = -(-width // max(1, x.shape[-1]))
    return x.repeat(*(1,) * (x.dim() - 1), times)[..., :width]


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

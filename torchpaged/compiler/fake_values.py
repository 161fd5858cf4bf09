"""What stands in for operators over pages, and for products, while a forward is recorded: something of the result's
shape and type, of the former made of the rows that the operator is given, without any cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.models.recurrence import CONVOLUTION
from torchpaged.ops.library import NAMESPACE, OPERATORS

# By recurrent operator: of its inputs, which its result is like, and those that are the same for each token.
_RESULT = {CONVOLUTION: 0, "gated_delta_rule": 2, "mamba2_scan": 0, "linear_attention": 2, "selective_scan": 0}
_OF_LAYERS = {
    CONVOLUTION: (1, 2),
    "gated_delta_rule": (),
    "mamba2_scan": (2,),
    "linear_attention": (3,),
    "selective_scan": (2,),
}
_FAKES = {each.packet(NAMESPACE): each.fake for each in OPERATORS}
PRODUCTS = (torch.ops.torchpaged.packed_linear.default, torch.ops.torchpaged.packed_grouped_linear.default)
# Arguments that say that an operator reads or writes pages.
_PAGES = {"key_cache", "caches", "state_cache", "src"}


def of_attention(query: Tensor, key: Tensor, value: Tensor, latent_dim: int = 0) -> Tensor:
    """Of `layer_calls.attend_layer`."""
    group = query.shape[1] // key.shape[1]
    weight = torch.sigmoid((query * key.repeat_interleave(group, 1)).sum(-1, keepdim=True))
    values = key[..., :latent_dim] if latent_dim else value
    return (values.repeat_interleave(group, 1) * weight).contiguous()


def of_convolution(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Of `layer_calls.convolve_layer`."""
    return (x * weight.sum(1) if bias is None else x * weight.sum(1) + bias).contiguous()


def of_recurrence(operator: str, inputs: Sequence[Tensor | None]) -> Tensor:
    """Of `layer_calls.recur_layer`."""
    tokens = [each for i, each in enumerate(inputs) if each is not None and i not in _OF_LAYERS[operator]]
    weight = sum(torch.sigmoid(each.float().flatten(1).mean(1)) for each in tokens)
    of = inputs[_RESULT[operator]]
    assert of is not None and isinstance(weight, Tensor)
    return (of * weight.reshape(-1, *[1] * (of.dim() - 1)).to(of.dtype)).contiguous()


def of_product(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tensor:
    """Of one of `PRODUCTS`."""
    shape: Tensor = _FAKES[operator](*args, **kwargs)
    return shape.zero_()


def reads_pages(operator: Any) -> bool:
    """Whether it is one of torchpaged's that reads or writes pages."""
    return operator.namespace == "torchpaged" and any(each.name in _PAGES for each in operator._schema.arguments)


def of_paged(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Of an operator that `reads_pages`, whatever its caches and tables have: none is read or written."""
    if isinstance(kwargs.get("out"), Tensor):
        kwargs["out"].zero_()
    # Without its checks: recorded sizes are made up, and tables may have others than the tokens.
    shapes = _FAKES[operator](*args, **kwargs)
    rows = args[0]
    if isinstance(shapes, Tensor):
        return _like(shapes, rows)
    return None if shapes is None else tuple(_like(each, rows) for each in shapes)


def _like(shape: Tensor, rows: Tensor) -> Tensor:
    """Numbers that differ, and depend on each row where the result has a row of each."""
    result = torch.linspace(-1, 1, shape.numel()).view(shape.shape)
    if shape.dim() and len(rows) == len(shape):
        result = result * torch.sigmoid(rows.float().flatten(1).mean(1)).view(-1, *[1] * (shape.dim() - 1))
    return result.to(shape.dtype)

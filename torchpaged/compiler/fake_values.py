"""Trace stage: fake results of operators over the paged cache and of packed products.

A fake has the real result's shape and dtype. Fakes of paged operators are computed from the operator's rows, so that
values differ from row to row; no cache is read or written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.models.recurrence import CONVOLUTION
from torchpaged.ops.library import NAMESPACE, OPERATORS

# By recurrent operator: the input whose shape the result has, and the inputs without a token dimension.
_RESULT = {CONVOLUTION: 0, "gated_delta_rule": 2, "mamba2_scan": 0, "linear_attention": 2, "selective_scan": 0}
_PER_LAYER = {
    CONVOLUTION: (1, 2),
    "gated_delta_rule": (),
    "mamba2_scan": (2,),
    "linear_attention": (3,),
    "selective_scan": (2,),
}
_FAKES = {each.packet(NAMESPACE): each.fake for each in OPERATORS}
PACKED_PRODUCTS = (torch.ops.torchpaged.packed_linear.default, torch.ops.torchpaged.packed_grouped_linear.default)
# An operator with one of these arguments reads or writes the paged cache.
_CACHE_ARGUMENTS = {"key_cache", "caches", "state_cache", "src"}


def fake_attention(query: Tensor, key: Tensor, value: Tensor, latent_dim: int = 0) -> Tensor:
    """Return a fake result of `layer_calls.attend_layer`."""
    group = query.shape[1] // key.shape[1]
    weight = torch.sigmoid((query * key.repeat_interleave(group, 1)).sum(-1, keepdim=True))
    values = key[..., :latent_dim] if latent_dim else value
    return (values.repeat_interleave(group, 1) * weight).contiguous()


def fake_choice(index_query: Tensor, k: int, num_selections: int = 1) -> Tensor:
    """Return a fake result of `layer_calls.choose_layer`."""
    return index_query.new_zeros((index_query.shape[0], num_selections, k), dtype=torch.int32)


def fake_convolution(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return a fake result of `layer_calls.convolve_layer`."""
    return (x * weight.sum(1) if bias is None else x * weight.sum(1) + bias).contiguous()


def fake_recurrence(operator: str, inputs: Sequence[Tensor | None]) -> Tensor:
    """Return a fake result of `layer_calls.recur_layer`."""
    tokens = [each for i, each in enumerate(inputs) if each is not None and i not in _PER_LAYER[operator]]
    weight = sum(torch.sigmoid(each.float().flatten(1).mean(1)) for each in tokens)
    like = inputs[_RESULT[operator]]
    assert like is not None and isinstance(weight, Tensor)
    return (like * weight.reshape(-1, *[1] * (like.dim() - 1)).to(like.dtype)).contiguous()


def fake_product(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tensor:
    """Return zeros in the shape and dtype of one of `PACKED_PRODUCTS`."""
    shape: Tensor = _FAKES[operator](*args, **kwargs)
    return shape.zero_()


def accesses_pages(operator: Any) -> bool:
    """Return True if this is an operator of torchpaged that reads or writes the paged cache."""
    arguments = operator._schema.arguments
    return operator.namespace == "torchpaged" and any(each.name in _CACHE_ARGUMENTS for each in arguments)


def fake_paged(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return a fake result of an operator that `accesses_pages`."""
    if isinstance(kwargs.get("out"), Tensor):
        kwargs["out"].zero_()
    # The checks of the operator are skipped: sample sizes need not agree between tokens and block tables.
    shapes = _FAKES[operator](*args, **kwargs)
    rows = args[0]
    if isinstance(shapes, Tensor):
        return _like(shapes, rows)
    return None if shapes is None else tuple(_like(each, rows) for each in shapes)


def _like(shape: Tensor, rows: Tensor) -> Tensor:
    """Return distinct values; they depend on the input row where the result has one row per input row."""
    result = torch.linspace(-1, 1, shape.numel()).view(shape.shape)
    if shape.dim() and len(rows) == len(shape):
        result = result * torch.sigmoid(rows.float().flatten(1).mean(1)).view(-1, *[1] * (shape.dim() - 1))
    return result.to(shape.dtype)

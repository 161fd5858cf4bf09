"""Operators `fused_linear` and `rotate_and_write_kv_cache`: what a decode step computes between attentions, in few
launches.

The compiler puts them in the place of other operators where an engine on CUDA was asked for it
(`compiler/launch_fusion.py`). Like `batch_invariant_...` they have no place in the registry: their definitions are the
operators that they replace, which is also what they call on other devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.library import Library

from torchpaged.ops import devices, inductor
from torchpaged.ops.checks import QUANTISED_DTYPES
from torchpaged.ops.operator import NAMESPACE

ACTIVATIONS = ("", "silu", "gelu_tanh")
_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
_library = Library(NAMESPACE, "FRAGMENT")
_library.define(
    "fused_linear(Tensor input, Tensor[] weights, Tensor?[] biases, *, bool transposed=False, "
    'Tensor? norm_weight=None, float eps=0.0, str activation="", Tensor? residual=None) -> Tensor',
    tags=_TAGS,
)
_library.define(
    "rotate_and_write_kv_cache(Tensor query, Tensor key, Tensor value, Tensor cos, Tensor sin, Tensor(a!) key_cache, "
    "Tensor(b!) value_cache, Tensor slot_mapping, *, Tensor? query_weight=None, Tensor? key_weight=None, "
    "float eps=0.0, Tensor(c!)? k_scale_cache=None, Tensor(d!)? v_scale_cache=None) -> Tensor",
    tags=_TAGS,
)


# --- Products -------------------------------------------------------------------------------------------------------


def fused_linear(
    input: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor | None],
    *,
    transposed: bool = False,
    norm_weight: Tensor | None = None,
    eps: float = 0.0,
    activation: str = "",
    residual: Tensor | None = None,
) -> Tensor:
    """Compute `rms_norm`, linear layers of one input, a gated activation or a sum, as the operators apart do.

    Args:
        input: [..., in_features].
        weights: [out_features, in_features] each, or [in_features, out_features] if transposed. The results lie side
            by side; with an activation there are two weights, of gate and up.
        biases: [out_features] or None for each weight.
        norm_weight, eps: of the norm of input; None: no norm.
        activation: "silu", "gelu_tanh", or "" for none.
        residual: [..., sum of out_features], which the rounded result is added to; None: nothing.

    Returns:
        [..., out_features of all], or of one with an activation.
    """
    ops = torch.ops.torchpaged
    rows = input if norm_weight is None else ops.rms_norm(input, norm_weight, eps)
    parts = [
        torch.nn.functional.linear(rows, weight.t() if transposed else weight, bias)
        for weight, bias in zip(weights, biases, strict=True)
    ]
    if activation:
        gated = ops.silu_and_mul if activation == "silu" else ops.gelu_tanh_and_mul
        out: Tensor = gated(*parts)
    else:
        out = parts[0] if len(parts) == 1 else torch.cat(parts, dim=-1)
    return out if residual is None else out + residual


def _fake_linear(
    input: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor | None],
    *,
    transposed: bool = False,
    activation: str = "",
    **_: Any,
) -> Tensor:
    widths = [weight.shape[1 if transposed else 0] for weight in weights]
    return input.new_empty((*input.shape[:-1], widths[0] if activation else sum(widths)))


def _linear_on_cuda(
    input: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor | None],
    *,
    transposed: bool = False,
    norm_weight: Tensor | None = None,
    eps: float = 0.0,
    activation: str = "",
    residual: Tensor | None = None,
) -> Tensor:
    """Compute it in one launch for few rows; many rows wait for the tensor cores, which torch's products use best."""
    from torchpaged.ops.triton import fused_linear as kernel

    out = _fake_linear(input, weights, biases, transposed=transposed, activation=activation)
    rows = input.reshape(-1, input.shape[-1])
    if rows.stride(1) != 1 and rows.shape[1] > 1:
        rows = rows.contiguous()
    columns = [weight if transposed else weight.t() for weight in weights]
    before = None if residual is None else residual.reshape(-1, residual.shape[-1]).contiguous()
    if not kernel.fits(rows, columns, biases, norm_weight):
        return fused_linear(
            input,
            weights,
            biases,
            transposed=transposed,
            norm_weight=norm_weight,
            eps=eps,
            activation=activation,
            residual=residual,
        )
    kernel.fused_linear(rows, columns, biases, norm_weight, eps, activation, before, out.view(-1, out.shape[-1]))
    return out


# --- Heads ----------------------------------------------------------------------------------------------------------


def rotate_and_write_kv_cache(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cos: Tensor,
    sin: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    query_weight: Tensor | None = None,
    key_weight: Tensor | None = None,
    eps: float = 0.0,
    k_scale_cache: Tensor | None = None,
    v_scale_cache: Tensor | None = None,
) -> Tensor:
    """Call `rotary_embedding`, write the rotated keys and the values by `write_kv_cache`, return the rotated query."""
    ops = torch.ops.torchpaged
    rotated: Tensor
    rotated, keys = ops.rotary_embedding(
        query, key, cos, sin, query_weight=query_weight, key_weight=key_weight, eps=eps
    )
    ops.write_kv_cache(
        keys, value, key_cache, value_cache, slot_mapping, k_scale_cache=k_scale_cache, v_scale_cache=v_scale_cache
    )
    return rotated


def _fake_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cos: Tensor,
    sin: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    k_scale_cache: Tensor | None = None,
    v_scale_cache: Tensor | None = None,
    **_: Any,
) -> Tensor:
    inductor.prepare((key_cache, value_cache, k_scale_cache, v_scale_cache))
    return query.new_empty(query.shape)


def _heads_on_cuda(query: Tensor, *tensors: Tensor, **options: Any) -> Tensor:
    from torchpaged.ops.triton import rotate_and_write

    out = query.new_empty(query.shape)
    rotate_and_write.rotate_and_write_kv_cache(query, *tensors, out=out, **options)
    return out


def can_rotate_and_write(query: Tensor, value: Tensor, cos: Tensor, key_cache: Tensor) -> bool:
    """Return whether one launch does it: tables [tokens or 1, 1, rotary_dim], no 4-bit cache.

    Args:
        query, value: [num_tokens, heads, head_dim].
    """
    return (
        query.dim() == value.dim() == cos.dim() == 3
        and cos.shape[1] == 1
        and cos.stride(2) == 1
        and value.shape[2] > 0
        and key_cache.dtype in (query.dtype, *QUANTISED_DTYPES)
        and key_cache.shape[3] == query.shape[2]
    )


for _name, _fake, _cuda, _plain in (
    ("fused_linear", _fake_linear, _linear_on_cuda, fused_linear),
    ("rotate_and_write_kv_cache", _fake_heads, _heads_on_cuda, rotate_and_write_kv_cache),
):
    torch.library.register_fake(f"{NAMESPACE}::{_name}", _fake, lib=_library)
    _library.impl(_name, devices.with_first(_cuda), "CUDA")
    _library.impl(_name, _plain, "CPU")

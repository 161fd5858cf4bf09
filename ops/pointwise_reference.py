"""The pointwise operators in plain PyTorch: what stands between a layer's matrix products. Part of `reference.py`.

All of them compute in float32 and round once, to the dtype of their first argument.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float, out: Tensor) -> None:
    """x / sqrt(mean(x^2) + eps) * weight, over the last dimension.

    Args:
        x: [..., n], 1 to 4 dimensions, the last contiguous.
        weight: [n], x's dtype or float32.
    """
    out.copy_(_normed(x, weight, eps))


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float, total: Tensor, out: Tensor) -> None:
    """`rms_norm` of x + residual, as that sum is rounded to x's dtype; the sum too."""
    total.copy_(x.float() + residual.float())
    out.copy_(_normed(total, weight, eps))


def rotary_embedding(
    query: Tensor,
    key: Tensor,
    cos: Tensor,
    sin: Tensor,
    query_weight: Tensor | None,
    key_weight: Tensor | None,
    eps: float,
    query_out: Tensor,
    key_out: Tensor,
) -> None:
    """Rotates the first `rotary_dim` elements of each head, as halves; with weights, of each head's `rms_norm`.

    Args:
        query, key: [..., head_dim], 1 to 4 dimensions, the last contiguous.
        cos, sin: [..., rotary_dim], even and at most head_dim; broadcast over the dimensions before.
        query_weight, key_weight: [head_dim]; None: no norm.
    """
    for x, weight, out in ((query, query_weight, query_out), (key, key_weight, key_out)):
        value = x.float() if weight is None else _normed(x, weight, eps)
        rotated, rest = value.split([cos.shape[-1], x.shape[-1] - cos.shape[-1]], dim=-1)
        first, second = rotated.chunk(2, dim=-1)
        turned = rotated * cos.float() + torch.cat([-second, first], dim=-1) * sin.float()
        out.copy_(torch.cat([turned, rest], dim=-1))


def silu_and_mul(gate: Tensor, up: Tensor, out: Tensor) -> None:
    """silu(gate) * up."""
    out.copy_(F.silu(gate.float()) * up.float())


def gelu_tanh_and_mul(gate: Tensor, up: Tensor, out: Tensor) -> None:
    """gelu(gate) * up, in the approximation by tanh."""
    out.copy_(F.gelu(gate.float(), approximate="tanh") * up.float())


def _normed(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    value = x.float()
    return value * torch.rsqrt(value.square().mean(-1, keepdim=True) + eps) * weight.float()

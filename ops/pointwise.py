"""Pointwise operators, between a layer's matrix products: norms, rotations, gated activations.

Each is defined here in plain PyTorch, in float32 with one rounding to the dtype of the first argument. Rotations run
so on a GPU too; norms and gates have kernels there.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from torchpaged.ops import batching, docs, gradients
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_device,
    expect_dtype,
    expect_last_contiguous,
    expect_size,
    is_known,
    refuse,
)
from torchpaged.ops.operator import (
    CastRule,
    Function,
    Gradient,
    Layout,
    Operator,
    Specs,
    cut_rows,
    like_first,
    like_first_two,
)

# The definitions, for reference.py.
__all__ = ["add_rms_norm", "gelu_tanh_and_mul", "rms_norm", "rotary_embedding", "silu_and_mul"]


def rms_norm(x: Tensor, weight: Tensor, eps: float, out: Tensor) -> None:
    """Compute x / sqrt(mean(x^2) + eps) * weight over the last dimension.

    Args:
        x: [..., n], 1 to 4 dimensions, the last contiguous.
        weight: [n], x's dtype or float32.
    """
    out.copy_(_normed(x, weight, eps))


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float, total: Tensor, out: Tensor) -> None:
    """Compute `rms_norm` of x + residual, where that sum is rounded to x's dtype first, and the sum."""
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
    """Rotate the first `rotary_dim` elements of each head, as halves; with weights, `rms_norm` each head first.

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
    """Compute silu(gate) * up."""
    out.copy_(F.silu(gate.float()) * up.float())


def gelu_tanh_and_mul(gate: Tensor, up: Tensor, out: Tensor) -> None:
    """Compute gelu(gate) * up, in the approximation by tanh."""
    out.copy_(F.gelu(gate.float(), approximate="tanh") * up.float())


def _normed(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    value = x.float()
    return value * torch.rsqrt(value.square().mean(-1, keepdim=True) + eps) * weight.float()


# --- Checks ---------------------------------------------------------------------------------------------------


def _check_rows(op: str, name: str, tensor: Tensor) -> None:
    if not 1 <= tensor.dim() <= 4:
        refuse(op, name, f"has {tensor.dim()} dimensions, shape {tuple(tensor.shape)}", "1 to 4")
    expect_dtype(op, name, tensor, *FLOAT_DTYPES)
    expect_last_contiguous(op, name, tensor)


def _check_like(op: str, name: str, tensor: Tensor, other: Tensor, what: str) -> None:
    _check_rows(op, name, tensor)
    expect_device(op, name, tensor, other.device)
    expect_dtype(op, name, tensor, other.dtype)
    if tensor.dim() != other.dim():
        refuse(op, name, f"has {tensor.dim()} dimensions, shape {tuple(tensor.shape)}", f"{other.dim()}: {what}")
    for axis, size in enumerate(other.shape):
        expect_size(op, name, tensor, axis, size, what)


def _check_weight(op: str, name: str, weight: Tensor, x: Tensor) -> None:
    expect_device(op, name, weight, x.device)
    expect_dtype(op, name, weight, torch.float32, x.dtype)
    if weight.dim() != 1:
        refuse(op, name, f"has {weight.dim()} dimensions, shape {tuple(weight.shape)}", "1: x's last dimension")
    expect_size(op, name, weight, 0, x.shape[-1], "x's last dimension")


def _check_rms_norm(op: str, x: Tensor, weight: Tensor, eps: float) -> None:
    _check_rows(op, "x", x)
    _check_weight(op, "weight", weight, x)


def _check_add_rms_norm(op: str, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> None:
    _check_rms_norm(op, x, weight, eps)
    _check_like(op, "residual", residual, x, "as in x")


def _check_rotary_embedding(
    op: str,
    query: Tensor,
    key: Tensor,
    cos: Tensor,
    sin: Tensor,
    *,
    query_weight: Tensor | None = None,
    key_weight: Tensor | None = None,
    eps: float = 0.0,
) -> None:
    _check_rows(op, "query", query)
    _check_rows(op, "key", key)
    expect_dtype(op, "key", key, query.dtype)
    _check_rows(op, "cos", cos)
    expect_dtype(op, "cos", cos, torch.float32, query.dtype)
    _check_like(op, "sin", sin, cos, "as in cos")
    for name, x, weight in (("query", query, query_weight), ("key", key, key_weight)):
        width, table = x.shape[-1], cos.shape[-1]
        if is_known(width, table) and (table > width or table % 2):
            refuse(op, "cos", f"has rows of {table}", f"an even number up to {width}, the {name}'s last dimension")
        if cos.dim() > x.dim():
            refuse(op, "cos", f"has {cos.dim()} dimensions", f"at most {x.dim()}, as the {name}")
        for axis in range(2, cos.dim() + 1):
            size, whole = cos.shape[-axis], x.shape[-axis]
            if is_known(size, whole) and size not in (1, whole):
                refuse(op, "cos", f"has shape {tuple(cos.shape)}", f"one that broadcasts to {tuple(x.shape)[:-1]}")
        if weight is not None:
            _check_weight(op, f"{name}_weight", weight, x)


def _check_gated(op: str, gate: Tensor, up: Tensor) -> None:
    _check_rows(op, "gate", gate)
    _check_like(op, "up", up, gate, "as in gate")


# --- The operators --------------------------------------------------------------------------------------------


def _launch_rotary(
    fn: Function, *args: Tensor, query_weight: Tensor | None, key_weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor]:
    results = like_first_two(*args)
    fn(*args, query_weight, key_weight, eps, *results)
    return results


def _cut_rotary(specs: Specs) -> list[Layout]:
    """Cut query and key by any axis but the last, and the tables too where they do not broadcast along it."""
    query, key, cos = (specs[name] for name in ("query", "key", "cos"))
    layouts = []
    for back in range(2, query.ndim + 1):  # the tables' axes are counted from behind
        axes = {"query": query.ndim - back, "key": key.ndim - back}
        if cos.ndim >= back and cos.shape[-back] != 1:
            axes.update(cos=cos.ndim - back, sin=cos.ndim - back)
        if min(axes.values()) >= 0:
            layouts.append(Layout((axes["query"], axes["key"]), axes))
    return layouts


def _gated(reference: Function, doc: str, train_with: str, gradient: Gradient) -> Operator:
    """Make the operator of a gated activation, whose name is its definition's."""
    return Operator(
        overload=reference.__name__,
        schema="(Tensor gate, Tensor up) -> Tensor",
        doc=f"""
{doc}, computed in float32 and rounded once.

Args:
    gate, up: [..., n], 1 to 4 dimensions, {docs.FLOATS}, both the same, the last contiguous.

Returns:
    As gate.""",
        check=_check_gated,
        fake=like_first,
        reference=reference,
        triton=True,
        cast=CastRule(("gate", "up")),
        train_with=train_with,
        vmap_with=docs.VMAP_ROWS,
        fold=batching.fold_rows("gate", "up"),
        layouts=cut_rows("gate", "up", last=True),
        gradient=gradient,
    )


OPERATORS = (
    Operator(
        overload="rms_norm",
        schema="(Tensor x, Tensor weight, float eps) -> Tensor",
        doc=f"""
x / sqrt(mean(x^2) + eps) * weight over the last dimension, computed in float32 and rounded once.

Args:
    x: [..., n], 1 to 4 dimensions, {docs.FLOATS}, the last contiguous.
    weight: [n], x's dtype or float32.
    eps: added to the mean.

Returns:
    As x.""",
        check=_check_rms_norm,
        fake=like_first,
        reference=rms_norm,
        triton=True,
        cast=CastRule(("x",), None, ("weight",)),
        train_with="torch.nn.functional.rms_norm",
        vmap_with=docs.VMAP_ROWS,
        fold=batching.fold_rows("x"),
        layouts=cut_rows("x"),
        gradient=gradients.RMS_NORM,
    ),
    Operator(
        overload="add_rms_norm",
        schema="(Tensor x, Tensor residual, Tensor weight, float eps) -> (Tensor sum, Tensor out)",
        doc=f"""
`rms_norm` of x + residual, where that sum is rounded to x's dtype first, and the sum.

Args:
    x, residual: [..., n], 1 to 4 dimensions, {docs.FLOATS}, both the same, the last contiguous.
    weight: [n], x's dtype or float32.
    eps: added to the mean.

Returns:
    (sum, out), both as x.""",
        check=_check_add_rms_norm,
        fake=like_first_two,
        reference=add_rms_norm,
        triton=True,
        cast=CastRule(("x", "residual"), None, ("weight",)),
        train_with="torch.nn.functional.rms_norm of the sum",
        vmap_with=docs.VMAP_ROWS,
        fold=batching.fold_rows("x", "residual"),
        layouts=cut_rows("x", "residual", results=2),
        gradient=gradients.ADD_RMS_NORM,
    ),
    Operator(
        overload="rotary_embedding",
        schema="(Tensor query, Tensor key, Tensor cos, Tensor sin, *, Tensor? query_weight=None, "
        "Tensor? key_weight=None, float eps=0.0) -> (Tensor query, Tensor key)",
        doc=f"""
Rotates the first rotary_dim numbers of each head, as halves; with weights, `rms_norm` of each head comes first.

Args:
    query: [..., head_dim], 1 to 4 dimensions, {docs.FLOATS}, the last contiguous.
    key: [..., head_dim], as query but for the number of heads.
    cos, sin: [..., rotary_dim], query's dtype or float32; even, at most head_dim; broadcast over the leading
        dimensions.
    query_weight, key_weight: [head_dim], query's dtype or float32; None: no norm.
    eps: of the norm.

Returns:
    (query, key), rotated.""",
        check=_check_rotary_embedding,
        fake=like_first_two,
        launch=_launch_rotary,
        reference=rotary_embedding,
        cast=CastRule(("query", "key"), None, ("cos", "sin", "query_weight", "key_weight")),
        train_with="the rotation in plain PyTorch",
        vmap_with=docs.VMAP_ROWS,
        fold=batching.FOLD_ROTATION,
        layouts=_cut_rotary,
        gradient=gradients.ROTARY_EMBEDDING,
    ),
    _gated(silu_and_mul, "silu(gate) * up", "torch.nn.functional.silu(gate) * up", gradients.gated(gradients.silu)),
    _gated(
        gelu_tanh_and_mul,
        "gelu(gate) * up in the approximation by tanh",
        "torch.nn.functional.gelu(gate, approximate='tanh') * up",
        gradients.gated(gradients.gelu_tanh),
    ),
)

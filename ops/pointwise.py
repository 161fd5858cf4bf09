"""The pointwise operators' schemas, argument checks and fakes; `library.py` has them in its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.checks import FLOAT_DTYPES, _device, _dtype, _known, _last_contiguous, _refuse, _size

SCHEMAS = {
    "rms_norm": "(Tensor x, Tensor weight, float eps) -> Tensor",
    "add_rms_norm": "(Tensor x, Tensor residual, Tensor weight, float eps) -> (Tensor sum, Tensor out)",
    "rotary_embedding": "(Tensor query, Tensor key, Tensor cos, Tensor sin, *, Tensor? query_weight=None, "
    "Tensor? key_weight=None, float eps=0.0) -> (Tensor query, Tensor key)",
    "silu_and_mul": "(Tensor gate, Tensor up) -> Tensor",
    "gelu_tanh_and_mul": "(Tensor gate, Tensor up) -> Tensor",
}


def _rows(op: str, name: str, tensor: Tensor) -> None:
    if not 1 <= tensor.dim() <= 4:
        _refuse(op, name, f"has {tensor.dim()} dimensions, shape {tuple(tensor.shape)}", "1 to 4")
    _dtype(op, name, tensor, *FLOAT_DTYPES)
    _last_contiguous(op, name, tensor)


def _like(op: str, name: str, tensor: Tensor, other: Tensor, what: str) -> None:
    _rows(op, name, tensor)
    _device(op, name, tensor, other.device)
    _dtype(op, name, tensor, other.dtype)
    if tensor.dim() != other.dim():
        _refuse(op, name, f"has {tensor.dim()} dimensions, shape {tuple(tensor.shape)}", f"{other.dim()}: {what}")
    for axis, size in enumerate(other.shape):
        _size(op, name, tensor, axis, size, what)


def _weight(op: str, name: str, weight: Tensor, x: Tensor) -> None:
    _device(op, name, weight, x.device)
    _dtype(op, name, weight, torch.float32, x.dtype)
    if weight.dim() != 1:
        _refuse(op, name, f"has {weight.dim()} dimensions, shape {tuple(weight.shape)}", "1: x's last dimension")
    _size(op, name, weight, 0, x.shape[-1], "x's last dimension")


def check_rms_norm(op: str, x: Tensor, weight: Tensor, eps: float) -> None:
    """Of `rms_norm`."""
    _rows(op, "x", x)
    _weight(op, "weight", weight, x)


def check_add_rms_norm(op: str, x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> None:
    """Of `add_rms_norm`."""
    check_rms_norm(op, x, weight, eps)
    _like(op, "residual", residual, x, "as in x")


def check_rotary_embedding(
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
    """Of `rotary_embedding`."""
    _rows(op, "query", query)
    _rows(op, "key", key)
    _dtype(op, "key", key, query.dtype)
    _rows(op, "cos", cos)
    _dtype(op, "cos", cos, torch.float32, query.dtype)
    _like(op, "sin", sin, cos, "as in cos")
    for name, x, weight in (("query", query, query_weight), ("key", key, key_weight)):
        width, table = x.shape[-1], cos.shape[-1]
        if _known(width, table) and (table > width or table % 2):
            _refuse(op, "cos", f"has rows of {table}", f"an even number up to {width}, the {name}'s last dimension")
        if cos.dim() > x.dim():
            _refuse(op, "cos", f"has {cos.dim()} dimensions", f"at most {x.dim()}, as the {name}")
        for axis in range(2, cos.dim() + 1):
            size, whole = cos.shape[-axis], x.shape[-axis]
            if _known(size, whole) and size not in (1, whole):
                _refuse(op, "cos", f"has shape {tuple(cos.shape)}", f"one that broadcasts to {tuple(x.shape)[:-1]}")
        if weight is not None:
            _weight(op, f"{name}_weight", weight, x)


def check_gated(op: str, gate: Tensor, up: Tensor) -> None:
    """Of `silu_and_mul` and `gelu_tanh_and_mul`."""
    _rows(op, "gate", gate)
    _like(op, "up", up, gate, "as in gate")


CHECKS: dict[str, Callable[..., None]] = {
    "rms_norm": check_rms_norm,
    "add_rms_norm": check_add_rms_norm,
    "rotary_embedding": check_rotary_embedding,
    "silu_and_mul": check_gated,
    "gelu_tanh_and_mul": check_gated,
}


# `new_empty` of a shape is contiguous, whatever its input's strides are; so are the kernels' results.


def fake_one(x: Tensor, *_: Any, **__: Any) -> Tensor:
    """One result like the first argument."""
    return x.new_empty(x.shape)


def fake_two(x: Tensor, other: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
    """Two results, like the first two arguments."""
    return x.new_empty(x.shape), other.new_empty(other.shape)


def run_one(fn: Callable[..., None], *args: Any) -> Tensor:
    """Calls a backend that writes one result."""
    out = fake_one(args[0])
    fn(*args, out)
    return out


def run_two(fn: Callable[..., None], *args: Any) -> tuple[Tensor, Tensor]:
    """Calls a backend that writes two results."""
    results = fake_two(*args)
    fn(*args, *results)
    return results


def run_rotary(
    fn: Callable[..., None],
    *args: Tensor,
    query_weight: Tensor | None = None,
    key_weight: Tensor | None = None,
    eps: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Calls a backend of `rotary_embedding`."""
    return run_two(fn, *args, query_weight, key_weight, eps)


FAKES: dict[str, Callable[..., Any]] = {
    "rms_norm": fake_one,
    "add_rms_norm": fake_two,
    "rotary_embedding": fake_two,
    "silu_and_mul": fake_one,
    "gelu_tanh_and_mul": fake_one,
}
RUNNERS: dict[str, Callable[..., Any]] = {
    "rms_norm": run_one,
    "add_rms_norm": run_two,
    "rotary_embedding": run_rotary,
    "silu_and_mul": run_one,
    "gelu_tanh_and_mul": run_one,
}

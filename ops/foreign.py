"""Attention kernels of others as backends of paged_attention on CUDA: who they are, and what none of them can do.

They are asked by name alone, `set_backend("torch-varlen", op="paged_attention")` or TORCHPAGED_BACKEND, and imported at
their first call. `varlen.py` and `flashinfer.py` lay out our arguments for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

# name -> (module, what `torchpaged info --ops` says of it)
BACKENDS: dict[str, tuple[str, str]] = {
    "torch-varlen": (
        "torchpaged.ops.varlen",
        "by name alone: float16 and bfloat16, causal or not, windows; torch 2.13 with FlashAttention 3 or 4 activated",
    ),
    "flashinfer": (
        "torchpaged.ops.flashinfer",
        "by name alone: float16 and bfloat16, causal or not, windows, softcap; head_dim 64, 128, 256; no CUDA graphs",
    ),
}
_ALIGNMENT = 16  # bytes, of what their loads and stores take at once


def launcher(name: str) -> Callable[..., None]:
    """A backend's function, whose module is imported at the first call."""

    def launch(*args: Any, **kwargs: Any) -> None:
        importlib.import_module(BACKENDS[name][0]).paged_attention(*args, **kwargs)

    return launch


def supports(name: str) -> Callable[..., str | None]:
    """A backend's `supports`."""

    def asked(**arguments: Any) -> str | None:
        reason: str | None = importlib.import_module(BACKENDS[name][0]).supports(**arguments)
        return reason

    return asked


def cannot(
    *,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    alibi_slopes: Tensor | None,
    sinks: Tensor | None,
    tree_mask: Tensor | None,
    distance_bias: Tensor | None,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
    out: Tensor | None = None,
    **_: Any,
) -> str | None:
    """The first thing in a call that neither backend can do, in the words of `supports`; None: there is none."""
    optional = {
        "ALiBi": alibi_slopes,
        "sinks": sinks,
        "a tree mask": tree_mask,
        "a bias by distance": distance_bias,
        "a scale of keys": k_scale,
        "a scale of values": v_scale,
    }
    for what, given in optional.items():
        if given is not None:
            return what
    if query.dtype not in (torch.float16, torch.bfloat16):
        return f"queries in {_short(query.dtype)}"
    if key_cache.dtype != query.dtype:
        return f"a cache in {_short(key_cache.dtype)}"
    if value_cache.shape[3] != query.shape[2]:
        return f"head_dim_v {value_cache.shape[3]} beside head_dim {query.shape[2]}"
    named = {"query": query, "key_cache": key_cache, "value_cache": value_cache, "out": out}
    for name, tensor in named.items():
        if tensor is not None and not _aligned(tensor):
            return f"{name} with strides {tensor.stride()}: rows that begin at no multiple of {_ALIGNMENT} bytes"
    return None


def window_left(sliding_window: int) -> int:
    """How many keys before its own position a query sees, as both count it: -1 for all."""
    return sliding_window - 1 if sliding_window > 0 else -1


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _aligned(tensor: Tensor) -> bool:
    steps = [
        stride * tensor.itemsize for stride, size in zip(tensor.stride()[:-1], tensor.shape, strict=False) if size > 1
    ]
    return all(step % _ALIGNMENT == 0 for step in (*steps, tensor.data_ptr()))

"""Other projects' attention kernels as backends of paged_attention on CUDA, and what none of them supports.

They run only where they are asked for by name, `set_backend("torch-varlen", op="paged_attention")` or
TORCHPAGED_BACKEND, and are imported at their first call. `varlen.py` and `flashinfer.py` lay out our arguments for
them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

# name -> (module of this package, summary for `torchpaged info --ops`)
BACKENDS: dict[str, tuple[str, str]] = {
    "torch-varlen": (
        "varlen",
        "by name alone: float16 and bfloat16, causal or not, windows; torch 2.13 with FlashAttention 3 or 4 activated",
    ),
    "flashinfer": (
        "flashinfer",
        "by name alone: float16 and bfloat16, causal or not, windows, softcap; head_dim 64, 128, 256; no CUDA graphs",
    ),
}
_ALIGNMENT = 16  # bytes that their loads and stores move at once

_UNSUPPORTED = {
    "alibi_slopes": "ALiBi",
    "sinks": "sinks",
    "tree_mask": "a tree mask",
    "distance_bias": "a bias by distance",
    "score_mod": "a score_mod",
    "mask_mod": "a mask_mod",
    "k_scale": "a scale of keys",
    "v_scale": "a scale of values",
}


def launcher(name: str) -> Callable[..., None]:
    """Return a backend's function, whose module is imported at the first call."""

    def launch(*args: Any, **kwargs: Any) -> None:
        importlib.import_module(f".{BACKENDS[name][0]}", __package__).paged_attention(*args, **kwargs)

    return launch


def supports(name: str) -> Callable[..., str | None]:
    """Return a backend's `supports`, whose module is imported at the first call."""

    def asked(**arguments: Any) -> str | None:
        reason: str | None = importlib.import_module(f".{BACKENDS[name][0]}", __package__).supports(**arguments)
        return reason

    return asked


def unavailable(name: str) -> str | None:
    """Return why a backend can do no call on this machine, in the words of `supports`, or None."""
    reason: str | None = importlib.import_module(f".{BACKENDS[name][0]}", __package__).unavailable()
    return reason


def cannot(
    *,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    out: Tensor | None = None,
    **options: Any,
) -> str | None:
    """Return the first part of a call that neither backend can do, in the words of `supports`, or None."""
    for name, words in _UNSUPPORTED.items():
        if options[name] is not None:
            return words
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
    """Return the number of keys that a query sees before its own position, as both backends count: -1 for all."""
    return sliding_window - 1 if sliding_window > 0 else -1


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _aligned(tensor: Tensor) -> bool:
    steps = [
        stride * tensor.itemsize for stride, size in zip(tensor.stride()[:-1], tensor.shape, strict=False) if size > 1
    ]
    return all(step % _ALIGNMENT == 0 for step in (*steps, tensor.data_ptr()))

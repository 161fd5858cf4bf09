"""Schema, argument checks and fake of `causal_conv1d`; `library.py` has them in its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    _device,
    _dim,
    _dtype,
    _known,
    _last_contiguous,
    _own_elements,
    _refuse,
    _size,
    _tables,
)

SCHEMAS = {
    "causal_conv1d": "(Tensor x, Tensor weight, Tensor? bias, Tensor(a!)[] caches, Tensor slot_mapping, "
    "Tensor block_tables, Tensor seq_lens, Tensor query_start_loc, *, bool silu=False) -> Tensor",
}


def check_causal_conv1d(
    op: str,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    caches: Sequence[Tensor],
    slot_mapping: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    *,
    silu: bool = False,
) -> None:
    """Of `causal_conv1d`."""
    _dim(op, "x", x, 2, "[num_tokens, channels]")
    _dtype(op, "x", x, *FLOAT_DTYPES)
    _last_contiguous(op, "x", x)
    _dim(op, "weight", weight, 2, "[channels, width]")
    _size(op, "weight", weight, 0, x.shape[1], "channels of x")
    if _known(weight.shape[1]) and weight.shape[1] == 0:
        _refuse(op, "weight", f"has shape {tuple(weight.shape)}", "a width of at least 1")
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None:
            _dtype(op, name, each, x.dtype, torch.float32)
            _device(op, name, each, x.device)
    if bias is not None:
        _dim(op, "bias", bias, 1, "[channels]")
        _size(op, "bias", bias, 0, x.shape[1], "channels of x")
    _rows(op, caches, x)
    _dim(op, "slot_mapping", slot_mapping, 1, "[num_tokens]")
    _dtype(op, "slot_mapping", slot_mapping, torch.int64)
    _device(op, "slot_mapping", slot_mapping, x.device)
    _size(op, "slot_mapping", slot_mapping, 0, x.shape[0], "num_tokens, as in x")
    _tables(op, block_tables, seq_lens, x.device)
    _dim(op, "query_start_loc", query_start_loc, 1, "[num_seqs + 1]")
    _dtype(op, "query_start_loc", query_start_loc, torch.int32)
    _device(op, "query_start_loc", query_start_loc, x.device)
    if _known(seq_lens.shape[0]):
        _size(op, "query_start_loc", query_start_loc, 0, seq_lens.shape[0] + 1, "num_seqs + 1")


def _rows(op: str, caches: Sequence[Tensor], x: Tensor) -> None:
    """The tensors that hold a token's row between them."""
    if not caches:
        _refuse(op, "caches", "is an empty list", "at least one tensor")
    for i, cache in enumerate(caches):
        name = f"caches[{i}]"
        _dim(op, name, cache, 4, "[num_blocks, block_size, num_heads, head_dim]")
        _dtype(op, name, cache, x.dtype)
        _device(op, name, cache, x.device)
        _last_contiguous(op, name, cache)
        _own_elements(op, name, cache)
        _size(op, name, cache, 0, caches[0].shape[0], "num_blocks, as in caches[0]")
        _size(op, name, cache, 1, caches[0].shape[1], "block_size, as in caches[0]")
        if _known(*cache.shape) and 0 in cache.shape:
            _refuse(op, name, f"has an empty dimension, shape {tuple(cache.shape)}", "at least one number a token")
    sizes = [size for cache in caches for size in cache.shape[2:]]
    if _known(*sizes, x.shape[1]):
        room = sum(prod(cache.shape[2:]) for cache in caches)
        if room < x.shape[1]:
            _refuse(op, "caches", f"hold {room} numbers a token", f"at least {x.shape[1]}, the channels of x")


def fake_causal_conv1d(x: Tensor, *_: Any, **__: Any) -> Tensor:
    """x's shape, contiguous."""
    return x.new_empty(x.shape)


def run_causal_conv1d(fn: Callable[..., None], x: Tensor, *args: Any, silu: bool = False) -> Tensor:
    """Calls a backend of `causal_conv1d`."""
    out = fake_causal_conv1d(x)
    fn(x, *args, out, silu=silu)
    return out


CHECKS: dict[str, Callable[..., None]] = {"causal_conv1d": check_causal_conv1d}
FAKES: dict[str, Callable[..., Any]] = {"causal_conv1d": fake_causal_conv1d}
RUNNERS: dict[str, Callable[..., Any]] = {"causal_conv1d": run_causal_conv1d}

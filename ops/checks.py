"""Checks of arguments that several operators share; a family's file has those of its own.

They read shapes, dtypes and devices, never values, so they also run on fake tensors and wait for no device. A symbolic
size is not compared, since a comparison would become a guard. `value_checks.py` reads values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import int4_cache
from torchpaged.utils import environment

FLOAT_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
QUANTISED_DTYPES = (torch.float8_e4m3fn, torch.float8_e5m2, torch.int8)
# Check values on a GPU too, where reading them waits for the device. On the CPU they are always checked.
ENABLED = environment.switch(environment.CHECK)

# Sizes of a tensor, each with what it is; None: any size.
Sizes = Sequence[tuple[Any, str]]


def is_quantised(dtype: torch.dtype) -> bool:
    """Return whether a cache of this dtype holds scaled values."""
    return dtype in QUANTISED_DTYPES or dtype == int4_cache.DTYPE


def refuse(op: str, argument: str, found: str, expected: str) -> None:
    """Raise the ValueError of an argument, in the words that every check uses."""
    raise ValueError(f"{op}: {argument} {found}, expected {expected}")


def is_known(*sizes: Any) -> bool:
    """Return whether no size is symbolic."""
    return all(isinstance(size, int) for size in sizes)


def expect_finite(op: str, name: str, value: Any) -> None:
    """Require a number that is neither NaN nor infinite; None and symbolic ones pass."""
    if isinstance(value, float) and not math.isfinite(value):
        refuse(op, name, "is NaN or infinite", "a finite number, or None")


def expect_dim(op: str, name: str, tensor: Tensor, dim: int, what: str) -> None:
    """Require `dim` dimensions, which `what` names."""
    if tensor.dim() != dim:
        refuse(op, name, f"has {tensor.dim()} dimensions, shape {tuple(tensor.shape)}", f"{dim}: {what}")


def expect_dtype(op: str, name: str, tensor: Tensor, *allowed: torch.dtype) -> None:
    """Require one of some dtypes."""
    if tensor.dtype not in allowed:
        names = " or ".join(str(dtype).removeprefix("torch.") for dtype in allowed)
        refuse(op, name, f"has dtype {str(tensor.dtype).removeprefix('torch.')}", names)


def expect_size(op: str, name: str, tensor: Tensor, axis: int, expected: Any, what: str) -> None:
    """Require a size in one dimension; `what` says what it is."""
    found = tensor.shape[axis]
    if is_known(found, expected) and found != expected:
        refuse(op, name, f"has size {found} in dimension {axis}, shape {tuple(tensor.shape)}", f"{expected} ({what})")


def expect_device(op: str, name: str, tensor: Tensor, device: torch.device) -> None:
    """Require the type of a device."""
    if tensor.device.type != device.type:
        refuse(op, name, f"is on {tensor.device}", f"{device}")


def expect_last_contiguous(op: str, name: str, tensor: Tensor) -> None:
    """Require a stride of 1 in the last dimension."""
    stride, size = tensor.stride(-1), tensor.shape[-1]
    if is_known(stride, size) and size > 1 and stride != 1:
        refuse(op, name, f"has stride {stride} in its last dimension", "1")


def expect_own_elements(op: str, name: str, tensor: Tensor) -> None:
    """Require memory of its own for each element of a written tensor; what `expand` returns shares it."""
    if not is_known(*tensor.shape, *tensor.stride()) or 0 in tensor.shape:
        return
    for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if size > 1 and stride == 0:
            found = f"has stride 0 in dimension {axis}, shape {tuple(tensor.shape)}"
            refuse(op, name, found, "memory of its own for each element, since it is written")


def expect_not_negative(op: str, name: str, value: Any) -> None:
    """Require 0 or more."""
    if isinstance(value, (int, float)) and value < 0:
        refuse(op, name, f"is {value}", "0 or more")


def expect_caches(op: str, key_cache: Tensor, value_cache: Tensor) -> None:
    """Require the key and value cache of one pool."""
    for name, cache in (("key_cache", key_cache), ("value_cache", value_cache)):
        expect_dim(op, name, cache, 4, "[num_blocks, block_size, num_kv_heads, head_dim]")
        expect_dtype(op, name, cache, *FLOAT_DTYPES, *QUANTISED_DTYPES, int4_cache.DTYPE)
        if cache.dtype == int4_cache.DTYPE:
            _expect_groups(op, name, cache)
        expect_last_contiguous(op, name, cache)
        if is_known(*cache.shape[:3]) and 0 in cache.shape[:3]:
            found = f"has an empty dimension, shape {tuple(cache.shape)}"
            refuse(op, name, found, "at least one block, token and head")
    expect_dtype(op, "value_cache", value_cache, key_cache.dtype)
    expect_device(op, "value_cache", value_cache, key_cache.device)
    for axis, what in enumerate(("num_blocks", "block_size", "num_kv_heads")):
        expect_size(op, "value_cache", value_cache, axis, key_cache.shape[axis], f"key_cache's {what}")


def _expect_groups(op: str, name: str, cache: Tensor) -> None:
    """Require whole groups of a 4-bit cache, on a device that has kernels for them."""
    if is_known(cache.shape[3]) and cache.shape[3] % int4_cache.GROUP_BYTES:
        expected = f"a multiple of {int4_cache.GROUP_BYTES}, the bytes of {int4_cache.GROUP} numbers of 4 bits"
        refuse(op, name, f"has size {cache.shape[3]} in dimension 3, dtype uint8", expected)
    if cache.device.type == "cuda":
        refuse(op, name, f"has dtype uint8 on {cache.device}", "another dtype: only a CPU has kernels for 4-bit caches")


def expect_head_dim(op: str, name: str, tensor: Tensor, cache: Tensor, what: str) -> None:
    """Require as many numbers of a head as the cache has."""
    expect_size(op, name, tensor, 2, int4_cache.row_numbers(cache.shape[3], cache.dtype), what)


def expect_cache_dtype(op: str, name: str, tensor: Tensor, cache: Tensor) -> None:
    """Require the cache's dtype of activations, or any float dtype over a quantised cache."""
    expect_dtype(op, name, tensor, *FLOAT_DTYPES)
    if not is_quantised(cache.dtype):
        expect_dtype(op, name, tensor, cache.dtype)


def expect_scale(op: str, name: str, scale: Tensor | None, cache: Tensor) -> None:
    """Require a quantised cache's scale, a scalar or one for each head or row of the cache; None is fine."""
    if scale is None:
        return
    if not is_quantised(cache.dtype):
        found = f"is given with a {str(cache.dtype).removeprefix('torch.')} cache"
        refuse(op, name, found, "None unless the cache is quantised")
    if cache.dtype == int4_cache.DTYPE:
        refuse(op, name, "is given with a uint8 cache", "None: the scales of 4-bit numbers lie in the rows")
    expect_dtype(op, name, scale, torch.float32)
    expect_device(op, name, scale, cache.device)
    if scale.dim() == 1:
        expect_size(op, name, scale, 0, cache.shape[2], "num_kv_heads")
    elif scale.dim() == 3:
        for axis in range(3):
            expect_size(op, name, scale, axis, cache.shape[axis], "[num_blocks, block_size, num_kv_heads]")
    elif scale.dim() != 0:
        shapes = "[], [num_kv_heads] or [num_blocks, block_size, num_kv_heads]"
        refuse(op, name, f"has shape {tuple(scale.shape)}", shapes)


def expect_tables(op: str, block_tables: Tensor, seq_lens: Tensor, device: torch.device) -> None:
    """Require block tables and lengths."""
    expect_dim(op, "block_tables", block_tables, 2, "[num_seqs, max_blocks_per_seq]")
    expect_dim(op, "seq_lens", seq_lens, 1, "[num_seqs]")
    for name, tensor in (("block_tables", block_tables), ("seq_lens", seq_lens)):
        expect_dtype(op, name, tensor, torch.int32)
        expect_device(op, name, tensor, device)
    expect_size(op, "block_tables", block_tables, 0, seq_lens.shape[0], "num_seqs, as in seq_lens")


def expect_query_starts(op: str, query_start_loc: Tensor, seq_lens: Tensor, device: torch.device) -> None:
    """Require the places where sequences begin among the packed tokens."""
    expect_dim(op, "query_start_loc", query_start_loc, 1, "[num_seqs + 1]")
    expect_dtype(op, "query_start_loc", query_start_loc, torch.int32)
    expect_device(op, "query_start_loc", query_start_loc, device)
    if is_known(seq_lens.shape[0]):
        expect_size(op, "query_start_loc", query_start_loc, 0, seq_lens.shape[0] + 1, "num_seqs + 1")


def expect_slots(op: str, slot_mapping: Tensor, num_tokens: Any, device: torch.device, what: str) -> None:
    """Require a slot for each token."""
    expect_dim(op, "slot_mapping", slot_mapping, 1, "[num_tokens]")
    expect_dtype(op, "slot_mapping", slot_mapping, torch.int64)
    expect_device(op, "slot_mapping", slot_mapping, device)
    expect_size(op, "slot_mapping", slot_mapping, 0, num_tokens, what)


def expect_rows(op: str, name: str, tensor: Tensor, sizes: Sizes, device: torch.device, *dtypes: torch.dtype) -> None:
    """Require these sizes, one of some dtypes, and a contiguous last dimension."""
    expect_dim(op, name, tensor, len(sizes), "[" + ", ".join(what.split(",")[0] for _, what in sizes) + "]")
    expect_dtype(op, name, tensor, *dtypes)
    expect_device(op, name, tensor, device)
    for axis, (size, what) in enumerate(sizes):
        if size is not None:
            expect_size(op, name, tensor, axis, size, what)
    expect_last_contiguous(op, name, tensor)


def expect_not_empty(op: str, name: str, tensor: Tensor, axes: range) -> None:
    """Require at least one element along each of some axes."""
    if any(is_known(tensor.shape[axis]) and tensor.shape[axis] == 0 for axis in axes):
        refuse(op, name, f"has an empty dimension, shape {tuple(tensor.shape)}", "at least one of each")


def expect_contiguous(op: str, name: str, tensor: Tensor) -> None:
    """Require contiguous memory."""
    if is_known(*tensor.shape, *tensor.stride()) and not tensor.is_contiguous():
        refuse(op, name, f"has strides {tensor.stride()} for its shape {tuple(tensor.shape)}", "a contiguous tensor")

"""Argument checks of every operator: what a call must look like before a backend sees it.

They read shapes, dtypes and devices, never values, so that they also run on fake tensors and cost no
synchronisation. A size that is symbolic is not compared: a comparison would become a guard.
`value_checks.py` has the checks of values.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import Tensor

FLOAT_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
QUANTISED_DTYPES = (torch.float8_e4m3fn, torch.float8_e5m2, torch.int8)
# On the CPU values are always checked.
ENABLED = os.environ.get("TORCHPAGED_CHECK", "") not in ("", "0")


def is_quantised(dtype: torch.dtype) -> bool:
    """Whether a cache of this dtype holds scaled values."""
    return dtype in QUANTISED_DTYPES


def _refuse(op: str, argument: str, found: str, expected: str) -> None:
    raise ValueError(f"{op}: {argument} {found}, expected {expected}")


def _known(*sizes: Any) -> bool:
    return all(isinstance(size, int) for size in sizes)


def _dim(op: str, name: str, tensor: Tensor, dim: int, what: str) -> None:
    if tensor.dim() != dim:
        _refuse(op, name, f"has {tensor.dim()} dimensions, shape {tuple(tensor.shape)}", f"{dim}: {what}")


def _dtype(op: str, name: str, tensor: Tensor, *allowed: torch.dtype) -> None:
    if tensor.dtype not in allowed:
        names = " or ".join(str(dtype).removeprefix("torch.") for dtype in allowed)
        _refuse(op, name, f"has dtype {str(tensor.dtype).removeprefix('torch.')}", names)


def _size(op: str, name: str, tensor: Tensor, axis: int, expected: Any, what: str) -> None:
    found = tensor.shape[axis]
    if _known(found, expected) and found != expected:
        _refuse(
            op,
            name,
            f"has size {found} in dimension {axis}, shape {tuple(tensor.shape)}",
            f"{expected} ({what})",
        )


def _device(op: str, name: str, tensor: Tensor, device: torch.device) -> None:
    if tensor.device.type != device.type:
        _refuse(op, name, f"is on {tensor.device}", f"{device}")


def _last_contiguous(op: str, name: str, tensor: Tensor) -> None:
    stride, size = tensor.stride(-1), tensor.shape[-1]
    if _known(stride, size) and size > 1 and stride != 1:
        _refuse(op, name, f"has stride {stride} in its last dimension", "1")


def _own_elements(op: str, name: str, tensor: Tensor) -> None:
    """A tensor that is written: what `expand` gives would be written at one place many times."""
    if not _known(*tensor.shape, *tensor.stride()) or 0 in tensor.shape:
        return
    for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if size > 1 and stride == 0:
            found = f"has stride 0 in dimension {axis}, shape {tuple(tensor.shape)}"
            _refuse(op, name, found, "memory of its own for each element, since it is written")


def _not_negative(op: str, name: str, value: Any) -> None:
    if isinstance(value, (int, float)) and value < 0:
        _refuse(op, name, f"is {value}", "0 or more")


def _caches(op: str, key_cache: Tensor, value_cache: Tensor) -> None:
    for name, cache in (("key_cache", key_cache), ("value_cache", value_cache)):
        _dim(op, name, cache, 4, "[num_blocks, block_size, num_kv_heads, head_dim]")
        _dtype(op, name, cache, *FLOAT_DTYPES, *QUANTISED_DTYPES)
        _last_contiguous(op, name, cache)
        if _known(*cache.shape[:3]) and 0 in cache.shape[:3]:
            _refuse(
                op,
                name,
                f"has an empty dimension, shape {tuple(cache.shape)}",
                "at least one block, token and head",
            )
    _dtype(op, "value_cache", value_cache, key_cache.dtype)
    _device(op, "value_cache", value_cache, key_cache.device)
    for axis, what in (
        (0, "key_cache's num_blocks"),
        (1, "key_cache's block_size"),
        (2, "key_cache's num_kv_heads"),
    ):
        _size(op, "value_cache", value_cache, axis, key_cache.shape[axis], what)


def _cache_dtype(op: str, name: str, tensor: Tensor, cache: Tensor) -> None:
    """Activations have the cache's dtype, or any float dtype over a quantised cache."""
    _dtype(op, name, tensor, *FLOAT_DTYPES)
    if not is_quantised(cache.dtype):
        _dtype(op, name, tensor, cache.dtype)


def _scale(op: str, name: str, scale: Tensor | None, cache: Tensor) -> None:
    if scale is None:
        return
    if not is_quantised(cache.dtype):
        _refuse(
            op,
            name,
            f"is given with a {str(cache.dtype).removeprefix('torch.')} cache",
            "None unless the cache is quantised",
        )
    _dtype(op, name, scale, torch.float32)
    _device(op, name, scale, cache.device)
    if scale.dim() == 1:
        _size(op, name, scale, 0, cache.shape[2], "num_kv_heads")
    elif scale.dim() == 3:
        for axis in range(3):
            _size(op, name, scale, axis, cache.shape[axis], "[num_blocks, block_size, num_kv_heads]")
    elif scale.dim() != 0:
        _refuse(
            op,
            name,
            f"has shape {tuple(scale.shape)}",
            "[], [num_kv_heads] or [num_blocks, block_size, num_kv_heads]",
        )


def _tables(op: str, block_tables: Tensor, seq_lens: Tensor, device: torch.device) -> None:
    _dim(op, "block_tables", block_tables, 2, "[num_seqs, max_blocks_per_seq]")
    _dim(op, "seq_lens", seq_lens, 1, "[num_seqs]")
    for name, tensor in (("block_tables", block_tables), ("seq_lens", seq_lens)):
        _dtype(op, name, tensor, torch.int32)
        _device(op, name, tensor, device)
    _size(op, "block_tables", block_tables, 0, seq_lens.shape[0], "num_seqs, as in seq_lens")


def paged_attention(
    op: str,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    *,
    sliding_window: Any = 0,
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    tree_mask: Tensor | None = None,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
    max_query_len: Any = 0,
    num_splits: Any = 0,
    distance_bias: Tensor | None = None,
    out: Tensor | None = None,
    **_: Any,
) -> None:
    """`paged_attention`, `.out` and `_with_lse`."""
    _caches(op, key_cache, value_cache)
    _dim(op, "query", query, 3, "[num_tokens, num_heads, head_dim]")
    _cache_dtype(op, "query", query, key_cache)
    _last_contiguous(op, "query", query)
    _device(op, "key_cache", key_cache, query.device)
    _size(op, "query", query, 2, key_cache.shape[3], "head_dim of key_cache")
    heads, kv_heads = query.shape[1], key_cache.shape[2]
    if _known(heads, kv_heads) and (heads == 0 or heads % kv_heads):
        _refuse(op, "query", f"has {heads} heads", f"a multiple of the cache's {kv_heads} KV heads")
    _tables(op, block_tables, seq_lens, query.device)
    _dim(op, "query_start_loc", query_start_loc, 1, "[num_seqs + 1]")
    _dtype(op, "query_start_loc", query_start_loc, torch.int32)
    _device(op, "query_start_loc", query_start_loc, query.device)
    if _known(seq_lens.shape[0]):
        _size(op, "query_start_loc", query_start_loc, 0, seq_lens.shape[0] + 1, "num_seqs + 1")
    _not_negative(op, "sliding_window", sliding_window)
    _not_negative(op, "softcap", softcap)
    _not_negative(op, "max_query_len", max_query_len)
    _not_negative(op, "num_splits", num_splits)
    for name, per_head in (("alibi_slopes", alibi_slopes), ("sinks", sinks)):
        if per_head is not None:
            _dim(op, name, per_head, 1, "[num_heads]")
            _size(op, name, per_head, 0, heads, "num_heads")
            _device(op, name, per_head, query.device)
    if alibi_slopes is not None:
        _dtype(op, "alibi_slopes", alibi_slopes, torch.float32)
    if distance_bias is not None:
        _dim(op, "distance_bias", distance_bias, 2, "[num_heads, num_distances]")
        _size(op, "distance_bias", distance_bias, 0, heads, "num_heads")
        if _known(distance_bias.shape[1]) and not distance_bias.shape[1]:
            _refuse(op, "distance_bias", "has 0 distances", "1 or more")
        _dtype(op, "distance_bias", distance_bias, torch.float32)
        _device(op, "distance_bias", distance_bias, query.device)
        _last_contiguous(op, "distance_bias", distance_bias)
    if sinks is not None:
        _dtype(op, "sinks", sinks, torch.float32, query.dtype)
    if tree_mask is not None:
        _dim(op, "tree_mask", tree_mask, 2, "[num_tokens, max_query_len]")
        _dtype(op, "tree_mask", tree_mask, torch.bool)
        _size(op, "tree_mask", tree_mask, 0, query.shape[0], "num_tokens")
        _device(op, "tree_mask", tree_mask, query.device)
    _scale(op, "k_scale", k_scale, key_cache)
    _scale(op, "v_scale", v_scale, value_cache)
    if out is not None:
        _dim(op, "out", out, 3, "[num_tokens, num_heads, head_dim_v]")
        _dtype(op, "out", out, query.dtype)
        _device(op, "out", out, query.device)
        _last_contiguous(op, "out", out)
        _own_elements(op, "out", out)
        for axis, (size, what) in enumerate(
            ((query.shape[0], "num_tokens"), (heads, "num_heads"), (value_cache.shape[3], "head_dim_v"))
        ):
            _size(op, "out", out, axis, size, what)


def merge_attention_states(op: str, out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor) -> None:
    """Two partial results over the same queries."""
    for name, out in (("out_a", out_a), ("out_b", out_b)):
        _dim(op, name, out, 3, "[num_tokens, num_heads, head_dim_v]")
        _dtype(op, name, out, *FLOAT_DTYPES)
        _device(op, name, out, out_a.device)
        _last_contiguous(op, name, out)
    _dtype(op, "out_b", out_b, out_a.dtype)
    for axis in range(3):
        _size(op, "out_b", out_b, axis, out_a.shape[axis], "as in out_a")
    for name, lse in (("lse_a", lse_a), ("lse_b", lse_b)):
        _dim(op, name, lse, 2, "[num_tokens, num_heads]")
        _dtype(op, name, lse, torch.float32)
        _device(op, name, lse, out_a.device)
        for axis in range(2):
            _size(op, name, lse, axis, out_a.shape[axis], "as in out_a")


def write_kv_cache(
    op: str,
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
    k_scale_cache: Tensor | None = None,
    v_scale_cache: Tensor | None = None,
) -> None:
    """New keys and values into the slots of a paged cache."""
    _caches(op, key_cache, value_cache)
    _own_elements(op, "key_cache", key_cache)
    _own_elements(op, "value_cache", value_cache)
    for name, tensor, cache in (("key", key, key_cache), ("value", value, value_cache)):
        _dim(op, name, tensor, 3, "[num_tokens, num_kv_heads, head_dim]")
        _cache_dtype(op, name, tensor, cache)
        _last_contiguous(op, name, tensor)
        _device(op, name, tensor, cache.device)
        _size(op, name, tensor, 1, cache.shape[2], "num_kv_heads of the cache")
        _size(op, name, tensor, 2, cache.shape[3], "head_dim of the cache")
    _dtype(op, "value", value, key.dtype)
    _size(op, "value", value, 0, key.shape[0], "num_tokens, as in key")
    _dim(op, "slot_mapping", slot_mapping, 1, "[num_tokens]")
    _dtype(op, "slot_mapping", slot_mapping, torch.int64)
    _device(op, "slot_mapping", slot_mapping, key_cache.device)
    _size(op, "slot_mapping", slot_mapping, 0, key.shape[0], "num_tokens, as in key")
    for name, scale, cache_name, scale_cache, cache in (
        ("k_scale", k_scale, "k_scale_cache", k_scale_cache, key_cache),
        ("v_scale", v_scale, "v_scale_cache", v_scale_cache, value_cache),
    ):
        _scale(op, name, scale, cache)
        _scale(op, cache_name, scale_cache, cache)
        if scale is not None and scale.dim() == 3:
            _refuse(
                op,
                name,
                f"has shape {tuple(scale.shape)}",
                f"[] or [num_kv_heads]; {cache_name} receives scales per token",
            )
        if scale_cache is not None and scale_cache.dim() != 3:
            _refuse(
                op,
                cache_name,
                f"has shape {tuple(scale_cache.shape)}",
                "[num_blocks, block_size, num_kv_heads]",
            )
        if scale_cache is not None:
            _own_elements(op, cache_name, scale_cache)
        if scale is not None and scale_cache is not None:
            _refuse(op, name, f"is given together with {cache_name}", "one of the two")


def gather_kv_cache(
    op: str,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    max_tokens: Any,
    *,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
) -> None:
    """A paged cache as contiguous keys and values."""
    _caches(op, key_cache, value_cache)
    _tables(op, block_tables, seq_lens, key_cache.device)
    _not_negative(op, "max_tokens", max_tokens)
    _scale(op, "k_scale", k_scale, key_cache)
    _scale(op, "v_scale", v_scale, value_cache)


def copy_blocks(op: str, caches: list[Tensor], block_mapping: Tensor) -> None:
    """Copies inside each of several pools."""
    _mapping(op, block_mapping)
    if not caches:
        _refuse(op, "caches", "is an empty list", "at least one tensor")
    for i, cache in enumerate(caches):
        if cache.dim() < 1:
            _refuse(op, f"caches[{i}]", "has no dimension", "[num_blocks, ...]")
        _device(op, f"caches[{i}]", cache, caches[0].device)
        _own_elements(op, f"caches[{i}]", cache)
        _size(op, f"caches[{i}]", cache, 0, caches[0].shape[0], "num_blocks, as in caches[0]")


def swap_blocks(op: str, src: Tensor, dst: Tensor, block_mapping: Tensor, *, non_blocking: bool = False) -> None:
    """Copies from one pool to another, possibly on another device."""
    _mapping(op, block_mapping)
    for name, tensor in (("src", src), ("dst", dst)):
        if tensor.dim() < 1:
            _refuse(op, name, "has no dimension", "[num_blocks, ...]")
    _own_elements(op, "dst", dst)
    _dtype(op, "dst", dst, src.dtype)
    if src.dim() != dst.dim() or (_known(*src.shape[1:], *dst.shape[1:]) and src.shape[1:] != dst.shape[1:]):
        _refuse(op, "dst", f"has blocks of shape {tuple(dst.shape[1:])}", f"{tuple(src.shape[1:])}, as in src")


def sample_tokens(
    op: str,
    logits: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    min_p: Tensor,
    seeds: Tensor,
    positions: Tensor,
) -> None:
    """One token of each row of logits."""
    _dim(op, "logits", logits, 2, "[num_rows, vocab_size]")
    _dtype(op, "logits", logits, *FLOAT_DTYPES)
    _last_contiguous(op, "logits", logits)
    if _known(logits.shape[1]) and logits.shape[1] == 0:
        _refuse(op, "logits", f"has an empty vocabulary, shape {tuple(logits.shape)}", "at least one token")
    for name, tensor, dtype in (
        ("temperature", temperature, torch.float32),
        ("top_k", top_k, torch.int32),
        ("top_p", top_p, torch.float32),
        ("min_p", min_p, torch.float32),
        ("seeds", seeds, torch.int64),
        ("positions", positions, torch.int64),
    ):
        _dim(op, name, tensor, 1, "[num_rows]")
        _dtype(op, name, tensor, dtype)
        _size(op, name, tensor, 0, logits.shape[0], "num_rows of logits")
        _last_contiguous(op, name, tensor)
        _device(op, name, tensor, logits.device)


def _mapping(op: str, block_mapping: Tensor) -> None:
    _dim(op, "block_mapping", block_mapping, 2, "[num_pairs, 2]")
    _size(op, "block_mapping", block_mapping, 1, 2, "(source, destination)")
    _dtype(op, "block_mapping", block_mapping, torch.int64)

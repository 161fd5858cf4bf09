"""Operators on paged caches: writes, gathers, and copies of whole blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import docs, int4_cache, reference, value_checks
from torchpaged.ops.checks import (
    expect_cache_dtype,
    expect_caches,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_head_dim,
    expect_last_contiguous,
    expect_not_negative,
    expect_own_elements,
    expect_scale,
    expect_size,
    expect_slots,
    expect_tables,
    is_known,
    is_quantised,
    refuse,
)
from torchpaged.ops.operator import CastRule, Function, Layout, Operator, Specs, cut_heads, no_result

_SCALES = "Tensor? k_scale=None, Tensor? v_scale=None"
_MAPPING = "    block_mapping: [num_pairs, 2] int64, (source, destination)."
_TRAIN_WITH = "torch.nn.functional.scaled_dot_product_attention without a cache"
_VMAP_WITH = "give all pairs in one block_mapping"


def _check_write(
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
    expect_caches(op, key_cache, value_cache)
    expect_own_elements(op, "key_cache", key_cache)
    expect_own_elements(op, "value_cache", value_cache)
    for name, tensor, cache in (("key", key, key_cache), ("value", value, value_cache)):
        expect_dim(op, name, tensor, 3, "[num_tokens, num_kv_heads, head_dim]")
        expect_cache_dtype(op, name, tensor, cache)
        expect_last_contiguous(op, name, tensor)
        expect_device(op, name, tensor, cache.device)
        expect_size(op, name, tensor, 1, cache.shape[2], "num_kv_heads of the cache")
        expect_head_dim(op, name, tensor, cache, "head_dim of the cache")
    expect_dtype(op, "value", value, key.dtype)
    expect_size(op, "value", value, 0, key.shape[0], "num_tokens, as in key")
    expect_slots(op, slot_mapping, key.shape[0], key_cache.device, "num_tokens, as in key")
    _check_written_scale(op, "k_scale", k_scale, k_scale_cache, key_cache)
    _check_written_scale(op, "v_scale", v_scale, v_scale_cache, value_cache)


def _check_written_scale(op: str, name: str, scale: Tensor | None, scale_cache: Tensor | None, cache: Tensor) -> None:
    expect_scale(op, name, scale, cache)
    expect_scale(op, f"{name}_cache", scale_cache, cache)
    if scale is not None and scale.dim() == 3:
        expected = f"[] or [num_kv_heads]; {name}_cache receives scales per token"
        refuse(op, name, f"has shape {tuple(scale.shape)}", expected)
    if scale_cache is not None:
        if scale_cache.dim() != 3:
            shape = tuple(scale_cache.shape)
            refuse(op, f"{name}_cache", f"has shape {shape}", "[num_blocks, block_size, num_kv_heads]")
        expect_own_elements(op, f"{name}_cache", scale_cache)
        if scale is not None:
            refuse(op, name, f"is given together with {name}_cache", "one of the two")


def _check_write_values(op: str, arguments: Mapping[str, Any]) -> None:
    value_checks.require_slots(op, arguments["slot_mapping"], arguments["key_cache"])


_WRITE = Operator(
    overload="write_kv_cache",
    schema="(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slot_mapping, *, "
    f"{_SCALES}, Tensor(c!)? k_scale_cache=None, Tensor(d!)? v_scale_cache=None) -> ()",
    doc=f"""
Writes new keys and values into their slots, quantised if the cache is. Nothing but the caches is written.

Args:
    key: [num_tokens, num_kv_heads, head_dim], the cache's dtype, or any of
        {docs.FLOATS} for a quantised cache; any strides with the last dimension contiguous.
        torch.autocast casts it to the cache's dtype.
    value: [num_tokens, num_kv_heads, head_dim_v], as key.
    key_cache: {docs.cache("head_dim", "as of `paged_attention`")}: written.
    value_cache: {docs.cache("head_dim_v", "key_cache's dtype")}: written.
{docs.SLOTS}
    k_scale, v_scale: [] or [num_kv_heads] float32, divisors of the numbers before they are rounded; None for 1.
    k_scale_cache, v_scale_cache: [num_blocks, block_size, num_kv_heads] float32: written, a scale for each token and
        head; instead of k_scale and v_scale.

Returns:
    Nothing.""",
    check=_check_write,
    check_values=_check_write_values,
    fake=no_result,
    reference=reference.write_kv_cache,
    triton=True,
    cast=CastRule(("key", "value"), "key_cache"),
    train_with=_TRAIN_WITH,
    vmap_with="pack the tokens of all sequences and their slots into one call",
    layouts=cut_heads(),
)


def _check_gather(
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
    expect_caches(op, key_cache, value_cache)
    expect_tables(op, block_tables, seq_lens, key_cache.device)
    expect_not_negative(op, "max_tokens", max_tokens)
    expect_scale(op, "k_scale", k_scale, key_cache)
    expect_scale(op, "v_scale", v_scale, value_cache)


def _check_gather_values(op: str, arguments: Mapping[str, Any]) -> None:
    tables = value_checks.Tables(op, arguments, arguments["key_cache"])
    for i, length in enumerate(tables.lens):
        tables.require(i, 0, min(length, arguments["max_tokens"]))


def _fake_gather(
    key_cache: Tensor, value_cache: Tensor, block_tables: Tensor, seq_lens: Tensor, max_tokens: int, **_: Any
) -> tuple[Tensor, Tensor]:
    def output(cache: Tensor) -> Tensor:
        dtype = torch.float32 if is_quantised(cache.dtype) else cache.dtype
        shape = (seq_lens.shape[0], max_tokens, cache.shape[2], int4_cache.row_numbers(cache.shape[3], cache.dtype))
        return cache.new_empty(shape, dtype=dtype)

    return output(key_cache), output(value_cache)


def _launch_gather(fn: Function, *args: Any, **scales: Tensor | None) -> tuple[Tensor, Tensor]:
    key, value = _fake_gather(*args)
    fn(*args[:-1], key, value, **scales)  # max_tokens is the results' size
    return key, value


_GATHER = Operator(
    overload="gather_kv_cache",
    schema="(Tensor key_cache, Tensor value_cache, Tensor block_tables, Tensor seq_lens, SymInt max_tokens, *, "
    f"{_SCALES}) -> (Tensor key, Tensor value)",
    doc=f"""
A paged cache as contiguous keys and values, dequantised.

Args:
    key_cache: {docs.cache("head_dim", "as of `paged_attention`")}.
    value_cache: {docs.cache("head_dim_v", "key_cache's dtype")}.
{docs.tables()}
    max_tokens: rows of the result; longer sequences are cut.
{docs.SCALES}

Returns:
    (key [num_seqs, max_tokens, num_kv_heads, head_dim], value likewise with head_dim_v) of the cache's dtype, or of
    float32 for a quantised cache; rows beyond a sequence's length are 0.""",
    check=_check_gather,
    check_values=_check_gather_values,
    fake=_fake_gather,
    launch=_launch_gather,
    reference=reference.gather_kv_cache,
    triton=True,
    train_with=_TRAIN_WITH,
    vmap_with="give the block tables of all sequences in one call",
    layouts=cut_heads(2, 2),
)


def _check_mapping(op: str, block_mapping: Tensor) -> None:
    expect_dim(op, "block_mapping", block_mapping, 2, "[num_pairs, 2]")
    expect_size(op, "block_mapping", block_mapping, 1, 2, "(source, destination)")
    expect_dtype(op, "block_mapping", block_mapping, torch.int64)


def _check_copy(op: str, caches: list[Tensor], block_mapping: Tensor) -> None:
    _check_mapping(op, block_mapping)
    if not caches:
        refuse(op, "caches", "is an empty list", "at least one tensor")
    for i, cache in enumerate(caches):
        if cache.dim() < 1:
            refuse(op, f"caches[{i}]", "has no dimension", "[num_blocks, ...]")
        expect_device(op, f"caches[{i}]", cache, caches[0].device)
        expect_own_elements(op, f"caches[{i}]", cache)
        expect_size(op, f"caches[{i}]", cache, 0, caches[0].shape[0], "num_blocks, as in caches[0]")


def _check_swap(op: str, src: Tensor, dst: Tensor, block_mapping: Tensor, *, non_blocking: bool = False) -> None:
    _check_mapping(op, block_mapping)
    for name, tensor in (("src", src), ("dst", dst)):
        if tensor.dim() < 1:
            refuse(op, name, "has no dimension", "[num_blocks, ...]")
    expect_own_elements(op, "dst", dst)
    expect_dtype(op, "dst", dst, src.dtype)
    if src.dim() != dst.dim() or (is_known(*src.shape[1:], *dst.shape[1:]) and src.shape[1:] != dst.shape[1:]):
        refuse(op, "dst", f"has blocks of shape {tuple(dst.shape[1:])}", f"{tuple(src.shape[1:])}, as in src")


def _cut_blocks(specs: Specs) -> list[Layout]:
    """Cut both pools by any axis but that of blocks."""
    return [Layout((), {"src": axis, "dst": axis}) for axis in range(1, specs["src"].ndim)]


OPERATORS = (
    _WRITE,
    _GATHER,
    Operator(
        overload="copy_blocks",
        schema="(Tensor(a!)[] caches, Tensor block_mapping) -> ()",
        doc=f"""
Copies whole blocks inside each of several caches: all sources are read before any destination is written.

Args:
    caches: [num_blocks, ...] each, any dtype, on one device: written.
{_MAPPING}

Returns:
    Nothing.""",
        check=_check_copy,
        fake=no_result,
        reference=reference.copy_blocks,
        triton=True,
        train_with=_TRAIN_WITH,
        vmap_with=_VMAP_WITH,
        unsharded=docs.TAKES_A_LIST,
    ),
    Operator(
        overload="swap_blocks",
        schema="(Tensor src, Tensor(a!) dst, Tensor block_mapping, *, bool non_blocking=False) -> ()",
        doc=f"""
Copies whole blocks from one pool to another, which may be on another device.

Args:
    src: [num_blocks, ...], any dtype.
    dst: [num_blocks, ...], src's dtype and shape of a block: written.
{_MAPPING}
    non_blocking: a copy to pinned host memory may arrive after the call, in the order of the stream.

Returns:
    Nothing.""",
        check=_check_swap,
        fake=no_result,
        reference=reference.swap_blocks,
        triton=True,
        train_with=_TRAIN_WITH,
        vmap_with=_VMAP_WITH,
        layouts=_cut_blocks,
    ),
)

"""Attention over paged caches: `paged_attention` with its overloads, and `merge_attention_states`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor

from torchpaged.ops import batching, docs, int4_cache, reference, score_mods, value_checks
from torchpaged.ops.attention_options import AttentionOptions
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_cache_dtype,
    expect_caches,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_finite,
    expect_head_dim,
    expect_last_contiguous,
    expect_not_negative,
    expect_own_elements,
    expect_query_starts,
    expect_scale,
    expect_size,
    expect_tables,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Function, Operator, cut_heads, like_first_two, no_result

# Parts of the schema and of the docstring that `paged_sparse_attention` shares.
TENSORS = (
    "Tensor query, Tensor key_cache, Tensor value_cache, Tensor block_tables, Tensor seq_lens, Tensor query_start_loc"
)
OPTIONS = (
    "float? scale=None, bool causal=True, SymInt sliding_window=0, float softcap=0.0, "
    "Tensor? alibi_slopes=None, Tensor? sinks=None, Tensor? tree_mask=None, Tensor? k_scale=None, "
    "Tensor? v_scale=None, SymInt max_query_len=0, SymInt num_splits=0, Tensor? distance_bias=None, "
    "str? score_mod=None, str? mask_mod=None"
)
_ARGUMENTS = f"{TENSORS}, *, {OPTIONS}"
TENSORS_DOC = f"""\
    query: [num_tokens, num_heads, head_dim], all sequences packed; the cache's dtype, or any of
        {docs.FLOATS} over a quantised cache; any strides with the last dimension contiguous.
        torch.autocast casts it to the cache's dtype.
    key_cache: {docs.cache("head_dim", docs.FLOATS + ", float8_e4m3fn, float8_e5m2 or int8")};
        on a CPU also uint8, 18 bytes for each 32 numbers of 4 bits.
    value_cache: {docs.cache("head_dim_v", "key_cache's dtype")}; it may lie in key_cache.
{docs.tables(", this step's included")}
{docs.starts("query")}"""
OPTIONS_DOC = f"""\
    scale: of the scores; None for head_dim ** -0.5.
    causal: False: a query sees all of its sequence, which may be shorter than the queries, as in cross-attention.
    sliding_window: tokens that a query sees, itself included; 0 for all.
    softcap: scores become softcap * tanh(score / softcap); 0 for none.
    alibi_slopes: [num_heads] float32; a score gains slope * (key's position - query's).
    sinks: [num_heads], query's dtype or float32: one more logit of each head, without a value.
    tree_mask: [num_tokens, max_query_len] bool, which of this step's tokens of its sequence each token sees.
{docs.SCALES}
    max_query_len: the longest query, a hint; 0 for unknown. A wrong one may cost time, but changes no result.
    num_splits: parts to cut a long sequence into, a hint; 0 to choose by its length.
    distance_bias: [num_heads, num_distances] float32; a score gains the head's bias at the distance of the key before
        the query: 0 for itself and for keys behind it, num_distances - 1 for that distance and all further ones (T5's).
{docs.MODS}
"""
_DOC = f"""
Attention of each sequence's last tokens over its blocks: decode, prefill, chunks and mixes are one call.

Query i of a sequence is at position seq_len - query_len + i and sees keys up to its own position. A score is computed
in this order: scale * q.k, softcap, ALiBi, biases, score_mod, masks; then the softmax, with a head's sink as one more
logit.
Numbers in a block beyond seq_len never reach a result; tokens beyond query_start_loc[-1] get 0. On a GPU no value is
read on the host.

Args:
{TENSORS_DOC}
{OPTIONS_DOC}"""


def check(
    op: str,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    *,
    out: Tensor | None = None,
    **options: Any,
) -> None:
    """Check the arguments of every overload."""
    expect_caches(op, key_cache, value_cache)
    expect_dim(op, "query", query, 3, "[num_tokens, num_heads, head_dim]")
    expect_cache_dtype(op, "query", query, key_cache)
    expect_last_contiguous(op, "query", query)
    expect_device(op, "key_cache", key_cache, query.device)
    expect_head_dim(op, "query", query, key_cache, "head_dim of key_cache")
    heads, kv_heads = query.shape[1], key_cache.shape[2]
    if is_known(heads, kv_heads) and (heads == 0 or heads % kv_heads):
        refuse(op, "query", f"has {heads} heads", f"a multiple of the cache's {kv_heads} KV heads")
    expect_tables(op, block_tables, seq_lens, query.device)
    expect_query_starts(op, query_start_loc, seq_lens, query.device)
    for name in ("sliding_window", "softcap", "max_query_len", "num_splits"):
        expect_not_negative(op, name, options.get(name))
    for name in ("scale", "softcap"):
        expect_finite(op, name, options.get(name))
    _check_head_options(op, query, options)
    score_mods.check(op, options)
    if (tree_mask := options.get("tree_mask")) is not None:
        expect_dim(op, "tree_mask", tree_mask, 2, "[num_tokens, max_query_len]")
        expect_dtype(op, "tree_mask", tree_mask, torch.bool)
        expect_size(op, "tree_mask", tree_mask, 0, query.shape[0], "num_tokens")
        expect_device(op, "tree_mask", tree_mask, query.device)
    expect_scale(op, "k_scale", options.get("k_scale"), key_cache)
    expect_scale(op, "v_scale", options.get("v_scale"), value_cache)
    if out is not None:
        expect_dim(op, "out", out, 3, "[num_tokens, num_heads, head_dim_v]")
        expect_dtype(op, "out", out, query.dtype)
        expect_device(op, "out", out, query.device)
        expect_last_contiguous(op, "out", out)
        expect_own_elements(op, "out", out)
        sizes = ((query.shape[0], "num_tokens"), (heads, "num_heads"), (_head_dim_v(value_cache), "head_dim_v"))
        for axis, (size, what) in enumerate(sizes):
            expect_size(op, "out", out, axis, size, what)


def _check_head_options(op: str, query: Tensor, options: Mapping[str, Any]) -> None:
    """Check the options that have numbers for each head."""
    for name, shape, *dtypes in (
        ("alibi_slopes", "[num_heads]", torch.float32),
        ("distance_bias", "[num_heads, num_distances]", torch.float32),
        ("sinks", "[num_heads]", torch.float32, query.dtype),
    ):
        if (tensor := options.get(name)) is not None:
            expect_dim(op, name, tensor, shape.count(",") + 1, shape)
            expect_size(op, name, tensor, 0, query.shape[1], "num_heads")
            expect_device(op, name, tensor, query.device)
            expect_dtype(op, name, tensor, *dtypes)
    if (distance_bias := options.get("distance_bias")) is not None:
        if is_known(distance_bias.shape[1]) and not distance_bias.shape[1]:
            refuse(op, "distance_bias", "has 0 distances", "1 or more")
        expect_last_contiguous(op, "distance_bias", distance_bias)


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    tables, window = value_checks.Tables(op, arguments, arguments["key_cache"]), arguments["sliding_window"]
    for i, rows in enumerate(value_checks.row_counts(op, arguments, arguments["query"].shape[0])):
        length = tables.lens[i]
        if rows > 0 and length:
            tables.require(i, max(0, length - rows - window + 1) if window else 0, length)


def fake(query: Tensor, key_cache: Tensor, value_cache: Tensor, *_: Any, **__: Any) -> Tensor:
    """Return a result."""
    return query.new_empty((query.shape[0], query.shape[1], _head_dim_v(value_cache)))


def _head_dim_v(value_cache: Tensor) -> Any:
    return int4_cache.row_numbers(value_cache.shape[3], value_cache.dtype)


def fake_with_lse(query: Tensor, *args: Any, **__: Any) -> tuple[Tensor, Tensor]:
    """Return a result and its lse."""
    return fake(query, *args), query.new_empty((query.shape[0], query.shape[1]), dtype=torch.float32)


def resolve(query: Tensor, options: Mapping[str, Any]) -> AttentionOptions:
    """Return the options that backends get: all of them, and a scale that is a number."""
    scale = query.shape[-1] ** -0.5 if options["scale"] is None else options["scale"]
    return cast(AttentionOptions, {**options, "scale": scale})


def _launch(fn: Function, query: Tensor, *args: Tensor, **options: Any) -> Tensor:
    out = fake(query, *args)
    fn(query, *args, out, None, **resolve(query, options))
    return out


def _launch_out(fn: Function, query: Tensor, *args: Tensor, out: Tensor, **options: Any) -> None:
    fn(query, *args, out, None, **resolve(query, options))


def _launch_with_lse(fn: Function, query: Tensor, *args: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    out, lse = fake_with_lse(query, *args)
    fn(query, *args, out, lse, **resolve(query, options))
    return out, lse


def _flops(
    query: tuple[int, ...],
    key_cache: tuple[int, ...],
    value_cache: tuple[int, ...],
    block_tables: tuple[int, ...],
    *_: Any,
    causal: bool = True,
    sliding_window: int = 0,
    **__: Any,
) -> int:
    """Count a multiplication and an addition for each number of each key and value that a query may see.

    Lengths are on the device, so each token counts as if it saw all that its block table has room for, or its window.
    """
    keys = block_tables[1] * key_cache[1]
    if causal and sliding_window:
        keys = min(keys, sliding_window)
    return 2 * query[0] * query[1] * keys * (key_cache[3] + value_cache[3])


_PAGED_ATTENTION = Operator(
    overload="paged_attention",
    schema=f"({_ARGUMENTS}) -> Tensor",
    doc=f"{_DOC}\nReturns:\n    [num_tokens, num_heads, head_dim_v], query's dtype.",
    check=check,
    check_values=_check_values,
    fake=fake,
    launch=_launch,
    reference=reference.paged_attention,
    triton=True,
    cast=CastRule(("query",), "key_cache", ("sinks",)),
    train_with="torch.nn.functional.scaled_dot_product_attention",
    vmap_with=docs.VMAP_PACKED,
    fold=batching.FOLD_PAGED,
    flops=_flops,
    layouts=cut_heads(1),
)


def _check_merge(op: str, out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor) -> None:
    for name, out in (("out_a", out_a), ("out_b", out_b)):
        expect_dim(op, name, out, 3, "[num_tokens, num_heads, head_dim_v]")
        expect_dtype(op, name, out, *FLOAT_DTYPES)
        expect_device(op, name, out, out_a.device)
        expect_last_contiguous(op, name, out)
    expect_dtype(op, "out_b", out_b, out_a.dtype)
    for axis in range(3):
        expect_size(op, "out_b", out_b, axis, out_a.shape[axis], "as in out_a")
    for name, lse in (("lse_a", lse_a), ("lse_b", lse_b)):
        expect_dim(op, name, lse, 2, "[num_tokens, num_heads]")
        expect_dtype(op, name, lse, torch.float32)
        expect_device(op, name, lse, out_a.device)
        for axis in range(2):
            expect_size(op, name, lse, axis, out_a.shape[axis], "as in out_a")


OPERATORS = (
    _PAGED_ATTENTION,
    dataclasses.replace(
        _PAGED_ATTENTION,
        overload="paged_attention.out",
        schema=f"({_ARGUMENTS}, Tensor(a!) out) -> ()",
        doc=f"""{_DOC}\
    out: [num_tokens, num_heads, head_dim_v], query's dtype, the last dimension contiguous: written.

Returns:
    Nothing.""",
        fake=no_result,
        launch=_launch_out,
        fold=None,
        layouts=None,
        unsharded="writes to `out` and returns nothing, a kind that DTensor does not have: call paged_attention",
    ),
    dataclasses.replace(
        _PAGED_ATTENTION,
        overload="paged_attention_with_lse",
        schema=f"({_ARGUMENTS}) -> (Tensor out, Tensor lse)",
        doc=f"""{_DOC}
Returns:
    (out [num_tokens, num_heads, head_dim_v] of query's dtype,
    lse [num_tokens, num_heads] float32: the natural logarithm of the softmax's sum, sinks included).""",
        fake=fake_with_lse,
        launch=_launch_with_lse,
        layouts=cut_heads(1, 1),
    ),
    Operator(
        overload="merge_attention_states",
        schema="(Tensor out_a, Tensor lse_a, Tensor out_b, Tensor lse_b) -> (Tensor out, Tensor lse)",
        doc=f"""
Attention over two disjoint sets of keys, from the results over each: parts of a context that were computed apart.

Args:
    out_a, out_b: [num_tokens, num_heads, head_dim_v], {docs.FLOATS}, both the same; the last
        dimension contiguous.
    lse_a, lse_b: [num_tokens, num_heads] float32, as `paged_attention_with_lse` returns them.

Returns:
    (out as out_a, lse as lse_a).""",
        check=_check_merge,
        fake=like_first_two,
        reference=reference.merge_attention_states,
        triton=True,
        cast=CastRule(("out_a", "out_b")),
        train_with="torch.nn.functional.scaled_dot_product_attention over all keys",
        vmap_with=docs.VMAP_ROWS,
        fold=batching.fold_rows("out_a", "lse_a", "out_b", "lse_b", most_dims=3),
        layouts=cut_heads(1, 1),
    ),
)

"""Choosing by an index: the best positions or blocks of each token, by scores over a paged cache of index keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import docs, reference, value_checks
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    QUANTISED_DTYPES,
    expect_cache_dtype,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_finite,
    expect_last_contiguous,
    expect_not_empty,
    expect_not_negative,
    expect_query_starts,
    expect_scale,
    expect_size,
    expect_tables,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Function, Operator

# How a head scores a row of the index.
RULES = ("relu", "dot", "bounds")
_SCHEMA = (
    "(Tensor index_query, Tensor? index_weights, Tensor index_cache, Tensor block_tables, Tensor seq_lens, "
    'Tensor query_start_loc, SymInt k, *, str rule="relu", SymInt granularity=1, SymInt num_selections=1, '
    "SymInt initial=0, SymInt local=0, SymInt tokens_per_row=1, float? scale=None, Tensor? index_scale=None) -> Tensor"
)


def _check(
    op: str,
    index_query: Tensor,
    index_weights: Tensor | None,
    index_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    k: Any,
    *,
    rule: str = "relu",
    index_scale: Tensor | None = None,
    **options: Any,
) -> None:
    if rule not in RULES:
        refuse(op, "rule", f"is {rule!r}", "one of " + ", ".join(map(repr, RULES)))
    device = index_query.device
    expect_dim(op, "index_query", index_query, 3, "[num_tokens, num_heads, head_dim]")
    expect_dim(op, "index_cache", index_cache, 4, "[num_blocks, block_rows, num_index_heads, head_dim]")
    expect_dtype(op, "index_cache", index_cache, *FLOAT_DTYPES, *QUANTISED_DTYPES)
    expect_device(op, "index_cache", index_cache, device)
    expect_not_empty(op, "index_cache", index_cache, range(4))
    expect_cache_dtype(op, "index_query", index_query, index_cache)
    for name, tensor in (("index_query", index_query), ("index_cache", index_cache)):
        expect_last_contiguous(op, name, tensor)
    heads, index_heads, dim = index_query.shape[1], index_cache.shape[2], index_query.shape[2]
    bounds = rule == "bounds"
    what = "a lower and an upper bound for each of head_dim" if bounds else "head_dim of index_query"
    expect_size(op, "index_cache", index_cache, 3, 2 * dim if bounds else dim, what)
    if is_known(heads, index_heads) and (heads == 0 or heads % index_heads):
        refuse(op, "index_query", f"has {heads} heads", f"a multiple of the {index_heads} heads of index_cache")
    if index_weights is not None:
        expect_dim(op, "index_weights", index_weights, 2, "[num_tokens, num_heads]")
        expect_dtype(op, "index_weights", index_weights, torch.float32, index_query.dtype)
        expect_device(op, "index_weights", index_weights, device)
        expect_size(op, "index_weights", index_weights, 0, index_query.shape[0], "num_tokens, as in index_query")
        expect_size(op, "index_weights", index_weights, 1, heads, "num_heads, as in index_query")
    expect_tables(op, block_tables, seq_lens, device)
    expect_query_starts(op, query_start_loc, seq_lens, device)
    expect_scale(op, "index_scale", index_scale, index_cache)
    _check_numbers(op, k, heads, options)


def _check_numbers(op: str, k: Any, heads: Any, options: Mapping[str, Any]) -> None:
    granularity, num_selections = options.get("granularity", 1), options.get("num_selections", 1)
    initial, local = options.get("initial", 0), options.get("local", 0)
    rows = options.get("tokens_per_row", 1)
    for name, value in (
        ("k", k),
        ("granularity", granularity),
        ("num_selections", num_selections),
        ("tokens_per_row", rows),
    ):
        if is_known(value) and value < 1:
            refuse(op, name, f"is {value}", "1 or more")
    if is_known(k) and k >= 2**31:
        refuse(op, "k", f"is {k}", "less than 2**31")
    expect_finite(op, "scale", options.get("scale"))
    for name, value in (("initial", initial), ("local", local)):
        expect_not_negative(op, name, value)
    if is_known(k, initial, local) and initial + local > k:
        refuse(op, "k", f"is {k}", "at least initial + local, the groups that are always chosen")
    if is_known(granularity, rows) and granularity % rows:
        refuse(op, "granularity", f"is {granularity}", f"a multiple of tokens_per_row, {rows}")
    if is_known(heads, num_selections) and heads % num_selections:
        refuse(op, "num_selections", f"is {num_selections}", f"a divisor of the {heads} heads of index_query")


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    tables = value_checks.Tables(op, arguments, arguments["index_cache"])
    tables.block_size *= arguments["tokens_per_row"]
    for i, rows in enumerate(value_checks.row_counts(op, arguments, arguments["index_query"].shape[0])):
        if rows > 0 and tables.lens[i]:
            tables.require(i, 0, tables.lens[i])


def _fake(index_query: Tensor, *args: Any, num_selections: Any = 1, **_: Any) -> Tensor:
    return index_query.new_empty((index_query.shape[0], num_selections, args[5]), dtype=torch.int32)


def _launch(fn: Function, index_query: Tensor, *args: Any, **options: Any) -> Tensor:
    out = _fake(index_query, *args, **options)
    scale = index_query.shape[2] ** -0.5 if options["scale"] is None else options["scale"]
    fn(index_query, *args, out, **{**options, "scale": scale})
    return out


def _flops(
    index_query: Sequence[int], _: Any, index_cache: Sequence[int], tables: Sequence[int], *__: Any, **___: Any
) -> int:
    """Count a multiplication and an addition for each number of each row that a block table has room for."""
    return 2 * index_query[0] * index_query[1] * tables[1] * index_cache[1] * index_cache[3]


OPERATORS = (
    Operator(
        overload="paged_topk",
        schema=_SCHEMA,
        doc=f"""
The best groups of positions of each token, for `paged_sparse_attention`: scores of an index's rows, which are paged as
keys are, and the k best groups of those that the token sees.

A head scores a row by a product with its query, times `scale`: itself ("dot"), or 0 where that is negative ("relu"); or
by the largest product that there can be with a key between two bounds ("bounds": Quest, Tang et al., 2024). The score
of a selection is the sum of its heads' scores times their weights, or, without weights, the largest of them; that of a
group is the largest of its rows'. Products are summed up in float32. The same score goes to the lower position, and NaN
is the lowest score, also that of a row or group with a NaN among its scores. The CPU never has a whole row of scores in
memory, a GPU has those of some tokens at a time.

DeepSeek V3.2's indexer is "relu" with weights; MiniMax-M3's is "dot" with a granularity, `local`, and a selection for
each head; Quest's is "bounds" with `tokens_per_row` and `granularity` of a block.

Args:
    index_query: [num_tokens, num_heads, head_dim], {docs.FLOATS}, all sequences packed; the cache's
        dtype, or any of these over a quantised one; the last dimension contiguous. torch.autocast casts it to the
        cache's dtype.
    index_weights: [num_tokens, num_heads], float32 or index_query's dtype, factors of the heads' scores.
    index_cache: [num_blocks, block_rows, num_index_heads, head_dim], or 2 * head_dim for "bounds", lower ones first;
        {docs.FLOATS}, float8_e4m3fn, float8_e5m2 or int8; any strides, the last dimension
        contiguous. Heads of index_query are shared out among its heads.
    block_tables: [num_seqs, max_blocks_per_seq] int32, the block of each block_rows rows of a sequence.
    seq_lens: [num_seqs] int32, each sequence's tokens, this step's included; 0 for padding.
    query_start_loc: [num_seqs + 1] int32, where each sequence's tokens begin in index_query, and where the last
        sequence's end.
    k: groups to choose.
    rule: "relu", "dot" or "bounds".
    granularity: positions of a group; a multiple of tokens_per_row.
    num_selections: choices of a token, among which the heads are shared out in their order: 1, or one for each KV head.
    initial: the first groups of a sequence that are always chosen.
    local: the token's own group and those before it that are always chosen.
    tokens_per_row: positions that a row of the index stands for; a token sees the rows that begin up to its position.
    scale: of the products; None for head_dim ** -0.5.
    index_scale: [] or [num_index_heads] or [num_blocks, block_rows, num_index_heads] float32, factors of a quantised
        cache's numbers; None for 1.

Returns:
    [num_tokens, num_selections, k] int32, ids of groups, those that are always chosen first, then the best first; -1
    where a token sees fewer.""",
        check=_check,
        check_values=_check_values,
        fake=_fake,
        launch=_launch,
        reference=reference.paged_topk,
        triton=True,
        cast=CastRule(("index_query",), "index_cache", ("index_weights",)),
        train_with="torch.topk of a matrix product",
        vmap_with=docs.VMAP_PACKED,
        flops=_flops,
    ),
)

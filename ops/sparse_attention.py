"""Attention over chosen positions or blocks of a paged cache, and the patterns that choose by position alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import attention, batching, docs, reference, value_checks
from torchpaged.ops.checks import (
    expect_device,
    expect_dim,
    expect_dtype,
    expect_last_contiguous,
    expect_size,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Function, Layout, Operator, Specs, cut_heads
from torchpaged.ops.token_positions import token_positions

_ARGUMENTS = f"{attention.TENSORS}, Tensor selected, *, SymInt granularity=1, {attention.OPTIONS}"
_DOC = f"""
Attention of each token over the positions, or blocks of positions, that are selected for it; all else is
`paged_attention`: decode, prefill, chunks and mixes are one call.

A token sees the selected keys that it would see there: those up to its own position (of this step's keys, those of its
tree instead), in its window. What is selected is a set: its order has no meaning, and an entry that occurs twice
counts once. Keys that are not selected are not read. Where all of its keys are selected, a row has the bits of
`paged_attention`; a row's bits depend on nothing but its own keys. A token without a key gets 0, or its sinks' share.

Args:
{attention.TENSORS_DOC}
    selected: [num_tokens, 1 or num_kv_heads, num_selected] int32, for each token, and each KV head or all of them, ids
        of groups of `granularity` positions of its sequence: group i has the positions from i * granularity on.
        Negative entries are none. The last dimension is contiguous.
    granularity: positions of a group, which may be of any size beside the cache's blocks; 1 selects single positions.
{attention.OPTIONS_DOC}"""


def _check(
    op: str,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    selected: Tensor,
    *,
    granularity: Any = 1,
    **options: Any,
) -> None:
    attention.check(op, query, key_cache, value_cache, block_tables, seq_lens, query_start_loc, **options)
    expect_dim(op, "selected", selected, 3, "[num_tokens, 1 or num_kv_heads, num_selected]")
    expect_dtype(op, "selected", selected, torch.int32)
    expect_device(op, "selected", selected, query.device)
    expect_last_contiguous(op, "selected", selected)
    expect_size(op, "selected", selected, 0, query.shape[0], "num_tokens, as in query")
    if is_known(selected.shape[1]) and selected.shape[1] != 1:
        expect_size(op, "selected", selected, 1, key_cache.shape[2], "1, or num_kv_heads of the cache")
    if is_known(granularity) and granularity < 1:
        refuse(op, "granularity", f"is {granularity}", "1 or more")


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    """Check the ids of all tokens, then the blocks of the keys that a token sees."""
    query_len = value_checks.row_counts(op, arguments, arguments["query"].shape[0])
    tables = value_checks.Tables(op, arguments, arguments["key_cache"])
    selected, granularity = arguments["selected"].cpu(), arguments["granularity"]
    window, has_tree = arguments["sliding_window"], arguments["tree_mask"] is not None
    causal = arguments["causal"] and not has_tree
    token = 0
    for i, rows in enumerate(query_len):
        length = tables.lens[i]
        if rows > 0 and length:
            tables.require(i, 0, 0)
            groups = -(-length // granularity)
            bad = (selected[token : token + rows] >= groups).nonzero().tolist()
            if bad:
                row, head, place = bad[0]
                found = f"{int(selected[token + row, head, place])} for token {token + row}"
                what = f"the groups of {granularity} of its sequence's {length} tokens"
                value_checks.refuse(op, "selected", found, f"less than {groups}, {what}")
        for row in range(rows if length > 0 else 0):
            position = length - rows + row
            first = max(0, position - window + 1) if window else 0
            last = max(0, position + 1) if causal else 0 if has_tree and position < 0 else length
            for group in selected[token + row].unique().tolist():
                if group >= 0:
                    begin, end = group * granularity, (group + 1) * granularity
                    tables.require(i, max(first, begin), min(last, end))
        token += rows


def _launch(fn: Function, query: Tensor, *args: Any, granularity: int, **options: Any) -> Tensor:
    out = attention.fake(query, *args)
    fn(query, *args, out, None, granularity=granularity, **attention.resolve(query, options))
    return out


def _launch_with_lse(
    fn: Function, query: Tensor, *args: Any, granularity: int, **options: Any
) -> tuple[Tensor, Tensor]:
    out, lse = attention.fake_with_lse(query, *args)
    fn(query, *args, out, lse, granularity=granularity, **attention.resolve(query, options))
    return out, lse


def _flops(
    query: Sequence[int], key_cache: Sequence[int], value_cache: Sequence[int], *args: Any, **options: Any
) -> int:
    """Count a multiplication and an addition for each number of each key and value that is selected."""
    tables, selected = args[0], args[3]
    keys: int = min(tables[1] * key_cache[1], selected[2] * options.get("granularity", 1))
    if options.get("causal", True) and options.get("sliding_window", 0):
        keys = min(keys, options["sliding_window"])
    return 2 * query[0] * query[1] * keys * (key_cache[3] + value_cache[3])


def _layouts(*results: int) -> Any:
    """Layouts that cut the call by KV heads, and with them what is selected for each."""

    def layouts(specs: Specs) -> list[Layout]:
        (way,) = cut_heads(*results)(specs)
        each = {"selected": 1} if specs["selected"].shape[1] > 1 else {}
        return [Layout(way.results, {**way.arguments, **each})]

    return layouts


def _operator(name: str, results: str, returns: str, fake: Any, launch: Any, layouts: Any) -> Operator:
    return Operator(
        overload=name,
        schema=f"({_ARGUMENTS}) -> {results}",
        doc=f"{_DOC}\nReturns:\n    {returns}",
        check=_check,
        check_values=_check_values,
        fake=fake,
        launch=launch,
        reference=reference.paged_sparse_attention,
        triton=True,
        cast=CastRule(("query",), "key_cache", ("sinks",)),
        train_with="torch.nn.functional.scaled_dot_product_attention with a mask",
        vmap_with=docs.VMAP_PACKED,
        fold=batching.FOLD_SELECTED,
        flops=_flops,
        layouts=layouts,
    )


OPERATORS = (
    _operator(
        "paged_sparse_attention",
        "Tensor",
        "[num_tokens, num_heads, head_dim_v], query's dtype.",
        attention.fake,
        _launch,
        _layouts(1),
    ),
    _operator(
        "paged_sparse_attention_with_lse",
        "(Tensor out, Tensor lse)",
        "(out [num_tokens, num_heads, head_dim_v] of query's dtype,\n"
        "    lse [num_tokens, num_heads] float32: the natural logarithm of the softmax's sum, sinks included).",
        attention.fake_with_lse,
        _launch_with_lse,
        _layouts(1, 1),
    ),
)


# --- Patterns ---------------------------------------------------------------------------------------------------


def static_block_mask(
    seq_lens: Tensor,
    query_start_loc: Tensor,
    num_tokens: int,
    *,
    block_size: int,
    max_seq_len: int,
    local_blocks: int,
    vertical_stride: int = 0,
    head_sliding_step: int = 0,
    global_blocks: int = 0,
    random_blocks: int = 0,
    num_kv_heads: int = 1,
    causal: bool = True,
    seed: int = 0,
) -> Tensor:
    """Return the `selected` of `paged_sparse_attention(..., granularity=block_size)` for a pattern of positions.

    A token of block q chooses block k if k is local, on a stripe, global, or one of its random ones:

    - `local_blocks` and `vertical_stride` with `head_sliding_step` are the first paged attention's block-sparse pattern
      (Phi-3-small): stripes are the blocks with (k + head * head_sliding_step + 1) % vertical_stride == 0.
    - `local_blocks` and `global_blocks` are Longformer's (Beltagy et al., 2020): a window, and the first blocks, whose
      own tokens see everything if attention is not causal.
    - with `random_blocks` it is BigBird's (Zaheer et al., 2020): further blocks, drawn for each block of queries.

    No value is read on the host, so the width of the result is that of a sequence of `max_seq_len` tokens. A row
    depends on its own position alone: chunks and decode steps choose what a prefill chooses.

    Args:
        seq_lens, query_start_loc: as `paged_sparse_attention` takes them.
        num_tokens: rows of the result, those of padding included.
        block_size: positions of a block of the pattern.
        max_seq_len: the longest sequence; blocks beyond are not chosen.
        local_blocks: the query's own block and those before it that it sees, and as many behind it if not causal.
        vertical_stride: distance of the stripes; 0 for none.
        head_sliding_step: blocks by which each KV head's stripes are shifted; in the original, where it is negative and
            counts KV heads, with its sign changed.
        num_kv_heads: heads of the result; 1 where all choose the same.
        seed: of the random blocks.

    Returns:
        [num_tokens, num_kv_heads, width] int32, ascending, -1 where there is none.

    Raises:
        ValueError: a number is out of its range, or nothing can be chosen.
    """
    least = {"block_size": 1, "max_seq_len": 1, "num_kv_heads": 1}
    for name, value in (
        ("block_size", block_size),
        ("max_seq_len", max_seq_len),
        ("local_blocks", local_blocks),
        ("vertical_stride", vertical_stride),
        ("head_sliding_step", head_sliding_step),
        ("global_blocks", global_blocks),
        ("random_blocks", random_blocks),
        ("num_kv_heads", num_kv_heads),
    ):
        if value < least.get(name, 0):
            refuse("static_block_mask", name, f"is {value}", f"{least.get(name, 0)} or more")
    if not (local_blocks or vertical_stride or global_blocks or random_blocks):
        refuse("static_block_mask", "local_blocks", "is 0 without any other blocks", "a pattern that chooses a block")
    device, blocks = seq_lens.device, -(-max_seq_len // block_size)
    tokens = token_positions(seq_lens, query_start_loc, num_tokens)
    position, seq_len = tokens.position[:, None, None], tokens.seq_len[:, None, None]
    query = position // block_size
    key = torch.arange(blocks, device=device)
    head = torch.arange(num_kv_heads, device=device)[:, None]
    chosen = (key > query - local_blocks) & ((key <= query) if causal else (key < query + local_blocks))
    chosen = chosen | (key < global_blocks)
    if not causal:
        chosen = chosen | (query < global_blocks)
    if vertical_stride:
        chosen = chosen | ((key + head * head_sliding_step + 1) % vertical_stride == 0)
    there = (position >= 0) & (key * block_size < seq_len)
    there = there & (key <= query) if causal else there
    chosen, width = chosen & there, _width(blocks, local_blocks, global_blocks, random_blocks, vertical_stride, causal)
    chosen = chosen.expand(num_tokens, num_kv_heads, blocks)
    if random_blocks:
        # The blocks of the smallest hashes among those that are left: two blocks never share one.
        rank = torch.where(there & ~chosen, _hash(seed, head, query, key) * blocks + key, torch.iinfo(torch.int64).max)
        drawn = rank.argsort(-1)[..., :random_blocks]
        left = (rank < torch.iinfo(torch.int64).max).gather(-1, drawn)
        chosen = chosen | torch.zeros_like(chosen).scatter(-1, drawn, left)
    ids = torch.where(chosen, key, blocks).sort(-1).values[..., :width]
    return torch.where(ids < blocks, ids, -1).to(torch.int32)


def _width(blocks: int, local: int, first: int, random: int, stride: int, causal: bool) -> int:
    """Return the most blocks that a row can choose of `blocks`."""
    if not causal and first:
        return blocks
    stripes = -(-blocks // stride) if stride else 0
    return min(blocks, (local if causal else max(0, 2 * local - 1)) + first + random + stripes)


def _hash(seed: int, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Return 31 bits that look random for each head, block of queries and block of keys."""
    mixed = seed & 0x7FFFFFFF
    words: list[Any] = [head, query, key]
    for word in words:  # xorshift and multiplication, as in splitmix; products stay below 2^63
        mixed = (mixed ^ (word + 0x9E3779B)) * 0x5851F42D % 0x7FFFFFFF
        mixed = (mixed ^ (mixed >> 15)) * 0x2C1B3C6D % 0x7FFFFFFF
        mixed = mixed ^ (mixed >> 12)
    return torch.as_tensor(mixed)

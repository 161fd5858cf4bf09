"""Every operator in plain PyTorch: the definition that the kernels are tested against.

Written to be read: sequence by sequence, in float32, with no regard for speed. It is also the CPU backend where there
is no compiler. Functions write into tensors that they are given, like every backend. Attention and caches are here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from torchpaged.ops import int4_cache, score_mods
from torchpaged.ops.attention_options import AttentionOptions

# The other families' definitions, which each of these files names in its `__all__`.
from torchpaged.ops.convolution import *  # noqa: F403
from torchpaged.ops.linear_reference import *  # noqa: F403
from torchpaged.ops.logits_reference import *  # noqa: F403
from torchpaged.ops.lora import *  # noqa: F403
from torchpaged.ops.pointwise import *  # noqa: F403
from torchpaged.ops.recurrent_reference import *  # noqa: F403
from torchpaged.ops.varlen_attention import *  # noqa: F403

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Rows of one sequence that are worked on at once, so that scores of a long prefill fit into memory.
_QUERY_ROWS = 256


def paged_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    lse: Tensor | None,
    **options: Unpack[AttentionOptions],
) -> None:
    """Compute attention of each sequence's last tokens over its blocks.

    `help(torch.ops.torchpaged.paged_attention)` has shapes and dtypes. `max_query_len` and `num_splits` are hints,
    which are not needed here. A row that sees no key gets 0, and an `lse` of -inf (its sink's value where there are
    sinks); rows of no sequence get 0 and -inf.
    """
    _attend(query, key_cache, value_cache, block_tables, seq_lens, query_start_loc, None, 1, out, lse, options)


def paged_sparse_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    selected: Tensor,
    out: Tensor,
    lse: Tensor | None,
    *,
    granularity: int,
    **options: Unpack[AttentionOptions],
) -> None:
    """Compute `paged_attention` of which each token sees only the keys that are selected for it.

    Args:
        selected: [num_tokens, 1 or num_kv_heads, num_selected], each token's set of groups of `granularity` positions.
            A negative entry is none, one that occurs twice counts once, and their order has no meaning.
    """
    tables = (block_tables, seq_lens, query_start_loc)
    _attend(query, key_cache, value_cache, *tables, selected, granularity, out, lse, options)


def _attend(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    selected: Tensor | None,
    granularity: int,
    out: Tensor,
    lse: Tensor | None,
    options: AttentionOptions,
) -> None:
    """Compute attention over all keys, or over the selected ones."""
    out.zero_()
    if lse is not None:
        lse.fill_(-torch.inf)
    num_heads, kv_heads = query.shape[1], key_cache.shape[2]
    starts = query_start_loc.tolist()
    for i, seq_len in enumerate(seq_lens.tolist()):
        query_len = starts[i + 1] - starts[i]
        if seq_len <= 0 or query_len <= 0:
            continue
        # `value_checks.py` refuses a length past the table; on a GPU, which cannot raise, it is cut off.
        num_keys = min(seq_len, block_tables.shape[1] * key_cache.shape[1])
        key = _sequence(key_cache, block_tables[i], num_keys, options["k_scale"])
        value = _sequence(value_cache, block_tables[i], num_keys, options["v_scale"])
        for first in range(0, query_len, _QUERY_ROWS):
            last = min(first + _QUERY_ROWS, query_len)
            rows = slice(starts[i] + first, starts[i] + last)
            q_pos = torch.arange(first, last, device=query.device) + (seq_len - query_len)
            visible = _visible(q_pos, num_keys, seq_len - query_len, rows, options)[:, None]
            if selected is not None:
                visible = visible & _selected(selected[rows], num_keys, granularity)
            # One row of `visible` for each head, or one for all.
            visible = visible.transpose(0, 1).repeat_interleave(num_heads // kv_heads if visible.shape[1] > 1 else 1, 0)
            visible = score_mods.mask("paged_attention", options, visible, num_heads, i, q_pos)
            # Keys that no row sees are dropped, since 0 * NaN is NaN.
            by_kv_head = visible.any(1)
            if len(by_kv_head) > 1:
                by_kv_head = by_kv_head.unflatten(0, (kv_heads, -1)).any(1)
            seen = value.masked_fill(~by_kv_head.T[:, :, None], 0.0)
            q = query[rows].float().unflatten(1, (kv_heads, num_heads // kv_heads))
            scores = torch.einsum("tkgd,skd->kgts", q, key).flatten(0, 1) * options["scale"]
            scores, _ = score_mods.score("paged_attention", options, _adjusted(scores, q_pos, options), i, q_pos)
            scores = scores.masked_fill(~visible, -torch.inf)
            total = torch.logsumexp(scores, dim=-1)
            if (sinks := options["sinks"]) is not None:
                total = torch.logaddexp(total, sinks.float()[:, None])
            # A row without a key has a total of -inf: its weights are 0, not exp(-inf + inf).
            weights = torch.exp(scores - total.nan_to_num(neginf=0.0)[..., None])
            weights = weights.unflatten(0, (kv_heads, num_heads // kv_heads))
            out[rows] = torch.einsum("kgts,skd->tkgd", weights, seen).flatten(1, 2).to(out.dtype)
            if lse is not None:
                lse[rows] = total.T


def _adjusted(scores: Tensor, q_pos: Tensor, options: AttentionOptions) -> Tensor:
    """Return scores [heads, rows, keys] after softcap, ALiBi and biases by distance."""
    if (softcap := options["softcap"]) > 0:
        scores = softcap * torch.tanh(scores / softcap)
    distance = q_pos[:, None] - torch.arange(scores.shape[2], device=q_pos.device)[None]
    if (alibi_slopes := options["alibi_slopes"]) is not None:
        scores = scores + alibi_slopes[:, None, None] * -distance
    if (distance_bias := options["distance_bias"]) is not None:
        scores = scores + distance_bias[:, distance.clamp(0, distance_bias.shape[1] - 1)]
    return scores


def _visible(q_pos: Tensor, num_keys: int, context: int, rows: slice, options: AttentionOptions) -> Tensor:
    """Return which keys each row sees, [rows, num_keys] bool.

    Args:
        q_pos: positions of the rows in their sequence.
        context: the position of the sequence's first new token.
        rows: the rows' places in the batch.
    """
    j = torch.arange(num_keys, device=q_pos.device)[None]
    q = q_pos[:, None]
    visible = (q > -torch.inf) & (j >= 0)
    if options["causal"] or options["tree_mask"] is not None:
        visible = visible & (q >= 0)
    if options["tree_mask"] is not None:
        tree = options["tree_mask"][rows]
        this_step = (j - context).clamp(0, max(tree.shape[1] - 1, 0)).expand(len(q_pos), -1)
        inside = j - context < tree.shape[1]
        allowed = tree.gather(1, this_step) & inside if tree.shape[1] else torch.zeros_like(inside)
        visible = visible & torch.where(j < context, True, allowed)
    elif options["causal"]:
        visible = visible & (j <= q)
    if options["sliding_window"] > 0:
        visible = visible & (q - j < options["sliding_window"])
    return visible


def _selected(selected: Tensor, num_keys: int, granularity: int) -> Tensor:
    """Return which keys are selected for each row, [rows, 1 or kv_heads, num_keys] bool."""
    groups = -(-num_keys // granularity)
    # Entries that name no group go to a place of their own, which is dropped.
    ids = torch.where((selected >= 0) & (selected < groups), selected, groups).long()
    chosen = torch.zeros((*selected.shape[:2], groups + 1), dtype=torch.bool, device=selected.device)
    return chosen.scatter_(2, ids, True)[..., :groups].repeat_interleave(granularity, 2)[..., :num_keys]


def paged_topk(
    index_query: Tensor,
    index_weights: Tensor | None,
    index_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    k: int,
    out: Tensor,
    *,
    rule: str,
    granularity: int,
    num_selections: int,
    initial: int,
    local: int,
    tokens_per_row: int,
    scale: float,
    index_scale: Tensor | None,
) -> None:
    """Write the k best groups of each token's selections, by scores of the index's rows.

    `help(torch.ops.torchpaged.paged_topk)` has shapes, dtypes and what a score is.
    """
    out.fill_(-1)
    starts = query_start_loc.tolist()
    for i, seq_len in enumerate(seq_lens.tolist()):
        query_len = starts[i + 1] - starts[i]
        if seq_len <= 0 or query_len <= 0:
            continue
        num_rows = min(-(-seq_len // tokens_per_row), block_tables.shape[1] * index_cache.shape[1])
        index = _sequence(index_cache, block_tables[i], num_rows, index_scale)
        index = index.repeat_interleave(index_query.shape[1] // index.shape[1], 1)
        for first in range(0, query_len, _QUERY_ROWS):
            last = min(first + _QUERY_ROWS, query_len)
            rows = slice(starts[i] + first, starts[i] + last)
            query = index_query[rows].float()
            if rule == "bounds":
                query = torch.cat([query.clamp(max=0), query.clamp(min=0)], -1)
            scores = torch.einsum("thd,shd->ths", query, index) * scale
            if rule == "relu":
                scores = scores.relu()
            if index_weights is not None:
                scores = scores * index_weights[rows].float()[..., None]
            scores = scores.unflatten(1, (num_selections, -1))
            scores = scores.amax(2) if index_weights is None else scores.sum(2)
            q_pos = torch.arange(first, last, device=query.device)[:, None, None] + (seq_len - query_len)
            begins = torch.arange(num_rows, device=query.device) * tokens_per_row
            scores = scores.masked_fill(begins > q_pos, -torch.inf)
            size = granularity // tokens_per_row
            scores = torch.nn.functional.pad(scores, (0, -num_rows % size), value=-torch.inf)
            scores = scores.unflatten(-1, (-1, size)).amax(-1)
            scores = scores.masked_fill(scores.isnan(), -torch.inf)
            group, own = torch.arange(scores.shape[-1], device=query.device), q_pos // granularity
            scores = scores.masked_fill((group < initial) | (group > own - local), torch.inf)
            scores = scores.masked_fill(group > own, -torch.inf)
            # Groups that are not seen lie behind those that are, and so they do where their scores are equal.
            order = scores.sort(dim=-1, descending=True, stable=True).indices[..., :k]
            seen = torch.arange(order.shape[-1], device=query.device) <= own
            out[rows, :, : order.shape[-1]] = torch.where(seen & (q_pos >= 0), order, -1).to(out.dtype)


def _sequence(cache: Tensor, block_table: Tensor, seq_len: int, scale: Tensor | None) -> Tensor:
    """Return the first rows of a sequence [seq_len, kv_heads, head_dim], dequantised, in float32."""
    num_blocks, block_size = cache.shape[:2]
    positions = torch.arange(seq_len, device=cache.device)
    # Positions past the table, and ids past the pool, are clamped: never out of bounds.
    logical = (positions // block_size).clamp(max=block_table.shape[0] - 1)
    blocks = block_table[logical].long().clamp(0, num_blocks - 1)
    offsets = positions % block_size
    if cache.dtype == int4_cache.DTYPE:
        return int4_cache.unpack(cache[blocks, offsets])
    rows = cache[blocks, offsets].float()
    if scale is None:
        return rows
    if scale.dim() == 3:
        return rows * scale[blocks, offsets][..., None]
    return rows * scale.reshape(-1, 1)  # [] or [kv_heads]


def merge_attention_states(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor, out: Tensor, lse: Tensor
) -> None:
    """Compute attention over the union of two disjoint sets of keys from the results over each.

    An lse of +inf counts as -inf (nothing seen); both empty give 0 and -inf. Source: FlashDecoding's reduction.
    """
    a, b = (x.masked_fill(x == torch.inf, -torch.inf) for x in (lse_a, lse_b))
    top = torch.maximum(a, b).nan_to_num(neginf=0.0)
    weight_a, weight_b = torch.exp(a - top), torch.exp(b - top)
    total = weight_a + weight_b
    share_a, share_b = (torch.where(total > 0, w / total, 0.0)[..., None] for w in (weight_a, weight_b))
    # A side that saw nothing may hold NaN: it is dropped, not multiplied by 0.
    part_a = torch.where(share_a > 0, out_a.float() * share_a, 0.0)
    part_b = torch.where(share_b > 0, out_b.float() * share_b, 0.0)
    out.copy_(part_a + part_b)
    lse.copy_(top + torch.log(total))


def write_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
    k_scale_cache: Tensor | None,
    v_scale_cache: Tensor | None,
) -> None:
    """Write each token's key and value into its slot; negative slots are skipped, other slots stay as they are."""
    kept = (slot_mapping >= 0).nonzero().flatten()
    slots = slot_mapping[kept]
    if slots.numel() and int(slots.max()) >= key_cache.shape[0] * key_cache.shape[1]:
        limit = key_cache.shape[0] * key_cache.shape[1]
        raise ValueError(f"write_kv_cache: slot_mapping has slot {int(slots.max())}, expected less than {limit}")
    blocks, offsets = slots // key_cache.shape[1], slots % key_cache.shape[1]
    for rows, cache, scale, scale_cache in (
        (key[kept], key_cache, k_scale, k_scale_cache),
        (value[kept], value_cache, v_scale, v_scale_cache),
    ):
        if cache.dtype == int4_cache.DTYPE:
            rows = int4_cache.pack(rows)
        elif scale_cache is not None:
            # amax needs an element, and latent attention's values have none: a zero goes behind each row.
            row_scale = torch.nn.functional.pad(rows.float().abs(), (0, 1)).amax(-1) / _largest(cache.dtype)
            row_scale = torch.where(row_scale > 0, row_scale, 1.0)
            scale_cache[blocks, offsets] = row_scale
            rows = _quantise(rows, row_scale[..., None], cache.dtype)
        elif cache.dtype != rows.dtype:
            per_head = torch.ones((), device=rows.device) if scale is None else scale
            rows = _quantise(rows, per_head.reshape(-1, 1), cache.dtype)
        cache[blocks, offsets] = rows


def _largest(dtype: torch.dtype) -> float:
    return 127.0 if dtype == torch.int8 else torch.finfo(dtype).max


def _quantise(rows: Tensor, scale: Tensor, dtype: torch.dtype) -> Tensor:
    """Return `rows / scale`, rounded to the nearest (ties to even) and saturated."""
    scaled = (rows.float() / scale).clamp(-_largest(dtype), _largest(dtype))
    return (scaled.round() if dtype == torch.int8 else scaled).to(dtype)


def gather_kv_cache(
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
) -> None:
    """Gather each sequence's rows, contiguous and dequantised; rows past its length are 0."""
    for cache, rows, scale in ((key_cache, key, k_scale), (value_cache, value, v_scale)):
        rows.zero_()
        for i, seq_len in enumerate(seq_lens.tolist()):
            count = max(0, min(seq_len, rows.shape[1]))
            if count:
                rows[i, :count] = _sequence(cache, block_tables[i], count, scale).to(rows.dtype)


def copy_blocks(caches: list[Tensor], block_mapping: Tensor) -> None:
    """Copy whole blocks inside each cache; all sources are read before any destination is written."""
    _check_mapping("copy_blocks", block_mapping, caches[0].shape[0], caches[0].shape[0])
    pairs = block_mapping.to(caches[0].device)
    for cache in caches:
        cache[pairs[:, 1]] = cache[pairs[:, 0]]


def swap_blocks(src: Tensor, dst: Tensor, block_mapping: Tensor, *, non_blocking: bool = False) -> None:
    """Copy whole blocks from one pool to another; the pools may be on different devices.

    Args:
        non_blocking: a copy to pinned host memory may arrive after this returns, once the stream has passed it. This
            function does not use that.
    """
    _check_mapping("swap_blocks", block_mapping, src.shape[0], dst.shape[0])
    rows = src[block_mapping[:, 0].to(src.device)]
    dst[block_mapping[:, 1].to(dst.device)] = rows.to(dst.device)


def _check_mapping(op: str, mapping: Tensor, num_sources: int, num_destinations: int) -> None:
    for column, limit, name in ((0, num_sources, "source"), (1, num_destinations, "destination")):
        bad = mapping[:, column][(mapping[:, column] < 0) | (mapping[:, column] >= limit)]
        if bad.numel():
            raise ValueError(f"{op}: block_mapping has {name} {int(bad[0])}, expected 0 to {limit - 1}")

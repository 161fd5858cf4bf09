"""Attention inside transformers' continuous batching: `generate_batch`, `transformers serve --continuous-batching`.

transformers keeps its scheduler, its cache and its block manager. A layer's new keys and values are written into the
cache's pages by `write_kv_cache`, and `paged_attention` reads them there, in prefill and decode alike. transformers'
own functions copy the keys and values of all sequences at each layer; its SDPA function also scores each query against
the tokens of all other sequences, behind a mask.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor

# The cache's attribute for `_Step`; one thread uses a cache.
_STEP = "_torchpaged_step"


class _Pages(NamedTuple):
    """Where the sequences of a step lie in the pages of one allocator.

    Attributes:
        slots: [num_tokens] int64, where new keys and values go.
        table: [num_sequences, num_pages] int32; None if no sequence has earlier tokens.
        seq_lens: [num_sequences] int32, new tokens included.
    """

    slots: Tensor
    table: Tensor | None
    seq_lens: Tensor


@dataclass
class _Step:
    """Pages of one step by allocator, found once for all layers. `lengths` identifies the step."""

    lengths: Any
    pages: dict[int, _Pages] = field(default_factory=dict)


def continuous_batching_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    layer: int,
    step: dict[str, Any],
    *,
    scale: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> Tensor:
    """Write one layer's new keys and values into the cache, and attend.

    Args:
        query: [1, num_heads, num_tokens, head_dim], all sequences of the step packed into one row.
        key, value: [1, num_kv_heads, num_tokens, head_dim].
        step: transformers' `PagedAttentionArgs`, of which the cache, lengths and indices are read.
        scale, sliding_window, softcap, sinks: as transformers passes them to attention functions.

    Returns:
        [1, num_tokens, num_heads, head_dim].
    """
    cache = step["cache"]
    allocator = cache.layer_to_allocator[layer]
    options = {
        "scale": scale,
        "sliding_window": sliding_window or getattr(allocator, "sliding_window", 0),  # some models only mask it
        "softcap": softcap or 0.0,
        "sinks": sinks,
    }
    starts: Tensor = step["cu_seq_lens_q"]
    starts_k: Tensor = step["cu_seq_lens_k"][allocator.layer_type]
    longest: int = step["max_length_q"]
    longest_k: int = step["max_length_k"][allocator.layer_type]
    rows = [each[0].transpose(0, 1) for each in (query, key, value)]
    if allocator.supports_block_table:
        views = allocator.get_cache_for_block_table(layer)
        pages = _pages(cache, allocator, step, starts_k)
        torch.ops.torchpaged.write_kv_cache(rows[1], rows[2], *views, pages.slots)
        if pages.table is not None:
            out: Tensor = torch.ops.torchpaged.paged_attention(
                rows[0], *views, pages.table, pages.seq_lens, starts, max_query_len=longest, **options
            )
            return out[None]
    else:  # a ring buffer, whose places are not in the order of the tokens: transformers copies what the window holds
        key, value = cache.update(key, value, layer, dict(step))
        rows[1:] = [each[0].transpose(0, 1) for each in (key, value)]
    out = torch.ops.torchpaged.varlen_attention(
        *rows, starts, starts_k, max_seqlen_q=longest, max_seqlen_k=longest_k, **options
    )
    return out[None]


def _pages(cache: Any, allocator: Any, step: dict[str, Any], starts: Tensor) -> _Pages:
    """Return where the sequences lie, found once for all layers of an allocator."""
    shared: _Step | None = getattr(cache, _STEP, None)
    if shared is None or shared.lengths is not step["cu_seq_lens_k"]:
        shared = _Step(step["cu_seq_lens_k"])
        setattr(cache, _STEP, shared)
    if allocator.index not in shared.pages:
        shared.pages[allocator.index] = _find_pages(allocator, step, starts)
    return shared.pages[allocator.index]


def _find_pages(allocator: Any, step: dict[str, Any], starts: Tensor) -> _Pages:
    size: int = allocator.tokens_per_page
    seq_lens = starts.diff().int()
    if step.get("block_table") is not None:  # a step of one new token of each sequence
        table = step["block_table"][allocator.index]
        last = (seq_lens - 1).long()
        slots = table.gather(1, last.clamp(min=0)[:, None] // size)[:, 0].long() * size + last % size
        return _Pages(torch.where(seq_lens > 0, slots, -1), table, seq_lens)  # lengths of 0 fill the batch up
    slots = step["write_index"][allocator.index]
    places: Tensor = step["read_index"][allocator.index]  # the slots of all tokens of each sequence, in their order
    if not places.numel():
        return _Pages(slots, None, seq_lens)
    num_pages = -(-int(seq_lens.max()) // size)
    first = starts[:-1, None].long() + size * torch.arange(num_pages, device=starts.device)
    table = places[first.clamp(max=len(places) - 1)] // size  # beyond a sequence's length nothing is read
    return _Pages(slots, table.int(), seq_lens)

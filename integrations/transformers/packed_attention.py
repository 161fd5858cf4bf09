"""Attention of a model's forward without a cache by `varlen_attention`: packed rows, padded ones, and whole columns.

What it computes has the bits of an engine's attention, forward and backward skip what padding and other sequences
would cost, and nothing of the scores is kept. `sequences_of` returns None for what it cannot do, and dense attention
does it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchpaged.integrations.transformers.dense_attention import CallerMask, padding_of
from torchpaged.ops.checks import FLOAT_DTYPES


class Sequences(NamedTuple):
    """Where the sequences of a batch lie.

    Attributes:
        cu_seqlens_q, cu_seqlens_k: [num_sequences + 1] int32, in the flattened columns, padding left out.
        max_seqlen_q, max_seqlen_k: bounds of their lengths.
        queries, keys: the flattened columns that are tokens; None: all of them.
    """

    cu_seqlens_q: Tensor
    cu_seqlens_k: Tensor
    max_seqlen_q: int
    max_seqlen_k: int
    queries: Tensor | None = None
    keys: Tensor | None = None


def sequences_of(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | CallerMask | None, *, windowed: bool, **more: Any
) -> Sequences | None:
    """Return where the sequences lie, or None if `varlen_attention` cannot compute the call.

    Args:
        query, key, value, mask: as in `dense_attention`; attention is causal.
        windowed: whether distances of keys matter.
        more: further arguments that transformers passes: `cu_seq_lens_q` and the like, or `position_ids`, say where
            packed sequences begin.
    """
    batch, _, queries, head_dim = query.shape
    keys = key.shape[2]
    known = query.device.type in ("cpu", "cuda") and query.dtype in FLOAT_DTYPES
    same = query.dtype == key.dtype == value.dtype and head_dim == key.shape[3] and value.shape[3] > 0
    if not (known and same) or more.get("position_bias") is not None:
        return None
    if isinstance(mask, CallerMask):
        return _packed(query, key, more) if mask.is_packed and batch == 1 and queries == keys else None
    if mask is None:
        starts = [_regular(batch, each, query.device) for each in (queries, keys)]
        return Sequences(starts[0], starts[1], queries, keys)
    padding = padding_of(mask)
    if padding is None or torch.compiler.is_compiling():  # counting tokens would break the graph
        return None
    padding = padding[:, -keys:]
    if windowed and not _is_one_piece(padding):
        return None
    of_queries = padding[:, -queries:]
    places = [each.flatten().nonzero()[:, 0] for each in (of_queries, padding)]
    starts = [_starts(each.sum(1)) for each in (of_queries, padding)]
    return Sequences(starts[0], starts[1], queries, keys, places[0], places[1])


def packed_attention(query: Tensor, key: Tensor, value: Tensor, sequences: Sequences, **options: Any) -> Tensor:
    """Attend within each sequence, causally.

    Args:
        query, key, value: as in `dense_attention`.
        options: of `varlen_attention`.

    Returns:
        [batch, queries, num_heads, head_dim_v]; 0 for padding.
    """
    batch, _, queries = query.shape[:3]
    rows = [each.transpose(1, 2).flatten(0, 1) for each in (query, key, value)]
    rows = [each if each.stride(-1) == 1 else each.contiguous() for each in rows]
    if sequences.queries is not None and sequences.keys is not None:
        rows = [rows[0][sequences.queries], *(each[sequences.keys] for each in rows[1:])]
    out: Tensor = torch.ops.torchpaged.varlen_attention(
        *rows,
        sequences.cu_seqlens_q,
        sequences.cu_seqlens_k,
        max_seqlen_q=sequences.max_seqlen_q,
        max_seqlen_k=sequences.max_seqlen_k,
        **options,
    )
    if sequences.queries is not None:
        whole = out.new_zeros((batch * queries, *out.shape[1:]))
        out = whole.index_copy(0, sequences.queries, out)
    result: Tensor = out.unflatten(0, (batch, queries))
    return result


def _regular(batch: int, length: int, device: torch.device) -> Tensor:
    return torch.arange(batch + 1, dtype=torch.int32, device=device) * length


def _starts(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).int()


def _is_one_piece(padding: Tensor) -> bool:
    """Return whether each row's tokens lie beside each other, so that distances count no padding."""
    begins = padding[:, 1:] & ~padding[:, :-1]
    return bool((begins.sum(1) + padding[:, 0] <= 1).all())


def _packed(query: Tensor, key: Tensor, more: dict[str, Any]) -> Sequences | None:
    """Return the sequences packed into one row, as the caller has given them, or as its positions show them."""
    of_queries, of_keys = (more.get(name) for name in ("cu_seq_lens_q", "cu_seq_lens_k"))
    if isinstance(of_queries, Tensor) and isinstance(of_keys, Tensor):
        longest = [int(more.get(name) or key.shape[2]) for name in ("max_length_q", "max_length_k")]
        return Sequences(of_queries.int(), of_keys.int(), longest[0], longest[1])
    positions = more.get("position_ids")
    if not isinstance(positions, Tensor) or positions.shape != (1, query.shape[2]) or torch.compiler.is_compiling():
        return None
    # As transformers finds them: a sequence begins where positions do not go on.
    begins = (positions[0, 1:] != positions[0, :-1] + 1).nonzero()[:, 0] + 1
    ends = torch.nn.functional.pad(begins, (1, 0))
    cu_seqlens = torch.nn.functional.pad(ends, (0, 1), value=query.shape[2]).int()
    return Sequences(cu_seqlens, cu_seqlens, query.shape[2], query.shape[2])

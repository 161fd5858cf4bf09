"""AttentionMetadata: the device tensors that one step's operators read, the same for every layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class LayerCache:
    """One layer's pool: key [num_blocks, block_size, num_kv_heads, head_dim], value likewise with head_dim_v.

    A quantised pool has its scales beside it, [num_blocks, block_size, num_kv_heads] float32.
    """

    key: Tensor
    value: Tensor
    k_scale: Tensor | None = None
    v_scale: Tensor | None = None


@dataclass(frozen=True, slots=True)
class AttentionMetadata:
    """Where this step's tokens go and what they attend to.

    Args:
        slot_mapping: [num_tokens] int64, the slot of each token; -1 is padding.
        block_tables: [num_seqs, max_blocks_per_seq] int32.
        seq_lens: [num_seqs] int32, tokens in the cache, this step's included.
        query_start_loc: [num_seqs + 1] int32, cumulative query lengths.
        max_query_len: the longest query of the step, a hint.
        caches: every layer's pool, by layer index.
    """

    slot_mapping: Tensor
    block_tables: Tensor
    seq_lens: Tensor
    query_start_loc: Tensor
    max_query_len: int
    caches: Sequence[LayerCache]

"""A view of one layer of a `PagedCache` with the interface of transformers' cache layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers.cache_utils import CacheLayerMixin

from torchpaged.integrations.transformers.batch_columns import Columns
from torchpaged.integrations.transformers.dense_attention import dense_attention
from torchpaged.kv_cache.spec import ChunkedLocalAttentionSpec, KVCacheSpec, SlidingWindowSpec


class Columned(Protocol):
    """The part of `PagedCache` that the view of a layer uses."""

    def columns_of(self, layer_idx: int) -> tuple[Tensor, Tensor]: ...
    def spec_of(self, layer_idx: int) -> KVCacheSpec: ...
    def get_mask_sizes(self, query_length: int, layer_idx: int) -> tuple[int, int]: ...
    def get_seq_length(self, layer_idx: int = 0) -> int: ...
    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]: ...


class PagedCacheLayer(CacheLayerMixin):  # type: ignore[misc]  # transformers has no types
    """A view of one layer. Keys and values are gathered into copies when they are read; writing to those has no effect.

    Args:
        cache: the layer's cache.
        index: the layer's index in the model.
    """

    is_compileable = False
    is_croppable = True
    supports_early_init = False

    def __init__(self, cache: Columned, index: int) -> None:  # not the base's, which sets keys and values
        self._cache, self._index = cache, index

    @property
    def keys(self) -> Tensor:
        """Keys [batch, num_kv_heads, columns, head_dim], 0 in padded columns; for a window its last columns only."""
        return self._cache.columns_of(self._index)[0]

    @property
    def values(self) -> Tensor:
        """Values, shaped as `keys`."""
        return self._cache.columns_of(self._index)[1]

    @property
    def is_initialized(self) -> bool:
        """True once a forward has written to the layer."""
        return self.get_seq_length() > 0

    @property
    def is_sliding(self) -> bool:
        """True if the layer has a window or attention chunks."""
        return kept_columns(self._cache.spec_of(self._index)) is not None

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Do nothing: the cache adds layers as they attend."""

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Call `PagedCache.update` for this layer."""
        return self._cache.update(key_states, value_states, self._index)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Call `PagedCache.get_mask_sizes` for this layer."""
        return self._cache.get_mask_sizes(query_length, self._index)

    def get_seq_length(self) -> int:
        """Call `PagedCache.get_seq_length` for this layer."""
        return self._cache.get_seq_length(self._index)

    def get_max_length(self) -> int:
        """Return -1: there is no limit."""
        return -1


def kept_columns(spec: KVCacheSpec) -> int | None:
    """Return how many columns transformers' layers of this kind keep; None: all."""
    if isinstance(spec, SlidingWindowSpec):
        return spec.sliding_window - 1
    return spec.chunk_size - 1 if isinstance(spec, ChunkedLocalAttentionSpec) else None


def gathered(pool: Tensor, tables: Sequence[Sequence[int]], columns: Columns) -> Tensor:
    """Gather a batch's columns from blocks.

    Args:
        pool: [num_blocks, block_size, num_heads, head_dim].
        tables: the blocks of each row's tokens; the null block for freed ones.

    Returns:
        [num_rows, num_heads, columns, head_dim], 0 where a column is padding or its block was freed.
    """
    rows, count, size = columns.num_rows, columns.count, pool.shape[1]
    valid = torch.ones(rows, count, dtype=torch.bool) if columns.valid is None else columns.valid
    places = (valid.long().cumsum(1) - 1).clamp(min=0)
    longest = max(1, *map(len, tables)) if tables else 1
    blocks = torch.tensor([[*table, *[0] * (longest - len(table))] for table in tables], dtype=torch.int64)
    blocks = blocks.reshape(rows, longest)
    found = blocks.gather(1, (places // size).clamp(max=longest - 1)).to(pool.device)
    there = (valid.to(pool.device) & (found != 0))[..., None, None]
    out = torch.where(there, pool[found, (places % size).to(pool.device)], 0)
    return out.transpose(1, 2)


def over_columns(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor, *, scale: float, sliding_window: int, **more: Any
) -> Tensor:
    """Attend densely with a window that counts columns, padded ones too, as transformers' own attention does.

    Args:
        query: [num_rows, num_heads, queries, head_dim].
        key, value: [num_rows, num_kv_heads, columns, head_dim (head_dim_v)].
        mask: [num_rows, columns] bool, False where a column is padding.
        more: `softcap` and `sinks`.

    Returns:
        [num_rows, queries, num_heads, head_dim_v].
    """
    groups = query.shape[1] // key.shape[1]
    key, value = (x.to(query.dtype).repeat_interleave(groups, 1) for x in (key, value))
    padding = mask.to(query.device)[:, None, None, :]
    return dense_attention(nn.Module(), query, key, value, padding, scale=scale, sliding_window=sliding_window, **more)

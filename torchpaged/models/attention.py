"""Attention over one layer's pool, as a function and as a module: write the step's keys and values, then attend."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache
from torchpaged.ops import int4_cache


def attend(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    metadata: AttentionMetadata,
    cache: LayerCache,
    *,
    latent_dim: int = 0,
    selected: Tensor | None = None,
    granularity: int = 1,
    **options: Any,
) -> Tensor:
    """Write the step's keys and values into `cache`, quantised if the cache is, and attend over it.

    Args:
        query: [num_tokens, num_heads, head_dim], all sequences of the step packed.
        key, value: [num_tokens, num_kv_heads, head_dim (head_dim_v)]; None: they are in the cache already.
        metadata, cache: from `StepMetadata.of_layer` for this layer.
        latent_dim: width of the values in latent attention, where they are the first numbers of the keys: `value` and
            the cache's value have width 0 then.
        selected, granularity: the tokens that are attended to, as `paged_sparse_attention` takes them; None for all.
        options: keyword arguments of `torch.ops.torchpaged.paged_attention`, scale and window among them.

    Returns:
        [num_tokens, num_heads, head_dim_v], query's dtype.
    """
    if key is not None and value is not None:
        if cache.key_factor is not None:
            factor = cache.key_factor.to(key.dtype)
            key = key * factor
            query = (query.unflatten(1, (len(factor), -1)) * factor.reciprocal().unsqueeze(1)).flatten(1, 2)
        torch.ops.torchpaged.write_kv_cache(
            key,
            value,
            cache.key,
            cache.value,
            metadata.slot_mapping,
            k_scale_cache=cache.k_scale,
            v_scale_cache=cache.v_scale,
        )
    arguments: tuple[Tensor, ...] = (
        query,
        cache.key,
        cache.key[..., : int4_cache.row_size(latent_dim, cache.key.dtype)] if latent_dim else cache.value,
        metadata.block_tables,
        metadata.seq_lens,
        metadata.query_start_loc,
    )
    options |= {
        "k_scale": cache.k_scale,
        "v_scale": cache.k_scale if latent_dim else cache.v_scale,
        "max_query_len": metadata.max_query_len,
    }
    out: Tensor
    if selected is None:
        out = torch.ops.torchpaged.paged_attention(*arguments, **options)
    else:
        out = torch.ops.torchpaged.paged_sparse_attention(*arguments, selected, granularity=granularity, **options)
    return out


def choose(
    index_query: Tensor,
    index_weights: Tensor | None,
    index_key: Tensor,
    metadata: AttentionMetadata,
    cache: LayerCache,
    *,
    k: int,
    **options: Any,
) -> Tensor:
    """Write the step's index keys into the index of `cache`, quantised if it is 8-bit, and choose by it.

    Args:
        index_query: [num_tokens, num_heads, head_dim], all sequences of the step packed.
        index_weights: [num_tokens, num_heads], or None.
        index_key: [num_tokens, num_index_heads, head_dim].
        metadata, cache: from `StepMetadata.of_layer` for this layer.
        k: groups to choose.
        options: keyword arguments of `torch.ops.torchpaged.paged_topk`, rule and granularity among them.

    Returns:
        [num_tokens, num_selections, k] int32, `selected` of `attend`.
    """
    (index,) = cache.index
    write_index(index_key, metadata.slot_mapping, index)
    chosen: Tensor = torch.ops.torchpaged.paged_topk(
        index_query,
        index_weights,
        index.key,
        metadata.block_tables,
        metadata.seq_lens,
        metadata.query_start_loc,
        k,
        index_scale=index.k_scale,
        **options,
    )
    return chosen


def write_index(rows: Tensor, slot_mapping: Tensor, index: LayerCache) -> None:
    """Write rows [num_tokens, heads, dim] of an index into its slots."""
    torch.ops.torchpaged.write_kv_cache(
        rows, rows[..., :0], index.key, index.value, slot_mapping, k_scale_cache=index.k_scale
    )


def window_mask(metadata: AttentionMetadata, num_tokens: int, window: int) -> Tensor:
    """Return the tokens of its text that each token sees in both directions, [num_tokens, longest text] bool.

    Args:
        metadata: of a step whose texts are whole.
        window: a token sees those that are less than so many places before or behind it.
    """
    ends = metadata.query_start_loc[1:]
    token = torch.arange(num_tokens, device=ends.device, dtype=ends.dtype)
    text = torch.searchsorted(ends, token, right=True)  # padding is behind the last: starts have one entry more
    place = token - metadata.query_start_loc[text]
    others = torch.arange(metadata.max_query_len, device=ends.device, dtype=ends.dtype)
    return (place[:, None] - others).abs() < window


class PagedAttention(nn.Module):
    """Paged attention as a module for your own model: fixed options in the constructor, a step's data in `forward`.

    Args:
        num_heads, head_dim: of the queries.
        num_kv_heads: None for as many as `num_heads`.
        scale: of the scores; None for head_dim ** -0.5.
        causal: True if a token attends only to itself and earlier tokens.
        sliding_window: how many tokens a token attends to, itself included; 0 for all.
        softcap: scores become softcap * tanh(score / softcap); 0 for none.
        alibi_slopes: [num_heads] float32 or None.
        sinks: [num_heads] one more logit per head, without a value, or None.

    Raises:
        ValueError: heads that do not divide, or a negative window or softcap.
    """

    def __init__(
        self,
        num_heads: int,
        head_dim: int,
        *,
        num_kv_heads: int | None = None,
        scale: float | None = None,
        causal: bool = True,
        sliding_window: int = 0,
        softcap: float = 0.0,
        alibi_slopes: Tensor | None = None,
        sinks: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        if self.num_kv_heads < 1 or num_heads % self.num_kv_heads:
            raise ValueError(
                f"PagedAttention: num_kv_heads is {num_kv_heads}, expected a divisor of num_heads, {num_heads}"
            )
        for name, number in (("sliding_window", sliding_window), ("softcap", softcap)):
            if number < 0:
                raise ValueError(f"PagedAttention: {name} is {number}, expected 0 or more")
        self.scale = head_dim**-0.5 if scale is None else scale
        self.causal, self.sliding_window, self.softcap = causal, sliding_window, softcap
        self.register_buffer("alibi_slopes", alibi_slopes, persistent=False)
        self.register_buffer("sinks", sinks, persistent=False)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, metadata: AttentionMetadata, layer_cache: LayerCache
    ) -> Tensor:
        """Attend for the step's packed tokens, and write the cache; shapes as in `attend`."""
        return attend(
            query,
            key,
            value,
            metadata,
            layer_cache,
            scale=self.scale,
            causal=self.causal,
            sliding_window=self.sliding_window,
            softcap=self.softcap,
            alibi_slopes=self.alibi_slopes,
            sinks=self.sinks,
        )

    def extra_repr(self) -> str:
        """Return the text that `print(module)` shows."""
        return f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}, head_dim={self.head_dim}"

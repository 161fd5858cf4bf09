"""Attention over one layer's pool: write the step's keys and values, then attend. As a function and as a module."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    metadata: AttentionMetadata,
    cache: LayerCache,
    *,
    latent_dim: int = 0,
    **options: Any,
) -> Tensor:
    """Writes the step's keys and values into `cache`, quantising if it is quantised, and attends over it.

    Args:
        query: [num_tokens, num_heads, head_dim], all sequences of the step packed.
        metadata, cache: what `StepMetadata.of_layer` gives for this layer.
        key, value: [num_tokens, num_kv_heads, head_dim (head_dim_v)].
        latent_dim: of keys whose first `latent_dim` numbers are the values (latent attention): `value` and the cache's
            have width 0 then, and the result this width.
        options: keyword arguments of `torch.ops.torchpaged.paged_attention`, scale and window among them.

    Returns:
        [num_tokens, num_heads, head_dim_v], query's dtype.
    """
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
    out: Tensor = torch.ops.torchpaged.paged_attention(
        query,
        cache.key,
        cache.key[..., :latent_dim] if latent_dim else cache.value,
        metadata.block_tables,
        metadata.seq_lens,
        metadata.query_start_loc,
        k_scale=cache.k_scale,
        v_scale=cache.k_scale if latent_dim else cache.v_scale,
        max_query_len=metadata.max_query_len,
        **options,
    )
    return out


class PagedAttention(nn.Module):
    """Attention for a model of your own: what is fixed stands here, what a step brings goes to `forward`.

    Args:
        num_heads, head_dim: of the queries.
        num_kv_heads: None for as many as `num_heads`.
        scale: of the scores; None for head_dim ** -0.5.
        causal: whether a token sees only itself and what came before.
        sliding_window: how many tokens a token sees, itself included; 0 for all.
        softcap: scores become softcap * tanh(score / softcap); 0 for none.
        alibi_slopes: [num_heads] float32 or None.
        sinks: [num_heads] one more logit a head, without a value, or None.

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
        """The step's tokens, packed; shapes as in `attend`. Writes the cache on its way."""
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
        """What `print(module)` shows."""
        return f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}, head_dim={self.head_dim}"

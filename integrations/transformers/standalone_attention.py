"""Attention for attn_implementation="torchpaged" without an engine: `generate`, a plain forward, training.

With a `PagedCache` it writes and reads blocks. Without a cache, with a cache of transformers' own, or when gradients
are needed, it attends to the keys that the model passes: by `varlen_attention` if that can do it, else densely.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.errors import GradientError
from torchpaged.integrations.families import WINDOW_BY_MASK
from torchpaged.integrations.transformers import mla
from torchpaged.integrations.transformers.dense_attention import CallerMask, dense_attention, padding_of
from torchpaged.integrations.transformers.packed_attention import packed_attention, sequences_of
from torchpaged.integrations.transformers.paged_cache import NewKeys, chunks_of, new_keys


def standalone_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | CallerMask | None,
    scaling: float | None,
    dropout: float,
    *,
    sliding_window: int | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
    is_causal: bool | None = None,
    **more: Any,
) -> Tensor:
    """Compute one layer's attention.

    Args:
        query: [batch, num_heads, columns, head_dim].
        key, value: [batch, num_kv_heads, columns, head_dim (head_dim_v)]; with a PagedCache, only the new columns.
        mask: as in `dense_attention`.
        more: further arguments that transformers passes to attention functions.

    Returns:
        [batch, columns, num_heads, head_dim_v].

    Raises:
        GradientError: gradients are needed, and the cache holds earlier tokens.
        ValueError: a mask that is more than padding, or dropout, with a PagedCache; or attention weights are requested.
    """
    if more.get("output_attentions"):
        raise ValueError(
            "attn_implementation='torchpaged': output_attentions is True, and it computes no attention weights; "
            "set attn_implementation='eager'"
        )
    layer: int | None = getattr(module, "layer_idx", None)
    config: Any = getattr(module, "config", None)
    if not sliding_window and getattr(config, "model_type", None) in WINDOW_BY_MASK:
        sliding_window = config.sliding_window
    shared: dict[str, Any] = {
        "scale": query.shape[-1] ** -0.5 if scaling is None else scaling,
        "sliding_window": sliding_window or 0,
        "softcap": softcap or 0.0,
        "sinks": sinks,
    }
    keys = new_keys(layer, key)
    wants_gradients = torch.is_grad_enabled() and any(x.requires_grad for x in (query, key, value))
    if keys is not None and not wants_gradients:
        return _over_cache(module, keys, query, key, value, mask, dropout, shared)
    if keys is not None:
        if not keys.cache.begins(keys):
            raise GradientError(
                "attn_implementation='torchpaged': gradients are needed, and the cache keeps none for the tokens that "
                "it holds; call the model under torch.no_grad(), or without past_key_values"
            )
        with torch.no_grad():  # fill the cache, for later forwards; the output below is computed with gradients
            _over_cache(module, keys, query.detach(), key.detach(), value.detach(), mask, 0.0, shared)
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    chunk = 0 if config is None or layer is None else chunks_of(config).get(layer, 0)
    if causal and not chunk and not dropout:
        windowed = 0 < shared["sliding_window"] < key.shape[2]
        sequences = sequences_of(query, key, value, mask, windowed=windowed, **more)
        if sequences is not None:
            return packed_attention(query, key, value, sequences, **shared)
    return dense_attention(
        module, query, key, value, mask, dropout=dropout, chunk=chunk, causal=causal, **shared, **more
    )


def _over_cache(
    module: nn.Module,
    keys: NewKeys,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | CallerMask | None,
    dropout: float,
    options: dict[str, Any],
) -> Tensor:
    padding = None if mask is None or isinstance(mask, CallerMask) else padding_of(mask)
    if mask is not None and padding is None:
        what = "more than causal and padded" if isinstance(mask, CallerMask) else f"{list(mask.shape)}, {mask.dtype}"
        raise ValueError(
            f"attn_implementation='torchpaged': attention_mask is {what}, expected [batch, columns] over a PagedCache; "
            "set attn_implementation='sdpa'"
        )
    if dropout:
        raise ValueError(f"attn_implementation='torchpaged': dropout is {dropout}, expected 0: call model.eval()")
    if keys.latents is None:
        return keys.cache.attend(keys, query, key, value, padding, **options)
    latent, rotated = keys.latents
    key, value = torch.cat((latent, rotated), -1), latent[..., :0]
    flat = mla.absorb(module, query.transpose(1, 2).flatten(0, 1))  # [batch * columns, num_heads, head_dim]
    query = flat.unflatten(0, (len(key), -1)).transpose(1, 2)
    out = keys.cache.attend(keys, query, key, value, padding, latent_dim=latent.shape[-1], **options)
    expanded: Tensor = mla.expand(module, out.flatten(0, 1)).unflatten(0, out.shape[:2])
    return expanded

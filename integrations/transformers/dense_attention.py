"""Attention without block tables, for training and for a forward without `use_cache`.

Uses torch's `scaled_dot_product_attention`, or plain PyTorch for what that does not support (sinks, softcap). Both have
gradients.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from torchpaged.errors import ConfigError


@dataclass(eq=False)
class CallerMask:
    """A mask that is more than causal and padding: packed sequences, or a model's addition. Computed when it is read.

    Args:
        arguments: those of transformers' mask functions.
        is_packed: the mask only separates sequences packed into a row, which transformers found by their positions.
    """

    arguments: dict[str, Any]
    is_packed: bool
    _made: Tensor | None = field(default=None, init=False)

    def tensor(self) -> Tensor | None:
        """Return the mask [batch, 1, queries, keys] bool, computed once."""
        if self._made is None:
            self._made = sdpa_mask(**self.arguments)
        return self._made


def mask_of_columns(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int | Tensor = 0,
    attention_mask: Tensor | None = None,
    allow_is_causal_skip: bool = True,
    **more: Any,
) -> Tensor | CallerMask | None:
    """Make the mask for attn_implementation="torchpaged", as a mask function of transformers: the padding only.

    Args:
        attention_mask: [batch, columns] bool. Windows and chunks are applied by the attention function.
        allow_is_causal_skip: False if the mask is more than causal and padding.

    Returns:
        None without padding; attention_mask as [batch, 1, 1, columns], since models may slice the queries'
        dimension (Gemma 4); or a `CallerMask`.

    Raises:
        ConfigError: the cache is static.
    """
    if isinstance(q_offset, Tensor):
        raise ConfigError(
            "attn_implementation='torchpaged': the cache is static (cache_implementation='static', or a StaticCache): "
            "it reserves the longest text for each row, and masks what is not written yet by a position on the device, "
            "which block tables do not have; leave it out, and a paged one grows by blocks, or set "
            "attn_implementation='sdpa'"
        )
    if not allow_is_causal_skip:
        more |= {"allow_is_causal_skip": False, "attention_mask": attention_mask, "q_offset": q_offset}
        is_packed = attention_mask is None and not more.get("use_vmap") and "allow_is_bidirectional_skip" not in more
        return CallerMask({"batch_size": batch_size, "q_length": q_length, "kv_length": kv_length, **more}, is_packed)
    if attention_mask is None or attention_mask.all():
        return None
    return attention_mask[:, None, None, :]


def padding_of(mask: Tensor) -> Tensor | None:
    """Return the padding [batch, columns] bool of a mask made by `mask_of_columns`; None for any other mask."""
    if mask.dtype != torch.bool or mask.dim() != 4 or mask.shape[1:3] != (1, 1):
        return None
    return mask[:, 0, 0]


def dense_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | CallerMask | None,
    *,
    scale: float,
    dropout: float = 0.0,
    sliding_window: int = 0,
    chunk: int = 0,
    softcap: float = 0.0,
    sinks: Tensor | None = None,
    causal: bool = True,
    **more: Any,
) -> Tensor:
    """Attend from the last columns to all columns.

    Args:
        query: [batch, num_heads, queries, head_dim].
        key, value: [batch, num_kv_heads, keys, head_dim (head_dim_v)].
        mask: a result of `mask_of_columns`; or [batch, heads or 1, queries, keys], where True (bool) or 0 (float)
            means visible.
        sliding_window, chunk: the layer's window and chunk size, 0 for none.
        more: further arguments of transformers' own function.

    Returns:
        [batch, queries, num_heads, head_dim_v].
    """
    allowed: Tensor | None = mask.tensor() if isinstance(mask, CallerMask) else mask
    if causal and not isinstance(mask, CallerMask) and (mask is None or padding_of(mask) is not None):
        allowed = _causal_mask(query, key.shape[2], None if mask is None else padding_of(mask), sliding_window, chunk)
    if not softcap and sinks is None:
        out: Tensor = sdpa_attention_forward(
            module, query, key, value, allowed, dropout=dropout, scaling=scale, is_causal=causal, **more
        )[0]
        return out
    groups = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(groups, 1) for x in (key, value))
    scores = query @ key.transpose(2, 3) * scale
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if allowed is None and causal:
        allowed = _allowed(query.shape[2], key.shape[2], 0, 0, query.device)[None, None]
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf")) if allowed.dtype == torch.bool else scores + allowed
    if sinks is not None:  # one additional logit for each head, without a value
        column = sinks.to(scores.dtype)[None, :, None, None].expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, column], -1)
    weights = torch.softmax(scores, -1, dtype=torch.float32).to(query.dtype)
    weights = nn.functional.dropout(weights[..., : key.shape[2]], dropout, training=module.training)
    return (weights @ value).transpose(1, 2)


def _allowed(queries: int, keys: int, window: int, chunk: int, device: torch.device) -> Tensor:
    """Return [queries, keys] bool: the keys that each of the last columns sees."""
    at, seen = torch.arange(keys - queries, keys, device=device)[:, None], torch.arange(keys, device=device)
    allowed = seen <= at
    if window:
        allowed &= seen > at - window
    if chunk:
        allowed &= seen // chunk == at // chunk
    return allowed


def _causal_mask(query: Tensor, keys: int, padding: Tensor | None, window: int, chunk: int) -> Tensor | None:
    """Return the mask [batch, 1, queries, keys] bool; None where `is_causal` is enough."""
    queries = query.shape[2]
    window, chunk = window if window < keys else 0, chunk if chunk < keys else 0
    if padding is None and not window and not chunk and queries in (1, keys):
        return None
    if padding is None:
        return _allowed(queries, keys, window, chunk, query.device)[None, None]
    padding = padding[:, -keys:]
    if chunk:  # chunks are counted from a row's first token
        start = padding.int().argmax(1)
        at = torch.arange(keys, device=padding.device) - start[:, None]
        same = (at[:, -queries:, None] // chunk == at[:, None, :] // chunk)[:, None]
    allowed = _allowed(queries, keys, window, 0, query.device)[None, None]
    allowed = allowed & padding[:, None, None, :]
    if chunk:
        allowed = allowed & same
    # A padded column sees itself: softmax over an empty row is NaN, and so are the gradients through it.
    itself = torch.arange(keys - queries, keys, device=query.device)[:, None] == torch.arange(keys, device=query.device)
    return allowed | itself

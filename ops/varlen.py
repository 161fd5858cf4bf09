"""The backend "torch-varlen": `torch.nn.attention.varlen.varlen_attn_out` over our blocks.

torch runs it by FlashAttention 3 (Hopper) or 4 (Blackwell), which its user installs and activates; FlashAttention 2,
torch's own, takes no block table. No value is read on the host, so CUDA graphs capture it.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.foreign import cannot, window_left

# What of torch's takes block tables, and the major compute capability that it is for.
_IMPLEMENTATIONS = {"FA3": 9, "FA4": 10}


def supports(*, query: Tensor, softcap: float, **arguments: Any) -> str | None:
    """None, or what a call has that torch's function cannot do; also where the function is not to be had."""
    if not _has_tables():
        return f"torch {torch.__version__}: its varlen_attn takes no block table, 2.13's does"
    implementation = _active()
    if implementation not in _IMPLEMENTATIONS:
        return (
            "block tables by torch's own FlashAttention 2: install FlashAttention 3 (Hopper) or 4 (Blackwell) and call "
            'torch.nn.attention.activate_flash_attention_impl("FA3") or "FA4"'
        )
    major = torch.cuda.get_device_capability(query.device)[0] if query.is_cuda else _IMPLEMENTATIONS[implementation]
    if major != _IMPLEMENTATIONS[implementation]:
        return f"block tables by {implementation} on a device of compute capability {major}.x"
    if softcap:
        return "softcap"
    head_dim = query.shape[2]
    if head_dim % 8 or head_dim > (256 if implementation == "FA3" else 128):
        return f"head_dim {head_dim} by {implementation}"
    return cannot(query=query, **arguments)


def operands(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    scale: float,
    causal: bool,
    sliding_window: int,
    num_splits: int,
) -> dict[str, Any]:
    """Our arguments as `varlen_attn_out` takes them, by name. Nothing is copied, and no value is read.

    A length there is a bound that must hold, where our `max_query_len` is a hint: so bounds come from shapes.
    """
    return {
        "out": out,
        "query": query,
        "key": key_cache,
        "value": value_cache,
        "cu_seq_q": query_start_loc,
        "cu_seq_k": None,  # seqused_k has the lengths
        "max_q": query.shape[0],
        "max_k": block_tables.shape[1] * key_cache.shape[1],
        "scale": scale,
        "window_size": (window_left(sliding_window), 0 if causal else -1),
        "enable_gqa": query.shape[1] != key_cache.shape[2],
        "seqused_k": seq_lens,
        "block_table": block_tables,
        "num_splits": num_splits or None,
    }


def paged_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    lse: Tensor | None,
    *,
    scale: float,
    causal: bool,
    sliding_window: int,
    num_splits: int,
    **_: Any,
) -> None:
    """See `torchpaged.ops.reference.paged_attention`; arguments that `supports` refuses are not looked at."""
    if 0 in (query.shape[0], *block_tables.shape):  # nothing to see, or nobody to see it
        out.zero_()
        if lse is not None:
            lse.fill_(-torch.inf)
        return
    from torch.nn.attention.varlen import AuxRequest, varlen_attn_out

    arguments = operands(
        query,
        key_cache,
        value_cache,
        block_tables,
        seq_lens,
        query_start_loc,
        out,
        scale=scale,
        causal=causal,
        sliding_window=sliding_window,
        num_splits=num_splits,
    )
    _, totals = varlen_attn_out(**arguments, return_aux=AuxRequest(lse=True))
    totals = totals.T  # [num_tokens, num_heads]
    # Padding rows are not written. A row without a key has an infinite total, of either sign by implementation.
    row = torch.arange(query.shape[0], device=query.device)[:, None]
    saw = (row < query_start_loc[-1]) & totals.isfinite()
    out.masked_fill_(~saw[..., None], 0.0)
    if lse is not None:
        lse.copy_(torch.where(saw, totals, -torch.inf))


@cache
def _has_tables() -> bool:
    try:
        from torch.nn.attention.varlen import varlen_attn_out
    except ImportError:  # before torch 2.13
        return False
    return "block_table" in inspect.signature(varlen_attn_out).parameters


def _active() -> str | None:
    """The implementation of FlashAttention that torch was told to use."""
    from torch.nn.attention import current_flash_attention_impl

    name: str | None = current_flash_attention_impl()
    return name

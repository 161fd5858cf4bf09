"""The backend "torch-varlen": `torch.nn.attention.varlen.varlen_attn_out` over our blocks.

torch runs it with FlashAttention 3 (Hopper) or 4 (Blackwell), which a user installs and activates; torch's own
FlashAttention 2 takes no block table. No value is read on the host, so CUDA graphs capture it.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from torchpaged.ops.attention_options import AttentionOptions
from torchpaged.ops.foreign import cannot, window_left

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The implementations in torch that take block tables, and the major compute capability that each is for.
_IMPLEMENTATIONS = {"FA3": 9, "FA4": 10}


def unavailable() -> str | None:
    """Return why torch's function can do no call here, or None."""
    if not _has_tables():
        return f"torch {torch.__version__}: its varlen_attn takes no block table, 2.13's does"
    if _active() not in _IMPLEMENTATIONS:
        return (
            "block tables by torch's own FlashAttention 2: install FlashAttention 3 (Hopper) or 4 (Blackwell) and call "
            'torch.nn.attention.activate_flash_attention_impl("FA3") or "FA4"'
        )
    return None


def supports(*, query: Tensor, softcap: float, **arguments: Any) -> str | None:
    """Return None, or the part of a call that torch's function cannot do, or why the function is not available."""
    if (reason := unavailable()) is not None:
        return reason
    implementation = _active()
    assert implementation is not None
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
    options: AttentionOptions,
) -> dict[str, Any]:
    """Return our arguments as `varlen_attn_out` takes them, by name. Nothing is copied, and no value is read.

    Its lengths are bounds that must hold, while our `max_query_len` is a hint, so the bounds come from shapes.
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
        "scale": options["scale"],
        "window_size": (window_left(options["sliding_window"]), 0 if options["causal"] else -1),
        "enable_gqa": query.shape[1] != key_cache.shape[2],
        "seqused_k": seq_lens,
        "block_table": block_tables,
        "num_splits": options["num_splits"] or None,
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
    **options: Unpack[AttentionOptions],
) -> None:
    """Run torch's kernel; see `torchpaged.ops.reference.paged_attention`. `supports` has refused other options."""
    if 0 in (query.shape[0], *block_tables.shape):  # no query or no key
        out.zero_()
        if lse is not None:
            lse.fill_(-torch.inf)
        return
    from torch.nn.attention.varlen import AuxRequest, varlen_attn_out

    arguments = operands(query, key_cache, value_cache, block_tables, seq_lens, query_start_loc, out, options)
    totals: Tensor = varlen_attn_out(**arguments, return_aux=AuxRequest(lse=True))[1].T  # [num_tokens, num_heads]
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
    """Return the implementation of FlashAttention that torch was told to use."""
    from torch.nn.attention import current_flash_attention_impl

    name: str | None = current_flash_attention_impl()
    return name

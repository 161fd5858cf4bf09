"""Shim for the tests of FlashAttention 2 and 3 (hopper): torchpaged's functions under FlashAttention's names, on a CPU.

Errors are RuntimeError, as those of FlashAttention's extension are.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any, NoReturn

import torch
from torch import Tensor

import torchpaged.ops  # noqa: F401  defines the operators
from torchpaged.integrations import flash_attn
from torchpaged.integrations.flash_attn import flash_attn_with_kvcache as ours

torch.cuda.get_device_capability = lambda device=None: (8, 0)


class NotThereError(Exception):
    """A function or an argument of FlashAttention that torchpaged does not have."""


def with_kvcache(*args: Any, window_size: Any = (-1, -1), **options: Any) -> Any:
    try:
        return ours(*args, window_size=tuple(map(int, window_size)), **options)
    except ValueError as error:
        raise RuntimeError(str(error)) from error


def as_theirs(function: Any) -> Any:
    """Return one of our functions, with windows as numbers and errors as FlashAttention's."""

    def call(*args: Any, window_size: Any = (-1, -1), **options: Any) -> Any:
        try:
            return function(*args, window_size=tuple(map(int, window_size)), **options)
        except ValueError as error:
            raise RuntimeError(str(error)) from error

    return call


def varlen_forward(q: Tensor, k: Tensor, v: Tensor, **options: Any) -> tuple[Tensor]:
    """Implement FlashAttention's raw call, with one query per sequence, so that a right window of 0 is causal."""
    if options.get("num_splits", 0) > 1:
        raise RuntimeError("num_splits > 1 is not supported")
    lengths = options["seqused_k"]
    out = torch.ops.torchpaged.paged_attention(
        q,
        k,
        v,
        options["block_table"],
        lengths,
        options["cu_seqlens_q"],
        max_query_len=options["max_seqlen_q"],
        scale=options["softmax_scale"],
        num_splits=options.get("num_splits", 0),
    )
    return (out,)


def with_kvcache_3(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    qv: Tensor | None = None,
    rotary_cos: Tensor | None = None,
    rotary_sin: Tensor | None = None,
    cache_seqlens: Tensor | None = None,
    cache_batch_idx: Tensor | None = None,
    cache_leftpad: Tensor | None = None,
    page_table: Tensor | None = None,
    cu_seqlens_q: Tensor | None = None,
    cu_seqlens_k_new: Tensor | None = None,
    max_seqlen_q: int | None = None,
    rotary_seqlens: Tensor | None = None,
    attention_chunk: int = 0,
    scheduler_metadata: Any = None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """Implement FlashAttention 3's call; ragged queries are computed one sequence after the other."""
    assert cache_seqlens is not None
    if qv is not None or attention_chunk:
        raise NotThereError("flash_attn_with_kvcache(qv=..., attention_chunk=...)")
    if rotary_cos is not None and rotary_seqlens is not None and not torch.equal(rotary_seqlens, cache_seqlens):
        raise NotThereError("flash_attn_with_kvcache(rotary_seqlens=...)")
    if page_table is not None and cache_batch_idx is not None:
        page_table, cache_batch_idx = page_table[cache_batch_idx.long()], None
    same = {"rotary_cos": rotary_cos, "rotary_sin": rotary_sin, "return_softmax_lse": True}
    same |= {name: value for name, value in options.items() if name != "return_softmax_lse"}
    if cu_seqlens_q is None:
        return with_kvcache(  # type: ignore[no-any-return]
            q,
            k_cache,
            v_cache,
            k,
            v,
            cache_seqlens=cache_seqlens,
            cache_batch_idx=cache_batch_idx,
            cache_leftpad=cache_leftpad,
            block_table=page_table,
            **same,
        )
    if cache_batch_idx is None and page_table is None:
        cache_batch_idx = torch.arange(len(cache_seqlens), dtype=torch.int32)
    outs, sums = [], []
    for i in range(len(cache_seqlens)):
        new: list[Tensor | None] = [None, None]
        if k is not None and v is not None and cu_seqlens_k_new is not None:
            part = slice(int(cu_seqlens_k_new[i]), int(cu_seqlens_k_new[i + 1]))
            new = [k[part][None], v[part][None]]
        one = slice(i, i + 1)
        out, lse = with_kvcache(
            q[int(cu_seqlens_q[i]) : int(cu_seqlens_q[i + 1])][None],
            k_cache,
            v_cache,
            *new,
            cache_seqlens=cache_seqlens[one],
            cache_batch_idx=None if cache_batch_idx is None else cache_batch_idx[one],
            cache_leftpad=None if cache_leftpad is None else cache_leftpad[one],
            block_table=None if page_table is None else page_table[one],
            **same,
        )
        outs.append(out[0])
        sums.append(lse[0])
    return torch.cat(outs), torch.cat(sums, 1)


def rotate(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool = False, seqlen_offsets: Any = 0, **_: Any) -> Tensor:
    """Rotate [batch, seqlen, heads, dim]; FlashAttention's tests use it as the reference."""
    offsets = torch.as_tensor(seqlen_offsets).reshape(-1, 1).long()
    at = offsets + torch.arange(x.shape[1])
    at = at.expand(x.shape[0], -1).clamp(max=cos.shape[0] - 1)
    cosines, sines = (table[at].float()[:, :, None] for table in (cos, sin))
    half = cos.shape[-1]
    turned, rest = x[..., : 2 * half].float(), x[..., 2 * half :]
    first, second = (turned[..., ::2], turned[..., 1::2]) if interleaved else turned.split(half, -1)
    parts = (first * cosines - second * sines, first * sines + second * cosines)
    together = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    return torch.cat((together.to(x.dtype), rest), -1)


def _missing(name: str) -> Any:
    def function(*_: Any, **__: Any) -> NoReturn:
        raise NotThereError(name)

    return function


def _module(name: str, **contents: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(contents)
    sys.modules[name] = module
    return module


_functions = [name for name in flash_attn.__all__ if name != "flash_attn_with_kvcache"]
_module(
    "flash_attn",
    __path__=[os.path.join(os.environ["PEERS_STAGE"], "flash_attn")],
    flash_attn_with_kvcache=with_kvcache,
    **{name: as_theirs(getattr(flash_attn, name)) for name in _functions},
)
_module(
    "flash_attn.flash_attn_interface",
    _get_block_size_n=_missing("_get_block_size_n"),
    _flash_attn_varlen_forward=varlen_forward,
)
_module("flash_attn.layers", __path__=[])
_module("flash_attn.layers.rotary", apply_rotary_emb=rotate)
_module(
    "flash_attn_interface",
    flash_attn_with_kvcache=with_kvcache_3,
    get_scheduler_metadata=lambda *_, **__: None,
    **{name: as_theirs(getattr(flash_attn, name)) for name in ("flash_attn_func", "flash_attn_varlen_func")},
    flash_attn_combine=_missing("flash_attn_combine"),
)

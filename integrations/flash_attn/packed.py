"""FlashAttention's functions without a cache over `varlen_attention`, with their backward pass.

Arguments have FlashAttention 2's names and order; those that FlashAttention 3 adds are keyword-only. What torchpaged
does not support accepts only its default, and hints that change no result are accepted and unused.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

# Arguments of FlashAttention 3 that only choose among its kernels.
_HINTS = {"num_splits", "pack_gqa", "sm_margin", "deterministic", "scheduler_metadata"}
_Result = Any  # Tensor, or (out, softmax_lse, None) with return_attn_probs


def flash_attn_func(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
    **of_version_3: Any,
) -> _Result:
    """Attend from each batch entry's queries to its keys.

    The mask is aligned to the bottom right: query i sees keys j with p - window_size[0] <= j <= p + window_size[1],
    where p = i + seqlen_k - seqlen_q, and causal sets window_size[1] to 0. A query that sees no key gets 0.

    Args:
        q: [batch, seqlen_q, nheads, headdim] float32, float16 or bfloat16.
        k, v: [batch, seqlen_k, nheads_k, headdim (headdim_v)], q's dtype; nheads is a multiple of nheads_k.
        dropout_p: must be 0.
        softmax_scale: headdim ** -0.5 when None.
        window_size: (left, right), how many keys before and after its own position a query sees; -1 for all.
        softcap: scores become softcap * tanh(score / softcap); 0 for none.
        alibi_slopes: [nheads] or [batch, nheads] float32; subtracts slope * |p - j| from each score.
        deterministic: the backward pass always is, on the CPU and on a GPU.
        return_attn_probs: also return the log-sum-exp of each row's scores, and None in place of probabilities.
        of_version_3: FlashAttention 3's further arguments: hints, which are unused; others must have their default.

    Returns:
        out [batch, seqlen_q, nheads, headdim_v]; with `return_attn_probs` (out, softmax_lse [batch, nheads, seqlen_q]
        float32, None). softmax_lse is +inf for a query that sees no key, and has no gradient.

    Raises:
        ValueError: an argument of the wrong shape, dtype or value, or one that is not supported.
    """
    name = "flash_attn_func"
    for argument, x in (("q", q), ("k", k), ("v", v)):
        if x.dim() != 4:
            _refuse(name, argument, f"has {x.dim()} dimensions, shape {tuple(x.shape)}", "4")
    batch, seqlen_q, seqlen_k = q.shape[0], q.shape[1], k.shape[1]
    if k.shape[0] != batch or v.shape[:2] != k.shape[:2]:
        found = f"have batches and lengths {tuple(k.shape[:2])} and {tuple(v.shape[:2])}"
        _refuse(name, "k and v", found, f"those of a batch of {batch}, the same length in both")
    starts = [torch.arange(batch + 1, dtype=torch.int32, device=q.device) * each for each in (seqlen_q, seqlen_k)]
    options = _options(name, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, of_version_3)
    rows = [x.flatten(0, 1) for x in (q, k, v)]
    out, lse = _attend(rows[0], rows[1], rows[2], starts[0], starts[1], seqlen_q, seqlen_k, options)
    out = out.unflatten(0, (batch, seqlen_q))
    if not return_attn_probs:
        return out
    return out, lse.unflatten(0, (batch, seqlen_q)).transpose(1, 2).contiguous(), None


def flash_attn_varlen_func(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
    block_table: Tensor | None = None,
    *,
    seqused_q: Tensor | None = None,
    seqused_k: Tensor | None = None,
    **of_version_3: Any,
) -> _Result:
    """Attend from each packed sequence's queries to its keys; masks as in `flash_attn_func`.

    Args:
        q: [total_q, nheads, headdim].
        k, v: [total_k, nheads_k, headdim (headdim_v)]; with `block_table` [num_blocks, page_block_size, nheads_k,
            headdim], of any page_block_size.
        cu_seqlens_q, cu_seqlens_k: [batch + 1] int32, where each sequence begins, and where the last one ends.
        max_seqlen_q, max_seqlen_k: the longest sequence.
        block_table: [batch, max_blocks] int32, the block of each page of a sequence. The pages are gathered, for which
            cu_seqlens_k is read on the host, and gradients reach the blocks.
        seqused_q, seqused_k: [batch] int32, how many of a sequence's first queries and keys count; None: all. The other
            queries get 0, and the other keys are seen by none.

    The other arguments, and errors, are those of `flash_attn_func`; alibi_slopes is [nheads] or [batch, nheads].

    Returns:
        out [total_q, nheads, headdim_v]; with `return_attn_probs` (out, softmax_lse [nheads, total_q] float32, None).
    """
    name = "flash_attn_varlen_func"
    options = _options(name, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, of_version_3)
    if block_table is not None:
        k, v = _pages(name, k, v, cu_seqlens_k, block_table)
    if seqused_q is not None or seqused_k is not None:
        used_q = _used_ends(name, "q", cu_seqlens_q, seqused_q)
        used_k = _used_ends(name, "k", cu_seqlens_k, seqused_k)
        # Three sequences for each: what is used, the other queries without keys, the other keys without queries.
        cu_seqlens_q = _between(cu_seqlens_q, used_q, cu_seqlens_q[1:])
        cu_seqlens_k = _between(cu_seqlens_k, used_k, used_k)
        if alibi_slopes is not None and alibi_slopes.dim() == 2:
            options["alibi_slopes"] = alibi_slopes.repeat_interleave(3, 0)
    out, lse = _attend(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, options)
    return (out, lse.T.contiguous(), None) if return_attn_probs else out


def flash_attn_qkvpacked_func(qkv: Tensor, *args: Any, **options: Any) -> _Result:
    """Call `flash_attn_func` with qkv [batch, seqlen, 3, nheads, headdim]; the other arguments are its own."""
    return flash_attn_func(*_parts("flash_attn_qkvpacked_func", "qkv", qkv, 5, 3), *args, **options)


def flash_attn_kvpacked_func(q: Tensor, kv: Tensor, *args: Any, **options: Any) -> _Result:
    """Call `flash_attn_func` with kv [batch, seqlen_k, 2, nheads_k, headdim]; the other arguments are its own."""
    return flash_attn_func(q, *_parts("flash_attn_kvpacked_func", "kv", kv, 5, 2), *args, **options)


def flash_attn_varlen_qkvpacked_func(
    qkv: Tensor, cu_seqlens: Tensor, max_seqlen: int, *args: Any, **options: Any
) -> _Result:
    """Call `flash_attn_varlen_func` with qkv [total, 3, nheads, headdim]; the other arguments are its own."""
    q, k, v = _parts("flash_attn_varlen_qkvpacked_func", "qkv", qkv, 4, 3)
    return flash_attn_varlen_func(q, k, v, cu_seqlens, cu_seqlens, max_seqlen, max_seqlen, *args, **options)


def flash_attn_varlen_kvpacked_func(q: Tensor, kv: Tensor, *args: Any, **options: Any) -> _Result:
    """Call `flash_attn_varlen_func` with kv [total_k, 2, nheads_k, headdim]; the other arguments are its own."""
    parts = _parts("flash_attn_varlen_kvpacked_func", "kv", kv, 4, 2)
    return flash_attn_varlen_func(q, *parts, *args, **options)


def refuse_unsupported(name: str, arguments: dict[str, Any]) -> None:
    """Raise ValueError for arguments of FlashAttention 3 that are not supported, TypeError for unknown ones."""
    defaults = {"attention_chunk": 0, **dict.fromkeys(("qv", "q_descale", "k_descale", "v_descale"))}
    defaults |= dict.fromkeys(("seqused_q", "seqused_k", "leftpad_k"))
    defaults |= dict.fromkeys(("cu_seqlens_q", "cu_seqlens_k_new", "max_seqlen_q", "rotary_seqlens"))
    for argument, value in arguments.items():
        if argument in _HINTS:
            continue
        if argument not in defaults:
            raise TypeError(f"{name}: there is no argument {argument}")
        if value is not None and value != defaults[argument]:
            _refuse(name, argument, "is given", f"{defaults[argument]}: torchpaged does not support it")


def _refuse(name: str, argument: str, found: str, expected: str) -> None:
    raise ValueError(f"{name}: {argument} {found}, expected {expected}")


def _options(
    name: str,
    dropout_p: float,
    softmax_scale: float | None,
    causal: bool,
    window_size: tuple[int, int],
    softcap: float,
    alibi_slopes: Tensor | None,
    of_version_3: dict[str, Any],
) -> dict[str, Any]:
    """Return the options of `varlen_attention`."""
    refuse_unsupported(name, of_version_3)
    if dropout_p:
        _refuse(name, "dropout_p", f"is {dropout_p}", "0: torchpaged has no dropout")
    if len(window_size) != 2:
        _refuse(name, "window_size", f"is {window_size}", "(left, right)")
    if softcap < 0:
        _refuse(name, "softcap", f"is {softcap}", "0 or more")
    left, right = (-1 if each is None or each < 0 else int(each) for each in window_size)
    return {
        "scale": softmax_scale,
        "causal": causal,
        "sliding_window": left + 1,
        "right_window": -1 if causal else right,
        "softcap": float(softcap),
        "alibi_slopes": alibi_slopes,
    }


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    options: dict[str, Any],
) -> tuple[Tensor, Tensor]:
    """Return out [total_q, nheads, headdim_v] and the log-sum-exp [total_q, nheads] as FlashAttention has it."""
    q, k, v = (x if x.stride(-1) == 1 else x.contiguous() for x in (q, k, v))
    out, lse = torch.ops.torchpaged.varlen_attention_with_lse(
        q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q=max_seqlen_q, max_seqlen_k=max_seqlen_k, **options
    )
    lse = lse.detach()
    return out, torch.where(lse == -torch.inf, torch.inf, lse)


def _used_ends(name: str, side: str, starts: Tensor, used: Tensor | None) -> Tensor:
    """Return [batch] where the used part of each sequence ends."""
    if used is None:
        return starts[1:]
    lengths = starts.diff()
    if used.shape != lengths.shape:
        _refuse(
            name, f"seqused_{side}", f"has shape {tuple(used.shape)}", f"{tuple(lengths.shape)}, an entry a sequence"
        )
    if used.device.type == "cpu" and bool(((used < 0) | (used > lengths)).any()):
        _refuse(
            name,
            f"seqused_{side}",
            f"is {used.tolist()!s:.80}",
            f"0 to the sequences' lengths {lengths.tolist()!s:.80}",
        )
    return starts[:-1] + used.to(starts.dtype)


def _between(starts: Tensor, *ends: Tensor) -> Tensor:
    """Return `starts` with the ends of each sequence's parts between them."""
    return torch.cat([torch.stack([starts[:-1], *ends], 1).flatten(), starts[-1:]])


def _pages(name: str, k: Tensor, v: Tensor, cu_seqlens_k: Tensor, block_table: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sequences' keys and values, packed: as many rows as cu_seqlens_k says on the CPU, else all of them."""
    if k.dim() != 4 or block_table.dim() != 2:
        argument, x = ("k", k) if k.dim() != 4 else ("block_table", block_table)
        _refuse(name, argument, f"has shape {tuple(x.shape)}", "blocks of four dimensions and a table of two")
    page, sequences = k.shape[1], cu_seqlens_k.shape[0] - 1
    if block_table.shape[0] != sequences:
        _refuse(name, "block_table", f"has {block_table.shape[0]} rows", f"{sequences}, the sequences of cu_seqlens_k")
    total = int(cu_seqlens_k[-1])
    place = torch.arange(total, device=k.device)
    sequence = torch.searchsorted(cu_seqlens_k[1:].contiguous(), place.to(cu_seqlens_k.dtype), right=True)
    position = place - cu_seqlens_k[sequence]
    lengths = cu_seqlens_k[1:] - cu_seqlens_k[:-1]
    room = block_table.shape[1] * page
    if total and int(lengths.max()) > room:
        _refuse(name, "cu_seqlens_k", f"has a sequence of {int(lengths.max())} keys", f"at most {room}, its table's")
    block = block_table[sequence, position // page].long()
    if total and not 0 <= int(block.min()) <= int(block.max()) < k.shape[0]:
        _refuse(name, "block_table", f"has blocks {int(block.min())} to {int(block.max())}", f"0 to {k.shape[0] - 1}")
    return k[block, position % page], v[block, position % page]


def _parts(name: str, argument: str, packed: Tensor, dim: int, count: int) -> Any:
    if packed.dim() != dim or packed.shape[dim - 3] != count:
        _refuse(name, argument, f"has shape {tuple(packed.shape)}", f"{dim} dimensions, {count} in the third last")
    return packed.unbind(dim - 3)

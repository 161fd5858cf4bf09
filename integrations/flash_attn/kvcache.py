"""`flash_attn_with_kvcache`: FlashAttention's arguments, converted for `write_kv_cache` and `paged_attention_with_lse`.

It reads no value back from a GPU; on the CPU it checks lengths and indices first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchpaged.integrations.flash_attn.packed import refuse_unsupported
from torchpaged.integrations.flash_attn.values import check_values, is_readable

_NAME = "flash_attn_with_kvcache"
# A slot beyond the end of every cache.
NO_SLOT = 2**62
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def flash_attn_with_kvcache(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    rotary_cos: Tensor | None = None,
    rotary_sin: Tensor | None = None,
    cache_seqlens: int | Tensor | None = None,
    cache_batch_idx: Tensor | None = None,
    cache_leftpad: Tensor | None = None,
    block_table: Tensor | None = None,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    rotary_interleaved: bool = True,
    alibi_slopes: Tensor | None = None,
    num_splits: int = 0,
    return_softmax_lse: bool = False,
    *,
    page_table: Tensor | None = None,
    **of_version_3: Any,
) -> Tensor | tuple[Tensor, Tensor]:
    """Append `k` and `v` to the cache in place, then attend over it. Forward only, as in FlashAttention.

    With n = cache_seqlens and seqlen_k = n + seqlen_new - leftpad, query i is at position p = seqlen_k - seqlen + i
    (the mask is aligned to the bottom right). It sees keys j with p - window_size[0] <= j <= p + window_size[1] and
    0 <= j < seqlen_k, where j counts from the end of the left padding. The output of a query that sees no key is 0.

    Args:
        q: [batch, seqlen, nheads, headdim] float32, float16 or bfloat16, one sequence or more.
        k_cache, v_cache: q's dtype, any strides with the last dimension contiguous. With `block_table` [num_blocks,
            page_block_size, nheads_k, headdim], any page_block_size; else [batch_cache, seqlen_cache, nheads_k,
            headdim]. nheads is a multiple of nheads_k.
        k, v: [batch, seqlen_new, nheads_k, headdim], written at positions n, n + 1, ... Needs `cache_seqlens`.
            Positions past the cache raise an error on the CPU; on a GPU, which cannot raise, they are not written.
        rotary_cos, rotary_sin: [seqlen_ro, rotary_dim / 2] with seqlen_ro at least the cache's capacity and
            rotary_dim <= headdim. k is rotated at n, n + 1, ...; q at n + i when causal or with a
            window (smaller than the capacity), else every query at n. Left padding does not shift these positions.
            If cache_seqlens is a tensor, a query's position past seqlen_ro is rotated by the last row. Needs k.
        cache_seqlens: tokens in the cache before the call, left padding included: an int for all, or [batch] int32.
            None for the cache's whole capacity. With the new tokens it is at most that.
        cache_batch_idx: [batch] int32, the cache's row of each sequence; None for 0, 1, ... Not with `block_table`.
        cache_leftpad: [batch] int32, the first visible position. Works with paged caches too, unlike in
            FlashAttention. Slower: the table then has one entry for each token. If k_cache and v_cache differ in
            their strides, the sequences are gathered first.
        block_table: [batch, max_blocks] int32, the physical block of each logical block.
        softmax_scale: headdim ** -0.5 when None.
        causal: sets window_size[1] to 0.
        window_size: (left, right), how many keys before and after its own position a query sees; -1 for all.
        softcap: scores become softcap * tanh(score / softcap); 0 for none.
        rotary_interleaved: dimensions (0, 1), (2, 3), ... are rotated in pairs; else the two halves of rotary_dim.
        alibi_slopes: [nheads] or [batch, nheads] float32; adds -slope * |p - j| to each score. One call
            of the operator per sequence if slopes differ by sequence, two if queries see keys after their own.
        num_splits: a hint, 0 for the heuristic. It changes no result.
        return_softmax_lse: also return the log-sum-exp of each row's scores.
        page_table: FlashAttention 3's name of `block_table`.
        of_version_3: FlashAttention 3's further arguments: hints, which are unused; others must have their default.

    Returns:
        out [batch, seqlen, nheads, headdim] in q's dtype; with `return_softmax_lse` also softmax_lse [batch, nheads,
        seqlen] float32, natural log, +inf for a query that sees no key, as in FlashAttention. With ALiBi and causal,
        FlashAttention adds slope * j instead, which omits a constant of each row; here it is over the scores as above.

    Raises:
        ValueError: an argument of the wrong shape, dtype or value; arguments that exclude each other. On the CPU the
            values of tensors are checked before anything is written: lengths beyond the cache, and blocks and rows
            that do not exist. In compiled code the operators check them.
    """
    refuse_unsupported(_NAME, of_version_3)
    if page_table is not None:
        if block_table is not None:
            _refuse("page_table", "is given together with block_table", "one of the two: they are the same")
        block_table = page_table
    _check_caches(q, k_cache, v_cache, block_table, cache_batch_idx)
    batch, seqlen, num_heads, headdim = q.shape
    page, columns = k_cache.shape[1], 1 if block_table is None else block_table.shape[1]
    capacity = page * columns
    seqlen_new = _check_new(k, v, q, k_cache, cache_seqlens, capacity)
    _check_options(q, cache_seqlens, cache_leftpad, alibi_slopes, window_size, softcap, num_splits)
    # FlashAttention, too, drops a window that covers the cache before it decides how to rotate q.
    left, right = (-1 if size < 0 or size >= capacity else size for size in window_size)
    if causal:
        right = 0
    rotated = seqlen if left >= 0 or right >= 0 else 1  # number of positions by which q is rotated
    _check_rotary(rotary_cos, rotary_sin, k, q, capacity, cache_seqlens, rotated)
    if is_readable(q):
        check_values(_NAME, k_cache, cache_seqlens, seqlen_new, cache_batch_idx, cache_leftpad, block_table)

    # A contiguous cache is a paged one whose sequences have one large block each.
    if block_table is None:
        rows = torch.arange(batch, dtype=torch.int32, device=q.device) if cache_batch_idx is None else cache_batch_idx
        block_table = rows[:, None]
    block_table = _dense(block_table)
    before = capacity if cache_seqlens is None else cache_seqlens
    lengths = torch.full((batch,), before, dtype=torch.int32, device=q.device) if isinstance(before, int) else before

    q = _dense(q)
    if rotary_cos is not None and rotary_sin is not None and k is not None:
        k = _rotate(k, rotary_cos, rotary_sin, _positions(lengths, seqlen_new), rotary_interleaved)
        q = _rotate(q, rotary_cos, rotary_sin, _positions(lengths, rotated), rotary_interleaved)
    if k is not None and v is not None:
        slots = _slot_mapping(block_table, page, _positions(lengths, seqlen_new))
        torch.ops.torchpaged.write_kv_cache(_dense(k).flatten(0, 1), _dense(v).flatten(0, 1), k_cache, v_cache, slots)

    cache = _Paged(k_cache, v_cache, block_table, _dense(lengths + seqlen_new))
    if cache_leftpad is not None:
        cache = _starting_at(_by_token(cache), cache_leftpad)
    # A length known only on the device may be shorter than the queries; only the new keys are certain to exist.
    certain = before if isinstance(before, int) and cache_leftpad is None else 0
    window = _Window(seqlen, left, right, aligned=seqlen <= max(1, certain + seqlen_new))
    options = {"scale": softmax_scale, "softcap": float(softcap), "num_splits": num_splits}
    query, alibi_slopes = q.flatten(0, 1), None if alibi_slopes is None else _dense(alibi_slopes)
    if alibi_slopes is None or alibi_slopes.dim() == 1:
        out, lse = _attend(query, cache, window, alibi_slopes, options)
    else:  # the operator's slopes are per head: one call for each sequence
        parts = [
            _attend(query[i * seqlen : (i + 1) * seqlen], cache.sequence(i), window, alibi_slopes[i], options)
            for i in range(batch)
        ]
        out, lse = torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts])
    out = out.view(batch, seqlen, num_heads, headdim)
    if not return_softmax_lse:
        return out
    lse = torch.where(lse == -torch.inf, torch.inf, lse)
    return out, lse.view(batch, seqlen, num_heads).transpose(1, 2).contiguous()


class _Paged(NamedTuple):
    """A cache as the operator's arguments."""

    key: Tensor
    value: Tensor
    table: Tensor  # [num_seqs, max_blocks] int32
    lengths: Tensor  # [num_seqs] int32

    def sequence(self, i: int) -> _Paged:
        return self._replace(table=self.table[i : i + 1], lengths=self.lengths[i : i + 1])


class _Window:
    """The window of `seqlen` queries, normalized to the forms that need different calls of the operator."""

    def __init__(self, seqlen: int, left: int, right: int, aligned: bool) -> None:
        self.seqlen = seqlen
        self.left = left
        # The last query is at the last key, so no query has more than seqlen - 1 keys after it.
        self.right = 0 if seqlen == 1 else -1 if right < 0 or right >= seqlen - 1 else right
        self.aligned = aligned  # no query's position is before key 0

    def distances(self, device: torch.device) -> Tensor:
        """Return [seqlen, seqlen]: the distance from each query to each of the last `seqlen` keys."""
        at = torch.arange(self.seqlen, device=device)
        return at[None] - at[:, None]


def _attend(
    query: Tensor, cache: _Paged, window: _Window, slopes: Tensor | None, options: dict[str, Any]
) -> tuple[Tensor, Tensor]:
    """Attend from each sequence's queries [num_seqs * seqlen, nheads, headdim] to its keys; returns (out, lse)."""
    sliding = window.left + 1  # 0: no window
    if window.right == 0:
        return _call(query, cache, window.seqlen, options, causal=True, sliding_window=sliding, alibi_slopes=slopes)
    if slopes is not None:
        # The operator's bias is slope * (j - p), which equals -slope * |p - j| for keys up to p only. Keys after p are
        # attended to separately with the opposite sign, and the two results are merged.
        merged: tuple[Tensor, Tensor] = torch.ops.torchpaged.merge_attention_states(
            *_call(query, cache, window.seqlen, options, causal=True, sliding_window=sliding, alibi_slopes=slopes),
            *_attend_after(query, cache, window, -slopes, options),
        )
        return merged
    if not window.aligned:
        return _row_by_row(query, cache, window, None, options)
    mask = None
    if window.right > 0:  # all keys after a query are among the last `seqlen` keys, which the mask covers
        mask = (window.distances(query.device) <= window.right).repeat(cache.lengths.shape[0], 1)
    return _call(query, cache, window.seqlen, options, causal=False, sliding_window=sliding, tree_mask=mask)


def _attend_after(
    query: Tensor, cache: _Paged, window: _Window, slopes: Tensor, options: dict[str, Any]
) -> tuple[Tensor, Tensor]:
    """Attend only to keys after each query's position, with a bias of slope * (j - p)."""
    if not window.aligned:
        return _row_by_row(query, cache, window, slopes, options)
    distances = window.distances(query.device)
    mask = distances > 0 if window.right < 0 else (distances > 0) & (distances <= window.right)
    mask = mask.repeat(cache.lengths.shape[0], 1)
    # A window of one token hides the keys before the query, and the mask hides the query's own key.
    return _call(
        query, cache, window.seqlen, options, causal=False, sliding_window=1, tree_mask=mask, alibi_slopes=slopes
    )


def _row_by_row(
    query: Tensor, cache: _Paged, window: _Window, slopes: Tensor | None, options: dict[str, Any]
) -> tuple[Tensor, Tensor]:
    """Attend with each query as a sequence of its own that ends at the last visible key; with slopes, only after p.

    With fewer keys than queries, the first queries are before key 0. For these the operator returns nothing, whereas
    FlashAttention attends to the keys after them, so such batches take this form.
    """
    start: Tensor | None = None
    lengths = cache.lengths[:, None]
    at = lengths - window.seqlen + torch.arange(window.seqlen, dtype=torch.int32, device=query.device)
    end = lengths.expand_as(at) if window.right < 0 else torch.minimum(lengths, at + window.right + 1).clamp(min=0)
    if slopes is not None:
        start = (at + 1).clamp(min=0)
    elif window.left >= 0:
        start = (at - window.left).clamp(min=0)
    if start is not None:
        cache = _by_token(cache)
    rows = cache._replace(table=cache.table.repeat_interleave(window.seqlen, 0), lengths=_dense(end.flatten()))
    if start is not None:
        rows = _starting_at(rows, start.flatten())
    out, lse = _call(query, rows, 1, options, causal=False, alibi_slopes=slopes)
    if slopes is not None:  # the bias was counted from the last key instead of from p
        lse = lse + slopes * (end - 1 - at).flatten()[:, None]
    return out, lse


def _call(query: Tensor, cache: _Paged, seqlen: int, options: dict[str, Any], **features: Any) -> tuple[Tensor, Tensor]:
    starts = torch.arange(cache.lengths.shape[0] + 1, dtype=torch.int32, device=query.device) * seqlen
    found: tuple[Tensor, Tensor] = torch.ops.torchpaged.paged_attention_with_lse(
        query, cache.key, cache.value, cache.table, cache.lengths, starts, max_query_len=seqlen, **options, **features
    )
    return found


def _starting_at(cache: _Paged, start: Tensor) -> _Paged:
    """Drop each sequence's first `start` [num_seqs] keys; the cache must have blocks of one token."""
    capacity = cache.table.shape[1]
    entries = start[:, None].long() + torch.arange(capacity, device=start.device)
    table = cache.table.gather(1, entries.clamp(0, capacity - 1))  # entries after the last key are never read
    return cache._replace(table=table, lengths=(cache.lengths - start).clamp(min=0))


def _by_token(cache: _Paged) -> _Paged:
    """View the cache in blocks of one token, so that a sequence can start anywhere: a longer table, usually no copy."""
    num_seqs, page = cache.table.shape[0], cache.key.shape[1]
    if page == 1:
        return cache
    unit, num_entries = _common_step(cache.key)
    if cache.key.stride()[:2] != cache.value.stride()[:2] or num_entries >= 2**31:
        # One table cannot address the tokens of both. Only in this case keys are copied.
        key, value = torch.ops.torchpaged.gather_kv_cache(*cache, max_tokens=cache.table.shape[1] * page)
        rows = torch.arange(num_seqs, dtype=torch.int32, device=key.device)[:, None]
        return _by_token(_Paged(key, value, rows, cache.lengths))
    block_step, token_step = (stride // unit for stride in cache.key.stride()[:2])
    blocks = cache.table.long().repeat_interleave(page, 1) * block_step
    table = blocks + torch.arange(page, device=blocks.device).repeat(cache.table.shape[1]) * token_step
    # If storage has heads before tokens, the entries overlap. That is harmless: they are only read.
    key, value = (
        x.as_strided((num_entries, 1, *x.shape[2:]), (unit, unit, *x.stride()[2:])) for x in (cache.key, cache.value)
    )
    return _Paged(key, value, table.to(torch.int32), cache.lengths)


def _common_step(cache: Tensor) -> tuple[int, int]:
    """Return the largest step, in elements, that reaches every token of every block, and the number of steps."""
    num_blocks, page = cache.shape[:2]
    per_block, per_token = cache.stride()[:2]
    unit, rest = per_block, per_token
    while rest:  # Euclid's algorithm: torch.compile does not trace math.gcd
        unit, rest = rest, unit % rest
    return unit, ((num_blocks - 1) * per_block + (page - 1) * per_token) // unit + 1


def _dense(x: Tensor) -> Tensor:
    """Make the last dimension contiguous, as the operators require. FlashAttention copies such tensors too."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _positions(lengths: Tensor, count: int) -> Tensor:
    """Return [batch, count] int64: the positions of `count` tokens after the first `lengths`."""
    return lengths[:, None].long() + torch.arange(count, device=lengths.device)


def _slot_mapping(table: Tensor, page: int, positions: Tensor) -> Tensor:
    """Return [batch * seqlen_new] int64: the slot of each position; `NO_SLOT` for positions past the table.

    `write_kv_cache` raises for that slot on the CPU and skips it on a GPU.
    """
    logical = positions // page
    blocks = table.gather(1, logical.clamp(0, table.shape[1] - 1)).long()
    return torch.where(logical < table.shape[1], blocks * page + positions % page, NO_SLOT).flatten()


def _rotate(x: Tensor, cos: Tensor, sin: Tensor, positions: Tensor, interleaved: bool) -> Tensor:
    """Apply rotary embedding (RoFormer, arXiv 2104.09864) to the first rotary_dim dimensions, in float32.

    x: [batch, count, heads, headdim]; positions: [batch, count], or [batch, 1] for the same position in each token.
    """
    positions = positions.clamp(0, cos.shape[0] - 1)  # on a GPU an index past the table aborts the process
    cos, sin = (table[positions].float()[:, :, None] for table in (cos, sin))
    rotary_dim = 2 * cos.shape[-1]
    rotated, rest = x[..., :rotary_dim].float(), x[..., rotary_dim:]
    axis = -1 if interleaved else -2  # of the pair, once the rotated dimensions are laid out by pairs
    first, second = rotated.unflatten(-1, (-1, 2) if interleaved else (2, -1)).unbind(axis)
    rotated = torch.stack((first * cos - second * sin, second * cos + first * sin), axis).flatten(-2)
    return torch.cat((rotated.to(x.dtype), rest), -1)


# --- Argument checks: shapes, dtypes and devices; values are checked in `values.py` ----------------------------


def _refuse(argument: str, found: str, expected: str) -> None:
    raise ValueError(f"{_NAME}: {argument} {found}, expected {expected}")


def _tensor(name: str, x: Tensor, like: Tensor, dtype: torch.dtype, *shapes: tuple[int, ...], what: str) -> None:
    """Require one of `shapes`, a dtype, and the device of `like`."""
    # Not `in`: torch.compile takes two symbolic sizes for different ones there.
    if all(x.shape != shape for shape in shapes):
        _refuse(name, f"has shape {tuple(x.shape)}", f"{what}, {' or '.join(str(shape) for shape in shapes)}")
    if x.dtype != dtype:
        _refuse(name, f"has dtype {x.dtype}", str(dtype))
    if x.device != like.device:
        _refuse(name, f"is on {x.device}", f"q's device, {like.device}")


def _check_caches(
    q: Tensor, k_cache: Tensor, v_cache: Tensor, block_table: Tensor | None, cache_batch_idx: Tensor | None
) -> None:
    for name, x in (("q", q), ("k_cache", k_cache), ("v_cache", v_cache)):
        if x.dim() != 4:
            _refuse(name, f"has {x.dim()} dimensions, shape {tuple(x.shape)}", "4")
    batch, _, num_heads, dim = q.shape
    if q.dtype not in _DTYPES:
        _refuse("q", f"has dtype {q.dtype}", "float32, float16 or bfloat16")
    _tensor("k_cache", k_cache, q, q.dtype, (*k_cache.shape[:3], dim), what="headdim as in q")
    _tensor("v_cache", v_cache, q, q.dtype, tuple(k_cache.shape), what="the shape of k_cache")
    for name, x in (("k_cache", k_cache), ("v_cache", v_cache)):
        if x.stride(3) != 1:
            _refuse(name, f"has stride {x.stride(3)} in its last dimension", "1: it is written in place")
    if batch == 0:
        _refuse("q", f"has shape {tuple(q.shape)}", "a batch of 1 or more")
    if 0 in k_cache.shape:
        _refuse("k_cache", f"has an empty dimension, shape {tuple(k_cache.shape)}", "1 or more in each")
    if num_heads == 0 or num_heads % k_cache.shape[2]:
        _refuse("q", f"has {num_heads} heads", f"a multiple of the {k_cache.shape[2]} heads of k_cache")
    if block_table is not None:
        if block_table.dim() != 2 or block_table.shape[1] == 0:
            _refuse("block_table", f"has shape {tuple(block_table.shape)}", "[batch, max_blocks], one block or more")
        _tensor("block_table", block_table, q, torch.int32, (batch, block_table.shape[1]), what="[batch, max_blocks]")
        if cache_batch_idx is not None:
            _refuse("cache_batch_idx", "is given together with block_table", "one of the two: the table names the rows")
    elif cache_batch_idx is not None:
        _tensor("cache_batch_idx", cache_batch_idx, q, torch.int32, (batch,), what="[batch]")
    elif batch > k_cache.shape[0]:
        _refuse("k_cache", f"has {k_cache.shape[0]} rows", f"at least q's batch size, {batch}, without cache_batch_idx")


def _check_new(
    k: Tensor | None, v: Tensor | None, q: Tensor, k_cache: Tensor, cache_seqlens: int | Tensor | None, capacity: int
) -> int:
    """Check the new keys and values; returns how many there are for each sequence."""
    if (k is None) != (v is None):
        _refuse("v" if v is None else "k", "is None", "k and v together, or neither")
    seqlen_new = 0
    if k is not None and v is not None:
        if cache_seqlens is None:
            _refuse("cache_seqlens", "is None", "an int or a tensor when k and v are given: it says where they go")
        seqlen_new = k.shape[1] if k.dim() == 4 else 1
        for name, x in (("k", k), ("v", v)):
            shape = (q.shape[0], seqlen_new, *k_cache.shape[2:])
            _tensor(name, x, q, q.dtype, shape, what="[batch, seqlen_new, nheads_k, headdim]")
        if seqlen_new > capacity:
            _refuse("k", f"has {seqlen_new} tokens a sequence", f"at most {capacity}, the cache's capacity")
    if isinstance(cache_seqlens, int) and not 0 <= cache_seqlens <= capacity - seqlen_new:
        _refuse("cache_seqlens", f"is {cache_seqlens}", f"0 to {capacity - seqlen_new}, what the cache can hold")
    return seqlen_new


def _check_rotary(
    cos: Tensor | None,
    sin: Tensor | None,
    k: Tensor | None,
    q: Tensor,
    capacity: int,
    cache_seqlens: int | Tensor | None,
    rotated: int,
) -> None:
    if cos is None or sin is None:
        if cos is not None or sin is not None:
            _refuse("rotary_cos" if cos is None else "rotary_sin", "is None", "rotary_cos and rotary_sin, or neither")
        return
    if k is None:
        _refuse("rotary_cos", "is given without k", "k and v too: cached keys are rotated already")
    if cos.dim() != 2 or cos.shape[0] < capacity or not 0 < 2 * cos.shape[1] <= q.shape[3]:
        limits = f"[at least {capacity}, the cache's capacity; 1 to {q.shape[3] // 2}, half of headdim]"
        _refuse("rotary_cos", f"has shape {tuple(cos.shape)}", limits)
    if not cos.is_floating_point():
        _refuse("rotary_cos", f"has dtype {cos.dtype}", "a floating point dtype")
    for name, x in (("rotary_cos", cos), ("rotary_sin", sin)):
        _tensor(name, x, q, cos.dtype, tuple(cos.shape), what="rotary_cos and rotary_sin alike")
    if isinstance(cache_seqlens, int) and cache_seqlens + rotated > cos.shape[0]:
        needed = f"{cache_seqlens + rotated}: q is rotated up to position {cache_seqlens + rotated - 1}"
        _refuse("rotary_cos", f"has {cos.shape[0]} rows", f"at least {needed}")


def _check_options(
    q: Tensor,
    cache_seqlens: int | Tensor | None,
    cache_leftpad: Tensor | None,
    alibi_slopes: Tensor | None,
    window_size: tuple[int, int],
    softcap: float,
    num_splits: int,
) -> None:
    batch, _, num_heads, _ = q.shape
    if isinstance(cache_seqlens, Tensor):
        _tensor("cache_seqlens", cache_seqlens, q, torch.int32, (batch,), what="[batch]")
    elif cache_seqlens is not None and not isinstance(cache_seqlens, int):
        _refuse("cache_seqlens", f"is a {type(cache_seqlens).__name__}", "an int, a tensor or None")
    if cache_leftpad is not None:
        _tensor("cache_leftpad", cache_leftpad, q, torch.int32, (batch,), what="[batch]")
    if alibi_slopes is not None:
        shapes = ((num_heads,), (batch, num_heads))
        _tensor("alibi_slopes", alibi_slopes, q, torch.float32, *shapes, what="[nheads] or [batch, nheads]")
    if len(window_size) != 2:
        _refuse("window_size", f"is {window_size}", "(left, right)")
    for name, number in (("softcap", softcap), ("num_splits", num_splits)):
        if number < 0:
            _refuse(name, f"is {number}", "0 or more")

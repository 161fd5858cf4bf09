"""The operators of recurrent layers in plain PyTorch. Part of `reference.py`.

A sequence is kept in two places. Its **state** is stored only at multiples of `chunk` tokens, in state slots that are
written once, when the last token before such a boundary is computed. The rows of the tokens since then lie in a
**tail** slot of `chunk` rows. Entry k of a row of `state_tables` names the slot of the state after the tokens [0, (k +
1) * chunk); entry k of `tail_tables` names the slot of the rows of the tokens [k * chunk, (k + 1) * chunk). Slot 0 is
the null slot, where nothing is kept; entries beyond a table's width count as 0. A token's row and result depend only on
the last state at or before it and the rows since, not on how a sequence was cut into steps, and a step that runs again
writes the same. `chunk` is `tail_cache.shape[1]`.

Rows of no sequence, and those before position 0, become 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import softplus

# For reference.py.
__all__ = ["chunked_conv1d", "gated_delta_rule", "linear_attention", "mamba2_scan", "selective_scan"]

# row(token, position, state, rows of the tail) -> (its row, its result); close(state, tail) -> the state at its end.
Row = Callable[[int, int, Tensor, Tensor], tuple[Tensor, Tensor]]
Close = Callable[[Tensor, Tensor], Tensor]


def _walk(
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    row: Row,
    close: Close,
) -> None:
    """Take every sequence through its new tokens, with the states and tails that its tables name."""
    out.zero_()
    chunk, starts = tail_cache.shape[1], query_start_loc.tolist()
    for i, seq_len in enumerate(seq_lens.tolist()):
        end = min(starts[i + 1], len(out))
        first = max(0, seq_len - (end - starts[i]))
        if seq_len <= first:
            continue
        state = state_cache.new_zeros(state_cache.shape[1:])
        tail = tail_cache.new_zeros(tail_cache.shape[1:])
        if first >= chunk:
            state.copy_(state_cache[_slot(state_tables, i, first // chunk - 1, len(state_cache))])
        if first % chunk:
            kept = tail_cache[_slot(tail_tables, i, first // chunk, len(tail_cache))]
            tail[: first % chunk] = kept[: first % chunk]
        for position in range(first, seq_len):
            token, (k, place) = end - seq_len + position, divmod(position, chunk)
            tail[place], out[token] = row(token, position, state, tail[:place])
            if slot := _slot(tail_tables, i, k, len(tail_cache)):
                tail_cache[slot, place] = tail[place]
            if place == chunk - 1:
                state = close(state, tail)
                if slot := _slot(state_tables, i, k, len(state_cache)):
                    state_cache[slot] = state


def _slot(tables: Tensor, sequence: int, entry: int, num_slots: int) -> int:
    """Return the slot that a table names; the null slot beyond its width and for slots outside of the pool."""
    slot = int(tables[sequence, entry]) if entry < tables.shape[1] else 0
    return slot if 0 <= slot < num_slots else 0


def chunked_conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    silu: bool,
) -> None:
    """Convolve each channel causally over each sequence's tokens, as `causal_conv1d` does.

    Args:
        x: [num_tokens, channels], the new tokens of all sequences, packed; any float dtype.
        weight: [channels, width], x's dtype or float32; the last column is of the token itself.
        bias: [channels], x's dtype or float32, or None.
        state_cache: [num_slots, width - 1, channels] of x's dtype: the last inputs before a boundary.
        tail_cache: [num_tails, chunk, channels] of x's dtype: inputs.
        state_tables, tail_tables: [num_seqs, chunks] int32; their widths may differ.
        seq_lens, query_start_loc: as of `paged_attention`.
        out: like x, contiguous.
    """
    width = weight.shape[1]
    taps = weight.float().T
    shift = torch.zeros(x.shape[1], device=x.device) if bias is None else bias.float()

    def row(token: int, position: int, state: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        inputs = torch.cat([state, tail, x[token, None]])[-width:].float()
        result = shift.clone()
        for tap in range(max(0, width - 1 - position), width):  # positions before 0 are not multiplied
            result += inputs[tap] * taps[tap]
        return x[token], result / (1.0 + torch.exp(-result)) if silu else result

    def close(state: Tensor, tail: Tensor) -> Tensor:
        return torch.cat([state, tail])[len(tail) :]

    _walk(state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc, out, row, close)


# --- States that are sums of decayed outer products -----------------------------------------------------------
#
# A head has a state [key size, value size], and for each token since the boundary a key, a value and a gate: the
# logarithm of the factor of the state before it, one for each head, or one for each of the key's numbers.


def _decays(gates: Tensor) -> Tensor:
    """Return the decay until the end from before row 0, from before row 1, ..: [rows + 1, heads, 1 or key size].

    The number that row j adds decays from before row j + 1. Gates are added up from the end: a difference of sums since
    the boundary would lose the small gate of a token that follows one with a large gate.
    """
    return torch.cat([gates.flip(0).cumsum(0).flip(0), torch.zeros_like(gates[:1])]).exp()


def _read(query: Tensor, state: Tensor, keys: Tensor, values: Tensor, gates: Tensor) -> Tensor:
    """Return query . the state at the last gate's row, [heads, value size]; `keys` may have fewer rows than gates."""
    decays = _decays(gates)
    weights = torch.einsum("hk,nhk->nh", query, decays[1 : len(keys) + 1] * keys)
    return torch.einsum("hk,hkv->hv", decays[0] * query, state) + torch.einsum("nh,nhv->hv", weights, values)


def _close(state: Tensor, keys: Tensor, values: Tensor, gates: Tensor) -> Tensor:
    decays = _decays(gates)
    return decays[0][..., None] * state + torch.einsum("nhk,nhv->hkv", decays[1:] * keys, values)


def _split(rows: Tensor, *shapes: Sequence[int]) -> list[Tensor]:
    """Split the columns of a tail's rows into tensors of these shapes after the dimension of rows."""
    sizes = [torch.Size(shape).numel() for shape in shapes]
    return [part.unflatten(1, tuple(shape)) for part, shape in zip(rows.split(sizes, 1), shapes, strict=True)]


def _grown(rows: Tensor, row: Tensor) -> Tensor:
    return torch.cat([rows, row[None]])


def gated_delta_rule(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gate: Tensor,
    beta: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    scale: float | None,
    normalize: bool,
) -> None:
    """Compute the gated delta rule (Yang, Kautz, Hatamizadeh, arXiv 2412.06464), or Kimi's delta attention (arXiv
    2510.26692), which has a gate for each channel.

    A head's state decays by exp(gate), then the value that it holds for the token's key is corrected: S = exp(gate) S;
    u = beta (value - key . S); S = S + key u^T; the result is scale * query . S.

    Args:
        query, key: [num_tokens, num_key_heads, head_dim], any float dtype.
        value: [num_tokens, num_heads, head_dim_v], query's dtype; head h reads key h // (num_heads / num_key_heads).
        gate: [num_tokens, num_heads] or [num_tokens, num_heads, head_dim] float32, finite, at most 0.
        beta: [num_tokens, num_heads], query's dtype or float32.
        state_cache: [num_slots, num_heads, head_dim, head_dim_v] float32.
        tail_cache: [num_tails, chunk, row] float32. A row has the keys (normalised if `normalize`), the corrected
            values u and the gates, head by head.
        out: like value, contiguous.
        scale: None for head_dim ** -0.5.
        normalize: divides query and key by sqrt(their sum of squares + 1e-6) first.
    """
    (heads, dim_v), (key_heads, dim) = value.shape[1:], key.shape[1:]
    gate = gate[..., None] if gate.dim() == 2 else gate
    shapes = ((key_heads, dim), (heads, dim_v), gate.shape[1:])
    factor = dim**-0.5 if scale is None else scale

    def prepared(rows: Tensor) -> Tensor:
        rows = rows.float()
        return rows * torch.rsqrt((rows * rows).sum(-1, keepdim=True) + 1e-6) if normalize else rows

    def of_heads(rows: Tensor) -> Tensor:
        return rows.repeat_interleave(heads // key_heads, dim=-2)

    def parts(tail: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        keys, values, gates = _split(tail, *shapes)
        return of_heads(keys), values, gates

    def row(token: int, position: int, state: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        keys, values, gates = parts(tail)
        new_key = prepared(key[token])
        gates = _grown(gates, gate[token])
        held = _read(of_heads(new_key), state, keys, values, gates)
        corrected = beta[token, :, None].float() * (value[token].float() - held)
        keys, values = _grown(keys, of_heads(new_key)), _grown(values, corrected)
        result = _read(of_heads(prepared(query[token])) * factor, state, keys, values, gates)
        return torch.cat([new_key.flatten(), corrected.flatten(), gate[token].flatten()]), result

    def close(state: Tensor, tail: Tensor) -> Tensor:
        return _close(state, *parts(tail))

    _walk(state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc, out, row, close)


def linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    scale: float | None,
) -> None:
    """Compute linear attention with a fixed decay for each head (lightning attention: Qin and others, arXiv
    2401.04658).

    S = exp(decay) S + key value^T; the result is scale * query . S.

    Args:
        query, key, value, out: as in `gated_delta_rule`.
        decay: [num_heads] float32, finite, at most 0.
        state_cache: [num_slots, num_heads, head_dim, head_dim_v] float32.
        tail_cache: [num_tails, chunk, row] float32; a row has the keys and the values, head by head.
        scale: None for 1.
    """
    (heads, dim_v), (key_heads, dim) = value.shape[1:], key.shape[1:]

    def of_heads(rows: Tensor) -> Tensor:
        return rows.repeat_interleave(heads // key_heads, dim=-2)

    def parts(tail: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        keys, values = _split(tail, (key_heads, dim), (heads, dim_v))
        return of_heads(keys), values, decay[None, :, None].expand(len(tail), -1, -1)

    def row(token: int, position: int, state: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        new = torch.cat([key[token].flatten(), value[token].flatten()]).float()
        scaled = of_heads(query[token].float()) * (1.0 if scale is None else scale)
        return new, _read(scaled, state, *parts(_grown(tail, new)))

    def close(state: Tensor, tail: Tensor) -> Tensor:
        return _close(state, *parts(tail))

    _walk(state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc, out, row, close)


def _times(dt: Tensor, dt_bias: Tensor | None, dt_softplus: bool) -> Tensor:
    dt = dt.float() if dt_bias is None else dt.float() + dt_bias.float()
    return softplus(dt) if dt_softplus else dt


def mamba2_scan(
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    d: Tensor | None,
    dt_bias: Tensor | None,
    dt_softplus: bool,
    dt_min: float,
    dt_max: float | None,
) -> None:
    """Compute Mamba2's state space (Dao, Gu, arXiv 2405.21060).

    S = exp(dt a) S + b (dt x)^T; the result is c . S + d x. dt is dt + dt_bias, its softplus if `dt_softplus`, clamped
    to dt_min and dt_max.

    Args:
        x: [num_tokens, num_heads, head_dim], any float dtype.
        dt: [num_tokens, num_heads], x's dtype or float32.
        a: [num_heads] float32, below 0.
        b, c: [num_tokens, num_groups, state_size], x's dtype; head h reads the group h // (num_heads / num_groups).
        state_cache: [num_slots, num_heads, state_size, head_dim] float32.
        tail_cache: [num_tails, chunk, row] float32; a row has b, dt * x and dt * a.
        d, dt_bias: [num_heads], x's dtype or float32; None for 0.
        out: like x, contiguous.
    """
    (heads, dim), (groups, state_size) = x.shape[1:], b.shape[1:]

    def of_heads(rows: Tensor) -> Tensor:
        return rows.repeat_interleave(heads // groups, dim=-2)

    def parts(tail: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        keys, values, gates = _split(tail, (groups, state_size), (heads, dim), (heads, 1))
        return of_heads(keys), values, gates

    def row(token: int, position: int, state: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        time = _times(dt[token], dt_bias, dt_softplus).clamp(dt_min, dt_max)
        new = torch.cat([b[token].float().flatten(), (time[:, None] * x[token].float()).flatten(), time * a])
        result = _read(of_heads(c[token].float()), state, *parts(_grown(tail, new)))
        return new, result if d is None else result + d.float()[:, None] * x[token].float()

    def close(state: Tensor, tail: Tensor) -> Tensor:
        return _close(state, *parts(tail))

    _walk(state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc, out, row, close)


def selective_scan(
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    d: Tensor | None,
    dt_bias: Tensor | None,
    dt_softplus: bool,
) -> None:
    """Compute Mamba's selective scan (Gu, Dao, arXiv 2312.00752).

    h = exp(dt a) h + (dt x) b^T, one decay for each channel and number of its state; the result is h . c + d x. dt is
    dt + dt_bias, its softplus if `dt_softplus`. Rows since the boundary are scanned again for each token: such a state
    is not a sum of decayed products, so its chunk is short (16).

    Args:
        x: [num_tokens, channels], any float dtype.
        dt: [num_tokens, channels], x's dtype or float32.
        a: [channels, state_size] float32, below 0.
        b, c: [num_tokens, state_size], x's dtype.
        state_cache: [num_slots, channels, state_size] float32.
        tail_cache: [num_tails, chunk, row] float32; a row has dt, dt * x and b.
        d, dt_bias: [channels], x's dtype or float32; None for 0.
        out: like x, contiguous.
    """
    channels, state_size = a.shape

    def close(state: Tensor, tail: Tensor) -> Tensor:
        for time, value, key in zip(*tail.split([channels, channels, state_size], 1), strict=True):
            state = torch.exp(time[:, None] * a) * state + value[:, None] * key
        return state

    def row(token: int, position: int, state: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        time = _times(dt[token], dt_bias, dt_softplus)
        new = torch.cat([time, time * x[token].float(), b[token].float()])
        result = (close(state, _grown(tail, new)) * c[token].float()).sum(-1)
        return new, result if d is None else result + d.float() * x[token].float()

    _walk(state_cache, tail_cache, state_tables, tail_tables, seq_lens, query_start_loc, out, row, close)

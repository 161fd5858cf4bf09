"""Every operator in plain PyTorch: the definition that the kernels are tested against.

Written to be read: sequence by sequence, in float32, with no regard for speed. Also the CPU backend
when no compiler is at hand. Functions write into tensors they are given, like every backend.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torchpaged.ops.convolution_reference import causal_conv1d
from torchpaged.ops.linear_reference import (
    pack_grouped_weight,
    pack_linear_weight,
    packed_grouped_linear,
    packed_linear,
)
from torchpaged.ops.logits_reference import edit_logits, penalize_logits, token_logprobs
from torchpaged.ops.pointwise_reference import (
    add_rms_norm,
    gelu_tanh_and_mul,
    rms_norm,
    rotary_embedding,
    silu_and_mul,
)
from torchpaged.ops.state_reference import (
    chunked_conv1d,
    gated_delta_rule,
    linear_attention,
    mamba2_scan,
    selective_scan,
)

__all__ = [
    "add_rms_norm",
    "causal_conv1d",
    "chunked_conv1d",
    "copy_blocks",
    "edit_logits",
    "gated_delta_rule",
    "gather_kv_cache",
    "gelu_tanh_and_mul",
    "linear_attention",
    "mamba2_scan",
    "merge_attention_states",
    "pack_grouped_weight",
    "pack_linear_weight",
    "packed_grouped_linear",
    "packed_linear",
    "paged_attention",
    "penalize_logits",
    "rms_norm",
    "rotary_embedding",
    "selective_scan",
    "silu_and_mul",
    "swap_blocks",
    "token_logprobs",
    "write_kv_cache",
]

# Rows of one sequence that are worked on at once, so that scores of a long prefill fit into memory.
_QUERY_ROWS = 256


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
    softcap: float,
    alibi_slopes: Tensor | None,
    sinks: Tensor | None,
    tree_mask: Tensor | None,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
    max_query_len: int,
    num_splits: int,
    distance_bias: Tensor | None = None,
) -> None:
    """Attention of each sequence's last tokens over its blocks. `max_query_len` and `num_splits` are hints.

    Shapes and dtypes: DESIGN.md, section 3. A row that sees no key gets 0, and an `lse` of -inf (its sink's
    value where there are sinks); rows of no sequence get 0 and -inf.
    """
    out.zero_()
    if lse is not None:
        lse.fill_(-torch.inf)
    num_heads, kv_heads = query.shape[1], key_cache.shape[2]
    starts = query_start_loc.tolist()
    for i, seq_len in enumerate(seq_lens.tolist()):
        query_len = starts[i + 1] - starts[i]
        if seq_len <= 0 or query_len <= 0:
            continue
        # A length past the table is refused (`value_checks.py`), or on a GPU, which cannot raise, cut off.
        num_keys = min(seq_len, block_tables.shape[1] * key_cache.shape[1])
        key = _sequence(key_cache, block_tables[i], num_keys, k_scale)
        value = _sequence(value_cache, block_tables[i], num_keys, v_scale)
        for first in range(0, query_len, _QUERY_ROWS):
            last = min(first + _QUERY_ROWS, query_len)
            rows = slice(starts[i] + first, starts[i] + last)
            q_pos = torch.arange(first, last, device=query.device) + (seq_len - query_len)
            tree = None if tree_mask is None else tree_mask[rows]
            visible = _visible(q_pos, num_keys, seq_len - query_len, causal, sliding_window, tree)
            # Keys that no row sees are dropped, since 0 * NaN is NaN.
            seen = value.masked_fill(~visible.any(0)[:, None, None], 0.0)
            q = query[rows].float().unflatten(1, (kv_heads, num_heads // kv_heads))
            scores = torch.einsum("tkgd,skd->kgts", q, key).flatten(0, 1) * scale
            if softcap > 0:
                scores = softcap * torch.tanh(scores / softcap)
            if alibi_slopes is not None:
                distance = torch.arange(num_keys, device=query.device)[None] - q_pos[:, None]
                scores = scores + alibi_slopes[:, None, None] * distance
            if distance_bias is not None:
                before = q_pos[:, None] - torch.arange(num_keys, device=query.device)[None]
                scores = scores + distance_bias[:, before.clamp(0, distance_bias.shape[1] - 1)]
            scores = scores.masked_fill(~visible, -torch.inf)
            total = torch.logsumexp(scores, dim=-1)
            if sinks is not None:
                total = torch.logaddexp(total, sinks.float()[:, None])
            # A row without a key has a total of -inf: its weights are 0, not exp(-inf + inf).
            weights = torch.exp(scores - total.nan_to_num(neginf=0.0)[..., None])
            weights = weights.unflatten(0, (kv_heads, num_heads // kv_heads))
            out[rows] = torch.einsum("kgts,skd->tkgd", weights, seen).flatten(1, 2).to(out.dtype)
            if lse is not None:
                lse[rows] = total.T


def _visible(q_pos: Tensor, num_keys: int, context: int, causal: bool, window: int, tree: Tensor | None) -> Tensor:
    """Which key [rows, num_keys] each row sees."""
    j = torch.arange(num_keys, device=q_pos.device)[None]
    q = q_pos[:, None]
    visible = (q >= 0) & (j >= 0)
    if tree is not None:
        this_step = (j - context).clamp(0, max(tree.shape[1] - 1, 0)).expand(len(q_pos), -1)
        inside = j - context < tree.shape[1]
        allowed = tree.gather(1, this_step) & inside if tree.shape[1] else torch.zeros_like(inside)
        visible = visible & torch.where(j < context, True, allowed)
    elif causal:
        visible = visible & (j <= q)
    if window > 0:
        visible = visible & (q - j < window)
    return visible


def _sequence(cache: Tensor, block_table: Tensor, seq_len: int, scale: Tensor | None) -> Tensor:
    """The first `seq_len` rows [seq_len, kv_heads, head_dim] of a sequence, dequantised, in float32."""
    num_blocks, block_size = cache.shape[:2]
    positions = torch.arange(seq_len, device=cache.device)
    # Positions past the table, and ids past the pool, are clamped: never out of bounds.
    logical = (positions // block_size).clamp(max=block_table.shape[0] - 1)
    blocks = block_table[logical].long().clamp(0, num_blocks - 1)
    offsets = positions % block_size
    rows = cache[blocks, offsets].float()
    if scale is None:
        return rows
    if scale.dim() == 3:
        return rows * scale[blocks, offsets][..., None]
    return rows * scale.reshape(-1, 1)  # [] or [kv_heads]


def merge_attention_states(
    out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor, out: Tensor, lse: Tensor
) -> None:
    """Attention over the union of two disjoint sets of keys, from the results over each.

    An lse of +inf counts as -inf (nothing seen); both empty give 0 and -inf. Source: FlashDecoding's reduction.
    """
    a, b = (x.masked_fill(x == torch.inf, -torch.inf) for x in (lse_a, lse_b))
    top = torch.maximum(a, b).nan_to_num(neginf=0.0)
    weight_a, weight_b = torch.exp(a - top), torch.exp(b - top)
    total = weight_a + weight_b
    share_a, share_b = (torch.where(total > 0, w / total, 0.0)[..., None] for w in (weight_a, weight_b))
    # A side that saw nothing may hold anything: it is dropped, not multiplied by 0.
    part_a = torch.where(share_a > 0, out_a.float() * share_a, 0.0)
    part_b = torch.where(share_b > 0, out_b.float() * share_b, 0.0)
    out.copy_(part_a + part_b)
    lse.copy_(top + torch.log(total))


def write_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    *,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
    k_scale_cache: Tensor | None,
    v_scale_cache: Tensor | None,
) -> None:
    """Each token's key and value into its slot; negative slots are skipped, untouched slots stay as they are."""
    kept = (slot_mapping >= 0).nonzero().flatten()
    slots = slot_mapping[kept]
    if slots.numel() and int(slots.max()) >= key_cache.shape[0] * key_cache.shape[1]:
        limit = key_cache.shape[0] * key_cache.shape[1]
        raise ValueError(f"write_kv_cache: slot_mapping has slot {int(slots.max())}, expected less than {limit}")
    blocks, offsets = slots // key_cache.shape[1], slots % key_cache.shape[1]
    for rows, cache, scale, scale_cache in (
        (key[kept], key_cache, k_scale, k_scale_cache),
        (value[kept], value_cache, v_scale, v_scale_cache),
    ):
        if scale_cache is not None:
            # A zero behind each row: latent attention's values have no elements.
            row_scale = torch.nn.functional.pad(rows.float().abs(), (0, 1)).amax(-1) / _largest(cache.dtype)
            row_scale = torch.where(row_scale > 0, row_scale, 1.0)
            scale_cache[blocks, offsets] = row_scale
            rows = _quantise(rows, row_scale[..., None], cache.dtype)
        elif cache.dtype != rows.dtype:
            per_head = torch.ones((), device=rows.device) if scale is None else scale
            rows = _quantise(rows, per_head.reshape(-1, 1), cache.dtype)
        cache[blocks, offsets] = rows


def _largest(dtype: torch.dtype) -> float:
    return 127.0 if dtype == torch.int8 else torch.finfo(dtype).max


def _quantise(rows: Tensor, scale: Tensor, dtype: torch.dtype) -> Tensor:
    """`rows / scale`, rounded to the nearest (ties to even) and saturated."""
    scaled = (rows.float() / scale).clamp(-_largest(dtype), _largest(dtype))
    return (scaled.round() if dtype == torch.int8 else scaled).to(dtype)


def gather_kv_cache(
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
) -> None:
    """Each sequence's rows, contiguous and dequantised; rows past its length are 0."""
    for cache, rows, scale in ((key_cache, key, k_scale), (value_cache, value, v_scale)):
        rows.zero_()
        for i, seq_len in enumerate(seq_lens.tolist()):
            count = max(0, min(seq_len, rows.shape[1]))
            if count:
                rows[i, :count] = _sequence(cache, block_tables[i], count, scale).to(rows.dtype)


def copy_blocks(caches: list[Tensor], block_mapping: Tensor) -> None:
    """Whole blocks inside each cache, all sources read before any destination is written."""
    _check_mapping("copy_blocks", block_mapping, caches[0].shape[0], caches[0].shape[0])
    pairs = block_mapping.to(caches[0].device)
    for cache in caches:
        cache[pairs[:, 1]] = cache[pairs[:, 0]]


def swap_blocks(src: Tensor, dst: Tensor, block_mapping: Tensor, *, non_blocking: bool = False) -> None:
    """Whole blocks from one pool to another; the pools may be on different devices.

    Args:
        non_blocking: whether a copy to pinned memory of the host may arrive after this returns, once the stream has
            passed it. Elsewhere, and here, it has arrived.
    """
    _check_mapping("swap_blocks", block_mapping, src.shape[0], dst.shape[0])
    rows = src[block_mapping[:, 0].to(src.device)]
    dst[block_mapping[:, 1].to(dst.device)] = rows.to(dst.device)


def _check_mapping(op: str, mapping: Tensor, num_sources: int, num_destinations: int) -> None:
    for column, limit, name in ((0, num_sources, "source"), (1, num_destinations, "destination")):
        bad = mapping[:, column][(mapping[:, column] < 0) | (mapping[:, column] >= limit)]
        if bad.numel():
            raise ValueError(f"{op}: block_mapping has {name} {int(bad[0])}, expected 0 to {limit - 1}")


def sample_tokens(
    logits: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    min_p: Tensor,
    seeds: Tensor,
    positions: Tensor,
    out: Tensor,
) -> None:
    """A token of each row: the likeliest where the temperature is 0, else a draw among those that the filters keep.

    Filters, in this order: the `top_k` likeliest (0 or less: all); of these the smallest set of likeliest tokens
    whose probability reaches `top_p`; of these those at least `min_p` times as likely as the likeliest. The likeliest
    always stays, and so do tokens tied with the last that stays: of two tokens as far below the maximum in float32
    both stay or none. The draw is the Gumbel-max trick with a number for each token that depends on seed, position
    and token alone. Equal values: the lowest token. A token whose logit is +inf wins; a row with a NaN, or of -inf
    only, gives -1.

    Args:
        logits: [num_rows, vocab_size], any float dtype.
        temperature, top_p, min_p: [num_rows] float32.
        top_k: [num_rows] int32.
        seeds, positions: [num_rows] int64; a request's position is new at each of its draws.
        out: [num_rows] int64.
    """
    for i, row in enumerate(logits.float()):
        top = row.max()
        if torch.isnan(top) or top == -torch.inf:
            out[i] = -1
            continue
        likeliest = (row == top).nonzero()[0, 0]
        out[i] = likeliest
        if temperature[i] > 0 and top < torch.inf:
            finite = torch.finfo(torch.float32)
            inverse = (1.0 / temperature[i]).clamp(finite.tiny, finite.max)
            distance = top - row
            scaled = distance * inverse
            kept = _kept(distance, scaled, int(top_k[i]), top_p[i], min_p[i])
            value = token_noise(int(seeds[i]), int(positions[i]), row.shape[0], row.device) - scaled
            value = value.masked_fill(~kept, -torch.inf)
            out[i] = (value == value.max()).nonzero()[0, 0]


def _kept(distance: Tensor, scaled: Tensor, top_k: int, top_p: Tensor, min_p: Tensor) -> Tensor:
    """Which tokens stay, by their logits' distances below the maximum, as they are and over the temperature."""
    kept = distance < torch.inf
    if 0 < top_k < distance.shape[0]:
        kept &= distance <= distance.sort().values[top_k - 1]
    if top_p < 1:
        ordered, order = distance.masked_fill(~kept, torch.inf).sort()
        weights = torch.exp(-scaled[order]).masked_fill(ordered == torch.inf, 0.0)
        reached = weights.double().cumsum(0)
        enough = (reached >= top_p.double() * reached[-1]).nonzero()
        if enough.numel():
            kept &= distance <= ordered[enough[0, 0]]
    if min_p > 0:
        kept &= scaled <= (-torch.log(min_p)).clamp_min(0.0)
    return kept


def token_noise(seed: int, position: int, vocab_size: int, device: torch.device) -> Tensor:
    """A Gumbel variate for each token, [vocab_size] float32: -log(-log(u)), where 1 - u is v, 31 bits of a hash.

    The hash is a cipher of two rounds over the token, each the exclusive or with half of a key and C. Wellons'
    lowbias32; the key is splitmix64 of seed and position. v is fine near 0, which is where the large variates are.
    """
    golden = 0x9E3779B97F4A7C15
    key = _splitmix64(_splitmix64(seed + golden) + position * golden)
    tokens = torch.arange(vocab_size, dtype=torch.int64, device=device)
    bits = _mix32(_mix32(tokens ^ (key & 0xFFFFFFFF)) ^ (key >> 32))
    v = ((bits >> 1).float() * 2.0**-31 + 2.0**-32).clamp_max(1 - 2.0**-24)
    return -torch.log(-torch.log1p(-v))


def _splitmix64(x: int) -> int:
    """The finaliser of splitmix64, after G. Steele, D. Lea and C. Flood."""
    mask = 2**64 - 1
    x = (x & mask) ^ ((x & mask) >> 30)
    x = (x * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


def _mix32(x: Tensor) -> Tensor:
    """lowbias32 of numbers below 2^32, kept in int64: its products wrap, the low 32 bits stay right."""
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & 0xFFFFFFFF
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)

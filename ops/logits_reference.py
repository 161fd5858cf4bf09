"""The operators on rows of logits in plain PyTorch. Part of `reference.py`.

All but `sample_tokens` also serve on CUDA: all rows at once, no value read on the host, no size that depends on values.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["edit_logits", "penalize_logits", "sample_tokens", "token_logprobs", "token_noise"]  # for reference.py

# Logits that logprobs are computed from at a time: 64 MiB in float32.
_ELEMENTS_AT_ONCE = 1 << 24


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
    """Choose a token of each row: the likeliest where the temperature is 0, else a draw among those that filters keep.

    Filters, in this order: the `top_k` likeliest (0 or less: all); of these the smallest set of likeliest tokens whose
    probability reaches `top_p`; of these those at least `min_p` times as likely as the likeliest. The likeliest always
    stays, and so do tokens tied with the last that stays: two tokens that are equally far below the maximum in float32
    stay or go together. The draw is the Gumbel-max trick with a number for each token that depends on seed, position
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
    """Return which tokens stay, by their logits' distances below the maximum, plain and divided by the temperature."""
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
    """Return a Gumbel variate for each token, [vocab_size] float32: -log(-log(u)), where 1 - u is v, 31 bits of a hash.

    The hash is a cipher of two rounds over the token, each the exclusive or with half of a key and C. Wellons'
    lowbias32; the key is splitmix64 of seed and position. v has its finest steps near 0, where the large variates are.
    """
    golden = 0x9E3779B97F4A7C15
    key = _splitmix64(_splitmix64(seed + golden) + position * golden)
    tokens = torch.arange(vocab_size, dtype=torch.int64, device=device)
    bits = _mix32(_mix32(tokens ^ (key & 0xFFFFFFFF)) ^ (key >> 32))
    v = ((bits >> 1).float() * 2.0**-31 + 2.0**-32).clamp_max(1 - 2.0**-24)
    return -torch.log(-torch.log1p(-v))


def _splitmix64(x: int) -> int:
    """Apply the finaliser of splitmix64 (G. Steele, D. Lea, C. Flood)."""
    mask = 2**64 - 1
    x = (x & mask) ^ ((x & mask) >> 30)
    x = (x * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


def _mix32(x: Tensor) -> Tensor:
    """Apply lowbias32 to numbers below 2^32 in int64, whose products wrap but keep the low 32 bits."""
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & 0xFFFFFFFF
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def edit_logits(
    logits: Tensor,
    token_table: Tensor,
    rows: Tensor,
    lengths: Tensor,
    prompt_lengths: Tensor,
    masks: Tensor,
    mask_of_row: Tensor,
    starts: Tensor,
    token_ids: Tensor,
    values: Tensor,
    until: Tensor,
    prefixes: Tensor,
    out: Tensor,
) -> None:
    """Copy the logits, forbid some tokens, and make others more or less likely.

    First a row's mask: tokens whose bit is 0 get -inf. Then a row's edits, `starts[i]` to `starts[i + 1]`: each adds
    its value to the logit of its token, if the row is shorter than `until` and ends with the edit's prefix. Prefixes
    are aligned to the right; a number below 0 matches any token or none, the others must match tokens behind the row's
    prompt. All in float32. Ids outside of the vocabulary are ignored; a row that is not in the table has no tokens.

    Args:
        logits: [num_rows, vocab_size], any float dtype.
        token_table: [num_table_rows, max_tokens] int32.
        rows: [num_rows] int64, the table's row of each row of logits.
        lengths, prompt_lengths: [num_rows] int32, tokens of the row, and how many of these are its prompt.
        masks: [num_masks, num_words] int32, a bit for each token, the first one the lowest of the first word.
        mask_of_row: [num_rows] int32, an index into masks; -1: all tokens are allowed.
        starts: [num_rows + 1] int32, ascending from 0 to num_edits.
        token_ids, values, until: [num_edits] int32, float32 and int32. No two of a row add finite values to one token.
        prefixes: [num_edits, width] int32.
        out: [num_rows, vocab_size] float32.
    """
    (num_rows, vocab_size), (table_rows, max_tokens) = logits.shape, token_table.shape
    out.copy_(logits)
    if masks.shape[0] and num_rows:
        token = torch.arange(vocab_size, device=logits.device)
        bits = masks[mask_of_row.clamp(0, masks.shape[0] - 1).long()][:, token >> 5] >> (token & 31) & 1
        has_mask = (mask_of_row >= 0) & (mask_of_row < masks.shape[0])
        out.masked_fill_(has_mask[:, None] & (bits == 0), -torch.inf)
    num_edits, width = prefixes.shape
    if not num_edits or not num_rows:
        return
    edit = torch.arange(num_edits, device=logits.device, dtype=starts.dtype)
    row = torch.searchsorted(starts[1:].contiguous(), edit, right=True).clamp_max(num_rows - 1)
    holds = (token_ids >= 0) & (token_ids < vocab_size) & (lengths[row] < until)
    if width:
        place = lengths[row].long()[:, None] + torch.arange(-width, 0, device=logits.device)
        is_token = (place >= prompt_lengths[row][:, None]) & (place >= 0) & (place < max_tokens)
        is_token &= ((rows >= 0) & (rows < table_rows))[row][:, None]
        if table_rows and max_tokens:
            in_table = rows[row].clamp(0, table_rows - 1)[:, None], place.clamp(0, max_tokens - 1)
            is_token &= token_table[in_table] == prefixes
        holds &= ((prefixes < 0) | is_token).all(1)
    cells = row * vocab_size + token_ids.clamp(0, vocab_size - 1)
    # Edits that do not apply add 0; a sum with -inf is -inf in any order.
    out.view(-1).scatter_add_(0, cells, torch.where(holds, values, 0.0))


def penalize_logits(
    logits: Tensor,
    token_table: Tensor,
    rows: Tensor,
    lengths: Tensor,
    prompt_lengths: Tensor,
    repetition: Tensor,
    presence: Tensor,
    frequency: Tensor,
    out: Tensor,
) -> None:
    """Copy the logits and make a row's tokens so far less likely, as vLLM and OpenAI define it.

    Each token among the first `length` of a row has its logit divided by `repetition` if that is positive, else
    multiplied with it, once; then each among those behind its prompt loses presence + frequency * count, where `count`
    is the number of times that it is there. All in float32, every operation rounded by itself. Ids outside of the
    vocabulary, and rows that are not in the table, are ignored.

    Args:
        logits: [num_rows, vocab_size], any float dtype.
        token_table: [num_table_rows, max_tokens] int32.
        rows: [num_rows] int64, the table's row of each row of logits.
        lengths, prompt_lengths: [num_rows] int32, tokens of the row, and how many of these are its prompt.
        repetition, presence, frequency: [num_rows] float32; 1, 0 and 0 change nothing.
        out: [num_rows, vocab_size] float32.
    """
    vocab_size, (table_rows, max_tokens) = logits.shape[1], token_table.shape
    known = (rows >= 0) & (rows < table_rows)
    if table_rows:
        tokens = token_table[rows.clamp(0, table_rows - 1)].long()
    else:
        tokens = token_table.new_zeros((rows.shape[0], max_tokens)).long()
    position = torch.arange(max_tokens, device=logits.device)
    seen = known[:, None] & (position < lengths[:, None]) & (tokens >= 0) & (tokens < vocab_size)
    made = seen & (position >= prompt_lengths[:, None])
    # Tokens that do not count go to a column behind the vocabulary.
    is_seen = torch.zeros((rows.shape[0], vocab_size + 1), dtype=torch.bool, device=logits.device)
    is_seen.scatter_(1, tokens.masked_fill(~seen, vocab_size), True)
    counts = torch.zeros_like(is_seen, dtype=torch.int32)
    counts.scatter_add_(1, tokens.masked_fill(~made, vocab_size), made.int())
    counts = counts[:, :vocab_size]
    x, factor = logits.float(), repetition[:, None]
    x = torch.where(is_seen[:, :vocab_size], torch.where(x > 0, x / factor, x * factor), x)
    cost = presence[:, None] + frequency[:, None] * counts.float()
    out.copy_(torch.where(counts > 0, x - cost, x))


def token_logprobs(
    logits: Tensor,
    rows: Tensor,
    token_ids: Tensor,
    num_top: int,
    logprobs: Tensor,
    ranks: Tensor,
    top_logprobs: Tensor,
    top_ids: Tensor,
) -> None:
    """Compute each token's logprob and rank in a row, and the likeliest tokens of that row with their logprobs.

    A logprob is the natural logarithm of the softmax; a rank is 1 plus the number of greater logits. Of equal logits
    the lower token comes first. A token outside of the vocabulary has logprob NaN and rank 0; so has every token of a
    row that has no softmax (a NaN, an infinite logit, or -inf only) or does not exist, whose likeliest tokens are -1.

    Args:
        logits: [num_rows, vocab_size], any float dtype.
        rows, token_ids: [num_tokens] int64.
        num_top: number of likeliest tokens to return, 0 to vocab_size.
        logprobs, ranks: [num_tokens] float32 and int64.
        top_logprobs, top_ids: [num_tokens, num_top] float32 and int64, the likeliest first.
    """
    num_rows, vocab_size = logits.shape
    if num_rows == 0:
        for numbers, otherwise in ((logprobs, torch.nan), (ranks, 0), (top_logprobs, torch.nan), (top_ids, -1)):
            numbers.fill_(otherwise)
        return
    stride = max(1, _ELEMENTS_AT_ONCE // vocab_size)
    for first in range(0, rows.shape[0], stride):
        part = slice(first, first + stride)
        row, token = rows[part], token_ids[part]
        x = logits[row.clamp(0, num_rows - 1)].float()
        is_row = (row >= 0) & (row < num_rows) & x.amax(-1).isfinite()
        # Not as the logarithm of a sum: on CUDA torch cuts that sum by the number of rows.
        numbers = torch.log_softmax(x, -1, dtype=torch.float64)
        place = token.clamp(0, vocab_size - 1)[:, None]
        own = x.gather(1, place)
        is_token = is_row & (token >= 0) & (token < vocab_size)
        logprobs[part] = numbers.gather(1, place)[:, 0].masked_fill(~is_token, torch.nan).float()
        ranks[part] = ((x > own).sum(-1) + 1).masked_fill(~is_token, 0)
        if num_top:
            ids = _likeliest(x, num_top)
            top_logprobs[part] = numbers.gather(1, ids).masked_fill(~is_row[:, None], torch.nan).float()
            top_ids[part] = ids.masked_fill(~is_row[:, None], -1)


def _likeliest(x: Tensor, count: int) -> Tensor:
    """Return the tokens [num_rows, count] of the largest numbers, the lower token first among equals, unlike `topk`."""
    bits = (x + 0.0).view(torch.int32).long()  # -0 is 0
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)  # as integers in the order of the numbers
    behind = torch.arange(x.shape[1] - 1, -1, -1, device=x.device)
    return x.shape[1] - 1 - ((ordered << 32) + behind).topk(count).values % (1 << 32)

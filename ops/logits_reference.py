"""The operators on rows of logits in plain PyTorch, but `sample_tokens`. Part of `reference.py`.

They also serve on CUDA: all rows at once, no value read on the host, nothing whose size depends on values.
"""

from __future__ import annotations

import torch
from torch import Tensor

# Logits in float32 that logprobs are computed from at a time: 64 MiB.
_ELEMENTS_AT_ONCE = 1 << 24


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
    """A copy of the logits in which some tokens may not come, and others are made more or less likely.

    First a row's mask: tokens whose bit is 0 have -inf. Then a row's edits, those from `starts[i]` to `starts[i + 1]`:
    each adds its value to the logit of its token, if the row is shorter than `until` and ends with the edit's prefix.
    Of a prefix, which is aligned to the right, numbers below 0 stand for any token or none; the others must stand
    behind the row's prompt. All in float32. Ids that are not in the vocabulary mean nothing; a row that is not in the
    table has no tokens.

    Args:
        logits: [num_rows, vocab_size], any float dtype.
        token_table: [num_table_rows, max_tokens] int32.
        rows: [num_rows] int64, the table's row of each row of logits.
        lengths, prompt_lengths: [num_rows] int32, tokens of the row, and how many of these are its prompt.
        masks: [num_masks, num_words] int32, a bit for each token, the first one the lowest of the first word.
        mask_of_row: [num_rows] int32, which of the masks; -1: all tokens are allowed.
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
    # What does not hold adds nothing; a sum with -inf is -inf in any order.
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
    """A copy of the logits in which a row's tokens so far are made less likely, as vLLM and OpenAI define it.

    Each token among the first `length` of a row has its logit divided by `repetition` if that is positive, else
    multiplied with it, once; then each among those behind its prompt loses presence + frequency * count, where `count`
    is how often it is there. All in float32, every operation rounded by itself. Ids that are not in the vocabulary, and
    rows that are not in the table, mean nothing.

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
    # What does not count goes to a column behind the vocabulary.
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
    """Of each token the logprob in a row and the rank, and the likeliest tokens of that row with their logprobs.

    A logprob is the natural logarithm of the softmax; a rank 1 and how many logits are greater. Of equal logits the
    lower token comes first. A token that is not in the vocabulary has the logprob NaN and the rank 0; so has every
    token of a row that has no softmax (a NaN, an infinite logit, or -inf alone) or that is not there, whose likeliest
    tokens are -1.

    Args:
        logits: [num_rows, vocab_size], any float dtype.
        rows, token_ids: [num_tokens] int64.
        num_top: how many of the likeliest tokens are wanted, 0 to vocab_size.
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
        top = x.amax(-1, keepdim=True)
        is_row = (row >= 0) & (row < num_rows) & top[:, 0].isfinite()
        log_sum = torch.exp(x - top).sum(-1, keepdim=True, dtype=torch.float64).log()
        own = x.gather(1, token.clamp(0, vocab_size - 1)[:, None])
        is_token = is_row & (token >= 0) & (token < vocab_size)
        logprobs[part] = (own.double() - top - log_sum)[:, 0].masked_fill(~is_token, torch.nan).float()
        ranks[part] = ((x > own).sum(-1) + 1).masked_fill(~is_token, 0)
        if num_top:
            ids = _likeliest(x, num_top)
            values = x.gather(1, ids).double() - top - log_sum
            top_logprobs[part] = values.masked_fill(~is_row[:, None], torch.nan).float()
            top_ids[part] = ids.masked_fill(~is_row[:, None], -1)


def _likeliest(x: Tensor, count: int) -> Tensor:
    """The tokens [num_rows, count] of the largest of float32 numbers: `topk` says nothing of equal ones."""
    bits = (x + 0.0).view(torch.int32).long()  # -0 is 0
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)  # as integers in the order of the numbers
    behind = torch.arange(x.shape[1] - 1, -1, -1, device=x.device)
    return x.shape[1] - 1 - ((ordered << 32) + behind).topk(count).values % (1 << 32)

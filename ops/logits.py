"""Operators on rows of logits: sampling, edits, penalties and logprobs. No value is read on the host."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import docs, gradients, logits_reference
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_last_contiguous,
    expect_size,
    is_known,
    refuse,
)
from torchpaged.ops.operator import Layout, Operator, Specs

_LOGITS = f"    logits: [num_rows, vocab_size], {docs.FLOATS}, rows of any stride."
_TABLE = """\
    token_table: [num_table_rows, max_tokens] int32, the tokens of sequences.
    rows: [num_rows] int64, the table's row of each row of logits; a row that is not in the table has no tokens.
    lengths, prompt_lengths: [num_rows] int32, tokens of the row, and how many of these are the prompt."""
_TABLE_SCHEMA = "Tensor logits, Tensor token_table, Tensor rows, Tensor lengths, Tensor prompt_lengths"


def _check_logits(op: str, logits: Tensor) -> None:
    expect_dim(op, "logits", logits, 2, "[num_rows, vocab_size]")
    expect_dtype(op, "logits", logits, *FLOAT_DTYPES)
    expect_last_contiguous(op, "logits", logits)
    if is_known(logits.shape[1]) and logits.shape[1] == 0:
        refuse(op, "logits", f"has an empty vocabulary, shape {tuple(logits.shape)}", "at least one token")


def _check_column(op: str, name: str, column: Tensor, dtype: torch.dtype, size: Any, shape: str, what: str) -> None:
    expect_dim(op, name, column, 1, shape)
    expect_dtype(op, name, column, dtype)
    expect_size(op, name, column, 0, size, what)
    expect_last_contiguous(op, name, column)


def _check_table(op: str, token_table: Tensor, logits: Tensor) -> None:
    _check_matrix(op, "token_table", token_table, "[num_table_rows, max_tokens]")
    expect_device(op, "token_table", token_table, logits.device)


def _check_matrix(op: str, name: str, values: Tensor, shape: str) -> None:
    expect_dim(op, name, values, 2, shape)
    expect_dtype(op, name, values, torch.int32)
    expect_last_contiguous(op, name, values)


def _fake_float_copy(logits: Tensor, *_: Tensor) -> Tensor:
    return logits.new_empty(logits.shape, dtype=torch.float32)


# --- sample_tokens --------------------------------------------------------------------------------------------


def _check_sample_tokens(op: str, logits: Tensor, *rows: Tensor) -> None:
    _check_logits(op, logits)
    names = {
        "temperature": torch.float32,
        "top_k": torch.int32,
        "top_p": torch.float32,
        "min_p": torch.float32,
        "seeds": torch.int64,
        "positions": torch.int64,
    }
    for (name, dtype), column in zip(names.items(), rows, strict=True):
        _check_column(op, name, column, dtype, logits.shape[0], "[num_rows]", "num_rows of logits")
        expect_device(op, name, column, logits.device)


def _fake_sample_tokens(logits: Tensor, *_: Tensor) -> Tensor:
    return logits.new_empty((logits.shape[0],), dtype=torch.int64)


def _cut_all(specs: Specs) -> list[Layout]:
    return [Layout((0,), dict.fromkeys(specs, 0))]


_SAMPLE_TOKENS = Operator(
    overload="sample_tokens",
    schema="(Tensor logits, Tensor temperature, Tensor top_k, Tensor top_p, Tensor min_p, Tensor seeds, "
    "Tensor positions) -> Tensor",
    doc=f"""
A token of each row of logits, drawn with a hash of seed, position and token: the same whatever else is in the batch.

Filters apply in this order: the top_k likeliest; of these the smallest set that reaches top_p; of these those at least
min_p times as likely as the likeliest. Of equal values the lowest token comes first.

Args:
{_LOGITS}
    temperature: [num_rows] float32, divisor of the logits; 0: the likeliest token.
    top_k: [num_rows] int32; 0 or less: all.
    top_p: [num_rows] float32; 1: all.
    min_p: [num_rows] float32; 0: all.
    seeds: [num_rows] int64.
    positions: [num_rows] int64, new at each draw of a sequence.

Returns:
    [num_rows] int64; -1 for a row with a NaN, or with -inf only.""",
    check=_check_sample_tokens,
    fake=_fake_sample_tokens,
    reference=logits_reference.sample_tokens,
    triton=True,
    train_with="torch.nn.functional.log_softmax of the logits",
    vmap_with=docs.VMAP_ROWS,
    layouts=_cut_all,
)


# --- edit_logits ----------------------------------------------------------------------------------------------


def _check_edit_logits(
    op: str,
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
) -> None:
    _check_logits(op, logits)
    _check_table(op, token_table, logits)
    num_rows, vocab_size = logits.shape
    for name, column, dtype in (
        ("rows", rows, torch.int64),
        ("lengths", lengths, torch.int32),
        ("prompt_lengths", prompt_lengths, torch.int32),
        ("mask_of_row", mask_of_row, torch.int32),
    ):
        _check_column(op, name, column, dtype, num_rows, "[num_rows]", "num_rows of logits")
        expect_device(op, name, column, logits.device)
    _check_matrix(op, "masks", masks, "[num_masks, num_words]")
    count, words = masks.shape
    if is_known(count) and count and is_known(words) and is_known(vocab_size) and words * 32 < vocab_size:
        found = f"has {words} words of 32 tokens, shape {tuple(masks.shape)}"
        refuse(op, "masks", found, f"a bit for each of {vocab_size} tokens")
    _check_column(op, "starts", starts, torch.int32, num_rows + 1, "[num_rows + 1]", "num_rows of logits and 1")
    expect_dim(op, "token_ids", token_ids, 1, "[num_edits]")
    edits = (("token_ids", token_ids, torch.int32), ("values", values, torch.float32), ("until", until, torch.int32))
    for name, column, dtype in edits:
        _check_column(op, name, column, dtype, token_ids.shape[0], "[num_edits]", "num_edits, as in token_ids")
        expect_device(op, name, column, logits.device)
    _check_matrix(op, "prefixes", prefixes, "[num_edits, width]")
    expect_size(op, "prefixes", prefixes, 0, token_ids.shape[0], "num_edits, as in token_ids")
    for name, each in (("masks", masks), ("starts", starts), ("prefixes", prefixes)):
        expect_device(op, name, each, logits.device)


_EDIT_LOGITS = Operator(
    overload="edit_logits",
    schema=f"({_TABLE_SCHEMA}, Tensor masks, Tensor mask_of_row, Tensor starts, Tensor token_ids, Tensor values, "
    "Tensor until, Tensor prefixes) -> Tensor",
    doc=f"""
Rows of logits in which masks forbid some tokens, and edits make others more or less likely.

First a row's mask: tokens whose bit is 0 get -inf. Then a row's edits, starts[i] to starts[i + 1]: each adds its value
to the logit of its token, if the row is shorter than `until` and ends with the edit's prefix.

Args:
{_LOGITS}
{_TABLE}
    masks: [num_masks, num_words] int32, a bit for each token, the first one the lowest of the first word.
    mask_of_row: [num_rows] int32, an index into masks; -1: all tokens are allowed.
    starts: [num_rows + 1] int32, ascending from 0 to num_edits.
    token_ids: [num_edits] int32; ids outside of the vocabulary are ignored.
    values: [num_edits] float32; no two edits of a row add finite values to one token.
    until: [num_edits] int32, tokens of the row, prompt included, from which on the edit is not made.
    prefixes: [num_edits, width] int32, aligned to the right; a negative number matches any token or none; the others
        must match tokens behind the row's prompt.

Returns:
    [num_rows, vocab_size] float32, a copy.""",
    check=_check_edit_logits,
    fake=_fake_float_copy,
    reference=logits_reference.edit_logits,
    train_with="torch.where and additions in plain PyTorch",
    vmap_with=docs.VMAP_ROWS,
)


# --- penalize_logits ------------------------------------------------------------------------------------------


def _check_penalize_logits(
    op: str,
    logits: Tensor,
    token_table: Tensor,
    rows: Tensor,
    lengths: Tensor,
    prompt_lengths: Tensor,
    repetition: Tensor,
    presence: Tensor,
    frequency: Tensor,
) -> None:
    _check_logits(op, logits)
    _check_table(op, token_table, logits)
    for name, column, dtype in (
        ("rows", rows, torch.int64),
        ("lengths", lengths, torch.int32),
        ("prompt_lengths", prompt_lengths, torch.int32),
        ("repetition", repetition, torch.float32),
        ("presence", presence, torch.float32),
        ("frequency", frequency, torch.float32),
    ):
        _check_column(op, name, column, dtype, logits.shape[0], "[num_rows]", "num_rows of logits")
        expect_device(op, name, column, logits.device)


_PENALIZE_LOGITS = Operator(
    overload="penalize_logits",
    schema=f"({_TABLE_SCHEMA}, Tensor repetition, Tensor presence, Tensor frequency) -> Tensor",
    doc=f"""
Rows of logits in which the tokens of a sequence so far are made less likely, as vLLM defines the three penalties. Token
ids outside of the vocabulary are ignored.

Args:
{_LOGITS}
{_TABLE}
    repetition: [num_rows] float32, divides (multiplies) a positive (negative) logit of a token so far; 1: no change.
    presence, frequency: [num_rows] float32, subtracted once and by count from tokens behind the prompt; 0: no change.

Returns:
    [num_rows, vocab_size] float32, a copy.""",
    check=_check_penalize_logits,
    fake=_fake_float_copy,
    reference=logits_reference.penalize_logits,
    train_with="the penalties in plain PyTorch",
    vmap_with=docs.VMAP_ROWS,
)


# --- token_logprobs -------------------------------------------------------------------------------------------


def _check_token_logprobs(op: str, logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: Any) -> None:
    _check_logits(op, logits)
    _check_column(op, "rows", rows, torch.int64, rows.shape[0] if rows.dim() else 0, "[num_tokens]", "num_tokens")
    _check_column(op, "token_ids", token_ids, torch.int64, rows.shape[0], "[num_tokens]", "num_tokens, as in rows")
    for name, column in (("rows", rows), ("token_ids", token_ids)):
        expect_device(op, name, column, logits.device)
    vocab_size = logits.shape[1]
    if is_known(num_top) and (num_top < 0 or (is_known(vocab_size) and num_top > vocab_size)):
        refuse(op, "num_top", f"is {num_top}", f"0 to {vocab_size}, the vocabulary's size")


def _fake_token_logprobs(
    logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    shapes = ((rows.shape[0],), (rows.shape[0], num_top))
    each = [logits.new_empty(shape, dtype=dtype) for shape in shapes for dtype in (torch.float32, torch.int64)]
    return each[0], each[1], each[2], each[3]


_TOKEN_LOGPROBS = Operator(
    overload="token_logprobs",
    schema="(Tensor logits, Tensor rows, Tensor token_ids, SymInt num_top) -> "
    "(Tensor logprobs, Tensor ranks, Tensor top_logprobs, Tensor top_ids)",
    doc=f"""
The logprobs and ranks of chosen tokens in chosen rows, and each row's likeliest tokens, without a whole log_softmax.

Args:
{_LOGITS}
    rows: [num_tokens] int64, the row of logits of each token.
    token_ids: [num_tokens] int64; ids outside of the vocabulary have logprob NaN and rank 0.
    num_top: number of likeliest tokens to return, 0 to vocab_size.

Returns:
    (logprobs [num_tokens] float32, natural logarithms; ranks [num_tokens] int64, 1 for the likeliest; top_logprobs
    [num_tokens, num_top] float32 and top_ids likewise int64, the likeliest first, of equal ones the lower token).""",
    check=_check_token_logprobs,
    fake=_fake_token_logprobs,
    reference=logits_reference.token_logprobs,
    train_with="torch.nn.functional.log_softmax of the logits",
    vmap_with=docs.VMAP_ROWS,
    gradient=gradients.TOKEN_LOGPROBS,
)

OPERATORS = (_SAMPLE_TOKENS, _EDIT_LOGITS, _PENALIZE_LOGITS, _TOKEN_LOGPROBS)

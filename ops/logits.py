"""Schemas, argument checks and fakes of the operators on rows of logits, but `sample_tokens`; `library.py` has them in
its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.checks import FLOAT_DTYPES, _device, _dim, _dtype, _known, _last_contiguous, _refuse, _size

SCHEMAS = {
    "edit_logits": "(Tensor logits, Tensor token_table, Tensor rows, Tensor lengths, Tensor prompt_lengths, "
    "Tensor masks, Tensor mask_of_row, Tensor starts, Tensor token_ids, Tensor values, Tensor until, "
    "Tensor prefixes) -> Tensor",
    "penalize_logits": "(Tensor logits, Tensor token_table, Tensor rows, Tensor lengths, Tensor prompt_lengths, "
    "Tensor repetition, Tensor presence, Tensor frequency) -> Tensor",
    "token_logprobs": "(Tensor logits, Tensor rows, Tensor token_ids, SymInt num_top) -> "
    "(Tensor logprobs, Tensor ranks, Tensor top_logprobs, Tensor top_ids)",
}


def _logits(op: str, logits: Tensor) -> None:
    _dim(op, "logits", logits, 2, "[num_rows, vocab_size]")
    _dtype(op, "logits", logits, *FLOAT_DTYPES)
    _last_contiguous(op, "logits", logits)
    if _known(logits.shape[1]) and logits.shape[1] == 0:
        _refuse(op, "logits", f"has an empty vocabulary, shape {tuple(logits.shape)}", "at least one token")


def _column(op: str, name: str, column: Tensor, dtype: torch.dtype, size: Any, shape: str, what: str) -> None:
    _dim(op, name, column, 1, shape)
    _dtype(op, name, column, dtype)
    _size(op, name, column, 0, size, what)
    _last_contiguous(op, name, column)


def _table(op: str, token_table: Tensor, logits: Tensor) -> None:
    _matrix(op, "token_table", token_table, "[num_table_rows, max_tokens]")
    _device(op, "token_table", token_table, logits.device)


def _matrix(op: str, name: str, values: Tensor, shape: str) -> None:
    _dim(op, name, values, 2, shape)
    _dtype(op, name, values, torch.int32)
    _last_contiguous(op, name, values)


def check_edit_logits(
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
    """Of `edit_logits`."""
    _logits(op, logits)
    _table(op, token_table, logits)
    num_rows, vocab_size = logits.shape
    for name, column, dtype in (
        ("rows", rows, torch.int64),
        ("lengths", lengths, torch.int32),
        ("prompt_lengths", prompt_lengths, torch.int32),
        ("mask_of_row", mask_of_row, torch.int32),
    ):
        _column(op, name, column, dtype, num_rows, "[num_rows]", "num_rows of logits")
        _device(op, name, column, logits.device)
    _matrix(op, "masks", masks, "[num_masks, num_words]")
    count, words = masks.shape
    if _known(count) and count and _known(words) and _known(vocab_size) and words * 32 < vocab_size:
        found = f"has {words} words of 32 tokens, shape {tuple(masks.shape)}"
        _refuse(op, "masks", found, f"a bit for each of {vocab_size} tokens")
    _column(op, "starts", starts, torch.int32, num_rows + 1, "[num_rows + 1]", "num_rows of logits and 1")
    _dim(op, "token_ids", token_ids, 1, "[num_edits]")
    edits = (("token_ids", token_ids, torch.int32), ("values", values, torch.float32), ("until", until, torch.int32))
    for name, column, dtype in edits:
        _column(op, name, column, dtype, token_ids.shape[0], "[num_edits]", "num_edits, as in token_ids")
        _device(op, name, column, logits.device)
    _matrix(op, "prefixes", prefixes, "[num_edits, width]")
    _size(op, "prefixes", prefixes, 0, token_ids.shape[0], "num_edits, as in token_ids")
    for name, each in (("masks", masks), ("starts", starts), ("prefixes", prefixes)):
        _device(op, name, each, logits.device)


def check_penalize_logits(
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
    """Of `penalize_logits`."""
    _logits(op, logits)
    _table(op, token_table, logits)
    for name, column, dtype in (
        ("rows", rows, torch.int64),
        ("lengths", lengths, torch.int32),
        ("prompt_lengths", prompt_lengths, torch.int32),
        ("repetition", repetition, torch.float32),
        ("presence", presence, torch.float32),
        ("frequency", frequency, torch.float32),
    ):
        _column(op, name, column, dtype, logits.shape[0], "[num_rows]", "num_rows of logits")
        _device(op, name, column, logits.device)


def check_token_logprobs(op: str, logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: Any) -> None:
    """Of `token_logprobs`."""
    _logits(op, logits)
    _column(op, "rows", rows, torch.int64, rows.shape[0] if rows.dim() else 0, "[num_tokens]", "num_tokens")
    _column(op, "token_ids", token_ids, torch.int64, rows.shape[0], "[num_tokens]", "num_tokens, as in rows")
    for name, column in (("rows", rows), ("token_ids", token_ids)):
        _device(op, name, column, logits.device)
    vocab_size = logits.shape[1]
    if _known(num_top) and (num_top < 0 or (_known(vocab_size) and num_top > vocab_size)):
        _refuse(op, "num_top", f"is {num_top}", f"0 to {vocab_size}, the vocabulary's size")


def fake_float_copy(logits: Tensor, *_: Tensor) -> Tensor:
    """A float32 copy of the logits."""
    return logits.new_empty(logits.shape, dtype=torch.float32)


def fake_token_logprobs(
    logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A number of each kind for every token, and of the likeliest ones of its row."""
    shapes = ((rows.shape[0],), (rows.shape[0], num_top))
    each = [logits.new_empty(shape, dtype=dtype) for shape in shapes for dtype in (torch.float32, torch.int64)]
    return each[0], each[1], each[2], each[3]


def run_float_copy(fn: Callable[..., None], *args: Tensor) -> Tensor:
    """Calls a backend of `edit_logits` or `penalize_logits`."""
    out = fake_float_copy(*args)
    fn(*args, out)
    return out


def run_token_logprobs(
    fn: Callable[..., None], logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Calls a backend of `token_logprobs`."""
    results = fake_token_logprobs(logits, rows, token_ids, num_top)
    fn(logits, rows, token_ids, num_top, *results)
    return results


CHECKS: dict[str, Callable[..., None]] = {
    "edit_logits": check_edit_logits,
    "penalize_logits": check_penalize_logits,
    "token_logprobs": check_token_logprobs,
}
FAKES: dict[str, Callable[..., Any]] = {
    "edit_logits": fake_float_copy,
    "penalize_logits": fake_float_copy,
    "token_logprobs": fake_token_logprobs,
}
RUNNERS: dict[str, Callable[..., Any]] = {
    "edit_logits": run_float_copy,
    "penalize_logits": run_float_copy,
    "token_logprobs": run_token_logprobs,
}

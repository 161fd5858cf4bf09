"""Schemas, argument checks and fakes of the operators on rows of logits, but `sample_tokens`; `library.py` has them in
its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.checks import FLOAT_DTYPES, _device, _dim, _dtype, _known, _last_contiguous, _refuse, _size

SCHEMAS = {
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
    _dim(op, "token_table", token_table, 2, "[num_table_rows, max_tokens]")
    _dtype(op, "token_table", token_table, torch.int32)
    _last_contiguous(op, "token_table", token_table)
    _device(op, "token_table", token_table, logits.device)
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


def fake_penalize_logits(logits: Tensor, *_: Tensor) -> Tensor:
    """A float32 copy of the logits."""
    return logits.new_empty(logits.shape, dtype=torch.float32)


def fake_token_logprobs(
    logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A number of each kind for every token, and of the likeliest ones of its row."""
    shapes = ((rows.shape[0],), (rows.shape[0], num_top))
    each = [logits.new_empty(shape, dtype=dtype) for shape in shapes for dtype in (torch.float32, torch.int64)]
    return each[0], each[1], each[2], each[3]


def run_penalize_logits(fn: Callable[..., None], *args: Tensor) -> Tensor:
    """Calls a backend of `penalize_logits`."""
    out = fake_penalize_logits(*args)
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
    "penalize_logits": check_penalize_logits,
    "token_logprobs": check_token_logprobs,
}
FAKES: dict[str, Callable[..., Any]] = {
    "penalize_logits": fake_penalize_logits,
    "token_logprobs": fake_token_logprobs,
}
RUNNERS: dict[str, Callable[..., Any]] = {
    "penalize_logits": run_penalize_logits,
    "token_logprobs": run_token_logprobs,
}

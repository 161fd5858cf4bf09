"""RowEdits: arrays for `torch.ops.torchpaged.edit_logits`, made once when a sequence gets a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.scheduling import RowParams

# Allowed tokens as a bitmask: words of 32 tokens, the first token in the lowest bit.
Mask: TypeAlias = NDArray[np.uint32]
_EVER = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True)
class RowEdits:
    """Edits of one sequence's logits, in the operator's terms.

    Args:
        mask: allowed tokens, up to the last of them; None: all.
        token_ids, values, until: [num_edits] int32, float32, int32.
        prefixes: [num_edits, width] int32.
        always: True if any edit applies beyond the minimum length.
    """

    mask: Mask | None
    token_ids: NDArray[np.int32]
    values: NDArray[np.float32]
    until: NDArray[np.int32]
    prefixes: NDArray[np.int32]
    always: bool

    @classmethod
    def from_params(cls, params: RowParams) -> RowEdits | None:
        """Return the edits that parameters ask for, or None."""
        words, early = params.bad_words, params.stops if params.min_length else ()
        always = bool(params.logit_bias or words) or params.allowed is not None
        if not (always or early):
            return None
        biases = params.logit_bias
        token_ids = [token for token, _ in biases] + [word[-1] for word in words] + list(early)
        values = [bias for _, bias in biases] + [-np.inf] * (len(words) + len(early))
        until = [_EVER] * (len(biases) + len(words)) + [params.min_length] * len(early)
        width = max((len(word) - 1 for word in words), default=0)
        prefixes: NDArray[np.int32] = np.full((len(token_ids), width), -1, dtype=np.int32)
        for place, word in enumerate(words, start=len(biases)):
            prefixes[place, width - len(word) + 1 :] = word[:-1]
        return cls(
            None if params.allowed is None else _mask(params.allowed),
            np.array(token_ids, dtype=np.int32),
            np.array(values, dtype=np.float32),
            np.array(until, dtype=np.int32),
            prefixes,
            always,
        )


class EditTable:
    """Edits of each row's logits.

    Args:
        num_rows: number of rows.

    Attributes:
        by_row: edits of each row, or None.
        always: [num_rows], True where edits apply at any length, not only below a minimum.
        version: counts changes, so that operands made of the edits are not used after one.
    """

    def __init__(self, num_rows: int) -> None:
        self.by_row: list[RowEdits | None] = [None] * num_rows
        self.always: NDArray[np.bool_] = np.zeros(num_rows, dtype=np.bool_)
        self.version = 0

    def set(self, row: int, params: RowParams) -> None:
        """Set a row's edits to those that its parameters ask for."""
        edits = RowEdits.from_params(params)
        self.version += edits is not self.by_row[row]
        self.by_row[row], self.always[row] = edits, edits is not None and edits.always

    def fill(self, edits: RowEdits | None) -> None:
        """Set the edits of all rows."""
        self.version += 1
        self.by_row[:] = [edits] * len(self.by_row)
        self.always[:] = edits is not None and edits.always


def _mask(token_ids: Sequence[int]) -> Mask:
    ids: NDArray[np.int64] = np.array(token_ids, dtype=np.int64)
    bits: NDArray[np.uint8] = np.zeros((int(ids.max()) // 32 + 1) * 32, dtype=np.uint8)
    bits[ids] = 1
    return np.packbits(bits, bitorder="little").view(np.uint32)


def joined(edits: Sequence[RowEdits | None], masks: dict[int, Mask], vocab_size: int) -> list[NDArray[Any]]:
    """Return the operator's operands after `prompt_lengths`: masks, mask_of_row, starts, token_ids, ..., prefixes.

    Args:
        edits: of each row of logits.
        masks: by row, in addition to the rows' own.
        vocab_size: tokens.
    """
    own = [None if each is None else each.mask for each in edits]
    for place, mask in masks.items():
        mine = own[place]
        own[place] = mask if mine is None else _both(mine, mask)
    distinct = {id(mask): mask for mask in own if mask is not None}  # completions of one prompt share a mask
    place_of = {key: place for place, key in enumerate(distinct)}
    # An array without rows needs no columns either: torch would give it strides that the operator refuses.
    num_words = -(-vocab_size // 32) if distinct else 0
    words: NDArray[np.uint32] = np.zeros((len(distinct), num_words), dtype=np.uint32)
    for place, mask in enumerate(distinct.values()):
        some = mask[: words.shape[1]]
        words[place, : len(some)] = some
    mask_of_row = np.array([-1 if mask is None else place_of[id(mask)] for mask in own], dtype=np.int32)
    found = [each for each in edits if each is not None]
    starts: NDArray[np.int32] = np.zeros(len(edits) + 1, dtype=np.int32)
    np.cumsum([0 if each is None else len(each.token_ids) for each in edits], out=starts[1:])
    width = max((each.prefixes.shape[1] for each in found), default=0)
    prefixes: NDArray[np.int32] = np.full((int(starts[-1]), width), -1, dtype=np.int32)
    begin = 0
    for each in found:
        count, wide = each.prefixes.shape
        prefixes[begin : begin + count, width - wide :] = each.prefixes
        begin += count
    columns = (
        _concatenated([each.token_ids for each in found], np.int32),
        _concatenated([each.values for each in found], np.float32),
        _concatenated([each.until for each in found], np.int32),
    )
    return [words.view(np.int32), mask_of_row, starts, *columns, prefixes]


def _both(first: Mask, second: Mask) -> Mask:
    size = min(len(first), len(second))
    return first[:size] & second[:size]


def _concatenated(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)

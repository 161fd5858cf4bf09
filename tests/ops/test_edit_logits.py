"""edit_logits: masks, biases, tokens that are forbidden after others, against lists; rows are independent."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.test_logits import DTYPES, SIZES, logits_of
from torchpaged.ops import library

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
EVER = 2**31 - 1


@dataclass
class Edit:
    """A value that is added to a token's logit, below a length and after some tokens."""

    token: int
    value: float
    until: int = EVER
    prefix: tuple[int, ...] = ()


@dataclass
class Row:
    """Settings of a row of logits."""

    tokens: list[int]
    prompt: int
    allowed: set[int] | None = None
    edits: list[Edit] = field(default_factory=list)
    in_table: bool = True


def arguments(rows: list[Row], vocab_size: int) -> tuple[Tensor, ...]:
    """Return the arguments after the logits; table rows in another order than the logits', with spare ones."""
    count = len(rows)
    longest = max((len(row.tokens) for row in rows), default=0)
    table = torch.full((count + 2, longest + 3), 1, dtype=torch.int32)[:, : longest + 1]
    places = [(5 * i + 1) % (count + 2) if (count + 2) % 5 else i for i in range(count)]
    words = (vocab_size + 31) // 32 + 1
    masks = np.zeros((count, 32 * words), dtype=np.uint8)
    mask_of_row, starts, edits = [], [0], []
    for i, row in enumerate(rows):
        table[places[i], : len(row.tokens)] = torch.tensor(row.tokens, dtype=torch.int32)
        masks[i, sorted(row.allowed or ())] = 1
        mask_of_row.append(-1 if row.allowed is None else i)
        edits += row.edits
        starts.append(len(edits))
    width = max((len(edit.prefix) for edit in edits), default=0)
    prefixes = [[*[-1] * (width - len(edit.prefix)), *edit.prefix] for edit in edits]
    packed = np.packbits(masks, axis=1, bitorder="little").view(np.int32)

    def column(values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int32)

    return (
        table,
        torch.tensor([place if row.in_table else -1 for place, row in zip(places, rows, strict=True)]).long(),
        column([len(row.tokens) for row in rows]),
        column([row.prompt for row in rows]),
        torch.from_numpy(packed),
        column(mask_of_row),
        column(starts),
        column([edit.token for edit in edits]),
        torch.tensor([edit.value for edit in edits], dtype=torch.float32),
        column([edit.until for edit in edits]),
        column([]).view(0, width) if not edits else torch.tensor(prefixes, dtype=torch.int32).view(len(edits), width),
    )


def edited(logits: Tensor, rows: list[Row]) -> Tensor:
    """Compute the definition, token by token."""
    out = logits.float().clone()
    for i, row in enumerate(rows):
        if row.allowed is not None:
            out[i, sorted(set(range(logits.shape[1])) - row.allowed)] = -torch.inf
        made = row.tokens[row.prompt :] if row.in_table else []
        for edit in row.edits:
            behind = not edit.prefix or tuple(made[-len(edit.prefix) :]) == edit.prefix
            if 0 <= edit.token < logits.shape[1] and len(row.tokens) < edit.until and behind:
                out[i, edit.token] += edit.value
    return out


def some_rows(vocab_size: int, count: int = 9, seed: int = 0) -> list[Row]:
    """Return rows of all kinds; the vocabulary is small, so that prefixes occur."""
    pick = random.Random(seed * 7919 + vocab_size)
    few = min(3, vocab_size)
    rows = []
    for _ in range(count):
        tokens = [pick.randrange(few) for _ in range(pick.randint(0, 12))]
        row = Row(tokens, pick.randint(0, len(tokens)), in_table=pick.random() < 0.9)
        if pick.random() < 0.5:
            most = pick.choice((1, vocab_size // 2, vocab_size))
            row.allowed = {pick.randrange(vocab_size) for _ in range(most)}
        for token in pick.sample(range(vocab_size), min(vocab_size, pick.choice((0, 3, 40)))):
            row.edits.append(Edit(token, pick.uniform(-5, 5), pick.choice((EVER, EVER, 5))))
        for _ in range(pick.choice((0, 8))):
            prefix = tuple(pick.randrange(few) for _ in range(pick.randint(0, 3)))
            row.edits.append(Edit(pick.choice((pick.randrange(vocab_size), -1, vocab_size)), -torch.inf, EVER, prefix))
        rows.append(row)
    return rows


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("vocab_size", SIZES)
def test_values(vocab_size: int, dtype: torch.dtype, backend: str) -> None:
    rows = some_rows(vocab_size)
    logits = logits_of(len(rows), vocab_size, dtype)
    before = logits.clone()
    out = backends.call(backend)("edit_logits", logits, *arguments(rows, vocab_size))
    assert out.dtype == torch.float32 and out.is_contiguous()
    assert torch.equal(out, edited(logits, rows)) and torch.equal(logits, before)


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize(
    ("tokens", "prompt", "prefix", "holds"),
    [
        ([4, 5, 6], 0, (5, 6), True),
        ([4, 5, 6], 0, (6, 5), False),
        ([4, 5, 6], 1, (5, 6), True),
        ([4, 5, 6], 2, (5, 6), False),  # partly of the prompt
        ([6], 0, (5, 6), False),  # longer than the row
        ([4, 5, 6], 3, (), True),
        ([4, 5, -1], 0, (5, 6), False),  # the last token could not be chosen
    ],
)
def test_prefixes(tokens: list[int], prompt: int, prefix: tuple[int, ...], holds: bool, backend: str) -> None:
    """Only generated tokens count."""
    rows = [Row(tokens, prompt, edits=[Edit(2, -torch.inf, prefix=prefix), Edit(7, 1.0, prefix=(9, 9, 9))])]
    out = backends.call(backend)("edit_logits", torch.zeros(1, 10), *arguments(rows, 10))
    assert out[0].tolist() == [-torch.inf if holds and token == 2 else 0.0 for token in range(10)]


@pytest.mark.parametrize("backend", ["reference", "cpp"])
def test_nothing_to_do_is_a_copy(backend: str) -> None:
    call, logits = backends.call(backend), logits_of(4, 77, torch.bfloat16)
    rows = [Row([1, 2], 1) for _ in range(4)]
    parts = arguments(rows, 77)
    assert torch.equal(call("edit_logits", logits, *parts), logits.float())
    parts = (*parts[:4], parts[4][:0, :0], *parts[5:])  # nor a mask
    assert torch.equal(call("edit_logits", logits, *parts), logits.float())
    nan = torch.full((1, 77), torch.nan)
    out = call("edit_logits", nan, *arguments([Row([], 0, {3}, [Edit(3, 1.0)])], 77))
    assert bool(out[0, 3].isnan()) and out[0].isnan().sum() == 1


def test_a_row_does_not_depend_on_the_others_or_on_threads() -> None:
    vocab_size = 20_000  # enough for several threads
    rows = some_rows(vocab_size, 12)
    logits = logits_of(len(rows), vocab_size, torch.bfloat16)
    whole = OPS.edit_logits(logits, *arguments(rows, vocab_size))
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            assert torch.equal(OPS.edit_logits(logits, *arguments(rows, vocab_size)), whole)
    finally:
        torch.set_num_threads(before)
    for i, row in enumerate(rows):
        assert torch.equal(OPS.edit_logits(logits[i : i + 1], *arguments([row], vocab_size))[0], whole[i])

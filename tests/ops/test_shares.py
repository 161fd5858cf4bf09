"""Division of a batch's chunks among paged_attention's programs, on the device."""

from __future__ import annotations

import random

import pytest
import torch
import triton
import triton.language as tl

from evals.bench import roofline
from tests.ops import backends
from torchpaged.ops.triton import attention_plan
from torchpaged.ops.triton.shares import PROGRAMS_PER_MULTIPROCESSOR, find_share

CHUNK = 64


@triton.jit
def _ask_kernel(
    shares_ptr,
    starts_ptr,
    lens_ptr,
    num_programs,
    num_splits,
    num_seqs,
    num_tokens,
    max_keys,
    window,
    TOKENS: tl.constexpr,
    CHUNK: tl.constexpr,
    DECODES: tl.constexpr,
):
    """Writes down the share of each program."""
    item = tl.program_id(0)
    seq, tile, first, last = find_share(
        starts_ptr,
        lens_ptr,
        item,
        num_programs,
        num_splits,
        num_seqs,
        num_tokens,
        max_keys,
        window,
        TOKENS,
        CHUNK,
        DECODES,
    )
    tl.store(shares_ptr + item * 4, seq)
    tl.store(shares_ptr + item * 4 + 1, tile)
    tl.store(shares_ptr + item * 4 + 2, first)
    tl.store(shares_ptr + item * 4 + 3, last)


def ask(
    batch: list[tuple[int, int]],
    programs: int,
    tokens: int,
    splits: int = 0,
    window: int = 0,
    max_keys: int = 1 << 20,
    decodes: bool = False,
    chunk: int = CHUNK,
) -> list[list[int]]:
    """[sequence, tile, first chunk, chunk after the last] of every share; `batch` is (new tokens, length) pairs."""
    starts = torch.tensor([0, *(new for new, _ in batch)]).cumsum(0).int()
    num_tokens = int(starts[-1])
    items = min(num_tokens, num_tokens // tokens + len(batch))  # as the launcher counts them
    most = -(-min(max_keys, max((length for _, length in batch), default=0)) // chunk)
    items = items * max(1, min(splits, most)) if splits else items + programs
    shares = torch.full((max(1, items), 4), -7, dtype=torch.int32)
    lens = torch.tensor([length for _, length in batch], dtype=torch.int32)
    backends.call("triton")  # where Triton interprets, it is mended by that
    device = backends.device("triton")
    shares, starts, lens = (each.to(device) for each in (shares, starts, lens))
    _ask_kernel[(max(1, items),)](
        shares, starts, lens, programs, splits, len(batch), num_tokens, max_keys, window, tokens, chunk, decodes
    )
    found = shares.tolist()
    count = sum(seq >= 0 for seq, *_ in found)
    assert all(seq == -1 for seq, *_ in found[count:])  # the unused entries are at the end, and marked
    return found[:count]


def expected(batch: list[tuple[int, int]], tokens: int, window: int, max_keys: int) -> set[tuple[int, int, int]]:
    """Return (sequence, tile, chunk) of all the work."""
    work = set()
    for seq, (new, length) in enumerate(batch):
        first = max(length - new - window + 1, 0) // CHUNK if window else 0
        for tile in range(-(-new // tokens)):
            work.update((seq, tile, chunk) for chunk in range(first, -(-min(length, max_keys) // CHUNK)))
    return work


def batches() -> list[list[tuple[int, int]]]:
    """Return decode steps, one long sequence among short ones, padding, prefill, and all of it."""
    dice = random.Random(3)
    skewed = [(1, 9000), *[(1, 70)] * 15]
    mixed = [(dice.choice((0, 1, 1, 5, 40)), dice.randrange(40, 2000)) for _ in range(30)]
    return [
        [(1, 640)],
        [(1, 64)] * 8,
        skewed,
        skewed[::-1],
        [(1, 100), (0, 0), (0, 0)],
        [(37, 37), (20, 500)],
        [(new, length if new else 0) for new, length in mixed],
    ]


@pytest.mark.parametrize(("programs", "tokens", "window"), [(1, 16, 0), (7, 16, 100), (25, 4, 0)])
@pytest.mark.parametrize("batch", batches(), ids=lambda batch: f"{len(batch)}x{batch[0]}")
def test_all_chunks_are_shared_out_once(batch: list[tuple[int, int]], programs: int, tokens: int, window: int) -> None:
    shares = ask(batch, programs, tokens, window=window)
    work = [(seq, tile, chunk) for seq, tile, first, last in shares for chunk in range(first, last)]
    wanted = expected(batch, tokens, window, 1 << 20)
    assert len(work) == len(set(work)) and set(work) == wanted
    assert max(last - first for *_, first, last in shares) <= -(-len(wanted) // programs)


def test_a_long_sequence_is_worked_on_by_all_programs() -> None:
    """The batch of the skewed benchmark row: undivided, the long sequence would occupy one program."""
    shares = ask([(1, 64 * 100), *[(1, 64)] * 20], 30, 16)
    assert sum(seq == 0 for seq, *_ in shares) == 25  # 120 chunks, 4 for each program


@pytest.mark.parametrize("splits", [1, 3, 1000])
def test_a_wish_is_taken_as_shares_of_a_tile(splits: int) -> None:
    batch = [(1, 640), (1, 64), (20, 1000)]
    shares = ask(batch, 5, 16, splits=splits)
    for seq, (new, length) in enumerate(batch):
        tiles, chunks = -(-new // 16), -(-length // CHUNK)
        assert sum(each[0] == seq for each in shares) == tiles * min(splits, chunks)


def test_more_sequences_than_one_search_step() -> None:
    batch = [(1, 1 + 13 * i % 700) for i in range(270)]
    shares = ask(batch, 20, 16)
    assert {(seq, 0, chunk) for seq, _, first, last in shares for chunk in range(first, last)} == expected(
        batch, 16, 0, 1 << 20
    )


def test_sequences_of_one_token_apart() -> None:
    batch = [(1, 640), (40, 640), (0, 0), (1, 64), (2, 300)]
    shares = ask(batch, 5, 16, decodes=True)
    assert {(seq, chunk) for seq, _, first, last in shares for chunk in range(first, last)} == {
        *((0, chunk) for chunk in range(10)),
        (3, 0),
    }


def test_lengths_past_the_table_are_cut() -> None:
    shares = ask([(1, 1 << 30), (1, 100)], 8, 16, max_keys=256)
    assert {(seq, chunk) for seq, _, first, last in shares for chunk in range(first, last)} == {
        *((0, chunk) for chunk in range(4)),
        *((1, chunk) for chunk in range(2)),
    }


def test_the_roofline_divides_alike() -> None:
    """Its model of an H200, which runs without Triton, uses the same shares."""
    assert roofline.PROGRAMS_PER_MULTIPROCESSOR == PROGRAMS_PER_MULTIPROCESSOR
    assert roofline.CHUNK == attention_plan.CHUNK
    heads, lengths = 8, [30000, 700, 1, 2048, 513]
    programs = -(-PROGRAMS_PER_MULTIPROCESSOR * roofline.MULTIPROCESSORS // heads)
    shares = ask([(1, length) for length in lengths], programs, 16, chunk=roofline.CHUNK)
    keys = [min(last * roofline.CHUNK, lengths[seq]) - first * roofline.CHUNK for seq, _, first, last in shares]
    assert roofline.divide(lengths, heads, 1) == tuple(count for count in keys for _ in range(heads))


def test_nothing_to_do() -> None:
    assert ask([(0, 0), (0, 0)], 8, 16) == []
    assert ask([], 8, 16) == []

"""Tables of a batch whose rows are repeated, selected, cropped and copied, compared with a shadow of their contents."""

from __future__ import annotations

import random

import pytest

from torchpaged.kv_cache.batch_tables import BatchTables, GrowingBlocks
from torchpaged.kv_cache.spec import ChunkedLocalAttentionSpec, FullAttentionSpec, KVCacheSpec, SlidingWindowSpec


class Batch:
    """Rows of random tokens, written through the tables into a memory by block and offset."""

    def __init__(self, tables: BatchTables, rows: list[list[int]], memory: dict[tuple[int, int], int]) -> None:
        self.tables, self.rows, self.memory = tables, rows, memory

    def append(self, tokens: list[list[int]]) -> None:
        size = self.tables.spec.block_size
        firsts = [len(row) for row in self.rows]
        self.tables.give_back(firsts)
        for source, target in self.tables.grow([f + len(t) for f, t in zip(firsts, tokens, strict=True)], firsts):
            for offset in range(size):
                if (source, offset) in self.memory:
                    self.memory[target, offset] = self.memory[source, offset]
        for row, table, new in zip(self.rows, self.tables, tokens, strict=True):
            for token in new:
                self.memory[table[len(row) // size], len(row) % size] = token
                row.append(token)

        self.read(firsts)

    def read(self, firsts: list[int]) -> None:
        """Check that every token visible to a row's tokens from `firsts` on is the one that was written."""
        size = self.tables.spec.block_size
        for row, table, first in zip(self.rows, self.tables, firsts, strict=True):
            for place in range(self.tables.spec.num_skipped_blocks(first) * size, len(row)):
                assert self.memory[table[place // size], place % size] == row[place]


SPECS = [FullAttentionSpec(4), SlidingWindowSpec(4, 7), ChunkedLocalAttentionSpec(4, 8)]


@pytest.mark.parametrize("spec", SPECS, ids=["full", "window", "chunk"])
def test_every_read_finds_what_was_written(spec: KVCacheSpec) -> None:
    for seed in range(40):
        chance = random.Random(seed)
        blocks = GrowingBlocks()
        first = Batch(BatchTables(blocks, spec, 3), [[], [], []], {})
        batches = [first]
        for _ in range(60):
            batch = chance.choice(batches)
            verb = chance.choice(["append", "append", "select", "cut", "copy", "drop"])
            if verb == "append":
                batch.append([[chance.getrandbits(30) for _ in range(chance.choice([0, 1, 1, 6]))] for _ in batch.rows])
            elif verb == "select" and batch.rows:
                chosen = [chance.randrange(len(batch.rows)) for _ in range(chance.choice([1, 2, 4]))]
                batch.tables.select(chosen)
                batch.rows = [list(batch.rows[i]) for i in chosen]
            elif verb == "cut":
                totals = [max(0, len(row) - chance.choice([0, 1, 3])) for row in batch.rows]
                if batch.tables.reaches_back_to(totals):
                    batch.tables.cut(totals)
                    batch.rows = [row[:total] for row, total in zip(batch.rows, totals, strict=True)]
                    batch.read(totals)
            elif verb == "copy" and len(batches) < 3:
                batches.append(Batch(batch.tables.copy(), [list(row) for row in batch.rows], batch.memory))
            elif verb == "drop" and len(batches) > 1:
                batch.tables.clear()
                batches.remove(batch)
            blocks.check([row for each in batches for row in each.tables])
        for batch in batches:
            batch.tables.clear()
        blocks.check([])
        assert blocks.num_used == 0


def test_exact_counts() -> None:
    """Four copies of a row of ten tokens in blocks of four: the next token copies three blocks for four rows."""
    blocks = GrowingBlocks()
    tables = BatchTables(blocks, FullAttentionSpec(4), 1)
    assert tables.grow([10], [0]) == [] and tables.rows == [[1, 2, 3]]
    tables.select([0, 0, 0, 0])
    assert blocks.num_used == 3
    assert tables.grow([11] * 4, [10] * 4) == [(3, 4), (3, 5), (3, 6)]
    assert [row[2] for row in tables] == [4, 5, 6, 3] and blocks.num_used == 6
    tables.cut([8] * 4)
    assert blocks.num_used == 2
    assert tables.grow([9] * 4, [8] * 4) == []  # a full block is never written to


def test_a_window_gives_back_what_it_has_passed() -> None:
    blocks = GrowingBlocks()
    tables = BatchTables(blocks, SlidingWindowSpec(4, 6), 1)
    tables.grow([17], [0])
    tables.give_back([17])  # the token at 17 sees 12 and later
    assert tables.rows == [[0, 0, 0, 4, 5]] and blocks.num_used == 2
    assert tables.reaches_back_to([17]) and not tables.reaches_back_to([16])


def test_freed_more_often_than_taken() -> None:
    blocks = GrowingBlocks()
    block = blocks.take()
    blocks.release([block])
    with pytest.raises(AssertionError, match="freed more often"):
        blocks.release([block])

"""Block tables of one batch whose rows are repeated, selected, cropped and copied: no requests, no hashes.

`BatchTables` is the block management that a transformers `Cache` needs: rows share blocks until one of them writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from torchpaged.kv_cache.spec import KVCacheSpec, num_blocks

NULL_BLOCK = 0  # never allocated: entries that have left the window point at it


class GrowingBlocks:
    """Reference-counted block ids without an upper limit: a new id is made when none is free.

    Invariants: a block has a count of 0 if and only if it is free; block 0 is neither.
    """

    def __init__(self) -> None:
        self._counts = [1]
        self._free: list[int] = []

    @property
    def num_ids(self) -> int:
        """Number of ids ever made, the null block included: cache tensors need room for so many blocks."""
        return len(self._counts)

    @property
    def num_used(self) -> int:
        """Number of blocks in use."""
        return len(self._counts) - 1 - len(self._free)

    def take(self) -> int:
        """Allocate a block. Takes the one freed last, whose memory the process has already touched."""
        if self._free:
            block = self._free.pop()
            self._counts[block] = 1
            return block
        self._counts.append(1)
        return len(self._counts) - 1

    def share(self, blocks: Iterable[int]) -> None:
        """Increment each block's reference count."""
        for block in blocks:
            self._counts[block] += block != NULL_BLOCK

    def release(self, blocks: Iterable[int]) -> None:
        """Decrement each block's reference count."""
        for block in blocks:
            if block == NULL_BLOCK:
                continue
            assert self._counts[block] > 0, f"block {block} is freed more often than it was taken"
            self._counts[block] -= 1
            if not self._counts[block]:
                self._free.append(block)

    def is_shared(self, block: int) -> bool:
        """True if writing to the block would change what another row reads."""
        return self._counts[block] > 1

    def check(self, tables: Iterable[Sequence[int]]) -> None:
        """Assert the invariants. Takes all tables."""
        owners = [0] * len(self._counts)
        for table in tables:
            for block in table:
                owners[block] += block != NULL_BLOCK
        assert owners[1:] == self._counts[1:], "counts are not what the tables name"
        assert sorted(self._free) == [block for block, count in enumerate(owners) if block and not count]


class BatchTables:
    """The tables of a batch's rows in one group of layers.

    Args:
        blocks: the blocks they are made of; several batches may share them.
        spec: which tokens the layers see.
        num_rows: number of rows, all empty at first.
    """

    def __init__(self, blocks: GrowingBlocks, spec: KVCacheSpec, num_rows: int) -> None:
        self.blocks, self.spec = blocks, spec
        self.rows: list[list[int]] = [[] for _ in range(num_rows)]

    def grow(self, totals: Sequence[int], firsts: Sequence[int]) -> list[tuple[int, int]]:
        """Make room for `totals` tokens in each row, of which those from `firsts` on will be written.

        Returns:
            (source, destination) of blocks to copy before anything is written, where a row is about to write to a
            shared block. The last row that shares a block keeps it.
        """
        copies = []
        for row, total, first in zip(self.rows, totals, firsts, strict=True):
            written = first // self.spec.block_size  # the only block that has tokens and gets more
            if first < total and written < len(row) and self.blocks.is_shared(row[written]):
                copies.append((row[written], self.blocks.take()))
                self.blocks.release(row[written : written + 1])
                row[written] = copies[-1][1]
            row += [self.blocks.take() for _ in range(num_blocks(total, self.spec.block_size) - len(row))]
        return copies

    def give_back(self, totals: Sequence[int]) -> None:
        """Release blocks that no token at position `totals` or later sees."""
        for row, total in zip(self.rows, totals, strict=True):
            for index in range(min(self.spec.num_skipped_blocks(total), len(row)) - 1, -1, -1):
                if row[index] == NULL_BLOCK:
                    break
                self.blocks.release(row[index : index + 1])
                row[index] = NULL_BLOCK

    def reaches_back_to(self, totals: Sequence[int]) -> bool:
        """True if the rows, cropped to `totals` tokens, still have all blocks that the next token sees."""
        return all(
            all(row[self.spec.num_skipped_blocks(total) : num_blocks(total, self.spec.block_size)])
            for row, total in zip(self.rows, totals, strict=True)
        )

    def cut(self, totals: Sequence[int]) -> None:
        """Crop each row to `totals` tokens."""
        for row, total in zip(self.rows, totals, strict=True):
            keep = num_blocks(total, self.spec.block_size)
            self.blocks.release(row[keep:])
            del row[keep:]

    def select(self, indices: Sequence[int]) -> None:
        """Replace the rows by copies of the rows at `indices`, which share their blocks."""
        chosen = [list(self.rows[index]) for index in indices]
        for row in chosen:
            self.blocks.share(row)
        self.clear()
        self.rows = chosen

    def clear(self) -> None:
        """Release all blocks and remove all rows."""
        for row in self.rows:
            self.blocks.release(row)
        self.rows = []

    def copy(self) -> BatchTables:
        """Return a copy that shares the blocks."""
        other = BatchTables(self.blocks, self.spec, 0)
        other.rows = [list(row) for row in self.rows]
        for row in other.rows:
            self.blocks.share(row)
        return other

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.rows)

"""Tables of recurrent layers: states at boundaries, which are written once, and the rows since the last one.

A boundary is a multiple of the group's block size, a chunk. Entry k of a state table holds the state behind the first
k + 1 chunks, entry k of a tail table rows of chunk k; the null block stands for what is not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from torchpaged.kv_cache.block import BlockCopy, KVCacheBlock
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.spec import KVCacheGroup, num_blocks
from torchpaged.kv_cache.table import Edits, Growth, Table


class StateTables:
    """States: the one that a step begins with, the last one that it makes, and those that are kept to be found.

    A slot is given by the step that makes the state, so that it is never shared while it is written, and it is given
    back by the step behind the one that has made the next: a step that fails begins once more where it began.

    Args:
        index: of the group.
        group: the layers.
        store: where slots come from and go.
        block_size: tokens of the blocks by whose hashes states are found.

    Attributes:
        stride: tokens between boundaries that can be found.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store, block_size: int) -> None:
        self.group, self.store, self.index = group, store, index
        self.chunk = group.spec.block_size
        self.stride = lcm(self.chunk, block_size)
        self._size, self._pool, self._host_mirror = block_size, store.pool, store.host_mirror

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """One that is read and one that is written."""
        return min(2, num_tokens // self.chunk)

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """New ones, against those that nobody needs any more."""
        needed = self.needed(growth)
        wasted = (table[index] for index in self._old(table, growth) if index not in needed)
        return self.num_missing(table, growth), sum(block.block_id != 0 and block.ref_count == 1 for block in wasted)

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Those that are not there, without what is merely kept to be found."""
        return sum(index >= len(table) or not table[index].block_id for index in self.needed(growth))

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """All but those that are needed."""
        _give_back(self, table, self._old(table, growth), self._wanted(growth), edits)

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """A slot for each that is needed or kept; the null block for the others."""
        _fill(self, table, growth.total // self.chunk, sorted(self._wanted(growth)), edits)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """All but the last."""
        return self.group.spec.num_skipped_blocks(num_computed_tokens)

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """The state at the last boundary."""
        count, skipped = num_computed_tokens // self.chunk, self.num_skipped(num_computed_tokens)
        return [self._pool.null_block] * skipped + table[skipped:count]

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Likewise."""
        return self.kept(table, num_computed_tokens)

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """The state at the last boundary."""
        count = num_computed_tokens // self.chunk
        return count > 0 and not table[count - 1].block_id

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Boundaries that are reached."""
        return num_tokens // self.chunk

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Until the next boundary is reached."""
        return min(limit, (granted // self.chunk + 1) * self.chunk - 1)

    def hash_index(self, index: int) -> int | None:
        """That of all tokens before the boundary, where they are whole blocks."""
        position = (index + 1) * self.chunk
        return None if position % self._size else position // self._size

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """The state at the prefix's end."""
        if not num_tokens:
            return []
        state = self._pool.find(chain[num_tokens // self._size], self.index)
        assert state is not None
        return [self._pool.null_block] * (num_tokens // self.chunk - 1) + [state]

    def reach(self, chain: Sequence[bytes], count: int) -> int:
        """The last boundary whose state is cached."""
        position = count * self._size // self.stride * self.stride
        while position and self._pool.find(chain[position // self._size], self.index) is None:
            position -= self.stride
        return position // self._size

    def needed(self, growth: Growth) -> set[int]:
        """What the step reads, and what the next one may: any boundary among drafts, and the last one before them."""
        first, certain = growth.first // self.chunk - 1, growth.certain // self.chunk - 1
        return {index for index in (first, *range(certain, growth.total // self.chunk)) if index >= 0}

    def _wanted(self, growth: Growth) -> set[int]:
        return self.needed(growth) | {position // self.chunk - 1 for position in growth.stored}

    def _old(self, table: Table, growth: Growth) -> range:
        """Where a table may hold anything: nothing is left of what lay before the growth before this."""
        return range(max(0, growth.since // self.chunk - 1), len(table))


class TailTables:
    """Rows of the chunk that is not complete, and in a step that completes one of that too until the next.

    Args:
        index: of the group.
        group: the layers.
        store: where slots come from and go.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store) -> None:
        self.group, self.store, self.index = group, store, index
        self._chunk = group.spec.block_size
        self._pool, self._host_mirror = store.pool, store.host_mirror

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """The chunk where a step begins and that where it ends."""
        return 1 if step == 1 else min(2, num_blocks(num_tokens, self._chunk))

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """New ones and copies of those that others read, against those of complete chunks."""
        needed = self.needed(growth)
        shared = sum(index < len(table) and table[index].ref_count > 1 for index in needed)
        wasted = (table[index] for index in self._old(table, growth) if index not in needed)
        returned = sum(block.block_id != 0 and block.ref_count == 1 for block in wasted)
        return self.num_missing(table, growth) + shared, returned

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Those that are not there."""
        return sum(index >= len(table) or not table[index].block_id for index in self.needed(growth))

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Complete chunks."""
        _give_back(self, table, self._old(table, growth), self.needed(growth), edits)

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Owns the rows that are written, and adds those of the chunk where the step ends."""
        needed = sorted(self.needed(growth))
        for index in needed:
            if index < len(table) and table[index].block_id:
                self._own(table, index, edits)
        _fill(self, table, num_blocks(growth.total, self._chunk), needed, edits)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Complete chunks."""
        return self.group.spec.num_skipped_blocks(num_computed_tokens)

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """The chunk that is not complete."""
        count, skipped = num_blocks(num_computed_tokens, self._chunk), self.num_skipped(num_computed_tokens)
        return [self._pool.null_block] * skipped + table[skipped:count]

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Likewise."""
        return self.kept(table, num_computed_tokens)

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """The rows since the last boundary."""
        index = num_computed_tokens // self._chunk
        return num_computed_tokens % self._chunk > 0 and not table[index].block_id

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Chunks that have begun."""
        return num_blocks(num_tokens, self._chunk)

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Until the chunk is complete."""
        return min(limit, num_blocks(granted, self._chunk) * self._chunk)

    def hash_index(self, index: int) -> None:
        """Rows are found by nobody: what begins at a boundary needs none."""

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """A prefix ends at a boundary: no rows."""
        return [self._pool.null_block] * (num_tokens // self._chunk)

    def reach(self, chain: Sequence[bytes], count: int) -> int:
        """All of it."""
        return count

    def needed(self, growth: Growth) -> set[int]:
        """The chunk where the step begins, if it has rows, and those in which it may end."""
        needed = set(range(growth.certain // self._chunk, num_blocks(growth.total, self._chunk)))
        return needed | {growth.first // self._chunk} if growth.first % self._chunk else needed

    def _old(self, table: Table, growth: Growth) -> range:
        return range(growth.since // self._chunk, len(table))

    def _own(self, table: Table, index: int, edits: Edits) -> None:
        """Makes sure that nobody else reads the rows which the sequence adds."""
        block = table[index]
        if block.ref_count == 1:
            self._host_mirror.unpair(block)
            return
        new = self._pool.allocate(1)
        assert new is not None
        edits.copies.append(BlockCopy(block.block_id, new[0].block_id, pool=self.store.kind))
        edits.replaced.append((self.index, index, new[0].block_id))
        table[index] = new[0]
        self._host_mirror.release([block])


def _give_back(
    kind: StateTables | TailTables, table: Table, old: range, wanted: set[int], edits: Edits
) -> None:  # fmt: skip
    """Null blocks for all old entries that are not wanted."""
    gone: list[KVCacheBlock] = []
    for index in old:
        if table[index].block_id and index not in wanted:
            gone.append(table[index])
            table[index] = kind.store.pool.null_block
            edits.replaced.append((kind.index, index, 0))
    if gone:
        kind.store.host_mirror.release(gone)


def _fill(kind: StateTables | TailTables, table: Table, length: int, wanted: Sequence[int], edits: Edits) -> None:
    """Makes a table as long as it must be, with a block of its own for each entry that is wanted."""
    pool, before = kind.store.pool, len(table)
    table.extend([pool.null_block] * (length - before))
    missing = [index for index in wanted if not table[index].block_id]
    new = pool.allocate(len(missing))
    assert new is not None
    for index, block in zip(missing, new, strict=True):
        table[index] = block
        if index < before:
            edits.replaced.append((kind.index, index, block.block_id))
    edits.added.append([block.block_id for block in table[before:]])

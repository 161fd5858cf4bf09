"""Tables of recurrent layers: states at boundaries, which are written once, and the rows since the last boundary.

A boundary is a multiple of the group's block size, a chunk. Entry k of a state table holds the state after the first
k + 1 chunks, entry k of a tail table the rows of chunk k. The null block stands for entries that are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from torchpaged.kv_cache.block import BlockCopy, KVCacheBlock
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.spec import KVCacheGroup, num_blocks
from torchpaged.kv_cache.table import Edits, Find, Growth, Table


class StateTables:
    """Tables of states: the one a step starts from, the last one it makes, and checkpoints for the prefix cache.

    A slot is allocated in the step that makes its state, so it is never shared while it is written. It is released one
    step after its successor was made, so that a failed step can be run again from the state it started with.

    Args:
        index: index of the group.
        group: the layers and their spec.
        store: the pool of state slots.
        block_size: tokens of the blocks by whose hashes states are found.

    Attributes:
        stride: tokens between boundaries whose states can be found.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store, block_size: int) -> None:
        self.group, self.store, self.index = group, store, index
        self.chunk = group.spec.block_size
        self.stride = lcm(self.chunk, block_size)
        self._size, self._pool, self._host_mirror = block_size, store.pool, store.host_mirror

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """Count one state that is read and one that is written."""
        return min(2, num_tokens // self.chunk)

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """Count new states, and those that no step needs any more."""
        needed = self.needed(growth)
        wasted = (table[index] for index in self._old(table, growth) if index not in needed)
        return self.num_missing(table, growth), sum(block.block_id != 0 and block.ref_count == 1 for block in wasted)

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Count missing states, without optional checkpoints."""
        return sum(index >= len(table) or not table[index].block_id for index in self.needed(growth))

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Release all states that are neither needed nor kept as checkpoints."""
        _give_back(self, table, self._old(table, growth), self._wanted(growth), edits)

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Allocate a slot for each state that is needed or kept; other entries are the null block."""
        _fill(self, table, growth.total // self.chunk, sorted(self._wanted(growth)), edits)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Count all entries but the last."""
        return self.group.spec.num_skipped_blocks(num_computed_tokens)

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """Keep the state at the last boundary."""
        count, skipped = num_computed_tokens // self.chunk, self.num_skipped(num_computed_tokens)
        return [self._pool.null_block] * skipped + table[skipped:count]

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Return the same as `kept`."""
        return self.kept(table, num_computed_tokens)

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """True if the state at the last boundary is missing."""
        count = num_computed_tokens // self.chunk
        return count > 0 and not table[count - 1].block_id

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Count one entry per boundary that is reached."""
        return num_tokens // self.chunk

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Return the length just before the next boundary."""
        return min(limit, (granted // self.chunk + 1) * self.chunk - 1)

    def hash_index(self, index: int) -> int | None:
        """Return the index of the hash of all tokens before the boundary, if they fill whole blocks."""
        position = (index + 1) * self.chunk
        return None if position % self._size else position // self._size

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Find the state at the prefix's end."""
        if not num_tokens:
            return []
        state = self._pool.find(chain[num_tokens // self._size], self.index)
        assert state is not None
        return [self._pool.null_block] * (num_tokens // self.chunk - 1) + [state]

    def read_after(self, num_tokens: int) -> range:
        """Return the state at the prefix's end."""
        count = num_tokens // self.chunk
        return range(max(0, count - 1), count)

    def reach(self, chain: Sequence[bytes], count: int, find: Find) -> int:
        """Search for the last boundary whose state is cached."""
        position = count * self._size // self.stride * self.stride
        while position and not find(chain[position // self._size], self.index):
            position -= self.stride
        return position // self._size

    def needed(self, growth: Growth) -> set[int]:
        """Return the entries that this step or the next one may read.

        These are the state the step starts from, the last one before its drafts, and any among the drafts.
        """
        first, certain = growth.first // self.chunk - 1, growth.certain // self.chunk - 1
        return {index for index in (first, *range(certain, growth.total // self.chunk)) if index >= 0}

    def _wanted(self, growth: Growth) -> set[int]:
        return self.needed(growth) | {position // self.chunk - 1 for position in growth.stored}

    def _old(self, table: Table, growth: Growth) -> range:
        """Return the entries that may not be null: earlier ones were released by the previous growth."""
        return range(max(0, growth.since // self.chunk - 1), len(table))


class TailTables:
    """Tables of tails: the rows of the incomplete chunk; a chunk that a step completes is released by the next step.

    Args:
        index: index of the group.
        group: the layers and their spec.
        store: the pool of tail slots.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store) -> None:
        self.group, self.store, self.index = group, store, index
        self._chunk = group.spec.block_size
        self._pool, self._host_mirror = store.pool, store.host_mirror

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """Count the chunk in which a step starts and the one in which it ends."""
        return 1 if step == 1 else min(2, num_blocks(num_tokens, self._chunk))

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """Count new tails and copies of shared ones, and the tails of complete chunks."""
        needed = self.needed(growth)
        shared = sum(index < len(table) and table[index].ref_count > 1 for index in needed)
        wasted = (table[index] for index in self._old(table, growth) if index not in needed)
        returned = sum(block.block_id != 0 and block.ref_count == 1 for block in wasted)
        return self.num_missing(table, growth) + shared, returned

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Count the missing tails."""
        return sum(index >= len(table) or not table[index].block_id for index in self.needed(growth))

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Release the tails of complete chunks."""
        _give_back(self, table, self._old(table, growth), self.needed(growth), edits)

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Make the tail that is written the sequence's own, and allocate that of the chunk in which the step ends."""
        needed = sorted(self.needed(growth))
        for index in needed:
            if index < len(table) and table[index].block_id:
                self._own(table, index, edits)
        _fill(self, table, num_blocks(growth.total, self._chunk), needed, edits)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Count all complete chunks."""
        return self.group.spec.num_skipped_blocks(num_computed_tokens)

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """Keep the incomplete chunk."""
        count, skipped = num_blocks(num_computed_tokens, self._chunk), self.num_skipped(num_computed_tokens)
        return [self._pool.null_block] * skipped + table[skipped:count]

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Return the same as `kept`."""
        return self.kept(table, num_computed_tokens)

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """True if the rows since the last boundary are missing."""
        index = num_computed_tokens // self._chunk
        return num_computed_tokens % self._chunk > 0 and not table[index].block_id

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Count one entry per chunk that has begun."""
        return num_blocks(num_tokens, self._chunk)

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Return the length at the end of the chunk."""
        return min(limit, num_blocks(granted, self._chunk) * self._chunk)

    def hash_index(self, index: int) -> None:
        """Return None: a sequence that starts at a boundary needs no rows."""

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Return only null entries: a cached prefix ends at a boundary."""
        return [self._pool.null_block] * (num_tokens // self._chunk)

    def read_after(self, num_tokens: int) -> range:
        """Return an empty range: a cached prefix ends at a boundary."""
        return range(0)

    def reach(self, chain: Sequence[bytes], count: int, find: Find) -> int:
        """Return `count`: no limit."""
        return count

    def needed(self, growth: Growth) -> set[int]:
        """Return the entries of the chunk in which the step starts, if it has rows, and of those in which it ends."""
        needed = set(range(growth.certain // self._chunk, num_blocks(growth.total, self._chunk)))
        return needed | {growth.first // self._chunk} if growth.first % self._chunk else needed

    def _old(self, table: Table, growth: Growth) -> range:
        return range(growth.since // self._chunk, len(table))

    def _own(self, table: Table, index: int, edits: Edits) -> None:
        """Copy a tail before it is written if another table names it."""
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
    """Release all old entries that are not wanted."""
    gone: list[KVCacheBlock] = []
    for index in old:
        if table[index].block_id and index not in wanted:
            gone.append(table[index])
            table[index] = kind.store.pool.null_block
            edits.replaced.append((kind.index, index, 0))
    if gone:
        kind.store.host_mirror.release(gone)


def _fill(kind: StateTables | TailTables, table: Table, length: int, wanted: Sequence[int], edits: Edits) -> None:
    """Extend a table to `length` entries, and allocate a block for each wanted entry that has none."""
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

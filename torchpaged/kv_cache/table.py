"""Block tables by kind of layer: how a table grows, what it releases, what a fork shares, what a prefix hit needs.

A table is the list of a sequence's blocks in one group. The classes here hold no state of a sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from torchpaged.kv_cache.block import BlockCopy, KVCacheBlock
from torchpaged.kv_cache.block_hash import CacheKeys
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.spec import CrossAttentionSpec, FullAttentionSpec, KVCacheGroup, KVCacheSpec, num_blocks

Table = list[KVCacheBlock]
# Returns a true value if a group has a block with this hash.
Find = Callable[[bytes, int], object]


class Growth(NamedTuple):
    """Tokens that a table must have room for.

    Args:
        first: position of the first token to compute.
        total: number of tokens that have slots afterwards.
        num_encoder_tokens: encoder tokens of the sequence.
        certain: number of tokens that are computed afterwards; those after them are drafts.
        since: `first` of the previous growth.
        stored: boundaries whose states should be kept, beside those that the next step reads.
    """

    first: int
    total: int
    num_encoder_tokens: int = 0
    certain: int = 0
    since: int = 0
    stored: tuple[int, ...] = ()


@dataclass(slots=True)
class Edits:
    """Changes of a sequence's tables: what the runner must know, and copies to make before the step.

    Args:
        added: per group, ids of the blocks that were appended.
        replaced: (group, index, block id) of entries that changed.
        copies: copy-on-write copies.
    """

    added: list[list[int]] = field(default_factory=list)
    replaced: list[tuple[int, int, int]] = field(default_factory=list)
    copies: list[BlockCopy] = field(default_factory=list)


class CachedSequence(Protocol):
    """The attributes of a sequence that the block manager reads."""

    @property
    def id(self) -> Hashable: ...
    @property
    def num_computed_tokens(self) -> int: ...
    @property
    def token_ids(self) -> Sequence[int]: ...
    @property
    def cache_keys(self) -> CacheKeys: ...
    @property
    def num_encoder_tokens(self) -> int: ...
    @property
    def num_prompt_tokens(self) -> int: ...


@dataclass(slots=True)
class Held:
    """The blocks of one sequence. While it is swapped out, `tables` are empty and `host` has blocks of the host pool.

    Args:
        sequence: the sequence.
        tables: its tables, one per group.
        num_tokens: number of tokens that have slots.
        num_hashed: number of leading blocks that are registered in the prefix cache.
        host: its tables in the host pool.
        replaced: (group, index, block id) of changed entries that `take_changes` has not returned yet.
        since, granted: `first` and `total` of the last growth, with recurrent layers.
        branches: boundaries at which other sequences diverge from this one.
    """

    sequence: CachedSequence
    tables: tuple[Table, ...]
    num_tokens: int = 0
    num_hashed: int = 0
    host: tuple[Table, ...] | None = None
    replaced: list[tuple[int, int, int]] = field(default_factory=list)
    since: int = 0
    granted: int = 0
    branches: tuple[int, ...] = ()


class GroupTables(Protocol):
    """Rules of the tables of one group of layers."""

    group: KVCacheGroup
    store: Store

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """Return the most blocks a sequence holds at once while it grows to `num_tokens`, `step` tokens per step."""
        ...

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """Return (blocks that growing allocates, blocks that it releases first)."""
        ...

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Return the number of blocks to append, for a table none of whose blocks is shared or released."""
        ...

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Release blocks that no query from `growth.first` on reads. Called for every group before any grows."""
        ...

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Grow a table. The caller has checked that there is room."""
        ...

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Return the number of leading blocks that no query at this position or later reads."""
        ...

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """Return the part of a table that a sequence with so many computed tokens needs, for forks, swaps and pins."""
        ...

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Return the table that a fork of a sequence with so many computed tokens starts with."""
        ...

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """Return True if a block is missing that the next query reads."""
        ...

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Return the number of entries of a table."""
        ...

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Return the length, at most `limit`, up to which a sequence can grow one by one without a change of its table.

        Args:
            granted: `total` of its last growth.
        """
        ...

    def hash_index(self, index: int) -> int | None:
        """Return the index in the hash chain that identifies a block; None if it cannot be found by content."""
        ...

    def read_after(self, num_tokens: int) -> range:
        """Return the indexes of the blocks of a cached prefix that a later query reads."""
        ...

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Return the table of a cached prefix."""
        ...

    def reach(self, chain: Sequence[bytes], count: int, find: Find) -> int:
        """Return an upper bound of the blocks, at most `count`, for which everything a later query reads is cached.

        Args:
            find: returns a true value for a (hash, group) that is cached.
        """
        ...


def tables_of(index: int, group: KVCacheGroup, store: Store) -> GroupTables:
    """Make the tables of an attention group by its kind."""
    if isinstance(group.spec, CrossAttentionSpec):
        return EncoderTables(index, group, store)
    return TokenTables(index, group, store)


class TokenTables:
    """Tables of layers that keep the sequence's own tokens: all of them, a window, or a chunk.

    Args:
        index: index of the group.
        group: the layers and their spec.
        store: the pool of the blocks.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store) -> None:
        self.group, self.store, self.index, self._pool, self._host_mirror = (
            group,
            store,
            index,
            store.pool,
            store.host_mirror,
        )
        self._spec: KVCacheSpec = group.spec
        self._size = group.spec.block_size
        self._keeps_all = isinstance(group.spec, FullAttentionSpec)

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """Count blocks at the last steps only, at each offset within a block."""
        starts = {max(0, num_tokens - step), *(max(0, num_tokens - step - i) for i in range(self._size))}
        return max(num_blocks(start + step, self._size) - self.num_skipped(start) for start in starts)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Count as the spec does."""
        return self._spec.num_skipped_blocks(num_computed_tokens)

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Count one entry per block of tokens."""
        return num_blocks(num_tokens, self._size)

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """Count new blocks and copy-on-write copies, and the blocks that have left the window."""
        begin, last = growth.first // self._size, num_blocks(growth.total, self._size)
        skipped = min(self.num_skipped(growth.first), len(table))
        needed = max(0, last - len(table))
        needed += sum(block.ref_count > 1 or block.content is not None for block in table[begin:last])
        returned = sum(block.block_id != 0 and block.ref_count == 1 for block in table[:skipped])
        return needed, returned

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Count the blocks after its end."""
        return max(0, num_blocks(growth.total, self._size) - len(table))

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Release blocks that have left the window."""
        if self._keeps_all:
            return
        gone = []
        for index in range(min(self.num_skipped(growth.first), len(table)) - 1, -1, -1):
            if table[index] is self._pool.null_block:
                break
            gone.append(table[index])
            table[index] = self._pool.null_block
            edits.replaced.append((self.index, index, 0))
        self._host_mirror.release(gone[::-1])

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Make the blocks that will be written the sequence's own, and append new ones."""
        last = num_blocks(growth.total, self._size)
        for index in range(growth.first // self._size, min(last, len(table))):
            self._own(table, index, edits)
        new = self._pool.allocate(max(0, last - len(table)))
        assert new is not None
        table.extend(new)
        edits.added.append([block.block_id for block in new])

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """Keep the blocks of computed tokens that the next query reads."""
        count = num_blocks(num_computed_tokens, self._size)
        skipped = min(self.num_skipped(num_computed_tokens), count)
        return [self._pool.null_block] * skipped + table[skipped:count]

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Share all blocks, the partial one too."""
        return table[: num_blocks(num_computed_tokens, self._size)]

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """True if a block within the window is missing."""
        return not all(block.block_id for block in table[self.num_skipped(num_computed_tokens) :])

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Quiet until the next block leaves the window."""
        if self._keeps_all:
            return limit
        first, skipped = num_computed_tokens, self.num_skipped(num_computed_tokens)
        if skipped == self.num_skipped(limit - 1):
            return limit
        while first < limit and self.num_skipped(first) == skipped:
            first += 1
        return first

    def hash_index(self, index: int) -> int:
        """Each block has its own hash; index 0 of the chain is the root's."""
        return index + 1

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Find the blocks that a later query reads."""
        count = num_tokens // self._size
        skip = self.num_skipped(num_tokens)
        found = [self._pool.find(chain[i + 1], self.index) for i in range(skip, count)]
        return [self._pool.null_block] * skip + [block for block in found if block is not None]

    def read_after(self, num_tokens: int) -> range:
        """Return all whole blocks that no query has left behind."""
        return range(self.num_skipped(num_tokens), num_tokens // self._size)

    def reach(self, chain: Sequence[bytes], count: int, find: Find) -> int:
        """Search from the end: the prefix ends before a missing block that its next query would read."""
        index = count - 1
        while index >= self.num_skipped(count * self._size):
            if not find(chain[index + 1], self.index):
                count = index
            index -= 1
        return count

    def _own(self, table: Table, index: int, edits: Edits) -> None:
        """Copy a block before it is written if another table names it or the prefix cache could find it."""
        block = table[index]
        if block.ref_count == 1 and block.content is None:
            self._host_mirror.unpair(block)  # its content changes, and the host copy does not
            return
        new = self._pool.allocate(1)
        assert new is not None
        edits.copies.append(BlockCopy(block.block_id, new[0].block_id))
        edits.replaced.append((self.index, index, new[0].block_id))
        table[index] = new[0]
        self._host_mirror.release([block])


class EncoderTables:
    """Tables of cross-attention: the tokens of the sequence's encoder, written once, in its first step.

    They are never found by content, because token ids do not identify an encoder's input.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store) -> None:
        self.group, self.store, self._index, self._pool = group, store, index, store.pool
        self._size = group.spec.block_size

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """Count all blocks of the encoder, from the first step on."""
        return num_blocks(num_encoder_tokens, self._size)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Return 0."""
        return 0

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Count one entry per block of encoder tokens."""
        return num_blocks(num_encoder_tokens, self._size)

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """Count all blocks, when the sequence starts."""
        return self.num_missing(table, growth), 0

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Count all blocks, when the sequence starts."""
        return num_blocks(growth.num_encoder_tokens, self._size) - len(table)

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Release nothing."""

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Allocate all blocks in the first step."""
        new = self._pool.allocate(num_blocks(growth.num_encoder_tokens, self._size) - len(table))
        assert new is not None
        table.extend(new)
        edits.added.append([block.block_id for block in new])

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """Keep all blocks."""
        return list(table)

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """Keep all blocks."""
        return list(table)

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """True if a block is missing."""
        return not all(block.block_id for block in table)

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Return `limit`: the table never changes."""
        return limit

    def hash_index(self, index: int) -> None:
        """Return None: not found by content."""

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Return an empty table."""
        return []

    def read_after(self, num_tokens: int) -> range:
        """Return an empty range."""
        return range(0)

    def reach(self, chain: Sequence[bytes], count: int, find: Find) -> int:
        """Return 0: an engine with an encoder has no prefix cache."""
        return 0


def num_empty_slots(helds: Iterable[Held], groups: Sequence[KVCacheGroup], block_size: int) -> int:
    """Count slots of attention blocks in use that hold no token; those of a shared block count once."""
    tails: dict[int, int] = {}  # by block
    for held in helds:
        # Not what is allocated: a sequence grows into its last block without a call.
        num_tokens = max(held.num_tokens, held.sequence.num_computed_tokens)
        for group, table in zip(groups, held.tables, strict=False):
            cross = isinstance(group.spec, CrossAttentionSpec)
            filled = held.sequence.num_encoder_tokens if cross else num_tokens
            for i in range(filled // block_size, len(table)):
                empty = block_size - max(0, min(block_size, filled - i * block_size))
                tails[table[i].block_id] = min(empty, tails.get(table[i].block_id, block_size))
    return sum(tails.values())

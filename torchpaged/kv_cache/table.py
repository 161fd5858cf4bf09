"""Block tables by kind of layer: how a table grows, what it gives back, what a fork shares, what a hit needs.

A table is the list of a sequence's blocks in one group; these classes hold no sequence's state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from torchpaged.kv_cache.block import BlockCopy, KVCacheBlock
from torchpaged.kv_cache.block_hash import CacheKeys
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.spec import CrossAttentionSpec, FullAttentionSpec, KVCacheGroup, KVCacheSpec, num_blocks

Table = list[KVCacheBlock]


class Growth(NamedTuple):
    """What a table must have room for.

    Args:
        first: position of the first token to be computed.
        total: tokens that have slots afterwards.
        num_encoder_tokens: of the sequence's encoder.
        certain: tokens that are computed afterwards; behind them are drafts.
        since: `first` of the growth before.
        stored: boundaries whose states are wanted beside those that somebody reads next.
    """

    first: int
    total: int
    num_encoder_tokens: int = 0
    certain: int = 0
    since: int = 0
    stored: tuple[int, ...] = ()


@dataclass(slots=True)
class Edits:
    """What became of a sequence's tables: for the runner, and to be copied before the step.

    Args:
        added: by group, ids of blocks behind the table's end.
        replaced: (group, index, block id) of entries that are others now.
        copies: copy-on-write.
    """

    added: list[list[int]] = field(default_factory=list)
    replaced: list[tuple[int, int, int]] = field(default_factory=list)
    copies: list[BlockCopy] = field(default_factory=list)


class CachedSequence(Protocol):
    """What the block manager reads of a sequence."""

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
    """A sequence's blocks. While it is swapped out, `tables` are empty and `host` has blocks of the host pool.

    Args:
        sequence: whose they are.
        tables: one a group.
        num_tokens: slots are allocated for as many.
        num_hashed: leading blocks that were made findable, or were found.
        host: its tables there.
        replaced: (group, index, block id) of entries that nobody has been told of yet.
        since, granted: `first` and `total` of the last growth, where there are states.
        branches: boundaries behind which others go another way than this sequence.
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
    """The tables of one group of layers."""

    group: KVCacheGroup
    store: Store

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """Blocks that a sequence holds at most at once, growing to `num_tokens` with `step` of them computed a step."""
        ...

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """(blocks that growing takes, blocks that it gives back first)."""
        ...

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Blocks that are added to a table none of whose blocks is shared or given back."""
        ...

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Gives back what nobody reads from `growth.first` on. In every group, before any grows."""
        ...

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Grows a table, for which there is room."""
        ...

    def num_skipped(self, num_computed_tokens: int) -> int:
        """Leading blocks that no query at this position or later reads."""
        ...

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """What a sequence of as many computed tokens needs of a table: for forks, swaps and pins."""
        ...

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """The blocks of a sequence's computed tokens that a fork begins with."""
        ...

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """Whether a block is missing that the next query reads."""
        ...

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Entries of a table."""
        ...

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Up to how many tokens, at most `limit`, a sequence may grow one by one without a change of its table.

        Args:
            granted: `total` of its last growth.
        """
        ...

    def hash_index(self, index: int) -> int | None:
        """Which of a sequence's hashes says what is in a block; None: it is not found by its content."""
        ...

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """The table of a cached prefix."""
        ...

    def reach(self, chain: Sequence[bytes], count: int) -> int:
        """Of a prefix of `count` blocks, the longest part for which what a later query reads is cached, as a bound."""
        ...


def tables_of(index: int, group: KVCacheGroup, store: Store) -> GroupTables:
    """The tables of a group of attention by its kind."""
    if isinstance(group.spec, CrossAttentionSpec):
        return EncoderTables(index, group, store)
    return TokenTables(index, group, store)


class TokenTables:
    """Of layers that keep the sequence's own tokens: all of them, a window's, or a chunk's.

    Args:
        index: of the group.
        group: the layers, and what they see.
        store: where blocks come from and go.
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
        """The step that needs most: the fewest blocks skipped before it, counted from a block's first token on."""
        starts = {max(0, num_tokens - step), *(max(0, num_tokens - step - i) for i in range(self._size))}
        return max(num_blocks(start + step, self._size) - self.num_skipped(start) for start in starts)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """As the group's spec says."""
        return self._spec.num_skipped_blocks(num_computed_tokens)

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Blocks of the tokens."""
        return num_blocks(num_tokens, self._size)

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """New blocks, and copies of those that others hold or could find; against what has left the window."""
        begin, last = growth.first // self._size, num_blocks(growth.total, self._size)
        skipped = min(self.num_skipped(growth.first), len(table))
        needed = max(0, last - len(table))
        needed += sum(block.ref_count > 1 or block.content is not None for block in table[begin:last])
        returned = sum(block.block_id != 0 and block.ref_count == 1 for block in table[:skipped])
        return needed, returned

    def num_missing(self, table: Table, growth: Growth) -> int:
        """Those behind its end."""
        return max(0, num_blocks(growth.total, self._size) - len(table))

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """What has left the window."""
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
        """Owns what is written, and appends."""
        last = num_blocks(growth.total, self._size)
        for index in range(growth.first // self._size, min(last, len(table))):
            self._own(table, index, edits)
        new = self._pool.allocate(max(0, last - len(table)))
        assert new is not None
        table.extend(new)
        edits.added.append([block.block_id for block in new])

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """The blocks of the computed tokens, without those that the next query does not read."""
        count = num_blocks(num_computed_tokens, self._size)
        skipped = min(self.num_skipped(num_computed_tokens), count)
        return [self._pool.null_block] * skipped + table[skipped:count]

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """All of them, the partial one too."""
        return table[: num_blocks(num_computed_tokens, self._size)]

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """One that has not left the window."""
        return not all(block.block_id for block in table[self.num_skipped(num_computed_tokens) :])

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """Until another block leaves the window."""
        if self._keeps_all:
            return limit
        first, skipped = num_computed_tokens, self.num_skipped(num_computed_tokens)
        if skipped == self.num_skipped(limit - 1):
            return limit
        while first < limit and self.num_skipped(first) == skipped:
            first += 1
        return first

    def hash_index(self, index: int) -> int:
        """Each block's own."""
        return index + 1

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Those that a later query reads."""
        count = num_tokens // self._size
        skip = self.num_skipped(num_tokens)
        found = [self._pool.find(chain[i + 1], self.index) for i in range(skip, count)]
        return [self._pool.null_block] * skip + [block for block in found if block is not None]

    def reach(self, chain: Sequence[bytes], count: int) -> int:
        """The prefix ends before the last of its blocks that is missing."""
        index = count - 1
        while index >= self.num_skipped(count * self._size):
            if self._pool.find(chain[index + 1], self.index) is None:
                count = index
            index -= 1
        return count

    def _own(self, table: Table, index: int, edits: Edits) -> None:
        """Makes sure that the sequence may write to a block: copies it where others hold it or could find it."""
        block = table[index]
        if block.ref_count == 1 and block.content is None:
            self._host_mirror.unpair(block)  # what it holds changes, what the host has does not
            return
        new = self._pool.allocate(1)
        assert new is not None
        edits.copies.append(BlockCopy(block.block_id, new[0].block_id))
        edits.replaced.append((self.index, index, new[0].block_id))
        table[index] = new[0]
        self._host_mirror.release([block])


class EncoderTables:
    """Of cross-attention: the tokens of the sequence's encoder, written in its first step and never again.

    Nothing of them is found by content, since tokens do not say what an encoder made of its input.
    """

    def __init__(self, index: int, group: KVCacheGroup, store: Store) -> None:
        self.group, self.store, self._index, self._pool = group, store, index, store.pool
        self._size = group.spec.block_size

    def most_blocks(self, num_tokens: int, step: int, num_encoder_tokens: int) -> int:
        """All of them, from the first step on."""
        return num_blocks(num_encoder_tokens, self._size)

    def num_skipped(self, num_computed_tokens: int) -> int:
        """None."""
        return 0

    def length(self, num_tokens: int, num_encoder_tokens: int) -> int:
        """Blocks of the encoder's tokens."""
        return num_blocks(num_encoder_tokens, self._size)

    def room(self, table: Table, growth: Growth) -> tuple[int, int]:
        """All of them, when the sequence starts."""
        return self.num_missing(table, growth), 0

    def num_missing(self, table: Table, growth: Growth) -> int:
        """All of them, when the sequence starts."""
        return num_blocks(growth.num_encoder_tokens, self._size) - len(table)

    def give_back(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Nothing."""

    def grow(self, table: Table, growth: Growth, edits: Edits) -> None:
        """Once."""
        new = self._pool.allocate(num_blocks(growth.num_encoder_tokens, self._size) - len(table))
        assert new is not None
        table.extend(new)
        edits.added.append([block.block_id for block in new])

    def kept(self, table: Table, num_computed_tokens: int) -> Table:
        """All of them."""
        return list(table)

    def forked(self, table: Table, num_computed_tokens: int) -> Table:
        """All of them."""
        return list(table)

    def lacks(self, table: Table, num_computed_tokens: int) -> bool:
        """They are given all at once."""
        return not all(block.block_id for block in table)

    def quiet_until(self, num_computed_tokens: int, granted: int, limit: int) -> int:
        """It never changes."""
        return limit

    def hash_index(self, index: int) -> None:
        """None."""

    def found(self, chain: Sequence[bytes], num_tokens: int) -> Table:
        """Nothing."""
        return []

    def reach(self, chain: Sequence[bytes], count: int) -> int:
        """Nothing is found: an engine with an encoder has no prefix cache."""
        return 0


def num_empty_slots(helds: Iterable[Held], groups: Sequence[KVCacheGroup], block_size: int) -> int:
    """Slots of attention's blocks in use that no token has; a shared block's are counted once."""
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

"""PrefixCache: what the pool has of a sequence's tokens, by hashes. Owns the hashes, not the blocks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from torchpaged.kv_cache.block import BlockContent, KVCacheBlock
from torchpaged.kv_cache.block_hash import CacheKeys, extend_chain, root_hash
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.pending_blocks import PendingBlocks
from torchpaged.kv_cache.table import CachedSequence, GroupTables, Held, Table


@dataclass(frozen=True, slots=True)
class KVCacheBlocks:
    """What the cache has of a prompt: nothing is taken until `allocate_slots` gets it.

    Args:
        tables: for each group the blocks of the prefix, the null block where no later query looks.
        beginning: for each group a cached block whose first tokens follow the prefix; empty when there is none.
        num_tokens: how many tokens all of that is.
        branches: boundaries whose states shall be found from now on.
    """

    tables: tuple[Table, ...]
    beginning: tuple[KVCacheBlock, ...]
    num_tokens: int
    branches: tuple[int, ...] = ()

    def whole_blocks(self, block_size: int) -> KVCacheBlocks:
        """The same without a copied beginning, which takes a block more while it is copied."""
        return KVCacheBlocks(self.tables, (), self.num_tokens // block_size * block_size)


class PrefixCache:
    """Finds blocks by what they hold, and makes full ones findable.

    A block can be found as soon as the step is scheduled that fills it: `pending_blocks` knows those that are not written
    yet. One that fills while its sequence grows token by token is found when that takes its next block.

    Args:
        pool: where blocks are found.
        kinds: the tables of each group, those of states and tails last.
        block_size: tokens in a block.
        num_attention: how many groups are of attention.
        stride: tokens between boundaries whose states can be found; 0: there are none.
    """

    def __init__(
        self, pool: BlockPool, kinds: Sequence[GroupTables], block_size: int, num_attention: int, stride: int
    ) -> None:
        self._pool, self._kinds, self._size = pool, kinds, block_size
        self._attention, self._stride = kinds[:num_attention], stride
        self._chains: dict[Hashable, list[bytes]] = {}  # a sequence's hashes, the root's first
        self.pending_blocks = PendingBlocks(pool)

    def computed_blocks(self, sequence: CachedSequence, limit: int) -> KVCacheBlocks:
        """The longest prefix of at most `limit` tokens that every group has. Changes nothing that others see."""
        token_ids, size = sequence.token_ids, self._size
        chain = self.chain(sequence, limit // size)
        count = _reach(self._kinds, chain, limit // size)
        tables = tuple(kind.found(chain, count * size) for kind in self._kinds)
        if self._stride:
            return KVCacheBlocks(tables, (), count * size, self._branches(chain, limit // size, count))
        rest = token_ids[count * size : min(limit, (count + 1) * size)]
        if sequence.cache_keys.of_block(count * size, (count + 1) * size):
            rest = []  # the chain says what the whole block's inputs are, not the beginning's
        for length, block in self._pool.find_beginning(chain[count], 0, rest):
            assert block.content is not None
            blocks = [self.written(block.content.hash, group) for group in range(len(self._kinds))]
            if all(blocks):
                beginning = tuple(found for found in blocks if found is not None)
                return KVCacheBlocks(tables, beginning, count * size + length)
        return KVCacheBlocks(tables, (), count * size)

    def written(self, wanted: bytes, group: int) -> KVCacheBlock | None:
        """A block of this content that is in its pool now, not only after the step."""
        if group >= len(self._attention):
            return self._kinds[group].store.pool.find(wanted, group)
        return next((block for block in self._pool.find_all(wanted, group) if block not in self.pending_blocks), None)

    def promise(self, held: Held, count: int) -> None:
        """The first `count` blocks of a sequence are full once the step has run: they can be found at once."""
        if count > held.num_hashed:
            self.remember(held, min(count, held.sequence.num_computed_tokens // self._size))
            for block in self._reveal(held, held.num_hashed, count):
                self.pending_blocks.add(held.sequence.id, block)

    def remember(self, held: Held, count: int) -> None:
        """The first `count` blocks of a sequence are written: those that were not yet can be found from now on."""
        self._reveal(held, held.num_hashed, count)

    def find_again(self, held: Held, count: int) -> None:
        """The first `count` blocks of a sequence are others than they were, and full: they can be found."""
        self._reveal(held, 0, count)

    def reveal(self, token_ids: Sequence[int], keys: CacheKeys, tables: Sequence[Table]) -> None:
        """Blocks of a prefix that is nobody's sequence can be found."""
        chain = [root_hash(keys)]
        extend_chain(chain, token_ids, self._size, len(token_ids) // self._size, keys)
        for group, table in enumerate(tables):
            pool = self._kinds[group].store.pool
            for index, block in enumerate(table):
                number = self._kinds[group].hash_index(index)
                if block.block_id and number is not None:
                    pool.remember(block, self._content(chain, number - 1, group, token_ids, keys))

    def forget(self, tables: Sequence[Table]) -> None:
        """Nobody finds these tables' blocks any more."""
        for kind, table in zip(self._kinds, tables, strict=True):
            for block in table:
                if block.content is not None:
                    kind.store.pool.forget(block)

    def chain(self, sequence: CachedSequence, count: int) -> list[bytes]:
        """The sequence's hashes, of `count` full blocks at least, behind the root's."""
        chain = self._chains.get(sequence.id)
        if chain is None:
            chain = self._chains[sequence.id] = [root_hash(sequence.cache_keys)]
        if len(chain) <= count:
            extend_chain(chain, sequence.token_ids, self._size, count, sequence.cache_keys)
        return chain

    def fork(self, parent: CachedSequence, child: CachedSequence, count: int) -> None:
        """A child has the hashes of its parent's first `count` blocks."""
        chain = self._chains.get(parent.id)
        if chain is not None and parent.cache_keys == child.cache_keys:
            self._chains[child.id] = chain[: count + 1]

    def drop(self, sequence: CachedSequence) -> None:
        """A sequence is gone, and what it was to write."""
        self._chains.pop(sequence.id, None)
        self.pending_blocks.break_of(sequence.id)

    def clear(self) -> None:
        """No sequence is known."""
        self._chains.clear()
        self.pending_blocks.keep()

    def _reveal(self, held: Held, first: int, last: int) -> list[KVCacheBlock]:
        """Makes blocks [first, last) findable; returns those that were not."""
        if last <= first:
            return []
        sequence, new = held.sequence, []
        chain = self.chain(sequence, last)
        for index in range(first, last):
            for group in range(len(self._attention)):
                block = held.tables[group][index]
                if block.block_id and block.content is None:
                    self._pool.remember(
                        block, self._content(chain, index, group, sequence.token_ids, sequence.cache_keys)
                    )
                    new.append(block)
        held.num_hashed = last
        return new

    def _branches(self, chain: Sequence[bytes], most: int, count: int) -> tuple[int, ...]:
        """The last boundary in what attention has of a prefix, where its state is missing."""
        blocks = _reach(self._attention, chain, most) if self._attention else 0
        position = blocks * self._size // self._stride * self._stride
        return (position,) if position > count * self._size else ()

    def _content(
        self, chain: Sequence[bytes], index: int, group: int, token_ids: Sequence[int], keys: CacheKeys
    ) -> BlockContent:
        start, end = index * self._size, (index + 1) * self._size
        tokens = () if keys.multimodal and keys.of_block(start, end) else tuple(token_ids[start:end])
        return BlockContent(chain[index + 1], chain[index], group, tokens)


def _reach(kinds: Sequence[GroupTables], chain: Sequence[bytes], count: int) -> int:
    """Blocks of the longest prefix for which each group has what a query behind it reads."""
    before = -1
    while count and count != before:
        before = count
        for kind in kinds:
            count = kind.reach(chain, count)
    return count

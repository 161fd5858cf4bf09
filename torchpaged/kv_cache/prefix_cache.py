"""PrefixCache: finds cached blocks by the hash of their tokens. Owns the hash chains, not the blocks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from torchpaged.kv_cache.block import BlockContent, KVCacheBlock
from torchpaged.kv_cache.block_hash import CacheKeys, extend_chain, root_hash
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.spec import FullAttentionSpec
from torchpaged.kv_cache.table import CachedSequence, Find, GroupTables, Held, Table

# Blocks that a lookup hashes at a time.
_HASHED_AHEAD = 64


@dataclass(frozen=True, slots=True)
class KVCacheBlocks:
    """A prefix hit. Nothing is allocated until it is passed to `allocate_slots`.

    Args:
        tables: per group, the blocks of the prefix; the null block where no later query reads.
        beginning: per group, a cached block whose first tokens continue the prefix; empty if there is none.
        num_tokens: tokens of the hit.
        branches: boundaries whose states the prefix cache should keep from now on.
    """

    tables: tuple[Table, ...]
    beginning: tuple[KVCacheBlock, ...]
    num_tokens: int
    branches: tuple[int, ...] = ()

    def whole_blocks(self, block_size: int) -> KVCacheBlocks:
        """Return the hit without its partial block, which would need one more block while it is copied."""
        return KVCacheBlocks(self.tables, (), self.num_tokens // block_size * block_size)


class PrefixCache:
    """Finds blocks by content, and registers full blocks.

    A block is registered when the step that fills it is scheduled, so that two prompts of one step share it;
    `pending_blocks` lists those that are not written yet. A block that a decoding sequence fills token by token is
    registered when the sequence takes its next block.

    Args:
        pool: the block pool.
        kinds: the tables of each group, those of states and tails last.
        block_size: tokens in a block.
        num_attention: number of attention groups.
        stride: tokens between boundaries whose states can be found; 0 without recurrent layers.

    Attributes:
        num_queried_tokens, num_hit_tokens: tokens of admitted sequences, and how many of them were found; the manager
            counts them.
    """

    def __init__(
        self, pool: BlockPool, kinds: Sequence[GroupTables], block_size: int, num_attention: int, stride: int
    ) -> None:
        self._pool, self._kinds, self._size = pool, kinds, block_size
        self._attention, self._stride = kinds[:num_attention], stride
        self._chains: dict[Hashable, list[bytes]] = {}  # a sequence's block hashes, the root's first
        # A group that reads every block of a prefix.
        whole = (group for group, kind in enumerate(self._attention) if isinstance(kind.group.spec, FullAttentionSpec))
        self._whole = next(whole, None)
        self._num_apart = 0  # number of roots that `set_apart` has made
        self.pending_blocks = PendingBlocks(pool)
        self.num_queried_tokens = self.num_hit_tokens = 0

    def computed_blocks(self, sequence: CachedSequence, limit: int) -> KVCacheBlocks:
        """Return the longest cached prefix of at most `limit` tokens that every group has. A pure lookup."""
        token_ids, size = sequence.token_ids, self._size
        most = self._hashed_reach(sequence, limit // size)
        chain = self.chain(sequence, most)
        count = self.reach(chain, most, self.find)
        tables = tuple(kind.found(chain, count * size) for kind in self._kinds)
        if self._stride:
            return KVCacheBlocks(tables, (), count * size, self._branches(chain, most, count))
        rest = token_ids[count * size : min(limit, (count + 1) * size)]
        if sequence.cache_keys.of_block(count * size, (count + 1) * size):
            rest = []  # the hash covers the images of the whole block, so a part of it cannot be compared
        for length, block in self._pool.find_beginning(chain[count], 0, rest):
            assert block.content is not None
            blocks = [self.written(block.content.hash, group) for group in range(len(self._kinds))]
            if all(blocks):
                beginning = tuple(found for found in blocks if found is not None)
                return KVCacheBlocks(tables, beginning, count * size + length)
        return KVCacheBlocks(tables, (), count * size)

    def _hashed_reach(self, sequence: CachedSequence, most: int) -> int:
        """Return how many of a sequence's first blocks, at most `most`, may be found; hashes little beyond them.

        Layers that attend to everything need every block: hashing a long prompt to its end takes milliseconds, and is
        of no use behind the first block that is missing.
        """
        if self._whole is None:
            return most
        count = 0
        while count < most:
            last = min(most, count + _HASHED_AHEAD)
            chain = self.chain(sequence, last)
            while count < last and self.find(chain[count + 1], self._whole):
                count += 1
            if count < last:
                break
        return count

    def find(self, wanted: bytes, group: int) -> KVCacheBlock | None:
        """Return a block with this content."""
        return self._kinds[group].store.pool.find(wanted, group)

    def reach(self, chain: Sequence[bytes], most: int, find: Find) -> int:
        """Return the blocks, at most `most`, of the longest prefix for which every group has what a later query reads.

        Args:
            find: returns a true value for a (hash, group) that is there.
        """
        return _reach(self._kinds, chain, most, find)

    def written(self, wanted: bytes, group: int) -> KVCacheBlock | None:
        """Return a block with this content that is written already, not only after the coming step."""
        if group >= len(self._attention):
            return self._kinds[group].store.pool.find(wanted, group)
        return next((block for block in self._pool.find_all(wanted, group) if block not in self.pending_blocks), None)

    def register_pending(self, held: Held, count: int) -> None:
        """Register the first `count` blocks of a sequence, which are full once the scheduled step has run."""
        if count > held.num_hashed:
            self.remember(held, min(count, held.sequence.num_computed_tokens // self._size))
            for block in self._register(held, held.num_hashed, count):
                self.pending_blocks.add(held.sequence.id, block)

    def content_of(self, sequence: CachedSequence, number: int, group: int) -> BlockContent:
        """Return the content of a sequence's block, given the index of its hash in the chain."""
        chain = self.chain(sequence, number)
        if group >= len(self._attention):
            return BlockContent(chain[number], b"", group, ())
        return self._content(chain, number - 1, group, sequence.token_ids, sequence.cache_keys)

    def remember(self, held: Held, count: int) -> None:
        """Register those of a sequence's first `count` blocks, all written, that are not registered yet."""
        self._register(held, held.num_hashed, count)

    def remember_anew(self, held: Held, count: int) -> None:
        """Register the first `count` blocks of a sequence again: after a swap in, they are other blocks."""
        self._register(held, 0, count)

    def reveal(self, token_ids: Sequence[int], keys: CacheKeys, tables: Sequence[Table]) -> None:
        """Register the blocks of a prefix that belongs to no sequence."""
        chain = [root_hash(keys)]
        extend_chain(chain, token_ids, self._size, len(token_ids) // self._size, keys)
        for group, table in enumerate(tables):
            pool = self._kinds[group].store.pool
            for index, block in enumerate(table):
                number = self._kinds[group].hash_index(index)
                if block.block_id and number is not None:
                    pool.remember(block, self._content(chain, number - 1, group, token_ids, keys))

    def forget(self, tables: Sequence[Table]) -> None:
        """Unregister the blocks of these tables."""
        for kind, table in zip(self._kinds, tables, strict=True):
            for block in table:
                if block.content is not None:
                    kind.store.pool.forget(block)

    def chain(self, sequence: CachedSequence, count: int) -> list[bytes]:
        """Return the sequence's hash chain: the root's hash, then those of at least `count` full blocks."""
        chain = self._chains.get(sequence.id)
        if chain is None:
            chain = self._chains[sequence.id] = [root_hash(sequence.cache_keys)]
        if len(chain) <= count:
            extend_chain(chain, sequence.token_ids, self._size, count, sequence.cache_keys)
        return chain

    def set_apart(self, sequence: CachedSequence) -> None:
        """Hide the blocks of a sequence from all others, those that it fills from now on included, until `drop`.

        Its keys are those of several versions of the weights, and no other sequence's are of the same.
        """
        self._num_apart += 1
        self._chains[sequence.id] = [sha256(b"apart%d" % self._num_apart).digest()]

    def fork(self, parent: CachedSequence, child: CachedSequence, count: int) -> None:
        """Copy the hashes of the parent's first `count` blocks to the child."""
        chain = self._chains.get(parent.id)
        if chain is not None and parent.cache_keys == child.cache_keys:
            self._chains[child.id] = chain[: count + 1]

    def drop(self, sequence: CachedSequence) -> None:
        """Drop a sequence's hashes and its pending blocks."""
        self._chains.pop(sequence.id, None)
        self.pending_blocks.drop(sequence.id)

    def clear(self) -> None:
        """Drop all sequences."""
        self._chains.clear()
        self.pending_blocks.commit()

    def _register(self, held: Held, first: int, last: int) -> list[KVCacheBlock]:
        """Register blocks [first, last) and return those that were not registered before."""
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
        """Return the last boundary that attention's blocks reach and whose state is missing, if there is one.

        A state there would have made the hit longer, so the sequence is asked to keep it.
        """
        blocks = _reach(self._attention, chain, most, self._pool.find) if self._attention else 0
        position = blocks * self._size // self._stride * self._stride
        return (position,) if position > count * self._size else ()

    def _content(
        self, chain: Sequence[bytes], index: int, group: int, token_ids: Sequence[int], keys: CacheKeys
    ) -> BlockContent:
        start, end = index * self._size, (index + 1) * self._size
        tokens = () if keys.multimodal and keys.of_block(start, end) else tuple(token_ids[start:end])
        return BlockContent(chain[index + 1], chain[index], group, tokens)


def _reach(kinds: Sequence[GroupTables], chain: Sequence[bytes], count: int, find: Find) -> int:
    """Number of blocks of the longest prefix for which every group has what a query after it reads."""
    before = -1
    while count and count != before:
        before = count
        for kind in kinds:
            count = kind.reach(chain, count, find)
    return count


class PendingBlocks:
    """Blocks that the step being scheduled will fill, so that two sequences of one step can share them.

    `commit` is called when the step has run. If it fails, or the sequence that would have written a block is gone,
    the block's content is forgotten.

    Args:
        pool: the pool of the blocks.
    """

    def __init__(self, pool: BlockPool) -> None:
        self._pool = pool
        self._blocks: dict[Hashable, list[KVCacheBlock]] = {}
        self._ids: set[int] = set()

    def __contains__(self, block: KVCacheBlock) -> bool:
        """True if the block is not written yet."""
        return block.block_id in self._ids

    def add(self, owner: Hashable, block: KVCacheBlock) -> None:
        """Note a block that can be found from now on and that sequence `owner` will fill."""
        self._blocks.setdefault(owner, []).append(block)
        self._ids.add(block.block_id)

    def commit(self) -> None:
        """Note that the step has run: its blocks are written."""
        self._blocks.clear()
        self._ids.clear()

    def revert(self) -> None:
        """Forget the content of all pending blocks: the step has failed."""
        for owner in list(self._blocks):
            self.drop(owner)

    def drop(self, owner: Hashable) -> None:
        """Forget the content of a sequence's pending blocks: it takes no part in the step."""
        for block in self._blocks.pop(owner, ()):
            self._ids.discard(block.block_id)
            if block.content is not None:
                self._pool.forget(block)

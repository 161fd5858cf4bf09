"""SwapSpace: the host's pool, and the moves of sequences to it and back."""

from __future__ import annotations

from collections.abc import Sequence

from torchpaged.kv_cache.block import BlockCopy, CopyDirection, KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.prefix_cache import PrefixCache
from torchpaged.kv_cache.spec import num_blocks
from torchpaged.kv_cache.table import GroupTables, Held, Table
from torchpaged.kv_cache.twins import Twins


class SwapSpace:
    """Blocks on the host, numbered from 1.

    A block that is on the host already moves no second time, and what the pool still has is not brought back.

    Args:
        pool: the device's.
        host_pool: the host's.
        twins: which blocks of the two hold the same.
        cache: finds what the pool still has.
        kinds: the tables of each group.
        block_size: tokens in a block.
        finds: whether contents are looked for in the pool.
    """

    def __init__(
        self,
        pool: BlockPool,
        host_pool: BlockPool,
        twins: Twins,
        cache: PrefixCache,
        kinds: Sequence[GroupTables],
        *,
        block_size: int,
        finds: bool,
    ) -> None:
        self._pool, self.host_pool, self._twins, self._cache, self._kinds = pool, host_pool, twins, cache, kinds
        self._size, self._finds = block_size, finds
        self.num_out = self.num_in = 0  # blocks moved

    def move_out(self, held: Held) -> list[BlockCopy] | None:
        """Moves the blocks of the computed tokens; None when there is no room, and nothing changed."""
        sequence = held.sequence
        # Dropped: what the step in the making would have written, and what the next would find to have left a window.
        num_tokens = sequence.num_computed_tokens
        tables = [kind.kept(table, num_tokens) for kind, table in zip(self._kinds, held.tables, strict=True)]
        blocks = {block.block_id: block for table in tables for block in table if block.block_id}
        missing = [block for block in blocks.values() if self._twins.on_host(block) is None]
        taken = self.host_pool.allocate(len(missing))
        if taken is None:
            return None
        self._cache.promises.break_of(sequence.id)
        fresh = {block.block_id: host for block, host in zip(missing, taken, strict=True)}
        host_tables = []
        for table in tables:
            row = [self._host_block(block, fresh) for block in table]
            self.host_pool.share([host for block, host in zip(table, row, strict=True) if block.block_id not in fresh])
            host_tables.append(row)
        for block, host in zip(missing, taken, strict=True):
            self._twins.pair(block, host)
        for table in held.tables:
            self._twins.release(table)
        held.tables, held.host = tuple([] for _ in self._kinds), tuple(host_tables)
        held.num_tokens, held.replaced = num_tokens, []
        held.num_hashed = min(held.num_hashed, num_tokens // self._size)
        self.num_out += len(missing)
        return [BlockCopy(b.block_id, h.block_id, CopyDirection.OUT) for b, h in zip(missing, taken, strict=True)]

    def move_in(self, held: Held, num_new_tokens: int) -> list[BlockCopy] | None:
        """Brings a sequence back, with room for more tokens; None when there is none, and nothing changed."""
        sequence, host_tables = held.sequence, held.host
        assert host_tables is not None
        found = self._still_here(held, host_tables)
        kept = [block for row in found for block in row if block is not None]
        missing = {
            host.block_id: host
            for table, row in zip(host_tables, found, strict=True)
            for host, block in zip(table, row, strict=True)
            if block is None
        }
        revived = len({block.block_id for block in kept if block.block_id and block.ref_count == 0})
        grown = num_blocks(sequence.num_computed_tokens + num_new_tokens, self._size)
        more = sum(grown - len(table) for table in host_tables)
        if revived + len(missing) + more > self._pool.num_free:
            return None
        self._pool.share(kept)
        taken = self._pool.allocate(len(missing))
        assert taken is not None
        fresh = dict(zip(missing, taken, strict=True))
        tables = tuple(
            [fresh[host.block_id] if block is None else block for host, block in zip(table, row, strict=True)]
            for table, row in zip(host_tables, found, strict=True)
        )
        for host, block in zip(missing.values(), taken, strict=True):
            self._twins.pair(block, host)
        for table in host_tables:
            self._twins.release_host(table)
        held.tables, held.host = tables, None
        if self._finds:
            self._cache.find_again(held, sequence.num_computed_tokens // self._size)
        self.num_in += len(missing)
        return [
            BlockCopy(host.block_id, block.block_id, CopyDirection.IN)
            for host, block in zip(missing.values(), taken, strict=True)
        ]

    def _still_here(self, held: Held, host_tables: Sequence[Table]) -> list[list[KVCacheBlock | None]]:
        """For each host block what the pool still has of it, by its twin or by its content; None: it must be copied."""
        full = held.sequence.num_computed_tokens // self._size
        chain = self._cache.chain(held.sequence, full) if self._finds else []

        def of(host: KVCacheBlock, group: int, index: int) -> KVCacheBlock | None:
            if not host.block_id:
                return self._pool.null_block
            here = self._twins.on_device(host)
            return self._cache.written(chain[index + 1], group) if here is None and chain and index < full else here

        return [[of(host, group, i) for i, host in enumerate(table)] for group, table in enumerate(host_tables)]

    def _host_block(self, block: KVCacheBlock, fresh: dict[int, KVCacheBlock]) -> KVCacheBlock:
        """The host's block for one of the device's: just allocated, there already, or null."""
        if not block.block_id:
            return self.host_pool.null_block
        host = fresh.get(block.block_id) or self._twins.on_host(block)
        assert host is not None
        return host

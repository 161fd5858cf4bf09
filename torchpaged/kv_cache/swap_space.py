"""SwapSpace: moves sequences to the host's pools and back."""

from __future__ import annotations

from collections.abc import Sequence

from torchpaged.kv_cache.block import BlockCopy, CopyDirection, KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.prefix_cache import PrefixCache
from torchpaged.kv_cache.table import GroupTables, Growth, Held, Table


class SwapSpace:
    """Plans the block copies of swapping. Host blocks are numbered from 1 in each pool.

    A block that has a host copy is not copied out again, and a block that the device pool still has is not copied in.

    Args:
        stores: the pools, all with a host pool.
        cache: finds blocks that the device pool still has.
        kinds: the tables of each group.
        block_size: tokens in a block.
        finds: True if prefix caching is on.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        cache: PrefixCache,
        kinds: Sequence[GroupTables],
        *,
        block_size: int,
        finds: bool,
    ) -> None:
        self._stores, self._cache, self._kinds = stores, cache, kinds
        self._size, self._finds = block_size, finds
        self.num_out = self.num_in = 0  # blocks moved

    def move_out(self, held: Held) -> list[BlockCopy] | None:
        """Move the blocks of the computed tokens to the host. Returns None, changing nothing, if there is no room."""
        sequence = held.sequence
        # Not moved: blocks that the step being scheduled would have written, and those that have left a window.
        num_tokens = sequence.num_computed_tokens
        tables = [kind.kept(table, num_tokens) for kind, table in zip(self._kinds, held.tables, strict=True)]
        missing = {store: self._not_on_host(store, tables) for store in self._stores}
        if any(len(blocks) > _host(store).num_free for store, blocks in missing.items()):
            return None
        self._cache.pending_blocks.drop(sequence.id)
        copies: list[BlockCopy] = []
        fresh = set()  # host blocks just allocated: their one reference is that of the first entry that names them
        for store, blocks in missing.items():
            taken = _host(store).allocate(len(blocks))
            assert taken is not None
            for block, host in zip(blocks, taken, strict=True):
                store.host_mirror.pair(block, host)
                copies.append(BlockCopy(block.block_id, host.block_id, CopyDirection.OUT, store.kind))
            fresh.update(taken)
        held.host = tuple(
            self._on_host(kind.store, table, fresh) for kind, table in zip(self._kinds, tables, strict=True)
        )
        for kind, table in zip(self._kinds, held.tables, strict=True):
            kind.store.host_mirror.release(table)
        held.tables = tuple([] for _ in self._kinds)
        held.num_tokens, held.replaced, held.since = num_tokens, [], num_tokens
        held.num_hashed = min(held.num_hashed, num_tokens // self._size)
        self.num_out += len(copies)
        return copies

    def move_in(self, held: Held, num_new_tokens: int) -> list[BlockCopy] | None:
        """Bring a sequence back, with room for `num_new_tokens`; None, changing nothing, if there is none."""
        sequence, host_tables = held.sequence, held.host
        assert host_tables is not None
        found = self._still_here(held, host_tables)
        missing = {store: self._not_here(store, host_tables, found) for store in self._stores}
        total = sequence.num_computed_tokens + num_new_tokens
        growth = Growth(sequence.num_computed_tokens, total, certain=total)
        for store in self._stores:
            mine = [i for i, kind in enumerate(self._kinds) if kind.store is store]
            kept = {b.block_id for i in mine for b in found[i] if b is not None and b.block_id and b.ref_count == 0}
            more = sum(self._kinds[i].num_missing(host_tables[i], growth) for i in mine)
            needed = len(kept) + len(missing[store]) + more
            if needed > store.pool.ready(needed):
                return None
        for kind, row in zip(self._kinds, found, strict=True):
            kind.store.pool.share([block for block in row if block is not None])
        copies: list[BlockCopy] = []
        for store, hosts in missing.items():
            taken = store.pool.allocate(len(hosts))
            assert taken is not None
            for host, block in zip(hosts, taken, strict=True):
                store.host_mirror.pair(block, host)
                copies.append(BlockCopy(host.block_id, block.block_id, CopyDirection.IN, store.kind))
        held.tables = tuple(
            [
                _device_block(kind.store, host) if block is None else block
                for host, block in zip(table, row, strict=True)
            ]
            for kind, table, row in zip(self._kinds, host_tables, found, strict=True)
        )
        for kind, table in zip(self._kinds, host_tables, strict=True):
            kind.store.host_mirror.release_host(table)
        held.host = None
        if self._finds:
            self._cache.remember_anew(held, sequence.num_computed_tokens // self._size)
        self.num_in += len(copies)
        return copies

    def _not_on_host(self, store: Store, tables: Sequence[Table]) -> list[KVCacheBlock]:
        """Return the blocks of one store that must be copied out, each once."""
        blocks = {
            block.block_id: block
            for kind, table in zip(self._kinds, tables, strict=True)
            for block in table
            if kind.store is store and block.block_id
        }
        return [block for block in blocks.values() if store.host_mirror.on_host(block) is None]

    def _not_here(
        self, store: Store, host_tables: Sequence[Table], found: Sequence[Sequence[KVCacheBlock | None]]
    ) -> list[KVCacheBlock]:
        """Return the host blocks of one store that must be copied in, each once."""
        missing = {
            host.block_id: host
            for kind, table, row in zip(self._kinds, host_tables, found, strict=True)
            for host, block in zip(table, row, strict=True)
            if kind.store is store and block is None
        }
        return list(missing.values())

    def _on_host(self, store: Store, table: Table, fresh: set[KVCacheBlock]) -> Table:
        """Return a table's host blocks, with one more reference each."""
        row = [_host_block(store, block) for block in table]
        _host(store).share([host for host in row if host not in fresh])
        fresh.difference_update(row)
        return row

    def _still_here(self, held: Held, host_tables: Sequence[Table]) -> list[list[KVCacheBlock | None]]:
        """For each host block return the device block that still has its content; None if it must be copied."""
        full = held.sequence.num_computed_tokens // self._size
        chain = self._cache.chain(held.sequence, full) if self._finds else []

        def of(host: KVCacheBlock, group: int, index: int) -> KVCacheBlock | None:
            store = self._kinds[group].store
            if not host.block_id:
                return store.pool.null_block
            if (here := store.host_mirror.on_device(host)) is not None or not chain:
                return here
            number = self._kinds[group].hash_index(index)
            return self._cache.written(chain[number], group) if number is not None and number <= full else None

        return [[of(host, group, i) for i, host in enumerate(table)] for group, table in enumerate(host_tables)]


def _host(store: Store) -> BlockPool:
    assert store.host_pool is not None
    return store.host_pool


def _host_block(store: Store, block: KVCacheBlock) -> KVCacheBlock:
    """Return the host copy of a device block."""
    host = store.host_mirror.on_host(block) if block.block_id else _host(store).null_block
    assert host is not None
    return host


def _device_block(store: Store, host: KVCacheBlock) -> KVCacheBlock:
    """Return the device block of a host block."""
    block = store.host_mirror.on_device(host)
    assert block is not None
    return block

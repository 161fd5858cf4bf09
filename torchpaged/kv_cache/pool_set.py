"""PoolSet: block pools by content kind, each with a host mirror, and the tables over them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from torchpaged.kv_cache.block import EvictionPolicy, PoolKind, RetainingQueue
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.memory_limit import MemoryLimit
from torchpaged.kv_cache.spec import KVCacheGroup, num_attention_groups
from torchpaged.kv_cache.state_tables import StateTables, TailTables
from torchpaged.kv_cache.table import GroupTables, Table, tables_of


class PoolSet:
    """The pool of blocks, and with recurrent layers the pools of states and of tails.

    Args:
        groups: kinds of layers.
        block_size: tokens in a block.
        sizes: per kind, the size of the device pool with its null block and that of the host pool without.
        swaps: True if there are host pools.
        eviction_policy: eviction policy of blocks. That of states is always `RetainingQueue`.
        limit: limit on the memory of the device pools; None: none.
        block_bytes: per kind, the bytes of a block; needed with a limit.

    Attributes:
        blocks: the store of key and value blocks.
        states: the tables of states; None without recurrent layers.
        kinds: the tables of each group.
        attention: the groups of attention layers.
    """

    def __init__(
        self,
        groups: Sequence[KVCacheGroup],
        block_size: int,
        sizes: dict[PoolKind, tuple[int, int]],
        *,
        swaps: bool,
        eviction_policy: Callable[[], EvictionPolicy],
        limit: MemoryLimit | None = None,
        block_bytes: Mapping[PoolKind, int],
    ) -> None:
        attention = num_attention_groups(groups)
        self.attention = tuple(groups[:attention])

        def host(kind: PoolKind) -> BlockPool | None:
            return BlockPool(sizes[kind][1] + 1, may_be_empty=True) if swaps else None

        kind = PoolKind.BLOCKS
        pool = BlockPool(
            sizes[kind][0],
            eviction_policy,
            may_be_empty=not attention,
            limit=limit,
            block_bytes=block_bytes.get(kind, 0),
        )
        self.blocks = Store(kind, pool, host(kind))
        self.all = [self.blocks]
        self.kinds: tuple[GroupTables, ...] = tuple(
            tables_of(i, group, self.blocks) for i, group in enumerate(groups[:attention])
        )
        self.states: StateTables | None = None
        if attention < len(groups):
            recurrent = (PoolKind.STATES, PoolKind.TAILS)
            for kind in recurrent:
                slots = BlockPool(sizes[kind][0], RetainingQueue, limit=limit, block_bytes=block_bytes.get(kind, 0))
                self.all.append(Store(kind, slots, host(kind)))
            _, states, tails = self.all
            self.states = StateTables(attention, groups[attention], states, block_size)
            self.kinds += (self.states, TailTables(attention + 1, groups[attention + 1], tails))

    def __iter__(self) -> Iterator[Store]:
        return iter(self.all)

    def longest(self, rooms: Sequence[int], max_new_tokens: int | None, num_encoder_tokens: int) -> int:
        """Return the length of the longest sequence for which each pool has room, at most 2**40 tokens.

        Args:
            rooms: available blocks of each pool.
            max_new_tokens: tokens computed per step; None for all in one step.
        """
        low, high = 0, 2**40
        while low < high:
            middle = (low + high + 1) // 2
            step = middle if max_new_tokens is None else min(max_new_tokens, middle)
            most = dict.fromkeys(self.all, 0)
            for kind in self.kinds:
                most[kind.store] += kind.most_blocks(middle, step, num_encoder_tokens)
            fits = all(needed <= room for needed, room in zip(most.values(), rooms, strict=True))
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def owners(self, store: Store, tables: Iterable[tuple[Hashable, Iterable[Table]]]) -> dict[int, list[Hashable]]:
        """Map each block id of a store to the names whose tables contain it, once per entry."""
        owners: dict[int, list[Hashable]] = {}
        for name, each in tables:
            for kind, table in zip(self.kinds, each, strict=True):
                for block in table if kind.store is store else ():
                    if block.block_id:
                        owners.setdefault(block.block_id, []).append(name)
        return owners

    def check(
        self,
        tables: Sequence[tuple[Hashable, Iterable[Table]]],
        host_tables: Sequence[tuple[Hashable, Iterable[Table]]],
    ) -> None:
        """Assert that each block's reference count is the number of entries that name it. Takes all tables."""
        for store in self.all:
            store.host_mirror.check()
            for pool, named in ((store.pool, tables), (store.host_pool, host_tables)):
                if pool is None:
                    continue
                pool.check()
                expected = {block_id: len(names) for block_id, names in self.owners(store, named).items()}
                wrong = [block for block in pool.blocks if block.ref_count != expected.get(block.block_id, 0)]
                what = f"{'host ' if pool is store.host_pool else ''}{store.kind.value}"
                assert not wrong, f"{what}: {wrong[0]} stands in {expected.get(wrong[0].block_id, 0)} table entries"

"""Pins: prefixes whose blocks are held by name, whatever is evicted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.table import GroupTables, Held, Table
from torchpaged.kv_cache.twins import Twins


class Pins:
    """Tables that belong to no sequence.

    Args:
        pool, twins: where blocks come from and go.
        kinds: the tables of each group.
        block_size: tokens in a block.
    """

    def __init__(self, pool: BlockPool, twins: Twins, kinds: Sequence[GroupTables], block_size: int) -> None:
        self._pool, self._twins, self._kinds, self._size = pool, twins, kinds, block_size
        self._tables: dict[str, tuple[Table, ...]] = {}

    @property
    def names(self) -> Collection[str]:
        """Of all pins."""
        return self._tables.keys()

    @property
    def num_blocks(self) -> int:
        """Different blocks that are held."""
        return len({b.block_id for tables in self._tables.values() for t in tables for b in t if b.block_id})

    def items(self) -> Iterable[tuple[str, tuple[Table, ...]]]:
        """(name, tables) of all."""
        return self._tables.items()

    def tables(self, name: str) -> tuple[Table, ...]:
        """A pin's, one a group."""
        return self._tables[name]

    def hold(self, name: str, held: Held) -> int:
        """Pins the full blocks of a sequence's computed tokens that a later query reads; returns their tokens."""
        assert name not in self._tables, f"{name!r} is pinned already"
        num_tokens = held.sequence.num_computed_tokens // self._size * self._size
        tables = tuple(kind.kept(table, num_tokens) for kind, table in zip(self._kinds, held.tables, strict=True))
        for table in tables:
            self._pool.share(table)
        self._tables[name] = tables
        return num_tokens

    def adopt(self, name: str, num_tokens: int) -> bool:
        """Pins new blocks for whole blocks of tokens; False when there is no room."""
        count = num_tokens // self._size
        skips = [kind.num_skipped(count * self._size) for kind in self._kinds]
        blocks = self._pool.allocate(sum(count - skip for skip in skips))
        if blocks is None:
            return False
        tables: list[Table] = []
        for skip in skips:
            mine, blocks = blocks[: count - skip], blocks[count - skip :]
            tables.append([self._pool.null_block] * skip + mine)
        self._tables[name] = tuple(tables)
        return True

    def let_go(self, name: str) -> None:
        """Gives a pin's blocks back."""
        for table in self._tables.pop(name):
            self._twins.release(table)

    def keep(self, names: Collection[str]) -> list[Table]:
        """Drops all other pins without giving their blocks back; returns the tables that are left."""
        self._tables = {name: tables for name, tables in self._tables.items() if name in names}
        return [table for tables in self._tables.values() for table in tables]

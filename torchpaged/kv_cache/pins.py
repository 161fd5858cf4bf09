"""Pins: prefixes whose blocks are held by name, whatever is evicted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.table import GroupTables, Held, Table


class Pins:
    """Tables that belong to no sequence.

    Args:
        kinds: the tables of each group.
        prefix_size: tokens that a prefix is a multiple of: a block's, or those from boundary to boundary.
        has_states: whether it needs a boundary's state.
    """

    def __init__(self, kinds: Sequence[GroupTables], prefix_size: int, *, has_states: bool) -> None:
        self._kinds, self._size, self._has_states = kinds, prefix_size, has_states
        self._tables: dict[str, tuple[Table, ...]] = {}

    @property
    def names(self) -> Collection[str]:
        """Of all pins."""
        return self._tables.keys()

    def num_blocks(self, store: Store) -> int:
        """Different blocks that are held."""
        return len({block.block_id for table in self.tables_in(store) for block in table if block.block_id})

    def tables_in(self, store: Store) -> list[Table]:
        """All tables with blocks of one store."""
        return [
            table
            for tables in self._tables.values()
            for kind, table in zip(self._kinds, tables, strict=True)
            if kind.store is store
        ]

    def items(self) -> Iterable[tuple[str, tuple[Table, ...]]]:
        """(name, tables) of all."""
        return self._tables.items()

    def tables(self, name: str) -> tuple[Table, ...]:
        """A pin's, one a group."""
        return self._tables[name]

    def hold(self, name: str, held: Held) -> int:
        """Pins the full blocks of a sequence's computed tokens that a later query reads; returns their tokens.

        With recurrent layers they end at the last boundary whose state the sequence has.
        """
        assert name not in self._tables, f"{name!r} is pinned already"
        num_tokens = held.sequence.num_computed_tokens // self._size * self._size
        parts = list(zip(self._kinds, held.tables, strict=True))
        while self._has_states and num_tokens and any(kind.lacks(table, num_tokens) for kind, table in parts):
            num_tokens -= self._size
        tables = tuple(kind.kept(table, num_tokens) for kind, table in parts)
        for kind, table in zip(self._kinds, tables, strict=True):
            kind.store.pool.share(table)
        self._tables[name] = tables
        return num_tokens

    def adopt(self, name: str, num_tokens: int) -> bool:
        """Pins new blocks for whole blocks of tokens; False when there is no room."""
        num_tokens = num_tokens // self._size * self._size
        skips = [kind.num_skipped(num_tokens) for kind in self._kinds]
        counts = [kind.length(num_tokens, 0) - skip for kind, skip in zip(self._kinds, skips, strict=True)]
        for store in {kind.store for kind in self._kinds}:
            needed = sum(count for kind, count in zip(self._kinds, counts, strict=True) if kind.store is store)
            if needed > store.pool.num_free:
                return False
        tables: list[Table] = []
        for kind, skip, count in zip(self._kinds, skips, counts, strict=True):
            new = kind.store.pool.allocate(count)
            assert new is not None
            tables.append([kind.store.pool.null_block] * skip + new)
        self._tables[name] = tuple(tables)
        return True

    def let_go(self, name: str) -> None:
        """Gives a pin's blocks back."""
        for kind, table in zip(self._kinds, self._tables.pop(name), strict=True):
            kind.store.host_mirror.release(table)

    def keep(self, names: Collection[str]) -> None:
        """Drops all other pins without giving their blocks back."""
        self._tables = {name: tables for name, tables in self._tables.items() if name in names}

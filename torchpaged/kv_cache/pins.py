"""Pins: prefixes whose blocks are held by name and never evicted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.table import GroupTables, Held, Table


class SavedPrefix(NamedTuple):
    """A pinned prefix to be written to a file.

    Args:
        token_ids: its tokens, whole blocks.
        tables: its block ids, per group.
        adapter: content of the adapter that it was computed with; None: the model alone.
    """

    token_ids: Sequence[int]
    tables: Sequence[Sequence[int]]
    adapter: str | None = None


class Pins:
    """Block tables of pinned prefixes, which belong to no sequence.

    Args:
        kinds: the tables of each group.
        prefix_size: the length of a prefix is a multiple of this: the block size, or the tokens between boundaries.
        has_states: True if a prefix needs the state at its end.
    """

    def __init__(self, kinds: Sequence[GroupTables], prefix_size: int, *, has_states: bool) -> None:
        self._kinds, self._size, self._has_states = kinds, prefix_size, has_states
        self._tables: dict[str, tuple[Table, ...]] = {}

    @property
    def names(self) -> Collection[str]:
        """Names of all pins."""
        return self._tables.keys()

    def num_blocks(self, store: Store) -> int:
        """Return the number of distinct blocks that are held."""
        return len({block.block_id for table in self.tables_in(store) for block in table if block.block_id})

    def tables_in(self, store: Store) -> list[Table]:
        """Return all tables whose blocks are of one store."""
        return [
            table
            for tables in self._tables.values()
            for kind, table in zip(self._kinds, tables, strict=True)
            if kind.store is store
        ]

    def items(self) -> Iterable[tuple[str, tuple[Table, ...]]]:
        """Iterate over (name, tables)."""
        return self._tables.items()

    def tables(self, name: str) -> tuple[Table, ...]:
        """Return a pin's tables, one per group."""
        return self._tables[name]

    def hold(self, name: str, held: Held) -> int:
        """Pin the full blocks of a sequence's computed tokens that a later query reads. Returns the number of tokens.

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
        """Pin new blocks for `num_tokens` tokens, rounded down to whole blocks. Returns False if there is no room."""
        num_tokens = num_tokens // self._size * self._size
        skips = [kind.num_skipped(num_tokens) for kind in self._kinds]
        counts = [kind.length(num_tokens, 0) - skip for kind, skip in zip(self._kinds, skips, strict=True)]
        for store in {kind.store for kind in self._kinds}:
            needed = sum(count for kind, count in zip(self._kinds, counts, strict=True) if kind.store is store)
            if needed > store.pool.ready(needed):
                return False
        tables: list[Table] = []
        for kind, skip, count in zip(self._kinds, skips, counts, strict=True):
            new = kind.store.pool.allocate(count)
            assert new is not None
            tables.append([kind.store.pool.null_block] * skip + new)
        self._tables[name] = tuple(tables)
        return True

    def release(self, name: str) -> None:
        """Release a pin's blocks."""
        for kind, table in zip(self._kinds, self._tables.pop(name), strict=True):
            kind.store.host_mirror.release(table)

    def keep(self, names: Collection[str]) -> None:
        """Drop all other pins without releasing their blocks, which the pool is about to rebuild."""
        self._tables = {name: tables for name, tables in self._tables.items() if name in names}

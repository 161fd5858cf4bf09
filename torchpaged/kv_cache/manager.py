"""KVCacheManager: each request's block tables over one pool. Decides nothing: it grants, or returns None."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torchpaged.kv_cache.block import KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.spec import KVCacheGroup, num_blocks


class CachedRequest(Protocol):
    """What the manager reads of a request."""

    @property
    def request_id(self) -> str: ...
    @property
    def num_computed_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class KVCacheStats:
    """Blocks of the pool, the null block not counted, and tokens in them."""

    num_blocks: int
    num_free_blocks: int
    block_size: int
    num_tokens: int

    @property
    def num_used_blocks(self) -> int:
        """Blocks that some request holds."""
        return self.num_blocks - self.num_free_blocks

    @property
    def waste(self) -> float:
        """Share of the slots in used blocks that no token fills, 0 to 1."""
        slots = self.num_used_blocks * self.block_size
        return 1.0 - self.num_tokens / slots if slots else 0.0


class KVCacheManager:
    """Block tables of all requests, one a group.

    Invariants: a block's count equals the number of table entries that name it; a request's tables hold
    exactly the blocks of its allocated tokens; `allocate_slots` that returns None changed nothing.

    Args:
        groups: kinds of layers, one block table each.
        num_blocks: size of the pool, the null block included.

    Raises:
        ValueError: no group, or a pool without a block to use.
    """

    def __init__(self, groups: Sequence[KVCacheGroup], num_blocks: int) -> None:
        if not groups:
            raise ValueError("groups is empty, expected at least one kind of layer")
        self.groups = tuple(groups)
        self.pool = BlockPool(num_blocks)
        self._tables: dict[str, tuple[list[KVCacheBlock], ...]] = {}
        self._num_tokens: dict[str, int] = {}

    @property
    def max_tokens(self) -> int:
        """The longest sequence that fits when it has the pool to itself."""
        per_group = self.pool.num_usable // len(self.groups)
        return min(per_group * group.spec.block_size for group in self.groups)

    def allocate_slots(self, request: CachedRequest, num_new_tokens: int) -> tuple[list[int], ...] | None:
        """Room for the tokens after `request.num_computed_tokens`.

        Returns:
            The ids of the blocks that were added, one list a group (empty where the last block had room);
            None when the pool has not as many, and then nothing has changed.
        """
        if num_new_tokens < 1:
            raise ValueError(f"num_new_tokens is {num_new_tokens}, expected 1 or more")
        num_tokens = request.num_computed_tokens + num_new_tokens
        tables = self._tables.get(request.request_id) or tuple([] for _ in self.groups)
        missing = [
            max(0, num_blocks(num_tokens, group.spec.block_size) - len(table))
            for group, table in zip(self.groups, tables, strict=True)
        ]
        blocks = self.pool.allocate(sum(missing))
        if blocks is None:
            return None
        added = []
        for table, count in zip(tables, missing, strict=True):
            mine, blocks = blocks[:count], blocks[count:]
            table.extend(mine)
            added.append([block.block_id for block in mine])
        self._tables[request.request_id] = tables
        self._num_tokens[request.request_id] = max(num_tokens, self._num_tokens.get(request.request_id, 0))
        return tuple(added)

    def free(self, request: CachedRequest) -> None:
        """Gives back every block of a request; one that has none is left alone."""
        for table in self._tables.pop(request.request_id, ()):
            self.pool.release(table)
        self._num_tokens.pop(request.request_id, None)

    def block_ids(self, request: CachedRequest) -> tuple[list[int], ...]:
        """The request's block tables, one a group."""
        tables = self._tables.get(request.request_id) or tuple([] for _ in self.groups)
        return tuple([block.block_id for block in table] for table in tables)

    def stats(self) -> KVCacheStats:
        """How full the pool is."""
        return KVCacheStats(
            num_blocks=self.pool.num_usable,
            num_free_blocks=self.pool.num_free,
            block_size=self.groups[0].spec.block_size,
            num_tokens=len(self.groups) * sum(self._num_tokens.values()),
        )

    def check(self) -> None:
        """Asserts the invariants."""
        self.pool.check()
        entries: dict[int, int] = {}
        for request_id, tables in self._tables.items():
            for group, table in zip(self.groups, tables, strict=True):
                assert len(table) == num_blocks(self._num_tokens[request_id], group.spec.block_size), request_id
                for block in table:
                    entries[block.block_id] = entries.get(block.block_id, 0) + 1
        for block in self.pool.blocks:
            expected = 0 if block is self.pool.null_block else entries.get(block.block_id, 0)
            assert block.ref_count == expected, f"{block} stands in {expected} table entries"

"""A device without tensors: each slot of the pool holds a fingerprint of the prefix whose key and value it stands for.

It follows the scheduler's steps as a runner would and asserts that each query finds exactly its own past, that
nobody writes where another looks, and that copies and swaps carry what they should.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from torchpaged.kv_cache import CacheKeys, CopyDirection, KVCacheManager
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput

Slot = tuple[int, int, int]  # group, block, offset


class FakeDevice:
    """The pools and the runner's tables.

    Invariants: what a query of a step can see in its table is the fingerprint of its request's own tokens.
    """

    def __init__(self, manager: KVCacheManager) -> None:
        self.manager, self.size = manager, manager.block_size
        self.pools: dict[CopyDirection, dict[int, list[object]]] = {
            CopyDirection.WITHIN: {},  # the device's
            CopyDirection.OUT: {},  # the host's
        }
        self.tables: dict[str, tuple[list[int], ...]] = {}
        self.pending: Mapping[str, int] = {}

    def run(self, step: SchedulerOutput, *, fails: bool = False, pending: Mapping[str, int] | None = None) -> None:
        """Copies, then writes all new tokens, then looks at all that is visible; a failing forward writes rubbish.

        Args:
            pending: the last tokens that the device has chosen and the scheduler has not been told of.
        """
        self.pending = pending or {}
        device, host = self.pools[CopyDirection.WITHIN], self.pools[CopyDirection.OUT]
        for copy in step.copies:
            source = host if copy.direction is CopyDirection.IN else device
            destination = host if copy.direction is CopyDirection.OUT else device
            assert copy.destination != 0, "the null block is written"
            destination[copy.destination] = list(source.get(copy.source, self._empty()))
        for name in step.released:
            self.tables.pop(name, None)
        written: dict[tuple[int, int], str] = {}
        for item in step.requests:
            self._follow(item)
            for group, table in enumerate(self.tables[item.request_id]):
                self._write(item, group, table, written, rubbish=fails)
        if not fails:
            for item in step.requests:
                for group, table in enumerate(self.tables[item.request_id]):
                    self._look(item, group, table)

    def bring(self, tables: Sequence[Sequence[int]], token_ids: Sequence[int], keys: CacheKeys) -> None:
        """Writes a prefix that comes from outside into the blocks of its tables; 0 is skipped."""
        prints = prefix_prints(keys, token_ids)
        for group, table in enumerate(tables):
            for index, block in enumerate(table):
                if block:
                    part = prints[index * self.size : (index + 1) * self.size]
                    self.pools[CopyDirection.WITHIN][block] = [(group, each) for each in part]

    def _empty(self) -> list[object]:
        return [None] * self.size

    def _follow(self, item: ScheduledRequest) -> None:
        name = item.request_id
        if item.starts:
            self.tables[name] = tuple(list(blocks) for blocks in item.new_block_ids)
        else:
            for group, index, block in item.changed_blocks:
                self.tables[name][group][index] = block
            for table, blocks in zip(self.tables[name], item.new_block_ids, strict=True):
                table.extend(blocks)
        assert self.tables[name] == self.manager.block_ids(item.request), f"{name}: the runner's table is another"

    def _write(
        self,
        item: ScheduledRequest,
        group: int,
        table: Sequence[int],
        written: dict[tuple[int, int], str],
        *,
        rubbish: bool,
    ) -> None:
        prints = fingerprints(item, self.pending)
        for position in range(item.num_computed_tokens, item.num_computed_tokens + item.num_new_tokens):
            block = table[position // self.size]
            assert block, f"{item.request_id} writes to the null block at {position}"
            assert written.setdefault((group, block), item.request_id) == item.request_id, f"two write to block {block}"
            slots = self.pools[CopyDirection.WITHIN].setdefault(block, self._empty())
            slots[position % self.size] = random.random() if rubbish else (group, prints[position])

    def _look(self, item: ScheduledRequest, group: int, table: Sequence[int]) -> None:
        prints = fingerprints(item, self.pending)
        skipped = self.manager.groups[group].spec.num_skipped_blocks(item.num_computed_tokens)
        for position in range(skipped * self.size, item.num_computed_tokens + item.num_new_tokens):
            block = table[position // self.size]
            found = self.pools[CopyDirection.WITHIN].get(block, self._empty())[position % self.size]
            assert found == (group, prints[position]), (
                f"{item.request_id}, group {group}: block {block} has something else at position {position}"
            )


def fingerprints(item: ScheduledRequest, pending: Mapping[str, int]) -> list[int]:
    """One for each token: of everything up to it, and of what else decides its key and value."""
    token_ids = list(item.request.token_ids)
    if item.request.num_pending_tokens:
        token_ids.append(pending[item.request_id])
    return prefix_prints(item.request.cache_keys, token_ids)


def prefix_prints(keys: CacheKeys, token_ids: Sequence[int]) -> list[int]:
    """By position, a hash of the tokens up to it."""
    result, last = [], hash(keys)
    for token in token_ids:
        last = hash((last, token))
        result.append(last)
    return result

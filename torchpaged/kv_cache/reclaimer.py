"""Reclaimer: chooses free blocks whose memory goes back to the system. It gives back nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchpaged.kv_cache.block import KVCacheBlock, PoolKind
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.memory_limit import MemoryLimit

# Seconds without use after which a block's memory may go back, and the precision with which they are counted.
_QUIET = 60.0
_TICK = 10.0
# Share of the limit that cached blocks may keep however long they are not used: a pause in a conversation is longer
# than a minute, and computing a long prompt again takes longer than that.
_KEPT = 0.25
# Bytes that are given back at a time, and if a neighbour needs them. A step waits 2 to 20 ms for 16 MiB in 28 layers,
# the longer the more the blocks are scattered.
_PIECE, _PRESSED_PIECE = 16 << 20, 64 << 20


@dataclass(frozen=True, slots=True)
class Vacated:
    """Blocks of one pool whose pages are to be given back.

    Args:
        kind: content of the pool.
        runs: [first, last) of block ids.
    """

    kind: PoolKind
    runs: list[tuple[int, int]]


class Reclaimer:
    """Makes free blocks vacant: those that were not used for a minute, and any if a neighbour needs memory.

    - Blocks that the prefix cache cannot find go after a quiet minute. Cached ones go too, in the order of eviction,
      while the pools take more than a quarter of the limit.
    - If the pools take more than the limit and half of the rest of the free memory, free blocks go at once, in the
      order of eviction, until they are within the limit. The half keeps the two from taking turns.

    Blocks in use never go: if they alone take too much, `excess` says so, and the scheduler preempts sequences. A block
    that goes is not in the prefix cache from then on.

    Args:
        stores: the pools.
        limit: the limit on their memory, which has the clock.

    Attributes:
        has_more: True if the last call has left blocks for the next one.
        excess: bytes by which blocks in use exceed the limit while a neighbour needs them, as of the last call.
    """

    def __init__(self, stores: Sequence[Store], limit: MemoryLimit) -> None:
        self._stores, self._limit = stores, limit
        self._ticked = limit.clock()
        self.has_more, self.excess = False, 0

    def reclaim(self, *, everything: bool = False) -> list[Vacated]:
        """Make a piece of the free blocks vacant. The caller must give back their pages before any block is allocated.

        Args:
            everything: choose all free blocks; used when a sequence cannot run otherwise.
        """
        ticks = int((self._limit.clock() - self._ticked) / _TICK)
        if ticks:
            self._ticked += ticks * _TICK
            for store in self._stores:
                store.pool.now += ticks
                store.pool.withdraw()
        room, taken = self._limit.room(), self._limit.taken
        limit = self._limit.share * room
        pressed = taken > (limit + room) / 2
        if not (everything or pressed or ticks or self.has_more):
            return []
        self.has_more, self.excess = False, 0
        vacated: list[Vacated] = []
        budget = _PRESSED_PIECE if everything or pressed else _PIECE
        for store in self._stores:
            pool, chosen = store.pool, list[KVCacheBlock]()
            for block in pool.free_blocks() if pool.block_bytes else ():
                too_much = pressed and taken > limit
                if not (everything or too_much or _is_quiet(pool, block, cached=taken > _KEPT * limit)):
                    continue
                if budget <= 0:
                    self.has_more = True
                    break
                chosen.append(block)
                taken -= pool.block_bytes
                budget -= pool.block_bytes
            if chosen:
                vacated.append(Vacated(store.kind, pool.vacate(chosen)))
        if pressed and not self.has_more:
            self.excess = max(0, int(taken - limit))
        return vacated


def _is_quiet(pool: BlockPool, block: KVCacheBlock, *, cached: bool) -> bool:
    """Return True if a block was not used for a minute; `cached` if one that can be found counts too."""
    return pool.now - block.freed_at > _QUIET / _TICK and (cached or block.content is None)

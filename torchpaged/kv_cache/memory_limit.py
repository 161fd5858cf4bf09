"""MemoryLimit: how much memory pools may take, which follows what is free. VacantBlocks: a pool's blocks without pages.

The pools' address ranges are reserved when an engine starts, and the system allocates a page when it is first written.
So a block takes memory from the first time it is handed out until its pages are given back (`Reclaimer`). Bytes are
counted in blocks. Where the system uses 2 MiB pages for all memory, the first of neighbouring blocks takes that of the
others too; free memory, which is read, shows it.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

# Bytes that are granted at once, so that free memory is not read once per block, and the part of what is left that they
# are at most: the closer the limit, the less is promised that a neighbour may take meanwhile.
_PIECE, _PARTS = 64 << 20, 8
# Seconds in which free memory is not read again after a refusal.
_PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class PoolMemory:
    """Bytes of the pools.

    Args:
        reserved: of all blocks.
        taken: of blocks that have been handed out, and whose pages were not given back since.
        limit: that may be taken now; `reserved` if the limit does not follow the memory that is free.
        given_back: given back to the system since the engine was made.
    """

    reserved: int
    taken: int
    limit: int
    given_back: int = 0


class MemoryLimit:
    """Limit on the bytes that all pools of an engine take together: a share of what is free without them.

    A neighbour that takes memory lowers the limit, and one that frees memory raises it. Blocks that are in use stay
    when the limit falls below what is taken; then no further ones are handed out that have no pages.

    Invariants: when bytes are granted, those taken and promised stay within the limit; a pool hands out no more than
    it was promised. What is promised without use is at most 64 MiB and an eighth of what was left, or the largest
    single request, per pool.

    Args:
        free: returns the bytes that the system can still give.
        share: share of them that the pools may take, (0, 1].
        clock: returns seconds.
    """

    def __init__(self, free: Callable[[], int], share: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.share, self.clock = share, clock
        self.free, self._silent_until = free, -float("inf")
        self._pools: list[VacantBlocks] = []
        self.given_back = 0

    @property
    def reserved(self) -> int:
        """Bytes of all blocks of the pools."""
        return sum(pool.num_blocks * pool.block_bytes for pool in self._pools)

    @property
    def taken(self) -> int:
        """Bytes of the blocks that have pages, or get them in the step being scheduled."""
        return sum(pool.num_taken * pool.block_bytes for pool in self._pools)

    @property
    def promised(self) -> int:
        """Bytes that pools may hand out without asking."""
        return sum(pool.num_promised * pool.block_bytes for pool in self._pools)

    def add(self, pool: VacantBlocks) -> None:
        """Add a pool."""
        self._pools.append(pool)

    def room(self) -> int:
        """Read the free memory and return the bytes that could be taken without the pools, for `share` of 1."""
        # Blocks of the step being scheduled are not written yet, so their bytes still look free.
        return self.free() + self.taken - sum(pool.num_unwritten * pool.block_bytes for pool in self._pools)

    def read(self) -> int:
        """Read the free memory and return the limit."""
        return max(0, min(self.reserved, int(self.share * self.room())))

    def grant(self, num_blocks: int, block_bytes: int) -> int:
        """Return how many blocks a pool may hand out: `num_blocks`, more in advance, or fewer if there is no memory."""
        if (now := self.clock()) < self._silent_until:
            return 0
        left = (self.read() - self.taken - self.promised) // block_bytes
        granted = max(0, min(left, max(num_blocks, min(_PIECE // block_bytes, left // _PARTS))))
        if granted < num_blocks:
            self._silent_until = now + _PAUSE
        return granted

    def commit(self) -> None:
        """Note that a step has run: its blocks are written."""
        for pool in self._pools:
            pool.num_unwritten = 0

    def memory(self) -> PoolMemory:
        """Return the present numbers; reads the free memory."""
        return PoolMemory(self.reserved, self.taken, self.read(), self.given_back)

    def check(self) -> None:
        """Assert the invariants."""
        assert 0 <= self.taken <= self.reserved and self.promised <= self.reserved - self.taken


class VacantBlocks:
    """Free blocks of a pool that have no pages, the lowest id first, so that neighbours share few pages with them.

    Invariants: the ids are a heap, each once; no more are promised than there are.

    Args:
        limit: grants their pages.
        block_bytes: bytes of a block in all layers.
        num_blocks: size of the pool, the null block included; all but that are vacant at first.

    Attributes:
        ids: the blocks; always the same list.
        num_promised: number of blocks that may be handed out without asking.
        num_unwritten: number of blocks that were handed out since the last step has run.
    """

    def __init__(self, limit: MemoryLimit, block_bytes: int, num_blocks: int) -> None:
        assert block_bytes > 0
        self.block_bytes, self.num_blocks, self._limit = block_bytes, num_blocks, limit
        self.num_promised = self.num_unwritten = 0
        self.ids: list[int] = []
        limit.add(self)

    @property
    def num_taken(self) -> int:
        """Number of blocks of the pool that have pages, the null block included."""
        return self.num_blocks - len(self.ids)

    def ready(self, count: int) -> int:
        """Return how many blocks may be handed out now, after asking for more if they are fewer than `count`."""
        most = len(self.ids)
        if self.num_promised < min(count, most):
            missing = min(count, most) - self.num_promised
            self.num_promised = min(most, self.num_promised + self._limit.grant(missing, self.block_bytes))
        return self.num_promised

    def take(self, count: int) -> list[int]:
        """Remove and return the ids of `count` promised blocks."""
        assert count <= self.num_promised, f"{count} blocks are handed out, {self.num_promised} are promised"
        self.num_promised -= count
        self.num_unwritten += count
        return [heapq.heappop(self.ids) for _ in range(count)]

    def add(self, ids: Iterable[int]) -> None:
        """Add blocks whose pages are given back."""
        for id in ids:
            heapq.heappush(self.ids, id)
            self._limit.given_back += self.block_bytes

    def restore(self, ids: list[int]) -> None:
        """Set the blocks, whatever they were, and forget what was promised."""
        self.ids[:] = sorted(ids)  # a sorted list is a heap
        self.num_promised = 0

    def withdraw(self) -> None:
        """Give up what is promised: the memory may have got another user since."""
        self.num_promised = 0

    def check(self) -> None:
        """Assert the invariants."""
        ids = self.ids
        assert all(ids[(i - 1) // 2] < ids[i] for i in range(1, len(ids))), "the vacant blocks are no heap"
        assert len(set(ids)) == len(ids) and 0 not in ids
        assert 0 <= self.num_promised <= len(ids)
        self._limit.check()

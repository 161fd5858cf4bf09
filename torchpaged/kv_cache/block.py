"""Cache blocks and the queue of free ones. Owns the links between free blocks and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol


class BlockContent(NamedTuple):
    """Identity of a full block's content, by which the prefix cache finds it."""

    hash: bytes
    parent: bytes  # the hash of the block before it
    group: int  # the layer group whose keys and values these are
    # Empty if more than the tokens decides the content (images): then no partial match is possible.
    token_ids: tuple[int, ...]


@dataclass(slots=True, eq=False)
class KVCacheBlock:
    """One block: its index in every layer's cache tensor, and the number of tables that name it."""

    block_id: int
    ref_count: int = 0
    content: BlockContent | None = None  # set while the prefix cache can find the block
    # The pool's `now` when the block became free; -1 if nothing was ever written to it, or its pages were given back.
    freed_at: int = -1
    keep_until: float = 0.0  # by `time.monotonic`: while others are free, its content is not evicted before
    # Neighbours in the free queue; both None while the block is in use.
    previous: KVCacheBlock | None = None
    next: KVCacheBlock | None = None

    def __repr__(self) -> str:
        return f"KVCacheBlock({self.block_id}, ref_count={self.ref_count}{', cached' if self.content else ''})"


class EvictionPolicy(Protocol):
    """Keeper of free blocks that decides which is allocated next, and so which cached content is lost.

    `RetainingQueue`, the default, evicts the least recently used block that no cache hint retains.
    """

    def push(self, block: KVCacheBlock) -> None:
        """Add a block that became free. If `block.content` is set, the prefix cache can still find it."""
        ...

    def remove(self, block: KVCacheBlock) -> None:
        """Remove a free block that a prefix hit revives."""
        ...

    def pop(self) -> KVCacheBlock:
        """Remove and return the block to allocate next. Raises IndexError if there is none."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[KVCacheBlock]: ...

    def check(self) -> None:
        """Assert the invariants."""
        ...


class FreeBlockQueue:
    """Free blocks, least recently used first, as a doubly linked list through the blocks: every operation is O(1).

    A block without cached content is pushed to the front, so it is reused before any that could still give a hit.
    The links are in the blocks because a prefix hit removes a block from the middle of the queue; with them that
    needs no dictionary.

    Invariants: every block between the two sentinels has a reference count of 0 and is linked on both sides; `len` is
    their number.
    """

    def __init__(self, blocks: Iterable[KVCacheBlock] = ()) -> None:
        self._head, self._tail = KVCacheBlock(-1), KVCacheBlock(-2)
        self._head.next, self._tail.previous = self._tail, self._head
        self._length = 0
        for block in blocks:
            self.append(block)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[KVCacheBlock]:
        """Iterate in the order of eviction."""
        block = self._head.next
        while block is not None and block is not self._tail:
            yield block
            block = block.next

    def push(self, block: KVCacheBlock) -> None:
        """Append the block, or put it first if it has no cached content."""
        if block.content is None:
            self.appendleft(block)
        else:
            self.append(block)

    def pop(self) -> KVCacheBlock:
        """Remove and return the least recently used block. Raises IndexError if there is none."""
        block = self._head.next
        if block is None or block is self._tail:
            raise IndexError("no free block is left")
        self.remove(block)
        return block

    def append(self, block: KVCacheBlock) -> None:
        """Put a block last."""
        self._insert(self._tail, block)

    def appendleft(self, block: KVCacheBlock) -> None:
        """Put a block first: it is the next to be allocated."""
        assert self._head.next is not None
        self._insert(self._head.next, block)

    def remove(self, block: KVCacheBlock) -> None:
        """Remove a block from anywhere in the queue."""
        before, after = block.previous, block.next
        assert before is not None and after is not None, f"{block} is not in the free queue"
        before.next, after.previous = after, before
        block.previous = block.next = None
        self._length -= 1

    def _insert(self, successor: KVCacheBlock, block: KVCacheBlock) -> None:
        before = successor.previous
        assert before is not None and block.previous is None and block.next is None
        before.next = successor.previous = block
        block.previous, block.next = before, successor
        self._length += 1

    def check(self) -> None:
        """Assert the invariants."""
        blocks = list(self)
        assert len(blocks) == self._length, f"{len(blocks)} blocks are linked, {self._length} counted"
        for before, after in zip([self._head, *blocks], [*blocks, self._tail], strict=True):
            assert before.next is after and after.previous is before
        assert not [block for block in blocks if block.ref_count]


class RetainingQueue:
    """Free blocks, least recently used first, but those that a cache hint retains after all others.

    When its time is over, a retained block is the next to be allocated. If only retained blocks are left, the least
    recently used of them goes.

    Invariants: each block is in one of two queues, a retained one in the second.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._plain, self._retained = FreeBlockQueue(), FreeBlockQueue()
        self._retained_ids: set[int] = set()
        self._looked_at = 0.0  # when expired blocks were last moved

    def __len__(self) -> int:
        return len(self._plain) + len(self._retained)

    def __iter__(self) -> Iterator[KVCacheBlock]:
        """Iterate in the order of eviction."""
        yield from self._plain
        yield from self._retained

    def push(self, block: KVCacheBlock) -> None:
        """Implement `EvictionPolicy.push`."""
        if block.keep_until and block.content is not None and block.keep_until > self._clock():
            self._retained.append(block)
            self._retained_ids.add(block.block_id)
        else:
            self._plain.push(block)

    def remove(self, block: KVCacheBlock) -> None:
        """Implement `EvictionPolicy.remove`."""
        if block.block_id in self._retained_ids:
            self._retained_ids.remove(block.block_id)
            self._retained.remove(block)
        else:
            self._plain.remove(block)

    def pop(self) -> KVCacheBlock:
        """Implement `EvictionPolicy.pop`."""
        if self._retained_ids and (now := self._clock()) > self._looked_at + _LOOK_PERIOD:
            self._looked_at = now
            for block in reversed([each for each in self._retained if each.keep_until <= now]):
                self.remove(block)
                self._plain.appendleft(block)
        if len(self._plain):
            return self._plain.pop()
        block = self._retained.pop()
        self._retained_ids.remove(block.block_id)
        return block

    def check(self) -> None:
        """Assert the invariants."""
        self._plain.check()
        self._retained.check()
        assert {block.block_id for block in self._retained} == self._retained_ids
        assert not self._retained_ids or not any(block.block_id in self._retained_ids for block in self._plain)


# Seconds between two looks for retained blocks whose time is over: a look takes time in proportion to their number.
_LOOK_PERIOD = 1.0


class CopyDirection(Enum):
    """Source and destination pool of a block copy."""

    WITHIN = "within"  # device to device: copy-on-write
    OUT = "out"  # device to host
    IN = "in"  # host to device


class PoolKind(Enum):
    """Kind of content that a pool holds."""

    BLOCKS = "blocks"  # keys and values
    STATES = "states"  # states of recurrent layers at boundaries
    TAILS = "tails"  # rows of recurrent layers since the last boundary


class BlockCopy(NamedTuple):
    """A block copy to make before the step's forward. Ids are those of the pools that `direction` names."""

    source: int
    destination: int
    direction: CopyDirection = CopyDirection.WITHIN
    pool: PoolKind = PoolKind.BLOCKS


class TierCopy(NamedTuple):
    """A block that goes to a tier below the pools, or comes from it.

    Args:
        pool: the pool that has the block.
        block_id: id of the block in it.
        key: name of the content in the tier, see `tier_key`.
    """

    pool: PoolKind
    block_id: int
    key: bytes

"""Cache blocks and the queue of free ones. Owns the links between free blocks and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    # Neighbours in the free queue; both None while the block is in use.
    previous: KVCacheBlock | None = None
    next: KVCacheBlock | None = None

    def __repr__(self) -> str:
        return f"KVCacheBlock({self.block_id}, ref_count={self.ref_count}{', cached' if self.content else ''})"


class EvictionPolicy(Protocol):
    """Keeper of free blocks that decides which is allocated next, and so which cached content is lost.

    `FreeBlockQueue`, the default, evicts the least recently used block.
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
        assert all(block.ref_count == 0 for block in blocks)


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

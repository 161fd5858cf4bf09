"""A block of the pool and the queue of free ones. Owns the links between free blocks, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol


class BlockContent(NamedTuple):
    """What a full block holds, for those who look for it."""

    hash: bytes
    parent: bytes  # the hash of the block before it
    group: int  # whose layers' keys and values these are
    token_ids: tuple[int, ...]  # () where they are not all that decides the content: then no part of it is found


@dataclass(slots=True, eq=False)
class KVCacheBlock:
    """One block: its id is its place in every layer's pool, its count says how many tables name it."""

    block_id: int
    ref_count: int = 0
    content: BlockContent | None = None  # set while the block can be found by its hash
    # Neighbours in the free queue; both None while the block is in use.
    previous: KVCacheBlock | None = None
    next: KVCacheBlock | None = None

    def __repr__(self) -> str:
        return f"KVCacheBlock({self.block_id}, ref_count={self.ref_count}{', cached' if self.content else ''})"


class EvictionPolicy(Protocol):
    """The free blocks, and which of them is handed out next: what it held is lost then.

    `FreeBlockQueue`, the default, takes the least recently used one.
    """

    def push(self, block: KVCacheBlock) -> None:
        """A block has become free; `block.content` says whether it can still be found."""
        ...

    def remove(self, block: KVCacheBlock) -> None:
        """A free block was found by its hash and is in use again."""
        ...

    def pop(self) -> KVCacheBlock:
        """Takes out the block to hand out next; IndexError when there is none."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[KVCacheBlock]: ...

    def check(self) -> None:
        """Asserts the invariants."""
        ...


class FreeBlockQueue:
    """Least recently used first, as a doubly linked list through the blocks themselves: everything in O(1).

    A block that nobody can find goes out before any that can: it is pushed in at the front.

    Invariants: every block between the two sentinels has a count of 0 and links on both sides; `len` is
    their number. Removing from the middle is what revives a cached block; the links avoid a dictionary.
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
        """First out first."""
        block = self._head.next
        while block is not None and block is not self._tail:
            yield block
            block = block.next

    def push(self, block: KVCacheBlock) -> None:
        """Last in the queue, or first when the block holds nothing that could be found."""
        if block.content is None:
            self.appendleft(block)
        else:
            self.append(block)

    def pop(self) -> KVCacheBlock:
        """The block that has been free for longest; IndexError when there is none."""
        block = self._head.next
        if block is None or block is self._tail:
            raise IndexError("no free block is left")
        self.remove(block)
        return block

    def append(self, block: KVCacheBlock) -> None:
        """Last in the queue."""
        self._insert(self._tail, block)

    def appendleft(self, block: KVCacheBlock) -> None:
        """First in the queue: the next to be handed out."""
        assert self._head.next is not None
        self._insert(self._head.next, block)

    def remove(self, block: KVCacheBlock) -> None:
        """Takes a block out, wherever it stands."""
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
        """Asserts the invariants."""
        blocks = list(self)
        assert len(blocks) == self._length, f"{len(blocks)} blocks are linked, {self._length} counted"
        for before, after in zip([self._head, *blocks], [*blocks, self._tail], strict=True):
            assert before.next is after and after.previous is before
        assert all(block.ref_count == 0 for block in blocks)


class CopyDirection(Enum):
    """Between which pools a block is copied."""

    WITHIN = "within"  # device to device: copy-on-write
    OUT = "out"  # device to host
    IN = "in"  # host to device


class PoolKind(Enum):
    """What the blocks of a pool hold."""

    BLOCKS = "blocks"  # keys and values
    STATES = "states"  # of recurrent layers, at boundaries
    TAILS = "tails"  # rows of recurrent layers since the last boundary


class BlockCopy(NamedTuple):
    """A block to copy before the step's forward: ids in the pools that the direction names, which are of one kind."""

    source: int
    destination: int
    direction: CopyDirection = CopyDirection.WITHIN
    pool: PoolKind = PoolKind.BLOCKS

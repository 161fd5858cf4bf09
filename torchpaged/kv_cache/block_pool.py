"""BlockPool: allocates blocks, counts references, finds blocks by content. Knows no requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from torchpaged.kv_cache.block import BlockContent, EvictionPolicy, FreeBlockQueue, KVCacheBlock
from torchpaged.kv_cache.journal import PrefixJournal
from torchpaged.kv_cache.memory_limit import MemoryLimit, VacantBlocks


class BlockPool:
    """A pool of `num_blocks` blocks. Block 0 is the null block: it is never allocated, and padding points at it.

    A freed block keeps its content and can be found until it is allocated again. Blocks with equal content are not
    merged: merging would change block tables that a step on the device may be reading.

    With a limit on memory, blocks without pages are vacant: free, but not in the keeper of free blocks. One is handed
    out if no free block with pages is left but those that the prefix cache can find, and the limit allows it.

    Invariants: a block other than the null block is either free with a reference count of 0, or has a count of 1 or
    more; the indexes hold exactly the blocks that have content; the null block has none; a vacant block is free,
    without content, and has not been written since it became vacant.

    Args:
        num_blocks: size of the pool, the null block included.
        eviction_policy: makes the keeper of free blocks.
        may_be_empty: True if a pool of only the null block is allowed (models without attention).
        limit: grants blocks without pages; None: all blocks may be handed out at any time.
        block_bytes: bytes of a block in all layers; needed with a limit, and with 0 there is none.

    Attributes:
        registered: (block, content) of each block that became findable, for `Tiers`; None: not recorded.
        now: a count of time that its owner increases, noted in the blocks that become free.
        block_bytes: bytes of a block; 0 without a limit.

    Raises:
        ValueError: the pool would have no usable block.
    """

    def __init__(
        self,
        num_blocks: int,
        eviction_policy: Callable[[], EvictionPolicy] = FreeBlockQueue,
        *,
        may_be_empty: bool = False,
        limit: MemoryLimit | None = None,
        block_bytes: int = 0,
    ) -> None:
        if num_blocks < 2 - may_be_empty:
            raise ValueError(f"num_blocks is {num_blocks}, expected at least 2: the null block and one to use")
        self.blocks = [KVCacheBlock(i) for i in range(num_blocks)]
        self.null_block = self.blocks[0]
        self.num_evictions = self.now = 0
        self._eviction_policy = eviction_policy
        self._vacant = VacantBlocks(limit, block_bytes, num_blocks) if limit is not None and block_bytes else None
        self._vacant_ids: list[int] = [] if self._vacant is None else self._vacant.ids
        self.block_bytes = block_bytes if self._vacant is not None else 0
        self._evicted: list[tuple[int, BlockContent]] | None = None
        self._fresh: set[int] = set()  # blocks allocated since `take_evicted`: their bytes may be an older content's
        self.registered: list[tuple[KVCacheBlock, BlockContent]] | None = None
        self._journal: PrefixJournal | None = None
        self._begin()

    def _begin(self) -> None:
        """Make all blocks free, without content."""
        self.num_cached_free = 0  # free blocks that can still be found
        self._free = self._eviction_policy()
        vacant = []
        for block in reversed(self.blocks[1:]):
            if self._vacant is not None and block.freed_at < 0:
                vacant.append(block.block_id)
            else:
                self._free.push(block)
        if self._vacant is not None:
            self._vacant.restore(vacant)
        self._cached: dict[tuple[bytes, int], dict[int, KVCacheBlock]] = {}
        # By parent, group and first token: blocks whose beginning may match the rest of a prompt.
        self._children: dict[tuple[bytes, int, int], dict[int, KVCacheBlock]] = {}
        if self._journal is not None:
            self._journal.clear()

    def journal(self) -> PrefixJournal:
        """Return the journal of what can be found of the first layer group. The first call begins it."""
        if self._journal is None:
            self._journal = PrefixJournal(each for each, group in self._cached if not group)
        return self._journal

    @property
    def num_usable(self) -> int:
        """Number of blocks without the null block."""
        return len(self.blocks) - 1

    @property
    def num_free(self) -> int:
        """Number of blocks that are not in use; a limit on memory may allow fewer of them (`ready`)."""
        return len(self._free) + len(self._vacant_ids)

    @property
    def num_vacant(self) -> int:
        """Number of free blocks without pages, under a limit on memory."""
        return len(self._vacant_ids)

    @property
    def num_taken(self) -> int:
        """Number of blocks that have pages, the null block included; the others have not been written."""
        return 1 + sum(block.ref_count > 0 or block.freed_at >= 0 for block in self.blocks[1:])

    @property
    def num_cached(self) -> int:
        """Number of blocks, in use or free, that the prefix cache can find."""
        return sum(len(found) for found in self._cached.values())

    def free_blocks(self) -> Iterator[KVCacheBlock]:
        """Iterate over the free blocks, without vacant ones, in the order of eviction."""
        return iter(self._free)

    def ready(self, count: int) -> int:
        """Return the number of blocks that can be allocated now, after asking for memory if they are fewer than
        `count`.
        """
        num_free = len(self._free)
        if num_free < count and self._vacant is not None:
            return num_free + self._vacant.ready(count - num_free)
        return num_free

    def allocate(self, count: int) -> list[KVCacheBlock] | None:
        """Allocate `count` blocks with a reference count of 1. Returns None, changing nothing, if too few are ready."""
        if not count:  # most calls for a decode step
            return []
        num_vacant = 0
        if self._vacant_ids and (missing := count - len(self._free) + self.num_cached_free) > 0:
            assert self._vacant is not None
            num_vacant = min(missing, self._vacant.ready(missing))
        if count - num_vacant > len(self._free):
            return None
        taken = [self._free.pop() for _ in range(count - num_vacant)]
        for block in taken:
            if block.content is not None:
                self._evict(block)
                self.num_evictions += 1
            block.ref_count = 1
        if num_vacant:
            assert self._vacant is not None
            for block_id in self._vacant.take(num_vacant):
                self.blocks[block_id].ref_count = 1
                taken.append(self.blocks[block_id])
        if self._evicted is not None:
            self._fresh.update(block.block_id for block in taken)
        return taken

    def vacate(self, blocks: Iterable[KVCacheBlock]) -> list[tuple[int, int]]:
        """Make free blocks vacant; the prefix cache no longer finds them.

        Returns:
            Runs [first, last) of vacant blocks around them, whose pages the caller must give back. Adjacent ones that
            were vacant before are in it too: a page that two blocks share is kept until both are vacant.
        """
        assert self._vacant is not None
        ids = []
        for block in blocks:
            self._free.remove(block)
            if block.content is not None:
                self._evict(block)
            block.freed_at = -1
            ids.append(block.block_id)
        self._vacant.add(ids)
        return self._vacant_runs(sorted(ids))

    def record(self, *, registered: bool) -> None:
        """Record evicted blocks from now on, for `Tiers`, and `registered` ones too."""
        self._evicted, self.registered = [], [] if registered else None

    def take_evicted(self) -> list[tuple[int, BlockContent]]:
        """Return (block id, content) of each block whose content was given up for another's since the last call.

        The pool still has these contents until the next copy or write.
        """
        evicted = self._evicted or []
        if self._evicted is not None:
            self._evicted = []
            self._fresh.clear()
        return evicted

    def take_registered(self) -> list[tuple[KVCacheBlock, BlockContent]]:
        """Return (block, content) of each block that was registered since the last call."""
        registered = self.registered or []
        if self.registered is not None:
            self.registered = []
        return registered

    def in_order_of_eviction(self) -> list[KVCacheBlock]:
        """Return all blocks that can be found, the first to be evicted first and those in use last."""
        in_use = [block for block in self.blocks if block.ref_count and block.content is not None]
        return [block for block in self._free if block.content is not None] + in_use

    def withdraw(self) -> None:
        """Give up vacant blocks that were promised: the memory may have got another user since."""
        if self._vacant is not None:
            self._vacant.withdraw()

    def _vacant_runs(self, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Return runs of ascending ids, with vacant neighbours."""
        runs: list[tuple[int, int]] = []
        for block_id in ids:
            if runs and runs[-1][1] == block_id:
                runs[-1] = runs[-1][0], block_id + 1
            else:
                runs.append((block_id, block_id + 1))
        for place, (first, last) in enumerate(runs):
            least, most = max(1, first - _MOST_SHARING), min(len(self.blocks), last + _MOST_SHARING)
            while first > least and self._is_vacant(first - 1):
                first -= 1
            while last < most and self._is_vacant(last):
                last += 1
            runs[place] = first, last
        return runs

    def _is_vacant(self, block_id: int) -> bool:
        block = self.blocks[block_id]
        return block.ref_count == 0 and block.freed_at < 0

    def share(self, blocks: Iterable[KVCacheBlock]) -> None:
        """Increment each block's reference count; a free block leaves the free queue."""
        for block in blocks:
            if block is self.null_block:
                continue
            if block.ref_count == 0:
                self._free.remove(block)
                self.num_cached_free -= block.content is not None
            block.ref_count += 1

    def restore(self, tables: Iterable[Sequence[KVCacheBlock]]) -> None:
        """Rebuild the pool from any state: blocks of `tables` keep their content, all others become free."""
        held = [block for table in tables for block in table if block is not self.null_block]
        contents = {block.block_id: block.content for block in held}
        for block in held:
            block.freed_at = self.now
        for block in self.blocks:
            if block.ref_count:
                block.freed_at = self.now
            block.ref_count, block.content, block.previous, block.next = 0, None, None, None
            block.keep_until = 0.0
        self._begin()
        self.share(held)
        for block in dict.fromkeys(held):
            if (content := contents[block.block_id]) is not None:
                self.remember(block, content)

    def release(self, blocks: Sequence[KVCacheBlock]) -> None:
        """Decrement each block's reference count, the tail's first, so that a prefix is evicted last."""
        for block in reversed(blocks):
            if block is self.null_block:
                continue
            assert block.ref_count > 0, f"{block} is freed more often than it was taken"
            block.ref_count -= 1
            if block.ref_count == 0:
                block.freed_at = self.now
                self._free.push(block)
                self.num_cached_free += block.content is not None

    def remember(self, block: KVCacheBlock, content: BlockContent, *, came_up: bool = False) -> None:
        """Register a full block that is in use, so that it can be found by its content.

        Args:
            came_up: True if it was read from a tier, which has it therefore.
        """
        assert block.content is None and block.ref_count > 0, f"{block} is cached already, or free"
        block.content = content
        found = self._cached.setdefault((content.hash, content.group), {})
        if not found and not content.group and self._journal is not None:
            self._journal.add(content.hash)
        found[block.block_id] = block
        if self.registered is not None and not came_up:
            self.registered.append((block, content))
        if content.token_ids:
            child = (content.parent, content.group, content.token_ids[0])
            self._children.setdefault(child, {})[block.block_id] = block

    def forget(self, block: KVCacheBlock) -> None:
        """Unregister a block. Tables that name it keep it."""
        if block.ref_count:
            self._lose(block)
            return
        # Its place in the free queue depends on whether it has content.
        self._free.remove(block)
        self._lose(block)
        self._free.push(block)
        self.num_cached_free -= 1

    def retain(self, block: KVCacheBlock, until: float) -> None:
        """Evict a block's content after others' until a time of `time.monotonic`; 0: as others."""
        if block.ref_count:
            block.keep_until = until
        elif block.content is not None:  # its place among the free blocks depends on it
            self._free.remove(block)
            block.keep_until = until
            self._free.push(block)

    def _evict(self, block: KVCacheBlock) -> None:
        """Unregister a free block that is about to change."""
        if self._evicted is not None and block.content is not None and block.block_id not in self._fresh:
            self._evicted.append((block.block_id, block.content))
        self._lose(block)
        self.num_cached_free -= 1

    def _lose(self, block: KVCacheBlock) -> None:
        content = block.content
        assert content is not None, f"{block} is not cached"
        block.content, block.keep_until = None, 0.0
        _drop(self._cached, (content.hash, content.group), block)
        if self._journal is not None and not content.group and (content.hash, 0) not in self._cached:
            self._journal.remove(content.hash)
        if content.token_ids:
            _drop(self._children, (content.parent, content.group, content.token_ids[0]), block)

    def find(self, block_hash: bytes, group: int) -> KVCacheBlock | None:
        """Return a block with this content, in use or free; None if there is none."""
        found = self._cached.get((block_hash, group))
        return next(iter(found.values())) if found else None

    def find_all(self, block_hash: bytes, group: int) -> Iterable[KVCacheBlock]:
        """Return all blocks with this content."""
        return self._cached.get((block_hash, group), {}).values()

    def find_beginning(self, parent: bytes, group: int, token_ids: Sequence[int]) -> list[tuple[int, KVCacheBlock]]:
        """Return (k, block) for blocks after `parent` whose first k >= 1 tokens match `token_ids`, longest first."""
        if not token_ids:
            return []
        blocks = self._children.get((parent, group, token_ids[0]), {}).values()
        matches = []
        for block, _ in zip(blocks, range(_MOST_BEGINNINGS), strict=False):
            assert block.content is not None
            matches.append((_common(block.content.token_ids, token_ids), block))
        return sorted(matches, key=lambda match: -match[0])

    def forget_all(self) -> None:
        """Unregister all blocks."""
        for found in list(self._cached.values()):
            for block in list(found.values()):
                self.forget(block)

    def check(self) -> None:
        """Assert the invariants."""
        self._free.check()
        queued = list(self._free)
        free = {block.block_id for block in queued}
        assert len(free) == len(self._free)
        if self._vacant is not None:
            self._vacant.check()
            vacant = {block.block_id for block in self.blocks[1:] if self._is_vacant(block.block_id)}
            assert len(vacant) == len(self._vacant_ids) and not free & vacant
            assert all(self.blocks[block_id].content is None for block_id in vacant)
            free |= vacant
        assert 0 not in free and self.null_block.ref_count == 0, "the null block was handed out"
        assert self.null_block.content is None, "the null block is cached"
        wrong = [block for block in self.blocks[1:] if (block.ref_count == 0) != (block.block_id in free)]
        assert not wrong, f"{wrong[0]} is neither free nor owned, or both"
        assert self.num_cached_free == len([block for block in queued if block.content is not None])
        cached = {block.block_id: block.content for block in self.blocks if block.content is not None}
        with_tokens = [block_id for block_id, content in cached.items() if content.token_ids]
        for index, expected in ((self._cached, list(cached)), (self._children, with_tokens)):
            listed = [block.block_id for found in index.values() for block in found.values()]
            assert sorted(listed) == sorted(expected) and all(index.values())
        if self._journal is not None:
            assert set(self._journal.since("", 0).added) == {each for each, group in self._cached if not group}
        for (block_hash, group), found in self._cached.items():
            assert all(b.content and (b.content.hash, b.content.group) == (block_hash, group) for b in found.values())


# Neighbours that may lie in one page with a block, in the smallest tensor: one head's float32 scales of 16 tokens.
_MOST_SHARING = 64
# Bounds a lookup when thousands of prompts share a beginning that ends inside a block (one system prompt).
_MOST_BEGINNINGS = 64


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the length of the common prefix."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _drop(index: dict, key: object, block: KVCacheBlock) -> None:  # type: ignore[type-arg]
    found = index[key]
    del found[block.block_id]
    if not found:
        del index[key]

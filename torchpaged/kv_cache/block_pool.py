"""The pool of blocks: hands them out, counts their owners, finds them by content. Knows nothing of requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from torchpaged.kv_cache.block import BlockContent, EvictionPolicy, FreeBlockQueue, KVCacheBlock


class BlockPool:
    """`num_blocks` blocks, of which block 0 is the null block: never handed out, padding points at it.

    A block keeps its content when it becomes free and can be found until it is handed out again. Blocks with equal
    content are not merged: tables that the device reads never change behind a request's back.

    Invariants: a block other than the null block is either free with a count of 0, or has a count of 1 or more;
    the indexes hold exactly the blocks that have content; the null block has none.

    Args:
        num_blocks: the null block included.
        eviction_policy: makes the keeper of free blocks.
        may_be_empty: whether a pool of the null block alone is good for something.

    Raises:
        ValueError: no block to use.
    """

    def __init__(
        self,
        num_blocks: int,
        eviction_policy: Callable[[], EvictionPolicy] = FreeBlockQueue,
        *,
        may_be_empty: bool = False,
    ) -> None:
        if num_blocks < 2 - may_be_empty:
            raise ValueError(f"num_blocks is {num_blocks}, expected at least 2: the null block and one to use")
        self.blocks = [KVCacheBlock(i) for i in range(num_blocks)]
        self.null_block = self.blocks[0]
        self.num_evictions = 0
        self._eviction_policy = eviction_policy
        self._begin()

    def _begin(self) -> None:
        """All blocks are free and hold nothing."""
        self.num_cached_free = 0  # free blocks that can still be found
        self._free = self._eviction_policy()
        for block in reversed(self.blocks[1:]):
            self._free.push(block)
        self._cached: dict[tuple[bytes, int], dict[int, KVCacheBlock]] = {}
        # By parent, group and first token: blocks whose beginning may match the rest of a prompt.
        self._children: dict[tuple[bytes, int, int], dict[int, KVCacheBlock]] = {}

    @property
    def num_usable(self) -> int:
        """Blocks that can ever be handed out."""
        return len(self.blocks) - 1

    @property
    def num_free(self) -> int:
        """Blocks that can be handed out now."""
        return len(self._free)

    @property
    def num_cached(self) -> int:
        """Blocks that can be found by their content, in use or free."""
        return sum(len(found) for found in self._cached.values())

    def free_blocks(self) -> Iterator[KVCacheBlock]:
        """In the order of the eviction policy."""
        return iter(self._free)

    def allocate(self, count: int) -> list[KVCacheBlock] | None:
        """`count` blocks with one owner each; None when there are not as many, and then nothing changes."""
        if count > len(self._free):
            return None
        taken = [self._free.pop() for _ in range(count)]
        for block in taken:
            if block.content is not None:
                self._lose(block)
                self.num_cached_free -= 1
                self.num_evictions += 1
            block.ref_count = 1
        return taken

    def share(self, blocks: Iterable[KVCacheBlock]) -> None:
        """One more owner for each block; one that was free is taken out of the queue."""
        for block in blocks:
            if block is self.null_block:
                continue
            if block.ref_count == 0:
                self._free.remove(block)
                self.num_cached_free -= block.content is not None
            block.ref_count += 1

    def restore(self, tables: Iterable[Sequence[KVCacheBlock]]) -> None:
        """Begins anew, whatever state the blocks are in: the tables' keep what they hold, all others are free."""
        held = [block for table in tables for block in table if block is not self.null_block]
        contents = {block.block_id: block.content for block in held}
        for block in self.blocks:
            block.ref_count, block.content, block.previous, block.next = 0, None, None, None
        self._begin()
        self.share(held)
        for block in dict.fromkeys(held):
            if (content := contents[block.block_id]) is not None:
                self.remember(block, content)

    def release(self, blocks: Sequence[KVCacheBlock]) -> None:
        """One owner less for each block of a table. The tail is freed first, so that a prefix lives longest."""
        for block in reversed(blocks):
            if block is self.null_block:
                continue
            assert block.ref_count > 0, f"{block} is freed more often than it was taken"
            block.ref_count -= 1
            if block.ref_count == 0:
                self._free.push(block)
                self.num_cached_free += block.content is not None

    def remember(self, block: KVCacheBlock, content: BlockContent) -> None:
        """From now on the block, full and in use, is found by its content."""
        assert block.content is None and block.ref_count > 0, f"{block} is cached already, or free"
        block.content = content
        self._cached.setdefault((content.hash, content.group), {})[block.block_id] = block
        if content.token_ids:
            child = (content.parent, content.group, content.token_ids[0])
            self._children.setdefault(child, {})[block.block_id] = block

    def forget(self, block: KVCacheBlock) -> None:
        """The block is not found any more; its owners keep it."""
        if block.ref_count:
            self._lose(block)
            return
        # Its place in the queue depends on whether it holds something.
        self._free.remove(block)
        self._lose(block)
        self._free.push(block)
        self.num_cached_free -= 1

    def _lose(self, block: KVCacheBlock) -> None:
        content = block.content
        assert content is not None, f"{block} is not cached"
        block.content = None
        _drop(self._cached, (content.hash, content.group), block)
        if content.token_ids:
            _drop(self._children, (content.parent, content.group, content.token_ids[0]), block)

    def find(self, block_hash: bytes, group: int) -> KVCacheBlock | None:
        """A block of this content, in use or free; None when there is none."""
        found = self._cached.get((block_hash, group))
        return next(iter(found.values())) if found else None

    def find_all(self, block_hash: bytes, group: int) -> Iterable[KVCacheBlock]:
        """Every block of this content."""
        return self._cached.get((block_hash, group), {}).values()

    def find_beginning(self, parent: bytes, group: int, token_ids: Sequence[int]) -> list[tuple[int, KVCacheBlock]]:
        """(k, block) for blocks after `parent` whose first k >= 1 tokens are those of `token_ids`, longest first."""
        if not token_ids:
            return []
        blocks = self._children.get((parent, group, token_ids[0]), {}).values()
        matches = []
        for block, _ in zip(blocks, range(_MOST_BEGINNINGS), strict=False):
            assert block.content is not None
            matches.append((_common(block.content.token_ids, token_ids), block))
        return sorted(matches, key=lambda match: -match[0])

    def forget_all(self) -> None:
        """No block is found any more."""
        for found in list(self._cached.values()):
            for block in list(found.values()):
                self.forget(block)

    def check(self) -> None:
        """Asserts the invariants."""
        self._free.check()
        free = {block.block_id for block in self._free}
        assert len(free) == len(self._free)
        assert 0 not in free and self.null_block.ref_count == 0, "the null block was handed out"
        assert self.null_block.content is None, "the null block is cached"
        for block in self.blocks[1:]:
            assert (block.ref_count == 0) == (block.block_id in free), f"{block} is neither free nor owned, or both"
        assert self.num_cached_free == sum(block.content is not None for block in self._free)
        cached = {block.block_id: block.content for block in self.blocks if block.content is not None}
        with_tokens = [block_id for block_id, content in cached.items() if content.token_ids]
        for index, expected in ((self._cached, list(cached)), (self._children, with_tokens)):
            listed = [block.block_id for found in index.values() for block in found.values()]
            assert sorted(listed) == sorted(expected) and all(index.values())
        for (block_hash, group), found in self._cached.items():
            assert all(b.content and (b.content.hash, b.content.group) == (block_hash, group) for b in found.values())


# Prompts that begin alike by the thousand (one system prompt's last words) must not make each lookup long.
_MOST_BEGINNINGS = 64


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many first tokens are equal."""
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

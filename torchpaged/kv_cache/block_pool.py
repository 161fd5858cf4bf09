"""The pool of blocks: hands them out, counts their owners, takes them back. Knows nothing of requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torchpaged.kv_cache.block import FreeBlockQueue, KVCacheBlock


class BlockPool:
    """`num_blocks` blocks, of which block 0 is the null block: never handed out, padding points at it.

    Invariants: a block other than the null block is either in the free queue with a count of 0, or out of
    it with a count of 1 or more.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 2:
            raise ValueError(f"num_blocks is {num_blocks}, expected at least 2: the null block and one to use")
        self.blocks = [KVCacheBlock(i) for i in range(num_blocks)]
        self.null_block = self.blocks[0]
        self._free = FreeBlockQueue(self.blocks[1:])

    @property
    def num_usable(self) -> int:
        """Blocks that can ever be handed out."""
        return len(self.blocks) - 1

    @property
    def num_free(self) -> int:
        """Blocks that can be handed out now."""
        return len(self._free)

    def allocate(self, count: int) -> list[KVCacheBlock] | None:
        """`count` blocks with one owner each; None when there are not as many, and then nothing changes."""
        if count > len(self._free):
            return None
        taken = [self._free.popleft() for _ in range(count)]
        for block in taken:
            block.ref_count = 1
        return taken

    def share(self, blocks: Iterable[KVCacheBlock]) -> None:
        """One more owner for each block; one that was free is taken out of the queue."""
        for block in blocks:
            if block is self.null_block:
                continue
            if block.ref_count == 0:
                self._free.remove(block)
            block.ref_count += 1

    def release(self, blocks: Sequence[KVCacheBlock]) -> None:
        """One owner less for each block of a table. The tail is freed first, so that a prefix lives longest."""
        for block in reversed(blocks):
            if block is self.null_block:
                continue
            assert block.ref_count > 0, f"{block} is freed more often than it was taken"
            block.ref_count -= 1
            if block.ref_count == 0:
                self._free.append(block)

    def check(self) -> None:
        """Asserts the invariants."""
        self._free.check()
        free = {block.block_id for block in self._free}
        assert 0 not in free and self.null_block.ref_count == 0, "the null block was handed out"
        for block in self.blocks[1:]:
            assert (block.ref_count == 0) == (block.block_id in free), f"{block} is neither free nor owned, or both"

"""PendingBlocks: blocks that the prefix cache can already find, but whose step has not run yet."""

from __future__ import annotations

from collections.abc import Hashable

from torchpaged.kv_cache.block import KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool


class PendingBlocks:
    """Blocks that the step being scheduled will fill, so that two sequences of one step can share them.

    `commit` is called when the step has run. If it fails, or the sequence that would have written a block is gone,
    the block's content is forgotten.

    Args:
        pool: the pool of the blocks.
    """

    def __init__(self, pool: BlockPool) -> None:
        self._pool = pool
        self._blocks: dict[Hashable, list[KVCacheBlock]] = {}
        self._ids: set[int] = set()

    def __contains__(self, block: KVCacheBlock) -> bool:
        """True if the block is not written yet."""
        return block.block_id in self._ids

    def add(self, owner: Hashable, block: KVCacheBlock) -> None:
        """Note a block that can be found from now on and that sequence `owner` will fill."""
        self._blocks.setdefault(owner, []).append(block)
        self._ids.add(block.block_id)

    def commit(self) -> None:
        """Note that the step has run: its blocks are written."""
        self._blocks.clear()
        self._ids.clear()

    def revert(self) -> None:
        """Forget the content of all pending blocks: the step has failed."""
        for owner in list(self._blocks):
            self.drop(owner)

    def drop(self, owner: Hashable) -> None:
        """Forget the content of a sequence's pending blocks: it takes no part in the step."""
        for block in self._blocks.pop(owner, ()):
            self._ids.discard(block.block_id)
            if block.content is not None:
                self._pool.forget(block)

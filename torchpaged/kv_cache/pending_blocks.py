"""Promises: blocks that can be found before the step has run that fills them."""

from __future__ import annotations

from collections.abc import Hashable

from torchpaged.kv_cache.block import KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool


class PendingBlocks:
    """Content that a step being scheduled will write, so that two sequences of one step share it.

    Kept when the step has run, broken when it fails or when who was to write it is gone: nobody finds it then.

    Args:
        pool: where the blocks are found.
    """

    def __init__(self, pool: BlockPool) -> None:
        self._pool = pool
        self._blocks: dict[Hashable, list[KVCacheBlock]] = {}
        self._ids: set[int] = set()

    def __contains__(self, block: KVCacheBlock) -> bool:
        """Whether a block is not written yet."""
        return block.block_id in self._ids

    def add(self, owner: Hashable, block: KVCacheBlock) -> None:
        """A block that can be found from now on, and that a sequence's part of the step fills."""
        self._blocks.setdefault(owner, []).append(block)
        self._ids.add(block.block_id)

    def keep(self) -> None:
        """The step has run."""
        self._blocks.clear()
        self._ids.clear()

    def break_all(self) -> None:
        """The step has failed."""
        for owner in list(self._blocks):
            self.break_of(owner)

    def break_of(self, owner: Hashable) -> None:
        """A sequence takes no part in the step."""
        for block in self._blocks.pop(owner, ()):
            self._ids.discard(block.block_id)
            if block.content is not None:
                self._pool.forget(block)

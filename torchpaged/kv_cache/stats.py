"""KVCacheStats: the state of the pool in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KVCacheStats:
    """Blocks of the pool, the null block not counted, and tokens in them.

    Args:
        num_blocks: that can be handed out at all.
        num_free_blocks: that can be handed out now; `num_cached_blocks` of them can still be found by content.
        num_pinned_blocks: held by pinned prefixes.
        block_size: tokens in a block.
        num_tokens: in blocks that are in use, each block counted once however many share it.
        num_queried_tokens, num_hit_tokens: of admitted requests, and how many of them the cache had.
        num_evictions: cached blocks whose content was given up for another's.
        num_swap_blocks, num_free_swap_blocks: of the host pool.
        num_swapped_out, num_swapped_in: blocks moved, and slots.
        num_state_slots, num_tail_slots: of recurrent layers' states and tails; 0 where there are none.
        num_free_state_slots, num_free_tail_slots: that can be handed out now; `num_cached_state_slots` of the states'
            can still be found by content.
        num_pinned_state_slots: held by pinned prefixes.
    """

    num_blocks: int
    num_free_blocks: int
    num_cached_blocks: int
    num_pinned_blocks: int
    block_size: int
    num_tokens: int
    num_queried_tokens: int
    num_hit_tokens: int
    num_evictions: int
    num_swap_blocks: int
    num_free_swap_blocks: int
    num_swapped_out: int
    num_swapped_in: int
    num_state_slots: int = 0
    num_free_state_slots: int = 0
    num_cached_state_slots: int = 0
    num_pinned_state_slots: int = 0
    num_tail_slots: int = 0
    num_free_tail_slots: int = 0

    @property
    def num_used_blocks(self) -> int:
        """Blocks that some request, or a pin, holds."""
        return self.num_blocks - self.num_free_blocks

    @property
    def waste(self) -> float:
        """Share of the slots in used blocks that no token fills, 0 to 1."""
        slots = self.num_used_blocks * self.block_size
        return 1.0 - self.num_tokens / slots if slots else 0.0

    @property
    def hit_rate(self) -> float:
        """Share of the admitted requests' tokens that the cache had, 0 to 1."""
        return self.num_hit_tokens / self.num_queried_tokens if self.num_queried_tokens else 0.0

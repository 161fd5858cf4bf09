"""KVCacheManager: tables, exact block counts, and None that changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup, KVCacheManager


@dataclass
class Holder:
    """What the manager reads of a request."""

    request_id: str
    num_computed_tokens: int = 0


def manager(num_blocks: int, *block_sizes: int) -> KVCacheManager:
    groups = [KVCacheGroup(FullAttentionSpec(size), (i,)) for i, size in enumerate(block_sizes)]
    return KVCacheManager(groups, num_blocks)


def grow(blocks: KVCacheManager, holder: Holder, count: int) -> tuple[list[int], ...] | None:
    """Allocates, and computes when there was room."""
    added = blocks.allocate_slots(holder, count)
    if added is not None:
        holder.num_computed_tokens += count
    blocks.check()
    return added


@pytest.mark.parametrize(("num_tokens", "expected"), [(0, 0), (1, 1), (15, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
def test_blocks_of_a_sequence(num_tokens: int, expected: int) -> None:
    assert FullAttentionSpec(16).num_blocks(num_tokens) == expected


def test_a_spec_needs_tokens() -> None:
    with pytest.raises(ValueError, match="block_size is 0, expected 1 or more"):
        FullAttentionSpec(0)


def test_no_group() -> None:
    with pytest.raises(ValueError, match="groups is empty"):
        KVCacheManager([], 8)


def test_scenario_1_growth() -> None:
    blocks, holder = manager(10, 16), Holder("a")
    assert grow(blocks, holder, 55) == ([1, 2, 3, 4],)
    assert grow(blocks, holder, 4) == ([],)
    assert grow(blocks, holder, 19) == ([5],)
    assert blocks.block_ids(holder) == ([1, 2, 3, 4, 5],)
    assert blocks.stats().num_used_blocks == 5


def test_scenario_4_a_full_pool() -> None:
    blocks, first, second = manager(5, 4), Holder("a"), Holder("b")
    assert grow(blocks, first, 10) == ([1, 2, 3],)
    blocks.free(first)
    blocks.check()
    assert blocks.stats().num_free_blocks == 4
    added = grow(blocks, second, 16)
    assert added is not None and sorted(added[0]) == [1, 2, 3, 4]
    before = blocks.block_ids(second), blocks.stats()
    assert grow(blocks, second, 4) is None
    assert (blocks.block_ids(second), blocks.stats()) == before


def test_no_room_for_a_newcomer_leaves_no_trace() -> None:
    blocks, first, second = manager(4, 4), Holder("a"), Holder("b")
    grow(blocks, first, 9)
    assert grow(blocks, second, 1) is None
    assert blocks.block_ids(second) == ([],)
    blocks.free(second)
    blocks.check()
    assert blocks.stats().num_used_blocks == 3


def test_a_step_tried_again_takes_nothing_more() -> None:
    """A forward that failed: the tokens are not computed, the blocks are there."""
    blocks, holder = manager(8, 4), Holder("a")
    assert blocks.allocate_slots(holder, 10) == ([1, 2, 3],)
    assert blocks.allocate_slots(holder, 10) == ([],)
    assert blocks.allocate_slots(holder, 3) == ([],)
    blocks.check()
    assert blocks.stats().num_tokens == 10


def test_freeing_a_stranger_and_freeing_twice() -> None:
    blocks, holder = manager(4, 4), Holder("a")
    blocks.free(holder)
    grow(blocks, holder, 5)
    blocks.free(holder)
    blocks.free(holder)
    blocks.check()
    assert blocks.stats().num_free_blocks == 3 and blocks.block_ids(holder) == ([],)


@pytest.mark.parametrize("count", [0, -3])
def test_no_new_tokens(count: int) -> None:
    with pytest.raises(ValueError, match=f"num_new_tokens is {count}, expected 1 or more"):
        manager(4, 4).allocate_slots(Holder("a"), count)


def test_groups_have_tables_of_their_own() -> None:
    blocks, holder = manager(8, 4, 2), Holder("a")  # 7 blocks to use
    assert grow(blocks, holder, 5) == ([1, 2], [3, 4, 5])
    assert grow(blocks, holder, 3) == ([], [6])
    before = blocks.stats()
    assert grow(blocks, holder, 1) is None  # one block is free, two are needed
    assert blocks.stats() == before
    blocks.free(holder)
    blocks.check()
    assert blocks.stats().num_free_blocks == 7


def test_the_longest_sequence() -> None:
    assert manager(5, 4).max_tokens == 16
    assert manager(8, 4, 2).max_tokens == 6  # three blocks each
    blocks = manager(5, 4)
    assert grow(blocks, Holder("a"), 16) is not None


def test_stats_count_waste() -> None:
    blocks, holder = manager(9, 4), Holder("a")
    assert blocks.stats().waste == 0.0
    grow(blocks, holder, 5)
    stats = blocks.stats()
    assert (stats.num_blocks, stats.num_free_blocks, stats.num_used_blocks) == (8, 6, 2)
    assert (stats.block_size, stats.num_tokens, stats.waste) == (4, 5, 0.375)


def test_check_sees_a_table_that_shares_without_counting() -> None:
    blocks, first, second = manager(8, 4), Holder("a"), Holder("b")
    grow(blocks, first, 4)
    grow(blocks, second, 4)
    blocks._tables["b"][0][0] = blocks._tables["a"][0][0]
    with pytest.raises(AssertionError, match="stands in"):
        blocks.check()

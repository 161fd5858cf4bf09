"""KVCacheManager: tables, exact block counts, prefix hits, forks and swaps, and None that changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from torchpaged.kv_cache import (
    BlockCopy,
    CacheKeys,
    ChunkedLocalAttentionSpec,
    CopyDirection,
    FreeBlockQueue,
    FullAttentionSpec,
    KVCacheBlock,
    KVCacheGroup,
    KVCacheManager,
    KVCacheSpec,
    MultimodalKey,
    SlidingWindowSpec,
)


@dataclass
class Holder:
    """Request as the manager reads it."""

    id: str
    num_computed_tokens: int = 0
    token_ids: list[int] = field(default_factory=lambda: list(range(1000)))
    cache_keys: CacheKeys = field(default_factory=CacheKeys)
    num_encoder_tokens: int = 0
    prompt_len: int = 0

    @property
    def num_prompt_tokens(self) -> int:
        """Return `prompt_len`, or the number of all tokens if it is 0."""
        return self.prompt_len or len(self.token_ids)


def manager(num_blocks: int, *specs: int | KVCacheSpec, caching: bool = False, swap: int = 0) -> KVCacheManager:
    """Return a manager with a group per spec; a number stands for full attention with that block size."""
    groups = [
        KVCacheGroup(FullAttentionSpec(spec) if isinstance(spec, int) else spec, (i,)) for i, spec in enumerate(specs)
    ]
    return KVCacheManager(groups, num_blocks, enable_prefix_caching=caching, num_swap_blocks=swap)


def grow(blocks: KVCacheManager, holder: Holder, count: int) -> tuple[list[int], ...] | None:
    """Allocate slots, and count the tokens as computed if there was room."""
    added = blocks.allocate_slots(holder, count)
    if added is not None:
        holder.num_computed_tokens += count
        blocks.commit()
    blocks.check()
    return added


def admit(blocks: KVCacheManager, holder: Holder, limit: int | None = None) -> int:
    """Look a prompt up, compute the rest, and return how many tokens were found."""
    computed, found = blocks.get_computed_blocks(holder, limit)
    assert computed.num_tokens == found
    count = len(holder.token_ids) - found
    if blocks.allocate_slots(holder, count, computed=computed) is None:
        raise AssertionError("no room")
    holder.num_computed_tokens = found + count
    blocks.commit()
    blocks.check()
    return found


def prompt(name: str, length: int, start: int = 0, **keys: str) -> Holder:
    return Holder(name, token_ids=list(range(start, start + length)), cache_keys=CacheKeys(**keys))  # type: ignore[arg-type]


def free(blocks: KVCacheManager, *holders: Holder) -> None:
    for holder in holders:
        blocks.free(holder)
        blocks.check()


# --- Growth -----------------------------------------------------------------------------------------------


def test_a_spec_needs_tokens() -> None:
    with pytest.raises(ValueError, match="block_size is 0, expected 1 or more"):
        FullAttentionSpec(0)
    with pytest.raises(ValueError, match="sliding_window is 0, expected 1 or more"):
        SlidingWindowSpec(4, 0)
    with pytest.raises(ValueError, match="chunk_size is 10, expected a multiple of block_size, 4"):
        ChunkedLocalAttentionSpec(4, 10)


def test_no_group_and_groups_of_two_sizes() -> None:
    with pytest.raises(ValueError, match="groups is empty"):
        KVCacheManager([], 8)
    with pytest.raises(ValueError, match=r"block sizes \[2, 4\], expected one"):
        manager(8, 4, 2)


def test_scenario_1_growth() -> None:
    blocks, holder = manager(10, 16, caching=True), Holder("a")
    assert grow(blocks, holder, 55) == ([1, 2, 3, 4],)
    assert blocks.pool.num_cached == 3
    assert grow(blocks, holder, 4) == ([],)
    assert grow(blocks, holder, 19) == ([5],)
    assert blocks.block_ids(holder) == ([1, 2, 3, 4, 5],)
    assert blocks.stats().num_used_blocks == 5
    assert [blocks.pool.blocks[i].content is not None for i in range(1, 6)] == [True] * 4 + [False]


def test_scenario_4_a_full_pool() -> None:
    blocks, first, second = manager(5, 4), Holder("a"), Holder("b")
    assert grow(blocks, first, 10) == ([1, 2, 3],)
    free(blocks, first)
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
    free(blocks, second)
    assert blocks.stats().num_used_blocks == 3


def test_a_step_tried_again_takes_nothing_more() -> None:
    """After a failed forward its tokens are not computed, but the blocks are allocated."""
    blocks, holder = manager(8, 4), Holder("a")
    assert blocks.allocate_slots(holder, 10) == ([1, 2, 3],)
    assert blocks.allocate_slots(holder, 10) == ([],)
    assert blocks.allocate_slots(holder, 3) == ([],)
    blocks.check()
    assert blocks.stats().num_tokens == 10


def test_lookahead_slots_are_granted_and_not_hashed() -> None:
    blocks, holder = manager(8, 4, caching=True), Holder("a")
    assert blocks.allocate_slots(holder, 3, num_lookahead_tokens=6) == ([1, 2, 3],)
    assert blocks.pool.num_cached == 0
    holder.num_computed_tokens = 3
    assert blocks.allocate_slots(holder, 1, num_lookahead_tokens=4) == ([],)
    assert blocks.pool.num_cached == 1
    blocks.check()


def test_reserved_blocks_stay_free() -> None:
    blocks, holder = manager(5, 4), Holder("a")
    assert blocks.allocate_slots(holder, 9, num_reserved_blocks=2) is None
    assert blocks.allocate_slots(holder, 8, num_reserved_blocks=2) == ([1, 2],)


def test_freeing_a_stranger_and_freeing_twice() -> None:
    blocks, holder = manager(4, 4), Holder("a")
    free(blocks, holder)
    grow(blocks, holder, 5)
    free(blocks, holder, holder)
    assert blocks.stats().num_free_blocks == 3 and blocks.block_ids(holder) == ([],)


@pytest.mark.parametrize("count", [0, -3])
def test_no_new_tokens(count: int) -> None:
    with pytest.raises(ValueError, match=f"num_new_tokens is {count}, expected 1 or more"):
        manager(4, 4).allocate_slots(Holder("a"), count)


@pytest.mark.parametrize(
    ("specs", "step", "expected"),
    [
        pytest.param([4], None, 16, id="full"),
        pytest.param([4, 4], None, 8, id="two-full"),
        pytest.param([SlidingWindowSpec(4, 5)], 4, 2**40, id="window-is-no-limit-on-its-own"),
        pytest.param([SlidingWindowSpec(4, 50)], 4, 16, id="window-that-does-not-fit"),
        pytest.param([4, SlidingWindowSpec(4, 1)], 1, 12, id="full-and-window"),
    ],
)
def test_the_longest_sequence(specs: Sequence[int | KVCacheSpec], step: int | None, expected: int) -> None:
    blocks = manager(5, *specs)
    assert blocks.max_tokens(step) == expected
    holder = Holder("a")
    for _ in range(min(expected, 100) // (step or expected)):
        assert grow(blocks, holder, step or expected) is not None


def test_stats_count_waste() -> None:
    blocks, holder = manager(9, 4), Holder("a")
    assert blocks.stats().waste == 0.0
    grow(blocks, holder, 5)
    stats = blocks.stats()
    assert (stats.num_blocks, stats.num_free_blocks, stats.num_used_blocks) == (8, 6, 2)
    assert (stats.block_size, stats.num_tokens, stats.waste) == (4, 5, 0.375)
    child = Holder("b")
    blocks.fork(holder, child)
    assert blocks.stats() == stats  # a shared block is counted once


def test_check_sees_a_table_that_shares_without_counting() -> None:
    blocks, first, second = manager(8, 4), Holder("a"), Holder("b")
    grow(blocks, first, 4)
    grow(blocks, second, 4)
    blocks._held["b"].tables[0][0] = blocks._held["a"].tables[0][0]
    with pytest.raises(AssertionError, match="stands in"):
        blocks.check()


# --- Prefix caching ---------------------------------------------------------------------------------------


def test_scenario_2_a_new_owner_ends_a_hash() -> None:
    blocks = manager(2, 16, caching=True)
    first = prompt("a", 17)
    first.token_ids = first.token_ids[:16]
    grow(blocks, first, 16)
    free(blocks, first)
    assert blocks.get_computed_blocks(prompt("b", 17))[1] == 16
    other = prompt("c", 15, start=500)
    admit(blocks, other)
    assert blocks.get_computed_blocks(prompt("b", 17))[1] == 0
    assert blocks.stats().num_evictions == 1


def test_scenario_3_a_hit_is_not_evicted_for_its_own_rest() -> None:
    blocks = manager(3, 16, caching=True)
    one, two = prompt("a", 16), prompt("b", 16, start=500)
    for holder in (one, two):
        grow(blocks, holder, 16)
    kept = blocks.block_ids(one)[0]
    free(blocks, one, two)
    third = Holder("c", token_ids=[*range(16), *range(700, 716)])
    assert admit(blocks, third) == 16
    assert blocks.block_ids(third)[0][0] == kept[0]
    assert blocks.get_computed_blocks(prompt("d", 17, start=500))[1] == 0
    assert blocks.stats().num_evictions == 1


def test_scenario_5_salt() -> None:
    blocks = manager(20, 16, caching=True)
    admit(blocks, prompt("a", 49, salt="x"))
    assert blocks.get_computed_blocks(prompt("b", 49, salt="x"))[1] == 48
    assert blocks.get_computed_blocks(prompt("c", 49, salt="y"))[1] == 0
    assert blocks.get_computed_blocks(prompt("d", 49))[1] == 0
    assert blocks.get_computed_blocks(prompt("e", 49, salt="x", lora="l"))[1] == 0


def test_an_image_in_the_prompt_is_part_of_its_hash() -> None:
    blocks = manager(20, 4, caching=True)

    def with_image(name: str, content: str) -> Holder:
        keys = CacheKeys(multimodal=(MultimodalKey(5, 3, content),))
        return Holder(name, token_ids=list(range(13)), cache_keys=keys)

    admit(blocks, with_image("a", "cat"))
    assert blocks.get_computed_blocks(with_image("b", "cat"))[1] == 12
    assert blocks.get_computed_blocks(with_image("c", "dog"))[1] == 4  # the block before the image
    assert blocks.get_computed_blocks(prompt("d", 13))[1] == 4


def test_scenario_6_two_blocks_of_one_hash() -> None:
    blocks = manager(4, 16, caching=True)
    one, two = prompt("a", 16), prompt("b", 16)
    empty, _ = blocks.get_computed_blocks(prompt("x", 1))
    for holder in (one, two):  # both lookups before either is scheduled
        blocks.allocate_slots(holder, 16, computed=empty)
        holder.num_computed_tokens = 16
    blocks.commit()
    free(blocks, one, two)
    assert blocks.pool.num_cached == 2
    admit(blocks, prompt("c", 20, start=500))  # the free block and one of the two
    assert blocks.pool.num_cached == 2  # the other, and c's first
    assert blocks.get_computed_blocks(prompt("d", 17))[1] == 16


def test_scenario_7_the_last_token_is_computed() -> None:
    blocks = manager(10, 16, caching=True)
    first, second = prompt("a", 48), prompt("b", 48)
    assert admit(blocks, first) == 0
    computed, found = blocks.get_computed_blocks(second)
    assert found == 47
    added = blocks.allocate_slots(second, 1, computed=computed)
    assert added == ([1, 2, 4],)
    # The third block is copied, since its last slot is written again.
    assert blocks.take_copies() == [BlockCopy(3, 4)]
    blocks.check()


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        pytest.param([*range(16), *range(16, 20), 900, 901], 20, id="four-tokens-of-the-second-block"),
        pytest.param([*range(16), 900, 901], 16, id="none"),
        pytest.param([*range(31)], 30, id="all-but-the-last"),
        pytest.param([*range(5), 900], 5, id="of-the-first-block"),
        pytest.param([0], 0, id="one-token"),
    ],
)
def test_part_of_a_block_is_copied(tokens: list[int], expected: int) -> None:
    blocks = manager(10, 16, caching=True)
    admit(blocks, prompt("a", 32))
    second = Holder("b", token_ids=tokens)
    assert admit(blocks, second) == expected
    copies = blocks.take_copies()
    assert len(copies) == (expected % 16 > 0)
    if copies:
        assert copies[0].source == expected // 16 + 1
        assert copies[0].destination == blocks.block_ids(second)[0][expected // 16]
    assert blocks.pool.blocks[1].ref_count == 1 + (expected >= 16)


def test_part_of_a_block_that_the_step_itself_computes_is_not_copied() -> None:
    """Copies run before the forward, when the block is still empty. Whole blocks are shared, not copied."""
    blocks = manager(10, 16, caching=True)
    first, second = prompt("a", 32), Holder("b", token_ids=[*range(20), 900])
    blocks.allocate_slots(first, 32)
    assert blocks.get_computed_blocks(second)[1] == 16
    blocks.commit()
    assert blocks.get_computed_blocks(second)[1] == 20


def test_a_limit_on_what_may_be_found() -> None:
    blocks = manager(10, 16, caching=True)
    admit(blocks, prompt("a", 48))
    for limit, expected in ((0, 0), (15, 15), (16, 16), (40, 40), (99, 47)):
        assert blocks.get_computed_blocks(prompt("b", 48), limit)[1] == expected


def test_a_step_that_fails_takes_its_hashes_back() -> None:
    blocks = manager(10, 16, caching=True)
    first = prompt("a", 40)
    grow(blocks, first, 16)
    blocks.allocate_slots(first, 24)
    assert blocks.pool.num_cached == 2
    blocks.revert()
    blocks.check()
    assert blocks.get_computed_blocks(prompt("b", 40))[1] == 16
    assert blocks.allocate_slots(first, 24) == ([],)  # tried again
    blocks.commit()
    assert blocks.get_computed_blocks(prompt("b", 40))[1] == 32


def test_a_step_that_fails_hides_no_block_of_a_sequence_that_took_no_part_in_it() -> None:
    """A block whose last token was pending is computed, and is registered only in the sequence's next step."""
    blocks = manager(10, 16, caching=True)
    first = prompt("a", 31)
    grow(blocks, first, 31)
    grow(blocks, first, 1)
    first.token_ids.append(31)
    blocks.allocate_slots(prompt("other", 20, start=500), 20)
    blocks.revert()
    grow(blocks, first, 1)
    assert blocks.get_computed_blocks(prompt("b", 40))[1] == 32


def test_a_step_that_fails_brings_no_forgotten_block_back() -> None:
    blocks = manager(10, 16, caching=True)
    first = prompt("a", 40)
    grow(blocks, first, 32)
    blocks.pin("pin", first)
    blocks.unpin("pin", forget=True)
    blocks.allocate_slots(first, 1)
    blocks.revert()
    grow(blocks, first, 8)
    blocks.free(first)
    assert blocks.get_computed_blocks(prompt("b", 40))[1] == 0


def test_a_request_that_ends_before_its_step_ran_leaves_nothing_to_find() -> None:
    blocks = manager(10, 16, caching=True)
    first = prompt("a", 32)
    blocks.allocate_slots(first, 32)
    free(blocks, first)
    assert blocks.pool.num_cached == 0


def test_what_is_not_to_be_trusted_is_forgotten() -> None:
    blocks = manager(10, 16, caching=True)
    first = prompt("a", 32)
    admit(blocks, first)
    blocks.free(first, forget=True)
    blocks.check()
    assert blocks.pool.num_cached == 0


def test_eviction_takes_unhashed_blocks_first_then_a_tail() -> None:
    blocks = manager(8, 4, caching=True)
    holder = prompt("a", 14)  # three full blocks and one that is not
    admit(blocks, holder)
    free(blocks, holder)
    order = [block.block_id for block in blocks.pool.free_blocks()]
    assert order == [4, 5, 6, 7, 3, 2, 1]


def test_an_eviction_policy_of_ones_own() -> None:
    class Newest(FreeBlockQueue):
        """Eviction policy that evicts the most recently used block first."""

        def push(self, block: KVCacheBlock) -> None:
            self.appendleft(block)

    group = KVCacheGroup(FullAttentionSpec(4), (0,))
    blocks = KVCacheManager([group], 4, eviction_policy=Newest)
    for name, start in (("a", 0), ("b", 500)):
        holder = prompt(name, 4, start)
        grow(blocks, holder, 4)
        free(blocks, holder)
    assert blocks.stats().num_evictions == 1  # b took a's block though two had never been used
    assert blocks.get_computed_blocks(prompt("c", 5))[1] == 0
    assert blocks.get_computed_blocks(prompt("c", 5, 500))[1] == 4


def test_scenario_12_reset() -> None:
    blocks = manager(10, 16, caching=True)
    holder = prompt("a", 33)
    admit(blocks, holder)
    assert not blocks.reset_prefix_cache()
    assert blocks.get_computed_blocks(prompt("b", 33))[1] == 32
    free(blocks, holder)
    assert blocks.get_computed_blocks(prompt("b", 33))[1] == 32
    assert blocks.reset_prefix_cache()
    assert blocks.get_computed_blocks(prompt("b", 33))[1] == 0
    blocks.check()


def test_hit_rate_counts_admissions_not_lookups() -> None:
    blocks = manager(10, 16, caching=True)
    admit(blocks, prompt("a", 32))
    for _ in range(5):
        blocks.get_computed_blocks(prompt("b", 33))
    admit(blocks, prompt("b", 33))
    stats = blocks.stats()
    assert (stats.num_queried_tokens, stats.num_hit_tokens) == (65, 32)
    assert stats.hit_rate == pytest.approx(32 / 65)


def test_pins() -> None:
    blocks = manager(6, 4, caching=True)
    holder = prompt("a", 9)
    admit(blocks, holder)
    assert blocks.pin("pin", holder) == 8
    free(blocks, holder)
    assert (blocks.stats().num_pinned_blocks, blocks.stats().num_used_blocks, blocks.max_tokens()) == (2, 2, 12)
    admit(blocks, prompt("b", 12, start=500))
    assert blocks.get_computed_blocks(prompt("c", 9))[1] == 8
    assert not blocks.reset_prefix_cache()
    blocks.unpin("pin")
    blocks.check()
    assert blocks.max_tokens() == 20


def test_adopted_blocks_are_found() -> None:
    blocks = manager(12, 4, SlidingWindowSpec(4, 5), caching=True)
    tokens = list(range(12))
    # The window of position 12 begins at 8: the second group needs only the last block.
    assert blocks.adopt("pin", tokens) == ([1, 2, 3], [0, 0, 4])
    assert blocks.pinned_block_ids("pin") == ([1, 2, 3], [0, 0, 4])
    blocks.check()
    assert blocks.get_computed_blocks(prompt("a", 13))[1] == 0  # they are not written yet
    blocks.reveal("pin", tokens, CacheKeys())
    blocks.check()
    assert blocks.get_computed_blocks(prompt("a", 13))[1] == 12
    assert blocks.adopt("other", list(range(500, 560))) is None
    blocks.check()
    blocks.unpin("pin", forget=True)
    blocks.check()
    assert blocks.get_computed_blocks(prompt("b", 13))[1] == 0


# --- Windows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("computed", "released"), [(4, 0), (5, 1), (6, 1), (7, 2), (11, 4)])
def test_scenario_8_blocks_leave_the_window(computed: int, released: int) -> None:
    blocks, holder = manager(20, SlidingWindowSpec(2, 4)), Holder("a")
    grow(blocks, holder, computed)
    blocks.allocate_slots(holder, 1)  # the next step
    table = blocks.block_ids(holder)[0]
    assert [block == 0 for block in table] == [i < released for i in range(len(table))]
    assert len(blocks.take_changes(holder)) == released
    assert blocks.take_changes(holder) == []
    blocks.check()


def test_scenario_9_a_hit_needs_the_window_alone() -> None:
    blocks = manager(40, 16, SlidingWindowSpec(16, 32), caching=True)
    first = prompt("a", 96)
    grow(blocks, first, 80)  # in one step, so that every block of the window group was filled
    grow(blocks, first, 16)
    free(blocks, first)
    second = prompt("b", 97)
    computed, found = blocks.get_computed_blocks(second)
    assert found == 96
    full, window = computed.tables
    assert all(block.block_id for block in full)
    assert [block.block_id == 0 for block in window] == [True] * 4 + [False] * 2
    blocks.pool.forget(window[-1])  # the last block of the window is gone: the prefix ends before it
    assert blocks.get_computed_blocks(second)[1] == 80
    blocks.pool.forget(full[1])
    assert blocks.get_computed_blocks(second)[1] == 16


def test_scenario_25_a_convolution_is_a_narrow_window() -> None:
    blocks = manager(80, 4, SlidingWindowSpec(4, 3), caching=True)
    first = prompt("a", 101)
    grow(blocks, first, 100)
    grow(blocks, first, 1)
    full, rows = blocks.block_ids(first)
    assert all(full) and len(full) == 26
    assert [bool(block) for block in rows] == [False] * 24 + [True] * 2
    free(blocks, first)
    second = prompt("b", 97)
    computed, found = blocks.get_computed_blocks(second)
    assert found == 96
    assert [bool(block.block_id) for block in computed.tables[1]] == [False] * 23 + [True]
    blocks.pool.forget(computed.tables[1][-1])
    assert blocks.get_computed_blocks(second)[1] == 92
    blocks.check()


def test_scenario_25_a_fork_copies_the_last_rows_once() -> None:
    blocks, parent, child = manager(40, 4, SlidingWindowSpec(4, 3)), Holder("a"), Holder("b")
    grow(blocks, parent, 18)
    child.num_computed_tokens = 18
    blocks.fork(parent, child)
    blocks.take_copies()
    grow(blocks, child, 1)
    assert len(blocks.take_copies()) == 2
    grow(blocks, parent, 1)
    assert blocks.take_copies() == []
    blocks.check()


def test_a_chunk_before_the_query_is_given_back() -> None:
    blocks, holder = manager(20, ChunkedLocalAttentionSpec(2, 4)), Holder("a")
    for expected in ([True], [True, True], [True, True], [False, False, True]):
        grow(blocks, holder, 2)
        if holder.num_computed_tokens in (2, 4):
            assert [bool(b) for b in blocks.block_ids(holder)[0]] == expected
    grow(blocks, holder, 1)
    assert [bool(b) for b in blocks.block_ids(holder)[0]] == [False] * 4 + [True]


def test_released_blocks_count_as_room() -> None:
    """A full pool grants a step whose own window frees enough blocks, in any group."""
    blocks, holder = manager(7, 2, SlidingWindowSpec(2, 2)), Holder("a")
    assert grow(blocks, holder, 6) is not None  # three blocks each
    assert blocks.pool.num_free == 0
    assert grow(blocks, holder, 1) is not None
    assert [len(table) for table in blocks.block_ids(holder)] == [4, 4]


def test_quiet_until_the_next_change() -> None:
    def quiet(blocks: KVCacheManager, count: int) -> int:
        holder = Holder("a")
        blocks.allocate_slots(holder, count)
        return blocks.quiet_until(holder)

    assert quiet(manager(20, 4), 5) == 8
    assert quiet(manager(20, 4, caching=True), 5) == 8
    holder, blocks = Holder("a"), manager(20, 4, SlidingWindowSpec(4, 3))
    grow(blocks, holder, 5)
    blocks.allocate_slots(holder, 1)
    # The window of position 6 begins at 4: the first block leaves it with the step that computes 6.
    assert blocks.quiet_until(holder) == 6


# --- Forks ------------------------------------------------------------------------------------------------


def test_scenario_10_fork() -> None:
    blocks = manager(10, 16)
    parent, child = prompt("a", 100), prompt("b", 100)
    grow(blocks, parent, 18)
    blocks.fork(parent, child)
    child.num_computed_tokens = 18
    blocks.check()
    assert blocks.block_ids(parent) == blocks.block_ids(child) == ([1, 2],)
    assert [blocks.pool.blocks[i].ref_count for i in (1, 2)] == [2, 2]
    assert blocks.allocate_slots(child, 1) == ([],)
    assert blocks.take_changes(child) == [(0, 1, 3)]
    assert blocks.take_copies() == [BlockCopy(2, 3)]
    assert (blocks.block_ids(parent), blocks.block_ids(child)) == (([1, 2],), ([1, 3],))
    assert blocks.allocate_slots(parent, 1) == ([],)
    assert blocks.take_copies() == [] and blocks.take_changes(parent) == []
    blocks.check()


def test_a_fork_leaves_out_what_is_not_computed() -> None:
    blocks = manager(10, 4)
    parent, child = Holder("a"), Holder("b")
    grow(blocks, parent, 4)
    blocks.allocate_slots(parent, 6)
    blocks.fork(parent, child)
    child.num_computed_tokens = 4
    assert blocks.block_ids(child) == ([1],)
    blocks.check()


def test_a_copy_that_finds_no_room_changes_nothing() -> None:
    blocks = manager(3, 16)
    parent, child = Holder("a"), Holder("b")
    grow(blocks, parent, 18)
    blocks.fork(parent, child)
    child.num_computed_tokens = 18
    before = blocks.stats()
    assert blocks.allocate_slots(child, 1) is None
    blocks.check()
    assert (blocks.stats(), blocks.take_copies()) == (before, [])


# --- Swap -------------------------------------------------------------------------------------------------


def test_scenario_11_out_and_in_again() -> None:
    blocks = manager(10, 16, swap=8)
    holder = prompt("a", 100)
    grow(blocks, holder, 40)
    copies = blocks.swap_out(holder)
    assert copies == [BlockCopy(i, i, CopyDirection.OUT) for i in (1, 2, 3)]
    blocks.check()
    assert blocks.is_swapped(holder) and blocks.block_ids(holder) == ([],)
    assert (blocks.stats().num_free_blocks, blocks.stats().num_free_swap_blocks) == (9, 5)
    back = blocks.swap_in(holder)
    assert back is not None and [copy.source for copy in back] == [1, 2, 3]
    assert blocks.block_ids(holder) == ([copy.destination for copy in back],)
    assert blocks.take_copies() == copies + back
    blocks.check()
    assert (blocks.stats().num_free_blocks, blocks.stats().num_free_swap_blocks) == (6, 8)
    free(blocks, holder)
    assert blocks.stats().num_free_blocks == 9


def test_a_shared_block_moves_once() -> None:
    blocks = manager(10, 16, swap=8)
    parent, child = prompt("a", 100), prompt("b", 100)
    grow(blocks, parent, 40)
    blocks.fork(parent, child)
    child.num_computed_tokens = 40
    assert len(blocks.swap_out(child) or ()) == 3
    blocks.check()
    assert grow(blocks, parent, 1) == ([],)  # it runs on, in its own blocks
    assert blocks.block_ids(parent) == ([1, 2, 3],)
    # The two full blocks are on the host already; the third has been written since.
    assert [copy.source for copy in blocks.swap_out(parent) or ()] == [3]
    blocks.check()
    assert blocks.stats().num_free_swap_blocks == 4
    back = [blocks.swap_in(parent), blocks.swap_in(child)]
    blocks.check()
    assert [len(copies or ()) for copies in back] == [3, 1]
    assert blocks.block_ids(parent)[0][:2] == blocks.block_ids(child)[0][:2]
    free(blocks, parent, child)
    assert (blocks.stats().num_free_blocks, blocks.stats().num_free_swap_blocks) == (9, 8)


def test_what_the_pool_still_has_is_not_copied_back() -> None:
    blocks = manager(10, 16, caching=True, swap=8)
    holder = prompt("a", 100)
    grow(blocks, holder, 40)
    blocks.swap_out(holder)
    back = blocks.swap_in(holder)
    assert back is not None and len(back) == 1  # the two full blocks were found, the partial one was not
    assert blocks.block_ids(holder)[0][:2] == [1, 2]
    blocks.check()


def test_no_room_to_swap_changes_nothing() -> None:
    blocks = manager(10, 16, swap=2)
    holder, other = prompt("a", 100), prompt("b", 150, start=500)
    grow(blocks, holder, 40)
    before = blocks.stats()
    assert blocks.swap_out(holder) is None  # three blocks, two on the host
    assert (blocks.stats(), blocks.take_copies()) == (before, [])
    blocks = manager(10, 16, swap=8)
    holder.num_computed_tokens = 0
    grow(blocks, holder, 40)
    blocks.swap_out(holder)
    blocks.take_copies()
    grow(blocks, other, 130)  # all nine
    before = blocks.stats()
    assert blocks.swap_in(holder) is None
    blocks.check()
    assert (blocks.stats(), blocks.take_copies()) == (before, [])


def test_a_window_is_swapped_without_what_has_left_it() -> None:
    blocks = manager(20, 2, SlidingWindowSpec(2, 3), swap=16)
    holder = Holder("a")
    grow(blocks, holder, 9)
    grow(blocks, holder, 1)
    copies = blocks.swap_out(holder)
    assert copies is not None and len(copies) == 5 + 1
    blocks.swap_in(holder)
    blocks.check()
    assert [bool(block) for block in blocks.block_ids(holder)[1]] == [False] * 4 + [True]

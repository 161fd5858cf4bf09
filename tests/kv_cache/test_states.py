"""States and tails of recurrent layers: exact slots, checkpoints and hits, forks, swaps, pins and refusals."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from tests.kv_cache.test_manager import Holder, admit, free, grow, prompt
from torchpaged.kv_cache import (
    BlockCopy,
    CacheKeys,
    CopyDirection,
    CrossAttentionSpec,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheManager,
    KVCacheSpec,
    PoolKind,
    StateSpec,
    TailSpec,
)


def hybrid(
    num_blocks: int = 100,
    *,
    size: int = 16,
    chunk: int = 64,
    interval: int = 1024,
    states: int = 10,
    tails: int = 10,
    caching: bool = True,
    swap: tuple[int, int, int] = (0, 0, 0),
) -> KVCacheManager:
    """Return a manager for full attention beside recurrent layers."""
    specs = [FullAttentionSpec(size), StateSpec(chunk, interval), TailSpec(chunk)]
    return KVCacheManager(
        [KVCacheGroup(spec, (i,)) for i, spec in enumerate(specs)],
        num_blocks,
        num_state_slots=states,
        num_tail_slots=tails,
        num_swap_blocks=swap[0],
        num_swap_state_slots=swap[1],
        num_swap_tail_slots=swap[2],
        enable_prefix_caching=caching,
    )


def alone() -> KVCacheManager:
    """Return a manager for recurrent layers without attention."""
    groups = [KVCacheGroup(StateSpec(64), (0,)), KVCacheGroup(TailSpec(64), (0,))]
    return KVCacheManager(groups, 1, block_size=16, num_state_slots=10, num_tail_slots=10)


def slots(blocks: KVCacheManager, holder: Holder) -> tuple[list[int], list[int]]:
    """Return the tables of states and of tails."""
    _, states, tails = blocks.block_ids(holder)
    return states, tails


# --- Groups -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("specs", "options", "message"),
    [
        pytest.param([StateSpec(64)], {}, "groups are StateSpec, expected StateSpec and TailSpec once", id="no-tails"),
        pytest.param(
            [FullAttentionSpec(16), TailSpec(64), StateSpec(64)], {}, "expected StateSpec and TailSpec", id="order"
        ),
        pytest.param(
            [StateSpec(64), TailSpec(64), FullAttentionSpec(16)], {}, "in this order, as the last", id="not-last"
        ),
        pytest.param([StateSpec(64), TailSpec(16)], {}, "multiples of 64 tokens and tails of 16", id="two-sizes"),
        pytest.param(
            [StateSpec(64), TailSpec(64)], {}, "block_size is None, expected a number of tokens", id="no-size"
        ),
        pytest.param(
            [FullAttentionSpec(16), StateSpec(64), TailSpec(64)],
            {"block_size": 32},
            r"block sizes \[16, 32\], expected one",
            id="other-size",
        ),
        pytest.param(
            [FullAttentionSpec(16), CrossAttentionSpec(16), StateSpec(64), TailSpec(64)],
            {"enable_prefix_caching": False},
            "and no states",
            id="encoder",
        ),
        pytest.param(
            [FullAttentionSpec(16), StateSpec(64), TailSpec(64)],
            {"num_state_slots": 1},
            "num_state_slots is 1, expected at least 2",
            id="no-slots",
        ),
        pytest.param([FullAttentionSpec(16)], {"num_tail_slots": 5}, "num_tail_slots is 5, expected 0", id="no-states"),
        pytest.param(
            [FullAttentionSpec(16), StateSpec(64), TailSpec(64)],
            {"num_swap_state_slots": 5},
            "num_swap_state_slots is 5, expected 0 where num_swap_blocks is 0",
            id="half-a-swap",
        ),
    ],
)
def test_groups_that_no_manager_can_have(specs: list[KVCacheSpec], options: dict[str, int], message: str) -> None:
    sizes = {"num_state_slots": 5, "num_tail_slots": 5} if any(isinstance(s, StateSpec) for s in specs) else {}
    with pytest.raises(ValueError, match=message):
        KVCacheManager([KVCacheGroup(spec, (0,)) for spec in specs], 10, **{**sizes, **options})


def test_a_spec_needs_tokens() -> None:
    for make in (lambda: StateSpec(0), lambda: TailSpec(-1), lambda: StateSpec(64, 0)):
        with pytest.raises(ValueError, match="expected 1 or more tokens"):
            make()


# --- Growth -----------------------------------------------------------------------------------------------


def test_scenario_26_growth() -> None:
    blocks, holder = hybrid(caching=False), Holder("a")
    assert grow(blocks, holder, 63) is not None
    assert slots(blocks, holder) == ([], [1])
    grow(blocks, holder, 1)
    assert slots(blocks, holder) == ([1], [1])
    # The rows of the first chunk are not read any more.
    grow(blocks, holder, 1)
    assert slots(blocks, holder) == ([1], [0, 1]) and blocks.take_changes(holder) == [(2, 0, 0)]
    grow(blocks, holder, 135)  # 200 tokens: the state at 128 is neither kept nor read
    assert slots(blocks, holder) == ([1, 0, 2], [0, 1, 0, 2])
    grow(blocks, holder, 1)
    assert slots(blocks, holder) == ([0, 0, 2], [0, 0, 0, 2])
    stats = blocks.stats()
    assert (stats.num_free_state_slots, stats.num_free_tail_slots) == (8, 8)
    free(blocks, holder)
    assert (blocks.stats().num_free_state_slots, blocks.stats().num_free_tail_slots) == (9, 9)


def test_scenario_26_a_step_that_fails_begins_where_it_began() -> None:
    """A step's inputs stay unchanged, whatever the next attempt computes."""
    blocks, holder = hybrid(caching=False), Holder("a")
    grow(blocks, holder, 70)
    assert slots(blocks, holder) == ([1], [0, 1])
    for count, states, tails in ((186, [1, 0, 0, 2], [0, 1, 0, 0]), (60, [1, 2, 0, 0], [0, 1, 2, 0])):
        assert blocks.allocate_slots(holder, count) is not None
        blocks.revert()
        blocks.check()
        assert slots(blocks, holder) == (states, tails)
    grow(blocks, holder, 1)
    assert slots(blocks, holder) == ([1, 0, 0, 0], [0, 1, 0, 0])


def test_drafts_may_end_in_either_chunk() -> None:
    blocks, holder = hybrid(caching=False), Holder("a")
    grow(blocks, holder, 126)
    assert blocks.allocate_slots(holder, 1, num_lookahead_tokens=4) is not None
    assert slots(blocks, holder) == ([0, 2], [0, 1, 2]) or slots(blocks, holder) == ([1, 2], [0, 1, 2])
    holder.num_computed_tokens = 127
    blocks.check()
    assert blocks.allocate_slots(holder, 1) is not None
    holder.num_computed_tokens = 128
    blocks.check()


def test_quiet_until_a_boundary() -> None:
    blocks, holder = hybrid(size=4), Holder("a")
    blocks.allocate_slots(holder, 62)
    assert blocks.quiet_until(holder) == 63  # the step that computes 63 makes a state
    holder.num_computed_tokens = 62
    blocks.allocate_slots(holder, 2)
    assert blocks.quiet_until(holder) == 64  # the next one needs a tail
    holder.num_computed_tokens = 64
    blocks.allocate_slots(holder, 1)
    assert blocks.quiet_until(holder) == 68  # blocks of four


def test_scenario_27_short_of_slots_and_not_of_blocks() -> None:
    blocks, first, second = hybrid(states=3, caching=False), Holder("a"), Holder("b")
    for holder in (first, second):
        assert grow(blocks, holder, 65) is not None
    before = blocks.block_ids(first), blocks.stats()
    assert grow(blocks, first, 63) is None
    assert (blocks.block_ids(first), blocks.stats()) == before
    free(blocks, second)
    assert grow(blocks, first, 63) is not None
    third = Holder("c")
    assert grow(blocks, third, 63) is not None
    assert grow(blocks, third, 1) is None
    grow(blocks, first, 1)  # frees its first state
    assert grow(blocks, third, 1) is not None


def test_scenario_27_short_of_tails() -> None:
    blocks, first, second = hybrid(tails=2, caching=False), Holder("a"), Holder("b")
    assert grow(blocks, first, 10) is not None
    assert grow(blocks, second, 10) is None
    assert grow(blocks, second, 64) is not None  # ends at a boundary
    assert grow(blocks, first, 60) is None  # begins and ends within a chunk
    assert grow(blocks, first, 54) is not None
    assert grow(blocks, second, 1) is None and grow(blocks, first, 1) is not None


@pytest.mark.parametrize(
    ("sizes", "step", "expected"),
    [
        pytest.param({"num_blocks": 9}, 64, 128, id="blocks"),
        pytest.param({"states": 2}, 64, 127, id="one-state"),
        pytest.param({"states": 3}, 64, 99 * 16, id="two-states"),
        pytest.param({"tails": 2}, 64, 64, id="one-tail"),
        pytest.param({"tails": 2}, 1, 99 * 16, id="one-tail-token-by-token"),
    ],
)
def test_the_longest_sequence_counts_slots(sizes: dict[str, int], step: int, expected: int) -> None:
    assert hybrid(**sizes).max_tokens(step) == expected  # type: ignore[arg-type]


def test_states_alone() -> None:
    """Without attention groups tokens are hashed in blocks that are never allocated."""
    blocks, first = alone(), prompt("a", 200)
    assert blocks.max_tokens(4) == 2**40 and blocks.block_size == 16 and blocks.prefix_size == 64
    assert admit(blocks, first) == 0
    assert blocks.block_ids(first) == ([0, 0, 1], [0, 0, 0, 1])
    free(blocks, first)
    assert admit(blocks, prompt("b", 200)) == 192
    assert (blocks.stats().num_blocks, blocks.stats().num_tokens) == (0, 0)


# --- Lookups ----------------------------------------------------------------------------------------------


def shares(count: int, length: int = 300) -> Holder:
    """Return a prompt that begins with so many shared tokens, 0, 1, 2, ..., and continues with unique ones."""
    name = f"shares-{count}-{next(_NUMBERS)}"
    return Holder(name, token_ids=[*range(count), *([hash(name)] * (length - count))])


_NUMBERS = itertools.count()


def test_scenario_28_hits_inside_at_and_behind_a_boundary() -> None:
    blocks = hybrid()
    first = prompt("a", 200)
    assert admit(blocks, first) == 0
    found = blocks.get_computed_blocks
    assert found(shares(192))[1] == 192  # at the boundary
    assert found(shares(199))[1] == 192  # after it
    assert found(prompt("d", 193))[1] == 192  # all but the last token
    inside, count = found(shares(191))
    assert count == 0 and inside.branches == (128,)  # attention has 176 tokens
    assert found(prompt("f", 192))[1] == 0  # the last token is computed
    second = shares(150)
    assert admit(blocks, second) == 0
    assert found(shares(150))[1] == 128 and found(shares(199))[1] == 192
    tables = found(shares(150))[0].tables
    assert [[block.block_id for block in table] for table in tables] == [[*range(1, 9)], [0, 2], [0, 0]]
    free(blocks, first, second)
    assert found(shares(150))[1] == 128


def test_scenario_29_a_checkpoint_is_evicted_and_its_blocks_stay() -> None:
    blocks = hybrid(states=4)
    first = prompt("a", 200)
    admit(blocks, first)
    free(blocks, first)
    assert blocks.stats().num_cached_state_slots == 1
    for name in "bcd":  # their last states take all slots
        other = prompt(name, 65, start=1000 * ord(name))
        admit(blocks, other)
        free(blocks, other)
    stats = blocks.stats()
    assert (stats.num_cached_state_slots, stats.num_evictions) == (3, 0)
    again, count = blocks.get_computed_blocks(prompt("e", 200))
    assert count == 0 and again.branches == (192,)
    admit(blocks, prompt("e", 200))
    assert blocks.get_computed_blocks(prompt("f", 200))[1] == 192


def test_scenario_30_checkpoints_at_intervals_and_at_the_end() -> None:
    blocks = hybrid(interval=256)
    holder = prompt("a", 1000)
    admit(blocks, holder)
    states, _ = slots(blocks, holder)
    assert [i for i, slot in enumerate(states) if slot] == [3, 7, 11, 14]  # 256, 512, 768 and 960
    for shared, expected in ((255, 0), (256, 256), (700, 512), (959, 768), (960, 960)):
        assert blocks.get_computed_blocks(shares(shared, 1100))[1] == expected
    grow(blocks, holder, 1)
    assert blocks.stats().num_cached_state_slots == 3
    assert blocks.get_computed_blocks(shares(700, 1100))[1] == 512


def test_nobody_gives_way_for_a_checkpoint() -> None:
    """Slots that sequences may need are not used for checkpoints: each sequence can have two at any time."""
    blocks = hybrid(states=6, interval=64)
    one, two = prompt("a", 330), prompt("b", 60, start=5000)
    admit(blocks, two)
    admit(blocks, one)  # of five slots two are reserved for the other, and two for this one
    assert [bool(slot) for slot in slots(blocks, one)[0]] == [False, False, False, True, True]
    two.token_ids += list(range(200))
    for _ in range(200):
        assert grow(blocks, two, 1) is not None
    assert grow(blocks, one, 1) is not None


def test_what_was_kept_last_is_found_when_a_sequence_ends() -> None:
    blocks = hybrid()
    holder = prompt("a", 100)
    admit(blocks, holder)
    holder.prompt_len = 100
    holder.token_ids += range(100, 300)
    for _ in range(170):
        grow(blocks, holder, 1)
    assert blocks.get_computed_blocks(shares(300, 400))[1] == 64
    free(blocks, holder)
    assert blocks.get_computed_blocks(shares(300, 400))[1] == 256
    assert blocks.get_computed_blocks(shares(200, 400))[1] == 64


@pytest.mark.parametrize("make", [hybrid, alone])
def test_a_state_is_not_found_before_its_step_has_run(make: Callable[[], KVCacheManager]) -> None:
    blocks = make()
    first = prompt("a", 100)
    blocks.allocate_slots(first, 100)
    assert blocks.get_computed_blocks(prompt("b", 100))[1] == 0
    blocks.revert()
    blocks.check()
    blocks.commit()
    assert blocks.get_computed_blocks(prompt("b", 100))[1] == 0
    blocks.allocate_slots(first, 100)
    blocks.commit()
    assert blocks.get_computed_blocks(prompt("b", 100))[1] == 64
    second = prompt("c", 100, start=500)
    blocks.allocate_slots(second, 100)
    free(blocks, second)  # it ends before its step has run
    blocks.commit()
    assert blocks.get_computed_blocks(prompt("d", 100, start=500))[1] == 0


def test_what_is_not_to_be_trusted_is_forgotten() -> None:
    blocks = hybrid()
    first = prompt("a", 100)
    admit(blocks, first)
    blocks.free(first, forget=True)
    blocks.check()
    assert blocks.stats().num_cached_state_slots == 0


def test_boundaries_between_blocks_are_not_found() -> None:
    blocks = hybrid(size=48)  # whole blocks of 48 and chunks of 64 meet at 192
    admit(blocks, prompt("a", 400))
    assert blocks.get_computed_blocks(prompt("b", 400))[1] == 384
    assert blocks.prefix_size == 192


def test_reset_and_the_rest_of_the_cache() -> None:
    blocks = hybrid()
    first = prompt("a", 200)
    admit(blocks, first)
    assert not blocks.reset_prefix_cache()
    free(blocks, first)
    assert blocks.reset_prefix_cache()
    assert blocks.stats().num_cached_state_slots == 0 and blocks.get_computed_blocks(prompt("b", 200))[1] == 0
    admit(blocks, prompt("b", 200))
    blocks.pin("pin", prompt("b", 200))
    blocks.reset(["pin"])
    blocks.check()
    assert blocks.get_computed_blocks(prompt("c", 200))[1] == 192
    blocks.reset()
    assert blocks.get_computed_blocks(prompt("c", 200))[1] == 0


# --- Forks ------------------------------------------------------------------------------------------------


def test_scenario_31_fork_of_a_running_sequence() -> None:
    blocks, parent, child = hybrid(caching=False), Holder("a"), Holder("b")
    grow(blocks, parent, 100)
    grow(blocks, parent, 1)
    blocks.fork(parent, child)
    child.num_computed_tokens = 101
    blocks.check()
    assert slots(blocks, parent) == slots(blocks, child) == ([1], [0, 1])
    grow(blocks, child, 1)
    assert slots(blocks, child) == ([1], [0, 2]) and slots(blocks, parent) == ([1], [0, 1])
    assert blocks.take_copies() == [BlockCopy(7, 8), BlockCopy(1, 2, pool=PoolKind.TAILS)]
    assert blocks.take_changes(child) == [(0, 6, 8), (2, 1, 2)]
    grow(blocks, parent, 1)
    assert blocks.take_copies() == []  # the second to write keeps its block
    for holder in (parent, child):
        for _ in range(27):
            grow(blocks, holder, 1)
    assert slots(blocks, parent)[0] != slots(blocks, child)[0]  # each writes its own next state
    assert blocks.stats().num_free_state_slots == 7
    free(blocks, parent, child)
    assert blocks.stats().num_free_state_slots == 9


def test_scenario_31_a_fork_at_a_boundary_copies_nothing() -> None:
    blocks, parent, child = hybrid(caching=False), Holder("a"), Holder("b")
    grow(blocks, parent, 100)
    grow(blocks, parent, 28)
    blocks.fork(parent, child)  # only the state at 128 is shared
    child.num_computed_tokens = 128
    assert slots(blocks, parent) == ([1, 2], [0, 1]) and slots(blocks, child) == ([0, 2], [0, 0])
    assert blocks.take_changes(child) == [(1, 0, 0), (2, 1, 0)]  # its row is a copy of the parent's
    grow(blocks, child, 1)
    assert blocks.take_copies() == []


def test_scenario_32_fork_of_a_swapped_sequence() -> None:
    blocks, parent, child = hybrid(swap=(20, 3, 3)), prompt("a", 400), Holder("b")
    grow(blocks, parent, 101)
    copies = blocks.swap_out(parent)
    assert copies is not None
    assert copies[7:] == [
        BlockCopy(1, 1, CopyDirection.OUT, PoolKind.STATES),
        BlockCopy(1, 1, CopyDirection.OUT, PoolKind.TAILS),
    ]
    blocks.check()
    blocks.fork(parent, child)
    child.token_ids, child.num_computed_tokens = [*range(101), *range(900, 1000)], 101
    blocks.check()
    back = blocks.swap_in(parent, num_new_tokens=1)
    assert back is not None
    # The full blocks and the state were found where they had been.
    assert [(copy.pool, copy.direction) for copy in back] == [
        (PoolKind.BLOCKS, CopyDirection.IN),
        (PoolKind.TAILS, CopyDirection.IN),
    ]
    assert blocks.swap_in(child, num_new_tokens=1) == []
    assert slots(blocks, parent) == slots(blocks, child)
    blocks.check()
    blocks.take_copies()
    grow(blocks, child, 1)
    assert [copy.pool for copy in blocks.take_copies()] == [PoolKind.BLOCKS, PoolKind.TAILS]
    assert blocks.swap_out(child) is not None
    blocks.take_copies()
    grow(blocks, parent, 1)
    # The rows on the host are older.
    assert PoolKind.TAILS in [copy.pool for copy in blocks.swap_out(parent) or ()]
    free(blocks, parent, child)
    stats = blocks.stats()
    assert stats.num_free_swap_blocks == 20 and stats.num_free_tail_slots == 9


@pytest.mark.parametrize("swap", [(20, 0, 3), (20, 3, 0), (6, 3, 3)], ids=["no-state", "no-tail", "no-blocks"])
def test_no_room_on_the_host_changes_nothing(swap: tuple[int, int, int]) -> None:
    blocks, holder = hybrid(swap=swap, caching=False), Holder("a")
    grow(blocks, holder, 101)
    before = blocks.stats(), blocks.block_ids(holder)
    assert blocks.swap_out(holder) is None
    blocks.check()
    assert (blocks.stats(), blocks.block_ids(holder)) == before and blocks.take_copies() == []


def test_no_room_to_come_back_changes_nothing() -> None:
    blocks, holder, other = hybrid(states=3, swap=(20, 3, 3), caching=False), Holder("a"), Holder("b")
    grow(blocks, holder, 101)
    assert blocks.swap_out(holder) is not None
    grow(blocks, other, 100)
    assert blocks.swap_in(holder, num_new_tokens=50) is None  # it would need another state too
    blocks.check()
    assert blocks.is_swapped(holder)
    assert blocks.swap_in(holder, num_new_tokens=1) is not None
    blocks.check()


# --- Pins -------------------------------------------------------------------------------------------------


def test_a_pin_ends_at_a_boundary_and_holds_its_state() -> None:
    blocks = hybrid(states=4)
    holder = prompt("a", 200)
    admit(blocks, holder)
    assert blocks.pin("pin", holder) == 192
    free(blocks, holder)
    stats = blocks.stats()
    assert (stats.num_pinned_blocks, stats.num_pinned_state_slots, stats.num_free_state_slots) == (12, 1, 2)
    for name in "bcd":
        other = prompt(name, 150, start=1000 * ord(name))
        admit(blocks, other)
        free(blocks, other)
    assert blocks.get_computed_blocks(prompt("e", 200))[1] == 192
    short = prompt("f", 63, start=77)
    admit(blocks, short)
    assert blocks.pin("nothing", short) == 0 and blocks.pinned_block_ids("nothing") == ([], [], [])
    free(blocks, short)
    for name in ("pin", "nothing"):
        blocks.unpin(name)
    blocks.check()


def test_pinned_states_leave_room_or_say_so() -> None:
    blocks = hybrid(states=3)
    holder = prompt("a", 200)
    admit(blocks, holder)
    assert blocks.max_tokens(16) == 99 * 16
    blocks.pin("pin", holder)
    free(blocks, holder)
    assert blocks.max_tokens(16) == 127


def test_an_adopted_prefix_brings_its_state() -> None:
    blocks = hybrid()
    tokens = list(range(200))
    assert blocks.adopt("pin", tokens) == ([*range(1, 13)], [0, 0, 1], [0, 0, 0])
    assert blocks.get_computed_blocks(prompt("a", 200))[1] == 0
    blocks.reveal("pin", tokens, CacheKeys())
    blocks.check()
    assert blocks.get_computed_blocks(prompt("a", 200))[1] == 192
    assert hybrid(8).adopt("pin", tokens) is None
    blocks.unpin("pin", forget=True)
    blocks.check()
    assert blocks.get_computed_blocks(prompt("b", 200))[1] == 0

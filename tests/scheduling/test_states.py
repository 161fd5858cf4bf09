"""Scheduling with recurrent layers: waiting for another's state, tokens computed twice, preemption for slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.scheduling.harness import Harness, next_token
from torchpaged.errors import RequestError
from torchpaged.kv_cache import FullAttentionSpec, PoolKind, StateSpec, TailSpec
from torchpaged.scheduling import Results


def hybrid(*, size: int = 16, chunk: int = 64, states: int = 40, tails: int = 40, **sizes: Any) -> Harness:
    """Return a harness with full attention and recurrent layers."""
    slots = {"num_state_slots": states, "num_tail_slots": tails, **sizes.pop("slots", {})}
    groups = [FullAttentionSpec(size), StateSpec(chunk), TailSpec(chunk)]
    return Harness(groups=groups, slots=slots, **{"caching": True, **sizes})


def computed(harness: Harness, names: Sequence[str]) -> int:
    """Return the number of prompt tokens of these sequences that were computed, not found."""
    total = 0
    for name in names:
        sequence = harness.sequences[name]
        assert sequence.admission.num_cached_tokens is not None
        total += sequence.num_prompt_tokens - sequence.admission.num_cached_tokens
    return total


def step_blindly(harness: Harness) -> None:
    """Run a step with made-up results, without a device."""
    step = harness.schedule()
    draws = [id for id in step.ids if id not in step.quiet]
    harness.scheduler.update(step, Results(step.number, draws, [7] * len(draws)))


def run_blindly(harness: Harness) -> None:
    """Run to the end with made-up results."""
    while harness.scheduler.has_unfinished:
        step_blindly(harness)
    harness.scheduler.check()


# --- Waiting for a state ----------------------------------------------------------------------------------


def test_scenario_33_two_requests_with_one_prompt_in_one_step() -> None:
    harness = hybrid()
    for name in "ab":
        harness.add(name, 100)
    assert harness.step() == {"a": 100}
    assert harness.step() == {"a": 1, "b": 36}
    harness.run()


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        pytest.param(64, [{"a": 64, "b": 64}], id="the-last-token-is-computed"),
        pytest.param(65, [{"a": 65}, {"a": 1, "b": 1}], id="one-behind-the-boundary"),
        pytest.param(63, [{"a": 63, "b": 63}], id="no-boundary"),
    ],
)
def test_who_would_gain_nothing_does_not_wait(length: int, expected: list[dict[str, int]]) -> None:
    harness = hybrid()
    for name in "ab":
        harness.add(name, length)
    assert [harness.step() for _ in expected] == expected


def test_prompts_that_part_in_the_middle() -> None:
    """The first keeps the state where the second diverges, even though no earlier request needed it."""
    harness = hybrid()
    harness.add("a", [*range(200), *range(1000, 1100)])
    harness.add("b", [*range(150), *range(2000, 2100)])
    assert harness.step() == {"a": 300}
    assert harness.step() == {"a": 1, "b": 250 - 128}


def test_a_prompt_that_comes_while_another_is_computed() -> None:
    """It waits for the shared part, chunk by chunk, and not for the rest."""
    harness = hybrid(budget=100)
    harness.add("a", 500)
    harness.step()
    harness.add("b", [*range(10, 260), *range(2000, 2100)])
    assert harness.step() == {"a": 100}
    assert harness.step() == {"a": 100}
    assert harness.step() == {"a": 100}  # the tokens from 300 on: the state at 192 exists, but the budget is spent
    assert harness.step() == {"a": 100}
    assert harness.step() == {"a": 1, "b": 99}
    assert harness.sequences["b"].admission.num_cached_tokens == 192


def test_nobody_waits_for_one_that_has_gone() -> None:
    harness = hybrid(budget=100, seqs=2)
    first = harness.add("a", 500)
    harness.add("b", 500)
    assert harness.step() == {"a": 100}
    harness.scheduler.finish(first, "abort")
    assert harness.step() == {"b": 100}
    assert harness.sequences["b"].admission.num_cached_tokens == 64  # its computed part was kept
    harness.run()


def test_nobody_waits_without_a_cache() -> None:
    harness = hybrid(caching=False)
    for name in "ab":
        harness.add(name, 100)
    assert harness.step() == {"a": 100, "b": 100}


# --- What is computed twice -------------------------------------------------------------------------------


@pytest.mark.parametrize(("budget", "staggered"), [(2048, False), (512, False), (512, True)])
def test_scenario_34_32_requests_share_2047_tokens(budget: int, staggered: bool) -> None:
    """At best the first computes all of its tokens, and each other those after the last boundary."""
    harness = hybrid(budget=budget, seqs=32, num_blocks=2000, states=66, tails=66)
    names = [f"r{i}" for i in range(32)]
    for i, name in enumerate(names):
        own = range(10_000 + 1000 * i, 10_100 + 1000 * i)
        harness.add(name, [*range(2047), *own], max_tokens=20)
        if staggered and i < 4:
            step_blindly(harness)
    run_blindly(harness)
    least = 2147 + 31 * (2047 % 64 + 100)
    assert computed(harness, names) <= least * 1.1


def test_scenario_34_one_after_the_other() -> None:
    """The point of divergence is not known in advance: the second computes what follows the last interval."""
    harness = hybrid(budget=2048, num_blocks=2000)
    found = []
    for i in range(4):
        harness.add(f"r{i}", [*range(2047), *range(10_000 + 1000 * i, 10_100 + 1000 * i)], max_tokens=20)
        run_blindly(harness)
        found.append(harness.sequences[f"r{i}"].admission.num_cached_tokens)
    assert found == [0, 1024, 1984, 1984]


@pytest.mark.parametrize("answer", [7, 64, 150])
def test_scenario_35_a_conversation(answer: int) -> None:
    """Each turn computes its new tokens, and less than a chunk of the old ones."""
    harness = hybrid(num_blocks=1000, budget=4096)
    tokens = [0] * 90
    for turn in range(10):
        known = len(tokens) if turn else 0
        tokens += [1000 * turn + i for i in range(40)]
        sequence = harness.add(f"t{turn}", tokens, max_tokens=answer, stops=())
        run_blindly(harness)
        tokens = list(sequence.token_ids)
        assert known - (sequence.admission.num_cached_tokens or 0) < 64 + 1, f"turn {turn}"


# --- Preemption -------------------------------------------------------------------------------------------


def undisturbed(length: int, count: int, begin: int) -> list[int]:
    """Return the output of a request that runs alone."""
    tokens = list(range(begin, begin + length))
    for _ in range(count):
        tokens.append(next_token(tokens))
    return tokens[length:]


@pytest.mark.parametrize("mode", ["recompute", "swap"])
@pytest.mark.parametrize("slots", [{"states": 4, "tails": 9}, {"states": 9, "tails": 3}, {"num_blocks": 25}])
def test_scenario_36_short_of_one_pool(mode: str, slots: dict[str, int]) -> None:
    """Slots but no blocks, or blocks but no slots: the last sequence is preempted, and its output is unchanged."""
    swap = {"swap": 40, "slots": {"num_swap_state_slots": 8, "num_swap_tail_slots": 8}} if mode == "swap" else {}
    harness = hybrid(preemption_mode=mode, caching=False, **swap, **slots)
    for i in range(3):
        harness.add(f"r{i}", range(1000 * i, 1000 * i + 90), max_tokens=60, stops=())
    harness.run()
    for i in range(3):
        assert harness.sequences[f"r{i}"].output_token_ids == undisturbed(90, 60, 1000 * i)
    sequence_table = harness.scheduler.sequence_table
    if "tails" not in slots or slots["tails"] == 9:
        assert sequence_table.num_preemptions > 0 and (sequence_table.num_swaps > 0) == (mode == "swap")
    stats = harness.scheduler.manager.stats()
    assert stats.num_free_state_slots == stats.num_state_slots and stats.num_free_tail_slots == stats.num_tail_slots


def test_without_slots_on_the_host_it_is_computed_again() -> None:
    harness = hybrid(states=4, preemption_mode="swap", swap=40)
    for i in range(3):
        harness.add(f"r{i}", range(1000 * i, 1000 * i + 90), max_tokens=60, stops=())
    harness.run()
    assert harness.scheduler.sequence_table.num_preemptions > 0 and harness.scheduler.sequence_table.num_swaps == 0
    for i in range(3):
        assert harness.sequences[f"r{i}"].output_token_ids == undisturbed(90, 60, 1000 * i)


def test_who_is_computed_again_begins_at_its_last_state() -> None:
    harness = hybrid(states=9)
    first = harness.add("a", 200, max_tokens=100, stops=())
    for _ in range(70):
        harness.step()
    assert first.num_computed_tokens == 269
    harness.scheduler.sequence_table.preempt(first)
    assert harness.step() == {"a": 270 - 256}


def test_a_swap_moves_one_state_and_the_rows_behind_it() -> None:
    harness = hybrid(preemption_mode="swap", swap=40, slots={"num_swap_state_slots": 1, "num_swap_tail_slots": 1})
    first = harness.add("a", 200, max_tokens=100, stops=())
    for _ in range(70):
        harness.step()
    harness.scheduler.sequence_table.preempt(first)
    step = harness.schedule()
    kinds = [copy.pool for copy in step.copies]
    assert kinds.count(PoolKind.TAILS) == 2 and kinds.count(PoolKind.STATES) in (1, 2)
    harness.finish_step(step)
    harness.run()
    assert first.output_token_ids == [next_token(first.token_ids[:i]) for i in range(200, 300)]


# --- Admission --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        pytest.param(
            {"states": 2},
            r"200 tokens, the whole pool holds 127 \(999 blocks, 1 state slots, 39 tail slots\); .* num_state_slots",
            id="states",
        ),
        pytest.param(
            {"tails": 2, "enable_chunked_prefill": False},
            r"holds 64 \(.*1 tail slots\); .*raise num_tail_slots",
            id="tails",
        ),
        pytest.param({"num_blocks": 9}, r"holds 128 \(8 blocks, .*raise num_blocks", id="blocks"),
    ],
)
def test_a_prompt_that_never_fits(sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        hybrid(**sizes).add("a", 200)

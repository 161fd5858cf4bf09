"""Scheduler: exact steps, preemption, and a random machine that looks for leaks. No torch, no model."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.fake_device import FakeDevice
from torchpaged.config import POLICIES, PREEMPTION_MODES
from torchpaged.errors import EngineError, RequestError
from torchpaged.kv_cache import (
    CacheKeys,
    ChunkedLocalAttentionSpec,
    CopyDirection,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheManager,
    KVCacheSpec,
    SlidingWindowSpec,
)
from torchpaged.request import Request, RequestStatus
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduler import ScheduledRequest, Scheduler, SchedulerOutput

EOS = 1


def make(
    *,
    block_size: int = 16,
    num_blocks: int = 1000,
    seqs: int = 16,
    budget: int = 1024,
    max_len: int = 4096,
    cap: int = 0,
    caching: bool = False,
    swap: int = 0,
    groups: Sequence[KVCacheSpec] = (),
    **options: Any,
) -> Scheduler:
    specs = groups or [FullAttentionSpec(block_size)]
    manager = KVCacheManager(
        [KVCacheGroup(spec, (i,)) for i, spec in enumerate(specs)],
        num_blocks,
        num_swap_blocks=swap,
        enable_prefix_caching=caching,
    )
    return Scheduler(
        manager,
        max_num_seqs=seqs,
        max_num_batched_tokens=budget,
        max_model_len=max_len,
        long_prefill_token_threshold=cap,
        **options,
    )


def add(scheduler: Scheduler, request_id: str, length: int, **params: object) -> Request:
    chosen = SamplingParams(**{"max_tokens": 100, **params})  # type: ignore[arg-type]
    return scheduler.add(request_id, list(range(10, 10 + length)), chosen, [EOS])


def next_token(token_ids: list[int]) -> int:
    """A model whose next token depends on every token so far: one that was lost or doubled shows."""
    return 2 + hash(tuple(token_ids)) % 1000


def step(scheduler: Scheduler, sampled: Mapping[str, int] | None = None) -> SchedulerOutput:
    """One step with a fake model; every invariant holds after it."""
    output = scheduler.schedule()
    chosen = [each for r in output.requests if r.samples for each in (r.request, *r.followers)]
    tokens = {each.request_id: next_token(each.token_ids) for each in chosen}
    scheduler.update(output, {**tokens, **(sampled or {})})
    scheduler.check()
    return output


def counts(output: SchedulerOutput) -> dict[str, int]:
    return {request.request_id: len(request.token_ids) for request in output.requests}


def run(scheduler: Scheduler, limit: int = 10_000) -> None:
    """To the end; an engine that turns in circles fails."""
    for _ in range(limit):
        if scheduler.has_unfinished:
            step(scheduler)
    assert not scheduler.has_unfinished, f"{scheduler.requests} still run after {limit} steps"


def free_blocks(scheduler: Scheduler) -> int:
    return scheduler.manager.stats().num_free_blocks


# --- What a step computes ---------------------------------------------------------------------------------


def test_scenario_14_a_cap_on_long_prompts() -> None:
    scheduler = make(budget=1024, cap=400)
    for name in "abc":
        add(scheduler, name, 800)
    assert counts(step(scheduler)) == {"a": 400, "b": 400, "c": 224}
    assert counts(step(scheduler)) == {"a": 400, "b": 400, "c": 224}
    assert counts(step(scheduler)) == {"a": 1, "b": 1, "c": 352}


def test_scenario_15_nobody_jumps_the_queue() -> None:
    scheduler = make(budget=1024)
    for name, length in (("a", 800), ("b", 800), ("c", 10), ("d", 10)):
        add(scheduler, name, length)
    assert counts(step(scheduler)) == {"a": 800, "b": 224}
    assert [request.request_id for request in scheduler.waiting] == ["c", "d"]
    assert counts(step(scheduler)) == {"a": 1, "b": 576, "c": 10, "d": 10}


def test_a_long_prompt_at_the_head_holds_the_queue_when_the_pool_is_full() -> None:
    scheduler = make(block_size=4, num_blocks=9, budget=64)  # 32 tokens
    add(scheduler, "a", 20)
    add(scheduler, "b", 16)
    add(scheduler, "c", 1)
    assert counts(step(scheduler)) == {"a": 20}  # b lacks one block; c would fit and waits behind it


@pytest.mark.parametrize(
    ("seqs", "budget", "expected"),
    [
        pytest.param(2, 64, [{"a": 5, "b": 5}, {"a": 1, "b": 1}], id="max-num-seqs"),
        pytest.param(1, 64, [{"a": 5}, {"a": 1}], id="one-at-a-time"),
        pytest.param(8, 8, [{"a": 5, "b": 3}, {"a": 1, "b": 2, "c": 5}, {"a": 1, "b": 1, "c": 1}], id="budget"),
        pytest.param(8, 2, [{"a": 2}, {"a": 2}, {"a": 1, "b": 1}, {"a": 1, "b": 1}], id="tiny-budget"),
    ],
)
def test_limits_of_a_step(seqs: int, budget: int, expected: list[dict[str, int]]) -> None:
    scheduler = make(seqs=seqs, budget=budget)
    for name in "abc":
        add(scheduler, name, 5)
    assert [counts(step(scheduler)) for _ in expected] == expected


def test_a_place_that_becomes_free_is_taken_in_the_next_step() -> None:
    scheduler = make(seqs=1)
    add(scheduler, "a", 3, max_tokens=2)
    add(scheduler, "b", 4, max_tokens=1)
    steps = [step(scheduler) for _ in range(3)]
    assert [counts(output) for output in steps] == [{"a": 3}, {"a": 1}, {"b": 4}]
    assert steps[2].released == ["a"]
    assert not scheduler.has_unfinished and free_blocks(scheduler) == 999


def test_a_step_as_data() -> None:
    scheduler = make(block_size=4, budget=6)
    add(scheduler, "a", 9, min_tokens=1, stop_token_ids=[50])
    first, second, third = (step(scheduler, {"a": 77}).requests[0] for _ in range(3))
    assert (first.token_ids, first.num_computed_tokens, first.new_block_ids) == (list(range(10, 16)), 0, ([1, 2],))
    assert (first.starts, first.samples) == (True, False)
    assert (second.token_ids, second.num_computed_tokens, second.new_block_ids) == ([16, 17, 18], 6, ([3],))
    assert (second.starts, second.samples) == (False, True)
    assert (third.token_ids, third.num_computed_tokens, third.new_block_ids) == ([77], 9, ([],))
    assert third.samples


# --- Admission --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "sizes", "numbers"),
    [
        pytest.param(64, {"max_len": 64}, ["64 tokens", "max_model_len is 64"], id="max-model-len"),
        pytest.param(33, {"block_size": 4, "num_blocks": 9}, ["33 tokens", "holds 32", "8 blocks"], id="pool"),
        pytest.param(0, {}, ["empty", "at least one token"], id="empty"),
    ],
)
def test_scenario_17_refused_when_added(length: int, sizes: dict[str, int], numbers: list[str]) -> None:
    scheduler = make(**sizes)
    add(scheduler, "other", 4)
    with pytest.raises(RequestError, match="request 'long'") as error:
        add(scheduler, "long", length)
    assert all(number in str(error.value) for number in numbers), str(error.value)
    scheduler.check()
    assert list(scheduler.requests) == ["other"]
    run(scheduler)


@pytest.mark.parametrize(
    ("length", "sizes", "generated"),
    [
        pytest.param(63, {"max_len": 64}, 1, id="max-model-len"),
        # The last token needs no slot: 32 in the pool and one more.
        pytest.param(30, {"block_size": 4, "num_blocks": 9}, 3, id="pool"),
        pytest.param(32, {"block_size": 4, "num_blocks": 9}, 1, id="prompt-fills-the-pool"),
        pytest.param(5, {}, 100, id="max-tokens"),
    ],
)
def test_where_a_request_ends(length: int, sizes: dict[str, int], generated: int) -> None:
    scheduler = make(**sizes)
    request = add(scheduler, "a", length)
    run(scheduler)
    assert (request.num_output_tokens, request.finish_reason) == (generated, "length")
    assert free_blocks(scheduler) == scheduler.manager.pool.num_usable


def test_an_id_in_use() -> None:
    scheduler = make()
    add(scheduler, "a", 4)
    with pytest.raises(RequestError, match="request 'a': an unfinished request has this id"):
        add(scheduler, "a", 5)
    scheduler.finish("a", RequestStatus.FINISHED_ABORTED)
    assert add(scheduler, "a", 5).num_tokens == 5
    scheduler.check()


# --- Preemption -------------------------------------------------------------------------------------------


def test_scenario_18_the_latest_gives_way() -> None:
    scheduler = make(block_size=4, num_blocks=7)  # 6 blocks
    requests = [add(scheduler, name, 7, max_tokens=6) for name in "abc"]
    assert counts(step(scheduler)) == {"a": 7, "b": 7, "c": 7}  # two blocks each; the pool is full
    assert counts(step(scheduler)) == {"a": 1, "b": 1, "c": 1}
    output = step(scheduler)  # each needs a third block: c gives up two
    assert counts(output) == {"a": 1, "b": 1}
    assert (output.num_preempted, output.released) == (1, ["c"])
    assert requests[2].status is RequestStatus.PREEMPTED
    assert (requests[2].num_tokens, requests[2].num_computed_tokens) == (9, 0)
    run(scheduler)
    assert [request.num_preemptions for request in requests] == [0, 0, 1]
    assert free_blocks(scheduler) == 6


def test_a_preempted_request_comes_before_those_who_never_ran() -> None:
    scheduler = make(block_size=4, num_blocks=7, seqs=3)
    for name in "abcd":
        add(scheduler, name, 7, max_tokens=6)
    for _ in range(3):
        step(scheduler)
    assert [request.request_id for request in scheduler.waiting] == ["c", "d"]
    started = []
    while scheduler.has_unfinished:
        started += [request.request_id for request in step(scheduler).requests if request.starts]
    assert started == ["c", "d"]


def test_a_preempted_request_starts_with_all_its_tokens() -> None:
    scheduler = make(block_size=4, num_blocks=7)
    requests = [add(scheduler, name, 7, max_tokens=8) for name in "abc"]
    resumed = None
    while scheduler.has_unfinished:
        for item in step(scheduler).requests:
            if item.request_id == "c" and item.starts:
                resumed = item
    assert resumed is not None
    assert resumed.num_computed_tokens == 0
    assert resumed.token_ids == requests[2].token_ids[:9]
    assert resumed.samples


@pytest.mark.parametrize(
    ("block_size", "num_blocks", "budget"),
    [(4, 7, 64), (1, 25, 64), (1, 25, 3), (4, 7, 5), (2, 12, 1)],
    ids=["preempts", "one-token-blocks", "chunked", "small-budget", "one-token-a-step"],
)
def test_tokens_are_those_of_an_undisturbed_run(block_size: int, num_blocks: int, budget: int) -> None:
    lengths = {"a": 7, "b": 3, "c": 9, "d": 1, "e": 6}
    expected = {}
    for name, length in lengths.items():
        alone = make()
        request = add(alone, name, length, max_tokens=12)
        run(alone)
        expected[name] = request.token_ids
    scheduler = make(block_size=block_size, num_blocks=num_blocks, budget=budget)
    requests = {name: add(scheduler, name, length, max_tokens=12) for name, length in lengths.items()}
    run(scheduler)
    assert {name: request.token_ids for name, request in requests.items()} == expected
    assert free_blocks(scheduler) == num_blocks - 1


def test_the_smallest_pool_serves_one_after_the_other() -> None:
    scheduler = make(block_size=1, num_blocks=2, budget=8)  # one token
    requests = [add(scheduler, name, 1) for name in "abc"]
    run(scheduler, limit=3)
    assert [request.num_output_tokens for request in requests] == [1, 1, 1]
    assert scheduler.num_preemptions == 0


def test_the_oldest_always_gets_on() -> None:
    """It is computed in every step, whoever else is preempted meanwhile: that is why nothing deadlocks."""
    scheduler = make(block_size=1, num_blocks=21, budget=32)
    for name in "abcd":
        add(scheduler, name, 4, max_tokens=16)
    while scheduler.has_unfinished:
        oldest = min(scheduler.requests.values(), key=lambda request: request.arrival)
        assert oldest.request_id in counts(step(scheduler))
    assert scheduler.num_preemptions > 0


# --- The end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["waiting", "prefilling", "running", "preempted", "scheduled"])
@pytest.mark.parametrize("status", [RequestStatus.FINISHED_ABORTED, RequestStatus.FINISHED_ERROR], ids=str)
def test_scenario_19_finish_in_any_state(state: str, status: RequestStatus) -> None:
    scheduler = make(block_size=4, num_blocks=7, budget=5 if state == "prefilling" else 64)
    others = [add(scheduler, name, 7, max_tokens=8) for name in "ab"]
    request = add(scheduler, "c", 7, max_tokens=8)
    output = None
    if state == "scheduled":
        output = scheduler.schedule()
    else:
        for _ in range({"waiting": 0, "prefilling": 3, "running": 1, "preempted": 3}[state]):
            step(scheduler)
    assert scheduler.finish("c", status, "because") is request
    if output is not None:  # the step's results come when it is gone
        touched = scheduler.update(output, {item.request_id: 7 for item in output.requests})
        assert touched == others
    scheduler.check()
    assert request.status is status
    assert request.error == ("because" if status is RequestStatus.FINISHED_ERROR else None)
    assert not any(scheduler.manager.block_ids(request))
    assert scheduler.finish("c", status) is None
    run(scheduler)
    assert [other.num_output_tokens for other in others] == [8, 8]
    assert free_blocks(scheduler) == 6


@pytest.mark.parametrize(
    ("params", "token", "reason"),
    [({}, EOS, "stop"), ({"stop_token_ids": [9]}, 9, "stop"), ({"max_tokens": 1}, 8, "length")],
    ids=["eos", "stop-token", "length"],
)
def test_an_ended_request_gives_its_blocks_back(params: dict[str, object], token: int, reason: str) -> None:
    scheduler = make(block_size=4, num_blocks=9)
    request = add(scheduler, "a", 9, **params)
    step(scheduler, {"a": token})
    assert (request.finish_reason, request.output_token_ids) == (reason, [token])
    assert not scheduler.has_unfinished and free_blocks(scheduler) == 8
    assert scheduler.schedule().released == ["a"]


def test_only_requests_that_the_runner_knows_are_released() -> None:
    scheduler = make(seqs=1)
    add(scheduler, "a", 3)
    add(scheduler, "b", 3)
    step(scheduler)
    scheduler.finish("b", RequestStatus.FINISHED_ABORTED)  # it never ran
    scheduler.finish("a", RequestStatus.FINISHED_ABORTED)
    add(scheduler, "a", 5)  # the same name again
    output = step(scheduler)
    assert output.released == ["a"]
    assert output.requests[0].starts and counts(output) == {"a": 5}


# --- Sharing ----------------------------------------------------------------------------------------------


def test_scenario_13_two_requests_of_one_step_share() -> None:
    scheduler = make(caching=True)
    for name in "ab":
        add(scheduler, name, 100)
    output = scheduler.schedule()
    assert counts(output) == {"a": 100, "b": 4}
    first, second = (scheduler.manager.block_ids(scheduler.requests[name])[0] for name in "ab")
    assert first[:6] == second[:6] and first[6] != second[6]
    scheduler.update(output, {"a": 7, "b": 7})
    scheduler.check()
    assert scheduler.requests["b"].num_cached_tokens == 96


def test_followers_fork_when_the_prompt_is_computed() -> None:
    scheduler = make(budget=10)
    params = SamplingParams(max_tokens=3)
    leader = scheduler.add("a", list(range(100, 118)), params, followers=[("a#1", params), ("a#2", params)])
    scheduler.check()
    assert counts(step(scheduler)) == {"a": 10}
    output = scheduler.schedule()
    assert [f.request_id for f in output.requests[0].followers] == ["a#1", "a#2"]
    scheduler.update(output, {"a": 7, "a#1": 8, "a#2": 9})
    scheduler.check()
    requests = [scheduler.requests[name] for name in ("a", "a#1", "a#2")]
    assert [request.token_ids[-1] for request in requests] == [7, 8, 9]
    assert len({tuple(scheduler.manager.block_ids(request)[0]) for request in requests}) == 1
    output = scheduler.schedule()
    assert counts(output) == {"a": 1, "a#1": 1, "a#2": 1}
    # Two of the three copy the last block before they write; the third is its only owner by then.
    assert [copy.source for copy in output.copies] == [2, 2] and len({c.destination for c in output.copies}) == 2
    assert leader.followers == []


def test_a_follower_takes_the_place_of_a_leader_that_ends() -> None:
    scheduler = make(budget=10)
    params = SamplingParams(max_tokens=2)
    scheduler.add("a", list(range(100, 118)), params, followers=[("b", params), ("c", params)])
    step(scheduler)
    scheduler.finish("a", RequestStatus.FINISHED_ABORTED)
    scheduler.check()
    scheduler.finish("c", RequestStatus.FINISHED_ABORTED)
    scheduler.check()
    assert counts(step(scheduler)) == {"b": 10}
    run(scheduler)
    assert free_blocks(scheduler) == 999


def test_followers_have_seats() -> None:
    scheduler = make(seqs=4)
    params = SamplingParams(max_tokens=2)
    scheduler.add("a", [1, 2, 3], params, followers=[("a#1", params), ("a#2", params)])
    add(scheduler, "b", 3)
    add(scheduler, "c", 3)
    assert counts(step(scheduler, {"a#1": 7, "a#2": 8})) == {"a": 3, "b": 3}
    with pytest.raises(RequestError, match="5 completions at once, max_num_seqs is 4"):
        scheduler.add("d", [1], params, followers=[(f"d#{i}", params) for i in range(4)])


# --- Order ------------------------------------------------------------------------------------------------


def test_scenario_15_without_chunked_prefill() -> None:
    scheduler = make(budget=1024, enable_chunked_prefill=False)
    for name, length in (("a", 800), ("b", 800), ("c", 10), ("d", 10)):
        add(scheduler, name, length)
    assert counts(step(scheduler)) == {"a": 800}  # c and d would fit and wait behind b
    assert counts(step(scheduler)) == {"a": 1, "b": 800, "c": 10, "d": 10}
    with pytest.raises(RequestError, match="1025 tokens, a step computes 1024, and enable_chunked_prefill is off"):
        add(scheduler, "e", 1025)


def test_scenario_16_priorities() -> None:
    scheduler = make(seqs=1, policy="priority")
    for arrival, (name, priority) in enumerate((("first", 2), ("third", 1), ("second", 1), ("fourth", 0))):
        scheduler.add(name, [arrival + 1], SamplingParams(max_tokens=1), priority=priority)
    order = []
    while scheduler.has_unfinished:
        order += counts(step(scheduler))
    # Arrivals 1, 2, 3, 4 with priorities 2, 1, 1, 0.
    assert order == ["fourth", "third", "second", "first"]


def test_decodes_come_before_a_prefill_under_way() -> None:
    scheduler = make(budget=8)
    add(scheduler, "a", 20)
    assert counts(step(scheduler)) == {"a": 8}
    scheduler.max_num_seqs, scheduler.max_tokens_per_request = 16, 6  # leaves room for another
    add(scheduler, "b", 2)
    assert counts(step(scheduler)) == {"a": 6, "b": 2}
    output = step(scheduler)
    assert [r.request_id for r in output.requests] == ["b", "a"] and counts(output) == {"b": 1, "a": 6}


def test_a_low_priority_gives_way_though_it_came_first() -> None:
    scheduler = make(block_size=4, num_blocks=5, policy="priority")
    scheduler.add("low", [1] * 7, SamplingParams(max_tokens=9), priority=5)
    step(scheduler)
    scheduler.add("high", [2] * 7, SamplingParams(max_tokens=9), priority=1)
    while "high" in scheduler.requests:
        step(scheduler)
    assert scheduler.requests["low"].num_preemptions == 1
    run(scheduler)


def test_a_watermark_keeps_room_for_those_who_run() -> None:
    scheduler = make(block_size=4, num_blocks=11, watermark=0.3)  # 3 of 10 stay free
    for name in "abcde":
        add(scheduler, name, 7)
    assert counts(step(scheduler)) == {"a": 7, "b": 7, "c": 7}
    alone = make(block_size=4, num_blocks=11, watermark=0.9)
    add(alone, "a", 36, max_tokens=4)
    run(alone)  # nobody runs whom the room could be for


@pytest.mark.parametrize(("option", "value"), [("policy", "lifo"), ("preemption_mode", "drop")])
def test_unknown_policies(option: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{option} is '{value}', expected one of"):
        make(**{option: value})


# --- Swapping ---------------------------------------------------------------------------------------------


def test_scenario_18_the_latest_is_swapped_and_comes_back_first() -> None:
    scheduler = make(block_size=4, num_blocks=7, swap=8, preemption_mode="swap", seqs=3)
    requests = [add(scheduler, name, 7, max_tokens=6) for name in "abcd"]
    for _ in range(2):
        step(scheduler)
    output = step(scheduler)
    assert counts(output) == {"a": 1, "b": 1} and output.released == ["c"]
    assert requests[2].status is RequestStatus.SWAPPED and requests[2].num_computed_tokens == 8
    assert len(output.copies) == 2 and scheduler.num_swaps == 1
    resumed = []
    while scheduler.has_unfinished:
        resumed += [(r.request_id, r.num_new_tokens) for r in step(scheduler).requests if r.starts]
    assert resumed == [("c", 1), ("d", 7)]  # nothing of c is computed again
    stats = scheduler.manager.stats()
    assert stats.num_swapped_out == stats.num_swapped_in == 2 and stats.num_free_swap_blocks == 8


@pytest.mark.parametrize(("cost", "swaps"), [(0.1, 1), (100.0, 0)], ids=["copying-is-cheap", "computing-is-cheap"])
def test_auto_takes_what_costs_less(cost: float, swaps: int) -> None:
    scheduler = make(block_size=4, num_blocks=7, swap=8)
    scheduler.recompute_per_block = cost
    for name in "abc":
        add(scheduler, name, 7, max_tokens=6)
    run(scheduler)
    assert (scheduler.num_preemptions, scheduler.num_swaps) == (1, swaps)


def test_a_full_host_pool_means_computing_again() -> None:
    scheduler = make(block_size=4, num_blocks=7, swap=1, preemption_mode="swap")
    for name in "abc":
        add(scheduler, name, 7, max_tokens=6)
    run(scheduler)
    assert (scheduler.num_preemptions, scheduler.num_swaps) == (1, 0)


def test_a_swapped_request_leaves_behind_what_has_left_its_window() -> None:
    """With it the request would not fit into the pool that it fitted into before."""
    groups = [FullAttentionSpec(4), SlidingWindowSpec(4, 5)]
    scheduler = make(num_blocks=7, groups=groups, seqs=2, budget=1, max_len=14, swap=40, preemption_mode="swap")
    params = SamplingParams(max_tokens=2)
    scheduler.add("a", list(range(12)), params, followers=[("b", params)])
    run(scheduler, limit=100)
    assert scheduler.num_swaps > 0 and free_blocks(scheduler) == 6


def test_a_swapped_request_whose_blocks_are_all_in_the_pool_still() -> None:
    """No block is copied back; an empty list of copies is no refusal."""
    scheduler = make(block_size=1, num_blocks=9, swap=16, preemption_mode="swap", caching=True)
    first, second = add(scheduler, "a", 3, max_tokens=4), add(scheduler, "b", 3, max_tokens=4)
    second.token_ids[:] = [50, 51, 52]
    step(scheduler)
    scheduler._preempt(second)
    scheduler.finish("a", RequestStatus.FINISHED_ABORTED)
    output = step(scheduler)
    assert counts(output) == {"b": 1}
    assert not [copy for copy in output.copies if copy.direction is CopyDirection.IN]
    run(scheduler)
    assert first.finished and second.num_output_tokens == 4


# --- Failures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copies_fail", [False, True])
def test_a_step_that_fails_may_be_tried_again(copies_fail: bool) -> None:
    scheduler = make(block_size=4, num_blocks=40, caching=True, budget=12)
    expected = {}
    for name in "abc":
        expected[name] = add(scheduler, name, 9, max_tokens=5)
    device = FakeDevice(scheduler.manager)
    fail = random.Random(5)
    while scheduler.has_unfinished:
        output = scheduler.schedule()
        fails = fail.random() < 0.4
        if fails and copies_fail:
            scheduler.revert(output)
            scheduler.drop_cache()
        else:
            device.run(output, fails=fails)
            if fails:
                scheduler.revert(output)
            else:
                scheduler.update(output, {r.request_id: 7 for r in output.requests if r.samples})
        scheduler.check()
    assert all(request.output_token_ids == [7] * 5 for request in expected.values())


def test_steered_requests_wait_for_their_token_and_give_way() -> None:
    """Four beams and three seats: who waits for a choice makes room for those whose logits are still wanted."""
    scheduler = make(block_size=4, num_blocks=40, seqs=3)
    root = add(scheduler, "a", 6)
    output = scheduler.schedule()
    scheduler.update(output, {})
    scheduler.check()
    assert root.paused
    with pytest.raises(EngineError, match="no request can run"):
        scheduler.schedule()
    beams = [root, *(scheduler.fork(root, f"b{i}") for i in range(3))]
    scheduler.check()
    for i, beam in enumerate(beams):
        scheduler.resume(beam, 50 + i)
    seen = set()
    while len(seen) < 4:
        output = scheduler.schedule()
        seen |= set(counts(output))
        scheduler.update(output, {})
        scheduler.check()
    for beam in beams:
        scheduler.finish(beam.request_id, RequestStatus.FINISHED_ABORTED)
        scheduler.check()
    assert free_blocks(scheduler) == 39


# --- Random runs ------------------------------------------------------------------------------------------

GROUPS = {
    "full": lambda size: [FullAttentionSpec(size)],
    "full-and-window": lambda size: [FullAttentionSpec(size), SlidingWindowSpec(size, 5)],
    "two-windows": lambda size: [SlidingWindowSpec(size, 3), SlidingWindowSpec(size, 9)],
    "chunks": lambda size: [ChunkedLocalAttentionSpec(size, 2 * size), FullAttentionSpec(size)],
}


class SchedulerMachine(RuleBasedStateMachine):
    """Requests of random sizes join, fork, run, fail and are aborted; a device without tensors follows along."""

    def __init__(self) -> None:
        super().__init__()
        self.scheduler = make()
        self.device = FakeDevice(self.scheduler.manager)
        self.all: dict[str, Request] = {}
        self.steered: set[str] = set()  # requests whose tokens are chosen from outside, like a beam's
        self.computed: dict[str, set[int]] = {}
        self.count = 0
        self.flying: tuple[SchedulerOutput, dict[str, int]] | None = None  # run, advanced, and not updated

    @initialize(
        kind=st.sampled_from(sorted(GROUPS)),
        block_size=st.integers(1, 5),
        num_blocks=st.integers(2, 40),
        seqs=st.integers(1, 6),
        budget=st.integers(1, 24),
        max_len=st.integers(2, 64),
        cap=st.integers(0, 8),
        caching=st.booleans(),
        swap=st.sampled_from((0, 3, 40)),
        policy=st.sampled_from(POLICIES),
        preemption_mode=st.sampled_from(PREEMPTION_MODES),
        enable_chunked_prefill=st.sampled_from((True, True, False)),
        watermark=st.sampled_from((0.0, 0.2)),
    )
    def start(self, kind: str, block_size: int, **options: Any) -> None:
        self.scheduler = make(groups=GROUPS[kind](block_size), **options)
        self.device = FakeDevice(self.scheduler.manager)

    @rule(
        length=st.integers(0, 40),
        max_tokens=st.integers(1, 24),
        min_tokens=st.integers(0, 2),
        priority=st.integers(0, 2),
        family=st.integers(0, 2),
        salt=st.sampled_from((None, None, "salt")),
        followers=st.sampled_from((0, 0, 0, 1, 3)),
        steered=st.sampled_from((False, False, True)),
        start=st.sampled_from((None, None, 1, 9)),
        changed=st.integers(0, 60),
    )
    def add(
        self,
        length: int,
        max_tokens: int,
        min_tokens: int,
        priority: int,
        family: int,
        salt: str | None,
        followers: int,
        steered: bool,
        start: int | None,
        changed: int,
    ) -> None:
        name, self.count = f"r{self.count}", self.count + 1
        prompt = [100 * family + i for i in range(length)]  # prompts of a family share their beginnings
        if changed < length:
            prompt[changed] = 999
        params = SamplingParams(
            max_tokens=max_tokens,
            min_tokens=min(min_tokens, max_tokens),
            stop_token_ids=[5],
            prompt_logprobs=None if start is None else 0,
            prompt_logprobs_start=start or 1,
        )
        scheduler = self.scheduler
        try:
            request = scheduler.add(
                name,
                prompt,
                params,
                [EOS],
                priority=priority,
                cache_keys=CacheKeys(salt=salt),
                followers=[(f"{name}#{i}", params) for i in range(followers)],
            )
        except RequestError:
            too_long = length > scheduler.max_num_batched_tokens and not scheduler.enable_chunked_prefill
            full = length >= scheduler.max_model_len or length > scheduler.max_tokens
            assert not length or full or too_long or followers >= scheduler.max_num_seqs
            return
        for each in (request, *request.followers):
            self.all[each.request_id] = each
        if steered and not followers:
            self.steered.add(name)

    @precondition(lambda self: self.scheduler.has_unfinished and self.can_run())
    @rule(
        data=st.data(),
        outcome=st.sampled_from(("fine",) * 8 + ("fails", "copy-fails", "nan")),
        flies=st.booleans(),
    )
    def step(self, data: st.DataObject, outcome: str, flies: bool) -> None:
        """A step that flies is not updated before the next one has been scheduled."""
        scheduler = self.scheduler
        output = scheduler.schedule()
        assert (0 if self.flying else 1) <= output.num_tokens <= scheduler.max_num_batched_tokens
        assert len(output.requests) <= scheduler.max_num_seqs
        for item in output.requests:
            assert item.samples == (item.num_computed_tokens + item.num_new_tokens == item.request.num_tokens)
            assert item.num_new_tokens >= 1
            if scheduler.enable_chunked_prefill:
                assert item.num_new_tokens <= scheduler.max_tokens_per_request
        if outcome == "copy-fails":
            self.land()
            scheduler.revert(output)
            scheduler.drop_cache()
            return
        self.device.run(output, fails=outcome == "fails", pending=self.flying[1] if self.flying else None)
        self.land()
        if outcome == "fails":
            scheduler.revert(output)
            return
        sampled = {}
        for item in output.requests:
            self.note_logprobs(item)
            for request in (item.request, *item.followers) if item.samples else ():
                if request.request_id in self.steered:
                    continue
                token = data.draw(st.integers(EOS, 8))
                sampled[request.request_id] = 8 if token in request.banned_token_ids else token
        plain = all(not r.followers and r.request_id not in self.steered for r in output.requests)
        if flies and plain and outcome == "fine" and output.requests:
            scheduler.advance(output)
            self.flying = output, sampled
            return
        if outcome == "nan" and output.requests:
            failed = output.requests[0].request
            for request in (failed, *failed.followers):
                scheduler.finish(request.request_id, RequestStatus.FINISHED_ERROR, "nan")
        scheduler.update(output, sampled)

    @rule()
    def land(self) -> None:
        """The tokens of the step that flies arrive."""
        if self.flying is not None:
            output, sampled = self.flying
            self.flying = None
            self.scheduler.update(output, sampled)

    def note_logprobs(self, item: ScheduledRequest) -> None:
        """A prefix hit ends before the first prompt logprob that was asked for."""
        request, params = item.request, item.request.params
        seen = self.computed.setdefault(request.request_id, set())
        seen.update(range(item.num_computed_tokens, item.num_computed_tokens + item.num_new_tokens))
        if item.samples and not request.num_output_tokens and params.prompt_logprobs is not None:
            assert seen >= set(range(params.prompt_logprobs_start - 1, request.num_prompt_tokens))

    def can_run(self) -> bool:
        """Whether some request is not waiting for its steersman."""
        return any(not self.is_pending(request) for request in self.scheduler.requests.values())

    def is_pending(self, request: Request) -> bool:
        return request in self.scheduler.parked or request.paused

    @rule(data=st.data())
    def steer(self, data: st.DataObject) -> None:
        """A beam's next token: the request goes on, or stops, or splits."""
        pending = sorted(r.request_id for r in self.scheduler.requests.values() if self.is_pending(r))
        if not pending:
            return
        request = self.scheduler.requests[data.draw(st.sampled_from(pending))]
        what = data.draw(st.sampled_from(("on", "on", "end", "fork")))
        if what == "end":
            self.scheduler.finish(request.request_id, RequestStatus.FINISHED_STOPPED)
            return
        if what == "fork":
            name, self.count = f"r{self.count}", self.count + 1
            child = self.all[name] = self.scheduler.fork(request, name)
            self.steered.add(name)
            self.scheduler.check()
            self.scheduler.resume(child, data.draw(st.integers(6, 8)))
        self.scheduler.resume(request, data.draw(st.integers(6, 8)))

    @precondition(lambda self: self.scheduler.has_unfinished)
    @rule(data=st.data())
    def abort(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.scheduler.requests)))
        self.scheduler.finish(name, RequestStatus.FINISHED_ABORTED)

    @rule()
    def reset(self) -> None:
        manager = self.scheduler.manager
        used = manager.stats().num_used_blocks
        assert manager.reset_prefix_cache() == (not used and not self.scheduler.swapped and not self.holds_host())
        if not used:
            assert manager.stats().num_cached_blocks == 0 or self.holds_host()

    def holds_host(self) -> bool:
        stats = self.scheduler.manager.stats()
        return stats.num_free_swap_blocks < stats.num_swap_blocks

    @invariant()
    def everything_is_in_order(self) -> None:
        self.scheduler.check()
        assert self.flying or not any(request.num_pending_tokens for request in self.scheduler.requests.values())
        for request in self.all.values():
            assert request.finished == (request.request_id not in self.scheduler.requests)
            assert request.num_output_tokens <= request.params.max_tokens
            assert request.num_tokens <= self.scheduler.max_model_len
        stats = self.scheduler.manager.stats()
        assert 0 <= stats.num_tokens <= stats.num_used_blocks * stats.block_size

    def teardown(self) -> None:
        self.land()
        for _ in range(10_000):
            for request in list(self.scheduler.requests.values()):
                if self.is_pending(request):
                    self.scheduler.resume(request, 8)
            if not self.scheduler.has_unfinished:
                break
            output = self.scheduler.schedule()
            self.device.run(output)
            sampled = {
                request.request_id: 8
                for item in output.requests
                if item.samples
                for request in (item.request, *item.followers)
                if request.request_id not in self.steered
            }
            self.scheduler.update(output, sampled)
        assert all(request.finished for request in self.all.values())
        stats = self.scheduler.manager.stats()
        assert stats.num_free_blocks == stats.num_blocks and stats.num_free_swap_blocks == stats.num_swap_blocks
        assert self.scheduler.manager.reset_prefix_cache()


TestSchedulerMachine = SchedulerMachine.TestCase
TestSchedulerMachine.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.long
class TestSchedulerMachineLong(SchedulerMachine.TestCase):  # type: ignore[name-defined, misc]
    settings = settings(
        max_examples=2000, stateful_step_count=120, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )


# --- Without torch ----------------------------------------------------------------------------------------

WITHOUT_TORCH = """
import sys
from importlib.machinery import PathFinder

class NotInstalled:
    @staticmethod
    def find_spec(name, path=None, target=None):
        absent = name.split(".")[0] in ("torch", "numpy", "transformers")
        return None if absent else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = NotInstalled
from torchpaged.kv_cache import BlockPool, FullAttentionSpec, KVCacheGroup, KVCacheManager
from torchpaged.scheduler import Scheduler
from torchpaged import EngineConfig, RequestOutput, SamplingParams

manager = KVCacheManager([KVCacheGroup(FullAttentionSpec(4), (0,))], 9)
scheduler = Scheduler(manager, max_num_seqs=4, max_num_batched_tokens=8, max_model_len=64)
requests = [scheduler.add(name, [1, 2, 3, 4, 5], SamplingParams(max_tokens=12)) for name in "abc"]
while scheduler.has_unfinished:
    output = scheduler.schedule()
    scheduler.update(output, {r.request_id: 7 for r in output.requests if r.samples})
    scheduler.check()
assert all(r.output_token_ids == [7] * 12 for r in requests)
assert scheduler.num_preemptions > 0 and manager.stats().num_free_blocks == 8
EngineConfig(block_size=8)
assert not {"torch", "numpy", "transformers"} & set(sys.modules)
"""


def test_without_torch() -> None:
    """An engine builder's machine: block management and scheduling, and nothing else installed."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr

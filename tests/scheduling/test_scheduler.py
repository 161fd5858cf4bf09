"""Scheduler: exact steps, preemption, and a random machine that looks for leaks. No torch, no model."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.scheduling.harness import EOS, Harness, make
from tests.scheduling.simulator import Simulator
from torchpaged.errors import EngineError, RequestError
from torchpaged.kv_cache import CopyDirection, FullAttentionSpec, SlidingWindowSpec
from torchpaged.scheduling import EncoderInput, Results, SamplingRequest, Status
from torchpaged.scheduling.sequence import Finish

# --- What a step computes ---------------------------------------------------------------------------------


def test_scenario_14_a_cap_on_long_prompts() -> None:
    harness = Harness(budget=1024, cap=400)
    for name in "abc":
        harness.add(name, 800)
    assert harness.step() == {"a": 400, "b": 400, "c": 224}
    assert harness.step() == {"a": 400, "b": 400, "c": 224}
    assert harness.step() == {"a": 1, "b": 1, "c": 352}


def test_scenario_15_nobody_jumps_the_queue() -> None:
    harness = Harness(budget=1024)
    for name, length in (("a", 800), ("b", 800), ("c", 10), ("d", 10)):
        harness.add(name, length)
    assert harness.step() == {"a": 800, "b": 224}
    assert harness.queue("waiting") == ["c", "d"]
    assert harness.step() == {"a": 1, "b": 576, "c": 10, "d": 10}


def test_a_long_prompt_at_the_head_holds_the_queue_when_the_pool_is_full() -> None:
    harness = Harness(block_size=4, num_blocks=9, budget=64)  # 32 tokens
    harness.add("a", 20)
    harness.add("b", 16)
    harness.add("c", 1)
    assert harness.step() == {"a": 20}  # b lacks one block; c would fit and waits behind it


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
    harness = Harness(seqs=seqs, budget=budget)
    for name in "abc":
        harness.add(name, 5)
    assert [harness.step() for _ in expected] == expected


def test_a_place_that_becomes_free_is_taken_in_the_next_step() -> None:
    harness = Harness(seqs=1)
    a = harness.add("a", 3, max_tokens=2)
    harness.add("b", 4, max_tokens=1)
    assert [harness.step() for _ in range(3)] == [{"a": 3}, {"a": 1}, {"b": 4}]
    assert harness.last.released == [a.id]
    assert not harness.scheduler.has_unfinished and harness.free_blocks == 999


def test_a_step_as_data() -> None:
    harness = Harness(block_size=4, budget=6)
    a = harness.add("a", 9)
    first, second, third = (harness.schedule() for _ in range(1)), None, None
    step = next(first)
    assert (step.ids, step.firsts, step.counts, step.quiet) == ([a.id], [0], [6], {a.id})
    assert step.new[a.id].token_ids == tuple(range(10, 19)) and step.new[a.id].tables == ([1, 2],)
    assert (step.tables, step.known, step.draws, step.scored, step.forks) == ([], {}, {}, {}, [])
    harness.finish_step(step)
    second = harness.schedule()
    assert (second.ids, second.firsts, second.counts, second.quiet) == ([a.id], [6], [3], set())
    assert (second.new, second.tables) == ({}, [(a.id, 0, 2, (3,))])
    harness.finish_step(second, {"a": 77})
    third = harness.schedule()
    # A plain decode sends only ids and positions: the device has the token from the last step.
    assert (third.firsts, third.counts) == ([9], [1])
    assert not any((third.new, third.tables, third.known, third.quiet, third.draws, third.scored, third.copies))
    assert a.token_ids[-1] == 77


def test_a_decode_step_is_small() -> None:
    """32 sequences of 4,000 tokens each: about a kilobyte, independent of their length."""
    harness = Harness(num_blocks=9000, seqs=32, budget=150_000, max_len=8192)
    for i in range(32):
        harness.add(f"{i}", 4000)
    harness.step()
    harness.step()
    step = harness.schedule()
    assert step.num_tokens == 32 and len(pickle.dumps(step)) <= 1024
    results = Results(step.number, step.ids, [151_000] * 32)
    assert len(pickle.dumps(results)) <= 1024
    assert pickle.loads(pickle.dumps(step)) == step


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
    harness = Harness(**sizes)
    harness.add("other", 4)
    with pytest.raises(RequestError, match="request 'long'") as error:
        harness.add("long", length)
    assert all(number in str(error.value) for number in numbers), str(error.value)
    harness.scheduler.check()
    assert list(harness.names.values()) == ["other"]
    harness.run()


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
def test_where_a_sequence_ends(length: int, sizes: dict[str, int], generated: int) -> None:
    harness = Harness(**sizes)
    sequence = harness.add("a", length)
    harness.run()
    assert (sequence.num_output_tokens, sequence.finish_reason) == (generated, "length")
    assert harness.free_blocks == harness.scheduler.manager.pool.num_usable


def test_ids_are_never_used_again() -> None:
    harness = Harness()
    a = harness.add("a", 4)
    drawn = harness.scheduler.new_id()
    harness.scheduler.finish(a, "abort")
    b = harness.add("a", 5)
    assert len({a.id, b.id, drawn}) == 3
    harness.scheduler.finish(a, "abort")  # it has ended: nothing happens
    assert a.finish_reason == "abort" and not b.ended
    harness.scheduler.check()
    harness.run()


# --- Preemption -------------------------------------------------------------------------------------------


def test_scenario_18_the_latest_gives_way() -> None:
    harness = Harness(block_size=4, num_blocks=7)  # 6 blocks
    sequences = [harness.add(name, 7, max_tokens=6) for name in "abc"]
    assert harness.step() == {"a": 7, "b": 7, "c": 7}  # two blocks each; the pool is full
    assert harness.step() == {"a": 1, "b": 1, "c": 1}
    assert harness.step() == {"a": 1, "b": 1}  # each needs a third block: c gives up two
    assert (harness.last.num_preempted, harness.names_of(harness.last.released)) == (1, ["c"])
    assert sequences[2].status is Status.WAITING
    assert (sequences[2].num_tokens, sequences[2].num_computed_tokens) == (9, 0)
    harness.run()
    assert [sequence.admission.num_preemptions for sequence in sequences] == [0, 0, 1]
    assert harness.free_blocks == 6


def test_a_preempted_sequence_comes_before_those_who_never_ran() -> None:
    harness = Harness(block_size=4, num_blocks=7, seqs=3)
    for name in "abcd":
        harness.add(name, 7, max_tokens=6)
    for _ in range(3):
        harness.step()
    assert harness.queue("waiting") == ["c", "d"]
    started = []
    while harness.scheduler.has_unfinished:
        harness.step()
        started += harness.names_of(list(harness.last.new))
    assert started == ["c", "d"]


def test_a_preempted_sequence_comes_as_a_new_one_with_all_its_tokens() -> None:
    harness = Harness(block_size=4, num_blocks=7)
    sequences = [harness.add(name, 7, max_tokens=8) for name in "abc"]
    harness.step()
    resumed = None
    while harness.scheduler.has_unfinished:
        harness.step()
        resumed = harness.last.new.get(sequences[2].id, resumed)
    assert resumed is not None
    assert resumed.token_ids == tuple(sequences[2].token_ids[:9]) and resumed.num_prompt_tokens == 7


@pytest.mark.parametrize(
    ("block_size", "num_blocks", "budget"),
    [(4, 7, 64), (1, 25, 64), (1, 25, 3), (4, 7, 5), (2, 12, 1)],
    ids=["preempts", "one-token-blocks", "chunked", "small-budget", "one-token-a-step"],
)
def test_tokens_are_those_of_an_undisturbed_run(block_size: int, num_blocks: int, budget: int) -> None:
    lengths = {"a": 7, "b": 3, "c": 9, "d": 1, "e": 6}
    expected = {}
    for name, length in lengths.items():
        alone = Harness()
        sequence = alone.add(name, length, max_tokens=12)
        alone.run()
        expected[name] = sequence.token_ids
    harness = Harness(block_size=block_size, num_blocks=num_blocks, budget=budget)
    sequences = {name: harness.add(name, length, max_tokens=12) for name, length in lengths.items()}
    harness.run()
    assert {name: sequence.token_ids for name, sequence in sequences.items()} == expected
    assert harness.free_blocks == num_blocks - 1


def test_the_smallest_pool_serves_one_after_the_other() -> None:
    harness = Harness(block_size=1, num_blocks=2, budget=8)  # one token
    sequences = [harness.add(name, 1) for name in "abc"]
    harness.run(limit=3)
    assert [sequence.num_output_tokens for sequence in sequences] == [1, 1, 1]
    assert harness.scheduler.sequence_table.num_preemptions == 0


def test_the_oldest_always_gets_on() -> None:
    """It is computed in every step, whatever else is preempted: this is why there is no deadlock."""
    harness = Harness(block_size=1, num_blocks=21, budget=32)
    for name in "abcd":
        harness.add(name, 4, max_tokens=16)
    while harness.scheduler.has_unfinished:
        oldest = min(harness.scheduler.sequences.values(), key=lambda sequence: sequence.origin.arrival)
        assert harness.names[oldest.id] in harness.step()
    assert harness.scheduler.sequence_table.num_preemptions > 0


# --- The end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["waiting", "prefilling", "running", "preempted", "scheduled", "assumed"])
@pytest.mark.parametrize("why", ["abort", "error", "stop"])
def test_scenario_19_finish_in_any_state(state: str, why: str) -> None:
    harness = Harness(block_size=4, num_blocks=7, budget=5 if state == "prefilling" else 64)
    scheduler = harness.scheduler
    others = [harness.add(name, 7, max_tokens=8) for name in "ab"]
    sequence = harness.add("c", 7, max_tokens=8)
    step = None
    if state in ("scheduled", "assumed"):
        step = harness.schedule()
        if state == "assumed":
            scheduler.assume(step)
    else:
        for _ in range({"waiting": 0, "prefilling": 3, "running": 1, "preempted": 3}[state]):
            harness.step()
    scheduler.finish(sequence, why, "because")
    if step is not None:  # the step's results come after it was removed
        results = Results(step.number, list(step.ids), [7] * len(step.ids))
        progress = scheduler.update(step, results)
        assert [each for each, _ in progress.moved] == others
    scheduler.check()
    assert (sequence.status, sequence.finish) == (Status.ENDED, Finish(why, error="because"))
    assert not any(scheduler.manager.block_ids(sequence))
    if step is None:
        harness.run()
        assert [other.num_output_tokens for other in others] == [8, 8]
        assert harness.free_blocks == 6


@pytest.mark.parametrize(
    ("params", "token", "reason"),
    [({}, EOS, "stop"), ({"stops": [9]}, 9, "stop"), ({"max_tokens": 1}, 8, "length")],
    ids=["eos", "stop-token", "length"],
)
def test_an_ended_sequence_gives_its_blocks_back(params: dict[str, object], token: int, reason: str) -> None:
    harness = Harness(block_size=4, num_blocks=9)
    sequence = harness.add("a", 9, **params)  # type: ignore[arg-type]
    harness.step({"a": token})
    assert (sequence.finish_reason, sequence.output_token_ids) == (reason, [token])
    assert (sequence.finish and sequence.finish.stop_token) == (token if reason == "stop" else None)
    assert not harness.scheduler.has_unfinished and harness.free_blocks == 8
    assert harness.schedule().released == [sequence.id]


def test_tokens_that_end_nothing_before_the_least_length() -> None:
    harness = Harness()
    sequence = harness.add("a", 3, min_tokens=3)
    for _ in range(3):
        harness.step({"a": EOS})
    assert (sequence.output_token_ids, sequence.finish_reason) == ([EOS] * 3, "stop")


@pytest.mark.parametrize(
    ("run", "kept", "reason"),
    [([7, 8, 9], [7, 8, 9], None), ([7, EOS, 9], [7, EOS], "stop"), ([5, 6, 7, 8, 9], [5, 6, 7, 8], "length")],
    ids=["whole", "cut-at-a-stop", "cut-at-the-length"],
)
def test_several_tokens_of_one_step(run: list[int], kept: list[int], reason: str | None) -> None:
    """A run of tokens is processed up to the one that ends the sequence."""
    harness = Harness()
    sequence = harness.add("a", 3, max_tokens=4)
    other = harness.add("b", 3, max_tokens=4)
    step = harness.schedule()
    results = Results(step.number, [sequence.id, other.id], [*run, 7], [len(run), 1])
    assert list(results.runs()) == [(sequence.id, run), (other.id, [7])]
    progress = harness.scheduler.update(step, results)
    assert progress.moved == [(sequence, kept), (other, [7])]
    assert (sequence.output_token_ids, sequence.finish_reason) == (kept, reason)


def test_an_error_ends_its_sequence_alone() -> None:
    harness = Harness(caching=True, block_size=4)
    bad, good = harness.add("bad", 9), harness.add("good", [5] * 9)
    step = harness.schedule()
    results = Results(step.number, [good.id], [7], errors={bad.id: "the logits are NaN"})
    progress = harness.scheduler.update(step, results)
    assert progress.moved == [(bad, ()), (good, [7])]
    assert bad.finish == Finish("error", error="the logits are NaN") and not good.ended
    again = harness.add("again", 9)
    assert harness.scheduler.manager.get_computed_blocks(again)[1] == 0  # its blocks are not found in the cache
    harness.scheduler.check()


def test_only_sequences_that_have_a_row_are_released() -> None:
    harness = Harness(seqs=1)
    a, b = harness.add("a", 3), harness.add("b", 3)
    harness.step()
    harness.scheduler.finish(b, "abort")  # it never ran
    harness.scheduler.finish(a, "abort")
    harness.add("a", 5)  # the same name again
    assert harness.step() == {"a": 5}
    assert harness.last.released == [a.id] and len(harness.last.new) == 1


# --- Sharing ----------------------------------------------------------------------------------------------


def test_scenario_13_two_sequences_of_one_step_share() -> None:
    harness = Harness(caching=True)
    sequences = [harness.add(name, 100) for name in "ab"]
    step = harness.schedule()
    assert harness.counts(step) == {"a": 100, "b": 4}
    first, second = (harness.scheduler.manager.block_ids(sequence)[0] for sequence in sequences)
    assert first[:6] == second[:6] and first[6] != second[6]
    harness.finish_step(step)
    assert sequences[1].admission.num_cached_tokens == 96


def test_completions_fork_when_the_prompt_is_computed() -> None:
    harness = Harness(budget=10)
    scheduler = harness.scheduler
    ids = [scheduler.new_id() for _ in range(3)]
    asks = SamplingRequest(draws=tuple((id, 100 + id) for id in ids))
    prompt = harness.add("a", range(100, 118), max_tokens=3, held=True, wanted=asks, num_slots=3)
    assert harness.step() == {"a": 10} and harness.progress.held == []
    step = harness.schedule()
    assert step.draws == {prompt.id: asks.draws} and not step.quiet
    harness.finish_step(step)
    assert harness.progress.held == [prompt] and harness.results.draws == ids
    scheduler.release_slots(prompt)
    forks = [harness.know(f"a#{i}", scheduler.fork(prompt, id=id)) for i, id in enumerate(ids[1:], start=1)]
    for sequence, token in zip((*forks, prompt), (8, 9, 7), strict=True):
        assert scheduler.extend(sequence, [token]) == 1
    scheduler.check()
    assert len({tuple(scheduler.manager.block_ids(sequence)[0]) for sequence in (prompt, *forks)}) == 1
    step = harness.schedule()
    assert harness.counts(step) == {"a": 1, "a#1": 1, "a#2": 1}
    # No token of the prompt is sent again, and two of the three copy the last block before they write.
    assert step.new == {} and [(fork.parent, fork.child, fork.num_tokens) for fork in step.forks] == [
        (prompt.id, ids[1], 18),
        (prompt.id, ids[2], 18),
    ]
    assert step.known == {prompt.id: (18, (7,)), ids[1]: (18, (8,)), ids[2]: (18, (9,))}
    assert [copy.source for copy in step.copies] == [2, 2] and len({c.destination for c in step.copies}) == 2
    harness.finish_step(step)
    harness.run()
    assert harness.free_blocks == 999


def test_a_fork_of_a_fork_that_nobody_was_told_of() -> None:
    harness = Harness(block_size=4)
    scheduler = harness.scheduler
    root = harness.add("a", 6, held=True, wanted=SamplingRequest(draws=()))
    harness.step()
    child = harness.know("b", scheduler.fork(root))
    grandchild = harness.know("c", scheduler.fork(child))
    scheduler.finish(root, "abort")
    scheduler.finish(child, "abort")
    scheduler.extend(grandchild, [7])
    step = harness.schedule()
    assert [(fork.parent, fork.child) for fork in step.forks] == [(root.id, grandchild.id)]
    assert step.released == [root.id]  # the child never had a row
    harness.finish_step(step)
    harness.run()


def test_forks_without_a_seat_or_a_row_are_computed_again() -> None:
    harness = Harness(block_size=4, seqs=2)
    scheduler = harness.scheduler
    root = harness.add("a", 6, held=True, wanted=SamplingRequest(draws=()))
    harness.step()
    forks = [harness.know(name, scheduler.fork(root)) for name in "bc"]
    assert [fork.status for fork in forks] == [Status.RUNNING, Status.WAITING]
    assert harness.queue("parked") == ["c"]
    for sequence in (root, *forks):
        scheduler.extend(sequence, [7])
    assert harness.queue("waiting") == ["c"]
    harness.run()
    assert len({tuple(sequence.token_ids) for sequence in (root, *forks)}) == 1


def test_seats_for_those_who_will_fork() -> None:
    harness = Harness(seqs=4)
    scheduler = harness.scheduler
    prompt = harness.add("a", 3, held=True, wanted=SamplingRequest(draws=()), num_slots=3)
    harness.add("b", 3)
    harness.add("c", 3)
    assert harness.step() == {"a": 3, "b": 3}  # four slots: c waits for one
    scheduler.release_slots(prompt)
    scheduler.extend(prompt, [7])
    assert harness.step() == {"a": 1, "b": 1, "c": 3}


def test_three_continuations_on_one_row() -> None:
    """Targets: the score of each of three tokens after the prompt, without sampling."""
    harness = Harness()
    asks = SamplingRequest(draws=(), score_from=2, targets=(5, 6, 7))
    sequence = harness.add("a", 4, held=True, wanted=asks)
    step = harness.schedule()
    assert (step.ids, step.counts, step.quiet) == ([sequence.id], [4], {sequence.id})
    scored = step.scored[sequence.id]
    assert (scored.first, scored.count, scored.targets, scored.candidates) == (2, 2, (5, 6, 7), 0)
    harness.finish_step(step)
    assert harness.progress.held == harness.progress.scored == [sequence]
    scores = harness.results.scores[sequence.id]
    assert (scores.first, len(scores.scores), len(scores.targets)) == (2, 2, 3)
    harness.scheduler.finish(sequence, "stop")
    harness.scheduler.check()


def test_scores_with_chunks_a_hit_and_a_preemption() -> None:
    """Each position is scored once, and a prefix hit ends before the first requested score."""
    harness = Harness(block_size=4, caching=True, budget=5, num_blocks=9, watermark=0.0)
    warm = harness.add("warm", 20, max_tokens=1)
    harness.run()
    assert warm.num_computed_tokens == 20
    scored = harness.add("a", 20, max_tokens=4, wanted=SamplingRequest(score_from=10))
    seen: list[int] = []
    preempted = False
    while harness.scheduler.has_unfinished:
        harness.step()
        if scored in harness.progress.scored:
            scores = harness.results.scores[scored.id]
            seen += range(scores.first, scores.first + len(scores.scores))
        if len(seen) == 5 and not preempted:
            harness.scheduler.sequence_table.preempt(scored)
            preempted = True
    assert preempted and seen == list(range(10, 20))
    assert scored.admission.num_cached_tokens == 9


def test_few_scored_tokens_beside_a_decode() -> None:
    """A prompt with logprobs is computed in small parts while another sequence decodes, and an ordinary one is not."""
    harness = Harness(budget=200, seqs=4, max_scored_tokens=8)
    harness.add("alone", 50, max_tokens=1, wanted=SamplingRequest(score_from=1))
    assert harness.step() == {"alone": 50}
    harness.add("decodes", 20)
    harness.step()
    harness.add("late", 60, wanted=SamplingRequest(score_from=41))
    harness.add("one", 30, wanted=SamplingRequest(score_from=1))
    harness.add("plain", 70)
    assert harness.step() == {"decodes": 1, "late": 48, "one": 1, "plain": 70}
    assert harness.step() == {"decodes": 1, "plain": 1, "late": 8}
    assert harness.step() == {"decodes": 1, "plain": 1, "late": 4, "one": 4}
    while len(harness.sequences["one"].token_ids) == 30:
        harness.step()
    assert all(harness.sequences[name].wanted.num_scored_tokens == size for name, size in (("late", 60), ("one", 30)))


def test_an_encoders_input_comes_with_the_sequence() -> None:
    harness = Harness()
    sequence = harness.add("a", 3, encoder=EncoderInput([1, 2], 2))
    step = harness.schedule()
    assert (step.new[sequence.id].encoder, step.new[sequence.id].num_encoder_tokens) == ([1, 2], 2)


# --- Order ------------------------------------------------------------------------------------------------


def test_scenario_15_without_chunked_prefill() -> None:
    harness = Harness(budget=1024, enable_chunked_prefill=False)
    for name, length in (("a", 800), ("b", 800), ("c", 10), ("d", 10)):
        harness.add(name, length)
    assert harness.step() == {"a": 800}  # c and d would fit and wait behind b
    assert harness.step() == {"a": 1, "b": 800, "c": 10, "d": 10}
    with pytest.raises(RequestError, match="1025 tokens, a step computes 1024, and enable_chunked_prefill is off"):
        harness.add("e", 1025)


def test_scenario_16_priorities() -> None:
    harness = Harness(seqs=1, policy="priority")
    for arrival, (name, priority) in enumerate((("first", 2), ("third", 1), ("second", 1), ("fourth", 0))):
        harness.add(name, [arrival + 1], max_tokens=1, priority=priority)
    order: list[str] = []
    while harness.scheduler.has_unfinished:
        order += harness.step()
    # Arrivals 1, 2, 3, 4 with priorities 2, 1, 1, 0.
    assert order == ["fourth", "third", "second", "first"]


def test_decodes_come_before_a_prefill_under_way() -> None:
    harness = Harness(budget=8, cap=6)
    harness.add("a", 20)
    assert harness.step() == {"a": 6}
    harness.add("b", 2)
    assert harness.step() == {"a": 6, "b": 2}
    assert list(harness.step().items()) == [("b", 1), ("a", 6)]


def test_a_low_priority_gives_way_though_it_came_first() -> None:
    harness = Harness(block_size=4, num_blocks=5, policy="priority")
    low = harness.add("low", [1] * 7, max_tokens=9, priority=5)
    harness.step()
    high = harness.add("high", [2] * 7, max_tokens=9, priority=1)
    while not high.ended:
        harness.step()
    assert low.admission.num_preemptions == 1
    harness.run()


def test_a_watermark_keeps_room_for_those_who_run() -> None:
    harness = Harness(block_size=4, num_blocks=11, watermark=0.3)  # 3 of 10 stay free
    for name in "abcde":
        harness.add(name, 7)
    assert harness.step() == {"a": 7, "b": 7, "c": 7}
    alone = Harness(block_size=4, num_blocks=11, watermark=0.9)
    alone.add("a", 36, max_tokens=4)
    alone.run()  # no running sequence could need the reserved blocks


@pytest.mark.parametrize(("option", "value"), [("policy", "lifo"), ("preemption_mode", "drop")])
def test_unknown_policies(option: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{option} is '{value}', expected one of"):
        make(**{option: value})  # type: ignore[arg-type]


# --- Swapping ---------------------------------------------------------------------------------------------


def test_scenario_18_the_latest_is_swapped_and_comes_back_first() -> None:
    harness = Harness(block_size=4, num_blocks=7, swap=8, preemption_mode="swap", seqs=3)
    sequences = [harness.add(name, 7, max_tokens=6) for name in "abcd"]
    for _ in range(2):
        harness.step()
    assert harness.step() == {"a": 1, "b": 1} and harness.names_of(harness.last.released) == ["c"]
    assert sequences[2].status is Status.SWAPPED and sequences[2].num_computed_tokens == 8
    assert len(harness.last.copies) == 2 and harness.scheduler.sequence_table.num_swaps == 1
    resumed = []
    while harness.scheduler.has_unfinished:
        counts = harness.step()
        resumed += [(harness.names[id], counts[harness.names[id]]) for id in harness.last.new]
    assert resumed == [("c", 1), ("d", 7)]  # nothing of c is computed again
    stats = harness.scheduler.manager.stats()
    assert stats.num_swapped_out == stats.num_swapped_in == 2 and stats.num_free_swap_blocks == 8


@pytest.mark.parametrize(("cost", "swaps"), [(0.1, 1), (100.0, 0)], ids=["copying-is-cheap", "computing-is-cheap"])
def test_auto_takes_what_costs_less(cost: float, swaps: int) -> None:
    harness = Harness(block_size=4, num_blocks=7, swap=8)
    harness.scheduler.sequence_table.recompute_per_block = cost
    for name in "abc":
        harness.add(name, 7, max_tokens=6)
    harness.run()
    assert (harness.scheduler.sequence_table.num_preemptions, harness.scheduler.sequence_table.num_swaps) == (1, swaps)


def test_a_full_host_pool_means_computing_again() -> None:
    harness = Harness(block_size=4, num_blocks=7, swap=1, preemption_mode="swap")
    for name in "abc":
        harness.add(name, 7, max_tokens=6)
    harness.run()
    assert (harness.scheduler.sequence_table.num_preemptions, harness.scheduler.sequence_table.num_swaps) == (1, 0)


def test_a_swapped_sequence_leaves_behind_what_has_left_its_window() -> None:
    """Otherwise the sequence would not fit into the pool that it came from."""
    groups = [FullAttentionSpec(4), SlidingWindowSpec(4, 5)]
    harness = Harness(num_blocks=7, groups=groups, seqs=2, budget=1, max_len=14, swap=40, preemption_mode="swap")
    prompt = harness.add("a", 12, max_tokens=2, held=True, wanted=SamplingRequest(draws=()), num_slots=2)
    while not harness.progress.held:
        harness.step()
    harness.scheduler.release_slots(prompt)
    child = harness.know("b", harness.scheduler.fork(prompt))
    for sequence in (prompt, child):
        harness.scheduler.extend(sequence, [50])
    harness.run(limit=100)
    assert harness.scheduler.sequence_table.num_swaps > 0 and harness.free_blocks == 6


def test_a_swapped_sequence_whose_blocks_are_all_in_the_pool_still() -> None:
    """No block is copied back; an empty list of copies is not a refusal."""
    harness = Harness(block_size=1, num_blocks=9, swap=16, preemption_mode="swap", caching=True)
    first = harness.add("a", 3, max_tokens=4)
    second = harness.add("b", [50, 51, 52], max_tokens=4)
    harness.step()
    harness.scheduler.sequence_table.preempt(second)
    harness.scheduler.finish(first, "abort")
    assert harness.step() == {"b": 1}
    assert not [copy for copy in harness.last.copies if copy.direction is CopyDirection.IN]
    harness.run()
    assert second.num_output_tokens == 4


def test_completions_whose_prompt_is_swapped_in_the_middle() -> None:
    """A half-computed prompt is swapped out and in; then all four fork from it."""
    harness = Harness(block_size=4, num_blocks=21, swap=16, preemption_mode="swap", budget=8, seqs=6)
    scheduler = harness.scheduler
    ids = [scheduler.new_id() for _ in range(4)]
    asks = SamplingRequest(draws=tuple((id, id) for id in ids))
    prompt = harness.add("n", 16, max_tokens=5, held=True, wanted=asks, num_slots=4)
    harness.step()
    scheduler.sequence_table.preempt(prompt)
    assert prompt.status is Status.SWAPPED and prompt.num_computed_tokens == 8
    assert harness.step() == {"n": 8} and harness.progress.held == [prompt]
    scheduler.release_slots(prompt)
    children = [scheduler.fork(prompt, id=id) for id in ids[1:]]
    for i, sequence in enumerate((prompt, *children)):
        harness.know(f"n#{i}", sequence)
        scheduler.extend(sequence, [40 + i])
    harness.run()
    assert [sequence.token_ids[16] for sequence in (prompt, *children)] == [40, 41, 42, 43]
    assert all(sequence.num_output_tokens == 5 for sequence in (prompt, *children))


# --- Steps that overlap -----------------------------------------------------------------------------------


def test_a_step_ahead_goes_on_from_tokens_that_are_not_known() -> None:
    harness = Harness(block_size=4)
    scheduler = harness.scheduler
    sequences = [harness.add(name, 3, max_tokens=4) for name in "ab"]
    first = harness.schedule()
    results = harness.device.run(first, lambda draw, tokens: 7)
    scheduler.assume(first)
    assert [sequence.num_pending_tokens for sequence in sequences] == [1, 1]
    second = harness.schedule()
    assert (second.firsts, second.counts) == ([3, 3], [1, 1]) and not second.known
    ahead = harness.device.run(second, lambda draw, tokens: 8)
    scheduler.update(first, results)
    assert [sequence.output_token_ids for sequence in sequences] == [[7], [7]]
    scheduler.check()
    scheduler.update(second, ahead)
    assert [sequence.output_token_ids for sequence in sequences] == [[7, 8], [7, 8]]
    harness.run()


def test_who_must_decide_is_left_out_of_the_step_ahead() -> None:
    """The others continue; without others the step ahead is empty and says what it waits for."""
    harness = Harness()
    scheduler = harness.scheduler
    held = harness.add("held", 3, held=True, wanted=SamplingRequest(draws=(), candidates=2))
    plain = harness.add("plain", [5, 6], max_tokens=2)
    first = harness.schedule()
    results = harness.device.run(first, lambda draw, tokens: 7)
    scheduler.assume(first)
    assert held.in_flight and not held.idle
    second = harness.schedule()
    assert harness.counts(second) == {"plain": 1} and not scheduler.waits
    ahead = harness.device.run(second, lambda draw, tokens: 8)
    assert scheduler.update(first, results).held == [held]
    scheduler.assume(second)
    scheduler.extend(held, [9], held=True, wanted=SamplingRequest(draws=()))
    third = harness.schedule()
    assert harness.counts(third) == {"held": 1}  # the last token of the plain one is pending
    last = harness.device.run(third, lambda draw, tokens: 8)
    scheduler.update(second, ahead)
    assert plain.finish_reason == "length"
    scheduler.assume(third)
    assert not harness.schedule().ids and scheduler.waits == {"owner": 1}
    assert scheduler.update(third, last).held == [held]


def test_a_late_result_revives_nobody() -> None:
    """Preempted for the step ahead, aborted, or added again: results apply only to the sequences they were made for."""
    harness = Harness(block_size=4, num_blocks=7)
    scheduler = harness.scheduler
    a, b, c = (harness.add(name, 7, max_tokens=6) for name in "abc")
    harness.step()
    step = harness.schedule()
    results = harness.device.run(step, lambda draw, tokens: 7)
    scheduler.assume(step)
    scheduler.finish(a, "abort")
    ahead = harness.schedule()  # it finds room without a preemption
    late = harness.device.run(ahead, lambda draw, tokens: 8)
    scheduler.sequence_table.preempt(c)
    progress = scheduler.update(step, results)
    assert [sequence for sequence, _ in progress.moved] == [b, c] and a.num_output_tokens == 1
    assert c.status is Status.WAITING and c.output_token_ids[-1] == 7
    scheduler.check()
    scheduler.update(ahead, late)
    scheduler.check()


# --- Failures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copies_fail", [False, True])
def test_a_step_that_fails_may_be_tried_again(copies_fail: bool) -> None:
    harness = Harness(block_size=4, num_blocks=40, caching=True, budget=12)
    scheduler = harness.scheduler
    sequences = [harness.add(name, 9, max_tokens=5) for name in "abc"]
    fail = random.Random(5)
    while scheduler.has_unfinished:
        step = harness.schedule()
        fails = fail.random() < 0.4
        if fails and copies_fail:
            scheduler.revert(step)
            scheduler.drop_cache()
        elif fails:
            harness.device.run(step, lambda draw, tokens: 7, fails=True)
            scheduler.revert(step)
        else:
            scheduler.update(step, harness.device.run(step, lambda draw, tokens: 7))
        scheduler.check()
    assert all(sequence.output_token_ids == [7] * 5 for sequence in sequences)


def test_a_failed_step_with_forks_and_known_tokens() -> None:
    """Rows of a failed step are not reused: its sequences are sent again with all known tokens."""
    harness = Harness(block_size=4)
    scheduler = harness.scheduler
    root = harness.add("a", 6, max_tokens=4, held=True, wanted=SamplingRequest(draws=()), num_slots=2)
    harness.step()
    scheduler.release_slots(root)
    child = harness.know("b", scheduler.fork(root))
    for sequence, token in ((root, 50), (child, 60)):
        scheduler.extend(sequence, [token])
    step = harness.schedule()
    assert step.forks and step.known
    harness.device._copy(step)  # the copies are done before a forward fails
    scheduler.revert(step)
    again = harness.schedule()
    assert set(again.new) == {root.id, child.id} and not again.forks and not again.known
    assert again.new[child.id].token_ids[-1] == 60 and set(again.released) >= {root.id}
    harness.finish_step(again)
    harness.run()


def test_a_step_is_not_taken_back_behind_another_that_flies() -> None:
    harness = Harness()
    harness.add("a", 3)
    first = harness.schedule()
    harness.scheduler.assume(first)
    second = harness.schedule()
    with pytest.raises(AssertionError):
        harness.scheduler.revert(second)


def test_steered_sequences_wait_for_their_token_and_give_way() -> None:
    """Four beams and three slots: a beam that waits for its token gives way to those whose logits are still needed."""
    harness = Harness(block_size=4, num_blocks=40, seqs=3)
    scheduler = harness.scheduler
    asks = SamplingRequest(draws=(), candidates=2)
    root = harness.add("a", 6, held=True, wanted=asks)
    harness.step()
    assert harness.progress.held == [root] and root.idle
    with pytest.raises(EngineError, match="no sequence can run"):
        scheduler.schedule()
    beams = [root, *(harness.know(f"b{i}", scheduler.fork(root)) for i in range(3))]
    scheduler.check()
    for i, beam in enumerate(beams):
        scheduler.extend(beam, [50 + i], held=True, wanted=asks)
    seen: set[str] = set()
    while len(seen) < 4:
        seen |= set(harness.step())
    for beam in beams:
        scheduler.finish(beam, "abort")
        scheduler.check()
    assert harness.free_blocks == 39


# --- Random runs ------------------------------------------------------------------------------------------


class SchedulerMachine(RuleBasedStateMachine):
    """Random machine: `Simulator`, driven and shrunk by hypothesis."""

    recurrent = False

    @initialize(pick=st.randoms(use_true_random=False))
    def start(self, pick: random.Random) -> None:
        self.simulator = Simulator(pick, recurrent=self.recurrent)

    @rule()
    def step(self) -> None:
        self.simulator.step()

    @rule()
    def add(self) -> None:
        self.simulator.add()

    @rule()
    def steer(self) -> None:
        self.simulator.steer()

    @rule()
    def abort(self) -> None:
        self.simulator.abort()

    @rule()
    def pin(self) -> None:
        self.simulator.pin()

    @rule()
    def unpin(self) -> None:
        self.simulator.unpin()

    @rule()
    def reset(self) -> None:
        """Reset an empty cache completely; check that one in use is kept."""
        manager = self.simulator.manager
        stats = manager.stats()
        used = stats.num_used_blocks + stats.num_state_slots - stats.num_free_state_slots
        used += stats.num_tail_slots - stats.num_free_tail_slots
        busy = used or any(map(manager.is_swapped, self.simulator.scheduler.sequences.values()))
        assert manager.reset_prefix_cache() == (not busy)

    @invariant()
    def everything_is_in_order(self) -> None:
        simulator = self.simulator
        simulator.scheduler.check()
        for sequence in simulator.scheduler.sequences.values():
            assert not sequence.ended and sequence.num_tokens <= simulator.scheduler.limits.max_model_len
        stats = simulator.manager.stats()
        assert stats.num_cached_state_slots <= stats.num_free_state_slots <= stats.num_state_slots
        assert 0 <= stats.num_tokens <= stats.num_used_blocks * stats.block_size

    def teardown(self) -> None:
        if hasattr(self, "simulator"):
            self.simulator.finish()


TestSchedulerMachine = SchedulerMachine.TestCase
TestSchedulerMachine.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


class RecurrentMachine(SchedulerMachine):
    """Random machine over layers with states."""

    recurrent = True


TestRecurrentMachine = RecurrentMachine.TestCase
TestRecurrentMachine.settings = settings(
    max_examples=40,
    stateful_step_count=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.long
class TestRecurrentMachineLong(RecurrentMachine.TestCase):  # type: ignore[name-defined, misc]
    settings = settings(
        max_examples=2000, stateful_step_count=120, deadline=None, suppress_health_check=[HealthCheck.too_slow]
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
from torchpaged.scheduling import Results, RowParams, Scheduler, StopRule
from torchpaged import EngineConfig, RequestOutput, SamplingParams

manager = KVCacheManager([KVCacheGroup(FullAttentionSpec(4), (0,))], 9)
scheduler = Scheduler(manager, max_num_seqs=4, max_num_batched_tokens=8, max_model_len=64)
sequences = [scheduler.add([1, 2, 3, 4, 5], RowParams(), StopRule(17)) for _ in "abc"]
while scheduler.has_unfinished:
    step = scheduler.schedule()
    draws = [id for id in step.ids if id not in step.quiet]
    scheduler.update(step, Results(step.number, draws, [7] * len(draws)))
    scheduler.check()
assert all(sequence.output_token_ids == [7] * 12 for sequence in sequences)
assert scheduler.sequence_table.num_preemptions > 0 and manager.stats().num_free_blocks == 8
EngineConfig(block_size=8)
assert not {"torch", "numpy", "transformers"} & set(sys.modules)
"""


def test_without_torch() -> None:
    """Block management and scheduling run where nothing else is installed."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr

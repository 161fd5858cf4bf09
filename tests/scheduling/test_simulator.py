"""Random runs of scheduler and block manager over a memory that remembers contents (`simulator.py`)."""

from __future__ import annotations

import os
import pickle
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.kv_cache.test_manager import grow, manager, prompt
from tests.scheduling.adapter_store import WatchedTurns
from tests.scheduling.fake_device import Choose, FakeDevice
from tests.scheduling.fake_tier import Values
from tests.scheduling.simulator import PIECE, Simulator
from torchpaged.kv_cache import CacheKeys, CopyDirection, memory_limit
from torchpaged.scheduling import Results, Scheduler, Step


def simulate(
    seed: int,
    acts: int = 150,
    *,
    recurrent: bool = False,
    drafts: bool | str = False,
    paced: bool = False,
    memory: bool = False,
    adapters: bool | str = False,
    tier: Values | None = None,
    media: bool | str = False,
    shares: bool = False,
) -> Simulator:
    """Run one simulation to its end; an error names its seed."""
    kinds: dict[str, Any] = {"recurrent": recurrent, "drafts": drafts, "paced": paced, "memory": memory}
    simulator = Simulator(seed, **kinds, adapters=adapters, tier=tier, media=media, shares=shares)
    try:
        simulator.run(acts)
        simulator.finish()
    except Exception as error:
        raise AssertionError(
            f"Simulator({seed}, recurrent={recurrent}, drafts={drafts!r}, paced={paced}, memory={memory}, "
            f"adapters={adapters!r}, tier={None if tier is None else '{}'}, media={media!r}, "
            f"shares={shares}).run({acts}): "
            f"{type(error).__name__}: {error}"
        ) from error
    return simulator


class Follower(FakeDevice):
    """Another rank's device: it gets pickled steps, and the tokens that rank 0 has drawn."""

    def _copy(self, step: Step) -> None:
        """Do nothing: `TwoRanks` has made the copies."""


class TwoRanks(FakeDevice):
    """Rank 0's device, which sends its steps to another one and compares the results."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self.other = Follower(scheduler)

    def run(self, step: Step, choose: Choose, *, fails: bool = False) -> Results:
        """Compute the step on both."""
        drawn: list[int] = []

        def draw(id: int, tokens: Sequence[int]) -> int:
            drawn.append(choose(id, tokens))
            return drawn[-1]

        sent = pickle.dumps(step, protocol=5)
        results = super().run(step, draw, fails=fails)
        again = iter(drawn)
        assert self.other.run(pickle.loads(sent), lambda id, tokens: next(again), fails=fails) == results
        return results

    def bring(self, tables: Sequence[Sequence[int]], token_ids: Sequence[int], keys: CacheKeys) -> None:
        """Write an external prefix on both."""
        super().bring(tables, token_ids, keys)
        self.other.bring(tables, token_ids, keys)

    def spoil(self, pick: random.Random) -> None:
        """Overwrite every pool of both."""
        super().spoil(pick)
        self.other.spoil(random.Random(0))

    def _copy(self, step: Step) -> None:
        super()._copy(step)
        FakeDevice._copy(self.other, pickle.loads(pickle.dumps(step, protocol=5)))


@pytest.mark.parametrize("drafts", [False, True, "model"])
@pytest.mark.parametrize("recurrent", [False, True])
def test_two_ranks_of_pickled_steps(recurrent: bool, drafts: bool | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank that knows nothing but the steps reads and writes what rank 0 does, failed steps included."""
    monkeypatch.setattr("tests.scheduling.simulator.FakeDevice", TwoRanks)
    assert sum(simulate(seed, recurrent=recurrent, drafts=drafts).num_steps for seed in range(500, 504)) > 70


def held(simulator: Simulator) -> int:
    """Return the number of accepted drafts."""
    assert simulator.scheduler.drafter is not None
    return simulator.scheduler.drafter.counts.accepted


# The first four failed with another sequence's keys and values while `unpin` left stale copies of blocks.
@pytest.mark.parametrize("first", [29, 110, 123, 214, 10_000, 20_000, 8_001_098])
def test_every_read_finds_what_was_written(first: int) -> None:
    assert sum(simulate(seed).num_steps for seed in range(first, first + 4)) > 70


@pytest.mark.parametrize(("recurrent", "drafts"), [(False, False), (True, False), (False, True), (False, "model")])
def test_a_neighbour_takes_memory(recurrent: bool, drafts: bool | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is kept, blocks whose memory went back are not found, and all sequences end when the neighbour does."""
    monkeypatch.setattr(memory_limit, "_PIECE", PIECE)
    runs = [simulate(seed, recurrent=recurrent, drafts=drafts, memory=True) for seed in range(15)]
    machines = [simulator.machine for simulator in runs if simulator.machine is not None]
    assert sum(machine.num_reclaimed for machine in machines) > 75
    assert sum(simulator.num_starved for simulator in runs) > 7


@pytest.mark.parametrize("media", [True, "whole"])
@pytest.mark.parametrize(
    "options",
    [{}, {"recurrent": True}, {"drafts": True}, {"paced": True}, {"memory": True}, {"adapters": True}, {"tier": {}}],
    ids=lambda options: next(iter(options), "plain"),
)
def test_features_of_images_are_there(options: dict[str, Any], media: bool | str) -> None:
    """When placeholders are computed, with steps that fail, end inside images, or have no room for another."""
    runs = [simulate(seed, media=media, **options) for seed in range(15)]
    caches = [run.scheduler.encoder_cache for run in runs if run.scheduler.encoder_cache is not None]
    assert sum(each.counts.num_encoded for each in caches) > 50 and sum(each.counts.num_found for each in caches) > 10
    assert media == "whole" or sum(run.device.num_inside for run in runs) > 20


@pytest.mark.parametrize("first", range(0, 24, 6))
def test_every_state_is_what_was_written(first: int) -> None:
    assert sum(simulate(seed, recurrent=True).num_steps for seed in range(first, first + 4)) > 70


def restored(seeds: range, **options: Any) -> list[Simulator]:
    """Run each seed twice over one store: the second run finds what the first has left there."""
    runs = []
    for seed in seeds:
        values: Values = {}
        runs += [simulate(seed, tier=values, **options) for _ in range(2)]
    return runs


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"recurrent": True},
        {"drafts": True},
        {"drafts": "model"},
        {"recurrent": True, "drafts": True},
        {"memory": True},
    ],
    ids=str,
)
def test_blocks_come_back_as_they_went_down(options: dict[str, Any]) -> None:
    """Evicted, written through, read into slots that had others' contents, while sequences end, fork and give way."""
    runs = restored(range(8), **options)
    counts = [run.manager.tiers.counts for run in runs if run.manager.tiers is not None]
    assert sum(each.num_read for each in counts) > 20 and sum(each.num_hit_tokens for each in counts) > 20
    assert sum(each.num_cut for each in counts) > 2 and sum(each.num_lost for each in counts) > 2
    assert sum(run.tier.num_forgotten for run in runs if run.tier is not None) > 2


def test_beginnings_are_computed_while_ends_are_read() -> None:
    """The two meet, or one is lost, aborted, preempted or out of room, among sequences of all kinds."""
    kinds: list[dict[str, Any]] = [{}, {"recurrent": True}, {"drafts": True}, {"memory": True}, {"adapters": True}]
    runs = [run for kind in kinds for run in restored(range(6), shares=True, **kind)]
    counts = [run.manager.tiers.counts for run in runs if run.manager.tiers is not None]
    assert sum(each.num_shared for each in counts) > 2 and sum(each.num_hit_tokens for each in counts) > 20


@pytest.mark.parametrize("recurrent", [False, True])
def test_drafts_are_found_by_nobody_and_overwritten(recurrent: bool) -> None:
    assert sum(held(simulate(seed, recurrent=recurrent, drafts=True)) for seed in range(10)) > 25


@pytest.mark.parametrize("recurrent", [False, True])
def test_what_a_draft_model_has_not_computed_is_found_by_nobody(recurrent: bool) -> None:
    assert sum(held(simulate(seed, recurrent=recurrent, drafts="model")) for seed in range(60, 65)) > 10


@pytest.mark.parametrize(("recurrent", "drafts"), [(False, False), (True, False), (False, True)])
def test_steps_that_have_a_time(recurrent: bool, drafts: bool) -> None:
    count: Callable[[Simulator], int] = held if drafts else lambda simulator: simulator.num_steps
    assert sum(count(simulate(seed, recurrent=recurrent, drafts=drafts, paced=True)) for seed in range(30, 36)) > 25


@pytest.mark.parametrize(
    ("recurrent", "drafts", "paced", "memory"),
    [
        (False, False, False, False),
        (True, False, False, False),
        (False, True, False, False),
        (True, "model", False, False),
        (False, False, True, False),
        (False, False, False, True),
    ],
)
def test_adapters_take_turns(
    recurrent: bool, drafts: bool | str, paced: bool, memory: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No step has too many adapters or one that is not there, none waits too long, and no block is another's."""
    monkeypatch.setattr(memory_limit, "_PIECE", PIECE)
    kinds = {"recurrent": recurrent, "drafts": drafts, "paced": paced, "memory": memory}
    runs = [simulate(seed, **kinds, adapters=True) for seed in range(500, 515)]
    assert sum(simulator.num_steps for simulator in runs) > 1000
    watched = [simulator.scheduler.adapter_turns for simulator in runs]
    assert sum(turns.num_crowded for turns in watched if isinstance(turns, WatchedTurns)) > 300
    assert sum(simulator.scheduler.waits["adapter"] for simulator in runs) > 20


@pytest.mark.parametrize("drafts", [False, True])
def test_without_adapters_no_step_is_another(drafts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Simulator, "takes_digest", True)
    for seed in range(40, 44):
        without, might = (simulate(seed, drafts=drafts, adapters=adapters) for adapters in (False, "none"))
        assert without.digest == might.digest != b"" and without.num_steps == might.num_steps


@pytest.mark.long
@pytest.mark.parametrize("recurrent", [False, True])
@pytest.mark.parametrize("drafts", [False, True, "model"])
def test_100_000_steps_with_adapters(recurrent: bool, drafts: bool | str) -> None:
    first = int(os.environ.get("TORCHPAGED_SEED", "2000000"))
    steps, seed = 0, first
    while steps < 100_000:
        steps += simulate(seed, recurrent=recurrent, drafts=drafts, adapters=True).num_steps
        seed += 1


@pytest.mark.long
@pytest.mark.parametrize("recurrent", [False, True])
@pytest.mark.parametrize("drafts", [False, True, "model"])
def test_100_000_steps(recurrent: bool, drafts: bool | str) -> None:
    first = int(os.environ.get("TORCHPAGED_SEED", "1000000"))
    steps, seed = 0, first
    while steps < 100_000:
        steps += simulate(seed, recurrent=recurrent, drafts=drafts).num_steps
        seed += 1


def test_an_unpinned_block_is_not_swapped_in_for_its_copy() -> None:
    """A pin outlives the swap of the request that computed it; once unpinned, its block may get other contents."""
    blocks = manager(8, 4, caching=True, swap=8)
    first, second = prompt("a", 100), prompt("b", 100, start=500)
    grow(blocks, first, 8)
    blocks.pin("pin", first)
    blocks.swap_out(first)
    blocks.check()
    blocks.unpin("pin")
    blocks.check()
    grow(blocks, second, 28)  # every block of the pool holds something else now
    blocks.free(second, forget=True)
    blocks.take_copies()
    back = blocks.swap_in(first)
    assert back is not None and [copy.direction for copy in back] == [CopyDirection.IN] * 2
    blocks.check()

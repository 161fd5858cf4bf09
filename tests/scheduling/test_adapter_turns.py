"""Adapters take turns: alone, and in a scheduler over a memory that remembers contents."""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import drain, engine, follow
from tests.scheduling.harness import Harness
from torchpaged import LLMEngine, SamplingParams
from torchpaged.errors import ConfigError, EngineError, ModelError
from torchpaged.kv_cache import CacheKeys
from torchpaged.requests.group import Group, Request
from torchpaged.requests.sampling import SamplingGroup
from torchpaged.scheduling import RowParams, SamplingRequest, Sequence, StopRule
from torchpaged.scheduling.adapter_turns import AdapterTurns
from torchpaged.scheduling.sequence import Origin, Sampling


class Store:
    """`AdapterStore` that is told what is ready.

    Attributes:
        claimed: in the order of the claims.
        ready: adapters in host memory; None: all.
    """

    def __init__(self, ready: Collection[str] | None = None) -> None:
        self.claimed: list[str] = []
        self.ready = None if ready is None else set(ready)
        self.fails_at = ""

    def claim(self, content: str) -> None:
        """Implement `AdapterStore.claim`."""
        if content == self.fails_at:
            raise KeyboardInterrupt
        assert content not in self.claimed
        self.claimed.append(content)

    def release(self, content: str) -> None:
        """Implement `AdapterStore.release`."""
        if content in self.claimed:
            self.claimed.remove(content)

    def is_ready(self, content: str) -> bool:
        """Implement `AdapterStore.is_ready`."""
        return self.ready is None or content in self.ready

    def wait(self, contents: Collection[str], timeout: float) -> None:
        """Implement `AdapterStore.wait`."""
        raise AssertionError("nothing waits")


def turns_of(adapters: str, max_loras: int, min_steps: int = 8, **options: int) -> tuple[AdapterTurns, Store]:
    """Return turns of one sequence for each letter, and their store, where nothing is ready."""
    store = Store(())
    turns = AdapterTurns(store, max_loras, min_steps, **options)
    for adapter in adapters:
        turns.enter(adapter)
    return turns, store


def served(turns: AdapterTurns, adapters: str) -> str:
    """Return those of the adapters that the step serves."""
    return "".join(filter(turns.serves, adapters))


def step(turns: AdapterTurns, wanting: str, *, coming: str = "", in_flight: str = "") -> str:
    """Schedule a step that computes sequences of all adapters that it serves; return these."""
    turns.begin(list(wanting), list(coming), set(in_flight))
    found = served(turns, wanting)
    turns.end(set(found) - set(in_flight))
    return found


# --- Turns alone ------------------------------------------------------------------------------------------


def test_if_all_fit_all_are_served() -> None:
    turns, store = turns_of("abab", 2)
    assert not turns.is_crowded and not turns.serves("a") and turns.serves(None)
    assert not turns.begin() and turns.unread == ["a", "b"] and store.claimed == ["a", "b"]
    store.ready = {"b"}
    assert turns.begin() and served(turns, "ab") == "b" and not turns.serves_all
    store.ready = None
    assert turns.begin() and turns.serves_all and not turns.begin() and not turns.unread
    turns.leave("b")
    turns.check("aba")
    turns.leave("b")
    assert store.claimed == ["a"] and turns.serves_all
    turns.clear()
    assert not store.claimed and turns.serves_all
    turns.check(())


@pytest.mark.parametrize("seed", range(30))
def test_the_bound_is_kept_and_reached(seed: int) -> None:
    pick = random.Random(seed)
    max_loras, min_steps, count = pick.randint(1, 5), pick.randint(1, 9), pick.randint(1, 26)
    adapters = "abcdefghijklmnopqrstuvwxyz"[:count]
    turns, store = turns_of(adapters, max_loras, min_steps, max_claims=max_loras + pick.choice((0, 1, 50)))
    store.ready = None
    waits, longest = dict.fromkeys(adapters, 0), 0
    for _ in range(1000):
        found = step(turns, adapters) if turns.is_crowded else (turns.begin(), served(turns, adapters))[1]
        assert len(found) == min(max_loras, count)
        waits = {each: 0 if each in found else wait + 1 for each, wait in waits.items()}
        longest = max(longest, *waits.values())
        turns.check(adapters)
    assert longest == (-(-count // max_loras) - 1) * min_steps


def test_a_turn_lasts_while_it_is_used() -> None:
    turns, store = turns_of("abc", 1, 3)
    store.ready = None
    assert [step(turns, "abc") for _ in range(7)] == ["a"] * 3 + ["b"] * 3 + ["c"]
    assert step(turns, "ab") == "a", "nothing of c wants to run, so it gives way at once"
    turns.begin("ab", (), ())
    turns.end(())
    assert step(turns, "ab") == "b", "there was no room for a's sequences"
    assert [step(turns, "b") for _ in range(5)] == ["b"] * 5, "no other adapter wants to run"
    assert step(turns, "bc") == "c"


def test_in_flight_keeps_its_turn() -> None:
    """A sequence that waits for the results of each step is served in every other one."""
    turns, store = turns_of("ab", 1, 4)
    store.ready = None
    for _ in range(2):
        assert step(turns, "ab") == "a"
        turns.begin("ab", (), "a")
        turns.end({None})  # of sequences without an adapter
    assert step(turns, "ab") == "b"


def test_the_next_ones_are_read_while_others_run() -> None:
    turns, store = turns_of("abcde", 1, 2, max_claims=3)
    store.ready = {"a"}
    assert [step(turns, "abc", coming="de") for _ in range(5)] == ["a"] * 5
    assert store.claimed == ["a", "b", "c"]
    store.ready = {"a", "c"}
    assert [step(turns, "abc") for _ in range(3)] == ["c", "c", "a"], "b is not there, so that it has no place yet"
    assert sorted(store.claimed) == ["a", "b", "c"]
    store.ready = None
    assert [step(turns, "abc") for _ in range(3)] == ["a", "b", "b"]
    assert step(turns, "a", coming="de") == "a" and sorted(store.claimed) == ["a", "d", "e"]


def test_a_place_that_is_read_into_goes_to_one_that_is_there() -> None:
    turns, store = turns_of("abc", 1, 8, max_claims=2)
    assert step(turns, "abc") == "" and store.claimed == ["a", "b"] and turns.unread == ["a", "b"]
    store.ready = {"b"}
    assert step(turns, "abc") == "b" and turns.unread == ["a"]
    assert store.claimed == ["a", "b"], "a is first in line"


def test_without_further_claims_a_place_waits_for_its_file() -> None:
    turns, store = turns_of("abc", 1, 2)
    store.ready = {"a", "c"}
    assert [step(turns, "abc") for _ in range(5)] == ["a", "a", "", "", ""]
    assert store.claimed == ["b"] and turns.unread == ["b"]
    store.ready = None
    assert [step(turns, "abc") for _ in range(4)] == ["b", "b", "c", "c"]


def test_an_interrupted_claim_is_released() -> None:
    turns, store = turns_of("ab", 2)
    store.fails_at = "b"
    with pytest.raises(KeyboardInterrupt):
        turns.begin()
    turns.clear()
    assert not store.claimed
    turns.check(())


# --- In a scheduler ---------------------------------------------------------------------------------------


def harness(max_loras: int = 1, min_steps: int = 2, *, ready: str | None = None, **sizes: int) -> tuple[Harness, Store]:
    """Return a scheduler with turns, and their store."""
    store = Store(ready)
    options = {"caching": True, "block_size": 4, **sizes}
    return Harness(adapter_turns=AdapterTurns(store, max_loras, min_steps), **options), store


def test_sequences_of_two_adapters_alternate() -> None:
    running, _ = harness()
    for name, adapter in (("a1", "a"), ("base", None), ("b1", "b"), ("a2", "a")):
        running.add(name, 6, max_tokens=9, adapter=adapter)
    assert set(running.step()) == {"a1", "base"} and running.queue("waiting") == ["b1", "a2"]
    assert set(running.step()) == {"a1", "base"}, "a2 does not overtake b1"
    assert [set(running.step()) for _ in range(2)] == [{"base", "b1", "a2"} - {"a2"}] * 2
    assert [set(running.step()) for _ in range(2)] == [{"base", "a1", "a2"}] * 2
    running.run()
    assert all(len(sequence.token_ids) == 15 for sequence in running.sequences.values())


def test_the_runner_is_told_of_adapters() -> None:
    running, _ = harness(2)
    asks = SamplingRequest(draws=(), candidates=3)
    parent = running.add("a", 6, max_tokens=9, adapter="a", held=True, wanted=asks)
    running.add("base", 6, max_tokens=9)
    running.step()
    assert [new.adapter for new in running.last.new.values()] == ["a", None]
    child = running.know("child", running.scheduler.fork(parent))
    assert child.adapter == "a"
    running.scheduler.finish(parent, "abort")
    running.scheduler.extend(child, [5])
    running.step()
    assert running.last.forks and running.scheduler.adapter_turns is not None
    running.run()
    assert not running.scheduler.adapter_turns.num_present


def test_an_empty_step_waits_for_an_adapter() -> None:
    running, store = harness(2, ready="")
    running.add("a", 6, max_tokens=4, adapter="a")
    assert [running.step() for _ in range(3)] == [{}] * 3 and running.scheduler.waits["adapter"] == 3
    running.add("base", 6, max_tokens=4)
    assert running.step() == {}, "the queue is strictly in order"
    store.ready = None
    assert running.step() == {"a": 6, "base": 6}
    running.run()
    assert running.scheduler.waits["adapter"] == 4 and not store.claimed


def test_one_that_has_no_blocks_does_not_stop_those_that_have_them() -> None:
    """With one place: the queue's first has its turn, finds no blocks, and the running one goes on in the same step."""
    running, _ = harness(num_blocks=8)
    running.add("long", 20, max_tokens=7, adapter="a")
    running.add("next", 20, max_tokens=7, adapter="b")
    assert [running.step() for _ in range(7)] == [{"long": 20}] + [{"long": 1}] * 6
    assert running.step() == {"next": 20}
    running.run()


def test_a_queue_without_blocks_leaves_the_places_to_those_that_run() -> None:
    """Only the first of the queue has a turn, which ends with the step in which it finds no blocks."""
    running, _ = harness(2, 8, num_blocks=34, max_len=70)
    for name in "abc":
        running.add(name, 15, max_tokens=25, adapter=name)
    for name in "efghij":
        running.add(name, 60, max_tokens=2, adapter=name)
    counts = [len(running.step()) for _ in range(33)]
    assert counts.count(2) >= 31 and min(counts) == 1
    running.run()


def test_a_sequence_in_flight_keeps_its_place_from_the_next_one() -> None:
    """A token that must be read stops the sequence for a step, if steps overlap; another adapter would be loaded."""
    running, _ = harness(min_steps=4)
    for name in "ab":
        running.add(name, 6, max_tokens=9, adapter=name).sampling.needs_tokens = True
    scheduler, seen = running.scheduler, []
    for _ in range(6):
        step = running.schedule()
        results = running.device.run(step, lambda draw, tokens: 7)
        scheduler.assume(step)
        ahead = running.schedule()
        seen.append((running.names_of(step.ids), running.names_of(ahead.ids)))
        scheduler.update(step, results)
        scheduler.update(ahead, running.device.run(ahead, lambda draw, tokens: 7))
        scheduler.check()
    assert seen == [(["a"], [])] * 3 + [(["a"], ["b"])] + [(["b"], [])] * 2


def test_an_idle_sequence_holds_no_turn() -> None:
    running, _ = harness(min_steps=100)
    asks = SamplingRequest(draws=(), candidates=3)
    held = running.add("held", 6, max_tokens=9, adapter="a", held=True, wanted=asks)
    running.add("b", 6, max_tokens=3, adapter="b")
    assert running.step() == {"held": 6}
    assert [running.step() for _ in range(3)] == [{"b": 6}, {"b": 1}, {"b": 1}]
    running.scheduler.extend(held, [5])
    assert running.step() == {"held": 1}


def test_prefixes_are_shared_under_the_same_adapter_only() -> None:
    running, _ = harness(3)
    for name, adapter, cached in (("1", "a", 0), ("2", "b", 0), ("3", None, 0), ("4", "a", 20), ("5", "b", 20)):
        sequence = running.add(name, 21, max_tokens=2, adapter=adapter)
        running.run()
        assert sequence.admission.num_cached_tokens == cached, name


def test_a_scheduler_without_turns_takes_no_adapter() -> None:
    with pytest.raises(EngineError, match="the engine has none"):
        Harness().add("a", 6, adapter="a")


def test_after_a_reset_nothing_is_claimed() -> None:
    running, store = harness(2)
    for adapter in "abc":
        running.add(adapter, 6, adapter=adapter)
        running.step()
    assert store.claimed
    running.scheduler.reset()
    running.scheduler.check()
    assert not store.claimed


# --- In an engine -----------------------------------------------------------------------------------------


class SlowStore(Store):
    """Store whose files have been read at the fifth wait."""

    def __init__(self) -> None:
        super().__init__(())
        self.timeouts: list[float] = []

    def wait(self, contents: Collection[str], timeout: float) -> None:
        """Wait for one of these."""
        assert self.ready is not None and not any(map(self.is_ready, contents))
        self.timeouts.append(timeout)
        if len(self.timeouts) == 5:
            self.ready.update(contents)


def test_an_engine_waits_for_a_file_without_running_idle() -> None:
    """Each step that computes nothing waits once, and not for too short a time."""
    running, store = engine(), SlowStore()
    running.scheduler.sequence_table.adapter_turns = AdapterTurns(store, 1)

    def start(number: int) -> Group:
        request = Request(number, "r", None, [3, 4, 5], keys=CacheKeys(lora="a"))
        params = SamplingParams(temperature=0.0, max_tokens=5)
        return SamplingGroup(request, params, running.vocabulary)

    running._output_processor.add_request(start)
    step, num_steps = running.step, 0

    def counted() -> Any:
        nonlocal num_steps
        num_steps += 1
        return step()

    running.step = counted  # type: ignore[method-assign]
    assert drain(running)["r"].outputs[0].token_ids == follow([3, 4, 5], 5)
    assert running.stats().waits["adapter"] == len(store.timeouts) == 5 and min(store.timeouts) >= 0.01
    assert num_steps <= 5 + 5 + 2


def test_a_saved_prefix_belongs_to_its_adapter(tmp_path: Path) -> None:
    def made() -> tuple[LLMEngine, Store]:
        running, store = engine(), Store()
        running.scheduler.sequence_table.adapter_turns = AdapterTurns(store, 2)
        return running, store

    (first, _), (second, store), plain = made(), made(), engine()
    tokens = [2 + i % 20 for i in range(16)]
    for adapter in ("a", None):
        first.prefixes.pin(tokens, CacheKeys(lora=adapter))
    first.prefixes.save(tmp_path / "both")
    first.prefixes.save(tmp_path / "a", ["pin-1"])

    for path, keys, error, message in (
        ("both", CacheKeys(lora="a"), ModelError, "another adapter: none, expected a"),
        ("a", CacheKeys(lora="b"), ModelError, "another adapter: a..., expected b"),
    ):
        with pytest.raises(error, match=message):
            second.prefixes.load(tmp_path / path, keys)
    with pytest.raises(ConfigError, match="enable_lora"):
        plain.prefixes.load(tmp_path / "a")
    assert not second.prefixes.names and not plain.prefixes.names

    assert len(second.prefixes.load(tmp_path / "a")) == 1
    for adapter, found in ((None, 0), ("b", 0), ("a", 16)):
        computed = second.scheduler.manager.get_computed_blocks(_sequence(tokens, adapter))
        assert computed[1] == found, adapter
    assert len(second.prefixes.load(tmp_path / "both")) == 2
    assert second.scheduler.manager.get_computed_blocks(_sequence(tokens, None))[1] == 16
    second.prefixes.renew()
    second.check()
    assert len(second.prefixes.names) == 3 and not store.claimed


def _sequence(tokens: list[int], adapter: str | None) -> Sequence:
    origin = Origin(0, 0, len(tokens) + 1, cache_keys=CacheKeys(lora=adapter))
    return Sequence(10**6 + hash(adapter), origin, [*tokens, 2], Sampling(RowParams()), StopRule(100))

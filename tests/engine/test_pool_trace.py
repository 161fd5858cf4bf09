"""Trace: the page's data against the scheduler's steps, and the page itself."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import FakeModel, FakeTokenizer, engine
from torchpaged import BeamSearchParams, LLMEngine, SamplingParams
from torchpaged.engine.pool_trace import Trace
from torchpaged.tools.trace import Arrival, run

SHARED = [5, 6, 7, 8, 9, 10, 11, 12]


def params(max_tokens: int = 8, **settings: Any) -> SamplingParams:
    return SamplingParams(max_tokens=max_tokens, ignore_eos=True, **{"temperature": 0.0, **settings})


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="trace">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def triples(flat: list[Any]) -> Iterator[tuple[Any, Any, Any]]:
    return zip(flat[::3], flat[1::3], flat[2::3], strict=True)


class Replay:
    """The state at each frame of a page's data, as the page's own script finds it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.blocks: dict[int, tuple[dict[str, Any], int]] = {}
        self.host: dict[int, tuple[dict[str, Any], int]] = {}
        self.status: dict[int, str] = {}

    def take(self, frame: dict[str, Any]) -> None:
        for name in ("blocks", "host"):
            for block, look, position in triples(frame[name]):
                getattr(self, name)[block] = (self.data["looks"][look], position)
        self.status.update(zip(frame["requests"][::2], frame["requests"][1::2], strict=True))

    def names(self, numbers: list[int]) -> list[str]:
        return [self.data["sequences"][number]["name"] for number in numbers]

    def states(self) -> Counter[str]:
        counts = Counter(look["state"] for look, _ in self.blocks.values())
        counts["free"] += self.data["num_blocks"] - len(self.blocks)
        return counts


class Watch:
    """An engine's own statistics, without a trace."""

    def __init__(self, running: LLMEngine) -> None:
        self.running = running
        self.names: dict[Hashable, str] = {}
        self._firsts: dict[int, int] = {}

    def name_all(self) -> None:
        """Name the current sequences: a request's first one has its name, the others are numbered from it."""
        for sequence in self.running.scheduler.sequences.values():
            place = sequence.id - self._firsts.setdefault(sequence.origin.owner, sequence.id)
            name = self.running.name_of(sequence.origin.owner) + (f"#{place}" if place else "")
            self.names.setdefault(sequence.id, name)
        self.names.update({name: name for name in self.running.prefixes.names})

    def now(self) -> dict[str, Any]:
        """Return the statistics after a step."""
        self.name_all()
        running, names = self.running, self.names
        manager, queues = running.scheduler.manager, running.scheduler.sequence_table.queues
        pool, step = manager.pool, running.last_step
        assert step is not None
        return {
            "owners": {b: sorted(names[owner] for owner in owners) for b, owners in manager.owners().items()},
            "refs": {block.block_id: block.ref_count for block in pool.blocks if block.ref_count},
            "cached": {b.block_id: b.content.token_ids for b in pool.blocks if not b.ref_count and b.content},
            "tables": {names[each.id]: manager.block_ids(each) for each in queues.running},
            "queues": {
                "running": {names[each.id] for each in queues.running},
                "swapped": {names[each.id] for each in queues if each.status.value == "swapped"},
            },
            "num_tokens": step.num_tokens,
            "work": list(zip([names[id] for id in step.ids], step.firsts, step.counts, strict=True)),
            "copies": [(c.source, c.destination, c.direction.value) for c in step.copies],
            "preempted": step.num_preempted,
            "stats": running.stats(),
            "host": {b.block_id: b.ref_count for b in manager.host_pool.blocks if b.ref_count}
            if manager.host_pool
            else {},
        }


def add_mixed(running: LLMEngine) -> None:
    running.add_request("left", [*SHARED, 13, 14], params(18))
    running.add_request("right", [*SHARED, 15], params(14))
    running.add_request("fork", [20, 21, 22, 23, 24], params(6, n=3, temperature=1.0, seed=1))
    running.add_request("long", [25, 26], params(24))
    running.add_request("beams", [3, 4, 5, 6, 7], BeamSearchParams(beam_width=3, max_tokens=6))


@pytest.mark.parametrize(
    ("settings", "pinned"),
    [
        ({"num_blocks": 101}, False),
        ({"num_blocks": 17}, False),
        ({"num_blocks": 17, "swap_space": 3e-5, "preemption_mode": "swap"}, False),
        ({"num_blocks": 21, "swap_space": 3e-5, "preemption_mode": "swap"}, True),
        ({"num_blocks": 17, "enable_prefix_caching": False}, False),
        ({"num_blocks": 13, "max_num_batched_tokens": 4}, False),
    ],
    ids=["roomy", "recompute", "swap", "pinned", "no-caching", "chunks"],
)
def test_the_page_shows_what_the_scheduler_did(settings: dict[str, Any], pinned: bool) -> None:
    running = engine(tokenizer=FakeTokenizer(), **settings)
    if pinned:
        running.pin_prefix(SHARED)
    add_mixed(running)
    trace, watch, seen = Trace(running), Watch(running), []
    while running.has_unfinished_requests:
        watch.name_all()
        running.step()
        trace.record()
        seen.append(watch.now())
        if len(seen) == 20:
            running.add_request("late", [*SHARED, 16], params(4))
    data = data_of(trace.page())
    assert (
        data["num_blocks"] == settings["num_blocks"] - 1 and len(data["frames"]) == len(seen) + 1 == trace.num_steps + 1
    )
    replay = Replay(data)
    replay.take(data["frames"][0])
    hits = data["frames"][0]["tokens"][3]
    for frame, truth in zip(data["frames"][1:], seen, strict=True):
        replay.take(frame)
        owned = {block: look for block, (look, _) in replay.blocks.items() if look["refs"]}
        assert {block: sorted(replay.names(look["owners"])) for block, look in owned.items()} == truth["owners"]
        assert {block: look["refs"] for block, look in owned.items()} == truth["refs"]
        for block, look in owned.items():
            pins = any(name.startswith("pin-") for name in truth["owners"][block])
            assert look["state"] == ("pinned" if pins else "shared" if look["refs"] > 1 else "running")
        for block, token_ids in truth["cached"].items():
            look, position = replay.blocks[block]
            first = position * data["block_size"]
            assert look["state"] == "cached"
            held = data["sequences"][look["origin"]]["tokens"][first : first + data["block_size"]]
            assert tuple(held) == token_ids
        for name, tables in truth["tables"].items():
            for position, block in enumerate(tables[0]):
                look, found = replay.blocks[block]
                assert name in replay.names(look["owners"]) and found == position
        assert frame["counts"] == [replay.states()[state] for state in data["block_states"]]
        assert sum(frame["counts"]) == data["num_blocks"]
        cache = truth["stats"].cache
        assert frame["counts"][:2] == [cache.num_free_blocks - cache.num_cached_blocks, cache.num_cached_blocks]
        assert frame["counts"][4] == cache.num_pinned_blocks
        assert frame["step"] == truth["stats"].num_steps
        for status, names in truth["queues"].items():
            assert {replay.names([n])[0] for n, word in replay.status.items() if word == status} == names
        computed = [(replay.names([n])[0], first, count) for n, first, count in triples(frame["work"]) if count]
        assert computed == truth["work"]
        prefill, again, decode, cached = frame["tokens"]
        assert prefill + again + decode == truth["num_tokens"]
        hits += cached
        assert hits == cache.num_hit_tokens
        assert list(triples(frame["copies"])) == truth["copies"]
        assert frame["preempted"] == truth["preempted"]
        swapped = {block: look for block, (look, _) in replay.host.items() if look["refs"]}
        assert {block: look["refs"] for block, look in swapped.items()} == truth["host"]
        assert all(look["origin"] >= 0 for look in swapped.values())
        assert set(replay.names([n for look in swapped.values() for n in look["owners"]])) <= truth["queues"]["swapped"]
        assert sum(frame["host_counts"]) == data["num_swap_blocks"]
        assert frame["host_counts"][1:] == [len(truth["host"])]
    assert sum(frame["preempted"] for frame in data["frames"]) == running.stats().num_preemptions
    assert (running.stats().num_preemptions > 0) == (settings["num_blocks"] < 100)
    assert (running.stats().num_swaps > 0) == ("swap_space" in settings)
    assert set(replay.status.values()) == {"finished"}
    assert data["pieces"]["5"] == "f"


def test_tokens_of_a_step_are_told_apart() -> None:
    running = engine(num_blocks=9, enable_prefix_caching=False)  # 8 blocks of 4 tokens
    for name in ("first", "second"):
        running.add_request(name, [5, 6, 7, 8, 9, 10], params(16))
    trace = Trace(running)
    while running.has_unfinished_requests:
        running.step()
        trace.record()
    tokens = [frame["tokens"] for frame in trace.data()["frames"]]
    assert tokens[:3] == [[0, 0, 0, 0], [12, 0, 0, 0], [0, 0, 2, 0]]
    # The second is preempted with 16 tokens computed, and once the first has ended those are computed again; the
    # seventeenth is the first time.
    assert [count for count in tokens if count[1]] == [[1, 16, 0, 0]]
    assert sum(map(sum, tokens)) == 2 * 21 + 16


def test_a_trace_may_begin_late_and_a_name_may_come_again() -> None:
    running = engine()
    first = run(running, [Arrival("same", [*SHARED, 13], params(2))])
    assert first.num_steps == 2
    trace = run(running, [Arrival("same", [*SHARED, 14], params(2)), Arrival("same", [6, 7], params(2), 5)])
    sequences = trace.data()["sequences"]
    assert [s["kind"] for s in sequences].count("earlier") == 2  # the cached blocks of the first
    assert [s["tokens"][:2] for s in sequences if s["name"] == "same"] == [SHARED[:2], [6, 7]]
    assert {tuple(s["tokens"]) for s in sequences if s["kind"] == "earlier"} == {(5, 6, 7, 8), (9, 10, 11, 12)}


def test_a_request_of_one_step_is_in_the_page() -> None:
    trace = run(engine(), [Arrival("one", SHARED, params(1))])
    data = trace.data()
    assert [(s["name"], s["finish"]) for s in data["sequences"]] == [("one", "length")]
    assert data["frames"][-1]["requests"] == [0, "finished"]


def test_completions_are_told_apart() -> None:
    trace = run(engine(), [Arrival("two", SHARED, params(2, n=2, temperature=1.0, seed=0))])
    data = trace.data()
    assert [(s["name"], s["finish"]) for s in data["sequences"]] == [("two", "length"), ("two#1", "length")]
    assert data["frames"][-1]["requests"] == [0, "finished", 1, "finished"]


def test_the_page_is_self_contained(tmp_path: Path) -> None:
    path = tmp_path / "trace.html"
    trace = run(engine(), [Arrival("</script><b>&\u2028", SHARED, params(2))], title="</script>")
    assert trace.write(path) == path.stat().st_size
    page = path.read_text(encoding="utf-8")
    assert "://" not in page and not re.search(r"\b(src|href)\s*=|@import|\burl\(|\bfetch\(|\bimport\(", page)
    assert page.count("</script>") == 2 and "default-src 'none'" in page
    assert data_of(page)["sequences"][0]["name"] == "</script><b>&\u2028" and data_of(page)["title"] == "</script>"


def test_a_tokenizer_that_fails_costs_a_text_only() -> None:
    trace = run(engine(tokenizer=FakeTokenizer(fails_at=7)), [Arrival("0", [5, 6, 7], params(1))])
    pieces = trace.data()["pieces"]
    assert 7 not in pieces and pieces[6] == "g"


@pytest.mark.long
def test_a_long_run_of_a_large_pool_stays_small() -> None:
    running = engine(_Long(), num_blocks=2001, max_num_seqs=32)
    prompts = [[2 + (i * j) % 29 for j in range(1, 90)] for i in range(1, 100)]
    trace = run(running, [Arrival(f"request-{i}", p, params(100 + i % 60)) for i, p in enumerate(prompts)])
    assert trace.num_steps > 400
    assert len(trace.page()) < 3_000_000


class _Long(FakeModel):
    spec = replace(FakeModel.spec, max_model_len=512)

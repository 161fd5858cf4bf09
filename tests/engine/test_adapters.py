"""AdapterRegistry: names, replaced files, the way into host memory, and many threads at once."""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adapter_files import Host, adapter, read, slots, write
from torchpaged.engine.adapters import AdapterRegistry
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.lora_request import LoRARequest
from torchpaged.weights.lora_adapter import LoraAdapter


class Files:
    """A reader of files that counts, and that can be made to wait."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()
        self.gate = threading.Event()
        self.gate.set()

    def read(self, path: str) -> LoraAdapter:
        self.reads[Path(path).name] += 1
        assert self.gate.wait(60)
        return read(path)


def registry(max_cpu: int = 4, max_loras: int = 2) -> tuple[AdapterRegistry, Host, Files]:
    host, files = Host(slots(max_loras, max_cpu)), Files()
    return AdapterRegistry(host, files.read, max_cpu - max_loras), host, files


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; only a hang reaches the limit."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it has not come true"
        time.sleep(0.001)


def settle(adapters: AdapterRegistry) -> None:
    """Wait until the reader has nothing to do."""
    until(lambda: not adapters.is_reading)
    adapters.check()


def asked(name: str, number: int, path: Path | str = "") -> LoRARequest:
    return LoRARequest(name, number, str(path))


# --- Names --------------------------------------------------------------------------------------------------


def test_a_file_is_read_once_until_it_changes(tmp_path: Path) -> None:
    adapters, host, files = registry()
    path = tmp_path / "sql"
    first = write(path, 1)
    request = asked("sql", 3, path)
    assert not adapters.knows(request)
    for _ in range(3):
        found = adapters.resolve(request)
        assert (found.content, found.version, found.number, found.path) == (first, 1, 3, str(path))
        assert adapters.knows(request) and adapters.knows(asked("sql", 3))
    assert files.reads["sql"] == 1 and host.has_adapter(first)
    second = write(path, 2)
    assert not adapters.knows(request)
    found = adapters.resolve(asked("sql", 3))  # by its name alone
    assert (found.content, found.version) == (second, 2) and files.reads["sql"] == 2
    os.utime(path, (1, 1))  # touched: it is read again, and the same
    assert adapters.resolve(request) is adapters.resolve(request) and adapters.resolve(request) == found
    assert files.reads["sql"] == 3
    assert adapters.resolve(request, again=True).version == 2 and files.reads["sql"] == 4
    assert adapters.resolve(asked("sql", 8)).number == 8 and list(adapters.named) == ["sql"]
    assert adapters.has_stale
    adapters.prune([first])
    assert adapters.has_stale and host.has_adapter(first)
    adapters.prune([])
    assert not adapters.has_stale and not host.has_adapter(first) and host.has_adapter(second)
    adapters.check()


def test_one_file_under_two_names_is_one_content(tmp_path: Path) -> None:
    adapters, host, files = registry()
    for name, number in (("a", 1), ("b", 2)):
        write(tmp_path / name, 7)
        adapters.resolve(asked(name, number, tmp_path / name))
    assert len(host.slots.contents) == 1 and len({each.content for each in adapters.named.values()}) == 1
    for name in "abab":
        adapters.resolve(asked(name, 1 + (name == "b"), tmp_path / name))
    assert files.reads == {"a": 1, "b": 1}
    assert adapters.remove(1) and not adapters.has_stale and not adapters.remove(1)
    assert adapters.remove(2) and adapters.has_stale
    adapters.check()


def test_names_of_one_number_have_one_file(tmp_path: Path) -> None:
    """As in vLLM's example of quantised models."""
    adapters, host, files = registry()
    path = tmp_path / "a"
    content = write(path, 1)
    for name in "xyz":
        assert adapters.resolve(asked(name, 1, path)).content == content
    assert files.reads["a"] == 1 and len(adapters.named) == 3
    with pytest.raises(ConfigError, match="lora_int_id is 1, which 'x' has already; give 'v' another one"):
        adapters.put("v", adapter(1), 1)
    assert adapters.pin(1) and adapters.remove(1) and not adapters.named and not adapters.pin(1)
    adapters.check()
    adapters.prune([])
    assert not host.has_adapter(content)


def test_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    adapters, host, _ = registry()
    path = tmp_path / "sql"
    content = write(path, 1)
    before = adapters.resolve(asked("sql", 1, path))
    (tmp_path / "broken").write_text("x")
    for request, kind, says in (
        (asked("other", 2, tmp_path / "broken"), ModelError, "damaged"),
        (asked("sql", 1, tmp_path / "broken"), ModelError, "damaged"),
        (asked("sql", 1, tmp_path / "nowhere"), ModelError, "no such file"),
        (
            asked("other", 1, tmp_path / "another"),
            ConfigError,
            "lora_int_id is 1, which 'sql' has already; give 'other' another",
        ),
        (asked("sqk", 2), RequestError, "names 'sqk', which is not loaded, and has no lora_path; did you mean 'sql'"),
    ):
        with pytest.raises(kind, match=says):
            adapters.resolve(request)
        assert adapters.named == {"sql": before} and list(host.slots.contents) == [content]
        adapters.check()
    (tmp_path / "sql").write_text("damaged")
    with pytest.raises(ModelError, match="damaged"):
        adapters.resolve(asked("sql", 1))
    path.unlink()
    assert adapters.resolve(asked("sql", 1)) == before  # its numbers are in memory
    host.slots.unload(content)
    with pytest.raises(ModelError, match="no such file"):
        adapters.resolve(asked("sql", 1))
    assert adapters.named == {"sql": before}


def test_files_that_change_while_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "sql"
    write(path, 0)
    seeds = iter(range(1, 9))
    last = 3

    def unsteady(at: str) -> LoraAdapter:
        found = read(at)
        if (seed := next(seeds)) < last:
            write(path, seed)
        return found

    adapters = AdapterRegistry(Host(slots()), unsteady, 2)
    assert adapters.resolve(asked("sql", 1, path)).content == adapter(2).content
    last, seeds = 99, iter(range(1, 9))
    with pytest.raises(ModelError, match="its files changed while they were read, 3 times"):
        adapters.resolve(asked("sql", 1), again=True)
    adapters.check()


def test_what_is_wrong_with_files_that_change_is_not_told(tmp_path: Path) -> None:
    """It is wrong with neither of the two adapters; an error of files that stay the same is."""
    path = tmp_path / "sql"
    path.write_text("half")

    def replacing(at: str) -> LoraAdapter:
        try:
            return read(at)
        except ModelError:
            write(path, 1)
            raise

    adapters = AdapterRegistry(Host(slots()), replacing, 2)
    assert adapters.resolve(asked("sql", 1, path)).content == adapter(1).content
    path.write_text("half")
    adapters, _, files = registry()
    with pytest.raises(ModelError, match="it is damaged"):
        adapters.resolve(asked("sql", 1, path))
    assert files.reads["sql"] == 1


def test_adapters_from_memory() -> None:
    adapters, host, files = registry(max_cpu=2)
    found = adapters.put("policy", adapter(1))
    assert (found.number, found.version, found.path) == (1, 1, "")
    assert adapters.put("policy", adapter(1)).version == 1 and adapters.put("policy", adapter(2)).version == 2
    assert adapters.put("other", adapter(3), 5).number == 5 and adapters.put("third", adapter(4)).number == 2
    with pytest.raises(ConfigError, match="lora_int_id is 5, which 'other' has already"):
        adapters.put("policy", adapter(1), 5)
    adapters.prune([])
    assert adapters.resolve(asked("policy", 1)).content == adapter(2).content
    assert not host.has_adapter(adapter(2).content)
    adapters.claim(adapter(2).content)  # it had to leave, and comes back
    settle(adapters)
    assert adapters.is_ready(adapter(2).content) and not files.reads


def test_a_known_name_takes_another_path_or_memory(tmp_path: Path) -> None:
    adapters, _, _ = registry()
    contents = [write(tmp_path / name, seed) for seed, name in enumerate("ab")]
    assert adapters.resolve(asked("x", 1, tmp_path / "a")).content == contents[0]
    found = adapters.resolve(asked("x", 1, tmp_path / "b"))
    assert (found.content, found.version) == (contents[1], 2)
    assert adapters.put("x", adapter(5)).version == 3 and adapters.resolve(asked("x", 1)).content == adapter(5).content
    assert adapters.resolve(asked("x", 1, tmp_path / "b")).version == 4
    adapters.check()


def test_a_swap_and_the_way_back_read_each_file_once(tmp_path: Path) -> None:
    """Requests with the old path may come after the new one was loaded."""
    adapters, _, files = registry()
    contents = [write(tmp_path / name, seed) for seed, name in enumerate("ab")]
    for at in (0, 1, 0, 1):
        request = asked("x", 1, tmp_path / "ab"[at])
        adapters.resolve(request)
        assert adapters.knows(request) and adapters.resolve(request).content == contents[at]
        adapters.prune(contents)
    assert adapters.named["x"].version == 4 and files.reads == {"a": 1, "b": 1}
    adapters.prune([])
    adapters.check()
    assert not adapters.knows(asked("x", 1, tmp_path / "a"))


def test_many_threads_read_a_new_file_once(tmp_path: Path) -> None:
    adapters, _, files = registry()
    content, found = write(tmp_path / "a", 1), list[str]()
    files.gate.clear()
    threads = [
        threading.Thread(target=lambda: found.append(adapters.resolve(asked("a", 1, tmp_path / "a")).content))
        for _ in range(6)
    ]
    for each in threads:
        each.start()
    files.gate.set()
    for each in threads:
        each.join()
    assert found == [content] * 6 and files.reads["a"] == 1


# --- Claims -------------------------------------------------------------------------------------------------


def test_a_claimed_adapter_comes_back_and_stays(tmp_path: Path) -> None:
    adapters, host, files = registry(max_cpu=2)
    contents = [write(tmp_path / str(seed), seed) for seed in range(5)]
    for seed in range(5):
        adapters.resolve(asked(str(seed), seed + 1, tmp_path / str(seed)))
    files.gate.clear()
    adapters.claim(contents[0])
    adapters.claim(contents[0])
    assert not adapters.is_ready(contents[0])
    begin = time.monotonic()
    adapters.wait(contents[:2], 0.02)
    assert time.monotonic() - begin >= 0.02 and not adapters.is_ready(contents[0])
    files.gate.set()
    adapters.wait(contents[:2], 60)
    assert adapters.is_ready(contents[0])
    adapters.claim(contents[1])
    settle(adapters)
    for seed in (2, 3, 4):  # both are held, so that others find no room
        adapters.resolve(asked(str(seed), seed + 1, tmp_path / str(seed)), again=True)
        assert set(host.slots.contents) == set(contents[:2])
    adapters.release(contents[0])
    adapters.release(contents[0])
    assert not adapters.is_ready(contents[0]) and adapters.is_ready(contents[1])
    adapters.resolve(asked("2", 3), again=True)
    assert set(host.slots.contents) == {contents[1], contents[2]}
    counts = adapters.counts
    assert (counts.num_known, counts.num_hits, counts.num_misses, counts.num_failures) == (5, 0, 2, 0)
    assert counts.num_reads == 5 + 2 + 4
    adapters.check()
    adapters.reset()
    adapters.check()
    assert not adapters.is_ready(contents[1])


def test_a_claim_waits_for_room(tmp_path: Path) -> None:
    """Adapters that a step in flight uses leave host memory when it has ended."""
    adapters, host, _ = registry(max_cpu=2)
    contents = [write(tmp_path / str(seed), seed) for seed in range(3)]
    for seed in range(3):
        adapters.resolve(asked(str(seed), seed + 1, tmp_path / str(seed)))
    host.slots.use(contents[1:])
    adapters.claim(contents[0])
    time.sleep(0.05)  # the reader tries several times
    assert not adapters.is_ready(contents[0]) and adapters.is_reading
    host.slots.use([contents[1]])
    settle(adapters)
    assert adapters.is_ready(contents[0]) and not host.has_adapter(contents[2])
    adapters.release(contents[0])
    host.slots.use(contents[:2])
    adapters.claim(contents[2])
    time.sleep(0.03)  # the reader tries
    adapters.release(contents[2])  # while it waits for room
    adapters.claim(contents[2])
    time.sleep(0.03)  # the reader tries again
    host.slots.use([contents[0]])
    settle(adapters)
    assert adapters.is_ready(contents[2])


@pytest.mark.parametrize("how", ["replaced", "removed", "damaged"])
def test_a_file_that_is_not_the_same_fails_its_claims_alone(tmp_path: Path, how: str) -> None:
    adapters, host, _ = registry(max_cpu=2)
    contents = [write(tmp_path / str(seed), seed) for seed in range(4)]
    for seed in range(4):
        adapters.resolve(asked(str(seed), seed + 1, tmp_path / str(seed)))
    if how == "replaced":
        write(tmp_path / "0", 9)
    elif how == "removed":
        (tmp_path / "0").unlink()
    else:
        (tmp_path / "0").write_text("x")
    for content in contents[:2]:
        adapters.claim(content)
    settle(adapters)
    assert adapters.is_ready(contents[1]) and not adapters.is_ready(contents[0])
    ((content, reason),) = adapters.failures.items()
    said = {
        "replaced": "its files were replaced after the request had come",
        "removed": "no such",
        "damaged": "damaged",
    }
    assert content == contents[0] and said[how] in reason
    adapters.release(contents[0])
    assert not adapters.failures and adapters.counts.num_failures == 1
    if how == "replaced":  # another path has the same numbers
        write(tmp_path / "there", 0)
        adapters.resolve(asked("there", 9, tmp_path / "there"))
        host.slots.unload(contents[0])
        adapters.claim(contents[0])
        settle(adapters)
        assert adapters.is_ready(contents[0])


def test_a_claimed_adapter_that_another_thread_reads_is_ready_at_once(tmp_path: Path) -> None:
    adapters, host, files = registry()
    content = write(tmp_path / "a", 1)
    adapters.resolve(asked("a", 1, tmp_path / "a"))
    host.slots.unload(content)
    files.gate.clear()
    adapters.claim(content)
    adapters.put("b", adapter(1))
    assert adapters.is_ready(content)
    files.gate.set()
    settle(adapters)
    adapters.remove(1), adapters.remove(2)
    adapters.prune([])
    assert adapters.is_ready(content) and host.has_adapter(content) and adapters.has_stale
    adapters.release(content)
    adapters.prune([])
    assert not adapters.has_stale and not host.has_adapter(content)
    adapters.claim(content)
    settle(adapters)
    assert "has been removed" in adapters.failures[content]


def test_pins_follow_the_name(tmp_path: Path) -> None:
    adapters, host, files = registry(max_cpu=4, max_loras=2)
    first = write(tmp_path / "a", 1)
    adapters.resolve(asked("a", 1, tmp_path / "a"))
    assert adapters.pin(1) and adapters.pin(1) and not adapters.pin(7)
    for seed in range(2, 8):
        adapters.put(str(seed), adapter(seed))
    assert host.has_adapter(first)
    second = write(tmp_path / "a", 9)
    adapters.resolve(asked("a", 1))
    for seed in range(2, 8):
        adapters.put(str(seed), adapter(seed + 20))
    assert host.has_adapter(second) and not host.has_adapter(first)
    (two, three) = (adapters.named[name].number for name in "23")
    assert adapters.pin(two)
    with pytest.raises(ConfigError, match="2 adapters are pinned, expected at most 2, half of the room"):
        adapters.pin(three)
    assert adapters.remove(1) and adapters.pin(three)
    settle(adapters)
    assert host.has_adapter(adapters.named["3"].content) and files.reads["a"] == 2
    adapters.prune([])
    assert not host.has_adapter(second)
    adapters.check()


def test_it_ends_with_its_engine(tmp_path: Path) -> None:
    adapters, host, files = registry()
    contents = [write(tmp_path / str(seed), seed) for seed in range(2)]
    for seed, content in enumerate(contents):
        adapters.resolve(asked(str(seed), seed + 1, tmp_path / str(seed)))
        host.slots.unload(content)
    files.gate.clear()
    for content in contents:
        adapters.claim(content)
    until(lambda: sum(files.reads.values()) == 3)
    closing = threading.Thread(target=adapters.close)
    closing.start()
    until(lambda: adapters._is_closed)  # and `close` waits for the file
    files.gate.set()
    closing.join()
    assert adapters._reader is None and sum(files.reads.values()) == 3


# --- Random runs --------------------------------------------------------------------------------------------


class Simple:
    """Names and claims, written as plainly as possible."""

    def __init__(self) -> None:
        self.named: dict[str, tuple[int, str, str, int]] = {}  # number, path, content, version
        self.claims: set[str] = set()

    def enter(self, name: str, number: int, path: str, content: str) -> None:
        before = self.named.get(name)
        version = 1 if before is None else before[3] + (before[2] != content)
        self.named[name] = (number, path, content, version)


@pytest.mark.parametrize("seed", range(6))
def test_random_runs_agree_with_a_simple_model(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    max_loras = rng.randint(1, 3)
    adapters, host, _ = registry(max_loras + rng.randint(0, 3), max_loras)
    simple, written, contents = Simple(), dict[str, int](), list[str]()
    for _ in range(300):
        number = rng.randint(1, 5)
        name, path = str(number), tmp_path / str(number)
        kind = rng.choice(("write", "resolve", "resolve", "by name", "claim", "claim", "release", "put", "remove"))
        if kind == "write" and rng.random() < 0.5:
            written[name] = rng.randint(1, 12)
            write(path, written[name])
        elif kind == "resolve" and name in written:
            content = adapter(written[name]).content
            assert adapters.resolve(asked(name, number, path)).content == content
            simple.enter(name, number, str(path), content)
            contents.append(content)
        elif kind == "by name":
            if name not in simple.named:
                with pytest.raises(RequestError):
                    adapters.resolve(asked(name, number))
            else:
                _, at, content, _ = simple.named[name]
                content = adapter(written[name]).content if at else content
                assert adapters.resolve(asked(name, number)).content == content
                simple.enter(name, number, at, content)
                contents.append(content)
        elif kind == "claim" and contents and len(simple.claims) < max_loras:
            content = rng.choice(contents[-6:])
            simple.claims.add(content)
            adapters.claim(content)
        elif kind == "release" and simple.claims:
            content = rng.choice(sorted(simple.claims))
            adapters.release(content)
            simple.claims.discard(content)
        elif kind == "put":
            adapters.put(name, adapter(rng.randint(1, 12)), number)
            simple.enter(name, number, "", adapters.named[name].content)
        elif kind == "remove":
            assert adapters.remove(number) == (simple.named.pop(name, None) is not None)
        if rng.random() < 0.3:
            adapters.prune([])
        assert {n: (e.number, e.path, e.content, e.version) for n, e in adapters.named.items()} == simple.named
        if rng.random() < 0.5:
            settle(adapters)
            there = {adapter(each).content for each in written.values()}
            for content in simple.claims:
                ready = adapters.is_ready(content)
                assert ready != (content in adapters.failures) and ready == host.has_adapter(content)
                known = any(each[2] == content and not each[1] for each in simple.named.values())
                assert ready or not known, "an adapter in memory cannot fail"
                assert ready or content in adapters.failures or content in there
        host.slots.check()
    settle(adapters)
    adapters.close()


def test_random_runs_of_many_threads(tmp_path: Path) -> None:
    """Whatever others do, a claimed adapter becomes ready or fails, and a ready one is in host memory."""
    adapters, host, _ = registry(max_cpu=5, max_loras=3)
    names, errors = "abcdefg", list[BaseException]()
    ever: dict[str, set[str]] = {name: {write(tmp_path / name, number)} for number, name in enumerate(names)}
    begin = time.monotonic()

    def goes_on() -> bool:
        """Return True for 3 seconds, and until there was each kind of claim."""
        seconds, counts = time.monotonic() - begin, adapters.counts
        return seconds < 3 or (seconds < 60 and not (counts.num_hits and counts.num_misses))

    def run(work: Callable[[random.Random], None], seed: int) -> None:
        rng = random.Random(seed)
        try:
            while goes_on() and not errors:
                work(rng)
        except BaseException as error:
            errors.append(error)

    def resolve(rng: random.Random) -> None:
        name = rng.choice(names)
        found = adapters.resolve(asked(name, 1 + names.index(name), tmp_path / name), again=rng.random() < 0.1)
        assert found.content in ever[name] or found.path == ""

    def turns(rng: random.Random) -> None:
        """Three members at most, as a scheduler has them."""
        contents = {each.content for each in rng.sample(sorted(adapters.named.values(), key=lambda e: e.name), 3)}
        for content in contents:
            adapters.claim(content)
        end = time.monotonic() + 60
        while not all(adapters.is_ready(each) or each in adapters.failures for each in contents):
            adapters.wait([each for each in contents if not adapters.is_ready(each)], 0.1)
            assert time.monotonic() < end, "a claim is neither ready nor failed"
        for content in contents:
            assert not adapters.is_ready(content) or host.has_adapter(content)
            adapters.release(content)
        adapters.prune(())

    def change(rng: random.Random) -> None:
        name, seed = rng.choice(names), rng.randint(0, 30)
        if rng.random() < 0.5:
            ever[name].add(adapter(seed).content)
            write(tmp_path / name, seed)
        elif rng.random() < 0.5:
            adapters.put(name, adapter(seed))
        elif rng.random() < 0.2:
            adapters.pin(1 + names.index(name)) if len(adapters._pinned) < 2 else adapters.remove(0)
        adapters.check()
        time.sleep(0.002)  # so that the reader gets on between two changes

    for number, name in enumerate(names):
        adapters.resolve(asked(name, number + 1, tmp_path / name))
    works = [resolve, resolve, turns, change]
    threads = [threading.Thread(target=run, args=(work, seed)) for seed, work in enumerate(works)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors, errors
    settle(adapters)
    assert adapters.counts.num_hits and adapters.counts.num_misses
    adapters.close()

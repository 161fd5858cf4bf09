"""Several processes on one folder, killed ones among them, and one that puts for long."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path

import pytest

from tests.prefix_store import kills
from tests.prefix_store.stores import MIB, held, key_of, opened, put, value_of
from torchpaged.prefix_store import folder, segment


def test_killed_processes() -> None:
    assert kills.run(first=0, count=8) > 40


@pytest.mark.long
def test_many_killed_processes() -> None:
    assert kills.run(first=1000, count=200) > 1000


def taken_by_this_process() -> tuple[int, int, int]:
    """Return its descriptors, bytes of memory, and threads."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return len(os.listdir("/proc/self/fd")), pages * os.sysconf("SC_PAGE_SIZE"), threading.active_count()


def test_a_long_run_keeps_its_limit(tmp_path: Path) -> None:
    """20,000 puts: bytes, descriptors and memory stay the same; a value that is used stays."""
    store, limit = opened(tmp_path, size_limit=24 * MIB), 24 * MIB
    value = value_of(0, 4000)
    most = 0
    for step in range(20):
        for number in range(step * 1000, step * 1000 + 1000, 10):
            store.put([(key_of(each), value) for each in range(number, number + 10)])
            store.get([key_of(number), key_of(5)])
            taken = sum(each.num_bytes for each in folder.all_segments(tmp_path))
            assert taken <= limit + segment.LEAST_BYTES
            most = max(most, taken)
        if step == 9:
            descriptors, memory, threads = taken_by_this_process()
    now = taken_by_this_process()
    # Other tests' threads may end meanwhile.
    assert now[0] <= descriptors + 2 and now[1] < memory + 16 * MIB and now[2] <= threads
    assert most > limit / 2 and store.stats()["values"] < limit / 4096
    assert store.get([key_of(5)]) == [value]
    store.check()
    store.close()
    assert store.stats()["puts"] == 20_000 and store.stats()["dropped"] == 0


def test_threads_share_a_store(tmp_path: Path) -> None:
    store, failures = opened(tmp_path, size_limit=12 * MIB), []

    def work(first: int) -> None:
        try:
            for number in range(first, first + 150):
                put(store, [number % 200], 20_000)
                held(store, [number % 200, (number + 50) % 200], 20_000)
                if number % 50 == 0:
                    store.delete([key_of(number % 200)])
                    store.flush()
                    store.refresh()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 40, 80, 120)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures
    store.check()
    store.close()


def test_more_processes_than_the_limit_has_room_for(tmp_path: Path) -> None:
    """A segment that another process writes is not removed; then new values are dropped."""
    stores = [opened(tmp_path, size_limit=segment.LEAST_BYTES) for _ in range(3)]
    for number, store in enumerate(stores):
        put(store, [number])
    assert [held(store, range(3)) for store in stores] == [[0], [1], []]
    assert sum(each.num_bytes for each in folder.all_segments(tmp_path)) <= 2 * segment.LEAST_BYTES
    assert stores[2].stats()["dropped"] == 1
    stores[0].close()
    stores[2]._record._retry_at = 0
    put(stores[2], [2])
    assert held(stores[2], range(3)) == [0, 2]


def test_a_store_that_is_not_closed_ends_its_thread(tmp_path: Path) -> None:
    store = opened(tmp_path)
    thread = store._worker._thread
    assert thread is not None and thread.is_alive()
    del store
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


def test_nothing_is_written_after_close(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, range(3))
    store.close()
    store.close()
    put(store, range(3, 5))
    store.flush()
    assert held(store, range(5)) == [0, 1, 2] and store.stats()["dropped"] == 2
    assert len(os.listdir(tmp_path / "model")) == 1

"""HostStore: values stay as they were put while they are read, leave for the store behind, and are found in both."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from tests.prefix_store.stores import key_of, value_of
from tests.serving.harness import until
from tests.tier_stores import DictStore
from torchpaged.prefix_store import KVStore
from torchpaged.prefix_store.host_store import HostStore

LONG, SHORT, OTHER = 3000, 100, 7  # lengths of values


def made(behind: KVStore | None, *, slots: int = 4, **options: bool) -> HostStore:
    return HostStore({LONG: slots, SHORT: slots}, lambda size: np.empty(size, np.uint8), behind, **options)


def item(number: int) -> tuple[bytes, bytes]:
    return key_of(number), value_of(number, (LONG, SHORT, OTHER)[number % 3])


def test_the_least_recently_used_leave() -> None:
    behind = DictStore()
    store = made(behind)
    assert isinstance(store, KVStore)
    longs = [item(number) for number in range(0, 18, 3)]
    store.put(longs[:4])
    assert not behind.values and store.num_bytes == 4 * LONG
    store.get([longs[0][0]])
    store.put(longs[4:])
    assert list(behind.values) == [longs[1][0], longs[2][0]]
    assert store.touch([key for key, _ in longs]) == [True, False, False, True, True, True]
    assert store.contains([key for key, _ in longs]) == [True] * 6
    assert [bytes(value or b"") for value in store.get([key for key, _ in longs])] == [value for _, value in longs]
    store.put([item(2)])  # of a length that it has no room for
    assert behind.values[item(2)[0]] == item(2)[1]
    store.close()
    assert len(behind.values) == 7


def test_a_store_behind_gets_no_more_after_the_end(caplog: pytest.LogCaptureFixture) -> None:
    behind = DictStore()
    store = made(behind)
    store.put([item(0), item(3)])
    store.flush(time.monotonic() - 1)
    assert not behind.values and "2 blocks in host memory are lost" in caplog.text
    store.flush(time.monotonic() + 60)
    assert len(behind.values) == 2
    store.put([item(6)])
    store.close(time.monotonic() - 1)
    assert len(behind.values) == 2


def test_a_value_that_is_read_keeps_its_memory() -> None:
    store = made(None, slots=1)
    store.put([item(0)])
    (view,) = store.get([item(0)[0]])
    store.put([item(3)])  # no room
    assert view == item(0)[1] and store.touch([item(0)[0], item(3)[0]]) == [True, False]
    store.delete([item(0)[0]])
    store.put([item(3)])
    assert view == item(0)[1] and store.get([item(0)[0], item(3)[0]]) == [None, None]
    del view
    store.put([item(3)])
    assert store.get([item(3)[0]]) == [item(3)[1]]
    store.check()


@pytest.mark.parametrize("through", [False, True])
@pytest.mark.parametrize("is_alone", [False, True])
def test_random_calls_of_two_threads(through: bool, is_alone: bool) -> None:
    """A reader keeps views while a writer puts and deletes: each view has the value of its key, always."""
    behind = None if is_alone else DictStore()
    store, failures = made(behind, writes_through=through), list[BaseException]()
    ended = threading.Event()

    def read() -> None:
        pick, views = random.Random(1), list[tuple[int, memoryview | bytes]]()
        try:
            while not ended.is_set():
                numbers = [pick.randrange(30) for _ in range(3)]
                values = store.get([item(number)[0] for number in numbers])
                views = views[-3:] + [(n, value) for n, value in zip(numbers, values, strict=True) if value is not None]
                assert all(value == item(number)[1] for number, value in views)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    pick, put = random.Random(2), set[int]()
    for step in range(400):
        numbers = [pick.randrange(30) for _ in range(pick.randrange(1, 6))]
        if step % 20 == 7:
            store.delete([item(number)[0] for number in numbers])
            put -= set(numbers)
        else:
            store.put([item(number) for number in numbers])
            put |= set(numbers)
        if step % 50 == 0:
            store.flush()
            assert behind is None or {item(number)[0] for number in put} <= behind.values.keys()
        store.check()
        assert behind is None or all(store.contains([item(number)[0] for number in put]))
    until(lambda: failures or store.num_hits > 100)
    ended.set()
    thread.join()
    assert not failures
    if behind is not None and through:
        assert {item(number)[0] for number in put} <= behind.values.keys()

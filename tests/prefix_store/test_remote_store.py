"""RemoteStore over fsspec's memory and local file systems, and over ones that fail."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.prefix_store.stores import held, key_of, put
from torchpaged.errors import ConfigError, MissingPackageError
from torchpaged.prefix_store import KVStore, open_store, remote_store
from torchpaged.prefix_store.remote_store import RemoteStore

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture(autouse=True)
def memory() -> Iterator[Any]:
    """Return fsspec's file system in memory, empty."""
    found = fsspec.filesystem("memory")
    found.store.clear()
    yield found
    found.store.clear()


def opened(url: str = "memory://bucket/prefixes", **options: Any) -> RemoteStore:
    store = open_store(url, **{"namespace": "model", "size_limit": None, **options})
    assert isinstance(store, RemoteStore) and isinstance(store, KVStore)
    return store


def listed(store: RemoteStore) -> RemoteStore:
    """Return the store after it has looked at what is there."""
    store._list()
    return store


@pytest.mark.parametrize("key", [None, b"k" * 16])
def test_values_outlive_the_store(memory: Any, key: bytes | None) -> None:
    store = opened(checksum_key=key)
    put(store, range(20))
    put(store, range(10, 30), 5000)
    assert store.contains([key_of(29), key_of(30)]) == [True, False]
    assert held(store, range(35)) == [*range(30)]
    assert store.stats()["puts"] == 30 and store.stats()["hits"] == 30
    store.close()
    other = opened(checksum_key=key)
    assert held(other, range(35)) == [*range(30)]
    other.delete([key_of(3), key_of(99)])
    assert held(other, range(5)) == [0, 1, 2, 4]
    assert held(opened(checksum_key=key), range(5)) == [0, 1, 2, 4]
    assert held(opened(namespace="another", checksum_key=key), range(5)) == []
    assert held(opened(checksum_key=b"x" * 16), range(5)) == []
    put(opened(checksum_key=key), [1], 0)


def test_damaged_objects_are_misses(memory: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "torchpaged")
    store = opened()
    put(store, range(10))
    paths = [path for path in memory.find("/bucket") if "metadata" not in path]
    for number, path in enumerate(sorted(paths)):
        data = bytearray(memory.cat_file(path))
        if number < 3:
            data[[0, 10, 30][number]] ^= 4
        elif number == 3:
            data = data[:-1]
        elif number == 4:
            data = bytearray()
        memory.pipe_file(path, bytes(data))
    assert len(held(store, range(10))) == 5
    assert store.stats()["damaged"] == 5 and len(caplog.messages) == 1
    put(store, range(10))
    assert held(store, range(10)) == [*range(10)]


def test_the_oldest_go_first() -> None:
    store = opened(size_limit=100_000)
    for number in range(60):
        put(store, [number])
        listed(store)
        assert store._taken <= 100_000
    found = held(store, range(60))
    assert found == [*range(found[0], 60)] and len(found) >= 16
    put(store, [99], 200_000)
    assert held(store, [99], 200_000) == [] and held(store, range(60)) == found


def test_two_processes(memory: Any) -> None:
    one, two = opened(), opened()
    put(one, range(5))
    assert two.contains([key_of(1)]) == [False]
    assert held(listed(two), range(5)) == [*range(5)]
    two.delete([key_of(0)])
    assert held(one, range(5)) == [1, 2, 3, 4], "it is gone"
    assert one.contains([key_of(0)]) == [False]


class Failing:
    """File system whose calls fail, after so many."""

    def __init__(self, inner: Any, calls: int) -> None:
        self.inner, self.calls = inner, calls

    def __getattr__(self, name: str) -> Any:
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError(f"the service does not answer {name}")
        return getattr(self.inner, name)


@pytest.mark.parametrize("calls", range(6))
def test_a_service_that_fails(memory: Any, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    put(opened(), range(5))
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    failing = Failing(memory, calls)
    monkeypatch.setattr(remote_store, "_file_system", lambda url: (failing, "/bucket/prefixes"))
    store = opened(size_limit=10_000_000)
    for _ in range(3):
        held(store, range(8))
        put(store, range(8))
        store.delete([key_of(7)])
    failing.calls = 10**9
    listed(store)
    now += 31
    put(store, range(8))
    assert held(store, range(8)) == [*range(8)]
    store.close()


def test_a_url_of_an_unknown_kind() -> None:
    with pytest.raises(ConfigError, match="cannot be opened: Protocol not known: nothing-such"):
        opened("nothing-such://bucket")


def test_packages_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for the kind of URL, and fsspec itself."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(MissingPackageError, match="prefix cache at 's3://bucket': Install s3fs"):
        opened("s3://bucket")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingPackageError, match=r"needs fsspec .*: pip install 'torchpaged\[remote\]'"):
        opened()

"""Stores for tests of the tiers below the pools: a dictionary, and one that is slow, loses values and fails."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence

import pytest

from torchpaged.execution.swap_cost import SwapCost
from torchpaged.kv_cache import tiers
from torchpaged.prefix_store import network_store

Value = bytes | memoryview


def wait_for_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have engines wait for a store for a minute: a loaded machine stops its thread for seconds."""
    monkeypatch.setattr(tiers, "_LOOKUP_PATIENCE", 60.0)
    monkeypatch.setattr(tiers, "_READ_PATIENCE", 60.0)


def read_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everything read that a store has, whatever the time that reading and computing take.

    Otherwise a loaded machine decides how many tokens are cached.
    """
    wait_for_stores(monkeypatch)
    monkeypatch.setattr(network_store, "_SOON", 60.0)
    monkeypatch.setattr(network_store, "_PATIENCE", 60.0)
    monkeypatch.setattr(SwapCost, "seconds_per_token", None)


class DictStore:
    """A `KVStore` in memory.

    Attributes:
        values: the values by key.
        counts: number of calls by name.
    """

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.counts = {"contains": 0, "get": 0, "put": 0, "delete": 0}
        self._lock = threading.Lock()

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Implement `KVStore.contains`."""
        with self._lock:
            self.counts["contains"] += 1
            return [key in self.values for key in keys]

    def get(self, keys: Sequence[bytes]) -> list[Value | None]:
        """Implement `KVStore.get`."""
        with self._lock:
            self.counts["get"] += 1
            return [self.values.get(key) for key in keys]

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Implement `KVStore.put`."""
        with self._lock:
            self.counts["put"] += 1
            for key, value in items:
                assert len(key) == 32
                # A key names its content, so both values must be the same.
                assert self.values.setdefault(key, bytes(value)) == bytes(value), "a key has two values"

    def delete(self, keys: Sequence[bytes]) -> None:
        """Implement `KVStore.delete`."""
        with self._lock:
            self.counts["delete"] += 1
            for key in keys:
                self.values.pop(key, None)


class FaultyStore(DictStore):
    """A store whose every call may be slow, raise, or lose something.

    Args:
        seed: seed of what goes wrong.
        rate: probability of each kind of fault in a call.
        seconds: longest time that a call takes.
    """

    def __init__(self, seed: int, rate: float = 0.1, seconds: float = 0.01) -> None:
        super().__init__()
        self._random, self._rate, self._seconds = random.Random(seed), rate, seconds

    def _maybe(self) -> bool:
        return self._random.random() < self._rate

    def _begin(self) -> None:
        if self._seconds and self._maybe():
            time.sleep(self._random.random() * self._seconds)
        if self._maybe():
            raise self._random.choice((OSError("no space left on device"), RuntimeError("a broken store")))

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Answer wrongly now and then."""
        self._begin()
        return [found != self._maybe() for found in super().contains(keys)]

    def get(self, keys: Sequence[bytes]) -> list[Value | None]:
        """Lose values, cut them, or return too few."""
        self._begin()
        values: list[Value | None] = [None if self._maybe() else value for value in super().get(keys)]
        if self._maybe():
            values = [None if value is None else value[:-1] for value in values]
        return values[:-1] if self._maybe() else values

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Keep some of the values."""
        self._begin()
        super().put([item for item in items if not self._maybe()])

    def delete(self, keys: Sequence[bytes]) -> None:
        """Delete, or fail before."""
        self._begin()
        super().delete(keys)

"""Keys, values and stores for the tests: a value is known from its number, so each that is read can be judged."""

from __future__ import annotations

import random
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from torchpaged.prefix_store import KVStore, SegmentStore, open_store

MIB = 1 << 20


def key_of(number: int) -> bytes:
    return sha256(b"%d" % number).digest()


def value_of(number: int, size: int = 5000) -> bytes:
    piece = random.Random(number).randbytes(min(size, 1 << 16))
    return (piece * (size // (1 << 16) + 1))[:size]


def opened(place: Path, **options: Any) -> SegmentStore:
    """Open a store in a folder, without a limit unless one is given."""
    options = {"namespace": "model", "size_limit": None, **options}
    store = open_store(place, **options)
    assert isinstance(store, SegmentStore) and isinstance(store, KVStore)
    return store


def put(store: KVStore, numbers: Iterable[int], size: int = 5000) -> None:
    store.put([(key_of(number), value_of(number, size)) for number in numbers])


def held(store: KVStore, numbers: Iterable[int], size: int = 5000) -> list[int]:
    """Return the numbers whose values the store has; each value is the one that was put."""
    numbers = list(numbers)
    values = store.get([key_of(number) for number in numbers])
    if isinstance(store, SegmentStore):
        store.check()
    assert all(value is None or value == value_of(n, size) for n, value in zip(numbers, values, strict=True))
    return [number for number, value in zip(numbers, values, strict=True) if value is not None]

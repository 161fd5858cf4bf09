"""HostStore: the values that were used last, in the host's memory, in front of a store with the others."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from torchpaged.prefix_store.protocol import KVStore, Value

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

Bytes: TypeAlias = NDArray[np.uint8]

# Bytes that are allocated at once: torch takes a power of two of pinned memory.
_CHUNK = 64 << 20
# Bytes of values that go to the store behind in one call.
_BATCH = 1 << 24


class _Slot:
    """Memory for one value.

    Attributes:
        memory: the bytes.
        is_dirty: the store behind does not have the value yet.
    """

    __slots__ = ("_lease", "is_dirty", "memory")

    def __init__(self, memory: Bytes) -> None:
        self.memory, self.is_dirty = memory, False
        self._lease: weakref.ref[Bytes] | None = None

    @property
    def is_read(self) -> bool:
        """True while a caller has a view of the memory, which must not change then."""
        return self._lease is not None and self._lease() is not None

    def view(self) -> memoryview:
        """Return the value; `is_read` as long as a reference to it is left."""
        lease = None if self._lease is None else self._lease()
        if lease is None:
            lease = self.memory.view()
            self._lease = weakref.ref(lease)
        return memoryview(lease)


class _Shelf:
    """Memory for values of one length, in chunks. `held` is in the order of use, the least recently used first."""

    def __init__(self, length: int, count: int, allocate: Callable[[int], Bytes]) -> None:
        self.held: OrderedDict[bytes, _Slot] = OrderedDict()
        self.free: list[_Slot] = []
        in_chunk = max(1, _CHUNK // length)
        chunks = [allocate(length * min(in_chunk, count - first)) for first in range(0, count, in_chunk)]
        # A small model has room for millions of values, so a slot is made when it is needed.
        self._unused = (_Slot(chunk[at : at + length]) for chunk in chunks for at in range(0, chunk.nbytes, length))
        self._num_unused = count

    def leaving(self, count: int) -> list[tuple[bytes, _Slot]]:
        """Return the values that must leave before so many have room, as far as they are not read now."""
        count -= self._num_unused + sum(not slot.is_read for slot in self.free)
        found: list[tuple[bytes, _Slot]] = []
        for key, slot in self.held.items():
            if count <= len(found):
                break
            if not slot.is_read:
                found.append((key, slot))
        return found

    def take(self) -> _Slot | None:
        """Return a free slot; None if there is none."""
        place = next((place for place, slot in enumerate(self.free) if not slot.is_read), None)
        if place is not None:
            return self.free.pop(place)
        self._num_unused -= bool(self._num_unused)
        return next(self._unused, None)


class HostStore:
    """KVStore in memory of a fixed size, before another one. Values that it has no room for go to the other.

    Invariants:
        - A slot is written only while no key names it and no caller reads it.
        - A value that leaves is given to the store behind before its slot is written again.

    Args:
        slots: number of values by their length. Values of other lengths go to the store behind.
        allocate: returns so many bytes, pinned if a GPU copies from them.
        behind: the other store; None: values that leave are lost.
        writes_through: the store behind gets each value at once, not only when it leaves.

    Attributes:
        num_hits: values that `get` found here.
    """

    def __init__(
        self,
        slots: Mapping[int, int],
        allocate: Callable[[int], Bytes],
        behind: KVStore | None,
        *,
        writes_through: bool = False,
    ) -> None:
        self._behind, self._writes_through = behind, writes_through and behind is not None
        self._shelves = {length: _Shelf(length, count, allocate) for length, count in slots.items()}
        self._lock = threading.Lock()  # for the shelves
        self._writing = threading.Lock()  # for calls that change them, and so slots' memory
        self.num_hits = 0

    # --- KVStore -------------------------------------------------------------------------------------------------

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Implement `KVStore.contains`."""
        with self._lock:
            found = [self._find(key) is not None for key in keys]
        if self._behind is None or all(found):
            return found
        others = iter(self._behind.contains([key for key, here in zip(keys, found, strict=True) if not here]))
        return [here or next(others) for here in found]

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """Implement `KVStore.get`. Views of this store's memory can be written to, as pinned memory must be, and are
        not to be.
        """
        values: list[bytes | memoryview | None] = []
        with self._lock:
            for key in keys:
                slot = self._use(key)
                values.append(None if slot is None else slot.view())
        missing = [key for key, value in zip(keys, values, strict=True) if value is None]
        self.num_hits += len(keys) - len(missing)
        if self._behind is None or not missing:
            return values
        others = iter(self._behind.get(missing))
        return [next(others) if value is None else value for value in values]

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Implement `KVStore.put`."""
        with self._writing:
            given = dict(items)
            new = [item for item, here in zip(given.items(), self.touch(list(given)), strict=True) if not here]
            known: set[bytes] = set()  # by the store behind
            if self._behind is not None and new:
                keys = [key for key, _ in new]
                known = {key for key, there in zip(keys, self._behind.contains(keys), strict=True) if there}
            left = [item for item in new if self._writes_through or _length(item[1]) not in self._shelves]
            self._put_behind([item for item in left if item[0] not in known])
            if self._writes_through:
                known = set(given)
            for length, shelf in self._shelves.items():
                left = self._insert(shelf, [item for item in new if _length(item[1]) == length], known)
                self._put_behind([item for item in left if item[0] not in known])

    def delete(self, keys: Sequence[bytes]) -> None:
        """Implement `KVStore.delete`."""
        with self._writing:
            with self._lock:
                for shelf in self._shelves.values():
                    shelf.free += [slot for key in keys if (slot := shelf.held.pop(key, None)) is not None]
            if self._behind is not None:
                self._behind.delete(keys)

    def flush(self, end: float | None = None) -> None:
        """Give the store behind what it does not have, and let it write it.

        Args:
            end: time by `time.monotonic` after which it is given nothing more; None: it gets all.
        """
        with self._writing:
            with self._lock:
                held = [each for shelf in self._shelves.values() for each in shelf.held.items()]
            self._write_back(held, end)
        if (flush := getattr(self._behind, "flush", None)) is not None:
            flush()

    def close(self, end: float | None = None) -> None:
        """Flush until a time, see `flush`, and close the store behind."""
        try:
            self.flush(end)
        finally:
            if (close := getattr(self._behind, "close", None)) is not None:
                close()

    def stats(self) -> dict[str, Any]:
        """Return the numbers of the store behind, and how many values are here."""
        stats = getattr(self._behind, "stats", None)
        with self._lock:
            count = sum(len(shelf.held) for shelf in self._shelves.values())
        return {**({} if stats is None else stats()), "host_values": count, "host_hits": self.num_hits}

    # --- Beyond the protocol -------------------------------------------------------------------------------------

    def touch(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each key whether its value is in this memory; those that are count as used now."""
        with self._lock:
            return [self._use(key) is not None for key in keys]

    @property
    def num_bytes(self) -> int:
        """Bytes of the values that are here."""
        with self._lock:
            return sum(length * len(shelf.held) for length, shelf in self._shelves.items())

    def check(self) -> None:
        """Assert the invariants."""
        with self._writing, self._lock:
            for length, shelf in self._shelves.items():
                slots = [*shelf.held.values(), *shelf.free]
                assert all(slot.memory.nbytes == length for slot in slots)
                starts = [slot.memory.__array_interface__["data"][0] for slot in slots]
                assert len(set(starts)) == len(slots), "two values have one slot"

    # --- Internals -----------------------------------------------------------------------------------------------

    def _find(self, key: bytes) -> _Slot | None:
        return next((shelf.held[key] for shelf in self._shelves.values() if key in shelf.held), None)

    def _use(self, key: bytes) -> _Slot | None:
        for shelf in self._shelves.values():
            if key in shelf.held:
                shelf.held.move_to_end(key)
                return shelf.held[key]
        return None

    def _insert(
        self, shelf: _Shelf, items: Sequence[tuple[bytes, Value]], known: set[bytes]
    ) -> list[tuple[bytes, Value]]:
        """Keep values of a shelf's length, and return those without room.

        Args:
            known: keys of values that the store behind has.
        """
        with self._lock:
            leaving = shelf.leaving(len(items))
        self._write_back(leaving)
        with self._lock:
            for key, slot in leaving:
                if not slot.is_read:  # else a caller has begun to read it meanwhile
                    del shelf.held[key]
                    shelf.free.append(slot)
        left: list[tuple[bytes, Value]] = []
        for key, value in items:
            with self._lock:
                taken = shelf.take()
            if taken is None:
                left.append((key, value))
                continue
            taken.memory[:] = np.frombuffer(value, np.uint8)
            taken.is_dirty = key not in known
            with self._lock:
                shelf.held[key] = taken
        return left

    def _write_back(self, held: Sequence[tuple[bytes, _Slot]], end: float | None = None) -> None:
        dirty = [(key, slot) for key, slot in held if slot.is_dirty]
        for batch in _batches(dirty, lambda slot: slot.memory.nbytes):
            if self._behind is not None:
                if end is not None and time.monotonic() > end:
                    count = sum(slot.is_dirty for _, slot in dirty)
                    logger.warning("prefix cache: %d blocks in host memory are lost, there is no time to write", count)
                    return
                self._behind.put([(key, slot.memory.data) for key, slot in batch])
            for _, slot in batch:
                slot.is_dirty = False

    def _put_behind(self, items: Sequence[tuple[bytes, Value]]) -> None:
        if self._behind is not None:
            for batch in _batches(items, _length):
                self._behind.put(batch)


def _batches(items: Sequence[tuple[bytes, _T]], length: Callable[[_T], int]) -> Iterator[list[tuple[bytes, _T]]]:
    """Iterate over parts that one call of the store behind takes."""
    batch: list[tuple[bytes, _T]] = []
    size = 0
    for item in items:
        batch.append(item)
        size += length(item[1])
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _length(value: Value) -> int:
    return memoryview(value).nbytes

"""SegmentIndex: which key lies in which segment of a folder, and when a segment was last used. All of it in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from torchpaged.prefix_store import segment
from torchpaged.prefix_store.protocol import KEY_BYTES
from torchpaged.prefix_store.sorted_keys import SortedKeys


class _Segment:
    """A segment: the stem of its name, the keys of its rows, the time of its last use in nanoseconds.

    `is_open` until it is sealed, `is_own` while this process writes it. The keys are one string: Python's garbage
    collector would look at each key in a list again and again.
    """

    __slots__ = ("_keys", "is_open", "is_own", "stem", "used")

    def __init__(self, stem: str) -> None:
        self.stem, self.is_open, self.is_own = stem, True, False
        self._keys = b""
        self.used = 0

    def __len__(self) -> int:
        return len(self._keys) // KEY_BYTES

    def __iter__(self) -> Iterator[bytes]:
        return (self._keys[at : at + KEY_BYTES] for at in range(0, len(self._keys), KEY_BYTES))

    def extend(self, keys: bytes) -> None:
        """Add the keys of the next rows, laid end to end."""
        self._keys += keys

    def row(self, key: bytes) -> int | None:
        """Return the last row with a key; None if the segment does not have it."""
        end = len(self._keys)
        while (end := self._keys.rfind(key, 0, end)) >= 0:
            if end % KEY_BYTES == 0:
                return end // KEY_BYTES
            end += KEY_BYTES - 1  # bytes of two keys look like one
        return None


@dataclass(slots=True)
class Found:
    """Segments that were found in the folder, in columns: the garbage collector would look at each row of a table.

    Args:
        stems: of their names.
        rows: of each, its used rows.
        used: times of the last use.
        opened: of each, True if it is open.
    """

    stems: list[str] = field(default_factory=list)
    rows: list[bytes] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    opened: list[bool] = field(default_factory=list)

    def append(self, stem: str, rows: bytes, used: int, is_open: bool) -> None:
        """Add a segment."""
        self.stems.append(stem)
        self.rows.append(rows)
        self.used.append(used)
        self.opened.append(is_open)


class SegmentIndex:
    """Index of one namespace. Segments have numbers that are not used again; a place is number * ROWS + row.

    Uses are ordered by a counter that follows the clock and never goes back, so a clock that jumps does not turn the
    order around.

    Args:
        folder: of the namespace.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        # Memory is most of a start's time, so keys that are found then have no objects of their own.
        self._early = SortedKeys()
        self._num_early: dict[int, int] = {}  # by segment
        self._forgotten: set[bytes] = set()  # of these
        self._numbers_of: dict[bytes, int] = {}  # by the keys of later ones, which come first in a lookup
        self._segments: dict[int, _Segment] = {}
        self._numbers: dict[str, int] = {}  # by stem
        self._next = 0
        self._clock = 0
        self._touched: set[int] = set()
        self._open: set[int] = set()  # that others may write
        self._lock = threading.Lock()

    def places(self, keys: Sequence[bytes]) -> list[int | None]:
        """Return the place of each key; None for an unknown one."""
        with self._lock:
            return [self._place(key) for key in keys]

    def _place(self, key: bytes) -> int | None:
        if (number := self._numbers_of.get(key)) is not None:
            row = self._segments[number].row(key)
            assert row is not None
            return number * segment.ROWS + row
        if key in self._forgotten or key == segment.DELETED:
            return None
        for number in self._early.find(key):
            if (known := self._segments.get(number)) is not None and (row := known.row(key)) is not None:
                return number * segment.ROWS + row
        return None

    def contains(self, keys: Iterable[bytes]) -> list[bool]:
        """Return for each key whether it has a place."""
        with self._lock:
            return [key in self._numbers_of or self._place(key) is not None for key in keys]

    def path(self, number: int) -> str | None:
        """Return a segment's path; None if there is no such segment any more."""
        with self._lock:
            known = self._segments.get(number)
            return None if known is None else segment.path_of(self._folder, known.stem, known.is_open)

    def number(self, stem: str) -> int | None:
        """Return the number of the segment with this stem; None if it is unknown."""
        return self._numbers.get(stem)

    @property
    def num_values(self) -> int:
        """Number of keys, about: one that lies in two segments may count twice."""
        return len(self._numbers_of) + sum(self._num_early.values()) - len(self._forgotten)

    @property
    def num_segments(self) -> int:
        """Number of segments."""
        return len(self._segments)

    # --- Segments ------------------------------------------------------------------------------------------------

    def add(self, stem: str, keys: Sequence[bytes], used: int, *, is_open: bool, is_own: bool = False) -> int:
        """Add a segment, or the rows of one that are new, and return its number.

        Args:
            is_own: this process begins to write it. What is read meanwhile of such a segment is not added: it may be
                older than what is known.
        """
        with self._lock:
            if (number := self._numbers.get(stem)) is None:
                number = self._numbers[stem] = self._next
                self._next += 1
                self._segments[number] = _Segment(stem)
            known = self._segments[number]
            if known.is_own and not is_own:
                return number
            new = keys[len(known) :]
            known.extend(b"".join(new))
            known.is_open, known.is_own = is_open and known.is_open, is_own
            self._note_open(number)
            known.used = max(known.used, used)
            self._clock = max(self._clock, used)
            self._numbers_of.update(zip(new, repeat(number)))
            self._numbers_of.pop(segment.DELETED, None)
            return number

    def add_many(self, found: Found) -> None:
        """Add segments that are unknown, faster than `add` would. Known ones stay as they are."""
        rows = np.frombuffer(b"".join(found.rows), np.uint8).reshape(-1, segment.ROW_BYTES)
        keys, at = rows[:, :KEY_BYTES].tobytes(), 0
        counts = [len(each) // segment.ROW_BYTES for each in found.rows]
        with self._lock:
            first = self._next
            for stem, count, used, is_open in zip(found.stems, counts, found.used, found.opened, strict=True):
                number, own = self._next, keys[at : (at := at + count * KEY_BYTES)]
                self._next += 1
                if stem in self._numbers:  # begun by this process meanwhile; the number stays without a segment
                    continue
                known = self._segments[number] = _Segment(stem)
                known.extend(own)
                known.is_open, known.used = is_open, used
                self._numbers[stem] = number
                self._num_early[number] = count - own.count(segment.DELETED)
                if is_open:
                    self._open.add(number)
            self._clock = max(self._clock, *found.used)
            self._early.add(keys, KEY_BYTES, range(first, self._next), counts)
            for key in self._forgotten:  # others have written some of them again
                for number in self._early.find(key):
                    if number >= first and number in self._segments and self._segments[number].row(key) is not None:
                        self._numbers_of[key] = number

    def append(self, number: int, key: bytes) -> None:
        """Add the next row of a segment that this process writes, unless the segment was forgotten meanwhile."""
        with self._lock:
            if (known := self._segments.get(number)) is not None:
                self._numbers_of[key] = number
                known.extend(key)
                self._touch(number)

    def release(self, number: int, *, is_sealed: bool) -> None:
        """Note that this process writes a segment no more."""
        with self._lock:
            if (known := self._segments.get(number)) is not None:
                known.is_own, known.is_open = False, not is_sealed
                self._note_open(number)

    def _note_open(self, number: int) -> None:
        known = self._segments[number]
        (self._open.add if known.is_open and not known.is_own else self._open.discard)(number)

    def unread(self, stems: Collection[str]) -> list[str]:
        """Return the stems of segments that may have something new: unknown ones, and those that others write."""
        with self._lock:
            unknown = [stem for stem in stems if stem not in self._numbers]  # in the order of the folder: twice as fast
            return [*unknown, *(self._segments[number].stem for number in self._open)]

    def missing(self, stems: Collection[str]) -> list[int]:
        """Return the segments that have none of these stems, without those that this process writes."""
        with self._lock:
            gone = [self._numbers[stem] for stem in self._numbers.keys() - set(stems)]
            return [number for number in gone if not self._segments[number].is_own]

    def is_empty(self, number: int) -> bool:
        """Return whether a segment that this process does not write has no key any more."""
        with self._lock:
            known = self._segments.get(number)
            if known is None or known.is_own:
                return False
            return all((place := self._place(key)) is None or place // segment.ROWS != number for key in known)

    # --- Uses ----------------------------------------------------------------------------------------------------

    def touch(self, number: int) -> None:
        """Note that a segment is used now."""
        with self._lock:
            self._touch(number)

    def _touch(self, number: int) -> None:
        if (known := self._segments.get(number)) is not None:
            self._clock = known.used = max(time.time_ns(), self._clock + 1)
            self._touched.add(number)

    def used(self, number: int) -> int:
        """Return the time of a segment's last use; 0 if there is no such segment any more."""
        with self._lock:
            known = self._segments.get(number)
            return 0 if known is None else known.used

    def take_uses(self) -> list[tuple[str, int]]:
        """Return paths and times of the segments that were used since the last call."""
        with self._lock:
            numbers, self._touched = self._touched, set()
            used = [self._segments[number] for number in numbers]
            return [(segment.path_of(self._folder, each.stem, each.is_open), each.used) for each in used]

    # --- Forgetting ----------------------------------------------------------------------------------------------

    def forget(self, keys: Sequence[bytes]) -> list[int]:
        """Remove keys, and return their places."""
        places = self.places(keys)
        for key, place in zip(keys, places, strict=True):
            if place is not None:
                self.forget_place(key, place)
        return [place for place in places if place is not None]

    def forget_place(self, key: bytes, place: int) -> None:
        """Remove a key if it still has this place."""
        with self._lock:
            if self._place(key) == place:
                self._numbers_of.pop(key, None)
                if any(True for _ in self._early.find(key)):
                    self._forgotten.add(key)

    def forget_segment(self, number: int) -> None:
        """Remove a segment and its keys. Unknown numbers are ignored."""
        with self._lock:
            known = self._segments.pop(number, None)
            if known is None:
                return
            del self._numbers[known.stem]
            self._touched.discard(number)
            self._open.discard(number)
            self._num_early.pop(number, None)
            for key in known:
                self._forgotten.discard(key)
                if self._numbers_of.get(key) == number:
                    del self._numbers_of[key]

    def check(self) -> None:
        """Assert that keys, segments and stems agree."""
        with self._lock:
            rows = {number: list(known) for number, known in self._segments.items()}
            assert all(rows[n][self._segments[n].row(key) or 0] == key for key, n in self._numbers_of.items())
            assert self._num_early.keys() <= self._segments.keys()
            early = [key for number, count in self._num_early.items() for key in rows[number][:count]]
            gone = self._forgotten | {segment.DELETED}
            assert all(self._place(key) is not None for key in early if key not in gone)
            assert {each.stem: number for number, each in self._segments.items()} == self._numbers
            assert self._touched <= self._segments.keys()
            assert self._open == {n for n, each in self._segments.items() if each.is_open and not each.is_own}
            assert all(len(each) <= segment.ROWS for each in self._segments.values())
            assert sum(each.is_own and not each.is_open for each in self._segments.values()) == 0

"""SegmentIndex: which key lies in which segment of a folder, and when a segment was last used. All of it in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence

from torchpaged.prefix_store import segment
from torchpaged.prefix_store.protocol import KEY_BYTES


class _Segment:
    """A segment: the stem of its name, the keys of its rows, the time of its last use in nanoseconds.

    `is_open` until it is sealed, `is_own` while this process writes it. The keys are one string: Python's garbage
    collector would look at each key in a list again and again.
    """

    __slots__ = ("_keys", "is_open", "is_own", "stem", "used")

    def __init__(self, stem: str) -> None:
        self.stem, self.is_open, self.is_own = stem, True, False
        self._keys = bytearray()
        self.used = 0

    def __len__(self) -> int:
        return len(self._keys) // KEY_BYTES

    def __iter__(self) -> Iterator[bytes]:
        return (bytes(self._keys[at : at + KEY_BYTES]) for at in range(0, len(self._keys), KEY_BYTES))

    def extend(self, keys: Sequence[bytes]) -> None:
        """Add the keys of the next rows."""
        self._keys += b"".join(keys)


class SegmentIndex:
    """Index of one namespace. Segments have numbers that are not used again; a place is number * ROWS + row.

    Uses are ordered by a counter that follows the clock and never goes back, so a clock that jumps does not turn the
    order around.

    Args:
        folder: of the namespace.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._places: dict[bytes, int] = {}
        self._segments: dict[int, _Segment] = {}
        self._numbers: dict[str, int] = {}  # by stem
        self._next = 0
        self._clock = 0
        self._touched: set[int] = set()
        self._open: set[int] = set()  # that others may write
        self._lock = threading.Lock()

    def places(self, keys: Iterable[bytes]) -> list[int | None]:
        """Return the place of each key; None for an unknown one."""
        with self._lock:
            return [self._places.get(key) for key in keys]

    def contains(self, keys: Iterable[bytes]) -> list[bool]:
        """Return for each key whether it has a place."""
        with self._lock:
            return [key in self._places for key in keys]

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
        """Number of keys."""
        return len(self._places)

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
            number = self._numbers.setdefault(stem, self._next)
            if number == self._next:
                self._next += 1
                self._segments[number] = _Segment(stem)
            known = self._segments[number]
            if known.is_own and not is_own:
                return number
            first, place = len(known), number * segment.ROWS
            new = keys[first:] if first else keys
            known.extend(new)
            known.is_open, known.is_own = is_open and known.is_open, is_own
            self._note_open(number)
            known.used = max(known.used, used)
            self._clock = max(self._clock, used)
            self._places.update(zip(new, range(place + first, place + len(keys)), strict=True))
            self._places.pop(segment.DELETED, None)
            return number

    def append(self, number: int, key: bytes) -> None:
        """Add the next row of a segment that this process writes, unless the segment was forgotten meanwhile."""
        with self._lock:
            if (known := self._segments.get(number)) is not None:
                self._places[key] = number * segment.ROWS + len(known)
                known.extend([key])
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
            known, place = self._segments.get(number), number * segment.ROWS
            if known is None or known.is_own:
                return False
            return all(self._places.get(key) != place + row for row, key in enumerate(known))

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

    def forget(self, keys: Iterable[bytes]) -> list[int]:
        """Remove keys, and return their places."""
        with self._lock:
            return [place for key in keys if (place := self._places.pop(key, None)) is not None]

    def forget_place(self, key: bytes, place: int) -> None:
        """Remove a key if it still has this place."""
        with self._lock:
            if self._places.get(key) == place:
                del self._places[key]

    def forget_segment(self, number: int) -> None:
        """Remove a segment and its keys. Unknown numbers are ignored."""
        with self._lock:
            known = self._segments.pop(number, None)
            if known is None:
                return
            del self._numbers[known.stem]
            self._touched.discard(number)
            self._open.discard(number)
            place = number * segment.ROWS
            for row, key in enumerate(known):
                if self._places.get(key) == place + row:
                    del self._places[key]

    def check(self) -> None:
        """Assert that keys, segments and stems agree."""
        with self._lock:
            rows = {number: list(known) for number, known in self._segments.items()}
            assert all(rows[place // segment.ROWS][place % segment.ROWS] == key for key, place in self._places.items())
            assert {each.stem: number for number, each in self._segments.items()} == self._numbers
            assert self._touched <= self._segments.keys()
            assert self._open == {n for n, each in self._segments.items() if each.is_open and not each.is_own}
            assert all(len(each) <= segment.ROWS for each in self._segments.values())
            assert sum(each.is_own and not each.is_open for each in self._segments.values()) == 0

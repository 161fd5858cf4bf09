"""SegmentStore: a KVStore in a local folder, which several processes share and which outlives them.

It owns the index of all keys in memory and one segment that it appends to. A thread seals full segments, writes down
which were used, and finds those of other processes, so that none of it delays a caller. Nothing that is wrong with the
folder raises: what cannot be read is a miss, what cannot be written is dropped, and each is counted and said once.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import threading
import time
import weakref
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError, reason_of
from torchpaged.prefix_store import folder as folders
from torchpaged.prefix_store import segment
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.protocol import Value
from torchpaged.prefix_store.segment import KEY_BYTES, DamagedSegment, ForeignSegment, Header, SegmentWriter

logger = logging.getLogger(__name__)

_OPEN_FILES = 32  # descriptors that are kept for reading
_REFRESH = 1.0  # seconds between two looks at the folder
_RETRY = 30.0  # seconds without a try to write after an error
_MOST_UNSEALED = 4  # full segments that wait to be synced; a writer that is faster than the disk waits
_SHARE = 16  # a segment has at most so small a part of the limit, or the least size


class _Segment:
    """A segment that the index knows: its path changes once, when it is sealed."""

    __slots__ = ("keys", "path", "used")

    def __init__(self, path: Path, keys: list[bytes], used: int) -> None:
        self.path, self.keys, self.used = path, keys, used


class SegmentStore:
    """KVStore in a folder.

    Args:
        folder: made if it is not there, readable for this user only.
        namespace: of the model and its cache; a folder below has its segments. Letters, digits, "-", "_" and ".".
        size_limit: bytes of all segments of all namespaces in the folder; the longest unused are removed. Exceeded by
            at most one segment. None: no limit.
        checksum_key: secret for the checksums; values that were written without it, or with another, are not used.
        metadata: values for people, written into each segment.

    Raises:
        ConfigError: an argument is wrong, or the folder can be neither read nor made.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        namespace: str,
        size_limit: int | None,
        checksum_key: bytes | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self._checksum = Checksum(namespace, checksum_key)
        try:
            self._header = Header(namespace, self._checksum, metadata or {})
        except (TypeError, ValueError) as error:
            raise ConfigError(f"metadata of the prefix cache: {error}") from None
        self._root = Path(os.path.abspath(folder))
        self._folder = self._root / namespace
        self._limit = size_limit
        self._segment_bytes = segment.MOST_BYTES
        if size_limit is not None:
            share = size_limit // _SHARE // segment.PAGE * segment.PAGE
            self._segment_bytes = min(segment.MOST_BYTES, max(segment.LEAST_BYTES, share))
        self._index: dict[bytes, int] = {}  # number of the segment * ROWS + row
        self._segments: dict[int, _Segment] = {}
        self._numbers: dict[str, int] = {}  # of segments, by the stem of their names
        self._next = 0
        self._clock = 0
        self._touched: set[int] = set()  # segments whose last use is not written yet
        self._files: OrderedDict[int, io.FileIO] = OrderedDict()
        self._counts: Counter[str] = Counter()
        self._seconds = {"seconds_read": 0.0, "seconds_written": 0.0}
        self._said: set[str] = set()
        self._lock = threading.Lock()  # for the index and everything above
        # For the segments that this process writes, and for those that wait; both are taken before the first.
        self._writing, self._sealing = threading.Lock(), threading.Lock()
        self._writer: SegmentWriter | None = None
        self._number = -1  # of the writer's segment
        self._full: list[tuple[int, SegmentWriter]] = []
        self._retry_at = 0.0
        self._refreshed = 0.0
        self._closed = False
        self._pid = os.getpid()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._open_folder()

    def _open_folder(self) -> None:
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.listdir(self._root)
        except OSError as error:
            raise ConfigError(
                f"prefix cache: {str(self._root)!r} cannot be used: {error.strerror}; name a folder that this user may "
                "read"
            ) from None
        self._refresh()

    # --- The four calls ------------------------------------------------------------------------------------------

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each key whether there is a value; no I/O."""
        with self._lock:
            found = [key in self._index for key in keys]
        if not all(found):
            self._look_later()
        return found

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """Read values. The system is told of all of them first, so that a disk reads them side by side."""
        start = time.perf_counter()
        with self._lock:
            places = [self._index.get(key) for key in keys]
        if len(keys) > 1:
            self._announce(places)
        values = [None if place is None else self._read(key, place) for key, place in zip(keys, places, strict=True)]
        found = [each for each in values if each is not None]
        with self._lock:
            self._counts["hits"] += len(found)
            self._counts["misses"] += len(keys) - len(found)
            self._counts["bytes_read"] += sum(map(len, found))
            self._seconds["seconds_read"] += time.perf_counter() - start
        self._look_later()
        return list(values)

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Write values; they are in the system's page cache when it returns, and outlive a killed process."""
        start = time.perf_counter()
        with self._writing:
            num_kept = sum(self._put(key, memoryview(value)) for key, value in items)
        with self._lock:
            self._counts["dropped"] += len(items) - num_kept
            self._seconds["seconds_written"] += time.perf_counter() - start

    def delete(self, keys: Sequence[bytes]) -> None:
        """Forget keys, here and in the folder. A segment without keys is removed."""
        with self._lock:
            places = [place for key in keys if (place := self._index.pop(key, None)) is not None]
        for place in places:
            self._erase(place)
        for number in {place // segment.ROWS for place in places}:
            self._remove_if_empty(number)

    def flush(self) -> None:
        """Return when everything that was put is on the disk, or was dropped."""
        with self._writing:
            self._seal_full()
            if self._writer is not None:
                try:
                    self._writer.sync()
                except OSError as error:
                    self._cannot_write(error)
        self._write_uses()

    def close(self) -> None:
        """Flush, and leave the segment that is not full to the next process. Later puts are dropped."""
        with self._writing:
            self._closed = True
            self._seal_full()
            if self._writer is not None:
                self._writer.leave()
                self._set_writer(None)
        self._write_uses()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        with self._lock:
            self._files.clear()

    def stats(self) -> dict[str, int | float]:
        """Return counters since the start, and the numbers of keys and segments now."""
        names = ("hits", "misses", "bytes_read", "puts", "bytes_written", "dropped", "damaged", "evicted_segments")
        with self._lock:
            return {
                **{name: self._counts[name] for name in names},
                **self._seconds,
                "values": len(self._index),
                "segments": len(self._segments),
            }

    def check(self) -> None:
        """Assert that the index, the segments and their names agree."""
        with self._lock:
            for key, place in self._index.items():
                assert self._segments[place // segment.ROWS].keys[place % segment.ROWS] == key
            assert {self._numbers[each.path.stem] for each in self._segments.values()} == self._segments.keys()
            assert len(self._numbers) == len(self._segments)
            assert len(self._files) <= _OPEN_FILES and self._files.keys() <= self._segments.keys()

    # --- Reading -------------------------------------------------------------------------------------------------

    def _read(self, key: bytes, place: int) -> bytes | None:
        number, row = divmod(place, segment.ROWS)
        try:
            file = self._file(number)
            found = segment.read_row(file.fileno(), row)
            if found.key == segment.DELETED:
                self._forget_key(key, place)
                return None
            if found.key != key:
                raise DamagedSegment("its index has another key than when it was read")
            value = segment.read_value(file.fileno(), found, self._checksum)
        except FileNotFoundError:  # another process has removed it
            self._forget_segment(number)
            return None
        except (DamagedSegment, OSError, MemoryError) as error:
            if isinstance(error, DamagedSegment) or (isinstance(error, OSError) and error.errno == errno.EIO):
                self._damaged(key, place, error)
            else:  # too many open files, for example: it may be readable later
                self._say("read", f"{self._folder}: {_reason(error)}; values that cannot be read are computed again")
            return None
        with self._lock:
            if known := self._segments.get(number):
                known.used = self._tick()
                self._touched.add(number)
        return value

    def _announce(self, places: Sequence[int | None]) -> None:
        """Tell the system which parts of files will be read."""
        for place in places:
            if place is not None:
                with suppress(OSError, DamagedSegment):
                    file = self._file(place // segment.ROWS)
                    row = segment.read_row(file.fileno(), place % segment.ROWS)
                    if row.is_valid(segment.MOST_VALUE_BYTES):
                        os.posix_fadvise(file.fileno(), row.offset, row.length, os.POSIX_FADV_WILLNEED)

    def _file(self, number: int) -> io.FileIO:
        """Return a segment's open file. OSError if it cannot be opened."""
        with self._lock:
            if number in self._files:
                self._files.move_to_end(number)
                return self._files[number]
            if number not in self._segments:
                raise FileNotFoundError(number)
            path = self._segments[number].path
        try:
            file = segment.open_file(path)
        except FileNotFoundError:
            path = path.with_suffix(segment.SEALED)  # its writer may have sealed it
            file = segment.open_file(path)
        with self._lock:
            if number in self._segments:
                self._segments[number].path = path
                self._files[number] = file
                while len(self._files) > _OPEN_FILES:
                    self._files.popitem(last=False)
        return file

    def _damaged(self, key: bytes, place: int, error: Exception) -> None:
        """Forget a value that cannot be used, in the folder too: the next one to look would find the same."""
        number = place // segment.ROWS
        self._forget_key(key, place)
        with self._lock:
            self._counts["damaged"] += 1
            path = self._segments[number].path if number in self._segments else self._folder
        self._say("damaged", f"{path}: {_reason(error)}; a value of it is not used and will be computed again")
        self._erase(place)

    # --- The index -----------------------------------------------------------------------------------------------

    def _tick(self) -> int:
        """Return the time of a use: the clock's, but later than all before, also than those of other processes."""
        self._clock = max(time.time_ns(), self._clock + 1)
        return self._clock

    def _add_segment(self, path: Path, keys: list[bytes], used: int, is_own: bool = False) -> int:
        """Add a segment or its new rows to the index, and return its number."""
        with self._lock:
            number = self._numbers.setdefault(path.stem, self._next)
            if number == self._next:
                self._next += 1
                self._segments[number] = _Segment(path, [], used)
            elif self._is_own(number) and not is_own:  # what was read of it is older than what is known
                return number
            known, place = self._segments[number], number * segment.ROWS
            first = len(known.keys)
            known.path = path
            known.keys += keys[first:]
            self._index.update(zip(keys[first:], range(place + first, place + len(keys)), strict=True))
            self._index.pop(segment.DELETED, None)
            self._clock = max(self._clock, used)
            return number

    def _is_own(self, number: int) -> bool:
        return (self._writer is not None and number == self._number) or any(number == each for each, _ in self._full)

    def _forget_key(self, key: bytes, place: int) -> None:
        with self._lock:
            if self._index.get(key) == place:
                del self._index[key]

    def _forget_segment(self, number: int) -> None:
        with self._lock:
            known = self._segments.pop(number, None)
            if known is None:
                return
            self._numbers.pop(known.path.stem, None)
            self._files.pop(number, None)
            self._touched.discard(number)
            place = number * segment.ROWS
            for row, key in enumerate(known.keys):
                if self._index.get(key) == place + row:
                    del self._index[key]

    def _refresh(self) -> None:
        """Read the indexes of segments that are new in the folder, and forget those that are gone."""
        found: list[folders.SegmentFile] = []
        try:
            found += folders.segments(self._folder)
        except FileNotFoundError:  # not made yet, or deleted
            pass
        except OSError as error:
            self._say("folder", f"{self._folder} cannot be read: {_reason(error)}")
        names = {each.path.stem for each in found}
        with self._lock:
            gone = [
                self._segments[number]
                for stem, number in self._numbers.items()
                if stem not in names and not self._is_own(number)
            ]
        for known in gone:
            # Renamed while the folder was read, it may be missing in the list.
            if not (known.path.exists() or known.path.with_suffix(segment.SEALED).exists()):
                self._forget_segment(self._numbers.get(known.path.stem, -1))
        for each in found:
            with self._lock:
                number = self._numbers.get(each.path.stem)
                is_read = number is not None and (
                    self._is_own(number) or self._segments[number].path.suffix == segment.SEALED
                )
            if not is_read:
                self._load(each)
        self._refreshed = time.monotonic()

    def _load(self, file: folders.SegmentFile) -> None:
        """Read the index of one segment."""
        try:
            opened = segment.open_file(file.path)
            keys = segment.read_keys(opened.fileno(), self._header, not file.is_open)
        except FileNotFoundError:
            return
        except ForeignSegment:
            return
        except (DamagedSegment, OSError) as error:
            if not (file.is_open and file.num_bytes == 0):  # that one is being made
                self._say("unreadable", f"{file.path}: {_reason(error)}; none of its values is used")
            return
        self._add_segment(file.path, keys, file.used)

    # --- Writing -------------------------------------------------------------------------------------------------

    def _put(self, key: bytes, value: memoryview) -> bool:
        """Write a value unless it is there; False if it is dropped."""
        if len(key) != KEY_BYTES:
            raise ValueError(f"key has {len(key)} bytes, expected {KEY_BYTES}")
        most = segment.MOST_VALUE_BYTES if self._limit is None else min(self._limit, segment.MOST_VALUE_BYTES)
        if value.nbytes > most:
            self._say("too large", f"a value of {value.nbytes} bytes is not kept, at most {most} can be")
            return False
        if self._closed or time.monotonic() < self._retry_at:
            return False
        view = value.cast("B") if value.nbytes else memoryview(b"")
        try:
            try:
                self._append(key, view)
            except FileNotFoundError:  # the folder was removed just now
                self._append(key, view)
        except OSError as error:
            self._cannot_write(error)
            return False
        return True

    def _append(self, key: bytes, value: memoryview) -> None:
        """Write a value unless it is there. OSError if it cannot be written."""
        with self._lock:
            if key in self._index:
                return
        if os.getpid() != self._pid:  # a fork shares the parent's segment, and only the parent may write it
            self._pid, self._full = os.getpid(), []
            self._set_writer(None)
        if self._writer is not None and not (self._writer.is_there and self._number in self._segments):
            self._forget_segment(self._number)  # the folder was deleted
            self._set_writer(None)
        while self._writer is not None and not self._writer.has_room(len(value)):
            with self._lock:
                self._full.append((self._number, self._writer))
            self._set_writer(None)
            self._wake_thread()
        if len(self._full) > _MOST_UNSEALED:
            self._seal_full()
        if self._writer is None:
            self._begin_segment(max(segment.size_for(len(value)), self._segment_bytes))
            return self._append(key, value)  # an adopted segment may be full
        row = self._writer.append(key, value, self._checksum.of(key, value))
        with self._lock:
            known = self._segments.get(self._number)
            if known is None:  # a reader has found out that the folder was deleted
                return
            known.keys.append(key)
            self._index[key] = self._number * segment.ROWS + row
            known.used = self._tick()
            self._touched.add(self._number)
            self._counts["puts"] += 1
            self._counts["bytes_written"] += len(value)

    def _begin_segment(self, size: int) -> None:
        """Adopt or create a segment, and remove others under a limit. OSError if it cannot be written."""
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder.mkdir(exist_ok=True)
        if self._limit is None:
            self._set_writer(self._adopted(size) or SegmentWriter.create(self._folder, self._header, size))
            return
        self._write_uses()
        with folders.locked(self._root):
            # From here on it counts with its full size, for other processes too, and is locked: none removes it.
            writer = self._adopted(size) or SegmentWriter.create(self._folder, self._header, size)
            removed, total = folders.shrink(self._root, self._limit)
            if total - writer.size > self._limit:
                writer.discard()
                raise OSError(errno.EDQUOT, "the limit is taken by segments that other processes write", self._root)
        self._set_writer(writer)
        with self._lock:
            self._counts["evicted_segments"] += len(removed)
            gone = [number for each in removed if (number := self._numbers.get(each.path.stem)) is not None]
        for number in gone:
            self._forget_segment(number)

    def _adopted(self, size: int) -> SegmentWriter | None:
        for each in folders.segments(self._folder):
            if each.is_open and (writer := SegmentWriter.adopt(each.path, self._header, size)) is not None:
                return writer
        return None

    def _set_writer(self, writer: SegmentWriter | None) -> None:
        number = -1 if writer is None else self._add_segment(writer.path, writer.keys, 0, is_own=True)
        with self._lock:
            self._writer, self._number = writer, number

    def _cannot_write(self, error: OSError) -> None:
        """Give up writing for a while; what is in the segment stays readable, and is adopted again."""
        self._retry_at = time.monotonic() + _RETRY
        self._say(
            f"write {error.errno}",
            f"{self._folder} cannot be written: {_reason(error)}; new values are dropped, requests go on, and it is "
            f"tried again every {_RETRY:.0f} s",
        )
        if self._writer is not None:
            self._writer.leave()
            self._set_writer(None)

    def _seal_full(self) -> None:
        with self._sealing:
            while True:
                with self._lock:
                    if not self._full:
                        return
                    number, writer = self._full[0]
                try:
                    path: Path | None = writer.seal()
                except OSError as error:
                    path = None
                    self._say(f"seal {error.errno}", f"{writer.path} could not be completed: {_reason(error)}")
                    writer.leave()
                with self._lock:
                    del self._full[0]
                    if path is not None and number in self._segments:
                        self._segments[number].path = path
                        self._touched.add(number)  # writing has set the time that stands for its last use
                if path is None:
                    self._forget_segment(number)  # the next look at the folder finds what is left of it

    def _write_uses(self) -> None:
        """Write the times of the last uses into the folder, for other processes and later ones."""
        with self._lock:
            uses = [(self._segments[number].path, self._segments[number].used) for number in self._touched]
            self._touched.clear()
        for path, used in uses:
            with suppress(OSError, OverflowError):
                os.utime(path, ns=(used, used), follow_symlinks=False)

    def _erase(self, place: int) -> None:
        number, row = divmod(place, segment.ROWS)
        with self._lock:
            path = self._segments[number].path if number in self._segments else None
        if path is not None:
            for each in (path, path.with_suffix(segment.SEALED)):
                with suppress(OSError):
                    segment.erase(each, row)
                    return

    def _remove_if_empty(self, number: int) -> None:
        with self._lock:
            known = self._segments.get(number)
            first = number * segment.ROWS
            if known is None or self._is_own(number):
                return
            if any(self._index.get(key) == first + row for row, key in enumerate(known.keys)):
                return
        with suppress(OSError), folders.locked(self._root):
            if folders.remove(folders.SegmentFile(known.path, 0, 0)):
                self._forget_segment(number)

    # --- The thread ----------------------------------------------------------------------------------------------

    def _look_later(self) -> None:
        if time.monotonic() - self._refreshed > _REFRESH:
            self._wake_thread()

    def _wake_thread(self) -> None:
        with self._lock:
            if (self._thread is None or not self._thread.is_alive()) and not self._closed:
                arguments = weakref.ref(self), self._wake
                self._thread = threading.Thread(target=_tend, args=arguments, name="torchpaged store", daemon=True)
                weakref.finalize(self, self._wake.set).atexit = False
                with suppress(RuntimeError):  # the interpreter ends
                    self._thread.start()
        self._wake.set()

    def _say(self, kind: str, text: str) -> None:
        with self._lock:
            is_new = kind not in self._said
            self._said.add(kind)
        if is_new:
            logger.warning("prefix cache: %s", text)


def _tend(store: weakref.ref[SegmentStore], wake: threading.Event) -> None:
    """Do what callers need not wait for, until the store is closed or gone."""
    while True:
        wake.wait()
        wake.clear()
        found = store()
        if found is None or found._closed:
            return
        found._seal_full()
        if time.monotonic() - found._refreshed > _REFRESH:
            found._write_uses()
            found._refresh()
        del found


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or reason_of(error)

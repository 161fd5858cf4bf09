"""SegmentStore: a KVStore in a local folder, which several processes share and which outlives them.

A thread seals full segments, writes down which were used, and finds those of other processes, so that none of it delays
a caller. Nothing that is wrong with the folder raises: what cannot be read is a miss, what cannot be written is
dropped, and each is counted and said once.
"""

from __future__ import annotations

import errno
import io
import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError
from torchpaged.prefix_store import folder as folders
from torchpaged.prefix_store import segment
from torchpaged.prefix_store.appender import Appender
from torchpaged.prefix_store.buffers import Buffers
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.index import Found, SegmentIndex
from torchpaged.prefix_store.protocol import KEY_BYTES, Value
from torchpaged.prefix_store.record import Record, short_reason
from torchpaged.prefix_store.segment import DamagedSegment, ForeignSegment, Header
from torchpaged.prefix_store.worker import Worker

_OPEN_FILES = 64  # that one call has open at the same time
_REFRESH = 1.0  # seconds between two looks at the folder
_MANY = 1000  # new segments from which on they are added together
_STEP = 0.1  # seconds that are longer than a step of any file system's clock


class SegmentStore:
    """KVStore in a folder.

    Args:
        folder: made if it is not there, readable for this user only.
        namespace: of the model and its cache; a folder below has its segments.
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
        root = Path(os.path.abspath(folder))
        self._folder = str(root / namespace)
        self._index, self._record = SegmentIndex(self._folder), Record(self._folder)
        self._worker = Worker(self._tend, _REFRESH)
        self._appender = Appender(
            root,
            namespace,
            self._header,
            self._checksum,
            self._index,
            size_limit,
            self._record,
            when_full=self._worker.wake,
        )
        self._buffers = Buffers()
        self._listing = _Listing()
        self._writing = threading.Lock()  # for the appender
        self._closed = False
        try:
            root.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.listdir(root)
        except OSError as error:
            raise ConfigError(
                f"prefix cache: {str(root)!r} cannot be used: {error.strerror}; name a folder that this user may read"
            ) from None
        self._worker.start()  # reads the indexes; a folder on a slow disk is found bit by bit

    # --- The four calls ------------------------------------------------------------------------------------------

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each key whether there is a value; no I/O."""
        found = self._index.contains(keys)
        if not all(found):
            self._worker.wake_if_due()
        return found

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """Read values. The system is told of all of them first, so that a disk reads them side by side."""
        start = time.perf_counter()
        places, files = self._index.places(keys), _Files(self._index)
        if len(keys) > 1:
            for place in places:
                if place is not None:
                    files.announce(place)
        values = [
            None if place is None else self._read(files, key, place) for key, place in zip(keys, places, strict=True)
        ]
        sizes = [len(each) for each in values if each is not None]
        self._record.add_read(sizes, len(keys) - len(sizes), time.perf_counter() - start)
        self._worker.wake_if_due()
        return list(values)

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Write values; they are in the system's page cache when it returns, and outlive a killed process."""
        start, count = time.perf_counter(), 0
        with self._writing:
            for key, value in items:
                count += self._put(key, memoryview(value))
        self._record.add_written(len(items) - count, time.perf_counter() - start)

    def delete(self, keys: Sequence[bytes]) -> None:
        """Forget keys, here and in the folder. A segment without keys is removed."""
        places = self._index.forget(keys)
        for place in places:
            self._erase(place)
        for number in {place // segment.ROWS for place in places}:
            path = self._index.path(number)
            if path is not None and self._index.is_empty(number):
                with suppress(OSError), folders.locked(Path(self._folder).parent):
                    if folders.remove(path):
                        self._index.forget_segment(number)

    def flush(self) -> None:
        """Return when everything that was put is on the disk, or was dropped."""
        with self._writing:
            try:
                self._appender.sync()
            except OSError as error:
                self._record.write_failed(error)
        self._appender.write_uses()

    def close(self) -> None:
        """Flush, and leave the segment that is not full to the next process. Later puts are dropped."""
        with self._writing:
            self._closed = True
            self._appender.leave()
        self._appender.write_uses()
        self._worker.stop()

    def stats(self) -> dict[str, int | float]:
        """Return counters since the start, and the numbers of values and segments now."""
        sizes = {"values": self._index.num_values, "segments": self._index.num_segments}
        return {**self._record.values(), **sizes}

    def check(self) -> None:
        """Assert that the index agrees with itself."""
        self._index.check()

    # --- Reading -------------------------------------------------------------------------------------------------

    def _read(self, files: _Files, key: bytes, place: int) -> memoryview | None:
        number, row = divmod(place, segment.ROWS)
        try:
            file = files.open(number)
            found = segment.read_row(file.fileno(), row)
            if found.key == segment.DELETED:
                self._index.forget_place(key, place)
                return None
            if found.key != key:
                raise DamagedSegment("its index has another key than when it was read")
            value = segment.read_value(file.fileno(), found, self._checksum, self._buffers)
        except FileNotFoundError:  # another process has removed it
            self._index.forget_segment(number)
            return None
        except (DamagedSegment, OSError, MemoryError) as error:
            if isinstance(error, DamagedSegment) or (isinstance(error, OSError) and error.errno == errno.EIO):
                self._damaged(key, place, error)
            else:  # too many open files, for example: it may be readable later
                self._record.say(
                    "read", f"{self._folder}: {short_reason(error)}; values that cannot be read are misses"
                )
            return None
        self._index.touch(number)
        return value

    def _damaged(self, key: bytes, place: int, error: Exception) -> None:
        """Forget a value that cannot be used, in the folder too: the next one to look would find the same."""
        self._index.forget_place(key, place)
        self._record.count(damaged=1)
        path = self._index.path(place // segment.ROWS)
        self._record.say("damaged", f"{path}: {short_reason(error)}; a value in it will be computed again")
        self._erase(place)

    def refresh(self) -> None:
        """Read the indexes of segments that are new in the folder, and forget those that are gone."""
        try:
            changed = os.stat(self._folder).st_mtime_ns
            found = folders.names(self._folder) if self._listing.is_due(changed) else None
        except FileNotFoundError:  # not made yet, or deleted
            found = {}
        except OSError as error:
            found = {}
            self._record.say("folder", f"{self._folder} cannot be read: {short_reason(error)}")
        for number in () if found is None else self._index.missing(found.keys()):
            path = self._index.path(number)
            # Renamed while the folder was read, it may be missing in the list.
            if path is not None and not any(map(os.path.exists, (path, segment.sealed(path)))):
                self._index.forget_segment(number)
        unread = self._index.unread(found or {})
        new, until = Found(), time.monotonic() + _REFRESH
        for stem in unread:
            together = len(unread) >= _MANY and self._index.number(stem) is None
            self._load(stem, (found or {}).get(stem, True), new if together else None)
            if new.stems and time.monotonic() > until:  # a slow disk: what is known is of use meanwhile
                self._index.add_many(new)
                new, until = Found(), time.monotonic() + _REFRESH
        if new.stems:
            self._index.add_many(new)

    def _load(self, stem: str, is_open: bool, found: Found | None) -> None:
        """Read the index of one segment, and add it to `found`, or else to the index."""
        path = segment.path_of(self._folder, stem, is_open)
        try:
            rows, used = segment.read_index(path, self._header)
        except FileNotFoundError:
            if is_open:  # its writer may have sealed it
                self._load(stem, False, found)
            return
        except ForeignSegment:
            return
        except (DamagedSegment, OSError) as error:
            self._record.say("unreadable", f"{path}: {short_reason(error)}; none of its values is used")
            return
        if found is None:
            self._index.add(stem, segment.keys_of(rows), used, is_open=is_open)
        else:
            found.append(stem, rows, used, is_open)

    # --- Writing -------------------------------------------------------------------------------------------------

    def _put(self, key: bytes, value: memoryview) -> bool:
        """Write a value unless it is there; False if it is dropped."""
        if len(key) != KEY_BYTES:
            raise ValueError(f"key has {len(key)} bytes, expected {KEY_BYTES}")
        most = self._appender.most_bytes
        if value.nbytes > most:
            self._record.say("too large", f"a value of {value.nbytes} bytes is not kept, at most {most} can be")
            return False
        if self._closed or not self._record.may_write:
            return False
        if self._index.contains([key])[0]:
            return True
        view = value.cast("B") if value.nbytes else memoryview(b"")
        try:
            try:
                self._appender.append(key, view)
            except FileNotFoundError:  # the folder was removed just now
                self._appender.append(key, view)
        except OSError as error:
            self._record.write_failed(error)
            self._appender.leave()
            return False
        self._record.count(puts=1, bytes_written=len(view))
        return True

    def _erase(self, place: int) -> None:
        number, row = divmod(place, segment.ROWS)
        if path := self._index.path(number):
            for each in (path, segment.sealed(path)):
                with suppress(OSError):
                    segment.erase(each, row)
                    return

    def _tend(self, is_due: bool) -> None:
        """Do what callers need not wait for."""
        self._appender.seal_full()
        if is_due:
            self._appender.write_uses()
            self.refresh()


class _Listing:
    """Decides if a folder with perhaps many files must be listed again.

    Its time of modification is that of the last new, renamed or removed file, in steps of milliseconds: what happens in
    one step with a listing is seen by a second listing.
    """

    def __init__(self) -> None:
        self._changed, self._listed, self._is_sure = -1, 0.0, False

    def is_due(self, changed: int) -> bool:
        """Return whether to list the folder now, by its time of modification."""
        now = time.monotonic()
        if changed != self._changed:
            self._changed, self._listed, self._is_sure = changed, now, False
            return True
        if self._is_sure:
            return False
        self._is_sure = now - self._listed > _STEP
        return True


class _Files:
    """The files of segments that one call reads. They are closed with it: a removed file gives its room back."""

    def __init__(self, index: SegmentIndex) -> None:
        self._index = index
        self._files: dict[int, io.FileIO] = {}

    def open(self, number: int) -> io.FileIO:
        """Return a segment's open file. OSError if it cannot be opened."""
        if number not in self._files:
            path = self._index.path(number)
            if path is None:
                raise FileNotFoundError(number)
            if len(self._files) >= _OPEN_FILES:
                self._files.clear()
            try:
                self._files[number] = segment.open_file(path)
            except FileNotFoundError:  # its writer may have sealed it
                self._files[number] = segment.open_file(segment.sealed(path))
        return self._files[number]

    def announce(self, place: int) -> None:
        """Tell the system that a value will be read: values in many places come 1.5 times as fast from a disk."""
        with suppress(OSError, DamagedSegment):
            file = self.open(place // segment.ROWS)
            row = segment.read_row(file.fileno(), place % segment.ROWS)
            if row.is_valid(segment.MOST_VALUE_BYTES):
                os.posix_fadvise(file.fileno(), row.offset, row.length, os.POSIX_FADV_WILLNEED)

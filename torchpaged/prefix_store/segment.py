"""The format of a segment: a file of up to 1,024 values behind one header and one index.

    0       header: magic, format version, id of the checksum's key, hash of the namespace, CRC-32, JSON for people
    4096    index: 1,024 rows of 64 bytes, each the key, offset, length and checksum of a value; zeros if unused
    69632   values, each at a multiple of 4,096 bytes

A value is written before its row, and its checksum covers its key: whatever a killed process, a lost page or a flipped
bit leaves in a file, a value that is read is the one that was put, or it is a miss. The order in which pages reach the
disk does not matter. The file of a process that writes is named `*.open`, is locked by it, and can be read by others;
a full one is synced and renamed to `*.seg`. An unlocked `*.open` belongs to no process, and any may go on with it.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import io
import json
import os
import re
import secrets
import stat
import struct
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from torchpaged.prefix_store.buffers import Buffers
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.protocol import KEY_BYTES

FORMAT = 1
PAGE = 1 << 12
ROWS = 1 << 10
MOST_BYTES = 64 << 20  # of a segment; a larger value has one of its own
LEAST_BYTES = 4 << 20  # of a full one, since each value takes a page or more
MOST_VALUE_BYTES = 1 << 30  # a forged length must not make a reader allocate more
SEALED, OPEN = ".seg", ".open"
_SEALED_NAME = re.compile(r"^([0-9a-f]{16})\.seg$", re.MULTILINE)
_OPEN_NAME = re.compile(r"^([0-9a-f]{16})\.open$", re.MULTILINE)

_MAGIC = b"tpagedkv"
_HEADER = struct.Struct("<8sI16s32sII")  # magic, version, key id, hash of the namespace, bytes of JSON, CRC-32
_COUNT = struct.Struct("<I")  # rows of a sealed segment, at the end of the header's page
_ROW = struct.Struct("<32sQQ16s")  # key, offset, length, checksum
ROW_BYTES = _ROW.size
_COUNT_AT = PAGE - _COUNT.size
_DATA = PAGE + ROWS * ROW_BYTES
_FEW_ROWS = 64  # that the first read of a segment brings
DELETED = bytes(KEY_BYTES)  # key of a row whose value was deleted or found damaged


class DamagedSegment(Exception):
    """The reason why a segment, or a value in it, cannot be used."""


class ForeignSegment(DamagedSegment):
    """A segment of another namespace, format or checksum key, which is no damage."""


class Header:
    """Header of all segments that one store writes.

    Args:
        namespace: of the store.
        checksum: of its values.
        metadata: for people, shown by `torchpaged cache ls`.

    Raises:
        ValueError: the metadata does not fit a page, or is not for JSON.
    """

    def __init__(self, namespace: str, checksum: Checksum, metadata: Mapping[str, Any]) -> None:
        text = json.dumps({"namespace": namespace, **metadata}, sort_keys=True).encode()
        if len(text) > _COUNT_AT - _HEADER.size:
            raise ValueError(f"it has {len(text)} bytes as JSON, at most {_COUNT_AT - _HEADER.size} fit")
        self._start = _MAGIC, FORMAT, checksum.key_id, sha256(namespace.encode()).digest()
        self.page = _HEADER.pack(*self._start, len(text), _crc(self._start, text)) + text

    def check(self, page: bytes) -> None:
        """Raise ForeignSegment or DamagedSegment unless the segment with this first page is of the store."""
        if page.startswith(self.page):  # nearly always, and there may be many
            return
        start, _ = _read_header(page)
        if start != self._start:
            raise ForeignSegment("it belongs to another namespace, or has another checksum key")


def read_metadata(page: bytes) -> dict[str, Any]:
    """Return namespace and metadata from a segment's first page. Raises as `Header.check` does."""
    found = json.loads(_read_header(page)[1])
    return found if isinstance(found, dict) else {}


def key_id_of(page: bytes) -> bytes:
    """Return the id of the checksum's key from a segment's first page. Raises as `Header.check` does."""
    return _read_header(page)[0][2]


def _read_header(page: bytes) -> tuple[tuple[bytes, int, bytes, bytes], bytes]:
    if len(page) < PAGE:
        raise DamagedSegment("it ends within its header")
    magic, version, key_id, namespace, length, crc = _HEADER.unpack_from(page)
    if magic == _MAGIC and version != FORMAT and version < 1 << 16:
        raise ForeignSegment(f"its format is {version}, expected {FORMAT}")
    start, text = (magic, version, key_id, namespace), page[_HEADER.size : _HEADER.size + length]
    if magic != _MAGIC or crc != _crc(start, text):
        raise DamagedSegment("its header is not as it was written")
    return start, text


def _crc(start: tuple[bytes, int, bytes, bytes], text: bytes) -> int:
    magic, version, key_id, namespace = start
    return zlib.crc32(b"".join((magic, version.to_bytes(4, "little"), key_id, namespace, text)))


def stems_in(names: Iterable[str]) -> dict[str, bool]:
    """Return the stems of those names that are segments', and whether each is open."""
    text = "\n".join(names)
    # Strings and no pairs of them: for pairs the garbage collector takes four times as long as the search.
    return dict.fromkeys(_SEALED_NAME.findall(text), False) | dict.fromkeys(_OPEN_NAME.findall(text), True)


def path_of(folder: str | Path, stem: str, is_open: bool) -> str:
    """Return the path of a segment."""
    return f"{folder}/{stem}{OPEN if is_open else SEALED}"


def sealed(path: str) -> str:
    """Return the path that a segment has once it is sealed."""
    return path.removesuffix(OPEN) + SEALED if path.endswith(OPEN) else path


def open_file(path: str, flags: int = os.O_RDONLY) -> io.FileIO:
    """Open a segment's file; the descriptor is closed with the last reference to the result.

    Raises:
        OSError: it is not there, or is no regular file: a pipe's reader would wait for ever.
    """
    return io.FileIO(_open(path, flags)[0], "r" if flags == os.O_RDONLY else "r+")


def _open(path: str, flags: int) -> tuple[int, os.stat_result]:
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", path)
    return descriptor, state


def read_index(path: str, header: Header) -> tuple[bytes, int]:
    """Return the rows of a segment (`read_rows`), and the time of its last use.

    Raises:
        DamagedSegment, OSError: it cannot be used.
    """
    descriptor, state = _open(path, os.O_RDONLY)  # without an object around it, since there may be many
    try:
        return read_rows(descriptor, header, path.endswith(SEALED)), state.st_mtime_ns
    finally:
        os.close(descriptor)


def read_rows(descriptor: int, header: Header | None, is_sealed: bool) -> bytes:
    """Return the used rows of a segment's index, whose header is not checked if there is none to compare with.

    Raises:
        DamagedSegment, OSError: it cannot be used.
    """
    start = os.pread(descriptor, PAGE + _FEW_ROWS * ROW_BYTES, 0)
    if not start:
        raise ForeignSegment("it is empty: a process is making it, or was killed then")
    if header is not None:
        header.check(start)
    count = min(ROWS, _COUNT.unpack_from(start, _COUNT_AT)[0]) if is_sealed and len(start) >= PAGE else ROWS
    if count > _FEW_ROWS:
        start += os.pread(descriptor, (count - _FEW_ROWS) * ROW_BYTES, len(start))
    end = PAGE + count * ROW_BYTES
    if is_sealed and len(start) >= end:
        return start[PAGE:end]
    rows = start[PAGE:end].rstrip(b"\0")  # an unused row is all zeros, a used one is not
    return rows.ljust(-(-len(rows) // ROW_BYTES) * ROW_BYTES, b"\0")


def keys_of(rows: bytes) -> list[bytes]:
    """Return the keys of rows in order. Deleted rows have the key DELETED."""
    return list(_keys(len(rows) // ROW_BYTES).unpack(rows))


@functools.cache
def _keys(count: int) -> struct.Struct:
    """Return the keys' places in so many rows: one call that unpacks all takes a fifth of the time of slices."""
    return struct.Struct(f"{KEY_BYTES}s{ROW_BYTES - KEY_BYTES}x" * count)


class Row(NamedTuple):
    """Row of a segment's index."""

    key: bytes
    offset: int
    length: int
    checksum: bytes

    @property
    def end(self) -> int:
        """Offset behind the value and its padding."""
        return self.offset + padded(self.length)

    def is_valid(self, size: int) -> bool:
        """Return whether the value can lie in a file of so many bytes."""
        is_inside = self.offset >= _DATA and self.offset + self.length <= size
        return is_inside and self.offset % PAGE == 0 and self.length <= MOST_VALUE_BYTES


def padded(length: int) -> int:
    """Return the bytes that a value takes in a segment."""
    return max(1, -(-length // PAGE)) * PAGE


def size_for(length: int) -> int:
    """Return the size of a segment for one value of so many bytes."""
    return _DATA + padded(length)


def read_row(descriptor: int, row: int) -> Row:
    """Read a row of the index. DamagedSegment if the file ends before."""
    found = os.pread(descriptor, ROW_BYTES, PAGE + row * ROW_BYTES)
    if len(found) < ROW_BYTES:
        raise DamagedSegment("it ends within its index")
    return Row(*_ROW.unpack(found))


def read_value(descriptor: int, row: Row, checksum: Checksum, buffers: Buffers) -> memoryview:
    """Read a value, and check it.

    Raises:
        DamagedSegment, OSError: it is not the one that was put.
    """
    if not row.is_valid(os.fstat(descriptor).st_size):
        raise DamagedSegment("a row of its index points outside of it")
    value = buffers.take(row.length)
    if os.preadv(descriptor, [value], row.offset) < row.length:
        raise DamagedSegment("it ends within a value")
    if not checksum.matches(row.key, value, row.checksum):
        raise DamagedSegment("a value does not match its checksum")
    return value.toreadonly()


def write(path: str | Path, header: Header, checksum: Checksum, values: Iterable[tuple[bytes, memoryview]]) -> None:
    """Write a sealed segment that belongs to no folder, with at most ROWS values. OSError if it cannot be written."""
    with open(path, "wb", buffering=0) as file:
        rows, end = [], _DATA
        for key, value in values:
            _write(file.fileno(), value, end)
            rows.append(_ROW.pack(key, end, len(value), checksum.of(key, value)))
            end += padded(len(value))
        assert len(rows) <= ROWS
        os.ftruncate(file.fileno(), end)
        _write(file.fileno(), b"".join(rows), PAGE)
        _write(file.fileno(), header.page.ljust(_COUNT_AT, b"\0") + _COUNT.pack(len(rows)), 0)


def read(descriptor: int, checksum: Checksum) -> dict[bytes, memoryview]:
    """Read all values of a sealed segment by their keys, checked. DamagedSegment or OSError if one cannot be read."""
    values, buffers = {}, Buffers()
    for number, key in enumerate(keys_of(read_rows(descriptor, None, is_sealed=True))):
        if (row := read_row(descriptor, number)).key != key:
            raise DamagedSegment("its index changes while it is read")
        values[key] = read_value(descriptor, row, checksum, buffers)
    return values


def erase(path: str, row: int) -> None:
    """Mark a row as deleted. OSError if the file cannot be written."""
    file = open_file(path, os.O_RDWR)  # a name for it: without a reference it would be closed before it is written
    os.pwrite(file.fileno(), DELETED, PAGE + row * ROW_BYTES)


def try_lock(file: io.FileIO, path: str) -> bool:
    """Lock an open segment until the file is closed; False if another process has it, or it is no longer at the path.

    On a file system without locks it counts as locked by this process.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except OSError:
        return False


class SegmentWriter:
    """Open segment that this process appends to.

    Attributes:
        path: of the file.
        keys: of its rows.
        size: bytes that it may have; the file is sparse up to there, so that others count them as taken.
    """

    def __init__(self, path: str, file: io.FileIO, keys: list[bytes], end: int, size: int) -> None:
        self.path, self.keys, self.size = path, keys, size
        self._file, self._end = file, end

    @classmethod
    def create(cls, folder: Path, header: Header, size: int) -> SegmentWriter:
        """Create a segment. OSError if it cannot be written."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        while True:
            path = path_of(folder, secrets.token_hex(8), is_open=True)
            file = io.FileIO(os.open(path, flags, 0o666), "r+")
            if try_lock(file, path):
                break  # else another process took it for one that was left, and removes it
        try:
            _write(file.fileno(), header.page, 0)
            os.ftruncate(file.fileno(), size)
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise
        return cls(path, file, [], _DATA, size)

    @classmethod
    def adopt(cls, path: str, header: Header, size: int) -> SegmentWriter | None:
        """Go on with a segment that another process left; None if it has a writer or cannot be used.

        One without a whole header is removed: a process was killed before it wrote anything.
        """
        try:
            file = open_file(path, os.O_RDWR)
            if not try_lock(file, path):
                return None
            keys = keys_of(read_rows(file.fileno(), header, is_sealed=False))
            now, end = os.fstat(file.fileno()).st_size, _DATA
            for row in range(len(keys)):
                found = read_row(file.fileno(), row)
                if found.is_valid(max(now, size)):
                    end = max(end, found.end)
            size = max(size, end)
            os.ftruncate(file.fileno(), size)
        except ForeignSegment:
            return None
        except DamagedSegment:
            with suppress(OSError):
                os.unlink(path)
            return None
        except OSError:
            return None
        return cls(path, file, keys, end, size)

    @property
    def stem(self) -> str:
        """The name without its ending, which stays when it is sealed."""
        return os.path.basename(self.path).removesuffix(OPEN)

    def has_room(self, length: int) -> bool:
        """Return whether a value of so many bytes fits."""
        return len(self.keys) < ROWS and self._end + padded(length) <= self.size

    @property
    def is_there(self) -> bool:
        """False if the file was removed, or its folder was."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path))
        except OSError:
            return False

    def append(self, key: bytes, value: memoryview, checksum: bytes) -> int:
        """Write a value, then its row, and return the row's number. After an OSError nothing was appended."""
        row = len(self.keys)
        _write(self._file.fileno(), value, self._end)
        _write(self._file.fileno(), _ROW.pack(key, self._end, len(value), checksum), PAGE + row * ROW_BYTES)
        self.keys.append(key)
        self._end += padded(len(value))
        return row

    def sync(self) -> None:
        """Return when all values are on the disk."""
        os.fsync(self._file.fileno())

    def seal(self, used: int) -> None:
        """Sync and rename the file, which no process will write any more; its time will be that of its last use."""
        _write(self._file.fileno(), _COUNT.pack(len(self.keys)), _COUNT_AT)
        os.ftruncate(self._file.fileno(), self._end)
        self._set_time(used)
        self.sync()
        os.rename(self.path, sealed(self.path))
        _sync_folder(os.path.dirname(self.path))
        self._file.close()

    def discard(self) -> None:
        """Remove the segment if it has no value, else leave it."""
        if not self.keys:
            with suppress(OSError):
                os.unlink(self.path)
        self.leave(0)

    def leave(self, used: int) -> None:
        """Give back the room that is not used, and unlock the file for other processes."""
        with suppress(OSError):
            os.ftruncate(self._file.fileno(), self._end)
            self._set_time(used)
            self.sync()
        self._file.close()

    def _set_time(self, used: int) -> None:
        with suppress(OSError, OverflowError):
            os.utime(self._file.fileno(), ns=(used, used))


def _sync_folder(folder: str) -> None:
    """Return when the names in a folder are on the disk. Some file systems cannot say."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write(descriptor: int, data: bytes | memoryview, offset: int) -> None:
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, offset)
        view, offset = view[count:], offset + count

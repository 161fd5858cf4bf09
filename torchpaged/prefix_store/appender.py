"""Appender: the writing side of a store. It begins segments under the limit, appends to one, and seals full ones."""

from __future__ import annotations

import errno
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from torchpaged.prefix_store import folder as folders
from torchpaged.prefix_store import segment
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.index import SegmentIndex
from torchpaged.prefix_store.record import Record
from torchpaged.prefix_store.segment import Header, SegmentWriter

_MOST_UNSEALED = 1  # full segments that wait to be synced; a writer that is faster than the disk waits
_SHARE = 16  # a segment has at most so small a part of the limit, or the least size


class Appender:
    """Writes values into segments of one namespace. Only `seal_full` may be called while another call runs.

    Args:
        root: the folder of all namespaces.
        index: of the namespace; gets each value that was written.
        limit: on the bytes of all namespaces, exceeded by at most one segment; None: no limit.
        record: of the store.
        when_full: called when there is a segment to seal.
    """

    def __init__(
        self,
        root: Path,
        namespace: str,
        header: Header,
        checksum: Checksum,
        index: SegmentIndex,
        limit: int | None,
        record: Record,
        when_full: Callable[[], None],
    ) -> None:
        self._root, self._folder = root, root / namespace
        self._header, self._checksum, self._index, self._limit = header, checksum, index, limit
        self._record, self._when_full = record, when_full
        self._segment_bytes = segment.MOST_BYTES
        if limit is not None:
            share = limit // _SHARE // segment.PAGE * segment.PAGE
            self._segment_bytes = min(segment.MOST_BYTES, max(segment.LEAST_BYTES, share))
        self._writer: SegmentWriter | None = None
        self._number = -1  # of the writer's segment
        self._full: deque[tuple[int, SegmentWriter]] = deque()
        self._sealing = threading.Lock()
        self._pid = os.getpid()

    @property
    def most_bytes(self) -> int:
        """Bytes of the largest value that can be kept."""
        return segment.MOST_VALUE_BYTES if self._limit is None else min(self._limit, segment.MOST_VALUE_BYTES)

    def append(self, key: bytes, value: memoryview) -> None:
        """Write a value. OSError if it cannot be written; then nothing has changed."""
        self._drop_lost_segment()
        while True:
            if self._writer is None:
                self._begin(max(segment.size_for(len(value)), self._segment_bytes))
            assert self._writer is not None
            if self._writer.has_room(len(value)):  # else it was adopted almost full, or is full now
                break
            self._full.append((self._number, self._writer))
            self._writer, self._number = None, -1
            self._when_full()
            if len(self._full) > _MOST_UNSEALED:
                self.seal_full()
        self._writer.append(key, value, self._checksum.of(key, value))
        self._index.append(self._number, key)

    def _drop_lost_segment(self) -> None:
        """Give up the segment if its folder was deleted, or if this process is a fork, whose parent writes it."""
        if os.getpid() != self._pid:
            self._pid, self._full, self._sealing = os.getpid(), deque(), threading.Lock()
            self._index.release(self._number, is_sealed=False)
            self._writer, self._number = None, -1
        elif self._writer is not None and not (self._writer.is_there and self._index.path(self._number)):
            self._index.forget_segment(self._number)
            self._writer, self._number = None, -1

    def _begin(self, size: int) -> None:
        """Adopt or create a segment, and remove others under a limit."""
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder.mkdir(exist_ok=True)
        if self._limit is None:
            self._set_writer(self._adopted(size) or SegmentWriter.create(self._folder, self._header, size))
            return
        self.write_uses()
        with folders.locked(self._root):
            # From here on it counts with its full size, for other processes too, and is locked: none removes it.
            writer = self._adopted(size) or SegmentWriter.create(self._folder, self._header, size)
            removed, total = folders.shrink(self._root, self._limit)
            if total - writer.size > self._limit and self._full:  # one that was adopted and is larger than the limit
                self.seal_full()
                more, total = folders.shrink(self._root, self._limit)
                removed += more
            if total - writer.size > self._limit:
                writer.discard()
                raise OSError(errno.EDQUOT, "the limit is taken by segments that other processes write", self._root)
        self._set_writer(writer)
        self._record.count(evicted_segments=len(removed))
        for each in removed:
            self._index.forget_segment(-1 if (number := self._index.number(each.stem)) is None else number)

    def _adopted(self, size: int) -> SegmentWriter | None:
        for stem, is_open in folders.names(self._folder).items():
            path = segment.path_of(self._folder, stem, is_open)
            if is_open and (writer := SegmentWriter.adopt(path, self._header, size)) is not None:
                return writer
        return None

    def _set_writer(self, writer: SegmentWriter) -> None:
        self._number = self._index.add(writer.stem, writer.keys, 0, is_open=True, is_own=True)
        self._writer = writer

    def seal_full(self) -> None:
        """Sync and rename the segments that are full."""
        with self._sealing:
            while self._full:
                number, writer = self._full[0]
                try:
                    writer.seal(self._index.used(number))
                    self._index.release(number, is_sealed=True)
                except OSError as error:
                    writer.leave(self._index.used(number))
                    self._index.forget_segment(number)  # the next look at the folder finds what is left of it
                    if not isinstance(error, FileNotFoundError):  # else the folder was deleted, and is made again
                        self._record.write_failed(error)
                self._full.popleft()

    def sync(self) -> None:
        """Return when all that was appended is on the disk. OSError if some of it may not be."""
        self.seal_full()
        if self._writer is not None:
            self._writer.sync()

    def leave(self) -> None:
        """Leave the segment to the next process, or to the next call of this one."""
        self.seal_full()
        if self._writer is not None:
            self._writer.leave(self._index.used(self._number))
            self._index.release(self._number, is_sealed=False)
            self._writer, self._number = None, -1

    def write_uses(self) -> None:
        """Write the times of the last uses into the folder, for other processes and later ones."""
        for path, used in self._index.take_uses():
            with suppress(OSError, OverflowError):
                os.utime(path, ns=(used, used), follow_symlinks=False)

"""A folder of segments that several processes and models share: its files, its lock, and the limit on its size.

Below the folder there is one for each namespace. Recency is the files' time of modification, written by the stores as
a counter that follows the clock and never goes back, so a clock that jumps cannot turn the order around.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from torchpaged.prefix_store import segment

_LOCK = "lock"
_PATIENCE = 10.0  # seconds that a process waits for another one that removes segments


class FolderBusy(OSError):
    """Another process has held the folder's lock for too long."""


class SegmentFile(NamedTuple):
    """A segment's file: path, size, and time of the last use in nanoseconds."""

    path: Path
    num_bytes: int
    used: int

    @property
    def is_open(self) -> bool:
        """True if a process writes it, or has left it for the next one."""
        return self.path.suffix == segment.OPEN


def namespaces(root: Path) -> list[Path]:
    """Return the folders of all namespaces. OSError if the folder cannot be read."""
    with os.scandir(root) as entries:
        return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))


def segments(folder: Path) -> Iterator[SegmentFile]:
    """Yield the segments of one namespace. OSError if its folder cannot be read."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if segment.NAME.fullmatch(entry.name):
                with suppress(FileNotFoundError):  # another process has removed or renamed it meanwhile
                    found = entry.stat(follow_symlinks=False)
                    yield SegmentFile(Path(entry.path), found.st_size, found.st_mtime_ns)


def all_segments(root: Path) -> list[SegmentFile]:
    """Return the segments of all namespaces, the longest unused first. OSError if the folder cannot be read."""
    found = [each for folder in namespaces(root) for each in _readable(folder)]
    return sorted(found, key=lambda each: each.used)


def _readable(folder: Path) -> list[SegmentFile]:
    try:
        return list(segments(folder))
    except OSError:  # removed meanwhile, or another user's
        return []


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the folder's lock, which is needed to remove segments, and to begin one under a limit.

    Raises:
        FolderBusy: another process holds it.
        OSError: the folder cannot be written.
    """
    descriptor = os.open(root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        until = time.monotonic() + _PATIENCE
        while not _try_lock(descriptor):
            if time.monotonic() > until:
                raise FolderBusy(f"another process has held {root / _LOCK} for {_PATIENCE:.0f} s")
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: removing a segment twice does no harm
        pass
    return True


def shrink(root: Path, most_bytes: int) -> tuple[list[SegmentFile], int]:
    """Remove the longest unused segments until the others have at most so many bytes; segments in use stay.

    The caller holds the lock.

    Returns:
        The removed segments, and the bytes that are left.
    """
    known = all_segments(root)
    total, removed = sum(each.num_bytes for each in known), []
    for each in known:
        if total <= most_bytes:
            break
        if remove(each):
            total -= each.num_bytes
            removed.append(each)
    return removed, total


def remove(file: SegmentFile) -> bool:
    """Remove a segment, and its namespace's folder if it is empty then; False if it cannot be removed or has a writer.

    Processes that read it go on.
    """
    try:
        if file.is_open:
            opened = segment.open_file(file.path, os.O_RDWR)
            if not segment.try_lock(opened, file.path):
                return False
        file.path.unlink(missing_ok=True)
    except OSError:
        return False
    with suppress(OSError):
        file.path.parent.rmdir()
    return True

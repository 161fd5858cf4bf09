"""A folder of segments that several processes and models share: its files, its lock, and the limit on its size.

Below the folder there is one for each namespace. A file's time of modification is that of its last use.
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
    """A segment's file.

    Args:
        path: of the file.
        stem: of its name; the same when it is sealed.
        num_bytes: its size.
        used: time of its last use, in nanoseconds.
    """

    path: str
    stem: str
    num_bytes: int
    used: int


def namespaces(root: str | Path) -> list[str]:
    """Return the folders of all namespaces. OSError if the folder cannot be read."""
    with os.scandir(root) as entries:
        return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))


def names(folder: str | Path) -> dict[str, bool]:
    """Return the stems of a namespace's segments, and whether each is open. OSError if the folder cannot be read."""
    return segment.stems_in(os.listdir(folder))


def segments(folder: str | Path) -> list[SegmentFile]:
    """Return the segments of a namespace; none if its folder cannot be read."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            for stem in segment.stems_in([entry.name]):
                with suppress(OSError):  # another process has removed or renamed it meanwhile
                    state = entry.stat(follow_symlinks=False)
                    found.append(SegmentFile(entry.path, stem, state.st_size, state.st_mtime_ns))
    return found


def all_segments(root: str | Path) -> list[SegmentFile]:
    """Return the segments of all namespaces, the longest unused first. OSError if the folder cannot be read."""
    found = [each for folder in namespaces(root) for each in segments(folder)]
    return sorted(found, key=lambda each: each.used)


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the folder's lock, which is needed to remove segments, and to begin one under a limit.

    Raises:
        FolderBusy: another process holds it.
        OSError: the folder cannot be written.
    """
    descriptor = os.open(root / _LOCK, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
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


def shrink(root: str | Path, most_bytes: int) -> tuple[list[SegmentFile], int]:
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
        if remove(each.path):
            total -= each.num_bytes
            removed.append(each)
    return removed, total


def remove(path: str) -> bool:
    """Remove a segment, and its namespace's folder if it is empty then; False if it cannot be removed or has a writer.

    The caller holds the lock. Processes that read the segment go on.
    """
    try:
        if path.endswith(segment.OPEN):
            file = segment.open_file(path, os.O_RDWR)
            if not segment.try_lock(file, path):
                return False
        os.unlink(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with suppress(OSError):
        os.rmdir(os.path.dirname(path))
    return True

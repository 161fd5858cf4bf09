"""Atomic writes: a result appears whole or not at all, beside other writers and whatever ends the process.

A result is made in a work folder beside its place, one for each run, and moved there by renaming. Its maker removes the
folder, and holds a lock on it until then: one that nothing locks was left by a process that was killed, and the next
run for the same place removes it. Where a file system has no locks, such a folder stays.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from torchpaged.utils.paths import followed

_MARK, _END = ".torchpaged-", ".part"
_LONGEST_NAME = 200  # bytes; a file system takes 255, and the work folder's name is longer than the file's


@contextmanager
def replaced(path: str | Path) -> Iterator[Path]:
    """Yields the path of a file to write, of the same name; it replaces `path` when the block ends without an error.

    The new file has the mode of the one that it replaces, or that of any new file. A link stays one.

    Raises:
        OSError: `path` is no file, but a pipe, say, or the folder that it is in cannot be written to.
    """
    target = followed(Path(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{str(target)!r} is no file")
    name = target.name if len(os.fsencode(target.name)) <= _LONGEST_NAME else _short(target.name)
    with _work_folder(target.parent, f".{name}{_MARK}") as folder:
        made = folder / target.name
        made.touch()
        mode = (target if target.exists() else made).stat().st_mode
        made.unlink()
        yield made
        made.chmod(stat.S_IMODE(mode))  # some libraries write files that only their owner can read
        with made.open("rb") as file:
            os.fsync(file.fileno())  # the name must not reach the disk before the contents
        os.replace(made, target)


def is_stream(path: Path) -> bool:
    """Whether it is a pipe, a device or a socket, which is written to and not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def write(path: str | Path, data: bytes) -> int:
    """Writes a file as `replaced` does, or to a pipe or a device; returns the bytes."""
    if is_stream(Path(path)):
        return Path(path).write_bytes(data)
    with replaced(path) as made:
        return made.write_bytes(data)


def require_writable(path: Path) -> None:
    """Finds out whether a file can be written, before hours of work for it. Leaves no trace, not for a moment.

    Raises:
        OSError: it cannot.
    """
    if is_stream(path):
        if not os.access(path, os.W_OK):
            raise PermissionError("it may not be written")
        return
    target = followed(path)
    if target.is_dir():
        raise IsADirectoryError("it is a folder")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError("it may not be written")
    with suppress(FileNotFoundError):
        target.lstat()  # of a name that is too long
    with tempfile.TemporaryFile(dir=target.parent):
        pass


@contextmanager
def filled(output: Path, last: str) -> Iterator[Path]:
    """Yields a work folder; its entries move to `output` when the block ends without an error.

    Args:
        output: made if need be, and removed again where nothing came of it.
        last: the entry that is moved last, which makes the others a result.

    Raises:
        OSError: it cannot be written to, another process is writing there, or has done so since the block began.
    """
    there = output.exists()
    lock = _locked_folder(output)
    try:
        before = entries(output)
        with _work_folder(output, _MARK) as folder:
            yield folder
            if strange := sorted(entries(output) - before):
                raise FileExistsError(f"another process has written {strange[0]!r} there meanwhile")
            for each in sorted(folder.iterdir(), key=lambda each: each.name == last):
                each.replace(output / each.name)
    finally:
        if not there:
            with suppress(OSError):  # what is finished is not empty
                output.rmdir()
        if lock is not None:
            os.close(lock)


def entries(folder: Path) -> set[str]:
    """Names of what a folder holds, without work folders."""
    return {each.name for each in folder.iterdir() if not _is_ours(each.name, _MARK)}


def is_being_filled(folder: Path) -> bool:
    """Whether another process is inside `filled` for this folder, as far as its file system has locks."""
    try:
        lock = _lock(folder)
    except BlockingIOError:
        return True
    except OSError:
        return False
    if lock is not None:
        os.close(lock)
    return False


@contextmanager
def _work_folder(parent: Path, start: str) -> Iterator[Path]:
    """A folder of this run alone, whose name begins so; those of runs that were killed go away."""
    with suppress(OSError):  # one that may be written to and not be read
        for each in parent.iterdir():
            if _is_ours(each.name, start):
                _remove_stale(each)
    folder, lock = _made(parent, start)
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            if lock is not None:
                os.close(lock)


def _made(parent: Path, start: str) -> tuple[Path, int | None]:
    """A new folder with its lock; another one where a run that tidies up was there between the two."""
    while True:
        folder = Path(tempfile.mkdtemp(_END, start, parent))
        with suppress(BlockingIOError, FileNotFoundError):
            return folder, _lock(folder)


def _locked_folder(folder: Path) -> int | None:
    """Makes a folder if need be, and locks it; again, where another process removed it between the two."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return _lock(folder)
        except BlockingIOError:
            raise BlockingIOError("another process is writing there; wait for it, or name another folder") from None
        except FileNotFoundError:
            continue


def _lock(folder: Path) -> int | None:
    """Locks a folder until the descriptor is closed; None where the file system has no locks.

    Raises:
        BlockingIOError: another has the lock.
        FileNotFoundError: the folder is gone.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            os.close(descriptor)
            return None
        # Another process may have removed it since it was opened.
        if not os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            raise FileNotFoundError(f"{str(folder)!r} is another folder now")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _remove_stale(folder: Path) -> None:
    """Removes a work folder of this user's that nothing locks."""
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or (lock := _lock(folder)) is None:
            return
    except OSError:  # it is locked, gone, or no folder
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _is_ours(name: str, start: str) -> bool:
    return name.startswith(start) and name.endswith(_END)


def _short(name: str) -> str:
    return sha256(os.fsencode(name)).hexdigest()[:16]

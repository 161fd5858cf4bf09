"""Atomic writes: a result appears whole or not at all, also with concurrent writers and if the process is killed.

Each run writes into a work folder beside the target and renames the result into place. The run holds a lock on its work
folder until it removes it. An unlocked work folder was left by a killed process, and the next run for the same target
removes it. On a file system without locks such a folder stays.
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
    """Yield the path of a file to write, of the same name; it replaces `path` when the block ends without an error.

    The new file has the mode of the file that it replaces, or a new file's default mode. A link stays a link.

    Raises:
        OSError: `path` is not a regular file (a pipe, for example), or its folder is not writable.
    """
    target = followed(Path(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{str(target)!r} is no file")
    name = target.name if len(os.fsencode(target.name)) <= _LONGEST_NAME else _short(target.name)
    with _work_folder(target.parent, f".{name}{_MARK}") as folder:
        made = folder / target.name
        try:
            made.touch()
            mode = (target if target.exists() else made).stat().st_mode
            made.unlink()
            yield made
            made.chmod(stat.S_IMODE(mode))  # some libraries create files that only their owner can read
            with made.open("rb") as file:
                os.fsync(file.fileno())  # the name must not reach the disk before the contents
            os.replace(made, target)
        except OSError as error:
            if error.errno is not None and error.filename in (None, str(made)):
                error.filename = str(path)  # a failed write does not say of what
                del error.filename2  # None would be told as a name
            raise


def is_stream(path: Path) -> bool:
    """Return True for a pipe, a device or a socket, which is written to and not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def write(path: str | Path, data: bytes) -> int:
    """Write a file atomically with `replaced`, or write to a pipe or device; returns the number of bytes."""
    if is_stream(Path(path)):
        try:
            return Path(path).write_bytes(data)
        except OSError as error:
            error.filename = str(path)
            raise
    with replaced(path) as made:
        return made.write_bytes(data)


def require_writable(path: Path) -> None:
    """Check that a file can be written, before long work for it. Creates no visible file.

    Raises:
        OSError: it cannot be written.
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
        target.lstat()  # raises for a name that is too long
    with tempfile.TemporaryFile(dir=target.parent):
        pass


@contextmanager
def filled(output: Path, last: str) -> Iterator[Path]:
    """Yield a work folder; its entries move to `output` when the block ends without an error.

    Args:
        output: created if needed, and removed again if the block fails.
        last: the entry that is moved last; readers take its presence as the sign that the result is complete.

    Raises:
        OSError: `output` is not writable, another process is writing there, or has done so since the block began.
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
            with suppress(OSError):  # fails if the folder is not empty, that is after success
                output.rmdir()
        if lock is not None:
            os.close(lock)


def entries(folder: Path) -> set[str]:
    """Return the names of a folder's entries, without work folders."""
    return {each.name for each in folder.iterdir() if not _is_ours(each.name, _MARK)}


def is_being_filled(folder: Path) -> bool:
    """Return True if another process is inside `filled` for this folder; False on a file system without locks."""
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
    """Make a work folder for this run, with a name that begins with `start`; remove those of killed runs."""
    with suppress(OSError):  # the parent may be writable and not readable
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
    """Create a folder and lock it. Retried if another run's cleanup takes it in between."""
    while True:
        folder = Path(tempfile.mkdtemp(_END, start, parent))
        with suppress(BlockingIOError, FileNotFoundError):
            return folder, _lock(folder)


def _locked_folder(folder: Path) -> int | None:
    """Create a folder if needed, and lock it. Retried if another process removes it in between."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return _lock(folder)
        except BlockingIOError:
            raise BlockingIOError("another process is writing there; wait for it, or name another folder") from None
        except FileNotFoundError:
            continue


def _lock(folder: Path) -> int | None:
    """Lock a folder until the returned descriptor is closed; None if the file system has no locks.

    Raises:
        BlockingIOError: another process holds the lock.
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
    """Remove a work folder of this user that no process has locked."""
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or (lock := _lock(folder)) is None:
            return
    except OSError:  # it is locked, gone, or not a folder
        return
    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _is_ours(name: str, start: str) -> bool:
    return name.startswith(start) and name.endswith(_END)


def _short(name: str) -> str:
    return sha256(os.fsencode(name)).hexdigest()[:16]

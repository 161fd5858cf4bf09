"""Files and folders that are complete or absent, with other writers, and after a process was killed."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from torchpaged.utils import atomic_files

# Begins to write, prints "begun", then waits for a line.
WRITER = """
import sys
from pathlib import Path
sys.modules["torch"] = None  # as if it were not installed: it takes seconds
from torchpaged.utils import atomic_files

kind, path = sys.argv[1], Path(sys.argv[2])
if kind == "file":
    with atomic_files.replaced(path) as made:
        made.write_text("half")
        print("begun", flush=True)
        sys.stdin.readline()
        made.write_text("whole")
else:
    with atomic_files.filled(path, "config.json") as folder:
        (folder / "config.json").write_text("whole")
        print("begun", flush=True)
        sys.stdin.readline()
"""


def begin(kind: str, path: Path) -> subprocess.Popen[str]:
    """Start a process that is in the middle of writing."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, kind, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None and writer.stdout.readline() == "begun\n"
    return writer


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def write(path: Path, text: str) -> None:
    with atomic_files.replaced(path) as made:
        made.write_text(text)


def fill(path: Path, text: str) -> None:
    with atomic_files.filled(path, "config.json") as folder:
        (folder / "weights").write_text(text)
        (folder / "config.json").write_text(text)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_files.replaced(path) as made:
        made.write_text("half")
        assert path.read_text() == "old" and made.name == path.name
        raise KeyboardInterrupt
    assert names(tmp_path) == ["results"] and path.read_text() == "old"
    write(path, "new")
    assert names(tmp_path) == ["results"] and path.read_text() == "new"


def test_the_mode_and_a_link_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "results", tmp_path / "link"
    link.symlink_to(path)
    before = os.umask(0o027)
    try:
        with atomic_files.replaced(link) as made:
            made.touch(0o600)  # as safetensors does
    finally:
        os.umask(before)
    assert link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write(link, "new")
    assert link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o604


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught, atomic_files.replaced(tmp_path / "a.json"):
        raise OSError(28, "No space left on device")
    assert str(caught.value) == f"[Errno 28] No space left on device: '{tmp_path / 'a.json'}'"


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    assert atomic_files.write("/dev/null", b"new") == 3 and Path("/dev/null").is_char_device()
    for path in (tmp_path, "/dev/null"):
        with pytest.raises(OSError, match="is no file"), atomic_files.replaced(path):
            pass
    with pytest.raises(FileNotFoundError), atomic_files.replaced(tmp_path / "none" / "results"):
        pass


def test_a_name_as_long_as_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 127)
    write(path, "new")
    assert names(tmp_path) == [path.name]


def test_two_writers_of_a_file(tmp_path: Path) -> None:
    """Each has its own temporary folder; the latest file stays."""
    path = tmp_path / "results"
    with begin("file", path) as other:
        write(path, "ours")
        assert path.read_text() == "ours"
        other.communicate("go on\n")
    assert other.returncode == 0 and path.read_text() == "whole" and names(tmp_path) == ["results"]


def test_two_writers_of_a_folder(tmp_path: Path) -> None:
    """The second writer is refused at once, and the first one's files are unchanged."""
    path = tmp_path / "model"
    with begin("folder", path) as other:
        assert atomic_files.is_being_filled(path) and atomic_files.entries(path) == set()
        with pytest.raises(OSError, match="another process is writing there"):
            fill(path, "ours")
        other.communicate("go on\n")
    assert other.returncode == 0 and names(path) == ["config.json"]
    assert not atomic_files.is_being_filled(path) and not atomic_files.is_being_filled(tmp_path / "none")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_is_removed_by_the_next(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "results"
    with begin(kind, path) as other:
        other.send_signal(signal.SIGKILL)
        other.communicate()
    folder = tmp_path if kind == "file" else path
    assert len(names(folder)) == 1 and atomic_files.entries(folder) == ({names(folder)[0]} if kind == "file" else set())
    (write if kind == "file" else fill)(path, "new")
    assert names(folder) == (["results"] if kind == "file" else ["config.json", "weights"])


def test_a_folder_that_fails_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "some" / "model"
    with pytest.raises(KeyboardInterrupt), atomic_files.filled(path, "config.json") as folder:
        (folder / "weights").touch()
        raise KeyboardInterrupt
    assert not path.exists()
    path.mkdir()
    (path / "notes").touch()
    with pytest.raises(ZeroDivisionError), atomic_files.filled(path, "config.json") as folder:
        (folder / "weights").touch()
        raise ZeroDivisionError
    assert names(path) == ["notes"]


def test_what_came_meanwhile_is_not_mixed_with_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tested on a simulated file system without locks."""

    def without(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(atomic_files.fcntl, "flock", without)
    refused = pytest.raises(OSError, match=r"another process has written 'config\.json'")
    with refused, atomic_files.filled(tmp_path, "config.json") as folder:
        (folder / "config.json").touch()
        fill(tmp_path, "theirs")
    assert names(tmp_path) == ["config.json", "weights"] and (tmp_path / "config.json").read_text() == "theirs"


def test_folders_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / ".results.part").mkdir()
    (tmp_path / ".results.torchpaged-x.part").touch()
    (tmp_path / ".results.torchpaged-y.part").symlink_to("/")
    write(tmp_path / "results", "new")
    assert len(names(tmp_path)) == 4


def test_an_error_names_the_file_that_was_to_be_written(tmp_path: Path) -> None:
    """The kernel does not: a full disk would be one of the standard output."""
    path = tmp_path / "result"
    with pytest.raises(OSError, match="No space") as found, atomic_files.replaced(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert found.value.filename == str(path) and not list(tmp_path.iterdir())
    with pytest.raises(OSError, match="No space") as found:
        atomic_files.write("/dev/full", b"x")
    assert found.value.filename == "/dev/full"

"""File names: expands ~, checks that an untrusted name stays in its folder, follows links of files to be written."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath, PureWindowsPath


def expanded(path: str | os.PathLike[str]) -> str:
    """Return a path with ~ replaced by the user's folder; unchanged if there is no such user, or cannot be one."""
    try:
        return os.path.expanduser(path)
    except ValueError:  # a null character, or one without an encoding
        return os.fspath(path)


def leads_out(name: str) -> bool:
    """Return True if a name is absolute or leads out of its folder, on any system; looks at the name only."""
    windows = PureWindowsPath(name)  # accepts both kinds of slashes
    return PurePosixPath(name).is_absolute() or bool(windows.anchor) or ".." in windows.parts


def followed(path: Path) -> Path:
    """Resolve links, so that replacing the file keeps the link. /dev/stdout is returned unchanged if it is a pipe,
    which has no path of its own."""
    real = Path(os.path.realpath(path))
    return path if path.exists() and not real.exists() else real


def link_roots(folder: Path) -> list[Path]:
    """Folders that the links in a snapshot of the hub's cache lead to: its repository's blobs, and the shared ones.

    They are not resolved: a folder that only looks like a cache could make them links to anywhere.
    """
    repository = folder.parent.parent
    is_snapshot = folder.parent.name == "snapshots" and re.fullmatch("models--.+", repository.name)
    return [repository / "blobs", repository.parent / "blobs"] if is_snapshot else []

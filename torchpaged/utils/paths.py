"""File names: expands ~, checks that an untrusted name stays in its folder, follows links of files to be written."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath


def expanded(path: str | Path) -> str:
    """Return a path with ~ replaced by the user's folder; unchanged if there is no such user, or cannot be one."""
    try:
        return os.path.expanduser(path)
    except ValueError:  # a null character, or one without an encoding
        return str(path)


def leads_out(name: str) -> bool:
    """Return True if a name is absolute or leads out of its folder, on any system; looks at the name only."""
    windows = PureWindowsPath(name)  # accepts both kinds of slashes
    return PurePosixPath(name).is_absolute() or bool(windows.anchor) or ".." in windows.parts


def followed(path: Path) -> Path:
    """Resolve links, so that replacing the file keeps the link. /dev/stdout is returned unchanged if it is a pipe,
    which has no path of its own."""
    real = Path(os.path.realpath(path))
    return path if path.exists() and not real.exists() else real

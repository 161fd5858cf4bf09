"""Names of files: whether one of somebody else's stays in its folder, and what one that is written to leads to."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath


def leads_out(name: str) -> bool:
    """Whether a relative name leads out of its folder, or is none, on any system; by its words alone."""
    windows = PureWindowsPath(name)  # takes both kinds of slashes
    return PurePosixPath(name).is_absolute() or bool(windows.anchor) or ".." in windows.parts


def followed(path: Path) -> Path:
    """What a link leads to: it stays one when the file is replaced. /dev/stdout stays itself where it is a pipe, which
    has no name of its own."""
    real = Path(os.path.realpath(path))
    return path if path.exists() and not real.exists() else real

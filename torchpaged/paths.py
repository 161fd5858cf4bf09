"""Names that stand in somebody else's file: whether they stay in the folder that they are put behind."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath


def leads_out(name: str) -> bool:
    """Whether a relative name leads out of its folder, or is none, on any system; by its words alone."""
    windows = PureWindowsPath(name)  # takes both kinds of slashes
    return PurePosixPath(name).is_absolute() or bool(windows.anchor) or ".." in windows.parts

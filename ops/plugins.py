"""Backends of other packages: entry points of the group "torchpaged.backends", found by the backend's name.

A package is imported only when its backend is asked for, so installing one changes no call.
"""

from __future__ import annotations

from importlib.metadata import entry_points

GROUP = "torchpaged.backends"


def names() -> list[str]:
    """Return the names of all installed backends."""
    return [point.name for point in entry_points(group=GROUP)]


def load(name: str) -> str | None:
    """Call the entry point of that name, which registers its backends, and return its value; None if there is none.

    Raises:
        ImportError: it cannot be imported or raises an error, or several packages have one of that name.
    """
    found = {each.value: each for each in entry_points(group=GROUP) if each.name == name}
    if not found:
        return None
    if len(found) > 1:
        raise ImportError(
            f"backend {name!r} is the entry point of several packages, {', '.join(sorted(found))}; "
            "uninstall all but one"
        )
    (point,) = found.values()
    try:
        point.load()()
    except Exception as error:  # another package's code may raise anything
        raise ImportError(
            f"backend {name!r} is the entry point {point.value}, which failed: {type(error).__name__}: {error}; mend "
            "or uninstall the package that brings it, or ask for another backend"
        ) from error
    return point.value

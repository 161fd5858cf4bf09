"""Backends that packages bring: entry points of the group "torchpaged.backends", each found by its backend's name.

Nothing of them is imported before somebody asks for one: what is installed changes no call by itself.
"""

from __future__ import annotations

from importlib.metadata import entry_points

GROUP = "torchpaged.backends"


def names() -> list[str]:
    """Of all that are installed."""
    return [point.name for point in entry_points(group=GROUP)]


def load(name: str) -> str | None:
    """Calls the entry point of that name, which registers its backends. Returns what it is; None: there is none.

    Raises:
        ImportError: it cannot be imported, or raises itself; several packages bring one of that name.
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
    except Exception as error:  # somebody else's code may raise anything
        raise ImportError(
            f"backend {name!r} is the entry point {point.value}, which failed: {type(error).__name__}: {error}; mend "
            "or uninstall the package that brings it, or ask for another backend"
        ) from error
    return point.value

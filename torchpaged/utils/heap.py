"""Keeps Python's garbage collector away from objects that live as long as the process.

Frozen objects are never freed by the collector, so this is only for processes that are the library's own and end with
their engine.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def freeze() -> None:
    """Collect garbage, then exempt all objects from later collections.

    A full collection visits each object: 0.25 s with torch and transformers imported, in which no step runs and no
    answer is sent.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def importing() -> Iterator[None]:
    """Import without collections, then exempt all objects from later ones.

    Imports leave no garbage worth a collection: of the 318,000 objects of a server it finds 7,300, in 0.15 s.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()

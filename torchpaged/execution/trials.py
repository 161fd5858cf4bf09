"""`trials`: how often what is timed is run."""

from __future__ import annotations

import time
from collections.abc import Iterator

# The first may compile a kernel, and others run beside.
_FEWEST, _MOST = 4, 16
# Seconds: what is short is run more often, since a moment of somebody else's is more to it.
_LONG_ENOUGH = 0.15


def trials() -> Iterator[int]:
    """Numbers of rounds, of which the least counts."""
    begin = time.perf_counter()
    for number in range(_MOST):
        if number >= _FEWEST and time.perf_counter() - begin > _LONG_ENOUGH:
            return
        yield number

"""trials: how often to repeat a measurement."""

from __future__ import annotations

import time
from collections.abc import Iterator

# The first trial may compile a kernel, and others may be disturbed by other processes.
_FEWEST, _MOST = 4, 16
# Seconds. Short measurements are repeated more often, since a disturbance matters more to them.
_LONG_ENOUGH = 0.15


def trials(*, fixed: bool = False) -> Iterator[int]:
    """Yield the numbers of trials; callers keep the minimum over them.

    Args:
        fixed: yield as many whatever the clock says, as ranks need that measure together.
    """
    begin = time.perf_counter()
    for number in range(_FEWEST if fixed else _MOST):
        if number >= _FEWEST and time.perf_counter() - begin > _LONG_ENOUGH:
            return
        yield number

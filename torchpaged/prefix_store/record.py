"""Record: counters of one store, and warnings that are logged once."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter

from torchpaged.errors import reason_of

logger = logging.getLogger("torchpaged.prefix_store")

_RETRY = 30.0  # seconds without a try to write after an error
_COUNTS = ("hits", "misses", "bytes_read", "puts", "bytes_written", "dropped", "damaged", "evicted_segments")


class Record:
    """Counters and warnings of one store.

    Args:
        place: of the store, for the warnings.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._counts: Counter[str] = Counter()
        self._seconds = {"seconds_read": 0.0, "seconds_written": 0.0}
        self._said: set[str] = set()
        self._retry_at = 0.0
        self._lock = threading.Lock()

    @property
    def may_write(self) -> bool:
        """False for a while after something could not be written."""
        return time.monotonic() >= self._retry_at

    def count(self, **amounts: int) -> None:
        """Add to counters."""
        with self._lock:
            self._counts.update(amounts)

    def add_read(self, sizes: list[int], misses: int, seconds: float) -> None:
        """Add a call of `get`."""
        self.count(hits=len(sizes), misses=misses, bytes_read=sum(sizes))
        with self._lock:
            self._seconds["seconds_read"] += seconds

    def add_written(self, dropped: int, seconds: float) -> None:
        """Add a call of `put`."""
        self.count(dropped=dropped)
        with self._lock:
            self._seconds["seconds_written"] += seconds

    def values(self) -> dict[str, int | float]:
        """Return all counters."""
        with self._lock:
            return {**{name: self._counts[name] for name in _COUNTS}, **self._seconds}

    def say(self, kind: str, text: str) -> None:
        """Log a warning, unless one of this kind was logged before."""
        with self._lock:
            is_new = kind not in self._said
            self._said.add(kind)
        if is_new:
            logger.warning("prefix cache: %s", text)

    def write_failed(self, error: Exception) -> None:
        """Note that something could not be written; writing is given up for a while."""
        self._retry_at = time.monotonic() + _RETRY
        self.say(
            f"write {getattr(error, 'errno', type(error).__name__)}",
            f"{self._place} cannot be written: {short_reason(error)}; new values are dropped, requests go on, and "
            f"it is tried again every {_RETRY:.0f} s",
        )


def short_reason(error: Exception) -> str:
    """Return an error as one line, without the path that the caller names."""
    return (isinstance(error, OSError) and error.strerror) or reason_of(error)

"""Worker: the background thread of a store: syncing, listing, and other work that callers do not wait for."""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress

_PATIENCE, _SLICES = 5.0, 50  # seconds, and pieces of them


class Worker:
    """Thread that calls a function when it is woken. It keeps no store alive.

    Args:
        work: a method of the store; it gets True the first time, and whenever it was not called so for `seconds`.
        seconds: between two calls with True, at least.
    """

    def __init__(self, work: Callable[[bool], None], seconds: float) -> None:
        self._work = weakref.WeakMethod(work)
        self._seconds = seconds
        self._last = -math.inf
        self._first = threading.Event()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = False
        # Without it the thread of a store that was never closed would wait for ever.
        weakref.finalize(work.__self__, self._wake.set).atexit = False  # type: ignore[attr-defined]

    def start(self) -> None:
        """Wake the thread, and wait until its first call has ended, but for no more than 5 seconds of running."""
        self.wake()
        for _ in range(_SLICES):  # a process that was stopped and goes on loses one of them
            if self._first.wait(_PATIENCE / _SLICES):
                break

    def wake(self) -> None:
        """Let the thread call the function soon."""
        with self._lock:
            if (self._thread is None or not self._thread.is_alive()) and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="torchpaged store", daemon=True)
                with suppress(RuntimeError):  # the interpreter ends
                    self._thread.start()
        self._wake.set()

    def wake_if_due(self) -> None:
        """Wake the thread if the time between two calls is over."""
        if time.monotonic() - self._last > self._seconds:
            self.wake()

    def stop(self) -> None:
        """End the thread, and wait for it."""
        self._stopped = True
        self._wake.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            work = self._work()
            if work is None or self._stopped:
                return
            is_due = time.monotonic() - self._last > self._seconds
            try:
                work(is_due)
            finally:
                del work
                self._last = time.monotonic() if is_due else self._last
                self._first.set()

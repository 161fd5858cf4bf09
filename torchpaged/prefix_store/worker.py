"""Worker: the thread of a store, for what no caller should wait for."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress


class Worker:
    """Thread that calls a function when it is woken. It starts when it is first woken, and keeps no store alive.

    Args:
        work: a method of the store; it gets True if it was not called so for `seconds`.
        seconds: between two calls with True, at least.
    """

    def __init__(self, work: Callable[[bool], None], seconds: float) -> None:
        self._work = weakref.WeakMethod(work)
        self._seconds = seconds
        self._last = time.monotonic()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = False
        # Without it the thread of a store that nobody closed would wait for ever.
        weakref.finalize(work.__self__, self._wake.set).atexit = False  # type: ignore[attr-defined]

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
            work(is_due)
            del work
            if is_due:
                self._last = time.monotonic()

"""DaemonThread: calls functions that may take long inside a library, and that nothing must wait for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, wait
from typing import Any, TypeVar

_T = TypeVar("_T")
# Seconds after which a wait for a call is begun again.
_WAIT = 0.5
_Call = tuple[Future[Any], Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class DaemonThread(Executor):
    """A thread that calls functions in order. Unlike a `ThreadPoolExecutor`'s, a call does not delay the end of Python.

    Args:
        name: of the thread, which starts with the first call.
    """

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._lock, self._is_closed = threading.Lock(), False
        self._thread = threading.Thread(target=_run, args=(self._calls,), name=name, daemon=True)

    def submit(self, function: Callable[..., _T], /, *args: Any, **options: Any) -> Future[_T]:
        """Call a function after those before it. Raises RuntimeError after `shutdown`."""
        future: Future[_T] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError(f"{self._thread.name} takes no more calls")
            self._calls.put((future, function, args, options))
            if self._thread.ident is None:
                self._thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the thread after the calls before this one; with `cancel_futures` after the current one."""
        with self._lock:
            self._is_closed = True
            while cancel_futures:
                try:
                    call = self._calls.get_nowait()
                except queue.Empty:
                    break
                if call is not None:
                    call[0].cancel()
            self._calls.put(None)
        if wait and self._thread.ident is not None:
            self._thread.join()


def _run(calls: queue.SimpleQueue[_Call | None]) -> None:
    while (call := calls.get()) is not None:
        future, function, args, options = call
        if future.set_running_or_notify_cancel():
            try:
                result = function(*args, **options)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
                del result
        del call, future, function, args, options  # nothing is kept until the next call


def interruptibly(function: Callable[..., _T], /, *args: Any, **options: Any) -> _T:
    """Call a function so that Ctrl-C and SIGTERM are handled while it is inside a library that releases the GIL.

    An interrupted call goes on in its thread, and its result is dropped. Python handles signals in the main thread
    alone; in others the function is called directly.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **options)
    thread = DaemonThread("torchpaged-interruptible")
    try:
        future = thread.submit(function, *args, **options)
        # A signal that comes just before a wait begins does not end it: Python handles it when the wait is over.
        while not wait([future], timeout=_WAIT).done:
            pass
        return future.result()
    finally:
        thread.shutdown(wait=False)

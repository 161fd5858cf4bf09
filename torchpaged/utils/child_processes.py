"""Waits for child processes that several threads may join.

`Process.is_alive` and `exitcode` may tell the status before, if another thread has just taken it from the system; a
process's sentinel cannot.
"""

from __future__ import annotations

import multiprocessing.connection
from multiprocessing.process import BaseProcess


def has_ended(process: BaseProcess, timeout: float | None = 0.0) -> bool:
    """Wait for a process to end; return False if it has not after so many seconds. None: wait as long as it lives."""
    return bool(multiprocessing.connection.wait([process.sentinel], timeout))


def end(process: BaseProcess, timeout: float | None) -> None:
    """Wait for a process to end, and kill it if it has not after so many seconds."""
    if not has_ended(process, timeout):
        process.kill()
        has_ended(process, None)
    process.join()

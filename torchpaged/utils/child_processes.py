"""Child processes: waits for those that several threads may join, and signals that are for their parent.

`Process.is_alive` and `exitcode` may tell the status before, if another thread has just taken it from the system; a
process's sentinel cannot.
"""

from __future__ import annotations

import multiprocessing.connection
import re
import signal
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

# These come to all processes of a terminal, a container or a service.
_FOR_ALL = ("SIGINT", "SIGTERM", "SIGHUP")  # no SIGHUP on Windows


def has_ended(process: BaseProcess, timeout: float | None = 0.0) -> bool:
    """Wait for a process to end; return False if it has not after so many seconds. None: wait as long as it lives."""
    return bool(multiprocessing.connection.wait([process.sentinel], timeout))


def end(process: BaseProcess, timeout: float | None) -> None:
    """Wait for a process to end, and kill it if it has not after so many seconds."""
    if not has_ended(process, timeout):
        process.kill()
        has_ended(process, None)
    process.join()


def ignore_signals() -> None:
    """Ignore Ctrl-C, SIGTERM and a closed terminal in this process: its parent gets them too, and then ends it."""
    for name in _FOR_ALL:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def is_stopped(process: BaseProcess) -> bool:
    """Return True if a process was stopped by a signal or a debugger; False where there is no /proc."""
    with suppress(OSError):
        state = re.search(rb"^State:\s*(\w)", Path(f"/proc/{process.pid}/status").read_bytes(), re.MULTILINE)
        return state is not None and state[1] in b"Tt"
    return False

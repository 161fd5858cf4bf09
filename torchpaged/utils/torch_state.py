"""Isolates the engine from global torch state: a default device, and threads lost in a fork."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

import torch

_watches_forks = False


@contextmanager
def host_by_default() -> Generator[None]:
    """Create tensors on the host unless a device is given, whatever default device the program has set.

    Otherwise operators would get arguments on two devices, and with a default of meta would compute nothing.
    """
    # A default device is a mode on this stack; to look for it there takes some microseconds.
    if not torch._C._len_torch_function_stack() or torch.get_default_device().type == "cpu":
        yield
    else:
        with torch.device("cpu"):
            yield


def has_observers() -> bool:
    """Return True if a dispatch mode or a profiler is active, which must see each operator."""
    return bool(torch._C._len_torch_dispatch_stack() or torch.autograd._profiler_enabled())


def watch_forks() -> None:
    """Make processes forked from this one compute with one thread.

    A fork copies only the calling thread, and GNU OpenMP, which torch's wheels use, would wait for the others forever.
    """
    global _watches_forks
    if not _watches_forks:
        _watches_forks = True
        os.register_at_fork(after_in_child=_use_one_thread)


def _use_one_thread() -> None:
    torch.set_num_threads(1)

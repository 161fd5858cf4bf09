"""What a program has made of torch that an engine in it does not go by: a default device; threads that a fork lost."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

import torch

_watches_forks = False


@contextmanager
def host_by_default() -> Generator[None]:
    """Tensors are made on the host where nothing else is said, whatever default device the caller has set.

    On another one operators would get arguments of two devices, and on meta they would compute nothing.
    """
    if torch.get_default_device().type == "cpu":
        yield
    else:
        with torch.device("cpu"):
            yield


def watch_forks() -> None:
    """From now on a process that is forked from this one computes with one thread.

    The others do not come along, and GNU's OpenMP, which torch's wheels have, would wait for them for ever.
    """
    global _watches_forks
    if not _watches_forks:
        _watches_forks = True
        os.register_at_fork(after_in_child=_use_one_thread)


def _use_one_thread() -> None:
    torch.set_num_threads(1)

"""Suppresses meaningless messages of other libraries while torchpaged calls them.

Each context drops only the lines that it knows and removes its filter afterwards, so a program's own calls of these
libraries print as before.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def importing_torchao() -> Iterator[None]:
    """Drop messages about CUDA libraries that torchao cannot load, and torch's about torchao's enums.

    transformers imports torchao too.
    """

    def says_something(record: logging.LogRecord) -> bool:
        missing = str(record.msg).startswith("Failed to load") and not torch.cuda.is_available()
        return not missing and "is an Enum subclass" not in str(record.msg)

    loggers = [logging.getLogger(name) for name in ("torchao", "torch.utils._pytree")]
    for logger in loggers:
        logger.addFilter(says_something)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(says_something)


@contextmanager
def exporting() -> Iterator[None]:
    """Drop torch 2.13's warning about torch's own use of `LeafSpec`, shown whenever it compiles a package."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"`isinstance\(treespec, LeafSpec\)` is deprecated", FutureWarning)
        yield


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Disable transformers' progress bars, of which it shows one for each file and one for the weights."""
    from transformers.utils import logging as said

    shown = said.is_progress_bar_enabled()
    said.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            said.enable_progress_bar()


@contextmanager
def switching_the_profiler() -> Iterator[None]:
    """Drop the line that kineto (torch 2.13) writes to standard error at each start and stop, at any log level.

    C++ code writes it, so the file descriptor is redirected meanwhile; all other lines are written afterwards.
    """
    sys.stderr.flush()
    try:
        standard_error = os.dup(2)
    except OSError:  # standard error is closed
        yield
        return
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(standard_error, 2)
            os.close(standard_error)
            caught.seek(0)
            said = [line for line in caught if not (line.startswith(b"USDT:") and b"profiler_st" in line)]
            if said:
                os.write(2, b"".join(said))

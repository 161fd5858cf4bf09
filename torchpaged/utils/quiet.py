"""What other libraries print where it means nothing, kept from the terminal while we call them and only then.

Each context lets everything through but the lines that it knows, and leaves no filter behind: who calls those libraries
himself hears what they say.
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
    """It logs each CUDA library that it cannot load, and torch logs how it uses torch. transformers imports it, too."""

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
    """torch 2.13 warns of its own use of its trees, each time that it compiles a package."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"`isinstance\(treespec, LeafSpec\)` is deprecated", FutureWarning)
        yield


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """transformers shows one for each file and one for the weights."""
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
    """kineto (torch 2.13) writes a mark for tracers to standard error at each start and stop, whatever its log level.

    It is C++ that writes, so the descriptor itself leads elsewhere meanwhile; every other line is written afterwards.
    """
    sys.stderr.flush()
    try:
        standard_error = os.dup(2)
    except OSError:  # closed: nobody reads it
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

"""Keeps Ctrl-C from being lost in other libraries' code, which may convert or drop it."""

from __future__ import annotations

# The functions in C: those of `signal` look each handler up in an enum, 10 us of each step of several ranks.
import _signal
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGINT = int(signal.SIGINT)


@contextmanager
def kept() -> Iterator[None]:
    """Re-raise the SIGINT handler's exception at the end of the block, even if other code replaced or dropped it.

    torch and safetensors call Python from C++, and may convert an exception raised there, for example to a ValueError.
    Outside the main thread, where Python handles no signals, and without a Python handler for SIGINT it does nothing.
    """
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    raised: list[BaseException] = []

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)
        except BaseException as error:
            raised.append(error)
            raise

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except GeneratorExit:
        raise  # the block was left without its exit, by an interrupt that propagates already
    except BaseException as error:
        if raised and error is not raised[0]:
            raise raised[0] from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if raised:
        raise raised[0]


@contextmanager
def deferred() -> Iterator[None]:
    """Handle SIGINT at the end of the block: what it does must be done as a whole.

    Outside the main thread, where Python handles no signals, and without a Python handler for SIGINT it does nothing.
    """
    if threading.current_thread() is not threading.main_thread() or not callable(before := _signal.getsignal(_SIGINT)):
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []
    _signal.signal(_SIGINT, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        _signal.signal(_SIGINT, before)
        if caught:
            before(*caught[0])

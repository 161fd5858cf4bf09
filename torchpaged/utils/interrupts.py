"""Interrupts: Ctrl-C that code of other libraries turns into an error of its own, or drops."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def kept() -> Iterator[None]:
    """Around calls of other libraries: what the handler of SIGINT raises within leaves the block as it is.

    torch and safetensors call Python from C++, and make a ValueError, say, of an exception that comes there. In another
    thread than the main one, where Python handles no signals, and where SIGINT has no handler in Python, it does
    nothing.
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
    except BaseException as error:
        if raised and error is not raised[0]:
            raise raised[0] from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if raised:
        raise raised[0]

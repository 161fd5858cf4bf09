"""Buffers: memory for values that were read, used again as soon as the caller has dropped a value.

Fresh memory costs more than reading into it: the system clears each of its pages first.
"""

from __future__ import annotations

import ctypes
import weakref

_MOST_KEPT = 64 << 20  # bytes


class Buffers:
    """Pool of memory in pieces of the lengths that were asked for before."""

    def __init__(self) -> None:
        self._free: dict[int, list[bytearray]] = {}

    def take(self, length: int) -> memoryview:
        """Return memory for a value. It is taken back when the last reference to it is gone."""
        if length == 0:
            return memoryview(bytearray())
        try:
            memory = self._free[length].pop()
        except (KeyError, IndexError):
            memory = bytearray(length)
        owner = (ctypes.c_char * length).from_buffer(memory)
        weakref.finalize(owner, self._give_back, memory).atexit = False
        return memoryview(owner).cast("B")

    def _give_back(self, memory: bytearray) -> None:
        """Keep memory. This can come in the middle of another call, so there is no lock, and each step is atomic."""
        if len(memory) + sum(length * len(free) for length, free in list(self._free.items())) > _MOST_KEPT:
            self._free = {}  # lengths that are not read any more would stay for ever
        if len(memory) <= _MOST_KEPT:
            self._free.setdefault(len(memory), []).append(memory)

"""SortedKeys: the segments of many keys that are read at once, in 12 bytes a key and without an object for each."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

# Segments that are looked at for one key. Each process that computed a value may have one; forged keys that begin
# alike must not make a lookup slow.
_MOST = 64


class SortedKeys:
    """Segments by the first 8 bytes of keys. A segment that is named has to be asked if it has the key."""

    def __init__(self) -> None:
        self._starts, self._numbers = array("Q"), array("q")

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, keys: bytes, key_bytes: int, numbers: Sequence[int], counts: Sequence[int]) -> None:
        """Add keys, laid end to end: the first so many are those of the first segment."""
        starts = np.frombuffer(keys, np.uint8).reshape(-1, key_bytes)[:, :8].copy().view(np.uint64)[:, 0]
        starts = np.concatenate([np.frombuffer(self._starts, np.uint64), starts])
        places: NDArray[np.int64] = np.repeat(np.array(numbers, np.int64), counts)
        places = np.concatenate([np.frombuffer(self._numbers, np.int64), places])
        order = np.argsort(starts)
        self._starts, self._numbers = array("Q", starts[order].tobytes()), array("q", places[order].tobytes())

    def find(self, key: bytes) -> Iterator[int]:
        """Iterate over the segments that may have a key."""
        start = int.from_bytes(key[:8], sys.byteorder)
        first = bisect_left(self._starts, start)
        for at in islice(range(first, len(self._starts)), _MOST):
            if self._starts[at] != start:
                return
            yield self._numbers[at]

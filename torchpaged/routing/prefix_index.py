"""PrefixIndex: which replica has which blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

# Bytes of a published hash: among a million blocks, two of one hash are as likely as 1 in 37 million.
HASH_SIZE = 8


class PrefixIndex:
    """The blocks of all replicas, by published hash.

    The replicas that have a block are the bits of one integer, so a prompt of many blocks is compared with a thousand
    replicas at once. A block is either published (the replica said that it has it) or expected (a request was sent
    there that computes it). What is expected and not published in time is forgotten.

    Invariants: a hash has an entry while some replica has its block; a replica's expected blocks are in the index, and
    none of them is published.

    Args:
        num_replicas: replicas are numbered 0 to num_replicas - 1.
        patience: seconds after which an expected block is forgotten.
    """

    def __init__(self, num_replicas: int, patience: float = 30.0) -> None:
        self.num_replicas, self._patience = num_replicas, patience
        self._holders: dict[bytes, int] = {}
        self._expected: list[dict[bytes, float]] = [{} for _ in range(num_replicas)]
        self._num_bytes = (num_replicas + 7) // 8

    def __len__(self) -> int:
        return len(self._holders)

    def publish(self, replica: int, added: Iterable[bytes], removed: Iterable[bytes]) -> None:
        """Note the blocks that a replica has got and lost since it last said so."""
        bit, holders, expected = 1 << replica, self._holders, self._expected[replica]
        for each in removed:
            if each not in expected:
                self._remove(each, bit)
        for each in added:
            expected.pop(each, None)
            holders[each] = holders.get(each, 0) | bit

    def expect(self, replica: int, hashes: Iterable[bytes], now: float) -> None:
        """Note the blocks that a replica is about to compute.

        Args:
            now: seconds, by the clock that `expire` is called with.
        """
        bit, holders, expected = 1 << replica, self._holders, self._expected[replica]
        for each in hashes:
            held = holders.get(each, 0)
            if not held & bit:
                holders[each] = held | bit
            elif each not in expected:
                continue  # it is published
            expected.pop(each, None)  # to the end: they are in the order of their time
            expected[each] = now

    def expire(self, now: float) -> None:
        """Forget the blocks that were expected too long ago."""
        for replica, expected in enumerate(self._expected):
            while expected:
                each, since = next(iter(expected.items()))
                if now - since < self._patience:
                    break
                del expected[each]
                self._remove(each, 1 << replica)

    def forget(self, replica: int) -> None:
        """Forget all blocks of a replica: it has restarted."""
        bit = 1 << replica
        self._expected[replica].clear()
        for each in [each for each, held in self._holders.items() if held & bit]:
            self._remove(each, bit)

    def depths(self, chain: Sequence[bytes]) -> NDArray[np.int64]:
        """Return the number of leading blocks of a prompt that each replica has, [num_replicas].

        Args:
            chain: published hashes of the prompt's blocks.
        """
        found: NDArray[np.int64] = np.zeros(self.num_replicas, dtype=np.int64)
        left = (1 << self.num_replicas) - 1
        for depth, each in enumerate(chain):
            held = self._holders.get(each, 0) & left
            if held != left:
                if depth:
                    found[self._members(left & ~held)] = depth
                left = held
                if not left:
                    return found
        found[self._members(left)] = len(chain)
        return found

    def _members(self, bits: int) -> NDArray[np.intp]:
        array = np.frombuffer(bits.to_bytes(self._num_bytes, "little"), dtype=np.uint8)
        return np.flatnonzero(np.unpackbits(array, bitorder="little", count=self.num_replicas))

    def _remove(self, each: bytes, bit: int) -> None:
        held = self._holders.get(each, 0) & ~bit
        if held:
            self._holders[each] = held
        else:
            self._holders.pop(each, None)

    def check(self) -> None:
        """Assert the invariants."""
        assert all(0 < held < 1 << self.num_replicas for held in self._holders.values())
        for replica, expected in enumerate(self._expected):
            assert all(self._holders[each] >> replica & 1 for each in expected)
            assert sorted(expected.values()) == list(expected.values())

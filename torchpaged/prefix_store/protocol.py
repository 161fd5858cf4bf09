"""KVStore: the interface between the tiers of the prefix cache and the store that keeps their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

KEY_BYTES = 32
Value = bytes | bytearray | memoryview


@runtime_checkable
class KVStore(Protocol):
    """Content-addressed byte store, in batches. All calls may come from several threads at once.

    A key is 32 bytes, the hash of everything that determines its value: two values of one key are equal, so a store
    need not replace one. A missing, damaged or unreadable value is a miss, never an exception, and so is a value that
    was accepted and could not be kept. Stores may also have `flush()`, which returns when all accepted values are
    durable, `close()`, and `stats()`, a dict of numbers for metrics.
    """

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each key whether `get` would probably find it. Called while requests wait: no I/O that lasts."""
        ...

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """Return each key's value as it was put; None for one that is not there or does not pass its checksum.

        Drop values soon: a store may use their memory for the next ones.
        """
        ...

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Store pairs of a key and a value. The caller may overwrite the values' memory after the call."""
        ...

    def delete(self, keys: Sequence[bytes]) -> None:
        """Forget keys. Keys that are not there are ignored."""
        ...

"""PrefixJournal: what the prefix cache can find, for readers that follow its changes."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

# Changes that are kept; a reader that is further behind gets everything anew.
_MOST = 2**17


@dataclass(frozen=True, slots=True)
class PrefixChanges:
    """Changes of what a prefix cache can find, since a reader last asked.

    Args:
        epoch: differs for each cache; a reader of another epoch has to forget what it knows.
        number: counts changes; the reader gives it with its next question.
        is_whole: True if `added` is everything, so that the reader forgets the rest.
        added, removed: hashes of blocks.
    """

    epoch: str
    number: int
    is_whole: bool
    added: list[bytes]
    removed: list[bytes]


class PrefixJournal:
    """Records which hashes a pool can find. Its owner calls `add` and `remove` for each hash that comes and goes.

    Args:
        hashes: those that can be found when the journal begins.
    """

    def __init__(self, hashes: Iterable[bytes]) -> None:
        self._epoch, self._hashes = secrets.token_hex(8), set(hashes)
        self._number = 0  # of the last change
        self._changes: deque[tuple[bytes, bool]] = deque(maxlen=_MOST)

    def add(self, each: bytes) -> None:
        """Note that a block with this hash can be found, and could not before."""
        self._hashes.add(each)
        self._note(each, True)

    def remove(self, each: bytes) -> None:
        """Note that no block with this hash can be found any more."""
        self._hashes.discard(each)
        self._note(each, False)

    def clear(self) -> None:
        """Note that nothing can be found any more."""
        self._hashes.clear()
        self._changes.clear()
        self._number = 0
        self._epoch = secrets.token_hex(8)

    def _note(self, each: bytes, is_added: bool) -> None:
        self._number += 1
        self._changes.append((each, is_added))

    def since(self, epoch: str, number: int) -> PrefixChanges:
        """Return the changes after those that a reader knows; everything if they are not known here any more."""
        behind = self._number - number
        if epoch != self._epoch or not 0 <= behind <= len(self._changes):
            return PrefixChanges(self._epoch, self._number, True, list(self._hashes), [])
        last = dict(list(self._changes)[len(self._changes) - behind :])
        added = [each for each, is_added in last.items() if is_added]
        removed = [each for each, is_added in last.items() if not is_added]
        return PrefixChanges(self._epoch, self._number, False, added, removed)

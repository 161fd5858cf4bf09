"""Guide: masks that say, token by token, which tokens may come next in a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Guide(Protocol):
    """The state of one sequence's grammar, without whose mask no token of the sequence is sampled.

    The scheduler only asks for it; the sequence's group tells it of new tokens.

    Attributes:
        delayed: True if the mask takes long: the step being scheduled leaves the sequence out. It does not change while
            a step is scheduled.
    """

    delayed: bool

    def drafts(self, guessed: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
        """Return (at most `most` tokens that may follow, True if they must): the possible part of a guess.

        They are drafts all the same: those that are not sampled are dropped.
        """
        ...

    def copy(self) -> Guide:
        """Return a guide for a fork, which goes on from here by itself."""
        ...

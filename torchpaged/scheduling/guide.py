"""Guide: what says, token by token, which ones may come next in a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Guide(Protocol):
    """It belongs to one sequence and knows all of its tokens: whoever is told of them tells it. To the scheduler it is
    somebody without whose mask no token of the sequence is chosen.

    Attributes:
        delayed: its mask takes long: the sequence is left out of the step that is scheduled now. It does not change
            while one is.
    """

    delayed: bool

    def drafts(self, guessed: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
        """(at most `most` tokens that may follow, none that may not; whether they must): of a guess, what is possible.

        They are guesses all the same: what is not drawn is dropped.
        """
        ...

    def copy(self) -> Guide:
        """For a sequence that goes on from here by itself."""
        ...

"""Costs of steps: `StepCost` by the number of rows, `GuessCost` of a draft model's tokens; interpolated between timed
sizes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

_SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)


class StepCost:
    """Linear interpolation between timed sizes, extrapolated beyond the last; a larger step never costs less.

    Args:
        sizes: numbers of rows, ascending from 1; at least two.
        seconds: duration of a step of each size.
    """

    def __init__(self, sizes: Sequence[int], seconds: Sequence[float]) -> None:
        assert len(sizes) == len(seconds) > 1 and sizes[0] == 1
        self._sizes, self._seconds = list(sizes), list(seconds)
        for place in range(1, len(sizes)):
            self._seconds[place] = max(self._seconds[place], self._seconds[place - 1])

    def __call__(self, num_rows: int) -> float:
        """Return the duration of a step in seconds."""
        place = min(max(bisect_right(self._sizes, num_rows), 1), len(self._sizes) - 1)
        low, high = self._sizes[place - 1], self._sizes[place]
        before, behind = self._seconds[place - 1], self._seconds[place]
        return before + (behind - before) * (num_rows - low) / (high - low)

    @classmethod
    def timed(cls, time_steps: Callable[[Sequence[int]], Sequence[float]], most: int) -> StepCost:
        """Time steps now.

        Args:
            time_steps: returns the durations of steps with the given numbers of rows.
            most: most rows of a step.
        """
        sizes = [size for size in _SIZES if size <= max(2, most)]
        return cls(sizes, time_steps(sizes))


# Additional seconds on the host of a step with drafts, and of each sequence that has some: slots, plans and runs
# (Python 3.11, 2.1 GHz; a step of stdlib-lm takes 0.7 ms).
_BOOKKEEPING, _BOOKKEEPING_EACH = 1e-4, 3e-5
# Seconds of one call of a built-in proposer, with a guess or without ("suffix", after 600 tokens).
ASKING = 1.5e-5


def bookkeeping(num_sequences: int, depth: int) -> float:
    """Return the cost of drafts that need no model, on the host; it does not depend on their depth."""
    return _BOOKKEEPING + num_sequences * _BOOKKEEPING_EACH


class GuessCost:
    """Cost of a draft model's guesses.

    Args:
        first: seconds for the first token of so many sequences, in addition to the step that computes the tokens
            before.
        more: seconds for each further token.
    """

    def __init__(self, first: Callable[[int], float], more: Callable[[int], float]) -> None:
        self._first, self._more = first, more

    def __call__(self, num_sequences: int, depth: int) -> float:
        """Return the seconds for `depth` tokens of the sequence that has most, `bookkeeping` included."""
        guessing = self._first(num_sequences) + (depth - 1) * self._more(num_sequences)
        return guessing + bookkeeping(num_sequences, depth)

    @classmethod
    def timed(cls, time_guesses: Callable[[Sequence[int]], Sequence[tuple[float, float]]], most: int) -> GuessCost:
        """Time guesses now.

        Args:
            time_guesses: for the given numbers of sequences, returns the seconds of the first token and of each further
                one.
            most: most sequences at once.
        """
        sizes = [size for size in _SIZES if size <= max(2, most)]
        first, more = zip(*time_guesses(sizes), strict=True)
        return cls(StepCost(sizes, first), StepCost(sizes, more))

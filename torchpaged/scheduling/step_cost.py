"""What steps cost: `StepCost` by their rows, `GuessCost` of a draft model's tokens, between the sizes timed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

_SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)


class StepCost:
    """Straight lines between the sizes that were timed, the last one going on; a larger step never costs less.

    Args:
        sizes: rows, ascending from 1; two at least.
        seconds: of a step of each.
    """

    def __init__(self, sizes: Sequence[int], seconds: Sequence[float]) -> None:
        assert len(sizes) == len(seconds) > 1 and sizes[0] == 1
        self._sizes, self._seconds = list(sizes), list(seconds)
        for place in range(1, len(sizes)):
            self._seconds[place] = max(self._seconds[place], self._seconds[place - 1])

    def __call__(self, num_rows: int) -> float:
        """Seconds of a step."""
        place = min(max(bisect_right(self._sizes, num_rows), 1), len(self._sizes) - 1)
        low, high = self._sizes[place - 1], self._sizes[place]
        before, behind = self._seconds[place - 1], self._seconds[place]
        return before + (behind - before) * (num_rows - low) / (high - low)

    @classmethod
    def timed(cls, time_steps: Callable[[Sequence[int]], Sequence[float]], most: int) -> StepCost:
        """Of steps that are timed now.

        Args:
            time_steps: seconds of steps of so many rows.
            most: rows of a step.
        """
        sizes = [size for size in _SIZES if size <= max(2, most)]
        return cls(sizes, time_steps(sizes))


# Seconds that a step with drafts takes more on the host, and for each sequence that has some: slots, plans and runs
# (Python 3.11, 2.1 GHz; a step of stdlib-lm takes 0.7 ms).
_BOOKKEEPING, _BOOKKEEPING_EACH = 1e-4, 3e-5
# Seconds that a built-in proposer takes to be asked about a sequence, found or not ("suffix", behind 600 tokens).
ASKING = 1.5e-5


def bookkeeping(num_sequences: int, depth: int) -> float:
    """What guesses cost that nobody computes, whatever their depth."""
    return _BOOKKEEPING + num_sequences * _BOOKKEEPING_EACH


class GuessCost:
    """What a draft model takes to guess.

    Args:
        first: seconds of the first token of so many sequences, beside the step that computes what is before it.
        more: of each token behind it.
    """

    def __init__(self, first: Callable[[int], float], more: Callable[[int], float]) -> None:
        self._first, self._more = first, more

    def __call__(self, num_sequences: int, depth: int) -> float:
        """Seconds for `depth` tokens of the sequence that has most, and of `bookkeeping`."""
        guessing = self._first(num_sequences) + (depth - 1) * self._more(num_sequences)
        return guessing + bookkeeping(num_sequences, depth)

    @classmethod
    def timed(cls, time_guesses: Callable[[Sequence[int]], Sequence[tuple[float, float]]], most: int) -> GuessCost:
        """Of guesses that are timed now.

        Args:
            time_guesses: of so many sequences, seconds of the first token and of each more.
            most: sequences at once.
        """
        sizes = [size for size in _SIZES if size <= max(2, most)]
        first, more = zip(*time_guesses(sizes), strict=True)
        return cls(StepCost(sizes, first), StepCost(sizes, more))

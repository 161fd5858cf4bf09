"""What steps cost: `StepCost` by their rows, `GuessCost` of a draft model's tokens, between the sizes timed; and
`Surcharge`, how much more those with guesses have turned out to take."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence

_SIZES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)


class StepCost:
    """Straight lines between the sizes that were timed, the last one going on; a larger step never costs less.

    So where one was faster than a smaller one, it is the smaller one that something has disturbed.

    Args:
        sizes: rows, ascending from 1; two at least.
        seconds: of a step of each.
    """

    def __init__(self, sizes: Sequence[int], seconds: Sequence[float]) -> None:
        assert len(sizes) == len(seconds) > 1 and sizes[0] == 1
        self._sizes, self._seconds = list(sizes), list(seconds)
        for place in range(len(sizes) - 1, 0, -1):
            self._seconds[place - 1] = min(self._seconds[place - 1], self._seconds[place])

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
# Seconds that a question to a proposer takes beside its answer: what leads to it, and what it drives out of the caches
# (Zen 4: steps of stdlib-lm without drafts take 35e-6 more where "ngram" is asked, which answers in 12e-6).
ASKING = 2e-5


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


# Steps, or questions, that a `Recent` is of; and calls of `Surcharge.fade` behind which one is forgotten.
_RECENT, _FADES = 15, 64


class Recent:
    """The median of the last few values: one that the machine has disturbed changes little.

    Args:
        first: what stands for it where there are none.
    """

    def __init__(self, first: float) -> None:
        self._first = first
        self._values: deque[float] = deque(maxlen=_RECENT)
        self.median = first

    def __len__(self) -> int:
        return len(self._values)

    def add(self, value: float) -> None:
        """Takes one."""
        self._values.append(value)
        self._settle()

    def forget(self) -> None:
        """Drops the oldest."""
        if self._values:
            self._values.popleft()
            self._settle()

    def _settle(self) -> None:
        self.median = sorted(self._values)[len(self._values) // 2] if self._values else self._first


class Surcharge:
    """How much more steps with guesses take than was expected, beside those without: of each the last few count.

    What was timed when the engine started is greedy, of one sequence, and of a machine that may have had other work.

    Attributes:
        factor: what the cost of a step with guesses is to be multiplied with.
        pace: what steps without take, in their expected cost.
    """

    def __init__(self) -> None:
        self._plain, self._guessed = Recent(1.0), Recent(1.0)
        self._num_fades = 0

    @property
    def knows(self) -> bool:
        """Whether a step without guesses was seen."""
        return bool(self._plain)

    @property
    def pace(self) -> float:
        return self._plain.median

    @property
    def factor(self) -> float:
        return self._guessed.median

    def without(self, expected: float, seconds: float) -> None:
        """Takes what a step without guesses took."""
        self._plain.add(seconds / expected)

    def with_guesses(self, expected: float, seconds: float) -> None:
        """Takes what a step with guesses took; nothing is known of it while there was none without."""
        if self.knows:
            self._guessed.add(seconds / expected / self.pace)

    def fade(self) -> None:
        """Nothing pays: what was seen may have been somebody else's work, and is forgotten bit by bit."""
        self._num_fades += 1
        if self._num_fades % _FADES == 0:
            self._guessed.forget()

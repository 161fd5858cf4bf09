"""Pace: how much of prompts a step computes beside streams, so that these do not wait too long for their next tokens.

What a step takes is learned from steps that ran. Nothing here reads a clock: the same times give the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from dataclasses import dataclass

from torchpaged.scheduling.step import Step

# Prompts get as much of a step at least, however many streams there are: they end one day too.
_LEAST_SHARE = 0.25
# What is aimed at, of the most that a step may take: half of all steps take longer than was expected of them.
_AIM = 0.9
# Tokens of prompts at most while nobody knows yet what one takes, and how many times more than were seen of late may be
# tried: what a few tokens have taken does not say what a thousand take.
_FIRST, _GROWTH = 32, 2
# Mean depths of prompts' tokens behind which steps are forgotten apart.
_DEPTHS = (1024, 4096)
# What was seen before counts less with each step of its kind: about the last 30 count.
_MEMORY = 0.97
# Of costs that steps have not told apart, the smallest are taken: as if this had been seen of each.
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True)
class PrefillBudgetCounts:
    """What became of steps that have a time, since the engine was made.

    Args:
        max_step_ms: the time.
        num_steps: that computed prompts beside streams.
        num_cut: steps whose prompts got fewer tokens than they would have without it.
        num_long: steps with prompts beside streams that took longer.
        token_ms: what a prompt's token is expected to take, behind none; None: nobody knows yet. 0: chunks were so
            small that nobody can tell it from what each step takes.
    """

    max_step_ms: float
    num_steps: int = 0
    num_cut: int = 0
    num_long: int = 0
    token_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What a step computes.

    Args:
        rows: tokens of those who decode, with drafts.
        context: tokens before those that are computed, of all sequences: as much of the cache is read. A prompt's are
            read whole for a chunk of one token too.
        tokens: of prompts, or computed again.
        pairs: of such a token and one that it sees.
    """

    rows: int = 0
    context: int = 0
    tokens: int = 0
    pairs: int = 0

    @classmethod
    def of(cls, step: Step) -> Work:
        """Of a step."""
        rows = context = tokens = pairs = 0
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            context += first
            # A prompt's part may be one token too, but none is chosen behind it unless it is the last.
            if count - len(step.drafts.get(id, ())) == 1 and id not in step.quiet:
                rows += count
            else:
                tokens += count
                pairs += _pairs(first, count)
        return cls(rows, context, tokens, pairs)

    @property
    def sizes(self) -> tuple[float, ...]:
        """In units of which each takes something like the same time."""
        return (1.0, float(self.rows), self.context / 1e3, float(self.tokens), self.pairs / 1e6)

    @property
    def kind(self) -> int:
        """0: without prompts; else by how deep in them its tokens lie."""
        return 1 + sum(self.pairs > depth * self.tokens for depth in _DEPTHS) if self.tokens else 0


def _pairs(first: int, count: int) -> int:
    return first * count + count * (count + 1) // 2


class StepTimes:
    """Seconds of a step as a sum: of each step, row, token of context, token and pair. Fitted to those that ran.

    Each kind of steps is forgotten apart: an hour of decodes does not make prompts unknown, nor does the end of a long
    prompt make unknown what the beginning of the next one takes.
    """

    def __init__(self) -> None:
        size = len(Work().sizes)
        self._kinds = [_Seen(size) for _ in range(2 + len(_DEPTHS))]
        self._costs: list[float] | None = [0.0] * size

    def learn(self, work: Work, seconds: float) -> None:
        """Takes what a step has taken."""
        self._kinds[work.kind].add(work.sizes, seconds)
        self._costs = None

    @property
    def knows_prompts(self) -> bool:
        """Whether a step with some was seen."""
        return any(seen.count for seen in self._kinds[1:])

    @property
    def costs(self) -> Seq[float]:
        """Of each of `Work.sizes`, none below 0."""
        if self._costs is None:
            rows = zip(*(seen.products for seen in self._kinds), strict=True)
            products = [[sum(values) for values in zip(*row, strict=True)] for row in rows]
            sums = [sum(values) for values in zip(*(seen.sums for seen in self._kinds), strict=True)]
            self._costs = _least_squares(products, sums)
        return self._costs

    def expected(self, work: Work) -> float:
        """Seconds of a step."""
        return sum(cost * size for cost, size in zip(self.costs, work.sizes, strict=True))


class _Seen:
    """Sums over steps, as least squares needs them: `products` of sizes, `sums` of sizes and seconds.

    An error counts by the square root of the step's time: one step that waited for the machine changes little.
    """

    def __init__(self, size: int) -> None:
        self.products = [[0.0] * size for _ in range(size)]
        self.sums = [0.0] * size
        self.count = 0

    def add(self, sizes: Seq[float], seconds: float) -> None:
        self.count += 1
        for i, size in enumerate(sizes):
            row = self.products[i]
            for j, other in enumerate(sizes):
                row[j] = _MEMORY * row[j] + size * other / seconds
            self.sums[i] = _MEMORY * self.sums[i] + size


def _least_squares(products: Seq[Seq[float]], sums: Seq[float]) -> list[float]:
    """The solution without what would be negative: that is left out, the worst first."""
    left = [i for i in range(len(sums)) if products[i][i] > 0]
    while left:
        found = _solved([[products[i][j] + _RIDGE * (i == j) for j in left] for i in left], [sums[i] for i in left])
        worst = min(range(len(left)), key=found.__getitem__)
        if found[worst] >= 0:
            costs = [0.0] * len(sums)
            for i, cost in zip(left, found, strict=True):
                costs[i] = cost
            return costs
        del left[worst]
    return [0.0] * len(sums)


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """By elimination: the matrix is symmetric, and positive by its ridge."""
    size = len(right)
    for i in range(size):
        for j in range(i + 1, size):
            factor = matrix[j][i] / matrix[i][i]
            for k in range(i, size):
                matrix[j][k] -= factor * matrix[i][k]
            right[j] -= factor * right[i]
    for i in reversed(range(size)):
        right[i] = (right[i] - sum(matrix[i][k] * right[k] for k in range(i + 1, size))) / matrix[i][i]
    return right


class PrefillBudget:
    """Shares a step's time out between streams and prompts.

    Args:
        max_step_ms: what a step with streams may take. Those always run, and prompts get a quarter of it at least, or
            of what the step takes where that is more, beside what it takes to read what lies before their tokens.

    Attributes:
        num_cut: steps whose prompts got fewer tokens than they would have without it.
    """

    def __init__(self, max_step_ms: float) -> None:
        self._max_seconds = max_step_ms / 1e3
        self._times = StepTimes()
        self._most = 0.0  # tokens of prompts in one step, of late
        self._num_steps = self.num_cut = self._num_long = 0

    @property
    def counts(self) -> PrefillBudgetCounts:
        """Since the engine was made."""
        token = 1e3 * self._times.costs[3] if self._times.knows_prompts else None
        return PrefillBudgetCounts(1e3 * self._max_seconds, self._num_steps, self.num_cut, self._num_long, token)

    def share(self, step: Step) -> Share:
        """What is left for prompts of a step that has its streams."""
        streams, most = Work.of(step), self._max_seconds
        taken = self._times.expected(streams)
        left, least = _AIM * most - taken, _LEAST_SHARE * max(most, taken / (1 - _LEAST_SHARE))
        _, _, context, token, pair = self._times.costs
        if self._times.knows_prompts:
            return Share(left, least, context / 1e3, token, pair / 1e6, max(1, int(_GROWTH * self._most)))
        # A prompt's token takes no longer than a step does by its streams.
        fit = max(left, least) * streams.rows / taken if taken else _FIRST
        return Share(left, least, context / 1e3, 0.0, 0.0, max(1, min(_FIRST, int(fit))))

    def learn(self, step: Step, seconds: float) -> None:
        """Takes what a step has taken."""
        if not step.ids or not 0 < seconds < math.inf:
            return
        work = Work.of(step)
        if work.rows and work.tokens:
            self._num_steps += 1
            self._num_long += seconds > self._max_seconds
        if work.tokens:
            self._most = max(float(work.tokens), _MEMORY * self._most)
        self._times.learn(work, seconds)


class Share:
    """What prompts may take of a step. The first gets a token, whatever that takes.

    Args:
        left: seconds.
        least: seconds that the first one's tokens get, also where nothing is left when what is before them is read.
        context, token, pair: seconds of each.
        most: tokens.

    Attributes:
        cut: whether a prompt has got less than it would have had.
    """

    def __init__(self, left: float, least: float, context: float, token: float, pair: float, most: int) -> None:
        self._left, self._least = left, least
        self._context, self._token, self._pair = context, token, pair
        self._most, self._is_new = most, True
        self.cut = False

    def most(self, first: int, count: int) -> int:
        """How many tokens behind the first ones fit, of so many."""
        fit = min(count, self._most, self._fit(first, count))
        if self._is_new:
            fit = max(fit, 1)
        self.cut |= fit < count
        return fit

    def take(self, first: int, count: int) -> None:
        """So many are computed."""
        self._left = self._left_behind(first) - self._token * count - self._pair * _pairs(first, count)
        self._most -= count
        self._is_new = False

    def _left_behind(self, first: int) -> float:
        """For tokens, when those before them are read."""
        left = self._left - self._context * first
        return max(left, self._least) if self._is_new else left

    def _fit(self, first: int, count: int) -> int:
        """How many have a place in the time."""
        # pair / 2 * n^2 + each * n = left
        left, each = self._left_behind(first), self._token + self._pair * (first + 0.5)
        if left <= 0:
            return 0
        if each * count + self._pair / 2 * count * count <= left:
            return count
        # As 2c / (b + root): the other form loses all digits where pairs take next to nothing.
        return int(2 * left / (each + math.sqrt(each * each + 2 * self._pair * left)))

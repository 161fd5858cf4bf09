"""PrefillBudget: limits how much of prompts a step computes beside decodes, so that these get their next tokens in
time.

Durations are learned from steps that ran. Nothing here reads a clock: the same times give the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from dataclasses import dataclass

from torchpaged.scheduling.step import Step

# Least share of a step for prompts, however many decodes there are: without it prompts might never end.
_LEAST_SHARE = 0.25
# Share of the limit that is aimed at, because half of all steps take longer than expected.
_AIM = 0.9
# Most tokens of prompts while the cost of one is not known, and how many times more than recently seen may be tried:
# the cost of a few tokens does not tell the cost of a thousand.
_FIRST, _GROWTH = 32, 2
# Mean depths of prompts' tokens that separate the kinds of steps.
_DEPTHS = (1024, 4096)
# Weight of what was seen before, per step of the same kind: about the last 30 count.
_MEMORY = 0.97
# Ridge of the least squares: of costs that the steps cannot tell apart, the smallest are taken.
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True)
class PrefillBudgetCounts:
    """Counters of the steps with a limit on their time, since the engine was made.

    Args:
        max_step_ms: the limit.
        num_steps: steps that computed prompts beside decodes.
        num_cut: steps whose prompts got fewer tokens than without the limit.
        num_long: steps with prompts beside decodes that took longer than the limit.
        token_ms: expected milliseconds of the first token of a prompt; None: not known yet. 0: chunks were so small
            that their duration cannot be told from that of a step.
    """

    max_step_ms: float
    num_steps: int = 0
    num_cut: int = 0
    num_long: int = 0
    token_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a step.

    Args:
        rows: tokens of decodes, drafts included.
        context: tokens before those that are computed, of all sequences: as much of the cache is read. A prompt's
            context is read whole for a chunk of one token too.
        tokens: tokens of prompts, recomputed ones included.
        pairs: pairs of such a token and a token that it attends to.
    """

    rows: int = 0
    context: int = 0
    tokens: int = 0
    pairs: int = 0

    @classmethod
    def of(cls, step: Step) -> Work:
        """Return the work of a step."""
        rows = context = tokens = pairs = 0
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            context += first
            # A chunk of a prompt may be one token too, but then none is sampled after it unless it is the last.
            if count - len(step.drafts.get(id, ())) == 1 and id not in step.quiet:
                rows += count
            else:
                tokens += count
                pairs += _pairs(first, count)
        return cls(rows, context, tokens, pairs)

    @property
    def sizes(self) -> tuple[float, ...]:
        """The sizes, in units that take about the same time."""
        return (1.0, float(self.rows), self.context / 1e3, float(self.tokens), self.pairs / 1e6)

    @property
    def kind(self) -> int:
        """0 without prompts; else by the mean depth of the prompts' tokens."""
        return 1 + sum(self.pairs > depth * self.tokens for depth in _DEPTHS) if self.tokens else 0


def _pairs(first: int, count: int) -> int:
    return first * count + count * (count + 1) // 2


class StepTimes:
    """Model of a step's seconds: a constant and the costs of rows, context, tokens and pairs, fitted to steps that ran.

    Each kind of step is forgotten separately, so an hour of decodes leaves prompts known, and the end of a long prompt
    leaves the beginnings of prompts known.
    """

    def __init__(self) -> None:
        size = len(Work().sizes)
        self._kinds = [_Seen(size) for _ in range(2 + len(_DEPTHS))]
        self._costs: list[float] | None = [0.0] * size

    def learn(self, work: Work, seconds: float) -> None:
        """Add a step that ran."""
        self._kinds[work.kind].add(work.sizes, seconds)
        self._costs = None

    @property
    def knows_prompts(self) -> bool:
        """True if a step with prompts has been seen."""
        return any(seen.count for seen in self._kinds[1:])

    @property
    def costs(self) -> Seq[float]:
        """Seconds of each of `Work.sizes`, none below 0."""
        if self._costs is None:
            rows = zip(*(seen.products for seen in self._kinds), strict=True)
            products = [[sum(values) for values in zip(*row, strict=True)] for row in rows]
            sums = [sum(values) for values in zip(*(seen.sums for seen in self._kinds), strict=True)]
            self._costs = _least_squares(products, sums)
        return self._costs

    def expected(self, work: Work) -> float:
        """Return the expected seconds of a step."""
        return sum(cost * size for cost, size in zip(self.costs, work.sizes, strict=True))


class _Seen:
    """Sums over steps for least squares: `products` of sizes, `sums` of sizes and seconds.

    An error is weighted by the square root of the step's time, so one step that waited for the machine changes little.
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
    """Return the solution without negative costs: those are left out, the most negative first."""
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
    """Solve by elimination, without pivots: the matrix is symmetric, and positive definite by its ridge."""
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
    """Divides a step's time between decodes and prompts.

    Args:
        max_step_ms: longest duration of a step with decodes. These always run. Prompts get at least a quarter of it, or
            of the step's duration if that is more, in addition to the time for reading the context of their tokens.

    Attributes:
        num_cut: steps whose prompts got fewer tokens than without the limit.
    """

    def __init__(self, max_step_ms: float) -> None:
        self._max_seconds = max_step_ms / 1e3
        self._times = StepTimes()
        self._most = 0.0  # most tokens of prompts in one of the recent steps
        self._num_steps = self.num_cut = self._num_long = 0

    @property
    def counts(self) -> PrefillBudgetCounts:
        """Counters since the engine was made."""
        token = 1e3 * self._times.costs[3] if self._times.knows_prompts else None
        return PrefillBudgetCounts(1e3 * self._max_seconds, self._num_steps, self.num_cut, self._num_long, token)

    def share(self, step: Step) -> Share:
        """Return the share for prompts of a step that has its decodes already."""
        streams, most = Work.of(step), self._max_seconds
        taken = self._times.expected(streams)
        left, least = _AIM * most - taken, _LEAST_SHARE * max(most, taken / (1 - _LEAST_SHARE))
        _, _, context, token, pair = self._times.costs
        if self._times.knows_prompts:
            return Share(left, least, context / 1e3, token, pair / 1e6, max(1, int(_GROWTH * self._most)))
        # A prompt's token takes no longer than a decode's share of the step.
        fit = max(left, least) * streams.rows / taken if taken else _FIRST
        return Share(left, least, context / 1e3, 0.0, 0.0, max(1, min(_FIRST, int(fit))))

    def learn(self, step: Step, seconds: float) -> None:
        """Add a step that ran."""
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
    """Part of a step's time that prompts may take. The first prompt gets a token in any case.

    Args:
        left: seconds.
        least: seconds for the tokens of the first prompt, even if reading its context takes all that is left.
        context, token, pair: seconds of each.
        most: most tokens.

    Attributes:
        cut: True if a prompt got fewer tokens than without the limit.
    """

    def __init__(self, left: float, least: float, context: float, token: float, pair: float, most: int) -> None:
        self._left, self._least = left, least
        self._context, self._token, self._pair = context, token, pair
        self._most, self._is_new = most, True
        self.cut = False

    def most(self, first: int, count: int) -> int:
        """Return how many of `count` tokens after the first `first` fit."""
        # A single token is taken without asking, so that more than `_most` may be taken already.
        fit = max(int(self._is_new), min(count, self._most, self._fit(first, count)))
        self.cut |= fit < count
        return fit

    def take(self, first: int, count: int) -> None:
        """Subtract the time of `count` tokens that are computed."""
        self._left = self._left_behind(first) - self._token * count - self._pair * _pairs(first, count)
        self._most -= count
        self._is_new = False

    def _left_behind(self, first: int) -> float:
        """Return the seconds for tokens that remain after their context is read."""
        left = self._left - self._context * first
        return max(left, self._least) if self._is_new else left

    def _fit(self, first: int, count: int) -> int:
        """Return how many tokens fit into the time."""
        # pair / 2 * n^2 + each * n = left
        left, each = self._left_behind(first), self._token + self._pair * (first + 0.5)
        if left <= 0:
            return 0
        if each * count + self._pair / 2 * count * count <= left:
            return count
        # As 2c / (b + root): the other form loses all digits where pairs take next to nothing.
        return int(2 * left / (each + math.sqrt(each * each + 2 * self._pair * left)))

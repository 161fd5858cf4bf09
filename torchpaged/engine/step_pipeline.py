"""Pipeline: schedules steps and has them computed, at most two at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from torchpaged.execution.executor import Executor
from torchpaged.execution.phases import SAMPLE, SCHEDULE, UPDATE, span
from torchpaged.execution.swap_cost import SwapCost
from torchpaged.scheduling import Results, Scheduler, Sequence, Step
from torchpaged.structured.matcher import Asked, Mask, MaskFiller, Matcher
from torchpaged.utils.transaction import Transaction

# Takes a step's results, the scheduler's part among it.
Take = Callable[[Step, Results], None]


class Pipeline:
    """Knows which steps are under way, and what is to be done with one that failed.

    Invariants: of two steps under way the first was assumed; between calls no step is scheduled and not launched, but
    for one that an interrupt has left.

    Args:
        scheduler: makes the steps.
        executor: computes them.
        overlaps: whether a step is scheduled while the last one runs.
        books: entered while tables change.
        clock: in seconds; what steps take is measured by it, for those whose prompts are cut to a time.

    Attributes:
        last_step: that was scheduled last, for whoever looks on.
        num_steps, num_computed_tokens: of all steps that were launched.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        executor: Executor,
        transaction: Transaction,
        *,
        overlaps: bool,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.scheduler, self.executor, self.overlaps = scheduler, executor, overlaps
        self.last_step: Step | None = None
        self.num_steps = self.num_computed_tokens = 0
        self._transaction = transaction
        self._swap_cost = SwapCost()
        self._filler = MaskFiller()
        self._clock = clock
        self.last_seconds = 0.0  # that the last step took whose results have come
        self._begun: dict[int, float] = {}  # when each step under way was launched
        self._ended = 0.0  # when the last results came
        self._in_flight: deque[Step] = deque()  # at most two
        self._assumed: int | None = None  # the number of the one that was assumed
        self._unlaunched: Step | None = None  # scheduled, and perhaps not launched: to be taken back then

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do and nothing under way."""
        return not (self.scheduler.has_unfinished or self._in_flight)

    def advance(self, take: Take) -> None:
        """Launches what can be launched, waits for the older of two steps, and has its results taken.

        Raises:
            Exception: what the executor raised. A step that could not be launched is as if it had not been scheduled,
                and may be tried again; where a step under way was lost, all sequences are computed again.
        """
        if not self._in_flight:
            self._in_flight.append(self._start())
        current = self._in_flight[0]
        failure: BaseException | None = None
        if self.overlaps and len(self._in_flight) == 1 and self._unlaunched is None:
            if self._assumed != current.number:
                with self._transaction:
                    self.scheduler.assume(current)
                    self._assumed = current.number
            try:
                self._in_flight.append(self._launch())
            except BaseException as error:  # taken back when the tokens are known that it was to go on from
                failure = error
        try:
            results = self._results(current)
        except Exception:
            self._lose_cache()
            raise
        with span(UPDATE), self._transaction:
            self._in_flight.popleft()
            take(current, results)
        self._take_back()  # a step ahead that could not be launched, now or before an interrupt
        if failure is not None:
            raise failure
        if self._in_flight and not (self.scheduler.has_unfinished and self._in_flight[0].ids):
            self._drop(self._in_flight[0])

    def drain(self) -> None:
        """Ends steps under way that nobody waits for: all sequences have ended."""
        while self._in_flight:
            self._drop(self._in_flight[0])

    def recompute(self) -> None:
        """Takes every block back, between two steps: all sequences are computed again, with the tokens they have."""
        self._take_back()
        self._lose_cache()

    def forget_steps(self) -> None:
        """Forgets steps under way, after scheduler and executor were reset."""
        self._in_flight.clear()
        self._unlaunched = None

    def _drop(self, step: Step) -> None:
        """A step of sequences that have all ended, or of none since none could run."""
        try:
            self.executor.result(step.number)
        except Exception:
            self._lose_cache()
            raise
        with self._transaction:
            self._in_flight.popleft()
            self.scheduler.update(step, Results(step.number))

    def _lose_cache(self) -> None:
        """A step that was launched has no results: what it has written is not known, nor what others made of it."""
        with self._transaction:
            for step in self._in_flight:
                self.executor.drop(step.number)
            self._in_flight.clear()
            if self._unlaunched is not None:  # whom it was to forget is to be forgotten still
                self.scheduler.sequence_table.return_news(self._unlaunched)
            self._unlaunched = None
            self.scheduler.drop_cache()

    def _results(self, step: Step) -> Results:
        """Waits for a step's results."""
        results = self.executor.result(step.number)
        self._swap_cost.learn(step, results.forward_seconds, results.copy_seconds)
        if (cost := self._swap_cost.recompute_per_block) is not None:
            # Decides whether the next victim is swapped or computed again.
            self.scheduler.sequence_table.recompute_per_block = cost
        # Of two steps under way the second begins when the first has ended.
        begun, self._ended = max(self._begun.pop(step.number, self._ended), self._ended), self._clock()
        self.last_seconds = self._ended - begun
        if self.scheduler.prefill_budget is not None:
            self.scheduler.prefill_budget.learn(step, self._ended - begun)
        return results

    def _start(self) -> Step:
        """Schedules a step and starts to compute it, or takes it back; every token before it is known."""
        self._take_back()  # what an interrupt has left
        try:
            return self._launch()
        except BaseException:
            self._take_back()
            raise

    def _take_back(self) -> None:
        """The step that was scheduled and not launched, if there is one, is as if it had not been."""
        if self._unlaunched is None:
            return
        with self._transaction:
            step, self._unlaunched = self._unlaunched, None
            self.executor.drop(step.number)
            self.scheduler.revert(step)
            if step.copies and self.executor.copied != step.number:
                self.scheduler.drop_cache()

    def _launch(self) -> Step:
        """Schedules a step and starts to compute it. Where that fails, `_take_back` is called for."""
        if (guided := self.scheduler.sequence_table.guided) or self._filler.is_busy:
            self._filler.prepare([_matcher_of(sequence) for sequence in guided.values()])
        with span(SCHEDULE), self._transaction:
            self._unlaunched = step = self.last_step = self.scheduler.schedule()
        self._begun = {number: begun for number, begun in self._begun.items() if number == step.number - 1}
        self._begun[step.number] = self._clock()
        self.executor.launch(step)
        if step.masked:  # filled while the forward runs, on a device that runs beside this
            with span(SAMPLE):
                self.executor.sample(step.number, self._masks(step))
        elif guided and not step.ids and not self._in_flight:
            self._filler.wait([_matcher_of(sequence) for sequence in guided.values() if sequence.delayed])
        self._unlaunched = None
        num_tokens = step.num_tokens
        self.num_steps += bool(num_tokens)
        self.num_computed_tokens += num_tokens
        return step

    def _masks(self, step: Step) -> dict[int, Mask | str]:
        """Which tokens may come in a step's guided sequences."""
        asked = []
        for id in step.masked:
            asked.append(Asked(id, _matcher_of(self.scheduler.sequences[id]), step.drafts.get(id, ())))
        return self._filler.fill(asked)

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        assert len(self._in_flight) <= 2 and (self._unlaunched is None or not self._in_flight)


def _matcher_of(sequence: Sequence) -> Matcher:
    assert isinstance(sequence.guide, Matcher), f"{sequence} is guided by {sequence.guide!r}"
    return sequence.guide

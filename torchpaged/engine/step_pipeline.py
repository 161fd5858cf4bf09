"""Pipeline: schedules steps and has them computed, at most two at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from torchpaged.execution.executor import Executor
from torchpaged.execution.phases import SAMPLE, SCHEDULE, UPDATE, span
from torchpaged.execution.swap_cost import SwapCost
from torchpaged.scheduling import Results, Scheduler, Sequence, Step
from torchpaged.structured.matcher import Mask, MaskFiller, MaskRequest, Matcher
from torchpaged.utils.transaction import Transaction

# Most seconds that an empty step waits for an adapter to be read; then the engine looks for calls again.
_PATIENCE = 0.05
# Gives the results of a step to the scheduler and to the groups.
ProcessResults = Callable[[Step, Results], None]


class _StepTimer:
    """Durations of steps.

    Args:
        clock: returns seconds.

    Attributes:
        last_seconds: duration of the last step that has finished.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.last_seconds = 0.0
        self._begun: dict[int, float] = {}  # by step in flight, the time of its launch
        self._ended = 0.0  # when the last step finished

    def begin(self, number: int) -> None:
        """Note that a step is launched. Of earlier steps only the one before it can be in flight."""
        self._begun = {each: begun for each, begun in self._begun.items() if each == number - 1}
        self._begun[number] = self._clock()

    def finish(self, number: int) -> float:
        """Note that a step's results have come, and return its duration in seconds."""
        # The second of two steps in flight begins when the first has ended.
        begun, self._ended = max(self._begun.pop(number, self._ended), self._ended), self._clock()
        self.last_seconds = self._ended - begun
        return self.last_seconds


class Pipeline:
    """Keeps track of the steps in flight, and undoes what a failed one has changed.

    Invariants: of two steps in flight the first was assumed; between calls no step is scheduled and not launched,
    except one that an interrupt has left.

    Args:
        scheduler: makes the steps.
        executor: computes them.
        transaction: entered while tables change.
        overlaps: if a step is scheduled while the last one runs.
        clock: returns seconds; durations of steps are measured by it, for the limit on prompts beside decodes.

    Attributes:
        last_step: the step that was scheduled last.
        num_steps, num_computed_tokens: of all steps that were launched.
        timer: durations of steps.
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
        self.timer = _StepTimer(clock)
        self._in_flight: deque[Step] = deque()  # at most two
        self._assumed: int | None = None  # number of the step that was assumed
        self._unlaunched: Step | None = None  # a scheduled step whose launch has not returned, or has failed

    @property
    def idle(self) -> bool:
        """True if there is nothing to do and no step in flight."""
        return not (self.scheduler.has_unfinished or self._in_flight)

    def advance(self, process_results: ProcessResults) -> None:
        """Launch what can be launched, wait for the older of two steps, and process its results.

        Raises:
            Exception: an error of the executor. A step that could not be launched has changed nothing, and may be tried
                again; if a step in flight was lost, all sequences are computed again.
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
            except BaseException as error:  # taken back below, when the tokens before it are known
                failure = error
        try:
            results = self._results(current)
        except Exception:
            self._lose_cache()
            raise
        with span(UPDATE), self._transaction:
            self._in_flight.popleft()
            process_results(current, results)
        self._take_back()  # a second step that could not be launched, now or before an interrupt
        if failure is not None:
            raise failure
        # A second step that moves no sequence on is discarded now, because no further call may come.
        if self._in_flight and not (self.scheduler.has_unfinished and self._in_flight[0].ids):
            self._drop(self._in_flight[0])

    def drain(self) -> None:
        """Discard the steps in flight after all sequences have ended."""
        while self._in_flight:
            self._drop(self._in_flight[0])

    def recompute(self) -> None:
        """Free every block between two steps: all sequences are computed again, with the tokens they have."""
        self._take_back()
        self._lose_cache()

    def forget_steps(self) -> None:
        """Forget the steps in flight, after scheduler and executor were reset."""
        self._in_flight.clear()
        self._unlaunched = None

    def _drop(self, step: Step) -> None:
        """Discard the results of a step whose sequences have all ended, or that has none."""
        try:
            self.executor.result(step.number)
        except Exception:
            self._lose_cache()
            raise
        with self._transaction:
            self._in_flight.popleft()
            self.scheduler.update(step, Results(step.number))

    def _lose_cache(self) -> None:
        """Free all blocks: without a step's results it is not known what it has written, or others read of that."""
        with self._transaction:
            for step in self._in_flight:
                self.executor.drop(step.number)
            self._in_flight.clear()
            if self._unlaunched is not None:  # the runner must still drop the rows that it would have released
                self.scheduler.sequence_table.return_changes(self._unlaunched)
            self._unlaunched = None
            self.scheduler.drop_cache()

    def _results(self, step: Step) -> Results:
        """Wait for a step's results."""
        results = self.executor.result(step.number)
        self._swap_cost.learn(step, results.forward_seconds, results.copy_seconds)
        if (cost := self._swap_cost.recompute_per_block) is not None:
            # It decides whether the next preempted sequence is swapped or recomputed.
            self.scheduler.sequence_table.recompute_per_block = cost
        if (tiers := self.scheduler.manager.tiers) is not None:
            tiers.seconds_per_token = self._swap_cost.seconds_per_token
        seconds = self.timer.finish(step.number)
        if self.scheduler.prefill_budget is not None:
            self.scheduler.prefill_budget.learn(step, seconds)
        return results

    def _start(self) -> Step:
        """Schedule and launch a step, or take it back; every token before it is known."""
        self._take_back()  # a step that an interrupt has left
        try:
            return self._launch()
        except BaseException:
            self._take_back()
            raise

    def _take_back(self) -> None:
        """Undo a step that was scheduled and not launched, if there is one."""
        if self._unlaunched is None:
            return
        with self._transaction:
            step, self._unlaunched = self._unlaunched, None
            self.executor.drop(step.number)
            self.scheduler.revert(step)
            if step.copies and self.executor.copied != step.number:
                self.scheduler.drop_cache()

    def _launch(self) -> Step:
        """Schedule a step and start to compute it. If that fails, the caller must call `_take_back`."""
        if (guided := self.scheduler.sequence_table.guided) or self._filler.is_busy:
            self._filler.prepare([_matcher_of(sequence) for sequence in guided.values()])
        with span(SCHEDULE), self._transaction:
            self._unlaunched = step = self.last_step = self.scheduler.schedule()
        self.timer.begin(step.number)
        self.executor.launch(step)
        if step.masked:  # filled while the forward runs, on a device that runs beside this
            with span(SAMPLE):
                self.executor.sample(step.number, self._masks(step))
        elif not step.ids and not self._in_flight:
            self._wait()
        self._unlaunched = None
        num_tokens = step.num_tokens
        self.num_steps += bool(num_tokens)
        self.num_computed_tokens += num_tokens
        return step

    def _wait(self) -> None:
        """Wait a while for a mask, an adapter or a prefix to be read, because nothing can run without it."""
        scheduler = self.scheduler
        delayed = [_matcher_of(each) for each in scheduler.sequence_table.guided.values() if each.delayed]
        if delayed:
            self._filler.wait(delayed)
        elif (turns := scheduler.adapter_turns) is not None and (unread := turns.unread):
            turns.store.wait(unread, _PATIENCE)
        elif (tiers := scheduler.manager.tiers) is not None and tiers.awaits_reader:
            tiers.reader.wait(_PATIENCE)

    def _masks(self, step: Step) -> dict[int, Mask | str]:
        """Return the masks of a step's guided sequences."""
        asked = []
        for id in step.masked:
            asked.append(MaskRequest(id, _matcher_of(self.scheduler.sequences[id]), step.drafts.get(id, ())))
        return self._filler.fill(asked)

    def check(self) -> None:
        """Assert the invariants, between steps."""
        assert len(self._in_flight) <= 2 and (self._unlaunched is None or not self._in_flight)


def _matcher_of(sequence: Sequence) -> Matcher:
    assert isinstance(sequence.sampling.guide, Matcher), f"{sequence} is guided by {sequence.sampling.guide!r}"
    return sequence.sampling.guide

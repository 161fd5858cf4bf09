"""OutputProcessor: an engine's unfinished requests, and their outputs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable

from torchpaged.engine.metrics import EndedRequests
from torchpaged.engine.step_pipeline import Pipeline
from torchpaged.errors import EngineError
from torchpaged.outputs import FIRST_VERSION, RequestOutput
from torchpaged.requests.group import Group, abandoned, errored
from torchpaged.scheduling import Results, Scheduler, Sequence, Step
from torchpaged.utils.transaction import Transaction

logger = logging.getLogger(__name__)

_TABLES_LOST = "an interrupt left the engine's tables half changed, so they were rebuilt; add the request again"


class OutputProcessor:
    """The groups that have not ended, by number and by the user's id; a step's results reach them from here.

    Invariants: both lookups lead to the same groups; every sequence of the scheduler belongs to one; between two calls
    of an engine no group runs alone.

    Args:
        scheduler, pipeline: run the groups.
        transaction: entered while tables change.
        weight_version: returns the name of the weights; it changes only while no step is in flight.

    Attributes:
        ended: metrics of ended requests.
        peak: the cache when most of its blocks were in use.
        num_generated: number of sampled tokens of all groups, those after a stop included.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        pipeline: Pipeline,
        transaction: Transaction,
        weight_version: Callable[[], str] = lambda: FIRST_VERSION,
    ) -> None:
        self._scheduler, self._pipeline, self._transaction = scheduler, pipeline, transaction
        self._weight_version = weight_version
        self._groups: dict[int, Group] = {}
        self._number_of: dict[str, int] = {}
        self._alone: Group | None = None  # the group of `run_alone`
        self._shown: list[RequestOutput] = []  # outputs that were not taken yet
        self._shown_ids: set[str] = set()  # at least their requests' ids
        self._num_added = 0
        self.ended = EndedRequests()
        self.peak = scheduler.manager.stats()
        self.num_generated = 0

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def has_outputs(self) -> bool:
        """True if `take_outputs` would return any."""
        return bool(self._shown)

    def name_of(self, number: int) -> str:
        """Return the user's id of an unfinished request."""
        return self._groups[number].request.request_id

    def names(self) -> list[str]:
        """Return the ids of unfinished requests in the order of their arrival."""
        return [group.request.request_id for group in self._groups.values()]

    def names_to_show(self) -> list[str]:
        """Return the ids of requests that are unfinished or have an output that was not taken yet."""
        return list(dict.fromkeys([*self.names(), *(output.request_id for output in self._shown)]))

    def names_in(self, step: Step | None) -> list[str]:
        """Return the ids of unfinished requests that take part in a step."""
        sequences = self._scheduler.sequences
        owners = {sequences[id].origin.owner for id in step.ids if id in sequences} if step is not None else set()
        return [self.name_of(owner) for owner in sorted(owners) if owner in self._groups]

    def adapter_names(self) -> tuple[list[str], list[str]]:
        """Return the names of the adapters of running sequences, and of waiting ones."""
        queues = self._scheduler.sequence_table.queues

        def names(sequences: Iterable[Sequence]) -> list[str]:
            owners = {sequence.origin.owner for sequence in sequences if sequence.adapter is not None}
            requests = [self._groups[owner].request.lora_request for owner in owners if owner in self._groups]
            return sorted({request.lora_name for request in requests if request is not None})

        return names(queues.running), names([*queues.waiting, *queues.loading, *queues.swapped, *queues.parked])

    def has_name(self, request_id: str) -> bool:
        """Return True if the id is in use."""
        return request_id in self._number_of or any(output.request_id == request_id for output in self._shown)

    def add_request(self, make: Callable[[int], Group]) -> None:
        """Start the group that `make` returns for its number; it was found to have room."""
        group = make(self._num_added)
        request = group.request
        with self._transaction:
            self._num_added += 1
            group.start(self._scheduler)
            self._groups[request.number] = group
            self._number_of[request.request_id] = request.number

    def abort(self, request_id: str, error: str | None = None) -> RequestOutput | None:
        """End a request and return its last output; None if there is no request of that id."""
        for place, output in enumerate(self._shown):
            if output.request_id == request_id and output.finished:
                return self._shown.pop(place)
        if request_id not in self._number_of:
            return None
        with self._transaction:
            group = self._groups[self._number_of[request_id]]
            group.end(self._scheduler, "abort" if error is None else "error", error)
            self._forget(group)
            self._shown = [output for output in self._shown if output.request_id != request_id]
            last = group.output()
            if last is not None:
                self._note(group, last)
            return last

    def abort_all(self) -> None:
        """End all requests; their last outputs are the next to be taken."""
        for name in self.names():
            if (last := self.abort(name)) is not None:
                self._shown.append(last)
                self._shown_ids.add(name)

    def take_outputs(self) -> list[RequestOutput]:
        """Return the new outputs; each is returned once."""
        shown, self._shown = self._shown, []
        self._shown_ids.clear()
        return shown

    def run_alone(self, group: Group, advance: Callable[[], None]) -> None:
        """Run a group to its end by the steps that `advance` makes; there is no other group."""
        self._pipeline.drain()
        with self._transaction:
            group.start(self._scheduler)
            self._groups[group.request.number] = group
            self._alone = group
        try:
            while not group.finished:
                advance()
        finally:
            self.end_alone()

    def end_alone(self) -> None:
        """End a group that runs alone, or that an interrupt has left."""
        if (group := self._alone) is not None:
            with self._transaction:
                group.end(self._scheduler, "abort")
                self._groups.pop(group.request.number, None)
                self._alone = None

    def abandon(self) -> None:
        """End all groups, after the scheduler has lost their sequences."""
        for group in self._groups.values():
            output = abandoned(group, self._scheduler, _TABLES_LOST)
            if output is not None:
                self._show(group, output)
        self._groups, self._number_of, self._alone = {}, {}, None

    # --- A step's results ----------------------------------------------------------------------------------

    def process_results(self, step: Step, results: Results) -> None:
        """Give a step's results to the scheduler, then to the groups whose sequences took part.

        A group that raises ends with an error and is not called again.
        """
        scheduler, groups = self._scheduler, self._groups
        pool = scheduler.manager.pool
        if pool.num_usable - pool.num_free > self.peak.num_used_blocks:
            self.peak = scheduler.manager.stats()
        self._count(step, results)
        results.weight_version = self._weight_version()
        now = time.monotonic()
        self._note_first_steps(step, now)
        progress = scheduler.update(step, results)
        if step.drafts:  # rejected drafts do not count
            self.num_generated += sum(len(tokens) for each, tokens in progress.moved if each.id in step.drafts)
        failed: set[int] = set()
        touched: dict[int, Group] = {}
        for sequence in progress.scored:
            if (number := sequence.origin.owner) not in failed:
                group = touched[number] = groups[number]
                try:
                    group.score(sequence, results.scores[sequence.id])
                except Exception as error:
                    failed.add(self._fail(group, error))
        for sequence in progress.held:
            if not sequence.ended:  # its group may have ended it when it decided about another sequence
                number = sequence.origin.owner
                group = touched[number] = groups[number]
                try:
                    group.decide(sequence, results, scheduler)
                except Exception as error:
                    failed.add(self._fail(group, error))
        self.ended.note_tokens(progress, scheduler.sequences.keys(), now)
        for sequence, tokens in progress.moved:
            if (number := sequence.origin.owner) not in failed:
                group = touched[number] = groups[number]
                try:
                    group.move(sequence, tokens, results, scheduler)
                except Exception as error:
                    failed.add(self._fail(group, error))
        for number, group in touched.items():
            if number not in failed:
                self._show_of(group)

    def _note_first_steps(self, step: Step, now: float) -> None:
        """Record the time of a request's first step."""
        sequences = self._scheduler.sequences
        for id in step.new:
            if id in sequences:
                request = self._groups[sequences[id].origin.owner].request
                if request.first_scheduled_time is None:
                    request.first_scheduled_time = now - self._pipeline.timer.last_seconds

    def _show_of(self, group: Group) -> None:
        """Take a group's output; forget the group if it has ended."""
        try:
            output = group.output()
        except Exception as error:
            self._fail(group, error)
            return
        if group.finished:
            self._forget(group)
        if output is not None:
            self._show(group, output)

    def _fail(self, group: Group, error: Exception) -> int:
        """End a group that has raised, with all of its sequences, and return its number; raise if it runs alone."""
        if group is self._alone:
            raise error
        logger.error("request %r ends: its results could not be processed", group.request.request_id, exc_info=error)
        return self._end(group, f"its results could not be processed: {type(error).__name__}: {error}")

    def fail(self, sequence: Sequence, reason: str) -> None:
        """End the request of a sequence with an error, between two steps; raise EngineError if it runs alone."""
        group = self._groups[sequence.origin.owner]
        if group is self._alone:
            raise EngineError(reason)
        logger.error("request %r ends: %s", group.request.request_id, reason)
        with self._transaction:
            self._end(group, reason)

    def _end(self, group: Group, reason: str) -> int:
        """End a group with an error, with all of its sequences, and return its number."""
        number = group.request.number
        output = abandoned(group, self._scheduler, reason)
        # It may have forked sequences without having noted them.
        for sequence in [each for each in self._scheduler.sequences.values() if each.origin.owner == number]:
            self._scheduler.finish(sequence, "error", reason)
        self._forget(group)
        self._show(group, output if output is not None and output.finished else errored(group.request, reason))
        return number

    def _count(self, step: Step, results: Results) -> None:
        """Count a step's tokens. Sampled ones count if their sequence or draw is still wanted; those of drafts do
        elsewhere.
        """
        self.ended.note_step(step.num_tokens)
        alive = self._scheduler.sequences
        if not (step.draws or step.drafts):
            self.num_generated += sum(map(alive.__contains__, results.draws))
            return
        several = {draw for id, draws in step.draws.items() if id in alive for draw, _ in draws}
        drafts = step.drafts
        self.num_generated += sum(draw not in drafts and (draw in alive or draw in several) for draw in results.draws)

    def _show(self, group: Group, output: RequestOutput) -> None:
        """Queue an output; it replaces an older one of the same request unless that shows only what is new."""
        if output.request_id in self._shown_ids and not group.shows_deltas:
            self._shown = [other for other in self._shown if other.request_id != output.request_id]
        self._shown.append(output)
        self._shown_ids.add(output.request_id)
        self._note(group, output)

    def _note(self, group: Group, output: RequestOutput) -> None:
        """Count an output in the metrics."""
        request = group.request
        is_delta = group.shows_deltas
        self.ended.note(request.number, output, is_delta=is_delta, n=request.n, max_tokens=request.max_tokens)

    def _forget(self, group: Group) -> None:
        """Remove a group that has ended."""
        self._groups.pop(group.request.number, None)
        self._number_of.pop(group.request.request_id, None)

    def check(self) -> None:
        """Assert the invariants."""
        assert {sequence.origin.owner for sequence in self._scheduler.sequences.values()} <= self._groups.keys()
        numbers = {group.request.request_id: number for number, group in self._groups.items()}
        assert numbers == self._number_of
        assert self._alone is None

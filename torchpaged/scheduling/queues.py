"""Queues: the unfinished sequences by status, in order of rank."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator

from torchpaged.scheduling.sequence import Sequence, Status

POLICIES = ("fcfs", "priority")


class Queues:
    """Sequences by status, in order of rank: arrival ("fcfs"), or priority (lower first) and then arrival ("priority").

    Invariants: each list is in order of rank; a sequence is in exactly one; those in `running` have the status RUNNING.

    Args:
        policy: "fcfs" or "priority".

    Attributes:
        waiting: sequences without blocks, to be computed from the start.
        running: sequences with blocks.
        swapped: sequences whose blocks are on the host.
        parked: preempted sequences whose owners must decide before they can run again.
        loading: sequences without blocks that wait for a part of their prefix from the store below the pools.

    Raises:
        ValueError: an unknown policy.
    """

    def __init__(self, policy: str) -> None:
        if policy not in POLICIES:
            raise ValueError(f"policy is {policy!r}, expected one of {', '.join(POLICIES)}")
        self.policy = policy
        self.waiting: list[Sequence] = []
        self.running: list[Sequence] = []
        self.swapped: list[Sequence] = []
        self.parked: list[Sequence] = []
        self.loading: list[Sequence] = []
        self.num_slots = 0  # of the running sequences

    def __iter__(self) -> Iterator[Sequence]:
        for queue in self._all():
            yield from queue

    def rank(self, sequence: Sequence) -> tuple[int, int, int]:
        """Return the sort key, lowest first. Forks of one arrival follow each other in the order of their creation."""
        return (sequence.origin.priority if self.policy == "priority" else 0, sequence.origin.arrival, sequence.id)

    def place(self, sequence: Sequence, status: Status, *, parked: bool = False, loading: bool = False) -> None:
        """Put a sequence that is in no queue into the one of its status, or into `parked` while its owner decides."""
        sequence.status = status
        if status is Status.RUNNING:
            self.num_slots += sequence.admission.num_slots
            queue = self.running
        elif parked:
            queue = self.parked
        elif loading:
            queue = self.loading
        else:
            queue = self.swapped if status is Status.SWAPPED else self.waiting
        insort(queue, sequence, key=self.rank)

    def remove(self, sequence: Sequence) -> None:
        """Take a sequence out of its queue."""
        for queue in self._all():
            if sequence in queue:
                queue.remove(sequence)
                if queue is self.running:
                    self.num_slots -= sequence.admission.num_slots
                return

    def set_slots(self, sequence: Sequence, num_slots: int) -> None:
        """Set the number of slots that a sequence takes."""
        if sequence.status is Status.RUNNING:
            self.num_slots += num_slots - sequence.admission.num_slots
        sequence.admission.num_slots = num_slots

    def clear(self) -> None:
        """Remove all sequences."""
        for queue in self._all():
            queue.clear()
        self.num_slots = 0

    def _all(self) -> tuple[list[Sequence], ...]:
        return (self.running, self.waiting, self.swapped, self.parked, self.loading)

    def check(self) -> None:
        """Assert the invariants."""
        everyone = list(self)
        assert len({sequence.id for sequence in everyone}) == len(everyone)
        for queue in self._all():
            assert list(map(self.rank, queue)) == sorted(map(self.rank, queue))
        assert all(sequence.status is Status.RUNNING for sequence in self.running)
        others = (*self.waiting, *self.swapped, *self.parked, *self.loading)
        assert not any(sequence.status is Status.RUNNING for sequence in others)
        assert self.num_slots == sum(sequence.admission.num_slots for sequence in self.running)

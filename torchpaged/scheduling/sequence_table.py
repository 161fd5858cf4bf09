"""Roster: where each unfinished sequence is: its queue, its blocks, and whether whoever computes has a row for it."""

from __future__ import annotations

from torchpaged.kv_cache import KVCacheManager
from torchpaged.scheduling.queues import Queues
from torchpaged.scheduling.sequence import Sequence, Status
from torchpaged.scheduling.step import Fork, Step

PREEMPTION_MODES = ("auto", "swap", "recompute")


class SequenceTable:
    """Comings and goings. It decides who is swapped and who is computed again, and nothing else.

    Invariants: an unfinished sequence stands in exactly one queue; only running ones hold blocks of the pool, only
    swapped ones blocks of the host's; a pending fork's child has a row when the step is sent that brings it.

    Args:
        manager: of the blocks.
        policy: of `Queues`.
        preemption_mode: "swap", "recompute", or "auto" for what costs less (`recompute_per_block`).

    Raises:
        ValueError: an unknown policy or mode.
    """

    def __init__(self, manager: KVCacheManager, policy: str, preemption_mode: str) -> None:
        if preemption_mode not in PREEMPTION_MODES:
            raise ValueError(f"preemption_mode is {preemption_mode!r}, expected one of {', '.join(PREEMPTION_MODES)}")
        self.manager, self.preemption_mode = manager, preemption_mode
        self.queues = Queues(policy)
        self.sequences: dict[int, Sequence] = {}  # the unfinished ones
        self.guided: dict[int, Sequence] = {}  # of them, those with a guide
        # How many tokens are computed in the time that moving one block to the host and back takes.
        self.recompute_per_block = 1.0
        self.num_preemptions = self.num_swaps = 0
        self._released: list[int] = []
        self._forks: list[Fork] = []

    def enter(self, sequence: Sequence) -> None:
        """A new one waits."""
        self._add(sequence)
        self.queues.place(sequence, Status.WAITING)

    def enter_fork(self, parent: Sequence, child: Sequence, *, has_slot: bool) -> None:
        """Puts a fork where its parent is; without a seat or blocks it is computed again."""
        self._add(child)
        status = parent.status if has_slot or parent.status is not Status.RUNNING else Status.WAITING
        if status is not Status.WAITING:
            self.manager.fork(parent, child)
            child.num_computed_tokens = parent.num_computed_tokens
            parent.quiet_until = 0
        if status is Status.RUNNING and parent.known:
            pending = {fork.child: fork for fork in self._forks}
            source = pending[parent.id].parent if parent.id in pending else parent.id
            told = len(parent.token_ids) - parent.num_untold_tokens
            self._forks.append(Fork(source, child.id, told, child.params))
            child.known, child.num_untold_tokens = True, parent.num_untold_tokens
        self.queues.place(child, status, parked=status is not Status.RUNNING)

    def _add(self, sequence: Sequence) -> None:
        self.sequences[sequence.id] = sequence
        if sequence.guide is not None:
            self.guided[sequence.id] = sequence

    def resume(self, sequence: Sequence) -> None:
        """Its owner has decided: one that was set aside stands in its queue again."""
        if sequence in self.queues.parked:
            self.queues.remove(sequence)
            self.queues.place(sequence, sequence.status)

    def run(self, sequence: Sequence) -> None:
        """It has blocks now."""
        self.queues.remove(sequence)
        self.queues.place(sequence, Status.RUNNING)

    def preempt(self, sequence: Sequence) -> None:
        """Takes a running sequence's blocks: to the host, or away. Its tokens are kept."""
        parked = not sequence.num_uncomputed_tokens
        self.num_preemptions += 1
        sequence.num_preemptions += 1
        if self._swaps(sequence) and self.manager.swap_out(sequence) is not None:
            self.num_swaps += 1
            self.queues.remove(sequence)
            self.forget(sequence)
            self.queues.place(sequence, Status.SWAPPED, parked=parked)
            return
        self.withdraw(sequence, parked=parked)

    def withdraw(self, sequence: Sequence, *, parked: bool = False) -> None:
        """Takes all that a sequence holds: it waits, or is set aside, to be computed from the start."""
        self._remove(sequence)
        sequence.num_computed_tokens = 0
        self.queues.place(sequence, Status.WAITING, parked=parked)

    def leave(self, sequence: Sequence) -> None:
        """One that has ended gives everything back; one that ended in an error leaves nothing to be found."""
        del self.sequences[sequence.id]
        self.guided.pop(sequence.id, None)
        self._remove(sequence)
        sequence.status, sequence.num_pending_tokens, sequence.in_flight = Status.ENDED, 0, False

    def forget(self, sequence: Sequence) -> None:
        """Whoever computes shall forget a sequence: when it is computed next it comes as a new one."""
        sequence.quiet_until = sequence.num_untold_tokens = 0
        if sequence.known:
            sequence.known = False
            count = len(self._forks)
            self._forks = [fork for fork in self._forks if fork.child != sequence.id]
            if len(self._forks) == count:
                self._released.append(sequence.id)

    def take_news(self, step: Step) -> None:
        """Hands on who has forked and who is to be forgotten since the last step."""
        step.released, self._released = self._released, []
        step.forks, self._forks = self._forks, []

    def return_news(self, step: Step) -> None:
        """The step was not launched: what it brought may not have arrived."""
        self._released = step.released + self._released
        for id in (*step.ids, *(fork.child for fork in step.forks)):
            if (sequence := self.sequences.get(id)) is not None:
                self.forget(sequence)

    def clear(self) -> None:
        """Nobody is left."""
        self.queues.clear()
        self.sequences.clear()
        self.guided.clear()
        self._released.clear()
        self._forks.clear()

    def _remove(self, sequence: Sequence) -> None:
        self.queues.remove(sequence)
        self.manager.free(sequence, forget=sequence.finish_reason == "error")
        self.forget(sequence)

    def _swaps(self, sequence: Sequence) -> bool:
        if not self.manager.swaps or not sequence.num_computed_tokens or self.preemption_mode == "recompute":
            return False
        if self.preemption_mode == "swap":
            return True
        return self.manager.num_held_blocks(sequence) * self.recompute_per_block < sequence.num_computed_tokens

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        self.queues.check()
        everyone = list(self.queues)
        assert len(everyone) == len(self.sequences) and all(self.sequences[s.id] is s for s in everyone)
        assert self.guided == {s.id: s for s in everyone if s.guide is not None}
        for sequence in everyone:
            sequence.check()
            holds = any(self.manager.block_ids(sequence))
            assert holds == (sequence.status is Status.RUNNING), f"{sequence} holds blocks: {holds}"
            assert self.manager.is_swapped(sequence) == (sequence.status is Status.SWAPPED), repr(sequence)
        assert all(self.sequences[fork.child].known for fork in self._forks)

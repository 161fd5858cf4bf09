"""SequenceTable: the unfinished sequences, with their queues, blocks and rows of the runner."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from torchpaged.kv_cache import KVCacheManager
from torchpaged.scheduling.adapter_turns import AdapterTurns
from torchpaged.scheduling.queues import Queues
from torchpaged.scheduling.sequence import Sampling, Sequence, Status
from torchpaged.scheduling.step import Fork, Step

PREEMPTION_MODES = ("auto", "swap", "recompute")


class RunnerRows:
    """The rows that the runner has, and the changes of them that go out with the next step.

    Attributes:
        num_unsent: by sequence with a row, the number of its last tokens that the row does not have, because the
            owner chose them.
    """

    def __init__(self) -> None:
        self.num_unsent: dict[int, int] = {}
        self._released: list[int] = []
        self._forks: list[Fork] = []

    def extend(self, sequence_id: int, count: int) -> None:
        """Note that the owner has chosen the next `count` tokens of a sequence."""
        if sequence_id in self.num_unsent:
            self.num_unsent[sequence_id] += count

    def fork(self, parent: Sequence, child: Sequence) -> None:
        """Give a fork a copy of its parent's row, if the parent has one."""
        unsent = self.num_unsent.get(parent.id)
        if unsent is None:
            return
        # A parent that is itself a pending fork has no row yet: its own source has the same tokens.
        pending = {fork.child: fork for fork in self._forks}
        source = pending[parent.id].parent if parent.id in pending else parent.id
        self._forks.append(Fork(source, child.id, len(parent.token_ids) - unsent, child.sampling.params))
        self.num_unsent[child.id] = unsent

    def release(self, sequence_id: int) -> None:
        """Have the runner drop a sequence's row: when the sequence is computed again, it is sent as a new one."""
        if self.num_unsent.pop(sequence_id, None) is not None:
            count = len(self._forks)
            self._forks = [fork for fork in self._forks if fork.child != sequence_id]
            if len(self._forks) == count:  # else the runner has never heard of it
                self._released.append(sequence_id)

    def take_changes(self, step: Step) -> None:
        """Move the changes since the last step into `step`."""
        step.released, self._released = self._released, []
        step.forks, self._forks = self._forks, []

    def return_released(self, step: Step) -> None:
        """Take the released rows back from a step that was not launched."""
        self._released = step.released + self._released

    def check(self) -> None:
        """Assert that each pending fork's child has a row."""
        assert all(fork.child in self.num_unsent for fork in self._forks)


class SequenceTable:
    """Moves sequences between queues. Its only decision is whether a preempted sequence is swapped or recomputed.

    Invariants: an unfinished sequence is in exactly one queue; only running sequences hold blocks of the pool or have a
    row, only swapped ones hold blocks of the host pool.

    Args:
        manager: the block manager.
        policy: see `Queues`.
        preemption_mode: "swap", "recompute", or "auto" for the cheaper of the two (`recompute_per_block`).
        adapter_turns: is told which adapters have unfinished sequences; None: no sequence has one.

    Attributes:
        sequences: the unfinished sequences by id.
        guided: those of them that have a guide.
        rows: the runner's rows.
        recompute_per_block: number of tokens that are computed in the time that moving one block to the host and back
            takes.

    Raises:
        ValueError: an unknown policy or mode.
    """

    def __init__(
        self,
        manager: KVCacheManager,
        policy: str,
        preemption_mode: str,
        adapter_turns: AdapterTurns | None = None,
    ) -> None:
        if preemption_mode not in PREEMPTION_MODES:
            raise ValueError(f"preemption_mode is {preemption_mode!r}, expected one of {', '.join(PREEMPTION_MODES)}")
        self.manager, self.preemption_mode, self.adapter_turns = manager, preemption_mode, adapter_turns
        self.queues = Queues(policy)
        self.sequences: dict[int, Sequence] = {}
        self.guided: dict[int, Sequence] = {}
        self.rows = RunnerRows()
        self.recompute_per_block = 1.0
        self.num_preemptions = self.num_swaps = 0

    def enter(self, sequence: Sequence) -> None:
        """Queue a new sequence."""
        self._add(sequence)
        self.queues.place(sequence, Status.WAITING)

    def enter_fork(self, parent: Sequence, child: Sequence, *, has_slot: bool) -> None:
        """Put a fork where its parent is; without a slot or blocks it will be computed again."""
        self._add(child)
        status = parent.status if has_slot or parent.status is not Status.RUNNING else Status.WAITING
        if status is not Status.WAITING:
            self.manager.fork(parent, child)
            child.num_computed_tokens = parent.num_computed_tokens
            parent.quiet_until = 0  # the block that it writes next is shared now and must be copied first
        if status is Status.RUNNING:
            self.rows.fork(parent, child)
        self.queues.place(child, status, parked=status is not Status.RUNNING)

    def _add(self, sequence: Sequence) -> None:
        self.sequences[sequence.id] = sequence
        if sequence.sampling.guide is not None:
            self.guided[sequence.id] = sequence
        if self.adapter_turns is not None:
            self.adapter_turns.enter(sequence.adapter)

    def resume(self, sequence: Sequence) -> None:
        """Queue a parked sequence again: its owner has decided."""
        if sequence in self.queues.parked:
            self.queues.remove(sequence)
            self.queues.place(sequence, sequence.status)

    def load(self, sequence: Sequence) -> None:
        """Have a waiting sequence wait for a part of its prefix instead, out of the way of those behind it."""
        self.queues.remove(sequence)
        self.queues.place(sequence, Status.WAITING, loading=True)

    def end_load(self, sequence_id: Hashable) -> None:
        """Queue a sequence again whose prefix has come, or will not."""
        sequence = self.sequences.get(cast(int, sequence_id))
        if sequence is not None and sequence in self.queues.loading:
            self.queues.remove(sequence)
            self.queues.place(sequence, Status.WAITING)

    def restart(self, sequence_id: Hashable, num_tokens: int) -> None:
        """Queue a running sequence again, for which the pools have so many tokens more than it has computed."""
        sequence = self.sequences[cast(int, sequence_id)]
        if sequence.admission.num_cached_tokens is not None:
            sequence.admission.num_cached_tokens += num_tokens
        self.queues.remove(sequence)
        self.manager.free(sequence, keeps_load=True)
        self.release_row(sequence)
        sequence.num_computed_tokens = 0
        self.queues.place(sequence, Status.WAITING)

    def run(self, sequence: Sequence) -> None:
        """Move a sequence that got blocks to the running ones."""
        self.queues.remove(sequence)
        self.queues.place(sequence, Status.RUNNING)

    def preempt(self, sequence: Sequence) -> None:
        """Take a running sequence's blocks: swap them out or free them. Its tokens are kept."""
        parked = not sequence.num_uncomputed_tokens
        self.num_preemptions += 1
        sequence.admission.num_preemptions += 1
        if self._swaps(sequence) and self.manager.swap_out(sequence) is not None:
            self.num_swaps += 1
            self.queues.remove(sequence)
            self.release_row(sequence)
            self.queues.place(sequence, Status.SWAPPED, parked=parked)
            return
        self.withdraw(sequence, parked=parked)

    def withdraw(self, sequence: Sequence, *, parked: bool = False) -> None:
        """Take all that a sequence holds, to compute it from the start; `parked` if its owner must decide first."""
        self._remove(sequence)
        sequence.num_computed_tokens = 0
        self.queues.place(sequence, Status.WAITING, parked=parked)

    def leave(self, sequence: Sequence) -> None:
        """Remove a sequence that has ended; one that ended in an error leaves nothing in the prefix cache."""
        del self.sequences[sequence.id]
        self.guided.pop(sequence.id, None)
        if (hint := sequence.origin.cache_hint) is not None and sequence.finish_reason != "error":
            self.manager.hint(sequence, hint)
        self._remove(sequence)
        if self.adapter_turns is not None:
            self.adapter_turns.leave(sequence.adapter)
        sequence.status, sequence.num_pending_tokens, sequence.in_flight = Status.ENDED, 0, False

    def release_guide(self, sequence: Sequence) -> None:
        """Allow a sequence all tokens from here on."""
        sequence.sampling = Sampling(sequence.sampling.params)
        self.guided.pop(sequence.id, None)

    def release_row(self, sequence: Sequence) -> None:
        """Have the runner drop the sequence's row."""
        sequence.quiet_until = 0
        self.rows.release(sequence.id)

    def return_changes(self, step: Step) -> None:
        """Note that the step was not launched: rows that it brought or changed may not be as it says."""
        self.rows.return_released(step)
        for id in (*step.ids, *(fork.child for fork in step.forks)):
            if (sequence := self.sequences.get(id)) is not None:
                self.release_row(sequence)

    def clear(self) -> None:
        """Forget all sequences."""
        self.queues.clear()
        self.sequences.clear()
        self.guided.clear()
        if self.adapter_turns is not None:
            self.adapter_turns.clear()
        self.rows = RunnerRows()

    def _remove(self, sequence: Sequence) -> None:
        self.queues.remove(sequence)
        self.manager.free(sequence, forget=sequence.finish_reason == "error")
        self.release_row(sequence)

    def _swaps(self, sequence: Sequence) -> bool:
        if not self.manager.swaps or not sequence.num_computed_tokens or self.preemption_mode == "recompute":
            return False
        if self.preemption_mode == "swap":
            return True
        return self.manager.num_held_blocks(sequence) * self.recompute_per_block < sequence.num_computed_tokens

    def check(self) -> None:
        """Assert the invariants, between steps."""
        self.queues.check()
        everyone = list(self.queues)
        assert len(everyone) == len(self.sequences) and all(self.sequences[s.id] is s for s in everyone)
        assert self.guided == {s.id: s for s in everyone if s.sampling.guide is not None}
        assert self.rows.num_unsent.keys() <= {sequence.id for sequence in self.queues.running}
        for sequence in everyone:
            sequence.check()
            holds = any(self.manager.block_ids(sequence))
            assert holds == (sequence.status is Status.RUNNING), f"{sequence} holds blocks: {holds}"
            assert self.manager.is_swapped(sequence) == (sequence.status is Status.SWAPPED), repr(sequence)
            assert 0 <= self.rows.num_unsent.get(sequence.id, 0) <= sequence.num_output_tokens, repr(sequence)
        self.rows.check()
        if self.adapter_turns is not None:
            self.adapter_turns.check(sequence.adapter for sequence in everyone)
        else:
            assert all(sequence.adapter is None for sequence in everyone), "a sequence has an adapter that gets no turn"

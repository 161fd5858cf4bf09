"""Scheduler: which sequences run in the next step, and how many of their tokens. Plain Python, no tensors.

It decides; others execute. A step is a value: `schedule` returns it, `update` takes its results. What stands behind a
sequence, a user's request or a beam of one, it does not know: add, fork, extend and finish are all there is.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from typing import Any

from torchpaged.errors import EngineError
from torchpaged.kv_cache import CacheKeys, KVCacheManager
from torchpaged.kv_cache.block_hash import NO_KEYS
from torchpaged.scheduling.drafter import Drafter
from torchpaged.scheduling.guide import Guide
from torchpaged.scheduling.limits import Limits
from torchpaged.scheduling.plan import StepPlan
from torchpaged.scheduling.prefill_budget import PrefillBudget
from torchpaged.scheduling.sequence import NOTHING_MORE, EncoderInput, SamplingRequest, Sequence, Status, StopRule
from torchpaged.scheduling.sequence_table import SequenceTable
from torchpaged.scheduling.step import Results, RowParams, Step
from torchpaged.scheduling.step_builder import StepBuilder


@dataclass(slots=True)
class Progress:
    """What became of a step's sequences.

    Args:
        moved: (sequence, its new tokens) of those that go on by themselves, or have ended with the last of them.
        held: those whose owner is to extend, fork or finish them now.
        scored: those that brought scores of tokens which they had.
    """

    moved: list[tuple[Sequence, Seq[int]]] = field(default_factory=list)
    held: list[Sequence] = field(default_factory=list)
    scored: list[Sequence] = field(default_factory=list)


class Scheduler:
    """Continuous batching.

    Order within a step: decodes, then prefills under way, then admissions: swapped sequences first, then the queue.
    One that finds no room takes the place of the last in rank, which is swapped out, or computed again later. Nobody
    overtakes in the queue.

    Steps may overlap: after `assume` the next step can be scheduled before `update` brings the results of the last.
    Sequences whose owner must decide are left out of it.

    Args:
        manager: the block manager; this scheduler is the only one to call it.
        max_num_seqs, max_num_batched_tokens, max_model_len, enable_chunked_prefill: as of `Limits`.
        long_prefill_token_threshold: tokens of one sequence a step; 0: no such cap.
        policy: "fcfs" or "priority", see `Queues`.
        preemption_mode: as of `SequenceTable`.
        watermark: the share of the blocks that admissions leave free for those who run, 0 to 1.
        drafter: guesses tokens ahead; None: nobody does.
        max_step_ms: what a step with streams may take, see `PrefillBudget`; None: as long as it takes.

    Raises:
        ValueError: an unknown policy or mode.
    """

    def __init__(
        self,
        manager: KVCacheManager,
        *,
        max_num_seqs: int,
        max_num_batched_tokens: int,
        max_model_len: int,
        long_prefill_token_threshold: int = 0,
        enable_chunked_prefill: bool = True,
        policy: str = "fcfs",
        preemption_mode: str = "auto",
        watermark: float = 0.0,
        drafter: Drafter | None = None,
        max_step_ms: float | None = None,
    ) -> None:
        cap = min(long_prefill_token_threshold or max_num_batched_tokens, max_num_batched_tokens)
        self.limits = Limits(max_num_seqs, max_num_batched_tokens, max_model_len, cap, enable_chunked_prefill)
        self.manager = manager
        self.sequence_table = SequenceTable(manager, policy, preemption_mode)
        self.num_watermark_blocks = int(watermark * manager.pool.num_usable)
        self.num_steps = 0
        self.drafter = drafter
        self.prefill_budget = None if max_step_ms is None else PrefillBudget(max_step_ms)
        self.num_cut_tokens = 0  # that were drawn behind the end of a text
        self.waits: Counter[str] = Counter()  # steps ahead in which nothing could run, by what they waited for
        self._ids = itertools.count(1)
        self._arrivals = itertools.count(1)
        self._plan: StepPlan | None = None  # of the step that was scheduled last
        self._in_flight: int | None = None  # number of the step that was assumed and not updated
        self._holding: dict[int, list[Sequence]] = {}  # by step, sequences whose owners decide behind it

    @property
    def sequences(self) -> dict[int, Sequence]:
        """The unfinished ones, by id."""
        return self.sequence_table.sequences

    @property
    def has_unfinished(self) -> bool:
        """Whether a step has anything to do."""
        return bool(self.sequence_table.sequences)

    @property
    def max_tokens(self) -> int:
        """The longest sequence, less its last token, that the pool can hold."""
        return self.limits.max_tokens(self.manager)

    def require_room(
        self,
        label: str,
        token_ids: Seq[int],
        *,
        num_given: int = 0,
        encoder: EncoderInput | None = None,
        generates: bool = True,
    ) -> None:
        """`Limits.require_room`."""
        self.limits.require_room(self.manager, label, token_ids, num_given, encoder, generates=generates)

    # --- The four verbs ------------------------------------------------------------------------------------

    def new_id(self) -> int:
        """An id for what is drawn and may become a sequence."""
        return next(self._ids)

    def add(
        self,
        token_ids: Iterable[int],
        params: RowParams,
        ends: StopRule,
        *,
        owner: int = 0,
        priority: int = 0,
        cache_keys: CacheKeys = NO_KEYS,
        encoder: EncoderInput | None = None,
        held: bool = False,
        asks: SamplingRequest = NOTHING_MORE,
        num_slots: int = 1,
        score_only: bool = False,
        max_drafts: int | None = None,
        guide: Guide | None = None,
        prompt_embeds: Any = None,
        id: int | None = None,
    ) -> Sequence:
        """Queues a sequence, which `require_room` has found good.

        Args:
            ends: its longest length is cut to what can be had.
            num_slots: as many run at once when it has forked; it is admitted when there are seats for all.
            score_only: nothing is generated: the last token needs no position.
            id: of `new_id`; None: a new one.
            owner, priority, cache_keys, encoder, held, asks, max_drafts, guide, prompt_embeds: as of `Sequence`.
        """
        longest = min(ends.max_length, self.limits.longest(self.manager, encoder, score_only=score_only))
        sequence = Sequence(
            self.new_id() if id is None else id,
            owner,
            token_ids,
            params,
            StopRule(longest, ends.stops, ends.min_length),
            arrival=next(self._arrivals),
            priority=priority,
            cache_keys=cache_keys,
            encoder=encoder,
            held=held,
            asks=asks,
            num_slots=num_slots,
            max_drafts=max_drafts,
            guide=guide,
            prompt_embeds=prompt_embeds,
        )
        self.sequence_table.enter(sequence)
        if self.manager.checkpoints is not None:
            self.manager.checkpoints.note(sequence, (running.id for running in self.sequence_table.queues.running))
        return sequence

    def fork(self, parent: Sequence, params: RowParams | None = None, *, id: int | None = None) -> Sequence:
        """A held sequence with the parent's tokens and, where the parent has blocks, its blocks, until either writes.

        Args:
            params: its own; None: the parent's.
            id: of `new_id`; None: a new one.
        """
        child = parent.forked(self.new_id() if id is None else id, parent.params if params is None else params)
        has_slot = self.sequence_table.queues.num_slots < self.limits.max_num_seqs
        self.sequence_table.enter_fork(parent, child, has_slot=has_slot)
        return child

    def extend(
        self, sequence: Sequence, token_ids: Seq[int], *, held: bool = False, asks: SamplingRequest = NOTHING_MORE
    ) -> int:
        """Gives a held sequence its next tokens; one that is let go may end with them. Returns how many it took.

        Args:
            held: whether it is held when these are computed.
            asks: what is wanted of their logits.
        """
        assert sequence.held and not sequence.in_flight, repr(sequence)
        sequence.held, sequence.asks, sequence.quiet_until = held, asks, 0
        if held:
            sequence.token_ids += token_ids
            taken = len(token_ids)
            assert len(sequence.token_ids) < sequence.ends.max_length, (
                f"{sequence} has no room for these to be computed"
            )
        else:
            taken = sequence.take(token_ids)
        if sequence.known:
            sequence.num_untold_tokens += taken
        if sequence.ended:
            self._leave(sequence)
        else:
            self.sequence_table.resume(sequence)
        return taken

    def finish(self, sequence: Sequence, why: str, error: str | None = None) -> None:
        """Ends a sequence in any state and takes its blocks back; one that has ended is left alone.

        Args:
            why: "stop", "abort" or "error". One that ends in an error leaves nothing in the prefix cache.
            error: what it was.
        """
        if not sequence.ended:
            sequence.finish_reason, sequence.error = why, error
            if self.sequences.get(sequence.id) is sequence:  # not forgotten by `reset`
                self._leave(sequence)

    def _leave(self, sequence: Sequence) -> None:
        """One that has ended."""
        self.sequence_table.leave(sequence)
        if self.drafter is not None:
            self.drafter.forget(sequence)

    def cut(self, sequence: Sequence, count: int) -> None:
        """Drops the last tokens of a run: its owner has found that the text ends before them, and finishes it."""
        if count:
            del sequence.token_ids[-count:]
            sequence.num_computed_tokens = min(sequence.num_computed_tokens, len(sequence.token_ids) - 1)
            self.num_cut_tokens += count

    def release_slots(self, sequence: Sequence) -> None:
        """A sequence has forked, or never will: it takes one seat from now on."""
        self.sequence_table.queues.set_slots(sequence, 1)

    # --- A step --------------------------------------------------------------------------------------------

    def schedule(self) -> Step:
        """The next step. It computes at least one token, unless no sequence is unfinished, or all that could run wait
        for the update of a step under way, or for masks.

        Raises:
            EngineError: there are sequences and none can run, which admission excludes.
        """
        self.num_steps += 1
        plan = self._plan = StepPlan(self.num_steps, self.manager)
        step = plan.step
        builder = StepBuilder(
            plan, self.manager, self.sequence_table, self.limits, self.num_watermark_blocks, self.prefill_budget
        )
        budget = builder.go_on(self.limits.max_num_batched_tokens)
        if not step.num_preempted:  # else the blocks are for those who run
            builder.admit(budget)
        if not step.ids and step.num_preempted:
            # Whoever was preempted gave room to nobody: sequences that wait for their owner hold the blocks.
            builder.admit(self.limits.max_num_batched_tokens)
        if not step.ids and self.sequences:
            self._explain()
        elif self.drafter is not None and not step.num_preempted:
            builder.draft(self.drafter)
        if self.prefill_budget is not None:
            self.prefill_budget.num_cut += builder.is_cut
        if plan.holding:
            self._holding[step.number] = plan.holding
        step.copies = self.manager.take_copies()
        self.sequence_table.take_news(step)
        return step

    def _explain(self) -> None:
        """Nothing can run before results of a step under way are there. Raises EngineError where there is none.

        What is waited for is the owner of a sequence, which must choose; how many drafts hold; a token of one that was
        preempted; or the room of those that end with the step. Or a mask, of a step under way or not.
        """
        if any(sequence.delayed for sequence in self.sequence_table.guided.values()):
            self.waits["mask"] += 1
            return
        flying = [s for s in self.sequences.values() if s.in_flight or s.num_pending_tokens]
        if not flying:
            queues, stats = self.sequence_table.queues, self.manager.stats()
            slots = f", {stats.num_free_state_slots} of {stats.num_state_slots} state slots"
            raise EngineError(
                f"no sequence can run: {len(queues.waiting)} wait, {len(queues.running)} run, {len(queues.swapped)} "
                f"are swapped out, {len(queues.parked)} parked; {stats.num_free_blocks} of {stats.num_blocks} blocks"
                f"{slots if self.manager.has_states else ''} are free"
            )
        if any(sequence.in_flight and not sequence.drafted for sequence in flying):
            self.waits["owner"] += 1
        elif any(sequence.drafted for sequence in flying):
            self.waits["drafts"] += 1
        elif any(s.num_tokens < s.ends.max_length for s in flying):
            self.waits["token"] += 1
        elif len(self.sequences) > len(flying):  # else all end with what the step under way chooses: nothing waits
            self.waits["room"] += 1

    def assume(self, step: Step) -> None:
        """Takes a step for done that is under way: what it computes counts as computed, its tokens are pending.

        One step at a time may be assumed and not updated.
        """
        assert self._in_flight is None, f"step {step.number} would fly behind {self._in_flight}"
        self.manager.commit()
        self._in_flight = step.number
        sequences, quiet = self.sequences, step.quiet
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            if (sequence := sequences.get(id)) is not None and sequence.status is Status.RUNNING:
                drafts = step.drafts.get(id, ())
                sequence.num_computed_tokens = first + count - len(drafts)
                if id not in quiet and not (sequence.held or sequence.waits or drafts or id in step.masked):
                    sequence.num_pending_tokens = 1
        for sequence in self._holding.get(step.number, ()):
            sequence.in_flight = True

    def update(self, step: Step, results: Results) -> Progress:
        """Takes a step's results; those of sequences that have ended since are dropped."""
        holding = self._holding.pop(step.number, [])
        if self._in_flight == step.number:
            self._in_flight = None
        else:
            self.manager.commit()
            if holding or results.lengths is not None or results.draws != step.ids:  # else `_take_single_tokens` does
                self._count_computed(step)
        for sequence in holding:
            sequence.in_flight = sequence.drafted = False
        progress = Progress()
        if step.scored:
            self._take_scores(step, results, progress)
        for id, error in results.errors.items():
            failed = self.sequences.get(id)
            if failed is not None and not failed.held:
                self.finish(failed, "error", error)
                progress.moved.append((failed, ()))
        self._take_tokens(step, results, progress)
        for sequence in holding:
            if sequence.held and not sequence.ended:
                progress.held.append(sequence)
        return progress

    def _count_computed(self, step: Step) -> None:
        sequences, running = self.sequences, Status.RUNNING
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            if (sequence := sequences.get(id)) is not None and sequence.status is running:
                sequence.num_computed_tokens = first + count - len(step.drafts.get(id, ()))

    def _take_tokens(self, step: Step, results: Results, progress: Progress) -> None:
        if results.lengths is None:
            self._take_single_tokens(results, progress)
            return
        sequences, moved = self.sequences, progress.moved
        for id, tokens in results.runs():
            sequence = sequences.get(id)
            if sequence is None or sequence.held:
                continue
            taken = sequence.take(tokens)
            moved.append((sequence, tokens if taken == len(tokens) else tokens[:taken]))
            if id in step.drafts:
                if sequence.status is Status.RUNNING:  # drafts that held are computed, what follows is overwritten
                    lacks = self.drafter is not None and self.drafter.lags and taken > len(step.drafts[id])
                    sequence.num_computed_tokens = len(sequence.token_ids) - 1 - lacks
                if self.drafter is not None:
                    self.drafter.learn(sequence, len(step.drafts[id]), len(tokens) - 1)
            if sequence.finish_reason is not None:
                self._leave(sequence)
            elif sequence.status is not Status.RUNNING:
                self.sequence_table.resume(sequence)

    def _take_single_tokens(self, results: Results, progress: Progress) -> None:
        """`_take_tokens` of most steps, in the time that a step of a thousand sequences leaves for it.

        Who has drawn a token has computed all before it.
        """
        sequences, add, running = self.sequences, progress.moved.append, Status.RUNNING
        ended: list[Sequence] = []
        for id, token in zip(results.draws, results.tokens, strict=True):
            sequence = sequences.get(id)
            if sequence is None or sequence.held:
                continue
            ends, token_ids = sequence.ends, sequence.token_ids
            count = len(token_ids)
            if runs := sequence.status is running:
                sequence.num_computed_tokens = count
            if token in ends.stops or count + 1 >= ends.max_length:
                sequence.take([token])
                if sequence.finish_reason is not None:
                    ended.append(sequence)
            else:
                sequence.num_pending_tokens = 0
                token_ids.append(token)
            add((sequence, [token]))
            if not runs and sequence.finish_reason is None:
                self.sequence_table.resume(sequence)
        for sequence in ended:
            self._leave(sequence)

    def _take_scores(self, step: Step, results: Results, progress: Progress) -> None:
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            sequence = self.sequences.get(id)
            if id not in step.scored or id not in results.scores or sequence is None:
                continue
            done, asked, found = sequence.num_scored_tokens, step.scored[id], results.scores[id]
            again = min(max(0, done - asked.first), asked.count)
            if again:  # it was preempted and scheduled anew before the results of a step under way had come
                found = results.scores[id] = replace(
                    found, first=found.first + again, scores=found.scores[again:], logprobs=found.logprobs[again:]
                )
            sequence.num_scored_tokens = max(done, min(first + count + 1, len(sequence.token_ids)))
            if found.hidden is not None:
                behind = found.hidden.first + found.hidden.count
                sequence.num_hidden_tokens = max(sequence.num_hidden_tokens, behind)
            if again < asked.count or found.targets or found.candidates or found.hidden is not None:
                progress.scored.append(sequence)
            if (
                sequence.asks.draws is None
                and not sequence.held
                and sequence.num_scored_tokens >= len(sequence.token_ids)
            ):
                sequence.asks = NOTHING_MORE  # from here on it is like others

    def revert(self, step: Step) -> None:
        """Takes a step back that was not launched: it may be scheduled again, or its sequences finished.

        Its copies have been made. What it would have written is not found by anybody; sequences that it admitted,
        perhaps on blocks that it was to fill, are back in the queue. No token of an earlier step is pending: whose row
        is forgotten must not have its last token there alone.
        """
        assert self._in_flight is None and not any(s.num_pending_tokens for s in self.sequences.values())
        self.manager.revert()
        for sequence in self._holding.pop(step.number, ()):
            sequence.drafted = False
        assert self._plan is not None and self._plan.step.number == step.number, f"step {step.number} is not the last"
        for sequence in self._plan.admitted:
            if not sequence.ended:
                self.sequence_table.withdraw(sequence)
                if not sequence.num_output_tokens:
                    sequence.num_cached_tokens = None
        self._plan.admitted.clear()
        self.sequence_table.return_news(step)

    def drop_cache(self) -> None:
        """Takes every block back, after copies or a forward of unknown outcome: all sequences are computed again.

        Tokens that a step under way was to choose are given up, and chosen again.
        """
        self._plan, self._in_flight = None, None
        self._holding.clear()
        for sequence in list(self.sequence_table.queues):
            parked = sequence in self.sequence_table.queues.parked or sequence.idle
            parked = parked and not sequence.in_flight
            sequence.in_flight, sequence.drafted, sequence.num_pending_tokens = False, False, 0
            self.sequence_table.withdraw(sequence, parked=parked)
        self.manager.take_copies()
        self.manager.forget_cached()
        self.manager.commit()

    def reset(self, pins: Collection[str] = ()) -> None:
        """Forgets all sequences, whatever state they and the tables are in, and all that is cached but these pins."""
        self._plan, self._in_flight = None, None
        self._holding.clear()
        self.sequence_table.clear()
        self.manager.reset(pins)

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        self.manager.check()
        self.sequence_table.check()
        assert self.sequence_table.queues.num_slots <= self.limits.max_num_seqs
        holding = [sequence for sequences in self._holding.values() for sequence in sequences if not sequence.ended]
        assert all(each.held or each.waits or each.drafted for each in holding)

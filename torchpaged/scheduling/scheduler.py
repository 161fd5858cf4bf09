"""Scheduler: decides which sequences run in the next step, and how many of their tokens. Plain Python, no tensors.

It decides; the runner executes. A step is a value: `schedule` returns it, `update` takes its results. The scheduler
does not know what a sequence stands for, a request or one beam of it: add, fork, extend and finish are its whole
interface.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace
from typing import Any

from torchpaged.errors import EngineError
from torchpaged.kv_cache import CacheHint, CacheKeys, KVCacheManager
from torchpaged.kv_cache.block_hash import NO_KEYS
from torchpaged.media.items import PromptMedia
from torchpaged.scheduling.adapter_turns import AdapterTurns
from torchpaged.scheduling.drafter import Drafter
from torchpaged.scheduling.encoder_cache import EncoderCache
from torchpaged.scheduling.guide import Guide
from torchpaged.scheduling.limits import Limits
from torchpaged.scheduling.plan import StepPlan
from torchpaged.scheduling.prefill_budget import PrefillBudget
from torchpaged.scheduling.sequence import (
    NOTHING_MORE,
    EncoderInput,
    Finish,
    Origin,
    Sampling,
    SamplingRequest,
    Sequence,
    Status,
    StopRule,
)
from torchpaged.scheduling.sequence_table import SequenceTable
from torchpaged.scheduling.step import Results, RowParams, Step
from torchpaged.scheduling.step_builder import StepBuilder


@dataclass(slots=True)
class Progress:
    """The sequences of a step, by what happened to them.

    Args:
        moved: (sequence, its new tokens) of those that go on by themselves, or have ended with the last of them.
        held: those whose owner must extend, fork or finish them now.
        scored: those for which scores of known tokens have come.
    """

    moved: list[tuple[Sequence, Seq[int]]] = field(default_factory=list)
    held: list[Sequence] = field(default_factory=list)
    scored: list[Sequence] = field(default_factory=list)


class Scheduler:
    """Continuous batching.

    Order within a step: decodes, then prefills under way, then admissions: swapped sequences first, then the queue. A
    sequence that finds no blocks preempts the lowest in rank, which is swapped out, or recomputed later; so does a
    neighbour that needs memory. The queue is strictly in order.

    Steps may overlap: after `assume` the next step can be scheduled before `update` brings the results of the last.
    Sequences whose owner must decide are left out of it.

    Args:
        manager: the block manager; only this scheduler calls it.
        max_num_seqs, max_num_batched_tokens, max_model_len, enable_chunked_prefill: see `Limits`.
        long_prefill_token_threshold: most tokens of one sequence in a step; 0: no limit.
        policy: "fcfs" or "priority", see `Queues`.
        preemption_mode: see `SequenceTable`.
        watermark: the share of the blocks, 0 to 1, that admissions leave free for running sequences.
        drafter: chooses drafts; None: no speculation.
        max_step_ms: longest duration of a step with decodes, see `PrefillBudget`; None: no limit.
        adapter_turns: limits the adapters of a step; None: no sequence has one.
        max_encoder_tokens, encoder_cache_tokens: budget and capacity of `encoder_cache`; None: no prompt has images.
        keeps_media_whole, max_scored_tokens: see `Limits`.

    Attributes:
        encoder_cache: features of images and sounds; None: no prompt has any.
        num_cut_tokens: sampled tokens that were dropped because their text had ended before them.
        starved: the sequence that would run next, if the last step is empty because there is no memory for a block of
            it (`MemoryLimit`). The step may be scheduled again, or the sequence finished.
        waits: steps in which nothing could run, by what they waited for.

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
        adapter_turns: AdapterTurns | None = None,
        max_encoder_tokens: int | None = None,
        encoder_cache_tokens: int | None = None,
        keeps_media_whole: bool = False,
        max_scored_tokens: int | None = None,
        holds_media: bool = False,
    ) -> None:
        cap = min(long_prefill_token_threshold or max_num_batched_tokens, max_num_batched_tokens)
        self.limits = Limits(
            max_num_seqs,
            max_num_batched_tokens,
            max_model_len,
            cap,
            enable_chunked_prefill,
            keeps_media_whole,
            max_scored_tokens if enable_chunked_prefill else None,
            encoder_cache_tokens if holds_media else None,
        )
        self.manager = manager
        self.sequence_table = SequenceTable(manager, policy, preemption_mode, adapter_turns)
        self.encoder_cache: EncoderCache | None = None
        if max_encoder_tokens is not None:
            capacity = max_encoder_tokens if encoder_cache_tokens is None else encoder_cache_tokens
            sequences = self.sequence_table.sequences
            self.encoder_cache = EncoderCache(sequences, max_encoder_tokens, capacity, holds_all=holds_media)
        self.num_watermark_blocks = int(watermark * manager.pool.num_usable)
        self.num_steps = 0
        self.drafter = drafter
        self.prefill_budget = None if max_step_ms is None else PrefillBudget(max_step_ms)
        self.num_cut_tokens = 0
        self.starved: Sequence | None = None
        self.waits: Counter[str] = Counter()
        self._ids = itertools.count(1)
        self._arrivals = itertools.count(1)
        self._plan: StepPlan | None = None  # of the last scheduled step
        self._in_flight: int | None = None  # number of the step that was assumed and not updated yet
        self._holding: dict[int, list[Sequence]] = {}  # by step, `StepPlan.holding`

    @property
    def sequences(self) -> dict[int, Sequence]:
        """The unfinished sequences by id."""
        return self.sequence_table.sequences

    @property
    def adapter_turns(self) -> AdapterTurns | None:
        """`SequenceTable.adapter_turns`."""
        return self.sequence_table.adapter_turns

    @property
    def has_unfinished(self) -> bool:
        """True if there are unfinished sequences."""
        return bool(self.sequence_table.sequences)

    @property
    def max_tokens(self) -> int:
        """Length of the longest sequence, without its last token, that the pool can hold."""
        return self.limits.max_tokens(self.manager)

    def require_room(
        self,
        label: str,
        token_ids: Seq[int],
        *,
        num_given: int = 0,
        encoder: EncoderInput | None = None,
        generates: bool = True,
        media: PromptMedia | None = None,
    ) -> None:
        """`Limits.require_room`."""
        self.limits.require_room(self.manager, label, token_ids, num_given, encoder, generates=generates, media=media)

    # --- Sequences: add, fork, extend, finish --------------------------------------------------------------

    def new_id(self) -> int:
        """Return an id for a draw that may become a sequence."""
        return next(self._ids)

    def add(
        self,
        token_ids: Iterable[int],
        params: RowParams,
        stop_rule: StopRule,
        *,
        owner: int = 0,
        priority: int = 0,
        cache_keys: CacheKeys = NO_KEYS,
        encoder: EncoderInput | None = None,
        held: bool = False,
        wanted: SamplingRequest = NOTHING_MORE,
        num_slots: int = 1,
        score_only: bool = False,
        max_drafts: int | None = None,
        guide: Guide | None = None,
        prompt_embeds: Any = None,
        cache_hint: CacheHint | None = None,
        media: PromptMedia | None = None,
        id: int | None = None,
    ) -> Sequence:
        """Queue a sequence that `require_room` has accepted.

        Args:
            stop_rule: when it ends; its longest length is cut to the largest possible one.
            num_slots: number of sequences that will run when it has forked; it is admitted when there are slots for
                all.
            score_only: nothing is generated, so the last token needs no position.
            id: from `new_id`; None: a new one.
            owner, priority, cache_keys, encoder, prompt_embeds, cache_hint, media: see `Origin`.
            held, wanted, max_drafts: see `Sequence`.
            guide: see `Sampling`.

        Raises:
            EngineError: it has an adapter, and there are no turns for adapters; or images, and no cache for these.
        """
        if cache_keys.lora is not None and self.adapter_turns is None:
            raise EngineError(f"a sequence has adapter {cache_keys.lora:.12}, and the engine has none")
        if media is not None and self.encoder_cache is None:
            raise EngineError("a sequence has images or sounds, and the engine encodes none")
        possible = self.limits.longest(self.manager, encoder, score_only=score_only, media=media)
        longest = min(stop_rule.max_length, possible)
        prompt = list(token_ids)
        arrival = next(self._arrivals)
        sequence = Sequence(
            self.new_id() if id is None else id,
            Origin(owner, arrival, len(prompt), priority, cache_keys, encoder, prompt_embeds, cache_hint, media),
            prompt,
            Sampling(params, guide),
            StopRule(longest, stop_rule.stops, stop_rule.min_length),
            held=held,
            wanted=wanted,
            num_slots=num_slots,
            max_drafts=max_drafts,
        )
        self.sequence_table.enter(sequence)
        if self.manager.checkpoints is not None:
            self.manager.checkpoints.note(sequence, (running.id for running in self.sequence_table.queues.running))
        return sequence

    def fork(self, parent: Sequence, params: RowParams | None = None, *, id: int | None = None) -> Sequence:
        """Return a held sequence with the parent's tokens, which shares the parent's blocks until either writes.

        Args:
            params: parameters of its row; None: the parent's.
            id: from `new_id`; None: a new one.
        """
        child = parent.forked(self.new_id() if id is None else id, parent.sampling.params if params is None else params)
        has_slot = self.sequence_table.queues.num_slots < self.limits.max_num_seqs
        self.sequence_table.enter_fork(parent, child, has_slot=has_slot)
        return child

    def extend(
        self, sequence: Sequence, token_ids: Seq[int], *, held: bool = False, wanted: SamplingRequest = NOTHING_MORE
    ) -> int:
        """Give a held sequence its next tokens, and return how many it took: if it is not held any longer, it may end
        with them.

        Args:
            held: if it is held again when these are computed.
            wanted: results that their rows must give.
        """
        assert sequence.held and not sequence.in_flight, repr(sequence)
        sequence.held, sequence.wanted.request, sequence.quiet_until = held, wanted, 0
        if held:
            sequence.token_ids += token_ids
            taken = len(token_ids)
            assert len(sequence.token_ids) < sequence.stop_rule.max_length, (
                f"{sequence} has no room for these to be computed"
            )
        else:
            taken = sequence.take(token_ids)
        self.sequence_table.rows.extend(sequence.id, taken)
        if sequence.ended:
            self._leave(sequence)
        else:
            self.sequence_table.resume(sequence)
        return taken

    def finish(self, sequence: Sequence, why: str, error: str | None = None) -> None:
        """End a sequence in any state and free its blocks; does nothing if it has ended.

        Args:
            why: "stop", "abort" or "error". A sequence that ends in an error leaves nothing in the prefix cache.
            error: description of the error.
        """
        if not sequence.ended:
            sequence.finish = Finish(why, error=error)
            if self.sequences.get(sequence.id) is sequence:  # not forgotten by `reset`
                self._leave(sequence)

    def _leave(self, sequence: Sequence) -> None:
        self.sequence_table.leave(sequence)
        if self.drafter is not None:
            self.drafter.forget(sequence)

    def cut(self, sequence: Sequence, count: int) -> None:
        """Drop the last tokens of a run, because the owner has found that the text ends before them, and finishes the
        sequence.
        """
        if count:
            del sequence.token_ids[-count:]
            # As in every sequence that goes on, the last token is not computed.
            sequence.num_computed_tokens = min(sequence.num_computed_tokens, len(sequence.token_ids) - 1)
            self.num_cut_tokens += count

    def release_slots(self, sequence: Sequence) -> None:
        """Note that a sequence has forked, or never will: it takes one slot from now on."""
        self.sequence_table.queues.set_slots(sequence, 1)

    # --- A step --------------------------------------------------------------------------------------------

    def schedule(self) -> Step:
        """Return the next step.

        It computes at least one token, unless no sequence is unfinished, or all that could run wait for the results of
        a step in flight, for masks, for adapters, or for memory.

        Raises:
            EngineError: there are sequences and none can run, which admission rules out.
        """
        self.num_steps += 1
        if (tiers := self.manager.tiers) is not None:
            queues = self.sequence_table.queues
            may_share = self.limits.enable_chunked_prefill and not (queues.running or queues.waiting or queues.swapped)
            for id in tiers.advance(self.num_watermark_blocks + len(queues.running), may_share=may_share):
                self.sequence_table.end_load(id)
            for id, num_tokens in tiers.met():
                self.sequence_table.restart(id, num_tokens)
        plan = self._plan = StepPlan(self.num_steps, self.manager, self.sequence_table.rows)
        step = plan.step
        builder = StepBuilder(
            plan,
            self.manager,
            self.sequence_table,
            self.limits,
            self.num_watermark_blocks,
            self.prefill_budget,
            self.adapter_turns,
            self.encoder_cache,
        )
        if self.encoder_cache is not None:
            self.encoder_cache.begin()
        if (reclaimer := self.manager.reclaimer) is not None and reclaimer.excess:
            builder.shrink(reclaimer.excess)
            reclaimer.excess = 0
        if self.adapter_turns is None:
            self._fill(builder, step)
        else:
            self._fill_with_adapters(builder, step, self.adapter_turns)
        self.starved = None
        if not step.ids and self.sequences:  # raises if no step in flight can change that
            self._explain(builder.starved)
        elif self.drafter is not None and not step.num_preempted:
            builder.draft(self.drafter)
        if self.prefill_budget is not None:
            self.prefill_budget.num_cut += builder.is_cut
        if plan.holding:
            self._holding[step.number] = plan.holding
        step.copies = self.manager.take_copies()
        if tiers is not None:
            step.evicted, step.tier_reads = tiers.take_evicted(), tiers.take_reads()
        if self.encoder_cache is not None:
            self.encoder_cache.end(step)
        self.sequence_table.rows.take_changes(step)
        return step

    def _fill(self, builder: StepBuilder, step: Step) -> None:
        """Schedule what can run."""
        budget = builder.continue_running(self.limits.max_num_batched_tokens)
        if not step.num_preempted and builder.starved is None:  # else running sequences need the blocks
            builder.admit(budget)
        if not step.ids and step.num_preempted and builder.starved is None:
            if self.encoder_cache is not None:  # what they held may have made room for other images
                builder.continue_running(self.limits.max_num_batched_tokens)
            if not step.ids and builder.starved is None:
                # They made room for no running sequence: idle ones hold the blocks, and admission preempts them.
                builder.admit(self.limits.max_num_batched_tokens)

    def _fill_with_adapters(self, builder: StepBuilder, step: Step, turns: AdapterTurns) -> None:
        """Schedule what can run with the adapters whose turn it is; if nothing can, those in line have theirs."""
        builder.choose_adapters(turns)
        self._fill(builder, step)
        if not turns.is_crowded:
            return
        for _ in range(turns.num_present):
            turns.end({self.sequences[id].adapter for id in step.ids})
            if step.ids or builder.starved is not None or not builder.choose_adapters(turns):
                return
            self._fill(builder, step)

    def _explain(self, starved: Sequence | None) -> None:
        """Count why nothing can run before the results of a step in flight. Raises EngineError if there is none.

        The step waits for the owner of a sequence to decide, for the number of accepted drafts, for the pending token
        of a preempted sequence, or for the blocks of sequences that end with the step in flight; or else for a mask,
        for an adapter that is being read, for a prefix from the store below the pools, or for memory.

        Args:
            starved: the running sequence that waits for memory, if there is one.
        """
        if any(sequence.delayed for sequence in self.sequence_table.guided.values()):
            self.waits["mask"] += 1
            return
        if self.adapter_turns is not None and self.adapter_turns.unread:
            self.waits["adapter"] += 1
            return
        if self.sequence_table.queues.loading:
            self.waits["prefix"] += 1
            return
        in_flight = [s for s in self.sequences.values() if s.in_flight or s.num_pending_tokens]
        if not in_flight:
            queues, stats = self.sequence_table.queues, self.manager.stats()
            first = starved or next(iter((*queues.swapped, *queues.waiting)), None)
            if first is not None and self.manager.is_short_of_memory:
                self.starved = first
                self.waits["memory"] += 1
                return
            slots = f", {stats.num_free_state_slots} of {stats.num_state_slots} state slots"
            raise EngineError(
                f"no sequence can run: {len(queues.waiting)} wait, {len(queues.running)} run, {len(queues.swapped)} "
                f"are swapped out, {len(queues.parked)} parked; {stats.num_free_blocks} of {stats.num_blocks} blocks"
                f"{slots if self.manager.has_states else ''} are free"
            )
        if any(sequence.in_flight and not sequence.drafting.scheduled for sequence in in_flight):
            self.waits["owner"] += 1
        elif any(sequence.drafting.scheduled for sequence in in_flight):
            self.waits["drafts"] += 1
        elif any(s.num_tokens < s.stop_rule.max_length for s in in_flight):
            self.waits["token"] += 1
        elif len(self.sequences) > len(in_flight):  # else all sequences end with the step in flight: nothing waits
            self.waits["room"] += 1

    def assume(self, step: Step) -> None:
        """Treat a launched step as done: what it computes counts as computed, and its tokens are pending.

        Only one step at a time may be assumed and not updated.
        """
        assert self._in_flight is None, f"step {step.number} is assumed while step {self._in_flight} is in flight"
        self.manager.commit()
        self._in_flight = step.number
        sequences, quiet = self.sequences, step.quiet
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            if (sequence := sequences.get(id)) is not None and sequence.status is Status.RUNNING:
                if first < sequence.quiet_until:  # a plain decode, as most are
                    sequence.num_computed_tokens = first + count
                    sequence.num_pending_tokens = 1
                    continue
                drafts = step.drafts.get(id, ())
                sequence.num_computed_tokens = first + count - len(drafts)
                if not (id in quiet or drafts or sequence.held or sequence.sampling.needs_tokens):
                    sequence.num_pending_tokens = 1
        for sequence in self._holding.get(step.number, ()):
            sequence.in_flight = True

    def update(self, step: Step, results: Results) -> Progress:
        """Process a step's results; those of sequences that have ended since are dropped."""
        holding = self._holding.pop(step.number, [])
        if self._in_flight == step.number:
            self._in_flight = None
        else:
            self.manager.commit()
            # Otherwise `_take_single_tokens` does it.
            if holding or results.lengths is not None or results.draws != step.ids:
                self._count_computed(step)
        for sequence in holding:
            sequence.in_flight = sequence.drafting.scheduled = False
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
                if sequence.status is Status.RUNNING:  # accepted drafts are computed; what follows is overwritten
                    lacks = self.drafter is not None and self.drafter.lags and taken > len(step.drafts[id])
                    sequence.num_computed_tokens = len(sequence.token_ids) - 1 - lacks
                if self.drafter is not None:
                    self.drafter.learn(sequence, len(step.drafts[id]), len(tokens) - 1)
            if sequence.finish is not None:
                self._leave(sequence)
            elif sequence.status is not Status.RUNNING:
                self.sequence_table.resume(sequence)

    def _take_single_tokens(self, results: Results, progress: Progress) -> None:
        """`_take_tokens` for most steps: fast, because a step of a thousand sequences leaves little time for it.

        A sequence of which a token was sampled has computed all tokens before it.
        """
        sequences, add, running = self.sequences, progress.moved.append, Status.RUNNING
        ended: list[Sequence] = []
        for id, token in zip(results.draws, results.tokens, strict=True):
            sequence = sequences.get(id)
            if sequence is None or sequence.held:
                continue
            rule, token_ids = sequence.stop_rule, sequence.token_ids
            count = len(token_ids)
            if runs := sequence.status is running:
                sequence.num_computed_tokens = count
            if token in rule.stops or count + 1 >= rule.max_length:
                sequence.take([token])
                if sequence.finish is not None:
                    ended.append(sequence)
            else:
                sequence.num_pending_tokens = 0
                token_ids.append(token)
            add((sequence, [token]))
            if not runs and sequence.finish is None:
                self.sequence_table.resume(sequence)
        for sequence in ended:
            self._leave(sequence)

    def _take_scores(self, step: Step, results: Results, progress: Progress) -> None:
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            sequence = self.sequences.get(id)
            if id not in step.scored or id not in results.scores or sequence is None:
                continue
            wanted, asked, found = sequence.wanted, step.scored[id], results.scores[id]
            done = wanted.num_scored_tokens
            again = min(max(0, done - asked.first), asked.count)
            if again:  # it was preempted and scheduled again before the results of a step in flight had come
                found = results.scores[id] = replace(
                    found, first=found.first + again, scores=found.scores[again:], logprobs=found.logprobs[again:]
                )
            wanted.num_scored_tokens = max(done, min(first + count + 1, len(sequence.token_ids)))
            if found.hidden is not None:
                behind = found.hidden.first + found.hidden.count
                wanted.num_hidden_tokens = max(wanted.num_hidden_tokens, behind)
            if again < asked.count or found.targets or found.candidates or found.hidden is not None:
                progress.scored.append(sequence)
            all_scored = wanted.num_scored_tokens >= len(sequence.token_ids)
            if wanted.request.draws is None and not sequence.held and all_scored:
                wanted.request = NOTHING_MORE  # from here on it is a plain decode

    def revert(self, step: Step) -> None:
        """Take back a step that was not launched: it may be scheduled again, or its sequences finished.

        Its copies have been made. The blocks that it would have written are not in the prefix cache; sequences that it
        admitted, perhaps on such blocks, are back in the queue. No token of an earlier step may be pending, because a
        dropped row would have been the only place that holds it.
        """
        assert self._in_flight is None and not any(s.num_pending_tokens for s in self.sequences.values())
        self.manager.revert()
        if self.encoder_cache is not None:
            self.encoder_cache.revert(step)
        if self.manager.tiers is not None:
            self.manager.tiers.revert(step.tier_reads)
        for sequence in self._holding.pop(step.number, ()):
            sequence.drafting.scheduled = False
        assert self._plan is not None and self._plan.step.number == step.number, f"step {step.number} is not the last"
        for sequence in self._plan.admitted:
            if not sequence.ended:
                self.sequence_table.withdraw(sequence)
                if not sequence.num_output_tokens:
                    sequence.admission.num_cached_tokens = None
        self._plan.admitted.clear()
        self.sequence_table.return_changes(step)

    def drop_cache(self) -> None:
        """Free every block, after copies or a forward of unknown outcome: all sequences are computed again.

        Tokens that a step in flight was to sample are sampled again.
        """
        self._plan, self._in_flight = None, None
        self._holding.clear()
        if self.encoder_cache is not None:
            self.encoder_cache.clear()
        for sequence in list(self.sequence_table.queues):
            parked = sequence in self.sequence_table.queues.parked or sequence.idle
            parked = parked and not sequence.in_flight
            sequence.in_flight, sequence.drafting.scheduled, sequence.num_pending_tokens = False, False, 0
            self.sequence_table.withdraw(sequence, parked=parked)
        self.manager.take_copies()
        if self.manager.tiers is not None:
            self.manager.tiers.drop_all()
        self.manager.forget_cached()
        self.manager.commit()

    def set_apart(self) -> None:
        """Keep the blocks of all sequences, which were computed with other weights, and let no other find them.

        Features of images that a sequence still needs are computed again, with the new weights.
        """
        self.manager.set_apart()
        if self.encoder_cache is not None:
            self.encoder_cache.clear()

    def reset(self, pins: Collection[str] = ()) -> None:
        """Forget all sequences and all cached blocks but those of the given pins, whatever state the tables are in."""
        self._plan, self._in_flight = None, None
        self._holding.clear()
        self.sequence_table.clear()
        if self.encoder_cache is not None:
            self.encoder_cache.clear()
        self.manager.reset(pins)

    def check(self) -> None:
        """Assert the invariants, between steps."""
        self.manager.check()
        self.sequence_table.check()
        if self.encoder_cache is not None:
            self.encoder_cache.check()
        assert self.sequence_table.queues.num_slots <= self.limits.max_num_seqs
        holding = [sequence for sequences in self._holding.values() for sequence in sequences if not sequence.ended]
        assert all(each.held or each.sampling.needs_tokens or each.drafting.scheduled for each in holding)

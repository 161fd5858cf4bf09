"""StepBuilder: chooses the sequences of one step and gets their blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from torchpaged.kv_cache import KVCacheBlocks, KVCacheManager
from torchpaged.scheduling.adapter_turns import AdapterTurns
from torchpaged.scheduling.drafter import Candidate, Drafter
from torchpaged.scheduling.encoder_cache import EncoderCache
from torchpaged.scheduling.limits import Limits
from torchpaged.scheduling.plan import StepPlan, most_cached, next_score
from torchpaged.scheduling.prefill_budget import PrefillBudget, Share
from torchpaged.scheduling.sequence import NOTHING_MORE, Sequence, Status
from torchpaged.scheduling.sequence_table import SequenceTable

_T = TypeVar("_T")

# Most waiting sequences that are searched for a common beginning: the lookup must not make a step long.
_MOST_LOOKED_AT = 64
# Most tokens of waiting sequences whose blocks are looked up in the store in a step, beside those of the first.
_MOST_LOOKED_UP = 32768


class StepBuilder:
    """Fills a plan: running sequences first, then waiting ones, as far as tokens, slots and blocks go.

    A sequence that finds no blocks preempts the lowest in rank.

    Args:
        plan: the step's plan.
        manager: grants blocks.
        sequence_table: the sequences and their queues.
        limits: on a step.
        num_watermark_blocks: number of blocks that admissions leave free for running sequences.
        prefill_budget: limits prompts beside decodes; None: as much of them as fits.
        adapter_turns: limits the adapters of a step; None: no sequence has one.
        encoder_cache: limits the images and sounds that a step encodes; None: no sequence has one.

    Attributes:
        starved: the only running sequence, if it needs a block for which the limit on memory leaves no room.
    """

    def __init__(
        self,
        plan: StepPlan,
        manager: KVCacheManager,
        sequence_table: SequenceTable,
        limits: Limits,
        num_watermark_blocks: int,
        prefill_budget: PrefillBudget | None = None,
        adapter_turns: AdapterTurns | None = None,
        encoder_cache: EncoderCache | None = None,
    ) -> None:
        self.plan = plan
        self._manager, self._sequence_table, self._limits = manager, sequence_table, limits
        self._num_watermark_blocks, self._prefill_budget = num_watermark_blocks, prefill_budget
        self._turns, self._encoder_cache = adapter_turns, encoder_cache
        self._share: Share | None = None  # the part of the step's time for prompts; None: no decode waits for its end
        self._scored_left: int | None = None  # of `max_scored_tokens`; None: no decode waits for the step's end
        self.starved: Sequence | None = None

    @property
    def is_cut(self) -> bool:
        """True if prompts got fewer tokens than without the limit on the step's time."""
        return self._share is not None and self._share.cut

    def shrink(self, excess: int) -> None:
        """Preempt the lowest in rank until their blocks have so many bytes; the highest goes on in any case.

        Their blocks are free then, so that their memory can be given back after the step.
        """
        running = self._sequence_table.queues.running
        while excess > 0 and len(running) > 1:
            victim = self._victim(running[0])
            excess -= self._manager.num_own_bytes(victim)
            self._preempt(victim)

    def choose_adapters(self, turns: AdapterTurns) -> bool:
        """Choose the adapters that the step serves; return False if these are still the same."""
        if not turns.is_crowded:
            return turns.begin()
        queues, limits = self._sequence_table.queues, self._limits
        wanting: dict[str, None] = {}
        in_flight: set[str] = set()
        for sequence in queues.running:
            if (adapter := sequence.adapter) is None:
                continue
            if sequence.in_flight:
                in_flight.add(adapter)
            elif not _may_go_on(sequence):
                continue
            wanting[adapter] = None
        # Of the queue, sequences for which there are slots want to run. If nothing else does, idle sequences give way.
        num_slots = queues.num_slots
        behind: list[str] = []
        for place, sequence in enumerate((queues.swapped or queues.waiting)[:_MOST_LOOKED_AT]):
            num_slots += sequence.admission.num_slots
            if (adapter := sequence.adapter) is None:
                continue
            if (num_slots <= limits.max_num_seqs and not (place and turns.is_queue_stuck)) or not (place or wanting):
                wanting[adapter] = None
            else:
                behind.append(adapter)
        return turns.begin(wanting, behind, in_flight)

    def _serves(self, sequence: Sequence) -> bool:
        return self._turns is None or self._turns.serves(sequence.adapter)

    def _continuing(self) -> Iterable[Sequence]:
        """Return the running sequences that the step serves."""
        running = self._sequence_table.queues.running
        if self._turns is None or self._turns.serves_all:
            return running  # a preemption shortens the list from its end
        return [sequence for sequence in running if self._turns.serves(sequence.adapter)]

    def continue_running(self, budget: int) -> int:
        """Schedule the running sequences, decodes first, and return the rest of the budget."""
        step, limits = self.plan.step, self._limits
        add_id, add_first, add_count = step.ids.append, step.firsts.append, step.counts.append
        prefills = []
        for sequence in self._continuing():
            first = sequence.num_computed_tokens
            if first < sequence.quiet_until:
                if budget <= 0:
                    break
                add_id(sequence.id)
                add_first(first)
                add_count(1)
                budget -= 1
                continue
            if sequence.delayed or sequence.status is not Status.RUNNING:  # or it was preempted in this step
                continue
            left = sequence.num_uncomputed_tokens
            if left != 1:
                if left:
                    prefills.append(sequence)
                continue
            if sequence.num_pending_tokens and sequence.num_tokens >= sequence.stop_rule.max_length:
                continue
            if budget <= 0:
                break
            if sequence.origin.media is not None and not self._with_media(sequence, first, 1, budget):
                prefills.append(sequence)  # the image at the prompt's end must be whole, or be encoded first
                continue
            budget -= self._grow(sequence, 1)
        if step.ids:
            self._scored_left = limits.max_scored_tokens
            if self._prefill_budget is not None:
                self._share = self._prefill_budget.share(step)
        waits = False
        for sequence in prefills:
            if budget <= 0:
                break
            if sequence.status is Status.RUNNING:  # not preempted meanwhile
                first = sequence.num_computed_tokens
                count = min(sequence.num_uncomputed_tokens, limits.max_tokens_per_sequence, budget)
                count = self._beside_load(sequence, first, count)
                if (count := self._few_scored(sequence, first, count, least=0)) == 0:
                    continue  # those before it in rank have had the step's share
                if (count := self._in_time(first, count)) == 0:
                    return 0
                if (count := self._with_media(sequence, first, count, budget)) == 0:
                    waits = True
                    continue
                self._took(first, self._grow(sequence, count))
                budget = limits.max_num_batched_tokens - step.num_tokens
        return 0 if waits else budget  # what is admitted could keep it waiting

    def _with_media(self, sequence: Sequence, first: int, count: int, budget: int, *, whole: bool = False) -> int:
        """Return how many of a sequence's tokens from `first` on a step can compute, at most `count`.

        A step ends before an image or sound that it has no room to encode. One that must be computed whole may make it
        longer, up to the budget, or ends it before.

        Args:
            whole: the tokens are computed all or not at all.
        """
        media = sequence.origin.media
        if media is None or self._encoder_cache is None:
            return count
        if self._limits.keeps_media_whole and (cut := media.run_around(first + count)) is not None:
            begin, end = cut
            count = end - first if begin <= first else begin - first
            if count > budget:
                return 0
        most = self._encoder_cache.room(sequence, first, count, whole=whole)
        if most < count:
            self._encoder_cache.note_full()
        return most

    def _smaller(self, sequence: Sequence, first: int, count: int) -> int:
        """Return the size of half a part, or of the one before the image that it would divide; 0: there is none."""
        if count < 2 or not self._limits.enable_chunked_prefill:
            return 0
        half, media = (count + 1) // 2, sequence.origin.media
        if media is not None and self._limits.keeps_media_whole and (cut := media.run_around(first + half)) is not None:
            begin, end = (place - first for place in cut)
            return end if end < count else max(0, begin)
        return half

    def _take_up(self, sequence: Sequence, count: int, added: tuple[list[int], ...]) -> None:
        """Add a sequence that got its blocks to the step."""
        if self._encoder_cache is not None and sequence.origin.media is not None:
            self._encoder_cache.take(sequence, sequence.num_computed_tokens, count, self.plan.step)
        if self._scored_left is not None and (wanted := next_score(sequence)) is not None:
            first = sequence.num_computed_tokens
            self._scored_left = max(0, self._scored_left - max(0, first + count - max(wanted - 1, first)))
        self.plan.take_up(sequence, count, added)

    def _in_time(self, first: int, count: int) -> int:
        """Return how many of a prompt's tokens fit into the step's time; 0: none, and none of another prompt either."""
        return count if self._share is None or count <= 1 else self._share.most(first, count)

    def _beside_load(self, sequence: Sequence, first: int, count: int) -> int:
        """Return how many of a prompt's tokens to compute, if a load brings those behind them."""
        tiers = self._manager.tiers
        most = None if tiers is None else tiers.most_tokens(sequence, first)
        return count if most is None else max(1, min(count, most))

    def _few_scored(self, sequence: Sequence, first: int, count: int, *, least: int = 1) -> int:
        """Return how many of a prompt's tokens to compute beside decodes, which wait longer for those with logprobs."""
        if self._scored_left is None or (wanted := next_score(sequence)) is None:
            return count
        return max(least, min(count, max(0, wanted - 1 - first) + self._scored_left))

    def _took(self, first: int, count: int) -> None:
        if self._share is not None and count:
            self._share.take(first, count)

    def _grow(self, sequence: Sequence, count: int) -> int:
        """Schedule a running sequence, preempting others if necessary; return its tokens, 0 if it was itself
        preempted.
        """
        while (added := self._manager.allocate_slots(sequence, count)) is None:
            if (tiers := self._manager.tiers) is not None and tiers.give_way():
                continue
            victim = self._victim(sequence)
            smaller = self._smaller(sequence, sequence.num_computed_tokens, count) if victim is sequence else 0
            if smaller:
                count = smaller  # it may fit, because it frees blocks that leave the window
                continue
            running = self._sequence_table.queues.running
            if victim is sequence and len(running) == 1 and self._manager.is_short_of_memory:
                # It has the pool to itself, so it would be computed again up to the same token, forever.
                self.starved = sequence
                return 0
            self._preempt(victim)
            if victim is sequence:
                return 0
        self._take_up(sequence, count, added)
        return count

    def _victim(self, sequence: Sequence) -> Sequence:
        """Return the sequence to preempt: the lowest in rank, but rather one that cannot run anyway."""
        running = self._sequence_table.queues.running
        idle = (other for other in reversed(running) if other.idle and other is not sequence)
        return next(idle, running[-1])

    def _preempt(self, sequence: Sequence) -> None:
        self.plan.remove(sequence)  # a decode may be in the step already when an older prefill needs its blocks
        self._sequence_table.preempt(sequence)
        if self._encoder_cache is not None:
            self._encoder_cache.release(sequence)
        self.plan.step.num_preempted += 1

    def admit(self, budget: int) -> None:
        """Admit swapped and waiting sequences, in this order."""
        queues = self._sequence_table.queues
        if not self.plan.step.ids:  # the decodes that would have waited were preempted
            self._share = self._scored_left = None
        while queues.swapped and budget > 0 and self._is_next(sequence := queues.swapped[0]):
            # The runner would not know its last token, or there is no mask for the next one.
            if sequence.num_pending_tokens or sequence.delayed:
                return
            first = sequence.num_computed_tokens
            count = min(sequence.num_uncomputed_tokens, budget, self._limits.max_tokens_per_sequence)
            count = self._few_scored(sequence, first, count)
            if (count := self._in_time(first, count)) == 0:
                return
            if (count := self._with_media(sequence, first, count, budget)) == 0:
                return
            self._note_room(found := self._bring_back(sequence, count))
            if not found:
                return
            if sequence.status is Status.RUNNING:
                self._took(first, count)
                budget -= count
        num_looked_up = 0  # tokens
        while queues.waiting and not queues.swapped and budget > 0 and self._is_next(sequence := queues.waiting[0]):
            if sequence.num_pending_tokens or sequence.delayed:
                return
            limit = most_cached(sequence)
            computed, _ = self._manager.get_computed_blocks(sequence, limit)
            if (tiers := self._manager.tiers) is not None and not tiers.knows(sequence):
                num_looking = queues.num_slots + sum(each.admission.num_slots for each in queues.loading)
                num_looked_up += len(sequence.token_ids)
                if num_looking + sequence.admission.num_slots > self._limits.max_num_seqs and queues.loading:
                    return
                if num_looked_up > _MOST_LOOKED_UP and num_looked_up > len(sequence.token_ids):
                    return
                if tiers.begin(sequence, limit, computed.num_tokens):
                    self._sequence_table.load(sequence)
                    continue
            computed = self._without_cut(sequence, computed)
            if (checkpoints := self._manager.checkpoints) is not None:
                if checkpoints.are_coming(sequence, computed.num_tokens, limit, self.plan.step.ids):
                    return
                behind = queues.waiting[1 : 1 + _MOST_LOOKED_AT]
                computed = checkpoints.with_branches(sequence, computed, behind)
            count, added = self._place(sequence, computed, budget)
            if added is None and computed.beginning:
                computed = computed.whole_blocks(self._manager.block_size)
                count, added = self._place(sequence, computed, budget)
            self._note_room(added is not None)
            if added is None:
                return
            sequence.num_computed_tokens = computed.num_tokens
            if sequence.admission.num_cached_tokens is None:
                sequence.admission.num_cached_tokens = computed.num_tokens
            self._sequence_table.run(sequence)
            self.plan.admitted.append(sequence)
            self._take_up(sequence, count, added)
            self._took(computed.num_tokens, count)
            budget -= count

    def draft(self, drafter: Drafter) -> None:
        """Add drafts after decodes with the rest of the step's tokens. Drafts never preempt a sequence."""
        step, limits = self.plan.step, self._limits
        if (budget := limits.max_num_batched_tokens - step.num_tokens) < 1:
            return
        candidates = []
        sequences, most = self._sequence_table.sequences, limits.max_tokens_per_sequence - 1
        for place, (id, first, count) in enumerate(zip(step.ids, step.firsts, step.counts, strict=True)):
            sequence = sequences[id]
            # With a draft model the last accepted draft is computed once more: the two count as one token.
            if count > 1 + drafter.lags or first + count != sequence.num_tokens or sequence.drafting.limit == 0:
                continue
            if sequence.held or sequence.wanted.request is not NOTHING_MORE:
                continue
            # One token is sampled after the last draft, so drafts end one before the longest length.
            limit = min(most + 1 - count, sequence.stop_rule.max_length - sequence.num_tokens - 1)
            own = sequence.drafting.limit
            candidates.append(Candidate(place, sequence, limit if own is None else min(limit, own)))
        # Drafts leave a block of each group for every running sequence.
        reserved = self._num_watermark_blocks + len(self._sequence_table.queues.running) * len(self._manager.groups)
        for each in drafter.select(candidates, step.num_tokens, budget):
            sequence = each.sequence
            count, added = self._manager.look_ahead(
                sequence, sequence.num_tokens, len(each.drafts), num_reserved_blocks=reserved
            )
            if count:
                self.plan.add_drafts(each.place, sequence, each.drafts[:count], added)

    def _without_cut(self, sequence: Sequence, computed: KVCacheBlocks) -> KVCacheBlocks:
        """Return a hit, or the longest that does not end inside an image that must be computed whole."""
        media = sequence.origin.media
        if media is not None and self._limits.keeps_media_whole:
            while (cut := media.run_around(computed.num_tokens)) is not None:
                computed, _ = self._manager.get_computed_blocks(sequence, cut[0])
        return computed

    def _place(
        self, sequence: Sequence, computed: KVCacheBlocks, budget: int
    ) -> tuple[int, tuple[list[int], ...] | None]:
        """Return (number of tokens to compute, blocks) for a waiting sequence; no blocks: it waits."""
        running = self._sequence_table.queues.running

        def allocate() -> tuple[list[int], ...] | None:
            reserved = self._num_watermark_blocks if running else 0
            return self._manager.allocate_slots(sequence, count, computed=computed, num_reserved_blocks=reserved)

        first = computed.num_tokens
        count = self._limits.first_chunk(sequence.num_tokens - first, budget)
        count = self._beside_load(sequence, first, count)
        if count:
            count = self._few_scored(sequence, first, count)
        count = self._in_time(first, count)
        if count:
            whole = not self._limits.enable_chunked_prefill
            count = self._with_media(sequence, first, count, budget, whole=whole)
        added = self._make_room(sequence, allocate) if count else None
        while added is None and not running and not computed.beginning:
            if not (smaller := self._smaller(sequence, first, count)):
                break
            count = smaller
            added = self._make_room(sequence, allocate)
        return count, added

    def _bring_back(self, sequence: Sequence, count: int) -> bool:
        """Swap in the first swapped sequence, or queue it to be recomputed; return False if there is no room now."""
        running, others = self._sequence_table.queues.running, bool(self.plan.step.ids)
        if self._make_room(sequence, partial(self._manager.swap_in, sequence, num_new_tokens=count)) is None:
            if others or running:
                return False
            # The pool is empty, so it fits if it is computed again, in parts if necessary.
            self._sequence_table.withdraw(sequence)
            return True
        self._sequence_table.run(sequence)
        added = self._make_room(sequence, partial(self._manager.allocate_slots, sequence, count))
        if added is None:  # it shares its last block, and there was no block for a copy of that
            if others or len(running) > 1:
                self._preempt(sequence)
                return False
            self._sequence_table.withdraw(sequence)
            return True
        self._take_up(sequence, count, added)
        return True

    def _make_room(self, sequence: Sequence, take: Callable[[], _T | None]) -> _T | None:
        """Return the blocks that `take` grants a sequence.

        If nothing else can run, idle sequences are preempted for them, and loads release their blocks, its own last.
        """
        while (taken := take()) is None:
            if not self._end_load(sequence) and not self._preempt_idle():
                return None
        return taken

    def _end_load(self, sequence: Sequence) -> bool:
        tiers = self._manager.tiers
        if tiers is None or self.plan.step.ids or self._sequence_table.queues.loading:
            return False
        return tiers.give_way(sequence.id)

    def _note_room(self, found: bool) -> None:
        """Note if the first of a queue found blocks."""
        if self._turns is not None:
            self._turns.is_queue_stuck = not found

    def _is_next(self, sequence: Sequence) -> bool:
        """Return True if the step serves the first sequence of a queue, and there are slots for it."""
        return self._serves(sequence) and self._find_slots(sequence)

    def _find_slots(self, sequence: Sequence) -> bool:
        """Return True if there are slots for a sequence and its future forks; may preempt idle sequences."""
        while self._sequence_table.queues.num_slots + sequence.admission.num_slots > self._limits.max_num_seqs:
            if not self._preempt_idle():
                return False
        return True

    def _preempt_idle(self) -> bool:
        """Preempt a sequence that waits for its owner; return False if other sequences can run or there is none."""
        idle = next((sequence for sequence in reversed(self._sequence_table.queues.running) if sequence.idle), None)
        if self.plan.step.ids or idle is None:
            return False
        self._preempt(idle)
        return True


def _may_go_on(sequence: Sequence) -> bool:
    """Return True if a step can compute tokens of a running sequence, if there are blocks."""
    if sequence.num_computed_tokens < sequence.quiet_until:
        return True
    if sequence.delayed or not sequence.num_uncomputed_tokens:
        return False
    return not sequence.num_pending_tokens or sequence.num_tokens < sequence.stop_rule.max_length

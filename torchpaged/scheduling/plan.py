"""StepPlan: a step in the making: who takes part, and all that must be said of them."""

from __future__ import annotations

from collections.abc import Sequence as Seq

from torchpaged.kv_cache import KVCacheManager
from torchpaged.scheduling.sequence import NOTHING_MORE, Sequence
from torchpaged.scheduling.step import HiddenRows, NewSequence, Scored, Step


class StepPlan:
    """Writes sequences' shares into a step's columns.

    Args:
        number: of the step.
        manager: has the sequences' tables.

    Attributes:
        holding: sequences whose last token the step computes, and of which none can be computed ahead of its results:
            held ones, whose owners decide then, those whose tokens are read or masked, and those with drafts, of
            which nobody knows yet how many hold.
        admitted: sequences that came from the queue.
    """

    def __init__(self, number: int, manager: KVCacheManager) -> None:
        self.step = Step(number)
        self.holding: list[Sequence] = []
        self.admitted: list[Sequence] = []
        self._manager = manager

    def take_up(self, sequence: Sequence, count: int, added: tuple[list[int], ...]) -> None:
        """Writes a sequence's share down.

        Args:
            count: tokens to compute.
            added: blocks that its tables got for them, by group.
        """
        step, id, first = self.step, sequence.id, sequence.num_computed_tokens
        step.ids.append(id)
        step.firsts.append(first)
        step.counts.append(count)
        replaced = self._manager.take_changes(sequence)
        if sequence.known:
            self._tell(sequence, added, replaced)
        else:
            step.new[id] = self._introduced(sequence)
            sequence.known = True
        sequence.num_untold_tokens = 0
        reaches = first + count == sequence.num_tokens
        if sequence.held or sequence.waits or sequence.asks is not NOTHING_MORE:
            sequence.quiet_until = 0
            self._ask(sequence, first, count, reaches)
            return
        if reaches:  # from here on it is decoded, one token after the other
            sequence.quiet_until = min(self._manager.quiet_until(sequence), sequence.ends.max_length - 1)
        else:
            sequence.quiet_until = 0
            step.quiet.add(id)

    def add_drafts(self, place: int, sequence: Sequence, drafts: Seq[int], added: tuple[list[int], ...]) -> None:
        """Writes drafts behind a sequence's share, which ends with its last token.

        Args:
            place: in the step's columns.
            added: blocks that its tables got for them, by group.
        """
        step, id = self.step, sequence.id
        step.counts[place] += len(drafts)
        step.drafts[id] = tuple(drafts)
        self._tell_tables(sequence, added)
        sequence.quiet_until = 0
        sequence.drafted = True
        if not sequence.waits:  # else it is among them
            self.holding.append(sequence)

    def remove(self, sequence: Sequence) -> None:
        """Takes a sequence out again that somebody else needs the place of."""
        if sequence.id in self.step.ids:
            sequence.known = sequence.id not in self.step.new
            self.step.remove(sequence.id)
            self.holding = [other for other in self.holding if other is not sequence]

    def _introduced(self, sequence: Sequence) -> NewSequence:
        encoder = sequence.encoder
        return NewSequence(
            sequence.id,
            tuple(sequence.token_ids),
            sequence.num_prompt_tokens,
            sequence.params,
            self._manager.block_ids(sequence),
            None if encoder is None else encoder.data,
            sequence.num_encoder_tokens,
            sequence.prompt_embeds,
        )

    def _tell(self, sequence: Sequence, added: tuple[list[int], ...], replaced: list[tuple[int, int, int]]) -> None:
        """What is news of a sequence that has a row."""
        step, id = self.step, sequence.id
        self._tell_tables(sequence, added)
        step.tables += [(id, group, index, (block,)) for group, index, block in replaced]
        if untold := sequence.num_untold_tokens:
            first = len(sequence.token_ids) - untold
            step.known[id] = (first, tuple(sequence.token_ids[first:]))

    def _tell_tables(self, sequence: Sequence, added: tuple[list[int], ...]) -> None:
        if any(added):
            lengths = self._manager.table_lengths(sequence)
            for group, blocks in enumerate(added):
                if blocks:
                    self.step.tables.append((sequence.id, group, lengths[group] - len(blocks), tuple(blocks)))

    def _ask(self, sequence: Sequence, first: int, count: int, reaches: bool) -> None:
        """What is wanted of the rows of a sequence that is not like others."""
        step, id, asks = self.step, sequence.id, sequence.asks
        if reaches and (sequence.held or sequence.waits):
            self.holding.append(sequence)
        if not reaches or asks.draws == ():
            step.quiet.add(id)
        else:
            if asks.draws is not None:
                step.draws[id] = asks.draws
            if sequence.guide is not None:
                step.masked.add(id)
        last = min(first + count, len(sequence.token_ids) - 1)  # position of the last known token that is predicted
        wanted = next_score(sequence)
        begin = last + 1 if wanted is None else min(max(wanted, first + 1), last + 1)
        behind = (asks.targets, asks.candidates) if reaches else ((), 0)
        hidden = None if asks.hidden is None else _hidden_of(sequence, asks.hidden, first, first + count)
        if begin <= last or any(behind) or hidden is not None:
            step.scored[id] = Scored(begin, last + 1 - begin, asks.alternatives, *behind, hidden)


def next_score(sequence: Sequence) -> int | None:
    """Position of the first token whose score is still wanted."""
    first = sequence.asks.score_from
    return None if first is None else max(first, sequence.num_scored_tokens)


def _hidden_of(sequence: Sequence, wanted: HiddenRows, first: int, behind: int) -> HiddenRows | None:
    """What a step that computes the tokens [first, behind) can give of the hidden states that are still wanted."""
    begin = max(first, wanted.first, sequence.num_hidden_tokens)
    end = min(behind, wanted.first + wanted.count)
    return HiddenRows(begin, end - begin, wanted.kind) if begin < end else None


def most_cached(sequence: Sequence) -> int | None:
    """How many of a sequence's tokens may come from the cache: those before the first row that is wanted."""
    wanted = next_score(sequence)
    most = None if wanted is None or wanted >= len(sequence.token_ids) else wanted - 1
    hidden = sequence.asks.hidden
    if hidden is not None:
        first = max(hidden.first, sequence.num_hidden_tokens)
        if first < hidden.first + hidden.count:
            most = first if most is None else min(most, first)
    return most

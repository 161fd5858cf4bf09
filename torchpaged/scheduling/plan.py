"""StepPlan: the step being scheduled, and everything the runner must be told of its sequences."""

from __future__ import annotations

from collections.abc import Sequence as Seq

from torchpaged.kv_cache import KVCacheManager
from torchpaged.scheduling.sequence import NOTHING_MORE, Sequence
from torchpaged.scheduling.sequence_table import RunnerRows
from torchpaged.scheduling.step import HiddenRows, NewSequence, Scored, Step


class StepPlan:
    """Writes the shares of sequences into a step's columns.

    Args:
        number: of the step.
        manager: has the sequences' block tables.
        rows: the runner's rows.

    Attributes:
        holding: sequences whose last token the step computes and of which no token can be computed before its results:
            held ones, those whose tokens must be read or masked, and those with drafts, because the number of accepted
            drafts is not known.
        admitted: sequences that came from the queue.
    """

    def __init__(self, number: int, manager: KVCacheManager, rows: RunnerRows) -> None:
        self.step = Step(number)
        self.holding: list[Sequence] = []
        self.admitted: list[Sequence] = []
        self._manager, self._rows = manager, rows

    def take_up(self, sequence: Sequence, count: int, added: tuple[list[int], ...]) -> None:
        """Add a sequence to the step.

        Args:
            count: number of tokens to compute.
            added: per group, the blocks that were added to its tables for them.
        """
        step, id, first = self.step, sequence.id, sequence.num_computed_tokens
        step.ids.append(id)
        step.firsts.append(first)
        step.counts.append(count)
        replaced = self._manager.take_changes(sequence)
        num_unsent = self._rows.num_unsent
        if id in num_unsent:
            self._update_row(sequence, num_unsent[id], added, replaced)
        else:
            step.new[id] = self._new_sequence(sequence)
        num_unsent[id] = 0
        reaches = first + count == sequence.num_tokens
        if sequence.held or sequence.sampling.needs_tokens or sequence.wanted.request is not NOTHING_MORE:
            sequence.quiet_until = 0
            self._ask(sequence, first, count, reaches)
            return
        if reaches:  # from here on it is decoded, one token after the other
            sequence.quiet_until = min(self._manager.quiet_until(sequence), sequence.stop_rule.max_length - 1)
        else:
            sequence.quiet_until = 0
            step.quiet.add(id)

    def add_drafts(self, place: int, sequence: Sequence, drafts: Seq[int], added: tuple[list[int], ...]) -> None:
        """Add drafts after a sequence's share, which ends with its last token.

        Args:
            place: index in the step's columns.
            added: per group, the blocks that were added to its tables for them.
        """
        step, id = self.step, sequence.id
        step.counts[place] += len(drafts)
        step.drafts[id] = tuple(drafts)
        self._add_blocks(sequence, added)
        sequence.quiet_until = 0
        sequence.drafting.scheduled = True
        if not sequence.sampling.needs_tokens:  # else `_ask` has added it
            self.holding.append(sequence)

    def remove(self, sequence: Sequence) -> None:
        """Take a sequence out of the step again, because an older one needs its blocks."""
        if sequence.id in self.step.ids:
            if sequence.id in self.step.new:  # the runner will not hear of it
                del self._rows.num_unsent[sequence.id]
            self.step.remove(sequence.id)
            self.holding = [other for other in self.holding if other is not sequence]

    def _new_sequence(self, sequence: Sequence) -> NewSequence:
        encoder, media = sequence.origin.encoder, sequence.origin.media
        return NewSequence(
            sequence.id,
            tuple(sequence.token_ids),
            sequence.num_prompt_tokens,
            sequence.sampling.params,
            self._manager.block_ids(sequence),
            None if encoder is None else encoder.data,
            sequence.num_encoder_tokens,
            sequence.origin.prompt_embeds,
            sequence.adapter,
            None if media is None else media.without_inputs(),
        )

    def _update_row(
        self, sequence: Sequence, unsent: int, added: tuple[list[int], ...], replaced: list[tuple[int, int, int]]
    ) -> None:
        """Write the blocks and tokens that the sequence's row lacks."""
        step, id = self.step, sequence.id
        self._add_blocks(sequence, added)
        step.tables += [(id, group, index, (block,)) for group, index, block in replaced]
        if unsent:
            first = len(sequence.token_ids) - unsent
            step.known[id] = (first, tuple(sequence.token_ids[first:]))

    def _add_blocks(self, sequence: Sequence, added: tuple[list[int], ...]) -> None:
        if any(added):
            lengths = self._manager.table_lengths(sequence)
            for group, blocks in enumerate(added):
                if blocks:
                    self.step.tables.append((sequence.id, group, lengths[group] - len(blocks), tuple(blocks)))

    def _ask(self, sequence: Sequence, first: int, count: int, reaches: bool) -> None:
        """Write the results that are wanted of a sequence's rows, if they are not just the next token."""
        step, id, request = self.step, sequence.id, sequence.wanted.request
        if reaches and (sequence.held or sequence.sampling.needs_tokens):
            self.holding.append(sequence)
        if not reaches or request.draws == ():
            step.quiet.add(id)
        else:
            if request.draws is not None:
                step.draws[id] = request.draws
            if sequence.sampling.guide is not None:
                step.masked.add(id)
        last = min(first + count, len(sequence.token_ids) - 1)  # position of the last known token that is predicted
        wanted = next_score(sequence)
        begin = last + 1 if wanted is None else min(max(wanted, first + 1), last + 1)
        behind = (request.targets, request.candidates) if reaches else ((), 0)
        hidden = None if request.hidden is None else _hidden_of(sequence, request.hidden, first, first + count)
        if begin <= last or any(behind) or hidden is not None:
            step.scored[id] = Scored(begin, last + 1 - begin, request.alternatives, *behind, hidden)


def next_score(sequence: Sequence) -> int | None:
    """Return the position of the first token that is still to be scored."""
    first = sequence.wanted.request.score_from
    return None if first is None else max(first, sequence.wanted.num_scored_tokens)


def _hidden_of(sequence: Sequence, wanted: HiddenRows, first: int, behind: int) -> HiddenRows | None:
    """Return the missing part of the wanted hidden states that a step over the tokens [first, behind) can give."""
    begin = max(first, wanted.first, sequence.wanted.num_hidden_tokens)
    end = min(behind, wanted.first + wanted.count)
    return HiddenRows(begin, end - begin, wanted.kind) if begin < end else None


def most_cached(sequence: Sequence) -> int | None:
    """Return how many of a sequence's tokens may come from the prefix cache: those before the first wanted row."""
    wanted = next_score(sequence)
    # A token's score comes from the row before it, which must be computed.
    most = None if wanted is None or wanted >= len(sequence.token_ids) else wanted - 1
    hidden = sequence.wanted.request.hidden
    if hidden is not None:
        first = max(hidden.first, sequence.wanted.num_hidden_tokens)
        if first < hidden.first + hidden.count:
            most = first if most is None else min(most, first)
    return most

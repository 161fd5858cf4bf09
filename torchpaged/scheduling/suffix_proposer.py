"""SuffixProposer: guesses from the text so far, and if asked from the outputs of earlier requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torchpaged.scheduling.output_history import OutputHistory
from torchpaged.scheduling.proposers import MOST_READ, Transcript, continued
from torchpaged.scheduling.suffix_automaton import SuffixAutomaton


@dataclass(slots=True)
class _Kept:
    """State of one text: the automaton that finds its runs, and its place in each segment of earlier outputs."""

    automaton: SuffixAutomaton = field(default_factory=SuffixAutomaton)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)


class SuffixProposer:
    """Proposes what followed the longest earlier occurrence of the last tokens, however long that is.

    Args:
        shortest: number of tokens that must agree.
        most_outputs: number of outputs of ended requests with the same salt and adapter to search too; 0: none.
    """

    def __init__(self, shortest: int = 2, most_outputs: int = 0) -> None:
        self._shortest = shortest
        self._history = OutputHistory(most_outputs) if most_outputs else None

    def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
        """`Proposer.propose`."""
        tokens, kept = transcript.token_ids, transcript.state
        if kept is None:
            kept = transcript.state = _Kept()
        automaton, before = kept.automaton, kept.automaton.length
        automaton.extend(tokens[before : before + MOST_READ])
        if automaton.length != len(tokens):
            transcript.strength = 0
            return ()
        place, length = automaton.find()
        if self._history is not None:
            elsewhere, following = self._history.find(transcript, kept.places, len(tokens) - before, max_drafts)
            if elsewhere > length:  # if both are as long, the text's own is taken
                transcript.strength = elsewhere
                return following if elsewhere >= self._shortest else ()
        transcript.strength = length
        return continued(tokens, place, max_drafts) if length >= self._shortest else ()

    def ended(self, transcript: Transcript) -> None:
        """`Learner.ended`."""
        if self._history is not None:
            self._history.add(transcript)

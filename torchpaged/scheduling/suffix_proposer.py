"""SuffixProposer: guesses from the text before, and from what other requests were answered, if that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torchpaged.scheduling.output_history import OutputHistory
from torchpaged.scheduling.proposers import MOST_READ, Transcript, continued
from torchpaged.scheduling.suffix_automaton import SuffixAutomaton


@dataclass(slots=True)
class _Kept:
    """Of one text: what finds runs in it, and its place in each segment of earlier outputs."""

    automaton: SuffixAutomaton = field(default_factory=SuffixAutomaton)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)


class SuffixProposer:
    """What followed the longest run of last tokens that stood in the text before, however long it is.

    Args:
        shortest: tokens that must agree.
        most_outputs: of requests that have ended, which are searched too, where their salt is the text's; 0: none are.
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
            if elsewhere > length:  # of equal ones the text's own
                transcript.strength = elsewhere
                return following if elsewhere >= self._shortest else ()
        transcript.strength = length
        return continued(tokens, place, max_drafts) if length >= self._shortest else ()

    def ended(self, transcript: Transcript) -> None:
        """`Learner.ended`."""
        if self._history is not None:
            self._history.add(transcript)

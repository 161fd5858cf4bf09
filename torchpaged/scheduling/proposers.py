"""Proposers guess how sequences go on. What they guess is computed, and kept as far as it is what is drawn.

A guess changes how many steps a text takes and never the text: nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(slots=True)
class Transcript:
    """What a proposer sees of a sequence, and keeps of it: it goes when the sequence ends.

    Args:
        token_ids: prompt and what followed; more are appended, none is changed. Not to be changed.
        num_prompt_tokens: how many are the prompt.
        salt: only sequences with the same one may learn from each other.
        state: the proposer's own.
        strength: how sure it is of what it proposed last, in a unit of its own: how often guesses were right is
            counted by it. A proposer that finds its guesses in the text says how many tokens agree.
    """

    token_ids: Sequence[int]
    num_prompt_tokens: int
    salt: str | None = None
    state: Any = None
    strength: int = 0


@dataclass(slots=True)
class Drafting:
    """What is kept of a sequence whose tokens are guessed.

    Args:
        transcript: what its proposer sees.
        strength: of the guess that was asked for last.
        read: tokens that its proposer was given.
        failed, expected: guesses of it that did not hold, and as many as were expected to; older ones count less.
        worth, draft_cost: what a token took without guesses, and a draft beside it, in the last step that had any.
        elapsed, lost: what its tokens would have taken without guesses, and what these took beyond what they brought.
    """

    transcript: Transcript
    strength: int = 0
    read: int = 0
    failed: float = 0.0
    expected: float = 0.0
    worth: float = 0.0
    draft_cost: float = 0.0
    elapsed: float = 0.0
    lost: float = 0.0


class Proposer(Protocol):
    """Guesses for all sequences of an engine."""

    def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
        """The next tokens, the likeliest run of them: at most `max_drafts`, none where there is no guess.

        It is called before a step, and not before each token: `token_ids` may have grown by several.
        """
        ...


@runtime_checkable
class Learner(Protocol):
    """A proposer that is told of texts that have ended, to guess others from them: of the same salt alone."""

    def ended(self, transcript: Transcript) -> None:
        """A sequence has ended, other than by an error; nothing of it was kept by anybody else."""
        ...


class NGramProposer:
    """Prompt look-up: what followed the last tokens when they stood in the text before, the last time.

    The longest run of at most `longest` tokens that is found counts, of those the latest. A token costs one entry, a
    guess at most `_MOST_PLACES` comparisons.

    Args:
        shortest, longest: tokens that must agree, and that are looked for.
    """

    def __init__(self, shortest: int = 2, longest: int = 5) -> None:
        self._shortest, self._longest = shortest, longest

    def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
        """`Proposer.propose`."""
        tokens = transcript.token_ids
        if transcript.state is None:
            transcript.state = _Places(self._shortest)
        place, length = transcript.state.find(tokens, self._longest)
        transcript.strength = length
        return continued(tokens, place, max_drafts) if length else ()


# Of the places where the last tokens stood before, how many are looked at.
_MOST_PLACES = 32
# Tokens that a built-in proposer reads in a call: a long prompt is read over several steps, and guessed from behind it.
MOST_READ = 2048


class _Places:
    """Where each run of `size` tokens ends in a text: the last place, and from each the one before."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._last: dict[tuple[int, ...], int] = {}
        self._before: list[int] = []  # by position of a run's last token; -1: there is none

    def find(self, tokens: Sequence[int], longest: int) -> tuple[int, int]:
        """(where the text stood before as it does at its end, how many tokens agree); 0 where nowhere."""
        self._follow(tokens)
        if len(tokens) < self._size or len(self._before) < len(tokens):
            return 0, 0
        end = len(tokens) - 1
        best, found, place = 0, 0, self._before[end]
        for _ in range(_MOST_PLACES):
            if place < 0:
                break
            length = self._size
            most = min(longest, place + 1)
            while length < most and tokens[place - length] == tokens[end - length]:
                length += 1
            if length > found:
                best, found = place, length
                if length == longest:
                    break
            place = self._before[place]
        return best, found

    def _follow(self, tokens: Sequence[int]) -> None:
        size, last, before = self._size, self._last, self._before
        for end in range(len(before), min(len(tokens), len(before) + MOST_READ)):
            if end + 1 < size:
                before.append(-1)
                continue
            key = tuple(tokens[end + 1 - size : end + 1])
            before.append(last.get(key, -1))
            last[key] = end


def continued(tokens: Sequence[int], place: int, count: int) -> Sequence[int]:
    """What follows a place in a text that stands there as at its end; where it runs into the end, it goes round."""
    found = list(tokens[place + 1 : place + 1 + count])
    while len(found) < count:  # a loop: its period is what lies between the two
        found += found[: count - len(found)]
    return found

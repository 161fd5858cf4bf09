"""Proposers guess how sequences go on. Their drafts are computed, and accepted as far as they equal the sampled tokens.

A guess changes how many steps a text takes and never the text: nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(slots=True)
class Transcript:
    """A sequence as its proposer sees it, with the proposer's state; dropped when the sequence ends.

    Args:
        token_ids: prompt and output; it only grows. The proposer must not change it.
        num_prompt_tokens: number of tokens that are the prompt.
        salt: only sequences with the same salt and the same adapter may learn from each other.
        state: the proposer's own.
        strength: how sure the proposer is of its last proposal, in a unit of its own. Acceptance is counted by it. A
            proposer that finds its guesses in the text gives the number of tokens that agree.
        adapter: content of the sequence's adapter; None: the model alone.
    """

    token_ids: Sequence[int]
    num_prompt_tokens: int
    salt: str | None = None
    state: Any = None
    strength: int = 0
    adapter: str | None = None


@dataclass(slots=True)
class Drafting:
    """Speculation of one sequence: its limit, and what past drafts have cost and brought.

    Args:
        limit: most drafts in a step; None: the drafter's.
        scheduled: True if the last scheduled step, or one in flight, has drafts of the sequence.
        transcript: what its proposer sees; None until the proposer is asked.
        strength: strength of the last guess.
        read: number of tokens that the proposer has been given.
        failed, expected: number of rejected drafts, and the number expected by the rates; older ones count less.
        worth, draft_cost: cost of a token without drafts, and of a draft, in the last step with drafts.
        elapsed, lost: cost of its tokens without drafts, and what drafts have cost beyond what they brought.
    """

    limit: int | None = None
    scheduled: bool = False
    transcript: Transcript | None = None
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
        """Return the likeliest next tokens: at most `max_drafts`, none if there is no guess.

        It is called before a step, not before each token: `token_ids` may have grown by several.
        """
        ...


@runtime_checkable
class Learner(Protocol):
    """A proposer that learns from the texts of ended sequences, for others with the same salt and adapter."""

    def ended(self, transcript: Transcript) -> None:
        """Learn from a sequence that has ended without an error."""
        ...


class NGramProposer:
    """Prompt lookup: proposes what followed the last earlier occurrence of the last tokens.

    The longest run of at most `longest` tokens that is found counts, and of those the latest. A token costs one entry,
    a guess at most `_MOST_PLACES` comparisons.

    Args:
        shortest: number of tokens that must agree.
        longest: number of tokens that are compared.
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


# Most earlier occurrences of the last tokens that are compared.
_MOST_PLACES = 32
# Most tokens that a built-in proposer reads in a call: a long prompt is read over several steps, before any guess.
MOST_READ = 2048


class _Places:
    """Positions in a text where each run of `size` tokens ends: the last one, and from each the one before."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._last: dict[tuple[int, ...], int] = {}
        self._before: list[int] = []  # by position of a run's last token; -1: there is none

    def find(self, tokens: Sequence[int], longest: int) -> tuple[int, int]:
        """Return (position of the earlier occurrence of the text's end, number of tokens that agree), or (0, 0)."""
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
    """Return the tokens after a position at which the text reads as at its end; wraps around at the end."""
    found = list(tokens[place + 1 : place + 1 + count])
    while len(found) < count:  # the text repeats itself: its period is what lies between the two positions
        found += found[: count - len(found)]
    return found

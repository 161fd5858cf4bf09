"""SuffixAutomaton: finds earlier occurrences of a text's end, updated token by token."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

# Number of runs at a text's end, longest first, whose last position is updated with each token.
_MOST_TOLD = 8


class SuffixAutomaton:
    """Blumer et al., "The smallest automaton recognizing the subwords of a text" (1985), grown online.

    A token costs a few steps on average, whatever the text, and about 60 bytes. A state stands for all runs of tokens
    that end at the same places. Most states have one next token, which lies in arrays; a dictionary has the others.

    Attributes:
        length: tokens of the text.
    """

    def __init__(self) -> None:
        self.length = 0
        self._longest = array("i", [0])  # by state, the tokens of its longest run
        self._link = array("i", [-1])  # the state of that run's longest end which stands at more places
        self._end = array("i", [-1])  # where one of its runs ended last, or almost
        self._token = array("i", [-1])  # one next token, and the state behind it
        self._next = array("i", [-1])
        self._more: dict[int, dict[int, int]] = {}  # by state, the other next tokens
        self._last = 0
        self._found = -1, 0

    def extend(self, tokens: Iterable[int]) -> None:
        """Append tokens to the text."""
        for token in tokens:
            self._append(token)

    def find(self) -> tuple[int, int]:
        """Return (position of the last token of the longest earlier occurrence of the end, its length), or (-1, 0)."""
        return self._found

    def follow(self, place: tuple[int, int], tokens: Iterable[int]) -> tuple[int, int]:
        """Return the place of another text's end in this one, (state, number of tokens that agree), after `tokens`.

        Args:
            place: the place before them; (0, 0) at the beginning. The automaton may have grown since.
        """
        longest, link = self._longest, self._link
        state, length = self._settled(place)
        for token in tokens:
            while (target := self._step(state, token)) < 0 and state > 0:
                state = link[state]
                length = longest[state]
            state, length = (target, length + 1) if target >= 0 else (0, 0)
        return state, length

    def end_of(self, place: tuple[int, int]) -> int:
        """Return the position where such a run ended last, or almost last."""
        return self._end[self._settled(place)[0]]

    def _settled(self, place: tuple[int, int]) -> tuple[int, int]:
        """Return the same place after states may have been split."""
        state, length = place
        while state > 0 and length <= self._longest[self._link[state]]:
            state = self._link[state]
        return state, length

    def _append(self, token: int) -> None:
        longest, link, end = self._longest, self._link, self._end
        position, self.length = self.length, self.length + 1
        new = self._state(position + 1, 0, position)
        state = self._last
        self._last = new
        own, following = self._token, self._next
        while state >= 0 and (target := self._step(state, token)) < 0:
            if own[state] == -1:  # as `_set` does, for most
                own[state], following[state] = token, new
            else:
                self._set(state, token, new)
            state = link[state]
        if state >= 0:
            if longest[target] == longest[state] + 1:
                link[new] = target
            else:
                link[new] = self._split(state, token, target)
        shorter = link[new]
        self._found = (end[shorter], longest[shorter]) if shorter > 0 else (-1, 0)
        for _ in range(_MOST_TOLD):
            if shorter <= 0:
                break
            end[shorter] = position
            shorter = link[shorter]

    def _split(self, state: int, token: int, target: int) -> int:
        """Make a state for the shorter runs of another, which end at more places from now on."""
        longest, link = self._longest, self._link
        clone = self._state(longest[state] + 1, link[target], self._end[target])
        self._token[clone], self._next[clone] = self._token[target], self._next[target]
        if target in self._more:
            self._more[clone] = dict(self._more[target])
        link[target] = clone
        while state >= 0 and self._step(state, token) == target:
            self._set(state, token, clone)
            state = link[state]
        return clone

    def _state(self, longest: int, link: int, end: int) -> int:
        self._longest.append(longest)
        self._link.append(link)
        self._end.append(end)
        self._token.append(-1)
        self._next.append(-1)
        return len(self._longest) - 1

    def _step(self, state: int, token: int) -> int:
        if self._token[state] == token:
            return self._next[state]
        more = self._more.get(state)
        return -1 if more is None else more.get(token, -1)

    def _set(self, state: int, token: int, target: int) -> None:
        if self._token[state] in (-1, token):
            self._token[state], self._next[state] = token, target
        else:
            self._more.setdefault(state, {})[token] = target

    def check(self) -> None:
        """Assert the invariants."""
        for state in range(1, len(self._longest)):
            link = self._link[state]
            assert link >= 0 and self._longest[link] < self._longest[state] <= self._end[state] + 1 <= self.length

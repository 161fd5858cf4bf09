"""StopStrings: the automaton that finds a request's stop strings in the texts of its completions."""

from __future__ import annotations

from collections.abc import Sequence


class StopStrings:
    """Aho and Corasick, "Efficient string matching" (1975), built as texts reach its states.

    A character costs a few steps on average, however many and however long the stop strings are; a state that no text
    has reached costs nothing. The completions of a request share one automaton.

    Args:
        strings: the stop strings, none of them empty.

    Attributes:
        root: the state of an empty text.
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self.strings = tuple(strings)
        self.root = State(0, None, None, self._grouped(range(len(self.strings)), 0))

    def search(self, state: State, text: str) -> tuple[State, tuple[int, int] | None]:
        """Follow the characters of `text`.

        Returns:
            The new state, and (end, index) of the stop string that begins first among those that end in `text`: `end`
            is the number of characters of `text` up to its end. If several begin there, it is the first in `strings`.
        """
        root, best = self.root, None
        for end, char in enumerate(text, start=1):
            while (target := state.targets.get(char)) is None and state.failure is not None:
                state = state.failure
            if target is None:
                target = root
            state = target if isinstance(target, State) else self._add(state, char)
            if (index := state.match) is not None:
                rank = end - len(self.strings[index]), index, end
                best = rank if best is None else min(best, rank)
        return state, None if best is None else (best[2], best[1])

    def _add(self, state: State, char: str) -> State:
        """Make the state after a character, and those that its failure links need."""
        missing = []
        at: State | None = state
        suffix = self.root
        while at is not None:
            target = at.targets.get(char)
            if isinstance(target, State):
                suffix = target
                break
            if target is not None:
                missing.append((at, target))
            at = at.failure
        for parent, members in reversed(missing):
            depth = parent.depth + 1
            match = next((each for each in members if len(self.strings[each]) == depth), suffix.match)
            suffix = State(depth, suffix, match, self._grouped(members, depth))
            parent.targets[char] = suffix
        return suffix

    def _grouped(self, members: Sequence[int], depth: int) -> dict[str, State | list[int]]:
        """Group strings by their character at `depth`; those that end there are in no group."""
        groups: dict[str, State | list[int]] = {}
        for index in members:
            if len(string := self.strings[index]) > depth:
                group = groups.setdefault(string[depth], [])
                assert isinstance(group, list)
                group.append(index)
        return groups


class State:
    """The longest end of a text that begins some of the strings.

    Args:
        depth: number of its characters.
        failure: state of the next shorter one; None: this is the root.
        match: index of the longest string that the text ends with.
        targets: by the next character, the state after it, or the indexes of the strings that it will stand for.

    Attributes:
        num_open: number of characters at the text's end that may become a stop string.
    """

    __slots__ = ("depth", "failure", "match", "num_open", "targets")

    def __init__(
        self, depth: int, failure: State | None, match: int | None, targets: dict[str, State | list[int]]
    ) -> None:
        self.depth, self.failure, self.match, self.targets = depth, failure, match, targets
        self.num_open: int = depth if targets or failure is None else failure.num_open

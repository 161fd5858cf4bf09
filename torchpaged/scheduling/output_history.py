"""OutputHistory: outputs of ended requests, from which later ones with the same salt and adapter may be guessed."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence

from torchpaged.scheduling.proposers import Transcript
from torchpaged.scheduling.suffix_automaton import SuffixAutomaton

# Most tokens of all outputs together: one takes about 70 bytes.
_MOST_TOKENS = 1 << 20
# Outputs are read in parts, one in each call of `find`: no step waits for a long output.
_READ_AT_ONCE = 64
# Number of a text's last tokens that are looked up in a segment that is new to it.
_LOOKED_FOR = 32
# Separates two outputs; no text has it.
_BETWEEN = -2
# Salt and adapter, which the texts of a segment share.
_Group = tuple[str | None, str | None]


class Segment:
    """Consecutive outputs, and the automaton that finds runs in them.

    Args:
        group: salt and adapter of their requests.
    """

    def __init__(self, group: _Group) -> None:
        self.group, self.num_outputs = group, 0
        self.tokens: list[int] = []
        self.automaton = SuffixAutomaton()

    def extend(self, tokens: Sequence[int]) -> None:
        """Append to the last output."""
        self.tokens += tokens
        self.automaton.extend(tokens)


class OutputHistory:
    """Segments, the oldest of which is dropped when all of them together hold too much.

    Each takes a quarter of the outputs, so that between three and four quarters of the last `most_outputs` are there.

    Args:
        most_outputs: most outputs, of all salts and adapters together.
        most_tokens: most tokens, likewise.
    """

    def __init__(self, most_outputs: int, most_tokens: int = _MOST_TOKENS) -> None:
        self._most_outputs, self._most_tokens = most_outputs, most_tokens
        self._each = max(1, most_outputs // 4)
        self._segments: OrderedDict[int, Segment] = OrderedDict()  # the oldest first, by a number of its own
        self._num_made = 0
        self._unread: deque[tuple[_Group, list[int]]] = deque()

    @property
    def num_tokens(self) -> int:
        """Number of tokens in all segments and in outputs that are not read yet."""
        return sum(len(segment.tokens) for segment in self._segments.values()) + sum(
            len(each) for _, each in self._unread
        )

    def add(self, transcript: Transcript) -> None:
        """Add the output of a request that has ended."""
        output = list(transcript.token_ids[transcript.num_prompt_tokens :])[: self._most_tokens // 4]
        if output:
            self._unread.append((_group(transcript), [*output, _BETWEEN]))
        while len(self._unread) > self._most_outputs or self.num_tokens > self._most_tokens:
            if self._segments:
                self._segments.popitem(last=False)
            else:
                self._unread.popleft()

    def find(
        self, transcript: Transcript, places: dict[int, tuple[int, int]], new: int, count: int
    ) -> tuple[int, Sequence[int]]:
        """Return (length of the longest run at a text's end that is in an output, the tokens after it there).

        Args:
            places: by segment, the text's automaton state and the length of its run; it is brought up to date.
            new: number of the text's tokens since the last call.
            count: most following tokens.
        """
        self._read()
        best: tuple[int, Sequence[int]] = 0, ()
        tokens, group = transcript.token_ids, _group(transcript)
        for number, segment in self._segments.items():
            if segment.group != group:
                continue
            place = places.get(number)
            behind = tokens[-_LOOKED_FOR:] if place is None else tokens[len(tokens) - new :]
            places[number] = place = segment.automaton.follow(place or (0, 0), behind)
            if place[1] > best[0]:
                end = segment.automaton.end_of(place)
                best = place[1], segment.tokens[end + 1 : end + 1 + count]
        for number in [each for each in places if each not in self._segments]:
            del places[number]
        length, following = best
        if _BETWEEN in following:
            following = following[: following.index(_BETWEEN)]
        return length, following

    def _read(self) -> None:
        left = _READ_AT_ONCE
        while left > 0 and self._unread:
            group, output = self._unread[0]
            segment = self._segment(group)
            part = output[:left]
            segment.extend(part)
            left -= len(part)
            del output[: len(part)]
            if not output:
                segment.num_outputs += 1
                self._unread.popleft()
                while sum(each.num_outputs for each in self._segments.values()) > self._most_outputs:
                    self._segments.popitem(last=False)

    def _segment(self, group: _Group) -> Segment:
        """Return the segment that a group's outputs go to: its last one until that is full. No output is cut in two."""
        last = next((segment for segment in reversed(self._segments.values()) if segment.group == group), None)
        if last is not None:
            begun = bool(last.tokens) and last.tokens[-1] != _BETWEEN
            if begun or (last.num_outputs < self._each and len(last.tokens) < self._most_tokens // 4):
                return last
        self._num_made += 1
        last = self._segments[self._num_made] = Segment(group)
        return last


def _group(transcript: Transcript) -> _Group:
    return transcript.salt, transcript.adapter

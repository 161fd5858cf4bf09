"""EncoderCache: which features of images and sounds the runner keeps, and which a step must compute. No tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torchpaged.media.items import MediaItem
from torchpaged.scheduling.sequence import Sequence, Status
from torchpaged.scheduling.step import Step


@dataclass(slots=True)
class EncoderCounts:
    """Counters since the engine was made.

    Args:
        num_encoded: images and sounds that steps have encoded.
        num_found: those whose features were there when a sequence began to compute them.
    """

    num_encoded: int = 0
    num_found: int = 0


class EncoderCache:
    """Features by content, which sequences with the same image or sound share.

    A step that computes a placeholder needs the features of its item: it either finds them or encodes the item first.
    A sequence holds the features of an item of which it has computed a part, or with `holds_all` those of its whole
    prompt, from its first step on as long as it runs. Features that no sequence holds may be
    evicted: first those that no unfinished sequence is going to need, the least recently used first.

    Invariants: when a step is scheduled, the features of each item whose placeholders it computes are here or in
    `Step.media`; features that are held stay; all together have no more rows than `capacity`, except an item that is
    larger, which is alone then.

    The runner keeps what the last `Step.kept_media` says. Whatever became of a step that failed, the next one says it
    again.

    Args:
        sequences: the unfinished sequences by id; only the scheduler changes it.
        budget: most rows that a step encodes. The first item of a step may be larger.
        capacity: most rows that are kept.
        holds_all: layers attend to the features themselves (`ModelSpec.media_layers`): all tokens behind an image need
            them. A prompt's features must fit into the capacity.

    Attributes:
        counts: counters.
    """

    def __init__(
        self, sequences: Mapping[int, Sequence], budget: int, capacity: int, *, holds_all: bool = False
    ) -> None:
        self._sequences, self.budget, self.capacity, self._holds_all = sequences, budget, capacity, holds_all
        self.counts = EncoderCounts()
        self._sizes: dict[str, int] = {}  # rows by content, the least recently used first
        self._held: dict[int, set[str]] = {}  # contents by sequence
        self._spent = 0  # rows that this step encodes
        self._is_full = False  # an item found no room in this step: nothing else is let in before it
        self._is_told = True  # whether the runner knows what is kept
        self._is_lost = False  # whether sequences may run without features that they need
        self._oversized: set[str] = set()  # what one sequence needed at once, if that was more than the capacity

    def begin(self) -> None:
        """Begin a step: features of items that are computed now, or must be computed again, are not held any more."""
        self._spent, self._is_full = 0, False
        if self._holds_all:
            self._held = {
                id: contents & self._sizes.keys()
                for id, sequence in self._sequences.items()
                if sequence.status is Status.RUNNING and (contents := _contents(sequence))
            }
            return
        if not self._held:
            return
        held, self._held = self._held, {}
        for id in held:
            sequence = self._sequences.get(id)
            if sequence is None or sequence.origin.media is None or sequence.status is not Status.RUNNING:
                continue
            item = sequence.origin.media.inside(sequence.num_computed_tokens)
            if item is not None and item.content in self._sizes:
                self._held[id] = {item.content}

    def room(self, sequence: Sequence, first: int, count: int, *, whole: bool = False) -> int:
        """Return how many of a sequence's tokens [first, first + count) a step can compute. Changes nothing.

        Args:
            whole: the tokens are computed all or not at all.
        """
        if self._holds_all:
            return count if self._has_room(sequence) else 0
        wanted: set[str] = set()
        own = self._held.get(sequence.id, ())
        others = {content for id, held in self._held.items() if id != sequence.id for content in held}
        spent, total = self._spent, sum(self._sizes[content] for content in others)
        is_alone = not others
        for item in _touched(sequence, first, count):
            if item.content in wanted:
                continue
            new, size = item.content not in self._sizes, item.num_features
            rows = 0 if item.content in others else size
            allowed = item.content in own or not rows or total + rows <= self.capacity or (is_alone and not wanted)
            if new:
                allowed = allowed and not self._is_full and (not spent or spent + size <= self.budget)
            if not allowed and not (whole and is_alone and not self._spent):
                return 0 if whole else max(0, item.start - first)
            wanted.add(item.content)
            total += rows
            spent += size if new else 0
        return count

    def _has_room(self, sequence: Sequence) -> bool:
        """Return True if a step can encode what is missing of a prompt, and keep all of it."""
        sizes = {item.content: item.num_features for item in _items(sequence)}
        if sizes.keys() <= self._held.get(sequence.id, set()):
            return True
        others = {content for id, held in self._held.items() if id != sequence.id for content in held}
        total = sum(self._sizes[each] for each in others) + sum(sizes[each] for each in sizes.keys() - others)
        new = sum(sizes[each] for each in sizes.keys() - self._sizes.keys())
        fits = not new or (not self._is_full and (not self._spent or self._spent + new <= self.budget))
        return fits and total <= self.capacity

    def note_full(self) -> None:
        """Note that a sequence found no room: no other item is encoded in this step, so that its turn comes."""
        self._is_full = True

    def release(self, sequence: Sequence) -> None:
        """Let go of the features that a sequence holds, because it was preempted."""
        if self._held.pop(sequence.id, None):
            self._is_full = False

    def take(self, sequence: Sequence, first: int, count: int, step: Step) -> None:
        """Hold the features that a sequence's tokens [first, first + count) need; write into the step what it encodes.

        `room` has found room for them.
        """
        touched = list(_items(sequence) if self._holds_all else _touched(sequence, first, count))
        held = self._held.get(sequence.id, set())
        if not touched or (self._holds_all and all(item.content in held for item in touched)):
            return
        self._held[sequence.id] = held
        held.update(item.content for item in touched)
        for item in touched:
            content = item.content
            if (size := self._sizes.pop(content, None)) is None:
                self._make_room(item.num_features, step)
                size = item.num_features
                step.media.append(item)
                self._spent += size
                self.counts.num_encoded += 1
                self._is_told = False
            elif item.start >= first or self._holds_all:
                self.counts.num_found += 1
            self._sizes[content] = size
        if self.num_rows > self.capacity:
            self._make_room(0, step)
            self._oversized = set(held)

    def _make_room(self, size: int, step: Step) -> None:
        """Evict what is not held, until there is room."""
        excess = sum(self._sizes.values()) + size - self.capacity
        if excess <= 0:
            return
        held = set[str]().union(*self._held.values())
        free = [content for content in self._sizes if content not in held]
        wanted = {
            item.content
            for sequence in self._sequences.values()
            for item in _items(sequence)
            if self._holds_all or item.end > sequence.num_computed_tokens
        }
        for content in sorted(free, key=wanted.__contains__):  # stable: within each kind by their last use
            if excess <= 0:
                return
            excess -= self._sizes.pop(content)
            self._is_told = False
            # A sequence that was preempted in this step may have wanted it.
            step.media = [item for item in step.media if item.content != content]

    def end(self, step: Step) -> None:
        """Write into a step what the runner keeps, if it does not know, and encode again what was lost."""
        if self._is_lost and self._holds_all:
            for id in step.ids:
                self.take(self._sequences[id], 0, 0, step)
            self._is_lost = False
        if not self._is_told:
            step.kept_media = tuple(self._sizes)
            self._is_told = True

    def revert(self, step: Step) -> None:
        """Take back a step that was not computed: what it was to encode is not there."""
        for item in step.media:
            self._sizes.pop(item.content, None)
            for held in self._held.values():
                held.discard(item.content)
            self.counts.num_encoded -= 1
            self._is_lost = True
        self._is_told = self._is_told and step.kept_media is None

    def clear(self) -> None:
        """Forget all features, which other weights have computed."""
        self._sizes.clear()
        self._held.clear()
        self._is_told, self._is_lost = False, True

    @property
    def num_rows(self) -> int:
        """Number of rows that are kept."""
        return sum(self._sizes.values())

    def check(self) -> None:
        """Assert the invariants, between steps."""
        held = set[str]().union(*self._held.values())
        assert held <= self._sizes.keys(), "features that are held are not there"
        assert self.num_rows <= self.capacity or self._sizes.keys() <= self._oversized, (
            f"{self.num_rows} rows are kept, the capacity is {self.capacity}"
        )


def _touched(sequence: Sequence, first: int, count: int) -> Iterator[MediaItem]:
    """Return the items with placeholders among a sequence's tokens [first, first + count), in order."""
    media = sequence.origin.media
    return iter(()) if media is None else media.within(first, first + count)


def _items(sequence: Sequence) -> tuple[MediaItem, ...]:
    """Return all items of a sequence's prompt."""
    media = sequence.origin.media
    return () if media is None else media.items


def _contents(sequence: Sequence) -> set[str]:
    return {item.content for item in _items(sequence)}

"""Images, sounds and videos of a prompt, as the scheduler and the runner see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class MediaItem:
    """One image, sound or video of a prompt.

    Its features stand in the prompt's embeddings at its placeholders. Those are most of the positions from the first
    placeholder to the last; a model may put other tokens between them (ends of rows, times of frames).

    Args:
        modality: "image", "audio" or "video".
        start: position of its first placeholder in the prompt.
        length: number of positions from its first placeholder to its last, both included.
        content: sha256, in hexadecimal, of all numbers in `inputs` and of the processor's settings.
        inputs: what the model's encoder takes, tensors by the names of the processor's outputs, of this item alone.
        places: places of its placeholders, counted from `start`; None: all of `length`.
        runs: ranges [begin, end) of its positions, counted from `start`, whose tokens see each other, in models where
            those of an image do; None: all of them.
        rows: features of each placeholder, in models whose layers attend to images (`ModelSpec.media_layers`). These
            features do not stand in the embeddings, and an item is a run of images that follow each other. None: each
            placeholder has one.
    """

    modality: str
    start: int
    length: int
    content: str
    inputs: Mapping[str, Any] = field(repr=False)
    places: tuple[int, ...] | None = field(default=None, repr=False)
    runs: tuple[tuple[int, int], ...] | None = field(default=None, repr=False)
    rows: tuple[int, ...] | None = None

    @property
    def num_features(self) -> int:
        """Number of features: one for each placeholder, or as `rows` says."""
        if self.rows is not None:
            return sum(self.rows)
        return self.length if self.places is None else len(self.places)

    @property
    def end(self) -> int:
        """Position after its last placeholder."""
        return self.start + self.length

    @property
    def longest_run(self) -> int:
        """Most tokens of it that see each other."""
        return self.length if self.runs is None else max((end - begin for begin, end in self.runs), default=0)

    def run_around(self, position: int) -> tuple[int, int] | None:
        """Return the run [begin, end) of tokens that see each other which a cut at a position of the prompt divides."""
        runs = ((0, self.length),) if self.runs is None else self.runs
        places = ((self.start + begin, self.start + end) for begin, end in runs)
        return next((each for each in places if each[0] < position < each[1]), None)


@dataclass(frozen=True, slots=True, eq=False)
class PromptMedia:
    """All images, sounds and videos of a prompt.

    Args:
        items: by `start`; none overlaps another.
        positions: positions of the prompt's tokens for models with several axes, [num_prompt_tokens, axes] int64;
            None: they are 0, 1, 2, ...
        position_delta: a token at place t behind the prompt has the position t + delta on each axis.
    """

    items: tuple[MediaItem, ...]
    positions: Any = field(default=None, repr=False)
    position_delta: int = 0

    def within(self, first: int, end: int) -> Iterator[MediaItem]:
        """Iterate over the items that have positions in [first, end)."""
        return (item for item in self.items if item.start < end and item.end > first)

    def inside(self, position: int) -> MediaItem | None:
        """Return the item that begins before a position and ends behind it; None if a cut there divides no item."""
        return next((item for item in self.items if item.start < position < item.end), None)

    def run_around(self, position: int) -> tuple[int, int] | None:
        """Return the run [begin, end) of tokens that see each other which a cut at a position divides; None: none."""
        item = self.inside(position)
        return None if item is None else item.run_around(position)

    def without_inputs(self) -> PromptMedia:
        """Return the same without what the encoder takes."""
        return replace(self, items=tuple(replace(item, inputs={}) for item in self.items))

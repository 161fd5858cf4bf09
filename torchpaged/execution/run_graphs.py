"""RunGraphs: steps that verify drafts, on tensors that stay, padded to a few shapes, each captured once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torchpaged.execution.batch import StepBatch
from torchpaged.execution.compiled_forward import Forward
from torchpaged.execution.decode_graphs import Capture, DecodeGraphs
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import DrawParameters
from torchpaged.execution.upload import Upload, packed_bytes
from torchpaged.models.attention_metadata import AttentionMetadata
from torchpaged.scheduling import Step

# Tokens of one sequence that are captured: the last of them and 1, 3, 7 or 15 drafts.
WIDTHS = (2, 4, 8, 16)
# Tokens of a captured step: more rows cost so much that the calls to launch them do not count, and their logits lie
# beside the pool.
MOST_TOKENS = 64


class _Run(NamedTuple):
    """What a step brings; arrays on the host, or where they lie on the device.

    Args:
        rows, positions: int64 [most tokens], of each token; padding has nobody's row, position -1.
        own: int64 [most sequences], the row of each sequence.
        lens: int32 [most sequences], tokens in the cache, this step's included; 0: nobody.
        starts: int32 [most sequences + 1], where each sequence's tokens begin.
        draw: how to choose the token behind each.
    """

    rows: Any
    positions: Any
    own: Any
    lens: Any
    starts: Any
    draw: DrawParameters

    @classmethod
    def padding(cls, num_tokens: int, num_seqs: int, row: int) -> _Run:
        """A step of padding alone, on the host."""
        return cls(
            np.full(num_tokens, row, dtype=np.int64),
            np.full(num_tokens, -1, dtype=np.int64),
            np.full(num_seqs, row, dtype=np.int64),
            np.zeros(num_seqs, dtype=np.int32),
            np.zeros(num_seqs + 1, dtype=np.int32),
            DrawParameters.greedy(num_tokens),
        )

    def columns(self) -> list[Any]:
        """In the order in which they are sent."""
        return [*self[:5], *self.draw]

    @classmethod
    def of(cls, columns: Sequence[Any]) -> _Run:
        """What `columns` took apart."""
        rows, positions, own, lens, starts, *draw = columns
        return cls(rows, positions, own, lens, starts, DrawParameters(*draw))


def run_shapes(sizes: Sequence[int], longest: int) -> list[tuple[int, int]]:
    """(sequences, tokens of each) to capture, by how many tokens that is: each at most twice the one before.

    Args:
        sizes: as of `DecodeGraphs`, of which every other is left out.
        longest: tokens of a sequence at most.
    """
    last = next(width for width in WIDTHS if width >= longest)
    widths = [width for width in WIDTHS if width <= last]
    few: list[int] = []
    for size in reversed(sizes):
        if size * WIDTHS[0] <= MOST_TOKENS and (not few or 2 * size <= few[-1]):
            few.append(size)
    shapes = [(size, width) for size in few for width in widths if size * width <= MOST_TOKENS]
    return sorted(shapes, key=lambda shape: (shape[0] * shape[1], shape))


class RunGraphs:
    """A few tokens each of a few sequences, one chosen behind each of them on the device.

    A graph is for so many sequences and tokens; which of the tokens are whose says `query_start_loc`, which a step
    brings: sequences with fewer drafts than others, or none, leave padding behind the last.

    Layers that see their own chunk alone, and recurrent ones, cut a run in ways that depend on where it stands: models
    with such are not captured here.

    Args:
        inputs: as of `DecodeGraphs`.
        decode: whose copy of the block tables is read.
        forward: as of `DecodeGraphs`.
        shapes: of `run_shapes`, one at least.
        capture: likewise.
    """

    def __init__(
        self,
        inputs: StepBatch,
        decode: DecodeGraphs,
        forward: Forward,
        shapes: Sequence[tuple[int, int]],
        capture: Capture,
    ) -> None:
        self.shapes = list(shapes)
        self._inputs, self._decode, self._forward = inputs, decode, forward
        self._num_tokens = max(size * width for size, width in shapes)
        self._num_seqs = max(size for size, _ in shapes)
        padding = self._nobody()
        layout = [column.nbytes for column in padding.columns()]
        self._upload = Upload(inputs.device, capacity=packed_bytes([*layout, *decode.news_bytes]), fixed=True)
        self._run = self._send(padding)
        self._token_ids = torch.zeros(self._num_tokens, dtype=torch.int64, device=inputs.device)
        self._everyone = torch.arange(self._num_tokens, device=inputs.device)
        self._logits: Tensor | None = None
        self._replay = {shape: self._captured(shape, capture) for shape in reversed(self.shapes)}
        self._captured_at = self._addresses()

    @staticmethod
    def can(inputs: StepBatch) -> bool:
        """Whether all layers read their tables as a whole."""
        return inputs.state_group < 0 and not any(chunk for _, chunk in inputs.ways)

    def shape_of(self, step: Step) -> tuple[int, int] | None:
        """The smallest captured shape that a step fits into: one token and its drafts of each sequence, one chosen
        behind each, no other logits; None: there is none."""
        if not step.drafts or step.quiet or step.draws or step.scored or step.masked:
            return None
        num_drafts = [len(run) for run in step.drafts.values()]
        if step.num_tokens != len(step.ids) + sum(num_drafts):
            return None
        tokens, seqs, longest = step.num_tokens, len(step.ids), 1 + max(num_drafts)
        fitting = (s for s in self.shapes if s[0] >= seqs and s[1] >= longest and s[0] * s[1] >= tokens)
        return next(fitting, None)

    def run(self, step: Step, rows: Ints, draw: DrawParameters) -> tuple[Tensor, Tensor]:
        """Runs a step that has a shape.

        Args:
            rows: of its sequences, which it has brought up to date.
            draw: how to choose the token behind each of its tokens, on the host.

        Returns:
            (logits [num_tokens, vocab_size], token ids [num_tokens] int64), which the next step overwrites.
        """
        shape = self.shape_of(step)
        assert shape is not None, f"step {step.number} was not captured"
        firsts, counts = np.array(step.firsts, dtype=np.int64), np.array(step.counts, dtype=np.int64)
        seqs, count = len(rows), int(counts.sum())
        ends = np.cumsum(counts)
        new = self._nobody()
        new.rows[:count] = np.repeat(rows, counts)
        new.positions[:count] = np.arange(count) + np.repeat(firsts - (ends - counts), counts)
        new.own[:seqs], new.lens[:seqs] = rows, firsts + counts
        new.starts[1 : seqs + 1], new.starts[seqs + 1 :] = ends, count
        for mine, given in zip(new.draw, draw, strict=True):
            mine[:count] = given
        placed = self._send(new)
        assert placed.rows.data_ptr() == self._run.rows.data_ptr(), "the step lies elsewhere than graphs read it"
        self._replay[shape]()
        assert self._logits is not None
        return self._logits[:count], self._token_ids[:count]

    def _nobody(self) -> _Run:
        return _Run.padding(self._num_tokens, self._num_seqs, self._decode.padding)

    def _send(self, new: _Run) -> _Run:
        """Brings the device's step up to date, and the tables, which are the other graphs' too."""
        self._upload.start()
        placed = _Run.of([self._upload.put(column) for column in new.columns()])
        self._decode.follow(self._upload)
        return placed

    def _captured(self, shape: tuple[int, int], capture: Capture) -> Callable[[], None]:
        return capture(lambda: self._compute(*shape))

    def _compute(self, size: int, width: int) -> None:
        """A step of `size` sequences and as many tokens as `width` of each: what a graph records."""
        count = size * width
        rows, positions = self._run.rows[:count], self._run.positions[:count]
        tokens = self._inputs.rows.tokens
        at = positions.clamp_min(0)
        token_ids = tokens.read(rows, at)
        own, lens, starts = self._run.own[:size], self._run.lens[:size], self._run.starts[: size + 1]
        metadata = []
        for group, _ in self._inputs.ways:
            table, block_size = self._decode.tables[group], self._inputs.sizes[group]
            block = table[rows, at // block_size].long()
            slots = torch.where(positions < 0, -1, block * block_size + at % block_size)
            metadata.append(AttentionMetadata(slots, table[own], lens, starts, width))
        step = self._inputs.metadata(metadata)
        logits = self._forward(token_ids, at, step, self._everyone[:count])
        chosen = torch.ops.torchpaged.sample_tokens(logits, *(column[:count] for column in self._run.draw))
        tokens.put(rows, positions + 1, chosen)
        self._token_ids[:count] = chosen
        if self._logits is None:  # not within a capture: it is called before
            self._logits = logits.new_empty(self._num_tokens, logits.shape[1])
        self._logits[:count] = logits

    def _addresses(self) -> list[int]:
        """Of what lives outside of the graphs and is not `DecodeGraphs`' to watch."""
        every = (*self._run.columns(), self._token_ids, self._everyone, self._logits, self._decode.tables)
        return [each.data_ptr() for each in every if each is not None]

    def check(self) -> None:
        """Asserts the invariants."""
        self._decode.check()
        assert self._addresses() == self._captured_at, "something has moved that the graphs hold the address of"

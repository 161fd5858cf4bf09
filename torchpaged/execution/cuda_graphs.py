"""CudaGraphs: decode steps and steps that verify drafts, padded to a few shapes, captured once and then replayed."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.batch import StepBatch
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.sampler import DrawParameters
from torchpaged.execution.upload import Upload, packed_bytes
from torchpaged.models.attention_metadata import AttentionMetadata
from torchpaged.models.model import Forward
from torchpaged.scheduling import Step
from torchpaged.utils.heap import uncollected

# Records a call and returns a function that replays it.
Capture = Callable[[Callable[[], None]], Callable[[], None]]

# Tokens per sequence of the verification graphs: the last known token and 1, 3, 7 or 15 drafts.
WIDTHS = (2, 4, 8, 16)
# Tokens in a verification graph. Beyond this, kernels take longer than their launches, so a graph gains nothing, and
# its logits take memory beside the pool.
MAX_VERIFY_TOKENS = 64


class GraphShape(NamedTuple):
    """Size of a captured step: sequences, and tokens per sequence (1 in a decode step)."""

    num_seqs: int
    width: int

    @property
    def num_tokens(self) -> int:
        """Tokens in the step, padding included."""
        return self.num_seqs * self.width


def capture_sizes(max_num_seqs: int) -> list[int]:
    """Return the batch sizes to capture, ascending: four per octave, so that padding adds at most a quarter."""
    sizes = {max_num_seqs}
    octave = 1
    while octave < max_num_seqs:
        sizes.update(octave * quarter // 4 for quarter in (4, 5, 6, 7))
        octave *= 2
    return sorted(size for size in sizes if size <= max_num_seqs)


def verify_shapes(sizes: Sequence[int], max_width: int) -> list[GraphShape]:
    """Return the shapes of steps with drafts to capture, ordered by tokens; each has at most twice the one before.

    Args:
        sizes: batch sizes of the decode graphs; every other one is left out.
        max_width: the most tokens per sequence, drafts included.
    """
    last = next(width for width in WIDTHS if width >= max_width)
    widths = [width for width in WIDTHS if width <= last]
    few: list[int] = []
    for size in reversed(sizes):
        if size * WIDTHS[0] <= MAX_VERIFY_TOKENS and (not few or 2 * size <= few[-1]):
            few.append(size)
    shapes = [GraphShape(size, width) for size in few for width in widths if size * width <= MAX_VERIFY_TOKENS]
    return sorted(shapes, key=lambda shape: (shape.num_tokens, shape))


class NotCapturable(Exception):
    """The forward cannot be captured; the message says why."""


def cuda_capture() -> Capture:
    """Return a function that captures CUDA graphs on the current device, sharing one memory pool.

    Capture the largest graph first, so that the others fit into its memory. The capture raises NotCapturable, before it
    begins, if the call waits for the device.
    """
    pool = torch.cuda.graph_pool_handle()
    stream = torch.cuda.Stream()  # the same for all graphs, so that memory freed by one call serves the next

    def capture(call: Callable[[], None]) -> Callable[[], None]:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):  # compile kernels and create library handles before the capture
            call()
            with refusing_to_wait():
                call()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        # thread_local: CUDA calls of other threads neither fail nor invalidate the capture.
        recording = torch.cuda.graph(graph, pool, stream, capture_error_mode="thread_local")
        # A discarded engine is a reference cycle that holds its graphs. Destroying a graph while another is captured is
        # not permitted and invalidates the capture, so the garbage collector is off meanwhile.
        with uncollected(), private_workspaces(), recording:
            call()
        return graph.replay

    return capture


@contextmanager
def private_workspaces() -> Generator[None]:
    """Make a graph that is captured inside allocate cuBLAS' workspaces in its own memory.

    torch allocates one workspace per stream, at its first matrix product, and a graph keeps its address. A workspace
    from the warm-up could be freed and reused under the graph: torch frees it when a graph captured on the same stream
    ends (torch hands out 32 streams in turn, to others too) and when CUDA graph trees record. So it is allocated during
    the capture, in the graphs' pool, which serves nothing else while one of the graphs lives, and dropped after the
    capture, so that other work on this stream does not find it. CUDA graph trees do the same.
    """
    torch._C._cuda_clearCublasWorkspaces()
    try:
        yield
    finally:
        torch._C._cuda_clearCublasWorkspaces()


@contextmanager
def refusing_to_wait() -> Generator[None]:
    """Raise NotCapturable if code inside waits for the device, to read a value or to copy from pageable memory."""
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():  # torch warns that the mode does not see every wait
        warnings.simplefilter("ignore")
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    except RuntimeError as error:
        if "synchroniz" not in str(error):
            raise
        raise NotCapturable(f"{str(error).splitlines()[0]}, {_last_line(error)}") from error
    finally:
        torch.cuda.set_sync_debug_mode(before)


def _last_line(error: BaseException) -> str:
    """Return the file and line that raised an error."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}:{frame.lineno}"


class SequenceColumns(NamedTuple):
    """Columns per sequence that a step with drafts needs; arrays on the host or tensors on the device.

    Args:
        rows: int64 [max_seqs], the row of each sequence in the tables.
        seq_lens: int32 [max_seqs], tokens in the cache, this step's included; 0 for padding.
        query_start_loc: int32 [max_seqs + 1], cumulative query lengths.
    """

    rows: Any
    seq_lens: Any
    query_start_loc: Any


class GraphInputs(NamedTuple):
    """Inputs of a graph; arrays on the host or tensors on the device.

    Args:
        rows: int64 [max_tokens], the table row of each token; padding has the last row.
        positions: int64 [max_tokens]; padding has -1.
        draw: sampling parameters of the token after each, [max_tokens].
        adapters: int32 [max_tokens], the slot of each token's adapter, -1 for none; empty if requests have none.
        deltas: int64 [max_tokens], the token's position on each axis less `positions`; empty if there is one axis.
        sequences: columns per sequence; None in a decode step, where the graph derives them from the positions.
    """

    rows: Any
    positions: Any
    draw: DrawParameters
    adapters: Any
    deltas: Any
    sequences: SequenceColumns | None

    @property
    def columns(self) -> list[Any]:
        """All columns, in the order in which they are uploaded."""
        return [self.rows, self.positions, *self.draw, self.adapters, self.deltas, *(self.sequences or ())]


class GraphBuffers:
    """Static tensors that captured graphs read and write. None of them ever moves.

    Attributes:
        inputs: the current step's inputs on the device.
        tables: [num_groups, num_rows + 1, max_blocks_per_seq] int32, the device's copy of the block tables, which each
            step brings up to date; the last row is padding's and holds null blocks.
        logits: [max_tokens, vocab_size], written by every graph; None before the first one has run.
        token_ids: [max_tokens] int64, the sampled tokens.
        every_row, query_start_loc: 0, 1, 2, ... as int64 and int32: rows of logits and query starts of a decode step.

    Args:
        rows: whose block tables are followed.
        max_tokens: the most tokens of a graph.
        max_verify_seqs: the most sequences of a graph with drafts; 0 if there is none.
        device: of the tensors.
        has_adapters: if requests may have adapters.
        has_axes: if positions have several axes.
    """

    def __init__(
        self,
        rows: Rows,
        max_tokens: int,
        max_verify_seqs: int,
        device: torch.device,
        *,
        has_adapters: bool = False,
        has_axes: bool = False,
    ) -> None:
        self._has_adapters, self._has_axes = has_adapters, has_axes
        self._rows, self._max_tokens, self._max_verify_seqs = rows, max_tokens, max_verify_seqs
        num_groups, num_rows, num_columns = rows.tables.shape
        self.tables = torch.zeros(num_groups, num_rows + 1, num_columns, dtype=torch.int32, device=device)
        num_cells = num_groups * num_rows * num_columns  # a step may change all of them: places int64, blocks int32
        padding = self.padding(verifies=True)
        layout = [*(column.nbytes for column in padding.columns), num_cells * 8, num_cells * 4]
        self._upload = Upload(device, capacity=packed_bytes(layout), fixed=True)
        rows.track_tables()
        self.inputs = self._send(padding)
        self.token_ids = torch.zeros(max_tokens, dtype=torch.int64, device=device)
        self.every_row = torch.arange(max_tokens, device=device)
        self.query_start_loc = torch.arange(max_tokens + 1, dtype=torch.int32, device=device)
        self.logits: Tensor | None = None

    def padding(self, *, verifies: bool) -> GraphInputs:
        """Return inputs on the host that hold padding alone.

        Args:
            verifies: if the step has drafts.
        """
        count, seqs, row = self._max_tokens, self._max_verify_seqs, self.tables.shape[1] - 1
        positions: NDArray[np.int64] = np.full(count, -1, dtype=np.int64)
        sequences = None
        if verifies:
            sequences = SequenceColumns(
                np.full(seqs, row, dtype=np.int64), np.zeros(seqs, dtype=np.int32), np.zeros(seqs + 1, dtype=np.int32)
            )
        adapters: NDArray[np.int32] = np.full(count if self._has_adapters else 0, -1, dtype=np.int32)
        deltas: NDArray[np.int64] = np.zeros(count if self._has_axes else 0, dtype=np.int64)
        greedy = DrawParameters.greedy(count)
        return GraphInputs(np.full(count, row, dtype=np.int64), positions, greedy, adapters, deltas, sequences)

    def copy_from(self, inputs: GraphInputs) -> None:
        """Bring the device's inputs and block tables up to date, by one upload."""
        sent = self._send(inputs)
        assert sent.rows.data_ptr() == self.inputs.rows.data_ptr(), "the inputs have moved from where graphs read them"

    def _send(self, inputs: GraphInputs) -> GraphInputs:
        """Upload inputs with the changed table entries; return the inputs' tensors on the device."""
        put = self._upload.put
        self._upload.begin()
        rows, positions, draw = put(inputs.rows), put(inputs.positions), DrawParameters(*map(put, inputs.draw))
        adapters, deltas = put(inputs.adapters), put(inputs.deltas)
        sequences = inputs.sequences and SequenceColumns(*map(put, inputs.sequences))
        cells, blocks = self._table_changes()
        places, values = put(cells), put(blocks)
        self._upload.send()
        if len(cells):
            self.tables.view(-1).index_copy_(0, places, values)
        return GraphInputs(rows, positions, draw, adapters, deltas, sequences)

    def _table_changes(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return (places in the flat tables, blocks) of the entries that changed since the last step."""
        _, num_rows, num_columns = self.tables.shape
        changes = self._rows.take_table_changes()
        cells = ((group * num_rows + row) * num_columns + column for group, row, column in changes)
        return np.fromiter(cells, np.int64, len(changes)), np.fromiter(changes.values(), np.int32, len(changes))

    def write_outputs(self, logits: Tensor, token_ids: Tensor) -> None:
        """Keep a step's logits and sampled tokens, one per token of the step."""
        self.token_ids[: len(token_ids)] = token_ids
        if self.logits is None:  # allocated by a warm-up run, not during a capture
            self.logits = logits.new_empty(self._max_tokens, logits.shape[1])
        self.logits[: len(logits)] = logits

    @property
    def tensors(self) -> list[Tensor]:
        """All of them."""
        own = (self.tables, self.token_ids, self.every_row, self.query_start_loc, self.logits)
        return [*self.inputs.columns, *(each for each in own if each is not None)]


class CudaGraphs:
    """Steps that sample one token after each of theirs, as CUDA graphs: one per shape, sampling included.

    A step is padded to the smallest shape it fits into. It costs one upload, an update of the block tables and one
    graph launch: slots, lengths and block tables of the sequences are computed on the device, inside the graph.

    A graph with drafts has a fixed number of sequences and tokens; `query_start_loc`, which the step supplies, says
    which tokens belong to which sequence. Sequences with fewer drafts than others leave padding at the end.

    Invariants: between steps the device's tables equal those of the rows, except for changes that
    `Rows.take_table_changes` still has; every tensor that a graph was captured with keeps its address.

    Attributes:
        shapes: decode shapes by size, then those with drafts by tokens.
        buffers: the static tensors.

    Args:
        batch: its rows' tables are followed, and its rows' tokens are read and written.
        forward: of the model, compiled or not, to logits.
        shapes: what to capture, each kind in ascending order; those with drafts only if `can_verify`.
        capture: captures CUDA graphs, or stands in for that.
    """

    def __init__(self, batch: StepBatch, forward: Forward, shapes: Sequence[GraphShape], capture: Capture) -> None:
        self._batch, self._forward, self.shapes = batch, forward, list(shapes)
        self._decode_shapes = [shape for shape in shapes if shape.width == 1]
        self._verify_shapes = [shape for shape in shapes if shape.width > 1]
        max_verify_seqs = max((shape.num_seqs for shape in self._verify_shapes), default=0)
        max_tokens = max(shape.num_tokens for shape in shapes)
        self.buffers = GraphBuffers(
            batch.rows,
            max_tokens,
            max_verify_seqs,
            batch.device,
            has_adapters=batch.adapters is not None,
            has_axes=batch.position_axes > 1,
        )
        # The graphs share their temporaries' memory, so the largest is captured first.
        order = [*reversed(self._decode_shapes), *reversed(self._verify_shapes)]
        self._replay = {shape: capture(partial(self._compute, shape)) for shape in order}
        self._captured_at = self._addresses()

    @staticmethod
    def can_verify(batch: StepBatch) -> bool:
        """Return whether steps with drafts can be captured.

        Chunked attention and recurrent layers split a sequence's tokens depending on their positions, which no fixed
        shape allows.
        """
        return batch.state_group < 0 and not any(chunk for _, chunk in batch.table_views)

    def shape_of(self, step: Step) -> GraphShape | None:
        """Return the smallest captured shape that a step fits into, or None.

        A step fits if it computes one token and the drafts of each sequence, samples one token after each, and needs no
        other logits.
        """
        if step.quiet or step.draws or step.scored or step.masked:
            return None
        num_seqs = len(step.ids)
        if not step.drafts:
            if step.num_tokens != num_seqs:
                return None
            return next((shape for shape in self._decode_shapes if shape.num_seqs >= num_seqs), None)
        if not self._verify_shapes:
            return None
        num_drafts = [len(run) for run in step.drafts.values()]
        num_tokens, width = step.num_tokens, 1 + max(num_drafts)
        if num_tokens != num_seqs + sum(num_drafts):
            return None
        fitting = (s for s in self._verify_shapes if s[0] >= num_seqs and s[1] >= width and s.num_tokens >= num_tokens)
        return next(fitting, None)

    def run(self, step: Step, shape: GraphShape, rows: Ints, draw: DrawParameters) -> tuple[Tensor, Tensor]:
        """Run a step.

        Args:
            shape: what `shape_of` returned for it.
            rows: of its sequences; the step has already updated them.
            draw: sampling parameters of the token after each of its tokens, on the host.

        Returns:
            (logits [num_tokens, vocab_size], token ids [num_tokens] int64); the next step overwrites both.
        """
        verifies = shape.width > 1
        inputs = self.buffers.padding(verifies=verifies)
        if verifies:
            count = _fill_runs(inputs, step, rows)
        else:
            count = len(step.ids)
            inputs.rows[:count], inputs.positions[:count] = rows, step.firsts
        if len(inputs.adapters):
            inputs.adapters[:count] = np.repeat(self._batch.slots_of(rows), step.counts)
        if len(inputs.deltas):
            inputs.deltas[:count] = np.repeat(self._batch.rows.position_deltas[rows], step.counts)
        for column, values in zip(inputs.draw, draw, strict=True):
            column[:count] = values
        self.buffers.copy_from(inputs)
        self._replay[shape]()
        assert self.buffers.logits is not None
        return self.buffers.logits[:count], self.buffers.token_ids[:count]

    def _compute(self, shape: GraphShape) -> None:
        """Compute a step of this shape from the buffers; a graph records this."""
        count, buffers = shape.num_tokens, self.buffers
        inputs, tokens = buffers.inputs, self._batch.rows.tokens
        rows, positions = inputs.rows[:count], inputs.positions[:count]
        at = positions.clamp_min(0)  # padding's position is -1: length 0 and no slot
        token_ids = tokens.gather(rows, at)
        if shape.width == 1:
            tables, sizes = buffers.tables[:, rows], self._batch.block_sizes
            metadata = [
                self._decode_metadata(tables[group], sizes[group], chunk, positions, at)
                for group, chunk in self._batch.table_views
            ]
        else:
            metadata = [
                self._verify_metadata(shape, group, rows, positions, at) for group, _ in self._batch.table_views
            ]
        step = self._batch.metadata(metadata, inputs.adapters[:count] if len(inputs.adapters) else None)
        on_axes = at
        if len(inputs.deltas):
            on_axes = (at + inputs.deltas[:count])[:, None].expand(-1, self._batch.position_axes).contiguous()
        logits = self._forward(token_ids, on_axes, step, buffers.every_row[:count])
        sampled = torch.ops.torchpaged.sample_tokens(logits, *(column[:count] for column in inputs.draw))
        tokens.scatter(rows, positions + 1, sampled)
        buffers.write_outputs(logits, sampled)

    def _decode_metadata(
        self, tables: Tensor, block_size: int, chunk: int, positions: Tensor, at: Tensor
    ) -> AttentionMetadata:
        """Return a decode step's metadata for layers that read all of a table, or only the query's attention chunk.

        Args:
            tables: of the sequences, in the layers' group.
            chunk: length of an attention chunk in tokens; 0 for all of the table.
        """
        block = tables.gather(1, (at // block_size)[:, None])[:, 0].long()
        slots = torch.where(positions < 0, -1, block * block_size + at % block_size)
        lens = positions + 1
        if chunk:
            lens = torch.where(positions < 0, 0, at % chunk + 1)
            first = at // chunk * (chunk // block_size)
            columns = first[:, None] + torch.arange(chunk // block_size, device=tables.device)
            tables = tables.gather(1, columns.clamp_max(tables.shape[1] - 1))
        return AttentionMetadata(slots, tables, lens.int(), self.buffers.query_start_loc[: len(positions) + 1], 1)

    def _verify_metadata(
        self, shape: GraphShape, group: int, rows: Tensor, positions: Tensor, at: Tensor
    ) -> AttentionMetadata:
        """Return the metadata of a step with drafts for the layers of a group."""
        sequences = self.buffers.inputs.sequences
        assert sequences is not None
        table, block_size, size = self.buffers.tables[group], self._batch.block_sizes[group], shape.num_seqs
        block = table[rows, at // block_size].long()
        slots = torch.where(positions < 0, -1, block * block_size + at % block_size)
        lens, starts = sequences.seq_lens[:size], sequences.query_start_loc[: size + 1]
        return AttentionMetadata(slots, table[sequences.rows[:size]], lens, starts, shape.width)

    def _addresses(self) -> list[int]:
        """Return the addresses of everything outside the graphs that they read or write, except the model's weights."""
        batch = self._batch
        caches = (tensor for cache in (*batch.caches, *batch.states) if cache is not None for tensor in cache.tensors)
        pools = () if batch.adapters is None else batch.adapters.pools.tensors
        return [tensor.data_ptr() for tensor in (*self.buffers.tensors, batch.rows.tokens.tensor, *caches, *pools)]

    def check(self) -> None:
        """Assert the invariants."""
        assert not self.buffers.tables[:, -1].any(), "the table of padding has blocks"
        assert self._addresses() == self._captured_at, "a tensor has moved whose address the graphs hold"


def _fill_runs(inputs: GraphInputs, step: Step, rows: Ints) -> int:
    """Write the tokens and sequences of a step with drafts into padding; return its number of tokens."""
    sequences = inputs.sequences
    assert sequences is not None
    firsts, counts = np.array(step.firsts, dtype=np.int64), np.array(step.counts, dtype=np.int64)
    seqs, count, ends = len(rows), int(counts.sum()), np.cumsum(counts)
    inputs.rows[:count] = np.repeat(rows, counts)
    inputs.positions[:count] = np.arange(count) + np.repeat(firsts - (ends - counts), counts)
    sequences.rows[:seqs], sequences.seq_lens[:seqs] = rows, firsts + counts
    sequences.query_start_loc[1 : seqs + 1], sequences.query_start_loc[seqs + 1 :] = ends, count
    return count

"""DecodeGraphs: decode steps on tensors that stay, padded to a few sizes, each captured once and then replayed."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.batch import StepBatch
from torchpaged.execution.compiled_forward import Forward
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import DrawParameters
from torchpaged.execution.upload import Upload, packed_bytes
from torchpaged.models.attention_metadata import AttentionMetadata
from torchpaged.scheduling import Step
from torchpaged.utils.huge_pages import uncollected

# Runs what it is given, or records it and returns what runs the record.
Capture = Callable[[Callable[[], None]], Callable[[], None]]


def capture_sizes(max_num_seqs: int) -> list[int]:
    """Batch sizes to capture, ascending: four in each octave, so that padding adds a quarter at most.

    Args:
        max_num_seqs: the last one.
    """
    sizes = {max_num_seqs}
    octave = 1
    while octave < max_num_seqs:
        sizes.update(octave * quarter // 4 for quarter in (4, 5, 6, 7))
        octave *= 2
    return sorted(size for size in sizes if size <= max_num_seqs)


class NotCapturable(Exception):
    """Why a forward cannot be captured."""


def cuda_capture() -> Capture:
    """Captures CUDA graphs of the current device that share one memory pool: capture the largest first.

    A call that waits for the device is not captured: the capture raises NotCapturable then, before it begins.
    """
    pool = torch.cuda.graph_pool_handle()
    stream = torch.cuda.Stream()  # one for all: memory that a call gives back there is the next one's

    def capture(call: Callable[[], None]) -> Callable[[], None]:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):  # kernels are compiled and libraries make their handles before the capture
            call()
            with refusing_to_wait():
                call()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        # thread_local: what other threads ask of CUDA meanwhile neither fails nor ends the capture.
        recording = torch.cuda.graph(graph, pool, stream, capture_error_mode="thread_local")
        # An engine that nobody has any more is a cycle of objects with its graphs in it: to destroy one while another
        # is captured is not permitted, and ends the capture.
        with uncollected(), workspaces_of_its_own(), recording:
            call()
        return graph.replay

    return capture


@contextmanager
def workspaces_of_its_own() -> Generator[None]:
    """A graph that is captured inside has cuBLAS' workspaces in its own memory.

    torch makes one workspace for each stream, at its first matrix product, and a graph holds its address. Made while
    warming up it would be anybody's memory once torch lets it go, which it does when a graph captured on the same
    stream ends (torch hands out 32 streams in turn, also to others) and when CUDA graph trees record. So it is made
    under the capture: in the graphs' pool, from which nothing is handed out as long as one of them lives. And it is
    let go behind the capture, so that nobody else's work on this stream finds it. CUDA graph trees do the same.
    """
    torch._C._cuda_clearCublasWorkspaces()
    try:
        yield
    finally:
        torch._C._cuda_clearCublasWorkspaces()


@contextmanager
def refusing_to_wait() -> Generator[None]:
    """What waits for the device inside, to read a value or to copy from pageable memory, raises NotCapturable."""
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():  # that it does not see every wait
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
    """Where an error was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}:{frame.lineno}"


class _Step(NamedTuple):
    """What a decode step brings, [largest size] each; arrays on the host, or where they lie on the device.

    Args:
        rows: int64, of the tables; padding has nobody's.
        positions: int64, of the token to compute; padding -1.
        draw: how to choose the next one.
    """

    rows: Any
    positions: Any
    draw: DrawParameters

    @classmethod
    def padding(cls, size: int, row: int) -> _Step:
        """A step of padding alone, on the host."""
        none: NDArray[np.int64] = np.full(size, -1, dtype=np.int64)
        return cls(np.full(size, row, dtype=np.int64), none, DrawParameters.greedy(size))

    def columns(self) -> list[Any]:
        """In the order in which they are sent."""
        return [self.rows, self.positions, *self.draw]

    @classmethod
    def of(cls, columns: Sequence[Any]) -> _Step:
        """What `columns` took apart."""
        rows, positions, *draw = columns
        return cls(rows, positions, DrawParameters(*draw))


class DecodeGraphs:
    """One token each of up to `sizes[-1]` sequences, chosen on the device.

    The device keeps a copy of the block tables, which a step brings up to date, and the tokens; what else an operator
    reads is computed from these within the graph. So a step is one copy, an update of the tables, and one graph.

    Invariants: between steps the device's tables are the rows', but for what `Rows.take_news` still has; the
    last row of each is null blocks; whatever a graph was captured with stays where it is.

    Attributes:
        tables: [groups, rows + 1, columns] int32, the device's copy.
        news_bytes: of arrays that fit all that can be news of it: places and blocks.

    Args:
        inputs: whose rows' tables it follows, and whose tokens it reads and writes.
        forward: of the model, or compiled, to logits.
        sizes: batch sizes to capture, ascending.
        capture: of CUDA graphs, or anything else that can run a call again.
    """

    def __init__(self, inputs: StepBatch, forward: Forward, sizes: Sequence[int], capture: Capture) -> None:
        self.sizes = list(sizes)
        self._inputs, self._forward, self._device = inputs, forward, inputs.device
        groups, rows, columns = inputs.rows.tables.shape
        self.tables = torch.zeros(groups, rows + 1, columns, dtype=torch.int32, device=self._device)
        padding, places = _Step.padding(self.sizes[-1], rows), groups * rows * columns
        self.news_bytes = [places * 8, places * 4]
        layout = [column.nbytes for column in padding.columns()] + self.news_bytes
        self._upload = Upload(self._device, capacity=packed_bytes(layout), fixed=True)
        inputs.rows.follow_tables()
        self._step = self._send(padding)
        self._token_ids = torch.zeros(self.sizes[-1], dtype=torch.int64, device=self._device)
        self._query_start_loc = torch.arange(self.sizes[-1] + 1, dtype=torch.int32, device=self._device)
        self._logits: Tensor | None = None  # of any size: the graphs share the memory of all else
        self._replay = {size: self._captured(size, capture) for size in reversed(self.sizes)}
        self._captured_at = self._addresses()

    @property
    def padding(self) -> int:
        """The row of padding."""
        return self.tables.shape[1] - 1

    def fits(self, step: Step) -> bool:
        """Whether a step is one that was captured: one token of each sequence, one chosen for each, no other logits."""
        special = step.quiet or step.draws or step.scored or step.masked
        return 0 < len(step.ids) <= self.sizes[-1] and not special and step.num_tokens == len(step.ids)

    def run(self, step: Step, rows: Ints, draw: DrawParameters) -> tuple[Tensor, Tensor]:
        """Runs a step that fits.

        Args:
            rows: of its sequences, which it has brought up to date.
            draw: how to choose each sequence's token, on the host.

        Returns:
            (logits [num_seqs, vocab_size], token ids [num_seqs] int64), which the next step overwrites.
        """
        count = len(step.ids)
        new = _Step.padding(self.sizes[-1], self.padding)
        new.rows[:count], new.positions[:count] = rows, step.firsts
        for mine, given in zip(new.draw, draw, strict=True):
            mine[:count] = given
        placed = self._send(new)
        assert placed.rows.data_ptr() == self._step.rows.data_ptr(), "the step lies elsewhere than graphs read it"
        size = next(size for size in self.sizes if size >= count)
        self._replay[size]()
        assert self._logits is not None
        return self._logits[:count], self._token_ids[:count]

    def _send(self, new: _Step) -> _Step:
        """Brings the device's step and tables up to date: where the step lies there, the same place every time."""
        self._upload.start()
        placed = _Step.of([self._upload.put(column) for column in new.columns()])
        self.follow(self._upload)
        return placed

    def follow(self, upload: Upload) -> None:
        """Sends what was put into an upload, with what is news of the tables, and writes that down there."""
        cells, blocks = self._news()
        places = upload.put(cells)
        values = upload.put(blocks)
        upload.send()
        if len(cells):
            self.tables.view(-1).index_copy_(0, places, values)

    def _news(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """What changed in the tables: (place in the flat tables, block)."""
        _, rows, columns = self.tables.shape
        news = self._inputs.rows.take_news()
        cells = ((group * rows + row) * columns + column for group, row, column in news)
        return np.fromiter(cells, np.int64, len(news)), np.fromiter(news.values(), np.int32, len(news))

    def _captured(self, size: int, capture: Capture) -> Callable[[], None]:
        return capture(lambda: self._run(size))

    def _run(self, size: int) -> None:
        """A decode step of the first `size` places: what a graph records."""
        rows, positions = self._step.rows[:size], self._step.positions[:size]
        tokens = self._inputs.rows.tokens
        at = positions.clamp_min(0)  # nobody's position is -1: of length 0 then, without a slot
        token_ids = tokens.read(rows, at)
        tables = self.tables[:, rows]
        sizes = self._inputs.sizes
        metadata = [
            self._metadata(tables[group], sizes[group], chunk, positions, at) for group, chunk in self._inputs.ways
        ]
        step = self._inputs.metadata(metadata)
        logits = self._forward(token_ids, at, step, self._query_start_loc[:size].long())
        chosen = torch.ops.torchpaged.sample_tokens(logits, *(x[:size] for x in self._step.draw))
        tokens.put(rows, positions + 1, chosen)
        self._token_ids[:size] = chosen
        if self._logits is None:  # not within a capture: it is called before
            self._logits = logits.new_empty(self.sizes[-1], logits.shape[1])
        self._logits[:size] = logits

    def _metadata(self, tables: Tensor, size: int, chunk: int, positions: Tensor, at: Tensor) -> AttentionMetadata:
        """For the layers that read tables of a group in one way: all of it, or the query's chunk."""
        block = tables.gather(1, (at // size)[:, None])[:, 0].long()
        slots = torch.where(positions < 0, -1, block * size + at % size)
        lens = positions + 1
        if chunk:
            lens = torch.where(positions < 0, 0, at % chunk + 1)
            first = at // chunk * (chunk // size)
            columns = first[:, None] + torch.arange(chunk // size, device=self._device)
            tables = tables.gather(1, columns.clamp_max(tables.shape[1] - 1))
        return AttentionMetadata(slots, tables, lens.int(), self._query_start_loc[: len(positions) + 1], 1)

    def _addresses(self) -> list[int]:
        """Of all that lives outside of the graphs and that they read or write, but for the model's weights."""
        inputs = self._inputs
        every_cache = (*inputs.caches, *inputs.states)
        caches = (tensor for cache in every_cache if cache is not None for tensor in cache.tensors)
        own = (self.tables, self._token_ids, self._query_start_loc, self._logits, inputs.rows.tokens.tensor)
        every = (*self._step.columns(), *own, *caches)
        return [each.data_ptr() for each in every if each is not None]

    def check(self) -> None:
        """Asserts the invariants."""
        assert not self.tables[:, -1].any(), "the table of nobody has blocks"
        assert self._addresses() == self._captured_at, "something has moved that the graphs hold the address of"

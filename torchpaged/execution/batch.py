"""InputBatch: a scheduled step as tensors. Owns the block tables of running requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StepMetadata
from torchpaged.bookkeeping import Bookkeeping
from torchpaged.kv_cache.spec import CrossAttentionSpec, KVCacheGroup
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput
from torchpaged.execution.upload import Upload

_Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StepInputs:
    """What the model's forward takes.

    Args:
        input_ids, positions: [num_tokens] int64.
        logit_rows: [num_rows] int64, the rows of the packed step whose logits are needed.
        metadata: for the attention operators.
        num_logit_rows: how many of the rows are not padding.
        sampled_rows: int64, in the tables, of the requests that a token is chosen for.

    The tensors are the batch's own buffers: the next step overwrites them.
    """

    input_ids: Tensor
    positions: Tensor
    logit_rows: Tensor
    metadata: StepMetadata
    num_logit_rows: int
    sampled_rows: Tensor


class InputBatch:
    """Keeps a block table for each request and group, grows it by what a step adds, and writes the step's tensors.

    Layers that see the tokens of their own chunk alone get a metadata of their own: the part of a query that lies
    in one chunk is a sequence, whose table begins with the chunk's first block. So do layers of cross-attention: see
    `AttentionMetadata.causal`.

    All of a step's arrays lie in buffers that stay, and go to the device in one copy.

    Invariants: each request that the scheduler has running and started owns one row of the tables, which holds
    its blocks in order; the other rows are free.

    Attributes:
        ways: how the tables are read: (group, chunk size or 0).
        way_of_layer: by layer index, the place in `ways`.
        table_shape: (groups, max_num_seqs, max_blocks_per_seq).
        last_tokens: [max_num_seqs + 1] int64 on the device: by row, the token chosen last (`remember`), from which a
            step takes a token that has no value on this side yet. The last row is nobody's.

    Args:
        groups: one block table a request for each.
        chunk_sizes: by layer index, the length of its attention chunk, 0 for none.
        caches: every layer's pool, by layer index.
        max_num_seqs, max_blocks_per_seq: the size of a group's tables.
        block_size: tokens in a block.
        device: where the tensors go.
        least: every size that changes from step to step is padded up to this: tokens (no slot, behind the last
            query), sequences (of length 0), table columns (the null block), logit rows (the first row).
    """

    def __init__(
        self,
        *,
        groups: Sequence[KVCacheGroup],
        chunk_sizes: Mapping[int, int],
        caches: Sequence[LayerCache],
        max_num_seqs: int,
        max_blocks_per_seq: int,
        block_size: int,
        device: torch.device,
        least: int = 0,
    ) -> None:
        self.block_size, self.device, self.caches, self.least = block_size, device, caches, least
        reads = {
            index: (place, chunk_sizes.get(index, 0)) for place, group in enumerate(groups) for index in group.layers
        }
        # The table of the encoder's tokens, None without an encoder.
        self._cross = next((i for i, group in enumerate(groups) if isinstance(group.spec, CrossAttentionSpec)), None)
        # How the tables are read, as (group, chunk size), and which of these ways each layer takes.
        self.ways = sorted(set(reads.values()))
        self.way_of_layer = [self.ways.index(reads[index]) for index in sorted(reads)]
        # 0 is the null block.
        self._tables: NDArray[np.int32] = np.zeros((len(groups), max_num_seqs, max_blocks_per_seq), dtype=np.int32)
        self.books = Bookkeeping()
        self.reset()
        self._upload = Upload(device)
        self.last_tokens = torch.zeros(max_num_seqs + 1, dtype=torch.int64, device=device)
        self._news: dict[tuple[int, int, int], int] | None = None

    def write(self, step: SchedulerOutput) -> StepInputs:
        """The step's tensors."""
        rows = self.update_rows(step)
        items = step.requests
        self._upload.start()
        firsts: _Ints = np.array([item.num_computed_tokens for item in items], dtype=np.int64)
        counts: _Ints = np.array([item.num_new_tokens for item in items], dtype=np.int64)
        starts: _Ints = np.zeros(len(items) + 1, dtype=np.int64)
        np.cumsum(counts, out=starts[1:])
        token_ids: list[int] = []
        logit_rows: list[int] = []
        pending: list[tuple[int, int]] = []  # (place of a token that the device alone knows, row of its request)
        for item, row, start in zip(items, rows.tolist(), starts.tolist(), strict=False):
            token_ids += item.token_ids
            logit_rows += [start + position for position in logit_positions(item)]
            if len(token_ids) < start + item.num_new_tokens:
                pending.append((len(token_ids), row))
                token_ids.append(0)
        positions = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], counts)
        metadata = self._metadata(rows, firsts, counts, starts, positions)
        if self._cross is not None:
            lens: _Ints = np.array([item.request.num_encoder_tokens for item in items], dtype=np.int64)
            metadata.append(self._cross_metadata(rows, counts, lens, [encodes(item) for item in items]))
        inputs = StepInputs(
            self._put(self._pad(np.array(token_ids, dtype=np.int64))),
            self._put(self._pad(positions)),
            self._put(self._pad(np.array(logit_rows, dtype=np.int64))),
            StepMetadata(metadata, self.way_of_layer, self.caches),
            len(logit_rows),
            self._put(rows[[item.samples and not item.request.given for item in items]]),
        )
        places = self._put(np.array(pending, dtype=np.int64).reshape(-1, 2))
        self._upload.send()
        if pending:
            inputs.input_ids[places[:, 0]] = self.last_tokens[places[:, 1]].clamp_min(0)  # -1: there was none to choose
        return inputs

    def reset(self) -> None:
        """No request has a row, whatever state the rows are in."""
        groups, rows, _ = self._tables.shape
        self._rows: dict[str, int] = {}
        self._free_rows = list(range(rows - 1, -1, -1))
        self._lengths = [[0] * groups for _ in range(rows)]  # blocks in each row
        self.books.settle()

    @property
    def table_shape(self) -> tuple[int, int, int]:
        """Of the block tables of all groups."""
        groups, rows, columns = self._tables.shape
        return groups, rows, columns

    def update_rows(self, step: SchedulerOutput) -> _Ints:
        """Brings the tables up to date, and returns the row of each of the step's requests."""
        with self.books:
            for request_id in step.released:
                if (row := self._rows.pop(request_id, None)) is not None:
                    self._free_rows.append(row)
            return np.array([self._update_row(item) for item in step.requests], dtype=np.int64)

    def remember(self, rows: Tensor, token_ids: Tensor) -> None:
        """The tokens that a step has chosen for requests, by their rows."""
        self.last_tokens.index_copy_(0, rows, token_ids)

    def blank(
        self,
        query_lens: Sequence[int],
        context_lens: Sequence[int] | None = None,
        *,
        encoder_len: int = 1,
        every_row: bool = False,
    ) -> StepInputs:
        """A step of queries that write nowhere and see nothing of worth: to compile or to measure with.

        Args:
            context_lens: tokens before each query; None: none.
            encoder_len: tokens of each sequence's encoder, if there is one.
            every_row: whether it has logits of every token, instead of each query's last.
        """
        lens: _Ints = np.array(query_lens, dtype=np.int64)
        firsts: _Ints = np.zeros_like(lens) if context_lens is None else np.array(context_lens, dtype=np.int64)
        self._upload.start()
        starts: _Ints = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lens)])
        rows: _Ints = np.zeros(len(lens), dtype=np.int64)
        positions = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], lens)
        metadata = self._metadata(rows, firsts, lens, starts, positions)
        if self._cross is not None:
            seen: _Ints = np.full_like(lens, encoder_len)
            metadata.append(self._cross_metadata(rows, lens, seen, [False] * len(lens)))
        logit_rows = np.arange(starts[-1]) if every_row else starts[1:] - 1
        inputs = StepInputs(
            self._put(self._pad(np.zeros(len(positions), dtype=np.int64))),
            self._put(self._pad(positions)),
            self._put(self._pad(logit_rows)),
            StepMetadata(metadata, self.way_of_layer, self.caches),
            len(logit_rows),
            self._put(rows),
        )
        self._upload.send()
        for each in metadata:
            each.slot_mapping.fill_(-1)
        return inputs

    def _pad(self, values: NDArray[Any], filler: int = 0) -> NDArray[Any]:
        """At least `least` rows."""
        missing = self.least - len(values)
        if missing <= 0:
            return values
        return np.concatenate([values, np.full((missing, *values.shape[1:]), filler, dtype=values.dtype)])

    def _metadata(
        self, rows: _Ints, firsts: _Ints, counts: _Ints, starts: _Ints, positions: _Ints
    ) -> list[AttentionMetadata]:
        block, offset = np.divmod(positions, self.block_size)
        row_of_token: _Ints = np.repeat(rows, counts)
        slots = [
            self._put(self._pad(table[row_of_token, block].astype(np.int64) * self.block_size + offset, -1))
            for table in self._tables
        ]
        whole: tuple[Tensor, Tensor, int] | None = None
        metadata = []
        for group, chunk in self.ways:
            if group == self._cross:  # its way is the last
                continue
            if chunk:
                tables, lens, query_starts, longest = self._chunks(self._tables[group], chunk, rows, firsts, counts)
                shape = self._shape(lens, query_starts, longest)
            else:
                width = max(self.least, -(-int((firsts + counts).max(initial=1)) // self.block_size))
                tables = self._tables[group][rows, :width]
                if whole is None:  # the same in every group
                    lens = firsts + counts
                    whole = self._shape(lens, starts, int(counts.max(initial=0)))
                shape = whole
            metadata.append(AttentionMetadata(slots[group], self._put(self._pad(tables)), *shape))
        return metadata

    def _shape(self, lens: _Ints, starts: _Ints, longest: int) -> tuple[Tensor, Tensor, int]:
        """(seq_lens, query_start_loc, max_query_len), with empty sequences behind the others."""
        lens = self._pad(lens)
        starts = np.concatenate([starts, np.full(len(lens) + 1 - len(starts), starts[-1])])
        return self._put(lens.astype(np.int32)), self._put(starts.astype(np.int32)), longest

    def _chunks(
        self, tables: NDArray[np.int32], size: int, rows: _Ints, firsts: _Ints, counts: _Ints
    ) -> tuple[NDArray[np.int32], _Ints, _Ints, int]:
        """Each query cut at the borders of its chunks: (block tables, lengths, query starts, longest query)."""
        first_chunk = firsts // size
        parts = (firsts + counts - 1) // size - first_chunk + 1
        owner: _Ints = np.repeat(np.arange(len(rows)), parts)
        chunk = np.arange(len(owner)) - np.repeat(np.cumsum(parts) - parts - first_chunk, parts)
        begin = np.maximum(firsts[owner], chunk * size)
        end = np.minimum((firsts + counts)[owner], (chunk + 1) * size)
        lens = end - chunk * size
        width = max(self.least, -(-int(lens.max(initial=1)) // self.block_size))
        columns = (chunk * (size // self.block_size))[:, None] + np.arange(width)
        # A chunk that has just begun is shorter than the others: what stands behind its blocks is not read.
        columns = np.minimum(columns, tables.shape[1] - 1)
        starts: _Ints = np.zeros(len(owner) + 1, dtype=np.int64)
        np.cumsum(end - begin, out=starts[1:])
        return tables[rows[owner][:, None], columns], lens, starts, int((end - begin).max(initial=0))

    def _cross_metadata(self, rows: _Ints, counts: _Ints, lens: _Ints, encoded: Sequence[bool]) -> AttentionMetadata:
        """Each query cut into parts no longer than what it sees, and slots for what the encoder reads in this step."""
        assert self._cross is not None
        table = self._tables[self._cross]
        parts = -(-counts // lens)
        owner: _Ints = np.repeat(np.arange(len(rows)), parts)
        part = np.arange(len(owner)) - np.repeat(np.cumsum(parts) - parts, parts)
        sizes = np.minimum(counts[owner] - part * lens[owner], lens[owner])
        starts: _Ints = np.zeros(len(owner) + 1, dtype=np.int64)
        np.cumsum(sizes, out=starts[1:])
        width = -(-int(lens.max(initial=1)) // self.block_size)
        slots: list[_Ints] = [np.full(1, -1, dtype=np.int64)]  # an encoder that reads nothing gives a row all the same
        for row, length, is_encoded in zip(rows.tolist(), lens.tolist(), encoded, strict=True):
            if is_encoded:
                block, offset = np.divmod(np.arange(length), self.block_size)
                slots.append(table[row, block].astype(np.int64) * self.block_size + offset)
        return AttentionMetadata(
            self._put(np.concatenate(slots[1:] or slots)),
            self._put(table[rows[owner], :width]),
            *self._shape(lens[owner], starts, int(sizes.max(initial=0))),
            causal=False,
        )

    def _update_row(self, item: ScheduledRequest) -> int:
        """Brings the request's row up to date and returns it."""
        row = self._rows.get(item.request_id, -1)
        if item.starts:
            if row < 0:
                row = self._rows[item.request_id] = self._free_rows.pop()
            self._lengths[row] = [0] * len(self._tables)
        lengths = self._lengths[row]
        for group, blocks in enumerate(item.new_block_ids):
            if blocks:
                length = lengths[group]
                self._write(group, row, length, blocks)
                lengths[group] += len(blocks)
        for group, index, block in item.changed_blocks:
            self._write(group, row, index, (block,))
        return row

    def _write(self, group: int, row: int, index: int, blocks: Sequence[int]) -> None:
        self._tables[group, row, index : index + len(blocks)] = blocks
        if self._news is not None:
            self._news.update(((group, row, index + i), block) for i, block in enumerate(blocks))

    def follow_tables(self) -> None:
        """From now on `take_news` has what a copy of the tables on the device must be told; at first all there is."""
        places = zip(*(axis.tolist() for axis in self._tables.nonzero()), strict=True)
        self._news = {(group, row, i): int(self._tables[group, row, i]) for group, row, i in places}

    def take_news(self) -> Mapping[tuple[int, int, int], int]:
        """What was written since the last call: by (group, row, column), the block that is there now."""
        assert self._news is not None, "nobody follows the tables"
        news, self._news = self._news, {}
        return news

    def _put(self, values: NDArray[Any]) -> Tensor:
        return self._upload.put(values)

    def check(self) -> None:
        """Asserts the invariants."""
        used = list(self._rows.values())
        assert len(set(used)) == len(used) and sorted(used + self._free_rows) == list(range(len(self._lengths)))


def encodes(item: ScheduledRequest) -> bool:
    """Whether a request's encoder runs in a step: in its first, and in the first after a preemption."""
    return item.request.encoder is not None and item.num_computed_tokens == 0


def logit_positions(item: ScheduledRequest) -> list[int]:
    """Which of a request's rows in a step need logits, counted from its first row.

    The last one when a token is to be chosen; with prompt logprobs also every row of `prompt_logprob_positions`; for a
    given completion those that predict a token that is scored, the last of which is the last one too.
    """
    if item.request.given:
        begin = max(0, item.request.next_scored - item.num_computed_tokens - 1)
        return list(range(begin, item.num_new_tokens))
    wanted = list(prompt_logprob_positions(item))
    if item.samples:
        wanted.append(item.num_new_tokens - 1)
    return wanted


def prompt_logprob_positions(item: ScheduledRequest) -> range:
    """The rows that predict a prompt token whose logprobs are wanted; row i predicts position num_computed + i + 1.

    None for a request that has generated something: it was preempted, and its prompt is known.
    """
    request, params = item.request, item.request.params
    if params.prompt_logprobs is None or request.num_output_tokens:
        return range(0)
    first = item.num_computed_tokens + 1
    begin = max(0, params.prompt_logprobs_start - first)
    return range(begin, max(begin, min(item.num_new_tokens, request.num_prompt_tokens - first)))

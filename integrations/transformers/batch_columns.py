"""Maps the columns of a padded batch to block tables: which columns are tokens, and where a forward's tokens go.

transformers counts columns, padding included; blocks hold tokens only. Tensors here live on the host;
`ColumnStep.metadata` builds the tensors that the operators read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from torchpaged.kv_cache.spec import ChunkedLocalAttentionSpec, KVCacheSpec
from torchpaged.models.attention_metadata import AttentionMetadata


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that a cache holds.

    Args:
        count: the number of columns.
        lengths: the number of tokens in each row.
        valid: [num_rows, count] bool, False for padding; None: no padding.
    """

    count: int
    lengths: list[int]
    valid: Tensor | None = None

    @classmethod
    def empty(cls, num_rows: int) -> Columns:
        """Make rows without columns."""
        return cls(0, [0] * num_rows)

    @property
    def num_rows(self) -> int:
        """The batch size."""
        return len(self.lengths)

    def cropped(self, count: int) -> Columns:
        """Return these columns without the last `count`."""
        left = self.count - count
        if self.valid is None:
            return Columns(left, [length - count for length in self.lengths])
        valid = self.valid[:, :left]
        return Columns(left, valid.sum(1).tolist(), valid)

    def selected(self, indices: Sequence[int]) -> Columns:
        """Return the columns of these rows, in this order."""
        valid = None if self.valid is None else self.valid[list(indices)]
        return Columns(self.count, [self.lengths[index] for index in indices], valid)

    def step(self, num_rows: int, length: int, mask: Tensor | None) -> ColumnStep:
        """Return a step that appends `length` columns.

        Args:
            mask: [num_rows, count + length] bool, as `valid`; None: no new column is padding.

        Raises:
            ValueError: the batch size differs from before; or the mask has another shape, or differs from `valid` in
                columns that were written already.
        """
        if num_rows != self.num_rows:
            raise ValueError(
                f"PagedCache: the forward's batch is {num_rows}, the cache has {self.num_rows} rows; "
                "use batch_repeat_interleave or batch_select_indices, or reset() it"
            )
        end, index = self.count + length, None
        lengths, valid = [before + length for before in self.lengths], self.valid
        if mask is not None:
            valid = mask.to("cpu", torch.bool)
            self._require_fit(valid, end)
            lengths = valid.sum(1).tolist()
            new = valid[:, self.count :]
            index = None if new.all() else new.flatten().nonzero().flatten()
        elif valid is not None:
            valid = torch.cat([valid, valid.new_ones(num_rows, length)], 1)
        return ColumnStep(length, self.lengths, lengths, index, Columns(end, lengths, valid))

    def _require_fit(self, mask: Tensor, end: int) -> None:
        if mask.shape != (self.num_rows, end):
            raise ValueError(
                f"attn_implementation='torchpaged': attention_mask is {list(mask.shape)}, expected "
                f"{[self.num_rows, end]}: a column for each of the cache's {self.count} and for each of the forward's"
            )
        before = mask[:, : self.count]
        if not (before.all() if self.valid is None else torch.equal(before, self.valid)):
            raise ValueError(
                "attn_implementation='torchpaged': attention_mask hides other columns than when they were written to "
                "the cache, expected the same; use another cache, or attn_implementation='sdpa'"
            )


@dataclass(frozen=True, slots=True)
class ColumnStep:
    """The columns of one forward.

    Args:
        length: the number of columns.
        firsts, lengths: the number of tokens in each row before and after the forward.
        index: indices of tokens among the forward's columns, flattened row by row; None: all are tokens.
        after: the cache's columns after the forward.
    """

    length: int
    firsts: list[int]
    lengths: list[int]
    index: Tensor | None
    after: Columns

    def pack(self, x: Tensor) -> Tensor:
        """Drop padding: [num_rows, heads, length, dim] -> [num_tokens, heads, dim], row after row."""
        x = x.transpose(1, 2).flatten(0, 1)
        return x if self.index is None else x[self.index.to(x.device)]

    def unpack(self, x: Tensor) -> Tensor:
        """Restore padding: [num_tokens, heads, dim] -> [num_rows, length, heads, dim], 0 in padded columns."""
        if self.index is not None:
            tokens = x
            x = tokens.new_zeros(len(self.firsts) * self.length, *tokens.shape[1:])
            x[self.index.to(x.device)] = tokens
        rows: Tensor = x.unflatten(0, (-1, self.length))
        return rows

    def tail(self, length: int) -> ColumnStep:
        """Return the step of the last `length` columns alone."""
        if self.index is None:
            firsts = [after - length for after in self.lengths]
            return ColumnStep(length, firsts, self.lengths, None, self.after)
        assert self.after.valid is not None
        new = self.after.valid[:, -length:]
        counts = new.sum(1).tolist()
        firsts = [after - count for after, count in zip(self.lengths, counts, strict=True)]
        return ColumnStep(length, firsts, self.lengths, new.flatten().nonzero().flatten(), self.after)

    def are_runs(self, repeats: int) -> bool:
        """Return True if a first forward's rows can be runs of `repeats` equal rows: their padding is equal."""
        if len(self.firsts) % repeats or any(self.firsts):
            return False
        valid = self.after.valid
        return valid is None or torch.equal(valid, valid[::repeats].repeat_interleave(repeats, 0))

    @property
    def has_holes(self) -> bool:
        """True if padding lies between a row's tokens, so that distances in columns differ from those in tokens."""
        return bool((self._runs_of_tokens() > 1).any())

    def _runs_of_tokens(self) -> Tensor:
        """Return [num_rows]: the number of contiguous runs of tokens in each row."""
        valid = self.after.valid
        if valid is None:
            return torch.ones(1, dtype=torch.int64)
        return valid[:, :1].sum(1) + (valid[:, 1:] & ~valid[:, :-1]).sum(1)

    def require_no_holes(self) -> None:
        """Raise ValueError if padding lies between a row's tokens: transformers' attention chunks would count it."""
        if self.has_holes:
            raise ValueError(
                f"attn_implementation='torchpaged': attention_mask has padding between the tokens of row "
                f"{int(self._runs_of_tokens().argmax())}, and this model has attention chunks, which count it; "
                "pad on the left, or use attn_implementation='sdpa'"
            )

    def metadata(self, tables: Sequence[Sequence[int]], spec: KVCacheSpec, repeats: int = 1) -> AttentionMetadata:
        """Build attention metadata for these block tables.

        Args:
            repeats: rows come in runs of this many that share blocks; only the first row of a run writes.
        """
        if isinstance(spec, ChunkedLocalAttentionSpec):
            return self._chunked(tables, spec, repeats)
        if self.length == 1 and self.index is None and repeats == 1:  # a decode step: fewer tensor operations
            size = spec.block_size
            slots = [row[at // size] * size + at % size for row, at in zip(tables, self.firsts, strict=True)]
            return AttentionMetadata(
                torch.tensor(slots),
                _padded(tables),
                torch.tensor(self.lengths, dtype=torch.int32),
                torch.arange(len(slots) + 1, dtype=torch.int32),
                max_query_len=1,
            )
        counts = [after - before for before, after in zip(self.firsts, self.lengths, strict=True)]
        blocks = _padded(tables)
        return AttentionMetadata(
            slot_mapping=self._slots(blocks, spec.block_size, counts, repeats),
            block_tables=blocks,
            seq_lens=torch.tensor(self.lengths, dtype=torch.int32),
            query_start_loc=_starts(counts),
            max_query_len=self.length,
        )

    def _slots(self, blocks: Tensor, block_size: int, counts: list[int], repeats: int) -> Tensor:
        """Return the slot of each token, [num_tokens] int64; -1 for rows that do not write."""
        rows = torch.arange(len(counts)).repeat_interleave(torch.tensor(counts))
        before = _starts(counts)[:-1].long()
        positions = torch.arange(len(rows)) + (torch.tensor(self.firsts) - before)[rows]
        slots = blocks[rows, positions // block_size].long() * block_size + positions % block_size
        if repeats > 1:
            slots[rows % repeats != 0] = -1
        return slots

    def _chunked(
        self, tables: Sequence[Sequence[int]], spec: ChunkedLocalAttentionSpec, repeats: int
    ) -> AttentionMetadata:
        """Build metadata in which each chunk's part of a row is a sequence of its own, from the chunk's start on."""
        size, per_chunk = spec.chunk_size, spec.chunk_size // spec.block_size
        parts, lengths, counts = [], [], []
        for table, first, total in zip(tables, self.firsts, self.lengths, strict=True):
            for chunk in range(first // size, -(-total // size) if total > first else first // size):
                begin, end = max(first, chunk * size), min(total, (chunk + 1) * size)
                parts.append(table[chunk * per_chunk : (chunk + 1) * per_chunk])
                lengths.append(end - chunk * size)
                counts.append(end - begin)
        of_rows = [after - before for before, after in zip(self.firsts, self.lengths, strict=True)]
        return AttentionMetadata(
            slot_mapping=self._slots(_padded(tables), spec.block_size, of_rows, repeats),
            block_tables=_padded(parts),
            seq_lens=torch.tensor(lengths, dtype=torch.int32),
            query_start_loc=_starts(counts),
            max_query_len=max(counts),
        )


def _padded(tables: Sequence[Sequence[int]]) -> Tensor:
    """Return [num_seqs, longest] int32 block tables, padded with the null block."""
    longest = max(1, *map(len, tables)) if tables else 1
    return torch.tensor([[*table, *[0] * (longest - len(table))] for table in tables], dtype=torch.int32)


def _starts(counts: Sequence[int]) -> Tensor:
    """Return cumulative counts, [len(counts) + 1] int32."""
    return torch.tensor([0, *counts]).cumsum(0).to(torch.int32)

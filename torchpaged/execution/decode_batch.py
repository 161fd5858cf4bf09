"""DecodeBatch: the inputs of decode steps on a CPU, written by one call of the C++ library."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.logits import LogitPlan
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.ops import cpu
from torchpaged.scheduling import Step

# Steps get block tables with room for a multiple of so many tokens, so that longer sequences seldom change the shape.
_ROOM = 1024


class DecodeBatch:
    """Makes the inputs of steps that compute one token of each sequence and need its logits alone.

    The tensors are as large as the largest step needs and never move; a step has their first elements. What depends on
    the number of sequences alone is made once.

    Args:
        rows: state of each sequence.
        block_sizes: tokens in a block, by group.
        groups: by table view, the group whose tables it has; every view reads them from their first block on.
        unmapped: groups whose slot mapping no layer reads.
        metadata: makes a step's metadata of the views', and of the slot of each token's adapter, if any has one.
        slots_of: returns the slot of each row's adapter; -1 where it has none. None: no row has one.
        position_axes: see `ModelSpec`.
    """

    def __init__(
        self,
        rows: Rows,
        block_sizes: Sequence[int],
        groups: Sequence[int],
        unmapped: Collection[int],
        metadata: Callable[[Sequence[AttentionMetadata], Tensor | None], StepMetadata],
        slots_of: Callable[[Ints], NDArray[np.int32]] | None,
        position_axes: int = 1,
    ) -> None:
        self._rows, self._block_sizes, self._groups = rows, block_sizes, groups
        self._unmapped, self._metadata, self._slots_of = unmapped, metadata, slots_of
        num_groups, most, num_columns = rows.tables.shape
        numbers = torch.zeros(4, most, dtype=torch.int64)
        self._row_of_sequence, self._positions, self._input_ids, self._lengths = numbers
        self._on_axes = torch.zeros(most, position_axes, dtype=torch.int64) if position_axes > 1 else self._positions
        self._every_row = torch.arange(most)
        self._seq_lens = torch.zeros(most, dtype=torch.int32)
        self._starts = torch.arange(most + 1, dtype=torch.int32)
        self._adapter_slots = torch.full((most,), -1, dtype=torch.int32)
        self._tables = torch.zeros(num_groups, most, num_columns, dtype=torch.int32)
        self._slots = torch.zeros(num_groups, most, dtype=torch.int64)
        self._sizes: dict[int, _Size] = {}
        self._known: Ints | None = None  # what `_row_of_sequence` holds
        source = torch.from_numpy(rows.tables)
        tokens = rows.tokens.tensor
        plan = [tokens.data_ptr(), most, tokens.shape[1]]
        plan += [each.data_ptr() for each in (*numbers, self._seq_lens)]
        plan.append(num_groups)
        for group, size in enumerate(block_sizes):
            slots = 0 if group in unmapped else self._slots[group].data_ptr()
            plan += [source[group].data_ptr(), num_columns, size, self._tables[group].data_ptr(), slots]
        self._plan = torch.tensor(plan, dtype=torch.int64)

    def prepare(self, step: Step, rows: Ints) -> StepInputs:
        """Return the inputs of a step with `Step.is_decode`, whose sequences are in these rows."""
        count = len(step.ids)
        size = self._sizes.get(count) or self._add_size(count)
        if rows is not self._known:
            size.rows[:], self._known = rows, rows
        size.positions[:] = step.firsts
        if self._on_axes is not self._positions:
            axes = self._on_axes.shape[1]
            on_axes = self._rows.positions(rows, size.positions, np.ones_like(rows), size.positions, axes)
            self._on_axes.numpy()[:count] = on_axes
        longest = cpu.decode_inputs(self._plan, count)
        has_adapters = False
        if self._slots_of is not None:
            slots = self._slots_of(rows)
            if has_adapters := bool((slots >= 0).any()):
                size.adapter_slots[:] = slots
        if longest > size.room:
            size.room, size.metadata = -(-longest // _ROOM) * _ROOM, {}
        metadata = size.metadata.get(has_adapters)
        if metadata is None:
            metadata = size.metadata[has_adapters] = self._metadata_of(count, size.room, has_adapters=has_adapters)
        plan = LogitPlan(size.every, list(step.ids), size.every, size.every)
        return StepInputs(*size.tensors, metadata, plan, rows, size.lengths)

    def renew(self) -> None:
        """Make all metadata again, because the pools are others."""
        self._sizes.clear()

    def _add_size(self, count: int) -> _Size:
        every = self._every_row[:count]
        tensors = self._input_ids[:count], self._on_axes[:count], every
        rows, lengths, slots = (
            each[:count].numpy() for each in (self._row_of_sequence, self._lengths, self._adapter_slots)
        )
        positions = self._positions[:count].numpy()
        made = self._sizes[count] = _Size(tensors, rows, positions, lengths, every.numpy(), slots)
        return made

    def _metadata_of(self, count: int, room: int, *, has_adapters: bool) -> StepMetadata:
        """Return the metadata of steps of `count` sequences with at most `room` tokens each."""
        views = []
        for group in self._groups:
            tables = self._tables[group, :count, : -(-room // self._block_sizes[group])]
            slots = self._slots[0 if group in self._unmapped else group, :count]
            views.append(AttentionMetadata(slots, tables, self._seq_lens[:count], self._starts[: count + 1], 1))
        return self._metadata(views, self._adapter_slots[:count] if has_adapters else None)


@dataclass(slots=True)
class _Size:
    """Buffers and metadata that all steps of one number of sequences share.

    Args:
        tensors: input ids, positions and wanted rows.
        rows, positions, lengths, every, adapter_slots: on the host, [num_seqs].
        room: most tokens of a sequence for which there are columns in the tables of `metadata`.
        metadata: of steps with adapters (True) and without.
    """

    tensors: tuple[Tensor, Tensor, Tensor]
    rows: Ints
    positions: Ints
    lengths: Ints
    every: Ints
    adapter_slots: NDArray[np.int32]
    room: int = 0
    metadata: dict[bool, StepMetadata] = field(default_factory=dict)

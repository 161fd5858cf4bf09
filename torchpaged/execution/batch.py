"""StepBatch: makes the tensors of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.execution.decode_batch import DecodeBatch
from torchpaged.execution.logits import LogitPlan
from torchpaged.execution.media_pool import MediaPool
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.execution.upload import Upload, placed
from torchpaged.kv_cache.spec import CrossAttentionSpec, KVCacheGroup, StateSpec, TailSpec
from torchpaged.models.attention_metadata import (
    AttentionMetadata,
    LayerCache,
    RowCache,
    StateCache,
    StepAdapters,
    StepMetadata,
)
from torchpaged.ops import cpu
from torchpaged.scheduling import Step


class StepBatch:
    """Makes a step's tensors from the rows. All arrays go to the device in one copy, into buffers that are reused.

    Layers with chunked attention have metadata of their own: the part of a query in one chunk counts as a sequence,
    whose table begins with the chunk's first block. So do layers with cross-attention, see `AttentionMetadata.causal`.

    Attributes:
        table_views: the ways in which layers read block tables, (group, chunk size or 0) each; those of state and tail
            slots come last.
        view_of_layer: by layer index, the place in `table_views`; 0 for a layer without attention.
        block_sizes: tokens in a block, by group.
        position_axes: axes of a token's position.
        state_group: the place in `table_views` of the state slots, which the tail slots follow; -1: there are none.

    Args:
        rows: state of each sequence.
        groups: kinds of layers with one block table per sequence each.
        chunk_sizes: by layer index, the length of its attention chunk in tokens; 0 for none.
        caches: by layer index, the layer's pool; None for a layer without attention.
        block_size: tokens in a block.
        device: of the tensors.
        least: minimum that each varying size is padded up to: tokens (without a slot, after the last query), sequences
            (of length 0), table columns (the null block), wanted rows (row 0).
        states: by layer index, the recurrent layer's slots; empty if there is none.
        adapters: in which slot each adapter is; None: requests have none.
        always_adapted: whether steps without an adapter have slots too, all -1, because one graph is for all steps.
        causal: False for an encoder, whose tokens attend in both directions.
        position_axes, media_attends_both_ways: see `ModelSpec`.
        masks_windows: `ModelSpec.media_sees_in_windows`.
        media_pool: keys of images for the layers that attend to them, whose metadata comes last; None: there are none.
        media_layers: indexes of these layers.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        groups: Sequence[KVCacheGroup],
        chunk_sizes: Mapping[int, int],
        caches: Sequence[LayerCache | RowCache | None],
        block_size: int,
        device: torch.device,
        least: int = 0,
        states: Sequence[StateCache | None] = (),
        adapters: AdapterSlots | None = None,
        always_adapted: bool = False,
        causal: bool = True,
        position_axes: int = 1,
        media_attends_both_ways: bool = False,
        masks_windows: bool = False,
        media_pool: MediaPool | None = None,
        media_layers: Sequence[int] = (),
    ) -> None:
        self._causal, self.position_axes, self._sees_media = causal, position_axes, media_attends_both_ways
        self._masks_windows = masks_windows
        self.adapters, self._always_adapted = adapters, always_adapted
        self.rows, self.block_size, self.device, self.least = rows, block_size, device, least
        self._media_pool = media_pool
        self.caches = caches if media_pool is None else media_pool.with_caches(caches)
        self.states, self.block_sizes = states, [group.spec.block_size for group in groups]
        slots = [(place, 0) for place, group in enumerate(groups) if isinstance(group.spec, (StateSpec, TailSpec))]
        self._slot_groups = {place for place, _ in slots}
        reads = {
            index: (place, chunk_sizes.get(index, 0))
            for place, group in enumerate(groups)
            if (place, 0) not in slots
            for index in group.layers
        }
        # The group of the encoder's tokens; None without an encoder.
        self._cross = next((i for i, group in enumerate(groups) if isinstance(group.spec, CrossAttentionSpec)), None)
        self.table_views = [*sorted(set(reads.values())), *slots]
        self.state_group = len(self.table_views) - 2 if slots else -1
        places = {way: place for place, way in enumerate(self.table_views)}
        self.view_of_layer = [
            places[reads[index]] if index in reads else 0
            for index in range(max([*reads, *media_layers], default=-1) + 1)
        ]
        for index in media_layers:
            self.view_of_layer[index] = len(self.table_views)
        self._upload = Upload(device)
        # Padding, chunks, cross-attention and encoders need more than it does.
        plain = causal and least == 0 and self._cross is None and media_pool is None
        plain = plain and not any(chunk for _, chunk in self.table_views)
        self._decode: DecodeBatch | None = None
        if plain and groups and device.type == "cpu" and cpu.isa() != "none":
            self._decode = DecodeBatch(
                rows,
                self.block_sizes,
                [group for group, _ in self.table_views],
                self._slot_groups - {0},
                self.metadata,
                None if adapters is None else self.slots_of,
                position_axes,
            )

    def prepare(self, step: Step, rows: Ints | None = None) -> StepInputs:
        """Return the step's tensors.

        Args:
            step: the step.
            rows: of its sequences, if it has already updated them; None: it updates them now.
        """
        rows = self.rows.update(step) if rows is None else rows
        if self._decode is not None and step.is_decode:
            return self._decode.prepare(step, rows)
        firsts: Ints = np.array(step.firsts, dtype=np.int64)
        counts: Ints = np.array(step.counts, dtype=np.int64)
        encoded = encoded_places(step) if self._cross is not None else []
        starts = _starts(counts)
        spans = self._spans(step) if self._sees_media else ()
        return self._inputs(rows, firsts, counts, starts, LogitPlan.from_step(step, starts), encoded, spans=spans)

    def renew(self, caches: Sequence[LayerCache | RowCache | None]) -> None:
        """Replace the layers' pools."""
        self.caches = caches if self._media_pool is None else self._media_pool.with_caches(caches)
        if self._decode is not None:
            self._decode.renew()

    def tokens(self, rows: Ints, firsts: Ints, counts: Ints, wanted: Ints) -> StepInputs:
        """Return tensors for `counts` tokens of each row from position `firsts` on, read from the token table.

        Args:
            rows, firsts, counts: [num_seqs] int64.
            wanted: the packed tokens whose hidden states are needed.
        """
        every_row: Ints = np.arange(len(wanted))
        plan = LogitPlan(wanted, every_row.tolist(), every_row, every_row)
        return self._inputs(rows, firsts, counts, _starts(counts), plan, [])

    def blank(
        self,
        query_lens: Sequence[int],
        context_lens: Sequence[int] | None = None,
        *,
        encoder_len: int = 1,
        every_row: bool = False,
    ) -> StepInputs:
        """Return a step of padding that writes to no slot, to compile or measure with.

        Args:
            query_lens: tokens of each query.
            context_lens: tokens before each query; None: none.
            encoder_len: encoder tokens of each sequence, if there is an encoder.
            every_row: if all tokens' hidden states are wanted, instead of each query's last.
        """
        counts: Ints = np.array(query_lens, dtype=np.int64)
        firsts: Ints = np.zeros_like(counts) if context_lens is None else np.array(context_lens, dtype=np.int64)
        rows: Ints = np.zeros(len(counts), dtype=np.int64)
        starts = _starts(counts)
        places: Ints = np.arange(len(counts))
        wanted = np.arange(starts[-1]) if every_row else starts[1:] - 1
        plan = LogitPlan(wanted, list(range(len(counts))), places, places)
        before, self.rows.encoder_lengths[0] = int(self.rows.encoder_lengths[0]), encoder_len
        inputs = self._inputs(rows, firsts, counts, starts, plan, [], blank=True)
        self.rows.encoder_lengths[0] = before
        return inputs

    def _inputs(
        self,
        rows: Ints,
        firsts: Ints,
        counts: Ints,
        starts: Ints,
        plan: LogitPlan,
        encoded: Sequence[int],
        *,
        spans: Sequence[tuple[int, int]] = (),
        blank: bool = False,
    ) -> StepInputs:
        self._upload.begin()
        positions = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], counts)
        row_of_token: Ints = np.repeat(rows, counts)
        metadata = self._metadata(rows, firsts, counts, starts, positions, row_of_token)
        if self._cross is not None:
            metadata.append(self._cross_metadata(rows, counts, encoded))
        if self._media_pool is not None:
            metadata.append(self._media_metadata(self._media_pool, rows, firsts, counts, blank=blank))
        tokens = self.rows.tokens
        if blank:
            row_of_token = np.full_like(row_of_token, tokens.padding)
        read_rows = self._put(self._pad(row_of_token, tokens.padding))
        at = self._put(self._pad(positions))
        on_axes = at
        if self.position_axes > 1:
            on_axes = self._put(self._pad(self.rows.positions(rows, firsts, counts, positions, self.position_axes)))
        wanted = self._put(self._pad(plan.rows))
        adapter_slots = self._adapter_slots(rows, counts, blank=blank)
        self._upload.send()
        for each in metadata if blank else ():
            each.slot_mapping.fill_(-1)
        if blank and self.state_group >= 0:  # recurrent layers find their slots in the tables
            for each in metadata[self.state_group :]:
                each.block_tables.zero_()
        if spans:
            mask = self._mask(starts, spans)
            metadata = [replace(each, tree_mask=mask, masks_windows=self._masks_windows) for each in metadata]
        step = self.metadata(metadata, adapter_slots)
        return StepInputs(tokens.gather(read_rows, at), on_axes, wanted, step, plan, rows, firsts + counts)

    def _spans(self, step: Step) -> list[tuple[int, int]]:
        """Return the runs [begin, end) of the step's tokens that see each other: those of each image."""
        return [run for part in self.rows.media_parts(step) for run in part.seen]

    def _mask(self, starts: Ints, spans: Sequence[tuple[int, int]]) -> Tensor:
        """Return which of its query's tokens each token sees, [num_tokens, longest query] bool."""
        counts = np.diff(starts)
        place = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)  # of each token in its query
        mask = np.arange(int(counts.max(initial=0)))[None] <= place[:, None]
        for begin, end in spans:
            mask[begin:end, place[begin] : place[begin] + end - begin] = True
        return placed(self._pad(mask), self.device)

    def metadata(self, views: Sequence[AttentionMetadata], adapter_slots: Tensor | None = None) -> StepMetadata:
        """Return a step's metadata.

        Args:
            views: the metadata of each table view.
            adapter_slots: [num_tokens] int32, the slot of each token's adapter; None: no token has one.
        """
        adapters = None
        if adapter_slots is not None:
            assert self.adapters is not None
            adapters = StepAdapters(adapter_slots, self.adapters.pools)
        return StepMetadata(
            views,
            self.view_of_layer,
            self.caches,
            states=self.states,
            state_group=self.state_group,
            adapters=adapters,
        )

    def slots_of(self, rows: Ints) -> NDArray[np.int32]:
        """Return the slot of each row's adapter, -1 where it has none. All are in a slot."""
        slots: NDArray[np.int32] = np.full(len(rows), -1, dtype=np.int32)
        if self.adapters is not None:
            contents = self.rows.adapters
            active = self.adapters.active if any(contents) else {}
            for place, row in enumerate(rows.tolist()):
                if (content := contents[row]) is not None:
                    slots[place] = active[content]
        return slots

    def _adapter_slots(self, rows: Ints, counts: Ints, *, blank: bool) -> Tensor | None:
        """Return the slot of each token's adapter; None if no token has one and no graph needs slots."""
        if self.adapters is None:
            return None
        slots = np.full_like(rows, -1, dtype=np.int32) if blank else self.slots_of(rows)
        if not (self._always_adapted or (slots >= 0).any()):
            return None
        return self._put(self._pad(np.repeat(slots, counts), -1))

    def _pad(self, values: NDArray[Any], filler: int = 0) -> NDArray[Any]:
        """Pad to at least `least` rows."""
        missing = self.least - len(values)
        if missing <= 0:
            return values
        return np.concatenate([values, np.full((missing, *values.shape[1:]), filler, dtype=values.dtype)])

    def _metadata(
        self, rows: Ints, firsts: Ints, counts: Ints, starts: Ints, positions: Ints, row_of_token: Ints
    ) -> list[AttentionMetadata]:
        slots: list[Tensor] = []
        for group, (table, size) in enumerate(zip(self.rows.tables, self.block_sizes, strict=True)):
            if group in self._slot_groups and slots:  # recurrent layers do not read the slot mapping
                slots.append(slots[0])
            else:
                slots.append(self._put(self._pad(self._slots(table, size, row_of_token, positions), -1)))
        whole: tuple[Tensor, Tensor, int] | None = None
        metadata = []
        for group, chunk in self.table_views:
            if group == self._cross:  # `_inputs` adds its metadata last
                continue
            if chunk:
                tables, lens, query_starts, longest = self._chunks(self.rows.tables[group], chunk, rows, firsts, counts)
                shape = self._shape(lens, query_starts, longest)
            else:
                width = max(self.least, -(-int((firsts + counts).max(initial=1)) // self.block_sizes[group]))
                tables = self.rows.tables[group][rows, :width]
                if whole is None:  # the same in every group
                    whole = self._shape(firsts + counts, starts, int(counts.max(initial=0)))
                shape = whole
            metadata.append(AttentionMetadata(slots[group], self._put(self._pad(tables)), *shape, self._causal))
        return metadata

    def _slots(self, table: NDArray[np.int32], size: int, row_of_token: Ints, positions: Ints) -> Ints:
        """Return the slot of each token in a group."""
        block, offset = np.divmod(positions, size)
        slots: Ints = table[row_of_token, block].astype(np.int64) * size + offset
        return slots

    def _shape(self, lens: Ints, starts: Ints, longest: int) -> tuple[Tensor, Tensor, int]:
        """Return (seq_lens, query_start_loc, max_query_len), padded with empty sequences."""
        lens = self._pad(lens)
        starts = np.concatenate([starts, np.full(len(lens) + 1 - len(starts), starts[-1])])
        return self._put(lens.astype(np.int32)), self._put(starts.astype(np.int32)), longest

    def _chunks(
        self, tables: NDArray[np.int32], size: int, rows: Ints, firsts: Ints, counts: Ints
    ) -> tuple[NDArray[np.int32], Ints, Ints, int]:
        """Cut each query at chunk borders; return (block tables, lengths, query starts, longest query)."""
        first_chunk = firsts // size
        parts = (firsts + counts - 1) // size - first_chunk + 1
        owner: Ints = np.repeat(np.arange(len(rows)), parts)
        chunk = np.arange(len(owner)) - np.repeat(np.cumsum(parts) - parts - first_chunk, parts)
        begin = np.maximum(firsts[owner], chunk * size)
        end = np.minimum((firsts + counts)[owner], (chunk + 1) * size)
        lens = end - chunk * size
        width = max(self.least, -(-int(lens.max(initial=1)) // self.block_size))
        columns = (chunk * (size // self.block_size))[:, None] + np.arange(width)
        # Columns past the table's end belong to a chunk that is not full yet, and are not read.
        columns = np.minimum(columns, tables.shape[1] - 1)
        return tables[rows[owner][:, None], columns], lens, _starts(end - begin), int((end - begin).max(initial=0))

    def _cross_metadata(self, rows: Ints, counts: Ints, encoded: Sequence[int]) -> AttentionMetadata:
        """Return metadata of cross-attention, with slots for the tokens that the encoder reads in this step."""
        assert self._cross is not None
        table = self.rows.tables[self._cross]
        lens = self.rows.encoder_lengths[rows].astype(np.int64)
        width = -(-int(lens.max(initial=1)) // self.block_size)
        slots: list[Ints] = [np.full(1, -1, dtype=np.int64)]  # layers always write one row; it has no slot
        for place in encoded:
            block, offset = np.divmod(np.arange(lens[place]), self.block_size)
            slots.append(table[rows[place], block].astype(np.int64) * self.block_size + offset)
        return AttentionMetadata(
            self._put(np.concatenate(slots[1:] or slots)),
            self._put(table[rows, :width]),
            *self._shape(lens, _starts(counts), int(counts.max(initial=0))),
            causal=False,
        )

    def _media_metadata(
        self, pool: MediaPool, rows: Ints, firsts: Ints, counts: Ints, *, blank: bool
    ) -> AttentionMetadata:
        """Return metadata of layers that attend to images: each part of a query that sees the same is a sequence."""
        parts = []
        for row, first, count in zip(rows.tolist(), firsts.tolist(), counts.tolist(), strict=True):
            parts += pool.parts(None if blank else self.rows.media_of_row.get(row), first, count)
        lens: Ints = np.array([num_keys for _, _, num_keys in parts], dtype=np.int64)
        part_counts: Ints = np.array([num_tokens for num_tokens, _, _ in parts], dtype=np.int64)
        width = max(1, self.least, *(len(blocks) for _, blocks, _ in parts))
        tables: NDArray[np.int32] = np.zeros((len(parts), width), dtype=np.int32)
        for place, (_, blocks, _) in enumerate(parts):
            tables[place, : len(blocks)] = blocks
        return AttentionMetadata(
            self._put(np.full(1, -1, dtype=np.int64)),  # nothing is written
            self._put(self._pad(tables)),
            *self._shape(lens, _starts(part_counts), int(part_counts.max(initial=0))),
            causal=False,
            sees=placed(self._pad(np.repeat(lens > 0, part_counts)[:, None]), self.device),
        )

    def _put(self, values: NDArray[Any]) -> Tensor:
        return self._upload.put(values)


def encoded_places(step: Step) -> list[int]:
    """Return the places of sequences whose encoder runs in this step: those that begin, also after a preemption."""
    return [
        place
        for place, (id, first) in enumerate(zip(step.ids, step.firsts, strict=True))
        if first == 0 and id in step.new and step.new[id].encoder is not None
    ]


def _starts(counts: Ints) -> Ints:
    """Return cumulative counts, [len(counts) + 1], beginning with 0."""
    starts: Ints = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts

"""Rows: state of each sequence between steps: its tokens, block tables and sampling parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from torchpaged.execution.logit_bias import EditTable
from torchpaged.execution.media_features import MediaPart
from torchpaged.execution.token_table import TokenTable, Written
from torchpaged.media.items import PromptMedia
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduling import NewSequence, RowParams, Step
from torchpaged.utils.transaction import Transaction

Ints: TypeAlias = NDArray[np.int64]
# Larger parameters are cut to these: no temperature is higher in float32, and no top_k needs more.
_LARGEST_FLOAT, _LARGEST_INT = float(np.finfo(np.float32).max), int(np.iinfo(np.int32).max)
_COLUMNS = {
    "temperature": np.float32,
    "top_k": np.int32,
    "top_p": np.float32,
    "min_p": np.float32,
    "seed": np.int64,
    "repetition_penalty": np.float32,
    "presence_penalty": np.float32,
    "frequency_penalty": np.float32,
    "logprobs": np.int32,
    "min_length": np.int32,
}

# Sequences and their rows.
_NO_ROWS: tuple[list[int], Ints] = [], np.zeros(0, dtype=np.int64)


class Rows:
    """Per-sequence state, changed by steps alone.

    Invariants: each sequence that a step has added and none has released owns one row; the other rows are free.

    Args:
        num_groups: block tables per sequence.
        max_num_seqs: rows.
        max_blocks_per_seq: entries of a block table.
        max_tokens: longest sequence in tokens.
        device: of the tokens.

    Attributes:
        tables: [num_groups, max_num_seqs, max_blocks_per_seq] int32 on the host; 0 is the null block.
        tokens: of each row, on the device.
        prompt_lengths, encoder_lengths: [max_num_seqs] int32.
        columns: numbers of `RowParams` by name, [max_num_seqs] each.
        penalised: [max_num_seqs], True where a row has any penalty.
        edits: edits of each row's logits.
        asked: of each row, the parameters that logits processors read; None: no processor changes its logits.
        processed: [max_num_seqs], True where `asked` is not None.
        special: rows whose draws need changed logits or report logprobs; also those whose sequence has ended.
        adapters: of each row, the content of its adapter; None: it has none.
        prompt_embeds: prompts given as embeddings [num_prompt_tokens, embedding_size], by sequence.
        media: images and sounds of prompts, by sequence.
        prompt_positions: by row, the positions of a prompt with images, [num_prompt_tokens, axes], if these are not its
            places.
        media_of_row: images and sounds of prompts, by row.
        position_deltas: [max_num_seqs] int64, the position of a token behind the prompt less its place.
        transaction: knows if an update was interrupted.
    """

    def __init__(
        self, num_groups: int, max_num_seqs: int, max_blocks_per_seq: int, max_tokens: int, device: torch.device
    ) -> None:
        self.tables: NDArray[np.int32] = np.zeros((num_groups, max_num_seqs, max_blocks_per_seq), dtype=np.int32)
        self.tokens = TokenTable(max_num_seqs, max_tokens, device)
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros(max_num_seqs, dtype=dtype) for name, dtype in _COLUMNS.items()
        }
        self.prompt_lengths: NDArray[np.int32] = np.zeros(max_num_seqs, dtype=np.int32)
        self.encoder_lengths: NDArray[np.int32] = np.zeros(max_num_seqs, dtype=np.int32)
        self.penalised: NDArray[np.bool_] = np.zeros(max_num_seqs, dtype=np.bool_)
        self.edits = EditTable(max_num_seqs)
        self.processed: NDArray[np.bool_] = np.zeros(max_num_seqs, dtype=np.bool_)
        self.position_deltas: Ints = np.zeros(max_num_seqs, dtype=np.int64)
        self._table_changes: dict[tuple[int, int, int], int] | None = None  # None: not tracked
        self.transaction = Transaction()
        self.clear()

    def clear(self) -> None:
        """Free all rows, whatever state they are in."""
        count = self.tables.shape[1]
        self._row_of: dict[int, int] = {}
        self._free = list(range(count - 1, -1, -1))
        self.prompt_embeds: dict[int, Any] = {}
        self.media: dict[int, PromptMedia] = {}
        self.media_of_row: dict[int, PromptMedia] = {}
        self.prompt_positions: dict[int, Ints] = {}
        self.position_deltas[:] = 0
        self.edits.fill(None)
        self.asked: list[SamplingParams | None] = [None] * count
        self.adapters: list[str | None] = [None] * count
        self.special: set[int] = set()
        self._last = _NO_ROWS  # of the last step
        self.transaction.settle()

    def update(self, step: Step) -> Ints:
        """Apply a step's changes, and return the row of each of its sequences, [num_seqs] int64.

        The next step may get the same array: the caller must not write to it.
        """
        if step.forks or step.released or step.new or step.tables or step.known or step.drafts:
            self._last = _NO_ROWS
            with self.transaction:
                self._apply(step)
        elif step.ids == self._last[0]:
            return self._last[1]
        row_of = self._row_of
        rows: Ints = np.array([row_of[id] for id in step.ids], dtype=np.int64)
        self._last = list(step.ids), rows
        return rows

    def _apply(self, step: Step) -> None:
        sources = [self._row_of[fork.parent] for fork in step.forks]
        for id in step.released:
            self.prompt_embeds.pop(id, None)
            self.media.pop(id, None)
            if (row := self._row_of.pop(id, None)) is not None:
                self._free.append(row)
        if step.forks:
            lengths = self.prompt_lengths[sources].tolist(), self.encoder_lengths[sources].tolist()
            self._copy(sources, [self._allocate(fork.child) for fork in step.forks])
            adapters = [self.adapters[row] for row in sources]
            for fork, adapter, num_prompt_tokens, num_encoder_tokens in zip(
                step.forks, adapters, *lengths, strict=True
            ):
                self._set(self._row_of[fork.child], fork.params, num_prompt_tokens, num_encoder_tokens)
                self.adapters[self._row_of[fork.child]] = adapter
                if (embeds := self.prompt_embeds.get(fork.parent)) is not None:
                    self.prompt_embeds[fork.child] = embeds
                if (media := self.media.get(fork.parent)) is not None:
                    self._add_media(fork.child, media)
        written: list[Written] = []
        for new in step.new.values():
            row = self._begin(new)
            if new.prompt_embeds is not None:
                self.prompt_embeds[new.id] = new.prompt_embeds
            if new.media is not None:
                self._add_media(new.id, new.media)
            written.append((row, 0, new.token_ids))
        for id, group, index, blocks in step.tables:
            self._write(group, self._row_of[id], index, blocks)
        written += [(self._row_of[id], first, tokens) for id, (first, tokens) in step.known.items()]
        if step.drafts:  # behind the known tokens, where only this step reads
            ends = {id: first + count for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True)}
            written += [(self._row_of[id], ends[id] - len(run), run) for id, run in step.drafts.items()]
        self.tokens.write(written)

    def _add_media(self, id: int, media: PromptMedia) -> None:
        self.media[id], row = media, self._row_of[id]
        self.media_of_row[row] = media
        if media.positions is not None:
            self.prompt_positions[row] = np.asarray(media.positions, dtype=np.int64)
            self.position_deltas[row] = media.position_delta

    def _begin(self, new: NewSequence) -> int:
        row = self._row_of.get(new.id)
        row = self._allocate(new.id) if row is None else row
        self._set(row, new.params, new.num_prompt_tokens, new.num_encoder_tokens)
        self.adapters[row] = new.adapter
        for group, blocks in enumerate(new.tables):
            self._write(group, row, 0, blocks)
        return row

    def _allocate(self, id: int) -> int:
        row = self._free.pop()
        self._row_of[id] = row
        return row

    def _set(self, row: int, params: RowParams, num_prompt_tokens: int, num_encoder_tokens: int) -> None:
        columns = self.columns
        columns["temperature"][row] = min(params.temperature, _LARGEST_FLOAT)
        columns["top_k"][row] = min(params.top_k, _LARGEST_INT)
        for name in ("top_p", "min_p", "seed", "logprobs", "min_length"):
            columns[name][row] = getattr(params, name)
        for name in ("repetition_penalty", "presence_penalty", "frequency_penalty"):
            columns[name][row] = getattr(params, name)
        self.penalised[row] = params.repetition_penalty != 1 or params.presence_penalty or params.frequency_penalty
        self.media_of_row.pop(row, None)
        if self.prompt_positions.pop(row, None) is not None:
            self.position_deltas[row] = 0
        self.asked[row], self.processed[row] = params.asked, params.asked is not None
        self.edits.set(row, params)
        edited = self.edits.by_row[row] is not None
        if edited or self.penalised[row] or self.processed[row] or params.logprobs >= 0:
            self.special.add(row)
        else:
            self.special.discard(row)
        self.prompt_lengths[row], self.encoder_lengths[row] = num_prompt_tokens, num_encoder_tokens

    def _copy(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Copy rows of forks, reading all before writing any."""
        self.tokens.copy_rows(sources, targets)
        before, after = self.tables[:, targets], self.tables[:, sources]
        self.tables[:, targets] = after
        if self._table_changes is not None:  # null blocks too, which replace blocks of the row's previous sequence
            for group, place, column in zip(*(axis.tolist() for axis in (before != after).nonzero()), strict=True):
                self._table_changes[group, targets[place], column] = int(after[group, place, column])

    def _write(self, group: int, row: int, index: int, blocks: Sequence[int]) -> None:
        self.tables[group, row, index : index + len(blocks)] = blocks
        if self._table_changes is not None:
            self._table_changes.update(((group, row, index + i), block) for i, block in enumerate(blocks))

    def has_special(self, rows: Ints) -> bool:
        """Return True if a draw of any of these rows needs changed logits or reports logprobs."""
        return bool(self.special) and not self.special.isdisjoint(rows.tolist())

    def embedded(self, step: Step) -> list[tuple[int, Any]]:
        """Return (place among the step's tokens, embeddings from there on) of its prompts given as embeddings.

        Works before and after the step's `update`.
        """
        if not self.prompt_embeds and not any(new.prompt_embeds is not None for new in step.new.values()):
            return []
        found, place, parents = [], 0, {fork.child: fork.parent for fork in step.forks}
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            new = step.new.get(id)
            embeds = self.prompt_embeds.get(parents.get(id, id)) if new is None else new.prompt_embeds
            if embeds is not None and first < len(embeds):
                found.append((place, embeds[first : first + count]))
            place += count
        return found

    def media_parts(self, step: Step) -> list[MediaPart]:
        """Return the parts of images and sounds that a step computes. Works before and after the step's `update`."""
        if not self.media and not any(new.media is not None for new in step.new.values()):
            return []
        found, place, parents = [], 0, {fork.child: fork.parent for fork in step.forks}
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            new = step.new.get(id)
            media = (self.media.get(id) or self.media.get(parents.get(id, id))) if new is None else new.media
            if media is not None and media.items and first < media.items[-1].end:
                found += [MediaPart.of(item, place, first, count) for item in media.within(first, first + count)]
            place += count
        return found

    def has_prompt_positions(self, step: Step) -> bool:
        """Return True if a step computes a token of a prompt whose positions are not its places."""
        if not self.prompt_positions and not step.new:
            return False
        parents = {fork.child: fork.parent for fork in step.forks}
        for id, first in zip(step.ids, step.firsts, strict=True):
            new = step.new.get(id)
            media = self.media.get(parents.get(id, id)) if new is None else new.media
            if media is not None and media.positions is not None and first < len(media.positions):
                return True
        return False

    def positions(self, rows: Ints, firsts: Ints, counts: Ints, places: Ints, axes: int) -> Ints:
        """Return the positions of a step's tokens for a model with several axes, [num_tokens, axes].

        Args:
            rows, firsts, counts: of the step's sequences.
            places: of its tokens in their sequences.
        """
        found: Ints = np.repeat(places[:, None], axes, axis=1)
        if not self.prompt_positions:
            return found
        found += np.repeat(self.position_deltas[rows], counts)[:, None]
        begin = 0
        for row, first, count in zip(rows.tolist(), firsts.tolist(), counts.tolist(), strict=True):
            prompt = self.prompt_positions.get(row)
            if prompt is not None and first < len(prompt):
                own = prompt[first : first + count]
                found[begin : begin + len(own)] = own
            begin += count
        return found

    def adapters_of(self, step: Step) -> set[str]:
        """Return the contents of the adapters of a step's sequences, before or after the step's `update`."""
        parents = {fork.child: fork.parent for fork in step.forks}
        found = set()
        for id in step.ids:
            new = step.new.get(id)
            adapter = self.adapters[self._row_of[parents.get(id, id)]] if new is None else new.adapter
            if adapter is not None:
                found.add(adapter)
        return found

    def track_tables(self) -> None:
        """Track changes of the tables, for a copy of them that is all null blocks now."""
        places = zip(*(axis.tolist() for axis in self.tables.nonzero()), strict=True)
        self._table_changes = {(group, row, i): int(self.tables[group, row, i]) for group, row, i in places}

    def take_table_changes(self) -> Mapping[tuple[int, int, int], int]:
        """Return the entries written since the last call: the block by (group, row, column)."""
        assert self._table_changes is not None, "changes of the tables are not tracked"
        changes, self._table_changes = self._table_changes, {}
        return changes

    def check(self) -> None:
        """Assert the invariants."""
        used = list(self._row_of.values())
        assert len(set(used)) == len(used) and sorted(used + self._free) == list(range(self.tables.shape[1]))
        assert self.prompt_embeds.keys() | self.media.keys() <= self._row_of.keys()

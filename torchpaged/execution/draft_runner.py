"""Guesser: a draft model says how sequences go on, token by token, into the token table. Owns no state."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from torchpaged.execution.batch import StepBatch, StepInputs
from torchpaged.execution.compiled_forward import Forward, Head
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.execution.trials import trials
from torchpaged.execution.upload import placed
from torchpaged.models.drafted import DraftedModel
from torchpaged.scheduling import Step


class DraftRunner:
    """Before the forward of a step with drafts: the draft model computes what the step does, but for the drafts, then
    each draft but the last ones, whose own keys and values it has no use for yet.

    It draws with the seed, position, temperature, filters and penalties of the sequence, so that its tokens are those
    of the model where their distributions agree. Logits processors do not see what it guesses.

    Args:
        model: has the draft model.
        batch: makes tensors of steps, and has the rows.
        forward: the draft model's, or what was compiled of it.
        head: makes its logits, of as few rows as there are.
    """

    def __init__(self, model: DraftedModel, batch: StepBatch, forward: Forward, head: Head) -> None:
        self._model, self._batch, self._forward, self._head = model, batch, forward, head
        self._sampler = Sampler(batch.rows, batch.device)

    def guess(self, step: Step, rows: Ints) -> dict[int, Tensor]:
        """The step's drafts, by sequence, each [num_drafts] int64 on the device; they are in the token table too.

        Args:
            rows: of the step's sequences, which it has brought up to date.
        """
        wanted: Ints = np.array([len(step.drafts.get(id, ())) for id in step.ids], dtype=np.int64)
        firsts: Ints = np.array(step.firsts, dtype=np.int64)
        counts: Ints = np.array(step.counts, dtype=np.int64) - wanted
        places: Ints = np.flatnonzero(wanted)
        lengths, own, left = (firsts + counts)[places], rows[places], wanted[places]
        ids = [step.ids[place] for place in places.tolist()]
        found = torch.zeros(len(ids), int(left.max()), dtype=torch.int64, device=self._batch.device)
        inputs = self._batch.tokens(rows, firsts, counts, (np.cumsum(counts) - 1)[places])
        found[:, 0] = self._drawn(inputs, own, lengths, ids)
        for number in range(1, int(left.max())):
            still: Ints = np.flatnonzero(left > number)
            everyone: Ints = np.arange(len(still))
            firsts = lengths[still] + number - 1
            inputs = self._batch.tokens(own[still], firsts, np.ones_like(still), everyone)
            drawn = self._drawn(inputs, own[still], firsts + 1, [ids[place] for place in still.tolist()])
            found[placed(still, self._batch.device), number] = drawn
        return {id: found[place, : int(left[place])] for place, id in enumerate(ids)}

    def seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """Of so many sequences: what the first draft takes beside the forward of the step, and what each more does."""
        clock: Callable[[], float] = time.perf_counter
        found = [(float("inf"), float("inf"))] * len(sizes)
        for _ in trials():
            for place, size in enumerate(sizes):
                begin = clock()
                inputs = self._batch.blank([1] * size)
                hidden = self._run(inputs)
                between = clock()
                padding: Ints = np.zeros(size, dtype=np.int64)
                self._sampler.draw(self._head(hidden[:size]), Draws(padding, padding + 1)).tolist()
                end = clock()
                first, more = found[place]
                found[place] = min(first, end - between), min(more, end - begin)
        return found

    def _run(self, inputs: StepInputs) -> Tensor:
        metadata = self._model.of_draft(inputs.metadata)
        return self._forward(inputs.input_ids, inputs.positions, metadata, inputs.wanted_rows)

    def _drawn(self, inputs: StepInputs, rows: Ints, lengths: Ints, ids: Sequence[int]) -> Tensor:
        """What comes next, which is put behind what there is; where the logits are NaN, token 0."""
        logits = self._head(self._run(inputs)[: len(rows)])
        tokens = self._sampler.draw(logits, Draws(rows, lengths, None, ids)).clamp_min(0)
        device = self._batch.device
        self._batch.rows.tokens.put(placed(rows, device), placed(lengths, device), tokens)
        return tokens

"""HeadGuesser: a model's own head says how sequences go on, token by token, into the token table. Owns no state."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from torchpaged.execution.batch import StepBatch, StepInputs
from torchpaged.execution.compiled_forward import Head
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.execution.trials import trials
from torchpaged.execution.upload import placed
from torchpaged.models.headed import HeadedModel
from torchpaged.scheduling import Step


class HeadDraftRunner:
    """Before the forward of a step with drafts: the head takes each sequence's last token and the model's state before
    it, and then its own guesses and states, one after the other.

    It draws as `DraftRunner` does. The cache rows of its guesses are overwritten in the same step, by those that it
    computes from the model's hidden states.

    Args:
        model: has the head.
        batch: makes tensors of steps, and has the rows.
        head: makes logits, of as few rows as there are.
    """

    def __init__(self, model: HeadedModel, batch: StepBatch, head: Head) -> None:
        self._model, self._batch, self._head = model, batch, head
        self._sampler = Sampler(batch.rows, batch.device)

    def guess(self, step: Step, rows: Ints) -> dict[int, Tensor]:
        """As `DraftRunner.guess`."""
        wanted: Ints = np.array([len(step.drafts.get(id, ())) for id in step.ids], dtype=np.int64)
        behind: Ints = np.array(step.firsts, dtype=np.int64) + np.array(step.counts, dtype=np.int64) - wanted
        places: Ints = np.flatnonzero(wanted)
        lengths, own, left = behind[places], rows[places], wanted[places]
        ids = [step.ids[place] for place in places.tolist()]
        found = torch.zeros(len(ids), int(left.max()), dtype=torch.int64, device=self._batch.device)
        still: Ints = np.arange(len(ids))
        hidden: Tensor | None = None
        for number in range(int(left.max())):
            going: Ints = np.flatnonzero(left[still] > number)
            if hidden is not None:
                hidden = hidden[placed(going, self._batch.device)]
            still = still[going]
            at = lengths[still] + number
            inputs = self._batch.tokens(own[still], at - 1, np.ones_like(still), np.arange(len(still)))
            hidden = self._run(inputs, hidden)[: len(still)]
            draws = Draws(own[still], at, None, [ids[place] for place in still.tolist()])
            tokens = self._sampler.draw(self._head(hidden), draws).clamp_min(0)  # where the logits are NaN, token 0
            device = self._batch.device
            self._batch.rows.tokens.put(placed(own[still], device), placed(at, device), tokens)
            found[placed(still, device), number] = tokens
        return {id: found[place, : int(left[place])] for place, id in enumerate(ids)}

    def seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """As `DraftRunner.seconds`: the first draft takes as long as each more."""
        clock: Callable[[], float] = time.perf_counter
        found = [float("inf")] * len(sizes)
        for _ in trials():
            for place, size in enumerate(sizes):
                begin = clock()
                hidden = self._run(self._batch.blank([1] * size), None)
                padding: Ints = np.zeros(size, dtype=np.int64)
                self._sampler.draw(self._head(hidden[:size]), Draws(padding, padding + 1)).tolist()
                found[place] = min(found[place], clock() - begin)
        return [(each, each) for each in found]

    def _run(self, inputs: StepInputs, before: Tensor | None) -> Tensor:
        return self._model.guess(inputs.input_ids, inputs.positions, inputs.metadata, before)

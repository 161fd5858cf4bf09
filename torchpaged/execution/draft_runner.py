"""DraftRunner: proposes drafts on the device, token by token, into the token table. Owns no state."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from torchpaged.execution.batch import StepBatch
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.execution.trials import trials
from torchpaged.execution.upload import placed
from torchpaged.models.model import Forward, Head
from torchpaged.scheduling import Step

# (a step, the hidden states of the forward before or None) -> hidden states of the wanted rows.
DraftForward = Callable[[StepInputs, Tensor | None], Tensor]


class DraftRunner:
    """Computes the drafts of a step before the target's forward, with a draft model or with the model's own MTP head.

    A draft model first computes the tokens that the step computes, except the drafts, and then each draft but the last,
    whose keys and values it does not need yet. A head needs no such catch-up: it takes each sequence's last token and
    the target's hidden state before it, then its own drafts and hidden states. The cache rows of a head's drafts are
    overwritten in the same step, by those computed from the target's hidden states.

    Drafts are sampled with the sequence's seed, position, temperature, filters and penalties, so that they equal the
    target's tokens where the two distributions agree. Logits processors do not see them.

    Attributes:
        verify: the target's forward alone, for steps whose tokens a draft model has computed; None for a head, which is
            part of the target's forward.

    Args:
        batch: makes tensors of steps, and has the rows.
        forward: of the draft model (compiled or not) or of the head.
        head: makes logits of its hidden states; takes any number of rows.
    """

    def __init__(self, batch: StepBatch, forward: DraftForward, head: Head, verify: Forward | None = None) -> None:
        self._batch, self._forward, self._head, self.verify = batch, forward, head, verify
        self._sampler = Sampler(batch.rows, batch.device)

    def propose(self, step: Step, rows: Ints) -> dict[int, Tensor]:
        """Return the step's drafts by sequence, each [num_drafts] int64 on the device; they are in the token table too.

        Args:
            rows: of the step's sequences; the step has already updated them.
        """
        batch, device, catches_up = self._batch, self._batch.device, self.verify is not None
        wanted: Ints = np.array([len(step.drafts.get(id, ())) for id in step.ids], dtype=np.int64)
        firsts: Ints = np.array(step.firsts, dtype=np.int64)
        counts: Ints = np.array(step.counts, dtype=np.int64) - wanted
        places: Ints = np.flatnonzero(wanted)
        lengths, own, left = (firsts + counts)[places], rows[places], wanted[places]
        ids = [step.ids[place] for place in places.tolist()]
        drafts = torch.zeros(len(ids), int(left.max()), dtype=torch.int64, device=device)
        going: Ints = np.arange(len(ids))  # sequences that want another draft
        hidden: Tensor | None = None
        for number in range(int(left.max())):
            stay: Ints = np.flatnonzero(left[going] > number)
            if hidden is not None and not catches_up and len(stay) < len(going):  # only a head reads it
                hidden = hidden[placed(stay, device)]
            going = going[stay]
            own_rows, at = own[going], lengths[going] + number
            if catches_up and not number:
                inputs = batch.tokens(rows, firsts, counts, (np.cumsum(counts) - 1)[places])
            else:
                inputs = batch.tokens(own_rows, at - 1, np.ones_like(going), np.arange(len(going)))
            hidden = self._forward(inputs, hidden)[: len(going)]
            draws = Draws(own_rows, at, None, [ids[place] for place in going.tolist()])
            tokens = self._sampler.draw(self._head(hidden), draws).clamp_min(0)  # token 0 where the logits are NaN
            batch.rows.tokens.scatter(placed(own_rows, device), placed(at, device), tokens)
            if len(going) == len(ids):
                drafts[:, number] = tokens
            else:
                drafts[placed(going, device), number] = tokens
        return {id: drafts[place, : int(left[place])] for place, id in enumerate(ids)}

    def seconds(self, sizes: Sequence[int], *, fixed: bool = False) -> list[tuple[float, float]]:
        """Measure, for batches of these sizes, the seconds of the first draft and of each further one.

        A draft model's forward runs in every step, so its first draft costs only the sampling.

        Args:
            fixed: as of `trials`.
        """
        clock: Callable[[], float] = time.perf_counter
        found = [(float("inf"), float("inf"))] * len(sizes)
        for _ in trials(fixed=fixed):
            for place, size in enumerate(sizes):
                begin = clock()
                hidden = self._forward(self._batch.blank([1] * size), None)
                between = clock()
                padding: Ints = np.zeros(size, dtype=np.int64)
                self._sampler.draw(self._head(hidden[:size]), Draws(padding, padding + 1)).tolist()
                end = clock()
                first, more = found[place]
                alone = begin if self.verify is None else between
                found[place] = min(first, end - alone), min(more, end - begin)
        return found

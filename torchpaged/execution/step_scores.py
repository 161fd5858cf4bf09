"""Results of a step beside its next tokens: scores of known tokens, and the hidden states that requests ask for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from torchpaged.execution.logits import LogitPlan, ScoreEntries, ScoreTensors, score_tokens
from torchpaged.execution.pending_step import PendingScores
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.execution.token_table import TokenTable
from torchpaged.execution.upload import placed
from torchpaged.models.model import Head


def hidden_results(plan: LogitPlan, hidden: Tensor, logits: Head) -> list[Tensor]:
    """Return what each `HiddenRows` asks for: [count, width] float32, or a sum [hidden_size] float64.

    Args:
        hidden: the hidden states of `plan.rows`.
        logits: maps hidden states to logits.
    """
    made = []
    for each in plan.hidden:
        rows = hidden[each.row : each.row + each.what.count]
        if each.what.kind == "sum":  # float64, so that the sums of a prompt's parts add up to the sum of the whole
            made.append(rows.sum(0, dtype=torch.float64))
        elif each.what.kind == "logits of mean":
            mean = rows.sum(0, dtype=torch.float64) / len(rows)
            made.append(logits(mean.to(rows.dtype)[None]).float())
        else:
            made.append((logits(rows) if each.what.kind == "logits" else rows).float())
    return made


def score_known_tokens(
    inputs: StepInputs, tokens: TokenTable, pieces: Sequence[Tensor], most: int, logits: Head
) -> PendingScores:
    """Score the known tokens that a step's plan asks for.

    Args:
        tokens: of the sequences.
        pieces: hidden states of the rows with logits, `most` in each but the last.
        logits: maps a piece to its logits. It is called only for pieces with a scored row.
    """
    entries = ScoreEntries(inputs.plan)
    rows = inputs.rows[entries.places]
    numbers, device = (entries.rows, rows, entries.positions, entries.targets), pieces[0].device
    wanted, row_of_entry, positions, targets = (placed(each, device) for each in numbers)
    known = tokens.gather(row_of_entry, positions.clamp_min(0))
    token_ids = torch.where(positions >= 0, known, targets)
    found: list[ScoreTensors] = []
    for place, piece in enumerate(pieces):
        begin = int(np.searchsorted(entries.rows, place * most))
        end = int(np.searchsorted(entries.rows, (place + 1) * most))
        if begin < end:
            of_piece = wanted[begin:end] - place * most
            found.append(score_tokens(logits(piece), of_piece, token_ids[begin:end], entries.num_top))
    return PendingScores(entries, ScoreTensors.joined(found), token_ids)

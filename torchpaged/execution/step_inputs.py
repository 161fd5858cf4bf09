"""StepInputs: what a step's forward reads, and what its results are for."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from torchpaged.execution.logits import LogitPlan
from torchpaged.execution.rows import Ints
from torchpaged.models.attention_metadata import StepMetadata


@dataclass(frozen=True, slots=True)
class StepInputs:
    """Inputs of the model's forward, and the plan for its hidden states.

    Args:
        input_ids: [num_tokens] int64.
        positions: [num_tokens] int64; [num_tokens, axes] for a model with several axes.
        wanted_rows: [num_rows] int64, the rows of the packed step whose hidden states are needed.
        metadata: for the attention operators.
        plan: what the hidden states are needed for; its rows are `wanted_rows` without the padding.
        rows: [num_seqs] int64 on the host, rows of `Rows`.
        lengths: [num_seqs] int64 on the host, tokens of each sequence, this step's included.

    Arrays and tensors may be the batch's own buffers; the next step overwrites them.
    """

    input_ids: Tensor
    positions: Tensor
    wanted_rows: Tensor
    metadata: StepMetadata
    plan: LogitPlan
    rows: Ints
    lengths: Ints

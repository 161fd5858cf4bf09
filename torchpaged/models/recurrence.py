"""The operators of recurrent layers over one layer's pools: states at boundaries, and the rows since the last one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import AttentionMetadata, StateCache

# What a recurrent layer's convolution is called; the other operators are its recurrence.
CONVOLUTION = "chunked_conv1d"
# By recurrence, the tokens between two boundaries: a selective scan has no chunk form, and its rows are scanned anew.
STATE_CHUNKS = {"gated_delta_rule": 64, "mamba2_scan": 64, "linear_attention": 64, "selective_scan": 16}


def recur(
    operator: str,
    *inputs: Tensor | None,
    states: AttentionMetadata,
    tails: AttentionMetadata,
    cache: StateCache,
    **options: Any,
) -> Tensor:
    """Continues each sequence's recurrence, or convolution, by the step's tokens, and writes what is to be kept.

    Args:
        operator: of torchpaged's, `CONVOLUTION` or of `STATE_CHUNKS`.
        inputs: its tensors in front of the pools, all sequences of the step packed.
        states, tails, cache: what `StepMetadata.of_state` gives for this layer.
        options: those behind the tables.

    Returns:
        What the operator does: [num_tokens, ...].
    """
    pools = (cache.conv_state, cache.conv_tail) if operator == CONVOLUTION else (cache.state, cache.tail)
    out: Tensor = getattr(torch.ops.torchpaged, operator)(
        *inputs,
        *pools,
        states.block_tables,
        tails.block_tables,
        states.seq_lens,
        states.query_start_loc,
        **options,
    )
    return out

"""Operators of recurrent layers over one layer's pools: states at chunk boundaries, and tails since the last one."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import AttentionMetadata, StateCache

# The operator of a recurrent layer's convolution; the other operators are its recurrence.
CONVOLUTION = "chunked_conv1d"
# Tokens between two boundaries, by recurrence. A selective scan has no chunked form and scans the tail again at each
# step, so its chunks are short.
STATE_CHUNKS = {"gated_delta_rule": 64, "mamba2_scan": 64, "linear_attention": 64, "selective_scan": 16}


def recur(
    operator: str,
    *inputs: Tensor | None,
    states: AttentionMetadata,
    tails: AttentionMetadata,
    cache: StateCache,
    **options: Any,
) -> Tensor:
    """Continue each sequence's recurrence, or convolution, by the step's tokens, and write states and tails.

    Args:
        operator: name of the operator: `CONVOLUTION` or a key of `STATE_CHUNKS`.
        inputs: its tensor arguments before the pools, all sequences of the step packed.
        states, tails, cache: from `StepMetadata.of_state` for this layer.
        options: its keyword arguments after the tables.

    Returns:
        The operator's output, [num_tokens, ...].
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

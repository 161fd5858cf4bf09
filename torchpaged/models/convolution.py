"""Causal convolution over one layer's pool of rows."""

from __future__ import annotations

import torch
from torch import Tensor

from torchpaged.models.attention_metadata import AttentionMetadata, RowCache


def convolve(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    metadata: AttentionMetadata,
    cache: RowCache,
    *,
    silu: bool = False,
) -> Tensor:
    """Write the step's inputs into `cache` and convolve each channel over its sequence's last inputs.

    Args:
        x: [num_tokens, channels], all sequences of the step packed.
        weight: [channels, width].
        bias: [channels] or None.
        metadata, cache: from `StepMetadata.of_convolution` for this layer.
        silu: if SiLU is applied to the result.

    Returns:
        [num_tokens, channels], x's dtype.
    """
    out: Tensor = torch.ops.torchpaged.causal_conv1d(
        x,
        weight,
        bias,
        list(cache.tensors),
        metadata.slot_mapping,
        metadata.block_tables,
        metadata.seq_lens,
        metadata.query_start_loc,
        silu=silu,
    )
    return out

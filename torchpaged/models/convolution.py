"""A causal convolution over one layer's pool of rows: its inputs are written on the way."""

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
    """Writes the step's inputs into `cache` and convolves each channel over its sequence's last inputs.

    Args:
        x: [num_tokens, channels], all sequences of the step packed.
        weight: [channels, width].
        bias: [channels] or None.
        metadata, cache: what `StepMetadata.of_convolution` gives for this layer.
        silu: whether the SiLU of the sum is meant.

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

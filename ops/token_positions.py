"""Positions of packed tokens in their sequences, computed on their device without reading a value on the host."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class TokenPositions(NamedTuple):
    """Each token's place, [num_tokens] int64 tensors.

    Attributes:
        sequence: its number; 0 for padding.
        position: in the sequence; -1 for padding and tokens of empty sequences, negative before a sequence's beginning.
        seq_len: tokens of the sequence; 0 for padding.
        context: tokens of the sequence before this step.
    """

    sequence: Tensor
    position: Tensor
    seq_len: Tensor
    context: Tensor


def token_positions(seq_lens: Tensor, query_start_loc: Tensor, num_tokens: int) -> TokenPositions:
    """Find each token's sequence and position.

    Args:
        seq_lens: [num_seqs] int32.
        query_start_loc: [num_seqs + 1] int32.
        num_tokens: padding included.
    """
    token = torch.arange(num_tokens, device=seq_lens.device)
    starts = query_start_loc.long()
    sequence = torch.searchsorted(starts, token, right=True) - 1
    padding = (sequence < 0) | (sequence >= seq_lens.shape[0])
    sequence = torch.where(padding, 0, sequence)
    # An empty sequence at the end: a batch may have none, and padding needs an entry to read.
    lens = torch.cat([seq_lens.long(), starts.new_zeros(1)])
    ends = torch.cat([starts[1:], starts[-1:]])
    seq_len = torch.where(padding, 0, lens[sequence].clamp(min=0))
    context = seq_len - (ends[sequence] - starts[sequence])
    position = torch.where(seq_len > 0, context + token - starts[sequence], -1)
    return TokenPositions(sequence, position, seq_len, context)

"""`causal_conv1d` in plain PyTorch; see `reference.py`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def causal_conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    caches: Sequence[Tensor],
    slot_mapping: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    out: Tensor,
    *,
    silu: bool,
) -> None:
    """A causal convolution of each channel over each sequence's tokens, whose inputs are cached rows.

    First this step's rows go into their slots, as in `write_kv_cache`: a sequence may read what another one of the
    same step has written. Then the row at position p becomes bias + sum over k of weight[:, k] * input(p - width + 1
    + k), in float32, and the SiLU of it where that is asked for. Inputs of the step itself come from `x`, earlier ones
    from the cache; what lies before position 0 adds nothing, nor is anything read outside of the window. Rows of no
    sequence, and those before position 0, become 0.

    Args:
        x: [num_tokens, channels], the new tokens of all sequences, packed; any float dtype.
        weight: [channels, width], x's dtype or float32; the last column is of the token itself.
        bias: [channels], x's dtype or float32, or None.
        caches: each [num_blocks, block_size, num_heads, head_dim] of x's dtype; a token's row lies in them one after
            the other, head by head, from the first on. What they hold beyond `channels` numbers is left alone. So the
            layers of a convolution can share the tensors of layers with keys and values, between different blocks.
        slot_mapping: [num_tokens] int64; a negative slot is skipped.
        block_tables, seq_lens, query_start_loc: as of `paged_attention`.
        out: like x, contiguous.
    """
    out.zero_()
    _write(x, caches, slot_mapping)
    channels, width = weight.shape
    shift = torch.zeros(channels, device=x.device) if bias is None else bias.float()
    starts = query_start_loc.tolist()
    for i, seq_len in enumerate(seq_lens.tolist()):
        if seq_len <= 0 or starts[i + 1] <= starts[i]:
            continue
        begin = max(starts[i], starts[i + 1] - seq_len)  # the row of position 0, or a later one
        first = seq_len - (starts[i + 1] - begin)
        earlier = _read(caches, block_tables[i], range(max(0, first - width + 1), first))[:, :channels]
        inputs = torch.cat([earlier, x[begin : starts[i + 1]]]).float()
        count = starts[i + 1] - begin
        result = shift.repeat(count, 1)
        for back in range(width - 1, -1, -1):  # tap by tap, so that a row's sum has one order
            ends = len(inputs) - back
            there = min(count, ends)  # what lies before position 0 is not multiplied: 0 * inf is NaN
            if there > 0:
                result[count - there :] += inputs[ends - there : ends] * weight[:, width - 1 - back].float()
        # Not torch's silu, whose bits depend on where a number stands.
        out[begin : starts[i + 1]] = result / (1.0 + torch.exp(-result)) if silu else result


def _write(x: Tensor, caches: Sequence[Tensor], slot_mapping: Tensor) -> None:
    kept = (slot_mapping >= 0).nonzero().flatten()
    slots, (num_blocks, block_size) = slot_mapping[kept], caches[0].shape[:2]
    if slots.numel() and int(slots.max()) >= num_blocks * block_size:
        raise ValueError(
            f"causal_conv1d: slot_mapping has slot {int(slots.max())}, expected less than {num_blocks * block_size}"
        )
    first = 0
    for cache in caches:
        dim = cache.shape[3]
        for head in range(cache.shape[2]):
            part = x[kept, first : first + dim]
            cache[slots // block_size, slots % block_size, head, : part.shape[1]] = part
            first += dim


def _read(caches: Sequence[Tensor], block_table: Tensor, positions: range) -> Tensor:
    """[len(positions), numbers a token]; places outside of table and pool are clamped: never out of bounds."""
    num_blocks, block_size = caches[0].shape[:2]
    place = torch.arange(positions.start, positions.stop, device=block_table.device)
    blocks = block_table[(place // block_size).clamp(max=len(block_table) - 1)].long().clamp(0, num_blocks - 1)
    return torch.cat([cache[blocks, place % block_size].flatten(1) for cache in caches], dim=1)

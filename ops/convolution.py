"""`causal_conv1d`, a convolution over paged caches: the operator and its definition in plain PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import docs, gradients, value_checks
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_last_contiguous,
    expect_own_elements,
    expect_query_starts,
    expect_size,
    expect_slots,
    expect_tables,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Operator, like_first

__all__ = ["causal_conv1d"]  # for reference.py


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
    """Convolve each channel causally over each sequence's tokens, whose inputs are cached rows.

    First this step's rows go into their slots, as in `write_kv_cache`: a sequence may read what another one of the
    same step has written. Then the row at position p becomes bias + sum over k of weight[:, k] * input(p - width + 1
    + k), in float32, and its SiLU if `silu`. Inputs of the step itself come from `x`, earlier ones from the cache.
    Positions before 0 add nothing, and nothing outside of the window is read. Rows of no sequence, and those before
    position 0, become 0.

    Args:
        x: [num_tokens, channels], the new tokens of all sequences, packed; any float dtype.
        weight: [channels, width], x's dtype or float32; the last column is of the token itself.
        bias: [channels], x's dtype or float32, or None.
        caches: each [num_blocks, block_size, num_heads, head_dim] of x's dtype. A token's row is spread over them, head
            by head, from the first on; numbers in them beyond `channels` stay as they are. So the layers of a
            convolution can share the tensors of layers with keys and values, in blocks of their own.
        slot_mapping: [num_tokens] int64; negative slots are skipped.
        block_tables, seq_lens, query_start_loc: as of `paged_attention`.
        out: like x, contiguous.
    """
    out.zero_()
    _write_rows(x, caches, slot_mapping)
    channels, width = weight.shape
    shift = torch.zeros(channels, device=x.device) if bias is None else bias.float()
    starts = query_start_loc.tolist()
    for i, seq_len in enumerate(seq_lens.tolist()):
        if seq_len <= 0 or starts[i + 1] <= starts[i]:
            continue
        begin = max(starts[i], starts[i + 1] - seq_len)  # the row of position 0, or a later one
        first = seq_len - (starts[i + 1] - begin)
        earlier = _read_rows(caches, block_tables[i], range(max(0, first - width + 1), first))[:, :channels]
        inputs = torch.cat([earlier, x[begin : starts[i + 1]]]).float()
        count = starts[i + 1] - begin
        result = shift.repeat(count, 1)
        for back in range(width - 1, -1, -1):  # tap by tap, so that a row's sum has one order
            ends = len(inputs) - back
            there = min(count, ends)  # positions before 0 are not multiplied: 0 * inf is NaN
            if there > 0:
                result[count - there :] += inputs[ends - there : ends] * weight[:, width - 1 - back].float()
        # Not torch's silu, whose bits depend on a number's place in its row.
        out[begin : starts[i + 1]] = result / (1.0 + torch.exp(-result)) if silu else result


def _write_rows(x: Tensor, caches: Sequence[Tensor], slot_mapping: Tensor) -> None:
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


def _read_rows(caches: Sequence[Tensor], block_table: Tensor, positions: range) -> Tensor:
    """Return [len(positions), numbers a token]; places outside of table and pool are clamped, never out of bounds."""
    num_blocks, block_size = caches[0].shape[:2]
    place = torch.arange(positions.start, positions.stop, device=block_table.device)
    blocks = block_table[(place // block_size).clamp(max=len(block_table) - 1)].long().clamp(0, num_blocks - 1)
    return torch.cat([cache[blocks, place % block_size].flatten(1) for cache in caches], dim=1)


def check_weight(op: str, x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Check the weight and the bias of a convolution of x's channels."""
    expect_dim(op, "weight", weight, 2, "[channels, width]")
    expect_size(op, "weight", weight, 0, x.shape[1], "channels of x")
    if is_known(weight.shape[1]) and weight.shape[1] == 0:
        refuse(op, "weight", f"has an empty dimension, shape {tuple(weight.shape)}", "a width of at least 1")
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None:
            expect_dtype(op, name, each, x.dtype, torch.float32)
            expect_device(op, name, each, x.device)
    if bias is not None:
        expect_dim(op, "bias", bias, 1, "[channels]")
        expect_size(op, "bias", bias, 0, x.shape[1], "channels of x")


def _check(
    op: str,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    caches: Sequence[Tensor],
    slot_mapping: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    *,
    silu: bool = False,
) -> None:
    expect_dim(op, "x", x, 2, "[num_tokens, channels]")
    expect_dtype(op, "x", x, *FLOAT_DTYPES)
    expect_last_contiguous(op, "x", x)
    check_weight(op, x, weight, bias)
    _check_caches(op, caches, x)
    expect_slots(op, slot_mapping, x.shape[0], x.device, "num_tokens, as in x")
    expect_tables(op, block_tables, seq_lens, x.device)
    expect_query_starts(op, query_start_loc, seq_lens, x.device)


def _check_caches(op: str, caches: Sequence[Tensor], x: Tensor) -> None:
    """Check the tensors that share a token's row."""
    if not caches:
        refuse(op, "caches", "is an empty list", "at least one tensor")
    for i, cache in enumerate(caches):
        name = f"caches[{i}]"
        expect_dim(op, name, cache, 4, "[num_blocks, block_size, num_heads, head_dim]")
        expect_dtype(op, name, cache, x.dtype)
        expect_device(op, name, cache, x.device)
        expect_last_contiguous(op, name, cache)
        expect_own_elements(op, name, cache)
        expect_size(op, name, cache, 0, caches[0].shape[0], "num_blocks, as in caches[0]")
        expect_size(op, name, cache, 1, caches[0].shape[1], "block_size, as in caches[0]")
        if is_known(*cache.shape) and 0 in cache.shape:
            refuse(op, name, f"has an empty dimension, shape {tuple(cache.shape)}", "at least one number a token")
    sizes = [size for cache in caches for size in cache.shape[2:]]
    if is_known(*sizes, x.shape[1]):
        room = sum(prod(cache.shape[2:]) for cache in caches)
        if room < x.shape[1]:
            refuse(op, "caches", f"hold {room} numbers a token", f"at least {x.shape[1]}, the channels of x")


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    cache, width = arguments["caches"][0], arguments["weight"].shape[1]
    value_checks.require_slots(op, arguments["slot_mapping"], cache)
    tables = value_checks.Tables(op, arguments, cache)
    starts = arguments["query_start_loc"].tolist()
    for i, length in enumerate(tables.lens):
        rows = starts[i + 1] - starts[i]
        first = length - rows  # this step's own rows come from x
        if width > 1 and rows > 0 and (first > 0 or length < 0):
            tables.require(i, max(0, first - width + 1), first)


def flops(x: Sequence[int], weight: Sequence[int], *_: Any, **__: Any) -> int:
    """Count a multiplication and an addition for each weight and token."""
    return 2 * x[0] * prod(weight)


OPERATORS = (
    Operator(
        overload="causal_conv1d",
        schema="(Tensor x, Tensor weight, Tensor? bias, Tensor(a!)[] caches, Tensor slot_mapping, "
        "Tensor block_tables, Tensor seq_lens, Tensor query_start_loc, *, bool silu=False) -> Tensor",
        doc=f"""
A causal convolution of each channel over its sequence's last tokens, whose inputs are cached rows: decode, prefill,
chunks and mixes are one call. This step's rows are written into their slots first; then the row at position p becomes
bias + the sum over k of weight[:, k] * input(p - width + 1 + k), in float32. Positions before 0 add nothing.

Args:
    x: [num_tokens, channels], all sequences packed; {docs.FLOATS}; the last dimension
        contiguous. torch.autocast casts it to the caches' dtype.
    weight: [channels, width], x's dtype or float32; any strides. The last column is of the token itself.
    bias: [channels], x's dtype or float32; None for 0.
    caches: tensors [num_blocks, block_size, num_heads, head_dim] of x's dtype, any strides with the last dimension
        contiguous, over which a token's row is spread, head by head: written.
{docs.SLOTS}
{docs.tables(", this step's included")}
{docs.starts("x")}
    silu: apply SiLU to each result.

Returns:
    [num_tokens, channels], x's dtype, contiguous; 0 for tokens of no sequence.""",
        check=_check,
        check_values=_check_values,
        fake=like_first,
        reference=causal_conv1d,
        triton=True,
        cast=CastRule(("x",), "caches", ("weight", "bias")),
        train_with="torch.nn.functional.conv1d without a cache",
        vmap_with=docs.VMAP_PACKED,
        flops=flops,
        unsharded=docs.TAKES_A_LIST,
        gradient=gradients.CAUSAL_CONV1D,
    ),
)

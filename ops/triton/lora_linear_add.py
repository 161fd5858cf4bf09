"""lora_linear_add: two launches for any slots, so that a CUDA graph can hold them; nothing is read on the host.

The first computes lora_a[slot] x, cut along the inputs so that one row keeps many multiprocessors busy; the second adds
the cuts up in their order, rounds, and adds the product with lora_b. A program has a tile of rows, and goes through
their slots one after the other: mostly there is one, that of a prompt. How inputs and outputs are cut looks at sizes of
the adapters only, and a row of a matrix product does not depend on the other rows, so neither do a row's bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common

# Rows of a tile: the fewest that `tl.dot` takes.
ROWS = tl.constexpr(16)
# Inputs of one program.
CUT = 1024
# Inputs and ranks of a step of the first kernel; outputs and ranks of one of the second. A product of float32 keeps
# both of its operands in registers.
SHRINK = {torch.float32: (32, 32)}
EXPAND = {torch.float32: (64, 16)}
OTHERS = (128, 32)


@triton.jit
def _slots_of(slots_ptr, row, num_tokens, num_slots, stride_slots):
    """Return the slots of a tile's rows, -1 where there is none."""
    slots = tl.load(slots_ptr + row * stride_slots, mask=row < num_tokens, other=-1)
    tl.device_assert(slots < num_slots, "lora_linear_add: slots has a slot that is not in lora_a")
    return tl.where((slots >= 0) & (slots < num_slots), slots, -1)


@triton.jit(do_not_specialize=("num_tokens", "num_slots"))
def _shrink_kernel(
    x_ptr,
    a_ptr,
    slots_ptr,
    ranks_ptr,
    inner_ptr,
    num_tokens,
    num_slots,
    stride_x,
    stride_a_slot,
    stride_a_rank,
    stride_slots,
    stride_ranks_slot,
    stride_ranks_part,
    INPUTS: tl.constexpr,
    RANK: tl.constexpr,
    RANKS: tl.constexpr,
    HAS_RANKS: tl.constexpr,
    CUT: tl.constexpr,
    STEP: tl.constexpr,
    TILE: tl.constexpr,
):
    """Compute TILE of the RANKS numbers of each row, over one cut of the inputs."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    rank = tl.program_id(1) * TILE + tl.arange(0, TILE)
    first = tl.program_id(2) * CUT
    left = _slots_of(slots_ptr, row, num_tokens, num_slots, stride_slots)
    slot = tl.max(left, axis=0)
    while slot >= 0:
        mine = left == slot
        weights = a_ptr + slot.to(tl.int64) * stride_a_slot + rank[None, :].to(tl.int64) * stride_a_rank
        there = rank < RANKS
        if HAS_RANKS:
            counts = ranks_ptr + slot.to(tl.int64) * stride_ranks_slot + rank // RANK * stride_ranks_part
            there = there & (rank % RANK < tl.load(counts, mask=there, other=0))
        total = tl.zeros((ROWS, TILE), dtype=tl.float32)
        for start in range(0, CUT, STEP):
            place = first + start + tl.arange(0, STEP)
            x_mask = mine[:, None] & (place < INPUTS)[None, :]
            x = tl.load(x_ptr + row[:, None] * stride_x + place[None, :], mask=x_mask, other=0.0)
            a_mask = (place < INPUTS)[:, None] & there[None, :]
            total = tl.dot(x, tl.load(weights + place[:, None], mask=a_mask, other=0.0), total, input_precision="ieee")
        target = inner_ptr + (tl.program_id(2).to(tl.int64) * num_tokens + row)[:, None] * RANKS + rank[None, :]
        tl.store(target, total, mask=mine[:, None] & (rank < RANKS)[None, :])
        left = tl.where(mine, -1, left)
        slot = tl.max(left, axis=0)


@triton.jit(do_not_specialize=("num_tokens", "num_slots"))
def _expand_kernel(
    out_ptr,
    b_ptr,
    slots_ptr,
    ranks_ptr,
    inner_ptr,
    num_tokens,
    num_slots,
    stride_out,
    stride_b_slot,
    stride_b_rank,
    stride_slots,
    stride_ranks_slot,
    stride_ranks_part,
    FIRST: tl.constexpr,
    SIZE: tl.constexpr,
    PART: tl.constexpr,
    RANK: tl.constexpr,
    RANKS: tl.constexpr,
    HAS_RANKS: tl.constexpr,
    CUTS: tl.constexpr,
    TILE: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Add to COLUMNS of the SIZE outputs from FIRST on, which are those of one part."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    left = _slots_of(slots_ptr, row, num_tokens, num_slots, stride_slots)
    slot = tl.max(left, axis=0)
    while slot >= 0:
        mine = left == slot
        weights = b_ptr + slot.to(tl.int64) * stride_b_slot + FIRST + column[None, :]
        count = RANK
        if HAS_RANKS:
            count = tl.load(ranks_ptr + slot.to(tl.int64) * stride_ranks_slot + PART * stride_ranks_part)
        target = out_ptr + row[:, None] * stride_out + FIRST + column[None, :]
        mask = mine[:, None] & (column < SIZE)[None, :]
        if HAS_RANKS:  # a part without ranks stays as it is
            mask = mask & (count > 0)
        # Added first: Triton makes a sum with one product to a product that begins with the other summand, and where
        # the ranks of a pool take several products it would not.
        total = tl.load(target, mask=mask, other=0.0).to(tl.float32)
        for start in range(0, RANK, TILE):
            rank = start + tl.arange(0, TILE)
            inner = tl.zeros((ROWS, TILE), dtype=tl.float32)
            for cut in range(CUTS):
                place = inner_ptr + (cut * num_tokens + row)[:, None] * RANKS + PART * RANK + rank[None, :]
                inner += tl.load(place, mask=mine[:, None] & (rank < count)[None, :], other=0.0)
            b_mask = (rank < count)[:, None] & (column < SIZE)[None, :]
            values = tl.load(weights + rank[:, None].to(tl.int64) * stride_b_rank, mask=b_mask, other=0.0)
            total = tl.dot(inner.to(out_ptr.dtype.element_ty), values, total, input_precision="ieee")
        tl.store(target, total.to(out_ptr.dtype.element_ty), mask=mask)
        left = tl.where(mine, -1, left)
        slot = tl.max(left, axis=0)


def lora_linear_add(
    out: Tensor,
    x: Tensor,
    lora_a: Tensor,
    lora_b: Tensor,
    slots: Tensor,
    sizes: Sequence[int],
    *,
    ranks: Tensor | None = None,
) -> None:
    """Launch the kernels; see `torchpaged.ops.reference.lora_linear_add`.

    Slots past the pool, since the device cannot raise, are skipped as negative ones are.
    """
    (num_tokens, inputs), (num_slots, rows, _), rank = x.shape, lora_a.shape, lora_b.shape[1]
    if num_tokens == 0:
        return
    tiles, cuts = triton.cdiv(num_tokens, ROWS.value), triton.cdiv(inputs, CUT)
    inner = torch.empty((cuts, num_tokens, rows), dtype=torch.float32, device=x.device)
    given = slots if ranks is None else ranks  # any pointer where none is read
    stride_ranks_slot, stride_ranks_part = (0, 0) if ranks is None else ranks.stride()
    step, most = SHRINK.get(x.dtype, OTHERS)
    tile = min(most, common.power_of_two(rows))
    _shrink_kernel[(tiles, triton.cdiv(rows, tile), cuts)](
        x,
        lora_a,
        slots,
        given,
        inner,
        num_tokens,
        num_slots,
        x.stride(0),
        lora_a.stride(0),
        lora_a.stride(1),
        slots.stride(0),
        stride_ranks_slot,
        stride_ranks_part,
        INPUTS=inputs,
        RANK=rank,
        HAS_RANKS=ranks is not None,
        RANKS=rows,
        CUT=CUT,
        STEP=step,
        TILE=tile,
        num_warps=4,
        **common.checked(),
    )
    first, (columns, most) = 0, EXPAND.get(x.dtype, OTHERS)
    for part, size in enumerate(sizes):
        _expand_kernel[(tiles, triton.cdiv(size, columns))](
            out,
            lora_b,
            slots,
            given,
            inner,
            num_tokens,
            num_slots,
            out.stride(0),
            lora_b.stride(0),
            lora_b.stride(1),
            slots.stride(0),
            stride_ranks_slot,
            stride_ranks_part,
            HAS_RANKS=ranks is not None,
            FIRST=first,
            SIZE=size,
            PART=part,
            RANK=rank,
            RANKS=rows,
            CUTS=cuts,
            TILE=min(most, common.power_of_two(rank)),
            COLUMNS=columns,
            num_warps=4,
            **common.checked(),
        )
        first += size

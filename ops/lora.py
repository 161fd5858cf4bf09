"""Adapters of low rank (LoRA, Hu et al., arXiv 2106.09685): rows of one batch, each with its own adapter or none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import docs, value_checks
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_last_contiguous,
    expect_not_empty,
    expect_own_elements,
    expect_size,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Operator, cut_rows, no_result

__all__ = ["lora_linear_add"]  # for reference.py


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
    """Add lora_b[slot]^T (lora_a[slot] x) to each row of `out`, slot by slot; rows with a negative slot stay.

    Sums are float32. lora_a[slot] x is rounded to out's dtype, as torch's linear layers round it; the product with
    lora_b is added to `out` before the only other rounding.

    Args:
        lora_a: [num_slots, parts * rank, in_features].
        lora_b: [num_slots, rank, sum of sizes].
        sizes: outputs of each part; part p has the rows [p * rank, (p + 1) * rank) of lora_a.
        ranks: [num_slots, parts], how many ranks of each part are read; None: all.
    """
    rank = lora_b.shape[1]
    for slot in range(lora_a.shape[0]):
        rows = (slots == slot).nonzero().flatten()
        if len(rows) == 0:  # an unused slot may hold anything
            continue
        first = 0
        for part, size in enumerate(sizes):
            count = rank if ranks is None else int(ranks[slot, part])
            columns, first = slice(first, first + size), first + size
            if count:
                a, b = lora_a[slot, part * rank : part * rank + count], lora_b[slot, :count, columns]
                inner = (x[rows].float() @ a.float().T).to(out.dtype).float()
                out[rows, columns] = (out[rows, columns].float() + inner @ b.float()).to(out.dtype)


def _check(
    op: str,
    out: Tensor,
    x: Tensor,
    lora_a: Tensor,
    lora_b: Tensor,
    slots: Tensor,
    sizes: Any,
    *,
    ranks: Tensor | None = None,
) -> None:
    if len(sizes) == 0:
        refuse(op, "sizes", "is an empty list", "the outputs of at least one linear layer")
    for size in sizes:
        if is_known(size) and size < 1:
            refuse(op, "sizes", f"has {size}", "1 or more")
    expect_dim(op, "out", out, 2, "[num_tokens, outputs]")
    expect_dtype(op, "out", out, *FLOAT_DTYPES)
    expect_last_contiguous(op, "out", out)
    expect_own_elements(op, "out", out)
    expect_size(op, "out", out, 1, sum(sizes), "the sum of sizes")
    expect_dim(op, "x", x, 2, "[num_tokens, in_features]")
    expect_size(op, "x", x, 0, out.shape[0], "num_tokens, as in out")
    expect_dim(op, "lora_a", lora_a, 3, "[num_slots, parts * rank, in_features]")
    expect_dim(op, "lora_b", lora_b, 3, "[num_slots, rank, outputs]")
    for name, tensor in (("x", x), ("lora_a", lora_a), ("lora_b", lora_b)):
        expect_dtype(op, name, tensor, out.dtype)
        expect_device(op, name, tensor, out.device)
        expect_last_contiguous(op, name, tensor)
    expect_not_empty(op, "lora_a", lora_a, range(3))
    expect_not_empty(op, "lora_b", lora_b, range(3))
    expect_size(op, "lora_b", lora_b, 0, lora_a.shape[0], "num_slots, as in lora_a")
    expect_size(op, "lora_b", lora_b, 2, sum(sizes), "the sum of sizes")
    expect_size(op, "lora_a", lora_a, 1, len(sizes) * lora_b.shape[1], "rank rows for each of sizes")
    expect_size(op, "lora_a", lora_a, 2, x.shape[1], "in_features, as in x")
    expect_dim(op, "slots", slots, 1, "[num_tokens]")
    expect_dtype(op, "slots", slots, torch.int32)
    expect_device(op, "slots", slots, out.device)
    expect_size(op, "slots", slots, 0, out.shape[0], "num_tokens, as in out")
    if ranks is not None:
        expect_dim(op, "ranks", ranks, 2, "[num_slots, parts]")
        expect_dtype(op, "ranks", ranks, torch.int32)
        expect_device(op, "ranks", ranks, out.device)
        expect_size(op, "ranks", ranks, 0, lora_a.shape[0], "num_slots, as in lora_a")
        expect_size(op, "ranks", ranks, 1, len(sizes), "a rank for each of sizes")


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    slots, num_slots = arguments["slots"], arguments["lora_a"].shape[0]
    bad = (slots >= num_slots).nonzero().flatten().tolist()
    if bad:
        value_checks.refuse(op, "slots", f"slot {int(slots[bad[0]])} at {bad[0]}", f"less than {num_slots}")
    if (ranks := arguments["ranks"]) is None:
        return
    rank = arguments["lora_b"].shape[1]
    for slot in sorted({slot for slot in slots.tolist() if slot >= 0}):
        for found in ranks[slot].tolist():
            if not 0 <= found <= rank:
                value_checks.refuse(op, "ranks", f"rank {found} for slot {slot}", f"from 0 to {rank}")


def _flops(
    out: Sequence[int], x: Sequence[int], lora_a: Sequence[int], lora_b: Sequence[int], *_: Any, **__: Any
) -> int:
    """Count every row as one with an adapter: slots are on the device."""
    of_a_row = sum(2 * math.prod(each[1:]) for each in (lora_a, lora_b))
    return x[0] * of_a_row


OPERATORS = (
    Operator(
        overload="lora_linear_add",
        schema="(Tensor(a!) out, Tensor x, Tensor lora_a, Tensor lora_b, Tensor slots, int[] sizes, *, "
        "Tensor? ranks=None) -> ()",
        doc=f"""
Adds adapters of low rank to rows of a linear layer's result: out += lora_b[slot]^T (lora_a[slot] x), for linear layers
that were joined (query, key and value) part by part.

Sums are float32; lora_a[slot] x is rounded to out's dtype, and so is the result. On the CPU a row's bits depend neither
on the other rows and their slots, nor on the number of slots, nor on the rank of the pools, nor on threads, and a slot
that no row has may hold anything.

Args:
    out: [num_tokens, outputs], {docs.FLOATS}, the last dimension contiguous: written, but for rows
        with a negative slot.
    x: [num_tokens, in_features], what the linear layer took. x, lora_a and lora_b have out's dtype, to which
        torch.autocast casts them, and a contiguous last dimension.
    lora_a: [num_slots, parts * rank, in_features], the rows of each part one behind the other; without `ranks` those
        of an adapter of a lower rank are filled up with zeros.
    lora_b: [num_slots, rank, outputs], transposed, and multiplied by the adapter's scale.
    slots: [num_tokens] int32, the slot of each row's adapter; rows with a negative one stay as they are.
    sizes: outputs of each part.
    ranks: [num_slots, parts] int32, the rank of each slot's part, 0 where the adapter has none: what lies behind it is
        neither read nor computed, and a part of rank 0 stays as it is. None: all of them have rank.

Returns:
    Nothing.""",
        check=_check,
        check_values=_check_values,
        fake=no_result,
        reference=lora_linear_add,
        triton=True,
        cast=CastRule(("x", "lora_a", "lora_b"), "out"),
        train_with="torch.nn.functional.linear with each adapter's rows",
        vmap_with="give it all rows in one call, with a slot for each",
        flops=_flops,
        layouts=cut_rows("out", "x", "slots", results=0),
    ),
)

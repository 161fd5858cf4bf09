"""Checks of the values in tables, lengths and slot mappings, before a backend reads or writes a block.

They run before every Python backend on the CPU; the C++ library makes the same checks itself (`csrc/cpu/tables.h`).
`TORCHPAGED_CHECK=1` turns them on for other devices too, where they wait for the device. They look only at entries that
a call reads. What several operators share is here; `Operator.check_values` has the checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NoReturn

import torch
from torch import Tensor

Arguments = Mapping[str, Any]


def refuse(op: str, argument: str, found: str, expected: str) -> NoReturn:
    """Raise the ValueError of an argument's value."""
    raise ValueError(f"{op}: {argument} has {found}, expected {expected}")


class Tables:
    """A call's block tables and lengths, copied to the host."""

    def __init__(self, op: str, arguments: Arguments, cache: Tensor) -> None:
        self.op, self.tables, self.lens = op, arguments["block_tables"].cpu(), arguments["seq_lens"].tolist()
        self.num_blocks, self.block_size = cache.shape[:2]

    def require(self, sequence: int, first: int, last: int) -> None:
        """Require a sequence's length to fit its table, and the blocks of positions [first, last) to be in the pool."""
        width, length = self.tables.shape[1], self.lens[sequence]
        if length < 0:
            refuse(self.op, "seq_lens", f"{length} for sequence {sequence}", "0 or more")
        if length > width * self.block_size:
            room = f"block_tables has {width} blocks of {self.block_size} tokens for it"
            limit = f"at most {width * self.block_size}: {room}"
            refuse(self.op, "seq_lens", f"{length} for sequence {sequence}", limit)
        if first >= last:
            return
        begin = first // self.block_size
        entries = self.tables[sequence, begin : -(-last // self.block_size)]
        bad = ((entries < 0) | (entries >= self.num_blocks)).nonzero().flatten().tolist()
        if bad:
            found = f"block {int(entries[bad[0]])} for sequence {sequence} at entry {begin + bad[0]}"
            refuse(self.op, "block_tables", found, f"0 to {self.num_blocks - 1}, the blocks of the cache")


def row_counts(op: str, arguments: Arguments, num_tokens: int) -> list[int]:
    """Return the number of rows of each sequence; sequences lie one behind the other."""
    starts = arguments["query_start_loc"]
    require_starts(op, "query_start_loc", starts, "num_tokens", num_tokens)
    return [last - first for first, last in pairwise(starts.tolist())]


def require_starts(op: str, name: str, starts: Tensor, what: str, limit: int) -> None:
    """Require the places where packed sequences begin to ascend up to `limit`, which is named `what`."""
    for i, (first, last) in enumerate(pairwise(starts.tolist())):
        if not 0 <= first <= last <= limit:
            refuse(op, name, f"{first}, {last} for sequence {i}", f"ascending numbers up to {what}, {limit}")


def require_slots(op: str, slot_mapping: Tensor, cache: Tensor) -> None:
    """Require slots to be in the cache; negative ones are skipped."""
    limit = cache.shape[0] * cache.shape[1]
    bad = (slot_mapping >= limit).nonzero().flatten().tolist()
    if bad:
        refuse(op, "slot_mapping", f"slot {int(slot_mapping[bad[0]])} at {bad[0]}", f"less than {limit}")


def is_capturing(device: torch.device) -> bool:
    """Return whether a CUDA graph is being captured, in which no value can be read."""
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()

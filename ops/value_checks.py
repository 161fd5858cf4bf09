"""Checks of the values in tables, lengths and slot mappings, before a backend reads or writes a block.

`check` runs before every backend on the CPU that is not the C++ library, which checks the same by itself
(`csrc/cpu/tables.h`), and with `TORCHPAGED_CHECK=1` before those on other devices, where it waits for the device. Only
the entries that a call reads are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NoReturn

import torch
from torch import Tensor

Arguments = Mapping[str, Any]


def check(name: str, op: str, arguments: Arguments) -> None:
    """Checks one call's values.

    Args:
        name: the operator, as backends register under it.
        op: its overload, for the message.
        arguments: by the schema's names, defaults included.

    Raises:
        ValueError: the message names the operator, the argument, the value and the limit.
    """
    if (read := _CHECKS.get(name)) is not None:
        read(op, arguments)


def _refuse(op: str, argument: str, found: str, expected: str) -> NoReturn:
    raise ValueError(f"{op}: {argument} has {found}, expected {expected}")


class _Tables:
    """A call's block tables and lengths, on the host."""

    def __init__(self, op: str, arguments: Arguments, cache: Tensor) -> None:
        self.op, self.tables, self.lens = op, arguments["block_tables"].cpu(), arguments["seq_lens"].tolist()
        self.num_blocks, self.block_size = cache.shape[:2]

    def require(self, sequence: int, first: int, last: int) -> None:
        """The sequence's length is within its table, and the blocks of positions [first, last) within the pool."""
        width, length = self.tables.shape[1], self.lens[sequence]
        if length > width * self.block_size:
            room = f"block_tables has {width} blocks of {self.block_size} tokens for it"
            limit = f"at most {width * self.block_size}: {room}"
            _refuse(self.op, "seq_lens", f"{length} for sequence {sequence}", limit)
        if first >= last:
            return
        begin = first // self.block_size
        entries = self.tables[sequence, begin : -(-last // self.block_size)]
        bad = ((entries < 0) | (entries >= self.num_blocks)).nonzero().flatten().tolist()
        if bad:
            found = f"block {int(entries[bad[0]])} for sequence {sequence} at entry {begin + bad[0]}"
            _refuse(self.op, "block_tables", found, f"0 to {self.num_blocks - 1}, the blocks of the cache")


def _row_counts(op: str, arguments: Arguments, num_tokens: int) -> list[int]:
    """The rows of each sequence, which lie one behind the other."""
    starts = arguments["query_start_loc"].tolist()
    for i, (first, last) in enumerate(pairwise(starts)):
        if not 0 <= first <= last <= num_tokens:
            limit = f"ascending numbers up to num_tokens, {num_tokens}"
            _refuse(op, "query_start_loc", f"{first}, {last} for sequence {i}", limit)
    return [last - first for first, last in pairwise(starts)]


def _paged_attention(op: str, arguments: Arguments) -> None:
    tables, window = _Tables(op, arguments, arguments["key_cache"]), arguments["sliding_window"]
    for i, rows in enumerate(_row_counts(op, arguments, arguments["query"].shape[0])):
        length = tables.lens[i]
        if rows > 0 and length > 0:
            tables.require(i, max(0, length - rows - window + 1) if window else 0, length)


def _gather_kv_cache(op: str, arguments: Arguments) -> None:
    tables = _Tables(op, arguments, arguments["key_cache"])
    for i, length in enumerate(tables.lens):
        tables.require(i, 0, min(length, arguments["max_tokens"]))


def _slots(op: str, slot_mapping: Tensor, cache: Tensor) -> None:
    limit = cache.shape[0] * cache.shape[1]
    bad = (slot_mapping >= limit).nonzero().flatten().tolist()
    if bad:
        _refuse(op, "slot_mapping", f"slot {int(slot_mapping[bad[0]])} at {bad[0]}", f"less than {limit}")


def _write_kv_cache(op: str, arguments: Arguments) -> None:
    _slots(op, arguments["slot_mapping"], arguments["key_cache"])


def _causal_conv1d(op: str, arguments: Arguments) -> None:
    cache, width = arguments["caches"][0], arguments["weight"].shape[1]
    _slots(op, arguments["slot_mapping"], cache)
    tables = _Tables(op, arguments, cache)
    starts = arguments["query_start_loc"].tolist()
    for i, length in enumerate(tables.lens):
        rows = starts[i + 1] - starts[i]
        first = length - rows  # only what lies before this step's rows is looked up
        if width > 1 and rows > 0 and first > 0:
            tables.require(i, max(0, first - width + 1), first)


def _states(op: str, arguments: Arguments) -> None:
    tail_cache = arguments["tail_cache"]
    chunk, starts = tail_cache.shape[1], arguments["query_start_loc"].tolist()
    tables = [
        ("state_tables", arguments["state_tables"].tolist(), arguments["state_cache"].shape[0]),
        ("tail_tables", arguments["tail_tables"].tolist(), tail_cache.shape[0]),
    ]
    for i, length in enumerate(arguments["seq_lens"].tolist()):
        rows = min(starts[i + 1] - starts[i], length)
        if rows <= 0:
            continue
        begin, end = (length - rows) // chunk, -(-length // chunk)
        reads = (begin - 1, begin if (length - rows) % chunk else -1)
        # A sequence that keeps nothing, as in an engine's timed steps: the null slot may be read in a dry run.
        dry = not any(slot for _, table, _ in tables for slot in table[i][begin:end])
        for (name, table, slots), read in zip(tables, reads, strict=True):
            if not dry:
                _require_kept(op, name, i, table[i], read, slots)
            _require_slots(op, name, i, table[i], max(read, 0), end, slots)


def _require_kept(op: str, name: str, sequence: int, entries: list[int], read: int, slots: int) -> None:
    """Checks that the entry that a sequence's first token reads, if any (-1), names a slot."""
    if read >= len(entries):
        limit = f"more than {read}: its first token reads that entry"
        _refuse(op, name, f"{len(entries)} entries for sequence {sequence}", limit)
    if read >= 0 and entries[read] == 0:
        limit = f"1 to {slots - 1}, the slots of the cache: its first token reads that slot"
        _refuse(op, name, f"slot 0 for sequence {sequence} at entry {read}", limit)


def _require_slots(op: str, name: str, sequence: int, entries: list[int], begin: int, end: int, slots: int) -> None:
    """Checks that the entries [begin, end) that there are name slots of the cache, or none (0)."""
    for k in range(begin, min(end, len(entries))):
        if not 0 <= entries[k] < slots:
            found = f"slot {entries[k]} for sequence {sequence} at entry {k}"
            _refuse(op, name, found, f"0 to {slots - 1}, the slots of the cache")


def is_capturing(device: torch.device) -> bool:
    """Whether a CUDA graph is being captured, in which no value can be read."""
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


_CHECKS: dict[str, Callable[[str, Arguments], None]] = {
    "paged_attention": _paged_attention,
    "gather_kv_cache": _gather_kv_cache,
    "write_kv_cache": _write_kv_cache,
    "causal_conv1d": _causal_conv1d,
    **dict.fromkeys(
        ("chunked_conv1d", "gated_delta_rule", "mamba2_scan", "linear_attention", "selective_scan"), _states
    ),
}

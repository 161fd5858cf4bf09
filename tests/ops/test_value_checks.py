"""Lengths beyond a table, and invalid blocks and slots: refused on the CPU before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops.test_states import ONE_OF_EACH, sequences
from torchpaged import ops

OPS = torch.ops.torchpaged
BLOCKS, BLOCK_SIZE, COLUMNS = 4, 16, 16
LARGEST = 2**31 - 1


@pytest.fixture(params=["cpp", "reference"], autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    ops.set_backend(request.param)
    yield request.param
    ops.set_backend(None)


def ints(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def caches() -> tuple[Tensor, Tensor]:
    return torch.zeros(BLOCKS, BLOCK_SIZE, 1, 8), torch.zeros(BLOCKS, BLOCK_SIZE, 1, 8)


def table(*ids: int) -> Tensor:
    """Return one sequence's table: these blocks, then garbage."""
    return torch.cat([ints(*ids), torch.full((COLUMNS - len(ids),), LARGEST, dtype=torch.int32)])[None]


def attend(length: int, *ids: int, rows: int = 1, op: str = "paged_attention", **options: Any) -> Any:
    query, starts = torch.zeros(rows, 1, 8), ints(0, rows)
    if op == "paged_attention.out":
        return OPS.paged_attention.out(query, *caches(), table(*ids), ints(length), starts, out=query, **options)
    return getattr(OPS, op)(query, *caches(), table(*ids), ints(length), starts, **options)


def choose(length: int, *ids: int, selected: int = 0, granularity: int = 1, rows: int = 1, **options: Any) -> Any:
    query, starts, chosen = torch.zeros(rows, 1, 8), ints(0, rows), torch.full((rows, 1, 2), selected).int()
    call = (query, *caches(), table(*ids), ints(length), starts, chosen)
    return OPS.paged_sparse_attention(*call, granularity=granularity, **options)


def rank(length: int, *ids: int, **options: Any) -> Any:
    call = (torch.zeros(1, 1, 8), None, caches()[0], table(*ids), ints(length), ints(0, 1), 2)
    return OPS.paged_topk(*call, **options)


def gather(length: int, *ids: int, max_tokens: int = 64) -> Any:
    return OPS.gather_kv_cache(*caches(), table(*ids), ints(length), max_tokens)


def pack(*starts: Tensor) -> Any:
    return OPS.varlen_attention(torch.zeros(2, 1, 8), torch.zeros(5, 1, 8), torch.zeros(5, 1, 8), *starts)


def convolve(length: int, *ids: int, slot: int = 0, width: int = 3) -> Any:
    x, weight = torch.ones(1, 8), torch.ones(8, width)
    return OPS.causal_conv1d(x, weight, None, [*caches()], torch.tensor([slot]), table(*ids), ints(length), ints(0, 1))


TOO_LONG = r"seq_lens has {} for sequence 0, expected at most 256: block_tables has 16 blocks of 16 tokens for it"
NEGATIVE = "seq_lens has -5 for sequence 0, expected 0 or more"
NO_BLOCK = r"block_tables has block {} for sequence 0 at entry {}, expected 0 to 3, the blocks of the cache"
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "one-too-long": (lambda: attend(257, *[1] * 16), "paged_attention: " + TOO_LONG.format(257)),
    "too-long": (lambda: attend(5000, *[1] * 16), "paged_attention: " + TOO_LONG.format(5000)),
    "a-billion": (lambda: attend(2**30, *[1] * 16), "paged_attention: " + TOO_LONG.format(2**30)),
    "largest": (lambda: attend(LARGEST, *[1] * 16), "paged_attention: " + TOO_LONG.format(LARGEST)),
    "out": (
        lambda: attend(257, *[1] * 16, op="paged_attention.out"),
        r"paged_attention\.out: " + TOO_LONG.format(257),
    ),
    "negative": (lambda: attend(-5, 1), "paged_attention: " + NEGATIVE),
    "sparse-negative": (lambda: choose(-5, 1), "paged_sparse_attention: " + NEGATIVE),
    "topk-negative": (lambda: rank(-5, 1), "paged_topk: " + NEGATIVE),
    "gather-negative": (lambda: gather(-5, 1), "gather_kv_cache: " + NEGATIVE),
    "conv-negative": (lambda: convolve(-5, 1), "causal_conv1d: " + NEGATIVE),
    "lse": (lambda: attend(20, 1, 103, op="paged_attention_with_lse"), "with_lse: " + NO_BLOCK.format(103, 1)),
    "block-minus-one": (lambda: attend(20, -1, 1), "paged_attention: " + NO_BLOCK.format(-1, 0)),
    "block-of-a-hundred-million": (lambda: attend(20, 1, 10**8), "paged_attention: " + NO_BLOCK.format(10**8, 1)),
    "block-lowest": (lambda: attend(1, -(2**31)), "paged_attention: " + NO_BLOCK.format(-(2**31), 0)),
    "block-behind-many": (lambda: attend(161, *[3] * 10, 4), "paged_attention: " + NO_BLOCK.format(4, 10)),
    "block-in-the-window": (lambda: attend(40, 9, 9, 1, sliding_window=9), NO_BLOCK.format(9, 1)),
    "sparse-too-long": (lambda: choose(257, *[1] * 16), "paged_sparse_attention: " + TOO_LONG.format(257)),
    "sparse-block": (lambda: choose(40, 1, 9, 1, selected=17), "paged_sparse_attention: " + NO_BLOCK.format(9, 1)),
    "sparse-second-block": (lambda: choose(40, 1, 2, 9, selected=1, granularity=24), NO_BLOCK.format(9, 2)),
    "sparse-group": (
        lambda: choose(40, 1, 2, 3, selected=5, granularity=8),
        "paged_sparse_attention: selected has 5 for token 0, expected less than 5, the groups of 8 of its sequence's "
        "40 tokens",
    ),
    "sparse-largest": (lambda: choose(40, 1, 2, 3, selected=LARGEST, rows=2), "selected has 2147483647 for token 0"),
    "topk-too-long": (lambda: rank(257, *[1] * 16), "paged_topk: " + TOO_LONG.format(257)),
    "topk-block": (lambda: rank(33, 1, 2, 103), "paged_topk: " + NO_BLOCK.format(103, 2)),
    "gather-too-long": (lambda: gather(257, *[1] * 16), "gather_kv_cache: " + TOO_LONG.format(257)),
    "gather-no-room": (lambda: gather(257, *[1] * 16, max_tokens=0), "gather_kv_cache: " + TOO_LONG.format(257)),
    "gather-block": (lambda: gather(33, 1, 2, 103), "gather_kv_cache: " + NO_BLOCK.format(103, 2)),
    "conv-too-long": (lambda: convolve(257, *[1] * 16), "causal_conv1d: " + TOO_LONG.format(257)),
    "conv-block": (lambda: convolve(18, 1, -7), "causal_conv1d: " + NO_BLOCK.format(-7, 1)),
    "conv-slot": (lambda: convolve(1, 1, slot=64), r"causal_conv1d: slot_mapping has slot 64 at 0, expected less than"),
    "packed-queries": (
        lambda: pack(ints(0, 3), ints(0, 2)),
        "varlen_attention: cu_seqlens_q has 0, 3 for sequence 0, expected ascending numbers up to num_tokens, 2",
    ),
    "packed-keys": (
        lambda: pack(ints(0, 1, 2), ints(0, 2, 6)),
        "varlen_attention: cu_seqlens_k has 2, 6 for sequence 1, expected ascending numbers up to num_keys, 5",
    ),
    "packed-back": (lambda: pack(ints(0, 1, 2), ints(0, 4, 2)), "cu_seqlens_k has 4, 2 for sequence 1"),
    "packed-negative": (lambda: pack(ints(-1, 1), ints(0, 4)), "cu_seqlens_q has -1, 1 for sequence 0"),
    "rows": (
        lambda: OPS.paged_attention(torch.zeros(2, 1, 8), *caches(), table(1), ints(5), ints(0, 3)),
        r"paged_attention: query_start_loc has 0, 3 for sequence 0, expected ascending numbers up to num_tokens, 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_values_out_of_range_are_refused(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        call()


def test_the_sequence_is_named() -> None:
    tables = torch.cat([table(1), table(2), table(4)])
    with pytest.raises(ValueError, match="block 4 for sequence 2 at entry 0"):
        OPS.paged_attention(torch.zeros(3, 1, 8), *caches(), tables, ints(16, 16, 1), ints(0, 1, 2, 3))


READ: dict[str, Callable[[], Any]] = {
    "full": lambda: attend(256, *[3] * 16),
    "behind-the-last-token": lambda: attend(16, 3),
    "before-the-window": lambda: attend(40, 9, -1, 1, sliding_window=8),
    "a-window-of-two-rows": lambda: attend(40, 9, -1, 1, sliding_window=7, rows=2),
    "no-rows": lambda: attend(5000, 9, rows=0),
    "padding": lambda: attend(0, -1),
    "negative-length-without-rows": lambda: attend(-5, -1, rows=0),
    "not-selected": lambda: choose(40, 9, 1, -1, selected=17),
    "selected-before-the-window": lambda: choose(40, 9, -1, 1, selected=0, granularity=40, sliding_window=8),
    "selected-padding": lambda: choose(0, -1, selected=LARGEST),
    "ranked-rows": lambda: rank(40, 3, -1, tokens_per_row=4, granularity=4),
    "ranked-padding": lambda: rank(0, -1),
    "gathered-part": lambda: gather(40, 3, max_tokens=16),
    "gathered-padding": lambda: gather(0, -1),
    "convolved-alone": lambda: convolve(5000, -1, width=1),
    "convolved-from-the-start": lambda: convolve(1, -1),
    "convolved-behind": lambda: convolve(35, -1, -1, 0),
}


@pytest.mark.parametrize("name", READ)
def test_entries_that_are_not_read_may_be_anything(name: str) -> None:
    result = READ[name]()
    for each in result if isinstance(result, tuple) else (result,):
        assert each.isfinite().all()


@pytest.mark.parametrize("slot", [64, 2**40, 2**63 - 1])
def test_nothing_is_written_where_a_slot_is_not(slot: int) -> None:
    key_cache, value_cache = caches()
    rows, slots = torch.ones(3, 1, 8), torch.tensor([1, slot, 2])
    with pytest.raises(ValueError, match=rf"write_kv_cache: slot_mapping has slot {slot} at 1, expected less than 64"):
        OPS.write_kv_cache(rows, rows, key_cache, value_cache, slots)
    x, convolved = torch.ones(3, 8), torch.zeros(BLOCKS, BLOCK_SIZE, 1, 8)
    with pytest.raises(ValueError, match=rf"causal_conv1d: slot_mapping has slot {slot} at 1, expected less than 64"):
        OPS.causal_conv1d(x, torch.ones(8, 2), None, [convolved], slots, table(1), ints(3), ints(0, 3))
    assert not key_cache.any() and not value_cache.any() and not convolved.any()


@pytest.mark.parametrize("slot", [3, LARGEST])
def test_nothing_is_added_where_an_adapter_is_not(slot: int) -> None:
    out, x, lora_a, lora_b = torch.zeros(3, 8), torch.ones(3, 5), torch.ones(3, 2, 5), torch.ones(3, 2, 8)
    says = rf"lora_linear_add: slots has slot {slot} at 1, expected less than 3"
    with pytest.raises(ValueError, match=says):
        OPS.lora_linear_add(out, x, lora_a, lora_b, ints(1, slot, 2), [8])
    assert not out.any()


@pytest.mark.parametrize("rank", [-1, 3])
def test_ranks_that_an_adapter_has_not(rank: int) -> None:
    """Slots that no row has may have any."""
    out, x, lora_a, lora_b = torch.zeros(2, 8), torch.ones(2, 5), torch.ones(3, 2, 5), torch.ones(3, 2, 8)
    with pytest.raises(ValueError, match=rf"lora_linear_add: ranks has rank {rank} for slot 1, expected from 0 to 2"):
        OPS.lora_linear_add(out, x, lora_a, lora_b, ints(1, 2), [8], ranks=ints(9, rank, 2)[:, None])
    assert not out.any()
    OPS.lora_linear_add(out, x, lora_a, lora_b, ints(-1, 2), [8], ranks=ints(9, rank, 2)[:, None])
    assert not out[0].any() and (out[1] == 10).all()


@pytest.mark.parametrize("pair", [(4, 0), (0, 4), (-1, 0), (0, 2**40)])
def test_pairs_of_blocks_that_are_not(pair: tuple[int, int]) -> None:
    key_cache, value_cache = caches()
    mapping = torch.tensor([[1, 2], pair])
    for call in (
        lambda: OPS.copy_blocks([key_cache, value_cache], mapping),
        lambda: OPS.swap_blocks(key_cache.fill_(1.0), value_cache, mapping),
    ):
        with pytest.raises(ValueError, match=r"block_mapping has (source|destination) -?\d+, expected 0 to 3"):
            call()
    assert not value_cache.any()


# Slots that a step after chunk + 1 tokens reads: the state at the boundary, and one row of the second tail.
SLOTS: dict[str, tuple[str, int, int, str]] = {
    "state-null": ("state_tables", 0, 0, r"has slot 0 for sequence 0 at entry 0, expected 1 to \d+, the slots of"),
    "state-past": ("state_tables", 0, 99, r"has slot 99 for sequence 0 at entry 0, expected 0 to \d+, the slots of"),
    "state-kept": ("state_tables", 1, -3, r"has slot -3 for sequence 0 at entry 1, expected 0 to \d+, the slots of"),
    "tail-null": ("tail_tables", 1, 0, r"has slot 0 for sequence 0 at entry 1, expected 1 to \d+, the slots of"),
    "tail-below": ("tail_tables", 1, -1, r"has slot -1 for sequence 0 at entry 1, expected 0 to \d+, the slots of"),
}


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.op)
@pytest.mark.parametrize("name", SLOTS)
def test_slots_that_are_not_are_refused(case: Any, name: str) -> None:
    table, entry, value, message = SLOTS[name]
    run = sequences(case, "cpp", 2 * case.chunk)
    run.call = lambda op, *args, **kwargs: getattr(OPS, op)(*args, **kwargs)
    run.step({0: case.chunk + 1})
    before = run.states.clone(), run.tails.clone()
    getattr(run, table)[0, entry] = value
    with pytest.raises(ValueError, match=f"{case.op}: {table} {message}"):
        run.step({0: 1})
    for now, then in zip((run.states, run.tails), before, strict=True):
        torch.testing.assert_close(now, then, rtol=0, atol=0, equal_nan=True)


def test_a_state_behind_the_table_is_refused() -> None:
    case = ONE_OF_EACH[0]
    run = sequences(case, "cpp", 2 * case.chunk)
    run.call = lambda op, *args, **kwargs: getattr(OPS, op)(*args, **kwargs)
    run.step({0: case.chunk + 1})
    run.state_tables = run.state_tables[:, :0]
    with pytest.raises(ValueError, match="state_tables has 0 entries for sequence 0, expected more than 0"):
        run.step({0: 1})


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.op)
def test_a_dry_run_reads_the_null_slot(case: Any) -> None:
    """A sequence that stores nothing, as in the steps that an engine times; invalid slots are refused there too."""
    run = sequences(case, "cpp", 2 * case.chunk)
    run.call = lambda op, *args, **kwargs: getattr(OPS, op)(*args, **kwargs)
    run.step({0: case.chunk + 1})
    run.state_tables.zero_()
    run.tail_tables.zero_()
    before = run.states.clone(), run.tails.clone()
    run.step({0: 1})
    for now, then in zip((run.states, run.tails), before, strict=True):
        torch.testing.assert_close(now, then, rtol=0, atol=0, equal_nan=True)
    run.state_tables[0, 0] = 99
    with pytest.raises(ValueError, match="state_tables has slot 99 for sequence 0 at entry 0"):
        run.step({0: 1})

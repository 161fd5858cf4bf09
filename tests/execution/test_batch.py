"""StepBatch: a step's tensors, exactly, over rows that grow, fork, end and come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch

from torchpaged.execution.batch import StepBatch, encoded_places
from torchpaged.execution.rows import Rows
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.kv_cache import CrossAttentionSpec, FullAttentionSpec, KVCacheGroup
from torchpaged.scheduling import Fork, NewSequence, RowParams, Step

BLOCK = 4
FULL = FullAttentionSpec(BLOCK)
CPU = torch.device("cpu")


def batch(
    max_num_seqs: int = 3,
    *,
    num_groups: int = 1,
    chunk_sizes: Mapping[int, int] | None = None,
    cross: bool = False,
    least: int = 0,
) -> StepBatch:
    groups = [KVCacheGroup(FULL, (2 * i, 2 * i + 1)) for i in range(num_groups)]
    if cross:
        groups.append(KVCacheGroup(CrossAttentionSpec(BLOCK), (2 * num_groups,)))
    return StepBatch(
        Rows(len(groups), max_num_seqs, 6, 6 * BLOCK, CPU),
        groups=groups,
        chunk_sizes=chunk_sizes or {},
        caches=[],
        block_size=BLOCK,
        device=CPU,
        least=least,
    )


def new(
    id: int, tokens: Sequence[int], *tables: list[int], prompt: int | None = None, encoder: int = 0
) -> dict[int, NewSequence]:
    prompt = len(tokens) if prompt is None else prompt
    about = ("what it reads", encoder) if encoder else (None, 0)
    return {id: NewSequence(id, tuple(tokens), prompt, RowParams(), tables, *about)}


def step(*shares: tuple[int, int, int], **fields: Any) -> Step:
    """Make a step of (sequence, first token, count) parts."""
    ids, firsts, counts = ([share[i] for share in shares] for i in range(3))
    return Step(1, ids, firsts, counts, **fields)


def as_lists(inputs: StepInputs, group: int = 0, width: int | None = None) -> dict[str, object]:
    """Return a step's inputs, and of its tables the first `width` columns: those of decode steps have room for more."""
    meta = inputs.metadata.groups[group]
    return {
        "ids": inputs.input_ids.tolist(),
        "positions": inputs.positions.tolist(),
        "wanted": inputs.wanted_rows.tolist(),
        "slots": meta.slot_mapping.tolist(),
        "tables": meta.block_tables[:, :width].tolist(),
        "lens": meta.seq_lens.tolist(),
        "starts": meta.query_start_loc.tolist(),
        "longest": meta.max_query_len,
    }


def test_steps_as_tensors() -> None:
    inputs = batch()
    arrivals = new(1, [10, 11, 12, 13, 14], [7, 2]) | new(2, [*range(20, 28)], [5])
    first = inputs.prepare(step((1, 0, 5), (2, 0, 2), new=arrivals, quiet={2}))
    assert as_lists(first) == {
        "ids": [10, 11, 12, 13, 14, 20, 21],
        "positions": [0, 1, 2, 3, 4, 0, 1],
        "wanted": [4],  # the other's prompt goes on
        "slots": [28, 29, 30, 31, 8, 20, 21],
        "tables": [[7, 2], [5, 0]],
        "lens": [5, 2],
        "starts": [0, 5, 7],
        "longest": 5,
    }
    assert first.plan.draws == [1] and len(set(first.rows.tolist())) == 2
    dtypes = {tensor.dtype for tensor in (first.input_ids, first.positions, first.wanted_rows)}
    assert dtypes == {torch.int64} == {first.metadata.groups[0].slot_mapping.dtype}
    assert first.metadata.groups[0].block_tables.dtype == first.metadata.groups[0].seq_lens.dtype == torch.int32
    assert first.metadata.groups[0].query_start_loc.dtype == torch.int32
    inputs.rows.check()
    # The device has the sampled token; tables grow at their end.
    inputs.rows.tokens.scatter(torch.tensor(first.rows[:1]), torch.tensor([5]), torch.tensor([15]))
    second = inputs.prepare(step((1, 5, 1), (2, 2, 6), tables=[(2, 0, 1, (9,))]))
    assert as_lists(second) == {
        "ids": [15, 22, 23, 24, 25, 26, 27],
        "positions": [5, 2, 3, 4, 5, 6, 7],
        "wanted": [0, 6],
        "slots": [9, 22, 23, 36, 37, 38, 39],
        "tables": [[7, 2], [5, 9]],
        "lens": [6, 8],
        "starts": [0, 1, 7],
        "longest": 6,
    }
    assert second.plan.draws == [1, 2] and second.rows.tolist() == first.rows.tolist()


def test_known_tokens_replace_sampled_ones() -> None:
    inputs = batch()
    inputs.prepare(step((1, 0, 3), new=new(1, [4, 5, 6], [3])))
    known = inputs.prepare(step((1, 3, 2), known={1: (3, (8, 9))}, tables=[(1, 0, 1, (2,))]))
    assert as_lists(known)["ids"] == [8, 9] and as_lists(known)["slots"] == [15, 8]


def test_forks_read_what_their_parent_has() -> None:
    """Tables and tokens are copied, also past `num_tokens`, where they are overwritten; then each continues alone."""
    inputs = batch()
    inputs.prepare(step((1, 0, 5), new=new(1, [4, 5, 6, 7, 8], [3, 2])))
    forks = [Fork(1, 2, 5, RowParams(seed=7)), Fork(1, 3, 5, RowParams())]
    known = {1: (5, (10,)), 2: (5, (11,)), 3: (5, (12,))}
    tables = [(2, 0, 1, (8,)), (3, 0, 1, (9,))]  # each has a copy of the partial block
    after = inputs.prepare(step((3, 5, 1), (1, 5, 1), (2, 5, 1), forks=forks, known=known, tables=tables))
    assert as_lists(after, width=2) == {
        "ids": [12, 10, 11],
        "positions": [5, 5, 5],
        "wanted": [0, 1, 2],
        "slots": [37, 9, 33],
        "tables": [[3, 9], [3, 2], [3, 8]],
        "lens": [6, 6, 6],
        "starts": [0, 1, 2, 3],
        "longest": 1,
    }
    again = inputs.prepare(step((2, 4, 2)))
    assert as_lists(again)["ids"] == [8, 11]
    inputs.rows.check()


def test_a_released_row_is_used_again_and_forgets() -> None:
    inputs = batch(max_num_seqs=1)
    inputs.prepare(step((1, 0, 8), new=new(1, [1] * 8, [3, 4])))
    again = inputs.prepare(step((1, 0, 3), new=new(1, [2] * 3, [6]), released=[1]))
    inputs.rows.check()
    assert as_lists(again)["tables"] == [[6]] and as_lists(again)["ids"] == [2] * 3
    other = inputs.prepare(step((2, 0, 8), new=new(2, [3] * 8, [8, 9]), released=[1]))
    inputs.rows.check()
    assert as_lists(other)["tables"] == [[8, 9]] and as_lists(other)["ids"] == [3] * 8


def test_a_preempted_sequence_may_return_before_its_release() -> None:
    """Its new tables and tokens replace those of the row."""
    inputs = batch(num_groups=2)
    inputs.prepare(step((1, 0, 8), new=new(1, [1] * 8, [3, 4], [5, 6])))
    again = inputs.prepare(step((1, 0, 8), new=new(1, [2] * 8, [7, 8], [0, 9])))
    inputs.rows.check()
    assert [group.block_tables.tolist() for group in again.metadata.groups] == [[[7, 8]], [[0, 9]]]
    assert again.input_ids.tolist() == [2] * 8
    inputs.prepare(step(released=[1, 99]))
    inputs.rows.check()
    with pytest.raises(KeyError):
        inputs.prepare(step((1, 8, 1)))


def test_each_group_has_its_tables() -> None:
    inputs = batch(num_groups=2)
    arrivals = new(1, [1] * 12, [1, 2], [3, 4]) | new(2, [2] * 3, [5], [6])
    first = inputs.prepare(step((1, 0, 6), (2, 0, 3), new=arrivals, quiet={1}))
    assert first.metadata.group_of_layer == [0, 0, 1, 1]
    assert as_lists(first, 0)["tables"] == [[1, 2], [5, 0]]
    assert as_lists(first, 0)["slots"] == [4, 5, 6, 7, 8, 9, 20, 21, 22]
    assert as_lists(first, 1)["slots"] == [12, 13, 14, 15, 16, 17, 24, 25, 26]
    # The second group's first block fell out of its window; the first one's last block was copied on write.
    tables = [(1, 0, 2, (8,)), (1, 1, 2, (9,)), (1, 1, 0, (0,)), (1, 0, 1, (7,))]
    after = inputs.prepare(step((1, 6, 6), tables=tables))
    assert as_lists(after, 0)["tables"] == [[1, 7, 8]] and as_lists(after, 1)["tables"] == [[0, 4, 9]]
    assert as_lists(after, 0)["slots"] == [30, 31, 32, 33, 34, 35]
    assert as_lists(after, 1)["slots"] == [18, 19, 36, 37, 38, 39]


@pytest.mark.parametrize("separate", [True, False], ids=["own-group", "shared-group"])
def test_attention_chunks_count_as_sequences(separate: bool) -> None:
    """Chunks of 8 tokens: a query of 13 tokens from 6 on lies in three of them, one of 1 token at 16 in one."""
    chunked = {2: 8, 3: 8} if separate else {1: 8}
    inputs = batch(num_groups=2 if separate else 1, chunk_sizes=chunked)
    long, short = [1, 2, 3, 4, 5], [6, 7, 8, 9, 10]
    tables = ([list(long), [i + 10 for i in long]], [list(short), [i + 10 for i in short]])
    many = 2 if separate else 1
    arrivals = new(1, [1] * 19, *tables[0][:many]) | new(2, [2] * 17, *tables[1][:many])
    first = inputs.prepare(step((1, 6, 13), (2, 16, 1), new=arrivals))
    assert first.metadata.group_of_layer == ([0, 0, 1, 1] if separate else [0, 1])
    whole, chunks = (as_lists(first, group) for group in (0, 1))
    offset = 10 if separate else 0
    assert whole["lens"] == [19, 17] and whole["starts"] == [0, 13, 14] and whole["longest"] == 13
    assert chunks["lens"] == [8, 8, 3, 1] and chunks["starts"] == [0, 2, 10, 13, 14] and chunks["longest"] == 8
    used = [[1, 2], [3, 4], [5], [10]]
    rows = first.metadata.groups[1].block_tables.tolist()
    assert [row[: len(blocks)] for row, blocks in zip(rows, used, strict=True)] == [
        [block + offset for block in blocks] for blocks in used
    ]
    assert chunks["slots"] == [slot + offset * BLOCK for slot in whole["slots"]]  # type: ignore[attr-defined]


def test_cross_attention_sees_all_states_of_an_encoder() -> None:
    """Slots for encoders that run in this step alone; a query of 5 over 2 states is one sequence of that length."""
    inputs = batch(cross=True)
    arrivals = new(1, [1] * 5, [1, 2], [3], encoder=2) | new(2, [2] * 3, [4], [5, 6], encoder=7)
    first = as_lists(inputs.prepare(step((1, 0, 5), (2, 0, 3), new=arrivals)), 1)
    assert first["slots"] == [12, 13, 20, 21, 22, 23, 24, 25, 26]
    assert first["lens"] == [2, 7] and first["starts"] == [0, 5, 8] and first["longest"] == 5
    assert first["tables"] == [[3, 0], [5, 6]]
    second = as_lists(inputs.prepare(step((2, 3, 1), (1, 5, 1), tables=[])), 1)
    assert second["slots"] == [-1] and second["lens"] == [7, 2] and second["tables"] == [[5, 6], [3, 0]]


def test_encoders_run_when_sequences_begin() -> None:
    """They run for new sequences and after a preemption, not for a prompt that continues or has no encoder."""
    arrivals = new(1, [1] * 5, [1], encoder=2) | new(2, [2] * 3, [4]) | new(4, [2] * 3, [4], encoder=3)
    assert encoded_places(step((3, 4, 1), (1, 0, 5), (2, 0, 3), (4, 0, 2), new=arrivals)) == [1, 3]
    assert encoded_places(step((1, 2, 3), new=new(1, [1] * 5, [1], encoder=2))) == []
    assert encoded_places(step((1, 0, 5))) == []


def test_small_steps_are_padded() -> None:
    """With tokens that have no slot, empty sequences, null blocks, and row 0; input ids come from the padding row."""
    inputs = batch(least=3)
    only = inputs.prepare(step((1, 0, 1), new=new(1, [9], [5])))
    assert as_lists(only) == {
        "ids": [9, 0, 0],
        "positions": [0, 0, 0],
        "wanted": [0, 0, 0],
        "slots": [20, -1, -1],
        "tables": [[5, 0, 0], [0, 0, 0], [0, 0, 0]],
        "lens": [1, 0, 0],
        "starts": [0, 1, 1, 1],
        "longest": 1,
    }
    assert only.plan.rows.tolist() == [0]


@pytest.mark.parametrize("every_row", [False, True])
def test_blank_steps_write_nowhere(every_row: bool) -> None:
    inputs = batch(num_groups=2)
    inputs.prepare(step((1, 0, 5), new=new(1, [4, 5, 6, 7, 8], [3, 2], [1, 4])))
    tokens, tables = inputs.rows.tokens.tensor.clone(), inputs.rows.tables.copy()
    blank = inputs.blank([3, 1], [2, 7], every_row=every_row)
    for group in (0, 1):
        found = as_lists(blank, group)
        assert found["slots"] == [-1] * 4 and found["lens"] == [5, 8] and found["starts"] == [0, 3, 4]
    assert found["wanted"] == ([0, 1, 2, 3] if every_row else [2, 3]) and found["ids"] == [0] * 4
    assert torch.equal(inputs.rows.tokens.tensor, tokens) and (inputs.rows.tables == tables).all()

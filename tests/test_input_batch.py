"""InputBatch: a step's tensors, exactly, and tables that grow, end and come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
import torch

from torchpaged import SamplingParams
from torchpaged.execution.batch import InputBatch, StepInputs, logit_positions
from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup
from torchpaged.request import Request
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput

BLOCK = 4
FULL = FullAttentionSpec(BLOCK)


def batch(max_num_seqs: int = 3, *, num_groups: int = 1, chunk_sizes: Mapping[int, int] | None = None) -> InputBatch:
    return InputBatch(
        groups=[KVCacheGroup(FULL, (2 * i, 2 * i + 1)) for i in range(num_groups)],
        chunk_sizes=chunk_sizes or {},
        caches=[],
        max_num_seqs=max_num_seqs,
        max_blocks_per_seq=6,
        block_size=BLOCK,
        device=torch.device("cpu"),
    )


def item(
    name: str,
    tokens: Sequence[int],
    first: int,
    *blocks: list[int],
    prompt: int = 8,
    starts: bool = False,
    changed: Sequence[tuple[int, int, int]] = (),
    **params: int,
) -> ScheduledRequest:
    """A request of which `tokens` are computed from `first` on; with fewer tokens than `prompt` there are more."""
    known = [0] * first + list(tokens)
    known += [0] * (prompt - len(known))
    options = SamplingParams(**{"max_tokens": 64, **params})  # type: ignore[arg-type]
    request = Request(name, known[:prompt], options, arrival=0, max_total_tokens=99)
    for token in known[prompt:]:
        request.append(token)
    samples = first + len(tokens) == request.num_tokens
    return ScheduledRequest(request, first, len(tokens), samples, starts, blocks, changed)


def as_lists(inputs: StepInputs, group: int = 0) -> dict[str, object]:
    meta = inputs.metadata.groups[group]
    return {
        "ids": inputs.input_ids.tolist(),
        "positions": inputs.positions.tolist(),
        "rows": inputs.logit_rows.tolist(),
        "slots": meta.slot_mapping.tolist(),
        "tables": meta.block_tables.tolist(),
        "lens": meta.seq_lens.tolist(),
        "starts": meta.query_start_loc.tolist(),
        "longest": meta.max_query_len,
    }


def test_steps_as_tensors() -> None:
    inputs = batch()
    first = inputs.write(
        SchedulerOutput(
            [
                item("a", [10, 11, 12, 13, 14], 0, [7, 2], prompt=5, starts=True),
                item("b", [20, 21], 0, [5], starts=True),
            ]
        )
    )
    assert as_lists(first) == {
        "ids": [10, 11, 12, 13, 14, 20, 21],
        "positions": [0, 1, 2, 3, 4, 0, 1],
        "rows": [4],  # b's prompt goes on
        "slots": [28, 29, 30, 31, 8, 20, 21],
        "tables": [[7, 2], [5, 0]],
        "lens": [5, 2],
        "starts": [0, 5, 7],
        "longest": 5,
    }
    dtypes = {tensor.dtype for tensor in (first.input_ids, first.positions, first.logit_rows)}
    assert dtypes == {torch.int64} == {first.metadata.groups[0].slot_mapping.dtype}
    assert first.metadata.groups[0].block_tables.dtype == first.metadata.groups[0].seq_lens.dtype == torch.int32
    assert first.metadata.groups[0].query_start_loc.dtype == torch.int32
    inputs.check()
    second = inputs.write(
        SchedulerOutput([item("a", [15], 5, [], prompt=5), item("b", [22, 23, 24, 25, 26, 27], 2, [9])])
    )
    assert as_lists(second) == {
        "ids": [15, 22, 23, 24, 25, 26, 27],
        "positions": [5, 2, 3, 4, 5, 6, 7],
        "rows": [0, 6],
        "slots": [9, 22, 23, 36, 37, 38, 39],
        "tables": [[7, 2], [5, 9]],
        "lens": [6, 8],
        "starts": [0, 1, 7],
        "longest": 6,
    }


def test_a_released_row_is_used_again_and_forgets() -> None:
    inputs = batch(max_num_seqs=1)
    inputs.write(SchedulerOutput([item("a", [1] * 8, 0, [3, 4], starts=True)]))
    again = inputs.write(SchedulerOutput([item("a", [1] * 3, 0, [6], starts=True, prompt=3)], released=["a"]))
    inputs.check()
    assert again.metadata.groups[0].block_tables.tolist() == [[6]]
    other = inputs.write(SchedulerOutput([item("b", [2] * 8, 0, [8, 9], starts=True)], released=["a"]))
    inputs.check()
    assert other.metadata.groups[0].block_tables.tolist() == [[8, 9]]


def test_a_row_that_starts_again_is_replaced() -> None:
    """A preempted request may come back before the runner hears that it was released."""
    inputs = batch(num_groups=2)
    inputs.write(SchedulerOutput([item("a", [1] * 8, 0, [3, 4], [5, 6], starts=True)]))
    again = inputs.write(SchedulerOutput([item("a", [1] * 8, 0, [7, 8], [0, 9], starts=True)]))
    inputs.check()
    assert [group.block_tables.tolist() for group in again.metadata.groups] == [[[7, 8]], [[0, 9]]]
    inputs.write(SchedulerOutput([], released=["a", "never-seen"]))
    inputs.check()


def test_each_group_has_its_tables() -> None:
    inputs = batch(num_groups=2)
    step = inputs.write(
        SchedulerOutput(
            [
                item("a", [1] * 6, 0, [1, 2], [3, 4], starts=True, prompt=12),
                item("b", [2] * 3, 0, [5], [6], starts=True, prompt=3),
            ]
        )
    )
    assert step.metadata.group_of_layer == [0, 0, 1, 1]
    assert as_lists(step, 0)["tables"] == [[1, 2], [5, step.metadata.groups[0].block_tables[1, 1].item()]]
    assert as_lists(step, 0)["slots"] == [4, 5, 6, 7, 8, 9, 20, 21, 22]
    assert as_lists(step, 1)["slots"] == [12, 13, 14, 15, 16, 17, 24, 25, 26]
    # The second group's first block fell out of its window; the first one's last block was copied on write.
    after = inputs.write(SchedulerOutput([item("a", [1] * 6, 6, [8], [9], prompt=12, changed=[(1, 0, 0), (0, 1, 7)])]))
    assert as_lists(after, 0)["tables"] == [[1, 7, 8]] and as_lists(after, 1)["tables"] == [[0, 4, 9]]
    assert as_lists(after, 0)["slots"] == [30, 31, 32, 33, 34, 35]
    assert as_lists(after, 1)["slots"] == [18, 19, 36, 37, 38, 39]


@pytest.mark.parametrize("separate", [True, False], ids=["own-group", "shared-group"])
def test_chunks_are_sequences(separate: bool) -> None:
    """Chunks of 8 tokens: a query of 13 tokens from 6 on lies in three of them, one of 1 token at 16 in one."""
    chunked = {2: 8, 3: 8} if separate else {1: 8}
    inputs = batch(num_groups=2 if separate else 1, chunk_sizes=chunked)
    long, short = [1, 2, 3, 4, 5], [6, 7, 8, 9, 10]
    tables = ([list(long), [i + 10 for i in long]], [list(short), [i + 10 for i in short]])
    tables = tuple(table[: 2 if separate else 1] for table in tables)
    step = inputs.write(
        SchedulerOutput(
            [
                item("a", [1] * 13, 6, *tables[0], starts=True, prompt=19),
                item("b", [2], 16, *tables[1], starts=True, prompt=17),
            ]
        )
    )
    assert step.metadata.group_of_layer == ([0, 0, 1, 1] if separate else [0, 1])
    whole, chunks = (as_lists(step, group) for group in (0, 1))
    offset = 10 if separate else 0
    assert whole["lens"] == [19, 17] and whole["starts"] == [0, 13, 14] and whole["longest"] == 13
    assert chunks["lens"] == [8, 8, 3, 1] and chunks["starts"] == [0, 2, 10, 13, 14] and chunks["longest"] == 8
    used = [[1, 2], [3, 4], [5], [10]]
    rows = step.metadata.groups[1].block_tables.tolist()
    assert [row[: len(blocks)] for row, blocks in zip(rows, used, strict=True)] == [
        [block + offset for block in blocks] for blocks in used
    ]
    assert chunks["slots"] == [slot + offset * BLOCK for slot in whole["slots"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("first", "added", "num_prompt", "total", "options", "expected"),
    [
        pytest.param(0, 5, 5, 5, {}, [4], id="whole-prompt"),
        pytest.param(0, 3, 5, 5, {}, [], id="chunk"),
        pytest.param(7, 1, 5, 8, {}, [0], id="decode"),
        pytest.param(0, 5, 5, 5, {"prompt_logprobs": 0}, [0, 1, 2, 3, 4], id="whole-prompt-logprobs"),
        pytest.param(0, 3, 5, 5, {"prompt_logprobs": 0}, [0, 1, 2], id="chunk-logprobs"),
        pytest.param(3, 2, 5, 5, {"prompt_logprobs": 0}, [0, 1], id="last-chunk-logprobs"),
        pytest.param(4, 1, 5, 5, {"prompt_logprobs": 0}, [0], id="last-token-logprobs"),
        pytest.param(7, 1, 5, 8, {"prompt_logprobs": 0}, [0], id="decode-logprobs"),
        pytest.param(0, 9, 5, 9, {"prompt_logprobs": 0}, [8], id="recomputed-logprobs"),
        pytest.param(0, 1, 1, 1, {"prompt_logprobs": 0}, [0], id="one-token-prompt"),
        pytest.param(0, 5, 5, 5, {"prompt_logprobs": 0, "prompt_logprobs_start": 3}, [2, 3, 4], id="from-3"),
        pytest.param(0, 2, 5, 5, {"prompt_logprobs": 0, "prompt_logprobs_start": 3}, [], id="chunk-before-3"),
        pytest.param(2, 2, 5, 5, {"prompt_logprobs": 0, "prompt_logprobs_start": 3}, [0, 1], id="chunk-from-3"),
        pytest.param(0, 5, 5, 5, {"prompt_logprobs": 0, "prompt_logprobs_start": 9}, [4], id="from-beyond"),
    ],
)
def test_rows_that_need_logits(
    first: int, added: int, num_prompt: int, total: int, options: dict[str, int], expected: list[int]
) -> None:
    scheduled = item("a", [1] * (total - first), first, prompt=num_prompt, **options)
    scheduled.num_new_tokens, scheduled.samples = added, first + added == total
    assert logit_positions(scheduled) == expected

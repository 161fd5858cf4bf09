"""InputBatch: a step's tensors, exactly, and tables that grow, end and come back."""

from __future__ import annotations

import pytest
import torch

from torchpaged import SamplingParams
from torchpaged.input_batch import InputBatch, StepInputs, logit_positions
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput


def batch(max_num_seqs: int = 3) -> InputBatch:
    return InputBatch(
        max_num_seqs=max_num_seqs,
        max_num_batched_tokens=16,
        max_blocks_per_seq=4,
        block_size=4,
        device=torch.device("cpu"),
        caches=[],
    )


def item(
    name: str, tokens: list[int], first: int, blocks: list[int], *, prompt: int = 8, starts: bool = False, **params: int
) -> ScheduledRequest:
    total = max(prompt, first + len(tokens))
    return ScheduledRequest(
        request_id=name,
        token_ids=tokens,
        num_computed_tokens=first,
        num_prompt_tokens=prompt,
        new_block_ids=(blocks,),
        starts=starts,
        samples=first + len(tokens) == total,
        params=SamplingParams(**params),  # type: ignore[arg-type]
        all_token_ids=[0] * total,
        banned_token_ids=frozenset(),
    )


def as_lists(inputs: StepInputs) -> dict[str, object]:
    meta = inputs.metadata
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
    assert dtypes == {torch.int64} == {first.metadata.slot_mapping.dtype}
    assert first.metadata.block_tables.dtype == first.metadata.seq_lens.dtype == torch.int32
    assert first.metadata.query_start_loc.dtype == torch.int32
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
    assert again.metadata.block_tables.tolist() == [[6]]
    other = inputs.write(SchedulerOutput([item("b", [2] * 8, 0, [8, 9], starts=True)], released=["a"]))
    inputs.check()
    assert other.metadata.block_tables.tolist() == [[8, 9]]


@pytest.mark.parametrize(
    ("first", "added", "num_prompt", "samples", "wanted", "expected"),
    [
        pytest.param(0, 5, 5, True, None, [4], id="whole-prompt"),
        pytest.param(0, 3, 5, False, None, [], id="chunk"),
        pytest.param(7, 1, 5, True, None, [0], id="decode"),
        pytest.param(0, 5, 5, True, 0, [0, 1, 2, 3, 4], id="whole-prompt-logprobs"),
        pytest.param(0, 3, 5, False, 0, [0, 1, 2], id="chunk-logprobs"),
        pytest.param(3, 2, 5, True, 0, [0, 1], id="last-chunk-logprobs"),
        pytest.param(4, 1, 5, True, 0, [0], id="last-token-logprobs"),
        pytest.param(7, 1, 5, True, 0, [0], id="decode-logprobs"),
        pytest.param(0, 9, 5, True, 0, [0, 1, 2, 3, 8], id="recomputed-logprobs"),
        pytest.param(0, 1, 1, True, 0, [0], id="one-token-prompt"),
    ],
)
def test_rows_that_need_logits(
    first: int, added: int, num_prompt: int, samples: bool, wanted: int | None, expected: list[int]
) -> None:
    assert logit_positions(first, added, num_prompt, samples, wanted) == expected

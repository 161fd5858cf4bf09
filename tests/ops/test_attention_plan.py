"""Which launches a call of Triton's paged_attention becomes."""

from __future__ import annotations

from typing import Any

import torch

from torchpaged.ops.triton import attention_plan
from torchpaged.ops.triton.attention_plan import ALL, DECODES, FOLD, ONE_CHUNK, OTHERS, SPLIT, Launch, plan

HOPPER = (9, 0)
LLAMA = attention_plan.configuration(torch.bfloat16, torch.bfloat16, 128, 128, True, 16, HOPPER)
LATENT = attention_plan.configuration(torch.bfloat16, torch.bfloat16, 576, 512, True, 16, HOPPER)


def planned(config: attention_plan.Configuration = LLAMA, **changes: Any) -> list[Launch]:
    """The launches for a model of 32 query and 8 KV heads of 128."""
    shape = {"num_heads": 32, "group": 4, "head_dim_v": 128, "num_chunks": 8, "max_query_len": 0, "num_splits": 0}
    return plan(config, **{**shape, **changes})


def kinds(launches: list[Launch]) -> list[tuple[int, int]]:
    """(mode, which) of each."""
    return [(launch.mode, launch.which) for launch in launches]


def test_decode() -> None:
    assert kinds(planned(num_tokens=8, num_seqs=8, num_chunks=1)) == [(ONE_CHUNK, ALL)]
    assert kinds(planned(num_tokens=8, num_seqs=8)) == [(SPLIT, ALL)]
    assert planned(num_tokens=8, num_seqs=8)[0].slots == 8


def test_prefill() -> None:
    assert kinds(planned(num_tokens=4096, num_seqs=1)) == [(FOLD, ALL)]
    assert planned(num_tokens=4096, num_seqs=1)[0].rows == LLAMA.fold
    assert planned(num_tokens=512, num_seqs=1, num_chunks=1)[0].rows == LLAMA.fold


def test_a_mixed_batch_is_two_launches() -> None:
    launches = planned(num_tokens=2048, num_seqs=64, max_query_len=1985)
    assert kinds(launches) == [(SPLIT, DECODES), (FOLD, OTHERS)]
    assert launches[0].slots == 64  # a slot for each sequence, not for each token
    assert kinds(planned(num_tokens=2048, num_seqs=64, max_query_len=1985, num_splits=1)) == [(FOLD, ALL)]


def test_the_workspace_has_a_limit() -> None:
    """Tables for 131072 tokens: steps of 256 sequences are folded; MLA, which cannot be, is sliced."""
    assert kinds(planned(num_tokens=256, num_seqs=256, num_chunks=256)) == [(FOLD, ALL)]
    assert kinds(planned(num_tokens=4096, num_seqs=256, num_chunks=256, max_query_len=3000)) == [(FOLD, ALL)]
    launches = planned(LATENT, num_tokens=1000, num_seqs=1, num_chunks=256, group=32, head_dim_v=512)
    assert kinds(launches) == [(SPLIT, ALL)] * len(launches)
    assert [launch.begin for launch in launches] == [0, *(launch.end for launch in launches[:-1])]
    assert launches[-1].end == 1000
    for launch in launches:
        assert launch.slots * 256 * 32 * 514 * 4 <= attention_plan.WORKSPACE_BYTES

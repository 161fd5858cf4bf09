"""Launches that Triton's paged_attention makes for a call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from torchpaged.ops.triton import attention_plan, common
from torchpaged.ops.triton.attention_plan import ALL, DECODES, FOLD, ONE_CHUNK, OTHERS, SPLIT, Launch, plan

HOPPER = (9, 0)
LLAMA = attention_plan.configuration(torch.bfloat16, torch.bfloat16, 128, 128, True, 16, HOPPER)
LATENT = attention_plan.configuration(torch.bfloat16, torch.bfloat16, 576, 512, True, 16, HOPPER)


def planned(config: attention_plan.Configuration = LLAMA, **changes: Any) -> list[Launch]:
    """Return the launches for a model of 32 query and 8 KV heads of 128."""
    shape = {"num_heads": 32, "group": 4, "head_dim_v": 128, "num_chunks": 8, "max_query_len": 0, "num_splits": 0}
    return plan(config, **{**shape, **changes})


def kinds(launches: list[Launch]) -> list[tuple[int, int]]:
    """Return (mode, which) of each."""
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
    """Tables for 131072 tokens: steps of 256 sequences are folded; MLA, which does not allow that, is sliced."""
    assert kinds(planned(num_tokens=256, num_seqs=256, num_chunks=256)) == [(FOLD, ALL)]
    assert kinds(planned(num_tokens=4096, num_seqs=256, num_chunks=256, max_query_len=3000)) == [(FOLD, ALL)]
    launches = planned(LATENT, num_tokens=1000, num_seqs=1, num_chunks=256, group=32, head_dim_v=512)
    assert kinds(launches) == [(SPLIT, ALL)] * len(launches)
    assert [launch.begin for launch in launches] == [0, *(launch.end for launch in launches[:-1])]
    assert launches[-1].end == 1000
    for launch in launches:
        assert launch.slots * 256 * 32 * 514 * 4 <= attention_plan.WORKSPACE_BYTES


def test_tiles_that_fit_where_others_spilled() -> None:
    """Head_dim 80 with all features on Blackwell; RDNA, whose waves have half of CDNA's threads. Others unchanged."""

    def chosen(dim: int, light: bool, capability: tuple[int, int], amd: str = "") -> attention_plan.Configuration:
        return attention_plan.configuration(torch.bfloat16, torch.bfloat16, dim, dim, light, 16, capability, amd)

    rows = {major: chosen(80, False, (major, 0)).split.block_m for major in (8, 10, 12)}
    assert rows == {8: 32, 10: 16, 12: 16}
    for dim, light in ((128, True), (64, False), (256, True), (576, True)):
        assert chosen(dim, light, (12, 0)) == chosen(dim, light, (8, 0)) == chosen(dim, light, (0, 0), "gfx942")
    wide, narrow = chosen(128, True, (0, 0), "gfx942").split, chosen(128, True, (0, 0), "gfx1100").split
    assert (narrow.block_m, narrow.num_warps * 32) == (wide.block_m, wide.num_warps * 64)


def test_an_amd_device_is_no_hopper(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch reports capability 9.4 for a gfx942, and calls it a CUDA device."""
    device = torch.device("cuda:0")
    monkeypatch.setattr(torch.version, "hip", "6.4")
    properties = SimpleNamespace(gcnArchName="gfx942:sramecc+:xnack-")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 4))
    for known in (common.amd, common.capability):
        known.cache_clear()
    try:
        assert (common.amd(device), common.capability(device)) == ("gfx942", (0, 0))
        assert not common.native_float8(device), "its codes are e4m3fnuz's"
        assert common.at_most_registers(device, 255) == {}, "an option that its compiler refuses"
    finally:
        for known in (common.amd, common.capability):
            known.cache_clear()
    assert common.at_most_registers(torch.device("cpu"), 255) == {"maxnreg": 255}

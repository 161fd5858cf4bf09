"""The operators over DTensors on two ranks: the same bits, no communication, and refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from torchpaged.ops import docs, library

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no distributed package")


def alone() -> Any:
    """Return the report of the first rank without a second one: no rule makes it wait."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    from tests.ops import one_rank

    torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    try:
        return one_rank.report()
    finally:
        torch.distributed.destroy_process_group()


def two_ranks(store: Path) -> Any:
    """Run two processes of one thread each."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.ops.one_rank", str(rank), str(store)],
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for rank in range(2)
    ]
    try:
        said = [rank.communicate(timeout=240) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    for rank, (_, errors) in zip(ranks, said, strict=True):
        assert rank.returncode == 0, errors
    reports = [json.loads(out.splitlines()[-1]) for out, _ in said]
    assert reports[0] == reports[1]
    return reports[0]


@pytest.fixture(scope="module", params=["alone", pytest.param("two ranks", marks=pytest.mark.long)])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return alone() if request.param == "alone" else two_ranks(tmp_path_factory.mktemp("ranks") / "store")


def test_every_operator_has_the_bits_of_whole_tensors(report: Any) -> None:
    """`one_rank.py` compares them; this checks their placements."""
    ways = report["operators"]
    assert set(ways) == {operator.overload for operator in library.OPERATORS}
    assert ways["paged_attention"] == ["R", "S(1)"]
    assert ways["paged_attention_with_lse"] == ["R, R", "S(1), S(1)"]
    assert ways["paged_sparse_attention"] == ["R", "S(1)"]
    assert ways["paged_topk"] == ["R"]
    assert ways["write_kv_cache"] == ["", ""]
    assert ways["gather_kv_cache"] == ["R, R", "S(2), S(2)"]
    assert ways["lora_linear_add"] == ["", ""]
    assert "S(1)" in ways["silu_and_mul"]
    assert "S(1), S(1)" in ways["rotary_embedding"]


def test_a_compiled_layer(report: Any) -> None:
    assert report["compiled"] == "S(1)"


def test_a_bias_by_distance_is_cut_with_the_heads(report: Any) -> None:
    assert report["biased"] == "S(1)"


def test_functions_that_tell_heads_apart_are_not_cut_with_them(report: Any) -> None:
    """A rule that was kept for the same tensors does not answer for another function."""
    assert report["modified"].startswith(
        "paged_attention over DTensors: key_cache is placed as Shard(dim=2) and cannot"
    )


def test_what_is_refused(report: Any) -> None:
    assert report["refused"] == [
        "write_kv_cache over DTensors: key_cache is placed as Shard(dim=0) and cannot be moved, expected Replicate() "
        "or Shard(dim=2)",
        "write_kv_cache over DTensors: key_cache has 3 heads, expected a multiple of 2, the ranks",
        "write_kv_cache over DTensors: is given a mesh of 2 dimensions, expected one of them: mesh['tp']",
        "lora_linear_add over DTensors: out has 3 rows, expected a multiple of 2, the ranks",
    ]
    for name in ("copy_blocks", "causal_conv1d"):
        (says,) = report["operators"][name]
        assert says == f"{name} over DTensors: {docs.TAKES_A_LIST}"
    (says,) = report["operators"]["paged_attention.out"]
    assert says.endswith("call paged_attention")

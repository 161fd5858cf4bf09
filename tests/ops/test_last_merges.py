"""Split results that the last program of a tile merges: the bits of the merge kernel, whatever the order of arrival."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends, triton_interpreter
from tests.ops.test_prefill_sm90 import OPTIONS, problem, quantised, results
from torchpaged.ops.triton import common, paged_attention

DEVICE = backends.device("triton")
DECODES = ((1, 1300), (1, 5), (1, 0), (1, 600))
# Sizes, options, and codes; chunks have 512 keys.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[torch.dtype, str] | None]] = {
    "decodes": ({"lengths": DECODES}, {}, None),
    "padding rows, sinks": ({"lengths": DECODES, "padding": 3}, {"sinks": torch.tensor([0.5, -1.0, 2.0, 0.0])}, None),
    "window": ({"lengths": DECODES, "head_dim": 128}, {"sliding_window": 530}, None),
    "several tokens": ({"lengths": ((3, 1300), (4, 700), (1, 90))}, {"num_splits": 2}, None),
    "not causal, 80": ({"lengths": ((2, 1100), (1, 40)), "head_dim": 80}, {"causal": False}, None),
    "group of 71": ({"lengths": ((1, 1300), (2, 30)), "heads": (71, 1), "padding": 1}, {}, None),
    "codes": ({"lengths": DECODES}, {}, (torch.int8, "token")),
    "beside a prefill": ({"lengths": ((1, 1300), (70, 700))}, {"max_query_len": 70}, None),
}


def attend(tensors: dict[str, Tensor], **options: Any) -> tuple[Tensor, Tensor]:
    """Return the operator's results."""
    out, lse = results(tensors)
    triton_interpreter.launchers()["paged_attention"](*tensors.values(), out, lse, **{**OPTIONS, **options})
    return out, lse


def case(name: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return a case's tensors and options."""
    sizes, options, cache = CASES[name]
    tensors = problem(**sizes, device=DEVICE)
    scales = quantised(tensors, *cache) if cache else {}
    return tensors, {
        key: each.to(DEVICE) if isinstance(each, Tensor) else each for key, each in options.items()
    } | scales


@pytest.fixture
def merges(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ask for merges by the last programs; return a list that gets an item for each launch of the merge kernel."""
    launches: list[int] = []
    plain = paged_attention._merge_kernel

    class Kernel:
        def __getitem__(self, grid: Any) -> Any:
            launches.append(1)
            return plain[grid]

    monkeypatch.setattr(paged_attention, "_merge_kernel", Kernel())
    monkeypatch.setattr(common, "_FUSED_STEP", True)
    return launches


@pytest.mark.parametrize("name", CASES)
def test_bits_of_the_merge_kernel(name: str, merges: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    tensors, options = case(name)
    for _ in range(2):  # counters are zero again after a call
        out, lse = attend(tensors, **options)
        assert merges == []
    monkeypatch.setattr(common, "_FUSED_STEP", False)
    before, before_lse = attend(tensors, **options)
    assert merges == [1]
    assert not out.isnan().any()
    assert torch.equal(out, before) and torch.equal(lse, before_lse)
    assert not common._all_counters(torch.device(DEVICE)).any()


@pytest.mark.skipif(torch.cuda.is_available(), reason="a device has its own order")
def test_order_of_arrival(merges: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    tensors, options = case("padding rows, sinks")
    first = attend(tensors, **options)
    for seed in range(2):
        orders = [random.Random(seed).sample(range(count), count) for count in range(300)]
        monkeypatch.setattr(triton_interpreter, "_scrambled", lambda index, count, orders=orders: orders[count][index])
        again = attend(tensors, **options)
        assert all(map(torch.equal, again, first))
    assert merges == []


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_replayed_graphs_count_from_zero(merges: list[int]) -> None:
    tensors, options = case("padding rows, sinks")
    expected, _ = attend(tensors, **options)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out, _ = attend(tensors, **options)
    for _ in range(3):
        out.fill_(torch.nan)
        graph.replay()
        assert torch.equal(out, expected)
    assert merges == []


def test_long_contexts_and_many_tokens_keep_the_merge_kernel(merges: list[int]) -> None:
    tensors, options = case("decodes")
    table = tensors["block_tables"]
    wide = {**tensors, "block_tables": torch.nn.functional.pad(table, (0, 33 * 32 - table.shape[1]))}
    attend(wide, **options)
    attend(problem(((12, 700),), device=DEVICE))
    assert merges == [1, 1]


def test_every_stream_has_its_own_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "_FUSED_STEP", True)
    device = torch.device("cpu")
    assert common.counters(device, common.MOST_COUNTERS + 1) is None
    monkeypatch.setattr(common, "_streams", {(device, stream): stream for stream in range(1, common.MOST_STREAMS)})
    last = common.counters(device, 5)
    assert last is not None and last.data_ptr() == common._all_counters(device)[common.MOST_STREAMS - 1].data_ptr()
    monkeypatch.setattr(common, "_streams", {(device, 1 + stream): stream for stream in range(common.MOST_STREAMS)})
    assert common.counters(device, 5) is None


def test_a_second_device_gets_no_counters_in_a_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The capture would record that they are cleared, and replays would clear those of others."""
    monkeypatch.setattr(common, "_FUSED_STEP", True)
    monkeypatch.setattr(common, "_counters", {torch.device("cuda", 0): torch.zeros(1)})
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    assert common.counters(torch.device("cuda", 1), 5) is None

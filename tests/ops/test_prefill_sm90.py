"""Hopper's prefill kernel: in an emulator everywhere, and on a GPU bit by bit beside the kernel that it replaces."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import gluon_emulator
from torchpaged.ops import reference

OPTIONS: dict[str, Any] = {
    "scale": 0.125,
    "causal": True,
    "sliding_window": 0,
    "softcap": 0.0,
    "alibi_slopes": None,
    "sinks": None,
    "tree_mask": None,
    "distance_bias": None,
    "k_scale": None,
    "v_scale": None,
    "max_query_len": 0,
    "num_splits": 0,
}
LENGTHS = ((70, 640), (1, 90), (0, 30), (40, 40))


def problem(
    lengths: tuple[tuple[int, int], ...] = LENGTHS,
    *,
    heads: tuple[int, int] = (4, 2),
    head_dim: int = 64,
    block_size: int = 16,
    dtype: torch.dtype = torch.bfloat16,
    device: str = "cpu",
    padding: int = 0,
) -> dict[str, Tensor]:
    """Return a call's tensors: blocks in random places, NaN in all slots that no sequence has."""
    generator = torch.Generator().manual_seed(len(lengths) + head_dim + block_size)
    width = max(-(-total // block_size) for _, total in lengths) + 1
    order = torch.randperm(len(lengths) * width, generator=generator).view(len(lengths), width)
    caches = []
    for _ in range(2):
        cache = torch.full((order.numel(), block_size, heads[1], head_dim), torch.nan, dtype=dtype)
        for row, (_, total) in zip(order, lengths, strict=True):
            position = torch.arange(total)
            numbers = torch.randn(total, heads[1], head_dim, generator=generator).to(dtype)
            cache[row[position // block_size], position % block_size] = numbers
        caches.append(cache)
    tokens = sum(new for new, _ in lengths) + padding
    starts = torch.tensor([0, *(new for new, _ in lengths)]).cumsum(0)
    tensors = {
        "query": torch.randn(tokens, heads[0], head_dim, generator=generator).to(dtype),
        "key_cache": caches[0],
        "value_cache": caches[1],
        "block_tables": order.to(torch.int32),
        "seq_lens": torch.tensor([total for _, total in lengths], dtype=torch.int32),
        "query_start_loc": starts.to(torch.int32),
    }
    return {name: tensor.to(device) for name, tensor in tensors.items()}


def launch(module: Any, tensors: dict[str, Tensor], block_n: int = 64, **options: Any) -> tuple[Tensor, Tensor]:
    """Return the kernel's results."""
    chosen = {**OPTIONS, **options}
    query = tensors["query"]
    out, lse = torch.full_like(query, torch.nan), torch.full(query.shape[:2], torch.nan, device=query.device)
    assert module.fits(query, tensors["key_cache"], tensors["value_cache"], out, block_n)
    module.launch(
        out,
        lse,
        *tensors.values(),
        scale=chosen["scale"],
        causal=chosen["causal"],
        window=chosen["sliding_window"],
        softcap=chosen["softcap"],
        sinks=chosen["sinks"],
        skip_decodes=chosen.get("skip_decodes", False),
        block_n=block_n,
        chunk=chosen.get("chunk", 512),
    )
    return out, lse


def expected(tensors: dict[str, Tensor], **options: Any) -> tuple[Tensor, Tensor]:
    """Return the reference's results."""
    query = tensors["query"]
    out, lse = torch.empty_like(query), torch.empty(query.shape[:2], device=query.device)
    reference.paged_attention(*tensors.values(), out, lse, **{**OPTIONS, **options})
    return out, lse


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "window": ({}, {"sliding_window": 100}),
    "narrow window": ({"lengths": ((200, 1300), (3, 700))}, {"sliding_window": 7}),
    "not causal": ({"lengths": ((70, 640), (9, 20), (5, 3))}, {"causal": False}),
    "not causal, window": ({}, {"causal": False, "sliding_window": 50}),
    "softcap": ({}, {"softcap": 5.0}),
    "several chunks": ({"lengths": ((40, 1700), (600, 600))}, {}),
    "ends with a chunk": ({"lengths": ((33, 1024), (512, 512), (64, 513))}, {}),
    "longer than its keys": ({"lengths": ((20, 5), (3, 0))}, {}),
    "padding rows": ({"padding": 37}, {}),
    "float16, 128": ({"head_dim": 128, "dtype": torch.float16}, {}),
    "group of 3, blocks of 8": ({"heads": (6, 2), "block_size": 8}, {}),
    "one head, blocks of 64": ({"heads": (2, 2), "block_size": 64}, {}),
    "group of 40, blocks of 24": ({"heads": (40, 1), "block_size": 24}, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_values_by_emulation(name: str) -> None:
    sizes, options = CASES[name]
    module = gluon_emulator.load("torchpaged.ops.triton.prefill_sm90", seed=len(name))
    tensors = problem(**sizes)
    if len(name) % 2:
        options = {**options, "sinks": torch.linspace(-1, 2, tensors["query"].shape[1])}
    found, lse = launch(module, tensors, **options)
    out, out_lse = expected(tensors, **options)
    torch.testing.assert_close(found.float(), out.float(), atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(lse, out_lse, atol=2e-3, rtol=2e-3)


def test_many_orders_by_emulation() -> None:
    """Whatever the order of threads, copies and products, the bits are the same."""
    tensors = problem(((30, 700), (1, 65), (70, 70)), heads=(2, 1))
    results = []
    for seed in range(12):
        module = gluon_emulator.load("torchpaged.ops.triton.prefill_sm90", seed)
        results.append(launch(module, tensors, chunk=128))
    for out, lse in results:
        assert torch.equal(out, results[0][0]) and torch.equal(lse, results[0][1])


def test_rows_do_not_depend_on_the_batch_by_emulation() -> None:
    """A sequence alone, its last tokens alone, and without the sequences of one token, has the same bits."""
    module = gluon_emulator.load("torchpaged.ops.triton.prefill_sm90", seed=1)
    tensors = problem(((90, 600), (1, 300), (50, 50)))
    whole, _ = launch(module, tensors)
    part = {**tensors, "block_tables": tensors["block_tables"][:1], "seq_lens": tensors["seq_lens"][:1]}
    for count in (90, 33, 1):
        part["query"] = tensors["query"][90 - count : 90]
        part["query_start_loc"] = torch.tensor([0, count], dtype=torch.int32)
        assert torch.equal(launch(module, part)[0], whole[90 - count : 90])
    skipped, _ = launch(module, tensors, skip_decodes=True)
    assert torch.equal(skipped[:90], whole[:90]) and torch.equal(skipped[91:], whole[91:])
    assert skipped[90].isnan().all()


@pytest.mark.parametrize(
    ("line", "replacement", "error"),
    (
        ("mbarrier.wait(k_full.index(stage), phase)", "pass", AssertionError),
        ("mbarrier.wait(v_full.index(before), before_phase)", "pass", AssertionError),
        ("mbarrier.wait(v_empty.index(stage), phase ^ 1)", "pass", AssertionError),
        ("mbarrier.arrive(v_empty.index(before))", "pass", gluon_emulator.Deadlock),
        ("mbarrier.arrive(turn.index((GROUP_ID + 1) % WARPGROUPS))", "pass", gluon_emulator.Deadlock),
    ),
)
def test_emulation_finds_a_missing_barrier(line: str, replacement: str, error: type[Exception]) -> None:
    def broken(text: str) -> str:
        assert line in text
        return text.replace(line, replacement)

    tensors = problem(((60, 700),), heads=(2, 1))
    out, _ = expected(tensors)
    with pytest.raises(error):
        for seed in range(10):
            module = gluon_emulator.load("torchpaged.ops.triton.prefill_sm90", seed, broken)
            found, _ = launch(module, tensors)
            torch.testing.assert_close(found.float(), out.float(), atol=2e-2, rtol=2e-2)


# --- On a GPU -------------------------------------------------------------------------------------------------------

hopper = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] != 9, reason="needs a GPU of Hopper's kind"
)
MIXED = ((1, 700), (300, 900), (1, 33), (128, 128), (1, 2000), (513, 1025))
GPU_CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **CASES,
    "mixed": ({"lengths": MIXED, "heads": (8, 2), "head_dim": 128}, {}),
    "mixed, window, sinks": ({"lengths": MIXED, "head_dim": 128}, {"sliding_window": 300}),
    "long": ({"lengths": ((1500, 9000),), "heads": (32, 8), "head_dim": 128}, {}),
    "128, blocks of 256": ({"lengths": ((700, 1500),), "head_dim": 128, "block_size": 256}, {}),
    "softcap, 128": ({"lengths": ((700, 1500), (40, 90)), "head_dim": 128}, {"softcap": 30.0}),
}


@hopper
@pytest.mark.parametrize("name", GPU_CASES)
def test_bits_of_the_kernel_that_it_replaces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchpaged.ops.triton import paged_attention, prefill_sm90

    sizes, options = GPU_CASES[name]
    tensors = problem(**sizes, device="cuda")
    options = {"num_splits": 0 if "mixed" in name else 1, "max_query_len": 513, **options}
    if len(name) % 2:
        options["sinks"] = torch.linspace(-1, 2, tensors["query"].shape[1], device="cuda")
    launches = []
    original = prefill_sm90.launch
    monkeypatch.setattr(prefill_sm90, "launch", lambda *a, **k: (launches.append(1), original(*a, **k)))

    def attend() -> tuple[Tensor, Tensor]:
        query = tensors["query"]
        out, lse = torch.full_like(query, torch.nan), torch.full(query.shape[:2], torch.nan, device="cuda")
        paged_attention.paged_attention(*tensors.values(), out, lse, **{**OPTIONS, **options})
        return out, lse

    out, lse = attend()
    assert launches, "the kernel was not chosen"
    for _ in range(10):
        again, again_lse = attend()
        assert torch.equal(again, out) and torch.equal(again_lse, lse)
    monkeypatch.setattr(paged_attention, "_prefill_sm90", lambda capability: None)
    before, before_lse = attend()
    exact, exact_lse = expected(tensors, **options)
    torch.testing.assert_close(out.float(), exact.float(), atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(lse, exact_lse, atol=2e-3, rtol=2e-3)
    assert torch.equal(out, before) and torch.equal(lse, before_lse)


@hopper
def test_graph_captures_it() -> None:
    from torchpaged.ops.triton import paged_attention

    tensors = problem(((300, 900), (128, 128)), head_dim=128, device="cuda")
    out = torch.empty_like(tensors["query"])

    def attend() -> None:
        paged_attention.paged_attention(*tensors.values(), out, None, **{**OPTIONS, "num_splits": 1})

    attend()
    first = out.clone()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        attend()
    out.fill_(torch.nan)
    graph.replay()
    assert torch.equal(out, first)

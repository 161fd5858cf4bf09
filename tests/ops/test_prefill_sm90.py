"""Hopper's prefill kernel: in an emulator everywhere, and on a GPU bit by bit beside the kernel that it replaces."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import gluon_emulator
from torchpaged.ops import reference
from torchpaged.ops.triton import common

PACKAGE = "torchpaged.ops.triton"

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
    head_dim_v: int = 0,
    block_size: int = 16,
    dtype: torch.dtype = torch.bfloat16,
    device: str = "cpu",
    padding: int = 0,
) -> dict[str, Tensor]:
    """Return a call's tensors: blocks in random places, NaN in all slots that no sequence has.

    Args:
        head_dim_v: 0: as head_dim.
    """
    generator = torch.Generator().manual_seed(len(lengths) + head_dim + block_size)
    width = max(-(-total // block_size) for _, total in lengths) + 1
    order = torch.randperm(len(lengths) * width, generator=generator).view(len(lengths), width)
    caches = []
    for dim in (head_dim, head_dim_v or head_dim):
        cache = torch.full((order.numel(), block_size, heads[1], dim), torch.nan, dtype=dtype)
        for row, (_, total) in zip(order, lengths, strict=True):
            position = torch.arange(total)
            numbers = torch.randn(total, heads[1], dim, generator=generator).to(dtype)
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


WEIGHT_SCALES = {torch.float8_e4m3fn: 2.0**8, torch.float8_e5m2: 2.0**15, torch.int8: 2.0**7}


def quantised(tensors: dict[str, Tensor], dtype: torch.dtype, kind: str) -> dict[str, Any]:
    """Make the caches codes, with codes that are NaN's or large where no sequence has a slot; return the scales."""
    scales: dict[str, Any] = {}
    for name, scale in (("key_cache", "k_scale"), ("value_cache", "v_scale")):
        cache = tensors[name]
        blocks, size, heads, _ = cache.shape
        values = cache.float() * 20
        if dtype == torch.int8:
            values = torch.nan_to_num(values, 127.0).round().clamp(-127, 127)
        tensors[name] = values.to(dtype)
        made = {"token": torch.rand(blocks, heads, size).transpose(1, 2) / 20, "head": torch.rand(heads) / 20}
        scales[scale] = {**made, "tensor": torch.tensor(0.05)}[kind].to(cache.device)
    return scales


def load(seed: int, replace: tuple[str, str] | None = None) -> Any:
    """Return the kernel's module for the emulator."""
    return gluon_emulator.load(f"{PACKAGE}.prefill_sm90", seed, replace, [f"{PACKAGE}.tiles_sm90"])


def results(tensors: dict[str, Tensor], fill: float = torch.nan) -> tuple[Tensor, Tensor]:
    """Return tensors for an output and its log-sum-exps."""
    query, device = tensors["query"], tensors["query"].device
    out = torch.full((*query.shape[:2], tensors["value_cache"].shape[3]), fill, dtype=query.dtype, device=device)
    return out, torch.full(query.shape[:2], fill, device=device)


def launch(module: Any, tensors: dict[str, Tensor], block_n: int = 64, **options: Any) -> tuple[Tensor, Tensor]:
    """Return the kernel's results."""
    chosen = {**OPTIONS, **options}
    query, keys, values, tables, lens, starts = tensors.values()
    out, lse = results(tensors)
    k_scale, k_kind, k_strides = common.scale_arguments(chosen["k_scale"], lens)
    v_scale, v_kind, v_strides = common.scale_arguments(chosen["v_scale"], lens)
    assert module.fits(query, keys, values, out, block_n, (k_kind, v_kind))
    module.launch(
        *(out, lse, query, common.raw(keys), common.raw(values), tables, lens, starts, k_scale, v_scale),
        scale=chosen["scale"],
        causal=chosen["causal"],
        window=chosen["sliding_window"],
        softcap=chosen["softcap"],
        sinks=chosen["sinks"],
        kind=common.kind(keys),
        kinds_of_scales=(k_kind, v_kind),
        strides_of_scales=(*k_strides, *v_strides),
        weight_scale=WEIGHT_SCALES.get(keys.dtype, 1.0),
        skip_decodes=chosen.get("skip_decodes", False),
        block_n=block_n,
        chunk=chosen.get("chunk", 512),
    )
    return out, lse


def expected(tensors: dict[str, Tensor], **options: Any) -> tuple[Tensor, Tensor]:
    """Return the reference's results."""
    out, lse = results(tensors)
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


MIXED = ((1, 700), (300, 900), (1, 33), (128, 128), (1, 2000), (513, 1025))
GPU_CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **CASES,
    "mixed": ({"lengths": MIXED, "heads": (8, 2), "head_dim": 128}, {}),
    "mixed, window, sinks": ({"lengths": MIXED, "head_dim": 128}, {"sliding_window": 300}),
    "long": ({"lengths": ((1500, 9000),), "heads": (32, 8), "head_dim": 128}, {}),
    "128, blocks of 256": ({"lengths": ((700, 1500),), "head_dim": 128, "block_size": 256}, {}),
    "softcap, 128": ({"lengths": ((700, 1500), (40, 90)), "head_dim": 128}, {"softcap": 30.0}),
}

# Head dims, keys of a tile, and caches beyond 16 bits with 64 or 128 numbers a head.
LONGER = ((70, 600), (1, 40), (30, 30))
VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[torch.dtype, str] | None]] = {
    "256": ({"lengths": LONGER, "head_dim": 256}, {"block_n": 32}, None),
    "256, window": ({"lengths": LONGER, "head_dim": 256, "block_size": 8}, {"block_n": 32, "sliding_window": 90}, None),
    "192/128": ({"lengths": LONGER, "head_dim": 192, "head_dim_v": 128, "heads": (2, 2)}, {"block_n": 32}, None),
    "e4m3 by token": ({"lengths": LONGER, "head_dim": 128}, {}, (torch.float8_e4m3fn, "token")),
    "e5m2, float16": ({"lengths": LONGER, "dtype": torch.float16}, {}, (torch.float8_e5m2, "head")),
    "int8, window": (
        {"lengths": LONGER},
        {"sliding_window": 90},
        (torch.int8, "token"),
    ),
    "int8, softcap": ({"lengths": LONGER}, {"block_n": 32, "softcap": 5.0}, (torch.int8, "tensor")),
    "192/128, e4m3": (
        {"lengths": LONGER, "head_dim": 192, "head_dim_v": 128, "heads": (2, 2)},
        {},
        (torch.float8_e4m3fn, "token"),
    ),
}


def variant(name: str, device: str = "cpu") -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return a case's tensors and options."""
    sizes, options, cache = {**{each: (*case, None) for each, case in GPU_CASES.items()}, **VARIANTS}[name]
    tensors = problem(**sizes, device=device)
    options = {**options, **(quantised(tensors, *cache) if cache else {})}
    if len(name) % 2:
        options["sinks"] = torch.linspace(-1, 2, tensors["query"].shape[1], device=device)
    return tensors, options


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_values_by_emulation(name: str) -> None:
    tensors, options = variant(name)
    found, lse = launch(load(len(name)), tensors, **options)
    options.pop("block_n", None)
    out, out_lse = expected(tensors, **options)
    torch.testing.assert_close(found.float(), out.float(), atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(lse, out_lse, atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize("name", ["plain", "256, window", "192/128", "int8, window", "192/128, e4m3"])
def test_many_orders_by_emulation(name: str) -> None:
    """Whatever the order of threads, copies and products, the bits are the same."""
    sizes, options, cache = {**VARIANTS, "plain": ({}, {}, None)}[name]
    tensors = problem(**{**sizes, "lengths": ((30, 400), (1, 65), (40, 40)), "heads": (2, 1)})
    options = {"chunk": 128, **options, **(quantised(tensors, *cache) if cache else {})}
    results = [launch(load(seed), tensors, **options) for seed in range(12 if name == "plain" else 5)]
    for out, lse in results:
        assert torch.equal(out, results[0][0]) and torch.equal(lse, results[0][1])


def test_rows_do_not_depend_on_the_batch_by_emulation() -> None:
    """A sequence alone, its last tokens alone, and without the sequences of one token, has the same bits."""
    module = load(1)
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
    ("name", "line"),
    (
        ("plain", "mbarrier.wait(k_full.index(stage), phase)"),
        ("plain", "mbarrier.wait(v_full.index(before), before_phase)"),
        ("plain", "mbarrier.wait(empty.index(stage), ((i // STAGES) & 1) ^ 1)"),
        ("plain", "mbarrier.arrive(v_empty.index(before))"),
        ("plain", "mbarrier.arrive(turn.index((GROUP_ID + 1) % WARPGROUPS))"),
        ("256", "mbarrier.wait(empty.index(stage), ((i // STAGES) & 1) ^ 1)"),
        ("256", "mbarrier.arrive(k_empty.index(stage))"),
        ("192/128", "mbarrier.wait(k_full.index(stage), phase)"),
        ("192/128, e4m3", "mbarrier.wait(k_raw_full.index(raw), raw_phase)"),
        ("192/128, e4m3", "mbarrier.wait(k_empty.index(i % K_STAGES), ((i // K_STAGES) & 1) ^ 1)"),
        ("192/128, e4m3", "mbarrier.wait(v_empty.index(i % V_STAGES), ((i // V_STAGES) & 1) ^ 1)"),
        ("192/128, e4m3", "mbarrier.arrive(k_raw_empty.index(raw))"),
        ("192/128, e4m3", "mbarrier.arrive(v_full.index(i % V_STAGES))"),
        ("192/128, e4m3", "mbarrier.wait(v_raw_full.index(raw), raw_phase)"),
        ("192/128, e4m3", "mbarrier.arrive(v_raw_empty.index(raw))"),
        ("plain", "fence_async_shared()"),  # before the product with the last V, of which rows were cleared
        ("256", "fence_async_shared()"),  # before that with the part of Q in shared memory
        ("192/128, e4m3", "fence_async_shared()"),  # before those with what was made of codes
    ),
)
def test_emulation_finds_a_missing_barrier(name: str, line: str) -> None:
    sizes, options, cache = {**VARIANTS, "plain": ({}, {}, None)}[name]
    tensors = problem(**{**sizes, "lengths": ((60, 700),), "heads": (2, 1)})
    scales = quantised(tensors, *cache) if cache else {}
    out, _ = expected(tensors, **scales)
    with pytest.raises((AssertionError, gluon_emulator.Deadlock)):
        for seed in range(10):
            found, _ = launch(load(seed, (line, "pass")), tensors, **options, **scales)
            torch.testing.assert_close(found.float(), out.float(), atol=2e-2, rtol=2e-2)


@pytest.mark.parametrize(
    ("head_dim", "head_dim_v", "block_n", "quantised", "stages"),
    (
        (128, 128, 64, False, (4, 0)),
        (256, 256, 32, False, (2, 0)),
        (256, 256, 64, True, (0, 0)),  # accumulators of 64 KiB a warpgroup leave no room for tiles of 64 KiB and codes
        (128, 128, 128, True, (0, 0)),
        (128, 128, 64, True, (3, 3)),
    ),
)
def test_shared_memory(head_dim: int, head_dim_v: int, block_n: int, quantised: bool, stages: tuple[int, int]) -> None:
    assert load(0).stages(head_dim, head_dim_v, block_n, quantised) == stages


def test_blocks_that_divide_no_tile() -> None:
    """A tile of K or V is cut where its swizzle begins anew; blocks of 12 tokens would cut it after 4 rows."""
    fits = []
    for block_size in (4, 8, 12, 24, 36, 40, 64):
        tensors = problem(((3, 40),), head_dim=256, block_size=block_size)
        query, keys, values = (tensors[name] for name in ("query", "key_cache", "value_cache"))
        if load(0).fits(query, keys, values, query, 32):
            fits.append(block_size)
    assert fits == [8, 24, 40, 64]


# --- On a GPU -------------------------------------------------------------------------------------------------------

hopper = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] != 9, reason="needs a GPU of Hopper's kind"
)


@hopper
@pytest.mark.parametrize("name", [*GPU_CASES, *VARIANTS])
def test_bits_of_the_kernel_that_it_replaces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchpaged.ops.triton import decode_sm90, paged_attention, prefill_sm90

    tensors, options = variant(name, "cuda")
    options = {"num_splits": 0 if "mixed" in name else 1, "max_query_len": 513, **options}
    if tensors["key_cache"].element_size() == 1 and options.pop("block_n", 64) == 64:  # not chosen by itself
        monkeypatch.setattr(paged_attention, "_decode_sm90", lambda capability: decode_sm90)
    options.pop("block_n", None)
    launches = []
    original = prefill_sm90.launch
    monkeypatch.setattr(prefill_sm90, "launch", lambda *a, **k: (launches.append(1), original(*a, **k)))

    def attend() -> tuple[Tensor, Tensor]:
        out, lse = results(tensors)
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

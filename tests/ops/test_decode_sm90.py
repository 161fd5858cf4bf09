"""Hopper's decode kernel: in an emulator everywhere, and on a GPU bit by bit beside the kernel that it replaces."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import gluon_emulator
from tests.ops.test_prefill_sm90 import OPTIONS, WEIGHT_SCALES, expected, hopper, problem, quantised
from torchpaged.ops.triton import common

NAME, BESIDE = "torchpaged.ops.triton.decode_sm90", ("torchpaged.ops.triton.tiles_sm90",)


def attend(
    module: Any,
    tensors: dict[str, Tensor],
    *,
    chunk: int = 512,
    num_splits: int = 0,
    decodes: bool = False,
    **given: Any,
) -> tuple[Tensor, Tensor]:
    """Launch the kernel as `paged_attention.launch` does, and merge the chunks as the merge kernel does."""
    options = {**OPTIONS, **given}
    query, keys, values, tables, lens, starts = tensors.values()
    tokens, heads, dim = query.shape
    kv_heads, group = keys.shape[2], heads // keys.shape[2]
    num_chunks, seqs = -(-tables.shape[1] * keys.shape[1] // chunk), lens.shape[0]
    slots = seqs if decodes else tokens
    part = torch.full((num_chunks, kv_heads, slots, group, dim), torch.nan, device=query.device)
    stat = torch.full((2, *part.shape[:4]), torch.nan, device=query.device)
    k_scale, k_kind, k_strides = common.scale_arguments(options["k_scale"], lens)
    v_scale, v_kind, v_strides = common.scale_arguments(options["v_scale"], lens)
    assert module.fits(query, keys, values)
    items = seqs if decodes else min(tokens, tokens // (64 // group) + seqs)
    items = items * min(num_splits, num_chunks) if num_splits else items + 5
    module.launch(
        *(part, stat, query, common.raw(keys), common.raw(values), tables, lens, starts, k_scale, v_scale),
        items=items,
        scale=options["scale"],
        causal=options["causal"],
        window=options["sliding_window"],
        kind=common.kind(keys),
        kinds_of_scales=(k_kind, v_kind),
        strides_of_scales=(*k_strides, *v_strides),
        weight_scale=WEIGHT_SCALES.get(keys.dtype, 1.0),
        decodes=decodes,
        token_begin=0,
        token_end=tokens,
        num_chunks=num_chunks,
        num_slots=slots,
        num_programs=5,
        num_splits=num_splits,
        chunk=chunk,
    )
    out, lse = torch.zeros_like(query, dtype=torch.float32), torch.full(query.shape[:2], -torch.inf)
    for seq in range(seqs):
        first, last = (int(starts[seq + each]) for each in (0, 1))
        if decodes and last - first != 1:
            continue
        for token in range(first, last):
            position = int(lens[seq]) - last + token
            end = min(int(lens[seq]), position + 1) if options["causal"] else int(lens[seq])
            begin = max(0, position - options["sliding_window"] + 1) if options["sliding_window"] else 0
            chunks = slice(begin // chunk, max(begin // chunk, -(-end // chunk)))
            slot = seq if decodes else token
            top, total = (each[chunks, :, slot].reshape(-1, heads) for each in stat)
            sums = part[chunks, :, slot].reshape(-1, heads, dim)
            assert not (top.isnan().any() or total.isnan().any() or sums.isnan().any()), "a chunk that nothing wrote"
            if end <= begin:
                continue
            most = top.amax(0)
            weight = torch.exp2(top - most)
            out[token] = (sums * weight[..., None]).sum(0) / (total * weight).sum(0)[:, None]
            lse[token] = (most + torch.log2((total * weight).sum(0))) * 0.6931471805599453
    rest = {1.0: 1.0, **{each: 1 / each for each in WEIGHT_SCALES.values()}}[WEIGHT_SCALES.get(keys.dtype, 1.0)]
    if v_kind == common.SCALE_PER_TOKEN.value:
        out = out * rest
    elif v_kind == common.SCALE_PER_HEAD.value:
        out = out * options["v_scale"].repeat_interleave(group)[:, None]
    elif v_kind:
        out = out * options["v_scale"]
    return out, lse


DECODES = ((1, 700), (1, 64), (1, 1), (1, 1025))
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[torch.dtype, str] | None]] = {
    "plain": ({"lengths": DECODES}, {}, None),
    "several tokens, window": ({"lengths": ((3, 700), (40, 90), (1, 600))}, {"sliding_window": 100}, None),
    "not causal, float16, 128": (
        {"lengths": ((5, 300), (1, 70)), "head_dim": 128, "dtype": torch.float16},
        {"causal": False, "num_splits": 2},
        None,
    ),
    "e4m3 by token": ({"lengths": DECODES, "head_dim": 128}, {}, (torch.float8_e4m3fn, "token")),
    "e5m2, blocks of 8": ({"lengths": ((2, 200), (1, 130)), "block_size": 8}, {}, (torch.float8_e5m2, "head")),
    "int8, window": ({"lengths": ((2, 700), (1, 130))}, {"sliding_window": 90}, (torch.int8, "tensor")),
}


@pytest.mark.parametrize("name", CASES)
def test_values_by_emulation(name: str) -> None:
    sizes, options, cache = CASES[name]
    tensors = problem(**sizes)
    options = {**options, **(quantised(tensors, *cache) if cache else {})}
    module = gluon_emulator.load(NAME, len(name), beside=BESIDE)
    found, lse = attend(module, tensors, chunk=256, **options)
    out, out_lse = expected(tensors, **options)
    torch.testing.assert_close(found, out.float(), atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(lse, out_lse, atol=2e-3, rtol=2e-3)


def test_many_orders_and_shares_by_emulation() -> None:
    """Whatever the order of threads, copies and products, and the division into shares, the bits are the same."""
    tensors = problem(((1, 500), (30, 60), (1, 65)), heads=(2, 1))
    scales = quantised(tensors, torch.float8_e4m3fn, "token")
    results = []
    for seed in range(6):
        module = gluon_emulator.load(NAME, seed, beside=BESIDE)
        results.append(attend(module, tensors, chunk=128, num_splits=(0, 3, 1)[seed % 3], **scales))
    for out, lse in results:
        assert torch.equal(out, results[0][0]) and torch.equal(lse, results[0][1])
    out, _ = attend(module, tensors, chunk=128, decodes=True, **scales)
    assert torch.equal(out[[0, 31]], results[0][0][[0, 31]])


@pytest.mark.parametrize(
    "line",
    (
        "mbarrier.wait(k_raw_full.index(raw), raw_phase)",
        "mbarrier.wait(k_empty.index(i % K_STAGES), ((i // K_STAGES) & 1) ^ 1)",
        "mbarrier.wait(v_empty.index(i % V_STAGES), ((i // V_STAGES) & 1) ^ 1)",
        "mbarrier.arrive(v_raw_empty.index(raw))",
        "mbarrier.arrive(k_empty.index(i % K_STAGES))",
    ),
)
def test_emulation_finds_a_missing_barrier(line: str) -> None:
    tensors = problem(((1, 500),), heads=(2, 1))
    scales = quantised(tensors, torch.float8_e4m3fn, "token")
    out, _ = expected(tensors, **scales)
    with pytest.raises((AssertionError, gluon_emulator.Deadlock)):
        for seed in range(40):
            found, _ = attend(gluon_emulator.load(NAME, seed, (line, "pass"), BESIDE), tensors, **scales)
            torch.testing.assert_close(found, out.float(), atol=2e-2, rtol=2e-2)


# --- On a GPU -------------------------------------------------------------------------------------------------------


@hopper
@pytest.mark.parametrize("name", [*CASES, "long"])
def test_bits_of_the_kernel_that_it_replaces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchpaged.ops.triton import decode_sm90, paged_attention

    long: Any = ({"lengths": ((1, 9000), (2, 300)) * 40, "heads": (32, 8), "head_dim": 128}, {}, None)
    sizes, options, cache = CASES.get(name, long)
    tensors = problem(**sizes, device="cuda")
    options = {"num_splits": 4, **options, **(quantised(tensors, *cache) if cache else {})}
    monkeypatch.setattr(paged_attention, "_decode_sm90", lambda capability: decode_sm90)
    launches = []
    original = decode_sm90.launch
    monkeypatch.setattr(decode_sm90, "launch", lambda *a, **k: (launches.append(1), original(*a, **k)))

    def run() -> tuple[Tensor, Tensor]:
        query = tensors["query"]
        out, lse = torch.full_like(query, torch.nan), torch.full(query.shape[:2], torch.nan, device="cuda")
        paged_attention.paged_attention(*tensors.values(), out, lse, **{**OPTIONS, **options})
        return out, lse

    out, lse = run()
    assert launches, "the kernel was not chosen"
    for _ in range(10):
        again, again_lse = run()
        assert torch.equal(again, out) and torch.equal(again_lse, lse)
    monkeypatch.setattr(decode_sm90, "fits", lambda *tensors: False)
    before, before_lse = run()
    exact, exact_lse = expected(tensors, **options)
    torch.testing.assert_close(out.float(), exact.float(), atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(lse, exact_lse, atol=2e-3, rtol=2e-3)
    assert torch.equal(out, before) and torch.equal(lse, before_lse)

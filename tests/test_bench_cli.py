"""`torchpaged bench` on tiny models, and the parts it shares with evals/bench/engine.py: requests, clock, bounds."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.models import STDLIB_LM, VOCAB, build
from torchpaged import LLM, cli
from torchpaged.errors import RequestError
from torchpaged.models.model import LayerShape
from torchpaged.tools import bench, bounds, workloads
from torchpaged.tools.bench import engine_costs, quantised_bytes
from torchpaged.tools.bounds import Costs, Gauge, Limits, costs_of
from torchpaged.tools.workloads import Measure, Workload


def workload(measure: Measure, lengths: list[int], max_tokens: list[int], **options: int) -> Workload:
    prompts = [[7 + i] * n for i, n in enumerate(lengths)]
    return Workload("w", "w", measure, prompts, max_tokens, **options)


def test_the_standard_workloads_are_issue_6_s() -> None:
    all_of_them = {each.name: each for each in workloads.standard(1000)}
    assert tuple(all_of_them) == workloads.NAMES
    assert [len(all_of_them[f"decode-{batch}"].prompts) for batch in (1, 8, 32)] == [1, 8, 32]
    assert [len(prompt) for prompt in all_of_them["prefill"].prompts] == [2048]
    mixed, shared, context = (all_of_them[name] for name in ("mixed", "shared", "context"))
    assert len(mixed.prompts) == 32 and all(64 <= len(prompt) <= 512 for prompt in mixed.prompts)
    assert all(16 <= count <= 128 for count in mixed.max_tokens)
    assert len({tuple(prompt[:512]) for prompt in shared.prompts}) == 1 and shared.shared == 512
    assert len({tuple(prompt) for prompt in shared.prompts}) == 32 and {len(p) for p in shared.prompts} == {544}
    assert shared.num_tokens == 512 + 32 * (32 + 16)
    assert {len(prompt) for prompt in context.prompts} == {8192} and context.filled == 8192
    assert workloads.standard(1000, seed=1) == workloads.standard(1000, seed=1) != workloads.standard(1000)
    assert max(each.longest for each in workloads.standard(1000, scale=0.1)) < 900


def test_rate_reads_the_phase_off_the_times() -> None:
    """Two requests, a token each half second; the first decode step is not counted."""
    times = [[1.0, 1.5, 2.0, 2.5], [1.0, 1.5, 2.0, 2.5]]
    assert workloads.rate(workload(Measure.DECODE, [3, 3], [4, 4]), times) == 4 / 1.0
    assert workloads.rate(workload(Measure.REQUESTS, [3, 5], [4, 4]), times) == 8 / 2.5
    assert workloads.rate(workload(Measure.PREFILL, [3, 5], [1, 1]), [[1.0], [2.0]]) == 8 / 2.0
    with pytest.raises(ValueError, match="request 1 generated 3 tokens, expected 4"):
        workloads.rate(workload(Measure.DECODE, [3, 3], [4, 4]), [times[0], times[1][:3]])


def test_costs_are_the_model_s() -> None:
    """Compare with torch's own count of a forward without attention, since its tables lack our operators."""
    model = build("llama", tie_word_embeddings=True)
    layers = {i: LayerShape(2, 16, 16) for i in range(4)}
    costs = costs_of(model.config, layers, 4, 2)
    assert costs is not None
    assert costs.weight_bytes == 4 * sum(parameter.numel() for parameter in model.parameters())
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.arange(10)[None])
    # transformers' eager attention computes all 100 pairs, also the masked ones; 55 are visible.
    attention = 4 * 4 * 16 * 4 * (100 - 55)
    norms = sum(parameter.numel() for parameter in model.parameters() if parameter.dim() == 1)
    # torch 2.11 counts the angles too, frequencies times positions, as a product.
    angles = counter.get_total_flops() - attention + 2 * norms * 10 - costs.flops(10) - 2 * costs.head * 10
    assert angles in (0, 2 * 8 * 10)
    assert costs.kv_bytes(100) == 100 * 4 * 2 * 2 * 16 * 2
    untied = costs_of(build("llama").config, layers, 4, 2)
    assert untied is not None and (untied.body, untied.head) == (costs.body, costs.head)
    name = "model.layers.0.mlp.up_proj"
    fewer = costs_of(model.config, layers, 4, 2, quantised={name: 1000, "lm_head": 500})
    floats = model.get_submodule(name).weight.numel() + costs.head
    assert fewer is not None and fewer.gemm_factor == 2.0
    assert fewer.weight_bytes == costs.weight_bytes - 4 * floats + 1500


@pytest.mark.parametrize("quantization", ["int8", "int4"])
def test_costs_of_an_engine_count_scales(quantization: str) -> None:
    llm = LLM(build("llama"), tokenizer=None, num_blocks=8, dtype="bfloat16", quantization=quantization)
    costs = engine_costs(llm.engine)
    module: Any = llm.engine.model.weights.module  # type: ignore[attr-defined]
    kept = quantised_bytes(module)
    linears = {name: each for name, each in build("llama").named_modules() if name in kept}
    assert costs is not None and len(kept) >= 4 * 7
    for name, each in linears.items():
        bits = 4 if quantization == "int4" and name != "lm_head" else 8
        assert each.weight.numel() * bits // 8 < kept[name] < each.weight.numel() * (bits + 4) // 8, name  # type: ignore[operator, union-attr]
    floats = sum(each.weight.numel() for each in linears.values())  # type: ignore[misc, union-attr]
    assert costs.weight_bytes == 2 * (costs.body + costs.head - floats) + sum(kept.values())


def test_costs_leave_mixtures_of_experts_out() -> None:
    config = build("mixtral", num_local_experts=2, num_experts_per_tok=1).config
    assert costs_of(config, {0: LayerShape(2, 16, 16)}, 4, 4) is None


def test_windows_bound_what_is_read_and_multiplied() -> None:
    costs = Costs(0, 0, 0, [LayerShape(1, 4, 4, sliding_window=8)], 1, 2)
    assert costs.kv_bytes(100) == costs.kv_bytes(8) == 8 * 8 * 2
    assert costs.flops(1, 99) == 2 * 8 * 8 and costs.flops(3) == 2 * (1 + 2 + 3) * 8
    convolution = Costs(0, 0, 0, [LayerShape.of_convolution(10, 3)], 1, 2)
    assert convolution.kv_bytes(100) == 10 * 3 * 2 and convolution.flops(1, 99) == 0


def test_bound_takes_the_scarcer() -> None:
    costs = Costs(body=1000, head=0, weight_bytes=2000, layers=[], num_heads=1, kv_itemsize=2)
    decode = workload(Measure.DECODE, [3], [5])
    assert bounds.bound(decode, costs, Limits(read=2000, gemm=1e12)) == (pytest.approx(1.0), "read")
    assert bounds.bound(decode, costs, Limits(read=1e12, gemm=2000)) == (pytest.approx(1.0), "gemm")
    prefill = workload(Measure.PREFILL, [10], [1])
    assert bounds.bound(prefill, costs, Limits(read=1e12, gemm=2000)) == (pytest.approx(1.0), "gemm")
    # 4 tokens of a shared prefix once, 2 more of each of 3 prompts, then one step for all: 10 + 3 tokens' products.
    shared = workload(Measure.REQUESTS, [6, 6, 6], [2, 2, 2], shared=4)
    assert bounds.bound(shared, costs, Limits(read=1e12, gemm=2000))[0] == pytest.approx(6 / 13)
    assert bounds.bound(shared, replace(costs, gemm_factor=2.0), Limits(read=1e12, gemm=2000))[0] == pytest.approx(
        12 / 13
    )


def test_gauge_measures() -> None:
    gauge = Gauge(torch.device("cpu"), torch.float32, nbytes=1 << 20)
    gauge.sample(1)
    assert 1e7 < gauge.median.read < 1e13 and 1e7 < gauge.median.gemm < 1e14


def tiny(**settings: object) -> LLM:
    return LLM(build("llama"), device="cpu", **settings)


def test_run_gives_every_token_its_time() -> None:
    llm = tiny(max_model_len=64, num_blocks=40)
    result = bench.run(llm.engine, workload(Measure.REQUESTS, [20, 3], [2, 5]))
    assert [len(each) for each in result.times] == [2, 5] == [len(each) for each in result.token_ids]
    assert all(each == sorted(each) for each in result.times)
    llm.engine.check()
    params = [bench.SamplingParams(temperature=0.0, max_tokens=n, ignore_eos=True) for n in (2, 5)]
    alone = llm.generate([[7] * 20, [8] * 3], params, use_tqdm=False)
    assert result.token_ids == [output.outputs[0].token_ids for output in alone]


@pytest.mark.parametrize("kv_cache_dtype", ["auto", "int8", "fp8", "int4"])
def test_filled_contexts_are_not_computed(kv_cache_dtype: str) -> None:
    model = build("llama", head_dim=32)
    llm = LLM(model, device="cpu", max_model_len=512, num_blocks=80, kv_cache_dtype=kv_cache_dtype)
    before = llm.stats().num_computed_tokens
    work = workload(Measure.DECODE, [400, 400], [4, 4], filled=400)
    assert math.isfinite(workloads.rate(work, bench.run(llm.engine, work).times))
    assert llm.stats().num_computed_tokens - before <= 2 * (16 + 3)
    llm.engine.check()
    assert llm.stats().cache.num_cached_blocks == 0


def test_what_does_not_fit_is_said() -> None:
    llm = tiny(max_model_len=512, num_blocks=30)
    assert bench.why_not(llm.engine, workload(Measure.DECODE, [400], [4])) is None
    long = bench.why_not(llm.engine, workload(Measure.DECODE, [600], [4]))
    assert long == "604 tokens, max_model_len is 512"
    work = workload(Measure.DECODE, [400, 400], [4, 4], filled=400)
    assert "need 52 blocks, the pool has 29; raise num_blocks" in str(bench.why_not(llm.engine, work))
    with pytest.raises(RequestError, match="cannot hold 400 tokens more"):
        bench.run(llm.engine, work)
    llm = tiny(max_model_len=512, num_blocks=80, enable_prefix_caching=False)
    assert "switched off" in str(bench.why_not(llm.engine, work))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, output = tmp_path / "model", tmp_path / "bench.json"
    build("qwen3").save_pretrained(model)
    (model / "tokenizer.json").write_bytes((STDLIB_LM / "tokenizer.json").read_bytes())
    (model / "tokenizer_config.json").write_bytes((STDLIB_LM / "tokenizer_config.json").read_bytes())
    flags = ["--scale", "0.05", "--rounds", "2", "--max-model-len", "128", "--json", str(output)]
    assert cli.main(["bench", "--model", str(model), *flags]) == 0
    printed = capsys.readouterr()
    for words in ("decode, batch 32", "left out: 416 tokens, max_model_len is 128", "start to first token", "GFLOP/s"):
        assert words in printed.out
    assert "mixed, 32 requests, round 2 of 2" in printed.err
    written = json.loads(output.read_text())
    rows = {row["name"]: row for row in written["rows"]}
    assert tuple(rows) == workloads.NAMES and rows["context"]["skipped"] and not rows["context"]["rates"]
    assert all(len(row["rates"]) == 2 and row["bound"] > 0 for row in rows.values() if row["skipped"] is None)
    assert written["settings"]["max_model_len"] == 128 and written["peak_bytes"] > 0 < written["startup_seconds"]
    assert max(map(max, (prompt for each in workloads.standard(VOCAB) for prompt in each.prompts))) < VOCAB


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--workloads", "decode-2"], "--workloads decode-2: expected some of decode-1"),
        (["--scale", "0"], "--scale 0.0: expected more than 0"),
        (["--rounds", "-1"], "--rounds -1: expected more than 0"),
        (["--json", "/nowhere/bench.json"], "--json /nowhere/bench.json: there is no folder"),
        (["--num-blocks", "1"], "num_blocks is 1"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--model", str(STDLIB_LM), *flags]) == 2
    assert message in capsys.readouterr().err


def test_a_small_model_s_table_says_why_it_reaches_little() -> None:
    """If bounds are below a step's fixed costs, a note says so once; not for a larger model."""
    limits = Limits(1e10, 1e12)
    rows = [
        bench.Row(workload(Measure.PREFILL, [3], [1]), [100.0], 200.0, "gemm"),
        bench.Row(workload(Measure.DECODE, [3, 3], [4, 4]), [1000.0], 4000.0, "read"),
    ]
    said = bench.Report(rows, limits, 1.0, 1, None).table()
    assert said.count("a small model: reading its weights takes 0.50 ms of a step of w, which took 2.00 ms") == 1
    rows[1].bound = 500.0
    assert "a small model" not in bench.Report(rows, limits, 1.0, 1, None).table()


def test_products_that_the_machine_has_no_instructions_for_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch takes a minute for bfloat16's large product on a CPU with AVX2 alone."""
    clock = [0.0]

    def mm(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        clock[0] += 1.0 if one.dtype == torch.float32 else 50.0
        return one

    monkeypatch.setattr(torch, "mm", mm)
    monkeypatch.setattr(bounds.time, "perf_counter", lambda: clock[0])
    assert bounds._fast_ones({torch.float32, torch.bfloat16}) == {torch.float32}
    assert bounds._fast_ones({torch.bfloat16}) == {torch.bfloat16}

"""The benchmarks run end to end on tiny cases, and their counts are right."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import signal
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from evals.bench import (
    busy_neighbours,
    engine,
    engine_report,
    gpu_cases,
    gpu_peers,
    history,
    memory,
    ops_gpu,
    placement,
    roofline,
    scheduler,
    serve,
)
from evals.bench.engine_report import Cell, Results, Standing
from evals.bench.peers.process import PeerError, PeerProcess
from torchpaged.tools import workloads
from torchpaged.tools.bounds import Costs, Limits

ROOT = Path(__file__).resolve().parent.parent
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
TINY = ["--running", "1", "64", "128", "--steps", "4", "--rounds", "2", "--admissions", "2"]

# Implements the protocol of vllm_scheduler.py: every step takes a second.
STUB = """#!{python}
import json, sys
print(json.dumps({{"version": "stub"}}), flush=True)
for line in sys.stdin:
    call = json.loads(line)
    ones = [1.0] * call.get("steps", len(call["prompts"]))
    answer = {{"schedule": ones, "update": ones}}
    if call["what"] == "admit":
        answer = {{kind: {{"add": ones, "step": ones, "cached_tokens": ones}} for kind in ("cold", "hit")}}
    print(json.dumps({{**answer, "hash_algorithm": "none"}}), flush=True)
"""


def run(script: str, output: Path, *options: str) -> tuple[str, dict[str, Any]]:
    """Run a benchmark; return its output and its result file."""
    command = [sys.executable, f"evals/bench/{script}.py", *options, "--output", str(output)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    assert output.with_suffix(".png").exists() == HAS_MATPLOTLIB
    written: dict[str, Any] = json.loads(output.with_suffix(".json").read_text())
    return result.stdout, written


def test_memory(tmp_path: Path) -> None:
    printed, written = run("memory", tmp_path / "memory", "--requests", "20", "--contiguous", "1")
    contiguous, *paged = written["rows"]
    assert [row["block_size"] for row in paged] == list(memory.BLOCK_SIZES)
    assert contiguous["running_peak"] == 1 and contiguous["preemptions"] == 0 and contiguous["waste"] > 0.5
    waste = [row["waste"] for row in paged]
    assert waste[0] == 0.0 and waste == sorted(waste)
    assert all(row["x_contiguous"] > 1.0 and row["recomputed"] >= 0.0 for row in paged)
    assert len(written["targets"]) == 2 and all(target in printed for target in written["targets"])


def test_prefix_store(tmp_path: Path) -> None:
    words = f"--folder {tmp_path} --values 3 --rounds 1 --keys 3000 --output {tmp_path / 'written'}".split()
    command = [sys.executable, "evals/bench/prefix_store.py", *words]
    subprocess.run(command, cwd=ROOT, check=True, timeout=240)
    written = json.loads((tmp_path / "written.json").read_text())
    assert [row["name"] for row in written["rows"]] == ["files", "crc-32", "hmac"]
    assert all(row[what] > 0 for row in written["rows"] for what in ("write", "read", "cold read"))
    assert list(written["seconds_of_start"]) == ["1024", "35"] and written["checksums"]["crc-32"] > 0


def test_memory_waste_of_one_request() -> None:
    """5 to 8 tokens in two blocks of 4; the request ends before its last token needs a slot."""
    trace = memory.serve([memory.Length(5, 4)], block_size=4, num_blocks=4, seed=0)
    assert trace["waste"] == [3 / 8, 2 / 8, 1 / 8, 0.0]
    assert trace["running"] == [1, 1, 1, 1] and not any(trace["loaded"]) and trace["recomputed"] == 0.0


def test_memory_lengths() -> None:
    drawn = memory.lengths(2000, seed=1)
    totals = [length.prompt + length.generated for length in drawn]
    assert 270 < statistics.median(totals) < 330 and max(totals) == memory.MAX_MODEL_LEN and min(totals) >= 2
    assert all(length.prompt >= 1 and length.generated >= 1 for length in drawn)
    assert sum(length.prompt for length in drawn) / sum(totals) == pytest.approx(0.7, abs=0.01)


def test_memory_without_a_queue_says_so() -> None:
    trace = memory.serve([memory.Length(5, 4)], block_size=4, num_blocks=100, seed=0)
    with pytest.raises(SystemExit, match="no request ever waited"):
        memory.summary("paged", 4, 100, trace)


@pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is here")
def test_scheduler_says_why_there_is_no_peer(tmp_path: Path) -> None:
    printed, written = run("scheduler", tmp_path / "scheduler", *TINY, "--vllm-python", sys.executable)
    assert written["peer"] == {"vllm": "not installed: ModuleNotFoundError: No module named 'vllm'"}
    assert [row["running"] for row in written["decode"]] == [1, 64, 128]
    assert all(row["torchpaged"]["median_ms"] > 0 and "vllm" not in row for row in written["decode"])
    assert written["growth_per_request"] > 0 and written["load"] >= 0
    assert set(written["profile"]) == {"decode, 128 running", "admission, cold and hit"}
    assert written["profile"]["decode, 128 running"][0]["function"] in printed


def test_scheduler_beside_a_peer(tmp_path: Path) -> None:
    stub = tmp_path / "python"
    stub.write_text(STUB.format(python=sys.executable))
    stub.chmod(0o755)
    printed, written = run("scheduler", tmp_path / "scheduler", *TINY, "--vllm-python", str(stub))
    assert written["peer"]["vllm"] == {"version": "stub", "hash_algorithm": "none"}
    assert all(row["x_vllm"] > 1 and row["vllm"]["median_ms"] == 2000.0 for row in written["decode"])
    assert written["admission"]["cold"]["x_vllm"] > 1 and "vLLM / ours" in printed


def test_scheduler_admits_cold_and_from_the_cache() -> None:
    """62 blocks of the 1000 tokens are full, so the last 8 tokens are computed."""
    prompts = scheduler.prompts_of([scheduler.ADMITTED] * 2, seed=0)
    answer = scheduler.Own().admit(prompts, scheduler.settings_for(1))
    assert answer["cold"]["cached_tokens"] == [0, 0] and answer["hit"]["cached_tokens"] == [992, 992]


def test_scheduler_growth_needs_two_large_batches() -> None:
    rows = [{"running": n, "own": {"us_per_request": float(n)}} for n in (1, 64, 256)]
    assert scheduler.growth(rows, "own") == 4.0 and scheduler.growth(rows[:2], "own") is None


def test_gpu_operators_on_the_cpu(tmp_path: Path) -> None:
    """Every kind of row and its check: on a GPU the script starts at once."""
    output = tmp_path / "ops-gpu"
    options = ["--device", "cpu", "--tiny", "--rounds", "2", "--output", str(output)]
    command = [sys.executable, "evals/bench/ops_gpu.py", *options]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    rows = json.loads(output.with_suffix(".json").read_text())["rows"]
    kinds = {case.kind for case in gpu_cases.cases(tiny=False)}
    assert {row["kind"] for row in rows} == kinds == {case.kind for case in gpu_cases.cases(tiny=True)}
    assert all(row["seconds"] > 0 and 0 < row["predicted_share"] <= 1 for row in rows)
    assert all(isinstance(row["peers"]["sdpa"], float) for row in rows if row["kind"] == "prefill")
    assert all(row["name"] in result.stdout for row in rows)


def test_gpu_operators_find_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = ops_gpu.Inputs(next(gpu_cases.cases(tiny=True)), torch.device("cpu"), seed=0)
    assert inputs.check_attention() < 0.01
    monkeypatch.setattr(ops_gpu.Inputs, "attend", lambda self: self.out[:-1].fill_(0.5))
    with pytest.raises(RuntimeError, match="256 elements were not written"):
        inputs.check_attention()
    monkeypatch.setattr(ops_gpu.Inputs, "attend", lambda self: self.out.fill_(0.5))
    with pytest.raises(RuntimeError, match=r"relative error .*, expected at most 0.02"):
        inputs.check_attention()


def test_gpu_peers_that_differ_or_fail_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong and failing peers have no time; SDPA, which agrees, has one."""

    def fails(inputs: ops_gpu.Inputs) -> gpu_peers.Call:
        raise ValueError("no such head\nand more")

    made = {
        "other": gpu_peers.Peer(lambda inputs: lambda: inputs.out + 0.5, ("decode",), cuda=False),
        "silent": gpu_peers.Peer(
            lambda inputs: lambda: torch.full_like(inputs.out, torch.nan), ("decode",), cuda=False
        ),
        "fails": gpu_peers.Peer(fails, ("decode",), cuda=False),
        "unfit": gpu_peers.Peer(fails, ("prefill",), cuda=False),
        "absent": gpu_peers.Peer(fails, ("decode",), module="no_such_module", cuda=False),
        "for a GPU": gpu_peers.Peer(fails, ("decode",)),
    }
    monkeypatch.setattr(gpu_peers, "PEERS", gpu_peers.PEERS | made)
    rates = roofline.Rates(1e10, 1e10, 1e10)
    case, device = next(gpu_cases.cases(tiny=True)), torch.device("cpu")
    found = ops_gpu.measure(case, device, rates, 1, ["sdpa", *made])["peers"]
    assert list(found) == ["sdpa", "other", "silent", "fails"] and found["sdpa"] > 0
    assert found["other"].startswith("relative error ") and found["silent"].startswith("relative error nan to ours")
    assert found["fails"] == "no such head"
    assert "fails failed: no such head" in ops_gpu.line(ops_gpu.measure(case, device, rates, 1, ["fails"]))


def test_gpu_peers_pages() -> None:
    """FlashInfer's table has only each sequence's own pages: 40 tokens are 3 blocks of 16, the last with 8."""
    case = gpu_cases.Case("mixed", ((1, 40), (16, 16)), 4, 2, 64)
    inputs = ops_gpu.Inputs(case, torch.device("cpu"), seed=0)
    begins, pages, last = gpu_peers.pages(inputs)
    assert begins.tolist() == [0, 3, 4] and begins.dtype == pages.dtype == last.dtype == torch.int32
    assert last.tolist() == [8, 16] and pages.tolist() == [*inputs.tables[0].tolist(), int(inputs.tables[1, 0])]


def test_roofline() -> None:
    """Times are those counted by hand: 2 sequences of 1000 tokens, 4 query heads over 2 of 64, bfloat16."""
    work = roofline.attention([(1, 1000)] * 2, 4, 2, 64, "bfloat16", "bfloat16")
    assert work.num_bytes == 2 * (2 * 4 * 64 * 2 + 2 * 1000 * 2 * 64 * 2)
    assert work.flops == 2 * 4 * 4 * 64 * 1000 and work.executed_flops == work.flops * 32
    assert work.workspace_bytes == 2 * 2 * 4 * 4 * 2 * 65
    prefill = roofline.attention([(128, 128)], 4, 4, 64, "bfloat16", "int8")
    assert prefill.flops == prefill.executed_flops == 4 * 4 * 64 * (128 * 129 // 2) and not prefill.workspace_bytes
    rates = roofline.Rates(copy_bytes=1e9, gemm_flops=1e12, host_bytes=1e8)
    assert work.bound(rates) == (work.num_bytes / 1e9, "memory")
    assert prefill.bound(roofline.Rates(1e12, 1e6)) == (prefill.flops / 1e6, "arithmetic")
    assert roofline.swap(100).bound(rates) == (1e-6, "bus")
    assert roofline.copy(100).bound(rates)[0] == roofline.copy(100).predicted(rates) == 2e-7


def test_the_model_of_shares() -> None:
    """No bytes are lost; evenly filled places take the bandwidth's time; one long program takes its own."""
    assert sum(roofline.divide([131072, 1000, 1], 8, 512)) == 132073 * 8 * 512
    assert len(set(roofline.divide([131072], 8, 512))) == 1
    places = roofline.RESIDENT * roofline.MULTIPROCESSORS
    even = roofline.makespan([1 << 20] * places, 1e12)
    assert even == pytest.approx(roofline.BEGINNING + places * 2**20 / 1e12)
    alone = roofline.makespan([1 << 20], 1e12)
    assert alone == pytest.approx(roofline.BEGINNING + 2**20 / (roofline.FASTEST * 1e12 / places))
    assert roofline.makespan([1 << 20] * (places + 1), 1e12) > even + 0.5 * alone
    skewed = roofline.attention([(1, 131072), *[(1, 1024)] * 31], 32, 8, 128, "bfloat16", "bfloat16")
    assert 0.8 < skewed.bound(roofline.H200)[0] / skewed.predicted(roofline.H200) < 1


@pytest.mark.long
def test_engine_beside_transformers(tmp_path: Path) -> None:
    options = ["--tiny", "--models", str(tmp_path), "--llama-cpp-python", "/nowhere/python"]
    chosen = ["--peers", "torchpaged", "generate", "llama.cpp", "--workloads", "decode-8", "mixed", "shared", "context"]
    printed, written = run("engine", tmp_path / "engine", *options, *chosen)
    peers = written["peers"]
    assert written["peers_run"] == ["torchpaged", "generate"] and set(peers) == {*written["peers_run"], "llama.cpp"}
    assert "/nowhere/python" in peers["llama.cpp"]["left_out"] and "llama.cpp: left out" in printed
    for name in written["peers_run"]:
        assert peers[name]["startup_seconds"][0] > 0 < peers[name]["peak_bytes"] and peers[name]["idle_cores"] < 2
    rows = {row["workload"]: row for row in written["rows"]}
    assert list(rows) == written["workloads_run"] == ["decode-8", "mixed", "shared", "context"]
    assert set(rows["shared"]["medians"]) == {"torchpaged", "generate"} and set(rows["mixed"]["medians"]) == {
        "torchpaged"
    }
    assert "one length" in rows["mixed"]["notes"]["generate"] and "best_peer" not in rows["mixed"]
    for name in ("decode-8", "shared", "context"):
        ours, theirs = (rows[name]["medians"][peer] for peer in ("torchpaged", "generate"))
        assert rows[name]["best_peer"] == "generate" and rows[name]["x_best_peer"] == pytest.approx(ours / theirs)
        assert rows[name]["of_bound"] > 0 and rows[name]["bound_by"] in ("read", "gemm")
    # A tiny model's logits differ enough for bfloat16: most first tokens are float32's.
    assert all(each["first_token"] >= 0.5 for each in written["agreement_with_float32"].values())
    assert set(written["agreement_with_float32"]) == {"torchpaged", "generate"}
    assert "MISSED" not in printed and isinstance(written["targets"], str)


class Steady:
    """A machine with constant limits: `Gauge` would take a second and half a gigabyte to measure them."""

    def __init__(self, *_: Any) -> None:
        pass

    def sample(self) -> Limits:
        return Limits(20e9, 100e9)


class Turns:
    """Peers with fixed rates; checks that all but one are stopped.

    Args:
        ends: number of runs after which a signal arrives, as from `kill` or Ctrl-C.
    """

    def __init__(self, rates: dict[str, float], ends: int | None = None) -> None:
        self.rates, self.ends, self.runs = rates, ends, 0
        self.stopped, self.open = dict.fromkeys(engine.PEERS, True), set[str]()

    def session(self, folder: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> engine.Session:
        """Run three rounds of these workloads on the peers."""
        model = engine.checkpoint.build(engine.checkpoint.TINY, folder)
        rounds = [[w for w in workloads.standard(512, scale=0.05, seed=i) if w.name in names] for i in range(3)]
        monkeypatch.setattr(engine, "Gauge", Steady)
        session = engine.Session(model, engine.checkpoint.TINY, {"transformers": None}, rounds)

        def start(name: str) -> Turn:
            session.results.peers[name] = Standing(engine.PEERS[name].kind, startup_seconds=[1.0])
            self.open.add(name)
            return Turn(self, name)

        monkeypatch.setattr(session, "_start", start)
        return session


class Turn:
    """One of these peers."""

    startup_seconds, facts, loading_bytes = 99.0, {}, 1

    def __init__(self, turns: Turns, name: str) -> None:
        self.turns, self.name, self.memory = turns, name, self
        self.peak = 7

    def run(self, workload: workloads.Workload) -> dict[str, Any]:
        turns = self.turns
        assert not turns.stopped[self.name] and sum(not each for each in turns.stopped.values()) == 1
        turns.runs += 1
        if turns.runs == turns.ends:
            signal.raise_signal(signal.SIGTERM)
        count = len(workload.prompts)
        steps = [i * count / turns.rates[self.name] for i in range(1, workload.max_tokens[0] + 1)]
        return {"token_ids": [[1] * len(steps)] * count, "times": [steps] * count}

    def pause(self) -> None:
        self.turns.stopped[self.name] = True

    def resume(self) -> None:
        self.turns.stopped[self.name] = False

    def close(self) -> None:
        self.turns.open.discard(self.name)


def test_engine_repeats_only_who_is_within_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates of 10, 9 and 6 tokens/s: the last peer is not run again, ours always is; all are stopped between turns."""
    rates = {"torchpaged": 5.0, "vllm": 10.0, "llama.cpp": 9.0, "generate": 6.0}
    session = Turns(rates).session(tmp_path, ["decode-8"], monkeypatch)
    session.run(rates)
    cells = session.results.cells["decode-8"]
    assert {name: len(cell.rates) for name, cell in cells.items()} == {
        "torchpaged": 3,
        "vllm": 3,
        "llama.cpp": 3,
        "generate": 1,
    }
    assert "60%" in cells["generate"].note
    assert len(session.results.limits["decode-8"]) == 3 + 1  # the last peer runs when the others have ended
    row = session.results.rows()[0]
    assert row["best_peer"] == "vllm" and row["x_best_peer"] == pytest.approx(0.5)
    assert session.results.targets()["decode, batch 8: at least 1.4x the best peer"] is False


def test_an_interrupted_run_of_the_engines_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes in the second workload's first turn of the second peer."""
    turns = Turns({"torchpaged": 5.0, "vllm": 10.0}, ends=6 + 2)
    session = turns.session(tmp_path, ["decode-1", "decode-8"], monkeypatch)
    session.gather(turns.rates)
    first, second = session.results.rows()
    assert {name: len(rates) for name, rates in first["rates"].items()} == {"torchpaged": 3, "vllm": 3}
    assert {name: len(rates) for name, rates in second["rates"].items()} == {"torchpaged": 1}
    assert "decode, batch 1: at least 1.6x the best peer" in session.results.targets() and session.results.table()
    assert not turns.open  # no process is left stopped


def test_an_interrupted_run_of_the_servers_keeps_whole_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second round has run on one of the servers, and no long prompt has come."""
    ran = serve.summary([{"sent": 0.0, "times": [1.0, 2.0, 3.0], "tokens": 3, "done": 4.0}])
    ran |= {f"{which}_seconds_per_token": 1e-5 for which in ("loop", "process", "all")} | {"tokens_per_step": 1.5}

    def measure(given: Any, shape: Any, model: Any, found: dict[str, Any], rounds: int = 1) -> None:
        names = (serve.OURS, serve.UNTIMED, "vllm")
        found |= {"servers": {name: {"rounds": [ran] * rounds} for name in names}}
        found["servers"][serve.OURS]["loop_seconds_per_request"] = 3e-6
        found["servers"]["llama-server"] = {"left_out": "it does not start"}
        found["offline_tokens_per_second"] = [1.5] * rounds
        found["servers"][serve.OURS]["rounds"] = [ran] * (rounds + 1)
        signal.raise_signal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    try:
        monkeypatch.setattr(serve, "measure", measure)
        found = serve.gathered(argparse.Namespace(), {}, Path())
        assert [len(each.get("rounds", ())) for each in found["servers"].values()] == [1, 1, 1, 0]
        told = serve.ratios(found)
        assert told["served over offline"] == pytest.approx(3 / 4 / 1.5) and told[f"{serve.OURS}: tokens a second"] == 1
        assert told["microseconds of the loop's thread a token, requests left out"] == pytest.approx(9.0)
        assert not any("long prompts" in name for name in told) and "left out" in serve.table(found)
        monkeypatch.setattr(serve, "measure", functools.partial(measure, rounds=0))
        with pytest.raises(KeyboardInterrupt):
            serve.gathered(argparse.Namespace(), {}, Path())
    finally:
        signal.signal(signal.SIGTERM, before)


def test_engine_compares_each_round_with_its_own_limits() -> None:
    """A machine that is half as fast in one round gives the same share of its bound there."""
    cell = Cell([10.0, 5.0, 11.0], limits=[Limits(20.0, 1.0), Limits(10.0, 1.0), Limits(20.0, 1.0)])
    assert cell.of_bound(lambda each: each.read, Limits(99.0, 1.0)) == pytest.approx(0.5)
    assert Cell([10.0]).of_bound(lambda each: each.read, Limits(40.0, 1.0)) == pytest.approx(0.25)


def test_placement_sorts_its_samples_by_what_a_shared_line_takes() -> None:
    assert 0 < placement.shared_line()() < 1e5
    samples = [
        {"seconds": 0.0, "line_ns": ns, "read_gb_s": 30.0 + ns, "gemm_gflops": 1.0} for ns in (1.0, 7.0, 9.0, 28.0)
    ]
    found = placement.summary(samples)
    assert {name: each["samples"] for name, each in found.items()} == {
        "threads of a core": 1,
        "cores of a chiplet": 2,
        "two chiplets": 1,
    }
    assert found["cores of a chiplet"]["read_gb_s"] == pytest.approx(38.0)


def test_busy_neighbours_are_compared_with_the_idle_machine() -> None:
    samples = {0: [(100.0, 0.01), (90.0, 0.02), (110.0, 0.01)], 1: [(50.0, 0.02)], 2: [(25.0, 0.015), (25.0, 0.015)]}
    found = busy_neighbours.summary(samples)
    assert found["rate_of_idle"] == {0: 1.0, 1: 0.5, 2: 0.25}
    assert found["processor_time_over_idle"] == {0: 1.0, 1: 2.0, 2: 1.5}


def test_busy_neighbours_time_a_process_of_each_checkout(tmp_path: Path) -> None:
    (tmp_path / "torchpaged.py").write_text(
        "class SamplingParams:\n    def __init__(self, **given): self.max_tokens = given['max_tokens']\n"
        "class LLM:\n    def __init__(self, **given): pass\n"
        "    def generate(self, prompts, params, use_tqdm):\n"
        "        from types import SimpleNamespace as Of\n"
        "        return [Of(outputs=[Of(token_ids=[0] * params.max_tokens)])]\n"
    )
    engine = busy_neighbours.Engine(tmp_path, "model", 7)
    rate, seconds = engine.generate()
    engine.close()
    assert rate > 0 and seconds >= 0


def test_engine_targets_take_shared_prefixes_against_vllm() -> None:
    work = [each for each in workloads.standard(100) if each.name == "shared"]
    cells = {"shared": {"torchpaged": Cell([3.0]), "vllm": Cell([2.0]), "llama.cpp": Cell([4.0])}}
    peers = {name: Standing("bf16", {}, [4.0], 10) for name in cells["shared"]}
    peers["vllm"].startup_seconds = [30.0]
    results = Results(work, peers, {"bf16": Costs(1, 1, 4, [], 1, 2)}, cells, {"shared": [Limits(1.0, 1.0)]})
    assert results.rows()[0]["best_peer"] == "llama.cpp"
    assert results.targets() == {
        "shared prefix of 512, 32 requests: at least 1.4x vLLM with prefix caching": True,
        "start-up to first token: at most a fifth of vLLM's": True,
        "peak memory: at most vLLM's": True,
    }
    assert engine_report.OURS["bf16"] in results.table()


def test_engine_says_what_a_peer_died_of(tmp_path: Path) -> None:
    with pytest.raises(PeerError, match="nowhere"):
        PeerProcess("/nowhere/python", "torchpaged_peer", {"threads": 1})
    with pytest.raises(PeerError, match="No module named evals"):
        PeerProcess(sys.executable, "missing", {"threads": 1})
    with pytest.raises(PeerError, match="KeyError"):
        PeerProcess(sys.executable, "torchpaged_peer", {"threads": 1})


def test_engine_agreement() -> None:
    found = engine.agreement([[1, 2, 3, 4], [9, 2, 3], [1, 2, 9]], [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    assert found == {"first_token": pytest.approx(2 / 3), "leading_tokens": pytest.approx(5 / 3), "compared_tokens": 3}


@pytest.mark.long
def test_start_up_is_measured(tmp_path: Path) -> None:
    """Each compiler's processor seconds relative to ours: inductor, and with flex_attention."""
    output = tmp_path / "start-up"
    command = [sys.executable, "evals/bench/backend.py", "--start-up", "--shape", "tiny", "--output", str(output)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    written = json.loads(output.with_suffix(".json").read_text())
    assert written["shape"] == "tiny" and written["peak_bytes"] < 16 << 30
    assert list(written["times_as_long"]) == ["torchpaged", "inductor", "flex_attention with inductor"]
    assert all(each > 0 for each in written["processor_seconds"].values())


def test_history_names_rows_that_fell(tmp_path: Path) -> None:
    run = {"date": "2026-11-21", "commit": "a", "cpu": "X", "threads": 2, "scale": 1.0}
    row = {"workload": "decode-1", "kind": "bf16", "unit": "tokens/s", "medians": {"torchpaged": 9.0}, "bound": 10.0}
    runs = [
        {**run, "rows": [{**row, "of_bound": 0.9}, {**row, "workload": "prefill", "of_bound": 0.8}]},
        {**run, "date": "2026-11-22", "commit": "b", "rows": [{**row, "of_bound": 0.84}]},
        {**run, "date": "2026-11-23", "commit": "c", "cpu": "Y", "rows": [{**row, "of_bound": 0.5}]},
        {**run, "date": "2026-11-24", "commit": "d", "scale": 0.25, "rows": [{**row, "of_bound": 0.1}]},
    ]
    path = tmp_path / "history.jsonl"
    for each in (*runs, *runs):  # a run that is added twice counts once
        history.append(history.rows_of(each), path)
    lines = history.read(path)
    assert [(line["commit"], line["row"]) for line in lines] == [
        ("a", "decode-1, bf16"),
        ("a", "prefill, bf16"),
        ("b", "decode-1, bf16"),
        ("c", "decode-1, bf16"),
    ]
    assert history.fallen(lines) == ["decode-1, bf16: 84% of the bound at b, 90% at a"]

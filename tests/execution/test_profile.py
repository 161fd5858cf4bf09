"""Profiling: spans of the trace against the steps that ran, figures against the trace, and the command line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import models
from tests.fakes import FakeModel, drain, engine
from torchpaged import LLM, SamplingParams, cli
from torchpaged.errors import ConfigError
from torchpaged.execution import phases
from torchpaged.tools import profiling

ROOT = Path(__file__).resolve().parents[2]
GREEDY = SamplingParams(temperature=0, max_tokens=5)


def spans(path: Path) -> list[dict[str, Any]]:
    """Return our spans of the trace, ordered by time, outer ones first."""
    text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
    found = [
        event for event in json.loads(text)["traceEvents"] if str(event.get("name", "")).startswith("torchpaged: ")
    ]
    assert {event["ph"] for event in found} <= {"X"}
    return sorted(found, key=lambda event: (event["ts"], -event["dur"]))


def by_step(path: Path) -> list[list[str]]:
    """Return the spans inside each step, after asserting that they do not overlap."""
    steps: list[list[str]] = []
    end = step_end = 0.0
    for event in spans(path):
        name = event["name"].removeprefix("torchpaged: ")
        if name == "step":
            assert event["ts"] >= step_end
            end, step_end = event["ts"], event["ts"] + event["dur"]
            steps.append([])
        else:
            assert end <= event["ts"] and event["ts"] + event["dur"] <= step_end + 0.01, name
            end = event["ts"] + event["dur"]
            steps[-1].append(name)
    return steps


def test_every_step_has_its_phases_in_order(tmp_path: Path) -> None:
    """Two completions share a prompt's last block: the second step copies it."""
    running = engine()
    running.add_request("a", [2, 3, 4, 5, 6, 7], SamplingParams(temperature=0, n=2, max_tokens=4))
    with profiling.profile(tmp_path / "trace.json") as seen:
        drain(running)
    without = ["schedule", "inputs", "forward", "sample", "update"]
    steps = by_step(tmp_path / "trace.json")
    assert steps[0] == without and all(step == without for step in steps[2:])
    assert steps[1] == ["schedule", "copy", "inputs", "forward", "sample", "update"]
    assert seen.num_steps == len(steps) == running.stats().num_steps == 4
    assert {name: each.calls for name, each in seen.phases.items()} == {**dict.fromkeys(steps[1], 4), "copy": 1}


def test_numbers_are_the_trace_s_and_the_tokens_the_same(tmp_path: Path) -> None:
    llm = LLM(models.build("llama", num_hidden_layers=2), num_blocks=60, enable_prefix_caching=False)
    prompts = models.prompts([9, 30, 2])
    expected = [output.outputs[0].token_ids for output in llm.generate(prompts, GREEDY, use_tqdm=False)]
    with profiling.profile(tmp_path / "trace.json.gz") as seen:
        assert not seen.phases
        outputs = llm.generate(prompts, GREEDY, use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == expected
    total: dict[str, float] = {}
    for event in spans(tmp_path / "trace.json.gz"):
        total[event["name"]] = total.get(event["name"], 0.0) + event["dur"] / 1e6
    assert seen.seconds == pytest.approx(total.pop(phases.STEP), abs=1e-5)
    for name, seconds in total.items():
        assert seen.phases[name.removeprefix("torchpaged: ")].seconds == pytest.approx(seconds, abs=1e-5)
    shares = [each.share for each in seen.phases.values()]
    assert sum(shares) + seen.rest.share == pytest.approx(1.0) and min(shares) == 0.0
    assert seen.outside_forward.share == pytest.approx(1.0 - seen.phases["forward"].share)
    assert seen.outside_forward.seconds == pytest.approx(seen.seconds - seen.phases["forward"].seconds)
    table = seen.table().splitlines()
    assert [line[:19].strip() for line in table[1:]] == [*seen.phases, "rest", "step", "outside the forward"]
    assert table[-1].split()[-2:] == [f"{seen.outside_forward.share:.1%}", str(seen.num_steps)]


def test_a_pinned_prefix_is_computed_in_steps_of_its_own(tmp_path: Path) -> None:
    running = engine()
    with profiling.profile(tmp_path / "trace.json") as seen:
        running.pin_prefix(list(range(2, 12)))
    assert by_step(tmp_path / "trace.json") == [["schedule", "inputs", "forward", "sample", "update"]]
    assert seen.num_steps == 1


def test_nothing_to_do(tmp_path: Path) -> None:
    with profiling.profile(tmp_path / "trace.json") as seen:
        assert engine().step() == []
    assert seen.num_steps == 0 and seen.outside_forward == profiling.PhaseTime() and "step" in seen.table()
    assert spans(tmp_path / "trace.json") == []


def test_a_failed_step_leaves_the_profiler_off(tmp_path: Path) -> None:
    model = FakeModel()
    running = engine(model)
    running.add_request("a", [2, 3], GREEDY)
    model.fails = True
    with pytest.raises(RuntimeError, match="on fire"), profiling.profile(tmp_path / "trace.json"):
        running.step()
    assert not torch.autograd._profiler_enabled() and not (tmp_path / "trace.json").exists()
    model.fails = False
    with profiling.profile(tmp_path / "trace.json") as seen:
        drain(running)
    assert seen.num_steps == 5


@pytest.mark.parametrize("name", ["nowhere/trace.json", ".", "/dev/null/trace.json"])
def test_a_path_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written"), profiling.profile(tmp_path / name):
        pytest.fail("something was run")


def test_asking_for_a_path_changes_nothing(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text("kept")
    for path in (old, new):
        profiling.require_writable(path)
    assert old.read_text() == "kept" and not new.exists()


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
@pytest.mark.parametrize("written", [None, b"", b'{"traceEvents": ['])
def test_a_trace_that_ends_early_is_an_error(
    name: str, written: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk; the profiler says nothing."""

    def export(profiler: object, path: str) -> None:
        if written is not None:
            Path(path).write_bytes(gzip.compress(written) if name.endswith(".gz") else written)

    monkeypatch.setattr(torch.profiler.profile, "export_chrome_trace", export)
    says = r"profile .*trace.*: the trace could not be written"
    with pytest.raises(ConfigError, match=says), profiling.profile(tmp_path / name):
        pass
    assert not list(tmp_path.iterdir())


def test_a_span_costs_nothing_without_a_profiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """All are the same object that does nothing; record_function would take 7 us each."""
    monkeypatch.setattr(phases, "record_function", None)
    assert phases.span(phases.FORWARD) is phases.span(phases.SAMPLE, torch.device("cpu"))
    with phases.span(phases.FORWARD):
        pass


def test_on_cuda_a_span_waits_only_when_profiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    device = torch.device("cuda", 0)

    def forward() -> None:
        with phases.span(phases.FORWARD, device):
            pass

    forward()
    assert not waited
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        forward()
    assert waited == [device]


# --- The command line -----------------------------------------------------------------------------------------


def test_generate_writes_a_trace_and_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, outputs = tmp_path / "trace.json", [tmp_path / "plain.jsonl", tmp_path / "profiled.jsonl"]
    flags = ["generate", "--model", str(models.STDLIB_LM), "--prompt", "import os", "--max-tokens", "6"]
    assert cli.main([*flags, "--quiet", "--output", str(outputs[0])]) == 0
    assert cli.main([*flags, "--output", str(outputs[1]), "--profile", str(trace)]) == 0
    assert outputs[0].read_text() == outputs[1].read_text()
    printed = capsys.readouterr().out
    for word in ("schedule", "copy", "inputs", "forward", "sample", "update", "outside the forward", "share", "calls"):
        assert word in printed
    assert len(by_step(trace)) == 6
    assert cli.main([*flags, "--quiet", "--profile", str(trace)]) == 0
    assert "outside the forward" not in "".join(capsys.readouterr())


def test_generate_refuses_a_trace_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It refuses before the model is loaded."""
    flags = ["--model", "./nowhere", "--prompt", "a", "--profile", str(tmp_path / "nowhere" / "trace.json")]
    assert cli.main(["generate", *flags]) == 2
    errors = capsys.readouterr().err.strip()
    assert f"--profile {tmp_path / 'nowhere' / 'trace.json'}: there is no folder" in errors and "\n" not in errors


# --- The benchmark --------------------------------------------------------------------------------------------


def test_the_bookkeeping_benchmark_runs(tmp_path: Path) -> None:
    output = tmp_path / "bookkeeping.json"
    command = [sys.executable, "evals/bench/bookkeeping.py", "--tiny", "--output", str(output)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    written = json.loads(output.read_text())
    assert written["steps"] == written["phases"]["forward"]["calls"] == 4 and written["batch"] == 3
    assert 0.0 < written["outside_forward"] < 1.0 and "outside the forward" in result.stdout
    assert sum(each["share"] for each in written["phases"].values()) + written["rest"]["share"] == pytest.approx(1.0)
    (target,) = written["targets"]
    assert target in result.stdout and "compile" not in written

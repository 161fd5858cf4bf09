"""The script for a lent GPU: steps have time limits, their output is kept, and it fits the machine's rules.

The rules: 15 minutes in all, a minute or two of them for its start, 500 s a call, 8 files a call. Most tests have a
stand-in for Python, which writes the file that a benchmark is told to write.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CALLS = {
    "first": ("build", "info", "tests", "prefill", "variants"),
    "second": ("build", "decode", "fused", "exact", "swap", "engine"),
}
STAND_IN = """#!/bin/bash
echo "stand-in: $*"
trap 'echo "two tests have failed"; exit 2' INT
[ "$1" = -c ] && exit 0
[ "${SLOW:-no}" = "$(basename "$1")" ] && { while :; do sleep 0.1; done; }
while [ $# -gt 0 ]; do
  if [ "$1" = --output ]; then
    if [ -d "$2" ]; then echo {} >"$2/prefill-gpu.json"; else echo {} >"${2%.json}.json"; fi
  fi
  shift
done
"""


def session(folder: Path, *steps: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["evals/gpu_session.sh", str(folder), *steps]
    everything = {**os.environ, "PYTHON": sys.executable, "TINY": "1", **environment}
    return subprocess.run(command, cwd=ROOT, env=everything, capture_output=True, text=True, timeout=240)


@pytest.fixture
def stand_ins(tmp_path: Path) -> dict[str, str]:
    """Return the environment in which Python, make and CUDA's tools do nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("python", "make", "nvidia-smi", "nvcc"):
        (folder / name).write_text(STAND_IN)
        (folder / name).chmod(0o755)
    return {"PYTHON": str(folder / "python"), "PATH": f"{folder}:{os.environ['PATH']}", "TINY": ""}


def limits() -> dict[str, int]:
    (text,) = re.findall(r"declare -A limit=\(([^)]*)\)", (ROOT / "evals" / "gpu_session.sh").read_text())
    return {step: int(seconds) for step, seconds in re.findall(r"\[(\w+)\]=(\d+)", text)}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_fits_the_machine(call: str, stand_ins: dict[str, str], tmp_path: Path) -> None:
    """Each step runs once, and at most 8 files come back: the log, and measurements named as in evals/results."""
    result = session(tmp_path / "out", call, **stand_ins)
    assert result.returncode == 0, result.stdout + result.stderr
    steps = [line.split(":")[0] for line in result.stdout.splitlines()[-len(CALLS[call]) :]]
    assert tuple(steps) == CALLS[call]
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert "session.log" in files and len(files) <= 8
    assert all(
        re.fullmatch(r"(ops|engine|prefill|exact)-gpu[\w-]*\.json|prefill-variants.json|session.log", f) for f in files
    )
    expected = {"first": {"prefill-gpu.json", "prefill-variants.json"}, "second": {"engine-gpu.json", "exact-gpu.json"}}
    assert expected[call] <= set(files)
    log = (tmp_path / "out" / "session.log").read_text()
    assert log.endswith("".join(f"{line}\n" for line in result.stdout.splitlines()[-len(steps) :]))
    assert sum(limits()[step] for step in CALLS[call]) <= 485  # 15 s more where a step has to be killed


def test_both_calls_fit_the_time() -> None:
    """The second call finds what the first has built."""
    assert sum(limits()[step] for steps in CALLS.values() for step in steps) - limits()["build"] <= 900 - 150


def test_a_step_at_its_limit_says_what_it_has(stand_ins: dict[str, str], tmp_path: Path) -> None:
    """It is interrupted, so that pytest prints the failures so far, and the next step runs."""
    result = session(tmp_path / "out", "exact", "swap", LIMIT_exact="1", SLOW="exact_gpu.py", **stand_ins)
    assert result.returncode == 1
    exact, swap = result.stdout.splitlines()[-2:]
    assert exact.startswith("exact: ended with 124") and swap.startswith("swap: ended with 0")
    log = (tmp_path / "out" / "session.log").read_text()
    assert "=== exact\nstand-in: evals/bench/exact_gpu.py" in log and "two tests have failed" in log


def test_steps_on_the_cpu(tmp_path: Path) -> None:
    result = session(tmp_path, "info", "ops", LIMIT_info="100")
    assert result.returncode == 0, result.stdout + result.stderr
    log = (tmp_path / "session.log").read_text()
    assert "backend" in log and "decode 3 seqs" in log and (tmp_path / "ops-gpu.json").exists()


def test_an_unknown_step(tmp_path: Path) -> None:
    result = session(tmp_path, "everything")
    assert result.returncode == 2 and "expected first, second or one of build, info, tests" in result.stderr

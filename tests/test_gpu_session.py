"""The script for a lent GPU: steps have time limits, their output is kept, and the summary has their exit statuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def session(folder: Path, *steps: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["evals/gpu_session.sh", str(folder), *steps]
    everything = {**os.environ, "PYTHON": sys.executable, "TINY": "1", **environment}
    return subprocess.run(command, cwd=ROOT, env=everything, capture_output=True, text=True, timeout=240)


def test_steps_that_end_and_one_that_does_not(tmp_path: Path) -> None:
    result = session(tmp_path, "info", "engine", "ops", LIMIT_engine="1")
    assert result.returncode == 1
    info, engine, ops = result.stdout.splitlines()[-3:]
    assert info.startswith("info: ended with 0") and ops.startswith("ops: ended with 0")
    assert engine.startswith("engine: ended with 124")
    assert (tmp_path / "summary.txt").read_text().splitlines() == [info, engine, ops]
    assert "backend" in (tmp_path / "info.log").read_text()
    assert "decode 3 seqs" in (tmp_path / "ops.log").read_text() and (tmp_path / "ops-gpu.json").exists()


def test_an_unknown_step(tmp_path: Path) -> None:
    result = session(tmp_path, "everything")
    assert result.returncode == 2 and "expected first, second or one of build, info, tests" in result.stderr

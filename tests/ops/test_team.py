"""The thread team of csrc/cpu/team.h, compiled alone and driven by `team_alone.cpp`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.ops.test_arm import portable_program, run
from torchpaged.csrc import build

DRIVER = Path(__file__).with_name("team_alone.cpp")


def driver(folder: Path, *flags: str) -> Path:
    """Compile the driver; returns the program's path."""
    program = folder / "team"
    sources = [str(DRIVER), str(build.SOURCES / "team.cpp")]
    command = [
        *build.compiler(),
        "-std=c++17",
        "-O1",
        "-pthread",
        "-isystem",
        str(build.torch_include()),
        *flags,
        *sources,
        "-o",
        str(program),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def test_each_piece_runs_once_whatever_sleeps_throws_or_forks(tmp_path: Path) -> None:
    done = subprocess.run([driver(tmp_path), "5000", "fork"], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_no_data_race_is_seen_by_thread_sanitizer(tmp_path: Path) -> None:
    # Without the fork: ThreadSanitizer does not follow threads that a child of one starts.
    program = driver(tmp_path, "-g", "-fsanitize=thread")
    done = subprocess.run([program, "3000", "alone"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_operators_on_the_team_have_their_bits_and_no_data_race(tmp_path: Path) -> None:
    """Attention, products of up to 130 rows and draws on three threads, as on one; ThreadSanitizer watches."""
    program = portable_program(tmp_path, "-O1", "-g", "-fsanitize=thread")
    assert run([str(program), "3"]) == run([str(program), "1"])

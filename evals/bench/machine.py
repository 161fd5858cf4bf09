"""Description of the machine for result files, and the timing of all benchmarks: interleaved rounds, medians."""

from __future__ import annotations

import datetime
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchpaged.csrc import build
from torchpaged.tools.bounds import reader

__all__ = ["beside", "describe", "empty_operator", "interleaved", "progress", "ratio", "reader"]

_libraries: list[torch.library.Library] = []  # an operator lives as long as the library that defined it


def describe(command: list[str]) -> dict[str, Any]:
    """Return machine, versions, date and command, the head of a result file."""
    try:
        with open("/proc/cpuinfo") as lines:
            cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    try:
        git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
        commit = git.stdout.strip()
    except OSError:  # a lent machine may lack git
        commit = ""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(command),
        "commit": commit,
        "cpu": cpu,
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in ("torch", "transformers")},
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


@contextmanager
def beside(command: str | None) -> Iterator[None]:
    """Run a command around what is timed in the block, such as one that stops all other processes; None: no command.

    Args:
        command: is given another command to run, as `nice` is, which ends with the block.
    """
    if command is None:
        yield
        return
    waits = [*shlex.split(command), "sh", "-c", "echo begun; exec cat"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise RuntimeError(f"{command!r} has not run what it was given")
        yield  # leaving Popen's block closes the pipe, which ends it


def interleaved(functions: Mapping[str, Callable[[], object]], rounds: int, seconds: float) -> dict[str, list[float]]:
    """Return the seconds per call of each function in each round; they run in turn, so that noise affects all.

    A round calls a function as often as fits into `seconds`.
    """
    repeats = {}
    for name, function in functions.items():
        function()  # warm-up: compiles, touches its pages
        start = time.perf_counter()
        function()
        repeats[name] = max(1, int(seconds / max(1e-7, time.perf_counter() - start)))
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                function()
            times[name].append((time.perf_counter() - start) / repeats[name])
    return times


def ratio(a: list[float], b: list[float]) -> float:
    """Return the median over rounds of a / b, each pair measured in one round."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


_EMPTY = r"""
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>
#include <optional>
using torch::stable::Tensor;
using Maybe = std::optional<Tensor>;
static Tensor empty(Tensor q, Tensor, Tensor, Tensor, Tensor, Tensor, std::optional<double>, bool, int64_t, double,
                    Maybe, Maybe, Maybe, Maybe, Maybe, int64_t, int64_t) { return q; }
STABLE_TORCH_LIBRARY_IMPL(torchpaged_bench, CPU, m) { m.impl("empty", TORCH_BOX(&empty)); }
"""


def empty_operator(schema: str) -> Callable[..., Tensor]:
    """Return a C++ operator with `paged_attention`'s arguments that does nothing: the lower bound of a call's cost."""
    folder = Path(tempfile.mkdtemp())
    source = folder / "empty.cpp"
    source.write_text(_EMPTY)
    flags = ["-O2", "-std=c++17", "-shared", "-fPIC", f"-DTORCH_TARGET_VERSION={build.TORCH_TARGET_VERSION}"]
    libraries = Path(torch.__file__).parent / "lib"
    command = [*build.compiler(), *flags, "-isystem", str(build.torch_include()), str(source)]
    subprocess.run([*command, "-o", str(folder / "empty.so"), f"-L{libraries}", "-ltorch_cpu"], check=True)
    library = torch.library.Library("torchpaged_bench", "DEF")
    library.define("empty" + schema)
    _libraries.append(library)
    torch.ops.load_library(str(folder / "empty.so"))
    operator: Callable[..., Tensor] = torch.ops.torchpaged_bench.empty
    return operator


def progress(text: str) -> None:
    """Print to standard error, so that standard output holds only the table."""
    print(text, file=sys.stderr, flush=True)

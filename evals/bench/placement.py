"""Placement of a virtual machine's two processors over time: threads of one core, cores of one chiplet, or of two.

    python evals/bench/placement.py [--minutes 3] [--output evals/results/placement]

A host may move them within seconds, and every timing changes with them: the time to write a line of memory that the
other processor has read, the memory's bandwidth, and the speed of matrix products. Each sample has all three,
measured one after the other.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.csrc import build
from torchpaged.tools.bounds import Gauge

# Nanoseconds per line above which two processors share no cache, and below which they are threads of one core.
CHIPLETS, CORES = 15.0, 4.0
LINES = 1024
_SOURCE = r"""
// Nanoseconds to write each of `lines` lines that a second thread has just read: the median of some rounds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>
alignas(4096) static char lines_of[1 << 20];
extern "C" double shared_line(int lines) {
  std::atomic<int> turn{0};
  std::thread other([&] {
    volatile char sum = 0;
    for (int t; (t = turn.load(std::memory_order_acquire)) >= 0;)
      if (t == 1) {
        for (int i = 0; i < lines; ++i) sum = char(sum + *(volatile char*)(lines_of + i * 64));
        turn.store(0, std::memory_order_release);
      }
  });
  std::vector<double> found;
  for (int round = 0; round < 60; ++round) {
    turn.store(1, std::memory_order_release);
    while (turn.load(std::memory_order_acquire) == 1) {}
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < lines; ++i) *(volatile char*)(lines_of + i * 64) = char(round);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    found.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / lines);
  }
  turn.store(-1, std::memory_order_release);
  other.join();
  std::sort(found.begin(), found.end());
  return found[found.size() / 2];
}
"""


def shared_line() -> Callable[[], float]:
    """Return a function that measures the nanoseconds to write a line that another thread has read."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "line.cpp"
        source.write_text(_SOURCE)
        flags = ("-O2", "-shared", "-fPIC", "-pthread")
        subprocess.run([*build.compiler(), *flags, str(source), "-o", f"{folder}/line.so"], check=True)
        library = ctypes.CDLL(f"{folder}/line.so")  # stays mapped after its file is deleted
    library.shared_line.restype = ctypes.c_double
    return lambda: float(library.shared_line(LINES))


def place_of(nanoseconds: float) -> str:
    """Return the placement of two processors that a line's time implies."""
    if nanoseconds < CORES:
        return "threads of a core"
    return "cores of a chiplet" if nanoseconds < CHIPLETS else "two chiplets"


def summary(samples: list[dict[str, float]]) -> dict[str, Any]:
    """Return, by placement, the share of samples and medians."""
    found: dict[str, Any] = {}
    for place in ("threads of a core", "cores of a chiplet", "two chiplets"):
        there = [each for each in samples if place_of(each["line_ns"]) == place]
        if there:
            medians = {name: statistics.median(each[name] for each in there) for name in there[0] if name != "seconds"}
            found[place] = {"samples": len(there), **medians}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=3.0, help="duration of the measurement")
    parser.add_argument("--output", default="evals/results/placement", help="path of the result, without .json")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    line, gauge, samples, begin = shared_line(), Gauge(torch.device("cpu"), torch.bfloat16), [], time.perf_counter()
    while (seconds := time.perf_counter() - begin) < 60 * arguments.minutes:
        before, limits, after = line(), gauge.sample(repeats=1), line()
        if place_of(before) == place_of(after):  # otherwise the host moved them meanwhile
            measured = {"read_gb_s": limits.read / 1e9, "gemm_gflops": limits.gemm / 1e9}
            samples.append({"seconds": seconds, "line_ns": (before + after) / 2, **measured})
        time.sleep(0.2)  # a host moves processors rarely: consecutive samples would be equal
    result = {**machine.describe([sys.executable, *sys.argv]), "places": summary(samples), "samples": samples}
    Path(f"{arguments.output}.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result["places"], indent=1))


if __name__ == "__main__":
    main()

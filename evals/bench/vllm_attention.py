"""vLLM's CPU build with its own attention and with torchpaged's (`torchpaged.integrations.vllm.plugin`), in turn.

    python evals/bench/vllm_attention.py --vllm-python /path/to/its/python [--output evals/results/vllm-attention]

One model of Qwen3-0.6B's shape with random bfloat16 weights, in two processes that differ only in VLLM_PLUGINS; each is
stopped during the other's turn. Keys and values of the contexts are random numbers written in place, which saves an
untimed prefill. Prints medians and the median ratio of a round; writes JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine
from evals.bench.peers import checkpoint, install, plugin
from evals.bench.peers.process import PeerError, PeerProcess
from torchpaged.csrc.build import cache_directory
from torchpaged.ops import cpu
from torchpaged.tools.workloads import Measure, Workload, rate

CONTEXTS = ((512, 1, 32), (8192, 4, 12))  # tokens, sequences, timed decode steps
PREFILL = 2048
QUIET_LOAD = 1.2
KV_GIB = 4
EXPECTED = {"vllm": ["CPUAttentionBackendImpl"], "torchpaged": ["TorchpagedAttentionImpl"]}


def workloads(vocab_size: int, seed: int, scale: float) -> list[Workload]:
    """Return the workloads of a round, with random tokens."""
    draw = random.Random(seed)

    def tokens(count: int) -> list[int]:
        return [draw.randrange(vocab_size) for _ in range(count)]

    decodes = []
    for length, batch, steps in CONTEXTS:
        length = round(length * scale)
        name, prompts = f"decode, context {length} x {batch}", [tokens(length) for _ in range(batch)]
        # The first step does not count, since a library may plan in it, nor do the tokens that arrive with it.
        decodes.append(Workload(name, name, Measure.DECODE, prompts, [steps + 2] * batch, filled=length))
    prompt = tokens(round(PREFILL * scale))
    name = f"prefill, {len(prompt)} tokens"
    return [*decodes, Workload(name, name, Measure.PREFILL, [prompt], [1])]


def start(python: str, settings: dict[str, Any], folder: Path) -> dict[str, PeerProcess]:
    """Start both processes, the second one with our attention, and stop them until their turns.

    Raises:
        PeerError: one does not start, or its attention is not the expected one.
    """
    found: dict[str, PeerProcess] = {}
    try:
        for name, variables in (("vllm", {"VLLM_PLUGINS": ""}), ("torchpaged", plugin.environment(folder))):
            machine.progress(f"starting vLLM with {name}'s attention")
            found[name] = PeerProcess(python, "vllm_peer", settings, variables)
            if found[name].facts["attention"] != EXPECTED[name]:
                raise PeerError(f"{name}: attention is {found[name].facts['attention']}, expected {EXPECTED[name]}")
            found[name].pause()
    except PeerError:
        for process in found.values():
            process.close()
        raise
    return found


def measure(processes: dict[str, PeerProcess], rounds: list[list[Workload]]) -> list[dict[str, Any]]:
    """Return a row per workload: both rates in tokens per second, and their ratio."""
    rows = []
    for index, workload in enumerate(rounds[0]):
        rates: dict[str, list[float]] = {name: [] for name in processes}
        for number, each in enumerate(rounds):
            for name in sorted(processes, reverse=number % 2 == 1):  # the order alternates
                machine.progress(f"{workload.title}, round {number + 1} of {len(rounds)}: {name}")
                processes[name].resume()
                rates[name].append(rate(each[index], processes[name].run(each[index])["times"]))
                processes[name].pause()
        times = machine.ratio(rates["torchpaged"], rates["vllm"])
        rows.append({"workload": workload.title, "unit": workload.unit, "rates": rates, "times_as_fast": times})
        medians = "   ".join(f"{name} {statistics.median(of):8.1f}" for name, of in rates.items())
        print(f"{workload.title:28s} {medians}  {workload.unit}, {times:.2f}x", flush=True)
    return rows


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vllm-python", help="Python with vLLM; by default that of engine.py --install-peers")
    parser.add_argument("--models", type=Path, default=cache_directory() / "bench", help="folder for the weights")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tiny", action="store_true", help="a tiny model and few tokens, as a smoke test")
    parser.add_argument("--output", type=Path, default=Path("evals/results/vllm-attention"), help="without suffix")
    arguments = parser.parse_args()
    python = arguments.vllm_python or install.python_of("vllm")
    if python is None:
        parser.error("no environment with vLLM: --vllm-python, or first python evals/bench/engine.py --install-peers")
    load, begun = os.getloadavg()[0], time.perf_counter()
    torch.set_num_threads(arguments.threads)
    cpu.load()  # builds the library if it is missing
    shape = checkpoint.TINY if arguments.tiny else checkpoint.QWEN3_06B
    rounds = [workloads(shape["vocab_size"], i, 1 / 32 if arguments.tiny else 1.0) for i in range(arguments.rounds)]
    longest = max(workload.longest for workload in rounds[0])
    settings = {
        "model": str(checkpoint.build(shape, arguments.models)),
        "dtype": "bfloat16",
        "threads": arguments.threads,
        "max_model_len": -(-(longest + 64) // 256) * 256,
        "max_num_seqs": 8,
        "kv_bytes": KV_GIB << 30,
    }
    with tempfile.TemporaryDirectory() as folder:
        processes = start(python, settings, Path(folder))
        try:
            rows = measure(processes, rounds)
        finally:
            for process in processes.values():
                process.close()
    written = {
        **machine.describe([sys.executable, *sys.argv]),
        "load": load,
        "quiet": load <= QUIET_LOAD,
        "seconds": time.perf_counter() - begun,
        "facts": {name: process.facts for name, process in processes.items()},
        "isa": cpu.isa(),
        "settings": settings,
        "ratios": "median over rounds of the rate with torchpaged's attention over that with vLLM's, in turn",
        "rows": rows,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")
    if load > QUIET_LOAD:
        machine.progress(f"load was {load:.1f} at the start: measure again on a machine that does nothing else")


if __name__ == "__main__":
    main()

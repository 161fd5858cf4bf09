"""A GGUF file with torchpaged and llama.cpp, in turn: decode, prefill, seconds to the first token, memory.

    python evals/bench/gguf.py FILE --llama-cpp-python PYTHON [--model FOLDER] [--rounds 3] [--threads 2]
                               [--output evals/results/gguf]

FOLDER is the checkpoint that the file was converted from, for files that torchpaged cannot read; by default both read
the file. PYTHON belongs to an environment with llama-cpp-python (`engine.py --install-peers` makes one). Rates are
tokens per second, medians over the rounds; ratios are those of the medians, shares of the bound use our packed weights'
bytes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine
from evals.bench.peers.process import PeerProcess
from torchpaged import LLM
from torchpaged.tools.bench import engine_costs
from torchpaged.tools.bounds import Gauge, bound
from torchpaged.tools.workloads import rate, standard

NAMES = ("decode-1", "decode-8", "decode-32", "prefill")
# Targets for our rate over llama.cpp's.
TARGETS = {"decode-1": 1.0, "decode-8": 2.0}


def measure(file: Path, model: Path, llama_python: str, rounds: int, threads: int, names: list[str]) -> dict[str, Any]:
    """Run all workloads; return their rows."""
    with LLM(model, skip_tokenizer_init=True, max_model_len=64, num_blocks=8) as llm:
        costs = engine_costs(llm.engine)
        vocab_size = llm.engine.model.spec.vocab_size
    settings: dict[str, Any] = {
        "model": str(model),
        "gguf": str(file),
        "dtype": "auto",
        "threads": threads,
        "max_model_len": 2304,
        "max_num_seqs": 32,
        "kv_tokens": 8192,
        "quantization": None,
    }
    gauge = Gauge(torch.device("cpu"), torch.bfloat16)
    peers = {
        "torchpaged": PeerProcess(sys.executable, "torchpaged_peer", settings),
        "llama.cpp": PeerProcess(llama_python, "llama_cpp_peer", settings),
    }
    found: dict[str, Any] = {
        name: {"startup_seconds": peer.startup_seconds, "facts": peer.facts} for name, peer in peers.items()
    }
    for peer in peers.values():
        peer.pause()
    rows: dict[str, Any] = {}
    for workload in (each for each in standard(vocab_size) if each.name in names):
        rates: dict[str, list[float]] = {name: [] for name in peers}
        for number in range(rounds):
            gauge.sample()
            for name, peer in peers.items():
                machine.progress(f"{workload.title}, round {number + 1} of {rounds}: {name}")
                peer.resume()
                rates[name].append(rate(workload, peer.run(workload)["times"]))
                peer.pause()
        ours, theirs = (statistics.median(each) for each in rates.values())
        most = None if costs is None else bound(workload, costs, gauge.median)
        rows[workload.name] = {
            "rates": rates,
            "ratio": ours / theirs,
            "target": TARGETS.get(workload.name),
            "bound": most,
            "share_of_bound": None if most is None else ours / most[0],
        }
        share = "" if most is None else f", {ours / most[0]:.0%} of the bound ({most[1]})"
        print(f"{workload.title:<22}{ours:>9.1f}{theirs:>9.1f} tokens/s{ours / theirs:>7.2f}x{share}", flush=True)
    for name, peer in peers.items():
        peer.resume()
        found[name]["peak_bytes"] = peer.memory.peak
        peer.close()
    limits = {"read": gauge.median.read, "gemm": gauge.median.gemm}
    return {"file": file.name, "file_bytes": file.stat().st_size, "limits": limits, "peers": found, "rows": rows}


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--llama-cpp-python", required=True, help="Python of an environment that has llama-cpp-python")
    parser.add_argument("--model", type=Path, help="checkpoint that torchpaged loads instead of the file")
    parser.add_argument("--workloads", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, help="path of the result, without .json")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    found = measure(
        given.file, given.model or given.file, given.llama_cpp_python, given.rounds, given.threads, given.workloads
    )
    if given.output:
        written = {**machine.describe([sys.executable, *sys.argv]), "rounds": given.rounds, **found}
        given.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()

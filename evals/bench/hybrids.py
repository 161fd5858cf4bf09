"""Models with recurrent layers or convolutions: shares of the machine's bound, and the ratio to `generate`.

    python evals/bench/hybrids.py [--models NAME ...] [--rounds 3] [--threads 2] [--output evals/results/hybrids]

Random weights in bfloat16, of published models' shapes. Decode at batch 1, 8 and 32 and a prefill of 2048, with shares
of the bound by the bytes of weights, states and tails, or by the products (`torchpaged.tools.bounds`); and decode at
batch 8 against transformers' `generate` on the same weights, in turn, medians.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel, StoppingCriteria

from evals.bench import machine, shapes
from torchpaged import LLM
from torchpaged.tools.bench import Row, bench, run
from torchpaged.tools.workloads import Workload, rate, standard

MODELS = {
    "LFM2-350M": shapes.LFM2_350M,
    "Qwen3.5-0.8B": shapes.QWEN3_5_08B,
    "Granite-4.0-H-350M": shapes.GRANITE4_H_350M,
}
NAMES = ("decode-1", "decode-8", "decode-32", "prefill")
BESIDE = "decode-8"  # the workload that generate runs too
# Targets relative to the bound, and to generate's rate.
TARGETS = {"decode-1": 0.75, "decode-8": 0.75, "decode-32": 0.75, "prefill": 0.55, "times generate": 5.0}


def load(shape: dict[str, Any]) -> PreTrainedModel:
    """Build the model with random weights."""
    config = AutoConfig.for_model(**shape, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    torch.manual_seed(0)
    model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    model.generation_config.eos_token_id = None
    return model


class Clock(StoppingCriteria):
    """A criterion that never stops: it records the time of each token."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        self.times.append(time.perf_counter())
        return torch.zeros(len(input_ids), dtype=torch.bool)


def generate(model: PreTrainedModel, workload: Workload) -> float:
    """Return the tokens per second of a workload whose prompts have one length."""
    clock, start = Clock(), time.perf_counter()
    with torch.inference_mode():
        model.generate(
            torch.tensor(workload.prompts),
            attention_mask=torch.ones(len(workload.prompts), len(workload.prompts[0]), dtype=torch.int64),
            max_new_tokens=max(workload.max_tokens),
            do_sample=False,
            stopping_criteria=[clock],
        )
    times = [each - start for each in clock.times]
    return rate(workload, [times] * len(workload.prompts))


def measure(name: str, rounds: int, scale: float) -> dict[str, Any]:
    """Return all rows of a model."""
    model = load(MODELS[name])
    workloads = [each for each in standard(model.config.vocab_size, scale=scale) if each.name in NAMES]
    beside = next(each for each in workloads if each.name == BESIDE)
    # Two models: one with our packed weights, and transformers' original.
    llm = LLM(load(MODELS[name]), tokenizer=None, max_model_len=2304, max_num_seqs=32, max_num_batched_tokens=2048)
    report = bench(llm, workloads, rounds=rounds, progress=machine.progress)
    theirs, ours = [], []
    for number in range(rounds):
        machine.progress(f"against generate, round {number + 1} of {rounds}")
        ours.append(rate(beside, run(llm.engine, beside).times))
        theirs.append(generate(model, beside))
    llm.shutdown()
    rows = {row.workload.name: _row(row) for row in report.rows}
    times = statistics.median(ours) / statistics.median(theirs)
    print(f"\n{name}\n{report.table()}\n{'decode, batch 8, over generate':<34}{times:>9.2f}x", flush=True)
    beside_generate = {"ours": ours, "generate": theirs, "times_as_fast": times, "target": TARGETS["times generate"]}
    return {
        "model": name,
        "shape": MODELS[name],
        "limits": {"read": report.limits.read, "gemm": report.limits.gemm},
        "rows": rows,
        "beside_generate": beside_generate,
    }


def _row(row: Row) -> dict[str, Any]:
    share = None if row.bound is None else row.rate / row.bound
    return {
        "rates": row.rates,
        "bound": row.bound,
        "bound_by": row.bound_by,
        "share_of_bound": share,
        "target": TARGETS[row.workload.name],
        "skipped": row.skipped,
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the numbers of tokens")
    parser.add_argument("--output", type=Path, help="path of the result, without .json")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    found = []
    for name in arguments.models:
        found.append(measure(name, arguments.rounds, arguments.scale))
        gc.collect()
    if arguments.output:
        written = {**machine.describe([sys.executable, *sys.argv]), "scale": arguments.scale, "models": found}
        arguments.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()

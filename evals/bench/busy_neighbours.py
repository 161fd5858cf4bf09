"""Decoding while other processes keep the processors busy: tokens per second, and processor time per token.

    python evals/bench/busy_neighbours.py [--model FOLDER_OR_FILE] [--baseline CHECKOUT] [--rounds 5] [--output FILE]

Each round times the same greedy completion of one prompt on an idle machine, with one busy loop and with two; with
`--baseline`, also with another checkout of torchpaged, in turn. A thread that waits for one that the scheduler has
preempted costs both figures: the share of the idle rate that is left, and the processor time relative to the idle
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine

HERE = Path(__file__).resolve().parents[2]
NEIGHBOURS = (0, 1, 2)
_ENGINE = """
import json, sys, time
from torchpaged import LLM, SamplingParams
model, tokens = sys.argv[1], int(sys.argv[2])
llm = LLM(model=model, max_model_len=tokens + 64)
params = SamplingParams(temperature=0.0, max_tokens=tokens, ignore_eos=True)
def run():
    wall, cpu = time.perf_counter(), time.process_time()
    out = llm.generate(["def main("], params, use_tqdm=False)
    count = len(out[0].outputs[0].token_ids)
    print(json.dumps([count / (time.perf_counter() - wall), (time.process_time() - cpu) / count]), flush=True)
run()
for _ in sys.stdin:
    run()
"""


class Engine:
    """An LLM of one checkout in a separate process, which generates on request."""

    def __init__(self, checkout: Path, model: str, tokens: int) -> None:
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ENGINE, model, str(tokens)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=checkout,
        )
        self._answer()

    def _answer(self) -> tuple[float, float]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("["):
                rate, seconds = json.loads(line)
                return rate, seconds
        raise RuntimeError(f"the engine's process ended with status {self._process.wait()}")

    def generate(self) -> tuple[float, float]:
        """Return tokens per second and processor seconds per token of one generation."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def busy(stack: ExitStack) -> None:
    """Start a process that computes until the stack is closed."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    stack.callback(process.wait)
    stack.callback(process.kill)


def summary(samples: dict[int, list[tuple[float, float]]]) -> dict[str, Any]:
    """Return medians by the number of neighbours, and both figures relative to the idle machine."""
    rates = {n: statistics.median(rate for rate, _ in samples[n]) for n in NEIGHBOURS}
    times = {n: statistics.median(seconds for _, seconds in samples[n]) for n in NEIGHBOURS}
    return {
        "tokens_per_second": {n: round(rates[n], 1) for n in NEIGHBOURS},
        "processor_ms_per_token": {n: round(times[n] * 1e3, 3) for n in NEIGHBOURS},
        "rate_of_idle": {n: round(rates[n] / rates[0], 2) for n in NEIGHBOURS},
        "processor_time_over_idle": {n: round(times[n] / times[0], 2) for n in NEIGHBOURS},
    }


def main() -> None:
    """Run the benchmark; write the results as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=str(HERE / "evals/models/stdlib-lm"))
    parser.add_argument("--tokens", type=int, default=192, help="generated in each run")
    parser.add_argument("--baseline", type=Path, help="another checkout of torchpaged, timed in turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()

    checkouts = {"torchpaged": HERE, **({"baseline": given.baseline.resolve()} if given.baseline else {})}
    engines = {name: Engine(path, given.model, given.tokens) for name, path in checkouts.items()}
    samples = {name: {n: [] for n in NEIGHBOURS} for name in engines}
    for index in range(given.rounds):
        for neighbours in NEIGHBOURS:
            with ExitStack() as stack:
                for _ in range(neighbours):
                    busy(stack)
                time.sleep(0.3)  # a neighbour first starts Python, and the system spreads the processes over the cores
                for name, engine in engines.items():
                    samples[name][neighbours].append(engine.generate())
        machine.progress(f"round {index + 1} of {given.rounds}")
    for engine in engines.values():
        engine.close()
    results = {"machine": machine.describe(sys.argv), "model": given.model, "tokens": given.tokens}
    results |= {name: summary(each) for name, each in samples.items()}
    print(json.dumps(results, indent=2))
    if given.output:
        given.output.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()

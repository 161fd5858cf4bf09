"""Share of 64 mixed requests whose greedy tokens in bfloat16 do not depend on the schedule.

    python evals/bench/agreement.py [--output evals/results/agreement]

Each schedule is compared with the requests run alone, twice: with torch's matrix products, whose rounding may depend
on the number of rows in a step, and with products that compute each row by itself. A difference in the second case
would come from attention, the cache or the sampler. (tests/engine/test_schedules.py compares all tokens in float32.)
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import nn

from evals.bench import machine
from tests.engine import test_schedules as workload

SCHEDULES: dict[str, dict[str, Any]] = {
    "batched": {},
    "budget 32": {"max_num_batched_tokens": 32},
    "pool at 30 %, recompute": {"num_blocks": workload.small(), "preemption_mode": "recompute", "watermark": 0.0},
    "pool at 30 %, swap": {
        "num_blocks": workload.small(),
        "preemption_mode": "swap",
        "swap_space": 0.05,
        "watermark": 0.0,
    },
    "prefix caching": {"enable_prefix_caching": True},
}


def measure(count: int) -> list[dict[str, Any]]:
    """Return a row for each kind of product and schedule."""
    rows = []
    original = nn.Linear.forward
    for products in ("torch's", "row by row"):
        if products == "row by row":
            nn.Linear.forward = workload.rowwise  # type: ignore[method-assign,assignment]
        try:
            alone = workload.run(workload.llm("bfloat16", max_num_seqs=1), count)
            for name, settings in SCHEDULES.items():
                tokens = workload.run(workload.llm("bfloat16", **settings), count)
                equal = sum(ours == theirs for ours, theirs in zip(tokens, alone, strict=True))
                rows.append({"products": products, "schedule": name, "requests": count, "equal": equal})
                print(f"{products:11s} {name:26s} {equal:3d} of {count} requests agree", flush=True)
        finally:
            nn.Linear.forward = original  # type: ignore[method-assign]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=workload.NUM_REQUESTS)
    parser.add_argument("--output", type=Path, help="where to write FILE.json")
    options = parser.parse_args()
    torch.set_num_threads(2)
    rows = measure(options.requests)
    if options.output is not None:
        result = {**machine.describe(sys.argv), "workload": "stdlib-lm, bfloat16, greedy", "rows": rows}
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Memory of the paged cache: waste inside blocks, and requests at once in the bytes of a contiguous cache.

    python evals/bench/memory.py [--requests 500] [--contiguous 8] [--output evals/results/memory]

Uses only the Scheduler and the KVCacheManager, with the engine's defaults and a sampler that invents tokens. The peer
is the same scheduler over a cache that reserves max_model_len slots for each request: one block of that size per
request. Counts steps, not seconds, so other load on the machine does not matter. Prints a table, writes JSON and a
plot.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.config import EngineConfig
from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup, KVCacheManager
from torchpaged.scheduling import Results, RowParams, Scheduler, StopRule

BLOCK_SIZES = (1, 8, 16, 32, 64, 128, 256)
MAX_MODEL_LEN = 4096
VOCABULARY = 32768
MOST_WASTE, LEAST_RATIO = 0.04, 4.0  # the targets


@dataclass(frozen=True, slots=True)
class Length:
    """Prompt and output length of one request."""

    prompt: int
    generated: int


def lengths(count: int, seed: int) -> list[Length]:
    """Return random lengths: lognormal, median 300 tokens, sigma 1, at most `MAX_MODEL_LEN`; 70 % of them prompt."""
    generator = random.Random(seed)
    drawn = []
    for _ in range(count):
        total = min(MAX_MODEL_LEN, max(2, round(300 * generator.lognormvariate(0.0, 1.0))))
        prompt = min(total - 1, max(1, round(0.7 * total)))
        drawn.append(Length(prompt, total - prompt))
    return drawn


def serve(requests: list[Length], block_size: int, num_blocks: int, seed: int) -> dict[str, Any]:
    """Serve requests that all arrive at once; return the state after each step's results were processed.

    Args:
        num_blocks: the pool, including the null block.
    """
    defaults = EngineConfig()
    manager = KVCacheManager([KVCacheGroup(FullAttentionSpec(block_size), (0,))], num_blocks)
    scheduler = Scheduler(
        manager,
        max_num_seqs=len(requests),  # memory alone limits how many run
        max_num_batched_tokens=defaults.max_num_batched_tokens,
        max_model_len=MAX_MODEL_LEN,
        watermark=defaults.watermark,
    )
    generator = random.Random(seed)
    served = []
    for length in requests:
        prompt = [generator.randrange(VOCABULARY) for _ in range(length.prompt)]
        served.append(scheduler.add(prompt, RowParams(), StopRule(length.prompt + length.generated)))
    trace: dict[str, list[Any]] = {"running": [], "waste": [], "loaded": []}
    computed = 0
    while scheduler.has_unfinished:
        step = scheduler.schedule()
        queues = scheduler.sequence_table.queues
        running, loaded = len(queues.running), bool(queues.waiting)
        computed += step.num_tokens
        draws = [id for id in step.ids if id not in step.quiet]
        scheduler.update(step, Results(step.number, draws, [generator.randrange(VOCABULARY) for _ in draws]))
        trace["running"].append(running)
        trace["waste"].append(manager.stats().waste)
        trace["loaded"].append(loaded)
    scheduler.check()
    assert manager.stats().num_used_blocks == 0
    needed = sum(request.num_tokens - 1 for request in served)
    return {
        **trace,
        "steps": len(trace["running"]),
        "preemptions": scheduler.sequence_table.num_preemptions,
        "recomputed": computed / needed - 1.0,
    }


def summary(name: str, block_size: int, num_blocks: int, run: dict[str, Any]) -> dict[str, Any]:
    """Return one row: averages over the steps in which a request waits for memory."""
    loaded = [i for i, flag in enumerate(run["loaded"]) if flag]
    if not loaded:
        raise SystemExit(f"{name}: no request ever waited: take more --requests, or fewer --contiguous")
    return {
        "name": name,
        "block_size": block_size,
        "num_blocks": num_blocks,
        "waste": statistics.mean(run["waste"][i] for i in loaded),
        "running": statistics.mean(run["running"][i] for i in loaded),
        "running_peak": max(run["running"]),
        "steps": run["steps"],
        "loaded_steps": len(loaded),
        "preemptions": run["preemptions"],
        "recomputed": run["recomputed"],
    }


def plot(rows: list[dict[str, Any]], runs: dict[str, list[int]], path: Path) -> None:
    """Draw waste by block size, and running requests over the steps."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    left.plot([row["block_size"] for row in rows], [100 * row["waste"] for row in rows], marker="o")
    left.axhline(100 * MOST_WASTE, color="black", linestyle=":", label=f"target: {MOST_WASTE:.0%} at block size 16")
    left.set_xscale("log", base=2)
    left.set_xticks([row["block_size"] for row in rows], [str(row["block_size"]) for row in rows])
    left.set(xlabel="block size, tokens", ylabel="slots of used blocks without a token, %", title="waste, pool loaded")
    for name, running in runs.items():
        right.plot(running, label=name)
    right.set(xlabel="step", ylabel="requests that run at once", title="the same bytes, paged and contiguous")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Serve, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--contiguous", type=int, default=8, help="size of the pool, in requests of max_model_len")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("evals/results/memory"), help="without suffix")
    arguments = parser.parse_args()
    slots = arguments.contiguous * MAX_MODEL_LEN
    requests = lengths(arguments.requests, arguments.seed)
    # The pool's null block comes out of the same bytes; a contiguous cache needs none.
    cases = [("contiguous", MAX_MODEL_LEN, arguments.contiguous + 1)]
    cases += [(f"paged, {size}", size, slots // size) for size in BLOCK_SIZES]
    print(f"{arguments.requests} requests, a cache of {slots} slots; averages over the steps with a queue")
    columns = ("waste", "running", "x contiguous", "peak", "steps", "preemptions", "recomputed")
    print(f"{'block size':12}" + "".join(f"{name:>14}" for name in columns))
    rows, runs = [], {}
    for name, size, blocks in cases:
        run = serve(requests, size, blocks, arguments.seed)
        row = summary(name, size, blocks, run)
        rows.append(row)
        runs[name] = run["running"]
        row["x_contiguous"] = row["running"] / rows[0]["running"]
        cells = [f"{row['waste']:.2%}", f"{row['running']:.1f}", f"{row['x_contiguous']:.2f}", str(row["running_peak"])]
        cells += [str(row["steps"]), str(row["preemptions"]), f"{row['recomputed']:.2%}"]
        print(f"{name:12}" + "".join(f"{cell:>14}" for cell in cells), flush=True)
    main_row = next(row for row in rows if row["block_size"] == EngineConfig().block_size)
    targets = {
        f"waste at most {MOST_WASTE:.0%}": main_row["waste"] <= MOST_WASTE,
        f"at least {LEAST_RATIO:.0f}x the requests of a contiguous cache": main_row["x_contiguous"] >= LEAST_RATIO,
    }
    for target, met in targets.items():
        print(f"block size {main_row['block_size']}, {target}: {'met' if met else 'MISSED'}")
    result = {
        **machine.describe(sys.argv),
        "workload": "lognormal lengths, median 300, sigma 1, 70 % prompt, all queued at once",
        "requests": arguments.requests,
        "seed": arguments.seed,
        "max_model_len": MAX_MODEL_LEN,
        "mean_length": statistics.mean(length.prompt + length.generated for length in requests),
        "slots": slots,
        "averages": "over the steps after whose scheduling a request still waited",
        "targets": targets,
        "rows": rows,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    shown = {name: runs[name] for name in ("contiguous", main_row["name"])}
    try:
        plot(rows[1:], shown, arguments.output.with_suffix(".png"))
    except ModuleNotFoundError as error:
        machine.progress(f"no plot: {error}; pip install matplotlib")


if __name__ == "__main__":
    main()

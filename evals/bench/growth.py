"""Growth: how the time of a step, of attention, of scheduling and of adding requests grows with what is asked.

    python -m evals.bench.growth [--quick] [--output evals/results/growth]

Five curves, each of medians: an engine's decode step over its batch (stdlib-lm), attention of one token over its
context, a step of the scheduler over the requests that wait, the step that admits a prompt over its length (unknown,
and found in the prefix cache), and `add_request` over the requests that are there. Between two points a curve has an
exponent, log(time ratio) / log(size ratio); a bend is an exponent above the curve's own limit. Writes JSON and a plot.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine, ops, scheduler
from evals.bench.bookkeeping import Decoding
from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parents[1] / "models" / "stdlib-lm"
# Shorter times are mostly those of calls and of the clock: no bend is seen in them.
LEAST_MS = 0.2


@dataclass(frozen=True)
class Curve:
    """Milliseconds over a size.

    Args:
        name: of the curve.
        size: what grows.
        limit: highest exponent that is no bend: 1 is linear, 0 constant; a tenth is left for noise.
        points: (size, milliseconds), ascending.
    """

    name: str
    size: str
    limit: float
    points: tuple[tuple[int, float], ...]

    def bends(self) -> list[str]:
        """Return a sentence for each stretch that grows faster than the limit."""
        found = []
        for (small, before), (large, after) in zip(self.points, self.points[1:], strict=False):
            exponent = math.log(after / before) / math.log(large / small)
            if exponent > self.limit + 0.1 and after > LEAST_MS:
                found.append(f"{self.name}: {small:,} to {large:,} {self.size} grows with exponent {exponent:.2f}")
        return found


def median_ms(function: Callable[[], object], count: int) -> float:
    """Return the median milliseconds of some calls."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def batches(sizes: Sequence[int], steps: int) -> Curve:
    """Measure decode steps of an engine. Every sequence brings its own keys, so time may grow in step with them."""
    points = []
    with LLM(MODEL, max_model_len=512, max_num_seqs=max(sizes), kv_cache_memory_bytes=1 << 30) as llm:
        for size in sizes:
            prompts = scheduler.prompts_of([48] * size, seed=size)
            decoding = Decoding(llm.engine, [[token % 4000 for token in prompt] for prompt in prompts])
            points.append((size, median_ms(decoding.step, steps)))
            decoding.end()
    return Curve("decode step", "sequences", 1.0, tuple(points))


def contexts(sizes: Sequence[int], calls: int) -> Curve:
    """Measure one layer's attention of a token (16 heads on 8 of keys, 128 numbers, bfloat16)."""
    points = []
    for size in sizes:
        run, _ = ops.paged(ops.Shape(1, size))
        with torch.inference_mode():
            run()
            points.append((size, median_ms(run, calls)))
    return Curve("attention", "tokens of context", 1.0, tuple(points))


def waiting(sizes: Sequence[int], steps: int) -> Curve:
    """Measure `schedule` and `update` of 16 decoding sequences while others wait for a place."""
    points = []
    for size in sizes:
        settings = scheduler.settings_for(16)
        one = scheduler.Own()._scheduler(settings)
        prompts = scheduler.prompts_of([64] * 16, seed=size)
        for prompt in [*prompts, *([7] * 64 for _ in range(size))]:
            scheduler._add(one, prompt, 400)

        def step(one: Any = one) -> None:
            planned = one.schedule()
            one.update(planned, scheduler._sampled(planned))

        for _ in range(2):
            step()
        points.append((size, median_ms(step, steps)))
    return Curve("schedule beside waiting requests", "requests", 0.0, tuple(points))


def prefixes(sizes: Sequence[int], rounds: int) -> Iterator[Curve]:
    """Measure the step that admits a prompt: all of it at once, and the first 2,048 tokens, as an engine does."""
    own, points = scheduler.Own(), {"cold": [], "hit": []}  # type: ignore[var-annotated]
    for size in sizes:
        settings = {"block_size": 16, "max_num_seqs": 16, "max_num_batched_tokens": size, "max_model_len": size + 100}
        settings["num_blocks"] = (size // 16 + 8) * (rounds + 1)
        found = own.admit(scheduler.prompts_of([size] * rounds, seed=size), settings)
        for kind, times in points.items():
            times.append((size, 1e3 * statistics.median(found[kind]["step"])))
    yield Curve("admitting an unknown prompt at once", "tokens", 1.0, tuple(points["cold"]))
    yield Curve("admitting a cached prompt", "tokens", 1.0, tuple(points["hit"]))
    chunks = []
    for size in sizes:
        settings = {"block_size": 16, "max_num_seqs": 16, "max_num_batched_tokens": 2048, "max_model_len": size + 100}
        one = own._scheduler({**settings, "num_blocks": (size // 16 + 8) * (rounds + 1)})
        times = []
        for prompt in scheduler.prompts_of([size] * rounds, seed=size + 1):
            sequence = scheduler._add(one, prompt, 16)
            start = time.perf_counter()
            step = one.schedule()
            times.append(time.perf_counter() - start)
            one.update(step, scheduler._sampled(step))
            one.finish(sequence, "abort")
        chunks.append((size, 1e3 * statistics.median(times)))
    yield Curve("scheduling an unknown prompt's first chunk", "tokens", 1.0, tuple(chunks))


def adding(sizes: Sequence[int]) -> Curve:
    """Measure `add_request` of all of so many prompts of 64 tokens, in milliseconds for each thousand."""
    points = []
    with LLM(MODEL, max_model_len=512, max_num_seqs=16, kv_cache_memory_bytes=64 << 20) as llm:
        params, prompt = SamplingParams(max_tokens=8), [7] * 64
        for size in sizes:
            start = time.perf_counter()
            for i in range(size):
                llm.engine.add_request(str(i), prompt, params)
            points.append((size, 1e6 * (time.perf_counter() - start) / size))
            for i in range(size):
                llm.engine.abort(str(i))
            llm.engine.step()
    return Curve("adding 1,000 requests", "requests", 0.0, tuple(points))


def plot(curves: Sequence[Curve], path: Path) -> None:
    """Plot every curve on logarithmic axes, with its limit as a dashed line from the first point."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, -(-len(curves) // 2), figsize=(4 * -(-len(curves) // 2), 7))
    for curve, axes in zip(curves, panels.flat, strict=False):
        sizes, times = zip(*curve.points, strict=True)
        axes.plot(sizes, times, marker="o")
        axes.plot(sizes, [times[0] * (n / sizes[0]) ** curve.limit for n in sizes], "--", color="grey")
        axes.set(xscale="log", yscale="log", xlabel=curve.size, ylabel="ms", title=curve.name)
        axes.title.set_fontsize(9)
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print and write the curves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small sizes a curve, seconds")
    parser.add_argument("--output", type=Path, default=Path("evals/results/growth"), help="without suffix")
    given = parser.parse_args(words)
    few = 2 if given.quick else None
    count = 3 if given.quick else 9
    curves = [
        batches([1, 4, 16, 64, 256][:few], count),
        contexts([1 << n for n in range(10, 18)][:few], count),
        waiting([1, 10, 100, 1_000, 10_000, 100_000][:few], 4 * count),
        *prefixes([3_000, 10_000, 30_000, 100_000][:few], count),
        adding([100, 1_000, 10_000][:few]),
    ]
    bends = [each for curve in curves for each in curve.bends()]
    for curve in curves:
        print(f"{curve.name}: " + ", ".join(f"{size:,} {ms:.3g} ms" for size, ms in curve.points))
    print("\n".join(bends) or "no bend")
    written = {**machine.describe(sys.argv), "curves": [asdict(curve) for curve in curves], "bends": bends}
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")
    try:
        plot(curves, given.output.with_suffix(".png"))
    except ModuleNotFoundError as error:
        machine.progress(f"no plot: {error}; pip install matplotlib")


if __name__ == "__main__":
    main()

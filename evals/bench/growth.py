"""Growth: how the time of a step, of attention, of scheduling and of adding requests grows with what is asked.

    python -m evals.bench.growth [--quick] [--vllm-python PYTHON] [--output evals/results/growth]

Curves of medians: an engine's decode step over its batch (stdlib-lm), attention of one token over its context, a step
of the scheduler over the requests that wait, the step that admits a prompt over its length (unknown, and found in the
prefix cache), and `add_request` over the requests that are there. Between two points a curve has an exponent,
log(time ratio) / log(size ratio); a bend is an exponent above the curve's own limit. With a Python that has vLLM, its
scheduler admits the same prompts, and both engines decode in processes of their own, in turn. Writes JSON and a plot.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine, ops, scheduler
from evals.bench.bookkeeping import Decoding
from evals.bench.peers import install
from evals.bench.peers.process import PeerProcess
from torchpaged import LLM, SamplingParams
from torchpaged.tools.workloads import Measure, Workload

MODEL = Path(__file__).resolve().parents[1] / "models" / "stdlib-lm"
# Shorter times are mostly those of calls and of the clock: no bend is seen in them.
LEAST_MS = 0.2
Points = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Curve:
    """Milliseconds over a size.

    Args:
        name: of the curve.
        size: what grows.
        limit: highest exponent that is no bend: 1 is linear, 0 constant; a tenth is left for noise.
        points: (size, milliseconds), ascending.
        vllm: the same of vLLM; empty without it.
    """

    name: str
    size: str
    limit: float
    points: Points
    vllm: Points = ()

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


def prefixes(sizes: Sequence[int], rounds: int, vllm: scheduler.Vllm | None) -> Iterator[Curve]:
    """Measure the step that admits a prompt: all of it at once, and the first 2,048 tokens, as an engine does.

    vLLM hashes a prompt when it is added, so there both together are its time.
    """
    own = scheduler.Own()
    points: dict[str, list[tuple[int, float]]] = {
        f"{kind} {side}": [] for kind in ("cold", "hit") for side in ("own", "vllm")
    }
    for size in sizes:
        settings = {"block_size": 16, "max_num_seqs": 16, "max_num_batched_tokens": size, "max_model_len": size + 100}
        settings["num_blocks"] = (size // 16 + 8) * (rounds + 1)
        prompts = scheduler.prompts_of([size] * rounds, seed=size)
        for side, one in (("own", own), ("vllm", vllm)):
            for kind, times in () if one is None else one.admit(prompts, settings).items():
                seconds = map(sum, zip(times["step"], times["add"], strict=True)) if side == "vllm" else times["step"]
                points[f"{kind} {side}"].append((size, 1e3 * statistics.median(seconds)))
    for kind, name in (("cold", "admitting an unknown prompt at once"), ("hit", "admitting a cached prompt")):
        yield Curve(name, "tokens", 1.0, tuple(points[f"{kind} own"]), tuple(points[f"{kind} vllm"]))
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


def engines(python: str, batches: Sequence[int], contexts: Sequence[int], steps: int) -> Iterator[Curve]:
    """Measure decode steps of stdlib-lm in a process of ours and one of vLLM's, over the batch and over the context.

    Each process is stopped during the other's turn. The caches of long contexts are filled with random numbers.
    """
    longest = max(contexts) + steps + 8
    settings = {
        "dtype": "bfloat16",
        "threads": torch.get_num_threads(),
        "max_model_len": longest,
        "max_num_seqs": max(batches),
        "kv_tokens": max(longest, 128 * max(batches)) + 4096,
        "kv_bytes": 1 << 30,
        "quantization": None,
    }
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shutil.copytree(MODEL, folder, dirs_exist_ok=True)
        config = json.loads((folder / "config.json").read_text()) | {"max_position_embeddings": longest}
        (folder / "config.json").write_text(json.dumps(config))
        sides = {}
        for side, words in (("points", (sys.executable, "torchpaged_peer")), ("vllm", (python, "vllm_peer"))):
            sides[side] = stack.enter_context(
                contextlib.closing(PeerProcess(*words, {**settings, "model": str(folder)}))
            )
            sides[side].pause()

        def measure(name: str, size: str, shapes: Sequence[tuple[int, int, int]]) -> Curve:
            """Measure sequences of a length; each shape begins with the number that is its place on the curve."""
            found: dict[str, list[tuple[int, float]]] = {side: [] for side in sides}
            for number, count, length in shapes:
                prompts = [[each % 4000 for each in one] for one in scheduler.prompts_of([length] * count, seed=number)]
                filled = length if length > 48 else 0
                work = Workload("", "", Measure.DECODE, prompts, [steps + 2] * count, filled=filled)
                for side, process in sides.items():
                    process.resume()
                    times = process.run(work)["times"][-1]
                    process.pause()
                    step = statistics.median(after - before for before, after in itertools.pairwise(times[1:]))
                    found[side].append((number, 1e3 * step))
            return Curve(name, size, 1.0, tuple(found["points"]), tuple(found["vllm"]))

        yield measure("decode step of an engine", "sequences", [(count, count, 48) for count in batches])
        yield measure("decode step behind a context", "tokens of context", [(length, 1, length) for length in contexts])


def plot(curves: Sequence[Curve], path: Path) -> None:
    """Plot every curve on logarithmic axes, with its limit as a dashed line from the first point."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, -(-len(curves) // 2), figsize=(4 * -(-len(curves) // 2), 7))
    for curve, axes in zip(curves, panels.flat, strict=False):
        sizes, times = zip(*curve.points, strict=True)
        axes.plot(sizes, times, marker="o", label="torchpaged")
        if curve.vllm:
            axes.plot(*zip(*curve.vllm, strict=True), marker="s", label="vLLM")
            axes.legend(fontsize=7)
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
    parser.add_argument("--vllm-python", default=install.python_of("vllm"), help="a Python that has vLLM")
    parser.add_argument("--output", type=Path, default=Path("evals/results/growth"), help="without suffix")
    given = parser.parse_args(words)
    vllm = None if given.vllm_python is None else scheduler.Vllm(given.vllm_python)
    few = 2 if given.quick else None
    count = 3 if given.quick else 9
    curves = [
        batches([1, 4, 16, 64, 256][:few], count),
        contexts([1 << n for n in range(10, 18)][:few], count),
        waiting([1, 10, 100, 1_000, 10_000, 100_000][:few], 4 * count),
        *prefixes([3_000, 10_000, 30_000, 100_000][:few], count, vllm),
        adding([100, 1_000, 10_000][:few]),
    ]
    if vllm is not None:
        vllm.close()
        curves += engines(
            given.vllm_python, [1, 4, 16, 64, 256][:few], [1 << n for n in range(10, 18)][:few], 2 * count
        )
    bends = [each for curve in curves for each in curve.bends()]
    for curve in curves:
        print(f"{curve.name}: " + ", ".join(f"{size:,} {ms:.3g} ms" for size, ms in curve.points))
        if curve.vllm:
            print("  vLLM: " + ", ".join(f"{size:,} {ms:.3g} ms" for size, ms in curve.vllm))
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

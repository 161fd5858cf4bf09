"""`torchpaged bench latency` and `bench throughput`: vLLM's two offline benchmarks over an `LLM`."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torchpaged.errors import InputError
from torchpaged.llm import LLM
from torchpaged.tools import bench, distributions
from torchpaged.tools.adapters import Adapters
from torchpaged.tools.workloads import Measure, Workload


@dataclass(frozen=True, slots=True)
class _Result:
    """Results of one benchmark.

    Args:
        lines: lines of the report, before the table of times.
        numbers: values for JSON, under vLLM's keys.
        times: seconds, by title.
        title: title of the plot.
    """

    lines: list[str]
    numbers: dict[str, Any]
    times: dict[str, list[float]]
    title: str

    def report(self, percentiles: Sequence[float]) -> str:
        """Return the text for the screen."""
        return "\n".join([*self.lines, distributions.table(self.times, percentiles)])

    def write(self, given: argparse.Namespace) -> None:
        """Write the JSON and the plot that the command line asks for."""
        if given.output_json is not None:
            spread = {name: distributions.summary(values, given.percentiles) for name, values in self.times.items()}
            result = {**self.numbers, "seconds": spread, "command": sys.argv}
            given.output_json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        if given.plot is not None:
            given.plot.write_text(distributions.plot(self.title, self.times), encoding="utf-8")


def latency(llm: LLM, given: argparse.Namespace, progress: Callable[[str], None]) -> _Result:
    """Time whole batches of equal random prompts, each greedy and of exactly `output_len` tokens."""
    workload = _workload(llm, "latency", given, given.batch_size)
    for number in range(given.num_iters_warmup):
        progress(f"warm-up {number + 1} of {given.num_iters_warmup}")
        bench.run(llm.engine, workload)
    seconds = []
    for number in range(given.num_iters):
        progress(f"batch {number + 1} of {given.num_iters}")
        seconds.append(max(each[-1] for each in bench.run(llm.engine, workload).times))
    mean = sum(seconds) / len(seconds)
    rate = given.batch_size * given.output_len / mean
    percentiles = {f"{share:g}": distributions.percentile(seconds, share) for share in given.percentiles}
    return _Result(
        [
            f"Avg latency: {mean:.4g} seconds for {given.batch_size} requests of {given.input_len} + "
            f"{given.output_len} tokens, {rate:.1f} generated tokens/s",
        ],
        {"avg_latency": mean, "latencies": seconds, "percentiles": percentiles},
        {"latency of a batch": seconds},
        f"Latency, {given.batch_size} requests of {given.input_len} + {given.output_len} tokens",
    )


def throughput(llm: LLM, given: argparse.Namespace, progress: Callable[[str], None]) -> _Result:
    """Time many random requests that are added at once."""
    workload = _workload(llm, "throughput", given, given.num_prompts, given.prefix_len)
    progress("warm-up")
    warm = Workload("warm-up", "warm-up", Measure.REQUESTS, [workload.prompts[0][-4:]], [2])
    bench.run(llm.engine, warm)
    progress(f"{given.num_prompts} requests")
    start = time.perf_counter()
    times = bench.run(llm.engine, workload).times
    elapsed = time.perf_counter() - start
    generated = sum(map(len, times))
    total = generated + sum(map(len, workload.prompts))
    return _Result(
        [
            f"Throughput: {len(times) / elapsed:.2f} requests/s, {total / elapsed:.2f} total tokens/s, "
            f"{generated / elapsed:.2f} output tokens/s",
            f"{len(times)} requests of {given.input_len} + {given.output_len} tokens in {elapsed:.2f} seconds",
        ],
        {
            "elapsed_time": elapsed,
            "num_requests": len(times),
            "total_num_tokens": total,
            "requests_per_second": len(times) / elapsed,
            "tokens_per_second": total / elapsed,
            "output_tokens_per_second": generated / elapsed,
        },
        {
            "time to the first token": [each[0] for each in times],
            "whole request": [each[-1] for each in times],
        },
        f"Throughput, {len(times)} requests of {given.input_len} + {given.output_len} tokens",
    )


def _workload(llm: LLM, name: str, given: argparse.Namespace, count: int, prefix: int = 0) -> Workload:
    """Return `count` random prompts of one length.

    Raises:
        InputError: they are longer than the model allows.
    """
    longest = given.input_len + given.output_len
    if longest > llm.engine.max_model_len:
        raise InputError(
            f"bench {name}: --input-len and --output-len are {longest} tokens together, the model takes "
            f"{llm.engine.max_model_len}"
        )
    draw, vocab_size = random.Random(given.seed), llm.engine.model.spec.vocab_size
    common = [draw.randrange(vocab_size) for _ in range(prefix)]
    own = given.input_len - prefix
    prompts = [common + [draw.randrange(vocab_size) for _ in range(own)] for _ in range(count)]
    adapters = tuple(Adapters(given.lora_modules or ()).requests.values())
    lengths = [given.output_len] * count
    return Workload(name, name, Measure.REQUESTS, prompts, lengths, shared=prefix, adapters=adapters)

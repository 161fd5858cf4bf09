"""Controls: the cost of logit_bias, allowed_token_ids and bad_words in a decode step.

    python evals/bench/controls.py [--batch 32] [--steps 20] [--output evals/results/controls.json]

A model of Qwen3-0.6B's shape with random weights in bfloat16, on the CPU. Two engines over the same weights decode the
same prompts, one step each in turn: in one no request has controls, in the other every request has 300 biases, half of
the vocabulary allowed and 30 bad words of one to three tokens. The time of sampling is reported too, as wall-clock and
as processor time; on a machine with other load, compare processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from evals.bench import machine
from evals.bench.bookkeeping import TINY, build, engine_settings, parsed, random_prompts
from evals.bench.shapes import QWEN3_06B
from torchpaged import LLM, LLMEngine, SamplingParams
from torchpaged.execution.executor import LocalExecutor

MOST = 0.05  # the target: the largest extra share of a step


class Numbers:
    """A tokenizer of texts like "7 12"."""

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        return {"input_ids": [int(word) for word in text.split()]}


def controlled(vocab_size: int, seed: int) -> SamplingParams:
    """Return parameters with all three controls for one request."""
    pick = random.Random(seed)
    few = min(300, vocab_size // 4)
    return SamplingParams(
        temperature=0.0,
        max_tokens=10**4,
        ignore_eos=True,
        detokenize=False,
        logit_bias={token: pick.uniform(-5, 5) for token in pick.sample(range(vocab_size), few)},
        allowed_token_ids=sorted(pick.sample(range(vocab_size), vocab_size // 2)),
        bad_words=[
            " ".join(map(str, pick.choices(range(vocab_size), k=pick.randint(1, 3)))) for _ in range(min(30, few))
        ],
    )


class Decoding:
    """Requests whose prompts are computed; records the time of each step and of its sampling."""

    def __init__(self, engine: LLMEngine, prompts: list[list[int]], params: list[SamplingParams]) -> None:
        self.engine, self.steps, self.draws = engine, [], []
        self.step_cpu, self.draw_cpu = [], []
        assert isinstance(engine.executor, LocalExecutor)
        sampler = engine.executor.runner.sampler
        draw = sampler.draw

        def timed(*arguments: Any) -> Any:
            start, cpu = time.perf_counter(), time.process_time()
            tokens = draw(*arguments)
            self.draws.append(time.perf_counter() - start)
            self.draw_cpu.append(time.process_time() - cpu)
            return tokens

        sampler.draw = timed  # type: ignore[method-assign]
        for number, (prompt, each) in enumerate(zip(prompts, params, strict=True)):
            engine.add_request(f"{number}", prompt, each)
        seen: set[str] = set()
        while len(seen) < len(prompts):
            seen |= {output.request_id for output in engine.step()}
        engine.step()
        self.draws.clear()
        self.draw_cpu.clear()

    steps: list[float]
    draws: list[float]
    step_cpu: list[float]
    draw_cpu: list[float]

    def step(self) -> None:
        """Decode one more token for each request."""
        start, cpu = time.perf_counter(), time.process_time()
        self.engine.step()
        self.steps.append(time.perf_counter() - start)
        self.step_cpu.append(time.process_time() - cpu)


def main() -> None:
    """Build, run the engines in turn, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments = parsed(parser, Path("evals/results/controls.json"))
    load = os.getloadavg()[0]
    shape = TINY if arguments.tiny else QWEN3_06B
    vocab_size = shape["vocab_size"]
    prompts = random_prompts(arguments, vocab_size)
    engine = LLM(build(shape), compile=False, **engine_settings(arguments)).engine
    plain = SamplingParams(temperature=0.0, max_tokens=10**4, ignore_eos=True, detokenize=False)
    without = Decoding(engine, prompts, [plain] * len(prompts))
    other = LLMEngine(engine.model, engine.config, tokenizer=Numbers())
    beside = Decoding(other, prompts, [controlled(vocab_size, seed) for seed in range(len(prompts))])
    for _ in range(arguments.steps):
        without.step()
        beside.step()
    draws = [min(each.draw_cpu) for each in (without, beside)]
    share = (draws[1] - draws[0]) / min(without.step_cpu)
    target = f"bias, allowed ids and bad words add at most {MOST:.0%} to a step of {arguments.batch}"
    result = {
        **machine.describe(sys.argv),
        "load": [load, os.getloadavg()[0]],
        "model": shape,
        "batch": arguments.batch,
        "steps": arguments.steps,
        "median_step_ms": [statistics.median(each.steps) * 1e3 for each in (without, beside)],
        "least_step_ms": [min(each.steps) * 1e3 for each in (without, beside)],
        "median_draw_ms": [statistics.median(each.draws) * 1e3 for each in (without, beside)],
        "least_draw_ms": [min(each.draws) * 1e3 for each in (without, beside)],
        "least_step_cpu_ms": [min(each.step_cpu) * 1e3 for each in (without, beside)],
        "least_draw_cpu_ms": [each * 1e3 for each in draws],
        "with_over_without": machine.ratio(beside.steps, without.steps),
        "more_draw_cpu_of_a_steps": share,
        "targets": {target: share <= MOST},
    }
    for name in [name for name in result if name.endswith("_ms")]:
        print("{:18} without {:8.2f}   with {:8.2f}".format(name, *result[name]))
    print(f"{target}: {'met' if share <= MOST else 'MISSED'}, {share:.1%} of the processors' time")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

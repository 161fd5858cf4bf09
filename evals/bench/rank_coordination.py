"""Coordination of many ranks: what a step costs beside computing, with processes that only wait for a modelled time.

    python evals/bench/rank_coordination.py [--ranks 64] [--step-ms 10] [--steps 100] [--output FILE]

Rank 0 sends steps that an engine has made (64 sequences of a tiny model, decoding) through the executor of ranks to
the others, by shared memory. A step of the model takes `--step-ms`, and all ranks wait for each other at its end, as
they do for the logits. That wait and the sums within a forward are not counted: `ranks.py` times them.

With a core for each rank the critical path of a step is the time until the last rank's model begins and the time after
rank 0's model, both measured with two ranks that compute on two cores, and the CPU time in which rank 0 wakes the
further ranks. This is the difference between many ranks and two that sleep instead of computing: many need not have a
core each, since CPU time does not count the wait for one. The last rank then begins late by the work of all before it,
which the figures show.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import mmap
import multiprocessing
import os
import pickle
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine
from torchpaged import EngineConfig
from torchpaged.execution.ranks.ending import Stopped
from torchpaged.execution.ranks.executor import RankedExecutor
from torchpaged.execution.ranks.link import Link
from torchpaged.ops.collectives import SharedMemoryGroup
from torchpaged.scheduling import Results, Step

ROOT = Path(__file__).resolve().parents[2]
SEQUENCES, WARM_UP = 64, 10
TARGET = 0.03


def record_steps(count: int) -> list[bytes]:
    """Return pickled decode steps of an engine."""
    from torchpaged import LLM, SamplingParams

    llm = LLM(str(ROOT / "evals/models/stdlib-lm"), num_blocks=1024, max_num_seqs=SEQUENCES, skip_tokenizer_init=True)
    params = SamplingParams(temperature=0, max_tokens=count + 8, ignore_eos=True)
    for i in range(SEQUENCES):
        llm.engine.add_request(str(i), {"prompt_token_ids": [5 + i, 6, 7, 8]}, params)
    steps = []
    while len(steps) < count:
        llm.engine.step()
        step = llm.engine.last_step
        if step is not None and not step.new and len(step.ids) == SEQUENCES:
            steps.append(pickle.dumps(step, protocol=5))
    return steps


class Model:
    """A runner whose steps take a given time.

    Args:
        seconds: of a step.
        is_busy: if a step computes meanwhile, for which each rank needs a core; otherwise it sleeps.

    Attributes:
        begun, ended: when each step began and ended, by the clock that all processes share.
    """

    groups: tuple[Any, ...] = ()
    slots = None
    device = torch.device("cpu")
    adapters = None

    def __init__(self, channel: SharedMemoryGroup, seconds: float, is_busy: bool) -> None:
        self._channel, self._seconds, self._is_busy = channel, seconds, is_busy
        self._data = bytes(1 << 18)  # takes the processor's caches, as computing does
        if is_busy:
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {cores[channel.rank % len(cores)]})
        self.kv_cache = SimpleNamespace(num_blocks=0, num_swap_blocks=0)
        self.block_bytes: dict[Any, int] = {}
        self.rows = SimpleNamespace(transaction=SimpleNamespace(settled=True))
        self._number = torch.zeros(1, dtype=torch.int64)
        self.begun: list[float] = []
        self.ended: list[float] = []
        self.cpu = 0.0

    def launch(self, step: Step) -> Any:
        """Take as long as the step takes, then wait for all ranks."""
        cpu = time.thread_time()
        self.begun.append(time.monotonic())
        if self._is_busy:
            while time.monotonic() < self.begun[-1] + self._seconds:
                hashlib.blake2b(self._data)
        else:
            time.sleep(self._seconds)
        self._channel.all_gather(self._number)
        self.ended.append(time.monotonic())
        self.cpu = time.thread_time() - cpu
        return SimpleNamespace(result=lambda: Results(step.number))


class Executor(RankedExecutor):
    """The executor of ranks over `Model`."""

    runner: Any

    def _runner(self, model: Any, config: EngineConfig) -> Any:
        return model


def run(world: int, seconds: float, steps: list[bytes], is_busy: bool) -> dict[str, float]:
    """Run the steps on so many ranks; return microseconds a step."""
    memory = mmap.mmap(-1, SharedMemoryGroup.num_bytes(world))
    pipes = []
    for rank in range(1, world):
        pipe = multiprocessing.Pipe(duplex=False)
        if os.fork() == 0:
            _serve(memory, rank, world, (seconds, is_busy), pipe[1])
        pipes.append(pipe[0])
        pipe[1].close()
    channel = SharedMemoryGroup(memoryview(memory), 0, world)
    model = Model(channel, seconds, is_busy)
    executor = Executor(model, EngineConfig(), Link(channel, channel, world, 0))  # type: ignore[arg-type]
    called, returned, spent = [], [], []
    for step in map(pickle.loads, steps):
        called.append(time.monotonic())
        cpu = time.thread_time()
        executor.launch(step)
        executor.result(step.number)
        spent.append(time.thread_time() - cpu - model.cpu)
        returned.append(time.monotonic())
    executor.shutdown()
    others = [pipe.recv() for pipe in pipes]
    for _ in pipes:
        os.wait()
    last = [max(each) for each in zip(model.begun, *others, strict=True)]
    return {
        "from the call until the last rank's model begins": _median(called, last),
        "from the end of rank 0's model until the call returns": _median(model.ended, returned),
        "CPU of rank 0 beside its model": 1e6 * statistics.median(spent[WARM_UP:]),
    }


def _median(before: list[float], after: list[float]) -> float:
    return 1e6 * statistics.median([b - a for a, b in zip(before, after, strict=True)][WARM_UP:])


def _serve(memory: mmap.mmap, rank: int, world: int, given: tuple[float, bool], pipe: Any) -> None:
    """Be another rank, and send the beginnings of its steps when rank 0 ends."""
    channel = SharedMemoryGroup(memoryview(memory), rank, world, os.getppid())
    model = Model(channel, *given)
    try:
        Executor(model, EngineConfig(), Link(channel, channel, world, rank)).serve()  # type: ignore[arg-type]
    except Stopped:
        pipe.send(model.begun)
    finally:
        os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--step-ms", type=float, default=10.0)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        steps = pool.apply(record_steps, (given.steps,))
        pool.close()
        pool.join()
    seconds = given.step_ms / 1e3
    found = {
        "2 ranks that compute": run(2, seconds, steps, True),
        "2 ranks that sleep": run(2, seconds, steps, False),
        f"{given.ranks} ranks that sleep": run(given.ranks, seconds, steps, False),
    }
    computing, few, many = found.values()
    *path, _ = computing.values()
    waking = many["CPU of rank 0 beside its model"] - few["CPU of rank 0 beside its model"]
    path = sum(path) + waking
    report = {
        "machine": machine.describe(["python", *sys.argv]),
        "cores": len(os.sched_getaffinity(0)),
        "bytes of a step": round(statistics.median(map(len, steps))),
        "milliseconds of a modelled step": given.step_ms,
        "microseconds a step": found,
        "of which waking the further ranks": waking,
        "critical path with a core for each rank, in microseconds": path,
        "share of a step": path / (given.step_ms * 1e3),
        "target": TARGET,
    }
    print(json.dumps(report, indent=1))
    if given.output is not None:
        given.output.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()

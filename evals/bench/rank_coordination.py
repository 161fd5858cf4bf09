"""Coordination of many ranks: what a step costs beside computing, with processes that only wait for a modelled time.

    python evals/bench/rank_coordination.py [--ranks 64] [--step-ms 10] [--steps 100] [--output FILE]

Rank 0 sends steps that an engine has made (64 sequences of a tiny model, decoding) through the executor of ranks to the
others, by shared memory. Each rank's model sleeps for `--step-ms`, and a concatenation of one number ends the step, as
that of the logits does. Sums within a forward are not counted: `ranks.py` times them.

With as many cores as ranks a step is late by the critical path: the time until another rank has read the step, which
two ranks measure where each has a core, and the time that rank 0 needs to wake each further rank and to read its
number. The latter is measured with all ranks, in CPU time of rank 0, so that ranks which wait for a core do not count.
On fewer cores than ranks the same steps are also timed as they are: the ranks' work then follows one another.
"""

from __future__ import annotations

import argparse
import json
import mmap
import multiprocessing
import os
import pickle
import resource
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
from torchpaged.execution import ranks
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
        seconds: of a step; None: `barrier` alone.

    Attributes:
        begun: when each step began, by the clock that all processes share.
        ended: CPU seconds of the barrier behind each step.
    """

    groups: tuple[Any, ...] = ()
    slots = None
    device = torch.device("cpu")
    adapters = None

    def __init__(self, channel: SharedMemoryGroup, seconds: float) -> None:
        self._channel, self._seconds = channel, seconds
        self.kv_cache = SimpleNamespace(num_blocks=0, num_swap_blocks=0)
        self.block_bytes: dict[Any, int] = {}
        self.rows = SimpleNamespace(transaction=SimpleNamespace(settled=True))
        self._number = torch.zeros(1, dtype=torch.int64)
        self.begun: list[float] = []
        self.barriers: list[float] = []

    def launch(self, step: Step) -> Any:
        """Wait as long as the step takes, then for all ranks."""
        self.begun.append(time.monotonic())
        time.sleep(self._seconds)
        before = time.thread_time()
        self._channel.all_gather(self._number)
        self.barriers.append(time.thread_time() - before)
        return SimpleNamespace(result=lambda: Results(step.number))


class Executor(ranks.RankedExecutor):
    """The executor of ranks over `Model`."""

    runner: Any

    def _runner(self, model: Any, config: EngineConfig) -> Any:
        return model


def run(world: int, seconds: float, steps: list[bytes]) -> dict[str, float]:
    """Run the steps on so many ranks; return microseconds a step."""
    memory = mmap.mmap(-1, SharedMemoryGroup.num_bytes(world))
    pipes = []
    for rank in range(1, world):
        pipe = multiprocessing.Pipe(duplex=False)
        if os.fork() == 0:
            _serve(memory, rank, world, seconds, pipe[1])
        pipes.append(pipe[0])
        pipe[1].close()
    channel = SharedMemoryGroup(memoryview(memory), 0, world)
    model = Model(channel, seconds)
    executor = Executor(model, EngineConfig(), ranks.Link(channel, channel, world, 0))  # type: ignore[arg-type]
    given = [pickle.loads(step) for step in steps]
    late, sent, begun = [], [], []
    for step in given:
        begin, cpu = time.monotonic(), time.thread_time()
        executor.launch(step)
        spent = time.thread_time() - cpu - model.barriers[-1]
        executor.result(step.number)
        begun.append(begin)
        late.append(time.monotonic() - begin - seconds)
        sent.append(spent)
    executor.shutdown()
    others = [pipe.recv() for pipe in pipes]
    for _ in pipes:
        os.wait()
    return {
        "a step beside its model, as timed here": _median(late),
        "CPU of rank 0: pickling, posting, waking": _median(sent),
        "CPU of rank 0: the concatenation": _median(model.barriers),
        "CPU of another rank, with up to 100 of waiting before it sleeps": 1e6
        * statistics.median(each["cpu"] for each in others),
        "until the first other rank begins": _median(
            [min(each) - begin for begin, *each in zip(begun, *(each["begun"] for each in others), strict=True)]
        ),
    }


def _median(seconds: list[float]) -> float:
    return 1e6 * statistics.median(seconds[WARM_UP:])


def _serve(memory: mmap.mmap, rank: int, world: int, seconds: float, pipe: Any) -> None:
    """Be another rank, and send its figures when rank 0 ends."""
    channel = SharedMemoryGroup(memoryview(memory), rank, world, os.getppid())
    model = Model(channel, seconds)
    executor = Executor(model, EngineConfig(), ranks.Link(channel, channel, world, rank))  # type: ignore[arg-type]
    before = resource.getrusage(resource.RUSAGE_SELF)
    try:
        executor.serve()
    except ranks.Stopped:
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        pipe.send({"cpu": cpu / max(1, len(model.begun)), "begun": model.begun})
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
    seconds = given.step_ms / 1e3
    found = {world: run(world, seconds, steps) for world in dict.fromkeys((2, given.ranks))}
    two, many = found[2], found[given.ranks]
    further = sum(many[name] - two[name] for name in two if name.startswith("CPU of rank 0"))
    path = two["a step beside its model, as timed here"] + further
    report = {
        "machine": machine.describe(["python", *sys.argv]),
        "cores": len(os.sched_getaffinity(0)),
        "bytes of a step": round(statistics.median(map(len, steps))),
        "milliseconds of a modelled step": given.step_ms,
        "microseconds a step, by the number of ranks": {str(world): each for world, each in found.items()},
        "critical path with a core for each rank, in microseconds": path,
        "share of a step": path / (given.step_ms * 1e3),
        "target": TARGET,
    }
    print(json.dumps(report, indent=1))
    if given.output is not None:
        given.output.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""`make test-soak`: the random runs on new seeds, for SOAK_MINUTES (30).

Each kind has its share of the time. A seed that fails is printed with the command that runs it again, and the others
go on; so does one that hangs, which ends the run. `python -m tests.soak --only KIND --seed SEED` runs one.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from tests.engine import test_interrupts, test_random_runs
from tests.engine.test_schedules import rowwise
from tests.random_runs import METHODS
from tests.scheduling import test_simulator
from tests.serving import test_soak

Run = Callable[[int], object]

HANGS_AFTER = 600.0  # seconds; the longest run takes a few


def random_run(seed: int) -> None:
    """Run an engine with faults, pins and swaps: each request's tokens are those that it has alone."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(torch.nn.Linear, "forward", rowwise)
        test_random_runs.run(seed, Path(folder))


def guesses(seed: int) -> None:
    """Run the same with drafts."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(torch.nn.Linear, "forward", rowwise)
        test_random_runs.run(seed, Path(folder), method=METHODS[seed % len(METHODS)])


def failing_forwards(seed: int) -> None:
    """Run a device that fails now and then, with steps ahead and without."""
    test_interrupts.test_a_forward_that_fails_now_and_then(seed, bool(seed % 2))


def simulator(seed: int) -> None:
    """Run scheduler and block manager over a memory that remembers contents: with states and guesses, and without."""
    test_simulator.simulate(seed, recurrent=bool(seed % 2), drafts=(False, True, "model")[seed % 3])


KINDS: Mapping[str, Run] = {
    "random-run": random_run,
    "guesses": guesses,
    "interrupt": test_interrupts.survive,
    "failing-forwards": failing_forwards,
    "simulator": simulator,
    "server": test_soak.storm,
    "threads": lambda seed: test_interrupts.meet(calls=6, seed=seed),
}


def soak(kinds: Mapping[str, Run], seconds: float, first: int) -> list[str]:
    """Run every kind at least once, then the one that had the least time; return the commands of the failed runs."""
    failed: list[str] = []
    spent, counts = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0)
    until = time.monotonic() + seconds
    while not all(counts.values()) or time.monotonic() < until:
        kind = min(kinds, key=lambda name: (bool(counts[name]), spent[name]))
        seed = first + counts[kind]
        command = f"python -m tests.soak --only {kind} --seed {seed}"
        start = time.monotonic()
        try:
            with _watched(command):
                kinds[kind](seed)
        except Exception:
            failed.append(command)
            print(f"{traceback.format_exc()}FAILED, and again by: {command}", flush=True)
        spent[kind] += time.monotonic() - start
        counts[kind] += 1
    print(", ".join(f"{count} of {kind}" for kind, count in counts.items()), f"from seed {first}", flush=True)
    return failed


@contextmanager
def _watched(command: str) -> Iterator[None]:
    """Print the command and the stack of a run that hangs, and end the process."""

    def report() -> None:
        print(f"HANGS, and again by: {command}", flush=True)
        faulthandler.dump_traceback()
        os._exit(1)

    timer = threading.Timer(HANGS_AFTER, report)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def main(words: Sequence[str] | None = None) -> int:
    """Return 0 if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=os.environ.get("SOAK_MINUTES", "30"))
    parser.add_argument("--only", choices=sorted(KINDS), help="one kind")
    parser.add_argument("--seed", type=int, help="with --only: this one, once; else the first of each kind")
    given = parser.parse_args(words)
    kinds = KINDS if given.only is None else {given.only: KINDS[given.only]}
    once = given.only is not None and given.seed is not None
    # Above the seeds that the tests use.
    first = random.SystemRandom().randrange(10**8, 2**31) if given.seed is None else given.seed
    failed = soak(kinds, 0.0 if once else 60 * given.minutes, first)
    print(f"{len(failed)} failed" + "".join(f"\n  {command}" for command in failed), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    logging.getLogger("torchpaged").setLevel(logging.ERROR)  # every interrupt is logged as a warning
    sys.exit(main())

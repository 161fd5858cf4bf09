"""MaskWorker: computes masks that may take long beside the steps, with limits on their time."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from torchpaged.structured.trial_process import NICENESS

# CPU seconds. Masks of JSON schemas take 20 to 60 us.
FAST_SECONDS = 1e-3
# Limit on the CPU seconds of one text's masks: a constant, and an amount for each of its tokens.
MOST_AT_ONCE, MOST_FOR_EACH = 0.25, 1e-3
# Wall-clock seconds from the request for a mask.
MOST_SECONDS = 5.0


@dataclass(slots=True)
class Effort:
    """CPU time that the masks of one text have taken.

    Args:
        num_masks: number of computed masks.
        spent: seconds of all timed ones.
        num_fast: number of the last consecutive ones that took less than `FAST_SECONDS` each.
    """

    num_masks: int = 0
    spent: float = 0.0
    num_fast: int = 0

    def add(self, seconds: float) -> None:
        """Count another mask."""
        self.spent += seconds
        self.num_fast = self.num_fast + 1 if seconds < FAST_SECONDS else 0

    @property
    def excess(self) -> str | None:
        """Reason why no more masks are computed; None while the limit is not reached."""
        most = MOST_AT_ONCE + MOST_FOR_EACH * self.num_masks
        if self.spent <= most:
            return None
        return (
            f"structured_outputs: its grammar is too slow to follow: {self.num_masks} tokens have taken "
            f"{self.spent:.2f} seconds of a processor, expected {most:.2f} at most; make it less ambiguous"
        )


class Job:
    """A mask that another thread computes.

    Attributes:
        future: of its result.
        begun: time of the request for it, by `time.monotonic()`.
    """

    __slots__ = ("begun", "future")

    def __init__(self, future: Future[None]) -> None:
        self.future, self.begun = future, time.monotonic()

    @property
    def is_late(self) -> bool:
        """True if it has not finished in time."""
        return not self.future.done() and time.monotonic() - self.begun > MOST_SECONDS


class MaskWorker:
    """Threads with a lower priority than those that serve requests: they use cores that are free.

    Attributes:
        jobs: jobs that may not have finished.
    """

    def __init__(self) -> None:
        self.jobs: set[Job] = set()
        count = max(1, (os.cpu_count() or 1) // 4)
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="torchpaged-masks", initializer=lower_priority)

    def submit(self, compute: Callable[[], None]) -> Job:
        """Have a thread call `compute`."""
        job = Job(self._pool.submit(compute))
        self.jobs.add(job)
        return job

    def keep(self, wanted: set[Job]) -> None:
        """Cancel all other jobs that have not begun, because their sequences have ended."""
        for job in [job for job in self.jobs if job not in wanted or job.future.done()]:
            job.future.cancel()
            self.jobs.discard(job)

    @staticmethod
    def wait(jobs: Iterable[Job], seconds: float, *, all_of_them: bool) -> None:
        """Wait until all jobs, or one of them, have finished, or until the time is over."""
        futures = [job.future for job in jobs]
        if all_of_them:
            wait(futures, seconds)
        else:
            wait(futures, seconds, return_when=FIRST_COMPLETED)


def lower_priority() -> None:
    """Lower the priority of the calling thread, on systems where threads have one of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

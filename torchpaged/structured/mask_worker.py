"""MaskWorker: computes masks that may take long beside the steps, each within limits on its time."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from torchpaged.structured.trial_process import NICENESS

# Seconds of a processor. Masks of JSON schemas take 20 to 60 us (shared/FACTS.md has the figures).
FAST_SECONDS = 1e-3
# What the masks of one text may take: so much at once, and so much for each of its tokens.
MOST_AT_ONCE, MOST_FOR_EACH = 0.25, 1e-3
# By the clock, from when a mask is asked for.
MOST_SECONDS = 5.0


@dataclass(slots=True)
class Effort:
    """How long the masks of one text have taken, in seconds of a processor.

    Args:
        num_masks: that were computed.
        spent: of all that were timed.
        num_fast: of the last ones, how many took less than `FAST_SECONDS` each, one behind the other.
    """

    num_masks: int = 0
    spent: float = 0.0
    num_fast: int = 0

    def add(self, seconds: float) -> None:
        """One more mask."""
        self.spent += seconds
        self.num_fast = self.num_fast + 1 if seconds < FAST_SECONDS else 0

    @property
    def excess(self) -> str | None:
        """Why no more masks are computed; None: they are."""
        most = MOST_AT_ONCE + MOST_FOR_EACH * self.num_masks
        if self.spent <= most:
            return None
        return (
            f"structured_outputs: its grammar is too slow to follow: {self.num_masks} tokens have taken "
            f"{self.spent:.2f} seconds of a processor, expected {most:.2f} at most; make it less ambiguous"
        )


class Job:
    """A mask that is computed in another thread.

    Attributes:
        future: of what comes of it.
        begun: when it was asked for, by `time.monotonic()`.
    """

    __slots__ = ("begun", "future")

    def __init__(self, future: Future[None]) -> None:
        self.future, self.begun = future, time.monotonic()

    @property
    def is_late(self) -> bool:
        """Whether it has not ended in time."""
        return not self.future.done() and time.monotonic() - self.begun > MOST_SECONDS


class MaskWorker:
    """Threads below whoever serves requests. They take a processor where there is one to spare.

    Attributes:
        jobs: that may not have ended.
    """

    def __init__(self) -> None:
        self.jobs: set[Job] = set()
        count = max(1, (os.cpu_count() or 1) // 4)
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="torchpaged-masks", initializer=lower_priority)

    def submit(self, compute: Callable[[], None]) -> Job:
        """Calls it there."""
        job = Job(self._pool.submit(compute))
        self.jobs.add(job)
        return job

    def keep(self, wanted: set[Job]) -> None:
        """Drops all others that have not begun: those who asked for them have ended."""
        for job in [job for job in self.jobs if job not in wanted or job.future.done()]:
            job.future.cancel()
            self.jobs.discard(job)

    @staticmethod
    def wait(jobs: Iterable[Job], seconds: float, *, all_of_them: bool) -> None:
        """Until they have ended, or one of them, or the time is over."""
        futures = [job.future for job in jobs]
        if all_of_them:
            wait(futures, seconds)
        else:
            wait(futures, seconds, return_when=FIRST_COMPLETED)


def lower_priority() -> None:
    """Of the thread that calls it, where threads have one of their own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

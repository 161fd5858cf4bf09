"""MemoryKeeper: gives memory of the pools back while an engine is idle, and ends a request that finds none."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable

from torchpaged.execution.executor import Executor
from torchpaged.kv_cache.memory_limit import MemoryLimit
from torchpaged.scheduling import Scheduler, Sequence
from torchpaged.utils.system_memory import available_memory
from torchpaged.utils.transaction import Transaction

logger = logging.getLogger(__name__)

# Seconds between two looks at the free memory, and between two pieces that are given back.
_PERIOD, _BETWEEN_PIECES = 1.0, 0.02
# Seconds that a request waits for memory before it ends with an error, and between two tries.
_PATIENCE, _BETWEEN_TRIES = 60.0, 0.02


def free_memory() -> int:
    """Return the bytes that the system can still give."""
    free = available_memory()
    assert free is not None, "/proc/meminfo was there when the engine was made"
    return free


class MemoryKeeper:
    """Runs the reclaimer: in a thread between calls of the engine, and in the engine's own between steps.

    A sequence that has the pool to itself and finds no memory waits, while the engine goes on taking calls. After a
    minute its request ends with an error, so that the next one gets its blocks.

    Invariants: tables change only while `lock` is held, by the engine's calls or by the thread; the thread never waits
    for it.

    Args:
        limit: of the pools' memory.
        scheduler: has the block manager.
        executor: gives the memory back.
        transaction: entered while tables change.
        fail: ends the request of a sequence with an error.

    Attributes:
        lock: held by every call of the engine.
    """

    def __init__(
        self,
        limit: MemoryLimit,
        scheduler: Scheduler,
        executor: Executor,
        transaction: Transaction,
        fail: Callable[[Sequence, str], None],
    ) -> None:
        self.lock = threading.Lock()
        self._limit, self._scheduler, self._executor = limit, scheduler, executor
        self._transaction, self._fail = transaction, fail
        reclaimer = scheduler.manager.reclaimer
        assert reclaimer is not None, "the manager has no limit"
        self._reclaimer = reclaimer
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_due = False  # the thread found the engine at work
        self._is_refused = False  # the system does not take memory back, as after mlockall
        self._starved: Sequence | None = None
        self._starved_since = 0.0
        _keepers.add(self)
        _watch_forks()

    def after_step(self) -> None:
        """Do what is due; called by the engine after each step, with the lock held."""
        if self._thread is None:
            self._start()
        if self._is_due:
            self._is_due = False
            self._reclaim()
        if self._starved is not None or self._scheduler.starved is not None:
            self._wait_for_memory(self._scheduler.starved)

    def look(self) -> float:
        """Give back what is due unless the engine is at work, and return the seconds until the next look."""
        if self.lock.acquire(blocking=False):
            try:
                if not self._closed.is_set() and self._transaction.settled:
                    self._reclaim()
            finally:
                self.lock.release()
        else:
            self._is_due = True
        return _BETWEEN_PIECES if self._reclaimer.has_more else _PERIOD

    def close(self) -> None:
        """Have the thread end."""
        self._closed.set()

    def _start(self) -> None:
        arguments = weakref.ref(self), self._closed
        self._thread = threading.Thread(target=_watch, args=arguments, name="torchpaged memory", daemon=True)
        self._thread.start()

    def _reclaim(self, *, everything: bool = False) -> None:
        """Give back a piece of memory."""
        if self._is_refused:
            return
        with self._transaction:
            # In this order: a block whose memory is gone must not be found by its content.
            chosen = self._reclaimer.reclaim(everything=everything)
            self._executor.copy_down(self._scheduler.manager.take_evicted())
            for vacated in chosen:
                try:
                    self._executor.discard(vacated.kind, vacated.runs)
                except OSError as error:
                    self._is_refused = True
                    logger.warning("the pool gives no memory back from now on, the system refuses it: %s", error)

    def _wait_for_memory(self, starved: Sequence | None) -> None:
        """Wait a moment for a sequence that finds no memory; end its request if it has waited for too long."""
        now = self._limit.clock()
        if starved is None:
            self._starved = None
        elif starved is not self._starved:
            self._starved, self._starved_since = starved, now
            logger.warning("a request waits for memory: %s", self._numbers())
            self._reclaim(everything=True)  # free blocks of another kind: of the sequence's own kind there are none
            while self._reclaimer.has_more and not self._is_refused:
                self._reclaim(everything=True)
        elif now - self._starved_since < _PATIENCE:
            time.sleep(_BETWEEN_TRIES)
        else:
            self._starved = None
            self._fail(
                starved,
                f"no memory came within {_PATIENCE:g} s for the request's {starved.num_tokens} tokens, of which "
                f"{starved.num_computed_tokens} are computed: {self._numbers()}; end other processes, or set "
                "num_blocks or kv_cache_memory_bytes to a size that may be taken whatever is free",
            )

    def _numbers(self) -> str:
        memory, share = self._limit.memory(), self._limit.share
        return (
            f"the pool has {_mib(memory.taken)} of {_mib(memory.reserved)} MiB, {_mib(self._limit.free())} MiB are "
            f"free, and it may have {share:g} of both together, {_mib(memory.limit)} MiB"
        )


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f}"


def _watch(keeper: weakref.ref[MemoryKeeper], closed: threading.Event) -> None:
    """Look at the memory until the engine is shut down or deleted."""
    seconds = _PERIOD
    while not closed.wait(seconds):
        if (alive := keeper()) is None:
            return
        seconds = alive.look()
        del alive


# --- Forks, and the end of the process -----------------------------------------------------------------------

_keepers: weakref.WeakSet[MemoryKeeper] = weakref.WeakSet()
_watches_forks = False


def _watch_forks() -> None:
    global _watches_forks
    if not _watches_forks:
        _watches_forks = True
        os.register_at_fork(after_in_child=_begin_anew)
        atexit.register(_end_threads)


def _end_threads() -> None:
    """End the threads before the interpreter does, which would stop one for ever that may hold its lock."""
    for keeper in list(_keepers):
        keeper.close()
        if keeper._thread is not None:
            keeper._thread.join(5)


def _begin_anew() -> None:
    """Make engines usable in a forked process, which has no copy of the thread that may have held the lock.

    If the thread was changing tables, the transaction is open in the copy, and the engine rebuilds them.
    """
    for keeper in list(_keepers):
        keeper.lock = threading.Lock()
        keeper._thread = None

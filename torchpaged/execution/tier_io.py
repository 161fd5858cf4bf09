"""TierIO: moves blocks between the pools and a store, in two threads. Owns threads and copies, makes no decisions."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torchpaged.errors import reason_of
from torchpaged.execution.pool_bytes import Bytes, PoolBytes
from torchpaged.kv_cache import Arrived, LookedUp, PoolKind, TierCopy, TierRead
from torchpaged.prefix_store.host_store import HostStore
from torchpaged.prefix_store.protocol import KVStore, Value

logger = logging.getLogger(__name__)

# Bytes of blocks that wait for the writer: blocks beyond them are not kept. A step of 2,048 tokens of an 8 B model
# evicts 256 MiB.
_MOST_WAITING = 1 << 29
# Bytes that one call of the store reads or writes. A read is reported, and a sequence counts it, after each.
_BATCH = 1 << 24
# Seconds that closing waits for the writer, if it is not told otherwise.
PATIENCE = 60.0


@dataclass(slots=True)
class IOCounts:
    """Numbers since the engine was made.

    Args:
        num_written, written_bytes, write_seconds: blocks that were given to the store.
        num_read, read_bytes: blocks that came from it.
        num_read_host: those of them that the host tier had.
        num_there: blocks that it had already.
        num_dropped: blocks that were not kept because the writer was behind.
        num_errors: calls of the store that raised, and values of a wrong size.
    """

    num_written: int = 0
    written_bytes: int = 0
    write_seconds: float = 0.0
    num_read: int = 0
    read_bytes: int = 0
    num_read_host: int = 0
    num_there: int = 0
    num_dropped: int = 0
    num_errors: int = 0


class _Item(NamedTuple):
    """A block to write, or a key to delete."""

    key: bytes
    value: Bytes | None
    wait: Callable[[], None] = lambda: None

    @property
    def nbytes(self) -> int:
        """Bytes that wait for the writer."""
        return 0 if self.value is None else self.value.nbytes


class _Job(NamedTuple):
    """A lookup of keys, or a read."""

    load: int
    keys: Sequence[bytes]
    copies: Sequence[TierCopy] = ()
    order: Callable[[], None] = lambda: None


@dataclass(slots=True)
class _Threads:
    """All that the two threads share with the engine's; a forked process makes it anew.

    Attributes:
        changed: guards everything here, and writes into the pools: what is cancelled under it is written no more.
        jobs: lookups and reads.
        items: blocks to write, in order with keys to delete.
        waiting: the last of these by key, and of those that are being written: they are found and read here meanwhile.
        num_bytes: of `items`, and of those that are being written.
        cancelled: loads below this number, or in `ended`, have been cancelled.
    """

    pid: int
    changed: threading.Condition = field(default_factory=threading.Condition)
    jobs: deque[_Job] = field(default_factory=deque)
    items: deque[_Item] = field(default_factory=deque)
    waiting: dict[bytes, _Item] = field(default_factory=dict)
    num_bytes: int = 0
    is_writing: bool = False
    active: int | None = None
    ended: set[int] = field(default_factory=set)
    events: list[LookedUp | Arrived] = field(default_factory=list)
    closed: bool = False
    running: list[threading.Thread] = field(default_factory=list)


class TierIO:
    """Copies blocks out for the store's writer, and has found ones read into the pools.

    A copied block is given to the writer when the step it was copied before or after has had its results: if a step
    fails, what the pools held meanwhile cannot be trusted. Whatever the store does, no call raises: a value that does
    not come is a miss, one that is not taken is lost, and both are counted and said once.

    Invariants: nothing is written into a pool by a load that was cancelled; blocks that wait for the writer take no
    more than `_MOST_WAITING` bytes and one step's.

    Args:
        pools: the pools by kind.
        store: the store; all its calls may come from two threads at once.

    Attributes:
        counts: numbers of blocks and bytes.
    """

    def __init__(self, pools: Mapping[PoolKind, PoolBytes], store: KVStore) -> None:
        self._pools, self._store = pools, store
        self._host = store if isinstance(store, HostStore) else None
        self.counts = IOCounts()
        self._unconfirmed: dict[int, list[_Item]] = {}  # by step
        self._threads = _Threads(os.getpid())
        self._warned: set[str] = set()
        _open.add(self)

    # --- Called by the engine's thread -----------------------------------------------------------------------

    def copy_down(self, copies: Sequence[TierCopy], step: int | None) -> None:
        """Copy blocks out of the pools now.

        Args:
            step: number of a step in flight, whose results must come before the copies count; None: they count now.
        """
        items: list[_Item] = []
        for kind, pool in self._pools.items():
            own = [copy for copy in copies if copy.pool is kind]
            if self._host is not None:
                own = self._not_on_host(self._host, own)
            room = (_MOST_WAITING - self._state.num_bytes) // max(1, pool.block_bytes)
            self.counts.num_dropped += len(own) - len(own := own[: max(0, room)])
            if own:
                copied = pool.copy_out([copy.block_id for copy in own])
                items += [_Item(copy.key, value, copied.wait) for copy, value in zip(own, copied.values, strict=True)]
        if step is None:
            self._enqueue(items)
        elif items:
            self._unconfirmed.setdefault(step, []).extend(items)

    def _not_on_host(self, host: HostStore, copies: Sequence[TierCopy]) -> list[TierCopy]:
        there = host.touch([copy.key for copy in copies])
        self.counts.num_there += sum(there)
        return [copy for copy, known in zip(copies, there, strict=True) if not known]

    def write_all(self, copies: Sequence[TierCopy], timeout: float = PATIENCE) -> None:
        """Copy blocks out, however many, as fast as the writer takes them; those behind are lost after the timeout."""
        end = time.monotonic() + timeout
        while copies and (left := end - time.monotonic()) > 0:
            pool = self._pools[copies[0].pool]
            count = max(1, _BATCH // pool.block_bytes)
            part = [copy for copy in copies[:count] if copy.pool is copies[0].pool]
            copies = copies[len(part) :]
            self._wait_for_room(left)
            there = self._call("contains", self._store.contains, [copy.key for copy in part]) or [False] * len(part)
            missing = [copy for copy, known in zip(part, there, strict=False) if not known]
            self.counts.num_there += len(part) - len(missing)
            self.copy_down(missing, None)

    def _wait_for_room(self, timeout: float) -> None:
        state = self._state
        with state.changed:
            state.changed.wait_for(lambda: state.num_bytes < _MOST_WAITING // 2, timeout)

    def confirm(self, step: int) -> None:
        """Give the blocks that were copied for a step to the writer: its results have come."""
        if items := self._unconfirmed.pop(step, None):
            self._enqueue(items)

    def discard(self, step: int | None) -> None:
        """Drop the blocks that were copied for a step, or for all."""
        if step is None:
            self._unconfirmed.clear()
        else:
            self._unconfirmed.pop(step, None)

    def forget(self, keys: Sequence[bytes]) -> None:
        """`TierReader.forget`."""
        wanted = set(keys)
        for step, items in self._unconfirmed.items():
            self._unconfirmed[step] = [item for item in items if item.key not in wanted]
        self._enqueue([_Item(key, None) for key in keys])

    def look_up(self, load: int, keys: Sequence[bytes]) -> None:
        """`TierReader.look_up`."""
        self._submit(_Job(load, keys))

    def read(self, read: TierRead) -> None:
        """Begin to read blocks into slots that nothing launched from now on touches."""
        orders = [self._pools[kind].after_now() for kind in {copy.pool for copy in read.copies}]

        def order() -> None:
            for each in orders:
                each()

        self._submit(_Job(read.load, [copy.key for copy in read.copies], read.copies, order))

    def cancel(self, load: int | None) -> None:
        """`TierReader.cancel`. It may wait for one block that is being written."""
        state = self._state
        with state.changed:
            if load is None:
                state.ended.update(job.load for job in state.jobs)
                if state.active is not None:
                    state.ended.add(state.active)
                state.jobs.clear()
                state.events.clear()
            else:
                state.ended.add(load)
                state.jobs = deque(job for job in state.jobs if job.load != load)
                state.events = [event for event in state.events if event.load != load]
            state.ended = {each for each in state.ended if each == state.active}

    def events(self) -> list[LookedUp | Arrived]:
        """`TierReader.events`."""
        state = self._state
        if not state.events:
            return []
        with state.changed:
            events, state.events = state.events, []
        return events

    def wait(self, timeout: float) -> None:
        """`TierReader.wait`."""
        state = self._state
        with state.changed:
            if not state.events:
                state.changed.wait(timeout)

    def flush(self, timeout: float = PATIENCE, end: float | None = None) -> bool:
        """Wait until the writer has written everything; return False if it has not after so many seconds.

        Args:
            end: as in `close`.
        """
        state = self._state
        with state.changed:
            done = state.changed.wait_for(lambda: not (state.items or state.is_writing), timeout)
        if done and (flush := getattr(self._store, "flush", None)) is not None:
            self._call("flush", flush, *self._until(end))
        return done

    def _until(self, end: float | None) -> tuple[float | None, ...]:
        """Return the arguments with which a store ends its work at a time: the host tier's, others have none."""
        return () if self._host is None else (end,)

    def close(self, timeout: float = PATIENCE, end: float | None = None) -> None:
        """Write what was copied, end the threads and close the store; a second call does nothing.

        Args:
            timeout: seconds to wait for the writer.
            end: time by `time.monotonic` after which the host tier gives nothing more to the store behind it; None: it
                gives all.
        """
        if self._state.closed:
            return
        if not self.flush(timeout, end):
            logger.warning(
                "prefix cache: the store was not done after %g s; the blocks it had not taken are lost", timeout
            )
        state = self._state
        with state.changed:
            state.closed = True
            state.changed.notify_all()
        for thread in state.running:
            thread.join(5)
        if (close := getattr(self._store, "close", None)) is not None:
            self._call("close", close, *self._until(end))

    def replace_store(self, open_store: Callable[[], KVStore]) -> None:
        """Go on with another store, without blocks that wait for the writer: they are of other weights."""
        self.cancel(None)
        self.discard(None)
        state = self._state
        with state.changed:
            state.num_bytes -= sum(item.nbytes for item in state.items)
            state.items.clear()
            state.waiting.clear()
        self.flush()  # what is being written
        if (close := getattr(self._store, "close", None)) is not None:
            self._call("close", close)
        self._store = open_store()
        self._host = self._store if isinstance(self._store, HostStore) else None

    def store_stats(self) -> Mapping[str, float]:
        """Return the store's own numbers."""
        stats = getattr(self._store, "stats", None)
        return {} if stats is None else self._call("stats", stats) or {}

    # --- Threads ---------------------------------------------------------------------------------------------

    @property
    def _state(self) -> _Threads:
        if self._threads.pid != os.getpid():  # a forked process has neither the threads nor their locks' owners
            self._threads = _Threads(os.getpid())
        return self._threads

    def _start(self, state: _Threads) -> None:
        if not state.running and not state.closed:
            for name, work in (("reader", self._read_all), ("writer", self._write_all)):
                thread = threading.Thread(target=work, args=(state,), name=f"torchpaged prefix {name}", daemon=True)
                state.running.append(thread)
                thread.start()

    def _submit(self, job: _Job) -> None:
        state = self._state
        with state.changed:
            self._start(state)
            state.jobs.append(job)
            state.changed.notify_all()

    def _enqueue(self, items: Sequence[_Item]) -> None:
        state = self._state
        if items:
            with state.changed:
                self._start(state)
                state.items.extend(items)
                state.waiting.update((item.key, item) for item in items)
                state.num_bytes += sum(item.nbytes for item in items)
                state.changed.notify_all()

    def _read_all(self, state: _Threads) -> None:
        """Do lookups and reads, one after the other."""
        while True:
            with state.changed:
                state.changed.wait_for(lambda: state.jobs or state.closed)
                if state.closed:
                    return
                job = state.jobs.popleft()
                state.active = job.load
            if job.copies:
                self._read(state, job)
            else:
                self._report(state, LookedUp(job.load, self._found(state, job.keys)))
            with state.changed:
                state.active = None
                state.ended.discard(job.load)

    def _found(self, state: _Threads, keys: Sequence[bytes]) -> list[bool]:
        with state.changed:  # before the store is asked: what is written meanwhile is there then
            waiting = [state.waiting.get(key) for key in keys]
        found = self._call("contains", self._store.contains, keys)
        if found is None or len(found) != len(keys):
            found = [False] * len(keys)
        return [
            bool(there) if item is None else item.value is not None for there, item in zip(found, waiting, strict=True)
        ]

    def _values(self, state: _Threads, keys: Sequence[bytes]) -> list[Value | None]:
        with state.changed:
            waiting = {key: item for key in keys if (item := state.waiting.get(key)) is not None}
        others = [key for key in keys if key not in waiting]
        hits = 0 if self._host is None else self._host.num_hits
        found = self._call("get", self._store.get, others) if others else []
        if found is None or len(found) != len(others):
            found = [None] * len(others)
        values: dict[bytes, Value | None] = dict(zip(others, found, strict=True))
        for key, item in waiting.items():
            if item.value is not None:
                item.wait()
            values[key] = None if item.value is None else item.value.data
        if self._host is not None:  # what waits for the writer is in the host's memory too
            in_memory = sum(item.value is not None for item in waiting.values())
            self.counts.num_read_host += in_memory + self._host.num_hits - hits
        return [values[key] for key in keys]

    def _read(self, state: _Threads, job: _Job) -> None:
        ordered = self._call("copy", _finish, job.order, default=False)
        first = 0
        while first < len(job.copies):
            begin, size, last = time.perf_counter(), 0, first
            while last < len(job.copies) and (last == first or size < _BATCH):
                size += self._pools[job.copies[last].pool].block_bytes
                last += 1
            batch = job.copies[first:last]
            values = self._values(state, [copy.key for copy in batch])
            whole = []
            for copy, value in zip(batch, values, strict=True):
                with state.changed:
                    if job.load in state.ended:
                        return
                    whole.append(ordered and value is not None and self._copy_in(copy, value))
            self.counts.num_read += sum(whole)
            self.counts.read_bytes += sum(
                self._pools[copy.pool].block_bytes for copy, each in zip(batch, whole, strict=True) if each
            )
            self._report(state, Arrived(job.load, whole, time.perf_counter() - begin))
            first = last

    def _copy_in(self, copy: TierCopy, value: Value) -> bool:
        pool = self._pools[copy.pool]
        try:
            if pool.copy_in(copy.block_id, value):
                return True
            size = memoryview(value).nbytes
            self._note_error("size", f"a value has {size} bytes, expected {pool.block_bytes}: it is ignored")
        except Exception as error:  # a store's own buffer may fail when it is read
            self._note_error("copy", f"a value could not be read: {reason_of(error)}")
        return False

    def _report(self, state: _Threads, event: LookedUp | Arrived) -> None:
        with state.changed:
            if event.load not in state.ended:
                state.events.append(event)
                state.changed.notify_all()

    def _write_all(self, state: _Threads) -> None:
        """Write and delete blocks, in order."""
        while True:
            with state.changed:
                state.changed.wait_for(lambda: state.items or state.closed)
                if not state.items:
                    return
                batch, size = [state.items.popleft()], 0
                while state.items and size < _BATCH and (state.items[0].value is None) == (batch[0].value is None):
                    batch.append(state.items.popleft())
                    size += batch[-1].nbytes
                state.is_writing = True
            if batch[0].value is None:
                self._call("delete", self._store.delete, [item.key for item in batch])
            else:
                self._write(batch)
            with state.changed:
                state.num_bytes -= sum(item.nbytes for item in batch)
                for item in batch:
                    if state.waiting.get(item.key) is item:
                        del state.waiting[item.key]
                state.is_writing = False
                state.changed.notify_all()

    def _write(self, batch: Sequence[_Item]) -> None:
        begin = time.perf_counter()
        unique = {item.key: item for item in batch}
        # What lies behind the host tier comes into it too, since it was used now.
        contains = self._store.contains if self._host is None else self._host.touch
        there = self._call("contains", contains, list(unique))
        if there is None or len(there) != len(unique):
            there = [False] * len(unique)
        items: list[tuple[bytes, Value]] = []
        for item, known in zip(unique.values(), there, strict=True):
            assert item.value is not None
            if not known and self._call("copy", _finish, item.wait, default=False):
                items.append((item.key, item.value.data))
        self.counts.num_there += len(batch) - len(unique) + sum(there)
        if items and self._call("put", self._store.put, items, default=False) is not False:
            self.counts.num_written += len(items)
            self.counts.written_bytes += sum(memoryview(value).nbytes for _, value in items)
        self.counts.write_seconds += time.perf_counter() - begin

    def _call(self, name: str, call: Callable[..., Any], *args: Any, default: Any = None) -> Any:
        """Return the result of a call of the store; `default` if it raises."""
        try:
            return call(*args)
        except BaseException as error:
            # A user's Ctrl-C comes to the main thread alone; elsewhere a thread would end that others wait for.
            if not isinstance(error, Exception) and threading.current_thread() is threading.main_thread():
                raise
            self._note_error(name, f"its {name} raised: {reason_of(error)}")
            return default

    def _note_error(self, name: str, what: str) -> None:
        self.counts.num_errors += 1
        if name not in self._warned:
            self._warned.add(name)
            logger.warning("prefix cache: the store failed, and requests go on without it: %s", what)

    def check(self) -> None:
        """Assert the invariants."""
        if self._host is not None:
            self._host.check()
        state = self._state
        with state.changed:
            waiting = sum(item.nbytes for item in state.items)
            assert waiting <= state.num_bytes and (state.is_writing or waiting == state.num_bytes)
            assert {item.key for item in state.items} <= state.waiting.keys()
            assert state.is_writing or len(state.waiting) <= len(state.items)


def _finish(wait: Callable[[], None]) -> bool:
    """Wait; a device that has failed raises in every call from then on."""
    wait()
    return True


_open: weakref.WeakSet[TierIO] = weakref.WeakSet()
# Seconds that the end of a process waits for the writers of engines that were not shut down.
_LAST_PATIENCE = 10.0


@atexit.register
def _close_all() -> None:
    """Write what was copied, before the interpreter stops the threads."""
    end = time.monotonic() + _LAST_PATIENCE
    for tier in list(_open):
        if tier._threads.pid == os.getpid():  # a forked process leaves the store to its parent
            tier.close(max(0.0, end - time.monotonic()), end)

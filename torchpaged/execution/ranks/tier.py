"""Tiers of ranks: each rank has a store with its parts of blocks, and rank 0 decides from the least of all.

A block counts as found, and as read, only if every rank has its part. What another rank lacks, or has lost, rank 0
takes for lost too: its tokens are computed.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torchpaged.errors import EngineError
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.execution.tier_io import PATIENCE, IOCounts, TierIO
from torchpaged.kv_cache import Arrived, LookedUp, PoolKind, TierCopy, TierRead
from torchpaged.prefix_store.protocol import KVStore

# Seconds between two questions if other ranks are still reading.
_PAUSE = 0.001


class _Asked(NamedTuple):
    """The next blocks of a load that rank 0 has looked up or read."""

    load: int
    is_lookup: bool
    num_blocks: int


@dataclass(slots=True)
class _Come:
    """Blocks of a load that were looked up or read here, and not yet on every rank.

    Args:
        since: when all ranks last had as many of them.
        whole: True for each block that is here.
        seconds: time that they took here.
    """

    since: float
    whole: list[bool] = field(default_factory=list)
    seconds: float = 0.0


class RankTier(TierIO):
    """A rank's tier. Its calls come in the order in which rank 0 makes them.

    Args:
        pools, store: as of `TierIO`.
        least: returns the minimum over ranks of each number; all ranks call it.
        patiently: context in which no rank is given up, however long it takes.
    """

    def __init__(
        self,
        pools: Mapping[PoolKind, PoolBytes],
        store: KVStore,
        least: Callable[[Sequence[int]], Sequence[int]],
        patiently: Callable[[], AbstractContextManager[None]],
    ) -> None:
        super().__init__(pools, store)
        self._least, self._patiently = least, patiently
        self._come: dict[tuple[int, bool], _Come] = {}  # by load, and True for its lookup

    def cancel(self, load: int | None) -> None:
        """`TierIO.cancel`, on this rank."""
        super().cancel(load)
        self._collect()
        self._come = {} if load is None else {key: come for key, come in self._come.items() if key[0] != load}

    def _collect(self) -> None:
        for event in super().events():
            is_lookup = isinstance(event, LookedUp)
            come = self._come.setdefault((event.load, is_lookup), _Come(time.monotonic()))
            come.whole += event.found if isinstance(event, LookedUp) else event.whole
            come.seconds += 0.0 if isinstance(event, LookedUp) else event.seconds

    def come(self) -> list[_Asked]:
        """Return what has come here and is not known to be on every rank."""
        self._collect()
        return [_Asked(*key, len(come.whole)) for key, come in self._come.items()]

    def agree(self, asked: Sequence[_Asked]) -> list[LookedUp | Arrived]:
        """Return of what rank 0 has the blocks that all ranks have looked up, or read; all ranks call it."""
        self._collect()
        numbers: list[int] = []
        for load, is_lookup, count in asked:
            come = self._come.get((load, is_lookup))
            own = [] if come is None else come.whole[:count]
            numbers += [-1 if come is None else len(own), *own, *[True] * (count - len(own))]
        agreed, events = iter(self._least(numbers)), list[LookedUp | Arrived]()
        for load, is_lookup, count in asked:
            ready, whole = next(agreed), [bool(next(agreed)) for _ in range(count)]
            if ready >= (count if is_lookup else 1):  # a lookup has one answer
                events.append(self._take(load, is_lookup, whole[:ready]))
        return events

    def _take(self, load: int, is_lookup: bool, whole: list[bool]) -> LookedUp | Arrived:
        come, now = self._come.pop((load, is_lookup)), time.monotonic()
        if is_lookup:
            return LookedUp(load, whole)
        share = come.seconds * len(whole) / len(come.whole)
        if left := come.whole[len(whole) :]:
            self._come[load, False] = _Come(now, left, come.seconds - share)
        return Arrived(load, whole, share + now - come.since)

    def flush_together(self, timeout: float) -> bool:
        """`TierIO.flush`: True if the writers of all ranks are done; all ranks call it."""
        with self._patiently():
            return bool(self._least([self.flush(timeout)])[0])

    def close_together(self, timeout: float) -> None:
        """`TierIO.close`; no rank returns before all have closed theirs."""
        with self._patiently():
            self.close(timeout)


class RankedTier:
    """The tiers of all ranks, as rank 0's engine sees them.

    Args:
        own: rank 0's.
        call: has every rank call a method of its `RankTier`, and returns rank 0's result.
        is_alive: False once a rank has failed.
    """

    def __init__(self, own: RankTier, call: Callable[..., Any], is_alive: Callable[[], bool]) -> None:
        self._own, self._call, self._is_alive = own, call, is_alive

    @property
    def counts(self) -> IOCounts:
        """Numbers of rank 0's part."""
        return self._own.counts

    def look_up(self, load: int, keys: Sequence[bytes]) -> None:
        """`TierReader.look_up`."""
        self._call("look_up", load, keys)

    def read(self, read: TierRead) -> None:
        """`TierIO.read`."""
        self._call("read", read)

    def cancel(self, load: int | None) -> None:
        """`TierReader.cancel`: every rank cancels before it makes a later call."""
        if self._is_alive():
            self._call("cancel", load)
        else:
            self._own.cancel(load)

    def events(self) -> Sequence[LookedUp | Arrived]:
        """`TierReader.events`; what is lost on one rank is lost."""
        asked = self._own.come()
        found: list[LookedUp | Arrived] = self._call("agree", asked) if asked else []
        return found

    def wait(self, timeout: float) -> None:
        """`TierReader.wait`."""
        if self._own.come():
            time.sleep(min(timeout, _PAUSE))
        else:
            self._own.wait(timeout)

    def forget(self, keys: Sequence[bytes]) -> None:
        """`TierReader.forget`."""
        self._call("forget", keys)

    def write_all(self, copies: Sequence[TierCopy], timeout: float = PATIENCE) -> None:
        """`TierIO.write_all`."""
        with contextlib.suppress(EngineError):  # a rank has failed: what was not written is lost
            self._call("write_all", copies, timeout)

    def flush(self, timeout: float = PATIENCE) -> bool:
        """`TierIO.flush`."""
        return bool(self._call("flush_together", timeout))

    def close(self, timeout: float = PATIENCE) -> None:
        """`TierIO.close`."""
        if self._is_alive():
            with contextlib.suppress(EngineError):
                self._call("close_together", timeout)
        self._own.close(timeout)  # if a rank has failed

    def store_stats(self) -> Mapping[str, float]:
        """Return the numbers of rank 0's store."""
        return self._own.store_stats()

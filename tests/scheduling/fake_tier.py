"""A store below the pools of a fake device: slow, and it loses values. Reads come in pieces, after rubbish."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.scheduling.fake_device import FakeDevice
from torchpaged.kv_cache import Arrived, LookedUp, PoolKind, TierCopy, TierRead

Values = dict[bytes, list[object]]


class FakeTier:
    """A `TierReader`, and the copies of steps.

    Args:
        pick: chooses what is slow, lost or wrong.
        values: contents by key, perhaps of an earlier run.

    Attributes:
        now: the clock of patience.
        num_read, num_forgotten: numbers of blocks.
    """

    def __init__(self, pick: random.Random, values: Values) -> None:
        self._pick, self.values = pick, values
        self.device: FakeDevice | None = None
        self.now, self.num_read, self.num_forgotten = 0.0, 0, 0
        self._lookups: list[tuple[int, list[bytes]]] = []
        self._reads: list[tuple[int, list[TierCopy]]] = []
        self._events: list[LookedUp | Arrived] = []
        self._cancelled: set[int] = set()
        self._seen: set[int] = set()

    def look_up(self, load: int, keys: Sequence[bytes]) -> None:
        """Implement `TierReader.look_up`."""
        assert load not in self._seen and len(set(keys)) == len(keys) > 0
        self._seen.add(load)
        self._lookups.append((load, list(keys)))

    def cancel(self, load: int | None) -> None:
        """Implement `TierReader.cancel`."""
        gone = self._seen.copy() if load is None else {load}
        self._cancelled |= gone
        self._lookups = [each for each in self._lookups if each[0] not in gone]
        self._reads = [each for each in self._reads if each[0] not in gone]
        self._events = [event for event in self._events if event.load not in gone]

    def events(self) -> list[LookedUp | Arrived]:
        """Implement `TierReader.events`."""
        count = self._pick.randint(0, len(self._events))
        events, self._events = self._events[:count], self._events[count:]
        return events

    def wait(self, timeout: float) -> None:
        """Implement `TierReader.wait`."""

    def forget(self, keys: Sequence[bytes]) -> None:
        """Implement `TierReader.forget`."""
        for key in keys:
            self.num_forgotten += self.values.pop(key, None) is not None

    # --- Between the calls of the scheduler ------------------------------------------------------------------

    def copied(self, copies: Sequence[TierCopy]) -> Values:
        """Return the contents of blocks that go down."""
        assert self.device is not None
        return {copy.key: list(self.device.device[copy.pool][copy.block_id]) for copy in copies}

    def keep(self, copied: Values) -> None:
        """Keep contents, most of the time: a writer that is behind drops some."""
        for key, content in copied.items():
            assert None not in content, "a block goes down that is not full"
            assert self.values.setdefault(key, content) == content, "a key has two contents"
            if self._pick.random() < 0.1:
                del self.values[key]

    def begin(self, reads: Sequence[TierRead]) -> None:
        """Begin reads: their slots have rubbish from now on."""
        assert self.device is not None
        for read in reads:
            assert read.load in self._seen - self._cancelled, "a load is read that was not looked up, or cancelled"
            self._reads.append((read.load, list(read.copies)))
            for copy in read.copies:
                size = self.device.size if copy.pool is PoolKind.BLOCKS else 1
                self.device.device[copy.pool][copy.block_id] = [self._pick.random() for _ in range(size)]

    def tick(self, everything: bool = False) -> None:
        """Answer lookups and bring blocks, some or all of them."""
        pick = self._pick
        self.now += pick.choice((0.0, 0.01, 0.3, 3.0)) if not everything else 0.0
        for load, keys in list(self._lookups):
            if everything or pick.random() < 0.5:
                self._lookups.remove((load, keys))
                self._events.append(LookedUp(load, [key in self.values or pick.random() < 0.05 for key in keys]))
        for load, copies in list(self._reads):
            count = len(copies) if everything else pick.randint(0, len(copies))
            if count:
                whole = [self._bring(copy) for copy in copies[:count]]
                del copies[:count]
                self._events.append(Arrived(load, whole, pick.choice((0.0, 1e-3, 0.1))))
        self._reads = [each for each in self._reads if each[1]]

    def _bring(self, copy: TierCopy) -> bool:
        assert self.device is not None
        content = self.values.get(copy.key)
        if content is None or self._pick.random() < 0.1:
            return False
        self.num_read += 1
        self.device.device[copy.pool][copy.block_id] = list(content)
        return True

"""A store of adapters without numbers, whose files take some steps to be read, and turns that are watched."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable

from torchpaged.scheduling import Step
from torchpaged.scheduling.adapter_turns import AdapterStore, AdapterTurns


class FakeAdapterStore:
    """`AdapterStore` whose time passes by `tick`.

    Args:
        pick: chooses how long a file takes to be read, and what fails.
        max_loras: most adapters of a step.
        capacity: most adapters in host memory that are claimed.

    Attributes:
        claimed: adapters that the scheduler has claimed.
        ready: adapters in host memory.
    """

    def __init__(self, pick: random.Random, max_loras: int, capacity: int) -> None:
        self._pick, self.capacity = pick, capacity
        self._slowest = pick.choice((0, 3, 10))
        self.claimed: set[str] = set()
        self.ready: set[str] = set()
        self._reading: dict[str, int] = {}  # ticks until each is there
        # Contents by number of the name; as many names as to have fewer and more than the places of a step.
        self._contents = {name: f"{name}.0" for name in range(pick.randint(1, 3 * max_loras + 2))}

    def claim(self, content: str) -> None:
        """Implement `AdapterStore.claim`."""
        assert content not in self.claimed, f"{content} is claimed twice"
        self.claimed.add(content)
        assert len(self.claimed) <= self.capacity, "host memory has no room for what is claimed"
        if content not in self.ready:
            self._reading.setdefault(content, self._pick.randint(0, self._slowest))

    def release(self, content: str) -> None:
        """Implement `AdapterStore.release`."""
        self.claimed.remove(content)
        self._reading.pop(content, None)

    def is_ready(self, content: str) -> bool:
        """Implement `AdapterStore.is_ready`."""
        return content in self.ready

    def wait(self, contents: Collection[str], timeout: float) -> None:
        """Implement `AdapterStore.wait`."""
        raise AssertionError("the scheduler does not wait")

    def tick(self) -> list[str]:
        """Let time pass; return the adapters that could not be read."""
        failed = []
        for content in list(self._reading):
            self._reading[content] -= 1
            if self._reading[content] < 0:
                if self._pick.random() < 0.02:
                    failed.append(content)
                    continue
                del self._reading[content]
                self.ready.add(content)
        return failed

    def evict(self) -> None:
        """Remove some adapters that are not claimed from host memory."""
        for content in sorted(self.ready - self.claimed):
            if self._pick.random() < 0.5:
                self.ready.remove(content)

    def choose(self) -> str | None:
        """Return an adapter, some of which are chosen more often than others, or None."""
        if self._pick.random() < 0.2:
            return None
        return self._contents[int(len(self._contents) * self._pick.random() ** 2)]

    def replace(self) -> None:
        """Give a name other contents."""
        name = self._pick.choice(sorted(self._contents))
        self._contents[name] = f"{name}.{int(self._contents[name].split('.')[1]) + 1}"

    def check(self) -> None:
        """Assert that what is claimed is there or is being read."""
        assert self.claimed <= self.ready | self._reading.keys()


class WatchedTurns(AdapterTurns):
    """Turns whose bound on waiting is checked after each step.

    Attributes:
        num_crowded: steps for which adapters had to take turns.
        longest: the longest wait.
    """

    def __init__(self, store: AdapterStore, max_loras: int, min_steps: int = 8, max_claims: int | None = None) -> None:
        super().__init__(store, max_loras, min_steps, max_claims)
        self.num_crowded = self.longest = 0
        self._waits: dict[str, tuple[int, int]] = {}  # steps, and most adapters meanwhile, of those in line

    def begin(self, wanting: Collection[str] = (), coming: Iterable[str] = (), in_flight: Collection[str] = ()) -> bool:
        """`AdapterTurns.begin`."""
        changed = super().begin(wanting, coming, in_flight)
        for member in self._members:  # it has its turn, even if the step turns out to have no room for it
            self._waits.pop(member, None)
        return changed

    def leave(self, adapter: str | None) -> None:
        """`AdapterTurns.leave`. An adapter that comes back later begins to wait anew."""
        super().leave(adapter)
        if adapter is not None and adapter not in self._present:
            self._waits.pop(adapter, None)

    def watch(self, step: Step) -> None:
        """Check how long adapters that are ready have waited in line, in steps that were not empty."""
        self.num_crowded += self.is_crowded
        before, self._waits = self._waits, {}
        for each in self._line:
            if not self._is_ready(each):
                continue
            steps, most = before.get(each, (0, 0))
            # A turn does not begin before the file is read, if only members' files are read.
            counts = bool(step.ids) and (self.max_claims > self.max_loras or not self._members.keys() - self._ready)
            steps, most = steps + counts, max(most, len(self._members) + len(self._line))
            self._waits[each] = steps, most
            self.longest = max(self.longest, steps)
            assert steps <= (-(-most // self.max_loras) - 1) * self.min_steps, f"{each} waits for {steps} steps"

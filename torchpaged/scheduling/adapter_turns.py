"""AdapterTurns: chooses the adapters whose sequences a step may compute. It knows adapters, not sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain, islice
from typing import Protocol


class AdapterStore(Protocol):
    """Owner of the adapters' numbers, which reads them from disk into host memory.

    Claims are a set: a second claim of an adapter changes nothing, and neither does a release without a claim. An
    adapter that was ready and is claimed stays ready until it is released. The sequences of one that cannot be read are
    to be finished by their owner; until then they wait.
    """

    def claim(self, content: str) -> None:
        """Keep an adapter in host memory until it is released; begin to read it if it is not there."""
        ...

    def release(self, content: str) -> None:
        """Undo a claim: the adapter may leave host memory. A step in flight may still read it from its slot."""
        ...

    def is_ready(self, content: str) -> bool:
        """Return True if an adapter is in host memory, so that a step may use it."""
        ...

    def wait(self, contents: Collection[str], timeout: float) -> None:
        """Return when one of these adapters is ready or cannot be read, or after so many seconds."""
        ...


class AdapterTurns:
    """Round robin of adapters over the places that a step has for them.

    Up to `max_loras` adapters are members of the set that a step serves. If no more have unfinished sequences, all are
    members. Otherwise those that want to run and are not members wait in line. A member that no sequence wants leaves
    the set at once. When an adapter waits, a member whose turn is over gives way to it and goes to the end of the line.
    A turn is over after `min_steps` steps that served the member, or after one that could have served it and did not,
    because tokens, slots or blocks were short.

    Adapters are claimed from the store in the order in which they are needed: members, the line, then those that
    sequences further back in the queue want. So a file is read while others have their turns. Only where there are no
    claims beyond the members' does one that is not ready take the place of another.

    Bound: if A adapters want to run, one that is ready waits at most (ceil(A / max_loras) - 1) * min_steps steps for
    its turn, empty steps not counted. For each place changes hands at least once in `min_steps` steps, and at most
    A - max_loras - 1 adapters are ahead in line. The time in which its own file is read comes on top, and if there are
    no claims beyond the members', the time for those of the adapters ahead; likewise a step for each sequence of
    another adapter that begins to wait for its prefix. In its turn, its sequences get tokens and blocks by their rank,
    as they would without adapters.

    Invariants:
        - There are at most `max_loras` members, and none of them is in line.
        - Members are claimed, at most `max_claims` adapters are, and only those that have unfinished sequences.
        - Only members that are ready are served.

    Args:
        store: has the adapters.
        max_loras: most adapters of a step.
        min_steps: number of steps after which a member gives way.
        max_claims: most adapters that the store can keep for the scheduler, at least `max_loras`; None: `max_loras`.

    Attributes:
        is_queue_stuck: True if the first of the queue found no blocks when it was last tried. Only its adapter wants to
            run then, not those of the sequences behind it.
    """

    def __init__(self, store: AdapterStore, max_loras: int, min_steps: int = 8, max_claims: int | None = None) -> None:
        self.store, self.max_loras, self.min_steps = store, max_loras, min_steps
        self.max_claims = max_loras if max_claims is None else max_claims
        assert self.max_claims >= max_loras >= 1 and min_steps >= 1
        self.is_queue_stuck = False
        self._present: Counter[str] = Counter()  # unfinished sequences by adapter
        self._members: dict[str, int] = {}  # steps of their turns so far; the one that joined first is first
        self._line: dict[str, None] = {}
        self._in_flight: Collection[str] = ()  # adapters whose sequences wait for the results of a step in flight
        self._claimed: set[str] = set()
        self._ready: set[str] = set()  # those of the claimed ones that were found ready
        self._served: set[str] = set()

    # --- Sequences come and go -----------------------------------------------------------------------------

    def enter(self, adapter: str | None) -> None:
        """Count an unfinished sequence of an adapter."""
        if adapter is not None:
            self._present[adapter] += 1

    def leave(self, adapter: str | None) -> None:
        """Note that a sequence of an adapter has ended. With its last one, the adapter loses place and claim."""
        if adapter is None:
            return
        self._present[adapter] -= 1
        if not self._present[adapter]:
            del self._present[adapter]
            self._members.pop(adapter, None)
            self._line.pop(adapter, None)
            self._served.discard(adapter)
            self._claim([each for each in self._claimed if each != adapter])

    def clear(self) -> None:
        """Forget all sequences and release all claims."""
        self._present.clear()
        self._members.clear()
        self._line.clear()
        self._served.clear()
        self._in_flight, self.is_queue_stuck = (), False
        self._claim(())

    # --- A step --------------------------------------------------------------------------------------------

    @property
    def is_crowded(self) -> bool:
        """True if more adapters have unfinished sequences than a step can serve."""
        return len(self._present) > self.max_loras

    @property
    def num_present(self) -> int:
        """Number of adapters that have unfinished sequences."""
        return len(self._present)

    @property
    def serves_all(self) -> bool:
        """True if the step may serve every sequence."""
        return len(self._served) == len(self._present)

    def serves(self, adapter: str | None) -> bool:
        """Return True if the step may serve sequences of an adapter, or without one."""
        return adapter is None or adapter in self._served

    @property
    def unread(self) -> Collection[str]:
        """Claimed adapters that want to run and are not ready."""
        unread = self._claimed - self._ready
        return [each for each in chain(self._members, self._line) if each in unread]

    def begin(self, wanting: Collection[str] = (), coming: Iterable[str] = (), in_flight: Collection[str] = ()) -> bool:
        """Choose the adapters that a step serves.

        The arguments are only needed if `is_crowded`.

        Args:
            wanting: adapters with a sequence that the step could compute if it served them, and those of `in_flight`;
                first those that are to wait in line first.
            coming: adapters to read after these, the most urgent first.
            in_flight: adapters with a running sequence that waits for the results of a step in flight: as soon as these
                are there, it wants to run again, so it keeps its place.

        Returns:
            False if the step serves the same adapters as the last call has chosen.
        """
        before = self._served
        if self.is_crowded:
            self._in_flight = in_flight
            wants = dict.fromkeys(wanting)
            self._members = {each: steps for each, steps in self._members.items() if each in wants}
            self._line = {each: None for each in self._line if each in wants}
            self._line.update((each, None) for each in wants if each not in self._members)
            self._rotate()
            self._claim(chain(self._members, self._line, coming))
        elif len(self._members) < len(self._present) or len(self._served) < len(self._members):
            self._members = {each: self._members.get(each, 0) for each in self._present}
            self._line.clear()
            self._claim(self._members)
        self._served = {each for each in self._members if each in self._ready}
        return self._served != before

    def end(self, computed: Collection[str | None]) -> None:
        """Note whose sequences the step computes. Only needed if `is_crowded`."""
        for adapter, steps in self._members.items():
            if adapter in computed or (computed and adapter in self._in_flight):
                self._members[adapter] = steps + 1
            elif adapter in self._in_flight:
                continue
            elif adapter in self._served:
                self._members[adapter] = max(steps, self.min_steps)

    def _rotate(self) -> None:
        """Give free places, and those of members that give way, to adapters in line."""
        members, reads_ahead = self._members, self.max_claims > self.max_loras
        unread = [each for each in members if reads_ahead and not self._is_ready(each)]
        over = [each for each, steps in members.items() if steps >= self.min_steps and each not in unread]
        for adapter in list(self._line):
            if not (len(members) < self.max_loras or unread or over):
                return
            if reads_ahead and not self._is_ready(adapter):
                continue
            if len(members) == self.max_loras:
                if unread:  # it has not had its turn
                    self._line = {(each := unread.pop(0)): None, **self._line}
                else:
                    self._line[(each := over.pop(0))] = None
                del members[each]
            self._join(adapter)
        for adapter in list(islice(self._line, self.max_loras - len(members))):
            self._join(adapter)

    def _join(self, adapter: str) -> None:
        del self._line[adapter]
        self._members[adapter] = 0

    def _is_ready(self, adapter: str) -> bool:
        return adapter in self._ready or self.store.is_ready(adapter)

    def _claim(self, contents: Iterable[str]) -> None:
        """Claim the first `max_claims` of these, release all others, and look which are ready.

        The table says that an adapter is claimed from before the store is told of it until after that, so that an
        interrupt between the two leaves no claim without a release.
        """
        wanted = dict.fromkeys(islice(dict.fromkeys(contents), self.max_claims))
        for adapter in [each for each in self._claimed if each not in wanted]:
            self._ready.discard(adapter)
            self.store.release(adapter)
            self._claimed.remove(adapter)
        for adapter in wanted:
            if adapter not in self._claimed:
                self._claimed.add(adapter)
                self.store.claim(adapter)
            if self._is_ready(adapter):
                self._ready.add(adapter)

    def check(self, adapters: Iterable[str | None]) -> None:
        """Assert the invariants, between steps.

        Args:
            adapters: of all unfinished sequences.
        """
        assert self._present == Counter(each for each in adapters if each is not None)
        assert len(self._members) <= self.max_loras and not self._members.keys() & self._line.keys()
        assert self._members.keys() <= self._claimed <= self._present.keys()
        assert len(self._claimed) <= self.max_claims and self._ready <= self._claimed
        assert self._served <= self._members.keys() & self._ready

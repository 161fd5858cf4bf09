"""Policy: chooses the replica that begins a request's answer soonest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from torchpaged.routing.prefix_index import PrefixIndex

# A token that is read from a store counts as so much of one that is cached.
_READ = 0.9
# Sessions whose replica is remembered.
_MOST_SESSIONS = 100_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request, as the policy sees it.

    Args:
        num_tokens: of the prompt; an estimate if its hashes are not known.
        chain: published hashes of its full blocks; empty: they are not known.
        session: the conversation that it belongs to; None: not known.
        num_stored: leading tokens that each replica can read from a store that they share.
    """

    num_tokens: int
    chain: Sequence[bytes] = ()
    session: str | None = None
    num_stored: int = 0


@dataclass(slots=True)
class Assignment:
    """A request that was sent to a replica. `Policy.begun` and `Policy.ended` tell how it goes on.

    Args:
        replica: number of the replica.
        num_cached: tokens of the prompt that the replica is expected to have.
        num_waiting: tokens that it has to compute before the answer begins.
        has_begun: True once the answer has begun.
    """

    replica: int
    num_cached: int
    num_waiting: int
    has_begun: bool = False


class Policy:
    """Sends each request where its first token is expected soonest.

    The time to a first token is counted in tokens to compute: those of the request that the replica does not have,
    those of requests before it that have not begun, and `decode_tokens` for each that is being answered, whose steps
    the request shares. So a replica with the prefix loses a request to an idle one as soon as waiting costs more than
    computing the prefix again, and no prefix, however common, gathers all requests on one replica.

    Among equal replicas the one with the fewest requests is taken, then the one that was taken longest ago.

    Invariants: no count is negative; a replica without requests has counts of 0.

    Args:
        num_replicas: replicas are numbered 0 to num_replicas - 1.
        block_size: tokens of a block.
        decode_tokens: tokens of a prompt that are computed in the time of one more answer in a step.

    Attributes:
        index: blocks of the replicas.
        is_open: [num_replicas] bool, False for a replica that gets no requests.
        is_late: [num_replicas] bool, True for a replica that gets requests only where all open ones are late.
        waiting: [num_replicas], tokens to compute for requests whose answers have not begun.
        running: [num_replicas], requests whose answers have begun.
        requests: [num_replicas], all unfinished requests.
    """

    def __init__(self, num_replicas: int, block_size: int = 16, decode_tokens: int = 64) -> None:
        self.index = PrefixIndex(num_replicas)
        self.block_size, self._decode_tokens = block_size, decode_tokens
        self.is_open: NDArray[np.bool_] = np.zeros(num_replicas, dtype=np.bool_)
        self.is_late: NDArray[np.bool_] = np.zeros(num_replicas, dtype=np.bool_)
        self.waiting: NDArray[np.int64] = np.zeros(num_replicas, dtype=np.int64)
        self.running: NDArray[np.int64] = np.zeros(num_replicas, dtype=np.int64)
        self.requests: NDArray[np.int64] = np.zeros(num_replicas, dtype=np.int64)
        self._taken: NDArray[np.int64] = np.zeros(num_replicas, dtype=np.int64)  # when each was last taken
        self._count = 0
        self._sessions: dict[str, tuple[int, int]] = {}  # by session: replica and tokens of its last prompt

    def choose(self, prompt: Prompt, now: float, without: Collection[int] = ()) -> Assignment | None:
        """Return where to send a request, and count it there; None: no replica is open.

        Args:
            now: seconds, of a clock that never goes back.
            without: replicas that have failed this request.
        """
        cached = self._cached(prompt)
        cost = self.waiting + self.running * self._decode_tokens + (prompt.num_tokens - cached)
        is_open = self.is_open
        if without:
            is_open = is_open.copy()
            is_open[list(without)] = False
        if self.is_late.any() and (is_open & ~self.is_late).any():
            is_open = is_open & ~self.is_late
        (places,) = is_open.nonzero()
        if not len(places):
            return None
        if len(places) == len(cost):
            places = np.flatnonzero(cost == cost.min())
        else:
            places = places[cost[places] == cost[places].min()]
        if len(places) > 1:
            places = places[np.lexsort((self._taken[places], self.requests[places]))]
        replica = int(places[0])
        assignment = Assignment(replica, int(cached[replica]), max(1, prompt.num_tokens - int(cached[replica])))
        self._count += 1
        self._taken[replica] = self._count
        self.waiting[replica] += assignment.num_waiting
        self.requests[replica] += 1
        self.index.expect(replica, prompt.chain, now)
        if prompt.session is not None:
            self._sessions.pop(prompt.session, None)
            self._sessions[prompt.session] = replica, prompt.num_tokens
            if len(self._sessions) > _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        return assignment

    def _cached(self, prompt: Prompt) -> NDArray[np.int64]:
        """Return the tokens of a prompt that each replica has. Its last token is always computed."""
        most = max(0, prompt.num_tokens - 1)
        cached = np.minimum(self.index.depths(prompt.chain) * self.block_size, most)
        if prompt.num_stored:  # reading them costs something, so a replica that has them is better
            cached = np.maximum(cached, min(most, int(prompt.num_stored * _READ)))
        if not prompt.chain and prompt.session in self._sessions:  # a guess: it goes on where it was
            replica, length = self._sessions[prompt.session]
            cached[replica] = min(length, most)
        return cached

    def missing(self, prompt: Prompt) -> int:
        """Return the tokens of a prompt that the open replica with most of them does not have."""
        cached = self._cached(prompt)[self.is_open]
        return prompt.num_tokens - int(cached.max(initial=0))

    def begun(self, assignment: Assignment) -> None:
        """Note that an answer has begun: its prompt is computed."""
        if not assignment.has_begun:
            assignment.has_begun = True
            self.waiting[assignment.replica] -= assignment.num_waiting
            self.running[assignment.replica] += 1

    def ended(self, assignment: Assignment) -> None:
        """Note that an answer has ended, or that the replica has failed it. Called once."""
        replica = assignment.replica
        if assignment.has_begun:
            self.running[replica] -= 1
        else:
            self.waiting[replica] -= assignment.num_waiting
        self.requests[replica] -= 1

    def check(self) -> None:
        """Assert the invariants."""
        self.index.check()
        for counts in (self.waiting, self.running, self.requests):
            assert (counts >= 0).all()
        idle = self.requests == 0
        assert not self.waiting[idle].any() and not self.running[idle].any()

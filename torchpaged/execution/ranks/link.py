"""A rank's connection to the others: the channel, who has started whom, and the messages of rank 0."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from torchpaged.ops.collectives import Channel, Group

# The message after which the others end; all other messages are calls of the executor.
STOP = "stop"


class Started(Protocol):
    """The other ranks, which this process has started."""

    def join(self, timeout: float) -> bool:
        """Wait until all have ended; False if they have not after so many seconds.

        Raises:
            Exception: one has failed: rank `error_index` + 1.
        """
        ...

    def wait(self, seconds: float) -> None:
        """Wait until all have ended, at most so many seconds."""
        ...

    def kill(self) -> None:
        """End those that have not."""
        ...


@dataclass(eq=False)  # without slots: `start` has a weak reference
class Link:
    """A rank's connection to the others.

    Args:
        channel: carries the executor's calls, from rank 0 to the others.
        group: of the collectives.
        num_local: number of ranks on this machine.
        local_rank: number of this rank on its machine.
        processes: the other ranks, if this process has started them.
        failure: the traceback of the rank that failed first.
        ending: set once the others are told to end.
        owner: id of the process that ends the others; a fork of it does not.
        restore: undoes what starting the others has changed in this process.
    """

    channel: Channel
    group: Group
    num_local: int
    local_rank: int
    processes: Started | None = None
    failure: list[str] = field(default_factory=list)
    ending: threading.Event = field(default_factory=threading.Event)
    owner: int = field(default_factory=os.getpid)
    restore: Callable[[], object] = lambda: None

    @property
    def rank(self) -> int:
        """Number of this rank."""
        return self.group.rank

    @property
    def world(self) -> int:
        """Number of ranks."""
        return self.group.world


def send(channel: Channel, name: str, args: Sequence[Any] = ()) -> None:
    """Send a call, or `STOP`, from rank 0 to the others.

    Raises:
        RankFailure: a rank has failed, or reads no messages.
    """
    channel.post(pickle.dumps((name, args), protocol=5))


def receive(channel: Channel) -> tuple[str, Sequence[Any]]:
    """Wait for what rank 0 sends next.

    Raises:
        RankFailure: rank 0 has failed or ended.
    """
    return cast("tuple[str, Sequence[Any]]", pickle.loads(channel.receive()))

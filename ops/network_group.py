"""Ranks of several machines: tensors on the CPU, and messages from rank 0 to all others, over gloo's connections.

A rank sends its tensors to each other one, and sums are added here: gloo's own would depend on the number of rows, and
round in the tensor's dtype. A closed connection ends all waits, so a process that dies is noticed at once.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.collectives import Collectives, RankFailure, register

# Seconds between messages that say that rank 0 lives; and without any after which it does not, while there is no limit.
_PULSE, _SILENCE = 2.0, 60.0
# Seconds that connecting may take; and a wait without a limit, in which a rank that dies closes its connections.
_CONNECTING, _ENDLESS = timedelta(minutes=5), timedelta(days=1)
_MOST_UNREAD = 16  # messages
_ALIVE = -1  # instead of a message's length
_TENSORS, _LENGTHS, _MESSAGES, _CLOSING = range(4)  # tags
# Seconds in which the rank that has noticed a failure first writes down whose it is.
_PAUSE = 0.2
# Seconds that the store has to answer.
_ANSWERING = 1.0
_FAILED = "failed"  # key of the store


class NetworkGroup(Collectives):
    """Ranks of several machines.

    Args:
        store: of torch.distributed, the same for all ranks.
    """

    def __init__(self, store: Any, rank: int, world: int) -> None:
        self.rank, self.world = rank, world
        self._store = store
        # Messages have connections of their own: a wait that times out closes those of its group.
        self._tensors: Any = self._connected("tensors")
        self._messages: Any = self._connected("messages")
        self._limit = _ENDLESS
        self._failed: int | None = None
        self._others = [each for each in range(world) if each != rank]
        self.number = register(self)
        # Of each rank, with the message that is being sent.
        self._unread: dict[int, deque[bytes]] = {each: deque() for each in self._others}
        self._changed = threading.Condition()  # guards them
        if not rank:
            # Each rank has a thread: gloo sends when the other reads, and one in a long call does not.
            for each in self._others:
                threading.Thread(target=self._send, args=(each,), name="torchpaged-ranks", daemon=True).start()

    def _connected(self, name: str) -> Any:
        import torch.distributed as dist

        return dist.ProcessGroupGloo(dist.PrefixStore(name, self._store), self.rank, self.world, _CONNECTING)

    # --- Collectives ---------------------------------------------------------------------------------------------

    def sum(self, x: Tensor) -> Tensor:
        """Add the ranks' tensors in ascending order, in float32."""
        first, *others = self._exchanged(x)
        total = first.float()
        for each in others:
            total = total + each.float()
        return total.to(x.dtype)

    def concatenate(self, x: Tensor) -> Tensor:
        """Return the ranks' tensors side by side."""
        return torch.cat(self._exchanged(x), -1)

    def _exchanged(self, x: Tensor) -> list[Tensor]:
        """Return the tensors of all ranks."""
        own = x.contiguous()
        parts = [own if each == self.rank else torch.empty_like(own) for each in range(self.world)]
        if not own.numel():
            return parts
        data = [each.view(-1).view(torch.uint8) for each in parts]
        sent = [self._begin(self._tensors.send, data[self.rank], each, _TENSORS) for each in self._others]
        for each in self._others:
            self._wait(self._begin(self._tensors.recv, data[each], each, _TENSORS), each, "has not come to a sum")
        for each, work in zip(self._others, sent, strict=True):
            self._wait(work, each, "has not come to a sum")
        return parts

    # --- Messages ------------------------------------------------------------------------------------------------

    def post(self, message: bytes) -> None:
        """Send a message to all other ranks, from any thread.

        Raises:
            RankFailure: a rank has failed, or reads no messages.
        """
        assert not self.rank, "rank 0 alone posts"
        if not self._has_room(_MOST_UNREAD - 1, self._limit.total_seconds()) and self._failed is None:
            raise self._failure(max(self._others, key=lambda each: len(self._unread[each])), "reads no messages")
        if self._failed is not None:
            raise RankFailure(f"rank {self._failed} has failed or ended")
        with self._changed:
            for unread in self._unread.values():
                unread.append(message)
            self._changed.notify_all()

    def flush(self, seconds: float) -> None:
        """Wait until all have read all messages, at most so many seconds."""
        self._has_room(0, seconds)

    def _has_room(self, most: int, seconds: float) -> bool:
        """Wait until no rank has more messages to read, or a rank has failed."""

        def has_room() -> bool:
            return self._failed is not None or all(len(unread) <= most for unread in self._unread.values())

        with self._changed:
            return self._changed.wait_for(has_room, seconds)

    def _send(self, rank: int) -> None:
        """Send a rank its messages, each once it has read the one before, and now and then that rank 0 lives."""
        unread = self._unread[rank]
        while self._failed is None:
            with self._changed:
                self._changed.wait_for(lambda: unread, _PULSE)
                message = unread[0] if unread else None
            with contextlib.suppress(RankFailure):
                self._send_one(message, rank)
            with self._changed:
                if message is not None:
                    unread.popleft()
                self._changed.notify_all()

    def _send_one(self, message: bytes | None, rank: int) -> None:
        data = [(torch.tensor([_ALIVE if message is None else len(message)]), _LENGTHS)]
        if message:
            data.append((torch.frombuffer(bytearray(message), dtype=torch.uint8), _MESSAGES))
        for work in [self._begin(self._messages.send, each, rank, tag) for each, tag in data]:
            self._wait(work, rank, "reads no messages", _ENDLESS)

    def receive(self) -> bytes:
        """Wait for the next message of rank 0.

        Raises:
            RankFailure: rank 0 has failed or ended.
        """
        length = torch.tensor([_ALIVE])
        while int(length) == _ALIVE:
            self._read(length, _LENGTHS)
        data = torch.empty(int(length), dtype=torch.uint8)
        if len(data):
            self._read(data, _MESSAGES)
        return data.numpy().tobytes()

    def _read(self, data: Tensor, tag: int) -> None:
        work = self._begin(self._messages.recv, data, 0, tag)
        silence = timedelta(seconds=_SILENCE) if self._limit == _ENDLESS else self._limit + timedelta(seconds=_PULSE)
        self._wait(work, 0, "sends no messages", silence)

    # --- Failures ------------------------------------------------------------------------------------------------

    def set_limit(self, seconds: float | None) -> None:
        """Give a rank up that comes so much later than this one to a collective; None: wait as long as it lives."""
        self._limit = _ENDLESS if seconds is None else timedelta(seconds=seconds)

    def give_up(self, rank: int) -> None:
        """End the waits of all ranks, because this one has failed or ended."""
        self._blame(rank)

    @property
    def failed(self) -> int | None:
        """The rank that was given up first, as far as this one knows; None: all live."""
        return self._failed

    def _begin(self, call: Callable[..., Any], data: Tensor, rank: int, tag: int) -> Any:
        try:
            return call([data], rank, tag)
        except RuntimeError as error:
            raise self._failure(rank, "has failed or ended") from error

    def _wait(self, work: Any, rank: int, late: str, limit: timedelta | None = None) -> None:
        try:
            work.wait(self._limit if limit is None else limit)
        except RuntimeError as error:
            is_late = "Timed out" in str(error)
            if not is_late:  # the other may have closed its connections because of a third
                time.sleep(_PAUSE)
            raise self._failure(rank, late if is_late else "has failed or ended") from error

    def _failure(self, rank: int, why: str) -> RankFailure:
        self._blame(rank)
        return RankFailure(f"rank {self._failed} {why if self._failed == rank else 'has failed or ended'}")

    def _blame(self, rank: int) -> None:
        """Note which rank has failed, the first that any rank noticed if the store can be asked; end all waits."""
        if self._failed is not None:
            return
        found = [rank]
        asking = threading.Thread(target=self._ask_store, args=(rank, found), daemon=True)
        asking.start()
        asking.join(_ANSWERING)  # the store may be in the process that hangs
        self._failed = found[-1]
        for group in (self._tensors, self._messages):
            with contextlib.suppress(RuntimeError):  # its `abort` closes nothing, a wait that ends early does
                group.recv([torch.empty(1)], self._others[0], _CLOSING).wait(timedelta(milliseconds=1))

    def _ask_store(self, rank: int, found: list[int]) -> None:
        with contextlib.suppress(RuntimeError, ValueError):
            found.append(int(self._store.compare_set(_FAILED, "", str(rank)).decode()))

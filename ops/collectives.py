"""Sums and concatenations over ranks, as operators that compilers and traced programs call like any other.

`all_reduce` and `all_gather` of `torchpaged_ranks` are for processes of one machine that share memory (csrc/cpu/
ranks.cpp); those of `torchpaged_ranks_c10d` use process groups of torch, NCCL's and gloo's (`network_group`). All ranks
must call them in the same order.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from torchpaged.ops import cpu

_SCHEMAS = ("all_reduce(Tensor x, int group) -> Tensor", "all_gather(Tensor x, int group) -> Tensor")
# Results of csrc/cpu/ranks.cpp.
_REACHED, _FAILED, _TIMED_OUT, _ORPHANED = 0, -1, -2, -3
_TICKS_PER_SECOND = 10


class RankFailure(RuntimeError):
    """Another rank has failed, ended, or does not answer."""


class Group(Protocol):
    """Ranks that compute together.

    Attributes:
        rank: of this process, 0 to world - 1.
        world: number of ranks.
    """

    rank: int
    world: int

    def all_reduce(self, x: Tensor) -> Tensor:
        """Return the sum over ranks, with the same bits on each."""
        ...

    def all_gather(self, x: Tensor) -> Tensor:
        """Return the ranks' tensors side by side in their last dimension."""
        ...


class Channel(Group, Protocol):
    """A group that also has messages from rank 0 to all others. Once a rank has failed, every call raises RankFailure.

    Attributes:
        failed: the rank that was given up first; None: all live.
    """

    @property
    def failed(self) -> int | None: ...

    def set_limit(self, seconds: float | None) -> None:
        """Give a rank up that comes so much later than this one to a collective; None: wait as long as it lives."""
        ...

    def give_up(self, rank: int) -> None:
        """End the waits of all ranks, because this one has failed or ended."""
        ...

    def post(self, message: bytes) -> None:
        """Send a message to all other ranks, from any thread.

        Raises:
            RankFailure: a rank has failed, or reads no messages.
        """
        ...

    def flush(self, seconds: float) -> None:
        """Wait until the other ranks can read all messages though this process ends, at most so many seconds."""
        ...

    def receive(self) -> bytes:
        """Wait for the next message of rank 0.

        Raises:
            RankFailure: a rank has failed, or rank 0 has ended.
        """
        ...


def least(group: Group, numbers: Sequence[int]) -> list[int]:
    """Return the minimum over ranks of each number."""
    own = torch.tensor(numbers, dtype=torch.int64).view(-1, 1)
    return [min(each) for each in group.all_gather(own).tolist()]


class SharedMemoryGroup:
    """Ranks of one machine: tensors on the CPU, and messages from rank 0 to all others, through a segment of memory.

    Args:
        memory: the segment, zeroed by its creator.
        parent: process that must live for this rank to go on; 0: none.
    """

    def __init__(self, memory: memoryview, rank: int, world: int, parent: int = 0) -> None:
        self.rank, self.world = rank, world
        self._memory = memory  # stays mapped
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        number = ctypes.c_int64
        self._join = cpu._function("torchpaged_ranks_join", [ctypes.c_void_p, *[ctypes.c_int] * 3], number)
        self.number = int(self._join(address, rank, world, parent))
        self._post = cpu._function(
            "torchpaged_ranks_post", [number, ctypes.c_char_p, number, ctypes.c_int], ctypes.c_int
        )
        self._receive = cpu._function("torchpaged_ranks_receive", [number, ctypes.c_char_p], number)
        self._limit = cpu._function("torchpaged_ranks_limit", [number, number])
        self._give_up = cpu._function("torchpaged_ranks_give_up", [number, ctypes.c_int])
        self._failed = cpu._function("torchpaged_ranks_failed", [number], ctypes.c_int)
        self._slot = int(cpu._function("torchpaged_ranks_slot_bytes", [], number)())
        self._buffer = ctypes.create_string_buffer(self._slot)
        self._posting = threading.Lock()

    @staticmethod
    def num_bytes(world: int) -> int:
        """Return the size of a segment; 0 if there are too many ranks, or no C++ library."""
        if cpu._library() is None:
            return 0
        return int(cpu._function("torchpaged_ranks_bytes", [ctypes.c_int], ctypes.c_int64)(world))

    def all_reduce(self, x: Tensor) -> Tensor:
        """`Group.all_reduce`."""
        summed: Tensor = torch.ops.torchpaged_ranks.all_reduce(x.contiguous(), self.number)
        return summed

    def all_gather(self, x: Tensor) -> Tensor:
        """`Group.all_gather`."""
        gathered: Tensor = torch.ops.torchpaged_ranks.all_gather(x.contiguous(), self.number)
        return gathered

    def set_limit(self, seconds: float | None) -> None:
        """Give a rank up that comes so much later than this one to a collective; None: wait as long as it lives."""
        self._limit(self.number, -1 if seconds is None else max(1, round(seconds * _TICKS_PER_SECOND)))

    def give_up(self, rank: int) -> None:
        """End the waits of all ranks, because this one has failed or ended."""
        self._give_up(self.number, rank)

    @property
    def failed(self) -> int | None:
        """The rank that was given up first; None: all live."""
        rank = self._failed(self.number)
        return None if rank < 0 else rank

    def post(self, message: bytes) -> None:
        """Send a message to all other ranks, from any thread; waits only if one is many messages behind.

        Raises:
            RankFailure: a rank has failed, or reads no messages.
        """
        assert not self.rank, "rank 0 alone posts: two writers would overwrite each other's messages"
        pieces = [message[i : i + self._slot] for i in range(0, len(message), self._slot)] or [b""]
        with self._posting:
            for place, piece in enumerate(pieces):
                self._require(self._post(self.number, piece, len(piece), place < len(pieces) - 1))

    def flush(self, seconds: float) -> None:
        """Return at once: messages lie in memory that this process does not take with it."""

    def receive(self) -> bytes:
        """Wait for the next message of rank 0.

        Raises:
            RankFailure: a rank has failed, or rank 0 has ended.
        """
        pieces: list[bytes] = []
        while True:
            count = self._receive(self.number, self._buffer)
            self._require(count)
            more = count > self._slot
            # Not `_buffer.raw`, which copies the whole buffer.
            pieces.append(ctypes.string_at(self._buffer, count - more * (self._slot + 1)))
            if not more:
                return b"".join(pieces) if len(pieces) > 1 else pieces[0]

    def _require(self, status: int) -> None:
        if status >= _REACHED:
            return
        reason = "has failed or ended" if status == _FAILED else "reads no messages"
        raise RankFailure("rank 0 has ended" if status == _ORPHANED else f"rank {self.failed} {reason}")


class Collectives(Protocol):
    """Computes the operators of `torchpaged_ranks_c10d`, by which a compiled program calls it.

    Attributes:
        world: number of ranks.
        number: what `register` has returned for it.
    """

    world: int
    number: int

    def all_reduce(self, x: Tensor) -> Tensor:
        """`Group.all_reduce`."""
        summed: Tensor = torch.ops.torchpaged_ranks_c10d.all_reduce(x, self.number)
        return summed

    def all_gather(self, x: Tensor) -> Tensor:
        """`Group.all_gather`."""
        gathered: Tensor = torch.ops.torchpaged_ranks_c10d.all_gather(x, self.number)
        return gathered

    def sum(self, x: Tensor) -> Tensor:
        """Add the ranks' tensors."""
        ...

    def concatenate(self, x: Tensor) -> Tensor:
        """Return the ranks' tensors side by side."""
        ...


class ProcessGroup(Collectives):
    """Ranks that compute through a process group of torch.

    Args:
        group: NCCL's.
    """

    def __init__(self, group: Any) -> None:
        self.group, self.rank, self.world = group, group.rank(), group.size()
        self.number = register(self)

    def sum(self, x: Tensor) -> Tensor:
        """Add the ranks' tensors."""
        summed = x.clone(memory_format=torch.contiguous_format)
        self.group.allreduce([summed]).wait()
        return summed

    def concatenate(self, x: Tensor) -> Tensor:
        """Return the ranks' tensors side by side."""
        parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(self.world)]
        self.group.allgather([parts], [x.contiguous()]).wait()
        return torch.cat(parts, -1)


_registered: list[Collectives] = []


def register(group: Collectives) -> int:
    """Return the number by which `torchpaged_ranks_c10d` has a group."""
    _registered.append(group)
    return len(_registered) - 1


_libraries = []
for _name in ("torchpaged_ranks", "torchpaged_ranks_c10d"):
    _library = torch.library.Library(_name, "DEF")
    for _schema in _SCHEMAS:
        _library.define(_schema)
    _libraries.append(_library)
for _key in ("CPU", "CUDA"):
    _libraries[1].impl("all_reduce", lambda x, group: _registered[group].sum(x), _key)
    _libraries[1].impl("all_gather", lambda x, group: _registered[group].concatenate(x), _key)
for _name in ("torchpaged_ranks", "torchpaged_ranks_c10d"):
    torch.library.register_fake(f"{_name}::all_reduce", lambda x, group: torch.empty_like(x))
torch.library.register_fake(
    "torchpaged_ranks_c10d::all_gather",
    lambda x, group: x.new_empty(*x.shape[:-1], x.shape[-1] * _registered[group].world),
)

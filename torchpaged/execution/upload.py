"""Upload: what a step sends to the device, packed into one buffer and sent by one copy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.errors import EngineError
from torchpaged.ops import devices

# Bytes: a vector register, and more than any kernel asks of a pointer. The first ones stay empty: an offset of 0 is a
# case of its own for torch.compile.
_ALIGNMENT = 64
_DTYPES = {
    np.dtype(np.int64): torch.int64,
    np.dtype(np.int32): torch.int32,
    np.dtype(np.float32): torch.float32,
}


def placed(values: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor of its own on the device; nothing waits for the copy."""
    tensor = torch.from_numpy(values)
    if device.type == "cpu":
        return tensor
    pinned = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    return pinned.copy_(tensor).to(device, non_blocking=True)


def packed_bytes(sizes: Iterable[int]) -> int:
    """The capacity that an `Upload` needs for arrays of so many bytes, put in this order."""
    end = _ALIGNMENT
    for size in sizes:
        end = _aligned(end) + size
    return end


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


class Upload:
    """Arrays written one after the other into host memory, and their places on the device.

    `start`, then `put` array by array, then `send`. The same sizes in the same order lie at the same addresses every
    time, unless the buffer had to grow. On the CPU both sides are one memory and nothing is copied.

    On CUDA the host's side is pinned, and there are two of it: one is written while the other may still be read.

    Invariants: views that `put` returned hold what was put once `send` was called, in the order of the stream,
    until the next `start`.

    Args:
        device: where the arrays go.
        capacity: bytes to begin with.
        fixed: whether the buffer stays where it is, since somebody keeps its addresses: what does not fit is an
            EngineError then.
    """

    def __init__(self, device: torch.device, capacity: int = 1 << 16, *, fixed: bool = False) -> None:
        self.device, self.fixed = device, fixed
        self._place = 0  # which host buffer is written
        self._sent: list[torch.cuda.Event | None] = [None, None]
        self._allocate(capacity)

    def start(self) -> None:
        """Begins a new step's arrays."""
        self._end = _ALIGNMENT
        self._place = 1 - self._place
        if (sent := self._sent[self._place]) is not None:
            sent.synchronize()

    def put(self, values: NDArray[Any]) -> Tensor:
        """The place of an array on the device, of its shape and dtype: int64, int32 or float32."""
        begin = _aligned(self._end)
        end = begin + values.nbytes
        if end > self._capacity:
            if self.fixed:
                raise EngineError(
                    f"Upload: an array of {values.nbytes} bytes ends at {end}, the buffer has {self._capacity} and "
                    "must not move: graphs hold its addresses; give it the capacity that packed_bytes computes"
                )
            self.send()  # what was put so far stays where it is
            self._allocate(2 * end + _ALIGNMENT)
            begin, end = _ALIGNMENT, _ALIGNMENT + values.nbytes
        self._end = end
        self._host[self._place][begin:end].view(values.dtype).reshape(values.shape)[...] = values
        return self._device[begin:end].view(_DTYPES[values.dtype]).view(values.shape)

    def send(self) -> None:
        """Copies what was put, without waiting for it."""
        if self._pinned:
            source = self._pinned[self._place]
            with devices.current(self.device):
                self._device[: self._end].copy_(source[: self._end], non_blocking=True)
                event = self._sent[self._place] = torch.cuda.Event()
                event.record()

    def _allocate(self, capacity: int) -> None:
        self._capacity, self._end = capacity, _ALIGNMENT
        self._pinned: list[Tensor] = []
        self._device = torch.zeros(capacity, dtype=torch.uint8, device=self.device)
        if self.device.type == "cpu":
            self._host = [self._device.numpy()] * 2
        else:
            with devices.current(self.device):  # pinning takes the current device's context, and makes one if need be
                self._pinned = [torch.zeros(capacity, dtype=torch.uint8, pin_memory=True) for _ in range(2)]
            self._host = [buffer.numpy() for buffer in self._pinned]
            self._sent = [None, None]

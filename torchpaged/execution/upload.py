"""Upload: a step's arrays, packed into one buffer and sent to the device by one copy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.errors import EngineError
from torchpaged.ops import devices

# Bytes: a vector register, and at least what any kernel requires of a pointer. The first ones stay unused, since
# torch.compile specialises on a storage offset of 0.
_ALIGNMENT = 64
_DTYPES = {
    np.dtype(np.int64): torch.int64,
    np.dtype(np.int32): torch.int32,
    np.dtype(np.float32): torch.float32,
}


def placed(values: NDArray[Any], device: torch.device) -> Tensor:
    """Copy an array to a tensor of its own on the device, without waiting."""
    tensor = torch.from_numpy(values)
    if device.type == "cpu":
        return tensor
    pinned = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    return pinned.copy_(tensor).to(device, non_blocking=True)


def packed_bytes(sizes: Iterable[int]) -> int:
    """Return the capacity that an `Upload` needs for arrays of these sizes in bytes, put in this order."""
    end = _ALIGNMENT
    for size in sizes:
        end = _aligned(end) + size
    return end


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


class Upload:
    """Staging buffer: arrays written one after the other into host memory, and the same layout on the device.

    Call `begin`, then `put` for each array, then `send`. The same sizes in the same order have the same addresses every
    time, unless the buffer had to grow. On the CPU both sides share memory and nothing is copied. On CUDA the host's
    side is pinned and double-buffered, so that one buffer can be written while the other is still being read.

    Invariants: views returned by `put` hold their arrays after `send`, in the order of the stream, until the next
    `begin`.

    Args:
        device: where the arrays go.
        capacity: initial bytes.
        fixed: if the buffer must not move, because CUDA graphs hold its addresses; an array that does not fit raises
            EngineError then.
    """

    def __init__(self, device: torch.device, capacity: int = 1 << 16, *, fixed: bool = False) -> None:
        self.device, self.fixed = device, fixed
        self._place = 0  # the host buffer that is written
        self._sent: list[torch.cuda.Event | None] = [None, None]
        self._allocate(capacity)

    def begin(self) -> None:
        """Begin a new step's arrays, after waiting for the last copy from the same host buffer."""
        self._end = _ALIGNMENT
        self._place = 1 - self._place
        if (sent := self._sent[self._place]) is not None:
            sent.synchronize()

    def put(self, values: NDArray[Any]) -> Tensor:
        """Add an array of int64, int32 or float32; return the tensor on the device that will hold it."""
        begin = _aligned(self._end)
        end = begin + values.nbytes
        if end > self._capacity:
            if self.fixed:
                raise EngineError(
                    f"Upload: an array of {values.nbytes} bytes ends at {end}, the buffer has {self._capacity} and "
                    "must not move: graphs hold its addresses; give it the capacity that packed_bytes computes"
                )
            self.send()  # arrays put so far stay in the old buffer
            self._allocate(2 * end + _ALIGNMENT)
            begin, end = _ALIGNMENT, _ALIGNMENT + values.nbytes
        self._end = end
        self._host[self._place][begin:end].view(values.dtype).reshape(values.shape)[...] = values
        return self._device[begin:end].view(_DTYPES[values.dtype]).view(values.shape)

    def send(self) -> None:
        """Copy the arrays to the device, without waiting."""
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

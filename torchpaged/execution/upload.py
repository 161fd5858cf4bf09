"""Upload: a step's arrays, packed into one buffer and sent to the device by one copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.errors import EngineError
from torchpaged.ops import devices

# Bytes: a vector register, and at least what any kernel requires of a pointer. The first ones stay unused, since
# torch.compile specialises on a storage offset of 0.
_ALIGNMENT = 64
# Most layouts whose views are kept: a decode step's change when a table grows or a sequence comes or goes.
_MOST_LAYOUTS = 64
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

    Arrays of the same sizes in the same order have the same addresses every time, unless the buffer had to grow. On the
    CPU both sides share memory and nothing is copied. On CUDA the host's side is pinned and double-buffered, so that
    one buffer can be written while the other is still being read.

    Invariants: the tensors that `send` returns hold its arrays, in the order of the stream, until the next `send`.

    Args:
        device: where the arrays go.
        capacity: initial bytes.
        fixed: if the buffer must not move, because CUDA graphs hold its addresses; arrays that do not fit raise
            EngineError then.
    """

    def __init__(self, device: torch.device, capacity: int = 1 << 16, *, fixed: bool = False) -> None:
        self.device, self.fixed = device, fixed
        self._place = 0  # the host buffer that is written
        self._allocate(capacity)

    def send(self, arrays: Sequence[NDArray[Any]]) -> Sequence[Tensor]:
        """Copy arrays of int64, int32 or float32 to the device, and return the tensors that will hold them.

        Waits only for the last copy from the same host buffer. Arrays of the same dtypes and shapes as before get the
        same tensors as before, in the same list, unless the buffer had to grow.
        """
        key = tuple([(each.dtype, each.shape) for each in arrays])
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._lay_out(key, arrays)
        self._place = 1 - self._place
        if (sent := self._sent[self._place]) is not None:
            sent.synchronize()
        for view, values in zip(layout.host[self._place], arrays, strict=True):
            view[...] = values
        if self._pinned:
            source = self._pinned[self._place]
            with devices.current(self.device):
                self._device[: layout.size].copy_(source[: layout.size], non_blocking=True)
                event = self._sent[self._place] = torch.cuda.Event()
                event.record()
        return layout.device

    def _lay_out(self, key: tuple[Any, ...], arrays: Sequence[NDArray[Any]]) -> _Layout:
        """Make the views that hold arrays of these dtypes and shapes."""
        size = packed_bytes(each.nbytes for each in arrays)
        if size > self._capacity:
            if self.fixed:
                raise EngineError(
                    f"Upload: arrays of {size} bytes do not fit, the buffer has {self._capacity} and must not move: "
                    "graphs hold its addresses; give it the capacity that packed_bytes computes"
                )
            self._allocate(2 * size)
        if len(self._layouts) >= _MOST_LAYOUTS:
            self._layouts.clear()
        host: tuple[list[NDArray[Any]], list[NDArray[Any]]] = ([], [])
        device = []
        end = _ALIGNMENT
        for each in arrays:
            begin = _aligned(end)
            end = begin + each.nbytes
            for views, buffer in zip(host, self._host, strict=True):
                views.append(buffer[begin:end].view(each.dtype).reshape(each.shape))
            device.append(self._device[begin:end].view(_DTYPES[each.dtype]).view(each.shape))
        layout = self._layouts[key] = _Layout(host, device, size)
        return layout

    def _allocate(self, capacity: int) -> None:
        self._capacity = capacity
        self._layouts: dict[tuple[Any, ...], _Layout] = {}
        self._sent: list[torch.cuda.Event | None] = [None, None]
        self._pinned: list[Tensor] = []
        self._device = torch.zeros(capacity, dtype=torch.uint8, device=self.device)
        if self.device.type == "cpu":
            self._host = [self._device.numpy()] * 2
        else:
            with devices.current(self.device):  # pinning takes the current device's context, and makes one if need be
                self._pinned = [torch.zeros(capacity, dtype=torch.uint8, pin_memory=True) for _ in range(2)]
            self._host = [buffer.numpy() for buffer in self._pinned]


class _Layout(NamedTuple):
    """Views that hold arrays of some dtypes and shapes: in each host buffer, and on the device."""

    host: tuple[list[NDArray[Any]], list[NDArray[Any]]]
    device: list[Tensor]
    size: int

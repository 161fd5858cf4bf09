"""PoolBytes: a pool's blocks as bytes, for the store below it. Owns no memory and no threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.ops import devices
from torchpaged.prefix_store.protocol import Value

Bytes: TypeAlias = NDArray[np.uint8]


class PoolBytes:
    """The blocks of one pool as rows of bytes: a value is a block's part of each tensor, one after the other.

    Args:
        tensors: of the pool, [num_blocks, ...], with each block in one piece of memory.

    Attributes:
        num_blocks, block_bytes: number of blocks and size of each.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._rows = [_rows(tensor) for tensor in tensors]
        self.num_blocks = len(self._rows[0])
        self.block_bytes = sum(rows.shape[1] for rows in self._rows)
        self._device = tensors[0].device
        self._on_cuda = self._device.type == "cuda"
        self._arrays: list[Bytes] = [] if self._on_cuda else [rows.numpy() for rows in self._rows]
        self._stream = torch.cuda.Stream(self._device) if self._on_cuda else None

    def host_memory(self, num_bytes: int) -> Bytes:
        """Return memory of the host that blocks are copied to and from fast."""
        if not self._on_cuda:
            return np.empty(num_bytes, np.uint8)
        memory: Bytes = torch.empty(num_bytes, dtype=torch.uint8, pin_memory=True).numpy()
        return memory

    def copy_out(self, block_ids: Sequence[int]) -> Copied:
        """Copy blocks to the host, in the order of the current stream."""
        if not self._on_cuda:
            made: list[Bytes] = [np.empty(self.block_bytes, np.uint8) for _ in block_ids]
            for block_id, row in zip(block_ids, made, strict=True):
                first = 0
                for array in self._arrays:
                    row[first : first + array.shape[1]] = array[block_id]
                    first += array.shape[1]
            return Copied(made)
        with devices.current(self._device), torch.inference_mode():
            places = torch.tensor(block_ids, pin_memory=True).to(self._device, non_blocking=True)
            rows = torch.cat([rows.index_select(0, places) for rows in self._rows], dim=1)
            host = torch.empty(rows.shape, dtype=torch.uint8, pin_memory=True)
            host.copy_(rows, non_blocking=True)
            event = torch.cuda.Event()
            event.record()
        return Copied(list(host.numpy()), lambda: self._wait(event))

    def after_now(self) -> Callable[[], None]:
        """Return a function that makes the copies into the pool wait for all that has been launched until now."""
        if self._stream is None:
            return _nothing
        with devices.current(self._device):
            event = torch.cuda.Event()
            event.record()
        stream = self._stream
        return lambda: stream.wait_event(event)

    def copy_in(self, block_id: int, value: Value) -> bool:
        """Write a value into a block. Returns False, changing nothing, if it has another size."""
        source = np.frombuffer(value, np.uint8)
        if source.size != self.block_bytes:
            return False
        first = 0
        if self._stream is None:
            for array in self._arrays:
                array[block_id] = source[first : first + array.shape[1]]
                first += array.shape[1]
            return True
        with devices.current(self._device), torch.inference_mode(), torch.cuda.stream(self._stream):
            # A value of the host tier lies in pinned memory already; others cannot be written to, or are not pinned.
            staged = torch.from_numpy(source) if source.flags.writeable else None
            if staged is None or not staged.is_pinned():
                staged = torch.empty(source.size, dtype=torch.uint8, pin_memory=True)
                staged.numpy()[:] = source
            made = staged.to(self._device, non_blocking=True)
            for rows in self._rows:
                rows[block_id].copy_(made[first : first + rows.shape[1]])
                first += rows.shape[1]
            event = torch.cuda.Event()
            event.record()
            # Not by the stream: that raises while another thread tries a forward under torch's sync debug mode.
            event.synchronize()
        return True

    def _wait(self, event: torch.cuda.Event) -> None:
        """Wait in whichever thread calls; its current device may be another one."""
        with devices.current(self._device):
            event.synchronize()


class Copied(NamedTuple):
    """Blocks on their way to the host: `values` may be read after `wait`."""

    values: Sequence[Bytes]
    wait: Callable[[], None] = lambda: None


def _rows(tensor: Tensor) -> Tensor:
    """View a pool's tensor as [num_blocks, bytes of a block]."""
    size = tensor[0].numel()
    assert tensor.stride(0) == size and tensor.storage_offset() == 0, "a block is not in one piece of memory"
    return torch.as_strided(tensor, (tensor.shape[0], size), (size, 1)).view(torch.uint8)


def _nothing() -> None:
    """Do nothing."""

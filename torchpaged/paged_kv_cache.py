"""PagedKVCache: the pool's tensors, one key and one value tensor a layer. Owns the memory, not its use."""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from torchpaged.attention_metadata import LayerCache
from torchpaged.errors import ConfigError

_HUGE_PAGE = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LayerShape:
    """What one attention layer keeps of a token."""

    num_kv_heads: int
    head_dim: int
    head_dim_v: int

    @property
    def elements(self) -> int:
        """Numbers that one token takes in this layer."""
        return self.num_kv_heads * (self.head_dim + self.head_dim_v)


class PagedKVCache:
    """A model's pool: for each layer [num_blocks, block_size, num_kv_heads, head_dim], keys and values apart.

    On the CPU the storage is heads first ([num_blocks, num_kv_heads, block_size, head_dim], seen through a
    transposed view), so that a KV head's tokens of a block are one sequential stream, and it lies on 2 MiB
    pages. On CUDA it is tokens first. Slots that nobody wrote hold zeros.

    Args:
        layers: the shape of each layer by its index.
        num_blocks: blocks in the pool, the null block included.
        block_size: tokens in a block.
        dtype: of the tensors; an 8-bit one adds a float32 scale for each token and head, keys and values apart.
        device: of the tensors.
    """

    def __init__(
        self,
        layers: Mapping[int, LayerShape],
        num_blocks: int,
        block_size: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.num_blocks, self.block_size = num_blocks, block_size
        self.dtype, self.device = dtype, device
        self.layers = dict(layers)
        self.bytes_per_block = bytes_per_block(self.layers.values(), block_size, dtype)
        self.caches: dict[int, LayerCache] = {
            index: LayerCache(
                self._tensor(shape.num_kv_heads, shape.head_dim),
                self._tensor(shape.num_kv_heads, shape.head_dim_v),
                *(self._scales(shape.num_kv_heads) for _ in range(2 if dtype.itemsize == 1 else 0)),
            )
            for index, shape in self.layers.items()
        }

    @property
    def nbytes(self) -> int:
        """Bytes of the whole pool."""
        return self.num_blocks * self.bytes_per_block

    def _tensor(self, heads: int, dim: int) -> Tensor:
        if self.device.type != "cpu":
            shape = (self.num_blocks, self.block_size, heads, dim)
            return torch.zeros(shape, dtype=self.dtype, device=self.device)
        return huge_page_zeros((self.num_blocks, heads, self.block_size, dim), self.dtype).transpose(1, 2)

    def _scales(self, heads: int) -> Tensor:
        shape = (self.num_blocks, heads, self.block_size)
        return torch.zeros(shape, dtype=torch.float32, device=self.device).transpose(1, 2)

    def by_layer(self) -> Sequence[LayerCache]:
        """The pools as a list that a layer's index reaches into."""
        return [self.caches[index] for index in range(max(self.caches) + 1)]

    def check(self) -> None:
        """Asserts that every tensor is what the operators expect."""
        for index, shape in self.layers.items():
            cache = self.caches[index]
            assert cache.key.shape == (self.num_blocks, self.block_size, shape.num_kv_heads, shape.head_dim)
            assert cache.value.shape == (
                self.num_blocks,
                self.block_size,
                shape.num_kv_heads,
                shape.head_dim_v,
            )
            # torch.compile loses the storage offset of a mutated view (FACTS.md).
            assert cache.key.storage_offset() == 0 and cache.value.storage_offset() == 0


def bytes_per_block(layers: Iterable[LayerShape], block_size: int, dtype: torch.dtype) -> int:
    """What one block takes over all layers: keys and values, and their scales where the dtype has 8 bits."""

    def per_token(shape: LayerShape) -> int:
        scales = 2 * shape.num_kv_heads * torch.float32.itemsize if dtype.itemsize == 1 else 0
        return shape.elements * dtype.itemsize + scales

    return block_size * sum(per_token(shape) for shape in layers)


def huge_page_zeros(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """A zeroed CPU tensor on 2 MiB pages where the system grants them: reads are then about 1.4x faster.

    The memory is only reserved: pages are taken when they are first written.
    """
    count = math.prod(shape)
    size = max(1, count * dtype.itemsize)
    region = mmap.mmap(-1, size + _HUGE_PAGE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        region.madvise(mmap.MADV_HUGEPAGE)
    # frombuffer makes a storage that begins at the offset, so the tensor's own storage_offset stays 0.
    whole = torch.frombuffer(region, dtype=torch.uint8)
    skip = -whole.data_ptr() % _HUGE_PAGE
    return torch.frombuffer(region, dtype=dtype, count=count, offset=skip).view(*shape)


def free_memory(device: torch.device) -> tuple[int, int]:
    """(free, total) bytes of the device; on the CPU: what the system can hand out without swapping."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/meminfo") as lines:
            free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):  # not Linux: take half
        free = total // 2
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as limit:
                free = min(free, int(limit.read()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return free, total


def size_pool(
    *,
    device: torch.device,
    bytes_per_block: int,
    block_size: int,
    max_model_len: int,
    max_num_seqs: int,
    utilization: float,
    reserve: int = 0,
) -> int:
    """Blocks that fit into memory, the null block included, and no more than the engine could ever fill.

    Args:
        utilization: the share of the device's memory that everything together may take; on the CPU, of what
            is free now.
        reserve: bytes to leave for activations.

    Raises:
        ConfigError: not even one sequence of one block fits.
    """
    free, total = free_memory(device)
    room = int(total * utilization) - (total - free) if device.type == "cuda" else int(free * utilization)
    fits = (room - reserve) // bytes_per_block
    useful = 1 + max_num_seqs * -(-max_model_len // block_size)
    if fits < 2:
        raise ConfigError(
            f"EngineConfig: gpu_memory_utilization {utilization} leaves {max(0, room) >> 20} MiB for the KV cache, "
            f"expected at least two blocks of {bytes_per_block >> 10} KiB; raise it, or free memory"
        )
    return min(fits, useful)

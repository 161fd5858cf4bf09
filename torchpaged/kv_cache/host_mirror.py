"""Twins: which block of the device and which of the host hold the same, while both are in use; Store: the three."""

from __future__ import annotations

from torchpaged.kv_cache.block import KVCacheBlock, PoolKind
from torchpaged.kv_cache.block_pool import BlockPool


class HostMirror:
    """Pairs of a device block and its copy on the host: what is there already is not copied again.

    A pair ends when either block is given back, and when the device's is written. Whoever releases blocks does so
    through this class, so that no pair outlives its content.

    Invariants: both ways of looking a pair up agree; both blocks of a pair are in use.

    Args:
        pool: the device's.
        host_pool: None: there are no pairs.
    """

    def __init__(self, pool: BlockPool, host_pool: BlockPool | None) -> None:
        self._pool, self._host_pool = pool, host_pool
        self._host_of: dict[int, KVCacheBlock] = {}
        self._device_of: dict[int, KVCacheBlock] = {}

    def on_host(self, block: KVCacheBlock) -> KVCacheBlock | None:
        """The host's copy of a device block."""
        return self._host_of.get(block.block_id)

    def on_device(self, host: KVCacheBlock) -> KVCacheBlock | None:
        """The device block that a host block is a copy of."""
        return self._device_of.get(host.block_id)

    def pair(self, block: KVCacheBlock, host: KVCacheBlock) -> None:
        """One has been copied to the other, or will be in this step."""
        self.part(block)
        if (old := self._device_of.get(host.block_id)) is not None:
            self.part(old)
        self._host_of[block.block_id], self._device_of[host.block_id] = host, block

    def part(self, block: KVCacheBlock) -> None:
        """A device block changes: its copy, if there is one, does not."""
        host = self._host_of.pop(block.block_id, None)
        if host is not None:
            del self._device_of[host.block_id]

    def release(self, table: list[KVCacheBlock]) -> None:
        """One owner less for each device block of a table."""
        self._pool.release(table)
        if self._host_of:
            for block in table:
                if block.ref_count == 0:
                    self.part(block)

    def release_host(self, table: list[KVCacheBlock]) -> None:
        """One owner less for each host block of a table."""
        assert self._host_pool is not None
        self._host_pool.release(table)
        for host in table:
            if host.ref_count == 0 and (device := self._device_of.get(host.block_id)) is not None:
                self.part(device)

    def clear(self) -> None:
        """No pairs."""
        self._host_of.clear()
        self._device_of.clear()

    def check(self) -> None:
        """Asserts the invariants."""
        assert {device: host.block_id for device, host in self._host_of.items()} == {
            device.block_id: host for host, device in self._device_of.items()
        }
        for device, host in self._host_of.items():
            assert self._pool.blocks[device].ref_count and host.ref_count, f"block {device} or its host copy is free"


class Store:
    """A pool, its like on the host, and what of one is in the other.

    Args:
        kind: what its blocks hold.
        pool: the device's.
        host_pool: None: nothing is swapped.
    """

    def __init__(self, kind: PoolKind, pool: BlockPool, host_pool: BlockPool | None) -> None:
        self.kind, self.pool, self.host_pool = kind, pool, host_pool
        self.host_mirror = HostMirror(pool, host_pool)

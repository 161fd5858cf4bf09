"""HostMirror: pairs of device and host blocks with the same content. Store: a device pool with its host pool."""

from __future__ import annotations

from torchpaged.kv_cache.block import KVCacheBlock, PoolKind
from torchpaged.kv_cache.block_pool import BlockPool


class HostMirror:
    """Pairs of a device block and its copy on the host, so that a block is not copied twice.

    A pair ends when either block is released, and when the device block is written. Blocks must be released through
    this class, so that no pair outlives its content.

    Invariants: both lookup tables agree; both blocks of a pair are in use.

    Args:
        pool: the device's pool.
        host_pool: the host's pool; None if nothing is swapped.
    """

    def __init__(self, pool: BlockPool, host_pool: BlockPool | None) -> None:
        self._pool, self._host_pool = pool, host_pool
        self._host_of: dict[int, KVCacheBlock] = {}
        self._device_of: dict[int, KVCacheBlock] = {}

    def on_host(self, block: KVCacheBlock) -> KVCacheBlock | None:
        """Return the host copy of a device block, if there is one."""
        return self._host_of.get(block.block_id)

    def on_device(self, host: KVCacheBlock) -> KVCacheBlock | None:
        """Return the device block that a host block is a copy of, if there is one."""
        return self._device_of.get(host.block_id)

    def pair(self, block: KVCacheBlock, host: KVCacheBlock) -> None:
        """Note that one block has been copied to the other, or will be in this step."""
        self.unpair(block)
        if (old := self._device_of.get(host.block_id)) is not None:
            self.unpair(old)
        self._host_of[block.block_id], self._device_of[host.block_id] = host, block

    def unpair(self, block: KVCacheBlock) -> None:
        """End the pair of a device block that is about to change."""
        host = self._host_of.pop(block.block_id, None)
        if host is not None:
            del self._device_of[host.block_id]

    def release(self, table: list[KVCacheBlock]) -> None:
        """Release each device block of a table, to the pool too: where nothing is swapped that is all it does."""
        self._pool.release(table)
        if self._host_of:
            for block in table:
                if block.ref_count == 0:
                    self.unpair(block)

    def release_host(self, table: list[KVCacheBlock]) -> None:
        """Release each host block of a table."""
        assert self._host_pool is not None
        self._host_pool.release(table)
        for host in table:
            if host.ref_count == 0 and (device := self._device_of.get(host.block_id)) is not None:
                self.unpair(device)

    def clear(self) -> None:
        """End all pairs."""
        self._host_of.clear()
        self._device_of.clear()

    def check(self) -> None:
        """Assert the invariants."""
        assert {device: host.block_id for device, host in self._host_of.items()} == {
            device.block_id: host for host, device in self._device_of.items()
        }
        for device, host in self._host_of.items():
            assert self._pool.blocks[device].ref_count and host.ref_count, f"block {device} or its host copy is free"


class Store:
    """A device pool, its host pool, and the pairs between them.

    Args:
        kind: content of the blocks.
        pool: the device's pool.
        host_pool: the host's pool; None if nothing is swapped.
    """

    def __init__(self, kind: PoolKind, pool: BlockPool, host_pool: BlockPool | None) -> None:
        self.kind, self.pool, self.host_pool = kind, pool, host_pool
        self.host_mirror = HostMirror(pool, host_pool)

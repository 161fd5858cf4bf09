"""Opens the store below a runner's pools: that of `EngineConfig.prefix_cache_dir`, behind the host's memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.execution.prefix_file import fingerprint, metadata_of, pools_of
from torchpaged.execution.tier_io import TierIO
from torchpaged.kv_cache import PoolKind
from torchpaged.prefix_store import KVStore, open_store
from torchpaged.prefix_store.checksum import read_key
from torchpaged.prefix_store.host_store import HostStore
from torchpaged.prefix_store.protocol import Value
from torchpaged.utils.system_memory import available_memory


def open_tier(
    runner: ModelRunner,
    config: EngineConfig,
    *,
    name: Callable[[ModelRunner], str] = fingerprint,
    make: Callable[[Mapping[PoolKind, PoolBytes], KVStore], TierIO] = TierIO,
    num_local: int = 1,
) -> TierIO | None:
    """Return the way between a runner's pools and the store that the settings name; None if they name none.

    Args:
        name: of a runner's namespace in the store.
        make: makes the way.
        num_local: processes of this machine that open as much.

    Raises:
        ConfigError: the store cannot be opened.
    """
    if not config.has_prefix_tiers:
        return None
    pools = pools_of(runner)
    return make(pools, _open(runner, config, pools, name, num_local))


def checksum_key(config: EngineConfig) -> bytes | None:
    """Return the key of `prefix_cache_key_file`, or of the environment. ConfigError if it cannot be read."""
    return read_key(config.prefix_cache_key_file, "prefix_cache_key_file")


def renew_tier(
    tier: TierIO,
    runner: ModelRunner,
    config: EngineConfig,
    *,
    name: Callable[[ModelRunner], str] = fingerprint,
    num_local: int = 1,
) -> None:
    """Give a tier the store of the runner's new weights: no block of the old ones can be found there.

    Args:
        name, num_local: as of `open_tier`.
    """
    tier.replace_store(lambda: _open(runner, config, pools_of(runner), name, num_local))


def _open(
    runner: ModelRunner,
    config: EngineConfig,
    pools: Mapping[PoolKind, PoolBytes],
    name: Callable[[ModelRunner], str],
    num_local: int,
) -> KVStore:
    behind = None if config.prefix_cache_dir is None else _open_behind(runner, config, name(runner))
    if not config.prefix_cache_host_gb:
        assert behind is not None
        return behind
    wanted, free = int(config.prefix_cache_host_gb * 2**30), available_memory()
    if free is not None and wanted * num_local > free:
        times = f" on each of {num_local} ranks" if num_local > 1 else ""
        raise ConfigError(
            f"EngineConfig: prefix_cache_host_gb is {config.prefix_cache_host_gb}{times}, and {free / 2**30:.1f} GiB "
            "of memory are free; lower it"
        )
    pool_bytes = {kind: pool.num_blocks * pool.block_bytes for kind, pool in pools.items()}
    share = wanted / sum(pool_bytes.values())  # of each pool's size
    slots: Counter[int] = Counter()
    for kind, pool in pools.items():
        slots[pool.block_bytes] += int(share * pool_bytes[kind]) // pool.block_bytes
    if not all(slots.values()):
        raise ConfigError(
            f"EngineConfig: prefix_cache_host_gb is {config.prefix_cache_host_gb}, a block takes {max(slots)} "
            "bytes; raise it, or set 0"
        )
    allocate = next(iter(pools.values())).host_memory
    return HostStore(slots, allocate, behind, writes_through=config.prefix_cache_write == "through")


def _open_behind(runner: ModelRunner, config: EngineConfig, name: str) -> KVStore:
    where = config.prefix_cache_dir
    if not isinstance(where, (str, os.PathLike)):
        return _Namespace(where, bytes.fromhex(name))
    limit = None if config.prefix_cache_disk_gb is None else int(config.prefix_cache_disk_gb * 2**30)
    return open_store(
        os.fspath(where),
        namespace=name,
        size_limit=limit,
        checksum_key=checksum_key(config),
        metadata=metadata_of(runner),
    )


class _Namespace:
    """A user's store, with keys that no other model or cache layout has. The user closes it, not the engine.

    Args:
        store: the store.
        name: of the model and the layout.
    """

    def __init__(self, store: KVStore, name: bytes) -> None:
        self._store, self._name = store, name

    def _keys(self, keys: Sequence[bytes]) -> list[bytes]:
        return [sha256(self._name + key).digest() for key in keys]

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """`KVStore.contains`."""
        return list(self._store.contains(self._keys(keys)))

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """`KVStore.get`."""
        return list(self._store.get(self._keys(keys)))

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """`KVStore.put`."""
        keys = self._keys([key for key, _ in items])
        self._store.put([(key, value) for key, (_, value) in zip(keys, items, strict=True)])

    def delete(self, keys: Sequence[bytes]) -> None:
        """`KVStore.delete`."""
        self._store.delete(self._keys(keys))

    def flush(self) -> None:
        """Write out what the store has accepted, if it has a call for that."""
        if (flush := getattr(self._store, "flush", None)) is not None:
            flush()

    def stats(self) -> dict[str, Any]:
        """Return the store's own numbers, if it has any."""
        stats = getattr(self._store, "stats", None)
        return {} if stats is None else dict(stats())

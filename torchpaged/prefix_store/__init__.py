"""Stores for blocks of the prefix cache that outlive the process: segments in a folder, objects through fsspec, or the
memory of another process.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from torchpaged.errors import ConfigError
from torchpaged.prefix_store.checksum import read_key
from torchpaged.prefix_store.protocol import KVStore
from torchpaged.prefix_store.segment_store import SegmentStore

__all__ = ["KVStore", "SegmentStore", "open_store"]

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_NAMESPACE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")


def open_store(
    place: str | Path,
    *,
    namespace: str,
    size_limit: int | None,
    checksum_key: bytes | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> KVStore:
    """Open the store of a folder or URL, and make it if it is not there.

    Args:
        place: a folder, "tcp://HOST:PORT" of `torchpaged kv-store`, or a URL that fsspec knows, such as
            "s3://bucket/prefixes".
        namespace: everything that values depend on beside their keys: a hash of the model and its cache.
        size_limit: most bytes of all namespaces there; None: no limit. A server has its own limit.
        checksum_key: secret of at least 16 bytes; then those who can write to the place, and do not have it, cannot
            make the store return a value that was not put. None: the bytes of the file that
            TORCHPAGED_PREFIX_CACHE_KEY_FILE names, if it is set.
        metadata: values for people, for JSON.

    Raises:
        ConfigError: an argument is wrong, or the place cannot be used.
    """
    if not isinstance(place, (str, os.PathLike)) or not os.fspath(place):
        raise ConfigError(f"prefix cache: the place is {place!r:.80}, expected a folder or a URL")
    if not isinstance(namespace, str) or not _NAMESPACE.fullmatch(namespace):
        raise ConfigError(
            f"namespace is {namespace!r:.80}, expected 1 to 128 letters, digits, '-', '_' and '.', not first a '.'"
        )
    if size_limit is not None and (type(size_limit) is not int or size_limit < 1):
        raise ConfigError(f"size_limit is {size_limit!r:.80}, expected a number of bytes of 1 or more, or None")
    name = os.fspath(place)
    checksum_key = read_key() if checksum_key is None else checksum_key
    options: dict[str, Any] = {"checksum_key": checksum_key, "metadata": metadata}
    url = _URL.match(name)
    if url and url[1].lower() == "tcp":
        from torchpaged.prefix_store.network_store import NetworkStore

        return NetworkStore(name, namespace=namespace, secret=checksum_key)
    if url and url[1].lower() not in ("file", "local"):
        from torchpaged.prefix_store.remote_store import RemoteStore

        return RemoteStore(name, namespace=namespace, size_limit=size_limit, **options)
    folder = unquote(urlsplit(name).path) if url else os.path.expanduser(name)
    return SegmentStore(folder, namespace=namespace, size_limit=size_limit, **options)

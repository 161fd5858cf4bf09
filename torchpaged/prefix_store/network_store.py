"""NetworkStore: a KVStore in another process, reached over TCP."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar
from urllib.parse import urlsplit

from torchpaged.errors import ConfigError
from torchpaged.prefix_store import wire
from torchpaged.prefix_store.checksum import SIZE, Checksum
from torchpaged.prefix_store.protocol import Value
from torchpaged.prefix_store.record import Record

_T = TypeVar("_T")

# Seconds to connect, and for an answer to `contains`, which requests wait for.
_SOON = 1.0
# Seconds without a byte, after which a transfer is given up.
_PATIENCE = 10.0
# Seconds without a try after the server could not be reached.
_RETRY = 5.0


class NetworkStore:
    """A KVStore at `tcp://HOST:PORT`, where `torchpaged kv-store` runs.

    Each thread has a connection of its own. What cannot be read or written is a miss: after a failure nothing is tried
    for some seconds, so that requests do not wait for a server that is gone.

    Args:
        url: of the server.
        namespace: values of another one are not found.
        secret: that of the server, at least 16 bytes; it authenticates values too. None: the server has none.

    Raises:
        ConfigError: the URL is not one, or a server there refuses the secret. A server that cannot be reached is not an
            error: it may come later.
    """

    def __init__(self, url: str, *, namespace: str, secret: bytes | None = None) -> None:
        parts = urlsplit(url)
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or not port or parts.path.strip("/") or parts.query or parts.username:
            raise ConfigError(f"prefix cache: the place is {url!r:.200}, expected tcp://HOST:PORT")
        self._address, self._url, self._secret = (host, port), url, secret
        self._namespace = sha256(namespace.encode()).digest()
        self._checksum, self._record = Checksum(namespace, secret), Record(url)
        self._retry_at = 0.0
        self._own = threading.local()
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._call(self._connect, None)

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Implement `KVStore.contains`: one question to the server."""
        missing = [False] * len(keys)

        def ask() -> list[bool]:
            connection = self._connect()
            connection.settimeout(_SOON)
            connection.sendall(self._request(wire.CONTAINS, keys))
            return [bool(each) for each in wire.receive(connection, len(keys))]

        return self._call(ask, missing) if keys else missing

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """Implement `KVStore.get`."""
        begin = time.monotonic()
        found: list[bytes | memoryview | None] = [None] * len(keys)

        def ask() -> None:
            connection = self._connect()
            connection.sendall(self._request(wire.GET, keys))
            for place, key in enumerate(keys):
                size = wire.number(connection, 8)
                if size == wire.MISSING:
                    continue
                if not SIZE <= size <= wire.MOST_BYTES:
                    raise wire.ProtocolError(f"a value of {size} bytes")
                value = memoryview(wire.receive(connection, size))
                if self._checksum.matches(key, value[SIZE:], bytes(value[:SIZE])):
                    found[place] = value[SIZE:]
                else:
                    self._record.count(damaged=1)

        if keys:
            self._call(ask, None)
        sizes = [len(value) for value in found if value is not None]
        self._record.add_read(sizes, len(keys) - len(sizes), time.monotonic() - begin)
        return found

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Implement `KVStore.put`: it returns when the server has the values."""
        if not items:
            return
        begin = time.monotonic()

        def ask() -> bool:
            connection = self._connect()
            connection.sendall(wire.PUT.to_bytes(1, "little") + len(items).to_bytes(4, "little"))
            for key, value in items:
                view = memoryview(value).cast("B")
                head = self._key(key) + (SIZE + len(view)).to_bytes(8, "little") + self._checksum.of(key, view)
                connection.sendall(head)
                connection.sendall(view)
            return bytes(wire.receive(connection, 1)) == wire.OK

        is_done = self._call(ask, False)
        if is_done:
            self._record.count(puts=len(items), bytes_written=sum(memoryview(value).nbytes for _, value in items))
        self._record.add_written(0 if is_done else len(items), time.monotonic() - begin)

    def delete(self, keys: Sequence[bytes]) -> None:
        """Implement `KVStore.delete`."""

        def ask() -> None:
            connection = self._connect()
            connection.sendall(self._request(wire.DELETE, keys))
            wire.receive(connection, 1)

        if keys:
            self._call(ask, None)

    def stats(self) -> dict[str, int | float]:
        """Return the counters of `Record`."""
        return self._record.values()

    def close(self) -> None:
        """Close all connections; later calls find nothing."""
        self._retry_at = float("inf")
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    def _key(self, key: bytes) -> bytes:
        return sha256(self._namespace + key).digest()

    def _request(self, call: int, keys: Sequence[bytes]) -> bytes:
        return call.to_bytes(1, "little") + len(keys).to_bytes(4, "little") + b"".join(map(self._key, keys))

    def _call(self, ask: Callable[[], _T], default: _T) -> _T:
        """Return the result of a call, or a default if the server does not give one."""
        if time.monotonic() < self._retry_at:
            return default
        try:
            return ask()
        except OSError as error:
            self._drop()
            self._retry_at = max(self._retry_at, time.monotonic() + _RETRY)
            reason = error.strerror or str(error) or type(error).__name__
            self._record.say(
                "network", f"{self._url}: {reason}; blocks that are there are computed until it can be reached"
            )
            return default

    def _connect(self) -> socket.socket:
        """Return the thread's connection, ready for a call. Raises OSError, and ConfigError for a wrong secret."""
        connection: socket.socket | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = socket.create_connection(self._address, timeout=_SOON)
            self._own.connection = connection
            with self._lock:
                self._connections.add(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if bytes(wire.receive(connection, len(wire.MAGIC))) != wire.MAGIC:
                raise wire.ProtocolError("there is another kind of server, expected torchpaged kv-store")
            connection.sendall(wire.proof(self._secret, bytes(wire.receive(connection, wire.NONCE_BYTES))))
            try:
                wire.receive(connection, 1)
            except ConnectionError:
                self._drop()
                raise ConfigError(
                    f"prefix cache: {self._url} refuses the connection: its secret is another one"
                ) from None
        connection.settimeout(_PATIENCE)
        return connection

    def _drop(self) -> None:
        """Close the thread's connection: it may be in the middle of an answer."""
        connection: socket.socket | None = getattr(self._own, "connection", None)
        if connection is not None:
            self._own.connection = None
            with self._lock:
                self._connections.discard(connection)
            connection.close()

"""StoreServer: values in the memory of one process, for engines that connect to it as `tcp://HOST:PORT`."""

from __future__ import annotations

import hmac
import secrets
import socket
import socketserver
import threading
from collections import OrderedDict
from typing import Any

from torchpaged.errors import ConfigError
from torchpaged.prefix_store import wire

# Seconds for the rest of a request that has begun, and for a client's proof.
_TIMEOUT = 60.0


class StoreServer(socketserver.ThreadingTCPServer):
    """A server of the protocol in `wire`: a thread for each connection, over one dictionary.

    Invariants: the sizes of all values sum up to `num_bytes`, which is at most `max_bytes`.

    Args:
        address: host and port to listen on; port 0 is any free one.
        max_bytes: bytes of values at most; the least recently used go first.
        secret: clients must have it too; None: anyone who can connect may read and write.

    Attributes:
        num_bytes: bytes of all values.
        num_received, num_sent: bytes of values, since the start.

    Raises:
        ConfigError: the address is not available.
    """

    allow_reuse_address = daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], *, max_bytes: int, secret: bytes | None = None) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.max_bytes, self.secret = max_bytes, secret
        self.num_bytes = self.num_received = self.num_sent = 0
        self._values: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = threading.Lock()
        try:
            super().__init__(address, _Connection)
        except OSError as error:
            raise ConfigError(f"kv-store: cannot listen at {address[0]}:{address[1]}: {error.strerror}") from None

    @property
    def url(self) -> str:
        """The `prefix_cache_dir` of engines that use it."""
        host, port = self.server_address[:2]
        shown = host.decode() if isinstance(host, (bytes, bytearray)) else host
        return f"tcp://[{shown}]:{port}" if ":" in shown else f"tcp://{shown}:{port}"

    def __len__(self) -> int:
        return len(self._values)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a connection that broke: its client sees that, and computes what it did not get."""

    def contains(self, keys: list[bytes]) -> bytes:
        """Return a byte for each key: 1 if its value is there."""
        with self._lock:
            return bytes(key in self._values for key in keys)

    def get(self, key: bytes) -> bytes | None:
        """Return a value."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
                self.num_sent += len(value)
            return value

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value, and forget others if there are too many."""
        with self._lock:
            self.num_received += len(value)
            if len(value) > self.max_bytes:
                return
            self._forget(key)
            self._values[key] = value
            self.num_bytes += len(value)
            while self.num_bytes > self.max_bytes:
                _, oldest = self._values.popitem(last=False)
                self.num_bytes -= len(oldest)

    def delete(self, keys: list[bytes]) -> None:
        """Forget values."""
        with self._lock:
            for key in keys:
                self._forget(key)

    def _forget(self, key: bytes) -> None:
        value = self._values.pop(key, None)
        if value is not None:
            self.num_bytes -= len(value)

    def check(self) -> None:
        """Assert the invariants."""
        with self._lock:
            assert self.num_bytes == sum(map(len, self._values.values())) <= self.max_bytes


class _Connection(socketserver.BaseRequestHandler):
    server: StoreServer

    def handle(self) -> None:
        """Answer requests until the client leaves, or sends something else."""
        connection: socket.socket = self.request
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(_TIMEOUT)
        nonce = secrets.token_bytes(wire.NONCE_BYTES)
        connection.sendall(wire.MAGIC + nonce)
        expected = wire.proof(self.server.secret, nonce)
        if not hmac.compare_digest(expected, bytes(wire.receive(connection, wire.PROOF_BYTES))):
            return
        connection.sendall(wire.OK)
        while True:
            connection.settimeout(None)
            call = wire.number(connection, 1)
            connection.settimeout(_TIMEOUT)
            if not self._answer(connection, call, wire.number(connection, 4)):
                return

    def _answer(self, connection: socket.socket, call: int, count: int) -> bool:
        """Answer one request; return False for one that is against the protocol."""
        if count > wire.MOST_KEYS:
            return False
        if call == wire.PUT:
            for _ in range(count):
                key = bytes(wire.receive(connection, wire.KEY_BYTES))
                size = wire.number(connection, 8)
                if size > wire.MOST_BYTES:
                    return False
                self.server.put(key, bytes(wire.receive(connection, size)))
            connection.sendall(wire.OK)
            return True
        joined = bytes(wire.receive(connection, wire.KEY_BYTES * count))
        keys = [joined[first : first + wire.KEY_BYTES] for first in range(0, len(joined), wire.KEY_BYTES)]
        if call == wire.CONTAINS:
            connection.sendall(self.server.contains(keys))
        elif call == wire.GET:
            for key in keys:
                value = self.server.get(key)
                connection.sendall((wire.MISSING if value is None else len(value)).to_bytes(8, "little"))
                if value:
                    connection.sendall(value)
        elif call == wire.DELETE:
            self.server.delete(keys)
            connection.sendall(wire.OK)
        else:
            return False
        return True

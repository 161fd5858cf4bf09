"""The protocol between a `NetworkStore` and its `StoreServer`: frames over TCP, numbers in little-endian order.

A connection begins with `MAGIC` and a nonce from the server; the client answers with `proof`, and the server with one
byte. Then each call is a request and its answer:

    request: call (1 byte), number of keys (4), the keys (32 each); of `put` each key with its size (8) and value
    answer:  `contains` 1 byte a key; `get` of each key its size (8), `MISSING` without a value, and the value; else
             1 byte

A value has its checksum before it: servers keep both, and clients verify, so a server can lose values and not forge
them.
"""

from __future__ import annotations

import hmac
import socket

MAGIC = b"torchpaged kv 1\n"
NONCE_BYTES = PROOF_BYTES = KEY_BYTES = 32
CONTAINS, GET, PUT, DELETE = range(1, 5)
OK = b"\x01"
MISSING = 2**64 - 1
# Keys of a request, and bytes of a value, at most.
MOST_KEYS = 2**16
MOST_BYTES = 2**30


class ProtocolError(OSError):
    """The other side does not speak this protocol, or refused the connection."""


def proof(secret: bytes | None, nonce: bytes) -> bytes:
    """Return the client's answer to a nonce; zeros without a secret."""
    return bytes(PROOF_BYTES) if secret is None else hmac.digest(secret, MAGIC + nonce, "sha256")


def receive(connection: socket.socket, size: int) -> bytearray:
    """Receive exactly so many bytes. Raises ConnectionError if the other side closes before."""
    found = bytearray(size)
    view = memoryview(found)
    while len(view):
        count = connection.recv_into(view)
        if not count:
            raise ConnectionError("the other side has closed the connection")
        view = view[count:]
    return found


def number(connection: socket.socket, size: int) -> int:
    """Receive a number of so many bytes."""
    return int.from_bytes(receive(connection, size), "little")

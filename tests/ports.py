"""Ports for servers of tests."""

from __future__ import annotations

import socket

_kept: list[socket.socket] = []


def free_port() -> int:
    """Return a port of 127.0.0.1 that no other program is given while this process runs.

    A socket stays bound to it without listening; a server whose socket has SO_REUSEADDR can listen there all the same.
    """
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    _kept.append(kept)
    return int(kept.getsockname()[1])

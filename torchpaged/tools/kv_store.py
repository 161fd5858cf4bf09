"""The command `torchpaged kv-store`."""

from __future__ import annotations

import argparse
import ipaddress

from torchpaged.errors import InputError
from torchpaged.prefix_store.checksum import read_key
from torchpaged.prefix_store.store_server import StoreServer


def kv_store(given: argparse.Namespace) -> int:
    """Serve blocks from this process's memory until SIGTERM or Ctrl-C."""
    if not 0 < given.max_gb <= 2**20:
        raise InputError(f"--max-gb {given.max_gb:g}: expected gibibytes, above 0")
    if not 0 <= given.port < 2**16:
        raise InputError(f"--port {given.port}: expected 0 to 65535")
    secret = read_key(given.checksum_key_file)
    if secret is None and not _is_own(given.host):
        raise InputError(
            f"--host {given.host}: other machines may reach it, and there is no secret: give --checksum-key-file"
        )
    with StoreServer((given.host, given.port), max_bytes=int(given.max_gb * 2**30), secret=secret) as server:
        print(f"torchpaged: a store for --prefix-cache-dir {server.url}", flush=True)
        server.serve_forever()
    return 0


def _is_own(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""Sockets that a server listens on. Needs neither torch nor server packages, so that errors show at once."""

from __future__ import annotations

import socket
from pathlib import Path

from torchpaged.errors import ConfigError
from torchpaged.serving.keys import Keys
from torchpaged.serving.options import ServeOptions


def listen(options: ServeOptions) -> socket.socket:
    """Return a listening socket. It is made before a model is loaded, so that errors show at once.

    Raises:
        ConfigError: keys or files are unusable, or the address is not available.
    """
    Keys.of(options.api_key or (), options.api_key_file, options.admin_key)
    if options.otlp_traces_endpoint is not None:
        from torchpaged.serving import tracing  # imports torch

        tracing.require(options.otlp_traces_endpoint)
    for name in ("ssl_certfile", "ssl_keyfile"):
        path = getattr(options, name)
        if path is not None and not Path(path).is_file():
            raise ConfigError(f"serve: {name} is {path!r}, which is not a file")
    try:
        if options.uds is not None:
            return _listen_at_path(options.uds)
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen(2048)
        return listener
    except OSError as error:
        where = options.uds or f"{options.host}:{options.port}"
        raise ConfigError(f"serve: cannot listen at {where}: {error.strerror or error}") from None


def _listen_at_path(path: str) -> socket.socket:
    """Listen on a Unix socket that only its owner can connect to; a stale socket of an ended server is removed."""
    if Path(path).is_socket():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(path) == 0:
                raise OSError(0, "another server listens there")
        Path(path).unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    Path(path).chmod(0o600)
    listener.listen(2048)
    return listener


def address_of(listener: socket.socket, options: ServeOptions) -> str:
    """Return the `base_url` for clients."""
    if options.uds is not None:
        return f"unix:{options.uds}"
    host, port = listener.getsockname()[:2]
    kind = "http" if options.ssl_certfile is None else "https"
    return f"{kind}://{f'[{host}]' if ':' in host else host}:{port}{options.root_path}/v1"

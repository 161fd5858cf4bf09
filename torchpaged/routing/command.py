"""The command `torchpaged route`."""

from __future__ import annotations

import argparse
import dataclasses
import socket

from torchpaged.errors import ConfigError, InputError
from torchpaged.routing.options import RouteOptions


def route(given: argparse.Namespace) -> int:
    """Run the router until SIGTERM or Ctrl-C; answers under way are finished."""
    try:
        import uvicorn

        from torchpaged.routing.router import Router
    except ModuleNotFoundError as error:
        raise InputError(f"route needs {error.name}; pip install 'torchpaged[route]'") from None
    names = [each.name for each in dataclasses.fields(RouteOptions)]
    options = RouteOptions(**{name: getattr(given, name) for name in names if hasattr(given, name)})
    router = Router(given.urls, options)
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        raise ConfigError(f"route: cannot listen at {options.host}:{options.port}: {error.strerror or error}") from None
    port = listener.getsockname()[1]
    print(f"torchpaged: routes to {len(given.urls)} replicas at http://{options.host}:{port}", flush=True)
    # Answers have their servers' dates.
    config = uvicorn.Config(
        router, log_level="warning", access_log=False, server_header=False, date_header=False, ws="none"
    )
    uvicorn.Server(config).run([listener])
    return 0

"""A server for a user's own application, under the name that vLLM's scripts import: `serve_http`."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from fastapi import FastAPI, Request

from torchpaged.errors import ConfigError


def with_cancellation(handler: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Wrap a handler so that it is cancelled and returns None when its client disconnects.

    Args:
        handler: takes the request as its second argument, or as `raw_request`.
    """

    @functools.wraps(handler)
    async def cancellable(*args: Any, **kwargs: Any) -> Any:
        request: Request = kwargs["raw_request"] if "raw_request" in kwargs else args[1]
        handling, leaving = (asyncio.ensure_future(each) for each in (handler(*args, **kwargs), _has_left(request)))
        done, pending = await asyncio.wait((handling, leaving), return_when=asyncio.FIRST_COMPLETED)
        for each in pending:
            each.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return handling.result() if handling in done else None

    return cancellable


async def _has_left(request: Request) -> None:
    """Wait until the client disconnects; the body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def serve_http(
    app: FastAPI, sock: Any = None, enable_ssl_refresh: bool = False, **uvicorn_kwargs: Any
) -> Awaitable[None]:
    """Serve until a signal arrives; awaiting the returned object stops the server.

    Args:
        sock: a listening socket; None: one is made for `host` and `port`.
        enable_ssl_refresh: must be False; certificates are read once.
        uvicorn_kwargs: keyword arguments for `uvicorn.Config`.
    """
    if enable_ssl_refresh:
        raise ConfigError("serve_http: enable_ssl_refresh is True, expected False: certificates are read once")
    given = {name: value for name, value in uvicorn_kwargs.items() if value is not None}
    server = uvicorn.Server(uvicorn.Config(app, **given))
    await server.serve(sockets=None if sock is None else [sock])
    return _ended()


async def _ended() -> None:
    """Return at once: the awaitable of a server that has ended."""

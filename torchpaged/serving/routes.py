"""Tables of routes, and the wrapper that ends a route in time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar, cast

from fastapi import Request
from starlette.responses import Response

from torchpaged.serving.state import ServerState
from torchpaged.serving.streams import unless_gone

_Route = TypeVar("_Route", bound=Callable[..., Coroutine[Any, Any, Response]])
# Path, method and function of each route.
RouteTable = list[tuple[str, str, Callable[..., Coroutine[Any, Any, Response]]]]


class _HasState(Protocol):
    state: ServerState


def in_time(route: _Route) -> _Route:
    """Wrap a route so that it ends after `request_timeout`, or when the client disconnects."""

    @functools.wraps(route)
    async def timed(self: _HasState, request: Request, body: Any) -> Response:
        return await unless_gone(request.receive, route(self, request, body), self.state.options.request_timeout)

    return cast(_Route, timed)

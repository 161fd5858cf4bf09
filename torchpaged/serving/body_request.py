"""BodyRequest: a request whose JSON is read by `from_json`, or as a `LargeBody`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope

from torchpaged.serving.json_text import from_json
from torchpaged.serving.large_bodies import LARGE_BODY, LargeBody
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.streams import unless_gone


class BodyRequest(Request):
    """A request to a route.

    Args:
        scope, receive: of ASGI.
        model: the route's model of the body; None: it has none.
    """

    def __init__(self, scope: Scope, receive: Receive, model: type[BaseModel] | None) -> None:
        super().__init__(scope, receive)
        self._model = model

    @property
    def _large(self) -> LargeBody | None:
        return self.scope.get(LARGE_BODY)

    async def body(self) -> bytes:
        """Return the body; of a large one, only bytes that tell that there is one."""
        return await super().body() or (b" " if self._large is not None else b"")

    async def json(self) -> Any:
        """Return the body's value; of a large one an instance of the route's model, if it has one."""
        if not hasattr(self, "_json"):
            body, large = await self.body(), self._large
            try:
                self._json = from_json(body) if large is None else await self._read(large)
            except Refusal as refusal:
                raise HTTPException(refusal.status) from refusal  # FastAPI would make another error of it
        return self._json

    async def _read(self, large: LargeBody) -> Any:
        return await unless_gone(self.receive, large.read(self._model), None)

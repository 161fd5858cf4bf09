"""Guard: checks keys, the size and speed of bodies, and the number of waiting requests before any route runs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from torchpaged.serving.keys import Keys
from torchpaged.serving.large_bodies import LARGE, LARGE_BODY, LargeBodies, LargeBody
from torchpaged.serving.logs import ACCESS
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.refusals import Refusal, ended
from torchpaged.serving.streams import SEND

# Routes without a key: health checks, the key that checks receipts, and the page, where the user types the key.
_OPEN = ("/health", "/ready", "/ping", "/receipt-key", "/")
ADMIN = "torchpaged.admin"  # in an ASGI scope: the request has the admin key
KEY = "torchpaged.key"  # in an ASGI scope: the name of the request's key

# Seconds in which a client may send the rest of a body that is refused, as in nginx.
_LINGERING = 30.0

# Limits on waiting requests, under vLLM's names, and the words for messages.
FULL = {"max_num_queued_reqs": "requests", "max_num_queued_tokens": "tokens of prompts"}


@dataclass(slots=True)
class Traffic:
    """Counts of a server's requests.

    Attributes:
        num_open: requests being answered.
        draining: the server is shutting down.
        num_rejected: rejected requests by the limit that was reached.
    """

    num_open: int = 0
    draining: bool = False
    num_rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FULL, 0))


class Guard:
    """ASGI middleware that admits or refuses requests.

    Args:
        app: the application.
        options: the limits.
        keys: the API keys.
        traffic: counts that it updates.
        is_full: returns the key of `FULL` whose limit is reached; None: another request may wait.
        large_bodies: read large bodies; None: the routes do.
    """

    def __init__(
        self,
        app: ASGIApp,
        options: ServeOptions,
        keys: Keys,
        traffic: Traffic,
        is_full: Callable[[], str | None],
        large_bodies: LargeBodies | None = None,
    ) -> None:
        self._app, self._options, self._keys = app, options, keys
        self._traffic, self._is_full, self._large_bodies = traffic, is_full, large_bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "http":
            return  # the server has no other kinds
        if not ACCESS.isEnabledFor(logging.INFO):
            await self._pass(scope, receive, send)
            return
        status, begun = 0, time.monotonic()

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._pass(scope, receive, noted)
        finally:
            said = {"method": scope["method"], "path": scope["path"][:200], "status": status}
            fields = {**said, "seconds": round(time.monotonic() - begun, 4), "key": scope.get(KEY)}
            ACCESS.info("request", extra={"fields": fields})

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._admit(scope, receive, send)
        finally:
            if (large := scope.get(LARGE_BODY)) is not None:
                large.close()

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["root_path"] = self._options.root_path  # correct whether or not the proxy strips the prefix
        path = scope["path"].removeprefix(self._options.root_path)
        scope[SEND] = send
        try:
            if path not in _OPEN:
                scope[KEY] = self._name(scope)
                if scope["method"] == "POST":
                    self._require_room(is_admin=scope[ADMIN])
                    receive = _replayed(await self._body(scope, receive), receive)
        except Refusal as refusal:
            sender = _lingering(receive, send, self._options.read_timeout) if refusal.status in (413, 415) else send
            await refusal.response(path)(scope, receive, sender)
            return
        if path in _OPEN:
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def begun(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        self._traffic.num_open += 1
        try:
            await self._app(scope, receive, begun)
        except asyncio.CancelledError:  # the shutdown timeout has passed
            if not self._traffic.draining:
                raise
            if not has_begun:
                await ended().response(path)(scope, receive, send)
        finally:
            self._traffic.num_open -= 1

    def _name(self, scope: Scope) -> str | None:
        found = {header: [] for header in (b"authorization", b"x-api-key")}  # type: dict[bytes, list[str]]
        for header, value in scope["headers"]:
            if header in found:
                found[header].append(value.decode("latin-1"))
        # Anthropic's clients send x-api-key.
        all_given = found[b"authorization"] or [f"Bearer {key}" for key in found[b"x-api-key"]]
        given = all_given[0] if len(all_given) == 1 else ""
        scope[ADMIN] = self._keys.is_admin(given)
        if scope[ADMIN] or not self._keys:
            return None
        name = self._keys.name_of(given)
        if name is None:
            raise Refusal(
                "no key that this server knows: send it as 'Authorization: Bearer KEY' or 'x-api-key: KEY'",
                status=401,
                code="invalid_api_key",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return name

    def _require_room(self, *, is_admin: bool) -> None:
        """Raise a Refusal if no request may come; the admin's come while the queue is full, as after a pause."""
        headers = {"Retry-After": "1"}
        if self._traffic.draining:
            raise Refusal("the server is shutting down; try again", status=503, code="overloaded", headers=headers)
        if not is_admin and (limit := self._is_full()) is not None:
            self._traffic.num_rejected[limit] += 1
            said = f"the server's queue of {FULL[limit]} is full; try again"
            raise Refusal(said, status=503, code="overloaded", headers=headers)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Read the whole body; a large one goes to `scope` instead. Raises a Refusal if it is too large, too slow, or
        the client disconnects.
        """
        most, seconds = self._options.max_body_bytes, self._options.read_timeout
        too_large = Refusal(f"the body has more than {most} bytes", status=413, headers={"Connection": "close"})
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > most:
                raise too_large
            if name == b"content-encoding" and value.lower() not in (b"", b"identity"):
                coding = value.decode("latin-1")
                said = f"Content-Encoding is {coding!r:.80}, but bodies are not decompressed: send it as it is"
                raise Refusal(said, status=415, headers={"Connection": "close"})

        async def read() -> bytes:
            pieces: list[bytes] = []
            length, large = 0, None
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal("the client has gone", status=499)
                pieces.append(message.get("body", b""))
                length += len(pieces[-1])
                if length > most:
                    raise too_large
                if length >= LARGE and large is None and self._large_bodies is not None:
                    large = scope[LARGE_BODY] = LargeBody(self._large_bodies)
                if large is not None:  # never joined here: each copy of megabytes delays all streams
                    for piece in pieces:
                        large.write(piece)
                    pieces.clear()
                if not message.get("more_body", False):
                    return b"".join(pieces)

        try:
            return await asyncio.wait_for(read(), seconds)
        except asyncio.TimeoutError:
            headers = {"Connection": "close"}
            raise Refusal(f"the body has not arrived in {seconds:g} seconds", status=408, headers=headers) from None


def _lingering(receive: Receive, send: Send, seconds: float) -> Send:
    """Return a `send` that ends an answer once the client has sent its body, or after some seconds.

    What arrives is dropped. A connection that is closed before is reset, and then a client that is still sending may
    not see the answer.
    """

    async def drop() -> None:
        while (message := await receive())["type"] != "http.disconnect" and message.get("more_body", False):
            pass

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            await send({**message, "more_body": True})
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(drop(), min(seconds, _LINGERING))
            message = {"type": "http.response.body"}
        await send(message)

    return sent


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body that was read, and then further messages."""
    unread = True

    async def replay() -> Message:
        nonlocal unread
        if unread:
            unread = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay

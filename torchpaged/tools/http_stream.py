"""A small asyncio client for OpenAI's HTTP API: JSON answers, and the events of a stream with their times.

Written by hand so that benchmarks spend little time on each token and need no package.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from torchpaged.errors import InputError

_LONGEST_LINE = 2**20


class HttpError(Exception):
    """A refused request, or an invalid answer."""


class Server:
    """A client of one server, with a connection per request.

    Args:
        base_url: http or https, without `/v1`.
        key: API key, sent as a bearer token; None: none is sent.

    Raises:
        InputError: the URL is invalid.
    """

    def __init__(self, base_url: str, key: str | None = None) -> None:
        parts = urlsplit(base_url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise InputError(f"--base-url {base_url!r:.200}: expected a URL as http://127.0.0.1:8000")
        self._host, self._tls = parts.hostname, parts.scheme == "https"
        self._port = port or (443 if self._tls else 80)
        self._path = parts.path.rstrip("/").removesuffix("/v1")
        self._headers = {"Host": parts.netloc.rpartition("@")[2], "Connection": "close", "Accept": "*/*"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    async def json(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of an answer.

        Raises:
            HttpError: the status is not 200, or the answer is not JSON.
            OSError: the connection failed.
        """
        async with self._answer(path, body) as pieces:
            text = b"".join([piece async for piece in pieces])
        try:
            return json.loads(text)
        except ValueError:
            raise HttpError(f"{path}: the answer is not JSON: {text[:200]!r}") from None

    async def events(self, path: str, body: Mapping[str, Any]) -> AsyncIterator[tuple[float, Any]]:
        """Yield (`time.perf_counter()`, event) for each server-sent event of a stream, except `[DONE]`.

        Raises:
            HttpError, OSError: as in `json`.
        """
        async with self._answer(path, body) as pieces:
            rest = b""
            async for piece in pieces:
                now = time.perf_counter()
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    data = line.strip().removeprefix(b"data:").strip()
                    if line.startswith(b"data:") and data != b"[DONE]":
                        yield now, json.loads(data)

    @contextlib.asynccontextmanager
    async def _answer(self, path: str, body: Mapping[str, Any] | None) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the pieces of an answer's body, and close the connection at its end."""
        context = ssl.create_default_context() if self._tls else None
        reader, writer = await asyncio.open_connection(self._host, self._port, ssl=context, limit=_LONGEST_LINE)
        try:
            data = b"" if body is None else json.dumps(body).encode()
            head = [f"{'GET' if body is None else 'POST'} {self._path}{path} HTTP/1.1"]
            head += [f"{name}: {value}" for name, value in self._headers.items()]
            if body is not None:
                head += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
            writer.write("\r\n".join([*head, "", ""]).encode() + data)
            await writer.drain()
            status, headers = await _head(reader)
            pieces = _body(reader, headers)
            if status != 200:
                text = b"".join([piece async for piece in pieces])
                raise HttpError(f"{path}: status {status}: {_message(text)}")
            yield pieces
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    line = await reader.readline()
    try:
        status = int(line.split()[1])
    except (IndexError, ValueError):
        raise HttpError(f"the server's answer is not HTTP: {line[:80]!r}") from None
    headers = {}
    while (line := (await reader.readline()).strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return status, headers


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    """Yield a body that is chunked, of a given length, or up to the end of the connection.

    Raises:
        HttpError: the body is cut off.
    """
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int((await reader.readline()).split(b";")[0] or b"0", 16):
            yield await _exactly(reader, size)
            await reader.readline()
        return
    left = int(headers["content-length"]) if "content-length" in headers else None
    if left is not None:
        yield await _exactly(reader, left)
        return
    while piece := await reader.read(2**16):
        yield piece


async def _exactly(reader: asyncio.StreamReader, size: int) -> bytes:
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        raise HttpError("the connection was closed in the middle of an answer") from None


def _message(text: bytes) -> str:
    """Return the message of OpenAI's error object, or the beginning of the text."""
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return text[:200].decode(errors="replace")

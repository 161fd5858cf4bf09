"""MediaFetcher: reads files that prompts name, by data URL, path or web address, from allowed places alone."""

from __future__ import annotations

import base64
import binascii
import contextlib
import http.client
import ipaddress
import os
import socket
import ssl
import stat
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from torchpaged.media.limits import LIMITS, MediaLimits
from torchpaged.utils.paths import expanded
from torchpaged.utils.version import __version__

_WEB = ("http", "https")
_MOST_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_PIECE = 1 << 16
# Seconds that a connection may take to be made, of those for the whole download.
_CONNECT_SECONDS = 5.0
# Addresses that hold one of IPv4 in their last 32 bits.
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_web_address(value: Any) -> bool:
    """Return True for a URL that is fetched over a network."""
    return isinstance(value, str) and value[:8].lower().startswith(("http://", "https://"))


class MediaFetcher:
    """Reads files from data URLs, from one folder, and from named web servers.

    Args:
        folder: under which paths and file: URLs may name files; None: they are refused.
        domains: hosts that http(s) URLs may name; empty: they are refused. A host must have public addresses, unless it
            is "localhost" or itself an address: listing that allows it.
        limits: of sizes and time.
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None, domains: Sequence[str], limits: MediaLimits = LIMITS
    ) -> None:
        self._folder = None if folder is None else Path(expanded(folder)).resolve()
        self._domains = frozenset(map(_host, domains))
        self._limits = limits

    def read(self, name: str | os.PathLike[str], most: int, deadline: float) -> bytes:
        """Return the bytes of the file that a URL or a path names.

        Args:
            most: bytes that it may have.
            deadline: `time.monotonic()` at which a download is given up.

        Raises:
            ValueError: it may not be read, is too large, or cannot be read; the message names the remedy.
        """
        if not isinstance(name, str):
            return self._file(os.fspath(name), most)
        scheme = name[:16].partition(":")[0].lower()
        if scheme == "data":
            return _of_data_url(name, most)
        if scheme in _WEB and is_web_address(name):
            return self._download(name, most, deadline)
        if scheme == "file":
            parts = urlsplit(name)
            if parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
                raise ValueError(f"its URL is {name!r:.80}, expected file:///PATH")
            return self._file(unquote(parts.path), most)
        if "://" in name[:32]:
            raise ValueError(f"its URL is {name!r:.80}, expected a data:, http:, https: or file: URL")
        return self._file(name, most)

    def _file(self, name: str, most: int) -> bytes:
        """Read a regular file that lies in the folder, after all links are followed."""
        if self._folder is None:
            raise ValueError(
                f"{name!r:.80} is a file here, and no folder is allowed; give allowed_local_media_path=FOLDER "
                "(--allowed-local-media-path)"
            )
        try:
            path = Path(os.path.realpath(name, strict=True))
            if not path.is_relative_to(self._folder):
                raise PermissionError
            # Neither a link that has just replaced the file, nor a pipe that nothing writes to.
            flags = (
                os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            )
            with open(os.open(path, flags), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise PermissionError
                data = file.read(most + 1)
        except (OSError, ValueError):  # one message for all, which tells nothing of files elsewhere
            raise ValueError(
                f"{name!r:.80} is no file in the folder of allowed_local_media_path that can be read (relative paths "
                "begin at the working directory)"
            ) from None
        _require_size(len(data), most)
        return data

    def _download(self, url: str, most: int, deadline: float) -> bytes:
        """Return the body of a URL. Redirects are followed to allowed hosts."""
        if not self._domains:
            raise ValueError(
                f"its URL is {url!r:.80}, and nothing is fetched from a network; give allowed_media_domains=[HOST] "
                "(--allowed-media-domains), or send the file in a data: URL"
            )
        for _ in range(_MOST_REDIRECTS + 1):
            host = self._allowed_host(url)
            try:
                found = self._get(url, host, most, deadline)
            except (OSError, http.client.HTTPException, UnicodeError) as error:  # ssl's errors are OSErrors
                late = isinstance(error, TimeoutError) or time.monotonic() >= deadline
                reason = f"it took more than {self._limits.seconds:g} seconds" if late else f"{error!s:.200}"
                raise ValueError(f"its URL {url!r:.80} could not be fetched: {reason}") from None
            if isinstance(found, bytes):
                return found
            url = found
        raise ValueError(f"its URL leads to more than {_MOST_REDIRECTS} redirects; the last one is {url!r:.80}")

    def _allowed_host(self, url: str) -> str:
        """Return the host of a URL. Raises ValueError if nothing may be fetched from it."""
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname or "", parts.port
        except ValueError as error:
            raise ValueError(f"its URL is {url!r:.80}, which cannot be read: {error}") from None
        if (
            parts.scheme.lower() not in _WEB
            or parts.username is not None
            or not url.isascii()
            or not url.isprintable()
            or " " in url
        ):
            raise ValueError(f"its URL is {url!r:.80}, expected http(s)://HOST/... in ASCII, without a user")
        if _host(host) not in self._domains:
            raise ValueError(
                f"its URL {url!r:.80} has the host {host!r:.80}, expected one of {', '.join(sorted(self._domains))} "
                "(allowed_media_domains)"
            )
        return _host(host)

    def _get(self, url: str, host: str, most: int, deadline: float) -> bytes | str:
        """Return the body of one answer, or the address that it redirects to."""
        parts = urlsplit(url)
        kind: Any = http.client.HTTPSConnection if parts.scheme.lower() == "https" else http.client.HTTPConnection
        more = {"context": ssl.create_default_context()} if kind is http.client.HTTPSConnection else {}
        connection = kind(parts.hostname, parts.port, timeout=_left(deadline, _CONNECT_SECONDS), **more)
        timer: threading.Timer | None = None

        def connect(address: tuple[str, int], timeout: float, _source: object) -> socket.socket:
            nonlocal timer
            made = _connect(address, timeout, named=_is_named(host))
            timer = _ended_at(deadline, made)
            return made

        # http.client calls this to connect; it has no public way to be given a checked address.
        connection._create_connection = connect
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {
            "Accept": "image/*, audio/*, video/*",
            "Accept-Encoding": "identity",
            "User-Agent": f"torchpaged/{__version__}",
        }
        try:
            connection.connect()
            connection.sock.settimeout(_left(deadline, self._limits.seconds))
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            where: str | None = answer.getheader("Location")
            if answer.status in _REDIRECTS and where:
                return urljoin(url, where)
            if answer.status != 200:
                raise ValueError(f"its URL {url!r:.80} answers with the status {answer.status}, expected 200")
            if (coding := answer.getheader("Content-Encoding", "identity")) != "identity":
                raise ValueError(f"its URL {url!r:.80} answers in the encoding {coding!r:.40}, expected none")
            _require_size(answer.length or 0, most)
            data = bytearray()
            while piece := answer.read1(_PIECE):
                data += piece
                _require_size(len(data), most)
            _left(deadline, 0)  # an answer that the timer has ended looks complete if it has no length
            if answer.length:
                raise ConnectionError("its answer is cut off")
            return bytes(data)
        finally:
            if timer is not None:
                timer.function()  # closes its handle of the socket
                timer.cancel()
            connection.close()


def _host(name: str) -> str:
    """Return a host in the form in which hosts are compared."""
    return name.strip().rstrip(".").removeprefix("[").removesuffix("]").lower()


def _is_named(host: str) -> bool:
    """Return True if a listed host is itself an address, or this machine."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return True


def _connect(address: tuple[str, int], timeout: float, *, named: bool) -> socket.socket:
    """Connect to the first address of a host that answers.

    All of its addresses are checked, and the one that was checked is connected to: a name that is resolved twice may
    have another address the second time.
    """
    found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
    for *_, where in found:
        if not named and not _is_public(str(where[0])):
            raise OSError(f"{address[0]} has the address {where[0]}, which is not public")
    problem: OSError = OSError(f"{address[0]} has no address")
    for family, kind, protocol, _, where in found:
        made = socket.socket(family, kind, protocol)
        try:
            made.settimeout(timeout)
            made.connect(where)
            return made
        except OSError as error:
            made.close()
            problem = error
    raise problem


def _is_public(address: str) -> bool:
    """Return True for an address that the internet routes."""
    known = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(known, "ipv4_mapped", None) or getattr(known, "sixtofour", None)
    if known in _NAT64:
        inner = ipaddress.IPv4Address(int(known) & 0xFFFFFFFF)
    return known.is_global and not known.is_multicast and (inner is None or _is_public(str(inner)))


def _left(deadline: float, most: float) -> float:
    """Return the seconds that are left. Raises TimeoutError if there are none."""
    if (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    return min(left, most)


def _ended_at(deadline: float, connected: socket.socket) -> threading.Timer:
    """Start a timer that ends a connection at a time, also if a read never waits long.

    A server that sends a byte now and then, in its headers or its handshake, never exceeds the timeout of one read.
    """
    handle = connected.dup()  # a TLS connection takes the socket over

    def end() -> None:
        with contextlib.suppress(OSError), handle:  # an OSError: it has been ended already
            handle.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(_left(deadline, threading.TIMEOUT_MAX), end)
    timer.daemon = True
    timer.start()
    return timer


def _of_data_url(url: str, most: int) -> bytes:
    """Return the bytes in a data: URL."""
    head, comma, body = url.partition(",") if "," in url[:1024] else (url[:80], "", "")
    if not comma or not head.lower().endswith(";base64"):
        raise ValueError(f"its URL begins with {head!r:.80}, expected data:TYPE;base64,...")
    _require_size(len(body) * 3 // 4 - 2, most)
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"its data: URL is not valid base64 ({len(body)} characters)") from None


def _require_size(count: int, most: int) -> None:
    if count > most:
        raise ValueError(f"its file is larger than {most} bytes, the limit for all files of a prompt together")

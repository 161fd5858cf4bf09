"""Files of images and sounds, good and hostile, and a web server that misbehaves."""

from __future__ import annotations

import base64
import io
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from PIL import Image


def picture(width: int = 6, height: int = 4, seed: int = 0) -> Image.Image:
    """Return an image of random pixels."""
    return Image.fromarray(np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8))


def file_of(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    """Return an image as a file."""
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def data_url(data: bytes, kind: str = "image/png") -> str:
    """Return a file as a data: URL."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def bomb(width: int, height: int) -> bytes:
    """Return a PNG that says it is large, with pixels of one colour: it is small, and decodes to all of them."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes(64 * 1024))
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def wav(samples: Any, rate: int, code: int = 1, bits: int = 16, channels: int = 1, extensible: bool = False) -> bytes:
    """Return a WAV file of these bytes of samples."""
    align = channels * bits // 8
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else code, channels, rate, rate * align, align, bits)
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, code) + bytes(14)
    body = b"fmt " + struct.pack("<I", len(form)) + form + b"LIST" + struct.pack("<I", 3) + b"odd\0"
    body += b"data" + struct.pack("<I", len(samples)) + bytes(samples)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


class _Handler(BaseHTTPRequestHandler):
    """Routes that answer well, late, too much, or elsewhere."""

    picture = file_of(picture())
    seen: list[str]
    ended: threading.Event

    def do_GET(self) -> None:
        self.seen.append(self.path)
        path = self.path.partition("?")[0]
        if path == "/image.png":
            self._send(self.picture)
        elif path == "/slow":
            self._trickle()
        elif path == "/cut":
            self._send(self.picture[:20], length=len(self.picture))
        elif path == "/huge":
            self._send(b"", length=1 << 40)
        elif path == "/endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                pass
        elif path == "/zip":
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
        elif path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", path.removeprefix("/to/"))
            self.end_headers()
        else:
            self.send_error(404)

    def _send(self, data: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def _trickle(self) -> None:
        """Send a byte now and then, as long as the server runs."""
        self.send_response(200)
        self.end_headers()
        try:
            while not self.ended.wait(0.05):
                self.wfile.write(b"x")
        except OSError:
            pass

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64  # with the usual 5, a busy machine makes some of 8 clients wait for seconds


@contextmanager
def web_server() -> Iterator[tuple[str, list[str]]]:
    """Run a web server; gives its address, and the paths that it was asked for."""
    seen: list[str] = []
    ended = threading.Event()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"seen": seen, "ended": ended}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()

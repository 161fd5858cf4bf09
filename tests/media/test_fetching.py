"""Files that prompts name are read from allowed places alone, within their limits of size and time."""

from __future__ import annotations

import base64
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.media.files import data_url, file_of, picture, web_server
from torchpaged.media import fetching
from torchpaged.media.fetching import MediaFetcher
from torchpaged.media.limits import MediaLimits

PICTURE = file_of(picture())
LIMITS = MediaLimits(seconds=60.0)


def read(fetcher: MediaFetcher, name: Any, most: int = 1 << 20, seconds: float = LIMITS.seconds) -> bytes:
    """Read a file within a time."""
    return fetcher.read(name, most, time.monotonic() + seconds)


def refusal(fetcher: MediaFetcher, name: Any, most: int = 1 << 20, seconds: float = LIMITS.seconds) -> str:
    """Return the message with which a file is refused."""
    with pytest.raises(ValueError) as caught:
        read(fetcher, name, most, seconds)
    assert len(str(caught.value)) < 600
    return str(caught.value)


NOWHERE = MediaFetcher(None, (), LIMITS)


def test_a_data_url() -> None:
    for url in (data_url(PICTURE), data_url(PICTURE).replace("data:", "DATA:"), data_url(PICTURE, "")):
        assert read(NOWHERE, url) == PICTURE
    assert read(NOWHERE, "data:image/png;charset=x;base64," + base64.b64encode(PICTURE).decode()) == PICTURE


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("data:image/png,abc", "expected data:TYPE;base64"),
        ("data:image/png;base64", "expected data:TYPE;base64"),
        ("data:" + "x" * 5000 + ";base64,AAAA", "expected data:TYPE;base64"),
        ("data:image/png;base64,AAA", "not valid base64 (3 characters)"),
        ("data:image/png;base64,AA\nAA", "not valid base64"),
        ("data:image/png;base64,ÄÄÄÄ", "not valid base64"),
        ("data:image/png;base64," + "A" * (2 << 20), "larger than 1048576 bytes"),
        ("ftp://host/x.png", "expected a data:, http:, https: or file: URL"),
        ("javascript://x", "expected a data:, http:, https: or file: URL"),
        ("https://example.org/x.png", "nothing is fetched from a network; give allowed_media_domains"),
        ("file:///etc/passwd", "no folder is allowed; give allowed_local_media_path=FOLDER"),
        ("/etc/passwd", "no folder is allowed"),
        ("", "no folder is allowed"),
    ],
)
def test_urls_that_are_refused(url: str, said: str) -> None:
    assert said in refusal(NOWHERE, url)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with files, beside a secret."""
    (tmp_path / "secret.png").write_bytes(PICTURE)
    (tmp_path / "media-of-others").mkdir()
    (tmp_path / "media-of-others" / "a.png").write_bytes(PICTURE)
    media = tmp_path / "media"
    (media / "deep").mkdir(parents=True)
    (media / "a b.png").write_bytes(PICTURE)
    (media / "deep" / "c.png").write_bytes(PICTURE)
    (media / "inside.png").symlink_to(media / "deep" / "c.png")
    (media / "outside.png").symlink_to(tmp_path / "secret.png")
    (media / "up").symlink_to(tmp_path)
    (media / "loop").symlink_to(media / "loop")
    os.mkfifo(media / "pipe")
    return media


def test_files_under_the_folder(folder: Path) -> None:
    fetcher = MediaFetcher(folder, (), LIMITS)
    for name in (
        folder / "a b.png",
        str(folder / "deep" / "c.png"),
        str(folder / "deep" / ".." / "a b.png"),
        str(folder / "inside.png"),
        f"file://{folder}/a%20b.png",
        f"file://localhost{folder}/deep/c.png",
    ):
        assert read(fetcher, name) == PICTURE


def test_files_elsewhere_are_refused_with_one_message(folder: Path) -> None:
    fetcher = MediaFetcher(folder, (), LIMITS)
    beside = folder.parent
    for name in (
        str(beside / "secret.png"),
        str(folder / ".." / "secret.png"),
        str(folder / "outside.png"),
        str(folder / "up" / "secret.png"),
        str(folder / "loop"),
        str(folder / "pipe"),
        str(folder / "nothing.png"),
        str(folder),
        str(beside / "media-of-others" / "a.png"),
        "/etc/passwd",
        "/dev/zero",
        "/proc/self/environ",
        "a\0b",
        f"file://{folder}/../secret.png",
        f"file://{folder}/%2e%2e/secret.png",
        f"file://{folder}/..%2Fsecret.png",
        f"file://{folder}/a%00b",
        "file:relative",
        "x" * 10_000,
    ):
        assert "is no file in the folder of allowed_local_media_path that can be read" in refusal(fetcher, name), name
    assert "expected file:///PATH" in refusal(fetcher, f"file://host{folder}/deep/c.png")
    assert "expected file:///PATH" in refusal(fetcher, f"file://{folder}/deep/c.png?x")


def test_a_file_that_is_too_large(folder: Path) -> None:
    with (folder / "large").open("wb") as file:
        file.truncate(1 << 40)
    assert "larger than 1000 bytes" in refusal(MediaFetcher(folder, (), LIMITS), str(folder / "large"), 1000)


# --- Web ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[str, list[str]]]:
    with web_server() as found:
        yield found


HERE = MediaFetcher(None, ["127.0.0.1"], LIMITS)
BRIEF = MediaFetcher(None, ["127.0.0.1"], MediaLimits(seconds=1.0))


def test_a_file_from_an_allowed_host(web: tuple[str, list[str]]) -> None:
    address, seen = web
    assert read(HERE, f"{address}/image.png?size=3") == PICTURE
    assert seen[-1] == "/image.png?size=3"
    assert read(HERE, f"{address}/to//image.png") == PICTURE
    assert (
        read(MediaFetcher(None, ["LOCALHOST."], LIMITS), address.replace("127.0.0.1", "localhost") + "/image.png")
        == PICTURE
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nothing", "the status 404"),
        ("/cut", "its answer is cut off"),
        ("/huge", "larger than 1048576 bytes"),
        ("/endless", "larger than 1048576 bytes"),
        ("/zip", "the encoding 'gzip'"),
        ("/to/http://example.org/x.png", "the host 'example.org', expected one of 127.0.0.1"),
        ("/to/file:///etc/passwd", "expected http(s)://HOST"),
        ("/to//to//to//to//to//image.png", "more than 3 redirects"),
    ],
)
def test_answers_that_are_refused(web: tuple[str, list[str]], path: str, said: str) -> None:
    assert said in refusal(HERE, web[0] + path)


def test_a_slow_server_is_given_up_in_time(web: tuple[str, list[str]]) -> None:
    # It never ends by itself.
    assert "it took more than 1 seconds" in refusal(BRIEF, f"{web[0]}/slow", seconds=1.0)


def test_a_server_that_never_ends_its_headers_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while True:
                    connection.sendall(b"x")
                    time.sleep(0.05)
            except OSError:
                connection.close()

        threading.Thread(target=answer, daemon=True).start()
        said = refusal(BRIEF, f"http://127.0.0.1:{server.getsockname()[1]}/x.png", seconds=1.0)
    assert "it took more than 1 seconds" in said


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/x.png",
        "http://127.0.0.1.example.org/x",
        "http://127.0.0.1@example.org/x",
        "http://user:word@127.0.0.1/x",
        "http://2130706433/x",
        "http://[::1]/x",
        "http://127.0.0.1:99999/x",
        "http://127.0.0.1:x/x",
        "http://127.0.0.1/ä",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/a\r\nHost: x",
        "http://[127.0.0.1/x",
        "http:///x",
    ],
)
def test_addresses_that_are_refused(url: str) -> None:
    assert "expected" in (said := refusal(HERE, url)) or "cannot be read" in said


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::",
    ],
)
def test_a_listed_name_with_an_address_that_is_not_public(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    found = [(family, socket.SOCK_STREAM, 6, "", (address, 80))]
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *_, **__: found)
    said = refusal(MediaFetcher(None, ["images.example.org"], LIMITS), "http://images.example.org/x.png")
    assert f"has the address {address}, which is not public" in said


def test_a_name_is_resolved_once(monkeypatch: pytest.MonkeyPatch, web: tuple[str, list[str]]) -> None:
    """A name that has another address the second time cannot lead past the check."""
    asked = []
    real = socket.getaddrinfo

    def resolve(host: str, port: int, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        return real("127.0.0.1", port, *rest, **more)

    monkeypatch.setattr(fetching.socket, "getaddrinfo", resolve)
    monkeypatch.setattr(fetching, "_is_public", lambda address: True)
    port = web[0].rpartition(":")[2]
    assert (
        read(MediaFetcher(None, ["images.example.org"], LIMITS), f"http://images.example.org:{port}/image.png")
        == PICTURE
    )
    assert asked == ["images.example.org"]


def test_public_addresses() -> None:
    for address in ("8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"):
        assert fetching._is_public(address), address

"""Input before routing: heads, bodies with many errors, slow readers."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from pydantic import ValidationError

from tests.serving.harness import Running, fake, until
from torchpaged.async_engine import tokenizer_pool
from torchpaged.errors import did_you_mean
from torchpaged.serving.protocol import CompletionBody
from torchpaged.serving.refusals import Refusal


def connect(server: Running) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
    client.connect(("127.0.0.1", server.port))
    client.settimeout(20)
    return client


def until_closed(client: socket.socket) -> bytes:
    """Return the bytes received before the connection ends, possibly by a reset."""
    came = b""
    try:
        while piece := client.recv(2**16):
            came += piece
    except ConnectionResetError:
        pass
    return came


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET /health HTTP/1.1\r\nHost: x\r\nX: "], ids=str)
def test_who_sends_no_head_is_not_waited_for(sent: bytes) -> None:
    with fake(read_timeout=0.3) as server, connect(server) as client:
        client.sendall(sent)
        came = until_closed(client)
        assert came == b"" if sent.strip() == b"" else came.startswith(b"HTTP/1.1 408 ") and b"headers" in came
        assert server.http.get("/health").status_code == 200


def test_a_head_that_comes_a_byte_at_a_time_is_late_all_the_same() -> None:
    with fake(read_timeout=0.5) as server, connect(server) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        client.settimeout(0.1)
        end, came = time.monotonic() + 60, b""
        while not came and time.monotonic() < end:
            client.sendall(b"X: a\r\n")
            with contextlib.suppress(TimeoutError):
                came = client.recv(2**16)
        assert came.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("parts", [[b"a" * 2**16] * 40, [b"a: b\r\nX: "] * 40_000], ids=["one", "many"])
def test_a_head_has_a_size(parts: list[bytes]) -> None:
    with fake() as server, connect(server) as client:
        try:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX: " + b"".join(parts[: len(parts) // 2]))
            client.sendall(b"".join(parts[len(parts) // 2 :]))
        except (ConnectionResetError, BrokenPipeError):
            pass
        else:
            assert until_closed(client)[:12] in (b"HTTP/1.1 431", b"")  # what was not read resets it
    with fake() as server:
        assert server.http.get("/health", headers={"X": "a" * 60_000}).status_code == 200
        refused = server.http.get("/health", headers={"X": "a" * 70_000})
        assert refused.status_code == 431 and "headers have more than" in refused.json()["error"]["message"]


def test_what_is_no_http_is_told_so_as_all_errors_are() -> None:
    with fake() as server, connect(server) as client:
        client.sendall(b"\x16\x03\x01" * 20)
        head, _, body = until_closed(client).partition(b"\r\n\r\n")
        assert (
            head.startswith(b"HTTP/1.1 400") and json.loads(body)["error"]["message"] == "this is not an HTTP request"
        )


def test_who_takes_nothing_of_a_whole_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_pool, "_HUGE", 2**22)  # the text is longer than an answer that sockets hold
    with fake(write_timeout=0.4) as server, connect(server) as client:
        body = json.dumps({"prompt": "b" * 3_000_000}).encode()
        client.sendall(
            b"POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % len(body)
        )
        client.sendall(body)
        first = client.recv(2**10)
        size = int(first.lower().partition(b"content-length:")[2].split()[0])
        until(lambda: not server.server.server_state.connections)
        assert len(until_closed(client)) < size - 2**18


def post(server: Running, body: Any, path: str = "/v1/completions", **more: Any) -> dict[str, Any]:
    """Post a body; return the error, which must be short."""
    answer = server.http.post(path, **({"json": body} if more == {} else more))
    assert answer.status_code == 400 and len(answer.content) < 1000
    return answer.json()["error"]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with fake() as running:
        yield running


MANY = 1000


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"prompt": [None] * MANY}, "prompt"),
        ({"prompt": [1] * MANY + ["a"]}, "prompt"),
        ({"prompt": "a", "stop": [1] * MANY}, "stop"),
        ({"prompt": "a", "allowed_token_ids": ["a"] * MANY}, "allowed_token_ids"),
        ({"prompt": "a", "logit_bias": {str(each): "a" for each in range(MANY)}}, "logit_bias"),
        ({"prompt": "a", **{f"k{each}": 1 for each in range(MANY)}}, "k0"),
        ({"prompt": "a", "stream_options": {f"k{each}": 1 for each in range(MANY)}}, "k0"),
        ({"prompt": "a", "k" * 10 * MANY: 1}, "k" * 80),
    ],
    ids=["nulls", "last", "stop", "allowed", "bias", "unknown", "nested", "long"],
)
def test_one_error_is_looked_for_in_a_body(server: Running, body: Any, param: str) -> None:
    """A search for all errors took minutes at 16 MiB, during which the server answered no one else."""
    assert post(server, body)["param"] == param
    with pytest.raises((ValidationError, Refusal)) as caught:
        CompletionBody.model_validate(body)
    # As many as there are kinds of prompts.
    assert not isinstance(caught.value, ValidationError) or caught.value.error_count() <= 4


def test_long_names_were_not_mistyped() -> None:
    assert did_you_mean("promt", ["prompt"]) and did_you_mean("promt" * 10**6, ["prompt"]) == ""


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"prompt":' + b"[" * 10**5, "recursion"),
        (b'{"prompt": "\xff"}', "utf-8"),
        (b'{"seed": ' + b"9" * 5000 + b"}", "digits"),
    ],
    ids=["deep", "utf-8", "digits"],
)
def test_what_json_cannot_read_is_told(server: Running, content: bytes, says: str) -> None:
    error = post(server, None, content=content, headers={"Content-Type": "application/json"})
    assert error["message"].startswith("the body is not valid JSON: ") and says in error["message"]


def test_a_body_that_is_not_said_to_be_json(server: Running) -> None:
    assert "Content-Type: application/json" in post(server, None, content=b'{"prompt": "a"}')["message"]


_HEAD = b"POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
_FIRST = b'6\r\n{"mode\r\n'


@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\n",
        b"-1\r\n",
        _FIRST + b'5\r\nl": 1xx',
        _FIRST + b"G\r\n",
        b"f" * 17 + b"\r\n",
        _FIRST + b"0\r\nX\x00: 1\r\n\r\n",
    ],
    ids=str,
)
def test_an_invalid_body_is_told_so(body: bytes) -> None:
    with fake() as server:
        for parts in ([_HEAD + body], [_HEAD, body]):
            with connect(server) as client:
                for part in parts:
                    client.sendall(part)
                    time.sleep(0.05)  # so that the server receives the parts one by one
                head, _, told = until_closed(client).partition(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 400 ") and b"connection: close" in head.lower()
                assert json.loads(told)["error"]["message"] == "the body's chunks are not HTTP's"
        server.wait_until_idle()
        assert server.http.get("/health").status_code == 200


def test_an_invalid_body_is_not_answered_twice() -> None:
    """The answer to a request without a key does not wait for its body; nothing follows a complete answer."""
    with fake(api_key=("secret-key",)) as server, connect(server) as client:
        client.sendall(_HEAD)
        came = client.recv(2**16)
        client.sendall(b"zz\r\n")
        came += until_closed(client)
        assert came.count(b"HTTP/1.1 ") == 1 and came.startswith(b"HTTP/1.1 401 ")


def test_an_invalid_body_behind_a_request_that_is_answered() -> None:
    """No answer to the second one can be told from the first one's, so the connection ends."""
    with fake() as server, connect(server) as client:
        good = json.dumps({"model": "fake", "prompt": "a", "max_tokens": 10_000, "ignore_eos": True}).encode()
        client.sendall(_HEAD.replace(b"/tokenize", b"/v1/completions") + b"%x\r\n%b\r\n0\r\n\r\n" % (len(good), good))
        until(lambda: server.server.service.state.traffic.num_open)
        client.sendall(_HEAD + b"zz\r\n")
        assert until_closed(client) == b""
        server.wait_until_idle()

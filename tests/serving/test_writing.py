"""Texts written from a step's wake-up, without their task: to clients that disconnect, stall, or send more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.fakes import LONG_BLOCKS, LONG_TOKENS, FakeTokenizer, GatedModel, engine
from tests.serving.harness import Running, fake, until
from torchpaged import AsyncLLM
from torchpaged.serving import answers
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.server import Server, listen

TOKENS = 100
ASKED = {"prompt": "fgh", "max_tokens": TOKENS, "ignore_eos": True, "temperature": 0, "stream": True}


class SlowModel(GatedModel):
    """A model whose forwards take a while, so that streams last; or wait for a gate."""

    def __init__(self, seconds: float = 0.002) -> None:
        super().__init__()
        self.seconds = seconds

    def forward(self, *args: Any) -> Any:
        """Sleep, then compute."""
        time.sleep(self.seconds)
        return super().forward(*args)


def request(**more: Any) -> bytes:
    """Return the bytes of a streaming request."""
    body = json.dumps({**ASKED, **more}).encode()
    head = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body


def connect(server: Running) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port))
    client.settimeout(60)
    return client


def reset(client: socket.socket) -> None:
    """Closes a connection without a farewell: what is written to it from now on fails."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def until_holds(client: socket.socket, says: bytes, count: int = 1, came: bytes = b"") -> bytes:
    """Return received bytes until `says` has come `count` times, in frames that may have been cut anywhere."""
    while came.count(says) < count:
        piece = client.recv(2**16)
        assert piece, f"it has ended behind {came[-300:]!r}"
        came += piece
    return came


def texts(came: bytes) -> list[str]:
    """Return the text of each answer in the bytes of a connection. Every chunk must be whole."""
    found = []
    while came:
        head, _, came = came.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        body = b""
        while True:
            size, _, came = came.partition(b"\r\n")
            count = int(size, 16)
            body += came[:count]
            assert came[count : count + 2] == b"\r\n"
            came = came[count + 2 :]
            if not count:
                break
        assert body.endswith(b"data: [DONE]\n\n")
        read = [json.loads(frame[6:]) for frame in body.decode().split("\n\n")[:-2]]
        found.append("".join(frame["choices"][0]["text"] for frame in read))
    return found


@pytest.fixture
def no_complaints(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check that no error is logged when a client disconnects."""
    yield
    assert not [record.getMessage() for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


ENDS = {"close": socket.socket.close, "reset": reset}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("stream", [True, False])
def test_who_asks_for_more_and_hangs_up_ends_both(how: str, stream: bool, no_complaints: None) -> None:
    """A second request follows one that is answered, and the client disconnects: both are aborted."""
    model = SlowModel()
    with fake(model) as server:
        model.allow(3 if stream else 0)
        client = connect(server)
        client.sendall(request(stream=stream) + request())
        if stream:
            until_holds(client, b"data: ")
        else:
            until(server.llm.get_num_unfinished_requests)
        ENDS[how](client)
        server.wait_until_idle()  # while the engine computes nothing: neither has come to its end
        model.gate.set()


def test_answers_of_one_connection_come_in_order_and_whole(no_complaints: None) -> None:
    with fake(SlowModel(0.0)) as server, connect(server) as client:
        prompts = ["fgh", "b", "cde"]
        client.sendall(b"".join(request(prompt=prompt) for prompt in prompts))
        came = until_holds(client, b"\r\n0\r\n\r\n", 3)
        client.sendall(request(prompt="fgh"))  # and the connection is still good
        came += until_holds(client, b"\r\n0\r\n\r\n")
        alone = [
            server.http.post("/v1/completions", json={**ASKED, "prompt": each, "stream": False}) for each in prompts
        ]
        expected = [each.json()["choices"][0]["text"] for each in alone]
        assert texts(came) == [*expected, expected[0]]


@pytest.mark.parametrize("how", ENDS)
def test_who_goes_in_the_middle_of_a_frame(how: str, no_complaints: None) -> None:
    """While steps send texts to other clients, which get everything."""
    with fake(SlowModel()) as server:
        stays = connect(server)
        stays.sendall(request())
        for _ in range(20):
            client = connect(server)
            client.sendall(request())
            client.recv(100)
            ENDS[how](client)
        (text,) = texts(until_holds(stays, b"\r\n0\r\n\r\n"))
        assert len(text) == TOKENS
        stays.close()


@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_who_takes_nothing_for_a_while_gets_all_the_same(pause: float, no_complaints: None) -> None:
    """More is written than buffers hold while the client does not read: then all arrives, once and in order."""
    name = "m" * 30_000  # part of each frame
    with fake(SlowModel(0.0), served_model_name=[name]) as server:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
            client.connect(("127.0.0.1", server.port))
            client.settimeout(60)
            client.sendall(request())
            time.sleep(pause)
            (text,) = texts(until_holds(client, b"\r\n0\r\n\r\n"))
        whole = server.http.post("/v1/completions", json={**ASKED, "stream": False}).json()
        assert text == whole["choices"][0]["text"]


def test_who_never_takes_anything_is_left(no_complaints: None) -> None:
    """The buffer of a client that does not read stays full: its request is aborted, and it is cut off."""
    model = SlowModel()
    with fake(model, served_model_name=["m" * 100_000], write_timeout=0.5) as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
        client.connect(("127.0.0.1", server.port))
        model.gate.clear()
        client.sendall(request())
        until(server.llm.get_num_unfinished_requests)
        model.gate.set()
        server.wait_until_idle()
        until(lambda: not server.server.server_state.connections)


def test_what_fails_while_a_frame_is_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the client whose frame it was: after the gap comes only the error, and other streams continue."""
    real, made = answers.to_json, [0]

    def failing(value: Any, *more: Any) -> bytes:
        if isinstance(value, str):
            made[0] += 1
            if made[0] == 2:
                raise RuntimeError("out of letters")
        return real(value, *more)

    model = SlowModel()
    with fake(model) as server, connect(server) as client:
        monkeypatch.setattr(answers, "to_json", failing)
        model.allow(1)
        client.sendall(request())
        came = until_holds(client, b"data: ")
        model.gate.set()
        came = until_holds(client, b"\r\n0\r\n\r\n", came=came)
        assert made == [2] and b"the server has failed: RuntimeError" in came and came.count(b"[DONE]") == 1
        client.sendall(request())
        (text,) = texts(until_holds(client, b"\r\n0\r\n\r\n"))
        assert len(text) == TOKENS


def test_a_request_that_is_aborted_says_so_behind_its_last_text() -> None:
    with fake(SlowModel(), settings={"num_blocks": LONG_BLOCKS}) as server, connect(server) as client:
        client.sendall(request(max_tokens=LONG_TOKENS))
        came = until_holds(client, b"data: ", 5)
        asyncio.run(server.llm.abort(list(server.llm._requests._unfinished)))
        came = until_holds(client, b"\r\n0\r\n\r\n", came=came)
        assert b'"code":"aborted"' in came and came.count(b"[DONE]") == 1


@pytest.mark.parametrize("more", [{"n": 3}, {"n": 2, "stop": "k"}, {"prompt": ["fgh", "fgh"]}, {"stop": "k"}], ids=str)
def test_choices_that_end_in_one_step(more: dict[str, Any]) -> None:
    with fake(SlowModel(0.0)) as server, connect(server) as client:
        client.sendall(request(**more))
        came = until_holds(client, b"\r\n0\r\n\r\n").decode()
        whole = server.http.post("/v1/completions", json={**ASKED, **more, "stream": False}).json()
        for choice in whole["choices"]:
            read = [json.loads(frame)["choices"] for frame in re.findall(r"data: (\{.*\})\n", came)]
            mine = [each for choices in read for each in choices if each["index"] == choice["index"]]
            assert "".join(each["text"] for each in mine) == choice["text"]
            assert [each["finish_reason"] for each in mine if each["finish_reason"]] == [choice["finish_reason"]]


def test_a_server_that_is_told_to_end_twice_leaves_no_stream_open(no_complaints: None) -> None:
    with fake(SlowModel(), settings={"num_blocks": LONG_BLOCKS}) as server:
        client = connect(server)
        client.sendall(request(max_tokens=LONG_TOKENS))
        until_holds(client, b"data: ", 3)
        server.server.handle_exit(15, None)
        until_holds(client, b"data: ", 3)  # it goes on
        server.server.handle_exit(15, None)
        with contextlib.suppress(ConnectionResetError):
            while client.recv(2**16):
                pass
        client.close()


def over_tls(folder: Path) -> tuple[dict[str, str], Callable[[socket.socket], socket.socket]]:
    files = {"ssl_certfile": str(folder / "cert.pem"), "ssl_keyfile": str(folder / "key.pem")}
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    subprocess.run(
        [*made, "-out", files["ssl_certfile"], "-keyout", files["ssl_keyfile"]], check=True, capture_output=True
    )
    context = ssl.create_default_context(cafile=files["ssl_certfile"])
    context.check_hostname = False
    return files, lambda client: context.wrap_socket(client)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate: not on PATH")
def test_the_same_over_tls(tmp_path: Path, no_complaints: None) -> None:
    files, wrapped = over_tls(tmp_path)
    with fake(SlowModel(), served_model_name=["m" * 30_000], **files) as server:
        gone = wrapped(connect(server))
        gone.sendall(request() + request())
        until_holds(gone, b"data: ", 3)
        reset(gone)
        client = wrapped(connect(server))
        client.sendall(request())
        time.sleep(0.3)
        (text,) = texts(until_holds(client, b"\r\n0\r\n\r\n"))
        assert len(text) == TOKENS
        client.close()


def test_the_same_over_a_unix_socket(tmp_path: Path, no_complaints: None) -> None:
    options = ServeOptions(uds=str(tmp_path / "socket"))
    llm = AsyncLLM.from_engine(engine(SlowModel(), tokenizer=FakeTokenizer()), name="fake")
    server = Server(llm, options)
    thread = threading.Thread(target=server.run, args=([listen(options)],))
    thread.start()
    until(lambda: server.started)
    for gone in (True, False):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(options.uds)
            client.settimeout(60)
            client.sendall(request() + (request() if gone else b""))
            came = until_holds(client, b"data: ", 3)
            if not gone:
                (text,) = texts(until_holds(client, b"\r\n0\r\n\r\n", came=came))
                assert len(text) == TOKENS
    until(lambda: not llm.get_num_unfinished_requests())
    server.should_exit = True
    thread.join(60)
    llm.shutdown()

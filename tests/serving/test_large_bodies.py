"""Large bodies are read by another process, with the answers that smaller ones get."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes import FakeTokenizer, engine
from tests.serving.harness import TEMPLATE, Running, fake, until
from torchpaged import AsyncLLM
from torchpaged.requests.text_length import LONG, BytesPerToken
from torchpaged.serving import body_request, guard
from torchpaged.serving.large_bodies import LARGE, LargeBodies
from torchpaged.structured.trial_process import NICENESS

pytestmark = pytest.mark.skipif(not LargeBodies.is_available, reason="it needs files in memory")

_GOOD = {"model": "fake", "prompt": "a", "max_tokens": 2, "temperature": 0}
_CHAT = {"model": "fake", "messages": [{"role": "user", "content": "a"}], "max_tokens": 2, "temperature": 0}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with fake() as running:
        yield running


def sent(server: Running, path: str, data: bytes, kind: str = "application/json") -> tuple[int, Any]:
    """Return the status and the answer, without what differs from one answer to the next."""
    answer = server.http.post(path, content=data, headers={"Content-Type": kind})
    return answer.status_code, {**answer.json(), "id": None, "created": None}


def process_of(server: Running) -> subprocess.Popen[bytes]:
    """Return the process that reads bodies, which has been started."""
    bodies = server.server.service._large_bodies
    assert bodies is not None and bodies._process is not None
    return bodies._process


def forks_of(pid: int) -> list[int]:
    """Return the processes that this one has forked."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(each.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(each.parent.name))
    return found


_CASES: dict[str, tuple[str, Any]] = {
    "completion": ("/v1/completions", _GOOD),
    "chat": ("/v1/chat/completions", _CHAT),
    "invocations": ("/invocations", _GOOD),
    "tokenize": ("/tokenize", {"model": "fake", "prompt": "abc"}),
    "count-tokens": ("/v1/messages/count_tokens", {"model": "fake", "messages": _CHAT["messages"]}),
    "no-json": ("/v1/completions", b'{"prompt": "a'),
    "no-utf8": ("/v1/completions", b'{"prompt": "\xff"}'),
    "surrogate": ("/v1/completions", b'{"model": "fake", "prompt": "\\ud800"}'),
    "deep": ("/v1/completions", b"[" * 100_000),
    "a-list": ("/v1/completions", [1]),
    "wrong-type": ("/v1/completions", {**_GOOD, "temperature": "hot"}),
    "missing": ("/v1/completions", {"model": "fake"}),
    "unknown-field": ("/v1/completions", {**_GOOD, "promt": "a"}),
    "unknown-model": ("/v1/completions", {**_GOOD, "model": "other"}),
    "long-stop": ("/v1/completions", {**_GOOD, "stop": ["x" * 2000]}),
    "many-stops": ("/v1/completions", {**_GOOD, "stop": ["x"] * 65}),
    "out-of-range": ("/v1/chat/completions", {**_CHAT, "top_p": 2}),
    "unsupported": ("/v1/chat/completions", {**_CHAT, "audio": {"voice": "a"}}),
    "beams": ("/v1/completions", {**_GOOD, "use_beam_search": True, "seed": 1}),
    "anthropic": ("/v1/messages", {**_CHAT, "max_tokens": "a"}),
}


@pytest.mark.parametrize("path, body", _CASES.values(), ids=_CASES)
def test_the_answers_are_those_to_small_bodies(
    server: Running, monkeypatch: pytest.MonkeyPatch, path: str, body: Any
) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    expected = sent(server, path, data)
    monkeypatch.setattr(guard, "LARGE", 1)
    monkeypatch.setattr(body_request, "from_json", None)
    assert sent(server, path, data) == expected
    kinds = [sent(server, path, data, "text/plain"), sent(server, path, b"{}")]
    monkeypatch.undo()
    assert kinds == [sent(server, path, data, "text/plain"), sent(server, path, b"{}")]


def test_a_large_body(server: Running) -> None:
    """It is read in pieces, and long enough without a smaller limit."""
    files = len(os.listdir("/proc/self/fd"))
    body = {**_GOOD, "user": "x" * LARGE, "n": 2}
    assert sent(server, "/v1/completions", json.dumps(body).encode())[0] == 200
    status, answer = sent(server, "/v1/completions", json.dumps({**body, "stop": ["y" * 3 * LARGE]}).encode())
    assert (status, answer["error"]["param"]) == (400, None) and f"stop[0] has {3 * LARGE}" in answer["error"][
        "message"
    ]
    many = {**_GOOD, "prompt": [1] * LARGE}
    assert "the prompt has" in sent(server, "/v1/completions", json.dumps(many).encode())[1]["error"]["message"]
    until(lambda: len(os.listdir("/proc/self/fd")) <= files + 1)  # one for the socket of the process


def test_the_process_can_be_started_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGE", 1)
    with fake() as server:
        service = server.server.service
        service.prepare()
        assert service._large_bodies is not None
        until(lambda: service._large_bodies and service._large_bodies._messages)
        process = service._large_bodies._process
        assert sent(server, "/v1/completions", json.dumps(_GOOD).encode())[0] == 200
        assert process is not None and service._large_bodies._process is process
        assert os.getpriority(os.PRIO_PROCESS, process.pid) >= NICENESS
    assert process.poll() is not None


def test_a_process_that_dies_is_started_again(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two bodies no request notices; the body that it was reading is refused."""
    monkeypatch.setattr(guard, "LARGE", 1)
    data = json.dumps(_GOOD).encode()
    assert sent(server, "/v1/completions", data)[0] == 200
    process_of(server).kill()
    process_of(server).wait()
    assert sent(server, "/v1/completions", data)[0] == 200
    process = process_of(server)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # for all of a service: requests may end
        process.send_signal(number)
    assert sent(server, "/v1/completions", data)[0] == 200 and process_of(server) is process
    process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(sent, server, "/v1/completions", data)
        until(lambda: server.server.service.state.traffic.num_open)
        process.kill()
        status, told = answer.result()
    assert status == 503 and "try again" in told["error"]["message"]
    assert sent(server, "/v1/completions", data)[0] == 200


def test_a_body_that_takes_too_long_is_refused(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGE", 1)
    data = json.dumps(_GOOD).encode()
    assert sent(server, "/v1/completions", data)[0] == 200
    process = process_of(server)
    process.send_signal(signal.SIGSTOP)
    bodies = server.server.service._large_bodies
    monkeypatch.setattr(bodies, "seconds", 0.1)
    status, answer = sent(server, "/v1/completions", data)
    assert status == 503 and "not read in 0.1 seconds" in answer["error"]["message"]
    assert process.poll() is not None
    monkeypatch.setattr(bodies, "seconds", 60)
    assert sent(server, "/v1/completions", data)[0] == 200


def test_a_body_that_takes_long_delays_no_other(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own process is killed after a time; that which starts these goes on."""
    monkeypatch.setattr(guard, "LARGE", 1)
    data = json.dumps(_GOOD).encode()
    assert sent(server, "/v1/completions", data)[0] == 200
    process, bodies = process_of(server), server.server.service._large_bodies
    body = b'{"model": "fake", "prompt": [%b[]]}' % (b"[]," * 900_000)
    status, attempts = 400, 0
    with ThreadPoolExecutor(1) as pool:
        while status == 400 and attempts < 20:  # that process may have read the body before it is stopped
            attempts += 1
            monkeypatch.setattr(bodies, "seconds", 2.5)
            slow = pool.submit(sent, server, "/v1/completions", body)
            until(lambda slow=slow: forks_of(process.pid) or slow.done())  # type: ignore[misc]
            for fork in forks_of(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(fork, signal.SIGSTOP)
            monkeypatch.setattr(bodies, "seconds", 60)
            assert sent(server, "/v1/completions", data)[0] == 200
            was_done = slow.done()
            status, answer = slow.result()
    assert not was_done
    assert status == 503 and "not read in 2.5 seconds" in answer["error"]["message"]
    until(lambda: not forks_of(process.pid))
    assert sent(server, "/v1/completions", data)[0] == 200 and process_of(server) is process


def test_read_timeout_is_the_server_s() -> None:
    with fake(read_timeout=7) as server:
        bodies = server.server.service._large_bodies
        assert bodies is not None and bodies.seconds == 7


def test_a_stopped_process_does_not_keep_the_server_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGE", 1)
    data = json.dumps(_GOOD).encode()
    with fake() as server, ThreadPoolExecutor(1) as pool:
        assert sent(server, "/v1/completions", data)[0] == 200
        process = process_of(server)
        process.send_signal(signal.SIGSTOP)
        answer = pool.submit(sent, server, "/v1/completions", data)
        until(lambda: server.server.service.state.traffic.num_open)
        server.server.should_exit = server.server.force_exit = True  # as a second signal does
        until(lambda: not server._thread.is_alive())
        assert process.poll() is not None
        assert isinstance(answer.exception(), httpx.HTTPError) or answer.result()[0] == 503


def test_a_client_that_goes_leaves_no_file(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGE", 1)
    sent(server, "/v1/completions", json.dumps(_GOOD).encode())
    files = len(os.listdir("/proc/self/fd"))
    for part in (b'{"prompt": ', json.dumps(_GOOD).encode()):  # during its body, and while that is read
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            head = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            client.sendall(f"{head}Content-Length: {len(json.dumps(_GOOD))}\r\n\r\n".encode() + part)
    until(lambda: len(os.listdir("/proc/self/fd")) <= files)
    assert sent(server, "/v1/completions", json.dumps(_GOOD).encode())[0] == 200


class Chatting(FakeTokenizer):
    def apply_chat_template(self, messages: list[dict[str, str]], **options: Any) -> str:
        return "".join(each["content"] for each in messages)


@pytest.fixture(scope="module")
def chats() -> Iterator[Running]:
    made = engine(tokenizer=Chatting())
    with Running(AsyncLLM.from_engine(made, name="fake", chat_template=TEMPLATE)) as running:
        yield running


def test_far_too_long_texts_are_refused_by_their_length(chats: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    server = chats
    monkeypatch.setattr(BytesPerToken, "of", lambda tokenizer: BytesPerToken(4))
    text, short = "a" * LONG, {"truncate_prompt_tokens": 3}
    chat = {**_CHAT, "messages": [{"role": "user", "content": text}]}
    for path, body in (
        ("/v1/completions", {**_GOOD, "prompt": text}),
        ("/v1/chat/completions", chat),
        ("/v1/messages", chat),
        ("/v1/responses", {"model": "fake", "input": text}),
    ):
        status, answer = sent(server, path, json.dumps(body).encode())
        assert status == 400 and f"at least {LONG // 4} tokens ({LONG} " in answer["error"]["message"], path
        assert answer["error"].get("code", "context_length_exceeded") == "context_length_exceeded"
        if path in ("/v1/completions", "/v1/chat/completions"):
            assert sent(server, path, json.dumps({**body, **short}).encode())[0] == 200
    assert sent(server, "/tokenize", json.dumps({"model": "fake", "prompt": text}).encode())[1]["count"] == LONG

"""The server itself: errors, keys, limits, clients that disconnect or do not read, a failing engine, and shutdown."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai

from tests.fakes import LONG_BLOCKS, LONG_TOKENS, FakeModel, FakeTokenizer, GatedModel, engine, follow
from tests.models import STDLIB_LM
from tests.serving.harness import Running, fake, until
from torchpaged import AsyncLLM, cli
from torchpaged.errors import ConfigError
from torchpaged.serving.keys import Keys
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.server import Server, listen
from torchpaged.serving.streams import EventStream

ROOT = Path(__file__).resolve().parents[2]
LONG = {"prompt": "fgh", "max_tokens": 100, "ignore_eos": True, "temperature": 0}


# --- Start --------------------------------------------------------------------------------------------------


def test_health_does_not_wait_for_the_fingerprint() -> None:
    """The fingerprint takes forwards, and answers wait for it."""
    model = GatedModel()
    server = fake(model)
    model.gate.clear()
    server._thread.start()
    try:
        until(lambda: server.server.started and model.num_waiting == 1)
        assert server.http.get("/health").status_code == server.http.get("/ready").status_code == 200
    finally:
        model.gate.set()
        server.__exit__(None, None, None)


def test_a_server_stops_while_the_fingerprint_is_computed() -> None:
    model = GatedModel()
    server = fake(model)
    model.gate.clear()
    server._thread.start()
    until(lambda: server.server.started and model.num_waiting == 1)
    server.server.should_exit = True
    server._thread.join(60)
    assert not server._thread.is_alive()
    model.gate.set()
    server.llm.shutdown()
    server.http.close()


# --- Errors -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with fake(max_body_bytes=5000) as running:
        yield running


@pytest.mark.parametrize(
    ("path", "sent", "status", "param", "says"),
    [
        ("/v1/completions", {}, 400, "prompt", "prompt is missing"),
        ("/v1/completions", [], 400, None, "the body is"),
        ("/v1/completions", {"prompt": 7}, 400, "prompt", "prompt"),
        ("/v1/completions", {"prompt": "f", "n": "2"}, 400, "n", "n is '2'"),
        ("/v1/completions", {"prompt": "f", "n": 0}, 400, "n", "n is 0"),
        ("/v1/completions", {"prompt": "f", "temperatur": 0}, 400, "temperatur", "did you mean 'temperature'"),
        ("/v1/completions", {"prompt": "f", "temperature": -1}, 400, "temperature", "temperature is -1"),
        ("/v1/completions", {"prompt": "f", "max_tokens": 0}, 400, "max_tokens", "max_tokens is 0"),
        ("/v1/completions", {"prompt": "f", "model": "x"}, 404, "model", "there is no model 'x', expected 'fake'"),
        ("/v1/completions", {"prompt": "f" * 200}, 400, None, "the prompt has 200 tokens"),
        ("/v1/completions", {"prompt": "f" * 200, "stream": True}, 400, None, "the prompt has 200 tokens"),
        ("/v1/completions", {"prompt": [99]}, 400, None, "token id 99"),
        ("/v1/completions", {"prompt": "!"}, 400, None, "the tokenizer failed"),
        ("/v1/completions", {"prompt": ["f", "!"]}, 400, None, "the tokenizer failed"),
        ("/v1/chat/completions", {"messages": []}, 400, None, ""),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "f"}]}, 400, None, "no chat template"),
        ("/v1/embeddings", {"input": "f"}, 400, None, "FakeModel gives logits"),
        ("/v1/score", {"text_1": "f", "text_2": "g"}, 400, "model", "was not made to score"),
        ("/tokenize", {}, 400, "prompt", "expected one of them"),
        ("/detokenize", {"tokens": [99]}, 400, "tokens", "tokens has 99"),
        ("/v1/completions", {"prompt": "f" * 9000}, 413, None, "more than 5000 bytes"),
        ("/nowhere", {}, 404, None, "Not Found"),
        ("/v1/models", {}, 405, None, "Method Not Allowed"),
    ],
)
def test_errors_are_openai_s(server: Running, path: str, sent: Any, status: int, param: str | None, says: str) -> None:
    answer = server.http.post(path, json=sent)
    error = answer.json()["error"]
    assert answer.status_code == status, error
    assert error.keys() == {"message", "type", "param", "code"} and error["param"] == param and says in error["message"]


def test_bodies_that_are_no_json(server: Running) -> None:
    for content, kind in (("{", "application/json"), ("", "application/json"), ('{"prompt": "f"}', "text/plain")):
        answer = server.http.post("/v1/completions", content=content, headers={"Content-Type": kind})
        assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error"

    def chunks() -> Iterator[bytes]:  # a body of unknown length
        for _ in range(100):
            yield b" " * 100

    assert server.http.post("/v1/completions", content=chunks()).status_code == 413


@pytest.mark.parametrize(("header", "status"), [("Content-Encoding: identity", 413), ("Content-Encoding: gzip", 415)])
def test_a_client_that_sends_all_before_it_reads_is_told(server: Running, header: str, status: int) -> None:
    """A body that is refused by its header is received all the same: else its connection would be reset."""
    head = f"POST /v1/completions HTTP/1.1\r\nHost: x\r\n{header}\r\nContent-Length: {8 << 20}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(head.encode())
        for _ in range(8):
            connection.sendall(bytes(1 << 20))
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 %d" % status) and b'"message"' in answer


def test_compressed_bodies_are_refused(server: Running) -> None:
    body = json.dumps({"prompt": "f", "max_tokens": 1}).encode()
    for coding, sent, status in (("gzip", gzip.compress(body), 415), ("br", body, 415), ("Identity", body, 200)):
        headers = {"Content-Type": "application/json", "Content-Encoding": coding}
        answer = server.http.post("/v1/completions", content=sent, headers=headers)
        assert answer.status_code == status
        assert status == 200 or f"Content-Encoding is '{coding}'" in answer.json()["error"]["message"]


def test_random_bodies_are_never_the_server_s_fault(server: Running) -> None:
    choose = random.Random(5)
    values: list[Any] = [
        None,
        True,
        -1,
        0,
        2,
        1e400,
        0.5,
        "",
        "f",
        "\ud800",
        [],
        [1],
        ["f"],
        {},
        {"5": 1},
        [[1]],
        "x" * 99,
    ]
    names = ["prompt", "messages", "n", "stop", "stream", "logit_bias", "logprobs", "seed", "max_tokens", "top_p"]
    names += ["echo", "best_of", "stream_options", "min_tokens", "truncate_prompt_tokens", "stop_token_ids", "priority"]
    paths = ["/v1/completions", "/v1/chat/completions", "/v1/embeddings", "/tokenize", "/detokenize", "/v1/score"]
    documented = server.http.get("/openapi.json").json()["paths"]
    assert not any("422" in each["responses"] for path in documented.values() for each in path.values())
    for _ in range(250):
        sent = {name: choose.choice(values) for name in choose.sample(names, choose.randrange(1, 5))}
        sent |= choose.choice([{}, {"prompt": "fg"}, {"input": "fg"}, {"tokens": [3]}, {"text_1": "f"}])
        text = json.dumps(sent)
        if choose.random() < 0.1:
            text = text[: choose.randrange(len(text))]
        headers = {"Content-Type": "application/json"}
        path = choose.choice(paths)
        answer = server.http.post(path, content=text, headers=headers)
        assert answer.status_code < 500, (text, answer.text)
        assert str(answer.status_code) in documented[path]["post"]["responses"], (text, answer.text)
    server.wait_until_idle()


def test_names_of_clients_stay_theirs(server: Running) -> None:
    def asked(headers: dict[str, Any], **more: Any) -> Any:
        sent = json.dumps({"prompt": "fg", "max_tokens": 2, **more})
        headers = {"Content-Type": "application/json", **headers}
        answer = server.http.post("/v1/completions", content=sent, headers=headers)
        return answer.json()["id"] if answer.status_code == 200 else answer.json()["error"]["param"]

    for name in ("abc-1", "team/job 7: {x}", "x" * 128):
        assert asked({}, request_id=name) == asked({"X-Request-Id": name}) == f"cmpl-{name}"
    assert asked({"X-Request-Id": "theirs"}, request_id="näme") == "cmpl-näme"
    assert asked({"X-Request-Id": ""}) != asked({}, request_id="") and asked({}).startswith("cmpl-")
    # Refused by name, not replaced, so that the caller can find the name in logs.
    for name in ("x" * 129, "a\nb", "\ud800", "a\x00", "\x1b[2J"):
        assert asked({}, request_id=name) == "request_id"
    for header in (b"x" * 129, b"a\tb", "näme".encode()):
        assert asked({"X-Request-Id": header}) == "X-Request-Id"


# --- What there is ------------------------------------------------------------------------------------------


def test_what_the_server_says_of_itself(server: Running) -> None:
    assert server.http.get("/health").status_code == server.http.get("/ready").status_code == 200
    assert server.http.get("/load").json() == {"server_load": 0}
    assert server.http.get("/version").json().keys() == {"version"}
    assert {"/v1/completions", "/v1/chat/completions"} <= server.http.get("/openapi.json").json()["paths"].keys()


def test_metrics_are_of_the_name_that_the_model_is_served_by() -> None:
    """As vLLM's do; once they exposed the path of the file."""
    with fake(served_model_name=["first", "second"]) as server:
        names = set(re.findall(r'model_name="([^"]*)"', server.http.get("/metrics").text))
    assert names == {"first"}


def test_metrics_are_what_prometheus_reads(server: Running) -> None:
    parser = pytest.importorskip("prometheus_client.parser", reason="prometheus_client is not installed")
    before = {each.name: each for each in parser.text_string_to_metric_families(server.http.get("/metrics").text)}
    server.http.post("/v1/completions", json={"prompt": "fg", "max_tokens": 4, "ignore_eos": True})
    after = {each.name: each for each in parser.text_string_to_metric_families(server.http.get("/metrics").text)}
    assert after.keys() == before.keys() and after["vllm:e2e_request_latency_seconds"].type == "histogram"

    def value(families: Any) -> float:
        (sample,) = families["vllm:generation_tokens"].samples
        assert sample.name == "vllm:generation_tokens_total" and sample.labels["model_name"] == "fake"
        return float(sample.value)

    assert value(after) - value(before) == 4
    assert after["vllm:num_requests_running"].type == "gauge"


# --- Keys ---------------------------------------------------------------------------------------------------


def test_every_route_asks_for_a_key() -> None:
    with fake(api_key=["alice:correct-horse", "battery-staple"]) as server:
        for path in (
            *server.server.service._routes().openapi()["paths"],
            "/openapi.json",
            "/nowhere",
            "/v1/../v1/models",
        ):
            for method in ("GET", "POST", "OPTIONS", "HEAD"):
                for headers in ({}, {"Authorization": "Bearer wrong-horse"}, {"Authorization": "correct-horse"}):
                    answer = server.http.request(method, path, headers=headers)
                    if path in ("/health", "/ready", "/ping", "/"):
                        assert answer.status_code in (200, 405)
                    else:
                        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        with pytest.raises(openai.AuthenticationError):
            server.client("wrong").models.list()
        for key in ("correct-horse", "battery-staple"):
            assert [model.id for model in server.client(key).models.list()] == ["fake"]


def test_keys_do_not_find_each_other_s_prefixes() -> None:
    def cached(key: str, salt: str | None = None) -> int:
        answer = server.client(key).completions.create(
            model="fake", prompt="fghijklmnopqrstuvw", max_tokens=1, extra_body={"cache_salt": salt}
        )
        assert answer.usage is not None and answer.usage.prompt_tokens_details is not None
        return answer.usage.prompt_tokens_details.cached_tokens or 0

    with fake(api_key=["alice:correct-horse", "bob:battery-staple"]) as server:
        assert cached("correct-horse") == 0 and cached("correct-horse") > 0
        assert cached("battery-staple") == 0 and cached("battery-staple") > 0
        assert cached("correct-horse", "mine") == 0 and cached("correct-horse", "mine") > 0


def test_keys(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("# ours\n\ncarol:secret-of-carol\n")
    keys = Keys.of(["bob:secret-of-bob", "secret-of-nobody"], str(file))
    assert keys.name_of("Bearer secret-of-carol") == "carol" and keys.name_of("bearer secret-of-bob") == "bob"
    assert keys.name_of("Bearer secret-of-nobody") == "key-1" and keys.name_of("Basic secret-of-bob") is None
    assert keys.name_of("Bearer ") is None and not Keys([])
    named = Keys(["a:secret-of-a", "a::secret-of-c", "b:secret-of-b"])
    salts = {named.salt(name, given) for name in ("a", "a:", "b") for given in (None, "", "x", "\ud800")}
    assert len(salts) == 12 and keys.salt(None, "x") == "x"
    for given, says in ((["short"], "5 characters"), (["a:secret-one", "b:secret-one"], "given twice")):
        with pytest.raises(ConfigError, match=says):
            Keys(given)
    for text, says in (("\n", "has no key"), (None, "cannot be read")):
        file.unlink() if text is None else file.write_text(text)
        with pytest.raises(ConfigError, match=says):
            Keys.of([], str(file))


# --- Limits -------------------------------------------------------------------------------------------------


def rejections(server: Running) -> dict[str, int]:
    """Return rejections by limit, also while a step is stuck; /metrics waits for the step."""
    return dict(server.server.service.state.traffic.num_rejected)


def test_rejections_are_a_metric(server: Running) -> None:
    server.server.service.state.traffic.num_rejected["max_num_queued_reqs"] += 2
    said = server.http.get("/metrics").text
    assert 'vllm:admission_rejections_total{model_name="fake",reason="max_num_queued_reqs"} 2' in said
    assert 'vllm:admission_rejections_total{model_name="fake",reason="max_num_queued_tokens"} 0' in said


def test_who_cannot_wait_comes_again() -> None:
    model = GatedModel()
    with fake(model, settings={"max_num_seqs": 1}, max_queued_requests=1) as server:
        model.gate.clear()
        asked = [
            threading.Thread(target=server.http.post, args=("/v1/completions",), kwargs={"json": LONG}) for _ in "ab"
        ]
        for thread in asked:
            thread.start()
        until(lambda: server.llm.get_num_unfinished_requests() == 2)
        with pytest.raises(openai.InternalServerError) as refused:
            server.client().completions.create(model="fake", prompt="f")
        assert refused.value.status_code == 503 and refused.value.response.headers["retry-after"] == "1"
        assert rejections(server) == {"max_num_queued_reqs": 1, "max_num_queued_tokens": 0}
        assert server.http.get("/load").json() == {"server_load": 2} and server.http.get("/health").status_code == 200
        model.gate.set()
        for thread in asked:
            thread.join()


@pytest.mark.parametrize("stream", [False, True])
def test_prompts_of_too_many_tokens_wait(stream: bool) -> None:
    """Tokens count from submission until their first step, independent of the output."""
    model = GatedModel()
    long = {**LONG, "prompt": [3] * 50, "max_tokens": 2, "stream": stream}
    with fake(model, settings={"max_num_seqs": 1}, max_queued_tokens=100) as server:
        model.gate.clear()
        asked = [threading.Thread(target=server.http.post, args=("/v1/completions",), kwargs={"json": long})]
        asked[0].start()
        until(lambda: model.num_waiting == 1)  # the first is in its step, and no longer waits
        asked += [
            threading.Thread(target=server.http.post, args=("/v1/completions",), kwargs={"json": long}) for _ in "ab"
        ]
        for thread in asked[1:]:
            thread.start()
        until(lambda: server.llm.get_num_queued_tokens() >= 100)
        refused = server.http.post("/v1/completions", json=LONG)
        assert refused.status_code == 503 and refused.headers["retry-after"] == "1"
        assert "tokens of prompts" in refused.json()["error"]["message"]
        found = rejections(server)
        assert found["max_num_queued_tokens"] >= 1 and not found["max_num_queued_reqs"]
        model.gate.set()
        for thread in asked:
            thread.join()
        until(lambda: server.llm.get_num_queued_tokens() == 0)
        assert server.http.post("/v1/completions", json=LONG).status_code == 200
        assert server.http.post("/v1/completions", json={**LONG, "prompt": [99]}).status_code == 400
        until(lambda: server.llm.get_num_queued_tokens() == 0)


def test_a_body_that_does_not_come() -> None:
    with fake(read_timeout=0.1) as server, socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{")
        answer = slow.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 408 ") and b"has not arrived in 0.1 seconds" in answer


def test_an_answer_that_takes_too_long() -> None:
    model = GatedModel()
    with fake(model, request_timeout=0.05) as server:
        model.gate.clear()
        for stream in (False, True):
            answer = server.http.post("/v1/completions", json={**LONG, "stream": stream})
            assert answer.status_code == 408 and answer.json()["error"]["code"] == "timeout"
        model.gate.set()


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/tokenize", "/detokenize"])
def test_a_text_that_takes_too_long(path: str) -> None:
    """Work before a request is sent, or without one, has the same time limit."""
    gate = threading.Event()

    class Slow(FakeTokenizer):
        chat_template = "{{ messages }}"

        def apply_chat_template(self, *args: Any, **options: Any) -> str:
            return "fgh" if gate.wait(60) else ""

        def decode(self, tokens: Any, **options: Any) -> str:
            return "fgh" if gate.wait(60) else ""

    messages = [{"role": "user", "content": "x"}]
    bodies = {"/detokenize": {"tokens": [5]}, "/v1/responses": {"input": messages, "model": "fake"}}
    with Running(AsyncLLM.from_engine(engine(tokenizer=Slow()), name="fake"), request_timeout=0.05) as server:
        answer = server.http.post(path, json=bodies.get(path, {"messages": messages}))
        gate.set()
        assert answer.status_code == 408 and answer.json()["error"]["code"] == "timeout", answer.text


@pytest.mark.parametrize("stream", [False, True])
def test_who_hangs_up_ends_his_request(stream: bool) -> None:
    model = GatedModel()
    with fake(model) as server:
        model.gate.clear()
        text = json.dumps({**LONG, "stream": stream}).encode()
        head = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(f"{head}{len(text)}\r\n\r\n".encode() + text)
            until(server.llm.get_num_unfinished_requests)
        server.wait_until_idle()  # before the engine has computed anything
        model.gate.set()


def test_who_does_not_read_is_cut_off() -> None:
    closed = []

    async def frames() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield b"data: x\n\n"
        finally:
            closed.append(True)

    async def send(message: Any) -> None:
        if message.get("body"):
            await asyncio.sleep(1000)

    async def receive() -> Any:
        await asyncio.sleep(1000)

    asyncio.run(asyncio.wait_for(EventStream(frames(), 0.05)({"type": "http"}, receive, send), 60))
    assert closed == [True]


def test_who_has_nothing_to_do_is_not_woken_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn polls ten times a second for shutdown, which costs as much as some tokens. An event ends ours."""
    ticks: list[float] = []
    server = fake()
    real = server.server.on_tick

    async def counted(counter: int) -> bool:
        ticks.append(time.monotonic())
        return await real(counter)

    monkeypatch.setattr(server.server, "on_tick", counted)  # other tests' servers tick too
    with server:
        begun, before = time.monotonic(), len(ticks)
        time.sleep(0.7)
        assert len(ticks) - before <= 1 + (time.monotonic() - begun)
        assert server.http.get("/health").headers["date"]
    assert len(ticks) > 1


def test_where_it_listens(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.1", "example.org"):
        with pytest.raises(ConfigError, match="there is no key"):
            ServeOptions(host=host)
        ServeOptions(host=host, api_key=["a-long-key"])
        ServeOptions(host=host, allow_anonymous=True)
    for host in ("127.0.0.1", "::1", "localhost"):
        ServeOptions(host=host)
    for name, value in (("port", 70000), ("max_prompts", -1), ("read_timeout", 0), ("root_path", "/a/")):
        with pytest.raises(ConfigError, match=f"serve: {name} is "):
            ServeOptions(**{name: value})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="ssl_keyfile is None"):
        ServeOptions(ssl_certfile="x")
    with listen(ServeOptions(port=0)) as taken, pytest.raises(ConfigError, match=r"cannot listen at 127\.0\.0\.1:"):
        listen(ServeOptions(port=taken.getsockname()[1]))
    path = str(tmp_path / "socket")
    with listen(ServeOptions(uds=path)), pytest.raises(ConfigError, match="another server listens there"):
        listen(ServeOptions(uds=path))
    with listen(ServeOptions(uds=path)):  # what the first has left
        assert Path(path).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate: not on PATH")
def test_tls(tmp_path: Path) -> None:
    import ssl

    import httpx

    files = {"ssl_certfile": str(tmp_path / "cert.pem"), "ssl_keyfile": str(tmp_path / "key.pem")}
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", files["ssl_certfile"], "-keyout", files["ssl_keyfile"]]
    subprocess.run(made, check=True, capture_output=True)
    with fake(**files) as server:
        assert server.url.startswith("https://")
        trusted = ssl.create_default_context(cafile=files["ssl_certfile"])
        assert httpx.get(f"{server.base_url}/models", verify=trusted, timeout=60).json()["data"][0]["id"] == "fake"
    with pytest.raises(ConfigError, match="which is not a file"):
        listen(ServeOptions(port=0, ssl_certfile="nowhere", ssl_keyfile="nowhere"))


def test_a_unix_socket_and_a_path_before_the_routes(tmp_path: Path) -> None:
    import httpx

    path = str(tmp_path / "socket")
    from tests.fakes import FakeTokenizer, engine
    from torchpaged import AsyncLLM

    options = ServeOptions(uds=path, root_path="/llm", api_key=["correct-horse"])
    llm = AsyncLLM.from_engine(engine(tokenizer=FakeTokenizer()), name="fake")
    server = Server(llm, options)
    thread = threading.Thread(target=server.run, args=([listen(options)],))
    thread.start()
    with httpx.Client(transport=httpx.HTTPTransport(uds=path), base_url="http://x", timeout=60) as client:
        headers = {"Authorization": "Bearer correct-horse"}
        for prefix in ("", "/llm"):
            assert client.get(prefix + "/v1/models", headers=headers).status_code == 200
            assert client.get(prefix + "/v1/models").status_code == 401
            assert client.get(prefix + "/health").status_code == 200
    server.should_exit = True
    thread.join(60)
    llm.shutdown()


# --- What fails ---------------------------------------------------------------------------------------------


class PoisonedModel(FakeModel):
    """A model whose forwards fail while a given token is among their inputs, once enabled."""

    poisoned = False

    def forward(self, input_ids: Any, *rest: Any) -> Any:
        if self.poisoned and 25 in input_ids.tolist():  # the letter z
            raise RuntimeError("secret details")
        return super().forward(input_ids, *rest)


def test_a_request_that_cannot_be_computed() -> None:
    model = PoisonedModel()
    with fake(model) as server:
        model.poisoned = True
        for stream in (False, True):
            with pytest.raises(openai.InternalServerError, match="could not be computed") as failed:
                server.client().completions.create(model="fake", prompt="fz", stream=stream, temperature=0)
            assert "secret" not in str(failed.value)
        assert server.client().completions.create(model="fake", prompt="f", temperature=0, max_tokens=1).choices


def test_a_stream_that_fails_says_so() -> None:
    model = GatedModel()
    with fake(model) as server:
        model.allow(1)
        stream = iter(server.client().completions.create(model="fake", prompt="fgh", max_tokens=100, stream=True))
        next(stream)
        model.fails = True
        model.gate.set()
        with pytest.raises(openai.APIError, match="could not be computed"):
            list(stream)
        model.fails = False


def test_an_engine_that_has_died(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchpaged.engine.llm_engine import LLMEngine

    with fake() as server:

        def dies(_: Any) -> Any:
            raise SystemExit("of old age")

        monkeypatch.setattr(LLMEngine, "step", dies)
        for _ in range(2):
            answer = server.http.post("/v1/completions", json=LONG)
            assert answer.status_code == 503 and answer.json()["error"]["code"] == "engine_dead"
        assert server.http.get("/health").status_code == server.http.get("/ready").status_code == 503
        assert server.http.get("/metrics").status_code == 503


@pytest.mark.parametrize("stuck", [False, True], ids=["steps", "stuck"])
def test_what_has_not_ended_in_time_is_told(
    stuck: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream ends with an event, a whole answer with a status, even if the engine does not finish its step."""
    model = GatedModel()
    if stuck:
        monkeypatch.setattr("torchpaged.serving.server._GRACE", 0)
    running = fake(model, settings={"num_blocks": 2 * LONG_BLOCKS}, shutdown_timeout=0.2)
    long = {**LONG, "max_tokens": LONG_TOKENS}
    with running as server, server.http.stream("POST", "/v1/completions", json={**long, "stream": True}) as stream:
        lines = stream.iter_lines()
        next(lines)
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.append(server.http.post("/v1/completions", json=long)))
        asking.start()
        until(lambda: server.server.service.state.traffic.num_open == 2)
        if stuck:
            model.gate.clear()
            until(lambda: model.num_waiting)
        running.server.should_exit = True
        told = [line for line in lines if line]
        asking.join(60)
        model.gate.set()
    assert '"code":"aborted"' in told[-2] and told[-1] == "data: [DONE]"
    assert (answers[0].status_code, answers[0].json()["error"]["code"]) == (503, "aborted")
    assert not [record for record in caplog.records if record.exc_info]


# --- The command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "number"),
    [
        ("--engine-process", signal.SIGTERM),
        pytest.param("--no-engine-process", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param("--engine-process", signal.SIGHUP, marks=pytest.mark.long),
    ],
)
def test_sigterm_lets_streams_end(where: str, number: signal.Signals) -> None:
    """A stream that has begun gets all of its tokens; the status is 0, and only the address is printed.

    The engine's process gets the signal too, as under systemd or when a terminal is closed.
    """
    words = [
        sys.executable,
        "-m",
        "torchpaged.cli",
        "serve",
        str(STDLIB_LM),
        "--port",
        "0",
        "--num-blocks",
        "90",
        where,
    ]
    process = subprocess.Popen(
        words, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stderr is not None
        url = ""
        while "http://" not in url:
            url = process.stderr.readline()
            assert url, "the server has ended"
        client = openai.OpenAI(base_url=url.split(" at ")[1].strip(), api_key="x", max_retries=0)
        request: Any = {"model": str(STDLIB_LM), "prompt": "def main(", "max_tokens": 300, "stream": True}
        stream = iter(client.completions.create(**request, extra_body={"ignore_eos": True, "return_token_ids": True}))
        tokens = list(next(stream).choices[0].token_ids)  # type: ignore[attr-defined]
        os.killpg(process.pid, number)
        for chunk in stream:
            tokens += chunk.choices[0].token_ids  # type: ignore[attr-defined]
        assert len(tokens) == 300 and chunk.choices[0].finish_reason == "length"
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long  # two processes import torch
def test_an_engine_s_process_ends_with_its_parent(tmp_path: Path) -> None:
    """Also if the parent is killed in the middle of a step; there is no traceback."""
    code = f"""
import os, signal, asyncio
from torchpaged import AsyncLLM, SamplingParams
async def main():
    llm = AsyncLLM({str(STDLIB_LM)!r}, num_blocks=90, engine_process=True, use_tqdm_on_load=False)
    await anext(llm.generate("def main(", SamplingParams(max_tokens=900, ignore_eos=True)))
    os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    asyncio.run(main())
"""
    script = tmp_path / "killed.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=600)
    # Its own child has the same pipes: their end has come when both have ended.
    assert done.returncode == -signal.SIGKILL and not done.stderr


@pytest.mark.long
def test_ten_thousand_requests_of_which_many_hang_up() -> None:
    """A hundred at a time: whole, streamed, disconnected before or during the answer. No state is left."""
    choose = random.Random(9)

    async def one(port: int, number: int) -> None:
        letters = "".join(chr(ord("c") + choose.randrange(25)) for _ in range(1 + number % 9))
        count, stream, fate = choose.randrange(1, 20), choose.random() < 0.6, choose.random()
        sent: Any = {"prompt": letters, "max_tokens": count, "temperature": 0, "stream": stream, "ignore_eos": True}
        text = json.dumps({**sent, "return_token_ids": True}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
        if fate < 0.3:
            await asyncio.sleep(choose.choice([0, 0.001, 0.01]))
            if fate < 0.2:
                await reader.read(choose.randrange(1, 400))
        else:
            answer = (await reader.read()).decode()
            tokens = [
                int(each) for each in re.findall(r"\d+", ",".join(re.findall(r'"token_ids":\[([\d,]*)\]', answer)))
            ]
            expected = follow([ord(letter) - ord("a") for letter in letters], count)
            assert answer.startswith("HTTP/1.1 200") and tokens[-count:] == expected, answer
        writer.close()

    async def all_of_them(port: int) -> None:
        door = asyncio.Semaphore(100)

        async def through(number: int) -> None:
            async with door:
                await one(port, number)

        await asyncio.gather(*map(through, range(10_000)))

    with fake(settings={"max_num_seqs": 16, "num_blocks": 65}) as server:
        asyncio.run(all_of_them(server.port))
        server.wait_until_idle()
        assert server.http.get("/health").status_code == 200


def test_what_the_command_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in (
        (["serve", "x", "--host", "0.0.0.0"], "there is no key"),
        (["serve", "x", "--max-promts", "3"], "did you mean '--max-prompts'"),
        (["serve", "x", "--api-key", "short"], "5 characters"),
    ):
        try:
            assert cli.main(words) == 2
        except SystemExit as ended:
            assert ended.code == 2
        assert says in capsys.readouterr().err

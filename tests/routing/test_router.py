"""The router: before servers that are made up, and before real ones."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
import uvicorn

from tests.models import STDLIB_LM
from tests.serving.harness import Running, until
from tests.tier_stores import read_all
from torchpaged import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.prefix_store.store_server import StoreServer
from torchpaged.routing import replica as replica_module
from torchpaged.routing import router as router_module
from torchpaged.routing.options import RouteOptions
from torchpaged.routing.router import Router

SETTINGS: dict[str, Any] = {"num_blocks": 200, "max_num_seqs": 8, "enforce_eager": True}


class Servers(httpx.AsyncBaseTransport):
    """Made-up servers: each answers with its name, or fails in the way that `faults` says."""

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}
        self.blocks: dict[str, list[bytes]] = {}
        self.seen: list[tuple[str, str]] = []
        self.secret = dict[str, str]()
        self.odd, self.slow = dict[str, Any](), set[str]()
        self.has_ended, self.goes_on = asyncio.Event(), asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        name, path = request.url.host, request.url.path
        fault = self.faults.get(name, "")
        if fault == "refused":
            raise httpx.ConnectError("refused")
        if path in self.slow:
            return httpx.Response(200, content=self._dripping())
        if path in self.odd:
            return httpx.Response(200, json=self.odd[path])
        if fault == "silent" and path == "/v1/prefixes/published":
            raise httpx.ReadTimeout("silent")
        if path == "/v1/prefixes/published":
            if fault == "late":
                await self.goes_on.wait()
            added = b"".join(self.blocks.get(name, []))
            found = {"epoch": name, "number": 1, "is_whole": True, "block_size": 16}
            found |= {"added": base64.b64encode(added).decode(), "removed": "", "check": self.secret.get(name, "x")}
            return httpx.Response(200, json=found)
        body = await request.aread()
        if path == "/v1/prefixes/hashes":
            given = json.loads(body)["body"]
            if not isinstance(given.get("prompt"), str):
                return httpx.Response(400)
            chain = b"".join(each.encode().ljust(8, b".") for each in given["prompt"])
            found = {"num_tokens": 16 * len(given["prompt"]) + 5, "hashes": base64.b64encode(chain).decode()}
            return httpx.Response(200, json={**found, "block_size": 16})
        self.seen.append((name, path))
        if fault == "stalls":
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=self._stalled())
        if fault == "falls silent":  # and answers no polls either
            self.faults[name] = "silent"
            await asyncio.Event().wait()
        if fault == "503":
            return httpx.Response(503, stream=httpx.ByteStream(b"full"))
        if fault == "breaks":
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=self._broken())
        if fault == "breaks off":
            return httpx.Response(200, headers={"content-type": "application/json"}, content=self._broken())
        if fault == "hangs":
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=self._endless())
        told = json.dumps({"name": name, "authorization": request.headers.get("authorization")}).encode()
        return httpx.Response(200, stream=httpx.ByteStream(told))

    async def _broken(self) -> AsyncIterator[bytes]:
        yield b"data: one\n\n"
        raise httpx.ReadError("reset")

    async def _dripping(self) -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.01)

    async def _stalled(self) -> AsyncIterator[bytes]:
        yield b"data: {"
        await asyncio.Event().wait()

    async def _endless(self) -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"data: more\n\n"
                await asyncio.sleep(0.01)
        finally:
            self.has_ended.set()


@asynccontextmanager
async def routed(servers: Servers, count: int = 3, **options: Any) -> AsyncIterator[tuple[Router, httpx.AsyncClient]]:
    urls = [f"http://s{i}" for i in range(count)]
    router = Router(urls, RouteOptions(**{"poll_interval": 0.01, **options}), servers)
    transport = httpx.ASGITransport(router)
    async with router.following(), httpx.AsyncClient(transport=transport, base_url="http://r") as http:
        while any(each.fault == "not reached yet" for each in router.replicas.values()):
            await asyncio.sleep(0.005)
        yield router, http


def in_loop(test: Callable[..., Any]) -> Callable[[], None]:
    """Run a test in a loop of its own; two minutes at most."""

    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), 120))

    run.__name__ = test.__name__
    return run


async def complete(router: Router, leaves_after: int | None = None) -> list[dict[str, Any]]:
    """Send a request without a client, which leaves after so many messages; return all messages."""
    sent: list[dict[str, Any]] = []
    messages = asyncio.Queue[dict[str, Any]]()
    messages.put_nowait({"type": "http.request", "body": b'{"prompt": "a"}'})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if len(sent) == leaves_after:
            messages.put_nowait({"type": "http.disconnect"})

    scope = {"type": "http", "method": "POST", "path": "/v1/completions", "headers": [], "query_string": b""}
    await router(scope, messages.get, send)
    return sent


@in_loop
async def test_requests_go_to_the_replica_that_has_their_prefix() -> None:
    servers = Servers()
    servers.blocks = {"s1": [each.encode().ljust(8, b".") for each in "abc"]}
    async with routed(servers) as (router, http):
        for prompt, expected in (("abcx", "s1"), ("abq", "s1")):
            answer = await http.post("/v1/completions", json={"prompt": prompt}, headers={"authorization": "Bearer k"})
            assert answer.json() == {"name": expected, "authorization": "Bearer k"}
        strange = [(await http.post("/v1/completions", json={"prompt": p})).json()["name"] for p in ("zz", "yy", "ww")]
        assert sorted(strange) == ["s0", "s1", "s2"]  # no server has their prefixes: they are divided
        text = (await http.get("/metrics")).text
        assert 'torchpaged_router_cached_tokens_total{replica="http://s1"} 80' in text
        router.policy.check()


@in_loop
async def test_a_request_that_has_not_begun_goes_to_another_replica() -> None:
    servers = Servers()
    async with routed(servers) as (router, http):
        servers.faults = {"s0": "refused", "s1": "503"}
        for _ in range(6):
            assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == "s2"
        servers.faults["s2"] = "503"  # the last one's own answer is passed on
        assert (await http.post("/v1/completions", json={"prompt": "a"})).text == "full"
        servers.faults = dict.fromkeys(("s0", "s1", "s2"), "refused")
        answer = await http.post("/v1/completions", json={"prompt": "a"})
        assert answer.status_code == 503 and "no replica can answer" in answer.json()["error"]["message"]
        assert (await http.get("/health")).status_code == 503
        servers.faults.clear()
        while not router.policy.is_open[router.replicas[0].number]:
            await asyncio.sleep(0.005)
        assert (await http.get("/health")).status_code == 200
        assert not router.policy.requests.any()


@in_loop
async def test_health_is_that_of_now() -> None:
    """Not of the last polls: none comes in this test. A server that is late counts, one that refuses does not."""
    servers = Servers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica_module, "_LATE", 0.01)
        async with routed(servers, 2, poll_interval=600) as (_, http):
            assert (await http.get("/health")).status_code == 200
            servers.faults = {"s0": "refused"}
            assert (await http.get("/health")).status_code == 200
            servers.slow = {"/health"}
            assert (await http.get("/health")).status_code == 200
            servers.faults, servers.slow = {"s1": "503"}, set()
            assert (await http.get("/health")).status_code == 503
            servers.faults = {"s1": "refused"}
            assert (await http.get("/health")).status_code == 503


@in_loop
async def test_a_request_leaves_a_replica_that_says_nothing_any_more() -> None:
    servers = Servers()
    servers.blocks = {"s1": [b"a".ljust(8, b".")]}
    async with routed(servers, 2) as (router, http):
        servers.faults = {"s1": "falls silent"}
        assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == "s0"
        assert [name for name, _ in servers.seen] == ["s1", "s0"] and not router.policy.requests.any()


@in_loop
async def test_a_server_that_is_late_gets_requests_only_if_it_is_alone() -> None:
    servers = Servers()
    servers.blocks = {"s1": [b"a".ljust(8, b".")]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica_module, "_LATE", 0.01)
        async with routed(servers, 2) as (router, http):
            number = next(each.number for each in router.replicas.values() if each.url == "http://s1")
            for late, expected in ((False, "s1"), (True, "s0")):
                servers.faults = {"s1": "late"} if late else {}
                while router.policy.is_late[number] != late:
                    await asyncio.sleep(0.005)
                assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == expected
            router.replicas[1 - number].drain(True)
            assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == "s1"
            servers.faults = {}
            servers.goes_on.set()
            while router.policy.is_late[number]:
                await asyncio.sleep(0.005)


@in_loop
async def test_an_answer_of_a_server_that_falls_silent_ends() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(router_module, "_SILENCE", 0.3)
        await _fall_silent()


async def _fall_silent() -> None:
    servers = Servers()
    servers.faults = {"s0": "stalls"}
    async with routed(servers, 1) as (router, http):
        asking = asyncio.create_task(http.post("/v1/completions", json={"prompt": "a", "stream": True}))
        while not router.policy.running.any():
            await asyncio.sleep(0.005)
        servers.faults = {"s0": "silent"}  # from now on it answers no polls
        text = (await asking).text
        assert text.startswith("data: {\n\ndata: ") and text.endswith("data: [DONE]\n\n")
        assert not router.policy.requests.any()


@in_loop
async def test_odd_answers_of_a_server_are_no_answers() -> None:
    """It gets no requests until it answers as our servers do; requests go by load if hashes are odd."""
    servers = Servers()
    servers.odd = {"/v1/prefixes/hashes": [], "/v1/prefixes/published": None}
    router = Router(["http://s0"], RouteOptions(poll_interval=0.01), servers)
    transport = httpx.ASGITransport(router)
    async with router.following(), httpx.AsyncClient(transport=transport, base_url="http://r") as http:
        for odd in (None, [], 1, {"check": 1}, {"check": "x", "block_size": 16}):
            servers.odd["/v1/prefixes/published"] = odd
            await asyncio.sleep(0.05)
            assert (await http.get("/health")).status_code == 503
        del servers.odd["/v1/prefixes/published"]
        while not router.policy.is_open.any():
            await asyncio.sleep(0.005)
        assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == "s0"
        # A server that has restarted with another secret is alone, so no other one differs from it.
        servers.faults, servers.secret = {"s0": "refused"}, {"s0": "another"}
        while router.policy.is_open.any():
            await asyncio.sleep(0.005)
        servers.faults = {}
        while not router.policy.is_open.any():
            await asyncio.sleep(0.005)


@in_loop
async def test_numbers_that_are_none_are_no_answers() -> None:
    """Neither the router's choice nor its own tables take them; the other server's answers count."""
    servers = Servers()
    good = {"epoch": "", "number": 1, "is_whole": True, "block_size": 16, "added": "", "removed": "", "check": "x"}
    async with routed(servers, 1) as (router, http):
        for odd in ({"block_size": "16"}, {"block_size": 0}, {"block_size": 10**30}, {"added": "AAAA"}, {"added": "?"}):
            servers.odd["/v1/prefixes/published"] = {**good, **odd}
            while router.policy.is_open.any():
                await asyncio.sleep(0.005)
            del servers.odd["/v1/prefixes/published"]
            while not router.policy.is_open.any():
                await asyncio.sleep(0.005)
            assert router.policy.block_size == 16
        for num in ("5", -1, 10**30, 1.5, None, True):
            servers.odd["/v1/prefixes/hashes"] = {"num_tokens": num, "hashes": ""}
            assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == "s0"
        router.policy.check()


@in_loop
async def test_an_answer_that_comes_byte_by_byte_is_none() -> None:
    """A question has so many seconds in all, and its answer so many bytes: neither is up to the server."""
    servers = Servers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica_module, "_POLL_TIMEOUT", 0.1)
        patch.setattr(router_module, "_HASHES_TIMEOUT", 0.1)
        async with routed(servers, 1) as (router, http):
            servers.slow = {"/v1/prefixes/hashes"}
            assert (await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] == "s0"
            servers.slow = {"/v1/prefixes/published"}
            while router.policy.is_open.any():
                await asyncio.sleep(0.005)
            assert "0.1 seconds" in router.replicas[0].fault
            servers.slow = set()
            while not router.policy.is_open.any():
                await asyncio.sleep(0.005)
            patch.setattr(replica_module, "_MOST_BYTES", 10)
            while router.policy.is_open.any():
                await asyncio.sleep(0.005)
            assert "more than 10 bytes" in router.replicas[0].fault


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        (b"@s9/x", b"", "begins with /"),
        (b"*@s9/x", b"", "begins with /"),
        (b".s9/x", b"", "begins with /"),
        (b"1/x", b"", "begins with /"),
        (b"*", b"", "begins with /"),
        (b"", b"", "begins with /"),
        (b"/" + b"a" * 40_000, b"", "40001 bytes"),
        (b"/a", b"b" * 40_000, "40003 bytes"),
        (b"/a\x00", b"", "Invalid"),
    ],
)
def test_a_path_names_no_other_host(path: bytes, query: bytes, expected: str) -> None:
    async def run() -> None:
        servers, sent = Servers(), list[dict[str, Any]]()
        messages = asyncio.Queue[dict[str, Any]]()
        messages.put_nowait({"type": "http.request", "body": b""})

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        async with routed(servers, 1) as (router, _):
            scope = {"type": "http", "method": "GET", "path": path.decode(), "raw_path": path, "headers": []}
            await router({**scope, "query_string": query}, messages.get, send)
        assert sent[0]["status"] == 400 and expected in sent[1]["body"].decode() and not servers.seen

    in_loop(run)()


@in_loop
async def test_a_body_that_does_not_come_is_given_up() -> None:
    async with routed(Servers(), 1, read_timeout=0.05, max_body_bytes=100) as (router, _):
        for headers, status in (([], 408), ([(b"content-length", b"101")], 413)):
            sent: list[dict[str, Any]] = []
            scope = {"type": "http", "method": "POST", "path": "/v1/completions", "headers": headers}

            async def send(message: dict[str, Any], sent: list[dict[str, Any]] = sent) -> None:
                sent.append(message)

            await router(scope, asyncio.Queue[dict[str, Any]]().get, send)
            assert sent[0]["status"] == status


@in_loop
async def test_an_answer_that_has_begun_ends_with_an_error() -> None:
    servers = Servers()
    async with routed(servers, 2) as (router, http):
        servers.faults = {"s0": "breaks", "s1": "breaks"}
        answer = await http.post("/v1/chat/completions", json={"prompt": "a", "stream": True})
        assert answer.text.startswith("data: one\n\n") and "has failed" in answer.text
        assert answer.text.endswith("data: [DONE]\n\n") and len(servers.seen) == 1
        assert sum(each.tally.broken for each in router.replicas.values()) == 1


@in_loop
async def test_a_whole_answer_that_breaks_off_has_no_end() -> None:
    servers = Servers()
    servers.faults = {"s0": "breaks off"}
    async with routed(servers, 1) as (router, _):
        sent = await complete(router)
        assert [message.get("more_body") for message in sent] == [None, True]
        assert router.replicas[0].tally.broken == 1 and not router.policy.requests.any()


@in_loop
async def test_a_client_that_leaves_ends_its_request() -> None:
    servers = Servers()
    servers.faults = {"s0": "hangs"}
    async with routed(servers, 1) as (router, _):
        await complete(router, leaves_after=3)
        await asyncio.wait_for(servers.has_ended.wait(), 60)
        assert not router.policy.requests.any() and not router.policy.running.any()


@in_loop
async def test_replicas_are_added_drained_and_removed() -> None:
    servers, admin = Servers(), {"authorization": "Bearer secret-key"}
    async with routed(servers, 2, admin_key="secret-key", max_replicas=3) as (router, http):
        assert (await http.get("/replicas")).status_code == 401
        await http.post("/replicas/drain", json={"url": "http://s0"}, headers=admin)
        names = {(await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] for _ in range(4)}
        assert names == {"s1"}
        await http.post("/replicas/resume", json={"url": "http://s0"}, headers=admin)
        await http.post("/replicas", json={"url": "http://s2"}, headers=admin)
        while router.policy.is_open.sum() < 3:
            await asyncio.sleep(0.005)
        over = await http.post("/replicas", json={"url": "http://s3"}, headers=admin)
        assert over.status_code == 400 and "max_replicas" in over.json()["error"]["message"]
        await http.request("DELETE", "/replicas", json={"url": "http://s1"}, headers=admin)
        cards = (await http.get("/replicas", headers=admin)).json()["data"]
        assert [(each["url"], each["state"]) for each in cards] == [("http://s0", "up"), ("http://s2", "up")]
        while not router._free:
            await asyncio.sleep(0.005)
        odd = (("/replicas", b"["), ("/replicas/odd", b'{"url": "http://s0"}'), ("/replicas", b'{"url": 1}'))
        for path, body in odd:
            assert (await http.post(path, content=body, headers=admin)).status_code == 400


@in_loop
async def test_a_replica_with_another_secret_gets_no_requests() -> None:
    servers = Servers()
    servers.secret = {"s1": "other"}
    async with routed(servers, 2) as (router, http):
        while "another secret" not in router.replicas[1].fault and "another secret" not in router.replicas[0].fault:
            await asyncio.sleep(0.005)
        assert len({(await http.post("/v1/completions", json={"prompt": "a"})).json()["name"] for _ in range(4)}) == 1


@in_loop
async def test_odd_requests_are_answered() -> None:
    servers = Servers()
    async with routed(servers, 1, max_body_bytes=1000) as (_, http):
        for body in (b"", b"[", b"[]", b'{"prompt": 1}', b"[" * 900, b"\xff"):
            assert (await http.post("/v1/completions", content=body)).status_code == 200  # the replica decides
        assert (await http.post("/v1/completions", content=b"x" * 1001)).status_code == 413
        assert (await http.get("/v1/models")).json()["name"] == "s0"
        assert (await http.get("/replicas")).status_code == 404


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (["127.0.0.1:8000"], "is not a URL of a server"),
        (["ftp://a"], "is not a URL of a server"),
        (["http://u:p@a"], "is not a URL of a server"),
        (["http://a b"], "is not a URL of a server"),
        (["http://a:99999"], "is not a URL of a server"),
        (["http://a", "http://a/"], "is given twice"),
        ([f"http://a{i}" for i in range(65)], "max_replicas"),
    ],
)
def test_bad_urls_are_refused(urls: list[str], expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        Router(urls, RouteOptions())


@pytest.mark.parametrize("option", [{"port": -1}, {"poll_interval": 0}, {"max_replicas": True}, {"decode_tokens": "1"}])
def test_bad_options_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"route: {next(iter(option))} is"):
        RouteOptions(**option)


@contextmanager
def serving(router: Router) -> Iterator[str]:
    """Run a router in a thread; yields its base URL."""
    server = uvicorn.Server(uvicorn.Config(router, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(120)
        assert not thread.is_alive()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the router wait for real servers, which a loaded machine stops for seconds, and engines read all."""
    read_all(monkeypatch)
    monkeypatch.setattr(router_module, "_HASHES_TIMEOUT", 60.0)
    monkeypatch.setattr(replica_module, "_POLL_TIMEOUT", 60.0)
    monkeypatch.setattr(replica_module, "_LATE", 60.0)


@pytest.mark.usefixtures("patience")
def test_two_servers_behind_a_router(tmp_path: Path) -> None:
    """A conversation stays where its blocks are, by real hashes; texts are those of one server."""
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef0123456789abcdef")
    options: dict[str, Any] = {"publish_prefixes": str(secret), "api_key": ["ann:key-of-ann", "bob:key-of-bob"]}
    first, second = (Running(AsyncLLM(STDLIB_LM, **SETTINGS), **options) for _ in range(2))
    route = RouteOptions(poll_interval=0.02, replica_key="key-of-bob", connect_timeout=60.0)
    router = Router([first.url, second.url], route)
    with first, second, serving(router) as url:
        until(lambda: httpx.get(f"{url}/health", timeout=60).status_code == 200)
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="key-of-ann", max_retries=0)
        text = "import os\nimport sys\n\n\ndef main(argv):\n    " + "x = [1, 2, 3]\n    " * 12
        alone = first.client("key-of-ann").completions.create(
            model=str(STDLIB_LM), prompt=text, max_tokens=8, temperature=0
        )
        until(lambda: len(router.policy.index))
        for _ in range(4):
            answer = client.completions.create(model=str(STDLIB_LM), prompt=text, max_tokens=8, temperature=0)
            assert answer.choices[0].text == alone.choices[0].text
        frames = client.completions.create(model=str(STDLIB_LM), prompt=text, max_tokens=8, temperature=0, stream=True)
        assert "".join(frame.choices[0].text for frame in frames) == alone.choices[0].text
        hits = [asyncio.run(each.llm.stats()).cache.num_hit_tokens for each in (first, second)]
        assert hits[1] == 0 and hits[0] > 5 * 100, hits
        # Another key has its own part of the cache, so its hashes differ, and it learns nothing.
        body = {"path": "/v1/completions", "body": {"prompt": text}}

        def ask(key: str, **other: str) -> httpx.Response:
            headers = {"authorization": f"Bearer {key}"}
            return httpx.post(f"{first.url}/v1/prefixes/hashes", json={**body, **other}, headers=headers, timeout=60)

        assert ask("key-of-ann").json()["hashes"] != ask("key-of-bob").json()["hashes"]
        assert ask("no key").status_code == 401
        for path, expected in (("/v1/odd", "path is"), ("/v1/messages", "unknown field")):
            odd = ask("key-of-bob", path=path)
            assert odd.status_code == 400 and expected in odd.json()["error"]["message"]


@pytest.mark.usefixtures("patience")
def test_a_prompt_is_computed_by_one_server_and_answered_by_another(tmp_path: Path) -> None:
    """The tokens are those of one server; a prefill server that is gone costs time alone."""
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef0123456789abcdef")
    options: dict[str, Any] = {"publish_prefixes": str(secret)}
    store_server = StoreServer(("127.0.0.1", 0), max_bytes=2**28)
    threading.Thread(target=store_server.serve_forever, daemon=True).start()
    store = {"prefix_cache_dir": store_server.url}
    through = {**store, "prefix_cache_write": "through"}
    text = "import os\nimport sys\n\n\ndef main(argv):\n    " + "x = [1, 2, 3]\n    " * 12
    asked: dict[str, Any] = {"model": str(STDLIB_LM), "prompt": text, "max_tokens": 8, "temperature": 0}
    answers, computes = (Running(AsyncLLM(STDLIB_LM, **SETTINGS, **each), **options) for each in (store, through))
    route = RouteOptions(poll_interval=0.02, prefill=[computes.url], prefill_tokens=32, connect_timeout=60.0)
    router = Router([answers.url], route)
    with answers, computes, serving(router) as url:
        until(lambda: router.policy.is_open.any() and not router._prefill[0].fault)
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        first = client.completions.create(**asked)
        computed = asyncio.run(answers.llm.stats()).num_computed_tokens
        assert first.usage is not None and first.usage.prompt_tokens_details is not None
        # The whole blocks were read from the store, whose writer had them before the request came.
        num_read = first.usage.prompt_tokens // 16 * 16
        assert first.usage.prompt_tokens_details.cached_tokens == num_read > 100
        assert computed == first.usage.prompt_tokens - num_read + 7
        assert client.completions.create(**asked).choices[0].text == first.choices[0].text
        assert router._prefill[0].tally.requests == 1, "the second time the server itself has the blocks"
        assert computes.client().completions.create(**asked).choices[0].text == first.choices[0].text
        router._prefill[0].fail("gone")
        other = client.completions.create(**{**asked, "prompt": "def f():\n    " + text})
        assert other.usage is not None and other.usage.completion_tokens == 8
    store_server.shutdown()
    store_server.server_close()

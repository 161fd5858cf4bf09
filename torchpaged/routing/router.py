"""Router: the ASGI application in front of several servers."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, MutableMapping, Sequence
from typing import Any

import httpx

from torchpaged.errors import ConfigError
from torchpaged.routing.options import RouteOptions
from torchpaged.routing.policy import Assignment, Policy, Prompt
from torchpaged.routing.replica import ODD_ANSWERS, Replica, fetch_whole, split, token_count

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]

# Routes whose prompts' hashes a replica can tell.
GENERATING = ("/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses")
# Statuses with which a server says that another may answer.
_ELSEWHERE = (502, 503, 504)
# Headers that belong to one connection, not to a request.
_OF_CONNECTION = {
    b"connection",
    b"content-length",
    b"host",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
# Seconds for a replica to tell a prompt's hashes; without them the request goes by load.
_HASHES_TIMEOUT = 2.0
# Seconds for which an answer may be silent after its replica has stopped answering polls.
_SILENCE = 10.0
# Bytes of a path and a query; httpx takes 64 Ki with the rest of the URL.
_LONGEST_TARGET = 1 << 15
# Characters of a body that make about one token, where nothing better is known.
_CHARS_PER_TOKEN = 4


class _TooLarge(Exception):
    """The body of a request is larger than allowed."""


class _Retry(Exception):
    """A replica has failed a request before its answer began."""


class Router:
    """Passes requests on to replicas, each to the one that is expected to begin its answer soonest.

    A request whose answer has not begun when its replica fails goes to another. An answer that has begun cannot be
    repeated: its stream ends with an error.

    Args:
        urls: of the replicas.
        options: settings.
        transport: of httpx, for tests; None: the network.

    Raises:
        ConfigError: a URL is not one, is given twice, or there are too many.
    """

    def __init__(
        self, urls: Sequence[str], options: RouteOptions, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.policy = Policy(options.max_replicas, decode_tokens=options.decode_tokens)
        # Servers that only compute prompts have a policy of their own.
        self._prefill_policy = Policy(max(1, len(options.prefill or ())))
        self.replicas: dict[int, Replica] = {}
        self.num_retries = self.num_unanswered = 0
        self._options, self._polls = options, dict[int, asyncio.Task[None]]()
        self._free = list(range(options.max_replicas - 1, -1, -1))
        self._agreed: tuple[str, int] | None = None
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=1024)
        times = httpx.Timeout(None, connect=options.connect_timeout)
        self._client = httpx.AsyncClient(transport=transport, limits=limits, timeout=times, trust_env=False)
        self._expiring: asyncio.Task[None] | None = None
        for url in urls:
            self.add(url)
        self._prefill = [
            Replica(number, _checked(url), self._client, self._prefill_policy, self._key, self._differs)
            for number, url in enumerate(options.prefill or ())
        ]

    # Replicas

    def add(self, url: str) -> Replica:
        """Add a replica; it gets requests once it has answered. Raises ConfigError."""
        url = _checked(url)
        if any(replica.url == url for replica in self.replicas.values()):
            raise ConfigError(f"route: {url} is given twice")
        if not self._free:
            raise ConfigError(f"route: there are {len(self.replicas)} replicas, which is max_replicas")
        number = self._free.pop()
        self.replicas[number] = Replica(number, url, self._client, self.policy, self._key, self._differs)
        if self._expiring is not None:
            self._follow(number)
        return self.replicas[number]

    @property
    def _key(self) -> dict[str, str]:
        """Header of the router's own requests."""
        key = self._options.replica_key
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def remove(self, replica: Replica) -> None:
        """Remove a replica; answers under way go on."""
        if (poll := self._polls.pop(replica.number, None)) is not None:
            poll.cancel()
        replica.drain(True)
        del self.replicas[replica.number]
        self.policy.index.forget(replica.number)
        asyncio.get_running_loop().create_task(self._give_back(replica.number))

    async def _give_back(self, number: int) -> None:
        """Use a removed replica's number again once its last answer has ended."""
        while self.policy.requests[number]:
            await asyncio.sleep(self._options.poll_interval)
        self._free.append(number)

    def _differs(self, check: str, block_size: int) -> str | None:
        """Return how a replica differs from those that were reached before it; None: it does not."""
        publishing = any(each.publishes and not each.fault for each in (*self.replicas.values(), *self._prefill))
        if self._agreed is None or not publishing:
            self._agreed = check, block_size
            self.policy.block_size = self._prefill_policy.block_size = block_size
        if check != self._agreed[0]:
            return "its --publish-prefixes file has another secret than the other replicas'"
        if block_size != self._agreed[1]:
            return f"its block_size is {block_size}, the other replicas' {self._agreed[1]}"
        return None

    def _follow(self, number: int) -> None:
        self._polls[number] = asyncio.create_task(self.replicas[number].follow(self._options.poll_interval))

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            for policy in (self.policy, self._prefill_policy):
                policy.index.expire(time.monotonic())

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """Poll the replicas inside the context."""
        self._expiring = asyncio.create_task(self._expire())
        for number in self.replicas:
            self._follow(number)
        others = [asyncio.create_task(each.follow(self._options.poll_interval)) for each in self._prefill]
        try:
            yield
        finally:
            for task in (*self._polls.values(), *others, self._expiring):
                task.cancel()
            self._expiring = None
            await self._client.aclose()

    # Requests

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Handle an ASGI connection."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._handle(scope, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        await receive()
        async with self.following():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _handle(self, scope: Message, receive: Any, send: Any) -> None:
        try:
            body = await asyncio.wait_for(self._body(scope, receive), self._options.read_timeout)
        except asyncio.TimeoutError:
            said = f"the body has not come in {self._options.read_timeout:g} seconds, which is read_timeout"
            await _error(send, 408, said)
            return
        except _TooLarge:
            said = f"the body has more than {self._options.max_body_bytes} bytes, which is max_body_bytes"
            await _error(send, 413, said)
            return
        if body is None:
            return
        path, method = scope["path"], scope["method"]
        if path == "/health" and method == "GET":
            is_up = await self._is_up()
            await _answer(send, 200 if is_up else 503, b"" if is_up else b"no replica is up")
        elif path == "/metrics" and method == "GET":
            await _answer(send, 200, self._metrics().encode(), b"text/plain; version=0.0.4")
        elif path == "/replicas" or path.startswith("/replicas/"):
            await self._administer(scope, body, send)
        elif fault := _fault(_target(scope)):
            await _error(send, 400, fault)
        else:
            # The request ends with its answer, or when the client disconnects.
            answering = asyncio.create_task(self._route(scope, body, send))
            leaving = asyncio.create_task(_left(receive))
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            leaving.cancel()
            if not answering.done():
                answering.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await answering

    async def _is_up(self) -> bool:
        """Ask the replicas, until one answers: the last polls may have been before all of them ended."""
        for each in list(self.replicas.values()):
            if each.state == "up" and await each.is_healthy():
                return True
        return False

    async def _body(self, scope: Message, receive: Any) -> bytes | None:
        """Receive a request's body; None: the client has disconnected. Raises _TooLarge."""
        most, parts, size = self._options.max_body_bytes, [], 0
        told = dict(scope["headers"]).get(b"content-length", b"")
        if told.isdigit() and int(told[:20]) > most:
            raise _TooLarge
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise _TooLarge
            if not message.get("more_body"):
                return b"".join(parts)

    async def _route(self, scope: Message, body: bytes, send: Any) -> None:
        """Pass a request on, to another replica if one fails it, until an answer has begun."""
        prompt = await self._prefilled(scope, body, await self._prompt(scope, body))
        failed: list[int] = []
        while True:
            chosen = self.policy.choose(prompt, time.monotonic(), failed)
            if chosen is None:
                self.num_unanswered += 1
                tried = f"{len(failed)} failed the request" if failed else "none is up"
                await _error(send, 503, f"no replica can answer: {tried}")
                return
            replica = self.replicas[chosen.replica]
            replica.tally.requests += 1
            if prompt.chain:
                replica.tally.prompt_tokens += prompt.num_tokens
                replica.tally.cached_tokens += chosen.num_cached
            try:
                await self._pass(replica, chosen, scope, body, send, failed)
                return
            except _Retry:
                replica.tally.failures += 1
                self.num_retries += 1
                failed.append(replica.number)
            finally:
                self.policy.ended(chosen)

    async def _prompt(self, scope: Message, body: bytes) -> Prompt:
        """Return what is known of a request's prompt."""
        guess = len(body) // _CHARS_PER_TOKEN + 1
        if scope["method"] != "POST" or scope["path"] not in GENERATING:
            return Prompt(guess)
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            return Prompt(guess)  # the replica says what is wrong
        if not isinstance(given, dict):
            return Prompt(guess)
        session = _session(scope, given)
        publishing = [
            each
            for each in self.replicas.values()
            if each.publishes and each.state == "up" and not self.policy.is_late[each.number]
        ]
        if not publishing:
            return Prompt(guess, session=session)
        idlest = min(publishing, key=lambda each: self.policy.requests[each.number])
        try:
            found = await self._ask(f"{idlest.url}/v1/prefixes/hashes", scope, body, _HASHES_TIMEOUT)
            return Prompt(token_count(found["num_tokens"], 0), split(found["hashes"]), session)
        except ODD_ANSWERS:
            return Prompt(guess, session=session)

    async def _prefilled(self, scope: Message, body: bytes, prompt: Prompt) -> Prompt:
        """Have a prompt computed by a server for that, if no replica has most of it; a failure costs only time."""
        if not prompt.chain or self.policy.missing(prompt) < self._options.prefill_tokens:
            return prompt
        chosen = self._prefill_policy.choose(prompt, time.monotonic())
        if chosen is None:
            return prompt
        replica = self._prefill[chosen.replica]
        replica.tally.requests += 1
        try:
            url = f"{replica.url}/v1/prefixes/prefill"
            found = await replica.unless_down(self._ask(url, scope, body, None))
            num_stored = len(prompt.chain) * self.policy.block_size if found["is_stored"] else 0
            return dataclasses.replace(prompt, num_stored=num_stored)
        except ODD_ANSWERS as error:
            replica.tally.failures += 1
            if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
                replica.fail(str(error))
            return prompt
        finally:
            self._prefill_policy.ended(chosen)

    async def _ask(self, url: str, scope: Message, body: bytes, seconds: float | None) -> dict[str, Any]:
        """Ask a server about a request. Raises an error of httpx or ValueError."""
        headers = [(name, value) for name, value in _passed(scope) if name == b"authorization"]
        headers.append((b"content-type", b"application/json"))
        content = b'{"path": %b, "body": %b}' % (json.dumps(scope["path"]).encode(), body)
        question = self._client.build_request("POST", url, content=content, headers=headers)
        answer = await fetch_whole(self._client, question, seconds)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def _pass(
        self, replica: Replica, chosen: Assignment, scope: Message, body: bytes, send: Any, failed: Collection[int]
    ) -> None:
        """Send a request to a replica and its answer to the client.

        Raises:
            _Retry: the replica has failed it before the answer began.
        """
        url = replica.url + _target(scope)
        is_stream, heard = False, time.monotonic()

        async def begin(answer: httpx.Response) -> None:
            self.policy.begun(chosen)
            headers = [(name.lower(), value) for name, value in answer.headers.raw]
            headers = [pair for pair in headers if pair[0] not in _OF_CONNECTION - {b"content-length"}]
            await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})

        async def relay(answer: httpx.Response) -> None:
            nonlocal heard
            async for part in answer.aiter_raw():
                heard = time.monotonic()
                if not chosen.has_begun:
                    await begin(answer)
                await send({"type": "http.response.body", "body": part, "more_body": True})
            if not chosen.has_begun:  # an answer without a body
                await begin(answer)
            await send({"type": "http.response.body", "body": b""})

        def is_silent() -> bool:
            return time.monotonic() - heard > _SILENCE

        try:
            request = self._client.build_request(scope["method"], url, headers=list(_passed(scope)), content=body)
            async with contextlib.aclosing(await self._begun(replica, request, failed)) as answer:
                if answer.status_code in _ELSEWHERE and self._has_others(replica, failed):
                    raise _Retry
                is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
                await replica.unless_down(relay(answer), is_silent)
        except httpx.HTTPError as error:
            said = f"{type(error).__name__}: {error}"
            if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
                replica.fail(said)
            if not chosen.has_begun:
                raise _Retry from None
            replica.tally.broken += 1
            logger.warning("replica %s broke off an answer: %s", replica.url, said)
            if not is_stream:
                return  # without its end: the web server closes the connection, so the client sees that it is not whole
            told = {"error": {"message": "the replica that answered has failed", "type": "service_unavailable"}}
            # The empty line ends an event that was cut.
            frame = b"\n\ndata: " + json.dumps(told).encode() + b"\n\ndata: [DONE]\n\n"
            await send({"type": "http.response.body", "body": frame})

    async def _begun(self, replica: Replica, request: httpx.Request, failed: Collection[int]) -> httpx.Response:
        """Return an answer once it begins.

        Raises:
            httpx.HTTPError: the replica fails, or stops answering polls while another could take the request.
        """
        sending = self._client.send(request, stream=True)
        return await replica.unless_down(sending, lambda: self._has_others(replica, failed))

    def _has_others(self, replica: Replica, failed: Collection[int]) -> bool:
        """Return True if a request that this replica and others have failed can go to one more."""
        (places,) = self.policy.is_open.nonzero()
        return not {replica.number, *failed}.issuperset(places.tolist())

    # The router's own routes

    async def _administer(self, scope: Message, body: bytes, send: Any) -> None:
        key = self._options.admin_key
        if key is None:
            await _error(send, 404, "there is no /replicas: start the router with --admin-key")
            return
        given = dict(scope["headers"]).get(b"authorization", b"")
        if not hmac.compare_digest(given, b"Bearer " + key.encode()):
            await _error(send, 401, "this is for the admin's key: send it as 'Authorization: Bearer KEY'")
            return
        try:
            await _answer(send, 200, json.dumps(self._changed(scope, body)).encode(), b"application/json")
        except ConfigError as error:
            await _error(send, 400, str(error))

    def _changed(self, scope: Message, body: bytes) -> dict[str, Any]:
        """Apply a change of the replicas and return all of them. Raises ConfigError."""
        method, path = scope["method"], scope["path"]
        if (method, path) != ("GET", "/replicas"):
            try:
                url = json.loads(body)["url"]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise ConfigError('the body is not {"url": "http://..."}') from None
            if not isinstance(url, str):
                raise ConfigError(f"url is {url!r:.80}, expected a text")
            if (method, path) == ("POST", "/replicas"):
                self.add(url)
            else:
                replica = next((each for each in self.replicas.values() if each.url == url.rstrip("/")), None)
                if replica is None:
                    raise ConfigError(f"there is no replica {url!r:.200}")
                if (method, path) == ("POST", "/replicas/drain"):
                    replica.drain(True)
                elif (method, path) == ("POST", "/replicas/resume"):
                    replica.drain(False)
                elif (method, path) == ("DELETE", "/replicas"):
                    self.remove(replica)
                else:
                    raise ConfigError(
                        f"there is no {method} {path}, expected GET, POST or DELETE /replicas, POST /replicas/drain or "
                        "/replicas/resume"
                    )
        return {"object": "list", "data": [self._card(each) for each in (*self.replicas.values(), *self._prefill)]}

    def _card(self, replica: Replica) -> dict[str, Any]:
        is_prefill = replica in self._prefill
        number, policy = replica.number, self._prefill_policy if is_prefill else self.policy
        return {
            "url": replica.url,
            "prefill": is_prefill,
            "state": replica.state,
            "fault": replica.fault or None,
            "publishes": replica.publishes,
            "requests": int(policy.requests[number]),
            "running": int(policy.running[number]),
            "waiting_tokens": int(policy.waiting[number]),
        }

    def _metrics(self) -> str:
        """Return the counters in Prometheus' text format."""
        policy, replicas = self.policy, list(self.replicas.values())
        rows: list[tuple[str, str, str, Callable[[Replica], float]]] = [
            ("up", "gauge", "1 if the replica gets requests", lambda r: policy.is_open[r.number]),
            ("running", "gauge", "Answers that have begun", lambda r: policy.running[r.number]),
            ("waiting_tokens", "gauge", "Tokens of prompts to compute", lambda r: policy.waiting[r.number]),
            ("requests_total", "counter", "Requests sent to the replica", lambda r: r.tally.requests),
            ("failures_total", "counter", "Requests failed before they began", lambda r: r.tally.failures),
            ("broken_total", "counter", "Answers broken off", lambda r: r.tally.broken),
            ("prompt_tokens_total", "counter", "Tokens of prompts", lambda r: r.tally.prompt_tokens),
            ("cached_tokens_total", "counter", "Tokens expected in the cache", lambda r: r.tally.cached_tokens),
        ]
        lines = []
        for name, kind, said, value in rows:
            lines += [f"# HELP torchpaged_router_{name} {said}.", f"# TYPE torchpaged_router_{name} {kind}"]
            lines += [f'torchpaged_router_{name}{{replica="{each.url}"}} {int(value(each))}' for each in replicas]
        for name, said, count in (
            ("retries_total", "Requests sent to another replica", self.num_retries),
            ("unanswered_total", "Requests that no replica could answer", self.num_unanswered),
        ):
            lines += [f"# HELP torchpaged_router_{name} {said}.", f"# TYPE torchpaged_router_{name} counter"]
            lines.append(f"torchpaged_router_{name} {count}")
        return "\n".join(lines) + "\n"


def _checked(url: str) -> str:
    """Return the URL of a server without a slash at its end. Raises ConfigError."""
    url = url.rstrip("/")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    is_odd = parsed.query or parsed.userinfo or " " in url or not 0 < (parsed.port or 80) < 2**16
    if parsed.scheme not in ("http", "https") or not parsed.host or is_odd:
        raise ConfigError(f"route: {url!r:.200} is not a URL of a server, as http://127.0.0.1:8000")
    return url


def _target(scope: Message) -> str:
    """Return a request's path and query."""
    query = scope.get("query_string", b"").decode("latin-1")
    path: str = scope.get("raw_path", scope["path"].encode()).decode("latin-1")
    return path + (query and f"?{query}")


def _fault(target: str) -> str | None:
    """Return why a path and query cannot be passed on; None: they can. "@host/" would name another host."""
    if not target.startswith("/"):
        return f"the path is {target!r:.80}, expected one that begins with /"
    if len(target) > _LONGEST_TARGET:
        return f"path and query have {len(target)} bytes, expected at most {_LONGEST_TARGET}"
    try:
        httpx.URL(f"http://replica{target}")
    except httpx.InvalidURL as error:
        return f"the path is {target!r:.80}: {error}"
    return None


def _session(scope: Message, given: dict[str, Any]) -> str | None:
    """Return the conversation that a request names: by a header, or by its cache hint."""
    header = dict(scope["headers"]).get(b"x-session-id")
    if header is not None:
        return str(header.decode("latin-1"))[:256]
    hint = given.get("cache_hint")
    session = hint.get("session") if isinstance(hint, dict) else None
    return session[:256] if isinstance(session, str) else None


def _passed(scope: Message) -> list[tuple[bytes, bytes]]:
    """Return a request's headers that a replica gets."""
    return [(name, value) for name, value in scope["headers"] if name not in _OF_CONNECTION]


async def _left(receive: Any) -> None:
    """Return when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _answer(send: Any, status: int, body: bytes, kind: bytes = b"text/plain") -> None:
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _error(send: Any, status: int, message: str) -> None:
    """Answer with OpenAI's error object."""
    kind = {401: "authentication_error", 404: "not_found_error", 503: "service_unavailable"}
    error = {"message": message, "type": kind.get(status, "invalid_request_error"), "param": None, "code": None}
    await _answer(send, status, json.dumps({"error": error}).encode(), b"application/json")

"""OpenAI's batch files: one request per line, one answer per line, through the server's routes without a server."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

import orjson
from starlette.types import ASGIApp, Message
from tqdm import tqdm

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import InputError, did_you_mean
from torchpaged.serving.app import Service
from torchpaged.serving.json_text import to_json
from torchpaged.serving.options import ServeOptions
from torchpaged.utils import atomic_files
from torchpaged.utils.paths import followed

URLS = ("/v1/completions", "/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/score")
_FIELDS = ("custom_id", "method", "url", "body")


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A line of the file.

    Args:
        custom_id: the user's id of the request; None: there is none.
        url: path of a route.
        body: the request's body, as JSON.
        model: the name in the body.
        error: the reason that the line is not a request; None: it is one.
    """

    custom_id: str | None
    url: str = ""
    body: bytes = b""
    model: Any = None
    error: str | None = None

    def id(self, said: str, adapters: Mapping[str, object] = MappingProxyType({})) -> str:
        """Return a hash of everything that the answer depends on: body, route, model and settings.

        Args:
            said: description of model and settings.
            adapters: description of each adapter's files, by name.
        """
        adapter = adapters.get(self.model) if isinstance(self.model, str) else None
        whole = repr((said, self.custom_id, self.url, self.body, self.error, *([] if adapter is None else [adapter])))
        return f"batch_req_{hashlib.sha256(whole.encode()).hexdigest()[:24]}"


def read_requests(path: Path) -> Iterator[BatchRequest]:
    """Yield the lines of a file. A line that is not a request has its `error` set.

    Raises:
        InputError: the file cannot be read.
    """
    seen: set[bytes] = set()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                request = _read(number, line)
                if request.error is None and request.custom_id is not None:
                    name = hashlib.sha256(request.custom_id.encode(errors="surrogatepass")).digest()
                    if name in seen:
                        error = f"line {number}: custom_id {request.custom_id!r:.80} is used twice, expected unique ids"
                        request = BatchRequest(request.custom_id, error=error)
                    seen.add(name)
                yield request
    except OSError as error:
        raise InputError(f"--input-file {path}: {error.strerror}") from None


def _read(number: int, line: bytes) -> BatchRequest:
    where = f"line {number}"
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BatchRequest(None, error=f"{where}: no JSON ({error})")
    if not isinstance(given, dict):
        return BatchRequest(None, error=f"{where}: expected an object with {', '.join(_FIELDS)}")
    custom_id = given.get("custom_id")
    if not isinstance(custom_id, str) or not custom_id:
        return BatchRequest(None, error=f"{where}: custom_id is {custom_id!r:.80}, expected a text")

    def wrong(what: str) -> BatchRequest:
        return BatchRequest(custom_id, error=f"{where}: {what}")

    if unknown := given.keys() - set(_FIELDS):
        return wrong(f"unknown field {min(unknown)!r:.80}{did_you_mean(min(unknown), _FIELDS)}")
    if given.get("method") != "POST":
        return wrong(f"method is {given.get('method')!r:.80}, expected 'POST'")
    if given.get("url") not in URLS:
        return wrong(f"url is {given.get('url')!r:.80}, expected one of {', '.join(URLS)}")
    body = given.get("body")
    if not isinstance(body, dict):
        return wrong(f"body is {body!r:.80}, expected an object")
    if body.get("stream"):
        return wrong("stream is true, but answers in a file are not streamed")
    return BatchRequest(custom_id, given["url"], json.dumps(body).encode(), body.get("model"))


class BatchOutput:
    """The file of answers, one line each, in the order in which they finish.

    Each line is written by one call, so that only the last can be incomplete after a crash.

    Args:
        path: path of the file.

    Attributes:
        done: ids of the requests whose answers are in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = followed(path)
        self.done: set[str] = set()
        self._resumes = False
        self._descriptor = -1

    def resume(self, ids: set[str]) -> None:
        """Keep the successful answers of an earlier run to these requests, and drop the other lines.

        Raises:
            InputError: the file has lines that are not answers.
        """
        self._resumes = self.path.exists()
        if not self._resumes:
            return
        try:
            with atomic_files.replaced(self.path) as made, made.open("wb") as new, self.path.open("rb") as old:
                for number, line in enumerate(old, start=1):
                    if line.endswith(b"\n") and (id := self._good(number, line)) in ids - self.done:
                        self.done.add(id)
                        new.write(line)
        except OSError as error:
            raise InputError(f"--output-file {self.path}: {error.strerror}") from None

    def _good(self, number: int, line: bytes) -> str:
        """Return the request id of a line with a successful answer, else an empty text."""
        try:
            given = json.loads(line)
            id, response = given["id"], given["response"]
            if not isinstance(id, str):
                raise TypeError
            return id if response is not None and response["status_code"] == 200 else ""
        except (ValueError, TypeError, LookupError, RecursionError):
            raise InputError(
                f"--resume: line {number} of {self.path} was not written by run-batch; name another file"
            ) from None

    def __enter__(self) -> BatchOutput:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if self._resumes else os.O_TRUNC)
        try:
            self._descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise InputError(f"--output-file {self.path}: {error.strerror}") from None
        return self

    def write(self, line: Mapping[str, Any]) -> None:
        """Write an answer. Raises an InputError if the disk is full or the file cannot be written."""
        left = memoryview(to_json(line) + b"\n")
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            raise InputError(
                f"--output-file {self.path}: {error.strerror}; the answers in it stay, for --resume"
            ) from None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._descriptor)


@dataclass(slots=True)
class Tally:
    """Progress of a run."""

    num_done: int = 0
    num_failed: int = 0
    num_tokens: int = 0
    errors: list[str] = field(default_factory=list)  # the first of them


async def _run(
    llm: AsyncLLM,
    service: Service,
    requests: Iterator[BatchRequest],
    output: BatchOutput,
    id_of: Callable[[BatchRequest], str],
    tally: Tally,
    progress: Callable[[Tally], None],
) -> None:
    """Answer all requests, with twice as many under way as run in the engine, so that some wait when others end."""
    most = 2 * llm.config.max_num_seqs
    running: set[asyncio.Task[dict[str, Any]]] = set()

    def take(line: dict[str, Any]) -> None:
        if llm.is_stopped:  # the engine's end is not an answer to a request
            raise llm.dead_error
        output.write(line)
        _count(tally, line)
        progress(tally)

    try:
        for request in requests:
            id = id_of(request)
            if id in output.done:
                continue
            while len(running) >= most:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    take(task.result())
            running.add(asyncio.create_task(_answered(service.app, id, request)))
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                take(task.result())
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _between_turns(run: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine, with the handlers of Ctrl-C and SIGTERM called by the loop between two tasks.

    An exception raised there ends the loop, which then cancels all tasks. Raised inside a task, it would be raised
    again while the loop cancels the tasks, and leave the others running.
    """
    loop, before = asyncio.get_running_loop(), dict[int, Any]()
    if threading.current_thread() is threading.main_thread() and sys.platform != "win32":
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        before = {number: handler for number, handler in before.items() if callable(handler)}
    for number, handler in before.items():
        loop.add_signal_handler(number, handler, number, None)
    try:
        await run
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def answer(
    llm: AsyncLLM,
    options: ServeOptions,
    path: Path,
    output: BatchOutput,
    said: str,
    num_requests: int,
    *,
    adapters: Mapping[str, object] = MappingProxyType({}),
    quiet: bool,
) -> Tally:
    """Answer the requests of a file that are not in the output yet, with a progress bar on standard error.

    Args:
        said, adapters: as of `BatchRequest.id`.
        num_requests: number of requests in the file.

    Raises:
        InputError: the output cannot be written, or the input not read.
        EngineDeadError: the engine has ended; answers already written stay.
        KeyboardInterrupt: after Ctrl-C; the message has the number of answers in the output.
    """
    with tqdm(
        total=num_requests,
        initial=len(output.done),
        desc="run-batch",
        unit="request",
        disable=quiet,
        dynamic_ncols=True,
    ) as bar:
        start = time.perf_counter()
        tally = Tally()
        most = sys.maxsize  # a line of the user's own file may have many long prompts
        service = Service(llm, replace(options, max_queued_requests=most, max_queued_tokens=most))

        def progress(tally: Tally) -> None:
            speed = tally.num_tokens / (time.perf_counter() - start)
            bar.set_postfix_str(f"{speed:.0f} tokens/s" + (f", {tally.num_failed} failed" if tally.num_failed else ""))
            bar.update()

        try:
            id_of = functools.partial(BatchRequest.id, said=said, adapters=adapters)
            run = _run(llm, service, read_requests(path), output, id_of, tally, progress)
            asyncio.run(_between_turns(run))
        except KeyboardInterrupt:
            count = len(output.done) + tally.num_done
            raise KeyboardInterrupt(f"{count} answers are in {output.path}; --resume goes on") from None
    return tally


def _count(tally: Tally, line: Mapping[str, Any]) -> None:
    response, error = line["response"], line["error"]
    tally.num_done += 1
    if response is not None and response["status_code"] == 200:
        tally.num_tokens += (response["body"].get("usage") or {}).get("total_tokens", 0)
        return
    tally.num_failed += 1
    if not tally.errors:
        tally.errors.append((error or response["body"]["error"])["message"])


async def _answered(app: ASGIApp, id: str, request: BatchRequest) -> dict[str, Any]:
    """Return a line of the output for a request."""
    line: dict[str, Any] = {"id": id, "custom_id": request.custom_id, "response": None, "error": None}
    if request.error is not None:
        return {**line, "error": {"code": "invalid_request", "message": request.error}}
    status, content = await _post(app, request.url, request.body)
    body = orjson.loads(content)
    return {**line, "response": {"status_code": status, "request_id": body.get("id") or id, "body": body}}


async def _post(app: ASGIApp, path: str, body: bytes) -> tuple[int, bytes]:
    """Call the application with a request; return the answer's status and content."""
    status, content, unread = 500, bytearray(), True

    async def receive() -> Message:
        nonlocal unread
        if unread:
            unread = False
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.get_running_loop().create_future()  # this client never disconnects
        raise AssertionError("the future is never set")

    async def send(message: Message) -> None:
        nonlocal status
        status = message.get("status", status)
        content.extend(message.get("body", b""))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
        "client": None,
        "server": None,
    }
    await app(scope, receive, send)
    return status, bytes(content)

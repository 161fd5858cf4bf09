"""Latency of a client's stream while other clients send requests that are meant to stall the server.

    python evals/bench/hostile.py [--model PATH] [--requests 200] [--clients 4] [--tree FOLDER] [--output FILE]

A server with its engine in a separate process. One client streams completions one after the other: alone, next to
ordinary requests, and next to as many hostile ones, sent by the same number of clients. Each phase reports the gaps
between the stream's tokens, and how the other requests ended: finished, refused, or with an error. The hostile requests
are, in turn: an ambiguous grammar of 50 bytes; logprobs of a prompt of 300 tokens; 64 stop strings of 1,000 letters, or
of 100,000; a grammar of 1,000 or 5,000 chained rules; a regular expression that uses up the time limit of compilation.
The other clients run on the same machine, at a lower priority than the server; the phase "control" has the hostile
requests sent to a server that only reads them, so its gaps are those clients' share.
`--tree` names a checkout whose server is measured instead of this one.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

ROOT = Path(__file__).resolve().parents[2]
MOST = 2.0  # the target: 99th percentile of the gaps, relative to the stream alone
AMBIGUOUS = 'start: s\ns: s s s | s s | "a" | "aa" | " " | "x"'
_TEXT = re.compile(rb'"text": ?"[^"]')
KINDS = ("grammar", "prompt logprobs", "stop strings", "long stop strings", "chained rules", "regex")
NICENESS = 10  # of the other clients, which in use are other machines
_CONTEXT = multiprocessing.get_context("spawn")
PROMPT = "import os\n\n\ndef main() -> None:\n"


def chain(length: int) -> str:
    """Return a grammar in which each rule names the next."""
    rules = "\n".join(f'r{place}: "a" r{place + 1} | "b"' for place in range(length))
    return f'start: r0\n{rules}\nr{length}: "c"'


def hostile(number: int) -> dict[str, Any]:
    """Return a hostile request; each number gives another one."""
    kinds: list[dict[str, Any]] = [
        {"structured_outputs": {"grammar": f"{AMBIGUOUS} | /[b-w]{number % 9}/"}, "max_tokens": 60},
        {"prompt": PROMPT + "x = 1\n" * 70, "prompt_logprobs": 20, "logprobs": 1, "max_tokens": 50, "stream": True},
        {"stop": ["ab" * 480 + "c" * (place + 1) for place in range(64)], "max_tokens": 60, "stream": True},
        {"stop": [str(place) * 100_000 for place in range(64)], "max_tokens": 60},
        {"structured_outputs": {"grammar": chain(1000 if number % 2 else 5000) + f"{number}"}, "max_tokens": 20},
        {"structured_outputs": {"regex": f"(.*a.{{{1000 + number}}})|(.*b.{{1000}})"}, "max_tokens": 20},
    ]
    return {"prompt": PROMPT, "temperature": 1.0, "seed": number, "ignore_eos": True, **kinds[number % len(kinds)]}


def ordinary(number: int) -> dict[str, Any]:
    """Return an ordinary request."""
    return {"prompt": PROMPT, "temperature": 1.0, "seed": number, "max_tokens": 60, "ignore_eos": True, "stream": True}


async def ask(port: int, data: bytes) -> tuple[int, bytes, list[float]]:
    """Return (status, last frame, times of texts)."""
    head = f"POST /v1/completions HTTP/1.1\r\nHost: bench\r\nContent-Length: {len(data)}\r\n"
    head += "Content-Type: application/json\r\nConnection: close\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times: list[float] = []
    last = b""
    try:
        writer.write(head.encode() + data)
        await writer.drain()
        status = int((await reader.readline()).split()[1])
        while piece := await reader.read(1 << 20):
            times += [time.perf_counter()] * len(_TEXT.findall(piece))
            last = (last + piece)[-4000:]
    finally:
        writer.close()
    return status, last, times


def encoded(body: dict[str, Any]) -> bytes:
    """Return the request's bytes."""
    return json.dumps({"model": "m", **body}).encode()


def watch(port: int, ready: Any, done: Any, gaps: Any) -> None:
    """Put the gaps between the tokens of consecutive streams into `gaps` until `done`. The first stream is not counted.

    Runs in a separate process, so that the other clients' work adds no gaps. A stream that fails puts a message
    instead, and ends it.
    """
    found: list[float] = []
    try:
        for seed in itertools.count(1):
            status, last, times = asyncio.run(ask(port, encoded({**ordinary(seed), "max_tokens": 300})))
            if status != 200 or len(times) < 2:
                raise RuntimeError(f"status {status}, {len(times)} texts: {last[-300:].decode(errors='replace')}")
            if ready.is_set():
                found += [after - before for before, after in itertools.pairwise(times)]
            ready.set()
            if done.is_set() and found:
                break
    except Exception as error:  # the other process waits for an answer
        gaps.put(f"the stream has failed: {error}")
        ready.set()
    else:
        gaps.put(found)


async def beside(port: int, requests: list[dict[str, Any]], clients: int) -> Counter[str]:
    """Send requests from some clients; return how they ended."""
    waiting, told, begin = [encoded(each) for each in reversed(requests)], Counter[str](), time.perf_counter()

    async def client() -> None:
        while waiting:
            status, last, _ = await ask(port, waiting.pop())
            told_at = time.perf_counter() - begin
            print(f"{len(waiting)} requests are left at {told_at:.0f} s", file=sys.stderr, flush=True)
            told["failed" if b'"error"' in last and status == 200 else str(status)] += 1

    await asyncio.gather(*(client() for _ in range(clients)))
    return told


def load(port: int, requests: list[dict[str, Any]], clients: int, ready: Any, begin: Any, ended: Any) -> None:
    """Send requests as `beside` does, after `begin`; runs in a separate process."""
    os.nice(NICENESS)
    ready.set()
    begin.wait()
    ended.put(asyncio.run(beside(port, requests, clients)))


def sink(port: Any) -> None:
    """Put a port into `port` and read the requests that come there; runs in a separate process."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        left = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        while left and (piece := await reader.read(min(left, 1 << 18))):
            left -= len(piece)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        writer.close()

    async def serve() -> None:
        listening = await asyncio.start_server(answer, "127.0.0.1", 0)
        port.put(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    os.nice(NICENESS)
    asyncio.run(serve())


@contextlib.contextmanager
def loading(port: int, requests: list[dict[str, Any]], clients: int) -> Any:
    """Yield a function that has `load` send requests and returns how they ended."""
    ready, begin, ended = _CONTEXT.Event(), _CONTEXT.Event(), _CONTEXT.SimpleQueue()
    process = _CONTEXT.Process(target=load, args=(port, requests, clients, ready, begin, ended), daemon=True)
    process.start()
    ready.wait()

    def run() -> Counter[str]:
        begin.set()
        return ended.get()  # type: ignore[no-any-return]

    yield run
    process.kill()
    process.join()


def watched(port: int, others: Callable[[], object]) -> tuple[list[float], Any, float]:
    """Return (gaps of a stream while `others` runs, the result of `others`, seconds); exit if the stream fails."""
    ready, done, gaps = _CONTEXT.Event(), _CONTEXT.Event(), _CONTEXT.SimpleQueue()
    process = _CONTEXT.Process(target=watch, args=(port, ready, done, gaps), daemon=True)
    process.start()
    ready.wait()
    begin = time.perf_counter()
    returned = others() if gaps.empty() else None
    took = time.perf_counter() - begin
    done.set()
    found = gaps.get()
    process.join()
    if isinstance(found, str):
        sys.exit(found)
    return found, returned, took


def summary(gaps: list[float]) -> dict[str, float]:
    """Return quantiles in milliseconds."""
    ordered = sorted(gaps)
    at = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
    found = {name: round(ordered[int(share * (len(ordered) - 1))] * 1e3, 2) for name, share in at.items()}
    return {**found, "max": round(ordered[-1] * 1e3, 1), "gaps": len(gaps)}


def measure(port: int, requests: Mapping[str, list[dict[str, Any]]], clients: int, seconds: float) -> dict[str, Any]:
    """Run all phases; the stream runs alone before and after the others."""
    alone = watched(port, lambda: time.sleep(seconds / 2))[0]
    found: dict[str, Any] = {}
    sink_port = _CONTEXT.SimpleQueue()
    reads = _CONTEXT.Process(target=sink, args=(sink_port,), daemon=True)
    reads.start()
    there = {name: (port, each) for name, each in requests.items()} | {
        "control": (sink_port.get(), requests["hostile"])
    }
    for name, (to, each) in there.items():
        with loading(to, each, clients) as send:
            gaps, told, took = watched(port, send)
        found[name] = {**summary(gaps), "seconds": round(took, 1), "became": dict(told)}
    reads.kill()
    found["alone"] = summary(alone + watched(port, lambda: time.sleep(seconds / 2))[0])
    for name in there:
        found[name]["p99_over_alone"] = round(found[name]["p99"] / found["alone"]["p99"], 2)
    return found


@contextlib.contextmanager
def server(model: str, tree: Path) -> Any:
    """Start a server; yield its port and end it with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torchpaged", "serve", model, "--port", str(port), "--served-model-name", "m"]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    with subprocess.Popen(command, cwd=tree, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.2)
            yield port
        finally:
            process.terminate()


def main() -> int:
    from evals.bench import machine  # it imports torch, which the watching process does not need

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=str(ROOT / "evals/models/stdlib-lm"))
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20.0, help="of the stream alone")
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--by-kind", action="store_true", help="also each kind of hostile request by itself")
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    with server(args.model, args.tree.resolve()) as port:
        makers = {"ordinary": ordinary, "hostile": hostile}
        requests = {name: [make(number) for number in range(args.requests)] for name, make in makers.items()}
        if args.by_kind:
            requests |= {kind: requests["hostile"][place :: len(KINDS)] for place, kind in enumerate(KINDS)}
        found = measure(port, requests, args.clients, args.seconds)
    result = {
        **machine.describe(sys.argv),
        "load": os.getloadavg(),
        "clients": args.clients,
        "requests": args.requests,
        **found,
    }
    print(json.dumps(result, indent=1))
    if args.output:
        args.output.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if found["hostile"]["p99_over_alone"] < MOST else 1


if __name__ == "__main__":
    raise SystemExit(main())

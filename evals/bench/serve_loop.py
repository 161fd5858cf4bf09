"""Cost of a streamed token in the server's event loop, and in its process, with a minimal model.

    python evals/bench/serve_loop.py [--streams 32] [--tokens 300] [--step-ms 50] [--rounds 3]
                                     [--output evals/results/serve-loop]

The server runs with the default options of `torchpaged serve`, its engine in a separate process, with this repository's
model. The engine's steps are prolonged to those of a larger model: "asleep" waits; "computing" reads as much memory as
a larger model's weights on all cores, so that the loop competes for cores and finds its caches cold. This process reads
all streams. Processor time is counted from the moment when every stream has begun to shortly before the first one ends;
and then for as many simultaneous requests of 128 prompt tokens and one output token each. "floor" is a program that
only writes the same bytes to as many sockets at once.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import os
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine
from evals.bench.peers.process import cpu_seconds, thread_seconds

ROOT = Path(__file__).resolve().parents[2]
TARGET = 25.0
KINDS = ("asleep", "computing")
# Frames of each stream that precede the measurement, and of the longest that remain when it ends.
_MARGIN = 12
# Bytes that a computing step reads repeatedly: more than the caches hold.
_WEIGHTS = 2**28
_END = b"data: [DONE]\n\n\r\n0\r\n\r\n"


# --- The measured programs, each in its own process ----------------------------------------------------------


def slowed(engine: Any, seconds: float, kind: str) -> None:
    """Prolong an engine's steps. It is called in the engine's process."""
    step, weights = engine.step, torch.ones(_WEIGHTS // 4)

    def slow() -> Any:
        end = time.monotonic() + seconds
        while kind == "computing" and time.monotonic() < end:
            weights.sum()
        time.sleep(max(0.0, end - time.monotonic()))
        return step()

    engine.step = slow


def serve(kind: str, given: argparse.Namespace) -> None:
    """Run a server; print its port when it is ready, and end on SIGTERM."""
    from evals.bench import serve_loop  # the name under which the engine's process imports it
    from torchpaged import AsyncLLM
    from torchpaged.serving.options import ServeOptions
    from torchpaged.serving.server import Server, listen

    model, blocks = ROOT / "evals/models/stdlib-lm", 64 * given.streams
    llm = AsyncLLM(str(model), engine_process=True, num_blocks=blocks, max_num_seqs=given.streams)
    asyncio.run(llm.call(serve_loop.slowed, given.step_ms / 1e3, kind))
    options = ServeOptions(port=0)
    listener = listen(options)
    say = functools.partial(print, listener.getsockname()[1], flush=True)
    Server(llm, options, ready=say).run([listener])
    llm.shutdown()


def write_alone(size: int, given: argparse.Namespace) -> None:
    """Accept as many clients, and write that many bytes to each at the rate of the steps."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        clients = [listener.accept()[0] for _ in range(given.streams)]
    for client in clients:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    frame = b"data: {".ljust(size, b".")
    for _ in range(given.tokens):
        for client in clients:
            client.send(frame)
        time.sleep(given.step_ms / 1e3)
    for client in clients:
        client.sendall(_END)
        client.close()


# --- The clients ----------------------------------------------------------------------------------------------


def request(prompt: str | list[int], tokens: int) -> bytes:
    """Return the bytes of a streaming request."""
    asked = {"prompt": prompt, "max_tokens": tokens, "ignore_eos": True, "seed": 1, "stream": True}
    body = json.dumps(asked).encode()
    head = "POST /v1/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def read_all(port: int, pid: int, given: argparse.Namespace) -> dict[str, float]:
    """Read streams to their ends; return the processor time per frame of the process that writes them."""
    selector, counts, size = selectors.DefaultSelector(), [0] * given.streams, 0
    for number in range(given.streams):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(request("def main(", given.tokens))
        selector.register(client, selectors.EVENT_READ, number)

    def now() -> tuple[int, int, float, float]:
        return sum(counts), size, thread_seconds(pid), cpu_seconds([pid])

    begun = ended = None
    while selector.get_map():
        for key, _ in selector.select():
            reader = key.fileobj
            assert isinstance(reader, socket.socket)
            data = reader.recv(1 << 16)
            counts[key.data] += data.count(b"data: {")
            size += len(data)
            if not data or data.endswith(_END):
                selector.unregister(reader)
                reader.close()
        if begun is None and min(counts) >= _MARGIN:
            begun = now()
        if ended is None and max(counts) >= given.tokens - _MARGIN:
            ended = now()
    assert begun is not None and ended is not None, f"streams ended early: {counts}"
    frames, written, loop, process = (later - sooner for sooner, later in zip(begun, ended, strict=True))
    return {
        "frames": frames,
        "bytes_per_frame": written / frames,
        "loop_us": 1e6 * loop / frames,
        "process_us": 1e6 * process / frames,
    }


def ask_all(port: int, pid: int, given: argparse.Namespace) -> dict[str, float]:
    """Return the process's time per request for some simultaneous requests, without the first of them."""
    before = 0.0
    for _ in range(3):
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(given.streams)]
        for number, client in enumerate(clients):
            client.sendall(request(list(range(number, number + 128)), 1))
        for client in clients:
            data = b""
            while not data.endswith(_END):
                data += client.recv(1 << 16)
            client.close()
        before = before or thread_seconds(pid)
    return {"request_loop_us": 1e6 * (thread_seconds(pid) - before) / (2 * given.streams)}


def measured(mode: str, given: argparse.Namespace) -> dict[str, float]:
    """Run one of the programs above once."""
    passed = [f"--{name}={getattr(given, name.replace('-', '_'))}" for name in ("streams", "tokens", "step-ms")]
    command = [sys.executable, __file__, *passed, f"--run={mode}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        assert process.stdout is not None
        port = process.stdout.readline()
        if not port.strip().isdigit():
            raise SystemExit(f"the server has not begun: {port}")
        found = read_all(int(port), process.pid, given)
        return found if mode.startswith("floor") else {**found, **ask_all(int(port), process.pid, given)}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=300, help="of each stream")
    parser.add_argument("--step-ms", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--output", type=Path, default=Path("evals/results/serve-loop"), help="without suffix")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        mode, _, size = given.run.partition(":")
        write_alone(int(size), given) if mode == "floor" else serve(mode, given)
        return
    load = os.getloadavg()[0]
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in (*given.kinds, "floor")}
    for _ in range(given.rounds):
        for kind in given.kinds:
            rounds[kind].append(measured(kind, given))
        rounds["floor"].append(measured(f"floor:{round(rounds[given.kinds[0]][-1]['bytes_per_frame'])}", given))
    found = {
        name: {key: statistics.median(each[key] for each in runs) for key in runs[0]} for name, runs in rounds.items()
    }
    print(f"{'':<12}{'bytes':>8}{'loop us':>10}{'process us':>12}   of a frame, medians of {given.rounds} rounds")
    for name, each in found.items():
        request = each.get("request_loop_us")
        asked = "" if request is None else f"   a request's begin and end: {request:.0f} us of the loop"
        print(f"{name:<12}{each['bytes_per_frame']:>8.0f}{each['loop_us']:>10.1f}{each['process_us']:>12.1f}{asked}")
    written = {
        **machine.describe([sys.executable, *sys.argv]),
        "server_versions": {name: metadata.version(name) for name in ("uvicorn", "uvloop", "httptools", "fastapi")},
        "load": load,
        "streams": given.streams,
        "step_ms": given.step_ms,
        "target": {"loop_us": TARGET},
        "medians": found,
        "rounds": rounds,
    }
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()

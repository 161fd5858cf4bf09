"""More adapters than memory keeps, through the server: first tokens of hot and cold ones, hit rates, memory, the disk.

200 adapters of rank 16 on all linear modules of a model of SmolLM2's shape, 8 slots, 32 adapters in host memory. Each
is loaded by `/v1/load_lora_adapter` with its file not in the page cache, and in turn with that, the same file is read
in pieces, as dd does. Then clients in a process of their own send completions, each the next one when one has ended. A
request's adapter is drawn with probabilities proportional to 1 / rank (Zipf); one request in eight is the base model's.
The files are dropped from the page cache all the time, so that an adapter that has left host memory comes from the
disk.

The server's log of its adapters (`peers.adapter_server`) tells for each request where its adapter was when it came: in
a slot, in host memory, or on disk.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import statistics
import sys
import tempfile
import threading
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.bench import lora_inputs, machine
from evals.bench.peers import checkpoint, servers
from evals.bench.peers.process import MemoryWatch, PeerError
from evals.bench.peers.servers import ServerProcess
from evals.bench.serve import quantile

KEY = "bench-admin-key"
PROMPTS, TOKENS = (16, 64), 12
ONE_IN = 8  # requests without an adapter
_BODY = {"stream": True, "temperature": 0, "ignore_eos": True, "stream_options": {"include_usage": True}}
_PIECE = 1 << 20
_METRIC = re.compile(r"^torchpaged:adapter_(\w+?)(?:_total)?(?:\{\S*)? (\S+)$", re.M)
# Seconds between two times at which the files leave the page cache.
_DROP = 0.2
SHARES = {"p50": 0.5, "p99": 0.99, "longest": 1.0}
STDLIB_LM = servers.ROOT / "evals" / "models" / "stdlib-lm"
PLACES = ("base", "slot", "host", "disk")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    group = parser.add_argument_group("--zipf")
    group.add_argument("--adapters", type=int, default=200)
    group.add_argument("--max-loras", type=int, default=8)
    group.add_argument("--max-cpu-loras", type=int, default=32)
    group.add_argument("--stdlib-lm", action="store_true", help="that model, instead of one of SmolLM2's shape")
    group.add_argument("--clients", type=int, nargs="+", default=[2, 12], help="one run for each number")
    group.add_argument("--requests", type=int, default=300, help="of each run")


def drop(files: Sequence[Path]) -> None:
    """Remove files from the page cache, except pages that a process has mapped."""
    for file in files:
        number = os.open(file, os.O_RDONLY)
        try:
            os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(number)


@contextmanager
def dropping(files: Sequence[Path]) -> Iterator[None]:
    """Remove files from the page cache again and again, in another thread."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(_DROP):
            drop(files)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def read_seconds(file: Path) -> float:
    """Return the time in which a file is read in pieces, as dd reads it."""
    buffer, start = bytearray(_PIECE), time.perf_counter()
    with file.open("rb", buffering=0) as opened:
        while opened.readinto(buffer):
            pass
    return time.perf_counter() - start


class Server:
    """A server with the adapters' log."""

    def __init__(self, model: Path, given: argparse.Namespace, log: Path) -> None:
        command = [sys.executable, "-m", "evals.bench.peers.adapter_server", "serve", str(model), "--port", "{port}"]
        command += ["--max-model-len", "512", "--num-blocks", "2048", "--no-prefix-caching", "--admin-key", KEY]
        command += ["--enable-lora", "--max-loras", str(given.max_loras), "--max-cpu-loras", str(given.max_cpu_loras)]
        command += ["--max-lora-rank", str(lora_inputs.RANK), "--served-model-name", "base"]
        threads = {"OMP_NUM_THREADS": str(given.threads), "PYTHONPATH": str(servers.ROOT)}
        self._log = log
        self.process = ServerProcess(command, {servers.ADAPTER_LOG: str(log), **threads})

    def load(self, name: str, folder: Path) -> None:
        """Load an adapter.

        Raises:
            PeerError: the server refuses it.
        """
        body = json.dumps({"lora_name": name, "lora_path": str(folder)})
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
        status, said = self._ask("POST", "/v1/load_lora_adapter", body, head)
        if status != 200:
            raise PeerError(said)

    def counts(self) -> dict[str, float]:
        """Return the engine's counts of adapters: hits, misses, reads and read_seconds."""
        return {name: float(value) for name, value in _METRIC.findall(self._ask("GET", "/metrics")[1])}

    def _ask(
        self, method: str, path: str, body: str | None = None, head: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.process.port, timeout=120)
        try:
            connection.request(method, path, body, dict(head or {}))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def events(self) -> Events:
        """Return the log."""
        return Events.parse(self._log.read_text())


@dataclass(slots=True)
class Events:
    """Times of the server's events, ascending, by (event, name of the adapter)."""

    times: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def parse(cls, text: str) -> Events:
        """Read the lines of a log."""
        found, names = cls(), {}
        for line in text.splitlines():
            moment, event, content, name = json.loads(line)
            if event == "name":
                names[content] = name
            else:
                found.times[event, names.get(content, "")].append(moment)
        return found

    def has(self, event: str, name: str, begin: float, end: float) -> bool:
        """Return True if there was an event between two times."""
        times = self.times.get((event, name), [])
        return bisect_left(times, begin) < bisect_right(times, end)

    def place(self, name: str, begin: float, end: float) -> str:
        """Return where an adapter was when a request came that had its first token at `end`: one of PLACES."""
        if name == "base":
            return "base"
        if self.has("missed", name, begin, end) or self.has("read", name, begin, end):
            return "disk"
        return "host" if self.has("slot", name, begin, end) else "slot"


def requests(names: Sequence[str], count: int, vocab_size: int, seed: int) -> list[dict[str, Any]]:
    """Return requests for adapters by Zipf's law, and some for the base model."""
    pick = random.Random(seed)
    drawn = pick.choices(names, [1 / rank for rank in range(1, len(names) + 1)], k=count)
    return [
        {
            "model": "base" if pick.randrange(ONE_IN) == 0 else name,
            "prompt": pick.choices(range(vocab_size), k=pick.randint(*PROMPTS)),
            "max_tokens": TOKENS,
        }
        for name in drawn
    ]


def load_all(server: Server, folders: Mapping[str, Path]) -> dict[str, float]:
    """Load the adapters, and read each file as dd does, in turn; return the bytes a second of both."""
    loads, plain = [], []
    files = [lora_inputs.weights_file(folder) for folder in folders.values()]
    sizes = [file.stat().st_size for file in files]
    for number, (name, folder) in enumerate(folders.items()):
        file = files[number]
        for is_plain in (True, False) if number % 2 else (False, True):
            drop([file])
            if is_plain:
                plain.append(read_seconds(file))
            else:
                before = server.counts()["read_seconds"]
                server.load(name, folder)
                loads.append(server.counts()["read_seconds"] - before)
    return {
        "bytes": statistics.median(sizes),
        "load_bytes_per_second": statistics.median(size / seconds for size, seconds in zip(sizes, loads, strict=True)),
        "plain_bytes_per_second": statistics.median(size / seconds for size, seconds in zip(sizes, plain, strict=True)),
        "load_over_plain_seconds": machine.ratio(loads, plain),
    }


def traffic(server: Server, asked: list[dict[str, Any]], clients: int) -> dict[str, Any]:
    """Send requests; return first tokens by place, hit rates, and the rate of reading meanwhile."""
    before = server.counts()
    queue = {"clients": clients, "requests": [{**each} for each in asked]}
    plan = {"port": server.process.port, "body": _BODY, "queues": [queue], "ends_with": None, "begun": 0.0}
    (results,) = servers.run_clients(plan)
    counts, events = server.counts(), server.events()
    # The clients take requests from the end of the list, in the order of results.
    firsts: dict[str, list[float]] = {place: [] for place in PLACES}
    for request, each in zip(asked, results, strict=True):
        first = each["times"][0]
        firsts[events.place(request["model"], each["sent"], first)].append(first - each["sent"])
    seconds = max(each["done"] for each in results) - min(each["sent"] for each in results)
    adapted = sum(len(firsts[place]) for place in PLACES[1:])
    reads = counts["reads"] - before["reads"]
    turns = {name: counts[name] - before[name] for name in ("hits", "misses")}
    return {
        "clients": clients,
        "requests": len(asked),
        "requests_per_second": len(asked) / seconds,
        "first_token_seconds": {
            place: {
                "requests": len(each),
                "p50": quantile(each, 0.5),
                "p99": quantile(each, 0.99),
                "longest": max(each),
            }
            for place, each in firsts.items()
            if each
        },
        "share_in_slots": len(firsts["slot"]) / adapted,
        "share_in_host_memory": (len(firsts["slot"]) + len(firsts["host"])) / adapted,
        "turns": turns,
        "turns_hit_rate": turns["hits"] / max(1.0, sum(turns.values())),
        "reads": reads,
        "seconds_per_read": (counts["read_seconds"] - before["read_seconds"]) / max(1.0, reads),
    }


def run(given: argparse.Namespace, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Measure, print the table and return the results."""
    if given.stdlib_lm:
        model, shape = STDLIB_LM, json.loads((STDLIB_LM / "config.json").read_text())
    else:
        model = checkpoint.spoken(checkpoint.build(dict(shape), given.folder), shape["vocab_size"])
    modules = lora_inputs.linears(shape)
    machine.progress(f"{given.adapters} adapters of {lora_inputs.num_bytes(modules) / 1e6:.1f} MB")
    folders = {
        f"adapter-{number}": lora_inputs.write(modules, given.folder / f"{model.name}-adapters" / str(number), number)
        for number in range(given.adapters)
    }
    os.sync()
    files = [lora_inputs.weights_file(folder) for folder in folders.values()]
    a_size, pools = lora_inputs.num_bytes(modules), given.max_loras * lora_inputs.num_bytes(modules)
    with tempfile.TemporaryDirectory() as temporary:
        server = Server(model, given, Path(temporary) / "log")
        watch = MemoryWatch(server.process.pid)
        try:
            plain = [
                {**each, "model": "base"} for each in requests(["base"], 4 * max(given.clients), shape["vocab_size"], 1)
            ]
            queue = {"clients": max(given.clients), "requests": plain}
            servers.run_clients({"port": server.process.port, "body": _BODY, "queues": [queue], "ends_with": None})
            time.sleep(0.3)
            base = watch.reset()
            machine.progress("loading")
            loading = load_all(server, folders)
            machine.progress(f"  {loading['load_bytes_per_second'] / 1e6:.0f} MB/s")
            runs = []
            with dropping(files):
                for number, clients in enumerate(given.clients):
                    machine.progress(f"{clients} clients")
                    asked = requests(list(folders), given.requests, shape["vocab_size"], number)
                    runs.append(traffic(server, asked, clients))
            peak = watch.peak
        finally:
            watch.close()
            server.process.close()
    found = {
        "adapters": given.adapters,
        "max_loras": given.max_loras,
        "max_cpu_loras": given.max_cpu_loras,
        "model": dict(shape),
        "loading": loading,
        "runs": runs,
        "memory": {
            "before_adapters": base,
            "peak": peak,
            "growth": peak - base,
            "slots": pools,
            "host": given.max_cpu_loras * a_size,
            "bound": pools + (given.max_cpu_loras + 2) * a_size,  # and one that is read: its file and its numbers
        },
    }
    print("\n".join(table(found)), flush=True)
    return found


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table."""
    loading, memory = found["loading"], found["memory"]
    for each in found["runs"]:
        yield f"{each['clients']} clients, {each['requests_per_second']:.1f} requests a second"
        for place, first in each["first_token_seconds"].items():
            cells = " ".join(f"{name} {1e3 * first[name]:7.0f} ms" for name in SHARES)
            yield f"  first token, {place:<5} {first['requests']:>5} requests  {cells}"
        rates = f"slots {each['share_in_slots']:.0%}, host memory {each['share_in_host_memory']:.0%} of requests"
        yield f"  {rates}; turns that found theirs {each['turns_hit_rate']:.0%}"
        yield f"  {each['reads']:.0f} reads of {1e3 * each['seconds_per_read']:.1f} ms"
    mib = {name: value / 2**20 for name, value in memory.items()}
    yield f"memory: {mib['growth']:.0f} MiB above {mib['before_adapters']:.0f}, bound {mib['bound']:.0f} MiB"
    rates = [loading[f"{name}_bytes_per_second"] / 1e6 for name in ("load", "plain")]
    yield f"loading: {rates[0]:.0f} MB/s, plain reads {rates[1]:.0f} MB/s of files of {loading['bytes'] / 1e6:.1f} MB"

"""torchpaged's server against vLLM's and llama.cpp's, in one run on one machine.

    python evals/bench/serve.py [--vllm-python PYTHON] [--llama-server FILE --llama-cpp-python PYTHON]
                                [--rounds 2] [--quick] [--output evals/results/serve]

One model of Qwen3-0.6B's shape with random weights, whose tokenizer has a text for each token. 32 clients in a separate
process stream completions of mixed lengths, each sending the next request when one has ended; in each round the servers
take turns, and the others are stopped by a signal meanwhile. Offline means the same requests submitted to an engine at
once. Then our streams run while prompts of 8,000 tokens arrive, with and without max_step_ms.
PYTHON for llama.cpp belongs to an environment with llama-cpp-python and gguf, which writes the model's file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine
from evals.bench.peers import checkpoint, install, servers
from evals.bench.peers.process import PeerError, PeerProcess
from evals.bench.peers.servers import ServerProcess
from torchpaged.csrc.build import cache_directory
from torchpaged.ops import cpu
from torchpaged.serving.options import MAX_STEP_MS
from torchpaged.tools.workloads import Measure, Workload

CLIENTS = 32
OURS, UNTIMED = "torchpaged", "torchpaged-untimed"
# The longest prompt and completion; one long prompt and as many streams fit into the cache.
LONGEST, LONG_PROMPT, STREAMS = 9000, 8000, 16
# Tokens generated after a long prompt, and number of consecutive streams: enough to outlast it.
BEHIND, MANY = 24, 16
# Requests sent one after the other, to measure the cost of one.
SHORT = 16
# Bytes of the cache: five of these processes with their models must fit into 24 GiB.
TOKENS = 24_576
BODY = {
    "stream": True,
    "temperature": 0,
    "ignore_eos": True,
    "stream_options": {"include_usage": True},
}
TARGETS = {
    "tokens a second over the best other server's": 1.3,
    "p50 and p99 of the time to a first token, steps without a time, over the best other's": 0.8,
    "p50 and p99 between tokens, over the best other's": 0.8,
    "served over offline tokens a second": 0.92,
    "microseconds of the loop's thread a token": 25.0,
    "p99 between tokens while long prompts arrive, over max_step_ms": 1.5,
}


def requests(count: int, vocab_size: int, seed: int) -> list[dict[str, Any]]:
    """Return prompts of 16 to 512 tokens, most of them short, with 32 to 192 tokens to generate."""
    pick = random.Random(seed)
    return [
        {
            "prompt": pick.choices(range(vocab_size), k=int(2 ** pick.uniform(4, 9))),
            "max_tokens": pick.randint(32, 192),
        }
        for _ in range(count)
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least such a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def gaps(results: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the seconds between consecutive texts of a stream, for all streams."""
    found = []
    for result in results:
        found += [later - sooner for sooner, later in zip(result["times"], result["times"][1:], strict=False)]
    return found


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Summarize requests that have all ended."""
    begun, ended = min(each["sent"] for each in results), max(each["done"] for each in results)
    # Tokens without a text yet, as half of a character, are not sent.
    firsts = [(each["times"] or [each["done"]])[0] - each["sent"] for each in results]
    between = gaps(results)
    tokens = sum(each["tokens"] for each in results)
    return {
        "requests": len(results),
        "requests_per_second": len(results) / (ended - begun),
        "tokens_per_second": tokens / (ended - begun),
        "tokens": tokens,
        "texts": sum(len(each["times"]) for each in results),
        "first_token_seconds": {"p50": quantile(firsts, 0.5), "p99": quantile(firsts, 0.99)},
        "between_tokens_seconds": {"p50": quantile(between, 0.5), "p99": quantile(between, 0.99)},
    }


def plan(server: ServerProcess, queues: list[dict[str, Any]], ends_with: int | None = None) -> dict[str, Any]:
    """Return the input of `clients`."""
    return {"port": server.port, "body": BODY, "queues": queues, "ends_with": ends_with}


def under_load(server: ServerProcess, asked: list[dict[str, Any]]) -> dict[str, Any]:
    """Run one round of a server: all requests, by 32 clients."""
    steps, before = server.steps(), server.cpu_seconds()
    (results,) = servers.run_clients(plan(server, [{"clients": CLIENTS, "requests": asked}]))
    after, last = server.cpu_seconds(), server.steps()
    found = summary(results)
    expected = sum(each["max_tokens"] for each in asked)
    if found["tokens"] != expected:
        raise PeerError(f"it generated {found['tokens']} tokens, {expected} were asked for")
    for which, one, other in zip(("loop", "process", "all"), before, after, strict=True):
        found[f"{which}_seconds_per_token"] = (other - one) / found["tokens"]
    if steps is not None and last is not None:
        found["tokens_per_step"] = found["tokens"] / (last - steps)
    return found


def loop_seconds_per_request(server: ServerProcess, vocab_size: int) -> float:
    """Return the loop thread's seconds per request of 128 prompt tokens and one output token."""
    pick = random.Random(1)
    asked = [{"prompt": pick.choices(range(vocab_size), k=128), "max_tokens": 1} for _ in range(SHORT)]
    before, _, _ = server.cpu_seconds()
    servers.run_clients(plan(server, [{"clients": 1, "requests": asked}]))
    after, _, _ = server.cpu_seconds()
    return (after - before) / SHORT


def beside_long_prompts(server: ServerProcess, vocab_size: int, count: int) -> dict[str, Any]:
    """Return the streams' gaps between tokens while long prompts arrive, one after the other.

    After a long prompt some tokens are generated, by steps that read its cache and compute one of its tokens with the
    streams'. No chunk of it could have taken less time than these.
    """
    pick = random.Random(0)
    prompts = [pick.choices(range(vocab_size), k=32) for _ in range(STREAMS * MANY)]
    streams = [{"prompt": prompt, "max_tokens": 768} for prompt in prompts]
    long = [{"prompt": pick.choices(range(vocab_size), k=LONG_PROMPT), "max_tokens": BEHIND} for _ in range(count)]
    queues = [{"clients": STREAMS, "requests": streams}, {"clients": 1, "requests": long}]
    beside, arrived = servers.run_clients(plan(server, queues, ends_with=1))
    arriving = [(each["sent"], each["times"][0]) for each in arrived]
    between = gaps(
        [
            {"times": [time for time in each["times"] if begun <= time <= ended]}
            for each in beside
            for begun, ended in arriving
        ]
    )
    return {
        "between_tokens_seconds": {share: quantile(between, float(share)) for share in ("0.5", "0.9", "0.99", "1.0")},
        "least_step_seconds": statistics.median(gaps(arrived)),
        "long_prompts_first_token_seconds": [ended - begun for begun, ended in arriving],
        "streams": STREAMS,
        "long_prompt_tokens": LONG_PROMPT,
    }


def offline(model: Path, threads: int) -> PeerProcess:
    """Start an engine in a separate process that gets requests at once."""
    settings = {
        "model": str(model),
        "dtype": "bfloat16",
        "threads": threads,
        "max_model_len": LONGEST,
        "max_num_seqs": CLIENTS,
        "kv_tokens": TOKENS,
        "kv_bytes": 0,
        "quantization": None,
    }
    return PeerProcess(sys.executable, "torchpaged_peer", settings)


def offline_rate(peer: PeerProcess, asked: list[dict[str, Any]]) -> float:
    """Return tokens per second."""
    prompts, counts = [each["prompt"] for each in asked], [each["max_tokens"] for each in asked]
    times = peer.run(Workload("served", "the served requests", Measure.REQUESTS, prompts, counts))["times"]
    return sum(counts) / max(each[-1] for each in times)


def measure(given: argparse.Namespace, shape: Mapping[str, Any], model: Path, found: dict[str, Any]) -> None:
    """Run all rounds of all servers; store the results in `found`."""
    vocab_size = shape["vocab_size"]
    per_token = 2 * 2 * shape["num_hidden_layers"] * shape["num_key_value_heads"] * shape["head_dim"]
    starts: dict[str, Callable[[], ServerProcess]] = {
        OURS: lambda: servers.torchpaged(model, given.threads, TOKENS, LONGEST),
        UNTIMED: lambda: servers.torchpaged(model, given.threads, TOKENS, LONGEST, "--max-step-ms", "0"),
    }
    if given.vllm_python:
        starts["vllm"] = lambda: servers.vllm(given.vllm_python, model, given.threads, TOKENS, LONGEST, per_token)
    if given.llama_server and given.llama_cpp_python:
        gguf = checkpoint.gguf(model, given.llama_cpp_python, "BF16")
        starts["llama-server"] = lambda: servers.llama_server(given.llama_server, gguf, given.threads, TOKENS, CLIENTS)
    rounds = [requests(given.requests, vocab_size, seed) for seed in range(given.rounds)]
    found |= {"servers": {}, "offline_tokens_per_second": []}
    with contextlib.ExitStack() as open_until:
        running: dict[str, ServerProcess] = {}
        for name, start in starts.items():
            machine.progress(f"starting {name}")
            try:
                server = start()
            except (PeerError, OSError) as error:
                found["servers"][name] = {"left_out": str(error)}
                machine.progress(f"{name}: {error}")
                continue
            open_until.callback(server.close)
            running[name] = server
            found["servers"][name] = {"startup_seconds": server.startup_seconds, "rounds": []}
            under_load(server, requests(4, vocab_size, 99))  # the first steps touch their memory
            if name == OURS:
                found["servers"][name]["loop_seconds_per_request"] = loop_seconds_per_request(server, vocab_size)
            server.pause()
        peer = offline(model, given.threads)
        open_until.callback(peer.close)
        peer.pause()
        for number, asked in enumerate(rounds):
            for name, server in running.items():
                machine.progress(f"round {number + 1} of {len(rounds)}: {name}")
                server.resume()
                found["servers"][name]["rounds"].append(under_load(server, asked))
                server.pause()
            machine.progress(f"round {number + 1} of {len(rounds)}: offline")
            peer.resume()
            found["offline_tokens_per_second"].append(offline_rate(peer, asked))
            peer.pause()
        for name in (OURS, UNTIMED):
            machine.progress(f"long prompts during streams: {name}")
            running[name].resume()
            found["servers"][name]["long_prompts"] = beside_long_prompts(running[name], vocab_size, given.long_prompts)
            running[name].pause()


def gathered(given: argparse.Namespace, shape: Mapping[str, Any], model: Path) -> dict[str, Any]:
    """Return the results of `measure`; after Ctrl-C or SIGTERM, the rounds that all servers have completed.

    Raises:
        KeyboardInterrupt: no round is complete.
    """
    found: dict[str, Any] = {}
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the servers are ended too
    try:
        measure(given, shape, model, found)
    except KeyboardInterrupt:
        complete = len(found.get("offline_tokens_per_second", ()))
        if not complete:
            raise
        for each in found["servers"].values():
            if "rounds" in each:
                del each["rounds"][complete:]
        machine.progress(f"interrupted: the result has {complete} complete rounds and the measurements after them")
    return found


def ratios(found: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of TARGETS: medians over rounds, each value divided by one measured in the same round."""
    ran = {name: each["rounds"] for name, each in found["servers"].items() if "rounds" in each}
    others = [name for name in ran if name not in (OURS, UNTIMED)]

    def over_best(name: str, value: Callable[[Mapping[str, Any]], float], best: Callable[..., float]) -> float:
        rounds = range(len(ran[name]))
        return statistics.median(value(ran[name][i]) / best(value(ran[other][i]) for other in others) for i in rounds)

    offline_rates = found["offline_tokens_per_second"]
    told = {
        "served over offline": statistics.median(
            each["tokens_per_second"] / rate for each, rate in zip(ran[UNTIMED], offline_rates, strict=True)
        ),
        "served over offline, steps with a time": statistics.median(
            each["tokens_per_second"] / rate for each, rate in zip(ran[OURS], offline_rates, strict=True)
        ),
        **{
            f"microseconds of the {name} a token": 1e6 * statistics.median(each[key] for each in ran[OURS])
            for name, key in (
                ("loop's thread", "loop_seconds_per_token"),
                ("server's process", "process_seconds_per_token"),
            )
        },
    }
    # The cost per token depends on the tokens per step: the loop wakes up once for all of them.
    told["tokens a step"] = statistics.median(each["tokens_per_step"] for each in ran[OURS])
    a_request = found["servers"][OURS]["loop_seconds_per_request"]
    told["microseconds of the loop's thread a request"] = 1e6 * a_request
    told["microseconds of the loop's thread a token, requests left out"] = 1e6 * statistics.median(
        each["loop_seconds_per_token"] - a_request * each["requests"] / each["tokens"] for each in ran[OURS]
    )
    if (beside := found["servers"][OURS].get("long_prompts")) is not None:
        p99, least = 1e3 * beside["between_tokens_seconds"]["0.99"], 1e3 * beside["least_step_seconds"]
        told |= {
            "p99 between tokens beside long prompts over max_step_ms": p99 / MAX_STEP_MS,
            "p99 between tokens beside long prompts over max_step_ms, or a step of one of its tokens": p99
            / max(MAX_STEP_MS, least),
        }
    for name in (OURS, UNTIMED) if others else ():
        told[f"{name}: tokens a second"] = over_best(name, lambda each: each["tokens_per_second"], max)
        for what in ("first_token_seconds", "between_tokens_seconds"):
            for share in ("p50", "p99"):
                told[f"{name}: {what} {share}"] = over_best(name, lambda each, w=what, s=share: each[w][s], min)
    return told


def table(found: Mapping[str, Any]) -> str:
    """Return a table of medians over the rounds."""
    lines = [f"{'':<20}{'requests/s':>11}{'tokens/s':>10}{'first p50':>11}{'p99':>8}{'between p50':>13}{'p99 ms':>8}"]
    for name, each in found["servers"].items():
        if "rounds" not in each:
            lines.append(f"{name:<20}left out: {each['left_out']:.90}")
            continue

        def median(value: Callable[[Mapping[str, Any]], float], rounds: Any = each["rounds"]) -> float:
            return statistics.median(map(value, rounds))

        lines.append(
            f"{name:<20}{median(lambda r: r['requests_per_second']):>11.2f}"
            f"{median(lambda r: r['tokens_per_second']):>10.1f}"
            f"{1e3 * median(lambda r: r['first_token_seconds']['p50']):>11.0f}"
            f"{1e3 * median(lambda r: r['first_token_seconds']['p99']):>8.0f}"
            f"{1e3 * median(lambda r: r['between_tokens_seconds']['p50']):>13.0f}"
            f"{1e3 * median(lambda r: r['between_tokens_seconds']['p99']):>8.0f}"
        )
    lines.append(f"{'offline':<20}{'':>11}{statistics.median(found['offline_tokens_per_second']):>10.1f}")
    return "\n".join([*lines, "", *(f"{name}: {value:.3f}" for name, value in ratios(found).items())])


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--requests", type=int, default=64, help="requests per round")
    parser.add_argument("--long-prompts", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="one round of 40 requests")
    parser.add_argument("--tiny", action="store_true", help="a tiny model, as a smoke test")
    parser.add_argument("--vllm-python", default=install.python_of("vllm"), help="Python with vLLM")
    parser.add_argument("--llama-server", type=Path, help="llama.cpp's program")
    parser.add_argument("--llama-cpp-python", default=install.python_of("llama_cpp"), help="Python with gguf")
    parser.add_argument("--models", type=Path, default=cache_directory() / "bench", help="folder for the weights")
    parser.add_argument("--output", type=Path, default=Path("evals/results/serve"), help="without suffix")
    given = parser.parse_args()
    load, begun = os.getloadavg()[0], time.perf_counter()
    torch.set_num_threads(given.threads)
    if given.quick or given.tiny:
        given.rounds, given.requests = 1, 40
    cpu.load()  # builds the library if it is missing, so that no server's start-up time includes it
    shape = checkpoint.TINY if given.tiny else checkpoint.QWEN3_06B
    model = checkpoint.spoken(checkpoint.build(shape, given.models), shape["vocab_size"])
    found = gathered(given, shape, model)
    print(table(found))
    written = {
        **machine.describe([sys.executable, *sys.argv]),
        "load": load,
        "seconds": time.perf_counter() - begun,
        "model": shape,
        "clients": CLIENTS,
        "requests": given.requests,
        "targets": TARGETS,
        "ratios": ratios(found),
        **found,
    }
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()

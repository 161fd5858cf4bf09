"""Agents' conversations replayed: hit rates and first tokens without tiers, with tiers, with tiers and hints.

    python evals/bench/agents.py [--sessions 20] [--turns 43] [--scale 0.02] [--pool 0.1] [--strays 0] [--seed 0]
        [--xllamacpp-python PYTHON] [--output evals/results/agents]

The trace is made from published statistics of coding agents: a session has 43 turns at the median, its prompt grows
from 2k to 140k tokens, 96 % of a prompt's tokens were sent before; some turns fork from an earlier one (a sub-agent,
an edited message), all sessions share a system prompt, and they take turns in random order. `--scale` shortens all
prompts; the pool has room for `--pool` of the longest prompts of all sessions together. `--strays` adds requests that
belong to no session and never come again, so many for each turn; they give no hint. The rates are of the sessions'
turns. Beside the measured rates stand the best possible ones, of a cache without limits, in blocks and in tokens.

The model is tiny, so first tokens say how much work was saved on this machine and not how fast a large model is:
computed tokens are the figure that carries over. llama.cpp's server, if `evals.bench.peers.install xllamacpp` has been
run, has as many slots as the pool has room for longest prompts, and saves and restores the sessions' states.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from evals.bench.peers import checkpoint, install
from evals.bench.peers.checkpoint import TINY
from evals.bench.peers.process import ROOT
from evals.bench.serve import quantile
from torchpaged import LLM, SamplingParams
from torchpaged.csrc.build import cache_directory

BLOCK = 16
SYSTEM, FIRST, LAST = 1500, 2000, 140_000  # tokens of the system prompt, of a first and of a last prompt
FORKS = 0.06  # share of turns that begin at an earlier turn's prompt
ANSWER = 16


@dataclass
class Turn:
    """A request of a session: its prompt, and True if it is the session's last. A stray one has a negative session."""

    session: int
    prompt: list[int]
    is_last: bool


def trace(sessions: int, turns: int, scale: float, vocab_size: int, seed: int, strays: float = 0.0) -> list[Turn]:
    """Return the turns of all sessions in the order in which they come."""
    pick = random.Random(seed)

    def text(count: float) -> list[int]:
        return [pick.randrange(2, vocab_size) for _ in range(max(1, int(count * scale)))]

    system = text(SYSTEM)
    queues: dict[int, list[Turn]] = {}
    for session in range(sessions):
        count = max(2, int(pick.gauss(turns, turns / 4)))
        growth = (LAST - FIRST) * pick.uniform(0.3, 1.0) / count
        prompts = [system + text(FIRST - SYSTEM)]
        for _ in range(count - 1):
            base = pick.choice(prompts) if pick.random() < FORKS else prompts[-1]
            prompts.append(base + text(growth * pick.uniform(0.2, 1.8)))
        queues[session] = [Turn(session, prompt, prompt is prompts[-1]) for prompt in prompts]
    order: list[Turn] = []
    active = list(queues)[: max(1, sessions // 2)]  # the others begin when these end
    waiting = list(queues)[len(active) :]
    while active:
        session = pick.choice(active)
        order.append(queues[session].pop(0))
        if not queues[session]:
            active.remove(session)
            if waiting:
                active.append(waiting.pop(0))
    with_strays: list[Turn] = []
    for number, turn in enumerate(order):
        with_strays.append(turn)
        for _ in range(int((number + 1) * strays) - int(number * strays)):
            with_strays.append(Turn(-len(with_strays), text(pick.uniform(FIRST, LAST / 4)), True))
    return with_strays


def best(order: list[Turn], block: int) -> float:
    """Return the hit rate of a cache that loses nothing and keeps whole blocks."""
    seen: set[int] = set()
    hits = total = 0
    for turn in order:
        starts = [hash(tuple(turn.prompt[:end])) for end in range(block, len(turn.prompt) + 1, block)]
        if turn.session >= 0:
            most = (len(turn.prompt) - 1) // block
            hits += block * next((count for count in range(most, 0, -1) if starts[count - 1] in seen), 0)
            total += len(turn.prompt)
        seen.update(starts)
    return hits / total


def replay(model: Any, order: list[Turn], num_blocks: int, longest: int, *, hints: bool, folder: Path | None) -> Any:
    """Run the trace, one turn after the other, and return its figures."""
    llm = LLM(
        model,
        max_model_len=longest + ANSWER + 1,
        num_blocks=num_blocks,
        max_num_seqs=4,
        dtype="bfloat16",
        prefix_cache_dir=folder,
    )
    llm.generate([{"prompt_token_ids": [1] * 100}], SamplingParams(max_tokens=2), use_tqdm=False)  # warms up
    seconds, cached, total = [], 0, 0
    for turn in order:
        hint = None
        if hints and turn.session >= 0:
            name = str(turn.session)
            hint = {"session": name, "release": True} if turn.is_last else {"session": name, "retain": 600}
        params = SamplingParams(temperature=0.0, max_tokens=1, ignore_eos=True, cache_hint=hint)
        begin = time.perf_counter()
        (output,) = llm.generate([{"prompt_token_ids": turn.prompt}], params, use_tqdm=False)
        if turn.session < 0:
            continue
        seconds.append(time.perf_counter() - begin)
        cached += output.num_cached_tokens or 0
        total += len(turn.prompt)
    stats = llm.stats()
    llm.engine.reset_prefix_cache()
    llm.shutdown()
    return {
        "prompt_tokens": total,
        "hit_rate": cached / total,
        "hit_tokens_of_store": stats.tiers.num_hit_tokens if stats.tiers else 0,
        "computed_tokens": total - cached,
        **_times(seconds),
        "reads": {} if stats.tiers is None else asdict(stats.tiers),
        "read_bytes": stats.tier_io.read_bytes if stats.tier_io else 0,
        "written_bytes": stats.tier_io.written_bytes if stats.tier_io else 0,
    }


def _times(seconds: list[float]) -> dict[str, Any]:
    first = {"p50": 1e3 * statistics.median(seconds), "p99": 1e3 * quantile(seconds, 0.99)}
    return {"first_token_ms": first, "seconds": sum(seconds)}


def replay_slots(model: Path, order: list[Turn], num_tokens: int, longest: int, python: str) -> dict[str, Any]:
    """Run the trace with llama.cpp's server, whose slots have room for so many tokens together."""
    size = longest + ANSWER + 1
    given = {
        "model": str(checkpoint.gguf(model, python, "BF16")),
        "threads": torch.get_num_threads(),
        "slots": max(1, num_tokens // size),
        "longest": size,
        "turns": [(turn.session, turn.prompt, turn.is_last) for turn in order],
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(given, file)
        file.flush()
        command = [python, "-m", "evals.bench.peers.slots", file.name]
        out = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    found = json.loads(next(line for line in reversed(out.splitlines()) if line.startswith("{")))
    return {
        "slots": given["slots"],
        "prompt_tokens": found["total"],
        "hit_rate": 1 - found["computed"] / found["total"],
        "computed_tokens": found["computed"],
        **_times(found["seconds"]),
        "saved_bytes": found["bytes"],
    }


def main() -> None:
    """Replay the trace in each way and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--turns", type=int, default=43)
    parser.add_argument("--scale", type=float, default=0.02)
    parser.add_argument("--pool", type=float, default=0.1)
    parser.add_argument("--strays", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--xllamacpp-python", default=install.python_of("xllamacpp"), metavar="PYTHON")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    order = trace(given.sessions, given.turns, given.scale, TINY["vocab_size"], given.seed, given.strays)
    longest = max(len(turn.prompt) for turn in order)
    last = {turn.session: len(turn.prompt) for turn in order if turn.session >= 0}
    # A request must have room for itself whatever the share.
    num_blocks = 2 + max(int(given.pool * sum(last.values())), longest + ANSWER) // BLOCK + 4
    shape = {**TINY, "max_position_embeddings": 40960, "rope_theta": 1e6}
    # llama.cpp's server needs a text for each token.
    model = checkpoint.spoken(checkpoint.build(shape, cache_directory() / "bench" / "agents"), TINY["vocab_size"])
    found: dict[str, Any] = {
        **machine.describe(sys.argv),
        "sessions": given.sessions,
        "requests": len(order),
        "longest_prompt": longest,
        "pool_tokens": (num_blocks - 1) * BLOCK,
        "best_hit_rate": {"blocks": best(order, BLOCK), "tokens": best(order, 1)},
    }
    for name, hints, tiers in (
        ("lru", False, False),
        ("hints", True, False),
        ("tiers", False, True),
        ("tiers and hints", True, True),
    ):
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "store" if tiers else None
            found[name] = replay(model, order, num_blocks, longest, hints=hints, folder=path)
        print(name, json.dumps(found[name]), flush=True)
    if given.xllamacpp_python:
        name, num_tokens = "llama.cpp, saved slots", found["pool_tokens"]
        found[name] = replay_slots(model, order, num_tokens, longest, given.xllamacpp_python)
        print(name, json.dumps(found[name]), flush=True)
    if given.output is not None:
        given.output.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""The router's policy over simulated replicas: hits, waiting times and balance beside other policies.

A replica is an engine with measured step costs: each step computes up to `--step-tokens` prompt tokens and one token of
each running answer, and takes a time linear in both. Its cache is a dictionary of blocks, least recently used first to
go. The policies and the index are the router's own; replicas publish their blocks every 0.25 simulated seconds.

Requests are conversations behind shared system prompts, each turn with everything before it, at a rate that keeps the
replicas at about `--load` of what one cache for all would need. Compared are the router's policy, turns in a circle
("round robin"), the fewest requests, and cache affinity alone, which gathers requests on few replicas.

    python -m evals.bench.router
    python -m evals.bench.router --replicas 1000 --requests 20000 --only policy
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import random
import sys
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evals.bench import machine
from torchpaged.routing.policy import Assignment, Policy, Prompt

_BLOCK = 16
_PUBLISHES = 0.25  # seconds
_RESULTS = Path(__file__).parents[1] / "results" / "router.json"


@dataclass
class Request:
    """One turn of a conversation.

    Args:
        at: seconds at which it comes.
        conversation: its number.
        num_tokens: of its prompt.
        chain: hashes of the prompt's full blocks.
        num_outputs: tokens of its answer.
    """

    at: float
    conversation: int
    num_tokens: int
    chain: tuple[bytes, ...]
    num_outputs: int
    began: float | None = None
    ended: float | None = None
    num_cached: int = 0
    num_tries: int = 0


@dataclass
class Engine:
    """A simulated replica.

    Args:
        base, per_token, per_answer: seconds of a step, of each prompt token in it, and of each answer's token in it.
        step_tokens: prompt tokens of a step at most.
        num_blocks: size of its cache.
        max_num_seqs: requests that it runs at once.
    """

    base: float
    per_token: float
    per_answer: float
    step_tokens: int
    num_blocks: int
    max_num_seqs: int = 32
    cache: OrderedDict[bytes, None] = field(default_factory=OrderedDict)
    waiting: list[list] = field(default_factory=list)
    prefilling: list[list] = field(default_factory=list)
    answering: list[list] = field(default_factory=list)
    busy_until: float = 0.0
    num_requests: int = 0
    is_dead: bool = False
    added: list[bytes] = field(default_factory=list)
    removed: list[bytes] = field(default_factory=list)

    def admit(self) -> None:
        """Move requests from the queue into free places, and look up what is cached of them."""
        while self.waiting and len(self.prefilling) + len(self.answering) < self.max_num_seqs:
            entry = self.waiting.pop(0)
            request = entry[0]
            hit = 0
            for each in request.chain:
                if each not in self.cache:
                    break
                self.cache.move_to_end(each)
                hit += 1
            request.num_cached = min(hit * _BLOCK, request.num_tokens - 1)
            entry[1] = request.num_tokens - request.num_cached
            self.prefilling.append(entry)

    def step(self, now: float) -> float:
        """Run one step; return when it ends."""
        self.admit()
        left, done = self.step_tokens, 0
        finished = []
        for entry in self.prefilling:
            part = min(left, entry[1])
            entry[1] -= part
            left -= part
            done += part
            if not entry[1]:
                finished.append(entry)
            if not left:
                break
        end = now + self.base + self.per_token * done + self.per_answer * len(self.answering)
        for entry in self.answering:
            entry[2] -= 1
        for entry in [entry for entry in self.answering if entry[2] <= 0]:
            self.answering.remove(entry)
            entry[0].ended = end
        for entry in finished:
            self.prefilling.remove(entry)
            entry[0].began = end
            entry[2] = entry[0].num_outputs - 1
            self.keep(entry[0].chain)
            if entry[2] > 0:
                self.answering.append(entry)
            else:
                entry[0].ended = end
        return end

    def keep(self, chain: tuple[bytes, ...]) -> None:
        """Put blocks into the cache, the prompt's beginning last to go."""
        for each in reversed(chain):
            if each in self.cache:
                self.cache.move_to_end(each)
            else:
                self.cache[each] = None
                self.added.append(each)
        while len(self.cache) > self.num_blocks:
            each, _ = self.cache.popitem(last=False)
            self.removed.append(each)

    @property
    def is_idle(self) -> bool:
        """True if no request is there."""
        return not (self.waiting or self.prefilling or self.answering)


def conversations(count: int, rate: float, seed: int) -> list[Request]:
    """Return requests by time: turns of conversations behind one of 16 system prompts of 500 to 2,000 tokens."""
    draw = random.Random(seed)
    systems = [[draw.randbytes(8) for _ in range(draw.randrange(500, 2000) // _BLOCK)] for _ in range(16)]
    weights = [1 / (i + 1) for i in range(16)]
    found: list[Request] = []
    number = itertools.count()
    at = 0.0
    while len(found) < count * 1.15:
        at += draw.expovariate(rate / 6)
        chain = list(draw.choices(systems, weights)[0])
        num_tokens, when, name = len(chain) * _BLOCK, at, next(number)
        for _ in range(1 + min(20, int(draw.expovariate(1 / 5)))):
            num_tokens += draw.randrange(20, 200)
            chain += [draw.randbytes(8) for _ in range(num_tokens // _BLOCK - len(chain))]
            outputs = draw.randrange(16, 128)
            found.append(Request(when, name, num_tokens, tuple(chain), outputs))
            num_tokens += outputs
            when += draw.uniform(5, 40)
    found.sort(key=lambda request: request.at)
    return found[:count]


def run(kind: str, requests: list[Request], engines: list[Engine], kill_at: float | None) -> dict[str, float]:
    """Simulate one policy; return its numbers."""
    policy = Policy(len(engines), _BLOCK)
    policy.is_open[:] = True
    events: list[tuple[float, int, str, object]] = []
    tick = itertools.count()
    assigned: dict[int, tuple[Assignment, Request]] = {}
    circle = itertools.cycle(range(len(engines)))
    seconds: list[float] = []
    num_broken = 0

    def push(at: float, what: str, about: object) -> None:
        heapq.heappush(events, (at, next(tick), what, about))

    def choose(request: Request, now: float) -> Assignment:
        prompt = Prompt(request.num_tokens, request.chain)
        begin = time.perf_counter()
        if kind == "policy":
            chosen = policy.choose(prompt, now)
            seconds.append(time.perf_counter() - begin)
            assert chosen is not None
            return chosen
        if kind == "round robin":
            replica = next(each for each in circle if not engines[each].is_dead)
        elif kind == "fewest requests":
            live = [i for i, each in enumerate(engines) if not each.is_dead]
            replica = min(live, key=lambda i: (int(policy.requests[i]), i))
        else:
            depths = np.where(policy.is_open, policy.index.depths(request.chain), -1)
            replica = int(depths.argmax())
        policy.index.expect(replica, request.chain, now)
        policy.requests[replica] += 1
        policy.waiting[replica] += 1
        return Assignment(replica, 0, 1)

    def send(request: Request, now: float) -> None:
        request.num_tries += 1
        chosen = choose(request, now)
        engine = engines[chosen.replica]
        engine.num_requests += 1
        engine.waiting.append([request, 0, 0, chosen])
        assigned[id(request)] = chosen, request
        if engine.busy_until <= now:
            engine.busy_until = now
            push(now, "step", chosen.replica)

    for request in requests:
        push(request.at, "request", request)
    push(_PUBLISHES, "publish", None)
    if kill_at is not None:
        push(kill_at, "kill", 1)
    num_open = len(requests)
    while num_open:
        now, _, what, about = heapq.heappop(events)
        if what == "request":
            send(about, now)  # type: ignore[arg-type]
        elif what == "step":
            engine = engines[about]  # type: ignore[index]
            if engine.is_dead or engine.is_idle:
                continue
            entries = [*engine.prefilling, *engine.answering, *engine.waiting]
            end = engine.busy_until = engine.step(now)
            for entry in entries:
                if entry[0].began == end:
                    policy.begun(entry[3])
                if entry[0].ended == end:
                    policy.ended(entry[3])
                    num_open -= 1
            push(end, "step", about)
        elif what == "publish":
            for number, each in enumerate(engines):
                if not each.is_dead:
                    policy.index.publish(number, each.added, each.removed)
                    each.added, each.removed = [], []
            policy.index.expire(now)
            push(now + _PUBLISHES, "publish", None)
        else:
            engine = engines[about]  # type: ignore[index]
            engine.is_dead = True
            policy.is_open[about] = False
            policy.index.forget(about)  # type: ignore[arg-type]
            for entry in [*engine.waiting, *engine.prefilling, *engine.answering]:
                policy.ended(entry[3])
                if entry[0].began is None:
                    send(entry[0], now)  # it has not begun, so another replica can answer it
                else:
                    num_broken += 1
                    num_open -= 1
    policy.check()
    waits = np.array([request.began - request.at for request in requests if request.began is not None])
    live = [each.num_requests for each in engines if not each.is_dead]
    found = {
        "hit_rate": sum(each.num_cached for each in requests) / sum(each.num_tokens for each in requests),
        "first_token_p50": float(np.percentile(waits, 50)),
        "first_token_p99": float(np.percentile(waits, 99)),
        "most_over_mean": max(live) / (sum(live) / len(live)),
        "num_lost": sum(request.began is None for request in requests),
        "num_broken": num_broken,
    }
    if seconds:
        found["decision_us_p50"] = float(np.percentile(seconds, 50) * 1e6)
        found["decision_us_p99"] = float(np.percentile(seconds, 99) * 1e6)
    return found


def main() -> None:
    """Run the policies and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=int, default=4)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--load", type=float, default=0.7, help="share of the replicas' time that one cache would need")
    parser.add_argument("--step-tokens", type=int, default=512)
    parser.add_argument("--blocks", type=int, default=6000, help="blocks of each replica's cache")
    parser.add_argument("--costs", type=float, nargs=3, default=(0.040, 0.0011, 0.0012), metavar="SECONDS",
                        help="of a step, of a prompt token, of an answer's token")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("policy", "round robin", "fewest requests", "affinity"))
    parser.add_argument("--no-kill", action="store_true", help="do not end a replica in the middle")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    base, per_token, per_answer = given.costs

    def engines() -> list[Engine]:
        return [Engine(base, per_token, per_answer, given.step_tokens, given.blocks) for _ in range(given.replicas)]

    # One cache that has all requests, on one engine that is as fast as all: what hits are possible.
    draft = conversations(given.requests, 1.0, given.seed)
    whole = Engine(0.0, 0.0, 0.0, 1 << 30, 1 << 40, 1 << 30)
    work = 0.0
    for request in draft:
        whole.waiting.append([request, 0, 0, None])
        whole.admit()
        (entry,) = whole.prefilling
        whole.prefilling.clear()
        whole.keep(request.chain)
        # A step of 512 prompt tokens takes as long alone as beside answers, which share its base.
        work += entry[1] * (per_token + base / given.step_tokens) + request.num_outputs * (per_answer + base / 8)
    best = sum(each.num_cached for each in draft) / sum(each.num_tokens for each in draft)
    rate = given.load * given.replicas * len(draft) / work
    rows = {}
    for kind in [given.only] if given.only else ["policy", "round robin", "fewest requests", "affinity"]:
        requests = conversations(given.requests, rate, given.seed)
        middle = None if given.no_kill else requests[len(requests) // 2].at
        rows[kind] = run(kind, requests, engines(), middle)
        print(kind, json.dumps({name: round(value, 4) for name, value in rows[kind].items()}))
    print(f"one cache for all: hit rate {best:.4f}; {rate:.2f} requests a second")
    if given.output:
        about = {**machine.describe(sys.argv), "arguments": {name: str(value) for name, value in vars(given).items()}}
        given.output.write_text(json.dumps({**about, "one_cache_hit_rate": best, "policies": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

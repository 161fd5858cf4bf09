"""`torchpaged trace`: runs requests while a `Trace` records the pool, and the requests of its demo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from torchpaged.engine.llm_engine import LLMEngine, Prompt
from torchpaged.engine.pool_trace import Trace
from torchpaged.sampling_params import SamplingParams


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request, and the step after which it is added."""

    request_id: str
    prompt: Prompt
    params: SamplingParams
    step: int = 0
    priority: int = 0


def run(engine: LLMEngine, arrivals: Iterable[Arrival], *, pinned: Prompt | None = None, title: str = "") -> Trace:
    """Run requests to their ends and return the trace. If the engine is idle, the next request is added at once.

    Args:
        pinned: prefix to pin first.

    Raises:
        RequestError: a request can never run.
    """
    if pinned is not None:
        engine.pin_prefix(pinned)
    coming = sorted(arrivals, key=lambda arrival: arrival.step)
    trace: Trace | None = None
    while coming or engine.has_unfinished_requests:
        now = trace.num_steps if trace else 0
        while coming and (coming[0].step <= now or not engine.has_unfinished_requests):
            arrival = coming.pop(0)
            engine.add_request(arrival.request_id, arrival.prompt, arrival.params, priority=arrival.priority)
        if trace is None:
            trace = Trace(engine, title)
        trace.look()
        engine.step()
        trace.record()
    return trace or Trace(engine, title)


# The demo's default settings: the pool is too small for its requests.
DEMO_SETTINGS = {"num_blocks": 45, "block_size": 8, "max_num_batched_tokens": 64}

DEMO_PIN = '''"""Utilities of the standard library: everything here is plain Python, has no dependencies,
and can be read from top to bottom."""

'''

_SHARED = '''class Queue:
    """A queue of tasks that threads take from, in the order in which they came in.

    Tasks are callables. An exception in a task is kept and raised where its result is asked for.
    """

'''


def demo_pin(engine: LLMEngine) -> Prompt | None:
    """Return the demo's pinned prefix; None without a prefix cache, or if it is shorter than a state checkpoint."""
    if not engine.config.enable_prefix_caching:
        return None
    spec = engine.model.spec
    return (
        DEMO_PIN
        if not spec.states or len(engine.vocabulary.tokenizer(DEMO_PIN)["input_ids"]) >= spec.state_chunk
        else None
    )


def demo(params: SamplingParams) -> list[Arrival]:
    """Return requests that show a shared prefix, a fork, preemption, and a prefix found in the cache.

    "urgent" comes late and runs first with the scheduling policy "priority".

    Args:
        params: parameters for all of them; the forking one has an `n` of at least 3, and lengths range from a quarter
            of `max_tokens` to all of it.
    """

    longest = params.max_tokens or SamplingParams().max_tokens or 1

    def part(share: float, n: int = 1) -> SamplingParams:
        return replace(params, n=n, ignore_eos=True, max_tokens=max(1, round(longest * share)))

    return [
        Arrival("queue-put", _SHARED + "    def put(self, task):\n", part(0.5)),
        Arrival("queue-get", _SHARED + "    def get(self):\n", part(0.75)),
        Arrival("queue-len", _SHARED + "    def __len__(self):\n", part(0.25)),
        Arrival("fork", "def main(argv=None):\n    parser = argparse.ArgumentParser(", part(0.5, max(3, params.n)), 6),
        Arrival("pinned", DEMO_PIN + "import os\n", part(0.75), 10),
        Arrival("long", "import re\nimport sys\n\n\ndef read_lines(path):\n", part(1.0), 14),
        Arrival("test-case", "class TestQueue(unittest.TestCase):\n\n    def setUp(self):\n", part(0.75), 16),
        Arrival("urgent", "try:\n    import json\nexcept ImportError:\n", part(0.25), 24, -1),
        Arrival("queue-again", _SHARED + "    def clear(self):\n", part(0.5), longest),
    ]

"""Workloads for benchmarks of whole engines, and the rate computed from the times of the tokens. Needs no torch.

Shared by `torchpaged bench` and `evals/bench/engine.py`: the same requests and the same clock for every engine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchpaged.lora_request import LoRARequest

SHARED_PREFIX, CONTEXT = 512, 8192
# The first decode steps include one-time work of libraries for a new batch size.
_UNCOUNTED_DECODE_STEPS = 1


class Measure(Enum):
    """The timed part of a run, and the tokens that count."""

    # From the moment when every request has its second token to the last token of all; tokens generated in that time.
    DECODE = "decode"
    PREFILL = "prefill"  # from the first request to the last first token; tokens of prompts
    REQUESTS = "requests"  # from the first request to the last token; tokens generated


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests that are added at once; each generates exactly its `max_tokens`, greedily.

    Args:
        name: name for `--workloads`.
        title: title in tables.
        measure: the timed part of the run.
        prompts: token ids.
        max_tokens: one per prompt.
        shared: leading tokens that all prompts share.
        filled: leading tokens of each prompt whose KV cache is filled with random numbers beforehand, which costs later
            steps the same and saves an untimed prefill.
        adapters: adapters that the requests have in turn; empty: none.
    """

    name: str
    title: str
    measure: Measure
    prompts: list[list[int]]
    max_tokens: list[int]
    shared: int = 0
    filled: int = 0
    adapters: Sequence[LoRARequest] = ()

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence, prompt and completion."""
        return max(len(prompt) + count for prompt, count in zip(self.prompts, self.max_tokens, strict=True))

    @property
    def num_tokens(self) -> int:
        """Tokens of all sequences, with a shared prefix counted once."""
        repeated = self.shared * (len(self.prompts) - 1)
        return sum(map(len, self.prompts)) + sum(self.max_tokens) - repeated

    @property
    def counted_steps(self) -> int:
        """Decode steps timed by `Measure.DECODE`, if all requests generate the same number of tokens."""
        return self.max_tokens[0] - 1 - _UNCOUNTED_DECODE_STEPS

    @property
    def unit(self) -> str:
        """Unit of `rate`."""
        return "prompt tokens/s" if self.measure is Measure.PREFILL else "generated tokens/s"


def rate(workload: Workload, times: Sequence[Sequence[float]]) -> float:
    """Return tokens per second.

    Args:
        times: for each request the times of its tokens, in seconds after the first request was added.

    Raises:
        ValueError: a request did not generate its `max_tokens`.
    """
    for index, (got, wanted) in enumerate(zip(times, workload.max_tokens, strict=True)):
        if len(got) != wanted:
            raise ValueError(f"{workload.name}: request {index} generated {len(got)} tokens, expected {wanted}")
    last = max(each[-1] for each in times)
    if workload.measure is Measure.PREFILL:
        return sum(map(len, workload.prompts)) / max(each[0] for each in times)
    if workload.measure is Measure.REQUESTS:
        return sum(workload.max_tokens) / last
    start = max(each[_UNCOUNTED_DECODE_STEPS] for each in times)
    return sum(time > start for each in times for time in each) / (last - start)


def standard(vocab_size: int, *, scale: float = 1.0, seed: int = 0) -> list[Workload]:
    """Return the standard workloads: random tokens, the same for the same arguments.

    Args:
        scale: factor for all numbers of tokens, of prompts and completions, but not of requests.
    """
    draw = random.Random(seed)

    def sized(count: int, least: int = 1) -> int:
        return max(least, round(count * scale))

    def tokens(count: int) -> list[int]:
        return [draw.randrange(vocab_size) for _ in range(count)]

    def between(low: int, high: int) -> int:
        """Draw a length uniformly over its logarithm, so that most requests are short."""
        return sized(round(math.exp(draw.uniform(math.log(low), math.log(high)))))

    def decode(batch: int, steps: int) -> Workload:
        length = sized(32)
        return Workload(
            f"decode-{batch}",
            f"decode, batch {batch}",
            Measure.DECODE,
            [tokens(length) for _ in range(batch)],
            [sized(steps, 4) + 1 + _UNCOUNTED_DECODE_STEPS] * batch,
        )

    long, prefix, context = sized(2048), sized(SHARED_PREFIX), sized(CONTEXT)
    common = tokens(prefix)
    return [
        decode(1, 48),
        decode(8, 32),
        decode(32, 20),
        Workload("prefill", f"prefill, {long} tokens", Measure.PREFILL, [tokens(long)], [1]),
        Workload(
            "mixed",
            "mixed, 32 requests",
            Measure.REQUESTS,
            [tokens(between(64, 512)) for _ in range(32)],
            [between(16, 128) for _ in range(32)],
        ),
        Workload(
            "shared",
            f"shared prefix of {prefix}, 32 requests",
            Measure.REQUESTS,
            [common + tokens(sized(32)) for _ in range(32)],
            [sized(16)] * 32,
            shared=prefix,
        ),
        Workload(
            "context",
            f"context {context}, batch 4",
            Measure.DECODE,
            # Every engine computes the last tokens, because a cached prompt still needs its last logits.
            [tokens(context) for _ in range(4)],
            [sized(12, 4) + 1 + _UNCOUNTED_DECODE_STEPS] * 4,
            filled=context,
        ),
    ]


NAMES = tuple(workload.name for workload in standard(2))

"""`torchpaged bench serve`: vLLM's benchmark of a running server, with its metrics TTFT, TPOT, ITL and E2EL."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from torchpaged.errors import InputError
from torchpaged.tools import distributions
from torchpaged.tools.http_stream import HttpError, Server

_PATH = "/v1/completions"


@dataclass(slots=True)
class Answer:
    """One request's answer, as its client saw it.

    Args:
        input_len, output_len: tokens, as the server counts them.
        start: `time.perf_counter()` when the request was sent.
        arrivals: times of the events with text.
        end: time of the end of the stream.
        error: error message; None: the request succeeded.
    """

    input_len: int
    start: float = 0.0
    end: float = 0.0
    output_len: int = 0
    arrivals: list[float] = field(default_factory=list)
    error: str | None = None


@dataclass(slots=True)
class Load:
    """Results of one run of the benchmark."""

    answers: list[Answer]
    seconds: float
    model: str

    @property
    def done(self) -> list[Answer]:
        """The complete answers."""
        return [answer for answer in self.answers if answer.error is None and answer.arrivals]

    def times(self) -> dict[str, list[float]]:
        """Return seconds by vLLM's four names.

        The events of a stream may have several tokens: `ITL` is the time between two events.
        """
        done = self.done
        several = [answer for answer in done if answer.output_len > 1]
        return {
            "TTFT, to the first token": [each.arrivals[0] - each.start for each in done],
            "TPOT, per further token": [
                (each.arrivals[-1] - each.arrivals[0]) / (each.output_len - 1) for each in several
            ],
            "ITL, between two events": [later - earlier for each in done for earlier, later in pairwise(each.arrivals)],
            "E2EL, the whole request": [each.end - each.start for each in done],
        }

    def numbers(self) -> dict[str, Any]:
        """Return counts and rates, by vLLM's keys."""
        done = self.done
        generated, prompts = sum(each.output_len for each in done), sum(each.input_len for each in done)
        return {
            "model_id": self.model,
            "duration": self.seconds,
            "completed": len(done),
            "failed": len(self.answers) - len(done),
            "total_input_tokens": prompts,
            "total_output_tokens": generated,
            "request_throughput": len(done) / self.seconds,
            "output_throughput": generated / self.seconds,
            "total_token_throughput": (prompts + generated) / self.seconds,
        }

    def report(self, percentiles: list[float]) -> str:
        """Return the text for the screen."""
        numbers = self.numbers()
        rows = (
            ("model", numbers["model_id"]),
            ("successful requests", numbers["completed"]),
            ("failed requests", numbers["failed"]),
            ("duration, s", f"{self.seconds:.2f}"),
            ("input tokens", numbers["total_input_tokens"]),
            ("generated tokens", numbers["total_output_tokens"]),
            ("requests/s", f"{numbers['request_throughput']:.2f}"),
            ("output tokens/s", f"{numbers['output_throughput']:.2f}"),
            ("total tokens/s", f"{numbers['total_token_throughput']:.2f}"),
        )
        lines = [f"{name:<28}{value!s:>10}" for name, value in rows]
        return "\n".join([*lines, "", distributions.table(self.times(), percentiles)])

    def write(self, given: argparse.Namespace) -> None:
        """Write the JSON and the plot that the command line asks for."""
        times = self.times()
        if given.output_json is not None:
            result = {
                **self.numbers(),
                "seconds": {
                    name: distributions.summary(values, given.percentiles) for name, values in times.items() if values
                },
                "errors": [each.error for each in self.answers if each.error is not None],
                "command": sys.argv,
            }
            given.output_json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        if given.plot is not None:
            title = f"{self.model}: {len(self.done)} requests in {self.seconds:.1f} s"
            given.plot.write_text(distributions.plot(title, times), encoding="utf-8")


def bench_serve(given: argparse.Namespace, progress: Callable[[str], None]) -> Load:
    """Send random requests to a running server.

    Raises:
        InputError: there is no server, it has no such model, or it refuses the first request.
    """
    server = Server(given.base_url, given.api_key or os.environ.get("OPENAI_API_KEY"))
    return asyncio.run(_load(server, given, progress))


async def _load(server: Server, given: argparse.Namespace, progress: Callable[[str], None]) -> Load:
    try:
        listed = [card["id"] for card in (await server.json("/v1/models"))["data"]]
    except (OSError, HttpError, KeyError, TypeError) as error:
        raise InputError(
            f"bench serve: {given.base_url} does not answer as OpenAI's servers do: {error}; start one with torchpaged "
            "serve MODEL, and name it with --base-url"
        ) from None
    model = given.model or (listed[0] if listed else "")
    bodies = _bodies(given, model)
    for number in range(given.num_warmups):
        progress(f"warm-up {number + 1} of {given.num_warmups}")
        warm = Answer(0)
        await _ask(server, bodies[0], warm, given.request_timeout)
        if warm.error is not None:
            raise InputError(f"bench serve: the first request failed: {warm.error}")
    answers = [Answer(len(body["prompt"])) for body in bodies]
    places = asyncio.Semaphore(given.max_concurrency or len(bodies))
    draw, start, ended = random.Random(given.seed), time.perf_counter(), 0

    async def one(body: dict[str, Any], answer: Answer) -> None:
        nonlocal ended
        async with places:
            await _ask(server, body, answer, given.request_timeout)
        ended += 1
        if ended % max(1, len(bodies) // 10) == 0:
            progress(f"{ended} of {len(bodies)} requests have ended")

    tasks, due = [], start
    for body, answer in zip(bodies, answers, strict=True):
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(body, answer)))
        due += draw.expovariate(given.request_rate) if given.request_rate != float("inf") else 0.0
    await asyncio.gather(*tasks)
    return Load(answers, time.perf_counter() - start, model)


def _bodies(given: argparse.Namespace, model: str) -> list[dict[str, Any]]:
    """Return requests of random tokens, each of a random adapter if there are some; the same for the same seed."""
    draw, ratio = random.Random(given.seed), given.random_range_ratio
    weights = [number**-given.lora_zipf for number, _ in enumerate(given.lora_modules or [model], start=1)]
    models = random.Random(given.seed).choices(given.lora_modules or [model], weights, k=given.num_prompts)

    def length(middle: int) -> int:
        return max(1, round(middle * draw.uniform(1 - ratio, 1 + ratio)))

    return [
        {
            "model": each,
            "prompt": [draw.randrange(given.vocab_size) for _ in range(length(given.input_len))],
            "max_tokens": length(given.output_len),
            "temperature": 0,
            "ignore_eos": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        for each in models
    ]


async def _ask(server: Server, body: dict[str, Any], answer: Answer, timeout: float) -> None:
    """Send a request and fill in its answer, or its error."""
    answer.start = time.perf_counter()
    try:
        await asyncio.wait_for(_read(server, body, answer), timeout)
    except asyncio.TimeoutError:
        answer.error = f"no whole answer within {timeout:g} s"
    except (OSError, HttpError, ValueError) as error:
        answer.error = str(error) or type(error).__name__
    answer.end = time.perf_counter()


async def _read(server: Server, body: dict[str, Any], answer: Answer) -> None:
    counted = 0
    async for now, event in server.events(_PATH, body):
        if "error" in event:
            raise HttpError(str(event["error"].get("message", event["error"])))
        if event.get("choices"):
            answer.arrivals.append(now)
            counted += 1
        if usage := event.get("usage"):
            answer.input_len, answer.output_len = usage["prompt_tokens"], usage["completion_tokens"]
    answer.output_len = answer.output_len or counted
    if not answer.arrivals:
        raise HttpError("the stream ended without a token")

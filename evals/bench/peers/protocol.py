"""Protocol between a benchmark and a peer's process: a JSON line per call on standard input, one per result on stdout.

Needs only the standard library, because it runs in every peer's own environment.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, Protocol

Workload = dict[str, Any]  # `torchpaged.tools.workloads.Workload` as JSON
Settings = dict[str, Any]  # model, gguf, threads, max_model_len, kv_bytes, block_size


class Peer(Protocol):
    """An engine with its model loaded.

    Attributes:
        facts: versions and settings that belong in the result file.
    """

    facts: dict[str, Any]

    def run(self, workload: Workload) -> dict[str, Any]:
        """Run all requests of a workload.

        Returns: "token_ids" and "times" for each request: its tokens, and the time of each, in seconds after the first
            request was submitted.
        """
        ...


class Tokens:
    """Result of a run, gathered token by token."""

    def __init__(self, count: int) -> None:
        self.token_ids: list[list[int]] = [[] for _ in range(count)]
        self.times: list[list[float]] = [[] for _ in range(count)]

    def extend(self, index: int, token_ids: list[int], time: float) -> None:
        """Add tokens of a request that all arrived at one time."""
        self.token_ids[index] += token_ids
        self.times[index] += [time] * len(token_ids)

    def answer(self) -> dict[str, Any]:
        """Return the result as `Peer.run` does."""
        return {"token_ids": self.token_ids, "times": self.times}


def serve(make: Callable[[Settings], Peer]) -> None:
    """Build the peer from the settings in `sys.argv[1]` and answer calls until standard input ends.

    A call is {"run": workload}. The engine's own output goes to standard error.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        peer = make(json.loads(sys.argv[1]))
    except Exception as error:
        traceback.print_exc()
        say({"error": _line(error)})
        return
    say({"facts": peer.facts})
    for line in sys.stdin:
        try:
            say(peer.run(json.loads(line)["run"]))
        except Exception as error:
            traceback.print_exc()
            say({"error": _line(error)})


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"

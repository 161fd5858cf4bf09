"""SwapCost: what a block's way to the host and back costs, in tokens computed in that time; and what it is timed by."""

from __future__ import annotations

import math
import time
from collections import deque
from statistics import median

import torch

from torchpaged.kv_cache.block import CopyDirection
from torchpaged.ops import devices
from torchpaged.scheduling import Step

# A step that begins or goes on with prompts of so many tokens is bound by arithmetic, as recomputing is; one that
# decodes is bound by reading weights and caches, however many tokens it has.
_PREFILL = 64
# The middle of the last few: one alone may have compiled a kernel, or taken memory for the first time.
_LEAST, _MOST = 3, 9


class Stopwatch:
    """A `with` whose work is timed: the host's clock on the CPU, two events in the stream on CUDA.

    Between the events lies the work of this `with` alone, whatever else is under way when it is launched.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._begin = self._end = 0.0
        self._events: list[torch.cuda.Event] = []

    def __enter__(self) -> Stopwatch:
        self._stamp()
        self._begin = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self._end = time.perf_counter()
        self._stamp()

    def _stamp(self) -> None:
        if self._device.type == "cuda":
            with devices.current(self._device):
                event = torch.cuda.Event(enable_timing=True)
                event.record()
            self._events.append(event)

    def seconds(self) -> float | None:
        """What it took; None where that is not known without waiting."""
        if self._device.type != "cuda":
            return self._end - self._begin
        with devices.current(self._device):
            if len(self._events) < 2 or not self._events[1].query():
                return None
            milliseconds: float = self._events[0].elapsed_time(self._events[1])
            return milliseconds / 1e3


class SwapCost:
    """Learns from steps; says nothing before it has seen several that swap and several that compute prompts."""

    def __init__(self) -> None:
        self._per_block, self._per_token = _Typical(), _Typical()

    def learn(self, step: Step, forward_seconds: float | None, copy_seconds: float | None) -> None:
        """Takes what a step has measured, if the step tells anything and it was measured.

        Args:
            forward_seconds: of the forward.
            copy_seconds: of the step's copies.
        """
        # Copies within the device are faster than those that the choice is about.
        if step.copies and all(copy.direction is not CopyDirection.WITHIN for copy in step.copies):
            self._per_block.add(copy_seconds, len(step.copies))
        if sum(count for count in step.counts if count > 1) >= _PREFILL:
            self._per_token.add(forward_seconds, step.num_tokens)

    @property
    def recompute_per_block(self) -> float | None:
        """Tokens computed while one block moves to the host and back: `SequenceTable.recompute_per_block`."""
        block, token = self._per_block.value, self._per_token.value
        return None if block is None or token is None else 2 * block / token


class _Typical:
    """Seconds for one of something: the middle of what was measured last; None before there is enough."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_MOST)

    def add(self, seconds: float | None, count: int) -> None:
        if seconds is not None and 0 < seconds < math.inf:
            self._last.append(seconds / count)

    @property
    def value(self) -> float | None:
        return median(self._last) if len(self._last) >= _LEAST else None

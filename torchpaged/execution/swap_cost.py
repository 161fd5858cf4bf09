"""SwapCost: the cost of swapping a block out and in, in tokens computed in that time. Stopwatch measures it."""

from __future__ import annotations

import math
import time
from collections import deque
from statistics import median

import torch

from torchpaged.kv_cache.block import CopyDirection
from torchpaged.ops import devices
from torchpaged.scheduling import Step

# A step with this many prefill tokens is compute-bound, as recomputation is; decodes are bound by memory bandwidth,
# however many tokens they have.
_PREFILL = 64
# Fewest and most samples of the median. Single samples may include compiling a kernel or a first allocation.
_LEAST, _MOST = 3, 9


class Stopwatch:
    """Context manager that times its work: by the host's clock on the CPU, by two events in the stream on CUDA.

    The events enclose only this work, whatever else is in flight when it is launched.
    """

    def __init__(self, device: torch.device) -> None:
        self._device, self._on_cuda = device, device.type == "cuda"
        self._begin = self._end = 0.0
        self._events: list[torch.cuda.Event] = []

    def __enter__(self) -> Stopwatch:
        if self._on_cuda:
            self._stamp()
        self._begin = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self._end = time.perf_counter()
        if self._on_cuda:
            self._stamp()

    def _stamp(self) -> None:
        with devices.current(self._device):
            event = torch.cuda.Event(enable_timing=True)
            event.record()
        self._events.append(event)

    def seconds(self) -> float | None:
        """Return the seconds; None if they are not known without waiting."""
        if not self._on_cuda:
            return self._end - self._begin
        with devices.current(self._device):
            if len(self._events) < 2 or not self._events[1].query():
                return None
            milliseconds: float = self._events[0].elapsed_time(self._events[1])
            return milliseconds / 1e3


class SwapCost:
    """Cost of swapping relative to computing, learned from steps; unknown until several of both kinds have run."""

    def __init__(self) -> None:
        self._per_block, self._per_token = _Typical(), _Typical()

    def learn(self, step: Step, forward_seconds: float | None, copy_seconds: float | None) -> None:
        """Add a step's measurements, if it swaps or prefills.

        Args:
            step: the step.
            forward_seconds, copy_seconds: of its forward and its copies; None: not measured.
        """
        # Copies within the device are faster than swaps.
        if step.copies and all(copy.direction is not CopyDirection.WITHIN for copy in step.copies):
            self._per_block.add(copy_seconds, len(step.copies))
        if sum(count for count in step.counts if count > 1) >= _PREFILL:
            self._per_token.add(forward_seconds, step.num_tokens)

    @property
    def seconds_per_token(self) -> float | None:
        """Return the time in which a token of a prompt is computed, or None if unknown."""
        return self._per_token.value

    @property
    def recompute_per_block(self) -> float | None:
        """Return the tokens computed in the time that a block takes to the host and back, or None if unknown.

        `SequenceTable.recompute_per_block` uses it to choose between swapping and recomputing.
        """
        block, token = self._per_block.value, self._per_token.value
        return None if block is None or token is None else 2 * block / token


class _Typical:
    """Median of the last measurements, in seconds per unit; None before there are enough."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_MOST)

    def add(self, seconds: float | None, count: int) -> None:
        if seconds is not None and 0 < seconds < math.inf:
            self._last.append(seconds / count)

    @property
    def value(self) -> float | None:
        return median(self._last) if len(self._last) >= _LEAST else None

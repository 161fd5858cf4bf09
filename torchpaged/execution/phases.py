"""Phases of an engine's step as profiler spans. Without a profiler a span costs a fifth of a microsecond."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch.profiler import record_function

STEP = "torchpaged: step"
SCHEDULE = "torchpaged: schedule"
COPY = "torchpaged: copy"  # in steps that copy blocks
INPUTS = "torchpaged: inputs"
FORWARD = "torchpaged: forward"
SAMPLE = "torchpaged: sample"
UPDATE = "torchpaged: update"

# In the order in which a step goes through them.
PHASES = (SCHEDULE, COPY, INPUTS, FORWARD, SAMPLE, UPDATE)

_NOTHING = nullcontext()


def span(name: str, device: torch.device | None = None) -> AbstractContextManager[object]:
    """Record a phase under a name if a profiler runs.

    Args:
        name: of the phase.
        device: the span waits for this device at its end, so that a kernel's time counts for the phase that launched
            it; without a profiler nothing waits.
    """
    # record_function takes 7 us even without a profiler; asking for one takes 0.03 us.
    return _recorded(name, device) if torch.autograd._profiler_enabled() else _NOTHING


@contextmanager
def _recorded(name: str, device: torch.device | None) -> Generator[None]:
    with record_function(name):
        yield
        if device is not None and device.type == "cuda":
            torch.cuda.synchronize(device)

"""The phases of an engine's step, as spans that a profiler sees. Without one running a span costs a fifth of a us."""

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
    """What happens inside is recorded under a name, if a profiler runs.

    Args:
        device: the span waits for its work, so that a kernel's time counts where it was asked for; without a
            profiler nothing waits.
    """
    # record_function alone takes 7 us, whether anyone looks or not; to ask takes 0.03.
    return _recorded(name, device) if torch.autograd._profiler_enabled() else _NOTHING


@contextmanager
def _recorded(name: str, device: torch.device | None) -> Generator[None]:
    with record_function(name):
        yield
        if device is not None and device.type == "cuda":
            torch.cuda.synchronize(device)

"""The current CUDA device, where kernels are launched and events are recorded, wherever the tensors lie."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch

_NOTHING = nullcontext()


def current(device: torch.device) -> AbstractContextManager[object]:
    """Make a device the current one in a `with` block; on the CPU, or where it is current already, do nothing."""
    if device.type != "cuda" or device.index in (None, torch.cuda.current_device()):
        return _NOTHING
    return torch.cuda.device(device)

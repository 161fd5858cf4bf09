"""Which CUDA device is the current one: kernels are launched, and events recorded, there and not where tensors lie."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch

_NOTHING = nullcontext()


def current(device: torch.device) -> AbstractContextManager[object]:
    """Makes a device the current one for a while; on the CPU, and where it is that already, does nothing."""
    if device.type != "cuda" or device.index in (None, torch.cuda.current_device()):
        return _NOTHING
    return torch.cuda.device(device)

"""The current CUDA device, where kernels are launched and events are recorded, wherever the tensors lie."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

_NOTHING = nullcontext()


def current(device: torch.device) -> AbstractContextManager[object]:
    """Make a device the current one in a `with` block; on the CPU, or where it is current already, do nothing."""
    if device.type != "cuda" or device.index in (None, torch.cuda.current_device()):
        return _NOTHING
    return torch.cuda.device(device)


def with_first(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel during whose calls the first argument's device is the current one: Triton launches there."""

    @functools.wraps(kernel)
    def on_its_device(first: Tensor, *args: Any, **kwargs: Any) -> Any:
        with current(first.device):
            return kernel(first, *args, **kwargs)

    return on_its_device

"""The operators under torch.vmap: an error that says what to do instead. Owns the kernels on its dispatch key.

Without them torch would call an operator once for each example, or fail where one writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchpaged.errors import TransformError
from torchpaged.ops.operator import Operator

DISPATCH_KEY = "FuncTorchBatched"


def kernel(operator: Operator) -> Callable[..., Any]:
    """Return the kernel on an operator's key."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise TransformError(f"{operator.overload} has no batching rule for torch.vmap: {operator.vmap_with}")

    return refuse

"""The backends of the test grid, each as one function with the operators' Python signatures.

`reference` and `cpp` everywhere; `triton` in its interpreter, or on the GPU where there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchpaged.ops import library, reference

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def _python(functions: dict[str, Callable[..., None]]) -> Callable[..., Any]:
    """Return a backend's launchers, called as the registry calls them."""

    def call(overload: str, *args: Any, **kwargs: Any) -> Any:
        operator = next(op for op in library.OPERATORS if op.overload == overload)
        operator.check(overload, *args, **kwargs)
        return operator.run(functions[operator.name], *args, **kwargs)

    return call


def _cpp(overload: str, *args: Any, **kwargs: Any) -> Any:
    operator = next(op for op in library.OPERATORS if op.overload == overload)
    return operator.packet(library.NATIVE_NAMESPACE)(*args, **kwargs)


def call(backend: str) -> Callable[..., Any]:
    """Return a backend's call: `call("cpp")("paged_attention", query, ...)`, whatever the registry prefers."""
    if backend == "reference":
        return _python({name: getattr(reference, name) for name in library.NAMES})
    if backend == "cpp":
        return _cpp
    if DEVICE == "cuda":
        from torchpaged.ops import triton

        return _python(triton.LAUNCHERS)
    from tests.ops import triton_interpreter

    return _python(triton_interpreter.launchers())


def device(backend: str) -> str:
    """Return the device of a backend's tensors."""
    return DEVICE if backend == "triton" else "cpu"


BACKENDS = ("reference", "cpp", "triton")

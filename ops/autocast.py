"""The operators under torch.autocast: activations take the dtype of the cache or packed weight that they meet.

Owns the kernels on the Autocast dispatch keys. Without a cache or packed weight, arguments that must have one dtype
take the widest of theirs. Autocast leaves float64 and integers as they are, which the operator's own check then
refuses. Below an operator autocast is off: a backend in plain PyTorch keeps the accuracy of its matrix products.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import _C, Tensor

from torchpaged.ops.checks import FLOAT_DTYPES
from torchpaged.ops.operator import CastRule, Operator

DISPATCH_KEYS = ("AutocastCPU", "AutocastCUDA")
_HERE = _C.DispatchKeySet(_C.DispatchKey.AutocastCPU) | _C.DispatchKeySet(_C.DispatchKey.AutocastCUDA)


def kernel(operator: Operator, packet: Any) -> Callable[..., Any]:
    """Return the kernel on the Autocast keys of `packet`, the operator's overload in one namespace."""
    rule = operator.cast
    names = [argument.name for argument in packet._schema.arguments]

    def under_autocast(*args: Any, **kwargs: Any) -> Any:
        if rule is not None:
            named = _cast({**dict(zip(names, args, strict=False)), **kwargs}, rule)
            args = tuple(named[each] for each in names[: len(args)])
            kwargs = {each: named[each] for each in kwargs}
        with _C._ExcludeDispatchKeyGuard(_HERE):
            return packet(*args, **kwargs)

    return under_autocast


def _cast(named: dict[str, Any], rule: CastRule) -> dict[str, Any]:
    """Return the arguments by name, cast as the rule says."""
    followed = named[rule.follow] if rule.follow is not None else None
    if isinstance(followed, (list, tuple)):
        followed = followed[0] if followed else None
    kept = followed.dtype if followed is not None else None
    if kept not in FLOAT_DTYPES:
        dtypes = [named[each].dtype for each in rule.together if _may_be_cast(named[each])]
        kept = functools.reduce(torch.promote_types, dtypes) if dtypes else None
    if kept is None:
        return named
    cast = dict(named)
    for each in rule.together:
        if _may_be_cast(named[each]):
            cast[each] = named[each].to(kept)
    for each in rule.beside:
        if _may_be_cast(named.get(each)) and named[each].dtype != torch.float32:
            cast[each] = named[each].to(kept)
    return cast


def _may_be_cast(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype in FLOAT_DTYPES

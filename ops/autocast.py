"""The operators under torch.autocast: what is computed takes the dtype of what is kept.

Owns the kernels on the Autocast dispatch keys. Activations follow the cache, or the packed weight, that they meet;
where nothing is kept the arguments of one dtype take the widest of theirs. What autocast does not cast (float64,
integers) is left as it is, and refused by the operator's own check. Below an operator there is no autocast: a backend
in plain PyTorch keeps the accuracy of its matrix products.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import _C, Tensor

from torchpaged.ops.checks import FLOAT_DTYPES

DISPATCH_KEYS = ("AutocastCPU", "AutocastCUDA")
_HERE = _C.DispatchKeySet(_C.DispatchKey.AutocastCPU) | _C.DispatchKeySet(_C.DispatchKey.AutocastCUDA)


@dataclass(frozen=True, slots=True)
class Rule:
    """Which arguments of an operator are cast.

    Args:
        together: they get one dtype.
        follow: the argument whose dtype that is, or whose first tensor's; None, or where it has no float dtype: the
            widest of theirs.
        beside: they may have that dtype or be float32; else they get it.
    """

    together: tuple[str, ...]
    follow: str | None = None
    beside: tuple[str, ...] = ()


_ATTENTION = Rule(("query",), "key_cache", ("sinks",))
_SCAN = Rule(("x", "b", "c"), None, ("dt", "d", "dt_bias"))
# By operator; the others take each argument as it is.
RULES: Mapping[str, Rule] = {
    "paged_attention": _ATTENTION,
    "write_kv_cache": Rule(("key", "value"), "key_cache"),
    "merge_attention_states": Rule(("out_a", "out_b")),
    "causal_conv1d": Rule(("x",), "caches", ("weight", "bias")),
    "chunked_conv1d": Rule(("x",), "tail_cache", ("weight", "bias")),
    "gated_delta_rule": Rule(("query", "key", "value"), None, ("beta",)),
    "mamba2_scan": _SCAN,
    "linear_attention": Rule(("query", "key", "value")),
    "selective_scan": _SCAN,
    "packed_linear": Rule(("input",), "packed_weight", ("bias",)),
    "packed_grouped_linear": Rule(("input",), "packed_weights"),
    "rms_norm": Rule(("x",), None, ("weight",)),
    "add_rms_norm": Rule(("x", "residual"), None, ("weight",)),
    "rotary_embedding": Rule(("query", "key"), None, ("cos", "sin", "query_weight", "key_weight")),
    "silu_and_mul": Rule(("gate", "up")),
    "gelu_tanh_and_mul": Rule(("gate", "up")),
}


def kernel(name: str, packet: Any) -> Callable[..., Any]:
    """What stands on the Autocast keys of an operator.

    Args:
        name: of the operator, which its overloads share.
        packet: the operator overload.
    """
    rule = RULES.get(name)
    names = [argument.name for argument in packet._schema.arguments]

    def under_autocast(*args: Any, **kwargs: Any) -> Any:
        if rule is not None:
            named = _cast({**dict(zip(names, args, strict=False)), **kwargs}, rule)
            args = tuple(named[each] for each in names[: len(args)])
            kwargs = {each: named[each] for each in kwargs}
        with _C._ExcludeDispatchKeyGuard(_HERE):
            return packet(*args, **kwargs)

    return under_autocast


def _cast(named: dict[str, Any], rule: Rule) -> dict[str, Any]:
    """The arguments by name, some of them cast."""
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

"""The operators over DTensors: calls are cut among the ranks of a mesh so that no rank sends a message.

Attention and its caches are cut by KV heads, operators on rows by rows; all others run whole on each rank. A cache is
never moved to another placement, since writes to the moved copy would be lost. Importing this file registers the rules;
`torchpaged.integrations.transformers.registration` does so when `torch.distributed.tensor` is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from torchpaged.errors import TransformError
from torchpaged.ops import score_mods
from torchpaged.ops.library import NAMESPACE, NATIVE_NAMESPACE, OPERATORS
from torchpaged.ops.operator import Layout, Operator, Specs

# Arguments that stay where they lie: a moved copy would miss what is written, or cost as much memory as the cache.
_CACHES = {"key_cache", "value_cache", "index_cache", "src", "dst"}


def layouts(operator: Operator, specs: Specs, num_results: int) -> list[Layout]:
    """Return all ways to cut a call, the whole call on each rank first."""
    whole = Layout((None,) * num_results)
    return [whole] if operator.layouts is None else [whole, *operator.layouts(specs)]


def _rule(operator: Operator) -> Callable[..., Any]:
    names = [argument.name for argument in operator.arguments]
    num_results = len(operator.packet(NAMESPACE)._schema.returns)
    fixed = _CACHES | {argument.name for argument in operator.arguments if argument.is_write}

    def shardings(*args: Any, **kwargs: Any) -> list[tuple[list[Any], list[Any]]]:
        if operator.unsharded:
            raise _refusal(operator, operator.unsharded)
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        specs = {name: value for name, value in named.items() if hasattr(value, "placements")}
        mesh = next(iter(specs.values())).mesh
        if mesh.ndim != 1:
            raise _refusal(operator, f"is given a mesh of {mesh.ndim} dimensions, expected one of them: mesh['tp']")
        ways = layouts(operator, specs, num_results)
        if any(score_mods.uses_head(named, each) for each in ("score_mod", "mask_mod")):
            ways = ways[:1]  # a rank would count its own heads from 0
        for name in (each for each in specs if each in fixed):
            placement = specs[name].placements[0]
            allowed = dict.fromkeys(_placement(way.arguments.get(name)) for way in ways)
            ways = [way for way in ways if _placement(way.arguments.get(name)) == placement]
            if not ways:
                expected = " or ".join(map(repr, allowed))
                raise _refusal(operator, f"{name} is placed as {placement!r} and cannot be moved, expected {expected}")
            size = specs[name].shape[placement.dim] if isinstance(placement, Shard) else 0
            if size % mesh.size():
                what = "rows" if placement.dim == 0 else "heads"
                raise _refusal(operator, f"{name} has {size} {what}, expected a multiple of {mesh.size()}, the ranks")
        return [
            ([*map(_placement, way.results)], [_placement(way.arguments.get(name)) for name in specs]) for way in ways
        ]

    return shardings


def _placement(axis: int | None) -> Any:
    return Replicate() if axis is None else Shard(axis)


def _refusal(operator: Operator, why: str) -> TransformError:
    return TransformError(f"{operator.overload} over DTensors: {why}")


for _operator in OPERATORS:
    for _namespace in (NAMESPACE, NATIVE_NAMESPACE):
        register_sharding(_operator.packet(_namespace))(_rule(_operator))
        # torch keeps what a rule returned for the tensors and whole numbers of a call; here a name decides too.
        _info = DTensor._op_dispatcher.sharding_propagator.op_to_schema_info[_operator.packet(_namespace)]
        _names = [each.name for each in _operator.arguments if each.name in ("score_mod", "mask_mod")]
        _info.static_kwargkey = [*(_info.static_kwargkey or ()), *_names] or None

"""The operators over DTensors: how each may be cut among the ranks of a mesh, so that none of them has to talk.

Attention and its caches are cut by KV heads, what works on rows by rows, all others are whole on each rank. A cache is
never moved to where a call would have it: what was written to a copy would be lost. Importing this registers the rules;
`torchpaged.integrations.transformers.registration` does it when somebody imports `torch.distributed.tensor`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from torchpaged.errors import TransformError
from torchpaged.ops.library import NAMESPACE, NATIVE_NAMESPACE, OPERATORS, Operator

# The axis of heads, by argument; a scale's follows from its dimensions.
_HEADS = {
    **dict.fromkeys(("query", "key", "value", "out", "out_a", "lse_a", "out_b", "lse_b"), 1),
    **dict.fromkeys(("key_cache", "value_cache"), 2),
    **dict.fromkeys(("alibi_slopes", "sinks"), 0),
}
_SCALES = ("k_scale", "v_scale", "k_scale_cache", "v_scale_cache")
_AXIS_OF_SCALE = {1: 0, 3: 2}
_HEADS_OF_RESULTS = {
    "paged_attention": (1,),
    "paged_attention_with_lse": (1, 1),
    "merge_attention_states": (1, 1),
    "write_kv_cache": (),
    "gather_kv_cache": (2, 2),
}
# They are read or written where they lie.
_CACHES = {"key_cache", "value_cache", "src", "dst"}
_TAKES_A_LIST = "takes a list of tensors: call it with the local tensors of each rank, to_local()"
# What DTensor has no rules for.
_REFUSED = {
    "copy_blocks": _TAKES_A_LIST,
    "causal_conv1d": _TAKES_A_LIST,
    "paged_attention.out": "writes to `out` and returns nothing, of which DTensor knows no kind: call paged_attention",
}

Specs = Mapping[str, Any]  # of each tensor that is given, by the argument's name, what DTensor knows of it


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to cut a call: the axis of each result and argument that is cut, by the argument's name."""

    results: tuple[int | None, ...]
    arguments: Mapping[str, int] = field(default_factory=dict)


def _layouts(operator: Operator, specs: Specs, num_results: int) -> list[Layout]:
    """All ways, the whole call on each rank first."""
    name = operator.overload
    layouts = [Layout((None,) * num_results)]
    if name in _HEADS_OF_RESULTS:
        scales = {each: _AXIS_OF_SCALE.get(specs[each].ndim) for each in _SCALES if each in specs}
        heads = {**_HEADS, **{each: axis for each, axis in scales.items() if axis is not None}}
        layouts.append(Layout(_HEADS_OF_RESULTS[name], heads))
    elif name in ("rms_norm", "add_rms_norm", "packed_linear"):
        rows = "input" if name == "packed_linear" else "x"
        for axis in range(specs[rows].ndim - 1):
            layouts.append(Layout((axis,) * num_results, {rows: axis, "residual": axis}))
    elif name in ("silu_and_mul", "gelu_tanh_and_mul"):
        layouts += [Layout((axis,), {"gate": axis, "up": axis}) for axis in range(specs["gate"].ndim)]
    elif name == "rotary_embedding":
        layouts += _rotations(specs)
    elif name == "sample_tokens":
        layouts.append(Layout((0,), dict.fromkeys(specs, 0)))
    elif name == "packed_grouped_linear":
        layouts += [Layout((axis,), {"input": axis, "expert_of_row": axis}) for axis in range(specs["input"].ndim - 1)]
    elif name == "swap_blocks":
        layouts += [Layout((), {"src": axis, "dst": axis}) for axis in range(1, specs["src"].ndim)]
    return layouts


def _rotations(specs: Specs) -> list[Layout]:
    """By any axis of the rows, tokens or heads; the tables broadcast from behind, and are cut where they do not."""
    query, key, cos = (specs[name] for name in ("query", "key", "cos"))
    layouts = []
    for back in range(2, query.ndim + 1):
        axes = {"query": query.ndim - back, "key": key.ndim - back}
        if cos.ndim >= back and cos.shape[-back] != 1:
            axes.update(cos=cos.ndim - back, sin=cos.ndim - back)
        if min(axes.values()) >= 0:
            layouts.append(Layout((axes["query"], axes["key"]), axes))
    return layouts


def _rule(operator: Operator) -> Callable[..., Any]:
    names = [argument.name for argument in operator.arguments]
    num_results = len(operator.packet(NAMESPACE)._schema.returns)
    fixed = _CACHES | {argument.name for argument in operator.arguments if argument.is_write}

    def shardings(*args: Any, **kwargs: Any) -> list[tuple[list[Any], list[Any]]]:
        if operator.overload in _REFUSED:
            raise _refusal(operator, _REFUSED[operator.overload])
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        specs = {name: value for name, value in named.items() if hasattr(value, "placements")}
        mesh = next(iter(specs.values())).mesh
        if mesh.ndim != 1:
            raise _refusal(operator, f"is given a mesh of {mesh.ndim} dimensions, expected one of them: mesh['tp']")
        layouts = _layouts(operator, specs, num_results)
        for name in (each for each in specs if each in fixed):
            placement = specs[name].placements[0]
            ways = dict.fromkeys(_placement(layout.arguments.get(name)) for layout in layouts)
            layouts = [each for each in layouts if _placement(each.arguments.get(name)) == placement]
            if not layouts:
                expected = " or ".join(map(repr, ways))
                raise _refusal(operator, f"{name} is placed as {placement!r} and cannot be moved, expected {expected}")
            size = specs[name].shape[placement.dim] if isinstance(placement, Shard) else 0
            if size % mesh.size():
                raise _refusal(operator, f"{name} has {size} heads, expected a multiple of {mesh.size()}, the ranks")
        return [
            ([*map(_placement, layout.results)], [_placement(layout.arguments.get(name)) for name in specs])
            for layout in layouts
        ]

    return shardings


def _placement(axis: int | None) -> Any:
    return Replicate() if axis is None else Shard(axis)


def _refusal(operator: Operator, why: str) -> TransformError:
    return TransformError(f"{operator.overload} over DTensors: {why}")


for _operator in OPERATORS:
    for _namespace in (NAMESPACE, NATIVE_NAMESPACE):
        register_sharding(_operator.packet(_namespace))(_rule(_operator))

"""`python -m tests.ops.one_rank RANK STORE`: one of two ranks of tests/ops/test_sharding.py, with its comparisons.

Each rank compares its part with that of the operators over whole tensors, bit for bit.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
from torch import Tensor, distributed
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.utils._pytree import tree_leaves

from tests.ops.test_library import samples
from torchpaged import ops
from torchpaged.errors import TransformError
from torchpaged.ops import library, sharding

OPS = torch.ops.torchpaged


def cut(value: Any, mesh: DeviceMesh, axis: int | None = None) -> Any:
    """Distribute a tensor, or those of a list, among the ranks."""
    if isinstance(value, list):
        return [cut(each, mesh, axis) for each in value]
    if not isinstance(value, Tensor):
        return value
    return distribute_tensor(value, mesh, [sharding._placement(axis)], src_data_rank=None)


def same(found: Any, expected: Any) -> bool:
    """Return whether the DTensors among some values are this rank's parts of the others."""
    for part, value in zip(tree_leaves(found), tree_leaves(expected), strict=True):
        if isinstance(part, DTensor):
            (placement,) = part.placements
            if isinstance(placement, Shard):
                value = value.chunk(part.device_mesh.size(), placement.dim)[part.device_mesh.get_local_rank()]
            if not torch.equal(part.to_local().nan_to_num(), value.nan_to_num()):
                return False
    return True


def every_operator(mesh: DeviceMesh) -> dict[str, list[str]]:
    """Run each operator with each of its layouts; return the results' and the written tensors' placements."""
    done: dict[str, list[str]] = {}
    for operator in library.OPERATORS:
        call = operator.packet(library.NAMESPACE)
        names = [argument.name for argument in operator.arguments]

        def given(operator: library.Operator = operator) -> tuple[tuple[Any, ...], dict[str, Any]]:
            torch.manual_seed(0)
            return samples()[operator.overload]

        if operator.unsharded:
            args, kwargs = cut(list(given()[0]), mesh), {name: cut(each, mesh) for name, each in given()[1].items()}
            try:
                call(*args, **kwargs)
            except TransformError as error:
                done[operator.overload] = [str(error)]
            continue
        args, kwargs = given()
        specs = {n: v for n, v in {**dict(zip(names, args, strict=False)), **kwargs}.items() if isinstance(v, Tensor)}
        for layout in sharding.layouts(operator, specs, len(call._schema.returns)):
            args, kwargs = given()
            expected = call(*args, **kwargs)
            cuts = [cut(a, mesh, layout.arguments.get(n)) for n, a in zip(names, given()[0], strict=False)]
            named = {name: cut(each, mesh, layout.arguments.get(name)) for name, each in given()[1].items()}
            found = call(*cuts, **named)
            ways = ", ".join(str(each.placements[0]) for each in tree_leaves(found) if each is not None)
            assert same(found, expected), f"{operator.overload} as {ways}"
            assert same([cuts, named], [list(args), kwargs]), f"{operator.overload} as {ways}: what is written"
            done.setdefault(operator.overload, []).append(ways)
    return done


def step(query: Tensor, key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, *rest: Tensor) -> Tensor:
    """Run a layer's write and attention."""
    OPS.write_kv_cache(key, value, key_cache, value_cache, rest[0])
    out: Tensor = OPS.paged_attention(query, key_cache, value_cache, *rest[1:])
    return out


def layer() -> list[Tensor]:
    torch.manual_seed(1)
    rows = [torch.randn(5, heads, 16) for heads in (4, 2, 2)]
    ints = [torch.tensor(each, dtype=torch.int32) for each in ([[2, 1]], [5], [0, 5])]
    return [*rows, *(torch.zeros(4, 4, 2, 16) for _ in "kv"), torch.tensor([8, 9, 10, 11, 4]), *ints]


def compiled(mesh: DeviceMesh) -> str:
    """Compile a layer whose caches are cut by heads, as one graph; nothing is moved."""
    plain = layer()
    expected = step(*plain)
    axes = [1, 1, 1, 2, 2, None, None, None, None]
    cuts = [cut(each, mesh, axis) for each, axis in zip(layer(), axes, strict=True)]
    found = torch.compile(step, fullgraph=True, backend="aot_eager")(*cuts)
    assert same(found, expected) and same(cuts, plain)
    return str(found.placements[0])


def biased(mesh: DeviceMesh) -> str:
    """Run attention cut by heads, with the bias of each head."""
    query, _, _, key_cache, value_cache, _, *rest = layer()
    caches, bias = [torch.randn_like(each) for each in (key_cache, value_cache)], torch.randn(4, 6)
    expected = OPS.paged_attention(query, *caches, *rest, distance_bias=bias)
    cuts = [cut(query, mesh, 1), *(cut(each, mesh, 2) for each in caches), *(cut(each, mesh) for each in rest)]
    found = OPS.paged_attention(*cuts, distance_bias=cut(bias, mesh, 0))
    assert same(found, expected)
    return str(found.placements[0])


def modified(mesh: DeviceMesh) -> str:
    """Run attention cut by heads with a function of scores, and return the error for one that tells heads apart."""
    ops.register_score_mod("capped", lambda score, b, h, q_idx, kv_idx: torch.tanh(score))
    ops.register_score_mod("by-head", lambda score, b, h, q_idx, kv_idx: score + h)
    query, _, _, key_cache, value_cache, _, *rest = layer()
    caches = [torch.randn_like(each) for each in (key_cache, value_cache)]
    expected = OPS.paged_attention(query, *caches, *rest, score_mod="capped")
    cuts = [cut(query, mesh, 1), *(cut(each, mesh, 2) for each in caches), *(cut(each, mesh) for each in rest)]
    assert same(OPS.paged_attention(*cuts, score_mod="capped"), expected)
    try:
        OPS.paged_attention(*cuts, score_mod="by-head")
    except TransformError as error:
        return str(error)
    return "nothing"


def refused(mesh: DeviceMesh) -> list[str]:
    """Return the errors for an invalid cache placement, indivisible heads and rows, and a mesh of two dimensions."""
    says = []
    plane = init_device_mesh("cpu", (2, 1), mesh_dim_names=("dp", "tp"))
    odd = [torch.zeros(4, 4, 3, 16), torch.zeros(4, 4, 3, 16)]
    for caches, axis, where in ((layer()[3:5], 0, mesh), (odd, 2, mesh), (layer()[3:5], None, plane)):
        key = torch.randn(5, caches[0].shape[2], 16)
        given = [key, key, *caches, layer()[5]]
        axes = [None, None, axis, axis, None]
        if where is plane:
            cuts = [distribute_tensor(each, plane, [Replicate(), Replicate()], src_data_rank=None) for each in given]
        else:
            cuts = [cut(each, where, axis) for each, axis in zip(given, axes, strict=True)]
        try:
            OPS.write_kv_cache(*cuts)
        except TransformError as error:
            says.append(str(error))
    (out, x, lora_a, lora_b, slots, sizes), _ = samples()["lora_linear_add"]
    rows = [cut(each[:3], mesh, 0) for each in (out, x, slots)]
    try:
        OPS.lora_linear_add(*rows[:2], cut(lora_a, mesh), cut(lora_b, mesh), rows[2], sizes)
    except TransformError as error:
        says.append(str(error))
    return says


def report() -> dict[str, Any]:
    """Return this rank's results."""
    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("tp",))
    with torch.inference_mode():
        done: dict[str, Any] = {"operators": every_operator(mesh), "refused": refused(mesh), "biased": biased(mesh)}
        done["modified"] = modified(mesh)
    with torch.no_grad():
        done["compiled"] = compiled(mesh)
    return done


def main(rank: int, store: str) -> None:
    """Run over gloo."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    print(json.dumps(report()))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])

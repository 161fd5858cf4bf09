"""Stored graphs: JSON gives the same results in a later process."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchpaged.compiler.graph import Graph, storage_of
from torchpaged.compiler.stored_graph import NotStorable, read_graph, write_graph
from torchpaged.compiler.tracer import trace
from torchpaged.weights.tensor_file import DamagedFile, TensorFile, TensorWriter

WEIGHT = nn.Parameter(torch.randn(8, 8), requires_grad=False)


def _traced(forward: Any) -> Graph:
    with torch.inference_mode():
        return trace(forward, [{"x": torch.randn(n, 8)} for n in (3, 5)], ("x",))


def _again(traced: Graph, path: Path) -> Any:
    tensors = TensorWriter()
    stored = json.loads(json.dumps(write_graph(traced, tensors)))
    table = tensors.write(path, lambda: True)
    assert table is not None
    return read_graph(stored, TensorFile(path, json.loads(json.dumps(table))).tensors())


def _many(x: Tensor) -> Any:
    """Constants, sizes, dtypes, devices, tuples, infinite numbers, operators with several results."""
    low = torch.where(x > 0, x, -math.inf).softmax(-1).nan_to_num(0.0)
    a, b = (x @ WEIGHT).to(torch.bfloat16).split(4, dim=-1)
    mask = torch.ones(x.shape[0], 8, dtype=torch.bool, device="cpu").tril()
    return low.masked_fill(~mask, 0.0), torch.cat([a, b], -1).float().view(-1, 2, 4).permute(1, 0, 2), x.new_zeros(2)


def test_a_graph_that_was_stored_gives_the_same_results(tmp_path: Path) -> None:
    traced = _traced(_many)
    found = _again(traced, tmp_path / "file")
    for count in (1, 4, 9):
        x = torch.randn(count, 8)
        with torch.inference_mode():
            for one, other in zip(found(x), _many(x), strict=True):
                assert torch.equal(one, other) and one.dtype == other.dtype


def test_a_graph_that_writes_into_a_constant_is_refused() -> None:
    traced = _traced(lambda x: x @ WEIGHT)
    traced.mutated.add(storage_of(WEIGHT))
    with pytest.raises(NotStorable, match="writes into a constant"):
        write_graph(traced, TensorWriter())


def test_functions_of_others_are_refused() -> None:
    traced = _traced(lambda x: x * 2)
    (node,) = (each for each in traced.graph.nodes if each.target is torch.ops.aten.mul.Tensor)
    node.target = json.dumps
    with pytest.raises(NotStorable, match="dumps"):
        write_graph(traced, TensorWriter())


@pytest.mark.parametrize(
    "name",
    [
        "os system",
        "builtins eval",
        "torchpaged.cli main",
        "operator attrgetter",
        "operator methodcaller",
        "operator call",
        "torchpaged.compiler.linear_pass importlib",
        "op aten::from_file.default",  # it would make that file
        "op torchpaged_replay::load.default",
        "op load_library.default",
        "op aten::__class__.__name__",
    ],
)
def test_a_stored_graph_calls_nothing_else(name: str) -> None:
    stored = {"nodes": [["call_function", name, {"tuple": []}, {}]], "constants": {}}
    with pytest.raises(DamagedFile, match="calls"):
        read_graph(stored, [])


_CODE = "__import__('pathlib').Path({!r}).touch()"


@pytest.mark.parametrize("place", ["argument", "attribute", "constant", "method", "object"])
def test_a_stored_graph_runs_no_text_of_its_own(place: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    code, constants = _CODE.format(str(made)), {}
    call: list[Any] = ["call_function", "op aten::relu.default", {"tuple": [{"node": 0}]}, {}]
    nodes = [["placeholder", "x", {"tuple": []}, {}], call, ["output", "output", {"tuple": [{"node": 1}]}, {}]]
    if place == "argument":
        call[3] = {f"a={code}, b": 1}
    elif place == "method":
        nodes[1] = ["call_method", "numpy", {"tuple": [{"node": 0}]}, {}]
    elif place == "object":
        call[2]["tuple"].append({"torch": "load"})
    else:
        name = f"training or {code}"
        nodes[0] = ["get_attr", name, {"tuple": []}, {}]
        constants = {name: 0} if place == "constant" else {}
    with pytest.raises(DamagedFile):
        read_graph({"nodes": nodes, "constants": constants}, [torch.zeros(1)])(torch.zeros(1))
    assert not made.exists()

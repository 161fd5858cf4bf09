"""Calls of adapters in traced graphs: merged with their products, and without a trace in steps that have none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.compiler.test_optimize import build
from torchpaged.compiler.adapter_pass import adapted_modules, copy_shared_results
from torchpaged.compiler.graph import Graph
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.tracer import trace
from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.integrations.transformers import adapter
from torchpaged.models.attention_metadata import StepAdapters, StepMetadata
from torchpaged.models.layer_calls import adapt_layer
from torchpaged.ops import cpu
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight

needs_kernels = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="no fast kernels here: ops.cpu.isa()")
SIZES = {"q": (8, 6), "k": (4, 6), "v": (4, 6), "o": (6, 8)}


def adapters(slots: list[int], merged: list[tuple[str, ...]], seed: int = 0) -> tuple[StepAdapters, AdapterSlots]:
    """Return the adapters of a step, with one of rank 2 in slot 1."""
    pools = AdapterSlots(SIZES, 2, 2, 3, torch.float32, torch.device("cpu"), merged)
    generator = torch.Generator().manual_seed(seed)

    def weight(outputs: int, inputs: int) -> LoraWeight:
        a, b = (torch.randn(shape, generator=generator) for shape in ((2, inputs), (outputs, 2)))
        return LoraWeight(a, b, 0.5)

    for names in (("q",), SIZES):
        assert pools.load(LoraAdapter.of({name: weight(*SIZES[name]) for name in names})) is not None
    return StepAdapters(torch.tensor(slots, dtype=torch.int32), pools.pools), pools


class Layer(nn.Module):
    """Three linear modules of one input, whose results are used apart, and one behind them."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linears = nn.ModuleDict({name: nn.Linear(inputs, outputs) for name, (outputs, inputs) in SIZES.items()})

    def forward(self, x: Tensor, step: Any) -> Tensor:
        def call(name: str, x: Tensor) -> Tensor:
            out = self.linears[name](x)
            return adapt_layer(out, x, step, (name,)) if isinstance(step, StepMetadata) else step.adapt(out, x, name)

        q, k, v = (call(name, x) for name in "qkv")
        return call("o", torch.cat([k, v], dim=-1) * q)


def expected(layer: Layer, x: Tensor, slots: list[int], pools: AdapterSlots) -> Tensor:
    """Return the layer's result row by row, with merged weights."""
    rows = []
    for row, slot in zip(x, slots, strict=True):
        weights = {name: each.weight.detach().clone() for name, each in layer.linears.items()}  # type: ignore[union-attr]
        if slot >= 0:
            for name in SIZES:
                rank = int(pools.ranks[name][slot])
                weights[name] += pools.lora_b[name][slot, :rank].T @ pools.lora_a[name][slot, :rank]

        def call(name: str, x: Tensor, weights: Mapping[str, Tensor] = weights) -> Tensor:
            bias: Any = layer.linears[name].bias
            return nn.functional.linear(x, weights[name], bias)

        q, k, v = (call(name, row) for name in "qkv")
        rows.append(call("o", torch.cat([k, v]) * q))
    return torch.stack(rows)


def traced_layer(layer: Layer) -> Graph:
    inputs = [{"x": torch.randn(count, 6), "step": None} for count in (7, 17)]
    with torch.no_grad():
        return trace(layer.forward, inputs, ("x",))


@pytest.mark.parametrize("merged", [[], [("q", "k", "v")], [("k", "v"), ("o",)]])
@torch.inference_mode()
def test_merged_calls_add_each_module_s_adapter(merged: list[tuple[str, ...]]) -> None:
    """Whatever modules have a pool in common, and whether the graph merges the same ones."""
    layer = Layer()
    graph = traced_layer(layer)
    assert adapted_modules(graph) == [("q",), ("k",), ("v",), ("o",)]
    assert rewrite(graph)["adapter"] == 3
    assert adapted_modules(graph) == [("q", "k", "v"), ("o",)]
    slots = [1, -1, 0, 1, -1]
    of_step, pools = adapters(slots, merged)
    x = torch.randn(5, 6)
    step = StepMetadata([], [], [], adapters=of_step)
    wanted = expected(layer, x, slots, pools)
    torch.testing.assert_close(graph.run(x, step), wanted)
    torch.testing.assert_close(layer(x, step), wanted)
    assert torch.equal(graph.run(x, StepMetadata([], [], [])), layer(x, StepMetadata([], [], [])))


class Twice(nn.Module):
    """A product that is used with an adapter and without one."""

    def __init__(self) -> None:
        super().__init__()
        self.q = nn.Linear(6, 8, bias=False)

    def forward(self, x: Tensor, step: Any) -> Tensor:
        out = self.q(x)
        adapted = adapt_layer(out, x, step, ("q",)) if isinstance(step, StepMetadata) else step.adapt(out, x, "q")
        return torch.cat([adapted, self.q(x)], dim=-1)


@torch.inference_mode()
def test_a_product_that_others_use_is_copied() -> None:
    """Equal products become one, and the operator must not write into what others read."""
    module = Twice()
    graph = trace(module.forward, [{"x": torch.randn(count, 6), "step": None} for count in (7, 17)], ("x",))
    rewrite(graph)
    of_step, _ = adapters([1, 0, -1], [])
    x = torch.randn(3, 6)
    found = graph.run(x, StepMetadata([], [], [], adapters=of_step))
    torch.testing.assert_close(found[:, 8:], module.q(x))
    assert not torch.allclose(found[:2, :8], found[:2, 8:])
    before = len(graph.graph.nodes)
    copy_shared_results(graph)
    assert len(graph.graph.nodes) == before


MERGED = {
    "llama": [("q_proj", "k_proj", "v_proj"), ("o_proj",), ("gate_proj", "up_proj"), ("down_proj",)],
    "qwen3": [("q_proj", "k_proj", "v_proj"), ("o_proj",), ("gate_proj", "up_proj"), ("down_proj",)],
    "gpt_neox": [("query_key_value",), ("dense",), ("dense_h_to_4h",), ("dense_4h_to_h",)],
    "phi3": [("qkv_proj",), ("o_proj",), ("gate_up_proj",), ("down_proj",)],
}


@needs_kernels
@pytest.mark.parametrize("kind", MERGED)
def test_products_of_real_layers(kind: str) -> None:
    """All layers are merged alike, and the rewrites of the base model are those of a model without adapters."""
    model = adapter.wrap(build(kind), "bfloat16")
    model.weights.accept_adapters()
    model.weights.optimize()
    assert model.weights.report is not None and model.weights.report.reason is None
    merged = model.weights.merged_linears
    names = [tuple(name.rpartition(".")[2] for name in names) for names in merged]
    assert names == MERGED[kind] * 2
    layers = [{name.split(".")[2] for name in names} for names in merged]
    assert layers == [{"0"}] * 4 + [{"1"}] * 4
    plain = adapter.wrap(build(kind), "bfloat16")
    plain.weights.optimize()
    assert plain.weights.report is not None
    found, own = (dict(each.weights.report.rewrites) for each in (model, plain))  # type: ignore[union-attr]
    assert found.pop("adapter") == sum(len(each) for each in MERGED[kind] if len(each) > 1) * 2
    assert own.pop("adapter") == 0
    assert found == own

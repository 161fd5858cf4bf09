"""Layers of one kind are traced once, and the logits keep the bits of the model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.models.qwen3.modeling_qwen3 import Qwen3DecoderLayer

from tests import models
from torchpaged.compiler import layer_dedup, optimize
from torchpaged.compiler.layer_dedup import RepeatedLayers
from torchpaged.integrations.transformers import adapter


def model(kind: str = "qwen3", **settings: Any) -> adapter.TransformersModel:
    return adapter.wrap(models.build(kind, num_hidden_layers=5, initializer_range=0.05, **settings), "bfloat16")


def first_of_kind(module: nn.Module, cache_spec: Callable[[int], Any] = lambda index: None) -> list[int]:
    return RepeatedLayers(module, cache_spec)._first


def test_one_layer_of_a_kind_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layer 0 is called at two sizes; all layers only in the two steps that the traced graph is compared with."""
    paged, own, calls = model(), Qwen3DecoderLayer.forward, []

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(self.self_attn.layer_idx)
        return own(self, *args, **kwargs)

    monkeypatch.setattr(Qwen3DecoderLayer, "forward", forward)
    paged.weights.optimize()
    assert paged.weights.report is not None and paged.weights.report.reason is None
    assert paged.weights.report.rewrites["rotary_embedding"] == 5 and paged.weights.report.rewrites["linear"] == 36
    assert sorted(calls) == sorted([0, 0, *range(5), *range(5)])


def test_products_are_computed_for_one_layer_of_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products are most of the work. Other operators are computed for each layer, with its own constants."""
    paged, counts, own = model(), list[int](), optimize.inline_repeats
    monkeypatch.setattr(layer_dedup, "_LARGE", 1 << 10)

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            counts[-1] += func is torch.ops.aten.linear.default
            return func(*args, **(kwargs or {}))

    def counting(*args: Any) -> None:
        counts.append(0)
        with Counting():
            own(*args)

    monkeypatch.setattr(optimize, "inline_repeats", counting)
    paged.weights.optimize()
    assert counts == [0] and paged.weights.report is not None and paged.weights.report.reason is None


def test_interleaved_kinds_of_layers() -> None:
    kinds = ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"]
    paged = model("gemma3_text", layer_types=kinds, sliding_window=7)
    assert first_of_kind(paged.model) == [0, 0, 2, 0, 2]
    paged.weights.optimize()
    assert paged.weights.report is not None and paged.weights.report.reason is None


def _hook(layer: Any) -> None:
    layer.mlp.register_forward_hook(lambda *_: None)


def _wider(layer: Any) -> None:
    layer.mlp.up_proj.weight = nn.Parameter(torch.zeros(3, 3))


CHANGES: dict[str, Callable[[Any], object]] = {
    "a number": lambda layer: setattr(layer.self_attn, "scaling", 0.3),
    "a size": _wider,
    "a dtype": lambda layer: layer.input_layernorm.half(),
    "a hook": _hook,
    "another module": lambda layer: setattr(layer, "mlp", nn.Identity()),
    "a setting more": lambda layer: setattr(layer.mlp, "twist", 1),
    "a forward of its own": lambda layer: setattr(layer.mlp, "forward", lambda x: x),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_layer_is_of_another_kind(change: str) -> None:
    own = models.build("qwen3", num_hidden_layers=3)
    CHANGES[change](own.model.layers[1])
    assert first_of_kind(own) == [0, 1, 0]


def test_layers_with_different_cache_specs_are_of_different_kinds() -> None:
    """The compared steps may be shorter than a window, and then do not show it."""
    own = models.build("qwen3", num_hidden_layers=3)
    assert first_of_kind(own, lambda index: index == 2) == [0, 0, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # A layer computes with its index, which RepeatedLayers ignores.
        (lambda layer, x: x * (1 + layer.self_attn.layer_idx), "_Rejected: traced, it gives other logits"),
        (lambda layer, x: x.add_(1), "NotTraceable: its layers write into tensors"),
    ],
    ids=["a difference that is not compared", "a write"],
)
def test_other_layers_are_traced_one_by_one(
    change: Callable[[Any, torch.Tensor], torch.Tensor],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    own = Qwen3DecoderLayer.forward

    def forward(self: Any, hidden_states: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return change(self, own(self, hidden_states, *args, **kwargs))

    monkeypatch.setattr(Qwen3DecoderLayer, "forward", forward)
    paged = model()
    with caplog.at_level(logging.INFO, "torchpaged.compiler.optimize"):
        paged.weights.optimize()
    assert paged.weights.report is not None and paged.weights.report.reason is None
    assert f"each layer is traced by itself: {message}" in caplog.text

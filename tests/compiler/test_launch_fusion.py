"""`fuse_launches`: a layer's operators in the rewritten graph, and logits near the model's, for kinds of layers."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.compiler.test_optimize import build
from torchpaged import LLM, SamplingParams
from torchpaged.compiler import optimize
from torchpaged.compiler.optimize import Optimized
from torchpaged.compiler.product_cache import CachedProducts
from torchpaged.integrations.transformers import weights
from torchpaged.models.layer_calls import attend_rotated_layer
from torchpaged.utils import environment

SETTINGS: dict[str, Any] = {"device": "cpu", "num_blocks": 40, "max_num_seqs": 4, "max_model_len": 128}


def fused(kind: str) -> Optimized:
    """Return what a model becomes. Logits are compared with the model's on the way."""
    model: Any = LLM(build(kind).to(torch.bfloat16), optimize=False, **SETTINGS).engine.model
    made = optimize.fuse_launches(model.weights._parts, model.spec)
    assert isinstance(made, Optimized), made.reason
    return made


@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3"])
def test_a_layer_of_few_launches(kind: str) -> None:
    """All products of a layer carry its norms, gate and sums."""
    rewrites = fused(kind).report.rewrites
    layers = rewrites["rotate_and_write"]
    assert layers and rewrites["residual"] == rewrites["norm"] == 2 * layers
    assert rewrites["gate"] == layers and rewrites["products"] == 0


@pytest.mark.parametrize(
    "kind",
    ["gemma2", "qwen3_moe", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("phi3", "gpt2", "deepseek_v3"))],
)
def test_layers_that_match_in_part(kind: str) -> None:
    """Norms behind products, experts, weights that are fused already, no rotation, latents."""
    made = fused(kind)
    rewrites = made.report.rewrites
    assert (rewrites["rotate_and_write"] > 0) == (kind not in ("gpt2", "deepseek_v3"))
    assert (rewrites["gate"] > 0) == (kind in ("gemma2", "deepseek_v3"))


def test_an_engine_that_was_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner takes the rewritten forward, compiled as one graph, and the same tokens come out."""
    model, prompts = build("qwen3").float(), [[1, 2, 3, 4, 5], [7, 8]]
    params = SamplingParams(temperature=0.0, max_tokens=12, ignore_eos=True)

    def tokens(**settings: Any) -> list[list[int]]:
        outputs = LLM(model, **SETTINGS, **settings).generate(prompts, params, use_tqdm=False)
        return [list(each.outputs[0].token_ids) for each in outputs]

    expected = tokens(optimize=False)
    seen, asked = list[Any](), list[bool]()
    monkeypatch.setenv(environment.FUSED_STEP, "1")

    def instead(self: Any, float32: bool, few_launches: bool, region: Any) -> Any:
        asked.append(few_launches)
        seen.append(optimize.fuse_launches(self._parts, self._spec))
        return seen[-1]

    monkeypatch.setattr(weights.TransformersWeights, "_optimized", instead)
    assert tokens(compile=True, compile_backend="eager") == expected
    assert asked == [True] and isinstance(seen[0], Optimized) and seen[0].report.rewrites["rotate_and_write"] > 0


def test_heads_that_the_launch_does_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are rotated and written by the operators apart, with the same bits on the CPU."""
    from torchpaged.models import layer_calls

    model: Any = LLM(build("llama"), optimize=False, **SETTINGS).engine.model
    check = optimize._Check(model.weights._parts, model.spec, CachedProducts(model.weights.module))
    made = optimize.fuse_launches(model.weights._parts, model.spec)
    assert isinstance(made, Optimized)
    together = check._logits((made.forward, made.logits))
    monkeypatch.setattr(layer_calls, "can_rotate_and_write", lambda *_: False)
    apart = check._logits((made.forward, made.logits))
    assert attend_rotated_layer.__module__ == layer_calls.__name__
    assert all(map(torch.equal, together, apart))

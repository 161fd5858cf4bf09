"""Faked and cached products have the shapes, dtypes, errors and values that their callers rely on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, SamplingParams
from torchpaged.compiler.product_cache import CachedProducts, FakeProducts
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.weights.packed_linear import PackedLinear

DECODERS = [kind for kind in SUPPORTED if "cross" not in FAMILIES[kind].attention]
QUICK = ("qwen3", "gpt2", "qwen3_moe")
FAMILIES_OF_TESTS = [pytest.param(kind, marks=() if kind in QUICK else pytest.mark.long) for kind in DECODERS]
DTYPES = [torch.float32, torch.bfloat16]


class Weights(nn.Module):
    """A weight in each form that models multiply with."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.dense = nn.Linear(8, 20, dtype=dtype)
        self.conv = nn.Parameter(torch.randn(8, 20, dtype=dtype))  # GPT-2's
        self.experts = nn.Parameter(torch.randn(3, 8, 20, dtype=dtype))
        self.packed = PackedLinear(torch.randint(-127, 127, (20, 8), dtype=torch.int8), None, torch.rand(20), dtype)


CALLS: dict[str, Callable[[Weights, Tensor], Tensor]] = {
    "linear": lambda own, x: own.dense(x),
    "wider": lambda own, x: own.dense(x[None])[0],
    "matmul": lambda own, x: x @ own.conv,
    "addmm": lambda own, x: torch.addmm(own.dense.bias, x, own.conv),
    "bmm": lambda own, x: torch.bmm(x.expand(3, *x.shape), own.experts)[1],
    "slice": lambda own, x: nn.functional.linear(x, own.experts[2].T),
    "packed": lambda own, x: own.packed(x),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@torch.inference_mode()
def test_a_fake_product_is_made_of_its_rows(call: Callable[[Weights, Tensor], Tensor], dtype: torch.dtype) -> None:
    own, x = Weights(dtype), torch.randn(5, 8, dtype=dtype)
    real = call(own, x)
    with FakeProducts(own):
        found, other = call(own, x), call(Weights(dtype), x)
    assert (found.shape, found.dtype) == (real.shape, real.dtype) and other.shape == real.shape
    assert torch.equal(found, x[:, torch.arange(20) % 8])
    assert not torch.equal(other, found), "another module's weight"


@torch.inference_mode()
def test_sizes_that_do_not_match_raise_the_operators_error() -> None:
    own, wide = Weights(), torch.randn(5, 9)
    with FakeProducts(own):
        for call in CALLS.values():
            with pytest.raises((RuntimeError, ValueError), match=r"(8|must match|shape|size)"):
                call(own, wide)
        with pytest.raises(RuntimeError, match="dtype"):
            own.dense(torch.randn(5, 8, dtype=torch.bfloat16))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@torch.inference_mode()
def test_a_product_is_computed_once(call: Callable[[Weights, Tensor], Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    own, x = Weights(), torch.randn(5, 8)
    real, products = call(own, x), CachedProducts(own)
    with products:
        first = call(own, x)
        assert torch.equal(first, real)
        first.zero_()  # the caller may write into a result
        for each in (own.dense.weight, own.conv, own.experts, own.packed.packed_weight):
            each.zero_()
        x = x.clone()
        assert torch.equal(call(own, x), real), "it was computed again"
        other = x.clone()
        other[4, 7] += 1
        assert not torch.equal(call(own, other), real), "of other rows"
        assert not torch.equal(call(own, x[:4]), real[:4])
        assert torch.equal(call(own, x), real)


@torch.inference_mode()
def test_products_with_different_weights_are_cached_apart() -> None:
    own = Weights()
    x = torch.randn(5, 8)
    with CachedProducts(own):
        found = [nn.functional.linear(x, each.T) for each in own.experts]
        found.append(nn.functional.linear(x, own.experts[0].T, own.dense.bias))
    expected = [x @ each for each in own.experts]
    expected.append(expected[0] + own.dense.bias)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", FAMILIES_OF_TESTS)
def test_fake_products_give_the_same_spec(kind: str) -> None:
    """The spec of an owned model, found with fake products, is that of an instance, found with real ones."""
    model = models.build(kind, **SPECIAL.get(kind, {}))
    own = adapter.adapt(models.build(kind, **SPECIAL.get(kind, {})))
    assert adapter.adapt(model, owned=True).spec == own.spec


@pytest.mark.parametrize("kind", FAMILIES_OF_TESTS)
def test_a_folder_gives_the_tokens_of_its_instance(kind: str, tmp_path: Path) -> None:
    """The folder is loaded with fake and cached products, the instance with real ones."""
    model = models.build(kind, **SPECIAL.get(kind, {}))
    model.to(torch.bfloat16).save_pretrained(tmp_path)
    options: dict[str, Any] = {"num_blocks": 64, "block_size": 4}
    instance = type(model).from_pretrained(tmp_path, dtype=torch.bfloat16)
    engines = [LLM(tmp_path, skip_tokenizer_init=True, **options), LLM(instance, **options)]
    params = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True)
    tokens = [
        [output.outputs[0].token_ids for output in llm.generate(models.prompts((19, 4, 11)), params, use_tqdm=False)]
        for llm in engines
    ]
    assert tokens[0] == tokens[1]
    loaded, own = (llm.engine.model.weights.report for llm in engines)
    assert (loaded.reason, loaded.rewrites) == (own.reason, own.rewrites)

"""Faked, reduced and cached products have the shapes, dtypes, errors and values that their callers rely on."""

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
from torchpaged.compiler.product_cache import CachedProducts, FakeProducts, ReducedProducts
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.weights.packed_linear import PackedLinear

DECODERS = [kind for kind in SUPPORTED if not {"cross", "bidirectional"} & set(FAMILIES[kind].attention)]
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


@pytest.mark.parametrize("mode", [FakeProducts, ReducedProducts])
@torch.inference_mode()
def test_sizes_that_do_not_match_raise_the_operators_error(mode: type[FakeProducts | ReducedProducts]) -> None:
    own, wide = Weights(), torch.randn(5, 9)
    with mode(own):
        for call in CALLS.values():
            with pytest.raises((RuntimeError, ValueError), match=r"(8|must match|shape|size)"):
                call(own, wide)
        with pytest.raises(RuntimeError, match="dtype"):
            own.dense(torch.randn(5, 8, dtype=torch.bfloat16))


class Wide(nn.Module):
    """Weights that are wider than what a reduced product reads."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(48, 40, dtype=dtype))
        self.bias = nn.Parameter(torch.randn(48, dtype=dtype))
        self.experts = nn.Parameter(torch.randn(3, 48, 40, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@torch.inference_mode()
def test_a_reduced_product_is_that_of_a_corner_whatever_multiplies(dtype: torch.dtype) -> None:
    own, x = Wide(dtype), torch.randn(5, 40, dtype=dtype)
    corner = x[:, :16] @ own.weight[:16, :16].T
    expected = (x + corner[:, torch.arange(40) % 16])[:, torch.arange(48) % 40]
    with ReducedProducts(own):
        plain = nn.functional.linear(x, own.weight)
        others = {
            "matmul": x @ own.weight.T,
            "mm": torch.mm(x, own.weight.T),
            "left": (own.weight @ x.T).T,
            "batch": nn.functional.linear(x[None], own.weight)[0],
            "bmm": torch.bmm(x[None], own.weight.T[None])[0],
            "left bmm": torch.bmm(own.weight[None], x.T[None])[0].T,
        }
        with_bias = [nn.functional.linear(x, own.weight, own.bias), torch.addmm(own.bias, x, own.weight.T)]
        turned = nn.functional.linear(x[:, :40], own.weight[:40].T)
    rounding = 0.1 if dtype == torch.bfloat16 else 1e-4
    torch.testing.assert_close(plain, expected, rtol=rounding, atol=rounding)
    for name, found in others.items():
        assert found.shape == plain.shape and found.dtype == dtype
        torch.testing.assert_close(found, plain, msg=name)
    for found in with_bias:
        torch.testing.assert_close(found, plain + own.bias)
    assert not torch.allclose(turned, plain[:, :40]), "the transposed weight"


@torch.inference_mode()
def test_a_reduced_product_depends_on_the_corner_alone() -> None:
    own, x = Wide(torch.float32), torch.randn(5, 40)
    with ReducedProducts(own):
        before = nn.functional.linear(x, own.weight)
        own.weight[20:] += 1
        own.weight[:, 20:] += 1
        assert torch.equal(nn.functional.linear(x, own.weight), before)
        own.weight[3, 5] += 1
        assert not torch.equal(nn.functional.linear(x, own.weight), before)


@torch.inference_mode()
def test_reduced_products_of_experts_are_those_of_each() -> None:
    """Rows behind the last expert are zero, as torch leaves them."""
    own, x = Wide(torch.bfloat16), torch.randn(9, 40, dtype=torch.bfloat16)
    ends = torch.tensor([2, 2, 8], dtype=torch.int32)
    with ReducedProducts(own):
        found = torch._grouped_mm(x, own.experts.transpose(1, 2), ends)
        parts = [nn.functional.linear(x[a:b], own.experts[i]) for i, (a, b) in enumerate([(0, 2), (2, 2), (2, 8)])]
    torch.testing.assert_close(found[:8], torch.cat(parts))
    assert found.shape == (9, 48) and not found[8].any()


@torch.inference_mode()
def test_a_reduced_packed_product_depends_on_codes_and_scales() -> None:
    own, x = Weights(), torch.randn(5, 8)
    with ReducedProducts(own):
        first = own.packed(x)
        assert first.shape == (5, 20) and torch.equal(own.packed(x.clone()), first)
        assert not torch.equal(own.packed(x + 1), first)
        own.packed.weight_scale.mul_(2)
        second = own.packed(x)
        own.packed.packed_weight.view(torch.uint8).flatten()[0] += 1
        assert not torch.equal(second, first) and not torch.equal(own.packed(x), second)


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

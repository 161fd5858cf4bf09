"""`batch_invariant=True` on a GPU: every token and logprob is the same however a request is scheduled."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError

pytestmark = pytest.mark.gpu
SETTINGS: dict[str, Any] = {"block_size": 16, "num_blocks": 400, "max_model_len": 256, "batch_invariant": True}
# Attention with a norm of heads, a window, biases and tied weights, positions by ALiBi, a transposed weight.
FAMILIES = ("llama", "qwen3", "gemma2", "gpt2", "bloom", "phi3")
SHAPES: dict[str, dict[str, Any]] = {"gpt2": {"n_layer": 2, "n_embd": 128, "n_head": 4}}
PARAMS = [
    SamplingParams(temperature=0.0, max_tokens=24, ignore_eos=True, logprobs=3),
    SamplingParams(temperature=0.8, top_p=0.9, seed=7, max_tokens=24, ignore_eos=True, logprobs=3),
]
ALONE = (0, 9, 31)


def build(kind: str) -> Any:
    sizes = {"num_hidden_layers": 2, "hidden_size": 256, "head_dim": 64, "intermediate_size": 768}
    sizes |= SPECIAL.get(kind, {}) | {"vocab_size": 1000, "initializer_range": 0.1}
    return models.build(kind, **SHAPES.get(kind, sizes))


def texts_of(vocab_size: int) -> list[list[int]]:
    """Return 32 prompts, whose lengths cross borders of blocks and tiles; the first ten begin alike."""
    prompts = models.prompts([1 + 5 * i % 70 for i in range(32)], vocab_size)
    return [prompts[31][:40] + text if i < 10 else text for i, text in enumerate(prompts)]


def results(llm: LLM, places: Any = range(32)) -> list[Any]:
    """Return (tokens, logprobs) of the prompts at these places, in one call."""
    texts = texts_of(llm.engine.model.spec.vocab_size)
    params = [PARAMS[place % 2] for place in places]
    outputs = llm.generate([texts[place] for place in places], params, use_tqdm=False)
    llm.engine.check()
    return [
        (
            each.outputs[0].token_ids,
            [{token: value.logprob for token, value in row.items()} for row in each.outputs[0].logprobs or ()],
        )
        for each in outputs
    ]


def require_equal(model: Any, **settings: Any) -> None:
    """Compare 32 requests together, alone, again from the cache, in chunks, and preempted."""
    settings = {**SETTINGS, **settings}
    most = {"device": "cuda", "max_num_seqs": 32, "max_num_batched_tokens": 512, "cudagraph_capture_sizes": [1, 9, 32]}
    llm = LLM(copy.deepcopy(model), **most, **settings)
    assert llm.engine.exact
    expected = results(llm)
    assert results(llm) == expected, "after prefix hits"
    for place in ALONE:
        assert results(llm, [place]) == [expected[place]], f"request {place}, alone, after a prefix hit"
        llm.engine.reset_prefix_cache()
        assert results(llm, [place]) == [expected[place]], f"request {place}, alone"
    del llm
    chunked = {"max_num_seqs": 7, "max_num_batched_tokens": 24, "cudagraph_capture_sizes": [2, 7]}
    llm = LLM(copy.deepcopy(model), **{**most, **chunked}, **settings)
    assert results(llm) == expected, "in chunks, seven at once"
    del llm
    llm = LLM(copy.deepcopy(model), **most, **{**settings, "num_blocks": 26})
    assert results(llm) == expected, "preempted"
    assert llm.engine.stats().num_preemptions > 0 or not llm.engine.model.spec.layers


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("kind", FAMILIES)
def test_in_graphs(kind: str, dtype: str) -> None:
    require_equal(build(kind), dtype=dtype, compile=False)


def test_eagerly() -> None:
    require_equal(build("qwen3"), dtype="bfloat16", enforce_eager=True)


@pytest.mark.parametrize("kind", ["qwen3", "gemma2"])
def test_compiled(kind: str) -> None:
    require_equal(build(kind), dtype="bfloat16", compile=True)


@pytest.mark.parametrize("kv_cache_dtype", ["fp8", "int8"])
def test_over_a_quantised_cache(kv_cache_dtype: str) -> None:
    require_equal(build("qwen3"), dtype="bfloat16", compile=False, kv_cache_dtype=kv_cache_dtype)


@pytest.mark.parametrize("kind", ["mixtral", "qwen3_next", "falcon_h1", "mamba2", "lfm2", "deepseek_v3"])
def test_other_families_are_exact_or_refused(kind: str) -> None:
    """A refusal names the operator; what is accepted holds."""
    model = models.build(kind, seed=3, **SPECIAL.get(kind, {}))
    try:
        require_equal(model, dtype="bfloat16", compile=False)
    except ConfigError as error:
        assert "batch_invariant is True" in str(error)
        pytest.skip(str(error))


def test_a_model_that_is_not_exact_is_refused() -> None:
    """A forward that looks at the number of its rows."""
    model = build("llama")
    plain = model.model.norm.forward
    model.model.norm.forward = lambda x: plain(x) * (1 + 2.0**-7 * (x.shape[1] == 4))
    with pytest.raises(ConfigError, match=r"but LlamaForCausalLM on cuda.* is not: a row among 4 has other bits"):
        LLM(model, device="cuda", compile=False, **SETTINGS)


def test_values_are_those_without_it() -> None:
    model = build("qwen3")
    found = []
    for exact in (False, True):
        settings = {**SETTINGS, "batch_invariant": exact, "compile": False, "dtype": "float32"}
        torch.backends.cuda.matmul.allow_tf32 = False
        found.append(results(LLM(copy.deepcopy(model), device="cuda", **settings), range(8)))
    assert [tokens for tokens, _ in found[0]] == [tokens for tokens, _ in found[1]]

"""Outlier channels of keys in an int8 cache: which are found, and that scores and texts do not change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests import models
from torchpaged import LLM, LayerShape, SamplingParams
from torchpaged.errors import ModelError
from torchpaged.execution import key_channels, model_runner
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.models.attention import attend
from torchpaged.models.attention_metadata import AttentionMetadata

SETTINGS: dict[str, Any] = {"num_blocks": 60, "block_size": 4, "max_num_batched_tokens": 64}
PROMPTS = models.prompts([40, 9, 23])
PARAMS = SamplingParams(temperature=0, max_tokens=12, logprobs=models.VOCAB, ignore_eos=True)


def with_large_channels(kind: str = "qwen2", seed: int = 0) -> Any:
    """Return a model with outlier channels, as real ones have: a bias of 80, and weights fifty times larger."""
    model = models.build(kind, seed=seed)
    for layer in model.model.layers:
        projection = layer.self_attn.k_proj
        with torch.no_grad():
            projection.weight[5] *= 50
            if projection.bias is not None:
                projection.bias[3] = 80.0
    return model


def runner_of(llm: LLM) -> ModelRunner:
    return llm.engine.executor.runner


def logprobs(llm: LLM) -> list[Any]:
    """Return the logprobs of every token after each of the same tokens."""
    outputs = llm.generate(PROMPTS, PARAMS, use_tqdm=False)
    return [[row[token].logprob for token in range(models.VOCAB)] for o in outputs for row in o.outputs[0].logprobs[:1]]


def test_an_int8_cache_keeps_the_other_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the first token's logprobs is less than half of that without factors."""
    expected = torch.tensor(logprobs(LLM(with_large_channels(), **SETTINGS)))

    def error() -> float:
        found = torch.tensor(logprobs(LLM(with_large_channels(), kv_cache_dtype="int8", **SETTINGS)))
        return float((found - expected).norm() / expected.norm())

    balanced = error()
    monkeypatch.setattr(model_runner, "key_factors", lambda model: {})
    assert balanced * 2 < error()


@pytest.mark.parametrize("large", ["none", "shifted", "scaled", "both"])
@pytest.mark.parametrize("head_dim", [64, 128])
def test_the_error_of_attention(head_dim: int, large: str) -> None:
    """1 to 2.5 %, where it is 9 to 16 % without; ordinary keys have 0.9 % and no factors."""
    g, tokens = torch.Generator().manual_seed(0), 256
    query, key, value = (torch.randn(tokens, heads, head_dim, generator=g) for heads in (4, 2, 2))
    if large in ("shifted", "both"):
        key[..., 3] += 80
    if large in ("scaled", "both"):
        key[..., 5] *= 50
    factor = torch.exp2(-key_channels._exponents(key.abs().amax(0), 10))
    assert bool((factor == 1).all()) == (large == "none")

    def attended(dtype: torch.dtype, factor: Tensor | None) -> Tensor:
        factors = {} if factor is None else {0: factor}
        shape = LayerShape(2, head_dim, head_dim)
        pool = PagedKVCache({0: shape}, 2, tokens, dtype, torch.device("cpu"), key_factors=factors)
        (cache,) = pool.by_layer()
        ints = [torch.tensor(each, dtype=torch.int32) for each in ([[1]], [tokens], [0, tokens])]
        return attend(query, key, value, AttentionMetadata(torch.arange(tokens, 2 * tokens), *ints, tokens), cache)

    expected = attended(torch.float32, None)
    plain, balanced = (
        float((attended(torch.int8, each) - expected).norm() / expected.norm()) for each in (None, factor)
    )
    assert balanced < (0.025 if large == "both" else 0.015)
    assert plain == balanced if large == "none" else plain > 0.09


def test_the_channels_that_are_found() -> None:
    llm = LLM(with_large_channels(), kv_cache_dtype="int8", **SETTINGS)
    runner = runner_of(llm)
    assert set(runner.kv_cache.key_factors) == set(range(len(llm.engine.model.model.model.layers)))
    for factor in runner.kv_cache.key_factors.values():
        half = factor.shape[1] // 2
        large = {(int(head), int(channel) % half) for head, channel in (factor != 1).nonzero()}
        assert large == {(0, 3), (0, 5)}, "rotated with the channel half a head further"
        assert (factor.log2() == factor.log2().round()).all() and factor.max() == 1
    assert not runner_of(LLM(models.build("qwen2"), kv_cache_dtype="int8", **SETTINGS)).kv_cache.key_factors
    assert not runner_of(LLM(with_large_channels(), **SETTINGS)).kv_cache.key_factors


def test_scores_do_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a float cache a power of two changes no bit; so an int8 cache is all that rounds."""
    expected = logprobs(LLM(with_large_channels(), **SETTINGS))
    monkeypatch.setattr(model_runner, "cache_dtype", lambda model, config: torch.int8)
    factors = key_channels.key_factors(LLM(with_large_channels(), **SETTINGS).engine.model)
    monkeypatch.undo()
    llm = LLM(with_large_channels(), **SETTINGS)
    runner = runner_of(llm)
    runner._key_factors = factors
    runner._allocate(60)
    assert logprobs(llm) == expected


@pytest.mark.parametrize("optimize", [True, False])
def test_a_text_does_not_depend_on_the_steps(optimize: bool) -> None:
    """Alone, chunked and beside others; with the compiled program and the original forward."""
    model = with_large_channels()
    whole = LLM(model, kv_cache_dtype="int8", optimize=optimize, **SETTINGS).generate(PROMPTS, PARAMS, use_tqdm=False)
    chunked = {**SETTINGS, "max_num_batched_tokens": 7}
    for i, prompt in enumerate(PROMPTS):
        llm = LLM(model, kv_cache_dtype="int8", optimize=optimize, **chunked)
        (alone,) = llm.generate([prompt], PARAMS, use_tqdm=False)
        assert alone.outputs[0].token_ids == whole[i].outputs[0].token_ids
        llm.engine.check()


def test_a_saved_prefix_is_of_the_same_factors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "prefix"
    first = LLM(with_large_channels(), kv_cache_dtype="int8", **SETTINGS)
    first.save_prefix(path, PROMPTS[0])
    assert LLM(with_large_channels(), kv_cache_dtype="int8", **SETTINGS).load_prefix(path)
    monkeypatch.setattr(model_runner, "key_factors", lambda model: {})
    with pytest.raises(ModelError, match="another model or with another cache"):
        LLM(with_large_channels(), kv_cache_dtype="int8", **SETTINGS).load_prefix(path)


@pytest.mark.parametrize("by_engine", [True, False], ids=["update_weights", "by their owner"])
def test_new_weights_get_new_factors(by_engine: bool) -> None:
    """An engine whose weights were changed computes what a new one does, also after a pinned prefix."""
    other = with_large_channels(seed=1)
    for layer in other.model.layers:
        projection = layer.self_attn.k_proj
        projection.bias.data, projection.weight.data = projection.bias.data.roll(2), projection.weight.data.roll(2, 0)
    expected = torch.tensor(logprobs(LLM(other, kv_cache_dtype="int8", **SETTINGS)))
    model = with_large_channels()
    llm = LLM(model, kv_cache_dtype="int8", **SETTINGS)
    llm.pin_prefix(PROMPTS[0][:12])
    if by_engine:
        llm.update_weights(other.state_dict())
    else:
        model.load_state_dict(other.state_dict())
    torch.testing.assert_close(torch.tensor(logprobs(llm)), expected, rtol=0, atol=1e-4)
    llm.engine.check()

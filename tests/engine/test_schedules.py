"""Output never depends on the schedule: 64 mixed requests, run in every way."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM

from tests import models
from torchpaged import LLM, SamplingParams

NUM_REQUESTS = 64
BLOCK = 8


def workload(count: int = NUM_REQUESTS) -> tuple[list[list[int]], list[SamplingParams]]:
    """Return prompts of 1 to 72 tokens, half of them with one of two common beginnings; 2 to 17 tokens to generate."""
    common = models.prompts([44, 29], 2000, seed=1)
    lengths = [1 + 29 * i % 43 for i in range(count)]
    prompts = models.prompts(lengths, 2000, seed=2)
    prompts = [common[i % 4] + prompt[:28] if i % 4 < 2 else prompt for i, prompt in enumerate(prompts)]
    params = [SamplingParams(temperature=0, max_tokens=2 + 13 * i % 16, ignore_eos=True) for i in range(count)]
    return prompts, params


def needed_blocks(count: int = NUM_REQUESTS) -> int:
    """Return the number of blocks that all requests hold if they run at once."""
    return sum(-(-(len(p) + s.max_tokens) // BLOCK) for p, s in zip(*workload(count), strict=True))


def llm(dtype: str = "float32", **settings: Any) -> LLM:
    defaults = {"block_size": BLOCK, "max_num_seqs": 64, "enable_prefix_caching": False}
    return LLM(models.STDLIB_LM, dtype=dtype, **{**defaults, **settings})


def run(engine: LLM, count: int = NUM_REQUESTS) -> list[list[int]]:
    prompts, params = workload(count)
    outputs = engine.generate(prompts, params, use_tqdm=False)
    engine.engine.check()
    assert engine.stats().cache.num_used_blocks == 0
    return [output.outputs[0].token_ids for output in outputs]


@functools.cache
def alone() -> list[list[int]]:
    """Return the tokens of the requests run one after the other."""
    return run(llm(max_num_seqs=1))


def small() -> int:
    """Return the size of a pool with 30 % of the needed blocks."""
    return 1 + needed_blocks() * 3 // 10


def test_batched() -> None:
    engine = llm()
    assert run(engine) == alone()
    assert engine.stats().num_steps <= 40


def test_a_budget_of_32() -> None:
    assert run(llm(max_num_batched_tokens=32)) == alone()


def test_steps_that_have_a_time() -> None:
    """A step takes a millisecond, and each of its tokens a tenth of one: no real clock affects the schedule."""
    engine = llm(max_step_ms=4)
    pipeline = engine.engine.pipeline
    pipeline.timer._clock = lambda: 1e-3 * pipeline.num_steps + 1e-4 * pipeline.num_computed_tokens
    assert run(engine) == alone()
    prefill_budget = engine.stats().prefill_budget
    assert (
        prefill_budget is not None
        and prefill_budget.num_cut > 10
        and prefill_budget.token_ms == pytest.approx(0.1, rel=0.05)
    )


def test_recompute() -> None:
    engine = llm(num_blocks=small(), preemption_mode="recompute", watermark=0.0)
    assert run(engine) == alone()
    assert engine.stats().num_preemptions > 0 and engine.stats().num_swaps == 0


@pytest.mark.parametrize("mode", ["swap", "auto"])
def test_swap(mode: str) -> None:
    engine = llm(num_blocks=small(), preemption_mode=mode, swap_space=0.05, watermark=0.0)
    assert run(engine) == alone()
    stats = engine.stats()
    assert stats.num_preemptions > 0
    if mode == "swap":
        assert stats.num_swaps == stats.num_preemptions
        assert 0 < stats.cache.num_swapped_in <= stats.cache.num_swapped_out
    assert stats.cache.num_free_swap_blocks == stats.cache.num_swap_blocks > 0


def test_prefix_caching_cold_and_warm() -> None:
    engine = llm(enable_prefix_caching=True)
    assert run(engine) == alone()
    cold = engine.stats()
    # 32 requests begin with one of two texts: 29 or 44 tokens that one of them computes.
    assert cold.cache.num_hit_tokens > 900
    assert run(engine) == alone()
    warm = engine.stats()
    prompts, _ = workload()
    assert warm.cache.num_hit_tokens - cold.cache.num_hit_tokens > 0.8 * sum(map(len, prompts))


def test_prefix_caching_in_a_small_pool() -> None:
    engine = llm(enable_prefix_caching=True, num_blocks=small(), swap_space=0.05, preemption_mode="swap")
    assert run(engine) == alone()
    assert run(engine) == alone()
    assert engine.stats().cache.num_evictions > 0


def test_forked_from_a_common_prompt() -> None:
    prompts, params = workload()
    engine = llm()
    forked = [SamplingParams(n=3, temperature=0, max_tokens=each.max_tokens, ignore_eos=True) for each in params[:16]]
    outputs = engine.generate(prompts[:16], forked, use_tqdm=False)
    engine.engine.check()
    for output, expected in zip(outputs, alone(), strict=False):
        assert [completion.token_ids for completion in output.outputs] == [expected] * 3
    # The prompt is computed once for the three.
    generated = sum(len(c.token_ids) - 1 for o in outputs for c in o.outputs)
    assert engine.stats().num_computed_tokens == generated + sum(map(len, prompts[:16]))


def rowwise(module: nn.Linear, x: Tensor) -> Tensor:
    """Compute each row of a linear layer by itself: a GEMM's rounding may depend on the number of rows."""
    rows = [nn.functional.linear(row[None], module.weight, module.bias) for row in x.reshape(-1, x.shape[-1])]
    return torch.cat(rows or [x.new_empty(0, module.out_features)]).reshape(*x.shape[:-1], module.out_features)


def test_bfloat16_differs_by_its_matrix_products_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With products whose rows are independent, every other step (attention, cache writes, norms) gives equal bits."""
    monkeypatch.setattr(nn.Linear, "forward", rowwise)
    count = 12
    settings = {"dtype": "bfloat16"}
    expected = run(llm(**settings, max_num_seqs=1), count)
    assert run(llm(**settings), count) == expected
    assert run(llm(**settings, max_num_batched_tokens=24, enable_prefix_caching=True), count) == expected
    tight = 1 + needed_blocks(count) * 4 // 10
    assert run(llm(**settings, num_blocks=tight, swap_space=0.05, preemption_mode="swap"), count) == expected


@pytest.mark.parametrize("kv_cache_dtype", ["auto", "int8", "int4"])
def test_a_prefix_hit_has_the_bits_of_a_cold_run(monkeypatch: pytest.MonkeyPatch, kv_cache_dtype: str) -> None:
    """Logprobs after a hit: whole blocks, part of a block, another chunking. Equal bits, not merely close."""
    monkeypatch.setattr(nn.Linear, "forward", rowwise)
    tokens = models.prompts([60], 2000, seed=9)[0]
    params = SamplingParams(temperature=0, max_tokens=4, logprobs=0, prompt_logprobs=0, prompt_logprobs_start=40)

    def logprobs(engine: LLM) -> list[float]:
        (output,) = engine.generate([tokens], params, use_tqdm=False)
        rows = [*(output.prompt_logprobs or []), *(output.outputs[0].logprobs or [])]
        return [each.logprob for row in rows if row is not None for each in row.values()]

    cold = logprobs(llm(kv_cache_dtype=kv_cache_dtype))
    assert len(cold) == 24
    warm = llm(kv_cache_dtype=kv_cache_dtype, enable_prefix_caching=True)
    for end in (8, 21, 60):  # the hit grows: one block, two and a half, all that may be taken
        warm.generate([tokens[:end]], SamplingParams(temperature=0, max_tokens=1), use_tqdm=False)
        assert logprobs(warm) == cold
        warm.reset_prefix_cache()
    warm.generate([tokens], SamplingParams(temperature=0, max_tokens=1), use_tqdm=False)
    assert logprobs(warm) == cold
    # 21 tokens are two full blocks: the rest was never cached.
    assert warm.stats().cache.num_hit_tokens == 8 + 16 + 39 + 39
    assert logprobs(llm(kv_cache_dtype=kv_cache_dtype, max_num_batched_tokens=7)) == cold


def test_the_workload_says_something() -> None:
    tokens = alone()
    assert len({tuple(each) for each in tokens}) > NUM_REQUESTS * 0.9
    model = AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, dtype=torch.float32).eval()
    prompts, params = workload()
    for i in (0, 17, 45):
        assert models.greedy(model, prompts[i : i + 1], params[i].max_tokens) == tokens[i : i + 1]

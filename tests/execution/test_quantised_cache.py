"""8-bit caches: the loss of perplexity, and the memory saved."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest

from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parents[2] / "evals" / "models" / "stdlib-lm"
# Modules that the model has never seen (its card lists them).
HELD_OUT = ("textwrap", "heapq", "csv", "shlex")


def perplexity(kv_cache_dtype: str) -> tuple[float, int]:
    """Return the perplexity per token over the beginnings of the held-out modules, and the bytes of a block."""
    llm = LLM(MODEL, dtype="float32", kv_cache_dtype=kv_cache_dtype, num_blocks=256, max_num_batched_tokens=512)
    prompts = []
    for name in HELD_OUT:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        prompts.append(llm.tokenizer(Path(spec.origin).read_text())["input_ids"][:700])
    outputs = llm.generate(prompts, SamplingParams(max_tokens=1, prompt_logprobs=0), use_tqdm=False)
    total, count = 0.0, 0
    for prompt, output in zip(prompts, outputs, strict=True):
        assert output.prompt_logprobs is not None and len(output.prompt_logprobs) == len(prompt)
        for token, alternatives in zip(prompt[1:], output.prompt_logprobs[1:], strict=True):
            assert alternatives is not None
            total, count = total - alternatives[token].logprob, count + 1
    return math.exp(total / count), llm.engine.executor.runner.kv_cache.bytes_per_block


@pytest.fixture(scope="module")
def unquantised() -> tuple[float, int]:
    return perplexity("auto")


@pytest.mark.parametrize(("kv_cache_dtype", "limit"), [("int8", 0.005), ("fp8", 0.01), ("fp8_e5m2", 0.02)])
def test_perplexity_stays(kv_cache_dtype: str, limit: float, unquantised: tuple[float, int]) -> None:
    value, block_bytes = perplexity(kv_cache_dtype)
    print(f"perplexity {unquantised[0]:.3f} -> {value:.3f} with {kv_cache_dtype}")
    assert abs(value / unquantised[0] - 1) < limit
    assert value != unquantised[0], "the cache was not quantised"
    assert block_bytes < 0.3 * unquantised[1]

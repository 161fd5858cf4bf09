"""What only a GPU shows: graphs captured and replayed, overlapping steps, a user's module under CUDA graph trees.

`make test-gpu` runs these beside the operators' tests.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests import models
from tests.test_decode_graphs import FAMILIES as SMALL_FAMILIES
from tests.test_decode_graphs import logprobs_of, mixed, prompts, tokens_of
from torchpaged import LLM, AttentionMetadata, LayerCache, PagedAttention, SamplingParams
from torchpaged.exported import export
from torchpaged.integrations import transformers as adapter

pytestmark = pytest.mark.gpu
# Blocks of 16, which an attention chunk is a multiple of.
FAMILIES = {**SMALL_FAMILIES, "llama4_text": {"attention_chunk_size": 16}}
SETTINGS: dict[str, Any] = {
    "num_blocks": 200,
    "block_size": 16,
    "max_num_seqs": 6,
    "max_num_batched_tokens": 32,
    "device": "cuda",
}


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("compile_", [False, True], ids=["not-compiled", "compiled"])
def test_graphs_choose_what_eager_steps_choose(kind: str, compile_: bool) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    expected = tokens_of(LLM(copy.deepcopy(model), enforce_eager=True, async_scheduling=False, **SETTINGS))
    llm = LLM(copy.deepcopy(model), compile=compile_, **SETTINGS)
    graphs = llm.engine.runner.graphs
    assert (graphs is not None and graphs.sizes == [1, 2, 3, 4, 5, 6]) or compile_
    assert tokens_of(llm) == expected
    llm.engine.check()


def test_preempted_and_swapped_through_pinned_memory() -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=1)
    expected = tokens_of(LLM(copy.deepcopy(model), enforce_eager=True, **SETTINGS))
    for swap_space in (0.0, 0.01):
        settings = {**SETTINGS, "num_blocks": 8, "swap_space": swap_space}
        llm = LLM(copy.deepcopy(model), preemption_mode="swap" if swap_space else "recompute", **settings)
        assert tokens_of(llm) == expected
        assert llm.engine.stats().num_preemptions > 0


def test_padding_to_a_larger_graph_changes_no_token() -> None:
    """The bits are compared on the CPU: here a matrix product may round by its size, which padding changes."""
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=2)
    expected = None
    for size in (2, 3, 4, 6):
        llm = LLM(copy.deepcopy(model), compile=False, cudagraph_capture_sizes=[size], **SETTINGS)
        params = SamplingParams(temperature=0.0, max_tokens=12, ignore_eos=True, logprobs=1)
        outputs = llm.generate(prompts(2), params, use_tqdm=False)
        found = [(output.outputs[0].token_ids, logprobs_of(output.outputs[0])) for output in outputs]
        assert expected is None or found == expected, f"2 requests padded to {size}"
        expected = expected or found


def test_the_pool_leaves_room_for_steps_and_graphs() -> None:
    """Sized from memory: the largest step runs beside the pool."""
    model = models.build("llama", num_hidden_layers=1)
    settings = {**SETTINGS, "num_blocks": None, "max_num_batched_tokens": 2048, "gpu_memory_utilization": 0.3}
    llm = LLM(model, compile=False, **settings)
    outputs = llm.generate(prompts(12), mixed(12), use_tqdm=False)
    assert all(output.finished for output in outputs)
    total = torch.cuda.get_device_properties(0).total_memory
    assert llm.engine.runner.kv_cache.nbytes < 0.3 * total


@pytest.mark.parametrize("kv_cache_dtype", ["auto", "fp8", "fp8_e5m2", "int8"])
def test_bfloat16_as_on_the_cpu(kv_cache_dtype: str) -> None:
    """Logprobs of given tokens, prefill and decode, by tensor cores and graphs; the CPU's are float32 ones."""
    texts = prompts(5)
    continuations = [[[*each, 3, 4, 5]] for each in texts]
    settings = {"num_blocks": 200, "block_size": 16, "kv_cache_dtype": kv_cache_dtype}
    model = models.build("qwen3", num_hidden_layers=2, initializer_range=0.1)
    results = []
    for device, dtype in (("cpu", "float32"), ("cuda", "bfloat16")):
        llm = LLM(copy.deepcopy(model), device=device, dtype=dtype, compile=False, **settings)
        params = SamplingParams(temperature=0.0, max_tokens=9, ignore_eos=True)
        assert all(output.finished for output in llm.generate(texts, params, use_tqdm=False))
        scores = llm.score(texts, continuations, use_tqdm=False)
        results.append([row[0].logprob / len(of[0]) for row, of in zip(scores, continuations, strict=True)])
    assert results[0] == pytest.approx(results[1], abs=0.1)


def test_a_wait_is_seen_before_the_capture() -> None:
    """A forward that reads a value runs without graphs; afterwards another one is captured all the same."""
    model = models.build("llama", num_hidden_layers=1)
    plain = model.model.norm.forward

    def reading(x: Tensor) -> Tensor:
        return plain(x) * (1.0 if x.sum().item() == x.sum().item() else 2.0)

    model.model.norm.forward = reading
    llm = LLM(model, compile=False, **{**SETTINGS, "num_blocks": None, "gpu_memory_utilization": 0.2})
    assert llm.engine.runner.graphs is None
    assert all(output.finished for output in llm.generate(prompts(2), use_tqdm=False))
    llm = LLM(models.build("llama", num_hidden_layers=1), compile=False, **SETTINGS)
    assert llm.engine.runner.graphs is not None
    assert all(output.finished for output in llm.generate(prompts(2), use_tqdm=False))


def test_engines_over_one_model() -> None:
    model = models.build("llama", num_hidden_layers=2)
    engines = [LLM(model, enforce_eager=eager, **SETTINGS) for eager in (True, False)]
    params = SamplingParams(temperature=0.0, max_tokens=12, ignore_eos=True)
    found = [
        [output.outputs[0].token_ids for output in engines[turn].generate(prompts(4), params, use_tqdm=False)]
        for turn in (0, 1, 0)
    ]
    assert found[0] == found[1] == found[2]


def test_an_exported_model_in_graphs(tmp_path: Path) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=2)
    expected = tokens_of(LLM(copy.deepcopy(model), enforce_eager=True, **SETTINGS))
    export(adapter.wrap(model, device=SETTINGS["device"]), tmp_path / "model.pt2")
    llm = LLM(tmp_path / "model.pt2", **SETTINGS)
    assert llm.engine.runner.graphs is not None
    assert tokens_of(llm) == expected


class Layer(nn.Module):
    """One attention layer of somebody's own; its pool is a buffer, which has a fixed address."""

    def __init__(self, dim: int, heads: int, num_blocks: int, block_size: int) -> None:
        super().__init__()
        self.project = nn.Linear(dim, 3 * dim, bias=False)
        self.attention = PagedAttention(heads, dim // heads)
        pool = torch.zeros(num_blocks, block_size, heads, dim // heads)
        self.register_buffer("key_cache", pool)
        self.register_buffer("value_cache", pool.clone())

    def forward(self, x: Tensor, slots: Tensor, tables: Tensor, lens: Tensor, starts: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.attention.num_heads, -1)) for part in self.project(x).chunk(3, dim=-1)
        )
        metadata = AttentionMetadata(slots, tables, lens, starts, 1)
        return self.attention(query, key, value, metadata, LayerCache(self.key_cache, self.value_cache)).flatten(1)


def test_reduce_overhead_in_a_module_of_your_own() -> None:
    """torch.compile(mode="reduce-overhead"): CUDA graph trees capture both operators and replay them on new inputs."""
    torch.manual_seed(0)
    eager = Layer(64, 4, num_blocks=20, block_size=16).cuda().eval()
    ours = copy.deepcopy(eager)
    compiled = torch.compile(ours, mode="reduce-overhead", fullgraph=True)
    tables = torch.arange(1, 9, dtype=torch.int32, device="cuda").view(4, 2)
    starts = torch.arange(5, dtype=torch.int32, device="cuda")
    with torch.inference_mode():
        for step in range(30):
            x = torch.randn(4, 64, device="cuda")
            slots = tables[:, step // 16].long() * 16 + step % 16
            lens = torch.full((4,), step + 1, dtype=torch.int32, device="cuda")
            torch.compiler.cudagraph_mark_step_begin()
            found = compiled(x, slots, tables, lens, starts).clone()
            torch.testing.assert_close(found, eager(x, slots, tables, lens, starts), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(ours.key_cache, eager.key_cache, rtol=1e-4, atol=1e-4)

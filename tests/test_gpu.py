"""Tests that need a GPU: graphs captured and replayed, overlapping steps, a user's module under CUDA graph trees.

`make test-gpu` runs these and the operators' tests.
"""

from __future__ import annotations

import copy
import functools
import gc
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests import models, peft_folders
from tests.execution.test_cuda_graphs import FAMILIES as SMALL_FAMILIES
from tests.execution.test_cuda_graphs import logprobs_of, mixed, prompts, tokens_of
from torchpaged import LLM, AttentionMetadata, LayerCache, PagedAttention, SamplingParams
from torchpaged.execution.export import export
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.swap_cost import Stopwatch
from torchpaged.integrations.transformers import adapter
from torchpaged.kv_cache.block import BlockCopy, CopyDirection, PoolKind
from torchpaged.models.model import LayerShape

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).resolve().parent.parent
# With blocks of 16, of which an attention chunk is a multiple.
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
    graphs = llm.engine.executor.runner.graphs
    assert (graphs is not None and graphs.shapes == [(size, 1) for size in range(1, 7)]) or compile_
    assert tokens_of(llm) == expected
    llm.engine.check()


@pytest.mark.parametrize("early", [False, True], ids=["in-turn", "early"])
@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3", "gemma2"])
def test_few_launches(kind: str, early: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joined operators, captured and not, also as launches that begin early, choose the tokens of those apart."""
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build(kind, num_hidden_layers=2)
    expected = tokens_of(LLM(copy.deepcopy(model), enforce_eager=True, async_scheduling=False, **SETTINGS))
    monkeypatch.setenv("TORCHPAGED_FUSED_STEP", "1")
    monkeypatch.setattr("torchpaged.ops.triton.common._FUSED_STEP", True)
    monkeypatch.setattr("torchpaged.ops.triton.common._PDL", early)
    for compile_ in (False, True):
        llm = LLM(copy.deepcopy(model), compile=compile_, **SETTINGS)
        weights: Any = llm.engine.model.weights
        assert weights.report.reason is None and weights.report.rewrites["rotate_and_write"] == 2
        assert tokens_of(llm) == expected


@pytest.mark.parametrize("drafts", [False, True], ids=["decode", "with-drafts"])
def test_adapters_in_graphs(drafts: bool, tmp_path: Path) -> None:
    """Each request's tokens are those of the CPU with its adapter; more adapters than slots, ranks of their own."""
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=2)
    for number, targets in ((1, ("q_proj", "v_proj")), (2, ("down_proj",)), (3, ("q_proj", "k_proj", "up_proj"))):
        peft_folders.write(tmp_path / str(number), model, number, rank=2 * number, targets=targets)
    each = [*(peft_folders.request(tmp_path, number) for number in (1, 2, 3)), None]
    adapters = [each[i % 4] for i in range(10)]
    settings: dict[str, Any] = {**SETTINGS, "compile": False, "enable_lora": True, "max_loras": 2, "max_lora_rank": 8}
    if drafts:
        settings["speculative_config"] = {"method": "ngram", "num_speculative_tokens": 3, "allow_inexact": True}
    params = SamplingParams(temperature=0.0, max_tokens=20, ignore_eos=True)
    found = []
    for own in ({"device": "cpu"}, {"enforce_eager": True}, {}):
        llm = LLM(copy.deepcopy(model), **{**settings, **own})
        outputs = llm.generate(prompts(10), params, use_tqdm=False, lora_request=adapters)
        found.append([output.outputs[0].token_ids for output in outputs])
        llm.engine.check()
    assert found[1] == found[0] and found[2] == found[0]
    graphs = llm.engine.executor.runner.graphs
    assert graphs is not None and len(graphs.buffers.inputs.adapters) >= 6


def test_preempted_and_swapped_through_pinned_memory() -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=1)
    expected = tokens_of(LLM(copy.deepcopy(model), enforce_eager=True, **SETTINGS))
    for swap_space in (0.0, 0.01):
        settings = {**SETTINGS, "num_blocks": 8, "swap_space": swap_space}
        llm = LLM(copy.deepcopy(model), preemption_mode="swap" if swap_space else "recompute", **settings)
        assert tokens_of(llm) == expected
        assert llm.engine.stats().num_preemptions > 0


@pytest.mark.parametrize("has_folder", [False, True], ids=["host", "host-and-folder"])
def test_evicted_through_the_host_tier(has_folder: bool, tmp_path: Path) -> None:
    """Blocks that leave the pool come back from pinned memory, and from the folder where that was full."""
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=1)
    settings = {**SETTINGS, "num_blocks": 9, "max_num_seqs": 1}
    asked = [{"prompt_token_ids": [2 + (seed * 31 + i * 7) % 90 for i in range(100)]} for seed in range(6)] * 2
    params = SamplingParams(temperature=0.0, max_tokens=4, ignore_eos=True)

    def tokens(llm: LLM) -> list[list[int]]:
        return [llm.generate([each], params, use_tqdm=False)[0].outputs[0].token_ids for each in asked]

    expected = tokens(LLM(copy.deepcopy(model), enforce_eager=True, **settings))
    block = LLM(copy.deepcopy(model), **settings).engine.executor.block_bytes[PoolKind.BLOCKS]
    host = (12 if has_folder else 60) * block / 2**30
    settings |= {"prefix_cache_host_gb": host, "prefix_cache_dir": tmp_path if has_folder else None}
    llm = LLM(copy.deepcopy(model), **settings)
    assert tokens(llm) == expected
    tier = llm.engine.executor.tier
    assert tier is not None and tier._host is not None
    assert torch.from_numpy(tier._pools[PoolKind.BLOCKS].host_memory(block)).is_pinned()
    counts = tier.counts
    assert counts.num_errors == 0 and counts.num_read > 0
    assert (counts.num_read_host < counts.num_read) if has_folder else (counts.num_read_host == counts.num_read)
    llm.engine.check()
    llm.shutdown()


def test_padding_to_a_larger_graph_changes_no_token() -> None:
    """Bits are compared on the CPU: here a matrix product may round by its size, which padding changes."""
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
    """Sized from memory: the largest step still fits next to the pool."""
    model = models.build("llama", num_hidden_layers=1)
    settings = {**SETTINGS, "num_blocks": None, "max_num_batched_tokens": 2048, "gpu_memory_utilization": 0.3}
    llm = LLM(model, compile=False, **settings)
    outputs = llm.generate(prompts(12), mixed(12), use_tqdm=False)
    assert all(output.finished for output in outputs)
    total = torch.cuda.get_device_properties(0).total_memory
    assert llm.engine.executor.runner.kv_cache.nbytes < 0.3 * total


@pytest.mark.parametrize("kv_cache_dtype", ["auto", "fp8", "fp8_e5m2", "int8"])
def test_bfloat16_as_on_the_cpu(kv_cache_dtype: str) -> None:
    """Logprobs of given tokens, prefill and decode, with tensor cores and graphs, against float32 on the CPU."""
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
    """A forward that reads a value runs without graphs; another one is captured afterwards all the same."""
    model = models.build("llama", num_hidden_layers=1)
    plain = model.model.norm.forward

    def reading(x: Tensor) -> Tensor:
        return plain(x) * (1.0 if x.sum().item() == x.sum().item() else 2.0)

    model.model.norm.forward = reading
    llm = LLM(model, compile=False, **{**SETTINGS, "num_blocks": None, "gpu_memory_utilization": 0.2})
    assert llm.engine.executor.runner.graphs is None
    assert all(output.finished for output in llm.generate(prompts(2), use_tqdm=False))
    llm = LLM(models.build("llama", num_hidden_layers=1), compile=False, **SETTINGS)
    assert llm.engine.executor.runner.graphs is not None
    assert all(output.finished for output in llm.generate(prompts(2), use_tqdm=False))


@pytest.mark.parametrize("max_model_len", [64, 128])
def test_small_configurations_over_many_steps(max_model_len: int) -> None:
    """The graphs' input buffer does not move, even if it is mostly alignment."""
    torch.backends.cuda.matmul.allow_tf32 = False
    model = models.build("llama", num_hidden_layers=1)
    settings = {**SETTINGS, "max_num_seqs": 1, "max_model_len": max_model_len}
    params = SamplingParams(temperature=0.0, max_tokens=max_model_len - 24, ignore_eos=True)
    found = []
    for eager in (True, False):
        llm = LLM(copy.deepcopy(model), compile=False, enforce_eager=eager, **settings)
        found.append([output.outputs[0].token_ids for output in llm.generate(prompts(3), params, use_tqdm=False)])
    assert llm.engine.executor.runner.graphs is not None
    llm.engine.executor.runner.graphs.check()
    assert found[0] == found[1]


def test_no_launch_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch raises on synchronisation: prefills, mixed steps and decodes, in graphs and without."""
    kinds: list[dict[str, Any]] = [{"temperature": 0.0}, {"temperature": 0.8, "top_k": 5, "top_p": 0.9, "seed": 1}]
    params = [SamplingParams(max_tokens=3 + 5 * (i % 4), ignore_eos=True, **kinds[i % 2]) for i in range(8)]
    for eager in (False, True):
        llm = LLM(models.build("llama", num_hidden_layers=2), compile=False, enforce_eager=eager, **SETTINGS)
        llm.generate(prompts(8), params, use_tqdm=False)  # compiles the kernels
        llm.engine.reset_prefix_cache()
        launch = llm.engine.executor.runner.launch

        def refusing(step: Any, launch: Callable[[Any], Any] = launch) -> Any:
            torch.cuda.set_sync_debug_mode("error")
            try:
                return launch(step)
            finally:
                torch.cuda.set_sync_debug_mode("default")

        monkeypatch.setattr(llm.engine.executor.runner, "launch", refusing)
        assert all(output.finished for output in llm.generate(prompts(8), params, use_tqdm=False))


def test_captured_while_another_thread_uses_cuda() -> None:
    """In torch's default mode the other thread's call would fail, and end the capture."""
    ended, errors, begun = threading.Event(), list[Exception](), threading.Event()

    def ask() -> None:
        try:
            event = torch.cuda.Event()
            event.record(torch.cuda.Stream())
            while not ended.is_set():
                event.query()
                begun.set()
        except Exception as error:
            errors.append(error)
            begun.set()

    thread = threading.Thread(target=ask)
    thread.start()
    begun.wait()
    try:
        llm = LLM(models.build("llama", num_hidden_layers=1), compile=False, **SETTINGS)
    finally:
        ended.set()
        thread.join()
    assert not errors and llm.engine.executor.runner.graphs is not None
    assert all(output.finished for output in llm.generate(prompts(2), use_tqdm=False))


def test_captured_while_an_old_engine_is_garbage() -> None:
    """Its graphs must not be destroyed during the capture of the new ones, whenever the garbage collector runs."""
    models_ = [models.build("llama", num_hidden_layers=1) for _ in range(2)]
    before = gc.get_threshold()
    old = LLM(models_.pop(), compile=False, **SETTINGS)
    gc.collect()
    gc.disable()
    del old
    gc.enable()
    gc.set_threshold(1)
    try:
        llm = LLM(models_.pop(), compile=False, **SETTINGS)
    finally:
        gc.set_threshold(*before)
    assert llm.engine.executor.runner.graphs is not None
    assert all(output.finished for output in llm.generate(prompts(2), use_tqdm=False))


def test_workspaces_that_torch_lets_go() -> None:
    """torch frees cuBLAS' workspaces when CUDA graph trees record; our graphs keep their own."""
    torch.backends.cuda.matmul.allow_tf32 = False
    # Long products of few rows, which cuBLAS splits into parts that are summed in its workspace.
    model = models.build("llama", num_hidden_layers=2, hidden_size=256, intermediate_size=8192)
    params = SamplingParams(temperature=0.0, max_tokens=24, ignore_eos=True)
    llm = LLM(model, compile=False, **SETTINGS)
    expected = [output.outputs[0].token_ids for output in llm.generate(prompts(4), params, use_tqdm=False)]
    llm.engine.reset_prefix_cache()
    torch._C._cuda_clearCublasWorkspaces()
    poison = [torch.full((32 << 20,), torch.nan, device="cuda") for _ in range(4)]
    found = [output.outputs[0].token_ids for output in llm.generate(prompts(4), params, use_tqdm=False)]
    assert found == expected
    assert all(bool(each.isnan().all()) for each in poison), "a graph has written into memory that is not its own"


def test_a_step_that_swaps_out_waits_at_its_end() -> None:
    layers = {i: LayerShape(2, 64, 64) for i in range(4)}
    cache = PagedKVCache(layers, 9, 16, torch.bfloat16, torch.device("cuda", 0), num_swap_blocks=4)
    for slot in cache.slots:
        slot.key.normal_()
    before = [slot.key.cpu() for slot in cache.slots]
    out, within = CopyDirection.OUT, CopyDirection.WITHIN
    pairs = torch.tensor([[1, 2]], pin_memory=True)
    swap = functools.partial(torch.ops.torchpaged.swap_blocks, cache.slots[0].key, cache.swap_slots[0].key, pairs)
    swap()  # compiles the kernel
    done = torch.cuda.Event()
    torch.cuda._sleep(200_000_000)
    swap(non_blocking=True)
    done.record()
    assert not done.query(), "it has waited for the device"
    cache.copy([BlockCopy(1, 2, out), BlockCopy(2, 3, out), BlockCopy(5, 2, within), BlockCopy(3, 1, out)])
    for host, old in zip(cache.swap_slots, before, strict=True):
        assert torch.equal(host.key[1:4], old[[3, 1, 2]])


def test_a_stopwatch_counts_its_own_work() -> None:
    device, x = torch.device("cuda", 0), torch.zeros(8, device="cuda")
    with Stopwatch(device) as slow:
        torch.cuda._sleep(200_000_000)
    with Stopwatch(device) as quick:
        x += 1
    assert quick.seconds() is None
    torch.cuda.synchronize()
    of_slow, of_quick = slow.seconds(), quick.seconds()
    assert of_slow is not None and of_quick is not None and 0 < of_quick < of_slow / 2


def test_the_widest_step_has_room() -> None:
    """Logits of all tokens of long prompts, penalties and logprobs, with a pool that takes all memory."""
    model = models.build("llama", num_hidden_layers=1, vocab_size=32000, max_position_embeddings=4096)
    settings = {**SETTINGS, "num_blocks": None, "max_num_batched_tokens": 2048, "gpu_memory_utilization": 0.2}
    llm = LLM(model, compile=False, **settings)
    generator = torch.Generator().manual_seed(0)
    texts = [torch.randint(2, 32000, (length,), generator=generator).tolist() for length in (4000, 3000, 500, 20)]
    kinds: list[dict[str, Any]] = [{"prompt_logprobs": 2}, {"prompt_logprobs": 1, "repetition_penalty": 1.2}]
    params = [SamplingParams(max_tokens=9, ignore_eos=True, logprobs=2, **kinds[i % 2]) for i in range(4)]
    outputs = llm.generate(texts, params, use_tqdm=False)
    assert [len(output.prompt_logprobs or ()) for output in outputs] == [4000, 3000, 500, 20]


def test_addresses_of_pools_under_a_capture() -> None:
    """copy_blocks refuses caches that it has not seen, without breaking the capture; known ones are replayed."""
    pool, other = torch.zeros(9, 4, 2, 16, device="cuda"), torch.zeros(9, 4, 2, 16, device="cuda")
    pool[1] = 1.0
    pairs = torch.tensor([[1, 2]], device="cuda")
    torch.ops.torchpaged.copy_blocks([pool], pairs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.ops.torchpaged.copy_blocks([pool], pairs)
        with pytest.raises(RuntimeError, match="make the call once before it"):
            torch.ops.torchpaged.copy_blocks([other], pairs)
    pool[1] = 2.0
    graph.replay()
    assert bool(pool[2].eq(2.0).all())


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="fewer than two CUDA devices")
def test_a_model_on_the_second_device_leaves_the_first_alone() -> None:
    """In a separate process: no context on cuda:0, which would take hundreds of MB."""
    code = """
import torch
from tests import models, peft_folders
from torchpaged import LLM, SamplingParams
llm = LLM(models.build("llama", num_hidden_layers=1), device="cuda:1", num_blocks=9, swap_space=0.01, block_size=16,
          max_num_seqs=4, compile=False, preemption_mode="swap")
prompts = [list(range(2, 30)) for _ in range(6)]
llm.generate(prompts, SamplingParams(max_tokens=30, ignore_eos=True, logprobs=1), use_tqdm=False)
assert llm.engine.stats().num_swaps and not torch._C._cuda_hasPrimaryContext(0)
"""
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr


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
    assert llm.engine.executor.runner.graphs is not None
    assert tokens_of(llm) == expected


class Layer(nn.Module):
    """One attention layer in a user's module; its pool is a buffer, which has a fixed address."""

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

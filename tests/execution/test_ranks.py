"""Tensor parallelism. Most tests run the ranks as threads (`tests/ranks.py`); those at the end start processes."""

from __future__ import annotations

import asyncio
import copy
import functools
import gc
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import adapters, models
from tests.engine.test_schedules import rowwise
from tests.integrations import gguf_files, quantized_checkpoints
from tests.integrations.family_models import SPECIAL
from tests.random_runs import FORMS, HYBRIDS, METHODS
from tests.ranks import RankedRun, Threads, use_threads
from tests.tier_stores import DictStore, FaultyStore
from torchpaged import LLM, AsyncLLM, LLMEngine, SamplingParams
from torchpaged.errors import ConfigError, EngineError
from torchpaged.execution.executor import LocalExecutor
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.ranks import ending, launch
from torchpaged.execution.ranks.executor import RankedExecutor
from torchpaged.execution.ranks.link import Link
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.model_loader import build_empty, stream_weights
from torchpaged.integrations.checkpoints.tensor_parallel import DIVIDED, divide
from torchpaged.kv_cache import tiers
from torchpaged.ops import active_backend, network_group
from torchpaged.ops.collectives import RankFailure, least
from torchpaged.scheduling.step_cost import StepCost
from torchpaged.structured_outputs import StructuredOutputsParams
from torchpaged.utils import child_processes

pytestmark = pytest.mark.skipif(active_backend("packed_linear", "cpu") != "cpp", reason="ranks need the C++ library")

GREEDY = SamplingParams(temperature=0, max_tokens=8, ignore_eos=True)
# Families with heads, experts, latents, sinks, fused projections, norms over all heads, and without a plan.
FAMILIES = ["llama", "qwen3", "gemma2", "qwen3_moe", "deepseek_v3", "gpt_oss", "phi3", "olmo2", "gpt_neox"]
FAMILIES += ["gpt2", "bloom", "falcon", "mpt"]


# Random runs of recurrent layers, convolutions, and of computed drafts.
RARE = ("qwen3_next", "falcon_h1", "lfm2", "mtp", "draft")


@functools.cache
def model_of(kind: str, **more: Any) -> Any:
    return models.build(kind, seed=3, **{**SPECIAL.get(kind, {}), **more})


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("ranks") / "llama"
    model_of("llama", num_hidden_layers=2).save_pretrained(folder)
    return folder


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    use_threads(monkeypatch)
    return Threads()


def drive(engine: LLMEngine, batch: Sequence[Sequence[int]], params: Any = GREEDY) -> list[list[tuple[int, ...]]]:
    """Run prompts together, checking all invariants on every rank after each step; the tokens of each completion."""
    given = params if isinstance(params, list) else [params] * len(batch)
    for i, (prompt, own) in enumerate(zip(batch, given, strict=True)):
        engine.add_request(str(i), {"prompt_token_ids": list(prompt)}, own)
    found = {}
    while engine.has_unfinished_requests:
        for output in engine.step():
            if output.finished:
                found[output.request_id] = [tuple(each.token_ids) for each in output.outputs]
        engine.check()
    return [found[str(i)] for i in range(len(batch))]


def one_rank(folder: Path, batch: Sequence[Sequence[int]], params: Any = GREEDY, **settings: Any) -> Any:
    llm = LLM(str(folder), skip_tokenizer_init=True, **settings)
    return drive(llm.engine, batch, params)


# --- Messages and collectives -------------------------------------------------------------------------------


@pytest.mark.parametrize("network", [False, True], ids=["memory", "network"])
def test_sums_and_concatenations(network: bool) -> None:
    """Sums of each dtype, in one piece and in several, have the same bits on all ranks."""
    threads = Threads(3, network=network)

    def call(link: Link) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(link.rank)
        found = []
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for shape in ((1,), (0, 4), (3, 5), (700, 1000)):
                x = torch.randn(shape, generator=generator).to(dtype)
                found += [x, link.group.all_reduce(x), link.group.all_gather(x)]
        assert least(link.group, [5 - link.rank, link.rank]) == [3, 0]
        return found

    of_ranks = threads.run(call)
    for each in range(0, len(of_ranks[0]), 3):
        parts = [found[each] for found in of_ranks]
        total = sum(part.float() for part in parts).to(parts[0].dtype)  # type: ignore[union-attr]
        for found in of_ranks:
            assert torch.equal(found[each + 1], of_ranks[0][each + 1])
            torch.testing.assert_close(found[each + 1], total)
            assert torch.equal(found[each + 2], torch.cat(parts, -1))


@pytest.mark.parametrize("network", [False, True], ids=["memory", "network"])
def test_messages(network: bool) -> None:
    """Short ones, long ones in pieces, and more at once than there is room for."""
    sent = [b"", b"a" * 10, bytes(range(256)) * 5000, *(bytes([i]) * 70000 for i in range(40))]
    threads = Threads(3, network=network)

    def call(link: Link) -> list[bytes]:
        if link.rank:
            return [link.channel.receive() for _ in sent]
        for message in sent:
            link.channel.post(message)
        return sent

    assert threads.run(call) == [sent] * 3


@pytest.mark.parametrize("network", [False, True], ids=["memory", "network"])
def test_a_late_rank_is_waited_for_and_a_missing_one_is_not(network: bool) -> None:
    def call(link: Link) -> None:
        x = torch.ones(3)
        link.channel.set_limit(60.0)
        if link.rank:
            time.sleep(0.5)
        link.group.all_reduce(x)
        link.channel.set_limit(1.0)
        if not link.rank:
            with pytest.raises(RuntimeError, match="rank 1 has not come to a sum"):
                link.group.all_reduce(x)
            assert link.channel.failed == 1
            with pytest.raises(RankFailure, match="rank 1"):
                link.channel.post(b"x" * (1 << 21))

    Threads(2, network=network).run(call)


def test_a_rank_that_reads_does_not_wait_for_one_that_does_not() -> None:
    """Between machines a rank in a long call keeps no message, nor rank 0's signs of life, from the others."""
    has_read = threading.Event()

    def call(link: Link) -> list[bytes]:
        if link.rank == 0:
            link.channel.post(b"one")
            link.channel.post(b"two")
            link.channel.flush(60.0)
            return []
        assert link.rank == 1 or has_read.wait(60.0)
        found = [link.channel.receive(), link.channel.receive()]
        has_read.set()
        return found

    assert Threads(3, network=True).run(call)[1:] == [[b"one", b"two"]] * 2


def test_a_silent_machine_is_given_up_after_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An idle rank waits for signs of rank 0's life as long as in a step, and no longer."""
    monkeypatch.setattr(network_group, "_PULSE", 0.1)

    def call(link: Link) -> None:
        link.channel.set_limit(1.0)
        if not link.rank:
            has_ended.wait(60.0)
            return
        of_rank_0: Any = threads.links[0].channel
        # With this lock held its senders stand still, as in a process that was stopped.
        with of_rank_0._changed, pytest.raises(RankFailure, match="rank 0 sends no messages"):
            link.channel.receive()
        has_ended.set()

    has_ended, threads = threading.Event(), Threads(2, network=True)
    threads.run(call)


# --- Weights ------------------------------------------------------------------------------------------------


QUICK = ("llama", "qwen3", "gemma2", "qwen3_moe", "gpt_oss", "phi3", "olmo2", "gpt_neox", "gpt2")
COMPARED = sorted(DIVIDED - {"bloom", "mpt"})  # transformers' own forward of these two has ALiBi of all heads


@pytest.mark.parametrize(
    ("kind", "world"),
    [
        *((kind, world) for kind in QUICK for world in (2, 4)),
        *(pytest.param(kind, 2, marks=pytest.mark.long) for kind in COMPARED if kind not in QUICK),
    ],
)
def test_logits_of_a_divided_model(kind: str, world: int) -> None:
    """transformers' own forward over the parts: logits within rounding, equal on all ranks; 1/N of the bytes."""
    compare_logits(kind, world, whole_experts=False)


MIXTURES = ["qwen3_moe", "gpt_oss", "deepseek_v3"]
OTHER_MIXTURES = [
    *("aria_text", "axk1", "cohere2_moe", "deepseek_v2", "deepseek_v32", "dots1", "ernie4_5_moe"),
    *("exaone_moe", "flint", "glm4_moe", "glm4_moe_lite", "glm_moe_dsa", "granitemoe", "granitemoe_swa"),
    *("granitemoehybrid", "granitemoeshared", "hunyuan_v1_moe", "hy_v3", "jamba", "kolibri1", "lfm2_moe"),
    *("mellum", "minimax_m2", "mixtral", "nemotron_h", "olmoe", "phimoe", "qwen2_moe", "qwen3_5_moe_text"),
    *("qwen3_next", "solar_open"),
]


@pytest.mark.parametrize(
    ("kind", "world"),
    [
        *((kind, world) for kind in MIXTURES for world in (2, 4)),
        *(pytest.param(kind, 2, marks=pytest.mark.long) for kind in OTHER_MIXTURES),
    ],
)
def test_logits_of_whole_experts(kind: str, world: int) -> None:
    """The same with experts divided by their number."""
    compare_logits(kind, world, whole_experts=True)


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("kind", MIXTURES)
def test_greedy_tokens_of_whole_experts(kind: str, optimize: bool, threads: Threads, tmp_path: Path) -> None:
    model = model_of(kind)
    model.save_pretrained(tmp_path)
    batch = models.prompts((19, 4, 11))
    settings: dict[str, Any] = {"optimize": optimize, "num_blocks": 160, "max_num_batched_tokens": 8}
    engine = threads.engine(tmp_path, enable_expert_parallel=True, **settings)
    assert drive(engine, batch) == [[tuple(each)] for each in models.greedy(model, batch, 8)]
    report = engine.model.weights.report
    assert report is None or report.reason is None, "it runs as one program"
    engine.shutdown()
    threads.join()
    assert not threads.errors


def test_experts_that_cannot_be_divided(llama: Path) -> None:
    with pytest.raises(ConfigError, match=r"enable_expert_parallel is True, but model .* has no experts"):
        LLM(str(llama), enable_expert_parallel=True, skip_tokenizer_init=True)
    with pytest.raises(ConfigError, match="enable_expert_parallel is True, but LlamaForCausalLM has no experts"):
        Threads(2).run(functools.partial(divide_experts, "llama"))
    with pytest.raises(ConfigError, match=r"tensor_parallel_size is 4, but .*mlp.experts has 6 experts"):
        Threads(4).run(functools.partial(divide_experts, "qwen3_moe", num_experts=6))


def divide_experts(kind: str, link: Link, **more: Any) -> None:
    divide(models.build(kind, **{**SPECIAL.get(kind, {}), **more}), link.group, whole_experts=True)


def compare_logits(kind: str, world: int, *, whole_experts: bool) -> None:
    model = model_of(kind)
    ids = torch.tensor(models.prompts((11,)))
    with torch.no_grad():
        expected = model(ids, use_cache=False).logits

    def call(link: Link) -> tuple[torch.Tensor, int]:
        own = copy.deepcopy(model)
        divide(own, link.group, whole_experts=whole_experts)
        with torch.no_grad():
            logits = own(ids, use_cache=False).logits
        return logits, sum(each.numel() for each in own.parameters())

    found = Threads(world).run(call)
    scale = float(expected.abs().max())
    for logits, _ in found:
        assert torch.equal(logits, found[0][0])
        torch.testing.assert_close(logits, expected, rtol=0, atol=2e-5 * max(1.0, scale))
    if kind in ("llama", "gemma2") and world == 2:  # little but projections; norms and positions are whole
        total = sum(each.numel() for each in model.parameters())
        assert max(count for _, count in found) <= 1.05 * total / world


@pytest.mark.parametrize("kind", FAMILIES)
def test_greedy_tokens_are_generates(kind: str, threads: Threads, tmp_path: Path) -> None:
    model = model_of(kind)
    model.save_pretrained(tmp_path)
    batch = models.prompts((19, 4, 11))
    engine = threads.engine(tmp_path, optimize=False, block_size=4, num_blocks=160, max_num_batched_tokens=8)
    assert drive(engine, batch) == [[tuple(each)] for each in models.greedy(model, batch, 8)]
    engine.shutdown()
    threads.join()
    assert not threads.errors


def test_several_machines(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One rank's tokens over connections; a rank that fails in a step ends all."""
    use_threads(monkeypatch)
    threads = Threads(network=True)
    settings: dict[str, Any] = {"optimize": True, "num_blocks": 64}
    engine = threads.engine(llama, **settings)
    weights: Any = engine.model.weights
    assert weights.report.reason is None and weights.optimized.forward.reason is None, "it runs as one program"
    batch = models.prompts((9, 17))
    assert drive(engine, batch) == one_rank(llama, batch, prepared_cache=False, **settings)
    launch = LocalExecutor.launch

    def fails(self: LocalExecutor, step: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("a fault of this rank alone")
        launch(self, step)

    monkeypatch.setattr(LocalExecutor, "launch", fails)
    with pytest.raises(EngineError, match="rank 1 has failed, and all ranks have ended"):
        drive(engine, batch)
    threads.join()
    assert "a fault of this rank alone" in str(threads.errors)


def test_one_kv_head_is_on_each_rank(threads: Threads, tmp_path: Path) -> None:
    model = model_of("llama", num_key_value_heads=1)
    model.save_pretrained(tmp_path)
    engine = threads.engine(tmp_path, optimize=False, num_blocks=64)
    batch = models.prompts((9, 17))
    assert drive(engine, batch) == [[tuple(each)] for each in models.greedy(model, batch, 8)]
    assert {shape.num_kv_heads for shape in engine.model.spec.layers.values()} == {1}
    engine.shutdown()


def test_a_model_type_that_is_refused() -> None:
    with pytest.raises(ConfigError, match="a model of type 'longcat_flash' cannot be divided, expected one of apertus"):
        Threads(1).run(lambda link: divide(model_of("longcat_flash"), link.group))


def test_heads_that_cannot_be_divided(tmp_path: Path) -> None:
    def call(link: Link) -> None:
        divide(models.build("llama", num_attention_heads=4), link.group)

    with pytest.raises(ConfigError, match=r"tensor_parallel_size is 3, but .* has 4 heads, 2 of keys and values"):
        Threads(3).run(call)


# --- The engine ---------------------------------------------------------------------------------------------


def test_the_cache_is_divided(threads: Threads, llama: Path) -> None:
    """With the same memory each rank has twice the blocks, since it has half of the heads."""
    settings: dict[str, Any] = {"optimize": False, "kv_cache_memory_bytes": 1 << 20, "skip_tokenizer_init": True}
    engine = threads.engine(llama, **settings)
    whole = LLM(str(llama), **settings).engine
    assert engine.executor.num_blocks == 2 * whole.executor.num_blocks
    engine.shutdown()


def test_everything_that_a_scheduler_does(threads: Threads, llama: Path) -> None:
    """Chunks, preemption, forks (n = 3), seeds, logprobs, an abort and a prefix hit: one rank's tokens."""
    settings: dict[str, Any] = {"optimize": False, "num_blocks": 30, "block_size": 4, "max_num_batched_tokens": 24}
    batch = models.prompts((30, 9, 40, 22))
    given = [
        GREEDY,
        SamplingParams(temperature=0.9, n=3, seed=3, max_tokens=10, ignore_eos=True),
        SamplingParams(temperature=0.8, top_p=0.9, seed=7, max_tokens=10, ignore_eos=True, logprobs=2),
        SamplingParams(temperature=0, max_tokens=20, ignore_eos=True, repetition_penalty=1.3),
    ]
    engine = threads.engine(llama, **settings)
    engine.add_request("gone", {"prompt_token_ids": [9, 8, 7]}, GREEDY)
    engine.step()
    engine.abort_request("gone")
    expected = one_rank(llama, batch, given, **settings)
    assert drive(engine, batch, given) == expected
    assert drive(engine, batch, given) == expected
    assert engine.stats().num_preemptions > 0
    drive(engine, batch[:1])
    before = engine.stats().num_computed_tokens
    assert drive(engine, batch[:1]) == expected[:1]
    assert engine.stats().num_computed_tokens - before < len(batch[0]), "the prefix cache found nothing"
    engine.shutdown()
    threads.join()
    assert not threads.errors


def test_swapped_blocks_come_back_on_every_rank(threads: Threads, llama: Path) -> None:
    settings: dict[str, Any] = {
        "optimize": False,
        "num_blocks": 20,
        "block_size": 4,
        "swap_space": 0.01,
        "preemption_mode": "swap",
        "enable_prefix_caching": False,
    }
    batch = models.prompts((22, 23, 24))
    params = SamplingParams(temperature=0, max_tokens=24, ignore_eos=True)
    engine = threads.engine(llama, **settings)
    assert drive(engine, batch, params) == one_rank(llama, batch, params, optimize=False, num_blocks=64)
    assert engine.stats().num_preemptions > 0
    engine.shutdown()


def test_unequal_memory(threads: Threads, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool is the least of all ranks: here rank 1 has room for fewer blocks."""
    fits = ModelRunner._num_blocks_that_fit

    def fewer(self: ModelRunner, slots: Any) -> int:
        is_main = threading.current_thread() is threading.main_thread()
        return min(40, fits(self, slots)) if is_main else 23

    monkeypatch.setattr(ModelRunner, "_num_blocks_that_fit", fewer)
    engine = threads.engine(llama, optimize=False)
    assert engine.executor.num_blocks == 23
    engine.shutdown()


def test_a_slow_rank(threads: Threads, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It delays the others, and no token changes."""
    launch = LocalExecutor.launch

    def slow(self: LocalExecutor, step: Any) -> None:
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.05)
        launch(self, step)

    batch = models.prompts((9, 17))
    expected = one_rank(llama, batch, optimize=False, num_blocks=64)
    monkeypatch.setattr(LocalExecutor, "launch", slow)
    engine = threads.engine(llama, optimize=False, num_blocks=64)
    assert drive(engine, batch) == expected
    engine.shutdown()


def test_blocks_in_stores(threads: Threads, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rank keeps its part. A block is found, and read, if every rank has its part; a lost one is computed."""
    monkeypatch.setattr(tiers, "_LOOKUP_PATIENCE", 60.0)
    monkeypatch.setattr(tiers, "_READ_PATIENCE", 60.0)
    stores = [DictStore(), DictStore()]
    settings: dict[str, Any] = {"optimize": False, "num_blocks": 64, "block_size": 4, "prefix_cache_dir": stores[0]}
    batch = models.prompts((41,))

    def run(world: int = 2) -> tuple[Any, int, int]:
        own = threads if world == 2 else Threads(world)
        engine = own.engine(llama, others={"prefix_cache_dir": stores[1]}, **settings)
        before = engine.stats().num_computed_tokens
        tokens, computed = drive(engine, batch), engine.stats().num_computed_tokens - before
        counts = engine.stats().tiers
        assert counts is not None
        engine.shutdown()
        own.join()
        assert not own.errors
        return tokens, computed, counts.num_lost

    expected = one_rank(llama, batch, optimize=False, num_blocks=64)
    assert run() == (expected, 48, 0)
    assert len(stores[0].values) == len(stores[1].values) == 12
    assert run() == (expected, 8, 0)
    gone = list(stores[1].values)[5]  # of the sixth block from the end
    value = stores[1].values.pop(gone)
    assert run()[0] == expected
    assert stores[1].values[gone] == value, "it was computed and kept again"
    stores[1].values[gone] = value[1:]  # it looks as if it were there
    tokens, computed, lost = run()
    assert tokens == expected and computed > 8 and lost
    assert run(1)[:2] == (expected, 48), "one rank's blocks have other sums"


@pytest.mark.parametrize("dtype", ["int8", "fp8"])
def test_quantised_caches(dtype: str, threads: Threads, llama: Path) -> None:
    """One rank's tokens: scales are of a token and a head."""
    settings: dict[str, Any] = {"optimize": True, "num_blocks": 64, "kv_cache_dtype": dtype}
    batch = models.prompts((9, 17))
    engine = threads.engine(llama, **settings)
    assert drive(engine, batch) == one_rank(llama, batch, prepared_cache=False, **settings)
    engine.shutdown()


@pytest.mark.parametrize("speculation", [None, {"method": "ngram", "num_speculative_tokens": 3}])
def test_structured_output(speculation: Any, threads: Threads) -> None:
    """Masks are sent to every rank before it samples, after each draft too."""
    pytest.importorskip("llguidance")
    more = {"num_blocks": 64, "skip_tokenizer_init": False, "speculative_config": speculation}
    engine = threads.engine(models.STDLIB_LM, optimize=True, **more)
    choices = ["import os", "return None"]
    params = SamplingParams(max_tokens=12, seed=1, structured_outputs=StructuredOutputsParams(choice=choices))
    engine.add_request("0", "def main():\n    ", params)
    outputs: list[Any] = []
    while engine.has_unfinished_requests:
        outputs += engine.step()
    assert outputs[-1].outputs[0].text in choices
    engine.shutdown()


@pytest.mark.parametrize("is_computed", [False, True])
def test_drafts(is_computed: bool, threads: Threads, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked-up drafts travel with the step; those of a model, here the same one, are computed on each rank."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)  # all drafts are taken
    asked = {"model": str(llama), "num_speculative_tokens": 3} if is_computed else {"method": "ngram"}
    settings: dict[str, Any] = {"optimize": True, "num_blocks": 64, "speculative_config": asked}
    batch = [[5, 6, 7, 8] * 6, [3, 4] * 9]
    expected = one_rank(llama, batch, optimize=False, num_blocks=64)
    engine = threads.engine(llama, **settings)
    assert drive(engine, batch) == expected
    counts = engine.stats().drafts
    assert counts is not None and (counts.accepted > 5 or not is_computed)
    engine.shutdown()


@pytest.mark.parametrize(
    ("kind", "method", "seeds"),
    [
        (None, None, (1, 5)),
        (None, "know", (1,)),
        (None, "adapters", (0,)),
        pytest.param(None, "store", range(10, 30), marks=pytest.mark.long),
        *(pytest.param(None, method, range(10, 40), marks=pytest.mark.long) for method in (None, "adapters", *METHODS)),
        *(pytest.param(kind, None, range(20), marks=pytest.mark.long) for kind in RARE),
    ],
)
def test_random_runs(
    kind: str | None,
    method: str | None,
    seeds: Sequence[int],
    threads: Threads,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Requests come, fork, are preempted, swapped, aborted, pinned, guessed for: each gets the tokens it gets alone."""
    monkeypatch.setenv("TORCHPAGED_CHECK_RANKS", "1")
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)  # all drafts are taken
    if kind not in HYBRIDS + FORMS:  # these are optimized, so that their rows do not depend on each other
        monkeypatch.setattr(torch.nn.Linear, "forward", rowwise)
    for seed in seeds:
        try:
            more: dict[str, Any] = {"has_adapters": method == "adapters"}
            if method == "store":
                more["store"] = FaultyStore(seed)
            folder = tmp_path / str(seed)
            folder.mkdir()
            random_run = RankedRun(seed, folder, kind, method if method in METHODS else None, **more)
            random_run.run()
        except Exception as error:
            raise AssertionError(f"RankedRun({seed}, {kind!r}, {method!r}): {error}") from error
        assert random_run.num_finished > 3


@pytest.mark.parametrize("allowed", [False, True])
def test_rows_that_depend_on_others_on_one_rank(
    allowed: bool, threads: Threads, llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial ends on all ranks together: none waits for the other, and both refuse or take the drafts."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)  # all drafts are taken
    monkeypatch.setattr(torch.nn.Linear, "forward", inexact_on_the_other)
    more = {"num_speculative_tokens": 2, "allow_inexact": allowed}
    settings: dict[str, Any] = {"optimize": False, "num_blocks": 64, "speculative_config": {"method": "ngram", **more}}
    if not allowed:
        with pytest.raises(ConfigError, match="on another rank a row has other bits than alone"):
            threads.engine(llama, **settings)
        return
    engine = threads.engine(llama, **settings)
    assert len(drive(engine, [[5, 6, 7, 8] * 6])) == 1
    engine.shutdown()
    threads.join()
    assert not threads.errors


def inexact_on_the_other(self: torch.nn.Linear, x: torch.Tensor) -> torch.Tensor:
    """Compute row by row; on another rank than 0 a number that no other reads depends on the number of rows."""
    if threading.current_thread() is not threading.main_thread():
        x + float(x.numel() > x.shape[-1])
    return rowwise(self, x)


def test_the_check_of_ranks(threads: Threads, llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With TORCHPAGED_CHECK_RANKS=1 another token on one rank ends all."""
    monkeypatch.setenv("TORCHPAGED_CHECK_RANKS", "1")
    engine = threads.engine(llama, optimize=False, num_blocks=64)
    assert len(drive(engine, models.prompts((9,)))) == 1
    compared = RankedExecutor._compared

    def other(self: RankedExecutor, results: Any) -> Any:
        if threading.current_thread() is not threading.main_thread() and results.tokens:
            results.tokens[0] += 1
        return compared(self, results)

    monkeypatch.setattr(RankedExecutor, "_compared", other)
    with pytest.raises(EngineError, match="TORCHPAGED_CHECK_RANKS"):
        drive(engine, models.prompts((9,)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda engine: engine.quantize("int8"), "quantize: tensor_parallel_size is 2"),
        (lambda engine: engine.apply_model(lambda model: None), "apply_model: tensor_parallel_size is 2"),
        (lambda engine: engine.sleep(2), "sleep: level is 2: tensor_parallel_size is 2"),
    ],
)
def test_what_ranks_refuse_of_an_engine(call: Any, message: str, threads: Threads, llama: Path) -> None:
    engine = threads.engine(llama, optimize=False, num_blocks=64)
    with pytest.raises(ConfigError, match=message):
        call(engine)
    assert drive(engine, models.prompts((9,)))
    engine.shutdown()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"enable_prompt_embeds": True}, "enable_prompt_embeds is True, but tensor_parallel_size is 2"),
        ({"compile": True}, "compile is True, but tensor_parallel_size is 2"),
        (
            {"distributed_executor_backend": "mpi"},
            "distributed_executor_backend is 'mpi', expected 'mp', 'ray' or None",
        ),
        (
            {"distributed_executor_backend": "uni"},
            "distributed_executor_backend is 'uni' and tensor_parallel_size is 2",
        ),
        ({"tensor_parallel_size": 0}, "tensor_parallel_size is 0, expected an integer of 1 or more"),
    ],
)
def test_what_ranks_refuse_of_settings(settings: dict[str, Any], message: str, llama: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        LLM(str(llama), **{"tensor_parallel_size": 2, **settings})


def test_a_main_file_without_a_guard(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank that makes an LLM while it imports the main file says what to put around it."""
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(ConfigError, match='put those lines of the main file under `if __name__ == "__main__":`'):
        LLM(str(llama), tensor_parallel_size=2)


def test_models_that_are_refused(llama: Path) -> None:
    with pytest.raises(ConfigError, match="tensor_parallel_size is 2, and the model is an instance"):
        LLM(model_of("llama"), tensor_parallel_size=2)
    with pytest.raises(ConfigError, match="is a program of one process"):
        LLM("model.pt2", tensor_parallel_size=2)


@pytest.mark.parametrize(("kind", "optimize"), [("llama", True), ("gpt2", False), ("qwen3_moe", False)])
def test_new_weights(kind: str, optimize: bool, threads: Threads, tmp_path: Path) -> None:
    """All at once, between two steps of a request, and in part: tokens of a model that has them."""
    model_of(kind).save_pretrained(tmp_path / "old")
    new = models.build(kind, seed=4, **SPECIAL.get(kind, {}))
    new.save_pretrained(tmp_path / "new")
    settings: dict[str, Any] = {"optimize": optimize, "num_blocks": 64}
    batch = models.prompts((9, 17))
    engine = threads.engine(tmp_path / "old", **settings)
    assert drive(engine, batch) == one_rank(tmp_path / "old", batch, prepared_cache=False, **settings)
    tensors = new.state_dict()
    half = dict(list(tensors.items())[: len(tensors) // 2])
    assert engine.update_weights(half) == len(half) and engine.weight_version == "1"
    for name, message in (("x", "has no weight 'x'"), (next(iter(half)), r"is \(3,\), expected a tensor \(")):
        with pytest.raises(ConfigError, match=message):
            engine.update_weights({name: torch.ones(3)})
    engine.add_request("under way", {"prompt_token_ids": batch[0]}, GREEDY)
    engine.step()
    engine.update_weights(tmp_path / "new", version="second")
    while engine.has_unfinished_requests:
        engine.step()
    assert drive(engine, batch) == one_rank(tmp_path / "new", batch, prepared_cache=False, **settings)
    engine.shutdown()
    threads.join()
    assert not threads.errors


@pytest.mark.parametrize("kind", ["llama", "phi3", "gpt2"])
def test_adapters(kind: str, threads: Threads, tmp_path: Path) -> None:
    """One rank's tokens under two adapters, of which one has room at a time, and a third that replaces one."""
    own = model_of(kind)
    own.save_pretrained(tmp_path / "model")
    for seed in range(3):
        adapters.save_merged(own, tmp_path / str(seed), rank=2 + seed, targets="all-linear", seed=seed)
    settings: dict[str, Any] = {"optimize": kind == "llama", "num_blocks": 64, "enable_lora": True}
    settings |= {"max_loras": 1, "max_cpu_loras": 1}
    batch = models.prompts((9, 17, 4))

    def run(engine: LLMEngine) -> list[Any]:
        found: dict[str, Any] = {}
        for number, seed in ((1, 0), (2, 1), (1, 2)):
            if seed == 2:
                engine.remove_lora(1)
            lora = adapters.request(str(number), tmp_path / str(seed), number)
            engine.add_request(f"{seed}", {"prompt_token_ids": batch[seed]}, GREEDY, lora_request=lora)
            while engine.has_unfinished_requests:
                found.update((each.request_id, each.outputs[0].token_ids) for each in engine.step())
            engine.check()
        return [found, *drive(engine, batch[:1])]

    engine = threads.engine(tmp_path / "model", **settings)
    alone = LLM(tmp_path / "model", skip_tokenizer_init=True, prepared_cache=False, **settings).engine
    assert run(engine) == run(alone)
    engine.shutdown()
    threads.join()
    assert not threads.errors


@pytest.mark.parametrize("scheme", [None, "int8", "int4", "int8-dynamic"])
def test_packed_weights(scheme: str | None, threads: Threads) -> None:
    """The optimized forward of a trained model, its weights packed: logprobs of a text as one rank's, within rounding.

    Scales of int8 are taken over a rank's inputs, and int4 is calibrated on all ranks together.
    """
    if scheme is not None:
        pytest.importorskip("torchao")
    text = "import os\n\n\ndef main(argv):\n    for name in os.listdir(argv[1]):\n        print(name)\n"
    settings: dict[str, Any] = {"num_blocks": 64, "skip_tokenizer_init": False}
    params = SamplingParams(max_tokens=1, prompt_logprobs=0)

    def score(engine: LLMEngine) -> tuple[float, Any]:
        engine.add_request("0", text, params)
        outputs: list[Any] = []
        while engine.has_unfinished_requests:
            outputs += engine.step()
        pairs = zip(outputs[-1].prompt_token_ids[1:], outputs[-1].prompt_logprobs[1:], strict=True)
        found = [each[token].logprob for token, each in pairs]
        return sum(found) / len(found), engine.model.weights

    expected, _ = score(LLM(str(models.STDLIB_LM), num_blocks=64).engine)
    engine = threads.engine(models.STDLIB_LM, quantization=scheme, **settings)
    found, weights = score(engine)
    assert abs(found - expected) < (0.02 if scheme is None else 0.15), (found, expected)
    assert weights.report.reason is None and weights.optimized.forward.reason is None, "it runs as one program"
    engine.shutdown()
    threads.join()
    assert not threads.errors


# Of a size that blocks divide, with a vocabulary that two ranks do not.
WIDE: dict[str, Any] = {"hidden_size": 128, "intermediate_size": 256, "head_dim": 32, "vocab_size": 259}
WIDE_EXPERTS: dict[str, Any] = {**WIDE, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 64}


@pytest.mark.parametrize(
    ("kind", "form", "more"),
    [
        ("gemma2", "Q4_0", {}),
        ("qwen3_moe", "Q4_1", {"enable_expert_parallel": True}),
        ("llama", "awq", {}),
        *(
            pytest.param(kind, form, {}, marks=pytest.mark.long)
            for kind, form in (
                ("qwen3_moe", "Q8_0"),
                ("gpt_oss", "MXFP4"),
                ("llama", "F16"),
                ("llama", "int-quantized"),
                ("qwen3", "fp8"),
                ("llama", "gptq"),
                ("llama", "nvfp4-pack-quantized"),
            )
        ),
    ],
)
def test_quantised_files(kind: str, form: str, more: dict[str, Any], threads: Threads, tmp_path: Path) -> None:
    """Logprobs of one rank, within rounding: each rank has a part of the blocks."""
    sizes = {"qwen3_moe": WIDE_EXPERTS, "gpt_oss": WIDE_EXPERTS, "gemma2": {**WIDE, "tie_word_embeddings": True}}
    own = models.build(kind, seed=3, **sizes.get(kind, WIDE))
    settings: dict[str, Any] = {"dtype": "float32", "optimize": True, "num_blocks": 64}
    if form[0].isupper():
        path = gguf_files.write(own, tmp_path / "model.gguf", gguf_files.Kind[form])
    else:
        path = tmp_path
        quantized_checkpoints.save(own, tmp_path, form)
    params = SamplingParams(max_tokens=1, prompt_logprobs=0)
    prompt = models.prompts((30,))[0]

    def score(engine: LLMEngine) -> list[float]:
        engine.add_request("0", {"prompt_token_ids": prompt}, params)
        outputs: list[Any] = []
        while engine.has_unfinished_requests:
            outputs += engine.step()
        pairs = zip(prompt[1:], outputs[-1].prompt_logprobs[1:], strict=True)
        return [each[token].logprob for token, each in pairs]

    expected = score(LLM(str(path), skip_tokenizer_init=True, prepared_cache=False, **settings).engine)
    engine = threads.engine(path, **settings, **more)
    # Inputs are rounded to int8, so a difference in the last bit of one may grow. Those of int8 weights are rounded in
    # groups of 128, of which a rank has 64 here.
    error = (torch.tensor(score(engine)) - torch.tensor(expected)).abs().mean()
    assert error < (0.3 if form == "int-quantized" else 0.01), error
    weights: Any = engine.model.weights
    assert weights.report.reason is None and weights.optimized.forward.reason is None, "it runs as one program"
    engine.shutdown()
    threads.join()
    assert not threads.errors


def test_blocks_that_cannot_be_divided(tmp_path: Path) -> None:
    own = models.build("llama", seed=3, **{**WIDE, "intermediate_size": 96})
    path = gguf_files.write(own, tmp_path / "model.gguf", gguf_files.Kind.Q8_0)

    def call(link: Link) -> None:
        stream_weights(build_empty(Checkpoint.resolve(str(path)), group=link.group))

    message = r"tensor_parallel_size is 2, but .*down_proj.weight is quantised in blocks of 32 inputs, which are not"
    with pytest.raises(ConfigError, match=message):
        Threads(2).run(call)


# --- Processes ----------------------------------------------------------------------------------------------


@pytest.fixture
def llm(llama: Path) -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(6)
    made = LLM(str(llama), tensor_parallel_size=2, optimize=False, num_blocks=64, skip_tokenizer_init=True)
    yield made
    made.shutdown()
    torch.set_num_threads(before)


def processes(llm: LLM) -> list[Any]:
    executor = llm.engine.executor
    assert isinstance(executor, RankedExecutor)
    found: list[Any] = executor._link.processes.processes
    return found


def status(process: Any) -> int:
    """Return the exit status of a process that another thread joins: for a moment it has ended and has none."""
    assert child_processes.has_ended(process, 60)
    while (found := process.exitcode) is None:
        time.sleep(0.001)
    return int(found)


def interrupt(llm: LLM) -> None:
    """Require that Ctrl-C comes between two steps, and that the engine goes on with one rank's tokens."""
    batch = models.prompts((9, 17))
    params = SamplingParams(temperature=0, max_tokens=40, ignore_eos=True)
    expected = [each.outputs[0].token_ids for each in llm.generate(batch, params, use_tqdm=False)]
    for delay in (0.005, 0.02, 0.06):
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            timer.start()  # here, or its signal may come before
            while True:
                llm.generate(batch, params, use_tqdm=False)
        timer.join()
    assert [each.outputs[0].token_ids for each in llm.generate(batch, params, use_tqdm=False)] == expected


def test_llm(llm: LLM, llama: Path) -> None:
    """One rank's tokens from two processes, after interrupts too.

    They end with `shutdown`, and share rank 0's threads until then.
    """
    batch = models.prompts((9, 17))
    outputs = llm.generate(batch, GREEDY, use_tqdm=False)
    expected = LLM(str(llama), optimize=False, num_blocks=64, skip_tokenizer_init=True)
    assert [each.outputs[0].token_ids for each in outputs] == [
        each.outputs[0].token_ids for each in expected.generate(batch, GREEDY, use_tqdm=False)
    ]
    interrupt(llm)
    (process,) = processes(llm)
    assert torch.get_num_threads() == 3
    llm.shutdown()
    assert status(process) == 0
    assert torch.get_num_threads() == 6
    torch.set_num_threads(5)
    del llm
    gc.collect()
    assert torch.get_num_threads() == 5


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
def test_a_rank_that_ends(number: int, llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """All ends soon after the limit, with an error that names the rank; so does each later call."""
    monkeypatch.setenv("TORCHPAGED_RANK_TIMEOUT", "2")
    executor = llm.engine.executor
    assert isinstance(executor, RankedExecutor)
    executor._link.channel.set_limit(2.0)
    (process,) = processes(llm)
    os.kill(process.pid, number)
    with pytest.raises(EngineError, match="rank 1 has failed"):
        llm.generate(models.prompts((9,)), GREEDY, use_tqdm=False)
    assert status(process)
    with pytest.raises(EngineError, match="make another engine"):
        llm.generate(models.prompts((9,)), GREEDY, use_tqdm=False)
    with pytest.raises(EngineError, match="make another engine"):
        llm.stats()


def test_a_rank_that_raises(llama: Path) -> None:
    """While the engine is made; the error has the traceback of that rank."""
    before = set(multiprocessing.active_children())  # of other tests
    given = {"num_blocks": 64, "skip_tokenizer_init": True, "logits_processors": ["tests.rank_faults:Processor"]}
    with pytest.raises(EngineError, match=r"rank 1 has failed, and all ranks(.|\n)*a fault of this rank alone"):
        LLM(str(llama), tensor_parallel_size=2, **given)
    assert not set(multiprocessing.active_children()) - before


def test_shared_memory_that_is_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder for temporary files is taken, or there is an error: a page that is not there ends a process."""
    allocate = os.posix_fallocate
    full = {str(tmp_path)}

    def fill(file: int, begin: int, count: int) -> None:
        if str(Path(os.readlink(f"/proc/self/fd/{file}")).parent) in full:
            raise OSError(28, "No space left on device")
        allocate(file, begin, count)

    monkeypatch.setattr(os, "posix_fallocate", fill)
    monkeypatch.setattr(launch, "_SHARED", str(tmp_path))
    memory, path = launch._segment(2)
    path.unlink()
    assert path.parent != tmp_path and len(memory) > 5 * 10**6
    full.add(str(path.parent))
    with pytest.raises(
        ConfigError, match=r"tensor_parallel_size is 2, for which .* 5\.0 MiB, .*No space left.*shm-size"
    ):
        launch._segment(2)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(launch, "_SHARED", str(tmp_path / "none"))
    with pytest.raises(ConfigError, match=r"none: No such file"):
        launch._segment(2)


def test_a_fork_that_exits_leaves_the_ranks(llm: LLM, llama: Path) -> None:
    """Only the process that has started the ranks ends them."""
    child = multiprocessing.get_context("fork").Process(target=ending.end, args=(llm.engine.executor._link,))
    child.start()
    child.join(120)
    assert child.exitcode == 0
    assert llm.generate(models.prompts((9,)), GREEDY, use_tqdm=False)


@pytest.mark.parametrize("engine_process", [False, pytest.param(True, marks=pytest.mark.long)])
def test_async_llm(engine_process: bool, llama: Path) -> None:
    """In a thread, or in the engine's own process, which starts the other rank; `shutdown` ends both."""
    batch = models.prompts((9,))

    settings = {"tensor_parallel_size": 2, "optimize": False, "num_blocks": 64, "skip_tokenizer_init": True}

    async def run() -> list[int]:
        llm = AsyncLLM(str(llama), engine_process=engine_process, **settings)
        tokens: list[int] = []
        assert len(await llm.system_fingerprint()) > 8, "the server asks for it before its first answer"
        async for output in llm.generate({"prompt_token_ids": batch[0]}, GREEDY, "0"):
            tokens = list(output.outputs[0].token_ids)
        llm.shutdown()
        return tokens

    assert asyncio.run(run()) == models.greedy(model_of("llama", num_hidden_layers=2), batch, 8)[0]


@pytest.mark.long
@pytest.mark.parametrize("module", ["torchpaged", "tests.rank_of_machine"], ids=["one machine", "two machines"])
def test_torchrun(module: str, tmp_path: Path) -> None:
    """`torchrun -m torchpaged generate`: rank 0 writes the completions, the other ends with it."""
    folder = models.STDLIB_LM
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["-m", module, "generate", str(folder), "--prompt", "def add(", "--temperature", "0"]
    command += ["--max-tokens", "4", "--output", str(output), "--tensor-parallel-size", "2", "--num-blocks", "64"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(output.read_text().splitlines()) == 1


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
@pytest.mark.parametrize("victim", [0, 1])
def test_a_machine_that_ends(victim: int, number: int, llama: Path) -> None:
    """The other machine's rank ends: with an error that names the rank, or, if that was rank 0, by itself."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    common = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    common["TORCHPAGED_RANK_TIMEOUT"] = "2"
    command = [sys.executable, "-m", "tests.rank_of_machine", "loop", str(llama)]
    started = [
        subprocess.Popen(command, env={**common, "RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    try:
        assert started[0].stdout is not None
        assert started[0].stdout.readline() == "begun\n"
        started[victim].send_signal(number)
        if victim:
            assert "rank 1 has failed" in started[0].communicate(timeout=60)[0]
        assert started[1 - victim].wait(120) == (0 if victim else 1)
    finally:
        for each in started:
            each.kill()
            each.communicate()

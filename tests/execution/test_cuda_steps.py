"""Steps as CUDA runs them, on fake devices in the CPU's memory: graphs, waits, pinned memory, the current device."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from tests import models, peft_folders
from tests.execution.test_cuda_graphs import FAMILIES, mixed, prompts
from tests.fake_cuda import FakeCuda
from torchpaged import (
    BeamSearchParams,
    EngineConfig,
    LLMEngine,
    RequestOutput,
    SamplingParams,
    ScoringParams,
    register_proposer,
)
from torchpaged.engine.llm_engine import Params
from torchpaged.engine.speculation import _MADE_BY
from torchpaged.execution import model_runner
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.integrations.transformers import adapter
from torchpaged.kv_cache.block import BlockCopy, CopyDirection
from torchpaged.models.model import LayerShape
from torchpaged.ops import reference
from torchpaged.outputs import Logprob
from torchpaged.scheduling import NewSequence, RowParams, Step
from torchpaged.scheduling.proposers import Transcript
from torchpaged.scheduling.step import Scored
from torchpaged.scheduling.step_cost import StepCost

SETTINGS: dict[str, Any] = {
    "num_blocks": 90,
    "block_size": 4,
    "max_num_seqs": 5,
    "max_num_batched_tokens": 32,
    "max_model_len": 64,
    "compile": False,
}


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCuda]:
    with FakeCuda(monkeypatch) as fake:
        yield fake


def test_blocks_to_pinned_memory_and_back(cuda: FakeCuda) -> None:
    """A copy out waits for its own event alone; a value in pinned memory comes back as one that is not pinned does."""
    pool = [torch.randn(5, 4, device="cuda:0"), torch.randint(0, 9, (5, 3), device="cuda:0", dtype=torch.int32)]
    blocks = PoolBytes(pool)
    copied = blocks.copy_out([1, 3])
    assert not cuda.waits
    copied.wait()
    assert cuda.waits == ["event.synchronize"]
    host = blocks.host_memory(blocks.block_bytes)
    host[:] = copied.values[1]
    assert blocks.copy_in(2, host.data) and blocks.copy_in(4, bytes(copied.values[0]))
    assert not blocks.copy_in(0, bytes(3))
    assert all(each[2].equal(each[3]) and each[4].equal(each[1]) for each in pool)


def engine(model: PreTrainedModel, device: str = "cuda:1", **settings: Any) -> LLMEngine:
    """Return an engine over a copy of the model on a device."""
    return LLMEngine(adapter.wrap(copy.deepcopy(model), device=device), EngineConfig(**{**SETTINGS, **settings}))


def outputs_of(running: LLMEngine, params: Sequence[Params]) -> dict[str, RequestOutput]:
    for number, (prompt, each) in enumerate(zip(prompts(len(params)), params, strict=True)):
        running.add_request(str(number), prompt, each)
    found = {}
    while running.has_unfinished_requests:
        for output in running.step():
            if output.finished:
                found[output.request_id] = output
    return found


def tokens_of(running: LLMEngine, params: Sequence[Params]) -> dict[str, list[int]]:
    return {name: output.outputs[0].token_ids for name, output in outputs_of(running, params).items()}


def all_of(running: LLMEngine, params: Sequence[Params]) -> dict[str, Any]:
    """Return tokens of every completion, logprobs and scores, comparable up to the rounding of batches."""

    def row(values: Mapping[int, Logprob] | None) -> Any:
        return values and {token: pytest.approx(each.logprob, abs=1e-4) for token, each in values.items()}

    found = {}
    for name, output in outputs_of(running, params).items():
        assert not any(each.error for each in output.outputs)
        completions = [(each.token_ids, [row(r) for r in each.logprobs or ()]) for each in output.outputs]
        scores = [(pytest.approx(each.logprob, abs=1e-4), each.is_greedy) for each in output.scores or ()]
        found[name] = (completions, [row(r) for r in output.prompt_logprobs or ()], scores)
    return found


def plain(count: int) -> list[SamplingParams]:
    """Return parameters that graphs sample with: greedy, drawn, filtered."""
    kinds: list[dict[str, Any]] = [
        {"temperature": 0.0},
        {"temperature": 0.9, "seed": 3},
        {"temperature": 0.7, "top_k": 5, "top_p": 0.9, "min_p": 0.01, "seed": 4},
    ]
    return [SamplingParams(max_tokens=3 + 5 * (i % 4), ignore_eos=True, **kinds[i % 3]) for i in range(count)]


def special(count: int) -> list[Params]:
    """Return parameters that need other logits, several tokens of a row, or scores of known tokens."""
    kinds: list[Params] = [
        SamplingParams(temperature=0.0, repetition_penalty=1.3, frequency_penalty=0.2, max_tokens=9),
        SamplingParams(temperature=0.8, seed=1, presence_penalty=0.5, logprobs=3, max_tokens=9),
        SamplingParams(temperature=0.0, min_tokens=5, stop_token_ids=list(range(2, 60)), max_tokens=9),
        SamplingParams(temperature=0.0, prompt_logprobs=2, max_tokens=4),
        SamplingParams(temperature=0.9, seed=2, n=2, best_of=3, max_tokens=6),
        SamplingParams(temperature=0.9, seed=3, n=3, logprobs=1, prompt_logprobs=0, max_tokens=6),
        ScoringParams(continuations=[(5, 6, 7), (5, 6), (8,), (9, 10, 11, 12)]),
        BeamSearchParams(beam_width=3, max_tokens=6),
        SamplingParams(temperature=0.0, max_tokens=12),
    ]
    return [kinds[i % len(kinds)] for i in range(count)]


def refusing_launches(running: LLMEngine, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make waiting in a launch raise; return a list that gets the number of sequences of each launch."""
    runner = running.executor.runner  # type: ignore[attr-defined]
    launch, launched = runner.launch, list[int]()

    def refusing(step: Any) -> Any:
        launched.append(len(step.ids))
        with cuda.refusing():
            return launch(step)

    monkeypatch.setattr(runner, "launch", refusing)
    return launched


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda x: x.sum().item(), id="a-value"),
        pytest.param(lambda x: x.tolist(), id="a-list"),
        pytest.param(lambda x: bool(x.any()), id="a-condition"),
        pytest.param(lambda x: x[x > 0], id="a-mask"),
        pytest.param(lambda x: x[[0, 1]], id="an-index-from-the-host"),
        pytest.param(lambda x: x.nonzero(), id="a-size"),
        pytest.param(lambda x: x.cpu(), id="a-copy-to-the-host"),
        pytest.param(lambda x: x.copy_(torch.zeros(3), non_blocking=True), id="a-copy-of-pageable-memory"),
        pytest.param(lambda x: torch.tensor([1], device=x.device), id="a-tensor-of-a-list"),
        pytest.param(lambda x: torch.cuda.current_stream().synchronize(), id="the-stream"),
    ],
)
def test_the_fake_device_refuses_what_waits(read: Callable[[Tensor], Any], cuda: FakeCuda) -> None:
    x = torch.zeros(3, device="cuda:1")
    assert x.device == torch.device("cuda", 1) and (x[1:] + 1).device == x.device
    read(x)
    assert cuda.waits
    with cuda.refusing(), pytest.raises(RuntimeError, match="called a synchronizing CUDA operation"):
        read(x)


def test_the_fake_device_mixes_no_tensors_and_is_late(cuda: FakeCuda) -> None:
    x, host = torch.ones(3, device="cuda"), torch.zeros(3, pin_memory=True)
    with pytest.raises(AssertionError, match="tensors of the host and of the device"):
        x + torch.zeros(3)
    with cuda.refusing():
        host.copy_(x, non_blocking=True)
        assert host.tolist() != [1, 1, 1]
    torch.cuda.synchronize()
    assert host.tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", FAMILIES)
def test_graphs_replay_what_they_recorded(kind: str, cuda: FakeCuda) -> None:
    """A replay uses the tensors of the capture, and runs no Python."""
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    expected = tokens_of(engine(model, "cpu"), mixed(7))
    running = engine(model)
    assert len(cuda.graphs) == 5
    assert tokens_of(running, mixed(7)) == expected
    assert sum(graph.replays for graph in cuda.graphs) > 10
    running.check()
    running.executor.runner.graphs.check()  # type: ignore[attr-defined]


def test_graphs_with_drafts_replay_what_they_recorded(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    """All drafts are verified, whatever the measured cost of a step."""

    class Repeats:
        def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
            return [transcript.token_ids[-1]] * (len(transcript.token_ids) % 4)

    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)
    monkeypatch.setitem(_MADE_BY, "repeats", lambda config: Repeats())
    register_proposer("repeats", lambda config: Repeats())
    speculation = {"method": "repeats", "num_speculative_tokens": 3, "allow_inexact": True}
    model = models.build("llama", num_hidden_layers=2)
    expected = tokens_of(engine(model, "cpu"), mixed(7))
    running = engine(model, speculative_config=speculation)
    graphs = running.executor.runner.graphs  # type: ignore[attr-defined]
    assert graphs is not None and [shape.width for shape in graphs.shapes[:6]] == [1, 1, 1, 1, 1, 2]
    assert len(cuda.graphs) == len(graphs.shapes)
    assert tokens_of(running, mixed(7)) == expected
    assert sum(graph.replays for graph in cuda.graphs[5:]) > 5
    graphs.check()


@pytest.mark.parametrize("kind", FAMILIES)
def test_no_launch_waits(kind: str, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefills, mixed steps and decodes, in graphs and without."""
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    expected = tokens_of(engine(model, "cpu"), plain(7))
    for eager in (False, True):
        running = engine(model, enforce_eager=eager)
        launched = refusing_launches(running, cuda, monkeypatch)
        before = len(cuda.waits)
        assert tokens_of(running, plain(7)) == expected
        assert len(launched) > 10 and {1, 5} <= set(launched)
        assert set(cuda.waits[before:]) == {"event.synchronize"}, "it waits for results alone"


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("eager", [False, True], ids=["graphs", "eager"])
def test_no_launch_waits_for_logprobs_scores_or_beams(
    kind: str, eager: bool, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Penalties, logprobs, bans, prompts' logprobs, several completions, scores and beams."""
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    expected = all_of(engine(model, "cpu"), special(18))
    running = engine(model, enforce_eager=eager)
    launched = refusing_launches(running, cuda, monkeypatch)
    before = len(cuda.waits)
    assert all_of(running, special(18)) == expected
    assert len(launched) > 10 and max(launched) == 5
    assert set(cuda.waits[before:]) == {"event.synchronize"}, "it waits for results alone"
    assert running.stats().waits["owner"] > 0 and "token" not in running.stats().waits


@pytest.mark.parametrize("eager", [False, True], ids=["graphs", "eager"])
def test_no_launch_waits_for_an_adapter(
    eager: bool, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Adapters change their slots between steps: they are copied from pinned memory."""
    model = models.build("llama", num_hidden_layers=2)
    for number in (1, 2, 3):
        peft_folders.write(tmp_path / str(number), model, number, rank=number)
    each = [*(peft_folders.request(tmp_path, number) for number in (1, 2, 3)), None]
    found = []
    for device in ("cpu", "cuda:1"):
        running = engine(model, device, enforce_eager=eager, enable_lora=True, max_loras=2, max_lora_rank=4)
        launched = refusing_launches(running, cuda, monkeypatch)
        for i, (prompt, params) in enumerate(zip(prompts(9), plain(9), strict=True)):
            running.add_request(str(i), prompt, params, lora_request=each[i % 4])
        tokens = {}
        while running.has_unfinished_requests:
            tokens |= {output.request_id: output.outputs[0].token_ids for output in running.step() if output.finished}
        running.check()
        found.append(tokens)
        assert len(launched) > 10
    assert found[0] == found[1] and len(found[0]) == 9


def test_scores_in_pieces_and_swaps_wait_for_nothing_else(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logits of a long prompt made piece by piece; rows that are preempted and return."""
    model = models.build("llama", num_hidden_layers=1)
    params: list[Params] = [
        SamplingParams(temperature=0.0, prompt_logprobs=1, max_tokens=9, ignore_eos=True),
        SamplingParams(temperature=0.8, seed=1, n=2, prompt_logprobs=1, max_tokens=9, ignore_eos=True),
    ] * 4
    expected = all_of(engine(model, "cpu"), params)
    monkeypatch.setattr(model_runner, "PIECE", 3 * models.VOCAB)
    running = engine(model, num_blocks=15, enforce_eager=True)
    refusing_launches(running, cuda, monkeypatch)
    before = len(cuda.waits)
    assert all_of(running, params) == expected
    assert running.stats().num_preemptions > 0
    assert set(cuda.waits[before:]) == {"event.synchronize"}


@pytest.mark.parametrize("eager", [False, True], ids=["graphs", "eager"])
def test_masks_are_awaited_by_the_host_alone(eager: bool, cuda: FakeCuda) -> None:
    """Neither the launch, nor sampling, nor the next launch waits for the device."""
    model = models.build("llama", num_hidden_layers=1)
    params = [RowParams(logprobs=1), RowParams(temperature=0.8, seed=3, presence_penalty=0.5)]
    found = []
    for device in ("cpu", "cuda:1"):
        own = engine(model, device, enforce_eager=eager).executor
        new = {id: NewSequence(id, (5, 6, 7), 3, params[id - 1], ([3 * id, 3 * id + 1],)) for id in (1, 2)}
        mask = np.zeros(models.VOCAB // 32, dtype=np.uint32)
        mask[2] = 5  # tokens 64 and 66
        with cuda.refusing():
            own.launch(Step(1, [1, 2], [0, 0], [3, 3], new=new, masked={1}, scored={2: Scored(1, 2)}))
            own.sample(1, {1: mask})
            own.launch(Step(2, [1, 2], [3, 3], [1, 1]))
        found.append([(results.tokens, sorted(results.logprobs)) for results in (own.result(1), own.result(2))])
    assert found[0] == found[1] and found[0][0][0][0] in (64, 66)


@pytest.mark.parametrize("num_top", [0, 1, 4])
def test_the_logit_operators_wait_for_nothing_where_they_have_no_kernel(num_top: int, cuda: FakeCuda) -> None:
    """Their references then run on CUDA; called directly, since the fake device cannot see into operators."""
    host = torch.Generator().manual_seed(1)
    logits = torch.randn(3, 40, generator=host).cuda()
    table = torch.randint(0, 40, (5, 9), generator=host, dtype=torch.int32).cuda()
    rows, lengths = torch.tensor([4, 0, 2]).cuda(), torch.tensor([9, 1, 5], dtype=torch.int32).cuda()
    out, penalty = torch.empty(3, 40, device="cuda"), torch.full((3,), 1.3, device="cuda")
    numbers, ids = torch.empty(3, device="cuda"), torch.empty(3, dtype=torch.int64, device="cuda")
    top, top_ids = torch.empty(3, num_top, device="cuda"), torch.empty(3, num_top, dtype=torch.int64, device="cuda")
    with cuda.refusing():
        reference.penalize_logits(logits, table, rows, lengths, lengths - 1, penalty, penalty, penalty, out)
        reference.token_logprobs(logits, rows % 3, rows, num_top, numbers, ids, top, top_ids)
        masks, starts = table[:, :2], lengths.new_zeros(4)
        edits = lengths, penalty, lengths, table[:3, :2]
        reference.edit_logits(logits, table, rows, lengths, lengths - 1, masks, lengths, starts, *edits, out)


def test_captures_are_thread_local_with_workspaces_of_their_own(cuda: FakeCuda) -> None:
    """Other threads may use CUDA meanwhile; cuBLAS' workspaces lie in the graphs' memory and are not shared."""
    engine(models.build("llama", num_hidden_layers=1))
    assert {graph.error_mode for graph in cuda.graphs} == {"thread_local"}
    assert [graph.workspaces for graph in cuda.graphs] == [{"graphs"}] * 5
    assert "graphs" not in cuda.workspaces.values()


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
def test_addresses_of_pools_in_a_graph(cuda: FakeCuda) -> None:
    """They cannot be uploaded during a capture, and are kept for as long as a graph may read them."""
    from torchpaged.ops.triton import copy_blocks

    def table(*pointers: int) -> int:
        return copy_blocks._pointer_table(pointers, torch.device("cuda", 1)).data_ptr()

    before = table(11, 12)
    with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=torch.cuda.Stream()):
        assert table(11, 12) == before
        with pytest.raises(RuntimeError, match=r"addresses of these 3 caches .* make the call once before it"):
            table(13, 14, 15)
    for pointer in range(2 * copy_blocks.MOST_TABLES):
        table(100 + pointer)
    assert table(11, 12) == before and len(copy_blocks._tables) <= copy_blocks.MOST_TABLES


def test_a_step_waits_once_for_what_it_swaps_out(cuda: FakeCuda) -> None:
    """Whatever the number of layers and of batches of copies; then the data is on the host."""
    layers = {i: LayerShape(2, 16, 16) for i in range(3)}
    cache = PagedKVCache(layers, 9, 4, torch.int8, torch.device("cuda", 1), num_swap_blocks=4)
    for slot in cache.slots:
        slot.key.copy_(torch.randint(-9, 9, slot.key.shape, dtype=torch.int8))
    before = cache.slots[2].key.cpu()
    out, within, back = CopyDirection.OUT, CopyDirection.WITHIN, CopyDirection.IN
    cuda.waits.clear()
    cache.copy([BlockCopy(1, 2, out), BlockCopy(2, 3, out), BlockCopy(5, 6, within), BlockCopy(3, 1, out)])
    assert cuda.waits == ["stream.synchronize"] and cuda.contexts == {1}
    assert torch.equal(cache.swap_slots[2].key[1:4], before[[3, 1, 2]])
    cache.copy([BlockCopy(2, 7, back), BlockCopy(7, 8, within)])
    assert cuda.waits == ["stream.synchronize"]
    assert torch.equal(cache.slots[2].key.cpu()[[6, 7, 8]], before[[5, 1, 1]])


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
@pytest.mark.parametrize("scattered", [False, True], ids=["runs", "scattered"])
def test_a_swap_to_the_host_waits_unless_non_blocking(
    scattered: bool, cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launcher on CUDA: one transfer a run, or a kernel for all (here one that does the same)."""
    from torchpaged.ops.triton import copy_blocks

    def kernel(sources: list[Tensor], targets: list[Tensor], mapping: Tensor, hazards: bool) -> None:
        assert mapping.device == torch.device("cuda", 1) and not hazards
        copy_blocks.LONG_RUN = 0
        copy_blocks.swap_blocks(sources[0], targets[0], pairs, non_blocking=True)

    monkeypatch.setattr(copy_blocks, "LONG_RUN", (1 << 20) * scattered)
    monkeypatch.setattr(copy_blocks, "_copy", kernel)
    pool, host = torch.ones(8, 4, 2, 16, device="cuda:1"), torch.zeros(8, 4, 2, 16, pin_memory=True)
    pairs = torch.tensor([[1, 2], [2, 3], [5, 5]], pin_memory=True)
    cuda.waits.clear()
    with cuda.refusing():
        copy_blocks.swap_blocks(pool, host, pairs, non_blocking=True)
    assert not bool(host[[2, 3, 5]].eq(1).any())
    copy_blocks.swap_blocks(pool, host, pairs)
    assert cuda.waits == ["stream.synchronize"] and bool(host[[2, 3, 5]].eq(1).all())


def test_another_device_than_the_first(cuda: FakeCuda) -> None:
    """Pinned memory, events, graphs and swaps of a model on cuda:1 leave cuda:0 without a context."""
    model = models.build("llama", num_hidden_layers=1)
    settings: dict[str, Any] = {"num_blocks": 14, "swap_space": 0.001, "preemption_mode": "swap", "max_num_seqs": 3}
    expected = tokens_of(engine(model, "cpu", **settings), mixed(9))
    running = engine(model, **settings)
    assert tokens_of(running, mixed(9)) == expected
    assert running.stats().num_swaps > 0 and cuda.contexts == {1}

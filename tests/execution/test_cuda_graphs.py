"""Captured and overlapping steps on static tensors, on the CPU: a capture here is a call that is made again."""

from __future__ import annotations

import copy
import itertools
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests import adapters, models
from tests.engine.test_schedules import rowwise
from tests.engine.test_speculation import DRAWN
from tests.fakes import FakeModel, drain, engine, follow
from tests.models import STDLIB_LM
from torchpaged import (
    LLM,
    BeamSearchParams,
    CompletionOutput,
    EngineConfig,
    SamplingParams,
)
from torchpaged.errors import ConfigError, EngineError
from torchpaged.execution import model_runner
from torchpaged.execution.cuda_graphs import (
    MAX_VERIFY_TOKENS,
    Capture,
    CudaGraphs,
    NotCapturable,
    capture_sizes,
    refusing_to_wait,
    verify_shapes,
)
from torchpaged.execution.sampler import DrawParameters
from torchpaged.execution.upload import Upload, packed_bytes
from torchpaged.scheduling import Step
from torchpaged.scheduling.step_cost import StepCost

ROOT = Path(__file__).resolve().parents[2]

# Kinds of tables and caches: one group, two groups with a window, chunks of a table, no rotary embedding.
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {},
    "gemma2": {"sliding_window": 12},
    "llama4_text": {"attention_chunk_size": 8},
    "gpt2": {},
}


def again(call: Callable[[], None]) -> Callable[[], None]:
    """Stand in for a CUDA graph: make the call once, as a warm-up does, and return it."""
    call()
    return call


def capturing(llm: LLM) -> list[Step]:
    """Make an engine's steps run on static tensors; return a list that each such step is appended to."""
    runner = llm.engine.executor.runner
    runner.capture(again)
    graphs = runner.graphs
    assert graphs is not None
    steps: list[Step] = []
    run = graphs.run

    def counted(step: Step, *arguments: Any) -> Any:
        steps.append(step)
        result = run(step, *arguments)
        graphs.check()
        return result

    graphs.run = counted  # type: ignore[method-assign]
    return steps


def prompts(count: int, *, vocab_size: int = 90) -> list[list[int]]:
    """Return random prompts of 1 to 23 tokens."""
    generator = torch.Generator().manual_seed(7)
    lengths = torch.randint(1, 24, (count,), generator=generator).tolist()
    return [torch.randint(2, vocab_size, (length,), generator=generator).tolist() for length in lengths]


def mixed(count: int) -> list[SamplingParams]:
    """Return parameters: greedy, drawn, filtered, penalised, with logprobs, of different lengths."""
    kinds: list[dict[str, Any]] = [
        {"temperature": 0.0},
        {"temperature": 0.9, "seed": 3},
        {"temperature": 0.7, "top_k": 5, "top_p": 0.9, "seed": 4},
        {"temperature": 0.0, "repetition_penalty": 1.3},
        {"temperature": 0.0, "logprobs": 2},
        {"temperature": 1.0, "min_p": 0.05, "seed": 5, "min_tokens": 4},
    ]
    return [SamplingParams(max_tokens=3 + 5 * (i % 4), ignore_eos=i % 2 == 0, **kinds[i % 6]) for i in range(count)]


def tokens_of(llm: LLM, count: int = 12) -> list[tuple[list[int], str | None, Any]]:
    results = llm.generate(prompts(count), mixed(count), use_tqdm=False)
    return [(r.outputs[0].token_ids, r.outputs[0].finish_reason, logprobs_of(r.outputs[0])) for r in results]


def logprobs_of(output: CompletionOutput) -> Any:
    """Return logprobs, comparable up to the rounding that depends on the batch."""
    if output.logprobs is None:
        return None
    return [{token: pytest.approx(value.logprob, abs=1e-4) for token, value in row.items()} for row in output.logprobs]


@pytest.mark.parametrize("kind", FAMILIES)
def test_static_and_overlapping_steps_sample_the_same_tokens(kind: str) -> None:
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    settings: dict[str, Any] = {"num_blocks": 90, "block_size": 4, "max_num_seqs": 6, "max_num_batched_tokens": 32}
    expected = tokens_of(LLM(copy.deepcopy(model), **settings))
    for overlaps in (False, True):
        llm = LLM(copy.deepcopy(model), async_scheduling=overlaps, **settings)
        assert tokens_of(llm) == expected
        steps = capturing(llm)
        assert tokens_of(llm) == expected
        assert len(steps) > 10 and len({len(step.ids) for step in steps}) > 3
        llm.engine.check()


def test_preemption_while_tokens_are_in_flight() -> None:
    model = models.build("llama", num_hidden_layers=1)
    expected = tokens_of(LLM(copy.deepcopy(model), block_size=4, num_blocks=200))
    for swap in (0.0, 0.01):
        llm = LLM(copy.deepcopy(model), block_size=4, num_blocks=22, async_scheduling=True, swap_space=swap)
        capturing(llm)
        assert tokens_of(llm) == expected
        assert llm.engine.stats().num_preemptions > 0
        llm.engine.check()


@pytest.mark.parametrize("kind", ["llama", "gemma2", "llama4_text"])
def test_padding_changes_no_bit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The logits of the real rows are the same for every size s and batch b <= s, with matrix products by row.

    Llama 4's experts are products over the batch, which round by its size.
    """
    tolerance = {"rtol": 1e-5, "atol": 1e-5} if kind == "llama4_text" else {"rtol": 0, "atol": 0}
    monkeypatch.setattr(torch.nn.Linear, "forward", rowwise)
    model = models.build(kind, num_hidden_layers=2, **FAMILIES[kind])
    llm = LLM(model, num_blocks=90, block_size=4, max_num_seqs=7, cudagraph_capture_sizes=[1, 2, 3, 5, 7])
    runner = llm.engine.executor.runner
    for batch in range(1, 8):
        for number, prompt in enumerate(prompts(batch)):
            llm.engine.add_request(f"{batch}-{number}", prompt, SamplingParams(max_tokens=40, ignore_eos=True))
        while any(request.num_uncomputed_tokens > 1 for request in llm.engine.scheduler.sequences.values()):
            llm.engine.step()
        step = llm.engine.scheduler.schedule()
        llm.engine.scheduler.revert(step)  # of which every request starts anew, with its whole table
        step = llm.engine.scheduler.schedule()
        assert len(step.ids) == batch
        with torch.inference_mode():
            inputs = runner.batch.prepare(step)
            hidden = runner.model.forward(inputs.input_ids, inputs.positions, inputs.metadata, inputs.wanted_rows)
            plain = runner.model.logits(hidden).clone()
        for size in (s for s in (1, 2, 3, 5, 7) if s >= batch):
            llm.engine.scheduler.revert(step)
            step = llm.engine.scheduler.schedule()
            runner.config = EngineConfig(max_num_seqs=7, cudagraph_capture_sizes=[size])
            runner.capture(again)
            assert runner.graphs is not None
            (shape,) = runner.graphs.shapes
            assert shape == runner.graphs.shape_of(step) == (size, 1)
            with torch.inference_mode():
                logits, tokens = runner.graphs.run(step, shape, runner.rows.update(step), DrawParameters.greedy(batch))
            torch.testing.assert_close(logits, plain, **tolerance, msg=f"{batch} requests padded to {size}")
            assert torch.equal(tokens, plain.argmax(-1))
        runner.graphs = None
        for number in range(batch):
            llm.engine.abort(f"{batch}-{number}")


def test_captured_while_requests_run() -> None:
    """Weights may change between two steps: the new graphs have the tables of running requests."""
    model = models.build("llama", num_hidden_layers=1)
    settings: dict[str, Any] = {"num_blocks": 90, "block_size": 4, "max_num_seqs": 3, "async_scheduling": True}
    expected = tokens_of(LLM(copy.deepcopy(model), **settings), 3)
    llm = LLM(model, **settings)
    for number, (prompt, params) in enumerate(zip(prompts(3), mixed(3), strict=True)):
        llm.engine.add_request(str(number), prompt, params)
    found = {}
    while llm.engine.has_unfinished_requests:
        capturing(llm)
        for output in llm.engine.step():
            found[output.request_id] = output.outputs[0].token_ids
    assert [found[str(number)] for number in range(3)] == [tokens for tokens, *_ in expected]


def test_graphs_of_old_weights_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are dropped even if compiling the new ones fails."""
    running = engine()
    running.executor.runner.capture(again)

    def failing(self: EngineConfig, device: str) -> bool:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(EngineConfig, "compiles", failing)
    with pytest.raises(RuntimeError, match="no compiler"):
        running.executor.runner.compile()
    assert running.executor.runner.graphs is None


SMALL = [(1, 64), (1, 128), (2, 64), (1, 16), (3, 31), (64, 128)]


@pytest.mark.parametrize(("max_num_seqs", "max_model_len"), SMALL)
def test_what_graphs_read_never_moves(max_num_seqs: int, max_model_len: int) -> None:
    """A step that changes every table entry fits, also in small buffers, which are mostly alignment."""
    running = engine(block_size=16, max_num_seqs=max_num_seqs, max_model_len=max_model_len)
    runner = running.executor.runner
    runner.capture(again)
    graphs, (groups, rows, columns) = runner.graphs, runner.rows.tables.shape
    assert graphs is not None
    buffers = graphs.buffers
    before = [column.data_ptr() for column in buffers.inputs.columns]
    for block in (1, 2):
        for group, row in itertools.product(range(groups), range(rows)):
            runner.rows._write(group, row, 0, [block] * columns)
        with torch.inference_mode():
            sent = buffers._send(buffers.padding(verifies=True))
        assert [column.data_ptr() for column in sent.columns] == before
        assert buffers.tables[:, :-1].eq(block).all()
        graphs.check()


@pytest.mark.parametrize(("max_num_seqs", "max_model_len"), SMALL[:3])
def test_small_configurations_over_many_steps(max_num_seqs: int, max_model_len: int) -> None:
    model = models.build("llama", num_hidden_layers=1)
    settings: dict[str, Any] = {"num_blocks": 40, "block_size": 16, "max_num_seqs": max_num_seqs}
    params = SamplingParams(temperature=0.0, max_tokens=max_model_len - 24, ignore_eos=True)
    llm = LLM(model, max_model_len=max_model_len, **settings)
    expected = [output.outputs[0].token_ids for output in llm.generate(prompts(3), params, use_tqdm=False)]
    steps = capturing(llm)
    assert [output.outputs[0].token_ids for output in llm.generate(prompts(3), params, use_tqdm=False)] == expected
    assert len(steps) > max_model_len // 2


def test_a_fixed_buffer_refuses_what_does_not_fit() -> None:
    arrays = [np.arange(count, dtype=np.int64) for count in (1, 9, 8, 1)]
    upload = Upload(torch.device("cpu"), packed_bytes(array.nbytes for array in arrays), fixed=True)
    for _ in range(3):
        upload.begin()
        places = [upload.put(array) for array in arrays]
        upload.send()
        assert [place.tolist() for place in places] == [array.tolist() for array in arrays]
    with pytest.raises(EngineError, match=r"an array of 8 bytes ends at .* must not move"):
        upload.put(arrays[0])


def test_a_forward_that_cannot_be_captured(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """It runs without graphs and logs why; if graphs were asked for, it is refused."""

    def refusing() -> Capture:
        def capture(call: Callable[[], None]) -> Callable[[], None]:
            call()
            raise NotCapturable("called a synchronizing CUDA operation, experts.py:12")

        return capture

    monkeypatch.setattr(model_runner, "cuda_capture", refusing)
    monkeypatch.setattr(EngineConfig, "captures", lambda self, device: True)
    running = engine()
    assert running.executor.runner.graphs is None
    assert "without CUDA graphs" in caplog.text and "experts.py:12" in caplog.text
    running.add_request("a", [9], SamplingParams(max_tokens=6, temperature=0))
    assert drain(running)["a"].outputs[0].token_ids == follow([9], 6)
    with pytest.raises(ConfigError, match=r"cuda_graphs is True, but the model's forward waits .*experts\.py:12"):
        engine(cuda_graphs=True)


def test_a_wait_in_the_warm_up_is_not_capturable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the line that waits; other errors are unchanged, and the debug mode is restored."""
    modes: list[object] = []
    monkeypatch.setattr(torch.cuda, "get_sync_debug_mode", lambda: "as it was")
    monkeypatch.setattr(torch.cuda, "set_sync_debug_mode", modes.append)
    says = r"called a synchronizing CUDA operation, .*test_cuda_graphs\.py:\d+$"
    with pytest.raises(NotCapturable, match=says), refusing_to_wait():
        raise RuntimeError("called a synchronizing CUDA operation\nmore")
    with pytest.raises(RuntimeError, match="out of memory"), refusing_to_wait():
        raise RuntimeError("out of memory")
    assert modes == ["error", "as it was"] * 2


def test_capture_sizes() -> None:
    assert capture_sizes(1) == [1] and capture_sizes(6) == [1, 2, 3, 4, 5, 6]
    assert capture_sizes(40) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40]
    for most in (5, 64, 100, 256):
        sizes = capture_sizes(most)
        assert sizes[-1] == most
        assert all(min(s for s in sizes if s >= batch) <= max(batch + 1, 1.25 * batch) for batch in range(1, most + 1))


def test_settings_of_graphs_and_overlap() -> None:
    with pytest.raises(ConfigError, match="cuda_graphs is True, the device is 'cpu'"):
        engine(cuda_graphs=True)
    with pytest.raises(ConfigError, match="cuda_graphs and enforce_eager are both True"):
        engine(cuda_graphs=True, enforce_eager=True)
    with pytest.raises(
        ConfigError, match=r"cudagraph_capture_sizes is \[0\], expected integers from 1 to max_num_seqs, 64"
    ):
        engine(cudagraph_capture_sizes=[0])
    with pytest.raises(ConfigError, match="async_scheduling is 2, expected 'auto', True or False"):
        engine(async_scheduling=2)
    config = EngineConfig()
    assert (config.captures("cuda"), config.captures("cpu")) == (True, False)
    assert (config.overlaps("cuda"), config.overlaps("cpu")) == (True, False)
    assert not EngineConfig(enforce_eager=True).captures("cuda")


def test_an_eager_only_model_refuses_compile() -> None:
    model = FakeModel()
    model.spec = replace(model.spec, eager_only="it asks the user")
    with pytest.raises(ConfigError, match="compile is True, but the model runs eagerly only: it asks the user"):
        engine(model, compile=True)
    assert engine(model).config.enforce_eager


def test_a_request_ends_while_its_next_step_is_in_flight() -> None:
    """After a stop token, an abort or NaN its later tokens are dropped, and other requests continue."""
    running = engine(FakeModel(nan_at=20), async_scheduling=True)
    prompt = [9]
    expected = follow(prompt, 6)
    running.add_request("stopped", prompt, SamplingParams(max_tokens=20, stop_token_ids=[expected[2]], temperature=0))
    running.add_request("aborted", [10], SamplingParams(max_tokens=20, temperature=0))
    running.add_request("nan", [20], SamplingParams(max_tokens=20, temperature=0))
    running.add_request("other", prompt, SamplingParams(max_tokens=6, temperature=0))
    done = {output.request_id: output for output in running.step() if output.finished}
    assert done["nan"].outputs[0].finish_reason == "error"
    running.step()
    aborted = running.abort("aborted")
    assert aborted is not None and len(aborted.outputs[0].token_ids) == 2
    running.add_request("aborted", [11], SamplingParams(max_tokens=3, temperature=0))  # its name is free at once
    done |= drain(running)
    assert done["stopped"].outputs[0].token_ids == expected[:3]
    assert done["other"].outputs[0].token_ids == expected
    assert done["aborted"].outputs[0].token_ids == follow([11], 3)
    assert running.stats().num_generated_tokens == 3 + 2 + 6 + 3


def test_a_step_fails_while_another_is_in_flight() -> None:
    model = FakeModel()
    running = engine(model, async_scheduling=True)
    running.add_request("a", [9], SamplingParams(max_tokens=6, temperature=0))
    running.step()
    model.fails = True
    with pytest.raises(RuntimeError, match="the device is on fire"):
        running.step()
    running.check()
    model.fails = False
    assert drain(running)["a"].outputs[0].token_ids == follow([9], 6)


def test_many_completions_beams_and_penalties_wait_for_their_tokens() -> None:
    model = models.build("llama", num_hidden_layers=1)
    results = []
    for overlaps in (False, True):
        llm = LLM(copy.deepcopy(model), num_blocks=90, block_size=4, async_scheduling=overlaps)
        several = [
            SamplingParams(n=3, temperature=0.8, seed=1, max_tokens=9, ignore_eos=True),
            SamplingParams(temperature=0.0, frequency_penalty=0.9, max_tokens=9, ignore_eos=True),
            SamplingParams(temperature=0.0, prompt_logprobs=1, max_tokens=9, ignore_eos=True),
        ]
        outputs = llm.generate(prompts(3), several, use_tqdm=False)
        beams = llm.beam_search(prompts(2), BeamSearchParams(beam_width=2, max_tokens=6), use_tqdm=False)
        results.append([[c.token_ids for c in output.outputs] for output in (*outputs, *beams)])
    assert results[0] == results[1]


@pytest.mark.long
def test_the_benchmark_for_a_gpu_runs_on_a_tiny_model(tmp_path: Path) -> None:
    options = ["--device", "cpu", "--tiny", "--shapes", "qwen3-0.6b", "--batches", "1", "3", "--context", "20"]
    command = [sys.executable, "evals/bench/engine_gpu.py", *options, "--steps", "4", "--rounds", "1"]
    command += ["--peers", "generate", "--output", str(tmp_path / "out.json")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert not [row for row in rows if "failed" in row] and all(row["share_of_bound"] > 0 for row in rows)
    assert {(row["batch"], row["engine"]) for row in rows} == {
        (batch, name) for batch in (1, 3) for name in ("eager", "overlapping", "generate")
    }
    if not torch.cuda.is_available():
        refused = subprocess.run(command[:2], cwd=ROOT, capture_output=True, text=True, timeout=240)
        assert refused.returncode and "sees no CUDA device" in refused.stderr


# --- Steps with drafts ------------------------------------------------------------------------------------


@pytest.fixture
def every_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify all drafts, whatever the measured cost of a step."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)


def repetitive(llm: LLM, count: int) -> list[list[CompletionOutput]]:
    """Complete texts that repeat themselves, sampled in several ways."""
    texts = ["class Queue:\n    def put(self, item):\n", "import os\nimport sys\n", "def main(", "x = [1, 2, 3, 1, 2"]
    params = [SamplingParams(max_tokens=60, seed=i, ignore_eos=True, **DRAWN[i % len(DRAWN)]) for i in range(count)]
    return [output.outputs for output in llm.generate(texts[:count], params, use_tqdm=False)]


@pytest.mark.parametrize(("count", "overlaps"), [(1, False), (4, True)])
@pytest.mark.usefixtures("every_draft")
def test_drafts_are_verified_on_static_tensors(count: int, overlaps: bool) -> None:
    """Greedy and drawn, penalised, with logprobs; one sequence, and several with different numbers of drafts."""
    settings: dict[str, Any] = {"dtype": "bfloat16", "max_model_len": 128, "num_blocks": 100, "max_num_seqs": 6}
    wanted = repetitive(LLM(STDLIB_LM, **settings), count)
    more: dict[str, Any] = {"speculative_config": {"method": "suffix"}, "async_scheduling": overlaps}
    llm = LLM(STDLIB_LM, **settings, **more)
    replayed, graphs = capturing(llm), llm.engine.executor.runner.graphs
    assert repetitive(llm, count) == wanted
    stats = llm.engine.stats().drafts
    assert stats is not None and stats.accepted > 20
    shapes = [graphs.shape_of(step) for step in replayed if step.drafts]
    assert len(shapes) > 3 and len(set(shapes)) > 1 and None not in shapes


@pytest.mark.parametrize(("kind", "captured"), [("gemma2", True), ("llama4_text", False), ("qwen3_next", False)])
@pytest.mark.usefixtures("every_draft")
def test_chunked_and_recurrent_layers_verify_eagerly(kind: str, captured: bool) -> None:
    """Windows are captured; layers that split a sequence's tokens by position are not."""
    changes = {"gemma2": {"sliding_window": 12}, "llama4_text": {"attention_chunk_size": 8}}.get(kind, {})
    settings: dict[str, Any] = {"num_blocks": 100, "block_size": 4, "max_num_seqs": 2, "max_model_len": 64}
    speculation = {"method": "ngram", "allow_inexact": True}
    llm = LLM(models.build(kind, num_hidden_layers=2, **changes), speculative_config=speculation, **settings)
    runner = llm.engine.executor.runner
    runner.capture(again)
    assert runner.graphs is not None
    assert CudaGraphs.can_verify(runner.batch) is captured is any(width > 1 for _, width in runner.graphs.shapes)


def test_shapes_with_drafts() -> None:
    """Few tokens of few sequences: a step that takes longer than its launches is not captured."""
    assert verify_shapes([1, 2], 4) == [(1, 2), (1, 4), (2, 2), (2, 4)]
    assert verify_shapes([8], 16) == [(8, 2), (8, 4), (8, 8)]
    every = verify_shapes(capture_sizes(256), 16)
    assert len(every) == 18 and max(size * width for size, width in every) == MAX_VERIFY_TOKENS
    assert verify_shapes([100], 8) == []


@pytest.mark.parametrize("speculative", [None, {"method": "ngram", "num_speculative_tokens": 3, "allow_inexact": True}])
def test_static_steps_with_adapters(tmp_path: Path, speculative: Any) -> None:
    """One graph serves every mixture of adapters: slots are an input of it."""
    model = models.build("llama", num_hidden_layers=2)
    for number in range(3):
        adapters.save_merged(model, tmp_path / str(number), rank=4, seed=number)
    requests = [adapters.request(str(n), tmp_path / str(n), 1 + n) for n in range(3)]
    wanted = [[*requests, None][i % 4] for i in range(12)]
    settings: dict[str, Any] = {
        "num_blocks": 90,
        "block_size": 4,
        "max_num_seqs": 6,
        "enable_lora": True,
        "max_loras": 2,
    }
    if speculative is not None:
        settings["speculative_config"] = speculative
    params = SamplingParams(temperature=0, max_tokens=12, ignore_eos=True)

    def tokens(llm: LLM) -> list[list[int]]:
        outputs = llm.generate(prompts(12), params, lora_request=wanted, use_tqdm=False)
        return [list(output.outputs[0].token_ids) for output in outputs]

    expected = tokens(LLM(copy.deepcopy(model), **settings))
    llm = LLM(copy.deepcopy(model), async_scheduling=True, **settings)
    steps = capturing(llm)
    assert tokens(llm) == expected
    assert len(steps) > 10
    assert len(llm.engine.executor.runner.graphs.buffers.inputs.adapters) >= 6
    llm.engine.check()

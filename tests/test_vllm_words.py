"""vLLM's engine calls: pause, reset, profile, pool, overrides; and errors for unsupported ones."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import models
from tests.fakes import LONG_BLOCKS, LONG_TOKENS, GatedModel, drain, engine, follow
from torchpaged import LLM, AsyncLLM, EngineArgs, PoolerConfig, SamplingParams, cli
from torchpaged.config import ProfilerConfig
from torchpaged.errors import ConfigError, EngineDeadError, ModelError, RequestError
from torchpaged.sampling_params import BeamSearchParams
from torchpaged.utils.absent_methods import REASONS

GREEDY = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True)
LONG = SamplingParams(temperature=0, max_tokens=40, ignore_eos=True)


# --- reset_prefix_cache -------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize("after", [0, 1, 2, 7])
def test_running_requests_give_their_blocks_up(overlaps: bool, after: int) -> None:
    """After a reset between any two steps they are recomputed with the same tokens, completions and beams too."""
    asked: list[tuple[Any, Any]] = [
        ([5] * 9, LONG),
        ([6, 7], SamplingParams(n=3, seed=1, max_tokens=9)),
        ([8, 9, 10], BeamSearchParams(beam_width=3, max_tokens=8)),
    ]

    def outputs(reset: bool) -> list[list[list[int]]]:
        running = engine(async_scheduling=overlaps, max_num_batched_tokens=8)
        for number, (prompt, params) in enumerate(asked):
            running.add_request(str(number), prompt, params)
        for _ in range(after):
            running.step()
        assert running.reset_prefix_cache() is (after == 0)
        if reset:
            assert running.reset_prefix_cache(reset_running_requests=True)
            assert running.stats().cache.num_used_blocks == 0
            running.check()
        done = drain(running)
        return [[each.token_ids for each in done[str(number)].outputs] for number in range(len(asked))]

    assert outputs(reset=True) == outputs(reset=False)


def test_pins_stay_and_there_is_no_connector() -> None:
    running = engine()
    running.pin_prefix([5] * 8)
    running.add_request("a", [5] * 9, LONG)
    running.step()
    assert not running.reset_prefix_cache(reset_running_requests=True)
    assert drain_but_pins(running) == follow([5] * 9, 40)
    with pytest.raises(ConfigError, match="reset_connector is True, expected False: there are no KV connectors"):
        running.reset_prefix_cache(reset_connector=True)


def drain_but_pins(running: Any) -> list[int]:
    while True:
        for output in running.step():
            if output.finished:
                tokens: list[int] = output.outputs[0].token_ids
                return tokens


# --- pause_generation ---------------------------------------------------------------------------------------


def paused(test: Any) -> None:
    """Run a test of an engine whose model is given too: after its second step the gate is closed."""

    async def limited() -> None:
        model = GatedModel(2)
        llm = AsyncLLM.from_engine(engine(model, num_blocks=LONG_BLOCKS))
        try:
            await asyncio.wait_for(test(llm, model), 180)
        finally:
            llm.shutdown()

    asyncio.run(limited())


async def tokens_of(stream: Any) -> tuple[list[int], str | None]:
    last = [output async for output in stream][-1].outputs[0]
    return last.token_ids, last.finish_reason


@pytest.mark.parametrize("clear_cache", [True, False])
def test_kept_requests_go_on_where_they_were(clear_cache: bool) -> None:
    async def test(llm: AsyncLLM, model: GatedModel) -> None:
        stream = llm.generate([5, 6], LONG, "a")
        await anext(stream)
        pausing = asyncio.ensure_future(llm.pause_generation(mode="keep", clear_cache=clear_cache))
        await asyncio.sleep(0)
        model.gate.set()
        await pausing
        assert await llm.is_paused()
        before = (await llm.stats()).num_steps
        late = asyncio.ensure_future(tokens_of(llm.generate([7], GREEDY, "b")))
        await asyncio.sleep(0.05)
        stats = await llm.stats()
        assert stats.num_steps == before and (stats.num_running, stats.num_waiting) in ((1, 0), (0, 1))
        assert (stats.cache.num_used_blocks == 0) is clear_cache
        await llm.resume_generation()
        assert await tokens_of(stream) == (follow([5, 6], 40), "length")
        assert await late == (follow([7], 6), "length") and not await llm.is_paused()
        await llm.call("check")

    paused(test)


def test_what_is_under_way_is_waited_for_or_ended() -> None:
    async def test(llm: AsyncLLM, model: GatedModel) -> None:
        model.gate.set()
        first = asyncio.ensure_future(tokens_of(llm.generate([5, 6], LONG, "a")))
        await asyncio.sleep(0)
        while not (await llm.stats()).num_generated_tokens:
            await asyncio.sleep(0)
        await llm.pause_generation(mode="wait")
        assert await first == (follow([5, 6], 40), "length")
        late = asyncio.ensure_future(tokens_of(llm.generate([7], GREEDY, "b")))
        gone = asyncio.ensure_future(tokens_of(llm.generate([8], GREEDY, "c")))
        await asyncio.sleep(0.02)
        await llm.abort("c")
        assert await gone == ([], "abort") and not late.done()
        await llm.resume_generation()
        assert await late == (follow([7], 6), "length")
        endless = SamplingParams(max_tokens=LONG_TOKENS, ignore_eos=True)
        ended = asyncio.ensure_future(tokens_of(llm.generate([5], endless)))
        await asyncio.sleep(0)
        while not (await llm.stats()).num_running:
            await asyncio.sleep(0)
        await llm.pause_generation()
        assert (await ended)[1] == "abort"

    paused(test)


def test_pauses_that_end_otherwise() -> None:
    """A pause ends by `resume_generation` while it waits, by a shutdown, or before it begins."""

    async def test(llm: AsyncLLM, model: GatedModel) -> None:
        await llm.resume_generation()
        for wrong, says in (
            ({"mode": "later"}, "mode is 'later', expected one of abort, wait, keep"),
            ({"clear_cache": "yes"}, "clear_cache is 'yes', expected True or False"),
        ):
            with pytest.raises(ConfigError, match=f"pause_generation: {says}"):
                await llm.pause_generation(**wrong)
        stream = llm.generate([5, 6], LONG, "a")
        await anext(stream)
        waits = asyncio.ensure_future(llm.pause_generation(mode="wait"))
        resumes = asyncio.ensure_future(llm.resume_generation())
        await asyncio.sleep(0)
        model.gate.set()
        await asyncio.gather(waits, resumes)
        assert (await tokens_of(stream))[1] == "length"
        await llm.pause_generation(mode="keep")
        held = asyncio.ensure_future(tokens_of(llm.generate([7], GREEDY, "b")))
        await asyncio.sleep(0.02)
        llm.shutdown()
        with pytest.raises(EngineDeadError):
            await held

    paused(test)


# --- Profiles, pooling, configs -----------------------------------------------------------------------------


def num_steps_in(path: Path) -> int:
    with gzip.open(path) as file:
        return sum(event.get("name") == "torchpaged: step" for event in json.load(file)["traceEvents"])


def small(**settings: Any) -> LLM:
    return LLM(models.build("llama", num_hidden_layers=1), **{"num_blocks": 60, "block_size": 4, **settings})


@pytest.mark.parametrize(("delay", "most", "recorded"), [(0, 0, 6), (2, 3, 3), (4, 0, 2), (0, 1, 1)])
def test_which_steps_are_recorded(tmp_path: Path, delay: int, most: int, recorded: int) -> None:
    config = ProfilerConfig(
        profiler="torch", torch_profiler_dir=str(tmp_path), delay_iterations=delay, max_iterations=most
    )
    with small(profiler_config=config) as llm:
        for _ in range(2):
            llm.start_profile()
            llm.generate([[5, 6]], GREEDY, use_tqdm=False)
            assert num_steps_in(llm.stop_profile()) == recorded
        llm.start_profile("one", delay_iterations=0, max_iterations=1)
        llm.generate([[5, 6]], GREEDY, use_tqdm=False)
        assert num_steps_in(llm.stop_profile()) == 1


def test_profiles_of_nothing(tmp_path: Path) -> None:
    given = {"profiler": "torch", "torch_profiler_dir": str(tmp_path), "delay_iterations": 9}
    with small(profiler_config=given) as llm:
        llm.start_profile()
        llm.generate([[5, 6]], GREEDY, use_tqdm=False)
        with pytest.raises(ConfigError, match="nothing was recorded: delay_iterations is 9, and 6 steps have run"):
            llm.stop_profile()
        llm.start_profile()
    assert not list(tmp_path.iterdir())
    for wrong, says in (({"max_iterations": -1}, "max_iterations is -1"), ({"profiler": "cuda"}, "profiler is 'cuda'")):
        with pytest.raises(ConfigError, match=f"ProfilerConfig: {says}, expected"):
            ProfilerConfig(**wrong)


def test_a_task_of_requests_that_name_none() -> None:
    """Texts are also scored by their tokens' vectors: for each of the first text, the nearest of the second."""
    tiny = {"num_blocks": 40, "max_model_len": 64}
    with LLM(models.STDLIB_LM, pooler_config=PoolerConfig(task="token_embed"), **tiny) as llm:
        texts = ["import os", "import os\n", "class Queue:"]
        vectors = [output.outputs.data for output in llm.encode(texts, use_tqdm=False)]
        assert all(each.ndim == 2 for each in vectors)
        scores = [each.outputs.score for each in llm.score(texts[0], texts[1:], use_tqdm=False)]
        for score, other in zip(scores, vectors[1:], strict=True):
            assert score == pytest.approx(float((vectors[0] @ other.T).amax(1).sum()), abs=1e-4)
        with pytest.raises(ConfigError, match="chat_template is given, but LlamaForCausalLM reads each text by itself"):
            llm.score(texts[0], texts[1:], chat_template="{{ messages }}")
    with pytest.raises(ConfigError, match="PoolerConfig: task is 'sing', expected one of embed"):
        PoolerConfig(task="sing")


def test_pairs_by_a_template(tmp_path: Path) -> None:
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    config = AutoConfig.from_pretrained(models.STDLIB_LM, num_hidden_layers=1, num_labels=1)
    torch.manual_seed(0)
    model = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    with LLM(model, tokenizer, num_blocks=40, max_model_len=64) as llm:
        (output,) = llm.score("a query", "a document", chat_template=template, use_tqdm=False)
        (alone,) = llm.classify("<query>a query<document>a document", use_tqdm=False)
        assert output.outputs.score == pytest.approx(alone.outputs.probs[0])


def test_a_longest_sequence_by_vllms_word() -> None:
    rope = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 1024}
    overrides = {"max_model_len": 4096, "rope_parameters": rope}
    with LLM(models.STDLIB_LM, hf_overrides=overrides, num_blocks=40, use_tqdm_on_load=False) as llm:
        assert llm.engine.model.spec.max_model_len == 4096
        view = llm.llm_engine.vllm_config
        assert view.model_config.max_model_len == 4096 and view.model_config.hf_config.rope_parameters["factor"] == 4
        assert view.model_config.tokenizer is llm.get_tokenizer() and view.cache_config.block_size == 16
        assert view.scheduler_config.max_num_seqs == 64 and view.speculative_config is None
    with pytest.raises(ConfigError, match="hf_overrides has max_model_len='long', expected an integer"):
        LLM(models.STDLIB_LM, hf_overrides={"max_model_len": "long"})


def test_own_options_of_a_script_stay() -> None:
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--log-level", default="debug")
    args = EngineArgs.add_cli_args(parser).parse_args(["--enable-expert-parallel"])
    assert args.log_level == "debug" and args.enable_expert_parallel is True


# --- Messages -----------------------------------------------------------------------------------------------


def test_methods_that_are_not_here_say_why() -> None:
    running = engine()
    llm = AsyncLLM.from_engine(running)
    try:
        for owner, name in itertools.product((running, llm), ("release_kv_cache_memory", "collective_rpc")):
            assert not hasattr(owner, name)
            with pytest.raises(AttributeError, match=f"{type(owner).__name__}.{name} of vLLM's is not in torchpaged: "):
                getattr(owner, name)
        with pytest.raises(AttributeError, match="'LLMEngine' object has no attribute 'steep'"):
            _ = running.steep
    finally:
        llm.shutdown()
    assert {"release_kv_cache_memory", "collective_rpc", "enqueue"} <= REASONS["LLM"].keys()
    with small() as offline, pytest.raises(AttributeError, match=r"LLM.collective_rpc of vLLM's.*`apply_model`"):
        _ = offline.collective_rpc


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("use_beam_search", "use LLM.beam_search with BeamSearchParams"),
        ("length_penalty", "use LLM.beam_search"),
        ("guided_decoding", r"use structured_outputs=StructuredOutputsParams\(json=\.\.\.\)"),
        ("guided_regex", r"use structured_outputs=StructuredOutputsParams\(regex=\.\.\.\)"),
    ],
)
def test_names_of_older_vllms(name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=f"SamplingParams: unknown parameter '{name}'; {says}"):
        SamplingParams(**{name: True})


@pytest.mark.parametrize(
    ("dtype", "says"),
    [("fp16", "'float16'"), ("bf16", "'bfloat16'"), ("FP32", "'float32'"), ("bfloat61", "'bfloat16'")],
)
def test_short_names_of_types(dtype: str, says: str) -> None:
    with pytest.raises(ConfigError, match=f"dtype is '{dtype}', expected one of auto, .*; did you mean {says}"):
        LLM(models.STDLIB_LM, dtype=dtype)


def test_folders_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA", "base_model_name_or_path": "some/base"}')
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match="this is a LoRA adapter of 'some/base', not a model: load its base"):
        LLM(tmp_path)
    (tmp_path / "adapter_config.json").write_text("[]")
    with pytest.raises(ModelError, match="this is a LoRA adapter, not a model"):
        LLM(tmp_path)
    with pytest.raises(ModelError, match="tokenizer '/nowhere/at/all': there is no such folder"):
        LLM(models.STDLIB_LM, tokenizer="/nowhere/at/all")


def test_a_forgotten_prompt_comes_without_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.main(["generate", "--model", "m"])
    errors = capsys.readouterr().err
    assert status == 2 and "usage" not in errors and len(errors.splitlines()) == 1
    assert "generate: one of the arguments --prompt --prompts is required" in errors


def test_a_prompt_of_another_kind_names_what_takes_it() -> None:
    with pytest.raises(RequestError, match="'multi_modal_data'"), small() as llm:
        llm.generate({"prompt_token_ids": [3], "multi_modal_data": {"image": 1}}, GREEDY, use_tqdm=False)

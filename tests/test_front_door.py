"""The interface around `generate`: shutdown, names, metrics, profiles, the model itself, and vLLM's ways to call it."""

from __future__ import annotations

import functools
import gzip
import json
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from tqdm import tqdm

from tests import models
from tests.fakes import drain, engine, follow
from torchpaged import LLM, BeamSearchParams, EngineArgs, LLMEngine, PoolerConfig, SamplingParams
from torchpaged.engine.metrics import Counter, Gauge, Histogram
from torchpaged.errors import ConfigError, EngineError
from torchpaged.outputs import CallableBool, CompletionOutput

GREEDY = SamplingParams(temperature=0, max_tokens=4)
PROMPTS = models.prompts([5, 9])


def small(**settings: Any) -> LLM:
    return LLM(models.build("llama"), **{"num_blocks": 60, "block_size": 4, **settings})


# --- Shutdown ---------------------------------------------------------------------------------------------


def test_shutdown_gives_the_memory_back() -> None:
    with small() as llm:
        llm.generate(PROMPTS, GREEDY, use_tqdm=False)
        llm.pin_prefix(PROMPTS[1])
        stream = llm.stream(PROMPTS, GREEDY)
        next(stream)
        pool = weakref.ref(llm.engine.executor)
        cache = weakref.ref(llm.engine.executor.runner.kv_cache.slots[0].key)  # type: ignore[attr-defined]
        model = weakref.ref(llm.engine.model)
        assert repr(llm).startswith("LLM('LlamaForCausalLM', float32 on cpu, max_model_len=512, max_num_seqs=")
        assert "60 blocks of 4" in repr(llm)
    assert pool() is None and cache() is None and model() is None
    assert repr(llm) == "LLM(None, shut down)"
    llm.shutdown()
    for call in (
        lambda: llm.generate(PROMPTS, GREEDY),
        lambda: llm.stream(PROMPTS, GREEDY),
        llm.stats,
        llm.get_metrics,
        lambda: list(stream),
    ):
        with pytest.raises(EngineError, match=r"shut down|ended by another caller"):
            call()
    with pytest.raises(EngineError, match=r"LLM.generate: it has been shut down; make another"):
        llm.generate(PROMPTS)
    with pytest.raises(EngineError, match=r"LLMEngine.step: the engine has been shut down"):
        llm.engine.step()
    assert not llm.engine.has_unfinished_requests


def test_shutdown_leaves_the_owners_model() -> None:
    model = models.build("llama")
    before = models.greedy(model, PROMPTS, 4)
    with LLM(model, num_blocks=60) as llm:
        llm.generate(PROMPTS, GREEDY, use_tqdm=False)
    assert models.greedy(model, PROMPTS, 4) == before


# --- vLLM's ways to call ----------------------------------------------------------------------------------


def test_answers_are_values_and_calls() -> None:
    running = engine()
    assert not running.has_unfinished_requests and running.has_unfinished_requests() is False
    running.add_request("a", [3, 4], GREEDY)
    assert running.has_unfinished_requests and running.has_unfinished_requests() is True
    assert running.has_unfinished_requests == True and repr(running.has_unfinished_requests) == "True"  # noqa: E712
    while running.has_unfinished_requests():
        outputs = running.step()
    assert outputs[0].finished is True and outputs[0].outputs[0].finished() is True
    assert not CompletionOutput(0, "", []).finished and CompletionOutput(0, "", []).finished() is False
    assert json.dumps({"finished": bool(CallableBool(True))}) == '{"finished": true}'


def test_aborting_several() -> None:
    running = engine()
    for name in "abc":
        running.add_request(name, [3, 4], GREEDY)
    running.step()
    running.abort_request(["a", "c", "nobody"])
    assert drain(running)["b"].outputs[0].token_ids == follow([3, 4], 4)
    running.add_request("a", [3, 4], GREEDY)
    running.abort_request("a")
    assert not running.has_unfinished_requests()


def test_arguments_of_generate() -> None:
    llm = small(scheduling_policy="priority", max_num_seqs=1)
    seen: dict[str, Any] = {}

    def bar(**options: Any) -> Any:
        seen.update(options)
        return tqdm(**{**options, "disable": True})

    llm.generate(PROMPTS, GREEDY, use_tqdm=bar, lora_request=None, priority=3)
    assert seen["total"] == 2
    outputs = llm.generate(PROMPTS, GREEDY, use_tqdm=functools.partial(tqdm, disable=True), priority=[2, 1])
    ended = [output.metrics.finished_time or 0 for output in outputs]
    assert ended[0] > ended[1]
    for arguments, says in (
        ({"lora_request": object()}, "lora_request is .*expected a LoRARequest, one for each of 2 prompts, or None"),
        ({"priority": "high"}, "priority is 'high', expected an integer or one for each of 2"),
        ({"priority": [1]}, "priority has 1 entries, expected one for each of 2"),
        ({"priority": 1.5}, "priority is 1.5, expected an integer"),
        ({"use_tqdm": "yes"}, "use_tqdm is 'yes', expected True, False or a factory of bars"),
    ):
        with pytest.raises(ConfigError, match=says):
            llm.generate(PROMPTS, GREEDY, **{"use_tqdm": False, **arguments})
    assert not llm.engine.has_unfinished_requests
    with pytest.raises(ConfigError, match="request_ids is 7, expected an id or several"):
        llm.engine.abort_request(7)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="func is 'x', expected a function of a module"):
        llm.apply_model("x")  # type: ignore[arg-type]


def test_default_parameters_are_the_callers() -> None:
    llm = small()
    assert llm.get_default_sampling_params() is not llm.get_default_sampling_params()
    assert llm.get_default_sampling_params() == llm.engine.default_params
    assert llm.llm_engine is llm.engine and llm.get_tokenizer() is None


# --- The model --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_applying_a_function_to_the_model(dtype: str) -> None:
    """The function sees the checkpoint's own weights, packed or not, and its changes take effect."""
    llm = LLM(models.STDLIB_LM, dtype=dtype, num_blocks=60, block_size=4)
    before = llm.generate([PROMPTS[1]], GREEDY, use_tqdm=False)[0].outputs[0].token_ids
    (count,) = llm.apply_model(lambda model: sum(weight.numel() for weight in model.parameters()))
    assert count > 1_000_000
    (same,) = llm.generate([PROMPTS[1]], GREEDY, use_tqdm=False)
    assert same.outputs[0].token_ids == before

    def negate(model: torch.nn.Module) -> None:
        with torch.no_grad():
            next(model.parameters()).neg_()

    llm.apply_model(negate)
    (changed,) = llm.generate([PROMPTS[1]], GREEDY, use_tqdm=False)
    assert changed.outputs[0].token_ids != before and changed.num_cached_tokens == 0
    llm.engine.add_request("a", PROMPTS[0], GREEDY)
    with pytest.raises(EngineError, match="apply_model: 1 requests are unfinished"):
        llm.apply_model(negate)


# --- Metrics and profiles ---------------------------------------------------------------------------------


def test_metrics_count_what_was_done() -> None:
    llm = small(served_model_name="mine")
    llm.generate([PROMPTS[1], PROMPTS[1]], GREEDY, use_tqdm=False)
    list(llm.stream([PROMPTS[0]], GREEDY))
    llm.engine.add_request("a", PROMPTS[0], GREEDY)
    llm.engine.step()
    running = {metric.name: metric for metric in llm.get_metrics()}["vllm:num_requests_running"]
    assert isinstance(running, Gauge) and running.value == 1.0
    llm.engine.abort_request("a")
    metrics = llm.get_metrics()
    assert all(metric.labels["model_name"] == "mine" for metric in metrics)
    values = {metric.name: metric.value for metric in metrics if isinstance(metric, (Counter, Gauge))}
    assert values["vllm:num_requests_running"] == values["vllm:kv_cache_usage_perc"] == 0
    assert values["vllm:prompt_tokens"] == 9 + 9 + 5 + 5 and values["vllm:generation_tokens"] == 13
    assert values["vllm:prefix_cache_queries"] == 28
    ended = {
        metric.labels["finished_reason"]: metric.value
        for metric in metrics
        if isinstance(metric, Counter) and metric.name == "vllm:request_success"
    }
    assert ended == {"stop": 0, "length": 3, "abort": 1, "error": 0}
    (info,) = [metric for metric in metrics if metric.name == "vllm:cache_config_info"]
    config, cache = llm.engine.config, llm.stats().cache
    assert isinstance(info, Gauge) and info.value == 1 and info.labels["cache_dtype"] == config.kv_cache_dtype
    assert (info.labels["block_size"], info.labels["num_gpu_blocks"]) == (str(config.block_size), str(cache.num_blocks))
    waiting = [each for each in metrics if each.name == "vllm:num_requests_waiting_by_reason"]
    assert {each.labels["reason"]: each.value for each in waiting if isinstance(each, Gauge)} == {
        "capacity": 0,
        "deferred": 0,
    }
    histograms = {metric.name: metric for metric in metrics if isinstance(metric, Histogram)}
    asked = histograms["vllm:request_params_n"], histograms["vllm:request_params_max_tokens"]
    assert [(each.count, each.sum) for each in asked] == [(4, 4), (4, 4 * (GREEDY.max_tokens or 0))]
    tokens = histograms["vllm:request_generation_tokens"]
    assert (tokens.count, tokens.sum) == (4, 13) and tokens.buckets["+Inf"] == 4 and tokens.buckets["2"] == 1
    assert histograms["vllm:time_to_first_token_seconds"].count == 4
    steps, preempted = histograms["vllm:iteration_tokens_total"], histograms["vllm:request_num_preemptions"]
    stats = llm.stats()
    assert (steps.count, steps.sum) == (stats.num_steps, stats.num_computed_tokens) and steps.buckets["1"] > 0
    assert (preempted.count, preempted.sum, preempted.buckets["0"]) == (4, 0, 4)
    assert values["vllm:prompt_tokens_cached"] == values["vllm:prefix_cache_hits"] > 0
    for histogram in histograms.values():
        counts = list(histogram.buckets.values())
        assert counts == sorted(counts) and counts[-1] == histogram.count


def test_metrics_say_what_was_asked_for_and_why_requests_wait() -> None:
    """The names are vLLM's; requests without a limit, or without output, are in none of its histograms."""
    llm = small(max_num_seqs=1, pooler_config=PoolerConfig())
    llm.generate(PROMPTS[0], SamplingParams(n=3, max_tokens=2), use_tqdm=False)
    llm.beam_search([PROMPTS[0]], BeamSearchParams(beam_width=2, max_tokens=3))
    llm.embed(PROMPTS[0], use_tqdm=False)
    llm.engine.add_request("whole", PROMPTS[0], SamplingParams(max_tokens=None))
    llm.engine.add_request("behind", PROMPTS[0], GREEDY)
    llm.engine.step()
    metrics = llm.get_metrics()
    waiting = [each for each in metrics if each.name.startswith("vllm:num_requests_waiting")]
    assert [each.value for each in waiting if isinstance(each, Gauge)] == [1, 1, 0]
    llm.engine.abort_request(["whole", "behind"])
    histograms = {metric.name: metric for metric in llm.get_metrics() if isinstance(metric, Histogram)}
    counts, limits = histograms["vllm:request_params_n"], histograms["vllm:request_params_max_tokens"]
    assert (counts.count, counts.sum) == (4, 3 + 2 + 1 + 1)
    assert (limits.count, limits.sum) == (3, 2 + 3 + (GREEDY.max_tokens or 0))


def test_profiles_go_to_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    llm = small(profiler_config={"profiler": "torch", "torch_profiler_dir": str(folder)})
    for prefix in ("first", None):
        with pytest.raises(ConfigError, match=r"profile_prefix is '../x', expected the beginning of a file's name"):
            llm.start_profile("../x")
        llm.start_profile(prefix)
        llm.generate(PROMPTS, GREEDY, use_tqdm=False)
        with pytest.raises(ConfigError, match="it has been started; stop_profile first"):
            llm.start_profile()
        path = llm.stop_profile()
        assert path.parent == folder and path.name.startswith(prefix or "torchpaged")
        with gzip.open(path) as file:
            names = {event.get("name") for event in json.load(file)["traceEvents"]}
        assert "torchpaged: forward" in names
    assert len(list(folder.iterdir())) == 2
    with pytest.raises(ConfigError, match="stop_profile: it has not been started"):
        llm.stop_profile()
    with pytest.raises(ConfigError, match=r"start_profile: there is no folder.*profiler_config"):
        small().start_profile()


# --- Arguments --------------------------------------------------------------------------------------------


def test_an_engine_of_arguments() -> None:
    args = EngineArgs(model=str(models.STDLIB_LM), dtype="float32", num_gpu_blocks_override=60, tensor_parallel_size=1)
    running = LLMEngine.from_engine_args(args)
    assert running.config.num_blocks == 60
    running.add_request("a", "import os", GREEDY)
    llm = LLM.from_engine_args(args)
    (expected,) = llm.generate("import os", GREEDY, use_tqdm=False)
    assert drain(running)["a"].outputs[0].token_ids == expected.outputs[0].token_ids

"""LLMEngine: requests that join, leave, stop and ask for logprobs, on a fake model and on stdlib-lm."""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests import models
from tests.fakes import EOS, FakeModel, FakeTokenizer, drain, engine, follow
from torchpaged import LLM, BeamSearchParams, LLMEngine, RequestOutput, SamplingParams
from torchpaged.engine.metrics import Counter
from torchpaged.errors import RequestError
from torchpaged.integrations.transformers import adapter
from torchpaged.sampling_params import RequestOutputKind


def greedy(**params: Any) -> SamplingParams:
    return SamplingParams(**{"temperature": 0.0, "max_tokens": 8, **params})


# --- Joining and leaving ----------------------------------------------------------------------------------


def test_requests_join_and_leave_while_others_run() -> None:
    running = engine(max_num_seqs=3)
    running.add_request("a", [3, 4], greedy(max_tokens=10))
    seen: dict[str, RequestOutput] = {}
    for step in range(40):
        if step == 2:
            running.add_request("b", [9], greedy(max_tokens=3))
        if step == 4:
            running.add_request("c", [5] * 20, greedy(max_tokens=2))
        for output in running.step():
            seen[output.request_id] = output
        running.check()
    assert {name: output.outputs[0].token_ids for name, output in seen.items()} == {
        "a": follow([3, 4], 10),
        "b": follow([9], 3),
        "c": follow([5] * 20, 2),
    }
    assert all(output.finished for output in seen.values())
    assert not running.has_unfinished_requests and running.step() == []


def test_a_step_returns_what_got_tokens() -> None:
    running = engine(max_num_batched_tokens=4)
    running.add_request("long", [3] * 9, greedy(max_tokens=1))
    assert [running.step(), running.step()] == [[], []]  # a prompt under way has nothing to show
    (output,) = running.step()
    assert output.finished and output.outputs[0].token_ids == follow([3] * 9, 1)


@pytest.mark.parametrize("steps", [0, 1, 4], ids=["waiting", "prefilling", "running"])
def test_abort(steps: int) -> None:
    running = engine(max_num_batched_tokens=8)
    running.add_request("a", [3] * 20, greedy(max_tokens=30))
    running.add_request("b", [4] * 3, greedy())
    for _ in range(steps):
        running.step()
    output = running.abort("a")
    assert output is not None and output.finished
    assert output.outputs[0].finish_reason == "abort"
    assert output.outputs[0].token_ids == follow([3] * 20, max(0, steps - 2))
    assert output.metrics.finished_time is not None
    running.check()
    assert running.abort("a") is None
    assert drain(running)["b"].outputs[0].token_ids == follow([4] * 3, 8)
    assert running.stats().cache.num_used_blocks == 0
    running.add_request("a", [5], greedy())  # the name is free again
    assert drain(running)["a"].outputs[0].token_ids == follow([5], 8)


def test_abort_ends_every_completion() -> None:
    running = engine()
    running.add_request("a", [3], greedy(n=3, max_tokens=9))
    running.step()
    output = running.abort("a")
    assert output is not None and [each.finish_reason for each in output.outputs] == ["abort"] * 3
    running.check()
    assert running.stats().num_running == 0


@pytest.mark.parametrize("strange", ["a#1", "a#beam1", "0", "1#1", "pin-1", ""])
def test_any_text_is_an_id(strange: str) -> None:
    """The scheduler's requests for the samples of "a" have internal names that callers cannot use."""
    running = engine()
    running.add_request("a", [3], greedy(n=2))
    running.add_request("b", [5, 6], BeamSearchParams(beam_width=3, max_tokens=4))
    running.add_request(strange, [4], greedy(n=2))
    with pytest.raises(RequestError, match=re.escape(f"request {strange!r}: an unfinished request has this id")):
        running.add_request(strange, [4], greedy())
    running.step()
    assert running.abort("a#7") is None and running.abort("2") is None
    aborted = running.abort("a")
    assert aborted is not None and len(aborted.outputs) == 2
    outputs = drain(running)
    assert set(outputs) == {"b", strange}
    assert [completion.token_ids for completion in outputs[strange].outputs] == [follow([4], 8)] * 2


# --- Ends -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "prompt", "generated"),
    [
        pytest.param({"max_model_len": 16}, 10, 6, id="max-model-len"),
        pytest.param({"num_blocks": 4, "block_size": 4}, 10, 3, id="pool"),
        pytest.param({}, 10, 20, id="max-tokens"),
    ],
)
def test_where_a_request_ends(sizes: dict[str, int], prompt: int, generated: int) -> None:
    running = engine(**sizes)
    running.add_request("a", [3] * prompt, greedy(max_tokens=20))
    completion = drain(running)["a"].outputs[0]
    assert completion.token_ids == follow([3] * prompt, generated)
    assert (completion.finish_reason, completion.stop_reason) == ("length", None)


@pytest.mark.parametrize(
    ("params", "end", "reason"),
    [
        pytest.param({}, EOS, None, id="eos"),
        pytest.param({"stop_token_ids": [EOS], "ignore_eos": True}, EOS, EOS, id="eos-as-stop-token"),
    ],
)
def test_the_ending_token_is_kept_and_is_no_text(params: dict[str, Any], end: int, reason: int | None) -> None:
    running = engine(FakeModel(script=[7, 8, end, 9]), tokenizer=FakeTokenizer())
    running.add_request("a", [3], greedy(**params))
    completion = drain(running)["a"].outputs[0]
    assert (completion.token_ids, completion.text) == ([7, 8, end], "hi")
    assert (completion.finish_reason, completion.stop_reason) == ("stop", reason)


def test_min_tokens_and_ignore_eos() -> None:
    running = engine(FakeModel(script=[7, EOS, 8, EOS, 9]))
    running.add_request("min", [3], greedy(min_tokens=3))
    running.add_request("ignore", [3], greedy(ignore_eos=True, max_tokens=5))
    outputs = drain(running)
    banned = outputs["min"].outputs[0].token_ids
    assert len(banned) == 4 and EOS not in banned[:3] and banned[3] == EOS
    assert outputs["ignore"].outputs[0].token_ids == [7, EOS, 8, EOS, 9]


@pytest.mark.parametrize(
    ("stop", "text", "tokens", "found"),
    [
        pytest.param("i", "h", [7, 8], "i", id="one-token"),
        pytest.param("ij", "h", [7, 8, 9], "ij", id="two-tokens"),
        pytest.param(["zz", "hij"], "", [7, 8, 9], "hij", id="from-the-first"),
        pytest.param("l", "hijk", [7, 8, 9, 10, 11], "l", id="at-max-tokens"),
    ],
)
def test_stop_strings(stop: Any, text: str, tokens: list[int], found: str) -> None:
    running = engine(FakeModel(script=[7, 8, 9, 10, 11]), tokenizer=FakeTokenizer())
    running.add_request("a", "c", greedy(stop=stop, max_tokens=5))
    completion = drain(running)["a"].outputs[0]
    assert (completion.text, completion.token_ids) == (text, tokens)
    assert (completion.finish_reason, completion.stop_reason) == ("stop", found)
    running.check()


# --- Preemption, metrics, counters ------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [{}, {"max_num_batched_tokens": 3}], ids=["whole", "chunked"])
def test_prompt_logprobs_once_each(sizes: dict[str, int]) -> None:
    """A preempted prompt is computed again together with its output: no position is reported twice."""
    running = engine(num_blocks=10, block_size=4, **sizes)
    for i, name in enumerate("abc"):
        running.add_request(name, [3 + i] * 9, greedy(max_tokens=12, prompt_logprobs=0, logprobs=0))
    outputs = drain(running)
    assert running.stats().num_preemptions > 0
    for i, name in enumerate("abc"):
        output = outputs[name]
        assert output.outputs[0].token_ids == follow([3 + i] * 9, 12)
        rows = output.prompt_logprobs
        assert rows is not None and len(rows) == 9
        assert rows[0] is None and all(row is not None and set(row) == {3 + i} for row in rows[1:])
        assert output.outputs[0].logprobs is not None and len(output.outputs[0].logprobs) == 12


@pytest.mark.parametrize("kind", list(RequestOutputKind))
def test_deltas_bring_prompt_logprobs_once(kind: RequestOutputKind) -> None:
    running, shown = engine(), []
    running.add_request("a", [3, 4, 5], greedy(max_tokens=6, prompt_logprobs=1, output_kind=kind, n=2, temperature=1))
    while running.has_unfinished_requests:
        shown += running.step()
    expected = [0] * (len(shown) - 1) if kind is RequestOutputKind.DELTA else [3] * (len(shown) - 1)
    assert [len(output.prompt_logprobs or ()) for output in shown] == [3, *expected]
    assert len(shown) == (1 if kind is RequestOutputKind.FINAL_ONLY else 6)


@pytest.mark.parametrize("overlaps", [False, True])
def test_a_prompt_beside_a_stream_is_cut_to_the_steps_time(overlaps: bool) -> None:
    """The clock is simulated: a step takes a millisecond, and one more per token."""
    running = engine(max_step_ms=20, async_scheduling=overlaps)
    now, counts = [0.0], list[int]()
    result = running.executor.result

    def timed(number: int) -> Any:
        step = under_way[number]
        counts.append(step.num_tokens)
        now[0] += (1 + step.num_tokens) / 1e3
        return result(number)

    under_way: dict[int, Any] = {}
    launch = running.executor.launch
    running.executor.launch = lambda step: (under_way.update({step.number: step}), launch(step))[1]  # type: ignore[method-assign]
    running.executor.result = timed  # type: ignore[method-assign]
    running.pipeline.timer._clock = lambda: now[0]
    running.add_request("stream", [3, 4], greedy(max_tokens=100))
    for _ in range(4):
        running.step()
    running.add_request("long", [5] * 100, greedy(max_tokens=2))
    done = drain(running)
    assert done["stream"].outputs[0].token_ids == follow([3, 4], 100)
    assert done["long"].outputs[0].token_ids == follow([5] * 100, 2)
    prompts = [count for count in counts if count > 2]
    # 18 ms are aimed at: a millisecond, the stream's, and 16 of the prompt.
    assert all(16 <= count <= 17 for count in prompts[-3:-1]) and sum(prompts) >= 100
    stats = running.stats()
    assert (
        stats.prefill_budget is not None
        and stats.prefill_budget.num_cut >= 5
        and stats.prefill_budget.max_step_ms == 20
    )
    assert stats.prefill_budget.token_ms == pytest.approx(1.0, rel=0.1)
    metrics = {metric.name: metric for metric in running.get_metrics()}
    assert metrics["torchpaged:steps_cut"] == Counter(
        "torchpaged:steps_cut", {"model_name": "FakeModel", "engine": "0"}, stats.prefill_budget.num_cut
    )


def test_metrics_and_stats() -> None:
    running = engine(num_blocks=7, block_size=4, max_num_seqs=3, enable_prefix_caching=False)
    for name in "abc":
        running.add_request(name, [3] * 7, greedy(max_tokens=6))
    outputs = drain(running)
    stats = running.stats()
    assert stats.num_generated_tokens == 18
    assert stats.num_preemptions == sum(o.metrics.num_preemptions for o in outputs.values()) == 1
    assert stats.num_computed_tokens == 3 * 12 + 8  # the preempted request's 8 are computed twice
    assert (stats.peak.num_used_blocks, stats.cache.num_used_blocks) == (6, 0)
    assert (stats.num_running, stats.num_waiting) == (0, 0)
    for output in outputs.values():
        metrics = output.metrics
        assert metrics.first_token_time is not None and metrics.finished_time is not None
        assert metrics.arrival_time <= metrics.first_token_time <= metrics.finished_time
        assert output.num_cached_tokens == 0


# --- On a trained model -----------------------------------------------------------------------------------

TEXTS = ("import os\n", "def main(", "class Node:\n    def __init__(self", "for i in range(", "x")


@functools.cache
def stdlib(**settings: Any) -> LLM:
    return LLM(models.STDLIB_LM, dtype="float32", **{"num_blocks": 200, **settings})


@functools.cache
def original() -> Any:
    return AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, dtype=torch.float32).eval()


@pytest.mark.parametrize(
    "sizes",
    [{}, {"max_num_batched_tokens": 5}, {"num_blocks": 34, "block_size": 1}],
    ids=["whole", "chunked", "preempted"],
)
def test_logprobs_are_transformers(sizes: dict[str, int]) -> None:
    params = greedy(max_tokens=6, logprobs=3, prompt_logprobs=2, ignore_eos=True)
    for output in stdlib(**sizes).generate(list(TEXTS), params, use_tqdm=False):
        completion = output.outputs[0]
        expected = models.logprobs(original(), [*output.prompt_token_ids, *completion.token_ids])
        rows = [*(output.prompt_logprobs or []), *(completion.logprobs or [])]
        tokens = [*output.prompt_token_ids, *completion.token_ids]
        assert len(rows) == len(tokens) and rows[0] is None
        for i, (token, row) in enumerate(zip(tokens[1:], rows[1:], strict=True)):
            assert row is not None and token in row
            assert len(row) in ((2, 3) if i + 1 < len(output.prompt_token_ids) else (3, 4))
            for each, value in row.items():
                assert value.logprob == pytest.approx(expected[i, each].item(), abs=1e-4)
            assert min(value.rank for value in row.values()) == 1
            assert row[token].decoded_token == stdlib().tokenizer.decode([token])
        total = sum(
            row[token].logprob for token, row in zip(completion.token_ids, completion.logprobs or [], strict=True)
        )
        assert completion.cumulative_logprob == pytest.approx(total)
    assert (stdlib(**sizes).stats().num_preemptions > 0) == ("num_blocks" in sizes)


def texts(llm: LLM, prompts: list[Any], params: Any) -> list[list[list[int]]]:
    outputs = llm.generate(prompts, params, use_tqdm=False)
    return [[completion.token_ids for completion in output.outputs] for output in outputs]


def test_a_seed_decides_whatever_the_batch() -> None:
    llm, seeded = stdlib(), SamplingParams(seed=5, max_tokens=12, ignore_eos=True)
    alone = texts(llm, [TEXTS[1]], seeded)[0]
    others = SamplingParams(max_tokens=9, top_p=0.9)
    assert texts(llm, list(TEXTS), [others, seeded, others, others, others])[1] == alone
    assert texts(stdlib(max_num_batched_tokens=5), [TEXTS[1]], seeded)[0] == alone
    assert texts(llm, [TEXTS[1]], SamplingParams(seed=6, max_tokens=12, ignore_eos=True))[0] != alone


def test_n_completions() -> None:
    llm = stdlib()
    params = SamplingParams(n=3, seed=5, max_tokens=12, ignore_eos=True)
    (output,) = llm.generate(TEXTS[0], params, use_tqdm=False)
    assert [completion.index for completion in output.outputs] == [0, 1, 2]
    assert len({tuple(completion.token_ids) for completion in output.outputs}) == 3
    for i, completion in enumerate(output.outputs):  # completion i uses seed + i
        single = SamplingParams(seed=5 + i, max_tokens=12, ignore_eos=True)
        assert texts(llm, [TEXTS[0]], single)[0] == [completion.token_ids]


def test_the_text_is_the_tokens_text() -> None:
    llm = stdlib()
    for output in llm.generate(list(TEXTS), greedy(max_tokens=24), use_tqdm=False):
        tokens = [*output.prompt_token_ids, *output.outputs[0].token_ids]
        whole = llm.tokenizer.decode(tokens, skip_special_tokens=True)
        assert output.prompt is not None and output.prompt + output.outputs[0].text == whole


def test_a_stop_string_ends_where_it_first_stands() -> None:
    llm = stdlib()
    params = greedy(max_tokens=24, ignore_eos=True)
    (free,) = llm.generate([TEXTS[2]], params, use_tqdm=False)
    text = free.outputs[0].text
    stop = text[len(text) // 2 : len(text) // 2 + 4]
    (cut,) = llm.generate([TEXTS[2]], greedy(max_tokens=24, ignore_eos=True, stop=stop), use_tqdm=False)
    assert cut.outputs[0].text == text[: text.index(stop)]
    assert (cut.outputs[0].finish_reason, cut.outputs[0].stop_reason) == ("stop", stop)
    assert free.outputs[0].token_ids[: len(cut.outputs[0].token_ids)] == cut.outputs[0].token_ids


def test_kinds_of_prompts() -> None:
    llm, params = stdlib(), greedy(max_tokens=4)
    tokens = llm.tokenizer(TEXTS[0])["input_ids"]
    alone = texts(llm, [TEXTS[0]], params)[0]
    assert llm.generate([], params, use_tqdm=False) == []
    for prompts in (TEXTS[0], tokens):
        (output,) = llm.generate(prompts, params, use_tqdm=False)
        assert [output.outputs[0].token_ids] == alone and output.prompt_token_ids == tokens
    mixed = llm.generate([tokens, TEXTS[1], TEXTS[0]], [params, greedy(max_tokens=2), params], use_tqdm=False)
    assert [output.prompt for output in mixed] == [None, TEXTS[1], TEXTS[0]]
    assert [len(output.outputs[0].token_ids) for output in mixed] == [4, 2, 4]
    assert [mixed[0].outputs[0].token_ids] == [mixed[2].outputs[0].token_ids] == alone
    assert len(llm.generate(list(TEXTS), use_tqdm=False)) == len(TEXTS)  # the default parameters


@pytest.mark.parametrize("kind", list(RequestOutputKind))
def test_outputs_are_their_owners(kind: RequestOutputKind) -> None:
    """Emptying every returned list does not change later outputs."""
    params = greedy(logprobs=1, prompt_logprobs=1, output_kind=kind)
    expected, got = (engine() for _ in range(2))
    for running in (expected, got):
        running.add_request("a", [3, 4, 5], params)
    while expected.has_unfinished_requests:
        for theirs, ours in zip(expected.step(), got.step(), strict=True):
            assert (theirs.outputs, theirs.prompt_logprobs) == (ours.outputs, ours.prompt_logprobs)
            assert ours.prompt_token_ids == [3, 4, 5]
            ours.prompt_token_ids.clear()
            for row in (*(ours.prompt_logprobs or []), *(ours.outputs[0].logprobs or [])):
                if row is not None:
                    row.clear()


def test_an_engine_of_ones_own() -> None:
    """The parts below LLM used directly: a model from the adapter, an engine, steps."""
    model = adapter.wrap(AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, dtype=torch.float32))
    running = LLMEngine(model, stdlib().engine.config)
    tokens = stdlib().tokenizer(TEXTS[0])["input_ids"]
    running.add_request("a", tokens, greedy(max_tokens=6, ignore_eos=True))
    completion = drain(running)["a"].outputs[0]
    assert completion.text == ""  # no tokenizer, no text
    assert completion.token_ids == models.greedy(original(), [tokens], 6)[0][:6] or 0 in completion.token_ids

"""Pooling: vectors of transformers' own hidden states for every schedule; classes and pairs."""

from __future__ import annotations

import functools
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from tests import models
from tests.fakes import FakeDecoder, FakeModel, drain, engine, follow
from tests.remote_executor import far_engine
from torchpaged import LLM, LLMEngine, PoolingParams, RequestOutput, SamplingParams
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.pooling_params import POOLING_TYPES, PoolerConfig
from torchpaged.scheduling import Step

AS_IT_IS: dict[str, Any] = {"use_activation": False}
LENGTHS = (3, 41, 17, 8, 1, 30)
SMALL: dict[str, Any] = {"num_blocks": 14, "block_size": 4, "long_prefill_token_threshold": 4}


@functools.cache
def original(kind: str) -> PreTrainedModel:
    """Return a model that torchpaged never touches."""
    return models.build(kind, sliding_window=12) if kind == "gemma2" else models.build(kind)


@torch.inference_mode()
def hidden_states(model: PreTrainedModel, prompt: list[int]) -> Tensor:
    """[num_tokens, hidden_size] by transformers' own attention."""
    decoder = getattr(model, model.base_model_prefix)
    states: Tensor = decoder(torch.tensor([prompt])).last_hidden_state[0].double()
    return states


def by_hand(states: Tensor, pooling_type: str) -> Tensor:
    values = {"LAST": states[-1], "CLS": states[0], "MEAN": states.mean(0), "MAX": states.amax(0), "ALL": states}
    return values[pooling_type]


def close(found: Any, expected: Tensor) -> bool:
    """Return whether two results agree within 1e-5 of the largest number."""
    difference = (torch.as_tensor(found).double() - expected).abs().max()
    return bool(difference <= 1e-5 * max(1.0, float(expected.abs().max())))


# --- Vectors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("llama", {}),
        ("llama", {"max_num_batched_tokens": 7, "block_size": 4}),
        ("llama", SMALL),
        ("llama", {**SMALL, "swap_space": 0.01, "preemption_mode": "swap"}),
        ("llama", {"max_num_seqs": 2, "block_size": 4, "async_scheduling": True}),
        ("llama", {"enable_prefix_caching": False, "block_size": 4}),
        ("gemma2", {"block_size": 4, "max_num_batched_tokens": 16}),
    ],
    ids=["plain", "chunked", "small pool", "swapped", "few seats", "no prefix cache", "window"],
)
def test_vectors_are_those_of_a_forward(kind: str, settings: dict[str, Any]) -> None:
    llm = LLM(models.build(kind, sliding_window=12) if kind == "gemma2" else models.build(kind), **settings)
    prompts = models.prompts(LENGTHS)
    for pooling_type in POOLING_TYPES:
        params = PoolingParams(pooling_type=pooling_type, **AS_IT_IS)
        for prompt, output in zip(prompts, llm.encode(prompts, params, use_tqdm=False), strict=True):
            assert output.finished and output.prompt_token_ids == prompt
            assert close(output.outputs.data, by_hand(hidden_states(original(kind), prompt), pooling_type))
    every = llm.encode(prompts, PoolingParams(**AS_IT_IS), pooling_task="token_embed", use_tqdm=False)
    for prompt, output in zip(prompts, every, strict=True):
        assert close(output.outputs.data, hidden_states(original(kind), prompt))
    llm.engine.check()
    assert bool(llm.stats().num_preemptions) == ("num_blocks" in settings)
    assert llm.stats().num_generated_tokens == 0 and llm.stats().cache.num_used_blocks == 0


def test_embed_as_vllm_has_it() -> None:
    """The last token's vector, normalised, by default."""
    prompts = models.prompts([5, 9])
    outputs = LLM(models.build("llama"), num_blocks=60).embed(prompts, use_tqdm=False)
    for prompt, output in zip(prompts, outputs, strict=True):
        expected = hidden_states(original("llama"), prompt)[-1]
        assert isinstance(output.outputs.embedding, list) and output.outputs.hidden_size == 64
        assert close(output.outputs.embedding, expected / expected.norm())
        assert output.prompt_token_ids == prompt and output.num_cached_tokens == 0 and output.finished
    pooler = PoolerConfig(pooling_type="mean", use_activation=False, dimensions=5)
    (output,) = LLM(models.build("llama"), num_blocks=60, pooler_config=pooler).embed(prompts[:1], use_tqdm=False)
    assert close(output.outputs.embedding, hidden_states(original("llama"), prompts[0]).mean(0)[:5])


def test_dimensions_are_cut_before_the_length_is_made_1() -> None:
    llm, prompt = LLM(models.build("llama"), num_blocks=60), models.prompts([9])[0]
    (output,) = llm.embed(prompt, pooling_params=PoolingParams(dimensions=8), use_tqdm=False)
    expected = hidden_states(original("llama"), prompt)[-1][:8]
    assert close(output.outputs.embedding, expected / expected.norm())
    with pytest.raises(RequestError, match=r"prompt 0: .*dimensions is 65, expected at most 64"):
        llm.embed(prompt, pooling_params=PoolingParams(dimensions=65), use_tqdm=False)


def test_what_the_prefix_cache_may_give() -> None:
    """All tokens before the last one; none for a mean, since it needs each row."""
    llm, (prompt,) = LLM(models.build("llama"), block_size=4, num_blocks=60), models.prompts([21])
    llm.generate([prompt], SamplingParams(max_tokens=1), use_tqdm=False)
    for pooling_type, cached in (("LAST", 20), ("MEAN", 0), ("CLS", 0)):
        params = PoolingParams(pooling_type=pooling_type, **AS_IT_IS)
        (output,) = llm.embed([prompt], pooling_params=params, use_tqdm=False)
        assert output.num_cached_tokens == cached
        assert close(output.outputs.embedding, by_hand(hidden_states(original("llama"), prompt), pooling_type))
    before = llm.stats().num_computed_tokens
    llm.embed([prompt], pooling_params=PoolingParams(pooling_type="CLS"), use_tqdm=False)
    assert llm.stats().num_computed_tokens == before + 1, "nothing that follows can change the first token's"


def test_a_prompt_may_be_as_long_as_the_model() -> None:
    """No token follows the prompt."""
    llm = LLM(models.build("llama", max_position_embeddings=32), block_size=4)
    longest, longer = models.prompts([32, 33])
    (output,) = llm.embed([longest], pooling_params=PoolingParams(**AS_IT_IS), use_tqdm=False)
    states = hidden_states(models.build("llama", max_position_embeddings=32), longest)
    assert close(output.outputs.embedding, states[-1])
    with pytest.raises(RequestError, match=r"the prompt has 33 tokens, max_model_len is 32; shorten .*truncate_prompt"):
        llm.embed([longest, longer], use_tqdm=False)
    for kept, length in ((-1, 32), (40, 32), (7, 7)):
        options = {"truncate_prompt_tokens": kept}
        (output,) = llm.embed([longer], tokenization_kwargs=options, use_tqdm=False)
        assert output.prompt_token_ids == longer[-length:]


def test_options_are_for_every_kind_of_prompt() -> None:
    """Texts, pairs, tokens, and dictionaries of either with their salt: read as `generate` reads them."""
    text, ids = "def main(argv):", [5, 6, 7, 8]
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    whole = tokenizer(text)["input_ids"]
    prompts: list[Any] = [text, ids, {"prompt": text, "cache_salt": "a"}, {"prompt_token_ids": ids}]

    def read(prompts: Any, **options: Any) -> list[list[int]]:
        outputs = stdlib_lm().embed(prompts, use_tqdm=False, tokenization_kwargs=options)
        return [output.prompt_token_ids for output in outputs]

    assert read(prompts) == [whole, ids, whole, ids]
    assert read(prompts, truncate_prompt_tokens=2) == [whole[-2:], [7, 8], whole[-2:], [7, 8]]
    assert read(tokenizer([text, "x"], padding=True), truncate_prompt_tokens=2)[0] == whole[-2:]
    assert read(text, truncation=True, max_length=3) == [whole[:3]]
    assert read(text, padding="max_length", max_length=64) == [whole]
    with pytest.raises(RequestError, match=r"prompt 1: .*the tokenizer failed on the prompt: .*as an integer"):
        stdlib_lm().embed([ids, text], tokenization_kwargs={"truncation": True, "max_length": "x"}, use_tqdm=False)
    with pytest.raises(
        RequestError, match=r"prompt 0: .*the prompt has the keys \['text'\], expected prompt, prompt_tok"
    ):
        stdlib_lm().embed([{"text": text}], tokenization_kwargs={"truncate_prompt_tokens": 2}, use_tqdm=False)


@functools.cache
def stdlib_lm() -> LLM:
    return LLM(models.STDLIB_LM, num_blocks=60, max_model_len=64)


# --- Schedules, on a model whose hidden states are known -------------------------------------------------------


KINDS: dict[str, tuple[int, PoolingParams]] = {
    "last": (13, PoolingParams(**AS_IT_IS)),
    "mean": (19, PoolingParams(pooling_type="MEAN", **AS_IT_IS)),
    "long mean": (40, PoolingParams(pooling_type="MEAN", **AS_IT_IS)),
    "first": (11, PoolingParams(pooling_type="CLS", **AS_IT_IS)),
    "every": (17, PoolingParams(task="token_embed", **AS_IT_IS)),
}


def tokens_of(name: str) -> list[int]:
    return [2 + (7 * i + len(name)) % 29 for i in range(KINDS[name][0])]


def expected(name: str) -> list[Any]:
    """Return exact results: the states are whole numbers."""
    states = torch.tensor([[token, position, 1] for position, token in enumerate(tokens_of(name))]).double()
    params = KINDS[name][1]
    kind = "ALL" if params.task == "token_embed" else params.pooling_type or "LAST"
    found: list[Any] = by_hand(states, kind).float().tolist()
    return found


def add_all(running: LLMEngine) -> None:
    for name, (_, params) in KINDS.items():
        running.add_request(name, tokens_of(name), params)
    running.add_request("text", [9, 4], SamplingParams(temperature=0, max_tokens=20, ignore_eos=True))


def require_all(outputs: dict[str, RequestOutput]) -> None:
    assert outputs["text"].outputs[0].token_ids == follow([9, 4], 20)
    for name in KINDS:
        assert outputs[name].outputs == [] and outputs[name].pooled.tolist() == expected(name), name


@pytest.mark.parametrize("overlaps", [False, True], ids=["one-by-one", "overlapping"])
@pytest.mark.parametrize("settings", [{}, {"num_blocks": 15, "swap_space": 0.0001}, {"num_blocks": 15}], ids=str)
def test_here_and_in_another_process(overlaps: bool, settings: dict[str, Any]) -> None:
    for make in (engine, far_engine):
        running = make(FakeDecoder(), async_scheduling=overlaps, max_num_batched_tokens=16, **settings)
        add_all(running)
        require_all(drain(running))


@pytest.mark.parametrize("mode", ["swap", "recompute"])
@pytest.mark.parametrize("at", range(1, 9))
def test_all_give_way_at_once(at: int, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Preempted before the `at`-th step, with a step running: no row is counted twice, and none is missing."""
    swap_space = 0.001 if mode == "swap" else 0.0
    running = engine(
        FakeDecoder(), async_scheduling=True, max_num_batched_tokens=16, swap_space=swap_space, preemption_mode=mode
    )
    scheduler, calls = running.scheduler, itertools.count(1)
    schedule = scheduler.schedule

    def schedule_behind_others() -> Step:
        if next(calls) == at:
            for sequence in list(scheduler.sequence_table.queues.running)[::-1]:
                scheduler.sequence_table.preempt(sequence)
        return schedule()

    monkeypatch.setattr(scheduler, "schedule", schedule_behind_others)
    add_all(running)
    require_all(drain(running))
    assert at == 1 or running.stats().num_preemptions > 0


def test_a_mean_goes_on_where_it_was() -> None:
    """Rows that were summed already may come from the cache after a preemption."""
    running = engine(FakeDecoder(), max_num_batched_tokens=8)
    running.add_request("long mean", tokens_of("long mean"), KINDS["long mean"][1])
    for _ in range(3):
        running.step()
    (sequence,) = running.scheduler.sequences.values()
    running.scheduler.sequence_table.preempt(sequence)
    outputs = drain(running)
    assert outputs["long mean"].pooled.tolist() == expected("long mean")
    assert running.stats().num_computed_tokens == 40, "nothing was computed twice"


def test_a_mean_goes_on_though_a_part_of_it_was_evicted() -> None:
    """Some of the summed rows are computed again for later tokens, but not counted again."""
    running = engine(
        FakeDecoder(), max_num_batched_tokens=8, num_blocks=11, max_num_seqs=1, scheduling_policy="priority"
    )
    running.add_request("long mean", tokens_of("long mean"), KINDS["long mean"][1])
    for _ in range(3):
        running.step()
    (sequence,) = running.scheduler.sequences.values()
    running.scheduler.sequence_table.preempt(sequence)
    running.add_request("other", [9] * 27, SamplingParams(temperature=0, max_tokens=1), priority=-1)
    outputs = drain(running)
    assert outputs["long mean"].pooled.tolist() == expected("long mean")
    assert running.stats().num_computed_tokens == 40 + 27 + 12


@pytest.mark.parametrize("fails_at", range(5))
def test_a_failed_step_is_launched_again(fails_at: int) -> None:
    model = FakeDecoder()
    running = engine(model, async_scheduling=True, max_num_batched_tokens=12)
    add_all(running)
    done: dict[str, RequestOutput] = {}
    for number in itertools.count():
        if not running.has_unfinished_requests:
            break
        model.fails = fails_at <= number < fails_at + 2
        try:
            done |= {output.request_id: output for output in running.step() if output.finished}
        except RuntimeError as error:
            assert "the device is on fire" in str(error)
        running.check()
    require_all(done)


def test_an_abort() -> None:
    running = engine(FakeDecoder(), max_num_batched_tokens=8)
    add_all(running)
    running.step()
    aborted = running.abort("long mean")
    assert aborted is not None and aborted.pooled is None and aborted.outputs[0].finish_reason == "abort"
    running.add_request("long mean", tokens_of("long mean"), KINDS["long mean"][1])
    require_all(drain(running))


# --- Models that classify --------------------------------------------------------------------------------------


@functools.cache
def classifier(kind: str, num_labels: int, problem_type: str | None = None) -> PreTrainedModel:
    config = original(kind).config.__class__(**{**original(kind).config.to_dict(), "num_labels": num_labels})
    config.problem_type = problem_type
    torch.manual_seed(1)
    return AutoModelForSequenceClassification.from_config(
        config, dtype=torch.float32, attn_implementation="eager"
    ).eval()


@torch.inference_mode()
def logits_of(model: PreTrainedModel, prompt: list[int]) -> Tensor:
    logits: Tensor = model(torch.tensor([prompt])).logits[0].double()
    return logits


@pytest.mark.parametrize("kind", ["llama", "qwen3", "gpt2"])
def test_classes_are_transformers(kind: str) -> None:
    model, prompts = classifier(kind, 3), models.prompts(LENGTHS)
    wanted = [logits_of(model, prompt) for prompt in prompts]
    llm = LLM(model, num_blocks=100, block_size=4, max_num_batched_tokens=16)
    for output, logits in zip(llm.classify(prompts, use_tqdm=False), wanted, strict=True):
        assert output.outputs.num_classes == 3 and close(output.outputs.probs, logits.softmax(0))
    raw = llm.classify(prompts, pooling_params=PoolingParams(**AS_IT_IS), use_tqdm=False)
    assert all(close(output.outputs.probs, logits) for output, logits in zip(raw, wanted, strict=True))
    (every,) = llm.encode([prompts[1]], PoolingParams(**AS_IT_IS), pooling_task="token_classify", use_tqdm=False)
    assert every.outputs.data.shape == (41, 3) and close(every.outputs.data[-1], wanted[1])
    assert close(llm.encode(prompts, use_tqdm=False)[0].outputs.data, wanted[0].softmax(0)), "its own task"
    decoder = hidden_states(model, prompts[0])[-1]
    (vector,) = llm.embed(prompts[:1], pooling_params=PoolingParams(**AS_IT_IS), use_tqdm=False)
    assert close(vector.outputs.embedding, decoder)
    with pytest.raises(RequestError, match=r"classifies texts and has no next token; use LLM.classify"):
        llm.generate(prompts, use_tqdm=False)
    with pytest.raises(ConfigError, match="was not made to score pairs"):
        llm.score("one", "other", use_tqdm=False)


def test_one_class_and_several_at_once_are_sigmoids() -> None:
    prompt = models.prompts([9])[0]
    for model in (classifier("llama", 1), classifier("llama", 3, "multi_label_classification")):
        wanted = logits_of(model, prompt).sigmoid()
        (output,) = LLM(model, num_blocks=60).classify([prompt], use_tqdm=False)
        assert close(output.outputs.probs, wanted)


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkpoint of one label, with a tokenizer."""
    folder = tmp_path_factory.mktemp("reranker")
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    config = original("llama").config.__class__(**{**original("llama").config.to_dict(), "num_labels": 1})
    config.vocab_size = len(tokenizer)
    torch.manual_seed(2)
    AutoModelForSequenceClassification.from_config(config, dtype=torch.float32).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_pairs_of_texts(reranker: Path) -> None:
    """Read as one pair, one with each or each with each, from the checkpoint's folder."""
    llm, tokenizer = LLM(reranker, num_blocks=60), AutoTokenizer.from_pretrained(reranker)
    model = AutoModelForSequenceClassification.from_pretrained(reranker, attn_implementation="eager")
    queries, texts = ["import os", "class Queue:"], ["os.path", "def put(self, item):"]

    def wanted(one: str, other: str) -> float:
        return float(logits_of(model, tokenizer(one, other)["input_ids"]).sigmoid())

    for first, second, expected_pairs in (
        (queries[0], texts[1], [(0, 1)]),
        (queries[0], texts, [(0, 0), (0, 1)]),
        (queries, texts, [(0, 0), (1, 1)]),
    ):
        outputs = llm.score(first, second, use_tqdm=False)
        assert [output.outputs.score for output in outputs] == pytest.approx(
            [wanted(queries[i], texts[j]) for i, j in expected_pairs], abs=1e-5
        )
    with pytest.raises(ConfigError, match="data_1 has 2 texts and data_2 3, expected one or equally many"):
        llm.score(queries, ["a", "b", "c"], use_tqdm=False)
    with pytest.raises(ConfigError, match="data_2 is 5, expected a text or a list of texts"):
        llm.score(queries, 5, use_tqdm=False)


# --- Which `score` is meant ------------------------------------------------------------------------------------


def test_scores_of_continuations_have_a_name_of_their_own() -> None:
    llm, prompt = LLM(models.build("llama"), num_blocks=60), models.prompts([9])[0]
    scores = llm.score_continuations([prompt], [[[5, 6], [7]]], use_tqdm=False)
    assert llm.score([prompt], [[[5, 6], [7]]], use_tqdm=False) == scores
    with pytest.raises(ConfigError, match=r"was not made to score pairs of texts .*use score_continuations"):
        llm.score("one", ["other"], use_tqdm=False)
    with pytest.raises(ConfigError, match="continuations is empty"):
        llm.score([prompt], [[]], use_tqdm=False)
    assert llm.score([], [], use_tqdm=False) == []


def test_a_model_that_embeds_gives_cosines() -> None:
    llm = LLM(models.STDLIB_LM, dtype="float32", num_blocks=60, pooler_config=PoolerConfig(pooling_type="MEAN"))
    texts = ["import os", "import sys", "class Queue:"]
    vectors = [torch.tensor(output.outputs.embedding) for output in llm.embed(texts, use_tqdm=False)]
    outputs = llm.score(texts[0], texts[1:], use_tqdm=False)
    assert [output.outputs.score for output in outputs] == pytest.approx(
        [float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])], abs=1e-5
    )


# --- Checkpoints of sentence-transformers -------------------------------------------------------------------------


def checkpoint(folder: Path, pooling: dict[str, Any], *more: str) -> Path:
    """Write the two pooling files next to links to a checkpoint's files."""
    for path in models.STDLIB_LM.iterdir():
        (folder / path.name).symlink_to(path)
    kinds = {"Transformer": "", "Pooling": "1_Pooling", **{name: f"2_{name}" for name in more}}
    modules = [{"type": f"sentence_transformers.models.{kind}", "path": path} for kind, path in kinds.items()]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 64, **pooling}))
    return folder


@pytest.mark.parametrize(
    ("pooling", "more", "given", "expected"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, ("Normalize",), None, ("MEAN", True)),
        ({"pooling_mode": "lasttoken"}, (), None, ("LAST", False)),
        ({"pooling_mode": "cls"}, (), PoolerConfig(use_activation=True), ("CLS", True)),
        ({"pooling_mode": "max"}, ("Dense",), PoolerConfig(pooling_type="LAST"), ("LAST", None)),
    ],
    ids=["mean", "last", "partly given", "given"],
)
def test_pooling_of_a_checkpoint(
    tmp_path: Path, pooling: dict[str, Any], more: tuple[str, ...], given: Any, expected: tuple[str, bool | None]
) -> None:
    llm = LLM(checkpoint(tmp_path, pooling, *more), num_blocks=60, pooler_config=given)
    config = llm.engine.config.pooler_config
    assert config is not None and (config.pooling_type, config.use_activation) == expected


@pytest.mark.parametrize(
    ("pooling", "more", "says"),
    [
        ({"pooling_mode_weightedmean_tokens": True}, (), "made by pooling_mode_weightedmean_tokens, expected"),
        ({"pooling_mode": "mean"}, ("LSTM",), "made by LSTM, expected .*pooler_config=PoolerConfig"),
        ({}, (), "made by no pooling"),
    ],
)
def test_pooling_that_there_is_not(tmp_path: Path, pooling: dict[str, Any], more: tuple[str, ...], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        LLM(checkpoint(tmp_path, pooling, *more), num_blocks=60)


# --- Bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task", "reward"),
        ("task", 1),
        ("pooling_type", "SUM"),
        ("pooling_type", 1),
        ("use_activation", 1),
        ("dimensions", 0),
        ("dimensions", True),
        ("dimensions", 1.5),
    ],
)
def test_parameters_that_cannot_be(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"PoolingParams: {name} is {value!r}, expected"):
        PoolingParams(**{name: value})
    if name != "task":
        with pytest.raises(ConfigError, match=f"PoolerConfig: {name} is {value!r}, expected"):
            PoolerConfig(**{name: value})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pooling_params": [PoolingParams()]}, "pooling_params has 1 entries, expected one for each of 2"),
        ({"pooling_params": [SamplingParams()] * 2}, "pooling_params has SamplingParams.*expected PoolingParams"),
        ({"pooling_params": SamplingParams()}, "pooling_params is SamplingParams.*expected PoolingParams, or one for"),
        ({"pooling_params": PoolingParams(task="classify")}, "pooling_params has task 'classify', expected"),
        ({"lora_request": "adapter"}, "lora_request is 'adapter', expected a LoRARequest"),
        ({"tokenization_kwargs": [1]}, r"tokenization_kwargs is \[1\], expected a dictionary"),
        ({"tokenization_kwargs": {"truncate_prompt_tokens": 0}}, "truncate_prompt_tokens=0, expected an integer"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        tiny().embed([[3, 4], [5]], use_tqdm=False, **arguments)


@functools.cache
def tiny() -> LLM:
    return LLM(models.build("llama"), num_blocks=60)


def test_requests_that_cannot_be() -> None:
    with pytest.raises(RequestError, match=r"task is 'classify', but .* was not made to classify texts"):
        tiny().classify([[3]], use_tqdm=False)
    with pytest.raises(RequestError, match=r"prompt 0: .*the prompt is a text and there is no tokenizer"):
        tiny().embed(["text"], tokenization_kwargs={"truncate_prompt_tokens": 3}, use_tqdm=False)
    with pytest.raises(RequestError, match=r"prompt 1: .*the prompt is empty"):
        tiny().embed([[3], []], use_tqdm=False)
    with pytest.raises(RequestError, match="FakeModel gives logits and no hidden states"):
        engine(FakeModel()).add_request("a", [3], PoolingParams())
    with pytest.raises(RequestError, match="pooling_type is 'MEAN', classes are of the last token"):
        LLM(classifier("llama", 1), num_blocks=60).classify(
            [[3]], pooling_params=PoolingParams(pooling_type="MEAN"), use_tqdm=False
        )
    with pytest.raises(ConfigError, match="EngineConfig: pooler_config is 'MEAN', expected a PoolerConfig"):
        LLM(models.build("llama"), pooler_config="MEAN")
    tiny().engine.check()

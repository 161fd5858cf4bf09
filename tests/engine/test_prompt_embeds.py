"""Prompts given as embeddings: the same output as for the tokens that they embed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.models import STDLIB_LM, build, prompts
from torchpaged import LLM, AsyncLLM, BeamSearchParams, LLMEngine, SamplingParams
from torchpaged.errors import ConfigError, RequestError

GREEDY = SamplingParams(temperature=0, max_tokens=8, ignore_eos=True)
POOL = {"max_model_len": 128, "num_blocks": 64, "block_size": 4}
IDS = prompts((17, 30, 9))


def embedded(model: torch.nn.Module, token_ids: list[int]) -> dict[str, Any]:
    """Return the prompt that is these tokens' embeddings."""
    return {"prompt_embeds": model.get_input_embeddings()(torch.tensor([token_ids]))[0]}


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    return build("llama")


@pytest.fixture(scope="module")
def llm(model: torch.nn.Module) -> Any:
    with LLM(model, enable_prompt_embeds=True, **POOL) as llm:
        yield llm
        llm.engine.check()


def tokens_of(outputs: list[Any]) -> list[list[list[int]]]:
    return [[list(completion.token_ids) for completion in output.outputs] for output in outputs]


@pytest.mark.parametrize(
    "settings",
    [{}, {"optimize": True}, {"max_num_batched_tokens": 5, "max_num_seqs": 2}, {"enable_prefix_caching": False}],
    ids=["plain", "optimized", "chunks", "no prefix cache"],
)
def test_the_same_tokens_as_of_tokens(model: torch.nn.Module, settings: dict[str, Any]) -> None:
    """Also in a batch with token prompts, computed or found in the cache."""
    given = [embedded(model, ids) for ids in IDS]
    with LLM(model, enable_prompt_embeds=True, **POOL, **settings) as llm:
        expected = tokens_of(llm.generate(IDS, GREEDY, use_tqdm=False))
        for batch in (given, [given[0], IDS[1], given[2]]):
            outputs = llm.generate(batch, GREEDY, use_tqdm=False)
            assert tokens_of(outputs) == expected
            llm.engine.check()
        assert outputs[0].prompt_token_ids == [0] * 17 and outputs[1].prompt_token_ids == IDS[1]


@pytest.mark.parametrize(
    "kind",
    [
        "gpt2",
        "gemma2",
        "gemma3_text",
        "opt",
        pytest.param("qwen3_moe", marks=pytest.mark.long),
        pytest.param("qwen3_next", marks=pytest.mark.long),
    ],
)
def test_families(kind: str) -> None:
    """Families with scaled embeddings, with learned positions, or with recurrent layers."""
    more = {"hidden_size": 64, "ffn_dim": 64, "word_embed_proj_dim": 32} if kind == "opt" else {}
    model = build(kind, **more)
    with LLM(model, enable_prompt_embeds=True, **POOL) as llm:
        expected = tokens_of(llm.generate(IDS, GREEDY, use_tqdm=False))
        for _ in range(2):
            found = llm.generate([embedded(model, ids) for ids in IDS], GREEDY, use_tqdm=False)
            assert tokens_of(found) == expected


def test_blocks_are_found_by_content(llm: LLM, model: torch.nn.Module) -> None:
    """Blocks match up to the one in which two prompts differ, and never by tokens."""
    ids = prompts((24,), seed=5)[0]
    first, other = embedded(model, ids), embedded(model, [*ids[:13], *reversed(ids[13:])])
    assert llm.generate(ids, GREEDY, use_tqdm=False)[0].num_cached_tokens == 0
    assert llm.generate(first, GREEDY, use_tqdm=False)[0].num_cached_tokens == 0
    assert llm.generate(first, GREEDY, use_tqdm=False)[0].num_cached_tokens == 20
    (found,) = llm.generate(other, GREEDY, use_tqdm=False)
    assert found.num_cached_tokens == 12
    assert tokens_of([found]) == tokens_of(llm.generate([[*ids[:13], *reversed(ids[13:])]], GREEDY, use_tqdm=False))
    assert llm.generate({**first, "cache_salt": "mine"}, GREEDY, use_tqdm=False)[0].num_cached_tokens == 0


def test_other_embeddings_give_other_tokens(llm: LLM, model: torch.nn.Module) -> None:
    """Soft prompts: embeddings of no token."""
    soft = torch.randn(12, 64, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        logits = model(inputs_embeds=soft[None]).logits[0, -1]
    (output,) = llm.generate({"prompt_embeds": soft.numpy()}, SamplingParams(temperature=0, max_tokens=1))
    assert output.outputs[0].token_ids == [int(logits.argmax())]


@pytest.mark.parametrize(
    "params",
    [
        SamplingParams(n=3, seed=1, max_tokens=6, ignore_eos=True),
        SamplingParams(temperature=0, presence_penalty=1.5, frequency_penalty=0.5, max_tokens=12, ignore_eos=True),
        SamplingParams(temperature=0, logprobs=2, min_tokens=4, max_tokens=6),
    ],
    ids=["n", "penalties", "logprobs"],
)
def test_other_parameters(llm: LLM, model: torch.nn.Module, params: SamplingParams) -> None:
    expected = tokens_of(llm.generate(IDS, params, use_tqdm=False))
    assert tokens_of(llm.generate([embedded(model, ids) for ids in IDS], params, use_tqdm=False)) == expected


def test_a_repetition_penalty_counts_no_placeholder(llm: LLM, model: torch.nn.Module) -> None:
    """Token 0 does not count as a prompt token: the first token is as without the penalty."""
    one = SamplingParams(temperature=0, max_tokens=1)
    penalised = SamplingParams(temperature=0, max_tokens=1, repetition_penalty=1e6, allowed_token_ids=[0, 5])
    plain = SamplingParams(temperature=0, max_tokens=1, allowed_token_ids=[0, 5])
    for ids in IDS:
        given = embedded(model, ids)
        expected = tokens_of(llm.generate(given, plain, use_tqdm=False))
        assert tokens_of(llm.generate(given, penalised, use_tqdm=False)) == expected
    assert llm.generate(embedded(model, IDS[0]), one, use_tqdm=False)[0].prompt is None


def test_beams_scores_and_vectors(llm: LLM, model: torch.nn.Module) -> None:
    given = [embedded(model, ids) for ids in IDS]
    beams = BeamSearchParams(beam_width=3, max_tokens=5)
    assert tokens_of(llm.beam_search(given, beams, use_tqdm=False)) == tokens_of(
        llm.beam_search(IDS, beams, use_tqdm=False)
    )
    continuations = [[[3, 4], [5], [3, 7, 9]]] * len(IDS)
    ours, theirs = (llm.score_continuations(each, continuations, use_tqdm=False) for each in (given, IDS))
    for a, b in zip(ours, theirs, strict=True):
        assert [each.logprob for each in a] == pytest.approx([each.logprob for each in b], rel=1e-5, abs=1e-4)
    vectors, others = llm.embed(given, use_tqdm=False), llm.embed(IDS, use_tqdm=False)
    for one, other in zip(vectors, others, strict=True):
        assert torch.allclose(torch.tensor(one.outputs.embedding), torch.tensor(other.outputs.embedding), atol=1e-5)


@pytest.mark.parametrize("swap_space", [0.0, 0.01], ids=["recompute", "swap"])
def test_preempted_prompts_are_computed_again(model: torch.nn.Module, swap_space: float) -> None:
    long = SamplingParams(temperature=0, max_tokens=20, ignore_eos=True)
    ids = prompts((20, 22, 18))
    settings = {**POOL, "num_blocks": 22, "swap_space": swap_space, "watermark": 0.0}
    with LLM(model, enable_prompt_embeds=True, **settings) as llm:
        expected = [tokens_of(llm.generate(each, long, use_tqdm=False))[0] for each in ids]
        assert tokens_of(llm.generate([embedded(model, each) for each in ids], long, use_tqdm=False)) == expected
        assert llm.stats().num_preemptions > 0
        llm.generate(IDS[0], GREEDY, use_tqdm=False)  # whose first step says that the others have ended
        llm.engine.check()
        assert not llm.engine.executor.runner.rows.prompt_embeds


def test_the_bundled_checkpoint_is_packed_once() -> None:
    """In bfloat16 with a tied embedding and head: both weights are read."""
    settings = {"max_model_len": 64, "num_blocks": 16}
    with LLM(STDLIB_LM, enable_prompt_embeds=True, **settings) as llm, LLM(STDLIB_LM, **settings) as plain:
        ids = llm.get_tokenizer()("import os\nimport sys\n\n\ndef main(").input_ids
        (embedding,) = llm.apply_model(embedded_by)
        given = {"prompt_embeds": embedding(torch.tensor(ids)), "prompt": "shown"}
        expected = plain.generate({"prompt_token_ids": ids}, GREEDY, use_tqdm=False)
        (output,) = found = llm.generate(given, GREEDY, use_tqdm=False)
        assert tokens_of(found) == tokens_of(expected) and output.prompt == "shown"
        assert output.outputs[0].text == expected[0].outputs[0].text
        assert llm.engine.model.weights.report.packed_bytes == plain.engine.model.weights.report.packed_bytes


def embedded_by(model: torch.nn.Module) -> Any:
    """Return the embeddings of tokens, unaffected by later changes of the model."""
    weight = model.get_input_embeddings().weight.detach().clone()
    return lambda ids: weight[ids]


def test_guesses_ahead(model: torch.nn.Module) -> None:
    """No lookup in a prompt without tokens; the text is the same."""
    speculative = {"method": "ngram", "num_speculative_tokens": 3, "allow_inexact": True}
    long = SamplingParams(temperature=0, max_tokens=20, ignore_eos=True)
    with LLM(model, enable_prompt_embeds=True, **POOL, optimize=True, speculative_config=speculative) as llm:
        expected = tokens_of(llm.generate(IDS, long, use_tqdm=False))
        assert tokens_of(llm.generate([embedded(model, ids) for ids in IDS], long, use_tqdm=False)) == expected


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ({"prompt_embeds": torch.zeros(3, 5)}, r"prompt_embeds is torch.float32 of shape \(3, 5\), expected .*, 64\]"),
        ({"prompt_embeds": torch.zeros(0, 64)}, r"of shape \(0, 64\), expected"),
        ({"prompt_embeds": torch.zeros(3, 64, dtype=torch.int64)}, "prompt_embeds is torch.int64"),
        ({"prompt_embeds": torch.full((3, 64), float("nan"))}, "numbers that are not finite"),
        ({"prompt_embeds": torch.zeros(3, 64).to_sparse()}, "prompt_embeds is torch.float32 of shape"),
        ({"prompt_embeds": "text"}, "prompt_embeds is a str, expected floating-point"),
        ({"prompt_embeds": torch.zeros(3, 64), "prompt_token_ids": [1]}, "'prompt_token_ids', expected no more"),
        ({"prompt_embeds": torch.zeros(3, 64), "prompt": 5}, "the prompt's text is 5"),
        ({"prompt_embeds": torch.zeros(500, 64)}, "500"),
    ],
)
def test_what_is_refused(llm: LLM, prompt: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        llm.generate(prompt, GREEDY, use_tqdm=False)


def test_what_needs_tokens_says_so(llm: LLM, model: torch.nn.Module) -> None:
    given = embedded(model, IDS[0])
    with pytest.raises(RequestError, match="prompt_logprobs is 1, but the prompt is embeddings"):
        llm.generate(given, SamplingParams(prompt_logprobs=1), use_tqdm=False)
    with pytest.raises(RequestError, match="embeddings are taken by generate"):
        llm.pin_prefix(given)


def test_an_engine_must_be_asked_for_it(model: torch.nn.Module) -> None:
    with (
        LLM(model, **POOL) as plain,
        pytest.raises(RequestError, match=r"needs LLM\(..., enable_prompt_embeds=True\)"),
    ):
        plain.generate(embedded(model, IDS[0]), GREEDY, use_tqdm=False)
    with pytest.raises(ConfigError, match="enable_prompt_embeds is 1, expected True or False"):
        LLM(model, enable_prompt_embeds=1, **POOL)


def test_models_that_take_tokens_alone_are_refused() -> None:
    from tests.fakes import FakeModel
    from torchpaged import EngineConfig

    with pytest.raises(ConfigError, match=r"enable_prompt_embeds is True, but .* takes only tokens"):
        LLMEngine(FakeModel(), EngineConfig(enable_prompt_embeds=True, num_blocks=8))


def test_tasks_may_ask_too() -> None:
    """The engine runs in a thread: the prompt's tensor is passed to it without a copy."""
    import asyncio

    model = build("llama", num_hidden_layers=1)
    given = embedded(model, IDS[0])

    async def test() -> None:
        llm = AsyncLLM(model, enable_prompt_embeds=True, **POOL)
        try:
            found = [output for prompt in (given, IDS[0]) async for output in llm.generate(prompt, GREEDY)]
            first, second = (output.outputs[0].token_ids for output in found if output.finished)
            assert first == second and len(first) == 8
        finally:
            llm.shutdown()

    asyncio.run(test())

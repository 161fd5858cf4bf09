"""LLM against transformers: the same greedy tokens, however the requests were scheduled."""

from __future__ import annotations

import copy
import functools
from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, ModelError
from torchpaged.requests.chat_sampling import chat_params, describe

LENGTHS = (3, 21, 40, 9, 1, 33, 17, 28)
NUM_TOKENS = 64

# Windows are smaller than the sequences; every feature that the attention operator has is in one of them.
TINY: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen3": {},
    "mistral": {"sliding_window": 12},
    "gemma2": {"sliding_window": 12, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 30.0},
    "gpt_oss": {"sliding_window": 12, "num_local_experts": 4, "num_experts_per_tok": 2},
    "llama4_text": {"attention_chunk_size": 16, "num_local_experts": 2, "moe_layers": [], "intermediate_size_mlp": 96},
}

# 25 blocks of 8 hold two of the eight sequences.
SCHEDULES: dict[str, dict[str, Any]] = {
    "batched": {},
    "preempted": {"num_blocks": 26, "block_size": 8},
    "chunked": {"max_num_batched_tokens": 16},
    "chunked-and-preempted": {"max_num_batched_tokens": 16, "num_blocks": 40, "block_size": 5},
    "one-at-a-time": {"max_num_seqs": 1},
}
# A window frees blocks, so such a model needs an even smaller pool to be too small.
TIGHT = {"mistral": 64, "gemma2": 160, "gpt_oss": 160, "llama4_text": 160}  # tokens


@functools.cache
def original(name: str) -> PreTrainedModel:
    """Return a model that torchpaged never touches."""
    if name == "stdlib-lm":
        return AutoModelForCausalLM.from_pretrained(
            models.STDLIB_LM, dtype=torch.float32, attn_implementation="sdpa"
        ).eval()
    return models.build(name, seed=1, **TINY[name])


@functools.cache
def expected(name: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return eight prompts and `generate`'s outputs."""
    model = original(name)
    batch = models.prompts(LENGTHS, model.config.vocab_size)
    return batch, models.greedy(model, batch, NUM_TOKENS)


def unless_another_tells(schedule: str) -> Any:
    """Mark a schedule as long (`make test-long`) if "chunked-and-preempted" covers it too."""
    return pytest.param(schedule, marks=pytest.mark.long if schedule in ("chunked", "preempted") else ())


@pytest.mark.parametrize("schedule", map(unless_another_tells, SCHEDULES))
@pytest.mark.parametrize("name", [*TINY, "stdlib-lm"])
def test_greedy_tokens_are_generates(name: str, schedule: str) -> None:
    batch, tokens = expected(name)
    settings = dict(SCHEDULES[schedule])
    if name == "llama4_text" and settings.get("block_size") == 5:
        settings["block_size"] = 4  # a divisor of its chunk
    if "num_blocks" in settings:
        settings["num_blocks"] = TIGHT[name] // settings["block_size"] if name in TIGHT else settings["num_blocks"]
    llm = LLM(copy.deepcopy(original(name)), dtype="float32", **settings)
    outputs = llm.generate(batch, SamplingParams(temperature=0, max_tokens=NUM_TOKENS), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == tokens
    assert [output.prompt_token_ids for output in outputs] == batch
    stats = llm.stats()
    assert (stats.num_preemptions > 0) == ("preempted" in schedule)
    assert sum(output.metrics.num_preemptions for output in outputs) == stats.num_preemptions
    assert stats.cache.num_used_blocks == 0
    llm.engine.check()


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("block_size", [4, 16])
def test_prefix_hits_in_every_kind_of_layer(name: str, block_size: int) -> None:
    """Prompts with the prefix of earlier ones, at a block boundary and within a block, including windows."""
    batch, tokens = expected(name)
    llm = LLM(copy.deepcopy(original(name)), dtype="float32", num_blocks=1200, block_size=block_size)
    params = SamplingParams(temperature=0, max_tokens=NUM_TOKENS)
    llm.generate(batch, params, use_tqdm=False)
    before = llm.stats().cache.num_hit_tokens
    outputs = llm.generate(batch, params, use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == tokens
    # All but each prompt's last token, and the contents of blocks that were never full.
    assert llm.stats().cache.num_hit_tokens - before >= sum(LENGTHS) - len(LENGTHS) * block_size
    # A conversation's next turn: the completion is cached too.
    longer = [prompt + new[:40] for prompt, new in zip(batch, tokens, strict=True)]
    outputs = llm.generate(longer, SamplingParams(temperature=0, max_tokens=NUM_TOKENS - 40), use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == [new[40:] for new in tokens]
    assert all((output.num_cached_tokens or 0) >= 40 - block_size for output in outputs)
    llm.engine.check()


@pytest.mark.parametrize("name", TINY)
def test_the_comparison_says_something(name: str) -> None:
    """Sequences differ and do not repeat: a wrong or a lost key would change them."""
    _, tokens = expected(name)
    assert len({tuple(row) for row in tokens}) == len(tokens)
    assert all(len(set(row)) > 4 for row in tokens), [len(set(row)) for row in tokens]


def test_the_checkpoints_generation_config() -> None:
    """vLLM's rule: settings that differ from transformers' defaults apply to requests without parameters."""
    model = models.build("llama")
    given = {"temperature": 0.3, "top_k": 5, "top_p": 0.8, "min_p": 0.1, "repetition_penalty": 1.3, "max_new_tokens": 7}
    for name, value in given.items():
        setattr(model.generation_config, name, value)
    llm = LLM(model, num_blocks=60)
    expected = SamplingParams(temperature=0.3, top_k=5, top_p=0.8, min_p=0.1, repetition_penalty=1.3, max_tokens=7)
    assert llm.get_default_sampling_params() == expected
    prompt = models.prompts([9])[0]
    (output,) = llm.generate([prompt], use_tqdm=False)
    assert len(output.outputs[0].token_ids) == 7
    (same,) = LLM(model, num_blocks=60).generate([prompt], expected, use_tqdm=False)
    assert same.outputs[0].token_ids == output.outputs[0].token_ids
    llm.engine.add_request("a", prompt)
    while llm.engine.has_unfinished_requests:
        outputs = llm.engine.step()
    assert len(outputs[0].outputs[0].token_ids) == 7
    ignoring = LLM(model, num_blocks=60, generation_config="ignore")
    assert ignoring.get_default_sampling_params() == SamplingParams()
    assert len(ignoring.generate([prompt], use_tqdm=False)[0].outputs[0].token_ids) == 16
    assert LLM(models.build("llama"), num_blocks=60).get_default_sampling_params() == SamplingParams()


@pytest.mark.parametrize(
    ("names", "settings", "chats"),
    [
        ({}, {}, True),
        ({"max_new_tokens": 7}, {}, True),
        ({"top_p": 0.8}, {}, False),
        ({"repetition_penalty": 1.1}, {}, False),
        ({}, {"generation_config": "vllm"}, False),
    ],
)
def test_chats_of_a_checkpoint_that_names_no_sampling(
    names: dict[str, Any], settings: dict[str, Any], chats: bool
) -> None:
    """Defaults of chats on the command line and the server; `generate` and `LLM.chat` keep vLLM's."""
    model = models.build("llama", num_hidden_layers=1)
    for name, value in names.items():
        setattr(model.generation_config, name, value)
    llm = LLM(model, num_blocks=60, **settings)
    default, chat = llm.get_default_sampling_params(), llm.engine.chat_params
    expected = replace(default, temperature=0.8, top_k=40, top_p=0.95, min_p=0.05) if chats else default
    assert chat == expected
    said = describe(default, chat)
    assert (said is not None and "temperature 0.8, top_k 40, top_p 0.95, min_p 0.05" in said) == chats


def test_a_sampling_parameter_that_was_given_is_one() -> None:
    """A given value counts even if it is SamplingParams()'s: override_generation_config={"temperature": 1.0}."""
    bare = SamplingParams()
    assert chat_params(bare, {"temperature": 1.0}) == bare != chat_params(bare, {"max_new_tokens": 4})


def test_a_generation_config_that_cannot_be() -> None:
    model = models.build("llama")
    model.generation_config.temperature = -1.0
    with pytest.raises(ModelError, match=r"generation config: .*temperature is -1.0.*generation_config='ignore'"):
        LLM(model, num_blocks=60)
    assert LLM(model, num_blocks=60, generation_config="ignore") is not None
    with pytest.raises(ConfigError, match="generation_config is 'mine', expected one of auto, ignore"):
        LLM(model, generation_config="mine")

"""Every form of a prompt, or of several, gives the same request in each call that takes prompts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BatchEncoding

from tests import models
from tests.fakes import FakeTokenizer, drain, engine, follow
from torchpaged import LLM, BeamSearchParams, PoolingParams, SamplingParams
from torchpaged.errors import ConfigError, RequestError
from torchpaged.sampling_params import ScoringParams

GREEDY = SamplingParams(temperature=0, max_tokens=3)
IDS = [3, 4, 5, 6, 7]
TEXT = "".join(chr(ord("a") + token) for token in IDS)

ONE: dict[str, Callable[[], Any]] = {
    "text": lambda: TEXT,
    "list": lambda: IDS,
    "tuple": lambda: tuple(IDS),
    "range": lambda: range(3, 8),
    "generator": lambda: (token for token in IDS),
    "numpys-integers": lambda: [np.int64(token) for token in IDS],
    "array": lambda: np.array(IDS),
    "tensor": lambda: torch.tensor(IDS),
    "prompt": lambda: {"prompt": TEXT},
    "prompt_token_ids": lambda: {"prompt_token_ids": IDS},
    "prompt_token_ids-of-a-tensor": lambda: {"prompt_token_ids": torch.tensor(IDS)},
    "both": lambda: {"prompt": "what it was made of", "prompt_token_ids": IDS},
    "none-of-the-rest": lambda: {"prompt": TEXT, "multi_modal_data": None, "cache_salt": None},
    "encoding": lambda: BatchEncoding({"input_ids": IDS, "attention_mask": [1] * 5}),
    "encoding-of-a-tensor": lambda: BatchEncoding({"input_ids": torch.tensor([IDS])}),
    "encoding-with-padding": lambda: {"input_ids": [0, 0, *IDS], "attention_mask": [0, 0, 1, 1, 1, 1, 1]},
}
SEVERAL: dict[str, Callable[[], Any]] = {
    "list": lambda: [TEXT, IDS],
    "tuple": lambda: (TEXT, TEXT),
    "generator": lambda: (each for each in (TEXT, IDS)),
    "mixed": lambda: [np.array(IDS), {"prompt": TEXT}],
    "texts-in-an-array": lambda: np.array([TEXT, TEXT]),
    "rows-of-an-array": lambda: np.array([IDS, IDS]),
    "rows-of-a-tensor": lambda: torch.tensor([IDS, IDS]),
    "tensors": lambda: [torch.tensor(IDS), torch.tensor(IDS)],
    "encoding": lambda: BatchEncoding({"input_ids": [IDS, IDS]}),
    "encoding-with-padding": lambda: BatchEncoding(
        {
            "input_ids": torch.tensor([[*IDS, 0], [0, *IDS]]),
            "attention_mask": torch.tensor([[1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1]]),
        }
    ),
    "encodings": lambda: [BatchEncoding({"input_ids": IDS}), BatchEncoding({"input_ids": torch.tensor([IDS])})],
}


@functools.cache
def llm() -> LLM:
    """Return a random llama whose tokens have letters."""
    return LLM(models.build("llama"), FakeTokenizer(), num_blocks=80, block_size=4)


@functools.cache
def expected() -> list[int]:
    (output,) = llm().generate([IDS], GREEDY, use_tqdm=False)
    return output.outputs[0].token_ids


@pytest.mark.parametrize("name", ONE)
def test_one_prompt(name: str) -> None:
    make = ONE[name]
    (output,) = llm().generate(make(), GREEDY, use_tqdm=False)
    assert output.prompt_token_ids == IDS and output.outputs[0].token_ids == expected()
    (output,) = llm().generate([make()], GREEDY, use_tqdm=False)
    assert output.prompt_token_ids == IDS
    (beams,) = llm().beam_search(make(), BeamSearchParams(beam_width=1, max_tokens=3), use_tqdm=False)
    assert beams.prompt_token_ids == IDS and beams.outputs[0].token_ids == expected()
    ((score,),) = llm().score_continuations(make(), [[expected()]], use_tqdm=False)
    assert score.is_greedy


@pytest.mark.parametrize("name", SEVERAL)
def test_several_prompts(name: str) -> None:
    outputs = llm().generate(SEVERAL[name](), GREEDY, use_tqdm=False)
    assert [output.prompt_token_ids for output in outputs] == [IDS, IDS]
    assert [output.outputs[0].token_ids for output in outputs] == [expected()] * 2


def test_none_and_the_shortest() -> None:
    assert llm().generate([], GREEDY, use_tqdm=False) == []
    outputs = llm().generate([torch.tensor([3]), np.array([4]), [5]], GREEDY, use_tqdm=False)
    assert [output.prompt_token_ids for output in outputs] == [[3], [4], [5]]


def test_the_text_is_kept() -> None:
    (output,) = llm().generate({"prompt": "as it was", "prompt_token_ids": IDS}, GREEDY, use_tqdm=False)
    assert output.prompt == "as it was"


@pytest.mark.parametrize("name", ONE)
def test_an_engine_takes_the_same(name: str, tmp_path: Path) -> None:
    running = engine(tokenizer=FakeTokenizer())
    running.add_request("a", ONE[name](), GREEDY)
    output = drain(running)["a"]
    assert output.prompt_token_ids == IDS and output.outputs[0].token_ids == follow(IDS, 3)
    running.unpin_prefix(running.pin_prefix(ONE[name]()))
    assert running.save_prefix(tmp_path / "prefix.safetensors", ONE[name]()) == 4


def test_salts_of_prompts() -> None:
    """A prompt's own salt applies to it alone; nothing is shared across salts."""
    ours = llm()
    ours.reset_prefix_cache()
    prompts = [{"prompt_token_ids": IDS * 3, "cache_salt": salt} for salt in ("a", "b", "a")]
    cached = []
    for prompt in prompts:
        (output,) = ours.generate(prompt, GREEDY, use_tqdm=False)
        cached.append(output.num_cached_tokens)
    assert cached == [0, 0, 14]
    (output,) = ours.generate([IDS * 3], GREEDY, use_tqdm=False, cache_salt="b")
    assert output.num_cached_tokens == 14
    (output,) = ours.generate(prompts[1], GREEDY, use_tqdm=False, cache_salt="b")
    assert output.num_cached_tokens == 14
    with pytest.raises(ConfigError, match=r"cache_salt is 'c', but the prompt has its own, 'b'"):
        ours.generate(prompts[1], GREEDY, use_tqdm=False, cache_salt="c")


def test_options_of_the_tokenizer() -> None:
    real = LLM(models.STDLIB_LM, num_blocks=60, block_size=4, max_model_len=210)
    (plain,) = real.generate("import os", GREEDY, use_tqdm=False)
    (cut,) = real.generate(
        "import os", GREEDY, use_tqdm=False, tokenization_kwargs={"truncation": True, "max_length": 1}
    )
    assert cut.prompt_token_ids == plain.prompt_token_ids[:1]
    long = list(range(5, 205))
    for kept, length in ((7, 7), (-1, real.engine.max_model_len - 3), (500, 200)):
        options = {"truncate_prompt_tokens": kept}
        (cut,) = real.generate([long], GREEDY, use_tqdm=False, tokenization_kwargs=options)
        assert cut.prompt_token_ids == long[-length:]
        options["truncation_side"] = "right"
        (cut,) = real.generate([long], GREEDY, use_tqdm=False, tokenization_kwargs=options)
        assert cut.prompt_token_ids == long[:length]
    params = SamplingParams(temperature=0.0, max_tokens=3, truncate_prompt_tokens=7)
    for side, kept in (("left", long[-7:]), ("right", long[:7])):
        (cut,) = real.generate([long], params, use_tqdm=False, tokenization_kwargs={"truncation_side": side})
        assert cut.prompt_token_ids == kept
    for options in ({"padding": "max_length", "max_length": 20}, {"return_tensors": "pt"}, {"return_tensors": "np"}):
        (same,) = real.generate("import os", GREEDY, use_tqdm=False, tokenization_kwargs=options)
        assert same.prompt_token_ids == plain.prompt_token_ids, "padding is no part of a prompt"
    overflowing = {"return_overflowing_tokens": True, "truncation": True, "max_length": 1}
    with pytest.raises(RequestError, match="the tokenizer made 2 rows of the prompt, expected one"):
        real.generate("import os", GREEDY, use_tqdm=False, tokenization_kwargs=overflowing)
    with pytest.raises(ConfigError, match="truncate_prompt_tokens=0, expected an integer of 1 or more, or -1"):
        real.generate("import os", GREEDY, use_tqdm=False, tokenization_kwargs={"truncate_prompt_tokens": 0})
    with pytest.raises(ConfigError, match="truncation_side='top', expected 'left'"):
        real.generate("import os", GREEDY, use_tqdm=False, tokenization_kwargs={"truncation_side": "top"})
    with pytest.raises(ConfigError, match=r"tokenization_kwargs is 7, expected a dictionary of the tokenizer's"):
        real.generate("import os", GREEDY, use_tqdm=False, tokenization_kwargs=7)


def test_what_is_left_of_a_long_prompt_leaves_room_for_what_comes_behind() -> None:
    long = list(range(3, 23)) * 4
    for params, room in (
        (BeamSearchParams(beam_width=2, max_tokens=5), 5),
        (ScoringParams(continuations=[[3], [4, 5, 6]]), 2),
        (PoolingParams(), 0),
        (SamplingParams(max_tokens=5), 5),
        (SamplingParams(max_tokens=None), 1),
    ):
        ours = LLM(models.build("llama"), num_blocks=60, max_model_len=40).engine
        ours.add_request("a", long, params, tokenization_kwargs={"truncate_prompt_tokens": -1})
        output = drain(ours)["a"]
        assert output.prompt_token_ids == long[-(40 - room) :], params


@pytest.mark.parametrize(
    ("prompts", "says"),
    [
        (7, "the prompts are 7, expected a text, token ids, a dictionary, or several"),
        (None, "the prompts are None, expected a text"),
        (b"abc", r"prompt 0: .*the prompt is b'abc', expected a text"),
        (torch.tensor(7), r"the prompts are tensor\(7\), expected a text"),
        (["abc", 7], "prompt 1: .*the prompt is 7, expected a text or a sequence of token ids"),
        (["abc", b"abc"], "prompt 1: .*the prompt is b'abc', expected a text"),
        ([1.5], r"prompt 0: .*the prompt is \[1.5\], expected a text"),
        (np.array([1.5]), r"prompt 0: .*the prompt is \[1.5\], expected a text"),
        ([np.zeros((2, 3), dtype=int)], "prompt 0: .*expected a text or a sequence of token ids"),
        (["abc", {"promt": "x"}], r"prompt 1: .*has the keys \['promt'\], expected prompt, prompt_token_ids"),
        ({"prompt": "abc", "cache_sal": "x"}, "prompt 0: .*the key 'cache_sal'.*did you mean 'cache_salt'"),
        ({"prompt": IDS}, r"the prompt's text is \[3, 4.*tokens go to 'prompt_token_ids'"),
        ({"prompt_token_ids": "abc"}, "the prompt is 'abc', expected a text or a sequence"),
        ({"prompt": "abc", "cache_salt": 7}, "the prompt's cache_salt is 7, expected a text or None"),
        ({"prompt": "abc", "multi_modal_data": {"image": 1}}, "'multi_modal_data', but the model reads texts"),
        ({"prompt_embeds": torch.zeros(2, 2)}, "needs LLM.*enable_prompt_embeds=True"),
        ([{"input_ids": [[3], [4]]}], "a tokenizer's output of 2 texts; give it alone"),
    ],
)
def test_what_is_no_prompt(prompts: Any, says: str) -> None:
    with pytest.raises(RequestError, match=says):
        llm().generate(prompts, GREEDY, use_tqdm=False)
    assert not llm().engine.has_unfinished_requests and llm().stats().cache.num_used_blocks == 0

"""An engine and a server whose tokenizer is a `FastTokenizer`: the same outputs, and users get transformers' object."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from tests.models import STDLIB_LM
from torchpaged import LLM, AsyncLLM, SamplingParams
from torchpaged.errors import RequestError
from torchpaged.models.fast_tokenizer import FastTokenizer, record
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.serving.tokenizer_info import configuration
from torchpaged.structured_outputs import StructuredOutputsParams

SMALL: dict[str, Any] = {"dtype": "float32", "num_blocks": 120, "block_size": 4}
TEXTS = ["import os\n", "def main(", "naïve 🙂", "class Queue:\n    def put"]
TEMPLATE = "{% for m in messages %}# {{ m.role }}\n{{ m.content }}\n{% endfor %}"
TALK = [{"role": "user", "content": "import os"}]


def fast() -> FastTokenizer:
    """Return the model's tokenizer from a record."""
    made = record(load_tokenizer(STDLIB_LM))
    return FastTokenizer(json.loads(json.dumps(made)), functools.partial(load_tokenizer, STDLIB_LM))


def test_an_engine_gives_the_same_outputs() -> None:
    given = fast()
    with (
        LLM(STDLIB_LM, given, chat_template=TEMPLATE, **SMALL) as llm,
        LLM(STDLIB_LM, chat_template=TEMPLATE, **SMALL) as other,
    ):
        for options in (
            {},
            {"stop": ["\n"], "include_stop_str_in_output": True},
            {"logprobs": 2, "prompt_logprobs": 1},
            {"bad_words": ["self", "import"], "skip_special_tokens": False, "spaces_between_special_tokens": False},
        ):
            params = SamplingParams(temperature=0, max_tokens=12, **options)  # type: ignore[arg-type]
            found = llm.generate(TEXTS, params, use_tqdm=False, tokenization_kwargs={"truncation": True})
            for mine, theirs in zip(found, other.generate(TEXTS, params, use_tqdm=False), strict=True):
                assert (
                    mine.prompt_token_ids == theirs.prompt_token_ids and mine.outputs[0].text == theirs.outputs[0].text
                )
                assert mine.outputs[0].logprobs == theirs.outputs[0].logprobs
                assert mine.prompt_logprobs == theirs.prompt_logprobs
        params = SamplingParams(temperature=0, max_tokens=8)
        (mine,), (theirs,) = (each.chat(TALK, params, use_tqdm=False) for each in (llm, other))
        assert mine.prompt == theirs.prompt and mine.outputs[0].text == theirs.outputs[0].text
        assert not given.is_loaded
        with pytest.raises(RequestError, match=r"character 2 is .*udfff.*, half of a surrogate pair"):
            llm.generate("ab\udfff", use_tqdm=False)
        assert isinstance(llm.tokenizer, PreTrainedTokenizerFast) and given.is_loaded
        assert llm.get_tokenizer() is llm.engine.get_tokenizer() is llm.engine.vllm_config.model_config.tokenizer
        # What a user changes has an effect, as without a record.
        llm.tokenizer.add_tokens(["qqq"])
        with pytest.raises(RequestError, match="token id 4096, expected 0 to 4095"):
            llm.generate("qqq", use_tqdm=False)


def test_structured_outputs() -> None:
    pytest.importorskip("llguidance")
    given = fast()
    params = SamplingParams(max_tokens=20, seed=3, structured_outputs=StructuredOutputsParams(regex="a[bc]{3}"))
    with LLM(STDLIB_LM, given, **SMALL) as llm:
        (output,) = llm.generate("x", params, use_tqdm=False)
    assert output.outputs[0].text[:1] == "a" and set(output.outputs[0].text[1:]) <= set("bc")
    assert not given.is_loaded


@pytest.mark.parametrize("in_process", [False, True])
def test_a_server_s_engine(in_process: bool) -> None:
    """The tokenizer goes to the engine's process and back, and copies answer in threads."""

    async def ask() -> None:
        llm = AsyncLLM(STDLIB_LM, fast(), engine_process=in_process, chat_template=TEMPLATE, **SMALL)
        try:
            tokenizer = llm.tokenizer_pool.tokenizer
            assert isinstance(tokenizer, FastTokenizer)
            outputs = [each async for each in llm.generate(TEXTS[0], SamplingParams(temperature=0, max_tokens=4), "a")]
            assert await llm.tokenizer_pool.text(outputs[-1].prompt_token_ids) == TEXTS[0]
            prompt = await llm.tokenizer_pool.chat(TALK)
            assert prompt["prompt"] == "# user\nimport os\n"
            assert not tokenizer.is_loaded
            info = configuration(tokenizer, llm.chat_template)
            assert info == configuration(load_tokenizer(STDLIB_LM), llm.chat_template) and not tokenizer.is_loaded
            assert isinstance(llm.get_tokenizer(), PreTrainedTokenizerFast) and tokenizer.is_loaded
        finally:
            llm.shutdown()

    asyncio.run(ask())

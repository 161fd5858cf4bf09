"""Conversations: prompts as transformers' template makes them; earlier turns are found in the cache."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, RequestError

GREEDY = SamplingParams(temperature=0, max_tokens=4, ignore_eos=True)
# Beginning of sequence and all, as templates have it; tools and a word of the caller's are written down.
TEMPLATE = (
    "{{ bos_token }}{% if tools %}tools:{{ tools | tojson }}\n{% endif %}{% if word %}{{ word }}\n{% endif %}"
    "{% for m in messages %}# {{ m.role }}\n{{ m.content }}\n"
    "{% for c in m.tool_calls or [] %}{{ c.function.name }}({{ c.function.arguments.x }})\n{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}# assistant\n{% endif %}"
)
TALK = [{"role": "user", "content": "import os"}]
LONGER = [*TALK, {"role": "assistant", "content": "import sys"}, {"role": "user", "content": "def main("}]


@functools.cache
def llm() -> LLM:
    """Return an LLM whose tokenizer begins each text with a token, as a Llama's does."""
    from tokenizers.processors import TemplateProcessing

    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    begin = (tokenizer.bos_token, tokenizer.bos_token_id)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single=f"{begin[0]} $A", special_tokens=[begin])
    tokenizer.chat_template = TEMPLATE
    assert tokenizer("x")["input_ids"][0] == tokenizer.bos_token_id
    return LLM(models.STDLIB_LM, tokenizer, dtype="float32", num_blocks=120, block_size=4)


def rendered(messages: Any, **options: Any) -> list[int]:
    """Return transformers' own tokens."""
    options = {"add_generation_prompt": True, "return_dict": False, **options}
    return list(llm().tokenizer.apply_chat_template(messages, tokenize=True, **options))


def test_one_conversation() -> None:
    (output,) = llm().chat(TALK, GREEDY, use_tqdm=False)
    bos = llm().tokenizer.bos_token_id
    assert output.prompt_token_ids == rendered(TALK) and output.prompt_token_ids.count(bos) == 1
    assert output.prompt == llm().tokenizer.bos_token + "# user\nimport os\n# assistant\n"
    (same,) = llm().generate({"prompt_token_ids": rendered(TALK)}, GREEDY, use_tqdm=False)
    assert output.outputs[0].token_ids == same.outputs[0].token_ids


def test_what_transformers_returns_is_a_prompt() -> None:
    """`generate` accepts the result of `apply_chat_template` in each of its forms."""
    tokenizer = llm().tokenizer
    for options in ({"return_dict": True}, {"return_tensors": "pt"}, {"return_dict": False}):
        given = tokenizer.apply_chat_template(TALK, add_generation_prompt=True, tokenize=True, **options)
        (output,) = llm().generate(given, GREEDY, use_tqdm=False)
        assert output.prompt_token_ids == rendered(TALK), options
    both = tokenizer.apply_chat_template(
        [TALK, LONGER], add_generation_prompt=True, tokenize=True, return_dict=True, padding=True, return_tensors="pt"
    )
    outputs = llm().generate(both, GREEDY, use_tqdm=False)
    assert [output.prompt_token_ids for output in outputs] == [rendered(TALK), rendered(LONGER)]


def test_several_conversations_and_parameters() -> None:
    params = [GREEDY, SamplingParams(temperature=0, max_tokens=2, ignore_eos=True)]
    outputs = llm().chat([TALK, LONGER], params, use_tqdm=False)
    assert [output.prompt_token_ids for output in outputs] == [rendered(TALK), rendered(LONGER)]
    assert [len(output.outputs[0].token_ids) for output in outputs] == [4, 2]
    assert llm().chat([], GREEDY, use_tqdm=False) == []


def test_a_second_turn_finds_the_first() -> None:
    llm().reset_prefix_cache()
    (first,) = llm().chat(TALK, GREEDY, use_tqdm=False)
    answer = {"role": "assistant", "content": first.outputs[0].text}
    (second,) = llm().chat([*TALK, answer, *TALK], GREEDY, use_tqdm=False)
    assert first.num_cached_tokens == 0
    assert (second.num_cached_tokens or 0) >= len(first.prompt_token_ids) - 4


def test_what_the_template_is_told() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    (output,) = llm().chat(
        TALK, GREEDY, use_tqdm=False, tools=tools, chat_template_kwargs={"word": "please"}, add_generation_prompt=False
    )
    assert output.prompt is not None
    assert output.prompt.endswith(json.dumps(tools) + "\nplease\n# user\nimport os\n")
    open_end = [*TALK, {"role": "assistant", "content": "import sy"}]
    (output,) = llm().chat(open_end, GREEDY, use_tqdm=False, add_generation_prompt=False, continue_final_message=True)
    assert output.prompt is not None and output.prompt.endswith("# assistant\nimport sy")
    (output,) = llm().chat(TALK, GREEDY, use_tqdm=False, chat_template="{{ messages[0].content }}!")
    assert output.prompt == "import os!"


def test_content_in_parts_and_called_functions() -> None:
    parts = [{"type": "text", "text": "import"}, {"type": "text", "text": "os"}]
    (output,) = llm().chat([{"role": "user", "content": parts}], GREEDY, use_tqdm=False)
    assert output.prompt is not None and "# user\nimport\nos\n" in output.prompt
    (output,) = llm().chat(
        [{"role": "user", "content": parts}],
        GREEDY,
        use_tqdm=False,
        chat_template="{{ messages[0].content[1].text }}",
        chat_template_content_format="openai",
    )
    assert output.prompt == "os"
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 7}'}}
    talk = [*TALK, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "content": "8", "tool_call_id": "1"}]
    (output,) = llm().chat(talk, GREEDY, use_tqdm=False)
    assert output.prompt is not None and "f(7)" in output.prompt
    assert call["function"] == {"name": "f", "arguments": '{"x": 7}'}  # what was given stays as it was


def test_options_of_the_tokenizer() -> None:
    """They apply to the template's text, which contains the special tokens already."""
    long = [{"role": "user", "content": "import os\n" * 20}]
    for kept, params in ((7, GREEDY), (-1, SamplingParams(temperature=0, max_tokens=1000, allowed_token_ids=[0]))):
        options = {"truncate_prompt_tokens": kept}
        (output,) = llm().chat(long, params, use_tqdm=False, tokenization_kwargs=options)
        assert output.prompt_token_ids == rendered(long)[-(7 if kept == 7 else 24) :]
        (prompt,) = llm().preprocess_chat(long, tokenization_kwargs=options)
        assert prompt["prompt_token_ids"] == rendered(long)[-(7 if kept == 7 else 1023) :]
    (output,) = llm().chat(TALK, GREEDY, use_tqdm=False, tokenization_kwargs={"add_special_tokens": True})
    assert output.prompt_token_ids == [llm().tokenizer.bos_token_id, *rendered(TALK)], "who asks for a second one"


def test_a_template_of_the_llms(tmp_path: Path) -> None:
    path = tmp_path / "template.jinja"
    path.write_text("{{ messages[0].content }} from a file")
    for template in (path, str(path), "{{ messages[0].content }} from a file"):
        told = LLM(models.STDLIB_LM, num_blocks=40, chat_template=template)
        (output,) = told.chat(TALK, GREEDY, use_tqdm=False)
        assert output.prompt == "import os from a file"
    with pytest.raises(ConfigError, match=r"chat_template is 'no-such-file', expected a Jinja template or a file"):
        LLM(models.STDLIB_LM, num_blocks=40, chat_template="no-such-file")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"messages": "hello"}, "messages is 'hello', expected a list of messages"),
        ({"messages": 7}, "messages is 7, expected a list of messages"),
        ({"messages": [TALK, "hello"]}, "conversation 1 is 'hello', expected a list of messages"),
        ({"messages": [TALK, []]}, "conversation 1 has no message"),
        ({"messages": [TALK, [7]]}, "message 0 of conversation 1 is 7, expected a dictionary with a role"),
        ({"messages": [{"content": "x"}]}, "message 0 of conversation 0 is .*expected a dictionary with a role"),
        ({"messages": [{"role": "user"}]}, "message 0 of conversation 0 has no content"),
        ({"messages": [{"role": "user", "content": 7}]}, "its content is 7, expected a text or a list of parts"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "has the part .*image_url.*expected {'type': 'text'",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]},
            "the arguments of a tool call are not JSON",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": "[" * 100_000}}]}]},
            "the arguments of a tool call are not JSON that can be read: maximum recursion depth",
        ),
        ({"messages": [{"role": "assistant", "tool_calls": 7}]}, "its tool_calls is 7, expected a list of calls"),
        ({"tokenization_kwargs": 7}, "chat: tokenization_kwargs is 7, expected a dictionary"),
        ({"tokenization_kwargs": {"truncate_prompt_tokens": 0}}, "chat: .*truncate_prompt_tokens=0, expected"),
        ({"chat_template": "{{ raise_exception('not so') }}"}, "the template failed on conversation 0: not so"),
        ({"chat_template": "{% if"}, "the template failed on conversation 0"),
        ({"chat_template_content_format": "xml"}, "chat_template_content_format is 'xml', expected one of auto"),
        ({"continue_final_message": True}, "add_generation_prompt and continue_final_message are both True"),
        ({"tools": {"name": "f"}}, "tools is .*expected a list of dictionaries or None"),
        ({"chat_template_kwargs": 7}, "chat_template_kwargs is 7, expected a dictionary or None"),
    ],
)
def test_what_is_no_conversation(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises((RequestError, ConfigError), match=says):
        llm().chat(**{"messages": TALK, "sampling_params": GREEDY, "use_tqdm": False, **arguments})
    assert not llm().engine.has_unfinished_requests


def test_without_a_template_or_a_tokenizer() -> None:
    with pytest.raises(RequestError, match="the tokenizer has no chat template; give one as chat_template"):
        LLM(models.STDLIB_LM, num_blocks=40).chat(TALK)
    with pytest.raises(RequestError, match="chat: there is no tokenizer"):
        LLM(models.build("llama"), num_blocks=40).chat(TALK)

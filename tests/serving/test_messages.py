"""Parts of a chat's answer (text, thinking, calls): the same for any chunking, whole and in a stream."""

from __future__ import annotations

import itertools
import json
import logging
import random
import re
import types
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.fakes import FakeModel, engine
from tests.serving.harness import Running
from torchpaged import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.serving.messages import MessageReader, Parts, load_response_template, require_tools
from torchpaged.serving.parsers import template_of
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.responses import Items

TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "content": "json",
            "repeats": True,
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {},
    },
}
PROMPT = "<|user|>what?<|assistant|>"
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("look", "ask")
]
LOOK = '<call>{"name": "look", "arguments": {"at": "é"}}</call>'
ASK = '<call>{"name": "ask", "arguments": {}}</call>'
CASES = {
    "said": ("Hello.", "Hello.", "", []),
    "thought": ("<think>hm</think>Hello.", "Hello.", "hm", []),
    "called": (f"<think>hm</think>I look.{LOOK}{ASK}", "I look.", "hm", [("look", {"at": "é"}), ("ask", {})]),
    "cut": ("<think>hm", "", "hm", []),
    "half-a-delimiter": ("a <thi", "a <thi", "", []),
}


def read(reader: MessageReader, pieces: list[str], *, cut: bool = False) -> tuple[str, str, list[tuple[str, Any]]]:
    """Return content, reasoning and calls; arguments that have not ended are a text."""
    message = Parts()
    for place, piece in enumerate(pieces):
        message.extend(reader.read(piece, last=place == len(pieces) - 1, cut=cut))
    calls = [(each["function"]["name"], each["function"]["arguments"]) for each in message.calls]
    num_whole = len(calls) - reader.is_broken
    whole = [(name, json.loads(arguments)) for name, arguments in calls[:num_whole]]
    return message.content, message.reasoning, whole + calls[num_whole:]


@pytest.mark.parametrize("case", CASES)
def test_in_whatever_pieces_it_comes(case: str) -> None:
    text, *expected = CASES[case]
    choose = random.Random(3)
    for most in (1, 3, 9):
        pieces, rest = [], text
        while rest:
            size = choose.randint(1, most)
            pieces.append(rest[:size])
            rest = rest[size:]
        assert [*read(MessageReader(TEMPLATE, PROMPT, TOOLS, several=True), pieces)] == expected
    assert [*read(MessageReader(TEMPLATE, PROMPT, TOOLS, several=True), [text])] == expected


@pytest.mark.parametrize(
    "said",
    [
        "I look.<call>{name: ]</call> or not <think>",
        '<call>{"name": "look"}</call>',
        '<call>{"name": 7, "arguments": {}}</call>',
        '<call>{"name": "look", "arguments": NaN}</call>',
        '<call>{"name": "lo',
        "<call>" + "[" * 100_000 + "</call>",
        "<call>",
    ],
    ids=lambda said: said[:40],
)
def test_a_call_that_cannot_be_read_is_told_as_it_is(said: str) -> None:
    """The text after it too; the parts before it keep their kind."""
    for text, number, reasoning in (("<think>hm</think>", 0, "hm"), (LOOK, 1, "")):
        text += said
        for size in (1, 4, len(text)):
            reader = MessageReader(TEMPLATE, PROMPT, TOOLS, several=True)
            pieces = [text[place : place + size] for place in range(0, min(len(text), 200), size)]
            pieces.append(text[len(pieces) * size :])
            content, thought, calls = read(reader, pieces)
            assert (content, thought, len(calls), reader.num_calls) == (said, reasoning, number, number)


# Delimiters of all kinds: prefixes of another one, ones that may continue, single characters, unused ones.
TEMPLATES: dict[str, dict[str, Any]] = {
    "json": TEMPLATE["fields"],
    "overlapping": {
        "reasoning": {"open": ["c", "abcd"], "close": ["</t>", "</t>a"]},
        "tool_calls": {"open": "ab", "close": "b", "content": "json", "transform": {"function": "{content}"}},
        "content": {"close_pattern": "\\n"},
    },
    "patterns": {
        "reasoning": {"open_pattern": "<think>\\s*", "close_pattern": "\\s*</think>|a+b"},
        "tool_calls": {
            "open_pattern": "<call=(?P<name>[^>]+)>\\n?",
            "close_pattern": "(?=<call)|</call>\\s*",
            "repeats": True,
            "content": "xml-inline",
            "content_args": {"tag_pattern": "<(?P<key>\\w)>(?P<value>.*?)</(?P=key)>"},
            "transform": {"function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {},
    },
    "a text of calls": {
        "tool_calls": {
            "open": "[",
            "content": "json",
            "content_args": {"allow_non_json": True},
            "transform": {"function": {"name": "f", "arguments": "{content}"}},
        },
        "content": {"optional": False, "open": "<call>", "close_pattern": "$"},
    },
    "numbers": {
        "reasoning": {"open": "<think>", "close": "</think>", "content": "int"},
        "content": {"content": "json"},
    },
}
WORDS = [
    *("<think>", "</think>", "<call>", "</call>", LOOK, ASK, "<call=f>", "<a>1</a>", "{bad}", '"', "abc", "d", "</t>"),
    *("[", "]", '{"name": "f", "arguments": {}}', "\n", " ", "<", "a", "b", "7", "é"),
]
ENDS = ["", "<think>", "<call>", "<cal", "\n", "<think> ", "a", "{bad}</call>", "<call>{bad}</call>"]


@given(
    st.sampled_from(sorted(TEMPLATES)),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=8).map("".join),
    st.lists(st.integers(0, 200), max_size=12),
    st.sampled_from(ENDS),
    st.booleans(),
    st.booleans(),
)
@examples(60)
def test_a_stream_says_what_the_whole_says(
    name: str, text: str, cuts: list[int], prompt: str, several: bool, cut: bool
) -> None:
    """For any text, any chunking and any template: the message, and the items of a response."""
    template = {"start_anchor": "<|assistant|>", "fields": TEMPLATES[name]}
    places = sorted({0, len(text), *(place for place in cuts if place < len(text))})
    found = []
    for pieces in ([text], [text[a:b] for a, b in itertools.pairwise(places)] or [""], [*text] or [""]):
        reader, items, message = MessageReader(template, PROMPT + prompt, TOOLS, several=several), Items(), Parts()
        for number, piece in enumerate(pieces):
            parts = reader.read(piece, last=number == len(pieces) - 1, cut=cut)
            items.take(parts, [])
            message.extend(parts)
        items.end("completed")
        told = json.dumps([message.message(), items.items, reader.num_calls])
        found.append(re.sub(r"(call|msg|rs|fc)_[0-9a-f]{24}", "", told))
    assert found[0] == found[1] == found[2]


def test_a_call_that_is_cut_is_none() -> None:
    """Parameters in tags do not show whether others are missing."""
    template = {"start_anchor": "<|assistant|>", "fields": TEMPLATES["patterns"]}
    whole, text = "<call=f><a>1</a></call>", "<call=f><a>1</a><b>2"
    for pieces in ([whole + text], [*(whole + text)]):
        for cut in (False, True):
            reader = MessageReader(template, PROMPT, TOOLS, several=True)
            parts = [reader.read(piece, last=False) for piece in pieces] + [reader.read("", last=True, cut=cut)]
            assert sum(len(each.calls) for each in parts) == (1 if cut else 2)
            assert "".join(each.content for each in parts) == (text if cut else "")
    reader = MessageReader(template, PROMPT, TOOLS, several=True)
    assert len(reader.read(whole, last=True, cut=True).calls) == 1


@pytest.mark.parametrize(
    ("text", "cut", "calls", "content"),
    [
        # Arguments that have begun are told, and have not ended.
        (LOOK[:-10], True, [("look", '{"at": "\u00e9')], ""),
        (LOOK[:-10], False, [("look", '{"at": "\u00e9')], ""),
        (ASK + LOOK[:-10], True, [("ask", {}), ("look", '{"at": "\u00e9')], ""),
        # Those that have ended are whole, wherever the rest is cut.
        (LOOK[:-8], True, [("look", {"at": "\u00e9"})], ""),
        (LOOK[:-3], True, [("look", {"at": "\u00e9"})], ""),
        # What is wrong is content, from there on.
        (LOOK[:-9] + "x}}</call>" + ASK, False, [("look", '{"at": "\u00e9"')], "x}}</call>" + ASK),
        (LOOK[:-7] + " and</call>.", False, [("look", {"at": "\u00e9"})], "and</call>."),
        ('<call>{"name": "look", "arguments": {"at": 01}}</call>', False, [("look", '{"at": 0')], "1}}</call>"),
        # A delimiter in a string is a part of it, unless the string is not JSON's.
        ('<call>{"name": "look", "arguments": {"at": "</call>"}}</call>.', False, [("look", {"at": "</call>"})], "."),
        ('<call>{"name": "look", "arguments": {"at": "</call>\n', False, [("look", '{"at": "</call>')], "\n"),
        # The name may come last, arguments may be a text of JSON, and other keys may stand beside them.
        ('<call>{"arguments": {"at": [1, {}]}, "name": "look"}</call>', False, [("look", {"at": [1, {}]})], ""),
        ('<call>{"name": "look", "arguments": "{}"}</call>', False, [("look", {})], ""),
        ('<call>{"id": 7, "name": "look", "more": {"name": "x"}, "arguments": {}}</call>', False, [("look", {})], ""),
    ],
)
def test_calls_are_told_as_they_are_written(text: str, cut: bool, calls: list[Any], content: str) -> None:
    for size in (1, 2, 7, len(text)):
        pieces = [text[place : place + size] for place in range(0, len(text), size)]
        reader = MessageReader(TEMPLATE, PROMPT, TOOLS, several=True)
        assert read(reader, pieces, cut=cut) == (content, "", calls)
        assert reader.is_broken is any(isinstance(arguments, str) for _, arguments in calls)


def test_arguments_come_with_their_text() -> None:
    """A long text in a call is told while it is written, in JSON and between tags."""
    for name, text in (("json", '<call>{"name": "look", "arguments": {"at": "'), ("tags", "<call=look>\n<at=at>")):
        template = TEMPLATE if name == "json" else template_of("qwen3_coder", None, None)
        opens = text if name == "json" else "<tool_call>\n<function=look>\n<parameter=at>\n"
        reader = MessageReader(template, PROMPT, TOOLS, several=True)
        reader.read(opens, last=False)
        told = [reader.read(f"word {number} ", last=False) for number in range(20)]
        assert all(f"word {number}" in told[number].calls[0]["function"]["arguments"] for number in range(20))


def test_no_word_of_a_model_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    MessageReader(TEMPLATE, PROMPT, TOOLS, several=True).read("<call>secret</call>", last=True)
    MessageReader(TEMPLATE, PROMPT + "<call>secret</call>", TOOLS, several=True)
    written = "".join(logging.Formatter().format(record) for record in caplog.records)
    assert written.count("response template") == 2 and "secret" not in written


def test_the_end_of_a_prompt_is_no_part_of_an_answer() -> None:
    """The parser holds it back if it may be the beginning of a delimiter."""
    for end, text, expected in (("<thi", "s", ("s", "")), ("<thi", "nk>s", ("", "s")), ("<think> ", "s", ("", "s"))):
        template = {"start_anchor": "<|assistant|>", "fields": TEMPLATES["patterns"]}
        assert read(MessageReader(template, PROMPT + end, [], several=True), [*text])[:2] == expected


def test_a_prompt_that_has_begun_to_think() -> None:
    reader = MessageReader(TEMPLATE, PROMPT + "<think>", [], several=True)
    assert read(reader, ["hm", "</think>", "Yes."]) == ("Yes.", "hm", [])


def test_one_call_and_no_more() -> None:
    reader = MessageReader(TEMPLATE, PROMPT, TOOLS, several=False)
    assert read(reader, [LOOK, ASK]) == ("", "", [("look", {"at": "é"})])


def test_without_a_template_all_is_content() -> None:
    assert read(MessageReader(None, PROMPT, [], several=True), [LOOK]) == (LOOK, "", [])


def test_what_is_refused(tmp_path: Path) -> None:
    require_tools([], None)
    require_tools(TOOLS, TEMPLATE)
    for tools, template, says in (
        (TOOLS, None, "no response_template of its"),
        ([{"type": "web"}], TEMPLATE, "tools\\[0\\] is"),
        ([{"type": "function", "function": {"name": "f", "parameters": []}}], TEMPLATE, "tools\\[0\\] has the param"),
    ):
        with pytest.raises(Refusal, match=says) as refused:
            require_tools(tools, template)
        assert refused.value.param == "tools"
    file = tmp_path / "template.json"
    file.write_text(json.dumps(TEMPLATE))
    assert load_response_template(str(file), None) == TEMPLATE
    for text in ("{", "{}", '{"fields": 7, "start_anchor": "x"}'):
        file.write_text(text)
        with pytest.raises(ConfigError, match="which cannot be used"):
            load_response_template(str(file), None)
    with pytest.raises(ConfigError, match=r"the tokenizer's response_template cannot be used: .*fields"):
        load_response_template(None, types.SimpleNamespace(response_template={"start_anchor": "x"}))


class PieceTokenizer:
    """A tokenizer whose token 2 is a question, later tokens are pieces of an answer, and 1 ends it."""

    chat_template = "{{ messages }}"
    response_template = TEMPLATE
    pieces = (
        "",
        "",
        "?",
        "<think>",
        "hm",
        "</think>",
        "I ",
        "look.",
        "<call>",
        LOOK[6:20],
        LOOK[20:-7],
        "</call>",
        ASK,
    )

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        return {"input_ids": [2]}

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        self.tools = options["tools"]
        return PROMPT

    def decode(self, tokens: Any, **options: Any) -> str:
        return "".join(self.pieces[token] for token in tokens)


@pytest.mark.parametrize("stream", [False, True])
def test_over_http(stream: bool) -> None:
    model = FakeModel(script=[*range(3, 13), 1])
    llm = AsyncLLM.from_engine(engine(model, tokenizer=PieceTokenizer()), name="fake")
    messages: Any = [{"role": "user", "content": "what?"}]
    request: Any = {"model": "fake", "messages": messages, "temperature": 0}
    with Running(llm) as server:
        for more, names in (
            ({"tools": TOOLS}, ["look", "ask"]),
            ({"tools": TOOLS, "parallel_tool_calls": False}, ["look"]),
        ):
            if stream:
                content, reasoning, calls, reasons = "", "", {}, []  # type: ignore[var-annotated]
                for chunk in server.client().chat.completions.create(**request, **more, stream=True):
                    delta = chunk.choices[0].delta
                    content += delta.content or ""
                    reasoning += getattr(delta, "reasoning_content", "")
                    calls |= {call.index: call for call in delta.tool_calls or ()}
                    reasons.append(chunk.choices[0].finish_reason)
                found, reason = [calls[place] for place in sorted(calls)], reasons[-1]
            else:
                (choice,) = server.client().chat.completions.create(**request, **more).choices
                content, reasoning = choice.message.content or "", choice.message.reasoning_content  # type: ignore
                found, reason = choice.message.tool_calls, choice.finish_reason  # type: ignore[assignment]
            assert (content, reasoning, reason) == ("I look.", "hm", "tool_calls")
            assert [call.function.name for call in found] == names and len({call.id for call in found}) == len(names)
            assert json.loads(found[0].function.arguments) == {"at": "é"}
        assert llm.get_tokenizer().tools == TOOLS
        client, more = server.client(), {"tools": TOOLS, "max_tokens": 7}
        if stream:
            choices = [chunk.choices[0] for chunk in client.chat.completions.create(**request, **more, stream=True)]
            said = "".join(choice.delta.content or "" for choice in choices)
        else:
            choices = client.chat.completions.create(**request, **more).choices
            said = choices[0].message.content
        assert (said, choices[-1].finish_reason) == (f"I look.{LOOK[:20]}", "length")
        response = client.responses.create(
            model="fake", input="what?", max_output_tokens=7, stream=stream, temperature=0
        )
        if stream:
            response = [*response][-1].response
        assert (response.status, response.output_text) == ("incomplete", f"I look.{LOOK[:20]}")
        with pytest.raises(openai.BadRequestError, match="PieceTokenizer is not a fast tokenizer"):
            server.client().chat.completions.create(**request, tools=TOOLS, tool_choice="required")


def test_the_page_s_template_reads_what_qwen_writes() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text()
    template = json.loads(page[page.index('{"start_anchor"') :].split("```")[0])
    prompt = "<|im_start|>user\nwhat?<|im_end|>\n<|im_start|>assistant\n"
    text = '<think>\nhm\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>'
    content, reasoning, calls = read(MessageReader(template, prompt, TOOLS, several=True), [*text])
    assert (content.strip(), reasoning.strip(), calls) == ("", "hm", [("look", {"at": 1})])

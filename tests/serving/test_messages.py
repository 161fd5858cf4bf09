"""What a chat's answer says, thinks and calls: the same in whatever pieces it comes, whole and in a stream."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai

from tests.fakes import FakeModel, engine
from tests.serving.harness import Running
from torchpaged import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.serving.messages import MessageReader, load_response_template, require_tools
from torchpaged.serving.refusals import Refusal

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


def read(reader: MessageReader, pieces: list[str]) -> tuple[str, str, list[tuple[str, Any]]]:
    content, reasoning, calls = "", "", []
    for place, piece in enumerate(pieces):
        parts = reader.read(piece, last=place == len(pieces) - 1)
        content, reasoning = content + parts.content, reasoning + parts.reasoning
        calls += [(each["function"]["name"], json.loads(each["function"]["arguments"])) for each in parts.calls]
    return content, reasoning, calls


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


def test_a_call_that_cannot_be_read_is_told_as_it_is() -> None:
    """And what comes behind it. What it is written between may be left out."""
    text = "I look.<call>{name: ]</call> or not <think>"
    for size in (1, 4, len(text)):
        pieces = [text[place : place + size] for place in range(0, len(text), size)]
        content, reasoning, calls = read(MessageReader(TEMPLATE, PROMPT, TOOLS, several=True), pieces)
        assert content.startswith("I look.") and "{name: ]" in content and content.endswith(" or not <think>")
        assert not reasoning and not calls


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
        (TOOLS, None, "no response_template"),
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


class PieceTokenizer:
    """Token 2 is a question; those behind it are pieces of an answer; 1 ends it."""

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
        with pytest.raises(openai.BadRequestError, match="PieceTokenizer is not a fast tokenizer"):
            server.client().chat.completions.create(**request, tools=TOOLS, tool_choice="required")


def test_the_page_s_template_reads_what_qwen_writes() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text()
    template = json.loads(page[page.index('{"start_anchor"') :].split("```")[0])
    prompt = "<|im_start|>user\nwhat?<|im_end|>\n<|im_start|>assistant\n"
    text = '<think>\nhm\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>'
    content, reasoning, calls = read(MessageReader(template, prompt, TOOLS, several=True), [*text])
    assert (content.strip(), reasoning.strip(), calls) == ("", "hm", [("look", {"at": 1})])

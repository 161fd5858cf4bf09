"""Parsers by name: each reads the format of its models, whole and in pieces, and refuses other input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai

from tests.fakes import FakeModel, engine
from tests.serving.harness import Running
from tests.serving.test_messages import PROMPT, TOOLS, PieceTokenizer, read
from torchpaged import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.serving.messages import MessageReader, load_response_template, require_tools
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.parsers import REASONING, TOOL_CALLS
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.structure import calls_of

# Two calls as a family's models write them: look(at="é<", n=2) and ask().
ONE, NOTHING = '{"at": "é<", "n": 2}', "{}"
LOOK, ASK = f'{{"name": "look", "arguments": {ONE}}}', f'{{"name": "ask", "arguments": {NOTHING}}}'
LLAMA = f'{{"name": "look", "parameters": {ONE}}}'
KIMI = "<|tool_call_begin|>functions.{}:{}<|tool_call_argument_begin|>{}<|tool_call_end|>"
FUNCTIONS = (
    "<{0}>\n<function=look>\n<parameter=at>\né<\n</parameter>\n<parameter=n>\n2\n</parameter>\n</function>\n</{0}>"
)
NO_PARAMETERS = "\n<{0}>\n<function=ask>\n</function>\n</{0}>"
WRITTEN = {
    "deepseek_v3": "<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>look\n"
    f"```json\n{ONE}\n```<|tool▁call▁end|>\n<|tool▁call▁begin|>function<|tool▁sep|>ask\n"
    f"```json\n{NOTHING}\n```<|tool▁call▁end|><|tool▁calls▁end|>".replace("|", "\uff5c"),
    "deepseek_v31": f"<|tool▁calls▁begin|><|tool▁call▁begin|>look<|tool▁sep|>{ONE}<|tool▁call▁end|>"
    f"<|tool▁call▁begin|>ask<|tool▁sep|>{NOTHING}<|tool▁call▁end|><|tool▁calls▁end|>".replace("|", "\uff5c"),
    "glm45": "<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>é<</arg_value>\n<arg_key>n</arg_key>\n"
    "<arg_value>2</arg_value>\n</tool_call>\n<tool_call>ask</tool_call>",
    "granite": f"<|tool_call|>[{LOOK}, {ASK}]",
    "granite-20b-fc": f"<function_call> {LOOK}<function_call> {ASK}",
    "granite4": f"<tool_call>\n{LOOK}\n</tool_call>\n<tool_call>\n{ASK}\n</tool_call>",
    "hermes": f"<tool_call>\n{LOOK}\n</tool_call>\n<tool_call>\n{ASK}\n</tool_call>",
    "internlm": f"<|action_start|><|plugin|>\n{LLAMA}<|action_end|>",
    "jamba": f"<tool_calls>[\n{LOOK},\n{ASK}\n]</tool_calls>",
    "kimi_k2": "<|tool_calls_section_begin|>"
    f"{KIMI.format('look', 0, ONE)}{KIMI.format('ask', 1, NOTHING)}<|tool_calls_section_end|>",
    "llama3_json": f"<|python_tag|>{LLAMA}",
    "longcat": f"<longcat_tool_call>{LOOK}</longcat_tool_call><longcat_tool_call>{ASK}</longcat_tool_call>",
    "minimax_m2": '<minimax:tool_call>\n<invoke name="look">\n<parameter name="at">é<</parameter>\n'
    '<parameter name="n">2</parameter>\n</invoke>\n<invoke name="ask">\n</invoke>\n</minimax:tool_call>',
    "mistral": f"[TOOL_CALLS]look[ARGS]{ONE}[TOOL_CALLS]ask{NOTHING}",
    "phi4_mini_json": f"functools[{LOOK}, {ASK}]",
    "qwen3_coder": FUNCTIONS.format("tool_call") + NO_PARAMETERS.format("tool_call"),
    "qwen3_json": f"<tool_call>\n{LOOK}\n</tool_call>\n<tool_call>\n{ASK}\n</tool_call>",
    "qwen3_xml": FUNCTIONS.format("tool_call") + NO_PARAMETERS.format("tool_call"),
    "seed_oss": FUNCTIONS.format("seed:tool_call") + NO_PARAMETERS.format("seed:tool_call"),
}
TYPED: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "parameters": {"type": "object", "properties": {"at": {"type": "string"}, "n": {"type": "integer"}}},
        },
    },
    TOOLS[1],
]


def reader(tool_call_parser: str | None, reasoning_parser: str | None = None, end: str = "") -> MessageReader:
    template = load_response_template(None, None, tool_call_parser=tool_call_parser, reasoning_parser=reasoning_parser)
    # What a user says of delimiters opens nothing.
    return MessageReader(template, f"<think>[TOOL_CALLS]<tool_call>{PROMPT}{end}", TYPED, several=True)


@pytest.mark.parametrize("name", TOOL_CALLS)
def test_calls(name: str) -> None:
    text = WRITTEN[name]
    expected = [("look", {"at": "é<", "n": 2}), ("ask", {})][: 1 if name in ("internlm", "llama3_json") else 2]
    before = "" if name == "llama3_json" else "I look."
    for pieces in ([before + text], [*before, *text]):
        content, reasoning, calls = read(reader(name), pieces)
        assert (content.strip(), reasoning, calls) == (before, "", expected)
        assert [*read(reader(name), ["No", " call"])] == ["No call", "", []]
    cut = before + text[: len(text) // 3]
    for pieces in ([cut], [*cut]):
        told = reader(name)
        parts = [told.read(piece, last=False) for piece in pieces] + [told.read("", last=True, cut=True)]
        assert "".join(each.content for each in parts) == cut and not told.num_calls


@pytest.mark.parametrize("text", [LLAMA, f"  {LLAMA}", f"[TOOL_CALLS] [{LOOK}]"])
def test_other_forms_of_the_same_calls(text: str) -> None:
    name = "mistral" if "TOOL" in text else "llama3_json"
    for pieces in ([text], [*text]):
        assert read(reader(name), pieces)[2] == [("look", {"at": "é<", "n": 2})]


@pytest.mark.parametrize("name", REASONING)
def test_reasoning(name: str) -> None:
    fields = REASONING[name]["reasoning_content"]
    opens, closes = (
        value[0] if isinstance(value, list) else value.removesuffix("\\n*")
        for value in (fields["open"], fields.get("close") or fields["close_pattern"])
    )
    for end, text in (("", f"{opens}hm{closes}Yes."), (f"{opens}\n", f"hm{closes}Yes.")):
        for pieces in ([text], [*text]):
            assert read(reader(None, name, end), pieces) == ("Yes.", "hm", [])
            assert read(reader("mistral", name, end), pieces) == ("Yes.", "hm", [])


def test_together_with_a_tokenizer_s_own() -> None:
    tokenizer = PieceTokenizer()
    template = load_response_template(None, tokenizer, tool_call_parser="mistral")
    assert template is not None and template["start_anchor"] == "<|assistant|>"
    text = "<think>hm</think>" + WRITTEN["mistral"]
    assert [name for name, _ in read(MessageReader(template, PROMPT, TYPED, several=True), [text])[2]] == [
        "look",
        "ask",
    ]
    template = load_response_template(None, tokenizer, reasoning_parser="mistral")
    assert template is not None and sorted(template["fields"]) == ["content", "reasoning_content", "tool_calls"]


def test_which_can_be_asked_for() -> None:
    """Calls can be required only in formats of JSON with a name and arguments between two texts."""
    found = set()
    for name in TOOL_CALLS:
        template = load_response_template(None, None, tool_call_parser=name)
        try:
            calls_of(TOOLS, "required", template, {}, several=True)
            found.add(name)
        except Refusal as refused:
            assert "cannot be asked for" in str(refused)
    assert found == {"granite4", "hermes", "longcat", "qwen3_json"}


def test_what_is_refused(tmp_path: Path) -> None:
    for option, given, known in (
        ("tool_call_parser", "hermess", TOOL_CALLS),
        ("reasoning_parser", "deepseek", REASONING),
    ):
        with pytest.raises(ConfigError, match=f"{option} is '{given}', expected one of") as refused:
            ServeOptions(**{option: given})  # type: ignore[arg-type]
        assert all(name in str(refused.value) for name in known)
    with pytest.raises(ConfigError, match="response_template is 'x', expected it or parsers, not both"):
        ServeOptions(response_template="x", tool_call_parser="hermes")
    with pytest.raises(Refusal, match="start the server with --tool-call-parser"):
        require_tools(TOOLS, load_response_template(None, None, reasoning_parser="qwen3"))


def test_over_http() -> None:
    """A request without tools may be answered in JSON like that of a call."""

    class Tokenizer(PieceTokenizer):
        response_template = None  # type: ignore[assignment]
        pieces = ("", "", "?", *[LLAMA[place : place + 10] for place in range(0, len(LLAMA), 10)])

    request: Any = {"model": "fake", "messages": [{"role": "user", "content": "what?"}], "temperature": 0}
    for auto in (True, False):
        model = FakeModel(script=[*range(3, len(Tokenizer.pieces)), 1])
        llm = AsyncLLM.from_engine(engine(model, tokenizer=Tokenizer()), name="fake")
        with Running(llm, tool_call_parser="llama3_json", enable_auto_tool_choice=auto) as server:
            create = server.client().chat.completions.create
            assert create(**request).choices[0].message.content == LLAMA
            if auto:
                (call,) = create(**request, tools=TYPED).choices[0].message.tool_calls
                assert json.loads(call.function.arguments) == {"at": "é<", "n": 2}
            else:
                with pytest.raises(openai.BadRequestError, match="--no-enable-auto-tool-choice"):
                    create(**request, tools=TYPED)


def test_the_page_names_them_all() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text()
    for option, known in (("tool-call-parser", TOOL_CALLS), ("reasoning-parser", REASONING)):
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `--{option}` | `")]
        assert re.findall("`([^`]+)`", row)[1:] == sorted(known)

"""Parsers by name: each reads the format of its models, whole and in pieces, and refuses other input."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai
from hypothesis import given as when
from hypothesis import strategies as st

from tests.examples import examples
from tests.fakes import FakeModel, engine
from tests.serving.harness import Running
from tests.serving.test_messages import PROMPT, TOOLS, PieceTokenizer, read
from torchpaged import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.serving.messages import MessageReader, Parts, load_response_template, require_tools
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.parsers import REASONING, TOOL_CALLS
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.responses import Items
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
HARMONY = (
    "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.look "
    f"<|constrain|>json<|message|>{ONE}<|call|><|start|>assistant to=functions.ask<|channel|>commentary json"
    f"<|message|>{NOTHING}<|call|>"
)
PYTHONIC = '[look(at="é<", n=2), ask()]'
WRITTEN = {
    "deepseek_v3": "<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>look\n"
    f"```json\n{ONE}\n```<|tool▁call▁end|>\n<|tool▁call▁begin|>function<|tool▁sep|>ask\n"
    f"```json\n{NOTHING}\n```<|tool▁call▁end|><|tool▁calls▁end|>".replace("|", "\uff5c"),
    "deepseek_v31": f"<|tool▁calls▁begin|><|tool▁call▁begin|>look<|tool▁sep|>{ONE}<|tool▁call▁end|>"
    f"<|tool▁call▁begin|>ask<|tool▁sep|>{NOTHING}<|tool▁call▁end|><|tool▁calls▁end|>".replace("|", "\uff5c"),
    "glm4": f"look\n{ONE}",
    "gpt_oss": HARMONY,
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
    "llama4_pythonic": f"<|python_start|>{PYTHONIC}<|python_end|>",
    "minimax": f"<tool_calls>\n{LOOK}\n{ASK}\n</tool_calls>",
    "minimax_m2": '<minimax:tool_call>\n<invoke name="look">\n<parameter name="at">é<</parameter>\n'
    '<parameter name="n">2</parameter>\n</invoke>\n<invoke name="ask">\n</invoke>\n</minimax:tool_call>',
    "mistral": f"[TOOL_CALLS]look[ARGS]{ONE}[TOOL_CALLS]ask{NOTHING}",
    "openai": HARMONY,
    "pythonic": PYTHONIC,
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


# Formats of one call, and those in which an answer is calls or a text.
SINGLE = ("glm4", "internlm", "llama3_json")
ALONE = ("glm4", "llama3_json", "llama4_pythonic", "pythonic")
# Formats whose texts have delimiters too.
WRAPPED = ("gpt_oss", "openai")


@pytest.mark.parametrize("name", TOOL_CALLS)
def test_calls(name: str) -> None:
    text = WRITTEN[name]
    expected = [("look", {"at": "é<", "n": 2}), ("ask", {})][: 1 if name in SINGLE else 2]
    said = "" if name in ALONE else "I look."
    before = "" if name in (*ALONE, *WRAPPED) else said
    for pieces in ([before + text], [*before, *text]):
        content, reasoning, calls = read(reader(name), pieces)
        assert (content.strip(), reasoning, calls) == (said, "", expected)
        assert [*read(reader(name), ["No", " call"])] == ["No call", "", []]


@pytest.mark.parametrize("name", sorted({*TOOL_CALLS} - {*WRAPPED}))
def test_calls_behind_thoughts(name: str) -> None:
    """Formats in which calls begin the answer too: it begins behind the thoughts, and not behind other text."""
    expected = [("look", {"at": "é<", "n": 2}), ("ask", {})][: 1 if name in SINGLE else 2]
    text = WRITTEN[name]
    for before, end in (("<think>hm</think>", ""), ("<think>hm</think>\n\n", ""), ("hm\n</think>\n\n", "<think>\n")):
        for pieces in ([before + text], [*before, *text], [before, text]):
            content, reasoning, calls = read(reader(name, "qwen3", end), pieces)
            assert (content.strip(), reasoning.strip(), calls) == ("", "hm", expected)
        if name in ALONE:
            said = f"I look.{'</think>' if before[0] == '<' else ''}\n{text}"
            for pieces in ([before + said], [*before, *said], [before, said]):
                assert read(reader(name, "qwen3", end), pieces)[::2] == (said, [])


@pytest.mark.parametrize("name", TOOL_CALLS)
def test_calls_that_are_cut(name: str) -> None:
    """Wherever an answer is cut, its calls are the beginning of the whole one's, and arguments that have not ended are
    told as such. Text of a call that has none of its arguments is content.
    """
    whole = read(reader(name), [WRITTEN[name]])[2]
    places = 0
    for place in range(len(WRITTEN[name])):
        cut, told = WRITTEN[name][:place], reader(name)
        content, _, calls = read(told, [*cut] or [""], cut=True)
        assert (content, calls) == read(reader(name), [cut], cut=True)[::2]
        if told.is_broken:
            name_of, arguments = calls.pop()
            assert name_of == whole[len(calls)][0] and json.dumps(whole[len(calls)][1], ensure_ascii=False).startswith(
                arguments.rstrip(" ,")
            )
            places += 1
        assert calls == whole[: len(calls)]
        if not calls and not told.is_broken and name not in WRAPPED:
            assert content == cut
    assert places >= 5


PIECES = sorted({piece for text in WRITTEN.values() for piece in re.findall(r"<[^<>]*>|\w+|\W", text)})


@when(
    st.sampled_from(sorted(TOOL_CALLS)),
    st.sampled_from([None, *sorted(REASONING)]),
    st.data(),
    st.booleans(),
    st.booleans(),
)
@examples(130)
def test_a_stream_says_what_the_whole_says(
    name: str, reasoning: str | None, data: st.DataObject, several: bool, cut: bool
) -> None:
    """For each parser, texts that are nearly calls, and any cuts."""
    pieces = re.findall(r"<[^<>]*>|\w+|\W", WRITTEN[name]) * 2
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(pieces)))
        pieces[place : place + data.draw(st.integers(0, 9))] = data.draw(st.lists(st.sampled_from(PIECES), max_size=2))
    text = "".join(pieces)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    places = sorted({0, len(text), *cuts})
    template = load_response_template(None, None, tool_call_parser=name, reasoning_parser=reasoning)
    found = []
    for cut_text in ([text], [text[a:b] for a, b in itertools.pairwise(places)] or [""], [*text] or [""]):
        told, message = MessageReader(template, PROMPT, TYPED, several=several), Parts()
        items = Items()
        for number, piece in enumerate(cut_text):
            parts = told.read(piece, last=number == len(cut_text) - 1, cut=cut)
            items.take(parts, [])
            message.extend(parts)
        items.end("completed")
        made = json.dumps([message.message(), items.items, told.num_calls, told.is_broken])
        found.append(re.sub(r"(call|msg|rs|fc)_[0-9a-f]{24}", "", made))
        for call in message.calls[: len(message.calls) - told.is_broken]:
            json.loads(call["function"]["arguments"])
    assert found[0] == found[1] == found[2]


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


@pytest.mark.parametrize("name", TOOL_CALLS)
def test_all_can_be_asked_for(name: str) -> None:
    template = load_response_template(None, None, tool_call_parser=name)
    assert calls_of(TOOLS, "required", template, {}, several=True)


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

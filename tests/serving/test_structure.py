"""Formats, grammars and calls of a client's request: their translation, and the results in its library."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("llguidance", reason="llguidance is not installed")

import openai
from pydantic import BaseModel, ConfigDict
from transformers import AutoTokenizer

from tests.models import STDLIB_LM
from tests.serving.harness import TEMPLATE, Running
from tests.serving.test_messages import TEMPLATE as RESPONSES
from torchpaged import AsyncLLM, SamplingParams, StructuredOutputsParams
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.protocol import ChatBody, CompletionBody
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.structure import calls_of, special_tokens, structured_of
from torchpaged.structured.grammars import GrammarCompiler

TOKENIZER = AutoTokenizer.from_pretrained(STDLIB_LM)
MESSAGES: Any = [{"role": "user", "content": "def main("}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": False}
TAG = {"triggers": ["<f"], "structures": [{"begin": "<f>", "schema": SCHEMA, "end": "</f>"}]}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"response_format": {"type": "text"}}, None),
        ({"structured_outputs": {"json": None}}, None),
        ({"response_format": {"type": "json_object"}}, {"json_object": True}),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "x", "strict": True, "schema": SCHEMA},
                }
            },
            {"json": SCHEMA},
        ),
        ({"response_format": {"type": "structural_tag", **TAG}}, {"structural_tag": TAG}),
        ({"structured_outputs": {"regex": "a+", "choice": None}}, {"regex": "a+"}),
        ({"structured_outputs": {"choice": ["a"]}, "response_format": {"type": "text"}}, {"choice": ["a"]}),
    ],
)
def test_what_fields_become(fields: dict[str, Any], expected: dict[str, Any] | None) -> None:
    wanted = None if expected is None else StructuredOutputsParams(**expected)
    for body in (ChatBody(messages=MESSAGES, **fields), CompletionBody(prompt="x", **fields)):
        assert body.sampling(SamplingParams(), ServeOptions(), 5).structured_outputs == wanted


@pytest.mark.parametrize(
    ("fields", "param", "message"),
    [
        ({"response_format": {"type": "xml"}}, "response_format", "has the type 'xml', expected 'text', 'json_object'"),
        ({"response_format": {"type": "json_schema"}}, "response_format", "has the json_schema None, expected"),
        ({"response_format": {"type": "structural_tag"}}, "response_format", "expected an object with 'triggers'"),
        ({"structured_outputs": {"regex": 3}}, "structured_outputs", "structured_outputs: regex is 3, expected a text"),
        ({"structured_outputs": {"jason": {}}}, "structured_outputs", "unknown parameter 'jason'; did you mean 'json'"),
        (
            {"structured_outputs": {"regex": "a"}, "response_format": {"type": "json_object"}},
            "response_format",
            "response_format and structured_outputs are given, expected one of them",
        ),
    ],
)
def test_what_fields_cannot_be(fields: dict[str, Any], param: str, message: str) -> None:
    with pytest.raises(Refusal, match=re.escape(message)) as refused:
        structured_of(fields.get("response_format"), fields.get("structured_outputs"))
    assert refused.value.param == param


# --- Calls of tools -----------------------------------------------------------------------------------------

POINT = {
    "type": "object",
    "properties": {"at": {"$ref": "#/$defs/n"}},
    "required": ["at"],
    "additionalProperties": False,
    "$defs": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "look", "parameters": POINT}},
    {"type": "function", "function": {"name": "ask"}},
]
LOOK = '<call>{"name": "look", "arguments": {"at": 3}}</call>'
ASK = '<call>\n{"name":"ask","arguments":{}}\n</call>'
ODD = '<call>{"name": "look", "arguments": {"at": "x"}}</call>'
NAMED = {"type": "function", "function": {"name": "look"}}
STRICT: list[Any] = [{"type": "function", "function": {**TOOLS[0]["function"], "strict": True}}, TOOLS[1]]


def calls(template: Any = RESPONSES, special: dict[str, int] | None = None, **fields: Any) -> str | None:
    """Return the grammar that a chat's fields require."""
    body = ChatBody(messages=MESSAGES, **{"tools": TOOLS, **fields})
    several = body.parallel_tool_calls is not False
    return calls_of(body.callable_tools, body.tool_choice, template, special or {}, several=several)


@pytest.fixture(scope="module")
def compiler() -> Iterator[GrammarCompiler]:
    made = GrammarCompiler(TOKENIZER, [0], len(TOKENIZER))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("fields", "right", "wrong"),
    [
        ({"tool_choice": "required"}, [LOOK, ASK, LOOK + ASK, f"{ASK}\n{LOOK}"], ["I look.", "", ODD, LOOK + "!"]),
        ({"tool_choice": "required", "parallel_tool_calls": False}, [LOOK], [LOOK + LOOK]),
        ({"tool_choice": NAMED}, [LOOK], [ASK, LOOK + LOOK, ODD]),
        ({"tools": STRICT}, ["Hello.", "", f"I look.{LOOK}", f"{ASK}{LOOK} done"], [ODD, f"so {ODD}"]),
        ({"tools": STRICT, "tool_choice": "auto"}, ['<call>{"name": "ask", "arguments": {"any": 1}}</call>'], [ODD]),
    ],
)
def test_calls_that_may_come(
    compiler: GrammarCompiler, fields: dict[str, Any], right: list[str], wrong: list[str]
) -> None:
    grammar = calls(**fields)
    assert grammar is not None
    compiled = compiler.compile("a", StructuredOutputsParams(grammar=grammar))
    for text in [*right, *wrong]:
        inner = compiled.matcher(ends=True)._inner
        tokens = TOKENIZER.encode(text, add_special_tokens=False)
        taken = inner.try_consume_tokens(tokens) == len(tokens) and inner.is_accepting()
        assert taken is (text in right), text


def test_a_special_token_is_asked_for_as_a_token() -> None:
    grammar = calls(tool_choice="required", special={"<call>": 7})
    assert grammar is not None and "call: <[7]> S?" in grammar and '"</call>"' in grammar
    assert special_tokens(TOKENIZER) == {TOKENIZER.eos_token: 0}


@pytest.mark.parametrize("fields", [{}, {"tool_choice": "auto"}, {"tool_choice": "none"}])
def test_calls_that_are_the_model_s_own_choice(fields: dict[str, Any]) -> None:
    assert calls(**fields) is None


@pytest.mark.parametrize(
    ("fields", "template", "message"),
    [
        ({"tool_choice": "look"}, RESPONSES, "tool_choice is 'look', expected 'none'"),
        ({"tool_choice": {"type": "function", "function": {"name": "x"}}}, RESPONSES, "with the name of one of tools"),
        ({"tools": [], "tool_choice": "required"}, RESPONSES, "tool_choice is 'required', expected"),
        ({"tool_choice": "required"}, {"fields": {"content": {}}}, "does not write calls as JSON"),
        ({"tools": STRICT}, {"fields": {"content": {}}}, "does not write calls as JSON"),
    ],
)
def test_calls_that_cannot_be_asked_for(fields: dict[str, Any], template: Any, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        calls(template, **fields)


# --- Through OpenAI's library ------------------------------------------------------------------------------


class Person(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["person", "robot"]
    age: int
    alive: bool


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    file: Path = tmp_path_factory.mktemp("template") / "template.json"
    file.write_text(json.dumps(RESPONSES))
    llm = AsyncLLM(STDLIB_LM, num_blocks=400, chat_template=TEMPLATE, served_model_name="stdlib")
    with Running(llm, response_template=str(file)) as running:
        yield running


REQUEST: dict[str, Any] = {"model": "stdlib", "messages": MESSAGES, "temperature": 0.8, "seed": 2, "max_tokens": 150}


def test_parse_gives_a_pydantic_model(server: Running) -> None:
    answer = server.client().chat.completions.parse(**REQUEST, response_format=Person, n=2)
    for choice in answer.choices:
        assert choice.finish_reason == "stop" and isinstance(choice.message.parsed, Person)


def test_a_stream_is_the_whole(server: Running) -> None:
    schema = {"name": "p", "strict": True, "schema": Person.model_json_schema()}
    asked: Any = {**REQUEST, "response_format": {"type": "json_schema", "json_schema": schema}}
    text = "".join(
        chunk.choices[0].delta.content or "" for chunk in server.client().chat.completions.create(**asked, stream=True)
    )
    Person.model_validate_json(text)
    assert text == server.client().chat.completions.create(**asked).choices[0].message.content


def test_completions_of_vllm_s_fields(server: Running) -> None:
    for given, pattern in (({"regex": r"\d{3}"}, r"\d{3}"), ({"choice": ["yes", "no"]}, "yes|no")):
        answer = server.client().completions.create(
            model="stdlib", prompt="x", extra_body={"structured_outputs": given}
        )
        assert re.fullmatch(pattern, answer.choices[0].text) and answer.choices[0].finish_reason == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_a_grammar_that_is_too_slow_is_refused_with_the_reason(server: Running, stream: bool) -> None:
    """The request caused it, so the status is not 500; a stream ends with the same error."""
    grammar = 'start: s\ns: s s s | s s | "a" | "aa" | " " | "x"'
    with pytest.raises(
        openai.APIError, match=r"(?s)structured_outputs has the grammar start: .*Too many items"
    ) as refused:
        answer = server.client().completions.create(
            model="stdlib",
            prompt="x",
            max_tokens=100,
            stream=stream,
            extra_body={"structured_outputs": {"grammar": grammar}, "ignore_eos": True},
        )
        list(answer)
    assert refused.value.param == "structured_outputs"
    assert stream or isinstance(refused.value, openai.BadRequestError)


@pytest.mark.parametrize("stream", [False, True])
def test_tools_that_must_be_called(server: Running, stream: bool) -> None:
    client = server.client()
    asked: Any = {**REQUEST, "tools": TOOLS, "tool_choice": NAMED}
    if stream:
        chunks = list(client.chat.completions.create(**asked, stream=True))
        calls = [call.function for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
    else:
        calls = [call.function for call in client.chat.completions.create(**asked).choices[0].message.tool_calls]
    assert [call.name for call in calls if call.name] == ["look"]
    assert json.loads("".join(call.arguments or "" for call in calls))["at"] in range(10)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "sock"}}}},
            "json .*sock.*not possible",
        ),
        ({"extra_body": {"structured_outputs": {"regex": "(a"}}}, "regex \\(a, which is not possible"),
        ({"tools": TOOLS, "tool_choice": NAMED, "response_format": {"type": "json_object"}}, "of a format, and calls"),
    ],
)
def test_what_is_refused_is_the_client_s_fault(server: Running, fields: dict[str, Any], says: str) -> None:
    with pytest.raises(openai.BadRequestError, match=says):
        server.client().chat.completions.create(**REQUEST, **fields)

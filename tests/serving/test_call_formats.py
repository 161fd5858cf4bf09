"""Calls that an answer must have, in each format: random texts of the grammar are read as calls valid by the schema."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("llguidance", reason="llguidance is not installed")

import jsonschema
from transformers import AutoTokenizer

from tests.models import STDLIB_LM
from torchpaged import StructuredOutputsParams
from torchpaged.serving.argument_types import types_of
from torchpaged.serving.call_formats import CALL_FORMATS, format_of
from torchpaged.serving.messages import MessageReader, Parts, load_response_template
from torchpaged.serving.parsers import TOOL_CALLS
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.structure import calls_of, special_tokens
from torchpaged.structured.grammars import GrammarCompiler

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "at": {"type": "string"},
        "n": {"type": "integer", "minimum": 0, "maximum": 99},
        "kind": {"enum": ["x", "<y>", "z"]},
        "level": {"enum": [1, 2]},
        "on": {"type": ["boolean", "null"]},
        "point": {"$ref": "#/$defs/point"},
    },
    "required": ["at", "kind", "point"],
    "additionalProperties": False,
    "$defs": {
        "point": {
            "type": "object",
            "properties": {"x": {"type": "boolean"}},
            "required": ["x"],
            "additionalProperties": False,
        }
    },
}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
SCHEMAS = {"look": SCHEMA, "ask": NOTHING}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in SCHEMAS.items()
]
STRICT: list[Any] = [{"type": "function", "function": {**tool["function"], "strict": True}} for tool in TOOLS]
LOOK = {"type": "function", "function": {"name": "look"}}
# Delimiters that are tokens, in half of the cases.
TOKENS = [
    *("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<|channel|>"),
    *("<|message|>", "<|start|>", "<|end|>", "<|call|>", "<|constrain|>", "[TOOL_CALLS]", "[ARGS]"),
    *("<\uff5ctool▁calls▁begin\uff5c>", "<\uff5ctool▁sep\uff5c>", "<|tool_call|>", "<|tool_call_end|>"),
    *("<minimax:tool_call>", "<|action_start|>"),
]


class Case:
    """A tokenizer, whose delimiters are tokens or not, with a compiler of grammars."""

    def __init__(self, *, are_tokens: bool) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(STDLIB_LM)
        if are_tokens:
            self.tokenizer.add_tokens(TOKENS, special_tokens=True)
        self.special = special_tokens(self.tokenizer)
        self.compiler = GrammarCompiler(self.tokenizer, [0], len(self.tokenizer))
        texts = [self.tokenizer.decode([id]) for id in range(len(self.tokenizer))]
        # Characters that end texts are likely, and blanks are not.
        self.weights = [
            9.0 if text.strip()[:1] in ('"', "<", "}", "/") else 0.3 if text.strip() else 0.01 for text in texts
        ]
        self.weights[0] = 0.0

    def walk(self, grammar: str, choose: random.Random, most: int = 300) -> tuple[str, bool]:
        """Return a random text of a grammar, and whether it has ended."""
        inner = self.compiler.compile("a", StructuredOutputsParams(grammar=grammar)).matcher(ends=True)._inner
        tokens: list[int] = []
        closing = [self.tokenizer.encode(text) for text in ("</parameter>", "</arg_value>", '"')]
        for step in range(most):
            if step % 9 == 8:  # a text ends by chance rarely
                for each in closing:
                    if inner.validate_tokens(each) == len(each):
                        tokens += each if inner.try_consume_tokens(each) == len(each) else []
                        break
            allowed = [id for id, bias in enumerate(inner.compute_logit_bias()) if bias and id < len(self.weights)]
            if 0 in allowed and (len(allowed) == 1 or choose.random() < 0.5):
                break
            weights = [self.weights[id] for id in allowed]
            (token,) = choose.choices(allowed, weights)
            assert inner.try_consume_tokens([token]) == 1
            tokens.append(token)
        ended = inner.is_accepting()
        return self.tokenizer.decode(tokens, skip_special_tokens=False), ended


@pytest.fixture(scope="module", params=["tokens", "texts"])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    made = Case(are_tokens=request.param == "tokens")
    yield made
    made.compiler.close()


def parsed(name: str, text: str, *, cut: bool) -> tuple[MessageReader, Parts]:
    template = load_response_template(None, None, tool_call_parser=name)
    reader, message = MessageReader(template, "", TOOLS, several=True), Parts()
    for place in range(0, len(text) + 1, 7):
        message.extend(reader.read(text[place : place + 7], last=place + 7 > len(text), cut=cut))
    return reader, message


@pytest.mark.parametrize("choice", ["required", "named"])
@pytest.mark.parametrize("name", CALL_FORMATS)
def test_calls_that_must_be_are_valid(case: Case, name: str, choice: str) -> None:
    template = load_response_template(None, None, tool_call_parser=name)
    asked: Any = "required" if choice == "required" else LOOK
    grammar = calls_of(TOOLS, asked, template, case.special, several=True)
    assert grammar is not None
    ended = 0
    for seed in range(3 if choice == "required" else 1):
        text, is_whole = case.walk(grammar, random.Random(seed))
        reader, message = parsed(name, text, cut=not is_whole)
        calls = message.calls
        if is_whole:
            assert calls and not reader.is_broken and not message.content.strip(), text
            ended += 1
        for call in calls[: len(calls) - reader.is_broken]:
            function = call["function"]
            assert function["name"] in (SCHEMAS if choice == "required" else ("look",))
            jsonschema.validate(json.loads(function["arguments"]), SCHEMAS[function["name"]])
    assert ended or choice == "named"


@pytest.mark.parametrize("name", [name for name, format in CALL_FORMATS.items() if format.trigger])
def test_strict_tools_are_valid_if_they_are_called(case: Case, name: str) -> None:
    """Text may come before them. Once a call has begun, it goes on as the schema says."""
    template = load_response_template(None, None, tool_call_parser=name)
    grammar = calls_of(STRICT, "auto", template, case.special, several=True)
    must = calls_of(TOOLS, LOOK, template, case.special, several=False)
    assert grammar is not None and must is not None
    compiled = case.compiler.compile("a", StructuredOutputsParams(grammar=grammar))

    def takes(text: str) -> bool:
        inner = compiled.matcher(ends=True)._inner
        tokens = case.tokenizer.encode(text, add_special_tokens=False)
        return inner.try_consume_tokens(tokens) == len(tokens)

    assert takes("I look, and say { or <no>.\n")
    text, is_whole = case.walk(must, random.Random(1))
    assert not is_whole or (takes(text) and takes(f"I look.\n{text}")), text
    format = format_of(template, case.special)
    assert format is not None and not takes(f"I look.\n{format.trigger}\x01")


def test_formats_are_of_known_parsers() -> None:
    """JSON between two texts can be asked for in any template."""
    plain = {"granite4", "hermes", "longcat", "qwen3_json"}
    assert CALL_FORMATS.keys() | plain == TOOL_CALLS.keys()


def test_values_in_python() -> None:
    """Arguments are Python's words and JSON's values, and those that are not required may be left out."""
    properties: dict[str, Any] = {
        "a": {"type": "boolean"},
        "b": {"type": ["array", "null"], "items": {"type": ["boolean", "null"]}},
        "c": {"enum": [None, True, 'x"y', 2.5]},
        "d": {"$ref": "#/$defs/text"},
        "e": {"const": {"k": None}},
    }
    schema = {"type": "object", "properties": properties, "required": ["c"], "$defs": {"text": {"type": "string"}}}
    tools: list[Any] = [{"type": "function", "function": {"name": "look", "parameters": schema}}]
    template = load_response_template(None, None, tool_call_parser="pythonic")
    grammar = calls_of(tools, "required", template, {}, several=True)
    assert grammar is not None
    case = Case(are_tokens=False)
    compiled = case.compiler.compile("a", StructuredOutputsParams(grammar=grammar))
    for written, arguments in {
        "a=True, c=None": {"a": True, "c": None},
        'c="x\\"y"': {"c": 'x"y'},
        'a=False, b=[true, null], c=True, d="\\n/"': {"a": False, "b": [True, None], "c": True, "d": "\n/"},
        'c=2.5, e={"k": null}': {"c": 2.5, "e": {"k": None}},
        "b=null, c=2.5": {"b": None, "c": 2.5},
        "a=True": None,
        "a=true, c=None": None,
        "c=None,": None,
        "c=None, a=True": None,
        "a=True c=None": None,
    }.items():  # fmt: skip
        text = f"[look({written})]"
        inner = compiled.matcher(ends=True)._inner
        tokens = case.tokenizer.encode(text, add_special_tokens=False)
        assert (inner.try_consume_tokens(tokens) == len(tokens)) == (arguments is not None), text
        if arguments is not None:
            (call,) = parsed("pythonic", text, cut=False)[1].calls
            assert json.loads(call["function"]["arguments"]) == arguments
    case.compiler.close()
    # Escapes that Python reads in another way, and values that only Python has.
    (call,) = parsed("pythonic", "[look(a='x', d=\"\\/\\ud83d\\ude00\", b=[None, True])]", cut=False)[1].calls
    assert json.loads(call["function"]["arguments"]) == {"a": "x", "d": "/\U0001f600", "b": [None, True]}
    properties["not-a-name"] = {}
    with pytest.raises(Refusal, match="look's parameter 'not-a-name' is no name of an argument in Python"):
        calls_of(tools, "required", template, {}, several=True)
    with pytest.raises(Refusal, match="calls begin without a delimiter; leave strict out"):
        calls_of(STRICT, "auto", template, {}, several=True)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"type": "string", "pattern": "a+"}, "look's at has 'pattern', which no text between tags is held to"),
        ({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}, "look's at has 'maxLength'"),
        ({"enum": ["a</parameter>"]}, "look's at has a choice with '</parameter>'"),
    ],
)
def test_what_no_text_between_tags_is_held_to(given: dict[str, Any], says: str) -> None:
    template = load_response_template(None, None, tool_call_parser="qwen3_coder")
    schema = {"type": "object", "properties": {"at": given}}
    for keys in ({}, {"minProperties": 1}):
        tools: list[Any] = [{"type": "function", "function": {"name": "look", "parameters": {**schema, **keys}}}]
        with pytest.raises(Refusal, match="have 'minProperties'" if keys else says):
            calls_of(tools, "required", template, {}, several=True)


def test_types() -> None:
    root = {"$defs": {"n": {"type": "integer"}, "me": {"$ref": "#/$defs/me"}, "all": {"allOf": [{"type": "null"}]}}}
    for schema, expected in (
        ({"type": ["string", "null"]}, ("string", "null")),
        ({"$ref": "#/$defs/n"}, ("integer",)),
        ({"$ref": "#/$defs/me"}, ()),
        ({"$ref": "#/$defs/all"}, ("null",)),
        ({"$ref": "#/none/x"}, ()),
        (
            {"anyOf": [{"const": 1}, {"enum": ["a", None, 2.5, True]}]},
            ("integer", "string", "null", "number", "boolean"),
        ),
        ({"type": "string", "nullable": True}, ("string", "null")),
        (True, ()),
    ):
        assert types_of(schema, root) == expected

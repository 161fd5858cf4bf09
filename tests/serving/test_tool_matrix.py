"""Tool calls over HTTP: parsers x thinking x stream x speculation x n x tool_choice x schema x parallel calls. No call
that must be is invalid, and a stream tells what the whole tells.
"""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("llguidance", reason="llguidance is not installed")

import jsonschema

from tests.serving.harness import Running
from tests.serving.test_thoughts import Kind, ask, bias_of, serve, told
from torchpaged.serving.call_formats import CALL_FORMATS
from torchpaged.serving.parsers import TOOL_CALLS

NUMBER: dict[str, Any] = {
    "type": "object",
    "properties": {"at": {"type": "integer", "minimum": 0, "maximum": 9}, "on": {"type": "boolean"}},
    "required": ["at"],
    "additionalProperties": False,
}
CHOICE: dict[str, Any] = {
    "type": "object",
    "properties": {"unit": {"enum": ["km", "mile"]}, "deep": {"$ref": "#/$defs/deep"}},
    "required": ["unit", "deep"],
    "additionalProperties": False,
    "$defs": {"deep": {"type": "array", "items": {"type": "null"}, "maxItems": 2}},
}
SCHEMAS = {"number": NUMBER, "choice": CHOICE}
CHOICES: dict[str, Any] = {
    "none": "none",
    "auto": "auto",
    "strict": "auto",
    "required": "required",
    "named": {"type": "function", "function": {"name": "look"}},
}
THOUGHTS = ("<think>", "</think>")
# Formats in which strict tools cannot be held to their schemas unless they must be called: a call has no delimiter.
NO_TRIGGER = {name for name, format in CALL_FORMATS.items() if not format.trigger}


def kind_of(parser: str, *, speculates: bool) -> Kind:
    """Return the kind of server for a parser of calls. Half of them have delimiters that are tokens."""
    if parser in ("openai", "gpt_oss"):
        tokens = ("<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|constrain|>")
        return Kind("gpt_oss", tokens, special=True, speculates=speculates, calls=parser)
    trigger = CALL_FORMATS[parser].trigger.strip() if parser in CALL_FORMATS else "<tool_call>"
    is_token = trigger.startswith("<") and trigger.count("<") == 1 and trigger.endswith(">")
    return Kind("qwen3", THOUGHTS + ((trigger,) if is_token else ()), speculates=speculates, calls=parser)


def cells_of(parser: str) -> list[tuple[Any, ...]]:
    thinking = ("own",) if parser in ("openai", "gpt_oss") else ("own", "on", "off")
    cells = itertools.product(thinking, CHOICES, SCHEMAS, (1, 2), (True, False))
    return [cell for cell in cells if not (cell[1] == "strict" and parser in NO_TRIGGER)]


def run(kind: Kind, server: Running, cell: tuple[Any, ...], seed: int) -> str:
    """Ask for an answer, whole and as a stream; return what it is."""
    thinking, choice, schema, n, parallel = cell
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": SCHEMAS[schema],
                **({"strict": True} if choice == "strict" else {}),
            },
        }
        for name in ("look", "ask")
    ]
    bias = bias_of(server.llm.tokenizer_pool.tokenizer, kind)
    if len(kind.tokens) == 3:
        bias[str(server.llm.tokenizer_pool.tokenizer.convert_tokens_to_ids(kind.tokens[2]))] = 5.0
    body: dict[str, Any] = {
        "model": "m",
        "messages": [{"role": "user", "content": "def main():"}],
        "max_tokens": 160,
        "seed": seed,
        "temperature": 1.0,
        "n": n,
        "tools": tools,
        "tool_choice": CHOICES[choice],
        "parallel_tool_calls": parallel,
        "thinking_token_budget": 5,
        "logit_bias": bias,
        "return_token_ids": True,
    }
    if thinking != "own":
        body["chat_template_kwargs"] = {"enable_thinking": thinking == "on"}
    whole, streamed = ask(server, body)
    assert [told(each) for each in whole] == [told(each) for each in streamed], (kind, cell)
    kinds = set()
    for each in whole:
        content, _, calls, _, finish = told(each)
        assert (parallel or len(calls) <= 1) and not (calls and choice == "none"), each
        must = choice in ("required", "named")
        if finish == "tool_calls":
            assert calls and not (must and content.strip())
            for call in calls:
                arguments = json.loads(call["arguments"])
                assert call["name"] in (("look",) if choice == "named" else ("look", "ask"))
                if must or choice == "strict":
                    jsonschema.validate(arguments, SCHEMAS[schema])
        assert finish in ("tool_calls", "length") if must else True, (kind, cell, each)
        if "<think>" in kind.tokens and finish == "tool_calls":
            assert "<think>" not in content.split("\n")[0][:7] and "</think>" not in content
        kinds.add(finish)
    return "called" if "tool_calls" in kinds else "other"


def run_all(parser: str, *, speculates: bool, cells: list[tuple[Any, ...]]) -> tuple[int, int]:
    """Run cells on a server of their own; return the number of cells, and of those in which tools were called."""
    kind = kind_of(parser, speculates=speculates)
    with serve(kind) as server, ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda numbered: run(kind, server, numbered[1], numbered[0]), enumerate(cells)))
    return len(found), found.count("called")


@pytest.mark.parametrize("parser", ["deepseek_v31", "glm4", "glm45", "mistral", "openai", "pythonic"])
def test_every_cell_is_valid(parser: str) -> None:
    """A sixth of the long matrix' cells, in some formats."""
    cells = cells_of(parser)[:: 6 if parser != "openai" else 2]
    count, called = run_all(parser, speculates=True, cells=cells)
    assert count >= 6 and called


@pytest.mark.long
def test_two_thousand_cells_are_valid() -> None:
    """All parsers, with speculation and without; each cell whole and streamed."""
    total = 0
    for parser, speculates in itertools.product(sorted(TOOL_CALLS), (False, True)):
        count, called = run_all(parser, speculates=speculates, cells=cells_of(parser))
        total += count
        assert called >= 5, (parser, called, count)
    assert total >= 2000

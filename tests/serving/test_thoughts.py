"""Thoughts before answers of a format and before required calls, over HTTP: templates x thinking x stream x n x
constraint x budget, with drafts and without. No answer is invalid, and none has thoughts in its content.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("llguidance", reason="llguidance is not installed")

import jsonschema
import openai
from transformers import AutoTokenizer

from tests.models import STDLIB_LM, build
from tests.serving.harness import Running
from torchpaged import LLM, AsyncLLM
from torchpaged.reasoning import PARSERS
from torchpaged.serving.messages import load_response_template
from torchpaged.serving.parsers import delimiters_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "s": {"enum": ["x", "<thinks>no</thinks>", "</thin", "Here is"]}},
    "required": ["a"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
NUMBER = {"type": "object", "properties": {"at": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["at"]}
NUMBER["additionalProperties"] = False
TOOLS: list[Any] = [{"type": "function", "function": {"name": name, "parameters": NUMBER}} for name in ("look", "ask")]
CONSTRAINTS: dict[str, dict[str, Any]] = {
    "schema": {"structured_outputs": {"json": SCHEMA, "disable_any_whitespace": True}},
    "format": {"response_format": FORMAT},
    "regex": {"structured_outputs": {"regex": "(<thin)?[ab]{2,5}"}},
    "choice": {"structured_outputs": {"choice": ["yes", "no", "<tea>"]}},
    "grammar": {"structured_outputs": {"grammar": 'start: "(" start ")" | "x"'}},
    "required": {"tools": TOOLS, "tool_choice": "required"},
    "named": {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "look"}}},
}


@dataclass(frozen=True)
class Kind:
    """A server.

    Args:
        parser: name of its reasoning parser.
        tokens: delimiters that are tokens.
        special: if these are special tokens.
        speculates: if it drafts.
        calls: name of its parser of calls.
    """

    parser: str
    tokens: tuple[str, ...] = ()
    special: bool = False
    speculates: bool = False
    calls: str = "hermes"


KINDS = {
    "tokens": Kind("qwen3", ("<think>", "</think>", "<tool_call>", "</tool_call>")),
    "text": Kind("deepseek_r1"),
    "tokens-drafts": Kind("qwen3", ("<think>", "</think>", "<tool_call>", "</tool_call>"), speculates=True),
    "special-drafts": Kind("mistral", ("[THINK]", "[/THINK]"), special=True, speculates=True),
    "words-drafts": Kind("granite", speculates=True, calls="qwen3_coder"),
    "channels-drafts": Kind(
        "gpt_oss",
        ("<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|constrain|>"),
        special=True,
        speculates=True,
        calls="openai",
    ),
}
# "own": the model opens its thoughts, or does not; "on": the prompt has opened them; "off": the prompt has closed them.
THINKING = ("own", "on", "off")


def ways(kind: Kind) -> tuple[str, ...]:
    """Return the ways of thinking of a kind's models. gpt-oss' templates do not switch thoughts off."""
    return THINKING[:2] if PARSERS[kind.parser].commits else THINKING


TEMPLATE = (
    "{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}|"
    "{% if enable_thinking is not defined %}{% elif enable_thinking %}OPEN\n{% else %}OPEN\n\nCLOSE\n\n{% endif %}"
    "{% endif %}"
)


def bias_of(tokenizer: Any, kind: Kind) -> dict[str, float]:
    """Return a bias under which a random model opens and closes thoughts now and then."""
    delimiters = PARSERS[kind.parser]
    if delimiters.commits:  # of several tokens, most of which nothing else may follow
        opens = tokenizer.encode(delimiters.open[0], add_special_tokens=False)
        return {str(token): 6.0 for token in (*opens, *tokenizer.encode(delimiters.commits))}
    heads = [tokenizer.encode(each, add_special_tokens=False) for each in (*delimiters.open, *delimiters.close)]
    alone = {token for tokens in heads for token in tokens[: 1 if len(tokens) == 1 else None]}
    return {str(token): 5.0 if kind.tokens else 2.5 for token in alone}


def serve(kind: Kind, **options: Any) -> Running:
    """Return a server with a random model."""
    tokenizer = AutoTokenizer.from_pretrained(STDLIB_LM)
    if kind.tokens:
        tokenizer.add_tokens(list(kind.tokens), special_tokens=kind.special)
    delimiters = PARSERS[kind.parser]
    tokenizer.chat_template = TEMPLATE.replace("OPEN", delimiters.open[0]).replace("CLOSE", delimiters.close[0])
    model = build("llama", vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    settings: dict[str, Any] = {"num_blocks": 600, "block_size": 8, "max_num_seqs": 24, "dtype": "bfloat16"}
    if kind.speculates:
        speculation = {"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_min": 1}
        settings["speculative_config"] = speculation
    engine = LLM(model, tokenizer, **settings).engine
    if engine.scheduler.drafter is not None:
        engine.scheduler.drafter.costs.step = None  # drafts at any cost
    given = {"reasoning_parser": kind.parser, "tool_call_parser": kind.calls, **options}
    return Running(AsyncLLM.from_engine(engine, name="m"), max_queued_requests=4096, **given)


@pytest.fixture(scope="module", params=KINDS)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[Kind, Running]]:
    kind = KINDS[request.param]
    with serve(kind) as server:
        yield kind, server


def body_of(kind: Kind, server: Running, thinking: str, constraint: str, n: int, budget: int | None, seed: int) -> Any:
    told = {} if thinking == "own" else {"chat_template_kwargs": {"enable_thinking": thinking == "on"}}
    body: dict[str, Any] = {
        "model": "m",
        "messages": [{"role": "user", "content": "def main():"}],
        "max_tokens": 70,
        "seed": seed,
        "temperature": 1.0,
        "n": n,
        "logit_bias": bias_of(server.llm.tokenizer_pool.tokenizer, kind),
        "return_token_ids": True,
        **CONSTRAINTS[constraint],
        **told,
    }
    return body if budget is None else {**body, "thinking_token_budget": budget}


def ask(server: Running, body: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the choices of a whole answer, and those of a stream put together."""
    answer = server.http.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    whole = [
        {"finish": each["finish_reason"], "tokens": each["token_ids"], **each["message"]}
        for each in answer.json()["choices"]
    ]
    streamed: list[dict[str, Any]] = [
        {"content": "", "reasoning_content": "", "tool_calls": [], "tokens": []} for _ in whole
    ]
    with server.http.stream("POST", "/v1/chat/completions", json={**body, "stream": True}) as frames:
        for line in frames.iter_lines():
            if not line.startswith("data: {"):
                continue
            for choice in json.loads(line[6:])["choices"]:
                into, delta = streamed[choice["index"]], choice["delta"]
                into["content"] += delta.get("content") or ""
                into["reasoning_content"] += delta.get("reasoning_content") or ""
                for call in delta.get("tool_calls") or ():
                    if "id" in call:
                        assert call["index"] == len(into["tool_calls"])
                        into["tool_calls"].append(call)
                    else:
                        into["tool_calls"][call["index"]]["function"]["arguments"] += call["function"]["arguments"]
                into["tokens"] += choice.get("token_ids") or []
                into["finish"] = choice["finish_reason"] or into.get("finish")
    return whole, streamed


def told(choice: dict[str, Any]) -> Any:
    """Return everything of a choice but random ids."""
    calls = [each["function"] for each in choice.get("tool_calls") or ()]
    return (
        choice.get("content") or "",
        choice.get("reasoning_content") or "",
        calls,
        choice["tokens"],
        choice["finish"],
    )


def check(kind: Kind, server: Running, thinking: str, constraint: str, body: Any, choice: dict[str, Any]) -> str:
    """Check a choice against its tokens, by a reader of this test's own; return what it is."""
    delimiters = PARSERS[kind.parser]
    content, thoughts, calls, tokens, finish = told(choice)
    raw = server.llm.tokenizer_pool.tokenizer.decode(tokens, skip_special_tokens=False)
    raw = raw.removesuffix(server.llm.tokenizer_pool.tokenizer.eos_token)
    opening = next((each for each in delimiters.open if raw.startswith(each)), None)
    thinks = thinking == "on" or (thinking == "own" and opening is not None)
    if thinks:
        text = raw[len(opening) :] if thinking == "own" and opening is not None else raw
        closes = delimiters.close
        if delimiters.commits and constraint in ("required", "named"):
            closes = (delimiters.commits,)
        ends = [(text.find(each), each) for each in closes if each in text]
        if not ends:
            assert finish == "length" and not content and not calls, (raw, choice)
            return "cut"
        place, close = min(ends)
        answer = text[place + len(close) :]
        answer = answer.lstrip("\n") if delimiters.newlines else answer
        assert thoughts == text[:place], (raw, choice)
        if (budget := body.get("thinking_token_budget")) is not None:
            assert len(server.llm.tokenizer_pool.tokenizer.encode(thoughts, add_special_tokens=False)) <= 3 * budget
    else:
        assert not thoughts, (raw, choice)
        answer = raw
    if finish == "length":
        return "cut"
    if constraint in ("required", "named"):
        assert finish == "tool_calls" and calls and not content, (raw, choice)
        for call in calls:
            assert call["name"] in (("look",) if constraint == "named" else ("look", "ask"))
            jsonschema.validate(json.loads(call["arguments"]), NUMBER)
    else:
        assert content == answer and finish == "stop" and not calls, (raw, choice)
        if constraint in ("schema", "format"):
            jsonschema.validate(json.loads(content), SCHEMA)
        elif constraint == "regex":
            assert set(content.removeprefix("<thin")) <= set("ab") and content
        elif constraint == "choice":
            assert content in ("yes", "no", "<tea>")
        else:
            assert content.replace("(", "").replace(")", "") == "x" and content.count("(") == content.count(")")
    return "thought" if thinks else "plain"


def run_cells(kind: Kind, server: Running, cells: list[tuple[Any, ...]]) -> dict[str, int]:
    """Run cells side by side; return how many choices were of each kind."""
    counts = {"cut": 0, "thought": 0, "plain": 0}

    def run(cell: tuple[Any, ...]) -> list[str]:
        body = body_of(kind, server, *cell)
        whole, streamed = ask(server, body)
        assert [told(each) for each in whole] == [told(each) for each in streamed], cell
        return [check(kind, server, cell[0], cell[1], body, each) for each in whole]

    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(run, cells):
            for each in found:
                counts[each] += 1
    return counts


def test_every_cell_is_valid(served: tuple[Kind, Running]) -> None:
    """21 cells on each of six servers (14 on gpt-oss'), each whole and streamed: one or two choices by turns."""
    kind, server = served
    cells = [
        (thinking, constraint, *((1, None), (2, 6))[seed % 2], seed)
        for seed, (thinking, constraint) in enumerate(itertools.product(ways(kind), CONSTRAINTS))
    ]
    assert len(cells) == 7 * len(ways(kind))
    counts = run_cells(kind, server, cells)
    assert counts["thought"] >= 6 and counts["plain"] >= (6 if len(ways(kind)) == 3 else 0), counts
    assert counts["cut"] <= 15, counts


@pytest.mark.long
def test_two_thousand_cells_are_valid(served: tuple[Kind, Running]) -> None:
    kind, server = served
    budgets = (None, 0, 1, 3, 8)
    cells = list(itertools.product(ways(kind), CONSTRAINTS, (1, 2), budgets, (100, 200)))
    assert len(cells) * (len(KINDS) - 1) >= 2000 * len(ways(kind)) // 3
    counts = run_cells(kind, server, cells)
    assert counts["thought"] >= 200 and counts["plain"] >= (100 if len(ways(kind)) == 3 else 0), counts
    assert counts["cut"] <= 300, counts


# --- Cases that other servers get wrong ---------------------------------------------------------------------

QUESTION: Any = [{"role": "user", "content": "def main():"}]


@cache
def bias() -> dict[str, float]:
    tokenizer = AutoTokenizer.from_pretrained(STDLIB_LM)
    tokenizer.add_tokens(list(KINDS["tokens"].tokens))
    return bias_of(tokenizer, KINDS["tokens"])


def test_vllm_47027_without_a_parser_json_does_not_switch_thoughts_off() -> None:
    """A template whose prompt opens thoughts, and a server without a reasoning parser: the request is refused, because
    a grammar from the first token on would leave the thoughts out. Without thoughts it is answered.
    """
    with serve(KINDS["tokens"], reasoning_parser=None) as server:
        create = server.client().chat.completions.create
        given: Any = {"model": "m", "messages": QUESTION, "max_tokens": 60, "seed": 1}
        kwargs: Any = {"chat_template_kwargs": {"enable_thinking": True}}
        for constraint in ("format", "required"):
            with pytest.raises(openai.BadRequestError, match="start the server with --reasoning-parser"):
                create(**given, **_of_client(constraint, kwargs))
        with pytest.raises(openai.BadRequestError, match="thinking_token_budget is 3, but nothing says"):
            create(**given, extra_body={"thinking_token_budget": 3})
        off = {"chat_template_kwargs": {"enable_thinking": False}}
        answer = create(**given, **_of_client("choice", off))
        assert answer.choices[0].message.content in ("yes", "no", "<tea>")
        assert create(**given, extra_body=kwargs).choices[0].message.content


def test_vllm_47027_with_a_parser_thoughts_come_first() -> None:
    with serve(KINDS["tokens"]) as server:
        extra = {"chat_template_kwargs": {"enable_thinking": True}, "thinking_token_budget": 5}
        given = _of_client("format", extra)
        answer = server.client().chat.completions.create(
            model="m", messages=QUESTION, max_tokens=200, seed=1, temperature=0.7, **given
        )
        message: Any = answer.choices[0].message
        assert message.reasoning_content
        if answer.choices[0].finish_reason == "stop":
            jsonschema.validate(json.loads(message.content), SCHEMA)


def test_sglang_11971_completions_are_constrained_on_a_server_that_reads_thoughts() -> None:
    """A reasoning parser changes nothing for completions, unless they ask for thoughts."""
    with serve(KINDS["tokens"]) as server:
        create = server.client().completions.create
        given: Any = {"model": "m", "prompt": "def main():", "max_tokens": 60, "logit_bias": bias(), "n": 4}
        regex = {"structured_outputs": {"regex": "Paris|Amsterdam"}}
        for seed in range(3):
            answer = create(**given, seed=seed, extra_body=regex)
            assert {each.text for each in answer.choices} <= {"Paris", "Amsterdam"}
        more = {**regex, "reasoning": True, "thinking_token_budget": 4}
        given["prompt"] = "def main():<think>\n"
        for each in create(**given, seed=1, extra_body=more).choices:
            thoughts, _, answered = each.text.partition("</think>")
            assert answered.lstrip("\n") in ("Paris", "Amsterdam") and len(thoughts) < 100
        with pytest.raises(openai.BadRequestError, match="needs reasoning true in a completion"):
            create(**given, extra_body={"thinking_token_budget": 3})
        with pytest.raises(openai.BadRequestError, match="beams have no thoughts"):
            create(**{**given, "n": 2, "logit_bias": None}, extra_body={"reasoning": True, "use_beam_search": True})
    server = serve(KINDS["tokens"], reasoning_parser=None)
    with server, pytest.raises(openai.BadRequestError, match="does not know between which texts"):
        server.client().completions.create(model="m", prompt="x", extra_body={"reasoning": True})


@pytest.mark.parametrize("thinking", [True, False])
def test_vllm_46149_required_calls_behind_thoughts_with_drafts(thinking: bool) -> None:
    """A run of drafts over the end of the thoughts and the beginning of a call, whole and streamed."""
    with serve(KINDS["tokens-drafts"]) as server:
        client = server.client()
        for seed, constraint in enumerate(("required", "named") * 2):
            extra = {"chat_template_kwargs": {"enable_thinking": thinking}, "thinking_token_budget": 5}
            given = _of_client(constraint, extra)
            answer = client.chat.completions.create(model="m", messages=QUESTION, max_tokens=200, seed=seed, **given)
            (choice,) = answer.choices
            if choice.finish_reason == "tool_calls":
                for call in choice.message.tool_calls or ():
                    jsonschema.validate(json.loads(call.function.arguments), NUMBER)  # type: ignore[union-attr]
                assert not choice.message.content and bool(getattr(choice.message, "reasoning_content", "")) <= thinking


def test_responses_think_before_a_format() -> None:
    with serve(KINDS["tokens"]) as server:
        extra = {"chat_template_kwargs": {"enable_thinking": True}, "thinking_token_budget": 6}
        format: Any = {"type": "json_schema", "name": "x", "schema": SCHEMA}
        answer = server.client().responses.create(
            model="m", input="def main():", text={"format": format}, max_output_tokens=300, extra_body=extra
        )
        kinds = [item.type for item in answer.output]
        assert kinds[0] == "reasoning"
        if answer.status == "completed":
            assert kinds == ["reasoning", "message"]
            jsonschema.validate(json.loads(answer.output_text), SCHEMA)


def test_patterns_are_not_delimiters() -> None:
    """A template whose thoughts have no texts around them: constrained answers are refused with the reason."""
    for name, delimiters in PARSERS.items():
        template = load_response_template(None, None, reasoning_parser=name)
        assert template is not None and delimiters_of(template) == delimiters
    for field in (
        {"open_pattern": "<think>|x", "close": "</think>"},
        {"open": "<think>", "close_pattern": "</th.nk>\\n*"},
        {"open": "<think>"},
    ):
        assert delimiters_of({"fields": {"thinking": field}}) is None


def _of_client(constraint: str, extra: dict[str, Any]) -> dict[str, Any]:
    """Return a constraint as arguments of OpenAI's client."""
    given = dict(CONSTRAINTS[constraint])
    if (structured := given.pop("structured_outputs", None)) is not None:
        extra = {**extra, "structured_outputs": structured}
    return {**given, "extra_body": extra}

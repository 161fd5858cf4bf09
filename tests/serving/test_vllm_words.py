"""Fields and answers as vLLM 0.32's clients know them, where OpenAI's protocol does not define them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.fakes import VOCAB, FakeTokenizer, engine
from tests.serving.harness import Running
from torchpaged import AsyncLLM

MESSAGES = [{"role": "user", "content": "fgh"}]
GREEDY: dict[str, Any] = {"temperature": 0, "ignore_eos": True}
NULLS = {"token_ids": None, "prompt_logprobs": None, "prompt_token_ids": None}


class Templated(FakeTokenizer):
    """A tokenizer that writes messages, then the names of tools, then the template's other arguments."""

    chat_template = "its own"

    def apply_chat_template(self, messages: Any, *, tools: Any = None, shout: str = "", **options: Any) -> str:
        named = "".join(tool["function"]["name"] for tool in tools or ())
        return "".join(message["content"] for message in messages) + named + shout


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    llm = AsyncLLM.from_engine(engine(tokenizer=Templated()), name="fake")
    with Running(llm, admin_key="root-of-all-evil") as running:
        yield running


def post(server: Running, path: str, *, status: int = 200, **body: Any) -> Any:
    headers = {"Authorization": "Bearer root-of-all-evil"}
    answer = server.http.post(path, json={**GREEDY, **body} if path.endswith("completions") else body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def frames(server: Running, path: str, **body: Any) -> list[Any]:
    answer = server.http.post(path, json={**GREEDY, "stream": True, **body})
    assert answer.status_code == 200, answer.text
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]


@pytest.mark.parametrize("echo", [False, True])
def test_no_alternatives_are_the_token_s_own(server: Running, echo: bool) -> None:
    """`logprobs=0` gave null for each token; alternatives are as many as requested, after an echo too."""
    for most in (0, 2):
        more = {"echo": True, "prompt_logprobs": 4} if echo else {}
        (choice,) = post(server, "/v1/completions", prompt="fgh", max_tokens=3, logprobs=most, **more)["choices"]
        found = choice["logprobs"]
        rows = found["top_logprobs"][1:] if echo else found["top_logprobs"]
        tokens, values = found["tokens"][-len(rows) :], found["token_logprobs"][-len(rows) :]
        for row, token, value in zip(rows, tokens, values, strict=True):
            assert row[token] == value and max(most, 1) <= len(row) <= most + 1


def test_what_was_not_asked_for_is_null(server: Running) -> None:
    """It was absent once, but vLLM's clients read it unconditionally."""
    (choice,) = post(server, "/v1/completions", prompt="fgh", max_tokens=2)["choices"]
    assert {name: choice[name] for name in NULLS} == NULLS
    answer = post(server, "/v1/chat/completions", messages=MESSAGES, max_tokens=2)
    assert answer["prompt_logprobs"] is None and answer["prompt_token_ids"] is None
    assert answer["choices"][0]["token_ids"] is None
    asked = {"return_token_ids": True, "prompt_logprobs": 0}
    answer = post(server, "/v1/chat/completions", messages=MESSAGES, max_tokens=2, **asked)
    assert answer["prompt_token_ids"] == [5, 6, 7] and len(answer["prompt_logprobs"]) == 3
    assert len(answer["choices"][0]["token_ids"]) == 2


def test_minus_one_is_the_whole_vocabulary() -> None:
    """-1 was refused once; vLLM accepts it within its --max-logprobs."""
    for most in (-1, VOCAB):
        with Running(AsyncLLM.from_engine(engine(tokenizer=Templated()), name="fake"), max_logprobs=most) as server:
            asked = {"max_tokens": 1, "prompt_logprobs": -1, "return_tokens_as_token_ids": True}
            (choice,) = post(server, "/v1/completions", prompt="fgh", logprobs=-1, echo=True, **asked)["choices"]
            assert [row and len(row) for row in choice["prompt_logprobs"]] == [None, VOCAB, VOCAB]
            assert [row and len(row) for row in choice["logprobs"]["top_logprobs"]] == [None, *3 * [VOCAB]]
            asked |= {"logprobs": True, "top_logprobs": -1}
            answer = post(server, "/v1/chat/completions", messages=MESSAGES, **asked)
            assert [row and len(row) for row in answer["prompt_logprobs"]] == [None, VOCAB, VOCAB]
            assert len(answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]) == VOCAB


@pytest.mark.parametrize("name", ["logprobs", "prompt_logprobs"])
def test_the_whole_vocabulary_is_within_the_limit(server: Running, name: str) -> None:
    refused = post(server, "/v1/completions", status=400, prompt="fgh", **{name: -1})["error"]
    assert refused["param"] == name and f"{name} is {VOCAB}, expected 0 to 20 (--max-logprobs)" in refused["message"]


def test_tokenize_takes_what_a_chat_takes(server: Running) -> None:
    more = {"tools": [{"type": "function", "function": {"name": "uvw"}}], "chat_template_kwargs": {"shout": "zz"}}
    assert post(server, "/tokenize", messages=MESSAGES, **more)["tokens"] == [5, 6, 7, 20, 21, 22, 25, 25]
    pinned = post(server, "/v1/prefixes", messages=MESSAGES, **more)
    assert pinned["num_tokens"] == 8
    server.http.delete(f"/v1/prefixes/{pinned['name']}", headers={"Authorization": "Bearer root-of-all-evil"})
    for name, value in (("tools", more["tools"]), ("add_generation_prompt", True)):
        assert post(server, "/tokenize", status=400, prompt="f", **{name: value})["error"]["param"] == name
    for name, value in (("chat_template", "{{ x }}"), ("add_special_tokens", True)):
        assert post(server, "/tokenize", status=400, messages=MESSAGES, **{name: value})["error"]["param"] == name
    told = {"chat_template_kwargs": {"tokenize": True}}
    for path in ("/tokenize", "/v1/prefixes"):
        refused = post(server, path, status=400, messages=MESSAGES, **told)
        assert refused["error"]["param"] == "chat_template_kwargs"


@pytest.mark.parametrize(("side", "kept"), [(None, "ghi"), ("left", "ghi"), ("right", "efg")])
@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
def test_either_side_of_a_prompt_is_truncated(server: Running, path: str, side: str | None, kept: str) -> None:
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": "efghi"}]}
    if path == "/v1/completions":
        asked = {"prompt": "efghi"}
    whole = {"truncate_prompt_tokens": 3, "truncation_side": side, "return_token_ids": True, "max_tokens": 2}
    answer = post(server, path, **asked, **whole)
    tokens = answer.get("prompt_token_ids") or answer["choices"][0]["prompt_token_ids"]
    assert "".join(chr(ord("a") + token) for token in tokens) == kept
    assert post(server, path, status=400, **asked, truncation_side="top")["error"]["param"] == "truncation_side"


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
def test_usage_with_each_frame_is_of_what_was_shown(server: Running, path: str, count: int) -> None:
    """A frame counted tokens that later frames showed: those of the other choices, and those after the role."""
    options = {"include_usage": True, "continuous_usage_stats": True}
    asked: dict[str, Any] = {"prompt": "fgh"} if path == "/v1/completions" else {"messages": MESSAGES}
    chunks = frames(server, path, **asked, n=count, max_tokens=4, stream_options=options)
    shown = [0] * count
    for chunk in chunks[:-1]:
        (choice,) = chunk["choices"]
        text = choice["text"] if "text" in choice else choice["delta"].get("content") or ""
        shown[choice["index"]] += len(text)  # the tokenizer's tokens are letters
        made = shown[choice["index"]]
        assert (chunk["usage"]["completion_tokens"], chunk["usage"]["total_tokens"]) == (made, made + 3)
    assert shown == [4] * count and chunks[-1]["usage"]["completion_tokens"] == 4 * count


def test_words_for_true_and_false(server: Running) -> None:
    """As vLLM's tests send them; other words, and numbers, are still refused."""
    (choice,) = post(server, "/v1/chat/completions", messages=MESSAGES, max_tokens=1, logprobs="true")["choices"]
    assert choice["logprobs"] is not None
    (choice,) = post(server, "/v1/chat/completions", messages=MESSAGES, max_tokens=1, logprobs="false")["choices"]
    assert choice["logprobs"] is None
    for value in ("yes", 1):
        refused = post(server, "/v1/chat/completions", status=400, messages=MESSAGES, logprobs=value)
        assert refused["error"]["param"] == "logprobs"


def test_integers_of_extra_arguments(server: Running) -> None:
    for value in (2**64, {"a": [-(2**63) - 1]}):
        refused = post(server, "/v1/completions", status=400, prompt="f", vllm_xargs={"x": value})
        assert refused["error"]["message"].startswith("extra_args is ")
    post(server, "/v1/completions", prompt="f", max_tokens=1, vllm_xargs={"x": 2**64 - 1, "y": [-(2**63)]})

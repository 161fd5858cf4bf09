"""OpenAI's responses, by its own client: items whole and in events, and as input of the next request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai
import orjson

from tests.fakes import FakeModel, FakeTokenizer, GatedModel, engine
from tests.serving.harness import Running, fake
from tests.serving.test_messages import TOOLS, PieceTokenizer
from torchpaged import AsyncLLM
from torchpaged.serving.protocol import ChatBody
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.response_body import ResponseBody

FUNCTIONS: list[Any] = [{"type": "function", "strict": False, **tool["function"]} for tool in TOOLS]
LOGPROBS: Any = ["message.output_text.logprobs"]


class Chatting(FakeTokenizer):
    """A tokenizer that concatenates messages."""

    chat_template = "{{ messages }}"

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        return "".join(each["content"] for each in messages)


@pytest.fixture(scope="module")
def plain() -> Iterator[Running]:
    llm = AsyncLLM.from_engine(engine(tokenizer=Chatting()), name="fake")
    with Running(llm) as server:
        yield server


def calling() -> Running:
    """Return a server whose model thinks, says something and calls two tools."""
    model = FakeModel(script=[*range(3, 13), 1])
    return Running(AsyncLLM.from_engine(engine(model, tokenizer=PieceTokenizer()), name="fake"))


def told(response: Any) -> list[Any]:
    """Return a response's items without their names."""
    items = []
    for item in response.output:
        if item.type == "function_call":
            items.append((item.type, item.name, json.loads(item.arguments)))
        else:
            items.append((item.type, "".join(part.text for part in item.content)))
    return items


def test_a_text_is_a_chat_s(plain: Running) -> None:
    more: dict[str, Any] = {"temperature": 0.7, "seed": 3}
    response = plain.client().responses.create(
        model="fake", input="fgh", instructions="k", max_output_tokens=6, temperature=0.7, extra_body={"seed": 3}
    )
    messages: Any = [{"role": "system", "content": "k"}, {"role": "user", "content": "fgh"}]
    chat = plain.client().chat.completions.create(model="fake", messages=messages, max_tokens=6, **more)
    assert response.output_text == chat.choices[0].message.content and len(response.output_text) > 0
    assert response.id.startswith("resp_") and response.object == "response" and response.store is False  # type: ignore
    ended = chat.choices[0].finish_reason == "stop"
    assert response.status == ("completed" if ended else "incomplete") and response.instructions == "k"
    assert response.usage is not None and chat.usage is not None
    assert response.usage.input_tokens == 4 and response.usage.output_tokens == chat.usage.completion_tokens


def test_what_is_cut_off_is_incomplete(plain: Running) -> None:
    response = plain.client().responses.create(
        model="fake", input="f", max_output_tokens=2, temperature=0, extra_body={"ignore_eos": True}
    )
    assert response.status == "incomplete" and response.output[0].status == "incomplete"
    assert response.incomplete_details is not None and response.incomplete_details.reason == "max_output_tokens"


def test_items_whole_and_in_events() -> None:
    request: Any = {"model": "fake", "input": "what?", "temperature": 0, "tools": FUNCTIONS}
    with calling() as server:
        whole = server.client().responses.create(**request)
        assert told(whole) == [
            ("reasoning", "hm"),
            ("message", "I look."),
            ("function_call", "look", {"at": "é"}),
            ("function_call", "ask", {}),
        ]
        assert whole.status == "completed" and whole.tools[0].type == "function"
        raw = list(server.client().responses.create(**request, stream=True))
        with server.client().responses.stream(**request) as stream:
            seen = list(stream)
            final = stream.get_final_response()
    assert (
        told(final) == told(whole) and final.usage == whole.usage and final.usage.output_tokens_details.reasoning_tokens
    )
    assert [event.sequence_number for event in raw] == list(range(len(raw)))
    kinds = [event.type.removeprefix("response.") for event in raw]
    assert kinds[:2] == ["created", "in_progress"] and kinds[-1] == "completed"
    item = ["output_item.added", "content_part.added"]
    call = [f"function_call_arguments.{name}" for name in ("delta", "done")]
    assert [kind for kind in kinds[2:-1] if not kind.endswith("text.delta")] == [
        *item,
        *("reasoning_text.done", "content_part.done", "output_item.done"),
        *item,
        *("output_text.done", "content_part.done", "output_item.done"),
        *(2 * ["output_item.added", *call, "output_item.done"]),
    ]
    assert [kind for event in seen if not (kind := event.type).endswith("text.delta")] == [
        event.type for event in raw if not event.type.endswith("text.delta")
    ]
    for event in raw[2:-1]:  # whatever is told of an item bears its name and place
        place = event.output_index  # type: ignore[union-attr]
        assert getattr(event, "item_id", None) in (None, raw[-1].response.output[place].id)  # type: ignore[union-attr]


def test_an_answer_without_a_word() -> None:
    model = FakeModel(script=[1, 1, 1])
    with Running(AsyncLLM.from_engine(engine(model, tokenizer=PieceTokenizer()), name="fake")) as server:
        response = server.client().responses.create(model="fake", input="what?", temperature=0)
        assert told(response) == [("message", "")] and response.status == "completed"
        events = list(server.client().responses.create(model="fake", input="what?", temperature=0, stream=True))
        assert [event.type for event in events][2:4] == ["response.output_item.added", "response.content_part.added"]


def test_logprobs(plain: Running) -> None:
    request: Any = {"model": "fake", "input": "f", "max_output_tokens": 3, "temperature": 0, "include": LOGPROBS}
    request["extra_body"] = {"ignore_eos": True}
    part: Any = plain.client().responses.create(**request, top_logprobs=2).output[0].content[0]  # type: ignore
    assert "".join(each.token for each in part.logprobs) == part.text and len(part.logprobs) == 3
    assert all(len(each.top_logprobs) == 2 for each in part.logprobs)
    deltas = [
        e for e in plain.client().responses.create(**request, stream=True) if e.type == "response.output_text.delta"
    ]
    assert "".join(each.token for event in deltas for each in event.logprobs) == part.text


@pytest.mark.parametrize("stream", [False, True])
def test_messages_as_the_model_reads_and_writes_them(plain: Running, stream: bool) -> None:
    """vLLM's enable_response_messages was an unknown field once."""
    request: Any = {"model": "fake", "input": "fgh", "max_output_tokens": 4, "temperature": 0, "stream": stream}
    more = {"ignore_eos": True, "enable_response_messages": True}
    response: Any = plain.client().responses.create(**request, extra_body=more)
    if stream:
        first, *_, last = response
        assert first.response.input_messages is None and first.response.output_messages is None
        response = last.response
    assert response.input_messages == [{"type": "raw_message_tokens", "message": "fgh", "tokens": [5, 6, 7]}]
    (written,) = response.output_messages
    assert written["type"] == "raw_message_tokens" and written["message"] == response.output_text
    assert len(written["tokens"]) == response.usage.output_tokens == 4
    del more["enable_response_messages"]
    assert "input_messages" not in plain.http.post("/v1/responses", json={**request, **more, "stream": False}).json()


def test_items_become_messages() -> None:
    """An answer's items can be sent back unchanged."""
    with calling() as server:
        answer = server.client().responses.create(model="fake", input="what?", temperature=0, tools=FUNCTIONS)
    back = [item.model_dump(exclude_none=True) for item in answer.output]
    call_id = back[2]["call_id"]
    given = [
        {
            "role": "developer",
            "content": [{"type": "input_text", "text": "be"}, {"type": "input_text", "text": " brief"}],
        },
        {"type": "message", "role": "user", "content": "what?"},
        *back,
        {"type": "function_call_output", "call_id": call_id, "output": "a tree"},
        {"role": "user", "content": "and?"},
    ]
    messages = ResponseBody(input=given).chat().messages
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "user"]
    assert messages[0]["content"] == "be brief" and messages[3]["tool_call_id"] == call_id
    said = messages[2]
    assert (said["content"], said["reasoning_content"]) == ("I look.", "hm")
    assert [call["function"]["name"] for call in said["tool_calls"]] == ["look", "ask"]
    # Two texts of the model's are two messages.
    twice = ResponseBody(input=[{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]).chat()
    assert [message["content"] for message in twice.messages] == ["a", "b"]


def test_fields_become_a_chat_s() -> None:
    body = ResponseBody(
        input="f",
        text={"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": True}},
        reasoning={"effort": "low"},
        tools=FUNCTIONS[:1],
        tool_choice={"type": "function", "name": "look"},
        store=False,
        top_k=3,
    )
    chat = body.chat()
    assert isinstance(chat, ChatBody) and chat.top_k == 3 and chat.reasoning_effort == "low"
    schema = {"name": "n", "schema": {"type": "object"}, "strict": True}
    assert chat.response_format == {"type": "json_schema", "json_schema": schema}
    assert chat.tools == [{"type": "function", "function": {**TOOLS[0]["function"], "strict": False}}]
    assert chat.tool_choice == {"type": "function", "function": {"name": "look"}}


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"store": True}, "store"),
        ({"background": True}, "background"),
        ({"conversation": "c"}, "conversation"),
        ({"truncation": "auto"}, "truncation"),
        ({"include": ["reasoning.encrypted_content"]}, "include"),
        ({"top_logprobs": 2}, "top_logprobs"),
        ({"reasoning": {"summary": "auto"}}, "reasoning.summary"),
        ({"text": {"verbosity": "low"}}, "text.verbosity"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"tools": [{"type": "web_search"}]}, "tools"),
        ({"tool_choice": {"type": "web_search"}}, "tool_choice"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "x"}]}]}, "input"),
        ({"input": [{"role": "user", "content": [{"type": "input_file", "file_data": "x"}]}]}, "input"),
        ({"input": [{"role": "king", "content": "x"}]}, "input"),
        ({"input": [{"role": "user"}]}, "input"),
        ({"input": [{"type": "function_call", "name": "f"}]}, "input"),
        ({"input": [{"role": "user", "content": [7]}]}, "input"),
    ],
)
def test_what_is_refused(more: dict[str, Any], param: str) -> None:
    with pytest.raises(Refusal) as refused:
        ResponseBody(**{"input": "f", **more}).chat()
    assert refused.value.param == param and refused.value.status == 400


def test_errors_over_http(plain: Running) -> None:
    for sent, says in (
        ({}, "input is missing"),
        ({"input": "f", "max_output_token": 2}, "did you mean 'max_output_tokens'"),
        ({"input": "f" * 300}, "the prompt has 300 tokens"),
        ({"input": "f", "model": "x"}, "there is no model 'x'"),
        ({"input": "f", "temperature": -1}, "temperature is -1"),
    ):
        for stream in (False, True):
            answer = plain.http.post("/v1/responses", json={**sent, "stream": stream})
            assert answer.status_code in (400, 404) and says in answer.json()["error"]["message"]


ODD = "\ud800"  # half of a surrogate pair: json.dumps writes its escape


@pytest.mark.parametrize(
    "more",
    [
        {"user": ODD},
        {"reasoning": {"effort": ODD}},
        {"tools": [{"type": "function", "name": ODD, "parameters": {}}], "tool_choice": "none"},
        {"tools": [{"type": "function", "name": "f", "parameters": {"maximum": 10**30}}], "tool_choice": "none"},
    ],
    ids=["user", "effort", "tool", "number"],
)
def test_what_is_said_back_may_be_anything(plain: Running, more: dict[str, Any]) -> None:
    """A text that is not Unicode, a number of many bits: JSON allows both."""
    for stream in (False, True):
        sent = json.dumps({"model": "fake", "input": "fgh", "max_output_tokens": 2, "stream": stream, **more})
        answer = plain.http.post("/v1/responses", content=sent, headers={"Content-Type": "application/json"})
        assert answer.status_code == 200
        assert stream or orjson.loads(answer.content)["object"] == "response"


def test_a_refusal_of_what_is_no_text(plain: Running) -> None:
    sent = json.dumps({"model": "fake", "prompt": "fgh", ODD: 1})
    answer = plain.http.post("/v1/completions", content=sent, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and "ud800" in orjson.loads(answer.content)["error"]["message"]


def test_a_stream_that_fails_says_so() -> None:
    model = GatedModel()
    llm = AsyncLLM.from_engine(engine(model, tokenizer=Chatting()), name="fake")
    with Running(llm) as server:
        model.allow(1)
        request: Any = {"model": "fake", "input": "fgh", "temperature": 0, "extra_body": {"ignore_eos": True}}
        stream = iter(server.client().responses.create(**request, stream=True))
        assert next(stream).type == "response.created"
        while next(stream).type != "response.output_text.delta":
            pass
        model.fails = True
        model.gate.set()
        failed = list(stream)[-1]
        assert failed.type == "response.failed" and failed.response.error is not None
        said = failed.response.error.message
        assert "could not be computed" in said and "fire" not in said
        with pytest.raises(openai.InternalServerError):
            server.client().responses.create(**request)


def test_usage_tells_what_was_cached() -> None:
    with fake() as server:
        server.server.service.state.llm.tokenizer_pool.tokenizer.apply_chat_template = Chatting().apply_chat_template  # type: ignore
        server.server.service.state.llm.tokenizer_pool.tokenizer.chat_template = "{{ messages }}"
        counts = []
        for _ in range(2):
            response = server.client().responses.create(model="fake", input="fghijklmnop", max_output_tokens=1)
            assert response.usage is not None
            counts.append(response.usage.input_tokens_details.cached_tokens)
        assert counts[0] == 0 < counts[1]

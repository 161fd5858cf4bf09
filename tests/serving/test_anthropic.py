"""Anthropic's messages, by its own client: blocks whole and in events, tools, thoughts, counts and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from pydantic import TypeAdapter

from tests.fakes import FakeModel, engine
from tests.lazy import lazy
from tests.serving.harness import Running
from tests.serving.test_messages import PieceTokenizer
from tests.serving.test_responses import Chatting
from torchpaged import AsyncLLM
from torchpaged.serving.message_answer import Blocks
from torchpaged.serving.message_body import MessageBody
from torchpaged.serving.messages import Parts
from torchpaged.serving.refusals import Refusal

anthropic = lazy("anthropic")
TOOLS: list[Any] = [
    {"name": name, "description": "a tool", "input_schema": {"type": "object", "properties": {}}}
    for name in ("look", "ask")
]
USE = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
QUESTION: list[Any] = [{"role": "user", "content": "fgh"}]
BODY: dict[str, Any] = {"model": "fake", "max_tokens": 100, "messages": QUESTION, "temperature": 0}


def request(**more: Any) -> dict[str, Any]:
    """Return arguments of the client, whose second version has no parameter for temperature."""
    extra = {"temperature": 0, **more.pop("extra_body", {})}
    return {"model": "fake", "max_tokens": 100, "messages": QUESTION, "extra_body": extra, **more}


def client(server: Running, **options: Any) -> Any:
    """Return Anthropic's client, without retries."""
    given = {"api_key": "none", **options}
    return anthropic.Anthropic(base_url=server.url, max_retries=0, timeout=60, **given)


@pytest.fixture(scope="module")
def plain() -> Iterator[Running]:
    with Running(AsyncLLM.from_engine(engine(tokenizer=Chatting()), name="fake")) as server:
        yield server


@pytest.fixture(scope="module")
def calling() -> Iterator[Running]:
    """A server whose model thinks, says something and calls two tools."""
    model = FakeModel(script=[*range(3, 13), 1])
    with Running(AsyncLLM.from_engine(engine(model, tokenizer=PieceTokenizer()), name="fake")) as server:
        yield server


def told(message: Any) -> Any:
    """Return a message without its ids."""
    blocks = [{**each, "id": each.get("id", "")[:6]} for each in message.to_dict()["content"]]
    return blocks, message.stop_reason, message.stop_sequence


BLOCKS = [
    {"type": "thinking", "thinking": "hm"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "name": "look", "input": {"at": "é"}},
    {"type": "tool_use", "name": "ask", "input": {}},
]


def test_blocks_whole_and_in_events(calling: Running) -> None:
    whole = client(calling).messages.create(**request(tools=TOOLS))
    named = [
        {key: value for key, value in each.items() if key in ("type", each["type"], "text", "name", "input")}
        for each in whole.to_dict()["content"]
    ]
    assert named == BLOCKS and whole.stop_reason == "tool_use" and whole.id.startswith("msg_")
    assert all(each.signature for each in whole.content if each.type == "thinking")
    assert all(each.id.startswith("toolu_") for each in whole.content if each.type == "tool_use")
    with client(calling).messages.stream(**request(tools=TOOLS)) as stream:
        events = list(stream)
        final = stream.get_final_message()
    assert told(final) == told(whole)
    assert final.usage.output_tokens == whole.usage.output_tokens == 11
    kinds = [event.type for event in client(calling).messages.create(**request(tools=TOOLS, stream=True))]
    # The client leaves "ping" out.
    assert kinds[0] == "message_start" and kinds[-2:] == ["message_delta", "message_stop"]
    assert [kind for kind in kinds[1:-2] if kind != "content_block_delta"] == 4 * [
        "content_block_start",
        "content_block_stop",
    ]
    assert {"text", "thinking", "signature", "input_json"} <= {event.type for event in events}


def test_frames_are_named_as_anthropic_s(calling: Running) -> None:
    answer = calling.http.post("/v1/messages", json={**BODY, "tools": TOOLS, "stream": True})
    frames = [frame.split("\n") for frame in answer.text.split("\n\n")[:-1]]
    read = []
    for name, data in frames:
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        read.append(event)
    assert [each["type"] for each in read[:2]] == ["message_start", "ping"]
    started = read[0]["message"]
    assert (started["content"], started["stop_reason"]) == ([], None) and started["usage"]["input_tokens"] >= 0
    adapter: TypeAdapter[Any] = TypeAdapter(anthropic.types.RawMessageStreamEvent)
    for event in read:
        if event["type"] != "ping":
            adapter.validate_json(json.dumps(event), strict=True)
    body = {**BODY, "tools": TOOLS}
    anthropic.types.Message.model_validate_json(calling.http.post("/v1/messages", json=body).content, strict=True)


def test_one_tool_at_a_time(calling: Running) -> None:
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    message = client(calling).messages.create(**request(tools=TOOLS, tool_choice=choice))
    assert [each.name for each in message.content if each.type == "tool_use"] == ["look"]


def test_a_call_that_is_cut(calling: Running) -> None:
    """Its input is what is known of it, whole and streamed, and the stop reason says that it is cut."""
    for most in range(1, 11):
        asked = request(max_tokens=most, tools=TOOLS)
        whole = client(calling).messages.create(**asked)
        with client(calling).messages.stream(**asked) as stream:
            assert told(stream.get_final_message()) == told(whole)
        assert whole.stop_reason == "max_tokens"


def test_a_text(plain: Running) -> None:
    create = client(plain).messages.create
    more = {"extra_body": {"temperature": 0.7, "seed": 3, "ignore_eos": True}}
    message = create(**request(**more, max_tokens=6))
    chat = plain.client().chat.completions.create(
        model="fake", messages=QUESTION, max_tokens=6, temperature=0.7, seed=3, extra_body={"ignore_eos": True}
    )
    (block,) = message.content
    assert block.type == "text" and block.text == chat.choices[0].message.content
    assert (message.stop_reason, message.usage.output_tokens) == ("max_tokens", 6)
    asked = message.usage.input_tokens + (message.usage.cache_read_input_tokens or 0)
    assert asked == chat.usage.prompt_tokens  # type: ignore[union-attr]
    stop = block.text[3]
    message = create(**request(**more, stop_sequences=[stop], max_tokens=6))
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", stop)
    with client(plain).messages.stream(**request(**more, stop_sequences=[stop], max_tokens=6)) as stream:
        assert told(stream.get_final_message()) == told(message)
    raw = create(**request(**more, max_tokens=100_000))
    assert raw.stop_reason == "model_context_window_exceeded"


def test_tokens_are_counted(plain: Running) -> None:
    count = client(plain).messages.count_tokens(model="fake", messages=QUESTION, system="klm")
    message = client(plain).messages.create(**request(system="klm"))
    assert count.input_tokens == 6 == message.usage.input_tokens + (message.usage.cache_read_input_tokens or 0)


def test_keys() -> None:
    """x-api-key is a key as good as a bearer's, the administrator's too."""
    llm = AsyncLLM.from_engine(engine(tokenizer=Chatting()), name="fake")
    with Running(llm, api_key=["me:secret-key"], admin_key="admin-secret") as server:
        for given in ({"api_key": "secret-key"}, {"api_key": None, "auth_token": "secret-key"}):
            assert client(server, **given).messages.create(**request()).role == "assistant"
        for given in ({"api_key": "wrong-key"}, {"api_key": None, "auth_token": "wrong-key"}):
            with pytest.raises(anthropic.AuthenticationError, match="no key that this server knows") as refused:
                client(server, **given).messages.create(**request())
            assert refused.value.body["error"]["type"] == "authentication_error"
        get = server.http.get
        assert get("/v1/prefixes", headers={"x-api-key": "admin-secret"}).status_code == 200
        assert get("/v1/prefixes", headers={"x-api-key": "secret-key"}).status_code in (401, 403, 404)
        assert get("/v1/models", headers={"x-api-key": "admin-secret"}).status_code == 200
        assert get("/v1/models", headers=[("x-api-key", "secret-key"), ("x-api-key", "x")]).status_code == 401


def test_a_conversation_becomes_a_chat() -> None:
    body = MessageBody(
        max_tokens=5,
        system=[{"type": "text", "text": "Be"}, {"type": "text", "text": "brief."}],
        messages=[
            {"role": "user", "content": "what?"},
            {"role": "user", "content": [{"type": "text", "text": "and why?", "cache_control": {"type": "ephemeral"}}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "é"}},
                    {"type": "tool_use", "id": "toolu_2", "name": "ask", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "seen"}]},
                    {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True},
                    {"type": "text", "text": "So?"},
                ],
            },
            {"role": "assistant", "content": "It is"},
        ],
        stop_sequences=["x"],
        thinking={"type": "enabled", "budget_tokens": 7},
        tool_choice={"type": "any", "disable_parallel_tool_use": True},
        tools=TOOLS,
        output_config={"effort": "low"},
    )
    chat = body.chat()
    look, ask = (
        {"id": f"toolu_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, name, arguments in ((1, "look", '{"at": "é"}'), (2, "ask", "{}"))
    )
    assert chat.messages == [
        {"role": "system", "content": "Be\nbrief."},
        {"role": "user", "content": "what?\nand why?"},
        {"role": "assistant", "reasoning_content": "hm", "content": "I look.", "tool_calls": [look, ask]},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "seen"},
        {"role": "tool", "tool_call_id": "toolu_2", "content": ""},
        {"role": "user", "content": "So?"},
        {"role": "assistant", "content": "It is"},
    ]
    assert chat.continue_final_message and chat.add_generation_prompt is False
    assert (chat.stop, chat.thinking_token_budget, chat.reasoning_effort) == (["x"], 7, "low")
    assert chat.chat_template_kwargs == {"enable_thinking": True}
    assert (chat.tool_choice, chat.parallel_tool_calls) == ("required", False)
    function = {"name": "look", "description": "a tool", "parameters": TOOLS[0]["input_schema"]}
    assert chat.tools is not None and chat.tools[0] == {"type": "function", "function": function}
    format = {"type": "json_schema", "schema": {"type": "object"}}
    of_format = MessageBody(max_tokens=1, messages=QUESTION, output_config={"format": format}).chat()
    assert of_format.response_format == {
        "type": "json_schema",
        "json_schema": {"name": "format", "schema": {"type": "object"}},
    }


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"max_tokens": 0}, "max_tokens is 0, expected 1 or more"),
        ({"messages": []}, "messages is empty"),
        ({"messages": [{"role": "tool", "content": "x"}]}, r"messages\[0\] is .*expected {'role': 'user'"),
        ({"messages": [{"role": "user", "content": 3}]}, r"messages\[0\].content is 3, expected a text or a list"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image"}]}]},
            r"messages\[0\].content\[0\] is .*which is not a block of type image",
        ),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "image", "source": {"type": "file", "file_id": "x"}}]}
                ]
            },
            r"messages\[0\].content\[0\].source has the type 'file', expected base64 or url",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "document"}]}]},
            r"messages\[0\].content\[0\] is .*expected a block of type text, image or tool_result; nothing else",
        ),
        (
            {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "x"}]}]},
            "which is not a block of type tool_use",
        ),
        ({"system": [{"type": "image"}]}, r"system\[0\] is .*expected a block of type text"),
        ({"thinking": {"type": "enabled"}}, "thinking is .*expected {'type': 'enabled', 'budget_tokens'"),
        ({"thinking": {"type": "adaptive", "display": "omitted"}}, "thinking.display is 'omitted', expected null"),
        ({"tool_choice": {"type": "tool"}}, "tool_choice is .*expected the type 'auto', 'any', 'none'"),
        ({"tools": [{"type": "web_search_20250305", "name": "x"}]}, r"tools\[0\] has the type .*no tool is run here"),
        ({"tools": [{"name": "x", "input_examples": [{}]}]}, r"tools\[0\] has 'input_examples', expected name"),
        ({"output_config": {"format": {"type": "xml"}}}, "output_config.format is"),
        ({"output_config": {"effort": 1}}, "output_config.effort is 1, expected a text"),
        ({"messages": [{"role": "user", "content": []}]}, "messages have no content, expected a text or another block"),
        ({"output_config": {"task_budget": 3}}, "output_config has 'task_budget', expected effort and format"),
        ({"container": "x"}, "container is 'x', expected nothing: no tool is run here"),
        ({"speed": "fast"}, "speed is 'fast', expected 'standard'"),
        *(
            ({"tools": [{**TOOLS[0], key: value}]}, rf"tools\[0\].{key} is {value!r}, expected {expected}")
            for key, value, expected in (
                ("name", "", "a text"),
                ("name", 3, "a text"),
                ("description", 3, "a text"),
                ("input_schema", None, "a JSON schema"),
                ("input_schema", "x", "a JSON schema"),
                ("strict", "yes", "true or false"),
            )
        ),
        ({"tools": [TOOLS[0], TOOLS[0]]}, "tools has 'look' twice, expected names that differ"),
        (
            {"tools": TOOLS, "tool_choice": {"type": "auto", "disable_parallel_tool_use": "no"}},
            "tool_choice.disable_parallel_tool_use is 'no', expected true or false",
        ),
        ({"tools": TOOLS, "tool_choice": {"type": "auto", "x": 1}}, "tool_choice has 'x', expected type, name and"),
        *(
            (
                {"messages": [{"role": "assistant", "content": [{**USE, key: value}]}]},
                r"messages\[0\].content\[0\] is .*which is not a block of type tool_use",
            )
            for key, value in (("id", ""), ("id", 3), ("name", None), ("name", ""), ("input", "{}"), ("input", [1]))
        ),
        *(
            (
                {"messages": [{"role": "user", "content": [{**RESULT, key: value}]}]},
                r"messages\[0\].content\[0\] is .*which is not a block of type tool_result",
            )
            for key, value in (
                ("tool_use_id", 3),
                ("tool_use_id", ""),
                ("content", 0),
                ("content", {}),
                ("content", True),
            )
        ),
        (
            {"messages": [{"role": "user", "content": [{**RESULT, "is_error": "no"}]}]},
            r"messages\[0\].content\[0\].is_error is 'no', expected true or false",
        ),
    ],
)
def test_what_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(Refusal, match=says):
        MessageBody(**{"max_tokens": 5, "messages": QUESTION, **fields}).chat()


def test_errors_are_anthropic_s(plain: Running) -> None:
    create = client(plain).messages.create
    for more, error, kind, says in (
        ({"model": "other"}, anthropic.NotFoundError, "not_found_error", "other"),
        ({"tools": TOOLS}, anthropic.BadRequestError, "invalid_request_error", "--tool-call-parser"),
        ({"extra_body": {"temperature": -1}}, anthropic.BadRequestError, "invalid_request_error", "temperature"),
        ({"extra_body": {"sock": 1}}, anthropic.BadRequestError, "invalid_request_error", "unknown field 'sock'"),
        ({"extra_body": {"max_tokens": None}}, anthropic.BadRequestError, "invalid_request_error", "max_tokens"),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 5}},
            anthropic.BadRequestError,
            "invalid_request_error",
            "nothing says how the model writes its thoughts",
        ),
    ):
        for stream in (False, True):
            with pytest.raises(error, match=says) as refused:
                create(**request(**more, stream=stream))
            assert refused.value.body["type"] == "error" and refused.value.body["error"]["type"] == kind
    answer = plain.http.post("/v1/messages", content=b"{", headers={"content-type": "application/json"})
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error"
    assert plain.http.get("/v1/messages").json()["type"] == "error"
    with pytest.raises(anthropic.BadRequestError, match="tools"):
        client(plain).messages.count_tokens(model="fake", messages=QUESTION, tools=TOOLS)


def test_inputs_are_objects() -> None:
    """Arguments that are no object are wrapped; those that have not ended are what is known of them."""
    for arguments, expected in (
        ('{"a": 1}', {"a": 1}),
        ("null", {}),
        ("[1]", {"arguments": "[1]"}),
        ('{"a": 1, "b": "x', {"a": 1}),
        ('{"a": "\\ud800"}', {"a": "\ud800"}),
        ("{", {}),
    ):
        parts, blocks = Parts(), Blocks()
        call = {"index": 0, "id": "call_1", "function": {"name": "f", "arguments": arguments}}
        parts.add("call", call)
        events = blocks.take(parts)
        blocks.close()
        assert blocks.blocks[0]["input"] == expected
        assert events[0]["content_block"]["input"] == {}

"""Agents and libraries of others as clients of one server: each calls tools, sends their results, and gets an answer.

They are installed by `make test-long`. Those that are not are skipped.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.fakes import FakeModel, engine
from tests.serving.harness import Running
from tests.serving.test_messages import PROMPT, PieceTokenizer
from torchpaged import AsyncLLM

pytestmark = pytest.mark.long

ANSWER = "It is there."
CALLS = [("look", {"at": "é"}), ("ask", {})]


class Conversing(PieceTokenizer):
    """A tokenizer whose prompt has one token, or a dozen once tools have answered."""

    pieces = (*PieceTokenizer.pieces, ANSWER)

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        return {"input_ids": [2] * (12 if "seen" in text else 1)}

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        results = [each["content"] for each in messages if each["role"] == "tool"]
        assert all("seen" in each for each in results) and len(results) in (0, 2), messages
        return "".join(results) + PROMPT


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """A server whose model thinks, says something, calls two tools, and answers once they have answered."""
    model = FakeModel(script=[*range(3, 13), 1, 13, 1])
    with Running(AsyncLLM.from_engine(engine(model, tokenizer=Conversing()), name="fake")) as running:
        yield running


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep clients from looking for others than the server."""
    for name, value in (
        ("OPENAI_AGENTS_DISABLE_TRACING", "1"),
        ("LITELLM_LOCAL_MODEL_COST_MAP", "True"),
        ("OPENAI_API_KEY", "none"),
        ("LANGSMITH_TRACING", "false"),
    ):
        monkeypatch.setenv(name, value)


class Tools:
    """The tools, and their calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def look(self, at: str) -> str:
        """Look there."""
        self.calls.append(("look", {"at": at}))
        return "seen"

    def ask(self) -> str:
        """Ask."""
        self.calls.append(("ask", {}))
        return "seen too"


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("stream", [False, True])
def test_openai_agents(server: Running, api: str, stream: bool) -> None:
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    import openai

    tools, client = Tools(), openai.AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0)
    kind = agents.OpenAIChatCompletionsModel if api == "chat" else agents.OpenAIResponsesModel
    made = [agents.function_tool(tools.look), agents.function_tool(tools.ask)]
    for each in made:
        each.strict_json_schema = False
    settings = agents.ModelSettings(temperature=0)
    agent = agents.Agent(name="a", model=kind("fake", client), tools=made, model_settings=settings)

    async def run() -> str:
        if not stream:
            return str((await agents.Runner.run(agent, "what?")).final_output)
        running = agents.Runner.run_streamed(agent, "what?")
        async for _ in running.stream_events():
            pass
        return str(running.final_output)

    assert asyncio.run(run()) == ANSWER and sorted(tools.calls) == sorted(CALLS)


@pytest.mark.parametrize("provider", ["openai", "responses", "anthropic"])
@pytest.mark.parametrize("stream", [False, True])
def test_pydantic_ai(server: Running, provider: str, stream: bool) -> None:
    pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    tools = Tools()
    model: Any
    if provider == "anthropic":
        pytest.importorskip("anthropic", reason="anthropic is not installed")
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        model = AnthropicModel("fake", provider=AnthropicProvider(api_key="none", base_url=server.url))
    else:
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        kind: Any = OpenAIChatModel if provider == "openai" else OpenAIResponsesModel
        model = kind("fake", provider=OpenAIProvider(base_url=server.base_url, api_key="none"))
    made = [pydantic_ai.Tool(each, strict=False) for each in (tools.look, tools.ask)]
    agent = pydantic_ai.Agent(model, tools=made, model_settings={"temperature": 0.0})

    async def run() -> str:
        if not stream:
            return str((await agent.run("what?")).output)
        async with agent.run_stream("what?") as running:
            return str(await running.get_output())

    output = asyncio.run(run())
    if stream and output != ANSWER:  # it takes the first text for the answer, if it is told to end there
        assert output == "I look."
    else:
        assert output == ANSWER and sorted(tools.calls) == sorted(CALLS)


FUNCTIONS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Look there.",
            "parameters": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
        },
    },
    {
        "type": "function",
        "function": {"name": "ask", "description": "Ask.", "parameters": {"type": "object", "properties": {}}},
    },
]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True])
def test_litellm(server: Running, provider: str, stream: bool) -> None:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it is read when litellm is imported
    litellm = pytest.importorskip("litellm", reason="litellm is not installed")
    base = server.base_url if provider == "openai" else server.url
    asked: dict[str, Any] = {"model": f"{provider}/fake", "api_base": base, "api_key": "none", "tools": FUNCTIONS}
    asked |= {"stream": stream, "max_tokens": 100, "temperature": 0}
    messages: list[Any] = [{"role": "user", "content": "what?"}]
    for answers in (True, False):
        answer = litellm.completion(**asked, messages=messages)
        if stream:
            answer = litellm.stream_chunk_builder(list(answer), messages=messages)
        message = answer.choices[0].message
        if not answers:
            assert message.content == ANSWER and answer.choices[0].finish_reason == "stop"
            return
        assert answer.choices[0].finish_reason == "tool_calls" and message.content == "I look."
        found = [(each.function.name, json.loads(each.function.arguments)) for each in message.tool_calls]
        assert found == CALLS and message.reasoning_content == "hm"
        messages.append(message.model_dump(exclude_none=True))
        messages += [{"role": "tool", "tool_call_id": each.id, "content": "seen"} for each in message.tool_calls]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("responses", [False, True])
def test_langchain_openai(server: Running, stream: bool, responses: bool) -> None:
    langchain_openai = pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    from langchain_core.messages import HumanMessage, ToolMessage

    model = langchain_openai.ChatOpenAI(
        model="fake", base_url=server.base_url, api_key="none", temperature=0, use_responses_api=responses
    ).bind_tools(FUNCTIONS)
    messages: list[Any] = [HumanMessage("what?")]
    answer: Any = None
    for _ in range(2):
        if stream:
            answer = None
            for chunk in model.stream(messages):
                answer = chunk if answer is None else answer + chunk
        else:
            answer = model.invoke(messages)
        if len(messages) == 1:
            assert [(each["name"], each["args"]) for each in answer.tool_calls] == CALLS
        messages += [answer, *(ToolMessage("seen", tool_call_id=each["id"]) for each in answer.tool_calls)]
    assert answer.text == ANSWER and not answer.tool_calls


@pytest.mark.parametrize("stream", [False, True])
def test_llama_index(server: Running, stream: bool) -> None:
    module = pytest.importorskip(
        "llama_index.llms.openai_like", reason="llama-index-llms-openai-like is not installed (it needs openai below 3)"
    )
    from llama_index.core.llms import ChatMessage
    from llama_index.core.tools import FunctionTool

    model = module.OpenAILike(
        model="fake",
        api_base=server.base_url,
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
        temperature=0,
    )
    made, tools = Tools(), []
    for each in (made.look, made.ask):
        tools.append(FunctionTool.from_defaults(each))
    history: list[Any] = [ChatMessage(role="user", content="what?")]
    answer: Any = None
    for _ in range(2):
        if stream:
            *_, answer = model.stream_chat_with_tools(tools, chat_history=history, allow_parallel_tool_calls=True)
        else:
            answer = model.chat_with_tools(tools, chat_history=history, allow_parallel_tool_calls=True)
        found = model.get_tool_calls_from_response(answer, error_on_no_tool_call=False)
        if len(history) == 1:
            assert [(each.tool_name, each.tool_kwargs) for each in found] == CALLS
        history.append(answer.message)
        history += [
            ChatMessage(role="tool", content="seen", additional_kwargs={"tool_call_id": each.tool_id}) for each in found
        ]
    assert answer.message.content == ANSWER

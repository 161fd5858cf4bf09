"""The body of POST /v1/responses, and its translation into a chat, which the rest of the server handles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torchpaged.serving.protocol import Body, ChatBody, Flag, ReceiptKind, StreamOptions, Strict
from torchpaged.serving.refusals import Refusal

_LOGPROBS = "message.output_text.logprobs"
_NOTHING_KEPT = "nothing is kept of responses; send the items of the conversation again"
# Fields of a chat with the same meaning here.
_SAME = (
    "model",
    "user",
    "frequency_penalty",
    "logit_bias",
    "parallel_tool_calls",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "cache_hint",
    "cache_salt",
    "chat_template_kwargs",
    "ignore_eos",
    "min_p",
    "min_tokens",
    "priority",
    "receipt",
    "repetition_penalty",
    "request_id",
    "stop_token_ids",
    "thinking_token_budget",
    "top_k",
    "vllm_xargs",
)


class Reasoning(Strict):
    """The field `reasoning`."""

    effort: str | None = None
    summary: str | None = None
    generate_summary: str | None = None


class TextConfig(Strict):
    """The field `text`."""

    format: dict[str, Any] | None = None
    verbosity: str | None = None


class ResponseBody(Body):
    """The body of POST /v1/responses: OpenAI's fields, and vLLM's fields of chats."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        "background": ((False,), "an answer is computed while its client waits"),
        "context_management": (([],), "nothing is left out of conversations"),
        "conversation": ((), _NOTHING_KEPT),
        "max_tool_calls": ((), "no tool is called here; calls are the client's"),
        "moderation": ((), "nothing is moderated"),
        "previous_response_id": ((), _NOTHING_KEPT),
        "prompt": ((), "no prompts are kept here"),
        "store": ((False,), _NOTHING_KEPT),
        "truncation": (("disabled",), "nothing is left out of conversations"),
    }

    input: str | list[dict[str, Any]]
    background: Flag | None = None
    context_management: list[Any] | None = None
    conversation: str | dict[str, Any] | None = None
    include: list[str] | None = None
    instructions: str | None = None
    max_output_tokens: int | None = None
    max_tool_calls: int | None = None
    metadata: dict[str, str] | None = None
    moderation: Any = None
    parallel_tool_calls: Flag | None = None
    previous_response_id: str | None = None
    prompt: dict[str, Any] | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: dict[str, Any] | None = None
    prompt_cache_retention: str | None = None
    reasoning: Reasoning | None = None
    safety_identifier: str | None = None
    service_tier: str | None = None
    store: Flag | None = None
    stream: Flag | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    text: TextConfig | None = None
    tool_choice: str | dict[str, Any] | None = None
    tools: list[dict[str, Any]] | None = None
    top_logprobs: int | None = None
    top_p: float | None = None
    truncation: str | None = None

    cache_hint: dict[str, Any] | None = None
    cache_salt: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    enable_response_messages: Flag | None = None
    frequency_penalty: float | None = None
    ignore_eos: Flag | None = None
    logit_bias: dict[str, float] | None = None
    min_p: float | None = None
    min_tokens: int | None = None
    presence_penalty: float | None = None
    priority: int | None = None
    receipt: ReceiptKind | None = None
    repetition_penalty: float | None = None
    request_id: str | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    stop_token_ids: list[int] | None = None
    thinking_token_budget: int | None = None
    top_k: int | None = None
    vllm_xargs: dict[str, Any] | None = None

    def chat(self) -> ChatBody:
        """Translate the body into a chat.

        Raises:
            Refusal: a value is not supported, or an item cannot become a message.
        """
        self.require_possible()
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            said = f"max_output_tokens is {self.max_output_tokens}, expected 1 or more"
            raise Refusal(said, param="max_output_tokens")
        given = {name: value for name in _SAME if (value := getattr(self, name)) is not None}
        if (format := self._format()) is not None:
            given["response_format"] = format
        if self.tools is not None:
            given["tools"] = [_tool(place, tool) for place, tool in enumerate(self.tools)]
        if self.tool_choice is not None:
            given["tool_choice"] = _choice(self.tool_choice)
        if self.reasoning is not None and self.reasoning.effort is not None:
            given["reasoning_effort"] = self.reasoning.effort
        wants_logprobs = self._wants_logprobs()
        # Built without validation, because the values were validated as this body's.
        return ChatBody(
            messages=_messages(self.instructions, self.input),
            max_completion_tokens=self.max_output_tokens,
            logprobs=True if wants_logprobs else None,
            top_logprobs=self.top_logprobs,
            **given,
        )

    def _wants_logprobs(self) -> bool:
        for each in self.include or ():
            if each != _LOGPROBS:
                raise Refusal(f"include has {each!r:.80}, expected {_LOGPROBS!r} alone", param="include")
        wants = bool(self.include)
        if self.top_logprobs and not wants:
            raise Refusal(f"top_logprobs is given, and include has no {_LOGPROBS!r}", param="top_logprobs")
        return wants

    def require_possible(self) -> None:
        """Check the fields, as `Body` does."""
        super().require_possible()
        for name in ("summary", "generate_summary"):
            value = None if self.reasoning is None else getattr(self.reasoning, name)
            if value is not None:
                said = f"reasoning.{name} is {value!r:.80}, expected null: reasoning is returned as it is"
                raise Refusal(said, param=f"reasoning.{name}", code="unsupported")
        if self.text is not None and self.text.verbosity not in (None, "medium"):
            said = f"text.verbosity is {self.text.verbosity!r:.80}, expected 'medium': the model has no such setting"
            raise Refusal(said, param="text.verbosity", code="unsupported")

    def _format(self) -> dict[str, Any] | None:
        """Return `text.format` in the form of a chat's `response_format`."""
        format = None if self.text is None else self.text.format
        if format is None or format.get("type") != "json_schema":
            return format
        return {"type": "json_schema", "json_schema": {name: each for name, each in format.items() if name != "type"}}


def _tool(place: int, tool: Mapping[str, Any]) -> dict[str, Any]:
    if tool.get("type") != "function":
        raise Refusal(f"tools[{place}] is {dict(tool)!r:.80}, expected a function; no other is run here", param="tools")
    known = ("name", "description", "parameters", "strict")
    if unknown := {name for name, value in tool.items() if value is not None} - {"type", *known}:
        raise Refusal(f"tools[{place}] has {min(unknown)!r:.80}, expected {', '.join(known)}", param="tools")
    return {"type": "function", "function": {name: tool[name] for name in known if tool.get(name) is not None}}


def _choice(given: str | Mapping[str, Any]) -> str | dict[str, Any]:
    if isinstance(given, str):
        return given
    if given.get("type") != "function" or not isinstance(given.get("name"), str):
        expected = "'auto', 'none', 'required' or {'type': 'function', 'name': ...}"
        raise Refusal(f"tool_choice is {dict(given)!r:.80}, expected {expected}", param="tool_choice")
    return {"type": "function", "function": {"name": given["name"]}}


def _messages(instructions: str | None, given: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of items. Consecutive reasoning, text and calls of the model become one message."""
    messages: list[dict[str, Any]] = []
    if instructions is not None:
        messages.append({"role": "system", "content": instructions})
    if isinstance(given, str):
        return [*messages, {"role": "user", "content": given}]
    for place, item in enumerate(given):
        message = _message(f"input[{place}]", item)
        before = messages[-1] if messages else {}
        if message["role"] == before.get("role") == "assistant" and not (before.keys() & message.keys() - _JOINED):
            before["tool_calls"] = [*before.get("tool_calls", ()), *message.get("tool_calls", ())]
            before |= {name: value for name, value in message.items() if name != "tool_calls"}
            if not before["tool_calls"]:
                del before["tool_calls"]
        else:
            messages.append(message)
    for message in messages:
        if message["role"] == "assistant":
            message.setdefault("content", "")
    return messages


_JOINED = {"role", "tool_calls"}


def _message(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    kind = item.get("type", "message")
    try:
        if kind == "message":
            role = item["role"]
            if role not in ("user", "assistant", "system", "developer"):
                raise ValueError
            # Chat templates do not know the role "developer".
            return {"role": "system" if role == "developer" else role, "content": _content(name, item["content"])}
        if kind == "reasoning":
            texts = [part["text"] for part in item.get("content") or ()]
            return {"role": "assistant", "reasoning_content": "".join(texts)}
        if kind == "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            return {
                "role": "assistant",
                "tool_calls": [{"id": item["call_id"], "type": "function", "function": function}],
            }
        if kind == "function_call_output":
            return {"role": "tool", "tool_call_id": item["call_id"], "content": _content(name, item["output"])}
    except (KeyError, TypeError, ValueError):
        raise Refusal(f"{name} is {dict(item)!r:.80}, which is not a {kind}", param="input") from None
    expected = "message, reasoning, function_call or function_call_output"
    raise Refusal(f"{name} has the type {kind!r:.80}, expected {expected}", param="input", code="unsupported")


def _content(name: str, content: Any) -> str | list[dict[str, Any]]:
    """Return the content of a chat's message: a text, or a list of parts if there are images or sounds."""
    if isinstance(content, str):
        return content
    parts: list[dict[str, Any]] = []
    for part in content:
        kind = part["type"]
        if kind in ("input_text", "output_text", "text"):
            if not isinstance(part["text"], str):
                raise TypeError
            parts.append({"type": "text", "text": part["text"]})
        elif kind == "input_image" and isinstance(part.get("image_url"), str):
            parts.append({"type": "image_url", "image_url": {"url": part["image_url"]}})
        elif kind == "input_audio":
            parts.append({"type": "input_audio", "input_audio": part["input_audio"]})
        else:
            expected = "input_text, input_image with an image_url, or input_audio: no files are kept here"
            said = f"{name} has a part of type {kind!r:.80}, expected {expected}"
            raise Refusal(said, param="input", code="unsupported")
    if any(part["type"] != "text" for part in parts):
        return parts
    return "".join(part["text"] for part in parts)

"""The body of POST /v1/messages, Anthropic's interface, and its translation into a chat."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from torchpaged.serving.protocol import Body, ChatBody, Flag, ReceiptKind
from torchpaged.serving.refusals import Refusal

_SERVED = "no tool is run here; tools are the client's"
# Fields of a chat with the same name and meaning.
_SAME = (
    "model",
    "max_tokens",
    "stream",
    "temperature",
    "top_k",
    "top_p",
    "cache_hint",
    "cache_salt",
    "ignore_eos",
    "logit_bias",
    "min_p",
    "min_tokens",
    "priority",
    "receipt",
    "repetition_penalty",
    "request_id",
    "seed",
    "stop_token_ids",
    "vllm_xargs",
)
# Keys of tools that have no effect: prefixes are always cached, and inputs always streamed.
_IDLE_OF_TOOLS = ("type", "cache_control", "eager_input_streaming")
# Keys of a tool: their type, what is expected, and if they must be there.
_TOOL_KEYS = (
    ("name", str, "a text", True),
    ("description", str, "a text", False),
    ("input_schema", dict, "a JSON schema", True),
    ("strict", bool, "true or false", False),
)
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


class CountTokensBody(Body):
    """The body of POST /v1/messages/count_tokens, whose fields are in a message's body too."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        "mcp_servers": (([],), _SERVED),
        "speed": (("standard",), "there is one"),
        "context_management": ((), "nothing is left out of conversations"),
    }

    messages: list[dict[str, Any]]
    cache_control: dict[str, Any] | None = None  # has no effect: prefixes are always cached
    context_management: dict[str, Any] | None = None
    mcp_servers: list[Any] | None = None
    output_config: dict[str, Any] | None = None
    speed: str | None = None
    system: str | list[dict[str, Any]] | None = None
    thinking: dict[str, Any] | None = None
    tool_choice: dict[str, Any] | None = None
    tools: list[dict[str, Any]] | None = None

    chat_template_kwargs: dict[str, Any] | None = None

    def chat(self) -> ChatBody:
        """Translate the body into a chat.

        Raises:
            Refusal: a value is not supported, or a block cannot become a part of a message.
        """
        self.require_possible()
        given = {name: value for name in _SAME if (value := getattr(self, name, None)) is not None}
        messages = _messages(self.system, self.messages)
        if not messages:
            raise Refusal("messages have no content, expected a text or another block", param="messages")
        if messages[-1]["role"] == "assistant":  # Anthropic's prefill
            given |= {"continue_final_message": True, "add_generation_prompt": False}
        if self.tools is not None:
            given["tools"] = [_tool(place, tool) for place, tool in enumerate(self.tools)]
            names = [tool["name"] for tool in self.tools]
            if twice := [name for name in names if names.count(name) > 1]:
                raise Refusal(f"tools has {twice[0]!r:.80} twice, expected names that differ", param="tools")
        if self.tool_choice is not None:
            given["tool_choice"] = _choice(self.tool_choice)
            if _flag(self.tool_choice, "tool_choice", "disable_parallel_tool_use"):
                given["parallel_tool_calls"] = False
        # Built without validation, because the values were validated as this body's.
        return ChatBody(messages=messages, **given, **self._thinking(), **self._output(), **self._more())

    def _more(self) -> dict[str, Any]:
        """Return the fields of the chat that other bodies than this one have."""
        return {}

    def _thinking(self) -> dict[str, Any]:
        """Return the fields of `thinking`, which templates know as enable_thinking."""
        kwargs, more = dict(self.chat_template_kwargs or {}), dict[str, Any]()
        if self.thinking is not None:
            kind, budget = self.thinking.get("type"), self.thinking.get("budget_tokens")
            if kind not in ("enabled", "disabled", "adaptive") or (kind == "enabled") != (type(budget) is int):
                raise Refusal(
                    f"thinking is {self.thinking!r:.80}, expected {{'type': 'enabled', 'budget_tokens': ...}} or the "
                    "type 'adaptive' or 'disabled'",
                    param="thinking",
                )
            if self.thinking.get("display") not in (None, "summarized"):
                said = f"thinking.display is {self.thinking['display']!r:.80}, expected null: thoughts are returned"
                raise Refusal(said, param="thinking", code="unsupported")
            kwargs.setdefault("enable_thinking", kind != "disabled")
            if kind == "enabled":
                more["thinking_token_budget"] = budget
        return {**more, "chat_template_kwargs": kwargs} if kwargs else more

    def _output(self) -> dict[str, Any]:
        """Return the fields of `output_config`: an effort, and a format."""
        config, found = self.output_config or {}, dict[str, Any]()
        for name in config:
            if name not in ("effort", "format") and config[name] is not None:
                raise Refusal(f"output_config has {name!r:.80}, expected effort and format", param="output_config")
        if (effort := config.get("effort")) is not None:
            if not isinstance(effort, str):
                raise Refusal(f"output_config.effort is {effort!r:.80}, expected a text", param="output_config")
            found["reasoning_effort"] = effort
        if (format := config.get("format")) is not None:
            if not isinstance(format, Mapping) or format.get("type") != "json_schema":
                said = f"output_config.format is {format!r:.80}, expected {{'type': 'json_schema', 'schema': {{...}}}}"
                raise Refusal(said, param="output_config")
            schema = {"name": "format", "schema": format.get("schema")}
            found["response_format"] = {"type": "json_schema", "json_schema": schema}
        return found


class MessageBody(CountTokensBody):
    """The body of POST /v1/messages: Anthropic's fields, and some of vLLM's for chats."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        **CountTokensBody.only,
        "container": ((), _SERVED),
        "diagnostics": ((), "nothing is kept of messages"),
        "inference_geo": ((), "there is one place"),
        "service_tier": (("auto", "standard_only"), "there is one"),
    }

    max_tokens: int
    container: str | dict[str, Any] | None = None
    diagnostics: dict[str, Any] | None = None
    inference_geo: str | None = None
    metadata: dict[str, Any] | None = None  # has no effect
    service_tier: str | None = None
    stop_sequences: list[str] | None = None
    stream: Flag | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None

    cache_hint: dict[str, Any] | None = None
    cache_salt: str | None = None
    ignore_eos: Flag | None = None
    logit_bias: dict[str, float] | None = None
    min_p: float | None = None
    min_tokens: int | None = None
    priority: int | None = None
    receipt: ReceiptKind | None = None
    repetition_penalty: float | None = None
    request_id: str | None = None
    seed: int | None = None
    stop_token_ids: list[int] | None = None
    vllm_xargs: dict[str, Any] | None = None

    def require_possible(self) -> None:
        """Check the fields, as `Body` does."""
        super().require_possible()
        if self.max_tokens < 1:
            raise Refusal(f"max_tokens is {self.max_tokens}, expected 1 or more", param="max_tokens")

    def _more(self) -> dict[str, Any]:
        return {} if self.stop_sequences is None else {"stop": self.stop_sequences}


def _tool(place: int, tool: Mapping[str, Any]) -> dict[str, Any]:
    name, kind = f"tools[{place}]", tool.get("type")
    if kind not in (None, "custom"):
        raise Refusal(f"{name} has the type {kind!r:.80}, expected 'custom': {_SERVED}", param="tools")
    known = ("name", "description", "input_schema", "strict", *_IDLE_OF_TOOLS)
    if unknown := {key for key, value in tool.items() if value is not None} - {*known}:
        raise Refusal(f"{name} has {min(unknown)!r:.80}, expected {', '.join(known)}", param="tools")
    for key, type_, expected, must in _TOOL_KEYS:
        value = tool.get(key)
        if (must and not value and value != {}) or not (value is None or isinstance(value, type_)):
            raise Refusal(f"{name}.{key} is {value!r:.80}, expected {expected}", param="tools")
    keys = (("name", "name"), ("description", "description"), ("parameters", "input_schema"), ("strict", "strict"))
    return {"type": "function", "function": {key: tool[own] for key, own in keys if tool.get(own) is not None}}


def _flag(given: Mapping[str, Any], name: str, key: str) -> bool:
    if given.get(key) is not None and not isinstance(given[key], bool):
        said = f"{name}.{key} is {given[key]!r:.80}, expected true or false"
        raise Refusal(said, param=name.split("[")[0])
    return bool(given.get(key))


def _choice(given: Mapping[str, Any]) -> str | dict[str, Any]:
    if unknown := given.keys() - {"type", "name", "disable_parallel_tool_use"}:
        known = "type, name and disable_parallel_tool_use"
        raise Refusal(f"tool_choice has {min(unknown)!r:.80}, expected {known}", param="tool_choice")
    if given.get("type") == "tool" and isinstance(given.get("name"), str):
        return {"type": "function", "function": {"name": given["name"]}}
    if (choice := _CHOICES.get(str(given.get("type")))) is None:
        expected = "the type 'auto', 'any', 'none', or {'type': 'tool', 'name': ...}"
        raise Refusal(f"tool_choice is {dict(given)!r:.80}, expected {expected}", param="tool_choice")
    return choice


def _messages(system: str | list[dict[str, Any]] | None, given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a chat's messages. Consecutive ones of the same role become one, as with Anthropic."""
    if not given:
        raise Refusal("messages is empty, expected one message or more", param="messages")
    messages: list[dict[str, Any]] = []
    if system:
        messages.append({"role": "system", "content": _text("system", system)})
    for place, message in enumerate(given):
        name, role, content = f"messages[{place}]", message.get("role"), message.get("content")
        if role not in ("user", "assistant", "system") or message.keys() - {"role", "content"}:
            expected = "{'role': 'user' or 'assistant', 'content': ...}"
            raise Refusal(f"{name} is {dict(message)!r:.80}, expected {expected}", param="messages")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            said = f"{name}.content is {content!r:.80}, expected a text or a list of blocks"
            raise Refusal(said, param="messages")
        for number, block in enumerate(blocks):
            _add(messages, str(role), f"{name}.content[{number}]", block)
    for message in messages:
        if message["role"] == "assistant":
            message.setdefault("content", "")
    return messages


def _add(messages: list[dict[str, Any]], role: str, name: str, block: Any) -> None:
    """Add a block of a message."""
    kind = block.get("type") if isinstance(block, dict) else None
    try:
        if kind == "text":
            _join(_last(messages, role), "content", block["text"])
        elif kind == "image" and role == "user":
            _append(_last(messages, role), _image(name, block["source"]))
        elif kind == "thinking" and role == "assistant":
            _join(_last(messages, role), "reasoning_content", block["thinking"])
        elif kind == "tool_use" and role == "assistant":
            if not isinstance(block["input"], dict):
                raise TypeError
            function = {"name": _name(block["name"]), "arguments": json.dumps(block["input"], ensure_ascii=False)}
            call = {"id": _name(block["id"]), "type": "function", "function": function}
            _last(messages, role).setdefault("tool_calls", []).append(call)
        elif kind == "tool_result" and role == "user":
            given = block.get("content")
            if not (given is None or isinstance(given, (str, list))):
                raise TypeError
            _flag(block, name, "is_error")
            content = _content(f"{name}.content", given or "")
            messages.append({"role": "tool", "tool_call_id": _name(block["tool_use_id"]), "content": content})
        else:
            expected = {"user": "text, image or tool_result", "assistant": "text, thinking or tool_use"}.get(
                role, "text"
            )
            said = f"{name} is {block!r:.80}, expected a block of type {expected}"
            raise Refusal(f"{said}; nothing else is read", param="messages", code="unsupported")
    except (KeyError, TypeError):
        raise Refusal(f"{name} is {block!r:.80}, which is not a block of type {kind}", param="messages") from None


def _name(value: Any) -> str:
    """Return a name or an id, a text that is not empty. Raises a TypeError for others."""
    if not isinstance(value, str) or not value:
        raise TypeError
    return value


def _last(messages: list[dict[str, Any]], role: str) -> dict[str, Any]:
    """Return the last message, or a new one if it has another role."""
    if not messages or messages[-1]["role"] != role:
        messages.append({"role": role})
    return messages[-1]


def _join(message: dict[str, Any], key: str, text: str) -> None:
    if not isinstance(text, str):
        raise TypeError
    if isinstance(message.get(key), list):
        message[key].append({"type": "text", "text": text})
        return
    message[key] = f"{message[key]}\n{text}" if message.get(key) else text


def _append(message: dict[str, Any], part: dict[str, Any]) -> None:
    """Append a part that is no text to a message's content."""
    before = message.get("content") or []
    message["content"] = [*([{"type": "text", "text": before}] if isinstance(before, str) else before), part]


def _image(name: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a chat for the source of an image block."""
    kind = source["type"]
    if kind == "base64" and isinstance(source["data"], str):
        url = f"data:{source['media_type']};base64,{source['data']}"
    elif kind == "url" and isinstance(source["url"], str):
        url = source["url"]
    else:
        said = f"{name}.source has the type {kind!r:.80}, expected base64 or url: no files are kept here"
        raise Refusal(said, param="messages", code="unsupported")
    return {"type": "image_url", "image_url": {"url": url}}


def _content(name: str, content: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return the content of a tool's result: a text, or a list of parts if there are images."""
    if isinstance(content, str) or not any(isinstance(each, dict) and each.get("type") == "image" for each in content):
        return _text(name, content)
    message: dict[str, Any] = {}
    for place, block in enumerate(content):
        if isinstance(block, dict) and block.get("type") == "image":
            _append(message, _image(f"{name}[{place}]", block["source"]))
        else:
            _join(message, "content", _text(f"{name}[{place}]", [block]))
    parts: list[dict[str, Any]] = message["content"]
    return parts


def _text(name: str, content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    for place, block in enumerate(content):
        if not isinstance(block, dict) or block.get("type") != "text" or not isinstance(block.get("text"), str):
            said = f"{name}[{place}] is {block!r:.80}, expected a block of type text: nothing else is read"
            raise Refusal(said, param=name.split("[")[0], code="unsupported")
    return "\n".join(block["text"] for block in content)

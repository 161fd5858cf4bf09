"""Chat: makes prompts of conversations by a tokenizer's chat template, as transformers applies it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError, RequestError

Message = Mapping[str, Any]
Conversation = Sequence[Message]

CONTENT_FORMATS = ("auto", "string", "openai")


def conversations_of(messages: Any) -> list[Conversation]:
    """Return the conversations of an argument that may be one or several.

    Raises:
        RequestError: it is neither, or holds something else than messages.
    """
    if isinstance(messages, (str, bytes, Mapping)) or not hasattr(messages, "__iter__"):
        raise RequestError(f"chat: messages is {messages!r:.80}, expected a list of messages, or several such lists")
    several = list(messages)
    if several and isinstance(several[0], Mapping):
        several = [several]
    for number, conversation in enumerate(several):
        if isinstance(conversation, (str, bytes, Mapping)) or not hasattr(conversation, "__iter__"):
            raise RequestError(f"chat: conversation {number} is {conversation!r:.80}, expected a list of messages")
    return [list(conversation) for conversation in several]


def load_template(template: str | Path | None) -> str | None:
    """Return a template's text, which is read from a file if the argument names one.

    Raises:
        ConfigError: it is neither a file nor a template.
    """
    if template is None or (isinstance(template, str) and ("{" in template or "\n" in template)):
        return template
    try:
        return Path(template).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"LLM: chat_template is {str(template)!r:.80}, expected a Jinja template or a file with one: {error}"
        ) from None


class ChatReader:
    """Makes prompts of conversations.

    Args:
        tokenizer: of transformers; None: conversations are refused.
        template: default template; None: the tokenizer's.
    """

    def __init__(self, tokenizer: Any, template: str | None = None) -> None:
        self._tokenizer, self._template = tokenizer, template

    def prompts(
        self,
        messages: Any,
        *,
        chat_template: str | None = None,
        content_format: str = "auto",
        add_generation_prompt: bool = True,
        continue_final_message: bool = False,
        tools: Sequence[Mapping[str, Any]] | None = None,
        template_kwargs: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Return the text of each conversation, special tokens included: tokenize it without adding any.

        Args:
            messages: a list of messages with "role" and "content", or a list of such lists.
            chat_template: Jinja; None: the reader's, or the tokenizer's.
            content_format: how a "content" that is a list of parts is passed on: their texts, one per line ("string",
                "auto"), or the list itself for templates that read it ("openai").
            add_generation_prompt: if the beginning of an answer is appended.
            continue_final_message: if the last message is left open, to be continued.
            tools: functions that the template is told of.
            template_kwargs: further arguments of the template.

        Raises:
            RequestError: no message, a message of another kind, no template, or a template that fails.
            ConfigError: an argument of another kind.
        """
        if content_format not in CONTENT_FORMATS:
            raise ConfigError(
                f"chat: chat_template_content_format is {content_format!r:.80}, expected one of "
                + ", ".join(CONTENT_FORMATS)
            )
        if add_generation_prompt and continue_final_message:
            raise ConfigError(
                "chat: add_generation_prompt and continue_final_message are both True; the last message is left open "
                "with add_generation_prompt=False"
            )
        if template_kwargs is not None and not isinstance(template_kwargs, Mapping):
            raise ConfigError(f"chat: chat_template_kwargs is {template_kwargs!r:.80}, expected a dictionary or None")
        if tools is not None and (isinstance(tools, (str, Mapping)) or not isinstance(tools, Sequence)):
            raise ConfigError(f"chat: tools is {tools!r:.80}, expected a list of dictionaries or None")
        if self._tokenizer is None:
            raise RequestError("chat: there is no tokenizer, whose template makes prompts of messages; use generate")
        template = chat_template or self._template
        if template is None and getattr(self._tokenizer, "chat_template", None) is None:
            raise RequestError("chat: the tokenizer has no chat template; give one as chat_template")
        options = {
            "chat_template": template,
            "add_generation_prompt": add_generation_prompt,
            "continue_final_message": continue_final_message,
            "tools": None if tools is None else list(tools),
            **(template_kwargs or {}),
        }
        texts = []
        for number, conversation in enumerate(conversations_of(messages)):
            read = [
                _message(f"chat: message {place} of conversation {number}", message, content_format)
                for place, message in enumerate(conversation)
            ]
            if not read:
                raise RequestError(f"chat: conversation {number} has no message, expected at least one")
            try:
                texts.append(str(self._tokenizer.apply_chat_template(read, tokenize=False, **options)))
            except Exception as error:  # a template may raise anything
                raise RequestError(f"chat: the template failed on conversation {number}: {error}") from error
        return texts


def _message(where: str, message: Any, content_format: str) -> dict[str, Any]:
    """Return a message as templates expect it: content is a text, arguments of called functions are dictionaries."""
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise RequestError(f"{where} is {message!r:.80}, expected a dictionary with a role and content")
    read = dict(message)
    content = read.get("content")
    if content is not None and not isinstance(content, str):
        if content_format != "openai":
            read["content"] = _text_of(where, content)
        elif not isinstance(content, Sequence):
            raise RequestError(f"{where}: its content is {content!r:.80}, expected a text or a list of parts")
    elif content is None and not read.get("tool_calls"):
        raise RequestError(f"{where} has no content, expected a text or a list of parts")
    else:
        read["content"] = content or ""
    if calls := read.get("tool_calls"):
        if isinstance(calls, (str, Mapping)) or not isinstance(calls, Sequence):
            raise RequestError(f"{where}: its tool_calls is {calls!r:.80}, expected a list of calls")
        read["tool_calls"] = [_call(where, call) for call in calls]
    return read


def _text_of(where: str, parts: Any) -> str:
    """Return the texts of a list of parts, one per line."""
    if not isinstance(parts, Sequence):
        raise RequestError(f"{where}: its content is {parts!r:.80}, expected a text or a list of parts")
    texts = []
    for part in parts:
        text = part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else part
        if not isinstance(text, str):
            raise RequestError(f"{where} has the part {part!r:.80}, expected {{'type': 'text', 'text': ...}}")
        texts.append(text)
    return "\n".join(texts)


def _call(where: str, call: Any) -> Any:
    """Return a call of a function with parsed arguments, which OpenAI's protocol writes as JSON."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{where}: the arguments of a tool call are not JSON that can be read: {error}") from None
    return {**call, "function": {**function, "arguments": arguments}}

"""Chat: makes prompts of conversations by a tokenizer's chat template, as transformers applies it.

Images, sounds and videos of a conversation go to its prompt's `multi_modal_data`, and the template writes their
placeholders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError, RequestError
from torchpaged.models.model import MediaProcessor
from torchpaged.requests.media import DATA

Message = Mapping[str, Any]
Conversation = Sequence[Message]

CONTENT_FORMATS = ("auto", "string", "openai")

# Modality of the parts of a message that are no texts, and the part's field with the item: OpenAI's types, those of
# Anthropic and of transformers, and vLLM's. A field may hold {"url": ...}.
_PARTS = {
    "image_url": ("image", "image_url"),
    "input_image": ("image", "image_url"),
    "image": ("image", "image"),
    "image_pil": ("image", "image_pil"),
    "input_audio": ("audio", "input_audio"),
    "audio_url": ("audio", "audio_url"),
    "audio": ("audio", "audio"),
    "video_url": ("video", "video_url"),
    "video": ("video", "video"),
}
_TEXTS = ("text", "input_text", "output_text")
# A text that no template writes.
_PROBE = "zyxprobexyz"


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
        processor: reads images and sounds; None: conversations have none.
    """

    def __init__(self, tokenizer: Any, template: str | None = None, processor: MediaProcessor | None = None) -> None:
        # A processor may have a template beside its tokenizer's.
        self._tokenizer, self._template = tokenizer, template or getattr(processor, "chat_template", None)
        self._processor = processor
        self._read: dict[tuple[Any, str | None], bool] = {}  # if a template reads lists of parts, by modality

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
    ) -> list[dict[str, Any]]:
        """Return the prompt of each conversation: its text, special tokens included, and its images and sounds.

        Tokenize it without adding special tokens.

        Args:
            messages: a list of messages with "role" and "content", or a list of such lists.
            chat_template: Jinja; None: the reader's, or the tokenizer's.
            content_format: how a "content" that is a list of parts is passed on: their texts and placeholders, one per
                line ("string"), or the list itself for templates that read it ("openai"). "auto": "string" for models
                that read texts only, and else the one that the template is found to read.
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
        prompts = []
        for number, conversation in enumerate(conversations_of(messages)):
            media: dict[str, list[Any]] = {}
            read = [
                self._message(
                    f"chat: message {place} of conversation {number}", message, content_format, template, media
                )
                for place, message in enumerate(conversation)
            ]
            if not read:
                raise RequestError(f"chat: conversation {number} has no message, expected at least one")
            try:
                text = str(self._tokenizer.apply_chat_template(read, tokenize=False, **options))
            except Exception as error:  # a template may raise anything
                raise RequestError(f"chat: the template failed on conversation {number}: {error}") from error
            prompts.append({"prompt": text, DATA: media} if media else {"prompt": text})
        return prompts

    def _message(
        self, where: str, message: Any, content_format: str, template: str | None, media: dict[str, list[Any]]
    ) -> dict[str, Any]:
        """Return a message as templates expect it, and add its images and sounds to `media`."""
        content = message.get("content") if isinstance(message, Mapping) else None
        if self._processor is None or content is None or not isinstance(content, (str, Sequence)):
            return _message(where, message, content_format)
        parts = [
            _part(where, part, self._processor, media) for part in ([content] if isinstance(content, str) else content)
        ]
        kinds = {part["type"] for part in parts} - {"text"}
        if content_format == "auto":
            reads_parts = all(self._reads(template, kind) for kind in kinds or {None})
            is_read = isinstance(content, str) and self._reads(template, "string")
            content_format = "openai" if reads_parts and not is_read else "string"
        if content_format == "openai":
            return _message(where, {**message, "content": parts}, content_format)
        texts = [
            part["text"] if part["type"] == "text" else self._processor.placeholders[part["type"]] for part in parts
        ]
        return _message(where, {**message, "content": "\n".join(texts)}, content_format)

    def _reads(self, template: str | None, kind: str | None) -> bool:
        """Return True if a template renders a message of this kind: found by trying it once.

        Args:
            kind: "string": its content is a text; None: a list of a text; else of an item of this modality and a text.
        """
        key = (template, kind)
        if key not in self._read:
            assert self._processor is not None
            content: Any = [{"type": "text", "text": _PROBE}]
            content = _PROBE if kind == "string" else content if kind is None else [{"type": kind}, *content]
            try:
                text = str(
                    self._tokenizer.apply_chat_template(
                        [{"role": "user", "content": content}], tokenize=False, chat_template=template
                    )
                )
            except Exception:  # a template may raise anything
                text = ""
            has_item = kind in (None, "string") or self._processor.placeholders[kind] in text
            self._read[key] = text.count(_PROBE) == 1 and has_item and "{'type'" not in text
        return self._read[key]


def _part(where: str, part: Any, processor: MediaProcessor, media: dict[str, list[Any]]) -> dict[str, Any]:
    """Return a part of a message as templates read it, and add its item to `media`.

    Raises:
        RequestError: it is no text and none of the model's modalities.
    """
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    modality, name = _PARTS.get(str(kind), (None, ""))
    if modality not in processor.modalities:
        expected = ["{'type': 'text', 'text': ...}", *(_EXPECTED[each] for each in sorted(processor.modalities))]
        raise RequestError(f"{where} has the part {part!r:.80}, expected {', '.join(expected)}")
    media.setdefault(str(modality), []).append(_item(where, part, name))
    return {"type": modality}


_EXPECTED = {
    "image": "{'type': 'image_url', 'image_url': {'url': ...}}",
    "audio": "{'type': 'input_audio', 'input_audio': {'data': ..., 'format': ...}}",
    "video": "{'type': 'video_url', 'video_url': {'url': ...}}",
}


def _item(where: str, part: Mapping[str, Any], name: str) -> Any:
    """Return the item of a part: a URL, or what `multi_modal_data` may hold."""
    given = part.get(name, part.get("url") if name in ("image", "audio", "video") else None)
    if name == "input_audio" and isinstance(given, Mapping):
        data, form = given.get("data"), given.get("format") or "wav"  # None: it is not set
        if not isinstance(form, str):
            raise RequestError(
                f"{where} has the part {dict(part)!r:.80}, whose format is {form!r:.80}, expected a text"
            )
        if isinstance(data, str):
            return data if data[:5].lower() == "data:" else f"data:audio/{form:.20};base64,{data}"
        given = None
    if isinstance(given, Mapping):
        given = given.get("url")
        if not isinstance(given, str):
            given = None
    if given is None:
        raise RequestError(f"{where} has the part {dict(part)!r:.80}, whose {name} has no URL and no data")
    return given


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
            only = "; the model reads texts only" if isinstance(part, Mapping) and part.get("type") in _PARTS else ""
            raise RequestError(f"{where} has the part {part!r:.80}, expected {{'type': 'text', 'text': ...}}{only}")
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

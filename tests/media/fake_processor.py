"""A processor without a model: each image is one placeholder per pixel, each sound one per sample."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from torchpaged.errors import RequestError
from torchpaged.media.items import MediaItem, PromptMedia

IMAGE, AUDIO = "<image>", "<audio>"
IMAGE_ID, AUDIO_ID, FIRST = 3, 4, 5


class FakeProcessor:
    """A `MediaProcessor` whose text tokens are characters, counted from `FIRST`."""

    modalities = frozenset({"image", "audio"})
    placeholders: Mapping[str, str] = {"image": IMAGE, "audio": AUDIO}
    placeholder_ids = frozenset({IMAGE_ID, AUDIO_ID})

    def __init__(self) -> None:
        self.calls: list[tuple[Any, dict[str, list[Any]], dict[str, Any]]] = []

    def process(
        self, label: str, prompt: str | Sequence[int], media: Mapping[str, Sequence[Any]], options: Mapping[str, Any]
    ) -> tuple[list[int], PromptMedia]:
        """Return tokens and items."""
        self.calls.append((prompt, {name: list(items) for name, items in media.items()}, dict(options)))
        left = {name: list(media.get(name, ())) for name in self.placeholders}
        tokens: list[int] = []
        items = []
        for token in self.tokens(prompt) if isinstance(prompt, str) else prompt:
            modality = {IMAGE_ID: "image", AUDIO_ID: "audio"}.get(token)
            if modality is None:
                tokens.append(token)
                continue
            if not left[modality]:
                raise RequestError(f"{label}: more placeholders of {modality} than items")
            item = left[modality].pop(0)
            data = item.tobytes() if modality == "image" else item[0].tobytes()
            count = item.width * item.height if modality == "image" else len(item[0])
            values = {"values": torch.frombuffer(bytearray(data), dtype=torch.uint8)}
            items.append(MediaItem(modality, len(tokens), count, hashlib.sha256(data).hexdigest(), values))
            tokens += [token] * count
        if any(left.values()):
            raise RequestError(f"{label}: more items than placeholders")
        return tokens, PromptMedia(tuple(items))

    def tokens(self, text: str) -> list[int]:
        """Return a text's tokens."""
        for placeholder, token in ((IMAGE, IMAGE_ID), (AUDIO, AUDIO_ID)):
            text = text.replace(placeholder, chr(token))
        return [ord(each) if ord(each) < FIRST else FIRST + ord(each) for each in text]


class FakeTokenizer:
    """A tokenizer of the same tokens, with a chat template."""

    eos_token_id = None

    def __init__(self, template: str | None = None) -> None:
        self.chat_template = template

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        return {"input_ids": FakeProcessor().tokens(text)}

    def decode(self, tokens: Sequence[int], **options: Any) -> str:
        """Return the text."""
        return "".join(chr(max(0, token - FIRST)) for token in tokens)

    def apply_chat_template(self, messages: Any, tokenize: bool = False, **options: Any) -> str:
        """Render the template."""
        from torchpaged.models.chat_template import render

        template = options.pop("chat_template", None) or self.chat_template
        known = ("tools", "add_generation_prompt", "continue_final_message")
        given = {name: options.pop(name) for name in known if name in options}
        return render(template, messages, **given, variables=options)

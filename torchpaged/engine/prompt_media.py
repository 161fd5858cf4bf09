"""Prompts with images and sounds: read by the model's processor, checked, and hashed by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from torchpaged.config import EngineConfig
from torchpaged.errors import RequestError
from torchpaged.kv_cache.block_hash import MultimodalKey
from torchpaged.media.items import PromptMedia
from torchpaged.models.model import PagedModel, media_encoder_of, media_processor_of
from torchpaged.requests.prompts import ReadPrompt

_DATA, _OPTIONS, _UUIDS = "multi_modal_data", "mm_processor_kwargs", "multi_modal_uuids"
_KEYS = ("prompt", "prompt_token_ids", "cache_salt", _DATA, _OPTIONS)


def has_media(prompt: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return True if a prompt has images or sounds."""
    return isinstance(prompt, Mapping) and bool(prompt.get(_DATA))


class MediaReader:
    """Reads prompts with images or sounds. It keeps nothing of them.

    Args:
        model: the model.
        config: of the engine.
    """

    def __init__(self, model: PagedModel, config: EngineConfig) -> None:
        self._spec, self._config = model.spec, config
        self._encoder = media_encoder_of(model)
        self._processor = None if self._encoder is None else media_processor_of(model)

    @property
    def takes_media(self) -> bool:
        """True if the model takes images or sounds."""
        return self._encoder is not None

    def read(self, label: str, prompt: Mapping[str, Any]) -> ReadPrompt:
        """Return the tokens of a prompt, and its images and sounds.

        Raises:
            RequestError: the model takes none, they do not fit the prompt, or cannot be read.
        """
        for key, value in prompt.items():
            if key == _UUIDS and value is not None:
                raise RequestError(
                    f"{label}: the prompt has {_UUIDS}, expected none: images are known by their content here"
                )
            if key not in _KEYS and value is not None:
                raise RequestError(
                    f"{label}: the prompt has {_DATA} and the key {key!r}, expected no more than {', '.join(_KEYS)}"
                )
        self._require_possible(label)
        assert self._processor is not None
        data = prompt[_DATA]
        if not isinstance(data, Mapping):
            raise RequestError(f"{label}: {_DATA} is {data!r:.80}, expected a dictionary such as {{'image': [...]}}")
        items: dict[str, Sequence[Any]] = {}
        for modality, given in data.items():
            if modality not in self._processor.modalities:
                known = ", ".join(sorted(self._processor.modalities))
                raise RequestError(f"{label}: {_DATA} has {modality!r:.80}, and {self._spec.name} takes {known}")
            items[modality] = given if isinstance(given, (list, tuple)) else [given]
        text, tokens, salt = prompt.get("prompt"), prompt.get("prompt_token_ids"), prompt.get("cache_salt")
        for name, value in (("text", text), ("cache_salt", salt)):
            if value is not None and not isinstance(value, str):
                raise RequestError(f"{label}: the prompt's {name} is {value!r:.80}, expected a text or None")
        if text is None and tokens is None:
            raise RequestError(f"{label}: the prompt has {_DATA} alone; give prompt or prompt_token_ids too")
        options = prompt.get(_OPTIONS) or {}
        if not isinstance(options, Mapping):
            raise RequestError(f"{label}: {_OPTIONS} is {options!r:.80}, expected a dictionary or None")
        given = text if tokens is None else list(tokens)
        token_ids, media = self._processor.process(label, given, items, options)
        self._require_window(label, media)
        return ReadPrompt(text, token_ids, cache_salt=salt, media=media)

    def _require_possible(self, label: str) -> None:
        """Raise RequestError if no prompt may have images."""
        if self._encoder is None:
            raise RequestError(f"{label}: the prompt has {_DATA}, and {self._spec.name} takes no images or sounds")
        if self._processor is None:
            raise RequestError(
                f"{label}: the prompt has {_DATA}, and the checkpoint of {self._spec.name} has no processor that reads "
                "images"
            )
        speculation = self._config.speculation
        if speculation is not None and (speculation.model is not None or speculation.method == "mtp"):
            raise RequestError(
                f"{label}: the prompt has {_DATA}, and speculative_config has the method {speculation.method!r}, which "
                "reads tokens only; take 'ngram' or 'suffix', or leave one of them out"
            )

    def _require_window(self, label: str, media: PromptMedia) -> None:
        """Raise RequestError for an image whose tokens see each other and that is larger than a layer's window."""
        if not self._spec.media_attends_both_ways or not media.items:
            return
        windows = [shape.sliding_window for shape in self._spec.layers.values() if not shape.convolution]
        window = min(filter(None, windows), default=0)
        largest = max(media.items, key=lambda item: item.length)
        if window and largest.length > window:
            raise RequestError(
                f"{label}: its {largest.modality} at token {largest.start} has {largest.length} tokens, which see each "
                f"other, and a layer's window has {window}; give a smaller one"
            )

    def require_no_placeholder(self, label: str, token_ids: Sequence[int]) -> None:
        """Raise RequestError for a prompt without images that has a token which stands for one."""
        if self._processor is None or (found := self._processor.placeholder_ids.intersection(token_ids)) == frozenset():
            return
        count = sum(token in found for token in token_ids)
        raise RequestError(
            f"{label}: the prompt has {count} tokens {sorted(found)} that stand for an image or sound, and no "
            f"{_DATA}; give as many as the text names, or leave the tokens out"
        )


def media_keys(media: PromptMedia) -> tuple[MultimodalKey, ...]:
    """Return the cache keys of a prompt's images and sounds."""
    return tuple(MultimodalKey(item.start, item.length, item.content) for item in media.items)

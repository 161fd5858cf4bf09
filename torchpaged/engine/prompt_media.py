"""Prompts with images and sounds: what the engine cannot run, and the keys of their blocks."""

from __future__ import annotations

from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.errors import RequestError
from torchpaged.kv_cache.block_hash import MultimodalKey
from torchpaged.media.items import PromptMedia
from torchpaged.models.model import PagedModel, media_encoder_of, media_processor_of
from torchpaged.requests.media import DATA, has_media


class MediaChecks:
    """Refuses prompts with images or sounds that this engine cannot run.

    Args:
        model: the model.
        config: of the engine.
    """

    def __init__(self, model: PagedModel, config: EngineConfig) -> None:
        self._spec, speculation = model.spec, config.speculation
        self._reason: str | None = None
        if media_processor_of(model) is None:
            unread = "its checkpoint has no processor that reads images" if media_encoder_of(model) else None
            self._reason = getattr(model, "media_refusal", None) or unread
        reads_tokens = speculation is not None and (speculation.model is not None or speculation.method == "mtp")
        self._method = speculation.method if speculation is not None and reads_tokens else None

    def require_processor(self, label: str, prompt: Any) -> None:
        """Raise RequestError for a prompt with images or sounds if the model is known to take none."""
        if self._reason is not None and has_media(prompt):
            raise RequestError(
                f"{label}: the prompt has {DATA}, and {self._spec.name} takes texts alone: {self._reason}"
            )

    def require_possible(self, label: str, media: PromptMedia) -> None:
        """Raise RequestError for images beside a draft model, or larger than a layer's window if they see each other's
        tokens.
        """
        if self._method is not None:
            raise RequestError(
                f"{label}: the prompt has images or sounds, and speculative_config has the method {self._method!r}, "
                "which reads tokens only; take 'ngram' or 'suffix', or leave one of them out"
            )
        if not self._spec.media_attends_both_ways or self._spec.media_sees_in_windows or not media.items:
            return
        windows = [shape.sliding_window for shape in self._spec.layers.values() if not shape.convolution]
        window = min(filter(None, windows), default=0)
        largest = max(media.items, key=lambda item: item.longest_run)
        if window and largest.longest_run > window:
            raise RequestError(
                f"{label}: its {largest.modality} at token {largest.start} has {largest.longest_run} tokens, which see "
                f"each other, and a layer's window has {window}; give a smaller one"
            )


def media_keys(media: PromptMedia) -> tuple[MultimodalKey, ...]:
    """Return the cache keys of a prompt's images and sounds."""
    return tuple(MultimodalKey(item.start, item.length, item.content) for item in media.items)

"""Prompts that are embeddings instead of tokens: read, checked, and hashed by content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeGuard

import torch
from torch import Tensor

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, RequestError
from torchpaged.kv_cache.block_hash import MultimodalKey
from torchpaged.models.model import ModelSpec
from torchpaged.requests.prompts import ReadPrompt

# Placeholder for each token of a prompt of embeddings: no operator counts it or looks it up.
NO_TOKEN = -1
_KEYS = ("prompt_embeds", "prompt", "cache_salt")


def is_embedded(prompt: Any) -> TypeGuard[Mapping[str, Any]]:
    """Return True if a prompt is embeddings."""
    return isinstance(prompt, Mapping) and prompt.get("prompt_embeds") is not None


def require_embeddings(spec: ModelSpec, config: EngineConfig) -> None:
    """Raise ConfigError if prompts may be embeddings and the engine cannot take them."""
    if not config.enable_prompt_embeds:
        return
    if not spec.embedding_size:
        raise ConfigError(
            f"EngineConfig: enable_prompt_embeds is True, but {spec.name} takes only tokens; give a checkpoint of a "
            "decoder of transformers"
        )
    speculation = config.speculation
    if speculation is not None and (speculation.model is not None or speculation.method == "mtp"):
        raise ConfigError(
            f"EngineConfig: enable_prompt_embeds is True and speculative_config has the method {speculation.method!r}, "
            "which reads the prompt's tokens; take 'ngram' or 'suffix', or leave one of them out"
        )


class EmbeddingsReader:
    """Reads prompts of embeddings. It keeps nothing of them.

    Args:
        spec: of the model.
        config: of the engine.
    """

    def __init__(self, spec: ModelSpec, config: EngineConfig) -> None:
        self._spec, self._enabled, self._size = spec, config.enable_prompt_embeds, config.block_size

    def read(self, label: str, prompt: Mapping[str, Any]) -> ReadPrompt:
        """Return the embeddings [num_tokens, embedding_size] in the model's dtype, and as many tokens `NO_TOKEN`.

        Raises:
            RequestError: they are not such numbers, or the prompt has tokens too.
        """
        if not self._enabled:
            raise RequestError(
                f"{label}: the prompt has prompt_embeds, which needs LLM(..., enable_prompt_embeds=True)"
            )
        for key, value in prompt.items():
            if key not in _KEYS and value is not None:
                raise RequestError(
                    f"{label}: the prompt has prompt_embeds and {key!r}, expected no more than {', '.join(_KEYS)}: "
                    "embeddings stand for the whole prompt"
                )
        text, salt = prompt.get("prompt"), prompt.get("cache_salt")
        for name, value in (("text", text), ("cache_salt", salt)):
            if value is not None and not isinstance(value, str):
                raise RequestError(f"{label}: the prompt's {name} is {value!r:.80}, expected a text or None")
        embeds = self._tensor(label, prompt["prompt_embeds"])
        return ReadPrompt(text, [NO_TOKEN] * len(embeds), cache_salt=salt, prompt_embeds=embeds)

    def _tensor(self, label: str, given: Any) -> Tensor:
        width, dtype = self._spec.embedding_size, self._spec.dtype
        expected = f"expected floating-point numbers [num_tokens, {width}]"
        if not isinstance(given, Tensor):
            try:
                given = torch.as_tensor(given)
            except (TypeError, ValueError, RuntimeError):
                raise RequestError(f"{label}: prompt_embeds is a {type(given).__name__}, {expected}") from None
        shape = tuple(given.shape)
        if given.ndim == 3 and given.shape[0] == 1:  # a batch of one
            given = given[0]
        plain = given.layout is torch.strided and given.is_floating_point()
        if not plain or given.ndim != 2 or not len(given) or given.shape[1] != width:
            raise RequestError(f"{label}: prompt_embeds is {given.dtype} of shape {shape}, {expected}")
        embeds: Tensor = given.detach().to("cpu", dtype).contiguous()
        if not torch.isfinite(embeds).all():
            raise RequestError(f"{label}: prompt_embeds has numbers that are not finite in {dtype}")
        return embeds

    def keys(self, embeds: Tensor) -> tuple[MultimodalKey, ...]:
        """Return the hash of each block's rows: prompts share blocks up to the first with different embeddings."""
        size, rows = self._size, embeds.contiguous().view(torch.uint8).numpy()
        return tuple(
            MultimodalKey(first, len(part), hashlib.sha256(part.tobytes()).hexdigest())
            for first in range(0, len(rows), size)
            for part in (rows[first : first + size],)
        )

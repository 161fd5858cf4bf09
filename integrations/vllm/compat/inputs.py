"""vLLM's prompt types: dictionaries with these keys, which `LLM.generate` accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from torchpaged.requests.prompts import Prompt

if TYPE_CHECKING:
    from torch import Tensor

PromptType = Prompt


class TextPrompt(TypedDict, total=False):
    """A prompt given as text."""

    prompt: str
    cache_salt: str


class TokensPrompt(TypedDict, total=False):
    """A prompt given as tokens, and optionally the text to show for them."""

    prompt_token_ids: Sequence[int]
    prompt: str
    cache_salt: str


class EmbedsPrompt(TypedDict, total=False):
    """A prompt given as embeddings [num_tokens, embedding_size], with `LLM(..., enable_prompt_embeds=True)`."""

    prompt_embeds: Tensor
    prompt: str
    cache_salt: str

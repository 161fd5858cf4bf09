"""vLLM's kinds of prompts: dictionaries with these keys, as `LLM.generate` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from torchpaged.requests.prompts import Prompt

if TYPE_CHECKING:
    from torch import Tensor

PromptType = Prompt


class TextPrompt(TypedDict, total=False):
    """A text."""

    prompt: str
    cache_salt: str


class TokensPrompt(TypedDict, total=False):
    """Tokens, and the text that is shown for them."""

    prompt_token_ids: Sequence[int]
    prompt: str
    cache_salt: str


class EmbedsPrompt(TypedDict, total=False):
    """Embeddings [num_tokens, embedding_size], with `LLM(..., enable_prompt_embeds=True)`."""

    prompt_embeds: Tensor
    prompt: str
    cache_salt: str

"""PromptDesk: reads prompts and conversations in a thread of its own, with a tokenizer of its own.

So a long text keeps neither an event loop nor an engine waiting, and no two threads change one tokenizer's settings.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from torchpaged.intake import read_options
from torchpaged.requests.chat import ChatReader
from torchpaged.requests.prompts import Prompt, PromptReader

_T = TypeVar("_T")


class PromptDesk:
    """Makes tokens of texts and texts of tokens, one after the other.

    Args:
        tokenizer: of transformers, which is copied; None: prompts are tokens.
        vocab_size: tokens are 0 to vocab_size - 1.
        chat_template: for conversations; None: the tokenizer's own.

    Attributes:
        tokenizer: the copy.
    """

    def __init__(self, tokenizer: Any, vocab_size: int, chat_template: str | None = None) -> None:
        self.tokenizer = copy.deepcopy(tokenizer)
        self._prompts = PromptReader(self.tokenizer, vocab_size)
        self._chats = ChatReader(self.tokenizer, chat_template)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="torchpaged-prompts")

    async def run(self, function: Callable[..., _T], *args: Any) -> _T:
        """What a function gives in the desk's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)

    async def read(self, label: str, prompt: Prompt, options: Mapping[str, Any] | None) -> tuple[Prompt, Any]:
        """(a prompt of tokens, how many of its last tokens are kept), as of `LLMEngine.add_request`.

        Raises:
            RequestError: no prompt, or one that the tokenizer fails on; errors bear the label.
        """
        of_tokenizer, kept = read_options(label, options)
        if not isinstance(prompt, str) and not (isinstance(prompt, Mapping) and prompt.get("prompt_token_ids") is None):
            return prompt, kept  # tokens, which the engine checks
        read = await self.run(self._prompts.read, label, prompt, of_tokenizer)
        return {"prompt": read.text, "prompt_token_ids": read.token_ids, "cache_salt": read.cache_salt}, kept

    async def chat(self, messages: Any, **options: Any) -> dict[str, Any]:
        """The prompt of one conversation, text and tokens.

        Args:
            options: of `ChatReader.prompts`.

        Raises:
            RequestError: a conversation that no prompt can be made of.
        """
        return await self.run(self._chat, messages, options)

    def _chat(self, messages: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        (text,) = self._chats.prompts([messages], **options)
        # The template has written the special tokens.
        read = self._prompts.read("conversation", text, {"add_special_tokens": False})
        return {"prompt": read.text, "prompt_token_ids": read.token_ids}

    def close(self) -> None:
        """Ends the thread, once it has read what it reads."""
        self._thread.shutdown(wait=False, cancel_futures=True)

"""PromptDesk: reads prompts and conversations in threads of its own, with tokenizers of its own.

So a long text keeps neither an event loop nor an engine waiting, nor short texts that come behind it, and no two
threads change one tokenizer's settings.
"""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from torchpaged.engine.input_processor import read_options
from torchpaged.requests.chat import ChatReader
from torchpaged.requests.prompts import Prompt, PromptReader

_T = TypeVar("_T")

# Letters from which on a text is long: fewer are read in some 30 ms (tokenizers, 2 MB a second).
_LONG = 2**16
# Keys of prompts that need no tokenizer.
_READ_BY_ENGINE = ("prompt_token_ids", "prompt_embeds")
# What a token's text has, about: for those that become one.
_LETTERS_OF_A_TOKEN = 4


class TokenizerPool:
    """Makes tokens of texts and texts of tokens: short ones one after the other, and long ones, beside them.

    Args:
        tokenizer: of transformers, which is copied; None: prompts are tokens.
        vocab_size: tokens are 0 to vocab_size - 1.
        chat_template: for conversations; None: the tokenizer's own.

    Attributes:
        tokenizer: the copy that short texts are read with.
        has_chat_template: whether conversations can be read without a template of their own.
    """

    def __init__(self, tokenizer: Any, vocab_size: int, chat_template: str | None = None) -> None:
        self._short, self._long = (_Lane(name, tokenizer, vocab_size, chat_template) for name in ("short", "long"))
        self.tokenizer = self._short.tokenizer
        self.has_chat_template = bool(chat_template or getattr(tokenizer, "chat_template", None))

    async def read(
        self, label: str, prompt: Prompt, options: Mapping[str, Any] | None
    ) -> tuple[Prompt, dict[str, Any]]:
        """Tokenize a prompt; returns the tokens and how they are truncated, as of `LLMEngine.add_request`.

        Raises:
            RequestError: no prompt, or one that the tokenizer fails on; errors bear the label.
        """
        of_tokenizer, truncation = read_options(label, options)
        read_here = isinstance(prompt, Mapping) and all(prompt.get(name) is None for name in _READ_BY_ENGINE)
        if not isinstance(prompt, str) and not read_here:
            return prompt, truncation  # tokens or embeddings, which the engine checks
        lane = self._lane(prompt)
        read = await lane.run(lane.prompts.read, label, prompt, of_tokenizer)
        return {"prompt": read.text, "prompt_token_ids": read.token_ids, "cache_salt": read.cache_salt}, truncation

    async def chat(self, messages: Any, **options: Any) -> dict[str, Any]:
        """The prompt of one conversation, text and tokens.

        Args:
            options: of `ChatReader.prompts`.

        Raises:
            RequestError: a conversation that no prompt can be made of.
        """
        lane = self._lane([messages, options])
        return await lane.run(lane.chat, messages, options)

    async def text(self, token_ids: Sequence[int]) -> str:
        """What tokens say. There must be a tokenizer."""
        lane = self._long if len(token_ids) * _LETTERS_OF_A_TOKEN >= _LONG else self._short
        return await lane.run(lane.tokenizer.decode, token_ids)

    def _lane(self, value: Any) -> _Lane:
        return self._long if _is_long(value) else self._short

    def close(self) -> None:
        """Ends the threads, once they have read what they read."""
        for lane in (self._short, self._long):
            lane.close()


class _Lane:
    """A thread with a tokenizer: texts are read in it one after the other."""

    def __init__(self, name: str, tokenizer: Any, vocab_size: int, chat_template: str | None) -> None:
        self.tokenizer = copy.deepcopy(tokenizer)
        self.prompts = PromptReader(self.tokenizer, vocab_size)
        self._chats = ChatReader(self.tokenizer, chat_template)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"torchpaged-{name}-prompts")

    async def run(self, function: Callable[..., _T], *args: Any) -> _T:
        """What a function gives in the lane's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)

    def chat(self, messages: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        """The prompt of a conversation; in the thread."""
        (text,) = self._chats.prompts([messages], **options)
        # The template has written the special tokens.
        read = self.prompts.read("conversation", text, {"add_special_tokens": False})
        return {"prompt": read.text, "prompt_token_ids": read.token_ids}

    def close(self) -> None:
        """Ends the thread."""
        if not sys.is_finalizing():  # what shuts it down is half gone then
            self._thread.shutdown(wait=False, cancel_futures=True)


def _is_long(value: Any) -> bool:
    """Whether the texts in lists and dictionaries are long together, each thing counted as a letter too."""
    letters, left = 0, [value]
    while left and letters < _LONG:
        each = left.pop()
        letters += 1
        if isinstance(each, str):
            letters += len(each)
        elif isinstance(each, Mapping):
            letters += len(each)
            left += each.values()
        elif isinstance(each, (list, tuple)):
            letters += len(each)
            left += each
    return letters >= _LONG

"""TokenizerPool: tokenizes prompts and conversations in threads of its own, with tokenizers of its own.

So a long text delays neither an event loop nor an engine nor short texts after it, and no two threads change the
settings of one tokenizer. Images and sounds are fetched and decoded here too, in further threads.
"""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from torchpaged.config import EngineConfig
from torchpaged.engine.input_processor import is_truncated, read_options, truncated_by_tokenizer
from torchpaged.models.fast_tokenizer import FastTokenizer
from torchpaged.models.model import MediaProcessor
from torchpaged.requests.chat import ChatReader
from torchpaged.requests.media import MediaReader, has_addresses, has_media
from torchpaged.requests.prompts import Prompt, PromptReader, ReadPrompt
from torchpaged.utils.daemon_thread import DaemonThread

_T = TypeVar("_T")

# Characters from which on a text is long: fewer are tokenized in about 30 ms (tokenizers, 2 MB a second).
_LONG = 2**16
# Prompts whose images and sounds are fetched from a network at once: threads that mostly wait.
_MOST_FETCHED = 8
# Keys of prompts that need no tokenizer: the engine reads these.
_READ_BY_ENGINE = ("prompt_token_ids", "prompt_embeds")
# Options of the tokenizer for a conversation's prompt: the template has written the special tokens already.
_OF_CONVERSATIONS = {"add_special_tokens": False}
# Average characters per token, to estimate the length of a text from its tokens.
_CHARS_PER_TOKEN = 4


class TokenizerPool:
    """Converts texts to tokens and back: short ones in one thread, long ones in another.

    Prompts with images or sounds are read in a third thread, one after the other, which bounds the memory for decoded
    items; those with items that are fetched from a network wait for them in threads of their own.

    Args:
        tokenizer: of transformers, which is copied; None: prompts are tokens.
        vocab_size: tokens are 0 to vocab_size - 1.
        chat_template: for conversations; None: the tokenizer's own.
        max_encoder_len: most tokens of a text of an encoder, whose texts the tokenizer truncates; None: the engine
            truncates.
        media_processor: reads images and sounds; None: prompts have none.
        config: of the engine; needed with `media_processor`.

    Attributes:
        tokenizer: the copy for short texts.
        has_chat_template: True if there is a template for conversations.
    """

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        chat_template: str | None = None,
        max_encoder_len: int | None = None,
        media_processor: MediaProcessor | None = None,
        config: EngineConfig | None = None,
    ) -> None:
        self._max_encoder_len = max_encoder_len
        if isinstance(tokenizer, FastTokenizer):  # the first prompt shall not wait for its vocabulary
            tokenizer.prefetch()
        # A copy, because an engine in another thread of this process uses the processor too.
        processor = copy.deepcopy(media_processor)
        reader = None if processor is None or config is None else MediaReader(processor, config)
        self._short, self._long, *more = (
            _Lane(name, tokenizer, vocab_size, chat_template, processor, reader)
            for name in ("short", "long", *(["media"] if reader is not None else []))
        )
        self._media = more[0] if more else self._short
        self._reads_media = reader is not None
        self._fetching = ThreadPoolExecutor(_MOST_FETCHED, thread_name_prefix="torchpaged-fetched-media")
        self.tokenizer = self._short.tokenizer
        self.has_chat_template = bool(chat_template or getattr(tokenizer, "chat_template", None))

    async def read(
        self,
        label: str,
        prompt: Prompt,
        options: Mapping[str, Any] | None,
        *,
        longest: int | None = None,
    ) -> tuple[Prompt, dict[str, Any]]:
        """Tokenize a prompt, and read its images and sounds.

        Returns the tokens and how they are truncated, as of `LLMEngine.add_request`.

        Args:
            longest: as of `PromptReader.read`, unless `options` say how it is truncated.

        Raises:
            RequestError: no prompt, or one that the tokenizer fails on; errors bear the label.
        """
        of_tokenizer, truncation = read_options(label, options)
        read_here = isinstance(prompt, Mapping) and all(prompt.get(name) is None for name in _READ_BY_ENGINE)
        if not isinstance(prompt, str) and not read_here and not self._has_media(prompt):
            return prompt, truncation  # tokens or embeddings, which the engine checks
        if self._max_encoder_len is not None:
            of_tokenizer, truncation = truncated_by_tokenizer(label, of_tokenizer, truncation, self._max_encoder_len)
        read = await self._read(label, prompt, of_tokenizer, None if is_truncated(truncation, None) else longest)
        found: dict[str, Any] = {
            "prompt": read.text,
            "prompt_token_ids": read.token_ids,
            "cache_salt": read.cache_salt,
        }
        if read.media is not None:
            found["media"] = read.media
        return found if read.token_types is None else {**found, "token_type_ids": read.token_types}, truncation

    async def _read(
        self, label: str, prompt: Prompt, options: Mapping[str, Any], longest: int | None = None
    ) -> ReadPrompt:
        if not self._has_media(prompt):
            lane = self._lane(prompt)
            return await lane.run(partial(lane.prompts.read, longest=longest), label, prompt, options)
        assert isinstance(prompt, Mapping)
        thread: Executor = self._fetching if has_addresses(prompt) else self._media.thread
        read = partial(self._media.prompts.read, longest=longest)
        return await asyncio.get_running_loop().run_in_executor(thread, read, label, prompt, options)

    def _has_media(self, prompt: Prompt) -> bool:
        return self._reads_media and has_media(prompt)

    async def chat(self, messages: Any, *, longest: int | None = None, **options: Any) -> dict[str, Any]:
        """Return the prompt of a conversation, as text and tokens, with its images and sounds.

        Args:
            longest: as of `PromptReader.read`.
            options: of `ChatReader.prompts`.

        Raises:
            RequestError: a conversation that cannot be made a prompt.
        """
        lane = self._lane([messages, options])
        prompt = await lane.run(lane.chat, messages, options, longest)
        if not has_media(prompt):
            return prompt
        read = await self._read("conversation", prompt, _OF_CONVERSATIONS, longest)
        return {"prompt": read.text, "prompt_token_ids": read.token_ids, "media": read.media}

    async def text(self, token_ids: Sequence[int]) -> str:
        """Return the text of tokens. There must be a tokenizer."""
        lane = self._long if len(token_ids) * _CHARS_PER_TOKEN >= _LONG else self._short
        return await lane.run(lane.tokenizer.decode, token_ids)

    def _lane(self, value: Any) -> _Lane:
        return self._long if _is_long(value) else self._short

    def close(self) -> None:
        """End the threads after their current texts."""
        for lane in (self._short, self._long, self._media):
            lane.close()
        if not sys.is_finalizing():
            self._fetching.shutdown(wait=False, cancel_futures=True)


class _Lane:
    """A thread with a tokenizer, which processes texts in order."""

    def __init__(
        self,
        name: str,
        tokenizer: Any,
        vocab_size: int,
        chat_template: str | None,
        processor: MediaProcessor | None,
        reader: MediaReader | None,
    ) -> None:
        self.tokenizer = copy.deepcopy(tokenizer)
        self.prompts = PromptReader(self.tokenizer, vocab_size, media=reader)
        self._chats = ChatReader(self.tokenizer, chat_template, processor)
        self.thread = DaemonThread(f"torchpaged-{name}-prompts")  # a text of megabytes may take a minute

    async def run(self, function: Callable[..., _T], *args: Any) -> _T:
        """Call a function in the lane's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, function, *args)

    def chat(self, messages: Any, options: Mapping[str, Any], longest: int | None) -> dict[str, Any]:
        """Return the prompt of a conversation, tokenized unless it has images or sounds; called in the thread."""
        (prompt,) = self._chats.prompts([messages], **options)
        if has_media(prompt):
            return prompt
        read = self.prompts.read("conversation", prompt, _OF_CONVERSATIONS, longest=longest)
        return {"prompt": read.text, "prompt_token_ids": read.token_ids}

    def close(self) -> None:
        """End the thread."""
        if not sys.is_finalizing():  # then parts of the executor's module may be gone
            self.thread.shutdown(wait=False, cancel_futures=True)


def _is_long(value: Any) -> bool:
    """Return True if the texts in lists and dictionaries are long together; each item counts as a character too."""
    chars, left = 0, [value]
    while left and chars < _LONG:
        each = left.pop()
        chars += 1
        if isinstance(each, str):
            chars += len(each)
        elif isinstance(each, Mapping):
            chars += len(each)
            left += each.values()
        elif isinstance(each, (list, tuple)):
            chars += len(each)
            left += each
    return chars >= _LONG

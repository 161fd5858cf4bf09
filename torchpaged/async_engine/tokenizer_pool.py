"""TokenizerPool: tokenizes prompts and conversations in threads of its own, with tokenizers of its own.

So a long text delays neither an event loop nor an engine nor shorter texts after it, and no two threads change the
settings of one tokenizer. Images and sounds are fetched and decoded here too, in further threads.
"""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from enum import Enum
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
# Characters from which on a text is huge: it takes seconds.
_HUGE = 2**20
# Most characters of a text for each token of max_model_len, unless they are fewer than `_HUGE`: a text of 16 MB would
# take a minute, and nearly all of its tokens would be cut off.
_MOST_CHARS_PER_TOKEN = 64
# Prompts whose images and sounds are fetched from a network at once: threads that mostly wait.
_MOST_FETCHED = 8
# Keys of prompts that need no tokenizer: the engine reads these.
_READ_BY_ENGINE = ("prompt_token_ids", "prompt_embeds")
# Options of the tokenizer for a conversation's prompt: the template has written the special tokens already.
_OF_CONVERSATIONS = {"add_special_tokens": False}
# Average characters per token, to estimate the length of a text from its tokens.
_CHARS_PER_TOKEN = 4


class Length(Enum):
    """How long a text may be: BOUNDED by `max_model_len` times 64 characters, WHOLE: no longer than the model's context
    either, FREE: as long as it is.
    """

    BOUNDED, WHOLE, FREE = range(3)

    @classmethod
    def of(cls, truncated: bool) -> Length:
        """Return the length of a prompt that is truncated to fit, or else must fit."""
        return cls.BOUNDED if truncated else cls.WHOLE


class TokenizerPool:
    """Converts texts to tokens and back: short ones in one thread, long ones in another, huge ones in a third.

    Prompts with images or sounds are read in a thread of their own, one after the other, which bounds the memory for
    decoded items; those with items that are fetched from a network wait for them in threads of their own.

    Args:
        tokenizer: of transformers, which is copied; None: prompts are tokens.
        vocab_size: tokens are 0 to vocab_size - 1.
        chat_template: for conversations; None: the tokenizer's own.
        max_model_len: most tokens of a prompt.
        truncates: if the tokenizer truncates texts, as an encoder's does, and not the engine.
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
        *,
        max_model_len: int,
        truncates: bool = False,
        media_processor: MediaProcessor | None = None,
        config: EngineConfig | None = None,
    ) -> None:
        self._max_model_len, self._truncates = max_model_len, truncates
        self._most_characters = max(_HUGE, _MOST_CHARS_PER_TOKEN * max_model_len)
        if isinstance(tokenizer, FastTokenizer):  # the first prompt shall not wait for its vocabulary
            tokenizer.prefetch()
        # A copy, because an engine in another thread of this process uses the processor too.
        processor = copy.deepcopy(media_processor)
        reader = None if processor is None or config is None else MediaReader(processor, config)
        self._short, self._long, self._huge, *more = (
            _Lane(name, tokenizer, vocab_size, chat_template, processor, reader)
            for name in ("short", "long", "huge", *(["media"] if reader is not None else []))
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
        length: Length = Length.WHOLE,
    ) -> tuple[Prompt, dict[str, Any]]:
        """Tokenize a prompt, and read its images and sounds.

        Returns the tokens and how they are truncated, as of `LLMEngine.add_request`.

        Args:
            length: of a text, unless `options` say how it is truncated.

        Raises:
            RequestError: no prompt, a text that is too long, or one that the tokenizer fails on; errors bear the label.
        """
        of_tokenizer, truncation = read_options(label, options)
        read_here = isinstance(prompt, Mapping) and all(prompt.get(name) is None for name in _READ_BY_ENGINE)
        if not isinstance(prompt, str) and not read_here and not self._has_media(prompt):
            return prompt, truncation  # tokens or embeddings, which the engine checks
        if length is Length.WHOLE and is_truncated(truncation, None):
            length = Length.BOUNDED
        if self._truncates:
            of_tokenizer, truncation = truncated_by_tokenizer(label, of_tokenizer, truncation, self._max_model_len)
        read = await self._read(label, prompt, of_tokenizer, length)
        found: dict[str, Any] = {
            "prompt": read.text,
            "prompt_token_ids": read.token_ids,
            "cache_salt": read.cache_salt,
        }
        if read.media is not None:
            found["media"] = read.media
        return found if read.token_types is None else {**found, "token_type_ids": read.token_types}, truncation

    async def _read(self, label: str, prompt: Prompt, options: Mapping[str, Any], length: Length) -> ReadPrompt:
        limits = self._limits(length)
        if not self._has_media(prompt):
            lane = self._lane(prompt)
            return await lane.run(partial(lane.prompts.read, **limits), label, prompt, options)
        assert isinstance(prompt, Mapping)
        thread: Executor = self._fetching if has_addresses(prompt) else self._media.thread
        read = partial(self._media.prompts.read, **limits)
        return await asyncio.get_running_loop().run_in_executor(thread, read, label, prompt, options)

    def _has_media(self, prompt: Prompt) -> bool:
        return self._reads_media and has_media(prompt)

    def _limits(self, length: Length) -> dict[str, Any]:
        """Return arguments of `PromptReader.read`."""
        return {
            "longest": self._max_model_len if length is Length.WHOLE else None,
            "most_characters": None if length is Length.FREE else self._most_characters,
        }

    async def chat(self, messages: Any, *, length: Length = Length.WHOLE, **options: Any) -> dict[str, Any]:
        """Return the prompt of a conversation, as text and tokens, with its images and sounds.

        Args:
            length: of its text.
            options: of `ChatReader.prompts`.

        Raises:
            RequestError: a conversation that cannot be made a prompt.
        """
        lane = self._lane([messages, options])
        prompt = await lane.run(lane.chat, messages, options, self._limits(length))
        if not has_media(prompt):
            return prompt
        read = await self._read("conversation", prompt, _OF_CONVERSATIONS, length)
        return {"prompt": read.text, "prompt_token_ids": read.token_ids, "media": read.media}

    async def text(self, token_ids: Sequence[int]) -> str:
        """Return the text of tokens. There must be a tokenizer."""
        lane = self._lane_for(len(token_ids) * _CHARS_PER_TOKEN)
        return await lane.run(lane.tokenizer.decode, token_ids)

    def _lane(self, value: Any) -> _Lane:
        return self._lane_for(_num_characters(value))

    def _lane_for(self, num_characters: int) -> _Lane:
        return self._short if num_characters < _LONG else self._long if num_characters < _HUGE else self._huge

    def close(self) -> None:
        """End the threads after their current texts."""
        for lane in (self._short, self._long, self._huge, self._media):
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

    def chat(self, messages: Any, options: Mapping[str, Any], limits: Mapping[str, int | None]) -> dict[str, Any]:
        """Return the prompt of a conversation, tokenized unless it has images or sounds; called in the thread."""
        (prompt,) = self._chats.prompts([messages], **options)
        if has_media(prompt):
            return prompt
        read = self.prompts.read("conversation", prompt, _OF_CONVERSATIONS, **limits)
        return {"prompt": read.text, "prompt_token_ids": read.token_ids}

    def close(self) -> None:
        """End the thread."""
        if not sys.is_finalizing():  # then parts of the executor's module may be gone
            self.thread.shutdown(wait=False, cancel_futures=True)


def _num_characters(value: Any) -> int:
    """Count characters in lists and dictionaries, up to those of a huge text; each item counts as one too."""
    chars, left = 0, [value]
    while left and chars < _HUGE:
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
    return chars

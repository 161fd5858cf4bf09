"""Detokenizer: a completion's text as its tokens come, and the stop strings in it. Owns one completion's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_UNFINISHED = "\ufffd"  # what a tokenizer prints for the beginning of a multi-byte character


class Detokenizer:
    """Decodes incrementally: each step decodes a few tokens, not the whole text.

    A token's text can depend on its left neighbour, so a window of tokens is decoded with and without the new one,
    and the difference is the new text; it waits while that difference ends inside a character.

    Args:
        tokenizer: of transformers, or None when only tokens are wanted.
        prompt_token_ids: the last of them are the first token's context.
        stop: strings that end the text.
        min_tokens: tokens before stop strings count.
    """

    def __init__(
        self, tokenizer: Any, prompt_token_ids: Sequence[int], stop: Sequence[str] = (), min_tokens: int = 0
    ) -> None:
        self.text = ""
        self._tokenizer, self._stop, self._min_tokens = tokenizer, tuple(stop), min_tokens
        self._tokens = list(prompt_token_ids[-6:])
        self._num_context = len(self._tokens)
        self._from, self._read = 0, len(self._tokens)

    def append(self, token_ids: Sequence[int]) -> str | None:
        """Takes new tokens; returns the stop string that the text has reached, and cuts the text before it."""
        if self._tokenizer is None:
            return None
        self._tokens.extend(token_ids)
        before = self._decode(self._tokens[self._from : self._read])
        now = self._decode(self._tokens[self._from :])
        if len(now) <= len(before) or now.endswith(_UNFINISHED):
            return None
        return self._take(now[len(before) :])

    def finish(self) -> str | None:
        """Adds what was held back, even inside a character."""
        if self._tokenizer is None or self._read == len(self._tokens):
            return None
        before = self._decode(self._tokens[self._from : self._read])
        return self._take(self._decode(self._tokens[self._from :])[len(before) :])

    def _take(self, new: str) -> str | None:
        self._from, self._read = self._read, len(self._tokens)
        start = len(self.text)
        self.text += new
        if len(self._tokens) - self._num_context < self._min_tokens:
            return None
        found = None
        for stop in self._stop:
            at = self.text.find(stop, max(0, start - len(stop) + 1))
            if at >= 0 and (found is None or at < found[0]):
                found = (at, stop)
        if found is None:
            return None
        self.text = self.text[: found[0]]
        return found[1]

    def _decode(self, tokens: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text

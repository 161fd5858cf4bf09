"""Completion: one text in the making: tokens, text, logprobs, and what of it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchpaged.outputs import CompletionOutput, Logprob, Logprobs, copied
from torchpaged.requests.detokenizer import Detokenizer
from torchpaged.scheduling.step import TokenLogprobs


class Completion:
    """Grows token by token, and gives values that nobody changes afterwards.

    What was shown is never taken back: the text that is shown ends before what may be the beginning of a stop string.

    Args:
        index: which of the request's it is.
        detokenizer: of its text.
        logprobs: what those of its tokens are collected in; None: they are not reported.
        ranked: whether their sum is needed, reported or not.
    """

    def __init__(
        self, index: int, detokenizer: Detokenizer, *, logprobs: Logprobs | None, ranked: bool = False
    ) -> None:
        self.index = index
        self.token_ids: list[int] = []
        self.cumulative_logprob = 0.0
        self.finish_reason: str | None = None
        self.stop_reason: str | int | None = None
        self.error: str | None = None
        self.changed = False
        self._detokenizer = detokenizer
        self._logprobs = logprobs
        self._sums = logprobs is not None or ranked
        self._num_shown_tokens = self._num_shown_letters = 0

    @property
    def was_shown(self) -> bool:
        """Whether some of its tokens were."""
        return self._num_shown_tokens > 0

    @property
    def finished(self) -> bool:
        """Whether no more tokens will come."""
        return self.finish_reason is not None

    def append(self, token: int, *, hidden: bool, logprobs: TokenLogprobs | None, names: TokenNames) -> bool:
        """Takes a token; True when a stop string has ended the text with it.

        Args:
            hidden: the token is no text: it has ended the sequence.
            logprobs: its own and the alternatives'.
            names: of tokens.
        """
        self.changed = True
        self.token_ids.append(token)
        if logprobs is not None:
            self.cumulative_logprob += logprobs[token][0]
            if self._logprobs is not None:
                self._logprobs.append(names.logprobs(logprobs))
        if hidden:
            return False
        return self._stopped(self._detokenizer.append((token,)))

    def finish(self, reason: str, stop_reason: int | None = None, error: str | None = None) -> None:
        """Ends it, unless a stop string has. What was held back belongs to the text."""
        if self.finished:
            return
        self.changed = True
        if reason in ("stop", "length") and self._stopped(self._detokenizer.finish()):
            return
        self.finish_reason, self.stop_reason, self.error = reason, stop_reason, error

    def _stopped(self, found: str | None) -> bool:
        if found is not None:
            self.finish_reason, self.stop_reason = "stop", found
        return found is not None

    def show(self, *, delta: bool) -> CompletionOutput:
        """All there is so far, or what came since it was shown last.

        Args:
            delta: tokens, text and logprobs that were not shown; else all.
        """
        self.changed = False
        text = self._detokenizer.text if self.finished else self._detokenizer.safe_text
        first, letter = (self._num_shown_tokens, self._num_shown_letters) if delta else (0, 0)
        self._num_shown_tokens, self._num_shown_letters = len(self.token_ids), len(text)
        return CompletionOutput(
            self.index,
            text[letter:],
            self.token_ids[first:],
            None if self._logprobs is None else copied(self._logprobs, first),
            self.cumulative_logprob if self._sums else None,
            finish_reason=self.finish_reason,
            stop_reason=self.stop_reason,
            error=self.error,
        )


class TokenNames:
    """What tokens are called: each is decoded once.

    Args:
        tokenizer: of transformers; None: tokens have no names.
    """

    # More than a vocabulary has: where logprobs of all tokens are wanted, no name is made twice.
    _MOST = 1 << 20

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, str] = {}

    def logprobs(self, row: TokenLogprobs) -> dict[int, Logprob]:
        """The alternatives of one position with their names."""
        return {token: Logprob(value, rank, self._name(token)) for token, (value, rank) in row.items()}

    def all_logprobs(self, rows: Sequence[TokenLogprobs]) -> list[dict[int, Logprob]]:
        """Of several positions."""
        return [self.logprobs(row) for row in rows]

    def _name(self, token: int) -> str | None:
        if self._tokenizer is None:
            return None
        if (name := self._known.get(token)) is None:
            if len(self._known) >= self._MOST:
                self._known.clear()
            name = self._known[token] = str(self._tokenizer.decode([token]))
        return name

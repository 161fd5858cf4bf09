"""Completion: a text under way, with its tokens and logprobs, and how much of it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchpaged.outputs import CompletionOutput, Logprob, Logprobs, WeightVersionSpan, copied
from torchpaged.requests.detokenizer import Detokenizer
from torchpaged.scheduling.step import TokenLogprobs


class Completion:
    """Grows token by token, and returns values that do not change afterwards.

    Shown text is never taken back: it ends before what may be the beginning of a stop string.

    Args:
        index: its number in the request.
        detokenizer: makes its text.
        logprobs: collects the logprobs of its tokens; None: they are not reported.
        ranked: if the sum of logprobs is needed even if they are not reported.
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
        self._num_shown_tokens = self._num_shown_chars = 0
        self._versions = WeightVersions()

    @property
    def was_shown(self) -> bool:
        """True if any of its tokens were shown."""
        return self._num_shown_tokens > 0

    @property
    def finished(self) -> bool:
        """True if no more tokens will come."""
        return self.finish_reason is not None

    def append(
        self, token: int, *, hidden: bool, logprobs: TokenLogprobs | None, names: TokenNames, weight_version: str
    ) -> bool:
        """Append a token; return True if a stop string has ended the text with it.

        Args:
            hidden: the token is not part of the text: it has ended the sequence.
            logprobs: of the token and its alternatives.
            names: texts of tokens.
            weight_version: name of the weights that it was drawn with.
        """
        self.changed = True
        self._versions.note(weight_version, len(self.token_ids))
        self.token_ids.append(token)
        if logprobs is not None:
            self.cumulative_logprob += logprobs[token][0]
            if self._logprobs is not None:
                self._logprobs.append(names.logprobs(logprobs))
        if hidden:
            return False
        return self._stopped(self._detokenizer.append((token,)))

    def finish(self, reason: str, stop_reason: int | None = None, error: str | None = None) -> None:
        """End it, unless a stop string has. Text that was held back is shown."""
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
        """Return an output.

        Args:
            delta: only tokens, text and logprobs that were not shown yet; otherwise everything.
        """
        self.changed = False
        text = self._detokenizer.text if self.finished else self._detokenizer.safe_text
        first, char = (self._num_shown_tokens, self._num_shown_chars) if delta else (0, 0)
        self._num_shown_tokens, self._num_shown_chars = len(self.token_ids), len(text)
        told = self.finished or self._versions.several
        spans = self._versions.spans(len(self.token_ids)) if told else None
        return CompletionOutput(
            self.index,
            text[char:],
            self.token_ids[first:],
            None if self._logprobs is None else copied(self._logprobs, first),
            self.cumulative_logprob if self._sums else None,
            finish_reason=self.finish_reason,
            stop_reason=self.stop_reason,
            error=self.error,
            weight_versions=spans,
        )


class WeightVersions:
    """Names of the weights that drew a completion's tokens.

    Args:
        starts: each name, and the first token of its run.
    """

    __slots__ = ("_current", "_starts")

    def __init__(self, starts: Sequence[tuple[str, int]] = ()) -> None:
        self._starts = list(starts)
        self._current = self._starts[-1][0] if self._starts else None

    @property
    def several(self) -> bool:
        """True if the tokens have more than one name."""
        return len(self._starts) > 1

    def note(self, version: str, place: int) -> None:
        """Note the name for the tokens from `place` on."""
        if version != self._current:
            self._current = version
            self._starts.append((version, place))

    def forked(self) -> WeightVersions:
        """Return a copy, for a completion that begins with the same tokens."""
        return WeightVersions(self._starts)

    def spans(self, num_tokens: int) -> list[WeightVersionSpan]:
        """Return the runs of the first `num_tokens` tokens."""
        ends = [start for _, start in self._starts[1:]] + [num_tokens]
        return [WeightVersionSpan(*begin, end) for begin, end in zip(self._starts, ends, strict=False)]


class TokenNames:
    """Texts of single tokens; each is decoded once.

    Args:
        tokenizer: of transformers; None: tokens have no texts.
    """

    # More than a vocabulary has, so that requests for logprobs of all tokens decode none twice.
    _MOST = 1 << 20

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, str] = {}

    def logprobs(self, row: TokenLogprobs) -> dict[int, Logprob]:
        """Return the alternatives at one position, with texts."""
        return {token: Logprob(value, rank, self._name(token)) for token, (value, rank) in row.items()}

    def all_logprobs(self, rows: Sequence[TokenLogprobs]) -> list[dict[int, Logprob]]:
        """Return the alternatives at several positions."""
        return [self.logprobs(row) for row in rows]

    def _name(self, token: int) -> str | None:
        if self._tokenizer is None:
            return None
        if (name := self._known.get(token)) is None:
            if len(self._known) >= self._MOST:
                self._known.clear()
            name = self._known[token] = str(self._tokenizer.decode([token]))
        return name

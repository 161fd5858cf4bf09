"""Detokenizer: makes a completion's text from its tokens as they come, and finds the stop strings in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torchpaged.requests.stop_strings import StopStrings

try:
    from tokenizers.decoders import DecodeStream
except ImportError:  # then only tokens can be wanted
    DecodeStream = None  # type: ignore[misc, assignment]

_UNFINISHED = "\ufffd"  # what a tokenizer prints for the beginning of a multi-byte character
# Number of tokens before a token that its text may depend on.
_CONTEXT = 6
# Most tokens held before they are examined: a character has four bytes, so most of so many cannot be its beginning.
_MOST_HELD = 16


@dataclass(frozen=True, slots=True)
class Spelling:
    """Options of decoding, as in `SamplingParams`."""

    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True


PLAIN = Spelling()


class Detokenizer:
    """Decodes incrementally: each step decodes a few tokens, not the whole text.

    Args:
        tokenizer: of transformers; None: only tokens are wanted. One with a fast tokenizer decodes through
            `tokenizers.DecodeStream`.
        prompt_token_ids: the prompt, whose last tokens are the context of the first one.
        stop: strings that end the text; completions of one request may share them.
        min_tokens: number of tokens before stop strings count.
        keep_stop: if the stop string belongs to the text.
        options: how tokens are spelled.
    """

    def __init__(
        self,
        tokenizer: Any,
        prompt_token_ids: Sequence[int],
        stop: StopStrings | None = None,
        min_tokens: int = 0,
        *,
        keep_stop: bool = False,
        options: Spelling = PLAIN,
    ) -> None:
        self.text = ""
        self._stop, self._state = stop, None if stop is None else stop.root
        self._min_tokens, self._num_tokens = min_tokens, 0
        self._keep_stop = keep_stop
        self._pieces = None if tokenizer is None else _Pieces(tokenizer, prompt_token_ids[-_CONTEXT:], options)

    @property
    def safe_text(self) -> str:
        """The text without what may be the beginning of a stop string at its end."""
        if self._state is None or self._keep_stop:  # a stop string that is kept is never taken back
            return self.text
        return self.text[: len(self.text) - self._state.num_open]

    def append(self, token_ids: Sequence[int]) -> str | None:
        """Append tokens; return the stop string that the text has reached, where the text is cut."""
        if self._pieces is None:
            return None
        self._num_tokens += len(token_ids)
        return self._take(self._pieces.push(token_ids))

    def finish(self) -> str | None:
        """Append the text that was held back, even inside a character."""
        return None if self._pieces is None else self._take(self._pieces.flush())

    def _take(self, new: str) -> str | None:
        start = len(self.text)
        self.text += new
        if self._stop is None or self._state is None:
            return None
        self._state, found = self._stop.search(self._state, new)
        if found is None or self._num_tokens < self._min_tokens:
            return None
        end, stop = start + found[0], self._stop.strings[found[1]]
        self.text = self.text[: end if self._keep_stop else end - len(stop)]
        return stop


class _Stream(Protocol):
    """Decodes tokens one by one; the text of the last ones is held back while it ends inside a character."""

    def step(self, token: int) -> str | None: ...


class _Pieces:
    """Pieces of a text, as tokens complete them.

    A token's text can depend on the tokens before it, and a character can span several tokens. So tokens are held until
    their text does not end inside a character. Bytes that are not a character at all would be held forever, and decoded
    again with each further one: if many are held, those that nothing can complete are released.
    """

    _past: list[int]
    _held: list[int]
    _stream: _Stream

    def __init__(self, tokenizer: Any, context: Sequence[int], options: Spelling) -> None:
        self._tokenizer, self._options = tokenizer, options
        self._begin(context)

    def push(self, token_ids: Sequence[int]) -> str:
        """Return the text that became complete."""
        text = ""
        for token in token_ids:
            self._held.append(token)
            try:
                new = self._stream.step(token)
            except Exception:  # the library's stream fails if the text no longer begins with what it was
                text += self.flush()
                continue
            if new is not None:
                text += new
                self._past, self._held = [*self._past, *self._held][-_CONTEXT:], []
            elif len(self._held) >= _MOST_HELD:
                text += self._release()
        return text

    def flush(self) -> str:
        """Return the text of the held tokens, complete or not."""
        text = self._text_of(self._held)
        self._begin([*self._past, *self._held])
        return text

    def _release(self) -> str:
        """Return the text of all held tokens but the last few, if it does not depend on these."""
        whole = self._text_of(self._held)
        for last in range(1, 5):
            first, rest = self._held[:-last], self._held[-last:]
            text = self._text_of(first)
            if text + self._decode(rest) == whole:
                self._begin([*self._past, *first])
                self.push(rest)
                return text
        return ""

    def _text_of(self, tokens: Sequence[int]) -> str:
        """Return what tokens add to the text after the past."""
        context = self._context()
        before = self._decode(context)
        return self._decode([*context, *tokens])[len(before) :]

    def _decode(self, tokens: Sequence[int]) -> str:
        return _decode(self._tokenizer, tokens, self._options)

    def _begin(self, past: Sequence[int]) -> None:
        self._past, self._held = list(past[-_CONTEXT:]), []
        self._stream = _stream(self._tokenizer, self._context(), self._options)

    def _context(self) -> list[int]:
        """Return the longest end of the past that begins and ends with whole characters: others may be spelled as
        bytes.
        """
        starts = (self._past[first:] for first in range(len(self._past)))
        return next((each for each in starts if _is_whole(self._tokenizer, each, self._options)), [])


def _stream(tokenizer: Any, context: Sequence[int], options: Spelling) -> _Stream:
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if fast is None or DecodeStream is None:
        return _Window(tokenizer, context, options)
    return _Fast(fast, context, options)


class _Fast:
    """`DecodeStream` of tokenizers, which is written in Rust."""

    def __init__(self, tokenizer: Any, context: Sequence[int], options: Spelling) -> None:
        self._tokenizer = tokenizer
        self._stream = DecodeStream(ids=list(context), skip_special_tokens=options.skip_special_tokens)
        # Texts of special tokens, to join them without the space that the library puts between two of them.
        self._close: Mapping[int, str] = {}
        self._last: int | None = context[-1] if context else None
        if not (options.skip_special_tokens or options.spaces_between_special_tokens):
            self._close = {id: each.content for id, each in tokenizer.get_added_tokens_decoder().items()}

    def step(self, token: int) -> str | None:
        """Return the text that became complete."""
        text: str | None = self._stream.step(self._tokenizer, token)
        if text is not None and token in self._close and self._last in self._close:
            text = self._close[token]
        self._last = token
        return text


class _Window:
    """The same for any tokenizer: a window of tokens is decoded with and without the new one."""

    def __init__(self, tokenizer: Any, context: Sequence[int], options: Spelling) -> None:
        self._tokenizer, self._options = tokenizer, options
        self._tokens, self._read = list(context), len(context)

    def step(self, token: int) -> str | None:
        """Return the text that became complete."""
        self._tokens.append(token)
        before = _decode(self._tokenizer, self._tokens[: self._read], self._options)
        now = _decode(self._tokenizer, self._tokens, self._options)
        if len(now) <= len(before) or now.endswith(_UNFINISHED):
            return None
        self._tokens = self._tokens[self._read :]
        self._read = len(self._tokens)
        return now[len(before) :]


def _is_whole(tokenizer: Any, tokens: Sequence[int], options: Spelling) -> bool:
    """Return True if tokens can be a context: a prompt that the tokenizer cannot decode is not used."""
    try:
        return _UNFINISHED not in _decode(tokenizer, tokens, options)
    except Exception:
        return False


def _decode(tokenizer: Any, tokens: Sequence[int], options: Spelling) -> str:
    more: dict[str, Any] = {}
    if not options.spaces_between_special_tokens:  # only then, because not every tokenizer takes this option
        more["spaces_between_special_tokens"] = False
    text: str = tokenizer.decode(
        list(tokens),
        skip_special_tokens=options.skip_special_tokens,
        clean_up_tokenization_spaces=False,
        **more,
    )
    return text

"""Thoughts: the text that a model writes before an answer with a grammar, and the tokens that may be part of it.

Delimiters are found in the text, as a reader of the answer finds them, whatever tokens they were written with.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.errors import RequestError
from torchpaged.reasoning import ReasoningDelimiters

Mask: TypeAlias = NDArray[np.uint32]  # see `torchpaged.structured.matcher`

# Most tokens of newlines between thoughts and answer.
_MOST_NEWLINES = 2
# Last tokens of a prompt in which a delimiter is looked for; one of several texts has fewer bytes.
_PROMPT_TOKENS = 64


class Phase(enum.Enum):
    """The part of a text that the next token belongs to."""

    START = "start"  # an opening delimiter, or else the answer
    INSIDE = "inside"
    BEHIND = "behind"  # newlines between thoughts and answer, or else the answer
    OVER = "over"


class State(NamedTuple):
    """The state of one text. It is a value, so that drafts are tried and forks made without copies.

    Args:
        held: last bytes of the text, if they may be the beginning of a delimiter.
        num_tokens: number of tokens of thoughts (INSIDE) or of newlines (BEHIND) so far.
        stray: number of tokens (START) that were taken by the answer's grammar too; -1 - n: it has taken n, and did not
            allow the next.
    """

    phase: Phase
    held: bytes = b""
    num_tokens: int = 0
    stray: int = 0


OVER = State(Phase.OVER)


class Delimiters:
    """Delimiters as a tokenizer's tokens write them. Thread-safe: masks are computed at most twice.

    Args:
        given: their texts.
        vocabulary: bytes of each token; empty for ids without a token.
        end_ids: tokens that end a text.
        num_words: of masks.
        closing_ids: tokens of the text that closes thoughts when a budget is used up.
    """

    def __init__(
        self,
        given: ReasoningDelimiters,
        vocabulary: Sequence[bytes],
        end_ids: Iterable[int],
        num_words: int,
        closing_ids: Sequence[int],
    ) -> None:
        self._opens, self._closes = _encoded(given.open), _encoded(given.close)
        self._commits = given.commits.encode()
        self._firsts = {each[:1] for each in self._closes}
        self._opened, self._most_newlines = given.opened, _MOST_NEWLINES if given.newlines else 0
        self._vocabulary, self._end_ids, self._num_words = vocabulary, tuple(end_ids), num_words
        self.closing_ids = tuple(closing_ids)
        self._insides: dict[bytes, Mask] = {}
        self._openings: dict[bytes, Mask] = {}
        lasts = {each[-1:] for each in self._closes}
        # Tokens in whose middle a closing delimiter can end.
        self._candidates = [id for id, text in enumerate(vocabulary) if any(last in text[:-1] for last in lasts)]
        self._newlines = self._mask(id for id, text in enumerate(vocabulary) if text and not text.strip(b"\n"))

    def first(self, prompt: Sequence[int]) -> State:
        """Return the state behind a prompt, which its last text but blanks tells."""
        if self._opened is not None:
            return State(Phase.INSIDE if self._opened else Phase.START)
        texts: list[bytes] = []
        for token in reversed(prompt[-_PROMPT_TOKENS:]):
            texts.append(self._text(token))
        end = b"".join(reversed(texts)).rstrip()
        if end.endswith(self._opens):
            return State(Phase.INSIDE)
        return OVER if end.endswith(self._closes) else State(Phase.START)

    def follow(self, state: State, token: int) -> State:
        """Return the state after a token; OVER: the token is of the answer."""
        text = self._text(token)
        if state.phase is Phase.START:
            held = state.held + text
            if text and any(each.startswith(held) and each != held for each in self._opens):
                return state._replace(held=held)
            opened = next((each for each in self._opens if held.startswith(each)), None)
            # The opening delimiter is not counted.
            return OVER if opened is None else self._inside(State(Phase.INSIDE, num_tokens=-1), held[len(opened) :])
        if state.phase is Phase.INSIDE:
            return self._inside(state, text)
        if state.phase is Phase.BEHIND and state.num_tokens < self._most_newlines and text and not text.strip(b"\n"):
            return state._replace(num_tokens=state.num_tokens + 1)
        return OVER

    def _text(self, token: int) -> bytes:
        return self._vocabulary[token] if token < len(self._vocabulary) else b""

    def _inside(self, state: State, text: bytes) -> State:
        held, end = self._scan(state.held, text)
        return State(Phase.INSIDE, held, state.num_tokens + 1) if end is None else State(Phase.BEHIND)

    def _scan(self, held: bytes, text: bytes) -> tuple[bytes, int | None]:
        """Return the text's end that may begin a closing delimiter, and where one has ended in it."""
        if not held and text[:1] not in self._firsts and not any(first in text for first in self._firsts):
            return b"", None  # nearly all tokens
        for place in range(len(text)):
            held += text[place : place + 1]
            while held and not any(close.startswith(held) for close in self._closes):
                held = held[1:]
            if held in self._closes:
                return b"", place + 1
        return held, None

    def inside(self, held: bytes) -> Mask:
        """Return the mask of tokens that may follow in thoughts: all but ends, and those that reach into the answer."""
        if (found := self._insides.get(held)) is None and self._commits and held.startswith(self._commits):
            found = self._insides[held] = self._continuing(self._closes, held)
        if found is None:
            blank = b"\n" if self._most_newlines else b""
            reaching = []
            for token in self._candidates:
                text = self._vocabulary[token]
                end = self._scan(held, text)[1]
                if end is not None and text[end:].strip(blank):
                    reaching.append(token)
            found = self._insides[held] = ~self._mask([*reaching, *self._end_ids])
        return found

    def opening(self, held: bytes) -> Mask:
        """Return the mask of tokens that begin an opening delimiter, or go on with it."""
        if (found := self._openings.get(held)) is None:
            found = self._openings[held] = self._continuing(self._opens, held)
        return found

    def _continuing(self, texts: Sequence[bytes], held: bytes) -> Mask:
        """Return the mask of tokens that go on with one of the texts, and end with it at most."""
        rests = [each[len(held) :] for each in texts if each.startswith(held)]
        wanted = {rest[:length] for rest in rests for length in range(1, len(rest) + 1)}
        return self._mask([token for token, text in enumerate(self._vocabulary) if text in wanted])

    def behind(self, count: int) -> Mask | None:
        """Return the mask of newlines that may follow thoughts, and so many of them; None: there are enough."""
        return self._newlines if count < self._most_newlines else None

    def closing(self, place: int) -> Mask:
        """Return the mask of one token of the delimiter that closes thoughts by force."""
        return self._mask([self.closing_ids[min(place, len(self.closing_ids) - 1)]])

    def _mask(self, tokens: Iterable[int]) -> Mask:
        mask: Mask = np.zeros(self._num_words, dtype=np.uint32)
        for token in tokens:
            mask[token // 32] |= np.uint32(1 << token % 32)
        return mask


class Row(NamedTuple):
    """The mask of one position: the union of its own and one of the grammar's. Without either it has all tokens.

    Args:
        own: allowed tokens beside the grammar's; None: none.
        inner: number of drafts that the grammar has taken before; None: its mask is not part.
    """

    own: Mask | None
    inner: int | None


class Thoughts:
    """The thoughts of one text.

    Args:
        delimiters: as tokens.
        state: before the first token.
        budget: most tokens of thoughts, after which they are closed; None: no limit.
        guided: if a grammar follows; otherwise thoughts may be followed, or replaced, by anything.

    Attributes:
        state: of the tokens taken so far.
    """

    __slots__ = ("_budget", "_delimiters", "_guided", "state")

    def __init__(self, delimiters: Delimiters, state: State, budget: int | None, *, guided: bool) -> None:
        self._delimiters, self.state, self._budget, self._guided = delimiters, state, budget, guided

    def copy(self) -> Thoughts:
        """Return thoughts that go on from here by themselves."""
        return Thoughts(self._delimiters, self.state, self._budget, guided=self._guided)

    @property
    def needs_grammar(self) -> bool:
        """True if the next token may be of the answer."""
        return self.state.phase is not Phase.INSIDE and self.state.stray >= 0

    def take(self, token: int, inner: Any) -> bool:
        """Take a token, and return False if it is of the answer, so that the grammar must take it.

        Args:
            inner: matcher of llguidance; None: there is no grammar.

        Raises:
            RequestError: it is not allowed, because something has changed the masked logits.
        """
        before = self.state
        if self._guided and before.phase is Phase.INSIDE:
            mask = self._own(before)
            if mask is not None and not mask[token // 32] >> np.uint32(token % 32) & 1:
                raise RequestError(f"its thoughts do not allow token {token}, which was sampled: {_CHEAT}")
        self.state = self._delimiters.follow(before, token)
        if before.phase is Phase.START and inner is not None:
            if self.state.phase is Phase.START:  # the grammar takes the text too, until it is clear which of them it is
                if before.stray >= 0:
                    taken = inner.try_consume_tokens([token]) == 1
                    self.state = self.state._replace(stray=before.stray + 1 if taken else -1 - before.stray)
            elif self.state.phase is not Phase.OVER and before.stray not in (0, -1):
                inner.rollback(before.stray if before.stray > 0 else -1 - before.stray)
        return self.state.phase is not Phase.OVER

    def drafts(self, guessed: Sequence[int], most: int, inner: Any) -> tuple[Sequence[int], bool]:
        """Return `Guide.drafts` before the answer."""
        delimiters, state = self._delimiters, self.state
        if (place := self._forced(state)) is not None:
            return delimiters.closing_ids[place : place + most], True
        begun = state.phase
        for place, token in enumerate(guessed):
            state = delimiters.follow(state, token)
            if state.phase is Phase.OVER:
                if inner is None:
                    return guessed, False
                # All of what may be either delimiter or answer is the answer.
                first = 0 if begun is Phase.START else place
                num_valid = inner.validate_tokens(list(guessed[first:])) if self.state.stray >= 0 else 0
                return guessed[: first + num_valid], False
            if begun is Phase.START and state.phase is Phase.BEHIND:
                return guessed[:place], False  # the grammar must take back its tokens of the delimiter first
        return guessed, False

    def rows(self, drafts: Sequence[int], inner: Any) -> tuple[list[Row], list[int]]:
        """Return what the masks before and after each draft consist of, and the drafts that the grammar is asked about.

        Args:
            drafts: as `drafts` has returned them.
            inner: see `take`.
        """
        rows, given, state = [self._row(self.state, 0, inner)], list[int](), self.state
        for token in drafts:
            stray = state.stray
            state = self._delimiters.follow(state, token)
            if state.phase is Phase.OVER or (state.phase is Phase.START and stray >= 0):
                given.append(token)
            if state.phase is Phase.START and inner is not None and inner.validate_tokens(given) < len(given):
                state = state._replace(stray=-1)
            rows.append(self._row(state, len(given), inner))
        return rows, given

    def _row(self, state: State, num_given: int, inner: Any) -> Row:
        needs = state.phase is not Phase.INSIDE and state.stray >= 0 and inner is not None
        return Row(self._own(state), num_given if needs else None)

    def _own(self, state: State) -> Mask | None:
        """Return the tokens that are allowed beside the grammar's."""
        delimiters = self._delimiters
        if (place := self._forced(state)) is not None:
            return delimiters.closing(place)
        if not self._guided or state.phase is Phase.OVER:
            return None
        if state.phase is Phase.START:
            return delimiters.opening(state.held)
        return delimiters.inside(state.held) if state.phase is Phase.INSIDE else delimiters.behind(state.num_tokens)

    def _forced(self, state: State) -> int | None:
        """Return the place in the closing delimiter of the token that must follow; None: none must."""
        if self._budget is None or state.phase is not Phase.INSIDE or state.num_tokens < self._budget:
            return None
        return state.num_tokens - self._budget


def composed(rows: Sequence[Row], inner: Mask | None, num_words: int) -> Mask:
    """Return masks [rows, num_words] from those of the grammar."""
    masks: Mask = np.full((len(rows), num_words), 0xFFFFFFFF, dtype=np.uint32)
    for mask, row in zip(masks, rows, strict=True):
        if row.inner is not None:
            assert inner is not None
            mask[:] = inner[row.inner]
            if row.own is not None:
                mask |= row.own
        elif row.own is not None:
            mask[:] = row.own
    return masks


# A mask is the only thing that keeps tokens out.
_CHEAT = "does a logits processor raise logits that are -inf?"


def _encoded(texts: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)

"""Matcher: how far a text has come in its grammar, and which tokens may follow. It belongs to one sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.errors import RequestError

# As `torchpaged.execution.logit_bias.Mask`: a bit for each token, in words of 32, the first token the lowest bit.
Mask: TypeAlias = NDArray[np.uint32]


class Matcher:
    """`torchpaged.scheduling.guide.Guide` by a grammar.

    It has taken all tokens of its text when it is asked for masks or drafts. Where nothing but the text's end may
    follow, any token may be drawn, and is none of the text.

    Args:
        inner: of llguidance; nobody else's.
        end_ids: tokens that end a text.
        ends: whether these may be drawn where the grammar may end; else the text goes on for as long as it can.
    """

    __slots__ = ("_end_ids", "_ends", "_inner")

    def __init__(self, inner: Any, end_ids: EndIds, *, ends: bool) -> None:
        self._inner, self._end_ids, self._ends = inner, end_ids, ends

    def forked(self) -> Matcher:
        """One that goes on from here by itself."""
        return Matcher(self._inner.deep_copy(), self._end_ids, ends=self._ends)

    def take(self, tokens: Sequence[int]) -> int | None:
        """Goes on by the tokens that were drawn. How many of them the text has, if it ends with them; else None.

        Raises:
            RequestError: the grammar has no such text: somebody has changed the masked logits.
        """
        inner = self._inner
        for place, token in enumerate(tokens):
            if inner.is_stopped():
                return place
            if token in self._end_ids.token_ids and self._must_end():
                return place
            if not inner.try_consume_tokens([token]):
                if inner.is_accepting():
                    return place
                raise RequestError(
                    f"its structured_outputs do not allow token {token}, which was drawn: does a logits processor "
                    "raise what is -inf?"
                )
            if inner.is_stopped():
                return place + 1
        return None

    def _must_end(self) -> bool:
        mask: Mask = np.zeros((1, self._end_ids.num_words), dtype=np.uint32)
        self._inner.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        return not self._end_ids.others(mask)[0]

    def drafts(self, guessed: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
        """(what may follow, the likeliest run of it; whether it must): a guess as far as the grammar goes with it.

        What must follow are letters, which may be drawn as other tokens.
        """
        inner = self._inner
        if inner.is_stopped():
            return (), False
        forced: list[int] = inner.compute_ff_tokens()[:most]
        held = list(guessed[: inner.validate_tokens(list(guessed))]) if guessed else []
        if held[: len(forced)] == forced and len(held) > len(forced):
            return held, False
        return forced, bool(forced)


class EndIds:
    """The tokens that end a text, as a mask too.

    Args:
        token_ids: at least one.
        vocab_size: of the masks.
    """

    def __init__(self, token_ids: Iterable[int], vocab_size: int) -> None:
        self.token_ids = frozenset(token_ids)
        self.num_words = -(-vocab_size // 32)
        self.all_others: Mask = np.full(self.num_words, _ALL, dtype=np.uint32)
        for token in self.token_ids:
            self.all_others[token // 32] &= ~np.uint32(1 << token % 32)

    def others(self, masks: Mask) -> NDArray[np.bool_]:
        """[num_masks] whether any token but these is in a mask [num_masks, num_words]."""
        found: NDArray[np.bool_] = (masks & self.all_others).any(axis=1)
        return found


class Asked(NamedTuple):
    """A sequence that waits for its masks."""

    id: int
    matcher: Matcher
    drafts: Sequence[int] = ()


class MaskFiller:
    """Fills the masks of a step in a call of llguidance, which takes as many cores as there are and not Python's lock;
    of sequences with drafts in another."""

    def __init__(self) -> None:
        self._executor: Any = None

    def fill(self, asked: Sequence[Asked]) -> dict[int, Mask | str]:
        """By sequence, which tokens may come behind its last one and behind each draft, as if all before it were right:
        [1 + drafts, num_words]; or why it cannot go on."""
        if self._executor is None:
            import llguidance

            self._executor = llguidance.LLExecutor()
        ends = asked[0].matcher._end_ids
        counts = [1 + len(each.drafts) for each in asked]
        starts: list[int] = np.cumsum([0, *counts]).tolist()
        masks: Mask = np.zeros((starts[-1], ends.num_words), dtype=np.uint32)
        where = masks.ctypes.data, masks.shape[1] * 4, masks.shape[0]
        places = [(each.matcher._inner, start, list(each.drafts)) for each, start in zip(asked, starts, strict=False)]
        if plain := [place[:2] for place in places if not place[2]]:
            self._executor.unsafe_compute_mask_ptr(plain, *where)
        if drafted := [place for place in places if place[2]]:
            self._executor.unsafe_compute_mask_ptr_with_draft_token(drafted, *where)
        go_on = ends.others(masks)
        found: dict[int, Mask | str] = {}
        for each, start, count in zip(asked, starts, counts, strict=False):
            own, matcher = masks[start : start + count], each.matcher
            if matcher._inner.is_error():
                reason = str(matcher._inner.get_error()).split("\n")[0]
                found[each.id] = f"structured_outputs: its grammar cannot be followed any further: {reason}"
                continue
            if not matcher._ends:
                own &= ends.all_others
            own[~go_on[start : start + count]] = _ALL
            found[each.id] = own
        return found


_ALL = np.uint32(0xFFFFFFFF)

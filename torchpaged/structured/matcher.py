"""Matcher: the state of one sequence's text in its grammar, and the tokens that may follow."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.errors import RequestError
from torchpaged.structured.mask_worker import MOST_SECONDS, Effort, Job, MaskWorker
from torchpaged.structured.thoughts import Thoughts, composed

# As `torchpaged.execution.logit_bias.Mask`: a bit per token in words of 32, the lowest bit first.
Mask: TypeAlias = NDArray[np.uint32]


class Matcher:
    """A `torchpaged.scheduling.guide.Guide` over a grammar.

    It has taken all tokens of its text when it is asked for masks or drafts. If nothing but the end of the text may
    follow, any token may be sampled; it is not part of the text.

    Args:
        inner: matcher of llguidance, owned by this one; None: thoughts alone are guided.
        end_ids: tokens that end a text.
        ends: if these may be sampled where the grammar may end; otherwise the text goes on for as long as it can.
        is_fast: if its masks are computed within steps; otherwise `MaskWorker` computes them, until some took little
            time.
        thoughts: text before the grammar's; None: the text begins with the grammar's.

    Attributes:
        delayed: its mask is being computed and a step cannot wait for it; set by `MaskFiller.prepare`.
        effort: time that its masks have taken.
        job: computes, or has computed, its next mask; None if a step will, or none was asked for.
        mask: result of the job: [num_words], or the reason why the text cannot go on.
        thoughts: None once they are over.
    """

    __slots__ = ("_doubtful", "_end_ids", "_ends", "_inner", "delayed", "effort", "job", "mask", "thoughts")

    def __init__(
        self, inner: Any, end_ids: EndIds, *, ends: bool, is_fast: bool = True, thoughts: Thoughts | None = None
    ) -> None:
        self._inner, self._end_ids, self._ends, self.thoughts = inner, end_ids, ends, thoughts
        self.delayed = self._doubtful = False
        self.effort = Effort(num_fast=_TRUSTED if is_fast else 0)
        self.job: Job | None = None
        self.mask: Mask | str | None = None

    def copy(self) -> Matcher:
        """Return a matcher that goes on from here by itself."""
        self._settle()
        child = Matcher(None if self._inner is None else self._inner.deep_copy(), self._end_ids, ends=self._ends)
        child.thoughts = None if self.thoughts is None else self.thoughts.copy()
        child.effort, child._doubtful = copy.copy(self.effort), self._doubtful
        child.job, child.mask = self.job, self.mask
        return child

    @property
    def is_trusted(self) -> bool:
        """True if its last masks took so little time that a step can wait for the next."""
        return self.effort.num_fast >= _TRUSTED

    @property
    def is_idle(self) -> bool:
        """True if it allows all tokens from here on."""
        return self._inner is None and self.thoughts is None

    @property
    def needs_grammar(self) -> bool:
        """True if its next mask is made of the grammar's."""
        return self._inner is not None and (self.thoughts is None or self.thoughts.needs_grammar)

    def doubt(self) -> None:
        """Note that it took part in a call whose masks took long: from its next token on they are timed."""
        self._doubtful = True

    def _settle(self) -> None:
        """Wait for the job, which uses `_inner` in another thread."""
        if self.job is not None:
            self.job.future.result()

    def take(self, tokens: Sequence[int]) -> int | None:
        """Take sampled tokens, and return the number of those that belong to the text, if it ends with them; otherwise
        None.

        Raises:
            RequestError: the grammar does not allow a token, because something has changed the masked logits.
        """
        begin = time.thread_time()
        try:
            return self._take(tokens)
        finally:
            self.effort.num_masks += len(tokens)
            if not self.is_trusted:
                self.effort.spent += time.thread_time() - begin
            if self._doubtful:
                self._doubtful, self.effort.num_fast = False, 0
            self.job = self.mask = None

    def _take(self, tokens: Sequence[int]) -> int | None:
        self._settle()
        inner = self._inner
        for place, token in enumerate(tokens):
            if self.thoughts is not None:
                if self.thoughts.take(token, inner):
                    if inner is not None and inner.is_stopped():
                        return place + 1
                    continue
                self.thoughts = None
            if inner is None:
                return None
            if inner.is_stopped():
                return place
            if token in self._end_ids.token_ids and self._must_end():
                return place
            if not inner.try_consume_tokens([token]):
                if inner.is_accepting():
                    return place
                raise RequestError(
                    f"its structured_outputs do not allow token {token}, which was sampled: does a logits processor "
                    "raise logits that are -inf?"
                )
            if inner.is_stopped():
                return place + 1
        return None

    def _must_end(self) -> bool:
        return not self._end_ids.others(self._computed())[0]

    def _computed(self) -> Mask:
        """Return the mask [1, num_words] of llguidance."""
        mask: Mask = np.zeros((1, self._end_ids.num_words), dtype=np.uint32)
        self._inner.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        return mask

    def compute(self) -> None:
        """Set `mask`, unless the masks before it have taken too long. Any thread may call it."""
        try:
            self._compute()
        except Exception as error:
            self.mask = f"structured_outputs: {type(error).__name__}: {error}"

    def _compute(self) -> None:
        if (excess := self.effort.excess) is None:
            begin = time.thread_time()
            masks = self._computed()
            self.effort.add(time.thread_time() - begin)
            excess = self.effort.excess
            self.mask = self.finished(masks)
        if excess is not None:
            self.mask = excess

    def finished(self, masks: Mask) -> Mask | str:
        """Return masks [..., num_words] of llguidance as those of sampling, or the reason why the text cannot go on."""
        if self._inner.is_error():
            reason = str(self._inner.get_error()).split("\n")[0]
            return f"structured_outputs: its grammar cannot be followed any further: {reason}"
        goes_on = self._end_ids.others(masks)
        if not self._ends:
            masks &= self._end_ids.all_others
        masks[~goes_on] = _ALL
        return masks

    def drafts(self, guessed: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
        """Return (the likeliest run of tokens that may follow, True if they must): the allowed part of a guess.

        A grammar forces characters, which may be sampled as other tokens. There are no drafts while masks take long.
        """
        inner = self._inner
        if self.job is not None or not self.is_trusted:
            return (), False
        if self.thoughts is not None:
            return self.thoughts.drafts(guessed, most, inner)
        if inner is None or inner.is_stopped():
            return (), False
        forced: list[int] = inner.compute_ff_tokens()[:most]
        held = list(guessed[: inner.validate_tokens(list(guessed))]) if guessed else []
        if held[: len(forced)] == forced and len(held) > len(forced):
            return held, False
        return forced, bool(forced)


class EndIds:
    """The tokens that end a text, also as a mask.

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
        """Return [num_masks]: True if a mask of [num_masks, num_words] has any token but these."""
        found: NDArray[np.bool_] = (masks & self.all_others).any(axis=1)
        return found


class MaskRequest(NamedTuple):
    """A sequence that needs masks for its next token and after each draft."""

    id: int
    matcher: Matcher
    drafts: Sequence[int] = ()


class MaskFiller:
    """Computes the masks of a step in one call of llguidance, and those of sequences with drafts in another.

    A call uses all cores and does not hold Python's lock. If it takes long, it is not known whose masks did: those of
    all that took part are then computed by a `MaskWorker`, until they have been fast for a while. Sequences that wait
    for such a mask are left out of steps; no others wait.
    """

    def __init__(self) -> None:
        self._executor: Any = None
        self._worker: MaskWorker | None = None

    @property
    def is_busy(self) -> bool:
        """True while masks are computed beside the steps."""
        return self._worker is not None and bool(self._worker.jobs)

    def prepare(self, matchers: Sequence[Matcher]) -> None:
        """Set `delayed` of the matchers of all guided sequences, before a step is scheduled."""
        if self._worker is not None:
            self._worker.keep({matcher.job for matcher in matchers if matcher.job is not None})
        begun = []
        for matcher in matchers:
            if matcher.job is None and not matcher.is_trusted and matcher.needs_grammar:
                if self._worker is None:
                    self._worker = MaskWorker()
                matcher.job = self._worker.submit(matcher.compute)
                if matcher.effort.num_fast:
                    begun.append(matcher.job)
        if begun:
            MaskWorker.wait(begun, _PATIENCE, all_of_them=True)
        for matcher in matchers:
            job = matcher.job
            matcher.delayed = job is not None and not job.future.done() and not job.is_late

    def wait(self, matchers: Sequence[Matcher]) -> None:
        """Wait a while for one of the delayed masks, when nothing else can run."""
        MaskWorker.wait([each.job for each in matchers if each.job is not None], _LONG_PATIENCE, all_of_them=False)

    def fill(self, asked: Sequence[MaskRequest]) -> dict[int, Mask | str]:
        """Return masks [1 + drafts, num_words] by sequence, or the reason why it cannot go on.

        They are for the tokens after its last one and after each draft, as if all drafts before were right.
        """
        found: dict[int, Mask | str] = {}
        rest, thinking = [], {}
        for each in asked:
            matcher = each.matcher
            if matcher.thoughts is not None:
                rows, given = matcher.thoughts.rows(each.drafts, matcher._inner)
                thinking[each.id] = rows, matcher._end_ids.num_words
                if all(row.inner is None for row in rows):
                    continue
                each = each._replace(drafts=given)
            if (job := matcher.job) is None:
                rest.append(each)
            elif not job.future.done():
                found[each.id] = _LATE
            else:
                job.future.result()
                assert matcher.mask is not None
                found[each.id] = matcher.mask
        if rest:
            found |= self._filled(rest)
        for id, (rows, num_words) in thinking.items():
            if not isinstance(inner := found.get(id), str):
                found[id] = composed(rows, inner, num_words)
        return found

    def _filled(self, asked: Sequence[MaskRequest]) -> dict[int, Mask | str]:
        if self._executor is None:
            import llguidance

            self._executor = llguidance.LLExecutor()
        begin = time.perf_counter()
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
        if time.perf_counter() - begin > _SLOW_SECONDS + len(masks) * _SECONDS_EACH:
            for each in asked:
                each.matcher.doubt()
        return {
            each.id: each.matcher.finished(masks[start : start + count])
            for each, start, count in zip(asked, starts, counts, strict=False)
        }


_ALL = np.uint32(0xFFFFFFFF)
# Number of consecutive fast masks after which steps wait for the next one again.
_TRUSTED = 4
# Seconds that a step waits for masks of matchers whose last ones were fast, and that an idle engine waits.
_PATIENCE, _LONG_PATIENCE = 2e-3, 0.05
# Wall-clock seconds: in a call that takes longer a mask took long, or there was no free core.
_SLOW_SECONDS, _SECONDS_EACH = 5e-3, 1e-4
_LATE = (
    f"structured_outputs: its grammar is too slow to follow: a mask has not come in {MOST_SECONDS:g} seconds; make it "
    "less ambiguous"
)

"""Matcher: how far a text has come in its grammar, and which tokens may follow. It belongs to one sequence."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from torchpaged.errors import RequestError
from torchpaged.structured.mask_worker import MOST_SECONDS, Effort, Job, MaskWorker

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
        is_fast: whether its masks are computed within steps: else `MaskWorker` does, until some took little time.

    Attributes:
        delayed: its mask is being computed and a step cannot wait for it; set by `MaskFiller.prepare`.
        effort: what its masks have cost.
        job: what computes its next mask, or has; None where a step will, or none has been asked for.
        mask: what came of the job: [num_words], or why it cannot go on.
    """

    __slots__ = ("_doubtful", "_end_ids", "_ends", "_inner", "delayed", "effort", "job", "mask")

    def __init__(self, inner: Any, end_ids: EndIds, *, ends: bool, is_fast: bool = True) -> None:
        self._inner, self._end_ids, self._ends = inner, end_ids, ends
        self.delayed = self._doubtful = False
        self.effort = Effort(num_fast=_TRUSTED if is_fast else 0)
        self.job: Job | None = None
        self.mask: Mask | str | None = None

    def copy(self) -> Matcher:
        """One that goes on from here by itself."""
        self._settle()
        child = Matcher(self._inner.deep_copy(), self._end_ids, ends=self._ends)
        child.effort, child._doubtful = copy.copy(self.effort), self._doubtful
        child.job, child.mask = self.job, self.mask
        return child

    @property
    def is_trusted(self) -> bool:
        """Whether its last masks took so little time that a step can wait for the next."""
        return self.effort.num_fast >= _TRUSTED

    def doubt(self) -> None:
        """It is one of some whose masks took long: from its next token on they are timed."""
        self._doubtful = True

    def _settle(self) -> None:
        """Nobody else has it from now on."""
        if self.job is not None:
            self.job.future.result()

    def take(self, tokens: Sequence[int]) -> int | None:
        """Goes on by the tokens that were drawn. How many of them the text has, if it ends with them; else None.

        Raises:
            RequestError: the grammar has no such text: somebody has changed the masked logits.
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
        return not self._end_ids.others(self._computed())[0]

    def _computed(self) -> Mask:
        """[1, num_words] as llguidance has it."""
        mask: Mask = np.zeros((1, self._end_ids.num_words), dtype=np.uint32)
        self._inner.unsafe_compute_mask_ptr(mask.ctypes.data, mask.nbytes)
        return mask

    def compute(self) -> None:
        """Makes `mask`, unless too much has been spent on those before it. For any one thread."""
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
        """[..., num_words] what llguidance has computed, as what may be drawn; or why it cannot go on."""
        if self._inner.is_error():
            reason = str(self._inner.get_error()).split("\n")[0]
            return f"structured_outputs: its grammar cannot be followed any further: {reason}"
        goes_on = self._end_ids.others(masks)
        if not self._ends:
            masks &= self._end_ids.all_others
        masks[~goes_on] = _ALL
        return masks

    def drafts(self, guessed: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
        """(what may follow, the likeliest run of it; whether it must): a guess as far as the grammar goes with it.

        What must follow are letters, which may be drawn as other tokens. There are none while masks take long.
        """
        inner = self._inner
        if self.job is not None or not self.is_trusted or inner.is_stopped():
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
    of sequences with drafts in another.

    Where a call takes long it is not known whose masks did: those of all that took part are computed by a `MaskWorker`
    then, until they have been fast for a while. Who waits for one is left out of steps, and nobody else waits.
    """

    def __init__(self) -> None:
        self._executor: Any = None
        self._worker: MaskWorker | None = None

    @property
    def is_busy(self) -> bool:
        """Whether masks are computed beside the steps."""
        return self._worker is not None and bool(self._worker.jobs)

    def prepare(self, matchers: Sequence[Matcher]) -> None:
        """Before a step is scheduled, whose guided sequences these are: says which of them are delayed."""
        if self._worker is not None:
            self._worker.keep({matcher.job for matcher in matchers if matcher.job is not None})
        begun = []
        for matcher in matchers:
            if matcher.job is None and not matcher.is_trusted:
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
        """A while, for one of those that are delayed: nothing else can run."""
        MaskWorker.wait([each.job for each in matchers if each.job is not None], _LONG_PATIENCE, all_of_them=False)

    def fill(self, asked: Sequence[Asked]) -> dict[int, Mask | str]:
        """By sequence, which tokens may come behind its last one and behind each draft, as if all before it were right:
        [1 + drafts, num_words]; or why it cannot go on."""
        found: dict[int, Mask | str] = {}
        rest = []
        for each in asked:
            if (job := each.matcher.job) is None:
                rest.append(each)
            elif not job.future.done():
                found[each.id] = _LATE
            else:
                job.future.result()
                assert each.matcher.mask is not None
                found[each.id] = each.matcher.mask
        return found | self._filled(rest) if rest else found

    def _filled(self, asked: Sequence[Asked]) -> dict[int, Mask | str]:
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
# Fast masks, one behind the other, after which a step waits for the next again.
_TRUSTED = 4
# Seconds that a step waits for masks of those whose last ones were fast; and an engine that has nothing else to do.
_PATIENCE, _LONG_PATIENCE = 2e-3, 0.05
# By the clock: a call that takes longer has had a mask that took long, or no processor.
_SLOW_SECONDS, _SECONDS_EACH = 5e-3, 1e-4
_LATE = (
    f"structured_outputs: its grammar is too slow to follow: a mask has not come in {MOST_SECONDS:g} seconds; make it "
    "less ambiguous"
)

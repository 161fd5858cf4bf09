"""Drafter: chooses whose next tokens are guessed in a step, and how many. Owns the statistics of accepted drafts."""

from __future__ import annotations

import heapq
import logging
from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field

from torchpaged.scheduling.proposers import MOST_READ, Drafting, Learner, Proposer, Transcript
from torchpaged.scheduling.sequence import Sequence
from torchpaged.scheduling.step import TO_GUESS

logger = logging.getLogger(__name__)

# Guesses of a strength up to each of these are counted together.
_STRENGTHS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 32)
# Acceptance rates of drafts of these strengths before any was seen: measured in Python's library, edited, quoted and
# continued, with prompt lookup and suffixes of 2 tokens or more. They count as so many drafts.
_AT_FIRST = (0.5, 0.4, 0.35, 0.5, 0.6, 0.75, 0.85, 0.9, 0.9, 0.9, 0.95)
_AT_FIRST_COUNT = 4.0
# The same for a draft model's guesses, at each depth.
_AT_FIRST_OF_MODELS = (0.8,) * len(_AT_FIRST)
# Most new tokens that proposers are given in a step: the prompts of many sequences that begin at once take several.
_MOST_READ = 4 * MOST_READ
# Weight of what was seen before, per draft, of a sequence's own and of all: about the last 20 and 200 count.
_OWN_MEMORY, _MEMORY = 0.95, 0.995
# Most that drafts may have cost a sequence beyond what they brought: of its time so far, and of a token's at first.
_MOST_LOST, _LOST_AT_FIRST = 0.0125, 0.25


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """Counters of drafts since the engine was made.

    Args:
        drafts: runs of drafts: one for each sequence and step that had any.
        tokens, accepted: number of drafts, and of those that were accepted.
        by_place: number of accepted drafts at each place of their run.
        failures: sequences whose proposer raised; they go on without drafts.
    """

    drafts: int = 0
    tokens: int = 0
    accepted: int = 0
    by_place: tuple[int, ...] = ()
    failures: int = 0


@dataclass(slots=True)
class Candidate:
    """A sequence that may have drafts in the step.

    Args:
        place: index in the step's columns.
        limit: most drafts.
    """

    place: int
    sequence: Sequence
    limit: int
    drafts: Seq[int] = field(default_factory=tuple)


class _AcceptanceRates:
    """How often drafts are accepted, by the strength of their guess. Older ones count less.

    Args:
        at_first: rates before any draft was seen, by strength.
    """

    def __init__(self, at_first: Seq[float]) -> None:
        self._fails_at_first = [(1 - rate) * _AT_FIRST_COUNT for rate in at_first]
        self._fails = list(self._fails_at_first)
        self._tries = [_AT_FIRST_COUNT] * len(at_first)

    def learn(self, own: Drafting, num_drafts: int, num_accepted: int) -> None:
        """Count a run of a sequence's drafts, up to the first that was rejected."""
        for place in range(min(num_accepted + 1, num_drafts)):
            bucket, failed = bisect_left(_STRENGTHS, own.strength + place), place == num_accepted
            own.expected = own.expected * _OWN_MEMORY + self._fails[bucket] / self._tries[bucket]
            own.failed = own.failed * _OWN_MEMORY + failed
            self._fails[bucket] = self._fails[bucket] * _MEMORY + failed
            self._tries[bucket] = self._tries[bucket] * _MEMORY + 1

    def rate(self, own: Drafting, place: int) -> float:
        """Return the probability that the draft at a place of the next guess is accepted, if all before it are.

        It is that of such drafts, corrected by how the sequence's own did compared with others.
        """
        bucket = bisect_left(_STRENGTHS, own.strength + place)  # each accepted token makes a guess surer
        often = (own.failed + 1) / (own.expected + 1)
        return 1 - min(1.0, often * self._fails[bucket] / self._tries[bucket])

    def fade(self) -> None:
        """Move towards the first rates: if nothing pays, drafts are tried again after a while."""
        for bucket, fails in enumerate(self._fails_at_first):
            self._fails[bucket] += (fails - self._fails[bucket]) * (1 - _MEMORY)
            self._tries[bucket] += (_AT_FIRST_COUNT - self._tries[bucket]) * (1 - _MEMORY)


class DraftCosts:
    """Costs of drafts.

    Args:
        step: cost of a step by its rows, in any unit; None: drafts cost nothing.
        guess: cost of guesses, by the number of sequences that have some and the most of one; None: nothing.
        ask: cost of asking the proposer about one sequence, whether it has a guess or not.
    """

    def __init__(
        self,
        step: Callable[[int], float] | None = None,
        guess: Callable[[int, int], float] | None = None,
        ask: float = 0.0,
    ) -> None:
        self.step, self.guess, self.ask = step, guess, ask
        self._last: tuple[object, ...] = ()  # the last arguments of `may_pay` and its answer: mostly the same again
        self._pays = False

    def guessing(self, width: int, depth: int) -> float:
        """Return the cost of guesses for `width` sequences, of at most `depth` drafts each."""
        return 0.0 if self.guess is None else self.guess(width, depth)

    def may_pay(self, num_rows: int, num_certain: int, most: int) -> bool:
        """Return True if any number of drafts would pay if all of them were accepted; else no proposer is asked.

        Args:
            num_rows: tokens that the step computes anyway.
            num_certain: tokens that come without any draft.
            most: most drafts of one sequence.
        """
        assert self.step is not None
        if (asked := (num_rows, num_certain, most, self.step)) != self._last:
            step, value, all_drafts = self.step, num_certain / self.step(num_rows), most * num_certain
            self._last = asked
            self._pays = any(
                (num_certain + count) / (step(num_rows + count) + self.guessing(width, depth)) > value
                for count, width, depth in ((1, 1, 1), (most, 1, most), (all_drafts, num_certain, most))
            )
        return self._pays


class Drafter:
    """Asks the proposer, and takes as many of its drafts as make a step's tokens cheapest.

    A draft costs what its row adds to the step, and is worth the probability that it and all drafts before it are
    accepted. Each sequence has an account of what drafts have cost it and brought: where they have cost more, the
    proposer is not asked until the text is that much longer. So a text that cannot be guessed loses 2 % at most.

    Args:
        proposer: guesses; None: the runner's draft model does, and computes all tokens but the last draft for that.
        most: most drafts of one sequence.
        vocab_size: a guess ends before what is no token.
        costs: of steps and guesses; it may be changed.
        lags: if the draft model lacks the last draft when that is accepted, so that it is computed once more. None: if
            there is one.

    Attributes:
        computes: True if the runner computes the guesses.
        paused: True if nothing is guessed because that would change tokens; it may be set.
    """

    def __init__(
        self,
        proposer: Proposer | None,
        most: int,
        vocab_size: int,
        costs: DraftCosts | None = None,
        *,
        lags: bool | None = None,
    ) -> None:
        self.most, self.costs = most, costs or DraftCosts()
        self.computes, self.paused = proposer is None, False
        self.lags = self.computes if lags is None else lags
        self._proposer, self._vocab_size = proposer, vocab_size
        self._rates = _AcceptanceRates(_AT_FIRST_OF_MODELS if self.computes else _AT_FIRST)
        self._num_drafts = self._num_tokens = self._num_failures = 0
        self._accepted = [0] * most
        self._fails_to_learn = False  # logged once, not for each text
        self._to_read = 0  # number of new tokens that proposers may still be given in this step

    @property
    def counts(self) -> DraftCounts:
        """Counters since the engine was made."""
        accepted = tuple(self._accepted)
        return DraftCounts(self._num_drafts, self._num_tokens, sum(accepted), accepted, self._num_failures)

    def select(self, candidates: Seq[Candidate], num_rows: int, budget: int) -> list[Candidate]:
        """Return the candidates that get drafts, with as many drafts as pay.

        Args:
            num_rows: tokens that the step computes anyway.
            budget: most drafts of all sequences together.
        """
        cost = self.costs.step
        if self.paused or not candidates:
            return []
        if cost is not None and not (self.computes or self.costs.may_pay(num_rows, len(candidates), self.most)):
            return []
        guessed = []
        self._to_read = _MOST_READ
        worth = 0.0 if cost is None else cost(len(candidates)) / len(candidates)
        for each in candidates:
            if worth and not self._may_lose(each.sequence, worth):
                continue
            each.drafts = self._guess(each.sequence, min(each.limit, self.most, budget))
            if each.drafts:
                guessed.append(each)
        if not guessed:
            return []
        if cost is None:
            return self._first(guessed, budget)
        return self._worth(guessed, num_rows, len(candidates), budget, cost)

    def learn(self, sequence: Sequence, num_drafts: int, num_accepted: int) -> None:
        """Count a sequence's drafts and how many of them were accepted."""
        self._num_drafts += 1
        self._num_tokens += num_drafts
        for place in range(num_accepted):
            self._accepted[place] += 1
        own = sequence.drafting
        if own.transcript is not None:
            own.lost += num_drafts * own.draft_cost - num_accepted * own.worth
            self._rates.learn(own, num_drafts, num_accepted)

    def forget(self, sequence: Sequence) -> None:
        """Drop what is kept of a sequence that has ended; a proposer that learns gets its text."""
        own, sequence.drafting = sequence.drafting, Drafting(sequence.drafting.limit)
        failed = sequence.finish_reason == "error"
        if own.transcript is None or failed or not isinstance(self._proposer, Learner):
            return
        try:
            self._proposer.ended(own.transcript)
        except Exception as error:
            if not self._fails_to_learn:
                logger.error("a proposer failed with a text that has ended", exc_info=error)
            self._fails_to_learn = True

    @staticmethod
    def _transcript(sequence: Sequence) -> Transcript:
        own = sequence.drafting
        if own.transcript is None:
            keys = sequence.cache_keys
            own.transcript = Transcript(sequence.token_ids, sequence.num_prompt_tokens, keys.salt, adapter=keys.lora)
        return own.transcript

    def _may_lose(self, sequence: Sequence, worth: float) -> bool:
        """Return True if a sequence's drafts may fail once more; charge it for asking then.

        Tokens that a grammar forces are nearly always accepted: a sequence with a guide is asked at any cost.

        Args:
            worth: cost of a token without drafts.
        """
        self._transcript(sequence)
        own = sequence.drafting
        own.worth = worth
        own.elapsed += worth
        if sequence.sampling.guide is None and own.lost > _MOST_LOST * own.elapsed + _LOST_AT_FIRST * worth:
            return False
        own.lost += self.costs.ask
        return True

    def _guess(self, sequence: Sequence, most: int) -> Seq[int]:
        if most < 1:
            return ()
        transcript, own, guide = self._transcript(sequence), sequence.drafting, sequence.sampling.guide
        if self._proposer is None:  # masks need tokens that are known before the step
            return () if guide is not None else [TO_GUESS] * most
        pending = sequence.num_pending_tokens
        new = min(len(sequence.token_ids) - own.read, MOST_READ)
        if new > self._to_read:
            return ()
        own.read += new
        self._to_read -= new
        try:
            # The pending token is guessed too, for its position, and not used.
            guessed = self._proposer.propose(transcript, most + pending)
            own.strength = int(transcript.strength)
            drafts: Seq[int] = list(guessed)[pending : most + pending]
            for place, token in enumerate(drafts):
                if type(token) is not int:
                    raise TypeError(f"it proposed {token!r:.40}, expected integers")
                if not 0 <= token < self._vocab_size:
                    drafts = drafts[:place]
                    break
            if guide is not None:
                drafts, forced = guide.drafts(drafts, most)
                own.strength = _STRENGTHS[-1] if forced else own.strength
        except Exception as error:
            if not self._num_failures:
                logger.error("a proposer failed, its sequences go on without speculation", exc_info=error)
            self._num_failures += 1
            own.limit = 0
            return ()
        return drafts

    def _first(self, guessed: Seq[Candidate], budget: int) -> list[Candidate]:
        """Take all drafts, as far as the budget goes."""
        taken = []
        for each in guessed:
            each.drafts = each.drafts[:budget]
            budget -= len(each.drafts)
            if each.drafts:
                taken.append(each)
        return taken

    def _worth(
        self, guessed: Seq[Candidate], num_rows: int, num_certain: int, budget: int, cost: Callable[[int], float]
    ) -> list[Candidate]:
        """Take the number of drafts with the most tokens for their cost, the likeliest drafts of all sequences first.

        Args:
            num_certain: tokens that come without any draft.
        """
        # By the probability of the next draft.
        waiting = [(-self._rates.rate(each.sequence.drafting, 0), place) for place, each in enumerate(guessed)]
        heapq.heapify(waiting)
        order: list[int] = []
        expected, best, best_count = float(num_certain), num_certain / cost(num_rows), 0
        lengths, width, depth, extra, best_cost = [0] * len(guessed), 0, 0, 0.0, 0.0
        while waiting and len(order) < budget:
            holds, place = heapq.heappop(waiting)
            lengths[place] += 1
            order.append(place)
            expected -= holds
            if lengths[place] == 1 or lengths[place] > depth:
                width, depth = width + (lengths[place] == 1), max(depth, lengths[place])
                extra = self.costs.guessing(width, depth)
            seconds = cost(num_rows + len(order)) + extra
            if (value := expected / seconds) > best:
                best, best_count, best_cost = value, len(order), seconds
            if lengths[place] < len(guessed[place].drafts):
                rate = self._rates.rate(guessed[place].sequence.drafting, lengths[place])
                heapq.heappush(waiting, (holds * rate, place))
        if not best_count:
            self._rates.fade()
        kept = [0] * len(guessed)
        for place in order[:best_count]:
            kept[place] += 1
        for each, count in zip(guessed, kept, strict=True):
            each.drafts, own = each.drafts[:count], each.sequence.drafting
            if count:
                own.draft_cost = (best_cost - cost(num_rows)) / best_count
            else:  # a sequence whose drafts failed is tried again after a while
                own.failed *= _MEMORY
                own.expected *= _MEMORY
        return [each for each in guessed if each.drafts]

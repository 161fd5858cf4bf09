"""Drafter: whose next tokens are guessed in a step, and how many. Owns what was learned of how often guesses hold."""

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
# How often such a token holds, before any was seen: in Python's library, edited, quoted and continued, with prompt
# look-up and suffixes of 2 tokens or more. And as how many guesses that counts.
_AT_FIRST = (0.5, 0.4, 0.35, 0.5, 0.6, 0.75, 0.85, 0.9, 0.9, 0.9, 0.95)
_AT_FIRST_COUNT = 4.0
# The same of a model's guesses, at each depth.
_AT_FIRST_OF_MODELS = (0.8,) * len(_AT_FIRST)
# New tokens that proposers are given in a step: the prompts of many sequences that begin at once are read over several.
_MOST_READ = 4 * MOST_READ
# What was seen before counts less with each guess, of a sequence's own and of all: about the last 20 and 200 count.
_OWN_MEMORY, _MEMORY = 0.95, 0.995
# What guesses may have cost a sequence beyond what they brought: of its time so far, and of a token's at its beginning.
_MOST_LOST, _LOST_AT_FIRST = 0.0125, 0.25


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """What became of guesses since the engine was made.

    Args:
        drafts: steps of a sequence that had any.
        tokens, accepted: guessed tokens, and those that were what was drawn.
        by_place: of these, how many stood at each place of their run.
        failures: sequences whose proposer raised; they go on without.
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
        place: in the step's columns.
        limit: drafts at most.
    """

    place: int
    sequence: Sequence
    limit: int
    drafts: Seq[int] = field(default_factory=tuple)


class Drafter:
    """Asks the proposer, and takes of its guesses as many as make the step's tokens cheapest.

    A draft costs what its row makes the step longer, and is worth the probability that it, and all before it, holds.
    Each sequence has an account of what guesses have cost it and have brought: where they have cost more, nobody
    is asked until its text is that much longer. So a text that cannot be guessed loses 2 % at most.

    Args:
        proposer: guesses; None: whoever computes does, and computes for that all tokens but the last draft.
        most: tokens of one sequence at most.
        vocab_size: a guess ends before what is no token.
        cost: of a step by its rows, in any unit; None: drafts cost nothing.
        guess_cost: of guesses, by how many sequences have some and how many the one with most has; None: nothing.
        ask_cost: of asking the proposer about one sequence, whatever it answers.
        lags: whether whoever computes guesses lacks the last one where it held: it is computed once more then.

    Attributes:
        cost, guess_cost: likewise; they may be set.
        computes: whether guesses are computed.
        lags: likewise.
        rests: whether nothing is guessed, since that would change tokens; it may be set.
    """

    def __init__(
        self,
        proposer: Proposer | None,
        most: int,
        vocab_size: int,
        cost: Callable[[int], float] | None = None,
        guess_cost: Callable[[int, int], float] | None = None,
        ask_cost: float = 0.0,
        *,
        lags: bool | None = None,
    ) -> None:
        self.most = most
        self._ask_cost = ask_cost
        self.cost, self.guess_cost = cost, guess_cost
        self._asked: tuple[object, ...] = ()  # what `_may_pay` was asked last, and its answer
        self._pays = False
        self.computes, self.rests = proposer is None, False
        self.lags = self.computes if lags is None else lags
        self._proposer, self._vocab_size = proposer, vocab_size
        at_first = _AT_FIRST_OF_MODELS if self.computes else _AT_FIRST
        self._fails_at_first = [(1 - rate) * _AT_FIRST_COUNT for rate in at_first]
        self._fails = list(self._fails_at_first)
        self._tries = [_AT_FIRST_COUNT] * len(at_first)
        self._num_drafts = self._num_tokens = self._num_failures = 0
        self._fails_to_learn = False  # said once, not with each text
        self._to_read = 0  # new tokens that proposers may still be given in this step
        self._accepted = [0] * most

    @property
    def counts(self) -> DraftCounts:
        """Since the engine was made."""
        accepted = tuple(self._accepted)
        return DraftCounts(self._num_drafts, self._num_tokens, sum(accepted), accepted, self._num_failures)

    def select(self, candidates: Seq[Candidate], num_rows: int, budget: int) -> list[Candidate]:
        """Those that have drafts, with as many of them as pay.

        Args:
            num_rows: tokens that the step computes anyway.
            budget: drafts of all sequences at most.
        """
        if self.rests:
            return []
        if self.cost is not None and not self.computes:
            asked = num_rows, len(candidates), self.cost
            if asked != self._asked:  # mostly as in the last step
                self._asked, self._pays = asked, self._may_pay(*asked)
            if not self._pays:
                return []
        guessed = []
        self._to_read = _MOST_READ
        worth = self.cost(len(candidates)) / len(candidates) if self.cost is not None and candidates else 0.0
        for each in candidates:
            if worth and not self._may_lose(each.sequence, worth):
                continue
            each.drafts = self._guess(each.sequence, min(each.limit, self.most, budget))
            if each.drafts:
                guessed.append(each)
        if not guessed:
            return []
        if self.cost is None:
            return self._first(guessed, budget)
        return self._worth(guessed, num_rows, len(candidates), budget, self.cost)

    def _may_pay(self, num_rows: int, num_certain: int, cost: Callable[[int], float]) -> bool:
        """Whether any number of drafts would pay, if all of them held: else nobody is asked."""
        value, most = num_certain / cost(num_rows), self.most * num_certain
        return any(
            (num_certain + count) / (cost(num_rows + count) + self._guessing(width, depth)) > value
            for count, width, depth in ((1, 1, 1), (self.most, 1, self.most), (most, num_certain, self.most))
        )

    def _guessing(self, width: int, depth: int) -> float:
        return 0.0 if self.guess_cost is None else self.guess_cost(width, depth)

    def learn(self, sequence: Sequence, num_drafts: int, num_accepted: int) -> None:
        """Takes what became of a sequence's drafts."""
        self._num_drafts += 1
        self._num_tokens += num_drafts
        for place in range(num_accepted):
            self._accepted[place] += 1
        if (own := sequence.drafting) is None:
            return
        own.lost += num_drafts * own.draft_cost - num_accepted * own.worth
        for place in range(min(num_accepted + 1, num_drafts)):
            bucket, failed = bisect_left(_STRENGTHS, own.strength + place), place == num_accepted
            own.expected = own.expected * _OWN_MEMORY + self._fails[bucket] / self._tries[bucket]
            own.failed = own.failed * _OWN_MEMORY + failed
            self._fails[bucket] = self._fails[bucket] * _MEMORY + failed
            self._tries[bucket] = self._tries[bucket] * _MEMORY + 1

    def forget(self, sequence: Sequence) -> None:
        """A sequence has ended: a proposer that learns from texts is told, and nothing is kept."""
        own, sequence.drafting = sequence.drafting, None
        if own is None or sequence.finish_reason == "error" or not isinstance(self._proposer, Learner):
            return
        try:
            self._proposer.ended(own.transcript)
        except Exception as error:
            if not self._fails_to_learn:
                logger.error("a proposer failed with a text that has ended", exc_info=error)
            self._fails_to_learn = True

    @staticmethod
    def _own(sequence: Sequence) -> Drafting:
        if sequence.drafting is None:
            transcript = Transcript(sequence.token_ids, sequence.num_prompt_tokens, sequence.cache_keys.salt)
            sequence.drafting = Drafting(transcript)
        return sequence.drafting

    def _may_lose(self, sequence: Sequence, worth: float) -> bool:
        """Whether a sequence's guesses may go wrong once more; it is charged for being asked then.

        What a grammar forces nearly always holds: where there is one, guesses are asked for whatever they have cost.

        Args:
            worth: what a token takes without guesses.
        """
        own = self._own(sequence)
        own.worth = worth
        own.elapsed += worth
        if sequence.guide is None and own.lost > _MOST_LOST * own.elapsed + _LOST_AT_FIRST * worth:
            return False
        own.lost += self._ask_cost
        return True

    def _guess(self, sequence: Sequence, most: int) -> Seq[int]:
        if most < 1:
            return ()
        own = self._own(sequence)
        if self._proposer is None:  # masks are made of tokens that are known before the step
            return () if sequence.guide is not None else [TO_GUESS] * most
        pending = sequence.num_pending_tokens
        new = min(len(sequence.token_ids) - own.read, MOST_READ)
        if new > self._to_read:
            return ()
        own.read += new
        self._to_read -= new
        try:
            # A pending token is guessed too, and not used: it has its place.
            guessed = self._proposer.propose(own.transcript, most + pending)
            own.strength = int(own.transcript.strength)
            drafts: Seq[int] = list(guessed)[pending : most + pending]
            for place, token in enumerate(drafts):
                if type(token) is not int:
                    raise TypeError(f"it proposed {token!r:.40}, expected integers")
                if not 0 <= token < self._vocab_size:
                    drafts = drafts[:place]
                    break
            if sequence.guide is not None:
                drafts, forced = sequence.guide.drafts(drafts, most)
                own.strength = _STRENGTHS[-1] if forced else own.strength
        except Exception as error:
            if not self._num_failures:
                logger.error("a proposer failed, its sequences go on without speculation", exc_info=error)
            self._num_failures += 1
            sequence.max_drafts = 0
            return ()
        return drafts

    def _first(self, guessed: Seq[Candidate], budget: int) -> list[Candidate]:
        """All of the guesses, as far as the budget goes."""
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
        """The number of drafts with the most tokens for their cost; the likeliest drafts of all sequences first.

        Args:
            num_certain: tokens that come without any draft.
        """
        # By the probability of the next draft.
        waiting = [(-self._rate(each.sequence, 0), place) for place, each in enumerate(guessed)]
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
                extra = self._guessing(width, depth)
            seconds = cost(num_rows + len(order)) + extra
            if (value := expected / seconds) > best:
                best, best_count, best_cost = value, len(order), seconds
            if lengths[place] < len(guessed[place].drafts):
                rate = self._rate(guessed[place].sequence, lengths[place])
                heapq.heappush(waiting, (holds * rate, place))
        if not best_count:
            self._forget_some()
        kept = [0] * len(guessed)
        for place in order[:best_count]:
            kept[place] += 1
        for each, count in zip(guessed, kept, strict=True):
            each.drafts, own = each.drafts[:count], self._own(each.sequence)
            if count:
                own.draft_cost = (best_cost - cost(num_rows)) / best_count
            else:  # what once failed is tried again one day
                own.failed *= _MEMORY
                own.expected *= _MEMORY
        return [each for each in guessed if each.drafts]

    def _forget_some(self) -> None:
        """Nothing pays: guesses are tried again when as much was forgotten of those that failed."""
        for bucket, fails in enumerate(self._fails_at_first):
            self._fails[bucket] += (fails - self._fails[bucket]) * (1 - _MEMORY)
            self._tries[bucket] += (_AT_FIRST_COUNT - self._tries[bucket]) * (1 - _MEMORY)

    def _rate(self, sequence: Sequence, place: int) -> float:
        """How often the token at a place of a sequence's next guess holds, if all before it do.

        It fails as often as such guesses do, and as much more or less often as the sequence's own have.
        """
        own = sequence.drafting
        assert own is not None
        bucket = bisect_left(_STRENGTHS, own.strength + place)  # each token that holds makes a guess surer
        often = (own.failed + 1) / (own.expected + 1)
        return 1 - min(1.0, often * self._fails[bucket] / self._tries[bucket])

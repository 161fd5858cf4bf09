"""Drafter: whose next tokens are guessed in a step, and how many. Owns what was learned of how often guesses hold."""

from __future__ import annotations

import heapq
import logging
from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from math import ceil

from torchpaged.scheduling.proposers import MOST_READ, Drafting, Learner, Proposer, Transcript
from torchpaged.scheduling.sequence import Sequence
from torchpaged.scheduling.step import TO_GUESS, Step
from torchpaged.scheduling.step_cost import Recent, Surcharge

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
# New tokens at most of sequences by which it is timed what asking takes: reading a prompt is part of what that takes.
_MOST_NEW = 32
# Steps at most that have no guesses while nobody knows what such steps take.
_MOST_WAITED = 16


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
    is asked until its text is that much longer. So a text that cannot be guessed loses 2 % at most. What steps with
    guesses take, and asking, is learnt from those that ran: what is given are only the first prices.

    Args:
        proposer: guesses; None: whoever computes does, and computes for that all tokens but the last draft.
        most: tokens of one sequence at most.
        vocab_size: a guess ends before what is no token.
        cost: of a step by its rows, in any unit; None: drafts cost nothing.
        guess_cost: of guesses, by how many sequences have some and how many the one with most has; None: nothing.
        ask_cost: of asking the proposer about one sequence, whatever it answers, beside what that takes by the clock.
        clock: in seconds, as `cost`; one step without guesses is waited for then, so that what those with some take
            can be told. None: asking takes no more than that.
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
        clock: Callable[[], float] | None = None,
        lags: bool | None = None,
    ) -> None:
        self.most = most
        self._ask_cost, self._clock = ask_cost, clock
        self._asking = Recent(0.0)  # seconds of asking about one sequence, and of choosing among its guesses
        self.cost, self.guess_cost = cost, guess_cost
        self._surcharge, self._num_waited = Surcharge(), 0
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
        self._to_read = 0  # new tokens that proposers may still be given in this step
        self._accepted = [0] * most

    @property
    def counts(self) -> DraftCounts:
        """Since the engine was made."""
        accepted = tuple(self._accepted)
        return DraftCounts(self._num_drafts, self._num_tokens, sum(accepted), accepted, self._num_failures)

    def choose(
        self, candidates: Seq[Candidate], num_rows: int, budget: int, num_certain: int | None = None
    ) -> list[Candidate]:
        """Those that have drafts, with as many of them as pay.

        Args:
            num_rows: tokens that the step computes anyway.
            budget: drafts of all sequences at most.
            num_certain: sequences that get a token without any draft, of which some may be no candidates; None: those
                that are.
        """
        if self.rests or not candidates or self._waits_for_prices():
            return []
        num_certain = len(candidates) if num_certain is None else num_certain
        if self.cost is not None and not self.computes:
            asked = num_rows, num_certain, self.cost, self._surcharge.factor
            if asked != self._asked:  # mostly as in the last step
                self._asked, self._pays = asked, self._may_pay(num_rows, num_certain, self.cost)
            if not self._pays:
                self._surcharge.fade()
                return []
        begun = 0.0 if self._clock is None else self._clock()
        guessed, num_asked, num_new = self._ask(candidates, budget, num_certain)
        if guessed and self.cost is None:
            guessed = self._first(guessed, budget)
        elif guessed and self.cost is not None:
            guessed = self._worth(guessed, num_rows, num_certain, budget, self.cost)
        if self._clock is not None and num_asked and num_new <= _MOST_NEW * num_asked:
            self._asking.add((self._clock() - begun) / num_asked)
        return guessed

    def _waits_for_prices(self) -> bool:
        """Whether it is to be seen first what a step without guesses takes; in vain where all have prompts too."""
        if self._clock is None or self.cost is None or self._surcharge.knows:
            return False
        self._num_waited += 1
        return self._num_waited <= _MOST_WAITED

    def _ask(self, candidates: Seq[Candidate], budget: int, num_certain: int) -> tuple[list[Candidate], int, int]:
        """(those that have guesses, how many were asked about, how many new tokens they had), of those that may lose
        something."""
        self._to_read = _MOST_READ
        worth = 0.0 if self.cost is None else self.cost(num_certain) / num_certain
        asking = self._ask_cost + self._asking.median / self._surcharge.pace
        guessed, num_asked, num_new = [], 0, 0
        for each in candidates:
            sequence = each.sequence
            if worth and not self._may_lose(sequence, worth, asking):
                continue
            num_asked += 1
            before = 0 if sequence.drafting is None else sequence.drafting.read
            each.drafts = self._guess(sequence, min(each.limit, self.most, budget))
            num_new += 0 if sequence.drafting is None else sequence.drafting.read - before
            if each.drafts:
                guessed.append(each)
        return guessed, num_asked, num_new

    def _may_pay(self, num_rows: int, num_certain: int, cost: Callable[[int], float]) -> bool:
        """Whether any number of drafts would pay, if all of them held: else nobody is asked."""
        value, most = num_certain / cost(num_rows), self.most * num_certain
        return any(
            (num_certain + count) / self._seconds(cost, num_rows + count, num_certain + count, width, depth) > value
            for count, width, depth in ((1, 1, 1), (self.most, 1, self.most), (most, num_certain, self.most))
        )

    def _seconds(self, cost: Callable[[int], float], num_rows: int, num_decoded: int, width: int, depth: int) -> float:
        """Of a step with guesses, in the unit of one without: they take no more where prompts are beside them.

        Args:
            num_decoded: of its rows those that are no prompts'.
        """
        guessing = self._guessing(width, depth)
        return cost(num_rows) + guessing + (self._surcharge.factor - 1) * (cost(num_decoded) + guessing)

    def _guessing(self, width: int, depth: int) -> float:
        return 0.0 if self.guess_cost is None else self.guess_cost(width, depth)

    def took(self, step: Step, seconds: float) -> None:
        """Takes what a step has taken, with scheduling where nothing runs meanwhile. Of steps with prompts nothing is
        learnt."""
        if self.cost is None or self.rests:
            return
        num_drafts = sum(map(len, step.drafts.values()))
        again = step.num_tokens - len(step.ids) - num_drafts  # computed once more where whoever computes lags
        if not step.ids or again > (len(step.ids) if self.lags else 0):
            return
        expected = self.cost(step.num_tokens)
        if step.drafts:
            self._surcharge.with_guesses(
                expected + self._guessing(len(step.drafts), max(map(len, step.drafts.values()))), seconds
            )
        else:
            self._surcharge.without(expected, seconds)

    def reprice(self, cost: Callable[[int], float], guess_cost: Callable[[int, int], float]) -> None:
        """What steps and guesses cost is something else: what was learnt of it is forgotten."""
        self.cost, self.guess_cost = cost, guess_cost
        self._surcharge, self._num_waited = Surcharge(), 0

    def waits(self, sequence: Sequence) -> bool:
        """Whether nobody is asked about a sequence before its text is longer."""
        own = sequence.drafting
        return own is not None and own.waits_until > len(sequence.token_ids) and sequence.guide is None

    def learn(self, sequence: Sequence, num_drafts: int, num_accepted: int) -> None:
        """Takes what became of a sequence's drafts."""
        self._num_drafts += 1
        self._num_tokens += num_drafts
        for place in range(num_accepted):
            self._accepted[place] += 1
        if (own := sequence.drafting) is None:
            return
        own.lost -= num_accepted * own.worth
        for place in range(min(num_accepted + 1, num_drafts)):
            self._count(own, place, place == num_accepted)

    def _count(self, own: Drafting, place: int, failed: bool) -> None:
        """What became of the token at a place of a guess, behind those that held."""
        bucket = bisect_left(_STRENGTHS, own.strength + place)
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
            logger.error("a proposer failed with a text that has ended", exc_info=error)

    @staticmethod
    def _own(sequence: Sequence) -> Drafting:
        if sequence.drafting is None:
            transcript = Transcript(sequence.token_ids, sequence.num_prompt_tokens, sequence.cache_keys.salt)
            sequence.drafting = Drafting(transcript, length=len(sequence.token_ids))
        return sequence.drafting

    def _may_lose(self, sequence: Sequence, worth: float, asking: float) -> bool:
        """Whether a sequence's guesses may go wrong once more; it is charged for being asked then.

        What a grammar forces nearly always holds: where there is one, guesses are asked for whatever they have cost.

        Args:
            worth: what a token takes without guesses.
            asking: what asking takes.
        """
        own, length = self._own(sequence), len(sequence.token_ids)
        own.worth = worth
        own.elapsed += worth * (length - own.length)
        own.length = length
        if (
            own.untried is not None and own.untried[0] < length
        ):  # what was guessed and not computed: whether it was right costs nothing to know
            place, token = own.untried
            own.untried = None
            self._count(own, 0, sequence.token_ids[place] != token)
        lost = own.lost + self._surcharge.factor * own.drafted
        beyond = lost - _MOST_LOST * own.elapsed - _LOST_AT_FIRST * worth
        if sequence.guide is None and beyond > 0:
            own.waits_until = length + ceil(beyond / (_MOST_LOST * worth))
            return False
        own.lost += asking
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
        expected, best, best_count, shape = float(num_certain), num_certain / cost(num_rows), 0, (0, 0)
        lengths, width, depth = [0] * len(guessed), 0, 0
        while waiting and len(order) < budget:
            holds, place = heapq.heappop(waiting)
            lengths[place] += 1
            order.append(place)
            expected -= holds
            width, depth = width + (lengths[place] == 1), max(depth, lengths[place])
            seconds = self._seconds(cost, num_rows + len(order), num_certain + len(order), width, depth)
            if (value := expected / seconds) > best:
                best, best_count, shape = value, len(order), (width, depth)
            if lengths[place] < len(guessed[place].drafts):
                rate = self._rate(guessed[place].sequence, lengths[place])
                heapq.heappush(waiting, (holds * rate, place))
        if not best_count:
            self._forget_some()
        kept = [0] * len(guessed)
        for place in order[:best_count]:
            kept[place] += 1
        drafted = cost(num_certain + best_count) + self._guessing(*shape)
        otherwise = drafted - (cost(num_rows + best_count) + self._guessing(*shape) - cost(num_rows))
        for each, count in zip(guessed, kept, strict=True):
            own, length = self._own(each.sequence), len(each.sequence.token_ids)
            if count:
                own.drafted += drafted * count / best_count
                own.lost -= otherwise * count / best_count
            else:  # what once failed is tried again one day
                own.failed *= _MEMORY
                own.expected *= _MEMORY
                if not (self.computes or each.sequence.num_pending_tokens):
                    own.untried = length, each.drafts[0]
            each.drafts = each.drafts[:count]
        return [each for each in guessed if each.drafts]

    def _forget_some(self) -> None:
        """Nothing pays: guesses are tried again when enough was forgotten of those that failed, and what they cost."""
        self._surcharge.fade()
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

"""Drafter, replayed over texts at given costs: what drafts lose if all are rejected, and gain if many are accepted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from tests.scheduling.harness import sequence_of
from torchpaged.scheduling import StopRule
from torchpaged.scheduling.drafter import Candidate, DraftCosts, Drafter
from torchpaged.scheduling.guide import Guide
from torchpaged.scheduling.proposers import NGramProposer, Proposer, Transcript
from torchpaged.scheduling.step_cost import ASKING, GuessCost, StepCost, bookkeeping
from torchpaged.scheduling.suffix_proposer import SuffixProposer

# Seconds of a step by its number of rows, after 300 tokens: stdlib-lm's, and those of the 0.6 B shape.
ROWS = (1, 2, 4, 8, 12, 16, 24, 32)
COSTS = {
    "1 ms": StepCost(ROWS, [x * 1e-3 for x in (0.97, 1.01, 1.08, 1.33, 1.66, 1.97, 2.6, 3.3)]),
    "14 ms": StepCost(ROWS, [x * 14e-3 for x in (1.0, 1.01, 1.04, 1.08, 1.2, 1.35, 1.6, 1.93)]),
}
MOST, VOCAB = 15, 5000


class Wrong:
    """Proposer of drafts that are always rejected, with changing strength: each strength is learned separately."""

    def __init__(self, strengths: Sequence[int]) -> None:
        self.strengths, self.num_asked = strengths, 0

    def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
        """Implement `Proposer.propose`."""
        self.num_asked += 1
        transcript.strength = self.strengths[self.num_asked % len(self.strengths)]
        return [VOCAB - 1] * max_drafts


@dataclass
class Replayed:
    """Measurements of a replayed text: its seconds, those without drafts, and how often the proposer was called."""

    seconds: float
    plain: float
    num_asked: int = 0

    @property
    def lost(self) -> float:
        """Return the loss relative to the time without drafts."""
        return self.seconds / self.plain - 1


def holding(drafts: Sequence[int], text: Sequence[int], count: int) -> int:
    """Return how many of the drafts are accepted, because the text continues with them after `count` tokens."""
    return next((i for i, draft in enumerate(drafts) if draft != text[count + i]), len(drafts))


def replay(proposer: Proposer, text: list[int], num_prompt: int, cost: Callable[[int], float]) -> Replayed:
    """Replay a text of which the prompt and the next token are known."""
    drafter = Drafter(proposer, MOST, VOCAB, DraftCosts(cost, bookkeeping, ASKING))
    sequence = sequence_of(text[: num_prompt + 1], StopRule(9999), id=0)
    found = Replayed(0.0, cost(1) * (len(text) - num_prompt - 1))
    ask, asked = proposer.propose, []
    proposer.propose = lambda *given: asked.append(1) or ask(*given)  # type: ignore[method-assign, func-returns-value]
    while (count := len(sequence.token_ids)) < len(text):
        candidate = Candidate(0, sequence, min(MOST, len(text) - count - 1))
        drafts = [each.drafts for each in drafter.select([candidate], 1, 500)]
        held = holding(drafts[0], text, count) if drafts else 0
        found.seconds += cost(1 + len(drafts[0])) + bookkeeping(1, 1) if drafts else cost(1)
        if drafts:
            drafter.learn(sequence, len(drafts[0]), held)
        sequence.token_ids += text[count : count + held + 1]
    found.num_asked = len(asked)
    found.seconds += len(asked) * ASKING
    return found


def best_fixed(make: Callable[[], Proposer], text: list[int], num_prompt: int, cost: Callable[[int], float]) -> float:
    """Return the seconds of a drafter with one draft length for the whole text, the best one."""

    def fixed(length: int) -> float:
        tokens, seconds, proposer = text[: num_prompt + 1], 0.0, make()
        transcript = Transcript(tokens, num_prompt)
        while (count := len(tokens)) < len(text):
            drafts = proposer.propose(transcript, min(length, len(text) - count - 1))
            seconds += ASKING + (cost(1 + len(drafts)) + bookkeeping(1, 1) if drafts else cost(1))
            tokens += text[count : count + holding(drafts, text, count) + 1]
        return seconds

    return min(fixed(length) for length in range(1, MOST + 1))


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@pytest.mark.parametrize("length", [100, 250, 1000])
@pytest.mark.parametrize("strengths", [(20,), (0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 40)], ids=["sure", "now and then"])
def test_a_text_that_nobody_guesses_loses_two_percent_at_most(
    strengths: Sequence[int], length: int, cost: StepCost
) -> None:
    text = [7 * place % 4000 for place in range(30 + length)]
    assert 0 < replay(Wrong(strengths), text, 30, cost).lost <= 0.02


def test_asking_costs_too() -> None:
    """In a step of 0.2 ms a call takes 7.5 %: a proposer that returns nothing is called only now and then."""

    class Silent:
        def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
            return ()

    found = replay(Silent(), list(range(4000)), 30, StepCost(ROWS, [2e-4 * (1 + rows / 100) for rows in ROWS]))
    assert 0.005 < found.lost <= 0.02 and found.num_asked < 1000


def texts() -> Iterator[tuple[str, list[int], int]]:
    """Yield (name, tokens, length of the prompt)."""
    pick = random.Random(0)
    source = [pick.randrange(VOCAB - 1) for _ in range(400)]
    edited = [pick.randrange(VOCAB - 1) if pick.random() < 0.02 else token for token in source]
    yield "edited", source + edited, 400
    yield "again and again", source[:300] + source[:4] * 100, 300


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@pytest.mark.parametrize("make", [NGramProposer, SuffixProposer])
@pytest.mark.parametrize(("text", "num_prompt"), [each[1:] for each in texts()], ids=[each[0] for each in texts()])
def test_a_text_that_repeats_takes_little_more_than_at_its_best_length(
    text: list[int], num_prompt: int, make: Callable[[], Proposer], cost: StepCost
) -> None:
    found = replay(make(), text, num_prompt, cost)
    assert found.plain / found.seconds > 3.5
    assert best_fixed(make, text, num_prompt, cost) / found.seconds >= 0.95


def test_a_text_that_begins_to_repeat_itself_is_asked_about_again() -> None:
    """After 2,000 tokens of wrong drafts right ones follow."""
    text = [7 * place % 4000 for place in range(2000)] + [4001, 4002, 4003] * 60

    class Late(Wrong):
        def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
            wrong = super().propose(transcript, max_drafts)
            count = len(transcript.token_ids)
            return wrong if count < 2000 else text[count : count + max_drafts]

    cost = COSTS["1 ms"]
    first, all_of_it = (replay(Late(range(40)), part, 30, cost) for part in (text[:2000], text))
    assert first.lost > 0
    assert all_of_it.seconds - first.seconds < 0.3 * (all_of_it.plain - first.plain)


def test_what_a_grammar_forces_is_asked_for_whatever_was_lost() -> None:
    class Forces(Guide):
        def drafts(self, drafts: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
            return [1, 2, 3][:most], True

    drafter = Drafter(Wrong((5,)), 3, VOCAB, DraftCosts(COSTS["1 ms"], GuessCost(lambda count: 0.0, lambda count: 0.0)))
    sequence = sequence_of([5] * 9, StopRule(99), id=0)
    for guide, chosen in ((None, 0), (Forces(), 1)):
        drafter.select([Candidate(0, sequence, 3)], 1, 9)
        sequence.drafting.lost, sequence.sampling.guide = 1.0, guide
        assert len(drafter.select([Candidate(0, sequence, 3)], 1, 9)) == chosen

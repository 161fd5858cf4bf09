"""Proposers compared with a search over all positions."""

from __future__ import annotations

import random
import sys
import tracemalloc

import pytest

from torchpaged.scheduling.output_history import _BETWEEN, OutputHistory
from torchpaged.scheduling.proposers import NGramProposer, Proposer, Transcript, continued
from torchpaged.scheduling.suffix_automaton import SuffixAutomaton
from torchpaged.scheduling.suffix_proposer import SuffixProposer


def texts() -> list[list[int]]:
    """Return texts of few and many tokens, periodic ones, and a Fibonacci word, which has the most suffixes."""
    pick = random.Random(0)
    found = [[pick.randrange(size) for _ in range(120)] for size in (1, 2, 3, 10, 1000)]
    word, longer = [0], [0, 1]
    while len(longer) < 80:
        word, longer = longer, longer + word
    repeated = [pick.randrange(50) for _ in range(17)] * 8
    return [*found, longer, repeated, [], [7], [7, 7]]


def runs_before(tokens: list[int], length: int) -> list[int]:
    """Return the earlier positions where the last `length` tokens occur, as the index of their last token."""
    return [end for end in range(length - 1, len(tokens) - 1) if tokens[end + 1 - length : end + 1] == tokens[-length:]]


def longest_run(tokens: list[int]) -> int:
    """Return the length of the longest suffix that occurs earlier."""
    return max((length for length in range(1, len(tokens)) if runs_before(tokens, length)), default=0)


@pytest.mark.parametrize("tokens", texts(), ids=lambda tokens: f"{len(tokens)}-{len(set(tokens))}")
def test_the_automaton_finds_the_longest_run(tokens: list[int]) -> None:
    automaton = SuffixAutomaton()
    for count in range(1, len(tokens) + 1):
        automaton.extend(tokens[count - 1 : count])
        place, length = automaton.find()
        assert length == longest_run(tokens[:count]) and (length == 0 or place in runs_before(tokens[:count], length))
    automaton.check()


@pytest.mark.parametrize("tokens", texts(), ids=lambda tokens: f"{len(tokens)}-{len(set(tokens))}")
def test_the_n_grams_are_the_latest_of_the_longest(tokens: list[int]) -> None:
    proposer, transcript = NGramProposer(2, 4), Transcript([], 0)
    for count in range(1, len(tokens) + 1):
        transcript.token_ids = tokens[:count]
        drafts = proposer.propose(transcript, 3)
        length = min(4, longest_run(tokens[:count]))
        while length > 2 and not any(end >= length - 1 for end in runs_before(tokens[:count], length)):
            length -= 1
        if length < 2:
            assert not drafts and transcript.strength == 0
        elif len(runs_before(tokens[:count], 2)) < 32:  # no more are searched
            assert transcript.strength == length
            assert drafts == continued(tokens[:count], runs_before(tokens[:count], length)[-1], 3)


def test_what_runs_into_the_end_goes_round() -> None:
    assert continued([1, 2, 3, 1, 2, 3], 2, 7) == [1, 2, 3, 1, 2, 3, 1]
    assert continued([5, 5, 5], 1, 4) == [5, 5, 5, 5]
    assert continued([1, 2, 3, 4], 0, 2) == [2, 3]


@pytest.mark.parametrize("proposer", [NGramProposer(), SuffixProposer()], ids=["ngram", "suffix"])
def test_proposals_do_not_depend_on_when_they_are_asked_for(proposer: Proposer) -> None:
    """Tokens that come one by one, or many at once, give the same drafts."""
    pick = random.Random(1)
    tokens = [pick.randrange(4) for _ in range(300)]
    growing = Transcript(tokens[:1], 1)
    for count in range(2, 300):
        growing.token_ids = tokens[:count]
        if pick.random() < 0.3:
            drafts = list(proposer.propose(growing, 5))
            at_once = Transcript(tokens[:count], 1)
            assert drafts == list(proposer.propose(at_once, 5)) and growing.strength == at_once.strength
            assert len(drafts) <= 5


@pytest.mark.parametrize("proposer", [NGramProposer(), SuffixProposer()], ids=["ngram", "suffix"])
def test_a_long_prompt_is_read_in_parts(proposer: Proposer) -> None:
    """No call takes long: there are no drafts before all of the prompt was read."""
    tokens = list(range(1000)) * 5
    transcript = Transcript(tokens, len(tokens))
    proposed = [list(proposer.propose(transcript, 3)) for _ in range(4)]
    assert proposed == [[], [], [0, 1, 2], [0, 1, 2]]
    tokens += [0, 1]
    assert list(proposer.propose(transcript, 3)) == [2, 3, 4]


@pytest.mark.parametrize("proposer", [NGramProposer(), SuffixProposer()], ids=["ngram", "suffix"])
@pytest.mark.parametrize("kind", ["alike", "random", "fibonacci"])
def test_cost_of_a_token_is_bounded(proposer: Proposer, kind: str) -> None:
    """Counted in lines run, not in seconds, and in bytes, for any kind of text."""
    pick, count = random.Random(2), 4000
    word, fibonacci = [0], [0, 1]
    while len(fibonacci) < count:
        word, fibonacci = fibonacci, fibonacci + word
    of = {"alike": [3] * count, "random": [pick.randrange(1000) for _ in range(count)], "fibonacci": fibonacci[:count]}
    tokens, transcript = of[kind], Transcript([], 0)
    lines = 0

    def counting(frame: object, event: str, argument: object) -> object:
        nonlocal lines
        lines += event == "line"
        return counting

    tracemalloc.start()
    sys.settrace(counting)
    try:
        transcript.token_ids = tokens
        for _ in range(2):
            proposer.propose(transcript, 7)
    finally:
        sys.settrace(None)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert lines < 100 * count and peak < 400 * count


# --- Other requests' outputs -------------------------------------------------------------------------------


def longest_end(text: list[int], others: list[list[int]]) -> int:
    """Return the length of the longest suffix that occurs in any other text."""
    return max(
        (
            length
            for length in range(1, len(text) + 1)
            for other in others
            if any(other[i : i + length] == text[-length:] for i in range(len(other)))
        ),
        default=0,
    )


def test_a_text_is_followed_through_an_automaton_that_grows() -> None:
    """A position found before stays right when the automaton's states are split."""
    pick = random.Random(1)
    for size in (2, 4, 30):
        segment, automaton, place, text = [], SuffixAutomaton(), (0, 0), []
        for _ in range(150):
            more = [pick.randrange(size) for _ in range(pick.randrange(3))]
            segment += more
            automaton.extend(more)
            text.append(pick.randrange(size))
            place = automaton.follow(place, text[-1:])
            length = longest_end(text, [segment])
            # Tokens added since may match further back than the followed position; no match is too short.
            assert (
                place[1] <= length
                and segment[automaton.end_of(place) + 1 - place[1] :][: place[1]] == text[len(text) - place[1] :]
            )
        fresh = automaton.follow((0, 0), text)
        assert fresh[1] == longest_end(text, [segment])


def test_outputs_are_found_by_the_same_salt_alone() -> None:
    found = OutputHistory(8)
    output = list(range(100, 140))
    found.add(Transcript([1, 2, 3, *output], 3, "one"))
    for salt, length in (("one", 5), ("other", 0), (None, 0)):
        got = found.find(Transcript([7, 9, *output[10:15]], 2, salt), {}, 1, 3)
        assert got == (length, output[15:18] if length else ())
    assert found.find(Transcript([1, 2, 3], 3, "one"), {}, 1, 3) == (0, ())  # not the prompt
    assert found.find(Transcript(output[-3:], 0, "one"), {}, 1, 3) == (3, [])  # nor beyond its end


def test_outputs_are_found_by_the_same_adapter_alone() -> None:
    found = OutputHistory(8)
    output = list(range(100, 140))
    found.add(Transcript(output, 0, "one", adapter="a"))
    for salt, adapter, length in (("one", "a", 5), ("one", "b", 0), ("one", None, 0), (None, "a", 0), ("a", "one", 0)):
        assert found.find(Transcript(output[10:15], 2, salt, adapter=adapter), {}, 1, 3)[0] == length


def test_a_long_output_is_read_in_parts() -> None:
    found, output = OutputHistory(8), list(range(200))
    found.add(Transcript(output, 0))
    text, lengths = Transcript(output[150:153], 0), []
    for _ in range(4):
        lengths.append(found.find(text, {}, 1, 2)[0])
    assert lengths == [0, 0, 3, 3]


def test_as_much_is_remembered_as_was_asked() -> None:
    """The limit counts the outputs of all salts, and their tokens; the latest are kept."""
    found = OutputHistory(8, most_tokens=400)
    for number in range(100):
        found.add(Transcript([1000 + number] * 30, 0, f"salt {number % 3}"))
        for _ in range(3):
            found.find(Transcript([1, 2], 0, "salt 0"), {}, 1, 1)
        assert found.num_tokens <= 400 and sum(segment.num_outputs for segment in found._segments.values()) <= 8
    assert found.find(Transcript([1099] * 4, 0, "salt 0"), {}, 1, 9)[0] == 4
    assert found.find(Transcript([1050] * 4, 0, "salt 2"), {}, 1, 9)[0] == 0
    found.add(Transcript(list(range(5000)), 0))
    assert found.num_tokens <= 400 and _BETWEEN < 0


def test_the_longer_run_is_what_is_guessed() -> None:
    proposer = SuffixProposer(2, 4)
    proposer.ended(Transcript([5, 6, 7, 8, 9, 10], 0))
    inside = Transcript([7, 8, 1, 2, 3, 7, 8], 0)
    assert proposer.propose(inside, 2) == [1, 2] and inside.strength == 2  # as long in both: its own text wins
    outside = Transcript([7, 8, 1, 2, 6, 7, 8], 0)
    assert proposer.propose(outside, 2) == [9, 10] and outside.strength == 3
    assert SuffixProposer(2).propose(Transcript([5, 6], 0), 3) == ()

"""Sequence: when a token is the last one, and what a step could compute."""

from __future__ import annotations

import pytest

from tests.scheduling.harness import sequence_of
from torchpaged.scheduling import RowParams, Sequence, Status, StopRule
from torchpaged.scheduling.sequence import EncoderInput, Origin, Sampling

STOP, TEXT = 7, 40


def make(*, max_length: int = 100, prompt: int = 3, stops: tuple[int, ...] = (), min_length: int = 0) -> Sequence:
    return sequence_of([TEXT] * prompt, StopRule(max_length, frozenset(stops), min_length), id=1)


def test_counts() -> None:
    sequence = make(prompt=4)
    assert (sequence.num_tokens, sequence.num_prompt_tokens, sequence.num_output_tokens) == (4, 4, 0)
    assert sequence.num_uncomputed_tokens == 4 and sequence.num_encoder_tokens == 0
    sequence.status, sequence.num_computed_tokens, sequence.num_pending_tokens = Status.RUNNING, 4, 1
    assert (sequence.num_tokens, sequence.num_uncomputed_tokens, sequence.output_token_ids) == (5, 1, [])
    assert sequence.take([9]) == 1
    assert (sequence.num_tokens, sequence.num_output_tokens, sequence.num_uncomputed_tokens) == (5, 1, 1)
    assert sequence.output_token_ids == [9] and not sequence.ended and not sequence.idle
    sequence.check()


def test_the_prompt_is_copied() -> None:
    prompt = [1, 2, 3]
    sequence = sequence_of(prompt, StopRule(10), id=1)
    sequence.take([4])
    assert prompt == [1, 2, 3]


@pytest.mark.parametrize(
    ("ends", "tokens", "taken", "reason", "stop"),
    [
        pytest.param({"stops": (STOP,)}, [TEXT, STOP, TEXT], 2, "stop", STOP, id="what-runs-past-a-stop-is-dropped"),
        pytest.param({"stops": (2, 3)}, [3], 1, "stop", 3, id="second-stop"),
        pytest.param({}, [STOP, TEXT], 2, None, None, id="no-stops"),
        pytest.param({"max_length": 5}, [TEXT, TEXT, TEXT], 2, "length", None, id="length"),
        pytest.param({"max_length": 5, "stops": (STOP,)}, [TEXT, STOP], 2, "stop", STOP, id="stop-at-length"),
        pytest.param({"stops": (STOP,), "min_length": 5}, [STOP], 1, None, None, id="stop-too-early"),
        pytest.param({"stops": (STOP,), "min_length": 5}, [TEXT, STOP], 2, "stop", STOP, id="stop-at-min-length"),
        pytest.param({"max_length": 5}, [TEXT], 1, None, None, id="below-length"),
    ],
)
def test_end(ends: dict[str, object], tokens: list[int], taken: int, reason: str | None, stop: int | None) -> None:
    """One by one, and as a run of several."""
    several, single = make(**ends), make(**ends)  # type: ignore[arg-type]
    assert several.take(tokens) == taken
    for token in tokens[:taken]:
        assert not single.ended
        single.take([token])
    for sequence in (several, single):
        assert (sequence.finish_reason, sequence.finish and sequence.finish.stop_token) == (reason, stop)
        assert sequence.output_token_ids == tokens[:taken]


def test_a_fork_has_the_tokens_and_nothing_computed() -> None:
    origin = Origin(5, 3, 2, priority=2, encoder=EncoderInput([1], 1))
    parent = Sequence(1, origin, [1, 2], Sampling(RowParams()), StopRule(9))
    parent.take([4])
    parent.num_computed_tokens = 2
    child = parent.forked(8, RowParams(seed=4))
    assert (child.id, child.held) == (8, True) and child.origin is origin
    assert child.token_ids == [1, 2, 4] and child.num_prompt_tokens == 2 and child.num_computed_tokens == 0
    assert child.sampling.params.seed == 4
    child.token_ids.append(7)
    assert parent.token_ids == [1, 2, 4]


def test_check_sees_a_waiting_sequence_with_computed_tokens() -> None:
    sequence = make()
    sequence.num_computed_tokens = 1
    with pytest.raises(AssertionError):
        sequence.check()

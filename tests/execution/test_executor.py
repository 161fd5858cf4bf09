"""LocalExecutor: steps in flight, their results, failures and interrupts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.execution.test_model_runner import mask, prompts
from tests.fakes import FakeModel, follow
from torchpaged import EngineConfig
from torchpaged.execution.executor import LocalExecutor
from torchpaged.execution.pending_step import PendingStep
from torchpaged.kv_cache import BlockCopy
from torchpaged.scheduling import NewSequence, RowParams, Step
from torchpaged.scheduling.step import Scored

CONFIG = EngineConfig(block_size=4, num_blocks=33, max_num_seqs=4, swap_space=0.0001)


def executor(model: FakeModel | None = None) -> LocalExecutor:
    model = model or FakeModel()
    return LocalExecutor(model, CONFIG.resolve(model.spec))


def test_attributes_for_the_scheduler() -> None:
    own = executor()
    assert (own.num_blocks, own.num_swap_blocks) == (33, own.runner.kv_cache.num_swap_blocks)
    assert own.groups == own.runner.groups and own.num_swap_blocks > 0
    assert own.copied == 0 and own.settled


def test_two_steps_in_flight() -> None:
    """The second continues from the tokens of the first; results may be asked for in any order."""
    own = executor()
    own.launch(prompts((5, 6, 7), (9,)))
    own.launch(Step(2, [1], [3], [1]))
    later, first = own.result(2), own.result(1)
    assert dict(first.runs()) == {1: follow((5, 6, 7), 1), 2: follow([9], 1)}
    assert dict(later.runs()) == {1: follow((5, 6, 7), 2)[1:]} and (first.number, later.number) == (1, 2)
    own.check()


def test_results_are_kept_until_a_later_launch() -> None:
    """An interrupt between their arrival and their processing loses nothing."""
    own = executor()
    own.launch(prompts((5, 6, 7), (9,), scored={1: Scored(1, 2)}))
    own.launch(Step(2, [1], [3], [1]))
    first = own.result(1)
    assert own.result(1) == first and first.scores[1].scores
    own.result(2)
    own.launch(Step(3, [1], [4], [1]))
    with pytest.raises(KeyError):
        own.result(1)
    assert dict(own.result(2).runs()) == {1: follow((5, 6, 7), 2)[1:]}
    for number in range(4, 9):
        own.launch(Step(number, [1], [number + 1], [1]))
        own.result(number)
    assert len(own._in_flight) <= 3, "nothing piles up"
    own.launch(Step(9, [1], [10], [1]))
    assert 3 in own._in_flight, "its results have not been asked for yet"


def test_sample_by_number() -> None:
    own = executor()
    own.launch(prompts((5, 6, 7), masked={1}))
    with pytest.raises(KeyError):
        own.sample(2, {1: mask(4)})
    own.sample(1, {1: mask(4)})
    own.launch(Step(2, [1], [3], [1]))
    assert dict(own.result(1).runs()) == {1: [4]}
    assert dict(own.result(2).runs()) == {1: follow((5, 6, 7, 4), 1)}


def test_a_dropped_step_has_no_results() -> None:
    own = executor()
    own.launch(prompts((5, 6, 7)))
    own.drop(1)
    own.drop(1)
    own.drop(7)  # was never launched
    with pytest.raises(KeyError):
        own.result(1)


def test_a_failed_launch_can_be_launched_again() -> None:
    """It has no results. Its rows are updated already, and the same update again changes nothing."""
    model = FakeModel()
    own = executor(model)
    own.launch(prompts((9, 3)))
    own.result(1)
    step = Step(2, [1, 5], [2, 0], [1, 3], released=[3], known={1: (2, (8,))})
    step.new = {5: NewSequence(5, (5, 6, 7), 3, RowParams(), ([7],))}
    model.fails = True
    for _ in range(3):
        with pytest.raises(RuntimeError, match="the device is on fire"):
            own.launch(step)
        with pytest.raises(KeyError):
            own.result(2)
        own.check()
    assert own.settled
    model.fails = False
    own.launch(step)
    assert dict(own.result(2).runs()) == {1: follow((9, 3, 8), 1), 5: follow((5, 6, 7), 1)}


def test_copies_are_made_before_the_forward_and_noted() -> None:
    model = FakeModel()
    own = executor(model)
    key = own.runner.kv_cache.caches[0].key
    key[20] = 3.0
    step = prompts((5, 6, 7))
    step.number, step.copies = 4, [BlockCopy(20, 21)]
    model.fails = True
    with pytest.raises(RuntimeError, match="the device is on fire"):
        own.launch(step)
    assert own.copied == 4 and bool((key[21] == 3.0).all())
    model.fails = False
    step.copies = []
    own.launch(step)
    assert dict(own.result(4).runs()) == {1: follow((5, 6, 7), 1)}


def test_copies_that_fail_are_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    own = executor()

    def failing(copies: Any) -> None:
        raise RuntimeError("the bus is full")

    monkeypatch.setattr(own.runner.kv_cache, "copy", failing)
    step = prompts((5, 6, 7))
    step.copies = [BlockCopy(20, 21)]
    with pytest.raises(RuntimeError, match="the bus is full"):
        own.launch(step)
    assert own.copied == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_while_waiting_leaves_the_step_in_flight(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step stays in flight until it is dropped."""
    own = executor()
    own.launch(prompts((5, 6, 7)))
    with monkeypatch.context() as patch:

        def cut_short(self: PendingStep) -> Any:
            raise error

        patch.setattr(PendingStep, "result", cut_short)
        with pytest.raises(error):
            own.result(1)
    assert dict(own.result(1).runs()) == {1: follow((5, 6, 7), 1)}
    own.drop(1)
    with pytest.raises(KeyError):
        own.result(1)


def test_reset_forgets_all() -> None:
    own = executor()
    own.launch(prompts((5,), (6,), (7,), (8,)))
    own.reset()
    with pytest.raises(KeyError):
        own.result(1)
    with pytest.raises(KeyError):
        own.launch(Step(2, [1], [1], [1]))
    own.launch(prompts((9,), (10,), (11,), (12,)))
    assert dict(own.result(1).runs())[2] == follow([10], 1)
    own.check()


def test_an_update_cut_short_is_not_settled() -> None:
    """A row is missing here that the scheduler assumes."""
    own = executor()
    with pytest.raises(KeyError):
        own.launch(Step(1, [1], [1], [1], tables=[(1, 0, 0, (3,))]))
    assert not own.settled
    own.reset()
    assert own.settled

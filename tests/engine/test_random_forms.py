"""Random runs over quantised weights and models that guess: every request's tokens are those that it has alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.random_runs import FORMS, RandomRun
from torchpaged.scheduling.step_cost import StepCost


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Propose all drafts, whatever a step costs."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)


def run(seed: int, folder: Path, form: str) -> RandomRun:
    """Run a seed; errors name it."""
    random_run = RandomRun(seed, folder, form)
    try:
        random_run.run()
    except Exception as error:
        raise AssertionError(f"RandomRun({seed}, {form!r}): {type(error).__name__}: {error}") from error
    return random_run


@pytest.mark.parametrize("form", FORMS)
def test_tokens_are_those_of_the_request_alone(form: str, tmp_path: Path) -> None:
    assert run(FORMS.index(form), tmp_path, form).num_finished > 3


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_400_runs(form: str, tmp_path: Path) -> None:
    first = int(os.environ.get("TORCHPAGED_SEED", "3000000"))
    runs = [run(seed, tmp_path, form) for seed in range(first, first + 400 // len(FORMS) + 1)]
    stats = [each.engine.stats() for each in runs]
    assert sum(each.num_finished for each in runs) > 300 and sum(each.num_faults for each in runs) > 100
    assert sum(each.num_preemptions for each in stats) > 20 and sum(s.cache.num_hit_tokens for s in stats) > 500
    if form in ("draft", "mtp"):
        assert sum(each.drafts.accepted for each in stats if each.drafts is not None) > 50

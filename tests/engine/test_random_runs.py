"""Random engine runs (`tests/random_runs.py`): every request's tokens are those that it has alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from tests.engine.test_schedules import rowwise
from tests.random_runs import METHODS, RandomRun


@pytest.fixture(autouse=True)
def rows_do_not_know_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.nn.Linear, "forward", rowwise)


def run(
    seed: int, folder: Path, kind: str | None = None, method: str | None = None, *, has_adapters: bool = False
) -> RandomRun:
    """Run a seed; errors name the seed."""
    random_run = RandomRun(seed, folder, kind, method, has_adapters=has_adapters)
    try:
        random_run.run()
    except Exception as error:
        arguments = f"{seed}, {kind!r}, {method!r}, has_adapters={has_adapters}"
        raise AssertionError(f"RandomRun({arguments}): {type(error).__name__}: {error}") from error
    return random_run


def guessed(count: int, folder: Path, kind: str | None, method: str) -> tuple[int, int]:
    """Return the numbers of guessed and of accepted tokens in some runs."""
    counts = [run(seed, folder, kind, method).engine.stats().drafts for seed in range(count)]
    return sum(each.tokens for each in counts if each), sum(each.accepted for each in counts if each)


# The last three: a pin whose next step failed stayed, unknown to its caller; rows of a step that was never launched.
@pytest.mark.parametrize("seed", [*range(12), 1_000_035, 1_000_060, 1_000_273])
def test_tokens_are_those_of_the_request_alone(seed: int, tmp_path: Path) -> None:
    assert run(seed, tmp_path).num_finished > 3


@pytest.mark.parametrize(("seed", "method"), list(enumerate(METHODS)))
def test_tokens_do_not_depend_on_guesses(seed: int, method: str, tmp_path: Path) -> None:
    assert run(seed, tmp_path, method=method).num_finished > 3


@pytest.mark.parametrize(("seed", "method"), [*((seed, None) for seed in range(6)), (6, "know"), (7, "ngram")])
def test_rows_run_under_their_own_adapters(seed: int, method: str | None, tmp_path: Path) -> None:
    assert run(seed, tmp_path, method=method, has_adapters=True).num_finished > 3


@pytest.mark.long
def test_200_runs_with_adapters(tmp_path: Path) -> None:
    """10,000 steps in which files are replaced, adapters leave host memory and requests are preempted."""
    first = int(os.environ.get("TORCHPAGED_SEED", "2000000"))
    runs = []
    for seed in range(first, first + 200):
        (folder := tmp_path / str(seed)).mkdir()
        runs.append(run(seed, folder, has_adapters=True))
    stats = [each.engine.stats() for each in runs]
    assert sum(each.num_steps for each in runs) > 10_000 and sum(each.num_finished for each in runs) > 1500
    assert sum(s.num_preemptions for s in stats) > 200 and sum(s.cache.num_hit_tokens for s in stats) > 3000
    counts = [each.engine.adapters.counts for each in runs if each.engine.adapters is not None]
    assert sum(each.num_misses for each in counts) > 200


@pytest.mark.long
@pytest.mark.parametrize("kind", [None, "lfm2"])
@pytest.mark.parametrize("method", METHODS)
def test_100_runs_with_guesses(method: str, kind: str | None, tmp_path: Path) -> None:
    count = 100 if kind is None else 20
    tokens, accepted = guessed(count, tmp_path, kind, method)
    assert accepted > tokens / 2 > 10 * count if method == "know" else tokens > count / 5


@pytest.mark.long
def test_50_runs_with_convolutions(tmp_path: Path) -> None:
    runs = [run(seed, tmp_path, "lfm2") for seed in range(50)]
    stats = [each.engine.stats() for each in runs]
    assert all(each.num_finished > 3 for each in runs) and sum(each.num_faults for each in runs) > 150
    assert sum(s.num_swaps for s in stats) > 15 and sum(s.num_preemptions - s.num_swaps for s in stats) > 15
    assert sum(s.cache.num_hit_tokens for s in stats) > 500


@pytest.mark.long
def test_400_runs(tmp_path: Path) -> None:
    first = int(os.environ.get("TORCHPAGED_SEED", "1000000"))
    runs = [run(seed, tmp_path) for seed in range(first, first + 400)]
    stats = [each.engine.stats() for each in runs]
    assert sum(each.num_finished for each in runs) > 3000 and sum(each.num_faults for each in runs) > 3000
    assert sum(s.num_swaps for s in stats) > 300 and sum(s.num_preemptions - s.num_swaps for s in stats) > 300
    assert sum(s.cache.num_hit_tokens for s in stats) > 10_000

"""Random engine runs of models with recurrent layers: every request's tokens are those that it has alone.

Their forward is rewritten, and exact as it is: unlike in `engine/test_random_runs.py`, products are the packed ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.test_random_runs import guessed, run
from tests.random_runs import HYBRIDS, METHODS
from torchpaged.ops import cpu

pytestmark = pytest.mark.skipif(not cpu.available_isas(), reason="without the C++ library no forward is exact")


@pytest.mark.parametrize("kind", ["falcon_h1", "mamba2"])
@pytest.mark.parametrize("seed", range(2))
def test_tokens_are_those_of_the_request_alone(kind: str, seed: int, tmp_path: Path) -> None:
    assert run(seed, tmp_path, kind).num_finished > 3


@pytest.mark.parametrize(("kind", "method"), [("falcon_h1", "know"), ("mamba2", "guess")])
def test_tokens_do_not_depend_on_guesses(kind: str, method: str, tmp_path: Path) -> None:
    assert run(3, tmp_path, kind, method).num_finished > 3


@pytest.mark.long
@pytest.mark.parametrize("kind", HYBRIDS)
@pytest.mark.parametrize("method", METHODS)
def test_20_runs_with_guesses(kind: str, method: str, tmp_path: Path) -> None:
    tokens, accepted = guessed(20, tmp_path, kind, method)
    assert accepted > tokens / 2 > 200 if method == "know" else tokens > 5


@pytest.mark.long
@pytest.mark.parametrize("kind", HYBRIDS)
def test_50_runs(kind: str, tmp_path: Path) -> None:
    runs = [run(seed, tmp_path, kind) for seed in range(50)]
    stats = [each.engine.stats() for each in runs]
    # Of 6 to 14 requests and three at the end; where a pin leaves too little room, most are refused.
    assert sum(each.num_finished for each in runs) > 350 and sum(each.num_faults for each in runs) > 150
    assert sum(s.num_preemptions for s in stats) > 15
    assert sum(s.cache.num_hit_tokens for s in stats) > 500

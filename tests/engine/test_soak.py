"""`make test-soak` itself: every kind runs, and a failure prints the command that repeats it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest

from tests import soak


def test_every_kind_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["--minutes", "0", "--seed", "100000003"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "0 failed"


def test_a_failing_seed_is_named_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: dict[str, list[int]] = {"good": [], "bad": []}

    def bad(seed: int) -> None:
        ran["bad"].append(seed)
        assert seed != 8, "eight is not seven"

    kinds: Mapping[str, soak.Run] = {"bad": bad, "good": ran["good"].append}
    clock = itertools.count()
    monkeypatch.setattr(soak.time, "monotonic", lambda: float(next(clock)))
    assert soak.soak(kinds, 20.0, 7) == ["python -m tests.soak --only bad --seed 8"]
    said = capsys.readouterr().out
    assert "eight is not seven" in said and "FAILED, and again by: python -m tests.soak --only bad --seed 8" in said
    # Each has its share, and no seed comes twice.
    assert all(seeds == list(range(7, 7 + len(seeds))) and len(seeds) > 2 for seeds in ran.values())
    assert abs(len(ran["good"]) - len(ran["bad"])) <= 1

    monkeypatch.setattr(soak, "KINDS", kinds)
    assert soak.main(["--only", "bad", "--seed", "8"]) == 1 and ran["bad"].count(8) == 2
    assert capsys.readouterr().out.endswith("1 failed\n  python -m tests.soak --only bad --seed 8\n")

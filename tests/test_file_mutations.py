"""Damaged and invented files of each kind: loaded, or refused by a typed error of one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.file_mutations import KINDS, attempt


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    KINDS[request.param].make(folder)
    return folder


def hunt(kind: str, whole: Path, seeds: range) -> None:
    for seed in seeds:
        said = attempt(KINDS[kind], whole, seed)
        assert said is None or (len(said) < 1500 and "\n" not in said), f"{kind} {seed}: {said}"


@pytest.mark.parametrize(("kind", "whole"), [(kind, kind) for kind in KINDS], indirect=["whole"])
def test_mutations_are_loaded_or_refused(kind: str, whole: Path) -> None:
    hunt(kind, whole, range(3))


@pytest.mark.long
@pytest.mark.parametrize(("kind", "whole"), [(kind, kind) for kind in KINDS], indirect=["whole"])
def test_many_mutations_are_loaded_or_refused(kind: str, whole: Path) -> None:
    hunt(kind, whole, range(1000, 1100))

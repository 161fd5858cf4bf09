"""GRPO: TRL's trainer with torchpaged as its generator learns a toy reward; a trainer with the engine's bits."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from evals import train_grpo

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_example_learns(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="trl is not installed: pip install 'torchpaged[trl]'")
    train = runpy.run_path(str(ROOT / "examples" / "grpo.py"))["train"]
    rewards, versions = train(15, str(tmp_path))
    assert len(rewards) == 15 and sum(rewards[-3:]) / 3 > 2 * rewards[0]
    assert set(versions) == {f"step-{number}" for number in range(15)}, "each generation has the newest weights"


@pytest.mark.long
def test_a_trainer_on_the_engines_operators_has_its_bits() -> None:
    rows = train_grpo.train(2)
    assert [(row.differ, row.max_difference) for row in rows] == [(0, 0.0)] * 2
    assert all(row.tokens == 384 for row in rows) and rows[1].reward != rows[0].reward

"""The benchmark of encoders: its texts, and the ratios of a row."""

from __future__ import annotations

import pytest

from evals.bench import encoders


def test_texts_are_mixed_and_the_same_each_time() -> None:
    texts = encoders.mixed_texts(200)
    assert texts == encoders.mixed_texts(200) != encoders.mixed_texts(200, seed=1)
    lengths = sorted(len(text.split()) for text in texts)
    assert 3 <= lengths[0] < 10 and 20 < lengths[100] < 40 and 120 < lengths[-1] <= 180


def test_a_row_compares_rounds_in_pairs() -> None:
    def runs(*seconds: float, vectors: list[list[float]]) -> list[dict[str, object]]:
        return [{"seconds": each, "cpu_seconds": 2 * each, "vectors": vectors} for each in seconds]

    row = encoders._row("ours", runs(1.0, 2.0, vectors=[[0.5, 0.25]]), runs(3.0, 4.0, vectors=[[0.5, 0.5]]))
    assert row["speed"] == row["speed_by_cpu_seconds"] == pytest.approx(2.5)
    assert row["largest_difference"] == 0.25

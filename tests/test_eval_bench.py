"""The evaluation benchmarks' own logic: requests, comparisons, output."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("lm_eval")
pytest.importorskip("accelerate")
pytest.importorskip("torchao")

from evals import accuracy
from evals.bench import lm_eval as bench
from evals.bench import speculation
from torchpaged import LLM, SamplingParams


def test_requests_are_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four choices per document; the five examples before it have as many lines as requested."""
    monkeypatch.chdir(Path.cwd())  # restored afterwards: the benchmark changes to the root
    short, own = bench.requests(2, lines=1), bench.requests(2, own_shots=True)
    assert len(short) == len(own) == 8
    first, *_ = short[0].args[0].split("\n\n")
    assert first.count("\n") == 1 and short[0].args[0].count("\n\n") == 5
    shots = {request.args[0][:80] for request in own}
    assert len(shots) == 2 and len({request.args[0][:80] for request in short}) == 1


def test_backends_are_measured_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    calls = []

    def backend(name: str, seconds: float) -> tuple[float, bench.Answers]:
        calls.append(name)
        return seconds, [(-1.0 - seconds / 100, True), (-2.0, seconds > 1)]

    row = bench.measure(
        "0.6B", {"torchpaged": lambda: backend("ours", 1.0), "hf": lambda: backend("hf", 9.0)}, rounds=2
    )
    assert calls == ["ours", "hf"] * 2 and row["times_as_fast"] == {"hf": 9.0}
    assert row["answers_apart"]["hf"]["largest"] == pytest.approx(0.08)
    assert row["answers_apart"]["hf"]["greedy_differs"] == 1
    assert "9.0x hf's speed (target 8x)" in capsys.readouterr().out


def test_the_table_and_the_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    cells = {task: {"score": 0.5, "seconds": 2.0} for task in accuracy.TASKS}
    rows = {"torchpaged float32": cells, "hf float32": cells}
    assert [line.count("0.5000    2.0 s") for line in accuracy.table(rows).splitlines()] == [0, 4, 4]
    accuracy.plot(rows, tmp_path / "accuracy.png")
    assert (tmp_path / "accuracy.png").stat().st_size > 10_000


def test_forced_texts_are_what_is_said() -> None:
    """stdlib-lm continues with the forced text, in fewer steps where that repeats the prompt."""
    llm = LLM(speculation.STDLIB_LM, dtype="bfloat16", num_blocks=64)
    params = SamplingParams(temperature=0.0, max_tokens=24, ignore_eos=True)
    prompt = list(range(100, 140))
    repeated, new = (speculation.Task("a", [(prompt, answer)], params) for answer in (prompt[:24], list(range(24))))
    assert speculation.run(llm.engine, repeated, None).texts == [prompt[:24]]
    rows = [speculation.measure(llm.engine, task, 1, lambda rows: 1.0) for task in (repeated, new)]
    for method in speculation.METHODS:
        assert rows[0][method]["same"] and rows[1][method]["same"]
        assert rows[0][method]["tokens a step"] > 1.2 and rows[1][method]["tokens a step"] == 1.0


def test_texts_go_on_as_they_should() -> None:
    found = list(speculation.tasks(lambda text: [ord(letter) for letter in text], 50, 2))
    assert [len(task.texts) for task in found] == [2] * 4
    assert [task.target for task in found] == [1.4, None, None, 0.98]
    assert all(len(answer) == 50 for task in found for _, answer in task.texts)
    prompt, answer = found[-1].texts[0]
    assert len({*prompt, *answer}) == 650

"""The timeline of a start: nesting, threads, other processes, bounds, and the stages of a real start."""

import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from torchpaged.utils import startup
from torchpaged.utils.startup import Stage, Timeline, own_times

MODEL = Path(__file__).parents[2] / "evals" / "models" / "stdlib-lm"


def test_a_stage_is_recorded_when_it_ends():
    timeline = Timeline(time.monotonic())
    with timeline.stage("outer"):
        with timeline.stage("inner"):
            assert timeline.stages() == []
        (inner,) = timeline.stages()
    assert [each.name for each in timeline.stages()] == ["outer", "inner"]
    assert timeline.stages()[0].begin <= inner.begin <= inner.end <= timeline.stages()[0].end
    assert inner.lane == ""


def test_a_stage_that_fails_is_recorded():
    timeline = Timeline(time.monotonic())
    with pytest.raises(KeyError), timeline.stage("bad"):
        raise KeyError
    assert [each.name for each in timeline.stages()] == ["bad"]


def test_a_stage_of_another_thread_has_its_name():
    timeline = Timeline(time.monotonic())

    def work():
        with timeline.stage("tokenizer"):
            pass

    thread = threading.Thread(target=work, name="reader")
    thread.start()
    thread.join()
    assert [each.lane for each in timeline.stages()] == ["reader"]


def test_time_counts_for_the_innermost_stage():
    stages = [
        Stage("engine", 0.0, 10.0),
        Stage("optimize", 1.0, 4.0),
        Stage("check", 2.0, 3.0),
        Stage("pool", 4.0, 6.0),
        Stage("tokenizer", 1.0, 9.0, "reader"),
        Stage("engine", 10.0, 11.0),
    ]
    assert own_times(sorted(stages, key=lambda each: (each.begin, -each.end))) == {
        "": {"engine": 6.0, "optimize": 2.0, "check": 1.0, "pool": 2.0},
        "reader": {"tokenizer": 8.0},
    }


def test_the_line_adds_up_and_shows_what_ran_beside():
    timeline = Timeline(100.0)
    timeline.add([Stage("python", 100.0, 101.0), Stage("weights", 101.0, 103.0, "pages")], "engine")
    timeline._stages += [Stage("python", 100.0, 100.5), Stage("torch", 101.0, 103.0), Stage("short", 103.0, 103.001)]
    timeline.end = 104.0
    assert timeline.line() == (
        "start 4.00 s: python 0.50, torch 2.00, other 1.50; engine 1.00 s: python 1.00; "
        "engine, pages 2.00 s: weights 2.00"
    )


def test_nothing_is_recorded_after_the_end():
    timeline = Timeline(time.monotonic())
    timeline.finish()
    end = timeline.end
    timeline.finish()
    with timeline.stage("late"):
        pass
    timeline.add([Stage("late", 0.0, 1.0)], "engine")
    assert timeline.stages() == [] and timeline.end == end and timeline.seconds == end - timeline.begin


def test_memory_is_bounded():
    timeline = Timeline(time.monotonic())
    for _ in range(1000):
        with timeline.stage("again"):
            pass
    timeline.add(timeline.stages() * 2, "engine")
    assert len(timeline.stages()) == 256


def test_many_threads_lose_no_stage():
    timeline = Timeline(time.monotonic())

    def work(number):
        for _ in range(20):
            with timeline.stage(f"part {number}"):
                pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(timeline.stages()) == 160


def test_stages_are_sent_to_another_process():
    (stage,) = pickle.loads(pickle.dumps([Stage("weights", 1.0, 2.5, "pages")], protocol=5))
    assert repr(stage) == "Stage('weights', 1.000, 2.500, 'pages')" and stage.seconds == 1.5


def test_this_process_has_begun_before_its_first_stage():
    first = startup.stages()[0]
    assert first.name in ("python", "python and torch")
    assert 0 < time.monotonic() - first.begin < 24 * 3600


def test_it_imports_nothing_slow():
    code = "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); import startup; "
    code += "print(sorted(set(sys.modules) - before - {'startup'}))"
    folder = Path(startup.__file__).parent
    found = subprocess.run([sys.executable, "-I", "-c", code, str(folder)], capture_output=True, text=True, check=True)
    loaded = {each.strip("' ") for each in found.stdout.strip("[]\n").split(",")}
    small = {"functools", "collections", "itertools", "operator", "reprlib", "types", "keyword"}
    assert loaded <= {"", "gc", "threading", "_thread", "_weakrefset", *small, *(f"_{name}" for name in small)}


def test_a_start_has_its_stages():
    code = """
import sys
from torchpaged import LLM
from torchpaged.utils import startup
if __name__ == "__main__":
    llm = LLM(sys.argv[1], num_blocks=16)
    llm.generate("def f(", use_tqdm=False)
    llm.generate("def g(", use_tqdm=False)
    print([each.name for each in startup.stages()])
    print(startup.line())
"""
    found = subprocess.run([sys.executable, "-c", code, str(MODEL)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    names, line = found.stdout.splitlines()
    for name in ("python", "torch", "torchpaged", "config", "tokenizer", "weights", "engine", "pool", "first step"):
        assert repr(name) in names, names
    assert names.count("first step") == 1
    assert line.startswith("start ") and "torch " in line

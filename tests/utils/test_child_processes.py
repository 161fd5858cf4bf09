"""Processes that a signal to their whole group, or a stop, shall not end or hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from torchpaged.execution.ranks import launch
from torchpaged.utils import child_processes

ROOT = Path(__file__).resolve().parents[2]
_HEARS = """
import os, signal
from torchpaged.utils import child_processes
child_processes.ignore_signals()
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    os.killpg(0, number)
print("lives")
"""


def test_signals_for_the_parent_are_ignored() -> None:
    words = [sys.executable, "-c", _HEARS]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, start_new_session=True)
    assert (done.returncode, done.stdout) == (0, "lives\n"), done.stderr


class Context:
    """Stands in for torch's `ProcessContext`: starts processes, and `join` raises for one that has ended."""

    def __init__(self, count: int) -> None:
        spawn = multiprocessing.get_context("fork")
        self.processes: list[Any] = [spawn.Process(target=time.sleep, args=(600,), daemon=True) for _ in range(count)]
        for each in self.processes:
            each.start()
        self.sentinels = {each.sentinel: index for index, each in enumerate(self.processes)}

    def join(self, timeout: float) -> bool:
        for sentinel, index in list(self.sentinels.items()):
            if child_processes.has_ended(self.processes[index]):
                del self.sentinels[sentinel]
                raise RuntimeError(f"process {index} has failed")
        return not self.sentinels


def test_a_rank_that_is_stopped_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it is: while a model is loaded nothing else has a limit. One that goes on in time has not."""
    monkeypatch.setenv("TORCHPAGED_RANK_TIMEOUT", "0.35")
    context = Context(2)
    ranks = launch.Processes(context)
    try:
        for number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGSTOP):
            os.kill(context.processes[1].pid, number)
            while child_processes.is_stopped(context.processes[1]) != (number == signal.SIGSTOP):
                time.sleep(0.01)
            if number == signal.SIGSTOP:
                assert not any(ranks.join(0.1) for _ in range(3))
            else:
                assert not ranks.join(0.1)
        says = rf"its process {context.processes[1].pid} has been stopped .* more than 0.35 seconds"
        with pytest.raises(launch.RankStopped, match=says) as caught:
            ranks.join(0.1)
        assert caught.value.error_index == 1
    finally:
        ranks.kill()


def test_when_a_rank_has_failed_the_others_end_at_once() -> None:
    """Those too that ignore SIGTERM, for which torch waits 30 seconds; the error is of the one that failed."""
    context = Context(3)
    ranks = launch.Processes(context)
    os.kill(context.processes[1].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="process 1 has failed"):
        while not ranks.join(0.1):
            pass
    assert all(map(child_processes.has_ended, context.processes))

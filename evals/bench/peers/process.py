"""A peer in a process of its own, and what that process and its children take of the memory."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torchpaged.tools.workloads import Measure, Workload

ROOT = Path(__file__).resolve().parents[3]
_SAMPLE_SECONDS = 0.1
# What the start-up time ends with.
FIRST = Workload("first", "the first token", Measure.PREFILL, [list(range(16))], [1])


class PeerError(Exception):
    """A peer that does not start, or failed at a workload; the message is the end of what it said."""


class PeerProcess:
    """Starts a peer and asks it for one token: what it took from nothing to there is its start-up time.

    Args:
        python: that runs it.
        module: of `evals.bench.peers`.
        settings: as `protocol.serve` takes them.
        variables: of its environment, beside those of this process.

    Attributes:
        startup_seconds: from the start of the process to the first token.
        facts: what it says of itself.

    Raises:
        PeerError: it does not start.
    """

    def __init__(
        self, python: str, module: str, settings: dict[str, Any], variables: Mapping[str, str] | None = None
    ) -> None:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115  # no pipe: nobody reads it
        environment = {**os.environ, "OMP_NUM_THREADS": str(settings["threads"]), "TOKENIZERS_PARALLELISM": "false"}
        # A second start finds bytecode, as that of an installed package does; without it ours compiled its own sources.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment.update(variables or {})
        command = [python, "-m", f"evals.bench.peers.{module}", json.dumps(settings)]
        start = time.perf_counter()
        try:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
            )
        except OSError as error:
            raise PeerError(f"{python}: {error.strerror}") from None
        self.memory = MemoryWatch(self._process.pid)
        try:
            self._send(asdict(FIRST) | {"measure": FIRST.measure.value})
            self.facts: dict[str, Any] = self._answer()["facts"]
            self._answer()
        except PeerError:
            self.close()
            raise
        self.startup_seconds = time.perf_counter() - start
        self.loading_bytes = self.memory.reset()

    def run(self, workload: Workload) -> dict[str, Any]:
        """As `protocol.Peer.run`.

        Raises:
            PeerError: it failed.
        """
        self._send(asdict(workload) | {"measure": workload.measure.value})
        return self._answer()

    def idle_load(self, seconds: float = 1.0) -> float:
        """Cores that it uses while nobody asks for anything."""
        before = cpu_seconds(tree(self._process.pid))
        time.sleep(seconds)
        return (cpu_seconds(tree(self._process.pid)) - before) / seconds

    def pause(self) -> None:
        """Stops it and all below it until `resume`: an engine that waits for work may burn a core over it."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Undoes `pause`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for pid in tree(self._process.pid):
            with contextlib.suppress(ProcessLookupError):  # it has ended: whoever asks it next will say so
                os.kill(pid, number)

    def close(self) -> None:
        """Ends it."""
        self.resume()
        self.memory.close()
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _send(self, workload: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"run": workload}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise PeerError(self._last_words()) from None

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def _last_words(self) -> str:
        self._process.wait()
        self._errors.seek(0)
        said = [line for line in self._errors.read().splitlines() if line.strip()]
        return said[-1].strip() if said else f"it ended with status {self._process.returncode} and said nothing"


class MemoryWatch:
    """The highest sum of resident memory of a process and all below it, looked at ten times a second."""

    def __init__(self, pid: int) -> None:
        self._pid, self._peak, self._end = pid, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def reset(self) -> int:
        """The peak so far, in bytes; from here on counts anew."""
        peak, self._peak = self._peak, 0
        return peak

    @property
    def peak(self) -> int:
        """Bytes, since the last `reset`."""
        return self._peak

    def close(self) -> None:
        """Stops looking."""
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        page = os.sysconf("SC_PAGE_SIZE")
        while not self._end.wait(_SAMPLE_SECONDS):
            resident = 0
            for pid in tree(self._pid):
                try:
                    resident += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
                except (OSError, IndexError):  # it has ended
                    continue
            self._peak = max(self._peak, resident)


def tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                found += tree(int(child))
    except OSError:  # it has ended
        pass
    return found


def thread_seconds(pid: int) -> float:
    """Of the first thread of a process, which is the one that runs the event loop of a server in Python."""
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:  # a kernel without it, whose other count is of hundredths of a second
        return _seconds([f"/proc/{pid}/task/{pid}/stat"])


def cpu_seconds(pids: Sequence[int]) -> float:
    """Of processes, since each was started."""
    return _seconds([f"/proc/{each}/stat" for each in pids])


def _seconds(files: Sequence[str]) -> float:
    ticks = 0
    for each in files:
        try:
            fields = Path(each).read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        except (OSError, IndexError):
            continue
    return ticks / os.sysconf("SC_CLK_TCK")

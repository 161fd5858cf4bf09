"""A peer in a separate process, and the memory and processor time of that process and its children."""

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
# The workload that ends the start-up time.
FIRST = Workload("first", "the first token", Measure.PREFILL, [list(range(16))], [1])


class PeerError(Exception):
    """Error of a peer that does not start or that fails at a workload; the message is the end of its output."""


class PeerProcess:
    """Process of a peer. Starts it and requests one token; the time until that token is its start-up time.

    Args:
        python: the interpreter.
        module: name of a module in `evals.bench.peers`.
        settings: as `protocol.serve` takes them.
        variables: environment variables that are added to this process's.

    Attributes:
        startup_seconds: from the start of the process to the first token.
        facts: the peer's description of itself.

    Raises:
        PeerError: it does not start.
    """

    def __init__(
        self, python: str, module: str, settings: dict[str, Any], variables: Mapping[str, str] | None = None
    ) -> None:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115  # a pipe would fill up
        environment = {**os.environ, "OMP_NUM_THREADS": str(settings["threads"]), "TOKENIZERS_PARALLELISM": "false"}
        # A second start then finds bytecode, as an installed package has it; otherwise ours would compile its sources.
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

    def run(self, workload: Workload, **more: Any) -> dict[str, Any]:
        """Run a workload as `protocol.Peer.run` does.

        Args:
            more: fields that this peer takes beside a workload's.

        Raises:
            PeerError: it failed.
        """
        self._send(asdict(workload) | {"measure": workload.measure.value, **more})
        return self._answer()

    def idle_load(self, seconds: float = 1.0) -> float:
        """Return the number of cores that the peer uses while it has no requests."""
        before = cpu_seconds(tree(self._process.pid))
        time.sleep(seconds)
        return (cpu_seconds(tree(self._process.pid)) - before) / seconds

    def pause(self) -> None:
        """Stop the process and its descendants until `resume`: an engine that waits for work may keep a core busy."""
        signal_tree(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Undo `pause`."""
        signal_tree(self._process.pid, signal.SIGCONT)

    def close(self) -> None:
        """End the process."""
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
        return said[-1].strip() if said else f"it ended with status {self._process.returncode} without output"


class MemoryWatch:
    """Watcher of the peak resident memory of a process and its descendants, sampled ten times a second."""

    def __init__(self, pid: int) -> None:
        self._pid, self._peak, self._end = pid, 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def reset(self) -> int:
        """Return the peak so far, in bytes, and start a new one."""
        peak, self._peak = self._peak, 0
        return peak

    @property
    def peak(self) -> int:
        """Return the peak since the last `reset`, in bytes."""
        return self._peak

    def close(self) -> None:
        """Stop sampling."""
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
    """Return a process id and those of its descendants."""
    found = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                found += tree(int(child))
    except OSError:  # it has ended
        pass
    return found


def signal_tree(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and its descendants; those that have ended are passed over."""
    for each in tree(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, number)


def thread_seconds(pid: int) -> float:
    """Return the processor time of a process's first thread, which runs the event loop of a Python server."""
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:  # kernels without it; their other counter has a resolution of 10 ms
        return _seconds([f"/proc/{pid}/task/{pid}/stat"])


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the processor time of some processes since each was started."""
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

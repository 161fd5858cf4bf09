"""Servers of one model with OpenAI's interface, each in its own process: torchpaged's, vLLM's and llama.cpp's."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals.bench.peers.process import ROOT, PeerError, cpu_seconds, signal_tree, thread_seconds, tree

# The variable that names the log of `adapter_server`.
ADAPTER_LOG = "TORCHPAGED_BENCH_LOG"
# Seconds within which a model must be loaded.
_PATIENCE = 300.0
_STEPS = re.compile(r"^vllm:iteration_tokens_total_count\S* (\S+)$", re.M)


class ServerProcess:
    """Process of a server, which runs until `close`.

    Args:
        command: the command line; {port} is replaced by the port.
        environment: variables that are added to this process's.

    Attributes:
        pid: of the process.
        port: the port that it listens on.
        startup_seconds: time until it answered its health check.

    Raises:
        PeerError: it does not start.
    """

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._said = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115  # a pipe would fill up
        begun = time.perf_counter()
        self._process = subprocess.Popen(
            [word.replace("{port}", str(self.port)) for word in command],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
        )
        self.pid: int = self._process.pid
        while not self._is_there():
            if self._process.poll() is not None or time.perf_counter() - begun > _PATIENCE:
                self.close()
                raise PeerError(self._last_words())
            time.sleep(0.2)
        self.startup_seconds = time.perf_counter() - begun

    def _is_there(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def cpu_seconds(self) -> tuple[float, float, float]:
        """Return processor seconds of (event loop thread, process that answers clients, that and its descendants)."""
        pid = self._process.pid
        return thread_seconds(pid), cpu_seconds([pid]), cpu_seconds(tree(pid))

    def steps(self) -> int | None:
        """Return the number of its engine's steps, by vLLM's metric name in /metrics; None if it has no such metric."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", "/metrics")
            found = _STEPS.search(connection.getresponse().read().decode())
        finally:
            connection.close()
        return None if found is None else int(float(found[1]))

    def pause(self) -> None:
        """Stop the process and its descendants until `resume`."""
        signal_tree(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Undo `pause`."""
        signal_tree(self._process.pid, signal.SIGCONT)

    def close(self) -> None:
        """End the process."""
        self.resume()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()

    def _last_words(self) -> str:
        self._said.seek(0)
        said = [line.strip() for line in self._said.read().splitlines() if line.strip()]
        return " / ".join(said[-3:]) or f"it ended with status {self._process.returncode} without output"


def run_clients(plan: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run `peers.clients` with a plan; return the outcome of its requests.

    Raises:
        PeerError: a request was not answered.
    """
    command = [sys.executable, "-m", "evals.bench.peers.clients"]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(plan), capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerError((done.stderr.strip().splitlines() or ["the clients have ended"])[-1])
    found: list[list[dict[str, Any]]] = json.loads(done.stdout)
    for result in (each for queue in found for each in queue):
        if "error" in result:
            raise PeerError(result["error"])
    return found


def torchpaged(model: Path, threads: int, tokens: int, longest: int, *more: str) -> ServerProcess:
    """Start torchpaged's server, with the default options of `torchpaged serve`."""
    sizes = ["--max-model-len", str(longest), "--num-blocks", str(tokens // 16 + 1), "--no-prefix-caching"]
    command = [sys.executable, "-m", "torchpaged.cli", "serve", str(model), "--port", "{port}", *sizes, *more]
    return ServerProcess(command, {"OMP_NUM_THREADS": str(threads), "PYTHONPATH": str(ROOT)})


def vllm(python: str, model: Path, threads: int, tokens: int, longest: int, per_token: int) -> ServerProcess:
    """Start the server of vLLM's CPU build."""
    command = [python, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model), "--port", "{port}"]
    command += ["--dtype", "bfloat16", "--max-model-len", str(longest), "--max-num-seqs", "64"]
    command += ["--max-num-batched-tokens", "2048", "--no-enable-prefix-caching"]
    environment = {
        "HF_HUB_OFFLINE": "1",
        "VLLM_LOGGING_LEVEL": "WARNING",
        "VLLM_CPU_KVCACHE_SPACE": str(max(1, -(-tokens * per_token >> 30))),
        "VLLM_CPU_OMP_THREADS_BIND": f"0-{threads - 1}",
        "VLLM_NO_USAGE_STATS": "1",
    }
    return ServerProcess(command, environment)


def llama_server(binary: Path, gguf: Path, threads: int, tokens: int, clients: int) -> ServerProcess:
    """Start llama.cpp's server, with a slot for each client and one cache for all."""
    command = [str(binary), "-m", str(gguf), "--port", "{port}", "-t", str(threads), "-tb", str(threads)]
    command += ["-np", str(clients), "-c", str(tokens), "-kvu", "--no-cache-prompt"]
    return ServerProcess(command, {})

"""Seconds from the start of a process to the first token on its screen, and of a server to its first healthy answer.

    python -m evals.bench.startup [--rounds 7] [--cases NAME ...] [--cold] [--folder FOLDER] [--smollm2 FILE.gguf]
                                  [--llama-cpp-python PYTHON] [--vllm-python PYTHON] [--output evals/results/startup]

Each case starts twice per round: with an empty cache of prepared models (TORCHPAGED_CACHE names a new folder), and
again with what the first start has left there. All cases of a round follow each other, so that noise affects all, and
results are medians over the rounds. `--cold` measures each start a second time after the page cache was dropped, which
needs root. Peers start once; llama.cpp and vLLM are left out where they are not installed (`python -m
evals.bench.peers.install`). The time of `import torch` is the lower limit of every start in Python with torch.

The 0.6 B checkpoint has Qwen3-0.6B's shape, random weights and a tokenizer with a text for each token; it and its GGUF
file are made in FOLDER if they are missing. SmolLM2's file comes from the package that `evals/smollm2.py` names.

Memory is the peak of the resident set of the process (ru_maxrss), and, at the first token, the proportional set
(PSS) of the process and its children, in which pages that several processes share count once.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.bench import machine
from evals.bench.peers import checkpoint, install
from evals.bench.peers.process import PeerError, tree
from torchpaged.csrc.build import cache_directory

ROOT = Path(__file__).resolve().parents[2]
STDLIB_LM = ROOT / "evals" / "models" / "stdlib-lm"
_PROMPT = "def f("
VOCABULARY = checkpoint.QWEN3_06B["vocab_size"]
_DROP = Path("/proc/sys/vm/drop_caches")
_PATIENCE = 600.0
# Seconds between two looks at a server's health; a look takes a millisecond of the processor.
_POLL = 0.01
# Looks in half seconds at a cache that does not change, and seconds for which one may be empty before it is filled.
_SAME, _EMPTY = 2, 5.0
# Goals of issue 38 in seconds, by case and start.
TARGETS = {
    ("bf16 0.6 B", "second start"): 2.2,
    ("bf16 0.6 B", "first start"): 4.0,
    ("Q4_0 0.6 B", "second start"): 2.0,
    ("SmolLM2 GGUF", "second start"): 2.0,
    ("stdlib-lm", "second start"): 1.7,
    ("serve 0.6 B", "second start"): 2.5,
}
_LLAMA_CPP = """
import sys, llama_cpp
llm = llama_cpp.Llama(sys.argv[1], n_ctx=512, verbose=False)
tokens = llm.tokenize(sys.argv[2].encode()) or [0]
print("FIRST", next(llm.generate(tokens, temp=0.0)), flush=True)
"""
_VLLM = """
import sys
from vllm import LLM, SamplingParams
if __name__ == "__main__":
    llm = LLM(sys.argv[1], max_model_len=512, dtype="bfloat16")
    out = llm.generate([sys.argv[2]], SamplingParams(temperature=0.0, max_tokens=1), use_tqdm=False)
    print("FIRST", out[0].outputs[0].token_ids, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A command to be started.

    Args:
        name: of the row.
        command: the command line; of a server with {port} for the port.
        starts: names of the starts that follow each other, over one cache of prepared models.
        mark: the first token is on the screen with the first byte behind this text; of a server it is None.
    """

    name: str
    command: Sequence[str]
    starts: Sequence[str] = ("first start", "second start")
    mark: str | None = "FIRST"


@dataclass(slots=True)
class Row:
    """Measurements of one case and start."""

    seconds: list[float] = field(default_factory=list)
    maxrss: list[int] = field(default_factory=list)
    pss: list[int] = field(default_factory=list)
    parts: str | None = None  # the last round's line of --log-startup

    def result(self, target: float | None, floor: float | None) -> dict[str, Any]:
        """Return the row of the result file."""
        median = statistics.median(self.seconds)
        return {
            "seconds": median,
            "all_seconds": self.seconds,
            "target": target,
            "times_import_torch": None if floor is None else median / floor,
            "peak_rss_bytes": statistics.median(self.maxrss),
            "pss_bytes": statistics.median(self.pss) if self.pss else None,
            "parts": self.parts,
        }


def cases(given: argparse.Namespace) -> list[Case]:
    """Return the cases that can be measured here, and make their files."""
    python, command = sys.executable, [sys.executable, "-m", "torchpaged.cli"]
    wanted = given.cases

    def generate(name: str, model: Path) -> Case:
        flags = ["--prompt", _PROMPT, "--max-tokens", "2", "--ignore-eos", "--stream", "--quiet", "--log-startup"]
        # A streamed text begins behind the line with its prompt's number.
        return Case(name, [*command, "generate", str(model), *flags], mark="-\n")

    def serve(name: str, model: Path) -> Case:
        return Case(name, [*command, "serve", str(model), "--port", "{port}", "--log-startup"], mark=None)

    found = [Case("import torch", [python, "-c", "import torch; print('FIRST .', flush=True)"], ("start",))]
    found += [generate("stdlib-lm", STDLIB_LM), serve("serve stdlib-lm", STDLIB_LM)]
    if wanted is None or any("0.6 B" in each for each in wanted):
        model = checkpoint.spoken(checkpoint.build(checkpoint.QWEN3_06B, given.folder), VOCABULARY)
        q4_0 = checkpoint.gguf(model, python, "Q4_0")
        found += [generate("bf16 0.6 B", model), generate("Q4_0 0.6 B", q4_0), serve("serve 0.6 B", model)]
        if given.llama_cpp_python:
            whole = checkpoint.gguf(model, python, "BF16")
            found += [
                _peer("llama.cpp bf16 0.6 B", given.llama_cpp_python, _LLAMA_CPP, whole),
                _peer("llama.cpp Q4_0 0.6 B", given.llama_cpp_python, _LLAMA_CPP, q4_0),
            ]
        if given.vllm_python:
            found.append(_peer("vLLM bf16 0.6 B", given.vllm_python, _VLLM, model))
    if given.smollm2 is not None:
        found.append(generate("SmolLM2 GGUF", given.smollm2))
        if given.llama_cpp_python:
            found.append(_peer("llama.cpp SmolLM2 GGUF", given.llama_cpp_python, _LLAMA_CPP, given.smollm2))
    return [each for each in found if wanted is None or each.name in wanted]


def _peer(name: str, python: str, code: str, model: Path) -> Case:
    return Case(name, [python, "-c", code, str(model), _PROMPT], ("start",))


def measure(chosen: Sequence[Case], rounds: int, *, cold: bool) -> dict[tuple[str, str], Row]:
    """Start every case in each round; return the rows by case and start."""
    rows: dict[tuple[str, str], Row] = {}
    for number in range(rounds):
        for case in chosen:
            for temperature in ("", ", cold") if cold else ("",):
                with tempfile.TemporaryDirectory(prefix="torchpaged-startup-") as cache:
                    for name in case.starts:
                        machine.progress(f"round {number + 1} of {rounds}: {case.name}, {name}{temperature}")
                        if temperature:
                            drop_caches()
                        _start(case, cache, rows.setdefault((case.name, name + temperature), Row()))
    return rows


def drop_caches() -> None:
    """Empty the page cache. PermissionError without root."""
    os.sync()
    _DROP.write_text("3\n")


def _start(case: Case, cache: str, row: Row) -> None:
    """Start a case once and add its measurements to the row.

    Raises:
        PeerError: it has ended without a token; the message has its last words.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [word.replace("{port}", str(port)) for word in case.command]
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "TORCHPAGED_CACHE": cache, "PYTHONPATH": str(ROOT)},
            stdout=said if case.mark is None else subprocess.PIPE,
            stderr=said,
        )
        try:
            is_there = _is_healthy(process, port) if case.mark is None else _has_printed(process, case.mark)
            seconds = time.perf_counter() - begin
            pss = _pss(process.pid)
            if case.mark is None:
                _wait_until_written(Path(cache))
                process.send_signal(signal.SIGTERM)
            elif process.stdout is not None:
                process.stdout.read()  # a first start may write what it has prepared
        except BaseException:
            process.kill()
            raise
        finally:
            usage = _wait(process)
        said.seek(0)
        lines = said.read().splitlines()
    if not is_there:
        raise PeerError(f"{case.name}: {(lines or ['it has ended without output'])[-1]}")
    row.seconds.append(seconds)
    row.maxrss.append(usage.ru_maxrss * 1024)
    if pss:
        row.pss.append(pss)
    for line in lines:
        if (at := line.find("torchpaged: start ")) >= 0:
            row.parts = line[at:].removeprefix("torchpaged: ")


def _wait(process: subprocess.Popen[bytes]) -> resource.struct_rusage:
    """Wait for the process, and return what it has used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode is None:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.stdout is not None:
        process.stdout.close()
    return usage


def _has_printed(process: subprocess.Popen[bytes], mark: str) -> bool:
    """Wait for the first byte behind the mark; False if the output ends before."""
    assert process.stdout is not None
    found, end = b"", mark.encode()
    while not found.partition(end)[2].strip(b"\n"):
        piece = os.read(process.stdout.fileno(), 4096)
        if not piece:
            return False
        found += piece
    return True


def _is_healthy(process: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until /health answers 200; False if the process ends before, or after ten minutes."""
    end = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return True
        time.sleep(_POLL)
    return False


def _wait_until_written(cache: Path) -> None:
    """Wait until a server has prepared its model: its cache is the same for a second, or empty for five."""
    before, same, begin = None, 0, time.monotonic()
    while same < _SAME and time.monotonic() - begin < _PATIENCE:
        time.sleep(0.5)
        found = sorted((str(path), path.stat().st_size) for path in cache.rglob("*") if path.is_file())
        same = same + 1 if found == before and (found or time.monotonic() - begin > _EMPTY) else 0
        before = found


def _pss(pid: int) -> int:
    """Return the proportional set size of a process and its descendants in bytes; 0 if the system does not tell."""
    total = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
    return total


def report(rows: Mapping[tuple[str, str], Row]) -> list[dict[str, Any]]:
    """Return the rows of the result file."""
    of_torch = rows.get(("import torch", "start"))
    floor = None if of_torch is None else statistics.median(of_torch.seconds)
    return [
        {"case": case, "start": start, **row.result(TARGETS.get((case, start)), floor)}
        for (case, start), row in rows.items()
    ]


def table(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'':<26}{'start':<20}{'seconds':>9}{'goal':>6}{'import torch':>14}{'peak RSS':>12}{'PSS':>12}"
    for row in found:
        goal = "" if row["target"] is None else f"{row['target']:.1f}"
        times = "" if row["times_import_torch"] is None else f"{row['times_import_torch']:.2f}x"
        sizes = [
            "" if size is None else f"{size / 2**20:.0f} MiB" for size in (row["peak_rss_bytes"], row["pss_bytes"])
        ]
        cells = f"{row['seconds']:>9.2f}{goal:>6}{times:>14}{sizes[0]:>12}{sizes[1]:>12}"
        yield f"{row['case']:<26}{row['start']:<20}{cells}"


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, metavar="N")
    parser.add_argument("--cases", nargs="+", metavar="NAME", help="some rows, such as stdlib-lm (default: all)")
    parser.add_argument("--cold", action="store_true", help="measure each start after dropping the page cache too")
    parser.add_argument("--folder", type=Path, default=cache_directory() / "bench", help="for the 0.6 B checkpoint")
    parser.add_argument(
        "--smollm2", type=Path, metavar="FILE.gguf", help="SmolLM2's file; its rows are left out without"
    )
    parser.add_argument("--llama-cpp-python", default=install.python_of("llama_cpp"), metavar="PYTHON")
    parser.add_argument("--vllm-python", default=install.python_of("vllm"), metavar="PYTHON")
    parser.add_argument("--output", type=Path, default=ROOT / "evals/results/startup", help="without suffix")
    given = parser.parse_args()
    if given.cold and not os.access(_DROP, os.W_OK):
        parser.error(f"--cold: {_DROP} cannot be written; run it as root, outside a container that forbids it")
    chosen = cases(given)
    if given.cases is not None and (unknown := set(given.cases) - {each.name for each in chosen}):
        parser.error(f"--cases {min(unknown)!r}: there is no such case, or what it needs is not here")
    found = report(measure(chosen, given.rounds, cold=given.cold))
    print("\n".join(table(found)), flush=True)
    written = {**machine.describe([sys.executable, *sys.argv]), "rounds": given.rounds, "rows": found}
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()

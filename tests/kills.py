"""Runs that SIGKILL ends at any time and that are resumed: no line is lost, duplicated or partial.

`python -m tests.kills generate|run-batch --first 0 --count 100` kills so many processes on new seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

Start = Callable[[Path, bool], object]


def in_process(run: Callable[[], object], seconds: float | None = None) -> bool:
    """Run it in a process that is killed after a time, None: never; return whether it ended by itself."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), f"the run itself failed: {status}"
    return status == 0


def lines_of(path: Path) -> dict[Any, Any]:
    """Return the complete lines by their key; each key occurs once."""
    found: dict[Any, Any] = {}
    for text in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
        if not text.endswith(b"\n"):
            continue
        line = json.loads(text)
        key = (line["number"], line.get("index", 0)) if "number" in line else line["custom_id"]
        assert key not in found, f"{key} is there twice"
        found[key] = line
    return found


def is_good(line: Any) -> bool:
    """Return whether a line is a result that a resumed run keeps."""
    return not line.get("error") and line.get("response", {"status_code": 200})["status_code"] == 200


def answer_of(line: Any) -> Any:
    """Return a line without parts that may differ between runs: the times and names of an answer."""
    if "response" not in line:
        return line
    return line["error"] or (line["response"]["status_code"], line["response"]["body"].get("choices"))


def survive(start: Start, seed: int, folder: Path, kills: int = 3) -> None:
    """Kill resumed runs at times drawn from a seed, and let the last one finish.

    Args:
        start: runs to the end, into a file; with True it resumes.
    """
    pick, whole, path = random.Random(seed), folder / "whole.jsonl", folder / "out.jsonl"
    begun = time.perf_counter()
    assert in_process(lambda: start(whole, False))
    longest, expected = time.perf_counter() - begun, lines_of(whole)
    kept: dict[Any, Any] = {}
    while kills:
        if in_process(lambda: start(path, True), longest * pick.random()):
            longest *= 0.9
        else:
            kills -= 1
        found = lines_of(path)
        lost = [key for key, line in kept.items() if is_good(line) and key not in found]
        assert not lost, f"seed {seed}: {lost} are lost"
        assert all(answer_of(found[key]) == answer_of(expected[key]) for key in found), f"seed {seed}"
        kept = found
        if len(kept) == len(expected):
            path.unlink()
            kept = {}
    assert in_process(lambda: start(path, True))
    found = lines_of(path)
    assert {key: answer_of(line) for key, line in found.items()} == {k: answer_of(v) for k, v in expected.items()}
    assert path.read_bytes().count(b"\n") == len(found) and path.read_bytes().endswith(b"\n")
    left = [each.name for each in folder.iterdir() if each.name.startswith(".")]
    assert not left, f"seed {seed}: {left} were left behind"


def _main() -> None:
    from tests import test_generate
    from tests.serving import test_batch_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("generate", "run-batch"))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100, help="processes to kill")
    given = parser.parse_args()
    torch.set_num_threads(1)
    for seed in range(given.first, given.first + -(-given.count // 10)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            start = test_generate.again if given.kind == "generate" else test_batch_file.again(folder)
            survive(start, seed, folder, kills=10)
        print(f"{10 * (seed + 1 - given.first)} processes killed", flush=True)


if __name__ == "__main__":
    _main()

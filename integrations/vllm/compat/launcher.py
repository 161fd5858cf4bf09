"""Runs a script written for vLLM: `python -m torchpaged.vllm SCRIPT.py ARGUMENTS`."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from torchpaged.errors import InputError
from torchpaged.integrations.vllm.compat.finder import install

USAGE = """\
usage: python -m torchpaged.vllm SCRIPT.py [ARGUMENTS ...]
       python -m torchpaged.vllm -m MODULE [ARGUMENTS ...]

Runs a script that was written for vLLM, unchanged: `import vllm` gives torchpaged's classes there, and in the
processes that it starts with multiprocessing. docs/vllm.md lists the supported names."""


def run(words: Sequence[str]) -> None:
    """Run the script, or after "-m" the module, as Python itself would.

    Raises:
        InputError: no script is named, or it does not exist.
    """
    if not words:
        raise InputError(f"no script is named\n\n{USAGE}")
    first, rest = words[0], list(words[1:])
    is_module = first == "-m"
    if is_module and not rest:
        raise InputError(f"-m needs the name of a module\n\n{USAGE}")
    if not is_module and not Path(first).is_file():
        raise InputError(f"{first!r} is not a file")
    install()
    _tell_children()
    if is_module:
        sys.argv = rest
        sys.path.insert(0, os.getcwd())
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        sys.path.insert(0, str(Path(first).resolve().parent))
        runpy.run_path(first, run_name="__main__")


def _tell_children() -> None:
    """Let spawned processes, which import the script again, find a `vllm` that calls `install`."""
    path = str(Path(__file__).resolve().parent / "path")
    before = os.environ.get("PYTHONPATH")
    sys.path.append(path)  # multiprocessing passes sys.path on to spawned processes
    if path not in (before or "").split(os.pathsep):
        os.environ["PYTHONPATH"] = path if not before else f"{path}{os.pathsep}{before}"


def main() -> int:
    """Run the command line of `python -m torchpaged.vllm`."""
    words = sys.argv[1:]
    if words[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    try:
        run(words)
    except InputError as error:
        print(f"torchpaged.vllm: {error}", file=sys.stderr)
        return 2
    return 0

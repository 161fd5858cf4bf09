"""Python processes that find torch imported, which takes most of a short one's time: forks of one that has done it.

They are for code that would import torch first of all. What torch reads while it is imported (OMP_NUM_THREADS, the path
of modules) is as the tests' own process had it.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

# Runs each line's code in a child, which ends as an interpreter does.
_PARENT = """
import gc, json, os, signal, sys, tempfile
import torch
gc.freeze()
for line in iter(sys.stdin.readline, ""):
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    os._exit(0)
signal.alarm(600)
for number, name in enumerate((os.devnull, *asked["streams"])):
    os.dup2(os.open(name, os.O_RDWR), number)
os.chdir(asked["cwd"])
os.environ.clear()
os.environ.update(asked["env"])
sys.argv = ["-c", *asked["words"]]
sys.path[0], tempfile.tempdir = "", None
exec(compile(asked["code"], "<string>", "exec"), {"__name__": "__main__"})
"""


@cache
def _parent() -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], **pipes)  # type: ignore[call-overload]
    atexit.register(parent.kill)
    return parent


def run(
    code: str, *words: str, cwd: Path | str = ".", env: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    """Run Python code as `subprocess.run([sys.executable, "-c", code, *words])` does, for ten minutes at most."""
    parent = _parent()
    assert parent.stdin is not None and parent.stdout is not None
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as errors:
        asked = {"code": code, "words": words, "cwd": os.path.abspath(cwd), "env": dict(env)}
        print(json.dumps({**asked, "streams": [out.name, errors.name]}), file=parent.stdin, flush=True)
        status = int(parent.stdout.readline())
        said = [Path(each.name).read_text() for each in (out, errors)]
    return subprocess.CompletedProcess([sys.executable, "-c", code, *words], status, *said)

"""Trial: another process, in which a grammar is compiled before it is here. One that takes too long ends with it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SCRIPT = Path(__file__).with_name("trial_process.py")
# Until it has read a vocabulary: that is not the grammar's fault.
_START_SECONDS = 120.0


class Trial:
    """Starts the process when it is first needed, and again when it has been ended. For one thread at a time.

    Args:
        tokenizer: what `llguidance.LLTokenizer` takes.
    """

    def __init__(self, tokenizer: Mapping[str, Any]) -> None:
        self._tokenizer = dict(tokenizer)
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def fault_of(self, grammar: str, seconds: float) -> str | None:
        """Why a grammar cannot be used; None: it can.

        Args:
            seconds: after which it takes too long.
        """
        if self._process is None or self._process.poll() is not None:
            self._start()
            self._ask("start: /a/", _START_SECONDS)
        return self._ask(grammar, seconds)

    def _ask(self, grammar: str, seconds: float) -> str | None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(grammar) + "\n")
            self._process.stdin.flush()
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            self.close()
            return f"it takes more than {seconds:g} seconds to compile; make it smaller"
        except OSError:
            answer = ""
        if not answer:  # it has died
            if self._process.wait() == -signal.SIGSEGV:
                return "its rules are nested too deeply; make it flatter"
            return "it takes more memory than there is for it; make it smaller"
        fault: str | None = json.loads(answer)
        return fault

    def _start(self) -> None:
        answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        # It imports what this process can, and nothing of this package.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(
            [sys.executable, str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            encoding="utf-8",
        )
        threading.Thread(target=_read, args=(process.stdout, answers), name="torchpaged-trial", daemon=True).start()
        self._process, self._answers = process, answers
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # who asks finds that it has died
            process.stdin.write(json.dumps(self._tokenizer) + "\n")

    def close(self) -> None:
        """Ends the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()


def _read(lines: Any, answers: queue.SimpleQueue[str]) -> None:
    """Hands answers on; an empty one is the last."""
    with lines:
        for line in lines:
            answers.put(line)
    answers.put("")

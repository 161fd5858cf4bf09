"""Trial: another process, in which a grammar is compiled first. If that takes too long, the process is ended."""

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
# Most seconds until it has read the vocabulary, which do not count as the grammar's.
_START_SECONDS = 120.0


class Trial:
    """Starts the process when it is first needed, and again after it was ended. Not thread-safe.

    Args:
        tokenizer: arguments of `llguidance.LLTokenizer`.
    """

    def __init__(self, tokenizer: Mapping[str, Any]) -> None:
        self._tokenizer = dict(tokenizer)
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def fault_of(self, grammar: str, seconds: float) -> str | None:
        """Return the reason why a grammar cannot be used; None if it can.

        Args:
            seconds: most seconds that it may take.
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
        # It finds the same packages as this process, and imports nothing of this one, so that it starts fast.
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
        with contextlib.suppress(OSError):  # if it has died, `_ask` reports it
            process.stdin.write(json.dumps(self._tokenizer) + "\n")

    def close(self) -> None:
        """End the process, whatever it is doing."""
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
    """Pass answers on; an empty one is the last."""
    with lines:
        for line in lines:
            answers.put(line)
    answers.put("")

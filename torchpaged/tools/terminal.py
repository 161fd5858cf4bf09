"""Terminal input and output: line editing with a history, and a progress bar while a model loads."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from torchpaged.utils.paths import expanded

_QUOTES = '"""'
_MOST_LINES = 1000  # lines kept in the history
_BAR, _BLOCK, _INTERVAL = 24, 6, 0.2


def history_file() -> Path | None:
    """Return the file of the history, `chat_history` in the user's folder for state (`XDG_STATE_HOME`).

    None if the user has no home.
    """
    state = Path(expanded(os.environ.get("XDG_STATE_HOME") or "~/.local/state"))
    return state / "torchpaged" / "chat_history" if state.is_absolute() else None


class LineReader:
    r"""Messages from standard input.

    Three double quotes begin a message of several lines and end it; a backslash at a line's end goes on with the next.
    At a terminal lines are edited with readline, Tab completes commands, and Up finds what was said before.

    Args:
        history: file that remembers lines, readable by its owner alone; None: lines are remembered until the end.
        commands: words that Tab completes.
    """

    def __init__(self, history: Path | None = None, commands: Sequence[str] = ()) -> None:
        self._at_terminal = sys.stdin is not None and sys.stdin.isatty()
        self._history, self._commands = history, list(commands)
        self._num_read = 0  # lines that were in the history's file
        self._readline = _readline() if self._at_terminal else None
        if self._readline is not None:
            self._prepare(self._readline)

    def _prepare(self, readline: ModuleType) -> None:
        readline.set_completer(self._complete)
        readline.set_completer_delims("\n")
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        readline.set_history_length(_MOST_LINES)
        if self._history is not None:
            with contextlib.suppress(OSError):
                readline.read_history_file(self._history)
            self._num_read = readline.get_current_history_length()

    def _complete(self, beginning: str, number: int) -> str | None:
        found = [word for word in self._commands if beginning.startswith("/") and word.startswith(beginning)]
        return found[number] if number < len(found) else None

    def read(self) -> str | None:
        """Return the next message, or None at the end of input."""
        line = self._line("> ")
        if line is None:
            return None
        text = line.strip()
        if text.startswith(_QUOTES):
            return self._quoted(text.removeprefix(_QUOTES))
        while text.endswith("\\"):
            more = self._line(". ")
            text = text[:-1].rstrip() + "\n" + (more or "").strip()
            if more is None:
                break
        return text

    def _quoted(self, text: str) -> str:
        lines = [text]
        while _QUOTES not in lines[-1]:
            line = self._line(". ")
            if line is None:
                break
            lines.append(line)
        lines[-1] = lines[-1].partition(_QUOTES)[0]
        return "\n".join(lines).strip("\n")

    def _line(self, prompt: str) -> str | None:
        if sys.stdin is None:
            return None
        try:
            line = input(prompt) + "\n" if self._at_terminal else sys.stdin.readline()
        except EOFError:
            return None
        return line.rstrip("\n") if line else None

    def close(self) -> None:
        """Add this session's lines to the history; a file that cannot be written is left out."""
        if self._readline is None or self._history is None:
            return
        with contextlib.suppress(OSError):
            self._history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._history.touch(mode=0o600)
            if hasattr(self._readline, "append_history_file"):
                count = self._readline.get_current_history_length() - self._num_read
                self._readline.append_history_file(count, self._history)
            else:  # some builds of libedit
                self._readline.write_history_file(self._history)


def _readline() -> ModuleType | None:
    """Import Python's readline module; None on Windows, which does not have it."""
    try:
        import readline
    except ModuleNotFoundError:
        return None
    return readline


@contextlib.contextmanager
def loading(name: str, *, quiet: bool = False) -> Iterator[None]:
    """Print on standard error that a model is loading; at a terminal show a moving bar with the seconds."""
    if quiet:
        yield
        return
    if not sys.stderr.isatty():
        print(f"torchpaged: loading {name}", file=sys.stderr, flush=True)
        yield
        return
    start, ended = time.monotonic(), threading.Event()

    def move() -> None:
        while True:
            seconds = time.monotonic() - start
            sys.stderr.write(f"\r\x1b[K{bar(seconds)} loading {name}, {seconds:.0f} s")
            sys.stderr.flush()
            if ended.wait(_INTERVAL):
                return

    mover = threading.Thread(target=move, name="torchpaged-loading", daemon=True)
    mover.start()
    try:
        yield
    except BaseException:
        _stop(mover, ended)
        raise
    _stop(mover, ended)
    print(f"torchpaged: {name} is loaded, in {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)


def _stop(mover: threading.Thread, ended: threading.Event) -> None:
    ended.set()
    mover.join()
    sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()


def bar(seconds: float) -> str:
    """Return a bar with a block that moves to and fro, because the remaining time is unknown."""
    way = _BAR - _BLOCK
    place = int(seconds / _INTERVAL) % (2 * way)
    place = min(place, 2 * way - place)
    return f"[{' ' * place}{'=' * _BLOCK}{' ' * (way - place)}]"

"""Input and output at a terminal: edited lines, a history, messages of several lines, a bar."""

from __future__ import annotations

import io
import os
import pty
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from torchpaged.tools import terminal

ROOT = Path(__file__).resolve().parent.parent


def read_all(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    reader, found = terminal.LineReader(), []
    while (message := reader.read()) is not None:
        found.append(message)
    reader.close()
    return found


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("one\n  two  \n", ["one", "two"]),
        ("\nlast without an end", ["", "last without an end"]),
        ('"""\nfirst\n\n  indented\n"""\nnext\n', ["first\n\n  indented", "next"]),
        ('"""in one line""" and what is behind\nnext\n', ["in one line", "next"]),
        ('"""begun\nand cut off', ["begun\nand cut off"]),
        ("goes on \\\nhere\\\nand here\nnext\n", ["goes on\nhere\nand here", "next"]),
        ("cut off \\\n", ["cut off\n"]),
    ],
)
def test_messages_of_standard_input(text: str, messages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_all(text, monkeypatch) == messages


def test_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert terminal.LineReader().read() is None


def test_the_history_s_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert terminal.history_file() == tmp_path / "torchpaged" / "chat_history"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert terminal.history_file() == tmp_path / ".local" / "state" / "torchpaged" / "chat_history"


def test_a_user_without_a_home_has_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user id need not be in /etc/passwd."""
    import pwd

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert terminal.history_file() is None


SCRIPT = """
import sys
from pathlib import Path
sys.modules["torch"] = None  # as if it were not installed: it takes seconds
from torchpaged.tools.terminal import LineReader
reader = LineReader(Path(sys.argv[1]), ["/system", "/save", "/retry"])
while (line := reader.read()) is not None:
    print("READ", repr(line), flush=True)
reader.close()
"""


def at_a_terminal(keys: list[bytes], history: Path, script: str = SCRIPT) -> list[str]:
    """Return the lines that a process reads from pressed keys, each sent when the previous line has been read."""
    master, slave = pty.openpty()
    command = [sys.executable, "-c", script, str(history)]
    environment = {**os.environ, "TERM": "xterm", "INPUTRC": os.devnull}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=slave, stdout=slave, stderr=slave) as process:
        watch = threading.Timer(120, process.kill)
        watch.start()
        os.close(slave)
        seen = b""
        for key in keys:
            while not seen.rstrip(b"\x1b[?2004h").endswith((b"> ", b">")):
                seen += os.read(master, 1000)
            os.write(master, key)
            seen = seen + b"\n" if key.endswith(b"\x04") else seen + os.read(master, 1)
            while key != b"\x04" and seen.count(b"READ") <= keys.index(key):
                seen += os.read(master, 1000)
        assert process.wait() == 0
        watch.cancel()
    os.close(master)
    return [line.split("READ ", 1)[1].strip() for line in seen.decode().splitlines() if "READ " in line]


def test_lines_are_edited_and_remembered(tmp_path: Path) -> None:
    """Up recalls lines of earlier processes too, Left moves, Tab completes, and only the owner can read the file."""
    pytest.importorskip("readline", reason="this Python has no readline")
    history = tmp_path / "state" / "history"
    up, left = b"\x1b[A", b"\x1b[D"
    assert at_a_terminal([b"helo" + left + b"l\r", up + b"!\r", b"/re\t now\r", b"\x04"], history) == [
        "'hello'",
        "'hello!'",
        "'/retry now'",
    ]
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert at_a_terminal([up + up + b"\r", b"\x04"], history) == ["'hello!'"]


def test_the_history_keeps_what_another_terminal_added(tmp_path: Path) -> None:
    pytest.importorskip("readline", reason="this Python has no readline")
    history = tmp_path / "history"
    history.write_text("before\n")
    adds = SCRIPT.replace("reader.close()", "open(sys.argv[1], 'a').write('another\\n'); reader.close()")
    assert at_a_terminal([b"mine\r", b"\x04"], history, adds) == ["'mine'"]
    assert history.read_text().splitlines() == ["before", "another", "mine"]


def test_a_bar_moves_while_a_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen, moved = Screen(), threading.Event()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(terminal, "_INTERVAL", 0.001)
    with terminal.loading("tiny"):
        while screen.getvalue().count("loading tiny") < 3:
            moved.wait(0.001)
    assert "torchpaged: tiny is loaded, in " in screen.getvalue()
    with pytest.raises(ValueError, match="no"), terminal.loading("tiny"):
        raise ValueError("no")
    assert screen.getvalue().endswith("\r\x1b[K")  # the line is free for the error
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    with terminal.loading("tiny"):
        pass
    with terminal.loading("other", quiet=True):
        pass
    assert plain.getvalue() == "torchpaged: loading tiny\n"
    bars = [terminal.bar(number * 0.001) for number in range(80)]
    assert len(set(bars)) == 19 and {len(each) for each in bars} == {26}

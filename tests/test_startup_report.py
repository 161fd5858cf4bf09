"""`--log-startup` and `torchpaged info MODEL --startup`: the line, the chart, the image and their errors."""

from __future__ import annotations

import contextlib
import http.client
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ports import free_port
from torchpaged import cli
from torchpaged.errors import InputError
from torchpaged.tools import startup_report
from torchpaged.tools.startup_report import Start
from torchpaged.utils.startup import Stage

ROOT = Path(__file__).resolve().parent.parent
MODEL = str(ROOT / "evals" / "models" / "stdlib-lm")
COMMAND = [sys.executable, "-m", "torchpaged.cli"]
STARTS = [
    Start("first start", 4.0, [Stage("python", 0.0, 0.5), Stage("engine", 1.0, 4.0), Stage("pool", 2.0, 3.0)]),
    Start("later start", 2.0, [Stage("torch", 0.0, 2.0), Stage("x", 1.0, 1.001), Stage("page", 1.0, 2.0, "reader")]),
]


def test_bars_are_drawn_to_one_scale() -> None:
    # The widest label has 12 columns, numbers and gaps 12: 40 are left for 4 seconds.
    assert startup_report.chart(STARTS, 64).splitlines() == [
        "first start: 4.00 s to the first token",
        "  python         0.50  █████",
        "  engine         3.00            " + "█" * 30,
        "    pool         1.00                      " + "█" * 10,
        "later start: 2.00 s to the first token",
        "  torch          2.00  " + "█" * 20,
        "  reader: page   1.00            " + "█" * 10,
    ]
    assert max(map(len, startup_report.chart(STARTS, 20).splitlines())) < 45  # a bar has 10 columns at least


def test_a_model_is_started_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", MODEL, "--startup"]) == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^(\w+ start): \d+\.\d\d s to the first token$", printed, re.MULTILINE) == [
        "first start",
        "later start",
    ]
    assert printed.count("  torch ") == 2 and "█" in printed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--startup"], "info: --startup is given without MODEL"),
        ([MODEL, "--plot", "a.png"], "info: --plot a.png is given without --startup"),
        ([MODEL, "--startup", "--plot", "no/folder/a.png"], "--plot no/folder/a.png: there is no folder"),
        (["./nowhere", "--startup"], "model './nowhere': there is no such folder"),
        (["tests", "--startup"], "info --startup: model 'tests'"),
    ],
)
def test_errors_say_what_is_wrong(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", *words]) == 2
    errors = capsys.readouterr().err
    assert says in errors and errors.count("\n") == 1, errors


def test_a_missing_matplotlib_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"--plot needs matplotlib.*pip install 'torchpaged\[bench\]'"):
        startup_report.require_matplotlib()


def test_the_image(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    startup_report.plot(STARTS, "torchpaged: stdlib-lm", tmp_path / "startup.png")
    assert (tmp_path / "startup.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_generate_and_chat_print_the_line() -> None:
    flags = ["--num-blocks", "64", "--max-tokens", "2", "--log-startup"]
    for command, typed in (
        (["generate", MODEL, "--prompt", "def f(", "--quiet"], ""),
        (["chat", MODEL, "--quiet", "--no-history"], ""),
    ):
        done = subprocess.run([*COMMAND, *command, *flags], input=typed, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        (line,) = [line for line in done.stderr.splitlines() if "torchpaged: start " in line]
        assert re.search(r"start \d+\.\d\d s: python \d.*, arguments \d.*, torch \d.*weights", line), line
        assert ("first step" in line) == (command[0] == "generate")


def test_a_server_prints_the_line_with_its_engine_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
    port = free_port()
    # A stage of less than 5 ms is not printed, and on a fast machine a process is started in less.
    script = tmp_path / "serve.py"
    script.write_text("""
import sys, time
from multiprocessing.process import BaseProcess
from torchpaged.cli import main
start = BaseProcess.start
if __name__ == "__main__":
    BaseProcess.start = lambda self: (time.sleep(0.05), start(self))
    sys.exit(main())
""")
    words = ["serve", MODEL, "--port", str(port), "--num-blocks", "64", "--log-startup"]
    command, environment = [sys.executable, str(script), *words], {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        (tmp_path / "said").open("w+") as said,
        subprocess.Popen(command, stderr=said, cwd=ROOT, env=environment) as server,
    ):
        try:
            while not _is_healthy(port):
                assert server.poll() is None
                time.sleep(0.05)
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
        said.seek(0)
        (line,) = [line for line in said.read().splitlines() if "torchpaged: start " in line]
    server_part, engine_part = line.split("; engine ")[:2]
    assert "spawn" in server_part and "waiting" in server_part and "weights" not in server_part
    assert "torch" in engine_part and "weights" in engine_part and "pool" not in server_part


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.suppress(OSError), contextlib.closing(connection):
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    return False


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--dtype", "float7"], "dtype is 'float7'"),
        (["--port", "80000"], "port is 80000"),
        (["--ssl-certfile", "a"], "ssl_keyfile is None"),
        (["--model", "./nowhere"], "model './nowhere': there is no such folder"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "chat", "generate"])
def test_wrong_arguments_are_told_without_torch(command: str, words: list[str], says: str, tmp_path: Path) -> None:
    """A server's engine process may have been started; it says nothing when it is ended."""
    if command != "serve" and words[0] in ("--port", "--ssl-certfile"):
        pytest.skip("an option of servers")
    script = tmp_path / "torchpaged"
    script.write_text("""
import sys
from torchpaged.cli import main
if __name__ == "__main__":
    status = main()
    sys.exit(9 if "torch" in sys.modules else status)
""")
    more = {"serve": ["--port", "0"], "chat": [], "generate": ["--prompt", "x"]}[command]
    named = [] if "--model" in words else [MODEL]
    start = [sys.executable, str(script), command, *named, *more, *words]
    done = subprocess.run(start, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr, done.stderr


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no process groups to interrupt")
def test_ctrl_c_while_a_server_loads_is_one_line() -> None:
    """A terminal sends it to the engine's process too, which is importing torch then."""
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
    command = [*COMMAND, "serve", MODEL, "--port", "0"]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background processes ignore it
    ) as server:
        assert server.stderr is not None
        loading = server.stderr.readline()
        while len(_children(server.pid)) < 2:  # multiprocessing's own, and the engine's
            time.sleep(0.01)
        os.killpg(server.pid, signal.SIGINT)
        rest = server.stderr.read()
        assert (server.wait(60), loading, rest) == (
            130,
            "torchpaged: loading stdlib-lm\n",
            "torchpaged: interrupted\n",
        )


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

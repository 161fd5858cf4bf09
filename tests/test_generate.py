"""`torchpaged generate` with a file: computed lines survive any interruption, and a resumed run adds the rest."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests import kills, models
from tests.fakes import FakeTokenizer, engine, follow
from torchpaged import SamplingParams, cli
from torchpaged.errors import InputError
from torchpaged.tools import cli_utils
from torchpaged.tools.completion_file import CompletionFile, key_of
from torchpaged.tools.generate import complete, generate

ROOT = Path(__file__).resolve().parent.parent
MODEL = str(models.STDLIB_LM)
# Of different lengths, so that they do not end in order; the third always fails.
RECORDS: list[dict[str, Any]] = [{"prompt": [3 + i] * (1 + i % 3), "id": i} for i in range(7)]
RECORDS[2] = {"prompt": "no!", "id": 2}
PARAMS = SamplingParams(temperature=0, n=2, max_tokens=5)


def fake_llm() -> Any:
    return SimpleNamespace(engine=engine(max_num_seqs=2, max_num_batched_tokens=8, tokenizer=FakeTokenizer()))


def start(path: Path, *, resume: bool, records: list[dict[str, Any]] = RECORDS, params: SamplingParams = PARAMS) -> Any:
    keys = [key_of(record, {"max_tokens": params.max_tokens}) for record in records]
    file = CompletionFile(path, keys, params.n)
    if resume:
        file.resume()
    return generate(fake_llm(), records, params, file, quiet=True)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# --- Prompts together -------------------------------------------------------------------------------------


def test_each_is_given_when_it_ends_and_later_ones_are_not_touched_yet() -> None:
    taken = []

    def prompts() -> Iterator[tuple[int, list[int]]]:
        for number in range(50):
            taken.append(number)
            yield number, [3 + number % 20]

    given = []
    for ended in complete(engine(max_num_seqs=2), prompts(), SamplingParams(temperature=0, max_tokens=3)):
        given += [(int(output.request_id), output.outputs[0].token_ids) for output in ended]
        if ended and len(given) <= 2:
            assert len(taken) < 10
    assert sorted(given) == [(number, follow([3 + number % 20], 3)) for number in range(50)]


def test_a_prompt_that_cannot_run_is_a_line_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    errors = start(path, resume=False)
    assert len(errors) == 1 and "out of letters" in errors[0]
    lines = lines_of(path)
    assert [line["number"] for line in lines] == [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert [line["id"] for line in lines] == [line["number"] for line in lines]
    for line in lines:
        if line["number"] == 2:
            assert line["error"] == errors[0] and line["finish_reason"] == "error" and line["token_ids"] == []
        else:
            assert line["token_ids"] == follow(RECORDS[line["number"]]["prompt"], 5) and "error" not in line


# --- Interrupted ------------------------------------------------------------------------------------------


class Stop:
    """Simulated end of the process at the n-th call of a function: before it, in the middle of it, or after it."""

    def __init__(self, call: Any, at: int, how: str, error: BaseException) -> None:
        self.call, self.left, self.how, self.error = call, at, how, error

    def __call__(self, *arguments: Any) -> Any:
        self.left -= 1
        if self.left != 0:
            return self.call(*arguments)
        if self.how == "after":
            self.call(*arguments)
        elif self.how == "half":
            descriptor, data = arguments
            self.call(descriptor, bytes(data)[: len(data) // 2])
        raise self.error


@pytest.mark.parametrize(
    ("what", "how"),
    [("step", "before"), ("step", "after"), ("write", "before"), ("write", "half"), ("write", "after")],
)
def test_interrupted_anywhere_and_resumed(what: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, path = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    start(whole, resume=False)
    for at in range(1, 100):
        path.unlink(missing_ok=True)
        with monkeypatch.context() as patch:
            owner, name = (type(fake_llm().engine), "step") if what == "step" else (os, "write")
            stop = Stop(getattr(owner, name), at, how, KeyboardInterrupt())
            # A plain function, so that an engine's method stays one.
            patch.setattr(owner, name, lambda *arguments, stop=stop: stop(*arguments))
            try:
                start(path, resume=False)
            except KeyboardInterrupt as interrupt:
                done = len({line["number"] for line in map(json.loads, whole_lines(path))})
                # The last line may be written and not yet counted.
                assert str(interrupt).startswith((f"{done} of 7 ", f"{done - 1} of 7 ")), str(interrupt)
            else:
                break
        start(path, resume=True)
        assert path.read_bytes() == whole.read_bytes(), f"stopped at call {at}"
    assert 7 < at < 99, "every call was reached"


def again(path: Path, resume: bool) -> None:
    """Run more prompts, as `kills.survive` takes it."""
    records = [{**record, "prompt": record["prompt"] + record["prompt"][:i]} for i in range(4) for record in RECORDS]
    start(path, resume=resume, records=records)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))])
def test_killed_at_any_time_and_resumed(seed: int, tmp_path: Path) -> None:
    kills.survive(again, seed, tmp_path)


def whole_lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    start(whole, resume=False)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", Stop(os.write, 3, "half", OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(InputError, match=r"out\.jsonl: No space left on device; .*--resume"):
            start(path, resume=False)
    assert len(whole_lines(path)) == 4
    start(path, resume=True)
    assert path.read_bytes() == whole.read_bytes()


def test_what_cannot_be_sorted_stays_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.jsonl"

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(InputError, match="No space left on device; it is complete"):
            start(path, resume=False)
    assert sorted(line["number"] for line in lines_of(path)) == [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert list(tmp_path.iterdir()) == [path]
    start(path, resume=True)
    assert [line["number"] for line in lines_of(path)] == [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6]


# --- Resumed ----------------------------------------------------------------------------------------------


def computed(path: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> list[int]:
    """Return the numbers of the prompts that a resumed run computes."""
    added = []
    kind = type(fake_llm().engine)
    add = kind.add_request
    with monkeypatch.context() as patch:

        def noted(self: Any, name: str, *rest: Any, **more: Any) -> None:
            added.append(int(name))
            add(self, name, *rest, **more)

        patch.setattr(kind, "add_request", noted)
        start(path, resume=True, **changes)
    return added


def test_resuming_computes_errors_and_what_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.jsonl"
    assert computed(path, monkeypatch) == list(range(7)), "there is no file yet"
    assert computed(path, monkeypatch) == [2]
    changed = [*RECORDS[:4], {"prompt": [9]}, *RECORDS[5:]]
    assert computed(path, monkeypatch, records=changed) == [2, 4]
    assert [line["token_ids"] for line in lines_of(path) if line["number"] == 4] == [follow([9], 5)] * 2
    longer = SamplingParams(temperature=0, n=2, max_tokens=6)
    assert computed(path, monkeypatch, records=changed, params=longer) == list(range(7))
    assert {len(line["token_ids"]) for line in lines_of(path)} == {0, 6}
    assert computed(path, monkeypatch, records=changed[:3], params=longer) == [2], "fewer prompts"
    assert [line["number"] for line in lines_of(path)] == [0, 0, 1, 1, 2]


def test_a_completion_without_its_sibling_is_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.jsonl"
    start(path, resume=False)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[1:] + lines[-1:]))  # and one occurs twice
    assert computed(path, monkeypatch) == [0, 2]
    assert path.read_bytes() == whole


@pytest.mark.parametrize("text", ["{}", '{"prompt": "a", "id": 3}', "[1]", "nothing", '{"number": "1", "key": "a"}'])
def test_a_file_of_something_else_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(InputError, match=r"line 1 of .*out\.jsonl was not written by --output"):
        start(path, resume=True)
    assert path.read_text() == text + "\n"


def test_a_record_s_own_fields_stay_but_those_that_a_line_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of completions as prompts of the next run: its errors are not carried over."""
    path = tmp_path / "out.jsonl"
    records = [{"prompt": [5], "id": "é", "error": "old", "number": 9, "index": 3}]
    start(path, resume=False, records=records)
    assert [(line["id"], line["number"], line["index"]) for line in lines_of(path)] == [("é", 0, 0), ("é", 0, 1)]
    assert computed(path, monkeypatch, records=records) == []


def test_a_link_and_the_mode_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.touch(mode=0o640)
    link.symlink_to(real)
    start(link, resume=False)
    start(link, resume=True)
    assert link.is_symlink() and len(lines_of(real)) == 13 and stat.S_IMODE(real.stat().st_mode) == 0o640


# --- The command ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prompts") / "in.jsonl"
    texts = ["import os", "def f(", "class A:", "x = 1", "for i in", "return", "try:", "with open("]
    path.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in texts))
    return path


FLAGS = ["--quiet", "--model", MODEL, "--max-tokens", "24", "--max-num-seqs", "1"]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Use one thread, as the processes that are started here do: the same arithmetic, and no waiting."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", autouse=True)
def _interruptible() -> Iterator[None]:
    """Restore SIGINT: a shell without job control makes background processes ignore it, and that is inherited."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def expected(prompts: Path) -> bytes:
    path = prompts.with_name("whole.jsonl")
    assert cli.main(["generate", "--prompts", str(prompts), "--output", str(path), *FLAGS]) == 0
    return path.read_bytes()


@pytest.mark.parametrize(
    ("number", "status", "says"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        pytest.param(signal.SIGHUP, 129, "the terminal is closed", marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, -9, None, marks=pytest.mark.long),
    ],
)
def test_a_process_that_is_ended(
    number: signal.Signals, status: int, says: str | None, prompts: Path, expected: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "out.jsonl"
    words = ["generate", "--prompts", str(prompts), "--output", str(path), *FLAGS]
    # Steps take so long that the signal comes before the last prompt has ended.
    code = """
import sys, time
from torchpaged.cli import main
from torchpaged.engine.llm_engine import LLMEngine
step = LLMEngine.step
LLMEngine.step = lambda self: (time.sleep(0.05), step(self))[1]
sys.exit(main())
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 600
    while not (path.exists() and path.stat().st_size) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(number)
    _, errors = process.communicate(timeout=600)
    done = len(whole_lines(path))
    assert process.returncode == status and 0 < done < 8, errors
    if says is not None:
        assert errors == f"torchpaged: {says}: {done} of 8 prompts are in {path}; --resume goes on\n"
    assert cli.main([*words, "--resume"]) == 0
    assert path.read_bytes() == expected


@pytest.mark.parametrize("way", ["as-it-is", "import-error", "in-an-exec", "in-a-finalizer"])
def test_ended_while_torch_is_imported(way: str, tmp_path: Path) -> None:
    """A C module may turn the interrupt into an ImportError; during an exec, Python would die of the signal; in a
    finalizer it is dropped."""
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    code = {
        "as-it-is": kill,
        "import-error": f"try:\n    {kill}\nexcept BaseException:\n    raise ImportError('a page of advice') from None",
        "in-an-exec": f"exec({kill!r})",
        "in-a-finalizer": f"class It:\n    def __del__(self):\n        {kill}\nIt()\nimport time\ntime.sleep(30)",
    }[way]
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "torchpaged.cli", "info"]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert (result.returncode, result.stderr) == (130, "torchpaged: interrupted\n")


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """`nohup`, and background processes of a shell without job control."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT); 1 / 0")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = ["bash", "-c", f"trap '' INT; exec '{sys.executable}' -m torchpaged.cli info"]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert "ZeroDivisionError" in result.stderr


def test_nothing_is_left_to_do(
    prompts: Path, expected: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resumed run that has every line loads no model."""
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"".join(reversed(expected.splitlines(keepends=True))))
    monkeypatch.setattr(cli_utils, "load_llm", None)
    flags = [flag for flag in FLAGS if flag != "--quiet"]
    assert cli.main(["generate", "--prompts", str(prompts), "--output", str(path), "--resume", *flags]) == 0
    assert path.read_bytes() == expected and "8 of 8 prompts are done" in capsys.readouterr().err


def test_a_run_that_fails_at_its_start_leaves_an_earlier_file_alone(prompts: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("hours of work\n")
    words = ["generate", "--prompts", str(prompts), "--output", str(path), "--quiet", "--overwrite", "--model"]
    assert cli.main([*words, str(tmp_path / "nowhere")]) == 2
    assert path.read_text() == "hours of work\n"


def test_a_file_with_results_is_replaced_only_where_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("hours of work\n")
    words = [
        "generate",
        "--prompt",
        "import os",
        "--output",
        str(path),
        "--quiet",
        "--model",
        MODEL,
        "--max-tokens",
        "2",
    ]
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert "the file is there, with 14 bytes; --resume keeps" in error and "--overwrite drops it" in error
    assert path.read_text() == "hours of work\n"
    assert cli.main([*words, "--overwrite"]) == 0 and len(lines_of(path)) == 1
    path.write_text("")  # as `mktemp` leaves it
    assert cli.main(words) == 0 and len(lines_of(path)) == 1
    assert cli.main([*words, "--overwrite", "--resume"]) == 2
    assert "give one of them" in capsys.readouterr().err and len(lines_of(path)) == 1


def test_a_line_that_is_no_prompt_is_an_error_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The others are computed; after it is corrected, only this line remains."""
    prompts, path = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    good = ['{"prompt": "import os", "name": "a"}', '{"prompt": "def f(", "name": "b"}']
    bad = [
        b'{"prompt": ',
        b"[1]",
        b'{"prompt": "\xff"}',
        b'{"text": "import os", "prompt": 5}',
        b'{"prompt": "\\ud800"}',
        b"[" * 99999,
    ]
    lines = [good[0].encode(), *bad, good[1].encode()]
    prompts.write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines))
    words = ["generate", "--prompts", str(prompts), "--quiet", "--model", MODEL, "--max-tokens", "2"]
    to_file = [*words, "--output", str(path)]
    assert cli.main(to_file) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("torchpaged: 6 of 8 prompts could not be completed: ") and errors.count("\n") == 1
    written = lines_of(path)
    assert [line["number"] for line in written] == list(range(8))
    assert [written[0].get("error"), written[7].get("error")] == [None, None] and written[7]["name"] == "b"
    expected = ["no JSON", "expected an object with", "no UTF-8", "expected an object with", "", "no JSON"]
    for number, (line, what) in enumerate(zip(written[1:7], expected, strict=True), start=2):
        assert what in line["error"] and line["finish_reason"] == "error" and line["completion"] == ""
        assert not what or f"in.jsonl, line {number}: " in line["error"]
    assert [line["prompt"] for line in written[1:5]] == [None, None, None, 5] and written[4]["text"] == "import os"
    lines[1:7] = [good[1].encode()] * 6
    prompts.write_bytes(b"\n".join(lines))
    assert cli.main([*to_file, "--resume"]) == 0
    assert lines_of(path)[0] == written[0] and lines_of(path)[7] == written[7] and len(lines_of(path)) == 8
    prompts.write_bytes(b"\n".join([lines[0], bad[1]]))
    assert cli.main(words) == 2
    captured = capsys.readouterr()
    assert "--- prompt 0 (length)" in captured.out and "--- prompt 1 (error)" in captured.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--resume"], "--resume needs --output, the file of completions"),
        (["--overwrite"], "--overwrite needs --output, the file of completions"),
        (["--output", "{prompts}"], "this is the file of prompts; name another file"),
        (["--output", "{folder}"], "it is a folder"),
        (["--output", "{folder}/out.jsonl", "--profile", "{folder}/none/p.json"], "--profile"),
    ],
    ids=["no-file", "no-file-to-replace", "the-prompts", "folder", "profile"],
)
def test_refused_before_anything_is_loaded(
    words: list[str],
    says: str,
    prompts: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli_utils, "load_llm", None)
    before = prompts.read_bytes()
    words = [word.format(prompts=prompts, folder=tmp_path) for word in words]
    assert cli.main(["generate", "--model", MODEL, "--prompts", str(prompts), *words]) == 2
    errors = capsys.readouterr().err
    assert says in errors and errors.count("\n") == 1
    assert prompts.read_bytes() == before and list(tmp_path.iterdir()) == []


def test_some_prompts_cannot_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.jsonl"
    words = ["generate", "--quiet", "--model", MODEL, "--prompt", "import os", "--prompt", "", "--max-tokens", "3"]
    assert cli.main([*words, "--output", str(path)]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("torchpaged: 1 of 2 prompts could not be completed: ") and errors.count("\n") == 1
    good, bad = lines_of(path)
    assert good["finish_reason"] == "length" and "error" not in good and "empty" in bad["error"]
    assert cli.main(words) == 2
    printed = capsys.readouterr().out
    assert "--- prompt 0 (length)" in printed and "--- prompt 1 (error)" in printed and "is empty" in printed


# --- Streams ----------------------------------------------------------------------------------------------

ASCII = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def test_utf8_whatever_the_locale(tmp_path: Path) -> None:
    """Prompts from standard input, with a line separator allowed in JSON, and a stop string of the command line."""
    ASCII.pop("PYTHONIOENCODING", None)
    record = json.dumps({"prompt": "# π\u2028é\n", "name": "ü"}, ensure_ascii=False)
    words = ["generate", "--quiet", "--model", MODEL, "--prompts", "-", "--max-tokens", "2", "--stop", "ø"]
    command = [sys.executable, "-m", "torchpaged.cli", *words]
    result = subprocess.run(
        command, cwd=ROOT, env=ASCII, input=f"\ufeff{record}\n".encode(), capture_output=True, timeout=600
    )
    assert result.returncode == 0, result.stderr.decode()
    assert "# π\u2028é\n" in result.stdout.decode()
    code = "import sys; from torchpaged.tools import arguments as a; print(ascii(a.parse(sys.argv[1:]).stop))"
    result = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, env=ASCII, capture_output=True, timeout=600)
    assert result.stdout.decode().strip() == r"['\xf8']", result.stderr.decode()


def test_python_s_own_encoding_is_kept() -> None:
    """Bytes that are not text are escaped."""
    words = ["generate", "--quiet", "--model", MODEL, "--prompt", "é", "--max-tokens", "2"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "torchpaged.cli", *words]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=600)
    assert result.returncode == 0 and rb"\xe9" in result.stdout, result.stderr.decode()


def test_a_word_that_is_not_utf8() -> None:
    command = [sys.executable, "-m", "torchpaged.cli", "generate", "--model", "m", "--prompt", b"caf\xe9"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=600)
    assert result.returncode == 2 and b"argument --prompt: is not UTF-8" in result.stderr


@pytest.mark.parametrize("end", ["> /dev/full", ">&-", "2>&-"], ids=["full", "no-output", "no-errors"])
def test_a_stream_that_takes_nothing(end: str) -> None:
    command = f'"{sys.executable}" -m torchpaged.cli info --families {end}'
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=600)
    full = end == "> /dev/full"
    said = "torchpaged: standard output: No space left on device\n" if full else ""
    assert (result.returncode, result.stderr) == (2 if full else 0, said)
    assert bool(result.stdout) == (end == "2>&-")


@pytest.mark.parametrize("words", ["generate --model {m} --prompts {f} --output", "run-batch --model {m} -i {f} -o"])
def test_output_to_a_pipe(words: str, tmp_path: Path) -> None:
    """The pipe has no name that /dev/stdout could resolve to."""
    prompts = tmp_path / "prompts.jsonl"
    body = {"model": MODEL, "prompt": "def main(", "max_tokens": 2}
    line = {"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": body}
    if words.startswith("generate"):
        line = {"custom_id": "a", "prompt": "def main("}
    prompts.write_text(json.dumps(line))
    given = words.format(m=MODEL, f=prompts).split()
    kept, (end, pipe) = os.dup(1), os.pipe()
    try:
        os.dup2(pipe, 1)
        os.close(pipe)
        assert cli.main([*given, "/dev/stdout", "--num-blocks", "64"]) == 0
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    with os.fdopen(end) as written:
        assert json.loads(written.readline())["custom_id"] == "a"


def test_a_reader_that_went_away() -> None:
    """A closed pipe, as after `| head`, ends the program with status 141 and without a message."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "torchpaged.cli", "info", "--families"]
    result = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=600)
    os.close(writer)
    assert (result.returncode, result.stderr) == (141, "")

"""The runner of the peers' suites: the verdict on their outcomes, the recorder, the sources. No suite is run here."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.peers import sources
from tests.peers.outcomes import Outcome, judge, matches, read_differences, read_outcomes, table
from tests.peers.sources import Source, SourceMissingError
from tests.peers.suite import HERE, Edit, Suite
from tests.peers.suites import SUITES
from tests.serving.harness import until

LIST = """\
# a comment
different: it has no tensor parallelism
    test_a.py::test_ranks*
soon: issue 36
    test_b.py::test_late[1-x]
"""


def differences(tmp_path: Path, text: str = LIST) -> Path:
    path = tmp_path / "list.txt"
    path.write_text(text)
    return path


def test_a_failure_is_known_or_fails_the_run(tmp_path: Path) -> None:
    outcomes = [
        Outcome("tests/test_a.py::test_ranks[2]", "failed"),
        Outcome("tests/test_a.py::test_one", "passed"),
        Outcome("tests/test_b.py::test_late[1-x]", "failed"),
        Outcome("tests/test_b.py::test_late[1-y]", "skipped"),
        Outcome("tests/test_b.py::test_theirs", "passed", ours=False),
    ]
    known = read_differences(differences(tmp_path))
    verdict = judge(outcomes, known)
    assert verdict.holds
    assert verdict.reasons == {("different", "it has no tensor parallelism"): 1, ("soon", "issue 36"): 1}
    assert verdict.rows["tests/test_a.py"] == {"ran": 2, "passed": 1, "different": 1}
    assert verdict.rows["tests/test_b.py"] == {"ran": 1, "soon": 1, "skipped": 1, "not ours": 1}
    assert table(verdict.rows).splitlines()[-1] == "| total | 3 | 1 | 1 | 1 | 0 | 1 | 1 |"

    lost = judge([*outcomes, Outcome("tests/test_a.py::test_two", "missing", why="the run ended")], known)
    assert not lost.holds and [each.name for each in lost.failures] == ["tests/test_a.py::test_two"]


def test_an_entry_that_passes_or_matches_nothing_fails_the_run(tmp_path: Path) -> None:
    known = read_differences(differences(tmp_path))
    passes = [Outcome("test_a.py::test_ranks", "passed"), Outcome("test_b.py::test_late[1-x]", "failed")]
    assert judge(passes, known).stale == ["test_a.py::test_ranks passes: remove it from 'it has no tensor parallelism'"]
    assert judge(passes[1:], known).stale == ["test_a.py::test_ranks* matches no test"]
    assert judge(passes[1:], known, whole=False).holds


def test_the_list_is_checked(tmp_path: Path) -> None:
    for text in ("    test_a.py::test_b\n", "known: it is slow\n    test_a\n", "different: \n"):
        with pytest.raises(ValueError, match=r"list\.txt:1 is"):
            read_differences(differences(tmp_path, text))
    with pytest.raises(ValueError, match="names no test for 'it is slow'"):
        read_differences(differences(tmp_path, "different: it is slow\n"))


def test_patterns() -> None:
    name = "tests/v1/test_a.py::TestX::test_b[1-[x]]"
    assert all(matches(p, name) for p in ("test_a.py::*", "test_b[1-[x]]", "TestX::test_b*", "v1/*", name))
    assert not any(matches(p, name) for p in ("a.py::*", "test_b", "test_b[1-x]", "X::test_b*"))


def test_the_recorder_writes_each_result_and_samples_grids(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(
        "import peers_recorder, pytest\n"
        "@pytest.mark.parametrize('a', range(100))\n"
        "@pytest.mark.parametrize('b,c', [(i, i) for i in range(10**4)])\n"
        "def test_grid(a, b, c): peers_recorder.touch(); assert b == c\n"
        "def test_theirs(): pass\n"
        "def test_fails(): assert 1 == 2\n"
        "def test_skips(): pytest.skip('no GPU')\n"
        "def test_left(): pass\n"
        "@pytest.fixture\n"
        "def broken():\n"
        "    yield\n"
        "    raise ValueError('at the end')\n"
        "def test_teardown(broken): peers_recorder.touch()\n"
    )
    variables = {
        **os.environ,
        "PYTHONPATH": str(HERE / "shims"),
        "PEERS_OUTCOMES": str(tmp_path / "outcomes.jsonl"),
        "PEERS_SAMPLE": "3",
        "PEERS_LEAVE_OUT": "::test_left",
        "PEERS_TOUCH": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "peers_recorder", "-p", "no:cacheprovider", "test_x.py"]
    subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, timeout=600, check=False)
    found = {each.name.partition("::")[2]: each for each in read_outcomes(tmp_path / "outcomes.jsonl")}
    grid = [each for name, each in found.items() if name.startswith("test_grid[")]
    assert len(grid) == 3 and all(each.result == "passed" and each.ours for each in grid)
    assert found["test_theirs"].result == "passed" and not found["test_theirs"].ours
    assert found["test_fails"].result == "failed" and "assert 1 == 2" in found["test_fails"].why
    assert found["test_skips"].result == "skipped" and "no GPU" in found["test_skips"].why
    assert found["test_teardown"].result == "failed" and "at the end" in found["test_teardown"].why
    assert "test_left" not in found


def test_what_did_not_run_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    path.write_text('{"collected": ["a::b", "a::c"]}\n{"name": "a::b", "result": "passed", "ours": true, "why": ""}\n')
    assert [each.result for each in read_outcomes(path)] == ["passed", "missing"]
    assert read_outcomes(tmp_path / "none") == []


def test_a_source_is_a_checkout_an_archive_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "cache_directory", lambda: tmp_path)
    monkeypatch.delenv("PEERS", raising=False)
    without = Source("peer", "v1", home="https://example.org/peer")
    with pytest.raises(SourceMissingError, match=r"checkout of https://example.org/peer at v1 into PEERS/peer"):
        without.folder()
    (tmp_path / "checkouts" / "peer").mkdir(parents=True)
    monkeypatch.setenv("PEERS", str(tmp_path / "checkouts"))
    assert without.folder() == tmp_path / "checkouts" / "peer"

    monkeypatch.delenv("PEERS")
    store = tmp_path / "peers" / "sources"
    store.mkdir(parents=True)
    with tarfile.open(store / "peer-1.tar.gz", "w:gz") as archive:
        for name in ("peer-1/tests/test_a.py", "peer-1/csrc/kernel.cu"):
            entry = tarfile.TarInfo(name)
            archive.addfile(entry, io.BytesIO(b""))
    with pytest.raises(SourceMissingError, match=r"has sha256 .*, expected 00"):
        Source("peer", "1", "x/peer-1.tar.gz", "00").folder()
    found = sources.hashlib.sha256((store / "peer-1.tar.gz").read_bytes()).hexdigest()
    folder = Source("peer", "1", "x/peer-1.tar.gz", found).folder()
    assert (folder / "tests" / "test_a.py").exists() and not (folder / "csrc").exists()


def test_an_edit_that_changes_nothing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.peers.suite.cache_directory", lambda: tmp_path / "cache")
    (tmp_path / "test_a.py").write_text("device = 'cuda'\n")
    source = Source("peer", "1")
    good = Suite("x", source, ("test_a.py",), "shim", edits=(Edit("*.py", "cuda", "cpu"),))
    assert (good._stage(tmp_path) / "test_a.py").read_text() == "device = 'cpu'\n"
    bad = Suite("x", source, ("test_a.py",), "shim", edits=(Edit("*.py", "rocm", "cpu"),))
    with pytest.raises(ValueError, match="'rocm' is nowhere in x's"):
        bad._stage(tmp_path)


def test_every_suite_has_a_shim_and_a_list() -> None:
    names = [each.name for each in SUITES]
    assert len(set(names)) == len(names)
    lists = {path.stem for path in (HERE / "differences").glob("*.txt")}
    assert lists <= set(names)
    for suite in SUITES:
        assert (HERE / "shims" / f"{suite.shim}.py").exists()
        read_differences(HERE / "differences" / f"{suite.name}.txt")


def test_every_difference_is_in_the_page() -> None:
    page = " ".join((HERE.parents[1] / "docs" / "peers.md").read_text().split())
    for suite in SUITES:
        assert f"`{suite.name}`" in page
        for each in read_differences(HERE / "differences" / f"{suite.name}.txt"):
            assert each.kind != "different" or each.reason in page, each.reason


def test_what_the_tests_started_ends_with_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.peers.suite.cache_directory", lambda: tmp_path / "cache")
    monkeypatch.setattr(Suite, "_environment", lambda _: Path(sys.executable))
    monkeypatch.setenv("PEERS", str(tmp_path))
    (tmp_path / "peer").mkdir()
    # Its environment would have pytest-timeout.
    (tmp_path / "peer" / "conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--timeout')\n")
    (tmp_path / "peer" / "test_a.py").write_text(
        "import pathlib, subprocess, sys\n"
        "def test_a():\n"
        "    started = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "    pathlib.Path('pid').write_text(str(started.pid))\n"
    )
    suite = Suite("x", Source("peer", "1"), ("test_a.py",), "peers_recorder", copied=("conftest.py",))
    verdict = suite.run()
    assert verdict.holds and verdict.rows["test_a.py"] == {"ran": 1, "passed": 1}
    pid = int((tmp_path / "cache" / "peers" / "stage" / "x" / "pid").read_text())
    until(lambda: not _runs(pid))  # a signal is on its way


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] not in "ZX"
    except FileNotFoundError:
        return False
